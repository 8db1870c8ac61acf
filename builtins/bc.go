package builtins

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/builtins/internal/bc"
	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// bcLineLength is where bc breaks lines unless BC_LINE_LENGTH says otherwise.
const bcLineLength = 70

func bcRun(c *call) error {
	library := false
	var files []string
	if extra, ok := c.Getenv("BC_ENV_ARGS"); ok {
		for _, word := range strings.Fields(extra) {
			if strings.HasPrefix(word, "-") {
				library = library || strings.Contains(word, "l") && !strings.HasPrefix(word, "--") || word == "--mathlib"
				continue
			}
			files = append(files, word)
		}
	}
	spec := c.program.options
	p := getopt.New(&spec, c.Arguments)
	for p.Next() {
		switch p.Key {
		case 'l':
			library = true
		case 'h':
			return c.showHelp()
		case 'v':
			return c.showVersion()
		}
	}
	if err := p.Err(); err != nil {
		c.warnf("%s", err)
		c.showHelp()
		return command.ExitError(1)
	}
	files = append(files, p.Operands()...)
	length := bcLineLength
	if text, ok := c.Getenv("BC_LINE_LENGTH"); ok {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err == nil && (n == 0 || n > 2) {
			length = n
		}
	}
	done := func() {}
	defer func() { done() }()
	next := 0
	m := bc.New(bc.Options{
		Out: c.out, Err: flushed{c}, Input: bufio.NewReader(c.Stdin),
		Next: func() (*bc.Source, error) {
			done()
			done = func() {}
			next++
			switch {
			case next <= len(files):
				f, err := c.View().Open(c.ctx, files[next-1], vfs.O_RDONLY, 0)
				if err != nil {
					if c.ends(err) {
						return nil, err
					}
					c.out.Flush()
					fmt.Fprintf(c.Stderr, "File %s is unavailable.\n", files[next-1])
					return nil, command.ExitError(1)
				}
				done = func() { f.Close() }
				return &bc.Source{Name: files[next-1], Reader: f}, nil
			case next == len(files)+1:
				return &bc.Source{Name: "(standard_in)", Reader: shown{c, c.Stdin}}, nil
			}
			return nil, nil
		},
		Charge: c.Host().Charge, Release: c.Host().Release, Stop: c.ctx.Err,
		LineLength: length, Library: library,
	})
	err := m.Run()
	if errors.Is(err, bc.ErrTooLarge) || errors.Is(err, bc.ErrTooDeep) {
		return c.fatalf("%v", err)
	}
	return err
}

// flushed is stderr after what stands in stdout's buffer.
type flushed struct{ *call }

func (f flushed) Write(p []byte) (int, error) {
	if err := f.out.Flush(); err != nil {
		return 0, err
	}
	return f.Stderr.Write(p)
}

// shown is an input before whose reading what was printed is shown.
type shown struct {
	*call
	r io.Reader
}

func (s shown) Read(p []byte) (int, error) {
	if err := s.out.Flush(); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}

func bcProgram(string) *program {
	return &program{
		usage: `bc [OPTION]... [FILE]...
Calculate with as many digits as are asked for: run the files, then standard
input.

  -l, --mathlib      scale is 20, and s c a l e j are defined
  -q, --quiet        no welcome (there is none)
  -i, --interactive, -s, --standard, -w, --warn, -c, --compile   accepted, without effect
  -h, --help
  -v, --version

BC_LINE_LENGTH is where lines are broken (70; 0: nowhere). BC_ENV_ARGS holds
options and files that come first.`,
		noHelp: true,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'c', Long: "compile"}, {Key: 'h', Long: "help"}, {Key: 'i', Long: "interactive"}, {Key: 'l', Long: "mathlib"}, {Key: 'q', Long: "quiet"},
			{Key: 's', Long: "standard"}, {Key: 'v', Long: "version"}, {Key: 'w', Long: "warn"},
		}},
		run: bcRun,
	}
}
