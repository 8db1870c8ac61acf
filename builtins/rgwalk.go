package builtins

import (
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
	visit   func(name string, named bool) error
	stack   []*rg.Rules // ignore files from the root down, later ones stronger
	git     bool        // some directory above or here holds .git
	above   []*vfs.Info // -L: the directories above
	pending []rgFile    // files to sort before they are visited
}

type rgFile struct {
	name string
	info *vfs.Info
}

// tree visits a directory; "" is the working directory, with names as such.
func (w *rgWalk) tree(root string, info *vfs.Info) error {
	w.stack, w.git, w.above, w.pending = nil, false, nil, nil
	directory := root
	if directory == "" {
		directory = "."
	}
	w.upward(directory)
	for _, name := range w.ignoreFiles {
		if text, err := (&grepCommand{call: w.call}).readAll(name); err == nil {
			w.stack = append([]*rg.Rules{rg.Parse("", text)}, w.stack...)
		} else if !w.noMessages {
			w.say("%s: %s", name, rgWords(err))
		}
	}
	if info != nil {
		w.above = append(w.above, info)
	}
	prefix := root
	if prefix != "" && !strings.HasSuffix(prefix, "/") {
		prefix += "/"
	}
	if err := w.descend(directory, prefix, w.absolute(directory), 1); err != nil {
		return err
	}
	return w.visitSorted()
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
		if _, err := w.View().Lstat(w.ctx, path.Join(p, ".git")); err == nil {
			w.git = true
			break
		}
	}
	if w.View().Abs(directory) == "/" {
		return
	}
	for i := len(above) - 1; i >= 0; i-- {
		w.enter(above[i], w.absolute(above[i]))
	}
}

// enter adds a directory's own ignore files to the stack.
func (w *rgWalk) enter(directory, root string) {
	if w.noIgnore {
		return
	}
	read := func(name string) {
		text, err := (&grepCommand{call: w.call}).readAll(path.Join(directory, name))
		if err != nil {
			return
		}
		if r := rg.Parse(root, text); !r.Empty() {
			w.stack = append(w.stack, r)
		}
	}
	if _, err := w.View().Lstat(w.ctx, path.Join(directory, ".git")); err == nil {
		w.git = true
	}
	if !w.noVCS && (w.git || w.noRequire) {
		if !w.noExclude {
			read(".git/info/exclude")
		}
		read(".gitignore")
	}
	if !w.noDot {
		read(".ignore")
		read(".rgignore")
	}
}

func (w *rgWalk) descend(directory, prefix, root string, depth int) error {
	if depth > w.maxDepth {
		return nil
	}
	if depth > maximumGrepDepth {
		w.trouble(directory, vfs.ENAMETOOLONG)
		return nil
	}
	entries, err := w.View().ReadDir(w.ctx, directory)
	if err != nil {
		w.trouble(directory, err)
		return nil
	}
	height, git := len(w.stack), w.git
	w.enter(directory, root)
	defer func() { w.stack, w.git = w.stack[:height], git }()
	for _, e := range entries {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		full := prefix + e.Name
		kind := e.Type
		var info *vfs.Info
		if kind&fs.ModeSymlink != 0 {
			if !w.follow {
				continue
			}
			if info, err = w.View().Stat(w.ctx, full); err != nil {
				w.trouble(full, err)
				continue
			}
			kind = info.FileMode.Type()
		}
		if !kind.IsDir() && !kind.IsRegular() || w.leavesOut(root+e.Name, e.Name, kind.IsDir()) {
			continue
		}
		if !kind.IsDir() {
			if err := w.found(full); err != nil {
				return err
			}
			continue
		}
		if w.follow {
			if info == nil {
				if info, err = w.View().Stat(w.ctx, full); err != nil {
					w.trouble(full, err)
					continue
				}
			}
			if w.loops(info) {
				w.status = 2
				w.say("File system loop found: %s points to an ancestor", full)
				continue
			}
			w.above = append(w.above, info)
		}
		err := w.descend(full, full+"/", root+e.Name+"/", depth+1)
		if w.follow {
			w.above = w.above[:len(w.above)-1]
		}
		if err != nil {
			return err
		}
	}
	return nil
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
	for i := len(w.stack) - 1; i >= 0 && verdict == rg.Undecided; i-- {
		verdict = w.stack[i].Match(full, directory)
	}
	if verdict == rg.Ignored {
		return true
	}
	if !directory && !w.types.Allows(name) {
		return true
	}
	return verdict != rg.Kept && !w.hidden && strings.HasPrefix(name, ".")
}

// found visits a file, or keeps it for sorting.
func (w *rgWalk) found(name string) error {
	switch {
	case w.sortBy == "" || w.sortBy == "none" || w.sortBy == "path" && !w.sortReverse:
		return w.visit(name, false)
	case w.sortBy == "path":
		w.pending = append(w.pending, rgFile{name: name})
		return w.Host().Charge(int64(len(name)) + 64)
	}
	info, err := w.View().Stat(w.ctx, name)
	if err != nil {
		w.trouble(name, err)
		return nil
	}
	w.pending = append(w.pending, rgFile{name, info})
	return w.Host().Charge(int64(len(name)) + 256)
}

func (w *rgWalk) visitSorted() error {
	defer func() {
		for _, f := range w.pending {
			size := int64(len(f.name)) + 64
			if f.info != nil {
				size += 192
			}
			w.Host().Release(size)
		}
		w.pending = nil
	}()
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
		if err := w.visit(f.name, false); err != nil {
			return err
		}
	}
	return nil
}
