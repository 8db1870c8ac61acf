package builtins

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"sync"
)

// treeSearch searches a tree's files on several workers and prints what they
// find in the order in which the walk came to them (grep -r, rg). An O is what
// there is to say of a file beside its output.
type treeSearch[O any] struct {
	ctx context.Context // the run's
	out io.Writer
	// worker makes one worker: it is used by one goroutine at a time.
	worker func(ctx context.Context) treeWorker[O]
	// opening, where set, runs before a file's first output is written.
	opening func() error
	// finish reports a file's outcome after its output.
	finish func(O) error
	// failed makes the outcome of a file whose search panicked.
	failed func(name string, err error) O
}

type treeWorker[O any] interface {
	// search searches a file. All output is written when it returns.
	search(name string, kind treeFile, out io.Writer) O
	close()
}

// treeFile is what is known of a file that is to be searched.
type treeFile uint8

const (
	treeUnknown treeFile = iota
	treeRegular          // its directory lists it as a regular file
	treeNamed            // an operand
	treeStdin            // standard input
)

// treeJob is one file; what there is to say of it is known beforehand unless
// search is set.
type treeJob[O any] struct {
	name    string
	search  bool
	kind    treeFile
	outcome O
	output  []byte // held back before its turn
	opened  bool   // some output has been written
}

// treeBatch is some files of a tree that follow each other: searched by one
// worker, printed in their turn. File by file, waking goroutines would cost
// more than searching does.
type treeBatch[O any] struct {
	tree    *treeSearch[O]
	ctx     context.Context
	jobs    []treeJob[O]
	current int           // the job being searched
	emitted int           // how many jobs have been printed
	held    int           // bytes of output held back
	turn    chan struct{} // closed when the output may go on
	stalled chan struct{} // closed when the worker waits for its turn
	done    chan struct{}
	// direct is set once it is the batch's turn: the worker prints itself.
	direct bool
	err    error // what ended the printing
}

const (
	// treeHeld is how much output a batch may hold back before its worker waits.
	treeHeld = 64 << 10
	// treeBatchFiles is how many files a batch has at most.
	treeBatchFiles = 16
)

// Write holds output back, and past a bound waits for the batch's turn.
func (b *treeBatch[O]) Write(p []byte) (int, error) {
	j := &b.jobs[b.current]
	if b.direct {
		return len(p), b.print(j, p)
	}
	if b.held+len(p) <= treeHeld {
		b.held += len(p)
		j.output = append(j.output, p...)
		return len(p), nil
	}
	close(b.stalled)
	select {
	case <-b.turn:
	case <-b.ctx.Done():
		return 0, b.ctx.Err()
	}
	b.direct = true
	if err := b.emit(b.current); err != nil {
		b.err = err
		return 0, err
	}
	if err := b.release(j); err != nil {
		return 0, err
	}
	return len(p), b.print(j, p)
}

func (b *treeBatch[O]) print(j *treeJob[O], p []byte) error {
	if !j.opened && b.tree.opening != nil {
		if err := b.tree.opening(); err != nil {
			return err
		}
	}
	j.opened = true
	_, err := b.tree.out.Write(p)
	return err
}

// release prints what a job holds back.
func (b *treeBatch[O]) release(j *treeJob[O]) error {
	if len(j.output) == 0 {
		return nil
	}
	err := b.print(j, j.output)
	j.output = nil
	return err
}

// emit prints what the jobs before end have found.
func (b *treeBatch[O]) emit(end int) error {
	for b.emitted < end {
		j := &b.jobs[b.emitted]
		b.emitted++
		if err := b.release(j); err != nil {
			return err
		}
		if err := b.tree.ctx.Err(); err != nil {
			return err
		}
		if err := b.tree.finish(j.outcome); err != nil {
			return err
		}
	}
	return nil
}

