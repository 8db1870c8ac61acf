package overlay_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vsh-project/vsh/internal/budget"
	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/host"
	"github.com/vsh-project/vsh/vfs/memory"
	"github.com/vsh-project/vsh/vfs/overlay"
)

// filled is an overlay over memory with fill's tree.
func filled(t testing.TB) (*overlay.Storage, *memory.Storage) {
	t.Helper()
	lower := memory.New(memory.Options{})
	fill(t, lower.FS())
	s, err := overlay.New(overlay.Options{Lower: lower})
	require.NoError(t, err)
	return s, lower
}

func told(t testing.TB, s *overlay.Storage) string {
	t.Helper()
	var rows []string
	for _, c := range changes(t, s) {
		rows = append(rows, c.String())
	}
	return strings.Join(rows, "\n")
}

func TestChanges(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(t *testing.T, f vfs.FS)
		want string
	}{
		{"nothing", func(*testing.T, vfs.FS) {}, ""},
		{"reading is no change", func(_ *testing.T, f vfs.FS) { read(f, "/a/f") }, ""},
		{"a file written as it was is unchanged", func(t *testing.T, f vfs.FS) { write(t, f, "/a/f", "content of /a/f") }, ""},
		{"added, modified, removed in path order", func(t *testing.T, f vfs.FS) {
			write(t, f, "/z", "new")
			write(t, f, "/a/f", "changed")
			require.NoError(t, f.Unlink(ctx, "/c/f"))
		}, "M /a/f\nD /c/f\nA /z"},
		{"what came and went is no change", func(t *testing.T, f vfs.FS) {
			write(t, f, "/z", "new")
			require.NoError(t, f.Unlink(ctx, "/z"))
		}, ""},
		{"a mode", func(t *testing.T, f vfs.FS) { require.NoError(t, f.Chmod(ctx, "/h", 0o755)) }, "m /h (0644 -> 0755)"},
		{"a renamed file", func(t *testing.T, f vfs.FS) { require.NoError(t, f.Rename(ctx, "/h", "/a/i", false)) }, "R /h -> /a/i"},
		{"a renamed directory is one change", func(t *testing.T, f vfs.FS) { require.NoError(t, f.Rename(ctx, "/a", "/z", false)) }, "R /a -> /z"},
		{"what changed in a renamed directory is told beside it", func(t *testing.T, f vfs.FS) {
			require.NoError(t, f.Rename(ctx, "/a", "/z", false))
			write(t, f, "/z/f", "changed")
			write(t, f, "/z/new", "")
		}, "R /a -> /z\nRM /a/f -> /z/f\nA /z/new"},
		{"a file renamed over another modifies it", func(t *testing.T, f vfs.FS) { require.NoError(t, f.Rename(ctx, "/h", "/a/f", false)) }, "M /a/f\nD /h"},
		{"a replacement by a temporary file is a modification", func(t *testing.T, f vfs.FS) {
			write(t, f, "/tmp", "edited")
			require.NoError(t, f.Rename(ctx, "/tmp", "/h", false))
		}, "M /h"},
		{"a directory made again shows nothing of the old", func(t *testing.T, f vfs.FS) {
			require.NoError(t, f.Unlink(ctx, "/c/f"))
			require.NoError(t, f.Unlink(ctx, "/c/l"))
			require.NoError(t, f.Rmdir(ctx, "/c/e"))
			require.NoError(t, f.Rmdir(ctx, "/c"))
			require.NoError(t, f.Mkdir(ctx, "/c", 0o755))
			entries, err := f.ReadDir(ctx, "/c")
			require.NoError(t, err)
			require.Empty(t, entries)
		}, "D /c/e\nD /c/f\nD /c/l"},
		{"another kind is removed and added", func(t *testing.T, f vfs.FS) {
			require.NoError(t, f.Unlink(ctx, "/h"))
			require.NoError(t, f.Mkdir(ctx, "/h", 0o755))
		}, "D /h\nA /h"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := filled(t)
			c.do(t, s.FS())
			require.Equal(t, c.want, told(t, s))
		})
	}
}

