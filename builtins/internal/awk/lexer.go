package awk

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// lexer turns a program's text into tokens. Whether "/" starts a regular
// expression follows from the token before it.
type lexer struct {
	src    string
	pos    int
	line   int
	source string
	last   token
	// start is where the token being read starts.
	start int
	// namespace is that of names without one: "awk" is none.
	namespace string
	// standard takes gawk's own functions for names.
	standard bool
	escapes  *Escapes
}

// fail reports a fault at a position of the text, with its line and a caret.
func (l *lexer) fail(line, pos int, message string) {
	e := &SyntaxError{Line: line, Message: message, Source: l.source}
	if pos < len(l.src) && l.src[pos] == '\n' {
		e.Line++ // gawk has counted a newline it has read
	}
	if pos >= len(l.src) && l.source == "cmd. line" {
		pos, e.Line = len(l.src)-1, max(line-1, 1)
	}
	if pos >= len(l.src) {
		e.Line, e.Text, e.Caret = max(line-1, 1), "(END OF FILE)", "^"
		e.Message = "source files / command-line arguments must contain complete functions or rules"
		panic(e)
	}
	if l.src[pos] == '\n' && pos > 0 && message == syntaxErrorText {
		e.Message = "unexpected newline or end of string"
	}
	start := strings.LastIndexByte(l.src[:pos], '\n') + 1
	e.Text, _, _ = strings.Cut(l.src[start:], "\n")
	blank := func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}
	e.Caret = strings.Map(blank, l.src[start:pos]) + "^"
	panic(e)
}

const syntaxErrorText = "syntax error"

// reject reports what is wrong with a program that can be read.
func (l *lexer) reject(line int, message string) {
	panic(&SyntaxError{Line: line, Message: "error: " + message, Source: l.source})
}

// operand reports whether the last token ends an operand, so that "/" divides.
func (l *lexer) operand() bool {
	switch l.last.kind {
	case tNumber, tString, tRegex, tName, tBuiltin:
		return true
	case tOp:
		switch l.last.text {
		case ")", "]", "$", "++", "--":
			return true
		}
	}
	return false
}

func (l *lexer) blanks() {
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case c == ' ' || c == '\t' || c == '\r':
			l.pos++
		case c == '\\' && strings.HasPrefix(l.src[l.pos:], "\\\n"):
			l.pos += 2
			l.line++
		case c == '\\' && strings.HasPrefix(l.src[l.pos:], "\\\r\n"):
			l.pos += 3
			l.line++
		case c == '#':
			for l.pos < len(l.src) && l.src[l.pos] != '\n' {
				l.pos++
			}
		default:
			return
		}
	}
}

func (l *lexer) next() token {
	l.blanks()
	l.start = l.pos
	t := l.scan()
	l.last = t
	return t
}

var operators = [...]string{
	"**=", "...", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "**", "==", "<=", ">=", "!=", ">>", "|&", "!~",
	"{", "}", "(", ")", "[", "]", ";", ",", "+", "-", "*", "/", "%", "^", "!", ">", "<", "|", "?", ":", "~", "$", "=", "@",
}

