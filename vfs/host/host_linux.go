package host

import (
	"context"
	"encoding/binary"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/vsh-project/vsh/vfs"
)

// directory is the FS of a host directory by raw descriptors. Every path is
// opened relative to root by openat2, or where that is missing one element
// after the other.
type directory struct {
	root           int
	refuseSymlinks bool
	trusted        bool
	// stepwise is set once openat2 has proved missing.
	stepwise atomic.Bool
}

func open(name string, refuseSymlinks bool) (vfs.FS, func() error, error) {
	fd, err := unix.Open(name, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	d := &directory{root: fd, refuseSymlinks: refuseSymlinks, trusted: os.Geteuid() != 0}
	return d, sync.OnceValue(func() error { return unix.Close(fd) }), nil
}

// ChecksPermissions implements vfs.PermissionChecker: the kernel binds every
// process but root's.
func (d *directory) ChecksPermissions() bool { return d.trusted }

// Search implements vfs.Searcher. It looks by name alone: who swaps a directory
// meanwhile can only mislead this check of bits that the shell alone knows, not
// the call that comes after it.
func (d *directory) Search(ctx context.Context, path string, allowed func(*vfs.Info) bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	info := vfs.Info{UID: -1, GID: -1}
	var st unix.Stat_t
	for i := 0; i < len(path)-1; i++ {
		if path[i] != '/' {
			continue
		}
		name := "."
		if i > 0 {
			name = path[1:i]
		}
		if err := unix.Fstatat(d.root, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return err
		}
		info.FileMode = fileMode(st.Mode)
		switch {
		case st.Mode&unix.S_IFMT == unix.S_IFLNK:
			return unix.ELOOP
		case st.Mode&unix.S_IFMT != unix.S_IFDIR:
			return unix.ENOTDIR
		case !allowed(&info):
			return unix.EACCES
		}
	}
	return nil
}

const resolve = unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS

// open opens a clean absolute path below the root. A link anywhere is ELOOP,
// but with O_PATH and O_NOFOLLOW one in the last element is opened itself.
func (d *directory) open(path string, flags int, mode uint32) (int, error) {
	name := path[1:]
	if name == "" {
		name = "."
	}
	flags |= unix.O_CLOEXEC
	if !d.stepwise.Load() {
		how := unix.OpenHow{Flags: uint64(flags), Mode: uint64(mode), Resolve: resolve}
		// EAGAIN is the kernel's doubt about a rename that went on meanwhile.
		for try := 0; ; try++ {
			fd, err := unix.Openat2(d.root, name, &how)
			switch {
			case err == unix.EINTR || err == unix.EAGAIN && try < 100:
				continue
			case err == unix.ENOSYS || err == unix.EPERM && !d.hasOpenat2():
				d.stepwise.Store(true)
				return d.step(name, flags, mode)
			}
			return fd, err
		}
	}
	return d.step(name, flags, mode)
}

// hasOpenat2 tells a filter's EPERM from a file's own.
func (d *directory) hasOpenat2() bool {
	fd, err := unix.Openat2(d.root, ".", &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: resolve})
	if err == nil {
		unix.Close(fd)
	}
	return err == nil
}

// step opens name one element after the other, none through a link.
func (d *directory) step(name string, flags int, mode uint32) (int, error) {
	at := d.root
	for {
		element, rest, more := strings.Cut(name, "/")
		next, err := d.element(at, element, flags, mode, more)
		if at != d.root {
			unix.Close(at)
		}
		if err != nil || !more {
			return next, err
		}
		at, name = next, rest
	}
}

