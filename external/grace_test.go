//go:build unix

package external_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vsh-project/vsh/external"
	"github.com/vsh-project/vsh/shell"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs/memory"
)

// TestTheShellWaitsForTheGrace: a program that ignores TERM has ended when Run
// returns, and the next run works.
func TestTheShellWaitsForTheGrace(t *testing.T) {
	nap := napFor(t)
	o := script(t, "prog", "trap '' TERM; sleep "+nap+"; sleep "+nap)
	o.Grace = 900 * time.Millisecond
	c, err := external.New(o)
	require.NoError(t, err)
	sh, err := shell.New(&shell.Options{Storage: memory.New(memory.Options{}), Commands: []command.Command{c}})
	require.NoError(t, err)
	for rule, text := range map[string]string{
		"in front":      "prog",
		"in a pipeline": "echo x | prog | cat",
		"of a job":      "prog & wait",
		"by xargs":      "echo x | xargs prog",
		"by a timeout":  "timeout 0.1 prog; exit 124",
		"left behind":   "prog & exit 124",
		"killed":        "prog & sleep 0.1; kill $!; wait $!; echo $?; exit 124",
	} {
		t.Run(rule, func(t *testing.T) {
			began := time.Now()
			result, err := sh.Exec(context.Background(), &shell.Request{Script: text, Timeout: 300 * time.Millisecond})
			require.NoError(t, err)
			require.Equal(t, 124, result.ExitCode, result.Output)
			require.Less(t, time.Since(began), time.Minute)
			require.False(t, alive(nap))
			require.Equal(t, "next\n", run(t, sh, "echo next").Output)
		})
	}
}
