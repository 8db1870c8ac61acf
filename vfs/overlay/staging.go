package overlay

import (
	"context"
	"crypto/rand"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/vsh-project/vsh/vfs"
)

// takeOver gives every path that is written a node of its own, and directories
// their metadata, so that none needs the lower's names when those change.
func (c *commit) takeOver() error {
	for _, one := range c.all {
		if err := c.keepTime(path.Dir(one.Path)); err != nil {
			return err
		}
		if one.Kind == Renamed {
			if err := c.keepTime(path.Dir(one.From)); err != nil {
				return err
			}
		}
		if one.Kind == Removed {
			// Where the directory stays, it has to hide the name.
			if _, err := c.directory(c.ctx, path.Dir(one.Path)); err != nil && vfs.Errno(err) != vfs.ENOENT && vfs.Errno(err) != vfs.ENOTDIR && vfs.Errno(err) != vfs.ELOOP {
				return err
			}
			continue
		}
		n, _, err := c.own(c.ctx, one.Path)
		if err == nil && n.kind.IsDir() {
			_, err = c.raise(c.ctx, n, false)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stage makes the directories and writes the files of the list.
func (c *commit) stage(list []Change) error {
	for _, one := range list {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if one.Mode.IsDir() {
			prepare := c.makeDirectory
			if one.Kind == ModeChanged || one.Kind == touched {
				prepare = c.open
			}
			if err := prepare(one); err != nil {
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

// makeDirectory makes one that the commit can write to until finish. Whatever the
// lower answers, it may have made it.
func (c *commit) makeDirectory(one Change) error {
	err := c.lower.Mkdir(c.ctx, one.Path, one.Mode.Perm()|0o700)
	if vfs.Errno(err) == vfs.EEXIST {
		return nil
	}
	c.made = append(c.made, one.Path)
	return err
}

// open lets names be made in a directory that is not writable below: the script
// has made it so, and may have closed it since.
func (c *commit) open(one Change) error {
	if one.OldMode&0o300 == 0o300 {
		return nil
	}
	c.opened = append(c.opened, one)
	return c.lower.Chmod(c.ctx, one.Path, one.OldMode&^fs.ModeType|0o700)
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

// write puts a file under a temporary name in directory.
func (c *commit) write(one Change, directory string) error {
	err := c.writeTemporary(one, directory)
	if err != nil && c.ctx.Err() == nil {
		err = &fs.PathError{Op: "commit", Path: one.Path, Err: err}
	}
	return err
}

// keepTime notes the time of a directory that shows the same one here: a file
// replaced in it is no change of the directory, however it is done.
func (c *commit) keepTime(directory string) error {
	if _, known := c.times[directory]; known {
		return nil
	}
	below, err := c.lower.Lstat(c.ctx, directory)
	var here *vfs.Info
	if err == nil {
		here, _, err = c.info(c.ctx, directory)
	}
	if err != nil {
		if e := vfs.Errno(err); e == vfs.ENOENT || e == vfs.ENOTDIR || e == vfs.ELOOP {
			return nil // it is made, or goes
		}
		return err
	}
	if c.times == nil {
		c.times = map[string]time.Time{}
	}
	c.times[directory] = time.Time{}
	if here.Modified.Equal(below.Modified) {
		c.times[directory] = below.Modified
	}
	return nil
}

func (c *commit) writeTemporary(one Change, directory string) error {
	info, r, err := c.info(c.ctx, one.Path)
	if err != nil {
		return err
	}
	s := staged{path: one.Path, temporary: join(directory, ".vsh-"+rand.Text()+".tmp"), id: r.node.id}
	if !r.node.upper {
		s.source = r.node.lower
		if s.sourcePrint, err = c.lowerPrint(c.ctx, s.source); err != nil {
			return err
		}
	}
	c.staged = append(c.staged, s)
	if c.linkStaged(s) {
		return nil
	}
	if one.Mode&fs.ModeSymlink != 0 {
		target, err := c.Readlink(c.ctx, one.Path)
		if err != nil {
			return err
		}
		if err := c.lower.Symlink(c.ctx, target, s.temporary); err != nil {
			return err
		}
		return supported(c.lower.Chtimes(c.ctx, s.temporary, time.Time{}, info.Modified))
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
	if err == nil && (info.UID >= 0 || info.GID >= 0) {
		if err = supported(c.lower.Chown(c.ctx, s.temporary, info.UID, info.GID)); vfs.Errno(err) == vfs.EPERM {
			err = nil // owners are not ours to give
		}
	}
	if err == nil {
		err = supported(c.lower.Chmod(c.ctx, s.temporary, one.Mode&^fs.ModeType))
	}
	if err == nil {
		err = supported(c.lower.Chtimes(c.ctx, s.temporary, time.Time{}, info.Modified))
	}
	return err
}

// supported is err, unless it says that the lower has no such thing.
func supported(err error) error {
	if vfs.Errno(err) == vfs.ENOTSUP {
		return nil
	}
	return err
}

// linkStaged makes a staged file a link to another name that its node has, where
// that is below already. It reports whether it could.
func (c *commit) linkStaged(s staged) bool {
	if c.current(s.id).links <= 1 {
		return false
	}
	if c.names == nil {
		c.names = c.linkedNames()
	}
	for _, name := range c.names[s.id] {
		if name == s.path {
			continue
		}
		// A name that is written is staged before this one, or will be after.
		if i := slices.IndexFunc(c.staged, func(o staged) bool { return o.path == name }); i >= 0 {
			name = c.staged[i].temporary
		} else if c.isWritten(name) {
			continue
		}
		if c.lower.Link(c.ctx, name, s.temporary) == nil {
			return true
		}
	}
	return false
}

// isWritten reports whether a path gets content by this commit.
func (c *commit) isWritten(p string) bool {
	i, found := slices.BinarySearchFunc(c.all, p, func(one Change, p string) int { return strings.Compare(one.Path, p) })
	for ; found && i < len(c.all) && c.all[i].Path == p; i++ {
		if kind := c.all[i].Kind; kind != touched && kind != ModeChanged {
			return true
		}
	}
	return false
}

// linkedNames are the paths of the nodes that have several.
func (c *commit) linkedNames() map[uint64][]string {
	names := map[uint64][]string{}
	c.mu.RLock()
	defer c.mu.RUnlock()
	var visit func(p string, n *node)
	visit = func(p string, n *node) {
		if n.links > 1 {
			names[n.id] = append(names[n.id], p)
		}
		n.children.Ascend("", func(name string, slot child) bool {
			if below, ok := c.nodes.Get(slot.id); ok {
				visit(join(p, name), below)
			}
			return true
		})
	}
	root, _ := c.nodes.Get(rootID)
	visit("/", root)
	return names
}

// printStaged notes what the staged files are, for when they are in their places.
func (c *commit) printStaged() (err error) {
	for i := range c.staged {
		s := &c.staged[i]
		if s.print, err = c.lowerPrint(c.ctx, s.temporary); err != nil {
			return err
		}
	}
	return nil
}

// point lets the overlay read what is staged where it is staged: the places it
// was read at are about to change. All else stands for itself from here on.
func (c *commit) point() {
	temporary, added := map[uint64]string{}, map[string]bool{}
	for _, s := range c.staged {
		temporary[s.id] = s.temporary
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range c.all {
		switch one.Kind {
		case Added, Renamed:
			added[one.Path] = true
		}
	}
	for p, print := range c.seen {
		if print != nil && !added[p] {
			c.hide(p, print)
		}
	}
	var visit func(p string, n *node)
	visit = func(p string, n *node) {
		if n.lower != "" && n.lower != p {
			below := p
			switch {
			case temporary[n.id] != "" && !n.upper:
				below = temporary[n.id]
			case added[p]:
				below = ""
			}
			n = c.change(n.id)
			n.lower = below
		}
		if !n.kind.IsDir() {
			return
		}
		// Those in it are replaced while it is visited.
		var names []string
		n.children.Ascend("", func(name string, ch child) bool {
			if ch.id != 0 {
				names = append(names, name)
			}
			return true
		})
		for _, name := range names {
			ch, _ := n.children.Get(name)
			one, _ := c.nodes.Get(ch.id)
			visit(join(p, name), one)
		}
	}
	root, _ := c.nodes.Get(rootID)
	visit("/", root)
}

// hide makes a whiteout of a name that a directory of the overlay does not have.
// mu is held.
func (c *commit) hide(p string, print *fingerprint) {
	r, err := c.find(path.Dir(p))
	if err != nil || r.node == nil || !r.node.kind.IsDir() {
		return
	}
	if _, there := r.node.children.Get(path.Base(p)); !there {
		c.change(r.node.id).children.Set(c.epoch, path.Base(p), child{base: print})
	}
}

// place renames staged files of the list into their places and sets modes.
func (c *commit) place(list []Change) error {
	wanted := map[string]bool{}
	for _, one := range list {
		wanted[one.Path] = true
		if !one.Mode.IsDir() || one.Kind == ModeChanged || one.Kind == touched {
			continue
		}
		if err := c.makeDirectory(one); err != nil {
			return err
		}
	}
	kept := c.staged[:0:0]
	for i, s := range c.staged {
		if !wanted[s.path] {
			kept = append(kept, s)
			continue
		}
		if err := c.lower.Rename(c.ctx, s.temporary, s.path, false); err != nil {
			c.staged = append(kept, c.staged[i:]...)
			return err
		}
		c.isPlaced(s)
	}
	c.staged = kept
	for _, one := range list {
		if one.Mode.IsDir() || one.Kind != touched && one.Kind != ModeChanged {
			continue
		}
		info, _, err := c.info(c.ctx, one.Path)
		if err == nil && one.Kind == ModeChanged {
			err = supported(c.lower.Chmod(c.ctx, one.Path, one.Mode&^fs.ModeType))
		}
		if err == nil {
			err = supported(c.lower.Chtimes(c.ctx, one.Path, time.Time{}, info.Modified))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isPlaced notes that a staged file is in its place.
func (c *commit) isPlaced(s staged) {
	c.seen[s.path] = s.print
	c.mu.Lock()
	defer c.mu.Unlock()
	if n, _ := c.nodes.Get(s.id); n != nil && n.lower == s.temporary {
		c.change(s.id).lower = s.path
	}
}

// remove takes away what is gone, the deepest first.
func (c *commit) remove(gone map[string]bool) error {
	paths := make([]string, 0, len(gone))
	for p := range gone {
		paths = append(paths, p)
	}
	sortDeepest(paths)
	for _, p := range paths {
		err := c.removeOne(p)
		if above := path.Dir(p); vfs.Errno(err) == vfs.EACCES && gone[above] {
			// The script has made the directory writable, and then it went.
			if info, statErr := c.lower.Lstat(c.ctx, above); statErr == nil && c.lower.Chmod(c.ctx, above, info.FileMode&^fs.ModeType|0o700) == nil {
				err = c.removeOne(p)
			}
		}
		if err != nil {
			return &fs.PathError{Op: "commit", Path: p, Err: err}
		}
	}
	return nil
}

func (c *commit) removeOne(p string) error {
	info, err := c.lower.Lstat(c.ctx, p)
	switch {
	case err == nil && info.IsDir():
		err = c.lower.Rmdir(c.ctx, p)
	case err == nil:
		err = c.lower.Unlink(c.ctx, p)
	}
	if vfs.Errno(err) == vfs.ENOENT {
		err = nil
	}
	if err == nil {
		c.seen[p] = nil
	}
	return err
}

// finish gives the directories their modes and times, when no more names change
// in them: the deepest first.
func (c *commit) finish() error {
	for i := len(c.all) - 1; i >= 0; i-- {
		one := c.all[i]
		if one.Kind == Removed || !one.Mode.IsDir() {
			continue
		}
		info, _, err := c.info(c.ctx, one.Path)
		if err == nil && (one.Kind != touched || one.Mode&0o300 != 0o300) {
			err = supported(c.lower.Chmod(c.ctx, one.Path, one.Mode&^fs.ModeType))
		}
		if err == nil {
			err = supported(c.lower.Chtimes(c.ctx, one.Path, time.Time{}, info.Modified))
		}
		if err != nil {
			return err
		}
		delete(c.times, one.Path)
	}
	for p, t := range c.times {
		if !t.IsZero() {
			if err := supported(c.lower.Chtimes(c.ctx, p, time.Time{}, t)); err != nil && vfs.Errno(err) != vfs.ENOENT {
				return err
			}
		}
	}
	return nil
}

// syncNames waits, with Options.Sync, until the names in the directories of the
// list have reached the disk. A lower that can't do that for a directory is left
// alone.
func (c *commit) syncNames(list []Change) error {
	if !c.options.Sync {
		return nil
	}
	done := map[string]bool{}
	for _, one := range list {
		directory := path.Dir(one.Path)
		if done[directory] {
			continue
		}
		done[directory] = true
		d, err := c.lower.Open(c.ctx, directory, vfs.O_RDONLY, 0)
		if err != nil {
			continue // removed
		}
		err = d.Sync()
		d.Close()
		if vfs.Errno(err) == vfs.EIO {
			return err
		}
	}
	return nil
}

// undo takes back what was staged.
func (c *commit) undo() {
	ctx := context.WithoutCancel(c.ctx)
	for _, s := range c.staged {
		c.clear(ctx, s.temporary, false)
	}
	for i := len(c.opened) - 1; i >= 0; i-- {
		c.lower.Chmod(ctx, c.opened[i].Path, c.opened[i].OldMode&^fs.ModeType)
	}
	for i := len(c.made) - 1; i >= 0; i-- {
		c.clear(ctx, c.made[i], true)
	}
}

// keep makes the overlay one over the lower as the commit has left it half way.
// A temporary file stays, hidden, where no other place below has its content any
// more: should the process end now, it is not lost.
func (c *commit) keep() {
	ctx := context.WithoutCancel(c.ctx)
	for _, s := range c.staged {
		if _, err := c.lower.Lstat(ctx, s.temporary); vfs.Errno(err) == vfs.ENOENT {
			c.isPlaced(s) // whatever the lower answered
			continue
		}
		if c.backToSource(ctx, s) {
			c.clear(ctx, s.temporary, false)
			continue
		}
		c.mu.Lock()
		c.leaveBehind(s.temporary, false)
		c.mu.Unlock()
	}
	for _, p := range c.made {
		c.seen[p] = madeDirectory
	}
	for p, print := range c.seen {
		if now, err := c.lowerPrint(ctx, p); err == nil && now == nil {
			c.seen[p] = nil
		} else if print != nil && print.mode.IsDir() {
			c.seen[p] = madeDirectory
		}
	}
	c.agree(c.seen)
}

// backToSource reports whether a staged file is to be had without its temporary:
// up here, or where it still is below.
func (c *commit) backToSource(ctx context.Context, s staged) bool {
	n := c.current(s.id)
	if n == nil || n.lower != s.temporary {
		return true
	}
	if s.source == "" {
		return false
	}
	if now, err := c.lowerPrint(ctx, s.source); err != nil || !now.same(s.sourcePrint) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.change(s.id).lower = s.source
	return true
}
