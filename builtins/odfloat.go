package builtins

import (
	"encoding/binary"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/internal/printf"
)

// odFloat shows a float, double or long double with as few digits as tell it
// from its neighbours, but in the way of %g (gnulib's ftoastr).
func odFloat(datum []byte, bigEndian bool) string {
	b := datum
	if bigEndian {
		b = make([]byte, len(datum))
		for i, c := range datum {
			b[len(datum)-1-i] = c
		}
	}
	switch len(b) {
	case 4:
		f := math.Float32frombits(binary.LittleEndian.Uint32(b))
		return odShortest(odLongDouble(float64(f)), 6, 9, math.Abs(float64(f)) < 0x1p-126, func(s string) bool {
			back, err := strconv.ParseFloat(s, 32)
			return err == nil && float32(back) == f
		})
	case 8:
		f := math.Float64frombits(binary.LittleEndian.Uint64(b))
		return odShortest(odLongDouble(f), 15, 17, math.Abs(f) < 0x1p-1022, func(s string) bool {
			back, err := strconv.ParseFloat(s, 64)
			return err == nil && back == f
		})
	}
	return odExtended(binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint16(b[8:]))
}

func odLongDouble(f float64) printf.LongDouble {
	n := printf.LongDouble{Negative: math.Signbit(f), Inf: math.IsInf(f, 0), NaN: math.IsNaN(f), Float: new(big.Float).SetPrec(64)}
	if !n.Inf && !n.NaN {
		n.Float.SetFloat64(f)
	}
	return n
}

func odShortest(n printf.LongDouble, from, to int, subnormal bool, same func(string) bool) string {
	if subnormal {
		from = 1
	}
	for precision := from; ; precision++ {
		var b strings.Builder
		(&printf.Conversion{Verb: 'g', Precision: precision}).Format(&b, n)
		if n.Inf || n.NaN || precision >= to || same(b.String()) {
			return b.String()
		}
	}
}

// odExtended is the x87's format: 64 bits of mantissa with its leading one.
func odExtended(mantissa uint64, top uint16) string {
	n := printf.LongDouble{Negative: top>>15 != 0, Float: new(big.Float).SetPrec(64)}
	exponent := int(top & 0x7fff)
	switch {
	case exponent == 0x7fff:
		n.Inf = mantissa<<1 == 0
		n.NaN = !n.Inf
	case exponent != 0 && mantissa>>63 == 0:
		n.NaN = true // no value of the format
	default:
		n.Float.SetUint64(mantissa)
		n.Float.SetMantExp(n.Float, max(exponent, 1)-16383-63)
		if n.Negative {
			n.Float.Neg(n.Float)
		}
	}
	return odShortest(n, 18, 21, exponent == 0, func(s string) bool {
		back, _, _ := printf.ParseLongDouble(s)
		if exponent > 0 || back.Inf {
			return !back.Inf && back.Float.Cmp(n.Float) == 0
		}
		// A subnormal has fewer bits than the mantissa it was read into.
		units := new(big.Float).SetMantExp(new(big.Float).Abs(back.Float), 16383+62)
		units.Add(units, big.NewFloat(0.5))
		whole, _ := units.Uint64()
		return whole == mantissa
	})
}
