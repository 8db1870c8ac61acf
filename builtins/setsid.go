package builtins

import (
	"io"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/shell/command"
)

func setsidRun(c *call) error {
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'V':
			writeVersion(c.out, "setsid")
			return errDone
		case 'h':
			io.WriteString(c.out, "Usage: "+c.program.usage+"\n")
			return errDone
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(operands) == 0 {
		return c.usageErrorf("no command specified")
	}
	return endWith(c.runProgram(c.ctx, &command.Exec{Arguments: operands}, func(cause string) {
		c.warnf("failed to execute %s: %s", operands[0], cause)
	}))
}

func setsidProgram(string) *program {
	return &program{
		usage: `setsid [OPTION] COMMAND [ARGUMENT]...
Run COMMAND. Sessions of processes have no terminal here.

  -c, --ctty, -f, --fork, -w, --wait  accepted, without effect`,
		noHelp: true,
		options: getopt.Spec{Order: getopt.Stop, Options: []getopt.Option{
			{Key: 'c', Long: "ctty"}, {Key: 'f', Long: "fork"}, {Key: 'w', Long: "wait"}, {Key: 'V', Long: "version"}, {Key: 'h', Long: "help"},
		}},
		run: setsidRun,
	}
}
