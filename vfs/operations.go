package vfs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"time"
)

// failed is an operation's error with the path as typed and the bare cause.
func failed(op, typed string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: typed, Err: shown(typed, cause(err))}
}

// shown is err with the path as typed where a policy names the resolved one.
func shown(typed string, err error) error {
	var r *Refusal
	if errors.As(err, &r) && !r.typed {
		c := *r
		c.Path, c.typed = typed, true
		return &c
	}
	return err
}

// shownOfTwo is shown for an operation on two names, of which the policy names
// one.
func shownOfTwo(from, to string, target place, err error) error {
	var r *Refusal
	if errors.As(err, &r) && r.Path == target.path {
		return shown(to, err)
	}
	return shown(from, err)
}

func isLink(info *Info) bool { return info.FileMode&fs.ModeSymlink != 0 }

// Stat follows links; Lstat does not follow the last.
func (v *View) Stat(ctx context.Context, path string) (*Info, error) {
	_, info, err := v.stat(ctx, path, followLast, IntentLookup)
	if path == "." && Errno(err) == ENOENT {
		return &Info{FileName: ".", FileMode: fs.ModeDir | 0o755}, nil // removed, but still there for who is in it
	}
	return info, failed("stat", path, err)
}

func (v *View) Lstat(ctx context.Context, path string) (*Info, error) {
	_, info, err := v.stat(ctx, path, keepLast, IntentLookup)
	if path == "." && Errno(err) == ENOENT {
		return &Info{FileName: ".", FileMode: fs.ModeDir | 0o755}, nil
	}
	return info, failed("lstat", path, err)
}

// stat describes what path leads to and says where that is.
func (v *View) stat(ctx context.Context, typed string, last follow, intent Intent) (at place, info *Info, err error) {
	o, err := v.parse(typed, intent)
	if err != nil {
		return at, nil, err
	}
	err = v.reach(ctx, o, last, func(p place, known *Info, found bool) error {
		if !found {
			if p, known, err = v.find(ctx, p.path); err != nil {
				return err
			}
			if isLink(known) && last == followLast {
				return ELOOP
			}
		}
		if known == nil {
			return ENOENT
		}
		at, info = p, known
		return nil
	})
	if err != nil {
		return at, nil, err
	}
	if name := path.Base(at.path); info.FileName != name {
		c := *info
		c.FileName = name
		info = &c
	}
	return at, info, nil
}

// ReadDir lists a directory sorted by name (bytes).
func (v *View) ReadDir(ctx context.Context, path string) ([]Entry, error) {
	entries, err := v.list(ctx, path)
	if path == "." && Errno(err) == ENOENT {
		return nil, nil
	}
	return entries, failed("open", path, err)
}

func (v *View) list(ctx context.Context, typed string) (entries []Entry, err error) {
	o, err := v.parse(typed, IntentRead)
	if err != nil {
		return nil, err
	}
	// A plain "dir/" or "." is the commonest operand of all.
	if o.exact && o.last != ".." {
		o.directory = false
	}
	err = v.reach(ctx, o, followLast, func(p place, info *Info, found bool) error {
		if !found && p.mount != nil && v.binds(p) {
			if _, ok := p.mount.FS.(CheckedOpener); ok {
				entries, err = v.readDir(ctx, p, func(i *Info) bool { return v.allows(i, AccessRead) })
				return err
			}
		}
		if found || p.mount == nil || v.binds(p) {
			if p, info, err = v.known(ctx, p, info, found); err != nil {
				return err
			}
			if isLink(info) {
				return ELOOP
			}
			if !info.IsDir() {
				return ENOTDIR
			}
			if v.binds(p) && !v.allows(info, AccessRead) {
				return EACCES
			}
		}
		entries, err = v.readDir(ctx, p, nil)
		return err
	})
	return entries, err
}

// known is what an operation of reach needs where it has to see the entry:
// found already, or looked up now.
func (v *View) known(ctx context.Context, p place, info *Info, found bool) (place, *Info, error) {
	if found {
		if info == nil {
			return p, nil, ENOENT
		}
		return p, info, nil
	}
	return v.find(ctx, p.path)
}

