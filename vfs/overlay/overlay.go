// Package overlay is a filesystem that keeps what is changed over another one,
// which it only reads until the changes are committed.
package overlay

import (
	"context"
	"io/fs"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/internal/persistent"
	"github.com/vsh-project/vsh/vfs/memory"
)

// Options configure New.
type Options struct {
	// Lower is what the overlay lies over. Required. Only Commit writes to it.
	Lower vfs.Storage
	// Budget pays for what is changed; Quota bounds it in bytes (0: none).
	Budget memory.Budget
	Quota  int64
	// Sync makes Commit wait until each file has reached the disk.
	Sync bool
	// Clock gives the time of changes; time.Now when nil.
	Clock func() time.Time
}

// Storage is a copy-on-write filesystem: an afero.Fs outside, an FS inside. A
// file is copied up whole when it is first changed, with its mode and times; a
// directory when its own metadata or names change, not with what it holds. What
// was not changed is read from the lower each time, so changes made there by
// others show. A file that has several names below loses the others when it is
// copied up. Safe for concurrent use.
type Storage struct {
	*vfs.Face
	fs *filesystem
}

// New lays an overlay over options.Lower.
func New(options Options) (*Storage, error) {
	if options.Lower == nil {
		return nil, vfs.EINVAL
	}
	if options.Clock == nil {
		options.Clock = time.Now
	}
	f := &filesystem{
		options: options,
		lower:   vfs.FromAfero(options.Lower),
		upper:   memory.New(memory.Options{Budget: options.Budget, Quota: options.Quota, Clock: options.Clock}),
		gate:    make(chan struct{}, 1),
		next:    firstID,
	}
	f.up = f.upper.FS()
	f.checker, _ = f.lower.(vfs.CheckedOpener)
	info, err := f.up.Lstat(context.Background(), "/")
	if err != nil {
		return nil, err
	}
	f.device = info.Device
	f.reset()
	return &Storage{Face: vfs.NewFace(f), fs: f}, nil
}

const (
	rootID = 1
	// firstID keeps the numbers of new files clear of the lower's inodes.
	firstID    = 1 << 62
	nodeCharge = 256
)

// filesystem is the FS of a Storage. Changes pass the gate one by one, and hold
// it while they read the lower; mu guards the tree and is never held during a
// call to the lower.
type filesystem struct {
	options Options
	lower   vfs.FS
	checker vfs.CheckedOpener // the lower, where it is one
	// upper holds the content and metadata of what was changed, each as
	// /ID. The tree below knows their names.
	upper  *memory.Storage
	up     vfs.FS
	device uint64
	gate   chan struct{}

	mu sync.RWMutex
	state
	epoch     persistent.Epoch
	next      uint64
	snapshots int
	charged   int64
	readers   map[string]*reader // open lower files, by lower path
	// leftovers are temporary files of commits, and directories (true), that
	// could not be removed yet. They are not shown.
	leftovers map[string]bool
}

// state is the tree of changes, all that a snapshot holds beside the upper's.
type state struct {
	nodes persistent.Table[uint64, *node]
	// gone are directories of the lower that were removed, by lower path: they
	// know what was in them.
	gone persistent.Table[string, *node]
	// agreed is what a commit that stopped half way saw and made below.
	agreed map[string]*fingerprint
}

// node is a file the overlay knows: one that is changed, or a directory above.
// One of another epoch is never changed but copied.
type node struct {
	epoch uint64
	id    uint64
	kind  fs.FileMode
	links uint64
	// lower is where it is below: what has no upper is read there, and a
	// directory shows the names that are there. "" is nowhere: it is new, and
	// a new directory shows nothing of one that was there before.
	lower string
	// upper is set when /ID holds its metadata and content.
	upper bool
	// children are the names that differ from the lower directory's.
	children persistent.Table[string, child]
}

// child is a name in a directory: a node, or a whiteout (id 0).
type child struct {
	id uint64
	// base is what the lower had under this name in this directory when the
	// overlay first took it over; nil for nothing.
	base *fingerprint
}

// fingerprint tells whether a lower file is still what it was.
type fingerprint struct {
	mode     fs.FileMode
	size     int64
	modified time.Time
	inode    uint64
}

