// Package arith evaluates bash's arithmetic expressions: 64-bit integers that
// wrap, variables whose values are expressions in turn, bash's own words for
// what is wrong.
package arith

import (
	"fmt"
	"strings"
)

// kind is a token's kind: an operator is its character, or one of these.
type kind uint8

const (
	end kind = iota
	number
	name
	equal        // ==
	notEqual     // !=
	lessEqual    // <=
	greaterEqual // >=
	and          // &&
	or           // ||
	shiftLeft
	shiftRight
	power
	opAssign // += and the like
	preIncrement
	preDecrement
	postIncrement
	postDecrement
	conditional // what ?: leaves as the last token
	invalid     // an error when it is read
)

// token is one element of an expression. Everything about it is known before
// the evaluation: even what is wrong with it, which is said when it is read.
type token struct {
	kind      kind
	op        kind // of opAssign
	assigns   bool // of a name: "=" follows, so its value is not asked for
	element   bool // of a name: it has a subscript
	from      int  // where it starts
	to        int  // where the next one is looked for
	value     int64
	name      string
	subscript string
	message   string // of what is wrong
}

// Expr is a scanned expression, safe for concurrent use.
type Expr struct {
	text   string
	tokens []token
}

// Text is the expression as it was given.
func (e *Expr) Text() string { return e.text }

// Error is a fault of an expression. Its text is bash's without the place:
// 'EXPRESSION: MESSAGE (error token is "TOKEN")'.
type Error struct{ Expression, Message, Token string }

func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s (error token is \"%s\")", strings.TrimLeft(e.Expression, " \t\n"), e.Message, e.Token)
}

// Parse scans text; what is wrong with it is found by Eval, in its order.
func Parse(text string) *Expr {
	s := scanner{text: text}
	for {
		t := s.next()
		s.tokens = append(s.tokens, t)
		if t.kind == end || t.kind == invalid {
			break
		}
	}
	for i := range s.tokens {
		if t := &s.tokens[i]; t.kind == name && s.tokens[min(i+1, len(s.tokens)-1)].kind == '=' {
			before := end
			if i > 0 {
				before = s.tokens[i-1].kind
			}
			t.assigns = before != preIncrement && before != preDecrement
		}
	}
	return &Expr{text: text, tokens: s.tokens}
}

type scanner struct {
	text   string
	at     int
	tokens []token
}

// last is the kind of the token n before the next.
func (s *scanner) last(n int) kind {
	if len(s.tokens) < n {
		return end
	}
	return s.tokens[len(s.tokens)-n].kind
}

func (s *scanner) peek(n int) byte {
	if s.at+n < len(s.text) {
		return s.text[s.at+n]
	}
	return 0
}

func isBlank(c byte) bool  { return c == ' ' || c == '\t' || c == '\n' }
func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

func (s *scanner) next() token {
	for s.at < len(s.text) && isBlank(s.text[s.at]) {
		s.at++
	}
	t := token{from: s.at}
	if s.at >= len(s.text) || s.text[s.at] == 0 {
		t.from, t.to = len(s.text), len(s.text)
		return t
	}
	switch c := s.text[s.at]; {
	case isLetter(c):
		s.name(&t)
	case isDigit(c):
		start := s.at
		for s.at < len(s.text) && (isLetter(s.text[s.at]) || isDigit(s.text[s.at]) || s.text[s.at] == '#' || s.text[s.at] == '@') {
			s.at++
		}
		t.kind = number
		if t.value, t.message = parseNumber(s.text[start:s.at]); t.message != "" {
			t.kind = invalid
		}
	default:
		s.operator(&t, c)
	}
	t.to = s.at
	return t
}

func (s *scanner) name(t *token) {
	start := s.at
	for s.at < len(s.text) && (isLetter(s.text[s.at]) || isDigit(s.text[s.at])) {
		s.at++
	}
	t.kind, t.name = name, s.text[start:s.at]
	if s.peek(0) != '[' {
		return
	}
	closing := SubscriptEnd(s.text, s.at)
	if closing < 0 {
		t.kind, t.message = invalid, "bad array subscript"
		return
	}
	t.element, t.subscript = true, s.text[s.at+1:closing]
	s.at = closing + 1
}

