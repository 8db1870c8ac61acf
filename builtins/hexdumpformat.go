package builtins

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// hexdumpFormat is one format: units that are printed in turn.
type hexdumpFormat struct{ units []hexdumpUnit }

// hexdumpUnit is [REPEAT][/BYTES] "TEXT" of a format.
type hexdumpUnit struct {
	repeat    int
	repeatSet bool
	bytes     int
	text      string
	prints    []hexdumpPrint
	last      bool // it holds %_A and is printed at the end
}

type hexdumpKind uint8

const (
	hexdumpText hexdumpKind = iota
	hexdumpAddress
	hexdumpChar      // %c
	hexdumpEscaped   // %_c
	hexdumpPrintable // %_p
	hexdumpNamed     // %_u
	hexdumpSigned
	hexdumpUnsigned
	hexdumpFloat
	hexdumpString
)

// hexdumpPrint is one conversion and the text around it.
type hexdumpPrint struct {
	kind          hexdumpKind
	size          int // bytes taken
	before, after string
	flags         string
	width         int
	precision     int // -1: none
	verb          byte
	// trim drops the blank at the end of the last repetition.
	trim bool
}

const hexdumpWidest = 1 << 16

// add reads one format.
func (h *hexdumpCommand) add(text string) error {
	var f hexdumpFormat
	bad := func() error { return h.fatalf("bad format {%s}", text) }
	s := text
	blank := func() { s = strings.TrimLeft(s, " \t\n\v\f\r") }
	number := func() int {
		n := 0
		for s != "" && versionDigit(s[0]) {
			n = min(n*10+int(s[0]-'0'), hexdumpLargestBlock+1)
			s = s[1:]
		}
		return n
	}
	for {
		if blank(); s == "" {
			break
		}
		u := hexdumpUnit{repeat: 1}
		if versionDigit(s[0]) {
			u.repeat, u.repeatSet = number(), true
			if s == "" || s[0] != '/' && !strings.ContainsRune(" \t\n\v\f\r", rune(s[0])) {
				return bad()
			}
			blank()
		}
		if strings.HasPrefix(s, "/") {
			s = s[1:]
			blank()
			if s == "" || !versionDigit(s[0]) {
				return bad()
			}
			u.bytes = number()
			if s == "" || !strings.ContainsRune(" \t\n\v\f\r", rune(s[0])) {
				return bad()
			}
			blank()
		}
		if !strings.HasPrefix(s, `"`) {
			return bad()
		}
		end := strings.IndexByte(s[1:], '"')
		if end < 0 {
			return bad()
		}
		u.text = hexdumpUnescape(s[1 : end+1])
		s = s[end+2:]
		f.units = append(f.units, u)
	}
	h.formats = append(h.formats, f)
	return nil
}

func hexdumpUnescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '\\' {
			if i++; i == len(s) {
				b.WriteByte('\\')
				break
			}
			c = s[i]
			if at := strings.IndexByte("abfnrtv", c); at >= 0 {
				c = "\a\b\f\n\r\t\v"[at]
			}
		}
		b.WriteByte(c)
	}
	return b.String()
}

// size is how many bytes a format takes in; what its conversions default to
// where no count is given.
func (f *hexdumpFormat) size() int {
	total := 0
	for i := range f.units {
		u := &f.units[i]
		if u.bytes > 0 {
			total += u.bytes * u.repeat
			continue
		}
		each := 0
		for at := 0; ; {
			i := strings.IndexByte(u.text[at:], '%')
			if i < 0 {
				break
			}
			at += i + 1
			at += len(u.text[at:]) - len(strings.TrimLeft(u.text[at:], " -+#0123456789"))
			precision := 0
			if strings.HasPrefix(u.text[at:], ".") {
				for at++; at < len(u.text) && versionDigit(u.text[at]); at++ {
					precision = min(precision*10+int(u.text[at]-'0'), hexdumpLargestBlock+1)
				}
			}
			if at == len(u.text) {
				break
			}
			switch u.text[at] {
			case 'c':
				each++
			case 'd', 'i', 'o', 'u', 'x', 'X':
				each += 4
			case 'e', 'E', 'f', 'g', 'G':
				each += 8
			case 's':
				each += precision
			case '_':
				if at++; at < len(u.text) && strings.IndexByte("cpu", u.text[at]) >= 0 {
					each++
				}
			}
		}
		total = min(total+min(each*u.repeat, hexdumpLargestBlock+1), hexdumpLargestBlock+1)
	}
	return total
}

// rewrite splits each unit into conversions.
func (h *hexdumpCommand) rewrite(f *hexdumpFormat) error {
	taken := 0
	for i := range f.units {
		u := &f.units[i]
		if err := h.conversions(u); err != nil {
			return err
		}
		each := 0
		for _, p := range u.prints {
			each += p.size
		}
		taken += each * u.repeat
		if i == len(f.units)-1 && !u.repeatSet && each > 0 && taken < h.block {
			// The last unit goes on as long as the longest format.
			more := (h.block - taken) / each
			u.repeat += more
		}
		if u.repeat > 1 && len(u.prints) > 0 {
			u.prints[len(u.prints)-1].trim = true
		}
		if u.last && h.end == nil {
			h.end = u
		}
	}
	return nil
}

