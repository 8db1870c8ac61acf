package builtins

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTsort(t *testing.T) {
	for _, c := range []struct{ name, stdin, want string }{
		{"chain", "a b\nb c\n", "a\nb\nc\n"},
		{"ties are in the strings' order, then the latest relation first", "3 8\n3 10\n5 11\n7 8\n7 11\n8 9\n11 2\n11 9\n11 10\n", "3\n5\n7\n11\n8\n10\n2\n9\n"},
		{"a pair of equals only names it", "x x\na b\n", "a\nx\nb\n"},
		{"pairs span lines", "a\nb b\t c", "a\nb\nc\n"},
		{"odd number", "a b c", "tsort: -: input contains an odd number of tokens\n[exit status 1]\n"},
		{"empty", "", ""},
		{"loop", "a b\nb a\nc d\n", "c\nd\na\nb\ntsort: -: input contains a loop:\ntsort: a\ntsort: b\n[exit status 1]\n"},
		{"two loops", "a b\nb c\nc a\nc d\nd e\ne c\n", "d\ne\na\nb\nc\ntsort: -: input contains a loop:\ntsort: d\ntsort: e\ntsort: c\n" +
			"tsort: -: input contains a loop:\ntsort: a\ntsort: b\ntsort: c\n[exit status 1]\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newTestShell(t)
			s.stdin = c.stdin
			require.Equal(t, c.want, s.output("tsort"))
		})
	}
}
