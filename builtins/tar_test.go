package builtins

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vsh-project/vsh/builtins/internal/tarformat"
	"github.com/vsh-project/vsh/vfs"
)

// tarStep is a command and what it prints; steps of one test share a world.
type tarStep struct{ line, want string }

func runTarSteps(t *testing.T, files []string, steps []tarStep) *testShell {
	t.Helper()
	s := newTestShell(t).files(files...)
	for _, step := range steps {
		require.Equal(t, step.want, s.output(splitWords(step.line)...), step.line)
	}
	return s
}

const tarFailed = "tar: Exiting with failure status due to previous errors\n[exit status 2]\n"

func TestTarUsage(t *testing.T) {
	const try = "Try 'tar --help' or 'tar --usage' for more information.\n"
	runTable(t, []string{"f=text"}, []tableCase{
		{"something must be asked for", "tar f x", "", "tar: You must specify one of the '-Acdtrux', '--delete' or '--test-label' options\n" + try + "[exit status 2]\n"},
		{"only one thing is done", "tar -cx f", "", "tar: You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option\n" + try + "[exit status 2]\n"},
		{"an unknown option is status 64", "tar --foo", "", "tar: unrecognized option '--foo'\n" + try + "[exit status 64]\n"},
		{"a missing argument is status 64", "tar -cf", "", "tar: option requires an argument -- 'f'\n" + try + "[exit status 64]\n"},
		{"a missing argument of old letters is status 2", "tar cf", "", "tar: Old option 'f' requires an argument.\n" + try + "[exit status 2]\n"},
		{"no empty archive is made", "tar cf x.tar", "", "tar: Cowardly refusing to create an empty archive\n" + try + "[exit status 2]\n"},
		{"two compressions conflict", "tar czjf x f", "", "tar: Conflicting compression options\n" + try + "[exit status 2]\n"},
		{"a compressed archive is not updated", "tar rzf x f", "", "tar: Cannot update compressed archives\n" + try + "[exit status 2]\n"},
		{"old files are treated in one way", "tar xk --overwrite", "", "tar: '--overwrite' cannot be used with '--keep-old-files'\n" + try + "[exit status 2]\n"},
		{"a number of components is a number", "tar xf x --strip-components=a", "", "tar: a: Invalid number of elements\n" + try + "[exit status 2]\n"},
		{"an unknown format is named", "tar cf x -H foo f", "", "tar: foo: Invalid archive format\n" + try + "[exit status 2]\n"},
		{"what sorts is listed", "tar cf x --sort=foo f", "", "tar: invalid argument ‘foo’ for ‘--sort’\nValid arguments are:\n  - ‘none’\n  - ‘name’\n  - ‘inode’\n[exit status 2]\n"},
		{"a missing archive ends the run", "tar tf x", "", "tar: x: Cannot open: No such file or directory\ntar: Error is not recoverable: exiting now\n[exit status 2]\n"},
		{"a directory is no archive", "tar tf .", "", "tar: .: Cannot read: Is a directory\ntar: At beginning of tape, quitting now\ntar: Error is not recoverable: exiting now\n[exit status 2]\n"},
		{"what is no archive is said so", "tar t", "text", "tar: This does not look like a tar archive\n" + tarFailed},
		{"an archive on another host is not reached", "tar tf host:x", "", "tar: Cannot connect to host: resolve failed\n[exit status 128]\n"},
		{"volumes are refused", "tar cMf x f", "", "tar: -M: multi-volume archives are not supported\ntar: Error is not recoverable: exiting now\n[exit status 2]\n"},
	})
}

func TestTarRoundTrip(t *testing.T) {
	for _, packer := range []string{"--no-auto-compress", "--gzip", "--bzip2", "--xz", "--zstd"} {
		t.Run(packer, func(t *testing.T) {
			s := runTarSteps(t, []string{"d/a=one\n", "d/s/b=two\n", "d/l -> a"}, []tarStep{
				{"tar -cf x.tar " + packer + " d", ""},
				{"tar tf x.tar", "d/\nd/a\nd/l\nd/s/\nd/s/b\n"},
				{"rm -r d", ""},
				{"tar xvf x.tar d/s", "d/s/\nd/s/b\n"},
				{"tar xf x.tar d/nope", "tar: d/nope: Not found in archive\n" + tarFailed},
			})
			require.Equal(t, "two\n", s.read("d/s/b"))
		})
	}
}

