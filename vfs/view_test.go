package vfs_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/host"
	"github.com/vsh-project/vsh/vfs/memory"
)

var ctx = context.Background()

func closing(f vfs.File, err error) error {
	if err == nil {
		f.Close()
	}
	return err
}

func view(t *testing.T, mounts ...vfs.Mount) *vfs.View {
	t.Helper()
	v, err := vfs.NewView(vfs.ViewOptions{Mounts: mounts, Umask: 0o022})
	require.NoError(t, err)
	return v
}

func empty() vfs.FS { return memory.New(memory.Options{}).FS() }

func put(t *testing.T, v *vfs.View, path, text string) {
	t.Helper()
	f, err := v.Open(ctx, path, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
	require.NoError(t, err)
	_, err = io.WriteString(f, text)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

func text(t *testing.T, v *vfs.View, path string) string {
	t.Helper()
	f, err := v.Open(ctx, path, vfs.O_RDONLY, 0)
	require.NoError(t, err)
	defer f.Close()
	b, err := io.ReadAll(f)
	require.NoError(t, err)
	return string(b)
}

func names(t *testing.T, v *vfs.View, path string) string {
	t.Helper()
	entries, err := v.ReadDir(ctx, path)
	require.NoError(t, err)
	var list []string
	for _, e := range entries {
		list = append(list, e.Name)
	}
	return strings.Join(list, " ")
}

func TestMounts(t *testing.T) {
	t.Run("the deepest mount serves a path", func(t *testing.T) {
		v := view(t, vfs.Mount{Path: "/", FS: empty()}, vfs.Mount{Path: "/a", FS: empty()}, vfs.Mount{Path: "/a/b", FS: empty()})
		put(t, v, "/f", "root")
		put(t, v, "/a/f", "a")
		put(t, v, "/a/b/f", "b")
		require.Equal(t, "root a b", text(t, v, "/f")+" "+text(t, v, "/a/f")+" "+text(t, v, "/a/b/f"))
		require.Equal(t, "a f", names(t, v, "/"))
		require.Equal(t, "b f", names(t, v, "/a"))
	})
	t.Run("an unlisted mount works by name and is not listed", func(t *testing.T) {
		v := view(t, vfs.Mount{Path: "/", FS: empty()}, vfs.Mount{Path: "/tmp", FS: empty(), Unlisted: true})
		put(t, v, "/tmp/f", "x")
		require.Equal(t, "", names(t, v, "/"))
		require.Equal(t, "f", names(t, v, "/tmp"))
	})
	t.Run("ancestors of a mount are read-only directories that list it", func(t *testing.T) {
		v := view(t, vfs.Mount{Path: "/work/repo", FS: empty()})
		require.Equal(t, "work", names(t, v, "/"))
		require.Equal(t, "repo", names(t, v, "/work/"))
		info, err := v.Stat(ctx, "/work")
		require.NoError(t, err)
		require.True(t, info.IsDir())
		require.ErrorIs(t, v.Mkdir(ctx, "/work/other", 0o755), vfs.EROFS)
		require.ErrorIs(t, v.Mkdir(ctx, "/work", 0o755), vfs.EEXIST)
		_, err = v.Open(ctx, "/f", vfs.O_WRONLY|vfs.O_CREATE, 0o644)
		require.ErrorIs(t, err, vfs.EROFS)
		_, err = v.Stat(ctx, "/etc/passwd")
		require.ErrorIs(t, err, vfs.ENOENT)
		require.ErrorIs(t, v.Mkdir(ctx, "/x/y", 0o755), vfs.ENOENT)
		f, err := v.Open(ctx, "/work", vfs.O_RDONLY, 0)
		require.NoError(t, err)
		_, err = f.Read(make([]byte, 1))
		require.ErrorIs(t, err, vfs.EISDIR)
	})
	t.Run("a read-only mount refuses changes after the kernel's other answers", func(t *testing.T) {
		s := memory.New(memory.Options{})
		require.NoError(t, afero.WriteFile(s, "/f", []byte("x"), 0o666))
		v := view(t, vfs.Mount{Path: "/", FS: s.FS(), ReadOnly: true})
		_, err := v.Open(ctx, "/f", vfs.O_WRONLY, 0)
		require.ErrorIs(t, err, vfs.EROFS)
		_, err = v.Open(ctx, "/n", vfs.O_WRONLY, 0)
		require.ErrorIs(t, err, vfs.ENOENT)
		_, err = v.Open(ctx, "/n", vfs.O_WRONLY|vfs.O_CREATE, 0)
		require.ErrorIs(t, err, vfs.EROFS)
		_, err = v.Open(ctx, "/n/n", vfs.O_WRONLY|vfs.O_CREATE, 0)
		require.ErrorIs(t, err, vfs.ENOENT)
		f, err := v.Open(ctx, "/f", vfs.O_RDONLY|vfs.O_CREATE, 0)
		require.NoError(t, err)
		f.Close()
		require.ErrorIs(t, v.Mkdir(ctx, "/f", 0o755), vfs.EEXIST)
		require.ErrorIs(t, v.Mkdir(ctx, "/d", 0o755), vfs.EROFS)
		require.ErrorIs(t, v.Unlink(ctx, "/f"), vfs.EROFS)
		require.ErrorIs(t, v.Unlink(ctx, "/n"), vfs.ENOENT)
		require.ErrorIs(t, v.Chmod(ctx, "/f", 0), vfs.EROFS)
		require.ErrorIs(t, v.Truncate(ctx, "/f", 0), vfs.EROFS)
		require.ErrorIs(t, v.Rename(ctx, "/f", "/g", false), vfs.EROFS)
		require.ErrorIs(t, v.Access(ctx, "/f", vfs.AccessWrite), vfs.EROFS)
		require.Equal(t, "x", text(t, v, "/f"))
	})
	t.Run("names do not cross mounts: EXDEV", func(t *testing.T) {
		v := view(t, vfs.Mount{Path: "/", FS: empty()}, vfs.Mount{Path: "/tmp", FS: empty()})
		put(t, v, "/f", "x")
		require.ErrorIs(t, v.Rename(ctx, "/f", "/tmp/f", false), vfs.EXDEV)
		require.ErrorIs(t, v.Link(ctx, "/f", "/tmp/f", false), vfs.EXDEV)
	})
	t.Run("a mount point is busy", func(t *testing.T) {
		v := view(t, vfs.Mount{Path: "/", FS: empty()}, vfs.Mount{Path: "/a/tmp", FS: empty()})
		require.NoError(t, v.MkdirAll(ctx, "/b", 0o755))
		require.ErrorIs(t, v.Rmdir(ctx, "/a/tmp"), vfs.EBUSY)
		require.ErrorIs(t, v.Rename(ctx, "/a/tmp", "/c", false), vfs.EXDEV)
		require.ErrorIs(t, v.Rename(ctx, "/a", "/c", false), vfs.EBUSY)
		require.Error(t, v.Rmdir(ctx, "/a"))
		require.ErrorIs(t, v.Rmdir(ctx, "/"), vfs.EBUSY)
	})
	t.Run("links lead from one mount into another", func(t *testing.T) {
		v := view(t, vfs.Mount{Path: "/w", FS: empty()}, vfs.Mount{Path: "/tmp", FS: empty()})
		put(t, v, "/tmp/f", "x")
		require.NoError(t, v.Symlink(ctx, "/tmp", "/w/abs"))
		require.NoError(t, v.Symlink(ctx, "../tmp/new", "/w/rel"))
		require.Equal(t, "x", text(t, v, "/w/abs/f"))
		put(t, v, "/w/rel", "made")
		require.Equal(t, "made", text(t, v, "/tmp/new"))
		require.NoError(t, v.Rename(ctx, "/w/abs/f", "/tmp/g", false))
		require.Equal(t, "x", text(t, v, "/w/abs/g"))
	})
	t.Run("a fallback answers what the mount below it lacks", func(t *testing.T) {
		programs := memory.New(memory.Options{})
		require.NoError(t, afero.WriteFile(programs, "/ls", []byte("ls"), 0o755))
		v := view(t, vfs.Mount{Path: "/", FS: empty()}, vfs.Mount{Path: "/usr/bin", FS: programs.FS(), Fallback: true})
		require.NoError(t, v.Access(ctx, "/usr/bin/ls", vfs.AccessExecute))
		require.Equal(t, "ls", text(t, v, "/usr/bin/ls"))
		require.Equal(t, "", names(t, v, "/"))
		_, err := v.Stat(ctx, "/usr/bin/none")
		require.ErrorIs(t, err, vfs.ENOENT)
		require.ErrorIs(t, v.Unlink(ctx, "/usr/bin/ls"), vfs.EROFS)
		_, err = v.Open(ctx, "/usr/bin/ls", vfs.O_WRONLY|vfs.O_TRUNC, 0)
		require.ErrorIs(t, err, vfs.EROFS)
		_, err = v.Open(ctx, "/usr/bin/ls", vfs.O_WRONLY|vfs.O_APPEND|vfs.O_CREATE, 0)
		require.ErrorIs(t, err, vfs.EROFS)
		require.NoError(t, v.Symlink(ctx, "/usr/bin/ls", "/dir"))
		require.Equal(t, "ls", text(t, v, "/dir"))
	})
	t.Run("a fallback yields to what is made", func(t *testing.T) {
		for _, uid := range []int{0, 1000} {
			programs := memory.New(memory.Options{})
			require.NoError(t, afero.WriteFile(programs, "/ls", []byte("ls"), 0o755))
			s := memory.New(memory.Options{})
			v, err := vfs.NewView(vfs.ViewOptions{Umask: 0o022, Identity: vfs.Identity{UID: uid, GID: uid}, Mounts: []vfs.Mount{
				{Path: "/", FS: s.FS()},
				{Path: "/usr/bin", FS: programs.FS(), Fallback: true}, {Path: "/bin", FS: programs.FS(), Fallback: true},
				{Path: "/a/mount", FS: empty()},
			}})
			require.NoError(t, err)
			put(t, v, "/usr/bin/new", "new")
			require.Equal(t, "new", text(t, v, "/usr/bin/new"))
			require.Equal(t, "a usr", names(t, v, "/"))
			require.Equal(t, "new", names(t, v, "/usr/bin"))
			require.Equal(t, "ls", text(t, v, "/usr/bin/ls"))
			require.NoError(t, v.Mkdir(ctx, "/bin", 0o755))
			require.ErrorIs(t, v.Mkdir(ctx, "/bin", 0o755), vfs.EEXIST)
			put(t, v, "/f", "x")
			require.NoError(t, v.Rename(ctx, "/f", "/bin/ls", false))
			require.Equal(t, "x", text(t, v, "/bin/ls"))
			require.NoError(t, v.Unlink(ctx, "/bin/ls"))
			require.Equal(t, "ls", text(t, v, "/bin/ls"))
			put(t, v, "/bin/ls", "own")
			require.Equal(t, "own", text(t, v, "/bin/ls"))
			put(t, v, "/a/f", "beside a mount")
			require.Equal(t, "f mount", names(t, v, "/a"))
			info, err := s.Stat("/usr/bin")
			require.NoError(t, err)
			require.Equal(t, fs.ModeDir|0o755, info.Mode())
		}
	})
	t.Run("a link takes a fallback's name, not a mount's ancestor's", func(t *testing.T) {
		v := view(t, vfs.Mount{Path: "/", FS: empty()}, vfs.Mount{Path: "/bin", FS: empty(), Fallback: true}, vfs.Mount{Path: "/a/mount", FS: empty()})
		put(t, v, "/f", "x")
		require.NoError(t, v.Symlink(ctx, "f", "/bin"))
		require.Equal(t, "x", text(t, v, "/bin"))
		require.ErrorIs(t, v.Symlink(ctx, "f", "/a"), vfs.EEXIST)
		require.NoError(t, v.Mkdir(ctx, "/a", 0o755))
	})
	t.Run("names of the mount win over the fallback's", func(t *testing.T) {
		programs := memory.New(memory.Options{})
		require.NoError(t, afero.WriteFile(programs, "/ls", []byte("ls"), 0o755))
		s := memory.New(memory.Options{})
		require.NoError(t, s.MkdirAll("/usr/bin", 0o755))
		require.NoError(t, afero.WriteFile(s, "/usr/bin/own", []byte("own"), 0o755))
		v := view(t, vfs.Mount{Path: "/", FS: s.FS()}, vfs.Mount{Path: "/usr/bin", FS: programs.FS(), Fallback: true})
		require.Equal(t, "own", names(t, v, "/usr/bin"))
		require.Equal(t, "ls", text(t, v, "/usr/bin/ls"))
		put(t, v, "/usr/bin/ls", "mine")
		require.Equal(t, "mine", text(t, v, "/usr/bin/ls"))
	})
	t.Run("bad mounts are refused", func(t *testing.T) {
		for _, mounts := range [][]vfs.Mount{
			{{Path: "x", FS: empty()}}, {{Path: "/x"}}, {{Path: "/x", FS: empty()}, {Path: "/x/", FS: empty()}},
		} {
			_, err := vfs.NewView(vfs.ViewOptions{Mounts: mounts})
			require.Error(t, err)
		}
	})
}

func TestHideHidden(t *testing.T) {
	s := memory.New(memory.Options{})
	for _, path := range []string{"/.env", "/.git/config", "/_private/f", "/d/.x", "/d/ok"} {
		require.NoError(t, s.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, afero.WriteFile(s, path, []byte("secret"), 0o644))
	}
	require.NoError(t, s.SymlinkIfPossible(".env", "/public"))
	require.NoError(t, s.SymlinkIfPossible("/w/.git", "/git"))
	v := view(t, vfs.Mount{Path: "/w", FS: s.FS(), HideHidden: true}, vfs.Mount{Path: "/tmp", FS: empty()}).WithDirectory("/w")
	require.Equal(t, "d git public", names(t, v, "."))
	require.Equal(t, "ok", names(t, v, "d"))
	for _, path := range []string{".env", ".git", ".git/config", "_private/f", "d/.x", "public", "git/config", "git", ".git/../d/ok", "/w/.env", "./.env", "d/../.env"} {
		_, err := v.Open(ctx, path, vfs.O_RDONLY, 0)
		require.ErrorIs(t, err, vfs.ENOENT, path)
		_, err = v.Open(ctx, path, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o644)
		require.ErrorIs(t, err, vfs.ENOENT, path)
		_, err = v.Stat(ctx, path)
		require.ErrorIs(t, err, vfs.ENOENT, path)
	}
	for _, path := range []string{".env", "d/.x", ".new"} {
		require.ErrorIs(t, v.Unlink(ctx, path), vfs.ENOENT)
		require.ErrorIs(t, v.Mkdir(ctx, path, 0o755), vfs.ENOENT)
		require.ErrorIs(t, v.Rename(ctx, "d/ok", path, false), vfs.ENOENT)
		require.ErrorIs(t, v.Rename(ctx, path, "seen", false), vfs.ENOENT)
		require.ErrorIs(t, v.Link(ctx, path, "seen", false), vfs.ENOENT)
	}
	require.NoError(t, v.Unlink(ctx, "public"))
	put(t, v, "/tmp/.fine", "x")
	require.Equal(t, ".fine", names(t, v, "/tmp"))
	b, err := afero.ReadFile(s, "/.env")
	require.NoError(t, err)
	require.Equal(t, "secret", string(b))
}

// descriptors are the open files of a process in these tests.
type descriptors map[int]vfs.File

func (d descriptors) OpenDescriptor(_ context.Context, fd int, _ int) (vfs.File, error) {
	if f, ok := d[fd]; ok {
		return f, nil
	}
	return nil, vfs.EBADF
}

func (d descriptors) StatDescriptor(fd int) (*vfs.Info, error) {
	if f, ok := d[fd]; ok {
		return f.Stat()
	}
	return nil, vfs.EBADF
}

func (d descriptors) ListDescriptors() (list []int) {
	for fd := range 100 {
		if d[fd] != nil {
			list = append(list, fd)
		}
	}
	return list
}

func TestDevices(t *testing.T) {
	random := bytes.NewReader(bytes.Repeat([]byte("r"), 1000))
	v := view(t, vfs.Mount{Path: "/", FS: empty()}, vfs.Mount{Path: "/dev", FS: vfs.NewDevices(random), Unlisted: true})
	put(t, v, "/f", "content")
	stdin, err := v.Open(ctx, "/f", vfs.O_RDONLY, 0)
	require.NoError(t, err)
	v = v.WithDescriptors(descriptors{0: stdin, 63: stdin})
	read := func(path string, n int) string {
		f, err := v.Open(ctx, path, vfs.O_RDONLY, 0)
		require.NoError(t, err, path)
		b := make([]byte, n)
		n, _ = f.Read(b)
		return string(b[:n])
	}
	write := func(path string) error {
		f, err := v.Open(ctx, path, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
		if err == nil {
			_, err = f.Write([]byte("x"))
		}
		return err
	}
	require.Equal(t, "", read("/dev/null", 5))
	require.Equal(t, "\x00\x00", read("/dev/zero", 2))
	require.Equal(t, "\x00\x00", read("/dev/full", 2))
	require.Equal(t, "rrr", read("/dev/urandom", 3))
	require.Equal(t, "con", read("/dev/stdin", 3))
	require.Equal(t, "te", read("/dev/fd/63", 2))
	require.NoError(t, write("/dev/null"))
	require.ErrorIs(t, write("/dev/full"), vfs.ENOSPC)
	require.ErrorIs(t, write("/dev/tty"), vfs.ENXIO)
	require.ErrorIs(t, write("/dev/fd"), vfs.EISDIR)
	require.ErrorIs(t, write("/dev/fd/5"), vfs.ENOENT)
	require.ErrorIs(t, write("/dev/new"), vfs.EACCES)
	require.ErrorIs(t, v.Unlink(ctx, "/dev/null"), vfs.EACCES)
	require.ErrorIs(t, v.Mkdir(ctx, "/dev", 0o755), vfs.EEXIST)
	require.Equal(t, "0 63", names(t, v, "/dev/fd"))
	require.Equal(t, "fd full null random stdin tty urandom zero", names(t, v, "/dev"))
	info, err := v.Stat(ctx, "/dev/null")
	require.NoError(t, err)
	require.Equal(t, fs.ModeDevice|fs.ModeCharDevice|0o666, info.Mode())
	require.Equal(t, uint64(1<<8|3), info.DeviceNumber)
	info, err = v.Stat(ctx, "/dev/stdin")
	require.NoError(t, err)
	require.True(t, info.Mode().IsRegular())
	_, err = v.Stat(ctx, "/dev/null/x")
	require.ErrorIs(t, err, vfs.ENOTDIR)
}

func TestNamedPipes(t *testing.T) {
	hosted := func(t *testing.T) vfs.FS {
		s, err := host.New(host.Options{Directory: t.TempDir()})
		require.NoError(t, err)
		return s.FS()
	}
	for name, storage := range map[string]func(t *testing.T) vfs.FS{
		"memory": func(*testing.T) vfs.FS { return empty() }, "virtual, beside a host directory": hosted,
	} {
		t.Run(name, func(t *testing.T) {
			v := view(t, vfs.Mount{Path: "/", FS: storage(t)})
			require.NoError(t, v.Mkdir(ctx, "/d", 0o755))
			require.NoError(t, v.Mkfifo(ctx, "/d/p", 0o666))
			info, err := v.Lstat(ctx, "/d/p")
			require.NoError(t, err)
			require.Equal(t, fs.ModeNamedPipe|0o644, info.Mode())
			require.Equal(t, "p", names(t, v, "/d"))
			require.ErrorIs(t, v.Mkfifo(ctx, "/d/p", 0o666), vfs.EEXIST)
			require.ErrorIs(t, v.Mkdir(ctx, "/d/p", 0o777), vfs.EEXIST)
			require.ErrorIs(t, v.Rmdir(ctx, "/d"), vfs.ENOTEMPTY)

			t.Run("an end waits for the other, data flows, the last writer ends it", func(t *testing.T) {
				done := make(chan string)
				go func() {
					f, err := v.Open(ctx, "/d/p", vfs.O_RDONLY, 0)
					if err != nil {
						done <- err.Error()
						return
					}
					b, _ := io.ReadAll(f)
					f.Close()
					done <- string(b)
				}()
				f, err := v.Open(ctx, "/d/p", vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
				require.NoError(t, err)
				long := strings.Repeat("0123456789", 20000)
				_, err = f.Write([]byte(long))
				require.NoError(t, err)
				require.NoError(t, f.Close())
				require.Equal(t, long, <-done)
			})
			t.Run("waiting ends with the context", func(t *testing.T) {
				short, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
				defer cancel()
				_, err := v.Open(short, "/d/p", vfs.O_RDONLY, 0)
				require.ErrorIs(t, err, context.DeadlineExceeded)
			})
			t.Run("a writer whose reader is gone gets EPIPE", func(t *testing.T) {
				both, err := v.Open(ctx, "/d/p", vfs.O_RDWR, 0)
				require.NoError(t, err)
				w, err := v.Open(ctx, "/d/p", vfs.O_WRONLY, 0)
				require.NoError(t, err)
				_, err = w.Write([]byte("x"))
				require.NoError(t, err)
				require.NoError(t, both.Close())
				_, err = w.Write([]byte("x"))
				require.ErrorIs(t, err, vfs.EPIPE)
				require.NoError(t, w.Close())
			})
			t.Run("its name moves and goes as any other", func(t *testing.T) {
				require.NoError(t, v.Rename(ctx, "/d/p", "/d/q", false))
				require.NoError(t, v.Rename(ctx, "/d", "/e", false))
				require.Equal(t, "q", names(t, v, "/e"))
				require.NoError(t, v.Chmod(ctx, "/e/q", 0o600))
				info, err := v.Lstat(ctx, "/e/q")
				require.NoError(t, err)
				require.Equal(t, fs.ModeNamedPipe|0o600, info.Mode())
				require.NoError(t, v.Unlink(ctx, "/e/q"))
				require.NoError(t, v.Rmdir(ctx, "/e"))
			})
		})
	}
}

// selfChecking is a storage that checks permission bits itself.
type selfChecking struct{ vfs.FS }

func (selfChecking) ChecksPermissions() bool { return true }

func TestVirtualPipesObeyPermissionBits(t *testing.T) {
	s, err := host.New(host.Options{Directory: t.TempDir()})
	require.NoError(t, err)
	v, err := vfs.NewView(vfs.ViewOptions{
		Mounts:   []vfs.Mount{{Path: "/", FS: selfChecking{s.FS()}}},
		Identity: vfs.Identity{User: "agent", UID: 1000, GID: 1000}, Directory: "/",
	})
	require.NoError(t, err)
	require.NoError(t, v.Mkdir(ctx, "/d", 0o755))
	require.NoError(t, v.Mkfifo(ctx, "/d/p", 0o200))
	_, err = v.Open(ctx, "/d/p", vfs.O_RDONLY, 0)
	require.ErrorIs(t, err, vfs.EACCES)
	require.NoError(t, v.Chmod(ctx, "/d", 0o555))
	require.ErrorIs(t, v.Mkfifo(ctx, "/d/q", 0o666), vfs.EACCES)
	require.ErrorIs(t, v.Unlink(ctx, "/d/p"), vfs.EACCES)
	require.ErrorIs(t, v.Rename(ctx, "/d/p", "/p", false), vfs.EACCES)
	require.NoError(t, v.Chmod(ctx, "/d", 0o755))
	require.NoError(t, v.Rename(ctx, "/d/p", "/p", false))
	require.NoError(t, v.Unlink(ctx, "/p"))
}

func TestRealpath(t *testing.T) {
	v := view(t, vfs.Mount{Path: "/", FS: empty()})
	require.NoError(t, v.MkdirAll(ctx, "/w/d", 0o755))
	v = v.WithDirectory("/w")
	put(t, v, "f", "")
	for link, target := range map[string]string{"l": "d/../f", "ld": "d", "dangling": "d/none", "loop": "loop", "up": ".."} {
		require.NoError(t, v.Symlink(ctx, target, link))
	}
	const none, last, any = vfs.MissingNone, vfs.MissingLast, vfs.MissingAny
	for _, c := range []struct {
		path    string
		missing vfs.Missing
		want    string
		errno   error
	}{
		{"f", none, "/w/f", nil}, {"l", none, "/w/f", nil}, {"ld/..", none, "/w", nil}, {"up/w/l", none, "/w/f", nil},
		{"dangling", none, "", vfs.ENOENT}, {"dangling", last, "/w/d/none", nil}, {"dangling/x", last, "", vfs.ENOENT},
		{"dangling/x", any, "/w/d/none/x", nil}, {"a/../b/./c", any, "/w/b/c", nil}, {"a/../f", last, "", vfs.ENOENT},
		{"f/x", last, "", vfs.ENOTDIR}, {"f/x", any, "/w/f/x", nil}, {"f/", none, "", vfs.ENOTDIR}, {"f/", any, "/w/f", nil},
		{"loop", none, "", vfs.ELOOP}, {"loop/x", any, "/w/loop/x", nil}, {"loop/../f", any, "/w/f", nil}, {"new", last, "/w/new", nil}, {"new/", last, "/w/new", nil}, {"", none, "", vfs.ENOENT},
		{"/", none, "/", nil}, {"//w///f", none, "/w/f", nil}, {"a/../l", any, "/w/f", nil},
	} {
		got, err := v.Realpath(ctx, c.path, c.missing)
		if c.errno != nil {
			require.ErrorIs(t, err, c.errno, c.path)
			continue
		}
		require.NoError(t, err, c.path)
		require.Equal(t, c.want, got, c.path)
	}
}

func TestWriteFile(t *testing.T) {
	v := view(t, vfs.Mount{Path: "/", FS: empty()})
	write := func(path, text string) error {
		return v.WriteFile(ctx, path, func(f vfs.File) error { _, err := io.WriteString(f, text); return err }, 0o666)
	}
	put(t, v, "/f", "old")
	require.NoError(t, v.Chmod(ctx, "/f", 0o751))
	require.NoError(t, v.Symlink(ctx, "f", "/l"))
	t.Run("the mode stays, a link's target is replaced", func(t *testing.T) {
		require.NoError(t, write("/l", "new"))
		require.Equal(t, "new", text(t, v, "/f"))
		info, err := v.Lstat(ctx, "/f")
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o751), info.Mode())
		info, err = v.Lstat(ctx, "/l")
		require.NoError(t, err)
		require.Equal(t, fs.ModeSymlink, info.Mode().Type())
	})
	t.Run("a new file gets the mode less the umask", func(t *testing.T) {
		require.NoError(t, write("/n", "new"))
		info, err := v.Lstat(ctx, "/n")
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o644), info.Mode())
	})
	t.Run("a failure changes nothing and leaves no temporary", func(t *testing.T) {
		before := names(t, v, "/")
		boom := errors.New("boom")
		err := v.WriteFile(ctx, "/f", func(f vfs.File) error { io.WriteString(f, "half"); return boom }, 0o666)
		require.ErrorIs(t, err, boom)
		require.Equal(t, "new", text(t, v, "/f"))
		require.Equal(t, before, names(t, v, "/"))
	})
	t.Run("a directory and a missing parent are refused", func(t *testing.T) {
		require.NoError(t, v.Mkdir(ctx, "/d", 0o755))
		require.ErrorIs(t, write("/d", ""), vfs.EISDIR)
		require.ErrorIs(t, write("/none/f", ""), vfs.ENOENT)
	})
}

