// Package bc has the numbers, the compiler and the machine of bc, and the
// numbers of dc.
package bc

import (
	"errors"
	"math/big"
	"strings"
)

// Number is a decimal number: digits of it are behind the point. It is not
// changed once made.
type Number struct {
	digits big.Int
	scale  int
}

// MaxDigits is how many digits a number may have.
const MaxDigits = 4 << 20

// ErrTooLarge says that a result would have more than MaxDigits digits.
var ErrTooLarge = errors.New("number too large")

// Zero and One have scale 0.
var (
	Zero = &Number{}
	One  = FromInt(1)
)

// FromInt is n with scale 0.
func FromInt(n int64) *Number {
	x := &Number{}
	x.digits.SetInt64(n)
	return x
}

// FromBig is v / 10^scale.
func FromBig(v *big.Int, scale int) *Number {
	x := &Number{scale: scale}
	x.digits.Set(v)
	return x
}

// Decimal reads digits with at most one point, no sign.
func Decimal(s string) *Number {
	whole, fraction, _ := strings.Cut(s, ".")
	x := &Number{scale: len(fraction)}
	if text := whole + fraction; text != "" {
		x.digits.SetString(text, 10)
	}
	return x
}

// Scale is how many digits are behind the point.
func (x *Number) Scale() int { return x.scale }

// Sign is -1, 0 or 1.
func (x *Number) Sign() int { return x.digits.Sign() }

// Whole is the integer part and Digits all digits as an integer.
func (x *Number) Whole() *big.Int {
	if x.scale == 0 {
		return &x.digits
	}
	return new(big.Int).Quo(&x.digits, power(x.scale))
}

func (x *Number) Digits() *big.Int { return &x.digits }

// Size is about how many bytes x takes.
func (x *Number) Size() int { return 64 + x.digits.BitLen()/8 }

// Int is the integer part; false where it does not fit.
func (x *Number) Int() (int, bool) {
	w := x.Whole()
	if !w.IsInt64() {
		return 0, false
	}
	return int(w.Int64()), true
}

// Length is the number of digits, Places those before the point (at least 1).
func (x *Number) Length() int {
	if p := x.Places(); p > 1 || x.scale == 0 || x.Whole().Sign() != 0 {
		return p + x.scale
	}
	return x.scale
}

func (x *Number) Places() int {
	w := x.Whole()
	if w.Sign() == 0 {
		return 1
	}
	return countDigits(w)
}

// countDigits is the number of decimal digits of v, which is not 0.
func countDigits(v *big.Int) int {
	n := int(float64(v.BitLen()-1)*0.30102999566398120) + 1
	if v.CmpAbs(power(n)) >= 0 {
		n++
	}
	return n
}

var ten = big.NewInt(10)

func power(n int) *big.Int {
	return new(big.Int).Exp(ten, big.NewInt(int64(n)), nil)
}

// bits of a digit, rounded up.
const digitBits = 3.3219280948873626

func fits(bits float64) error {
	if bits > MaxDigits*digitBits {
		return ErrTooLarge
	}
	return nil
}

// Rescale is x with scale digits behind the point: cut off or filled up.
func (x *Number) Rescale(scale int) (*Number, error) {
	switch {
	case scale == x.scale:
		return x, nil
	case scale < x.scale:
		r := &Number{scale: scale}
		r.digits.Quo(&x.digits, power(x.scale-scale))
		return r, nil
	}
	if err := fits(float64(x.digits.BitLen()) + float64(scale-x.scale)*digitBits); err != nil {
		return nil, err
	}
	r := &Number{scale: scale}
	r.digits.Mul(&x.digits, power(scale-x.scale))
	return r, nil
}

// cut is Rescale downwards.
func (x *Number) cut(scale int) *Number {
	if scale >= x.scale {
		return x
	}
	r, _ := x.Rescale(scale)
	return r
}

func aligned(x, y *Number) (*Number, *Number, error) {
	scale := max(x.scale, y.scale)
	a, err := x.Rescale(scale)
	if err != nil {
		return nil, nil, err
	}
	b, err := y.Rescale(scale)
	return a, b, err
}

// Cmp compares by value.
func (x *Number) Cmp(y *Number) (int, error) {
	a, b, err := aligned(x, y)
	if err != nil {
		return 0, err
	}
	return a.digits.Cmp(&b.digits), nil
}

// Neg is -x.
func (x *Number) Neg() *Number {
	r := &Number{scale: x.scale}
	r.digits.Neg(&x.digits)
	return r
}

// Add and Sub have the larger scale of the two.
func (x *Number) Add(y *Number) (*Number, error) {
	a, b, err := aligned(x, y)
	if err != nil {
		return nil, err
	}
	r := &Number{scale: a.scale}
	r.digits.Add(&a.digits, &b.digits)
	return r, nil
}

func (x *Number) Sub(y *Number) (*Number, error) { return x.Add(y.Neg()) }

// Mul has the scale of the exact product, but not more than the largest of
// scale and those of the factors.
func (x *Number) Mul(y *Number, scale int) (*Number, error) {
	full := x.scale + y.scale
	if err := fits(float64(x.digits.BitLen()) + float64(y.digits.BitLen())); err != nil {
		return nil, err
	}
	r := &Number{scale: full}
	r.digits.Mul(&x.digits, &y.digits)
	return r.cut(min(full, max(scale, x.scale, y.scale))), nil
}

