package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
	"github.com/vsh-project/vsh/vfs/memory"
)

func newShell(t *testing.T, options Options) *Shell {
	t.Helper()
	if options.Storage == nil {
		options.Storage = memory.New(memory.Options{})
	}
	sh, err := New(&options)
	require.NoError(t, err)
	return sh
}

func run(t *testing.T, sh *Shell, script string) *Result {
	t.Helper()
	result, err := sh.Run(context.Background(), script)
	require.NoError(t, err)
	return result
}

func TestExitCodeIsTheScripts(t *testing.T) {
	for script, status := range map[string]int{
		"true":               0,
		"exit 7":             7,
		"false":              1,
		"nosuchcommand":      127,
		"if":                 2,
		"echo a; fi":         2,
		"cat nosuchfile":     1,
		"grep x nosuchfile":  2,
		"kill -TERM $$":      143,
		"( exit 300 )":       44,
		"yes | head -1":      0,
		"set -e; false; :":   1,
		"mkdir d; ./d":       126,
		"echo > f; ./f":      126,
		"./nosuchfile":       127,
		"echo ${x?unset}; :": 127,
	} {
		t.Run(script, func(t *testing.T) {
			require.Equal(t, status, run(t, newShell(t, Options{}), script).ExitCode)
		})
	}
}

func TestOutputIsInterleavedAndApart(t *testing.T) {
	result := run(t, newShell(t, Options{}), "echo 1; echo 2 >&2; echo 3; nosuch; echo 5")
	require.Equal(t, "1\n2\n3\nbash: line 1: nosuch: command not found\n5\n", result.Output)
	require.Equal(t, "1\n3\n5\n", result.Stdout)
	require.Equal(t, "2\nbash: line 1: nosuch: command not found\n", result.Stderr)
	require.False(t, result.Truncated)
}

func TestOutputIsBounded(t *testing.T) {
	sh := newShell(t, Options{MaximumOutputBytes: 1000})
	result := run(t, sh, "seq 1 10000; seq 1 10000 >&2")
	require.True(t, result.Truncated)
	for _, text := range []string{result.Output, result.Stdout, result.Stderr} {
		require.LessOrEqual(t, len(text), 1000)
		require.True(t, strings.HasPrefix(text, "1\n2\n"))
		require.True(t, strings.HasSuffix(text, "9999\n10000\n"))
		require.Contains(t, text, "lines cut ...]\n")
	}
	require.Positive(t, result.CutBytes)
	require.Positive(t, result.CutLines)
	kept := len(run(t, newShell(t, Options{}), "yes | head -c 100000").Output)
	require.LessOrEqual(t, kept, DefaultMaximumOutputBytes)
	require.Greater(t, kept, DefaultMaximumOutputBytes-16)
	require.Len(t, run(t, newShell(t, Options{MaximumOutputBytes: -1}), "yes | head -c 100000").Output, 100000)
}

func TestSessionKeeps(t *testing.T) {
	for rule, scripts := range map[string][3]string{
		"directory":                      {"mkdir d; cd d", "pwd", "/d\n"},
		"directory after a failure":      {"mkdir d; cd d; exit 3", "pwd", "/d\n"},
		"variables":                      {"x=1; declare -A m=([k]=v)", "echo $x ${m[k]}", "1 v\n"},
		"variables after a syntax error": {"x=1\nif", "echo $x", "1\n"},
		"exported variables":             {"export x=1", "env | grep ^x=", "x=1\n"},
		"functions":                      {"f() { echo in f; }", "f", "in f\n"},
		"aliases and expand_aliases":     {"shopt -s expand_aliases; alias hi='echo hello'", "hi", "hello\n"},
		"files":                          {"echo x > f", "cat f", "x\n"},
		"files of /tmp":                  {"echo x > /tmp/f", "cat /tmp/f", "x\n"},
		"umask":                          {"umask 077", "umask", "0077\n"},
	} {
		t.Run(rule, func(t *testing.T) {
			sh := newShell(t, Options{})
			run(t, sh, scripts[0])
			require.Equal(t, scripts[2], run(t, sh, scripts[1]).Output)
		})
	}
}

