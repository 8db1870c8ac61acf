package builtins

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/vfs"
)

const rmdirIgnore = 1000

// rmdirCommand is one run of rmdir.
type rmdirCommand struct {
	*call
	parents, verbose, ignore bool
}

func rmdirRun(c *call) error {
	r := &rmdirCommand{call: c}
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'p':
			r.parents = true
		case 'v':
			r.verbose = true
		case rmdirIgnore:
			r.ignore = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(operands) == 0 {
		return c.usageErrorf("missing operand")
	}
	for _, name := range operands {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if r.one(name) && r.parents {
			r.above(name)
		}
	}
	return nil
}

func (r *rmdirCommand) announce(name string) {
	if r.verbose {
		fmt.Fprintf(r.out, "%s: removing directory, %s\n", r.label(), quoteName(name))
	}
}

// ignored reports whether --ignore-fail-on-non-empty covers an error.
func (r *rmdirCommand) ignored(name string, err error) bool {
	if !r.ignore {
		return false
	}
	errno := vfs.Errno(err)
	if errno == vfs.ENOTEMPTY || errno == vfs.EEXIST {
		return true
	}
	if errno == vfs.EACCES || errno == vfs.EPERM || errno == vfs.EROFS || errno == vfs.EBUSY {
		entries, err := r.View().ReadDir(r.ctx, name)
		return err == nil && len(entries) > 0
	}
	return false
}

// one removes an operand; true: those above it may follow.
func (r *rmdirCommand) one(name string) bool {
	r.announce(name)
	err := r.View().Rmdir(r.ctx, name)
	switch {
	case err == nil:
		return true
	case r.ctx.Err() != nil, r.ignored(name, err):
		return false
	}
	if trimmed := strings.TrimRight(name, "/"); vfs.Errno(err) == vfs.ENOTDIR && trimmed != name {
		info, lerr := r.View().Lstat(r.ctx, trimmed)
		target, err := r.View().Stat(r.ctx, trimmed)
		if lerr == nil && info.FileMode&fs.ModeSymlink != 0 && (err != nil || target.IsDir()) {
			r.errorf("failed to remove %s: Symbolic link not followed", quoteName(name))
			return false
		}
	}
	r.errorf("failed to remove %s: %s", quoteName(name), vfs.Words(err))
	return false
}

// above removes the parents that name holds.
func (r *rmdirCommand) above(name string) {
	name = stripSlashes(name)
	for {
		i := strings.LastIndexByte(name, '/')
		if i < 0 {
			return
		}
		if name = strings.TrimRight(name[:i], "/"); name == "" {
			return
		}
		r.announce(name)
		if err := r.View().Rmdir(r.ctx, name); err != nil {
			if r.ctx.Err() == nil && !r.ignored(name, err) {
				r.errorf("failed to remove directory %s: %s", quoteName(name), vfs.Words(err))
			}
			return
		}
	}
}

func rmdirProgram(string) *program {
	return &program{
		usage: `rmdir [OPTION]... DIRECTORY...
Remove empty directories.

      --ignore-fail-on-non-empty  say nothing of directories that are not empty
  -p, --parents   remove the parents in each name too
  -v, --verbose   say what is removed`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: rmdirIgnore, Long: "ignore-fail-on-non-empty"}, {Key: 'p', Long: "parents"}, {Key: 'v', Long: "verbose"},
		}},
		run: rmdirRun,
	}
}
