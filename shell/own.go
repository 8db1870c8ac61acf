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

// evaluatorName chooses the evaluator at link time: "own" is internal/interp.
var evaluatorName = "own"

func newEvaluator(s *settings, b *budget.Budget, view *vfs.View) (evaluator, error) {
	if evaluatorName == "upstream" {
		return newUpstream(s, b, view)
	}
	return newOwn(s, b, view), nil
}

// own evaluates with internal/interp.
type own struct {
	settings *settings
	budget   *budget.Budget
	session  *interp.Session
}

func newOwn(s *settings, b *budget.Budget, view *vfs.View) *own {
	o := &own{settings: s, budget: b}
	o.session = interp.NewSession(o.config(view))
	return o
}

func (o *own) fork(s *settings, b *budget.Budget, view *vfs.View) (evaluator, error) {
	f := &own{settings: s, budget: b}
	var err error
	f.session, err = o.session.Fork(f.config(view))
	return f, err
}

func (o *own) config(view *vfs.View) interp.Config {
	s, b := o.settings, o.budget
	return interp.Config{
		View: view, Host: s.identity.Host, Environment: s.environment(), Now: s.Clock, Random: s.Random, Budget: b,
		Command: o.command, CommandNames: o.names,
		MaxSource: s.Limits.Source, MaxNesting: s.Limits.Nesting, MaxDepth: s.Limits.CallDepth,
		MaxDescriptors: s.Limits.Descriptors, MaxProcesses: s.Limits.Processes, Grace: s.ExitGrace,
	}
}

func (o *own) directory() string { return o.session.Directory() }

func (o *own) run(ctx context.Context, r *Request, stdout, stderr io.Writer) (int, error) {
	options := interp.RunOptions{
		Script: r.Script, Command: !r.File, Name: r.Name, Arguments: r.Arguments, Environment: r.Environment, Directory: r.Directory,
		Stdin: r.Stdin, Stdout: stdout, Stderr: stderr, Options: r.Flags,
	}
	if r.File {
		options.File = r.Name
	}
	return o.session.Run(ctx, options), nil
}

func (o *own) names() []string {
	names := make([]string, 0, len(o.settings.commands))
	for i := range o.settings.commands {
		names = append(names, o.settings.commands[i].Name)
	}
	return names
}

// command is the registered command that the file at an absolute path is.
func (o *own) command(file string) interp.Command {
	dir, base := path.Split(file)
	if dir != "/usr/bin/" && dir != "/bin/" {
		return nil
	}
	cmd := o.settings.byName[base]
	if cmd == nil {
		return nil
	}
	return func(ctx context.Context, call *interp.Call) int {
		h := &host{settings: o.settings, budget: o.budget, process: call.Process}
		return h.call(ctx, cmd, append([]string{call.Name}, call.Arguments...), command.Invocation{
			Stdin: call.Stdin, Stdout: call.Stdout, Stderr: call.Stderr, Environment: call.Environment,
		}, call.View)
	}
}
