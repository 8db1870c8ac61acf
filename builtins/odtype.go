package builtins

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/vsh-project/vsh/internal/printf"
)

// odType is one way to show bytes: size bytes make one item of width columns.
type odType struct {
	size    int
	width   int
	pad     int  // blanks of a whole line beyond the width of its items
	trailer bool // show the characters behind
	// put appends an item, right in width columns.
	put func(row, p []byte, width int) []byte
}

// addTypes reads the argument of -t; false once it has complained.
func (o *odCommand) addTypes(text string) bool {
	for rest := text; rest != ""; {
		t, n, ok := o.parseType(rest, text)
		if !ok {
			return false
		}
		rest = rest[n:]
		if t.trailer = rest != "" && rest[0] == 'z'; t.trailer {
			rest = rest[1:]
		}
		o.types = append(o.types, t)
	}
	return true
}

func (o *odCommand) parseType(s, whole string) (t odType, n int, ok bool) {
	kind := s[0]
	switch kind {
	case 'a':
		return odType{size: 1, width: 3, put: odName}, 1, true
	case 'c':
		return odType{size: 1, width: 3, put: odCharacter}, 1, true
	case 'd', 'u', 'o', 'x', 'f':
	default:
		o.errorf("invalid character '%s' in type string %s", s[:1], quote(whole))
		return t, 0, false
	}
	size, n := 4, 1
	letters, sizes, what := "CSIL", []int{1, 2, 4, 8}, "integral"
	if kind == 'f' {
		letters, sizes, what, size = "FDL", []int{4, 8, 16}, "floating point", 8
	}
	if n < len(s) {
		if i := bytes.IndexByte([]byte(letters), s[n]); i >= 0 {
			size, n = sizes[i], n+1
		} else if s[n] >= '0' && s[n] <= '9' {
			end := n
			for end < len(s) && s[end] >= '0' && s[end] <= '9' {
				end++
			}
			number, err := strconv.ParseUint(s[n:end], 10, 64)
			if err != nil {
				o.errorf("invalid type string %s", quote(whole))
				return t, 0, false
			}
			if number > 16 || !slices.Contains(sizes, int(number)) {
				o.errorf("invalid type string %s;\nthis system doesn't provide a %d-byte %s type", quote(whole), number, what)
				return t, 0, false
			}
			size, n = int(number), end
		}
	}
	if kind == 'f' {
		return odType{size: size, width: map[int]int{4: 15, 8: 24, 16: 29}[size], put: odFloat(size, o)}, n, true
	}
	i := slices.Index([]int{1, 2, 4, 8}, size)
	width := map[byte][]int{'d': {4, 6, 11, 20}, 'u': {3, 5, 10, 20}, 'o': {3, 6, 11, 22}, 'x': {2, 4, 8, 16}}[kind][i]
	return odType{size: size, width: width, put: odInteger(kind, size, width, o)}, n, true
}

// value reads an integer in the chosen byte order.
func (o *odCommand) value(p []byte) uint64 {
	var n uint64
	for i := range p {
		c := p[i]
		if !o.big {
			c = p[len(p)-1-i]
		}
		n = n<<8 | uint64(c)
	}
	return n
}

func odInteger(kind byte, size, digits int, o *odCommand) func(row, p []byte, width int) []byte {
	base := map[byte]int{'d': 10, 'u': 10, 'o': 8, 'x': 16}[kind]
	return func(row, p []byte, width int) []byte {
		var scratch [24]byte
		var text []byte
		n := o.value(p)
		if kind == 'd' {
			shift := 64 - 8*size
			text = strconv.AppendInt(scratch[:0], int64(n<<shift)>>shift, 10)
		} else {
			text = strconv.AppendUint(scratch[:0], n, base)
		}
		if kind == 'o' || kind == 'x' {
			row = odFill(odFill(row, ' ', width-digits), '0', digits-len(text))
		} else {
			row = odFill(row, ' ', width-len(text))
		}
		return append(row, text...)
	}
}

