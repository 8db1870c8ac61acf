package builtins

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sort"
	"strings"

	"github.com/vsh-project/vsh/builtins/internal/rg"
	"github.com/vsh-project/vsh/vfs"
)

func writeFormatted(w io.Writer, format string, args ...any) { fmt.Fprintf(w, format, args...) }

// rgWalk finds the files to search, in path order.
type rgWalk struct {
	*rgCommand
	ctx     context.Context
	queue   *treeQueue[rgOutcome]
	stack   []rgRules   // ignore files from the root down, later ones stronger
	git     bool        // some directory above or here holds .git
	above   []*vfs.Info // -L: the directories above
	pending []rgFile    // files to sort before they are searched
}

// rgRules are one ignore file's.
type rgRules struct {
	*rg.Rules
	source rgSource
}

// rgSource is where rules come from: the strongest first, however deep.
type rgSource uint8

const (
	rgFromRgignore rgSource = iota
	rgFromIgnore
	rgFromGitignore
	rgFromExclude
	rgFromOption // --ignore-file
	rgSources
)

// vcs reports rules of version control, which do not reach into a repository
// below their own.
func (s rgSource) vcs() bool { return s == rgFromGitignore || s == rgFromExclude }

type rgFile struct {
	name string
	kind treeFile
	info *vfs.Info
}

// operand searches one operand.
func (w *rgWalk) operand(name string) {
	if name == "-" {
		w.queue.search("<stdin>", treeStdin)
		return
	}
	info, err := w.View().Stat(w.ctx, name)
	switch {
	case err != nil:
		w.queue.report(w.trouble(name, err))
	case info.IsDir():
		w.tree(name, info)
	default:
		w.found(name, treeNamed)
	}
}

// tree searches a directory; "" is the working directory, with names as such.
func (w *rgWalk) tree(root string, info *vfs.Info) {
	w.stack, w.git, w.above = nil, false, nil
	directory := root
	if directory == "" {
		directory = "."
	}
	w.upward(directory)
	if !w.noIgnoreFiles {
		for _, name := range w.ignoreFiles {
			if text, err := (&grepCommand{call: w.call}).readAll(name); err == nil {
				w.stack = append(w.stack, rgRules{rg.Parse(w.absolute("."), text, w.foldIgnore), rgFromOption})
			} else {
				w.queue.report(rgOutcome{message: name + ": " + rgWords(err), harmless: true})
			}
		}
	}
	if info != nil {
		w.above = append(w.above, info)
	}
	prefix := root
	if prefix != "" && !strings.HasSuffix(prefix, "/") {
		prefix += "/"
	}
	w.descend(directory, prefix, w.absolute(directory), 1)
}

// absolute is a directory's path without leading slash, ending in "/" unless
// it is the root: what ignore rules are relative to.
func (w *rgWalk) absolute(directory string) string {
	p := strings.TrimPrefix(w.View().Abs(directory), "/")
	if p != "" {
		p += "/"
	}
	return p
}

// upward reads the ignore files of the directories above.
func (w *rgWalk) upward(directory string) {
	if w.noIgnore || w.noParent {
		return
	}
	var above []string
	for p := path.Dir(w.View().Abs(directory)); ; p = path.Dir(p) {
		above = append(above, p)
		if p == "/" || len(above) > 256 {
			break
		}
		if w.repository(p) {
			w.git = true
			break
		}
	}
	if w.View().Abs(directory) == "/" {
		return
	}
	for i := len(above) - 1; i >= 0; i-- {
		w.enter(above[i], w.absolute(above[i]), nil)
	}
}

// repository reports a directory that holds a repository.
func (w *rgWalk) repository(directory string) bool {
	_, err := w.View().Lstat(w.ctx, path.Join(directory, ".git"))
	return err == nil
}

// enter adds a directory's own ignore files to the stack. Only a look at the
// directory's names tells whether there are any.
func (w *rgWalk) enter(directory, root string, names []vfs.Entry) {
	if w.noIgnore {
		return
	}
	has := func(name string) bool {
		if names == nil {
			return true
		}
		for i := range names {
			if names[i].Name == name {
				return true
			}
		}
		return false
	}
	read := func(name string, source rgSource) {
		text, err := (&grepCommand{call: w.call}).readAll(path.Join(directory, name))
		if err != nil {
			return
		}
		if r := rg.Parse(root, text, w.foldIgnore); !r.Empty() {
			w.stack = append(w.stack, rgRules{r, source})
		}
	}
	repository := has(".git") && w.repository(directory)
	if repository {
		w.git = true
		kept := make([]rgRules, 0, len(w.stack)+4)
		for _, r := range w.stack {
			if !r.source.vcs() {
				kept = append(kept, r)
			}
		}
		w.stack = kept
	}
	if !w.noVCS && (w.git || w.noRequire) {
		if repository && !w.noExclude {
			read(".git/info/exclude", rgFromExclude)
		}
		if has(".gitignore") {
			read(".gitignore", rgFromGitignore)
		}
	}
	if !w.noDot {
		if has(".ignore") {
			read(".ignore", rgFromIgnore)
		}
		if has(".rgignore") {
			read(".rgignore", rgFromRgignore)
		}
	}
}

