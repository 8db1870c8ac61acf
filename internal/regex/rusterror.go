package regex

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const rustTooDeep = "exceed the maximum number of nested parentheses/brackets (250)"

// fail is an error as Rust's regex crate shows it: the pattern, carets below
// the place and below what else has to do with it, and the words.
func (p *rustParser) fail(span rustSpan, words string, others ...rustSpan) error {
	spans := append(others, span)
	lines := strings.Split(p.text, "\n")
	if strings.HasSuffix(p.text, "\n") {
		lines = lines[:len(lines)-1]
	}
	var b strings.Builder
	b.WriteString("regex parse error:\n")
	divider := strings.Repeat("~", 79) + "\n"
	width, indent := 0, 4
	if len(lines) > 1 {
		width = len(strconv.Itoa(len(lines)))
		indent = width + 2
	}
	if strings.Contains(p.text, "\n") {
		b.WriteString(divider)
	}
	start := 0
	var across []string
	for i, line := range lines {
		if width > 0 {
			fmt.Fprintf(&b, "%*d: ", width, i+1)
		} else {
			b.WriteString("    ")
		}
		b.WriteString(line + "\n")
		end := start + len(line)
		var notes [][2]int
		for _, s := range spans {
			if s.start < start || s.start > end {
				continue
			}
			if s.end > end {
				row, column := p.place(s.end)
				across = append(across, fmt.Sprintf("on line %d (column %d) through line %d (column %d)",
					i+1, utf8.RuneCountInString(p.text[start:s.start])+1, row, column-1))
				continue
			}
			notes = append(notes, [2]int{utf8.RuneCountInString(p.text[start:s.start]), utf8.RuneCountInString(p.text[s.start:s.end])})
		}
		slices.SortFunc(notes, func(a, b [2]int) int { return a[0] - b[0] })
		if len(notes) > 0 {
			b.WriteString(strings.Repeat(" ", indent))
			at := 0
			for _, n := range notes {
				if n[0] > at {
					b.WriteString(strings.Repeat(" ", n[0]-at))
					at = n[0]
				}
				b.WriteString(strings.Repeat("^", max(1, n[1])))
				at += max(1, n[1])
			}
			b.WriteByte('\n')
		}
		start = end + 1
	}
	if strings.Contains(p.text, "\n") {
		b.WriteString(divider)
		if len(across) > 0 {
			b.WriteString(strings.Join(across, "\n") + "\n")
		}
	}
	b.WriteString("error: " + words)
	return fail(b.String())
}

// place is a byte's line and column, from 1.
func (p *rustParser) place(at int) (line, column int) {
	before := p.text[:at]
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
}
