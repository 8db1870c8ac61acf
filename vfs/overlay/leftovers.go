package overlay

import (
	"context"
	"maps"
	"slices"

	"github.com/vsh-project/vsh/vfs"
)

// What is here is for a commit that stopped on the way, and the one after it.

// clear removes a temporary file or a directory that a commit has made in the
// lower. What can't be removed now is hidden, and left for settle.
func (f *filesystem) clear(ctx context.Context, p string, directory bool) error {
	remove := f.lower.Unlink
	if directory {
		remove = f.lower.Rmdir
	}
	err := remove(ctx, p)
	if e := vfs.Errno(err); e == vfs.ENOENT || e == vfs.ENOTEMPTY {
		err = nil // gone, or somebody else's by now
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil {
		delete(f.leftovers, p)
		return nil
	}
	f.leaveBehind(p, directory)
	return err
}

// leaveBehind hides a name of the lower until it is cleared. mu is held.
func (f *filesystem) leaveBehind(p string, directory bool) {
	if f.leftovers == nil {
		f.leftovers = map[string]bool{}
	}
	f.leftovers[p] = directory
}

// settle clears away what earlier commits have left and no file is read from.
func (f *filesystem) settle(ctx context.Context) error {
	f.mu.RLock()
	left := maps.Clone(f.leftovers)
	f.nodes.Ascend(0, func(_ uint64, n *node) bool { delete(left, n.lower); return true })
	f.mu.RUnlock()
	paths := slices.Collect(maps.Keys(left))
	sortDeepest(paths)
	for _, p := range paths {
		if err := f.clear(ctx, p, left[p]); err != nil {
			return err
		}
	}
	return nil
}

// readLower lists a directory of the lower without leftovers.
func (f *filesystem) readLower(ctx context.Context, path string) ([]vfs.Entry, error) {
	entries, err := f.lower.ReadDir(ctx, path)
	f.mu.RLock()
	defer f.mu.RUnlock()
	if err != nil || len(f.leftovers) == 0 {
		return entries, err
	}
	kept := entries[:0]
	for _, e := range entries {
		if _, hidden := f.leftovers[join(path, e.Name)]; !hidden {
			kept = append(kept, e)
		}
	}
	return kept, nil
}

// agree notes what the lower has by a commit's own doing, or had before it: no
// conflict for the next.
func (f *filesystem) agree(prints map[string]*fingerprint) {
	if len(prints) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	// A snapshot may have the map.
	all := maps.Clone(f.agreed)
	if all == nil {
		all = map[string]*fingerprint{}
	}
	maps.Copy(all, prints)
	f.agreed = all
}
