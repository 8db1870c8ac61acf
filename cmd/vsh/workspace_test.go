package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// rooted is a directory with the file f.
func rooted(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), []byte("x\n"), 0o644))
	return dir
}

func content(t *testing.T, names ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(names...))
	require.NoError(t, err)
	return string(data)
}

func TestRootIsUntouchedWithoutWrite(t *testing.T) {
	dir := rooted(t)
	before := tree(t, dir)
	stdout, stderr, status := vsh("", "--root", dir, "-c", "cat f; echo y > g; echo z >> f; cat f g; rm f; ls")
	require.Equal(t, "x\nx\nz\ny\ng\n", stdout)
	require.Empty(t, stderr)
	require.Zero(t, status)
	require.Equal(t, before, tree(t, dir))
	_, stderr, status = vsh("", "--root", dir, "--write", "-c", "echo y > g; echo z >> f; mkdir d; mv g d")
	require.Empty(t, stderr)
	require.Zero(t, status)
	require.Equal(t, "y\n", content(t, dir, "d", "g"))
	require.Equal(t, "x\nz\n", content(t, dir, "f"))
}

func TestCommitAndReports(t *testing.T) {
	const script = "echo y >> f; mkdir d; echo g > d/g; "
	const changes = "A /d\nA /d/g\nM /f\n"
	for _, c := range []struct {
		rule      string
		args      []string
		script    string
		stderr    string
		status    int
		committed bool
	}{
		{"--commit", []string{"--commit"}, script, "", 0, true},
		{"--commit of a script that fails", []string{"--commit"}, script + "exit 3", "", 3, false},
		{"--commit of a script that is stopped", []string{"--commit", "--timeout", "100ms"}, script + "sleep 10", "", 124, false},
		{"--changes", []string{"--changes"}, script, changes, 0, false},
		{"--changes after a failure", []string{"--changes"}, script + "false", changes, 1, false},
		{"--changes before a commit", []string{"--changes", "--commit"}, script, changes, 0, true},
		{"--changes with --write", []string{"--changes", "--write"}, script, changes, 0, true},
		{"no changes", []string{"--changes", "--diff"}, "cat f > /tmp/f", "", 0, false},
		{"paths are the script's", []string{"--changes", "--mount-point", "/w"}, "mv f g", "R /w/f -> /w/g\n", 0, false},
	} {
		t.Run(c.rule, func(t *testing.T) {
			dir := rooted(t)
			_, stderr, status := vsh("", append(append([]string{"--root", dir}, c.args...), "-c", c.script)...)
			require.Equal(t, c.stderr, stderr)
			require.Equal(t, c.status, status)
			if !c.committed {
				require.Equal(t, "x\n", content(t, dir, "f"))
				require.NoDirExists(t, filepath.Join(dir, "d"))
				return
			}
			require.Equal(t, "x\ny\n", content(t, dir, "f"))
			require.Equal(t, "g\n", content(t, dir, "d", "g"))
		})
	}
	_, stderr, status := vsh("", "--changes", "--json", "-c", "echo a > a")
	require.Zero(t, status)
	require.Equal(t, "A /a\n", stderr, "a workspace in memory tells its changes too")
}

func TestReportsInFiles(t *testing.T) {
	dir := rooted(t)
	out := t.TempDir()
	list, patch := filepath.Join(out, "list"), filepath.Join(out, "patch")
	_, stderr, status := vsh("", "--root", dir, "--changes="+list, "--diff="+patch, "-c", "sed -i s/x/y/ f; echo new > g; chmod +x g")
	require.Empty(t, stderr)
	require.Zero(t, status)
	require.Equal(t, "M /f\nA /g\n", content(t, list))
	require.Contains(t, content(t, patch), "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\n+y\n")
	if _, err := exec.LookPath("git"); err == nil {
		apply := exec.Command("git", "apply", patch)
		apply.Dir = dir
		output, err := apply.CombinedOutput()
		require.NoError(t, err, string(output))
		require.Equal(t, "y\n", content(t, dir, "f"))
		info, err := os.Stat(filepath.Join(dir, "g"))
		require.NoError(t, err)
		require.NotZero(t, info.Mode()&0o100)
	}
	_, stderr, status = vsh("", "--root", dir, "--commit", "--changes="+filepath.Join(out, "no", "where"), "-c", "rm f")
	require.Contains(t, stderr, "vsh: --changes: ")
	require.Equal(t, 1, status)
	require.FileExists(t, filepath.Join(dir, "f"), "what cannot be told is not committed")
}

