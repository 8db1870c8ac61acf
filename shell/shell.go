// Package shell runs bash scripts inside the calling Go process, over a
// virtual filesystem, with every command written in Go. Nothing of the host is
// reached but what Options hand over.
package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/vsh-project/vsh/builtins"
	"github.com/vsh-project/vsh/internal/budget"
	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/memory"
)

// Builtins are the commands every Shell has, by name.
func Builtins() []Command { return builtins.All() }

// Shell is one session. Working directory, variables, functions, aliases and
// files last from one Run to the next, also after a failure or a timeout; set
// and shopt options, traps, descriptors, positional parameters, background
// jobs and $? do not. It is safe for concurrent use: its runs take turns, while
// different Shells run at once.
type Shell struct {
	settings *settings
	budget   *budget.Budget
	files    *files
	view     atomic.Pointer[vfs.View] // of files, for whoever has not the turn

	turn chan struct{} // holds one token: whoever has it runs
	eval *evaluator
	// left is closed when the run that was left behind has ended; leftCalls are
	// what it waited for.
	left      chan struct{}
	leftCalls []string
}

// New makes a Shell. It fails on Options that cannot work, naming the field.
func New(options *Options) (*Shell, error) {
	s, err := newSettings(options)
	if err != nil {
		return nil, err
	}
	sh := &Shell{settings: s, turn: make(chan struct{}, 1)}
	sh.turn <- struct{}{}
	if err := sh.start(); err != nil {
		return nil, err
	}
	return sh, nil
}

// start makes a fresh session: its budget, /tmp, /dev and evaluator.
func (s *Shell) start() error {
	s.budget = budget.New(s.settings.Limits.Memory)
	tmp := memory.New(memory.Options{Budget: s.budget, Clock: s.settings.Clock})
	files, err := s.settings.newFiles(s.budget, tmp)
	if err != nil {
		return fmt.Errorf("shell: Options.Storage: %w", err)
	}
	s.show(files)
	s.eval = newEvaluator(s.settings, s.budget, files.view)
	return nil
}

func (s *Shell) show(f *files) {
	s.files = f
	s.view.Store(f.view)
}

// View is the tree of files as scripts see it, from MountPoint, for Go tools that
// work beside the shell: under vfs.NewFiles they meet the same mounts, links and
// policies. Reset gives the session another.
func (s *Shell) View() *vfs.View { return s.view.Load() }

// Storage is the workspace: Options.Storage, or the copy that a Fork has.
func (s *Shell) Storage() vfs.Storage { return s.settings.Storage }

// Reset forgets the session: the next Run starts in MountPoint with the
// Options' environment and an empty /tmp. The workspace keeps its files.
func (s *Shell) Reset() error {
	<-s.turn
	defer func() { s.turn <- struct{}{} }()
	return s.start()
}

// Request is one script with its surroundings. Only Script is required.
type Request struct {
	Script string
	// Name is $0, "bash" when empty. File says that Script is the text of a
	// file of that name: messages then start with Name instead of "bash: -c".
	Name string
	File bool
	// Arguments are $1, $2, ...
	Arguments []string
	// Stdin is the script's standard input; nil is empty.
	Stdin io.Reader
	// Stdout and Stderr get what the script writes as it writes it, uncut,
	// besides Result's bounded copies. Writes are made one at a time; an error
	// is the script's write error.
	Stdout, Stderr io.Writer
	// Environment adds exported variables, NAME=value, to this run only.
	Environment []string
	// Directory is where this run starts and only this run works; the
	// session's directory stays. Relative to it.
	Directory string
	// Flags are set before the script starts, as set(1) names them: "-e",
	// "-x", "-o pipefail" as "pipefail".
	Flags []string
	// Timeout replaces Options.Timeout when it is not zero.
	Timeout time.Duration
}

// Run runs a script. The error says that the shell itself could not work or
// that ctx had ended before; what a script does wrong is in the Result.
func (s *Shell) Run(ctx context.Context, script string) (*Result, error) {
	return s.Exec(ctx, &Request{Script: script})
}

// Exec is Run with a script's surroundings. When ctx ends the script is
// stopped with status 130, and the Result comes back without an error.
func (s *Shell) Exec(ctx context.Context, request *Request) (*Result, error) {
	if request == nil {
		return nil, errors.New("shell: Request is nil")
	}
	for _, pair := range request.Environment {
		name, _, ok := strings.Cut(pair, "=")
		if !ok || !isName(name) || strings.ContainsRune(pair, 0) {
			return nil, fmt.Errorf("shell: Request.Environment: %q is not NAME=value", pair)
		}
	}
	select {
	case <-s.turn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { s.turn <- struct{}{} }()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.stuck(); err != nil {
		return nil, err
	}
	began := time.Now()
	timeout := s.settings.Timeout
	if request.Timeout != 0 {
		timeout = request.Timeout
	}
	running, cancel := context.WithCancel(ctx)
	if timeout > 0 {
		running, cancel = context.WithTimeoutCause(ctx, timeout, errTimeout)
	}
	defer cancel()
	out := newCapture(s.settings.MaximumOutputBytes, s.budget, request.Stdout, request.Stderr)
	result := &Result{}
	s.files.reset()
	result.Directory = s.eval.directory()
	o, left := s.handOff(running, request, out)
	status, err := o.status, o.err
	switch cause := context.Cause(running); {
	case err != nil:
	case cause == nil:
	case errors.Is(cause, errTimeout):
		status, result.TimedOut = 124, true
	default:
		status = 130
	}
	result.ExitCode = status
	result.Duration = time.Since(began)
	if left != nil {
		out.leave(left)
		out.detach(result)
		result.Stuck, result.ChangesIncomplete = left, s.settings.RecordChanges
		return result, err
	}
	result.Directory = s.eval.directory()
	out.detach(result)
	result.Stuck = s.eval.session.Stuck()
	result.Changes, result.ChangesIncomplete = s.files.look(ctx)
	return result, err
}

// evaluate runs the script; a panic of the evaluator is a status like a command's.
func (s *Shell) evaluate(ctx context.Context, request *Request, out *capture, over func()) (status int, err error) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(&out.stderr, "bash: internal error: %v\n", r)
			s.settings.panicked(r)
			status, err = 2, nil
		}
	}()
	return s.eval.run(ctx, request, &out.stdout, &out.stderr, over)
}

var errTimeout = errors.New("timeout")
