package vfs

import (
	"context"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"sync"
	"time"
)

type descriptorsKey struct{}

// devices is the filesystem of /dev. Its fd directory and the standard streams
// are those of the process whose View asks.
type devices struct {
	mu     sync.Mutex
	random io.Reader
}

// NewDevices makes the filesystem to mount at /dev: null, zero, full, random,
// urandom, tty (which is never there to open), stdin, stdout, stderr and fd.
// random is what random and urandom read; it must not run dry.
func NewDevices(random io.Reader) FS { return &devices{random: random} }

// deviceNames are in order; a name's place gives its inode.
var deviceNames = [...]string{"fd", "full", "null", "random", "stderr", "stdin", "stdout", "tty", "urandom", "zero"}

func deviceNumber(name string) uint64 {
	switch name {
	case "null":
		return 1<<8 | 3
	case "zero":
		return 1<<8 | 5
	case "full":
		return 1<<8 | 7
	case "random":
		return 1<<8 | 8
	case "urandom":
		return 1<<8 | 9
	}
	return 5 << 8 // tty
}

const devicesDevice = 5

// standard is the descriptor a standard stream's name or a name in fd stands
// for.
func standard(name string) (int, bool) {
	switch name {
	case "stdin":
		return 0, true
	case "stdout":
		return 1, true
	case "stderr":
		return 2, true
	}
	if digits, ok := strings.CutPrefix(name, "fd/"); ok && digits != "" && len(digits) < 10 {
		n, err := strconv.Atoi(digits)
		return n, err == nil && strconv.Itoa(n) == digits
	}
	return 0, false
}

func openDescriptors(ctx context.Context) Descriptors {
	d, _ := ctx.Value(descriptorsKey{}).(Descriptors)
	return d
}

func (d *devices) Lstat(ctx context.Context, path string) (*Info, error) {
	name := path[1:]
	epoch := time.Unix(0, 0)
	info := &Info{Links: 1, Accessed: epoch, Modified: epoch, Changed: epoch, Device: devicesDevice}
	info.FileName = name[strings.LastIndexByte(name, '/')+1:]
	if name == "" || name == "fd" {
		info.FileMode, info.Inode, info.Links = fs.ModeDir|0o755, 1, 2
		if name == "fd" {
			info.FileMode, info.Inode = fs.ModeDir|0o555, 2
		} else {
			info.FileName = "/"
		}
		return info, nil
	}
	if fd, ok := standard(name); ok {
		open := openDescriptors(ctx)
		if open == nil {
			return nil, ENOENT
		}
		of, err := open.StatDescriptor(fd)
		if err != nil {
			return nil, ENOENT
		}
		c := *of
		c.FileName = info.FileName
		return &c, nil
	}
	for i, known := range deviceNames {
		if known == name {
			info.FileMode, info.Inode = fs.ModeDevice|fs.ModeCharDevice|0o666, uint64(3+i)
			info.DeviceNumber = deviceNumber(name)
			return info, nil
		}
	}
	if parent, _, below := strings.Cut(name, "/"); below && parent != "fd" {
		if _, err := d.Lstat(ctx, "/"+parent); err == nil {
			return nil, ENOTDIR
		}
	}
	return nil, ENOENT
}

func (d *devices) ReadDir(ctx context.Context, path string) ([]Entry, error) {
	info, err := d.Lstat(ctx, path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, ENOTDIR
	}
	var entries []Entry
	if path == "/fd" {
		if open := openDescriptors(ctx); open != nil {
			for _, fd := range open.ListDescriptors() {
				entries = append(entries, Entry{Name: strconv.Itoa(fd), Type: fs.ModeSymlink})
				if of, err := open.StatDescriptor(fd); err == nil {
					entries[len(entries)-1].Type, entries[len(entries)-1].Inode = of.FileMode.Type(), of.Inode
				}
			}
		}
		return entries, nil
	}
	for _, name := range deviceNames {
		if info, err := d.Lstat(ctx, "/"+name); err == nil {
			entries = append(entries, Entry{Name: name, Type: info.FileMode.Type(), Inode: info.Inode})
		}
	}
	return entries, nil
}

