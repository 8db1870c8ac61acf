package builtins

import (
	"bytes"
	"io"
	"path"
	"strings"

	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/vfs"
)

// tarMatching is how a pattern is compared with a name.
type tarMatching struct {
	wildcards, anchored, fold bool
	// slashApart keeps wildcards from matching a slash; leading lets a pattern
	// match a directory that the name lies in.
	slashApart, leading bool
}

// match compares a name with a pattern, unless anchored from any slash on too.
func (m tarMatching) match(pattern, name string) bool {
	if m.matchFrom(pattern, name) {
		return true
	}
	if m.anchored {
		return false
	}
	for i := 0; i < len(name); i++ {
		if name[i] == '/' && i+1 < len(name) && name[i+1] != '/' && m.matchFrom(pattern, name[i+1:]) {
			return true
		}
	}
	return false
}

func (m tarMatching) matchFrom(pattern, name string) bool {
	if !m.wildcards {
		if m.fold {
			pattern, name = strings.ToLower(pattern), strings.ToLower(name)
		}
		rest, ok := strings.CutPrefix(name, pattern)
		return ok && (rest == "" || m.leading && rest[0] == '/')
	}
	if m.one(pattern, name) {
		return true
	}
	if m.leading {
		for i := len(name) - 1; i > 0; i-- {
			if name[i] == '/' && m.one(pattern, name[:i]) {
				return true
			}
		}
	}
	return false
}

func (m tarMatching) one(pattern, name string) bool {
	if !m.slashApart {
		return fnmatch(pattern, name, m.fold)
	}
	if strings.Count(pattern, "/") != strings.Count(name, "/") {
		return false
	}
	for {
		p, morePattern, more := strings.Cut(pattern, "/")
		n, moreName, _ := strings.Cut(name, "/")
		if !fnmatch(p, n, m.fold) {
			return false
		}
		if !more {
			return true
		}
		pattern, name = morePattern, moreName
	}
}

// tarPattern is a pattern with wildcards in it.
type tarPattern struct {
	text     string
	matching tarMatching
}

type tarTagKind uint8

const (
	tarTagContents tarTagKind = iota
	tarTagAll
	tarTagUnder
)

// tarTag is a file whose presence keeps a directory, or what it holds, out.
type tarTag struct {
	name  string
	kind  tarTagKind
	cache bool // its first line counts too
}

type tarIgnoreKind uint8

const (
	tarIgnoreLines tarIgnoreKind = iota
	tarIgnoreWords
	tarIgnoreGit
	tarIgnoreBzr
	tarIgnoreHg
)

// tarIgnore is a file of patterns that is looked for in each directory, and
// counts for what lies below too.
type tarIgnore struct {
	name string
	kind tarIgnoreKind
}

// tarExcludes is what is left out.
type tarExcludes struct {
	// plain are patterns without wildcards, found by name.
	plain    map[tarMatching]map[string]struct{}
	patterns []tarPattern
	tags     []tarTag
	ignores  []tarIgnore
}

