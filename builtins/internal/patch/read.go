package patch

import (
	"bytes"
	"fmt"
	"strconv"
)

// Format is a kind of diff.
type Format uint8

const (
	Unknown Format = iota
	Context
	NewContext
	Normal
	Ed
	Unified
	GitBinary
)

func (f Format) String() string {
	return [...]string{"", "a context diff", "a new-style context diff", "a normal diff", "an ed script", "a unified diff", "a git binary diff"}[f]
}

// reader goes through the lines of a patch.
type reader struct {
	text []byte
	at   int
	// line is the number of the line that was read last.
	line    int
	indent  int
	stripCR bool
}

// next reads a line as it stands, nil at the end.
func (r *reader) next() []byte {
	if r.at >= len(r.text) {
		return nil
	}
	end := bytes.IndexByte(r.text[r.at:], '\n') + 1
	if end == 0 {
		end = len(r.text) - r.at
	}
	line := r.text[r.at : r.at+end : r.at+end]
	r.at += end
	r.line++
	return line
}

// hunkLine reads a line without the patch's indentation and, where its header
// says so, without its carriage return; a "\ No newline" line after it takes
// its newline away, which incomplete then says.
func (r *reader) hunkLine() (line []byte) {
	line = r.next()
	if line == nil {
		return nil
	}
	for indent := 0; indent < r.indent && len(line) > 0; line = line[1:] {
		switch line[0] {
		case ' ', 'X':
			indent++
		case '\t':
			indent = (indent + 8) &^ 7
		default:
			indent = r.indent
			line = append([]byte(" "), line...)
		}
	}
	if n := len(line); r.stripCR && n >= 2 && line[n-1] == '\n' && line[n-2] == '\r' {
		line = append(line[:n-2:n-2], '\n')
	}
	if n := len(line); n > 0 && line[n-1] != '\n' {
		line = append(line, '\n')
	}
	return line
}

// incomplete takes the newline off text when a "\ No newline" line follows.
func (r *reader) incomplete(text []byte) []byte {
	at, number := r.at, r.line
	if line := r.hunkLine(); len(line) > 0 && line[0] == '\\' {
		return bytes.TrimSuffix(text, []byte("\n"))
	}
	r.at, r.line = at, number
	return text
}

// Malformed is a patch that cannot be read; the message is patch's.
type Malformed struct{ Message string }

func (m *Malformed) Error() string { return m.Message }

func malformed(line int, text []byte) error {
	return &Malformed{fmt.Sprintf("malformed patch at line %d: %s", line, text)}
}

// noNumber is where a line number is missing from a hunk's head.
func noNumber(line int, text []byte) error {
	return &Malformed{fmt.Sprintf("missing line number at line %d: %s", line, text)}
}

// number reads a line number at the start of s.
func number(s []byte) (n int, rest []byte, ok bool) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	n, err := strconv.Atoi(string(s[:i]))
	return n, s[i:], err == nil && n < 1<<48
}

// span reads "FIRST" or "FIRST,SECOND".
func span(s []byte, alone int) (first, second int, rest []byte, ok bool) {
	if first, rest, ok = number(s); !ok {
		return
	}
	if second = alone; len(rest) > 0 && rest[0] == ',' {
		second, rest, ok = number(rest[1:])
	}
	return
}

// hunk reads the next hunk; nil where the patch of this file ends.
func (r *reader) hunk(format Format) (*Hunk, error) {
	at, line := r.at, r.line
	back := func() { r.at, r.line = at, line }
	var h *Hunk
	var err error
	switch format {
	case Unified:
		h, err = r.unifiedHunk(back)
	case Context, NewContext:
		h, err = r.contextHunk(back)
	case Normal:
		h, err = r.normalHunk(back)
	}
	return h, err
}

