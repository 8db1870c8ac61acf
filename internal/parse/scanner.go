package parse

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// scanner reads one complete line of commands in bash's grammar and writes it
// anew for mvdan's parser. After the first failure every read says "end", so
// that its loops unwind by themselves.
type scanner struct {
	p *Parser
	// buf is the text read so far with aliases expanded; more is asked of the
	// parser when pos reaches its end, unless closed.
	buf    []byte
	pos    int
	closed bool
	// firstLine is the number of buf's first line.
	firstLine int

	out   []byte
	marks []mark

	depth int
	err   *Error

	token    token
	hasToken bool
	// lastEnd is where out stood after the token consumed last.
	lastEnd int

	heredocs []heredoc
	warnings []Message
	aliases  []aliasRegion
	// aliasWork is how much text aliases have moved.
	aliasWork int
	// notArithmetic holds the offsets of "((" that turned out to be subshells.
	notArithmetic map[int]bool
	// twice counts nested subscripts that are scanned twice.
	twice int
	// inDocument is set in the body of a here-document, outside substitutions.
	inDocument bool
	// inSubstitution counts the $( ) and <( ) around pos.
	inSubstitution int
	// kind is how the next word is to be read.
	kind wordKind
}

// mark says that out at offset out stems from buf at offset in; copied tells
// text that was taken over from text that was put in.
type mark struct {
	out, in int
	copied  bool
}

// aliasRegion is the text an alias was replaced by: inside it the alias does
// not expand again; the word that follows is looked up if the value ends in a
// blank.
type aliasRegion struct {
	start, end int
	name       string
	trailing   bool
}

const eof = -1

// char is the byte at pos, or eof.
func (s *scanner) char() int {
	if s.pos < len(s.buf) {
		return int(s.buf[s.pos])
	}
	return s.charSlow()
}

func (s *scanner) charSlow() int {
	if s.err != nil || s.closed || !s.fill() {
		return eof
	}
	return int(s.buf[s.pos])
}

// at is the byte n after pos on the same line, or eof.
func (s *scanner) at(n int) int {
	if s.char() == eof || s.pos+n >= len(s.buf) {
		return eof
	}
	return int(s.buf[s.pos+n])
}

// fill adds the next line of the source to buf.
func (s *scanner) fill() bool {
	line := s.p.nextLine()
	if line == nil {
		return false
	}
	s.buf = appendMapped(s.buf, line)
	return true
}

// appendMapped appends text, with the bytes that mvdan's parser would drop or
// refuse as reserved runes. NUL is dropped, as bash does.
func appendMapped(b, text []byte) []byte {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			switch c {
			case 0:
			case '\r':
				b = utf8.AppendRune(b, byteBase+'\r')
			default:
				b = append(b, c)
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n <= 1 || r >= byteBase && r <= lastReserved {
			for _, c := range text[i : i+n] {
				b = utf8.AppendRune(b, byteBase+rune(c))
			}
		} else {
			b = append(b, text[i:i+n]...)
		}
		i += n
	}
	return b
}

// copyTo takes buf over as it stands from pos to end.
func (s *scanner) copyTo(end int) {
	if end > len(s.buf) {
		end = len(s.buf)
	}
	if n := len(s.marks); n == 0 || !s.marks[n-1].copied || s.marks[n-1].in-s.marks[n-1].out != s.pos-len(s.out) {
		s.marks = append(s.marks, mark{len(s.out), s.pos, true})
	}
	s.out = append(s.out, s.buf[s.pos:end]...)
	s.pos = end
}

// copy takes n bytes over.
func (s *scanner) copy(n int) { s.copyTo(s.pos + n) }

// put writes text that stands for what is at pos.
func (s *scanner) put(text string) {
	s.marks = append(s.marks, mark{len(s.out), s.pos, false})
	s.out = append(s.out, text...)
}

// encode writes the character at pos as reserved runes, so that it has no
// meaning for mvdan's parser.
func (s *scanner) encode(n int) {
	for range n {
		if s.char() == eof {
			return
		}
		if c := s.buf[s.pos]; c < utf8.RuneSelf {
			s.put(string(rune(byteBase + int(c))))
			s.pos++
		} else {
			s.copy(s.runeLength())
		}
	}
}

// encoded is text in reserved runes; letters and digits stay.
func encoded(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			_, n := utf8.DecodeRuneInString(text[i:])
			b.WriteString(text[i : i+n])
			i += n
			continue
		}
		if isNameByte(int(c)) {
			b.WriteByte(c)
		} else {
			b.WriteRune(byteBase + rune(c))
		}
		i++
	}
	return b.String()
}

// runeLength is the length of the character at pos.
func (s *scanner) runeLength() int {
	_, n := utf8.DecodeRune(s.buf[s.pos:])
	return n
}

// insert puts text into out at an earlier offset.
func (s *scanner) insert(at int, text string) {
	s.replace(at, at, text)
}

