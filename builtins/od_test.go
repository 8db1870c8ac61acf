package builtins

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOd(t *testing.T) {
	for _, c := range []struct{ name, command, stdin, want string }{
		{"octal words", "od", "hello\n", "0000000 062550 066154 005157\n0000006\n"},
		{"characters", "od -c", "a\tb\x00\xff\n", "0000000   a  \\t   b  \\0 377  \\n\n0000006\n"},
		{"names take seven bits", "od -a", "a\t\x00\xff \xe1", "0000000   a  ht nul del  sp   a\n0000006\n"},
		{"bytes without addresses", "od -An -tx1", "hello\n", " 68 65 6c 6c 6f 0a\n"},
		{"types share the line's width", "od -tx1z -tdL", "abc", "0000000 61 62 63                                         >abc<\n                        6513249\n0000003\n"},
		{"type letters", "od -An -txC -tuS -tdI", "\xff\xff\xff\xff", " ff ff ff ff\n 65535 65535\n          -1\n"},
		{"big endian", "od -An --endian=big -tx2 -tx4", "abcd", " 6162 6364\n  61626364\n"},
		{"repeated lines are one star", "od -tx1", strings.Repeat("\x00", 64) + "a", "0000000 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n*\n0000100 61\n0000101\n"},
		{"repeated lines with -v", "od -v -w2 -tx1", "aaaa", "0000000 61 61\n0000002 61 61\n0000004\n"},
		{"skip and limit over files", "od -j1 -N3 -c f g", "", "0000001   b   c   d\n0000004\n"},
		{"skip past the end", "od -j 100 f", "", "od: cannot skip past end of combined input\n[exit status 1]\n"},
		{"missing file alone", "od nope", "", "od: nope: No such file or directory\n[exit status 1]\n"},
		{"missing file among others", "od -c nope f", "", "0000000   a   b\n0000002\nod: nope: No such file or directory\n[exit status 1]\n"},
		{"strings end in NUL", "od -S3", "abc\x00de\x00fgh\nijkl\x00", "0000000 abc\n0000013 ijkl\n"},
		{"width must fit the types", "od -w3", "ab", "0000000 061141\n0000002\nod: warning: invalid width 3; using 2 instead\n"},
		{"offset operand", "od -c f +1", "", "0000001   b\n0000002\n"},
		{"label in parentheses", "od --traditional -c f 1 10", "", "0000001 (0000010)   b\n0000002 (0000011)\n"},
		{"shortest floats", "od -An -tfF", "\xcd\xcc\xcc\x3d\x00\x00\x80\x7f\x01\x00\x00\x00", "             0.1             inf           1e-45\n"},
		{"shortest long double", "od -An -tfL", "\xcd\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xfb\xbf\x00\x00\x00\x00\x00\x00", "                          -0.1\n"},
		{"least long double", "od -An -tfL", "\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", "                       4e-4951\n"},
		{"bad size", "od -tx3", "", "od: invalid type string ‘x3’;\nthis system doesn't provide a 3-byte integral type\n[exit status 1]\n"},
		{"bad type", "od -tq", "", "od: invalid character 'q' in type string ‘q’\n[exit status 1]\n"},
		{"bad number", "od -N 1z", "", "od: invalid suffix in -N argument '1z'\n[exit status 1]\n"},
		{"octal number", "od -An -N 010 -c", "123456789", "   1   2   3   4   5   6   7   8\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newTestShell(t).files("f=ab", "g=cdef")
			s.stdin = c.stdin
			require.Equal(t, c.want, s.output(strings.Fields(c.command)...))
		})
	}
}
