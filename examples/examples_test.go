// Package examples holds programs to copy from.
package examples

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExamples builds every example, runs it as a process and compares what it
// prints with the output.txt beside it.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", bin+string(filepath.Separator), "./...", "../cmd/vsh")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	mains, err := filepath.Glob("*/main.go")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(mains), 4)
	for _, main := range mains {
		name := filepath.Dir(main)
		t.Run(name, func(t *testing.T) {
			want, err := os.ReadFile(filepath.Join(name, "output.txt"))
			require.NoError(t, err)
			cmd := exec.Command(filepath.Join(bin, name))
			if name == "mcpclient" {
				cmd.Args = append(cmd.Args, filepath.Join(bin, "vsh"))
			}
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			got, err := cmd.Output()
			require.NoError(t, err, stderr.String())
			require.Equal(t, string(want), string(got))
			require.Empty(t, stderr.String())
		})
	}
}
