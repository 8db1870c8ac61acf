//go:build unix

package external_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vsh-project/vsh/external"
)

// slow takes its first write only after a while.
type slow struct {
	bytes.Buffer
	pause time.Duration
}

func (s *slow) Write(p []byte) (int, error) {
	time.Sleep(s.pause)
	s.pause = 0
	return s.Buffer.Write(p)
}

func sh(text string, out *slow) *external.Process {
	return &external.Process{
		Path: "/bin/sh", Name: "sh", Arguments: []string{"-c", text}, Environment: []string{"PATH=/usr/bin:/bin"}, Directory: "/",
		Grace: 100 * time.Millisecond, Stdin: strings.NewReader(""), Stdout: out, Stderr: &bytes.Buffer{},
	}
}

func TestASlowReaderLosesNothing(t *testing.T) {
	for rule, text := range map[string]string{
		"nobody holds the output": "head -c 60000 /dev/zero; exit 3",
		"somebody holds it":       "sleep 30 & head -c 60000 /dev/zero; exit 3",
	} {
		t.Run(rule, func(t *testing.T) {
			out := &slow{pause: 400 * time.Millisecond}
			p := sh(text, out)
			p.Timeout = 300 * time.Millisecond
			status, err := p.Run(context.Background())
			require.NoError(t, err)
			require.Equal(t, 3, status, "the program had ended in time")
			require.Equal(t, 60000, out.Len())
		})
	}
}

func TestOutputBeforeATimeoutArrives(t *testing.T) {
	out := &slow{}
	p := sh("echo before; sleep 30", out)
	p.Timeout = 200 * time.Millisecond
	status, err := p.Run(context.Background())
	require.NoError(t, err)
	require.Equal(t, 124, status)
	require.Equal(t, "before\n", out.String())
}

func TestNothingStartsWhenItsContextHasEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	out := &slow{}
	_, err := sh("echo ran", out).Run(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, out.String())
}

func TestNoEnvironmentIsNotTheHosts(t *testing.T) {
	t.Setenv("VSH_CANARY", "leak")
	out := &slow{}
	p := sh("/usr/bin/env", out)
	p.Environment = nil
	_, err := p.Run(context.Background())
	require.NoError(t, err)
	require.NotContains(t, out.String(), "leak")
	o := script(t, "prog", "/usr/bin/env")
	o.EnvironmentFor = func(string) []string { return nil }
	require.NotContains(t, run(t, shellWith(t, o), "prog").Output, "leak")
}

func TestAProgramHasNoTerminal(t *testing.T) {
	if _, err := exec.LookPath("ps"); err != nil {
		t.Skip("no ps")
	}
	out := &slow{}
	_, err := sh(`[ "$(ps -o sid= -p $$ | tr -d ' ')" = $$ ] && [ "$(ps -o tty= -p $$ | tr -d ' ')" = "?" ] && echo alone; cat /dev/tty`, out).Run(context.Background())
	require.NoError(t, err)
	require.Equal(t, "alone\n", out.String())
}

func TestWhatCannotStart(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone")
	plain := filepath.Join(t.TempDir(), "plain")
	require.NoError(t, os.WriteFile(plain, []byte("no program\n"), 0o755))
	for _, test := range []struct {
		rule   string
		change func(*external.Process)
		status int
		want   string
	}{
		{"a missing program", func(p *external.Process) { p.Path = gone }, 127, "sh: No such file or directory\n"},
		{"a missing interpreter", func(p *external.Process) { p.Path = plain; os.WriteFile(plain, []byte("#!/nosuch\n"), 0o755) }, 127, "sh: No such file or directory\n"},
		{"a file that is no program", func(p *external.Process) { p.Path = plain; os.WriteFile(plain, []byte("no\n"), 0o755) }, 126, "sh: Exec format error\n"},
		{"a file without the permission", func(p *external.Process) { p.Path = plain; os.Chmod(plain, 0o644) }, 126, "sh: Permission denied\n"},
		{"a missing directory", func(p *external.Process) { p.Directory = gone }, 126, "sh: the directory it starts in: No such file or directory\n"},
		{"an argument with a NUL", func(p *external.Process) { p.Arguments = []string{"-c", "echo x\x00y"} }, 126, "sh: Invalid argument\n"},
		{"a huge argument", func(p *external.Process) { p.Arguments = []string{"-c", strings.Repeat(":", 1<<22)} }, 126, "sh: Argument list too long\n"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			p := sh("echo ran", &slow{})
			test.change(p)
			status, err := p.Run(context.Background())
			require.NoError(t, err)
			require.Equal(t, test.status, status)
			require.Equal(t, test.want, p.Stderr.(*bytes.Buffer).String())
		})
	}
}