// replace puts text in place of out[from:to].
func (s *scanner) replace(from, to int, text string) {
	tail := append([]byte(nil), s.out[to:]...)
	s.out = append(append(s.out[:from], text...), tail...)
	shift := len(text) - (to - from)
	origin := s.origin(from)
	kept := len(s.marks)
	for kept > 0 && s.marks[kept-1].out >= from {
		kept--
	}
	resume := s.origin(to)
	copied := s.copiedAt(to)
	later := append([]mark(nil), s.marks[kept:]...)
	s.marks = append(s.marks[:kept], mark{from, origin, false}, mark{from + len(text), resume, copied})
	for _, m := range later {
		if m.out > to {
			m.out += shift
			s.marks = append(s.marks, m)
		}
	}
	if s.lastEnd >= to {
		s.lastEnd += shift
	}
	if s.hasToken && s.token.out >= to {
		s.token.out += shift
	}
}

// edit replaces out[from:to] by text.
type edit struct {
	from, to int
	text     string
}

// apply carries out edits that stand in order and lie before lastEnd, in one
// pass: there may be many.
func (s *scanner) apply(edits []edit) {
	if len(edits) == 0 {
		return
	}
	at := edits[0].from
	out := append([]byte(nil), s.out[at:]...)
	first := markIndex(s.marks, at) + 1
	old := append([]mark(nil), s.marks[first:]...)
	before := markAt(s.marks, at)
	s.out, s.marks = s.out[:at], s.marks[:first]
	base, shift, next := at, 0, 0
	// take moves the text up to an old offset over, with its marks.
	take := func(to int) {
		s.out = append(s.out, out[at-base:to-base]...)
		for ; next < len(old) && old[next].out < to; next++ {
			before = old[next]
			s.marks = append(s.marks, mark{old[next].out + shift, old[next].in, old[next].copied})
		}
		at = to
	}
	for _, e := range edits {
		take(e.from)
		s.marks = append(s.marks, mark{len(s.out), originOf([]mark{before}, e.from), false})
		s.out = append(s.out, e.text...)
		for ; next < len(old) && old[next].out <= e.to; next++ {
			before = old[next]
		}
		shift += len(e.text) - (e.to - e.from)
		at = e.to
		s.marks = append(s.marks, mark{len(s.out), originOf([]mark{before}, e.to), before.copied})
	}
	take(base + len(out))
	s.lastEnd += shift
	if s.hasToken {
		s.token.out += shift
	}
}

// markAt is the mark that governs an offset of out.
func markAt(marks []mark, out int) mark {
	if i := markIndex(marks, out); i >= 0 {
		return marks[i]
	}
	return mark{}
}

// markIndex is the mark that governs an offset of out.
func markIndex(marks []mark, out int) int {
	low, high := 0, len(marks)
	for low < high {
		if m := (low + high) / 2; marks[m].out <= out {
			low = m + 1
		} else {
			high = m
		}
	}
	return low - 1
}

func originOf(marks []mark, out int) int {
	i := markIndex(marks, out)
	if i < 0 {
		return 0
	}
	if m := marks[i]; m.copied {
		return m.in + out - m.out
	}
	return marks[i].in
}

func (s *scanner) origin(out int) int { return originOf(s.marks, out) }

func (s *scanner) copiedAt(out int) bool {
	i := markIndex(s.marks, out)
	return i >= 0 && s.marks[i].copied
}

// state is what a scan that may have to be undone must restore.
type state struct{ pos, out, marks, heredocs, warnings int }

func (s *scanner) save() state {
	return state{s.pos, len(s.out), len(s.marks), len(s.heredocs), len(s.warnings)}
}

func (s *scanner) restore(t state) {
	s.pos = t.pos
	s.out, s.marks = s.out[:t.out], s.marks[:t.marks]
	s.heredocs, s.warnings = s.heredocs[:t.heredocs], s.warnings[:t.warnings]
}

// enter counts one level of nesting.
func (s *scanner) enter() bool {
	if s.depth >= s.p.options.MaxDepth {
		s.limit("the source is nested too deeply (more than %d levels)", s.p.options.MaxDepth)
		return false
	}
	s.depth++
	return true
}

func (s *scanner) leave() { s.depth-- }

// child scans a text apart: the inside of backquotes, a here-document's body.
func (s *scanner) child(text []byte, line int) *scanner {
	return &scanner{p: s.p, buf: text, closed: true, firstLine: line, depth: s.depth, twice: s.twice, inSubstitution: s.inSubstitution}
}

// lineOf is the number of the line that offset at of buf is on.
func (s *scanner) lineOf(at int) int {
	return s.firstLine + bytes.Count(s.buf[:min(at, len(s.buf))], []byte("\n"))
}

// lineText is the text of the line that offset at of buf is on.
func (s *scanner) lineText(at int) string {
	at = min(at, len(s.buf))
	start := bytes.LastIndexByte(s.buf[:at], '\n') + 1
	end := bytes.IndexByte(s.buf[at:], '\n')
	if end < 0 {
		end = len(s.buf)
	} else {
		end += at
	}
	return Unmap(string(s.buf[start:end]))
}

func isBlank(c int) bool { return c == ' ' || c == '\t' }

func isDigit(c int) bool { return c >= '0' && c <= '9' }

func isNameStart(c int) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' && c < 0x80 && c > 0 }

func isNameByte(c int) bool { return isNameStart(c) || isDigit(c) }

// isMeta reports whether an unquoted c ends a word.
func isMeta(c int) bool {
	switch c {
	case eof, ' ', '\t', '\n', ';', '&', '|', '(', ')', '<', '>':
		return true
	}
	return false
}
