package builtins

import (
	"fmt"
	"path"
	"strings"

	"github.com/vsh-project/vsh/builtins/internal/filemode"
	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/vfs"
)

const (
	cpAttributesOnly = 1000 + iota
	cpCopyContents
	cpNoPreserve
	cpParents
	cpPreserve
	cpReflink
	cpRemoveDestination
	cpSparse
	cpStripSlashes
	cpBackup
	cpContext
	cpPreserveContext
)

// cpCommand is one run of cp.
type cpCommand struct {
	copier
	parents      bool
	stripSlashes bool
	copyContents bool
	directory    string
	hasDirectory bool
	noDirectory  bool
}

func cpRun(c *call) error {
	x := &cpCommand{copier: copier{call: c, asRegular: true}}
	operands, err := c.parse(x.option)
	if err != nil {
		return err
	}
	if x.backup.wanted && x.ask == copyAlwaysNo {
		return c.usageErrorf("options --backup and --no-clobber are mutually exclusive")
	}
	if x.hardLink && x.symlink {
		return c.usageErrorf("cannot make both hard and symbolic links")
	}
	if err := x.backup.settle(c); err != nil {
		return err
	}
	if x.dereference == copyDereferenceUnset {
		x.dereference = copyDereferenceAlways
		if x.recursive && !x.hardLink {
			x.dereference = copyDereferenceNever
		}
	}
	if x.recursive {
		x.asRegular = x.copyContents
	}
	if x.removeFailed && (x.hardLink || x.symlink) {
		x.removeFirst = true
	}
	err = c.toTargets(operands, &targetOptions{directory: x.directory, hasDirectory: x.hasDirectory, noDirectory: x.noDirectory}, x.into, x.onto)
	if err == nil {
		err = c.ctx.Err()
	}
	return err
}

func (x *cpCommand) option(p *getopt.Parser) error {
	switch p.Key {
	case 'a':
		x.dereference, x.recursive = copyDereferenceNever, true
		return x.preserve("all", true)
	case 'b', cpBackup:
		x.backup.wanted = true
		if p.HasValue {
			x.backup.control = p.Value
		}
	case 'd':
		x.dereference, x.keepLinks = copyDereferenceNever, true
	case 'f':
		x.removeFailed = true
	case 'H':
		x.dereference = copyDereferenceCommandLine
	case 'i':
		x.ask = copyAskUser
	case 'l':
		x.hardLink = true
	case 'L':
		x.dereference = copyDereferenceAlways
	case 'n':
		x.ask = copyAlwaysNo
	case 'P':
		x.dereference = copyDereferenceNever
	case 'p':
		x.keepMode, x.keepOwner, x.keepTimes, x.noMode = true, true, true, false
	case 'r', 'R':
		x.recursive = true
	case 's':
		x.symlink = true
	case 'S':
		x.backup.wanted, x.backup.suffix = true, p.Value
	case 't':
		if x.hasDirectory {
			return x.fatalf("multiple target directories specified")
		}
		x.directory, x.hasDirectory = p.Value, true
	case 'T':
		x.noDirectory = true
	case 'u':
		x.update = true
	case 'v':
		x.verbose = true
	case 'x':
		x.oneDevice = true
	case 'Z', cpContext:
		if p.HasValue {
			x.warnf("warning: ignoring --context; it requires an SELinux-enabled kernel")
		}
	default:
		return x.longOption(p)
	}
	return nil
}

func (x *cpCommand) longOption(p *getopt.Parser) error {
	switch p.Key {
	case cpAttributesOnly:
		x.noData = true
	case cpCopyContents:
		x.copyContents = true
	case cpNoPreserve:
		return x.preserve(p.Value, false)
	case cpParents:
		x.parents = true
	case cpPreserve:
		if !p.HasValue {
			x.keepMode, x.keepOwner, x.keepTimes, x.noMode = true, true, true, false
			return nil
		}
		return x.preserve(p.Value, true)
	case cpReflink:
		if p.HasValue {
			_, err := x.argumentMatch("--reflink", p.Value, []string{"auto", "always", "never"}, nil)
			return err
		}
	case cpRemoveDestination:
		x.removeFirst = true
	case cpSparse:
		_, err := x.argumentMatch("--sparse", p.Value, []string{"never", "auto", "always"}, nil)
		return err
	case cpStripSlashes:
		x.stripSlashes = true
	}
	return nil
}

