package builtins

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/vfs"
)

// lnCommand is one run of ln.
type lnCommand struct {
	*call
	backup                    backups
	symbolic, force, ask      bool
	noDereference, logical    bool
	relative, verbose, direct bool
	made                      map[copyInode]string
}

func lnRun(c *call) error {
	l := &lnCommand{call: c, made: map[copyInode]string{}}
	var o targetOptions
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'b', cpBackup:
			l.backup.wanted = true
			if p.HasValue {
				l.backup.control = p.Value
			}
		case 'd', 'F':
			l.direct = true
		case 'f':
			l.force, l.ask = true, false
		case 'i':
			l.force, l.ask = false, true
		case 'L':
			l.logical = true
		case 'n':
			l.noDereference = true
		case 'P':
			l.logical = false
		case 'r':
			l.relative = true
		case 's':
			l.symbolic = true
		case 'S':
			l.backup.wanted, l.backup.suffix = true, p.Value
		case 't':
			if o.hasDirectory {
				return c.fatalf("multiple target directories specified")
			}
			o.directory, o.hasDirectory = p.Value, true
		case 'T':
			o.noDirectory = true
		case 'v':
			l.verbose = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := l.check(operands, &o); err != nil {
		return err
	}
	return l.all(operands, &o)
}

// check refuses what the options or operands make impossible.
func (l *lnCommand) check(operands []string, o *targetOptions) error {
	if len(operands) == 0 {
		return l.usageErrorf("missing file operand")
	}
	if l.relative && !l.symbolic {
		return l.fatalf("cannot do --relative without --symbolic")
	}
	if o.noDirectory {
		switch {
		case o.hasDirectory:
			return l.fatalf("cannot combine --target-directory and --no-target-directory")
		case len(operands) < 2:
			return l.usageErrorf("missing destination file operand after %s", quoteName(operands[0]))
		case len(operands) > 2:
			return l.usageErrorf("extra operand %s", quoteName(operands[2]))
		}
	}
	return l.backup.settle(l.call)
}

func (l *lnCommand) all(operands []string, o *targetOptions) error {
	directory, into := o.directory, o.hasDirectory
	switch {
	case o.noDirectory:
	case o.hasDirectory:
		if err := l.isTargetDirectory(directory); err != nil {
			if vfs.Errno(err) == vfs.ENOTDIR {
				return l.fatalf("target %s is not a directory", quoteName(directory))
			}
			return l.fatalf("failed to access %s: %s", quoteName(directory), vfs.Words(err))
		}
	case len(operands) == 1:
		directory, into = ".", true
	default:
		last := operands[len(operands)-1]
		err := l.isTargetDirectory(last)
		if err == nil {
			directory, into, operands = last, true, operands[:len(operands)-1]
		} else if len(operands) > 2 {
			return l.fatalf("target %s: %s", quoteName(last), vfs.Words(err))
		}
	}
	if !into {
		l.one(operands[0], operands[1])
		return l.ctx.Err()
	}
	for _, target := range operands {
		if err := l.ctx.Err(); err != nil {
			return err
		}
		trimmed := stripSlashes(target)
		l.one(target, walkJoinBase(directory, trimmed[strings.LastIndexByte(trimmed, '/')+1:]))
	}
	return nil
}

// isTargetDirectory is isDirectory, but with -n a link to one is none.
func (l *lnCommand) isTargetDirectory(name string) error {
	if l.noDereference {
		if info, err := l.View().Lstat(l.ctx, name); err == nil && info.FileMode&fs.ModeSymlink != 0 {
			return vfs.ENOTDIR
		}
	}
	return l.isDirectory(name)
}

