package builtins

import (
	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/vfs"
)

func syncRun(c *call) error {
	data, filesystem := false, false
	operands, err := c.parse(func(p *getopt.Parser) error {
		data = data || p.Key == 'd'
		filesystem = filesystem || p.Key == 'f'
		return nil
	})
	if err != nil {
		return err
	}
	switch {
	case data && filesystem:
		return c.fatalf("cannot specify both --data and --file-system")
	case data && len(operands) == 0:
		return c.fatalf("--data needs at least one argument")
	}
	for _, name := range operands {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		f, err := c.View().Open(c.ctx, name, vfs.O_RDONLY, 0)
		if err != nil {
			c.errorf("error opening %s: %s", quoteName(name), vfs.Words(err))
			continue
		}
		if err := f.Sync(); err != nil {
			c.errorf("error syncing %s: %s", quoteName(name), vfs.Words(err))
		}
		f.Close()
	}
	return nil
}

func syncProgram(string) *program {
	return &program{
		usage: `sync [OPTION] [FILE]...
Have what is written reach the storage; without FILE there is nothing to do.

  -d, --data         only content
  -f, --file-system  the storages that hold the files`,
		options: getopt.Spec{Options: []getopt.Option{{Key: 'd', Long: "data"}, {Key: 'f', Long: "file-system"}}},
		run:     syncRun,
	}
}
