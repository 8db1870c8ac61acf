package builtins

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/memory"
)

// testShell is a world for one test: an empty memory storage at "/", the
// working directory /w, root's identity, TZ=UTC and a clock that stands at
// 2024-01-02 03:04:05.
type testShell struct {
	t           *testing.T
	view        *vfs.View
	storage     *memory.Storage
	stdin       string
	environment []string
	now         time.Time
}

func newTestShell(t *testing.T) *testShell {
	s := &testShell{t: t, environment: []string{"PATH=/usr/bin:/bin", "TZ=UTC", "LC_ALL=C.UTF-8", "HOME=/w"}}
	s.now = time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	clock := func() time.Time { return s.now }
	s.storage = memory.New(memory.Options{Clock: clock})
	require.NoError(t, s.storage.MkdirAll("/w", 0o755))
	view, err := vfs.NewView(vfs.ViewOptions{
		Mounts:   []vfs.Mount{{Path: "/", FS: s.storage.FS()}, {Path: "/dev", FS: vfs.NewDevices(strings.NewReader("")), Unlisted: true}},
		Identity: vfs.Identity{User: "root", Group: "root"}, Directory: "/w", Umask: 0o022,
	})
	require.NoError(t, err)
	s.view = view
	return s
}

// files makes files: "d/" is a directory, "l -> x" a symbolic link, "f=text" a
// file with that text. Directories above are made too.
func (s *testShell) files(specs ...string) *testShell {
	s.t.Helper()
	for _, spec := range specs {
		if name, target, ok := strings.Cut(spec, " -> "); ok {
			s.parents(name)
			require.NoError(s.t, s.view.Symlink(context.Background(), target, name))
			continue
		}
		name, text, _ := strings.Cut(spec, "=")
		if strings.HasSuffix(name, "/") {
			require.NoError(s.t, s.view.MkdirAll(context.Background(), name, 0o755))
			continue
		}
		s.parents(name)
		require.NoError(s.t, afero.WriteFile(s.storage, path.Join("/w", name), []byte(text), 0o644))
	}
	return s
}

func (s *testShell) parents(name string) {
	if dir := path.Dir(name); dir != "." {
		require.NoError(s.t, s.view.MkdirAll(context.Background(), dir, 0o755))
	}
}

// read is a file's text; a missing one fails the test.
func (s *testShell) read(name string) string {
	s.t.Helper()
	data, err := afero.ReadFile(s.storage, path.Join("/w", name))
	require.NoError(s.t, err)
	return string(data)
}

// run runs one registered command.
func (s *testShell) run(args ...string) (stdout, stderr string, status int) {
	var out, errs bytes.Buffer
	status = s.exec(context.Background(), args, s.environment, strings.NewReader(s.stdin), &out, &errs, s.view)
	return out.String(), errs.String(), status
}

// output is run's stdout, then stderr, then the status where it is not 0.
func (s *testShell) output(args ...string) string {
	stdout, stderr, status := s.run(args...)
	if status != 0 {
		stderr += "[" + command.ExitError(status).Error() + "]\n"
	}
	return stdout + stderr
}

func (s *testShell) exec(ctx context.Context, args, env []string, stdin io.Reader, stdout, stderr io.Writer, view *vfs.View) int {
	for i := range entries {
		if entries[i].name != path.Base(args[0]) {
			continue
		}
		err := entries[i].run(ctx, command.NewInvocation(command.Invocation{
			Arguments: args[1:], Stdin: stdin, Stdout: stdout, Stderr: stderr,
			Directory: strings.TrimPrefix(view.Directory(), "/"), Storage: view.Storage(), Environment: env,
		}, args[0], view, &testHost{shell: s, view: view, stdin: stdin, stdout: stdout, stderr: stderr, env: env}))
		var exit command.ExitError
		switch {
		case err == nil:
			return 0
		case errors.As(err, &exit):
			return int(exit)
		}
		return 255
	}
	return 127
}

// testHost is the command.Host of one call.
type testHost struct {
	signal         atomic.Pointer[func(n int)] // of the Exec begun last
	shell          *testShell
	view           *vfs.View
	stdin          io.Reader
	stdout, stderr io.Writer
	env            []string
}

func (h *testHost) Exec(ctx context.Context, r *command.Exec) (int, error) {
	stdin, stdout, stderr, env, view := h.stdin, h.stdout, h.stderr, h.env, h.view
	if r.Stdin != nil {
		stdin = r.Stdin
	}
	if r.Stdout != nil {
		stdout = r.Stdout
	}
	if r.Stderr != nil {
		stderr = r.Stderr
	}
	if r.Environment != nil {
		env = r.Environment
	}
	if r.Directory != "" {
		view = view.WithDirectory(r.Directory)
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	var signal atomic.Int32
	deliver := func(n int) {
		signal.Store(int32(n))
		cancel()
	}
	h.signal.Store(&deliver)
	if r.Started != nil {
		r.Started(1)
	}
	status := h.shell.exec(inner, r.Arguments, env, stdin, stdout, stderr, view)
	if n := signal.Load(); n != 0 {
		status = 128 + int(n)
	}
	return status, ctx.Err()
}

func (h *testHost) LookPath(_ context.Context, name string, _ []string) (string, error) {
	for i := range entries {
		if entries[i].name == path.Base(name) {
			return "/usr/bin/" + entries[i].name, nil
		}
	}
	return "", vfs.ENOENT
}

func (h *testHost) Commands() []command.Command { return All() }
func (h *testHost) Now() time.Time              { return h.shell.now }
func (h *testHost) Random() io.Reader           { return zeros{} }
func (h *testHost) Hostname() string            { return "vsh" }
func (h *testHost) MountPoint() string          { return "/" }
func (h *testHost) PID() int                    { return 42 }
func (h *testHost) Charge(int64) error          { return nil }
func (h *testHost) Release(int64)               {}

// Signal ends what Exec runs, whatever process is meant.
func (h *testHost) Signal(_, n int) error {
	deliver := h.signal.Load()
	if deliver == nil {
		return vfs.EPERM
	}
	(*deliver)(n)
	return nil
}

// zeros is randomness that tests can foretell.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
