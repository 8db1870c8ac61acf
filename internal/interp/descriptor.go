package interp

import (
	"context"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/vsh-project/vsh/internal/pipe"
	"github.com/vsh-project/vsh/vfs"
)

// stream is what an open file description does its work with.
type stream interface {
	Read(ctx context.Context, b []byte) (int, error)
	Write(ctx context.Context, b []byte) (int, error)
	Close() error
}

// openFile is an open file description: descriptors of several processes may
// share it, and its offset with it. Safe for concurrent use.
type openFile struct {
	refs   atomic.Int32
	stream stream
	// below is the vfs file below, if there is one; file is the same if it can
	// seek.
	below, file vfs.File
	// path is the absolute name it was opened by, view the view used; both for
	// opening /dev/fd/N anew.
	path string
	view *vfs.View
	flag int
	// pipe is the pipe below, if it is one.
	pipe *pipe.Pipe
	// mu keeps reads and writes of a file whole; peeked is what Peek read from a
	// file and Discard has not taken.
	mu     sync.Mutex
	peeked []byte
}

func newOpenFile(s stream) *openFile {
	f := &openFile{stream: s, flag: vfs.O_RDWR}
	f.refs.Store(1)
	return f
}

func (f *openFile) retain() *openFile { f.refs.Add(1); return f }

// close drops one reference; the last closes the stream.
func (f *openFile) close() error {
	if f.refs.Add(-1) > 0 {
		return nil
	}
	return f.stream.Close()
}

// read reads what is there.
func (f *openFile) read(ctx context.Context, b []byte) (int, error) {
	if f.flag&3 == vfs.O_WRONLY {
		return 0, vfs.EBADF
	}
	return f.stream.Read(ctx, b)
}

// write writes all of b.
func (f *openFile) write(ctx context.Context, b []byte) (int, error) {
	if f.flag&3 == vfs.O_RDONLY {
		return 0, vfs.EBADF
	}
	return f.stream.Write(ctx, b)
}

// peekSize is how much of a file one peek reads ahead.
const peekSize = 512

// peek shows bytes that a read would give, at least one, waiting for it; they
// are not consumed until discard. io.EOF at the end. Valid until the next use.
func (f *openFile) peek(ctx context.Context, want int) ([]byte, error) {
	if f.flag&3 == vfs.O_WRONLY {
		return nil, vfs.EBADF
	}
	switch {
	case f.pipe != nil:
		return f.pipe.Peek(ctx)
	case f.file != nil:
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		at, err := f.file.Seek(0, io.SeekCurrent)
		if err == nil {
			b := make([]byte, max(want, peekSize))
			n, err := f.file.ReadAt(b, at)
			if n > 0 {
				return b[:n], nil
			}
			if err == nil {
				err = io.EOF
			}
			return nil, err
		}
	}
	if p, ok := f.stream.(interface {
		Peek(context.Context) ([]byte, error)
	}); ok {
		return p.Peek(ctx)
	}
	// A stream that cannot look ahead gives one byte at a time.
	if len(f.peeked) == 0 {
		b := make([]byte, 1)
		n, err := f.stream.Read(ctx, b)
		if n == 0 {
			if err == nil {
				err = io.EOF
			}
			return nil, err
		}
		f.peeked = b
	}
	return f.peeked, nil
}

// discard consumes n bytes that peek showed.
func (f *openFile) discard(n int) {
	switch {
	case f.pipe != nil:
		f.pipe.Discard(n)
	case len(f.peeked) > 0:
		f.peeked = f.peeked[min(n, len(f.peeked)):]
	case f.file != nil:
		f.file.Seek(int64(n), io.SeekCurrent)
	default:
		if p, ok := f.stream.(interface{ Discard(int) }); ok {
			p.Discard(n)
		}
	}
}

// ready reports whether a read would return at once (read -t 0).
func (f *openFile) ready() bool {
	if f.pipe != nil {
		return f.pipe.Ready()
	}
	return true
}

// descriptors is a process's table of open files. Forks share it until one
// writes; every entry of every table counts as a reference.
type descriptors struct {
	slots []*openFile
	// high holds those from lowDescriptors up, in order.
	high []numbered
}

const lowDescriptors = 16

type numbered struct {
	fd   int
	file *openFile
}

// get is the open file of fd, nil when closed.
func (d *descriptors) get(fd int) *openFile {
	if fd < 0 {
		return nil
	}
	if fd < len(d.slots) {
		return d.slots[fd]
	}
	if i, ok := d.search(fd); ok {
		return d.high[i].file
	}
	return nil
}

func (d *descriptors) search(fd int) (int, bool) {
	return slices.BinarySearchFunc(d.high, fd, func(n numbered, fd int) int { return n.fd - fd })
}