// ErrZero is a division by zero.
var ErrZero = errors.New("divide by zero")

// Div is the quotient with scale digits behind the point, cut off.
func (x *Number) Div(y *Number, scale int) (*Number, error) {
	if y.Sign() == 0 {
		return nil, ErrZero
	}
	// x/10^a / (y/10^b) * 10^scale = x * 10^(scale+b-a) / y
	shift := scale + y.scale - x.scale
	if err := fits(float64(x.digits.BitLen()) + float64(max(shift, 0))*digitBits); err != nil {
		return nil, err
	}
	r := &Number{scale: scale}
	if shift >= 0 {
		r.digits.Mul(&x.digits, power(shift))
		r.digits.Quo(&r.digits, &y.digits)
		return r, nil
	}
	if err := fits(float64(y.digits.BitLen()) + float64(-shift)*digitBits); err != nil {
		return nil, err
	}
	r.digits.Quo(&x.digits, new(big.Int).Mul(&y.digits, power(-shift)))
	return r, nil
}

// DivMod is the quotient to scale digits and what it leaves of x.
func (x *Number) DivMod(y *Number, scale int) (quotient, rest *Number, err error) {
	if quotient, err = x.Div(y, scale); err != nil {
		return nil, nil, err
	}
	product, err := quotient.Mul(y, quotient.scale+y.scale)
	if err != nil {
		return nil, nil, err
	}
	if rest, err = x.Sub(product); err != nil {
		return nil, nil, err
	}
	rest, err = rest.Rescale(max(x.scale, y.scale+scale))
	return quotient, rest, err
}

// Pow is x^n. stop is asked between multiplications.
func (x *Number) Pow(n int, scale int, stop func() error) (*Number, error) {
	if n == 0 {
		return One, nil
	}
	negative := n < 0
	count := uint64(n)
	if negative {
		count = -count
	}
	want := scale
	if !negative {
		want = max(scale, x.scale)
		if float64(x.scale)*float64(count) < float64(want) {
			want = x.scale * int(count)
		}
	}
	result, square := One, x
	for {
		var err error
		if count&1 == 1 {
			if result, err = result.Mul(square, result.scale+square.scale); err != nil {
				return nil, err
			}
		}
		if count >>= 1; count == 0 {
			break
		}
		if err = stop(); err != nil {
			return nil, err
		}
		if square, err = square.Mul(square, 2*square.scale); err != nil {
			return nil, err
		}
	}
	if negative {
		return One.Div(result, want)
	}
	return result.cut(want), nil
}

// Sqrt is the square root, cut off; nil for a negative number.
func (x *Number) Sqrt(scale int) (*Number, error) {
	switch {
	case x.Sign() < 0:
		return nil, nil
	case x.Sign() == 0:
		return Zero, nil
	}
	if c, err := x.Cmp(One); err != nil || c == 0 {
		return One, err
	}
	scale = max(scale, x.scale)
	wide, err := x.Rescale(2 * scale)
	if err != nil {
		return nil, err
	}
	r := &Number{scale: scale}
	r.digits.Sqrt(&wide.digits)
	return r, nil
}

// FromDigits is a number written in base: whole digits, then fraction ones, each
// a value. A digit of a longer number is at most base-1.
func FromDigits(whole, fraction []byte, base int) (*Number, error) {
	if len(whole)+len(fraction) > 1 {
		for _, part := range [][]byte{whole, fraction} {
			for i, d := range part {
				part[i] = min(d, byte(base-1))
			}
		}
	}
	if err := fits(float64(len(whole)+len(fraction)) * 5.2); err != nil {
		return nil, err
	}
	r := &Number{scale: len(fraction)}
	toInt(&r.digits, whole, base)
	if len(fraction) == 0 {
		return r, nil
	}
	if base == 10 {
		var f big.Int
		toInt(&f, fraction, base)
		r.digits.Mul(&r.digits, power(len(fraction)))
		r.digits.Add(&r.digits, &f)
		return r, nil
	}
	sum, divisor := &Number{}, &Number{}
	toInt(&sum.digits, fraction, base)
	divisor.digits.Exp(big.NewInt(int64(base)), big.NewInt(int64(len(fraction))), nil)
	f, err := sum.Div(divisor, len(fraction))
	if err != nil {
		return nil, err
	}
	r.scale = 0
	return r.Add(f)
}

// toInt reads digits in halves, so that long ones do not take quadratic time.
func toInt(z *big.Int, digits []byte, base int) {
	if len(digits) <= 64 {
		b := big.NewInt(int64(base))
		z.SetInt64(0)
		for _, d := range digits {
			z.Mul(z, b)
			z.Add(z, big.NewInt(int64(d)))
		}
		return
	}
	half := len(digits) / 2
	var low big.Int
	toInt(z, digits[:half], base)
	toInt(&low, digits[half:], base)
	z.Mul(z, new(big.Int).Exp(big.NewInt(int64(base)), big.NewInt(int64(len(digits)-half)), nil))
	z.Add(z, &low)
}
