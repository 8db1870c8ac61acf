package builtins

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vsh-project/vsh/vfs"
)

func TestSed(t *testing.T) {
	for _, c := range []struct {
		rule string
		args []string
		want string
	}{
		{"a range by lines", []string{"-n", "2,3p", "n"}, "2\n3\n"},
		{"one that ends before it starts is one line", []string{"-n", "4,2p", "n"}, "4\n"},
		{"0,/re/ may end in the first line", []string{"0,/1/s//X/", "n"}, "X\n2\n3\n4\n5\n"},
		{"first~step and addr,~N", []string{"-n", "1~2p;2,~4=", "n"}, "1\n2\n3\n3\n4\n5\n"},
		{"the empty expression is the one used last", []string{"-n", "/3/s//<&>/p", "n"}, "<3>\n"},
		{"case conversions", []string{"-E", `s/(\w+) (\w+)/\u\1 \U\2\E!/`, "w"}, "Hello WORLD!\n"},
		{"a modifier waits for text", []string{`s/\(x*\)h/\u\1h/`, "w"}, "Hello world\n"},
		{"an empty match right behind a match does not count", []string{`s/l*/-/g`, "w"}, "-h-e-o- -w-o-r-d-\n"},
		{"the Nth and all after it", []string{"s/o/0/2g", "w"}, "hello w0rld\n"},
		{"the delimiter loses its backslash", []string{"s|w|\\||", "w"}, "hello |orld\n"},
		{"a slash in brackets is no delimiter", []string{"s/[/ ]/-/", "w"}, "hello-world\n"},
		{"N at the end prints", []string{"-n", "N;N;p", "n"}, "1\n2\n3\n"},
		{"D starts again without reading", []string{"$!N;P;D", "n"}, "1\n2\n3\n4\n5\n"},
		{"c on a range prints once", []string{"2,4c x", "n"}, "1\nx\n5\n"},
		{"a keeps what a backslash guards", []string{`$a\  x\ty`, "w"}, "hello world\n  x\ty\n"},
		{"r of a missing file is nothing", []string{"r none", "w"}, "hello world\n"},
		{"0r comes before the first line", []string{"0r w", "n"}, "hello world\n1\n2\n3\n4\n5\n"},
		{"a last line without newline stays so", []string{"s/x/y/", "u"}, "y"},
		{"but for what follows it", []string{"p", "u"}, "x\nx"},
		{"under -z M anchors at the record's ends only", []string{"-z", "s/^./X/mg", "n"}, "X\n2\n3\n4\n5\n"},
		{"l folds", []string{"-n", "l 6", "w"}, "hello\\\n worl\\\nd$\n"},
		{"q has a status", []string{"2q5", "n"}, "1\n2\n[exit status 5]\n"},
		{"-s numbers each file", []string{"-sn", "$=", "n", "w"}, "5\n1\n"},
		{"a missing file", []string{"p", "none"}, "sed: can't read none: No such file or directory\n[exit status 2]\n"},
		{"an unknown command", []string{"-e", "p", "-e", "k", "n"}, "sed: -e expression #2, char 1: unknown command: `k'\n[exit status 1]\n"},
		{"an open brace", []string{"{p", "n"}, "sed: -e expression #1, char 0: unmatched `{'\n[exit status 1]\n"},
		{"a missing label", []string{"bx", "n"}, "sed: can't find label for jump to `x'\n[exit status 4]\n"},
		{"e is refused", []string{"e ls", "n"}, "sed: -e expression #1, char 1: the `e' command is not supported\n[exit status 1]\n"},
		{"addr,~N goes on from a line that is a multiple", []string{"-n", "2,~2p", "n"}, "2\n3\n4\n"},
		{"a text goes on in the next -e", []string{"-e", `$a x\`, "-e", "  y", "w"}, "hello world\nx\n  y\n"},
		{"and ends where none follows", []string{`a x\`, "w"}, "hello world\nx\n"},
		{"a width of 1 folds before each character", []string{"-n", "s/.*/ab/;l 1", "w"}, "\\\na\\\nb$\n"},
		{"a backslash may delimit", []string{`s\h\j\`, "w"}, "jello world\n"},
		{`\u is lost before \L`, []string{"-E", `s/(.*)/\u\L\1/`, "w"}, "hello world\n"},
		{`and outlives one empty group`, []string{"-E", `s/(x*)(h)/\u\1\2/`, "w"}, "Hello world\n"},
		{"an empty match is followed by one byte", []string{"-n", "s/.*/é/;s/x*/-/gp", "w"}, "-\xc3-\xa9-\n"},
		{"a range beyond ASCII has no order", []string{"s/[é-ü]//", "w"}, "sed: -e expression #1, char 11: Invalid collation character\n[exit status 1]\n"},
		{`--posix has no \w`, []string{"--posix", `s/\w/X/`, "w"}, "hello Xorld\n"},
		{"-i asks for files", []string{"-i", "p"}, "sed: no input files\n[exit status 4]\n"},
		{"--sandbox refuses w", []string{"--sandbox", "w x", "n"}, "sed: -e expression #1, char 1: e/r/w commands disabled in sandbox mode\n[exit status 1]\n"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s := newTestShell(t).files("n=1\n2\n3\n4\n5\n", "w=hello world\n", "u=x")
			require.Equal(t, c.want, s.output(append([]string{"sed"}, c.args...)...))
		})
	}
}

func TestSedInPlace(t *testing.T) {
	for _, c := range []struct {
		rule  string
		args  []string
		after map[string]string
	}{
		{"the file takes the new text", []string{"-i", "s/1/X/", "f"}, map[string]string{"f": "X\n2\n"}},
		{"a suffix keeps the old", []string{"-i.bak", "1d", "f"}, map[string]string{"f": "2\n", "f.bak": "1\n2\n"}},
		{"a star stands for the name", []string{"-iold_*", "1d", "d/f"}, map[string]string{"d/f": "b\n", "d/old_f": "a\nb\n"}},
		{"q drops the rest", []string{"-i", "1q", "f"}, map[string]string{"f": "1\n"}},
		{"w /dev/stdout is not the file", []string{"-n", "-i", "w /dev/stdout", "f"}, map[string]string{"f": ""}},
		{"a link is replaced", []string{"-i", "1d", "l"}, map[string]string{"l": "2\n", "f": "1\n2\n"}},
		{"with --follow-symlinks its target is", []string{"--follow-symlinks", "-i", "1d", "l"}, map[string]string{"l": "2\n", "f": "2\n"}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s := newTestShell(t).files("f=1\n2\n", "d/f=a\nb\n", "l -> f")
			_, stderr, status := s.run(append([]string{"sed"}, c.args...)...)
			require.Equal(t, "", stderr)
			require.Equal(t, 0, status)
			for name, want := range c.after {
				require.Equal(t, want, s.read(name), name)
			}
		})
	}
	t.Run("a failure leaves the file and no temporary one", func(t *testing.T) {
		s := newTestShell(t).files("d/f=1\n")
		_, _, status := s.run("sed", "-i", "s//x/", "d/f")
		require.Equal(t, 1, status)
		require.Equal(t, "1\n", s.read("d/f"))
		require.Equal(t, "d/f\n", s.output("rg", "--files", "-uu", "d"))
	})
}

func TestSedLeavesTheRestOfItsInput(t *testing.T) {
	for _, c := range []struct {
		rule string
		args []string
		rest string
	}{
		{"q", []string{"2q"}, "3\n4\n"},
		{"Q", []string{"2Q"}, "3\n4\n"},
		{"to its end there is none", []string{"-n", "2p"}, ""},
		{"/dev/stdin is the same", []string{"1q", "/dev/stdin"}, "2\n3\n4\n"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s := newTestShell(t).files("n=1\n2\n3\n4\n")
			f, err := s.view.Open(context.Background(), "n", vfs.O_RDONLY, 0)
			require.NoError(t, err)
			defer f.Close()
			require.Zero(t, s.exec(context.Background(), append([]string{"sed"}, c.args...), s.environment, f, io.Discard, io.Discard, s.view))
			rest, err := io.ReadAll(f)
			require.NoError(t, err)
			require.Equal(t, c.rest, string(rest))
		})
	}
	t.Run("-u takes no byte too many from a pipe", func(t *testing.T) {
		s := newTestShell(t)
		pipe := strings.NewReader("1\n2\n3\n")
		require.Zero(t, s.exec(context.Background(), []string{"sed", "-u", "1q"}, s.environment, io.MultiReader(pipe), io.Discard, io.Discard, s.view))
		rest, _ := io.ReadAll(pipe)
		require.Equal(t, "2\n3\n", string(rest))
	})
}

func FuzzSed(f *testing.F) {
	f.Add("s/a/b/;ta", "a\nb\n")
	f.Add("$!N;P;D", "1\n2")
	f.Add("/a/,+2{y/a/b/;x;G}", "a")
	f.Fuzz(func(t *testing.T, script, text string) {
		if len(script) > 60 || len(text) > 200 || strings.ContainsAny(script, "tTbDHG") {
			return // loops and growth have their own tests
		}
		s := newTestShell(t).files("f=" + text)
		s.run("sed", script, "f")
	})
}
