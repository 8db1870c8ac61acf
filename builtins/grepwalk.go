package builtins

import (
	"context"
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"sync"

	"github.com/vsh-project/vsh/builtins/internal/grep"
	"github.com/vsh-project/vsh/vfs"
)

// grepRule is one --include or --exclude; the last that matches a name decides.
type grepRule struct {
	glob    string
	include bool
}

type grepRules []grepRule

func (r *grepRules) add(glob string, include bool) { *r = append(*r, grepRule{glob, include}) }

// skips reports whether a name is left out. An operand is compared with each
// of its trailing parts too.
func (r grepRules) skips(name string, operand bool) bool {
	if len(r) == 0 {
		return false
	}
	for i := len(r) - 1; i >= 0; i-- {
		matched := grep.Fnmatch(r[i].glob, name)
		for k := 0; operand && !matched && k < len(name); k++ {
			if name[k] == '/' && k+1 < len(name) && name[k+1] != '/' {
				matched = grep.Fnmatch(r[i].glob, name[k+1:])
			}
		}
		if matched {
			return !r[i].include
		}
	}
	return r[0].include
}

// operand searches one operand: a file, or with -r a tree.
func (g *grepCommand) operand(s *grep.Searcher, name string, dot bool, out *grep.Output) error {
	if g.directories == 'R' {
		info, err := g.View().Stat(g.ctx, name)
		if err != nil {
			return g.finish(grepOutcome{name: name, err: err}, out)
		}
		if info.IsDir() {
			if !dot && g.folders.skips(name, true) {
				return nil
			}
			return g.tree(name, dot, info)
		}
	}
	if g.files.skips(name, true) {
		return nil
	}
	return g.finish(g.searchFile(g.ctx, s, name, true, false, out), out)
}

// searchFile opens and searches one file. A regular one was listed as such.
func (g *grepCommand) searchFile(ctx context.Context, s *grep.Searcher, name string, named, regular bool, out *grep.Output) grepOutcome {
	f, err := g.View().Open(ctx, name, vfs.O_RDONLY, 0)
	if err != nil {
		return grepOutcome{name: name, err: err}
	}
	defer f.Close()
	if !regular && (g.directories != 'r' || g.devicesRead == 's') || g.stdout != nil {
		info, err := f.Stat()
		if err != nil {
			return grepOutcome{name: name, err: err}
		}
		device := info.FileMode&(fs.ModeDevice|fs.ModeNamedPipe|fs.ModeSocket) != 0
		switch {
		case info.IsDir() && g.directories == 's':
			return grepOutcome{}
		case device && (g.devicesRead == 's' || g.devicesRead == 0 && !named):
			return grepOutcome{}
		case g.stdout != nil && vfs.SameFile(info, g.stdout):
			return grepOutcome{name: name, err: errGrepOutput}
		}
	}
	return g.searchStream(s, f, name, out)
}

type grepError string

func (e grepError) Error() string { return string(e) }

const errGrepOutput = grepError("input file is also the output")

