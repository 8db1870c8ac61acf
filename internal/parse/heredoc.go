package parse

import (
	"bytes"
	"fmt"
	"strings"
)

// heredoc is a here-document whose body has not been read yet.
type heredoc struct {
	delimiter string // as the last line must read
	written   string // what mvdan's parser sees for it
	quoted    bool
	tabs      bool // <<-
	at        int  // offset of the operator
}

// heredocStart scans the delimiter after the operator o. A delimiter that is
// not plain is written in reserved runes, which no body can hold.
func (s *scanner) heredocStart(o token) {
	s.skipBlanks()
	t := token{start: s.pos, out: len(s.out)}
	if isMeta(s.char()) {
		s.unexpected(s.peek(argument))
		return
	}
	if o.is("<<-") {
		// The tabs are taken out here.
		s.replace(o.out+o.length-1, o.out+o.length, " ")
		t.out = len(s.out)
	}
	var d heredoc
	d.tabs, d.at = o.is("<<-"), o.start
	d.delimiter, d.quoted = s.delimiter()
	if s.err != nil {
		return
	}
	raw := string(s.buf[t.start:s.pos])
	d.written = encoded(d.delimiter)
	end := s.pos
	s.pos = t.start
	if d.delimiter == "" {
		s.put("''")
		d.quoted = true
	} else if d.quoted {
		s.put("'" + d.written + "'")
	} else if d.written == raw {
		s.copyTo(end)
	} else {
		s.put(d.written)
	}
	s.pos = end
	s.lastEnd = len(s.out)
	s.heredocs = append(s.heredocs, d)
}

// delimiter is the word at pos with its quotes removed.
func (s *scanner) delimiter() (text string, quoted bool) {
	var b []byte
	for {
		c := s.char()
		switch {
		case isMeta(c):
			return string(b), quoted
		case c == '\\':
			if s.at(1) == '\n' {
				s.pos += 2
				continue
			}
			quoted = true
			s.pos++
			if s.char() != eof {
				b = append(b, s.buf[s.pos])
				s.pos++
			}
		case c == '\'' || c == '"':
			quoted = true
			at := s.pos
			for s.pos++; s.char() != c; s.pos++ {
				if s.char() == eof {
					s.unmatched(byte(c), s.lineOf(at))
					return "", false
				}
				if c == '"' && s.char() == '\\' && (s.at(1) == '"' || s.at(1) == '\\' || s.at(1) == '$' || s.at(1) == '`') {
					s.pos++
				}
				b = append(b, s.buf[s.pos])
			}
			s.pos++
		default:
			b = append(b, byte(c))
			s.pos++
		}
	}
}

// readHeredocs reads the bodies that are due after a newline.
func (s *scanner) readHeredocs() {
	for i := 0; i < len(s.heredocs) && s.err == nil; i++ {
		s.readHeredoc(s.heredocs[i])
	}
	s.heredocs = nil
}

func (s *scanner) readHeredoc(d heredoc) {
	start, stop := s.pos, s.pos
	var body []byte
	for {
		stop = s.pos
		if s.char() == eof {
			s.warnings = append(s.warnings, Message{s.endLine(), fmt.Sprintf(
				"warning: here-document at line %d delimited by end-of-file (wanted `%s')", s.lineOf(d.at), Unmap(d.delimiter))})
			break
		}
		end := bytes.IndexByte(s.buf[s.pos:], '\n')
		next := s.pos + end + 1
		if end < 0 {
			end, next = len(s.buf)-s.pos, len(s.buf)
		}
		line := s.buf[s.pos:next]
		if !d.quoted {
			// A line that goes on is compared with what it goes on with.
			for continues(line) {
				if next >= len(s.buf) && (s.closed || !s.fill()) {
					break
				}
				end = bytes.IndexByte(s.buf[next:], '\n')
				if end < 0 {
					end = len(s.buf) - next - 1
				}
				next += end + 1
				line = s.buf[s.pos:next]
			}
		}
		if d.tabs {
			line = bytes.TrimLeft(line, "\t")
		}
		text := strings.TrimSuffix(string(line), "\n")
		if !d.quoted {
			text = strings.ReplaceAll(text, "\\\n", "")
		}
		// In a substitution the closing parenthesis may follow the delimiter.
		if s.inSubstitution > 0 && text != d.delimiter && strings.HasPrefix(text, d.delimiter+")") && !s.closed {
			s.warnings = append(s.warnings, Message{s.lineOf(s.pos), fmt.Sprintf(
				"warning: here-document at line %d delimited by end-of-file (wanted `%s')", s.lineOf(d.at), Unmap(d.delimiter))})
			s.pos += len(s.buf[s.pos:next]) - len(line) + len(d.delimiter)
			break
		}
		s.pos = next
		if text == d.delimiter {
			break
		}
		body = append(body, line...)
	}
	s.writeBody(d, body, start, stop)
}

