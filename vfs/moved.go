package vfs

import (
	"sync"
	"sync/atomic"
)

// moves lists the directories that were renamed or removed through a tree, so
// that a View whose working directory was among them, or below, knows: a process
// holds a directory, not its name.
type moves struct {
	mu    sync.Mutex
	list  []move
	first uint64        // the number of list[0]
	count atomic.Uint64 // moves so far
}

// move is a rename; of a removal to is "".
type move struct{ from, to string }

// maximumMoves bounds the list: of a directory that nobody asked about for so
// long no more is known.
const maximumMoves = 1024

func (m *moves) add(from, to string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.list) == maximumMoves {
		m.list = append(m.list[:0], m.list[maximumMoves/2:]...)
		m.first += maximumMoves / 2
	}
	m.list = append(m.list, move{from, to})
	m.count.Add(1)
}

// whereabouts is a working directory, shared by the Views that are in it.
type whereabouts struct {
	mu   sync.Mutex
	path string // where it is by now, or was when it was removed
	gone bool
	seen atomic.Uint64 // the moves looked at
}

func (m *moves) whereabouts(directory string) *whereabouts {
	w := &whereabouts{path: directory}
	w.seen.Store(m.count.Load())
	return w
}

// at is where the directory is by now; gone: it was removed.
func (w *whereabouts) at(m *moves) (directory string, gone bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := w.seen.Load()
	if m.count.Load() == seen {
		return w.path, w.gone
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, one := range m.list[max(seen, m.first)-m.first:] {
		switch {
		case w.path != one.from && !below(w.path, one.from):
		case one.to != "":
			w.path = one.to + w.path[len(one.from):]
		case w.path == one.from:
			w.gone = true
		}
	}
	w.seen.Store(m.first + uint64(len(m.list)))
	return w.path, w.gone
}

// Current is the working directory where it is by now: one that was renamed is
// found by its new name. gone says that it was removed.
func (v *View) Current() (directory string, gone bool) { return v.where.at(&v.tree.moves) }

// current is Current, without a lock where nothing has moved.
func (v *View) current() (directory string, gone bool) {
	if v.tree.moves.count.Load() == 0 {
		return v.directory, false
	}
	return v.Current()
}
