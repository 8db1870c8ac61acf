package difftext

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Printer writes changes. Out should be buffered.
type Printer struct {
	Out  io.Writer
	A, B *File
	// Context is the lines of context of unified and context formats.
	Context int
	// Function finds the line shown after a hunk's head.
	Function func(line []byte) bool
	// ExpandTabs, InitialTab and TabSize are -t, -T and --tabsize; InitialTab
	// also puts a tab for the blank of a mark.
	ExpandTabs, InitialTab bool
	TabSize                int
	SuppressBlankEmpty     bool
	// Width, LeftColumn and SuppressCommon are the side-by-side format's.
	Width                      int
	LeftColumn, SuppressCommon bool
	// Colors, where set, are the sequences around what is shown.
	Colors *Colors
}

// Colors are the parts of terminal sequences: Start and End stand around each
// of the others.
type Colors struct {
	Start, End, Reset           string
	Header, Delete, Add, Number string
}

// begin and reset write a color's sequences, where colors are on.
func (p *Printer) begin(color func(*Colors) string) {
	if p.Colors != nil {
		io.WriteString(p.Out, p.Colors.Start+color(p.Colors)+p.Colors.End)
	}
}

func (p *Printer) reset() { p.begin(resetColor) }

func resetColor(c *Colors) string  { return c.Reset }
func headerColor(c *Colors) string { return c.Header }
func deleteColor(c *Colors) string { return c.Delete }
func addColor(c *Colors) string    { return c.Add }
func numberColor(c *Colors) string { return c.Number }

// colored writes text between a color's sequences, and what follows.
func (p *Printer) colored(color func(*Colors) string, text, after string) {
	p.begin(color)
	io.WriteString(p.Out, text)
	p.reset()
	io.WriteString(p.Out, after)
}

const noNewline = "\\ No newline at end of file\n"

func span(from, n int, sep string) string {
	if n <= 1 {
		return strconv.Itoa(from + n)
	}
	return strconv.Itoa(from+1) + sep + strconv.Itoa(from+n)
}

func letter(c Change) byte {
	switch {
	case c.ALen == 0:
		return 'a'
	case c.BLen == 0:
		return 'd'
	}
	return 'c'
}

// line writes a line behind its mark; color nil leaves it plain.
func (p *Printer) line(mark string, line []byte, color func(*Colors) string) {
	if p.Colors != nil && color != nil {
		p.begin(color)
		whole := bytes.HasSuffix(line, []byte("\n"))
		p.marked(mark, bytes.TrimSuffix(line, []byte("\n")))
		p.reset()
		io.WriteString(p.Out, "\n")
		if !whole {
			io.WriteString(p.Out, noNewline)
		}
		return
	}
	p.marked(mark, line)
	if len(line) == 0 || line[len(line)-1] != '\n' {
		io.WriteString(p.Out, "\n"+noNewline)
	}
}

func (p *Printer) marked(mark string, line []byte) {
	io.WriteString(p.Out, mark)
	if mark != "" && p.InitialTab {
		io.WriteString(p.Out, "\t")
	} else if strings.HasSuffix(mark, "<") || strings.HasSuffix(mark, ">") {
		io.WriteString(p.Out, " ")
	}
	p.text(line)
}

func (p *Printer) text(line []byte) {
	if !p.ExpandTabs || bytes.IndexByte(line, '\t') < 0 {
		p.Out.Write(line)
		return
	}
	column := 0
	var b []byte
	for _, c := range line {
		if c == '\t' {
			for n := p.TabSize - column%p.TabSize; n > 0; n-- {
				b = append(b, ' ')
				column++
			}
			continue
		}
		b = append(b, c)
		column++
	}
	p.Out.Write(b)
}

