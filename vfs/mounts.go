package vfs

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// mount is a Mount with what the View asks of it on every path.
type mount struct {
	Mount
	// device marks the /dev filesystem, whose fd directory is the process's.
	device bool
	// trusted storages check permission bits themselves, in the kernel.
	trusted  bool
	searched searched
}

// tree is what all views of one shell share.
type tree struct {
	mounts    []*mount // deepest first
	fallbacks []*mount
	identity  Identity
	pipes     pipeTable
	// changes counts what may have changed who can search a directory.
	changes atomic.Uint64
	moves   moves
	// face says that the View is an afero face of one storage: who has no owner
	// is shown without one, so that a View over the face knows.
	face bool
}

// PermissionChecker is a power of an FS: it says whether somebody below it (the
// host's kernel) applies permission bits to the identity of this process, so
// that the View need not.
type PermissionChecker interface{ ChecksPermissions() bool }

func newTree(mounts []Mount, identity Identity) (*tree, error) {
	t := &tree{identity: identity}
	seen := make(map[string]bool, len(mounts))
	for _, m := range mounts {
		if m.FS == nil {
			return nil, errors.New("vfs: mount at " + m.Path + " has no filesystem")
		}
		if !strings.HasPrefix(m.Path, "/") {
			return nil, errors.New("vfs: mount point " + m.Path + " is not absolute")
		}
		m.Path = path.Clean(m.Path)
		if !m.Fallback && seen[m.Path] {
			return nil, errors.New("vfs: two mounts at " + m.Path)
		}
		one := &mount{Mount: m}
		_, one.device = m.FS.(*devices)
		if c, ok := m.FS.(PermissionChecker); ok {
			one.trusted = c.ChecksPermissions()
		}
		if m.Policy != nil {
			one.FS = Enforce(m.FS, m.Path, m.Policy)
		}
		if m.Fallback {
			one.ReadOnly, one.Unlisted = true, true
			t.fallbacks = append(t.fallbacks, one)
		} else {
			seen[m.Path] = true
			t.mounts = append(t.mounts, one)
		}
	}
	deepest := func(a, b *mount) int { return cmp.Compare(len(b.Path), len(a.Path)) }
	slices.SortStableFunc(t.mounts, deepest)
	slices.SortStableFunc(t.fallbacks, deepest)
	return t, nil
}

// covers reports whether the mount is at path or above it.
func (m *mount) covers(path string) bool {
	return m.Path == "/" || path == m.Path || below(path, m.Path)
}

// below reports whether path lies strictly below directory.
func below(path, directory string) bool {
	if directory == "/" {
		return len(path) > 1
	}
	return len(path) > len(directory) && path[len(directory)] == '/' && strings.HasPrefix(path, directory)
}

// inside is path as the mount's filesystem knows it.
func (m *mount) inside(path string) string {
	if m.Path == "/" {
		return path
	}
	if len(path) == len(m.Path) {
		return "/"
	}
	return path[len(m.Path):]
}

// hides reports whether the mount's rule hides path.
func (m *mount) hides(path string) bool {
	if !m.HideHidden {
		return false
	}
	inner := m.inside(path)
	return strings.Contains(inner, "/.") || strings.Contains(inner, "/_")
}

// place is a clean path and who serves it. With a nil mount nobody does: it
// can only be an ancestor of a mount.
type place struct {
	mount *mount
	path  string
	inner string
	// synthetic places are directories that no storage holds.
	synthetic bool
	// virtual places are missing names in a directory that the mount itself
	// does not hold: it is synthetic or a fallback's.
	virtual bool
}

func (p place) readOnly() bool { return p.mount == nil || p.synthetic || p.mount.ReadOnly }

func (t *tree) locate(path string) place {
	for _, m := range t.mounts {
		if m.covers(path) {
			return place{mount: m, path: path, inner: m.inside(path)}
		}
	}
	return place{path: path}
}

// isMountPoint reports whether a mount (no fallback) is at path.
func (t *tree) isMountPoint(path string) bool {
	for _, m := range t.mounts {
		if m.Path == path {
			return true
		}
	}
	return false
}

// pins reports whether path may not be removed or renamed: it is a mount point
// or above one.
func (t *tree) pins(path string) bool {
	for _, m := range t.mounts {
		if m.Path == path || below(m.Path, path) {
			return true
		}
	}
	return path == "/"
}