// run is a worker's part.
func (b *treeBatch[O]) run(w treeWorker[O]) {
	defer close(b.done)
	for b.current = range b.jobs {
		if b.ctx.Err() != nil {
			return
		}
		if b.jobs[b.current].search {
			b.search(&b.jobs[b.current], w)
		}
		if b.direct && b.err == nil {
			b.err = b.emit(b.current + 1)
		}
		if b.err != nil {
			return
		}
	}
}

// search searches one file. A panic must not leave its goroutine: it becomes
// the file's error.
func (b *treeBatch[O]) search(j *treeJob[O], w treeWorker[O]) {
	defer func() {
		if r := recover(); r != nil {
			j.outcome = b.tree.failed(j.name, fmt.Errorf("internal error: %v", r))
		}
	}()
	j.outcome = w.search(j.name, j.kind, b)
}

// run searches what walk queues, until its end or an error of finish, of the
// output or of the context.
func (t *treeSearch[O]) run(walk func(ctx context.Context, q *treeQueue[O])) error {
	ctx, cancel := context.WithCancel(t.ctx)
	workers := min(runtime.GOMAXPROCS(0), 8)
	order := make(chan *treeBatch[O], 8*workers)
	work := make(chan *treeBatch[O], 8*workers)
	var running sync.WaitGroup
	var walkFault error // read once order is closed
	defer running.Wait()
	defer cancel()

	running.Go(func() {
		defer close(order)
		defer close(work)
		defer func() {
			if r := recover(); r != nil {
				walkFault = fmt.Errorf("internal error: %v", r)
			}
		}()
		q := &treeQueue[O]{tree: t, ctx: ctx, work: work, order: order}
		walk(ctx, q)
		q.flush()
	})
	for range workers {
		running.Go(func() {
			w := t.worker(ctx)
			defer w.close()
			for b := range work {
				b.run(w)
			}
		})
	}
	for b := range order {
		select {
		case <-b.done:
		case <-b.stalled:
			close(b.turn)
			<-b.done
		}
		if b.err == nil {
			b.err = b.emit(len(b.jobs))
		}
		if b.err != nil {
			return b.err
		}
	}
	if walkFault != nil {
		return walkFault
	}
	return t.ctx.Err()
}

// treeQueue takes a tree's files in order.
type treeQueue[O any] struct {
	tree  *treeSearch[O]
	ctx   context.Context
	work  chan<- *treeBatch[O]
	order chan<- *treeBatch[O]
	batch *treeBatch[O]
}

// search queues a file to search.
func (q *treeQueue[O]) search(name string, kind treeFile) {
	q.add(treeJob[O]{name: name, search: true, kind: kind})
}

// report queues what is known already.
func (q *treeQueue[O]) report(outcome O) { q.add(treeJob[O]{outcome: outcome}) }

// print queues a line to print and what is known already.
func (q *treeQueue[O]) print(line string, outcome O) {
	q.add(treeJob[O]{outcome: outcome, output: []byte(line)})
}

func (q *treeQueue[O]) add(j treeJob[O]) {
	b := q.batch
	if b == nil {
		b = &treeBatch[O]{tree: q.tree, ctx: q.ctx, jobs: make([]treeJob[O], 0, treeBatchFiles),
			turn: make(chan struct{}), stalled: make(chan struct{}), done: make(chan struct{})}
		q.batch = b
	}
	b.jobs = append(b.jobs, j)
	if len(b.jobs) == treeBatchFiles {
		q.flush()
	}
}

// flush hands the batch over.
func (q *treeQueue[O]) flush() {
	b := q.batch
	if b == nil {
		return
	}
	q.batch = nil
	select {
	case q.order <- b:
	case <-q.ctx.Done():
		return
	}
	select {
	case q.work <- b:
	case <-q.ctx.Done():
		close(b.done)
	}
}

// directoryEnds hands a part of a batch over where nobody has anything to do.
func (q *treeQueue[O]) directoryEnds() {
	if len(q.work) == 0 {
		q.flush()
	}
}
