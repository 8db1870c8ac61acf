// Package vfs is the filesystem a script sees: storages, the mounts that join
// them, and the View that resolves every path a script types.
package vfs

import (
	"context"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/spf13/afero"
)

// Storage is a filesystem an embedder hands over. It is always asked with
// absolute slash paths, "/" being its root.
type Storage = afero.Fs

// Open flags, as the flag argument of FS.Open and View.Open takes them.
const (
	O_RDONLY = os.O_RDONLY
	O_WRONLY = os.O_WRONLY
	O_RDWR   = os.O_RDWR
	O_APPEND = os.O_APPEND
	O_CREATE = os.O_CREATE
	O_EXCL   = os.O_EXCL
	O_TRUNC  = os.O_TRUNC
)

// Causes of errors. Every error of this package unwraps to one of these (or
// to a context's error); Words gives GNU's text for it.
const (
	EACCES       = syscall.EACCES
	EBADF        = syscall.EBADF
	EBUSY        = syscall.EBUSY
	EEXIST       = syscall.EEXIST
	EFBIG        = syscall.EFBIG
	EINVAL       = syscall.EINVAL
	EIO          = syscall.EIO
	EISDIR       = syscall.EISDIR
	ELOOP        = syscall.ELOOP
	EMFILE       = syscall.EMFILE
	EMLINK       = syscall.EMLINK
	ENAMETOOLONG = syscall.ENAMETOOLONG
	ENODEV       = syscall.ENODEV
	ENOENT       = syscall.ENOENT
	ENOMEM       = syscall.ENOMEM
	ENOSPC       = syscall.ENOSPC
	ENOTDIR      = syscall.ENOTDIR
	ENOTEMPTY    = syscall.ENOTEMPTY
	ENOTSUP      = syscall.ENOTSUP
	ENXIO        = syscall.ENXIO
	EPERM        = syscall.EPERM
	EPIPE        = syscall.EPIPE
	EROFS        = syscall.EROFS
	ESPIPE       = syscall.ESPIPE
	EXDEV        = syscall.EXDEV
)

// FS is what the shell needs of a filesystem. Paths are absolute and clean.
// No operation follows a symbolic link: one in the last element is operated on
// itself (Open answers ELOOP), one in a parent is answered with ELOOP, whereupon
// the View resolves the path. Each operation may answer ENOTSUP. Errors unwrap
// to a syscall.Errno. All methods are safe for concurrent use.
type FS interface {
	// Lstat describes the entry itself.
	Lstat(ctx context.Context, path string) (*Info, error)
	// ReadDir lists a directory in the storage's own order, without "." and "..".
	ReadDir(ctx context.Context, path string) ([]Entry, error)
	// Open opens a file, or a directory for reading only (its Read answers
	// EISDIR). mode is used for a file that O_CREATE makes; the umask has been
	// applied to it.
	Open(ctx context.Context, path string, flag int, mode fs.FileMode) (File, error)
	Mkdir(ctx context.Context, path string, mode fs.FileMode) error
	// Mkfifo makes a named pipe's inode. Open answers ENXIO for one, and the
	// View gives it its behaviour.
	Mkfifo(ctx context.Context, path string, mode fs.FileMode) error
	// Unlink removes anything but a directory (EISDIR).
	Unlink(ctx context.Context, path string) error
	// Rmdir removes an empty directory.
	Rmdir(ctx context.Context, path string) error
	// Rename follows POSIX rename(2); with noReplace an existing target is EEXIST.
	Rename(ctx context.Context, from, to string, noReplace bool) error
	Link(ctx context.Context, from, to string) error
	Symlink(ctx context.Context, target, path string) error
	Readlink(ctx context.Context, path string) (string, error)
	// Chmod sets permission, setuid, setgid and sticky bits.
	Chmod(ctx context.Context, path string, mode fs.FileMode) error
	// Chown sets owners; -1 keeps one.
	Chown(ctx context.Context, path string, uid, gid int) error
	// Chtimes sets times; a zero time keeps one.
	Chtimes(ctx context.Context, path string, atime, mtime time.Time) error
	Truncate(ctx context.Context, path string, size int64) error
	Statfs(ctx context.Context, path string) (*Usage, error)
}

// File is an open file. Its descriptor-like state (offset, append) is its own;
// it stays valid after the name is removed or replaced. With O_APPEND each
// Write lands at the end, whole.
type File interface {
	io.Reader
	io.Writer
	io.ReaderAt
	io.WriterAt
	io.Seeker
	io.Closer
	Stat() (*Info, error)
	Truncate(size int64) error
	Sync() error
}

// Entry is one name of a directory. Type holds only type bits.
type Entry struct {
	Name  string
	Type  fs.FileMode
	Inode uint64
}

// IsDir reports whether the entry itself is a directory.
func (e Entry) IsDir() bool { return e.Type.IsDir() }

// Usage is what df shows of a filesystem, in bytes and inodes.
type Usage struct {
	Bytes, FreeBytes   uint64
	Inodes, FreeInodes uint64
	BlockSize          int64
}

// Info describes one file. It is an fs.FileInfo.
type Info struct {
	FileName string
	// FileMode holds type and permission bits in Go's form.
	FileMode fs.FileMode
	Bytes    int64
	// Blocks counts 512-byte units on the storage.
	Blocks                                int64
	Accessed, Modified, Changed, Birthday time.Time
	Inode, Device, Links                  uint64
	// DeviceNumber is what a device file stands for, major<<8 | minor.
	DeviceNumber uint64
	// UID and GID are -1 where the storage holds no owners; the View then
	// shows the shell's own identity.
	UID, GID int
}

func (i *Info) Name() string       { return i.FileName }
func (i *Info) Size() int64        { return i.Bytes }
func (i *Info) Mode() fs.FileMode  { return i.FileMode }
func (i *Info) ModTime() time.Time { return i.Modified }
func (i *Info) IsDir() bool        { return i.FileMode.IsDir() }

// Sys returns the Info itself.
func (i *Info) Sys() any { return i }

// SameFile reports whether both describe one inode of one device.
func SameFile(a, b *Info) bool { return a.Inode == b.Inode && a.Device == b.Device }
