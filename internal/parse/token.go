package parse

import (
	"bytes"
	"encoding/hex"
)

type tokenKind byte

const (
	tokenEOF tokenKind = iota
	tokenNewline
	tokenOperator
	tokenWord
	// tokenNumber is the descriptor before a redirection: 2 or {name}.
	tokenNumber
	// tokenAssignment is a word of the form name=… in a place where it assigns.
	tokenAssignment
)

// token is one token; its text is buf[start:end], and what was written for it
// starts at out.
type token struct {
	kind       tokenKind
	start, end int
	out        int
	text       string
	// length is how much of out was written for it.
	length int
	// array is set for an assignment of the form name=(…), element for
	// name[…]=….
	array, element bool
}

func (t token) is(text string) bool { return t.text == text }

// reserved reports whether t is this reserved word.
func (t token) reserved(word string) bool { return t.kind == tokenWord && t.text == word }

// context says what a token may be where it stands.
type context byte

const (
	// argument: nothing special.
	argument context = 0
	// assigns: name=value and name=(…) are assignments.
	assigns context = 1
	// command: aliases expand, too.
	command context = 3
)

// peek is the next token, read in context c.
func (s *scanner) peek(c context) token {
	if !s.hasToken {
		s.token = s.read(c)
		s.token.length = len(s.out) - s.token.out
		s.hasToken = true
	}
	if s.err != nil {
		s.token = token{kind: tokenEOF, start: len(s.buf), end: len(s.buf), out: len(s.out)}
	}
	return s.token
}

// take consumes the token that peek gave.
func (s *scanner) take() {
	s.hasToken = false
	s.lastEnd = len(s.out)
}

// operators, the longest first.
var operators = [...]string{
	"&>>", ";;&", "<<<", "<<-",
	"&&", "||", ";;", ";&", "&>", "|&", "<<", ">>", "<&", ">&", "<>", ">|",
	"&", "|", ";", "(", ")", "<", ">",
}

// skipBlanks skips blanks, line continuations and a comment.
func (s *scanner) skipBlanks() {
	for {
		switch c := s.char(); {
		case isBlank(c):
			n := 1
			for isBlank(s.at(n)) {
				n++
			}
			s.copy(n)
		case c == '\\' && s.at(1) == '\n':
			s.copy(2)
		case c == '#':
			end := bytes.IndexByte(s.buf[s.pos:], '\n')
			if end < 0 {
				s.pos = len(s.buf)
			} else {
				s.pos += end
			}
			return
		default:
			return
		}
	}
}

func (s *scanner) read(c context) token { return s.readAfter(c, s.pos) }

// readAfter reads a token that follows the one that ended at previous.
func (s *scanner) readAfter(c context, previous int) token {
	if s.err != nil {
		return token{}
	}
	s.skipBlanks()
	t := token{start: s.pos, out: len(s.out)}
	switch b := s.char(); {
	case b == eof:
		t.kind = tokenEOF
	case b == '\n':
		t.kind = tokenNewline
		s.copy(1)
		t.end = s.pos
		s.readHeredocs()
		return t
	case isMeta(b) && !((b == '<' || b == '>') && s.at(1) == '(') && !(b == '(' && s.kind == wordRegex):
		t.kind = tokenOperator
		for _, o := range operators {
			if bytes.HasPrefix(s.buf[s.pos:], []byte(o)) {
				t.text = o
				break
			}
		}
		s.copy(len(t.text))
	default:
		if s.expandAlias(c, previous) {
			return s.readAfter(c, previous)
		}
		s.readWord(&t, c)
	}
	t.end = s.pos
	return t
}

// readWord reads a word, the number of a redirection, or an assignment.
func (s *scanner) readWord(t *token, c context) {
	t.kind = tokenWord
	n := 0
	if b := s.char(); isDigit(b) {
		for isDigit(s.at(n)) {
			n++
		}
		if b := s.at(n); (b == '<' || b == '>') && n < 10 {
			t.kind = tokenNumber
			s.copy(n)
			return
		}
	} else if b == '{' && isNameStart(s.at(1)) {
		for n = 2; isNameByte(s.at(n)); n++ {
		}
		if s.at(n) == '[' && s.elementDescriptor(n) {
			t.kind = tokenNumber
			return
		}
		if b := s.at(n + 1); s.at(n) == '}' && (b == '<' || b == '>') {
			t.kind = tokenNumber
			s.copy(n + 1)
			return
		}
	} else if isNameStart(b) {
		for n = 1; isNameByte(s.at(n)); n++ {
		}
		if c&assigns != 0 {
			if s.assignment(t, n) {
				return
			}
		} else if s.at(n) == '[' {
			s.copy(n)
			s.encode(1)
		}
	}
	s.word(s.kind)
	t.text = string(s.buf[t.start:s.pos])
	if s.pos == t.start && s.err == nil {
		s.copy(1)
	}
}

