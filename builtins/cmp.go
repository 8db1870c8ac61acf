package builtins

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// cmpCommand is one run of cmp.
type cmpCommand struct {
	*call
	names              [2]string
	skip               [2]uint64
	limit              uint64
	limited            bool
	bytes, all, silent bool
	differs            bool
	line               uint64
	lastNewline        bool
}

func cmpRun(c *call) error {
	m := &cmpCommand{call: c, line: 1}
	operands, err := c.parse(m.option)
	if err != nil {
		return err
	}
	if m.all && m.silent {
		return m.tryCmp("options -l and -s are incompatible")
	}
	switch len(operands) {
	case 0:
		after := c.label()
		if n := len(c.Arguments); n > 0 {
			after = c.Arguments[n-1]
		}
		return m.tryCmp("missing operand after '" + after + "'")
	case 1:
		operands = append(operands, "-")
	}
	if operands[0] == "-" && operands[1] == "-" {
		return nil // standard input does not differ from itself
	}
	for i := 2; i < len(operands); i++ {
		n, status := parseNumberAnyBase(operands[i], 0, cmpSuffixes)
		if i > 3 {
			return m.tryCmp("extra operand '" + operands[i] + "'")
		}
		if status != numberOK {
			return m.tryCmp("invalid --ignore-initial value '" + operands[i] + "'")
		}
		m.skip[i-2] = max(m.skip[i-2], n)
	}
	m.names = [2]string{operands[0], operands[1]}
	return m.compare()
}

const cmpSuffixes = "kKMGTPEZY0"

// tryCmp is usageErrorf in the diff programs' form.
func (m *cmpCommand) tryCmp(text string) error {
	return m.usageErrorf("%s", text)
}

func (m *cmpCommand) option(p *getopt.Parser) error {
	switch p.Key {
	case 'b', 'c':
		m.bytes = true
	case 'i':
		first, second, two := strings.Cut(p.Value, ":")
		if !two {
			second = first
		}
		for i, text := range []string{first, second} {
			n, status := parseNumberAnyBase(text, 0, cmpSuffixes)
			if status != numberOK {
				return m.tryCmp("invalid --ignore-initial value '" + p.Value + "'")
			}
			m.skip[i] = max(m.skip[i], n)
		}
	case 'l':
		m.all = true
	case 'n':
		n, status := parseNumberAnyBase(p.Value, 0, cmpSuffixes)
		if status != numberOK {
			return m.tryCmp("invalid --bytes value '" + p.Value + "'")
		}
		if !m.limited || n < m.limit {
			m.limited, m.limit = true, n
		}
	case 's':
		m.silent = true
	}
	return nil
}

func (m *cmpCommand) failed(name string, err error) error {
	if m.ends(err) {
		return err
	}
	return m.fatalf("%s: %s", name, vfs.Words(err))
}

func (m *cmpCommand) compare() error {
	var in [2]*bufio.Reader
	width := 20
	for i, name := range m.names {
		r, done, err := m.open(name)
		if err != nil {
			return m.failed(name, err)
		}
		defer done()
		if info := statStream(r); info != nil && info.FileMode.IsDir() {
			return m.failed(name, vfs.EISDIR)
		}
		if _, size, offset, ok := regularFile(r); ok {
			left := uint64(max(0, size-offset))
			left -= min(left, m.skip[i])
			if m.limited {
				left = min(left, m.limit)
			}
			width = min(width, len(strconv.FormatUint(left, 10)))
		} else if m.limited {
			width = min(width, len(strconv.FormatUint(m.limit, 10)))
		}
		in[i] = bufio.NewReaderSize(r, lines.BlockSize)
		if _, err := io.CopyN(io.Discard, in[i], int64(min(m.skip[i], 1<<63-1))); err != nil && err != io.EOF {
			return m.failed(name, err)
		}
	}
	var at uint64
	for !m.limited || at < m.limit {
		if err := m.ctx.Err(); err != nil {
			return err
		}
		var blocks [2][]byte
		for i := range in {
			if _, err := in[i].Peek(1); err != nil && err != io.EOF {
				return m.failed(m.names[i], err)
			}
			blocks[i], _ = in[i].Peek(in[i].Buffered())
		}
		n := min(len(blocks[0]), len(blocks[1]))
		if m.limited {
			n = int(min(uint64(n), m.limit-at))
		}
		if n == 0 {
			return m.end(at, len(blocks[0]), len(blocks[1]))
		}
		if done, err := m.block(blocks[0][:n], blocks[1][:n], at, width); done || err != nil {
			return err
		}
		at += uint64(n)
		in[0].Discard(n)
		in[1].Discard(n)
	}
	return m.result()
}

