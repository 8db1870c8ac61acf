package external

import (
	"fmt"
	"os"
	"path"
	"strings"

	"github.com/vsh-project/vsh/vfs"
)

// gitSubcommand is one of git's and what it must not be asked for.
type gitSubcommand struct {
	name string
	// denied are long options besides gitDangers; letters single ones.
	denied  []string
	letters string
	// valued are the letters whose value may stand in the same word.
	valued string
	// whole are options that an abbreviation of a denied one could be taken for.
	whole []string
}

const (
	diffValued = "SGOLlMCBUnX"
	// An order file is read wherever it lies.
	diffLetters = "O"
)

// gitRead are the subcommands that only read a repository.
var gitRead = [...]gitSubcommand{
	{name: "status", valued: "uM"},
	{name: "log", letters: diffLetters, valued: diffValued, whole: []string{"--text", "--exclude"}},
	{name: "show", letters: diffLetters, valued: diffValued, whole: []string{"--text", "--exclude"}},
	{name: "whatchanged", letters: diffLetters, valued: diffValued, whole: []string{"--text", "--exclude"}},
	{name: "shortlog", letters: diffLetters, valued: diffValued + "w", whole: []string{"--text", "--exclude"}},
	{name: "rev-list", letters: diffLetters, valued: diffValued, whole: []string{"--text", "--exclude", "--filter"}},
	{name: "diff", denied: []string{"--no-index"}, letters: diffLetters, valued: diffValued, whole: []string{"--text"}},
	{name: "diff-tree", denied: []string{"--no-index"}, letters: diffLetters, valued: diffValued, whole: []string{"--text"}},
	{name: "diff-index", denied: []string{"--no-index"}, letters: diffLetters, valued: diffValued, whole: []string{"--text"}},
	{name: "diff-files", denied: []string{"--no-index"}, letters: diffLetters, valued: diffValued, whole: []string{"--text"}},
	{name: "grep", denied: []string{"--no-index"}, letters: "Of", valued: "OfeABCm", whole: []string{"--text"}},
	{name: "blame", denied: []string{"--contents"}, letters: "S", valued: "SLCM", whole: []string{"--ignore-rev"}},
	{name: "ls-files", letters: "X", valued: "xX", whole: []string{"--exclude"}},
	{name: "cat-file", whole: []string{"--path"}},
	{name: "describe", whole: []string{"--exclude"}}, {name: "name-rev", whole: []string{"--exclude"}}, {name: "rev-parse", whole: []string{"--exclude", "--git-dir"}},
	{name: "ls-tree"}, {name: "merge-base"}, {name: "show-ref"}, {name: "for-each-ref", whole: []string{"--exclude"}}, {name: "count-objects"}, {name: "version"}, {name: "cherry"},
	{name: "check-ignore"},
}

// gitWrite are the subcommands that a working copy's own history needs. Neither
// mv nor rm of the working copy is among them: both follow a link that has taken
// a directory's place, out of the working copy or into .git.
var gitWrite = [...]gitSubcommand{
	{name: "add", denied: []string{"--interactive", "--patch", "--edit"}, letters: "ipe"},
	{name: "commit", denied: []string{"--interactive", "--patch", "--edit", "--reedit-message"}, letters: "eptFSc", valued: "mFCctuS"},
	{name: "restore", denied: []string{"--patch"}, letters: "p", valued: "s"},
	{name: "reset", denied: []string{"--patch"}, letters: "p"},
	{name: "switch", valued: "cC"},
	{name: "branch", denied: []string{"--edit-description"}, valued: "ut"},
	{name: "tag", denied: []string{"--edit", "--sign", "--verify"}, letters: "Fsuve", valued: "mFun"},
	{name: "stash", denied: []string{"--patch"}, letters: "p", valued: "m"},
}

// gitDangers are options that start other programs, read or write outside the
// working copy, or change which repository is meant.
var gitDangers = [...]string{
	"--output", "--ext-diff", "--textconv", "--exec", "--upload-pack", "--receive-pack", "--open-files-in-pager", "--exec-path",
	"--git-dir", "--work-tree", "--super-prefix", "--config-env", "--template", "--filters", "--gpg-sign", "--show-signature",
	"--ignore-revs-file", "--pathspec-from-file", "--exclude-from", "--exclude-per-directory", "--from-file",
	"--file", "--local-user", "--recurse-submodules", "--help",
}

// GitRead allows git's reading subcommands, without global options: none of -c,
// -C, --exec-path, --git-dir, aliases or options that start other programs.
// Pair it with GitEnvironment, and keep the script from writing .git, as
// ProtectGit does: what a repository's own configuration says, git does
// (filters and an external diff, for two). Two things are not promised: grep and
// blame follow links that lie in the working copy, and git finds a repository
// that holds Directory.
func GitRead() Policy { return git(false) }

