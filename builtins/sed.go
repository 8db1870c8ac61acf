package builtins

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/builtins/internal/sed"
	"github.com/vsh-project/vsh/internal/budget"
	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/regex"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

const (
	sedKeyPOSIX = 256 + iota
	sedKeyFollow
	sedKeyDebug
	sedKeySandbox
)

// sedScript is one -e or -f.
type sedScript struct {
	text string
	file bool
}

func sedRun(c *call) error {
	o := &sed.Options{LineLength: 70, Bytes: c.cLocale()}
	_, o.POSIX = c.Getenv("POSIXLY_CORRECT")
	var scripts []sedScript
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'n':
			o.Quiet = true
		case 'e':
			scripts = append(scripts, sedScript{text: p.Value})
		case 'f':
			scripts = append(scripts, sedScript{text: p.Value, file: true})
		case 'E', 'r':
			o.Extended = true
		case 'i':
			o.InPlace, o.Separate, o.Suffix = true, true, p.Value
		case 'l':
			n, _ := strconv.Atoi(p.Value)
			o.LineLength = max(n, 0)
		case 's':
			o.Separate = true
		case 'u':
			o.Unbuffered = true
		case 'z':
			o.NullData = true
		case sedKeyPOSIX:
			o.POSIX = true
		case sedKeyFollow:
			o.Follow = true
		case sedKeySandbox:
			o.Sandbox = true
		case sedKeyDebug:
			o.Debug = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(scripts) == 0 {
		if len(operands) == 0 {
			return c.tryHelp()
		}
		scripts = []sedScript{{text: operands[0]}}
		operands = operands[1:]
	}
	if len(operands) == 0 {
		if o.InPlace {
			c.warnf("no input files")
			return command.ExitError(4)
		}
		operands = []string{"-"}
	}
	files := &sedFiles{call: c, options: o}
	script, err := files.compile(scripts)
	if err != nil {
		return c.sedError(err)
	}
	status, err := sed.Run(c.ctx, script, files, operands, c.out)
	if err != nil {
		return c.sedError(err)
	}
	c.status = uint8(status)
	return nil
}

// sedError prints what ended a run.
func (c *call) sedError(err error) error {
	var e *sed.Error
	switch {
	case errors.As(err, &e):
		c.warnf("%s", e.Text)
		return command.ExitError(e.Status)
	case c.ends(err):
		return err
	case errors.As(err, new(*budget.Exceeded)), errors.As(err, new(*regex.Error)):
		c.warnf("%s", err)
		return command.ExitError(4)
	}
	c.warnf("couldn't write to output: %s", vfs.Words(err))
	return command.ExitError(4)
}

// sedFiles lets a script reach the View.
type sedFiles struct {
	*call
	options *sed.Options
}

func (f *sedFiles) compile(scripts []sedScript) (*sed.Script, error) {
	p := &sed.Parser{Context: f.ctx, Options: f.options, Files: f}
	for _, s := range scripts {
		if !s.file {
			if err := p.Expression(s.text); err != nil {
				return nil, err
			}
			continue
		}
		text, err := f.script(s.text)
		if err != nil {
			return nil, &sed.Error{Text: "couldn't open file " + s.text + ": " + vfs.Words(err), Status: 4}
		}
		if err := p.File(s.text, text); err != nil {
			return nil, err
		}
	}
	return p.Finish()
}

// maximumSedScript bounds a script's text.
const maximumSedScript = 16 << 20

func (f *sedFiles) script(name string) (string, error) {
	r, done, err := f.open(name)
	if err != nil {
		return "", err
	}
	defer done()
	text, err := io.ReadAll(io.LimitReader(r, maximumSedScript+1))
	if err == nil && len(text) > maximumSedScript {
		err = vfs.EFBIG
	}
	return string(text), err
}

func (f *sedFiles) Words(err error) string { return vfs.Words(err) }

func (f *sedFiles) Warn(text string) { f.warnf("%s", text) }

func (f *sedFiles) Charge(n int64) error { return f.Host().Charge(n) }
func (f *sedFiles) Release(n int64)      { f.Host().Release(n) }

func (f *sedFiles) Open(name string) (io.ReadCloser, error) {
	if name == "-" || name == "/dev/stdin" {
		if file, _, _, ok := regularFile(f.Stdin); ok {
			return &sedSeekable{f.Stdin, file}, nil
		}
		return io.NopCloser(f.Stdin), nil
	}
	return f.View().Open(f.ctx, name, vfs.O_RDONLY, 0)
}

// sedSeekable is standard input that is a file: what sed reads ahead goes back.
type sedSeekable struct {
	io.Reader
	file io.Seeker
}

func (s *sedSeekable) Unread(bytes int) { s.file.Seek(-int64(bytes), io.SeekCurrent) }
func (s *sedSeekable) Close() error     { return nil }