// Normal writes the format without options.
func (p *Printer) Normal(changes []Change) {
	for _, c := range changes {
		if c.Ignorable {
			continue
		}
		p.colored(numberColor, fmt.Sprintf("%s%c%s", span(c.A, c.ALen, ","), letter(c), span(c.B, c.BLen, ",")), "\n")
		for _, l := range p.A.Lines[c.A : c.A+c.ALen] {
			p.line("<", l, deleteColor)
		}
		if c.ALen > 0 && c.BLen > 0 {
			io.WriteString(p.Out, "---\n")
		}
		for _, l := range p.B.Lines[c.B : c.B+c.BLen] {
			p.line(">", l, addColor)
		}
	}
}

// Ed writes an ed script, last change first; Forward the same first to last.
func (p *Printer) Ed(changes []Change) {
	for i := len(changes) - 1; i >= 0; i-- {
		c := changes[i]
		if c.Ignorable {
			continue
		}
		fmt.Fprintf(p.Out, "%s%c\n", span(c.A, c.ALen, ","), letter(c))
		p.insertEd(c)
	}
}

func (p *Printer) insertEd(c Change) {
	if c.BLen == 0 {
		return
	}
	inserting := true
	for i, l := range p.B.Lines[c.B : c.B+c.BLen] {
		if !inserting {
			fmt.Fprintf(p.Out, "a\n")
			inserting = true
		}
		if bytes.Equal(l, []byte(".\n")) {
			// ed would take a lone dot for the end of the text.
			io.WriteString(p.Out, "..\n.\ns/.//\n")
			inserting = i == c.BLen-1
			if inserting {
				return
			}
			continue
		}
		p.Out.Write(l)
		if l[len(l)-1] != '\n' {
			io.WriteString(p.Out, "\n")
		}
	}
	io.WriteString(p.Out, ".\n")
}

// Forward writes -f's script.
func (p *Printer) Forward(changes []Change) {
	for _, c := range changes {
		if c.Ignorable {
			continue
		}
		fmt.Fprintf(p.Out, "%c%s\n", letter(c), span(c.A, c.ALen, " "))
		if c.BLen > 0 {
			for _, l := range p.B.Lines[c.B : c.B+c.BLen] {
				p.Out.Write(l)
			}
			if !bytes.HasSuffix(p.B.Lines[c.B+c.BLen-1], []byte("\n")) {
				io.WriteString(p.Out, "\n")
			}
			io.WriteString(p.Out, ".\n")
		}
	}
}

// RCS writes -n's script.
func (p *Printer) RCS(changes []Change) {
	for _, c := range changes {
		if c.Ignorable {
			continue
		}
		if c.ALen > 0 {
			fmt.Fprintf(p.Out, "d%d %d\n", c.A+1, c.ALen)
		}
		if c.BLen > 0 {
			fmt.Fprintf(p.Out, "a%d %d\n", c.A+c.ALen, c.BLen)
			for _, l := range p.B.Lines[c.B : c.B+c.BLen] {
				p.Out.Write(l)
			}
		}
	}
}

// function is the text behind a hunk's head: the last line above it that the
// Function takes.
func (p *Printer) function(before int) string {
	if p.Function == nil {
		return ""
	}
	for i := before - 1; i >= 0; i-- {
		if l := bytes.TrimSuffix(p.A.Lines[i], []byte("\n")); p.Function(l) {
			text := strings.TrimLeft(string(l), " \t")
			if len(text) > 40 {
				text = text[:40]
			}
			return " " + strings.TrimRight(text, " \t")
		}
	}
	return ""
}

// bounds are a hunk's lines with their context.
func (p *Printer) bounds(h hunk) (a0, a1, b0, b1 int) {
	first, last := h.changes[0], h.changes[len(h.changes)-1]
	a0, b0 = max(0, first.A-p.Context), max(0, first.B-p.Context)
	a1 = min(len(p.A.Lines), last.A+last.ALen+p.Context)
	b1 = min(len(p.B.Lines), last.B+last.BLen+p.Context)
	return a0, a1, b0, b1
}

func unifiedSpan(from, n int) string {
	switch n {
	case 0:
		return strconv.Itoa(from) + ",0"
	case 1:
		return strconv.Itoa(from + 1)
	}
	return strconv.Itoa(from+1) + "," + strconv.Itoa(n)
}

