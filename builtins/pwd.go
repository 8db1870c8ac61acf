package builtins

import (
	"path"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/vfs"
)

func pwdRun(c *call) error {
	_, logical := c.Getenv("POSIXLY_CORRECT")
	operands, err := c.parse(func(p *getopt.Parser) error {
		logical = p.Key == 'L'
		return nil
	})
	if err != nil {
		return err
	}
	if len(operands) > 0 {
		c.warnf("ignoring non-option arguments")
	}
	if logical {
		if name, ok := c.Getenv("PWD"); ok && strings.HasPrefix(name, "/") && path.Clean(name) == name {
			if a, err := c.View().Stat(c.ctx, name); err == nil {
				if b, err := c.View().Stat(c.ctx, "."); err == nil && vfs.SameFile(a, b) {
					c.out.WriteString(name + "\n")
					return nil
				}
			}
		}
	}
	name, err := c.View().Realpath(c.ctx, ".", vfs.MissingNone)
	if err != nil {
		return c.fatalf("%s", vfs.Words(err))
	}
	c.out.WriteString(name + "\n")
	return nil
}

func pwdProgram(string) *program {
	return &program{
		usage: `pwd [OPTION]...
Print the working directory.

  -L, --logical            as PWD names it, even with links
  -P, --physical           without links (the default)`,
		options: getopt.Spec{Options: []getopt.Option{{Key: 'L', Long: "logical"}, {Key: 'P', Long: "physical"}}},
		run:     pwdRun,
	}
}
