package builtins

import "testing"

// The expected texts are those of the real programs.
func TestFactor(t *testing.T) {
	runTable(t, []string{}, []tableCase{
		{"in order with repeats", "factor 1 2 12 97 360", "", "1:\n2: 2\n12: 2 2 3\n97: 97\n360: 2 2 2 3 3 5\n"},
		{"64 bits", "factor 18446744073709551615 18446744073709551557", "", "18446744073709551615: 3 5 17 257 641 65537 6700417\n18446744073709551557: 18446744073709551557\n"},
		{"two large primes", "factor 1000000016000000063", "", "1000000016000000063: 1000000007 1000000009\n"},
		{"above 64 bits", "factor 340282366920938463463374607431768211455", "", "340282366920938463463374607431768211455: 3 5 17 257 641 65537 274177 6700417 67280421310721\n"},
		{"words of stdin", "factor", "12 13\n15\n\n16", "12: 2 2 3\n13: 13\n15: 3 5\n16: 2 2 2 2\n"},
		{"what is no number", "factor abc 6 -1 ''", "", "factor: invalid option -- '1'\nTry 'factor --help' for more information.\n[exit status 1]\n"},
		{"a plus", "factor +7", "", "7: 7\n"},
	})
}