func TestWorkspaceOptionsThatDoNotGoTogether(t *testing.T) {
	dir := rooted(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--write"}, "--write needs --root"},
		{[]string{"--commit"}, "--commit needs --root"},
		{[]string{"--root", dir, "--commit", "--write"}, "--commit and --write exclude each other"},
		{[]string{"--root", dir, "--diff", "--write"}, "--diff and --write exclude each other"},
		{[]string{"--root", dir, "--commit", "--allow", "sh"}, "--commit and --diff work over an overlay, which host programs (--allow, --tools) cannot see"},
		{[]string{"--root", dir, "--changes="}, "--changes: the argument is empty"},
	} {
		_, stderr, status := vsh("", append(c.args, "-c", ":")...)
		require.Equal(t, "vsh: "+c.want+"\n", stderr)
		require.Equal(t, 2, status)
	}
}

func TestProgramsAndScriptSeeTheSameFiles(t *testing.T) {
	dir := rooted(t)
	_, stderr, status := vsh("", "--root", dir, "--allow", "sh", "-c", "echo y > f; sh -c 'cat f'")
	require.Contains(t, stderr, "f: Read-only file system\n", "no overlay that the program cannot see")
	require.Zero(t, status)
	stdout, _, _ := vsh("", "--root", dir, "--write", "--allow", "sh", "-c", "echo y > f; sh -c 'cat f; echo z > f'; cat f")
	require.Equal(t, "y\nz\n", stdout)
}

func TestMCPRefusesReports(t *testing.T) {
	for _, option := range []string{"--changes", "--diff=f"} {
		_, stderr, status := vsh("", "mcp", "--root", t.TempDir(), option)
		require.Equal(t, "vsh: mcp: the options of a script's run are not taken here\n", stderr)
		require.Equal(t, 2, status)
	}
}

// TestKilledInCommit kills the program at many moments of a commit: each file
// on disk is old or new, whole, and another run puts all in order.
func TestKilledInCommit(t *testing.T) {
	const files = 400
	old, renewed := "old\n", strings.Repeat("new", 2000)+"\n"
	script := fmt.Sprintf("for ((i = 0; i < %d; i++)); do echo %s > f$i; done; echo done", files, strings.TrimSuffix(renewed, "\n"))
	start := func(dir string) (*exec.Cmd, *bytes.Buffer) {
		c := program("--root", dir, "--commit", "-c", script)
		out, err := c.StdoutPipe()
		require.NoError(t, err)
		stderr := &bytes.Buffer{}
		c.Stderr = stderr
		require.NoError(t, c.Start())
		_, err = io.ReadFull(out, make([]byte, len("done\n")))
		require.NoError(t, err)
		return c, stderr
	}
	killed := 0
	for _, wait := range []time.Duration{0, 2, 5, 10, 20, 40} {
		dir := t.TempDir()
		for i := range files {
			require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprint("f", i)), []byte(old), 0o644))
		}
		c, _ := start(dir)
		time.Sleep(wait * time.Millisecond)
		require.NoError(t, c.Process.Kill())
		if c.Wait() != nil {
			killed++
		}
		for i := range files {
			if got := content(t, dir, fmt.Sprint("f", i)); got != old && got != renewed {
				t.Fatalf("f%d has %d bytes", i, len(got))
			}
		}
		c, stderr := start(dir)
		require.NoError(t, c.Wait(), stderr)
		for i := range files {
			require.Equal(t, renewed, content(t, dir, fmt.Sprint("f", i)))
		}
	}
	require.NotZero(t, killed, "no kill came before the end")
}
