package jq

import (
	"math"

	"github.com/vsh-project/vsh/builtins/internal/libm"
)

// mathBuiltin is the function of C's mathematics library of a name.
func mathBuiltin(key string) native {
	if f := unary(key); f != nil {
		return func(_ *Machine, in Value, _ []Value) (Value, error) {
			x, ok := in.(float64)
			if !ok {
				return nil, typeError(in, "number required")
			}
			return f(x), nil
		}
	}
	if f := binary(key); f != nil {
		return func(_ *Machine, _ Value, args []Value) (Value, error) {
			for _, a := range args {
				if kindOf(a) != kindNumber {
					return nil, typeError(a, "number required")
				}
			}
			return f(args[0].(float64), args[1].(float64)), nil
		}
	}
	switch key {
	case "infinite/0":
		return func(*Machine, Value, []Value) (Value, error) { return math.Inf(1), nil }
	case "nan/0":
		return func(*Machine, Value, []Value) (Value, error) { return math.NaN(), nil }
	case "isinfinite/0", "isnan/0", "isnormal/0":
		return func(_ *Machine, in Value, _ []Value) (Value, error) {
			x, ok := in.(float64)
			return ok && classified(key, x), nil
		}
	case "frexp/0", "modf/0", "lgamma_r/0":
		return func(_ *Machine, in Value, _ []Value) (Value, error) {
			x, ok := in.(float64)
			if !ok {
				return nil, typeError(in, "number required")
			}
			return pairOf(key, x), nil
		}
	case "fma/3":
		return func(_ *Machine, _ Value, args []Value) (Value, error) {
			for _, a := range args {
				if kindOf(a) != kindNumber {
					return nil, typeError(a, "number required")
				}
			}
			return math.FMA(args[0].(float64), args[1].(float64), args[2].(float64)), nil
		}
	}
	return nil
}

func classified(key string, x float64) bool {
	switch key {
	case "isnan/0":
		return x != x
	case "isinfinite/0":
		return math.IsInf(x, 0)
	}
	return x == x && !math.IsInf(x, 0) && math.Abs(x) >= 0x1p-1022
}

func pairOf(key string, x float64) Value {
	switch key {
	case "frexp/0":
		fraction, exponent := math.Frexp(x)
		return newArray([]Value{fraction, float64(exponent)})
	case "modf/0":
		if math.IsInf(x, 0) {
			return newArray([]Value{math.Copysign(0, x), x})
		}
		whole, fraction := math.Modf(x)
		return newArray([]Value{fraction, whole})
	}
	value, sign := math.Lgamma(x)
	return newArray([]Value{value, float64(sign)})
}

func unary(key string) func(float64) float64 {
	switch key {
	case "floor/0":
		return math.Floor
	case "ceil/0":
		return math.Ceil
	case "round/0":
		return math.Round
	case "trunc/0":
		return math.Trunc
	case "rint/0", "nearbyint/0":
		return math.RoundToEven
	case "sqrt/0":
		return math.Sqrt
	case "fabs/0":
		return math.Abs
	case "cbrt/0":
		return math.Cbrt
	case "exp/0":
		return libm.Exp
	case "exp2/0":
		return libm.Exp2
	case "exp10/0":
		return libm.Exp10
	case "expm1/0":
		return math.Expm1
	case "log/0":
		return libm.Log
	case "log2/0":
		return libm.Log2
	case "log10/0":
		return libm.Log10
	case "log1p/0":
		return math.Log1p
	case "sin/0":
		return libm.Sin
	case "cos/0":
		return libm.Cos
	case "tan/0":
		return libm.Tan
	case "asin/0":
		return libm.Asin
	case "acos/0":
		return libm.Acos
	case "atan/0":
		return libm.Atan
	case "sinh/0":
		return libm.Sinh
	case "cosh/0":
		return libm.Cosh
	case "tanh/0":
		return libm.Tanh
	case "asinh/0":
		return libm.Asinh
	case "acosh/0":
		return libm.Acosh
	case "atanh/0":
		return math.Atanh
	case "gamma/0", "lgamma/0":
		return func(x float64) float64 { value, _ := math.Lgamma(x); return value }
	case "tgamma/0":
		return math.Gamma
	case "erf/0":
		return math.Erf
	case "erfc/0":
		return math.Erfc
	case "j0/0":
		return math.J0
	case "j1/0":
		return math.J1
	case "y0/0":
		return math.Y0
	case "y1/0":
		return math.Y1
	case "logb/0":
		return math.Logb
	case "significand/0":
		return significand
	}
	return nil
}

func significand(x float64) float64 {
	if x == 0 || x != x || math.IsInf(x, 0) {
		return x
	}
	fraction, _ := math.Frexp(x)
	return fraction * 2
}

func binary(key string) func(a, b float64) float64 {
	switch key {
	case "pow/2":
		return libm.Pow
	case "atan2/2":
		return libm.Atan2
	case "fmod/2":
		return math.Mod
	case "hypot/2":
		return libm.Hypot
	case "copysign/2":
		return math.Copysign
	case "drem/2", "remainder/2":
		return math.Remainder
	case "nextafter/2", "nexttoward/2":
		return math.Nextafter
	case "fdim/2":
		return func(a, b float64) float64 {
			if a != a || b != b {
				return math.NaN()
			}
			return math.Dim(a, b)
		}
	case "fmax/2":
		return func(a, b float64) float64 {
			if a != a {
				return b
			}
			if b != b {
				return a
			}
			return math.Max(a, b)
		}
	case "fmin/2":
		return func(a, b float64) float64 {
			if a != a {
				return b
			}
			if b != b {
				return a
			}
			return math.Min(a, b)
		}
	case "ldexp/2", "scalb/2", "scalbln/2":
		return func(a, b float64) float64 { return math.Ldexp(a, int(min(max(b, -1<<20), 1<<20))) }
	case "jn/2":
		return func(a, b float64) float64 { return math.Jn(order(a), b) }
	case "yn/2":
		return func(a, b float64) float64 { return math.Yn(order(a), b) }
	}
	return nil
}

// order bounds the order of a Bessel function, which is computed step by step.
func order(n float64) int { return int(min(max(n, -1<<16), 1<<16)) }