func TestSessionForgets(t *testing.T) {
	for rule, scripts := range map[string][3]string{
		"set options":   {"set -eu -o pipefail", "false; echo $-; set -o | grep pipefail", "hBc\npipefail       \toff\n"},
		"shopt options": {"shopt -s nullglob", "echo no*such", "no*such\n"},
		"traps":         {"trap 'echo bye' EXIT", "trap -p", ""},
		"descriptors":   {"exec 5>f; exec >f", "echo out; echo x >&5", "out\nbash: line 1: 5: Bad file descriptor\n"},
		"status":        {"false", "echo $?", "0\n"},
		"parameters":    {"set -- a b", "echo $#", "0\n"},
		"jobs":          {"sleep 100 &", "jobs; wait; echo done", "done\n"},
	} {
		t.Run(rule, func(t *testing.T) {
			sh := newShell(t, Options{ExitGrace: time.Millisecond})
			run(t, sh, scripts[0])
			require.Equal(t, scripts[2], run(t, sh, scripts[1]).Output)
		})
	}
}

func TestTrapFiresAtTheEndOfItsOwnRun(t *testing.T) {
	sh := newShell(t, Options{})
	require.Equal(t, "body\nbye\n", run(t, sh, "trap 'echo bye' EXIT; echo body").Output)
	require.Equal(t, "next\n", run(t, sh, "echo next").Output)
}

func TestResetStartsAnew(t *testing.T) {
	sh := newShell(t, Options{Environment: []string{"given=1"}})
	run(t, sh, "x=1; echo t > /tmp/t; echo w > w; mkdir d; cd d; given=2; f() { :; }")
	require.NoError(t, sh.Reset())
	require.Equal(t, "/ unset 1 w none no\n",
		run(t, sh, `echo "$PWD ${x-unset} $given $(cat w) $([ -e /tmp/t ] || echo none) $(type f >/dev/null 2>&1 || echo no)"`).Output)
}

func TestTimeoutEndsTheRun(t *testing.T) {
	for _, script := range []string{
		"sleep 100", "while :; do :; done", "yes >/dev/null", "sleep 100 | cat", "( while :; do :; done )",
		"echo $(sleep 100)", "sleep 100 & wait", "read x < <(sleep 100)", "f() { f; }; trap f EXIT; sleep 50",
		"for ((;;)); do :; done", "x=$(yes)", "mapfile -t a < <(yes)", "cat <(yes) >/dev/null", "trap '' TERM INT; sleep 100",
	} {
		t.Run(script, func(t *testing.T) {
			sh := newShell(t, Options{Timeout: 100 * time.Millisecond})
			began := time.Now()
			result := run(t, sh, script)
			if result.ExitCode != 124 {
				require.Contains(t, result.Stderr, "memory budget", "a script may also meet its budget first")
			} else {
				require.True(t, result.TimedOut)
			}
			require.Less(t, time.Since(began), time.Minute)
			require.Equal(t, "ok\n", run(t, sh, "echo ok").Output, "the next run works")
		})
	}
}

func TestCancelledContextEndsTheRun(t *testing.T) {
	sh := newShell(t, Options{})
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	result, err := sh.Run(ctx, "echo before; sleep 100")
	require.NoError(t, err)
	require.Equal(t, 130, result.ExitCode)
	require.Equal(t, "before\n", result.Output)
	_, err = sh.Run(ctx, "echo never")
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, "ok\n", run(t, sh, "echo ok").Output)
}

func TestCommandErrors(t *testing.T) {
	sh := newShell(t, Options{Commands: []Command{
		newCommand("fine", "s", nothing),
		newCommand("nine", "s", func(context.Context, *Invocation) error { return ExitError(9) }),
		newCommand("wrapped", "s", func(context.Context, *Invocation) error { return fmt.Errorf("x: %w", ExitError(8)) }),
		newCommand("fails", "s", func(context.Context, *Invocation) error { return errors.New("no luck") }),
		newCommand("panics", "s", func(context.Context, *Invocation) error { panic("secret") }),
	}})
	for script, want := range map[string]string{
		"fine; echo $?":                                    "0\n",
		"nine; echo $?":                                    "9\n",
		"wrapped; echo $?":                                 "8\n",
		"fails; echo $?":                                   "fails: no luck\n1\n",
		"panics 2>&1 | sed 's/:.*//'; echo done":           "panics\ndone\n",
		"panics 2>/dev/null; echo $?":                      "2\n",
		"panics 2>/dev/null | true; echo ${PIPESTATUS[0]}": "2\n",
		"panics & wait $! 2>/dev/null; echo $?":            "panics: internal error: secret\n2\n",
		"panics 2>&1 | grep -c 'internal error'":           "1\n",
	} {
		t.Run(script, func(t *testing.T) { require.Equal(t, want, run(t, sh, script).Output) })
	}
}

