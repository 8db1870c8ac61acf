package interp

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/vsh-project/vsh/internal/budget"
	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/memory"
)

func TestMain(m *testing.M) {
	debugPanics, debugOutput = true, os.Stderr
	os.Exit(m.Run())
}

// newTestSession is a session over an empty memory storage, as root.
func newTestSession(t testing.TB, b *budget.Budget) *Session {
	t.Helper()
	root, tmp := memory.New(memory.Options{}), memory.New(memory.Options{})
	view, err := vfs.NewView(vfs.ViewOptions{
		Mounts: []vfs.Mount{
			{Path: "/", FS: vfs.FromAfero(root)},
			{Path: "/tmp", FS: tmp.FS(), Unlisted: true},
			{Path: "/usr/bin", FS: programFiles{}, Fallback: true},
			{Path: "/dev", FS: vfs.NewDevices(bytes.NewReader(nil)), Unlisted: true},
		},
		Identity: vfs.Identity{User: "root", Group: "root"}, Umask: 0o022,
	})
	if err != nil {
		t.Fatal(err)
	}
	return NewSession(Config{View: view, Host: "vsh", Budget: b})
}

// programFiles shows the programs that the interpreter is.
type programFiles struct{ vfs.Unsupported }

func (programFiles) Lstat(_ context.Context, name string) (*vfs.Info, error) {
	switch {
	case name == "/":
		return &vfs.Info{FileName: "/", FileMode: fs.ModeDir | 0o755}, nil
	case IsProgram(name[1:]):
		return &vfs.Info{FileName: name[1:], FileMode: 0o755}, nil
	}
	return nil, vfs.ENOENT
}

// runScript runs script as bash -c does, stdout and stderr together.
func runScript(t testing.TB, s *Session, script string) (string, int) {
	t.Helper()
	var out bytes.Buffer
	status := s.Run(context.Background(), RunOptions{Script: script, Command: true, Directory: "/tmp", Stdout: &out, Stderr: &out})
	return out.String(), status
}

type coreCase struct {
	name, script, want string
	status             int
}

func TestCore(t *testing.T) {
	for _, c := range coreCases {
		t.Run(c.name, func(t *testing.T) {
			out, status := runScript(t, newTestSession(t, nil), c.script)
			if out != c.want || status != c.status {
				t.Errorf("%s\n got %q %d\nwant %q %d", c.script, out, status, c.want, c.status)
			}
		})
	}
}

func TestChargesComeBack(t *testing.T) {
	for _, script := range []string{
		"(x=1)", "x=$(echo a)", "echo a | read x", "true & wait", "f() { local y=1; }; f", "a=(1 2 3); unset a", "x=1; unset x",
		"cat_() { read l; }; cat_ <<< abc", "read x < <(echo a)", "declare -A m=([a]=1); (m[b]=2); unset m", "a=(1 2); (a[0]=x; a+=(3)); unset a",
		"x=abc; (x=$x$x; x+=q); x=; unset x", "eval 'x=1; unset x'", "x=1 eval :",
	} {
		t.Run(script, func(t *testing.T) {
			b := budget.New(1 << 30)
			s := newTestSession(t, b)
			loop := "for ((i=0;i<N;i++)); do " + script + "; done; unset i"
			run := func(n string) int64 {
				if out, status := runScript(t, s, strings.Replace(loop, "N", n, 1)); status != 0 {
					t.Fatalf("%s: %d", out, status)
				}
				return b.Used()
			}
			run("50")
			before := run("50")
			if after := run("500"); after-before > 2*slab {
				t.Errorf("500 rounds keep %d bytes", after-before)
			}
		})
	}
}