func fingerprintOf(i *vfs.Info) *fingerprint {
	p := &fingerprint{mode: i.FileMode, modified: i.Modified, inode: i.Inode}
	if !i.IsDir() {
		p.size = i.Bytes
	}
	return p
}

// same reports whether p and q describe one unchanged file. Of a directory only
// that it is one counts: its names are compared one by one.
func (p *fingerprint) same(q *fingerprint) bool {
	if p == nil || q == nil {
		return p == q
	}
	if p.mode.IsDir() || q.mode.IsDir() {
		return p.mode.IsDir() && q.mode.IsDir()
	}
	return p.mode == q.mode && p.size == q.size && p.inode == q.inode && p.modified.Equal(q.modified)
}

// reset makes the tree one without changes.
func (f *filesystem) reset() {
	f.epoch = persistent.NextEpoch(f.snapshots == 0)
	f.state = state{}
	// Who has a file open keeps the copy; who opens it anew reads the lower.
	f.readers = map[string]*reader{}
	f.nodes.Set(f.epoch, rootID, &node{epoch: f.epoch.Number, id: rootID, kind: fs.ModeDir, links: 1, lower: "/"})
}

func join(directory, name string) string {
	if directory == "/" {
		return "/" + name
	}
	return directory + "/" + name
}

// enter passes the gate.
func (f *filesystem) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case f.gate <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (f *filesystem) leave() { <-f.gate }

// ref is what is at a path.
type ref struct {
	node *node
	// lower is the path below when no node is there; "" says that nothing is.
	lower string
}

// walk finds what the tree knows of path. It does not ask the lower: a ref to
// the lower may prove missing.
func (f *filesystem) walk(path string) (ref, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.find(path)
}

// find is walk for who holds mu.
func (f *filesystem) find(path string) (ref, error) {
	n, _ := f.nodes.Get(rootID)
	for rest := path[1:]; rest != ""; {
		if !n.kind.IsDir() {
			return ref{}, notDirectory(n.kind)
		}
		var name string
		whole := rest
		name, rest, _ = strings.Cut(rest, "/")
		c, ok := n.children.Get(name)
		switch {
		case !ok && n.lower != "":
			return ref{lower: join(n.lower, whole)}, nil
		case !ok || c.id == 0:
			if rest != "" {
				return ref{}, vfs.ENOENT
			}
			return ref{}, nil
		}
		n, _ = f.nodes.Get(c.id)
	}
	return ref{node: n}, nil
}

func notDirectory(kind fs.FileMode) error {
	if kind&fs.ModeSymlink != 0 {
		return vfs.ELOOP
	}
	return vfs.ENOTDIR
}

func base(p string) string { return path.Base(p) }

// info describes what is at path.
func (f *filesystem) info(ctx context.Context, path string) (*vfs.Info, ref, error) {
	r, err := f.walk(path)
	if err != nil {
		return nil, r, err
	}
	i, err := f.describe(ctx, r, base(path))
	return i, r, err
}

func (f *filesystem) describe(ctx context.Context, r ref, name string) (*vfs.Info, error) {
	switch {
	case r.node != nil:
		return f.nodeInfo(ctx, r.node, name)
	case r.lower != "":
		i, err := f.lower.Lstat(ctx, r.lower)
		if err != nil {
			return nil, err
		}
		return f.dress(i, name), nil
	}
	return nil, vfs.ENOENT
}

// dress shows a lower's file as the overlay's.
func (f *filesystem) dress(i *vfs.Info, name string) *vfs.Info {
	c := *i
	c.FileName, c.Device = name, f.device
	return &c
}

func (f *filesystem) nodeInfo(ctx context.Context, n *node, name string) (*vfs.Info, error) {
	var i *vfs.Info
	var err error
	if n.upper {
		i, err = f.up.Lstat(ctx, n.name())
	} else {
		i, err = f.lower.Lstat(ctx, n.lower)
	}
	if err != nil {
		return nil, err
	}
	i = f.dress(i, name)
	i.Inode, i.Links = n.id, n.links
	if n.kind.IsDir() {
		i.Links = 2
		if n.lower != "" {
			below, err := f.lower.Lstat(ctx, n.lower)
			if err != nil {
				return nil, err
			}
			i.Links = below.Links
		}
		f.mu.RLock()
		n.children.Ascend("", func(_ string, c child) bool {
			if one, ok := f.nodes.Get(c.id); ok && one.kind.IsDir() {
				i.Links++
			}
			if c.base != nil && c.base.mode.IsDir() {
				i.Links--
			}
			return true
		})
		f.mu.RUnlock()
	}
	return i, nil
}

