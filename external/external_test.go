//go:build unix

package external_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vsh-project/vsh/external"
	"github.com/vsh-project/vsh/shell"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs/host"
	"github.com/vsh-project/vsh/vfs/memory"
)

// script makes an executable sh script and the options to run it as name.
func script(t *testing.T, name, text string) *external.Options {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755))
	return &external.Options{Name: name, Path: path, Directory: dir, Grace: 200 * time.Millisecond}
}

func shellWith(t *testing.T, options ...*external.Options) *shell.Shell {
	t.Helper()
	var commands []command.Command
	for _, o := range options {
		c, err := external.New(o)
		require.NoError(t, err)
		commands = append(commands, c)
	}
	sh, err := shell.New(&shell.Options{Storage: memory.New(memory.Options{}), Commands: commands})
	require.NoError(t, err)
	return sh
}

func run(t *testing.T, sh *shell.Shell, text string) *shell.Result {
	t.Helper()
	result, err := sh.Run(context.Background(), text)
	require.NoError(t, err)
	return result
}

func TestNewNamesTheFieldThatCannotWork(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	require.NoError(t, os.WriteFile(plain, nil, 0o644))
	good := external.Options{Name: "x", Path: "/bin/sh", Directory: "/"}
	for _, test := range []struct {
		rule   string
		change func(*external.Options)
		want   string
	}{
		{"no name", func(o *external.Options) { o.Name = "" }, "Options.Name"},
		{"a name of two words", func(o *external.Options) { o.Name = "a b" }, "Options.Name"},
		{"a relative path", func(o *external.Options) { o.Path = "sh" }, "Options.Path"},
		{"a missing binary", func(o *external.Options) { o.Path = "/nosuch" }, "Options.Path"},
		{"a binary that is no program", func(o *external.Options) { o.Path = plain }, "Options.Path"},
		{"a directory as binary", func(o *external.Options) { o.Path = "/" }, "Options.Path"},
		{"a relative directory", func(o *external.Options) { o.Directory = "x" }, "Options.Directory"},
		{"no directory", func(o *external.Options) { o.Directory = "" }, "Options.Directory"},
		{"a bad environment", func(o *external.Options) { o.Environment = []string{"X"} }, "Options.Environment"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			o := good
			test.change(&o)
			_, err := external.New(&o)
			require.ErrorContains(t, err, test.want)
		})
	}
	c, err := external.New(&good)
	require.NoError(t, err)
	require.Equal(t, "host program /bin/sh", c.Summary)
	good.Summary = "a shell"
	c, err = external.New(&good)
	require.NoError(t, err)
	require.Equal(t, "a shell", c.Summary)
}

func TestAProgramSeesTheHostAndNotTheWorkspace(t *testing.T) {
	o := script(t, "prog", "cat mine; cat theirs 2>/dev/null || echo none")
	o.Directory = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(o.Directory, "mine"), []byte("host\n"), 0o644))
	require.Equal(t, "host\nnone\n", run(t, shellWith(t, o), "mkdir d; cd d; echo ws > theirs; echo ws > mine; prog").Output)
}

func TestAMountPointOfTheHostsNameAgreesOnEveryPath(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	o := script(t, "prog", `/bin/pwd; cat "$1"`)
	o.Directory, o.FollowWorkingDirectory = root, true
	c, err := external.New(o)
	require.NoError(t, err)
	storage, err := host.New(host.Options{Directory: root})
	require.NoError(t, err)
	sh, err := shell.New(&shell.Options{Storage: storage, MountPoint: root, Commands: []command.Command{c}})
	require.NoError(t, err)
	require.Equal(t, root+"/a b\n"+root+"/a b\ntext\ntext\n",
		run(t, sh, `mkdir 'a b'; cd 'a b'; echo text > f; pwd; prog "$PWD/f"; prog "$(realpath f)" | tail -1`).Output)
}

func TestArgumentsStreamsAndStatusPass(t *testing.T) {
	sh := shellWith(t, script(t, "prog", `printf '[%s]' "$#" "$@"; cat; echo err >&2; exit 7`))
	result := run(t, sh, `printf 'in\n' | prog 'a  b' '$HOME' "" '*'; echo $?`)
	require.Equal(t, "[4][a  b][$HOME][][*]in\n7\n", result.Stdout)
	require.Equal(t, "err\n", result.Stderr)
}

