package interp

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/vsh-project/vsh/vfs"
)

// prefix is what bash's messages start with: "bash: line N: ".
func (p *proc) prefix() string {
	name := p.name
	if source := p.currentSource(); source != "" {
		name = source
	}
	if n := p.lineNumber(); n > 0 {
		return name + ": line " + strconv.Itoa(n) + ": "
	}
	return name + ": "
}

// errorf prints a message of the shell, on a line of its own, with bash's
// prefix. What a builtin wrote before stands before it.
func (p *proc) errorf(format string, args ...any) {
	p.flushOut()
	p.writeError(p.prefix() + fmt.Sprintf(format, args...) + "\n")
}

// writeError writes text to descriptor 2; failures have nowhere to go.
func (p *proc) writeError(text string) {
	if f := p.files.get(2); f != nil {
		f.write(p.ctx, []byte(text))
	}
}

// lastWords is errorf once the run's context has ended.
func (p *proc) lastWords(message string) {
	if f := p.files.get(2); f != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		f.write(ctx, []byte(p.prefix()+message+"\n"))
	}
}

// fileError prints "PATH: cause" for a failed file operation.
func (p *proc) fileError(path string, err error) {
	if p.cancelled() {
		return
	}
	p.errorf("%s: %s", path, words(err))
}

// words is the text of an error's cause.
func words(err error) string { return vfs.Words(err) }

// outBlock is how much output of a builtin is held back.
const outBlock = 32 << 10

// write is a builtin's output to descriptor 1.
func (p *proc) write(s string) {
	p.out = append(p.out, s...)
	if len(p.out) >= outBlock {
		p.flushOut()
	}
}

// flushOut writes what the builtin has written. A failure is kept for the end
// of the builtin.
func (p *proc) flushOut() {
	if len(p.out) == 0 {
		return
	}
	out := p.out
	p.out = out[:0]
	if p.outError != nil {
		return
	}
	f := p.files.get(1)
	if f == nil {
		p.outError = vfs.EBADF
		return
	}
	_, p.outError = f.write(p.ctx, out)
}

// endBuiltin flushes a builtin's output and reports a failure to write it.
func (p *proc) endBuiltin(name string, status int) int {
	p.flushOut()
	if cap(p.out) > outBlock*2 {
		p.out = nil
	}
	err, unheeded, toldOnly := p.outError, p.unheeded, p.toldOnly
	p.outError, p.unheeded, p.toldOnly = nil, false, false
	switch {
	case err == nil:
		return status
	case errors.Is(err, vfs.EPIPE):
		if trapped, ignored := p.traps.handles(sigPIPE); !trapped && !ignored {
			p.status, p.flow = 128+sigPIPE, flowKilled
			return p.status
		}
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		p.cancelled()
		return status
	}
	if unheeded {
		return status
	}
	p.errorf("%s: write error: %s", name, words(err))
	if toldOnly {
		return status
	}
	return 1
}
