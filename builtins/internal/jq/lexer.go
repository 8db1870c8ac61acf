package jq

import (
	"fmt"
	"strings"
)

// tokenKind is a terminal symbol; its text is what error messages call it.
type tokenKind string

const (
	tokenEnd        tokenKind = "$end"
	tokenInvalid    tokenKind = "INVALID_CHARACTER"
	tokenIdent      tokenKind = "IDENT"
	tokenField      tokenKind = "FIELD"
	tokenLiteral    tokenKind = "LITERAL"
	tokenFormat     tokenKind = "FORMAT"
	tokenQuoteStart tokenKind = "QQSTRING_START"
	tokenQuoteText  tokenKind = "QQSTRING_TEXT"
	tokenInterpFrom tokenKind = "QQSTRING_INTERP_START"
	tokenInterpTo   tokenKind = "QQSTRING_INTERP_END"
	tokenQuoteEnd   tokenKind = "QQSTRING_END"
)

type token struct {
	kind tokenKind
	// text is a name without its dot or @, or a piece of a string, decoded.
	text  string
	value Value
	start int
	end   int
}

// keywords are tokens of their own that may also name an object's key.
func isKeyword(s string) bool {
	switch s {
	case "as", "def", "module", "import", "include", "if", "then", "else", "elif", "reduce", "foreach", "end", "and", "or",
		"label", "try", "catch", "break", "__loc__":
		return true
	}
	return false
}

// lexer cuts a program into tokens. Brackets are matched here: a string's
// interpolation ends at the parenthesis that closes it.
type lexer struct {
	source *source
	text   string
	pos    int
	tokens []token
	// open holds the closing bracket each open one waits for: ) ] } and, for
	// strings, " and the i of an interpolation.
	open []byte
}

// maxNesting bounds the brackets, strings and definitions open at once, so
// that parsing and compiling never exhaust a stack.
const maxNesting = 1000

func (l *lexer) add(kind tokenKind, text string, start, end int) {
	l.tokens = append(l.tokens, token{kind: kind, text: text, start: start, end: end})
	l.pos = end
}

// run fills tokens, the end included. Its error is a program nested too deep.
func (l *lexer) run() error {
	last := 0
	for l.pos < len(l.text) {
		if len(l.open) > maxNesting {
			return fmt.Errorf("jq: error: program nested too deep")
		}
		last = l.pos
		if n := len(l.open); n > 0 && l.open[n-1] == '"' {
			l.quoted()
			continue
		}
		l.next()
	}
	l.tokens = append(l.tokens, token{kind: tokenEnd, start: last, end: len(l.text)})
	return nil
}

func (l *lexer) next() {
	text, start := l.text[l.pos:], l.pos
	c := text[0]
	switch {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		n := 0
		for n < len(text) && strings.IndexByte(" \t\n\r", text[n]) >= 0 {
			n++
		}
		l.pos += n
		return
	case c == '#':
		n := strings.IndexByte(text, '\n')
		if n < 0 {
			n = len(text)
		}
		l.pos += n
		return
	case c == '"':
		l.open = append(l.open, '"')
		l.add(tokenQuoteStart, "", start, start+1)
		return
	case isNameStart(c):
		n := identLength(text)
		if name := text[:n]; isKeyword(name) {
			l.add(tokenKind(name), name, start, start+n)
		} else {
			l.add(tokenIdent, name, start, start+n)
		}
		return
	case c == '@':
		n := 1
		for n < len(text) && isNamePart(text[n]) {
			n++
		}
		if n > 1 {
			l.add(tokenFormat, text[:n], start, start+n)
			return
		}
	}
	if l.dotted(text, start) || l.operator(text, start) {
		return
	}
	l.bracket(c, start)
}

