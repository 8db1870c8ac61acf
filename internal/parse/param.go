package parse

import "strings"

// badParameter is an expansion that reports its text when it is expanded.
func badParameter(text string) string {
	return "${_:-" + string(rune(markBad)) + encoded(text) + "}"
}

// parameter scans ${ … }. What bash refuses only when it expands it becomes a
// marker; quoted inside double quotes and here-documents.
func (s *scanner) parameter(quoted bool) {
	if !s.enter() {
		return
	}
	defer s.leave()
	start := s.save()
	s.copy(2)
	if s.parameterBody(quoted, start.pos) || s.err != nil {
		return
	}
	s.restore(start)
	// Skip it as bash finds its end, with quotes and nested expansions.
	s.pos += 2
	s.wordUntil(func(c int) bool { return c == '}' }, quoted, false)
	if s.err == nil && s.char() == eof {
		s.unmatched('}', s.lineOf(start.pos))
	}
	if s.err != nil {
		return
	}
	end := s.pos + 1
	text := string(s.buf[start.pos:end])
	s.restore(start)
	s.put(badParameter(text))
	s.pos = end
}

// specialParameter reports whether c is the name of a special parameter.
func specialParameter(c int) bool {
	return c > 0 && c < 0x80 && strings.IndexByte("@*#?-$!", byte(c)) >= 0
}

// name takes a parameter's name over; false if there is none.
func (s *scanner) name() bool {
	n := 0
	switch c := s.char(); {
	case isNameStart(c):
		for isNameByte(s.at(n)) {
			n++
		}
	case isDigit(c):
		for isDigit(s.at(n)) {
			n++
		}
	case specialParameter(c):
		n = 1
	default:
		return false
	}
	s.copy(n)
	return true
}

// parameterBody scans from the name to the closing brace; false if it is a bad
// substitution.
func (s *scanner) parameterBody(quoted bool, start int) bool {
	length, indirect := false, false
	switch c := s.char(); {
	case c == '#' && s.at(1) != '}' && (isNameByte(s.at(1)) || specialParameter(s.at(1)) && (s.at(2) == '}' || s.at(2) == '[')):
		length = true
		s.copy(1)
	case c == '!' && s.at(1) != '}' && (isNameByte(s.at(1)) || s.at(1) == '#' || s.at(1) == '@' || s.at(1) == '*' || specialParameter(s.at(1)) && s.at(2) == '}'):
		indirect = true
		s.copy(1)
	}
	if !length && s.char() == '#' && s.at(1) == '#' {
		return s.countPrefix(quoted, start)
	}
	background := !indirect && s.char() == '!'
	named := isNameStart(s.char())
	if !s.name() {
		return false
	}
	if s.char() == '[' {
		if !named || s.at(1) == ']' {
			return false
		}
		s.copy(1)
		if !s.subscript(true) {
			return false
		}
		s.copy(1)
	}
	c := s.char()
	if c == '}' {
		s.copy(1)
		return true
	}
	if length {
		return false
	}
	switch c {
	case eof:
		s.unmatched('}', s.lineOf(start))
		return false
	case '*', '@':
		if indirect && named && s.at(1) == '}' {
			s.copy(2)
			return true
		}
		return c == '@' && s.transformation(named, start)
	case ':':
		if n := s.at(1); n == '-' || n == '=' || n == '?' || n == '+' {
			s.copy(2)
			break
		}
		if s.at(1) == '}' {
			return false
		}
		return s.slice(start)
	case '-', '=', '?', '+':
		if background {
			s.put(":") // ${!-x}: mvdan's parser sees ${!name}; $! is never null
		}
		s.copy(1)
	case '#', '%':
		if s.at(1) == c {
			s.copy(1)
		}
		s.copy(1)
		return s.operatorWord(false, quoted, start)
	case '^', ',':
		if s.at(1) == c {
			s.copy(1)
		}
		s.copy(1)
		return s.operatorWord(false, quoted, start)
	case '~':
		if s.at(1) == c {
			s.put("^^")
			s.pos++
		} else {
			s.put("^")
		}
		s.pos++
		s.put(string(rune(markToggle)))
		return s.operatorWord(false, quoted, start)
	case '/':
		return s.replacement(quoted, start)
	default:
		return false
	}
	return s.operatorWord(true, quoted, start)
}

