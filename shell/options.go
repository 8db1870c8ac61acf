package shell

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// Defaults of Options.
const (
	DefaultTimeout            = 2 * time.Minute
	DefaultMaximumOutputBytes = 32 << 10
	DefaultToolName           = "shell"
	// DefaultMaximumToolTimeout is the longest a call of the tool may ask for.
	DefaultMaximumToolTimeout = 10 * time.Minute
	// DefaultExitGrace is what background jobs get when their script has ended.
	DefaultExitGrace = 500 * time.Millisecond
	// DefaultMemory bounds what a script makes the shell hold, in bytes.
	DefaultMemory = 128 << 20
)

// Options configure a Shell. Storage is the only one that is required.
type Options struct {
	// Storage is the workspace, shown at MountPoint. Required.
	Storage vfs.Storage
	// MountPoint is the absolute path of the workspace, "/" when empty. Scripts
	// start there. Every other path is missing but /tmp, /dev, Mounts and the
	// commands in /usr/bin and /bin. It must not be /tmp, /dev or below /dev.
	MountPoint string
	// Policy, if set, is asked before any path of the workspace is touched; its
	// paths are the shell's. Nil lets everything through.
	Policy vfs.Policy
	// Mounts are storages beside the workspace.
	Mounts []Mount
	// RecordChanges fills Result.Changes. It costs a look at each path that a
	// run changes, before and after, and memory of the budget for each.
	RecordChanges bool
	// Sync makes sed -i, sort -o and whatever else replaces a whole file wait
	// until its content has reached the disk.
	Sync bool
	// HideHiddenPaths hides workspace names that start with "." or "_" from
	// listings and from use by name: as typed and as resolved through links.
	HideHiddenPaths bool
	// Commands are added to Builtins; one with the name of a built-in replaces
	// it. Names are unique and not those of keywords or shell builtins.
	Commands []Command
	// Environment holds the exported variables a session starts with, as
	// NAME=value. The host's environment is never passed. HOME defaults to
	// MountPoint, PATH to /usr/bin:/bin.
	Environment []string
	// Timeout bounds one Run, which then ends with status 124; zero means
	// DefaultTimeout, negative none.
	Timeout time.Duration
	// MaximumOutputBytes bounds Result.Output, Stdout and Stderr each: the
	// first and the last half are kept, the middle is replaced by a marker that
	// counts against the bound. Zero means DefaultMaximumOutputBytes, negative
	// keeps everything (charged to Limits.Memory).
	MaximumOutputBytes int
	// ToolName is the name Register gives the tool, DefaultToolName when empty.
	ToolName string
	// MaximumToolTimeout caps the timeout that a call of the tool may ask for;
	// zero means DefaultMaximumToolTimeout. Timeout itself may be longer.
	MaximumToolTimeout time.Duration
	// StripEscapes takes terminal escape sequences (colours, cursor moves) out
	// of what the tool gives.
	StripEscapes bool

	// Identity is who the scripts are; nil means DefaultIdentity.
	Identity *Identity
	// Clock is the script's time, time.Now when nil; Random its random bytes,
	// crypto/rand when nil. Both are called concurrently.
	Clock  func() time.Time
	Random io.Reader
	// Limits bound what a script may use; a zero field means its default.
	Limits Limits
	// ExitGrace is how long background jobs may go on once their script has
	// ended, before they are terminated; zero means DefaultExitGrace.
	ExitGrace time.Duration
	// PanicHook, if set, is told of a panic in a command or in the shell
	// itself, which the script sees as an internal error with status 2. It is
	// called concurrently.
	PanicHook func(value any, stack []byte)
}

// Identity is what a script can learn about where and as whom it runs. Nothing
// of it comes from the host.
type Identity struct {
	User, Group string
	UID, GID    int
	Groups      []int
	Host        string
}

// DefaultIdentity is the unprivileged user agent on the host vsh.
func DefaultIdentity() *Identity {
	return &Identity{User: "agent", Group: "agent", UID: 1000, GID: 1000, Host: "vsh"}
}

// Limits bound one Shell. Reaching one ends the script with a line that names
// it; the next Run works.
type Limits struct {
	// Memory is the budget in bytes that variables, expansions, pipes,
	// here-documents, command buffers, captured output and /tmp draw from:
	// DefaultMemory.
	Memory int64
	// Source is the size of a script in bytes (1 MiB); Nesting the depth of its
	// constructs (1,000).
	Source, Nesting int
	// CallDepth counts functions, eval, source, traps and command
	// substitutions inside one another (10,000).
	CallDepth int
	// Descriptors (1,024) and Processes (4,096) are those alive at once.
	Descriptors, Processes int
}

// Command, Invocation and ExitError are package command's.
type (
	Command    = command.Command
	Invocation = command.Invocation
	ExitError  = command.ExitError
)

