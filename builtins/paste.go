package builtins

import (
	"bytes"
	"io"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
)

// pasteCommand is one run of paste.
type pasteCommand struct {
	*call
	delimiters []int // bytes, -1 for none
	end        byte
	stdin      *lines.Reader
}

func pasteRun(c *call) error {
	p := &pasteCommand{call: c, end: '\n'}
	serial, list := false, "\t"
	operands, err := c.parse(func(o *getopt.Parser) error {
		switch o.Key {
		case 's':
			serial = true
		case 'd':
			if list = o.Value; list == "" {
				list = `\0`
			}
		case 'z':
			p.end = 0
		}
		return nil
	})
	if err != nil {
		return err
	}
	if !p.parseDelimiters(list) {
		return c.fatalf("delimiter list ends with an unescaped backslash: %s", quoteDouble(list))
	}
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	defer func() {
		if p.stdin != nil {
			p.stdin.Close()
		}
	}()
	if serial {
		return p.serial(operands)
	}
	return p.parallel(operands)
}

func (p *pasteCommand) parseDelimiters(list string) bool {
	for i := 0; i < len(list); i++ {
		if list[i] != '\\' {
			p.delimiters = append(p.delimiters, int(list[i]))
			continue
		}
		if i++; i == len(list) {
			return false
		}
		switch list[i] {
		case '0':
			p.delimiters = append(p.delimiters, -1)
		case 'b':
			p.delimiters = append(p.delimiters, '\b')
		case 'f':
			p.delimiters = append(p.delimiters, '\f')
		case 'n':
			p.delimiters = append(p.delimiters, '\n')
		case 'r':
			p.delimiters = append(p.delimiters, '\r')
		case 't':
			p.delimiters = append(p.delimiters, '\t')
		case 'v':
			p.delimiters = append(p.delimiters, '\v')
		default:
			p.delimiters = append(p.delimiters, int(list[i]))
		}
	}
	return true
}

func (p *pasteCommand) delimiter(n int) {
	if d := p.delimiters[n%len(p.delimiters)]; d >= 0 {
		p.out.WriteByte(byte(d))
	}
}

// reader opens an operand; every "-" is the one standard input.
func (p *pasteCommand) reader(name string) (*lines.Reader, func(), error) {
	if name == "-" && p.stdin != nil {
		return p.stdin, func() {}, nil
	}
	r, done, err := p.open(name)
	if err != nil {
		return nil, nil, err
	}
	in := lines.NewReader(r, p.Host())
	in.Delim = p.end
	if name == "-" {
		p.stdin = in
		return in, func() {}, nil
	}
	return in, func() { in.Close(); done() }, nil
}

// serial puts all lines of a file into one.
func (p *pasteCommand) serial(operands []string) error {
	for _, name := range operands {
		in, done, err := p.reader(name)
		if err != nil {
			p.fileError(name, err)
			continue
		}
		for n := 0; ; n++ {
			line, err := in.Next()
			if err == io.EOF {
				break
			}
			if err == nil && n&0xfff == 0 {
				err = p.ctx.Err()
			}
			if err != nil {
				if p.ends(err) {
					done()
					return err
				}
				p.fileError(name, err)
				break
			}
			if n > 0 {
				p.delimiter(n - 1)
			}
			p.out.Write(bytes.TrimSuffix(line, []byte{p.end}))
		}
		done()
		if err := p.out.WriteByte(p.end); err != nil {
			return p.writeError(err)
		}
	}
	return nil
}

// parallel puts the lines of the same number of all files into one.
func (p *pasteCommand) parallel(operands []string) error {
	type source struct {
		name string
		in   *lines.Reader
	}
	sources := make([]source, len(operands))
	for i, name := range operands {
		in, done, err := p.reader(name)
		if err != nil {
			p.fileError(name, err)
			return exitWith(p.status)
		}
		defer done()
		sources[i] = source{name, in}
	}
	for open, row := len(sources), 0; open > 0; row++ {
		if row&0xfff == 0 {
			if err := p.ctx.Err(); err != nil {
				return err
			}
		}
		// What is missing at a line's start is printed once a file has more.
		written, some := 0, false
		for i := range sources {
			s := &sources[i]
			if s.in == nil {
				continue
			}
			line, err := s.in.Next()
			if err != nil {
				if err != io.EOF {
					if p.ends(err) {
						return err
					}
					p.fileError(s.name, err)
				}
				s.in = nil
				open--
				continue
			}
			for ; written < i; written++ {
				p.delimiter(written)
			}
			some = true
			p.out.Write(bytes.TrimSuffix(line, []byte{p.end}))
		}
		if !some {
			return nil
		}
		for ; written < len(sources)-1; written++ {
			p.delimiter(written)
		}
		if err := p.out.WriteByte(p.end); err != nil {
			return p.writeError(err)
		}
	}
	return nil
}

func pasteProgram(string) *program {
	return &program{
		stdinClosed: "-",
		usage: `paste [OPTION]... [FILE]...
Print the lines of the same number of all files as one, separated by TABs.

  -d, --delimiters=LIST    the bytes of LIST in turn instead of TABs; \0 is none
  -s, --serial             all lines of each file as one
  -z, --zero-terminated    lines end in NUL`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 's', Long: "serial"}, {Key: 'd', Long: "delimiters", Argument: getopt.Required}, {Key: 'z', Long: "zero-terminated"},
		}},
		run: pasteRun,
	}
}
