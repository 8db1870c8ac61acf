//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

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