// dotted reads what starts with a digit or a dot: the longest of number, field
// and "..", in this order where they are as long.
func (l *lexer) dotted(text string, start int) bool {
	number := 0
	for number < len(text) && (isDigit(text[number]) || text[number] == '.') {
		number++
	}
	if number == 0 {
		return false
	}
	if n := number; n < len(text) && (text[n] == 'e' || text[n] == 'E') {
		n++
		if n < len(text) && (text[n] == '+' || text[n] == '-') {
			n++
		}
		for digits := n; n < len(text) && isDigit(text[n]); n++ {
			number = max(number, digits)
			number = n + 1
		}
	}
	field := 0
	if text[0] == '.' && len(text) > 1 && isNameStart(text[1]) {
		field = 2
		for field < len(text) && isNamePart(text[field]) {
			field++
		}
	}
	switch {
	case field > number:
		l.add(tokenField, text[1:field], start, start+field)
	case text[:number] == "..":
		l.add("..", "", start, start+2)
	case text[:number] == ".":
		l.add(".", "", start, start+1)
	default:
		v, err := parseText(text[:number])
		if err != nil {
			l.source.report(start, err.Error())
			v = nil
		}
		l.add(tokenLiteral, "", start, start+number)
		l.tokens[len(l.tokens)-1].value = v
	}
	return true
}

func (l *lexer) operator(text string, start int) bool {
	for _, op := range [...]string{"?//", "//=", "!=", "==", "//", "|=", "+=", "-=", "*=", "/=", "%=", "<=", ">="} {
		if strings.HasPrefix(text, op) {
			l.add(tokenKind(op), "", start, start+len(op))
			return true
		}
	}
	if strings.IndexByte("?=;,:|+-*/%$<>", text[0]) >= 0 {
		l.add(tokenKind(text[:1]), "", start, start+1)
		return true
	}
	return false
}

func (l *lexer) bracket(c byte, start int) {
	kind := tokenKind(rune(c))
	switch n := len(l.open); {
	case c == '(':
		l.open = append(l.open, ')')
	case c == '[':
		l.open = append(l.open, ']')
	case c == '{':
		l.open = append(l.open, '}')
	case n > 0 && (l.open[n-1] == c && (c == ')' || c == ']' || c == '}')):
		l.open = l.open[:n-1]
	case n > 0 && c == ')' && l.open[n-1] == 'i':
		l.open = l.open[:n-1]
		kind = tokenInterpTo
	default:
		kind = tokenInvalid
	}
	l.add(kind, "", start, start+1)
}

// quoted reads on inside a string.
func (l *lexer) quoted() {
	text, start := l.text[l.pos:], l.pos
	switch {
	case text[0] == '"':
		l.open = l.open[:len(l.open)-1]
		l.add(tokenQuoteEnd, "", start, start+1)
	case strings.HasPrefix(text, `\(`):
		l.open = append(l.open, 'i')
		l.add(tokenInterpFrom, "", start, start+2)
	case text[0] == '\\':
		l.escapes(text, start)
	default:
		n := strings.IndexAny(text, `\"`)
		if n < 0 {
			n = len(text)
		}
		l.add(tokenQuoteText, validText(text[:n]), start, start+n)
	}
}

// escapes reads a run of escapes, which is decoded as JSON.
func (l *lexer) escapes(text string, start int) {
	n := 0
	for n+1 < len(text) && text[n] == '\\' && text[n+1] != '(' {
		n += 2
		if text[n-1] == 'u' {
			for end := min(n+4, len(text)); n < end && isAlnum(text[n]); n++ {
			}
		}
	}
	if n == 0 {
		l.add(tokenInvalid, "", start, start+1)
		return
	}
	v, err := parseText(`"` + text[:n] + `"`)
	if err != nil {
		l.source.report(start, err.Error())
	}
	s, _ := v.(string)
	l.add(tokenQuoteText, s, start, start+n)
}

// identLength is the length of a name with its module prefixes.
func identLength(text string) int {
	n := 0
	for {
		for n < len(text) && isNamePart(text[n]) {
			n++
		}
		if !strings.HasPrefix(text[n:], "::") || n+2 >= len(text) || !isNameStart(text[n+2]) {
			return n
		}
		n += 2
	}
}

func isDigit(c byte) bool     { return c >= '0' && c <= '9' }
func isNameStart(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }
func isNamePart(c byte) bool  { return isNameStart(c) || isDigit(c) }
func isAlnum(c byte) bool     { return c != '_' && isNamePart(c) }
