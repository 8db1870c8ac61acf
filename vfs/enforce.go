package vfs

import (
	"context"
	"io/fs"
	"time"
)

// Enforce wraps f, which is mounted at the path point, so that no operation gets
// past the policy. The View wraps the mounts that have one; whoever reaches the
// storage another way is checked just so.
func Enforce(f FS, point string, policy Policy) FS {
	return &enforced{FS: f, mount: mount{Mount: Mount{Path: point}}, policy: policy}
}

type enforced struct {
	FS
	mount  mount // only to tell paths
	policy Policy
}

func (e *enforced) check(inner string, intent Intent) error {
	outer := inner
	if e.mount.Path != "/" {
		outer = e.mount.Path
		if inner != "/" {
			outer += inner
		}
	}
	return e.policy.Check(outer, intent)
}

// ChecksPermissions passes on what the storage below says.
func (e *enforced) ChecksPermissions() bool {
	c, ok := e.FS.(PermissionChecker)
	return ok && c.ChecksPermissions()
}

// Search implements Searcher.
func (e *enforced) Search(ctx context.Context, path string, allowed func(*Info) bool) error {
	return searchParents(ctx, e.FS, path, allowed)
}

// OpenChecked implements CheckedOpener.
func (e *enforced) OpenChecked(ctx context.Context, path string, allowed func(*Info) bool) (File, error) {
	if err := e.check(path, IntentRead); err != nil {
		return nil, err
	}
	return openChecked(ctx, e.FS, path, allowed)
}

// ReadDirChecked implements CheckedOpener.
func (e *enforced) ReadDirChecked(ctx context.Context, path string, allowed func(*Info) bool) ([]Entry, error) {
	if err := e.check(path, IntentRead); err != nil {
		return nil, err
	}
	return readDirChecked(ctx, e.FS, path, allowed)
}

func (e *enforced) Lstat(ctx context.Context, path string) (*Info, error) {
	if err := e.check(path, IntentLookup); err != nil {
		return nil, err
	}
	return e.FS.Lstat(ctx, path)
}

func (e *enforced) ReadDir(ctx context.Context, path string) ([]Entry, error) {
	if err := e.check(path, IntentRead); err != nil {
		return nil, err
	}
	return e.FS.ReadDir(ctx, path)
}

// openIntent is what an Open with that flag is about to do.
func openIntent(flag int) Intent {
	if flag&accessFlags != O_RDONLY || flag&(O_CREATE|O_TRUNC) != 0 {
		return IntentWrite
	}
	return IntentRead
}

func (e *enforced) Open(ctx context.Context, path string, flag int, mode fs.FileMode) (File, error) {
	if err := e.check(path, openIntent(flag)); err != nil {
		return nil, err
	}
	return e.FS.Open(ctx, path, flag, mode)
}

func (e *enforced) Mkdir(ctx context.Context, path string, mode fs.FileMode) error {
	if err := e.check(path, IntentWrite); err != nil {
		return err
	}
	return e.FS.Mkdir(ctx, path, mode)
}

func (e *enforced) Mkfifo(ctx context.Context, path string, mode fs.FileMode) error {
	if err := e.check(path, IntentWrite); err != nil {
		return err
	}
	return e.FS.Mkfifo(ctx, path, mode)
}

func (e *enforced) Unlink(ctx context.Context, path string) error {
	if err := e.check(path, IntentRemove); err != nil {
		return err
	}
	return e.FS.Unlink(ctx, path)
}

func (e *enforced) Rmdir(ctx context.Context, path string) error {
	if err := e.check(path, IntentRemove); err != nil {
		return err
	}
	return e.FS.Rmdir(ctx, path)
}

func (e *enforced) Rename(ctx context.Context, from, to string, noReplace bool) error {
	for _, path := range [2]string{from, to} {
		if err := e.check(path, IntentRemove); err != nil {
			return err
		}
	}
	return e.FS.Rename(ctx, from, to, noReplace)
}

// Link wants to write to both: through the new name the old file is changed.
func (e *enforced) Link(ctx context.Context, from, to string) error {
	for _, path := range [2]string{from, to} {
		if err := e.check(path, IntentWrite); err != nil {
			return err
		}
	}
	return e.FS.Link(ctx, from, to)
}

func (e *enforced) Symlink(ctx context.Context, target, path string) error {
	if err := e.check(path, IntentWrite); err != nil {
		return err
	}
	return e.FS.Symlink(ctx, target, path)
}

func (e *enforced) Readlink(ctx context.Context, path string) (string, error) {
	if err := e.check(path, IntentLookup); err != nil {
		return "", err
	}
	return e.FS.Readlink(ctx, path)
}

func (e *enforced) Chmod(ctx context.Context, path string, mode fs.FileMode) error {
	if err := e.check(path, IntentWrite); err != nil {
		return err
	}
	return e.FS.Chmod(ctx, path, mode)
}

func (e *enforced) Chown(ctx context.Context, path string, uid, gid int) error {
	if err := e.check(path, IntentWrite); err != nil {
		return err
	}
	return e.FS.Chown(ctx, path, uid, gid)
}

func (e *enforced) Chtimes(ctx context.Context, path string, atime, mtime time.Time) error {
	if err := e.check(path, IntentWrite); err != nil {
		return err
	}
	return e.FS.Chtimes(ctx, path, atime, mtime)
}

func (e *enforced) Truncate(ctx context.Context, path string, size int64) error {
	if err := e.check(path, IntentWrite); err != nil {
		return err
	}
	return e.FS.Truncate(ctx, path, size)
}

func (e *enforced) Statfs(ctx context.Context, path string) (*Usage, error) {
	if err := e.check(path, IntentLookup); err != nil {
		return nil, err
	}
	return e.FS.Statfs(ctx, path)
}