func TestCommit(t *testing.T) {
	t.Run("a conflict names the paths and commits nothing", func(t *testing.T) {
		s, lower := filled(t)
		write(t, s.FS(), "/a/f", "mine")
		write(t, s.FS(), "/new", "mine")
		write(t, s.FS(), "/h", "mine")
		write(t, lower.FS(), "/a/f", "theirs")
		write(t, lower.FS(), "/new", "theirs")
		_, err := s.Commit(ctx)
		var conflict *overlay.Conflict
		require.ErrorAs(t, err, &conflict)
		require.Equal(t, []string{"/a/f", "/new"}, conflict.Paths)
		require.Equal(t, "content of /h", read(lower.FS(), "/h"))
		require.Equal(t, "mine", read(s.FS(), "/h"))
	})
	t.Run("a file made below inside a removed directory is a conflict", func(t *testing.T) {
		s, lower := filled(t)
		require.NoError(t, s.RemoveAll("/c"))
		write(t, lower.FS(), "/c/theirs", "x")
		_, err := s.Commit(ctx)
		require.ErrorIs(t, err, vfs.EBUSY)
		require.Equal(t, "x", read(lower.FS(), "/c/theirs"))
	})
	t.Run("changes below to files not touched are no conflict and show", func(t *testing.T) {
		s, lower := filled(t)
		write(t, s.FS(), "/a/f", "mine")
		write(t, lower.FS(), "/h", "theirs")
		require.Equal(t, "theirs", read(s.FS(), "/h"))
		_, err := s.Commit(ctx)
		require.NoError(t, err)
		require.Equal(t, "mine theirs", read(lower.FS(), "/a/f")+" "+read(lower.FS(), "/h"))
	})
	t.Run("two files change places", func(t *testing.T) {
		s, lower := filled(t)
		f := s.FS()
		require.NoError(t, f.Rename(ctx, "/h", "/x", false))
		require.NoError(t, f.Rename(ctx, "/a/f", "/h", false))
		require.NoError(t, f.Rename(ctx, "/x", "/a/f", false))
		_, err := s.Commit(ctx)
		require.NoError(t, err)
		require.Equal(t, "content of /h", read(lower.FS(), "/a/f"))
		require.Equal(t, "content of /a/f", read(lower.FS(), "/h"))
	})
	t.Run("what failed half way is done by the next", func(t *testing.T) {
		lower := memory.New(memory.Options{})
		fill(t, lower.FS())
		faulty := &failing{FS: lower.FS()}
		s, err := overlay.New(overlay.Options{Lower: vfs.NewFace(faulty)})
		require.NoError(t, err)
		write(t, s.FS(), "/a/f", "one")
		write(t, s.FS(), "/h", "two")
		require.NoError(t, s.FS().Unlink(ctx, "/c/f"))
		want := dump(s.FS())
		for n := 1; ; n++ {
			require.Less(t, n, 100)
			faulty.after, faulty.count = n, 0
			_, err := s.Commit(ctx)
			if err == nil {
				require.Greater(t, n, 5)
				break
			}
			require.ErrorIs(t, err, vfs.EIO)
			faulty.after = 0
			require.Equal(t, want, dump(s.FS()), "after call %d failed", n)
			for _, name := range []string{"/", "/a", "/c"} {
				entries, err := lower.FS().ReadDir(ctx, name)
				require.NoError(t, err)
				for _, e := range entries {
					if strings.Contains(e.Name, ".tmp") {
						require.Fail(t, "a temporary is left", "%s after call %d", e.Name, n)
					}
				}
			}
		}
		faulty.after = 0
		require.Equal(t, want, dump(lower.FS()))
	})
	t.Run("discarded changes are gone, and what they cost", func(t *testing.T) {
		b := budget.New(0)
		lower := memory.New(memory.Options{})
		fill(t, lower.FS())
		s, err := overlay.New(overlay.Options{Lower: lower, Budget: b})
		require.NoError(t, err)
		before, used := dump(s.FS()), b.Used()
		write(t, s.FS(), "/a/f", strings.Repeat("x", 10000))
		require.NoError(t, s.RemoveAll("/c"))
		require.NotEqual(t, used, b.Used())
		require.NoError(t, s.Discard(ctx))
		require.Equal(t, before, dump(s.FS()))
		require.Equal(t, used, b.Used())
	})
}

// failing is a lower whose changes fail once from the n-th on.
type failing struct {
	vfs.FS
	after, count int
}

func (f *failing) fail() error {
	if f.count++; f.count == f.after {
		return vfs.EIO
	}
	return nil
}

func (f *failing) Rename(ctx2 ctxType, from, to string, noReplace bool) error {
	if err := f.fail(); err != nil {
		return err
	}
	return f.FS.Rename(ctx2, from, to, noReplace)
}

