package interp

import (
	"context"
	"io"
	"io/fs"
	"sync"
	"time"

	"github.com/vsh-project/vsh/vfs"
)

// foreign is a stream an embedder gave. It may block whatever the context
// says, so every call runs behind a hand-off; what a call reads that nobody
// waited for is kept for the next.
type foreign struct {
	reader io.Reader
	writer io.Writer
	lock   chan struct{} // holds one token: a write may start

	mu      sync.Mutex
	left    []byte
	err     error
	reading chan struct{} // closed when the read that goes on has come back
}

func newForeign(r io.Reader, w io.Writer) *foreign {
	f := &foreign{reader: r, writer: w, lock: make(chan struct{}, 1)}
	f.lock <- struct{}{}
	return f
}

// Peek waits for input and shows it.
func (f *foreign) Peek(ctx context.Context) ([]byte, error) {
	if f.reader == nil {
		return nil, vfs.EBADF
	}
	for {
		f.mu.Lock()
		left, err, ready := f.left, f.err, f.reading
		if len(left) == 0 && err == nil && ready == nil {
			if err = ctx.Err(); err == nil {
				ready, err = f.begin()
				left = f.left
			}
		}
		f.mu.Unlock()
		switch {
		case len(left) > 0:
			return left, nil
		case err != nil:
			return nil, err
		}
		select {
		case <-ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// begin starts a read, with mu held. The channel it returns is closed once left
// or err has what came. What never blocks is read at once.
func (f *foreign) begin() (chan struct{}, error) {
	if s, ok := f.reader.(stringReader); ok { // never blocks
		b := make([]byte, min(4096, max(1, s.Len())))
		n, err := s.Read(b)
		if f.left = b[:n]; n == 0 {
			return nil, err
		}
		return nil, nil
	}
	ready := make(chan struct{})
	f.reading = ready
	go func() {
		b := make([]byte, 4096)
		n, err := 0, error(vfs.EIO)
		defer func() {
			recover() // the embedder's reader: its panic is an EIO
			f.mu.Lock()
			f.left, f.err, f.reading = b[:min(max(n, 0), len(b))], err, nil
			f.mu.Unlock()
			close(ready)
		}()
		n, err = f.reader.Read(b)
	}()
	return ready, nil
}

// stringReader is what strings.Reader and bytes.Reader have.
type stringReader interface {
	io.Reader
	Len() int
}

// Discard consumes what Peek showed.
func (f *foreign) Discard(n int) {
	f.mu.Lock()
	f.left = f.left[min(n, len(f.left)):]
	f.mu.Unlock()
}

func (f *foreign) Read(ctx context.Context, b []byte) (int, error) {
	for {
		if _, err := f.Peek(ctx); err != nil {
			return 0, err
		}
		f.mu.Lock()
		n := copy(b, f.left)
		f.left = f.left[n:]
		f.mu.Unlock()
		if n > 0 || len(b) == 0 { // else another process took it
			return n, nil
		}
	}
}

func (f *foreign) Write(ctx context.Context, b []byte) (int, error) {
	if f.writer == nil {
		return 0, vfs.EBADF
	}
	select {
	case <-f.lock:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	defer func() { f.lock <- struct{}{} }()
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	return f.writer.Write(b)
}

func (f *foreign) Close() error { return nil }

// handle is one of the process's open files as a vfs.File: what opening
// /dev/fd/N gives.
type handle struct {
	open *openFile
	ctx  context.Context
	// opened is when; a pipe's times are this.
	opened time.Time
}

func (h *handle) Read(b []byte) (int, error)  { return h.open.read(h.ctx, b) }
func (h *handle) Write(b []byte) (int, error) { return h.open.write(h.ctx, b) }
func (h *handle) Close() error                { return h.open.close() }
func (h *handle) Sync() error                 { return nil }

func (h *handle) ReadAt(b []byte, at int64) (int, error) {
	if h.open.file == nil {
		return 0, vfs.ESPIPE
	}
	return h.open.file.ReadAt(b, at)
}

func (h *handle) WriteAt(b []byte, at int64) (int, error) {
	if h.open.file == nil {
		return 0, vfs.ESPIPE
	}
	return h.open.file.WriteAt(b, at)
}

func (h *handle) Seek(offset int64, whence int) (int64, error) {
	if h.open.file == nil {
		return 0, vfs.ESPIPE
	}
	return h.open.file.Seek(offset, whence)
}

func (h *handle) Truncate(size int64) error {
	if h.open.file == nil {
		return vfs.EINVAL
	}
	return h.open.file.Truncate(size)
}

func (h *handle) Stat() (*vfs.Info, error) { return h.open.stat(h.opened) }

// stat describes an open file; pipes and foreign streams look like pipes that
// were written to now.
func (f *openFile) stat(now time.Time) (*vfs.Info, error) {
	if f.below != nil {
		return f.below.Stat()
	}
	mode := fs.ModeNamedPipe | 0o600
	if _, ok := f.stream.(nullStream); ok {
		mode = fs.ModeDevice | fs.ModeCharDevice | 0o666
	}
	return &vfs.Info{FileName: "pipe", FileMode: mode, Links: 1, Accessed: now, Modified: now, Changed: now, UID: -1, GID: -1, Device: 14}, nil
}

// OpenDescriptor opens /dev/fd/N: a file anew, anything else as a duplicate.
func (p *proc) OpenDescriptor(ctx context.Context, fd, flag int) (vfs.File, error) {
	f := p.files.get(fd)
	if f == nil {
		return nil, vfs.EBADF
	}
	if f.file != nil && f.path != "" {
		file, err := f.view.Open(ctx, f.path, flag&^(vfs.O_CREATE|vfs.O_EXCL), 0)
		if err == nil {
			was, err1 := f.below.Stat()
			is, err2 := file.Stat()
			if err1 == nil && err2 == nil && vfs.SameFile(was, is) {
				return file, nil
			}
			file.Close()
		}
	}
	return &handle{f.retain(), ctx, p.session.config.Now()}, nil
}

// StatDescriptor describes /dev/fd/N.
func (p *proc) StatDescriptor(fd int) (*vfs.Info, error) {
	f := p.files.get(fd)
	if f == nil {
		return nil, vfs.EBADF
	}
	return f.stat(p.session.config.Now())
}

// ListDescriptors are the open ones, in order.
func (p *proc) ListDescriptors() []int {
	var list []int
	p.files.each(func(fd int, _ *openFile) { list = append(list, fd) })
	return list
}