// GitCommit allows besides those what records work in the working copy's own
// repository: add, rm --cached, commit, restore, reset, branch, tag, switch,
// stash. No hooks run under GitEnvironment; nothing is sent or fetched.
func GitCommit() Policy { return git(true) }

func git(commit bool) Policy {
	return func(arguments []string) error {
		if len(arguments) == 0 {
			return fmt.Errorf("a subcommand is required")
		}
		name, rest := arguments[0], arguments[1:]
		if strings.HasPrefix(name, "-") {
			if name == "--version" && len(rest) == 0 {
				return nil
			}
			return fmt.Errorf("git's own option %s is not allowed; start with a subcommand", name)
		}
		for i := range gitRead {
			if gitRead[i].name == name {
				return gitRead[i].check(rest)
			}
		}
		switch name {
		case "remote":
			return gitListing(name, rest)
		case "reflog":
			return gitReflog(rest)
		case "stash":
			if len(rest) > 0 && (rest[0] == "list" || rest[0] == "show") {
				return gitLog(name, rest)
			}
		}
		if !commit {
			switch name {
			case "branch", "tag":
				return gitListing(name, rest)
			case "stash":
				return fmt.Errorf("git stash: only list and show are allowed")
			}
			return fmt.Errorf("git %s is not allowed: only subcommands that read are", name)
		}
		for i := range gitWrite {
			if gitWrite[i].name == name {
				return gitWrite[i].check(rest)
			}
		}
		switch name {
		case "rm":
			return gitRemove(rest)
		case "mv":
			return fmt.Errorf("git mv is not allowed; use mv and git add -A")
		}
		return fmt.Errorf("git %s is not allowed", name)
	}
}

// check looks at every word, also behind "--": that may be the value of the
// option before it ("git grep -e -- -Oprogram").
func (s *gitSubcommand) check(arguments []string) error {
	for i, a := range arguments {
		if s.isWhole(a) {
			continue
		}
		for _, list := range [2][]string{s.denied, gitDangers[:]} {
			for _, denied := range list {
				if hasOption(a, denied) && !s.isMessage(denied, a, arguments[i+1:]) {
					return fmt.Errorf("git %s: the option %s is not allowed", s.name, denied)
				}
			}
		}
		if len(a) < 2 || a[0] != '-' || a[1] == '-' {
			continue
		}
		for at := 1; at < len(a); at++ {
			if strings.IndexByte(s.letters, a[at]) >= 0 && !s.isMessage("-"+a[at:at+1], a[at:], arguments[i+1:]) {
				return fmt.Errorf("git %s: the option -%c is not allowed", s.name, a[at])
			}
			if strings.IndexByte(s.valued, a[at]) >= 0 {
				break
			}
		}
	}
	if s.name == "diff" {
		return gitTwoFiles(arguments)
	}
	return nil
}

func (s *gitSubcommand) isWhole(argument string) bool {
	option, _, _ := strings.Cut(argument, "=")
	for _, w := range s.whole {
		if w == option {
			return true
		}
	}
	return false
}

// isMessage reports that an option reads a message, and from standard input:
// typed is the word from the option on, next what follows.
func (s *gitSubcommand) isMessage(option, typed string, next []string) bool {
	if s.name != "commit" && s.name != "tag" {
		return false
	}
	value := ""
	switch option {
	case "-F":
		value = typed[1:]
	case "--file":
		_, value, _ = strings.Cut(typed, "=")
	default:
		return false
	}
	if value == "" && len(next) > 0 && !strings.Contains(typed, "=") {
		value = next[0]
	}
	return value == "-"
}

// gitTwoFiles refuses what makes git compare two files of the host: two
// operands of which one may lie outside the repository.
func gitTwoFiles(arguments []string) error {
	operands, outside := 0, ""
	for _, a := range arguments {
		if strings.HasPrefix(a, "-") && a != "-" {
			continue
		}
		operands++
		if name := path.Clean(a); path.IsAbs(a) || name == ".." || strings.HasPrefix(name, "../") {
			outside = a
		}
	}
	if operands > 1 && outside != "" {
		return fmt.Errorf("git diff: %q beside another operand could lie outside the repository; cd to where both names go down", outside)
	}
	return nil
}

func gitLog(name string, arguments []string) error {
	s := gitSubcommand{name: name, letters: diffLetters, valued: diffValued, whole: []string{"--text", "--exclude"}}
	return s.check(arguments)
}

func gitReflog(arguments []string) error {
	if len(arguments) > 0 {
		first := arguments[0]
		if first != "show" && first != "list" && first != "exists" && first[:min(1, len(first))] != "-" && !strings.HasPrefix(first, "HEAD") {
			return fmt.Errorf("git reflog: %s is not allowed: only show, list and exists are", first)
		}
	}
	return gitLog("reflog", arguments)
}

