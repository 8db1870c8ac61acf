package memory

import (
	"context"
	"io/fs"
	"strings"
	"time"

	"github.com/vsh-project/vsh/vfs"
)

// split is the directory and the last element of a clean path.
func split(path string) (directory, name string) {
	i := strings.LastIndexByte(path, '/')
	return path[:i], path[i+1:]
}

// lookup finds the inode at path. A link above the last element is ELOOP.
func (f *filesystem) lookup(path string) (*inode, error) {
	n := f.inode(rootInode)
	for rest := strings.TrimPrefix(path, "/"); rest != ""; {
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		if !n.mode.IsDir() {
			if n.mode&fs.ModeSymlink != 0 {
				return nil, vfs.ELOOP
			}
			return nil, vfs.ENOTDIR
		}
		e, ok := n.entries.Get(name)
		if !ok {
			return nil, vfs.ENOENT
		}
		n = f.inode(e.number)
	}
	return n, nil
}

// place finds the directory above path, and what is at path (nil: nothing).
func (f *filesystem) place(path string) (directory *inode, name string, n *inode, err error) {
	above, name := split(path)
	if name == "" {
		return nil, "", f.inode(rootInode), nil
	}
	directory, err = f.lookup(above)
	if err != nil {
		return nil, "", nil, err
	}
	if !directory.mode.IsDir() {
		if directory.mode&fs.ModeSymlink != 0 {
			return nil, "", nil, vfs.ELOOP
		}
		return nil, "", nil, vfs.ENOTDIR
	}
	if e, ok := directory.entries.Get(name); ok {
		n = f.inode(e.number)
	}
	return directory, name, n, nil
}

func baseName(path string) string {
	if _, name := split(path); name != "" {
		return name
	}
	return "/"
}

func (f *filesystem) Lstat(ctx context.Context, path string) (*vfs.Info, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	n, err := f.lookup(path)
	if err != nil {
		return nil, err
	}
	return f.info(n, baseName(path)), nil
}

// Search implements vfs.Searcher.
func (f *filesystem) Search(ctx context.Context, path string, allowed func(*vfs.Info) bool) error {
	f.mu.RLock()
	defer f.mu.RUnlock()
	n := f.inode(rootInode)
	var info vfs.Info
	for rest := strings.TrimPrefix(path, "/"); rest != ""; {
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		if !n.mode.IsDir() {
			if n.mode&fs.ModeSymlink != 0 {
				return vfs.ELOOP
			}
			return vfs.ENOTDIR
		}
		info.FileMode, info.UID, info.GID = n.mode, int(n.uid), int(n.gid)
		if !allowed(&info) {
			return vfs.EACCES
		}
		if rest == "" {
			return nil
		}
		e, ok := n.entries.Get(name)
		if !ok {
			return vfs.ENOENT
		}
		n = f.inode(e.number)
	}
	return nil
}

func (f *filesystem) ReadDir(ctx context.Context, path string) ([]vfs.Entry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	n, err := f.lookup(path)
	switch {
	case err != nil:
		return nil, err
	case n.mode&fs.ModeSymlink != 0:
		return nil, vfs.ELOOP
	case !n.mode.IsDir():
		return nil, vfs.ENOTDIR
	}
	entries := make([]vfs.Entry, 0, n.entries.Len())
	n.entries.Ascend("", func(name string, e entry) bool {
		entries = append(entries, vfs.Entry{Name: name, Type: e.kind, Inode: e.number})
		return true
	})
	return entries, nil
}

const accessFlags = vfs.O_RDONLY | vfs.O_WRONLY | vfs.O_RDWR

