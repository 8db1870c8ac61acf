package builtins

import (
	"bytes"
	"io"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
)

// odCommand is one run of od.
type odCommand struct {
	*call
	types     []odType
	big       bool // --endian=big
	radix     byte // d, o, x or n
	all       bool // -v: show repeated lines too
	skip      uint64
	limited   bool
	limit     uint64 // bytes to read
	width     uint64 // bytes in a line, 0 unless asked for
	widthSet  bool
	least     uint64 // length of strings to look for, with -S
	strings   bool
	modern    bool // an option that rules offsets out as operands
	old       bool // --traditional
	pseudo    bool // offsets stand in parentheses too
	from      uint64
	in        *concatenation
	row       []byte
	wroteStar bool
}

func odRun(c *call) error {
	o := &odCommand{call: c, radix: 'o'}
	bad := false
	operands, err := c.parse(func(p *getopt.Parser) error {
		ok, err := o.option(p)
		bad = bad || !ok
		return err
	})
	if err != nil {
		return err
	}
	if bad {
		return exitWith(1)
	}
	if o.strings && len(o.types) > 0 {
		return c.fatalf("no type may be specified when dumping strings")
	}
	if !o.modern || o.old {
		if operands, err = o.offsets(operands); err != nil {
			return err
		}
	}
	if len(o.types) == 0 {
		o.addTypes("o2")
	}
	o.in = c.concatenate(operands)
	o.in.failed = func(name string, err error) {
		c.noteClosed(name, err)
		c.fileError(displayName(name), err)
	}
	defer o.in.Close()
	if lacking, err := o.in.discard(o.skip); err != nil {
		return err
	} else if lacking > 0 {
		return c.fatalf("cannot skip past end of combined input")
	}
	if more, err := o.in.next(); err != nil || !more {
		return err
	}
	if o.strings {
		return o.dumpStrings()
	}
	return o.dump()
}

func (o *odCommand) option(p *getopt.Parser) (ok bool, err error) {
	short := map[rune]string{
		'a': "a", 'b': "o1", 'c': "c", 'D': "u4", 'd': "u2", 'F': "fD", 'e': "fD", 'f': "fF", 'H': "x4", 'X': "x4",
		'i': "dI", 'I': "dL", 'L': "dL", 'l': "dL", 'O': "o4", 'B': "o2", 'o': "o2", 's': "d2", 'h': "x2", 'x': "x2",
	}
	if format := short[p.Key]; format != "" {
		return o.addTypes(format), nil
	}
	o.modern = o.modern || p.Key < 128 || p.Key == odStrings
	switch p.Key {
	case 'A':
		if p.Value == "" || strings.IndexByte("doxn", p.Value[0]) < 0 {
			return false, o.fatalf("invalid output address radix '%s'; it must be one character from [doxn]", (p.Value + "\x00")[:1])
		}
		o.radix = p.Value[0]
	case 'j':
		o.skip, err = o.amount(p, "bEGKkMmPTYZ0")
	case 'N':
		o.limited = true
		o.limit, err = o.amount(p, "bEGKkMmPTYZ0")
	case 'S', odStrings:
		o.strings, o.least = true, 3
		if p.HasValue {
			o.least, err = o.amount(p, "bEGKkMmPTYZ0")
		}
	case 't':
		return o.addTypes(p.Value), nil
	case 'v':
		o.all = true
	case 'w':
		o.widthSet, o.width = true, 32
		if p.HasValue {
			n, status := parseNumber(p.Value, "")
			if o.width = n; status != numberOK {
				err = o.numberFault(p, status)
			}
		}
	case odTraditional:
		o.old = true
	case odEndian:
		var i int
		i, err = o.argumentMatch("--endian", p.Value, []string{"little", "big"}, nil)
		o.big = i == 1
	}
	return true, err
}

const (
	odTraditional = 256 + iota
	odEndian
	odStrings
)

// amount is an option's number: decimal, octal after 0 or hexadecimal after 0x.
func (o *odCommand) amount(p *getopt.Parser, suffixes string) (uint64, error) {
	n, status := parseNumberAnyBase(p.Value, 0, suffixes)
	if status != numberOK {
		return 0, o.numberFault(p, status)
	}
	return n, nil
}

