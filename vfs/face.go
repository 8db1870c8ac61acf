package vfs

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"github.com/spf13/afero"
)

// Storage is an afero face over the view, for commands that use afero calls.
// It takes absolute, relative and the reference's slash-less forms (relative
// names are taken from "/").
func (v *View) Storage() Storage {
	return &aferoView{view: v.WithDirectory("/"), ctx: context.Background()}
}

// StorageContext is Storage whose calls end with ctx.
func (v *View) StorageContext(ctx context.Context) Storage {
	return &aferoView{view: v.WithDirectory("/"), ctx: ctx}
}

// Face is the afero.Fs over an FS that our storages embed, so that they can
// be handed over as a Storage. It follows links inside the storage.
type Face struct {
	aferoView
	fs FS
}

// NewFace makes the face of f.
func NewFace(f FS) *Face {
	t := &tree{mounts: []*mount{{Mount: Mount{Path: "/", FS: f}}}, face: true}
	return &Face{aferoView{&View{tree: t, directory: "/", where: t.moves.whereabouts("/")}, context.Background()}, f}
}

// FS gives what the face was made of.
func (f *Face) FS() FS { return f.fs }

// aferoView is a View as afero's interfaces have it.
type aferoView struct {
	view *View
	ctx  context.Context
}

var (
	_ afero.Fs        = (*aferoView)(nil)
	_ afero.Symlinker = (*aferoView)(nil)
)

// name is what the View is asked for: afero's "" is the root.
func (a *aferoView) name(name string) string {
	if name == "" {
		return "/"
	}
	return name
}

func (a *aferoView) Name() string { return "vfs" }

func (a *aferoView) Create(name string) (afero.File, error) {
	return a.OpenFile(name, O_RDWR|O_CREATE|O_TRUNC, 0o666)
}

func (a *aferoView) Open(name string) (afero.File, error) { return a.OpenFile(name, O_RDONLY, 0) }

func (a *aferoView) OpenFile(name string, flag int, perm os.FileMode) (afero.File, error) {
	f, err := a.view.Open(a.ctx, a.name(name), flag, perm)
	if err != nil {
		return nil, err
	}
	return &aferoFile{File: f, name: name, owner: a}, nil
}

func (a *aferoView) Mkdir(name string, perm os.FileMode) error {
	return a.view.Mkdir(a.ctx, a.name(name), perm)
}

func (a *aferoView) MkdirAll(name string, perm os.FileMode) error {
	return a.view.MkdirAll(a.ctx, a.name(name), perm)
}

// MkdirAll makes a directory and those above it that are missing. One that is
// there already is no error.
func (v *View) MkdirAll(ctx context.Context, name string, perm fs.FileMode) error {
	err := v.Mkdir(ctx, name, perm)
	if err == nil {
		return nil
	}
	switch Errno(err) {
	case ENOENT:
		trimmed := strings.TrimRight(name, "/")
		parent := path.Dir(trimmed)
		if parent == trimmed || parent == "." && !strings.Contains(trimmed, "/") {
			return err
		}
		if err := v.MkdirAll(ctx, parent, perm); err != nil {
			return err
		}
		if err = v.Mkdir(ctx, name, perm); err == nil {
			return nil
		}
	}
	if info, statErr := v.Stat(ctx, name); statErr == nil {
		if info.IsDir() {
			return nil
		}
		return failed("mkdir", name, ENOTDIR)
	}
	return err
}

// Remove removes a file or an empty directory.
func (a *aferoView) Remove(name string) error {
	err := a.view.Unlink(a.ctx, a.name(name))
	if e := Errno(err); e == EISDIR || e == EPERM {
		if second := a.view.Rmdir(a.ctx, a.name(name)); Errno(second) != ENOTDIR {
			return second
		}
	}
	return err
}

func (a *aferoView) RemoveAll(name string) error { return a.view.RemoveAll(a.ctx, a.name(name)) }