func TestTarLists(t *testing.T) {
	runTarSteps(t, []string{"d/a=one\n", "d/l -> a", "d/x\ny=", "d/é="}, []tarStep{
		{"ln d/a d/h", ""},
		{"tar cf t d", ""},
		{"tar tvf t", "drwxr-xr-x root/root         0 2024-01-02 03:04 d/\n" +
			"-rw-r--r-- root/root         4 2024-01-02 03:04 d/a\n" +
			"hrw-r--r-- root/root         0 2024-01-02 03:04 d/h link to d/a\n" +
			"lrwxrwxrwx root/root         0 2024-01-02 03:04 d/l -> a\n" +
			"-rw-r--r-- root/root         0 2024-01-02 03:04 d/x\\ny\n" +
			"-rw-r--r-- root/root         0 2024-01-02 03:04 d/é\n"},
		{"tar tvf t --full-time --numeric-owner d/a", "-rw-r--r-- 0/0               4 2024-01-02 03:04:05 d/a\n"},
		{"tar tRf t d/a d/h", "block 1: d/a\nblock 3: d/h\nblock 7: ** Block of NULs **\n"},
		{"tar tf t --quoting-style=c d/a", "\"d/a\"\n"},
		{"tar tf t --transform s/d/e/ --show-transformed-names d/a", "e/a\n"},
		{"tar tf t --exclude=*y --exclude=h", "d/\nd/a\nd/l\nd/é\n"},
		{"tar tf t --wildcards d/[ax]", "d/a\n"},
		{"tar tf t d/?", "tar: Pattern matching characters used in file names\ntar: Use --wildcards to enable pattern matching, or --no-wildcards to suppress this warning\ntar: d/?: Not found in archive\n" + tarFailed},
	})
}

func TestTarNamesAreMadeSafe(t *testing.T) {
	s := runTarSteps(t, []string{"d/in=", "f=text"}, []tarStep{
		{"tar cf t /w/f d/../f", "tar: Removing leading `/' from member names\ntar: Removing leading `/' from hard link targets\ntar: Removing leading `d/../' from member names\n"},
		{"tar tvf t", "-rw-r--r-- root/root         4 2024-01-02 03:04 w/f\nhrw-r--r-- root/root         0 2024-01-02 03:04 f link to w/f\n"},
		{"tar cPf t /w/f", ""},
		{"tar tPf t", "/w/f\n"},
		{"tar cPf t d/../f", ""},
		{"rm f", ""},
		{"tar xf t", "tar: Removing leading `d/../' from member names\ntar: d/../f: Member name contains '..'\n" + tarFailed},
	})
	require.Equal(t, "d/|t="+s.read("t"), s.listing())
}

// A link that leads out of the directory is made last, so that nothing is
// written through it.
func TestTarDelaysLinksThatLeadOut(t *testing.T) {
	s := runTarSteps(t, []string{"out/x=", "a/up -> ../out", "evil=bad", "q/"}, []tarStep{
		{"tar cf t a", ""},
		{"tar rf t --transform s,^,a/up/, evil", ""},
		{"tar xf t -C q", "tar: a/up/evil: Cannot open: Not a directory\n" + tarFailed},
	})
	target, err := s.view.Readlink(context.Background(), "q/a/up")
	require.NoError(t, err)
	require.Equal(t, "../out", target)
	_, err = s.view.Stat(context.Background(), "q/out")
	require.Error(t, err)
}

