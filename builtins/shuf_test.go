package builtins

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The expected texts are those of the real programs.
func TestShuf(t *testing.T) {
	runTable(t, []string{"f=a\nb\n", "d/"}, []tableCase{
		{"one line", "shuf -e x", "", "x\n"},
		{"a range of one", "shuf -i 7-7", "", "7\n"},
		{"an empty range", "shuf -i 5-4", "", ""},
		{"repeated", "shuf -r -n 3 -e x", "", "x\nx\nx\n"},
		{"none of a missing file", "shuf -n 0 nope", "", ""},
		{"a missing file", "shuf nope", "", "shuf: nope: No such file or directory\n[exit status 1]\n"},
		{"a directory", "shuf d", "", "shuf: read error: Is a directory\n[exit status 1]\n"},
		{"nothing to repeat", "shuf -r", "", "shuf: no lines to repeat\n[exit status 1]\n"},
		{"a range that is none", "shuf -i x", "", "shuf: invalid input range: ‘x’\n[exit status 1]\n"},
		{"a range backwards", "shuf -i 5-3", "", "shuf: invalid input range: ‘5-3’\n[exit status 1]\n"},
		{"two ranges", "shuf -i 1-2 -i 3-4", "", "shuf: multiple -i options specified\n[exit status 1]\n"},
		{"words and a range", "shuf -e -i 1-2", "", "shuf: cannot combine -e and -i options\nTry 'shuf --help' for more information.\n[exit status 1]\n"},
		{"a file and a range", "shuf -i 1-2 f", "", "shuf: extra operand ‘f’\nTry 'shuf --help' for more information.\n[exit status 1]\n"},
		{"a bad count", "shuf -n x f", "", "shuf: invalid line count: ‘x’\n[exit status 1]\n"},
		{"two outputs", "shuf -o a -o b f", "", "shuf: multiple output files specified\n[exit status 1]\n"},
		{"a source that ends", "shuf --random-source=/dev/null f", "", "shuf: ‘/dev/null’: end of file\n[exit status 1]\n"},
	})
}

func TestShufPermutes(t *testing.T) {
	sorted := func(text string) string {
		lines := strings.Fields(text)
		slices.Sort(lines)
		return strings.Join(lines, " ")
	}
	s := newTestShell(t).files("f=c\na\nb\n")
	require.Equal(t, "a b c", sorted(s.output("shuf", "f")), "a file's lines")
	require.Equal(t, "1 2 3 4 5", sorted(s.output("shuf", "-i", "1-5")), "a range")
	require.Len(t, strings.Fields(s.output("shuf", "-n", "2", "f")), 2, "a sample")
	require.Len(t, strings.Fields(s.output("shuf", "-n", "2", "-i", "0-18446744073709551614")), 2, "few of a huge range")
	require.Empty(t, s.output("shuf", "-o", "f", "f"), "onto itself")
	require.Equal(t, "a b c", sorted(s.read("f")))
}