// making runs an operation that makes the name at path.
func (v *View) making(ctx context.Context, op, typed string, slash bool, do func(p place) error) error {
	o, err := v.parse(typed, IntentWrite)
	if err != nil {
		return failed(op, typed, err)
	}
	switch o.last {
	case "/", ".", "..":
		if _, _, err := v.stat(ctx, typed, followLast, IntentLookup); err != nil {
			return failed(op, typed, err)
		}
		return failed(op, typed, EEXIST)
	}
	asked := o.directory && !slash
	o = o.entryOnly()
	if p := v.tree.locate(o.clean); asked || p.readOnly() || v.tree.isAncestor(p.path) || v.tree.isMountPoint(p.path) || !v.tree.pipes.empty() {
		o.exact = false // the storage's own answer would not be the last word
	}
	err = v.reach(ctx, o, keepLast, func(p place, info *Info, found bool) error {
		// A fallback's entries yield to what is made; so does a mount's
		// ancestor, but only to a directory.
		if held := v.tree.locate(p.path); info != nil && p.unheld() && !held.readOnly() && (slash && info.IsDir() || !v.tree.pins(p.path)) {
			p, info = held, nil
			p.virtual = true
		}
		switch {
		case info != nil:
			return EEXIST
		case found && asked:
			return ENOENT
		}
		if err := v.mayChange(ctx, p, nil); err != nil {
			if !found && Errno(err) == EACCES {
				if _, _, there := v.find(ctx, p.path); there == nil {
					return EEXIST
				}
			}
			return err
		}
		return do(p)
	})
	return failed(op, typed, err)
}

func (v *View) Mkdir(ctx context.Context, path string, mode fs.FileMode) error {
	return v.making(ctx, "mkdir", path, true, func(p place) error {
		return p.mount.FS.Mkdir(v.with(ctx, p.mount), p.inner, mode&^v.umask)
	})
}

func (v *View) Mkfifo(ctx context.Context, path string, mode fs.FileMode) error {
	return v.making(ctx, "mkfifo", path, false, func(p place) error {
		err := p.mount.FS.Mkfifo(v.with(ctx, p.mount), p.inner, mode&^v.umask)
		if Errno(err) == ENOTSUP {
			return v.makeVirtualPipe(ctx, p, mode&^v.umask)
		}
		return err
	})
}

func (v *View) Symlink(ctx context.Context, target, path string) error {
	if target == "" {
		return &os.LinkError{Op: "symlink", Old: target, New: path, Err: ENOENT}
	}
	if len(target) >= maxPath {
		return &os.LinkError{Op: "symlink", Old: target, New: path, Err: ENAMETOOLONG}
	}
	err := v.making(ctx, "symlink", path, false, func(p place) error {
		return p.mount.FS.Symlink(v.with(ctx, p.mount), target, p.inner)
	})
	if err != nil {
		return &os.LinkError{Op: "symlink", Old: target, New: path, Err: cause(err)}
	}
	return nil
}

// removing runs an operation that takes the name at path away. A directory is
// asked for by a trailing slash.
func (v *View) removing(ctx context.Context, typed string, directory bool, do func(p place) error) error {
	o, err := v.parse(typed, IntentRemove)
	if err != nil {
		return err
	}
	switch o.last {
	case "/":
		if directory {
			return EBUSY
		}
		return EISDIR
	case ".", "..":
		if _, _, err := v.stat(ctx, typed, followLast, IntentLookup); err != nil {
			return err
		}
		if !directory {
			return EISDIR
		}
		if o.last == "." {
			return EINVAL
		}
		return ENOTEMPTY
	}
	asked := o.directory
	o = o.entryOnly()
	return v.reach(ctx, o, keepLast, func(p place, info *Info, found bool) error {
		if found || asked || p.readOnly() || v.binds(p) || v.tree.pins(p.path) || !v.tree.pipes.empty() {
			if p, info, err = v.known(ctx, p, info, found); err != nil {
				return err
			}
			if asked && !info.IsDir() {
				return ENOTDIR
			}
			if err := v.mayChange(ctx, p, info); err != nil {
				return err
			}
			if info.IsDir() != directory {
				if directory {
					return ENOTDIR
				}
				return EISDIR
			}
			if v.tree.isMountPoint(p.path) {
				return EBUSY
			}
			if v.tree.pins(p.path) {
				return ENOTEMPTY
			}
			if v.tree.pipes.info(p.path) != nil {
				if _, err := v.pipeDirectory(ctx, p); err != nil {
					return err
				}
				if v.tree.pipes.remove(p.path) {
					return nil
				}
			}
		}
		return do(p)
	})
}

// Unlink removes a non-directory; Rmdir an empty directory.
func (v *View) Unlink(ctx context.Context, path string) error {
	return failed("unlink", path, v.removing(ctx, path, false, func(p place) error {
		return p.mount.FS.Unlink(v.with(ctx, p.mount), p.inner)
	}))
}

func (v *View) Rmdir(ctx context.Context, path string) error {
	return failed("rmdir", path, v.removing(ctx, path, true, func(p place) error {
		if v.tree.pipes.holds(p.path) {
			return ENOTEMPTY
		}
		defer v.tree.changes.Add(1)
		err := p.mount.FS.Rmdir(v.with(ctx, p.mount), p.inner)
		if err == nil {
			v.tree.moves.add(p.path, "")
		}
		return err
	}))
}

