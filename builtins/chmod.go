package builtins

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/vsh-project/vsh/builtins/internal/filemode"
	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/walk"
	"github.com/vsh-project/vsh/vfs"
)

const (
	modReference = 1000 + iota
	modPreserveRoot
	modNoPreserveRoot
	modDereference
	modFrom
)

// chmodCommand is one run of chmod.
type chmodCommand struct {
	*call
	changes        filemode.Changes
	umask          uint32
	recursive      bool
	verbose, tells bool // -v, -c
	quiet          bool
	surprises      bool // the mode was given as an option
	preserveRoot   bool
}

func chmodRun(c *call) error {
	m := &chmodCommand{call: c, umask: filemode.Bits(c.View().Umask())}
	mode, reference := "", ""
	hasMode, hasReference := false, false
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'c':
			m.tells = true
		case 'f':
			m.quiet = true
		case 'R':
			m.recursive = true
		case 'v':
			m.verbose = true
		case modReference:
			reference, hasReference = p.Value, true
		case modPreserveRoot, modNoPreserveRoot:
			m.preserveRoot = p.Key == modPreserveRoot
		default:
			// -x and its kin: a mode with what the rest of the word says.
			if hasMode {
				mode += ","
			}
			mode += "-" + string(p.Key) + p.Value
			hasMode, m.surprises = true, true
		}
		return nil
	})
	if err != nil {
		return err
	}
	if hasReference && hasMode {
		return c.usageErrorf("cannot combine mode and --reference options")
	}
	if !hasMode && !hasReference && len(operands) > 0 {
		mode, operands = operands[0], operands[1:]
		hasMode = true
		if len(operands) == 0 {
			return c.usageErrorf("missing operand after %s", quote(mode))
		}
	}
	if len(operands) == 0 {
		return c.usageErrorf("missing operand")
	}
	if hasReference {
		info, err := c.View().Stat(c.ctx, reference)
		if err != nil {
			return c.fatalf("failed to get attributes of %s: %s", quoteName(reference), vfs.Words(err))
		}
		m.changes = filemode.Absolute(filemode.Bits(info.FileMode))
	} else {
		var ok bool
		if m.changes, ok = filemode.Compile(mode); !ok {
			return c.usageErrorf("invalid mode: %s", quote(mode))
		}
	}
	for _, name := range operands {
		if err := m.operand(name); err != nil {
			return err
		}
	}
	return nil
}

func (m *chmodCommand) operand(name string) error {
	if m.recursive && m.preserveRoot && m.call.isRoot(name) {
		return nil
	}
	options := walk.Options{Links: walk.CommandLine, Bounded: !m.recursive, Stat: true}
	return walk.Walk(m.ctx, m.View(), name, options, func(e *walk.Entry) error {
		switch {
		case e.Kind == walk.Missing:
			m.complain("cannot access %s: %s", quoteName(e.Path), vfs.Words(e.Err))
			m.say("%s could not be accessed\n", quoteName(e.Path))
		case e.Kind == walk.Unreadable:
			m.complain("cannot read directory %s: %s", quoteName(e.Path), vfs.Words(e.Err))
		case e.Type&fs.ModeSymlink != 0:
			if e.Depth == 0 {
				m.complain("cannot operate on dangling symlink %s", quoteName(e.Path))
				m.say("%s could not be accessed\n", quoteName(e.Path))
			} else {
				m.say("neither symbolic link %s nor referent has been changed\n", quoteName(e.Path))
			}
		default:
			m.one(e)
		}
		return m.ctx.Err()
	})
}

// isRoot refuses to go through the whole tree.
func (c *call) isRoot(name string) bool {
	root, err := c.View().Stat(c.ctx, "/")
	if err != nil {
		return false
	}
	info, err := c.View().Lstat(c.ctx, name)
	if err != nil || !vfs.SameFile(info, root) {
		return false
	}
	same := ""
	if strings.Trim(name, "/") != "" {
		same = fmt.Sprintf(" (same as %s)", quoteName("/"))
	}
	c.errorf("it is dangerous to operate recursively on %s%s", quoteName(name), same)
	c.warnf("use --no-preserve-root to override this failsafe")
	return true
}

func (m *chmodCommand) complain(format string, args ...any) {
	if m.quiet {
		m.status = max(m.status, 1)
		return
	}
	m.errorf(format, args...)
}

// say prints a line for -v.
func (m *chmodCommand) say(format string, args ...any) {
	if m.verbose {
		fmt.Fprintf(m.out, format, args...)
	}
}

func (m *chmodCommand) one(e *walk.Entry) {
	info, err := e.Info(m.ctx, m.View())
	if err != nil {
		m.complain("cannot access %s: %s", quoteName(e.Path), vfs.Words(err))
		return
	}
	old := filemode.Bits(info.FileMode)
	bits := m.changes.Adjust(old, info.IsDir(), m.umask)
	describe := func(b uint32) string { return filemode.String(filemode.Mode(b))[1:] }
	if err := m.View().Chmod(m.ctx, e.Path, filemode.Mode(bits)); err != nil {
		m.complain("changing permissions of %s: %s", quoteName(e.Path), vfs.Words(err))
		m.say("failed to change mode of %s from %04o (%s) to %04o (%s)\n", quoteName(e.Path), old, describe(old), bits, describe(bits))
		return
	}
	switch {
	case bits != old && (m.verbose || m.tells):
		fmt.Fprintf(m.out, "mode of %s changed from %04o (%s) to %04o (%s)\n", quoteName(e.Path), old, describe(old), bits, describe(bits))
	case bits == old:
		m.say("mode of %s retained as %04o (%s)\n", quoteName(e.Path), bits, describe(bits))
	}
	if m.surprises {
		naive := m.changes.Adjust(old, info.IsDir(), 0)
		if bits&^naive != 0 {
			m.complain("%s: new permissions are %s, not %s", quoteFile(e.Path), describe(bits), describe(naive))
		}
	}
}

func chmodProgram(string) *program {
	options := []getopt.Option{
		{Key: 'c', Long: "changes"}, {Key: 'R', Long: "recursive"}, {Key: modNoPreserveRoot, Long: "no-preserve-root"}, {Key: modPreserveRoot, Long: "preserve-root"},
		{Key: 'f', Long: "quiet"}, {Key: 'f', Long: "silent"}, {Key: modReference, Long: "reference", Argument: getopt.Required}, {Key: 'v', Long: "verbose"},
	}
	for _, letter := range "rwxXstugoa,+=01234567" {
		options = append(options, getopt.Option{Key: letter, Argument: getopt.Optional})
	}
	return &program{
		usage: `chmod [OPTION]... MODE[,MODE]... FILE...
       chmod [OPTION]... OCTAL-MODE FILE...
       chmod [OPTION]... --reference=RFILE FILE...
Change the mode of each FILE. MODE is [ugoa]*([-+=]([rwxXst]*|[ugo]))+ or up to
five octal digits.

  -c, --changes            say what changed
  -f, --silent, --quiet    say little of errors
  -v, --verbose            say what was done for each file
      --no-preserve-root   do not treat / specially (the default)
      --preserve-root      do not go through all of /
      --reference=RFILE    use RFILE's mode
  -R, --recursive          change directories with what they hold`,
		options: getopt.Spec{Options: options},
		run:     chmodRun,
	}
}
