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
		{"options", external.DenyOptions("--output", "-o"), []string{"", "-x", "--out-of-band", "output"},
			[]string{"--output", "--output=f", "--outp f", "-o", "-o f", "-xo", "-of", "-- -o", "-e -- --output=f"}},
		{"operands", operands, []string{"vet a.go", "vet -x a/b.go", "vet docs/x/y", "vet"}, []string{"vet a.c", "vet /etc/x.go", "vet ../a.go", "vet a/../../x.go", "vet -- -a.c", "-C x.go vet", "-C /etc vet"}},
		{"all", external.All(external.AllowSubcommands("a"), external.DenyOptions("-b")), []string{"a"}, []string{"c", "a -b"}},
		{"git read", external.GitRead(),
			[]string{"status", "status --short", "status -uno --porcelain=v2 -b", "log --oneline -5", "log -p", "log --patch", "log --text --exclude=x --all", "log -Sfoo -GOO -L1,5:f", "log -- -x", "log --stat --follow -- a",
				"diff", "diff HEAD~1 -- a.go", "diff ../a.go", "diff --cached --stat", "diff -U0 -w", "diff --patch", "show HEAD:a.go", "show --text", "blame a.go", "blame -L 1,2 -s HEAD -- a",
				"branch", "branch -a", "branch -vv", "branch --list x*", "branch --contains HEAD", "branch --contains=HEAD", "branch --sort -committerdate --format %(refname)", "branch --show-current",
				"tag", "tag -l", "tag -l v*", "tag -n5", "tag --sort=-v:refname", "tag --points-at HEAD", "remote", "remote -v", "remote get-url origin", "remote get-url --all origin",
				"stash list", "stash show -p", "stash show stash@{1}", "reflog", "reflog -5", "reflog show main", "reflog HEAD@{1}", "--version", "version",
				"grep -n TODO", "grep -e -x", "grep -eTODO", "grep --text x", "grep -A5 x -- -x", "rev-parse HEAD", "rev-parse --git-dir", "rev-parse --show-toplevel", "rev-list --filter=blob:none --objects HEAD", "ls-files -m", "ls-files -o --exclude=x --exclude-standard",
				"cat-file -p HEAD", "cat-file --path=x -p HEAD:x", "describe --tags --exclude x", "log --no-ext-diff --no-textconv", "shortlog -sne", "for-each-ref --format=%(refname)", "diff --output-indicator-new=+", "blame --ignore-rev=HEAD f", "for-each-ref --exclude=x"},
			[]string{"", "-c core.pager=x status", "-C / status", "--exec-path=/tmp status", "--git-dir=/x status", "push", "commit -m x", "add .", "branch new", "branch -D x", "branch -v new", "branch --sort x new", "branch --sort --list new", "branch --edit-description", "branch -u x",
				"tag v1", "tag -v v1", "tag -d v1", "tag -n5 v1", "remote add x y", "remote update", "remote -v update", "remote show origin", "remote prune x", "config --list", "config -l", "var -l",
				"diff --output=/tmp/x", "diff --ext-diff", "log --output /tmp/x", "log --decorate-refs -- --output=/tmp/x", "diff -O/etc/passwd", "log -pO/etc/passwd", "diff --no-index /etc/passwd /dev/null", "diff --no-ind a b",
				"diff /etc/passwd /dev/null", "diff a /etc/passwd", "diff ../../a b", "diff --stat -- a ../x", "diff -S x a /etc/passwd", "diff - /etc/passwd", "diff a /etc/passwd --stat",
				"grep -Ovi x", "grep -nOvi x", "grep --open-files-in-pager=x y", "grep -e -- -Ovi", "grep -e -- --open-files-in-pager=x", "grep -e -- --op=x", "grep -f /etc/passwd", "grep -nf/etc/passwd", "grep --no-index x /etc",
				"log --help", "status --help", "log --he", "stash", "stash pop", "stash list --output=x", "stash push", "alias", "reflog expire", "reflog delete x", "reflog drop", "show --textconv x", "cat-file --textconv x", "cat-file --text x", "cat-file --filters x", "cat-file --filter x",
				"ls-remote --upload-pack=x y", "clone x", "fetch", "pull", "diff --ou /tmp/x", "archive HEAD", "archive --exec=x", "bundle create x", "upload-pack .", "receive-pack .", "upload-archive .", "daemon", "shell", "credential fill",
				"credential-store get", "difftool -x ls", "mergetool", "bisect run x", "filter-branch", "rebase --exec x", "submodule foreach x", "hook run x", "maintenance run", "fsmonitor--daemon start", "instaweb", "send-email x", "format-patch -o / HEAD", "help log", "help -w log",
				"web--browse x", "gui", "citool", "p4", "svn", "remote-ext x y", "remote-https x y", "init x", "worktree add x", "update-ref x", "symbolic-ref HEAD x", "checkout x", "apply x", "am x", "update-index x", "hash-object -w /etc/passwd", "notes add", "replace a b", "fast-import", "fast-export --export-marks=x",
				"gc", "repack", "prune", "interpret-trailers --in-place x", "column --command=x", "mailinfo a b", "merge-file -p a b", "sh-i18n", "!id", "status/../log", "blame -S /etc/passwd f", "blame --contents /etc/passwd f", "blame --ignore-revs-file=/etc/passwd f",
				"ls-files -X /etc/passwd", "ls-files --exclude-from=/x", "ls-files -oX/x", "rev-parse --git-d"}},
		{"git commit", external.GitCommit(),
			[]string{"status", "add .", "add -A", "add -u", "commit -m msg", "commit -am epic", "commit --amend -m x", "commit --amend --no-edit", "commit -F -", "commit -F- -q", "commit --file=- -q", "commit --file -", "commit -C HEAD", "commit -qm Fix", "reset --hard HEAD", "reset -q",
				"branch new", "branch -D x", "branch -u origin/main", "tag v1", "tag -a v1 -m text", "tag -F - v1", "tag -l v*", "tag -d v1", "switch -c x", "restore -SW f", "restore --staged -s HEAD f", "stash", "stash pop", "stash push -m x f", "stash show -p", "stash list", "rm --cached f", "rm -r --cached d", "log -p", "reflog"},
			[]string{"push", "-c x=y commit -m x", "commit -F /etc/passwd", "commit -F/etc/passwd", "commit -aF /etc/passwd", "commit --file=/etc/passwd", "commit --file= -", "commit --fi /etc/passwd", "commit -m x -F - -F /etc/passwd", "commit -e", "commit --template=/x", "commit -t /x", "commit -S -m x", "commit -aSm x", "commit -c HEAD",
				"tag -F /x v", "tag -s v", "tag -v v1", "tag --verify v1", "tag -u k v1", "rebase --exec x", "config a b", "add -p", "add -i", "add -e", "add --pathspec-from-file=/x", "branch --edit-description", "commit -p", "reset -p", "restore -p", "stash -p", "stash push --patch",
				"commit --edit -m x", "commit --help", "submodule update", "filter-branch", "remote add a b", "gc", "hook run x", "mv f .git/config", "mv a b", "rm f", "rm -rf d", "rm -- --cached", "rm --cached --no-cached f", "rm --cached --no-c f", "switch --recurse-submodules x", "checkout x", "clean -fdx", "worktree add x", "merge x", "cherry-pick x", "revert x", "apply x"}},
	} {
		for _, line := range test.allowed {
			require.NoError(t, test.policy(strings.Fields(line)), "%s: %q", test.rule, line)
		}
		for _, line := range test.refused {
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

// TestWaysAroundTheGitPolicies runs what has led out of a policy or could: none
// may start a program, write or remove a file outside the working copy or in .git,
// or show one that no link in the working copy leads to.
func TestWaysAroundTheGitPolicies(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git")
	}
	for _, test := range []struct{ rule, script string }{
		{"a pager for grep behind a value that looks like the end of the options", `git grep -e -- -O'touch MARKER' -e package`},
		{"output behind such a value", `git log --decorate-refs -- --output=MARKER`},
		{"output abbreviated", `git diff --outp MARKER HEAD`},
		{"output of a stash or a reflog", `git stash list --output=MARKER; git reflog --output=MARKER; git stash show --output=MARKER`},
		{"two files of the host", `git diff /dev/null OUT/secret; git diff --stat -p a.go OUT/secret; git diff -- /dev/null OUT/secret; git diff OUT/secret a.go -p`},
		{"two files where there is no repository", `mkdir /none; rm -rf /none/.git; cd /none; git diff -- x OUT/secret; git diff ../../../../../../OUT/secret x -p`},
		{"patterns and orders from a file", `git grep -nf OUT/secret; git diff -OOUT/secret; git ls-files -oX OUT/secret; git blame -S OUT/secret a.go; git blame --ignore-revs-file OUT/secret a.go; git commit -F OUT/secret --allow-empty; git log -1`},
		{"a manual", `PAGER='touch MARKER' git log --help; git help log`},
		{"a signature's check", `git log --format=%G?%GG -1; git show --show-signature; git tag -v signed; git tag --verify signed`},
		{"an editor", `echo x >> a.go; git commit -a; git commit --amend; git branch --edit-description; git tag -a new`},
		{"a repository that lies open under another name", `mkdir -p /r/objects /r/refs; echo 'ref: refs/heads/main' > /r/HEAD
			printf '[core]\nrepositoryformatversion=0\nbare=false\nworktree=OUT\n[diff]\nexternal=touch MARKER;:\n[filter "x"]\nclean=touch MARKER;cat\n' > /r/config
			cd /r; git status; git add secret; git diff --cached; git add -A; git commit -qm x; git show`},
		{"a tracked file moved into .git or out by a link", `ln -s OUT away; ln -s .git/hooks hk; for i in 1 2 3 4; do echo > h$i; done; git add -A; git mv h1 .git/hooks/x; git mv -f h2 away/ran; git mv h3 hk/x; git mv -f h4 .git/config`},
		{"a file removed through a link", `mkdir d; echo x > d/secret; git add d; git commit -qm d; rm -r d; ln -s OUT d; git rm -f d/secret; git rm -rf d; git reset -q --hard; git restore .; git switch -qf -c y HEAD~1`},
		{"a filter of the script's own", `printf '[filter "x"]\nclean=touch MARKER;cat\n' >> /.git/config; echo '* filter=x' > .gitattributes; touch a.go; git status; git add a.go`},
		{"a configuration reached by another name", `ln /.git/config conf; echo '[diff]' >> conf; mkdir n; cp -r .git n/.git; mv .git x; ln -s .git y; printf '[diff]\nexternal=touch MARKER;:\n' >> y/config; printf 'gitdir: /r' > n/.git; mv n .git; mv -T n .GIT; git diff HEAD~0`},
		{"environment", `export GIT_EXTERNAL_DIFF='touch MARKER' GIT_PAGER='touch MARKER' GIT_CONFIG_PARAMETERS="'core.fsmonitor=touch MARKER'" GIT_DIR=/r GIT_EDITOR='touch MARKER'; GIT_SSH='touch MARKER' git diff; git status; git log; git commit -a`},
		{"a transport", `git fetch 'ext::touch MARKER'; git ls-remote 'ext::touch MARKER'; git log --remotes=ext::x; git clone ext::x; git push; git archive --remote='ext::touch MARKER'`},
		{"options before the subcommand", `git -c core.fsmonitor='touch MARKER' status; git --exec-path=/tmp status; git -p log; git --config-env=a=b status; git '!touch MARKER'; git --git-dir=/r status; git -C / status; git --no-pager -c alias.x='!touch MARKER' x`},
		{"an alias and hooks of the repository", `git st; git log -1; git status; echo y >> a.go; git add -A; git commit -qm y; git switch -q -c z; git stash; git reset -q --hard HEAD`},
	} {
		for name, policy := range map[string]external.Policy{"read": external.GitRead(), "commit": external.GitCommit()} {
			t.Run(test.rule+"/"+name, func(t *testing.T) {
				root, out := t.TempDir(), t.TempDir()
				marker, secret := filepath.Join(out, "ran"), filepath.Join(out, "secret")
				require.NoError(t, os.WriteFile(secret, []byte("TOPSECRET\n"), 0o644))
				setup := exec.Command("/bin/sh", "-ec", strings.ReplaceAll(`git init -q -b main . && echo 'package a' > a.go && git add . && git commit -qm first
					for h in pre-commit post-checkout post-commit reference-transaction post-index-change; do printf '#!/bin/sh\ntouch MARKER\n' > .git/hooks/$h; done; chmod +x .git/hooks/*
					printf '#!/bin/sh\ntouch MARKER\n' > .git/touch; chmod +x .git/touch; git config gpg.program $PWD/.git/touch
					for v in core.fsmonitor core.pager core.editor core.sshCommand core.askPass credential.helper; do git config $v 'touch MARKER'; done
					git config alias.st '!touch MARKER'; git config protocol.ext.allow always; git config log.showSignature true
					signed=$(printf 'tree %s\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nsigned\n' $(git rev-parse HEAD^{tree}) | git hash-object -t commit -w --stdin); echo $signed > .git/refs/heads/main
					cp .git/config MARKER.config`, "MARKER", marker))
				environment := external.GitEnvironment(t.TempDir(), "Ada", "ada@example.org")
				setup.Dir, setup.Env = root, environment
				output, err := setup.CombinedOutput()
				require.NoError(t, err, string(output))
				c, err := external.New(&external.Options{Name: "git", Path: git, Directory: root, FollowWorkingDirectory: true, Environment: environment, Allow: policy})
				require.NoError(t, err)
				storage, err := host.New(host.Options{Directory: root})
				require.NoError(t, err)
				sh, err := shell.New(&shell.Options{Storage: storage, Policy: external.ProtectGit(nil), Commands: []command.Command{c}})
				require.NoError(t, err)
				text := strings.NewReplacer("MARKER", marker, "OUT", out).Replace(test.script)
				require.NotContains(t, run(t, sh, text).Output, "TOPSECRET")
				require.NoFileExists(t, marker)
				require.FileExists(t, secret)
				entries, err := os.ReadDir(out)
				require.NoError(t, err)
				require.Len(t, entries, 2)
				before, err := os.ReadFile(marker + ".config")
				require.NoError(t, err)
				after, err := os.ReadFile(filepath.Join(root, ".git", "config"))
				require.NoError(t, err)
				require.Equal(t, string(before), string(after))
				require.NoFileExists(t, filepath.Join(root, ".git", "hooks", "x"))
			})
		}
	}
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
