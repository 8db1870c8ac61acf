package overlay

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"sort"
	"strings"

	"github.com/vsh-project/vsh/vfs"
)

// Change is one path that differs from the lower.
type Change = vfs.Change

const (
	Added       = vfs.Added
	Modified    = vfs.Modified
	Removed     = vfs.Removed
	Renamed     = vfs.Renamed
	ModeChanged = vfs.ModeChanged
	// touched files differ in their modification time only: no change to
	// tell, but one to commit.
	touched = vfs.ChangeKind(-1)
)

// Changes lists what differs from the lower, in path order. A renamed directory
// is one change; what moved along unchanged is not listed. The cost grows with
// what was changed, not with the tree.
func (s *Storage) Changes(ctx context.Context) ([]Change, error) {
	var list []Change
	err := s.fs.behindGate(ctx, func() error {
		all, err := s.fs.scan(ctx)
		if err != nil {
			return err
		}
		moved := map[string]string{} // renamed directories: path to origin
		for _, c := range all {
			if c.Kind == touched {
				continue
			}
			if c.Kind == Renamed {
				at := strings.LastIndexByte(c.Path, '/')
				from, along := moved[c.Path[:at]]
				along = along && !c.Edited && c.Mode == c.OldMode && c.From == from+c.Path[at:]
				if c.Mode.IsDir() {
					moved[c.Path] = c.From
				}
				if along {
					continue
				}
			}
			list = append(list, c)
		}
		return nil
	})
	return list, err
}

// scan compares the overlay with the lower, one Change a file, in path order.
func (f *filesystem) scan(ctx context.Context) ([]Change, error) {
	s, err := f.fullScan(ctx)
	if err != nil {
		return nil, err
	}
	return s.list, nil
}

func (f *filesystem) fullScan(ctx context.Context) (*scan, error) {
	s := &scan{filesystem: f, ctx: ctx, origins: map[string]string{}, moved: map[string]bool{}}
	if err := s.compare("/"); err != nil {
		return nil, err
	}
	if err := s.pairRenames(); err != nil {
		return nil, err
	}
	sort.SliceStable(s.list, func(i, j int) bool {
		if s.list[i].Path != s.list[j].Path {
			return s.list[i].Path < s.list[j].Path
		}
		return s.list[i].Kind == Removed && s.list[j].Kind != Removed
	})
	return s, nil
}

type scan struct {
	*filesystem
	ctx  context.Context
	list []Change
	// origins are the lower paths that added files come from.
	origins map[string]string
	// moved are the lower paths shown under another path.
	moved map[string]bool
}

// note remembers where what is at p comes from.
func (s *scan) note(p string, r ref) (from string) {
	from = r.lower
	if r.node != nil {
		from = r.node.lower
	}
	if from != "" && from != p {
		s.moved[from] = true
	}
	return from
}

// compare visits a path that may differ.
func (s *scan) compare(p string) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	r, err := s.walk(p)
	if err != nil {
		return err
	}
	if r.node == nil && r.lower == p {
		return nil // unchanged
	}
	s.note(p, r)
	now, err := s.describe(s.ctx, r, base(p))
	if err != nil && vfs.Errno(err) != vfs.ENOENT {
		return err
	}
	old, err := s.lower.Lstat(s.ctx, p)
	if e := vfs.Errno(err); err != nil && e != vfs.ENOENT && e != vfs.ENOTDIR && e != vfs.ELOOP {
		return err
	}
	switch {
	case now == nil && old == nil:
		return nil
	case now == nil:
		return s.removed(p, old)
	case old == nil:
		return s.added(p, r, now)
	case now.FileMode.Type() != old.FileMode.Type():
		if err := s.removed(p, old); err != nil {
			return err
		}
		return s.added(p, r, now)
	}
	c := Change{Path: p, Mode: now.FileMode, OldMode: old.FileMode, Size: now.Bytes, OldSize: old.Bytes}
	if now.IsDir() {
		switch {
		case now.FileMode != old.FileMode:
			c.Kind = ModeChanged
			s.list = append(s.list, c)
		case r.node != nil && r.node.upper && !now.Modified.Equal(old.Modified):
			c.Kind = touched
			s.list = append(s.list, c)
		}
		return s.names(p, r)
	}
	same := r.node != nil && !r.node.upper && r.node.lower == p
	if !same {
		if same, err = s.sameContent(p, p, now, old); err != nil {
			return err
		}
	}
	switch {
	case !same:
		c.Kind = Modified
	case now.FileMode != old.FileMode && now.FileMode&fs.ModeSymlink == 0:
		c.Kind = ModeChanged
	case !now.Modified.Equal(old.Modified) && (now.FileMode.IsRegular() || now.FileMode&fs.ModeSymlink != 0):
		c.Kind = touched
	default:
		return nil
	}
	s.list = append(s.list, c)
	return nil
}

