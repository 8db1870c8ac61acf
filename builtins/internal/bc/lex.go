package bc

import (
	"bufio"
	"io"
)

type token uint8

const (
	tokenEnd  token = iota // of all input
	tokenLine              // a newline
	tokenNumber
	tokenString
	tokenName
	tokenAssign // = += -= ...; op is the operator's character, '=' alone
	tokenRelation
	tokenIncrement
	tokenAnd
	tokenOr
	tokenNot
	tokenKeyword
	tokenSign // one character of + - * / % ^ ( ) [ ] { } , ; &
)

// lexeme is a token; text is the name, digits or string, op the operator.
type lexeme struct {
	kind token
	op   byte
	text string
}

// Source is one file of bc's input.
type Source struct {
	// Name is what messages show; Reader its text.
	Name   string
	Reader io.Reader
	// Line counts from 1.
	line int
	in   *bufio.Reader
}

// lexer reads tokens from one file after another.
type lexer struct {
	m       *Machine
	sources []*Source
	current *Source
	next    func() (*Source, error)
	err     error
}

func (l *lexer) source() (*Source, error) {
	if l.current != nil {
		return l.current, nil
	}
	s, err := l.next()
	if s != nil {
		s.line, s.in = 1, bufio.NewReaderSize(s.Reader, 8192)
		l.m.name, l.m.line = s.Name, &s.line
		l.current = s
	}
	return s, err
}

// peek and read return 0 at the end of a file.
func (l *lexer) peek() byte {
	b, err := l.current.in.Peek(1)
	if err != nil {
		if err != io.EOF && l.err == nil {
			l.err = err
		}
		return 0
	}
	return b[0]
}

func (l *lexer) read() byte {
	c := l.peek()
	if l.err == nil && (c != 0 || l.more()) {
		l.current.in.Discard(1)
	}
	return c
}

// more reports whether a 0 that peek returned is a byte of the file.
func (l *lexer) more() bool {
	_, err := l.current.in.Peek(1)
	return err == nil
}

// token returns the next token; tokenEnd at the end of the last file.
func (l *lexer) token() (lexeme, error) {
	for {
		s, err := l.source()
		if err != nil {
			return lexeme{}, err
		}
		if s == nil {
			return lexeme{}, nil
		}
		if err := l.m.step(); err != nil {
			return lexeme{}, err
		}
		c := l.read()
		if l.err != nil {
			return lexeme{}, l.err
		}
		if c == 0 && !l.more() {
			l.current = nil
			continue
		}
		t, ok, err := l.scan(c)
		if err != nil || ok {
			return t, err
		}
	}
}

func sign(c byte) lexeme { return lexeme{kind: tokenSign, op: c} }

