package builtins

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestXxd(t *testing.T) {
	zeros := strings.Repeat("\x00", 16)
	for _, c := range []struct{ name, command, stdin, want string }{
		{"hexadecimal in pairs", "xxd", "hello\n", "00000000: 6865 6c6c 6f0a                           hello.\n"},
		{"groups and columns", "xxd -u -g1 -c 4", "hello\n", "00000000: 68 65 6C 6C  hell\n00000004: 6F 0A        o.\n"},
		{"long names count by their first letter", "xxd -cols 4 -groupsize 1 -len 2", "hello\n", "00000000: 68 65        he\n"},
		{"little endian", "xxd -e", "hello\n", "00000000: 6c6c6568     0a6f                    hello.\n"},
		{"bits", "xxd -b -c 2", "hi", "00000000: 01101000 01101001  hi\n"},
		{"plain", "xxd -p", "hello\n", "68656c6c6f0a\n"},
		{"plain in one line", "xxd -p -c 0", strings.Repeat("a", 40), strings.Repeat("61", 40) + "\n"},
		{"C array", "xxd -i sub/1.c", "", "unsigned char sub_1_c[] = {\n  0x78\n};\nunsigned int sub_1_c_len = 1;\n"},
		{"C array of stdin has no name", "xxd -i", "ab", "  0x61, 0x62\n"},
		{"offset from the end", "xxd -s -1 f", "", "00000001: 62                                       b\n"},
		{"offset of a pipe", "xxd -s 2 -o 16", "abc", "00000012: 63                                       c\n"},
		{"a pipe has no end to count from", "xxd -s -1", "abc", "xxd: Sorry, cannot seek.\n[exit status 4]\n"},
		{"zeros", "xxd -a", zeros + zeros + zeros + "a", "00000000: 0000 0000 0000 0000 0000 0000 0000 0000  ................\n*\n00000030: 61                                       a\n"},
		{"revert", "xxd -r", "00000000: 6865 6c6c 6f0a  hello.\n", "hello\n"},
		{"revert fills gaps", "xxd -r", "0: 41\n3: 42\n", "A\x00\x00B"},
		{"revert plain", "xxd -r -p", "68 65\n6c6C6f", "hello"},
		{"revert backwards", "xxd -r", "5: 41\n0: 42\n", "\x00\x00\x00\x00\x00Axxd: Sorry, cannot seek backwards.\n[exit status 5]\n"},
		{"missing file", "xxd nope", "", "xxd: nope: No such file or directory\n[exit status 2]\n"},
		{"too many columns", "xxd -c 300", "", "xxd: invalid number of columns (max. 256).\n[exit status 1]\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newTestShell(t).files("f=ab", "sub/1.c=x")
			s.stdin = c.stdin
			require.Equal(t, c.want, s.output(strings.Fields(c.command)...))
		})
	}
}

func TestXxdPatchesFile(t *testing.T) {
	s := newTestShell(t).files("f=abcdef")
	s.stdin = "2: 5858\n0: 59\n"
	require.Empty(t, s.output("xxd", "-r", "-", "f"))
	require.Equal(t, "YbXXef", s.read("f"))
}