func (f *filesystem) Lstat(ctx context.Context, path string) (*vfs.Info, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	i, _, err := f.info(ctx, path)
	if err == nil && path == "/" {
		i.FileName = "/"
	}
	return i, err
}

// Search implements vfs.Searcher. What lies below unchanged is left to the
// lower where the kernel checks it.
func (f *filesystem) Search(ctx context.Context, path string, allowed func(*vfs.Info) bool) error {
	checker, _ := f.lower.(vfs.PermissionChecker)
	trusted := checker != nil && checker.ChecksPermissions()
	searcher, _ := f.lower.(vfs.Searcher)
	for i := 0; i < len(path)-1; i++ {
		if path[i] != '/' {
			continue
		}
		r, err := f.walk(path[:max(i, 1)])
		if err != nil {
			return err
		}
		if r.node == nil && r.lower != "" {
			if trusted {
				return nil
			}
			if searcher != nil {
				return searcher.Search(ctx, r.lower+path[i:], allowed)
			}
		}
		info, err := f.describe(ctx, r, "")
		switch {
		case err != nil:
			return err
		case !info.IsDir():
			return notDirectory(info.FileMode)
		case !allowed(info):
			return vfs.EACCES
		}
	}
	return nil
}

func (f *filesystem) ReadDir(ctx context.Context, path string) ([]vfs.Entry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r, err := f.walk(path)
	switch {
	case err != nil:
		return nil, err
	case r.node != nil:
		return f.list(ctx, r.node)
	case r.lower == "":
		return nil, vfs.ENOENT
	}
	return f.lower.ReadDir(ctx, r.lower)
}

// ReadDirChecked implements vfs.CheckedOpener.
func (f *filesystem) ReadDirChecked(ctx context.Context, path string, allowed func(*vfs.Info) bool) ([]vfs.Entry, error) {
	r, err := f.checked(ctx, path, allowed)
	switch {
	case err != nil:
		return nil, err
	case r.node != nil:
		return f.list(ctx, r.node)
	case f.checker != nil:
		return f.checker.ReadDirChecked(ctx, r.lower, allowed)
	}
	return f.lower.ReadDir(ctx, r.lower)
}

// list merges a node's names with those below.
func (f *filesystem) list(ctx context.Context, n *node) ([]vfs.Entry, error) {
	if !n.kind.IsDir() {
		return nil, notDirectory(n.kind)
	}
	var below []vfs.Entry
	if n.lower != "" {
		var err error
		if below, err = f.readLower(ctx, n.lower); err != nil {
			return nil, err
		}
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	entries := make([]vfs.Entry, 0, len(below)+n.children.Len())
	for _, e := range below {
		if _, ok := n.children.Get(e.Name); !ok {
			entries = append(entries, e)
		}
	}
	n.children.Ascend("", func(name string, c child) bool {
		if one, ok := f.nodes.Get(c.id); ok {
			entries = append(entries, vfs.Entry{Name: name, Type: one.kind, Inode: one.id})
		}
		return true
	})
	return entries, nil
}

func (f *filesystem) Readlink(ctx context.Context, path string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	r, err := f.walk(path)
	switch {
	case err != nil:
		return "", err
	case r.node == nil && r.lower == "":
		return "", vfs.ENOENT
	case r.node == nil:
		return f.lower.Readlink(ctx, r.lower)
	case r.node.kind&fs.ModeSymlink == 0:
		return "", vfs.EINVAL
	case r.node.upper:
		return f.up.Readlink(ctx, r.node.name())
	}
	return f.lower.Readlink(ctx, r.node.lower)
}

func (f *filesystem) Statfs(ctx context.Context, _ string) (*vfs.Usage, error) {
	usage, err := f.lower.Statfs(ctx, "/")
	if vfs.Errno(err) == vfs.ENOTSUP {
		return f.up.Statfs(ctx, "/")
	}
	return usage, err
}
