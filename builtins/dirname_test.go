package builtins

import "testing"

// The expected texts are those of the real programs.
func TestDirname(t *testing.T) {
	runTable(t, []string{}, []tableCase{
		{"without the last element", "dirname /a/b c/d", "", "/a\nc\n"},
		{"a name", "dirname a", "", ".\n"},
		{"slashes", "dirname a//b// //a ///", "", "a\n/\n/\n"},
		{"nothing", "dirname ''", "", ".\n"},
		{"-z", "dirname -z a/b", "", "a\x00"},
		{"no operand", "dirname", "", "dirname: missing operand\nTry 'dirname --help' for more information.\n[exit status 1]\n"},
	})
}
