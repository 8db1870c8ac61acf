package builtins

import (
	"io"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
)

// unexpandCommand is one run of unexpand.
type unexpandCommand struct {
	*call
	stops   tabStops
	entire  bool
	convert bool
	column  uint64
	index   int
	// pending are blanks of which it is not known yet whether a TAB replaces them.
	pending   []byte
	charged   int64
	oneBefore bool // a single blank stands just before the last stop
	wasBlank  bool
}

const unexpandKeyFirst = 256

func unexpandRun(c *call) error {
	u := &unexpandCommand{call: c}
	first := false
	var value uint64
	have := false
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'a':
			u.entire = true
		case unexpandKeyFirst:
			first = true
		case 't':
			u.entire = true
			if !u.stops.parse(c, p.Value) {
				return exitWith(1)
			}
		case ',':
			if have {
				u.stops.list = append(u.stops.list, value)
			}
			have = false
		default:
			if !have {
				value, have = 0, true
			}
			status := numberOK
			if value = addDigit(value, byte(p.Key-'0'), &status); status != numberOK {
				return c.fatalf("tab stop value is too large")
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if have {
		u.stops.list = append(u.stops.list, value)
	}
	if first {
		u.entire = false
	}
	if err := u.stops.finish(c); err != nil {
		return err
	}
	u.reset()
	defer func() { c.Host().Release(u.charged) }()
	if err := c.eachInput(operands, u.input); err != nil {
		return err
	}
	u.flush()
	return nil
}

func (u *unexpandCommand) reset() {
	u.convert, u.column, u.index, u.oneBefore, u.wasBlank = true, 0, 0, false, true
	u.pending = u.pending[:0]
}

func (u *unexpandCommand) input(_ string, r io.Reader) error {
	block := make([]byte, lines.BlockSize)
	for {
		n, err := r.Read(block)
		for _, c := range block[:n] {
			if u.convert {
				var held bool
				if c, held = u.blank(c); held {
					continue
				}
			}
			if err := u.out.WriteByte(c); err != nil {
				return err
			}
			if c == '\n' {
				u.reset()
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := u.ctx.Err(); err != nil {
			return err
		}
		// What grows is held twice for a while.
		if size := 2 * int64(cap(u.pending)); size > u.charged {
			if err := u.Host().Charge(size - u.charged); err != nil {
				return err
			}
			u.charged = size
		}
	}
}

// flush writes the blanks that are held.
func (u *unexpandCommand) flush() {
	if len(u.pending) == 0 {
		return
	}
	if len(u.pending) > 1 && u.oneBefore {
		u.pending[0] = '\t'
	}
	u.out.Write(u.pending)
	u.pending, u.oneBefore = u.pending[:0], false
}

// blank looks at a byte where blanks are replaced. It returns what to write,
// unless it is held.
func (u *unexpandCommand) blank(c byte) (_ byte, held bool) {
	blank := c == ' ' || c == '\t'
	switch {
	case blank:
		next, last := u.stops.next(u.column, &u.index)
		if last {
			u.convert = false
			break
		}
		if c == '\t' {
			u.column = next
			if len(u.pending) > 0 {
				u.pending[0] = '\t'
			}
		} else {
			u.column++
			if !u.wasBlank || u.column != next {
				u.oneBefore = u.oneBefore || u.column == next
				u.pending = append(u.pending, c)
				u.wasBlank = true
				return 0, true
			}
			c = '\t'
			if len(u.pending) > 0 {
				u.pending[0] = '\t'
			}
		}
		if u.oneBefore && len(u.pending) > 0 {
			u.pending = u.pending[:1]
		} else {
			u.pending = u.pending[:0]
		}
	case c == '\b':
		u.column = max(u.column, 1) - 1
		u.index = max(u.index, 1) - 1
	default:
		u.column++
	}
	u.flush()
	u.wasBlank = blank
	u.convert = u.convert && (u.entire || blank)
	return c, false
}

func unexpandProgram(string) *program {
	options := digitOptions()
	for i := range options {
		options[i].Argument = getopt.None
	}
	return &program{
		stdinClosed: "-",
		usage: `unexpand [OPTION]... [FILE]...
Print the files, or standard input, with TABs in the place of blanks that start
a line.

  -a, --all                of all blanks, not only those that start a line
      --first-only         only those that start a line (wins over -a)
  -t, --tabs=LIST          stops N columns apart (8), or at the columns of a list;
                           also turns on -a`,
		options: getopt.Spec{Options: append([]getopt.Option{
			{Key: 't', Long: "tabs", Argument: getopt.Required}, {Key: 'a', Long: "all"}, {Key: unexpandKeyFirst, Long: "first-only"}, {Key: ','},
		}, options...)},
		run: unexpandRun,
	}
}