func TestCommandSeesItsInvocation(t *testing.T) {
	var got Invocation
	var stdin []byte
	var read string
	sh := newShell(t, Options{MountPoint: "/work/repo", Environment: []string{"A=1"}, Commands: []Command{newCommand("probe", "s", func(ctx context.Context, i *Invocation) error {
		got = *i
		stdin, _ = io.ReadAll(i.Stdin)
		data, err := afero.ReadFile(i.Storage, i.Resolve("f"))
		read = string(data)
		if err == nil {
			err = afero.WriteFile(i.Storage, i.Resolve("../made"), []byte("made"), 0o644)
		}
		return err
	})}})
	require.Equal(t, "made", run(t, sh, "mkdir d; cd d; echo file > f; B=2 probe $'a b' *  <<< in; cat ../made").Output)
	require.Equal(t, []string{"a b", "f"}, got.Arguments)
	require.Equal(t, "work/repo/d", got.Directory)
	require.Equal(t, "work/repo/d/f", got.Resolve("f"))
	require.Equal(t, "x/f", got.Resolve("/x/./f"))
	require.Equal(t, "", got.Resolve("/"))
	require.Equal(t, "in\n", string(stdin))
	require.Equal(t, "file\n", read)
	for _, pair := range []string{"A=1", "B=2", "HOME=/work/repo", "PWD=/work/repo/d"} {
		require.Contains(t, got.Environment, pair)
	}
}

func TestStdinIsEmptyWithoutOne(t *testing.T) {
	require.Equal(t, "0\n", run(t, newShell(t, Options{}), "wc -c").Output)
}

func TestACommandOfABuiltinsNameReplacesIt(t *testing.T) {
	sh := newShell(t, Options{Commands: []Command{newCommand("grep", "mine", func(_ context.Context, i *Invocation) error {
		_, err := io.WriteString(i.Stdout, "mine\n")
		return err
	})}})
	require.Equal(t, "mine\nmine\n/usr/bin/grep\n", run(t, sh, "grep x; echo | xargs grep; command -v grep").Output)
}

func TestCommandsActAsFilesOfUsrBin(t *testing.T) {
	for script, want := range map[string]string{
		"command -v ls mine":                              "/usr/bin/ls\n/usr/bin/mine\n",
		"test -x /usr/bin/mine && echo x":                 "x\n",
		"test -x /bin/ls && echo x":                       "x\n",
		"/usr/bin/env bash -c 'echo hi'":                  "hi\n",
		"PATH=; ls":                                       "bash: line 1: ls: No such file or directory\n",
		"PATH=/nowhere; ls":                               "bash: line 1: ls: command not found\n",
		"/usr/bin/basename a/b":                           "b\n",
		"ls /; find /":                                    "/\n",
		"mkdir /usr; touch /usr/x; ls / /usr; rm -r /usr": "/:\nusr\n\n/usr:\nx\n",
	} {
		t.Run(script, func(t *testing.T) {
			sh := newShell(t, Options{Commands: []Command{newCommand("mine", "s", nothing)}})
			require.Equal(t, want, run(t, sh, script).Output)
		})
	}
}

