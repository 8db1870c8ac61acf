package interp

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"sync/atomic"
	"time"

	"github.com/vsh-project/vsh/vfs"
)

// Process is the virtual process of one command call: how the command reaches
// the shell that runs it. Valid until the call returns.
type Process struct {
	p   *proc
	pid int
	// environment is the command's.
	environment []string
	// died is the signal that has ended the command.
	died atomic.Int32
}

// Die says that a signal has ended the command, whose status tells so.
func (c *Process) Die(signal int) { c.died.Store(int32(signal)) }

// PID is the virtual process id.
func (c *Process) PID() int { return c.pid }

// Charge and Release draw on the session's memory budget.
func (c *Process) Charge(n int64) error { return c.p.session.config.Budget.Charge(n) }
func (c *Process) Release(n int64)      { c.p.session.config.Budget.Release(n) }

// Signal sends a virtual signal to a virtual process.
func (c *Process) Signal(pid, signal int) error {
	if pid < 0 {
		if !c.p.run.killTree(-pid, signal) {
			return fs.ErrNotExist
		}
		return nil
	}
	if pid == c.pid {
		pid = c.p.pid
	}
	if !c.p.run.kill(pid, signal) {
		return fs.ErrNotExist
	}
	return nil
}

// Hold says that the call may take that long to end once its context has ended.
// What calls it has as long from then on.
func (c *Process) Hold(d time.Duration) {
	for {
		held := c.p.run.held.Load()
		if int64(d) <= held || c.p.run.held.CompareAndSwap(held, int64(d)) {
			return
		}
	}
}

// ExecRequest asks for one command of the same shell. Nil streams and a nil
// environment are the caller's.
type ExecRequest struct {
	Arguments   []string
	Environment []string
	// Directory replaces the caller's when it is not empty.
	Directory string
	Stdin     io.Reader
	Stdout    io.Writer
	Stderr    io.Writer
	// Started is told the process id before the program runs; nil asks for nothing.
	Started func(pid int)
	// Killed is told the signal that has ended the program; nil asks for nothing.
	Killed func(signal int)
	// IgnoreSignals and DefaultSignals change what the caller hands on.
	IgnoreSignals, DefaultSignals []int
}

// Exec runs a program (no function): its own virtual process. The error is
// ctx's only.
func (c *Process) Exec(ctx context.Context, r *ExecRequest) (int, error) {
	c.p.execMu.Lock()
	child := c.p.fork(ctx)
	c.p.execMu.Unlock()
	if child == nil {
		return statusLimit, context.Cause(c.p.run.ctx)
	}
	child.tested, child.loops = 0, 0
	child.options = child.options.with(optErrexit, false).with(optXtrace, false)
	if r.Directory != "" {
		child.view = child.view.WithDirectory(child.view.Abs(r.Directory))
	}
	if r.Stdin != nil {
		child.give(0, newForeign(r.Stdin, nil), vfs.O_RDONLY)
	}
	if r.Stdout != nil {
		child.give(1, newForeign(nil, r.Stdout), vfs.O_WRONLY)
	}
	if r.Stderr != nil {
		child.give(2, newForeign(nil, r.Stderr), vfs.O_WRONLY)
	}
	child.sole = true
	for _, n := range r.DefaultSignals {
		child.traps.unset(n)
	}
	for _, n := range r.IgnoreSignals {
		child.traps.set(n, "")
	}
	if r.Started != nil {
		r.Started(child.pid)
	}
	environment := r.Environment
	if environment == nil {
		environment = c.environment
	}
	child.guard(func(p *proc) { p.execProgram(r, environment) })
	status, killedBy := child.status, child.killedBy
	child.end()
	if killedBy != 0 && r.Killed != nil {
		r.Killed(killedBy)
	}
	return status, ctx.Err()
}

// execProgram finds and runs the program of a request.
func (p *proc) execProgram(r *ExecRequest, environment []string) {
	name := r.Arguments[0]
	path, err := lookIn(p, name, environment, p.cancelled)
	if err != nil { // the caller says so
		p.status = 126
		if errors.Is(err, fs.ErrNotExist) {
			p.status = 127
		}
		return
	}
	p.status = p.runProgram(path, name, r.Arguments[1:], environment)
}

// LookPath finds name in the PATH of environment; a name with a slash stands
// for itself. The error is ENOENT, or EACCES for what cannot be run. A command's
// goroutines may call it at once.
func (c *Process) LookPath(ctx context.Context, name string, environment []string) (string, error) {
	// Only the process itself may begin its unwinding.
	return lookIn(c.p, name, environment, func() bool { return ctx.Err() != nil || c.p.ctx.Err() != nil })
}

// give replaces descriptor fd by a stream.
func (p *proc) give(fd int, s stream, flag int) {
	f := newOpenFile(s)
	f.flag = flag
	if old := p.files.put(fd, f); old != nil {
		old.close()
	}
}

// commandStream is a descriptor as a registered command sees it.
type commandStream struct {
	p        *proc
	ctx      context.Context
	file     *openFile
	detached *atomic.Bool
}

// seekableStream is one over a file, which can seek.
type seekableStream struct{ *commandStream }

func (s seekableStream) Seek(offset int64, whence int) (int64, error) {
	return s.file.file.Seek(offset, whence)
}

// File is the file below, for commands that look at it (cmp, tail, stat -).
func (s seekableStream) File() vfs.File { return s.file.file }

func (s *commandStream) reader() io.Reader {
	if s.file != nil && s.file.file != nil {
		return seekableStream{s}
	}
	return s
}

// writer lets a command whose output is a file see that it is (dd seek=).
func (s *commandStream) writer() io.Writer {
	if s.file != nil && s.file.file != nil {
		return seekableStream{s}
	}
	return s
}

// Stat describes what is below: cat compares its input with its output.
func (s *commandStream) Stat() (*vfs.Info, error) {
	if s.file == nil {
		return nil, vfs.EBADF
	}
	return s.file.stat(s.p.session.config.Now())
}

func (s *commandStream) Read(b []byte) (int, error) {
	switch {
	case s.file == nil:
		return 0, vfs.EBADF
	case s.detached.Load():
		return 0, context.Canceled
	}
	return s.file.read(s.ctx, b)
}

// ReadContext is Read that also ends with ctx: a command that reads its input
// ahead can stop waiting for it.
func (s *commandStream) ReadContext(ctx context.Context, b []byte) (int, error) {
	if s.file == nil || s.detached.Load() {
		return s.Read(b)
	}
	both, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	return s.file.read(both, b)
}

// Unread puts back bytes that a command has read and not used, where the
// stream can take them: a pipe, or the script's own input.
func (s *commandStream) Unread(b []byte) error {
	if s.file == nil || s.detached.Load() {
		return vfs.EBADF
	}
	if s.file.pipe != nil {
		return s.file.pipe.Unread(b)
	}
	if f, ok := s.file.stream.(*foreign); ok {
		f.left = append(append([]byte(nil), b...), f.left...)
		return nil
	}
	return vfs.ESPIPE
}

func (s *commandStream) Write(b []byte) (int, error) {
	switch {
	case s.file == nil:
		return 0, vfs.EBADF
	case s.detached.Load():
		return 0, context.Canceled
	}
	return s.file.write(s.ctx, b)
}
