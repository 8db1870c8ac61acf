package builtins

import "github.com/vsh-project/vsh/shell/command"

func trueRun(c *call) error {
	// --help and --version count only as the one argument.
	if len(c.Arguments) == 1 && (c.Arguments[0] == "--help" || c.Arguments[0] == "--version") {
		c.parse(nil)
	}
	return c.ended()
}

// ended is the status of true and false, whatever their arguments.
func (c *call) ended() error {
	c.status = 0
	if c.program.name == "false" {
		return command.ExitError(1)
	}
	return nil
}

func trueProgram(name string) *program {
	status := "0"
	if name == "false" {
		status = "1"
	}
	return &program{
		run:   trueRun,
		usage: name + " [ARGUMENT]...\nDo nothing and exit with status " + status + ".",
	}
}