func TestMountPoint(t *testing.T) {
	storage := memory.New(memory.Options{})
	require.NoError(t, storage.Mkdir("/sub", 0o755))
	require.NoError(t, afero.WriteFile(storage, "/sub/f", []byte("x\n"), 0o644))
	sh := newShell(t, Options{Storage: storage, MountPoint: "/work/repo"})
	for script, want := range map[string]string{
		"pwd; echo $HOME":           "/work/repo\n/work/repo\n",
		"realpath sub/f; find $PWD": "/work/repo/sub/f\n/work/repo\n/work/repo/sub\n/work/repo/sub/f\n",
		"cat /work/repo/sub/f":      "x\n",
		"cat /sub/f":                "cat: /sub/f: No such file or directory\n",
		"cat /etc/passwd":           "cat: /etc/passwd: No such file or directory\n",
		"ls /proc 2>&1":             "ls: cannot access '/proc': No such file or directory\n",
		"ls /work":                  "repo\n",
		"echo t > /tmp/t; cat /tmp/t; ls -d /tmp /dev": "t\n/dev\n/tmp\n",
	} {
		t.Run(script, func(t *testing.T) { require.Equal(t, want, run(t, sh, script).Output) })
	}
	below := newShell(t, Options{Storage: storage, MountPoint: "/tmp/ws"})
	require.Equal(t, "scratch\nws\nx\n", run(t, below, "touch /tmp/scratch; ls /tmp; cat /tmp/ws/sub/f").Output)
}

func TestHideHiddenPaths(t *testing.T) {
	storage := memory.New(memory.Options{})
	for name, text := range map[string]string{"/.env": "secret", "/a/.git/hooks": "secret", "/_private/x": "secret", "/a/ok": "fine"} {
		require.NoError(t, storage.MkdirAll("/a/.git", 0o755))
		require.NoError(t, storage.MkdirAll("/_private", 0o755))
		require.NoError(t, afero.WriteFile(storage, name, []byte(text+"\n"), 0o644))
	}
	require.NoError(t, storage.SymlinkIfPossible(".env", "/public"))
	sh := newShell(t, Options{Storage: storage, HideHiddenPaths: true})
	for script, want := range map[string]string{
		"ls -A; echo *; echo .[a-z]*":           "a\npublic\na public\n.[a-z]*\n",
		"find . | sort":                         ".\n./a\n./a/ok\n./public\n",
		"grep -r . a":                           "a/ok:fine\n",
		"cat .env":                              "cat: .env: No such file or directory\n",
		"cat a/.git/hooks":                      "cat: a/.git/hooks: No such file or directory\n",
		"cat a/../_private/x":                   "cat: a/../_private/x: No such file or directory\n",
		"echo x > .new":                         "bash: line 1: .new: No such file or directory\n",
		"rm -f .env; rm _private/x":             "rm: cannot remove '_private/x': No such file or directory\n",
		"cat public":                            "cat: public: No such file or directory\n",
		"(cd /tmp; echo t > .t; cat .t; ls -A)": "t\n.t\n",
		"mkdir .d":                              "mkdir: cannot create directory ‘.d’: No such file or directory\n",
		"mv a/ok .hid":                          "mv: cannot move 'a/ok' to '.hid': No such file or directory\n",
	} {
		t.Run(script, func(t *testing.T) {
			result := run(t, sh, script)
			require.Equal(t, want, result.Output)
			require.NotContains(t, result.Output, "secret")
		})
	}
	data, err := afero.ReadFile(storage, "/.env")
	require.NoError(t, err)
	require.Equal(t, "secret\n", string(data), "rm -f .env removed nothing")
}

func TestAnyAferoFilesystemWorks(t *testing.T) {
	for name, storage := range map[string]afero.Fs{
		"MemMapFs":   afero.NewMemMapFs(),
		"BasePathFs": afero.NewBasePathFs(afero.NewOsFs(), t.TempDir()),
		"ours":       memory.New(memory.Options{}),
	} {
		t.Run(name, func(t *testing.T) {
			sh := newShell(t, Options{Storage: storage})
			require.Equal(t, "a\nb\nno\n3\n", run(t, sh, "mkdir -p d/e; echo a > d/e/f; echo b >> d/e/f; cat d/e/f; cat nosuch/f 2>/dev/null || echo no; mv d x; find x | wc -l").Output)
			data, err := afero.ReadFile(storage, "/x/e/f")
			require.NoError(t, err)
			require.Equal(t, "a\nb\n", string(data))
		})
	}
}

