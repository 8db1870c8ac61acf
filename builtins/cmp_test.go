package builtins

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCmp(t *testing.T) {
	for _, c := range []struct{ name, command, want string }{
		{"same", "cmp a a", ""},
		{"first difference", "cmp a d", "a d differ: byte 3, line 1\n[exit status 1]\n"},
		{"with bytes", "cmp -b a d", "a d differ: byte 3, line 1 is 143 c 170 x\n[exit status 1]\n"},
		{"all differences", "cmp -l a d", "3 143 170\n6 145 171\ncmp: EOF on a after byte 8\n[exit status 1]\n"},
		{"silent", "cmp -s a d", "[exit status 1]\n"},
		{"end of a line", "cmp a b", "cmp: EOF on b after byte 4, line 1\n[exit status 1]\n"},
		{"inside a line", "cmp a c", "cmp: EOF on c after byte 6, in line 2\n[exit status 1]\n"},
		{"empty", "cmp e a", "cmp: EOF on e which is empty\n[exit status 1]\n"},
		{"limit", "cmp -n 2 a d", ""},
		{"skips", "cmp -i 3:7 a d", "a d differ: byte 2, line 2\n[exit status 1]\n"},
		{"missing", "cmp a nope", "cmp: nope: No such file or directory\n[exit status 2]\n"},
		{"incompatible", "cmp -ls a d", "cmp: options -l and -s are incompatible\ncmp: Try 'cmp --help' for more information.\n[exit status 2]\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newTestShell(t).files("a=abc\ndef\n", "b=abc\n", "c=abc\nde", "d=abx\ndyf\n\nz", "e=")
			require.Equal(t, c.want, s.output(strings.Fields(c.command)...))
		})
	}
}
