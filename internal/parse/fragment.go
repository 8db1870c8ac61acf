package parse

import (
	"bytes"

	"mvdan.cc/sh/v3/syntax"
)

// fragment parses a text that is no script: what scan wrote, between before and
// after, must be a command.
func fragment(text string, o Options, before, after string, scan func(*scanner)) (*syntax.Stmt, error) {
	p := New("", nil, o)
	if len(text) > p.options.MaxSize {
		return nil, &Error{Limit: true, Lines: []Message{{p.line, "the source is too large"}}}
	}
	s := &scanner{p: p, buf: appendMapped(nil, []byte(text)), closed: true, firstLine: p.options.FirstLine}
	scan(s)
	if s.err == nil && s.char() != eof {
		s.unexpected(s.peek(argument))
	}
	if s.err != nil {
		return nil, s.err
	}
	var b bytes.Buffer
	b.WriteString(before)
	b.Write(s.out)
	b.WriteString(after)
	var l Line
	if err := p.parse(&l, b.Bytes()); err != nil {
		return nil, err
	}
	if len(l.Stmts) != 1 {
		return nil, &Error{Lines: []Message{{1, "syntax error"}}}
	}
	return l.Stmts[0], nil
}

// DoubleQuoted parses text as it would be read inside double quotes, where "
// itself is ordinary: a prompt, an expression. Options.FirstLine counts.
func DoubleQuoted(text string, o Options) (*syntax.Word, error) {
	st, err := fragment(text, o, `: "`, `"`, func(s *scanner) {
		for s.err == nil && s.char() != eof {
			if s.char() == '"' {
				s.encode(1)
				continue
			}
			s.quotedCharacter()
		}
	})
	if err != nil {
		return nil, err
	}
	return st.Cmd.(*syntax.CallExpr).Args[1], nil
}

// ParseSubscript parses the text of a subscript that reached a builtin as a
// word (unset 'a[$i]').
func ParseSubscript(text string, o Options) (Index, error) {
	if text == "@" || text == "*" {
		return Index{All: text[0]}, nil
	}
	st, err := fragment(text+"]", o, "x[", "]=", func(s *scanner) {
		if !s.subscript(false) {
			s.unmatched(']', 1)
			return
		}
		s.pos++
	})
	if err != nil {
		return Index{}, err
	}
	return Subscript(st.Cmd.(*syntax.CallExpr).Assigns[0].Index), nil
}

// Array parses the text of a compound assignment, "(a b [3]=c)", that reached
// a builtin as a word.
func Array(text string, o Options) (*syntax.ArrayExpr, error) {
	st, err := fragment(text, o, "x=", "", (*scanner).array)
	if err != nil {
		return nil, err
	}
	if c, ok := st.Cmd.(*syntax.CallExpr); ok && len(c.Assigns) == 1 && c.Assigns[0].Array != nil {
		return c.Assigns[0].Array, nil
	}
	return nil, &Error{Lines: []Message{{1, "syntax error"}}}
}
