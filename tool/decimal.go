package tool

import (
	"math/big"
	"strconv"
	"strings"
)

// decimal is a JSON number exactly: digits × 10^exponent, where digits has no
// zero at either end and is empty for 0.
type decimal struct {
	negative bool
	digits   string
	exponent int
}

// readDecimal reads the text of a valid JSON number whose exponent has at most
// four digits, as ParseValue takes them.
func readDecimal(text string) decimal {
	var d decimal
	text, d.negative = strings.CutPrefix(text, "-")
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		d.exponent, _ = strconv.Atoi(strings.TrimPrefix(text[at+1:], "+"))
		text = text[:at]
	}
	whole, fraction, _ := strings.Cut(text, ".")
	d.exponent -= len(fraction)
	digits := whole + fraction
	d.digits = strings.TrimRight(digits, "0")
	d.exponent += len(digits) - len(d.digits)
	d.digits = strings.TrimLeft(d.digits, "0")
	if d.digits == "" {
		return decimal{}
	}
	return d
}

func (d decimal) isInteger() bool { return d.exponent >= 0 }

// compare is negative, 0 or positive as d is less than, equal to or greater
// than other.
func (d decimal) compare(other decimal) int {
	switch a, b := d.sign(), other.sign(); {
	case a != b:
		return a - b
	case a == 0:
		return 0
	}
	order := len(d.digits) + d.exponent - len(other.digits) - other.exponent
	if order == 0 {
		// A longer one of equal beginnings is greater: no zero ends it.
		order = strings.Compare(d.digits, other.digits)
	}
	if d.negative {
		return -order
	}
	return order
}

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}

// isMultipleOf reports whether d is other times an integer.
func (d decimal) isMultipleOf(other decimal) bool {
	if d.digits == "" || other.digits == "" {
		return d.digits == ""
	}
	shift := d.exponent - other.exponent
	if shift < 0 {
		return false // no digits end with a zero
	}
	a, _ := new(big.Int).SetString(d.digits, 10)
	b, _ := new(big.Int).SetString(other.digits, 10)
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(shift)), b)
	return power.Mul(power, a).Mod(power, b).Sign() == 0
}

// plain is d as an integer is usually written; false when that is longer than
// size digits or d is no integer.
func (d decimal) plain(size int) (string, bool) {
	if d.exponent < 0 || len(d.digits)+d.exponent > size {
		return "", false
	}
	if d.digits == "" {
		return "0", true
	}
	text := d.digits + strings.Repeat("0", d.exponent)
	if d.negative {
		text = "-" + text
	}
	return text, true
}
