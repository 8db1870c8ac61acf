package external

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
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
)

// Run starts the process in a group of its own and returns its exit status: 124
// at the timeout, 128+n for a signal, 126 or 127 where it cannot start. When Run
// returns nothing of it is left that the system lets us find. The error is
// ctx's, or says that there was nothing to start it with.
func (p *Process) Run(ctx context.Context) (status int, err error) {
	if p.Timeout > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, p.Timeout, errTimeout)
		defer cancel()
		ctx = limited
	}
	r := &running{Process: p, gone: make(chan struct{})}
	if err := r.open(); err != nil {
		return 0, err
	}
	exited := make(chan int, 1)
	started := make(chan error, 1)
	go r.process(started, exited)
	if err := <-started; err != nil {
		r.closeAll()
		return p.startError(err), nil
	}
	r.pump(ctx)
	status = r.await(ctx, exited)
	r.drain()
	switch {
	case errors.Is(context.Cause(ctx), errTimeout):
		return statusTimeout, nil
	case ctx.Err() != nil:
		return status, ctx.Err()
	}
	return status, nil
}

var errTimeout = errors.New("timeout")

func (p *Process) startError(err error) (status int) {
	io.WriteString(p.Stderr, p.Name+": "+vfs.Words(err)+"\n")
	if errors.Is(err, os.ErrNotExist) {
		return statusNotFound
	}
	return statusNotExecutable
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

// process starts the program and reaps it. Its thread stays locked until then:
// the parent-death signal is the thread's.
func (r *running) process(started chan<- error, exited chan<- int) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r.cmd = &exec.Cmd{
		Path: r.Path, Args: append([]string{r.Name}, r.Arguments...), Env: r.Environment, Dir: r.Directory,
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
	r.cmd.Wait()
	exited <- exitStatus(r.cmd.ProcessState)
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

// copyOutput closes the pipe when the shell's reader has gone, so that the
// program meets SIGPIPE.
func (r *running) copyOutput(to io.Writer, from *os.File) {
	defer r.outputs.Done()
	defer from.Close()
	block := make([]byte, 32<<10)
	for {
		n, err := from.Read(block)
		if n > 0 {
			if _, err := to.Write(block[:n]); err != nil {
				r.goneOnce.Do(func() { close(r.gone) })
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// await waits for the program's end, and brings it about: TERM to the group
// when ctx ends, or when a reader has gone and the program lives on; KILL after
// the grace.
func (r *running) await(ctx context.Context, exited <-chan int) int {
	var alarm <-chan time.Time
	gone, done, terminated := r.gone, ctx.Done(), false
	for {
		select {
		case status := <-exited:
			if ctx.Err() != nil {
				killGroup(r.cmd.Process)
			}
			return status
		case <-gone:
			gone = nil
			if alarm == nil {
				alarm = time.After(r.Grace)
			}
		case <-done:
			done, terminated = nil, true
			terminateGroup(r.cmd.Process)
			alarm = time.After(r.Grace)
		case <-alarm:
			if terminated {
				killGroup(r.cmd.Process)
				alarm = nil
				continue
			}
			terminated = true
			terminateGroup(r.cmd.Process)
			alarm = time.After(r.Grace)
		}
	}
}

// drain lets what is left in the pipes arrive, for as long as something still
// holds them but no longer than the grace, then ends those that hold them.
func (r *running) drain() {
	r.endInput()
	arrived := make(chan struct{})
	go func() {
		r.outputs.Wait()
		close(arrived)
	}()
	timer := time.NewTimer(r.Grace)
	defer timer.Stop()
	select {
	case <-arrived:
		// What the program left running in its group ends with it.
		killGroup(r.cmd.Process)
		return
	case <-timer.C:
	}
	killHolders(r.out, r.err)
	killGroup(r.cmd.Process)
	r.out.Close()
	r.err.Close()
	<-arrived
}
