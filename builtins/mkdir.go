package builtins

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/vsh-project/vsh/builtins/internal/filemode"
	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/vfs"
)

// mkdirCommand is one run of mkdir.
type mkdirCommand struct {
	*call
	parents, verbose bool
	changes          filemode.Changes
	hasMode          bool
}

func mkdirRun(c *call) error {
	m := &mkdirCommand{call: c}
	mode := ""
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'm':
			mode, m.hasMode = p.Value, true
		case 'p':
			m.parents = true
		case 'v':
			m.verbose = true
		case 'Z':
			if p.HasValue {
				c.warnf("warning: ignoring --context; it requires an SELinux/SMACK-enabled kernel")
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(operands) == 0 {
		return c.usageErrorf("missing operand")
	}
	if m.hasMode {
		var ok bool
		if m.changes, ok = filemode.Compile(mode); !ok {
			return c.fatalf("invalid mode %s", quote(mode))
		}
	}
	for _, name := range operands {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if m.parents {
			m.withParents(name)
		} else if err := m.make(name); err != nil {
			m.failed(name, err)
		}
	}
	return nil
}

func (m *mkdirCommand) failed(name string, err error) {
	if m.ctx.Err() == nil {
		m.errorf("cannot create directory %s: %s", quote(name), vfs.Words(err))
	}
}

// make makes one directory with the mode asked for.
func (m *mkdirCommand) make(name string) error {
	if err := m.View().Mkdir(m.ctx, name, 0o777); err != nil {
		return err
	}
	m.announce(name)
	if !m.hasMode {
		return nil
	}
	return m.setDirectoryMode(name, m.changes, 0o777, filemode.Bits(m.View().Umask()), true)
}

// setDirectoryMode is what mkdir -m and install -d -m do to a directory.
func (c *call) setDirectoryMode(name string, changes filemode.Changes, from, umask uint32, fresh bool) error {
	info, err := c.View().Stat(c.ctx, name)
	if err != nil {
		return err
	}
	have := filemode.Bits(info.FileMode)
	if bits := changes.Directory(from, umask, have, fresh); bits != have {
		return c.View().Chmod(c.ctx, name, filemode.Mode(bits))
	}
	return nil
}

func (m *mkdirCommand) announce(name string) {
	if m.verbose {
		fmt.Fprintf(m.out, "%s: created directory %s\n", m.label(), quoteName(name))
	}
}

// withParents makes name and the directories above it that are missing; those
// get the owner's write and search bits whatever the umask.
func (m *mkdirCommand) withParents(name string) {
	if name == "" {
		m.failed(name, vfs.ENOENT)
		return
	}
	for i := 1; i < len(name); i++ {
		if name[i] != '/' || name[i-1] == '/' || strings.Trim(name[i:], "/") == "" {
			continue
		}
		above := name[:i]
		err := m.View().Mkdir(m.ctx, above, 0o777)
		switch errno := vfs.Errno(err); {
		case err == nil:
			m.announce(above)
			if umask := m.View().Umask(); umask&0o300 != 0 {
				m.View().Chmod(m.ctx, above, (fs.FileMode(0o777)&^umask)|0o300)
			}
		case errno == vfs.EEXIST || errno == vfs.EROFS || errno == vfs.EACCES || errno == vfs.EISDIR:
			if why := m.isDirectory(above); why != nil {
				if vfs.Errno(why) == vfs.ENOTDIR {
					err = why
				}
				m.failed(above, err)
				return
			}
		default:
			m.failed(above, err)
			return
		}
	}
	err := m.make(name)
	if vfs.Errno(err) == vfs.EEXIST || vfs.Errno(err) == vfs.EROFS {
		if m.isDirectory(name) == nil {
			return
		}
	}
	if err != nil {
		m.failed(name, err)
	}
}

func mkdirProgram(string) *program {
	return &program{
		usage: `mkdir [OPTION]... DIRECTORY...
Make directories.

  -m, --mode=MODE   set the mode (as chmod), not what the umask leaves
  -p, --parents     make missing parents too; existing directories are fine
  -v, --verbose     say what is made
  -Z, --context[=CTX]  accepted`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'Z', Long: "context", Argument: getopt.Optional}, {Key: 'm', Long: "mode", Argument: getopt.Required}, {Key: 'p', Long: "parents"}, {Key: 'v', Long: "verbose"},
		}},
		run: mkdirRun,
	}
}