func (f *sedFiles) Create(name string) (io.Writer, error) {
	switch name {
	case "/dev/stdout":
		return f.out, nil
	case "/dev/stderr":
		return struct{ io.Writer }{f.Stderr}, nil
	}
	return f.View().Open(f.ctx, name, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
}

// Edit opens a file for -i.
func (f *sedFiles) Edit(name string) (io.ReadCloser, sed.Replacement, error) {
	target := name
	if f.options.Follow {
		real, err := f.View().Realpath(f.ctx, name, vfs.MissingNone)
		if err != nil {
			return nil, nil, err
		}
		target = real
	}
	in, err := f.View().Open(f.ctx, target, vfs.O_RDONLY, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := in.Stat()
	if err == nil && !info.FileMode.IsRegular() {
		err = &sed.Error{Text: "couldn't edit " + name + ": not a regular file", Status: 4}
	}
	if err != nil {
		in.Close()
		return nil, nil, err
	}
	r := &sedReplacement{files: f, name: target, info: info}
	if err := r.open(); err != nil {
		in.Close()
		return nil, nil, &sed.Error{Text: "couldn't open temporary file " + r.temporary + ": " + vfs.Words(err), Status: 4}
	}
	return in, r, nil
}

// sedReplacement is a temporary file beside the one that is edited.
type sedReplacement struct {
	files     *sedFiles
	name      string
	temporary string
	info      *vfs.Info
	file      vfs.File
}

func (r *sedReplacement) open() (err error) {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	directory, _ := path.Split(r.name)
	for range 100 {
		var random [6]byte
		if _, err := io.ReadFull(r.files.Host().Random(), random[:]); err != nil {
			return err
		}
		for i, b := range random {
			random[i] = letters[int(b)%len(letters)]
		}
		r.temporary = directory + "sed" + string(random[:])
		r.file, err = r.files.View().Open(r.files.ctx, r.temporary, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_EXCL, 0o600)
		if !errors.Is(err, vfs.EEXIST) {
			return err
		}
	}
	return err
}

func (r *sedReplacement) Write(p []byte) (int, error) { return r.file.Write(p) }

func (r *sedReplacement) Abort() {
	r.file.Close()
	// The run may have been cancelled; the temporary file goes all the same.
	r.files.View().Unlink(context.WithoutCancel(r.files.ctx), r.temporary)
}

func (r *sedReplacement) Commit() error {
	f := r.files
	view, ctx := f.View(), f.ctx
	err := r.file.Close()
	if err == nil {
		mode := r.info.FileMode & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
		err = view.Chmod(ctx, r.temporary, mode)
		if err != nil && errors.Is(err, vfs.ENOTSUP) {
			err = nil // the storage keeps no modes
		}
	}
	if err == nil && f.options.Suffix != "" {
		backup := sedBackupName(r.name, f.options.Suffix)
		if e := view.Rename(ctx, r.name, backup, false); e != nil {
			r.Abort()
			return &sed.Error{Text: "cannot rename " + r.name + ": " + vfs.Words(e), Status: 4}
		}
	}
	if err == nil {
		err = view.Rename(ctx, r.temporary, r.name, false)
	}
	if err != nil {
		r.Abort()
		return &sed.Error{Text: "cannot rename " + r.temporary + ": " + vfs.Words(err), Status: 4}
	}
	return nil
}

// sedBackupName puts a name's last part for each * of the suffix; a suffix
// without one is appended. One with a slash names another directory.
func sedBackupName(name, suffix string) string {
	directory, base := path.Split(name)
	if !strings.Contains(suffix, "*") {
		return name + suffix
	}
	backup := strings.ReplaceAll(suffix, "*", base)
	if strings.Contains(suffix, "/") {
		return backup
	}
	return directory + backup
}

func sedProgram(string) *program {
	return &program{
		output:   outputStyle{line: "couldn't flush stdout: ", closed: "couldn't close stdout: ", status: 4},
		synopsis: "[OPTION]... {script-only-if-no-other-script} [input-file]...",
		usage: `sed [OPTION]... {script-only-if-no-other-script} [input-file]...
Run a script over each line of the files, or of standard input.

  -e, --expression=SCRIPT  add commands; -f, --file=FILE: from a file
  -n, --quiet, --silent    print only what p and others print
  -E, -r, --regexp-extended  extended regular expressions
  -i[SUFFIX], --in-place[=SUFFIX]  edit the files; keep the old under SUFFIX
      --follow-symlinks    with -i: edit what a link points to
  -s, --separate           each file has its own first and last line
  -z, --null-data          lines end in NUL
  -l, --line-length=N      where l folds lines
  -u, --unbuffered         write after each line
  -b, --binary             accepted, without effect
      --posix              no GNU extensions
      --sandbox            refuse r, R, w and W

The e command and the e flag of s, which run programs, are refused.`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'n', Long: "quiet"}, {Key: 'n', Long: "silent"}, {Key: 'e', Long: "expression", Argument: getopt.Required},
			{Key: 'f', Long: "file", Argument: getopt.Required}, {Key: 'E', Long: "regexp-extended"}, {Key: 'r'},
			{Key: 'i', Long: "in-place", Argument: getopt.Optional}, {Key: 'l', Long: "line-length", Argument: getopt.Required},
			{Key: sedKeySandbox, Long: "sandbox"}, {Key: 's', Long: "separate"}, {Key: 'u', Long: "unbuffered"}, {Key: 'z', Long: "null-data"},
			{Key: 'z', Long: "zero-terminated"}, {Key: 'b', Long: "binary"}, {Key: sedKeyPOSIX, Long: "posix"},
			{Key: sedKeyFollow, Long: "follow-symlinks"}, {Key: sedKeyDebug, Long: "debug"},
		}},
		run: sedRun,
	}
}
