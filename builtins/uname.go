package builtins

import (
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
)

// The system that scripts see is the same on every host.
const (
	unameSystem  = "Linux"
	unameRelease = "6.1.0"
	unameVersion = "#1 SMP"
	unameMachine = "x86_64"
	unameOS      = "GNU/Linux"
)

func unameRun(c *call) error {
	chosen := map[rune]bool{}
	all := false
	operands, err := c.parse(func(p *getopt.Parser) error {
		all = all || p.Key == 'a'
		chosen[p.Key] = true
		return nil
	})
	if err != nil {
		return err
	}
	if len(operands) > 0 {
		return c.usageErrorf("extra operand %s", quote(operands[0]))
	}
	if len(chosen) == 0 {
		chosen['s'] = true
	}
	var words []string
	for _, w := range []struct {
		key  rune
		text string
	}{
		{'s', unameSystem}, {'n', c.Host().Hostname()}, {'r', unameRelease}, {'v', unameVersion}, {'m', unameMachine},
		{'p', "unknown"}, {'i', "unknown"}, {'o', unameOS},
	} {
		// -a leaves out what is not known.
		if chosen[w.key] || all && w.text != "unknown" {
			words = append(words, w.text)
		}
	}
	c.out.WriteString(strings.Join(words, " ") + "\n")
	return nil
}

func archRun(c *call) error {
	if err := c.noOperands(); err != nil {
		return err
	}
	c.out.WriteString(unameMachine + "\n")
	return nil
}

func unameProgram(string) *program {
	return &program{
		usage: `uname [OPTION]...
Print what is known of the system; it is the same on every host.

  -a, --all                everything known, in this order:
  -s, --kernel-name
  -n, --nodename
  -r, --kernel-release
  -v, --kernel-version
  -m, --machine
  -p, --processor          unknown
  -i, --hardware-platform  unknown
  -o, --operating-system`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'a', Long: "all"}, {Key: 's', Long: "kernel-name"}, {Key: 's', Long: "sysname"}, {Key: 'n', Long: "nodename"},
			{Key: 'r', Long: "kernel-release"}, {Key: 'r', Long: "release"}, {Key: 'v', Long: "kernel-version"}, {Key: 'm', Long: "machine"},
			{Key: 'p', Long: "processor"}, {Key: 'i', Long: "hardware-platform"}, {Key: 'o', Long: "operating-system"},
		}},
		run: unameRun,
	}
}

func archProgram(string) *program {
	return &program{usage: "arch\nPrint the machine's architecture.", run: archRun}
}
