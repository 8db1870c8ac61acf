package builtins

import (
	"bufio"
	"fmt"

	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/vfs"
)

// stringsCommand is one run of strings.
type stringsCommand struct {
	*call
	least      uint64
	radix      byte // 'o', 'd', 'x' or 0
	encoding   byte
	unicode    byte
	names      bool
	whitespace bool
	separator  string
	in         *bufio.Reader
	offset     uint64
}

func stringsRun(c *call) error {
	s := &stringsCommand{call: c, least: 4, encoding: 's', unicode: 'd', separator: "\n"}
	operands, err := c.parse(s.option)
	if err != nil {
		return err
	}
	if s.unicode != 'd' && s.encoding == 's' {
		s.encoding = 'S'
	}
	named := operands[:0:0]
	for _, o := range operands {
		if o != "-" {
			named = append(named, o)
		}
	}
	if len(named) == 0 && len(operands) > 0 {
		return s.usage()
	}
	if len(named) == 0 {
		s.in = bufio.NewReaderSize(s.Stdin, 64<<10)
		if err := s.input("{standard input}"); err != nil && s.ends(err) {
			return err
		}
		return nil
	}
	for _, name := range named {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		info, err := s.View().Stat(s.ctx, name)
		switch {
		case vfs.Errno(err) == vfs.ENOENT:
			s.errorf("'%s': No such file", name)
			continue
		case err != nil:
			s.errorf("Warning: could not locate '%s'.  reason: %s", name, vfs.Words(err))
			continue
		case info.IsDir():
			s.errorf("Warning: '%s' is a directory", name)
			continue
		}
		r, done, err := s.open(name)
		if err == nil {
			s.in, s.offset = bufio.NewReaderSize(r, 64<<10), 0
			err = s.input(name)
			done()
		}
		if err != nil {
			if s.ends(err) {
				return err
			}
			s.errorf("%s: %s", name, vfs.Words(err))
		}
	}
	return nil
}

// usage is what a wrong option is answered with.
func (s *stringsCommand) usage() error {
	s.out.Flush()
	io.WriteString(s.Stderr, "Usage: "+s.program.usage+"\n")
	return exitWith(1)
}

func (s *stringsCommand) option(p *getopt.Parser) error {
	letter := func(valid string, to *byte) error {
		if len(p.Value) != 1 || strings.IndexByte(valid, p.Value[0]) < 0 {
			return s.usage()
		}
		*to = p.Value[0]
		return nil
	}
	switch p.Key {
	case 'f':
		s.names = true
	case 'n':
		n, bad := parseNumberAnyBase(p.Value, 0, "")
		if bad == numberInvalid || bad == numberBadSuffix {
			return s.fatalf("invalid integer argument %s", p.Value)
		}
		return s.setLeast(n)
	case '0':
		n, _ := parseNumber(p.Value, "")
		return s.setLeast(n)
	case 't':
		return letter("odx", &s.radix)
	case 'o':
		s.radix = 'o'
	case 'w':
		s.whitespace = true
	case 'e':
		return letter("sSblBL", &s.encoding)
	case 'U':
		switch p.Value {
		case "default", "d", "show", "s", "locale", "l", "invalid", "i", "hex", "x", "escape", "e", "highlight", "h":
			if s.unicode = p.Value[0]; p.Value == "hex" {
				s.unicode = 'x'
			}
		default:
			return s.fatalf("invalid argument to -U/--unicode: %s", p.Value)
		}
	case 's':
		s.separator = p.Value
	case 'h':
		return s.showHelp()
	case 'v', 'V':
		return s.showVersion()
	}
	return nil
}

func (s *stringsCommand) setLeast(n uint64) error {
	if n == 0 {
		return s.fatalf("invalid minimum string length %d", n)
	}
	s.least = n
	return nil
}

// errStringsEnd is the end of the input.
var errStringsEnd = io.ErrUnexpectedEOF

// character is the next character that can be shown and its bytes; ok is false
// where there is none, and one byte has been passed over.
func (s *stringsCommand) character(text []byte) (shown []byte, ok bool, err error) {
	if s.offset&0xffff == 0 {
		if err := s.ctx.Err(); err != nil {
			return text, false, err
		}
	}
	size := 1
	switch s.encoding {
	case 'b', 'l':
		size = 2
	case 'B', 'L':
		size = 4
	}
	raw, err := s.in.Peek(max(size, 1))
	if len(raw) < size {
		if err == io.EOF || err == nil {
			err = errStringsEnd
		}
		return text, false, err
	}
	var c rune
	switch s.encoding {
	case 'b':
		c = rune(raw[0])<<8 | rune(raw[1])
	case 'l':
		c = rune(raw[1])<<8 | rune(raw[0])
	case 'B':
		c = rune(int32(uint32(raw[0])<<24 | uint32(raw[1])<<16 | uint32(raw[2])<<8 | uint32(raw[3])))
	case 'L':
		c = rune(int32(uint32(raw[3])<<24 | uint32(raw[2])<<16 | uint32(raw[1])<<8 | uint32(raw[0])))
	default:
		c = rune(raw[0])
	}
	if s.unicode != 'd' && c >= 0x80 {
		return s.multibyte(text)
	}
	printable := c == '\t' || c >= ' ' && c < 0x7f || s.whitespace && c >= '\n' && c <= '\r' || s.encoding == 'S' && c > 127 && c < 256
	if !printable {
		s.in.Discard(1)
		s.offset++
		return text, false, nil
	}
	s.in.Discard(size)
	s.offset += uint64(size)
	return append(text, byte(c)), true, nil
}

