package builtins

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/vsh-project/vsh/builtins/internal/filemode"
	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/vfs"
)

const installStrip = 2000

// installCommand is one run of install.
type installCommand struct {
	copier
	directories, leading bool // -d, -D
	compare              bool
	changes              filemode.Changes
	uid, gid             int
	o                    targetOptions
}

func installRun(c *call) error {
	x := &installCommand{copier: copier{call: c, install: true, asRegular: true, removeFirst: true, setMode: true, mode: 0o755, dereference: copyDereferenceAlways}, uid: -1, gid: -1}
	mode, owner, group, strip := "", "", "", false
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'b', cpBackup:
			x.backup.wanted = true
			if p.HasValue {
				x.backup.control = p.Value
			}
		case 'C':
			x.compare = true
		case 'd':
			x.directories = true
		case 'D':
			x.leading = true
		case 'g':
			group = p.Value
		case 'm':
			mode = p.Value
		case 'o':
			owner = p.Value
		case 'p':
			x.keepTimes = true
		case 's':
			strip = true
		case 'S':
			x.backup.wanted, x.backup.suffix = true, p.Value
		case 't':
			if x.o.hasDirectory {
				return c.fatalf("multiple target directories specified")
			}
			x.o.directory, x.o.hasDirectory = p.Value, true
		case 'T':
			x.o.noDirectory = true
		case 'v':
			x.verbose = true
		case cpContext:
			if p.HasValue {
				c.warnf("warning: ignoring --context; it requires an SELinux-enabled kernel")
			}
		case cpPreserveContext:
			c.warnf("WARNING: ignoring --preserve-context; this kernel is not SELinux-enabled")
		}
		return nil
	})
	if err != nil {
		return err
	}
	switch {
	case x.directories && strip:
		return c.fatalf("the strip option may not be used when installing a directory")
	case x.directories && x.o.hasDirectory:
		return c.fatalf("target directory not allowed when installing a directory")
	case strip:
		return c.fatalf("-s is not supported: there is no strip")
	}
	if err := x.backup.settle(c); err != nil {
		return err
	}
	if x.changes, err = installMode(c, mode); err != nil {
		return err
	}
	x.mode = x.changes.Adjust(0, false, 0)
	if err := x.owners(owner, group); err != nil {
		return err
	}
	if x.directories {
		if len(operands) == 0 {
			return c.usageErrorf("missing file operand")
		}
		for _, name := range operands {
			if err := c.ctx.Err(); err != nil {
				return err
			}
			x.directory(name)
		}
		return nil
	}
	if x.leading && x.o.hasDirectory && len(operands) > 0 {
		x.makeAbove(x.o.directory + "/.")
	}
	if x.o.hasDirectory && len(operands) > 0 {
		if err := c.isDirectory(x.o.directory); err != nil {
			return c.fatalf("failed to access %s: %s", quoteName(x.o.directory), vfs.Words(err))
		}
	}
	return c.toTargets(operands, &x.o, func(source, directory string) error {
		trimmed := stripSlashes(source)
		x.put(source, walkJoinBase(directory, trimmed[strings.LastIndexByte(trimmed, '/')+1:]))
		return c.ctx.Err()
	}, func(source, target string) error {
		if x.leading {
			x.makeAbove(target)
		}
		x.put(source, target)
		return c.ctx.Err()
	})
}

func installMode(c *call, mode string) (filemode.Changes, error) {
	if mode == "" {
		return filemode.Absolute(0o755), nil
	}
	changes, ok := filemode.Compile(mode)
	if !ok {
		return nil, c.fatalf("invalid mode %s", quote(mode))
	}
	return changes, nil
}

func (x *installCommand) owners(owner, group string) error {
	id := func(name string, lookup func(string) (int, bool), kind string) (int, error) {
		if name == "" {
			return -1, nil
		}
		if n, ok := lookup(name); ok {
			return n, nil
		}
		n, fault := parseNumber(name, "")
		if fault != numberOK || n >= 1<<32-1 {
			return 0, x.fatalf("invalid %s %s", kind, quote(name))
		}
		return int(n), nil
	}
	var err error
	if x.uid, err = id(owner, x.userID, "user"); err == nil {
		x.gid, err = id(group, x.groupID, "group")
	}
	return err
}

// makeAbove makes the directories above a target; those of -D get the default mode.
func (x *installCommand) makeAbove(target string) bool {
	above := path.Dir(target)
	if strings.HasSuffix(target, "/.") {
		above = stripSlashes(strings.TrimSuffix(target, "/."))
	}
	return x.makeDirectories(above, false)
}