func (r *reader) unifiedHunk(back func()) (*Hunk, error) {
	text := r.hunkLine()
	s, ok := bytes.CutPrefix(text, []byte("@@ -"))
	if !ok {
		back()
		return nil, nil
	}
	h := &Hunk{}
	var oldLines, newLines int
	if h.First, oldLines, s, ok = span(s, 1); !ok {
		return nil, noNumber(r.line, text)
	}
	s = bytes.TrimPrefix(s, []byte(" "))
	if s, ok = bytes.CutPrefix(s, []byte("+")); !ok {
		return nil, malformed(r.line, text)
	}
	if h.NewFirst, newLines, s, ok = span(s, 1); !ok {
		return nil, noNumber(r.line, text)
	}
	s = bytes.TrimPrefix(s, []byte(" "))
	if s, ok = bytes.CutPrefix(s, []byte("@")); !ok {
		return nil, malformed(r.line, text)
	}
	if function, ok := bytes.CutPrefix(s, []byte("@")); ok && len(function) > 0 && function[0] == ' ' {
		h.Function = string(bytes.TrimRight(function, "\n"))
	}
	if oldLines == 0 {
		h.First++
	}
	if newLines == 0 {
		h.NewFirst++
	}
	prefix, context := -1, 0
	last := text
	for len(h.Old) < oldLines || len(h.New) < newLines {
		text := r.hunkLine()
		if text == nil {
			if newLines-1-len(h.New) >= 3 {
				return nil, &Malformed{"unexpected end of file in patch"}
			}
			text = []byte(" \n")
		}
		last = text
		mark, content := text[0], text[1:]
		if mark == '\t' || mark == '\n' {
			mark, content = ' ', text
		}
		content = r.incomplete(content)
		fullOld, fullNew := len(h.Old) >= oldLines, len(h.New) >= newLines
		switch mark {
		case '-', '<':
			if fullOld {
				return nil, malformed(r.line, text)
			}
			h.Old = append(h.Old, Line{'-', content})
		case ' ', '=':
			if fullOld || fullNew {
				return nil, malformed(r.line, text)
			}
			h.Old, h.New = append(h.Old, Line{' ', content}), append(h.New, Line{' ', content})
			context++
			continue
		case '+', '>':
			if fullNew {
				return nil, malformed(r.line, text)
			}
			h.New = append(h.New, Line{'+', content})
		default:
			return nil, malformed(r.line, text)
		}
		if prefix < 0 {
			prefix = context
		}
		context = 0
	}
	if prefix < 0 {
		return nil, malformed(r.line, last)
	}
	h.Prefix, h.Suffix = prefix, context
	return h, nil
}

// contextRange reads "FIRST[,LAST]" of a context diff: LAST below FIRST is none.
func contextRange(s []byte) (first, count int, rest []byte, ok bool) {
	first, last, rest, ok := span(s, -1)
	if !ok {
		return
	}
	switch {
	case last < 0 && first == 0:
		return 1, 0, rest, true
	case last < 0:
		return first, 1, rest, true
	case last < first:
		return first + 1, 0, rest, true
	}
	return first, last - first + 1, rest, true
}

func (r *reader) contextHunk(back func()) (*Hunk, error) {
	text := r.hunkLine()
	if !bytes.HasPrefix(text, []byte("********")) {
		back()
		return nil, nil
	}
	h := &Hunk{}
	if stars := bytes.TrimLeft(bytes.TrimRight(text, "\n"), "*"); len(stars) > 0 {
		h.Function = string(stars)
	}
	text = r.hunkLine()
	s, ok := bytes.CutPrefix(text, []byte("*** "))
	if !ok {
		back()
		return nil, nil
	}
	var oldLines, newLines int
	if h.First, oldLines, _, ok = contextRange(s); !ok {
		return nil, noNumber(r.line, text)
	}
	isNew := func(text []byte) bool { return bytes.HasPrefix(text, []byte("--- ")) }
	var err error
	if h.Old, text, err = r.contextSide(oldLines, "- !", isNew); err != nil {
		return nil, err
	}
	if text == nil {
		if text = r.hunkLine(); text == nil {
			return nil, &Malformed{"unexpected end of file in patch"}
		}
	}
	if !isNew(text) {
		return nil, malformed(r.line, text)
	}
	if h.NewFirst, newLines, _, ok = contextRange(text[4:]); !ok {
		return nil, noNumber(r.line, text)
	}
	isNext := func(text []byte) bool {
		return text == nil || bytes.HasPrefix(text, []byte("***")) || bytes.HasPrefix(text, []byte("Index:")) || bytes.HasPrefix(text, []byte("diff "))
	}
	at, line := r.at, r.line
	first := r.hunkLine()
	r.at, r.line = at, line
	if isNext(first) || (len(first) > 1 && (first[1] != ' ' || !bytes.ContainsRune([]byte(" +!"), rune(first[0])))) && len(h.Old) == oldLines && len(h.Old) > 0 {
		// The new side is left out where it adds nothing.
		if h.New, ok = contextOf(h.Old, newLines); !ok {
			return nil, malformed(r.line, text)
		}
		h.countContext()
		return h, nil
	}
	if h.New, _, err = r.contextSide(newLines, "+ !", func([]byte) bool { return false }); err != nil {
		return nil, err
	}
	if len(h.Old) == 0 && oldLines > 0 {
		if h.Old, ok = contextOf(h.New, oldLines); !ok {
			return nil, malformed(r.line, text)
		}
	}
	h.countContext()
	return h, nil
}

