// Package command is what a shell command is made of. Package shell aliases
// its types; commands and external programs need no more than this package.
package command

import (
	"context"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/vsh-project/vsh/vfs"
)

// Command is one program a script can run by name.
type Command struct {
	// Name is what the script types, e.g. "grep". Required, unique per shell.
	Name string
	// Summary is one short line for the tool description the model reads,
	// with the options worth naming. Required.
	Summary string
	// Run executes one invocation and must honour ctx: nil is exit status 0,
	// an ExitError another status, any other error is reported on stderr as
	// "NAME: error" with status 1. It is called concurrently, also from several
	// Shells. The streams belong to the call: Run must not close them, nor use
	// them after it returns, and every goroutine it starts must have ended by
	// then. A panic is reported as an internal error with status 2.
	Run func(ctx context.Context, invocation *Invocation) error
	// Grace is how long Run may take to return once ctx has ended: the shell
	// waits that long before it reports the command as stuck. The shell's own
	// (Options.ExitGrace) counts where it is longer.
	Grace time.Duration
}

// ExitError is a non-zero exit status.
type ExitError uint8

func (e ExitError) Error() string { return fmt.Sprintf("exit status %d", uint8(e)) }

// SignalError is the virtual signal that ends a command: its status is 128 and
// the number, and the shell tells of it as of a program that a signal has ended.
type SignalError int

func (e SignalError) Error() string { return fmt.Sprintf("signal %d", int(e)) }

// Unwrap makes it the ExitError of its status.
func (e SignalError) Unwrap() error { return ExitError(128 + int(e)) }

// Invocation is one run of a command.
type Invocation struct {
	// Arguments are the arguments after the command name, already expanded.
	Arguments []string
	// Stdin, Stdout and Stderr are the command's streams; the shell bounds
	// what is written. Stdin is an io.Seeker where the script redirected a file.
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	// Directory is the working directory as a path of Storage without leading
	// slash: "" is "/".
	Directory string
	// Storage is what the script sees: an afero face over View.
	Storage vfs.Storage
	// Environment holds the exported variables as NAME=value.
	Environment []string

	name string
	view *vfs.View
	host Host
}

// Host is the shell as a running command sees it. Only the shell implements it.
type Host interface {
	// Exec runs a command of the same shell and returns its exit status; the
	// error is only ctx's.
	Exec(ctx context.Context, request *Exec) (status int, err error)
	// LookPath finds name as the shell's PATH search would (no functions, no
	// builtins), in the PATH of environment.
	LookPath(ctx context.Context, name string, environment []string) (string, error)
	// Commands lists the shell's registered commands by name.
	Commands() []Command
	Now() time.Time
	// Random never runs dry.
	Random() io.Reader
	Hostname() string
	// MountPoint is where the workspace appears, absolute.
	MountPoint() string
	// PID is the virtual process id of this invocation.
	PID() int
	// Charge takes bytes from the shell's memory budget before they are
	// allocated; Release gives them back. What an invocation has not given back
	// when its Run returns is given back then.
	Charge(bytes int64) error
	Release(bytes int64)
	// Signal sends a virtual signal (by number) to a virtual process, or to
	// process -pid and all it has started when pid is negative.
	Signal(pid, signal int) error
}

// Exec asks for one command. Nil streams are the invocation's own; a nil
// Environment is its own; an empty Directory too.
type Exec struct {
	// Arguments start with the command's name: a registered command, a path of
	// a script in the virtual filesystem, or a shell builtin that exists as a
	// program (echo, test, printf, ...).
	Arguments   []string
	Environment []string
	Directory   string
	Stdin       io.Reader
	Stdout      io.Writer
	Stderr      io.Writer
	// Started is told the virtual process id before the command runs; nil asks
	// for nothing. Host.Signal reaches the command by it while Exec lasts.
	Started func(pid int)
	// Killed is told the virtual signal that has ended the command; nil asks
	// for nothing.
	Killed func(signal int)
	// IgnoreSignals are ignored by the command and what it starts, and
	// DefaultSignals are not, whatever the caller does with them.
	IgnoreSignals, DefaultSignals []int
}

// NewInvocation completes an invocation with what only the shell knows.
func NewInvocation(i Invocation, name string, view *vfs.View, host Host) *Invocation {
	i.name, i.view, i.host = name, view, host
	return &i
}

// Name is what the script called the command.
func (i *Invocation) Name() string { return i.name }

// View is the filesystem with contexts, links and modes, from the working
// directory of the call: operands go to it as typed.
func (i *Invocation) View() *vfs.View { return i.view }

// Host is the shell that runs the invocation.
func (i *Invocation) Host() Host { return i.host }

// Resolve makes a path of Storage, without leading slash, from an operand: it
// joins a relative one to Directory and cleans it.
func (i *Invocation) Resolve(operand string) string {
	if !strings.HasPrefix(operand, "/") {
		operand = i.Directory + "/" + operand
	}
	return strings.TrimPrefix(path.Clean("/"+operand), "/")
}

// Getenv is the value of an exported variable; the last of a name counts.
func (i *Invocation) Getenv(name string) (string, bool) {
	for k := len(i.Environment) - 1; k >= 0; k-- {
		if v, ok := strings.CutPrefix(i.Environment[k], name); ok && strings.HasPrefix(v, "=") {
			return v[1:], true
		}
	}
	return "", false
}
