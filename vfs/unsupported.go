package vfs

import (
	"context"
	"io/fs"
	"time"
)

// Unsupported answers every operation of FS with ENOTSUP. A storage that can
// do only some embeds it, and so keeps up when FS grows.
type Unsupported struct{}

func (Unsupported) Lstat(context.Context, string) (*Info, error)      { return nil, ENOTSUP }
func (Unsupported) ReadDir(context.Context, string) ([]Entry, error)  { return nil, ENOTSUP }
func (Unsupported) Mkdir(context.Context, string, fs.FileMode) error  { return ENOTSUP }
func (Unsupported) Mkfifo(context.Context, string, fs.FileMode) error { return ENOTSUP }
func (Unsupported) Unlink(context.Context, string) error              { return ENOTSUP }
func (Unsupported) Rmdir(context.Context, string) error               { return ENOTSUP }
func (Unsupported) Link(context.Context, string, string) error        { return ENOTSUP }
func (Unsupported) Symlink(context.Context, string, string) error     { return ENOTSUP }
func (Unsupported) Readlink(context.Context, string) (string, error)  { return "", ENOTSUP }
func (Unsupported) Chmod(context.Context, string, fs.FileMode) error  { return ENOTSUP }
func (Unsupported) Chown(context.Context, string, int, int) error     { return ENOTSUP }
func (Unsupported) Truncate(context.Context, string, int64) error     { return ENOTSUP }
func (Unsupported) Statfs(context.Context, string) (*Usage, error)    { return nil, ENOTSUP }
func (Unsupported) Rename(context.Context, string, string, bool) error {
	return ENOTSUP
}
func (Unsupported) Chtimes(context.Context, string, time.Time, time.Time) error {
	return ENOTSUP
}
func (Unsupported) Open(context.Context, string, int, fs.FileMode) (File, error) {
	return nil, ENOTSUP
}