func TestTarOldFiles(t *testing.T) {
	const opened = "tar: f: Cannot open: File exists\n" + tarFailed
	for _, c := range []struct{ options, want, content string }{
		{"", "", "new"},
		{"-k", opened, "old"},
		{"--skip-old-files", "", "old"},
		{"--keep-newer-files", "tar: Current ‘f’ is newer or same age\n", "old"},
		{"--overwrite", "", "new"},
		{"-U", "", "new"},
	} {
		t.Run("with "+c.options, func(t *testing.T) {
			s := newTestShell(t).files("f=new")
			require.Equal(t, "", s.output("tar", "cf", "t", "f"))
			s.files("f=old")
			require.Equal(t, c.want, s.output(splitWords("tar xf t "+c.options)...))
			require.Equal(t, c.content, s.read("f"))
		})
	}
	runTarSteps(t, []string{"f=new"}, []tarStep{
		{"tar cf t f", ""},
		{"rm f", ""},
		{"mkdir -p f/x", ""},
		{"tar xf t", opened},
		{"tar xf t --recursive-unlink", ""},
		{"cat f", "new"},
		{"tar xvf t --backup", "f\nRenaming ‘f’ to ‘f~’\n"},
		{"ls", "f\nf~\nt\n"},
	})
}

func TestTarAttributes(t *testing.T) {
	s := runTarSteps(t, []string{"d/f=x"}, []tarStep{
		{"chmod 751 d", ""},
		{"touch -d @1000 d/f d", ""},
		{"tar cf t --owner=joe:5 --group=staff:6 --mode=u+s d", ""},
		{"tar tvf t", "drwsr-x--x joe/staff         0 1970-01-01 00:16 d/\n-rwSr--r-- joe/staff         1 1970-01-01 00:16 d/f\n"},
		{"rm -r d", ""},
		{"tar xf t", ""},
		{"stat -c '%a %u %g %Y' d d/f", "4751 5 6 1000\n4644 5 6 1000\n"},
		{"rm -r d", ""},
		{"tar xmf t --no-same-owner --no-same-permissions", ""},
		{"stat -c '%a %u %g %Y' d d/f", "751 0 0 1704164645\n644 0 0 1704164645\n"},
		{"tar cf t --mtime=@77 --clamp-mtime d", ""},
		{"tar tvf t d/f", "-rw-r--r-- root/root         1 1970-01-01 00:01 d/f\n"},
	})
	require.NotNil(t, s)
}

// A directory's mode and times are set after what lies in it, or a read-only
// one could not be filled.
func TestTarSetsDirectoriesLast(t *testing.T) {
	s := newTestShell(t).files("d/f=x")
	require.Equal(t, "", s.output("touch", "-d", "@1000", "d"))
	require.Equal(t, "", s.output("tar", "cf", "t", "--mode=a-w", "d"))
	require.Equal(t, "", s.output("rm", "-r", "d"))
	user, err := vfs.NewView(vfs.ViewOptions{
		Mounts: []vfs.Mount{{Path: "/", FS: s.storage.FS()}}, Identity: vfs.Identity{User: "u", Group: "u", UID: 7, GID: 7}, Directory: "/w",
	})
	require.NoError(t, err)
	require.Equal(t, "", s.output("chmod", "777", "."))
	s.view = user
	require.Equal(t, "", s.output("tar", "xf", "t"))
	require.Equal(t, "555 1000\n444 1704164645\n", s.output("stat", "-c", "%a %Y", "d", "d/f"))
}

func TestTarUpdates(t *testing.T) {
	s := runTarSteps(t, []string{"a=1", "b=2", "c=3"}, []tarStep{
		{"tar cf t a b", ""},
		{"tar rvf t c", "c\n"},
		{"tar uvf t a b", ""},
		{"touch -d 2025-01-01 b", ""},
		{"tar uvf t a b", "b\n"},
		{"tar tf t", "a\nb\nc\nb\n"},
		{"tar tf t b --occurrence=2", "b\n"},
		{"tar --delete -f t b --occurrence=1", ""},
		{"tar tf t", "a\nc\nb\n"},
		{"tar --delete -f t a nope", "tar: nope: Not found in archive\n" + tarFailed},
		{"tar tf t", "c\nb\n"},
		{"tar cf u a", ""},
		{"tar Af t u", ""},
		{"tar tf t", "c\nb\na\n"},
		{"tar df t", ""},
	})
	s.files("a=changed")
	require.Equal(t, "a: Size differs\n[exit status 1]\n", s.output("tar", "df", "t", "a"))
}

