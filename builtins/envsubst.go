package builtins

import (
	"bufio"
	"io"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/vfs"
)

// envsubstCommand is one run of envsubst.
type envsubstCommand struct {
	*call
	only  map[string]bool // nil: all variables
	since int
}

// envsubstLongest bounds a name that is looked for; a longer one is text.
const envsubstLongest = 64 << 10

func envsubstRun(c *call) error {
	list := false
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'v':
			list = true
		case 'h':
			return c.showHelp()
		case 'V':
			return c.showVersion()
		}
		return nil
	})
	if err != nil {
		return err
	}
	switch {
	case len(operands) > 1:
		return c.fatalf("too many arguments")
	case list && len(operands) == 0:
		return c.fatalf("missing arguments")
	}
	e := &envsubstCommand{call: c}
	if list {
		envsubstNames(operands[0], func(name string) { c.out.WriteString(name + "\n") })
		return nil
	}
	if len(operands) == 1 {
		e.only = map[string]bool{}
		envsubstNames(operands[0], func(name string) { e.only[name] = true })
	}
	return e.substitute(bufio.NewReaderSize(c.Stdin, envsubstLongest+3))
}

func envsubstStart(b byte) bool { return versionAlpha(b) || b == '_' }

// envsubstReference measures the reference to a variable at the start of s,
// which begins with $; size is 0 where there is none.
func envsubstReference(s []byte) (name []byte, size int) {
	at := 1
	braces := len(s) > 1 && s[1] == '{'
	if braces {
		at++
	}
	end := at
	for end < len(s) && (envsubstStart(s[end]) || end > at && versionDigit(s[end])) {
		end++
	}
	switch {
	case end == at:
		return nil, 0
	case !braces:
		return s[at:end], end
	case end < len(s) && s[end] == '}':
		return s[at:end], end + 1
	}
	return nil, 0
}

func envsubstNames(text string, visit func(name string)) {
	for i := 0; i < len(text); {
		name, size := []byte(nil), 0
		if text[i] == '$' {
			name, size = envsubstReference([]byte(text[i:]))
		}
		if size > 0 {
			visit(string(name))
		}
		i += max(size, 1)
	}
}

func (e *envsubstCommand) substitute(in *bufio.Reader) error {
	for {
		if e.since++; e.since&0xff == 0 {
			if err := e.ctx.Err(); err != nil {
				return err
			}
		}
		text, err := in.ReadSlice('$')
		if err == nil {
			text = text[:len(text)-1]
		}
		if _, failed := e.out.Write(text); failed != nil {
			return e.writeError(failed)
		}
		switch err {
		case bufio.ErrBufferFull:
			continue
		case io.EOF:
			return nil
		case nil:
		default:
			if e.ends(err) {
				return err
			}
			return e.fatalf("error while reading \"standard input\": %s", vfs.Words(err))
		}
		if err := e.reference(in); err != nil {
			return err
		}
	}
}

// reference replaces what follows a $ that has been read.
func (e *envsubstCommand) reference(in *bufio.Reader) error {
	text := []byte{'$'}
	// No more is looked at than may belong to a name, so that a slow writer's
	// text is not waited for.
	for n := 1; n <= envsubstLongest; n++ {
		ahead, _ := in.Peek(n)
		if len(ahead) < n {
			break
		}
		last := ahead[n-1]
		text = append(text, last)
		if !envsubstStart(last) && !(n > 1 && versionDigit(last)) && !(n == 1 && last == '{') {
			break
		}
	}
	name, size := envsubstReference(text)
	if size == 0 {
		return e.out.WriteByte('$')
	}
	in.Discard(size - 1)
	if e.only != nil && !e.only[string(name)] {
		_, err := e.out.Write(text[:size])
		return err
	}
	value, _ := e.Getenv(string(name))
	if _, err := e.out.WriteString(value); err != nil {
		return e.writeError(err)
	}
	return nil
}

func envsubstProgram(string) *program {
	return &program{
		usage: `envsubst [OPTION] [VARIABLES]
Copy standard input and put the values of environment variables in the place of
$NAME and ${NAME}; only of those that VARIABLES refers to, if it is given.

  -v, --variables  print the names that VARIABLES refers to
  -h, --help; -V, --version`,
		options: getopt.Spec{Options: []getopt.Option{{Key: 'v', Long: "variables"}, {Key: 'h'}, {Key: 'V'}}},
		run:     envsubstRun,
	}
}
