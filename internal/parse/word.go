package parse

import (
	"fmt"
	"strings"
)

// wordKind says where a word stands, which decides what ends it.
type wordKind byte

const (
	wordPlain wordKind = iota
	// wordPattern: an operand of == or != in [[ ]], where extglob is on.
	wordPattern
	// wordElement: an element of an array, where mvdan's parser refuses "=".
	wordElement
	// wordRegex: the operand of =~, where parentheses belong to the word.
	wordRegex
)

// word scans one word. What would mean something else to mvdan's parser is
// encoded.
func (s *scanner) word(kind wordKind) {
	extglob := kind == wordPattern || s.p.extGlob()
	parens, opened := 0, 0
	for s.err == nil {
		c := s.char()
		switch {
		case c == '\\':
			s.backslash()
		case c == '\'':
			s.singleQuotes()
		case c == '"':
			s.doubleQuotes()
		case c == '$':
			s.dollar(false)
		case c == '`':
			s.backquotes(false)
		case (c == '<' || c == '>') && s.at(1) == '(' && parens == 0:
			s.processSubstitution()
		case kind == wordRegex && (c == '(' || c == '|' || parens > 0 && c != eof):
			switch c {
			case '(':
				if parens == 0 {
					opened = s.pos
				}
				parens++
			case ')':
				parens--
			}
			s.encode(1)
		case isMeta(c):
			if parens > 0 {
				s.unmatched(')', s.lineOf(opened))
			}
			return
		case extglob && s.at(1) == '(' && strings.IndexByte("?*+@!", byte(c)) >= 0:
			s.extendedPattern()
		case c == '=' && kind == wordElement:
			s.encode(1)
		case c == '#': // behind a quote mvdan's parser takes it for a comment
			s.encode(1)
		case kind == wordRegex && (c == '{' || c == '}' || c == '!' || c == '[' || c == ']'):
			s.encode(1)
		default:
			s.copy(1)
		}
	}
}

// backslash takes over a backslash and what it quotes.
func (s *scanner) backslash() {
	switch s.at(1) {
	case eof:
		s.put(`\\`) // at the end of the source it stands for itself
		s.pos++
	case '\n':
		s.copy(2)
		s.char()
	default:
		s.copy(1)
		s.copy(s.runeLength())
	}
}

func (s *scanner) singleQuotes() {
	start := s.pos
	for i := s.pos + 1; ; i++ {
		if i >= len(s.buf) && (s.closed || !s.fill()) {
			s.unmatched('\'', s.lineOf(start))
			return
		}
		if s.buf[i] == '\'' {
			s.copyTo(i + 1)
			return
		}
	}
}

func (s *scanner) doubleQuotes() {
	if !s.enter() {
		return
	}
	defer s.leave()
	start := s.pos
	s.copy(1)
	for s.err == nil {
		switch s.char() {
		case eof:
			s.unmatched('"', s.lineOf(start))
		case '"':
			s.copy(1)
			return
		case '\\':
			s.quotedBackslash()
		case '$':
			s.dollar(true)
		case '`':
			s.backquotes(true)
		default:
			s.copy(1)
		}
	}
}

// quotedBackslash takes over a backslash inside double quotes or a
// here-document.
func (s *scanner) quotedBackslash() {
	if s.at(1) == eof {
		s.put(`\\`)
		s.pos++
		return
	}
	s.copy(1)
	if s.buf[s.pos] < 0x80 {
		s.copy(1)
		s.char()
	}
}

// ansiQuotes scans $'…'.
func (s *scanner) ansiQuotes() {
	start := s.pos
	s.copy(2)
	for s.err == nil {
		switch s.char() {
		case eof:
			s.unmatched('\'', s.lineOf(start))
		case '\'':
			s.copy(1)
			return
		case '\\':
			s.copy(1)
			if s.char() != eof {
				s.copy(1)
			}
		default:
			s.copy(1)
		}
	}
}

