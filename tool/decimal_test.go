package tool

import (
	"encoding/json"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzDecimal(f *testing.F) {
	for _, pair := range [][2]string{{"0", "-0.0e5"}, {"1.10", "11e-1"}, {"9007199254740993", "9007199254740992"}, {"-5", "0.001"}, {"1e400", "3"}, {"0.07", "0.01"}, {"123000", "1.23e3"}, {"1", "10"}, {"2.5", "25"}} {
		f.Add(pair[0], pair[1])
	}
	read := func(text string) (decimal, *big.Rat, bool) {
		v, err := ParseValue([]byte(text))
		if err != nil || len(text) > 200 {
			return decimal{}, nil, false
		}
		n, ok := v.Any().(json.Number)
		if !ok {
			return decimal{}, nil, false
		}
		exact, ok := new(big.Rat).SetString(n.String())
		return readDecimal(n.String()), exact, ok
	}
	f.Fuzz(func(t *testing.T, left, right string) {
		a, exactA, ok := read(left)
		if !ok {
			return
		}
		b, exactB, ok := read(right)
		if !ok {
			return
		}
		sign := func(n int) int { return min(max(n, -1), 1) }
		require.Equal(t, exactA.Cmp(exactB), sign(a.compare(b)))
		require.Equal(t, exactA.Cmp(exactB) == 0, a == b)
		require.Equal(t, exactA.IsInt(), a.isInteger())
		if exactB.Sign() != 0 {
			require.Equal(t, new(big.Rat).Quo(exactA, exactB).IsInt(), a.isMultipleOf(b))
		}
		if text, ok := a.plain(400); ok {
			require.Equal(t, exactA.Num().String(), text)
		}
	})
}
