package memory

import (
	"sync"

	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/internal/persistent"
)

// Snapshot is the state of a Storage at one moment. It takes constant time and
// space to make; what changes afterwards is copied first. Close it when it is
// no more needed: what only snapshots hold stays charged to the budget until
// the last is closed.
type Snapshot struct {
	owner *filesystem
	state state
	// orphans were open without a name: a restored state must not keep them.
	orphans []uint64
	mu      sync.Mutex
	closed  bool
}

// Snapshot keeps the state as it is now.
func (s *Storage) Snapshot() *Snapshot {
	f := s.fs
	f.mu.Lock()
	defer f.mu.Unlock()
	shot := &Snapshot{owner: f, state: f.state}
	for number := range f.opens {
		if n := f.inode(number); n != nil && n.links == 0 {
			shot.orphans = append(shot.orphans, number)
		}
	}
	f.snapshots++
	f.epoch = persistent.NextEpoch(false)
	return shot
}

// Restore makes the storage what it was when the snapshot was taken. Open files
// stay on their inodes; one that the snapshot does not have answers ESTALE. The
// snapshot must be of this storage (EINVAL) and can be restored again.
func (s *Storage) Restore(shot *Snapshot) error {
	f := s.fs
	shot.mu.Lock()
	defer shot.mu.Unlock()
	if shot.owner != f || shot.closed {
		return vfs.EINVAL
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.state = shot.state
	f.epoch = persistent.NextEpoch(false)
	if f.snapshots == 1 {
		f.settle()
	}
	for _, number := range shot.orphans {
		if n := f.inode(number); n != nil && f.opens[number] == 0 {
			f.collect(f.change(n))
		}
	}
	return nil
}

// settle makes what is held what the state costs; no other state holds more.
func (f *filesystem) settle() {
	if f.held > f.charge {
		f.release(f.held - f.charge)
	} else if f.options.Budget != nil && f.held < f.charge {
		// The budget may be used up by now; the state is there all the same.
		if f.options.Budget.Charge(f.charge-f.held) == nil {
			f.held = f.charge
		}
	}
}

// Close gives the snapshot up. It is no error to close it twice.
func (shot *Snapshot) Close() error {
	shot.mu.Lock()
	defer shot.mu.Unlock()
	if shot.closed {
		return nil
	}
	shot.closed = true
	shot.state = state{}
	shot.owner.unshare()
	return nil
}

// unshare ends the sharing with one snapshot or fork.
func (f *filesystem) unshare() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.snapshots--; f.snapshots == 0 && !f.forked {
		f.epoch.Alone = true
		f.settle()
	}
}

// Fork makes a new storage that starts as the snapshot is. Both go their own
// ways; what they share is charged to both. The snapshot may be closed after.
// Quota and Clock, when zero, are the original's.
func (shot *Snapshot) Fork(options Options) (*Storage, error) {
	shot.mu.Lock()
	defer shot.mu.Unlock()
	if shot.closed {
		return nil, vfs.EINVAL
	}
	if options.Quota == 0 {
		options.Quota = shot.owner.options.Quota
	}
	if options.Clock == nil {
		options.Clock = shot.owner.options.Clock
	}
	f := newFilesystem(options)
	f.epoch.Alone = false
	f.forked = true
	if err := f.hold(shot.state.charge); err != nil {
		return nil, err
	}
	shot.owner.mu.Lock()
	f.state, f.next = shot.state, shot.owner.next
	// The original shares nodes with the fork for good.
	shot.owner.forked = true
	shot.owner.mu.Unlock()
	for _, number := range shot.orphans {
		if n := f.inode(number); n != nil {
			f.collect(f.change(n))
		}
	}
	return &Storage{Face: vfs.NewFace(f), fs: f}, nil
}
