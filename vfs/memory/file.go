package memory

import (
	"io"
	"sync"
	"syscall"

	"github.com/vsh-project/vsh/vfs"
)

// file is an open file. It knows its inode by number, so it stays right when a
// snapshot makes the inode be copied.
type file struct {
	fs        *filesystem
	number    uint64
	name      string
	flag      int
	directory bool

	mu      sync.Mutex // guards what follows; taken before fs.mu
	offset  int64
	touched bool // the access time needs no more care
	closed  bool
}

// errStale is what an open file answers when its inode is not in the snapshot
// that was restored.
const errStale = syscall.ESTALE

// inode is the open inode: ESTALE when a restored snapshot does not have it.
// fs.mu is held.
func (f *file) inode() (*inode, error) {
	n := f.fs.inode(f.number)
	if n == nil {
		return nil, errStale
	}
	return n, nil
}

func (f *file) readable() error {
	switch {
	case f.closed || f.flag&accessFlags == vfs.O_WRONLY:
		return vfs.EBADF
	case f.directory:
		return vfs.EISDIR
	}
	return nil
}

func (f *file) readAt(p []byte, offset int64) (int, error) {
	f.fs.mu.RLock()
	n, err := f.inode()
	if err != nil {
		f.fs.mu.RUnlock()
		return 0, err
	}
	count := n.content.read(p, offset)
	// Like relatime: an access is noted once, when it is the first since a change.
	note := !f.touched && !n.atime.after(n.mtime)
	f.fs.mu.RUnlock()
	f.touched = true
	if note {
		f.fs.mu.Lock()
		if n, err := f.inode(); err == nil {
			f.fs.change(n).atime = f.fs.now()
		}
		f.fs.mu.Unlock()
	}
	if count == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return count, nil
}

func (f *file) Read(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.readable(); err != nil {
		return 0, err
	}
	n, err := f.readAt(p, f.offset)
	f.offset += int64(n)
	return n, err
}

func (f *file) ReadAt(p []byte, offset int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.readable(); err != nil {
		return 0, err
	}
	if offset < 0 {
		return 0, vfs.EINVAL
	}
	n, err := f.readAt(p, offset)
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}

// writeAt writes at offset, or at the end for a negative one, and says where
// the write ended.
func (f *file) writeAt(p []byte, offset int64) (n int, end int64, err error) {
	if f.closed || f.flag&accessFlags == vfs.O_RDONLY {
		return 0, 0, vfs.EBADF
	}
	if len(p) == 0 {
		return 0, max(offset, 0), nil
	}
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	node, err := f.inode()
	if err != nil {
		return 0, 0, err
	}
	node = f.fs.change(node)
	if offset < 0 {
		offset = node.content.size
	}
	n, err = f.fs.write(node, p, offset)
	if n > 0 {
		node.mtime = f.fs.now()
		node.ctime = node.mtime
	}
	return n, offset + int64(n), err
}

func (f *file) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	offset := f.offset
	if f.flag&vfs.O_APPEND != 0 && len(p) > 0 {
		offset = -1
	}
	n, end, err := f.writeAt(p, offset)
	if n > 0 {
		f.offset = end
	}
	return n, err
}

func (f *file) WriteAt(p []byte, offset int64) (int, error) {
	if offset < 0 {
		return 0, vfs.EINVAL
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.flag&vfs.O_APPEND != 0 {
		offset = -1 // as Linux has it
	}
	n, _, err := f.writeAt(p, offset)
	return n, err
}

func (f *file) Seek(offset int64, whence int) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return 0, vfs.EBADF
	}
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += f.offset
	case io.SeekEnd:
		f.fs.mu.RLock()
		n, err := f.inode()
		if err == nil {
			offset += n.content.size
		}
		f.fs.mu.RUnlock()
		if err != nil {
			return 0, err
		}
	default:
		return 0, vfs.EINVAL
	}
	if offset < 0 {
		return 0, vfs.EINVAL
	}
	f.offset = offset
	return offset, nil
}

func (f *file) Stat() (*vfs.Info, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, vfs.EBADF
	}
	f.fs.mu.RLock()
	defer f.fs.mu.RUnlock()
	n, err := f.inode()
	if err != nil {
		return nil, err
	}
	return f.fs.info(n, f.name), nil
}

func (f *file) Truncate(size int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.closed:
		return vfs.EBADF
	case f.directory || f.flag&accessFlags == vfs.O_RDONLY:
		return vfs.EINVAL
	}
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	n, err := f.inode()
	if err != nil {
		return err
	}
	n = f.fs.change(n)
	if err := f.fs.truncate(n, size); err != nil {
		return err
	}
	n.mtime = f.fs.now()
	n.ctime = n.mtime
	return nil
}

func (f *file) Sync() error { return nil }

func (f *file) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return vfs.EBADF
	}
	f.closed = true
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if f.fs.opens[f.number]--; f.fs.opens[f.number] == 0 {
		delete(f.fs.opens, f.number)
		if n := f.fs.inode(f.number); n != nil && n.links == 0 {
			f.fs.collect(f.fs.change(n))
		}
	}
	return nil
}