// extendedPattern scans ?( … ) and its like as literal text whose brackets and
// bars are encoded; the parts inside stay what they are.
func (s *scanner) extendedPattern() {
	if !s.enter() {
		return
	}
	defer s.leave()
	start := s.pos
	s.copy(1)
	s.encode(1)
	for s.err == nil {
		c := s.char()
		switch {
		case c == eof:
			s.unmatched(')', s.lineOf(start))
		case c == ')':
			s.encode(1)
			return
		case c == '\\':
			s.backslash()
		case c == '\'':
			s.singleQuotes()
		case c == '"':
			s.doubleQuotes()
		case c == '$':
			s.dollar(false)
		case c == '`':
			s.backquotes(false)
		case s.at(1) == '(' && strings.IndexByte("?*+@!", byte(c)) >= 0:
			s.extendedPattern()
		case c == '(':
			s.plainParens()
		case isMeta(c) || c == '#' || c == '{' || c == '}':
			s.encode(1)
		default:
			s.copy(1)
		}
	}
}

// plainParens scans ( … ) inside an extended pattern, where it means nothing.
func (s *scanner) plainParens() {
	start := s.pos
	depth := 0
	for s.err == nil {
		switch c := s.char(); {
		case c == eof:
			s.unmatched(')', s.lineOf(start))
		case c == '\\':
			s.backslash()
		case c == '\'':
			s.singleQuotes()
		case c == '"':
			s.doubleQuotes()
		case c == '$':
			s.dollar(false)
		case c == '`':
			s.backquotes(false)
		case isMeta(c):
			s.encode(1)
			if c == '(' {
				depth++
			} else if c == ')' {
				if depth--; depth == 0 {
					return
				}
			}
		default:
			s.copy(1)
		}
	}
}

// dollar scans what starts with "$"; quoted inside double quotes and
// here-documents.
func (s *scanner) dollar(quoted bool) {
	switch c := s.at(1); {
	case c == '(' && s.at(2) == '(':
		s.arithmeticExpansion(quoted)
	case c == '(':
		s.commandSubstitution()
	case c == '{':
		s.parameter(quoted)
	case c == '[':
		s.oldArithmetic()
	case c == '\'' && !quoted:
		s.ansiQuotes()
	case c == '"' && !quoted:
		s.copy(1)
		s.doubleQuotes()
	case isNameStart(c):
		n := 2
		for isNameByte(s.at(n)) {
			n++
		}
		s.copy(n)
		if s.char() == '[' { // $x[ is no subscript
			s.encode(1)
		}
	case isDigit(c) || c > 0 && strings.IndexByte("@*#?-$!", byte(c)) >= 0:
		s.copy(2)
	default:
		s.encode(1)
	}
}

// commandSubstitution scans $( … ).
func (s *scanner) commandSubstitution() {
	s.copy(2)
	s.substitution()
}

// processSubstitution scans <( … ) and >( … ).
func (s *scanner) processSubstitution() {
	s.copy(2)
	s.substitution()
}

// substitution scans commands up to ")". It runs inside the scan of a word, so
// the parser's token is put aside.
func (s *scanner) substitution() {
	if !s.enter() {
		return
	}
	defer s.leave()
	saved, had, docs, last, document := s.token, s.hasToken, s.heredocs, s.lastEnd, s.inDocument
	s.hasToken, s.heredocs, s.inDocument = false, nil, false
	s.inSubstitution++
	if s.char() == '(' {
		s.put(" ")
	}
	t := s.commands(func(t token) bool { return t.kind == tokenOperator && t.is(")") })
	if s.err == nil && !(t.kind == tokenOperator && t.is(")")) {
		s.unexpected(t)
	}
	s.hasToken = false
	if len(s.heredocs) > 0 && s.err == nil {
		s.unterminatedHeredocs()
	}
	s.inSubstitution--
	s.token, s.hasToken, s.heredocs, s.lastEnd, s.inDocument = saved, had, docs, last, document
}

// backquotes scans `…` and writes it as $(…). Its syntax errors are reported
// when it runs.
func (s *scanner) backquotes(quoted bool) {
	if !s.enter() {
		return
	}
	defer s.leave()
	start := s.pos
	end := start + 1
	var text []byte
	for {
		if end >= len(s.buf) && (s.closed || !s.fill()) {
			s.unmatched('`', s.lineOf(start))
			return
		}
		c := s.buf[end]
		if c == '`' {
			break
		}
		if c == '\\' && end+1 < len(s.buf) {
			end++
			if n := s.buf[end]; n != '`' && n != '\\' && n != '$' && (n != '"' || !quoted || s.inDocument) {
				text = append(text, c)
			}
			c = s.buf[end]
		}
		text = append(text, c)
		end++
	}
	if n := len(text); n > 0 && text[n-1] != '\n' {
		text = append(text, '\n')
	}
	c := s.child(text, s.lineOf(start))
	t := c.commands(func(t token) bool { return t.kind == tokenEOF })
	if c.err == nil && t.kind != tokenEOF {
		c.unexpected(t)
	}
	if c.err != nil && c.err.Limit {
		s.fail(c.err)
		return
	}
	s.warnings = append(s.warnings, c.warnings...)
	s.put("$(")
	if c.err != nil {
		s.put(substitutionFailure(c.err))
	} else {
		if len(c.out) > 0 && c.out[0] == '(' {
			s.put(" ")
		}
		s.put(string(c.out))
	}
	s.put(")")
	s.pos = end + 1
}

