package builtins

import (
	"bytes"
	"fmt"
	"io"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
)

// commCommand is one run of comm.
type commCommand struct {
	*call
	hide       [3]bool // columns
	order      orderCheck
	separator  string
	separated  bool
	total      bool
	end        byte
	unpairable bool
	files      [2]commFile
}

// orderCheck is when unsorted input is reported: once a line has no partner,
// always (ending the run), or never.
type orderCheck uint8

const (
	orderDefault orderCheck = iota
	orderAlways
	orderNever
)

// commFile is one input with its current line and the two before it.
type commFile struct {
	name     string
	in       *lines.Reader
	line     []byte
	before   [2][]byte
	have     bool
	reported bool
	read     int
}

const (
	commKeyCheck = 256 + iota
	commKeyNoCheck
	commKeyDelimiter
	commKeyTotal
)

func commRun(c *call) error {
	m := &commCommand{call: c, separator: "\t", end: '\n'}
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case '1', '2', '3':
			m.hide[p.Key-'1'] = true
		case 'z':
			m.end = 0
		case commKeyCheck:
			m.order = orderAlways
		case commKeyNoCheck:
			m.order = orderNever
		case commKeyDelimiter:
			if m.separated && m.separator != p.Value {
				return c.fatalf("multiple output delimiters specified")
			}
			m.separated, m.separator = true, p.Value
		case commKeyTotal:
			m.total = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	if m.separator == "" {
		m.separator = "\x00"
	}
	if err := c.twoOperands(operands); err != nil {
		return err
	}
	for i := range m.files {
		r, done, err := c.open(operands[i])
		if err != nil {
			c.fileError(operands[i], err)
			return nil
		}
		defer done()
		in := lines.NewReader(r, c.Host())
		in.Delim = m.end
		defer in.Close()
		m.files[i] = commFile{name: operands[i], in: in}
	}
	return m.run()
}

// twoOperands ends the run unless there are two.
func (c *call) twoOperands(operands []string) error {
	switch {
	case len(operands) == 0:
		return c.usageErrorf("missing operand")
	case len(operands) == 1:
		return c.usageErrorf("missing operand after %s", quote(c.Arguments[len(c.Arguments)-1]))
	case len(operands) > 2:
		return c.usageErrorf("extra operand %s", quote(operands[2]))
	}
	return nil
}

func (m *commCommand) run() error {
	var total [3]uint64
	for i := range m.files {
		if err := m.advance(i); err != nil {
			return err
		}
	}
	a, b := &m.files[0], &m.files[1]
	for a.have || b.have {
		order := -1
		switch {
		case a.have && b.have:
			order = bytes.Compare(a.line, b.line)
		case b.have:
			order = 1
		}
		switch {
		case order == 0:
			total[2]++
			m.write(b.line, 2)
		case order < 0:
			m.unpairable = true
			total[0]++
			m.write(a.line, 0)
		default:
			m.unpairable = true
			total[1]++
			m.write(b.line, 1)
		}
		if order <= 0 {
			if err := m.advance(0); err != nil {
				return err
			}
		}
		if order >= 0 {
			if err := m.advance(1); err != nil {
				return err
			}
		}
	}
	if m.total {
		fmt.Fprintf(m.out, "%d%s%d%s%d%stotal%c", total[0], m.separator, total[1], m.separator, total[2], m.separator, m.end)
	}
	if a.reported || b.reported {
		m.errorf("input is not in sorted order")
	}
	return nil
}

func (m *commCommand) write(line []byte, column int) {
	if m.hide[column] {
		return
	}
	for i := range column {
		if !m.hide[i] {
			m.out.WriteString(m.separator)
		}
	}
	m.out.Write(line)
	m.out.WriteByte(m.end)
}

// advance reads the next line of a file and looks at the order.
func (m *commCommand) advance(i int) error {
	f := &m.files[i]
	if f.read&0xfff == 0 {
		if err := m.ctx.Err(); err != nil {
			return err
		}
	}
	line, err := f.in.Next()
	if err != nil && err != io.EOF {
		if m.ends(err) {
			return err
		}
		m.fileError(f.name, err)
		return exitWith(m.status)
	}
	had := f.read
	f.before[1], f.before[0], f.line = f.before[0], f.line, f.before[1]
	if f.have = err == nil; !f.have {
		// What had no partner may have been found since the last look.
		if had > 1 {
			return m.check(i, f.before[1], f.before[0])
		}
		return nil
	}
	f.read++
	f.line = append(f.line[:0], bytes.TrimSuffix(line, []byte{m.end})...)
	if had > 0 {
		return m.check(i, f.before[0], f.line)
	}
	return nil
}

func (m *commCommand) check(i int, previous, current []byte) error {
	f := &m.files[i]
	if m.order == orderNever || m.order == orderDefault && !m.unpairable || f.reported || bytes.Compare(previous, current) <= 0 {
		return nil
	}
	f.reported = true
	m.warnf("file %d is not in sorted order", i+1)
	if m.order == orderAlways {
		return exitWith(1)
	}
	return nil
}

func commProgram(string) *program {
	return &program{
		usage: `comm [OPTION]... FILE1 FILE2
Print in three columns the lines only in FILE1, only in FILE2 and in both; the
files are sorted.

  -1, -2, -3               leave that column out
      --check-order        end when a file is not sorted
      --nocheck-order      do not look at the order
      --output-delimiter=STRING  STRING between columns, not a TAB
      --total              the number of lines of each column at the end
  -z, --zero-terminated    lines end in NUL`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: commKeyCheck, Long: "check-order"}, {Key: commKeyNoCheck, Long: "nocheck-order"},
			{Key: commKeyDelimiter, Long: "output-delimiter", Argument: getopt.Required}, {Key: commKeyTotal, Long: "total"},
			{Key: 'z', Long: "zero-terminated"}, {Key: '1'}, {Key: '2'}, {Key: '3'},
		}},
		run: commRun,
	}
}
