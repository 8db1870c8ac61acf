package overlay_test

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/memory"
	"github.com/vsh-project/vsh/vfs/overlay"
)

// watched calls before each change of the lower.
type watched struct {
	vfs.FS
	before func(call, p string) error
}

func (w *watched) Open(ctx2 ctxType, p string, flag int, mode fs.FileMode) (vfs.File, error) {
	call := "read"
	if flag != vfs.O_RDONLY {
		call = "create"
	}
	if err := w.before(call, p); err != nil {
		return nil, err
	}
	f, err := w.FS.Open(ctx2, p, flag, mode)
	if err != nil {
		return nil, err
	}
	return &watchedFile{f, w, p}, nil
}

type watchedFile struct {
	vfs.File
	w *watched
	p string
}

func (f *watchedFile) Sync() error { return f.w.before("sync", f.p) }

func (w *watched) Mkdir(ctx2 ctxType, p string, mode fs.FileMode) error {
	if err := w.before("mkdir", p); err != nil {
		return err
	}
	return w.FS.Mkdir(ctx2, p, mode)
}

func (w *watched) Rename(ctx2 ctxType, from, to string, noReplace bool) error {
	for _, p := range []string{from, to} {
		if err := w.before("rename", p); err != nil {
			return err
		}
	}
	return w.FS.Rename(ctx2, from, to, noReplace)
}

func (w *watched) Unlink(ctx2 ctxType, p string) error {
	if err := w.before("unlink", p); err != nil {
		return err
	}
	return w.FS.Unlink(ctx2, p)
}

func (w *watched) Rmdir(ctx2 ctxType, p string) error {
	if err := w.before("rmdir", p); err != nil {
		return err
	}
	return w.FS.Rmdir(ctx2, p)
}

func overWatched(t *testing.T, sync bool) (s *overlay.Storage, lower vfs.FS, w *watched) {
	lower = memory.New(memory.Options{}).FS()
	fill(t, lower)
	w = &watched{FS: lower, before: func(string, string) error { return nil }}
	s, err := overlay.New(overlay.Options{Lower: vfs.NewFace(w), Sync: sync})
	require.NoError(t, err)
	return s, lower, w
}

func TestCommitSeesChangesMadeWhileItWrites(t *testing.T) {
	for _, c := range []struct {
		name    string
		do      func(t *testing.T, f vfs.FS)
		theirs  func(t *testing.T, lower vfs.FS)
		path    string
		unlucky string // what must not be lost
	}{
		{"a file that is replaced", func(t *testing.T, f vfs.FS) { write(t, f, "/h", "mine") },
			func(t *testing.T, lower vfs.FS) { write(t, lower, "/h", "theirs") }, "/h", "/h"},
		{"a file that is removed", func(t *testing.T, f vfs.FS) { require.NoError(t, f.Unlink(ctx, "/h")); write(t, f, "/n", "n") },
			func(t *testing.T, lower vfs.FS) { write(t, lower, "/h", "theirs") }, "/h", "/h"},
		{"a file that moves", func(t *testing.T, f vfs.FS) { require.NoError(t, f.Rename(ctx, "/h", "/n", false)) },
			func(t *testing.T, lower vfs.FS) { write(t, lower, "/h", "theirs") }, "/h", "/h"},
		{"a file made where one is made here", func(t *testing.T, f vfs.FS) { write(t, f, "/n", "mine") },
			func(t *testing.T, lower vfs.FS) { write(t, lower, "/n", "theirs") }, "/n", "/n"},
		{"a file made in a directory that is removed", func(t *testing.T, f vfs.FS) {
			write(t, f, "/n", "n")
			for _, name := range []string{"/c/f", "/c/l"} {
				require.NoError(t, f.Unlink(ctx, name))
			}
			require.NoError(t, f.Rmdir(ctx, "/c/e"))
			require.NoError(t, f.Rmdir(ctx, "/c"))
		}, func(t *testing.T, lower vfs.FS) { write(t, lower, "/c/theirs", "theirs") }, "/c/theirs", "/c/theirs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, lower, w := overWatched(t, false)
			c.do(t, s.FS())
			once := false
			w.before = func(call, p string) error {
				if call == "create" && strings.HasSuffix(p, ".tmp") && !once {
					once = true
					time.Sleep(2 * time.Millisecond) // another modification time
					c.theirs(t, lower)
				}
				return nil
			}
			want := contents(s.FS())
			_, err := s.Commit(ctx)
			var conflict *overlay.Conflict
			require.ErrorAs(t, err, &conflict)
			require.Equal(t, []string{c.path}, conflict.Paths)
			require.Equal(t, "theirs", read(lower, c.unlucky))
			require.Empty(t, leftovers(lower))
			for text := range want {
				if text != "content of /h" {
					require.True(t, contents(s.FS())[text], text)
				}
			}
		})
	}
}

