//go:build !linux

package host

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/vsh-project/vsh/vfs"
)

// directory is the FS of a host directory by os.Root. Links are looked for
// element by element before each call.
type directory struct {
	root           *os.Root
	refuseSymlinks bool
}

func open(name string, refuseSymlinks bool) (vfs.FS, func() error, error) {
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, nil, err
	}
	return &directory{root, refuseSymlinks}, root.Close, nil
}

// name is path for os.Root. What Windows would read as something else than one
// name is refused: a backslash, a stream's colon, a device, a trailing dot.
func (d *directory) name(path string) (string, error) {
	if path == "/" {
		return ".", nil
	}
	name := path[1:]
	if runtime.GOOS == "windows" {
		for element := range strings.SplitSeq(name, "/") {
			if strings.ContainsAny(element, `\:*?"<>|`) || strings.HasSuffix(element, ".") || strings.HasSuffix(element, " ") {
				return "", vfs.EINVAL
			}
		}
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return "", vfs.EINVAL
		}
	}
	return filepath.FromSlash(name), nil
}

// number is the bare error number, free of the host's path.
func number(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	if errno := vfs.Errno(err); errno != 0 {
		return errno
	}
	return vfs.EIO
}

// check is the name of path after all above it proved to be directories.
func (d *directory) check(ctx context.Context, path string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	name, err := d.name(path)
	if err != nil {
		return "", err
	}
	for i := 1; i < len(path); i++ {
		if path[i] != '/' {
			continue
		}
		above, err := d.name(path[:i])
		if err != nil {
			return "", err
		}
		info, err := d.root.Lstat(above)
		switch {
		case err != nil:
			return "", number(err)
		case info.Mode()&fs.ModeSymlink != 0:
			return "", vfs.ELOOP
		case !info.IsDir():
			return "", vfs.ENOTDIR
		}
	}
	return name, nil
}

func (d *directory) lstat(ctx context.Context, path string) (string, os.FileInfo, error) {
	name, err := d.check(ctx, path)
	if err != nil {
		return "", nil, err
	}
	info, err := d.root.Lstat(name)
	return name, info, number(err)
}

func (d *directory) Lstat(ctx context.Context, path string) (*vfs.Info, error) {
	_, info, err := d.lstat(ctx, path)
	if err != nil {
		return nil, err
	}
	return vfs.InfoOf(info, path), nil
}

func (d *directory) ReadDir(ctx context.Context, path string) ([]vfs.Entry, error) {
	name, info, err := d.lstat(ctx, path)
	switch {
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, vfs.ELOOP
	case !info.IsDir():
		return nil, vfs.ENOTDIR
	}
	f, err := d.root.Open(name)
	if err != nil {
		return nil, number(err)
	}
	defer f.Close()
	list, err := f.ReadDir(-1)
	if err != nil {
		return nil, number(err)
	}
	entries := make([]vfs.Entry, len(list))
	for i, e := range list {
		entries[i] = vfs.Entry{Name: e.Name(), Type: e.Type(), Inode: vfs.PathInode(path + "/" + e.Name())}
	}
	return entries, nil
}

func (d *directory) Open(ctx context.Context, path string, flag int, mode fs.FileMode) (vfs.File, error) {
	name, info, err := d.lstat(ctx, path)
	switch {
	case err == nil && flag&(vfs.O_CREATE|vfs.O_EXCL) == vfs.O_CREATE|vfs.O_EXCL:
		return nil, vfs.EEXIST
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		return nil, vfs.ELOOP
	case err == nil && info.IsDir() && flag != vfs.O_RDONLY:
		return nil, vfs.EISDIR
	case err == nil && !info.IsDir() && !info.Mode().IsRegular():
		return nil, vfs.EACCES
	case err != nil && (vfs.Errno(err) != vfs.ENOENT || flag&vfs.O_CREATE == 0):
		return nil, err
	}
	if name == "" {
		if name, err = d.check(ctx, path); err != nil {
			return nil, err
		}
	}
	f, err := d.root.OpenFile(name, flag, mode.Perm())
	if err != nil {
		return nil, number(err)
	}
	return &file{f, path}, nil
}

func (d *directory) Mkdir(ctx context.Context, path string, mode fs.FileMode) error {
	name, err := d.check(ctx, path)
	if err != nil {
		return err
	}
	return number(d.root.Mkdir(name, mode.Perm()))
}

func (d *directory) Mkfifo(context.Context, string, fs.FileMode) error { return vfs.ENOTSUP }