func (m *cmpCommand) result() error {
	if m.differs {
		return command.ExitError(1)
	}
	return nil
}

// block compares two blocks of one length; done says that no more matters.
func (m *cmpCommand) block(a, b []byte, at uint64, width int) (done bool, err error) {
	if !bytes.Equal(a, b) {
		for i := range a {
			if a[i] == b[i] {
				continue
			}
			m.differs = true
			switch {
			case m.silent:
			case m.all && m.bytes:
				fmt.Fprintf(m.out, "%*d %3o %-4s %3o %s\n", width, at+uint64(i)+1, a[i], cmpShow(a[i]), b[i], cmpShow(b[i]))
			case m.all:
				fmt.Fprintf(m.out, "%*d %3o %3o\n", width, at+uint64(i)+1, a[i], b[i])
			default:
				line := m.line + uint64(bytes.Count(a[:i], []byte{'\n'}))
				fmt.Fprintf(m.out, "%s %s differ: byte %d, line %d", m.names[0], m.names[1], at+uint64(i)+1, line)
				if m.bytes {
					fmt.Fprintf(m.out, " is %3o %s %3o %s", a[i], cmpShow(a[i]), b[i], cmpShow(b[i]))
				}
				m.out.WriteByte('\n')
			}
			if !m.all {
				return true, command.ExitError(1)
			}
		}
	}
	m.line += uint64(bytes.Count(a, []byte{'\n'}))
	m.lastNewline = a[len(a)-1] == '\n'
	return false, nil
}

// end is where an input has ended.
func (m *cmpCommand) end(at uint64, left0, left1 int) error {
	if left0 == 0 && left1 == 0 {
		return m.result()
	}
	short := m.names[0]
	if left0 > 0 {
		short = m.names[1]
	}
	if !m.silent {
		switch {
		case at == 0:
			m.warnf("EOF on %s which is empty", short)
		case m.all:
			m.warnf("EOF on %s after byte %d", short, at)
		case m.lastNewline:
			m.warnf("EOF on %s after byte %d, line %d", short, at, m.line-1)
		default:
			m.warnf("EOF on %s after byte %d, in line %d", short, at, m.line)
		}
	}
	return command.ExitError(1)
}

// cmpShow is a byte as M-^x.
func cmpShow(c byte) string {
	text := ""
	if c >= 0x80 {
		text, c = "M-", c-0x80
	}
	switch {
	case c < ' ':
		return text + "^" + string(rune(c+0x40))
	case c == 0x7f:
		return text + "^?"
	}
	return text + string(rune(c))
}

func cmpProgram(string) *program {
	return &program{
		prefixedTry: true,
		output:      outputStyle{line: "standard output: ", closedIsFine: true},
		usage: `cmp [OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]
Compare two files byte by byte; standard input is FILE2 where there is none, or "-".

  -b, --print-bytes                show the bytes that differ
  -i, --ignore-initial=SKIP1[:SKIP2]  pass over the first bytes
  -l, --verbose                    show all that differ
  -n, --bytes=LIMIT                compare no more than that
  -s, --quiet, --silent            print nothing

The status is 0 for files that are the same, 1 for others, 2 for trouble.`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'b', Long: "print-bytes"}, {Key: 'c', Long: "print-chars"}, {Key: 'i', Long: "ignore-initial", Argument: getopt.Required}, {Key: 'l', Long: "verbose"},
			{Key: 'n', Long: "bytes", Argument: getopt.Required}, {Key: 's', Long: "silent"}, {Key: 's', Long: "quiet"},
		}},
		trouble: 2,
		run:     cmpRun,
	}
}
