package builtins

import "github.com/vsh-project/vsh/internal/getopt"

func sumRun(c *call) error {
	s := &cksumCommand{call: c, kind: "bsd", end: '\n'}
	operands, err := c.parse(func(p *getopt.Parser) error {
		if s.kind = "bsd"; p.Key == 's' {
			s.kind = "sysv"
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.run(operands)
}

func sumProgram(string) *program {
	return &program{
		stdinClosed: "standard input",
		output:      outputStyle{flushesLines: true},
		usage: `sum [OPTION]... [FILE]...
Print a checksum and the number of blocks of the files, or of standard input for
none or "-".

  -r          BSD's sum, blocks of 1 KiB (default)
  -s, --sysv  System V's sum, blocks of 512 bytes`,
		options: getopt.Spec{Options: []getopt.Option{{Key: 'r'}, {Key: 's', Long: "sysv"}}},
		run:     sumRun,
	}
}
