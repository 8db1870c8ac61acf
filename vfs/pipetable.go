package vfs

import (
	"context"
	"io/fs"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// pipeTable knows the named pipes of a shell: those that are open, by inode,
// and those made in storages that cannot hold them (a host directory), by path.
type pipeTable struct {
	budget Budget
	mu     sync.Mutex
	open   map[pipeKey]*openPipe
	nodes  map[string]*Info
	count  atomic.Int64 // of nodes, to be read without the lock
	next   uint64
}

type pipeKey struct{ device, inode uint64 }

type openPipe struct {
	pipe
	ends int
}

// virtualDevice is the device number of pipes that no storage holds.
const virtualDevice = 1<<63 | 13

func (t *pipeTable) empty() bool { return t.count.Load() == 0 }

// info describes the virtual pipe at path; nil when there is none.
func (t *pipeTable) info(path string) *Info {
	if t.empty() {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.nodes[path]
}

// list adds the virtual pipes of a directory to its entries.
func (t *pipeTable) list(directory string, entries []Entry) []Entry {
	if t.empty() {
		return entries
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	entries = entries[:len(entries):len(entries)]
	for name, info := range t.nodes {
		if path.Dir(name) == directory {
			entries = append(entries, Entry{Name: path.Base(name), Type: fs.ModeNamedPipe, Inode: info.Inode})
		}
	}
	return entries
}

// holds reports whether a virtual pipe lies below directory.
func (t *pipeTable) holds(directory string) bool {
	if t.empty() {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for name := range t.nodes {
		if below(name, directory) {
			return true
		}
	}
	return false
}

func (t *pipeTable) remove(path string) bool {
	if t.empty() {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.nodes[path]; !ok {
		return false
	}
	delete(t.nodes, path)
	t.count.Add(-1)
	return true
}

// moved renames the virtual pipes below a renamed directory.
func (t *pipeTable) moved(from, to string) {
	if t.empty() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for name, info := range t.nodes {
		if rest, ok := strings.CutPrefix(name, from+"/"); ok {
			delete(t.nodes, name)
			t.nodes[to+"/"+rest] = info
		}
	}
}

// alter replaces the description of a virtual pipe; false when there is none.
func (t *pipeTable) alter(path string, change func(*Info)) bool {
	if t.empty() {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	info := t.nodes[path]
	if info == nil {
		return false
	}
	c := *info
	change(&c)
	t.nodes[path] = &c
	return true
}

func (t *pipeTable) chmod(path string, mode fs.FileMode) bool {
	return t.alter(path, func(i *Info) { i.FileMode = fs.ModeNamedPipe | mode.Perm() })
}

func (t *pipeTable) chtimes(path string, atime, mtime time.Time) bool {
	return t.alter(path, func(i *Info) {
		if !atime.IsZero() {
			i.Accessed = atime
		}
		if !mtime.IsZero() {
			i.Modified = mtime
		}
	})
}

// maxVirtualPipes bounds what a script can make the table hold.
const maxVirtualPipes = 4096

// makeVirtualPipe makes a named pipe beside a storage that has none. Its times
// are those of the directory it is made in.
func (v *View) makeVirtualPipe(ctx context.Context, p place, mode fs.FileMode) error {
	if _, _, err := v.find(ctx, p.path); err == nil {
		return EEXIST
	} else if Errno(err) != ENOENT {
		return err
	}
	parent, err := v.pipeDirectory(ctx, p)
	if err != nil {
		return err
	}
	t := &v.tree.pipes
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.nodes) >= maxVirtualPipes {
		return ENOSPC
	}
	if t.nodes == nil {
		t.nodes = make(map[string]*Info)
	}
	if t.nodes[p.path] != nil {
		return EEXIST
	}
	t.next++
	t.nodes[p.path] = &Info{
		FileName: path.Base(p.path), FileMode: fs.ModeNamedPipe | mode.Perm(), Links: 1, UID: -1, GID: -1,
		Inode: t.next, Device: virtualDevice,
		Accessed: parent.Modified, Modified: parent.Modified, Changed: parent.Modified,
	}
	t.count.Add(1)
	return nil
}

// pipeDirectory is the directory of a virtual pipe, in which names may be made
// and taken. It asks for storages that check permission bits themselves, but
// know nothing of the pipe.
func (v *View) pipeDirectory(ctx context.Context, p place) (*Info, error) {
	_, parent, err := v.find(ctx, path.Dir(p.path))
	switch {
	case err != nil:
		return nil, err
	case isLink(parent):
		return nil, ELOOP
	case !parent.IsDir():
		return nil, ENOTDIR
	case !v.allows(parent, AccessWrite|AccessExecute):
		return nil, EACCES
	}
	return parent, nil
}

// renamePipe renames a virtual pipe, or makes room where one is replaced; done
// says that nothing is left to do.
func (v *View) renamePipe(ctx context.Context, source, target place, replaced *Info) (done bool, err error) {
	t := &v.tree.pipes
	if t.info(source.path) == nil {
		if replaced != nil {
			t.remove(target.path)
		}
		return false, nil
	}
	for _, p := range [...]place{source, target} {
		if _, err := v.pipeDirectory(ctx, p); err != nil {
			return true, err
		}
	}
	if replaced != nil && t.info(target.path) == nil {
		if replaced.IsDir() {
			return true, EISDIR
		}
		if err := target.mount.FS.Unlink(ctx, target.inner); err != nil {
			return true, err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if info := t.nodes[source.path]; info != nil && source.path != target.path {
		if t.nodes[target.path] != nil {
			t.count.Add(-1)
		}
		delete(t.nodes, source.path)
		c := *info
		c.FileName = path.Base(target.path)
		t.nodes[target.path] = &c
	}
	return true, nil
}

// openPipe opens an end of a named pipe and waits for the other.
func (v *View) openPipe(ctx context.Context, info *Info, flag int) (File, error) {
	if flag&(O_CREATE|O_EXCL) == O_CREATE|O_EXCL {
		return nil, EEXIST
	}
	t := &v.tree.pipes
	key := pipeKey{info.Device, info.Inode}
	t.mu.Lock()
	if t.open == nil {
		t.open = make(map[pipeKey]*openPipe)
	}
	one := t.open[key]
	if one == nil {
		one = &openPipe{pipe: pipe{budget: t.budget}}
		t.open[key] = one
	}
	one.ends++
	t.mu.Unlock()
	drop := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if one.ends--; one.ends == 0 {
			delete(t.open, key)
		}
	}
	if err := one.pipe.open(ctx, flag); err != nil {
		drop()
		return nil, err
	}
	end := &pipeEnd{ctx: ctx, pipe: &one.pipe, flag: flag, info: info}
	end.close = func() {
		one.pipe.mu.Lock()
		one.pipe.leave(flag&accessFlags != O_WRONLY, flag&accessFlags != O_RDONLY)
		one.pipe.mu.Unlock()
		drop()
	}
	return end, nil
}