func TestRequest(t *testing.T) {
	sh := newShell(t, Options{})
	var out, errs strings.Builder
	result, err := sh.Exec(context.Background(), &Request{
		Script: `echo "$0 $# $2 $E $PWD"; cat; echo e >&2; echo $-; cd /tmp`, Name: "name", Arguments: []string{"1", "two words"},
		Stdin: strings.NewReader("input\n"), Stdout: &out, Stderr: &errs,
		Environment: []string{"E=extra"}, Directory: "/dev", Flags: []string{"-e", "-o", "pipefail"},
	})
	require.NoError(t, err)
	require.Equal(t, "name 2 two words extra /dev\ninput\nehBc\n", out.String())
	require.Equal(t, "e\n", errs.String())
	require.Equal(t, 0, result.ExitCode)
	after := run(t, sh, `echo "${E-unset} $PWD"`)
	require.Equal(t, "unset /\n", after.Output, "environment and directory were that run's alone")
	require.Equal(t, "/", after.Directory)
}

func TestRunsOnOneShellTakeTurns(t *testing.T) {
	var inside, most atomic.Int32
	sh := newShell(t, Options{Commands: []Command{newCommand("alone", "s", func(context.Context, *Invocation) error {
		most.Store(max(most.Load(), inside.Add(1)))
		runtime.Gosched()
		inside.Add(-1)
		return nil
	})}})
	var wait sync.WaitGroup
	for range 20 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			_, err := sh.Run(context.Background(), "alone; n=$((n+1))")
			require.NoError(t, err)
		}()
	}
	wait.Wait()
	require.EqualValues(t, 1, most.Load())
	require.Equal(t, "20\n", run(t, sh, "echo $n").Output)
}

func TestShellsRunAtOnceAndShareCommands(t *testing.T) {
	meet := make(chan struct{})
	shared := newCommand("meet", "s", func(ctx context.Context, _ *Invocation) error {
		select {
		case meet <- struct{}{}:
		case <-meet:
		case <-ctx.Done():
			return ctx.Err()
		}
		return nil
	})
	var wait sync.WaitGroup
	for range 2 {
		sh := newShell(t, Options{Commands: []Command{shared}})
		wait.Add(1)
		go func() {
			defer wait.Done()
			result, err := sh.Run(context.Background(), "meet && echo met")
			require.NoError(t, err)
			require.Equal(t, "met\n", result.Output)
		}()
	}
	wait.Wait()
}

func TestNoGoroutineOutlivesItsRun(t *testing.T) {
	sh := newShell(t, Options{Timeout: 200 * time.Millisecond, ExitGrace: 20 * time.Millisecond})
	run(t, sh, "true")
	for _, script := range []string{
		"yes | head -1", "sleep 100 & sleep 100", "cat <(yes) | head -1", "echo x > >(cat)", "coproc cat; echo x >&${COPROC[1]}",
		"find / | grep -q .", "ls -R / | true", "(sleep 100 &) ; true", "mkfifo p; cat p", "grep -r x /; find / -exec true {} +",
	} {
		t.Run(script, func(t *testing.T) {
			before := runtime.NumGoroutine()
			run(t, sh, script)
			deadline := time.Now().Add(5 * time.Second)
			for runtime.NumGoroutine() > before && time.Now().Before(deadline) {
				runtime.Gosched()
			}
			require.LessOrEqual(t, runtime.NumGoroutine(), before)
		})
	}
}

func TestIdentityIsTheOptions(t *testing.T) {
	clock := func() time.Time { return time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC) }
	sh := newShell(t, Options{Clock: clock, Identity: &Identity{User: "ada", Group: "devs", UID: 42, GID: 43, Host: "engine"}})
	require.Equal(t, "ada 42 42 engine 1709208000 ada:devs\n",
		run(t, sh, "touch f; echo $USER $UID $EUID $HOSTNAME $EPOCHSECONDS $(stat -c %U:%G f)").Output)
	require.Equal(t, "agent 1000 vsh 0022\n", run(t, newShell(t, Options{}), "echo $USER $UID $HOSTNAME $(umask)").Output)
}

func TestHostEnvironmentIsNeverPassed(t *testing.T) {
	t.Setenv("VSH_CANARY", "leak")
	require.NotContains(t, run(t, newShell(t, Options{}), "env; set; export -p").Output, "leak")
}
