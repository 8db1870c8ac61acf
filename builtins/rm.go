package builtins

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/walk"
	"github.com/vsh-project/vsh/vfs"
)

// remover removes files as rm does.
type remover struct {
	*call
	recursive, force bool
	always, once     bool // -i, -I
	emptyDirectories bool
	verbose          bool
	oneDevice        bool
	preserveRoot     bool
	preserveAll      bool
	root             *vfs.Info
}

const (
	rmInteractive = 1000 + iota
	rmOneFileSystem
	rmNoPreserveRoot
	rmPreserveRoot
)

func rmRun(c *call) error {
	r := &remover{call: c, preserveRoot: true}
	operands, err := c.parse(r.option)
	if err != nil {
		return err
	}
	if len(operands) == 0 {
		if r.force {
			return nil
		}
		return c.usageErrorf("missing operand")
	}
	if r.once && (r.recursive || len(operands) > 3) {
		question := fmt.Sprintf("remove %d argument", len(operands))
		if len(operands) > 1 {
			question += "s"
		}
		if r.recursive {
			question += " recursively"
		}
		if !c.confirm("%s? ", question) {
			return c.ctx.Err()
		}
	}
	if r.recursive && r.preserveRoot {
		r.root, _ = c.View().Lstat(c.ctx, "/")
	}
	for _, name := range operands {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		r.remove(name)
	}
	return c.ctx.Err()
}

func (r *remover) option(p *getopt.Parser) error {
	switch p.Key {
	case 'd':
		r.emptyDirectories = true
	case 'f':
		r.force, r.always, r.once = true, false, false
	case 'i':
		r.force, r.always, r.once = false, true, false
	case 'I':
		r.force, r.always, r.once = false, false, true
	case rmInteractive:
		kind := 4
		if p.HasValue {
			var err error
			if kind, err = r.argumentMatch(p.Typed, p.Value, []string{"never", "no", "none", "once", "always", "yes"}, []int{0, 0, 0, 1, 2, 2}); err != nil {
				return err
			}
		}
		r.always, r.once = kind >= 4, kind == 3
		if kind >= 3 {
			r.force = false
		}
	case rmOneFileSystem:
		r.oneDevice = true
	case rmNoPreserveRoot:
		for _, arg := range r.Arguments {
			if arg == "--" {
				break
			}
			if strings.HasPrefix(arg, "--no-p") && arg != "--no-preserve-root" {
				return r.fatalf("you may not abbreviate the --no-preserve-root option")
			}
		}
		r.preserveRoot = false
	case rmPreserveRoot:
		if p.HasValue {
			if p.Value != "all" {
				return r.fatalf("unrecognized --preserve-root argument: %s", quoteName(p.Value))
			}
			r.preserveAll = true
		}
		r.preserveRoot = true
	case 'r', 'R':
		r.recursive = true
	case 'v':
		r.verbose = true
	}
	return nil
}

// absent reports whether -f overlooks an error.
func (r *remover) absent(err error) bool {
	errno := vfs.Errno(err)
	return r.force && (errno == vfs.ENOENT || errno == vfs.ENOTDIR)
}

// failed reports a file that could not be removed.
func (r *remover) failed(name string, err error) bool {
	if r.ctx.Err() == nil && !r.absent(err) {
		r.errorf("cannot remove %s: %s", quoteName(name), vfs.Words(err))
	}
	return false
}

// remove removes one operand.
func (r *remover) remove(name string) {
	if r.recursive {
		if base := path.Base(strings.TrimRight(name, "/")); strings.Trim(name, "/") != "" && (base == "." || base == "..") {
			r.errorf("refusing to remove '.' or '..' directory: skipping %s", quoteName(name))
			return
		}
	}
	info, err := r.View().Lstat(r.ctx, name)
	if err != nil {
		r.failed(name, err)
		return
	}
	if r.root != nil && vfs.SameFile(info, r.root) {
		if name == "/" {
			r.errorf("it is dangerous to operate recursively on %s", quoteName(name))
		} else {
			r.errorf("it is dangerous to operate recursively on %s (same as %s)", quoteName(name), quoteName("/"))
		}
		r.warnf("use --no-preserve-root to override this failsafe")
		return
	}
	if r.preserveAll && r.recursive {
		if parent, err := r.View().Lstat(r.ctx, path.Join(r.View().Abs(name), "..")); err == nil && parent.Device != info.Device {
			r.errorf("skipping %s, since it's on a different device", quoteName(name))
			r.warnf("and --preserve-root=all is in effect")
			return
		}
	}
	r.entry(name, info, info.Device)
}

