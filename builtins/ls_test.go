package builtins

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// lsTree holds files of known sizes, all from 2023-11-14 but new, which is from now.
func lsTree(t *testing.T) *testShell {
	s := newTestShell(t).files("a.txt=alpha\n", "big=0123456789abcdef", "d/x=", "d/y/z=", "e/", "ln -> a.txt", "dead -> gone", "run=", ".hid=", "b c=", "f10=", "f9=", "new=")
	ctx := context.Background()
	require.NoError(t, s.view.Chmod(ctx, "run", 0o755))
	old := time.Unix(1700000000, 0)
	for _, name := range []string{"a.txt", "big", "d/x", "d/y/z", "d/y", "d", "e", "ln", "dead", "run", ".hid", "b c", "f10", "f9", "."} {
		require.NoError(t, s.view.Chtimes(ctx, name, old, old, false))
	}
	recent := s.now.Add(-time.Hour)
	require.NoError(t, s.view.Chtimes(ctx, "new", recent, recent, false))
	return s
}

func TestLs(t *testing.T) {
	for _, c := range []struct {
		rule string
		args []string
		want string
	}{
		{"names come one a line, without hidden ones", nil, "a.txt\nb c\nbig\nd\ndead\ne\nf10\nf9\nln\nnew\nrun\n"},
		{"-A shows hidden ones but not . and ..", []string{"-A", "-I", "[!.]*"}, ".hid\n"},
		{"-l", []string{"-l", "a.txt", "ln", "new", "run"}, "-rw-r--r-- 1 root root 6 Nov 14 22:13 a.txt\nlrwxrwxrwx 1 root root 5 Nov 14 22:13 ln -> a.txt\n-rw-r--r-- 1 root root 0 Jan  2 02:04 new\n-rwxr-xr-x 1 root root 0 Nov 14 22:13 run\n"},
		{"-l of a directory has a total", []string{"-l", "--time-style=+%Y", "d"}, "total 4\n-rw-r--r-- 1 root root    0 2023 x\ndrwxr-xr-x 2 root root 4096 2023 y\n"},
		{"columns are padded with tabs", []string{"-C", "-w", "30"}, "a.txt  d     f10  new\nb c    dead  f9   run\nbig    e     ln\n"},
		{"-x fills lines first", []string{"-x", "-w", "20"}, "a.txt  b c   big\nd      dead  e\nf10    f9    ln\nnew    run\n"},
		{"-m", []string{"-m", "-w", "20"}, "a.txt, b c, big, d,\ndead, e, f10, f9,\nln, new, run\n"},
		{"-F marks types", []string{"-F", "d/y/..", "run", "ln"}, "ln@\nrun*\n\nd/y/..:\nx\ny/\n"},
		{"-v orders numbers", []string{"-v", "f10", "f9"}, "f9\nf10\n"},
		{"-S orders by size, ties by name", []string{"-S", "a.txt", "big", "f9", "f10"}, "big\na.txt\nf10\nf9\n"},
		{"-t orders by time", []string{"-t", "a.txt", "new"}, "new\na.txt\n"},
		{"-r reverses", []string{"-r", "a.txt", "big"}, "big\na.txt\n"},
		{"directories may come first", []string{"--group-directories-first", "-r"}, "e\nd\nrun\nnew\nln\nf9\nf10\ndead\nbig\nb c\na.txt\n"},
		{"-R descends", []string{"-R", "d"}, "d:\nx\ny\n\nd/y:\nz\n"},
		{"-d lists a directory itself", []string{"-d", "d", "e"}, "d\ne\n"},
		{"-Q quotes", []string{"-Q", "b c"}, "\"b c\"\n"},
		{"quoting where a shell asks for it", []string{"--quoting-style=shell-escape", "-C", "b c", "big"}, "'b c'   big\n"},
		{"-h", []string{"-sh", "d"}, "total 4.0K\n   0 x\n4.0K y\n"},
		{"--color", []string{"--color", "-d", "a.txt", "d", "run"}, "a.txt\n\x1b[0m\x1b[01;34md\x1b[0m\n\x1b[01;32mrun\x1b[0m\n"},
		{"--zero", []string{"--zero", "d"}, "x\x00y\x00"},
		{"a missing operand makes the status 2", []string{"no", "f9"}, "f9\nls: cannot access 'no': No such file or directory\n[exit status 2]\n"},
		{"a dead link is listed, but not with -L", []string{"-L", "dead"}, "ls: cannot access 'dead': No such file or directory\n[exit status 2]\n"},
		{"an unknown word", []string{"--sort=x"}, "ls: invalid argument ‘x’ for ‘--sort’\nValid arguments are:\n  - ‘none’\n  - ‘time’\n  - ‘size’\n  - ‘extension’\n  - ‘version’\n  - ‘width’\nTry 'ls --help' for more information.\n[exit status 1]\n"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s := lsTree(t)
			s.environment = append(s.environment, "TERM=xterm")
			got := s.output(append([]string{"ls"}, c.args...)...)
			require.Equal(t, c.want, got)
		})
	}
}
