package builtins

import (
	"github.com/vsh-project/vsh/builtins/internal/filemode"
	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/vfs"
)

func mkfifoRun(c *call) error {
	mode, hasMode := "", false
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'm':
			mode, hasMode = p.Value, true
		case 'Z':
			if p.HasValue {
				c.warnf("warning: ignoring --context; it requires an SELinux/SMACK-enabled kernel")
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(operands) == 0 {
		return c.usageErrorf("missing operand")
	}
	bits := uint32(0o666)
	if hasMode {
		changes, ok := filemode.Compile(mode)
		if !ok {
			return c.fatalf("invalid mode")
		}
		if bits = changes.Adjust(0o666, false, filemode.Bits(c.View().Umask())); bits&^0o777 != 0 {
			return c.fatalf("mode must specify only file permission bits")
		}
	}
	for _, name := range operands {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if err := c.View().Mkfifo(c.ctx, name, filemode.Mode(bits)); err != nil {
			c.errorf("cannot create fifo %s: %s", quoteName(name), vfs.Words(err))
			continue
		}
		if hasMode {
			if err := c.View().Chmod(c.ctx, name, filemode.Mode(bits)); err != nil {
				c.errorf("cannot set permissions of %s: %s", quoteName(name), vfs.Words(err))
			}
		}
	}
	return nil
}

func mkfifoProgram(string) *program {
	return &program{
		usage: `mkfifo [OPTION]... NAME...
Make named pipes.

  -m, --mode=MODE      set the mode (as chmod)
  -Z, --context[=CTX]  accepted`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'Z', Long: "context", Argument: getopt.Optional}, {Key: 'm', Long: "mode", Argument: getopt.Required},
		}},
		run: mkfifoRun,
	}
}
