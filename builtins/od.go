package builtins

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
)

// odCommand is one run of od.
type odCommand struct {
	*call
	formats     []odFormat
	radix       byte // 'd', 'o', 'x' or 'n'
	skip        uint64
	limit       uint64
	limited     bool
	strings     uint64 // -S: the least length, 0 without
	all         bool   // -v
	width       uint64
	widthGiven  bool
	bigEndian   bool
	modern      bool // an option forbids the old operands
	traditional bool
	pseudo      bool // a second address is shown
	pseudoStart uint64

	block    int // bytes a line
	multiple int // that all sizes divide
	row      []byte
	first    bool
	starred  bool
}

const (
	odKeyTraditional = 256 + iota
	odKeyEndian
	odKeyStrings
	odKeyWidth
)

const odSuffixes = "bEGKkMmPTYZ0"

func odRun(c *call) error {
	o := &odCommand{call: c, radix: 'o', first: true}
	operands, err := c.parse(o.option)
	if err != nil {
		return err
	}
	if o.strings > 0 && len(o.formats) > 0 {
		return c.fatalf("no type may be specified when dumping strings")
	}
	if operands, err = o.oldOperands(operands); err != nil {
		return err
	}
	if len(o.formats) == 0 {
		o.parseType("o2")
	}
	o.layOut()
	in := &odInput{od: o, names: operands}
	if len(operands) == 0 {
		in.names = []string{"-"}
	}
	defer in.close()
	if err := in.skip(o.skip); err != nil {
		return err
	}
	if o.strings > 0 {
		return o.dumpStrings(in)
	}
	return o.dump(in)
}

func (o *odCommand) option(p *getopt.Parser) error {
	old := ""
	switch p.Key {
	case 'A':
		o.modern = true
		if p.Value == "" || strings.IndexByte("doxn", p.Value[0]) < 0 {
			shown := "\x00"
			if p.Value != "" {
				shown = p.Value[:1]
			}
			return o.fatalf("invalid output address radix '%s'; it must be one character from [doxn]", shown)
		}
		o.radix = p.Value[0]
	case 'j':
		o.modern = true
		return o.numberOption(p, odSuffixes, &o.skip)
	case 'N':
		o.modern, o.limited = true, true
		return o.numberOption(p, odSuffixes, &o.limit)
	case 'S', odKeyStrings:
		o.modern, o.strings = true, 3
		if p.HasValue {
			if err := o.numberOption(p, odSuffixes, &o.strings); err != nil {
				return err
			}
			o.strings = max(o.strings, 1)
		}
	case 't':
		o.modern = true
		return o.parseType(p.Value)
	case 'v':
		o.modern, o.all = true, true
	case 'w', odKeyWidth:
		o.modern, o.widthGiven, o.width = true, true, 32
		if p.HasValue {
			return o.numberOption(p, "", &o.width)
		}
	case odKeyTraditional:
		o.traditional = true
	case odKeyEndian:
		i, err := o.argumentMatch("--endian", p.Value, []string{"little", "big"}, nil)
		o.bigEndian = i == 1
		return err
	case 'a', 'c':
		old = string(p.Key)
	case 'b':
		old = "o1"
	case 'D':
		old = "u4"
	case 'd':
		old = "u2"
	case 'F', 'e':
		old = "fD"
	case 'f':
		old = "fF"
	case 'H', 'X':
		old = "x4"
	case 'i':
		old = "dI"
	case 'I', 'L', 'l':
		old = "dL"
	case 'o', 'B':
		old = "o2"
	case 'O':
		old = "o4"
	case 's':
		old = "d2"
	case 'h', 'x':
		old = "x2"
	}
	if old != "" {
		return o.parseType(old)
	}
	return nil
}

// numberOption reads an option's number, which may be octal or hexadecimal.
func (o *odCommand) numberOption(p *getopt.Parser, suffixes string, into *uint64) error {
	n, status := parseAnyNumber(p.Value, suffixes)
	name := p.Typed
	switch status {
	case numberInvalid:
		return o.fatalf("invalid %s argument '%s'", name, p.Value)
	case numberBadSuffix:
		return o.fatalf("invalid suffix in %s argument '%s'", name, p.Value)
	case numberOverflow:
		return o.fatalf("%s argument '%s' too large", name, p.Value)
	}
	*into = n
	return nil
}

