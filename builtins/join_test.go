package builtins

import "testing"

// The expected texts are those of the real programs.
func TestJoin(t *testing.T) {
	runTable(t, []string{"l=a 1\nb 2\nc 3\n", "r=a x\nc y\nd z\n", "p=1,x\n2,y\n", "q=x,9\ny,8\n", "u=b 1\na 2\n"}, []tableCase{
		{"on the first field", "join l r", "", "a 1 x\nc 3 y\n"},
		{"-a", "join -a1 -a2 l r", "", "a 1 x\nb 2\nc 3 y\nd z\n"},
		{"-v", "join -v2 l r", "", "d z\n"},
		{"-e and -o", "join -a1 -a2 -e - -o 0,1.2,2.2 l r", "", "a 1 x\nb 2 -\nc 3 y\nd - z\n"},
		{"-o auto", "join -a1 -e - -o auto l r", "", "a 1 x\nb 2 -\nc 3 y\n"},
		{"-o in several words", "join -o 1.1 2.2 l r", "", "a x\nc y\n"},
		{"-t and fields", "join -t, -1 2 -2 1 p q", "", "x,1,9\ny,2,8\n"},
		{"-j", "join -j 2 l l", "", "1 a a\n2 b b\n3 c c\n"},
		{"-i", "join -i - r", "A 1\n", "A 1 x\n"},
		{"--header", "join --header l r", "", "a 1 x\nc 3 y\n"},
		{"all pairs of equal keys", "join - -1 1 l", "a x\na y\n", "a x 1\na y 1\n"},
		{"blanks at the end make a field", "join - l", "a x \n", "a x  1\n"},
		{"-t of nothing is the whole line", "join -t '' l l", "", "a 1\nb 2\nc 3\n"},
		{"-z", "join -z - l", "a 1\x00", "a 1 1 b 2 c 3 \x00"},
		{"unsorted", "join u r", "", "join: u:2: is not sorted: a 2\njoin: input is not in sorted order\n[exit status 1]\n"},
		{"--nocheck-order", "join --nocheck-order u r", "", ""},
		{"--check-order", "join --check-order u r", "", "join: u:2: is not sorted: a 2\n[exit status 1]\n"},
		{"one operand", "join l", "", "join: missing operand after ‘l’\nTry 'join --help' for more information.\n[exit status 1]\n"},
		{"three", "join l r l", "", "join: extra operand 'l'\nTry 'join --help' for more information.\n[exit status 1]\n"},
		{"an unknown file number", "join -a3 l r", "", "join: invalid field number: ‘3’\n[exit status 1]\n"},
		{"field 0", "join -1 0 l r", "", "join: invalid field number: ‘0’\n[exit status 1]\n"},
		{"a bad -o", "join -o 3.1 l r", "", "join: invalid file number in field spec: ‘3.1’\n[exit status 1]\n"},
		{"a bad -o field", "join -o 1 l r", "", "join: invalid field specifier: ‘1’\n[exit status 1]\n"},
		{"a key with a field", "join -o 0.1 l r", "", "join: invalid field specifier: ‘0.1’\n[exit status 1]\n"},
		{"-t of two bytes", "join -t ab l r", "", "join: multi-character tab ‘ab’\n[exit status 1]\n"},
		{"two fields", "join -1 1 -1 2 l r", "", "join: incompatible join fields 1, 2\n[exit status 1]\n"},
		{"stdin twice", "join - -", "", "join: both files cannot be standard input: No such file or directory\n[exit status 1]\n"},
		{"a missing file", "join l no", "", "join: no: No such file or directory\n[exit status 1]\n"},
	})
}
