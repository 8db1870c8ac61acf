package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vsh-project/vsh/shell"
	"github.com/vsh-project/vsh/vfs/memory"
)

// TestReadmeCommands runs what the README's shell fences say, read by the shell
// itself, in a directory with the files that they speak of. A command that is not
// below, or is no more in the README, fails.
func TestReadmeCommands(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	commands := map[string][]string{}
	fence := ""
	for _, line := range strings.Split(string(readme), "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			fence = strings.TrimPrefix(line, "```")
		case fence == "sh":
			commands[line] = typed(t, line)
		}
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"README.md": "# vsh\n\nMIT\n", "LICENSE": "MIT License\n", "a.go": "package a\n", "b.go": "package a\n\nvar b int\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	t.Chdir(dir)
	before := tree(t, dir)
	const program = "go run ./cmd/vsh "
	for line, want := range map[string]struct{ stdout, stderr string }{
		`go test ./...`: {}, // this very test is part of it
		program + `-c 'printf "%s\n" pear apple fig | sort > fruit; grep -n p fruit; echo "status $?"'`: {"1:apple\n3:pear\nstatus 0\n", ""},
		program + `--root . -c 'find . -name "*.go" | xargs wc -l | tail -1'`:                           {"4 total\n", ""},
		program + `--help`: {help, ""},
		program + `--root . --changes --diff -c 'sed -i s/MIT/BSD/ README.md; mkdir new; mv LICENSE new'`: {"", `M /README.md
A /new
R /LICENSE -> /new/LICENSE
diff --git a/README.md b/README.md
index 6bb3c16168427c0ff60024f5982f25944df32fd0..f528d1131e317f6613c8cfc61e5002d0daf6c7dc 100644
--- a/README.md
+++ b/README.md
@@ -1,3 +1,3 @@
 # vsh
 
-MIT
+BSD
diff --git a/LICENSE b/new/LICENSE
similarity index 100%
rename from LICENSE
rename to new/LICENSE
`},
	} {
		t.Run(line, func(t *testing.T) {
			arguments, ok := commands[line]
			require.True(t, ok, "not in the README")
			delete(commands, line)
			if arguments[0] == "test" {
				require.Equal(t, []string{"test", "./..."}, arguments)
				return
			}
			require.Equal(t, []string{"run", "./cmd/vsh"}, arguments[:2])
			stdout, stderr, status := vsh("", arguments[2:]...)
			require.Zero(t, status, stderr)
			require.Equal(t, strings.Fields(want.stdout), strings.Fields(stdout))
			require.Equal(t, want.stderr, stderr)
			require.Equal(t, before, tree(t, dir), "the disk is not touched")
		})
	}
	require.Empty(t, commands, "in the README and not tested")
}

// typed is what the command go is given by a line.
func typed(t *testing.T, line string) (arguments []string) {
	t.Helper()
	capture := shell.Command{Name: "go", Summary: "notes its arguments", Run: func(_ context.Context, invocation *shell.Invocation) error {
		arguments = invocation.Arguments
		return nil
	}}
	sh, err := shell.New(&shell.Options{Storage: memory.New(memory.Options{}), Commands: []shell.Command{capture}})
	require.NoError(t, err)
	result, err := sh.Run(t.Context(), line)
	require.NoError(t, err)
	require.Zero(t, result.ExitCode, result.Output)
	require.NotEmpty(t, arguments, line)
	return arguments
}