// Unified writes -u's format; the heads are whole lines.
func (p *Printer) Unified(changes []Change, headA, headB string) bool {
	hunks := group(changes, p.Context)
	if len(hunks) == 0 {
		return false
	}
	p.colored(headerColor, "--- "+headA, "\n")
	p.colored(headerColor, "+++ "+headB, "\n")
	for _, h := range hunks {
		a0, a1, b0, b1 := p.bounds(h)
		p.colored(numberColor, fmt.Sprintf("@@ -%s +%s @@", unifiedSpan(a0, a1-a0), unifiedSpan(b0, b1-b0)), p.function(a0)+"\n")
		at := a0
		for _, c := range h.changes {
			p.same(at, c.A)
			for _, l := range p.A.Lines[c.A : c.A+c.ALen] {
				p.line("-", l, deleteColor)
			}
			for _, l := range p.B.Lines[c.B : c.B+c.BLen] {
				p.line("+", l, addColor)
			}
			at = c.A + c.ALen
		}
		p.same(at, a1)
	}
	return true
}

func (p *Printer) same(from, to int) {
	for _, l := range p.A.Lines[from:to] {
		mark := " "
		if p.SuppressBlankEmpty && len(l) == 1 && l[0] == '\n' {
			mark = ""
		}
		p.line(mark, l, nil)
	}
}

func contextSpan(from, n int) string {
	if n <= 1 {
		return strconv.Itoa(from + n)
	}
	return strconv.Itoa(from+1) + "," + strconv.Itoa(from+n)
}

// ContextFormat writes -c's format.
func (p *Printer) ContextFormat(changes []Change, headA, headB string) bool {
	hunks := group(changes, p.Context)
	if len(hunks) == 0 {
		return false
	}
	p.colored(headerColor, "*** "+headA, "\n")
	p.colored(headerColor, "--- "+headB, "\n")
	for _, h := range hunks {
		a0, a1, b0, b1 := p.bounds(h)
		fmt.Fprintf(p.Out, "***************%s\n", p.function(a0))
		p.colored(numberColor, fmt.Sprintf("*** %s ****", contextSpan(a0, a1-a0)), "\n")
		deletes, inserts := false, false
		for _, c := range h.changes {
			deletes = deletes || c.ALen > 0
			inserts = inserts || c.BLen > 0
		}
		if deletes {
			p.side(p.A.Lines, a0, a1, h, deleteColor, func(c Change) (int, int, string) {
				if c.BLen > 0 {
					return c.A, c.ALen, "! "
				}
				return c.A, c.ALen, "- "
			})
		}
		p.colored(numberColor, fmt.Sprintf("--- %s ----", contextSpan(b0, b1-b0)), "\n")
		if inserts {
			p.side(p.B.Lines, b0, b1, h, addColor, func(c Change) (int, int, string) {
				if c.ALen > 0 {
					return c.B, c.BLen, "! "
				}
				return c.B, c.BLen, "+ "
			})
		}
	}
	return true
}

func (p *Printer) side(lines [][]byte, from, to int, h hunk, color func(*Colors) string, of func(Change) (at, n int, mark string)) {
	next := 0
	for i := from; i < to; i++ {
		mark := "  "
		for next < len(h.changes) {
			at, n, _ := of(h.changes[next])
			if i < at+n {
				break
			}
			next++
		}
		if next < len(h.changes) {
			if at, n, m := of(h.changes[next]); i >= at && i < at+n {
				mark = m
			}
		}
		if p.InitialTab {
			mark = mark[:1]
		}
		if p.SuppressBlankEmpty && mark == "  " && len(lines[i]) == 1 {
			mark = ""
		}
		p.line(mark, lines[i], color)
	}
}

