// Package memory is a filesystem in memory with all that POSIX files have:
// links, modes, times, holes, open files that outlive their names.
package memory

import (
	"context"
	"io/fs"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/internal/persistent"
)

// Budget pays for memory before it is allocated. Its error is behind the
// ENOSPC that the failing call answers.
type Budget interface {
	Charge(bytes int64) error
	Release(bytes int64)
}

// Options configure New. The zero value is an unlimited filesystem.
type Options struct {
	// Budget is charged for content, inodes and names.
	Budget Budget
	// Quota bounds the filesystem in bytes; each inode counts 256 beside its
	// content. Zero is no bound. Beyond it is ENOSPC.
	Quota int64
	// Clock gives the time of changes; time.Now when nil.
	Clock func() time.Time
}

// Storage is a filesystem in memory: an afero.Fs outside, an FS inside. Owners
// are virtual (-1) until a Chown sets them. Safe for concurrent use.
//
// Directory entries hold inode numbers, and the inodes, large directories and
// large contents are persistent tables: a snapshot is a copy of state.
type Storage struct {
	*vfs.Face
	fs *filesystem
}

// New makes a filesystem with an empty root directory of mode 755.
func New(options Options) *Storage {
	f := newFilesystem(options)
	now := f.now()
	root := &inode{epoch: f.epoch.Number, number: rootInode, mode: fs.ModeDir | 0o755, links: 2, uid: -1, gid: -1,
		atime: now, mtime: now, ctime: now, birth: now}
	f.inodes.Set(f.epoch, rootInode, root)
	f.next = rootInode
	return &Storage{Face: vfs.NewFace(f), fs: f}
}

func newFilesystem(options Options) *filesystem {
	f := &filesystem{options: options, device: devices.Add(1), opens: map[uint64]int{}}
	if f.options.Clock == nil {
		f.options.Clock = time.Now
	}
	f.epoch = persistent.NextEpoch(true)
	return f
}

// devices numbers filesystems, so that SameFile tells them apart.
var devices atomic.Uint64

const (
	rootInode = 2
	// inodeCharge and nameCharge are what an inode and a name cost the quota
	// and the budget beside their content.
	inodeCharge = 256
	nameCharge  = 48
	maxSize     = 1 << 44
	maxLinks    = 65000
)

// state is all that a snapshot holds.
type state struct {
	inodes persistent.Table[uint64, *inode]
	// charge is what the content, inodes and names of this state cost.
	charge int64
}

// filesystem is the FS of a Storage. One lock guards it all: every operation
// under it is short.
type filesystem struct {
	options Options
	device  uint64

	mu sync.RWMutex
	state
	epoch persistent.Epoch
	// held is what the budget has been charged: the state's charge and what
	// only snapshots hold.
	held      int64
	next      uint64         // the last inode number given out; never goes back
	opens     map[uint64]int // open files by inode
	snapshots int            // snapshots that share nodes
	forked    bool           // another storage shares nodes, for good
}

// stamp is a time without a location.
type stamp struct {
	seconds     int64
	nanoseconds int32
}

func stampOf(t time.Time) stamp { return stamp{t.Unix(), int32(t.Nanosecond())} }

func (s stamp) time() time.Time { return time.Unix(s.seconds, int64(s.nanoseconds)) }

func (s stamp) after(o stamp) bool {
	return s.seconds > o.seconds || s.seconds == o.seconds && s.nanoseconds > o.nanoseconds
}

// inode is one file. One of another epoch is never changed but copied.
type inode struct {
	epoch    uint64
	made     uint64 // the epoch it was first made in
	number   uint64
	mode     fs.FileMode
	links    uint32
	uid, gid int32

	atime, mtime, ctime, birth stamp

	entries persistent.Table[string, entry] // of a directory
	target  string                          // of a symbolic link
	content content                         // of a regular file
}

// entry is what a directory knows of a name.
type entry struct {
	number uint64
	kind   fs.FileMode
}

func (f *filesystem) now() stamp { return stampOf(f.options.Clock()) }

// noSpace is ENOSPC with the budget's own error behind it.
type noSpace struct{ cause error }

func (e *noSpace) Error() string   { return vfs.ENOSPC.Error() }
func (e *noSpace) Unwrap() []error { return []error{vfs.ENOSPC, e.cause} }

// grow pays for n bytes of the state.
func (f *filesystem) grow(n int64) error {
	if f.options.Quota > 0 && f.charge+n > f.options.Quota {
		return vfs.ENOSPC
	}
	if err := f.hold(n); err != nil {
		return err
	}
	f.charge += n
	return nil
}

