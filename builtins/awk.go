package builtins

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/vsh-project/vsh/builtins/internal/awk"
	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/strftime"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// awkRun is awk, with gawk's options. What would read a library or write a
// profile is refused.
func awkRun(c *call) error {
	config := &awk.Config{}
	var sources, included []awk.Source
	include := func(name string) (string, error) {
		text, err := c.awkSource(name)
		if err != nil {
			err = errors.New(vfs.Words(err))
		}
		return text, err
	}
	warn := func(text string) { fmt.Fprintf(c.Stderr, "awk: %s\n", text) }
	escapes := &awk.Escapes{Warn: warn}
	options := awk.Options{Include: include, Warn: warn, Escapes: escapes}
	config.Escapes = escapes
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'F':
			fs := awk.Unescape(p.Value, escapes)
			config.FS = &fs
		case 'v':
			if !strings.Contains(p.Value, "=") {
				fmt.Fprintf(c.Stderr, "awk: `%s' argument to `-v' not in `var=value' form\n\nUsage: %s\n", p.Value, c.program.usage)
				return command.ExitError(1)
			}
			config.Assignments = append(config.Assignments, p.Value)
			awk.Unescape(p.Value, escapes) // its warnings stand before the program's
		case 'f', 'E':
			text, err := c.awkSource(p.Value)
			if err != nil {
				return c.awkFatalf("cannot open source file `%s' for reading: %s", p.Value, vfs.Words(err))
			}
			sources = append(sources, awk.Source{Name: p.Value, Text: text})
		case 'e':
			sources = append(sources, awk.Source{Name: "cmd. line", Text: p.Value})
		case 'i':
			text, err := c.awkSource(p.Value)
			if err != nil {
				return c.awkFatalf("cannot open source file `%s' for reading: %s", p.Value, vfs.Words(err))
			}
			included = append(included, awk.Source{Name: p.Value, Text: text})
		case 'P', 'c':
			options.Standard = true
		case 'b':
			config.Bytes = true
		case 'S':
			options.Sandbox = true
		case 'V':
			return c.showVersion()
		case 'h':
			return c.showHelp()
		case 'l', 'd', 'p', 'o', 'D', 'g':
			return c.awkFatalf("option %s is not supported", p.Typed)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(sources) == 0 {
		if len(operands) == 0 {
			fmt.Fprintf(c.Stderr, "Usage: %s\n", c.program.usage)
			return command.ExitError(1)
		}
		sources = []awk.Source{{Name: "cmd. line", Text: operands[0]}}
		operands = operands[1:]
	}
	program, err := awk.Parse(append(included, sources...), options)
	if err != nil {
		return c.awkSyntaxError(err)
	}
	for _, a := range config.Assignments {
		if name, _, _ := strings.Cut(a, "="); program.Defines(name) {
			return c.awkSyntaxError(&awk.SyntaxError{Source: "cmd. line", Line: 1, Message: "error: function name `" + name + "' previously defined"})
		}
	}
	config.Arguments, config.Name = operands, c.label()
	c.awkWorld(config)
	status, err := awk.Run(c.ctx, program, config)
	var fatal *awk.Error
	if errors.As(err, &fatal) {
		fmt.Fprintln(c.Stderr, fatal)
		return command.ExitError(2)
	}
	if err != nil {
		if c.ctx.Err() == nil && !errors.Is(err, vfs.EPIPE) {
			fmt.Fprintf(c.Stderr, "awk: warning: error writing standard output: %s\n", vfs.Words(err))
			return command.ExitError(1)
		}
		return err
	}
	return command.ExitError(status)
}

func (c *call) awkSyntaxError(err error) error {
	var syntax *awk.SyntaxError
	if errors.As(err, &syntax) {
		fmt.Fprintln(c.Stderr, syntax)
		if !syntax.Fatal {
			return command.ExitError(1)
		}
		return command.ExitError(2)
	}
	return c.awkFatalf("%s", err)
}

func (c *call) awkFatalf(format string, args ...any) error {
	fmt.Fprintf(c.Stderr, "awk: fatal: "+format+"\n", args...)
	return command.ExitError(2)
}

// awkSource reads a program's file: as it is named, or in a directory of
// AWKPATH, there also with .awk behind it.
func (c *call) awkSource(name string) (string, error) {
	path, ok := c.Getenv("AWKPATH")
	if !ok || path == "" {
		path = ".:/usr/share/awk"
	}
	if name == "-" || strings.Contains(name, "/") {
		return c.readAll(name)
	}
	err := error(vfs.ENOENT)
	for _, suffix := range [...]string{"", ".awk"} {
		for _, dir := range strings.Split(path, ":") {
			at := name + suffix
			if dir != "." && dir != "" {
				at = dir + "/" + at
			}
			text, failed := c.readAll(at)
			if failed == nil {
				return text, nil
			}
			if vfs.Words(failed) != vfs.Words(vfs.ENOENT) {
				err = failed
			}
		}
	}
	return "", err
}