func TestEnvironmentIsExact(t *testing.T) {
	t.Setenv("VSH_CANARY", "leak")
	o := script(t, "prog", "/usr/bin/env | grep -v '^\\(PWD\\|OLDPWD\\|_\\|SHLVL\\)='; true")
	require.Equal(t, "", run(t, shellWith(t, o), "export FROM_SCRIPT=1; X=2 prog").Output)
	o.Environment = []string{"A=1", "B=two words"}
	require.Equal(t, "A=1\nB=two words\n", run(t, shellWith(t, o), "prog | sort").Output)
}

func TestStdinIsEmptyWithoutAPipeline(t *testing.T) {
	require.Equal(t, "0\n", run(t, shellWith(t, script(t, "prog", "wc -c")), "prog | tr -d ' '").Output)
}

func TestAProgramThatReadsNothingLosesNoInput(t *testing.T) {
	sh := shellWith(t, script(t, "prog", "exit 0"))
	require.Equal(t, "a\nb\nc\n", run(t, sh, `printf 'a\nb\nc\n' > list; while read x; do prog; echo $x; done < list`).Output)
}

func TestAllowIsAskedWithACopyBeforeEachRun(t *testing.T) {
	ran := filepath.Join(t.TempDir(), "ran")
	o := script(t, "prog", "echo x >> "+ran+`; echo "$@"`)
	o.Allow = func(arguments []string) error {
		if len(arguments) > 0 && arguments[0] == "no" {
			return errors.New("that is not allowed")
		}
		for i := range arguments {
			arguments[i] = "changed"
		}
		return nil
	}
	sh := shellWith(t, o)
	result := run(t, sh, "prog no way; echo $?")
	require.Equal(t, "prog: that is not allowed\n1\n", result.Output)
	require.NoFileExists(t, ran)
	require.Equal(t, "yes\n", run(t, sh, "prog yes").Output)
}

func TestAllowCallSeesThePlace(t *testing.T) {
	o := script(t, "prog", "true")
	o.Environment = []string{"A=1"}
	var got external.Call
	o.AllowCall = func(_ context.Context, call *external.Call) error { got = *call; return nil }
	run(t, shellWith(t, o), "mkdir d; cd d; prog x")
	require.Equal(t, external.Call{Arguments: []string{"x"}, Directory: "/d", HostDirectory: o.Directory, Environment: []string{"A=1"}}, got)
}

func TestFollowWorkingDirectory(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, "sub", "deep"), 0o755))
	require.NoError(t, os.Symlink(outside, filepath.Join(root, "out")))
	require.NoError(t, os.Symlink("sub", filepath.Join(root, "in")))
	o := script(t, "where", "/bin/pwd")
	o.Directory, o.FollowWorkingDirectory = root, true
	c, err := external.New(o)
	require.NoError(t, err)
	storage, err := host.New(host.Options{Directory: root})
	require.NoError(t, err)
	root, err = filepath.EvalSymlinks(root)
	require.NoError(t, err)
	for _, mount := range []string{"/", "/work/repo"} {
		sh, err := shell.New(&shell.Options{Storage: storage, MountPoint: mount, Commands: []command.Command{c}})
		require.NoError(t, err)
		require.Equal(t, root+"\n"+root+"/sub/deep\n"+root+"/sub\n", run(t, sh, "where; (cd sub/deep; where); cd in; where").Output)
		require.Contains(t, run(t, sh, "cd /tmp; where; echo $?").Output, "exists only in the shell\n1\n")
		require.NotContains(t, run(t, sh, "cd out && where").Output, outside)
	}
	require.NoError(t, os.MkdirAll(filepath.Join(root, "tmp"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(root, "data", "in"), 0o755))
	mounted, err := shell.New(&shell.Options{Storage: storage, Commands: []command.Command{c}, Mounts: []shell.Mount{{Path: "/data", Storage: memory.New(memory.Options{})}}})
	require.NoError(t, err)
	for _, dir := range []string{"/tmp", "/data", "/data/in", "/dev"} {
		require.Equal(t, "where: "+dir+": the directory exists only in the shell\n1\n", run(t, mounted, "mkdir -p /data/in; cd "+dir+"; where; echo $?").Output, "the host's directory of the name is another")
	}
	memorySh, err := shell.New(&shell.Options{Storage: memory.New(memory.Options{}), Commands: []command.Command{c}})
	require.NoError(t, err)
	require.Equal(t, "where: /made: the directory exists only in the shell\n1\n", run(t, memorySh, "mkdir made; cd made; where; echo $?").Output)
	require.Equal(t, "where: /out: the directory is not inside the workspace on the host\n1\n", run(t, memorySh, "mkdir /out; cd /out; where; echo $?").Output)
}

