package builtins

import (
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
)

func basenameRun(c *call) error {
	multiple, suffix, end := false, "", "\n"
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'a':
			multiple = true
		case 's':
			multiple, suffix = true, p.Value
		case 'z':
			end = "\x00"
		}
		return nil
	})
	if err != nil {
		return err
	}
	switch {
	case len(operands) == 0:
		return c.usageErrorf("missing operand")
	case !multiple && len(operands) > 2:
		return c.usageErrorf("extra operand %s", quote(operands[2]))
	case !multiple && len(operands) == 2:
		suffix, operands = operands[1], operands[:1]
	}
	for _, name := range operands {
		c.out.WriteString(baseName(name, suffix) + end)
	}
	return nil
}

// baseName is the last element of a path without suffix, unless it is nothing
// but that.
func baseName(name, suffix string) string {
	trimmed := strings.TrimRight(name, "/")
	if trimmed == "" {
		return name[:min(len(name), 1)]
	}
	base := trimmed[strings.LastIndexByte(trimmed, '/')+1:]
	if base != suffix {
		base = strings.TrimSuffix(base, suffix)
	}
	return base
}

func basenameProgram(string) *program {
	return &program{
		usage: `basename NAME [SUFFIX]
   or: basename OPTION... NAME...
Print NAME without its directories, and without SUFFIX at its end.

  -a, --multiple           all operands are names
  -s, --suffix=SUFFIX      take SUFFIX off; also turns on -a
  -z, --zero               lines end in NUL`,
		options: getopt.Spec{Order: getopt.Stop, Options: []getopt.Option{
			{Key: 'a', Long: "multiple"}, {Key: 's', Long: "suffix", Argument: getopt.Required}, {Key: 'z', Long: "zero"},
		}},
		run: basenameRun,
	}
}
