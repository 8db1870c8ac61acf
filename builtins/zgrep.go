package builtins

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/vsh-project/vsh/builtins/internal/compress"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// zgrepLine is zgrep's command line, taken apart.
type zgrepLine struct {
	options, files []string
	pattern        bool // one of the options gives it
	names, noNames bool
	version        bool
}

// splitGrepLine finds where grep's options end and its files begin.
func splitGrepLine(args []string) (l zgrepLine) {
	options := true
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case !options || len(a) < 2 || a[0] != '-':
			if !l.pattern {
				l.options, l.pattern = append(l.options, "-e", a), true
			} else {
				l.files = append(l.files, a)
			}
		case a == "--":
			options = false
		case strings.HasPrefix(a, "--"):
			l.options = append(l.options, a)
			name, _, valued := strings.Cut(a, "=")
			switch name {
			case "--regexp", "--file":
				l.pattern = true
			case "--no-filename":
				l.noNames = true
			case "--with-filename":
				l.names = true
			case "--version":
				l.version = true
			}
			switch name {
			case "--regexp", "--file", "--after-context", "--before-context", "--context", "--max-count", "--binary-files":
				if !valued && i+1 < len(args) {
					i++
					l.options = append(l.options, args[i])
				}
			}
		default:
			l.options = append(l.options, a)
			for k := 1; k < len(a); k++ {
				switch a[k] {
				case 'h':
					l.noNames = true
				case 'H':
					l.names = true
				case 'V':
					l.version = true
				}
				if strings.IndexByte("ABCDdefm", a[k]) < 0 {
					continue
				}
				l.pattern = l.pattern || a[k] == 'e' || a[k] == 'f'
				if k == len(a)-1 && i+1 < len(args) {
					i++
					l.options = append(l.options, args[i])
				}
				break
			}
		}
	}
	return l
}

func zgrepRun(c *call) error {
	if len(c.Arguments) == 1 && c.Arguments[0] == "--help" {
		return c.showHelp()
	}
	l := splitGrepLine(c.Arguments)
	if l.version {
		return c.showVersion()
	}
	if !l.pattern {
		fmt.Fprintf(c.Stderr, "%s: missing pattern; try `%s --help' for help\n", c.label(), c.label())
		return exitWith(2)
	}
	grep := []string{"grep"}
	switch c.program.name {
	case "zegrep":
		grep = append(grep, "-E")
	case "zfgrep":
		grep = append(grep, "-F")
	}
	grep = append(grep, l.options...)
	if len(l.files) == 0 {
		l.files = []string{"-"}
	} else if (len(l.files) > 1 || l.names) && !l.noNames {
		grep = append(grep, "-H")
	}
	result := uint8(1)
	for _, name := range l.files {
		status, err := c.zgrepOne(grep, name)
		if err != nil {
			return err
		}
		if status > 1 || status == 0 && result == 1 {
			result = status
		}
	}
	return exitWith(result)
}

func (c *call) zgrepOne(grep []string, name string) (uint8, error) {
	in, done, err := c.openUnpacked(name)
	if err != nil {
		fmt.Fprintf(c.Stderr, "gzip: %s\n", err)
		return 2, nil
	}
	defer done()
	label := name
	if name == "-" {
		label = "(standard input)"
	}
	args := append(append([]string{}, grep...), "--label="+label, "-")
	status, err := c.runProgram(c.ctx, &command.Exec{Arguments: args, Stdin: in}, func(cause string) { c.warnf("grep: %s", cause) })
	if u, ok := in.(*unpacked); ok && u.err != nil && err == nil {
		fmt.Fprintf(c.Stderr, "\ngzip: %s: %s\n", name, u.err)
		status = 2
	}
	return status, err
}

// unpacked keeps what broke a stream while another program reads it.
type unpacked struct {
	io.Reader
	err error
}

func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	if err != nil && err != io.EOF {
		u.err, err = err, io.EOF
	}
	return n, err
}

// openUnpacked opens a file, decompressed if it is compressed; where there is
// none, the one of the same name with .gz. Its error is the whole message.
func (c *call) openUnpacked(name string) (io.Reader, func(), error) {
	shown := name
	r, done, err := c.open(name)
	if name != "-" && vfs.Errno(err) == vfs.ENOENT && !strings.HasSuffix(name, ".gz") {
		shown = name + ".gz"
		r, done, err = c.open(shown)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %s", shown, vfs.Words(err))
	}
	z, err := compress.NewGunzip(r)
	switch {
	case errors.Is(err, compress.ErrFormat) || errors.Is(err, compress.ErrEnd):
		return z.Buffered(), done, nil
	case err != nil:
		done()
		return nil, nil, fmt.Errorf("%s: %s", shown, vfs.Words(err))
	}
	return &unpacked{Reader: z}, done, nil
}

func zgrepProgram(name string) *program {
	return &program{
		trouble: 2,
		usage: name + ` [GREP-OPTION]... PATTERN [FILE]...
Run grep over files, those compressed by gzip decompressed.`,
		run: zgrepRun,
	}
}
