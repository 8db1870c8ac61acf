package builtins

import "testing"

// The expected texts are those of the real programs.
func TestSeq(t *testing.T) {
	runTable(t, []string{}, []tableCase{
		{"to a number", "seq 3", "", "1\n2\n3\n"},
		{"from a number", "seq 2 4", "", "2\n3\n4\n"},
		{"in steps", "seq 1 2 6", "", "1\n3\n5\n"},
		{"down", "seq 3 -1 1", "", "3\n2\n1\n"},
		{"nothing", "seq 3 1", "", ""},
		{"negative operands", "seq -1 1", "", "-1\n0\n1\n"},
		{"-s", "seq -s ', ' 3", "", "1, 2, 3\n"},
		{"-w", "seq -w 8 11", "", "08\n09\n10\n11\n"},
		{"-w with signs and points", "seq -w -1 .5 1", "", "-1.0\n-0.5\n00.0\n00.5\n01.0\n"},
		{"precision of the operands", "seq 1 .5 2", "", "1.0\n1.5\n2.0\n"},
		{"trailing zeros count", "seq 1.00 2", "", "1.00\n2.00\n"},
		{"the end is reached in spite of rounding", "seq 0 .1 .3", "", "0.0\n0.1\n0.2\n0.3\n"},
		{"sums do not add up errors", "seq 0 .1 1", "", "0.0\n0.1\n0.2\n0.3\n0.4\n0.5\n0.6\n0.7\n0.8\n0.9\n1.0\n"},
		{"an exponent", "seq 1e1 11", "", "10\n11\n"},
		{"hexadecimal", "seq 0x1 0x3", "", "1\n2\n3\n"},
		{"numbers of any length", "seq 99999999999999999999 100000000000000000001", "", "99999999999999999999\n100000000000000000000\n100000000000000000001\n"},
		{"past 53 bits", "seq 9007199254740993 1 9007199254740994", "", "9007199254740993\n9007199254740994\n"},
		{"-f", "seq -f '%05.1f|' 1 2", "", "001.0|\n002.0|\n"},
		{"-f %e and %a", "seq -f %e 1", "", "1.000000e+00\n"},
		{"percent signs", "seq -f '%%%g%%' 1", "", "%1%\n"},
		{"no operand", "seq", "", "seq: missing operand\nTry 'seq --help' for more information.\n[exit status 1]\n"},
		{"four", "seq 1 2 3 4", "", "seq: extra operand ‘4’\nTry 'seq --help' for more information.\n[exit status 1]\n"},
		{"no number", "seq x", "", "seq: invalid floating point argument: ‘x’\nTry 'seq --help' for more information.\n[exit status 1]\n"},
		{"not a number", "seq nan", "", "seq: invalid ‘not-a-number’ argument: ‘nan’\nTry 'seq --help' for more information.\n[exit status 1]\n"},
		{"step 0", "seq 1 0 2", "", "seq: invalid Zero increment value: ‘0’\nTry 'seq --help' for more information.\n[exit status 1]\n"},
		{"no directive", "seq -f x 1", "", "seq: format ‘x’ has no % directive\n[exit status 1]\n"},
		{"two directives", "seq -f '%g%g' 1", "", "seq: format ‘%g%g’ has too many % directives\n[exit status 1]\n"},
		{"an unknown directive", "seq -f %d 1", "", "seq: format ‘%d’ has unknown %d directive\n[exit status 1]\n"},
		{"an end in %", "seq -f % 1", "", "seq: format ‘%’ ends in %\n[exit status 1]\n"},
		{"-f and -w", "seq -w -f %g 1", "", "seq: format string may not be specified when printing equal width strings\nTry 'seq --help' for more information.\n[exit status 1]\n"},
	})
}
