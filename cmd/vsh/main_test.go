package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vsh-project/vsh/shell"
)

// vsh runs the program and returns what it wrote.
func vsh(stdin string, args ...string) (stdout, stderr string, status int) {
	var out, errs bytes.Buffer
	status = run(context.Background(), args, strings.NewReader(stdin), &out, &errs)
	return out.String(), errs.String(), status
}

func TestProgram(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "script.sh")
	require.NoError(t, os.WriteFile(file, []byte("echo \"$# $1\"\nnosuch\nexit 4\n"), 0o644))
	for _, test := range []struct {
		rule           string
		stdin          string
		args           []string
		stdout, stderr string
		status         int
	}{
		{"-c", "", []string{"-c", "echo hi; exit 3"}, "hi\n", "", 3},
		{"-c with a name and arguments", "", []string{"-c", `echo "$0 $1 $#"`, "me", "a", "b"}, "me a 2\n", "", 0},
		{"stdin reaches the script of -c", "in\n", []string{"-c", "cat"}, "in\n", "", 0},
		{"streams are apart", "", []string{"-c", "echo o; echo e >&2"}, "o\n", "e\n", 0},
		{"a file and its messages", "", []string{file, "x", "y"}, "2 x\n", file + ": line 2: nosuch: command not found\n", 4},
		{"a script on standard input", "echo from stdin\n", nil, "from stdin\n", "", 0},
		{"-s with arguments", "echo $1\n", []string{"-s", "arg"}, "arg\n", "", 0},
		{"a missing file", "", []string{"/nosuch/file"}, "", "vsh: /nosuch/file: no such file or directory\n", 127},
		{"-e", "", []string{"-e", "-c", "false; echo no"}, "", "", 1},
		{"-x", "", []string{"-xc", "echo a"}, "a\n", "+ echo a\n", 0},
		{"-o", "", []string{"-o", "pipefail", "-c", "false | true"}, "", "", 1},
		{"-u", "", []string{"-uc", "echo $x"}, "", "bash: line 1: x: unbound variable\n", 127},
		{"-n", "", []string{"-n", "-c", "echo no"}, "", "", 0},
		{"-v", "", []string{"-v", "-c", "echo a"}, "a\n", "echo a\n", 0},
		{"--env", "", []string{"--env", "A=b c", "-c", "echo $A"}, "b c\n", "", 0},
		{"--user", "", []string{"--user=ada:7:8", "-c", "echo $USER $UID"}, "ada 7\n", "", 0},
		{"--mount-point", "", []string{"--mount-point", "/w", "-c", "pwd"}, "/w\n", "", 0},
		{"--timeout", "", []string{"--timeout", "50ms", "-c", "sleep 10"}, "", "", 124},
		{"--max-output bounds each stream", "", []string{"--max-output", "100", "-c", "seq 1000 | wc -c; seq 1000 >/dev/null"}, "3893\n", "", 0},
		{"an unknown option", "", []string{"--nosuch"}, "", "vsh: --nosuch: unknown option\n", 2},
		{"an unknown letter", "", []string{"-Z"}, "", "vsh: -Z: invalid option\n", 2},
		{"-c without a script", "", []string{"-c"}, "", "vsh: -c: option requires an argument\n", 2},
		{"a bad mount point", "", []string{"--mount-point", "/tmp", "-c", ":"}, "", "vsh: shell: Options.MountPoint \"/tmp\" is the shell's own\n", 2},
		{"a bad user", "", []string{"--user", "x", "-c", ":"}, "", "vsh: --user: \"x\" is not NAME:UID:GID\n", 2},
		{"--version", "", []string{"--version"}, "vsh 0.1\n", "", 0},
	} {
		t.Run(test.rule, func(t *testing.T) {
			stdout, stderr, status := vsh(test.stdin, test.args...)
			require.Equal(t, test.stdout, stdout)
			require.Equal(t, test.stderr, stderr)
			require.Equal(t, test.status, status)
		})
	}
}

func TestHelpFitsOneScreen(t *testing.T) {
	stdout, _, status := vsh("", "--help")
	require.Zero(t, status)
	require.LessOrEqual(t, strings.Count(stdout, "\n"), 30)
	for _, line := range strings.Split(stdout, "\n") {
		require.LessOrEqual(t, len(line), 80, line)
	}
}

func TestMaxOutputCutsTheMiddle(t *testing.T) {
	stdout, _, status := vsh("", "--max-output", "1K", "-c", "seq 100000")
	require.Zero(t, status)
	require.LessOrEqual(t, len(stdout), 1024)
	require.True(t, strings.HasSuffix(stdout, "100000\n"))
	stdout, _, _ = vsh("", "-c", "seq 100000")
	require.Len(t, stdout, 588895, "uncut without the option")
}

func TestJSONIsTheWholeResult(t *testing.T) {
	stdout, stderr, status := vsh("", "--json", "-c", "echo '<o>'; echo e >&2; cd /tmp; exit 5")
	require.Equal(t, 5, status)
	require.Empty(t, stderr)
	var result shell.Result
	require.NoError(t, json.Unmarshal([]byte(stdout), &result))
	require.Equal(t, "<o>\ne\n", result.Output)
	require.Equal(t, "<o>\n", result.Stdout)
	require.Equal(t, "e\n", result.Stderr)
	require.Equal(t, 5, result.ExitCode)
	require.Equal(t, "/tmp", result.Directory)
	require.Contains(t, stdout, "<o>")
}

func TestInterruptEndsWith130(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	var out bytes.Buffer
	require.Equal(t, 130, run(ctx, []string{"-c", "echo a; sleep 100"}, strings.NewReader(""), &out, &out))
	require.Equal(t, "a\n", out.String())
}
