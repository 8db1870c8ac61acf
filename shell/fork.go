package shell

import (
	"context"
	"fmt"
	"reflect"
	"sync"

	"github.com/vsh-project/vsh/internal/budget"
	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/memory"
	"github.com/vsh-project/vsh/vfs/overlay"
)

// Fork makes a Shell that starts as this one is, for a what-if run: nothing it
// does shows here, and nothing that is done here shows there. It waits for its
// turn. The fork has
//
//   - the session: working directory, variables, functions, aliases, history;
//   - a copy of /tmp and of the workspace and mounts that are memory.Storage or
//     overlay.Storage, made in constant time;
//   - an overlay over each other storage that can be written: what others change
//     below in files that the fork has not changed shows in it.
//
// Named pipes that a host directory cannot hold stay behind. Host programs
// (External) reach the host's disk from a fork as from the original. What a fork
// starts with and what it changes draws from its own Limits.Memory, but for the
// workspace's content at that moment. Storage gives the fork's workspace; where
// that is an overlay, its Commit keeps what the fork has done.
func (s *Shell) Fork(ctx context.Context) (*Shell, error) {
	select {
	case <-s.turn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { s.turn <- struct{}{} }()
	if err := s.stuck(); err != nil {
		return nil, err
	}
	b := budget.New(s.settings.Limits.Memory)
	settings := *s.settings
	done := map[vfs.Storage]vfs.Storage{}
	fork := func(storage vfs.Storage) (vfs.Storage, error) {
		known := reflect.TypeOf(storage).Comparable()
		if known && done[storage] != nil {
			return done[storage], nil
		}
		copied, err := forkStorage(ctx, storage, &settings, b)
		if known && err == nil {
			done[storage] = copied
		}
		return copied, err
	}
	var err error
	if settings.Storage, err = fork(settings.Storage); err != nil {
		return nil, fmt.Errorf("shell: Fork: Options.Storage: %w", err)
	}
	settings.Mounts = append([]Mount(nil), settings.Mounts...)
	for i := range settings.Mounts {
		m := &settings.Mounts[i]
		if m.ReadOnly {
			continue
		}
		if m.Storage, err = fork(m.Storage); err != nil {
			return nil, fmt.Errorf("shell: Fork: Options.Mounts[%d]: %w", i, err)
		}
	}
	shot := s.files.tmp.Snapshot()
	defer shot.Close()
	tmp, err := shot.Fork(memory.Options{Budget: b})
	if err != nil {
		return nil, fmt.Errorf("shell: Fork: /tmp: %w", err)
	}
	f := &Shell{settings: &settings, budget: b, turn: make(chan struct{}, 1)}
	f.turn <- struct{}{}
	files, err := settings.newFiles(b, tmp)
	if err != nil {
		return nil, fmt.Errorf("shell: Fork: %w", err)
	}
	f.show(files)
	if f.eval, err = s.eval.fork(&settings, b, files.view); err != nil {
		return nil, fmt.Errorf("shell: Fork: %w", err)
	}
	return f, nil
}

func forkStorage(ctx context.Context, storage vfs.Storage, s *settings, b *budget.Budget) (vfs.Storage, error) {
	pays := &forkBudget{budget: b, shared: true}
	defer pays.begin()
	switch own := storage.(type) {
	case *memory.Storage:
		shot := own.Snapshot()
		defer shot.Close()
		return shot.Fork(memory.Options{Budget: pays})
	case *overlay.Storage:
		shot, err := own.Snapshot(ctx)
		if err != nil {
			return nil, err
		}
		defer shot.Close()
		return shot.Fork(ctx, overlay.Options{Budget: pays})
	}
	return overlay.New(overlay.Options{Lower: storage, Budget: pays, Clock: s.Clock})
}

// forkBudget charges a fork for what it changes, and not for what it shares with
// its original: whoever holds that has paid or needs not.
type forkBudget struct {
	budget *budget.Budget
	mu     sync.Mutex
	shared bool // what is charged now is there already
	held   int64
}

func (f *forkBudget) begin() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.shared = false
}

func (f *forkBudget) Charge(n int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.shared {
		return nil
	}
	if err := f.budget.Charge(n); err != nil {
		return err
	}
	f.held += n
	return nil
}

func (f *forkBudget) Release(n int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n = min(n, f.held)
	f.held -= n
	f.budget.Release(n)
}