// grepBatch is some files of a tree that follow each other: searched by one
// worker, printed in their turn. File by file, waking goroutines would cost
// more than searching does.
type grepBatch struct {
	command *grepCommand
	ctx     context.Context
	jobs    []grepJob
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

// grepJob is one file; what there is to say of it is known beforehand unless
// search is set.
type grepJob struct {
	name    string
	search  bool
	regular bool // its directory lists it as a regular file
	outcome grepOutcome
	output  []byte // held back before its turn
}

const (
	// grepHeld is how much output a batch may hold back before its worker waits.
	grepHeld = 64 << 10
	// grepBatchFiles is how many files a batch has at most.
	grepBatchFiles = 16
)

// Write holds output back, and past a bound waits for the batch's turn.
func (b *grepBatch) Write(p []byte) (int, error) {
	if b.direct {
		return b.command.out.Write(p)
	}
	j := &b.jobs[b.current]
	if b.held+len(p) <= grepHeld {
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
	return b.command.out.Write(p)
}

// emit prints what the jobs before end have found.
func (b *grepBatch) emit(end int) error {
	for b.emitted < end {
		j := &b.jobs[b.emitted]
		b.emitted++
		if err := b.release(j); err != nil {
			return err
		}
		if b.ctx.Err() != nil && b.command.ctx.Err() != nil {
			return b.command.ctx.Err()
		}
		if err := b.command.finish(j.outcome, &grep.Output{Writer: b.command.out}); err != nil {
			return err
		}
	}
	return nil
}

// release prints what a job holds back.
func (b *grepBatch) release(j *grepJob) error {
	if len(j.output) == 0 {
		return nil
	}
	_, err := b.command.out.Write(j.output)
	j.output = nil
	return err
}

// run is a worker's part.
func (b *grepBatch) run(s *grep.Searcher, out *grep.Output) {
	defer close(b.done)
	for b.current = range b.jobs {
		if b.ctx.Err() != nil {
			return
		}
		if b.jobs[b.current].search {
			b.search(&b.jobs[b.current], s, out)
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
func (b *grepBatch) search(j *grepJob, s *grep.Searcher, out *grep.Output) {
	defer func() {
		if r := recover(); r != nil {
			j.outcome = grepOutcome{name: j.name, err: grepError(fmt.Sprint("internal error: ", r))}
		}
	}()
	*out = out.Reuse(b)
	j.outcome = b.command.searchFile(b.ctx, s, j.name, false, j.regular, out)
	if err := out.Flush(); err != nil && j.outcome.err == nil {
		j.outcome.err = err
	}
}

// tree searches a directory's files on several workers and prints in name order.
func (g *grepCommand) tree(root string, dot bool, info *vfs.Info) error {
	if g.nameOption == 0 {
		g.options.WithName = true
	}
	ctx, cancel := context.WithCancel(g.ctx)
	workers := min(runtime.GOMAXPROCS(0), 8)
	order := make(chan *grepBatch, 8*workers)
	work := make(chan *grepBatch, 8*workers)
	var running sync.WaitGroup
	var walkFault error // read once order is closed
	defer running.Wait()
	defer cancel()

	running.Add(1)
	go func() {
		defer running.Done()
		defer close(order)
		defer close(work)
		defer func() {
			if r := recover(); r != nil {
				walkFault = fmt.Errorf("internal error: %v", r)
			}
		}()
		w := &grepWalk{command: g, ctx: ctx, work: work, order: order}
		if g.followLinks {
			w.above = []*vfs.Info{info}
		}
		w.descend(root, dot, 0)
		w.flush()
	}()
	for range workers {
		running.Add(1)
		go func() {
			defer running.Done()
			s := grep.NewSearcher(ctx, g.matcher, &g.options, g.Host())
			defer s.Close()
			out := &grep.Output{}
			for b := range work {
				b.run(s, out)
			}
		}()
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
	return g.ctx.Err()
}

// grepWalk goes through a tree in name order.
type grepWalk struct {
	command *grepCommand
	ctx     context.Context
	work    chan<- *grepBatch
	order   chan<- *grepBatch
	batch   *grepBatch
	above   []*vfs.Info // -R: the directories above, to see loops
}

// add queues a file to search, or a message, in the order of the files.
func (w *grepWalk) add(j grepJob) {
	b := w.batch
	if b == nil {
		b = &grepBatch{command: w.command, ctx: w.ctx, jobs: make([]grepJob, 0, grepBatchFiles),
			turn: make(chan struct{}), stalled: make(chan struct{}), done: make(chan struct{})}
		w.batch = b
	}
	b.jobs = append(b.jobs, j)
	if len(b.jobs) == grepBatchFiles {
		w.flush()
	}
}

func (w *grepWalk) report(o grepOutcome) { w.add(grepJob{name: o.name, outcome: o}) }

// flush hands the batch over.
func (w *grepWalk) flush() {
	b := w.batch
	if b == nil {
		return
	}
	w.batch = nil
	select {
	case w.order <- b:
	case <-w.ctx.Done():
		return
	}
	select {
	case w.work <- b:
	case <-w.ctx.Done():
		close(b.done)
	}
}

// maximumGrepDepth bounds the recursion over directories.
const maximumGrepDepth = 4096

func (w *grepWalk) descend(name string, dot bool, depth int) {
	g := w.command
	entries, err := g.View().ReadDir(w.ctx, name)
	if err != nil {
		w.report(grepOutcome{name: name, err: err})
		return
	}
	prefix := name
	if dot {
		prefix = ""
	} else if !strings.HasSuffix(prefix, "/") {
		prefix += "/"
	}
	for _, e := range entries {
		if w.ctx.Err() != nil {
			return
		}
		full := prefix + e.Name
		kind := e.Type
		var info *vfs.Info
		if kind&fs.ModeSymlink != 0 {
			if !g.followLinks {
				continue
			}
			if info, err = g.View().Stat(w.ctx, full); err != nil {
				w.report(grepOutcome{name: full, err: err})
				continue
			}
			kind = info.FileMode.Type()
		}
		if kind.IsDir() {
			if g.folders.skips(e.Name, false) {
				continue
			}
			if depth >= maximumGrepDepth {
				w.report(grepOutcome{name: full, err: vfs.ENAMETOOLONG})
				continue
			}
			if g.followLinks {
				if info == nil {
					if info, err = g.View().Stat(w.ctx, full); err != nil {
						w.report(grepOutcome{name: full, err: err})
						continue
					}
				}
				if w.loops(info) {
					w.report(grepOutcome{name: full, warning: "warning: " + full + ": recursive directory loop"})
					continue
				}
				w.above = append(w.above, info)
			}
			w.descend(full, false, depth+1)
			if g.followLinks {
				w.above = w.above[:len(w.above)-1]
			}
			continue
		}
		if g.files.skips(e.Name, false) || !kind.IsRegular() && g.devicesRead != 'r' {
			continue
		}
		w.add(grepJob{name: full, search: true, regular: kind.IsRegular()})
	}
	if len(w.work) == 0 {
		w.flush() // nobody has anything to do
	}
}

func (w *grepWalk) loops(info *vfs.Info) bool {
	for _, above := range w.above {
		if vfs.SameFile(info, above) {
			return true
		}
	}
	return false
}