func (l *lexer) scan() token {
	t := token{line: l.line, pos: l.pos}
	if l.pos >= len(l.src) {
		return t
	}
	c := l.src[l.pos]
	switch {
	case c == '\n':
		l.pos++
		l.line++
		t.kind, t.text = tNewline, "\n"
		return t
	case c == '"':
		l.pos++
		t.kind, t.text = tString, l.quoted('"')
		return t
	case c >= '0' && c <= '9' || c == '.' && l.pos+1 < len(l.src) && isDigit(l.src[l.pos+1]):
		return l.number()
	case c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z':
		return l.name()
	case c == '/' && !l.operand():
		l.pos++
		l.start = l.pos
		t.kind, t.text = tRegex, l.regex()
		return t
	case c == '@' && l.pos+1 < len(l.src) && l.src[l.pos+1] == '/':
		l.pos += 2
		l.start = l.pos
		t.kind, t.text, t.num = tRegex, l.regex(), 1
		return t
	}
	for _, op := range operators {
		if strings.HasPrefix(l.src[l.pos:], op) {
			l.pos += len(op)
			t.kind, t.text = tOp, op
			switch op {
			case "**":
				t.text = "^"
			case "**=":
				t.text = "^="
			}
			return t
		}
	}
	r, _ := utf8.DecodeRuneInString(l.src[l.pos:])
	l.fail(l.line, l.start, "invalid char '"+string(r)+"' in expression")
	return t
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isNameByte(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || isDigit(c) }

func (l *lexer) name() token {
	start := l.pos
	for l.pos < len(l.src) && isNameByte(l.src[l.pos]) {
		l.pos++
	}
	t := token{line: l.line, pos: start, text: l.src[start:l.pos], kind: tName}
	if rest := l.src[l.pos:]; len(rest) > 2 && rest[:2] == "::" && isNameByte(rest[2]) && !isDigit(rest[2]) {
		for l.pos += 2; l.pos < len(l.src) && isNameByte(l.src[l.pos]); {
			l.pos++
		}
		t.text = strings.TrimPrefix(l.src[start:l.pos], "awk::")
		if l.pos < len(l.src) && l.src[l.pos] == '(' {
			t.kind = tFuncName
		}
		return t
	}
	switch {
	case isKeyword(t.text):
		t.kind = tKeyword
		if t.text == "func" {
			t.text = "function"
		}
	case builtinIndex(t.text) >= 0 && !(l.standard && !isStandard(t.text)):
		t.kind = tBuiltin
	case l.pos < len(l.src) && l.src[l.pos] == '(':
		t.kind = tFuncName
	}
	if l.namespace != "" && (t.kind == tName || t.kind == tFuncName) && t.text != strings.ToUpper(t.text) {
		t.text = l.namespace + "::" + t.text
	}
	return t
}

func (l *lexer) number() token {
	t := token{line: l.line, pos: l.pos, kind: tNumber}
	rest := l.src[l.pos:]
	if !l.standard && len(rest) > 2 && rest[0] == '0' && rest[1]|0x20 == 'x' && isHex(rest[2]) {
		n := 2
		for n < len(rest) && isHex(rest[n]) {
			t.num = t.num*16 + float64(hexValue(rest[n]))
			n++
		}
		t.text = rest[:n]
		l.pos += n
		return t
	}
	n := numberLength(rest)
	t.text = rest[:n]
	l.pos += n
	if octal := t.text; len(octal) > 1 && octal[0] == '0' && strings.Trim(octal, "01234567") == "" {
		v, _ := strconv.ParseUint(octal, 8, 64)
		t.num = float64(v)
		return t
	}
	t.num = parseFloat(t.text)
	return t
}

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

func hexValue(c byte) int {
	if isDigit(c) {
		return int(c - '0')
	}
	return int(c|0x20-'a') + 10
}

// quoted reads a string's rest and resolves its escapes.
func (l *lexer) quoted(end byte) string {
	line := l.line
	var b strings.Builder
	for {
		if l.pos >= len(l.src) || l.src[l.pos] == '\n' {
			l.fail(line, l.start, "unterminated string")
		}
		c := l.src[l.pos]
		l.pos++
		if c == end {
			return b.String()
		}
		if c != '\\' || l.pos >= len(l.src) {
			b.WriteByte(c)
			continue
		}
		if l.src[l.pos] == '\n' {
			l.pos++
			l.line++
			continue
		}
		l.pos += unescape(&b, l.src[l.pos:], func(c byte) { l.escapes.plain(fmt.Sprintf("%s:%d: ", l.source, l.line), c) })
	}
}

// Escapes warns, once for each, of the escapes that mean nothing.
type Escapes struct {
	// Warn takes the text, with its place.
	Warn        func(text string)
	told, regex [256]bool
}

// inRegex warns of the escapes of a regular expression that mean nothing.
func (e *Escapes) inRegex(place, text string) {
	if e == nil {
		return
	}
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		i++
		c := text[i]
		known := c >= utf8.RuneSelf || c >= '0' && c <= '7' || strings.IndexByte(`abfnrstvwxyBSW/\'()*+-.<>?[]^{|}$`+"`\n", c) >= 0
		if known || e.regex[c] {
			continue
		}
		e.regex[c] = true
		if c == '8' || c == '9' {
			e.Warn(fmt.Sprintf("%swarning: regexp escape sequence `\\%c' treated as plain `%c'", place, c, c))
		} else {
			e.Warn(fmt.Sprintf("%swarning: regexp escape sequence `\\%c' is not a known regexp operator", place, c))
		}
	}
}