// scan reads the token that c begins; false: it was a blank or a comment.
func (l *lexer) scan(c byte) (lexeme, bool, error) {
	take := func(next byte) bool {
		if l.peek() != next {
			return false
		}
		l.read()
		return true
	}
	assign := func() lexeme {
		if take('=') {
			return lexeme{kind: tokenAssign, op: c}
		}
		return sign(c)
	}
	switch {
	case c == '\n':
		l.current.line++
		return lexeme{kind: tokenLine}, true, nil
	case c == ' ' || c == '\t':
		return lexeme{}, false, nil
	case c == '\\' && l.peek() == '\n':
		l.read()
		l.current.line++
		return lexeme{}, false, nil
	case c == '#':
		for l.peek() != '\n' && l.more() {
			l.read()
			if err := l.m.step(); err != nil {
				return lexeme{}, false, err
			}
		}
		return lexeme{}, false, nil
	case c == '/' && l.peek() == '*':
		return lexeme{}, false, l.comment()
	case c == '"':
		return l.quoted()
	case c >= 'a' && c <= 'z':
		text, err := l.run([]byte{c}, func(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' })
		kind := tokenName
		if isKeyword(text) {
			kind = tokenKeyword
		}
		return lexeme{kind: kind, text: text}, true, err
	case isDigit(c), c == '.':
		return l.number(c)
	}
	switch c {
	case '+', '-':
		if take(c) {
			return lexeme{kind: tokenIncrement, op: c}, true, nil
		}
		return assign(), true, nil
	case '*', '/', '%', '^':
		return assign(), true, nil
	case '=':
		if take('=') {
			return lexeme{kind: tokenRelation, op: '='}, true, nil
		}
		return lexeme{kind: tokenAssign, op: '='}, true, nil
	case '<':
		if take('=') {
			return lexeme{kind: tokenRelation, op: '{'}, true, nil
		}
		return lexeme{kind: tokenRelation, op: '<'}, true, nil
	case '>':
		if take('=') {
			return lexeme{kind: tokenRelation, op: '}'}, true, nil
		}
		return lexeme{kind: tokenRelation, op: '>'}, true, nil
	case '!':
		if take('=') {
			return lexeme{kind: tokenRelation, op: '#'}, true, nil
		}
		return lexeme{kind: tokenNot}, true, nil
	case '&':
		if take('&') {
			return lexeme{kind: tokenAnd}, true, nil
		}
		return sign(c), true, nil
	case '|':
		if take('|') {
			return lexeme{kind: tokenOr}, true, nil
		}
	case '(', ')', '[', ']', '{', '}', ',', ';':
		return sign(c), true, nil
	}
	l.illegal(c)
	return lexeme{}, false, nil
}

func (l *lexer) illegal(c byte) {
	if c < ' ' || c >= 0x7f {
		l.m.complain("illegal character: \\%03o", c)
		return
	}
	l.m.complain("illegal character: %c", c)
}

func (l *lexer) comment() error {
	l.read()
	for l.more() {
		c := l.read()
		switch {
		case c == '\n':
			l.current.line++
		case c == '*' && l.peek() == '/':
			l.read()
			return nil
		}
		if err := l.m.step(); err != nil {
			return err
		}
	}
	l.m.complain("EOF encountered in a comment.")
	return l.err
}

// run collects what follows while fits holds, joined over \ newline.
func (l *lexer) run(text []byte, fits func(byte) bool) (string, error) {
	for fits(l.peek()) {
		if len(text) > MaxDigits {
			return "", ErrTooLarge
		}
		text = append(text, l.read())
		if err := l.m.step(); err != nil {
			return "", err
		}
	}
	return string(text), nil
}

// quoted is a string; its text ends with the quote that closes it.
func (l *lexer) quoted() (lexeme, bool, error) {
	var text []byte
	for l.more() {
		c := l.read()
		if c == '\n' {
			l.current.line++
		}
		text = append(text, c)
		if c == '"' {
			return lexeme{kind: tokenString, text: string(text)}, true, nil
		}
		if len(text) > MaxDigits {
			return lexeme{}, false, ErrTooLarge
		}
		if err := l.m.step(); err != nil {
			return lexeme{}, false, err
		}
	}
	l.illegal('"')
	return lexeme{}, false, l.err
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' }

// number is digits with at most one point; a point alone is "last".
func (l *lexer) number(c byte) (lexeme, bool, error) {
	var text []byte
	point := false
	for {
		switch {
		case isDigit(c):
			text = append(text, c)
		case c == '.' && !point:
			point = true
			text = append(text, c)
		case c == '\\':
			l.current.line++
			l.read()
		}
		if len(text) > MaxDigits {
			return lexeme{}, false, ErrTooLarge
		}
		if err := l.m.step(); err != nil {
			return lexeme{}, false, err
		}
		c = l.peek()
		if !isDigit(c) && (c != '.' || point) {
			if c != '\\' {
				break
			}
			if after, err := l.current.in.Peek(2); err != nil || after[1] != '\n' {
				break
			}
		}
		l.read()
	}
	if len(text) == 1 && point {
		return lexeme{kind: tokenKeyword, text: "last"}, true, nil
	}
	if text[len(text)-1] == '.' {
		text = text[:len(text)-1]
	}
	i := 0
	for i < len(text)-1 && text[i] == '0' {
		i++
	}
	return lexeme{kind: tokenNumber, text: string(text[i:])}, true, nil
}

func isKeyword(s string) bool {
	switch s {
	case "define", "break", "quit", "length", "return", "for", "if", "while", "sqrt", "scale", "ibase", "obase", "auto", "else",
		"read", "random", "halt", "last", "history", "warranty", "continue", "print", "limits", "void":
		return true
	}
	return false
}
