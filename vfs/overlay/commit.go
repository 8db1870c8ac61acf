package overlay

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/vsh-project/vsh/vfs"
)

// Conflict is what Commit answers when the lower is no longer what the overlay
// took a file over from. Nothing has been committed then.
type Conflict struct{ Paths []string }

func (c *Conflict) Error() string {
	return "changed below since they were taken over: " + strings.Join(c.Paths, ", ")
}

// Unwrap makes it EBUSY.
func (c *Conflict) Unwrap() error { return vfs.EBUSY }

// Commit writes all changes to the lower and forgets them. First every file is
// written beside its place, then each is renamed into it, and last is removed
// what is gone: whoever reads meanwhile sees each file old or new, and an end in
// the middle loses nothing. An error in the first part leaves the lower as it
// was. After one in the middle the overlay shows all it did, and another Commit
// does the rest. It returns what it has committed. Names of one file become
// files of their own; open files of the overlay no longer lead to the lower.
func (s *Storage) Commit(ctx context.Context) ([]Change, error) {
	var done []Change
	err := s.fs.behindGate(ctx, func() error {
		found, err := s.fs.fullScan(ctx)
		if err != nil {
			return err
		}
		all := found.list
		if err := found.conflicts(); err != nil {
			return err
		}
		c := &commit{filesystem: s.fs, ctx: ctx}
		if err := c.run(all); err != nil {
			return err
		}
		s.fs.discard()
		for _, one := range all {
			if one.Kind != touched {
				done = append(done, one)
			}
		}
		return nil
	})
	return done, err
}

// Discard forgets all changes. Open files keep what they have.
func (s *Storage) Discard(ctx context.Context) error {
	return s.fs.behindGate(ctx, func() error { s.fs.discard(); return nil })
}

func (f *filesystem) discard() {
	var all []*node
	f.mu.Lock()
	f.nodes.Ascend(0, func(_ uint64, n *node) bool { all = append(all, n); return true })
	f.reset()
	if f.snapshots == 0 && f.options.Budget != nil {
		f.options.Budget.Release(f.charged)
		f.charged = 0
	}
	f.mu.Unlock()
	for _, n := range all {
		f.dropUpper(n)
	}
}

// conflicts compares what the overlay took over with what the lower has now.
func (s *scan) conflicts() error {
	f, ctx := s.filesystem, s.ctx
	bases := map[string]*fingerprint{}
	note := func(n *node) {
		if n.lower == "" {
			return
		}
		n.children.Ascend("", func(name string, c child) bool {
			bases[join(n.lower, name)] = c.base
			return true
		})
	}
	f.mu.RLock()
	f.nodes.Ascend(0, func(_ uint64, n *node) bool { note(n); return true })
	f.gone.Ascend("", func(_ string, n *node) bool { note(n); return true })
	f.mu.RUnlock()
	conflict := &Conflict{}
	for _, c := range s.list {
		if c.Path == "/" {
			continue
		}
		var now *fingerprint
		if c.Kind != Added && c.Kind != Renamed {
			info, err := f.lower.Lstat(ctx, c.Path)
			if err != nil {
				return err
			}
			now = fingerprintOf(info)
		} else if info, err := f.lower.Lstat(ctx, c.Path); err == nil {
			now = fingerprintOf(info)
		}
		taken, known := bases[c.Path]
		if s.moved[c.Path] && (c.Kind == Removed || !known) {
			continue // it goes where it is shown, as it is by then
		}
		if known && !taken.same(now) || !known && now != nil {
			conflict.Paths = append(conflict.Paths, c.Path)
		}
	}
	if len(conflict.Paths) > 0 {
		return conflict
	}
	return nil
}

// staged is a file written beside its place.
type staged struct {
	path, temporary string
	replaces        *fingerprint
}

type commit struct {
	*filesystem
	ctx    context.Context
	staged []staged
	made   []string // directories
}

func (c *commit) run(all []Change) error {
	// What comes in the place of another kind of file waits until that is gone.
	removed := map[string]bool{}
	for _, one := range all {
		if one.Kind == Removed || one.Kind == Renamed {
			from := one.Path
			if one.Kind == Renamed {
				from = one.From
			}
			removed[from] = true
		}
	}
	late := func(p string) bool {
		for ; p != "/"; p = path.Dir(p) {
			if removed[p] {
				return true
			}
		}
		return false
	}
	var first, last []Change
	for _, one := range all {
		switch {
		case one.Kind == Removed:
		case late(one.Path):
			last = append(last, one)
		default:
			first = append(first, one)
		}
	}
	for _, one := range all {
		if one.Kind != Removed && one.Mode&fs.ModeNamedPipe != 0 {
			// A lower that can hold none would stop the commit half way.
			return &fs.PathError{Op: "commit", Path: one.Path, Err: vfs.ENOTSUP}
		}
	}
	if err := c.stage(first); err != nil {
		c.undo()
		return err
	}
	// Late files are written now too, if they are not made of what is still
	// there: their content is read before anything of the lower changes.
	if err := c.stageLate(last); err != nil {
		c.undo()
		return err
	}
	err := c.replace(first, last, removed)
	if err != nil {
		c.made = nil // they may hold files by now
		c.undo()
	}
	return err
}

// replace does what others can see: from here on there is no way back, only
// forward.
func (c *commit) replace(first, last []Change, removed map[string]bool) error {
	if err := c.place(first); err != nil {
		return err
	}
	if err := c.remove(removed); err != nil {
		return err
	}
	return c.place(last)
}

