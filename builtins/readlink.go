package builtins

import (
	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/vfs"
)

func readlinkRun(c *call) error {
	canonical, missing := false, vfs.MissingLast
	noNewline, verbose, end := false, false, byte('\n')
	if _, correct := c.Getenv("POSIXLY_CORRECT"); correct {
		verbose = true
	}
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'e', 'f', 'm':
			canonical = true
			missing = vfs.MissingLast
			if p.Key == 'e' {
				missing = vfs.MissingNone
			} else if p.Key == 'm' {
				missing = vfs.MissingAny
			}
		case 'n':
			noNewline = true
		case 'q', 's':
			verbose = false
		case 'v':
			verbose = true
		case 'z':
			end = 0
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(operands) == 0 {
		return c.usageErrorf("missing operand")
	}
	if noNewline && len(operands) > 1 {
		c.warnf("ignoring --no-newline with multiple arguments")
		noNewline = false
	}
	for _, name := range operands {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		var text string
		if canonical {
			text, err = c.View().Realpath(c.ctx, name, missing)
		} else {
			text, err = c.View().Readlink(c.ctx, name)
		}
		if err != nil {
			if c.status = 1; verbose {
				c.fileError(name, err)
			}
			continue
		}
		c.out.WriteString(text)
		if !noNewline {
			c.out.WriteByte(end)
		}
	}
	return nil
}

func readlinkProgram(string) *program {
	return &program{
		usage: `readlink [OPTION]... FILE...
Print what a symbolic link says, or the whole path without links.

  -f, --canonicalize           the whole path; only its last element may be missing
  -e, --canonicalize-existing  all must exist
  -m, --canonicalize-missing   nothing needs to exist
  -n, --no-newline             no newline after a single answer
  -q, --quiet, -s, --silent    say nothing of errors (the default)
  -v, --verbose                report errors
  -z, --zero                   end answers with NUL`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'f', Long: "canonicalize"}, {Key: 'e', Long: "canonicalize-existing"}, {Key: 'm', Long: "canonicalize-missing"},
			{Key: 'n', Long: "no-newline"}, {Key: 'q', Long: "quiet"}, {Key: 's', Long: "silent"}, {Key: 'v', Long: "verbose"}, {Key: 'z', Long: "zero"},
		}},
		run: readlinkRun,
	}
}
