package builtins

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/internal/walk"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// findAhead is how many directories are listed before their turn.
const findAhead = 16

// findCommand is one run of find.
type findCommand struct {
	*call
	links              walk.Links
	minDepth, maxDepth int
	depthFirst         bool
	depthGiven         bool // by -depth itself, not by -delete
	oneDevice          bool
	ignoreRace         bool
	warnings           bool
	daystart           bool
	filesFrom          string
	hasFilesFrom       bool

	start time.Time
	// day is what -mtime and its kin count from.
	day      time.Time
	location *time.Location

	expression findNode
	// changes is set where an action may change the tree: nothing may be
	// listed ahead then.
	changes bool
	// stats is set where a test needs more than name and type.
	stats   bool
	prunes  bool
	deletes bool
	// prints is set where an action makes the implicit -print go.
	prints  bool
	outputs []*findOutput
	batches []*findBatch
	answers *lines.Reader
	widths  *findListWidths
}

// findFile is the file under examination.
type findFile struct {
	*walk.Entry
	root  string
	prune bool
}

// findNode is a compiled expression.
type findNode func(f *findFile) (bool, error)

// errFindQuit is what -quit ends the walk with.
var errFindQuit = errors.New("quit")

func findRun(c *call) error {
	f := &findCommand{call: c, maxDepth: -1, start: c.Host().Now(), location: c.location()}
	f.day = f.start.Add(-24 * time.Hour)
	roots, rest, err := f.options(c.Arguments)
	if err != nil {
		return err
	}
	if f.expression, err = f.parse(rest); err != nil {
		return err
	}
	if f.hasFilesFrom && len(roots) > 0 {
		c.errorf("extra operand %s", quote(roots[0]))
		return c.fatalf("file operands cannot be combined with -files0-from")
	}
	err = f.walkAll(roots)
	if errors.Is(err, errFindQuit) {
		err = nil
	}
	if err == nil {
		err = f.finish()
	}
	f.close()
	return err
}

// options reads -H, -L, -P, -D and -O, then the start points.
func (f *findCommand) options(args []string) (roots, rest []string, err error) {
options:
	for len(args) > 0 {
		switch arg := args[0]; {
		case arg == "-H":
			f.links = walk.CommandLine
		case arg == "-L":
			f.links = walk.Logical
		case arg == "-P":
			f.links = walk.Physical
		case arg == "-D":
			if err := f.debug(args[1:]); err != nil {
				return nil, nil, err
			}
			args = args[1:]
		case strings.HasPrefix(arg, "-O"):
			level := arg[2:]
			switch {
			case level == "" || level[0] < '0' || level[0] > '9':
				what := "Please specify a decimal number immediately after -O"
				if level == "" {
					what = "The -O option must be immediately followed by a decimal integer"
				}
				return nil, nil, f.fatalf("%s", what)
			case strings.Trim(level, "0123456789") != "":
				return nil, nil, f.fatalf("Invalid optimisation level %s", level)
			}
		case arg == "--":
			args = args[1:]
			break options
		default:
			break options
		}
		args = args[1:]
	}
	n := 0
	for n < len(args) && !findStartsExpression(args[n], true) {
		n++
	}
	return args[:n], args[n:], nil
}

// debug takes the argument of -D, which changes nothing here.
func (f *findCommand) debug(args []string) error {
	switch {
	case len(args) == 0:
		return f.usageErrorf("Missing argument after the -D option.")
	case args[0] == "":
		return f.usageErrorf("Empty argument to the -D option.")
	}
	for flag := range strings.SplitSeq(args[0], ",") {
		switch flag {
		case "exec", "opt", "rates", "search", "stat", "time", "tree", "all":
		case "help":
			return f.fatalf("-D is accepted, but no debugging output is made")
		default:
			f.warnf("Ignoring unrecognised debug flag %s", quote(flag))
		}
	}
	return nil
}

// findStartsExpression reports whether an argument belongs to the expression;
// among the start points ")" and "," do not.
func findStartsExpression(arg string, leading bool) bool {
	switch {
	case arg == ")" || arg == ",":
		return !leading
	case arg == "(" || arg == "!":
		return true
	}
	return len(arg) > 1 && arg[0] == '-'
}

func (f *findCommand) walkAll(roots []string) error {
	if f.hasFilesFrom {
		return f.walkListed()
	}
	if len(roots) == 0 {
		roots = []string{"."}
	}
	for _, root := range roots {
		if err := f.walk(root); err != nil {
			return err
		}
	}
	return nil
}

// walkListed takes the start points from -files0-from.
func (f *findCommand) walkListed() error {
	r, done, err := f.open(f.filesFrom)
	if err != nil {
		return f.fatalf("cannot open %s for reading: %s", quote(f.filesFrom), vfs.Words(err))
	}
	defer done()
	in := lines.NewReader(r, f.Host())
	in.Delim = 0
	defer in.Close()
	for n := 1; ; n++ {
		name, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			name := f.filesFrom
			if name == "-" {
				name = "(standard input)"
			}
			return f.fatalf("%s: read error: %s", quote(name), vfs.Words(err))
		}
		root := strings.TrimSuffix(string(name), "\x00")
		switch {
		case root == "" && f.filesFrom == "-":
			f.errorf("%s:%d: invalid zero-length file name", quote("(standard input)"), n)
		case root == "":
			f.errorf("%s:%d: invalid zero-length file name", quote(f.filesFrom), n)
		default:
			if err := f.walk(root); err != nil {
				return err
			}
		}
	}
}

