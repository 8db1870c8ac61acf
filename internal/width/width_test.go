package width

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRune(t *testing.T) {
	for _, c := range []struct {
		rule string
		r    rune
		want int
	}{
		{"a letter takes one column", 'a', 1},
		{"a letter beyond ASCII takes one", 'é', 1},
		{"an ideograph takes two", '日', 2},
		{"a fullwidth form takes two", 'Ａ', 2},
		{"an emoji takes two", '😀', 2},
		{"a combining mark takes none", 0x301, 0},
		{"a joiner takes none", 0x200d, 0},
		{"a soft hyphen takes one", 0xad, 1},
		{"a medial vowel of Hangul takes none", 0x1161, 0},
		{"a control character cannot be printed", '\t', -1},
		{"a code point nobody assigned cannot be printed", 0x378, -1},
		{"private use takes one", 0xe000, 1},
		{"the first wide range", 0x1100, 2},
		{"the last wide range", 0x3134a, 2},
		{"beyond the last wide range", 0x323b0, -1},
	} {
		t.Run(c.rule, func(t *testing.T) { require.Equal(t, c.want, Rune(c.r)) })
	}
}

func TestString(t *testing.T) {
	require.Equal(t, 5, String("a日e\u0301\xff\té"))
}