// numberFault is gnulib's xstrtol_fatal.
func (c *call) numberFault(p *getopt.Parser, status numberError) error {
	option := p.Typed
	if !strings.HasPrefix(option, "--") {
		option = "-" + string(p.Key)
	}
	switch status {
	case numberBadSuffix:
		return c.fatalf("invalid suffix in %s argument '%s'", option, p.Value)
	case numberOverflow:
		return c.fatalf("%s argument '%s' too large", option, p.Value)
	}
	return c.fatalf("invalid %s argument '%s'", option, p.Value)
}

// parseNumberAnyBase is parseNumber with a base, or with C's prefixes for base 0.
func parseNumberAnyBase(s string, base int, suffixes string) (uint64, numberError) {
	digits := strings.TrimPrefix(strings.TrimLeft(s, " \t\n\v\f\r"), "+")
	hexadecimal := len(digits) > 2 && digits[0] == '0' && digits[1]|0x20 == 'x' && digestHexDigits(digits[2:3]) == 1
	switch {
	case base == 0 && hexadecimal:
		base, digits = 16, digits[2:]
	case base == 0 && strings.HasPrefix(digits, "0"):
		base = 8
	case base == 16 && hexadecimal:
		digits = digits[2:]
	case base == 0:
		base = 10
	}
	end := 0
	for end < len(digits) {
		if d := strings.IndexByte("0123456789abcdef", digits[end]|0x20); d < 0 || d >= base {
			break
		}
		end++
	}
	if base == 10 || end == 0 {
		return parseNumber(s, suffixes)
	}
	n, err := strconv.ParseUint(digits[:end], base, 64)
	if err != nil {
		return 1<<64 - 1, numberOverflow
	}
	if end < len(digits) && digits[end] >= '0' && digits[end] <= '9' {
		return n, numberBadSuffix
	}
	return parseNumber(strconv.FormatUint(n, 10)+digits[end:], suffixes)
}

// offsets takes the traditional [+]OFFSET[b] [LABEL] off the operands.
func (o *odCommand) offsets(operands []string) ([]string, error) {
	plus := func(s string) bool { return strings.HasPrefix(s, "+") }
	switch len(operands) {
	case 1:
		if n, ok := odOffset(operands[0]); ok && (o.old || plus(operands[0])) {
			o.skip, operands = n, nil
		}
	case 2:
		second := operands[1]
		n, ok := odOffset(second)
		if !ok || !o.old && !plus(second) && (second == "" || second[0] < '0' || second[0] > '9') {
			break
		}
		if first, ok := odOffset(operands[0]); ok && o.old {
			o.skip, o.pseudo, o.from, operands = first, true, n, nil
		} else {
			o.skip, operands = n, operands[:1]
		}
	case 3:
		if !o.old {
			break
		}
		first, ok := odOffset(operands[1])
		if label, ok2 := odOffset(operands[2]); ok && ok2 {
			o.skip, o.pseudo, o.from, operands = first, true, label, operands[:1]
		}
	}
	if o.old && len(operands) > 1 {
		o.errorf("extra operand %s", quote(operands[1]))
		return nil, o.usageErrorf("compatibility mode supports at most one file")
	}
	o.from -= o.skip
	return operands, nil
}

func odOffset(s string) (uint64, bool) {
	base := 8
	switch {
	case s == "":
		return 0, false
	case strings.Contains(s, "."):
		base = 10
	case strings.HasPrefix(strings.TrimPrefix(s, "+"), "0x") || strings.HasPrefix(strings.TrimPrefix(s, "+"), "0X"):
		base = 16
	}
	n, status := parseNumberAnyBase(s, base, "Bb")
	return n, status == numberOK
}

// addressLength is the room that the lines below a line's first leave for the address.
func (o *odCommand) addressLength() int {
	switch {
	case o.radix == 'x':
		return 6
	case o.radix == 'n' && !o.pseudo:
		return 0
	}
	return 7
}

