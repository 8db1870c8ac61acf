package external

import (
	"fmt"
	"os"
	"strings"
)

// gitRead are the subcommands that only read a repository, each with the
// options (and first operands) that would make it do more.
var gitRead = []struct {
	name   string
	denied []string
}{
	{"status", nil}, {"log", nil}, {"show", nil}, {"diff", []string{"--no-index"}}, {"blame", []string{"--contents"}}, {"shortlog", nil},
	{"describe", nil}, {"rev-parse", nil}, {"rev-list", nil}, {"ls-files", nil}, {"ls-tree", nil}, {"cat-file", nil},
	{"merge-base", nil}, {"name-rev", nil}, {"show-ref", nil}, {"for-each-ref", nil}, {"diff-tree", nil}, {"diff-index", nil},
	{"diff-files", nil}, {"count-objects", nil}, {"version", nil}, {"cherry", nil}, {"whatchanged", nil}, {"var", nil},
	{"check-ignore", nil}, {"grep", []string{"--no-index"}},
}

// gitWrite are the subcommands that a working copy's own history needs.
var gitWrite = []string{"add", "rm", "mv", "commit", "restore", "reset", "branch", "tag", "switch", "stash"}

// gitDangers are options that start other programs, read or write outside the
// working copy, or change which repository is meant.
var gitDangers = []string{
	"--output", "--ext-diff", "--textconv", "--exec", "--upload-pack", "--receive-pack", "--open-files-in-pager", "--exec-path",
	"--git-dir", "--work-tree", "--super-prefix", "--config-env", "--template", "--filters", "--gpg-sign", "--show-signature",
	"--ignore-revs-file", "--pathspec-from-file", "--exclude-from", "--exclude-per-directory", "--from-file", "--interactive",
	"--patch", "--edit", "--file", "--local-user", "--recurse-submodules",
}

// GitRead allows git's reading subcommands, without global options: none of -c,
// -C, --exec-path, --git-dir, aliases or options that start other programs.
// Pair it with GitEnvironment, and keep the script from writing .git: what a
// repository's own configuration says, git does (filters, for one).
func GitRead() Policy { return git(false) }

// GitCommit allows besides those what records work in the working copy's own
// repository: add, rm, mv, commit, restore, reset, branch, tag, switch, stash. No
// hooks run under GitEnvironment; nothing is sent or fetched.
func GitCommit() Policy { return git(true) }

func git(commit bool) Policy {
	return func(arguments []string) error {
		if len(arguments) == 0 {
			return fmt.Errorf("a subcommand is required")
		}
		name := arguments[0]
		if strings.HasPrefix(name, "-") {
			if name == "--version" && len(arguments) == 1 {
				return nil
			}
			return fmt.Errorf("git's own option %s is not allowed; start with a subcommand", name)
		}
		for _, s := range gitRead {
			if s.name == name {
				return checkGit(name, arguments[1:], append(s.denied[:len(s.denied):len(s.denied)], gitDangers...))
			}
		}
		if !commit {
			switch name {
			case "branch", "tag", "remote", "stash", "reflog":
				return gitListing(name, arguments[1:])
			}
			return fmt.Errorf("git %s is not allowed: only subcommands that read are", name)
		}
		for _, s := range gitWrite {
			if s == name {
				return checkGit(name, arguments[1:], gitDangers)
			}
		}
		switch name {
		case "remote", "reflog":
			return gitListing(name, arguments[1:])
		}
		return fmt.Errorf("git %s is not allowed", name)
	}
}

func checkGit(name string, arguments, denied []string) error {
	if err := DenyOptions(denied...)(arguments); err != nil {
		return fmt.Errorf("git %s: %w", name, err)
	}
	letters := map[string]string{"grep": "O", "commit": "eptFScC", "add": "ipe", "restore": "p", "reset": "p", "stash": "p", "tag": "Fsu", "check-ignore": "", "diff": "", "log": "", "show": ""}[name]
	for _, a := range arguments {
		if a == "--" {
			break
		}
		if len(a) > 1 && a[0] == '-' && a[1] != '-' {
			// -m's text may hold any letter.
			cluster := a[1:]
			if name == "commit" || name == "tag" {
				if i := strings.IndexByte(cluster, 'm'); i >= 0 {
					cluster = cluster[:i]
				}
			}
			if i := strings.IndexAny(cluster, letters); letters != "" && i >= 0 {
				return fmt.Errorf("git %s: the option -%c is not allowed", name, cluster[i])
			}
		}
	}
	return nil
}

// gitListing allows subcommands that read only as long as nothing but listing
// options is given.
func gitListing(name string, arguments []string) error {
	if name == "stash" || name == "reflog" {
		if name == "reflog" && len(arguments) == 0 || len(arguments) > 0 && (arguments[0] == "list" || arguments[0] == "show") {
			return checkGit(name, arguments, gitDangers)
		}
		return fmt.Errorf("git %s: only list and show are allowed", name)
	}
	for _, a := range arguments {
		switch option, _, _ := strings.Cut(a, "="); option {
		case "-a", "-r", "-l", "-v", "-vv", "-n", "--list", "--all", "--remotes", "--verbose", "--show-current", "--sort", "--format",
			"--contains", "--no-contains", "--merged", "--no-merged", "--points-at", "--column", "--no-column", "--color", "--no-color":
		default:
			return fmt.Errorf("git %s: %s is not allowed: only listing is", name, a)
		}
	}
	return nil
}

// GitEnvironment is what git needs to be told so that a run starts no other
// program: no configuration but the repository's, no hooks, no pager, editor,
// file-system monitor or credential helper, no transport. What else .git/config
// names, filters and an external diff, git still runs: the script must not be
// able to write .git. home is its HOME (an empty directory will do); name and email sign commits.
func GitEnvironment(home, name, email string) []string {
	settings := [][2]string{
		{"core.hooksPath", os.DevNull}, {"core.fsmonitor", "false"}, {"core.pager", "cat"}, {"core.editor", "false"}, {"sequence.editor", "false"},
		{"core.sshCommand", "false"}, {"core.askPass", ""}, {"credential.helper", ""}, {"protocol.allow", "never"},
		{"gc.auto", "0"}, {"maintenance.auto", "false"}, {"commit.gpgSign", "false"}, {"tag.gpgSign", "false"}, {"log.showSignature", "false"},
		{"core.attributesFile", os.DevNull}, {"submodule.recurse", "false"},
	}
	env := []string{
		"HOME=" + home, "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_EDITOR=false", "GIT_SEQUENCE_EDITOR=false", "GIT_PAGER=cat",
		"GIT_AUTHOR_NAME=" + name, "GIT_AUTHOR_EMAIL=" + email, "GIT_COMMITTER_NAME=" + name, "GIT_COMMITTER_EMAIL=" + email,
		fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(settings)),
	}
	for i, s := range settings {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, s[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, s[1]))
	}
	return env
}
