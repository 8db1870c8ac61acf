// Package walk visits file trees over a vfs.View in name order. Directories
// are listed ahead by a few workers, but visited by the caller's goroutine
// alone.
package walk

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/vsh-project/vsh/vfs"
)

// Links says which symbolic links are followed.
type Links uint8

const (
	// Physical follows none (-P).
	Physical Links = iota
	// CommandLine follows the roots only (-H).
	CommandLine
	// Logical follows all (-L); one that leads nowhere stands for itself.
	Logical
)

// Options of a walk. The zero value visits everything, following no link,
// without work ahead.
type Options struct {
	Links Links
	// Stat has each entry's Info fetched with its directory's listing.
	Stat bool
	// Post visits each directory again after what it holds.
	Post bool
	// OneDevice does not descend into a directory of another device than its
	// root's, though it is visited.
	OneDevice bool
	// MaxDepth is the deepest level to list, a root's being 0; negative: all.
	// Zero means all unless Bounded is set.
	MaxDepth int
	Bounded  bool
	// Ahead is how many directories may be listed before their turn. Zero
	// lists each when it is reached, which visitors that change the tree need.
	Ahead int
	// Order sorts a directory's entries in place; nil keeps them by name.
	Order func(entries []*Entry)
}

// Kind says why an entry is visited.
type Kind uint8

const (
	// Pre is a file, or a directory before what it holds.
	Pre Kind = iota
	// Post is a directory after what it holds.
	Post
	// Unreadable is a directory, visited before, that cannot be listed.
	Unreadable
	// Missing is an entry that cannot be described: Err says why.
	Missing
	// Loop is a directory that is also above itself, at Ancestor.
	Loop
)

// Entry is one visited file.
type Entry struct {
	// Path is the root as typed and the names below it.
	Path string
	// Name is Path's last element; a root's is the root as typed.
	Name  string
	Depth int
	Kind  Kind
	Err   error
	// Type holds type bits: the link's target's where it was followed.
	Type fs.FileMode
	// Inode is the entry's own, from the listing; 0 for a root.
	Inode    uint64
	Ancestor string
	Parent   *Entry

	info     *vfs.Info
	listing  *listing
	followed bool
}

// IsDir reports whether the entry, or what it leads to where links are
// followed, is a directory.
func (e *Entry) IsDir() bool { return e.Type.IsDir() }

// Followed reports whether Type and Info are of what a link leads to.
func (e *Entry) Followed() bool { return e.followed }

// Info describes the entry, or what it leads to where links are followed.
func (e *Entry) Info(ctx context.Context, view *vfs.View) (*vfs.Info, error) {
	if e.info == nil {
		info, err := view.Lstat(ctx, e.Path)
		if err != nil {
			return nil, err
		}
		e.info = info
	}
	return e.info, nil
}

// SkipDir, returned by a visitor, leaves a directory's contents out.
var SkipDir = errors.New("skip this directory")

// Walk visits root and what lies below it. An error of visit other than
// SkipDir, or of ctx, ends the walk and is returned.
func Walk(ctx context.Context, view *vfs.View, root string, options Options, visit func(e *Entry) error) error {
	ctx, cancel := context.WithCancel(ctx)
	w := &walker{ctx: ctx, view: view, options: options, visit: visit}
	if options.MaxDepth == 0 && !options.Bounded {
		w.options.MaxDepth = -1
	}
	if options.Ahead > 0 {
		w.ahead = newAhead(w, options.Ahead)
	}
	err := w.root(root)
	cancel()
	if w.ahead != nil {
		w.ahead.wait.Wait()
	}
	return err
}

type walker struct {
	ctx     context.Context
	view    *vfs.View
	options Options
	visit   func(e *Entry) error
	ahead   *ahead
	device  uint64
}

func (w *walker) root(root string) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	e := &Entry{Path: root, Name: root}
	if err := describe(w.ctx, w.view, e, w.options.Links != Physical); err != nil {
		if ended := w.ctx.Err(); ended != nil {
			return ended
		}
		e.Kind, e.Err = Missing, err
		return w.call(e)
	}
	w.device = e.info.Device
	return w.entry(e)
}

