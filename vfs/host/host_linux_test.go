package host

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/overlay"
	"github.com/vsh-project/vsh/vfs/vfstest"
)

var ctx = context.Background()

func newStorage(t testing.TB, options Options) *Storage {
	t.Helper()
	if options.Directory == "" {
		options.Directory = t.TempDir()
	}
	s, err := New(options)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// TestWithoutOpenat2 runs the suite as on a kernel that lacks openat2.
func TestWithoutOpenat2(t *testing.T) {
	vfstest.Test(t, func(t *testing.T) vfs.FS {
		f := newStorage(t, Options{}).FS()
		f.(*directory).stepwise.Store(true)
		return f
	}, "a named pipe is an inode that does not open")
}

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "outside")
	require.NoError(t, os.WriteFile(outside, []byte("secret"), 0o644))
	require.NoError(t, unix.Mkfifo(dir+"/fifo", 0o666))
	require.NoError(t, os.Symlink(outside, dir+"/abs"))
	require.NoError(t, os.Symlink("/proc/self/root", dir+"/magic"))
	l, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	require.NoError(t, err)
	defer unix.Close(l)
	require.NoError(t, unix.Bind(l, &unix.SockaddrUnix{Name: dir + "/socket"}))
	s := newStorage(t, Options{Directory: dir})
	v, err := vfs.NewView(vfs.ViewOptions{Mounts: []vfs.Mount{{Path: "/", FS: s.FS()}}})
	require.NoError(t, err)
	for _, flag := range []int{vfs.O_RDONLY, vfs.O_WRONLY, vfs.O_RDWR, vfs.O_WRONLY | vfs.O_CREATE | vfs.O_TRUNC} {
		for _, name := range []string{"/fifo", "/socket"} {
			_, err := v.Open(ctx, name, flag, 0o666)
			require.ErrorIs(t, err, vfs.EACCES, name)
		}
	}
	t.Run("a link out of the directory means a path of the shell", func(t *testing.T) {
		_, err := v.Open(ctx, "/abs", vfs.O_RDONLY, 0)
		require.ErrorIs(t, err, vfs.ENOENT)
		_, err = v.Open(ctx, "/magic/etc/passwd", vfs.O_RDONLY, 0)
		require.ErrorIs(t, err, vfs.ENOENT)
	})
	t.Run("setuid is not set on files", func(t *testing.T) {
		require.NoError(t, os.WriteFile(dir+"/f", nil, 0o755))
		require.ErrorIs(t, v.Chmod(ctx, "/f", 0o755|os.ModeSetuid), vfs.EPERM)
	})
	t.Run("RefuseSymlinks follows none and makes none", func(t *testing.T) {
		require.NoError(t, os.Symlink("f", dir+"/l"))
		s := newStorage(t, Options{Directory: dir, RefuseSymlinks: true})
		v, err := vfs.NewView(vfs.ViewOptions{Mounts: []vfs.Mount{{Path: "/", FS: s.FS()}}})
		require.NoError(t, err)
		_, err = v.Open(ctx, "/l", vfs.O_RDONLY, 0)
		require.ErrorIs(t, err, vfs.EACCES)
		require.ErrorIs(t, v.Symlink(ctx, "f", "/m"), vfs.EPERM)
	})
	t.Run("ReadOnly changes nothing", func(t *testing.T) {
		s := newStorage(t, Options{Directory: dir, ReadOnly: true})
		_, err := s.OpenFile("/f", vfs.O_WRONLY, 0)
		require.ErrorIs(t, err, vfs.EROFS)
		require.ErrorIs(t, s.Mkdir("/d", 0o755), vfs.EROFS)
		require.ErrorIs(t, s.Remove("/f"), vfs.EROFS)
		_, err = s.Open("/f")
		require.NoError(t, err)
	})
	t.Run("New needs a directory", func(t *testing.T) {
		for _, d := range []string{"", outside, dir + "/none"} {
			_, err := New(Options{Directory: d})
			require.Error(t, err)
		}
	})
}

func TestFoldsCase(t *testing.T) {
	s := newStorage(t, Options{})
	require.False(t, s.FoldsCase(ctx))
	require.NoError(t, s.Mkdir("/readme", 0o755))
	require.False(t, s.FoldsCase(ctx))
}

// TestSwappedDirectory swaps a directory for a link out of the storage in a
// loop while a reader and a writer run: neither may ever come out.
func TestSwappedDirectory(t *testing.T) {
	for _, mode := range []string{"openat2", "stepwise"} {
		t.Run(mode, func(t *testing.T) {
			dir, outside := t.TempDir(), t.TempDir()
			require.NoError(t, os.WriteFile(outside+"/f", []byte("secret"), 0o644))
			require.NoError(t, os.Mkdir(dir+"/real", 0o755))
			require.NoError(t, os.WriteFile(dir+"/real/f", []byte("public"), 0o644))
			require.NoError(t, os.Symlink(outside, dir+"/link"))
			s := newStorage(t, Options{Directory: dir})
			s.FS().(*directory).stepwise.Store(mode == "stepwise")
			v, err := vfs.NewView(vfs.ViewOptions{Mounts: []vfs.Mount{{Path: "/", FS: s.FS()}}})
			require.NoError(t, err)
			require.NoError(t, os.Rename(dir+"/real", dir+"/d"))
			var stop atomic.Bool
			swapped := make(chan struct{})
			go func() {
				defer close(swapped)
				for !stop.Load() {
					os.Rename(dir+"/d", dir+"/real")
					os.Rename(dir+"/link", dir+"/d")
					os.Rename(dir+"/d", dir+"/link")
					os.Rename(dir+"/real", dir+"/d")
				}
			}()
			reads := 0
			for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); {
				if f, err := v.Open(ctx, "/d/f", vfs.O_RDONLY, 0); err == nil {
					b, _ := io.ReadAll(f)
					f.Close()
					require.Equal(t, "public", string(b))
					reads++
				}
				if f, err := v.Open(ctx, "/d/new", vfs.O_WRONLY|vfs.O_CREATE, 0o644); err == nil {
					f.Close()
				}
				v.Unlink(ctx, "/d/new")
				v.Chmod(ctx, "/d/f", 0o640)
			}
			stop.Store(true)
			<-swapped
			require.NotZero(t, reads)
			entries, err := os.ReadDir(outside)
			require.NoError(t, err)
			require.Len(t, entries, 1)
			info, err := os.Stat(outside + "/f")
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o644), info.Mode())
		})
	}
}

