package awk

import (
	"math"
	"strconv"
	"strings"
)

type valueKind uint8

const (
	kUnset  valueKind = iota
	kNumber           // a number
	kString           // a string
	kInput            // a string of the input: a number where it looks like one
	kRegex            // a typed regular expression (@/x/)
	kBool             // gawk's number that came of a comparison
)

// value is a scalar. For kInput, n and looks hold the answer once it was asked.
type value struct {
	s     string
	n     float64
	kind  valueKind
	looks uint8 // 0 not asked, 1 number, 2 string
}

func num(n float64) value  { return value{n: n, kind: kNumber} }
func str(s string) value   { return value{s: s, kind: kString} }
func input(s string) value { return value{s: s, kind: kInput} }
func boolean(b bool) value {
	if b {
		return num(1)
	}
	return num(0)
}

// isNumber reports whether v compares as a number.
func (v *value) isNumber() bool {
	switch v.kind {
	case kNumber, kUnset, kBool:
		return true
	case kInput:
		v.look()
		return v.looks == 1
	}
	return false
}

func (v *value) look() {
	if v.looks != 0 {
		return
	}
	v.looks = 2
	s := strings.Trim(v.s, " \t\n\r\v\f")
	if s == "" {
		return
	}
	n := numberLength(s)
	if n == len(s) {
		v.looks, v.n = 1, parseFloat(s)
	} else if special(s) && len(s) == 4 {
		v.looks, v.n = 1, specialValue(s)
	}
}

// number is v as a number: the longest numeric prefix of a string.
func (v *value) number() float64 {
	switch v.kind {
	case kNumber, kBool:
		return v.n
	case kUnset:
		return 0
	case kInput:
		if v.look(); v.looks == 1 {
			return v.n
		}
	}
	return stringNumber(v.s)
}

func stringNumber(s string) float64 {
	i := 0
	for i < len(s) && strings.IndexByte(" \t\n\r\v\f", s[i]) >= 0 {
		i++
	}
	s = s[i:]
	if n := numberLength(s); n > 0 {
		return parseFloat(s[:n])
	}
	if special(s) {
		return specialValue(s[:4])
	}
	return 0
}

// special reports gawk's "+inf", "-nan" and the like: the sign is required.
func special(s string) bool {
	if len(s) < 4 || s[0] != '+' && s[0] != '-' || len(s) > 4 && isNameByte(s[4]) {
		return false
	}
	w := strings.ToLower(s[1:4])
	return w == "inf" || w == "nan"
}

func specialValue(s string) float64 {
	sign := 1.0
	if s[0] == '-' {
		sign = -1
	}
	if strings.EqualFold(s[1:4], "inf") {
		return math.Inf(int(sign))
	}
	return math.Copysign(math.NaN(), sign)
}

// numberLength is how long a decimal number s starts with, 0 when none.
func numberLength(s string) int {
	i, digits := 0, 0
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	for i < len(s) && isDigit(s[i]) {
		i++
		digits++
	}
	if i < len(s) && s[i] == '.' {
		i++
		for i < len(s) && isDigit(s[i]) {
			i++
			digits++
		}
	}
	if digits == 0 {
		return 0
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if j < len(s) && isDigit(s[j]) {
			for j < len(s) && isDigit(s[j]) {
				j++
			}
			i = j
		}
	}
	return i
}

// parseFloat parses what numberLength has measured.
func parseFloat(s string) float64 {
	if len(s) <= 15 {
		n, neg, i := int64(0), false, 0
		if s[0] == '-' || s[0] == '+' {
			neg = s[0] == '-'
			i = 1
		}
		for ; i < len(s) && isDigit(s[i]); i++ {
			n = n*10 + int64(s[i]-'0')
		}
		if i == len(s) && !(neg && n == 0) {
			if neg {
				n = -n
			}
			return float64(n)
		}
	}
	f, _ := strconv.ParseFloat(s, 64)
	return f
}

// truth is v as a condition.
func (v *value) truth() bool {
	switch v.kind {
	case kNumber, kBool:
		return v.n != 0
	case kUnset:
		return false
	case kInput:
		if v.look(); v.looks == 1 {
			return v.n != 0
		}
	}
	return v.s != ""
}

// formatNumber is a number as a string: an integer in full, else by format
// (CONVFMT or OFMT).
func (m *machine) formatNumber(n float64, format string) string {
	if n == math.Trunc(n) && math.Abs(n) < 1e16 {
		return strconv.FormatInt(int64(n), 10)
	}
	switch {
	case math.IsNaN(n):
		if math.Signbit(n) {
			return "-nan"
		}
		return "+nan"
	case math.IsInf(n, 1):
		return "+inf"
	case math.IsInf(n, -1):
		return "-inf"
	case n == math.Trunc(n):
		return strconv.FormatFloat(n, 'f', 0, 64)
	}
	if format == "%.6g" {
		return formatG(n, 6)
	}
	v := num(n)
	return m.sprintf(format, []value{v})
}

// formatG is C's %.Ng.
func formatG(n float64, precision int) string {
	s := strconv.FormatFloat(n, 'e', precision-1, 64)
	e := strings.IndexByte(s, 'e')
	exponent, _ := strconv.Atoi(s[e+1:])
	if exponent < -4 || exponent >= precision {
		mantissa := trimZeros(s[:e])
		sign := byte('+')
		if exponent < 0 {
			sign, exponent = '-', -exponent
		}
		digits := strconv.Itoa(exponent)
		if len(digits) < 2 {
			digits = "0" + digits
		}
		return mantissa + "e" + string(sign) + digits
	}
	return trimZeros(strconv.FormatFloat(n, 'f', precision-1-exponent, 64))
}

func trimZeros(s string) string {
	if strings.IndexByte(s, '.') < 0 {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// text is v as a string by CONVFMT.
func (m *machine) text(v *value) string {
	switch v.kind {
	case kNumber, kBool:
		return m.formatNumber(v.n, m.convfmt)
	case kUnset:
		return ""
	}
	return v.s
}

// output is v as print writes it, by OFMT.
func (m *machine) output(v *value) string {
	if v.kind == kNumber || v.kind == kBool {
		return m.formatNumber(v.n, m.ofmt)
	}
	return v.s
}

// compare orders a and b: as numbers where both are, else as strings.
func (m *machine) compare(a, b *value) int {
	if a.isNumber() && b.isNumber() {
		x, y := a.number(), b.number()
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		case x == y:
			return 0
		}
		return compareNaN(x, y)
	}
	s, t := m.text(a), m.text(b)
	if m.ignoreCase {
		s, t = strings.ToLower(s), strings.ToLower(t)
	}
	return strings.Compare(s, t)
}

// compareNaN puts NaN above every number and equal to itself, as gawk does.
func compareNaN(x, y float64) int {
	switch {
	case math.IsNaN(x) && math.IsNaN(y):
		return 0
	case math.IsNaN(x):
		return 1
	}
	return -1
}
