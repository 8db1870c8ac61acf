// Package difftext compares two texts and writes the differences in GNU
// diff's formats.
package difftext

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/vsh-project/vsh/internal/diff"
)

// Ignore says what makes lines equal that are not.
type Ignore struct {
	Case         bool
	TabExpansion bool
	TrailingTabs bool // -Z: trailing blanks
	SpaceChange  bool
	AllSpace     bool
	// LastNewline lets a last line without newline equal one with it.
	LastNewline bool
	TabSize     int
	// BlankLines and Matching make whole changes ignorable.
	BlankLines bool
	Matching   func(line []byte) bool
}

// File is one side: its lines with their newlines.
type File struct {
	Lines [][]byte
	// Whole is set when the last line ends in a newline (or there is none).
	Whole bool
}

// Split cuts a text into lines.
func Split(text []byte) *File {
	f := &File{Whole: len(text) == 0 || text[len(text)-1] == '\n'}
	f.Lines = slices.Collect(bytes.Lines(text))
	return f
}

// Change is an edit, and whether the options ignore it.
type Change struct {
	diff.Edit
	Ignorable bool
}

// Compare finds the changes from a to b.
func Compare(ctx context.Context, a, b *File, ignore *Ignore, minimal bool, horizon int) ([]Change, error) {
	classes := map[string]int32{}
	number := func(f *File) []int32 {
		list := make([]int32, len(f.Lines))
		var key []byte
		for i, line := range f.Lines {
			if ignore.LastNewline {
				line = bytes.TrimSuffix(line, []byte("\n"))
			}
			key = ignore.key(key[:0], line)
			n, ok := classes[string(key)]
			if !ok {
				n = int32(len(classes))
				classes[string(key)] = n
			}
			list[i] = n
		}
		return list
	}
	edits, err := diff.Compare(ctx, number(a), number(b), diff.Options{Minimal: minimal, Horizon: horizon})
	if err != nil {
		return nil, err
	}
	changes := make([]Change, len(edits))
	for i, e := range edits {
		changes[i] = Change{e, ignore.ignores(a.Lines[e.A:e.A+e.ALen], b.Lines[e.B:e.B+e.BLen])}
	}
	return changes, nil
}

func (g *Ignore) ignores(sides ...[][]byte) bool {
	if !g.BlankLines && g.Matching == nil {
		return false
	}
	for _, lines := range sides {
		for _, line := range lines {
			text := bytes.TrimSuffix(line, []byte("\n"))
			blank := len(text) == 0 || (g.AllSpace || g.SpaceChange || g.TrailingTabs) && len(bytes.TrimSpace(text)) == 0
			if !(g.BlankLines && blank || g.Matching != nil && g.Matching(text)) {
				return false
			}
		}
	}
	return true
}

func isBlank(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// key is what must be equal for two lines to be.
func (g *Ignore) key(key, line []byte) []byte {
	if !(g.Case || g.TabExpansion || g.TrailingTabs || g.SpaceChange || g.AllSpace) {
		return append(key, line...)
	}
	text := bytes.TrimSuffix(line, []byte("\n"))
	newline := len(text) < len(line) || g.AllSpace || g.SpaceChange || g.TrailingTabs
	if g.AllSpace || g.SpaceChange || g.TrailingTabs {
		for len(text) > 0 && isBlank(text[len(text)-1]) {
			text = text[:len(text)-1]
		}
	}
	column := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case isBlank(c) && g.AllSpace:
			continue
		case isBlank(c) && g.SpaceChange:
			for i+1 < len(text) && isBlank(text[i+1]) {
				i++
			}
			c = ' '
		case c == '\t' && g.TabExpansion:
			for n := g.TabSize - column%g.TabSize; n > 0; n-- {
				key = append(key, ' ')
				column++
			}
			continue
		case g.Case && c >= 'A' && c <= 'Z':
			c |= 0x20
		}
		column++
		key = append(key, c)
	}
	if g.Case && bytes.IndexFunc(key, func(r rune) bool { return r >= 0x80 }) >= 0 {
		key = append(key[:0], strings.ToLower(string(key))...)
	}
	if newline {
		key = append(key, '\n')
	}
	return key
}

// hunk is a group of changes that share context.
type hunk struct{ changes []Change }

// group puts changes together that lie closer than twice the context.
func group(changes []Change, contextLines int) []hunk {
	var hunks []hunk
	for i := 0; i < len(changes); {
		k := i + 1
		for k < len(changes) {
			previous := changes[k-1]
			limit := 2*contextLines + 1
			if changes[k].Ignorable {
				limit = contextLines
			}
			if changes[k].A-(previous.A+previous.ALen) >= limit {
				break
			}
			k++
		}
		keep := false
		for _, c := range changes[i:k] {
			keep = keep || !c.Ignorable
		}
		if keep {
			hunks = append(hunks, hunk{changes[i:k]})
		}
		i = k
	}
	return hunks
}