// names compares what two directories at p hold.
func (s *scan) names(p string, r ref) error {
	var names []string
	if r.node != nil && r.node.lower == p {
		s.mu.RLock()
		r.node.children.Ascend("", func(name string, _ child) bool { names = append(names, name); return true })
		s.mu.RUnlock()
	} else {
		seen := map[string]bool{}
		now, err := s.ReadDir(s.ctx, p)
		if err != nil {
			return err
		}
		old, err := s.readLower(s.ctx, p)
		if err != nil {
			return err
		}
		for _, e := range append(now, old...) {
			if !seen[e.Name] {
				seen[e.Name] = true
				names = append(names, e.Name)
			}
		}
	}
	for _, name := range names {
		if err := s.compare(join(p, name)); err != nil {
			return err
		}
	}
	return nil
}

// removed notes all of a tree that is below and no more here.
func (s *scan) removed(p string, old *vfs.Info) error {
	s.list = append(s.list, Change{Kind: Removed, Path: p, OldMode: old.FileMode, OldSize: old.Bytes})
	if !old.IsDir() {
		return nil
	}
	entries, err := s.readLower(s.ctx, p)
	if err != nil {
		return err
	}
	for _, e := range entries {
		info, err := s.lower.Lstat(s.ctx, join(p, e.Name))
		if err != nil {
			return err
		}
		if err := s.removed(join(p, e.Name), info); err != nil {
			return err
		}
	}
	return nil
}

// added notes all of a tree that is here and not below.
func (s *scan) added(p string, r ref, now *vfs.Info) error {
	s.list = append(s.list, Change{Kind: Added, Path: p, Mode: now.FileMode, Size: now.Bytes})
	if from := s.note(p, r); from != "" {
		s.origins[p] = from
	}
	if !now.IsDir() {
		return nil
	}
	entries, err := s.ReadDir(s.ctx, p)
	if err != nil {
		return err
	}
	for _, e := range entries {
		below := join(p, e.Name)
		info, r, err := s.info(s.ctx, below)
		if err != nil {
			return err
		}
		if err := s.added(below, r, info); err != nil {
			return err
		}
	}
	return nil
}

// pairRenames makes one change of what was removed here and added there.
func (s *scan) pairRenames() error {
	removed := map[string]int{}
	for i, c := range s.list {
		if c.Kind == Removed {
			removed[c.Path] = i
		}
	}
	gone := map[int]bool{}
	for i, c := range s.list {
		from, ok := s.origins[c.Path]
		if c.Kind != Added || !ok {
			continue
		}
		at, ok := removed[from]
		if _, replaced := removed[c.Path]; !ok || replaced || gone[at] {
			continue
		}
		old := s.list[at]
		if old.OldMode.Type() != c.Mode.Type() {
			continue
		}
		gone[at] = true
		c.Kind, c.From, c.OldMode, c.OldSize = Renamed, from, old.OldMode, old.OldSize
		if !c.Mode.IsDir() {
			now, r, err := s.info(s.ctx, c.Path)
			if err != nil {
				return err
			}
			if r.node != nil && r.node.upper {
				before, err := s.lower.Lstat(s.ctx, from)
				if err != nil {
					return err
				}
				same, err := s.sameContent(c.Path, from, now, before)
				if err != nil {
					return err
				}
				c.Edited = !same
			}
		}
		s.list[i] = c
	}
	kept := s.list[:0]
	for i, c := range s.list {
		if !gone[i] {
			kept = append(kept, c)
		}
	}
	s.list = kept
	return nil
}

// sameContent compares the file at p with one below, both of one type.
func (s *scan) sameContent(p, below string, now, old *vfs.Info) (bool, error) {
	switch now.FileMode.Type() {
	case fs.ModeSymlink:
		a, err := s.Readlink(s.ctx, p)
		if err != nil {
			return false, err
		}
		b, err := s.lower.Readlink(s.ctx, below)
		return a == b, err
	case 0:
	default:
		return true, nil
	}
	if now.Bytes != old.Bytes {
		return false, nil
	}
	a, err := s.openRead(s.ctx, p)
	if err != nil {
		return false, err
	}
	defer a.Close()
	b, err := s.lower.Open(s.ctx, below, vfs.O_RDONLY, 0)
	if err != nil {
		return false, err
	}
	defer b.Close()
	x, y := make([]byte, blockSize), make([]byte, blockSize)
	for {
		if err := s.ctx.Err(); err != nil {
			return false, err
		}
		n, err := io.ReadFull(a, x)
		m, otherErr := io.ReadFull(b, y)
		if !bytes.Equal(x[:n], y[:m]) {
			return false, nil
		}
		for _, e := range []error{err, otherErr} {
			if e != nil && e != io.EOF && e != io.ErrUnexpectedEOF {
				return false, e
			}
		}
		if err != nil || otherErr != nil {
			return (err != nil) == (otherErr != nil), nil
		}
	}
}
