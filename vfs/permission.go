package vfs

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"time"
)

// Searcher is a power of an FS: it checks in one call what the View would ask
// an Lstat for each of, that every directory above path can be searched. It
// answers ELOOP, ENOTDIR, ENOENT and EACCES as the walk would. allowed says
// whether a directory may be searched.
type Searcher interface {
	Search(ctx context.Context, path string, allowed func(*Info) bool) error
}

// binds reports whether permission bits must be checked in p.
func (v *View) binds(p place) bool {
	return v.tree.identity.UID != 0 && !(p.mount != nil && p.mount.trusted)
}

// allows reports whether the bits of info grant mode (Access bits).
func (v *View) allows(info *Info, mode int) bool {
	id := &v.tree.identity
	perm := int(info.FileMode.Perm())
	if id.UID == 0 {
		return mode&AccessExecute == 0 || info.IsDir() || perm&0o111 != 0
	}
	switch {
	case info.UID < 0 || info.UID == id.UID:
		perm >>= 6
	case info.GID < 0 || info.GID == id.GID || slices.Contains(id.Groups, info.GID):
		perm >>= 3
	}
	return perm&mode == mode
}

// owns reports whether the identity may change the metadata of info.
func (v *View) owns(info *Info) bool {
	return v.tree.identity.UID == 0 || info.UID < 0 || info.UID == v.tree.identity.UID
}

// search checks that all directories above p, inside its mount, are there and
// may be searched. Without permission bits to check, the storage's own answer
// says the rest.
func (v *View) search(ctx context.Context, p place) error {
	if !v.binds(p) || p.mount == nil || p.inner == "/" {
		return nil
	}
	directory, changes := path.Dir(p.inner), v.tree.changes.Load()
	if _, held := p.mount.searched.holds(directory, changes); held {
		return nil
	}
	allowed := func(i *Info) bool { return v.allows(i, AccessExecute) }
	until, held := p.mount.searched.holds(path.Dir(directory), changes)
	var err error
	if held {
		err = searchOne(v.with(ctx, p.mount), p.mount.FS, directory, allowed)
	} else {
		until = time.Now().Add(searchedFor)
		err = searchParents(v.with(ctx, p.mount), p.mount.FS, p.inner, allowed)
	}
	if err == nil {
		p.mount.searched.add(directory, changes, until)
	}
	return err
}

// searchOne checks one directory, reached through those that may be searched.
func searchOne(ctx context.Context, f FS, directory string, allowed func(*Info) bool) error {
	info, err := f.Lstat(ctx, directory)
	switch {
	case err != nil:
		return err
	case info.FileMode&fs.ModeSymlink != 0:
		return ELOOP
	case !info.IsDir():
		return ENOTDIR
	case !allowed(info):
		return EACCES
	}
	return nil
}

// searchParents asks a Searcher, or each directory above name.
func searchParents(ctx context.Context, f FS, name string, allowed func(*Info) bool) error {
	if s, ok := f.(Searcher); ok {
		return s.Search(ctx, name, allowed)
	}
	for i := 0; i < len(name)-1; i++ {
		if name[i] != '/' {
			continue
		}
		if err := searchOne(ctx, f, name[:max(i, 1)], allowed); err != nil {
			return err
		}
	}
	return nil
}

// mayChange checks that names may be made in and taken from the directory
// above p. entry is what a removal takes, nil when a name is made.
func (v *View) mayChange(ctx context.Context, p place, entry *Info) error {
	if p.readOnly() {
		return EROFS
	}
	if p.virtual {
		if err := v.materialize(ctx, path.Dir(p.path)); err != nil {
			return err
		}
	}
	if !v.binds(p) {
		return nil
	}
	_, parent, err := v.find(ctx, path.Dir(p.path))
	if err != nil {
		return err
	}
	if parent.FileMode&fs.ModeSymlink != 0 {
		return ELOOP
	}
	if !v.allows(parent, AccessWrite|AccessExecute) {
		return EACCES
	}
	if entry != nil && parent.FileMode&fs.ModeSticky != 0 && !v.owns(parent) && !v.owns(entry) {
		return EPERM
	}
	return nil
}

// unheld reports whether what is there is not the mount's own: it is synthetic
// or a fallback's.
func (p place) unheld() bool { return p.synthetic || p.mount != nil && p.mount.Fallback }

// materialize makes the mount hold a directory that was synthetic or a
// fallback's until now, because something is being made in it.
func (v *View) materialize(ctx context.Context, directory string) error {
	at := v.tree.locate(directory)
	if at.readOnly() {
		return EROFS
	}
	ctx = v.with(ctx, at.mount)
	if _, err := at.mount.FS.Lstat(ctx, at.inner); Errno(err) != ENOENT {
		return err
	}
	if err := v.materialize(ctx, path.Dir(directory)); err != nil {
		return err
	}
	if err := v.mayChange(ctx, at, nil); err != nil {
		return err
	}
	if err := at.mount.FS.Mkdir(ctx, at.inner, 0o777&^v.umask); err != nil && Errno(err) != EEXIST {
		return err
	}
	return nil
}
