package libm

import (
	"math"
	"math/big"
)

func halfPi() double { return double{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54} }

// reduce takes multiples of a quarter turn off x, and counts them modulo 4.
func reduce(x float64) (double, int) {
	k := math.Round(x / (math.Pi / 2))
	if math.Abs(k) < 1<<20 {
		r := exact(x).sub(product(k, halfPi().hi)).sub(product(k, halfPi().lo)).sub(exact(k * -0x1.f1976b7ed8fbcp-110))
		return r, int(int64(k) & 3)
	}
	return reduceLarge(x)
}

// piDigits are enough of pi for the largest number.
const piDigits = "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798214808651" +
	"32823066470938446095505822317253594081284811174502841027019385211055596446229489549303819644288109756659334461284756482337" +
	"86783165271201909145648566923460348610454326648213393607260249141273724587006606315588174881520920962829254091715364367892" +
	"590360011330530548820466521384146951941511609433057270365759591953092186117381932611793105118548074462379962749567351885752724891227938183011949"

func reduceLarge(x float64) (double, int) {
	const precision = 1400
	quarter, _, err := big.ParseFloat(piDigits, 10, precision, big.ToNearestEven)
	if err != nil {
		return double{math.NaN(), 0}, 0
	}
	quarter.Quo(quarter, big.NewFloat(2))
	v := new(big.Float).SetPrec(precision).SetFloat64(x)
	q := new(big.Float).SetPrec(precision).Quo(v, quarter)
	half := big.NewFloat(math.Copysign(0.5, x))
	n, _ := q.Add(q, half).Int(nil)
	r := v.Sub(v, new(big.Float).SetPrec(precision).Mul(quarter, new(big.Float).SetPrec(precision).SetInt(n)))
	hi, _ := r.Float64()
	lo, _ := r.Sub(r, big.NewFloat(hi)).Float64()
	turn := new(big.Int).And(n, big.NewInt(3))
	return double{hi, lo}, int(turn.Int64())
}

// sinCos is for at most an eighth of a turn, by series.
func sinCos(r double) (sin, cos double) {
	square := r.mul(r)
	term := r
	sin = r
	for n := 2.0; n < 30; n += 2 {
		term = term.mul(square).div(exact(-n * (n + 1)))
		sin = sin.add(term)
		if math.Abs(term.hi) < 0x1p-115*math.Abs(sin.hi) {
			break
		}
	}
	term, cos = exact(1), exact(1)
	for n := 1.0; n < 30; n += 2 {
		term = term.mul(square).div(exact(-n * (n + 1)))
		cos = cos.add(term)
		if math.Abs(term.hi) < 0x1p-115 {
			break
		}
	}
	return sin, cos
}

func turned(x float64) (sin, cos double) {
	r, turn := reduce(x)
	s, c := sinCos(r)
	switch turn {
	case 1:
		return c, s.neg()
	case 2:
		return s.neg(), c.neg()
	case 3:
		return c.neg(), s
	}
	return s, c
}

func endless(x float64) bool { return x != x || math.IsInf(x, 0) }

// Sin, Cos and Tan are those of an angle.
func Sin(x float64) float64 {
	if endless(x) || math.Abs(x) < 0x1p-30 {
		return math.Sin(x)
	}
	s, _ := turned(x)
	return s.value()
}

func Cos(x float64) float64 {
	if endless(x) || math.Abs(x) < 0x1p-30 {
		return math.Cos(x)
	}
	_, c := turned(x)
	return c.value()
}

func Tan(x float64) float64 {
	if endless(x) || math.Abs(x) < 0x1p-30 {
		return math.Tan(x)
	}
	s, c := turned(x)
	return s.div(c).value()
}

// atanDouble is the angle of the point (x, y), in the right half plane.
func atanDouble(y, x double) double {
	guess := math.Atan2(y.hi, x.hi)
	s, c := turned(guess)
	// The rest is the angle that is left when guess is turned away.
	d := y.mul(c).sub(x.mul(s)).div(x.mul(c).add(y.mul(s)))
	return exact(guess).add(d)
}

// Atan is the arc tangent.
func Atan(x float64) float64 {
	if endless(x) || math.Abs(x) < 0x1p-27 || math.Abs(x) > 0x1p60 {
		return math.Atan(x)
	}
	return atanDouble(exact(x), exact(1)).value()
}

// Atan2 is the angle of the point (x, y).
func Atan2(y, x float64) float64 {
	q := math.Abs(y / x)
	if endless(x) || endless(y) || !(q > 0x1p-60 && q < 0x1p60) || math.Abs(x) > 0x1p500 || math.Abs(y) > 0x1p500 ||
		math.Abs(x) < 0x1p-400 || math.Abs(y) < 0x1p-400 {
		return math.Atan2(y, x)
	}
	a := atanDouble(exact(y), exact(math.Abs(x)))
	if x < 0 {
		pi := halfPi().scale(1)
		if y < 0 {
			pi = pi.neg()
		}
		a = pi.sub(a)
	}
	return a.value()
}

// Asin and Acos are the arc sine and cosine.
func Asin(x float64) float64 {
	if !(math.Abs(x) < 1) || math.Abs(x) < 0x1p-27 {
		return math.Asin(x)
	}
	return atanDouble(exact(x), exact(1).sub(product(x, x)).sqrt()).value()
}

func Acos(x float64) float64 {
	if !(math.Abs(x) < 1) {
		return math.Acos(x)
	}
	a := atanDouble(exact(x), exact(1).sub(product(x, x)).sqrt())
	return halfPi().sub(a).value()
}
