package builtins

import "testing"

// The expected texts are those of the real programs.
func TestWc(t *testing.T) {
	runTable(t, []string{"f=apple\nbanana\ncherry\n", "n=10\n9\n100\n1\n", "d/", "e=", "u=héllo wörld\n日本\n"}, []tableCase{
		{"lines, words, bytes", "wc f", "", " 3  3 20 f\n"},
		{"one column needs no width", "wc -l f", "", "3 f\n"},
		{"the sum decides the width", "wc f n", "", " 3  3 20 f\n 4  4 11 n\n 7  7 31 total\n"},
		{"stdin has no name", "wc", "a b\n", "      1       2       4\n"},
		{"- has one", "wc -", "a b\n", "      1       2       4 -\n"},
		{"-m counts characters", "wc -m u", "", "15 u\n"},
		{"-L counts columns", "wc -L u", "", "11 u\n"},
		{"all columns in their order", "wc -Lcmwl u", "", " 2  3 15 21 11 u\n"},
		{"a tab goes on to the next stop", "wc -L", "a\tb\n", "9\n"},
		{"bytes that are no character", "wc -mw", "a\xffb c\n", "      2       5\n"},
		{"control characters make no word", "wc -w", "\x01\x02 a\n", "1\n"},
		{"a no-break space parts words", "wc -w", "a b\n", "2\n"},
		{"a carriage return parts words and columns", "wc -wL", "ab\rcde\n", "      2       3\n"},
		{"a missing file counts in the sum's absence", "wc no f", "", " 3  3 20 f\n 3  3 20 total\nwc: no: No such file or directory\n[exit status 1]\n"},
		{"a directory counts nothing", "wc d", "", "      0       0       0 d\nwc: d: Is a directory\n[exit status 1]\n"},
		{"--files0-from", "wc -l --files0-from=-", "f\x00n\x00", "3 f\n4 n\n7 total\n"},
		{"--files0-from with an empty name", "wc -l --files0-from=-", "f\x00\x00", "3 f\n3 total\nwc: -:2: invalid zero-length file name\n[exit status 1]\n"},
		{"--files0-from refuses operands", "wc --files0-from=n f", "", "wc: extra operand 'f'\nfile operands cannot be combined with --files0-from\nTry 'wc --help' for more information.\n[exit status 1]\n"},
		{"9.1 has no --total", "wc --total=never f", "", "wc: unrecognized option '--total=never'\nTry 'wc --help' for more information.\n[exit status 1]\n"},
	})
}
