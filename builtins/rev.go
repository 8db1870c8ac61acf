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
	operands, err := c.parse(func(p *getopt.Parser) error {
		if p.Key == 'V' {
			writeVersion(c.out, "rev")
		} else {
			io.WriteString(c.out, "Usage: "+c.program.usage+"\n")
		}
		return errDone
	})
	if err != nil {
		return err
	}
	if len(operands) == 0 {
		return c.reverseLines("stdin", c.Stdin)
	}
	for _, name := range operands {
		// rev knows no "-".
		f, err := c.View().Open(c.ctx, name, vfs.O_RDONLY, 0)
		if err != nil {
			c.errorf("cannot open %s: %s", name, vfs.Words(err))
			continue
		}
		err = c.reverseLines(name, f)
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// reverseLines turns each line of r round, character by character. As in
// util-linux, a byte that is no character ends the file, and what stands
// between a NUL and the next line is lost.
func (c *call) reverseLines(name string, r io.Reader) error {
	in := lines.NewReader(r, c.Host())
	defer in.Close()
	var row, kept []byte
	for number := 0; ; number++ {
		line, err := in.Next()
		if err == io.EOF {
			_, err = c.out.Write(reverseText(row[:0], kept))
			return err
		}
		if err == nil {
			err = c.ctx.Err()
		}
		if err != nil && c.ends(err) {
			return err
		}
		if err != nil || !utf8.Valid(line) {
			cause := "Invalid or incomplete multibyte or wide character"
			if err != nil {
				cause = vfs.Words(err)
			}
			c.errorf("%s: %d: %s", name, number, cause)
			return nil
		}
		if i := bytes.IndexByte(line, 0); i >= 0 {
			kept = append(kept, line[:i]...)
			continue
		}
		if len(kept) > 0 {
			line = append(kept, line...)
		}
		text, ended := bytes.CutSuffix(line, []byte{'\n'})
		row = reverseText(row[:0], text)
		kept = kept[:0]
		if ended {
			row = append(row, '\n')
		}
		if _, err := c.out.Write(row); err != nil {
			return c.writeError(err)
		}
	}
}

func reverseText(row, text []byte) []byte {
	for len(text) > 0 {
		_, n := utf8.DecodeLastRune(text)
		row = append(row, text[len(text)-n:]...)
		text = text[:len(text)-n]
	}
	return row
}

func revProgram(string) *program {
	return &program{
		output: outputStyle{closedIsFine: true},
		usage: `rev [OPTION] [FILE]...
Print each line of the files, or of standard input, from its end to its start.`,
		noHelp:  true,
		options: getopt.Spec{Options: []getopt.Option{{Key: 'V', Long: "version"}, {Key: 'h', Long: "help"}}},
		run:     revRun,
	}
}
