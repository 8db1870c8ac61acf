package builtins

import (
	"bufio"
	"context"
	"io"

	"github.com/vsh-project/vsh/builtins/internal/grep"
	"github.com/vsh-project/vsh/builtins/internal/rg"
	"github.com/vsh-project/vsh/vfs"
)

// rgOutcome is what one file's search leaves to say.
type rgOutcome struct {
	stats    rgStats
	searched bool // it was opened and searched
	matched  bool // it counts for the exit status
	message  string
	harmless bool  // the message does not change the status
	err      error // what ends the run
}

// rgWorker searches one file after another and prints what it finds.
type rgWorker struct {
	*rgPrinter
	ctx      context.Context
	searcher *grep.Searcher
	options  grep.Options
}

func (g *rgCommand) newWorker(ctx context.Context) treeWorker[rgOutcome] {
	w := &rgWorker{ctx: ctx, options: g.options}
	w.rgPrinter = &rgPrinter{rgCommand: g, finder: g.matcher.Finder(ctx), out: bufio.NewWriterSize(nil, 32<<10)}
	w.options.Sink = w.rgPrinter
	w.searcher = grep.NewSearcher(ctx, g.matcher, &w.options, g.Host())
	return w
}

func (w *rgWorker) close() { w.searcher.Close() }

func (w *rgWorker) search(name string, kind treeFile, out io.Writer) rgOutcome {
	w.written = &countingWriter{w: out}
	w.out.Reset(w.written)
	w.begin(name)
	o := w.file(name, kind)
	if err := w.out.Flush(); err != nil && o.err == nil {
		o.err = err
	}
	switch {
	case w.silent():
		o.stats.printed = 0
	case !w.json:
		o.stats.printed = w.written.n
	}
	return o
}

// file opens a file and searches it.
func (w *rgWorker) file(name string, kind treeFile) rgOutcome {
	r := w.Stdin
	var process *rgProcess
	if kind != treeStdin {
		var message string
		if process, message = w.process(name); message != "" {
			return rgOutcome{message: name + ": " + message}
		}
	}
	switch {
	case process != nil:
		r = process
	case kind != treeStdin:
		f, err := w.View().Open(w.ctx, name, vfs.O_RDONLY, 0)
		if err != nil {
			return w.trouble(name, err)
		}
		defer f.Close()
		if w.maxSize > 0 {
			if info, err := f.Stat(); err == nil && info.Size() > w.maxSize {
				return rgOutcome{}
			}
		}
		r = f
	}
	w.explicit = kind == treeNamed || kind == treeStdin
	w.options.Binary = grep.BinaryStop
	switch {
	case w.text:
		w.options.Binary = grep.BinaryText
	case w.explicit || w.binary:
		w.options.Binary = grep.BinaryMessage
		if w.count != 0 || w.json {
			w.options.Binary = grep.BinaryLines
		}
	}
	w.input = rg.NewInput(r, w.encoding)
	var result grep.Result
	var err error
	if w.multiline {
		result, err = w.searchWhole(w.input)
	} else {
		result, err = w.searcher.Search(w.input, name, &grep.Output{Writer: io.Discard})
	}
	if err == nil {
		err = w.err
	}
	if process != nil {
		if message := process.end(err == nil && w.input.Ended()); message != "" {
			o := w.end(result)
			o.message = name + ": " + message
			return o
		}
	}
	if err != nil {
		if w.ends(err) || w.ctx.Err() != nil {
			return rgOutcome{err: err}
		}
		return w.trouble(name, err)
	}
	o := w.end(result)
	o.stats.searches, o.stats.searched, o.searched = 1, w.input.Size(), true
	return o
}

// trouble is the outcome of a file that cannot be read.
func (g *rgCommand) trouble(name string, err error) rgOutcome {
	return rgOutcome{message: name + ": " + rgWords(err)}
}

// finish takes a file's outcome after its output.
func (g *rgCommand) finish(o rgOutcome) error {
	g.total.add(o.stats)
	g.searched = g.searched || o.searched
	if o.message != "" {
		if !o.harmless {
			g.status = 2
		}
		if !g.noMessages {
			g.say("%s", o.message)
		}
	}
	if o.err != nil {
		return o.err
	}
	if o.matched {
		g.matched = true
		if g.quiet && !g.stats {
			return errGrepSettled
		}
	}
	return nil
}

// opening stands between the outputs of two files.
func (g *rgCommand) opening() error {
	printed := g.printed
	g.printed = true
	if !printed || g.json || g.silent() {
		return nil
	}
	var err error
	switch {
	case g.heading:
		err = g.out.WriteByte('\n')
	case (g.options.Before > 0 || g.options.After > 0) && !g.passthru && !g.noGap:
		_, err = g.out.WriteString(g.gap + "\n")
	}
	return err
}

// run searches the operands, all in one sequence.
func (g *rgCommand) run(operands []string) error {
	t := treeSearch[rgOutcome]{
		ctx: g.ctx, out: g.out, worker: g.newWorker, opening: g.opening, finish: g.finish,
		failed: func(name string, err error) rgOutcome { return g.trouble(name, err) },
	}
	stdin := len(operands) == 0 && !g.files && g.readsStdin()
	if stdin {
		g.showName = false
	}
	err := t.run(func(ctx context.Context, q *treeQueue[rgOutcome]) {
		w := &rgWalk{rgCommand: g, ctx: ctx, queue: q}
		switch {
		case stdin:
			q.search("<stdin>", treeStdin)
		case len(operands) == 0:
			info, _ := g.View().Stat(ctx, ".")
			w.tree("", info)
		default:
			for _, name := range operands {
				w.operand(name)
			}
		}
		w.sorted()
	})
	if err == errGrepSettled {
		return nil
	}
	return err
}

type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
