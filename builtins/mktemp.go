package builtins

import (
	"errors"
	"io"
	"path"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/vfs"
)

const keySuffix = 256

// mktempTries bounds the search for a name that is not taken.
const mktempTries = 1000

func mktempRun(c *call) error {
	var directory, quiet, dry, inTmp, inDir bool
	var dir, suffix string
	hasSuffix := false
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'd':
			directory = true
		case 'p':
			inDir, dir = true, p.Value
		case 'q':
			quiet = true
		case 't':
			inTmp = true
		case 'u':
			dry = true
		case keySuffix:
			suffix, hasSuffix = p.Value, true
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(operands) > 1 {
		return c.usageErrorf("too many templates")
	}
	template := "tmp.XXXXXXXXXX"
	if len(operands) == 1 {
		template = operands[0]
	} else {
		inDir = true
	}
	end := strings.LastIndexByte(template, 'X') + 1
	if hasSuffix {
		if end != len(template) || end == 0 {
			return c.fatalf("with --suffix, template %s must end in X", quote(template))
		}
	} else {
		suffix, template = template[end:], template[:end]
	}
	if strings.Contains(suffix, "/") {
		return c.fatalf("invalid suffix %s, contains directory separator", quote(suffix))
	}
	start := len(template) - len(strings.TrimRight(template, "X"))
	if start < 3 {
		return c.fatalf("too few X's in template %s", quote(template+suffix))
	}
	if inTmp || inDir {
		if dir == "" || inTmp {
			if tmp, ok := c.Getenv("TMPDIR"); ok && tmp != "" {
				dir = tmp
			} else if dir == "" {
				dir = "/tmp"
			}
		}
		if inTmp && strings.Contains(template, "/") {
			return c.fatalf("invalid template, %s, contains directory separator", quote(template+suffix))
		}
		if path.IsAbs(template) {
			return c.fatalf("invalid template, %s; with --tmpdir, it may not be absolute", quote(template+suffix))
		}
		template = strings.TrimSuffix(dir, "/") + "/" + template
	}
	name, err := c.makeTemp(template[:len(template)-start], start, suffix, directory, dry)
	if err != nil {
		if c.ends(err) {
			return err
		}
		if quiet {
			c.status = 1
			return nil
		}
		what := "file"
		if directory {
			what = "directory"
		}
		return c.fatalf("failed to create %s via template %s: %s", what, quote(template+suffix), vfs.Words(err))
	}
	c.out.WriteString(name + "\n")
	return nil
}

// makeTemp makes a file or directory whose name has n random characters.
func (c *call) makeTemp(prefix string, n int, suffix string, directory, dry bool) (string, error) {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	random := make([]byte, n)
	for range mktempTries {
		if _, err := io.ReadFull(c.Host().Random(), random); err != nil {
			return "", err
		}
		for i := range random {
			random[i] = letters[int(random[i])%len(letters)]
		}
		name := prefix + string(random) + suffix
		var err error
		switch {
		case dry:
			if _, err = c.View().Lstat(c.ctx, name); errors.Is(err, vfs.ENOENT) {
				_, err = c.View().Stat(c.ctx, path.Dir(name))
			} else if err == nil {
				err = vfs.EEXIST
			}
		case directory:
			err = c.View().Mkdir(c.ctx, name, 0o700)
		default:
			var f vfs.File
			if f, err = c.View().Open(c.ctx, name, vfs.O_RDWR|vfs.O_CREATE|vfs.O_EXCL, 0o600); err == nil {
				err = f.Close()
			}
		}
		if !errors.Is(err, vfs.EEXIST) {
			return name, err
		}
	}
	return "", vfs.EEXIST
}

func init() {
	register(program{
		name:    "mktemp",
		summary: "make a temporary file or directory (-d -p -t -u)",
		usage: `mktemp [OPTION]... [TEMPLATE]
Make a file that nobody else has and print its name. TEMPLATE's last X's, three
at least, are replaced; without one it is tmp.XXXXXXXXXX in $TMPDIR or /tmp.

  -d, --directory      make a directory
  -u, --dry-run        make nothing, print a name
  -q, --quiet          no error messages
      --suffix=SUFFIX  append SUFFIX to the name
  -p DIR, --tmpdir[=DIR]  in DIR, $TMPDIR or /tmp
  -t                   TEMPLATE is one file name in $TMPDIR, DIR or /tmp`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'd', Long: "directory"}, {Key: 'u', Long: "dry-run"}, {Key: 'q', Long: "quiet"}, {Key: keySuffix, Long: "suffix", Argument: getopt.Required},
			{Key: 'p', Argument: getopt.Required}, {Key: 'p', Long: "tmpdir", Argument: getopt.Optional}, {Key: 't'},
		}},
		run: mktempRun,
	})
}
