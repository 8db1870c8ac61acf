package awk

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxField bounds a width or precision.
const maxField = 1 << 24

// conversion is one %[flags][width][.precision]verb.
type conversion struct {
	minus, plus, space, alt, zero bool
	width, precision              int
	verb                          byte
}

// sprintf formats as gawk does.
func (m *machine) sprintf(format string, args []value) string {
	var b strings.Builder
	next := 0
	whole := format
	counted, plain := false, false
	for {
		i := strings.IndexByte(format, '%')
		if i < 0 {
			b.WriteString(format)
			return b.String()
		}
		b.WriteString(format[:i])
		format = format[i:]
		c, n := m.parseConversion(format, args, &next)
		if n == 0 {
			b.WriteString(format)
			return b.String()
		}
		if c.verb == '%' {
			b.WriteByte('%')
			format = format[n:]
			continue
		}
		if strings.IndexByte("diouxXcseEfFgGaA", c.verb) < 0 {
			b.WriteString(format[:n])
			format = format[n:]
			continue
		}
		if next >= len(args) && counted {
			fatalf("must use `count$' on all formats or none")
		}
		if next >= len(args) {
			fatalf("not enough arguments to satisfy format string\n\t`%s'\n\t%s^ ran out for this one", whole, strings.Repeat(" ", len(whole)-len(format)+n-1))
		}
		if k := skipDigits(format, 1); k > 1 && k < len(format) && format[k] == '$' {
			counted = true
		} else {
			plain = true
		}
		if counted && plain {
			fatalf("must use `count$' on all formats or none")
		}
		v := args[next]
		next++
		m.bound(max(c.width, c.precision, 0) + 2*b.Len())
		m.convert(&b, &c, &v)
		format = format[n:]
	}
}

func skipDigits(s string, i int) int {
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return i
}

func (m *machine) parseConversion(f string, args []value, next *int) (c conversion, n int) {
	c.precision = -1
	i := 1
	size := func() int {
		if i < len(f) && f[i] == '*' {
			i++
			// *N$ takes its number from an argument of its own.
			k := skipDigits(f, i)
			if k > i && k < len(f) && f[k] == '$' {
				which, _ := strconv.Atoi(f[i:k])
				i = k + 1
				if which < 1 || which > len(args) {
					fatalf("argument index %d greater than total number of supplied arguments", which)
				}
				v := args[which-1]
				return int(math.Max(math.Min(v.number(), maxField), -maxField))
			}
			if *next < len(args) {
				v := args[*next]
				*next++
				return int(math.Max(math.Min(v.number(), maxField), -maxField))
			}
			return 0
		}
		k := 0
		for i < len(f) && isDigit(f[i]) {
			k = min(k*10+int(f[i]-'0'), maxField)
			i++
		}
		return k
	}
	for i < len(f) {
		switch f[i] {
		case '-':
			c.minus = true
		case '+':
			c.plus = true
		case ' ':
			c.space = true
		case '#':
			c.alt = true
		case '0':
			c.zero = true
		case '\'':
		default:
			goto width
		}
		i++
	}
width:
	if c.width = size(); c.width < 0 {
		c.minus, c.width = true, -c.width
	}
	if i < len(f) && f[i] == '$' && i > 1 && isDigit(f[i-1]) {
		switch {
		case c.width == 0:
			fatalf("argument index with `$' must be > 0")
		case c.width > len(args):
			fatalf("argument index %d greater than total number of supplied arguments", c.width)
		}
		*next = c.width - 1
		c.width = 0
		i++
		return m.positional(f, i, args, next)
	}
	if i < len(f) && f[i] == '.' {
		i++
		if c.precision = size(); c.precision < 0 {
			c.precision = -1
		}
	}
	// One size modifier, and flags after it, are read over.
	if i < len(f) && strings.IndexByte("hlLjzt", f[i]) >= 0 {
		for i++; i < len(f) && f[i] == ' '; i++ {
			c.space = true
		}
	}
	if i >= len(f) {
		return c, 0
	}
	c.verb = f[i]
	return c, i + 1
}

// positional reads what follows %N$.
func (m *machine) positional(f string, i int, args []value, next *int) (conversion, int) {
	keep := *next
	c, n := m.parseConversion("%"+f[i:], args, next)
	*next = keep
	if n == 0 {
		return c, 0
	}
	return c, i + n - 1
}

func (m *machine) convert(b *strings.Builder, c *conversion, v *value) {
	switch c.verb {
	case 'c':
		c.pad(b, "", m.character(v), false)
	case 's':
		s := m.text(v)
		if c.precision >= 0 {
			s = s[:runeOffset(s, c.precision)]
		}
		c.pad(b, "", s, false)
	case 'd', 'i':
		c.integer(b, v.number())
	case 'o', 'u', 'x', 'X':
		c.unsigned(b, v.number())
	default:
		c.float(b, v.number())
	}
}

