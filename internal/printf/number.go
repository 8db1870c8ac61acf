package printf

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// integer is the next argument as C's strtoimax reads it, with the dialect's
// complaint where it is no number.
func (r *run) integer() int64 {
	a, ok := r.arg()
	if !ok {
		return 0
	}
	if c, ok := r.character(a); ok {
		return c
	}
	n, rest, overflow := parseInt(a)
	r.complain(a, rest, overflow)
	return n
}

func (r *run) unsignedInteger() uint64 {
	a, ok := r.arg()
	if !ok {
		return 0
	}
	if c, ok := r.character(a); ok {
		return uint64(c)
	}
	n, rest, overflow := parseUint(a)
	r.complain(a, rest, overflow)
	return n
}

// character is the value of an argument like 'a or "é.
func (r *run) character(a string) (int64, bool) {
	if a == "" || a[0] != '\'' && a[0] != '"' {
		return 0, false
	}
	c, n := utf8.DecodeRuneInString(a[1:])
	if c == utf8.RuneError && n == 1 {
		c = rune(a[1])
	}
	if n == 0 {
		c = 0
		if r.GNU {
			r.fail("‘%s’: expected a numeric value", a)
		}
	}
	if r.GNU && n > 0 && len(a) > 1+n {
		r.Error("warning: " + a[1+n:] + ": character(s) following character constant have been ignored")
	}
	return int64(c), true
}

func (r *run) complain(a, rest string, overflow bool) {
	switch {
	case overflow && r.GNU:
		r.fail("‘%s’: Numerical result out of range", a)
	case rest != "" || (r.GNU && a == ""):
		if r.GNU {
			if a == "" {
				return
			}
			if rest == a {
				r.fail("‘%s’: expected a numeric value", a)
			} else {
				r.fail("‘%s’: value not completely converted", a)
			}
			return
		}
		kind := "number"
		t := strings.TrimLeft(a, " \t\n+-")
		if strings.HasPrefix(t, "0x") || strings.HasPrefix(t, "0X") {
			kind = "hex number"
		} else if len(t) > 1 && t[0] == '0' && t[1] >= '0' && t[1] <= '9' {
			kind = "octal number"
		}
		r.fail("%s: invalid %s", a, kind)
	case overflow:
		r.Error("warning: " + a + ": Numerical result out of range")
	}
}

// scan splits a number as strtol with base 0 does.
func scan(a string) (negative bool, digits string, base int, rest string) {
	s := strings.TrimLeft(a, " \t\n\v\f\r")
	if s != "" && (s[0] == '-' || s[0] == '+') {
		negative = s[0] == '-'
		s = s[1:]
	}
	base = 10
	switch {
	case len(s) > 2 && s[0] == '0' && s[1]|0x20 == 'x' && digitValue(s[2]) < 16:
		base, s = 16, s[2:]
	case len(s) > 0 && s[0] == '0':
		base = 8
	}
	i := 0
	for i < len(s) && digitValue(s[i]) < base {
		i++
	}
	if i == 0 {
		return false, "", base, a
	}
	return negative, s[:i], base, s[i:]
}

func digitValue(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'z':
		return int(c|0x20-'a') + 10
	}
	return 99
}

func parseInt(a string) (n int64, rest string, overflow bool) {
	negative, digits, base, rest := scan(a)
	if digits == "" {
		return 0, rest, false
	}
	u, err := strconv.ParseUint(digits, base, 64)
	switch {
	case negative && (err != nil || u > 1<<63):
		return math.MinInt64, rest, true
	case negative:
		return -int64(u), rest, false
	case err != nil || u > math.MaxInt64:
		return math.MaxInt64, rest, true
	}
	return int64(u), rest, false
}

func parseUint(a string) (n uint64, rest string, overflow bool) {
	negative, digits, base, rest := scan(a)
	if digits == "" {
		return 0, rest, false
	}
	u, err := strconv.ParseUint(digits, base, 64)
	if err != nil {
		return math.MaxUint64, rest, true
	}
	if negative {
		u = -u
	}
	return u, rest, false
}

func (r *run) signed(s *spec, n int64) {
	sign := ""
	u := uint64(n)
	switch {
	case n < 0:
		sign, u = "-", -u
	case s.plus:
		sign = "+"
	case s.space:
		sign = " "
	}
	r.digits(s, sign, strconv.FormatUint(u, 10))
}

func (r *run) unsigned(s *spec, n uint64) {
	prefix, digits := "", ""
	switch s.verb {
	case 'o':
		digits = strconv.FormatUint(n, 8)
		if s.alt && digits[0] != '0' && s.precision <= len(digits) {
			s.precision = len(digits) + 1
			if s.zero {
				s.zero = s.width > 0
				digits, s.precision = "0"+digits, -1
			}
		}
	case 'u':
		digits = strconv.FormatUint(n, 10)
	default:
		digits = strconv.FormatUint(n, 16)
		if s.alt && n != 0 {
			prefix = "0x"
		}
		if s.verb == 'X' {
			digits, prefix = strings.ToUpper(digits), strings.ToUpper(prefix)
		}
	}
	r.digits(s, prefix, digits)
}

