package builtins

import "testing"

// The expected texts are those of the real programs.
func TestTail(t *testing.T) {
	runTable(t, []string{"f=apple\nbanana\ncherry\n", "n=10\n9\n100\n1\n", "d/", "e="}, []tableCase{
		{"-n counts from the end", "tail -n 2 f", "", "banana\ncherry\n"},
		{"-n counts from the end of a pipe", "tail -n 2", "a\nb\nc\nd", "c\nd"},
		{"+N counts from the start", "tail -n +2 f", "", "banana\ncherry\n"},
		{"+0 is +1", "tail -n +0 f", "", "apple\nbanana\ncherry\n"},
		{"-c counts bytes", "tail -c 4 f", "", "rry\n"},
		{"-c of a pipe", "tail -c 3", "abcdef", "def"},
		{"-c +N", "tail -c +17 f", "", "rry\n"},
		{"-c +N of a pipe", "tail -c +4", "abcdef", "def"},
		{"-n 0 opens nothing", "tail -n 0 no", "", ""},
		{"several files have headers", "tail -n1 f n", "", "==> f <==\ncherry\n\n==> n <==\n1\n"},
		{"-q leaves headers out", "tail -qn1 f n", "", "cherry\n1\n"},
		{"-v heads one file", "tail -vn1 f", "", "==> f <==\ncherry\n"},
		{"-z", "tail -zn1", "a\x00b\x00", "b\x00"},
		{"an old number", "tail -2 f", "", "banana\ncherry\n"},
		{"an old number from the start", "tail +3 f", "", "cherry\n"},
		{"an old number of bytes", "tail -3c f", "", "ry\n"},
		{"an old number before two files is refused", "tail -1 f n", "", "tail: option used in invalid context -- 1\n[exit status 1]\n"},
		{"a number that is none", "tail -n x f", "", "tail: invalid number of lines: ‘x’\n[exit status 1]\n"},
		{"a missing file and a directory do not stop", "tail -n1 no d f", "", "==> d <==\n\n==> f <==\ncherry\ntail: cannot open 'no' for reading: No such file or directory\ntail: error reading 'd': Is a directory\n[exit status 1]\n"},
		{"--pid without -f", "tail --pid=1 -n1 f", "", "cherry\ntail: warning: PID ignored; --pid=PID is useful only when following\n"},
		{"--retry without -f", "tail --retry -n1 f", "", "cherry\ntail: warning: --retry ignored; --retry is useful only when following\n"},
		{"stdin has no name to follow", "tail -F -", "", "tail: cannot follow '-' by name\n[exit status 1]\n"},
		{"an unknown way to follow", "tail --follow=x f", "", "tail: invalid argument ‘x’ for ‘--follow’\nValid arguments are:\n  - ‘descriptor’\n  - ‘name’\nTry 'tail --help' for more information.\n[exit status 1]\n"},
		{"-f of nothing ends", "tail -f no", "", "tail: cannot open 'no' for reading: No such file or directory\ntail: no files remaining\n[exit status 1]\n"},
	})
}
