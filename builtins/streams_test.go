package builtins

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vsh-project/vsh/vfs"
)

type brokenStream struct{ error }

func (s brokenStream) Read([]byte) (int, error)  { return 0, s.error }
func (s brokenStream) Write([]byte) (int, error) { return 0, s.error }

func TestWhatAProgramSaysOfStreamsThatFail(t *testing.T) {
	const closedIn, directory, closedOut, full = "closed input", "a directory", "closed output", "full output"
	for _, test := range []struct{ line, stream, want string }{
		{"cat", closedIn, "cat: -: Bad file descriptor\ncat: closing standard input: Bad file descriptor\n1"},
		{"cat -n", directory, "cat: -: Is a directory\n1"},
		{"cat", closedOut, "cat: standard output: Bad file descriptor\n1"},
		{"cat", full, "cat: write error: No space left on device\n1"},
		{"head", closedIn, "head: error reading 'standard input': Bad file descriptor\nhead: -: Bad file descriptor\n1"},
		{"head -c -1", closedIn, "head: cannot fstat 'standard input': Bad file descriptor\nhead: -: Bad file descriptor\n1"},
		{"tail", closedIn, "tail: cannot fstat 'standard input': Bad file descriptor\ntail: -: Bad file descriptor\n1"},
		{"wc", full, "wc: write error\n1"},
		{"wc", directory, "wc: 'standard input': Is a directory\n      0       0       0\n1"},
		{"sort", closedIn, "sort: stat failed: -: Bad file descriptor\n2"},
		{"sort", closedOut, "sort: fflush failed: 'standard output': Bad file descriptor\nsort: write error: Bad file descriptor\n2"},
		{"tee", closedIn, "tee: read error: Bad file descriptor\ntee: standard input: Bad file descriptor\n1"},
		{"tac", closedIn, "tac: 'standard input': read error: Bad file descriptor\ntac: -: Bad file descriptor\n1"},
		{"fmt", closedIn, "fmt: read error\nfmt: closing standard input: Bad file descriptor\n1"},
		{"od", directory, "od: 'standard input': Is a directory\n0000000\n1"},
		{"md5sum", closedOut, "md5sum: write error: Bad file descriptor\n1"},
		{"md5sum", full, "md5sum: write error\n1"},
		{"sha256sum -c", directory, "sha256sum: 'standard input': read error\n1"},
		{"numfmt", directory, "numfmt: error reading input: Is a directory\n0"},
		{"factor", directory, "0"},
		{"rev", closedOut, "0"},
		{"rev", full, "rev: write error: No space left on device\n1"},
		{"column", closedOut, "0"},
		{"column", closedIn, "column: read failed: Bad file descriptor\n1"},
		{"hexdump", closedOut, "0"},
		{"getopt a -a", closedOut, "0"},
		{"getopt a -a", full, "getopt: write error: No space left on device\n3"},
		{"strings", full, "0"},
		{"cal 1 2024", full, "0"},
		{"tree", closedOut, "0"},
		{"xxd", full, "xxd: No space left on device\n3"},
		{"file -", full, "1"},
		{"file -", closedIn, "/dev/stdin: ERROR: cannot read `/dev/stdin' (Bad file descriptor)\n1"},
		{"file -f -", directory, "0"},
		{"expr 1 + 1", full, "expr: write error: No space left on device\n3"},
		{"iconv", full, "iconv: error while closing output file: No space left on device\n1"},
		{"gzip", full, "\ngzip: stdout: No space left on device\n1"},
		{"gunzip", directory, "\ngzip: stdin: Is a directory\n1"},
		{"gzip", closedIn, "gzip: standard input: Bad file descriptor\n1"},
		{"xz", directory, "xz: (stdin): Read error: Is a directory\n1"},
		{"xargs", directory, "\nxargs: error closing file\n1"},
		{"xargs -r", closedIn, "xargs: error closing file: Bad file descriptor\n1"},
		{"diff - f", full, "diff: standard output: No space left on device\n2"},
		{"cmp - f", full, "cmp: standard output: No space left on device\n2"},
		{"sed p", closedIn, "sed: read error on stdin: Bad file descriptor\n4"},
		{"sed p", closedOut, "sed: couldn't close stdout: Bad file descriptor\n4"},
		{"sed p", full, "sed: couldn't flush stdout: No space left on device\n4"},
		{"awk 1", closedIn, "awk: fatal: error reading input file `-': Bad file descriptor\n2"},
		{"date -f -", closedIn, "date: 'standard input': Bad file descriptor\n1"},
		{"pr", directory, "pr: 'standard input': Is a directory\n1"},
		{"envsubst", closedIn, "envsubst: error while reading \"standard input\": Bad file descriptor\n1"},
		{"find -files0-from -", directory, "find: ‘(standard input)’: read error: Is a directory\n1"},
	} {
		t.Run(test.line+": "+test.stream, func(t *testing.T) {
			s := newTestShell(t).files("f=other\n")
			var both bytes.Buffer
			var in io.Reader = strings.NewReader("apple\n")
			var out io.Writer = &both
			switch test.stream {
			case closedIn:
				in = brokenStream{vfs.EBADF}
			case directory:
				in = brokenStream{vfs.EISDIR}
			case closedOut:
				out = brokenStream{vfs.EBADF}
			case full:
				out = brokenStream{vfs.ENOSPC}
			}
			status := s.exec(context.Background(), splitWords(test.line), s.environment, in, out, &both, s.view)
			require.Equal(t, test.want, both.String()+fmt.Sprint(status))
		})
	}
}