// isAncestor reports whether path is above a mount or fallback, or "/".
func (t *tree) isAncestor(path string) bool {
	for _, list := range [2][]*mount{t.mounts, t.fallbacks} {
		for _, m := range list {
			if below(m.Path, path) {
				return true
			}
		}
	}
	return path == "/"
}

// find describes the entry at a clean path and says who serves it: the mount,
// else a fallback, else nobody for a mount's ancestor.
func (v *View) find(ctx context.Context, path string) (place, *Info, error) {
	p := v.tree.locate(path)
	err := error(ENOENT)
	if p.mount != nil {
		if p.mount.hides(path) {
			return p, nil, ENOENT
		}
		var info *Info
		info, err = p.mount.FS.Lstat(v.with(ctx, p.mount), p.inner)
		if err == nil {
			return p, v.own(info), nil
		}
		if Errno(err) == ENOENT {
			if info := v.tree.pipes.info(path); info != nil {
				return p, v.own(info), nil
			}
		}
	}
	if Errno(err) != ENOENT {
		return p, nil, err
	}
	for _, m := range v.tree.fallbacks {
		if m.covers(path) {
			info, found := m.FS.Lstat(ctx, m.inside(path))
			if found == nil {
				return place{mount: m, path: path, inner: m.inside(path)}, v.own(info), nil
			}
		}
	}
	if v.tree.isAncestor(path) {
		p.synthetic = true
		return p, syntheticInfo(path), nil
	}
	return p, nil, err
}

// syntheticInfo describes a directory that only mounts below it make exist.
func syntheticInfo(name string) *Info {
	epoch := time.Unix(0, 0)
	return &Info{
		FileName: path.Base(name), FileMode: fs.ModeDir | 0o755, Bytes: 4096, Links: 2,
		Accessed: epoch, Modified: epoch, Changed: epoch, Inode: PathInode(name) | 1<<63,
	}
}

// own shows the shell's identity where the storage holds no owners.
func (v *View) own(info *Info) *Info {
	if info.UID >= 0 && info.GID >= 0 || v.tree.face {
		return info
	}
	c := *info
	if c.UID < 0 {
		c.UID = v.tree.identity.UID
	}
	if c.GID < 0 {
		c.GID = v.tree.identity.GID
	}
	return &c
}

// readDir lists a directory that find found: the storage's names less the
// hidden ones, and the listed mounts directly below. With allowed the storage
// is to ask it, being a CheckedOpener.
func (v *View) readDir(ctx context.Context, p place, allowed func(*Info) bool) ([]Entry, error) {
	var entries []Entry
	if p.mount != nil && !p.synthetic {
		var err error
		if allowed != nil {
			entries, err = readDirChecked(v.with(ctx, p.mount), p.mount.FS, p.inner, allowed)
		} else {
			entries, err = p.mount.FS.ReadDir(v.with(ctx, p.mount), p.inner)
		}
		if err != nil {
			return nil, err
		}
		if p.mount.HideHidden {
			kept := make([]Entry, 0, len(entries))
			for _, e := range entries {
				if !strings.HasPrefix(e.Name, ".") && !strings.HasPrefix(e.Name, "_") {
					kept = append(kept, e)
				}
			}
			entries = kept
		}
		entries = v.tree.pipes.list(p.path, entries)
	}
	for _, m := range v.tree.mounts {
		if m.Unlisted || !below(m.Path, p.path) {
			continue
		}
		name := strings.TrimPrefix(m.Path[len(p.path):], "/")
		name, _, _ = strings.Cut(name, "/")
		e := Entry{Name: name, Type: fs.ModeDir}
		if _, info, err := v.find(ctx, path.Join(p.path, name)); err == nil {
			e.Type, e.Inode = info.FileMode.Type(), info.Inode
		}
		at := slices.IndexFunc(entries, func(e Entry) bool { return e.Name == name })
		if at >= 0 {
			entries = slices.Clone(entries)
			entries[at] = e
		} else {
			entries = append(slices.Clip(entries), e)
		}
	}
	byName := func(a, b Entry) int { return strings.Compare(a.Name, b.Name) }
	if !slices.IsSortedFunc(entries, byName) {
		entries = slices.Clone(entries)
		slices.SortFunc(entries, byName)
	}
	return entries, nil
}
