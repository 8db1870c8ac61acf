package builtins

import (
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
)

func printenvRun(c *call) error {
	end := "\n"
	operands, err := c.parse(func(*getopt.Parser) error { end = "\x00"; return nil })
	if err != nil {
		return err
	}
	if len(operands) == 0 {
		for _, entry := range c.Environment {
			c.out.WriteString(entry + end)
		}
		return nil
	}
	for _, name := range operands {
		value, ok := c.Getenv(name)
		if !ok || strings.Contains(name, "=") {
			c.status = 1
			continue
		}
		c.out.WriteString(value + end)
	}
	return nil
}

func printenvProgram(string) *program {
	return &program{
		trouble: 2,
		usage: `printenv [OPTION]... [VARIABLE]...
Print the values of the variables, or of none the whole environment.

  -0, --null               lines end in NUL`,
		options: getopt.Spec{Order: getopt.Stop, Options: []getopt.Option{{Key: '0', Long: "null"}}},
		run:     printenvRun,
	}
}
