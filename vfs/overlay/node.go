package overlay

import (
	"context"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/vsh-project/vsh/vfs"
)

// All in this file runs behind the gate.

// name is where the upper holds the node.
func (n *node) name() string { return "/" + strconv.FormatUint(n.id, 10) }

// change is the node of that id to write to, copied where a snapshot shares
// it. mu is held.
func (f *filesystem) change(id uint64) *node {
	n, _ := f.nodes.Get(id)
	if f.epoch.Owns(n.epoch) {
		return n
	}
	c := *n
	c.epoch = f.epoch.Number
	f.nodes.Set(f.epoch, id, &c)
	return &c
}

// current is the node as it is now.
func (f *filesystem) current(id uint64) *node {
	f.mu.RLock()
	defer f.mu.RUnlock()
	n, _ := f.nodes.Get(id)
	return n
}

// add makes a node and pays for it. id 0 takes a new one.
func (f *filesystem) add(n node) (*node, error) {
	if f.options.Budget != nil {
		if err := f.options.Budget.Charge(nodeCharge); err != nil {
			return nil, &noSpace{err}
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.charged += nodeCharge
	if _, taken := f.nodes.Get(n.id); n.id <= rootID || taken {
		f.next++
		n.id = f.next
	}
	n.epoch = f.epoch.Number
	f.nodes.Set(f.epoch, n.id, &n)
	return &n, nil
}

// noSpace is ENOSPC with the budget's own error behind it.
type noSpace struct{ cause error }

func (e *noSpace) Error() string   { return vfs.ENOSPC.Error() }
func (e *noSpace) Unwrap() []error { return []error{vfs.ENOSPC, e.cause} }

// drop forgets a node without names, and its upper.
func (f *filesystem) drop(id uint64) {
	f.mu.Lock()
	n, _ := f.nodes.Get(id)
	f.nodes.Delete(f.epoch, id)
	if n.kind.IsDir() && n.lower != "" {
		f.gone.Set(f.epoch, n.lower, n)
	}
	if f.snapshots == 0 && f.options.Budget != nil {
		f.charged -= nodeCharge
		f.options.Budget.Release(nodeCharge)
	}
	f.mu.Unlock()
	f.dropUpper(n)
}

func (f *filesystem) dropUpper(n *node) {
	if !n.upper {
		return
	}
	ctx := context.Background()
	if n.kind.IsDir() {
		f.up.Rmdir(ctx, n.name())
	} else {
		f.up.Unlink(ctx, n.name())
	}
}

// directory is the node of the directory at path, made where only the lower
// has it.
func (f *filesystem) directory(ctx context.Context, path string) (*node, error) {
	n := f.current(rootID)
	for rest := path[1:]; rest != ""; {
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		next, err := f.child(ctx, n, name)
		if err != nil {
			return nil, err
		}
		if !next.kind.IsDir() {
			return nil, notDirectory(next.kind)
		}
		n = next
	}
	return n, nil
}

// child is the node of a name in a directory, made where only the lower has it.
func (f *filesystem) child(ctx context.Context, directory *node, name string) (*node, error) {
	c, ok := directory.children.Get(name)
	switch {
	case ok && c.id != 0:
		return f.current(c.id), nil
	case ok || directory.lower == "":
		return nil, vfs.ENOENT
	}
	below := join(directory.lower, name)
	info, err := f.lower.Lstat(ctx, below)
	if err != nil {
		return nil, err
	}
	made := node{kind: info.FileMode.Type(), links: 1, lower: below}
	// A file with several names below stays one there; up here it is another.
	if info.IsDir() || info.Links == 1 {
		made.id = info.Inode
	}
	n, err := f.add(made)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	f.change(directory.id).children.Set(f.epoch, name, child{id: n.id, base: fingerprintOf(info)})
	f.mu.Unlock()
	return n, nil
}

// own is the node at path and the directory above, made where only the lower
// has them.
func (f *filesystem) own(ctx context.Context, p string) (n, directory *node, err error) {
	if p == "/" {
		return f.current(rootID), nil, nil
	}
	if directory, err = f.directory(ctx, path.Dir(p)); err != nil {
		return nil, nil, err
	}
	n, err = f.child(ctx, directory, path.Base(p))
	return n, f.current(directory.id), err
}

// raise copies a node up. content says whether a file's bytes are wanted.
func (f *filesystem) raise(ctx context.Context, n *node, content bool) (*node, error) {
	if n.upper {
		return n, nil
	}
	for try := 0; ; try++ {
		before, err := f.lower.Lstat(ctx, n.lower)
		if err != nil {
			return nil, err
		}
		if err := f.copyUp(ctx, n, before, content); err != nil {
			return nil, err
		}
		// Somebody may have written to the lower meanwhile.
		after, err := f.lower.Lstat(ctx, n.lower)
		if err == nil && fingerprintOf(after).same(fingerprintOf(before)) {
			break
		}
		f.dropUpper(&node{id: n.id, kind: n.kind, upper: true})
		if try == 3 {
			return nil, vfs.EBUSY
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	n = f.change(n.id)
	n.upper = true
	if r := f.readers[n.lower]; r != nil && n.kind.IsRegular() {
		// Who has the lower file open reads the copy from now on.
		if file, err := f.up.Open(context.Background(), n.name(), vfs.O_RDONLY, 0); err == nil {
			r.upper.Store(&raised{file})
		}
	}
	return n, nil
}

func (f *filesystem) copyUp(ctx context.Context, n *node, info *vfs.Info, content bool) (err error) {
	name, mode := n.name(), info.FileMode&^fs.ModeType
	defer func() {
		if err != nil {
			f.dropUpper(&node{id: n.id, kind: n.kind, upper: true})
		}
	}()
	switch info.FileMode.Type() {
	case fs.ModeDir:
		err = f.up.Mkdir(ctx, name, mode)
	case fs.ModeSymlink:
		var target string
		if target, err = f.lower.Readlink(ctx, n.lower); err == nil {
			err = f.up.Symlink(ctx, target, name)
		}
	case fs.ModeNamedPipe:
		err = f.up.Mkfifo(ctx, name, mode)
	case 0:
		var file vfs.File
		if file, err = f.up.Open(ctx, name, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_EXCL, mode); err != nil {
			return err
		}
		if content {
			err = f.copyContent(ctx, file, n.lower)
		}
		if closed := file.Close(); err == nil {
			err = closed
		}
	default:
		err = vfs.EPERM // a device or socket of the host
	}
	if err != nil {
		return err
	}
	if info.FileMode&fs.ModeSymlink == 0 {
		if err = f.up.Chmod(ctx, name, mode); err != nil {
			return err
		}
	}
	if info.UID >= 0 || info.GID >= 0 {
		if err = f.up.Chown(ctx, name, info.UID, info.GID); err != nil {
			return err
		}
	}
	return f.up.Chtimes(ctx, name, info.Accessed, info.Modified)
}

const blockSize = 64 << 10

// copyContent copies a lower file; a block of zeros at a hole's place stays a
// hole.
func (f *filesystem) copyContent(ctx context.Context, to vfs.File, lower string) error {
	from, err := f.lower.Open(ctx, lower, vfs.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer from.Close()
	return copyBlocks(ctx, to, from)
}

func copyBlocks(ctx context.Context, to, from vfs.File) error {
	to = vfs.WholeWriter(to)
	block := make([]byte, blockSize)
	size := int64(0)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := io.ReadFull(from, block)
		if n > 0 && !zeros(block[:n]) {
			if _, err := to.WriteAt(block[:n], size); err != nil {
				return err
			}
		}
		size += int64(n)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return to.Truncate(size)
		}
		if err != nil {
			return err
		}
	}
}

func zeros(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// touch notes that a directory's names have changed.
func (f *filesystem) touch(ctx context.Context, n *node) error {
	n, err := f.raise(ctx, n, false)
	if err != nil {
		return err
	}
	return f.up.Chtimes(ctx, n.name(), time.Time{}, f.options.Clock())
}

// bind puts a node under a name. What the lower has there stays hidden.
func (f *filesystem) bind(ctx context.Context, directory *node, name string, id uint64) error {
	slot, ok := directory.children.Get(name)
	if !ok && directory.lower != "" {
		info, err := f.lower.Lstat(ctx, join(directory.lower, name))
		if err == nil {
			slot.base = fingerprintOf(info)
		} else if vfs.Errno(err) != vfs.ENOENT {
			return err
		}
	}
	slot.id = id
	f.mu.Lock()
	defer f.mu.Unlock()
	f.change(directory.id).children.Set(f.epoch, name, slot)
	return nil
}

// unbind takes a name away: a whiteout where the lower has one.
func (f *filesystem) unbind(ctx context.Context, directory *node, name string) error {
	if err := f.bind(ctx, directory, name, 0); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.change(directory.id)
	if slot, _ := n.children.Get(name); slot.base == nil {
		n.children.Delete(f.epoch, name)
	}
	return nil
}

// release notes that a node has lost a name.
func (f *filesystem) release(n *node) {
	if n.kind.IsDir() || n.links <= 1 {
		f.drop(n.id)
		return
	}
	f.mu.Lock()
	f.change(n.id).links--
	f.mu.Unlock()
}
