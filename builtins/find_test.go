package builtins

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// findTree is a small tree; every file is a day old but d/old, which is ten.
func findTree(t *testing.T) *testShell {
	s := newTestShell(t).files("a.txt=alpha\n", "d/b.TXT=beta\n", "d/e/c=", "d/e/é=x", "empty/", "d/ln -> ../a.txt", "d/dead -> gone", "d/old=1")
	ctx := context.Background()
	for _, name := range []string{"a.txt", "d/b.TXT", "d/e/c", "d/e/é", "d/old", "d/e", "d", "empty", "."} {
		age := -36 * time.Hour
		if name == "d/old" {
			age = -250 * time.Hour
		}
		require.NoError(t, s.view.Chtimes(ctx, name, s.now.Add(age), s.now.Add(age), false))
	}
	require.NoError(t, s.view.Chmod(ctx, "a.txt", 0o755))
	return s
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		rule string
		args []string
		want string
	}{
		{"without a start point the directory is walked by name", nil, ".\n./a.txt\n./d\n./d/b.TXT\n./d/dead\n./d/e\n./d/e/c\n./d/e/é\n./d/ln\n./d/old\n./empty\n"},
		{"-name matches the base, -path all of it", []string{".", "-name", "*.txt", "-o", "-path", "./d/?"}, "./a.txt\n./d/e\n"},
		{"-iname ignores case", []string{".", "-iname", "*.txt"}, "./a.txt\n./d/b.TXT\n"},
		{"a question mark takes a character, or a byte", []string{"d/e", "-name", "?", "-o", "-name", "??"}, "d/e\nd/e/c\nd/e/é\n"},
		{"types may be listed", []string{"d", "-type", "d,l"}, "d\nd/dead\nd/e\nd/ln\n"},
		{"-xtype looks through a link", []string{"d", "-xtype", "l", "-o", "-xtype", "f", "-type", "l"}, "d/dead\nd/ln\n"},
		{"-L follows links", []string{"-L", "d", "-type", "f"}, "d/b.TXT\nd/e/c\nd/e/é\nd/ln\nd/old\n"},
		{"sizes are rounded up to the unit", []string{".", "-type", "f", "-size", "1"}, "./a.txt\n./d/b.TXT\n./d/e/é\n./d/old\n"},
		{"-empty is for files and directories", []string{".", "-empty"}, "./d/e/c\n./empty\n"},
		{"-mtime counts whole days", []string{".", "-mtime", "1", "-type", "f"}, "./a.txt\n./d/b.TXT\n./d/e/c\n./d/e/é\n"},
		{"+N is more than N", []string{".", "-mtime", "+9"}, "./d/old\n"},
		{"-newermt compares with a date", []string{".", "-type", "f", "!", "-newermt", "2023-12-25"}, "./d/old\n"},
		{"-perm -MODE wants all the bits", []string{".", "-type", "f", "-perm", "-u+x"}, "./a.txt\n"},
		{"-regex matches the whole path", []string{".", "-regex", `\./d/[a-z]`, "-o", "-regextype", "egrep", "-regex", ".*(old|dead)"}, "./d/dead\n./d/e\n./d/old\n"},
		{"-prune keeps out of a directory", []string{".", "-name", "d", "-prune", "-o", "-print"}, ".\n./a.txt\n./empty\n"},
		{"-depth shows the contents first", []string{"d/e", "-depth"}, "d/e/c\nd/e/é\nd/e\n"},
		{"-mindepth and -maxdepth bound the levels", []string{".", "-mindepth", "1", "-maxdepth", "1"}, "./a.txt\n./d\n./empty\n"},
		{"-quit ends the search", []string{".", "-name", "*t*", "-print", "-quit"}, "./a.txt\n"},
		{"the comma has both sides evaluated", []string{"a.txt", "-false", ",", "-print"}, "a.txt\n"},
		{"-printf", []string{"d/b.TXT", "-printf", `%p|%f|%h|%P|%d|%s|%m|%M|%y|%TY-%Tm-%Td|%5s|%-5y|\t%%\n`}, "d/b.TXT|b.TXT|d||0|5|644|-rw-r--r--|f|2023-12-31|    5|f    |\t%\n"},
		{"-exec ; runs a command a file", []string{"d/e", "-type", "f", "-exec", "cat", "a.txt", "{}", ";"}, "alpha\nalpha\nx"},
		{"-exec + runs one for all", []string{".", "-name", "*.txt", "-exec", "cat", "d/old", "{}", "+"}, "1alpha\n"},
		{"-execdir runs in the file's directory", []string{"d", "-name", "b*", "-execdir", "cat", "old", "{}", ";"}, "1beta\n"},
		{"a failing -exec is false", []string{"d/e", "-exec", "cat", "nope", ";", "-print"}, "cat: nope: No such file or directory\ncat: nope: No such file or directory\ncat: nope: No such file or directory\n"},
		{"a command that is missing is told of", []string{"a.txt", "-exec", "nosuch", ";"}, "find: ‘nosuch’: No such file or directory\n"},
		{"a start point that is missing makes the status 1", []string{"nope", "a.txt"}, "a.txt\nfind: ‘nope’: No such file or directory\n[exit status 1]\n"},
		{"an unknown predicate", []string{"-bogus"}, "find: unknown predicate `-bogus'\n[exit status 1]\n"},
		{"an operator without its right side", []string{"-true", "-o"}, "find: expected an expression after '-o'\n[exit status 1]\n"},
		{"a path after the expression", []string{"-print", "a.txt"}, "find: paths must precede expression: `a.txt'\nfind: possible unquoted pattern after predicate `-print'?\n[exit status 1]\n"},
		{"-delete and -prune do not go together", []string{"-prune", "-delete"}, "find: The -delete action automatically turns on -depth, but -prune does nothing when -depth is in effect.  If you want to carry on anyway, just explicitly use the -depth option.\n[exit status 1]\n"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			require.Equal(t, c.want, findTree(t).output(append([]string{"find"}, c.args...)...))
		})
	}
}

func TestFindDelete(t *testing.T) {
	s := findTree(t)
	require.Equal(t, "", s.output("find", "d", "-delete"))
	require.Equal(t, ".\n./a.txt\n./empty\n", s.output("find"))
	s.files("q/r=")
	require.Equal(t, "find: cannot delete ‘q’: Directory not empty\n[exit status 1]\n", s.output("find", "q", "-type", "d", "-delete"))
}

func TestFindWritesFiles(t *testing.T) {
	s := findTree(t)
	require.Equal(t, "", s.output("find", "d/e", "-type", "f", "-fprint", "all", "-name", "c", "-fprintf", "some", "%f;", "-fprint", "all"))
	require.Equal(t, "d/e/c\nd/e/c\nd/e/é\n", s.read("all"))
	require.Equal(t, "c;", s.read("some"))
}

func TestFindAsks(t *testing.T) {
	s := findTree(t)
	s.stdin = "n\ny\n"
	require.Equal(t, "x< cat ... d/e/c > ? < cat ... d/e/é > ? ", s.output("find", "d/e", "-type", "f", "-ok", "cat", "{}", ";"))
}