func (d *devices) Open(ctx context.Context, path string, flag int, _ fs.FileMode) (File, error) {
	name := path[1:]
	if fd, ok := standard(name); ok {
		open := openDescriptors(ctx)
		if open == nil {
			return nil, ENOENT
		}
		f, err := open.OpenDescriptor(ctx, fd, flag)
		if Errno(err) == EBADF {
			err = ENOENT
		}
		return f, err
	}
	info, err := d.Lstat(ctx, path)
	switch {
	case err != nil && flag&O_CREATE != 0 && Errno(err) == ENOENT:
		return nil, EACCES
	case err != nil:
		return nil, err
	case flag&(O_CREATE|O_EXCL) == O_CREATE|O_EXCL:
		return nil, EEXIST
	case info.IsDir() && (flag&accessFlags != O_RDONLY || flag&O_CREATE != 0):
		return nil, EISDIR
	case info.IsDir():
		return &directoryFile{info: info}, nil
	case name == "tty":
		return nil, ENXIO
	}
	return &deviceFile{devices: d, info: info, flag: flag}, nil
}

// deviceFile is an open device.
type deviceFile struct {
	devices *devices
	info    *Info
	flag    int
}

func (f *deviceFile) Read(p []byte) (int, error) {
	if f.flag&accessFlags == O_WRONLY {
		return 0, EBADF
	}
	switch f.info.FileName {
	case "null":
		return 0, io.EOF
	case "zero", "full":
		clear(p)
		return len(p), nil
	}
	f.devices.mu.Lock()
	defer f.devices.mu.Unlock()
	return io.ReadFull(f.devices.random, p)
}

func (f *deviceFile) ReadAt(p []byte, _ int64) (int, error) { return f.Read(p) }

func (f *deviceFile) Write(p []byte) (int, error) {
	if f.flag&accessFlags == O_RDONLY {
		return 0, EBADF
	}
	if f.info.FileName == "full" && len(p) > 0 {
		return 0, ENOSPC
	}
	return len(p), nil
}

func (f *deviceFile) WriteAt(p []byte, _ int64) (int, error) { return f.Write(p) }
func (f *deviceFile) Seek(int64, int) (int64, error)         { return 0, nil }
func (f *deviceFile) Close() error                           { return nil }
func (f *deviceFile) Stat() (*Info, error)                   { return f.info, nil }
func (f *deviceFile) Truncate(int64) error                   { return EINVAL }
func (f *deviceFile) Sync() error                            { return EINVAL }

// change is the answer to every attempt to alter what /dev holds.
func (d *devices) change(ctx context.Context, path string, makes bool) error {
	_, err := d.Lstat(ctx, path)
	switch {
	case err == nil && makes:
		return EEXIST
	case err == nil || makes && Errno(err) == ENOENT:
		return EACCES
	}
	return err
}

func (d *devices) Mkdir(ctx context.Context, path string, _ fs.FileMode) error {
	return d.change(ctx, path, true)
}
func (d *devices) Mkfifo(ctx context.Context, path string, _ fs.FileMode) error {
	return d.change(ctx, path, true)
}
func (d *devices) Unlink(ctx context.Context, path string) error { return d.change(ctx, path, false) }
func (d *devices) Rmdir(ctx context.Context, path string) error  { return d.change(ctx, path, false) }
func (d *devices) Rename(ctx context.Context, from, _ string, _ bool) error {
	return d.change(ctx, from, false)
}
func (d *devices) Link(ctx context.Context, _, to string) error { return d.change(ctx, to, true) }
func (d *devices) Symlink(ctx context.Context, _, path string) error {
	return d.change(ctx, path, true)
}
func (d *devices) Readlink(ctx context.Context, path string) (string, error) {
	if _, err := d.Lstat(ctx, path); err != nil {
		return "", err
	}
	return "", EINVAL
}
func (d *devices) Chmod(ctx context.Context, path string, _ fs.FileMode) error {
	return d.change(ctx, path, false)
}
func (d *devices) Chown(ctx context.Context, path string, _, _ int) error {
	return d.change(ctx, path, false)
}

// Chtimes succeeds: touch /dev/null is a common way to say nothing.
func (d *devices) Chtimes(ctx context.Context, path string, _, _ time.Time) error {
	_, err := d.Lstat(ctx, path)
	return err
}
func (d *devices) Truncate(ctx context.Context, path string, _ int64) error {
	if _, err := d.Lstat(ctx, path); err != nil {
		return err
	}
	return EINVAL
}
func (d *devices) Statfs(context.Context, string) (*Usage, error) {
	return &Usage{BlockSize: 4096}, nil
}
