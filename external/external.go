// Package external makes commands of host programs: a fixed binary, an exact
// environment, a question before each run, and an end to every run.
package external

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// DefaultGrace is what a program gets between TERM and KILL, and to finish its
// output after its end.
const DefaultGrace = 2 * time.Second

// endsWithin is what the system may take to end a program that is killed.
const endsWithin = time.Second

// Options describe one host program.
type Options struct {
	// Name is what scripts call it, one word. Required.
	Name string
	// Path is the binary's absolute host path. Required; New checks that it is
	// an executable file.
	Path string
	// Directory is the host directory the program runs in, absolute. Required.
	// The program sees the host's files there, not the workspace; the shell's
	// cd does not move it unless FollowWorkingDirectory is set.
	Directory string
	// FollowWorkingDirectory says that Directory is the host path of the
	// workspace's root: the program runs in the host directory that matches the
	// shell's. One that exists only in the shell, or that a link leads out of
	// Directory, fails the run. On Linux the directory is held open from the
	// check to the start; elsewhere it is named again in between.
	FollowWorkingDirectory bool
	// Environment is the program's whole environment as NAME=value; nothing of
	// the host's or the script's is added.
	Environment []string
	// EnvironmentFor, if set, gives Environment anew for each run, for the host
	// directory it starts in.
	EnvironmentFor func(hostDirectory string) []string
	// Allow is asked before each run with a copy of the arguments, without the
	// name. Its error refuses the run: the text goes to stderr, the status is 1.
	// It is called concurrently.
	Allow func(arguments []string) error
	// AllowCall is Allow for those who need more than the arguments. Both are
	// asked when both are set.
	AllowCall func(ctx context.Context, call *Call) error
	// Timeout bounds one run, which then ends with status 124 and its process
	// group is killed; zero means only the shell's own.
	Timeout time.Duration
	// Grace is DefaultGrace when zero. A shell's run ends that much later than
	// its own limit where a program ignores TERM.
	Grace time.Duration
	// Summary is the tool description's line, "host program PATH" when empty.
	Summary string
	// Stage, for a workspace whose changes are not on disk (an overlay), is
	// asked to write them out before a run and to read the disk again after it.
	// Without it the program sees the disk as it is.
	Stage Stage
}

// Stage keeps the disk and a workspace over it the same around a run. One program's
// calls do not overlap, its runs may; an error of Before refuses the run.
type Stage interface {
	Before(ctx context.Context) error
	After(ctx context.Context) error
}

// Call is one run about to start.
type Call struct {
	Arguments []string
	// Directory is the shell's, absolute; HostDirectory where the program will run.
	Directory, HostDirectory string
	Environment              []string
}

// New makes the command. It fails on options that cannot work, naming the field.
func New(options *Options) (command.Command, error) {
	if options == nil {
		return command.Command{}, errors.New("external: Options is nil")
	}
	o := *options
	o.Environment = append([]string{}, options.Environment...)
	if err := o.check(); err != nil {
		return command.Command{}, fmt.Errorf("external: Options.%w", err)
	}
	if o.Summary == "" {
		o.Summary = "host program " + o.Path
	}
	if o.Grace == 0 {
		o.Grace = DefaultGrace
	}
	p := &program{Options: o, stage: make(chan struct{}, 1)}
	return command.Command{Name: o.Name, Summary: o.Summary, Run: p.run, Grace: o.Grace + endsWithin}, nil
}

func (o *Options) check() error {
	if o.Name == "" || strings.ContainsAny(o.Name, " \t\r\n/\x00") {
		return fmt.Errorf("Name %q is not one word", o.Name)
	}
	if !filepath.IsAbs(o.Path) {
		return fmt.Errorf("Path %q is not absolute", o.Path)
	}
	info, err := os.Stat(o.Path)
	if err != nil {
		return fmt.Errorf("Path: %w", err)
	}
	if !info.Mode().IsRegular() || !executable(info) {
		return fmt.Errorf("Path %q is no executable file", o.Path)
	}
	if !filepath.IsAbs(o.Directory) {
		return fmt.Errorf("Directory %q is not absolute", o.Directory)
	}
	for _, pair := range o.Environment {
		if name, _, ok := strings.Cut(pair, "="); !ok || name == "" || strings.ContainsRune(pair, 0) {
			return fmt.Errorf("Environment: %q is not NAME=value", pair)
		}
	}
	return nil
}

// program is the command's state, shared by all its runs.
type program struct {
	Options
	stage chan struct{} // taken by the run whose Stage is called
}

