package builtins

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestColumn(t *testing.T) {
	for _, c := range []struct {
		name, stdin string
		args        []string
		want        string
	}{
		{"columns are filled first", "1\n2\n3\n4\n5\n", []string{"-c", "24"}, "1\t3\t5\n2\t4\n"},
		{"a tree is a table without -t", "1 0 a\n2 1 b\n", []string{"-r", "3", "-i", "1", "-p", "2"}, "1  0  a\n2  1  └─b\n"},
		{"some options of tables do without -t", "a\nb\n", []string{"-e", "-d", "-l", "2", "-c", "24"}, "a\tb\n"},
		{"rows first", "1\n2\n3\n4\n5\n", []string{"-x", "-c", "24"}, "1\t2\t3\n4\t5\n"},
		{"too wide for columns", "12345678\n1\n", []string{"-c", "10"}, "12345678\n1\n"},
		{"table skips empty lines", "a b\n\nccc d e\n", []string{"-t"}, "a    b  \nccc  d  e\n"},
		{"table keeps empty lines", "a b\n\n", []string{"-t", "-L"}, "a  b\n   \n"},
		{"separators make empty cells", "a,,b\nc;d\n", []string{"-t", "-s", ",;"}, "a     b\nc  d  \n"},
		{"output separator", "a b\nccc d\n", []string{"-t", "-o", " | "}, "a   | b\nccc | d\n"},
		{"wide characters", "é x\n日本 y\n", []string{"-t"}, "é     x\n日本  y\n"},
		{"bytes that are no text", "\xc3x b\n", []string{"-t"}, "\\xc3x  b\n"},
		{"names and alignment", "a 1\nb 22\n", []string{"-t", "-N", "X,LONG", "-R", "LONG"}, "X  LONG\na     1\nb    22\n"},
		{"order and hiding", "a b c\n", []string{"-t", "-O", "3,1", "-H", "2"}, "c  a\n"},
		{"limit of columns", "a b c\n", []string{"-t", "-l", "2"}, "a  b c\n"},
		{"truncation", "aaaaaaaaaa b\n", []string{"-t", "-c", "8", "-T", "1"}, "aaaaa  b\n"},
		{"JSON", "x,\n", []string{"-J", "-s,", "-N", "A,B"}, "{\n   \"table\": [\n      {\n         \"a\": \"x\",\n         \"b\": null\n      }\n   ]\n}\n"},
		{"tree", "1 0 a\n2 1 b\n3 1 c\n4 2 d\n", []string{"-t", "-N", "I,P,N", "-r", "N", "-i", "I", "-p", "P", "-d"}, "1  0  a\n2  1  ├─b\n4  2  │ └─d\n3  1  └─c\n"},
		{"circle in a tree", "1 2 a\n2 1 b\n", []string{"-t", "-r", "3", "-i", "1", "-p", "2"}, "1  2  a\n2  1  └─b\n"},
		{"unknown column", "a b\n", []string{"-t", "-R", "x"}, "column: undefined column name 'x'\n[exit status 1]\n"},
		{"JSON needs names", "a b\n", []string{"-J"}, "column: option --table-columns required for --json\n[exit status 1]\n"},
		{"table option without table", "a b\n", []string{"-R", "1"}, "column: option --table required for all --table-*\n[exit status 1]\n"},
		{"bad width", "", []string{"-c", "x"}, "column: invalid columns argument: 'x'\n[exit status 1]\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newTestShell(t)
			s.stdin = c.stdin
			require.Equal(t, c.want, s.output(append([]string{"column"}, c.args...)...))
		})
	}
}
