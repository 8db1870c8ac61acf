package builtins

import (
	"strings"
	"unicode/utf8"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/vfs"
)

// What POSIX promises of names at least, and what this system allows.
const (
	pathchkPortablePath = 256
	pathchkPortableName = 14
	pathchkPath         = 4096
	pathchkName         = 255
)

const pathchkKeyPortability = 256

func pathchkRun(c *call) error {
	basic, extra := false, false
	operands, err := c.parse(func(p *getopt.Parser) error {
		basic = basic || p.Key != 'P'
		extra = extra || p.Key != 'p'
		return nil
	})
	if err != nil {
		return err
	}
	if len(operands) == 0 {
		return c.usageErrorf("missing operand")
	}
	for _, name := range operands {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		c.pathchk(name, basic, extra)
	}
	return nil
}

// pathchk checks one name and says what is wrong with it.
func (c *call) pathchk(name string, basic, extra bool) {
	components := strings.FieldsFunc(name, func(r rune) bool { return r == '/' })
	if extra && (strings.HasPrefix(name, "-") || strings.Contains(name, "/-")) {
		c.errorf("leading '-' in a component of file name %s", quoteName(name))
		return
	}
	if (basic || extra) && name == "" {
		c.errorf("empty file name")
		return
	}
	exists := false
	if basic {
		for i, r := range name {
			if r < 0x80 && strings.ContainsRune("/._-", r) || r < 0x80 && (versionAlpha(byte(r)) || versionDigit(byte(r))) {
				continue
			}
			_, n := utf8.DecodeRuneInString(name[i:])
			c.errorf("nonportable character %s in file name %s", quote(name[i:i+n]), quoteName(name))
			return
		}
	} else {
		_, err := c.View().Lstat(c.ctx, name)
		exists = err == nil
		if err != nil && (vfs.Errno(err) != vfs.ENOENT || name == "") {
			c.fileError(name, err)
			return
		}
	}
	path, longest := pathchkPath, pathchkName
	if basic {
		path, longest = pathchkPortablePath, pathchkPortableName
	}
	if !exists && len(name) >= path {
		c.errorf("limit %d exceeded by length %d of file name %s", path-1, len(name), quoteName(name))
		return
	}
	if exists {
		return
	}
	for _, component := range components {
		if len(component) > longest {
			c.errorf("limit %d exceeded by length %d of file name component %s", longest, len(component), quote(component))
			return
		}
	}
}

func pathchkProgram(string) *program {
	return &program{
		usage: `pathchk [OPTION]... NAME...
Find names that cannot be used, or could not on other systems.

  -p             check against what POSIX promises at least
  -P             check for empty names and a leading "-"
  --portability  as -p -P`,
		options: getopt.Spec{Order: getopt.Stop, Options: []getopt.Option{{Key: 'p'}, {Key: 'P'}, {Key: pathchkKeyPortability, Long: "portability"}}},
		run:     pathchkRun,
	}
}
