package builtins

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestXargs(t *testing.T) {
	for _, c := range []struct {
		rule, stdin string
		args        []string
		want        string
	}{
		{"items are joined to one command", "a b\nc\n", []string{"-t", "cat"}, "cat a b c\n"},
		{"-n bounds the arguments of a command", "a b c", []string{"-t", "-n2", "cat"}, "cat a b\ncat c\n"},
		{"-L bounds the lines, a trailing blank joins them", "a b\nc \nd\ne\n", []string{"-t", "-L2", "cat"}, "cat a b c d\ncat e\n"},
		{"-I takes whole lines without their leading blanks", "  a b\nc\n", []string{"-t", "-I{}", "cat", "<{}>{}"}, "cat '<a b>a b'\ncat '<c>c'\n"},
		{"quotes and backslashes protect", `a\ b "c d" 'e "f'`, []string{"-t", "cat"}, "cat 'a b' 'c d' 'e \"f'\n"},
		{"-d takes all but the delimiter literally", "a b,'c", []string{"-t", "-d,", "cat"}, "cat 'a b' \"'c\"\n"},
		{"-0 keeps empty items", "a\x00\x00b\x00", []string{"-t", "-0", "cat"}, "cat a '' b\n"},
		{"-E ends the input", "a\nEND\nb\n", []string{"-t", "-E", "END", "cat"}, "cat a\n"},
		{"-s bounds the command line", "aaa bbb ccc", []string{"-t", "-s12", "cat"}, "cat aaa bbb\ncat ccc\n"},
		{"empty input still runs once", "", []string{"-t", "cat"}, "cat\n"},
		{"but not with -r", " \n", []string{"-t", "-r", "cat"}, ""},
		{"-n after -I takes its place", "a", []string{"-I{}", "-n2", "-t", "cat"}, "xargs: warning: options --replace and --max-args/-n are mutually exclusive, ignoring previous --replace value\ncat a\n"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s := newTestShell(t)
			s.stdin = c.stdin
			_, stderr, _ := s.run(append([]string{"xargs"}, c.args...)...)
			require.Equal(t, c.want, strings.Join(withoutLines(stderr, "cat: "), ""))
		})
	}
}

// withoutLines drops the lines that start so.
func withoutLines(text, prefix string) (kept []string) {
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, prefix) {
			kept = append(kept, line)
		}
	}
	return kept
}

func TestXargsErrors(t *testing.T) {
	for _, c := range []struct {
		rule, stdin string
		args        []string
		want        string
	}{
		{"a failed command makes the status 123, and the others run", "no\nf", []string{"-n1", "cat"}, "text\ncat: no: No such file or directory\n[exit status 123]\n"},
		{"a missing command 127", "a", []string{"nosuch"}, "xargs: nosuch: No such file or directory\n[exit status 127]\n"},
		{"a quote without its pair", "it's\n", []string{"cat"}, "xargs: unmatched single quote; by default quotes are special to xargs unless you use the -0 option\n[exit status 1]\n"},
		{"an argument too long for -s", "aaaaaaaaaaaaaaaaaaaa", []string{"-s9", "cat"}, "xargs: argument line too long\n[exit status 1]\n"},
		{"-x gives up where -n's arguments do not fit", "aaa bbb", []string{"-x", "-n2", "-s9", "cat"}, "xargs: argument list too long\n[exit status 1]\n"},
		{"-I's word must fit before it is made", "aaaaaaaaaa", []string{"-s21", "-I{}", "cat", "{}{}"}, "xargs: command too long\n[exit status 1]\n"},
		{"-n wants a positive number", "", []string{"-n0", "cat"}, "xargs: value 0 for -n option should be >= 1\nTry 'xargs --help' for more information.\n[exit status 1]\n"},
		{"a delimiter is one character", "", []string{"-d", "ab"}, "xargs: Invalid input delimiter specification ab: the delimiter must be either a single character or an escape sequence starting with \\.\n[exit status 1]\n"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s := newTestShell(t).files("f=text\n")
			s.stdin = c.stdin
			require.Equal(t, c.want, s.output(append([]string{"xargs"}, c.args...)...))
		})
	}
}

func TestXargsParallel(t *testing.T) {
	s := newTestShell(t)
	var want, got int
	for i := range 50 {
		name := fmt.Sprintf("f%d", i)
		s.files(name + "=x\n")
		s.stdin += name + "\n"
		want++
	}
	stdout, stderr, status := s.run("xargs", "-P4", "-n1", "cat")
	got = strings.Count(stdout, "x\n")
	require.Equal(t, want, got)
	require.Equal(t, "", stderr)
	require.Zero(t, status)
}
