package builtins

import (
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/shell/command"
)

// niceVariable carries the niceness to commands: it means nothing here but to
// nice itself.
const niceVariable = "VSH_NICENESS"

func niceRun(c *call) error {
	adjustment, given := "", false
	// -N, --N and -+N are adjustments as well.
	var early string
	for len(c.Arguments) > 0 && len(c.Arguments[0]) > 1 && c.Arguments[0][0] == '-' {
		number := c.Arguments[0][1:]
		if digits := strings.TrimLeft(number[:1], "-+") + number[1:]; digits == "" || !versionDigit(digits[0]) {
			break
		}
		early, given = number, true
		c.Arguments = c.Arguments[1:]
	}
	adjustment = early
	operands, err := c.parse(func(p *getopt.Parser) error {
		adjustment, given = p.Value, true
		return nil
	})
	if err != nil {
		return err
	}
	current, _ := c.Getenv(niceVariable)
	niceness, _ := strconv.Atoi(current)
	change := 10
	if given {
		n, err := strconv.Atoi(strings.TrimSpace(adjustment))
		if err != nil && !strings.Contains(err.Error(), "range") {
			return c.fatalf("invalid adjustment %s", quote(adjustment))
		}
		change = max(-39, min(39, n))
	}
	if len(operands) == 0 {
		if given {
			return c.usageErrorf("a command must be given with an adjustment")
		}
		c.out.WriteString(strconv.Itoa(niceness) + "\n")
		return nil
	}
	niceness = max(-20, min(19, niceness+change))
	environment := append(c.Environment[:len(c.Environment):len(c.Environment)], niceVariable+"="+strconv.Itoa(niceness))
	return endWith(c.runProgram(c.ctx, &command.Exec{Arguments: operands, Environment: environment}, func(cause string) {
		c.warnf("%s: %s", quote(operands[0]), cause)
	}))
}

func niceProgram(string) *program {
	return &program{
		trouble: 125,
		usage: `nice [OPTION] [COMMAND [ARGUMENT]...]
Run COMMAND, or print the niceness. It has no effect on how commands are run.

  -n, --adjustment=N       add N to the niceness (10)`,
		options: getopt.Spec{Order: getopt.Stop, Options: []getopt.Option{{Key: 'n', Long: "adjustment", Argument: getopt.Required}}},
		run:     niceRun,
	}
}