// address appends offset and, unless it is 0, end.
func (o *odCommand) address(row []byte, offset uint64, end byte) []byte {
	if o.radix == 'n' && !o.pseudo {
		return row
	}
	switch {
	case o.radix == 'n':
		// GNU's then leaves the label out of account.
		row = append(o.number(append(row, '('), offset, 'o'), ')')
	case o.pseudo:
		row = append(o.number(row, offset, o.radix), " ("...)
		row = append(o.number(row, offset+o.from, o.radix), ')')
	default:
		row = o.number(row, offset, o.radix)
	}
	if end != 0 {
		row = append(row, end)
	}
	return row
}

func (o *odCommand) number(row []byte, n uint64, radix byte) []byte {
	base, least := 8, 7
	switch radix {
	case 'd':
		base = 10
	case 'x':
		base, least = 16, 6
	}
	var digits [24]byte
	text := strconv.AppendUint(digits[:0], n, base)
	return append(odFill(row, '0', least-len(text)), text...)
}

func odFill(row []byte, c byte, n int) []byte {
	for ; n > 0; n-- {
		row = append(row, c)
	}
	return row
}

// odMaximumWidth keeps a line's buffers within what a process may have.
const odMaximumWidth = 1 << 30

// layout settles the bytes of a line and the columns of each type.
func (o *odCommand) layout() (perLine, unit int) {
	unit = 1
	for i := range o.types {
		// Sizes are powers of two.
		unit = max(unit, o.types[i].size)
	}
	perLine = unit * (16 / unit)
	if o.widthSet {
		perLine = unit
		if o.width > 0 && o.width%uint64(unit) == 0 && o.width <= odMaximumWidth {
			perLine = int(o.width)
		} else {
			o.warnf("warning: invalid width %d; using %d instead", o.width, unit)
		}
	}
	columns := 0
	for i := range o.types {
		t := &o.types[i]
		columns = max(columns, (t.width+1)*(perLine/t.size))
	}
	for i := range o.types {
		t := &o.types[i]
		t.pad = columns - t.width*(perLine/t.size)
	}
	return perLine, unit
}

func (o *odCommand) dump() error {
	perLine, unit := o.layout()
	size := perLine * max(1, lines.BlockSize/perLine)
	if err := o.Host().Charge(2 * int64(size)); err != nil {
		return err
	}
	defer o.Host().Release(2 * int64(size))
	block, previous := make([]byte, size+unit), make([]byte, 0, perLine)
	offset, left := o.skip, o.limit
	for {
		want := size
		if o.limited {
			want = int(min(left, uint64(size)))
		}
		n, err := io.ReadFull(o.in, block[:want])
		left -= uint64(n)
		end := err == io.EOF || err == io.ErrUnexpectedEOF || want < size || o.limited && left == 0
		if err != nil && !end {
			return err
		}
		clear(block[n:min(len(block), n+unit)])
		for at := 0; at < n; at += perLine {
			k := min(perLine, n-at)
			if err := o.line(block[at:at+k:min(len(block), at+k+unit)], previous, offset, perLine); err != nil {
				return o.writeError(err)
			}
			previous = append(previous[:0], block[at:at+k]...)
			offset += uint64(k)
		}
		if end {
			_, err := o.out.Write(o.address(o.row[:0], offset, '\n'))
			return err
		}
	}
}

// line shows one line of bytes, behind which zeros stand up to the capacity.
func (o *odCommand) line(p, previous []byte, offset uint64, perLine int) error {
	if !o.all && len(p) == perLine && len(previous) == perLine && bytes.Equal(p, previous) {
		if o.wroteStar {
			return nil
		}
		o.wroteStar = true
		_, err := o.out.WriteString("*\n")
		return err
	}
	o.wroteStar = false
	row := o.row[:0]
	for i := range o.types {
		t := &o.types[i]
		fields := perLine / t.size
		blank := (perLine - len(p)) / t.size
		if i == 0 {
			row = o.address(row, offset, 0)
		} else {
			row = odFill(row, ' ', o.addressLength())
		}
		pad := t.pad
		for k, at := fields, 0; k > blank; k, at = k-1, at+t.size {
			next := t.pad * (k - 1) / fields
			row = t.put(row, p[at:at+t.size:at+t.size], pad-next+t.width)
			pad = next
		}
		if t.trailer {
			row = odFill(row, ' ', blank*t.width+t.pad*blank/fields)
			row = append(row, "  >"...)
			for _, c := range p {
				if c < ' ' || c > '~' {
					c = '.'
				}
				row = append(row, c)
			}
			row = append(row, '<')
		}
		row = append(row, '\n')
	}
	o.row = row
	_, err := o.out.Write(row)
	return err
}

