package builtins

import (
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/vfs"
)

const (
	realpathTo = 1000 + iota
	realpathBase
)

// realpathCommand is one run of realpath.
type realpathCommand struct {
	*call
	missing       vfs.Missing
	logical, bare bool // -L, -s
	quiet         bool
	end           byte
	to, base      string
}

func realpathRun(c *call) error {
	r := &realpathCommand{call: c, missing: vfs.MissingLast, end: '\n'}
	to, base, hasTo, hasBase := "", "", false, false
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'e':
			r.missing = vfs.MissingNone
		case 'm':
			r.missing = vfs.MissingAny
		case 'L':
			r.logical, r.bare = true, false
		case 's':
			r.bare, r.logical = true, false
		case 'P':
			r.bare, r.logical = false, false
		case 'q':
			r.quiet = true
		case 'z':
			r.end = 0
		case realpathTo:
			to, hasTo = p.Value, true
		case realpathBase:
			base, hasBase = p.Value, true
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(operands) == 0 {
		return c.usageErrorf("missing operand")
	}
	if hasBase && !hasTo {
		to, hasTo = base, true
	}
	if hasTo {
		if r.to, err = r.anchor(to); err != nil {
			return err
		}
	}
	if hasBase {
		if r.base, err = r.anchor(base); err != nil {
			return err
		}
		if !realpathBelow(r.to, r.base) {
			r.to = "" // all answers are absolute then
		}
	}
	for _, name := range operands {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		whole, err := r.whole(name)
		if err != nil {
			if c.status = 1; !r.quiet {
				c.fileError(name, err)
			}
			continue
		}
		c.out.WriteString(r.shown(whole))
		c.out.WriteByte(r.end)
	}
	return nil
}

// anchor resolves the argument of --relative-to or --relative-base.
func (r *realpathCommand) anchor(name string) (string, error) {
	whole, err := r.whole(name)
	if err == nil && r.missing == vfs.MissingNone {
		err = r.isDirectory(whole)
	}
	if err != nil {
		return "", r.fatalf("%s: %s", quoteFile(name), vfs.Words(err))
	}
	return whole, nil
}

// whole is the absolute path of name; -L drops ".." before links are followed,
// -s follows none.
func (r *realpathCommand) whole(name string) (string, error) {
	if name == "" {
		return "", vfs.ENOENT
	}
	switch {
	case r.bare:
		clean := r.View().Abs(name)
		return clean, r.exists(clean)
	case r.logical:
		name = r.View().Abs(name)
	}
	return r.View().Realpath(r.ctx, name, r.missing)
}

// exists checks what -e asks of a path that is not resolved.
func (r *realpathCommand) exists(clean string) error {
	if r.missing != vfs.MissingNone {
		return nil
	}
	_, err := r.View().Stat(r.ctx, clean)
	return err
}

func realpathBelow(name, base string) bool {
	return base == "/" || name == base || strings.HasPrefix(name, base+"/")
}

func (r *realpathCommand) shown(whole string) string {
	if r.to == "" || r.base != "" && !realpathBelow(whole, r.base) {
		return whole
	}
	return relativePath(r.to, whole)
}

func realpathProgram(string) *program {
	return &program{
		usage: `realpath [OPTION]... FILE...
Print the whole path of each FILE; only its last element may be missing.

  -e, --canonicalize-existing  all must exist
  -m, --canonicalize-missing   nothing needs to exist
  -L, --logical                take .. away before following links
  -P, --physical               follow links as they come (the default)
  -q, --quiet                  say little of errors
      --relative-to=DIR        paths as seen from DIR
      --relative-base=DIR      absolute paths but for what lies below DIR
  -s, --strip, --no-symlinks   follow no links
  -z, --zero                   end answers with NUL`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'e', Long: "canonicalize-existing"}, {Key: 'm', Long: "canonicalize-missing"}, {Key: realpathTo, Long: "relative-to", Argument: getopt.Required},
			{Key: realpathBase, Long: "relative-base", Argument: getopt.Required}, {Key: 'q', Long: "quiet"}, {Key: 's', Long: "strip"}, {Key: 's', Long: "no-symlinks"},
			{Key: 'z', Long: "zero"}, {Key: 'L', Long: "logical"}, {Key: 'P', Long: "physical"},
		}},
		run: realpathRun,
	}
}
