package vfs

import (
	"context"
	"errors"
	"io"
	"sync"
)

const (
	pipeSize   = 64 << 10
	pipeAtomic = 4096 // a write up to this size is never torn (PIPE_BUF)
)

// pipe is the content of one named pipe while somebody has it open. Waiting
// ends with the context of the Open that made the end.
type pipe struct {
	budget  Budget // pays for buffer; may be nil
	mu      sync.Mutex
	buffer  []byte // grows up to pipeSize
	start   int
	length  int
	readers int
	writers int
	// everReaders and everWriters count all ends ever opened: an opener waits
	// for a partner that may have come and gone again.
	everReaders, everWriters int
	changed                  chan struct{}
}

// wake tells all who wait that something changed. mu is held.
func (p *pipe) wake() {
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}

// wait unlocks mu until something changes or ctx ends, and locks it again.
func (p *pipe) wait(ctx context.Context) error {
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	changed := p.changed
	p.mu.Unlock()
	defer p.mu.Lock()
	select {
	case <-changed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// open adds an end and waits for a partner as open(2) does.
func (p *pipe) open(ctx context.Context, flag int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	reads, writes := flag&accessFlags != O_WRONLY, flag&accessFlags != O_RDONLY
	partner := func() bool { return true }
	if reads {
		p.readers++
		p.everReaders++
	}
	if writes {
		p.writers++
		p.everWriters++
	}
	p.wake()
	switch {
	case reads && !writes:
		before := p.everWriters
		partner = func() bool { return p.writers > 0 || p.everWriters > before }
	case writes && !reads:
		before := p.everReaders
		partner = func() bool { return p.readers > 0 || p.everReaders > before }
	}
	for !partner() {
		if err := p.wait(ctx); err != nil {
			p.leave(reads, writes)
			return err
		}
	}
	return nil
}

// leave takes an end away. mu is held.
func (p *pipe) leave(reads, writes bool) {
	if reads {
		p.readers--
	}
	if writes {
		p.writers--
	}
	if p.readers == 0 && p.writers == 0 {
		if p.budget != nil {
			p.budget.Release(int64(len(p.buffer)))
		}
		p.buffer, p.start, p.length = nil, 0, 0
	}
	p.wake()
}

func (p *pipe) read(ctx context.Context, b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.length == 0 {
		if p.writers == 0 {
			return 0, io.EOF
		}
		if err := p.wait(ctx); err != nil {
			return 0, err
		}
	}
	n := copy(b, p.buffer[p.start:min(p.start+p.length, len(p.buffer))])
	if n < len(b) && n < p.length {
		n += copy(b[n:], p.buffer[:p.length-n])
	}
	p.start = (p.start + n) % len(p.buffer)
	p.length -= n
	p.wake()
	return n, nil
}

func (p *pipe) write(ctx context.Context, b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	written := 0
	for len(b) > 0 {
		if p.readers == 0 {
			return written, EPIPE
		}
		room := pipeSize - p.length
		if room == 0 || len(b) <= pipeAtomic && room < len(b) {
			if err := p.wait(ctx); err != nil {
				return written, err
			}
			continue
		}
		n := min(room, len(b))
		if err := p.reserve(p.length + n); err != nil {
			return written, err
		}
		end := (p.start + p.length) % len(p.buffer)
		first := copy(p.buffer[end:min(end+n, len(p.buffer))], b[:n])
		copy(p.buffer, b[first:n])
		p.length += n
		written += n
		b = b[n:]
		p.wake()
	}
	return written, nil
}

// reserve makes the buffer hold size bytes. mu is held. Where the budget is used
// up it answers ENOMEM with the budget's own error beside it.
func (p *pipe) reserve(size int) error {
	if size <= len(p.buffer) {
		return nil
	}
	grow := min(pipeSize, max(4096, 2*size))
	if p.budget != nil {
		if err := p.budget.Charge(int64(grow - len(p.buffer))); err != nil {
			return errors.Join(ENOMEM, err)
		}
	}
	grown := make([]byte, grow)
	n := copy(grown, p.buffer[p.start:min(p.start+p.length, len(p.buffer))])
	copy(grown[n:], p.buffer[:p.length-n])
	p.buffer, p.start = grown, 0
	return nil
}

// pipeEnd is an open end of a named pipe.
type pipeEnd struct {
	ctx    context.Context
	pipe   *pipe
	flag   int
	info   *Info
	close  func()
	closed sync.Once
}

func (e *pipeEnd) Read(b []byte) (int, error) {
	if e.flag&accessFlags == O_WRONLY {
		return 0, EBADF
	}
	return e.pipe.read(e.ctx, b)
}

func (e *pipeEnd) Write(b []byte) (int, error) {
	if e.flag&accessFlags == O_RDONLY {
		return 0, EBADF
	}
	return e.pipe.write(e.ctx, b)
}

func (e *pipeEnd) ReadAt([]byte, int64) (int, error)  { return 0, ESPIPE }
func (e *pipeEnd) WriteAt([]byte, int64) (int, error) { return 0, ESPIPE }
func (e *pipeEnd) Seek(int64, int) (int64, error)     { return 0, ESPIPE }
func (e *pipeEnd) Truncate(int64) error               { return EINVAL }
func (e *pipeEnd) Sync() error                        { return EINVAL }
func (e *pipeEnd) Stat() (*Info, error)               { return e.info, nil }

func (e *pipeEnd) Close() error {
	e.closed.Do(e.close)
	return nil
}
