package overlay

import (
	"context"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"

	"github.com/vsh-project/vsh/vfs"
)

// openRead opens what is at path for reading.
func (f *filesystem) openRead(ctx context.Context, p string) (vfs.File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r, err := f.walk(p)
	if err != nil {
		return nil, err
	}
	return f.openRef(ctx, r, p)
}

// OpenChecked implements vfs.CheckedOpener: of what is unchanged the lower says
// at once whether it may be opened.
func (f *filesystem) OpenChecked(ctx context.Context, p string, allowed func(*vfs.Info) bool) (vfs.File, error) {
	r, err := f.checked(ctx, p, allowed)
	if err != nil {
		return nil, err
	}
	if r.node == nil && f.checker != nil {
		return f.openLower(r.lower, 0, base(p), func() (vfs.File, error) { return f.checker.OpenChecked(ctx, r.lower, allowed) })
	}
	return f.openRef(ctx, r, p)
}

// checked finds what is at path, and asks allowed unless that is left to the
// lower.
func (f *filesystem) checked(ctx context.Context, p string, allowed func(*vfs.Info) bool) (ref, error) {
	if err := ctx.Err(); err != nil {
		return ref{}, err
	}
	r, err := f.walk(p)
	switch {
	case err != nil:
		return r, err
	case r.node == nil && r.lower == "":
		return r, vfs.ENOENT
	case r.node == nil && f.checker != nil:
		return r, nil
	}
	info, err := f.describe(ctx, r, "")
	switch {
	case err != nil:
	case info.FileMode&fs.ModeSymlink != 0:
		err = vfs.ELOOP
	case !allowed(info):
		err = vfs.EACCES
	}
	return r, err
}

func (f *filesystem) openRef(ctx context.Context, r ref, p string) (vfs.File, error) {
	switch {
	case r.node == nil && r.lower == "":
		return nil, vfs.ENOENT
	case r.node == nil:
		return f.openLower(r.lower, 0, base(p), func() (vfs.File, error) { return f.lower.Open(ctx, r.lower, vfs.O_RDONLY, 0) })
	case r.node.kind&fs.ModeSymlink != 0:
		return nil, vfs.ELOOP
	case r.node.upper:
		return f.openUpper(ctx, r.node, p, vfs.O_RDONLY)
	}
	return f.openLower(r.node.lower, r.node.id, base(p), func() (vfs.File, error) { return f.lower.Open(ctx, r.node.lower, vfs.O_RDONLY, 0) })
}

func (f *filesystem) openUpper(ctx context.Context, n *node, p string, flag int) (vfs.File, error) {
	file, err := f.up.Open(ctx, n.name(), flag, 0)
	if err != nil {
		return nil, err
	}
	return &upperFile{File: file, fs: f, id: n.id, name: base(p)}, nil
}

// upperFile is an open file of the upper that describes itself as the overlay's.
type upperFile struct {
	vfs.File
	fs   *filesystem
	id   uint64
	name string
}

func (u *upperFile) Stat() (*vfs.Info, error) {
	i, err := u.File.Stat()
	if err != nil {
		return nil, err
	}
	i = u.fs.dress(i, u.name)
	i.Inode, i.Links = u.id, 0
	if n := u.fs.current(u.id); n != nil {
		i.Links = n.links
	}
	return i, nil
}

// reader is what all who have a lower file open share: the copy they read once
// it has been copied up.
type reader struct {
	users int // under filesystem.mu
	upper atomic.Pointer[raised]
}

type raised struct{ vfs.File }

// lowerFile is an open file of the lower, for reading. When the file is copied
// up it goes on with the copy, so that it sees what is written there.
type lowerFile struct {
	fs     *filesystem
	file   vfs.File
	lower  string
	id     uint64 // 0: the lower's inode number
	name   string
	reader *reader

	mu     sync.Mutex
	offset int64
	closed bool
}

func (f *filesystem) openLower(lower string, id uint64, name string, open func() (vfs.File, error)) (vfs.File, error) {
	// Registered first: a copy made meanwhile must not be missed.
	f.mu.Lock()
	r := f.readers[lower]
	if r == nil {
		r = &reader{}
		f.readers[lower] = r
	}
	r.users++
	f.mu.Unlock()
	l := &lowerFile{fs: f, lower: lower, id: id, name: name, reader: r}
	file, err := open()
	if err != nil {
		l.dropReader()
		if vfs.Errno(err) == vfs.ENXIO {
			err = vfs.EACCES // a pipe of the lower's, which must not be written to
		}
		return nil, err
	}
	l.file = file
	return l, nil
}

func (l *lowerFile) dropReader() {
	l.fs.mu.Lock()
	defer l.fs.mu.Unlock()
	if l.reader.users--; l.reader.users > 0 {
		return
	}
	if l.fs.readers[l.lower] == l.reader {
		delete(l.fs.readers, l.lower)
	}
	if up := l.reader.upper.Load(); up != nil {
		up.Close()
	}
}

func (l *lowerFile) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, vfs.EBADF
	}
	var n int
	var err error
	if up := l.reader.upper.Load(); up != nil {
		n, err = up.ReadAt(p, l.offset)
		if n > 0 && err == io.EOF {
			err = nil
		}
	} else {
		n, err = l.file.Read(p)
	}
	l.offset += int64(n)
	return n, err
}

func (l *lowerFile) ReadAt(p []byte, offset int64) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, vfs.EBADF
	}
	if up := l.reader.upper.Load(); up != nil {
		return up.ReadAt(p, offset)
	}
	return l.file.ReadAt(p, offset)
}

func (l *lowerFile) Seek(offset int64, whence int) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, vfs.EBADF
	}
	up := l.reader.upper.Load()
	if up == nil {
		if whence == io.SeekCurrent {
			offset, whence = offset+l.offset, io.SeekStart
		}
		at, err := l.file.Seek(offset, whence)
		if err == nil {
			l.offset = at
		}
		return at, err
	}
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += l.offset
	case io.SeekEnd:
		info, err := up.Stat()
		if err != nil {
			return 0, err
		}
		offset += info.Bytes
	default:
		return 0, vfs.EINVAL
	}
	if offset < 0 {
		return 0, vfs.EINVAL
	}
	l.offset = offset
	return offset, nil
}

func (l *lowerFile) Stat() (*vfs.Info, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, vfs.EBADF
	}
	i, err := l.file.Stat()
	if err != nil {
		return nil, err
	}
	number := l.id
	if number == 0 {
		number = i.Inode
	}
	if up := l.reader.upper.Load(); up != nil {
		if i, err = up.Stat(); err != nil {
			return nil, err
		}
	}
	i = l.fs.dress(i, l.name)
	i.Inode = number
	return i, nil
}

func (l *lowerFile) Write([]byte) (int, error)          { return 0, vfs.EBADF }
func (l *lowerFile) WriteAt([]byte, int64) (int, error) { return 0, vfs.EBADF }
func (l *lowerFile) Truncate(int64) error               { return vfs.EINVAL }
func (l *lowerFile) Sync() error                        { return nil }

func (l *lowerFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return vfs.EBADF
	}
	l.closed = true
	l.dropReader()
	return l.file.Close()
}
