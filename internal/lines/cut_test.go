package lines

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestCutKeepsWhatFits(t *testing.T) {
	c := NewCut(10, nil)
	c.Write([]byte("0123456789"))
	text, n, l := c.String()
	require.Equal(t, "0123456789", text)
	require.Zero(t, n)
	require.Zero(t, l)
}

func TestCutCountsMarkerAgainstLimit(t *testing.T) {
	for _, chunk := range []int{1, 7, 1000, 100000} {
		for _, limit := range []int{60, 61, 100, 1024, 32768} {
			all := strings.Repeat("line of text\n", 9000)
			c := NewCut(limit, nil)
			for rest := all; rest != ""; {
				k := min(chunk, len(rest))
				c.Write([]byte(rest[:k]))
				rest = rest[k:]
			}
			text, n, l := c.String()
			require.LessOrEqual(t, len(text), limit)
			require.Greater(t, len(text), limit-8, "the limit is used up")
			marker := fmt.Sprintf("\n[... %d bytes, %d lines cut ...]\n", n, l)
			first, last, found := strings.Cut(text, marker)
			require.True(t, found, text)
			require.True(t, strings.HasPrefix(all, first))
			require.True(t, strings.HasSuffix(all, last))
			require.EqualValues(t, len(all), len(first)+len(last)+int(n))
			require.EqualValues(t, 9000, strings.Count(first, "\n")+strings.Count(last, "\n")+int(l))
			require.InDelta(t, len(first), len(last), 2)
		}
	}
}

func TestCutTooSmallForMarkerKeepsHalves(t *testing.T) {
	c := NewCut(6, nil)
	c.Write([]byte("abcdefghijklmnopqrstuvwxyz"))
	text, n, _ := c.String()
	require.Equal(t, "abcxyz", text)
	require.EqualValues(t, 20, n)
	c = NewCut(0, nil)
	c.Write([]byte("abc"))
	text, n, _ = c.String()
	require.Empty(t, text)
	require.EqualValues(t, 3, n)
}

func TestCutNeverSplitsRune(t *testing.T) {
	all := strings.Repeat("aé日𝄞", 300)
	for limit := range 400 {
		c := NewCut(limit, nil)
		c.Write([]byte(all))
		text, _, _ := c.String()
		require.True(t, utf8.ValidString(text), "limit %d: %q", limit, text)
		require.LessOrEqual(t, len(text), limit)
	}
}

func TestCutKeepsStrayBytes(t *testing.T) {
	c := NewCut(6, nil)
	c.Write([]byte(strings.Repeat("\x80", 50)))
	text, _, _ := c.String()
	require.Equal(t, strings.Repeat("\x80", 6), text)
}

type refusing struct{ left int64 }

func (r *refusing) Charge(n int64) error {
	if n > r.left {
		return fmt.Errorf("over")
	}
	r.left -= n
	return nil
}
func (r *refusing) Release(n int64) { r.left += n }

func TestCutWithoutLimitIsCharged(t *testing.T) {
	charger := &refusing{left: 100}
	c := NewCut(-1, charger)
	_, err := c.Write(make([]byte, 90))
	require.NoError(t, err)
	_, err = c.Write(make([]byte, 90))
	require.Error(t, err)
	c.Release()
	require.EqualValues(t, 100, charger.left)
}
