package builtins

import (
	"fmt"
	"io"
	"io/fs"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/vfs"
)

const (
	shredRemove = 1000 + iota
	shredSource
)

// shredCommand is one run of shred. It overwrites and removes; whether the
// storage keeps old blocks elsewhere is not for it to know.
type shredCommand struct {
	*call
	force, remove, verbose, exact, zero bool
	passes                              uint64
	size                                int64 // -1: the file's own
	source                              io.Reader
}

func shredRun(c *call) error {
	s := &shredCommand{call: c, passes: 3, size: -1, source: c.Host().Random()}
	source := ""
	operands, err := c.parse(func(p *getopt.Parser) error {
		var err error
		switch p.Key {
		case 'f':
			s.force = true
		case 'n':
			s.passes, err = c.number(p.Value, 0, 1<<20, "", "invalid number of passes")
		case 's':
			var n uint64
			n, err = c.number(p.Value, 0, 1<<62, "cbBkKMGTPEZY0", "invalid file size")
			s.size = int64(n)
		case 'u':
			s.remove = true
		case shredRemove:
			if s.remove = true; p.HasValue {
				_, err = c.argumentMatch("--remove", p.Value, []string{"unlink", "wipe", "wipesync"}, nil)
			}
		case 'v':
			s.verbose = true
		case 'x':
			s.exact = true
		case 'z':
			s.zero = true
		case shredSource:
			source = p.Value
		}
		return err
	})
	if err != nil {
		return err
	}
	if len(operands) == 0 {
		return c.usageErrorf("missing file operand")
	}
	if source != "" {
		f, err := c.View().Open(c.ctx, source, vfs.O_RDONLY, 0)
		if err != nil {
			return c.fatalf("%s: %s", quoteFile(source), vfs.Words(err))
		}
		defer f.Close()
		s.source = f
	}
	for _, name := range operands {
		if err := s.one(name); err != nil {
			if c.ctx.Err() != nil {
				return c.ctx.Err()
			}
			c.errorf("%s", err)
		}
	}
	return nil
}

func (s *shredCommand) one(name string) error {
	f, err := s.View().Open(s.ctx, name, vfs.O_WRONLY, 0)
	if vfs.Errno(err) == vfs.EACCES && s.force {
		if err = s.View().Chmod(s.ctx, name, 0o200); err == nil {
			f, err = s.View().Open(s.ctx, name, vfs.O_WRONLY, 0)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: failed to open for writing: %s", quoteFile(name), vfs.Words(err))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("%s: fstat failed: %s", quoteFile(name), vfs.Words(err))
	}
	if info.FileMode&(fs.ModeNamedPipe|fs.ModeSocket) != 0 {
		return fmt.Errorf("%s: invalid file type", quoteFile(name))
	}
	size := s.size
	if size < 0 {
		size = info.Bytes
		if !s.exact && info.FileMode.IsRegular() {
			const block = 4096
			size = (size + block - 1) / block * block
		}
	}
	total := s.passes
	if s.zero {
		total++
	}
	for pass := uint64(1); pass <= total; pass++ {
		kind, from := "random", s.source
		if pass > s.passes {
			kind, from = "000000", zeroReader{}
		}
		if s.verbose {
			s.warnf("%s: pass %d/%d (%s)...", quoteFile(name), pass, total, kind)
		}
		if err := s.overwrite(f, from, size); err != nil {
			return fmt.Errorf("%s: error writing at offset 0: %s", quoteFile(name), vfs.Words(err))
		}
	}
	if !s.remove {
		return nil
	}
	if s.verbose {
		s.warnf("%s: removing", quoteFile(name))
	}
	if err := s.View().Unlink(s.ctx, name); err != nil {
		return fmt.Errorf("%s: failed to remove: %s", quoteFile(name), vfs.Words(err))
	}
	if s.verbose {
		s.warnf("%s: removed", quoteFile(name))
	}
	return nil
}

func (s *shredCommand) overwrite(f vfs.File, from io.Reader, size int64) error {
	block := make([]byte, lines.BlockSize)
	for at := int64(0); at < size; {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		part := block[:min(int64(len(block)), size-at)]
		if _, err := io.ReadFull(from, part); err != nil {
			return err
		}
		n, err := f.WriteAt(part, at)
		if err != nil {
			return err
		}
		at += int64(n)
	}
	return f.Sync()
}

// zeroReader never ends.
type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func shredProgram(string) *program {
	return &program{
		usage: `shred [OPTION]... FILE...
Overwrite each FILE several times. What the storage below keeps of the old
content is out of its reach.

  -f, --force            make FILE writable where it is not
  -n, --iterations=N     N times rather than 3
      --random-source=FILE  bytes to write
  -s, --size=N           N bytes
  -u, --remove[=HOW]     remove FILE then
  -v, --verbose          show progress
  -x, --exact            do not round the size up to a block
  -z, --zero             zeros at last`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'f', Long: "force"}, {Key: 'n', Long: "iterations", Argument: getopt.Required}, {Key: 's', Long: "size", Argument: getopt.Required},
			{Key: 'u'}, {Key: shredSource, Long: "random-source", Argument: getopt.Required}, {Key: shredRemove, Long: "remove", Argument: getopt.Optional}, {Key: 'v', Long: "verbose"}, {Key: 'x', Long: "exact"}, {Key: 'z', Long: "zero"},
		}},
		run: shredRun,
	}
}
