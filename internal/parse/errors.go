package parse

import (
	"bytes"
	"fmt"
)

// fail records the first error.
func (s *scanner) fail(e *Error) {
	if s.err == nil {
		s.err = e
	}
}

func (s *scanner) limit(format string, args ...any) {
	s.fail(&Error{Limit: true, Lines: []Message{{s.lineOf(s.pos), fmt.Sprintf(format, args...)}}})
}

// unexpected reports a token that the grammar has no place for.
func (s *scanner) unexpected(t token) {
	if s.err != nil {
		return
	}
	if t.kind == tokenEOF {
		if s.inSubstitution > 0 && !s.closed {
			s.unmatched(')', s.p.lastLine())
			return
		}
		line := s.p.lastLine()
		if s.closed {
			line = s.lineOf(len(bytes.TrimSuffix(s.buf, []byte("\n")))) + 1
		}
		s.fail(&Error{Status: StatusKept, Incomplete: true, Lines: []Message{{line, "syntax error: unexpected end of file"}}})
		return
	}
	status := StatusUsage
	if s.inSubstitution > 0 {
		status = StatusSubstitution
	}
	s.nearToken(t, status)
}

func (s *scanner) nearToken(t token, status Status) {
	text := Unmap(string(s.buf[t.start:t.end]))
	if t.kind == tokenNewline {
		text = "newline"
	}
	line := s.lineOf(t.start)
	s.fail(&Error{Status: status, Lines: []Message{
		{line, "syntax error near unexpected token `" + text + "'"},
		{line, "`" + s.lineText(t.start) + "'"},
	}})
}

// unmatched reports the end of the source inside quotes or brackets.
func (s *scanner) unmatched(closer byte, line int) {
	s.fail(&Error{Status: StatusKept, Incomplete: true, Lines: []Message{
		{line, "unexpected EOF while looking for matching `" + string(rune(closer)) + "'"},
	}})
}
