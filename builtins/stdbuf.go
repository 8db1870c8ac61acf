package builtins

import (
	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/shell/command"
)

// stdbufRun checks the modes and runs the command: commands here write what
// they have before they wait.
func stdbufRun(c *call) error {
	chosen := false
	operands, err := c.parse(func(p *getopt.Parser) error {
		chosen = true
		if p.Value == "L" {
			if p.Key == 'i' {
				return c.usageErrorf("line buffering stdin is meaningless")
			}
			return nil
		}
		_, status := parseNumber(p.Value, "EGkKMPTYZ0")
		if status != numberOK {
			return c.fatalf("invalid mode %s%s", quote(p.Value), status.words())
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case len(operands) == 0:
		return c.usageErrorf("missing operand")
	case !chosen:
		return c.usageErrorf("you must specify a buffering mode option")
	}
	return endWith(c.runProgram(c.ctx, &command.Exec{Arguments: operands}, func(cause string) {
		c.warnf("failed to run command %s: %s", quote(operands[0]), cause)
	}))
}

func stdbufProgram(string) *program {
	return &program{
		trouble: 125,
		usage: `stdbuf OPTION... COMMAND [ARGUMENT]...
Run COMMAND. Its streams are never held back longer than it waits, so that the
modes change nothing.

  -i, --input=MODE, -o, --output=MODE, -e, --error=MODE  L, 0 or a size`,
		options: getopt.Spec{Order: getopt.Stop, Options: []getopt.Option{
			{Key: 'i', Long: "input", Argument: getopt.Required}, {Key: 'o', Long: "output", Argument: getopt.Required}, {Key: 'e', Long: "error", Argument: getopt.Required},
		}},
		run: stdbufRun,
	}
}
