package shell

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
	"github.com/vsh-project/vsh/vfs/memory"
)

func TestDefaultsAreThePromisedOnes(t *testing.T) {
	require.Equal(t, 2*time.Minute, DefaultTimeout)
	require.Equal(t, 32<<10, DefaultMaximumOutputBytes)
	sh := newShell(t, Options{})
	require.Equal(t, DefaultTimeout, sh.settings.Timeout)
	require.Equal(t, "/ /\n", run(t, sh, "echo $HOME $PWD").Output)
	require.Equal(t, "/home/ada\n", run(t, newShell(t, Options{Environment: []string{"HOME=/home/ada"}}), "echo $HOME").Output)
}

// deadlineCommand prints whether its context has a deadline.
func deadlineCommand() Command {
	return newCommand("deadline", "s", func(ctx context.Context, i *Invocation) error {
		_, has := ctx.Deadline()
		_, err := fmt.Fprintln(i.Stdout, has)
		return err
	})
}

func TestANegativeTimeoutIsNone(t *testing.T) {
	require.Equal(t, "false\n", run(t, newShell(t, Options{Timeout: -1, Commands: []Command{deadlineCommand()}}), "deadline").Output)
}

func TestACommandsContextEndsWithTheTimeout(t *testing.T) {
	var ended atomic.Bool
	sh := newShell(t, Options{Timeout: 50 * time.Millisecond, Commands: []Command{newCommand("waits", "s", func(ctx context.Context, _ *Invocation) error {
		<-ctx.Done()
		ended.Store(true)
		return ctx.Err()
	})}})
	for _, script := range []string{"waits", "waits | cat", "x=$(waits)", "echo | xargs waits"} {
		ended.Store(false)
		require.Equal(t, 124, run(t, sh, script).ExitCode, script)
		require.True(t, ended.Load(), script)
	}
}

// TestCommandsOfOneScriptRunAtOnce ends only if two calls overlap.
func TestCommandsOfOneScriptRunAtOnce(t *testing.T) {
	meet := make(chan struct{})
	sh := newShell(t, Options{Timeout: time.Minute, Commands: []Command{newCommand("meet", "s", func(ctx context.Context, i *Invocation) error {
		select {
		case meet <- struct{}{}:
		case <-meet:
		case <-ctx.Done():
			return ctx.Err()
		}
		_, err := io.WriteString(i.Stderr, "met\n")
		return err
	})}})
	for rule, script := range map[string]string{
		"the stages of a pipeline":     "meet | meet",
		"a background job":             "meet & meet; wait",
		"two background jobs":          "meet & meet & wait",
		"a process substitution":       "meet < <(meet)",
		"commands that xargs -P began": "printf '1\n2\n' | xargs -n1 -P2 meet",
	} {
		t.Run(rule, func(t *testing.T) { require.Equal(t, "met\nmet\n", run(t, sh, script).Stderr) })
	}
}

func TestAnInvocationIsThatCallsAlone(t *testing.T) {
	var got []*Invocation
	sh := newShell(t, Options{Commands: []Command{newCommand("probe", "s", func(_ context.Context, i *Invocation) error {
		got = append(got, i)
		i.Arguments = append(i.Arguments[:0], "changed")
		i.Environment = append(i.Environment[:0], "A=changed")
		i.Directory = "changed"
		return nil
	})}})
	require.Equal(t, "1 2 x /\n", run(t, sh, "export A=x; unexported=1; set -- 1 2; probe \"$@\"; probe \"$@\"; echo $* $A $PWD").Output)
	require.Len(t, got, 2)
	require.NotSame(t, got[0], got[1])
}

func TestAnInvocationHasTheExportedVariablesOnly(t *testing.T) {
	var environment, arguments []string
	directory := "unset"
	sh := newShell(t, Options{Commands: []Command{newCommand("probe", "s", func(_ context.Context, i *Invocation) error {
		environment, arguments, directory = i.Environment, i.Arguments, i.Directory
		return nil
	})}})
	run(t, sh, `plain=1; declare -x shown=2; export gone=3; unset gone; echo x > a.c; echo x > b.c; probe *.c "$plain" ~ $((1+1)) '$no' {p,q} $(echo w1 w2) ""`)
	require.Equal(t, "", directory, `"" is "/"`)
	require.Equal(t, []string{"a.c", "b.c", "1", "/", "2", "$no", "p", "q", "w1", "w2", ""}, arguments)
	require.Contains(t, environment, "shown=2")
	for _, pair := range environment {
		require.NotRegexp(t, "^(plain|gone)=", pair)
	}
}

func TestStorageOfAnInvocationHasWhatTheScriptSees(t *testing.T) {
	sh := newShell(t, Options{MountPoint: "/work/repo", Commands: []Command{newCommand("show", "s", func(_ context.Context, i *Invocation) error {
		for _, name := range i.Arguments {
			data, err := afero.ReadFile(i.Storage, i.Resolve(name))
			if err != nil {
				return err
			}
			if _, err := i.Stdout.Write(data); err != nil {
				return err
			}
		}
		return nil
	})}})
	for script, want := range map[string]string{
		"echo ws > f; show f /work/repo/f ../repo/f":         "ws\nws\nws\n",
		"echo t > /tmp/t; show /tmp/t ../../tmp/t":           "t\nt\n",
		"ln -s /tmp/t link; echo t > /tmp/t; show link":      "t\n",
		"show <(echo sub)":                                   "sub\n",
		"exec 5< <(echo five); show /dev/fd/5":               "five\n",
		"show /f 2>&1":                                       "show: open f: no such file or directory\n",
		"show /etc/passwd >/dev/null 2>&1; echo $?":          "1\n",
		"mkdir d; cd d; echo deep > g; show g ./g ../d/g":    "deep\ndeep\ndeep\n",
		"show /dev/null; echo in | show /dev/stdin; echo $?": "in\n0\n",
	} {
		t.Run(script, func(t *testing.T) {
			require.NoError(t, sh.Reset())
			require.Equal(t, want, run(t, sh, "cd /work/repo; "+script).Output)
		})
	}
}