// SubscriptEnd is where the "]" of the "[" at open is, -1 when there is none:
// brackets, quotes and expansions inside count.
func SubscriptEnd(text string, open int) int {
	depth := 0
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i
			}
		case '\'', '"', '`':
			n := strings.IndexByte(text[i+1:], text[i])
			if n >= 0 {
				i += n + 1
			}
		case '$':
			if i+1 < len(text) && (text[i+1] == '(' || text[i+1] == '{') {
				if n := skipExpansion(text, i+1); n > 0 {
					i = n
				}
			}
		}
	}
	return -1
}

// skipExpansion finds the end of a $( or ${ whose bracket is at open.
func skipExpansion(text string, open int) int {
	opening, closing := text[open], byte(')')
	if opening == '{' {
		closing = '}'
	}
	depth := 0
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case opening:
			depth++
		case closing:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return 0
}

func (s *scanner) operator(t *token, c byte) {
	next := s.peek(1)
	s.at++
	two := func(k kind) {
		t.kind = k
		s.at++
	}
	switch {
	case c == '=' && next == '=':
		two(equal)
	case c == '!' && next == '=':
		two(notEqual)
	case c == '<' && next == '=':
		two(lessEqual)
	case c == '>' && next == '=':
		two(greaterEqual)
	case c == '<' && next == '<':
		two(shiftLeft)
		s.assignment(t, shiftLeft)
	case c == '>' && next == '>':
		two(shiftRight)
		s.assignment(t, shiftRight)
	case c == '&' && next == '&':
		two(and)
	case c == '|' && next == '|':
		two(or)
	case c == '*' && next == '*':
		two(power)
	case (c == '-' || c == '+') && next == c:
		s.increment(t, c)
	case next == '=' && strings.IndexByte("*/%+-&^|", c) >= 0:
		two(opAssign)
		t.op = kind(c)
	case strings.IndexByte("=<>+-*/%!()&|^~?:,", c) >= 0:
		t.kind = kind(c)
	default:
		t.kind, t.message = invalid, "syntax error: invalid arithmetic operator"
		if k := s.last(1); k == end || k != number && k != name && k != ')' && k != postIncrement && k != postDecrement {
			t.message = "syntax error: operand expected"
		}
		s.at--
	}
}

// assignment turns << and >> into <<= and >>=.
func (s *scanner) assignment(t *token, op kind) {
	if s.peek(0) == '=' {
		t.kind, t.op = opAssign, op
		s.at++
	}
}

// increment tells x++ and ++x from two signs.
func (s *scanner) increment(t *token, c byte) {
	if s.last(1) == name {
		if before := s.last(2); before == preIncrement || before == preDecrement {
			t.kind, t.message = invalid, string([]byte{c, c})+": assignment requires lvalue"
			s.at++
			return
		}
		t.kind = postIncrement
		if c == '-' {
			t.kind = postDecrement
		}
		s.at++
		return
	}
	i := s.at + 1
	for i < len(s.text) && isBlank(s.text[i]) {
		i++
	}
	if i < len(s.text) && isLetter(s.text[i]) {
		t.kind = preIncrement
		if c == '-' {
			t.kind = preDecrement
		}
		s.at++
		return
	}
	t.kind = kind(c)
}

// parseNumber reads a constant: decimal, 0octal, 0xhex, or base#digits.
func parseNumber(s string) (value int64, message string) {
	base, found, i := int64(10), false, 0
	if s[0] == '0' {
		if len(s) == 1 {
			return 0, ""
		}
		base, found, i = 8, true, 1
		if s[1]|0x20 == 'x' {
			base, i = 16, 2
		}
	}
	for ; i < len(s); i++ {
		c := s[i]
		if c == '#' {
			switch {
			case found:
				return 0, "invalid number"
			case value < 2 || value > 64:
				return 0, "invalid arithmetic base"
			case i+1 >= len(s) || s[i+1] == '#':
				return 0, "invalid integer constant"
			}
			base, value, found = value, 0, true
			continue
		}
		var d int64
		switch {
		case isDigit(c):
			d = int64(c - '0')
		case c >= 'a' && c <= 'z':
			d = int64(c-'a') + 10
		case c >= 'A' && c <= 'Z' && base <= 36:
			d = int64(c-'A') + 10
		case c >= 'A' && c <= 'Z':
			d = int64(c-'A') + 36
		case c == '@':
			d = 62
		default:
			d = 63
		}
		if d >= base {
			return 0, "value too great for base"
		}
		value = value*base + d
	}
	return value, ""
}