// one makes one link.
func (l *lnCommand) one(target, name string) {
	var source *vfs.Info
	if !l.symbolic {
		var err error
		if l.logical {
			source, err = l.View().Stat(l.ctx, target)
		} else {
			source, err = l.View().Lstat(l.ctx, target)
		}
		if err != nil {
			l.errorf("failed to access %s: %s", quoteName(target), vfs.Words(err))
			return
		}
		if source.IsDir() && !l.direct {
			l.errorf("%s: hard link not allowed for directory", quoteFile(target))
			return
		}
	}
	text := target
	if l.relative {
		text = l.relativeTo(target, name)
	}
	backup, proceed := l.clear(target, name, source)
	if !proceed {
		return
	}
	if err := l.make(text, name); err != nil {
		l.failed(target, text, name, err)
		if backup != "" {
			if err := l.View().Rename(l.ctx, backup, name, false); err != nil {
				l.errorf("cannot un-backup %s: %s", quoteName(name), vfs.Words(err))
			}
		}
		return
	}
	if info, err := l.View().Lstat(l.ctx, name); err == nil && !l.symbolic {
		l.made[copyID(info)] = name
	}
	if !l.verbose {
		return
	}
	if backup != "" {
		fmt.Fprintf(l.out, "%s ~ ", quoteName(backup))
	}
	arrow := " => "
	if l.symbolic {
		arrow = " -> "
	}
	fmt.Fprintf(l.out, "%s%s%s\n", quoteName(name), arrow, quoteName(text))
}

func (l *lnCommand) make(text, name string) error {
	if l.symbolic {
		return l.View().Symlink(l.ctx, text, name)
	}
	return l.View().Link(l.ctx, text, name, l.logical)
}

// clear deals with what is at name: backed up, asked about, removed.
func (l *lnCommand) clear(target, name string, source *vfs.Info) (backup string, proceed bool) {
	if !l.force && !l.ask && l.backup.kind == noBackups {
		return "", true
	}
	there, err := l.View().Lstat(l.ctx, name)
	if err != nil {
		if vfs.Errno(err) != vfs.ENOENT {
			l.errorf("failed to access %s: %s", quoteName(name), vfs.Words(err))
			return "", false
		}
		return "", true
	}
	if l.force || l.ask {
		x := &copier{call: l.call}
		if source == nil {
			source, _ = l.View().Stat(l.ctx, target)
		}
		// A link to itself would be left when its target is gone.
		if source != nil && vfs.SameFile(source, there) && (source.Links == 1 || x.sameName(target, name)) && (!l.symbolic || there.FileMode&fs.ModeSymlink == 0) {
			l.errorf("%s and %s are the same file", quoteName(target), quoteName(name))
			return "", false
		}
	}
	if there.IsDir() {
		l.errorf("%s: cannot overwrite directory", quoteFile(name))
		return "", false
	}
	if made, seen := l.made[copyID(there)]; seen && path.Clean(made) == path.Clean(name) {
		l.errorf("will not overwrite just-created %s with %s", quoteName(name), quoteName(target))
		return "", false
	}
	if l.ask && !l.confirm("replace %s? ", quoteName(name)) {
		return "", false
	}
	if l.backup.kind != noBackups {
		if backup, err = l.backup.move(l.call, name); err != nil {
			l.errorf("cannot backup %s: %s", quoteName(name), vfs.Words(err))
			return "", false
		}
		return backup, true
	}
	if err := l.View().Unlink(l.ctx, name); err != nil && vfs.Errno(err) != vfs.ENOENT {
		l.errorf("cannot remove %s: %s", quoteName(name), vfs.Words(err))
		return "", false
	}
	return "", true
}

func (l *lnCommand) failed(target, text, name string, err error) {
	errno := vfs.Errno(err)
	switch {
	case l.ctx.Err() != nil:
	case l.symbolic && (errno == vfs.ENAMETOOLONG || text == ""):
		l.errorf("failed to create symbolic link %s -> %s: %s", quoteName(name), quoteName(text), vfs.Words(err))
	case l.symbolic:
		l.errorf("failed to create symbolic link %s: %s", quoteName(name), vfs.Words(err))
	case errno == vfs.EMLINK:
		l.errorf("failed to create hard link to %.0s%s: %s", name, quoteName(target), vfs.Words(err))
	case errno == vfs.EEXIST || errno == vfs.ENOSPC || errno == vfs.EROFS:
		l.errorf("failed to create hard link %s: %s", quoteName(name), vfs.Words(err))
	default:
		l.errorf("failed to create hard link %s => %s: %s", quoteName(name), quoteName(target), vfs.Words(err))
	}
}

