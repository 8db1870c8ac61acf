package interp

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vsh-project/vsh/vfs"
)

// run is what the processes of one Run share.
type run struct {
	session *Session
	options RunOptions
	ctx     context.Context
	cancel  context.CancelFunc
	// limited says that a bound has been reported.
	limited atomic.Bool
	// refused is a charge's error that nobody has reported yet.
	refused atomic.Pointer[error]
	// over is the status that the whole run ends with at once, plus one.
	over atomic.Int32

	// held is the longest time that a call has asked for to end in.
	held atomic.Int64

	mu    sync.Mutex
	procs map[int]*proc
	// group counts the goroutines of processes, live those of them that are not
	// about to return.
	group sync.WaitGroup
	live  atomic.Int32
	// stuck names the foreign calls that ignored their context.
	stuck []string
}

// limitFrom ends the run because a charge of its streams was refused.
func (r *run) limitFrom(err error) {
	r.refused.Store(&err)
	r.finish(statusLimit)
}

// finish ends every process of the run; the first status counts.
func (r *run) finish(status int) {
	r.over.CompareAndSwap(0, int32(status)+1)
	r.cancel()
}

// watch makes every process look up once the run's context is over.
func (r *run) watch() (stop func() bool) {
	return context.AfterFunc(r.ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, p := range r.procs {
			p.attention.Store(1)
		}
	})
}

// add registers a process; false: there are too many.
func (r *run) add(p *proc) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.procs) >= r.session.config.MaxProcesses {
		return false
	}
	r.procs[p.pid] = p
	if r.ctx.Err() != nil {
		p.attention.Store(1)
	}
	return true
}

func (r *run) remove(p *proc) {
	r.mu.Lock()
	if r.procs[p.pid] == p {
		delete(r.procs, p.pid)
	}
	r.mu.Unlock()
}

// succeed puts the program c in the place of p, which has nothing else to do:
// signals for p's process id reach c, until resume.
func (r *run) succeed(p, c *proc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.procs, c.pid)
	c.pid, c.ppid = p.pid, p.ppid
	r.procs[c.pid] = c
	if n := p.pending.Swap(0); n != 0 {
		c.pending.Or(n)
		c.attention.Store(1)
	}
}

// resume registers p again once the program in its place has ended.
func (r *run) resume(p *proc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.procs[p.pid] = p
	if r.ctx.Err() != nil {
		p.attention.Store(1)
	}
}

// find is the live process with pid.
func (r *run) find(pid int) *proc {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.procs[pid]
}

// procCost is charged for every live process.
const procCost = 16 << 10

// snapshot stands for what a child saw of its parent when it was forked: as
// long as it or one of its own children lives, the parent's older values do.
type snapshot struct {
	epoch  uint64
	refs   atomic.Int32
	parent *snapshot
}

func (s *snapshot) drop() {
	for s != nil && s.refs.Add(-1) == 0 {
		s = s.parent
	}
}

// fork makes a child process. nil: a bound was reached, and the message is out.
// The caller runs it and calls its end.
func (p *proc) fork(parent context.Context) *proc {
	if p.depth >= p.session.config.MaxDepth {
		p.limit(fmt.Sprintf("maximum call depth of %d exceeded", p.session.config.MaxDepth))
		return nil
	}
	if !p.charge(procCost) {
		return nil
	}
	c := &proc{state: p.state}
	p.held -= procCost // the child gives it back
	c.held, c.credit, c.scratched, c.out = procCost, 0, 0, nil
	c.parent, c.sole = p, false
	c.pid = p.session.newPID()
	c.ppid = p.shellPID
	c.subshell++
	c.depth++
	e := p.session.epochs.Add(2)
	c.epoch, p.epoch = e, e-1
	c.born = e - 1
	c.snapshot = &snapshot{epoch: e - 2, parent: p.snapshot}
	c.snapshot.refs.Store(1)
	c.execMu = new(sync.Mutex)
	if p.snapshot != nil {
		p.snapshot.refs.Add(1)
	}
	c.children, c.late = nil, 0
	p.children = append(p.children, c.snapshot)
	c.vars.pages = append([]*page(nil), p.vars.pages...)
	c.files = p.files.fork()
	c.view = p.view.WithDescriptors(c)
	c.jobs = p.jobs.fork()
	c.traps = p.traps.fork(func(n int) bool {
		return n == trapERR && p.options.has(optErrtrace) || (n == trapDEBUG || n == trapRETURN) && p.options.has(optFunctrace)
	})
	c.ctx, c.cancel = context.WithCancel(parent)
	c.wake = make(chan struct{}, 1)
	if !p.run.add(c) {
		c.end()
		p.errorf("fork: retry: Resource temporarily unavailable")
		p.limit(fmt.Sprintf("maximum of %d processes exceeded", p.session.config.MaxProcesses))
		return nil
	}
	return c
}