func (f *findCommand) walk(root string) error {
	options := walk.Options{
		Links: f.links, Stat: f.stats && !f.changes, Post: f.depthFirst, OneDevice: f.oneDevice,
		MaxDepth: f.maxDepth, Bounded: f.maxDepth >= 0, Ahead: findAhead,
	}
	if f.changes {
		options.Ahead = 0
	}
	file := &findFile{root: root}
	err := walk.Walk(f.ctx, f.View(), root, options, func(e *walk.Entry) error {
		file.Entry = e
		return f.visit(file)
	})
	if err == nil {
		err = f.flushDirectories()
	}
	return err
}

func (f *findCommand) visit(file *findFile) error {
	switch file.Kind {
	case walk.Missing:
		if f.ignoreRace && vfs.Errno(file.Err) == vfs.ENOENT && file.Depth > 0 {
			return nil
		}
		f.errorf("%s: %s", quote(file.Path), vfs.Words(file.Err))
		return nil
	case walk.Unreadable:
		f.errorf("%s: %s", quote(file.Path), vfs.Words(file.Err))
		return nil
	case walk.Loop:
		f.errorf("File system loop detected; %s is part of the same file system loop as %s.", quote(file.Path), quote(file.Ancestor))
		return nil
	}
	if file.Depth < f.minDepth || f.depthFirst && file.Kind == walk.Pre && file.IsDir() {
		return nil
	}
	file.prune = false
	if _, err := f.expression(file); err != nil {
		return err
	}
	if file.prune && !f.depthFirst {
		return walk.SkipDir
	}
	return nil
}

// info describes the file; where it is gone meanwhile that is reported and ok
// is false.
func (f *findCommand) info(file *findFile) (info *vfs.Info, ok bool) {
	info, err := file.Info(f.ctx, f.View())
	if err != nil {
		if f.ctx.Err() == nil && !(f.ignoreRace && vfs.Errno(err) == vfs.ENOENT) {
			f.errorf("%s: %s", quote(file.Path), vfs.Words(err))
		}
		return nil, false
	}
	return info, true
}

// finish runs what -exec + has gathered.
func (f *findCommand) finish() error {
	for _, b := range f.batches {
		if err := f.runBatch(b); err != nil {
			return err
		}
	}
	return nil
}

// close ends the files that -fprint and its kin write.
func (f *findCommand) close() {
	for _, o := range f.outputs {
		if err := o.close(); err != nil && f.ctx.Err() == nil {
			f.errorf("%s: %s", quote(o.name), vfs.Words(err))
		}
	}
	if f.answers != nil {
		f.answers.Close()
	}
}

// exec runs a command of the shell and returns its status; one that cannot be
// found is reported, with status -1.
func (f *findCommand) exec(ctx context.Context, request *command.Exec) (int, error) {
	if err := f.out.Flush(); err != nil {
		return 0, f.writeError(err)
	}
	for _, o := range f.outputs {
		o.flush()
	}
	if _, err := f.Host().LookPath(ctx, request.Arguments[0], f.Environment); err != nil {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		f.warnf("%s: %s", quote(request.Arguments[0]), vfs.Words(err))
		return -1, nil
	}
	killedBy := 0
	request.Killed = func(signal int) { killedBy = signal }
	status, err := f.Host().Exec(ctx, request)
	if err == nil && killedBy != 0 {
		f.warnf("%s terminated by signal %d", quote(request.Arguments[0]), killedBy)
	}
	return status, err
}

func findProgram(string) *program {
	return &program{
		usage: `find [-H] [-L] [-P] [-Olevel] [PATH...] [EXPRESSION]
Walk each PATH (the working directory for none) and evaluate the expression for
every file: -print unless an action is given. Operators by precedence: ( ), ! or
-not, -a or -and (also implied), -o or -or, and the comma.

Options: -daystart -depth -files0-from FILE -follow -ignore_readdir_race
  -maxdepth N -mindepth N -mount -noleaf -nowarn -regextype TYPE -warn -xdev
Tests (N is also +N or -N): -amin N -anewer FILE -atime N -cmin N -cnewer FILE
  -ctime N -empty -executable -false -fstype TYPE -gid N -group NAME -ilname PATTERN
  -iname PATTERN -inum N -ipath PATTERN -iregex PATTERN -iwholename PATTERN -links N
  -lname PATTERN -mmin N -mtime N -name PATTERN -newer FILE -newerXY FILE -nogroup
  -nouser -path PATTERN -perm [-/]MODE -readable -regex PATTERN -samefile FILE
  -size N[bcwkMG] -true -type [bcdpflsD] -uid N -used N -user NAME
  -wholename PATTERN -writable -xtype [bcdpfls]
Actions: -delete -exec COMMAND ; -exec COMMAND {} + -execdir COMMAND ;
  -execdir COMMAND {} + -fls FILE -fprint FILE -fprint0 FILE -fprintf FILE FORMAT
  -ls -ok COMMAND ; -okdir COMMAND ; -print -print0 -printf FORMAT -prune -quit`,
		noHelp: true,
		run:    findRun,
	}
}
