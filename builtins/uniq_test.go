package builtins

import "testing"

// The expected texts are those of the real programs.
func TestUniq(t *testing.T) {
	runTable(t, []string{"f=apple\nbanana\ncherry\n", "n=10\n9\n100\n1\n", "d/", "e="}, []tableCase{
		{"keeps one", "uniq", "a\na\nb\nc\nc\nc\nB\n", "a\nb\nc\nB\n"},
		{"-c", "uniq -c", "a\na\nb\nc\nc\nc\nB\n", "      2 a\n      1 b\n      3 c\n      1 B\n"},
		{"-d", "uniq -d", "a\na\nb\nc\nc\nc\nB\n", "a\nc\n"},
		{"-D", "uniq -D", "a\na\nb\nc\nc\nc\nB\n", "a\na\nc\nc\nc\n"},
		{"-u", "uniq -u", "a\na\nb\nc\nc\nc\nB\n", "b\nB\n"},
		{"-du is nothing", "uniq -du", "a\na\nb\nc\nc\nc\nB\n", ""},
		{"-i", "uniq -ci", "a\na\nb\nc\nc\nc\nB\n", "      2 a\n      1 b\n      3 c\n      1 B\n"},
		{"--all-repeated=separate", "uniq --all-repeated=separate", "a\na\nb\nc\nc\nc\nB\n", "a\na\n\nc\nc\nc\n"},
		{"--all-repeated=prepend", "uniq --all-repeated=prepend", "a\na\nb\nc\nc\nc\nB\n", "\na\na\n\nc\nc\nc\n"},
		{"--group", "uniq --group", "a\na\nb\nc\nc\nc\nB\n", "a\na\n\nb\n\nc\nc\nc\n\nB\n"},
		{"--group=both", "uniq --group=both", "a\na\nb\nc\nc\nc\nB\n", "\na\na\n\nb\n\nc\nc\nc\n\nB\n\n"},
		{"--group=append", "uniq --group=append", "a\na\nb\nc\nc\nc\nB\n", "a\na\n\nb\n\nc\nc\nc\n\nB\n\n"},
		{"-f", "uniq -f1", "a x\nb x\nc y\n", "a x\nc y\n"},
		{"-s", "uniq -s1", "ax\nbx\n", "ax\n"},
		{"-w", "uniq -w1", "ax\nay\n", "ax\n"},
		{"-w 0 makes all equal", "uniq -w0", "a\nb\n", "a\n"},
		{"an old number of fields", "uniq -1", "a x\nb x\n", "a x\n"},
		{"an old number of bytes", "uniq +1", "ax\nbx\n", "ax\n"},
		{"-z", "uniq -z", "a\x00a\x00", "a\x00"},
		{"the last line gets a newline", "uniq", "a\na", "a\n"},
		{"-D and -c", "uniq -D -c", "", "uniq: printing all duplicated lines and repeat counts is meaningless\nTry 'uniq --help' for more information.\n[exit status 1]\n"},
		{"--group and -c", "uniq --group -c", "", "uniq: --group is mutually exclusive with -c/-d/-D/-u\nTry 'uniq --help' for more information.\n[exit status 1]\n"},
		{"three operands", "uniq a b c", "", "uniq: extra operand ‘c’\nTry 'uniq --help' for more information.\n[exit status 1]\n"},
		{"a missing file", "uniq no", "", "uniq: no: No such file or directory\n[exit status 1]\n"},
		{"a directory", "uniq d", "", "uniq: error reading 'd'\n[exit status 1]\n"},
		{"a number that is none", "uniq -w x f", "", "uniq: x: invalid number of bytes to compare\n[exit status 1]\n"},
	})
}