// SideBySide writes -y's format.
func (p *Printer) SideBySide(changes []Change) {
	t := p.TabSize
	if p.ExpandTabs {
		t = 1
	}
	offset := (p.Width + t + 3) / (2 * t) * t
	half := max(0, min(offset-3, p.Width-offset))
	column2 := offset
	if half == 0 {
		column2 = p.Width
	}
	s := &sideBySide{p: p, half: half, column2: column2}
	a, b := 0, 0
	common := func(to int) {
		for ; a < to; a, b = a+1, b+1 {
			if p.SuppressCommon {
				continue
			}
			if p.LeftColumn {
				s.row(p.A.Lines[a], '(', nil)
			} else {
				s.row(p.A.Lines[a], ' ', p.B.Lines[b])
			}
		}
	}
	for _, c := range changes {
		common(c.A)
		n := min(c.ALen, c.BLen)
		mark := byte('|')
		if c.Ignorable {
			mark = ' '
		}
		for range n {
			s.row(p.A.Lines[a], mark, p.B.Lines[b])
			a, b = a+1, b+1
		}
		for ; a < c.A+c.ALen; a++ {
			s.row(p.A.Lines[a], '<', nil)
		}
		for ; b < c.B+c.BLen; b++ {
			s.row(nil, '>', p.B.Lines[b])
		}
	}
	common(len(p.A.Lines))
}

type sideBySide struct {
	p             *Printer
	half, column2 int
}

func (s *sideBySide) row(left []byte, mark byte, right []byte) {
	if mark == '<' {
		s.p.begin(deleteColor)
		defer s.p.reset()
	} else if mark == '>' {
		s.p.begin(addColor)
		defer s.p.reset()
	}
	newline := false
	column := 0
	if left != nil {
		newline = left[len(left)-1] == '\n'
		column = s.print(left, 0)
	}
	if mark != ' ' {
		column = s.tabTo(column, (s.half+s.column2-1)/2) + 1
		if mark == '|' && right != nil && newline != (right[len(right)-1] == '\n') {
			mark = '\\'
			if newline {
				mark = '/'
			}
		}
		s.p.Out.Write([]byte{mark})
	}
	if right != nil {
		newline = newline || right[len(right)-1] == '\n'
		if right[0] != '\n' {
			column = s.tabTo(column, s.column2)
			s.print(right, column)
		}
	}
	if newline {
		io.WriteString(s.p.Out, "\n")
	}
}

func (s *sideBySide) tabTo(from, to int) int {
	if !s.p.ExpandTabs {
		if tabs := to/s.p.TabSize - from/s.p.TabSize; tabs > 0 {
			s.fill('\t', tabs)
			from = to / s.p.TabSize * s.p.TabSize
		}
	}
	s.fill(' ', to-from)
	return to
}

// fill writes c as often as asked, unless nobody reads it: a row can be as wide
// as a number gets.
func (s *sideBySide) fill(c byte, count int) {
	var block [512]byte
	for i := range block[:min(max(count, 0), len(block))] {
		block[i] = c
	}
	for count > 0 {
		n, err := s.p.Out.Write(block[:min(count, len(block))])
		if err != nil {
			return
		}
		count -= n
	}
}

// print writes as much of a line as fits in half a row and returns its columns.
func (s *sideBySide) print(line []byte, indent int) int {
	in, out := 0, 0
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c == '\n':
			return out
		case c == '\t':
			spaces := s.p.TabSize - in%s.p.TabSize
			if in == out {
				tabstop := out + spaces
				if s.p.ExpandTabs {
					tabstop = min(tabstop, s.half)
					for ; out < tabstop; out++ {
						io.WriteString(s.p.Out, " ")
					}
				} else if tabstop < s.half {
					out = tabstop
					io.WriteString(s.p.Out, "\t")
				}
			}
			in += spaces
			i++
		default:
			r, n := utf8.DecodeRune(line[i:])
			width := 1
			if r < ' ' || r == 127 {
				width = 0
			}
			in += width
			if in <= s.half {
				out = in
				s.p.Out.Write(line[i : i+n])
			}
			i += n
		}
	}
	_ = indent
	return out
}