// multibyte shows a character of UTF-8 as -U asks.
func (s *stringsCommand) multibyte(text []byte) ([]byte, bool, error) {
	raw, _ := s.in.Peek(utf8.UTFMax)
	r, size := utf8.DecodeRune(raw)
	if r == utf8.RuneError && size <= 1 || s.unicode == 'i' {
		s.in.Discard(1)
		s.offset++
		return text, false, nil
	}
	switch s.unicode {
	case 'x':
		text = append(text, "<0x"...)
		for _, b := range raw[:size] {
			text = append(text, "0123456789abcdef"[b>>4], "0123456789abcdef"[b&15])
		}
		text = append(text, '>')
	case 'e', 'h':
		if size == 4 {
			// The digits that binutils shows for these are not the character's number.
			text = fmt.Appendf(text, `\u%02x%02x%02x`, (raw[0]&7)<<6|(raw[1]&0x3c)>>2, (raw[1]&3)<<6|(raw[2]&0x3c)>>2, (raw[2]&3)<<6|raw[3]&0x3f)
		} else {
			text = fmt.Appendf(text, `\u%04x`, r)
		}
	default:
		text = append(text, raw[:size]...)
	}
	s.in.Discard(size)
	s.offset += uint64(size)
	return text, true, nil
}

// input prints the strings of one file.
func (s *stringsCommand) input(name string) error {
	var text []byte
	charged := 0
	defer func() { s.Host().Release(int64(charged)) }()
	for {
		text = text[:0]
		start, count := s.offset, uint64(0)
		var ok bool
		var err error
		for count < s.least {
			if cap(text)-len(text) < 64 {
				more := max(cap(text), 256)
				if err := s.Host().Charge(int64(more)); err != nil {
					return err
				}
				charged += more
				text = append(make([]byte, 0, cap(text)+more), text...)
			}
			if text, ok, err = s.character(text); !ok {
				break
			}
			count++
		}
		if err == errStringsEnd {
			return nil
		}
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if s.names {
			s.out.WriteString(name + ": ")
		}
		s.address(start)
		s.out.Write(text)
		for {
			if text, ok, err = s.character(text[:0]); !ok {
				break
			}
			if _, err := s.out.Write(text); err != nil {
				return err
			}
		}
		s.out.WriteString(s.separator)
		if err == errStringsEnd {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (s *stringsCommand) address(at uint64) {
	base := 10
	switch s.radix {
	case 0:
		return
	case 'o':
		base = 8
	case 'x':
		base = 16
	}
	digits := strconv.FormatUint(at, base)
	for i := len(digits); i < 7; i++ {
		s.out.WriteByte(' ')
	}
	s.out.WriteString(digits + " ")
}

func stringsProgram(string) *program {
	return &program{
		output: outputStyle{unchecked: true},
		usage: `strings [OPTION]... [FILE]...
Print runs of printable characters in files, or in standard input.

  -a, --all             the whole file, as always here
  -d, --data            accepted: the whole file all the same
  -e, --encoding=E      s: 7 bits, S: 8 bits, b, l: 16, B, L: 32 (big, little endian)
  -f, --print-file-name each file's name before a string
  -n, --bytes=N         at least N characters: 4; -N too
  -o                    as -t o
  -s, --output-separator=TEXT  after each string instead of a newline
  -t, --radix=R         where each string starts: o, d or x
  -T, --target=NAME     accepted, without effect
  -U, --unicode=HOW     UTF-8: default, show, invalid, hex, escape, highlight
  -w, --include-all-whitespace  newlines and their kin belong to strings
  -h, --help; -v, --version`,
		options: getopt.Spec{Digits: true, Options: []getopt.Option{
			{Key: 'a', Long: "all"}, {Key: 'd', Long: "data"}, {Key: 'f', Long: "print-file-name"}, {Key: 'n', Long: "bytes", Argument: getopt.Required},
			{Key: 't', Long: "radix", Argument: getopt.Required}, {Key: 'o'}, {Key: 'w', Long: "include-all-whitespace"},
			{Key: 'e', Long: "encoding", Argument: getopt.Required}, {Key: 'T', Long: "target", Argument: getopt.Required},
			{Key: 's', Long: "output-separator", Argument: getopt.Required}, {Key: 'U', Long: "unicode", Argument: getopt.Required},
			{Key: 'h'}, {Key: 'v'}, {Key: 'V'},
		}},
		run: stringsRun,
	}
}
