package bc

import (
	"math/big"
	"strconv"
)

const digitLetters = "0123456789ABCDEF"

// Text is x in base, as bc and dc print it: a sign, no zero before a point. stop
// is asked now and then.
func (x *Number) Text(base int, stop func() error) (string, error) {
	if x.Sign() == 0 {
		return "0", nil
	}
	var out []byte
	if x.Sign() < 0 {
		out = append(out, '-')
	}
	if base == 10 {
		return string(x.decimal(out)), nil
	}
	absolute := new(big.Int).Abs(x.Whole())
	size := len(strconv.Itoa(base - 1))
	digit := func(d int) {
		if base <= 16 {
			out = append(out, digitLetters[d])
			return
		}
		text := strconv.Itoa(d)
		for n := size - len(text); n > 0; n-- {
			out = append(out, '0')
		}
		out = append(out, text...)
	}
	switch {
	case absolute.Sign() == 0:
	case base <= 16:
		text := absolute.Append(nil, base)
		for i, c := range text {
			if c >= 'a' {
				text[i] = c - 'a' + 'A'
			}
		}
		out = append(out, text...)
	default:
		digits, err := digitsOf(absolute, base, stop)
		if err != nil {
			return "", err
		}
		for _, d := range digits {
			out = append(out, ' ')
			digit(d)
		}
	}
	if x.scale == 0 {
		return string(out), nil
	}
	out = append(out, '.')
	unit := power(x.scale)
	fraction := new(big.Int).Rem(&x.digits, unit)
	fraction.Abs(fraction)
	b := big.NewInt(int64(base))
	shown := big.NewInt(1)
	for first := true; shown.Cmp(unit) < 0 || first && x.scale == 0; first = false {
		if err := stop(); err != nil {
			return "", err
		}
		if base > 16 && !first {
			out = append(out, ' ')
		}
		fraction.Mul(fraction, b)
		d := new(big.Int)
		d.QuoRem(fraction, unit, fraction)
		digit(int(d.Int64()))
		shown.Mul(shown, b)
	}
	return string(out), nil
}

func (x *Number) decimal(out []byte) []byte {
	text := new(big.Int).Abs(&x.digits).Append(nil, 10)
	if x.scale == 0 {
		return append(out, text...)
	}
	if n := len(text) - x.scale; n > 0 {
		out = append(out, text[:n]...)
		text = text[n:]
	}
	out = append(out, '.')
	for n := x.scale - len(text); n > 0; n-- {
		out = append(out, '0')
	}
	return append(out, text...)
}

// digitsOf splits v into digits of a large base, most significant first.
func digitsOf(v *big.Int, base int, stop func() error) ([]int, error) {
	b := big.NewInt(int64(base))
	if v.BitLen() < 2048 {
		var reversed []int
		rest, d := new(big.Int).Set(v), new(big.Int)
		for rest.Sign() > 0 {
			rest.QuoRem(rest, b, d)
			reversed = append(reversed, int(d.Int64()))
		}
		for i, j := 0, len(reversed)-1; i < j; i, j = i+1, j-1 {
			reversed[i], reversed[j] = reversed[j], reversed[i]
		}
		return reversed, stop()
	}
	n := v.BitLen() / b.BitLen() / 2
	high, low := new(big.Int).QuoRem(v, new(big.Int).Exp(b, big.NewInt(int64(n)), nil), new(big.Int))
	first, err := digitsOf(high, base, stop)
	if err != nil {
		return nil, err
	}
	second, err := digitsOf(low, base, stop)
	if err != nil {
		return nil, err
	}
	for range n - len(second) {
		first = append(first, 0)
	}
	return append(first, second...), nil
}