func TestStatuses(t *testing.T) {
	sh := shellWith(t, script(t, "killed", "kill -9 $$"), script(t, "termed", "kill -TERM $$"))
	require.Equal(t, "137 143\n", run(t, sh, "killed; a=$?; termed; echo $a $?").Output)
	gone := script(t, "gone", "true")
	goneSh := shellWith(t, gone)
	require.NoError(t, os.Remove(gone.Path))
	require.Equal(t, "gone: No such file or directory\n127\n", run(t, goneSh, "gone; echo $?").Output)
	barred := script(t, "barred", "true")
	barredSh := shellWith(t, barred)
	require.NoError(t, os.WriteFile(barred.Path, []byte("not a program"), 0o755))
	require.Contains(t, run(t, barredSh, "barred; echo $?").Output, "126\n")
}

// alive reports whether a process whose command line holds mark is running.
func alive(mark string) bool {
	out, _ := exec.Command("pgrep", "-f", mark).Output()
	return strings.TrimSpace(string(out)) != ""
}

// napFor is a sleep no other process of the machine sleeps.
func napFor(t *testing.T) string {
	if _, err := exec.LookPath("pgrep"); err != nil {
		t.Skip("no pgrep")
	}
	return fmt.Sprintf("%d.%d", 1000+os.Getpid()%1000, time.Now().UnixNano()%1e9)
}

func TestEveryRunEndsAndNothingIsLeft(t *testing.T) {
	for rule, text := range map[string]string{
		"a child":                              "exec sleep %s",
		"a child that ignores TERM":            "trap '' TERM; sleep %[1]s; sleep %[1]s",
		"a grandchild in the group":            "sleep %s & wait",
		"a grandchild that holds stdout":       "sleep %s & exit 0",
		"a grandchild in a session of its own": "setsid sh -c 'trap \"\" TERM; sleep %s' & exit 0",
		"a double fork":                        "(setsid sleep %s &) ; exit 0",
		"a flood":                              "while :; do echo %s; done",
	} {
		t.Run(rule, func(t *testing.T) {
			nap := napFor(t)
			o := script(t, "prog", strings.ReplaceAll(fmt.Sprintf(text, nap), "%!(EXTRA", "# "))
			o.Timeout = 300 * time.Millisecond
			began := time.Now()
			result := run(t, shellWith(t, o), "prog; echo $? >&2")
			require.Less(t, time.Since(began), time.Minute)
			if strings.Contains(text, "exit 0") {
				require.Equal(t, "0\n", result.Stderr)
			} else {
				require.Equal(t, "124\n", result.Stderr)
			}
			require.Eventually(t, func() bool { return !alive(nap) }, time.Minute, 20*time.Millisecond)
		})
	}
}

func TestShellTimeoutAndCancelEndTheProgram(t *testing.T) {
	nap := napFor(t)
	c, err := external.New(script(t, "prog", "sleep "+nap))
	require.NoError(t, err)
	sh, err := shell.New(&shell.Options{Storage: memory.New(memory.Options{}), Commands: []command.Command{c}, Timeout: 200 * time.Millisecond})
	require.NoError(t, err)
	require.Equal(t, 124, run(t, sh, "prog").ExitCode)
	require.Eventually(t, func() bool { return !alive(nap) }, time.Minute, 20*time.Millisecond)
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(100*time.Millisecond, cancel)
	result, err := shellWith(t, script(t, "prog", "sleep "+nap)).Run(ctx, "prog | cat")
	require.NoError(t, err)
	require.Equal(t, 130, result.ExitCode)
	require.Eventually(t, func() bool { return !alive(nap) }, time.Minute, 20*time.Millisecond)
}

