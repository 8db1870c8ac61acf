package builtins

import "testing"

// The expected texts are those of the real programs.
func TestHead(t *testing.T) {
	runTable(t, []string{"f=apple\nbanana\ncherry\n", "n=10\n9\n100\n1\n", "d/", "e="}, []tableCase{
		{"ten lines", "head", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"},
		{"-n counts lines", "head -n 2 f", "", "apple\nbanana\n"},
		{"-n with a minus leaves the last ones out", "head -n -1 f", "", "apple\nbanana\n"},
		{"a last line without newline is a line", "head -n -1", "a\nb", "a\n"},
		{"-c counts bytes", "head -c 4 f", "", "appl"},
		{"-c with a minus leaves the last ones out", "head -c -4 f", "", "apple\nbanana\nche"},
		{"a multiplier", "head -c 1b n", "", "10\n9\n100\n1\n"},
		{"several files have headers", "head -n1 f n -", "x\n", "==> f <==\napple\n\n==> n <==\n10\n\n==> standard input <==\nx\n"},
		{"-q leaves headers out", "head -q -n1 f n", "", "apple\n10\n"},
		{"-v heads one file", "head -v -n1 f", "", "==> f <==\napple\n"},
		{"-z reads records that end in NUL", "head -z -n1", "a\x00b\x00", "a\x00"},
		{"an old number", "head -2 f", "", "apple\nbanana\n"},
		{"an old number with letters", "head -1q f n", "", "apple\n10\n"},
		{"an old number of bytes", "head -5c f", "", "apple"},
		{"a number that is none", "head -n x f", "", "head: invalid number of lines: ‘x’\n[exit status 1]\n"},
		{"a number too large", "head -c 99999999999999999999 f", "", "head: invalid number of bytes: ‘99999999999999999999’: Value too large for defined data type\n[exit status 1]\n"},
		{"an old number with a wrong letter", "head -5x f", "", "head: invalid trailing option -- x\nTry 'head --help' for more information.\n[exit status 1]\n"},
		{"a digit that is not first", "head -q5 f", "", "head: invalid trailing option -- 5\nTry 'head --help' for more information.\n[exit status 1]\n"},
		{"a missing file and a directory do not stop", "head -n1 no d f", "", "==> d <==\n\n==> f <==\napple\nhead: cannot open 'no' for reading: No such file or directory\nhead: error reading 'd': Is a directory\n[exit status 1]\n"},
		{"-n 0 reads nothing", "head -n 0 d", "", ""},
	})
}