func (p *program) run(ctx context.Context, i *command.Invocation) error {
	directory, err := p.locate(ctx, i)
	if err == nil && p.Stage == nil {
		err = directory.open(i)
	}
	defer directory.close()
	if err != nil {
		return err
	}
	environment := p.Environment
	if p.EnvironmentFor != nil {
		environment = p.EnvironmentFor(directory.host)
	}
	if err := p.ask(ctx, i, directory.host, environment); err != nil {
		return err
	}
	if host := i.Host(); host != nil {
		if err := host.Charge(2*outputBlock + inputBlock); err != nil {
			return err
		}
		defer host.Release(2*outputBlock + inputBlock)
	}
	if p.Stage != nil {
		if err := p.staging(ctx, p.Stage.Before); err != nil {
			return err
		}
		// It may have been made on the disk just now.
		if err := directory.open(i); err != nil {
			return err
		}
	}
	process := &Process{
		Path: p.Path, Name: p.Name, Arguments: i.Arguments, Environment: environment, Directory: directory.start,
		Timeout: p.Timeout, Grace: p.Grace, Stdin: i.Stdin, Stdout: i.Stdout, Stderr: i.Stderr,
	}
	status, err := process.Run(ctx)
	if p.Stage != nil {
		// The run may be over because ctx is; the workspace must still see it.
		if after := p.staging(context.WithoutCancel(ctx), p.Stage.After); after != nil && err == nil {
			err = after
		}
	}
	if err != nil {
		return err
	}
	if status != 0 {
		return command.ExitError(status)
	}
	return nil
}

// staging is one call of the Stage. Runs themselves go on at once: a pipeline
// may have two of one program.
func (p *program) staging(ctx context.Context, call func(context.Context) error) error {
	select {
	case p.stage <- struct{}{}:
		defer func() { <-p.stage }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := call(ctx); err != nil {
		return fmt.Errorf("staging: %w", err)
	}
	return nil
}

// ask puts the run to the hooks, each with its own copy.
func (p *program) ask(ctx context.Context, i *command.Invocation, host string, environment []string) error {
	if p.Allow != nil {
		if err := p.Allow(append([]string{}, i.Arguments...)); err != nil {
			return err
		}
	}
	if p.AllowCall == nil {
		return nil
	}
	return p.AllowCall(ctx, &Call{
		Arguments: append([]string{}, i.Arguments...), Directory: "/" + i.Directory,
		HostDirectory: host, Environment: append([]string{}, environment...),
	})
}

// place is where a run starts: the name to start in may be a descriptor's.
type place struct {
	host, start    string
	root, relative string // to open, if it is to be held
	file           *os.File
}

func (d *place) close() {
	if d.file != nil {
		d.file.Close()
	}
}

// locate finds the directory's name on the host and opens nothing.
func (p *program) locate(ctx context.Context, i *command.Invocation) (*place, error) {
	if !p.FollowWorkingDirectory {
		return &place{host: p.Directory, start: p.Directory}, nil
	}
	onlyHere := fmt.Errorf("/%s: the directory exists only in the shell", i.Directory)
	mount := "/"
	if host := i.Host(); host != nil {
		mount = host.MountPoint()
	}
	resolved := "/" + i.Directory
	if view := i.View(); view != nil {
		var err error
		if resolved, err = view.Realpath(ctx, ".", vfs.MissingNone); err != nil {
			return &place{}, fmt.Errorf("/%s: %s", i.Directory, vfs.Words(err))
		}
		// /tmp and other mounts may lie inside the workspace's path: the host's
		// directory of that name is another.
		at, err := view.MountPoint(ctx, ".")
		if err != nil {
			return &place{}, fmt.Errorf("/%s: %s", i.Directory, vfs.Words(err))
		}
		if at != path.Clean(mount) {
			return &place{}, onlyHere
		}
	}
	relative, ok := below(resolved, mount)
	if !ok {
		return &place{}, onlyHere
	}
	relative = filepath.FromSlash(relative)
	return &place{root: p.Directory, relative: relative, host: filepath.Join(p.Directory, relative)}, nil
}

// open holds the directory until close.
func (d *place) open(i *command.Invocation) (err error) {
	if d.root == "" {
		return nil
	}
	d.start, d.file, err = openBelow(d.root, d.relative)
	switch {
	case err == nil, errors.Is(err, errRoot):
		return err
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("/%s: the directory exists only in the shell", i.Directory)
	case errors.Is(err, vfs.ENOTDIR):
		return fmt.Errorf("/%s: Not a directory", i.Directory)
	}
	return fmt.Errorf("/%s: the directory is not inside the workspace on the host", i.Directory)
}

// errRoot tells a workspace that has gone from a directory of it.
var errRoot = errors.New("the host directory cannot be opened")

// OpenBelow opens a directory below root, which no link may lead out of, and gives
// a name of it for Process.Directory that, on Linux, stays its own until close.
func OpenBelow(root, relative string) (name string, close func() error, err error) {
	name, f, err := openBelow(root, relative)
	if err != nil {
		return "", nil, err
	}
	return name, f.Close, nil
}

func openBelow(directory, relative string) (start string, f *os.File, err error) {
	root, err := os.OpenRoot(directory)
	if err != nil {
		return "", nil, fmt.Errorf("%w: %s", errRoot, vfs.Words(err))
	}
	defer root.Close()
	if f, err = root.Open(relative); err != nil {
		return "", nil, err
	}
	if info, err := f.Stat(); err != nil || !info.IsDir() {
		f.Close()
		return "", nil, vfs.ENOTDIR
	}
	return descriptorPath(f, filepath.Join(directory, relative)), f, nil
}

// below gives name relative to directory, "." for itself.
func below(name, directory string) (string, bool) {
	name, directory = path.Clean(name), path.Clean(directory)
	switch {
	case name == directory:
		return ".", true
	case directory == "/":
		return strings.TrimPrefix(name, "/"), true
	}
	return strings.CutPrefix(name, directory+"/")
}