func TestStorageFace(t *testing.T) {
	v := view(t, vfs.Mount{Path: "/", FS: empty()}).WithDirectory("/elsewhere")
	s := v.Storage()
	require.NoError(t, s.MkdirAll("a/b", 0o755))
	require.NoError(t, afero.WriteFile(s, "a/b/f", []byte("x"), 0o644))
	b, err := afero.ReadFile(s, "/a/b/f")
	require.NoError(t, err)
	require.Equal(t, "x", string(b))
	require.NoError(t, s.(afero.Symlinker).SymlinkIfPossible("b", "a/l"))
	info, err := s.Stat("a/l/f")
	require.NoError(t, err)
	require.Equal(t, int64(1), info.Size())
	info, _, err = s.(afero.Lstater).LstatIfPossible("a/l")
	require.NoError(t, err)
	require.Equal(t, fs.ModeSymlink, info.Mode().Type())
	var walked []string
	require.NoError(t, afero.Walk(s, "", func(path string, _ os.FileInfo, err error) error {
		walked = append(walked, path)
		return err
	}))
	require.Equal(t, []string{"", "a", "a/b", "a/b/f", "a/l"}, walked)
	_, err = s.Stat("none")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.EqualError(t, err, "stat none: no such file or directory")
	require.NoError(t, s.RemoveAll("a"))
	require.Equal(t, "", names(t, v, "/"))
}

