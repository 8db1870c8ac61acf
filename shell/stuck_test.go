package shell

import (
	"context"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
)

// stuckFs hangs in Stat and OpenFile while on is set, until release is closed.
type stuckFs struct {
	afero.Fs
	on      atomic.Bool
	release chan struct{}
}

func (s *stuckFs) wait() {
	if s.on.Load() {
		<-s.release
	}
}

func (s *stuckFs) Stat(name string) (os.FileInfo, error) {
	s.wait()
	return s.Fs.Stat(name)
}

func (s *stuckFs) OpenFile(name string, flag int, mode os.FileMode) (afero.File, error) {
	s.wait()
	return s.Fs.OpenFile(name, flag, mode)
}

func TestAStorageThatHangsIsLeftBehind(t *testing.T) {
	for rule, script := range map[string]string{
		"by the shell": "[ -e a ]; echo no", "by a command": "cat a", "by a glob": "echo *", "by a redirection": "cat < a", "in a job": "cat a & wait",
		"in a job that is left": "cat a &", "by cd": "cd d", "in a trap": "trap 'echo *' EXIT", "in a substitution": "x=$(< a)", "in a pipeline": "cat a | cat",
	} {
		t.Run(rule, func(t *testing.T) {
			storage := &stuckFs{Fs: afero.NewMemMapFs(), release: make(chan struct{})}
			require.NoError(t, afero.WriteFile(storage, "/a", []byte("text\n"), 0o644))
			sh := newShell(t, Options{Storage: storage, Timeout: 100 * time.Millisecond, ExitGrace: 10 * time.Millisecond})
			run(t, sh, "echo before")
			storage.on.Store(true)
			result := run(t, sh, script)
			require.Equal(t, 124, result.ExitCode)
			require.NotEmpty(t, result.Stuck)
			_, err := sh.Run(context.Background(), "echo refused")
			var stuck *StuckError
			require.ErrorAs(t, err, &stuck)
			_, err = sh.Fork(context.Background())
			require.ErrorAs(t, err, &stuck)
			storage.on.Store(false)
			close(storage.release)
			require.Eventually(t, func() bool {
				_, err := sh.Run(context.Background(), "cat a")
				return err == nil
			}, time.Minute, 5*time.Millisecond)
			require.Equal(t, "text\n", run(t, sh, "cat a").Output)
		})
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestAWriterThatHangsIsLeftBehind(t *testing.T) {
	release := make(chan struct{})
	sh := newShell(t, Options{Timeout: 100 * time.Millisecond, ExitGrace: 10 * time.Millisecond})
	result, err := sh.Exec(context.Background(), &Request{Script: "echo a; echo b", Stdout: writerFunc(func(p []byte) (int, error) {
		<-release
		return len(p), nil
	})})
	require.NoError(t, err)
	require.Equal(t, 124, result.ExitCode)
	require.Equal(t, []string{"Write of Request.Stdout"}, result.Stuck)
	require.Equal(t, "a\n", result.Stdout)
	require.Contains(t, result.Stderr, "Write of Request.Stdout")
	close(release)
	require.Eventually(t, func() bool {
		_, err := sh.Run(context.Background(), "true")
		return err == nil
	}, time.Minute, 5*time.Millisecond)
}

func TestAWriterThatTakesTooLittleFails(t *testing.T) {
	sh := newShell(t, Options{})
	result, err := sh.Exec(context.Background(), &Request{Script: "echo abcd; echo $? >&2", Stdout: writerFunc(func(p []byte) (int, error) { return len(p) / 2, nil })})
	require.NoError(t, err)
	require.Contains(t, result.Stderr, "write error")
	require.True(t, strings.HasSuffix(result.Stderr, "1\n"), result.Stderr)
}

func TestACommandsStreamsEndWithIt(t *testing.T) {
	written := make(chan error, 1)
	sh := newShell(t, Options{Commands: []Command{{Name: "later", Summary: "writes when it is over", Run: func(_ context.Context, i *Invocation) error {
		go func(w io.Writer) {
			time.Sleep(20 * time.Millisecond)
			_, err := w.Write([]byte("late"))
			written <- err
		}(i.Stdout)
		return nil
	}}}})
	require.Equal(t, "", run(t, sh, "later; sleep 0.2").Output)
	require.Error(t, <-written)
}

func TestTheSmallestBoundsSplitNoRune(t *testing.T) {
	for limit := 1; limit < 40; limit++ {
		result := run(t, newShell(t, Options{MaximumOutputBytes: limit}), "for i in {1..40}; do printf '日é'; printf '語' >&2; done")
		for _, s := range []string{result.Output, result.Stdout, result.Stderr} {
			require.True(t, utf8.ValidString(s), "%d: %q", limit, s)
			require.LessOrEqual(t, len(s), limit)
		}
	}
}
