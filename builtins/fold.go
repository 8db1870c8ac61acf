package builtins

import (
	"bytes"
	"io"
	"math"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
)

// foldCommand is one run of fold. It counts bytes as columns, as GNU's does.
type foldCommand struct {
	*call
	bytes, spaces bool
	width         uint64
	row           []byte // what is held of the current line
	charged       int64
}

func foldRun(c *call) error {
	f := &foldCommand{call: c, width: 80}
	operands, err := c.parse(func(p *getopt.Parser) (err error) {
		switch p.Key {
		case 'b':
			f.bytes = true
		case 's':
			f.spaces = true
		default: // -w, -NUM
			text := p.Value
			if p.Key != 'w' {
				text = string(p.Key) + text
			}
			f.width, err = c.number(text, 1, math.MaxUint64-9, "", "invalid number of columns")
		}
		return err
	})
	if err != nil {
		return err
	}
	defer func() { c.Host().Release(f.charged) }()
	return c.eachInput(operands, f.input)
}

func (f *foldCommand) advance(column uint64, c byte) uint64 {
	if f.bytes {
		return column + 1
	}
	switch c {
	case '\b':
		return max(column, 1) - 1
	case '\r':
		return 0
	case '\t':
		return column + 8 - column%8
	}
	return column + 1
}

func (f *foldCommand) input(_ string, r io.Reader) error {
	block := make([]byte, lines.BlockSize)
	column := uint64(0)
	f.row = f.row[:0]
	for {
		n, err := r.Read(block)
		for _, c := range block[:n] {
			if c == '\n' {
				f.out.Write(append(f.row, '\n'))
				f.row, column = f.row[:0], 0
				continue
			}
			column = f.put(column, c)
			if len(f.row) == cap(f.row) {
				if err := f.grow(); err != nil {
					return err
				}
			}
			f.row = append(f.row, c)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			f.out.Write(f.row)
			return err
		}
		if err := f.ctx.Err(); err != nil {
			return err
		}
	}
	_, err := f.out.Write(f.row)
	return err
}

// put breaks the line before c where it would become too long, and returns the
// column after c.
func (f *foldCommand) put(column uint64, c byte) uint64 {
	for {
		next := f.advance(column, c)
		if next <= f.width {
			return next
		}
		if f.spaces {
			if at := bytes.LastIndexAny(f.row, " \t"); at >= 0 {
				f.out.Write(f.row[:at+1])
				f.out.WriteByte('\n')
				f.row = f.row[:copy(f.row, f.row[at+1:])]
				column = 0
				for _, b := range f.row {
					column = f.advance(column, b)
				}
				continue
			}
		}
		if len(f.row) == 0 {
			return next
		}
		f.out.Write(append(f.row, '\n'))
		f.row, column = f.row[:0], 0
	}
}

// grow pays for a line that is held.
func (f *foldCommand) grow() error {
	size := max(4096, cap(f.row))
	if err := f.Host().Charge(int64(size)); err != nil {
		return err
	}
	f.charged += int64(size)
	grown := make([]byte, len(f.row), cap(f.row)+size)
	copy(grown, f.row)
	f.row = grown
	return nil
}

// digitOptions are -0 to -9 with what stands behind the digit.
func digitOptions() []getopt.Option {
	options := make([]getopt.Option, 10)
	for i := range options {
		options[i] = getopt.Option{Key: rune('0' + i), Argument: getopt.Optional}
	}
	return options
}

func foldProgram(string) *program {
	return &program{
		stdinClosed: "-",
		usage: `fold [OPTION]... [FILE]...
Break lines of the files, or of standard input, that are longer than 80 columns.

  -b, --bytes              count bytes: a TAB is one
  -s, --spaces             break after blanks
  -w, --width=COLUMNS      other than 80`,
		options: getopt.Spec{Options: append([]getopt.Option{
			{Key: 'b', Long: "bytes"}, {Key: 's', Long: "spaces"}, {Key: 'w', Long: "width", Argument: getopt.Required},
		}, digitOptions()...)},
		run: foldRun,
	}
}