func (f *failing) Unlink(ctx2 ctxType, p string) error {
	if strings.Contains(p, ".tmp") {
		return f.FS.Unlink(ctx2, p)
	}
	if err := f.fail(); err != nil {
		return err
	}
	return f.FS.Unlink(ctx2, p)
}

func (f *failing) Chmod(ctx2 ctxType, p string, mode fs.FileMode) error {
	if err := f.fail(); err != nil {
		return err
	}
	return f.FS.Chmod(ctx2, p, mode)
}

func (f *failing) Open(ctx2 ctxType, p string, flag int, mode fs.FileMode) (vfs.File, error) {
	if flag != vfs.O_RDONLY {
		if err := f.fail(); err != nil {
			return nil, err
		}
	}
	return f.FS.Open(ctx2, p, flag, mode)
}

func TestOpenFiles(t *testing.T) {
	s, _ := filled(t)
	f := s.FS()
	t.Run("a reader sees what is written after it opened", func(t *testing.T) {
		r, err := f.Open(ctx, "/a/f", vfs.O_RDONLY, 0)
		require.NoError(t, err)
		head := make([]byte, 8)
		_, err = io.ReadFull(r, head)
		require.NoError(t, err)
		before, err := r.Stat()
		require.NoError(t, err)
		w, err := f.Open(ctx, "/a/f", vfs.O_WRONLY|vfs.O_APPEND, 0)
		require.NoError(t, err)
		_, err = w.Write([]byte(" and more"))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		rest, err := io.ReadAll(r)
		require.NoError(t, err)
		require.Equal(t, "content of /a/f and more", string(head)+string(rest))
		after, err := r.Stat()
		require.NoError(t, err)
		require.True(t, vfs.SameFile(before, after))
		named, err := f.Lstat(ctx, "/a/f")
		require.NoError(t, err)
		require.True(t, vfs.SameFile(named, after))
		require.NoError(t, r.Close())
	})
	t.Run("a reader outlives the name", func(t *testing.T) {
		r, err := f.Open(ctx, "/h", vfs.O_RDONLY, 0)
		require.NoError(t, err)
		require.NoError(t, f.Unlink(ctx, "/h"))
		write(t, f, "/h", "another")
		rest, err := io.ReadAll(r)
		require.NoError(t, err)
		require.Equal(t, "content of /h", string(rest))
		require.NoError(t, r.Close())
	})
}

func TestSnapshots(t *testing.T) {
	s, lower := filled(t)
	f := s.FS()
	write(t, f, "/a/f", "one")
	require.NoError(t, f.Rename(ctx, "/c", "/d", false))
	first, err := s.Snapshot(ctx)
	require.NoError(t, err)
	want, list := dump(f), told(t, s)
	write(t, f, "/a/f", "two")
	write(t, f, "/d/f", "two")
	require.NoError(t, s.RemoveAll("/a"))
	write(t, f, "/h", "two")
	require.NoError(t, s.Restore(ctx, first))
	require.Equal(t, want, dump(f))
	require.Equal(t, list, told(t, s))
	require.NoError(t, s.Discard(ctx))
	require.Equal(t, "", told(t, s))
	require.NoError(t, s.Restore(ctx, first))
	require.Equal(t, list, told(t, s))
	require.NoError(t, first.Close())
	require.Error(t, s.Restore(ctx, first))
	_, err = s.Commit(ctx)
	require.NoError(t, err)
	require.Equal(t, "one", read(lower.FS(), "/a/f"))
}

func TestFork(t *testing.T) {
	s, lower := filled(t)
	write(t, s.FS(), "/a/f", "shared")
	shot, err := s.Snapshot(ctx)
	require.NoError(t, err)
	fork, err := shot.Fork(ctx, overlay.Options{})
	require.NoError(t, err)
	require.NoError(t, shot.Close())
	require.Equal(t, "shared", read(fork.FS(), "/a/f"))
	write(t, s.FS(), "/a/f", "one")
	write(t, fork.FS(), "/a/f", "two")
	require.NoError(t, fork.RemoveAll("/c"))
	require.Equal(t, "one two", read(s.FS(), "/a/f")+" "+read(fork.FS(), "/a/f"))
	require.Equal(t, "content of /c/f", read(s.FS(), "/c/f"))
	require.Equal(t, "M /a/f", told(t, s))
	require.Equal(t, "M /a/f\nD /c\nD /c/e\nD /c/f\nD /c/l", told(t, fork))
	_, err = fork.Commit(ctx)
	require.NoError(t, err)
	require.Equal(t, "two", read(lower.FS(), "/a/f"))
}

