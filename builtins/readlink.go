package builtins

import (
	"io/fs"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/vfs"
)

// readlinkRun is readlink.
func readlinkRun(c *call) error {
	end, verbose, noNewline, canonical := "\n", false, false, false
	missing := vfs.MissingNone
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'e':
			canonical, missing = true, vfs.MissingNone
		case 'f':
			canonical, missing = true, vfs.MissingLast
		case 'm':
			canonical, missing = true, vfs.MissingAny
		case 'n':
			noNewline = true
		case 'q', 's':
			verbose = false
		case 'v':
			verbose = true
		case 'z':
			end = "\x00"
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(operands) == 0 {
		return c.usageErrorf("missing operand")
	}
	if len(operands) > 1 && noNewline {
		c.warnf("ignoring --no-newline with multiple arguments")
		noNewline = false
	}
	for _, name := range operands {
		target, err := c.readlink(name, canonical, missing)
		if err != nil {
			if c.ends(err) {
				return err
			}
			if verbose {
				c.fileError(name, err)
			}
			c.status = 1
			continue
		}
		c.out.WriteString(target)
		if !noNewline {
			c.out.WriteString(end)
		}
	}
	return nil
}

func (c *call) readlink(name string, canonical bool, missing vfs.Missing) (string, error) {
	if canonical {
		return c.View().Realpath(c.ctx, name, missing)
	}
	info, err := c.View().Lstat(c.ctx, name)
	if err != nil {
		return "", err
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		return "", vfs.EINVAL
	}
	return c.View().Readlink(c.ctx, name)
}

func init() {
	register(program{
		name:    "readlink",
		summary: "print what a link points at (-f -e -m -n -z)",
		usage: `readlink [OPTION]... FILE...
Print the target of each symbolic link, or with -f, -e, -m the canonical name.

  -e, --canonicalize-existing   every component must exist
  -f, --canonicalize            all but the last component must exist
  -m, --canonicalize-missing    none needs to exist
  -n, --no-newline              no newline at the end
  -q, -s, --quiet, --silent     no error messages (the default)
  -v, --verbose                 error messages
  -z, --zero                    end each line with NUL`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'e', Long: "canonicalize-existing"}, {Key: 'f', Long: "canonicalize"}, {Key: 'm', Long: "canonicalize-missing"},
			{Key: 'n', Long: "no-newline"}, {Key: 'q', Long: "quiet"}, {Key: 's', Long: "silent"}, {Key: 'v', Long: "verbose"}, {Key: 'z', Long: "zero"},
		}},
		run: readlinkRun,
	})
}
