package builtins

import "testing"

// The expected texts are those of the real programs.
func TestExpand(t *testing.T) {
	runTable(t, []string{"f=apple\nbanana\ncherry\n", "n=10\n9\n100\n1\n", "d/", "e="}, []tableCase{
		{"stops of 8", "expand", "a\tb\n", "a       b\n"},
		{"-t", "expand -t3", "a\tb\n", "a  b\n"},
		{"a list", "expand -t 3,7", "a\tb\tc\td\n", "a  b   c d\n"},
		{"/N", "expand -t 2,/5", "a\tb\tc\n", "a b  c\n"},
		{"+N", "expand -t 2,+5", "a\tb\tc\n", "a b    c\n"},
		{"-i", "expand -i", "\ta\tb\n", "        a\tb\n"},
		{"an old list", "expand -2,4", "a\tb\tc\n", "a b c\n"},
		{"backspace", "expand -t4", "abc\x08\x08\td\n", "abc\x08\x08   d\n"},
		{"0", "expand -t0", "", "expand: tab size cannot be 0\n[exit status 1]\n"},
		{"falling", "expand -t8,4", "", "expand: tab sizes must be ascending\n[exit status 1]\n"},
		{"no number", "expand -tx", "", "expand: tab size contains invalid character(s): ‘x’\n[exit status 1]\n"},
		{"/ inside", "expand -t4/2", "", "expand: '/' specifier not at start of number: ‘/2’\n[exit status 1]\n"},
		{"both", "expand -t1,/2,+3", "", "expand: '/' specifier is mutually exclusive with '+'\n[exit status 1]\n"},
		{"too large", "expand -t99999999999999999999", "", "expand: tab stop is too large ‘99999999999999999999’\n[exit status 1]\n"},
		{"a missing file", "expand no", "", "expand: no: No such file or directory\n[exit status 1]\n"},
	})
}
