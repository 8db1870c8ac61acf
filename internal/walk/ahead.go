package walk

import (
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"
)

// listing is a directory's entries, perhaps read before their turn.
type listing struct {
	directory *Entry
	entries   []*Entry
	err       error
	// state goes from waiting to taken, by whoever is first to list: a worker
	// or the visitor. done is closed when a worker has finished.
	state atomic.Int32
	done  chan struct{}
}

const (
	waiting = iota
	taken
)

// workers is how many goroutines list at once.
const workers = 4

// ahead lists directories before the visitor comes to them. At most cap(slots)
// listings are held that the visitor has not taken.
type ahead struct {
	walker *walker
	slots  chan struct{}
	queue  chan *listing
	wait   sync.WaitGroup
	idle   int
}

func newAhead(w *walker, size int) *ahead {
	return &ahead{walker: w, slots: make(chan struct{}, size), queue: make(chan *listing, size), idle: min(workers, size)}
}

// start hands directories among entries from next on to the workers, as long
// as there are slots, and returns where it stopped. The entry at current is
// about to be visited, so listing it ahead would gain nothing.
func (a *ahead) start(entries []*Entry, next, current int) int {
	for ; next < len(entries); next++ {
		e := entries[next]
		if next == current || e.Type&fs.ModeDir == 0 || e.Err != nil {
			continue
		}
		if w := a.walker; w.options.MaxDepth >= 0 && e.Depth >= w.options.MaxDepth {
			return len(entries)
		}
		select {
		case a.slots <- struct{}{}:
		default:
			return next
		}
		e.listing = &listing{directory: e, done: make(chan struct{})}
		if a.idle > 0 {
			a.idle--
			a.wait.Add(1)
			go a.work()
		}
		select {
		case a.queue <- e.listing:
		case <-a.walker.ctx.Done():
			return len(entries)
		}
	}
	return next
}

// drop gives up a listing the visitor does not want.
func (a *ahead) drop(l *listing) {
	<-a.slots
	l.state.CompareAndSwap(waiting, taken)
}

func (a *ahead) work() {
	defer a.wait.Done()
	for {
		select {
		case <-a.walker.ctx.Done():
			return
		case l := <-a.queue:
			a.list(l)
		}
	}
}

// list lists unless the visitor was first.
func (a *ahead) list(l *listing) {
	if !l.state.CompareAndSwap(waiting, taken) {
		return
	}
	defer close(l.done)
	defer func() {
		// A storage's panic is the visitor's to meet, not the process's end.
		if r := recover(); r != nil {
			l.err = panicked{r}
		}
	}()
	a.walker.list(l)
}

type panicked struct{ value any }

func (p panicked) Error() string { return fmt.Sprint(p.value) }

// take waits for a listing a worker has begun and reports true; false leaves
// the work to the visitor.
func (a *ahead) take(l *listing) bool {
	<-a.slots
	if l.state.CompareAndSwap(waiting, taken) {
		return false
	}
	<-l.done
	if p, ok := l.err.(panicked); ok {
		panic(p.value)
	}
	return true
}
