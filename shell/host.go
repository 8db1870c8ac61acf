package shell

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/vsh-project/vsh/internal/budget"
	"github.com/vsh-project/vsh/internal/interp"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// host is the shell as its commands see it.
type host struct {
	settings *settings
	budget   *budget.Budget
	// process is the virtual process of the call.
	process *interp.Process
	// held is what the call has charged and not released yet.
	held atomic.Int64
}

// call runs a registered command: its error becomes a status, its panic an
// internal error. args starts with the name.
func (h *host) call(ctx context.Context, cmd *Command, args []string, streams command.Invocation, view *vfs.View) (status int) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(streams.Stderr, "%s: internal error: %v\n", args[0], r)
			h.settings.panicked(r)
			status = 2
		}
	}()
	streams.Arguments = args[1:]
	streams.Directory = strings.TrimPrefix(view.Directory(), "/")
	streams.Storage = view.Storage()
	if streams.Stdin == nil {
		streams.Stdin = strings.NewReader("")
	}
	defer func() { h.budget.Release(h.held.Swap(0)) }()
	err := cmd.Run(ctx, command.NewInvocation(streams, args[0], view, h))
	var exit ExitError
	var killed command.SignalError
	if errors.As(err, &killed) {
		h.process.Die(int(killed))
	}
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return int(exit)
	case errors.Is(err, vfs.EPIPE):
		return 141
	case ctx.Err() != nil:
		return 130
	}
	fmt.Fprintf(streams.Stderr, "%s: %s\n", args[0], err)
	return 1
}

// panicked tells the embedder of a panic that a script sees as a status.
func (s *settings) panicked(value any) {
	if s.PanicHook != nil {
		s.PanicHook(value, debug.Stack())
	}
}

func (h *host) Exec(ctx context.Context, request *command.Exec) (int, error) {
	r := &interp.ExecRequest{Arguments: request.Arguments, Environment: request.Environment, Stdin: request.Stdin, Stdout: request.Stdout, Stderr: request.Stderr, Directory: request.Directory, Started: request.Started, Killed: request.Killed, IgnoreSignals: request.IgnoreSignals, DefaultSignals: request.DefaultSignals}
	return h.process.Exec(ctx, r)
}

func (h *host) LookPath(ctx context.Context, name string, environment []string) (string, error) {
	return h.process.LookPath(ctx, name, environment)
}

func (h *host) Commands() []Command { return slices.Clone(h.settings.commands) }

func (h *host) Now() time.Time {
	if h.settings.Clock != nil {
		return h.settings.Clock()
	}
	return time.Now()
}

func (h *host) Random() io.Reader {
	if h.settings.Random != nil {
		return h.settings.Random
	}
	return rand.Reader
}

func (h *host) Hostname() string   { return h.settings.identity.Host }
func (h *host) MountPoint() string { return h.settings.mount }

// Charge draws on the shell's budget for this call: what a command leaves is
// given back at its end, or a session would shrink with each failed command.
func (h *host) Charge(bytes int64) error {
	if err := h.budget.Charge(bytes); err != nil {
		return err
	}
	h.held.Add(max(bytes, 0))
	return nil
}

func (h *host) Release(bytes int64) {
	for {
		held := h.held.Load()
		given := min(bytes, held)
		if given <= 0 {
			return
		}
		if h.held.CompareAndSwap(held, held-given) {
			h.budget.Release(given)
			return
		}
	}
}

// PID is the virtual process id of the call.
func (h *host) PID() int {
	return h.process.PID()
}

// Signal sends a virtual signal.
func (h *host) Signal(pid, signal int) error {
	return h.process.Signal(pid, signal)
}