// elementDescriptor reads {name[subscript]} before a redirection; the bracket is
// n bytes on. mvdan's parser takes names only: see DescriptorVariable.
func (s *scanner) elementDescriptor(n int) bool {
	end := bytes.IndexAny(s.buf[s.pos:], "]\n")
	if end < n || s.at(end+1) != '}' || s.at(end+2) != '<' && s.at(end+2) != '>' {
		return false
	}
	s.put("{" + elementName + hex.EncodeToString(s.buf[s.pos+1:s.pos+end+1]) + "}")
	s.pos += end + 2
	return true
}

// assignment reads name=…, name+=…, name[…]=… with a name of n bytes; false
// for an ordinary word.
func (s *scanner) assignment(t *token, n int) bool {
	start := s.save()
	s.copy(n)
	if s.char() == '[' {
		at := s.pos
		s.copy(1)
		if !s.subscript(false) {
			s.unmatched(']', s.lineOf(at))
			return true
		}
		s.copy(1)
		if b := s.char(); b != '=' && !(b == '+' && s.at(1) == '=') {
			// Not an assignment after all, but bash has read the brackets as
			// part of the word.
			end := s.pos
			s.restore(start)
			s.copy(n)
			s.bracketed(end)
			s.word(wordPlain)
			t.text = string(s.buf[t.start:s.pos])
			return true
		}
	}
	if s.char() == '+' && s.at(1) == '=' {
		s.copy(2)
	} else if s.char() == '=' {
		s.copy(1)
	} else {
		s.restore(start)
		return false
	}
	t.kind = tokenAssignment
	t.element = s.buf[t.start+n] == '['
	if s.char() == '(' {
		if t.element {
			name := Unmap(string(bytes.TrimRight(s.buf[t.start:s.pos], "+=")))
			s.array()
			s.replace(start.out, len(s.out), string(rune(markError))+encoded(name+": cannot assign list to array member"))
			t.kind, t.text = tokenWord, string(s.buf[t.start:s.pos])
			return true
		}
		t.array = true
		s.array()
	} else {
		s.word(wordPlain)
	}
	t.text = string(s.buf[t.start:s.pos])
	return true
}

// bracketed takes over the text up to end as part of a word, blanks and all.
func (s *scanner) bracketed(end int) {
	for s.pos < end && s.err == nil {
		switch c := s.char(); {
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
		case c == '[' || isMeta(c):
			s.encode(1)
		default:
			s.copy(1)
		}
	}
}

// array scans ( … ) of a compound assignment.
func (s *scanner) array() {
	if !s.enter() {
		return
	}
	defer s.leave()
	start := s.pos
	s.copy(1)
	defer func() {
		if s.err != nil && s.err.Incomplete && s.err.Status == StatusKept && len(s.err.Lines) == 1 {
			s.err.Status = StatusFailure
			s.err.Lines = append(s.err.Lines, Message{s.p.lastLine(), "syntax error: unexpected end of file"})
		}
	}()
	for s.err == nil {
		s.skipBlanks()
		c := s.char()
		switch {
		case c == eof:
			s.unmatched(')', s.lineOf(start))
			s.err.Status = StatusFailure
			return
		case c == '\n':
			s.copy(1)
		case c == ')':
			s.copy(1)
			return
		case isMeta(c) && !((c == '<' || c == '>') && s.at(1) == '('):
			t := s.read(argument)
			s.nearToken(t, StatusRecovered)
		case c == '[':
			s.element()
		default:
			if n := 0; isNameStart(c) {
				for n = 1; isNameByte(s.at(n)); n++ {
				}
				if s.at(n) == '[' || s.at(n) == '=' || s.at(n) == '+' {
					s.copy(n)
					s.encode(1)
				}
			}
			s.word(wordElement)
		}
	}
}

// element scans an element that starts with "[": [key]=value, or a word.
func (s *scanner) element() {
	start := s.save()
	s.copy(1)
	mark := len(s.out)
	if s.subscript(false) {
		s.copy(1)
		if s.char() == '=' {
			s.copy(1)
			s.word(wordPlain)
			return
		}
		if s.char() == '+' && s.at(1) == '=' {
			s.pos++
			s.copy(1)
			s.insert(mark, string(rune(markAppend)))
			s.word(wordPlain)
			return
		}
	}
	if s.err == nil && s.char() == eof {
		s.unmatched(']', s.lineOf(start.pos))
	}
	if s.err != nil {
		return
	}
	s.restore(start)
	s.encode(1)
	s.word(wordPlain)
}