func TestTarIncremental(t *testing.T) {
	s := newTestShell(t).files("d/a=1", "d/s/b=2", "d/s/c=3")
	tick := func() { s.now = s.now.Add(time.Hour) }
	tick()
	require.Equal(t, "tar: d: Directory is new\ntar: d/s: Directory is new\n", func() string { _, stderr, _ := s.run("tar", "-g", "snap", "-cvf", "t", "d"); return stderr }())
	require.Equal(t, "d/\nd/s/\nd/a\nd/s/b\nd/s/c\n", s.output("tar", "tf", "t"))
	tick()
	s.files("d/n=4")
	require.Equal(t, "", s.output("rm", "d/a", "d/s/c"))
	tick()
	require.Equal(t, "", s.output("tar", "-g", "snap", "-cf", "u", "d"))
	require.Equal(t, "drwxr-xr-x root/root         7 2024-01-02 05:04 d/\nY n\nD s\n\ndrwxr-xr-x root/root         4 2024-01-02 05:04 d/s/\nN b\n\n-rw-r--r-- root/root         1 2024-01-02 05:04 d/n\n", s.output("tar", "tGvvf", "u"))
	require.Equal(t, "", s.output("rm", "-r", "d"))
	require.Equal(t, "", s.output("tar", "xf", "t", "-g", "/dev/null"))
	require.Equal(t, "d/\ntar: Deleting ‘d/a’\nd/s/\ntar: Deleting ‘d/s/c’\nd/n\n", s.output("tar", "xvf", "u", "-g", "/dev/null"))
	require.Equal(t, "d:\nn\ns\n\nd/s:\nb\n", s.output("ls", "-R", "d"))
	require.Equal(t, "tar: bad:1: Invalid time stamp: Invalid argument\ntar: Error is not recoverable: exiting now\n[exit status 2]\n", s.files("bad=junk").output("tar", "-g", "bad", "-cf", "t", "d"))
}

func TestTarTransforms(t *testing.T) {
	for _, c := range []struct{ rule, expression, want string }{
		{"the first match", "s/a/X/", "dir/Xab.txt\n"},
		{"all matches", "s/a/X/g", "dir/XXb.txt\n"},
		{"a backslash group", `s/\(.*\)\/\(.*\)/\2-\1/`, "aab.txt-dir\n"},
		{"extended", "s/(.)(.)/\\2\\1/x", "idr/aab.txt\n"},
		{"without case", "s/DIR/x/i", "x/aab.txt\n"},
		{"cases", `s/dir\/\(.*\)/\U\1\E-\u&/`, "AAB.TXT-Dir/aab.txt\n"},
		{"a chain", "s/dir/x/;s,x/,y-,", "y-aab.txt\n"},
		{"an anchor matches once", "s/^./_/g", "_ir/aab.txt\n"},
		{"names of links alone", "s/dir/x/RH", "dir/aab.txt\n"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			runTarSteps(t, []string{"dir/aab.txt="}, []tarStep{
				{"tar cf t dir/aab.txt --transform '" + c.expression + "'", ""},
				{"tar tf t", c.want},
			})
		})
	}
}

func TestTarNameLists(t *testing.T) {
	s := newTestShell(t).files("a=", "b=", "d/c=", "l=a\n\n-C d\nc\n", "n=--foo\n")
	require.Equal(t, "", s.output("tar", "cf", "t", "-T", "l"))
	require.Equal(t, "a\nc\n", s.output("tar", "tf", "t"))
	require.Equal(t, "tar: n:1: unrecognized option\n"+tarFailed, s.output("tar", "cf", "t", "-T", "n"))
	require.Equal(t, "a\nd/\nd/c\n", s.output("tar", "cvf", "t", "a", "--exclude=b", "b", "d"))
	s.stdin = "a\x00d\x00"
	require.Equal(t, "a\nd/\n", s.output("tar", "cvf", "t", "--no-recursion", "--null", "-T", "-"))
	require.Equal(t, "a\ntar: The following options were used after any non-optional arguments in archive create or update mode.  These options are positional and affect only arguments that follow them.  Please, rearrange them properly.\ntar: --exclude ‘a’ has no effect\n"+tarFailed,
		s.output("tar", "cvf", "t", "a", "--exclude", "a"))
}

