package builtins

import (
	"fmt"
	"io"
	"strings"

	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// zdiffRun runs diff or cmp over two files, decompressed. The first goes
// through a temporary file, the second is the program's standard input.
func zdiffRun(c *call) error {
	if len(c.Arguments) == 1 && c.Arguments[0] == "--help" {
		return c.showHelp()
	}
	if len(c.Arguments) == 1 && c.Arguments[0] == "--version" {
		return c.showVersion()
	}
	program := c.program.name[1:]
	args := []string{program}
	var files []string
	for _, a := range c.Arguments {
		if strings.HasPrefix(a, "-") && a != "-" {
			args = append(args, a)
		} else {
			files = append(files, a)
		}
	}
	switch {
	case len(files) == 0:
		fmt.Fprintf(c.Stderr, "%s: missing operand; try `%s --help' for help\n", c.label(), c.label())
		return exitWith(2)
	case len(files) > 2:
		fmt.Fprintf(c.Stderr, "%s: invalid number of operands; try `%s --help' for help\n", c.label(), c.label())
		return exitWith(2)
	case len(files) == 1:
		bare := files[0]
		for _, suffix := range []string{".gz", "-gz", ".z", "-z", ".Z", ".tgz", ".taz"} {
			if cut, ok := strings.CutSuffix(bare, suffix); ok {
				bare = cut
				break
			}
		}
		files = append(files, bare)
		if files[1] == files[0] {
			files[0] += ".gz"
		}
	}
	first, done, err := c.openUnpacked(files[0])
	if err != nil {
		fmt.Fprintf(c.Stderr, "gzip: %s\n", err)
		return exitWith(2)
	}
	defer done()
	_, plain := first.(*unpacked)
	name := files[0]
	if plain {
		if name, err = c.spool(first); err != nil {
			return err
		}
		defer c.View().Unlink(c.ctx, name)
	}
	second, done2, err := c.openUnpacked(files[1])
	if err != nil {
		fmt.Fprintf(c.Stderr, "%s: %s\n", program, err)
		return exitWith(2)
	}
	defer done2()
	status, err := c.runProgram(c.ctx, &command.Exec{Arguments: append(args, name, "-"), Stdin: second}, func(cause string) { c.warnf("%s: %s", program, cause) })
	return endWith(status, err)
}

// spool copies a stream to a new file in /tmp.
func (c *call) spool(in io.Reader) (string, error) {
	for try := 0; ; try++ {
		name := fmt.Sprintf("/tmp/zdiff.%d.%d", c.Host().PID(), try)
		f, err := c.View().Open(c.ctx, name, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_EXCL, 0o600)
		if vfs.Errno(err) == vfs.EEXIST && try < 100 {
			continue
		}
		if err != nil {
			return "", err
		}
		err = copyBlocks(c.ctx, f, in)
		if closed := f.Close(); err == nil {
			err = closed
		}
		return name, err
	}
}

func zdiffProgram(name string) *program {
	return &program{
		trouble: 2,
		usage: name + ` [OPTION]... FILE1 [FILE2]
Compare two files, those compressed by gzip decompressed; FILE2 is FILE1
without its suffix when it is left out.`,
		run: zdiffRun,
	}
}
