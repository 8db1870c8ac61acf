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
	return g.finish(g.searchFile(g.ctx, s, name, true, out), out)
}

// searchFile opens and searches one file.
func (g *grepCommand) searchFile(ctx context.Context, s *grep.Searcher, name string, named bool, out *grep.Output) grepOutcome {
	f, err := g.View().Open(ctx, name, vfs.O_RDONLY, 0)
	if err != nil {
		return grepOutcome{name: name, err: err}
	}
	defer f.Close()
	if g.directories != 'r' || g.devicesRead == 's' || g.stdout != nil {
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

// grepJob is one file of a tree: searched by a worker, printed in its turn.
type grepJob struct {
	name    string
	outcome grepOutcome
	held    []byte        // output before its turn
	turn    chan struct{} // closed when the output may go on
	stalled chan struct{} // closed when the worker waits for its turn
	done    chan struct{}
	ctx     context.Context
	direct  *grepCommand
}

// grepHeld is how much output a file may hold back before its worker waits.
const grepHeld = 64 << 10

// Write holds output back, and past a bound waits for the file's turn.
func (j *grepJob) Write(p []byte) (int, error) {
	select {
	case <-j.turn:
		return j.direct.out.Write(p)
	default:
	}
	if len(j.held)+len(p) <= grepHeld {
		j.held = append(j.held, p...)
		return len(p), nil
	}
	close(j.stalled)
	select {
	case <-j.turn:
	case <-j.ctx.Done():
		return 0, j.ctx.Err()
	}
	if _, err := j.direct.out.Write(j.held); err != nil {
		return 0, err
	}
	j.held = nil
	return j.direct.out.Write(p)
}

// tree searches a directory's files on several workers and prints in name order.
func (g *grepCommand) tree(root string, dot bool, info *vfs.Info) error {
	if g.nameOption == 0 {
		g.options.WithName = true
	}
	ctx, cancel := context.WithCancel(g.ctx)
	workers := min(runtime.GOMAXPROCS(0), 8)
	order := make(chan *grepJob, 64*workers)
	work := make(chan *grepJob, 64*workers)
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
		w.directory(root, dot)
	}()
	for range workers {
		running.Add(1)
		go func() {
			defer running.Done()
			s := grep.NewSearcher(ctx, g.matcher, &g.options, g.Host())
			defer s.Close()
			out := &grep.Output{}
			for j := range work {
				g.runJob(s, j, out)
			}
		}()
	}
	for j := range order {
		if err := g.emit(j); err != nil {
			return err
		}
	}
	if walkFault != nil {
		return walkFault
	}
	return g.ctx.Err()
}

// runJob is a worker's part. A panic must not leave its goroutine: it becomes
// the file's error.
func (g *grepCommand) runJob(s *grep.Searcher, j *grepJob, out *grep.Output) {
	defer close(j.done)
	defer func() {
		if r := recover(); r != nil {
			j.outcome = grepOutcome{name: j.name, err: grepError(fmt.Sprint("internal error: ", r))}
		}
	}()
	*out = out.Reuse(j)
	j.outcome = g.searchFile(j.ctx, s, j.name, false, out)
	if err := out.Flush(); err != nil && j.outcome.err == nil {
		j.outcome.err = err
	}
}

// emit prints what a job found, once it is its turn.
func (g *grepCommand) emit(j *grepJob) error {
	select {
	case <-j.done:
	case <-j.stalled:
		close(j.turn)
		<-j.done
	}
	if len(j.held) > 0 {
		if _, err := g.out.Write(j.held); err != nil {
			return err
		}
	}
	if j.ctx.Err() != nil && g.ctx.Err() != nil {
		return g.ctx.Err()
	}
	return g.finish(j.outcome, &grep.Output{Writer: g.out})
}

// grepWalk goes through a tree in name order.
type grepWalk struct {
	command *grepCommand
	ctx     context.Context
	work    chan<- *grepJob
	order   chan<- *grepJob
	above   []*vfs.Info // -R: the directories above, to see loops
}

// report queues a message in the order of the files.
func (w *grepWalk) report(o grepOutcome) {
	j := w.job(o.name)
	j.outcome = o
	close(j.done)
	w.queue(w.order, j)
}

func (w *grepWalk) job(name string) *grepJob {
	return &grepJob{name: name, turn: make(chan struct{}), stalled: make(chan struct{}), done: make(chan struct{}), ctx: w.ctx, direct: w.command}
}

func (w *grepWalk) queue(to chan<- *grepJob, j *grepJob) bool {
	select {
	case to <- j:
		return true
	case <-w.ctx.Done():
		return false
	}
}

// maximumGrepDepth bounds the recursion over directories.
const maximumGrepDepth = 4096

func (w *grepWalk) directory(name string, dot bool) {
	w.descend(name, dot, 0)
}

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
		j := w.job(full)
		if !w.queue(w.order, j) {
			return
		}
		if !w.queue(w.work, j) {
			close(j.done)
			return
		}
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