// preserve reads the list of --preserve or --no-preserve.
func (x *cpCommand) preserve(list string, on bool) error {
	option := "--preserve"
	if !on {
		option = "--no-preserve"
	}
	for word := range strings.SplitSeq(list, ",") {
		i, err := x.argumentMatch(option, word, []string{"mode", "timestamps", "ownership", "links", "context", "xattr", "all"}, nil)
		if err != nil {
			return err
		}
		all := i == 6
		if i == 0 || all {
			x.keepMode, x.noMode = on, !on
		}
		if i == 1 || all {
			x.keepTimes = on
		}
		if i == 2 || all {
			x.keepOwner = on
		}
		if i == 3 || all {
			x.keepLinks = on
		}
		if i == 4 && on {
			return x.fatalf("cannot preserve security context without an SELinux-enabled kernel")
		}
	}
	return nil
}

// into copies an operand into a directory.
func (x *cpCommand) into(source, directory string) error {
	trimmed := strings.TrimRight(source, "/")
	if trimmed == "" && source != "" {
		trimmed = "/"
	}
	if x.stripSlashes {
		source = trimmed
	}
	if x.parents {
		x.withParents(source, trimmed, directory)
		return nil
	}
	base := trimmed[strings.LastIndexByte(trimmed, '/')+1:]
	if base == ".." {
		base = "." // its contents go into the directory itself
	}
	x.one(source, walkJoinBase(directory, base))
	return nil
}

// walkJoinBase joins a directory and the last element of an operand.
func walkJoinBase(directory, base string) string {
	if base == "" {
		return directory
	}
	if strings.HasSuffix(directory, "/") {
		return directory + base
	}
	return directory + "/" + base
}

// withParents copies source below directory under its whole path, whose
// directories are made where they are missing.
func (x *cpCommand) withParents(source, trimmed, directory string) {
	relative := strings.TrimLeft(trimmed, "/")
	elements := strings.Split(relative, "/")
	type madeDirectory struct {
		source, target string
		info           *vfs.Info
	}
	var made []madeDirectory
	from, to := "", directory
	if strings.HasPrefix(trimmed, "/") {
		from = "/"
	}
	for _, e := range elements[:len(elements)-1] {
		if e == "" {
			continue
		}
		from, to = path.Join(from, e), walkJoinBase(to, e)
		info, err := x.View().Stat(x.ctx, from)
		if err != nil {
			x.complain("failed to get attributes of %s: %s", quoteName(from), vfs.Words(err))
			return
		}
		there, err := x.View().Stat(x.ctx, to)
		switch {
		case err == nil && !there.IsDir():
			x.complain("%s exists but is not a directory", quoteName(to))
			return
		case err == nil:
			continue
		}
		bits := filemode.Bits(info.FileMode)
		if err := x.View().Mkdir(x.ctx, to, filemode.Mode(bits|0o700)); err != nil {
			x.complain("cannot make directory %s: %s", quoteName(to), vfs.Words(err))
			return
		}
		if x.verbose {
			fmt.Fprintf(x.out, "%s -> %s\n", from, to)
		}
		made = append(made, madeDirectory{from, to, info})
	}
	x.one(source, walkJoinBase(directory, relative))
	for i := len(made) - 1; i >= 0; i-- {
		m := made[i]
		x.attributes(&copyPair{source: m.source, target: m.target, info: m.info}, filemode.Bits(m.info.FileMode), false)
	}
}