// errorReader cannot be read.
type errorReader struct{ error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.error }

// awkWorld gives the engine its streams, files and commands.
func (c *call) awkWorld(config *awk.Config) {
	host := c.Host()
	config.Stdin, config.Stdout, config.Stderr, config.Environment = c.Stdin, c.Stdout, c.Stderr, c.Environment
	if info := statStream(c.Stdin); info != nil && info.IsDir() {
		config.Stdin = errorReader{awk.ErrIsDirectory}
	}
	config.Open = func(name string) (io.ReadCloser, error) {
		f, err := c.View().Open(c.ctx, name, vfs.O_RDONLY, 0)
		if err != nil {
			return nil, err
		}
		if info, err := f.Stat(); err == nil && info.IsDir() {
			f.Close()
			return nil, awk.ErrIsDirectory
		}
		return f, nil
	}
	config.Create = func(name string, add bool) (io.WriteCloser, error) {
		flag := vfs.O_WRONLY | vfs.O_CREATE | vfs.O_TRUNC
		if add {
			flag = vfs.O_WRONLY | vfs.O_CREATE | vfs.O_APPEND
		}
		f, err := c.View().Open(c.ctx, name, flag, 0o666)
		if err != nil {
			return nil, err
		}
		return f, nil
	}
	config.Run = func(ctx context.Context, text string, environment []string, stdin io.Reader, stdout io.Writer) (int, error) {
		return host.Exec(ctx, &command.Exec{Arguments: []string{"sh", "-c", text}, Environment: environment, Stdin: stdin, Stdout: stdout, Stderr: c.Stderr})
	}
	config.Strerror = vfs.Words
	config.Now, config.Location = host.Now, strftime.Zone
	config.Strftime = func(format string, t time.Time) string { return strftime.Format(format, t, false) }
	config.Charge, config.Release = host.Charge, host.Release
	config.PID = host.PID()
	id := c.View().Identity()
	config.UID, config.GID = id.UID, id.GID
}

// readAll reads a whole operand within the budget.
func (c *call) readAll(name string) (string, error) {
	r, done, err := c.open(name)
	if err != nil {
		return "", err
	}
	defer done()
	var b strings.Builder
	block := make([]byte, 32<<10)
	for {
		n, err := r.Read(block)
		if b.Len()+n > 16<<20 {
			return "", vfs.EFBIG
		}
		b.Write(block[:n])
		if err == io.EOF {
			return b.String(), nil
		}
		if err != nil {
			return "", err
		}
		if err := c.ctx.Err(); err != nil {
			return "", err
		}
	}
}

func awkProgram(name string) *program {
	return &program{
		usage: name + ` [OPTION]... 'PROGRAM' [FILE | NAME=VALUE]...
       ` + name + ` [OPTION]... -f FILE [FILE | NAME=VALUE]...
Run an AWK program over the files, or standard input for none or "-".

  -F, --field-separator FS   split fields by FS
  -v, --assign NAME=VALUE    set a variable before BEGIN
  -f, --file FILE            read the program from FILE (repeatable)
  -e, --source TEXT          program text, besides -f
  -E, --exec FILE            like -f, the last option
  -i, --include FILE         read FILE once, before the program
  -c -P                      leave out gawk's own functions
  -S, --sandbox              no commands and no redirections
  -V -h                      as --version and --help
  -b -n -N -r -s -t -M -O -L   accepted`,
		options: getopt.Spec{Order: getopt.Stop, Options: []getopt.Option{
			{Key: 'F', Long: "field-separator", Argument: getopt.Required}, {Key: 'v', Long: "assign", Argument: getopt.Required},
			{Key: 'f', Long: "file", Argument: getopt.Required}, {Key: 'e', Long: "source", Argument: getopt.Required}, {Key: 'E', Long: "exec", Argument: getopt.Required},
			{Key: 'b', Long: "characters-as-bytes"}, {Key: 'c', Long: "traditional"}, {Key: 'n', Long: "non-decimal-data"}, {Key: 'N', Long: "use-lc-numeric"},
			{Key: 'P', Long: "posix"}, {Key: 'r', Long: "re-interval"}, {Key: 's', Long: "no-optimize"}, {Key: 'S', Long: "sandbox"}, {Key: 't', Long: "lint-old"}, {Key: 'L', Long: "lint", Argument: getopt.Optional},
			{Key: 'M', Long: "bignum"}, {Key: 'O', Long: "optimize"}, {Key: 'i', Long: "include", Argument: getopt.Required}, {Key: 'l', Long: "load", Argument: getopt.Required},
			{Key: 'd', Long: "dump-variables", Argument: getopt.Optional}, {Key: 'p', Long: "profile", Argument: getopt.Optional}, {Key: 'o', Long: "pretty-print", Argument: getopt.Optional},
			{Key: 'D', Long: "debug", Argument: getopt.Optional}, {Key: 'g', Long: "gen-pot"}, {Key: 'V'}, {Key: 'h'},
		}},
		trouble: 1,
		run:     awkRun,
	}
}
