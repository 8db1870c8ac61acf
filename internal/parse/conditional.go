package parse

import "strings"

// conditional scans [[ … ]]. mvdan's parser knows no precedence of && over ||
// and lets "!" swallow what follows: both get parentheses.
func (s *scanner) conditional() {
	start := s.peek(command).start
	s.take()
	s.conditionalOr()
	t := s.peek(argument)
	if s.err != nil {
		return
	}
	if t.kind == tokenEOF {
		s.fail(&Error{Status: StatusKept, Incomplete: true, Lines: []Message{{s.lineOf(start), "unexpected EOF while looking for `]]'"}}})
		return
	}
	if !t.reserved("]]") {
		message := "syntax error in conditional expression"
		if t.kind == tokenOperator {
			message += ": unexpected token `" + t.text + "'"
		}
		s.conditionalError(t, message)
		return
	}
	s.take()
}

// conditionalError fails with a message of its own; the status is that of the
// command before, except at the end of the source.
func (s *scanner) conditionalError(t token, messages ...string) {
	e := &Error{Status: StatusPrevious}
	line := s.lineOf(t.start)
	if t.kind == tokenEOF || t.kind == tokenNewline && s.char() == eof {
		e.Status, e.Incomplete = StatusKept, true
	}
	for _, m := range messages {
		e.Lines = append(e.Lines, Message{line, m})
	}
	s.fail(e)
}

// operandMissing reports w, which is no operand. Where the source has ended in
// the middle of one, bash says both.
func (s *scanner) operandMissing(w token, operator string) {
	if s.err != nil {
		if s.err.Incomplete && !s.err.Limit {
			s.err.Lines = append(s.err.Lines, Message{s.p.lastLine(), "unexpected argument to " + operator})
		}
		return
	}
	s.conditionalError(w, "unexpected argument `"+s.tokenText(w)+"' to "+operator)
}

// tokenText is how a message of [[ ]] names a token.
func (s *scanner) tokenText(t token) string {
	switch t.kind {
	case tokenNewline:
		return "newline"
	case tokenEOF:
		return "EOF"
	}
	return Unmap(string(s.buf[t.start:t.end]))
}

func (s *scanner) conditionalNewlines() {
	for s.peek(argument).kind == tokenNewline {
		s.take()
	}
}

func (s *scanner) conditionalOr() {
	s.conditionalAnd()
	depth := s.depth
	for t := s.peek(argument); t.kind == tokenOperator && t.is("||") && s.enter(); t = s.peek(argument) {
		s.take()
		s.conditionalAnd()
	}
	s.depth = depth
}

func (s *scanner) conditionalAnd() {
	s.conditionalNewlines()
	from := s.peek(argument).out
	s.conditionalTerm()
	terms, depth := 1, s.depth
	for t := s.peek(argument); t.kind == tokenOperator && t.is("&&") && s.enter(); t = s.peek(argument) {
		s.take()
		s.conditionalTerm()
		terms++
	}
	s.depth = depth
	if terms > 1 && s.err == nil {
		s.parenthesize(from)
	}
}

func (s *scanner) parenthesize(from int) {
	s.insert(s.lastEnd, " )")
	s.insert(from, "( ")
}

func (s *scanner) conditionalTerm() {
	if !s.enter() {
		return
	}
	defer s.leave()
	s.conditionalNewlines()
	t := s.peek(argument)
	switch {
	case s.err != nil:
	case t.kind == tokenOperator && t.is("("):
		s.take()
		s.conditionalOr()
		n := s.peek(argument)
		if s.err != nil {
			if t := s.err; t.Status == StatusPrevious && len(t.Lines) == 1 && strings.HasSuffix(t.Lines[0].Text, "in conditional command") ||
				t.Incomplete && len(t.Lines) == 2 {
				t.Lines = append(t.Lines, Message{t.Lines[0].Line, "expected `)'"})
			}
			return
		}
		if !closeParen(n) {
			s.conditionalError(n, "unexpected token `"+s.tokenText(n)+"', expected `)'")
			return
		}
		s.take()
		s.conditionalNewlines()
	case t.reserved("!"):
		s.take()
		s.conditionalTerm()
		if s.err == nil {
			s.parenthesize(t.out)
		}
	case t.reserved("]]"):
		s.conditionalError(t)
	case t.kind == tokenWord && unaryTest(t.text):
		s.take()
		w := s.peek(argument)
		if w.kind != tokenWord || w.text == "]]" {
			s.operandMissing(w, "conditional unary operator")
			return
		}
		s.operand(w)
		s.conditionalNewlines()
	case t.kind == tokenWord || t.kind == tokenNumber:
		s.operand(t)
		s.binary()
	default:
		s.conditionalError(t, "unexpected token `"+s.tokenText(t)+"' in conditional command")
	}
}

// operand consumes the word t; it can't be taken for an operator any more.
func (s *scanner) operand(t token) {
	s.take()
	if c := t.text; c != "" && (c[0] == '-' || c[0] == '!' || c[0] == '=' || c[0] == '<' || c[0] == '>' || c == "]]") && s.out[t.out] == c[0] && !(len(c) > 1 && c[1] == '(') {
		s.replace(t.out, t.out+1, string(rune(byteBase+int(c[0]))))
	}
}

// binary scans what may follow the first word of a term.
func (s *scanner) binary() {
	o := s.peek(argument)
	switch {
	case s.err != nil:
		return
	case o.kind == tokenOperator && (o.is("<") || o.is(">")), o.kind == tokenWord && binaryTest(o.text):
		s.take()
	case o.reserved("]]"), o.kind == tokenOperator && (o.is("&&") || o.is("||") || o.is(")")):
		return
	case o.kind == tokenWord:
		s.conditionalError(o, "conditional binary operator expected")
		return
	default:
		s.conditionalError(o, "unexpected token `"+s.tokenText(o)+"', conditional binary operator expected")
		return
	}
	switch o.text {
	case "=", "==", "!=":
		s.kind = wordPattern
	case "=~":
		s.kind = wordRegex
	}
	w := s.peek(argument)
	s.kind = wordPlain
	if w.kind != tokenWord && w.kind != tokenNumber || w.text == "]]" {
		s.operandMissing(w, "conditional binary operator")
		return
	}
	s.operand(w)
	s.conditionalNewlines()
}

func unaryTest(word string) bool {
	return len(word) == 2 && word[0] == '-' && strings.IndexByte("abcdefghknoprstuvwxzGLNORS", word[1]) >= 0
}

func binaryTest(word string) bool {
	switch word {
	case "=", "==", "!=", "=~", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef":
		return true
	}
	return false
}
