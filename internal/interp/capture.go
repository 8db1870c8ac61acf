package interp

import (
	"bytes"
	"context"
	"io"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/vsh-project/vsh/vfs"
)

// capture is the stream that command substitution collects output in. The
// substitution ends when its last writer has closed, as with a pipe.
type captureBuffer struct {
	p      *proc // whose budget it draws on
	mu     sync.Mutex
	data   []byte
	cost   int64
	closed chan struct{}
}

func (c *captureBuffer) Read(context.Context, []byte) (int, error) { return 0, vfs.EBADF }

func (c *captureBuffer) Write(ctx context.Context, b []byte) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if need := len(c.data) + len(b); need > cap(c.data) {
		room := max(need+need/2, 512)
		// The account is the budget's own, since writers may be other processes.
		if err := (account{c.p.run}).Charge(int64(room)); err != nil {
			return 0, vfs.ENOMEM
		}
		data := make([]byte, len(c.data), room)
		copy(data, c.data)
		c.p.session.config.Budget.Release(c.cost)
		c.data, c.cost = data, int64(room)
	}
	c.data = append(c.data, b...)
	return len(b), nil
}

func (c *captureBuffer) Close() error { close(c.closed); return nil }

// substitute runs body as a command substitution and returns its output
// without NUL bytes and trailing newlines, charged as scratch. The status is
// p.substituted. ok is false when the process must unwind.
func (p *proc) substitute(body node) (string, bool) {
	if n, ok := body.(*simple); ok && n.onlyReads() {
		return p.substituteFile(n.redirections[0])
	}
	c := p.fork(p.ctx)
	if c == nil {
		return "", false
	}
	buffer := &captureBuffer{p: p, closed: make(chan struct{})}
	out := newOpenFile(buffer)
	out.flag = vfs.O_WRONLY
	if old := c.files.put(1, out); old != nil {
		old.close()
	}
	if !p.options.has(optPosix) && !p.shopts.has(shoptInheritErrexit) {
		c.options = c.options.with(optErrexit, false)
	}
	c.loops = 0
	c.traceLevel++
	c.captured = c.subshell
	_, c.sole = body.(*simple)
	c.inline(body)
	select { // background jobs of the substitution may still hold the output
	case <-buffer.closed:
	case <-p.ctx.Done():
	}
	p.substituted = c.status
	if p.cancelled() {
		p.substituted = p.status
		return "", false
	}
	buffer.mu.Lock()
	defer buffer.mu.Unlock()
	defer p.session.config.Budget.Release(buffer.cost)
	return p.outputText(buffer.data)
}

// onlyReads reports whether a command is nothing but "<file": what $(<file)
// reads without any process.
func (n *simple) onlyReads() bool {
	return len(n.words) == 0 && len(n.assignments) == 0 && len(n.redirections) == 1 && n.redirections[0].op == syntax.RdrIn && n.redirections[0].fd <= 0 && n.redirections[0].variable == ""
}

// substituteFile is $(<file).
func (p *proc) substituteFile(r *redirection) (string, bool) {
	fields, ok := r.target.fields(p, nil)
	if !ok {
		return "", false
	}
	if len(fields) != 1 {
		p.errorf("%s: ambiguous redirect", r.source())
		p.substituted = 1
		return "", true
	}
	f, err := p.open(fields[0], vfs.O_RDONLY)
	if err != nil {
		p.fileError(fields[0], err)
		p.substituted = 1
		return "", !p.cancelled()
	}
	defer f.close()
	buffer := &captureBuffer{p: p, closed: make(chan struct{})}
	defer func() { p.session.config.Budget.Release(buffer.cost) }()
	block := make([]byte, 32<<10)
	p.substituted = 0
	for {
		n, err := f.read(p.ctx, block)
		if n > 0 {
			if _, err := buffer.Write(p.ctx, block[:n]); err != nil {
				p.cancelled()
				return "", false
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			if p.cancelled() {
				return "", false
			}
			p.errorf("%s: %s", fields[0], words(err))
			p.substituted = 1
			break
		}
	}
	return p.outputText(buffer.data)
}

// outputText makes a substitution's text of its output.
func (p *proc) outputText(data []byte) (string, bool) {
	if i := bytes.IndexByte(data, 0); i >= 0 {
		p.errorf("warning: command substitution: ignored null byte in input")
		data = bytes.ReplaceAll(data, []byte{0}, nil)
	}
	data = bytes.TrimRight(data, "\n")
	if !p.scratch(int64(len(data))) {
		return "", false
	}
	return string(data), true
}

// inline runs body in a child process on the caller's goroutine, to its end.
func (c *proc) inline(body node) {
	body.run(c)
	c.finish()
	c.end()
}
