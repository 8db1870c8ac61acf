package vfs

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/afero"
)

// semaphore is a lock whose waiting ends with a context, for it may be held
// during a foreign call that never returns.
type semaphore struct {
	slot  chan struct{}
	users int // of an appender, under aferoFS.mu
}

func newSemaphore() *semaphore { return &semaphore{slot: make(chan struct{}, 1)} }

func (s *semaphore) acquire(ctx context.Context) error {
	select {
	case s.slot <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *semaphore) release() { <-s.slot }

// foreignFile is an open file of a foreign storage. It keeps the offset itself:
// MemMapFs's ReadAt and WriteAt move the file's own.
type foreignFile struct {
	file afero.File
	fs   *aferoFS
	name string
	flag int
	ctx  context.Context

	gate     *semaphore // guards all below and the calls on file
	appends  *semaphore
	offset   int64
	position int64 // file's own offset, -1 when not known
	end      int64 // the size is at least this
	closed   bool
}

// enter takes the file for one call.
func (f *foreignFile) enter() error {
	if err := f.gate.acquire(f.ctx); err != nil {
		return err
	}
	if f.closed {
		f.gate.release()
		return EBADF
	}
	return nil
}

func (f *foreignFile) seek(offset int64) error {
	if f.position == offset {
		return nil
	}
	f.position = -1
	if _, err := f.file.Seek(offset, io.SeekStart); err != nil {
		return foreign(err)
	}
	f.position = offset
	return nil
}

func (f *foreignFile) readAt(p []byte, offset int64) (int, error) {
	if f.flag&accessFlags == O_WRONLY {
		return 0, EBADF
	}
	if offset < 0 {
		return 0, EINVAL
	}
	if len(p) == 0 {
		return 0, nil
	}
	if err := f.seek(offset); err != nil {
		return 0, err
	}
	n, err := f.file.Read(p)
	if n < 0 || n > len(p) {
		return 0, EIO
	}
	f.position += int64(n)
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		if n > 0 {
			return n, nil
		}
		return 0, io.EOF
	}
	if err != nil {
		f.position = -1
	}
	return n, foreign(err)
}

func (f *foreignFile) size() (int64, error) {
	info, err := f.file.Stat()
	if err != nil {
		return 0, foreign(err)
	}
	return info.Size(), nil
}

// fits bounds what a write up to end may make the storage hold.
func (f *foreignFile) fits(start, end int64) error {
	if end < start || end > f.fs.size {
		return EFBIG
	}
	if start > f.end {
		size, err := f.size()
		if err != nil {
			return err
		}
		if f.end = size; start-size > f.fs.hole {
			return EFBIG
		}
	}
	return nil
}

func (f *foreignFile) writeAt(p []byte, offset int64) (int, error) {
	if f.flag&accessFlags == O_RDONLY {
		return 0, EBADF
	}
	if offset < 0 {
		return 0, EINVAL
	}
	if len(p) == 0 {
		return 0, nil
	}
	if err := f.fits(offset, offset+int64(len(p))); err != nil {
		return 0, err
	}
	if err := f.seek(offset); err != nil {
		return 0, err
	}
	n, err := f.file.Write(p)
	if n < 0 || n > len(p) {
		return 0, EIO
	}
	f.position += int64(n)
	f.end = max(f.end, f.position)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	if err != nil {
		f.position = -1
	}
	return n, foreign(err)
}

func (f *foreignFile) Read(p []byte) (int, error) {
	if err := f.enter(); err != nil {
		return 0, err
	}
	defer f.gate.release()
	n, err := f.readAt(p, f.offset)
	f.offset += int64(n)
	return n, err
}

func (f *foreignFile) ReadAt(p []byte, offset int64) (int, error) {
	if err := f.enter(); err != nil {
		return 0, err
	}
	defer f.gate.release()
	total := 0
	for total < len(p) {
		n, err := f.readAt(p[total:], offset+int64(total))
		total += n
		if err != nil {
			return total, err
		}
		if n == 0 {
			return total, io.ErrNoProgress
		}
	}
	return total, nil
}

func (f *foreignFile) Write(p []byte) (int, error) {
	if err := f.enter(); err != nil {
		return 0, err
	}
	defer f.gate.release()
	if f.appends != nil && len(p) > 0 {
		if err := f.appends.acquire(f.ctx); err != nil {
			return 0, err
		}
		defer f.appends.release()
		size, err := f.size()
		if err != nil {
			return 0, err
		}
		f.offset = size
	}
	n, err := f.writeAt(p, f.offset)
	f.offset += int64(n)
	return n, err
}

func (f *foreignFile) WriteAt(p []byte, offset int64) (int, error) {
	if err := f.enter(); err != nil {
		return 0, err
	}
	defer f.gate.release()
	return f.writeAt(p, offset)
}

func (f *foreignFile) Seek(offset int64, whence int) (int64, error) {
	if err := f.enter(); err != nil {
		return 0, err
	}
	defer f.gate.release()
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += f.offset
	case io.SeekEnd:
		size, err := f.size()
		if err != nil {
			return 0, err
		}
		offset += size
	default:
		return 0, EINVAL
	}
	if offset < 0 {
		return 0, EINVAL
	}
	f.offset = offset
	return offset, nil
}

func (f *foreignFile) Truncate(size int64) error {
	if size < 0 || f.flag&accessFlags == O_RDONLY {
		return EINVAL
	}
	if err := f.enter(); err != nil {
		return err
	}
	defer f.gate.release()
	if err := f.fits(size, size); err != nil {
		return err
	}
	f.position = -1
	if err := f.file.Truncate(size); err != nil {
		return foreign(err)
	}
	f.end = size
	return nil
}

func (f *foreignFile) Stat() (*Info, error) {
	if err := f.enter(); err != nil {
		return nil, err
	}
	defer f.gate.release()
	info, err := f.file.Stat()
	if err != nil {
		return nil, foreign(err)
	}
	return InfoOf(info, f.name), nil
}

func (f *foreignFile) Sync() error {
	if err := f.enter(); err != nil {
		return err
	}
	defer f.gate.release()
	return foreign(f.file.Sync())
}

func (f *foreignFile) Close() error {
	// A file closes also when its context has ended.
	select {
	case f.gate.slot <- struct{}{}:
	default:
		if err := f.gate.acquire(f.ctx); err != nil {
			return err
		}
	}
	defer f.gate.release()
	if f.closed {
		return EBADF
	}
	f.closed = true
	if f.appends != nil {
		f.fs.dropAppender(f.name, f.appends)
	}
	return foreign(f.file.Close())
}
