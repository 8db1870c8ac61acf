//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

func writeTool(t *testing.T, dir, name, script string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, name), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, name, name), []byte("#!/bin/sh\n[ \"$1\" = --help ] && { echo '"+name+" tool'; echo usage; exit; }\n"+script), 0o755))
}

func TestAllow(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(root, "sub"), 0o755))
	script := filepath.Join(t.TempDir(), "prog")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\necho \"$PWD $1 $V\"\n"), 0o755))
	stdout, stderr, status := vsh("", "--root", root, "--allow", "prog="+script, "--allow-env", "V=v", "-c", "pwd; cd sub; prog x")
	require.Empty(t, stderr)
	require.Zero(t, status)
	require.Equal(t, root+"\n"+root+"/sub x v\n", stdout, "script and program agree on absolute paths")
	for _, args := range [][]string{
		{"--allow", "prog=" + script, "-c", ":"}, {"--root", root, "--allow", "nosuchprogram", "-c", ":"}, {"--root", root, "--allow-policy", "git-read", "-c", ":"},
		{"--root", root, "--allow", "git", "--allow-policy", "all", "-c", ":"}, {"--root", root, "--allow", "cd=" + script, "-c", ":"},
	} {
		_, stderr, status := vsh("", args...)
		require.Equal(t, 2, status, args)
		require.NotEmpty(t, stderr)
	}
}

func TestSeveralProgramsAreAllowed(t *testing.T) {
	stdout, stderr, status := vsh("", "--root", t.TempDir(), "--allow", "hostcat=/bin/cat", "--allow=hostsort=/usr/bin/sort", "-c", "printf 'b\na\n' | hostsort | hostcat; echo ${PIPESTATUS[*]}")
	require.Equal(t, "a\nb\n0 0 0\n", stdout, stderr)
	require.Zero(t, status)
}

// TestAProgramDiesWithItsHost: the host process is killed and cannot end anything.
func TestAProgramDiesWithItsHost(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no parent-death signal")
	}
	root := t.TempDir()
	cmd := program("--root", root, "--write", "--allow", "sh=/bin/sh", "-c", "sh -c 'echo $$ > pid; exec sleep 1000'")
	require.NoError(t, cmd.Start())
	var pid string
	require.Eventually(t, func() bool {
		text, _ := os.ReadFile(filepath.Join(root, "pid"))
		pid = strings.TrimSpace(string(text))
		return strings.HasSuffix(string(text), "\n")
	}, time.Minute, 10*time.Millisecond)
	require.DirExists(t, "/proc/"+pid)
	require.NoError(t, cmd.Process.Kill())
	cmd.Wait()
	require.Eventually(t, func() bool {
		// It may be a zombie where nothing reaps orphans.
		text, err := os.ReadFile("/proc/" + pid + "/stat")
		return err != nil || strings.Contains(string(text), ") Z ")
	}, time.Minute, 10*time.Millisecond)
}

func TestAllowGitByPolicy(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	root := t.TempDir()
	setup := exec.Command("/bin/sh", "-ec", "git init -q -b main . && echo x > f")
	setup.Dir = root
	require.NoError(t, setup.Run())
	stdout, stderr, status := vsh("", "--root", root, "--allow", "git", "--allow-policy", "git-read", "-c", "git status --short; git add f")
	require.Equal(t, "?? f\n", stdout)
	require.Contains(t, stderr, "git add is not allowed")
	require.Equal(t, 1, status)
	stdout, stderr, status = vsh("", "--root", root, "--write", "--allow", "git", "--allow-policy", "git-commit", "-c", "git add f && git commit -qm one && git log --format=%s")
	require.Equal(t, "one\n", stdout, stderr)
	require.Zero(t, status)
}

func TestTools(t *testing.T) {
	dir := t.TempDir()
	writeTool(t, dir, "hello", "echo hello $1")
	writeTool(t, dir, "ls", "echo mine")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "hello", "selftest.sh"), []byte("./hello x | grep -q 'hello x'\n"), 0o644))
	stdout, stderr, status := vsh("", "--tools", dir, "-c", "hello a; ls | wc -l")
	require.Empty(t, stderr)
	require.Zero(t, status)
	require.Equal(t, "hello a\n0\n", stdout)
	stdout, _, status = vsh("", "tools", "list", dir)
	require.Zero(t, status)
	require.Equal(t, "hello\tgeneric\thello tool\nls\tgeneric\tls tool\n", stdout)
	stdout, _, status = vsh("", "tools", "check", dir)
	require.Zero(t, status)
	require.Equal(t, "hello: ok\nls: no selftest.sh\n", stdout)
	stdout, _, status = vsh("", "tools", "json", dir)
	require.Zero(t, status)
	require.Contains(t, stdout, `"hello tool\nusage"`)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "hello", "selftest.sh"), []byte("exit 1\n"), 0o644))
	stdout, _, status = vsh("", "tools", "check", dir)
	require.Equal(t, 1, status)
	require.Contains(t, stdout, "hello: FAILED (status 1)\n")
	_, stderr, status = vsh("", "tools", "what", dir)
	require.Equal(t, 2, status)
	require.Equal(t, "vsh: tools: what: neither list, check nor json\n", stderr)
}

