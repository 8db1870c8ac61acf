package builtins

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vsh-project/vsh/vfs"
)

func TestGrep(t *testing.T) {
	for _, c := range []struct {
		rule string
		args []string
		want string
	}{
		{"one file's lines carry no name", []string{"two", "n"}, "two\n"},
		{"several files' do", []string{"-n", "o", "n", "src/a.go"}, "n:1:one\nn:2:two\nn:4:four\n"},
		{"no line: status 1", []string{"zzz", "n"}, "[exit status 1]\n"},
		{"an error wins over a match", []string{"two", "no", "n"}, "n:two\ngrep: no: No such file or directory\n[exit status 2]\n"},
		{"-q with a match wins over an error", []string{"-q", "two", "no", "n"}, "grep: no: No such file or directory\n"},
		{"a directory is an error", []string{"x", "src"}, "grep: src: Is a directory\n[exit status 2]\n"},
		{"-d skip passes it silently", []string{"-d", "skip", "x", "src"}, "[exit status 1]\n"},
		{"-r goes in name order and shows what is below", []string{"-r", "TODO", "src"}, "src/a.go:// TODO\nsrc/sub/b.py:# TODO\n"},
		{"-r without an operand searches the directory, names as such", []string{"-rl", "TODO"}, "src/a.go\nsrc/sub/b.py\n"},
		{"--include takes a name in", []string{"-rl", "--include=*.py", "TODO", "."}, "./src/sub/b.py\n"},
		{"--exclude-dir leaves a tree out", []string{"-rl", "--exclude-dir=sub", "TODO", "."}, "./src/a.go\n"},
		{"the last rule that matches a name decides", []string{"-rl", "--include=*.go", "--exclude=a*", "TODO", "."}, "[exit status 1]\n"},
		{"groups of context are separated", []string{"-A1", "-n", "one\\|four", "n"}, "1:one\n2-two\n--\n4:four\n5-five\n"},
		{"adjacent groups are not", []string{"-C1", "two\\|four", "n"}, "one\ntwo\nthree\nfour\nfive\n"},
		{"-m stops, trailing context follows", []string{"-m1", "-A1", "o", "n"}, "one\ntwo\n"},
		{"-c counts lines", []string{"-c", "o", "n"}, "3\n"},
		{"-vc counts the others", []string{"-vc", "o", "n"}, "2\n"},
		{"-o prints each match", []string{"-on", "[aeiou]", "n"}, "1:o\n1:e\n2:o\n3:e\n3:e\n4:o\n4:u\n5:i\n5:e\n"},
		{"-b counts bytes", []string{"-b", "four", "n"}, "14:four\n"},
		{"a NUL makes a file binary", []string{"foo", "bin"}, "grep: bin: binary file matches\n"},
		{"-a makes it text", []string{"-ac", "foo", "bin"}, "1\n"},
		{"-I makes it empty", []string{"-I", "foo", "bin"}, "[exit status 1]\n"},
		{"a line that is no text is left out of the output", []string{"x", "lat1"}, "x1\nx2\ngrep: lat1: binary file matches\n"},
		{"-z takes NUL for the end", []string{"-zc", "o", "bin"}, "1\n"},
		{"-L lists files without a match, status by lines", []string{"-L", "two", "n", "lat1"}, "lat1\n"},
		{"-f reads patterns", []string{"-f", "pats", "n"}, "one\nfour\n"},
		{"two matchers conflict", []string{"-E", "-F", "x", "n"}, "grep: conflicting matchers specified\n[exit status 2]\n"},
		{"a faulty pattern", []string{"a\\(", "n"}, "grep: Unmatched ( or \\(\n[exit status 2]\n"},
		{"an operator at the start only warns", []string{"-E", "*two", "n"}, "two\ngrep: warning: * at start of expression\n"},
		{"an operator behind an anchor repeats it", []string{"-Ec", "^*w", "n"}, "1\ngrep: warning: * at start of expression\n"},
		{"a range beyond ASCII has no order", []string{"[é-ü]", "n"}, "grep: Invalid collation character\n[exit status 2]\n"},
		{"abbreviations are listed in grep's order", []string{"--in", "x"}, "grep: option '--in' is ambiguous; possibilities: '--include' '--initial-tab' '--invert-match'\nUsage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\n[exit status 2]\n"},
		{"-D skip does not wait for a pipe's writer", []string{"-D", "skip", "x", "pipe"}, "[exit status 1]\n"},
		{"a bad number", []string{"-A", "x", "y", "n"}, "grep: x: invalid context length argument\n[exit status 2]\n"},
		{"usage", []string{"--nosuch", "x"}, "grep: unrecognized option '--nosuch'\nUsage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\n[exit status 2]\n"},
		{"colours", []string{"--color=always", "-n", "w", "n"}, "\x1b[32m\x1b[K2\x1b[m\x1b[K\x1b[36m\x1b[K:\x1b[m\x1b[Kt\x1b[01;31m\x1b[Kw\x1b[m\x1b[Ko\n"},
		{"-P", []string{"-oP", "t\\K\\w(?=o)", "n"}, "w\n"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s := newTestShell(t).files("n=one\ntwo\nthree\nfour\nfive\n", "src/a.go=// TODO\n", "src/sub/b.py=# TODO\n",
				"bin=foo\x00bar\n", "lat1=x1\nx\xe9\nx2\n", "pats=one\nfour\n")
			require.NoError(t, s.view.Mkfifo(context.Background(), "pipe", 0o644))
			require.Equal(t, c.want, s.output(append([]string{"grep"}, c.args...)...))
		})
	}
}

