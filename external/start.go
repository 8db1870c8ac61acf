package external

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/vsh-project/vsh/vfs"
)

// Process is one run of a host program in the host's own terms.
type Process struct {
	Path, Name  string
	Arguments   []string
	Environment []string
	// Directory is a host directory, or the name of an open one's descriptor.
	Directory string
	// Timeout ends the run with status 124; zero means only ctx does.
	Timeout time.Duration
	// Grace lies between TERM and KILL, and bounds the drain of the output.
	Grace          time.Duration
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

const (
	statusTimeout       = 124
	statusNotExecutable = 126
	statusNotFound      = 127
	// statusUnknown: somebody else in this process has reaped the program.
	statusUnknown = 255
)

// maximumLive bounds the programs of all shells together: each has a thread of
// this process, and Go ends a process that has 10,000.
const maximumLive = 2000

var live atomic.Int64

// Run starts the process in a session of its own, so in a group of its own and
// without a terminal, and returns its exit status: 124 at the timeout, 128+n for a
// signal, 126 or 127 where it cannot start. When Run returns nothing of it is
// left that the system lets us find. The error is ctx's, or says that there was
// nothing to start it with.
func (p *Process) Run(ctx context.Context) (status int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if live.Add(1) > maximumLive {
		live.Add(-1)
		return p.startError(syscall.EAGAIN), nil
	}
	defer live.Add(-1)
	limited := ctx
	if p.Timeout > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeoutCause(ctx, p.Timeout, errTimeout)
		defer cancel()
	}
	r := &running{Process: p, gone: make(chan struct{}), ended: make(chan struct{}), reap: make(chan struct{})}
	if err := r.open(); err != nil {
		return 0, err
	}
	started, reaped := make(chan error, 1), make(chan int, 1)
	go r.process(started, reaped)
	if err := <-started; err != nil {
		r.closeAll()
		return p.startError(err), nil
	}
	r.pump(limited)
	alone := r.await(limited)
	r.drain(ctx, alone)
	close(r.reap)
	status = <-reaped
	switch {
	case ctx.Err() != nil:
		return status, ctx.Err()
	case !alone && errors.Is(context.Cause(limited), errTimeout):
		return statusTimeout, nil
	}
	return status, nil
}

var errTimeout = errors.New("timeout")

func (p *Process) startError(err error) (status int) {
	status = statusNotExecutable
	words := vfs.Words(err)
	if _, gone := os.Stat(p.Directory); gone != nil && p.Directory != "" {
		words = "the directory it starts in: " + vfs.Words(gone)
	} else if errors.Is(err, os.ErrNotExist) {
		status = statusNotFound
	}
	io.WriteString(p.Stderr, p.Name+": "+words+"\n")
	return status
}

// running is one process with its three pipes.
type running struct {
	*Process
	cmd *exec.Cmd

	childIn, childOut, childErr *os.File // the program's ends
	in, out, err                *os.File // ours

	outputs     sync.WaitGroup
	input       sync.WaitGroup
	stopReading context.CancelFunc // ends a read of the shell's stdin
	unsent      []byte             // read from it and never written to the program
	gone        chan struct{}      // closed when a reader of the output has gone
	goneOnce    sync.Once
	ended       chan struct{} // closed when the program has ended; it keeps its id until reap is closed
	reap        chan struct{}
	closing     atomic.Bool // those who held the output have been ended
	strays      []stray     // found outside the program's group
}

func (r *running) open() (err error) {
	pipe := func(read, write **os.File) {
		if err == nil {
			*read, *write, err = os.Pipe()
		}
	}
	pipe(&r.childIn, &r.in)
	pipe(&r.out, &r.childOut)
	pipe(&r.err, &r.childErr)
	if err != nil {
		r.closeAll()
	}
	return err
}

func (r *running) closeAll() {
	for _, f := range []*os.File{r.childIn, r.childOut, r.childErr, r.in, r.out, r.err} {
		if f != nil {
			f.Close()
		}
	}
}

