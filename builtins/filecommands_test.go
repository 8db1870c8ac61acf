package builtins

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fileStep is one row: commands split at "; ", words at blanks, and what they
// print together.
type fileStep struct{ rule, script, want string }

// runFileSteps runs each row over a, b, the directory d with x, the empty
// directory e, the links l to a and dead to nowhere.
func runFileSteps(t *testing.T, rows []fileStep) {
	t.Helper()
	for _, c := range rows {
		t.Run(c.rule, func(t *testing.T) {
			s := newTestShell(t).files("a=alpha\n", "b=beta\n", "d/x=1\n", "e/", "l -> a", "dead -> gone")
			old := time.Unix(1700000000, 0)
			for _, name := range []string{"a", "d/x"} {
				require.NoError(t, s.view.Chtimes(context.Background(), name, old, old, false))
			}
			got := ""
			for command := range strings.SplitSeq(c.script, "; ") {
				got += s.output(strings.Fields(command)...)
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestCp(t *testing.T) {
	runFileSteps(t, []fileStep{
		{"a file onto a file keeps the target's name", "cp a b; cat b", "alpha\n"},
		{"into a directory", "cp -v a b e; ls e", "'a' -> 'e/a'\n'b' -> 'e/b'\na\nb\n"},
		{"a directory needs -r", "cp d q", "cp: -r not specified; omitting directory 'd'\n[exit status 1]\n"},
		{"-r makes a directory of a missing name, else copies into it", "cp -r d q; cp -r d q; find q", "q\nq/d\nq/d/x\nq/x\n"},
		{"into itself is refused", "cp -r d d/new", "cp: cannot copy a directory, 'd', into itself, 'd/new'\n[exit status 1]\n"},
		{"onto itself is refused, through links too", "cp a a; cp a l", "cp: 'a' and 'a' are the same file\n[exit status 1]\ncp: 'a' and 'l' are the same file\n[exit status 1]\n"},
		{"through a dead link is refused", "cp a dead", "cp: not writing through dangling symlink 'dead'\n[exit status 1]\n"},
		{"-n replaces nothing", "cp -n a b; cat b", "beta\n"},
		{"-u replaces what is older only", "cp -u a b; cat b", "beta\n"},
		{"-p keeps times, without it they are new", "cp -p a p; cp a q; stat -c %Y p q", "1700000000\n1704164645\n"},
		{"-P copies the link, -L what it leads to", "cp -P l k; cp -L l m; stat -c %F k m", "symbolic link\nregular file\n"},
		{"-l and -s link", "cp -l a h; stat -c %h a; cp -s a s; readlink s", "2\na\n"},
		{"-b keeps what is replaced", "cp -b a b; cat b~; cp --backup=t a b; ls", "beta\na\nb\nb.~1~\nb~\nd\ndead\ne\nl\n"},
		{"--parents takes the whole path", "cp --parents d/x e; find e", "e\ne/d\ne/d/x\n"},
		{"hard links stay links with -a", "ln a h; mkdir k; mv a h k; cp -a k n; stat -c %h n/a", "2\n"},
		{"one name twice in one run is refused", "mkdir f; cp a f/b; cp b f/b e", "cp: will not overwrite just-created 'e/b' with 'f/b'\n[exit status 1]\n"},
		{"a missing target directory", "cp a no/", "cp: cannot create regular file 'no/': Not a directory\n[exit status 1]\n"},
	})
}

func TestMv(t *testing.T) {
	runFileSteps(t, []fileStep{
		{"renames", "mv -v a q; cat q; cat a", "renamed 'a' -> 'q'\nalpha\ncat: a: No such file or directory\n[exit status 1]\n"},
		{"into a directory", "mv a b e; ls e", "a\nb\n"},
		{"into itself is refused", "mv d d", "mv: cannot move 'd' to a subdirectory of itself, 'd/d'\n[exit status 1]\n"},
		{"-n leaves both", "mv -n a b; cat a b", "alpha\nbeta\n"},
		{"two names of one file are one file", "ln a h; mv a h", "mv: 'a' and 'h' are the same file\n[exit status 1]\n"},
		{"a directory does not replace a file", "mv d a", "mv: cannot overwrite non-directory 'a' with directory 'd'\n[exit status 1]\n"},
		{"a directory that holds something is not replaced", "mkdir q; cp -r d q; mv d q", "mv: cannot move 'd' to 'q/d': Directory not empty\n[exit status 1]\n"},
	})
}

func TestRm(t *testing.T) {
	runFileSteps(t, []fileStep{
		{"a missing file is an error, but not with -f", "rm no; rm -f no", "rm: cannot remove 'no': No such file or directory\n[exit status 1]\n"},
		{"a directory needs -r or, empty, -d", "rm d; rm -d d; rm -d e; ls -d e", "rm: cannot remove 'd': Is a directory\n[exit status 1]\nrm: cannot remove 'd': Directory not empty\n[exit status 1]\nls: cannot access 'e': No such file or directory\n[exit status 2]\n"},
		{"-rv says what went", "rm -rv d", "removed 'd/x'\nremoved directory 'd'\n"},
		{"a link goes, not what it leads to", "rm l; cat a", "alpha\n"},
		{"/ is refused", "rm -rf /; ls a", "rm: it is dangerous to operate recursively on '/'\nrm: use --no-preserve-root to override this failsafe\n[exit status 1]\na\n"},
		{"/ by another name is refused", "rm -rf ../../w/../.; rm -r //", "rm: refusing to remove '.' or '..' directory: skipping '../../w/../.'\n[exit status 1]\nrm: it is dangerous to operate recursively on '//' (same as '/')\nrm: use --no-preserve-root to override this failsafe\n[exit status 1]\n"},
		{". and .. are refused", "rm -r . ..", "rm: refusing to remove '.' or '..' directory: skipping '.'\nrm: refusing to remove '.' or '..' directory: skipping '..'\n[exit status 1]\n"},
	})
}

func TestRmAsks(t *testing.T) {
	s := newTestShell(t).files("d/x=1", "d/y=")
	s.stdin = "y\ny\nn\ny\n"
	require.Equal(t, "rm: descend into directory 'd'? rm: remove regular file 'd/x'? rm: remove regular empty file 'd/y'? rm: remove directory 'd'? rm: cannot remove 'd': Directory not empty\n[exit status 1]\n", s.output("rm", "-ri", "d"))
	require.Equal(t, "d\nd/y\n", s.output("find", "d"))
}

func TestDirectories(t *testing.T) {
	runFileSteps(t, []fileStep{
		{"mkdir -p makes parents and overlooks what is there", "mkdir -pv p/q; mkdir -p p/q", "mkdir: created directory 'p'\nmkdir: created directory 'p/q'\n"},
		{"mkdir without -p does not", "mkdir p/q; mkdir e", "mkdir: cannot create directory ‘p/q’: No such file or directory\n[exit status 1]\nmkdir: cannot create directory ‘e’: File exists\n[exit status 1]\n"},
		{"mkdir -m is for the last alone", "mkdir -p -m 700 p/q; stat -c %a p p/q", "755\n700\n"},
		{"a file is no parent", "mkdir -p a/q", "mkdir: cannot create directory ‘a’: Not a directory\n[exit status 1]\n"},
		{"rmdir removes what is empty", "rmdir -v e; rmdir d", "rmdir: removing directory, 'e'\nrmdir: failed to remove 'd': Directory not empty\n[exit status 1]\n"},
		{"rmdir -p goes on upwards", "mkdir -p p/q; rmdir -p p/q; ls -d p", "ls: cannot access 'p': No such file or directory\n[exit status 2]\n"},
	})
}

func TestLn(t *testing.T) {
	runFileSteps(t, []fileStep{
		{"hard links", "ln a h; stat -c %h h; ln d q", "2\nln: d: hard link not allowed for directory\n[exit status 1]\n"},
		{"symbolic links take any text", "ln -sv no/such q; readlink q", "'q' -> 'no/such'\nno/such\n"},
		{"-f replaces, -n takes a link to a directory for a name", "ln -s d k; ln -sf e k; ls d; ln -sfn e k; readlink k", "e\nx\ne\n"},
		{"-r is seen from the link", "ln -sr a d/up; readlink d/up", "../a\n"},
		{"one operand links into the working directory", "ln d/x; stat -c %h x", "2\n"},
		{"a name that exists", "ln -s a b", "ln: failed to create symbolic link 'b': File exists\n[exit status 1]\n"},
		{"itself", "ln -f a a", "ln: 'a' and 'a' are the same file\n[exit status 1]\n"},
	})
}

func TestTouch(t *testing.T) {
	runFileSteps(t, []fileStep{
		{"makes a file, now", "touch q; stat -c %s:%Y q", "0:1704164645\n"},
		{"-d", "touch -d 2020-02-03T04:05Z q; stat -c %Y q", "1580702700\n"},
		{"-t", "touch -t 202002030405.06 q; stat -c %Y q", "1580702706\n"},
		{"-r with -d counts from there", "touch -r a q; stat -c %Y q", "1700000000\n"},
		{"-a and -m take one time", "touch -a -d @5 a; touch -m -d @6 a; stat -c %X:%Y a", "5:6\n"},
		{"-c makes nothing", "touch -c no; ls no", "ls: cannot access 'no': No such file or directory\n[exit status 2]\n"},
		{"-h is for a link itself", "touch -h -d @7 l; stat -c %Y l a", "7\n1700000000\n"},
		{"no date", "touch -t 13 q", "touch: invalid date format ‘13’\n[exit status 1]\n"},
	})
}

func TestModesAndOwners(t *testing.T) {
	runFileSteps(t, []fileStep{
		{"-v says what became of a mode", "chmod -v u+x a; chmod -v u+x a", "mode of 'a' changed from 0644 (rw-r--r--) to 0744 (rwxr--r--)\nmode of 'a' retained as 0744 (rwxr--r--)\n"},
		{"a mode may start with a dash", "chmod -w a; stat -c %a a", "444\n"},
		{"what the umask spares is told of", "chmod -rwx b; chmod 777 b; chmod -w b", "chmod: b: new permissions are r-xrwxrwx, not r-xr-xr-x\n[exit status 1]\n"},
		{"-R goes through directories", "chmod -R go-r d; stat -c %a d d/x", "711\n600\n"},
		{"a link to nowhere", "chmod 600 dead", "chmod: cannot operate on dangling symlink 'dead'\n[exit status 1]\n"},
		{"--preserve-root refuses /", "chmod -R --preserve-root 700 /; stat -c %a a", "chmod: it is dangerous to operate recursively on '/'\nchmod: use --no-preserve-root to override this failsafe\n[exit status 1]\n644\n"},
		{"and so does chown's", "chown -R --preserve-root 5 /; stat -c %u a", "chown: it is dangerous to operate recursively on '/'\nchown: use --no-preserve-root to override this failsafe\n[exit status 1]\n0\n"},
		{"owners", "chown -v 5:6 a; stat -c %u:%g a; chgrp -c 7 a", "changed ownership of 'a' from root:root to 5:6\n5:6\nchanged group of 'a' from 6 to 7\n"},
		{"unknown owners", "chown nosuch a; chgrp nosuch a", "chown: invalid user: ‘nosuch’\n[exit status 1]\nchgrp: invalid group: ‘nosuch’\n[exit status 1]\n"},
	})
}

func TestStatAndPaths(t *testing.T) {
	runFileSteps(t, []fileStep{
		{"directives", "stat -c %n|%s|%a|%A|%F|%h|%U:%G|%Y a", "a|6|644|-rw-r--r--|regular file|1|root:root|1700000000\n"},
		{"flags, width and precision", "stat -c %6s|%-6s|%06s|%#a|%.2n|%.3Y|%.Y a", "     6|6     |000006|0644|a|1700000000.000|1700000000.000000000\n"},
		{"a link and what it says", "stat -c %N l; stat -Lc %F l", "'l' -> 'a'\nregular file\n"},
		{"--printf resolves escapes", `stat --printf %n\t%s\n a`, "a\t6\n"},
		{"a missing file", "stat no", "stat: cannot statx 'no': No such file or directory\n[exit status 1]\n"},
		{"readlink", "readlink l; readlink a; readlink -f l no/x; readlink -m no/x", "a\n[exit status 1]\n/w/a\n[exit status 1]\n/w/no/x\n"},
		{"realpath", "realpath l d/../b; realpath --relative-to=d a; realpath -e no", "/w/a\n/w/b\n../a\nrealpath: no: No such file or directory\n[exit status 1]\n"},
		{"mktemp fills the Xs", "mktemp qXXX; mktemp qXXX; ls -l --time-style=+ qaaa", "qaaa\nqbcd\n-rw------- 1 root root 0  qaaa\n"},
		{"mktemp wants three", "mktemp qXX", "mktemp: too few X's in template ‘qXX’\n[exit status 1]\n"},
		{"truncate", "truncate -s +4 a; stat -c %s a; truncate -s %8 a; stat -c %s a; truncate -s -99 a; stat -c %s a", "10\n16\n0\n"},
		{"du counts what is below, links once", "ln a h; du -b a h; du -b d; du -sb nope", "6\ta\n4098\td\ndu: cannot access 'nope': No such file or directory\n[exit status 1]\n"},
		{"du -a, -d and --exclude", "cp -r d e; du -ab --apparent-size -d1 e; du -ab --exclude=x e", "4098\te/d\n8194\te\n4096\te/d\n8192\te\n"},
		{"install sets modes and makes parents", "install -Dvm 600 a p/q; stat -c %a p/q; install -d n/o", "install: creating directory 'p'\n'a' -> 'p/q'\n600\n"},
		{"link and unlink are single calls", "link a k; unlink a; cat k; unlink d", "alpha\nunlink: cannot unlink 'd': Is a directory\n[exit status 1]\n"},
		{"mkfifo", "mkfifo -m 600 p; stat -c %F:%a p; mkfifo a", "fifo:600\nmkfifo: cannot create fifo 'a': File exists\n[exit status 1]\n"},
		{"shred removes what it has overwritten", "shred -u a; ls a", "ls: cannot access 'a': No such file or directory\n[exit status 2]\n"},
		{"df scales and picks", "df --output=target,fstype --total .", "Mounted on Type\n/          tmpfs\n-          -\n"},
	})
}