func (f *filesystem) Open(ctx context.Context, path string, flag int, mode fs.FileMode) (vfs.File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	directory, name, n, err := f.place(path)
	if err != nil {
		return nil, err
	}
	creates := flag&vfs.O_CREATE != 0
	switch {
	case n == nil && !creates:
		return nil, vfs.ENOENT
	case n == nil:
		if n, err = f.make(directory, name, mode&permissionBits, 0); err != nil {
			return nil, err
		}
	case creates && flag&vfs.O_EXCL != 0:
		return nil, vfs.EEXIST
	case n.mode&fs.ModeSymlink != 0:
		return nil, vfs.ELOOP
	case n.mode.IsDir():
		if flag&accessFlags != vfs.O_RDONLY || creates || flag&vfs.O_TRUNC != 0 {
			return nil, vfs.EISDIR
		}
	case !n.mode.IsRegular():
		return nil, vfs.ENXIO // a named pipe, which the View opens
	case flag&vfs.O_TRUNC != 0:
		n = f.change(n)
		if err := f.truncate(n, 0); err != nil {
			return nil, err
		}
		n.mtime = f.now()
		n.ctime = n.mtime
	}
	f.opens[n.number]++
	return &file{fs: f, number: n.number, name: baseName(path), flag: flag, directory: n.mode.IsDir()}, nil
}

const permissionBits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// create makes a new inode at path.
func (f *filesystem) create(ctx context.Context, path string, mode fs.FileMode, target string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	directory, name, n, err := f.place(path)
	if err != nil {
		return err
	}
	if n != nil {
		return vfs.EEXIST
	}
	if mode.IsDir() && directory.links >= maxLinks {
		return vfs.EMLINK
	}
	made, err := f.make(directory, name, mode, int64(len(target)))
	if err == nil {
		made.target = target
	}
	return err
}

func (f *filesystem) Mkdir(ctx context.Context, path string, mode fs.FileMode) error {
	return f.create(ctx, path, fs.ModeDir|mode&permissionBits, "")
}

func (f *filesystem) Mkfifo(ctx context.Context, path string, mode fs.FileMode) error {
	return f.create(ctx, path, fs.ModeNamedPipe|mode&permissionBits, "")
}

func (f *filesystem) Symlink(ctx context.Context, target, path string) error {
	return f.create(ctx, path, fs.ModeSymlink|0o777, target)
}

func (f *filesystem) Unlink(ctx context.Context, path string) error {
	return f.remove(ctx, path, false)
}

func (f *filesystem) Rmdir(ctx context.Context, path string) error {
	return f.remove(ctx, path, true)
}

func (f *filesystem) remove(ctx context.Context, path string, wantDirectory bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	directory, name, n, err := f.place(path)
	switch {
	case err != nil:
		return err
	case directory == nil:
		return vfs.EBUSY
	case n == nil:
		return vfs.ENOENT
	case wantDirectory && !n.mode.IsDir():
		return vfs.ENOTDIR
	case !wantDirectory && n.mode.IsDir():
		return vfs.EISDIR
	case n.entries.Len() > 0:
		return vfs.ENOTEMPTY
	}
	f.unname(directory, name, n)
	return nil
}