func (h *hexdumpCommand) conversions(u *hexdumpUnit) error {
	text, count := u.text, 0
	literal := ""
	for text != "" {
		i := strings.IndexByte(text, '%')
		if i < 0 {
			literal += text
			text = ""
			break
		}
		p := hexdumpPrint{before: literal + text[:i], precision: -1}
		literal = ""
		text = text[i+1:]
		rest := strings.TrimLeft(text, " -+#0")
		p.flags, text = text[:len(text)-len(rest)], rest
		for text != "" && versionDigit(text[0]) {
			p.width = min(p.width*10+int(text[0]-'0'), hexdumpWidest)
			text = text[1:]
		}
		if strings.HasPrefix(text, ".") {
			p.precision = 0
			for text = text[1:]; text != "" && versionDigit(text[0]); text = text[1:] {
				p.precision = min(p.precision*10+int(text[0]-'0'), hexdumpWidest)
			}
		}
		if text == "" {
			return h.fatalf("bad conversion character %%%s", text)
		}
		p.verb = text[0]
		name := text[:1]
		badCount := func(valid ...int) error {
			for _, v := range valid {
				if u.bytes == v {
					p.size = v
					return nil
				}
			}
			if u.bytes == 0 {
				p.size = valid[0]
				return nil
			}
			return h.fatalf("bad byte count for conversion character %s", name)
		}
		var err error
		switch p.verb {
		case 'c':
			p.kind, err = hexdumpChar, badCount(1)
		case 'd', 'i':
			p.verb, p.kind, err = 'd', hexdumpSigned, badCount(4, 1, 2, 8)
		case 'o', 'u', 'x', 'X':
			p.kind, err = hexdumpUnsigned, badCount(4, 1, 2, 8)
		case 'e', 'E', 'f', 'g', 'G':
			p.kind, err = hexdumpFloat, badCount(8, 4)
		case 's':
			p.kind = hexdumpString
			switch {
			case p.precision > 0:
				p.size = p.precision
			case u.bytes > 0:
				p.size = u.bytes
			default:
				return h.fatalf("%%s requires a precision or a byte count")
			}
		case '_':
			if len(text) < 2 {
				return h.fatalf("bad conversion character %%_")
			}
			name = text[:2]
			switch text[1] {
			case 'A', 'a':
				u.last = u.last || text[1] == 'A'
				if len(text) < 3 || strings.IndexByte("dox", text[2]) < 0 {
					return h.fatalf("bad conversion character %%%s", text[:min(len(text), 3)])
				}
				p.kind, p.verb = hexdumpAddress, text[2]
				text = text[1:]
			case 'c':
				p.kind, err = hexdumpEscaped, badCount(1)
			case 'p':
				p.kind, err = hexdumpPrintable, badCount(1)
			case 'u':
				p.kind, err = hexdumpNamed, badCount(1)
			default:
				return h.fatalf("bad conversion character %%%s", name)
			}
			text = text[1:]
		default:
			return h.fatalf("bad conversion character %%%s", name)
		}
		if err != nil {
			return err
		}
		text = text[1:]
		// What stands behind a conversion belongs to it.
		end := strings.IndexByte(text, '%')
		if end < 0 {
			end = len(text)
		}
		p.after, text = text[:end], text[end:]
		u.prints = append(u.prints, p)
		if p.kind != hexdumpAddress {
			count++
		}
		if count > 1 && u.bytes > 0 {
			return h.fatalf("byte count with multiple conversion characters")
		}
	}
	if literal != "" {
		u.prints = append(u.prints, hexdumpPrint{kind: hexdumpText, before: literal, size: 0})
	}
	return nil
}

