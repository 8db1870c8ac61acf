package builtins

import "testing"

// The expected texts are those of the real programs.
func TestBasename(t *testing.T) {
	runTable(t, []string{}, []tableCase{
		{"the last element", "basename /a/b.c", "", "b.c\n"},
		{"slashes at the end", "basename a/b//", "", "b\n"},
		{"the root", "basename //", "", "/\n"},
		{"nothing", "basename ''", "", "\n"},
		{"a suffix", "basename a/b.c .c", "", "b\n"},
		{"nothing but the suffix", "basename .c .c", "", ".c\n"},
		{"-a", "basename -a a/b c/d", "", "b\nd\n"},
		{"-s", "basename -s .c a.c b.c", "", "a\nb\n"},
		{"-z", "basename -z a", "", "a\x00"},
		{"no operand", "basename", "", "basename: missing operand\nTry 'basename --help' for more information.\n[exit status 1]\n"},
		{"three operands", "basename a b c", "", "basename: extra operand ‘c’\nTry 'basename --help' for more information.\n[exit status 1]\n"},
	})
}
