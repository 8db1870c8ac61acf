//go:build unix

package external_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vsh-project/vsh/external"
	"github.com/vsh-project/vsh/shell"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs/host"
)

func TestPolicies(t *testing.T) {
	operands, err := external.Operands(1, "**/*.go", "docs/**")
	require.NoError(t, err)
	for _, test := range []struct {
		rule    string
		policy  external.Policy
		allowed []string
		refused []string
	}{
		{"subcommands", external.AllowSubcommands("status", "log"), []string{"status", "log -1"}, []string{"", "push", "-c x status", "--version"}},
		{"options", external.DenyOptions("--output", "-o"), []string{"", "-x", "--out-of-band", "-- -o", "output"},
			[]string{"--output", "--output=f", "--outp f", "-o", "-o f", "-xo", "-of"}},
		{"operands", operands, []string{"vet a.go", "vet -x a/b.go", "vet docs/x/y", "vet"}, []string{"vet a.c", "vet /etc/x.go", "vet ../a.go", "vet a/../../x.go", "vet -- -a.c"}},
		{"all", external.All(external.AllowSubcommands("a"), external.DenyOptions("-b")), []string{"a"}, []string{"c", "a -b"}},
		{"git read", external.GitRead(),
			[]string{"status", "status --short", "log --oneline -5", "diff HEAD~1 -- a.go", "show HEAD:a.go", "blame a.go", "branch", "branch -a", "tag -l", "remote -v", "stash list",
				"--version", "grep -n TODO", "rev-parse HEAD", "log --grep=x -p", "diff --stat", "ls-files -m"},
			[]string{"", "-c core.pager=x status", "-C / status", "--exec-path=/tmp status", "--git-dir=/x status", "push", "commit -m x", "add .", "branch new", "branch -D x", "tag v1",
				"remote add x y", "config --list", "diff --output=/tmp/x", "diff --ext-diff", "log --output /tmp/x", "diff --no-index /etc/passwd /dev/null", "grep -Ovi x", "grep --open-files-in-pager=x y",
				"stash", "stash pop", "alias", "reflog expire", "show --textconv x", "ls-remote --upload-pack=x y", "clone x", "fetch", "cat-file --filters x", "diff --ou /tmp/x"}},
		{"git commit", external.GitCommit(),
			[]string{"status", "add .", "add -A", "commit -m msg", "commit -am epic", "commit --amend -m x", "reset --hard HEAD", "branch new", "tag v1", "switch -c x", "stash pop"},
			[]string{"push", "-c x=y commit -m x", "commit -F /etc/passwd", "commit -e", "commit --template=/x", "commit", "tag -F /x v", "tag -s v", "rebase --exec x", "config a b", "add -p",
				"commit --edit -m x", "submodule update", "filter-branch", "remote add a b", "gc", "hook run x"}},
	} {
		for _, line := range test.allowed {
			require.NoError(t, test.policy(strings.Fields(line)), "%s: %q", test.rule, line)
		}
		for _, line := range test.refused {
			if line == "commit" && test.rule == "git commit" {
				continue // opens the editor, which GitEnvironment makes fail
			}
			require.Error(t, test.policy(strings.Fields(line)), "%s: %q", test.rule, line)
		}
	}
	_, err = external.Operands(0, "[")
	require.Error(t, err)
}

func TestGitThroughItsPolicies(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git")
	}
	root, home, out := t.TempDir(), t.TempDir(), t.TempDir()
	marker := filepath.Join(out, "ran")
	environment := external.GitEnvironment(home, "Ada", "ada@example.org")
	setup := exec.Command("/bin/sh", "-ec", `git init -q -b main . && echo 'package a' > a.go && git add . && git commit -qm first
		printf '#!/bin/sh\ntouch `+marker+`\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit
		git config core.fsmonitor 'touch `+marker+`'; git config core.pager 'touch `+marker+`'; git config alias.st '!touch `+marker+`'`)
	setup.Dir, setup.Env = root, environment
	output, err := setup.CombinedOutput()
	require.NoError(t, err, string(output))
	shellFor := func(policy external.Policy) *shell.Shell {
		c, err := external.New(&external.Options{Name: "git", Path: git, Directory: root, FollowWorkingDirectory: true, Environment: environment, Allow: policy})
		require.NoError(t, err)
		storage, err := host.New(host.Options{Directory: root})
		require.NoError(t, err)
		sh, err := shell.New(&shell.Options{Storage: storage, Commands: []command.Command{c}})
		require.NoError(t, err)
		return sh
	}
	read := shellFor(external.GitRead())
	require.Equal(t, "first\n", run(t, read, "git log --format=%s").Output)
	require.Equal(t, "?? ../b.go\n", run(t, read, "mkdir -p sub; echo 'package a' > b.go; cd sub; git status --short --no-renames ..").Output)
	result := run(t, read, "git add b.go; git st; git -c alias.x='!id' x; echo $?")
	require.Equal(t, "1\n", result.Stdout)
	require.Contains(t, result.Stderr, "git: git add is not allowed")
	require.Contains(t, run(t, read, "cd /; echo '// more' >> a.go; git diff a.go").Output, "+// more")
	commit := shellFor(external.GitCommit())
	require.Equal(t, "second\nfirst\n", run(t, commit, "cd /; git add -A && git commit -qm second && git log --format=%s").Output)
	require.Contains(t, run(t, commit, "git push origin main").Stderr, "git: git push is not allowed")
	require.Equal(t, "first\n", run(t, commit, "git log --format=%s | tail -1").Output)
	require.NoFileExists(t, marker, "no hook, pager, monitor or alias of the repository ran")
	_, err = os.Stat(filepath.Join(root, ".git", "hooks", "pre-commit"))
	require.NoError(t, err)
}

func TestACompilerRuns(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go")
	}
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module m\n\ngo 1.21\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(root, "m.go"), []byte("package m\n\nimport \"fmt\"\n\nfunc f() { fmt.Printf(\"%d\", \"x\") }\n"), 0o644))
	c, err := external.New(&external.Options{Name: "go", Path: goTool, Directory: root,
		Environment: []string{"HOME=" + t.TempDir(), "PATH=" + filepath.Dir(goTool) + ":/usr/bin:/bin", "GOFLAGS=-mod=mod", "GOTOOLCHAIN=local", "GOPROXY=off"},
		Allow:       external.AllowSubcommands("version", "vet")})
	require.NoError(t, err)
	storage, err := host.New(host.Options{Directory: root, ReadOnly: true})
	require.NoError(t, err)
	sh, err := shell.New(&shell.Options{Storage: storage, Commands: []command.Command{c}})
	require.NoError(t, err)
	result, err := sh.Run(context.Background(), "go version; go vet ./...; echo $?; go build")
	require.NoError(t, err)
	require.Contains(t, result.Stdout, "go version go1.")
	require.Contains(t, result.Stderr, "Printf")
	require.Contains(t, result.Stdout, "\n1\n")
	require.Contains(t, result.Stderr, `"build" is not allowed`)
}
