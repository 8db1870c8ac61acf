package host

import (
	"io"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/vsh-project/vsh/vfs"
)

// file is an open descriptor. Calls share mu, Close takes it alone, so that no
// call meets a number that was closed and given to another file.
type file struct {
	mu     sync.RWMutex
	fd     int
	closed bool
	path   string
	flag   int
}

// check refuses what is no file or directory, gives a new file its exact mode
// and cuts an old one where that was asked.
func (f *file) check(flag int, made bool, perm uint32) error {
	var st unix.Stat_t
	if err := unix.Fstat(f.fd, &st); err != nil {
		return err
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		if flag&vfs.O_TRUNC != 0 {
			return unix.EISDIR
		}
		return nil
	case unix.S_IFREG:
	default:
		return unix.EACCES
	}
	if made && st.Mode&0o1777 != perm&0o1777 {
		return unix.Fchmod(f.fd, perm)
	}
	if flag&vfs.O_TRUNC != 0 && st.Size > 0 {
		if flag&accessFlags == vfs.O_RDONLY {
			return unix.EINVAL
		}
		return unix.Ftruncate(f.fd, 0)
	}
	return nil
}

// call runs one system call on the descriptor, again after an interruption.
func (f *file) call(do func(fd int) (int, error)) (int, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.closed {
		return 0, unix.EBADF
	}
	for {
		n, err := do(f.fd)
		if err != unix.EINTR {
			return max(n, 0), err
		}
	}
}

func (f *file) Read(p []byte) (int, error) {
	n, err := f.call(func(fd int) (int, error) { return unix.Read(fd, p) })
	if err == nil && n == 0 && len(p) > 0 {
		err = io.EOF
	}
	return n, err
}

func (f *file) ReadAt(p []byte, offset int64) (int, error) {
	done := 0
	for done < len(p) {
		n, err := f.call(func(fd int) (int, error) { return unix.Pread(fd, p[done:], offset+int64(done)) })
		done += n
		if err != nil {
			return done, err
		}
		if n == 0 {
			return done, io.EOF
		}
	}
	return done, nil
}

func (f *file) Write(p []byte) (int, error) {
	done := 0
	for done < len(p) {
		n, err := f.call(func(fd int) (int, error) { return unix.Write(fd, p[done:]) })
		done += n
		if err != nil {
			return done, err
		}
		if n == 0 {
			return done, io.ErrShortWrite
		}
	}
	return done, nil
}

func (f *file) WriteAt(p []byte, offset int64) (int, error) {
	done := 0
	for done < len(p) {
		n, err := f.call(func(fd int) (int, error) { return unix.Pwrite(fd, p[done:], offset+int64(done)) })
		done += n
		if err != nil {
			return done, err
		}
		if n == 0 {
			return done, io.ErrShortWrite
		}
	}
	return done, nil
}

func (f *file) Seek(offset int64, whence int) (int64, error) {
	var at int64
	_, err := f.call(func(fd int) (int, error) {
		var err error
		at, err = unix.Seek(fd, offset, whence)
		return 0, err
	})
	return at, err
}

func (f *file) Stat() (*vfs.Info, error) {
	var info *vfs.Info
	_, err := f.call(func(fd int) (n int, err error) {
		info, err = birthInfo(f.path, fd, "")
		return 0, err
	})
	return info, err
}

func (f *file) Truncate(size int64) error {
	_, err := f.call(func(fd int) (int, error) { return 0, unix.Ftruncate(fd, size) })
	return err
}

func (f *file) Sync() error {
	_, err := f.call(func(fd int) (int, error) { return 0, unix.Fsync(fd) })
	return err
}

func (f *file) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return unix.EBADF
	}
	f.closed = true
	// After EINTR the descriptor is gone all the same.
	if err := unix.Close(f.fd); err != nil && err != unix.EINTR {
		return err
	}
	return nil
}
