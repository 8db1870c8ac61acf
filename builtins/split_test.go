package builtins

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The expected texts are those of the real programs.
func TestSplit(t *testing.T) {
	runTable(t, []string{"f=apple\nbanana\ncherry\n", "d/"}, []tableCase{
		{"--verbose tells each file", "split --verbose -l2 f", "", "creating file 'xaa'\ncreating file 'xab'\n"},
		{"a chunk of bytes to stdout", "split -n 2/3 f", "", "banana"},
		{"a chunk of lines to stdout", "split -n l/1/3 f", "", "apple\n"},
		{"a chunk of lines in turn to stdout", "split -n r/2/2 f", "", "banana\n"},
		{"no lines", "split -l 0 f", "", "split: invalid number of lines: ‘0’: Numerical result out of range\n[exit status 1]\n"},
		{"a bad number", "split -b 1x f", "", "split: invalid number of bytes: ‘1x’\n[exit status 1]\n"},
		{"a chunk that is not there", "split -n 3/2 f", "", "split: invalid chunk number: ‘3’: Numerical result out of range\n[exit status 1]\n"},
		{"two ways", "split -l1 -b1 f", "", "split: cannot split in more than one way\nTry 'split --help' for more information.\n[exit status 1]\n"},
		{"a separator of two letters", "split -t xx f", "", "split: multi-character separator ‘xx’\n[exit status 1]\n"},
		{"an empty separator", "split -t '' f", "", "split: empty record separator\n[exit status 1]\n"},
		{"a missing file", "split nope", "", "split: cannot open 'nope' for reading: No such file or directory\n[exit status 1]\n"},
		{"a directory", "split d", "", "split: d: Is a directory\n[exit status 1]\n"},
		{"a suffix with a slash", "split --additional-suffix=a/b f", "", "split: invalid suffix ‘a/b’, contains directory separator\nTry 'split --help' for more information.\n[exit status 1]\n"},
		{"suffixes that are too short", "split -a1 -d -n 20 f", "", "split: the suffix length needs to be at least 2\n[exit status 1]\n"},
		{"suffixes that run out", "split -a1 -d -b 1 f", "", "split: output file suffixes exhausted\n[exit status 1]\n"},
		{"a start that is none", "split --numeric-suffixes=a f", "", "split: ‘a’: invalid start value for numerical suffix\nTry 'split --help' for more information.\n[exit status 1]\n"},
		{"a start that is too long", "split --numeric-suffixes=100 f", "", "split: numerical suffix start value is too large for the suffix length\nTry 'split --help' for more information.\n[exit status 1]\n"},
		{"--filter with a chunk", "split --filter=cat -n 1/2 f", "", "split: --filter does not process a chunk extracted to stdout\nTry 'split --help' for more information.\n[exit status 1]\n"},
		{"an operand too many", "split f a b", "", "split: extra operand ‘b’\nTry 'split --help' for more information.\n[exit status 1]\n"},
		{"chunks of a pipe", "split -n 2", "abc", "split: -: cannot determine file size\n[exit status 1]\n"},
	})
}

func TestSplitFiles(t *testing.T) {
	rows := []struct{ rule, line, stdin, want string }{
		{"a thousand lines to a file", "split", "1\n2\n", "xaa=1\n2\n"},
		{"lines and a prefix", "split -l 2 - p_", "1\n2\n3\n", "p_aa=1\n2\n|p_ab=3\n"},
		{"bytes and digits from 8", "split -b 2 --numeric-suffixes=8", "abcdef", "x08=ab|x09=cd|x10=ef"},
		{"whole lines that fit", "split -C 6", "aaaa\nbb\ncccccccc\nd\n", "xaa=aaaa\n|xab=bb\n|xac=cccccc|xad=cc\nd\n"},
		{"lines in turn", "split -n r/2", "1\n2\n3\n", "xaa=1\n3\n|xab=2\n"},
		{"a suffix and hexadecimal", "split -l 1 -x --additional-suffix=.t", "1\n2\n", "x00.t=1\n|x01.t=2\n"},
		{"a separator", "split -l 1 -t :", "a:b", "xaa=a:|xab=b"},
	}
	for _, r := range rows {
		t.Run(r.rule, func(t *testing.T) {
			s := newTestShell(t)
			s.stdin = r.stdin
			require.Empty(t, s.output(splitWords(r.line)...))
			require.Equal(t, r.want, s.listing())
		})
	}
	t.Run("the suffixes widen", func(t *testing.T) {
		s := newTestShell(t)
		s.stdin = strings.Repeat("x", 652)
		require.Empty(t, s.output("split", "-b1"))
		require.Contains(t, s.listing(), "xyz=x|xzaaa=x|xzaab=x")
	})
	t.Run("chunks of a file, more than it has bytes", func(t *testing.T) {
		s := newTestShell(t).files("f=ab")
		require.Empty(t, s.output("split", "-n", "3", "f"))
		require.Equal(t, "f=ab|xaa=a|xab=b|xac=", s.listing())
	})
}
