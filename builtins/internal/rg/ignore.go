// Package rg decides which files rg searches: ignore files, globs, types.
package rg

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// rule is one line of an ignore file, or one -g.
type rule struct {
	glob      string
	negated   bool
	directory bool // it speaks of directories only
	fold      bool
}

// Rules are an ignore file's lines: the last that matches decides.
type Rules struct {
	// Root is the directory that the rules are relative to, "" or ending in "/".
	Root  string
	rules []rule
}

// Verdict is what rules say of a path.
type Verdict int8

const (
	Undecided Verdict = iota
	Ignored
	Kept
)

// Parse reads the lines of an ignore file in directory root.
func Parse(root, text string, fold bool) *Rules {
	r := &Rules{Root: root}
	for _, line := range strings.Split(text, "\n") {
		r.Add(strings.TrimSuffix(line, "\r"), fold)
	}
	return r
}

// Add adds one line; fold ignores case.
func (r *Rules) Add(line string, fold bool) {
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	if line == "" || line[0] == '#' {
		return
	}
	var n rule
	n.fold = fold
	if line[0] == '!' {
		n.negated = true
		line = line[1:]
	}
	line = strings.TrimPrefix(line, `\!`)
	if strings.HasPrefix(line, `\#`) {
		line = line[1:]
	}
	if strings.HasSuffix(line, "/") {
		n.directory = true
		line = strings.TrimSuffix(line, "/")
	}
	anchored := strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return
	}
	if !anchored {
		line = "**/" + line
	}
	if fold {
		line = strings.ToLower(line)
	}
	n.glob = strings.ReplaceAll(line, "[!", "[^")
	r.rules = append(r.rules, n)
}

// CheckGlob says what is wrong with a glob, or nothing.
func CheckGlob(glob string) string {
	braces := 0
	for i := 0; i < len(glob); i++ {
		switch glob[i] {
		case '\\':
			if i++; i >= len(glob) {
				return "dangling '\\'"
			}
		case '[':
			end := i + 1
			if end < len(glob) && (glob[end] == '!' || glob[end] == '^') {
				end++
			}
			closing := -1
			if end < len(glob) {
				closing = strings.IndexByte(glob[end+1:], ']')
			}
			if closing < 0 {
				return "unclosed character class; missing ']'"
			}
			i = end + 1 + closing
		case '{':
			braces++
		case '}':
			if braces--; braces < 0 {
				return "unopened alternate group; missing '{' (maybe escape '}' with '[}]'?)"
			}
		}
	}
	if braces > 0 {
		return "unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)"
	}
	return ""
}

// Empty reports whether there is no rule.
func (r *Rules) Empty() bool { return r == nil || len(r.rules) == 0 }

// Whitelists reports whether some rule takes files in (-g without "!").
func (r *Rules) Whitelists() bool {
	for _, n := range r.rules {
		if !n.negated {
			return true
		}
	}
	return false
}

// Match says what the rules decide of a path, relative to where Root is.
func (r *Rules) Match(path string, directory bool) Verdict {
	path, ok := strings.CutPrefix(path, r.Root)
	if !ok {
		return Undecided
	}
	for i := len(r.rules) - 1; i >= 0; i-- {
		n := &r.rules[i]
		if n.directory && !directory {
			continue
		}
		name := path
		if n.fold {
			name = strings.ToLower(name)
		}
		if matched, err := doublestar.Match(n.glob, name); err == nil && matched {
			if n.negated {
				return Kept
			}
			return Ignored
		}
	}
	return Undecided
}

// Types are the file types that -t and -T name.
type Types struct {
	globs    map[string][]string
	selected []string
	dropped  []string
}

// NewTypes holds the types every rg has.
func NewTypes() *Types {
	t := &Types{globs: map[string][]string{}}
	for _, word := range strings.Fields(defaultTypes) {
		name, globs, _ := strings.Cut(word, ":")
		t.globs[name] = strings.Split(globs, ",")
	}
	return t
}

// Names are the types' names, with Globs to look at each.
func (t *Types) Names() []string {
	var names []string
	for name := range t.globs {
		names = append(names, name)
	}
	return names
}

// Globs are a type's globs.
func (t *Types) Globs(name string) []string { return t.globs[name] }

// Define adds NAME:GLOB or NAME:include:OTHER,OTHER (--type-add).
func (t *Types) Define(text string) bool {
	name, glob, ok := strings.Cut(text, ":")
	if !ok || name == "" || glob == "" {
		return false
	}
	if others, include := strings.CutPrefix(glob, "include:"); include {
		for _, other := range strings.Split(others, ",") {
			if t.globs[other] == nil {
				return false
			}
			t.globs[name] = append(t.globs[name], t.globs[other]...)
		}
		return true
	}
	t.globs[name] = append(t.globs[name], glob)
	return true
}

// Clear forgets a type (--type-clear).
func (t *Types) Clear(name string) { delete(t.globs, name) }

// Select takes a type's files in, or leaves them out; false for no such type.
func (t *Types) Select(name string, in bool) bool {
	if t.globs[name] == nil && name != "all" {
		return false
	}
	if in {
		t.selected = append(t.selected, name)
	} else {
		t.dropped = append(t.dropped, name)
	}
	return true
}

// Allows reports whether a file of that name is searched.
func (t *Types) Allows(name string) bool {
	if t.matches(t.dropped, name) {
		return false
	}
	return len(t.selected) == 0 || t.matches(t.selected, name)
}

func (t *Types) matches(types []string, name string) bool {
	for _, one := range types {
		if one == "all" {
			for _, globs := range t.globs {
				if matchAny(globs, name) {
					return true
				}
			}
			continue
		}
		if matchAny(t.globs[one], name) {
			return true
		}
	}
	return false
}

func matchAny(globs []string, name string) bool {
	for _, glob := range globs {
		if ok, err := doublestar.Match(strings.ReplaceAll(glob, "[!", "[^"), name); err == nil && ok {
			return true
		}
	}
	return false
}
