package libm

import "math"

func ln2() double  { return double{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56} }
func ln10() double { return double{0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53} }

// expDouble is e to the x as a double times a power of two.
func expDouble(x double) (double, int) {
	k := math.Round(x.hi / math.Ln2)
	// The third part of ln 2 matters where k is large.
	r := x.sub(ln2().times(k)).sub(exact(k * 0x1.7b57a079a1934p-111))
	const halvings = 8
	r = r.scale(-halvings)
	// The series of e^r-1, which keeps the digits that adding 1 would lose.
	term, total := r, r
	for n := 2.0; n <= 9; n++ {
		term = term.mul(r).div(exact(n))
		total = total.add(term)
	}
	for range halvings {
		total = total.scale(1).add(total.mul(total))
	}
	return total.add(exact(1)), int(k)
}

// Exp is e to the x.
func Exp(x float64) float64 {
	if x != x || x > 710 || x < -746 || x == 0 {
		return math.Exp(x)
	}
	e, k := expDouble(exact(x))
	return finish(e, k)
}

// finish rounds once, also where the result is subnormal.
func finish(e double, k int) float64 {
	if k > -1000 {
		return math.Ldexp(e.value(), k)
	}
	scaled := math.Ldexp(e.hi, k)
	rest := sum(e.hi, -math.Ldexp(scaled, -k))
	ulp := math.Ldexp(0x1p-1074, -k)
	if d := rest.hi + rest.lo + e.lo; d > ulp/2 {
		scaled += 0x1p-1074
	} else if d < -ulp/2 {
		scaled -= 0x1p-1074
	}
	return scaled
}

// Exp2 is 2 to the x.
func Exp2(x float64) float64 {
	if x != x || x > 1025 || x < -1080 || x == math.Trunc(x) {
		return math.Exp2(x)
	}
	e, k := expDouble(ln2().times(x))
	return finish(e, k)
}

// Exp10 is glibc's product of two powers of e.
func Exp10(x float64) float64 {
	switch {
	case x != x || math.IsInf(x, 0):
		return math.Exp(x)
	case x < -307-15-10:
		return 0
	case x > 309:
		return math.Inf(1)
	case math.Abs(x) < 0x1p-56:
		return 1
	}
	high := math.Float64frombits(math.Float64bits(x) &^ 0x7ffffff)
	low := x - high
	first := float64(high * 0x2.4d7637p0)
	second := float64(high*0x7.6aaa2b05ba95cp-28) + float64(low*math.Ln10)
	return float64(Exp(first)) * Exp(second)
}

// logDouble is the natural logarithm of a positive, normal number.
func logDouble(x double) double {
	fraction, k := math.Frexp(x.hi)
	if fraction < math.Sqrt2/2 {
		fraction *= 2
		k--
	}
	m := double{fraction, math.Ldexp(x.lo, -k)}
	if k < -1000 {
		// One step would leave the range.
		m.lo = math.Ldexp(math.Ldexp(x.lo, 1000), -k-1000)
	}
	// One step of Newton's method doubles the digits of the first guess.
	guess := math.Log(fraction)
	e, n := expDouble(exact(-guess))
	e = e.scale(n)
	d := m.mul(e).sub(exact(1))
	// log(1+d) for the tiny d that is left.
	correction := d.sub(d.mul(d).scale(-1))
	return ln2().times(float64(k)).add(exact(guess)).add(correction)
}

func ordinary(x float64) bool { return x > 0 && !math.IsInf(x, 1) }

// Log is the natural logarithm.
func Log(x float64) float64 {
	if !ordinary(x) || x == 1 {
		return math.Log(x)
	}
	return logDouble(exact(x)).value()
}

// Log2 is the logarithm to base 2.
func Log2(x float64) float64 {
	if !ordinary(x) {
		return math.Log2(x)
	}
	if fraction, k := math.Frexp(x); fraction == 0.5 {
		return float64(k - 1)
	}
	return logDouble(exact(x)).div(ln2()).value()
}