// append prints one conversion; missing ones are blanks of the same width.
func (p *hexdumpPrint) append(row, bytes []byte, address int64, missing, final bool) []byte {
	after := p.after
	if p.kind == hexdumpText {
		row = append(row, p.before...)
	}
	if p.trim && final {
		if p.kind == hexdumpText {
			if n := len(row); n > 0 && strings.IndexByte(" \t\n\v\f\r", row[n-1]) >= 0 {
				row = row[:n-1]
			}
		} else if n := len(after); n > 0 && strings.IndexByte(" \t\n\v\f\r", after[n-1]) >= 0 {
			after = after[:n-1]
		}
	}
	if p.kind == hexdumpText {
		return row
	}
	row = append(row, p.before...)
	if missing {
		row = p.pad(row, "", "")
		return append(row, after...)
	}
	switch p.kind {
	case hexdumpAddress:
		row = p.number(row, uint64(address), false)
	case hexdumpChar:
		row = p.pad(row, "", string(bytes[:1]))
	case hexdumpPrintable:
		c := bytes[0]
		if c < ' ' || c > '~' {
			c = '.'
		}
		row = p.pad(row, "", string(rune(c)))
	case hexdumpEscaped:
		c := bytes[0]
		text := fmt.Sprintf("%03o", c)
		if i := strings.IndexByte("\x00\a\b\f\n\r\t\v", c); i >= 0 {
			text = `\` + "0abfnrtv"[i:i+1]
		} else if c >= ' ' && c <= '~' {
			text = string(rune(c))
		}
		row = p.pad(row, "", text)
	case hexdumpNamed:
		c := bytes[0]
		text := fmt.Sprintf("%02x", c)
		switch {
		case c < ' ':
			text = strings.Fields("nul soh stx etx eot enq ack bel bs ht lf vt ff cr so si dle dcl dc2 dc3 dc4 nak syn etb can em sub esc fs gs rs us")[c]
		case c == 0x7f:
			text = "del"
		case c < 0x7f:
			text = string(rune(c))
		}
		row = p.pad(row, "", text)
	case hexdumpSigned, hexdumpUnsigned:
		var n uint64
		switch p.size {
		case 1:
			n = uint64(int64(int8(bytes[0])))
			if p.kind == hexdumpUnsigned {
				n = uint64(bytes[0])
			}
		case 2:
			v := binary.LittleEndian.Uint16(bytes)
			n = uint64(int64(int16(v)))
			if p.kind == hexdumpUnsigned {
				n = uint64(v)
			}
		case 4:
			v := binary.LittleEndian.Uint32(bytes)
			n = uint64(int64(int32(v)))
			if p.kind == hexdumpUnsigned {
				n = uint64(v)
			}
		default:
			n = binary.LittleEndian.Uint64(bytes)
		}
		row = p.number(row, n, p.kind == hexdumpSigned)
	case hexdumpFloat:
		f := 0.0
		if p.size == 4 {
			f = float64(math.Float32frombits(binary.LittleEndian.Uint32(bytes)))
		} else {
			f = math.Float64frombits(binary.LittleEndian.Uint64(bytes))
		}
		row = p.float(row, f)
	case hexdumpString:
		text := bytes[:min(p.size, len(bytes))]
		if i := strings.IndexByte(string(text), 0); i >= 0 {
			text = text[:i]
		}
		row = p.pad(row, "", string(text))
	}
	return append(row, after...)
}

// pad puts sign and text into the field's width.
func (p *hexdumpPrint) pad(row []byte, sign, text string) []byte {
	blanks := max(0, p.width-len(sign)-len(text))
	if strings.Contains(p.flags, "-") {
		row = append(append(row, sign...), text...)
		return odFill(row, ' ', blanks)
	}
	row = odFill(row, ' ', blanks)
	return append(append(row, sign...), text...)
}

func (p *hexdumpPrint) number(row []byte, n uint64, signed bool) []byte {
	base := 10
	switch p.verb {
	case 'o':
		base = 8
	case 'x', 'X':
		base = 16
	}
	sign := ""
	if signed {
		switch {
		case int64(n) < 0:
			sign, n = "-", -n
		case strings.Contains(p.flags, "+"):
			sign = "+"
		case strings.Contains(p.flags, " "):
			sign = " "
		}
	}
	digits := strconv.FormatUint(n, base)
	if n == 0 && p.precision == 0 {
		digits = ""
	}
	digits = strings.Repeat("0", max(0, p.precision-len(digits))) + digits
	if strings.Contains(p.flags, "#") {
		if base == 8 && !strings.HasPrefix(digits, "0") {
			digits = "0" + digits
		} else if base == 16 && n != 0 {
			sign = "0x"
		}
	}
	if p.precision < 0 && strings.Contains(p.flags, "0") && !strings.Contains(p.flags, "-") {
		digits = strings.Repeat("0", max(0, p.width-len(sign)-len(digits))) + digits
	}
	if p.verb == 'X' {
		sign, digits = strings.ToUpper(sign), strings.ToUpper(digits)
	}
	return p.pad(row, sign, digits)
}

func (p *hexdumpPrint) float(row []byte, f float64) []byte {
	precision := p.precision
	if precision < 0 {
		precision = 6
	}
	text := fmt.Sprintf("%."+strconv.Itoa(precision)+string(rune(p.verb)), math.Abs(f))
	text = strings.TrimPrefix(text, "+")
	plain := true
	if math.IsNaN(f) || math.IsInf(f, 0) {
		text, plain = strings.ToLower(text), false
	}
	sign := ""
	switch {
	case math.Signbit(f):
		sign = "-"
	case strings.Contains(p.flags, "+"):
		sign = "+"
	case strings.Contains(p.flags, " "):
		sign = " "
	}
	if plain && strings.Contains(p.flags, "0") && !strings.Contains(p.flags, "-") {
		text = strings.Repeat("0", max(0, p.width-len(sign)-len(text))) + text
	}
	return p.pad(row, sign, text)
}
