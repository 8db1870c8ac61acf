package overlay

import (
	"context"
	"sort"
	"sync"

	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/internal/persistent"
	"github.com/vsh-project/vsh/vfs/memory"
)

// Snapshot is the changes of a Storage at one moment. What was unchanged then is
// still read from the lower, as it is when it is read. It takes constant time
// and space to make. Close it when it is no more needed.
type Snapshot struct {
	owner *filesystem
	state state
	upper *memory.Snapshot
	mu    sync.Mutex
}

// Snapshot keeps the changes as they are now.
func (s *Storage) Snapshot(ctx context.Context) (*Snapshot, error) {
	f := s.fs
	if err := f.enter(ctx); err != nil {
		return nil, err
	}
	defer f.leave()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.snapshots++
	f.epoch = persistent.NextEpoch(false)
	return &Snapshot{owner: f, state: f.state, upper: f.upper.Snapshot()}, nil
}

// Restore makes the changes those of the snapshot (EINVAL when it is closed or
// another storage's). Open files whose content the snapshot does not have answer
// ESTALE.
func (s *Storage) Restore(ctx context.Context, shot *Snapshot) error {
	f := s.fs
	if err := f.enter(ctx); err != nil {
		return err
	}
	defer f.leave()
	shot.mu.Lock()
	defer shot.mu.Unlock()
	if shot.owner != f || shot.upper == nil {
		return vfs.EINVAL
	}
	if err := f.upper.Restore(shot.upper); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.state = shot.state
	f.epoch = persistent.NextEpoch(false)
	f.readers = map[string]*reader{}
	return nil
}

// Close gives the snapshot up.
func (shot *Snapshot) Close() error {
	shot.mu.Lock()
	defer shot.mu.Unlock()
	if shot.upper == nil {
		return nil
	}
	err := shot.upper.Close()
	shot.upper, shot.state = nil, state{}
	f := shot.owner
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.snapshots--; f.snapshots == 0 {
		f.epoch.Alone = true
		held := int64(f.nodes.Len()-1) * nodeCharge
		if f.options.Budget != nil && f.charged > held {
			f.options.Budget.Release(f.charged - held)
			f.charged = held
		}
	}
	return err
}

// Fork makes a new overlay over the same lower that starts with the snapshot's
// changes. Both go their own ways; what they share is charged to both. The
// snapshot may be closed after. Lower, Quota and Clock, when zero, are the
// original's.
func (shot *Snapshot) Fork(ctx context.Context, options Options) (*Storage, error) {
	f := shot.owner
	if err := f.enter(ctx); err != nil {
		return nil, err
	}
	defer f.leave()
	shot.mu.Lock()
	defer shot.mu.Unlock()
	if shot.upper == nil {
		return nil, vfs.EINVAL
	}
	if options.Lower == nil {
		options.Lower = f.options.Lower
	}
	if options.Quota == 0 {
		options.Quota = f.options.Quota
	}
	if options.Clock == nil {
		options.Clock = f.options.Clock
	}
	fork, err := New(options)
	if err != nil {
		return nil, err
	}
	g := fork.fs
	g.upper, err = shot.upper.Fork(memory.Options{Budget: options.Budget, Quota: options.Quota, Clock: g.options.Clock})
	if err != nil {
		return nil, err
	}
	g.up = g.upper.FS()
	if options.Budget != nil {
		g.charged = int64(shot.state.nodes.Len()-1) * nodeCharge
		if err := options.Budget.Charge(g.charged); err != nil {
			return nil, &noSpace{err}
		}
	}
	// Nodes are shared for good: neither side may change one in place.
	g.state, g.epoch, g.next = shot.state, persistent.NextEpoch(false), f.next
	g.snapshots++
	f.snapshots++
	return fork, nil
}

// sortDeepest puts what lies below before what it lies in.
func sortDeepest(paths []string) { sort.Sort(sort.Reverse(sort.StringSlice(paths))) }