// entry finds the name itself at path, for operations on two names. A nil info
// says that it is missing in an existing directory.
func (v *View) entry(ctx context.Context, typed string) (p place, info *Info, o operand, err error) {
	if o, err = v.parse(typed, IntentRemove); err != nil {
		return p, nil, o, err
	}
	switch o.last {
	case "/", ".", "..":
		p, info, err = v.stat(ctx, typed, followLast, IntentLookup)
		return p, info, o, err
	}
	named := o.entryOnly()
	err = v.reach(ctx, named, keepLast, func(at place, known *Info, found bool) error {
		if !found {
			at, known, err = v.find(ctx, at.path)
			if err != nil {
				// Whether only the last element is missing is the walk's to say.
				at, known, err = v.resolve(ctx, named, keepLast)
			}
			if err != nil {
				return err
			}
		}
		p, info = at, known
		return nil
	})
	return p, info, o, err
}

// Rename is rename(2); EXDEV across mounts.
func (v *View) Rename(ctx context.Context, from, to string, noReplace bool) error {
	if err := v.rename(ctx, from, to, noReplace); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: cause(err)}
	}
	return nil
}

func (v *View) rename(ctx context.Context, from, to string, noReplace bool) error {
	source, info, fromOperand, err := v.entry(ctx, from)
	if err != nil {
		return shown(from, err)
	}
	target, replaced, toOperand, err := v.entry(ctx, to)
	if err != nil {
		return shown(to, err)
	}
	if held := v.tree.locate(target.path); replaced != nil && target.unheld() && !noReplace && !held.readOnly() && !v.tree.pins(target.path) {
		target, replaced = held, nil // a fallback's entry yields
		target.virtual = true
	}
	// In the order in which the kernel answers.
	switch {
	case !fromOperand.named():
		return EBUSY
	case !toOperand.named() && noReplace:
		return EEXIST
	case !toOperand.named():
		return EBUSY
	case info == nil:
		return ENOENT
	case source.mount != target.mount:
		return EXDEV
	case replaced != nil && noReplace:
		return EEXIST
	case !info.IsDir() && (fromOperand.directory || toOperand.directory):
		return ENOTDIR
	case v.tree.pins(source.path) || replaced != nil && v.tree.pins(target.path):
		return EBUSY
	}
	if err := v.mayChange(ctx, source, info); err != nil {
		return err
	}
	if err := v.mayChange(ctx, target, replaced); err != nil {
		return err
	}
	if info.IsDir() && v.binds(source) && path.Dir(source.path) != path.Dir(target.path) && !v.allows(info, AccessWrite) {
		return EACCES // its ".." is rewritten
	}
	if !v.tree.pipes.empty() {
		if done, err := v.renamePipe(ctx, source, target, replaced); done {
			return err
		}
	}
	defer v.tree.changes.Add(1)
	if err := source.mount.FS.Rename(v.with(ctx, source.mount), source.inner, target.inner, noReplace); err != nil {
		return shownOfTwo(from, to, target, err)
	}
	v.tree.pipes.moved(source.path, target.path)
	if info.IsDir() {
		v.tree.moves.add(source.path, target.path)
	}
	return nil
}

// Link makes a hard link; follow says whether a link from is followed first.
func (v *View) Link(ctx context.Context, from, to string, follow bool) error {
	if err := v.link(ctx, from, to, follow); err != nil {
		return &os.LinkError{Op: "link", Old: from, New: to, Err: cause(err)}
	}
	return nil
}

func (v *View) link(ctx context.Context, from, to string, last bool) error {
	source, info, err := v.stat(ctx, from, follow(last), IntentWrite)
	if err != nil {
		return shown(from, err)
	}
	return v.making(ctx, "link", to, false, func(target place) error {
		if source.mount != target.mount {
			return EXDEV
		}
		// As Linux has it with protected_hardlinks, its default.
		if info.IsDir() || !v.owns(info) && (!info.FileMode.IsRegular() || info.FileMode&fs.ModeSetuid != 0 || !v.allows(info, AccessRead|AccessWrite)) {
			return EPERM
		}
		if v.tree.pipes.info(source.path) != nil {
			return ENOTSUP
		}
		err := source.mount.FS.Link(v.with(ctx, source.mount), source.inner, target.inner)
		return shownOfTwo(from, to, target, err)
	})
}

func (v *View) Readlink(ctx context.Context, path string) (string, error) {
	target, err := v.readlink(ctx, path)
	return target, failed("readlink", path, err)
}

