package vfs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/memory"
)

// owned is a tree of modes and owners: a trailing slash is a directory.
var owned = []struct {
	path string
	mode fs.FileMode
	uid  int
}{
	{"w/", 0o777, 1000}, {"w/f", 0o666, 1000}, {"w/e/", 0o777, 1000},
	{"w/r", 0o444, 1000}, {"w/w", 0o222, 1000}, {"w/x", 0o111, 1000}, {"w/no", 0, 1000}, {"w/others", 0o077, 1000},
	{"w/root", 0o644, 0}, {"w/rootw", 0o666, 0}, {"w/rootno", 0o600, 0},
	{"w/closed/", 0, 1000}, {"w/closed/f", 0o666, 1000},
	{"w/dr/", 0o444, 1000}, {"w/dr/f", 0o666, 1000},
	{"w/dx/", 0o111, 1000}, {"w/dx/f", 0o666, 1000},
	{"w/dw/", 0o222, 1000}, {"w/dw/f", 0o666, 1000},
	{"w/drx/", 0o555, 1000}, {"w/drx/f", 0o666, 1000}, {"w/drx/e/", 0o777, 1000},
	{"w/rootdir/", 0o755, 0}, {"w/rootdir/f", 0o666, 1000},
	{"w/sticky/", 0o777 | fs.ModeSticky, 0}, {"w/sticky/f", 0o666, 1000}, {"w/sticky/root", 0o666, 0},
}

// TestPermissionsAsTheKernel asks as user 1000 what may be done.
func TestPermissionsAsTheKernel(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("becoming another user needs root")
	}
	var paths []string
	for _, o := range owned {
		paths = append(paths, strings.TrimPrefix(strings.TrimSuffix(o.path, "/"), "w/"))
		if strings.HasSuffix(o.path, "/") {
			paths = append(paths, strings.TrimPrefix(o.path, "w/")+"new")
		}
	}
	old := unix.Umask(0o022)
	defer unix.Umask(old)
	root := ""
	prepare := func() (*vfs.View, int) {
		root = t.TempDir()
		// Every directory above must let user 1000 pass.
		for d := root; d != "/"; d = filepath.Dir(d) {
			info, err := os.Stat(d)
			require.NoError(t, err)
			require.NoError(t, os.Chmod(d, info.Mode()|0o111))
		}
		s := memory.New(memory.Options{})
		admin, err := vfs.NewView(vfs.ViewOptions{Mounts: []vfs.Mount{{Path: "/", FS: s.FS()}}})
		require.NoError(t, err)
		for _, o := range owned {
			host := filepath.Join(root, o.path)
			if strings.HasSuffix(o.path, "/") {
				require.NoError(t, os.Mkdir(host, 0o777))
				require.NoError(t, admin.Mkdir(ctx, "/"+o.path, 0o777))
			} else {
				require.NoError(t, os.WriteFile(host, nil, 0o666))
				require.NoError(t, closing(admin.Open(ctx, "/"+o.path, vfs.O_WRONLY|vfs.O_CREATE, 0o666)))
			}
		}
		for _, o := range owned {
			host := filepath.Join(root, o.path)
			require.NoError(t, os.Chown(host, o.uid, o.uid))
			require.NoError(t, os.Chmod(host, o.mode))
			require.NoError(t, admin.Chown(ctx, "/"+o.path, o.uid, o.uid, false))
			require.NoError(t, s.FS().Chown(ctx, "/"+strings.TrimSuffix(o.path, "/"), o.uid, o.uid))
			require.NoError(t, admin.Chmod(ctx, "/"+o.path, o.mode))
		}
		user, err := vfs.NewView(vfs.ViewOptions{
			Mounts: []vfs.Mount{{Path: "/", FS: s.FS()}}, Directory: "/w", Umask: 0o022,
			Identity: vfs.Identity{UID: 1000, GID: 1000},
		})
		require.NoError(t, err)
		at, err := unix.Open(root+"/w", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		require.NoError(t, err)
		return user, at
	}
	for _, c := range calls {
		if c.name == "truncate" || c.name == "mkfifo" {
			continue // the kernel's detour through /proc is refused; mknod is like mkdir
		}
		t.Run(c.name, func(t *testing.T) {
			v, at := prepare()
			fresh := treeOfHost(t, root)
			for _, path := range paths {
				want := asUser(func() error { return c.kernel(at, path) })
				got := c.view(v, path)
				if strings.HasPrefix(c.name, "touch") && vfs.Errno(want) == vfs.EPERM {
					continue // the View can't tell a time that was given from now
				}
				if vfs.Errno(got) != vfs.Errno(want) {
					t.Errorf("%s %q: %v, the kernel says %v", c.name, path, got, want)
				}
				if (got == nil) != (want == nil) || treeOfHost(t, root) != fresh {
					unix.Close(at)
					v, at = prepare()
					fresh = treeOfHost(t, root)
				}
			}
			unix.Close(at)
		})
	}
}

// asUser runs f on a thread that has become user 1000 and dies thereafter.
func asUser(f func() error) error {
	result := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the runtime ends the thread
		unix.RawSyscall(unix.SYS_SETGROUPS, 0, 0, 0)
		unix.RawSyscall(unix.SYS_SETRESGID, 1000, 1000, 1000)
		unix.RawSyscall(unix.SYS_SETRESUID, 1000, 1000, 1000)
		result <- f()
	}()
	return <-result
}
