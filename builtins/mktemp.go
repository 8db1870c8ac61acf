package builtins

import (
	"io"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/vfs"
)

const mktempSuffix = 1000

func mktempRun(c *call) error {
	directory, dry, quiet, legacy := false, false, false, false
	suffix, hasSuffix, in, hasIn := "", false, "", false
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'd':
			directory = true
		case 'u':
			dry = true
		case 'q':
			quiet = true
		case 't':
			legacy = true
		case mktempSuffix:
			suffix, hasSuffix = p.Value, true
		case 'p':
			in, hasIn = p.Value, true
		}
		return nil
	})
	if err != nil {
		return err
	}
	template := "tmp.XXXXXXXXXX"
	switch {
	case len(operands) > 1:
		return c.usageErrorf("too many templates")
	case len(operands) == 1:
		template = operands[0]
	case !legacy:
		hasIn = true
	}
	if hasSuffix {
		if template == "" || template[len(template)-1] != 'X' {
			return c.fatalf("with --suffix, template %s must end in X", quote(template))
		}
	} else if last := strings.LastIndexByte(template, 'X'); last >= 0 {
		template, suffix = template[:last+1], template[last+1:]
	}
	if strings.Contains(suffix, "/") {
		return c.fatalf("invalid suffix %s, contains directory separator", quote(suffix))
	}
	count := len(template) - len(strings.TrimRight(template, "X"))
	if count < 3 {
		return c.fatalf("too few X's in template %s", quote(template+suffix))
	}
	if template, err = c.mktempPlace(template, in, hasIn, legacy); err != nil {
		return err
	}
	name, err := c.mktempMake(strings.TrimSuffix(template, strings.Repeat("X", count)), suffix, count, directory, dry)
	if err != nil {
		if c.status = 1; !quiet {
			kind := "file"
			if directory {
				kind = "directory"
			}
			c.errorf("failed to create %s via template %s: %s", kind, quote(template+suffix), vfs.Words(err))
		}
		return nil
	}
	c.out.WriteString(name + "\n")
	return nil
}

// mktempPlace puts a template into the directory that -p, -t and TMPDIR say.
func (c *call) mktempPlace(template, in string, hasIn, legacy bool) (string, error) {
	if !hasIn && !legacy {
		return template, nil
	}
	tmpdir, _ := c.Getenv("TMPDIR")
	directory := in
	switch {
	case legacy:
		if strings.Contains(template, "/") {
			return "", c.fatalf("invalid template, %s, contains directory separator", quote(template))
		}
		if tmpdir != "" {
			directory = tmpdir
		}
	default:
		if directory == "" {
			directory = tmpdir
		}
		if strings.HasPrefix(template, "/") {
			return "", c.fatalf("invalid template, %s; with --tmpdir, it may not be absolute", quote(template))
		}
	}
	if directory == "" {
		directory = "/tmp"
	}
	return walkJoinBase(directory, template), nil
}

// mktempMake tries names until one is free.
func (c *call) mktempMake(prefix, suffix string, count int, directory, dry bool) (string, error) {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	random := make([]byte, count)
	for try := 0; ; try++ {
		if _, err := io.ReadFull(c.Host().Random(), random); err != nil {
			return "", err
		}
		for i, b := range random {
			// The first tries spread evenly enough; a fixed source gets on by try.
			random[i] = letters[(int(b)+try*(i+1))%len(letters)]
		}
		name := prefix + string(random) + suffix
		var err error
		switch {
		case dry:
			if _, err = c.View().Lstat(c.ctx, name); vfs.Errno(err) == vfs.ENOENT {
				return name, nil
			}
			if err == nil {
				err = vfs.EEXIST
			}
		case directory:
			err = c.View().WithUmask(c.View().Umask()&0o700).Mkdir(c.ctx, name, 0o700)
		default:
			var f vfs.File
			if f, err = c.View().WithUmask(c.View().Umask()&0o600).Open(c.ctx, name, vfs.O_RDWR|vfs.O_CREATE|vfs.O_EXCL, 0o600); err == nil {
				err = f.Close()
			}
		}
		if err == nil || vfs.Errno(err) != vfs.EEXIST || try > 1000 {
			return name, err
		}
	}
}

func mktempProgram(string) *program {
	return &program{
		usage: `mktemp [OPTION]... [TEMPLATE]
Make a file of a new name and print the name. TEMPLATE (tmp.XXXXXXXXXX in the
temporary directory) holds at least three X in a row, which are replaced.

  -d, --directory      make a directory
  -u, --dry-run        make nothing
  -q, --quiet          say nothing of errors
      --suffix=SUFFIX  put SUFFIX after the template
  -p DIR, --tmpdir[=DIR]  the template is in DIR ($TMPDIR, else /tmp)
  -t                   the template is a name in $TMPDIR, else DIR, else /tmp`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'd', Long: "directory"}, {Key: 'q', Long: "quiet"}, {Key: 'u', Long: "dry-run"}, {Key: mktempSuffix, Long: "suffix", Argument: getopt.Required},
			{Key: 'p', Argument: getopt.Required}, {Key: 'p', Long: "tmpdir", Argument: getopt.Optional}, {Key: 't'},
		}},
		run: mktempRun,
	}
}
