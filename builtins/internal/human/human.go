// Package human writes sizes as ls, du and df do (gnulib human).
package human

import (
	"math/bits"
	"strings"
)

// Options say how a number is scaled and written.
type Options uint8

const (
	// Group separates thousands, where the locale does (C.UTF-8 does not).
	Group Options = 1 << iota
	// SuppressPointZero drops ".0".
	SuppressPointZero
	// Autoscale picks the unit.
	Autoscale
	// Base1024 has units of 1024 rather than 1000.
	Base1024
	// Suffix appends the unit's letter.
	Suffix
	// B appends B after the letter, iB with Base1024.
	B
	// Floor and Nearest round down or to the nearest instead of up.
	Floor
	Nearest
)

// Human is what -h asks for, SI what --si does.
const (
	Human = Autoscale | Suffix | Base1024
	SI    = Autoscale | Suffix
)

const letters = " KMGTPEZY"

// Format writes n units of from bytes in units of to bytes.
func Format(n uint64, options Options, from, to uint64) string {
	base := uint64(1000)
	if options&Base1024 != 0 {
		base = 1024
	}
	amount, tenths, rounding := scale(n, from, to)
	exponent := -1
	fraction := ""
	if options&Autoscale != 0 {
		exponent = 0
		for base <= amount && exponent < len(letters)-1 {
			r10 := amount%base*10 + tenths
			r2 := r10%base*2 + rounding>>1
			amount /= base
			tenths = r10 / base
			switch {
			case r2 < base && r2+rounding != 0:
				rounding = 1
			case r2 < base:
				rounding = 0
			case base < r2+rounding:
				rounding = 3
			default:
				rounding = 2
			}
			exponent++
		}
		if exponent > 0 && amount < 10 {
			if options.up(2 < rounding+tenths&1, rounding > 0) {
				tenths++
				rounding = 0
				if tenths == 10 {
					amount++
					tenths = 0
				}
			}
			if amount < 10 && (tenths > 0 || options&SuppressPointZero == 0) {
				fraction = "." + string(rune('0'+tenths))
				tenths, rounding = 0, 0
			}
		}
	}
	half := uint64(0)
	if rounding+amount&1 > 0 {
		half = 1
	}
	if options.up(5 < tenths+half, tenths+rounding > 0) {
		amount++
		if options&Autoscale != 0 && amount == base && exponent < len(letters)-1 {
			exponent++
			if options&SuppressPointZero == 0 {
				fraction = ".0"
			}
			amount = 1
		}
	}
	return digits(amount) + fraction + suffix(options, exponent, to, base)
}

// up decides the rounding.
func (o Options) up(nearest, ceiling bool) bool {
	switch {
	case o&Floor != 0:
		return false
	case o&Nearest != 0:
		return nearest
	}
	return ceiling
}

// scale is n*from/to with a digit after the point and, in halves of a tenth,
// whether something is left: 0 nothing, 1 less than half, 2 half, 3 more.
func scale(n, from, to uint64) (amount, tenths, rounding uint64) {
	high, low := bits.Mul64(n, from)
	if high >= to {
		return 1<<64 - 1, 0, 0
	}
	amount, rest := bits.Div64(high, low, to)
	high, low = bits.Mul64(rest, 10)
	tenths, rest = bits.Div64(high, low, to)
	switch twice := rest * 2; {
	case rest == 0:
	case twice < to:
		rounding = 1
	case twice == to:
		rounding = 2
	default:
		rounding = 3
	}
	return amount, tenths, rounding
}

func digits(n uint64) string {
	var b [20]byte
	i := len(b)
	for {
		i--
		b[i] = byte('0' + n%10)
		if n /= 10; n == 0 {
			return string(b[i:])
		}
	}
}

func suffix(options Options, exponent int, to, base uint64) string {
	if options&Suffix == 0 {
		return ""
	}
	if exponent < 0 {
		exponent = 0
		for power := uint64(1); power < to; power *= base {
			if exponent++; exponent == len(letters)-1 {
				break
			}
		}
	}
	s := ""
	switch {
	case exponent == 1 && options&Base1024 == 0:
		s = "k"
	case exponent > 0:
		s = letters[exponent : exponent+1]
	}
	if options&B != 0 {
		if options&Base1024 != 0 && exponent > 0 {
			s += "i"
		}
		s += "B"
	}
	return s
}

// Fault is what is wrong with a block size.
type Fault uint8

const (
	Fine Fault = iota
	Invalid
	BadSuffix
	TooLarge
)

// BlockSize reads --block-size: a number with a unit, a unit alone (which is
// then shown), human-readable or si.
func BlockSize(text string) (options Options, size uint64, fault Fault) {
	if rest, ok := strings.CutPrefix(text, "'"); ok {
		options, text = Group, rest
	}
	switch {
	case text != "" && strings.HasPrefix("human-readable", text):
		return options | Human, 1, Fine
	case text == "si":
		return options | SI, 1, Fine
	}
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		digit := uint64(text[n] - '0')
		if size > (1<<64-1-digit)/10 {
			return 0, 0, TooLarge
		}
		size = size*10 + digit
		n++
	}
	unit := text[n:]
	switch {
	case text == "" || n == 0 && !isUnit(unit[0]):
		return 0, 0, Invalid
	case n == 0:
		size = 1
	case unit == "":
		if size == 0 {
			return 0, 0, Invalid
		}
		return options, size, Fine
	}
	if !isUnit(unit[0]) {
		return 0, 0, BadSuffix
	}
	power := strings.IndexByte(letters, unit[0]&^0x20)
	base := uint64(1024)
	rest := unit[1:]
	switch {
	case rest == "B" || rest == "D":
		base = 1000
	case rest != "" && rest != "iB":
		return 0, 0, BadSuffix
	}
	for range power {
		high, low := bits.Mul64(size, base)
		if high != 0 {
			return 0, 0, TooLarge
		}
		size = low
	}
	if n == 0 {
		options |= Suffix
		if strings.HasSuffix(unit, "B") {
			options |= B
		}
		if base == 1024 {
			options |= Base1024
		}
	}
	if size == 0 {
		return 0, 0, Invalid
	}
	return options, size, Fine
}

func isUnit(c byte) bool { return strings.IndexByte("eEgGkKmMpPtTyYzZ", c) >= 0 }
