package interp

import (
	"context"
	"io"
	"io/fs"
	"time"

	"github.com/vsh-project/vsh/vfs"
)

// foreign is a stream an embedder gave. It may block whatever the context
// says, so every call runs behind a hand-off; what a call reads that nobody
// waited for is kept for the next.
type foreign struct {
	reader io.Reader
	writer io.Writer
	lock   chan struct{} // holds one token: a call may start
	result chan readResult
	left   []byte
	err    error
}

type readResult struct {
	data []byte
	err  error
}

func newForeign(r io.Reader, w io.Writer) *foreign {
	f := &foreign{reader: r, writer: w, lock: make(chan struct{}, 1), result: make(chan readResult, 1)}
	f.lock <- struct{}{}
	return f
}

// Peek waits for input and shows it.
func (f *foreign) Peek(ctx context.Context) ([]byte, error) {
	if f.reader == nil {
		return nil, vfs.EBADF
	}
	if len(f.left) > 0 {
		return f.left, nil
	}
	if f.err != nil {
		return nil, f.err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s, ok := f.reader.(stringReader); ok { // never blocks
		b := make([]byte, min(4096, max(1, s.Len())))
		n, err := s.Read(b)
		f.left = b[:n]
		if n == 0 {
			return nil, err
		}
		return f.left, nil
	}
	select {
	case <-f.lock:
		go func() {
			b := make([]byte, 4096)
			n, err := f.reader.Read(b)
			f.result <- readResult{b[:n], err}
			f.lock <- struct{}{}
		}()
	default: // an earlier call is still reading
	}
	select {
	case r := <-f.result:
		f.left, f.err = r.data, r.err
		if len(f.left) > 0 {
			return f.left, nil
		}
		if f.err == nil {
			return f.Peek(ctx)
		}
		return nil, f.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// stringReader is what strings.Reader and bytes.Reader have.
type stringReader interface {
	io.Reader
	Len() int
}

// Discard consumes what Peek showed.
func (f *foreign) Discard(n int) { f.left = f.left[min(n, len(f.left)):] }

func (f *foreign) Read(ctx context.Context, b []byte) (int, error) {
	p, err := f.Peek(ctx)
	if err != nil {
		return 0, err
	}
	n := copy(b, p)
	f.Discard(n)
	return n, nil
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