// gitRemove lets go of files in the index alone.
func gitRemove(arguments []string) error {
	s := gitSubcommand{name: "rm"}
	cached, options := false, true
	for _, a := range arguments {
		options = options && a != "--"
		cached = options && a == "--cached" || cached && !hasOption(a, "--no-cached")
	}
	if !cached {
		return fmt.Errorf("git rm is allowed with --cached alone; use rm and git add -A")
	}
	return s.check(arguments)
}

// gitListing allows branch, tag and remote as long as they only list. Operands
// are patterns where --list is given, and new names where it is not.
func gitListing(name string, arguments []string) error {
	if name == "remote" && len(arguments) > 0 && arguments[0] == "get-url" {
		return nil
	}
	operand, list := "", false
	for i := 0; i < len(arguments); i++ {
		a := arguments[i]
		option, _, hasValue := strings.Cut(a, "=")
		switch {
		case option == "-v" && name != "tag", option == "--verbose" && name != "tag":
		case name == "remote":
			return fmt.Errorf("git remote: %s is not allowed: only -v and get-url are", a)
		case option == "-l", option == "--list":
			list = true
		case name == "tag" && strings.HasPrefix(a, "-n") && strings.Trim(a[2:], "0123456789") == "":
		case name == "branch" && (option == "-a" || option == "-r" || option == "-vv" || option == "--all" || option == "--remotes" || option == "--show-current" || option == "--abbrev" || option == "--no-abbrev"):
		case option == "--column", option == "--no-column", option == "--color", option == "--no-color", option == "-i", option == "--ignore-case":
		case option == "--sort", option == "--format", option == "--points-at", option == "--contains", option == "--no-contains", option == "--merged", option == "--no-merged":
			if !hasValue {
				i++ // its value is the next word
			}
		case strings.HasPrefix(a, "-"):
			return fmt.Errorf("git %s: %s is not allowed: only listing is", name, a)
		default:
			operand = a
		}
	}
	if operand != "" && !list {
		return fmt.Errorf("git %s: %s is not allowed: only listing is, with --list", name, operand)
	}
	return nil
}

// ProtectGit is a policy for shell.Options.Policy beside a git policy: a script
// can read .git, at any depth and in any letter case, and can't make, change or
// remove it. next, if not nil, is asked about what it lets through.
func ProtectGit(next vfs.Policy) vfs.Policy { return protectGit{next} }

type protectGit struct{ next vfs.Policy }

func (p protectGit) Check(name string, intent vfs.Intent) error {
	if intent == vfs.IntentWrite || intent == vfs.IntentRemove {
		for _, part := range strings.Split(name, "/") {
			if strings.EqualFold(part, ".git") {
				return &vfs.Refusal{Code: vfs.CodeProtected, Path: name, Reason: ".git can be read but not changed"}
			}
		}
	}
	if p.next == nil {
		return nil
	}
	return p.next.Check(name, intent)
}

// GitEnvironment is what git needs to be told so that a run starts no other
// program: no configuration but the repository's, no hooks, no pager, editor,
// file-system monitor, signature check or credential helper, no transport, and
// no repository that lies open in a directory of any name. What else .git/config
// names, filters and an external diff, git still runs: the script must not be
// able to write .git. home is its HOME (an empty directory will do); name and
// email sign commits. For a repository without a working copy add GIT_DIR.
func GitEnvironment(home, name, email string) []string {
	settings := [...][2]string{
		{"core.hooksPath", os.DevNull}, {"core.fsmonitor", "false"}, {"core.pager", "cat"}, {"core.editor", "false"}, {"sequence.editor", "false"},
		{"core.sshCommand", "false"}, {"core.askPass", ""}, {"credential.helper", ""}, {"protocol.allow", "never"},
		{"gc.auto", "0"}, {"maintenance.auto", "false"}, {"commit.gpgSign", "false"}, {"tag.gpgSign", "false"}, {"tag.forceSignAnnotated", "false"},
		{"log.showSignature", "false"}, {"gpg.program", "false"}, {"gpg.openpgp.program", "false"}, {"gpg.x509.program", "false"}, {"gpg.ssh.program", "false"},
		{"core.attributesFile", os.DevNull}, {"submodule.recurse", "false"}, {"safe.bareRepository", "explicit"},
	}
	env := []string{
		"HOME=" + home, "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_ATTR_NOSYSTEM=1", "GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_EDITOR=false", "GIT_SEQUENCE_EDITOR=false", "GIT_PAGER=cat",
		"GIT_AUTHOR_NAME=" + name, "GIT_AUTHOR_EMAIL=" + email, "GIT_COMMITTER_NAME=" + name, "GIT_COMMITTER_EMAIL=" + email,
		fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(settings)),
	}
	for i, s := range settings {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, s[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, s[1]))
	}
	return env
}