// TestDiffAppliesInGit changes a directory at random and lets git make the same
// of the original.
func TestDiffAppliesInGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git")
	}
	for seed := range uint64(25) {
		dir := t.TempDir()
		lower, err := host.New(host.Options{Directory: dir})
		require.NoError(t, err)
		fill(t, lower.FS())
		var many strings.Builder
		for i := range 100 {
			fmt.Fprintln(&many, "line", i)
		}
		write(t, lower.FS(), "/many", many.String())
		write(t, lower.FS(), "/bin", "\x00\x01binary"+strings.Repeat("\x00", 300))
		s, err := overlay.New(overlay.Options{Lower: lower})
		require.NoError(t, err)
		r := rand.New(rand.NewPCG(seed, 2))
		for range 30 {
			step(s.FS(), r)
		}
		text := strings.Replace(many.String(), "line 7\n", "", 1)
		text = strings.Replace(text, "line 50\n", "line fifty\nand more\n", 1)
		write(t, s.FS(), "/many", strings.TrimSuffix(text, "\n"))
		write(t, s.FS(), "/bin", "\x00other"+strings.Repeat("abc", 100))
		write(t, s.FS(), "/odd name\t\"ü", "x\n")
		var patch bytes.Buffer
		require.NoError(t, s.Diff(ctx, &patch))
		want := gitView(s.FS())
		c := exec.Command(git, "apply", "-")
		c.Dir, c.Stdin = dir, bytes.NewReader(patch.Bytes())
		out, err := c.CombinedOutput()
		require.NoError(t, err, "seed %d: %s\n%s", seed, out, patch.String())
		require.Equal(t, want, gitView(lower.FS()), "seed %d\n%s", seed, patch.String())
		lower.Close()
	}
}

// gitView is what git tracks of a tree.
func gitView(f vfs.FS) string {
	var b strings.Builder
	var visit func(p string)
	visit = func(p string) {
		entries, _ := f.ReadDir(ctx, p)
		for _, e := range entries {
			below := filepath.Join(p, e.Name)
			info, _ := f.Lstat(ctx, below)
			switch {
			case info.IsDir():
				visit(below)
			case info.FileMode&fs.ModeSymlink != 0:
				target, _ := f.Readlink(ctx, below)
				fmt.Fprintf(&b, "%s -> %s\n", below, target)
			default:
				fmt.Fprintf(&b, "%s %v %q\n", below, info.FileMode&0o100 != 0, read(f, below))
			}
		}
	}
	visit("/")
	rows := strings.Split(b.String(), "\n")
	sortStrings(rows)
	return strings.Join(rows, "\n")
}

// TestKilledCommit runs a commit in a process of its own and kills it: every
// file is old or new, none is lost.
func TestKilledCommit(t *testing.T) {
	if dir := os.Getenv("OVERLAY_COMMIT_IN"); dir != "" {
		lower, err := host.New(host.Options{Directory: dir})
		require.NoError(t, err)
		s, err := overlay.New(overlay.Options{Lower: lower})
		require.NoError(t, err)
		for i := range 300 {
			write(t, s.FS(), fmt.Sprintf("/f%d", i), strings.Repeat("new", 1000))
		}
		fmt.Println("committing")
		s.Commit(ctx)
		return
	}
	for _, wait := range []time.Duration{0, time.Millisecond, 3 * time.Millisecond, 10 * time.Millisecond} {
		dir := t.TempDir()
		for i := range 300 {
			require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprint("f", i)), []byte("old"), 0o644))
		}
		c := exec.Command(os.Args[0], "-test.run=^TestKilledCommit$")
		c.Env = append(os.Environ(), "OVERLAY_COMMIT_IN="+dir)
		out, err := c.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, c.Start())
		_, err = io.ReadFull(out, make([]byte, len("committing\n")))
		require.NoError(t, err)
		time.Sleep(wait)
		c.Process.Kill()
		c.Wait()
		for i := range 300 {
			b, err := os.ReadFile(filepath.Join(dir, fmt.Sprint("f", i)))
			require.NoError(t, err)
			if string(b) != "old" && string(b) != strings.Repeat("new", 1000) {
				t.Fatalf("f%d is half written: %d bytes", i, len(b))
			}
		}
	}
}