// contextSide reads count lines of one side. It stops before them at a line
// that ends the side, which it returns.
func (r *reader) contextSide(count int, marks string, ends func([]byte) bool) (lines []Line, ended []byte, err error) {
	for len(lines) < count {
		text := r.hunkLine()
		switch {
		case text == nil:
			return nil, nil, &Malformed{"unexpected end of file in patch"}
		case len(lines) == 0 && ends(text):
			return nil, text, nil
		}
		mark, content := text[0], text[1:]
		switch {
		case mark == '\n' || mark == '\t':
			mark, content = ' ', text
		case len(content) > 0 && (content[0] == ' ' || content[0] == '\t') && bytes.IndexByte([]byte(marks), mark) >= 0:
			if content[0] == ' ' {
				content = content[1:]
			}
		case mark == ' ' && len(content) > 0:
		default:
			return nil, nil, malformed(r.line, text)
		}
		lines = append(lines, Line{mark, r.incomplete(content)})
	}
	return lines, nil, nil
}

// contextOf is what a side that is left out consists of: the other's context,
// which must be count lines.
func contextOf(lines []Line, count int) ([]Line, bool) {
	var side []Line
	for _, l := range lines {
		if l.Mark == ' ' {
			side = append(side, l)
		}
	}
	return side, len(side) == count
}

func (r *reader) normalHunk(back func()) (*Hunk, error) {
	text := r.hunkLine()
	if len(text) == 0 || text[0] < '0' || text[0] > '9' {
		back()
		return nil, nil
	}
	h := &Hunk{}
	first, last, s, ok := span(text, -1)
	if !ok || len(s) == 0 {
		return nil, malformed(r.line, text)
	}
	letter := s[0]
	oldLines := 1
	if last >= 0 {
		oldLines = last - first + 1
	}
	if h.First = first; letter == 'a' {
		h.First, oldLines = first+1, 0
	}
	from, to, _, ok := span(s[1:], -1)
	if !ok {
		return nil, noNumber(r.line, text)
	}
	newLines := 1
	if to >= 0 {
		newLines = to - from + 1
	}
	if h.NewFirst = from; letter == 'd' {
		h.NewFirst, newLines = from+1, 0
	}
	if letter != 'a' && letter != 'c' && letter != 'd' || oldLines < 0 || newLines < 0 {
		return nil, malformed(r.line, text)
	}
	side := func(n int, mark, sign byte) (lines []Line, err error) {
		for len(lines) < n {
			text := r.hunkLine()
			if text == nil {
				return nil, &Malformed{"unexpected end of file in patch at line " + strconv.Itoa(r.line)}
			}
			if text[0] != sign || len(text) < 2 || text[1] != ' ' && text[1] != '\t' {
				return nil, &Malformed{fmt.Sprintf("'%c' followed by space or tab expected at line %d of patch", sign, r.line)}
			}
			lines = append(lines, Line{mark, r.incomplete(text[2:])})
		}
		return lines, nil
	}
	var err error
	if h.Old, err = side(oldLines, '-', '<'); err != nil {
		return nil, err
	}
	if letter == 'c' {
		if text := r.hunkLine(); text == nil || text[0] != '-' {
			if text == nil {
				return nil, &Malformed{"unexpected end of file in patch at line " + strconv.Itoa(r.line)}
			}
			return nil, &Malformed{"'---' expected at line " + strconv.Itoa(r.line) + " of patch"}
		}
	}
	h.New, err = side(newLines, '+', '>')
	return h, err
}
