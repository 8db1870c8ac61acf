package builtins

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBasenc(t *testing.T) {
	invalid := func(name string) string { return name + ": invalid input\n[exit status 1]\n" }
	for _, c := range []struct{ name, command, stdin, want string }{
		{"base64", "base64", "hello\n", "aGVsbG8K\n"},
		{"lines are wrapped", "base64 -w 5", "hello world", "aGVsb\nG8gd2\n9ybGQ\n=\n"},
		{"a full line has one newline", "base64 -w 4", "abc", "YWJj\n"},
		{"no wrapping, no newline", "base64 -w0", "abc", "YWJj"},
		{"empty", "base64", "", ""},
		{"decode over newlines", "base64 -d", "aGVs\nbG\n8K\n", "hello\n"},
		{"padding inside", "base64 -d", "YQ==YQ==", "aa"},
		{"too few digits", "base64 -d", "YWI", "ab" + invalid("base64")},
		{"garbage", "base64 -d", "YW!j", "a" + invalid("base64")},
		{"ignored garbage", "base64 -di", "Y W\nJ!j", "abc"},
		{"bad wrap", "base64 -w x", "", "base64: invalid wrap size: ‘x’\n[exit status 1]\n"},
		{"second operand", "base64 a b", "", "base64: extra operand ‘b’\nTry 'base64 --help' for more information.\n[exit status 1]\n"},
		{"missing file", "base64 nope", "", "base64: nope: No such file or directory\n[exit status 1]\n"},
		{"base32", "base32", "abcd", "MFRGGZA=\n"},
		{"base32 decodes whole groups only", "base32 -d", "MFRGGZA", invalid("base32")},
		{"url alphabet", "basenc --base64url", "\xfb\xff", "-_8=\n"},
		{"url alphabet refuses the other's", "basenc --base64url -d", "YWJj+/8=", invalid("basenc")},
		{"base32hex", "basenc --base32hex", "abcd", "C5H66P0=\n"},
		{"base16", "basenc --base16", "\x0f\xa0", "0FA0\n"},
		{"base16 has no lower case", "basenc --base16 -d", "414a", "A" + invalid("basenc")},
		{"bits, most significant first", "basenc --base2msbf", "A", "01000001\n"},
		{"bits, least first", "basenc --base2lsbf -d", "10000010", "A"},
		{"z85", "basenc --z85", "\x86\x4f\xd2\x6f\xb5\x59\xf7\x5b", "HelloWorld\n"},
		{"z85 back", "basenc --z85 -d", "HelloWorld", "\x86\x4f\xd2\x6f\xb5\x59\xf7\x5b"},
		{"z85 too great", "basenc --z85 -d", "#####", invalid("basenc")},
		{"z85 wants units of four", "basenc --z85", "abc", "basenc: invalid input (length must be multiple of 4 characters)\n[exit status 1]\n"},
		{"no encoding", "basenc f", "", "basenc: missing encoding type\nTry 'basenc --help' for more information.\n[exit status 1]\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newTestShell(t)
			s.stdin = c.stdin
			require.Equal(t, c.want, s.output(strings.Fields(c.command)...))
		})
	}
}

func TestBasencRoundTrip(t *testing.T) {
	text := strings.Repeat("0123456789abcdef\x00\xff\n ", 8000)
	for _, name := range basencNames() {
		s := newTestShell(t)
		s.stdin = text
		s.stdin, _, _ = s.run("basenc", "--"+name)
		back, _, status := s.run("basenc", "-d", "--"+name)
		require.Zero(t, status, name)
		require.True(t, back == text, name)
	}
}
