package builtins

import (
	"context"
	"io"
	"io/fs"
	"strings"

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
			return g.finish(grepOutcome{name: name, err: err})
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
	return g.flushed(g.searchFile(g.ctx, s, name, true, false, out), out)
}

// searchFile opens and searches one file. A regular one was listed as such.
func (g *grepCommand) searchFile(ctx context.Context, s *grep.Searcher, name string, named, regular bool, out *grep.Output) grepOutcome {
	if g.devicesRead == 's' && !regular {
		// Opening a pipe would wait for its writer.
		info, err := g.View().Stat(ctx, name)
		if err == nil && grepDevice(info) {
			return grepOutcome{}
		}
	}
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
		device := grepDevice(info)
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

func grepDevice(info *vfs.Info) bool {
	return info.FileMode&(fs.ModeDevice|fs.ModeNamedPipe|fs.ModeSocket) != 0
}

type grepError string

func (e grepError) Error() string { return string(e) }

const errGrepOutput = grepError("input file is also the output")

// grepWorker is what one goroutine searches a tree's files with.
type grepWorker struct {
	command  *grepCommand
	ctx      context.Context
	searcher *grep.Searcher
	out      grep.Output
}

func (w *grepWorker) search(name string, kind treeFile, out io.Writer) grepOutcome {
	w.out = w.out.Reuse(out)
	o := w.command.searchFile(w.ctx, w.searcher, name, false, kind == treeRegular, &w.out)
	if err := w.out.Flush(); err != nil && o.err == nil {
		o.err = err
	}
	return o
}

func (w *grepWorker) close() { w.searcher.Close() }

// tree searches a directory's files.
func (g *grepCommand) tree(root string, dot bool, info *vfs.Info) error {
	if g.nameOption == 0 {
		g.options.WithName = true
	}
	t := treeSearch[grepOutcome]{
		ctx: g.ctx, out: g.out, finish: g.finish,
		worker: func(ctx context.Context) treeWorker[grepOutcome] {
			return &grepWorker{command: g, ctx: ctx, searcher: grep.NewSearcher(ctx, g.matcher, &g.options, g.Host())}
		},
		failed: func(name string, err error) grepOutcome { return grepOutcome{name: name, err: err} },
	}
	return t.run(func(ctx context.Context, q *treeQueue[grepOutcome]) {
		w := &grepWalk{command: g, ctx: ctx, queue: q}
		if g.followLinks {
			w.above = []*vfs.Info{info}
		}
		w.descend(root, dot, 0)
	})
}

// grepWalk goes through a tree in name order.
type grepWalk struct {
	command *grepCommand
	ctx     context.Context
	queue   *treeQueue[grepOutcome]
	above   []*vfs.Info // -R: the directories above, to see loops
}

// maximumGrepDepth bounds the recursion over directories.
const maximumGrepDepth = 4096

func (w *grepWalk) descend(name string, dot bool, depth int) {
	g := w.command
	entries, err := g.View().ReadDir(w.ctx, name)
	if err != nil {
		w.queue.report(grepOutcome{name: name, err: err})
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
				w.queue.report(grepOutcome{name: full, err: err})
				continue
			}
			kind = info.FileMode.Type()
		}
		if kind.IsDir() {
			if g.folders.skips(e.Name, false) {
				continue
			}
			if depth >= maximumGrepDepth {
				w.queue.report(grepOutcome{name: full, err: vfs.ENAMETOOLONG})
				continue
			}
			if g.followLinks {
				if info == nil {
					if info, err = g.View().Stat(w.ctx, full); err != nil {
						w.queue.report(grepOutcome{name: full, err: err})
						continue
					}
				}
				if w.loops(info) {
					w.queue.report(grepOutcome{name: full, warning: full + ": warning: recursive directory loop"})
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
		known := treeUnknown
		if kind.IsRegular() {
			known = treeRegular
		}
		w.queue.search(full, known)
	}
	w.queue.directoryEnds()
}

func (w *grepWalk) loops(info *vfs.Info) bool {
	for _, above := range w.above {
		if vfs.SameFile(info, above) {
			return true
		}
	}
	return false
}