func (d *directory) Unlink(ctx context.Context, path string) error {
	name, info, err := d.lstat(ctx, path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return vfs.EISDIR
	}
	return number(d.root.Remove(name))
}

func (d *directory) Rmdir(ctx context.Context, path string) error {
	name, info, err := d.lstat(ctx, path)
	switch {
	case path == "/":
		return vfs.EBUSY
	case err != nil:
		return err
	case !info.IsDir():
		return vfs.ENOTDIR
	}
	entries, err := d.ReadDir(ctx, path)
	if err == nil && len(entries) > 0 {
		return vfs.ENOTEMPTY
	}
	return number(d.root.Remove(name))
}

func (d *directory) Rename(ctx context.Context, from, to string, noReplace bool) error {
	source, sourceInfo, err := d.lstat(ctx, from)
	if err != nil {
		return err
	}
	target, err := d.check(ctx, to)
	if err != nil {
		return err
	}
	if info, err := d.root.Lstat(target); err == nil {
		switch {
		case noReplace:
			return vfs.EEXIST
		case sourceInfo.IsDir() && !info.IsDir():
			return vfs.ENOTDIR
		case !sourceInfo.IsDir() && info.IsDir():
			return vfs.EISDIR
		}
	}
	return number(d.root.Rename(source, target))
}

func (d *directory) Link(ctx context.Context, from, to string) error {
	source, info, err := d.lstat(ctx, from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return vfs.EPERM
	}
	target, err := d.check(ctx, to)
	if err != nil {
		return err
	}
	return number(d.root.Link(source, target))
}

func (d *directory) Symlink(ctx context.Context, target, path string) error {
	if d.refuseSymlinks {
		return vfs.EPERM
	}
	name, err := d.check(ctx, path)
	if err != nil {
		return err
	}
	return number(d.root.Symlink(target, name))
}

func (d *directory) Readlink(ctx context.Context, path string) (string, error) {
	name, info, err := d.lstat(ctx, path)
	switch {
	case err != nil:
		return "", err
	case info.Mode()&fs.ModeSymlink == 0:
		return "", vfs.EINVAL
	case d.refuseSymlinks:
		return "", vfs.EACCES
	}
	target, err := d.root.Readlink(name)
	return filepath.ToSlash(target), number(err)
}

func (d *directory) Chmod(ctx context.Context, path string, mode fs.FileMode) error {
	name, info, err := d.lstat(ctx, path)
	switch {
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return vfs.ENOTSUP
	case !info.IsDir() && mode&(fs.ModeSetuid|fs.ModeSetgid) != 0:
		return vfs.EPERM
	}
	return number(d.root.Chmod(name, mode))
}

// Chown is refused: owners are the shell's own.
func (d *directory) Chown(ctx context.Context, path string, _, _ int) error {
	if _, _, err := d.lstat(ctx, path); err != nil {
		return err
	}
	return vfs.EPERM
}

func (d *directory) Chtimes(ctx context.Context, path string, atime, mtime time.Time) error {
	name, info, err := d.lstat(ctx, path)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return vfs.ENOTSUP
	}
	return number(d.root.Chtimes(name, atime, mtime))
}

func (d *directory) Truncate(ctx context.Context, path string, size int64) error {
	f, err := d.Open(ctx, path, vfs.O_WRONLY, 0)
	if err != nil {
		return err
	}
	err = f.Truncate(size)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

func (d *directory) Statfs(context.Context, string) (*vfs.Usage, error) { return nil, vfs.ENOTSUP }

// file is an open file whose errors are bare numbers.
type file struct {
	f    *os.File
	path string
}

func (f *file) Read(p []byte) (int, error)  { n, err := f.f.Read(p); return n, number(err) }
func (f *file) Write(p []byte) (int, error) { n, err := f.f.Write(p); return n, number(err) }
func (f *file) ReadAt(p []byte, at int64) (int, error) {
	n, err := f.f.ReadAt(p, at)
	return n, number(err)
}
func (f *file) WriteAt(p []byte, at int64) (int, error) {
	n, err := f.f.WriteAt(p, at)
	return n, number(err)
}
func (f *file) Seek(offset int64, whence int) (int64, error) {
	n, err := f.f.Seek(offset, whence)
	return n, number(err)
}
func (f *file) Truncate(size int64) error { return number(f.f.Truncate(size)) }
func (f *file) Sync() error               { return number(f.f.Sync()) }
func (f *file) Close() error              { return number(f.f.Close()) }
func (f *file) Stat() (*vfs.Info, error) {
	info, err := f.f.Stat()
	if err != nil {
		return nil, number(err)
	}
	return vfs.InfoOf(info, f.path), nil
}
