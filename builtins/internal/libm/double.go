// Package libm computes the functions of C's mathematics library as glibc
// does, to the last digit: Go's own are off by one in a good part of all cases,
// which shows where all 17 digits are printed.
//
// glibc's exp, log, pow and trigonometric functions are practically correctly
// rounded, so they are computed with twice the precision here and then rounded.
// What glibc builds on those is built the same way.
package libm

import "math"

// double is an unevaluated sum of two numbers, the second small beside the
// first: about 106 bits.
type double struct{ hi, lo float64 }

func exact(x float64) double { return double{x, 0} }

// sum is a+b exactly.
func sum(a, b float64) double {
	s := a + b
	v := s - a
	return double{s, (a - (s - v)) + (b - v)}
}

// quickSum is sum where a is the larger.
func quickSum(a, b float64) double {
	s := a + b
	return double{s, b - (s - a)}
}

// product is a*b exactly.
func product(a, b float64) double {
	p := a * b
	return double{p, math.FMA(a, b, -p)}
}

func (a double) add(b double) double {
	s := sum(a.hi, b.hi)
	t := sum(a.lo, b.lo)
	s = quickSum(s.hi, s.lo+t.hi)
	return quickSum(s.hi, s.lo+t.lo)
}

func (a double) neg() double         { return double{-a.hi, -a.lo} }
func (a double) sub(b double) double { return a.add(b.neg()) }

func (a double) mul(b double) double {
	p := product(a.hi, b.hi)
	return quickSum(p.hi, p.lo+(a.hi*b.lo+a.lo*b.hi))
}

func (a double) times(b float64) double { return a.mul(exact(b)) }

func (a double) div(b double) double {
	q := a.hi / b.hi
	r := a.sub(b.times(q))
	q2 := r.hi / b.hi
	r = r.sub(b.times(q2))
	s := quickSum(q, q2)
	return s.add(exact(r.hi / b.hi))
}

func (a double) scale(exponent int) double {
	return double{math.Ldexp(a.hi, exponent), math.Ldexp(a.lo, exponent)}
}

func (a double) value() float64 { return a.hi + a.lo }

func (a double) sqrt() double {
	r := math.Sqrt(a.hi)
	if r == 0 {
		return double{}
	}
	rest := a.sub(product(r, r))
	return quickSum(r, rest.hi/(2*r))
}
