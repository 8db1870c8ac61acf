package builtins

import (
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
)

func dirnameRun(c *call) error {
	end := "\n"
	operands, err := c.parse(func(*getopt.Parser) error { end = "\x00"; return nil })
	if err != nil {
		return err
	}
	if len(operands) == 0 {
		return c.usageErrorf("missing operand")
	}
	for _, name := range operands {
		c.out.WriteString(dirName(name) + end)
	}
	return nil
}

// dirName is a path without its last element.
func dirName(name string) string {
	trimmed := strings.TrimRight(name, "/")
	if trimmed == "" {
		if name == "" {
			return "."
		}
		return "/"
	}
	i := strings.LastIndexByte(trimmed, '/')
	if i < 0 {
		return "."
	}
	if trimmed = strings.TrimRight(trimmed[:i], "/"); trimmed == "" {
		return "/"
	}
	return trimmed
}

func dirnameProgram(string) *program {
	return &program{
		usage: `dirname [OPTION] NAME...
Print each NAME without its last element and the slashes before it; "." when
nothing is left.

  -z, --zero               lines end in NUL`,
		options: getopt.Spec{Options: []getopt.Option{{Key: 'z', Long: "zero"}}},
		run:     dirnameRun,
	}
}