func goTree(b *testing.B) string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Skip(err)
	}
	return strings.TrimSpace(string(out)) + "/src"
}

// BenchmarkWalk lists the Go source tree through a View, by filepath.WalkDir
// and by find.
func BenchmarkWalk(b *testing.B) {
	tree := goTree(b)
	view := func(b *testing.B, f vfs.FS, uid int) {
		v, err := vfs.NewView(vfs.ViewOptions{Mounts: []vfs.Mount{{Path: "/", FS: f}}, Identity: vfs.Identity{UID: uid}})
		require.NoError(b, err)
		var walk func(path string) int
		walk = func(path string) int {
			entries, err := v.ReadDir(ctx, path+"/")
			require.NoError(b, err)
			n := len(entries)
			for _, e := range entries {
				if e.IsDir() {
					n += walk(path + "/" + e.Name)
				}
			}
			return n
		}
		for b.Loop() {
			b.ReportMetric(float64(walk("")), "entries")
		}
	}
	b.Run("view", func(b *testing.B) { view(b, newStorage(b, Options{Directory: tree}).FS(), 0) })
	b.Run("view with permission bits", func(b *testing.B) { view(b, newStorage(b, Options{Directory: tree}).FS(), 1000) })
	b.Run("view of an overlay", func(b *testing.B) {
		s, err := overlay.New(overlay.Options{Lower: newStorage(b, Options{Directory: tree})})
		require.NoError(b, err)
		view(b, s.FS(), 0)
	})
	b.Run("view of an overlay with permission bits", func(b *testing.B) {
		s, err := overlay.New(overlay.Options{Lower: newStorage(b, Options{Directory: tree})})
		require.NoError(b, err)
		view(b, s.FS(), 1000)
	})
	b.Run("WalkDir", func(b *testing.B) {
		for b.Loop() {
			n := -1
			filepath.WalkDir(tree, func(string, os.DirEntry, error) error { n++; return nil })
			b.ReportMetric(float64(n), "entries")
		}
	})
	b.Run("find", func(b *testing.B) {
		for b.Loop() {
			require.NoError(b, exec.Command("find", tree, "-name", "none").Run())
		}
	})
}

// BenchmarkOpen opens and closes one file three directories down.
func BenchmarkOpen(b *testing.B) {
	tree := goTree(b)
	v, err := vfs.NewView(vfs.ViewOptions{Mounts: []vfs.Mount{{Path: "/", FS: newStorage(b, Options{Directory: tree}).FS()}}})
	require.NoError(b, err)
	b.Run("view", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			f, err := v.Open(ctx, "/cmd/compile/main.go", vfs.O_RDONLY, 0)
			require.NoError(b, err)
			f.Close()
		}
	})
	b.Run("os.Open", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			f, err := os.Open(tree + "/cmd/compile/main.go")
			require.NoError(b, err)
			f.Close()
		}
	})
}

func TestInfoIsTheSystems(t *testing.T) {
	s := newStorage(t, Options{})
	require.NoError(t, s.MkdirAll("/d/e", 0o755))
	dir := s.FS().(*directory)
	for _, path := range []string{"/", "/d", "/d/e"} {
		got, err := s.FS().Lstat(ctx, path)
		require.NoError(t, err)
		var st unix.Stat_t
		require.NoError(t, dir.stat(path, &st))
		want := newInfo(path, &st)
		require.False(t, got.Birthday.IsZero())
		got.Birthday = want.Birthday
		require.Equal(t, want, got)
	}
}

// TestChmodOfAPathDescriptor holds both ways to a file that cannot be read and
// to one whose name has become a link.
func TestChmodOfAPathDescriptor(t *testing.T) {
	for name, chmod := range map[string]func(int, uint32) error{"by the descriptor": chmodDescriptor, "by /proc": chmodByProc} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file, other := dir+"/f", dir+"/other"
			require.NoError(t, os.WriteFile(file, nil, 0))
			require.NoError(t, os.WriteFile(other, nil, 0o600))
			fd, err := unix.Open(file, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
			require.NoError(t, err)
			defer unix.Close(fd)
			require.NoError(t, os.Rename(file, dir+"/moved"))
			require.NoError(t, os.Symlink(other, file))
			err = chmod(fd, 0o640)
			if err == unix.EOPNOTSUPP || err == unix.ENOENT || err == unix.EPERM {
				t.Skip("not on this system: ", err)
			}
			require.NoError(t, err)
			info, err := os.Stat(dir + "/moved")
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o640), info.Mode().Perm())
			info, err = os.Stat(other)
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
		})
	}
}