func odCharacter(row, p []byte, width int) []byte {
	c := p[0]
	if c >= ' ' && c <= '~' {
		return append(odFill(row, ' ', width-1), c)
	}
	const escaped, letters = "\x00\a\b\t\n\v\f\r", "0abtnvfr"
	for i := range len(escaped) {
		if escaped[i] == c {
			return append(odFill(row, ' ', width-2), '\\', letters[i])
		}
	}
	return append(odFill(row, ' ', width-3), '0'+c>>6, '0'+c>>3&7, '0'+c&7)
}

func odName(row, p []byte, width int) []byte {
	const names = "nulsohstxetxeotenqackbel bs ht nl vt ff cr so sidledc1dc2dc3dc4naksynetbcan emsubesc fs gs rs us sp"
	switch c := p[0] & 0x7f; {
	case c <= ' ':
		return append(odFill(row, ' ', width-3), names[3*int(c):3*int(c)+3]...)
	case c == 0x7f:
		return append(odFill(row, ' ', width-3), "del"...)
	default:
		return append(odFill(row, ' ', width-1), c)
	}
}

// odFloat shows a floating number with the fewest digits that read back as it.
func odFloat(size int, o *odCommand) func(row, p []byte, width int) []byte {
	return func(row, p []byte, width int) []byte {
		var text []byte
		switch size {
		case 4:
			text = odShortest(float64(math.Float32frombits(uint32(o.value(p)))), 32, math.Ldexp(1, -126), 6)
		case 8:
			text = odShortest(math.Float64frombits(o.value(p)), 64, math.Ldexp(1, -1022), 15)
		default:
			if o.big {
				p = slices.Clone(p)
				slices.Reverse(p)
			}
			text = odLongDouble(binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint16(p[8:]))
		}
		return append(odFill(row, ' ', width-len(text)), text...)
	}
}

func odShortest(x float64, bits int, least float64, digits int) []byte {
	sign := ""
	if math.Signbit(x) {
		sign = "-"
	}
	switch {
	case math.IsNaN(x):
		return []byte(sign + "nan")
	case math.IsInf(x, 0):
		return []byte(sign + "inf")
	case math.Abs(x) < least:
		digits = 1
	}
	for ; ; digits++ {
		text := strconv.AppendFloat(nil, x, 'g', digits, bits)
		if back, _ := strconv.ParseFloat(string(text), bits); back == x || digits >= 17 {
			return text
		}
	}
}

func odLongDouble(mantissa uint64, exponent uint16) []byte {
	n := printf.LongDouble{Negative: exponent>>15 != 0, Float: new(big.Float).SetPrec(64)}
	exponent &= 0x7fff
	digits := 18
	switch {
	case exponent == 0x7fff && mantissa == 1<<63:
		n.Inf = true
	case exponent != 0 && mantissa>>63 == 0 || exponent == 0x7fff:
		n.NaN = true
	default:
		n.Float.SetMantExp(n.Float.SetUint64(mantissa), max(1, int(exponent))-16383-63)
		if n.Negative {
			n.Float.Neg(n.Float)
		}
		if mantissa>>63 == 0 {
			digits = 1
		}
	}
	for ; ; digits++ {
		var text bytes.Buffer
		conversion := printf.Conversion{Precision: digits, Verb: 'g'}
		conversion.Format(&text, n)
		back, _, _ := printf.ParseLongDouble(text.String())
		if n.Inf || n.NaN || digits >= 21 || odSame(back.Float, n.Float) {
			return text.Bytes()
		}
	}
}

// odSame reports whether x, rounded as a long double is near its least values, is y.
func odSame(x, y *big.Float) bool {
	if x == nil {
		return false
	}
	const unit = 16445 // the least long double is 2^-unit
	if precision := y.MantExp(nil) + unit; y.Sign() != 0 && precision < 64 {
		x = new(big.Float).SetPrec(uint(max(precision, 1))).Set(x)
	}
	return x.Cmp(y) == 0
}