// entry removes a file with what it holds. It is false where a directory above
// cannot go: after an error, or when a descent was declined.
func (r *remover) entry(name string, info *vfs.Info, device uint64) bool {
	if r.ctx.Err() != nil {
		return false
	}
	if !info.IsDir() {
		if !r.agreed(name, info, "remove") {
			return true
		}
		if err := r.View().Unlink(r.ctx, name); err != nil {
			return r.failed(name, err)
		}
		if r.verbose {
			fmt.Fprintf(r.out, "removed %s\n", quoteName(name))
		}
		return true
	}
	if !r.recursive && !r.emptyDirectories {
		return r.failed(name, vfs.EISDIR)
	}
	if !r.recursive {
		return r.directory(name, info)
	}
	if r.oneDevice && info.Device != device {
		r.errorf("skipping %s, since it's on a different device", quoteName(name))
		return false
	}
	entries, err := r.View().ReadDir(r.ctx, name)
	if err != nil {
		return r.failed(name, err)
	}
	if len(entries) > 0 {
		if !r.agreed(name, info, "descend into") {
			return false
		}
		all := true
		for _, e := range entries {
			path := walk.Join(name, e.Name)
			below, err := r.View().Lstat(r.ctx, path)
			if err != nil {
				all = r.failed(path, err) || r.absent(err)
				continue
			}
			all = r.entry(path, below, device) && all
		}
		if !all {
			return false
		}
	}
	return r.directory(name, info)
}

// directory removes an empty directory.
func (r *remover) directory(name string, info *vfs.Info) bool {
	if !r.agreed(name, info, "remove") {
		return true
	}
	if err := r.View().Rmdir(r.ctx, name); err != nil {
		return r.failed(name, err)
	}
	if r.verbose {
		fmt.Fprintf(r.out, "removed directory %s\n", quoteName(name))
	}
	return true
}

// agreed asks where -i wants it. Without a terminal nothing else does.
func (r *remover) agreed(name string, info *vfs.Info, what string) bool {
	if !r.always {
		return true
	}
	protected := ""
	if info.FileMode&fs.ModeSymlink == 0 && r.View().Access(r.ctx, name, vfs.AccessWrite) != nil {
		protected = "write-protected "
	}
	return r.confirm("%s %s%s %s? ", what, protected, fileKind(info), quoteName(name))
}

// fileKind is gnulib's file_type.
func fileKind(info *vfs.Info) string {
	switch mode := info.FileMode; {
	case mode.IsDir():
		return "directory"
	case mode&fs.ModeSymlink != 0:
		return "symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "fifo"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeCharDevice != 0:
		return "character special file"
	case mode&fs.ModeDevice != 0:
		return "block special file"
	case info.Bytes == 0:
		return "regular empty file"
	}
	return "regular file"
}

// rmHint points at ./-x where a file of the name of a wrong option exists.
func rmHint(c *call) string {
	for _, arg := range c.Arguments {
		if strings.HasPrefix(arg, "-") && arg != "-" && arg != "--" {
			if _, err := c.View().Lstat(c.ctx, arg); err == nil {
				return fmt.Sprintf("Try '%s ./%s' to remove the file %s.\n", c.label(), quoteFile(arg), quoteName(arg))
			}
		}
	}
	return ""
}

func rmProgram(string) *program {
	return &program{
		hint: rmHint,
		usage: `rm [OPTION]... [FILE]...
Remove files, and with -r directories.

  -f, --force             say nothing of missing files, never ask
  -i                      ask for each
  -I                      ask once for more than three files or with -r
      --interactive[=WHEN]  never, once or always
      --one-file-system   with -r, stay on each operand's storage
      --no-preserve-root  do not treat / specially
      --preserve-root[=all]  refuse to remove / (the default); with all, also
                          what is another storage's root
  -r, -R, --recursive     remove directories and what they hold
  -d, --dir               remove empty directories
  -v, --verbose           say what is removed`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'f', Long: "force"}, {Key: 'i'}, {Key: 'I'}, {Key: rmInteractive, Long: "interactive", Argument: getopt.Optional},
			{Key: rmOneFileSystem, Long: "one-file-system"}, {Key: rmNoPreserveRoot, Long: "no-preserve-root"},
			{Key: rmPreserveRoot, Long: "preserve-root", Argument: getopt.Optional}, {Key: 'r', Long: "recursive"}, {Key: 'R'},
			{Key: 'd', Long: "dir"}, {Key: 'v', Long: "verbose"},
		}},
		run: rmRun,
	}
}
