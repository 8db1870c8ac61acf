package interp

import (
	"slices"
	"strings"

	"github.com/vsh-project/vsh/internal/pattern"
)

// segment is one component of a pathname pattern, with the slashes behind it.
type segment struct {
	text    string // with backslashes
	slashes string
	special bool
	every   bool // ** with globstar
}

// glob appends the names that match a pattern, in the order of their bytes, or
// text, the pattern without quotes, when none does. false: the process unwinds
// or the command is given up.
func (p *proc) glob(escaped, text string, out []string) ([]string, bool) {
	extglob := p.shopts.has(shoptExtglob)
	add := func(s string) ([]string, bool) {
		if !p.scratch(int64(len(s)) + fieldCost) {
			return out, false
		}
		return append(out, s), true
	}
	if !pattern.Special(escaped, extglob) {
		return add(text)
	}
	g := globber{p: p, options: pattern.Options{ExtGlob: extglob, NoCase: p.shopts.has(shoptNocaseglob), Period: !p.shopts.has(shoptDotglob)}}
	names, ok := g.run(segments(escaped, extglob, p.shopts.has(shoptGlobstar)))
	if !ok {
		return out, false
	}
	if names, ok = p.globIgnore(names); !ok {
		return out, false
	}
	switch {
	case len(names) > 0:
		slices.Sort(names)
		return append(out, names...), true
	case p.shopts.has(shoptFailglob):
		p.errorf("no match: %s", text)
		p.abort(1)
		return out, false
	case p.shopts.has(shoptNullglob):
		return out, true
	}
	return add(text)
}

