package builtins

import "testing"

// The expected texts are those of the real programs.
func TestComm(t *testing.T) {
	runTable(t, []string{"a=a\nb\nd\n", "b=b\nc\nd\ne\n", "u=b\na\n"}, []tableCase{
		{"three columns", "comm a b", "", "a\n\t\tb\n\tc\n\t\td\n\te\n"},
		{"-12", "comm -12 a b", "", "b\nd\n"},
		{"-3", "comm -3 a b", "", "a\n\tc\n\te\n"},
		{"-1", "comm -1 a b", "", "\tb\nc\n\td\ne\n"},
		{"--total", "comm --total a b", "", "a\n\t\tb\n\tc\n\t\td\n\te\n1\t2\t2\ttotal\n"},
		{"--output-delimiter", "comm --output-delimiter=, a b", "", "a\n,,b\n,c\n,,d\n,e\n"},
		{"an empty delimiter is NUL", "comm --output-delimiter= -1 a b", "", "\x00b\nc\n\x00d\ne\n"},
		{"-", "comm -12 a -", "b\n", "b\n"},
		{"unsorted input", "comm u b", "", "\t\tb\na\n\tc\n\td\n\te\ncomm: file 1 is not in sorted order\ncomm: input is not in sorted order\n[exit status 1]\n"},
		{"--check-order ends", "comm --check-order u b", "", "\t\tb\ncomm: file 1 is not in sorted order\n[exit status 1]\n"},
		{"--nocheck-order", "comm --nocheck-order u b", "", "\t\tb\na\n\tc\n\td\n\te\n"},
		{"unsorted but equal", "comm u u", "", "\t\tb\n\t\ta\n"},
		{"one operand", "comm a", "", "comm: missing operand after ‘a’\nTry 'comm --help' for more information.\n[exit status 1]\n"},
		{"none", "comm", "", "comm: missing operand\nTry 'comm --help' for more information.\n[exit status 1]\n"},
		{"three", "comm a b a", "", "comm: extra operand ‘a’\nTry 'comm --help' for more information.\n[exit status 1]\n"},
		{"a missing file", "comm a no", "", "comm: no: No such file or directory\n[exit status 1]\n"},
		{"two delimiters", "comm --output-delimiter=a --output-delimiter=b a b", "", "comm: multiple output delimiters specified\n[exit status 1]\n"},
	})
}
