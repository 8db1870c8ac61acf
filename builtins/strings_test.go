package builtins

import "testing"

// The expected texts are those of the real programs.
func TestStrings(t *testing.T) {
	runTable(t, []string{"f=\x01abcd\x02efghi\n\x03jk lm\tx\n", "d/"}, []tableCase{
		{"four characters", "strings f", "", "abcd\nefghi\njk lm\tx\n"},
		{"fewer", "strings -n 2", "ab\x00c\x00def", "ab\ndef\n"},
		{"more, as a number", "strings -5 f", "", "efghi\njk lm\tx\n"},
		{"decimal offsets", "strings -td f", "", "      1 abcd\n      6 efghi\n     13 jk lm\tx\n"},
		{"octal offsets", "strings -o f", "", "      1 abcd\n      6 efghi\n     15 jk lm\tx\n"},
		{"hexadecimal offsets", "strings -tx f", "", "      1 abcd\n      6 efghi\n      d jk lm\tx\n"},
		{"names", "strings -f f", "", "f: abcd\nf: efghi\nf: jk lm\tx\n"},
		{"standard input's name", "strings -f", "abcd", "{standard input}: abcd\n"},
		{"white space", "strings -w f", "", "abcd\nefghi\n\njk lm\tx\n\n"},
		{"a separator", "strings -s | f", "", "abcd|efghi|jk lm\tx|"},
		{"16 bits", "strings -el -tx", "xa\x00b\x00c\x00d\x00", "      1 abcd\n"},
		{"8 bits", "strings -eS", "abcd\xc0\xc1", "abcd\xc0\xc1\x0a"},
		{"-U escapes", "strings -Ue", "abcé", "abc\\u00e9\n"},
		{"-U in hexadecimal", "strings -Ux", "abcé", "abc<0xc3a9>\n"},
		{"a missing file", "strings nope", "", "strings: 'nope': No such file\n[exit status 1]\n"},
		{"a directory", "strings d f", "", "abcd\nefghi\njk lm\tx\nstrings: Warning: 'd' is a directory\n[exit status 1]\n"},
		{"no length", "strings -n 0 f", "", "strings: invalid minimum string length 0\n[exit status 1]\n"},
		{"a length that is none", "strings -n x f", "", "strings: invalid integer argument x\n[exit status 1]\n"},
	})
}
