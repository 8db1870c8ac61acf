package builtins

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/vsh-project/vsh/builtins/internal/basenc"
	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/vfs"
)

// basencCommand is one run of basenc, base64 or base32.
type basencCommand struct {
	*call
	decode, ignoreGarbage bool
	wrap                  uint64 // columns, 0 for one long line
	column                uint64
	encoding              *basenc.Encoding
	row                   []byte
}

// The block sizes decide how much is written before an error: they are GNU's.
const (
	basencEncodeBlock = 30720
	basencDecodeBlock = 5600
)

func basencNames() []string {
	return []string{"base64", "base64url", "base32", "base32hex", "base16", "base2msbf", "base2lsbf", "z85"}
}

func basencRun(c *call) error {
	b := &basencCommand{call: c, wrap: 76, encoding: basenc.ByName(c.program.name)}
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'd':
			b.decode = true
		case 'i':
			b.ignoreGarbage = true
		case 'w':
			n, status := parseNumber(p.Value, "")
			if status == numberOverflow || n > 1<<63-1 {
				n, status = 0, numberOK
			}
			if status != numberOK {
				return c.fatalf("invalid wrap size: %s", quote(p.Value))
			}
			b.wrap = n
		default:
			b.encoding = basenc.ByName(basencNames()[p.Key-256])
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case b.encoding == nil:
		return c.usageErrorf("missing encoding type")
	case len(operands) > 1:
		return c.usageErrorf("extra operand %s", quote(operands[1]))
	case len(operands) == 0:
		operands = []string{"-"}
	}
	r, done, err := c.open(operands[0])
	if err != nil {
		if c.ends(err) {
			return err
		}
		c.fileError(operands[0], err)
		return nil
	}
	defer done()
	if b.decode {
		return b.decodeAll(r)
	}
	return b.encodeAll(r)
}

func (b *basencCommand) encodeAll(r io.Reader) error {
	block, digits := make([]byte, basencEncodeBlock), []byte(nil)
	for {
		n, err := io.ReadFull(r, block)
		if b.encoding.Strict && n%b.encoding.Unit != 0 {
			return b.fatalf("invalid input (length must be multiple of %d characters)", b.encoding.Unit)
		}
		digits = b.encoding.Encode(digits[:0], block[:n])
		if err := b.wrapped(digits); err != nil {
			return b.writeError(err)
		}
		if end, err := b.readEnd(err); end || err != nil {
			if err == nil && b.wrap > 0 && b.column > 0 {
				err = b.out.WriteByte('\n')
			}
			return err
		}
	}
}

// readEnd tells the input's end from trouble.
func (b *basencCommand) readEnd(err error) (bool, error) {
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return true, nil
	case err == nil:
		return false, b.ctx.Err()
	case b.ends(err):
		return false, err
	}
	return false, b.fatalf("read error: %s", vfs.Words(err))
}

func (b *basencCommand) wrapped(digits []byte) error {
	if b.wrap == 0 {
		_, err := b.out.Write(digits)
		return err
	}
	b.row = b.row[:0]
	for len(digits) > 0 {
		if b.column == b.wrap {
			b.row = append(b.row, '\n')
			b.column = 0
		}
		n := min(b.wrap-b.column, uint64(len(digits)))
		b.row = append(b.row, digits[:n]...)
		digits = digits[n:]
		b.column += n
	}
	_, err := b.out.Write(b.row)
	return err
}

func (b *basencCommand) decodeAll(r io.Reader) error {
	d := b.encoding.Decoder()
	block, out := make([]byte, basencDecodeBlock), []byte(nil)
	for {
		n, err := io.ReadFull(r, block)
		in := block[:n]
		if b.ignoreGarbage {
			in = in[:0]
			for _, c := range block[:n] {
				if c == '=' || d.Digit(c) {
					in = append(in, c)
				}
			}
		}
		end, failed := b.readEnd(err)
		if failed != nil {
			return failed
		}
		out, ok := d.Decode(out[:0], in)
		if ok && end {
			out, ok = d.Flush(out)
		}
		if _, err := b.out.Write(out); err != nil {
			return b.writeError(err)
		}
		if !ok {
			return b.fatalf("invalid input")
		}
		if end {
			return nil
		}
	}
}

var basencOptions = []getopt.Option{{Key: 'd', Long: "decode"}, {Key: 'w', Long: "wrap", Argument: getopt.Required}, {Key: 'i', Long: "ignore-garbage"}}

const basencHelp = `
  -d, --decode          decode
  -i, --ignore-garbage  pass over other characters when decoding
  -w, --wrap=COLUMNS    break lines after so many characters, 0 for none (76)`

func baseProgram(name string) *program {
	return &program{
		usage:   name + " [OPTION]... [FILE]\nEncode FILE, or standard input for none or \"-\", in " + name + ".\n" + basencHelp,
		options: getopt.Spec{Options: basencOptions},
		run:     basencRun,
	}
}

func basencProgram(string) *program {
	options := slices.Clone(basencOptions)
	for i, name := range basencNames() {
		options = append(options, getopt.Option{Key: rune(256 + i), Long: name})
	}
	return &program{
		usage: "basenc ENCODING [OPTION]... [FILE]\nEncode FILE, or standard input for none or \"-\".\n\nENCODING is one of --" +
			strings.Join(basencNames(), " --") + ".\n" + basencHelp,
		options: getopt.Spec{Options: options},
		run:     basencRun,
	}
}
