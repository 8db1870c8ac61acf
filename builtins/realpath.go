package builtins

import (
	"path"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/vfs"
)

// realpathOptions is what realpath's options ask for.
type realpathOptions struct {
	missing            vfs.Missing
	logical, plain     bool
	relative, baseName string
	base               bool
}

const (
	keyRelativeTo = 256 + iota
	keyRelativeBase
)

func realpathRun(c *call) error {
	o := realpathOptions{missing: vfs.MissingLast}
	end, quiet := "\n", false
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'e':
			o.missing = vfs.MissingNone
		case 'm':
			o.missing = vfs.MissingAny
		case 'L':
			o.logical = true
		case 'P':
			o.logical = false
		case 'q':
			quiet = true
		case 's':
			o.plain = true
		case 'z':
			end = "\x00"
		case keyRelativeTo:
			o.relative = p.Value
		case keyRelativeBase:
			o.baseName, o.base = p.Value, true
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(operands) == 0 {
		return c.usageErrorf("missing operand")
	}
	to, base := "", ""
	if o.relative != "" {
		if to, err = c.realpath(o.relative, &o); err != nil {
			return c.fatalf("%s: %s", quoteFile(o.relative), vfs.Words(err))
		}
	}
	if o.base {
		if base, err = c.realpath(o.baseName, &o); err != nil {
			return c.fatalf("%s: %s", quoteFile(o.baseName), vfs.Words(err))
		}
		if to == "" {
			to = base
		} else if !pathWithin(to, base) {
			to, base = "", ""
		}
	}
	for _, name := range operands {
		resolved, err := c.realpath(name, &o)
		if err != nil {
			if c.ends(err) {
				return err
			}
			if quiet {
				c.status = 1
			} else {
				c.fileError(name, err)
			}
			continue
		}
		if to != "" && (base == "" || pathWithin(resolved, base)) {
			resolved = relativeTo(resolved, to)
		}
		c.out.WriteString(resolved + end)
	}
	return nil
}

// realpath resolves one operand. Without resolving links a path is only made
// absolute and cleaned, but what must exist must.
func (c *call) realpath(name string, o *realpathOptions) (string, error) {
	if name == "" {
		return "", vfs.ENOENT
	}
	if !o.logical && !o.plain {
		return c.View().Realpath(c.ctx, name, o.missing)
	}
	clean := name
	if !path.IsAbs(clean) {
		clean = c.View().Directory() + "/" + clean
	}
	clean = path.Clean(clean)
	if !o.plain {
		return c.View().Realpath(c.ctx, clean, o.missing)
	}
	switch o.missing {
	case vfs.MissingNone:
		if _, err := c.View().Stat(c.ctx, clean); err != nil {
			return "", err
		}
	case vfs.MissingLast:
		if _, err := c.View().Stat(c.ctx, path.Dir(clean)); err != nil {
			return "", err
		}
	}
	return clean, nil
}

// pathWithin reports whether name is directory or below it; both are clean.
func pathWithin(name, directory string) bool {
	return directory == "/" || name == directory || strings.HasPrefix(name, directory+"/")
}

// relativeTo is name as seen from a directory; both are absolute and clean.
func relativeTo(name, from string) string {
	a, b := strings.Split(strings.Trim(name, "/"), "/"), strings.Split(strings.Trim(from, "/"), "/")
	if a[0] == "" {
		a = nil
	}
	if b[0] == "" {
		b = nil
	}
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	parts := make([]string, 0, len(a)+len(b))
	for range b[n:] {
		parts = append(parts, "..")
	}
	parts = append(parts, a[n:]...)
	if len(parts) == 0 {
		return "."
	}
	return strings.Join(parts, "/")
}

func init() {
	register(program{
		name:    "realpath",
		summary: "print absolute paths without links (-e -m -s --relative-to)",
		usage: `realpath [OPTION]... FILE...
Print the absolute name of each file with every link resolved; all but the last
component must exist.

  -e, --canonicalize-existing  every component must exist
  -m, --canonicalize-missing   none needs to exist
  -L, --logical                resolve ".." before links
  -P, --physical               resolve links as they come (the default)
  -q, --quiet                  no error messages
      --relative-to=DIR        print names relative to DIR
      --relative-base=DIR      ... unless they are not below DIR
  -s, --strip, --no-symlinks   resolve no links
  -z, --zero                   end each line with NUL`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'e', Long: "canonicalize-existing"}, {Key: 'm', Long: "canonicalize-missing"}, {Key: 'L', Long: "logical"}, {Key: 'P', Long: "physical"},
			{Key: 'q', Long: "quiet"}, {Key: 's', Long: "strip"}, {Key: 's', Long: "no-symlinks"}, {Key: 'z', Long: "zero"},
			{Key: keyRelativeTo, Long: "relative-to", Argument: getopt.Required}, {Key: keyRelativeBase, Long: "relative-base", Argument: getopt.Required},
		}},
		run: realpathRun,
	})
}
