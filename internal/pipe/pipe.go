// Package pipe joins virtual processes: a bounded in-memory byte queue with
// the semantics of pipe(2). It starts small and grows, and a blocked reader
// owns no memory but the ring, so thousands of stages are cheap.
package pipe

import (
	"context"
	"io"
	"sync"
	"syscall"
)

const (
	// First is the ring a pipe starts with, Capacity what it grows to.
	First    = 4 << 10
	Capacity = 64 << 10
)

// Account is charged for the ring before it is made; *budget.Budget is one.
type Account interface {
	Charge(n int64) error
	Release(n int64)
}

// Spacious is what an Account may be besides: a pipe that has a ring grows it
// only while there is space, so that thousands of full ones fit.
type Spacious interface {
	Spacious(n int64) bool
}

// Pipe is one queue with any number of users at both ends; whoever opens and
// closes ends counts them (CloseRead and CloseWrite are for the last one).
// Safe for concurrent use.
type Pipe struct {
	account Account

	mu   sync.Mutex
	cond sync.Cond
	ring []byte
	// start is where the oldest byte is; length how many there are.
	start, length int
	// narrow says that there was no space to grow: the ring is the capacity.
	narrow     bool
	readerGone bool
	writerGone bool
}

// New makes a pipe. account may be nil.
func New(account Account) *Pipe {
	p := &Pipe{account: account}
	p.cond.L = &p.mu
	return p
}

// wait blocks until ready says so, the context ends, or the other side goes.
// The lock is held on entry and on return.
func (p *Pipe) wait(ctx context.Context, ready func() bool) error {
	if ready() {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() {
		p.mu.Lock()
		p.mu.Unlock() //nolint:staticcheck // the waiter is past its check or inside Wait
		p.cond.Broadcast()
	})
	defer stop()
	for !ready() {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.cond.Wait()
	}
	return nil
}

func (p *Pipe) readable() bool { return p.length > 0 || p.writerGone || p.readerGone }

func (p *Pipe) writable() bool { return p.length < p.capacity() || p.readerGone }

// capacity is how many bytes may be queued.
func (p *Pipe) capacity() int {
	if p.narrow && p.ring != nil {
		return len(p.ring)
	}
	return Capacity
}

// Read takes what is there, at least one byte unless b is empty. io.EOF: all
// writers are gone.
func (p *Pipe) Read(ctx context.Context, b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.wait(ctx, p.readable); err != nil {
		return 0, err
	}
	if p.readerGone {
		return 0, syscall.EBADF
	}
	if p.length == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.head())
	p.drop(n)
	if n < len(b) && p.length > 0 {
		m := copy(b[n:], p.head())
		p.drop(m)
		n += m
	}
	return n, nil
}

// head is the longest piece of queued bytes that lies in one run.
func (p *Pipe) head() []byte {
	return p.ring[p.start:min(p.start+p.length, len(p.ring))]
}

// drop takes n bytes off the head.
func (p *Pipe) drop(n int) {
	full := p.length >= p.capacity()
	p.start += n
	if p.start == len(p.ring) {
		p.start = 0
	}
	if p.length -= n; p.length == 0 {
		p.start = 0
	}
	if full || p.length == 0 {
		p.cond.Broadcast()
	}
}

// Peek shows queued bytes without taking them: at least one, waiting for it.
// They stay valid until Discard; one reader at a time may do this.
func (p *Pipe) Peek(ctx context.Context) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.wait(ctx, p.readable); err != nil {
		return nil, err
	}
	if p.readerGone {
		return nil, syscall.EBADF
	}
	if p.length == 0 {
		return nil, io.EOF
	}
	// A writer may grow the ring, which copies: the old one stays as it is.
	return p.head(), nil
}

// Discard takes n bytes that Peek showed.
func (p *Pipe) Discard(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for n > 0 && p.length > 0 {
		m := min(n, len(p.head()))
		p.drop(m)
		n -= m
	}
}

// Unread puts bytes that were read back in front of what is queued. The ring
// may pass its capacity by them.
func (p *Pipe) Unread(b []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.readerGone || len(b) == 0 {
		return nil
	}
	size := max(len(p.ring), First)
	for size < p.length+len(b) {
		size *= 2
	}
	if p.account != nil {
		if err := p.account.Charge(int64(size - len(p.ring))); err != nil {
			return err
		}
	}
	ring := make([]byte, size)
	n := copy(ring, b)
	n += copy(ring[n:], p.head())
	if n < len(b)+p.length {
		copy(ring[n:], p.ring[:len(b)+p.length-n])
	}
	p.ring, p.start = ring, 0
	p.length += len(b)
	p.cond.Broadcast()
	return nil
}

// Ready reports whether a read would not block.
func (p *Pipe) Ready() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.readable()
}

// Write queues all of b, waiting for room. EPIPE: the readers are gone.
func (p *Pipe) Write(ctx context.Context, b []byte) (written int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.readerGone {
		return 0, syscall.EPIPE
	}
	for len(b) > 0 {
		if err := p.wait(ctx, p.writable); err != nil {
			return written, err
		}
		if p.readerGone {
			return written, syscall.EPIPE
		}
		if err := p.room(min(len(b), p.capacity()-p.length)); err != nil {
			return written, err
		}
		empty := p.length == 0
		for len(b) > 0 && p.length < len(p.ring) {
			end := p.start + p.length
			var n int
			if end < len(p.ring) {
				n = copy(p.ring[end:], b)
			} else {
				n = copy(p.ring[end-len(p.ring):p.start], b)
			}
			p.length += n
			written += n
			b = b[n:]
		}
		if empty {
			p.cond.Broadcast()
		}
	}
	return written, nil
}

// room grows the ring so that more bytes fit, if it may.
func (p *Pipe) room(more int) error {
	size := max(len(p.ring), First)
	for size < p.length+more && size < Capacity {
		size *= 2
	}
	if s, ok := p.account.(Spacious); ok && size > First && size > len(p.ring) && !s.Spacious(int64(size-len(p.ring))) {
		p.narrow = true
		size = max(len(p.ring), First)
	}
	if size == len(p.ring) {
		return nil
	}
	if p.account != nil {
		if err := p.account.Charge(int64(size - len(p.ring))); err != nil {
			return err
		}
	}
	ring := make([]byte, size)
	n := copy(ring, p.head())
	if n < p.length {
		copy(ring[n:], p.ring[:p.length-n])
	}
	p.ring, p.start = ring, 0
	return nil
}

// CloseRead says that no reader is left: writers get EPIPE.
func (p *Pipe) CloseRead() {
	p.mu.Lock()
	p.readerGone = true
	p.free()
	p.mu.Unlock()
	p.cond.Broadcast()
}

// CloseWrite says that no writer is left: readers get io.EOF after the rest.
func (p *Pipe) CloseWrite() {
	p.mu.Lock()
	p.writerGone = true
	if p.length == 0 {
		p.free()
	}
	p.mu.Unlock()
	p.cond.Broadcast()
}

// free gives the ring back once nobody can read it.
func (p *Pipe) free() {
	if p.readerGone || p.length == 0 {
		if p.account != nil && p.ring != nil {
			p.account.Release(int64(len(p.ring)))
		}
		p.ring, p.start, p.length = nil, 0, 0
	}
}