// parseAnyNumber is parseNumber for base 0.
func parseAnyNumber(s, suffixes string) (uint64, numberError) {
	t := strings.TrimPrefix(strings.TrimLeft(s, " \t\n\v\f\r"), "+")
	base, digits := 10, "0123456789"
	if len(t) > 2 && (strings.HasPrefix(t, "0x") || strings.HasPrefix(t, "0X")) {
		t, base, digits = t[2:], 16, "0123456789abcdefABCDEF"
	} else if strings.HasPrefix(t, "0") {
		base, digits = 8, "01234567"
	}
	if base == 10 {
		return parseNumber(s, suffixes)
	}
	rest := strings.TrimLeft(t, digits)
	text := t[:len(t)-len(rest)]
	if text == "" {
		return 0, numberInvalid
	}
	n, err := strconv.ParseUint(text, base, 64)
	if err != nil {
		return math.MaxUint64, numberOverflow
	}
	if rest == "" {
		return n, numberOK
	}
	unit, status := parseNumber("1"+rest, suffixes)
	if status != numberOK {
		return n, status
	}
	return multiply(n, unit, &status), status
}

// oldOperands takes [+]OFFSET[.][b] and a label from the end of the operands.
func (o *odCommand) oldOperands(operands []string) ([]string, error) {
	if o.modern && !o.traditional {
		return operands, nil
	}
	offset := func(s string) (uint64, bool) {
		s = strings.TrimPrefix(s, "+")
		base, suffix := 8, uint64(1)
		switch {
		case strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X"):
			s, base = s[2:], 16
		case strings.HasSuffix(s, "b"):
			s, suffix = s[:len(s)-1], 512
		case strings.HasSuffix(s, "B"):
			s, suffix = s[:len(s)-1], 1024
		}
		n, err := strconv.ParseUint(s, base, 64)
		status := numberOK
		n = multiply(n, suffix, &status)
		return n, err == nil && status == numberOK
	}
	switch n := len(operands); {
	case n == 1 && (o.traditional || strings.HasPrefix(operands[0], "+")):
		if skip, ok := offset(operands[0]); ok {
			o.skip = skip
			return nil, nil
		}
	case n == 2 && (o.traditional || operands[1] != "" && (operands[1][0] == '+' || versionDigit(operands[1][0]))):
		second, ok := offset(operands[1])
		if !ok {
			break
		}
		if first, ok := offset(operands[0]); ok && o.traditional {
			o.skip, o.pseudo, o.pseudoStart = first, true, second
			return nil, nil
		}
		o.skip = second
		return operands[:1], nil
	case n == 3 && o.traditional:
		first, ok1 := offset(operands[1])
		second, ok2 := offset(operands[2])
		if ok1 && ok2 {
			o.skip, o.pseudo, o.pseudoStart = first, true, second
			return operands[:1], nil
		}
	}
	if o.traditional && len(operands) > 1 {
		o.errorf("extra operand %s", quote(operands[1]))
		return nil, o.usageErrorf("compatibility mode supports at most one file")
	}
	return operands, nil
}

// odFormat is one -t.
type odFormat struct {
	kind    byte // d o u x f a c
	size    int
	field   int // columns without the blanks before it
	pad     int // blanks of a line
	trailer bool
}

func (o *odCommand) parseType(text string) error {
	for s := text; s != ""; {
		f := odFormat{}
		rest, message := f.parse(s, text)
		if message != "" {
			return o.fatalf("%s", message)
		}
		o.formats = append(o.formats, f)
		s = rest
	}
	return nil
}