func (v *View) readlink(ctx context.Context, typed string) (string, error) {
	p, info, err := v.stat(ctx, typed, keepLast, IntentLookup)
	if err != nil {
		return "", err
	}
	if !isLink(info) {
		return "", EINVAL
	}
	return p.mount.FS.Readlink(v.with(ctx, p.mount), p.inner)
}

// changing runs an operation on the metadata of what path leads to, if may
// says that the identity may.
func (v *View) changing(ctx context.Context, op, typed string, last follow, may func(*Info) error, do func(p place) error) error {
	p, info, err := v.stat(ctx, typed, last, IntentWrite)
	if err == nil && v.tree.identity.UID != 0 {
		err = may(info)
	}
	if err == nil && p.readOnly() {
		err = EROFS
	}
	if err == nil {
		err = do(p)
	}
	return failed(op, typed, err)
}

// Chmod follows links. Chown and Chtimes follow when follow is set.
func (v *View) Chmod(ctx context.Context, path string, mode fs.FileMode) error {
	owner := func(info *Info) error {
		if !v.owns(info) {
			return EPERM
		}
		return nil
	}
	return v.changing(ctx, "chmod", path, followLast, owner, func(p place) error {
		if v.tree.pipes.chmod(p.path, mode) {
			return nil
		}
		defer v.tree.changes.Add(1)
		return p.mount.FS.Chmod(v.with(ctx, p.mount), p.inner, mode)
	})
}

func (v *View) Chown(ctx context.Context, path string, uid, gid int, follows bool) error {
	id := &v.tree.identity
	owner := func(info *Info) error {
		if uid >= 0 && uid != info.UID || !v.owns(info) {
			return EPERM
		}
		if gid >= 0 && gid != info.GID && gid != id.GID {
			for _, g := range id.Groups {
				if g == gid {
					return nil
				}
			}
			return EPERM
		}
		return nil
	}
	return v.changing(ctx, "chown", path, follow(follows), owner, func(p place) error {
		if _, info, err := v.find(ctx, p.path); err == nil && (uid < 0 || uid == info.UID) && (gid < 0 || gid == info.GID) {
			return nil // also where the storage holds no owners
		}
		defer v.tree.changes.Add(1)
		return p.mount.FS.Chown(v.with(ctx, p.mount), p.inner, uid, gid)
	})
}

func (v *View) Chtimes(ctx context.Context, path string, atime, mtime time.Time, follows bool) error {
	writer := func(info *Info) error {
		if !v.owns(info) && !v.allows(info, AccessWrite) {
			return EACCES
		}
		return nil
	}
	return v.changing(ctx, "chtimes", path, follow(follows), writer, func(p place) error {
		if v.tree.pipes.chtimes(p.path, atime, mtime) {
			return nil
		}
		return p.mount.FS.Chtimes(v.with(ctx, p.mount), p.inner, atime, mtime)
	})
}

func (v *View) Truncate(ctx context.Context, path string, size int64) error {
	if size < 0 {
		return failed("truncate", path, EINVAL)
	}
	p, info, err := v.stat(ctx, path, followLast, IntentWrite)
	switch {
	case err != nil:
	case info.IsDir():
		err = EISDIR
	case info.FileMode&fs.ModeType != 0:
		err = EINVAL
	case v.binds(p) && !v.allows(info, AccessWrite):
		err = EACCES
	case p.readOnly():
		err = EROFS
	default:
		err = p.mount.FS.Truncate(v.with(ctx, p.mount), p.inner, size)
	}
	return failed("truncate", path, err)
}

func (v *View) Statfs(ctx context.Context, path string) (*Usage, error) {
	p, _, err := v.stat(ctx, path, followLast, IntentLookup)
	if err != nil {
		return nil, failed("statfs", path, err)
	}
	if p.mount == nil || p.synthetic {
		return &Usage{BlockSize: 4096}, nil
	}
	usage, err := p.mount.FS.Statfs(v.with(ctx, p.mount), p.inner)
	return usage, failed("statfs", path, err)
}

// Access modes, as access(2) takes them.
const (
	AccessExists  = 0
	AccessExecute = 1
	AccessWrite   = 2
	AccessRead    = 4
)

// Access asks whether the identity may use path so (access(2)).
func (v *View) Access(ctx context.Context, path string, mode int) error {
	intent := IntentLookup
	if mode&AccessRead != 0 {
		intent = IntentRead
	}
	if mode&AccessWrite != 0 {
		intent = IntentWrite
	}
	p, info, err := v.stat(ctx, path, followLast, intent)
	if err == nil {
		err = v.ask(p.path, intent)
	}
	if err == nil {
		switch {
		case !v.allows(info, mode):
			err = EACCES
		case mode&AccessWrite != 0 && p.readOnly() && (info.IsDir() || info.FileMode.IsRegular()):
			err = EROFS
		}
	}
	return failed("access", path, err)
}
