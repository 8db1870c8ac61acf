package shell

import (
	"context"
	"io"
	"path"

	"github.com/vsh-project/vsh/internal/budget"
	"github.com/vsh-project/vsh/internal/interp"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// evaluator runs a session's scripts with internal/interp.
type evaluator struct {
	settings *settings
	budget   *budget.Budget
	session  *interp.Session
}

func newEvaluator(s *settings, b *budget.Budget, view *vfs.View) *evaluator {
	e := &evaluator{settings: s, budget: b}
	e.session = interp.NewSession(e.config(view))
	return e
}

func (e *evaluator) fork(s *settings, b *budget.Budget, view *vfs.View) (*evaluator, error) {
	f := &evaluator{settings: s, budget: b}
	var err error
	f.session, err = e.session.Fork(f.config(view))
	return f, err
}

func (e *evaluator) config(view *vfs.View) interp.Config {
	s, b := e.settings, e.budget
	return interp.Config{
		View: view, Host: s.identity.Host, Environment: s.environment(), Now: s.Clock, Random: s.Random, Budget: b,
		Command: e.command, CommandNames: e.names,
		MaxSource: s.Limits.Source, MaxNesting: s.Limits.Nesting, MaxDepth: s.Limits.CallDepth,
		MaxDescriptors: s.Limits.Descriptors, MaxProcesses: s.Limits.Processes, Grace: s.ExitGrace,
	}
}

func (e *evaluator) directory() string { return e.session.Directory() }

func (e *evaluator) run(ctx context.Context, r *Request, stdout, stderr io.Writer, over func()) (int, error) {
	options := interp.RunOptions{
		Script: r.Script, Command: !r.File, Name: r.Name, Arguments: r.Arguments, Environment: r.Environment, Directory: r.Directory,
		Stdin: r.Stdin, Stdout: stdout, Stderr: stderr, Options: r.Flags, Over: over,
	}
	if r.File {
		options.File = r.Name
	}
	return e.session.Run(ctx, options), nil
}

func (e *evaluator) names() []string {
	names := make([]string, 0, len(e.settings.commands))
	for i := range e.settings.commands {
		names = append(names, e.settings.commands[i].Name)
	}
	return names
}

// command is the registered command that the file at an absolute path is.
func (e *evaluator) command(file string) interp.Command {
	dir, base := path.Split(file)
	if dir != "/usr/bin/" && dir != "/bin/" {
		return nil
	}
	cmd := e.settings.byName[base]
	if cmd == nil {
		return nil
	}
	return func(ctx context.Context, call *interp.Call) int {
		if cmd.Grace > 0 {
			call.Process.Hold(cmd.Grace)
		}
		h := &host{settings: e.settings, budget: e.budget, process: call.Process}
		return h.call(ctx, cmd, append([]string{call.Name}, call.Arguments...), command.Invocation{
			Stdin: call.Stdin, Stdout: call.Stdout, Stderr: call.Stderr, Environment: call.Environment,
		}, call.View)
	}
}

// environment is what a session starts with.
func (s *settings) environment() []string {
	env := []string{"PATH=/usr/bin:/bin", "HOME=" + s.mount, "USER=" + s.identity.User, "LOGNAME=" + s.identity.User, "LANG=C.UTF-8", "TERM=dumb"}
	return append(env, s.Environment...)
}