// RemoveAll removes path and what lies below it; a missing path is no error.
// What cannot be removed is left, and the first error returned.
func (v *View) RemoveAll(ctx context.Context, name string) error {
	err := v.Unlink(ctx, name)
	switch Errno(err) {
	case 0:
		if err == nil {
			return nil
		}
	case ENOENT:
		return nil
	}
	info, statErr := v.Lstat(ctx, name)
	if statErr != nil || !info.IsDir() {
		return err
	}
	entries, err := v.ReadDir(ctx, name)
	if err != nil {
		return err
	}
	var first error
	for _, e := range entries {
		if err := v.RemoveAll(ctx, path.Join(name, e.Name)); err != nil && first == nil {
			first = err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if first != nil {
		return first
	}
	if err := v.Rmdir(ctx, name); Errno(err) != ENOENT {
		return err
	}
	return nil
}

func (a *aferoView) Rename(from, to string) error {
	return a.view.Rename(a.ctx, a.name(from), a.name(to), false)
}

func (a *aferoView) Stat(name string) (os.FileInfo, error) {
	info, err := a.view.Stat(a.ctx, a.name(name))
	if err != nil {
		return nil, err
	}
	return info, nil
}

func (a *aferoView) Chmod(name string, mode os.FileMode) error {
	return a.view.Chmod(a.ctx, a.name(name), mode)
}

func (a *aferoView) Chown(name string, uid, gid int) error {
	return a.view.Chown(a.ctx, a.name(name), uid, gid, true)
}

func (a *aferoView) Chtimes(name string, atime, mtime time.Time) error {
	return a.view.Chtimes(a.ctx, a.name(name), atime, mtime, true)
}

func (a *aferoView) LstatIfPossible(name string) (os.FileInfo, bool, error) {
	info, err := a.view.Lstat(a.ctx, a.name(name))
	if err != nil {
		return nil, true, err
	}
	return info, true, nil
}

func (a *aferoView) SymlinkIfPossible(target, name string) error {
	return a.view.Symlink(a.ctx, target, a.name(name))
}

func (a *aferoView) ReadlinkIfPossible(name string) (string, error) {
	return a.view.Readlink(a.ctx, a.name(name))
}

// aferoFile is an open File with the directory calls afero wants of it.
type aferoFile struct {
	File
	name    string
	owner   *aferoView
	entries []os.FileInfo
	listed  bool
}

func (f *aferoFile) Name() string { return f.name }

func (f *aferoFile) Stat() (os.FileInfo, error) {
	info, err := f.File.Stat()
	if err != nil {
		return nil, failed("stat", f.name, err)
	}
	return f.owner.view.own(info), nil
}

func (f *aferoFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	return n, f.error("read", err)
}

func (f *aferoFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	return n, f.error("write", err)
}

// error names the file, but for io.EOF, which readers compare.
func (f *aferoFile) error(op string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return failed(op, f.name, err)
}

func (f *aferoFile) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

func (f *aferoFile) Readdir(count int) ([]os.FileInfo, error) {
	if !f.listed {
		info, err := f.File.Stat()
		if err != nil {
			return nil, f.error("readdir", err)
		}
		if !info.IsDir() {
			return nil, failed("readdir", f.name, ENOTDIR)
		}
		entries, err := f.owner.view.ReadDir(f.owner.ctx, f.owner.name(f.name))
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			info, err := f.owner.view.Lstat(f.owner.ctx, path.Join(f.owner.name(f.name), e.Name))
			if err == nil {
				f.entries = append(f.entries, info)
			} else if Errno(err) != ENOENT {
				return nil, err
			}
		}
		f.listed = true
	}
	if count <= 0 {
		rest := f.entries
		f.entries = nil
		return rest, nil
	}
	if len(f.entries) == 0 {
		return nil, io.EOF
	}
	n := min(count, len(f.entries))
	some := f.entries[:n]
	f.entries = f.entries[n:]
	return some, nil
}

func (f *aferoFile) Readdirnames(count int) ([]string, error) {
	infos, err := f.Readdir(count)
	names := make([]string, len(infos))
	for i, info := range infos {
		names[i] = info.Name()
	}
	return names, err
}
