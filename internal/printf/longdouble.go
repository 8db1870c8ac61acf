package printf

import (
	"io"
	"math/big"
)

// LongDouble is a value of C's long double on x86: finite with 64 bits of
// mantissa, an infinity or not a number.
type LongDouble struct {
	// Float is the value where it is finite.
	Float    *big.Float
	Negative bool
	Inf, NaN bool
}

// ParseLongDouble reads the longest prefix that strtold takes; rest is s itself
// where there is none.
func ParseLongDouble(s string) (n LongDouble, rest string, outOfRange bool) {
	parsed, rest, outOfRange := parseFloat(s)
	return LongDouble{Float: parsed.f, Negative: parsed.negative, Inf: parsed.inf, NaN: parsed.nan}, rest, outOfRange
}

// Conversion is one conversion of a floating number: %[flags][Width][.Precision]Verb.
// Precision is negative where there is none.
type Conversion struct {
	Minus, Plus, Space, Alt, Zero bool
	Width, Precision              int
	Verb                          byte
}

// Format writes n; out should be buffered.
func (c *Conversion) Format(out io.Writer, n LongDouble) error {
	r := &run{Config: &Config{Out: out}}
	s := spec{minus: c.Minus, plus: c.Plus, space: c.Space, alt: c.Alt, zero: c.Zero, width: c.Width, precision: c.Precision, verb: c.Verb}
	r.float(&s, number{f: n.Float, negative: n.Negative, inf: n.Inf, nan: n.NaN})
	return r.err
}