// keywords and shellBuiltins are names that a registered command could never
// be reached by.
var (
	keywords      = [...]string{"!", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in", "select", "then", "time", "until", "while", "{", "}"}
	shellBuiltins = [...]string{
		".", ":", "[", "alias", "bg", "bind", "break", "builtin", "caller", "cd", "command", "compgen", "complete", "compopt", "continue",
		"declare", "dirs", "disown", "echo", "enable", "eval", "exec", "exit", "export", "false", "fc", "fg", "getopts", "hash", "help",
		"history", "jobs", "kill", "let", "local", "logout", "mapfile", "popd", "printf", "pushd", "pwd", "read", "readarray", "readonly",
		"return", "set", "shift", "shopt", "source", "suspend", "test", "times", "trap", "true", "type", "typeset", "ulimit", "umask",
		"unalias", "unset", "wait",
	}
)

// settings are Options checked and with their defaults.
type settings struct {
	Options
	*commandSet
	mount    string
	identity Identity
}

func newSettings(o *Options) (*settings, error) {
	if o == nil {
		return nil, errors.New("shell: Options is nil")
	}
	s := &settings{Options: *o}
	if o.Storage == nil {
		return nil, errors.New("shell: Options.Storage is required")
	}
	s.mount = o.MountPoint
	if s.mount == "" {
		s.mount = "/"
	}
	if !path.IsAbs(s.mount) {
		return nil, fmt.Errorf("shell: Options.MountPoint %q is not absolute", o.MountPoint)
	}
	if strings.ContainsRune(s.mount, 0) {
		return nil, fmt.Errorf("shell: Options.MountPoint %q holds a NUL", o.MountPoint)
	}
	s.mount = path.Clean(s.mount)
	if isOwnPath(s.mount) {
		return nil, fmt.Errorf("shell: Options.MountPoint %q is the shell's own", o.MountPoint)
	}
	if err := s.setMounts(); err != nil {
		return nil, err
	}
	for _, pair := range o.Environment {
		name, _, ok := strings.Cut(pair, "=")
		if !ok || !isName(name) || strings.ContainsRune(pair, 0) {
			return nil, fmt.Errorf("shell: Options.Environment: %q is not NAME=value", pair)
		}
	}
	if err := s.setCommands(o.Commands); err != nil {
		return nil, err
	}
	if s.Random == nil {
		s.Random = rand.Reader
	}
	if s.Timeout == 0 {
		s.Timeout = DefaultTimeout
	}
	if s.MaximumOutputBytes == 0 {
		s.MaximumOutputBytes = DefaultMaximumOutputBytes
	}
	if s.ToolName == "" {
		s.ToolName = DefaultToolName
	}
	if s.MaximumToolTimeout == 0 {
		s.MaximumToolTimeout = DefaultMaximumToolTimeout
	}
	if s.MaximumToolTimeout < time.Millisecond {
		return nil, fmt.Errorf("shell: Options.MaximumToolTimeout %v is less than a millisecond", s.MaximumToolTimeout)
	}
	if s.ExitGrace == 0 {
		s.ExitGrace = DefaultExitGrace
	}
	if s.Limits.Memory == 0 {
		s.Limits.Memory = DefaultMemory
	}
	s.identity = *DefaultIdentity()
	if o.Identity != nil {
		s.identity = *o.Identity
	}
	return s, nil
}

// commandSet is a shell's commands; it is not changed once made.
type commandSet struct {
	commands []Command
	byName   map[string]*Command
}

func newCommandSet(commands []Command) *commandSet {
	s := &commandSet{commands, make(map[string]*Command, len(commands))}
	for i := range commands {
		s.byName[commands[i].Name] = &commands[i]
	}
	return s
}

// builtinSet serves every shell that has no commands of its own.
var builtinSet = sync.OnceValue(func() *commandSet { return newCommandSet(Builtins()) })

func (s *settings) setCommands(own []Command) error {
	if len(own) == 0 {
		s.commandSet = builtinSet()
		return nil
	}
	seen := make(map[string]bool, len(own))
	for i, c := range own {
		switch {
		case strings.TrimSpace(c.Name) == "" || strings.ContainsAny(c.Name, " \t\n\x00"):
			return fmt.Errorf("shell: Options.Commands[%d].Name %q is blank or more than one word", i, c.Name)
		case strings.Contains(c.Name, "/"):
			return fmt.Errorf("shell: Options.Commands[%d].Name %q holds a slash", i, c.Name)
		case isOneOf(keywords[:], c.Name):
			return fmt.Errorf("shell: Options.Commands[%d].Name %q is a keyword", i, c.Name)
		case isOneOf(shellBuiltins[:], c.Name):
			return fmt.Errorf("shell: Options.Commands[%d].Name %q is a shell builtin", i, c.Name)
		case seen[c.Name]:
			return fmt.Errorf("shell: Options.Commands[%d].Name %q is a duplicate", i, c.Name)
		case strings.TrimSpace(c.Summary) == "":
			return fmt.Errorf("shell: Options.Commands[%d] (%s): Summary is required", i, c.Name)
		case c.Run == nil:
			return fmt.Errorf("shell: Options.Commands[%d] (%s): Run is required", i, c.Name)
		}
		seen[c.Name] = true
	}
	commands := slices.DeleteFunc(Builtins(), func(c Command) bool { return seen[c.Name] })
	s.commandSet = newCommandSet(append(commands, own...))
	return nil
}

func isOneOf(list []string, name string) bool {
	for _, l := range list {
		if l == name {
			return true
		}
	}
	return false
}

func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// IsReserved reports whether name is a keyword or a shell builtin, which no
// registered command can have.
func IsReserved(name string) bool {
	return isOneOf(keywords[:], name) || isOneOf(shellBuiltins[:], name)
}

// IsTaken reports whether name is reserved or one of Builtins.
func IsTaken(name string) bool {
	if IsReserved(name) {
		return true
	}
	for _, c := range Builtins() {
		if c.Name == name {
			return true
		}
	}
	return false
}
