package jq

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// parseNumber reads a decimal number as strtod does, with nan and infinity.
// The whole of s must be one.
func parseNumber(s []byte) (float64, bool) {
	i, negative := 0, false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		negative = s[0] == '-'
		i++
	}
	sign := func(f float64) float64 {
		if negative {
			return -f
		}
		return f
	}
	switch rest := lowerASCII(s[i:]); rest {
	case "nan":
		return math.NaN(), true
	case "inf", "infinity":
		return sign(math.Inf(1)), true
	}
	digits := 0
	for ; i < len(s) && isDigit(s[i]); i++ {
		digits++
	}
	if i < len(s) && s[i] == '.' {
		for i++; i < len(s) && isDigit(s[i]); i++ {
			digits++
		}
	}
	if digits == 0 {
		return 0, false
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		from := i
		for ; i < len(s) && isDigit(s[i]); i++ {
		}
		if i == from {
			return 0, false
		}
	}
	if i < len(s) {
		return 0, false
	}
	// The error is a range error, for which f is infinite or zero as wanted.
	f, _ := strconv.ParseFloat(string(s), 64)
	return f, true
}

func lowerASCII(s []byte) string {
	if len(s) > len("infinity") {
		return ""
	}
	lower := make([]byte, len(s))
	for i, c := range s {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	return string(lower)
}

// appendNumber writes the shortest digits that read back as f.
func appendNumber(b []byte, f float64) []byte {
	switch {
	case f != f:
		return append(b, "null"...)
	case f > math.MaxFloat64:
		f = math.MaxFloat64
	case f < -math.MaxFloat64:
		f = -math.MaxFloat64
	case f == 0:
		if math.Signbit(f) {
			b = append(b, '-')
		}
		return append(b, '0')
	}
	if i := int64(f); f == float64(i) && i > -1e15 && i < 1e15 {
		return strconv.AppendInt(b, i, 10)
	}
	var buffer [32]byte
	e := strconv.AppendFloat(buffer[:0], f, 'e', -1, 64)
	if e[0] == '-' {
		b, e = append(b, '-'), e[1:]
	}
	var digits []byte
	at := 0
	for at = range e {
		if e[at] == 'e' {
			break
		}
		if e[at] != '.' {
			digits = append(digits, e[at])
		}
	}
	exponent, _ := strconv.Atoi(string(e[at+1:]))
	switch point := exponent + 1; {
	case point <= -4 || point > len(digits)+15:
		b = append(b, digits[0])
		if len(digits) > 1 {
			b = append(append(b, '.'), digits[1:]...)
		}
		return append(b, e[at:]...)
	case point <= 0:
		b = append(b, "0."...)
		for ; point < 0; point++ {
			b = append(b, '0')
		}
		return append(b, digits...)
	case point < len(digits):
		b = append(append(b, digits[:point]...), '.')
		return append(b, digits[point:]...)
	default:
		b = append(b, digits...)
		for ; point > len(digits); point-- {
			b = append(b, '0')
		}
		return b
	}
}

// validText replaces each faulty sequence with U+FFFD, as many as jq sees.
func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	out := make([]byte, 0, len(s)+8)
	for i := 0; i < len(s); {
		if r, n := utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || n > 1 {
			out = append(out, s[i:i+n]...)
			i += n
			continue
		}
		out = append(out, "\ufffd"...)
		i += faultLength(s[i:])
	}
	return string(out)
}

// faultLength is how many bytes the faulty sequence at the start of s takes.
func faultLength(s string) int {
	length := 1
	switch c := s[0]; {
	case c >= 0xc2 && c <= 0xdf:
		length = 2
	case c >= 0xe0 && c <= 0xef:
		length = 3
	case c >= 0xf0 && c <= 0xf4:
		length = 4
	}
	if length > len(s) {
		return len(s)
	}
	for i := 1; i < length; i++ {
		if s[i]&0xc0 != 0x80 {
			return i
		}
	}
	return length
}
