package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/vsh-project/vsh/external"
	"github.com/vsh-project/vsh/external/tooldir"
	"github.com/vsh-project/vsh/shell"
)

// hostPrograms is what the command line hands over of the host's programs.
type hostPrograms struct {
	allow       []string // NAME or NAME=PATH
	policy      external.Policy
	policyName  string
	environment []string
	tools       string
	replace     []string // names of commands that tools may take

	open *tooldir.Directory
	// shell is the registered shell, whose sessions have directories; nil without.
	shell *shell.Tool
}

func (h *hostPrograms) set(name, value string) error {
	switch name {
	case "allow":
		h.allow = append(h.allow, value)
	case "allow-env":
		if !strings.Contains(value, "=") {
			return fmt.Errorf("%q is not NAME=VALUE", value)
		}
		h.environment = append(h.environment, value)
	case "tools":
		if h.tools != "" {
			return errors.New("given twice")
		}
		if value == "" {
			return errors.New("the argument is empty")
		}
		h.tools = value
	case "tools-replace":
		if shell.IsReserved(value) || value == tooldir.CommandName {
			return fmt.Errorf("%s is a shell builtin or keyword, which no tool replaces; 'tool %s' runs the tool", value, value)
		}
		h.replace = append(h.replace, value)
	case "allow-policy":
		switch value {
		case "git-read":
			h.policy = external.GitRead()
		case "git-commit":
			h.policy = external.GitCommit()
		default:
			return fmt.Errorf("%q is neither git-read nor git-commit", value)
		}
		h.policyName = value
	}
	return nil
}

// any reports whether scripts get programs that see the host's disk.
func (h *hostPrograms) any() bool { return len(h.allow) > 0 || h.tools != "" }

func (h *hostPrograms) check(root string) error {
	if len(h.allow) > 0 && root == "" {
		return errors.New("--allow needs --root")
	}
	if len(h.replace) > 0 && h.tools == "" {
		return errors.New("--tools-replace needs --tools")
	}
	if h.policy == nil {
		return nil
	}
	for _, a := range h.allow {
		if name, _, _ := strings.Cut(a, "="); name == "git" {
			return nil
		}
	}
	return errors.New("--allow-policy " + h.policyName + " needs --allow git")
}

// apply adds the commands to options. The workspace then appears at its host
// path, so that the programs and the script agree on absolute paths.
func (h *hostPrograms) apply(ctx context.Context, root string, options *shell.Options, stderr io.Writer) error {
	if !h.any() {
		return nil
	}
	directory, err := filepath.Abs(root)
	if err == nil {
		directory, err = filepath.EvalSymlinks(directory)
	}
	if err != nil {
		return fmt.Errorf("--root: %w", err)
	}
	if root != "" && options.MountPoint == "" {
		options.MountPoint = filepath.ToSlash(directory)
	}
	if h.policy != nil {
		// Who writes .git/config says which programs git starts.
		options.Policy = external.ProtectGit(options.Policy)
	}
	for _, a := range h.allow {
		c, err := h.command(a, directory)
		if err != nil {
			return fmt.Errorf("--allow: %w", err)
		}
		options.Commands = append(options.Commands, c)
	}
	if h.tools == "" {
		return nil
	}
	mount := options.MountPoint
	toolOptions := &tooldir.Options{
		Directory: h.tools, WorkingDirectory: directory, FollowWorkingDirectory: root != "", Environment: h.environment,
		Session: "vsh-" + strconv.Itoa(os.Getpid()), Timeout: toolTimeout(options.Timeout),
		Diagnose: func(line string) { fmt.Fprintf(stderr, "vsh: %s\n", line) },
	}
	if root != "" {
		toolOptions.SessionDirectory = func(agent, session string) (string, error) {
			return h.hostDirectory(agent, session, mount, directory)
		}
	}
	h.open, err = tooldir.Open(ctx, toolOptions)
	if err != nil {
		return fmt.Errorf("--tools: %w", err)
	}
	replaced := make(map[string]bool)
	for _, name := range h.replace {
		if h.open.Tool(name) == nil {
			return fmt.Errorf("--tools-replace: %s: no such tool", name)
		}
		replaced[name] = true
	}
	for _, c := range options.Commands {
		if replaced[c.Name] || c.Name == tooldir.CommandName {
			return fmt.Errorf("--allow: %s: --tools has the name", c.Name)
		}
	}
	commands, err := h.open.Commands(taken(options.Commands), func(name string) bool { return replaced[name] })
	if err != nil {
		return fmt.Errorf("--tools: %w", err)
	}
	options.Commands = append(options.Commands, commands...)
	return nil
}

// toolTimeout is the shell's own for a model's call of a tool.
func toolTimeout(shells time.Duration) time.Duration {
	switch {
	case shells == 0:
		return shell.DefaultTimeout
	case shells < 0:
		return 0
	}
	return shells
}

// hostDirectory is where a session of the shell is on the host.
func (h *hostPrograms) hostDirectory(agent, session, mount, directory string) (string, error) {
	if h.shell == nil {
		return "", nil
	}
	at := h.shell.Directory(agent, session)
	relative, err := filepath.Rel(filepath.FromSlash(mount), filepath.FromSlash(at))
	scratch := func(name string) bool { return name == "/tmp" || strings.HasPrefix(name, "/tmp/") }
	if err != nil || !filepath.IsLocal(relative) || scratch(at) && !scratch(mount) {
		return "", fmt.Errorf("the shell's directory %s exists only in the shell: cd elsewhere first", at)
	}
	return filepath.Join(directory, relative), nil
}

// taken reports names that a command has already.
func taken(own []shell.Command) func(name string) bool {
	names := map[string]bool{}
	for _, c := range append(shell.Builtins(), own...) {
		names[c.Name] = true
	}
	return func(name string) bool { return names[name] || shell.IsReserved(name) }
}

func (h *hostPrograms) close() {
	if h.open != nil {
		h.open.Close()
	}
}

func (h *hostPrograms) command(allow, directory string) (shell.Command, error) {
	name, path, given := strings.Cut(allow, "=")
	if !given {
		var err error
		if path, err = exec.LookPath(name); err != nil {
			return shell.Command{}, fmt.Errorf("%s: no such program", name)
		}
		if path, err = filepath.Abs(path); err != nil {
			return shell.Command{}, err
		}
	}
	o := &shell.ExternalOptions{
		Name: name, Path: path, Directory: directory, FollowWorkingDirectory: true,
		Environment: append([]string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8"}, h.environment...),
	}
	if name == "git" && h.policy != nil {
		o.Allow = h.policy
		o.Environment = append(external.GitEnvironment(os.DevNull, "vsh", "vsh@localhost"), h.environment...)
	}
	return shell.External(o)
}
