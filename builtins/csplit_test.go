package builtins

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The expected texts are those of the real programs.
func TestCsplit(t *testing.T) {
	runTable(t, []string{"f=1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n", "d/"}, []tableCase{
		{"before a line", "csplit f 5", "", "8\n13\n"},
		{"before a match", "csplit f /5/", "", "8\n13\n"},
		{"while it matches", "csplit f /[26]/ {*}", "", "2\n8\n11\n"},
		{"an offset", "csplit f /5/+1", "", "10\n11\n"},
		{"a negative offset", "csplit f /5/-1", "", "6\n15\n"},
		{"a piece that is not written", "csplit f %5%", "", "13\n"},
		{"so many times more", "csplit f 3 {2}", "", "4\n6\n6\n5\n"},
		{"no match", "csplit f /x/", "", "21\ncsplit: ‘/x/’: match not found\n[exit status 1]\n"},
		{"no match on a repetition", "csplit f /5/ {3}", "", "8\n13\ncsplit: ‘/5/’: match not found on repetition 1\n[exit status 1]\n"},
		{"a line that is not there", "csplit f 30", "", "21\ncsplit: ‘30’: line number out of range\n[exit status 1]\n"},
		{"a repetition's line that is not there", "csplit f 4 {2}", "", "6\n8\n7\ncsplit: ‘4’: line number out of range on repetition 2\n[exit status 1]\n"},
		{"an offset beyond the end", "csplit f /5/+10", "", "21\ncsplit: ‘/5/+10’: line number out of range\n[exit status 1]\n"},
		{"lines in the wrong order", "csplit f 5 3", "", "csplit: line number ‘3’ is smaller than preceding line number, 5\n[exit status 1]\n"},
		{"a line given twice", "csplit f 5 5", "", "8\n0\n13\ncsplit: warning: line number ‘5’ is the same as preceding line number\n"},
		{"line zero", "csplit f 0", "", "csplit: 0: line number must be greater than zero\n[exit status 1]\n"},
		{"empty pieces are left out", "csplit -z f 1 /3/", "", "4\n17\n"},
		{"sizes are not printed", "csplit -s f 5", "", ""},
		{"matching lines are left out", "csplit --suppress-matched f /5/", "", "8\n11\n"},
		{"no pattern", "csplit f", "", "csplit: missing operand after ‘f’\nTry 'csplit --help' for more information.\n[exit status 1]\n"},
		{"no operand", "csplit", "", "csplit: missing operand\nTry 'csplit --help' for more information.\n[exit status 1]\n"},
		{"no such file", "csplit nope 5", "", "csplit: cannot open 'nope' for reading: No such file or directory\n[exit status 1]\n"},
		{"a directory", "csplit d 5", "", "0\ncsplit: read error: Is a directory\n[exit status 1]\n"},
		{"a pattern that is none", "csplit f abc", "", "csplit: ‘abc’: invalid pattern\n[exit status 1]\n"},
		{"an open pattern", "csplit f /5", "", "csplit: /5: closing delimiter '/' missing\n[exit status 1]\n"},
		{"no integer after the pattern", "csplit f /5/x", "", "csplit: ‘/5/x’: integer expected after delimiter\n[exit status 1]\n"},
		{"a repetition that is none", "csplit f 5 {x}", "", "csplit: ‘{x’}: integer required between '{' and '}'\n[exit status 1]\n"},
		{"an open repetition", "csplit f 5 {3", "", "csplit: ‘{3’: '}' is required in repeat count\n[exit status 1]\n"},
		{"a suffix without conversion", "csplit -b abc f 5", "", "csplit: missing % conversion specification in suffix\n[exit status 1]\n"},
		{"a suffix with another conversion", "csplit -b %s f 5", "", "csplit: invalid conversion specifier in suffix: s\n[exit status 1]\n"},
		{"nothing to read", "csplit /dev/null 5", "", "csplit: input disappeared\n[exit status 1]\n"},
	})
}

func TestCsplitFiles(t *testing.T) {
	rows := []struct{ rule, line, want string }{
		{"pieces", "csplit -s f 2 /3/", "f=1\n2\n3\n|xx00=1\n|xx01=2\n|xx02=3\n"},
		{"names", "csplit -s -f p -b %03x.t f 2", "f=1\n2\n3\n|p000.t=1\n|p001.t=2\n3\n"},
		{"an error removes them", "csplit -s f /2/ /x/", "f=1\n2\n3\n"},
		{"unless they are kept", "csplit -s -k f /2/ /x/", "f=1\n2\n3\n|xx00=1\n|xx01=2\n3\n"},
		{"a piece is skipped", "csplit -s f %2% /3/", "f=1\n2\n3\n|xx00=2\n|xx01=3\n"},
	}
	for _, r := range rows {
		t.Run(r.rule, func(t *testing.T) {
			s := newTestShell(t).files("f=1\n2\n3\n")
			s.output(splitWords(r.line)...)
			require.Equal(t, r.want, s.listing())
		})
	}
}
