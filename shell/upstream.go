package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/vsh-project/vsh/internal/budget"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// upstream evaluates with mvdan.cc/sh's interp, through its handlers.
type upstream struct {
	settings *settings
	host     *host
	view     *vfs.View
	runner   *interp.Runner
}

func newUpstream(s *settings, b *budget.Budget, view *vfs.View) (evaluator, error) {
	u := &upstream{settings: s, host: &host{settings: s, budget: b}, view: view}
	var err error
	u.runner, err = interp.New(
		interp.Env(expand.ListEnviron(s.environment()...)),
		func(r *interp.Runner) error { r.Dir = s.mount; return nil },
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc { return u.exec }),
		interp.OpenHandler(u.open),
		interp.ReadDirHandler2(u.readDir),
		interp.StatHandler(u.stat),
		interp.AccessHandler(u.access),
	)
	return u, err
}

// environment is what a session starts with.
func (s *settings) environment() []string {
	env := []string{"PATH=/usr/bin:/bin", "HOME=" + s.mount, "USER=" + s.identity.User, "LOGNAME=" + s.identity.User, "LANG=C.UTF-8", "TERM=dumb"}
	return append(env, s.Environment...)
}

func (u *upstream) directory() string {
	if u.runner.Dir == "" {
		return u.settings.mount
	}
	return u.runner.Dir
}

// fork: mvdan.cc/sh's runner has no copy that lasts.
func (u *upstream) fork(*settings, *budget.Budget, *vfs.View) (evaluator, error) {
	return nil, errors.ErrUnsupported
}

func (u *upstream) run(ctx context.Context, request *Request, stdout, stderr io.Writer) (int, error) {
	name := request.Name
	if name == "" {
		name = "bash"
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(request.Script), name)
	if err != nil {
		fmt.Fprintf(stderr, "%s: %s\n", name, err)
		return 2, nil
	}
	stdin := request.Stdin
	if stdin == nil {
		stdin = strings.NewReader("")
	}
	interp.StdIO(stdin, stdout, stderr)(u.runner)
	if err := interp.Params(append(append([]string(nil), request.Flags...), append([]string{"--"}, request.Arguments...)...)...)(u.runner); err != nil {
		fmt.Fprintf(stderr, "%s: %s\n", name, err)
		return 2, nil
	}
	if request.Directory != "" {
		u.runner.Reset()
		u.runner.Dir = request.Directory
	}
	err = u.runner.Run(ctx, file)
	var status interp.ExitStatus
	switch {
	case errors.As(err, &status):
		return int(status), nil
	case err != nil && ctx.Err() == nil:
		fmt.Fprintf(stderr, "%s: %s\n", name, err)
		return 1, nil
	}
	return 0, nil
}

func (u *upstream) at(ctx context.Context) *vfs.View {
	return u.view.WithDirectory(interp.HandlerCtx(ctx).Dir)
}

func (u *upstream) exec(ctx context.Context, args []string) error {
	hc := interp.HandlerCtx(ctx)
	cmd := u.settings.byName[path.Base(args[0])]
	if cmd == nil {
		fmt.Fprintf(hc.Stderr, "bash: line 1: %s: command not found\n", args[0])
		return interp.ExitStatus(127)
	}
	var env []string
	hc.Env.Each(func(name string, v expand.Variable) bool {
		if v.Exported && v.Kind == expand.String {
			env = append(env, name+"="+v.Str)
		}
		return true
	})
	view := u.view.WithDirectory(hc.Dir)
	return toStatus(u.host.call(ctx, cmd, args, command.Invocation{
		Stdin: hc.Stdin, Stdout: hc.Stdout, Stderr: hc.Stderr, Environment: env,
	}, view))
}

func toStatus(status int) error {
	if status == 0 {
		return nil
	}
	return interp.ExitStatus(status)
}

func (u *upstream) open(ctx context.Context, name string, flag int, perm os.FileMode) (io.ReadWriteCloser, error) {
	return u.at(ctx).Open(ctx, name, flag, perm)
}

func (u *upstream) readDir(ctx context.Context, name string) ([]fs.DirEntry, error) {
	view := u.at(ctx)
	entries, err := view.ReadDir(ctx, name)
	if err != nil {
		return nil, err
	}
	list := make([]fs.DirEntry, 0, len(entries))
	for _, e := range entries {
		info, err := view.Lstat(ctx, path.Join(name, e.Name))
		if err == nil {
			list = append(list, fs.FileInfoToDirEntry(info))
		}
	}
	return list, nil
}

func (u *upstream) stat(ctx context.Context, name string, follow bool) (fs.FileInfo, error) {
	if follow {
		return orNil(u.at(ctx).Stat(ctx, name))
	}
	return orNil(u.at(ctx).Lstat(ctx, name))
}

func orNil(info *vfs.Info, err error) (fs.FileInfo, error) {
	if err != nil {
		return nil, err
	}
	return info, nil
}

func (u *upstream) access(ctx context.Context, name string, mode interp.AccessMode) error {
	return u.at(ctx).Access(ctx, name, int(mode))
}
