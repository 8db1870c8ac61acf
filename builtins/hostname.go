package builtins

import (
	"io"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/shell/command"
)

func hostnameRun(c *call) error {
	host := c.Host().Hostname()
	text := host
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 's':
			text, _, _ = strings.Cut(host, ".")
		case 'd':
			_, text, _ = strings.Cut(host, ".")
		case 'i':
			text = "127.0.0.1"
		case 'I', 'a', 'y':
			text = ""
		case 'b', 'F':
			return c.fatalf("you must be root to change the host name")
		case 'V':
			writeVersion(c.out, "hostname")
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
	if len(operands) > 0 {
		return c.fatalf("you must be root to change the host name")
	}
	c.out.WriteString(text + "\n")
	return nil
}

func hostidRun(c *call) error {
	if err := c.noOperands(); err != nil {
		return err
	}
	c.out.WriteString("007f0100\n")
	return nil
}

func ttyRun(c *call) error {
	silent := false
	operands, err := c.parse(func(*getopt.Parser) error { silent = true; return nil })
	if err != nil {
		return err
	}
	if len(operands) > 0 {
		return c.usageErrorf("extra operand %s", quote(operands[0]))
	}
	if !silent {
		c.out.WriteString("not a tty\n")
	}
	return command.ExitError(1)
}

func hostnameProgram(string) *program {
	return &program{
		usage: `hostname [OPTION]
Print the name of the host, which cannot be changed.

  -s, --short              up to the first point
  -d, --domain             after it
  -f, --fqdn, --long, -A, --all-fqdns  the whole name
  -i, --ip-address         127.0.0.1
  -I, --all-ip-addresses, -a, --alias, -y, --yp, --nis  nothing`,
		noHelp: true,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'd', Long: "domain"}, {Key: 'b', Long: "boot"}, {Key: 'F', Long: "file", Argument: getopt.Required}, {Key: 'f', Long: "fqdn"},
			{Key: 'A', Long: "all-fqdns"}, {Key: 'h', Long: "help"}, {Key: 'f', Long: "long"}, {Key: 's', Long: "short"}, {Key: 'V', Long: "version"},
			{Key: 'a', Long: "alias"}, {Key: 'i', Long: "ip-address"}, {Key: 'I', Long: "all-ip-addresses"}, {Key: 'y', Long: "nis"}, {Key: 'y', Long: "yp"},
		}},
		run: hostnameRun,
	}
}

func hostidProgram(string) *program {
	return &program{usage: "hostid\nPrint the number of the host, the same for all.", run: hostidRun}
}

func ttyProgram(string) *program {
	return &program{
		trouble: 2,
		usage:   "tty [OPTION]...\nSay \"not a tty\".\n\n  -s, --silent, --quiet    say nothing, exit with 1",
		options: getopt.Spec{Options: []getopt.Option{{Key: 's', Long: "silent"}, {Key: 's', Long: "quiet"}}},
		run:     ttyRun,
	}
}
