package builtins

import "testing"

// The expected texts are those of the real programs.
func TestUnexpand(t *testing.T) {
	runTable(t, []string{"f=apple\nbanana\ncherry\n", "n=10\n9\n100\n1\n", "d/", "e="}, []tableCase{
		{"blanks at the start", "unexpand", "        a       b\n", "\ta       b\n"},
		{"-a", "unexpand -a", "        a       b\n", "\ta\tb\n"},
		{"-t turns on -a", "unexpand -t4", "a   b\n", "a\tb\n"},
		{"--first-only wins", "unexpand --first-only -t4", "    a   b\n", "\ta   b\n"},
		{"one blank before a stop stays", "unexpand -a", "aaaaaaa b\n", "aaaaaaa b\n"},
		{"two do not", "unexpand -a", "aaaaaa  b\n", "aaaaaa\tb\n"},
		{"tabs among blanks", "unexpand", "  \tx\n     \t y\n", "\tx\n\t y\n"},
		{"an old list", "unexpand -2,4", "    a b\n", "\t\ta b\n"},
		{"0", "unexpand -t0", "", "unexpand: tab size cannot be 0\n[exit status 1]\n"},
	})
}
