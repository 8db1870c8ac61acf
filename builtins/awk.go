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
	var sources []awk.Source
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'F':
			fs := p.Value
			if fs == "t" {
				fs = "\t"
			}
			fs = awkEscapes(fs)
			config.FS = &fs
		case 'v':
			if !strings.Contains(p.Value, "=") {
				return c.fatalf("`%s' argument to `-v' not in `var=value' form", p.Value)
			}
			config.Assignments = append(config.Assignments, p.Value)
		case 'f', 'E':
			text, err := c.readAll(p.Value)
			if err != nil {
				return c.fatalf("fatal: cannot open source file `%s' for reading: %s", p.Value, vfs.Words(err))
			}
			sources = append(sources, awk.Source{Name: p.Value, Text: text})
		case 'e':
			sources = append(sources, awk.Source{Name: "cmd. line", Text: p.Value})
		case 'P':
			config.Posix = true
		case 'c':
			config.Traditional = true
		case 'i', 'l', 'd', 'p', 'o', 'D', 'g':
			return c.fatalf("option %s is not supported", p.Typed)
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
	program, err := awk.Parse(sources)
	if err != nil {
		return c.awkSyntaxError(err)
	}
	config.Arguments, config.Name = operands, c.label()
	c.awkWorld(config)
	status, err := awk.Run(c.ctx, program, config)
	var fatal *awk.Error
	if errors.As(err, &fatal) {
		return c.fatalf("fatal: %s", fatal.Message)
	}
	if err != nil {
		return err
	}
	return command.ExitError(status)
}

func (c *call) awkSyntaxError(err error) error {
	var syntax *awk.SyntaxError
	if errors.As(err, &syntax) {
		return c.fatalf("%s:%d: %s", syntax.Source, syntax.Line, syntax.Message)
	}
	return c.fatalf("fatal: %s", err)
}

// awkEscapes resolves the escapes of -F's value.
func awkEscapes(s string) string {
	return strings.NewReplacer(`\t`, "\t", `\n`, "\n", `\\`, `\\`).Replace(s)
}

// awkWorld gives the engine its streams, files and commands.
func (c *call) awkWorld(config *awk.Config) {
	host := c.Host()
	config.Stdin, config.Stdout, config.Stderr, config.Environment = c.Stdin, c.Stdout, c.Stderr, c.Environment
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
	config.Run = func(ctx context.Context, text string, stdin io.Reader, stdout io.Writer) (int, error) {
		return host.Exec(ctx, &command.Exec{Arguments: []string{"sh", "-c", text}, Stdin: stdin, Stdout: stdout, Stderr: c.Stderr})
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
  -b -c -n -N -P -r -s -S -t -M -O   accepted`,
		options: getopt.Spec{Order: getopt.Stop, Options: []getopt.Option{
			{Key: 'F', Long: "field-separator", Argument: getopt.Required}, {Key: 'v', Long: "assign", Argument: getopt.Required},
			{Key: 'f', Long: "file", Argument: getopt.Required}, {Key: 'e', Long: "source", Argument: getopt.Required}, {Key: 'E', Long: "exec", Argument: getopt.Required},
			{Key: 'b', Long: "characters-as-bytes"}, {Key: 'c', Long: "traditional"}, {Key: 'n', Long: "non-decimal-data"}, {Key: 'N', Long: "use-lc-numeric"},
			{Key: 'P', Long: "posix"}, {Key: 'r', Long: "re-interval"}, {Key: 's', Long: "no-optimize"}, {Key: 'S', Long: "sandbox"}, {Key: 't', Long: "lint-old"}, {Key: 'L', Long: "lint", Argument: getopt.Optional},
			{Key: 'M', Long: "bignum"}, {Key: 'O', Long: "optimize"}, {Key: 'i', Long: "include", Argument: getopt.Required}, {Key: 'l', Long: "load", Argument: getopt.Required},
			{Key: 'd', Long: "dump-variables", Argument: getopt.Optional}, {Key: 'p', Long: "profile", Argument: getopt.Optional}, {Key: 'o', Long: "pretty-print", Argument: getopt.Optional},
			{Key: 'D', Long: "debug", Argument: getopt.Optional}, {Key: 'g', Long: "gen-pot"},
		}},
		trouble: 2,
		run:     awkRun,
	}
}