// end releases what a process holds. It may be called by any goroutine once
// the process runs no more.
func (p *proc) end() {
	p.files.closeAll()
	p.run.remove(p)
	p.cancel()
	p.snapshot.drop()
	p.settle()
}

// start runs body in a goroutine of its own as process c, and then done with
// the exit status. Panics become status 2.
func (c *proc) start(body func(c *proc), done func(status int)) {
	c.run.group.Add(1)
	c.run.live.Add(1)
	go func() {
		defer c.run.group.Done()
		c.guard(body)
		c.finish()
		c.end()
		done(c.status)
		c.run.live.Add(-1)
	}()
}

// guard runs body and turns a panic into an internal error of status 2.
func (p *proc) guard(body func(p *proc)) {
	defer func() {
		if r := recover(); r != nil {
			p.internalError(r)
		}
	}()
	body(p)
}

// internalError reports a panic.
func (p *proc) internalError(reason any) {
	p.errorf("internal error: %v", reason)
	if debugPanics {
		fmt.Fprintf(debugOutput, "%v\n%s", reason, debug.Stack())
	}
	p.status = 2
	p.flow = flowKilled
}

// debugPanics is switched on by tests that want a panic's stack.
var (
	debugPanics bool
	debugOutput io.Writer = io.Discard
)

// stopped reports whether the process must unwind: it was killed or the run is
// over. It is cheap; long work calls it once a block.
func (p *proc) stopped() bool {
	return p.attention.Load() != 0 && p.die()
}

// cancelled is stopped for callers that have seen an error, which may be the
// end of the context before anybody has said so.
func (p *proc) cancelled() bool {
	if p.ctx.Err() != nil {
		p.attention.Store(1)
	}
	return p.stopped()
}

// die looks why the process was disturbed and starts its unwinding if it must
// end.
func (p *proc) die() bool {
	if over := p.run.over.Load(); over != 0 {
		p.status, p.flow = int(over-1), flowKilled
		return true
	}
	if p.run.ctx.Err() != nil {
		p.status, p.flow = statusTimeout, flowKilled
		return true
	}
	if n := p.deadly(); n != 0 {
		p.status, p.flow, p.killedBy = 128+n, flowKilled, n
		return true
	}
	if p.parentKilled() {
		p.status, p.flow = 128+sigTERM, flowKilled
		return true
	}
	return false
}

// parentKilled reports whether the context of a process that nobody signalled
// is over: what it is a part of was ended.
func (p *proc) parentKilled() bool { return p.ctx.Err() != nil }

// statusTimeout is the status of a run whose context ended.
const statusTimeout = 124

// Defaults of Config.
const (
	defaultMaxSource      = 1 << 20
	defaultMaxNesting     = 1000
	defaultMaxDepth       = 10000
	defaultMaxDescriptors = 1024
	defaultMaxProcesses   = 8192
	defaultGrace          = 500 * time.Millisecond
)

// stdin, stdout and stderr of a run, when nil.
type nullStream struct{}

func (nullStream) Read(context.Context, []byte) (int, error)      { return 0, io.EOF }
func (nullStream) Write(_ context.Context, b []byte) (int, error) { return len(b), nil }
func (nullStream) Close() error                                   { return nil }

var _ vfs.Descriptors = (*proc)(nil)