func (f *odFormat) parse(s, text string) (rest, message string) {
	f.kind, s = s[0], s[1:]
	switch f.kind {
	case 'd', 'o', 'u', 'x':
		f.size = 4
		if i := strings.IndexByte("CSIL", (s + " ")[0]); i >= 0 {
			f.size, s = 1<<i, s[1:]
		} else if n, after := odDigits(s); after != s {
			if n == math.MaxUint64 {
				return "", "invalid type string " + quote(text)
			}
			if n != 1 && n != 2 && n != 4 && n != 8 {
				return "", fmt.Sprintf("invalid type string %s;\nthis system doesn't provide a %d-byte integral type", quote(text), n)
			}
			f.size, s = int(n), after
		}
		width := map[byte][9]int{
			'd': {0, 4, 6, 0, 11, 0, 0, 0, 20}, 'u': {0, 3, 5, 0, 10, 0, 0, 0, 20},
			'o': {0, 3, 6, 0, 11, 0, 0, 0, 22}, 'x': {0, 2, 4, 0, 8, 0, 0, 0, 16},
		}
		f.field = width[f.kind][f.size]
	case 'f':
		f.size = 8
		if i := strings.IndexByte("FDL", (s + " ")[0]); i >= 0 {
			f.size, s = 4<<i, s[1:]
		} else if n, after := odDigits(s); after != s {
			if n == math.MaxUint64 {
				return "", "invalid type string " + quote(text)
			}
			if n != 4 && n != 8 && n != 16 {
				return "", fmt.Sprintf("invalid type string %s;\nthis system doesn't provide a %d-byte floating point type", quote(text), n)
			}
			f.size, s = int(n), after
		}
		f.field = map[int]int{4: 15, 8: 24, 16: 29}[f.size]
	case 'a', 'c':
		f.size, f.field = 1, 3
	default:
		return "", fmt.Sprintf("invalid character '%c' in type string %s", f.kind, quote(text))
	}
	if strings.HasPrefix(s, "z") {
		f.trailer, s = true, s[1:]
	}
	return s, ""
}

func odDigits(s string) (uint64, string) {
	rest := strings.TrimLeft(s, "0123456789")
	n, err := strconv.ParseUint(s[:len(s)-len(rest)], 10, 64)
	if err != nil && rest != s {
		n = math.MaxUint64
	}
	return n, rest
}

// layOut decides how many bytes a line has and how the formats line up.
func (o *odCommand) layOut() {
	o.multiple = 1
	for _, f := range o.formats {
		o.multiple = max(o.multiple, f.size) // all are powers of two
	}
	o.block = max(16, o.multiple)
	if o.widthGiven {
		if o.width != 0 && o.width%uint64(o.multiple) == 0 && o.width <= 1<<20 {
			o.block = int(o.width)
		} else {
			o.warnf("warning: invalid width %d; using %d instead", o.width, o.multiple)
			o.block = o.multiple
		}
	}
	widest := 0
	for _, f := range o.formats {
		widest = max(widest, (f.field+1)*(o.block/f.size))
	}
	for i := range o.formats {
		f := &o.formats[i]
		f.pad = widest - f.field*(o.block/f.size)
	}
}

// odInput is all operands, one after another.
type odInput struct {
	od    *odCommand
	names []string
	r     io.Reader
	done  func()
}

func (in *odInput) close() {
	if in.done != nil {
		in.done()
	}
	in.r, in.done = nil, nil
}

// read fills p unless the input ends.
func (in *odInput) read(p []byte) (n int, err error) {
	o := in.od
	for n < len(p) {
		if in.r == nil {
			if len(in.names) == 0 {
				return n, nil
			}
			name := in.names[0]
			if in.r, in.done, err = o.open(name); err != nil {
				o.fileError(name, err)
				in.r, in.done = nil, nil
				in.names = in.names[1:]
				continue
			}
		}
		k, err := in.r.Read(p[n:])
		n += k
		if err != nil {
			if err != io.EOF {
				if o.ends(err) {
					return n, err
				}
				o.fileError(displayStdin(in.names[0]), err)
			}
			in.close()
			in.names = in.names[1:]
		}
		if err := o.ctx.Err(); err != nil {
			return n, err
		}
	}
	return n, nil
}

// displayStdin is how od and others call standard input in an error.
func displayStdin(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}

func (in *odInput) skip(n uint64) error {
	block := make([]byte, min(n, 64<<10))
	for n > 0 {
		k, err := in.read(block[:min(n, uint64(len(block)))])
		if err != nil {
			return err
		}
		if k == 0 {
			if in.od.status != 0 {
				return exitWith(in.od.status)
			}
			return in.od.fatalf("cannot skip past end of combined input")
		}
		n -= uint64(k)
	}
	return nil
}

func (o *odCommand) address(offset uint64, end byte) {
	o.row = o.appendAddress(o.row, offset)
	if o.pseudo && o.radix != 'n' {
		o.row = append(o.row, " ("...)
		o.row = append(o.appendAddress(o.row, offset-o.skip+o.pseudoStart), ')')
	}
	if end != 0 && o.radix != 'n' {
		o.row = append(o.row, end)
	}
}