func (w *rgWalk) descend(directory, prefix, root string, depth int) {
	if depth > w.maxDepth {
		return
	}
	if depth > maximumGrepDepth {
		w.queue.report(w.trouble(directory, vfs.ENAMETOOLONG))
		return
	}
	entries, err := w.View().ReadDir(w.ctx, directory)
	if err != nil {
		w.queue.report(w.trouble(directory, err))
		return
	}
	stack, git := w.stack, w.git
	w.enter(directory, root, entries)
	defer func() { w.stack, w.git = stack, git }()
	for _, e := range entries {
		if w.ctx.Err() != nil {
			return
		}
		full := prefix + e.Name
		kind := e.Type
		var info *vfs.Info
		if kind&fs.ModeSymlink != 0 {
			if !w.follow {
				continue
			}
			if info, err = w.View().Stat(w.ctx, full); err != nil {
				w.queue.report(rgOutcome{message: full + ": IO error for operation on " + full + ": " + rgWords(err)})
				continue
			}
			kind = info.FileMode.Type()
		}
		if !kind.IsDir() && !kind.IsRegular() || w.leavesOut(root+e.Name, e.Name, kind.IsDir()) {
			continue
		}
		if !kind.IsDir() {
			w.found(full, treeRegular)
			continue
		}
		if w.follow {
			if info == nil {
				if info, err = w.View().Stat(w.ctx, full); err != nil {
					w.queue.report(w.trouble(full, err))
					continue
				}
			}
			if w.loops(info) {
				w.queue.report(rgOutcome{message: "File system loop found: " + full + " points to an ancestor"})
				continue
			}
			w.above = append(w.above, info)
		}
		w.descend(full, full+"/", root+e.Name+"/", depth+1)
		if w.follow {
			w.above = w.above[:len(w.above)-1]
		}
	}
	w.queue.directoryEnds()
}

func (w *rgWalk) loops(info *vfs.Info) bool {
	for _, above := range w.above {
		if vfs.SameFile(info, above) {
			return true
		}
	}
	return false
}

// leavesOut applies globs, ignore files, types and the rule on hidden names,
// the strongest first.
func (w *rgWalk) leavesOut(full, name string, directory bool) bool {
	if !w.globs.Empty() {
		switch w.globs.Match(full, directory) {
		case rg.Ignored: // a glob without "!": taken in
			return false
		case rg.Kept: // with "!"
			return true
		}
		if w.globs.Whitelists() && !directory {
			return true
		}
	}
	verdict := rg.Undecided
	for source := rgSource(0); source < rgSources && verdict == rg.Undecided; source++ {
		for i := len(w.stack) - 1; i >= 0 && verdict == rg.Undecided; i-- {
			if w.stack[i].source == source {
				verdict = w.stack[i].Match(full, directory)
			}
		}
	}
	if verdict == rg.Ignored {
		return true
	}
	if !directory && !w.types.Allows(name) {
		return true
	}
	return verdict != rg.Kept && !w.hidden && strings.HasPrefix(name, ".")
}

// found searches a file, or keeps it for sorting.
func (w *rgWalk) found(name string, kind treeFile) {
	byPath := w.sortBy == "path" && w.sortReverse
	if !byPath && (w.sortBy == "" || w.sortBy == "none" || w.sortBy == "path") {
		w.take(name, kind)
		return
	}
	f := rgFile{name: name, kind: kind}
	size := len(name) + 64
	if !byPath {
		var err error
		if f.info, err = w.View().Stat(w.ctx, name); err != nil {
			w.queue.report(w.trouble(name, err))
			return
		}
		size += 192
	}
	if err := w.Host().Charge(int64(size)); err != nil {
		w.queue.report(rgOutcome{err: err})
		return
	}
	w.pending = append(w.pending, f)
}

// take searches a file, or with --files names it.
func (w *rgWalk) take(name string, kind treeFile) {
	switch {
	case !w.files:
		w.queue.search(name, kind)
	case w.quiet:
		w.queue.report(rgOutcome{matched: true})
	case w.maxSize > 0 && !w.fits(name):
	default:
		w.queue.print(w.separated(name)+w.nameEnd(), rgOutcome{matched: true})
	}
}

func (w *rgWalk) fits(name string) bool {
	info, err := w.View().Stat(w.ctx, name)
	return err == nil && info.Size() <= w.maxSize
}

// sorted searches the files that were kept.
func (w *rgWalk) sorted() {
	sort.SliceStable(w.pending, func(i, j int) bool {
		a, b := w.pending[i], w.pending[j]
		if w.sortReverse {
			a, b = b, a
		}
		switch w.sortBy {
		case "modified":
			return a.info.Modified.Before(b.info.Modified)
		case "accessed":
			return a.info.Accessed.Before(b.info.Accessed)
		case "created":
			return a.info.Birthday.Before(b.info.Birthday)
		}
		return strings.ReplaceAll(a.name, "/", "\x00") < strings.ReplaceAll(b.name, "/", "\x00")
	})
	for _, f := range w.pending {
		size := int64(len(f.name)) + 64
		if f.info != nil {
			size += 192
		}
		w.Host().Release(size)
		w.take(f.name, f.kind)
	}
	w.pending = nil
}