func TestTarBlocking(t *testing.T) {
	s := newTestShell(t).files("f=text")
	stdout, _, status := s.run("tar", "c", "f")
	require.Equal(t, 0, status)
	require.Len(t, stdout, 10240, "an archive is whole records")
	require.Equal(t, "f\x00", stdout[:2])
	require.Equal(t, "ustar  \x00root\x00", stdout[257:270])
	stdout, _, _ = s.run("tar", "-b", "1", "-c", "f")
	require.Len(t, stdout, 2048, "header, data and two blocks of zeros")
	require.True(t, strings.HasSuffix(stdout, strings.Repeat("\x00", 1024)))
}

func TestTarLongNames(t *testing.T) {
	long := strings.Repeat("n", 120)
	for _, c := range []struct{ format, want string }{
		{"gnu", long + "\n"},
		{"oldgnu", long + "\n"},
		{"pax", long + "\n"},
		{"ustar", "tar: " + long + ": file name is too long (cannot be split); not dumped\n"},
		{"v7", "tar: " + long + ": file name is too long (max 99); not dumped\n"},
	} {
		t.Run(c.format, func(t *testing.T) {
			s := newTestShell(t).files(long + "=x")
			stdout, stderr, _ := s.run("tar", "cf", "t", "-H", c.format, long)
			require.Empty(t, stdout)
			if stderr != "" {
				require.Equal(t, c.want+"tar: Exiting with failure status due to previous errors\n", stderr)
				return
			}
			require.Equal(t, c.want, s.output("tar", "tf", "t"))
		})
	}
}

func TestTarSparse(t *testing.T) {
	for _, options := range []string{"-H gnu", "-H pax", "-H pax --sparse-version=0.0", "-H pax --sparse-version=0.1"} {
		t.Run(options, func(t *testing.T) {
			s := newTestShell(t).files("x=data")
			require.Equal(t, "", s.output("truncate", "-s", "1M", "x"))
			require.Equal(t, "", s.output(splitWords("tar -Scf t "+options+" x")...))
			require.Less(t, len(s.read("t")), 20<<10, "holes are not stored")
			want := s.read("x")
			require.Equal(t, "", s.output("rm", "x"))
			require.Equal(t, "", s.output("tar", "xf", "t"))
			require.True(t, want == s.read("x"))
			require.Equal(t, "", s.output("tar", "df", "t"))
		})
	}
}

// tarBlock makes a header block.
func tarBlock(kind byte, name string, size int64) tarformat.Header {
	h := make(tarformat.Header, tarformat.BlockSize)
	h.SetText(tarformat.Name, name)
	h.SetNumber(tarformat.Mode, 0o644, false)
	h.SetNumber(tarformat.UID, 0, false)
	h.SetNumber(tarformat.GID, 0, false)
	h.SetNumber(tarformat.Size, size, true)
	h.SetNumber(tarformat.MTime, 0, false)
	h.SetMagic(tarformat.GNU)
	h.SetType(kind)
	h.Finish()
	return h
}