// A command that writes without end is stopped by nothing of its own.
func TestTheShellBoundsWhatACommandWrites(t *testing.T) {
	sh := newShell(t, Options{MaximumOutputBytes: 100, Commands: []Command{newCommand("floods", "s", func(_ context.Context, i *Invocation) error {
		for n := range 100000 {
			if _, err := fmt.Fprintln(i.Stdout, n); err != nil {
				return err
			}
		}
		return nil
	})}})
	result := run(t, sh, "floods")
	require.True(t, result.Truncated)
	require.LessOrEqual(t, len(result.Output), 100)
	require.True(t, strings.HasPrefix(result.Output, "0\n1\n"))
	require.True(t, strings.HasSuffix(result.Output, "\n99999\n"))
}

func TestABoundTooSmallForTheMarkerKeepsTheHalves(t *testing.T) {
	result := run(t, newShell(t, Options{MaximumOutputBytes: 6}), "printf 0123456789")
	require.Equal(t, "012789", result.Output)
	require.True(t, result.Truncated)
	require.EqualValues(t, 4, result.CutBytes)
	exact := run(t, newShell(t, Options{MaximumOutputBytes: 10}), "printf 0123456789")
	require.Equal(t, "0123456789", exact.Output)
	require.False(t, exact.Truncated, "what fits is not cut")
}

func TestACommandFailsByWhatItReturns(t *testing.T) {
	results := map[string]error{"zero": ExitError(0), "high": ExitError(255), "missing": &os.PathError{Op: "open", Path: "/host/secret/f", Err: os.ErrNotExist}}
	sh := newShell(t, Options{Commands: []Command{newCommand("gives", "s", func(_ context.Context, i *Invocation) error { return results[i.Arguments[0]] })}})
	for script, want := range map[string]string{
		"gives zero; echo $?":                                      "0\n",
		"gives high; echo $?":                                      "255\n",
		"gives missing >/dev/null 2>&1; echo $?":                   "1\n",
		"gives high || echo no; if gives zero; then echo yes; fi":  "no\nyes\n",
		"set -e; gives zero; echo on; gives high; echo not":        "on\n",
		"! gives high; echo $?; gives zero && gives high; echo $?": "0\n255\n",
	} {
		t.Run(script, func(t *testing.T) { require.Equal(t, want, run(t, sh, script).Output) })
	}
}

func TestHiddenPathsCannotBeChanged(t *testing.T) {
	storage := memory.New(memory.Options{})
	require.NoError(t, storage.MkdirAll("/.git", 0o755))
	require.NoError(t, afero.WriteFile(storage, "/.git/hooks", []byte("secret\n"), 0o644))
	require.NoError(t, afero.WriteFile(storage, "/_x", []byte("secret\n"), 0o644))
	sh := newShell(t, Options{Storage: storage, HideHiddenPaths: true})
	missing := "No such file or directory"
	for _, script := range []string{
		"echo x > .git/hooks", "echo x >> _x", "rm _x", "rm -r .git", "rmdir .git", "mv _x y", "mv .git y", "cp _x y", "ln _x y", "chmod 777 _x",
		"truncate -c -s 0 _x && [ -e _x ]", "cat < _x", "cd .git", "ls .git", "stat _x", "ls -d .git", "find .git", "grep -r s .git", "readlink -e _x || cat _x",
		"ln -s _x z; cat z", "ln -s .git z2; ls z2/", "cat /dev/../_x", "cat ./_x", "test -e _x || cat _x", "source ./_x", "sed -i s/s/t/ _x", "tee _x </dev/null",
	} {
		t.Run(script, func(t *testing.T) {
			result := run(t, sh, script)
			require.NotZero(t, result.ExitCode)
			require.NotContains(t, result.Output, "secret")
			if !strings.Contains(script, "&&") {
				require.Contains(t, result.Output, missing)
			}
		})
	}
	for _, name := range []string{"/.git/hooks", "/_x"} {
		data, err := afero.ReadFile(storage, name)
		require.NoError(t, err)
		require.Equal(t, "secret\n", string(data))
	}
	require.Equal(t, "[.][_]\n", run(t, sh, "shopt -s dotglob nullglob; for f in .[a-z]* _*; do cat $f; done; echo '[.][_]'").Output)
	require.Equal(t, ".a _b\n", run(t, sh, "cd /tmp; touch .a _b; echo .a* _*").Output, "/tmp is not affected")
}

// TestCommandsOfOneScriptEndAtOnce is for the race detector: the goroutines of
// one command look for programs while the run ends.
func TestCommandsOfOneScriptEndAtOnce(t *testing.T) {
	for i := range 30 {
		sh := newShell(t, Options{Timeout: time.Minute})
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(2*i+3)*time.Millisecond)
		result, err := sh.Run(ctx, "seq 100000 | xargs -P4 -n1 nosuchcommand 2>/dev/null; seq 100000 | xargs -P4 -n1 true")
		cancel()
		if err == nil {
			require.Contains(t, []int{130, 124}, result.ExitCode)
		}
		require.Equal(t, "ok\n", run(t, sh, "echo ok").Output)
	}
}
