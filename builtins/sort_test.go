package builtins

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The expected texts are those of the real programs.
func TestSort(t *testing.T) {
	runTable(t, []string{"f=apple\nbanana\ncherry\n", "n=10\n9\n100\n1\n", "d/", "e=", "g=b 2\na 10\nc 1\na 2\n", "x=a\nc\n", "y=b\nd"}, []tableCase{
		{"by bytes", "sort n", "", "1\n10\n100\n9\n"},
		{"the last line gets a newline", "sort", "b\na", "a\nb\n"},
		{"-n by value", "sort -n n", "", "1\n9\n10\n100\n"},
		{"-r the other way round", "sort -rn n", "", "100\n10\n9\n1\n"},
		{"-n of fractions, signs and blanks", "sort -n", "1.5\n-2\n 1\n.5\n-0\nx\n+3\n", "-2\n+3\n-0\nx\n.5\n 1\n1.5\n"},
		{"-n of any length", "sort -n", "99999999999999999999\n99999999999999999998\n-99999999999999999999\n", "-99999999999999999999\n99999999999999999998\n99999999999999999999\n"},
		{"-g", "sort -g", "1e3\n2\nnan\n-inf\nx\n0x10\n-nan\n1e400\n", "x\nnan\n-nan\n-inf\n2\n0x10\n1e3\n1e400\n"},
		{"-h by suffix, then by value", "sort -h", "1G\n900M\n2K\n1023\n-5K\n0K\n1.5K\n", "-5K\n0K\n1023\n1.5K\n2K\n900M\n1G\n"},
		{"-M", "sort -M", "Mar\njan\nDEC\nfoo\n  Feb\nmayor\n", "foo\njan\n  Feb\nMar\nmayor\nDEC\n"},
		{"-V", "sort -V", "1.10\n1.9\n1.2~rc\n1.2\na1.tar.gz\na10.tar.gz\na2.tar.gz\n.\n..\n.a\n", ".\n..\n.a\n1.2~rc\n1.2\n1.9\n1.10\na1.tar.gz\na2.tar.gz\na10.tar.gz\n"},
		{"-f", "sort -f", "b\nB\na\nA\n", "A\na\nB\nb\n"},
		{"-fs keeps the input's order", "sort -fs", "b\nB\na\nA\n", "a\nA\nb\nB\n"},
		{"-d", "sort -d", "b-a\nba\nb c\n#bb\n", "b c\nb-a\nba\n#bb\n"},
		{"-i", "sort -i", "a\x01c\nab\n", "ab\na\x01c\n"},
		{"-k of a field", "sort -k2,2n g", "", "c 1\na 2\nb 2\na 10\n"},
		{"keys in turn", "sort -k1,1 -k2,2nr g", "", "a 10\na 2\nb 2\nc 1\n"},
		{"the last resort is the line", "sort -k1,1 g", "", "a 10\na 2\nb 2\nc 1\n"},
		{"-s leaves it out", "sort -s -k1,1 g", "", "a 10\na 2\nb 2\nc 1\n"},
		{"-r turns the last resort round", "sort -r -k1,1 g", "", "c 1\nb 2\na 2\na 10\n"},
		{"a key's r does not", "sort -k1,1r g", "", "c 1\nb 2\na 10\na 2\n"},
		{"characters of a key", "sort -k1.2", "xb\nya\n", "ya\nxb\n"},
		{"a key without b starts at the blanks", "sort -k2", "a  9\na 10\n", "a  9\na 10\n"},
		{"b skips them", "sort -k2b", "a  9\na 10\n", "a 10\na  9\n"},
		{"-t", "sort -t: -k2n", "a:10\nb:9\n", "b:9\na:10\n"},
		{"-t NUL", "sort -t '\\0' -k2n", "a\x0010\nb\x009\n", "b\x009\na\x0010\n"},
		{"-u keeps the first of equal keys", "sort -u -k2,2", "b 1\na 1\n", "b 1\n"},
		{"-nu", "sort -nu", "1\n01\n2\n", "1\n2\n"},
		{"-c tells the first line out of order", "sort -c n", "", "sort: n:3: disorder: 100\n[exit status 1]\n"},
		{"-C does not", "sort -C n", "", "[exit status 1]\n"},
		{"-c of sorted input", "sort -c f", "", ""},
		{"-cu fails at equal lines", "sort -cu", "a\na\n", "sort: -:2: disorder: a\n[exit status 1]\n"},
		{"-m merges", "sort -m x y", "", "a\nb\nc\nd\n"},
		{"-o may be an input", "sort -m x y -o x", "", ""},
		{"-z", "sort -z", "b\x00a\x00", "a\x00b\x00"},
		{"an old key", "sort +1 -2 g", "", "c 1\na 10\na 2\nb 2\n"},
		{"an old key without end", "sort +1n g", "", "c 1\na 2\nb 2\na 10\n"},
		{"-R by a source", "sort -R --random-source=f n", "", "100\n10\n9\n1\n"},
		{"a source too short", "sort -R --random-source=e n", "", "sort: ‘e’: end of file\n[exit status 2]\n"},
		{"--files0-from", "sort --files0-from=-", "f\x00n\x00", "1\n10\n100\n9\napple\nbanana\ncherry\n"},
		{"--files0-from of nothing", "sort --files0-from=e", "", "sort: no input from 'e'\n[exit status 2]\n"},
		{"options that are accepted", "sort --parallel=2 -S 10M -T . --batch-size=4 --compress-program=gzip n", "", "1\n10\n100\n9\n"},
		{"incompatible options", "sort -nM n", "", "sort: options '-Mn' are incompatible\n[exit status 2]\n"},
		{"incompatible options of a key", "sort -k1dn n", "", "sort: options '-dn' are incompatible\n[exit status 2]\n"},
		{"-c and -C", "sort -cC n", "", "sort: options '-cC' are incompatible\n[exit status 2]\n"},
		{"-c and -o", "sort -c -o x n", "", "sort: options '-co' are incompatible\n[exit status 2]\n"},
		{"-c and two files", "sort -c f n", "", "sort: extra operand 'n' not allowed with -c\n[exit status 2]\n"},
		{"field 0", "sort -k0 n", "", "sort: field number is zero: invalid field specification ‘0’\n[exit status 2]\n"},
		{"no field", "sort -kx n", "", "sort: invalid number at field start: invalid count at start of ‘x’\n[exit status 2]\n"},
		{"character 0", "sort -k1.0 n", "", "sort: character offset is zero: invalid field specification ‘1.0’\n[exit status 2]\n"},
		{"a stray character", "sort -k1,2q n", "", "sort: stray character in field spec: invalid field specification ‘1,2q’\n[exit status 2]\n"},
		{"-t of two bytes", "sort -t ab n", "", "sort: multi-character tab ‘ab’\n[exit status 2]\n"},
		{"no -t", "sort -t '' n", "", "sort: empty tab\n[exit status 2]\n"},
		{"two -t", "sort -t a -t b n", "", "sort: incompatible tabs\n[exit status 2]\n"},
		{"an unknown order", "sort --sort=x n", "", "sort: invalid argument ‘x’ for ‘--sort’\nValid arguments are:\n  - ‘general-numeric’\n  - ‘human-numeric’\n  - ‘month’\n  - ‘numeric’\n  - ‘random’\n  - ‘version’\nTry 'sort --help' for more information.\n[exit status 1]\n"},
		{"a missing file ends the run", "sort f no", "", "sort: cannot read: no: No such file or directory\n[exit status 2]\n"},
		{"a directory", "sort d", "", "sort: read failed: d: Is a directory\n[exit status 2]\n"},
		{"an output that cannot be", "sort -o d f", "", "sort: open failed: d: Is a directory\n[exit status 2]\n"},
	})
}

// Many lines that begin alike are sorted by eight bytes at a time; the order
// must be that of the lines' bytes all the same.
func TestSortLinesThatBeginAlike(t *testing.T) {
	rest := []string{"", "\x00", "\x00\x00\x00\x00\x00\x00\x00\x00", "a", "a\x00", "ab", "\xff", strings.Repeat("x", 70), strings.Repeat("x", 70) + "y"}
	var all []string
	for _, a := range rest {
		for _, b := range rest {
			for _, c := range rest {
				all = append(all, "the same "+a+b+c, "the same "+c+"12345678"+a)
			}
		}
	}
	input := strings.Join(all, "\n") + "\n"
	slices.Sort(all)
	want := strings.Join(all, "\n") + "\n"
	s := newTestShell(t).files("in=" + input)
	require.Equal(t, want, s.output("sort", "in"))
	slices.Reverse(all)
	require.Equal(t, strings.Join(all, "\n")+"\n", s.output("sort", "-r", "in"))
	require.Equal(t, strings.Join(slices.Compact(all), "\n")+"\n", s.output("sort", "-ru", "in"))
}