// substitutionFailure is the marker command for a substitution that could not
// be parsed.
func substitutionFailure(e *Error) string {
	var b strings.Builder
	b.WriteRune(markSyntax)
	for i, m := range e.Lines {
		if i > 0 {
			b.WriteRune(byteBase + '\n')
		}
		b.WriteString(encoded(fmt.Sprintf("line %d: %s", m.Line, m.Text)))
	}
	return b.String()
}

// arithmeticExpansion scans $(( … )), or $( (…) ) where the closing
// parentheses are apart.
func (s *scanner) arithmeticExpansion(quoted bool) {
	start := s.save()
	if !s.notArithmetic[s.pos] {
		s.copy(3)
		if s.arithmetic(")", "") && s.at(1) == ')' {
			s.copy(2)
			return
		}
		if s.err != nil {
			return
		}
		s.restore(start)
		if s.notArithmetic == nil {
			s.notArithmetic = map[int]bool{}
		}
		s.notArithmetic[s.pos] = true
	}
	// bash has looked for the end of the arithmetic: its errors come first, those
	// of the commands when they run.
	s.copy(2)
	if !s.arithmetic(")", "") {
		return
	}
	end := s.pos + 1
	text := s.buf[start.pos+2 : s.pos]
	line := s.lineOf(start.pos)
	s.restore(start)
	s.commandSubstitution()
	if s.err == nil || s.err.Limit {
		return
	}
	s.err = nil
	s.restore(start)
	c := s.child(append(append([]byte(nil), text...), '\n'), line)
	if t := c.commands(func(t token) bool { return t.kind == tokenEOF }); c.err == nil && t.kind != tokenEOF {
		c.unexpected(t)
	}
	if c.err != nil {
		s.put("$(" + substitutionFailure(c.err) + ")")
	} else {
		s.put("$( " + string(c.out) + ")")
	}
	s.pos = end
}

// oldArithmetic scans $[ … ] and writes it as $(( … )).
func (s *scanner) oldArithmetic() {
	start := s.pos
	s.put("$((")
	s.pos += 2
	if !s.arithmetic("]", "") {
		s.unmatched(']', s.lineOf(start))
		return
	}
	s.put("))")
	s.pos++
}

// arithmetic scans the text of an expression up to one of the unnested closers
// and writes it as one double-quoted word. It leaves pos on the closer; false
// at the end of the source. A stop is a byte that also ends it, at no depth.
func (s *scanner) arithmetic(closer, stops string) bool {
	if !s.enter() {
		return false
	}
	defer s.leave()
	start := s.pos
	s.put(`"`)
	depth := 0
	questions := 0
	for s.err == nil {
		c := s.char()
		if c == eof {
			s.unmatched(closer[0], s.lineOf(start))
			return false
		}
		if depth == 0 {
			if byte(c) == closer[0] {
				s.put(`"`)
				return true
			}
			if c == '?' {
				questions++
			} else if c == ':' && questions > 0 {
				questions--
				s.copy(1)
				continue
			}
			if c < 0x80 && strings.IndexByte(stops, byte(c)) >= 0 {
				s.put(`"`)
				return true
			}
		}
		switch c {
		case '(', '[':
			if c == '(' || closer == "]" {
				depth++
			}
			s.copy(1)
		case ')', ']':
			if depth > 0 && (c == ')' || closer == "]") {
				depth--
			}
			s.copy(1)
		case '"':
			s.pos++
		case '\\':
			s.quotedBackslash()
		case '$':
			s.dollar(true)
		case '`':
			s.backquotes(true)
		default:
			s.copy(1)
		}
	}
	return false
}