func (d *directory) element(at int, name string, flags int, mode uint32, more bool) (int, error) {
	want := flags | unix.O_NOFOLLOW
	if more {
		want, mode = unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0
	}
	for {
		fd, err := unix.Openat(at, name, want, mode)
		if err == unix.EINTR {
			continue
		}
		if err == unix.ENOTDIR {
			var st unix.Stat_t
			if unix.Fstatat(at, name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK {
				return -1, unix.ELOOP
			}
		}
		return fd, err
	}
}

// above opens the directory above path. done closes what was opened.
func (d *directory) above(path string) (fd int, name string, done func(), err error) {
	i := strings.LastIndexByte(path, '/')
	name = path[i+1:]
	if i == 0 {
		return d.root, name, func() {}, nil
	}
	fd, err = d.open(path[:i], unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return -1, "", nil, err
	}
	return fd, name, func() { unix.Close(fd) }, nil
}

// within runs call on the directory above path and the last element.
func (d *directory) within(ctx context.Context, path string, call func(fd int, name string) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if path == "/" {
		return unix.EBUSY
	}
	fd, name, done, err := d.above(path)
	if err != nil {
		return err
	}
	defer done()
	for {
		if err := call(fd, name); err != unix.EINTR {
			return err
		}
	}
}

func (d *directory) stat(path string, st *unix.Stat_t) error {
	if path == "/" {
		return unix.Fstat(d.root, st)
	}
	if strings.LastIndexByte(path, '/') == 0 {
		return unix.Fstatat(d.root, path[1:], st, unix.AT_SYMLINK_NOFOLLOW)
	}
	fd, err := d.open(path, unix.O_PATH|unix.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	err = unix.Fstat(fd, st)
	unix.Close(fd)
	return err
}

func (d *directory) Lstat(ctx context.Context, path string) (*vfs.Info, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return d.statx(path)
}

// statx describes what a descriptor and a name below it lead to, with the time
// of birth that stat does not tell. Filesystems without one leave it zero.
func (d *directory) statx(path string) (*vfs.Info, error) {
	if path == "/" {
		return birthInfo(path, d.root, "")
	}
	if strings.LastIndexByte(path, '/') == 0 {
		return birthInfo(path, d.root, path[1:])
	}
	fd, err := d.open(path, unix.O_PATH|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	return birthInfo(path, fd, "")
}

func birthInfo(path string, fd int, name string) (*vfs.Info, error) {
	flags := unix.AT_SYMLINK_NOFOLLOW
	if name == "" {
		flags |= unix.AT_EMPTY_PATH
	}
	var st unix.Statx_t
	err := unix.Statx(fd, name, flags, unix.STATX_BASIC_STATS|unix.STATX_BTIME, &st)
	if err == unix.ENOSYS || err == unix.EPERM {
		var old unix.Stat_t
		if err := unix.Fstatat(fd, name, &old, flags); err != nil {
			return nil, err
		}
		return newInfo(path, &old), nil
	}
	if err != nil {
		return nil, err
	}
	at := func(t unix.StatxTimestamp) time.Time { return time.Unix(t.Sec, int64(t.Nsec)) }
	info := &vfs.Info{
		FileName: fileName(path), FileMode: fileMode(uint32(st.Mode)), Bytes: int64(st.Size), Blocks: int64(st.Blocks),
		Accessed: at(st.Atime), Modified: at(st.Mtime), Changed: at(st.Ctime),
		Inode: st.Ino, Device: unix.Mkdev(st.Dev_major, st.Dev_minor), Links: uint64(st.Nlink), UID: -1, GID: -1,
		DeviceNumber: uint64(st.Rdev_major)<<8 | uint64(st.Rdev_minor),
	}
	if st.Mask&unix.STATX_BTIME != 0 {
		info.Birthday = at(st.Btime)
	}
	return info, nil
}

func fileName(path string) string {
	if name := path[strings.LastIndexByte(path, '/')+1:]; name != "" {
		return name
	}
	return "/"
}

func newInfo(path string, st *unix.Stat_t) *vfs.Info {
	return &vfs.Info{
		FileName: fileName(path), FileMode: fileMode(st.Mode), Bytes: st.Size, Blocks: st.Blocks,
		Accessed: time.Unix(st.Atim.Unix()), Modified: time.Unix(st.Mtim.Unix()), Changed: time.Unix(st.Ctim.Unix()),
		Inode: st.Ino, Device: uint64(st.Dev), Links: uint64(st.Nlink), UID: -1, GID: -1,
	}
}

func fileMode(mode uint32) fs.FileMode {
	m := fs.FileMode(mode & 0o777)
	switch mode & unix.S_IFMT {
	case unix.S_IFDIR:
		m |= fs.ModeDir
	case unix.S_IFLNK:
		m |= fs.ModeSymlink
	case unix.S_IFIFO:
		m |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		m |= fs.ModeSocket
	case unix.S_IFBLK:
		m |= fs.ModeDevice
	case unix.S_IFCHR:
		m |= fs.ModeDevice | fs.ModeCharDevice
	}
	if mode&unix.S_ISUID != 0 {
		m |= fs.ModeSetuid
	}
	if mode&unix.S_ISGID != 0 {
		m |= fs.ModeSetgid
	}
	if mode&unix.S_ISVTX != 0 {
		m |= fs.ModeSticky
	}
	return m
}

// systemMode is the permission bits of a Go mode as the kernel has them.
func systemMode(mode fs.FileMode) uint32 {
	m := uint32(mode.Perm())
	if mode&fs.ModeSetuid != 0 {
		m |= unix.S_ISUID
	}
	if mode&fs.ModeSetgid != 0 {
		m |= unix.S_ISGID
	}
	if mode&fs.ModeSticky != 0 {
		m |= unix.S_ISVTX
	}
	return m
}

var listBuffers = sync.Pool{New: func() any { b := make([]byte, 32<<10); return &b }}

func (d *directory) ReadDir(ctx context.Context, path string) ([]vfs.Entry, error) {
	return d.ReadDirChecked(ctx, path, nil)
}

// ReadDirChecked implements vfs.CheckedOpener.
func (d *directory) ReadDirChecked(ctx context.Context, path string, allowed func(*vfs.Info) bool) ([]vfs.Entry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	fd, err := d.open(path, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	if allowed != nil {
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil {
			return nil, err
		}
		if !allowed(bare(&st)) {
			return nil, unix.EACCES
		}
	}
	buffer := listBuffers.Get().(*[]byte)
	defer listBuffers.Put(buffer)
	var entries []vfs.Entry
	for {
		n, err := unix.Getdents(fd, *buffer)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return entries, nil
		}
		entries = appendEntries(entries, (*buffer)[:n], fd)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}

// appendEntries reads linux_dirent64 records: inode, offset, length, type, name.
func appendEntries(entries []vfs.Entry, records []byte, fd int) []vfs.Entry {
	const header = 19
	for len(records) >= header {
		inode := binary.NativeEndian.Uint64(records)
		length := int(binary.NativeEndian.Uint16(records[16:]))
		kind := records[18]
		name := records[header:length]
		records = records[length:]
		for i, c := range name {
			if c == 0 {
				name = name[:i]
				break
			}
		}
		if inode == 0 || string(name) == "." || string(name) == ".." {
			continue
		}
		e := vfs.Entry{Name: string(name), Inode: inode}
		switch kind {
		case unix.DT_REG:
		case unix.DT_DIR:
			e.Type = fs.ModeDir
		case unix.DT_LNK:
			e.Type = fs.ModeSymlink
		default:
			var st unix.Stat_t
			if unix.Fstatat(fd, e.Name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil {
				e.Type = fileMode(st.Mode).Type()
			}
		}
		entries = append(entries, e)
	}
	return entries
}

const accessFlags = vfs.O_RDONLY | vfs.O_WRONLY | vfs.O_RDWR

func (d *directory) Open(ctx context.Context, path string, flag int, mode fs.FileMode) (vfs.File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	flags := flag&(accessFlags|vfs.O_APPEND) | unix.O_NONBLOCK | unix.O_NOCTTY
	perm := systemMode(mode &^ (fs.ModeSetuid | fs.ModeSetgid))
	fd, made, err := -1, false, error(unix.ENOENT)
	switch {
	case flag&vfs.O_CREATE == 0:
		fd, err = d.open(path, flags, 0)
	case flag&vfs.O_EXCL != 0:
		made = true
		fd, err = d.open(path, flags|unix.O_CREAT|unix.O_EXCL, perm)
		if err == unix.ELOOP && d.isLink(path) {
			err = unix.EEXIST
		}
	default:
		// Whether the file is new must be known: the mode of a new one is
		// exact, whatever the mask of the host's process.
		for try := 0; try < 100; try++ {
			if fd, err = d.open(path, flags, 0); err != unix.ENOENT {
				break
			}
			if fd, err = d.open(path, flags|unix.O_CREAT|unix.O_EXCL, perm); err != unix.EEXIST {
				made = err == nil
				break
			}
		}
		if err == nil && !made && flag&accessFlags == vfs.O_RDONLY {
			var st unix.Stat_t
			if unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR {
				unix.Close(fd)
				return nil, unix.EISDIR
			}
		}
	}
	if err != nil {
		return nil, refused(err)
	}
	f := &file{fd: fd, path: path, flag: flag}
	if err := f.check(flag, made, perm); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return f, nil
}

// OpenChecked implements vfs.CheckedOpener.
func (d *directory) OpenChecked(ctx context.Context, path string, allowed func(*vfs.Info) bool) (vfs.File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	fd, err := d.open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, refused(err)
	}
	var st unix.Stat_t
	err = unix.Fstat(fd, &st)
	if kind := st.Mode & unix.S_IFMT; err == nil && (kind != unix.S_IFDIR && kind != unix.S_IFREG || !allowed(bare(&st))) {
		err = unix.EACCES
	}
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return &file{fd: fd, path: path}, nil
}

// bare is what permission bits are checked with.
func bare(st *unix.Stat_t) *vfs.Info {
	return &vfs.Info{FileMode: fileMode(st.Mode), UID: -1, GID: -1}
}

// refused is the answer for a pipe, socket or device, which check refuses too.
func refused(err error) error {
	if err == unix.ENXIO || err == unix.ENODEV {
		return unix.EACCES
	}
	return err
}

func (d *directory) isLink(path string) bool {
	var st unix.Stat_t
	return d.stat(path, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK
}

func (d *directory) Mkdir(ctx context.Context, path string, mode fs.FileMode) error {
	if path == "/" {
		return unix.EEXIST
	}
	return d.within(ctx, path, func(at int, name string) error {
		perm := systemMode(mode)
		if err := unix.Mkdirat(at, name, perm); err != nil {
			return err
		}
		fd, err := unix.Openat(at, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil {
			return nil // made unreadable, as asked
		}
		defer unix.Close(fd)
		var st unix.Stat_t
		if unix.Fstat(fd, &st) == nil && st.Mode&0o1777 != perm&0o1777 {
			return unix.Fchmod(fd, perm|st.Mode&unix.S_ISGID)
		}
		return nil
	})
}

// Mkfifo is not supported: a pipe on the host would be one between programs.
// The View makes a virtual one in its place.
func (d *directory) Mkfifo(context.Context, string, fs.FileMode) error { return unix.ENOTSUP }

func (d *directory) Unlink(ctx context.Context, path string) error {
	if path == "/" {
		return unix.EISDIR
	}
	return d.within(ctx, path, func(at int, name string) error { return unix.Unlinkat(at, name, 0) })
}

func (d *directory) Rmdir(ctx context.Context, path string) error {
	return d.within(ctx, path, func(at int, name string) error { return unix.Unlinkat(at, name, unix.AT_REMOVEDIR) })
}

func (d *directory) Rename(ctx context.Context, from, to string, noReplace bool) error {
	if to == "/" {
		return unix.EBUSY
	}
	return d.within(ctx, from, func(at int, name string) error {
		target, newName, done, err := d.above(to)
		if err != nil {
			return err
		}
		defer done()
		if !noReplace {
			return unix.Renameat(at, name, target, newName)
		}
		err = unix.Renameat2(at, name, target, newName, unix.RENAME_NOREPLACE)
		if err != unix.EINVAL && err != unix.ENOSYS {
			return err
		}
		// The filesystem lacks the flag: a link is as exclusive, for files.
		var st unix.Stat_t
		if unix.Fstatat(at, name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR {
			if unix.Fstatat(target, newName, &st, unix.AT_SYMLINK_NOFOLLOW) == nil {
				return unix.EEXIST
			}
			return unix.Renameat(at, name, target, newName)
		}
		if err := unix.Linkat(at, name, target, newName, 0); err != nil {
			return err
		}
		return unix.Unlinkat(at, name, 0)
	})
}

func (d *directory) Link(ctx context.Context, from, to string) error {
	if from == "/" {
		return unix.EPERM
	}
	return d.within(ctx, from, func(at int, name string) error {
		// What is missing is told in the order in which the kernel looks.
		var st unix.Stat_t
		if err := unix.Fstatat(at, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return err
		}
		target, newName, done, err := d.above(to)
		if err != nil {
			return err
		}
		defer done()
		return unix.Linkat(at, name, target, newName, 0)
	})
}

func (d *directory) Symlink(ctx context.Context, target, path string) error {
	if d.refuseSymlinks {
		return unix.EPERM
	}
	return d.within(ctx, path, func(at int, name string) error { return unix.Symlinkat(target, at, name) })
}

func (d *directory) Readlink(ctx context.Context, path string) (target string, err error) {
	if path == "/" {
		return "", unix.EINVAL
	}
	err = d.within(ctx, path, func(at int, name string) error {
		buffer := make([]byte, unix.PathMax)
		n, err := unix.Readlinkat(at, name, buffer)
		if err == nil && d.refuseSymlinks {
			return unix.EACCES
		}
		target = string(buffer[:max(n, 0)])
		return err
	})
	return target, err
}

func (d *directory) Chmod(ctx context.Context, path string, mode fs.FileMode) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	fd, err := d.open(path, unix.O_PATH|unix.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFLNK:
		return unix.ENOTSUP
	case unix.S_IFDIR:
	default:
		if mode&(fs.ModeSetuid|fs.ModeSetgid) != 0 {
			return unix.EPERM
		}
	}
	err = chmodDescriptor(fd, systemMode(mode))
	if err == nil {
		return nil
	}
	if err = chmodByProc(fd, systemMode(mode)); err != unix.ENOENT && err != unix.EACCES {
		return err
	}
	// There is no /proc, or it is closed to this process.
	readable, err := d.open(path, unix.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer unix.Close(readable)
	return unix.Fchmod(readable, systemMode(mode))
}

// chmodDescriptor needs Linux 6.6; older ones, and filters of system calls,
// refuse it.
func chmodDescriptor(fd int, mode uint32) error {
	return unix.Fchmodat(fd, "", mode, unix.AT_EMPTY_PATH)
}

// chmodByProc changes a path descriptor by its name in /proc, which is this very
// inode, whatever its path leads to by now.
func chmodByProc(fd int, mode uint32) error {
	return unix.Chmod("/proc/self/fd/"+strconv.Itoa(fd), mode)
}

// Chown is refused: owners are the shell's own.
func (d *directory) Chown(ctx context.Context, path string, _, _ int) error {
	if _, err := d.Lstat(ctx, path); err != nil {
		return err
	}
	return unix.EPERM
}

func timespec(t time.Time) unix.Timespec {
	if t.IsZero() {
		return unix.Timespec{Nsec: unix.UTIME_OMIT}
	}
	return unix.Timespec{Sec: t.Unix(), Nsec: int64(t.Nanosecond())}
}

func (d *directory) Chtimes(ctx context.Context, path string, atime, mtime time.Time) error {
	times := []unix.Timespec{timespec(atime), timespec(mtime)}
	if path == "/" {
		return unix.UtimesNanoAt(d.root, ".", times, 0)
	}
	return d.within(ctx, path, func(at int, name string) error {
		return unix.UtimesNanoAt(at, name, times, unix.AT_SYMLINK_NOFOLLOW)
	})
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

func (d *directory) Statfs(ctx context.Context, path string) (*vfs.Usage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	fd, err := d.open(path, unix.O_PATH|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	var st unix.Statfs_t
	if err := unix.Fstatfs(fd, &st); err != nil {
		return nil, err
	}
	size := uint64(st.Frsize)
	return &vfs.Usage{
		Bytes: st.Blocks * size, FreeBytes: st.Bavail * size, Inodes: st.Files, FreeInodes: st.Ffree,
		BlockSize: st.Frsize,
	}, nil
}