func TestWords(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{vfs.ENOENT, "No such file or directory"},
		{&fs.PathError{Op: "open", Path: "/host/secret", Err: vfs.EACCES}, "Permission denied"},
		{fs.ErrNotExist, "No such file or directory"}, {fs.ErrExist, "File exists"}, {fs.ErrPermission, "Permission denied"},
		{os.ErrClosed, "Bad file descriptor"}, {afero.ErrFileClosed, "Bad file descriptor"},
		{vfs.ENOTSUP, "Operation not supported"}, {vfs.ELOOP, "Too many levels of symbolic links"},
		{&fs.PathError{Op: "open", Path: "/host/secret", Err: errors.New("odd")}, "odd"},
		{nil, "Success"},
	} {
		require.Equal(t, c.want, vfs.Words(c.err))
	}
}

func TestForeignErrorsShowNoHostPath(t *testing.T) {
	dir := t.TempDir()
	v := view(t, vfs.Mount{Path: "/", FS: vfs.FromAfero(afero.NewBasePathFs(afero.NewOsFs(), dir))})
	_, err := v.Open(ctx, "none", vfs.O_RDONLY, 0)
	require.EqualError(t, err, "open none: no such file or directory")
	require.NoError(t, v.Mkdir(ctx, "d", 0o755))
	for _, err := range []error{v.Rmdir(ctx, "none"), v.Unlink(ctx, "d"), v.Symlink(ctx, "x", "l"), v.Rename(ctx, "d", "none/x", false)} {
		require.NotContains(t, err.Error(), dir)
	}
}
