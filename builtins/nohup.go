package builtins

import (
	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/shell/command"
)

// nohupRun runs the command without SIGHUP: there is no terminal that could hang
// up, and none whose output would have to go to nohup.out.
func nohupRun(c *call) error {
	operands, err := c.parse(nil)
	if err != nil {
		return err
	}
	if len(operands) == 0 {
		return c.usageErrorf("missing operand")
	}
	return endWith(c.runProgram(c.ctx, &command.Exec{Arguments: operands, IgnoreSignals: []int{1}}, func(cause string) {
		c.warnf("failed to run command %s: %s", quoteName(operands[0]), cause)
	}))
}

func nohupProgram(string) *program {
	return &program{
		trouble: 125,
		usage: `nohup COMMAND [ARGUMENT]...
Run COMMAND with SIGHUP ignored. There is no terminal whose end it would survive.`,
		options: getopt.Spec{Order: getopt.Stop},
		run:     nohupRun,
	}
}