// relativeTo is target as seen from name's directory.
func (l *lnCommand) relativeTo(target, name string) string {
	from, err := l.View().Realpath(l.ctx, path.Dir(name), vfs.MissingAny)
	if err != nil {
		return target
	}
	to, err := l.View().Realpath(l.ctx, target, vfs.MissingAny)
	if err != nil {
		return target
	}
	return relativePath(from, to)
}

// relativePath is the way from a clean absolute directory to another path.
func relativePath(from, to string) string {
	if from == to {
		return "."
	}
	a, b := strings.Split(strings.Trim(from, "/"), "/"), strings.Split(strings.Trim(to, "/"), "/")
	if from == "/" {
		a = nil
	}
	if to == "/" {
		b = nil
	}
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	var parts []string
	for range a[same:] {
		parts = append(parts, "..")
	}
	return strings.Join(append(parts, b[same:]...), "/")
}

// linkRun is link(1): one link(2) call.
func linkRun(c *call) error {
	operands, err := c.parse(nil)
	if err != nil {
		return err
	}
	switch len(operands) {
	case 0:
		return c.usageErrorf("missing operand")
	case 1:
		return c.usageErrorf("missing operand after %s", quote(operands[0]))
	case 2:
	default:
		return c.usageErrorf("extra operand %s", quote(operands[2]))
	}
	if err := c.View().Link(c.ctx, operands[0], operands[1], false); err != nil {
		return c.fatalf("cannot create link %s to %s: %s", quoteName(operands[1]), quoteName(operands[0]), vfs.Words(err))
	}
	return nil
}

// unlinkRun is unlink(1): one unlink(2) call.
func unlinkRun(c *call) error {
	operands, err := c.parse(nil)
	if err != nil {
		return err
	}
	switch len(operands) {
	case 0:
		return c.usageErrorf("missing operand")
	case 1:
	default:
		return c.usageErrorf("extra operand %s", quote(operands[1]))
	}
	if err := c.View().Unlink(c.ctx, operands[0]); err != nil {
		return c.fatalf("cannot unlink %s: %s", quoteName(operands[0]), vfs.Words(err))
	}
	return nil
}

func lnProgram(string) *program {
	return &program{
		usage: `ln [OPTION]... [-T] TARGET LINK_NAME
       ln [OPTION]... TARGET
       ln [OPTION]... TARGET... DIRECTORY
       ln [OPTION]... -t DIRECTORY TARGET...
Link LINK_NAME to TARGET, or each TARGET in DIRECTORY (the working directory).

  -b, --backup[=CONTROL]      keep what would be replaced (none, numbered, existing, simple)
  -d, -F, --directory         try hard links to directories
  -f, --force                 replace existing names
  -i, --interactive           ask before replacing
  -L, --logical               follow TARGETs that are links
  -n, --no-dereference        LINK_NAME is a name even if it is a link to a directory
  -P, --physical              hard links to links themselves
  -r, --relative              with -s, targets as seen from the link
  -s, --symbolic              symbolic links rather than hard ones
  -S, --suffix=SUFFIX         of backups
  -t, --target-directory=DIRECTORY
  -T, --no-target-directory   LINK_NAME is a name always
  -v, --verbose               say what is linked`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: cpBackup, Long: "backup", Argument: getopt.Optional}, {Key: 'b'}, {Key: 'd', Long: "directory"}, {Key: 'F'},
			{Key: 'n', Long: "no-dereference"}, {Key: 'T', Long: "no-target-directory"}, {Key: 'f', Long: "force"},
			{Key: 'i', Long: "interactive"}, {Key: 'S', Long: "suffix", Argument: getopt.Required},
			{Key: 't', Long: "target-directory", Argument: getopt.Required}, {Key: 'L', Long: "logical"}, {Key: 'P', Long: "physical"},
			{Key: 'r', Long: "relative"}, {Key: 's', Long: "symbolic"}, {Key: 'v', Long: "verbose"},
		}},
		run: lnRun,
	}
}

func linkProgram(string) *program {
	return &program{usage: "link FILE1 FILE2\nMake FILE2 another name of FILE1.", run: linkRun}
}

func unlinkProgram(string) *program {
	return &program{usage: "unlink FILE\nRemove the name FILE.", run: unlinkRun}
}