func TestToolsWhoseNamesAreTaken(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"ls", "grep", "test", "tool", "hello"} {
		writeTool(t, dir, name, `echo "`+name+`: $# $1"; cat`)
	}
	for _, test := range []struct {
		rule, script, want string
		options            []string
	}{
		{"a command keeps its name", `touch f; ls`, "f\n", nil},
		{"a tool takes it when asked for", `touch f; ls; echo f | grep f`, "ls: 0 \nf\n", []string{"--tools-replace", "ls"}},
		{"of several", `ls; grep x`, "ls: 0 \ngrep: 1 x\n", []string{"--tools-replace", "ls", "--tools-replace=grep"}},
		{"also where a command runs it", `echo x | xargs grep; command grep; /usr/bin/grep; env grep`, "grep: 1 x\ngrep: 0 \ngrep: 0 \ngrep: 0 \n", []string{"--tools-replace", "grep"}},
		{"a builtin keeps its name", `test x = x; echo $?`, "0\n", nil},
		{"tool reaches each, arguments and stdin as they are", `echo in | tool test 'a  b' ''; tool ls --help; tool tool; tool -- hello --; tool hello a | rev`,
			"test: 2 a  b\nin\nls tool\nusage\ntool: 0 \nhello: 1 --\na 1 :olleh\n", nil},
		{"tool alone lists them", `tool`, "grep\tgrep tool\nhello\thello tool\nls\tls tool\ntest\ttest tool\ntool\ttool tool\n", nil},
		{"what there is not", `tool nosuch 2>&1; echo $?; tool -x 2>&1; echo $?; tool -- 2>&1; echo $?`,
			"tool: nosuch: no such tool\n127\ntool: unrecognized option '-x'\n2\ntool: missing operand\n2\n", nil},
		{"its own version", `tool --version`, "tool (vsh) 0.1\n", nil},
	} {
		t.Run(test.rule, func(t *testing.T) {
			stdout, stderr, status := vsh("", append(append([]string{"--tools", dir}, test.options...), "-c", test.script)...)
			require.Empty(t, stderr)
			require.Zero(t, status)
			require.Equal(t, test.want, stdout)
		})
	}
	folders := t.TempDir()
	t.Setenv("TMPDIR", folders)
	root := t.TempDir()
	for rule, options := range map[string][]string{
		"no directory of tools": {"--tools-replace", "ls"}, "a builtin": {"--tools", dir, "--tools-replace", "test"}, "the command tool": {"--tools", dir, "--tools-replace", "tool"},
		"no such tool": {"--tools", dir, "--tools-replace", "sed"}, "an allowed program": {"--root", root, "--tools", dir, "--allow", "ls=/bin/ls", "--tools-replace", "ls"},
		"tool as a program": {"--root", root, "--tools", dir, "--allow", "tool=/bin/ls"}, "two directories": {"--tools", dir, "--tools", dir}, "an empty one": {"--tools="},
	} {
		_, stderr, status := vsh("", append(options, "-c", ":")...)
		require.Equal(t, 2, status, rule)
		require.Contains(t, stderr, "tools", rule)
	}
	left, err := filepath.Glob(filepath.Join(folders, "vsh-tools-*"))
	require.NoError(t, err)
	require.Empty(t, left, "the folder of links goes with the program")
}

func TestMCPToolsStartWhereTheShellIs(t *testing.T) {
	tools := t.TempDir()
	writeTool(t, tools, "where", "pwd")
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(root, "sub", "deep"), 0o755))
	for _, options := range [][]string{nil, {"--mount-point", "/work"}, {"--mount-point", "/"}} {
		session := mcpClient(t, nil, append(options, "--root", root, "--tools", tools)...)
		where := func(arguments map[string]any) string {
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "where", Arguments: arguments})
			require.NoError(t, err)
			return result.Content[0].(*mcp.TextContent).Text
		}
		require.Equal(t, root+"\n", where(nil))
		callShell(t, session, command("cd sub"))
		require.Equal(t, root+"/sub\n", where(nil))
		require.Equal(t, root+"/sub/deep\n", where(map[string]any{"cwd": "deep"}))
		_, value := callShell(t, session, command("where; cd deep; where; tool where; cd .."))
		require.Equal(t, root+"/sub\n"+root+"/sub/deep\n"+root+"/sub/deep\n", value.Output, "the shell's command of that name too")
		callShell(t, session, command("cd /tmp"))
		require.Contains(t, where(nil), "the shell's directory /tmp exists only in the shell")
	}
	_, stderr, status := vsh("", "mcp", "--root", root, "--tools", tools, "--tool-name", "where")
	require.Equal(t, 2, status)
	require.Contains(t, stderr, "--tools: where: the shell has the name; --tool-name gives it another")
}
