package vfs

import (
	"context"
	"io/fs"
	"time"
)

// ReadOnly shows f so that nothing can be changed: EROFS, after the answers a
// kernel gives first (what is missing is ENOENT, what is there EEXIST).
func ReadOnly(f FS) FS { return &readOnly{f} }

type readOnly struct{ FS }

// ChecksPermissions passes on what the storage below says.
func (r *readOnly) ChecksPermissions() bool {
	c, ok := r.FS.(PermissionChecker)
	return ok && c.ChecksPermissions()
}

// Search implements Searcher.
func (r *readOnly) Search(ctx context.Context, path string, allowed func(*Info) bool) error {
	return searchParents(ctx, r.FS, path, allowed)
}

// OpenChecked implements CheckedOpener.
func (r *readOnly) OpenChecked(ctx context.Context, path string, allowed func(*Info) bool) (File, error) {
	return openChecked(ctx, r.FS, path, allowed)
}

// ReadDirChecked implements CheckedOpener.
func (r *readOnly) ReadDirChecked(ctx context.Context, path string, allowed func(*Info) bool) ([]Entry, error) {
	return readDirChecked(ctx, r.FS, path, allowed)
}

func (r *readOnly) Open(ctx context.Context, path string, flag int, mode fs.FileMode) (File, error) {
	if flag&accessFlags == O_RDONLY && flag&(O_CREATE|O_TRUNC) == 0 {
		return r.FS.Open(ctx, path, flag, mode)
	}
	info, err := r.Lstat(ctx, path)
	switch {
	case err != nil && Errno(err) == ENOENT && flag&O_CREATE != 0:
		return nil, r.makes(ctx, path)
	case err != nil:
		return nil, err
	case flag&(O_CREATE|O_EXCL) == O_CREATE|O_EXCL:
		return nil, EEXIST
	case isLink(info):
		return nil, ELOOP
	case info.IsDir():
		return nil, EISDIR
	case flag&accessFlags == O_RDONLY && flag&O_TRUNC == 0:
		return r.FS.Open(ctx, path, flag&^O_CREATE, mode)
	}
	return nil, EROFS
}

// makes is the answer to making a name.
func (r *readOnly) makes(ctx context.Context, path string) error {
	_, err := r.Lstat(ctx, path)
	if err == nil {
		return EEXIST
	}
	if Errno(err) != ENOENT {
		return err
	}
	if _, err := r.Lstat(ctx, parent(path)); err != nil {
		return err
	}
	return EROFS
}

// changes is the answer to changing what is there.
func (r *readOnly) changes(ctx context.Context, path string) error {
	if _, err := r.Lstat(ctx, path); err != nil {
		return err
	}
	return EROFS
}

func (r *readOnly) Mkdir(ctx context.Context, path string, _ fs.FileMode) error {
	return r.makes(ctx, path)
}
func (r *readOnly) Mkfifo(ctx context.Context, path string, _ fs.FileMode) error {
	return r.makes(ctx, path)
}
func (r *readOnly) Symlink(ctx context.Context, _, path string) error { return r.makes(ctx, path) }
func (r *readOnly) Unlink(ctx context.Context, path string) error     { return r.changes(ctx, path) }
func (r *readOnly) Rmdir(ctx context.Context, path string) error      { return r.changes(ctx, path) }
func (r *readOnly) Rename(ctx context.Context, from, _ string, _ bool) error {
	return r.changes(ctx, from)
}
func (r *readOnly) Link(ctx context.Context, from, to string) error {
	if _, err := r.Lstat(ctx, from); err != nil {
		return err
	}
	return r.makes(ctx, to)
}
func (r *readOnly) Chmod(ctx context.Context, path string, _ fs.FileMode) error {
	return r.changes(ctx, path)
}
func (r *readOnly) Chown(ctx context.Context, path string, _, _ int) error {
	return r.changes(ctx, path)
}
func (r *readOnly) Chtimes(ctx context.Context, path string, _, _ time.Time) error {
	return r.changes(ctx, path)
}
func (r *readOnly) Truncate(ctx context.Context, path string, _ int64) error {
	return r.changes(ctx, path)
}
