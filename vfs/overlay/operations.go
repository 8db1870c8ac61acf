package overlay

import (
	"context"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/vsh-project/vsh/vfs"
)

const accessFlags = vfs.O_RDONLY | vfs.O_WRONLY | vfs.O_RDWR

func (f *filesystem) Open(ctx context.Context, p string, flag int, mode fs.FileMode) (vfs.File, error) {
	writes := flag&accessFlags != vfs.O_RDONLY || flag&vfs.O_TRUNC != 0
	if !writes && flag&vfs.O_CREATE == 0 {
		return f.openRead(ctx, p)
	}
	if err := f.enter(ctx); err != nil {
		return nil, err
	}
	defer f.leave()
	info, r, err := f.info(ctx, p)
	switch {
	case err != nil && vfs.Errno(err) == vfs.ENOENT && flag&vfs.O_CREATE != 0:
		return f.create(ctx, p, flag, mode)
	case err != nil:
		return nil, err
	case flag&(vfs.O_CREATE|vfs.O_EXCL) == vfs.O_CREATE|vfs.O_EXCL:
		return nil, vfs.EEXIST
	case info.FileMode&fs.ModeSymlink != 0:
		return nil, vfs.ELOOP
	case info.IsDir():
		return nil, vfs.EISDIR
	case info.FileMode&fs.ModeNamedPipe != 0 && r.node != nil && r.node.upper:
		return nil, vfs.ENXIO // the View's to give it content
	case !info.FileMode.IsRegular():
		return nil, vfs.EACCES
	case !writes:
		return f.openRef(ctx, r, p)
	}
	n, _, err := f.own(ctx, p)
	if err == nil {
		n, err = f.raise(ctx, n, flag&vfs.O_TRUNC == 0)
	}
	if err != nil {
		return nil, err
	}
	return f.openUpper(ctx, n, p, flag&^(vfs.O_CREATE|vfs.O_EXCL))
}

// create makes a file at a path where nothing is.
func (f *filesystem) create(ctx context.Context, p string, flag int, mode fs.FileMode) (vfs.File, error) {
	var file vfs.File
	err := f.make(ctx, p, 0, func(name string) (err error) {
		file, err = f.up.Open(ctx, name, flag|vfs.O_CREATE|vfs.O_EXCL, mode)
		return err
	})
	if err != nil {
		return nil, err
	}
	r, err := f.walk(p)
	if err != nil || r.node == nil {
		file.Close()
		return nil, vfs.EIO
	}
	return &upperFile{File: file, fs: f, id: r.node.id, name: base(p)}, nil
}

// make adds a node of that kind at path by a call on the upper.
func (f *filesystem) make(ctx context.Context, p string, kind fs.FileMode, call func(name string) error) error {
	if _, _, err := f.info(ctx, p); err == nil {
		return vfs.EEXIST
	} else if vfs.Errno(err) != vfs.ENOENT {
		return err
	}
	directory, err := f.directory(ctx, path.Dir(p))
	if err != nil {
		return err
	}
	if err := f.touch(ctx, directory); err != nil {
		return err
	}
	n, err := f.add(node{kind: kind, links: 1, upper: true})
	if err != nil {
		return err
	}
	if err = call(n.name()); err == nil {
		err = f.bind(ctx, f.current(directory.id), path.Base(p), n.id)
	}
	if err != nil {
		f.drop(n.id)
	}
	return err
}

func (f *filesystem) Mkdir(ctx context.Context, p string, mode fs.FileMode) error {
	return f.behindGate(ctx, func() error {
		return f.make(ctx, p, fs.ModeDir, func(name string) error { return f.up.Mkdir(ctx, name, mode) })
	})
}

func (f *filesystem) Mkfifo(ctx context.Context, p string, mode fs.FileMode) error {
	return f.behindGate(ctx, func() error {
		return f.make(ctx, p, fs.ModeNamedPipe, func(name string) error { return f.up.Mkfifo(ctx, name, mode) })
	})
}

func (f *filesystem) Symlink(ctx context.Context, target, p string) error {
	return f.behindGate(ctx, func() error {
		return f.make(ctx, p, fs.ModeSymlink, func(name string) error { return f.up.Symlink(ctx, target, name) })
	})
}

func (f *filesystem) behindGate(ctx context.Context, do func() error) error {
	if err := f.enter(ctx); err != nil {
		return err
	}
	defer f.leave()
	return do()
}

func (f *filesystem) Unlink(ctx context.Context, p string) error { return f.remove(ctx, p, false) }
func (f *filesystem) Rmdir(ctx context.Context, p string) error  { return f.remove(ctx, p, true) }

func (f *filesystem) remove(ctx context.Context, p string, wantDirectory bool) error {
	return f.behindGate(ctx, func() error {
		if p == "/" {
			return vfs.EBUSY
		}
		info, _, err := f.info(ctx, p)
		switch {
		case err != nil:
			return err
		case info.IsDir() && !wantDirectory:
			return vfs.EISDIR
		case !info.IsDir() && wantDirectory:
			return vfs.ENOTDIR
		}
		if wantDirectory {
			entries, err := f.ReadDir(ctx, p)
			if err != nil {
				return err
			}
			if len(entries) > 0 {
				return vfs.ENOTEMPTY
			}
		}
		directory, err := f.directory(ctx, path.Dir(p))
		if err != nil {
			return err
		}
		return f.takeAway(ctx, directory, path.Base(p))
	})
}