// segments cuts a pattern at its slashes.
func segments(escaped string, extglob, globstar bool) []segment {
	var list []segment
	for i := 0; i < len(escaped); {
		start := i
		for i < len(escaped) && escaped[i] != '/' {
			if escaped[i] == '\\' && i+1 < len(escaped) && escaped[i+1] != '/' {
				i++
			}
			i++
		}
		s := segment{text: strings.TrimSuffix(escaped[start:min(i, len(escaped))], `\`)}
		start = i
		for i < len(escaped) && escaped[i] == '/' {
			i++
		}
		s.slashes = escaped[min(start, len(escaped)):i]
		s.special = pattern.Special(s.text, extglob)
		s.every = globstar && s.text == "**"
		if n := len(list); s.every && n > 0 && list[n-1].every {
			list = list[:n-1] // **/** is **
		}
		list = append(list, s)
	}
	return list
}

// globber finds the names that a pattern matches.
type globber struct {
	p       *proc
	options pattern.Options
	// matched says that a segment before the present one is a pattern.
	matched bool
}

// run goes through the segments with all beginnings found so far.
func (g *globber) run(list []segment) ([]string, bool) {
	prefixes := []string{""}
	for i := range list {
		s, last := &list[i], i == len(list)-1
		var next []string
		for _, prefix := range prefixes {
			ok := true
			switch {
			case g.p.stopped():
				return nil, false
			case s.every:
				next, ok = g.tree(next, prefix, s, last)
			case s.special:
				next, ok = g.directory(next, prefix, s, last)
			default:
				next, ok = g.literal(next, prefix+pattern.Unquote(s.text)+s.slashes, s, last)
			}
			if !ok {
				return nil, false
			}
		}
		g.matched = g.matched || s.special || s.every
		if prefixes = next; len(prefixes) == 0 {
			return nil, true
		}
	}
	return prefixes, true
}

func (g *globber) add(list []string, name string) ([]string, bool) {
	if !g.p.scratch(int64(len(name)) + fieldCost) {
		return list, false
	}
	return append(list, name), true
}

// literal adds a name that is no pattern: at the end it must exist.
func (g *globber) literal(out []string, name string, s *segment, last bool) ([]string, bool) {
	if last {
		path := name
		if s.slashes != "" {
			if info, err := g.p.view.Stat(g.p.ctx, path); err != nil || !info.IsDir() {
				return out, true
			}
		} else if _, err := g.p.view.Lstat(g.p.ctx, path); err != nil {
			return out, true
		}
	}
	return g.add(out, name)
}

// at is a directory's path as the view takes it.
func at(prefix string) string {
	if prefix == "" {
		return "."
	}
	return prefix
}

// directory adds the entries of a directory that match.
func (g *globber) directory(out []string, prefix string, s *segment, last bool) ([]string, bool) {
	entries, err := g.p.view.ReadDir(g.p.ctx, at(prefix))
	if err != nil {
		return out, !g.p.stopped()
	}
	m, ok := g.compile(s.text)
	if !ok {
		return out, false
	}
	if !g.p.shopts.has(shoptGlobskipdots) && s.text[0] == '.' {
		for _, name := range [...]string{".", ".."} {
			if m.Match(name, nil) {
				if out, ok = g.add(out, prefix+name+s.slashes); !ok {
					return out, false
				}
			}
		}
	}
	for i := range entries {
		e := &entries[i]
		if i&255 == 255 && g.p.stopped() {
			return out, false
		}
		if !m.Match(e.Name, g.p.stopped) {
			continue
		}
		if s.slashes != "" && !e.IsDir() {
			info, err := g.p.view.Stat(g.p.ctx, prefix+e.Name)
			if err != nil || !info.IsDir() {
				continue
			}
		}
		if out, ok = g.add(out, prefix+e.Name+s.slashes); !ok {
			return out, false
		}
	}
	return out, g.p.flow == flowNone
}

func (g *globber) compile(text string) (*pattern.Pattern, bool) {
	if !g.p.scratch(pattern.Cost(text)) {
		return nil, false
	}
	c := pattern.Compile(text, g.options)
	return c, g.p.shallow(c)
}

// base is how ** shows the directory it begins in: where a pattern found it,
// without the slash.
func base(prefix string, matched bool) string {
	if matched {
		return strings.TrimRight(prefix, "/")
	}
	return prefix
}

// tree adds a directory and all below it, links not followed: ** matches them.
func (g *globber) tree(out []string, prefix string, s *segment, last bool) ([]string, bool) {
	all := last && s.slashes == ""
	ok := true
	if _, err := g.p.view.ReadDir(g.p.ctx, at(prefix)); err != nil {
		return out, !g.p.stopped()
	}
	if !last || prefix != "" {
		if out, ok = g.add(out, base(prefix, all && g.matched)); !ok {
			return out, false
		}
	}
	work := []string{prefix}
	for len(work) > 0 {
		directory := work[len(work)-1]
		work = work[:len(work)-1]
		if g.p.stopped() {
			return out, false
		}
		entries, err := g.p.view.ReadDir(g.p.ctx, at(directory))
		if err != nil {
			continue
		}
		for i := range entries {
			e := &entries[i]
			if g.options.Period && strings.HasPrefix(e.Name, ".") {
				continue
			}
			if e.IsDir() {
				if !g.p.scratch(int64(len(directory) + len(e.Name) + fieldCost)) {
					return out, false
				}
				work = append(work, directory+e.Name+"/")
				if !all {
					if out, ok = g.add(out, directory+e.Name+s.slashes); !ok {
						return out, false
					}
				}
			}
			if all {
				if out, ok = g.add(out, directory+e.Name); !ok {
					return out, false
				}
			}
		}
	}
	return out, g.p.flow == flowNone
}

// globIgnore takes out what GLOBIGNORE names.
func (p *proc) globIgnore(names []string) ([]string, bool) {
	value, set := p.value(symGLOBIGNORE)
	if !set || value == "" {
		return names, true
	}
	var ignored []*pattern.Pattern
	for start, i := 0, 0; i <= len(value); i++ {
		switch {
		case i == len(value) || value[i] == ':':
			if i > start {
				c := pattern.Compile(value[start:i], pattern.Options{ExtGlob: p.shopts.has(shoptExtglob), Pathname: true})
				if !p.shallow(c) {
					return nil, false
				}
				ignored = append(ignored, c)
			}
			start = i + 1
		case value[i] == '\\':
			i++
		case value[i] == '[': // a colon in a bracket expression
			if end := strings.IndexByte(value[i+1:], ']'); end >= 0 && strings.HasPrefix(value[i+1:], "[:") {
				i += end + 1
			}
		}
	}
	kept := names[:0]
	for _, name := range names {
		base := name[strings.LastIndexByte(name, '/')+1:]
		if base == "." || base == ".." || slices.ContainsFunc(ignored, func(m *pattern.Pattern) bool { return m.Match(name, p.stopped) }) {
			continue
		}
		kept = append(kept, name)
	}
	return kept, p.flow == flowNone
}