func (f *filesystem) Rename(ctx context.Context, from, to string, noReplace bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	source, oldName, n, err := f.place(from)
	if err != nil {
		return err
	}
	target, newName, replaced, err := f.place(to)
	switch {
	case err != nil:
		return err
	case source == nil || target == nil:
		return vfs.EBUSY
	case n == nil:
		return vfs.ENOENT
	case replaced != nil && noReplace:
		return vfs.EEXIST
	case n == replaced:
		return nil
	case n.mode.IsDir() && strings.HasPrefix(to, from+"/"):
		return vfs.EINVAL
	}
	if replaced != nil {
		switch {
		case replaced.mode.IsDir() && strings.HasPrefix(from, to+"/"):
			return vfs.ENOTEMPTY
		case n.mode.IsDir() && !replaced.mode.IsDir():
			return vfs.ENOTDIR
		case !n.mode.IsDir() && replaced.mode.IsDir():
			return vfs.EISDIR
		case replaced.entries.Len() > 0:
			return vfs.ENOTEMPTY
		}
	} else if n.mode.IsDir() && source != target && target.links >= maxLinks {
		return vfs.EMLINK
	}
	// The new name is paid for by the old one but for its length.
	if extra := int64(len(newName) - len(oldName)); replaced == nil && extra > 0 {
		if err := f.grow(extra); err != nil {
			return err
		}
	} else if replaced == nil {
		f.shrink(-extra, n.made)
	} else {
		f.shrink(nameCharge+int64(len(oldName)), n.made)
	}
	same := source == target
	if replaced != nil {
		replaced = f.change(replaced)
		replaced.ctime = f.now()
		if replaced.mode.IsDir() {
			replaced.links = 0
		} else {
			replaced.links--
		}
		f.collect(replaced)
	}
	source = f.change(source)
	if same {
		target = source
	} else {
		target = f.change(target)
	}
	source.entries.Delete(f.epoch, oldName)
	target.entries.Set(f.epoch, newName, entry{n.number, n.mode.Type()})
	now := f.now()
	n = f.change(n)
	n.ctime = now
	source.mtime, source.ctime = now, now
	target.mtime, target.ctime = now, now
	if n.mode.IsDir() {
		source.links--
		if replaced == nil {
			target.links++
		}
	}
	return nil
}

func (f *filesystem) Link(ctx context.Context, from, to string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.lookup(from)
	if err != nil {
		return err
	}
	directory, name, there, err := f.place(to)
	switch {
	case err != nil:
		return err
	case there != nil:
		return vfs.EEXIST
	case n.mode.IsDir():
		return vfs.EPERM
	case n.links >= maxLinks:
		return vfs.EMLINK
	}
	if err := f.grow(nameCharge + int64(len(name))); err != nil {
		return err
	}
	now := f.now()
	n = f.change(n)
	n.links++
	n.ctime = now
	directory = f.change(directory)
	directory.entries.Set(f.epoch, name, entry{n.number, n.mode.Type()})
	directory.mtime, directory.ctime = now, now
	return nil
}

func (f *filesystem) Readlink(ctx context.Context, path string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	n, err := f.lookup(path)
	if err != nil {
		return "", err
	}
	if n.mode&fs.ModeSymlink == 0 {
		return "", vfs.EINVAL
	}
	return n.target, nil
}

// alter changes the inode at path.
func (f *filesystem) alter(ctx context.Context, path string, change func(n *inode) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.lookup(path)
	if err != nil {
		return err
	}
	n = f.change(n)
	if err := change(n); err != nil {
		return err
	}
	n.ctime = f.now()
	return nil
}

func (f *filesystem) Chmod(ctx context.Context, path string, mode fs.FileMode) error {
	return f.alter(ctx, path, func(n *inode) error {
		n.mode = n.mode&^permissionBits | mode&permissionBits
		return nil
	})
}

func (f *filesystem) Chown(ctx context.Context, path string, uid, gid int) error {
	return f.alter(ctx, path, func(n *inode) error {
		if uid >= 0 {
			n.uid = int32(uid)
		}
		if gid >= 0 {
			n.gid = int32(gid)
		}
		return nil
	})
}

func (f *filesystem) Chtimes(ctx context.Context, path string, atime, mtime time.Time) error {
	return f.alter(ctx, path, func(n *inode) error {
		if !atime.IsZero() {
			n.atime = stampOf(atime)
		}
		if !mtime.IsZero() {
			n.mtime = stampOf(mtime)
		}
		return nil
	})
}

func (f *filesystem) Truncate(ctx context.Context, path string, size int64) error {
	return f.alter(ctx, path, func(n *inode) error {
		switch {
		case n.mode&fs.ModeSymlink != 0:
			return vfs.ELOOP
		case n.mode.IsDir():
			return vfs.EISDIR
		case !n.mode.IsRegular():
			return vfs.EINVAL
		}
		if err := f.truncate(n, size); err != nil {
			return err
		}
		n.mtime = f.now()
		return nil
	})
}
