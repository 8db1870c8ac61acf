package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/vsh-project/vsh/shell"
)

const help = `Usage: vsh [OPTION]... -c SCRIPT [NAME [ARGUMENT]...]
       vsh [OPTION]... FILE [ARGUMENT]...
       vsh [OPTION]...                     (a script on standard input)
       vsh mcp|tool [OPTION]...            (see vsh mcp --help)

Run a bash script over a virtual filesystem, with nothing of the host but DIR.

  --root DIR          the workspace (empty without); what the script
                      changes stays in memory (1 GiB at most) and is dropped
  --write, --commit   write through to DIR, or at the end if the status is 0
  --changes[=FILE]    list the changed paths on standard error, or in FILE
  --diff[=FILE]       the same as a patch for git apply
  --mount-point PATH  where the workspace appears (/)
  --hide-hidden       hide names that start with "." or "_"
  --env NAME=VALUE    set an exported variable (repeatable)
  --user NAME:UID:GID who the script is (agent:1000:1000); 0 is the superuser
  --timeout DURATION  stop the script after that long, status 124 (2m; 0: never)
  --max-output BYTES  keep the first and last half of each stream (suffix K, M)
  --json              print the whole result as one JSON object
  --allow NAME[=PATH] let scripts run that host program in DIR (repeatable);
                      without --write the script cannot change files then
  --allow-policy NAME git-read or git-commit: what --allow git may do
  --allow-env NAME=V  a variable for the allowed programs (repeatable)
  --tools DIR         add a directory of tools as commands, and as "tool NAME"
  --tools-replace NAME  let that tool take a command's name (repeatable)
  --help, --version   print this, or the version

Bash's own -e -u -x -n -v -f -a -C -E -T, -o OPTION, +LETTER, +o OPTION and -s
work. FILE is read from the host; only its text enters the sandbox.
The exit status is the script's; 2 for a wrong usage, 130 after Ctrl-C.
`

var (
	errHelp    = errors.New("help")
	errVersion = errors.New("version")
)

// arguments is what the command line says.
type arguments struct {
	workspace
	mountPoint   string
	hide         bool
	env          []string
	identity     *shell.Identity
	timeout      time.Duration
	maxOutput    int
	maxOutputSet bool
	json         bool
	host         hostPrograms

	flags    []string
	command  bool // -c
	standard bool // -s
	operands []string
}

func parseArguments(args []string) (*arguments, error) {
	o := &arguments{}
	for len(args) > 0 {
		arg := args[0]
		var err error
		switch {
		case arg == "--" || arg == "-":
			o.operands = args[1:]
			return o, o.check()
		case strings.HasPrefix(arg, "--"):
			args, err = o.long(arg, args[1:])
		case len(arg) > 1 && (arg[0] == '-' || arg[0] == '+'):
			args, err = o.short(arg, args[1:])
		default:
			o.operands = args
			return o, o.check()
		}
		if err != nil {
			return nil, err
		}
	}
	return o, o.check()
}

func (o *arguments) check() error {
	if o.command && len(o.operands) == 0 {
		return errors.New("-c: option requires an argument")
	}
	if err := o.workspace.check(o.host.any()); err != nil {
		return err
	}
	return o.host.check(o.root)
}

// short takes a cluster of bash's single-letter options.
func (o *arguments) short(arg string, rest []string) ([]string, error) {
	sign := arg[:1]
	for _, c := range arg[1:] {
		switch {
		case c == 'c' && sign == "-":
			o.command = true
		case c == 's' && sign == "-":
			o.standard = true
		case c == 'o' || c == 'O':
			if len(rest) == 0 {
				return nil, fmt.Errorf("%s%c: option requires an argument", sign, c)
			}
			o.flags = append(o.flags, sign+string(c), rest[0])
			rest = rest[1:]
		case strings.ContainsRune("abefhkmnptuvxBCEHPT", c):
			o.flags = append(o.flags, sign+string(c))
		default:
			return nil, fmt.Errorf("%s%c: invalid option", sign, c)
		}
	}
	return rest, nil
}

// long takes one of vsh's own options, its value after "=" or as the next word.
func (o *arguments) long(arg string, rest []string) ([]string, error) {
	name, value, has := strings.Cut(arg[2:], "=")
	switch name {
	case "help":
		return nil, errHelp
	case "version":
		return nil, errVersion
	case "write":
		o.write = true
	case "commit":
		o.commit = true
	case "changes", "diff":
		r := &o.changes
		if name == "diff" {
			r = &o.diff
		}
		if err := r.set(value, has); err != nil {
			return nil, fmt.Errorf("--%s: %w", name, err)
		}
		return rest, nil
	case "hide-hidden":
		o.hide = true
	case "json":
		o.json = true
	case "posix":
		o.flags = append(o.flags, "-o", "posix")
	case "norc", "noprofile":
	case "root", "mount-point", "env", "user", "timeout", "max-output", "allow", "allow-policy", "allow-env", "tools", "tools-replace":
		if !has {
			if len(rest) == 0 {
				return nil, fmt.Errorf("--%s: option requires an argument", name)
			}
			value, rest = rest[0], rest[1:]
		}
		if err := o.value(name, value); err != nil {
			return nil, fmt.Errorf("--%s: %w", name, err)
		}
		return rest, nil
	default:
		return nil, fmt.Errorf("--%s: unknown option", name)
	}
	if has {
		return nil, fmt.Errorf("--%s: takes no argument", name)
	}
	return rest, nil
}

