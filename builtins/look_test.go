package builtins

import "testing"

// The expected texts are those of the real programs.
func TestLook(t *testing.T) {
	runTable(t, []string{"w=Apple\nbanana\nband\ncherry\n", "u=b\na\nc\n", "d/", "e="}, []tableCase{
		{"lines that begin so", "look ban w", "", "banana\nband\n"},
		{"none", "look zzz w", "", "[exit status 1]\n"},
		{"case", "look -f BAND w", "", "band\n"},
		{"letters only", "look -df b-an w", "", "banana\nband\n"},
		{"up to a character", "look -t n banana w", "", "banana\nband\n"},
		{"a file that is not sorted", "look a u", "", "[exit status 1]\n"},
		{"an empty file", "look a e", "", "look: e: Invalid argument\n[exit status 1]\n"},
		{"a directory", "look a d", "", "look: d: No such device\n[exit status 1]\n"},
		{"a missing file", "look a nope", "", "look: nope: No such file or directory\n[exit status 1]\n"},
		{"no operand", "look", "", "look: bad usage\nTry 'look --help' for more information.\n[exit status 1]\n"},
	})
}