// TestCommitIntoClosedDirectories has a lower that binds its bits, as a host's
// kernel does for all but root.
func TestCommitIntoClosedDirectories(t *testing.T) {
	for _, c := range []struct {
		name    string
		was, is fs.FileMode
		do      func(t *testing.T, f vfs.FS)
	}{
		{"one that the script opened", 0o555, 0o755, func(t *testing.T, f vfs.FS) { write(t, f, "/c/n", "n") }},
		{"one that the script opened and closed", 0o555, 0o555, func(t *testing.T, f vfs.FS) {
			write(t, f, "/c/n", "n")
			require.NoError(t, f.Unlink(ctx, "/c/f"))
		}},
		{"one that the script closed", 0o755, 0o555, func(t *testing.T, f vfs.FS) {
			write(t, f, "/c/n", "n")
			require.NoError(t, f.Unlink(ctx, "/c/f"))
		}},
		{"a new one that is closed", 0o755, 0o755, func(t *testing.T, f vfs.FS) {
			require.NoError(t, f.Mkdir(ctx, "/c/new", 0o755))
			write(t, f, "/c/new/n", "n")
			require.NoError(t, f.Chmod(ctx, "/c/new", 0o500))
		}},
		{"one that was opened and is gone", 0o555, 0, func(t *testing.T, f vfs.FS) {
			for _, name := range []string{"/c/f", "/c/l"} {
				require.NoError(t, f.Unlink(ctx, name))
			}
			require.NoError(t, f.Rmdir(ctx, "/c/e"))
			require.NoError(t, f.Rmdir(ctx, "/c"))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, lower, w := overWatched(t, false)
			require.NoError(t, lower.Chmod(ctx, "/c", c.was))
			w.before = func(call, p string) error {
				if info, err := lower.Lstat(ctx, path.Dir(p)); call != "read" && call != "sync" && err == nil && info.FileMode&0o300 != 0o300 {
					return vfs.EACCES
				}
				return nil
			}
			require.NoError(t, s.FS().Chmod(ctx, "/c", 0o755))
			c.do(t, s.FS())
			if c.is != 0 {
				require.NoError(t, s.FS().Chmod(ctx, "/c", c.is))
			}
			want := dump(s.FS())
			_, err := s.Commit(ctx)
			require.NoError(t, err)
			require.Equal(t, stripped(want), stripped(dump(lower)))
		})
	}
	t.Run("an opened one is closed again when the commit fails", func(t *testing.T) {
		s, lower, w := overWatched(t, false)
		require.NoError(t, lower.Chmod(ctx, "/c", 0o555))
		require.NoError(t, s.FS().Chmod(ctx, "/c", 0o755))
		write(t, s.FS(), "/c/n", "n")
		w.before = func(call, _ string) error {
			if call == "create" {
				return vfs.ENOSPC
			}
			return nil
		}
		_, err := s.Commit(ctx)
		require.ErrorIs(t, err, vfs.ENOSPC)
		info, err := lower.Lstat(ctx, "/c")
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o555), info.FileMode.Perm())
	})
}

// TestCommitReachesTheDisk pins what waits for what with Options.Sync.
func TestCommitReachesTheDisk(t *testing.T) {
	for _, sync := range []bool{false, true} {
		s, _, w := overWatched(t, sync)
		write(t, s.FS(), "/a/f", "new")
		require.NoError(t, s.FS().Rename(ctx, "/h", "/c/h", false))
		var log []string
		w.before = func(call, p string) error {
			if strings.HasSuffix(p, ".tmp") {
				p = path.Dir(p) + "/TEMPORARY"
			}
			if call != "read" {
				log = append(log, call+" "+p)
			}
			return nil
		}
		_, err := s.Commit(ctx)
		require.NoError(t, err)
		want := []string{
			"create /a/TEMPORARY", "sync /a/TEMPORARY", "create /c/TEMPORARY", "sync /c/TEMPORARY",
			"rename /a/TEMPORARY", "rename /a/f", "rename /c/TEMPORARY", "rename /c/h",
			"sync /a", "sync /", "sync /c", "unlink /h", "sync /a", "sync /", "sync /c",
		}
		if !sync {
			want = []string{"create /a/TEMPORARY", "create /c/TEMPORARY", "rename /a/TEMPORARY", "rename /a/f", "rename /c/TEMPORARY", "rename /c/h", "unlink /h"}
		}
		require.Equal(t, want, log)
	}
}

