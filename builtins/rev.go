package builtins

import (
	"bytes"
	"io"
	"unicode/utf8"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/vfs"
)

func revRun(c *call) error {
	end := byte('\n')
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case '0':
			end = 0
		case 'V':
			io.WriteString(c.out, "rev (vsh) 0.1\n")
			return errDone
		case 'h':
			io.WriteString(c.out, "Usage: "+c.program.usage+"\n")
			return errDone
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(operands) == 0 {
		return c.reverseLines(c.Stdin, end)
	}
	for _, name := range operands {
		// rev knows no "-".
		f, err := c.View().Open(c.ctx, name, vfs.O_RDONLY, 0)
		if err != nil {
			c.errorf("cannot open %s: %s", name, vfs.Words(err))
			continue
		}
		err = c.reverseLines(f, end)
		f.Close()
		if err != nil {
			if c.ends(err) {
				return err
			}
			c.errorf("%s: %s", name, vfs.Words(err))
		}
	}
	return nil
}

// reverseLines turns each line of r round, character by character; bytes that
// are no character move like one.
func (c *call) reverseLines(r io.Reader, end byte) error {
	in := lines.NewReader(r, c.Host())
	in.Delim = end
	defer in.Close()
	var row []byte
	for {
		line, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = c.ctx.Err()
		}
		if err != nil {
			return err
		}
		text, ended := bytes.CutSuffix(line, []byte{end})
		row = row[:0]
		for len(text) > 0 {
			_, n := utf8.DecodeLastRune(text)
			row = append(row, text[len(text)-n:]...)
			text = text[:len(text)-n]
		}
		if ended {
			row = append(row, end)
		}
		if _, err := c.out.Write(row); err != nil {
			return c.writeError(err)
		}
	}
}

func init() {
	register(program{
		name:    "rev",
		summary: "print lines with their characters reversed",
		usage: `rev [OPTION]... [FILE]...
Print each line of the files, or of standard input, from its end to its start.

  -0, --zero               lines end in NUL`,
		noHelp: true,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: '0', Long: "zero"}, {Key: 'V', Long: "version"}, {Key: 'h', Long: "help"},
		}},
		run: revRun,
	})
}