func (o *odCommand) appendAddress(row []byte, offset uint64) []byte {
	base, width := 8, 7
	switch o.radix {
	case 'n':
		return row
	case 'd':
		base = 10
	case 'x':
		base, width = 16, 6
	}
	return appendPadded(row, strconv.FormatUint(offset, base), width, '0')
}

func appendPadded(row []byte, text string, width int, with byte) []byte {
	for n := len(text); n < width; n++ {
		row = append(row, with)
	}
	return append(row, text...)
}

func (o *odCommand) dump(in *odInput) error {
	var blocks [2][]byte
	blocks[0], blocks[1] = make([]byte, o.block), make([]byte, o.block)
	offset, left := o.skip, o.limit
	for i := 0; ; i = 1 - i {
		want := uint64(o.block)
		if o.limited {
			want = min(want, left)
		}
		n, err := in.read(blocks[i][:want])
		if err != nil {
			return err
		}
		left -= uint64(n)
		if n > 0 {
			clear(blocks[i][n:])
			if err := o.line(offset, n, blocks[1-i], blocks[i]); err != nil {
				return err
			}
			offset += uint64(n)
		}
		if n < o.block {
			break
		}
	}
	o.row = o.row[:0]
	o.address(offset, '\n')
	o.out.Write(o.row)
	return nil
}

// line writes n bytes of a block in all formats, or * once for blocks like the
// one before.
func (o *odCommand) line(offset uint64, n int, previous, block []byte) error {
	if !o.all && !o.first && n == o.block && bytes.Equal(previous, block) {
		if !o.starred {
			o.starred = true
			o.out.WriteString("*\n")
		}
		return nil
	}
	o.starred, o.first = false, false
	o.row = o.row[:0]
	for i := range o.formats {
		f := &o.formats[i]
		if i == 0 {
			o.address(offset, 0)
		} else if o.radix != 'n' {
			width := 7
			if o.radix == 'x' {
				width = 6
			}
			if o.pseudo {
				width += width + 3
			}
			o.row = appendPadded(o.row, "", width, ' ')
		}
		fields := o.block / f.size
		blank := (o.block - n) / f.size
		padLeft := f.pad
		for k := fields; k > blank; k-- {
			next := f.pad * (k - 1) / fields
			at := (fields - k) * f.size
			o.row = f.append(o.row, block[at:at+f.size], padLeft-next+f.field, o.bigEndian)
			padLeft = next
		}
		if f.trailer {
			o.row = appendPadded(o.row, "", blank*f.field+f.pad*blank/fields, ' ')
			o.row = append(o.row, "  >"...)
			for _, c := range block[:n] {
				if c < ' ' || c > '~' {
					c = '.'
				}
				o.row = append(o.row, c)
			}
			o.row = append(o.row, '<')
		}
		o.row = append(o.row, '\n')
	}
	if _, err := o.out.Write(o.row); err != nil {
		return o.writeError(err)
	}
	return nil
}

// append formats one datum, right-justified in width columns.
func (f *odFormat) append(row, datum []byte, width int, big bool) []byte {
	switch f.kind {
	case 'a':
		return appendPadded(row, odName(datum[0]&0x7f), width, ' ')
	case 'c':
		return appendPadded(row, odChar(datum[0]), width, ' ')
	case 'f':
		return appendPadded(row, odFloat(datum, big), width, ' ')
	}
	n := odInteger(datum, big)
	var text string
	switch f.kind {
	case 'd':
		shift := uint(64 - 8*len(datum))
		text = strconv.FormatInt(int64(n<<shift)>>shift, 10)
	case 'u':
		text = strconv.FormatUint(n, 10)
	case 'o':
		text = strconv.FormatUint(n, 8)
	case 'x':
		text = strconv.FormatUint(n, 16)
	}
	if f.kind == 'o' || f.kind == 'x' {
		row = appendPadded(row, "", width-f.field, ' ')
		return appendPadded(row, text, f.field, '0')
	}
	return appendPadded(row, text, width, ' ')
}

func odInteger(datum []byte, big bool) uint64 {
	var n uint64
	for i, c := range datum {
		if big {
			n = n<<8 | uint64(c)
		} else {
			n |= uint64(c) << (8 * i)
		}
	}
	return n
}