// transformation scans @Q and its like. An operator that does not exist is
// refused only where the parameter is set; it becomes a default with a marker,
// and so do those of $#, which mvdan's parser refuses.
func (s *scanner) transformation(named bool, start int) bool {
	if s.at(2) == '}' && strings.IndexByte("UuLQEPAKak", byte(s.at(1))) >= 0 {
		if !named && s.buf[s.pos-1] == '#' {
			s.put("-" + string(rune(markTransform)) + string(rune(s.at(1))))
			s.pos += 2
			return s.closeParameter(start)
		}
		s.copy(3)
		return true
	}
	saved := s.save()
	s.wordUntil(func(c int) bool { return c == '}' }, false, false)
	if s.err != nil || s.char() != '}' {
		return s.closeParameter(start)
	}
	end := s.pos
	s.restore(saved)
	s.put("-" + string(rune(markTransform)) + encoded(string(s.buf[start:end+1])))
	s.pos = end
	return s.closeParameter(start)
}

// countPrefix scans ${##pattern}, which mvdan's parser does not know, and
// writes it as the replacement that does the same.
func (s *scanner) countPrefix(quoted bool, start int) bool {
	s.copy(1)
	s.pos++
	if s.char() == '#' {
		s.pos++
	}
	s.put("/#")
	s.wordUntil(func(c int) bool { return c == '}' }, false, true)
	s.put("/")
	return s.closeParameter(start)
}

// operatorWord scans the word of an operator up to the closing brace. In
// double quotes the word of "-=?+" keeps its single quotes.
func (s *scanner) operatorWord(value, quoted bool, start int) bool {
	s.wordUntil(func(c int) bool { return c == '}' }, quoted && value, !value)
	return s.closeParameter(start)
}

func (s *scanner) closeParameter(start int) bool {
	if s.err != nil {
		return false
	}
	if s.char() != '}' {
		s.unmatched('}', s.lineOf(start))
		return false
	}
	s.copy(1)
	return true
}

// wordUntil scans a word inside ${ } up to an unquoted character for which
// stop holds, or the end.
func (s *scanner) wordUntil(stop func(c int) bool, quoted, pattern bool) {
	for first := true; s.err == nil; first = false {
		c := s.char()
		switch {
		case c == eof || stop(c):
			return
		case c == '\\':
			if s.at(1) == eof {
				s.copy(1)
				continue
			}
			if quoted {
				s.quotedBackslash()
			} else {
				s.backslash()
			}
		case c == '\'':
			if quoted {
				s.literalQuotes()
			} else {
				s.singleQuotes()
			}
		case c == '"':
			s.doubleQuotes()
		case c == '$' && quoted && !s.inDocument && s.at(1) == '\'':
			s.ansiQuotes() // unlike in double quotes themselves
		case c == '$' && quoted && !s.inDocument && s.at(1) == '"':
			s.pos++
		case c == '$':
			s.dollar(quoted)
		case c == '`':
			s.backquotes(quoted)
		case (c == '<' || c == '>') && s.at(1) == '(' && !quoted:
			s.processSubstitution()
		case c == '(' || c == ')' || c == '/' || c == '#' || c == '%' || c == '[' || c == ':' || c == '<' || c == '>' || c == '&' || c == '|' || c == ';' || c == '~' && !first:
			s.encode(1)
		default:
			s.copy(1)
		}
	}
}

// literalQuotes scans '…' in the word of a quoted expansion: the quotes hide a
// brace, but they are text, and what they enclose is expanded.
func (s *scanner) literalQuotes() {
	start := s.pos
	end := start + 1
	for ; ; end++ {
		if end >= len(s.buf) && (s.closed || !s.fill()) {
			s.unmatched('\'', s.lineOf(start))
			return
		}
		if s.buf[end] == '\'' {
			break
		}
	}
	s.encode(1)
	for s.pos < end && s.err == nil {
		switch s.char() {
		case '}', '"':
			s.encode(1)
		default:
			s.quotedCharacter()
		}
	}
	if s.pos == end {
		s.encode(1)
	}
}

// replacement scans /pattern/string and its variants.
func (s *scanner) replacement(quoted bool, start int) bool {
	s.copy(1)
	if s.char() == '/' {
		s.copy(1)
		if s.char() == '/' { // ${x///y}: the pattern is a slash, if another follows
			if s.at(1) == '/' {
				s.encode(1)
			}
		}
	} else if c := s.char(); (c == '#' || c == '%') && s.at(1) != '/' && s.at(1) != '}' {
		s.copy(1) // an anchor
	}
	s.wordUntil(func(c int) bool { return c == '}' || c == '/' }, false, true)
	if s.err == nil && s.char() == '/' {
		s.copy(1)
		s.wordUntil(func(c int) bool { return c == '}' }, false, false)
	}
	return s.closeParameter(start)
}

// slice scans :offset:length.
func (s *scanner) slice(start int) bool {
	s.copy(1)
	if !s.arithmetic("}", ":") {
		return false
	}
	if s.char() == ':' {
		s.copy(1)
		if !s.arithmetic("}", "") {
			return false
		}
	}
	return s.closeParameter(start)
}