// stage makes the directories and writes the files of the list.
func (c *commit) stage(list []Change) error {
	for _, one := range list {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if one.Mode.IsDir() {
			if one.Kind == ModeChanged {
				continue
			}
			err := c.lower.Mkdir(c.ctx, one.Path, one.Mode.Perm()|0o700)
			if err == nil {
				c.made = append(c.made, one.Path)
			} else if vfs.Errno(err) != vfs.EEXIST {
				return err
			}
			continue
		}
		if one.Kind == ModeChanged || one.Kind == touched {
			continue
		}
		if err := c.write(one, path.Dir(one.Path)); err != nil {
			return err
		}
	}
	return nil
}

// stageLate writes files whose directory may not exist yet into the nearest one
// that does and stays.
func (c *commit) stageLate(list []Change) error {
	for _, one := range list {
		if one.Mode.IsDir() || one.Kind == ModeChanged || one.Kind == touched {
			continue
		}
		directory := path.Dir(one.Path)
		for directory != "/" {
			info, err := c.lower.Lstat(c.ctx, directory)
			r, walkErr := c.walk(directory)
			if err == nil && info.IsDir() && walkErr == nil && (r.node != nil && r.node.kind.IsDir() || r.lower == directory) {
				break
			}
			directory = path.Dir(directory)
		}
		if err := c.write(one, directory); err != nil {
			return err
		}
	}
	return nil
}

// write puts a file's content under a temporary name in directory.
func (c *commit) write(one Change, directory string) error {
	s := staged{path: one.Path, temporary: join(directory, ".vsh-"+rand.Text()+".tmp")}
	if info, err := c.lower.Lstat(c.ctx, one.Path); err == nil {
		s.replaces = fingerprintOf(info)
	}
	c.staged = append(c.staged, s)
	info, _, err := c.info(c.ctx, one.Path)
	if err != nil {
		return err
	}
	if one.Mode&fs.ModeSymlink != 0 {
		target, err := c.Readlink(c.ctx, one.Path)
		if err != nil {
			return err
		}
		return c.lower.Symlink(c.ctx, target, s.temporary)
	}
	from, err := c.openRead(c.ctx, one.Path)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := c.lower.Open(c.ctx, s.temporary, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = copyBlocks(c.ctx, to, from)
	if err == nil && c.options.Sync {
		err = to.Sync()
	}
	if closed := to.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = c.lower.Chmod(c.ctx, s.temporary, one.Mode&^fs.ModeType)
	}
	if err == nil {
		err = c.lower.Chtimes(c.ctx, s.temporary, time.Time{}, info.Modified)
	}
	return err
}

// place renames staged files of the list into their places and sets modes.
func (c *commit) place(list []Change) error {
	wanted := map[string]bool{}
	for _, one := range list {
		wanted[one.Path] = true
		if !one.Mode.IsDir() {
			continue
		}
		if one.Kind != ModeChanged {
			if err := c.lower.Mkdir(c.ctx, one.Path, one.Mode.Perm()|0o700); err != nil && vfs.Errno(err) != vfs.EEXIST {
				return err
			}
		}
	}
	kept := c.staged[:0]
	for _, s := range c.staged {
		if !wanted[s.path] {
			kept = append(kept, s)
			continue
		}
		err := c.lower.Rename(c.ctx, s.temporary, s.path, false)
		if err != nil {
			c.lower.Unlink(context.WithoutCancel(c.ctx), s.temporary)
			return err
		}
	}
	c.staged = kept
	for i := len(list) - 1; i >= 0; i-- {
		one := list[i]
		if one.Kind == touched || one.Kind == ModeChanged && !one.Mode.IsDir() {
			info, _, err := c.info(c.ctx, one.Path)
			if err == nil && one.Kind == ModeChanged {
				err = c.lower.Chmod(c.ctx, one.Path, one.Mode&^fs.ModeType)
			}
			if err == nil {
				err = c.lower.Chtimes(c.ctx, one.Path, time.Time{}, info.Modified)
			}
			if err != nil {
				return err
			}
		} else if one.Mode.IsDir() {
			if err := c.lower.Chmod(c.ctx, one.Path, one.Mode&^fs.ModeType); err != nil {
				return err
			}
		}
	}
	return nil
}

// remove takes away what is gone, the deepest first.
func (c *commit) remove(gone map[string]bool) error {
	paths := make([]string, 0, len(gone))
	for p := range gone {
		paths = append(paths, p)
	}
	sortDeepest(paths)
	for _, p := range paths {
		info, err := c.lower.Lstat(c.ctx, p)
		if vfs.Errno(err) == vfs.ENOENT {
			continue
		}
		if err == nil && info.IsDir() {
			err = c.lower.Rmdir(c.ctx, p)
		} else if err == nil {
			err = c.lower.Unlink(c.ctx, p)
		}
		if err != nil && !errors.Is(err, vfs.ENOENT) {
			return &fs.PathError{Op: "commit", Path: p, Err: err}
		}
	}
	return nil
}

// undo takes back what was staged.
func (c *commit) undo() {
	ctx := context.WithoutCancel(c.ctx)
	for _, s := range c.staged {
		c.lower.Unlink(ctx, s.temporary)
	}
	for i := len(c.made) - 1; i >= 0; i-- {
		c.lower.Rmdir(ctx, c.made[i])
	}
}