func TestGrepAcrossBlocks(t *testing.T) {
	// Lines of 100 bytes over many blocks, the leading context in another block.
	var text strings.Builder
	for i := range 5000 {
		if i == 2500 {
			text.WriteString("needle\n")
		}
		text.WriteString(strings.Repeat("x", 99) + "\n")
	}
	text.WriteString("the end, without a newline: needle")
	s := newTestShell(t).files("big=" + text.String())
	require.Equal(t, "2501:needle\n5002:the end, without a newline: needle\n", s.output("grep", "-n", "needle", "big"))
	require.Equal(t, "250000:needle\n500007:the end, without a newline: needle\n", s.output("grep", "-b", "needle", "big"))
	require.Equal(t, 41+1+21, strings.Count(s.output("grep", "-C20", "needle", "big"), "\n"))
	require.Equal(t, "5000\n", s.output("grep", "-vc", "needle", "big"))
}

func TestGrepTreeKeepsOrderOfLargeOutputs(t *testing.T) {
	s := newTestShell(t)
	var want strings.Builder
	for _, name := range []string{"a", "b", "c", "d"} {
		line := strings.Repeat(name, 1000)
		s.files("t/" + name + "=" + strings.Repeat(line+"\n", 300))
		want.WriteString(strings.Repeat("t/"+name+":"+line+"\n", 300))
	}
	require.Equal(t, want.String(), s.output("grep", "-r", ".", "t"))
}

func TestGrepStopsWithItsReader(t *testing.T) {
	s := newTestShell(t)
	for _, name := range []string{"a", "b", "c"} {
		s.files("t/" + name + "=" + strings.Repeat("line\n", 100000))
	}
	broken := writerFunc(func(p []byte) (int, error) { return 0, vfs.EPIPE })
	status := s.exec(context.Background(), []string{"grep", "-r", "line", "t"}, s.environment, strings.NewReader(""), broken, io.Discard, s.view)
	require.Equal(t, 141, status)
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestGrepAndSedStopWithTheirContext(t *testing.T) {
	for _, args := range [][]string{{"sed", ":a;ba"}, {"sed", ":a;s/x/xx/;ta"}, {"grep", "-E", `(a*)*(a*)*(a*)*\1b\2\3c`}} {
		s := newTestShell(t)
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		var out bytes.Buffer
		started := time.Now()
		s.exec(ctx, args, s.environment, strings.NewReader("x"+strings.Repeat("a", 80)+"b\n"), &out, io.Discard, s.view)
		cancel()
		require.Less(t, time.Since(started), time.Minute, args)
	}
}