func TestTarDamage(t *testing.T) {
	zeros := strings.Repeat("\x00", 1024)
	broken := tarBlock('0', "broken", 0)
	broken[0] = 'X'
	sparse := tarBlock('S', "s", 0)
	sparse.SetNumber(tarformat.RealSize, 100, true)
	tarformat.SetOldSparse(sparse, tarformat.SparseMap, 0, tarformat.SparseEntry{Offset: 1 << 40, Bytes: 1 << 40})
	sparse.Finish()
	const fatal = "tar: Unexpected EOF in archive\ntar: Error is not recoverable: exiting now\n[exit status 2]\n"
	for _, c := range []struct{ rule, archive, line, want string }{
		{"a bad checksum is passed over", string(broken) + string(tarBlock('0', "f", 0)) + zeros, "tar t", "f\ntar: This does not look like a tar archive\ntar: Skipping to next header\n" + tarFailed},
		{"one block of zeros is no proper end", string(tarBlock('0', "f", 0)) + zeros[:512], "tar t", "f\ntar: A lone zero block at 2\n"},
		{"no end at all is taken", string(tarBlock('0', "f", 0)), "tar t", "f\n"},
		{"a member may lack its data", string(tarBlock('0', "f", 1000)), "tar t", "f\n" + fatal},
		{"a size beyond all bounds", string(tarBlock('0', "f", 1<<63-1)) + zeros, "tar x", "tar: Unexpected EOF in archive\n" + fatal},
		{"a negative size", string(tarBlock('0', "f", -5)) + zeros, "tar t", "tar: Archive value -5 is out of off_t range 0..9223372036854775807\ntar: This does not look like a tar archive\ntar: Skipping to next header\n" + tarFailed},
		{"a long name that is not there", string(tarBlock('L', "././@LongLink", 1<<62)), "tar t", "tar: Unexpected EOF in archive\n" + tarFailed},
		{"a map that leads out of the file", string(sparse) + zeros, "tar x", "tar: s: invalid sparse archive member\n" + tarFailed},
		{"an extended header without end", string(tarBlock('x', "p", 5)) + "9 a=b" + strings.Repeat("\x00", 507) + string(tarBlock('0', "f", 0)) + zeros, "tar t", "f\ntar: Extended header length 9 a=b is out of range\n" + tarFailed},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s := newTestShell(t)
			s.stdin = c.archive
			require.Equal(t, c.want, s.output(splitWords(c.line)...))
		})
	}
}

// tarEndless is an archive of members that never ends.
type tarEndless struct {
	member []byte
	at     int
	cancel func()
	blocks int
}

func (e *tarEndless) Read(p []byte) (int, error) {
	if e.blocks++; e.blocks == 100 {
		e.cancel()
	}
	n := 0
	for n < len(p) {
		k := copy(p[n:], e.member[e.at:])
		n += k
		e.at = (e.at + k) % len(e.member)
	}
	return n, nil
}

func TestTarEndsWithItsContext(t *testing.T) {
	for _, line := range []string{"tar t", "tar xO", "tar --delete -f - nope"} {
		t.Run(line, func(t *testing.T) {
			s := newTestShell(t)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			in := &tarEndless{member: append(tarBlock('0', "f", 512), make([]byte, 512)...), cancel: cancel}
			done := make(chan struct{})
			go func() {
				defer close(done)
				s.exec(ctx, splitWords(line), s.environment, in, io.Discard, io.Discard, s.view)
			}()
			select {
			case <-done:
			case <-time.After(time.Minute):
				t.Fatal("tar did not end")
			}
		})
	}
}

func FuzzTarRead(f *testing.F) {
	zeros := strings.Repeat("\x00", 1024)
	f.Add([]byte(string(tarBlock('0', "f", 5)) + "hello" + strings.Repeat("\x00", 507) + zeros))
	f.Add([]byte(string(tarBlock('L', "././@LongLink", 5)) + "long\x00" + strings.Repeat("\x00", 507) + string(tarBlock('2', "l", 0)) + zeros))
	f.Add([]byte(string(tarBlock('x', "p", 9)) + "9 path=x\n" + strings.Repeat("\x00", 503) + string(tarBlock('S', "s", 0)) + zeros))
	f.Fuzz(func(t *testing.T, data []byte) {
		// Headers whose sums are wrong would all end at the same place.
		data = bytes.Clone(data)
		for at := 0; at+tarformat.BlockSize <= len(data); at += tarformat.BlockSize {
			if h := tarformat.Header(data[at : at+tarformat.BlockSize]); h.IsGNU() || h.IsUSTAR() {
				h.Finish()
			}
		}
		s := newTestShell(t)
		for _, line := range []string{"tar tv", "tar xU", "tar d", "tar --delete -f - f"} {
			// A hole may be as long as a number is; comparing it takes as long.
			ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
			status := s.exec(ctx, splitWords(line), s.environment, bytes.NewReader(data), io.Discard, io.Discard, s.view)
			ended := ctx.Err() != nil
			cancel()
			if status > 2 && !ended {
				t.Fatalf("%s: status %d", line, status)
			}
		}
		for _, name := range []string{"/f", "/evil"} {
			if _, err := s.view.Lstat(context.Background(), name); err == nil {
				t.Fatal(fmt.Sprintf("%s was made outside the directory", name))
			}
		}
	})
}