func (e *Escapes) plain(place string, c byte) {
	if e == nil || e.told[c] {
		return
	}
	e.told[c] = true
	e.Warn(place + "warning: escape sequence `\\" + string(rune(c)) + "' treated as plain `" + string(rune(c)) + "'")
}

// unescape writes what the escape after a backslash stands for and returns how
// many bytes it took. One that means nothing is its character, and plain is
// told of it.
func unescape(b *strings.Builder, s string, plain func(c byte)) int {
	switch c := s[0]; c {
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case 'r':
		b.WriteByte('\r')
	case '\\', '"':
		b.WriteByte(c)
	case 'a':
		b.WriteByte('\a')
	case 'b':
		b.WriteByte('\b')
	case 'f':
		b.WriteByte('\f')
	case 'v':
		b.WriteByte('\v')
	case '0', '1', '2', '3', '4', '5', '6', '7':
		n, v := 0, 0
		for n < 3 && n < len(s) && s[n] >= '0' && s[n] <= '7' {
			v = v*8 + int(s[n]-'0')
			n++
		}
		b.WriteByte(byte(v))
		return n
	case 'x':
		n, v := 1, 0
		for n < 3 && n < len(s) && isHex(s[n]) {
			v = v*16 + hexValue(s[n])
			n++
		}
		if n == 1 {
			b.WriteByte('x')
			return 1
		}
		b.WriteByte(byte(v))
		return n
	default:
		plain(c)
		b.WriteByte(c)
	}
	return 1
}

// regex reads a literal's rest; only \/ loses its backslash.
func (l *lexer) regex() string {
	line := l.line
	var b strings.Builder
	bracket := -1
	for {
		if l.pos >= len(l.src) || l.src[l.pos] == '\n' {
			l.fail(line, l.start, "unterminated regexp")
		}
		c := l.src[l.pos]
		l.pos++
		switch {
		case c == '\\' && l.pos < len(l.src):
			if l.src[l.pos] == '/' {
				b.WriteByte('/')
			} else {
				b.WriteByte('\\')
				b.WriteByte(l.src[l.pos])
			}
			l.pos++
			continue
		case bracket >= 0:
			inside := l.pos - 1 - bracket
			if c == ']' && inside > 1 && !(inside == 2 && l.src[bracket+1] == '^') {
				bracket = -1
			} else if c == '[' && l.pos < len(l.src) && strings.IndexByte(":.=", l.src[l.pos]) >= 0 {
				kind := l.src[l.pos]
				if end := strings.Index(l.src[l.pos+1:], string([]byte{kind, ']'})); end >= 0 && !strings.Contains(l.src[l.pos+1:l.pos+1+end], "\n") {
					b.WriteString(l.src[l.pos-1 : l.pos+end+3])
					l.pos += end + 3
					continue
				}
			}
		case c == '[':
			bracket = l.pos - 1
		case c == '/':
			return b.String()
		}
		b.WriteByte(c)
	}
}