// process starts the program and reaps it when it is told to: until then no other
// process or group can have its id. Its thread stays locked: the parent-death
// signal is the thread's.
func (r *running) process(started chan<- error, reaped chan<- int) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r.cmd = &exec.Cmd{
		Path: r.Path, Args: append([]string{r.Name}, r.Arguments...), Dir: r.Directory,
		// A nil Env would be this process's.
		Env:   append([]string{}, r.Environment...),
		Stdin: r.childIn, Stdout: r.childOut, Stderr: r.childErr, SysProcAttr: processAttributes(),
	}
	err := r.cmd.Start()
	for _, f := range []*os.File{r.childOut, r.childErr} {
		f.Close()
	}
	started <- err
	if err != nil {
		return
	}
	waitUntilEnded(r.cmd)
	close(r.ended)
	<-r.reap
	r.cmd.Wait()
	status := statusUnknown
	if r.cmd.ProcessState != nil {
		status = exitStatus(r.cmd.ProcessState)
	}
	reaped <- status
}

// pump copies the streams. The output's goroutines end when the last writer has
// closed or drain closes the pipe; the input's when the program has gone.
func (r *running) pump(ctx context.Context) {
	r.outputs.Add(2)
	go r.copyOutput(r.Stdout, r.out)
	go r.copyOutput(r.Stderr, r.err)
	reading, cancel := context.WithCancel(ctx)
	r.stopReading = cancel
	r.input.Add(1)
	go r.copyInput(reading)
}

const (
	outputBlock = 32 << 10
	inputBlock  = 16 << 10
	// quiet is how long a pipe must be without data to be empty, once those who
	// held it have been ended.
	quiet = 50 * time.Millisecond
	// lastBytes bounds what is read then: more than a pipe can hold comes from a
	// holder that could not be found.
	lastBytes = 1 << 20
)

// copyOutput closes the pipe when the shell's reader has gone, so that the
// program meets SIGPIPE. How long the shell takes to read is not the program's
// fault: only waiting for data is bounded.
func (r *running) copyOutput(to io.Writer, from *os.File) {
	defer r.outputs.Done()
	defer from.Close()
	block := make([]byte, outputBlock)
	last, waited := 0, false
	for {
		n, err := from.Read(block)
		if n > 0 {
			waited = false
			if _, err := to.Write(block[:n]); err != nil {
				r.goneOnce.Do(func() { close(r.gone) })
				return
			}
			if r.closing.Load() {
				last += n
			}
		}
		switch {
		case last > lastBytes:
			return
		case errors.Is(err, os.ErrDeadlineExceeded) && !waited:
			waited = true
			err = from.SetReadDeadline(time.Now().Add(quiet))
		}
		if err != nil {
			return
		}
	}
}

// await waits for the program's end, and brings it about: TERM to the group
// when ctx ends, or when a reader has gone and the program lives on; KILL after
// the grace. It reports whether the program ended before ctx did.
func (r *running) await(ctx context.Context) (alone bool) {
	var alarm <-chan time.Time
	gone, done, terminated := r.gone, ctx.Done(), false
	for {
		select {
		case <-r.ended:
			return done != nil
		case <-gone:
			gone = nil
			if alarm == nil {
				alarm = time.After(r.Grace)
			}
		case <-done:
			done, terminated = nil, true
			r.terminate()
			alarm = time.After(r.Grace)
		case <-alarm:
			if terminated {
				r.kill()
				alarm = nil
				continue
			}
			terminated = true
			r.terminate()
			alarm = time.After(r.Grace)
		}
	}
}

// terminate asks the group, and whoever has left it, to end.
func (r *running) terminate() {
	r.strays = findStrays(r.cmd.Process.Pid, r.strays)
	terminateGroup(r.cmd.Process)
	signalStrays(r.strays, false)
}

// kill ends the group and whoever has left it.
func (r *running) kill() {
	r.strays = findStrays(r.cmd.Process.Pid, r.strays)
	killGroup(r.cmd.Process)
	signalStrays(r.strays, true)
}

// drain lets what is left in the pipes arrive. Whoever else holds them gets the
// grace if the program has ended alone, and is then ended.
func (r *running) drain(ctx context.Context, alone bool) {
	r.endInput()
	arrived := make(chan struct{})
	go func() {
		r.outputs.Wait()
		close(arrived)
	}()
	if alone {
		timer := time.NewTimer(r.Grace)
		defer timer.Stop()
		select {
		case <-arrived:
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	// What the program left running in its group ends with it.
	killGroup(r.cmd.Process)
	select {
	case <-arrived:
		if alone {
			return
		}
	default:
	}
	r.kill()
	killHolders(r.out, r.err)
	r.closing.Store(true)
	for _, f := range []*os.File{r.out, r.err} {
		if f.SetReadDeadline(time.Now().Add(quiet)) != nil {
			f.Close()
		}
	}
	<-arrived
}