// endLine is the number bash gives to a here-document's end when the source
// ends first.
func (s *scanner) endLine() int {
	if s.closed {
		return s.lineOf(len(s.buf))
	}
	return s.p.lastLine() - 1
}

// continues reports whether a line ends in an unquoted backslash.
func continues(line []byte) bool {
	if n := len(line); n == 0 || line[n-1] != '\n' {
		return false
	}
	n := len(line) - 1
	i := n
	for i > 0 && line[i-1] == '\\' {
		i--
	}
	return (n-i)%2 == 1
}

// writeBody writes a body, which stands in buf from start to stop, and its
// delimiter. What is wrong in a body shows only when it is expanded.
func (s *scanner) writeBody(d heredoc, body []byte, start, stop int) {
	if n := len(body); n > 0 && body[n-1] != '\n' {
		body = append(body, '\n')
	}
	s.marks = append(s.marks, mark{len(s.out), start, false})
	switch {
	case d.quoted:
		s.out = append(s.out, body...)
	default:
		line := s.lineOf(start)
		c := s.child(body, line)
		c.inDocument = true
		c.document()
		if c.err != nil && c.err.Limit {
			s.fail(c.err)
			return
		}
		if c.err != nil {
			s.out = append(s.out, badDocument(c, string(body))...)
		} else {
			s.out = append(s.out, c.out...)
		}
		s.warnings = append(s.warnings, c.warnings...)
	}
	s.marks = append(s.marks, mark{len(s.out), stop, false})
	s.out = append(s.out, d.written+"\n"...)
}

// badDocument is the body whose expansion reports why it could not be read.
func badDocument(c *scanner, body string) string {
	if c.err.Incomplete && strings.HasSuffix(c.err.Lines[0].Text, "`}'") {
		at := strings.LastIndex(body, "${")
		return string(body[:at]) + badParameter(body[at:]) + "\n"
	}
	return "$(" + substitutionFailure(c.err) + ")\n"
}

// document scans the body of an unquoted here-document.
func (s *scanner) document() {
	for s.err == nil {
		switch s.char() {
		case eof:
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

// unterminatedHeredocs reads, from the lines that follow, the bodies of the
// documents that a substitution began and did not end.
func (s *scanner) unterminatedHeredocs() {
	s.warnings = append(s.warnings, Message{s.lineOf(s.pos), fmt.Sprintf(
		"warning: command substitution: %d unterminated here-document", len(s.heredocs))})
	// The text between here and the end of the line moves behind the bodies.
	end := bytes.IndexByte(s.buf[s.pos:], '\n')
	if end < 0 || s.out[len(s.out)-1] != ')' {
		s.heredocs = nil
		return
	}
	rest := append([]byte(nil), s.buf[s.pos:s.pos+end+1]...)
	s.out = s.out[:len(s.out)-1]
	s.put("\n")
	s.pos += end + 1
	from := s.pos
	for _, d := range s.heredocs {
		s.readHeredoc(d)
	}
	s.heredocs = nil
	s.put(")")
	// Now the rest of the line is read in the place of the bodies.
	tail := append(rest, s.buf[s.pos:]...)
	s.buf = append(s.buf[:from], tail...)
	s.pos = from
}