// takeAway removes a name, and what it named when that was its last.
func (f *filesystem) takeAway(ctx context.Context, directory *node, name string) error {
	if err := f.touch(ctx, directory); err != nil {
		return err
	}
	directory = f.current(directory.id)
	slot, _ := directory.children.Get(name)
	if err := f.unbind(ctx, directory, name); err != nil {
		return err
	}
	if slot.id != 0 {
		f.release(f.current(slot.id))
	}
	return nil
}

func (f *filesystem) Rename(ctx context.Context, from, to string, noReplace bool) error {
	return f.behindGate(ctx, func() error { return f.rename(ctx, from, to, noReplace) })
}

// above checks that the directory above path is one.
func (f *filesystem) above(ctx context.Context, p string) error {
	info, _, err := f.info(ctx, path.Dir(p))
	if err == nil && !info.IsDir() {
		err = notDirectory(info.FileMode)
	}
	return err
}

func (f *filesystem) rename(ctx context.Context, from, to string, noReplace bool) error {
	for _, p := range [2]string{from, to} {
		if err := f.above(ctx, p); err != nil {
			return err
		}
	}
	source, sourceRef, err := f.info(ctx, from)
	if err != nil {
		return err
	}
	if from == "/" || to == "/" {
		return vfs.EBUSY
	}
	target, targetRef, err := f.info(ctx, to)
	if err != nil && vfs.Errno(err) != vfs.ENOENT {
		return err
	}
	switch {
	case target != nil && noReplace:
		return vfs.EEXIST
	case from == to:
		return nil
	case sourceRef.node != nil && sourceRef.node == targetRef.node:
		return nil
	case target != nil && sourceRef.node == nil && targetRef.node == nil && source.Inode == target.Inode && !source.IsDir():
		return nil // two names of one file below
	case source.IsDir() && strings.HasPrefix(to, from+"/"):
		return vfs.EINVAL
	}
	if target != nil {
		switch {
		case target.IsDir() && strings.HasPrefix(from, to+"/"):
			return vfs.ENOTEMPTY
		case source.IsDir() && !target.IsDir():
			return vfs.ENOTDIR
		case !source.IsDir() && target.IsDir():
			return vfs.EISDIR
		case target.IsDir():
			entries, err := f.ReadDir(ctx, to)
			if err != nil {
				return err
			}
			if len(entries) > 0 {
				return vfs.ENOTEMPTY
			}
		}
	}
	n, oldDirectory, err := f.own(ctx, from)
	if err != nil {
		return err
	}
	newDirectory, err := f.directory(ctx, path.Dir(to))
	if err != nil {
		return err
	}
	for _, d := range []*node{oldDirectory, newDirectory} {
		if err := f.touch(ctx, d); err != nil {
			return err
		}
	}
	newDirectory = f.current(newDirectory.id)
	replaced, _ := newDirectory.children.Get(path.Base(to))
	if err := f.bind(ctx, newDirectory, path.Base(to), n.id); err != nil {
		return err
	}
	if replaced.id != 0 {
		f.release(f.current(replaced.id))
	}
	return f.unbind(ctx, f.current(oldDirectory.id), path.Base(from))
}

func (f *filesystem) Link(ctx context.Context, from, to string) error {
	return f.behindGate(ctx, func() error {
		info, _, err := f.info(ctx, from)
		if err != nil {
			return err
		}
		if _, _, err := f.info(ctx, to); err == nil {
			return vfs.EEXIST
		} else if vfs.Errno(err) != vfs.ENOENT {
			return err
		}
		if err := f.above(ctx, to); err != nil {
			return err
		}
		if info.IsDir() {
			return vfs.EPERM
		}
		directory, err := f.directory(ctx, path.Dir(to))
		if err != nil {
			return err
		}
		n, _, err := f.own(ctx, from)
		if err == nil {
			n, err = f.raise(ctx, n, true)
		}
		if err != nil {
			return err
		}
		if err := f.touch(ctx, f.current(directory.id)); err != nil {
			return err
		}
		if err := f.bind(ctx, f.current(directory.id), path.Base(to), n.id); err != nil {
			return err
		}
		f.mu.Lock()
		f.change(n.id).links++
		f.mu.Unlock()
		return nil
	})
}

// alter copies what is at path up and changes it there.
func (f *filesystem) alter(ctx context.Context, p string, content bool, call func(name string) error) error {
	return f.behindGate(ctx, func() error {
		if _, _, err := f.info(ctx, p); err != nil {
			return err
		}
		n, _, err := f.own(ctx, p)
		if err == nil {
			n, err = f.raise(ctx, n, content)
		}
		if err != nil {
			return err
		}
		return call(n.name())
	})
}

func (f *filesystem) Chmod(ctx context.Context, p string, mode fs.FileMode) error {
	return f.alter(ctx, p, true, func(name string) error { return f.up.Chmod(ctx, name, mode) })
}

func (f *filesystem) Chown(ctx context.Context, p string, uid, gid int) error {
	return f.alter(ctx, p, true, func(name string) error { return f.up.Chown(ctx, name, uid, gid) })
}

func (f *filesystem) Chtimes(ctx context.Context, p string, atime, mtime time.Time) error {
	return f.alter(ctx, p, true, func(name string) error { return f.up.Chtimes(ctx, name, atime, mtime) })
}

func (f *filesystem) Truncate(ctx context.Context, p string, size int64) error {
	info, err := f.Lstat(ctx, p)
	switch {
	case err != nil:
		return err
	case info.FileMode&fs.ModeSymlink != 0:
		return vfs.ELOOP
	case info.IsDir():
		return vfs.EISDIR
	case !info.FileMode.IsRegular() || size < 0:
		return vfs.EINVAL
	}
	return f.alter(ctx, p, size > 0, func(name string) error { return f.up.Truncate(ctx, name, size) })
}
