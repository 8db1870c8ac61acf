// Package patch reads patches in every form diff writes and finds where their
// hunks go, as GNU patch does: the guesses about names and the reversed
// patches, offsets and fuzz, rejects and merges.
package patch

import (
	"bytes"
	"slices"
)

// Line is a line of one side of a hunk with the mark it stood under: ' ' for
// context, '-' and '+', '!' where a context diff changes it. Its text has its
// newline, unless it is the last of a file that lacks one.
type Line struct {
	Mark byte
	Text []byte
}

// Hunk is one place that a patch changes. Lines are counted from 1.
type Hunk struct {
	First, NewFirst int
	Old, New        []Line
	// Prefix and Suffix count the context lines before and after the changes.
	Prefix, Suffix int
	// Function is what follows the second @@, with its blank.
	Function string
}

// Swap turns the hunk around.
func (h *Hunk) Swap() {
	h.First, h.NewFirst = h.NewFirst, h.First
	h.Old, h.New = h.New, h.Old
	remark(h.Old, '+', '-')
	remark(h.New, '-', '+')
}

// remark gives the lines of one mark another.
func remark(lines []Line, from, to byte) {
	for i := range lines {
		if lines[i].Mark == from {
			lines[i].Mark = to
		}
	}
}

// countContext finds Prefix and Suffix from the marks of both sides.
func (h *Hunk) countContext() {
	edge := func(lines []Line, at func(i int) Line) int {
		n := 0
		for n < len(lines) && at(n).Mark == ' ' {
			n++
		}
		return n
	}
	first := func(lines []Line) int { return edge(lines, func(i int) Line { return lines[i] }) }
	last := func(lines []Line) int { return edge(lines, func(i int) Line { return lines[len(lines)-1-i] }) }
	h.Prefix, h.Suffix = min(first(h.Old), first(h.New)), min(last(h.Old), last(h.New))
}

// unified gives the hunk the marks of a unified diff.
func (h *Hunk) unified() {
	remark(h.Old, '!', '-')
	remark(h.New, '!', '+')
}

// contextual gives the hunk the marks of a context diff: neighbouring
// deletions and additions are changes.
func (h *Hunk) contextual() {
	h.unified()
	old, added := 0, 0
	for old < len(h.Old) || added < len(h.New) {
		o, n := old, added
		for old < len(h.Old) && h.Old[old].Mark != ' ' {
			old++
		}
		for added < len(h.New) && h.New[added].Mark != ' ' {
			added++
		}
		if old > o && added > n {
			for ; o < old; o++ {
				h.Old[o].Mark = '!'
			}
			for ; n < added; n++ {
				h.New[n].Mark = '!'
			}
		}
		old, added = old+1, added+1
	}
}

// SplitLines cuts text after each newline.
func SplitLines(text []byte) [][]byte {
	return slices.AppendSeq(make([][]byte, 0, bytes.Count(text, []byte("\n"))+1), bytes.Lines(text))
}