func (m *machine) character(v *value) string {
	if v.isNumber() && v.kind != kUnset {
		n := v.number()
		if n >= 0 && n <= utf8.MaxRune {
			return string(rune(n))
		}
		return string([]byte{byte(int64(n))})
	}
	if v.s == "" {
		return "\x00"
	}
	_, n := utf8.DecodeRuneInString(v.s)
	return v.s[:n]
}

// pad writes text in its width, which counts characters; zeros go between sign
// and digits.
func (c *conversion) pad(b *strings.Builder, sign, text string, zeros bool) {
	missing := c.width - utf8.RuneCountInString(sign) - utf8.RuneCountInString(text)
	fill := func(s byte) {
		for range max(0, missing) {
			b.WriteByte(s)
		}
	}
	switch {
	case c.minus:
		b.WriteString(sign + text)
		fill(' ')
	case zeros && c.zero:
		b.WriteString(sign)
		fill('0')
		b.WriteString(text)
	default:
		fill(' ')
		b.WriteString(sign + text)
	}
}

func (c *conversion) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case c.plus:
		return "+"
	case c.space:
		return " "
	}
	return ""
}

func (c *conversion) special(b *strings.Builder, n float64) bool {
	if !math.IsNaN(n) && !math.IsInf(n, 0) {
		return false
	}
	text := "inf"
	if math.IsNaN(n) {
		text = "nan"
	}
	sign := "+"
	if math.Signbit(n) {
		sign = "-"
	}
	plain := *c
	plain.zero = false
	plain.pad(b, sign, text, false)
	return true
}

func (c *conversion) integer(b *strings.Builder, n float64) {
	if c.special(b, n) {
		return
	}
	n = math.Trunc(n)
	digits := strconv.FormatFloat(math.Abs(n), 'f', 0, 64)
	c.digits(b, c.sign(n < 0), digits)
}

func (c *conversion) digits(b *strings.Builder, sign, digits string) {
	if c.precision == 0 && digits == "0" {
		digits = ""
	}
	if lead := c.precision - len(digits); lead > 0 {
		digits = strings.Repeat("0", lead) + digits
	}
	c.pad(b, sign, digits, c.precision < 0)
}

func (c *conversion) unsigned(b *strings.Builder, n float64) {
	if c.special(b, n) {
		return
	}
	n = math.Trunc(n)
	whole := new(big.Int)
	switch {
	case n >= math.MinInt64 && n < 0:
		whole.SetUint64(uint64(int64(n)))
	case n > math.MaxUint64 || n < 0:
		// What no integer can hold is written as a number.
		general := *c
		general.verb = 'g'
		general.float(b, n)
		return
	default:
		whole.SetUint64(uint64(n))
	}
	base := 16
	switch c.verb {
	case 'o':
		base = 8
	case 'u':
		base = 10
	}
	digits := whole.Text(base)
	prefix := ""
	if c.alt && n != 0 {
		switch c.verb {
		case 'o':
			digits = "0" + digits
		case 'x', 'X':
			prefix = "0x"
		}
	}
	if c.verb == 'X' {
		digits, prefix = strings.ToUpper(digits), strings.ToUpper(prefix)
	}
	c.digits(b, prefix, digits)
}

func (c *conversion) float(b *strings.Builder, n float64) {
	if c.special(b, n) {
		return
	}
	precision := c.precision
	if precision < 0 {
		precision = 6
	}
	negative := math.Signbit(n)
	n = math.Abs(n)
	var text string
	switch c.verb | 0x20 {
	case 'f':
		text = strconv.FormatFloat(n, 'f', precision, 64)
		if c.alt && precision == 0 {
			text += "."
		}
	case 'e':
		text = strconv.FormatFloat(n, 'e', precision, 64)
		if c.alt && precision == 0 {
			e := strings.IndexByte(text, 'e')
			text = text[:e] + "." + text[e:]
		}
	case 'g':
		precision = max(precision, 1)
		if c.alt {
			text = formatAltG(n, precision)
		} else {
			text = formatG(n, precision)
		}
	case 'a':
		text = strconv.FormatFloat(n, 'x', c.precision, 64)
		p := strings.IndexByte(text, 'p')
		exponent, _ := strconv.Atoi(text[p+1:])
		text = text[:p] + "p" + map[bool]string{true: "+", false: "-"}[exponent >= 0] + strconv.Itoa(abs(exponent))
	}
	if c.verb < 'a' {
		text = strings.ToUpper(text)
	}
	c.pad(b, c.sign(negative), text, true)
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// formatAltG is %#.Ng: the zeros stay.
func formatAltG(n float64, precision int) string {
	s := strconv.FormatFloat(n, 'e', precision-1, 64)
	e := strings.IndexByte(s, 'e')
	exponent, _ := strconv.Atoi(s[e+1:])
	if exponent < -4 || exponent >= precision {
		if precision == 1 {
			return s[:e] + "." + s[e:]
		}
		return s
	}
	s = strconv.FormatFloat(n, 'f', precision-1-exponent, 64)
	if strings.IndexByte(s, '.') < 0 {
		s += "."
	}
	return s
}