// digits writes an integer: sign or prefix, zeros up to precision or width.
func (r *run) digits(s *spec, sign, digits string) {
	if s.precision == 0 && digits == "0" {
		digits = ""
	}
	lead := max(0, s.precision-len(digits))
	if s.zero && !s.minus && s.precision < 0 {
		lead = max(0, s.width-len(sign)-len(digits))
	}
	blank := s.width - len(sign) - lead - len(digits)
	if !s.minus {
		r.pad(blanks, blank)
	}
	r.write(sign)
	r.pad(zeros, lead)
	r.write(digits)
	if s.minus {
		r.pad(blanks, blank)
	}
}

// extended is a C long double: a 64-bit mantissa.
const extended = 64

// number is a floating argument: finite, or an infinity or NaN.
type number struct {
	f        *big.Float
	negative bool
	inf, nan bool
}

func (r *run) floatArgument() number {
	a, ok := r.arg()
	if !ok {
		return number{f: new(big.Float).SetPrec(extended)}
	}
	if c, ok := r.character(a); ok {
		return number{f: new(big.Float).SetPrec(extended).SetInt64(c)}
	}
	n, rest, outOfRange := parseFloat(a)
	r.complain(a, rest, outOfRange)
	return n
}

// parseFloat reads the longest prefix that C's strtold takes.
func parseFloat(a string) (n number, rest string, outOfRange bool) {
	s := strings.TrimLeft(a, " \t\n\v\f\r")
	n.f = new(big.Float).SetPrec(extended)
	if s != "" && (s[0] == '-' || s[0] == '+') {
		n.negative = s[0] == '-'
		s = s[1:]
	}
	lower := strings.ToLower(s[:min(len(s), 8)])
	switch {
	case strings.HasPrefix(lower, "infinity"):
		n.inf = true
		return n, s[8:], false
	case strings.HasPrefix(lower, "inf"):
		n.inf = true
		return n, s[3:], false
	case strings.HasPrefix(lower, "nan"):
		n.nan = true
		return n, s[3:], false
	}
	length, hex := floatLength(s)
	if length == 0 {
		return number{f: n.f}, a, false
	}
	text := s[:length]
	if hex && !strings.ContainsAny(text, "pP") {
		text += "p0"
	}
	if exponentTooLarge(text) {
		zero := strings.Trim(mantissa(text), "0.xX") == ""
		n.inf = !zero && strings.IndexByte(text, '-') < 0
		return n, s[length:], !zero
	}
	f, _, err := big.ParseFloat(text, 0, extended, big.ToNearestEven)
	if err != nil {
		return n, a, false
	}
	n.f = f
	switch exponent := f.MantExp(nil); {
	case f.IsInf() || exponent > 16384:
		n.inf, outOfRange = true, true
	case f.Sign() != 0 && exponent < -16445:
		n.f, outOfRange = new(big.Float).SetPrec(extended), true
	}
	if n.negative {
		n.f.Neg(n.f)
	}
	return n, s[length:], outOfRange
}

func mantissa(text string) string {
	if i := strings.IndexAny(text, "eEpP"); i >= 0 && !strings.HasPrefix(text, "0x") {
		return text[:i]
	}
	return text
}

// exponentTooLarge keeps big.Float from computing with exponents no long
// double has.
func exponentTooLarge(text string) bool {
	i := strings.LastIndexAny(text, "eEpP")
	if i < 0 || (strings.HasPrefix(strings.ToLower(text), "0x") && text[i]|0x20 == 'e') {
		return len(text) > 6000
	}
	e, err := strconv.Atoi(text[i+1:])
	return err != nil || e > 20000 || e < -20000
}

// floatLength measures a decimal or hexadecimal floating constant.
func floatLength(s string) (n int, hex bool) {
	base := 10
	i := 0
	if len(s) > 2 && s[0] == '0' && s[1]|0x20 == 'x' && (digitValue(s[2]) < 16 || s[2] == '.') {
		base, i, hex = 16, 2, true
	}
	digits := 0
	for ; i < len(s) && digitValue(s[i]) < base; i++ {
		digits++
	}
	if i < len(s) && s[i] == '.' {
		i++
		for ; i < len(s) && digitValue(s[i]) < base; i++ {
			digits++
		}
	}
	if digits == 0 {
		return 0, false
	}
	mark := byte('e')
	if hex {
		mark = 'p'
	}
	if i < len(s) && s[i]|0x20 == mark {
		j := i + 1
		if j < len(s) && (s[j] == '-' || s[j] == '+') {
			j++
		}
		if j < len(s) && s[j] >= '0' && s[j] <= '9' {
			for j < len(s) && s[j] >= '0' && s[j] <= '9' {
				j++
			}
			i = j
		}
	}
	return i, hex
}
