package human

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The numbers are those of du and ls of coreutils 9.1.
func TestFormat(t *testing.T) {
	for _, c := range []struct {
		n       uint64
		options Options
		from    uint64
		to      uint64
		want    string
	}{
		{0, Human, 1, 1, "0"}, {1023, Human, 1, 1, "1023"}, {1024, Human, 1, 1, "1.0K"}, {1025, Human, 1, 1, "1.1K"},
		{1500, Human, 1, 1, "1.5K"}, {10239, Human, 1, 1, "10K"}, {10241, Human, 1, 1, "11K"}, {1048575, Human, 1, 1, "1.0M"},
		{1000, SI, 1, 1, "1.0k"}, {999999, SI, 1, 1, "1.0M"}, {1<<64 - 1, Human, 1, 1, "16E"},
		{1500, 0, 1, 1024, "2"}, {8, 0, 512, 1024, "4"}, {1, 0, 512, 1024, "1"}, {4096, Suffix | Base1024, 1, 1024, "4K"},
		{4096, Suffix | B, 1, 1000, "5kB"}, {4096, Suffix | B | Base1024, 1, 1024, "4KiB"},
	} {
		require.Equal(t, c.want, Format(c.n, c.options, c.from, c.to), "%d %b", c.n, c.options)
	}
}

func TestBlockSize(t *testing.T) {
	for _, c := range []struct {
		text    string
		options Options
		size    uint64
		fault   Fault
	}{
		{"1K", 0, 1024, Fine}, {"K", Suffix | Base1024, 1024, Fine}, {"KB", Suffix | B, 1000, Fine}, {"MiB", Suffix | B | Base1024, 1 << 20, Fine},
		{"2MB", 0, 2e6, Fine}, {"512", 0, 512, Fine}, {"human-readable", Human, 1, Fine}, {"si", SI, 1, Fine}, {"'1", Group, 1, Fine},
		{"x", 0, 0, Invalid}, {"0", 0, 0, Invalid}, {"", 0, 0, Invalid}, {"1Q", 0, 0, BadSuffix}, {"1Kx", 0, 0, BadSuffix}, {"99999999999999999999", 0, 0, TooLarge}, {"1Y", 0, 0, TooLarge},
	} {
		options, size, fault := BlockSize(c.text)
		require.Equal(t, c.fault, fault, c.text)
		if fault == Fine {
			require.Equal(t, c.options, options, c.text)
			require.Equal(t, c.size, size, c.text)
		}
	}
}
