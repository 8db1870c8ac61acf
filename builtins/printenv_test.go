package builtins

import "testing"

// The expected texts are those of the real programs.
func TestPrintenv(t *testing.T) {
	runTable(t, []string{}, []tableCase{
		{"values", "printenv HOME TZ", "", "/w\nUTC\n"},
		{"a missing one", "printenv NOPE HOME", "", "/w\n[exit status 1]\n"},
		{"-0", "printenv -0 HOME", "", "/w\x00"},
		{"a wrong option", "printenv -x", "", "printenv: invalid option -- 'x'\nTry 'printenv --help' for more information.\n[exit status 2]\n"},
	})
}