func (x *tarExcludes) add(pattern string, m tarMatching) {
	if m.wildcards && strings.ContainsAny(pattern, `*?[`) || m.fold {
		x.patterns = append(x.patterns, tarPattern{pattern, m})
		return
	}
	if m.wildcards && strings.Contains(pattern, `\`) {
		var b strings.Builder
		for i := 0; i < len(pattern); i++ {
			if pattern[i] == '\\' && i+1 < len(pattern) {
				i++
			}
			b.WriteByte(pattern[i])
		}
		pattern = b.String()
	}
	if x.plain == nil {
		x.plain = map[tarMatching]map[string]struct{}{}
	}
	if x.plain[m] == nil {
		x.plain[m] = map[string]struct{}{}
	}
	x.plain[m][pattern] = struct{}{}
}

// has reports whether name is left out.
func (x *tarExcludes) has(name string) bool {
	for m, names := range x.plain {
		for from := name; ; {
			for part := from; ; {
				if _, ok := names[part]; ok {
					return true
				}
				i := strings.LastIndexByte(part, '/')
				if !m.leading || i < 0 {
					break
				}
				part = part[:i]
			}
			i := strings.IndexByte(from, '/')
			if m.anchored || i < 0 {
				break
			}
			from = from[i+1:]
		}
	}
	for i := range x.patterns {
		if p := &x.patterns[i]; p.matching.match(p.text, name) {
			return true
		}
	}
	return false
}

// excludeFrom reads the patterns of -X.
func (t *tarCommand) excludeFrom(name string) error {
	in, done, err := t.open(name)
	if err != nil {
		return t.fatal("%s: %s", t.colonName(name), vfs.Words(err))
	}
	defer done()
	m := t.selection.excluding()
	err = t.eachPattern(in, func(line string) { t.excludes.add(line, m) })
	if err != nil && !isExit(err) && t.ctx.Err() == nil {
		return t.fatal("%s: %s", t.colonName(name), vfs.Words(err))
	}
	return err
}

// eachPattern visits the lines of in that are not empty, without the blanks at
// their ends.
func (t *tarCommand) eachPattern(in io.Reader, visit func(line string)) error {
	return t.eachLine(in, func(line string) {
		if line != "" {
			visit(line)
		}
	})
}

// eachLine visits the lines of in, without the blanks at their ends.
func (t *tarCommand) eachLine(in io.Reader, visit func(line string)) error {
	r := lines.NewReader(in, t.Host())
	defer r.Close()
	for {
		line, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = t.ctx.Err()
		}
		if err != nil {
			return err
		}
		line = bytes.TrimRight(line, " \t\n\r\v\f")
		if err := t.charge(len(line) + 64); err != nil {
			return err
		}
		visit(string(line))
	}
}

// tarTree is a directory being added, with the patterns of its own.
type tarTree struct {
	parent *tarTree
	lists  []*tarExcludes
	device uint64
	id     copyInode
}

// excluded reports whether a name is left out; in is the directory it lies in.
func (t *tarCommand) excluded(name string, in *tarTree) bool {
	if t.excludes.has(name) {
		return true
	}
	relative := name
	for strings.HasPrefix(relative, "./") {
		relative = relative[2:]
	}
	for tree := in; tree != nil; tree = tree.parent {
		for _, l := range tree.lists {
			if l.has(name) || l.has(relative) || l.has(path.Base(name)) {
				return true
			}
		}
	}
	return false
}

// readIgnores reads the files of patterns that a directory has.
func (t *tarCommand) readIgnores(directory string, tree *tarTree) error {
	for _, ignore := range t.excludes.ignores {
		f, err := t.view().Open(t.ctx, walkJoinBase(directory, ignore.name), vfs.O_RDONLY, 0)
		if err != nil {
			continue
		}
		list := &tarExcludes{}
		m := tarMatching{wildcards: true, anchored: true, slashApart: true}
		skip := false
		err = t.eachPattern(f, func(line string) {
			switch ignore.kind {
			case tarIgnoreWords:
				for _, word := range strings.Fields(line) {
					list.add(word, m)
				}
				return
			case tarIgnoreGit:
				line = strings.TrimLeft(line, " \t")
				if line == "" || line[0] == '#' {
					return
				}
				line = strings.TrimPrefix(line, `\`)
			case tarIgnoreBzr:
				line = strings.TrimLeft(line, " \t")
				if line == "" || line[0] == '#' {
					return
				}
				if strings.HasPrefix(line, "!") || strings.HasPrefix(line, "RE:") {
					return
				}
			case tarIgnoreHg:
				line = strings.TrimLeft(line, " \t")
				if line == "" || line[0] == '#' {
					return
				}
				if syntax, ok := strings.CutPrefix(line, "syntax:"); ok {
					skip = strings.TrimSpace(syntax) == "regexp"
					return
				}
				if skip {
					return
				}
			}
			list.add(line, m)
		})
		f.Close()
		if err != nil {
			return err
		}
		tree.lists = append(tree.lists, list)
	}
	return nil
}

const tarCacheSignature = "Signature: 8a477f597d28d172789f06886806bc55"

// tagged finds the first tag that a directory has.
func (t *tarCommand) tagged(directory string) (tag tarTag, ok bool) {
	for _, tag := range t.excludes.tags {
		name := walkJoinBase(directory, tag.name)
		if !tag.cache {
			if _, err := t.view().Lstat(t.ctx, name); err == nil {
				return tag, true
			}
			continue
		}
		f, err := t.view().Open(t.ctx, name, vfs.O_RDONLY, 0)
		if err != nil {
			continue
		}
		head := make([]byte, len(tarCacheSignature))
		_, err = io.ReadFull(f, head)
		f.Close()
		if err == nil && string(head) == tarCacheSignature {
			return tag, true
		}
	}
	return tag, false
}