// hold pays for n bytes that are not the state's: the copy of what a snapshot
// shares.
func (f *filesystem) hold(n int64) error {
	if f.options.Budget != nil {
		if err := f.options.Budget.Charge(n); err != nil {
			return &noSpace{err}
		}
	}
	f.held += n
	return nil
}

// shrink gives back n bytes of the state that were made in the given epoch.
// What a snapshot may share stays held.
func (f *filesystem) shrink(n int64, made uint64) {
	f.charge -= n
	if f.epoch.Owns(made) {
		f.release(n)
	}
}

func (f *filesystem) release(n int64) {
	f.held -= n
	if f.options.Budget != nil && n > 0 {
		f.options.Budget.Release(n)
	}
}

// inode is the inode of a number; nil for a stale one.
func (f *filesystem) inode(number uint64) *inode {
	n, _ := f.inodes.Get(number)
	return n
}

// change is an inode to write to, copied where a snapshot shares it.
func (f *filesystem) change(n *inode) *inode {
	if f.epoch.Owns(n.epoch) {
		return n
	}
	c := *n
	c.epoch = f.epoch.Number
	f.inodes.Set(f.epoch, c.number, &c)
	return &c
}

// make adds an inode and its name. The name's directory must be changeable.
func (f *filesystem) make(directory *inode, name string, mode fs.FileMode, extra int64) (*inode, error) {
	if err := f.grow(inodeCharge + nameCharge + int64(len(name)) + extra); err != nil {
		return nil, err
	}
	f.next++
	now := f.now()
	n := &inode{epoch: f.epoch.Number, made: f.epoch.Number, number: f.next, mode: mode, links: 1, uid: -1, gid: -1,
		atime: now, mtime: now, ctime: now, birth: now}
	directory = f.change(directory)
	if directory.mode&fs.ModeSetgid != 0 {
		n.gid = directory.gid
		if mode.IsDir() {
			n.mode |= fs.ModeSetgid
		}
	}
	if mode.IsDir() {
		n.links = 2
		directory.links++
	}
	f.inodes.Set(f.epoch, n.number, n)
	directory.entries.Set(f.epoch, name, entry{n.number, mode.Type()})
	directory.mtime, directory.ctime = now, now
	return n, nil
}

// unname takes a name away, and the inode when it was the last and nobody has
// it open.
func (f *filesystem) unname(directory *inode, name string, n *inode) {
	directory = f.change(directory)
	directory.entries.Delete(f.epoch, name)
	f.shrink(nameCharge+int64(len(name)), n.made)
	now := f.now()
	directory.mtime, directory.ctime = now, now
	n = f.change(n)
	n.ctime = now
	if n.mode.IsDir() {
		directory.links--
		n.links = 0
	} else {
		n.links--
	}
	f.collect(n)
}

// collect frees an inode that has no name and no open file.
func (f *filesystem) collect(n *inode) {
	if n.links > 0 || f.opens[n.number] > 0 {
		return
	}
	f.cut(n, 0)
	f.shrink(inodeCharge+int64(len(n.target)), n.made)
	f.inodes.Delete(f.epoch, n.number)
}

func (f *filesystem) info(n *inode, name string) *vfs.Info {
	i := &vfs.Info{
		FileName: name, FileMode: n.mode, Inode: n.number, Device: f.device, Links: uint64(n.links),
		UID: int(n.uid), GID: int(n.gid),
		Accessed: n.atime.time(), Modified: n.mtime.time(), Changed: n.ctime.time(), Birthday: n.birth.time(),
	}
	switch {
	case n.mode.IsDir():
		i.Bytes, i.Blocks = 4096, 8
	case n.mode&fs.ModeSymlink != 0:
		i.Bytes = int64(len(n.target))
	default:
		i.Bytes, i.Blocks = n.content.size, n.content.blocks/512
	}
	return i
}

// Statfs tells the quota; without one, what an int32 of blocks can show.
func (f *filesystem) Statfs(ctx context.Context, _ string) (*vfs.Usage, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	total := f.options.Quota
	if total <= 0 {
		total = 1 << 43
	}
	free := max(0, total-f.charge)
	return &vfs.Usage{
		Bytes: uint64(total), FreeBytes: uint64(free), BlockSize: 4096,
		Inodes: uint64(total / inodeCharge), FreeInodes: uint64(free / inodeCharge),
	}, ctx.Err()
}
