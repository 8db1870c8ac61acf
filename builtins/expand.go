package builtins

import (
	"io"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
)

// expandCommand is one run of expand.
type expandCommand struct {
	*call
	stops   tabStops
	initial bool
	convert bool
	column  uint64
	index   int
}

func expandRun(c *call) error {
	e := &expandCommand{call: c, convert: true}
	operands, err := c.parse(func(p *getopt.Parser) error {
		list := p.Value
		switch p.Key {
		case 'i':
			e.initial = true
			return nil
		case 't':
		default:
			list = string(p.Key) + list
		}
		if !e.stops.parse(c, list) {
			return exitWith(1)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := e.stops.finish(c); err != nil {
		return err
	}
	return c.eachInput(operands, e.input)
}

func (e *expandCommand) input(_ string, r io.Reader) error {
	block := make([]byte, lines.BlockSize)
	for {
		n, err := r.Read(block)
		for _, c := range block[:n] {
			if err := e.put(c); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := e.ctx.Err(); err != nil {
			return err
		}
	}
}

func (e *expandCommand) put(c byte) error {
	if e.convert {
		switch c {
		case '\t':
			next, last := e.stops.next(e.column, &e.index)
			if last {
				next = e.column + 1
			}
			for e.column++; e.column < next; e.column++ {
				if err := e.out.WriteByte(' '); err != nil {
					return err
				}
				if e.column&0xffff == 0 {
					if err := e.ctx.Err(); err != nil {
						return err
					}
				}
			}
			c = ' '
		case '\b':
			e.column = max(e.column, 1) - 1
			e.index = max(e.index, 1) - 1
		default:
			e.column++
		}
		e.convert = !e.initial || c == ' '
	}
	if c == '\n' {
		e.convert, e.column, e.index = true, 0, 0
	}
	return e.out.WriteByte(c)
}

func expandProgram(string) *program {
	return &program{
		stdinClosed: "-",
		usage: `expand [OPTION]... [FILE]...
Print the files, or standard input, with spaces in the place of TABs.

  -i, --initial            only before other text
  -t, --tabs=LIST          stops N columns apart (8), or at the columns of a list;
                           /N at its end: multiples of N, +N: steps of N`,
		options: getopt.Spec{Options: append([]getopt.Option{
			{Key: 't', Long: "tabs", Argument: getopt.Required}, {Key: 'i', Long: "initial"},
		}, digitOptions()...)},
		run: expandRun,
	}
}
