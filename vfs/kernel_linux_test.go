package vfs_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/host"
	"github.com/vsh-project/vsh/vfs/memory"
)

// call is one operation on a typed path, by the View and by the kernel
// relative to the directory at.
type call struct {
	name   string
	view   func(v *vfs.View, path string) error
	kernel func(at int, path string) error
}

func opened(name string, flag int) call {
	return call{
		"open " + name,
		func(v *vfs.View, path string) error { return closing(v.Open(ctx, path, flag, 0o666)) },
		func(at int, path string) error {
			fd, err := unix.Openat(at, path, flag|unix.O_CLOEXEC, 0o666)
			if err == nil {
				unix.Close(fd)
			}
			return err
		},
	}
}

var calls = []call{
	{"stat", func(v *vfs.View, p string) error { _, err := v.Stat(ctx, p); return err }, func(at int, p string) error {
		return unix.Fstatat(at, p, &unix.Stat_t{}, 0)
	}},
	{"lstat", func(v *vfs.View, p string) error { _, err := v.Lstat(ctx, p); return err }, func(at int, p string) error {
		return unix.Fstatat(at, p, &unix.Stat_t{}, unix.AT_SYMLINK_NOFOLLOW)
	}},
	{"readdir", func(v *vfs.View, p string) error { _, err := v.ReadDir(ctx, p); return err }, func(at int, p string) error {
		fd, err := unix.Openat(at, p, unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err == nil {
			unix.Close(fd)
		}
		return err
	}},
	{"readlink", func(v *vfs.View, p string) error { _, err := v.Readlink(ctx, p); return err }, func(at int, p string) error {
		_, err := unix.Readlinkat(at, p, make([]byte, 100))
		return err
	}},
	opened("RDONLY", vfs.O_RDONLY),
	opened("WRONLY", vfs.O_WRONLY),
	opened("RDWR|TRUNC", vfs.O_RDWR|vfs.O_TRUNC),
	opened("WRONLY|CREATE|TRUNC", vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC),
	opened("RDONLY|CREATE", vfs.O_RDONLY|vfs.O_CREATE),
	opened("WRONLY|CREATE|EXCL", vfs.O_WRONLY|vfs.O_CREATE|vfs.O_EXCL),
	{"mkdir", func(v *vfs.View, p string) error { return v.Mkdir(ctx, p, 0o777) }, func(at int, p string) error {
		return unix.Mkdirat(at, p, 0o777)
	}},
	{"unlink", func(v *vfs.View, p string) error { return v.Unlink(ctx, p) }, func(at int, p string) error {
		return unix.Unlinkat(at, p, 0)
	}},
	{"rmdir", func(v *vfs.View, p string) error { return v.Rmdir(ctx, p) }, func(at int, p string) error {
		return unix.Unlinkat(at, p, unix.AT_REMOVEDIR)
	}},
	{"symlink", func(v *vfs.View, p string) error { return v.Symlink(ctx, "t", p) }, func(at int, p string) error {
		return unix.Symlinkat("t", at, p)
	}},
	{"mkfifo", func(v *vfs.View, p string) error { return v.Mkfifo(ctx, p, 0o666) }, func(at int, p string) error {
		return unix.Mknodat(at, p, unix.S_IFIFO|0o666, 0)
	}},
	{"link from", func(v *vfs.View, p string) error { return v.Link(ctx, p, "new", false) }, func(at int, p string) error {
		return unix.Linkat(at, p, at, "new", 0)
	}},
	{"link from, followed", func(v *vfs.View, p string) error { return v.Link(ctx, p, "new", true) }, func(at int, p string) error {
		return unix.Linkat(at, p, at, "new", unix.AT_SYMLINK_FOLLOW)
	}},
	{"link to", func(v *vfs.View, p string) error { return v.Link(ctx, "f", p, false) }, func(at int, p string) error {
		return unix.Linkat(at, "f", at, p, 0)
	}},
	{"rename from", func(v *vfs.View, p string) error { return v.Rename(ctx, p, "new", false) }, func(at int, p string) error {
		return unix.Renameat(at, p, at, "new")
	}},
	{"rename from, to a directory's name", func(v *vfs.View, p string) error { return v.Rename(ctx, p, "new/", false) }, func(at int, p string) error {
		return unix.Renameat(at, p, at, "new/")
	}},
	{"rename file to", func(v *vfs.View, p string) error { return v.Rename(ctx, "f", p, false) }, func(at int, p string) error {
		return unix.Renameat(at, "f", at, p)
	}},
	{"rename directory to", func(v *vfs.View, p string) error { return v.Rename(ctx, "e", p, false) }, func(at int, p string) error {
		return unix.Renameat(at, "e", at, p)
	}},
	{"rename to, no replace", func(v *vfs.View, p string) error { return v.Rename(ctx, "f", p, true) }, func(at int, p string) error {
		return unix.Renameat2(at, "f", at, p, unix.RENAME_NOREPLACE)
	}},
	{"chmod", func(v *vfs.View, p string) error { return v.Chmod(ctx, p, 0o711) }, func(at int, p string) error {
		return unix.Fchmodat(at, p, 0o711, 0)
	}},
	{"touch", func(v *vfs.View, p string) error { return v.Chtimes(ctx, p, time.Unix(1, 0), time.Unix(1, 0), true) }, func(at int, p string) error {
		return unix.UtimesNanoAt(at, p, []unix.Timespec{{Sec: 1}, {Sec: 1}}, 0)
	}},
	{"touch -h", func(v *vfs.View, p string) error { return v.Chtimes(ctx, p, time.Unix(1, 0), time.Unix(1, 0), false) }, func(at int, p string) error {
		return unix.UtimesNanoAt(at, p, []unix.Timespec{{Sec: 1}, {Sec: 1}}, unix.AT_SYMLINK_NOFOLLOW)
	}},
	{"truncate", func(v *vfs.View, p string) error { return v.Truncate(ctx, p, 1) }, func(at int, p string) error {
		return unix.Truncate(fmt.Sprintf("/proc/self/fd/%d/%s", at, p), 1)
	}},
	{"access write", func(v *vfs.View, p string) error { return v.Access(ctx, p, vfs.AccessWrite) }, func(at int, p string) error {
		return unix.Faccessat(at, p, unix.W_OK, 0)
	}},
	{"access execute", func(v *vfs.View, p string) error { return v.Access(ctx, p, vfs.AccessExecute) }, func(at int, p string) error {
		return unix.Faccessat(at, p, unix.X_OK, 0)
	}},
}

var (
	long   = strings.Repeat("n", 256)
	hops40 = strings.Repeat("dot/", 40) + "f"
)

var typedPaths = []string{
	"", ".", "./", "..", "../", "f", "f/", "f/.", "f/..", "f/x", "./f", ".//f", "d", "d/", "d/.", "d/..", "d//g", "d/./g", "d/../f",
	"e", "e/", "e/.", "l", "l/", "l/.", "l/x", "ld", "ld/", "ld/.", "ld/..", "ld/g", "ld/../f", "ld/../../w/f", "ld/new", "up/f", "up/w/d/g", "chain",
	"dangling", "dangling/", "dangling/x", "into", "into/", "loop", "loop/", "loop/x", "none", "none/", "none/.", "none/..", "none/x", "none/../f",
	"d/none", "d/none/", long, "d/" + long, "none/" + long, "f/" + long, strings.Repeat("d/../", 900) + "f", strings.Repeat("./", 2047) + "f",
	"d/g/../g", "l/../f", hops40, "dot/" + hops40,
}

// randomPaths are odd ways through the fixture that stay inside it.
func randomPaths(seed uint64) (paths []string) {
	r := rand.New(rand.NewPCG(seed, 77))
	parts := []string{".", "..", "f", "d", "ld", "l", "loop", "dangling", "into", "none", "g", "w", "up", "dot", "", "new", "chain", "e"}
	for len(paths) < 25 {
		p := "./"
		for range 1 + r.IntN(5) {
			p += parts[r.IntN(len(parts))] + "/"
		}
		if r.IntN(3) > 0 {
			p = p[:len(p)-1]
		}
		if strings.Count(p, "..") < 2 && !strings.Contains(p, "up/..") {
			paths = append(paths, p)
		}
	}
	return paths
}

// fixture is made alike in a host directory and in a View.
var fixture = []struct{ path, text, target string }{
	{path: "w/"}, {path: "w/f", text: "file"}, {path: "w/d/"}, {path: "w/d/g", text: "g"}, {path: "w/e/"},
	{path: "w/l", target: "f"}, {path: "w/ld", target: "d"}, {path: "w/up", target: "../w/.."}, {path: "w/chain", target: "./ld/../l"},
	{path: "w/dangling", target: "none"}, {path: "w/into", target: "d/new"}, {path: "w/loop", target: "loop"}, {path: "w/dot", target: "."},
}

func makeHost(t *testing.T, root string) {
	for _, f := range fixture {
		path := filepath.Join(root, f.path)
		switch {
		case f.target != "":
			require.NoError(t, os.Symlink(f.target, path))
		case strings.HasSuffix(f.path, "/"):
			require.NoError(t, os.Mkdir(path, 0o755))
		default:
			require.NoError(t, os.WriteFile(path, []byte(f.text), 0o644))
		}
	}
}

func makeView(t *testing.T, v *vfs.View) {
	for _, f := range fixture {
		path := "/" + f.path
		switch {
		case f.target != "":
			require.NoError(t, v.Symlink(ctx, f.target, path))
		case strings.HasSuffix(f.path, "/"):
			require.NoError(t, v.Mkdir(ctx, path, 0o755))
		default:
			file, err := v.Open(ctx, path, vfs.O_WRONLY|vfs.O_CREATE, 0o644)
			require.NoError(t, err)
			_, err = file.Write([]byte(f.text))
			require.NoError(t, err)
			require.NoError(t, file.Close())
		}
	}
}

func treeOfHost(t *testing.T, root string) string {
	var b strings.Builder
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		target, _ := os.Readlink(path)
		text := ""
		if info.Mode().IsRegular() {
			data, _ := os.ReadFile(path)
			text = string(data)
		}
		rel, _ := filepath.Rel(root, path)
		fmt.Fprintf(&b, "%s %v %q %q touched=%v\n", rel, info.Mode(), target, text, info.ModTime().Unix() == 1)
		return nil
	}))
	return b.String()
}