// onto copies one operand to a name.
func (x *cpCommand) onto(source, target string) error {
	if x.parents {
		return x.usageErrorf("with --parents, the destination must be a directory")
	}
	if x.removeFailed && x.backup.kind != noBackups && source == target {
		if info, err := x.View().Stat(x.ctx, source); err == nil && info.FileMode.IsRegular() {
			backup, err := x.backup.name(x.call, target)
			if err == nil {
				target, x.backup.kind = backup, noBackups
			}
		}
	}
	x.one(source, target)
	return nil
}

func cpProgram(string) *program {
	return &program{
		usage: `cp [OPTION]... [-T] SOURCE TARGET
       cp [OPTION]... SOURCE... DIRECTORY
       cp [OPTION]... -t DIRECTORY SOURCE...
Copy SOURCE to TARGET, or each SOURCE into DIRECTORY.

  -a, --archive               same as -dR --preserve=all
      --attributes-only       copy attributes, not content
  -b, --backup[=CONTROL]      keep what would be replaced (none, numbered, existing, simple)
      --copy-contents         read pipes and devices when recursive
  -d                          same as --no-dereference --preserve=links
  -f, --force                 remove a target that cannot be opened, and try again
  -i, --interactive           ask before replacing
  -H                          follow links of the command line
  -l, --link                  make hard links
  -L, --dereference           follow all links
  -n, --no-clobber            replace nothing
  -P, --no-dereference        follow no link
  -p                          same as --preserve=mode,ownership,timestamps
      --preserve[=LIST]       keep mode, ownership, timestamps, links, context, xattr, all
      --no-preserve=LIST      do not keep these
      --parents               use the whole path of each SOURCE below DIRECTORY
  -R, -r, --recursive         copy directories
      --reflink[=WHEN]        accepted; data is copied
      --remove-destination    remove each target first
      --sparse=WHEN           accepted
      --strip-trailing-slashes  drop slashes at the end of each SOURCE
  -s, --symbolic-link         make symbolic links
  -S, --suffix=SUFFIX         of backups
  -t, --target-directory=DIRECTORY
  -T, --no-target-directory   TARGET is no directory to copy into
  -u, --update                only where SOURCE is newer or TARGET missing
  -v, --verbose               say what is done
  -x, --one-file-system       stay on this storage
  -Z, --context[=CTX]         accepted`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'a', Long: "archive"}, {Key: cpAttributesOnly, Long: "attributes-only"}, {Key: 'b'},
			{Key: cpBackup, Long: "backup", Argument: getopt.Optional}, {Key: cpCopyContents, Long: "copy-contents"},
			{Key: 'd'}, {Key: 'L', Long: "dereference"}, {Key: 'f', Long: "force"}, {Key: 'H'}, {Key: 'i', Long: "interactive"}, {Key: 'l', Long: "link"},
			{Key: 'n', Long: "no-clobber"}, {Key: 'P', Long: "no-dereference"}, {Key: cpNoPreserve, Long: "no-preserve", Argument: getopt.Required},
			{Key: 'T', Long: "no-target-directory"}, {Key: 'x', Long: "one-file-system"}, {Key: cpParents, Long: "parents"}, {Key: cpParents, Long: "path"},
			{Key: 'p'}, {Key: cpPreserve, Long: "preserve", Argument: getopt.Optional}, {Key: 'R', Long: "recursive"}, {Key: 'r'},
			{Key: cpRemoveDestination, Long: "remove-destination"}, {Key: cpSparse, Long: "sparse", Argument: getopt.Required},
			{Key: cpReflink, Long: "reflink", Argument: getopt.Optional}, {Key: cpStripSlashes, Long: "strip-trailing-slashes"},
			{Key: 'S', Long: "suffix", Argument: getopt.Required}, {Key: 's', Long: "symbolic-link"},
			{Key: 't', Long: "target-directory", Argument: getopt.Required}, {Key: 'u', Long: "update"}, {Key: 'v', Long: "verbose"},
			{Key: cpContext, Long: "context", Argument: getopt.Optional}, {Key: 'Z'},
		}},
		run: cpRun,
	}
}
