package overlay

import (
	"context"
	"io/fs"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/vsh-project/vsh/vfs"
)

// Conflict is what Commit answers when the lower is no longer what the overlay
// took a file over from. Nothing has been committed then.
type Conflict struct{ Paths []string }

func (c *Conflict) Error() string {
	return "changed below since they were taken over: " + strings.Join(c.Paths, ", ")
}

// Unwrap makes it EBUSY.
func (c *Conflict) Unwrap() error { return vfs.EBUSY }

// Commit writes all changes to the lower and forgets them. First every file is
// written beside its place, then each is renamed into it, and last is removed
// what is gone: whoever reads meanwhile sees each file old or new. An error in
// the first part leaves the lower as it was. After one in the middle the overlay
// shows all it did, and another Commit does the rest. Where the process itself
// ends in the middle, each file is old or new; one that was to change places with
// another may be left beside its place, as .vsh-*.tmp, and nowhere else. It
// returns what it has committed. Open files of the overlay no longer lead to the lower, and neither
// does what a Snapshot shows under a new name.
func (s *Storage) Commit(ctx context.Context) ([]Change, error) {
	var done []Change
	err := s.fs.behindGate(ctx, func() error {
		if err := s.fs.settle(ctx); err != nil {
			return err
		}
		found, err := s.fs.fullScan(ctx)
		if err != nil {
			return err
		}
		seen, err := found.conflicts()
		if err != nil {
			return err
		}
		c := &commit{filesystem: s.fs, ctx: ctx, all: found.list, seen: seen}
		if err := c.run(); err != nil {
			return err
		}
		s.fs.discard()
		for _, one := range c.all {
			if one.Kind != touched {
				done = append(done, one)
			}
		}
		return nil
	})
	return done, err
}

// Discard forgets all changes. Open files keep what they have. What a Commit
// that stopped half way has written stays.
func (s *Storage) Discard(ctx context.Context) error {
	return s.fs.behindGate(ctx, func() error {
		s.fs.mu.Lock()
		s.fs.leftovers = nil // they may be the last to hold what they hold
		s.fs.mu.Unlock()
		s.fs.discard()
		return nil
	})
}

func (f *filesystem) discard() {
	var all []*node
	f.mu.Lock()
	f.nodes.Ascend(0, func(_ uint64, n *node) bool { all = append(all, n); return true })
	f.reset()
	if f.snapshots == 0 && f.options.Budget != nil {
		f.options.Budget.Release(f.charged)
		f.charged = 0
	}
	f.mu.Unlock()
	for _, n := range all {
		f.dropUpper(n)
	}
}

// lowerPrint is what the lower has at p; nil for nothing.
func (f *filesystem) lowerPrint(ctx context.Context, p string) (*fingerprint, error) {
	info, err := f.lower.Lstat(ctx, p)
	switch e := vfs.Errno(err); {
	case err == nil:
		return fingerprintOf(info), nil
	case e == vfs.ENOENT || e == vfs.ENOTDIR || e == vfs.ELOOP:
		return nil, nil
	}
	return nil, err
}