// describe fills an entry's info and type.
func describe(ctx context.Context, view *vfs.View, e *Entry, follow bool) error {
	var info *vfs.Info
	var err error
	if follow {
		info, err = view.Stat(ctx, e.Path)
		e.followed = err == nil
		if err != nil && vfs.Errno(err) != vfs.ENOENT && vfs.Errno(err) != vfs.ENOTDIR {
			return err
		}
	}
	if info == nil {
		if info, err = view.Lstat(ctx, e.Path); err != nil {
			return err
		}
	}
	e.info, e.Type = info, info.FileMode.Type()
	return nil
}

// call visits, taking SkipDir for nothing.
func (w *walker) call(e *Entry) error {
	if err := w.visit(e); err != nil && !errors.Is(err, SkipDir) {
		return err
	}
	return nil
}

// entry visits one entry and what it holds.
func (w *walker) entry(e *Entry) error {
	if e.Err != nil {
		e.Kind = Missing
		return w.call(e)
	}
	if !e.IsDir() {
		return w.call(e)
	}
	if above := w.loop(e); above != nil {
		e.Kind, e.Ancestor = Loop, above.Path
		return w.call(e)
	}
	descend := true
	if err := w.visit(e); errors.Is(err, SkipDir) {
		descend = false
	} else if err != nil {
		return err
	}
	if descend && w.descends(e) {
		if err := w.contents(e); err != nil {
			return err
		}
	}
	if e.listing != nil {
		w.ahead.drop(e.listing)
		e.listing = nil
	}
	if w.options.Post {
		e.Kind = Post
		return w.call(e)
	}
	return nil
}

// descends reports whether a directory may be listed at all.
func (w *walker) descends(e *Entry) bool {
	if w.options.MaxDepth >= 0 && e.Depth >= w.options.MaxDepth {
		return false
	}
	if w.options.OneDevice && e.Depth > 0 {
		if info, err := e.Info(w.ctx, w.view); err == nil && info.Device != w.device {
			return false
		}
	}
	return true
}

func (w *walker) contents(e *Entry) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	l := e.listing
	if l == nil {
		l = &listing{directory: e}
		w.list(l)
	} else if !w.ahead.take(l) {
		w.list(l)
	}
	e.listing = nil
	if l.err != nil {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		kind := e.Kind
		e.Kind, e.Err = Unreadable, l.err
		err := w.call(e)
		e.Kind, e.Err = kind, nil
		return err
	}
	next := 0
	for i, child := range l.entries {
		if w.ahead != nil {
			next = w.ahead.start(l.entries, max(next, i), i)
		}
		l.entries[i] = nil
		if err := w.entry(child); err != nil {
			return err
		}
	}
	return nil
}

// loop is the directory above e that e is too.
func (w *walker) loop(e *Entry) *Entry {
	if w.options.Links != Logical {
		return nil
	}
	info, err := e.Info(w.ctx, w.view)
	if err != nil {
		return nil
	}
	for above := e.Parent; above != nil; above = above.Parent {
		if other, err := above.Info(w.ctx, w.view); err == nil && vfs.SameFile(info, other) {
			return above
		}
	}
	return nil
}

// Join is the path of a name in a directory as typed.
func Join(directory, name string) string {
	if strings.HasSuffix(directory, "/") {
		return directory + name
	}
	return directory + "/" + name
}

// list fills a listing.
func (w *walker) list(l *listing) {
	d := l.directory
	names, err := w.view.ReadDir(w.ctx, d.Path)
	if err != nil {
		l.err = err
		return
	}
	block := make([]Entry, len(names))
	l.entries = make([]*Entry, len(names))
	for i, name := range names {
		e := &block[i]
		e.Path, e.Name, e.Depth, e.Parent = Join(d.Path, name.Name), name.Name, d.Depth+1, d
		e.Type, e.Inode = name.Type, name.Inode
		l.entries[i] = e
		follow := w.options.Links == Logical && name.Type&fs.ModeSymlink != 0
		if w.options.Stat || follow || w.options.Links == Logical && name.IsDir() {
			if i&63 == 0 && w.ctx.Err() != nil {
				l.err = w.ctx.Err()
				return
			}
			e.Err = describe(w.ctx, w.view, e, follow)
		}
	}
	if w.options.Order != nil {
		w.options.Order(l.entries)
	}
}
