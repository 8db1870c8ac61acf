package builtins

import "testing"

// The expected texts are those of the real programs.
func TestTac(t *testing.T) {
	runTable(t, []string{"f=apple\nbanana\ncherry\n", "n=10\n9\n100\n1\n", "d/", "e="}, []tableCase{
		{"lines", "tac f", "", "cherry\nbanana\napple\n"},
		{"each file", "tac f n", "", "cherry\nbanana\napple\n1\n100\n9\n10\n"},
		{"no newline at the end", "tac", "a\nb", "ba\n"},
		{"-s", "tac -s,", "a,b,c", "cb,a,"},
		{"-b", "tac -b -s,", ",a,b", ",b,a"},
		{"-s of two bytes", "tac -s --", "a--b--c", "cb--a--"},
		{"-r from the end", "tac -r -s '[0-9][0-9]*'", "a1b22c", "c2b2a1"},
		{"-s of nothing is NUL", "tac -s ''", "a\x00b\x00", "b\x00a\x00"},
		{"an empty separator of -r", "tac -rs ''", "", "tac: separator cannot be empty\n[exit status 1]\n"},
		{"a missing file and a directory", "tac no d n", "", "1\n100\n9\n10\ntac: failed to open 'no' for reading: No such file or directory\ntac: d: read error: Invalid argument\n[exit status 1]\n"},
	})
}