// makeDirectories makes name and what is missing above it; last says that the
// last of them gets the mode and owner asked for.
func (x *installCommand) makeDirectories(name string, last bool) bool {
	fresh := false
	for i := 1; i <= len(name); i++ {
		if i < len(name) && (name[i] != '/' || name[i-1] == '/') {
			continue
		}
		part := name[:i]
		err := x.View().WithUmask(0).Mkdir(x.ctx, part, 0o755)
		fresh = err == nil
		switch {
		case err == nil:
			if x.verbose {
				fmt.Fprintf(x.out, "%s: creating directory %s\n", x.label(), quoteName(part))
			}
		case x.isDirectory(part) == nil:
		default:
			return x.complain("cannot create directory %s: %s", quote(part), vfs.Words(err))
		}
	}
	if !last {
		return true
	}
	if err := x.setDirectoryMode(name, x.changes, 0, 0, fresh); err != nil {
		return x.complain("cannot change permissions of %s: %s", quoteName(name), vfs.Words(err))
	}
	return x.chown(name)
}

func (x *installCommand) directory(name string) {
	if trimmed := stripSlashes(name); trimmed != "" {
		x.makeDirectories(trimmed, true)
	} else {
		x.complain("cannot create directory %s: %s", quote(name), vfs.Words(vfs.ENOENT))
	}
}

func (x *installCommand) chown(name string) bool {
	if x.uid < 0 && x.gid < 0 {
		return true
	}
	if err := x.View().Chown(x.ctx, name, x.uid, x.gid, true); err != nil {
		return x.complain("cannot change ownership of %s: %s", quoteName(name), vfs.Words(err))
	}
	return true
}

// put installs one file.
func (x *installCommand) put(source, target string) {
	if x.compare && x.same(source, target) {
		return
	}
	if x.one(source, target) {
		x.chown(target)
	}
}

// same reports whether -C finds nothing to do: content, mode and owner agree.
func (x *installCommand) same(source, target string) bool {
	from, err := x.View().Lstat(x.ctx, source)
	if err != nil || !from.FileMode.IsRegular() {
		return false
	}
	to, err := x.View().Lstat(x.ctx, target)
	if err != nil || !to.FileMode.IsRegular() || from.Bytes != to.Bytes || filemode.Bits(to.FileMode) != x.mode ||
		x.uid >= 0 && to.UID != x.uid || x.gid >= 0 && to.GID != x.gid {
		return false
	}
	a, err := x.View().Open(x.ctx, source, vfs.O_RDONLY, 0)
	if err != nil {
		return false
	}
	defer a.Close()
	b, err := x.View().Open(x.ctx, target, vfs.O_RDONLY, 0)
	if err != nil {
		return false
	}
	defer b.Close()
	blockA, blockB := make([]byte, lines.BlockSize), make([]byte, lines.BlockSize)
	for x.ctx.Err() == nil {
		n, errA := io.ReadFull(a, blockA)
		m, errB := io.ReadFull(b, blockB)
		if !bytes.Equal(blockA[:n], blockB[:m]) {
			return false
		}
		if errA != nil || errB != nil {
			return errA == errB
		}
	}
	return false
}

func installProgram(string) *program {
	return &program{
		usage: `install [OPTION]... [-T] SOURCE TARGET
       install [OPTION]... SOURCE... DIRECTORY
       install [OPTION]... -t DIRECTORY SOURCE...
       install [OPTION]... -d DIRECTORY...
Copy files in the place of what is there, with mode 755; -d makes directories.

  -b, --backup[=CONTROL], -S, --suffix=SUFFIX  keep what would be replaced
  -c                         accepted
  -C, --compare              leave alone what is the same already
  -d, --directory            make directories, with those above
  -D                         make the directories above TARGET
  -g, --group=GROUP, -o, --owner=OWNER
  -m, --mode=MODE            the mode (as chmod)
  -p, --preserve-timestamps  keep times
  -t, --target-directory=DIRECTORY, -T, --no-target-directory
  -v, --verbose              say what is done
  -s, --strip                refused; --preserve-context, -Z accepted`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: cpBackup, Long: "backup", Argument: getopt.Optional}, {Key: 'b'}, {Key: 'c'}, {Key: 'C', Long: "compare"}, {Key: cpContext, Long: "context", Argument: getopt.Optional}, {Key: 'Z'},
			{Key: 'd', Long: "directory"}, {Key: 'D'}, {Key: 'g', Long: "group", Argument: getopt.Required}, {Key: 'm', Long: "mode", Argument: getopt.Required},
			{Key: 'T', Long: "no-target-directory"}, {Key: 'o', Long: "owner", Argument: getopt.Required}, {Key: 'p', Long: "preserve-timestamps"},
			{Key: cpPreserveContext, Long: "preserve-context"}, {Key: 's', Long: "strip"}, {Key: installStrip, Long: "strip-program", Argument: getopt.Required},
			{Key: 'S', Long: "suffix", Argument: getopt.Required}, {Key: 't', Long: "target-directory", Argument: getopt.Required}, {Key: 'v', Long: "verbose"},
		}},
		run: installRun,
	}
}