func TestItsReadersEndIsSIGPIPE(t *testing.T) {
	sh := shellWith(t, script(t, "flood", "while :; do echo y; done"), script(t, "stubborn", "trap '' PIPE; while :; do echo y; sleep 0.01; done 2>/dev/null"))
	require.Equal(t, "y\n141\n", run(t, sh, "flood | head -1; echo ${PIPESTATUS[0]}").Output)
	require.Equal(t, "y\n143\n", run(t, sh, "stubborn | head -1; echo ${PIPESTATUS[0]}").Output)
}

func TestFloodMeetsTheShellsBound(t *testing.T) {
	sh := shellWith(t, script(t, "prog", "head -c 3000000 /dev/zero | tr '\\0' x"))
	result := run(t, sh, "prog")
	require.True(t, result.Truncated)
	require.LessOrEqual(t, len(result.Output), shell.DefaultMaximumOutputBytes)
}

func TestManyRunsAtOnce(t *testing.T) {
	var asked atomic.Int32
	o := script(t, "prog", `read x; echo "$1 $x"`)
	o.Allow = func([]string) error { asked.Add(1); return nil }
	c, err := external.New(o)
	require.NoError(t, err)
	var wait sync.WaitGroup
	for range 4 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			sh, err := shell.New(&shell.Options{Storage: memory.New(memory.Options{}), Commands: []command.Command{c}})
			require.NoError(t, err)
			result, err := sh.Run(context.Background(), `for i in {1..25}; do echo $i | prog p | cat; done; for i in {1..25}; do echo $i | prog b & done | wc -l; wait`)
			require.NoError(t, err)
			require.Equal(t, 25, strings.Count(result.Output, "p "))
		}()
	}
	wait.Wait()
	require.EqualValues(t, 200, asked.Load())
}

func TestRunsDrawOnTheShellsMemory(t *testing.T) {
	c, err := external.New(script(t, "prog", "read x; echo $x"))
	require.NoError(t, err)
	sh, err := shell.New(&shell.Options{Storage: memory.New(memory.Options{}), Commands: []command.Command{c}, Limits: shell.Limits{Memory: 8 << 20}})
	require.NoError(t, err)
	require.Equal(t, "x\n", run(t, sh, "echo x | prog").Output)
	result := run(t, sh, "for i in {1..60}; do sleep 2 | prog & done; wait; echo $?")
	require.Contains(t, result.Output, "memory", "too many at once")
	for range 40 {
		require.Equal(t, "x\n", run(t, sh, "echo x | prog").Output, "each gives its share back")
	}
}

// fakeStage counts.
type fakeStage struct {
	before, after int
	refuse        error
}

func (s *fakeStage) Before(context.Context) error { s.before++; return s.refuse }
func (s *fakeStage) After(context.Context) error  { s.after++; return nil }

func TestStageIsAskedAroundARun(t *testing.T) {
	o := script(t, "prog", "echo ran")
	stage := &fakeStage{}
	o.Stage = stage
	sh := shellWith(t, o)
	require.Equal(t, "ran\n", run(t, sh, "prog").Output)
	require.Equal(t, fakeStage{before: 1, after: 1}, *stage)
	pipe := script(t, "pipe", "head -c 3000000 /dev/zero; cat | wc -c")
	pipe.Stage = stage
	sh = shellWith(t, pipe)
	result, err := sh.Exec(context.Background(), &shell.Request{Script: "pipe < /dev/null | pipe | tail -c 8", Timeout: 20 * time.Second})
	require.NoError(t, err)
	require.Equal(t, 0, result.ExitCode, "the stages of a pipeline run at once")
	require.Equal(t, fakeStage{before: 3, after: 3}, *stage)
	sh = shellWith(t, o)
	stage.refuse = errors.New("conflict")
	require.Equal(t, "prog: staging: conflict\n1\n", run(t, sh, "prog; echo $?").Output)
}