// subscript scans the text of [ … ] and leaves pos on "]": the expression as a
// double-quoted word and, where that differs, the key as well. Inside ${ } a
// brace ends the search.
func (s *scanner) subscript(braces bool) bool {
	if c := s.char(); (c == '@' || c == '*') && s.at(1) == ']' {
		s.copy(1)
		return true
	}
	start := s.pos
	if !s.subscriptExpression(braces) {
		return false
	}
	end := s.pos
	if bytes.IndexByte(s.buf[start:end], '\'') < 0 && bytes.IndexByte(s.buf[start:end], '\\') < 0 {
		return true
	}
	if s.twice > 8 {
		s.limit("quoted subscripts are nested too deeply")
		return false
	}
	s.twice++
	s.pos = start
	for s.pos < end && s.err == nil {
		switch c := s.char(); {
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
		case c == '\n':
			s.encode(1)
		case isNameByte(c) || c >= 0x80:
			s.copy(1)
		default:
			s.encode(1)
		}
	}
	s.twice--
	return s.err == nil
}

// subscriptExpression is arithmetic up to "]", where single quotes hide a
// bracket.
func (s *scanner) subscriptExpression(braces bool) bool {
	if !s.enter() {
		return false
	}
	defer s.leave()
	s.put(`"`)
	depth := 0
	for s.err == nil {
		switch s.char() {
		case eof:
			return false
		case '}':
			if braces {
				return false
			}
			s.copy(1)
		case ']':
			if depth == 0 {
				s.put(`"`)
				return true
			}
			depth--
			s.copy(1)
		case '[':
			depth++
			s.copy(1)
		case '\'':
			end := bytes.IndexByte(s.buf[s.pos+1:], '\'')
			if end < 0 {
				s.copy(1)
				continue
			}
			s.quotedLiteral(s.pos + end + 2)
		case '"':
			// Its marks go, but a bracket inside belongs to the text.
			s.pos++
			for s.err == nil && s.char() != '"' && s.char() != eof {
				s.quotedCharacter()
			}
			if s.char() == '"' {
				s.pos++
			}
		default:
			s.quotedCharacter()
		}
	}
	return false
}

// quotedCharacter takes over one character or expansion as inside double
// quotes.
func (s *scanner) quotedCharacter() {
	switch s.char() {
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

// quotedLiteral takes over text up to end as literal inside double quotes.
func (s *scanner) quotedLiteral(end int) {
	for s.pos < end {
		switch s.char() {
		case '"', '$', '`', '\\':
			s.encode(1)
		default:
			s.copy(1)
		}
	}
}

// maximumAliasWork bounds the work of aliases within one line, about a byte copied.
const maximumAliasWork = 128 << 20

// expandAlias puts an alias's value in the place of the word at pos.
func (s *scanner) expandAlias(c context, previous int) bool {
	if s.p.options.Alias == nil || !s.p.expandAliases() {
		return false
	}
	if c != command {
		trailing := false
		for _, r := range s.aliases {
			trailing = trailing || r.trailing && r.end >= previous && r.end <= s.pos
		}
		if !trailing {
			return false
		}
	}
	n := 0
	for !isMeta(s.at(n)) {
		switch s.at(n) {
		case '\\', '\'', '"', '$', '`', '/', '=':
			return false
		}
		n++
	}
	name := Unmap(string(s.buf[s.pos : s.pos+n]))
	for _, r := range s.aliases {
		if r.name == name && s.pos >= r.start && s.pos < r.end {
			return false
		}
	}
	value, ok := s.p.options.Alias(name)
	if !ok {
		return false
	}
	// What stands behind is copied each time, and the regions are gone through.
	if s.aliasWork += len(s.buf) - s.pos + len(value) + 16*len(s.aliases); s.aliasWork > maximumAliasWork ||
		len(s.aliases) > 10000 || len(s.buf)+len(value) > 4*s.p.options.MaxSize {
		s.limit("aliases expand to too much")
		return true
	}
	text := append(appendMapped(nil, []byte(value)), ' ')
	tail := append([]byte(nil), s.buf[s.pos+n:]...)
	s.buf = append(append(s.buf[:s.pos], text...), tail...)
	shift := len(text) - n
	for i := range s.aliases {
		if r := &s.aliases[i]; r.end > s.pos {
			r.end += shift
		}
	}
	trailing := len(value) > 0 && isBlank(int(value[len(value)-1]))
	s.aliases = append(s.aliases, aliasRegion{s.pos, s.pos + len(text), name, trailing})
	return true
}