// TestWhoLeftTheGroupIsFound: it holds nothing of the program's, and its parent lives.
func TestWhoLeftTheGroupIsFound(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux shows a process's parent to us")
	}
	for rule, text := range map[string]string{
		"a session of its own":             "setsid sleep %s </dev/null >/dev/null 2>&1 & wait",
		"that ignores TERM":                "setsid sh -c 'trap \"\" TERM; sleep %s; :' </dev/null >/dev/null 2>&1 & wait",
		"with a child in one more session": "setsid sh -c 'trap \"\" TERM; setsid sleep %s & wait; wait' </dev/null >/dev/null 2>&1 & trap '' TERM; wait; wait",
	} {
		t.Run(rule, func(t *testing.T) {
			nap := napFor(t)
			p := sh(strings.ReplaceAll(text, "%s", nap), &slow{})
			p.Timeout = 300 * time.Millisecond
			status, err := p.Run(context.Background())
			require.NoError(t, err)
			require.Equal(t, 124, status)
			require.Eventually(t, func() bool { return !alive(nap) }, time.Minute, 20*time.Millisecond)
		})
	}
}

// TestCancellationAtAnyMoment leaves neither a process nor a zombie, nor a
// goroutine, nor a descriptor.
func TestCancellationAtAnyMoment(t *testing.T) {
	goroutines, files := runtime.NumGoroutine(), descriptors(t)
	nap := napFor(t)
	var wait sync.WaitGroup
	for i := range 40 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i*i)*50*time.Microsecond)
			defer cancel()
			p := sh("echo a; sleep "+nap+" & sleep "+nap, &slow{})
			p.Stdin = strings.NewReader(strings.Repeat("x", 1<<20))
			p.Run(ctx)
		}()
	}
	wait.Wait()
	require.Eventually(t, func() bool { return !alive(nap) }, time.Minute, 20*time.Millisecond)
	// Eventually would count its own goroutines.
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline) && (runtime.NumGoroutine() > goroutines || descriptors(t) > files); {
		time.Sleep(20 * time.Millisecond)
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), goroutines)
	require.LessOrEqual(t, descriptors(t), files)
	require.Empty(t, zombies(t))
}

// descriptors counts those this process has open, 0 where it cannot be seen.
func descriptors(t *testing.T) int {
	t.Helper()
	entries, _ := os.ReadDir("/proc/self/fd")
	return len(entries)
}

// zombies are this process's dead children that nobody has reaped.
func zombies(t *testing.T) []string {
	t.Helper()
	var found []string
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		text, _ := os.ReadFile(name)
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) > 1 && fields[0] == "Z" && fields[1] == strconv.Itoa(os.Getpid()) {
			found = append(found, string(text))
		}
	}
	return found
}

// TestTheStartOfOthersIsLeftAlone: while one run looks for who holds its output,
// programs that start at the same time hold it for a moment too.
func TestTheStartOfOthersIsLeftAlone(t *testing.T) {
	var wait sync.WaitGroup
	for range 4 {
		wait.Add(2)
		go func() {
			defer wait.Done()
			for range 3 {
				p := sh("setsid sleep 5 & exit 0", &slow{})
				p.Grace = time.Millisecond
				status, err := p.Run(context.Background())
				require.NoError(t, err)
				require.Zero(t, status)
			}
		}()
		go func() {
			defer wait.Done()
			for range 30 {
				status, err := sh("exit 7", &slow{}).Run(context.Background())
				require.NoError(t, err)
				require.Equal(t, 7, status)
			}
		}()
	}
	wait.Wait()
}
