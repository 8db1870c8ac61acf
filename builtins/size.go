package builtins

import (
	"math/bits"
	"strings"
)

// numberError is what is wrong with a number of the command line (gnulib's
// xstrtol): nothing, its text, its size, or its suffix.
type numberError uint8

const (
	numberOK numberError = iota
	numberInvalid
	numberOverflow
	numberBadSuffix
)

// words are the causes that xdectoumax appends to its message.
func (e numberError) words() string {
	if e == numberOverflow {
		return ": Value too large for defined data type"
	}
	return ""
}

// parseNumber is xstrtoumax in base 10: blanks, a plus, digits, and one of
// suffixes; '0' among those allows B, D and iB after a multiplier. A suffix
// alone counts as 1. On overflow the value is the greatest one.
func parseNumber(s, suffixes string) (uint64, numberError) {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	if strings.HasPrefix(s, "-") {
		return 0, numberInvalid
	}
	s = strings.TrimPrefix(s, "+")
	var n uint64
	status := numberOK
	i := 0
	for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		n = addDigit(n, s[i]-'0', &status)
	}
	rest := s[i:]
	if i == 0 {
		if rest == "" || strings.IndexByte(suffixes, rest[0]) < 0 || rest[0] == '0' {
			return 0, numberInvalid
		}
		n = 1
	}
	if rest == "" {
		return n, status
	}
	if strings.IndexByte(suffixes, rest[0]) < 0 {
		return n, numberBadSuffix
	}
	used, base := 1, uint64(1024)
	if strings.IndexByte(suffixes, '0') >= 0 && strings.IndexByte("EGgkKMmPTtYZ", rest[0]) >= 0 && len(rest) > 1 {
		switch {
		case rest[1] == 'B' || rest[1] == 'D':
			used, base = 2, 1000
		case strings.HasPrefix(rest[1:], "iB"):
			used = 3
		}
	}
	power := 0
	switch rest[0] {
	case 'b':
		n = multiply(n, 512, &status)
	case 'B':
		n = multiply(n, 1024, &status)
	case 'c':
	case 'w':
		n = multiply(n, 2, &status)
	default:
		power = strings.IndexByte(" KMGTPEZY", upperASCII(rest[0]))
		if power < 0 {
			return n, numberBadSuffix
		}
	}
	for ; power > 0; power-- {
		n = multiply(n, base, &status)
	}
	if len(rest) > used {
		return n, numberBadSuffix
	}
	return n, status
}

func addDigit(n uint64, digit byte, status *numberError) uint64 {
	n = multiply(n, 10, status)
	sum, carry := bits.Add64(n, uint64(digit), 0)
	if carry != 0 || *status == numberOverflow {
		*status = numberOverflow
		return 1<<64 - 1
	}
	return sum
}

func multiply(n, by uint64, status *numberError) uint64 {
	high, low := bits.Mul64(n, by)
	if high != 0 || *status == numberOverflow {
		*status = numberOverflow
		return 1<<64 - 1
	}
	return low
}

func upperASCII(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

// number is gnulib's xdectoumax: a number between low and high, or the end of
// the run with what, the number and the cause.
func (c *call) number(s string, low, high uint64, suffixes, what string) (uint64, error) {
	n, status := parseNumber(s, suffixes)
	cause := status.words()
	if status == numberOK && (n < low || n > high) {
		status = numberOverflow
		cause = ": Numerical result out of range"
		if n > 1<<30 {
			cause = numberOverflow.words()
		}
	}
	if status != numberOK {
		return 0, c.fatalf("%s: %s%s", what, quote(s), cause)
	}
	return n, nil
}