func (o *arguments) value(name, value string) (err error) {
	switch name {
	case "root":
		o.root = value
	case "mount-point":
		o.mountPoint = value
	case "allow", "allow-policy", "allow-env", "tools", "tools-replace":
		return o.host.set(name, value)
	case "env":
		if !strings.Contains(value, "=") {
			return fmt.Errorf("%q is not NAME=VALUE", value)
		}
		o.env = append(o.env, value)
	case "user":
		o.identity, err = parseUser(value)
	case "timeout":
		if o.timeout, err = parseDuration(value); err == nil && o.timeout == 0 {
			o.timeout = -1
		}
	case "max-output":
		o.maxOutput, err = parseSize(value)
		o.maxOutputSet = true
	}
	return err
}

func parseUser(s string) (*shell.Identity, error) {
	parts := strings.Split(s, ":")
	if len(parts) != 3 || parts[0] == "" {
		return nil, fmt.Errorf("%q is not NAME:UID:GID", s)
	}
	uid, err1 := strconv.ParseUint(parts[1], 10, 31)
	gid, err2 := strconv.ParseUint(parts[2], 10, 31)
	if err1 != nil || err2 != nil {
		return nil, fmt.Errorf("%q is not NAME:UID:GID", s)
	}
	id := shell.DefaultIdentity()
	id.User, id.Group, id.UID, id.GID = parts[0], parts[0], int(uid), int(gid)
	return id, nil
}

// parseDuration takes Go's form, or a number of seconds.
func parseDuration(s string) (time.Duration, error) {
	if seconds, err := strconv.ParseFloat(s, 64); err == nil && seconds >= 0 && seconds < 1e9 {
		return time.Duration(seconds * float64(time.Second)), nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is not a duration", s)
	}
	return d, nil
}

func parseSize(s string) (int, error) {
	digits, shift := s, 0
	switch {
	case strings.HasSuffix(s, "K"):
		digits, shift = s[:len(s)-1], 10
	case strings.HasSuffix(s, "M"):
		digits, shift = s[:len(s)-1], 20
	}
	n, err := strconv.ParseUint(digits, 10, 31)
	if err != nil || n<<shift > 1<<31-1 {
		return 0, fmt.Errorf("%q is not a number of bytes", s)
	}
	if n == 0 {
		return 0, fmt.Errorf("%q keeps nothing", s)
	}
	return int(n << shift), nil
}

// streamedCopy is what Result keeps of output that has been streamed.
const streamedCopy = 1

func (o *arguments) shellOptions(ctx context.Context, stderr io.Writer) (*shell.Options, error) {
	options := &shell.Options{
		MountPoint: o.mountPoint, HideHiddenPaths: o.hide, Environment: o.env,
		Timeout: o.timeout, MaximumOutputBytes: o.maxOutput, Identity: o.identity,
	}
	switch {
	case o.maxOutputSet:
	case o.json:
		options.MaximumOutputBytes = -1
	default:
		options.MaximumOutputBytes = streamedCopy
	}
	var err error
	options.RecordChanges = o.json || o.changes.wanted && o.write
	if options.Storage, err = o.workspace.open(o.host.any()); err != nil {
		return nil, err
	}
	return options, o.host.apply(ctx, o.root, options, stderr)
}

func (o *arguments) request(stdin io.Reader) (*shell.Request, error) {
	r := &shell.Request{Flags: o.flags, Stdin: stdin}
	switch {
	case o.command:
		r.Script = o.operands[0]
		if len(o.operands) > 1 {
			r.Name, r.Arguments = o.operands[1], o.operands[2:]
		}
	case len(o.operands) > 0 && !o.standard:
		text, err := os.ReadFile(o.operands[0])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.operands[0], errors.Unwrap(err))
		}
		r.Script, r.Name, r.File, r.Arguments = string(text), o.operands[0], true, o.operands[1:]
	default:
		text, err := io.ReadAll(stdin)
		if err != nil {
			return nil, fmt.Errorf("standard input: %w", err)
		}
		r.Script, r.Stdin, r.Name, r.File, r.Arguments = string(text), nil, "bash", true, o.operands
	}
	return r, nil
}