// Log10 is the logarithm to base 10, put together as glibc does.
func Log10(x float64) float64 {
	if !ordinary(x) {
		return math.Log10(x)
	}
	k := 0
	if x < 0x1p-1022 {
		k, x = -54, x*0x1p54
	}
	bits := math.Float64bits(x)
	k += int(bits>>52) - 1023
	i := 0
	if k < 0 {
		i = 1
	}
	x = math.Float64frombits(bits&(1<<52-1) | uint64(0x3ff-i)<<52)
	y := float64(k + i)
	z := float64(y*3.69423907715893078616e-13) + float64(4.34294481903251816668e-01*Log(x))
	return z + float64(y*3.01029995663611771306e-01)
}

// Pow is x to the y.
func Pow(x, y float64) float64 {
	a := math.Abs(x)
	if !ordinary(a) || a == 1 || y == 0 || y != y || math.IsInf(y, 0) || x < 0 && y != math.Trunc(y) {
		return math.Pow(x, y)
	}
	exponent := logDouble(exact(a)).times(y)
	switch {
	case exponent.hi > 710:
		return math.Pow(x, y)
	case exponent.hi < -746:
		return math.Pow(x, y)
	}
	e, k := expDouble(exponent)
	r := finish(e, k)
	if x < 0 && math.Mod(y, 2) != 0 {
		return -r
	}
	return r
}

// Hypot is the square root of x*x+y*y.
func Hypot(x, y float64) float64 {
	if h := math.Hypot(x, y); h != h || math.IsInf(h, 0) || h == 0 {
		return h
	}
	_, k := math.Frexp(math.Max(math.Abs(x), math.Abs(y)))
	x, y = math.Ldexp(x, -k), math.Ldexp(y, -k)
	return math.Ldexp(product(x, x).add(product(y, y)).sqrt().value(), k)
}

// Sinh, Cosh and Tanh are built on Expm1 and Exp as in glibc.
func Sinh(x float64) float64 {
	a := math.Abs(x)
	h := math.Copysign(0.5, x)
	switch {
	case a < 0x1p-28 || a != a || a > 709:
		return math.Sinh(x)
	case a < 22:
		t := math.Expm1(a)
		if a < 1 {
			return h * (float64(2*t) - float64(t*t)/(t+1))
		}
		return h * (t + t/(t+1))
	}
	return h * Exp(a)
}

func Cosh(x float64) float64 {
	a := math.Abs(x)
	switch {
	case a != a || a > 709:
		return math.Cosh(x)
	case a < 0.5*math.Ln2:
		if a < 0x1p-55 {
			return 1
		}
		t := math.Expm1(a)
		w := 1 + t
		return 1 + float64(t*t)/(w+w)
	case a < 22:
		t := Exp(a)
		return float64(0.5*t) + 0.5/t
	}
	return 0.5 * Exp(a)
}

func Tanh(x float64) float64 {
	a := math.Abs(x)
	var z float64
	switch {
	case a < 0x1p-55 || a != a:
		return x
	case a >= 22:
		z = 1
	case a >= 1:
		z = 1 - 2/(math.Expm1(2*a)+2)
	default:
		t := math.Expm1(-2 * a)
		z = -t / (t + 2)
	}
	return math.Copysign(z, x)
}

// Asinh, Acosh follow glibc's cases.
func Asinh(x float64) float64 {
	a := math.Abs(x)
	var w float64
	switch {
	case a < 0x1p-28 || a != a || math.IsInf(a, 0):
		return x
	case a > 0x1p28:
		w = Log(a) + math.Ln2
	case a > 2:
		w = Log(float64(2*a) + 1/(math.Sqrt(float64(a*a)+1)+a))
	default:
		t := a * a
		w = math.Log1p(a + t/(1+math.Sqrt(1+t)))
	}
	return math.Copysign(w, x)
}

func Acosh(x float64) float64 {
	switch {
	case !(x > 1) || math.IsInf(x, 1):
		return math.Acosh(x)
	case x > 0x1p28:
		return Log(x) + math.Ln2
	case x > 2:
		t := x * x
		return Log(float64(2*x) - 1/(x+math.Sqrt(t-1)))
	}
	t := x - 1
	return math.Log1p(t + math.Sqrt(float64(2*t)+float64(t*t)))
}
