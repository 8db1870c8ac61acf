package builtins

import (
	"bytes"
	"io"
	"strconv"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/vfs"
)

// catFormat is what cat's options ask of the text.
type catFormat struct {
	number, numberNonblank, squeeze, ends, tabs, nonprinting bool
}

func (f *catFormat) plain() bool { return *f == catFormat{} }

// catWriter carries numbering and line state from one input to the next.
type catWriter struct {
	catFormat
	line    int
	blank   int  // blank lines in a row before this one
	midline bool // the last input ended without a newline
	// carriage is a return that ends an input: with -E what it is depends on
	// whether the next one starts with a newline.
	carriage bool
}

func catRun(c *call) error {
	w := &catWriter{}
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'A':
			w.ends, w.tabs, w.nonprinting = true, true, true
		case 'b':
			w.numberNonblank = true
		case 'e':
			w.ends, w.nonprinting = true, true
		case 'E':
			w.ends = true
		case 'n':
			w.number = true
		case 's':
			w.squeeze = true
		case 't':
			w.tabs, w.nonprinting = true, true
		case 'T':
			w.tabs = true
		case 'v':
			w.nonprinting = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	output := statStream(c.Stdout)
	err = c.eachInput(operands, func(name string, r io.Reader) error {
		if catOntoItself(r, output) {
			c.errorf("%s: input file is output file", quoteFile(name))
			return nil
		}
		if w.plain() {
			return c.copy(r)
		}
		return w.copy(c, r)
	})
	if err == nil && w.carriage {
		err = c.out.WriteByte('\r')
	}
	return err
}

// catOntoItself reports that what would be read from r is what is written.
func catOntoItself(r io.Reader, output *vfs.Info) bool {
	if output == nil || !output.FileMode.IsRegular() {
		return false
	}
	input := statStream(r)
	_, size, offset, ok := regularFile(r)
	return ok && input != nil && vfs.SameFile(input, output) && offset < size
}

// copy passes r on block by block, unbuffered as GNU cat does.
func (c *call) copy(r io.Reader) error {
	if err := c.out.Flush(); err != nil {
		return err
	}
	block := make([]byte, lines.BlockSize)
	for {
		n, err := r.Read(block)
		if n > 0 {
			if _, err := c.Stdout.Write(block[:n]); err != nil {
				return c.writeError(err)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := c.ctx.Err(); err != nil {
			return err
		}
	}
}

// writeError reports a failed write to stdout and ends the run.
func (c *call) writeError(err error) error {
	if c.ends(err) {
		return err
	}
	if c.program.output.ignores(err) {
		return err
	}
	return c.writeFailed(err)
}

func (w *catWriter) copy(c *call, r io.Reader) error {
	in := lines.NewReader(r, c.Host())
	defer in.Close()
	var row []byte
	for {
		line, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := c.ctx.Err(); err != nil {
			return err
		}
		row = w.format(row[:0], line)
		if _, err := c.out.Write(row); err != nil {
			return c.writeError(err)
		}
	}
}

func (w *catWriter) format(row, line []byte) []byte {
	text, terminated := bytes.CutSuffix(line, []byte("\n"))
	if w.carriage {
		w.carriage = false
		if terminated && len(text) == 0 {
			row = append(row, "^M"...)
		} else {
			row = append(row, '\r')
		}
	}
	if w.ends && !w.nonprinting && !terminated {
		text, w.carriage = bytes.CutSuffix(text, []byte("\r"))
	}
	if !w.midline {
		if len(text) == 0 {
			w.blank++
			if w.squeeze && w.blank > 1 {
				return row
			}
		} else {
			w.blank = 0
		}
		if (w.number && !w.numberNonblank) || (w.numberNonblank && len(text) > 0) {
			w.line++
			for n := len(strconv.Itoa(w.line)); n < 6; n++ {
				row = append(row, ' ')
			}
			row = strconv.AppendInt(row, int64(w.line), 10)
			row = append(row, '\t')
		}
	}
	if w.nonprinting || w.tabs {
		for i, ch := range text {
			if ch == '\r' && w.ends && !w.nonprinting && terminated && i == len(text)-1 {
				row = append(row, "^M"...)
				continue
			}
			row = w.appendByte(row, ch)
		}
	} else if w.ends && terminated && bytes.HasSuffix(text, []byte("\r")) {
		row = append(append(row, text[:len(text)-1]...), "^M"...)
	} else {
		row = append(row, text...)
	}
	w.midline = !terminated
	if terminated {
		if w.ends {
			row = append(row, '$')
		}
		row = append(row, '\n')
	}
	return row
}

func (w *catWriter) appendByte(row []byte, ch byte) []byte {
	if ch == '\t' {
		if w.tabs {
			return append(row, "^I"...)
		}
		return append(row, ch)
	}
	if !w.nonprinting {
		return append(row, ch)
	}
	if ch >= 128 {
		row = append(row, "M-"...)
		ch -= 128
	}
	switch {
	case ch < 32:
		return append(row, '^', ch+64)
	case ch == 127:
		return append(row, "^?"...)
	}
	return append(row, ch)
}

func catProgram(string) *program {
	return &program{
		stdinClosed: "closing standard input",
		output:      outputStyle{closed: "standard output: "},
		usage: `cat [OPTION]... [FILE]...
Write the files, or standard input for none or "-", one after another.

  -A, --show-all           same as -vET
  -b, --number-nonblank    number lines that are not empty (wins over -n)
  -e                       same as -vE
  -E, --show-ends          put $ at each line's end
  -n, --number             number all lines
  -s, --squeeze-blank      keep one of several empty lines in a row
  -t                       same as -vT
  -T, --show-tabs          show tabs as ^I
  -u                       accepted, without effect
  -v, --show-nonprinting   show control and high bytes as ^X and M-x`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'b', Long: "number-nonblank"}, {Key: 'n', Long: "number"}, {Key: 's', Long: "squeeze-blank"},
			{Key: 'v', Long: "show-nonprinting"}, {Key: 'E', Long: "show-ends"}, {Key: 'T', Long: "show-tabs"},
			{Key: 'A', Long: "show-all"}, {Key: 'e'}, {Key: 't'}, {Key: 'u'},
		}},
		run: catRun,
	}
}