// dumpStrings shows runs of printable characters that a NUL ends.
func (o *odCommand) dumpStrings() error {
	block := make([]byte, lines.BlockSize)
	var text []byte
	var charged int64
	defer func() { o.Host().Release(charged) }()
	offset, left := o.skip, o.limit
	for {
		want := uint64(len(block))
		if o.limited {
			want = min(want, left)
		}
		if want == 0 {
			return nil
		}
		n, err := o.in.Read(block[:want])
		left -= uint64(n)
		for i, c := range block[:n] {
			if c >= ' ' && c <= '~' {
				if len(text) == cap(text) {
					grow := int64(max(cap(text), 256))
					if err := o.Host().Charge(grow); err != nil {
						return err
					}
					charged += grow
					text = append(make([]byte, 0, int64(cap(text))+grow), text...)
				}
				text = append(text, c)
				continue
			}
			if c == 0 && uint64(len(text)) >= o.least {
				row := o.address(o.row[:0], offset+uint64(i)-uint64(len(text)), ' ')
				o.row = append(append(row, text...), '\n')
				if _, err := o.out.Write(o.row); err != nil {
					return o.writeError(err)
				}
			}
			text = text[:0]
		}
		offset += uint64(n)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func odProgram(string) *program {
	options := []getopt.Option{
		{Key: 'j', Long: "skip-bytes", Argument: getopt.Required}, {Key: 'A', Long: "address-radix", Argument: getopt.Required},
		{Key: 'N', Long: "read-bytes", Argument: getopt.Required}, {Key: 't', Long: "format", Argument: getopt.Required},
		{Key: 'v', Long: "output-duplicates"}, {Key: 'S', Argument: getopt.Required}, {Key: odStrings, Long: "strings", Argument: getopt.Optional},
		{Key: odTraditional, Long: "traditional"}, {Key: 'w', Long: "width", Argument: getopt.Optional},
		{Key: odEndian, Long: "endian", Argument: getopt.Required},
	}
	for _, letter := range "aBbcDdeFfHhIiLlOosXx" {
		options = append(options, getopt.Option{Key: letter})
	}
	return &program{
		stdinClosed: "standard input",
		usage: `od [OPTION]... [FILE]...
  or:  od [-abcdfilosx]... [FILE] [[+]OFFSET[.][b]]
  or:  od --traditional [OPTION]... [FILE] [[+]OFFSET[.][b] [+][LABEL][.][b]]
Show the bytes of the files one after another, or of standard input, as octal
numbers of two bytes or as the types say.

  -A, --address-radix=RADIX  d, o, x or n for none (o)
      --endian=ORDER         little or big
  -j, --skip-bytes=BYTES     begin after so many bytes
  -N, --read-bytes=BYTES     read no more than that
  -S, --strings[=BYTES]      show strings of at least BYTES (3) that end in NUL
  -t, --format=TYPE          one or more types, see below
  -v, --output-duplicates    show repeated lines instead of a *
  -w, --width[=BYTES]        bytes in a line (16; 32 without BYTES)
      --traditional          take offsets as operands

TYPE is a (named characters), c (characters or escapes), or d, f, o, u, x with a
SIZE in bytes or C, S, I, L (integers), F, D, L (floating); a z behind it shows
the characters at the end of each line. Short for a type: -a a, -b o1, -c c, -d u2,
-f fF, -i dI, -l dL, -o o2, -s d2, -x x2.
BYTES may be hexadecimal or octal and end in b, K, M, G, KB, KiB and so on.`,
		options: getopt.Spec{Options: options},
		run:     odRun,
	}
}