func treeOfView(t *testing.T, v *vfs.View, path, rel string, b *strings.Builder) {
	info, err := v.Lstat(ctx, path)
	require.NoError(t, err)
	target, text := "", ""
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err = v.Readlink(ctx, path)
		require.NoError(t, err)
	case info.Mode().IsRegular():
		f, err := v.Open(ctx, path, vfs.O_RDONLY, 0)
		require.NoError(t, err)
		data := make([]byte, 100)
		n, _ := f.Read(data)
		f.Close()
		text = string(data[:n])
	}
	fmt.Fprintf(b, "%s %v %q %q touched=%v\n", rel, info.Mode(), target, text, info.ModTime().Unix() == 1)
	if info.IsDir() {
		entries, err := v.ReadDir(ctx, path)
		require.NoError(t, err)
		for _, e := range entries {
			treeOfView(t, v, path+"/"+e.Name, filepath.Join(rel, e.Name), b)
		}
	}
}

// TestAsTheKernel asks the View and the kernel the same on trees alike: the
// error number and what the tree has become must agree.
func TestAsTheKernel(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("the View is asked as root, the kernel can't be")
	}
	if old := unix.Umask(0o022); old != 0o022 {
		defer unix.Umask(old)
	}
	storages := map[string]func(t *testing.T) vfs.FS{
		"memory": func(t *testing.T) vfs.FS { return memory.New(memory.Options{}).FS() },
		"host": func(t *testing.T) vfs.FS {
			s, err := host.New(host.Options{Directory: t.TempDir()})
			require.NoError(t, err)
			t.Cleanup(func() { s.Close() })
			return s.FS()
		},
	}
	type pair struct {
		name string
		view *vfs.View
	}
	for _, c := range calls {
		t.Run(c.name, func(t *testing.T) {
			var at int
			var root, clean string
			var views []pair
			renew := func() {
				root, views = t.TempDir(), nil
				makeHost(t, root)
				var err error
				at, err = unix.Open(root+"/w", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
				require.NoError(t, err)
				t.Cleanup(func() { unix.Close(at) })
				clean = treeOfHost(t, root)
				for name, open := range storages {
					v, err := vfs.NewView(vfs.ViewOptions{
						Mounts: []vfs.Mount{{Path: "/", FS: open(t)}}, Directory: "/w", Umask: 0o022,
					})
					require.NoError(t, err)
					makeView(t, v)
					views = append(views, pair{name, v})
				}
			}
			paths := append(randomPaths(uint64(len(c.name))), typedPaths...)
			for _, path := range paths {
				shown := path
				if len(shown) > 30 {
					shown = shown[:20] + "…"
				}
				if c.name == "truncate" && (path == "" || path == hops40 || len(path) > 4000) {
					continue // the detour through /proc names the directory
				}
				if clean == "" || treeOfHost(t, root) != clean {
					renew()
				}
				want := c.kernel(at, path)
				wantTree := treeOfHost(t, root)
				for _, one := range views {
					got := c.view(one.view, path)
					if vfs.Errno(got) != vfs.Errno(want) {
						t.Errorf("%s %q on %s: %v, the kernel says %v", c.name, shown, one.name, got, want)
						clean = ""
						continue
					}
					var b strings.Builder
					treeOfView(t, one.view, "/", ".", &b)
					if b.String() != wantTree {
						t.Errorf("%s %q on %s left\n%s\nthe kernel left\n%s", c.name, shown, one.name, b.String(), wantTree)
						clean = ""
					}
				}
			}
		})
	}
}
