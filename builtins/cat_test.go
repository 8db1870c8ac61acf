package builtins

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCat(t *testing.T) {
	for _, c := range []struct {
		rule string
		args []string
		want string
	}{
		{"files come one after another", []string{"a", "b"}, "one\n\n\n\tx\r\n"},
		{"-n numbers on over all inputs", []string{"-n", "a", "a"}, "     1\tone\n     2\t\n     3\tone\n     4\t\n"},
		{"-b leaves empty lines unnumbered", []string{"-b", "a", "a"}, "     1\tone\n\n     2\tone\n\n"},
		{"-A shows what cannot be seen", []string{"-A", "b"}, "$\n^Ix^M$\n"},
		{"-s keeps one of several empty lines, also across inputs", []string{"-s", "a", "b"}, "one\n\n\tx\r\n"},
		{"- is standard input", []string{"a", "-"}, "one\n\nin"},
		{"a missing operand does not stop the others", []string{"no", "a"}, "one\n\ncat: no: No such file or directory\n[exit status 1]\n"},
		{"a directory is refused", []string{"d"}, "cat: d: Is a directory\n[exit status 1]\n"},
		{"an unknown option ends in a usage error", []string{"-q"}, "cat: invalid option -- 'q'\nTry 'cat --help' for more information.\n[exit status 1]\n"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s := newTestShell(t).files("a=one\n\n", "b=\n\tx\r\n", "d/")
			s.stdin = "in"
			require.Equal(t, c.want, s.output(append([]string{"cat"}, c.args...)...))
		})
	}
}
