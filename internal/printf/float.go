package printf

import (
	"math/big"
	"strconv"
	"strings"
)

// maxDigits bounds the digits computed for one number; what a precision asks
// beyond them is zeros anyway (a long double has at most 16,445 of them).
const maxDigits = 17000

func (r *run) float(s *spec, n number) {
	sign := ""
	switch {
	case n.negative:
		sign = "-"
	case s.plus:
		sign = "+"
	case s.space:
		sign = " "
	}
	upper := s.verb >= 'A' && s.verb <= 'Z'
	if n.inf || n.nan {
		text := "inf"
		if n.nan {
			text = "nan"
		}
		if upper {
			text = strings.ToUpper(text)
		}
		plain := *s
		plain.zero, plain.precision = false, -1
		r.digits(&plain, sign, text)
		return
	}
	f := new(big.Float).Abs(n.f)
	precision := s.precision
	var text, tail string
	var more int // zeros that belong between text and tail
	switch s.verb | 0x20 {
	case 'a':
		text, more, tail = hexFloat(f, precision, s.alt)
		sign += "0x"
	default:
		if precision < 0 {
			precision = 6
		}
		text, more, tail = decimal(f, s.verb|0x20, precision, s.alt)
	}
	if upper {
		text, tail, sign = strings.ToUpper(text), strings.ToUpper(tail), strings.ToUpper(sign)
	}
	if s.group && (s.verb|0x20 == 'f' || s.verb|0x20 == 'g') {
		// The C locales group by nothing.
		s.group = false
	}
	length := len(sign) + len(text) + more + len(tail)
	if !s.minus && !s.zero {
		r.pad(blanks, s.width-length)
	}
	r.write(sign)
	if s.zero && !s.minus {
		r.pad(zeros, s.width-length)
	}
	r.write(text)
	r.pad(zeros, more)
	r.write(tail)
	if s.minus {
		r.pad(blanks, s.width-length)
	}
}

// decimal formats by e, f or g. More zeros, if any, stand between text and tail.
func decimal(f *big.Float, verb byte, precision int, alt bool) (text string, more int, tail string) {
	switch verb {
	case 'f':
		if precision > maxDigits {
			more, precision = precision-maxDigits, maxDigits
		}
		text = f.Text('f', precision)
		if precision == 0 && alt {
			text += "."
		}
		return text, more, ""
	case 'e':
		if precision > maxDigits {
			more, precision = precision-maxDigits, maxDigits
		}
		text = f.Text('e', precision)
		i := strings.IndexByte(text, 'e')
		text, tail = text[:i], text[i:]
		if precision == 0 && alt {
			text += "."
		}
		return text, more, tail
	}
	if precision == 0 {
		precision = 1
	}
	wanted := precision
	precision = min(precision, maxDigits)
	text = f.Text('e', precision-1)
	i := strings.IndexByte(text, 'e')
	x, _ := strconv.Atoi(text[i+1:])
	if f.Sign() == 0 {
		x = 0
	}
	if x < -4 || x >= wanted {
		text, tail = text[:i], text[i:]
		if alt {
			more = wanted - precision
		}
	} else {
		digits := min(wanted-1-x, maxDigits)
		text = f.Text('f', digits)
		if alt {
			more = wanted - 1 - x - digits
		}
	}
	if !alt && strings.IndexByte(text, '.') >= 0 {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	} else if alt && strings.IndexByte(text, '.') < 0 {
		text += "."
	}
	return text, more, tail
}

// hexFloat is %a without its 0x: a long double's mantissa has 64 bits, of which
// glibc puts four before the point.
func hexFloat(f *big.Float, precision int, alt bool) (text string, more int, tail string) {
	if f.Sign() == 0 {
		text, tail = "0", "p+0"
		if precision > 0 || alt {
			text += "."
		}
		return text, max(0, precision), tail
	}
	m := new(big.Float)
	e := f.MantExp(m) // f = m * 2**e, m in [0.5, 1)
	m.SetMantExp(m, 64)
	bits, _ := m.Uint64()
	e -= 4
	lead, rest := bits>>60, bits<<4
	if precision >= 0 && precision < 15 {
		drop := uint(60 - 4*precision)
		all := bits
		half := uint64(1) << (drop - 1)
		low := all & (half<<1 - 1)
		all >>= drop
		if low > half || low == half && all&1 == 1 {
			all++
		}
		if all>>(4*uint(precision)) > 15 {
			all >>= 1
			e++
			// 0x10 becomes 0x8 with a higher exponent.
		}
		lead = all >> (4 * uint(precision))
		rest = all << (64 - 4*uint(precision))
		if precision == 0 {
			rest = 0
		}
	}
	digits := strconv.FormatUint(rest, 16)
	digits = strings.Repeat("0", 16-len(digits)) + digits
	if precision < 0 {
		digits = strings.TrimRight(digits, "0")
	} else {
		more = max(0, precision-16)
		digits = digits[:min(precision, 16)]
	}
	text = strconv.FormatUint(lead, 16)
	if digits != "" || more > 0 || alt {
		text += "." + digits
	}
	sign := "+"
	if e < 0 {
		sign, e = "-", -e
	}
	return text, more, "p" + sign + strconv.Itoa(e)
}