func TestCommitKeepsMetadata(t *testing.T) {
	s, lower := filled(t)
	f := s.FS()
	past := time.Unix(1e9, 123456789)
	require.NoError(t, lower.FS().Chown(ctx, "/h", 12, 34))
	write(t, f, "/h", "edited")
	write(t, f, "/n", "new")
	require.NoError(t, f.Chtimes(ctx, "/n", past, past))
	require.NoError(t, f.Mkdir(ctx, "/d", 0o755))
	write(t, f, "/d/f", "x")
	require.NoError(t, f.Chtimes(ctx, "/d", past, past))
	require.NoError(t, f.Chtimes(ctx, "/c/e", past, past))
	require.NoError(t, f.Symlink(ctx, "x", "/s"))
	require.NoError(t, f.Chtimes(ctx, "/s", past, past))
	require.NoError(t, f.Chtimes(ctx, "/a/f", past, past))
	_, err := s.Commit(ctx)
	require.NoError(t, err)
	for _, p := range []string{"/n", "/d", "/c/e", "/s", "/a/f"} {
		info, err := lower.FS().Lstat(ctx, p)
		require.NoError(t, err)
		require.True(t, past.Equal(info.Modified), "%s: %v", p, info.Modified)
	}
	info, err := lower.FS().Lstat(ctx, "/h")
	require.NoError(t, err)
	require.Equal(t, "12 34", fmt.Sprint(info.UID, info.GID))
	require.Equal(t, "edited", read(lower.FS(), "/h"))
	t.Run("a file replaced does not change its directory's time", func(t *testing.T) {
		s, lower := filled(t)
		require.NoError(t, lower.FS().Chtimes(ctx, "/a", past, past))
		write(t, s.FS(), "/a/f", "edited")
		require.NoError(t, s.FS().Chtimes(ctx, "/l", past, past))
		_, err := s.Commit(ctx)
		require.NoError(t, err)
		for _, p := range []string{"/a", "/l"} {
			info, err := lower.FS().Lstat(ctx, p)
			require.NoError(t, err)
			require.True(t, past.Equal(info.Modified), "%s: %v", p, info.Modified)
		}
	})
	t.Run("a directory in which others have changed names keeps its time", func(t *testing.T) {
		s, lower := filled(t)
		require.NoError(t, s.FS().Chtimes(ctx, "/c/e", past, past))
		time.Sleep(2 * time.Millisecond)
		write(t, lower.FS(), "/c/e/theirs", "x")
		before, err := lower.FS().Lstat(ctx, "/c/e")
		require.NoError(t, err)
		_, err = s.Commit(ctx)
		require.NoError(t, err)
		after, err := lower.FS().Lstat(ctx, "/c/e")
		require.NoError(t, err)
		require.Equal(t, before.Modified, after.Modified)
	})
}

func TestCommitKeepsLinks(t *testing.T) {
	s, lower := filled(t)
	f := s.FS()
	require.NoError(t, f.Link(ctx, "/h", "/a/h"))
	write(t, f, "/n", "new")
	require.NoError(t, f.Link(ctx, "/n", "/c/n"))
	require.NoError(t, f.Link(ctx, "/n", "/c/m"))
	want := dump(f)
	_, err := s.Commit(ctx)
	require.NoError(t, err)
	require.Equal(t, withoutInodes(want), withoutInodes(dump(lower.FS())))
	same := func(p, q string) {
		a, err := lower.FS().Lstat(ctx, p)
		require.NoError(t, err)
		b, err := lower.FS().Lstat(ctx, q)
		require.NoError(t, err)
		require.True(t, vfs.SameFile(a, b), "%s %s", p, q)
	}
	same("/h", "/a/h")
	same("/n", "/c/n")
	same("/n", "/c/m")
}
