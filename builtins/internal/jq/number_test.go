package jq

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNumbersPrintAsJqPrintsThem(t *testing.T) {
	for want, f := range map[string]float64{
		"0": 0, "-0": math.Copysign(0, -1), "1": 1, "-1.5": -1.5, "0.1": 0.1, "0.30000000000000004": 0.30000000000000004,
		"0.0001": 1e-4, "1e-05": 1e-5, "0.00012345": 0.00012345, "1.234e-05": 0.00001234, "9.862733982504427e-05": 9.862733982504427e-05,
		"1000000000000000": 1e15, "1e+16": 1e16, "12300000000000000": 1.23e16, "123450000000000000": 1.2345e17, "1.2345e+20": 1.2345e20,
		"12345678901234568": 12345678901234567, "123456789012345680000": 123456789012345678901, "1e+100": 1e100, "5e-324": 5e-324,
		"1.7976931348623157e+308": math.Inf(1), "-1.7976931348623157e+308": math.Inf(-1), "null": math.NaN(),
	} {
		t.Run(want, func(t *testing.T) { require.Equal(t, want, string(appendNumber(nil, f))) })
	}
}

func TestNumbersAreReadAsStrtodReadsThem(t *testing.T) {
	for _, s := range []string{"1", "+1", "01", "1.", ".5", "1e5", "1E+5", "nan", "-NaN", "Infinity", "inf", "-1e-5"} {
		_, ok := parseNumber([]byte(s))
		require.True(t, ok, s)
	}
	for _, s := range []string{"", "-", ".", "1e", "0x1", "1-2", "1x", "--1", "nanx", "e5"} {
		_, ok := parseNumber([]byte(s))
		require.False(t, ok, s)
	}
}
