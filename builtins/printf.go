package builtins

import "github.com/vsh-project/vsh/internal/printf"

func printfRun(c *call) error {
	args := c.Arguments
	if len(args) == 1 && (args[0] == "--help" || args[0] == "--version") {
		_, err := c.parse(nil)
		return err
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return c.usageErrorf("missing operand")
	}
	status, err := printf.Run(&printf.Config{
		GNU: true, Out: c.out, Quote: quoteBare, Now: c.Host().Now,
		Error: func(message string) { c.warnf("%s", message) },
		Poll:  c.ctx.Err,
	}, args[0], args[1:])
	if err != nil {
		if c.ends(err) {
			return err
		}
		return c.writeError(err)
	}
	return exitWith(uint8(status))
}

func printfProgram(string) *program {
	return &program{
		usage: `printf FORMAT [ARGUMENT]...
Print the arguments by FORMAT, again and again while there are some left: %d %i
%o %u %x %X %e %f %g %a %c %s as in C, %b with escapes resolved, %q quoted for a
shell.`,
		run: printfRun,
	}
}