// bases are what the lower had at each path when the overlay took it over. What
// a commit that stopped half way has seen or made there comes before it.
func (f *filesystem) bases() map[string]*fingerprint {
	bases := map[string]*fingerprint{}
	note := func(n *node) {
		if n.lower == "" {
			return
		}
		n.children.Ascend("", func(name string, c child) bool {
			bases[join(n.lower, name)] = c.base
			return true
		})
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	f.nodes.Ascend(0, func(_ uint64, n *node) bool { note(n); return true })
	f.gone.Ascend("", func(_ string, n *node) bool { note(n); return true })
	maps.Copy(bases, f.agreed)
	return bases
}

// madeDirectory stands for a directory of a commit that stopped half way: it is of
// whatever time, and may not be there.
var madeDirectory = &fingerprint{mode: fs.ModeDir}

func (p *fingerprint) isMade() bool { return p == madeDirectory }

// conflicts compares what the overlay took over with what the lower has now,
// which it returns for each path of the list.
func (s *scan) conflicts() (map[string]*fingerprint, error) {
	bases, seen := s.bases(), map[string]*fingerprint{}
	conflict := &Conflict{}
	kept := s.list[:0]
	for _, c := range s.list {
		now, err := s.lowerPrint(s.ctx, c.Path)
		if err != nil {
			return nil, err
		}
		taken, known := bases[c.Path]
		if c.Kind == touched && c.Mode.IsDir() && (taken == nil || now == nil || !taken.isMade() && !taken.modified.Equal(now.modified)) {
			continue // others have changed names in it since
		}
		kept = append(kept, c)
		seen[c.Path] = now
		if c.Kind == Renamed {
			if seen[c.From], err = s.lowerPrint(s.ctx, c.From); err != nil {
				return nil, err
			}
		}
		_, agreed := s.agreed[c.Path]
		if c.Path == "/" || !agreed && s.moved[c.Path] && (c.Kind == Removed || !known) {
			continue // it goes where it is shown, as it is by then
		}
		if known && !taken.same(now) && !(now == nil && taken.isMade()) || !known && now != nil {
			conflict.Paths = append(conflict.Paths, c.Path)
		}
	}
	s.list = kept
	if len(conflict.Paths) > 0 {
		return nil, conflict
	}
	return seen, nil
}

// changedMeanwhile looks again, when all is staged and nothing of it can be seen:
// what others have changed since conflicts looked is one still.
func (c *commit) changedMeanwhile(removed map[string]bool) error {
	conflict := &Conflict{}
	for p, before := range c.seen {
		now, err := c.lowerPrint(c.ctx, p)
		if err != nil {
			return err
		}
		if !now.same(before) && !slices.Contains(c.made, p) {
			conflict.Paths = append(conflict.Paths, p)
		}
		if !removed[p] || now == nil || !now.mode.IsDir() {
			continue
		}
		entries, err := c.readLower(c.ctx, p)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if name := join(p, e.Name); !removed[name] {
				conflict.Paths = append(conflict.Paths, name)
			}
		}
	}
	if len(conflict.Paths) > 0 {
		sort.Strings(conflict.Paths)
		return conflict
	}
	return nil
}

// staged is a file written beside its place.
type staged struct {
	path, temporary string
	print           *fingerprint
	id              uint64 // the node's
	// source is where the lower had the content, "" when it is up here.
	source      string
	sourcePrint *fingerprint
}

type commit struct {
	*filesystem
	ctx context.Context
	all []Change
	// seen is what the lower had before, at each path of all.
	seen   map[string]*fingerprint
	staged []staged
	made   []string // directories
	opened []Change // directories made writable
	// times are those of directories that only the commit itself changes.
	times map[string]time.Time
	names map[uint64][]string // of nodes that have several; made when needed
}

func (c *commit) run() error {
	// What comes in the place of another kind of file waits until that is gone.
	removed := map[string]bool{}
	for _, one := range c.all {
		switch one.Kind {
		case Removed:
			removed[one.Path] = true
		case Renamed:
			removed[one.From] = true
		}
		if one.Kind != Removed && one.Mode&fs.ModeNamedPipe != 0 {
			// A lower that can hold none would stop the commit half way.
			return &fs.PathError{Op: "commit", Path: one.Path, Err: vfs.ENOTSUP}
		}
	}
	late := func(p string) bool {
		for ; p != "/"; p = path.Dir(p) {
			if removed[p] {
				return true
			}
		}
		return false
	}
	var first, last []Change
	for _, one := range c.all {
		switch {
		case one.Kind == Removed:
		case late(one.Path):
			last = append(last, one)
		default:
			first = append(first, one)
		}
	}
	if err := c.takeOver(); err != nil {
		return err
	}
	// Late files are written now too, if they are not made of what is still
	// there: their content is read before anything of the lower changes.
	err := c.stage(first)
	if err == nil {
		err = c.stageLate(last)
	}
	if err == nil {
		err = c.printStaged()
	}
	if err == nil {
		err = c.changedMeanwhile(removed)
	}
	if err != nil {
		c.undo()
		return err
	}
	c.point()
	if err := c.replace(first, last, removed); err != nil {
		c.keep()
		return err
	}
	return nil
}

// replace does what others can see: from here on there is no way back, only
// forward.
func (c *commit) replace(first, last []Change, removed map[string]bool) error {
	if err := c.place(first); err != nil {
		return err
	}
	// What is removed may have moved: the new name comes first on the disk too.
	if err := c.syncNames(first); err != nil {
		return err
	}
	// By now what an earlier commit has left is staged anew.
	if err := c.settle(c.ctx); err != nil {
		return err
	}
	if err := c.remove(removed); err != nil {
		return err
	}
	if err := c.place(last); err != nil {
		return err
	}
	if err := c.finish(); err != nil {
		return err
	}
	return c.syncNames(c.all)
}
