package builtins

import (
	"io/fs"
	"math"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/vfs"
)

// truncateCommand is one run of truncate.
type truncateCommand struct {
	*call
	noCreate, blocks bool
	hasSize          bool
	relation         byte // one of + - < > / %, 0 for none
	size             int64
	reference        int64 // -1: none
}

func truncateRun(c *call) error {
	t := &truncateCommand{call: c, reference: -1}
	reference, hasReference := "", false
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'c':
			t.noCreate = true
		case 'o':
			t.blocks = true
		case 'r':
			reference, hasReference = p.Value, true
		case 's':
			return t.setSize(p.Value)
		}
		return nil
	})
	if err != nil {
		return err
	}
	switch {
	case !t.hasSize && !hasReference:
		return c.usageErrorf("you must specify either %s or %s", quote("--size"), quote("--reference"))
	case hasReference && t.hasSize && t.relation == 0:
		return c.usageErrorf("you must specify a relative %s with %s", quote("--size"), quote("--reference"))
	case t.blocks && !t.hasSize:
		return c.usageErrorf("%s was specified but %s was not", quote("--io-blocks"), quote("--size"))
	case len(operands) == 0:
		return c.usageErrorf("missing file operand")
	}
	if hasReference {
		info, err := c.View().Stat(c.ctx, reference)
		if err != nil {
			return c.fatalf("cannot stat %s: %s", quoteName(reference), vfs.Words(err))
		}
		t.reference = info.Bytes
	}
	for _, name := range operands {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		t.one(name)
	}
	return nil
}

func (t *truncateCommand) setSize(text string) error {
	t.hasSize = true
	rest := strings.TrimLeft(text, " \t\n\v\f\r")
	t.relation = 0
	if rest != "" && strings.IndexByte("<>/%", rest[0]) >= 0 {
		t.relation = rest[0]
		rest = strings.TrimLeft(rest[1:], " \t\n\v\f\r")
	}
	sign := int64(1)
	if rest != "" && (rest[0] == '+' || rest[0] == '-') {
		if t.relation != 0 {
			return t.usageErrorf("multiple relative modifiers specified")
		}
		t.relation = rest[0]
		if rest[0] == '-' {
			sign = -1
		}
		rest = rest[1:]
		if rest != "" && (rest[0] == '+' || rest[0] == '-' || rest[0] == ' ') {
			rest = ""
		}
	}
	n, fault := parseNumber(rest, "EGKkMmPTYZ0")
	switch {
	case fault == numberOverflow || fault == numberOK && n > math.MaxInt64:
		return t.fatalf("Invalid number: %s: Value too large for defined data type", quote(text))
	case fault != numberOK:
		return t.fatalf("Invalid number: %s", quote(text))
	case (t.relation == '/' || t.relation == '%') && n == 0:
		return t.fatalf("division by zero")
	}
	t.size = sign * int64(n)
	return nil
}

func (t *truncateCommand) one(name string) {
	flag := vfs.O_WRONLY
	if !t.noCreate {
		flag |= vfs.O_CREATE
	}
	var f vfs.File
	info, err := t.View().Stat(t.ctx, name)
	if err == nil && info.FileMode&fs.ModeNamedPipe != 0 {
		err = vfs.ENXIO // opening it would wait for a reader
	} else {
		f, err = t.View().Open(t.ctx, name, flag, 0o666)
	}
	if err != nil {
		if !(t.noCreate && vfs.Errno(err) == vfs.ENOENT) {
			t.errorf("cannot open %s for writing: %s", quoteName(name), vfs.Words(err))
		}
		return
	}
	defer f.Close()
	size, ok := t.newSize(name, f)
	if !ok {
		return
	}
	if err := f.Truncate(size); err != nil && t.ctx.Err() == nil {
		t.errorf("failed to truncate %s at %d bytes: %s", quoteName(name), size, vfs.Words(err))
	}
}

// newSize is the size a file is to get.
func (t *truncateCommand) newSize(name string, f vfs.File) (int64, bool) {
	size := t.size
	if t.blocks {
		const block = 4096
		if size > math.MaxInt64/block || size < math.MinInt64/block {
			t.errorf("overflow in %d * %d byte blocks for file %s", size, block, quoteName(name))
			return 0, false
		}
		size *= block
	}
	if !t.hasSize {
		return t.reference, true
	}
	if t.relation == 0 {
		return size, true
	}
	from := t.reference
	if from < 0 {
		info, err := f.Stat()
		if err != nil {
			t.errorf("cannot fstat %s: %s", quoteName(name), vfs.Words(err))
			return 0, false
		}
		from = info.Bytes
	}
	switch t.relation {
	case '<':
		return min(from, size), true
	case '>':
		return max(from, size), true
	case '/':
		return from - from%size, true
	case '%':
		if rest := from % size; rest > 0 {
			if from > math.MaxInt64-(size-rest) {
				t.errorf("overflow rounding up size of file %s", quoteName(name))
				return 0, false
			}
			from += size - rest
		}
		return from, true
	}
	if size > 0 && from > math.MaxInt64-size {
		t.errorf("overflow extending size of file %s", quoteName(name))
		return 0, false
	}
	return max(0, from+size), true
}

func truncateProgram(string) *program {
	return &program{
		usage: `truncate OPTION... FILE...
Shrink or extend each FILE to a size; a missing FILE is made.

  -c, --no-create        make no files
  -o, --io-blocks        SIZE counts blocks of 4096 bytes
  -r, --reference=RFILE  RFILE's size, or from there on
  -s, --size=SIZE        SIZE, with a unit as K, M, KB; after + or - by so much,
                         < at most, > at least, / rounded down, % up to a multiple`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'c', Long: "no-create"}, {Key: 'o', Long: "io-blocks"}, {Key: 'r', Long: "reference", Argument: getopt.Required}, {Key: 's', Long: "size", Argument: getopt.Required},
		}},
		run: truncateRun,
	}
}
