package builtins

import "testing"

// The expected texts are those of the real programs.
func TestFold(t *testing.T) {
	runTable(t, []string{"f=apple\nbanana\ncherry\n", "n=10\n9\n100\n1\n", "d/", "e="}, []tableCase{
		{"-w", "fold -w4 f", "", "appl\ne\nbana\nna\ncher\nry\n"},
		{"-s", "fold -s -w6", "aa bbbbbbbbbbbb cc\n", "aa \nbbbbbb\nbbbbbb\n cc\n"},
		{"a tab goes on to the next stop", "fold -w9", "a\tbcd\n", "a\tb\ncd\n"},
		{"-b", "fold -b -w2", "a\tbc\n", "a\t\nbc\n"},
		{"backspace and return", "fold -w4", "abc\x08\x08defg\rxy\n", "abc\x08\x08def\ng\rxy\n"},
		{"bytes, not characters", "fold -w1", "é\n", "\xc3\n\xa9\n"},
		{"no newline at the end", "fold -w2", "abc", "ab\nc"},
		{"an old width", "fold -3 f", "", "app\nle\nban\nana\nche\nrry\n"},
		{"width 0", "fold -w0 f", "", "fold: invalid number of columns: ‘0’: Numerical result out of range\n[exit status 1]\n"},
		{"a missing file", "fold no", "", "fold: no: No such file or directory\n[exit status 1]\n"},
	})
}
