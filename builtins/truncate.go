package builtins

import (
	"errors"
	"math"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/vfs"
)

// truncateRun is truncate.
func truncateRun(c *call) error {
	var create, blocks = true, false
	var reference string
	var how byte
	var size int64
	given := false
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'c':
			create = false
		case 'o':
			blocks = true
		case 'r':
			reference = p.Value
		case 's':
			given = true
			var err error
			how, size, err = c.truncateSize(p.Value)
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	switch {
	case !given && reference == "":
		return c.usageErrorf("you must specify either %s or %s", quote("--size"), quote("--reference"))
	case given && reference != "" && how == 0:
		return c.usageErrorf("you must specify a relative %s with %s", quote("--size"), quote("--reference"))
	case blocks && !given:
		return c.usageErrorf("%s was specified but %s was not", quote("--io-blocks"), quote("--size"))
	case len(operands) == 0:
		return c.usageErrorf("missing file operand")
	}
	base := int64(-1)
	if reference != "" {
		info, err := c.View().Stat(c.ctx, reference)
		if err != nil {
			return c.fatalf("cannot stat %s: %s", quoteName(reference), vfs.Words(err))
		}
		base = info.Size()
	}
	if blocks {
		size *= 4096
	}
	for _, name := range operands {
		if err := c.truncateOne(name, create, how, size, base, given); err != nil {
			return err
		}
	}
	return nil
}

// truncateSize reads [+-<>/%]SIZE.
func (c *call) truncateSize(text string) (how byte, size int64, err error) {
	number := text
	for number != "" && (number[0] == ' ' || number[0] == '\t') {
		number = number[1:]
	}
	if number != "" {
		switch number[0] {
		case '+', '-', '<', '>', '/', '%':
			how, number = number[0], number[1:]
		}
	}
	n, err := c.number(number, 0, math.MaxInt64, "EgGkKmMPtTYZ0", "Invalid number")
	if err != nil {
		return 0, 0, err
	}
	if n == 0 && (how == '/' || how == '%') {
		return 0, 0, c.fatalf("division by zero")
	}
	return how, int64(n), nil
}

func (c *call) truncateOne(name string, create bool, how byte, size, base int64, given bool) error {
	flag := vfs.O_WRONLY
	if create {
		flag |= vfs.O_CREATE
	}
	f, err := c.View().Open(c.ctx, name, flag, 0o666)
	if err != nil {
		if c.ends(err) {
			return err
		}
		if create || !errors.Is(err, vfs.ENOENT) {
			c.errorf("cannot open %s for writing: %s", quoteName(name), vfs.Words(err))
		}
		return nil
	}
	defer f.Close()
	old := base
	if old < 0 {
		info, err := f.Stat()
		if err != nil {
			c.errorf("cannot fstat %s: %s", quoteName(name), vfs.Words(err))
			return nil
		}
		old = info.Size()
	}
	to := size
	switch {
	case !given:
		to = old
	case how == '+':
		to = old + size
	case how == '-':
		to = max(0, old-size)
	case how == '<':
		to = min(old, size)
	case how == '>':
		to = max(old, size)
	case how == '/':
		to = old / size * size
	case how == '%':
		to = (old + size - 1) / size * size
	}
	if to < 0 {
		c.errorf("overflow extending size of file %s", quoteName(name))
		return nil
	}
	if err := f.Truncate(to); err != nil {
		c.errorf("failed to truncate %s at %d bytes: %s", quoteName(name), to, vfs.Words(err))
	}
	return nil
}

func mkfifoRun(c *call) error {
	mode, err := c.modeOption()
	if err != nil {
		return err
	}
	if len(mode.operands) == 0 {
		return c.usageErrorf("missing operand")
	}
	for _, name := range mode.operands {
		err := c.View().Mkfifo(c.ctx, name, 0o666)
		if err == nil && mode.given {
			err = c.View().Chmod(c.ctx, name, mode.mode)
		}
		if err != nil {
			if c.ends(err) {
				return err
			}
			c.errorf("cannot create fifo %s: %s", quoteName(name), vfs.Words(err))
		}
	}
	return nil
}

func syncRun(c *call) error {
	operands, err := c.parse(func(*getopt.Parser) error { return nil })
	if err != nil {
		return err
	}
	for _, name := range operands {
		f, err := c.View().Open(c.ctx, name, vfs.O_RDONLY, 0)
		if err != nil {
			c.errorf("error opening %s: %s", quoteName(name), vfs.Words(err))
			continue
		}
		if err := f.Sync(); err != nil && !errors.Is(err, vfs.ENOTSUP) && !errors.Is(err, vfs.EINVAL) {
			c.errorf("error syncing %s: %s", quoteName(name), vfs.Words(err))
		}
		f.Close()
	}
	return nil
}

func init() {
	register(program{
		name:    "truncate",
		summary: "set the size of files (-s -r -c -o)",
		usage: `truncate OPTION... FILE...
Make each file SIZE bytes long; what is added reads as zeros.

  -c, --no-create         make no files
  -o, --io-blocks         SIZE counts blocks of 4096 bytes
  -r, --reference=RFILE   RFILE's size
  -s, --size=[+-<>/%]SIZE absolute, or: extend by, reduce by, at most, at least,
                          round down or up to a multiple of; K, M, ... suffixes`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'c', Long: "no-create"}, {Key: 'o', Long: "io-blocks"}, {Key: 'r', Long: "reference", Argument: getopt.Required}, {Key: 's', Long: "size", Argument: getopt.Required},
		}},
		run: truncateRun,
	})
	register(program{
		name:    "mkfifo",
		summary: "make named pipes (-m)",
		usage: `mkfifo [OPTION]... NAME...
Make named pipes.

  -m, --mode=MODE  permissions as for chmod, not a=rw less the umask`,
		options: getopt.Spec{Options: []getopt.Option{{Key: 'm', Long: "mode", Argument: getopt.Required}}},
		run:     mkfifoRun,
	})
	register(program{
		name:    "sync",
		summary: "write cached data out (-d -f)",
		usage: `sync [OPTION] [FILE]...
Write what is held back of each file to its storage.

  -d, --data         only the data
  -f, --file-system  the file system that holds the file`,
		options: getopt.Spec{Options: []getopt.Option{{Key: 'd', Long: "data"}, {Key: 'f', Long: "file-system"}}},
		run:     syncRun,
	})
}