func odName(c byte) string {
	const names = "nulsohstxetxeotenqackbel bs ht nl vt ff cr so sidledc1dc2dc3dc4naksynetbcan emsubesc fs gs rs us sp"
	switch {
	case c <= ' ':
		return strings.TrimLeft(names[3*c:3*c+3], " ")
	case c == 0x7f:
		return "del"
	}
	return string(rune(c))
}

func odChar(c byte) string {
	switch {
	case c == 0:
		return `\0`
	case c >= '\a' && c <= '\r':
		return `\` + string("abtnvfr"[c-'\a'])
	case c >= ' ' && c <= '~':
		return string(rune(c))
	}
	return string([]byte{'0' + c>>6, '0' + c>>3&7, '0' + c&7})
}

// dumpStrings is -S: runs of printable characters that end in NUL.
func (o *odCommand) dumpStrings(in *odInput) error {
	offset, left := o.skip, o.limit
	var text []byte
	block := make([]byte, 32<<10)
	var charged int64
	defer func() { o.Host().Release(charged) }()
	for {
		want := uint64(len(block))
		if o.limited {
			want = min(want, left)
		}
		n, err := in.read(block[:want])
		if err != nil {
			return err
		}
		left -= uint64(n)
		for _, c := range block[:n] {
			if c == 0 && uint64(len(text)) >= o.strings {
				o.row = o.row[:0]
				o.address(offset-uint64(len(text)), ' ')
				o.row = append(append(o.row, text...), '\n')
				if _, err := o.out.Write(o.row); err != nil {
					return o.writeError(err)
				}
			}
			offset++
			if c < ' ' || c > '~' {
				text = text[:0]
			} else {
				text = append(text, c)
			}
		}
		if size := int64(cap(text)); size > charged {
			if err := o.Host().Charge(size - charged); err != nil {
				return err
			}
			charged = size
		}
		if n == 0 {
			return nil
		}
	}
}

func init() {
	options := []getopt.Option{
		{Key: 'j', Long: "skip-bytes", Argument: getopt.Required}, {Key: 'A', Long: "address-radix", Argument: getopt.Required},
		{Key: 'N', Long: "read-bytes", Argument: getopt.Required}, {Key: 't', Long: "format", Argument: getopt.Required},
		{Key: 'v', Long: "output-duplicates"}, {Key: odKeyStrings, Long: "strings", Argument: getopt.Optional},
		{Key: odKeyTraditional, Long: "traditional"}, {Key: odKeyWidth, Long: "width", Argument: getopt.Optional},
		{Key: odKeyEndian, Long: "endian", Argument: getopt.Required},
		{Key: 'S', Argument: getopt.Required}, {Key: 'w', Argument: getopt.Optional},
	}
	for _, letter := range "abcDdeFfHhIiLlOoBsXx" {
		options = append(options, getopt.Option{Key: letter})
	}
	register(program{
		name:    "od",
		summary: "dump files in octal, hex, characters (-A -t -j -N -c -x -v -w)",
		usage: `od [OPTION]... [FILE]...
   or: od [-abcdfilosx]... [FILE] [[+]OFFSET[.][b]]
   or: od --traditional [OPTION]... [FILE] [[+]OFFSET[.][b] [+][LABEL][.][b]]
Print the bytes of all files, or of standard input, in octal two-byte units
unless a type is given.

  -A, --address-radix=RADIX  addresses in d, o, x, or n for none
      --endian={big|little}  the order of bytes
  -j, --skip-bytes=BYTES   leave out the first BYTES
  -N, --read-bytes=BYTES   at most BYTES
  -S BYTES, --strings[=BYTES]  strings of at least BYTES (3) that end in NUL
  -t, --format=TYPE        one or more types
  -v, --output-duplicates  do not print * for equal lines
  -w[BYTES], --width[=BYTES]  BYTES a line (32)
      --traditional        accept the third form

TYPE is a (named characters), c (characters with escapes), or d, o, u, x, f with
a size in bytes or C, S, I, L (f: F, D, L); z behind it adds the characters.
-a -b -c -d -f -i -l -o -s -x are -t a, o1, c, u2, fF, dI, dL, o2, d2, x2.`,
		options: getopt.Spec{Options: options},
		run:     odRun,
	})
}