// put makes fd refer to file, taking over the caller's reference; nil closes.
// It returns what was there, whose reference is now the caller's.
func (d *descriptors) put(fd int, file *openFile) (old *openFile) {
	if fd < lowDescriptors {
		for fd >= len(d.slots) {
			d.slots = append(d.slots, nil)
		}
		old, d.slots[fd] = d.slots[fd], file
		return old
	}
	i, ok := d.search(fd)
	switch {
	case ok && file != nil:
		old, d.high[i].file = d.high[i].file, file
	case ok:
		old = d.high[i].file
		d.high = slices.Delete(d.high, i, i+1)
	case file != nil:
		d.high = slices.Insert(d.high, i, numbered{fd, file})
	}
	return old
}

// free is the lowest closed descriptor from low up.
func (d *descriptors) free(low int) int {
	for d.get(low) != nil {
		low++
	}
	return low
}

// each visits the open ones in order.
func (d *descriptors) each(visit func(fd int, file *openFile)) {
	for fd, f := range d.slots {
		if f != nil {
			visit(fd, f)
		}
	}
	for _, n := range d.high {
		visit(n.fd, n.file)
	}
}

// count is how many are open.
func (d *descriptors) count() int {
	n := len(d.high)
	for _, f := range d.slots {
		if f != nil {
			n++
		}
	}
	return n
}

// fork is the table for a child: the same files, each retained.
func (d *descriptors) fork() descriptors {
	c := descriptors{slots: slices.Clone(d.slots), high: slices.Clone(d.high)}
	c.each(func(_ int, f *openFile) { f.retain() })
	return c
}

// closeAll closes every descriptor: the process is over.
func (d *descriptors) closeAll() {
	d.each(func(_ int, f *openFile) { f.close() })
	d.slots, d.high = nil, nil
}

// pipeReader and pipeWriter are the ends of a pipe.
type (
	pipeReader struct{ *pipe.Pipe }
	pipeWriter struct{ *pipe.Pipe }
)

func (r pipeReader) Write(context.Context, []byte) (int, error) { return 0, vfs.EBADF }
func (r pipeReader) Close() error                               { r.CloseRead(); return nil }
func (w pipeWriter) Read(context.Context, []byte) (int, error)  { return 0, vfs.EBADF }
func (w pipeWriter) Close() error                               { w.CloseWrite(); return nil }

// newPipe makes a pipe's two open files.
func (p *proc) newPipe() (r, w *openFile) {
	q := pipe.New(account{p.run})
	r = newOpenFile(pipeReader{q})
	r.pipe, r.flag = q, vfs.O_RDONLY
	w = newOpenFile(pipeWriter{q})
	w.flag = vfs.O_WRONLY
	return r, w
}

// account is the session's budget as streams draw on it, whoever's goroutine
// it is: a refusal ends the run.
type account struct{ run *run }

func (a account) Charge(n int64) error {
	err := a.run.session.config.Budget.Charge(n)
	if err != nil {
		a.run.limitFrom(err)
	}
	return err
}

func (a account) Release(n int64) { a.run.session.config.Budget.Release(n) }

// Spacious leaves half of the budget to others than growing pipes.
func (a account) Spacious(n int64) bool {
	b := a.run.session.config.Budget
	return b.Limit() == 0 || b.Used()+n <= b.Limit()/2
}

// closePipes closes the descriptors that lead to other processes.
func (p *proc) closePipes() {
	var pipes []int
	p.files.each(func(fd int, f *openFile) {
		switch f.stream.(type) {
		case pipeReader, pipeWriter:
			pipes = append(pipes, fd)
		}
	})
	for _, fd := range pipes {
		p.take(fd, nil)
	}
}

// fileStream reads and writes a vfs file, each call whole.
type fileStream struct {
	mu   sync.Mutex
	file vfs.File
}

func (s *fileStream) Read(ctx context.Context, b []byte) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.file.Read(b)
}

func (s *fileStream) Write(ctx context.Context, b []byte) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.file.Write(b)
}

func (s *fileStream) Close() error { return s.file.Close() }

// open opens path for a redirection or a script.
func (p *proc) open(path string, flag int) (*openFile, error) {
	file, err := p.view.Open(p.ctx, path, flag, 0o666)
	if err != nil {
		return nil, err
	}
	if h, ok := file.(*handle); ok { // /dev/fd/N of ours
		return h.open.retain(), h.Close()
	}
	f := newOpenFile(&fileStream{file: file})
	f.below, f.file, f.flag, f.view, f.path = file, file, flag, p.view, p.view.Abs(path)
	if _, err := file.Seek(0, io.SeekCurrent); err != nil {
		f.file = nil // a device or named pipe
	}
	return f, nil
}
