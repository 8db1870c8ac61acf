package jq

import (
	"errors"
	"fmt"
	"strings"
)

// source is the text of a program or module, and the errors found in it.
type source struct {
	name   string
	text   string
	errors []string
}

// report adds an error at a place of the text, with the line it stands in.
func (s *source) report(at int, message string) {
	start := strings.LastIndexByte(s.text[:at], '\n') + 1
	line := s.text[start:]
	if end := strings.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	number := strings.Count(s.text[:start], "\n") + 1
	s.errors = append(s.errors, fmt.Sprintf("jq: error: %s at %s, line %d:\n%s%*s", message, s.name, number, line, at-start, ""))
}

// errSyntax ends parsing; the error has been reported.
var errSyntax = errors.New("syntax error")

type parser struct {
	source *source
	tokens []token
	pos    int
	depth  int
}

// parse reads a program, or a library where it has no expression.
func parse(name, text string) (*module, error) {
	src := &source{name: name, text: text}
	l := lexer{source: src, text: text}
	if err := l.run(); err != nil {
		src.errors = append(src.errors, err.Error())
		return &module{source: src}, errSyntax
	}
	p := &parser{source: src, tokens: l.tokens}
	m, err := p.module()
	if err != nil {
		m = &module{source: src}
	}
	return m, err
}

func (p *parser) peek() *token { return &p.tokens[p.pos] }

func (p *parser) peekAt(n int) tokenKind {
	if p.pos+n < len(p.tokens) {
		return p.tokens[p.pos+n].kind
	}
	return tokenEnd
}

func (p *parser) take() *token {
	t := &p.tokens[p.pos]
	if p.pos < len(p.tokens)-1 {
		p.pos++
	}
	return t
}

func (p *parser) accept(kind tokenKind) bool {
	if p.peek().kind != kind {
		return false
	}
	p.take()
	return true
}

// expect takes a token of a kind; one that could be something else too, an
// operator for one, is not named in the error.
func (p *parser) expect(kind tokenKind) (*token, error) {
	if p.peek().kind != kind {
		return nil, p.unexpected()
	}
	return p.take(), nil
}

// expectOnly is expect where no other token can stand, but those of others.
func (p *parser) expectOnly(kind tokenKind, others ...tokenKind) (*token, error) {
	if p.peek().kind != kind {
		return nil, p.unexpected(append(others, kind)...)
	}
	return p.take(), nil
}

// unexpected reports the token that fits nowhere.
func (p *parser) unexpected(expecting ...tokenKind) error {
	explain(p.source, p.tokens, p.pos, expecting)
	return errSyntax
}

func (p *parser) module() (*module, error) {
	m := &module{source: p.source}
	if p.accept("module") {
		meta, err := p.metadata("Module metadata must be constant", "Module metadata must be an object")
		if err != nil {
			return nil, err
		}
		m.meta = meta
	}
	for k := p.peek().kind; k == "import" || k == "include"; k = p.peek().kind {
		i, err := p.importing()
		if err != nil {
			return nil, err
		}
		m.imports = append(m.imports, i)
	}
	for p.peek().kind == "def" {
		d, err := p.definition()
		if err != nil {
			return nil, err
		}
		m.definitions = append(m.definitions, d)
	}
	if p.peek().kind == tokenEnd {
		return m, nil
	}
	if !p.begins() {
		return nil, p.unexpected(tokenEnd)
	}
	body, err := p.expression(0)
	if err != nil {
		return nil, err
	}
	if p.peek().kind != tokenEnd {
		return nil, p.unexpected(tokenEnd)
	}
	for i := len(m.definitions) - 1; i >= 0; i-- {
		body = &scope{m.definitions[i], body}
	}
	m.body, m.definitions = body, nil
	return m, nil
}

// metadata reads a constant object and the semicolon after it.
func (p *parser) metadata(notConstant, notObject string) (Value, error) {
	at := p.peek().start
	q, err := p.expression(0)
	if err != nil {
		return nil, err
	}
	if _, err := p.expect(";"); err != nil {
		return nil, err
	}
	v, ok := constant(q)
	switch {
	case !ok:
		p.source.report(at, notConstant)
	case kindOf(v) != kindObject:
		p.source.report(at, notObject)
	}
	return v, nil
}

func (p *parser) importing() (*importing, error) {
	i := &importing{at: p.peek().start}
	include := p.take().kind == "include"
	at := p.peek().start
	path, err := p.quoted()
	if err != nil {
		return nil, err
	}
	v, ok := constant(path)
	if s, isString := v.(string); ok && isString {
		i.path = s
	} else {
		p.source.report(at, "Import path must be constant")
	}
	if !include {
		if _, err := p.expectOnly("as"); err != nil {
			return nil, err
		}
		i.data = p.accept("$")
		name, err := p.expectOnly(tokenIdent)
		if err != nil {
			return nil, err
		}
		i.as = name.text
	}
	if p.accept(";") {
		return i, nil
	}
	i.meta, err = p.metadata("Module metadata must be constant", "Module metadata must be an object")
	return i, err
}

func (p *parser) definition() (*definition, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	p.take()
	name, err := p.expectOnly(tokenIdent)
	if err != nil {
		return nil, err
	}
	d := &definition{name: name.text}
	parameters := p.accept("(")
	if parameters {
		for {
			value := p.accept("$")
			var name *token
			if name = p.peek(); name.kind == tokenIdent {
				p.take()
			} else if value {
				return nil, p.unexpected(tokenIdent)
			} else {
				return nil, p.unexpected(tokenIdent, "$")
			}
			d.params = append(d.params, param{name.text, value})
			if !p.accept(";") {
				break
			}
		}
		if _, err := p.expectOnly(")", ";"); err != nil {
			return nil, err
		}
	}
	var others []tokenKind
	if !parameters {
		others = append(others, "(")
	}
	if _, err := p.expectOnly(":", others...); err != nil {
		return nil, err
	}
	if d.body, err = p.expression(0); err != nil {
		return nil, err
	}
	_, err = p.expect(";")
	return d, err
}

func (p *parser) enter() error {
	p.depth++
	if p.depth > 2*maxNesting {
		p.source.errors = append(p.source.errors, "jq: error: program nested too deep")
		return errSyntax
	}
	return nil
}

func (p *parser) leave() { p.depth-- }

// Levels of precedence, loosest first.
const (
	levelPipe = iota + 1
	levelComma
	levelAlternative
	levelAssign
	levelOr
	levelAnd
	levelCompare
	levelSum
	levelProduct
	levelOptional
	levelTry
)

func level(kind tokenKind) (level int, right, alone bool) {
	switch kind {
	case "|":
		return levelPipe, false, false
	case ",":
		return levelComma, false, false
	case "//":
		return levelAlternative, true, false
	case "=", "|=", "+=", "-=", "*=", "/=", "%=", "//=":
		return levelAssign, false, true
	case "or":
		return levelOr, false, false
	case "and":
		return levelAnd, false, false
	case "!=", "==", "<", ">", "<=", ">=":
		return levelCompare, false, true
	case "+", "-":
		return levelSum, false, false
	case "*", "/", "%":
		return levelProduct, false, false
	case "?":
		return levelOptional, false, false
	}
	return 0, false, false
}

// expression reads operators that bind at least as tightly as from.
func (p *parser) expression(from int) (query, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	start := p.peek().start
	left, err := p.operand()
	if err != nil {
		return nil, err
	}
	barred := 0
	for {
		t := p.peek()
		lv, right, alone := level(t.kind)
		if lv == 0 || lv < from {
			return left, nil
		}
		if lv == barred {
			return nil, p.unexpected()
		}
		barred = 0
		p.take()
		if t.kind == "?" {
			left = &attempt{body: left}
			continue
		}
		next := lv + 1
		if right {
			next = lv
		}
		q, err := p.expression(next)
		if err != nil {
			return nil, err
		}
		if alone {
			barred = lv
		}
		left = infix(t, left, q)
		if t.kind == "/" && p.dividesByZero(left) {
			p.source.report(start, "Division by zero?")
		}
	}
}

func infix(t *token, left, right query) query {
	switch t.kind {
	case "|":
		return &pipe{left, right}
	case ",":
		return &comma{left, right}
	case "//":
		return &alternative{left, right}
	case "and", "or":
		return &logical{t.kind == "and", left, right}
	}
	if lv, _, _ := level(t.kind); lv == levelAssign {
		return &assignment{string(t.kind), left, right}
	}
	return &operation{string(t.kind), left, right}
}

// dividesByZero tells a division of constant numbers that can never work.
func (p *parser) dividesByZero(q query) bool {
	division := q.(*operation)
	left, ok := constant(division.left)
	right, ok2 := constant(division.right)
	return ok && ok2 && kindOf(left) == kindNumber && right == 0.0
}

// operand reads what may stand on either side of an operator. Some of it goes
// on as far to the right as it can.
func (p *parser) operand() (query, error) {
	switch t := p.peek(); t.kind {
	case "def":
		d, err := p.definition()
		if err != nil {
			return nil, err
		}
		body, err := p.expression(0)
		return &scope{d, body}, err
	case "reduce", "foreach":
		return p.folding()
	case "if":
		p.take()
		return p.condition(t, true)
	case "try":
		return p.attempt()
	case "label":
		p.take()
		name, err := p.dollarName()
		if err != nil {
			return nil, err
		}
		if _, err := p.expectOnly("|"); err != nil {
			return nil, err
		}
		body, err := p.expression(0)
		return &label{name, body}, err
	case "-":
		p.take()
		body, err := p.expression(levelSum + 1)
		return &negated{body}, err
	}
	term, err := p.term()
	if err != nil || !p.accept("as") {
		return term, err
	}
	patterns, err := p.patterns()
	if err != nil {
		return nil, err
	}
	if _, err := p.expectOnly("|"); err != nil {
		return nil, err
	}
	body, err := p.expression(0)
	return &binding{term, patterns, body}, err
}

func (p *parser) dollarName() (string, error) {
	if _, err := p.expectOnly("$"); err != nil {
		return "", err
	}
	name, err := p.expectOnly(tokenIdent)
	if err != nil {
		return "", err
	}
	return name.text, nil
}

func (p *parser) folding() (query, error) {
	f := &folding{each: p.take().kind == "foreach"}
	var err error
	if f.source, err = p.term(); err != nil {
		return nil, err
	}
	if p.peek().kind != "as" {
		return nil, p.unexpected(tokenField, "as", ".", "[")
	}
	p.take()
	if f.patterns, err = p.patterns(); err != nil {
		return nil, err
	}
	if _, err := p.expectOnly("("); err != nil {
		return nil, err
	}
	if f.init, err = p.expression(0); err != nil {
		return nil, err
	}
	if _, err := p.expect(";"); err != nil {
		return nil, err
	}
	if f.update, err = p.expression(0); err != nil {
		return nil, err
	}
	f.extract = identity{}
	if f.each && p.accept(";") {
		if f.extract, err = p.expression(0); err != nil {
			return nil, err
		}
	}
	_, err = p.expect(")")
	return f, err
}

// condition reads what follows if, or elif where first is false.
func (p *parser) condition(start *token, first bool) (query, error) {
	test, err := p.expression(0)
	if err != nil {
		return nil, err
	}
	if _, err := p.expect("then"); err != nil {
		return nil, err
	}
	c, err := p.branches(start, test)
	if err == errSyntax && first && !p.bracketed(start) {
		p.source.report(start.start, "Possibly unterminated 'if' statement")
	}
	return c, err
}

// bracketed reports a bracket open between start and the token reached: jq's
// parser goes on behind its end, not behind start.
func (p *parser) bracketed(start *token) bool {
	depth := 0
	for i := p.pos - 1; i >= 0 && &p.tokens[i] != start; i-- {
		switch p.tokens[i].kind {
		case "(", "[", "{", tokenInterpFrom:
			if depth++; depth > 0 {
				return true
			}
		case ")", "]", "}", tokenInterpTo:
			depth--
		}
	}
	return false
}

// begins reports a token that an expression can begin with.
func (p *parser) begins() bool {
	switch p.peek().kind {
	case tokenIdent, tokenField, tokenLiteral, tokenFormat, tokenQuoteStart, ".", "..", "break", "(", "[", "{", "$", "-",
		"def", "reduce", "foreach", "if", "try", "label":
		return true
	}
	return false
}

func (p *parser) branches(start *token, test query) (query, error) {
	c := &condition{test: test}
	var err error
	if c.then, err = p.expression(0); err != nil {
		return nil, err
	}
	if p.peek().kind == "elif" {
		if err := p.enter(); err != nil {
			return nil, err
		}
		defer p.leave()
		p.take()
		c.otherwise, err = p.condition(start, false)
		return c, err
	}
	if _, err := p.expect("else"); err != nil {
		return nil, err
	}
	if c.otherwise, err = p.expression(0); err != nil {
		return nil, err
	}
	_, err = p.expect("end")
	return c, err
}

func (p *parser) attempt() (query, error) {
	p.take()
	body, err := p.expression(levelTry)
	if err != nil {
		return nil, err
	}
	if !p.accept("catch") {
		return &attempt{body: body}, nil
	}
	handler, err := p.expression(levelTry)
	return &attempt{body, handler}, err
}

func (p *parser) patterns() ([]pattern, error) {
	var all []pattern
	for {
		one, err := p.pattern()
		if err != nil {
			return nil, err
		}
		all = append(all, *one)
		if !p.accept("?//") {
			return all, nil
		}
	}
}

func (p *parser) pattern() (*pattern, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	switch p.peek().kind {
	case "$":
		name, err := p.dollarName()
		return &pattern{variable: name}, err
	case "[":
		p.take()
		one := &pattern{}
		for {
			element, err := p.pattern()
			if err != nil {
				return nil, err
			}
			one.elements = append(one.elements, *element)
			if !p.accept(",") {
				_, err := p.expectOnly("]", ",")
				return one, err
			}
		}
	case "{":
		p.take()
		one := &pattern{}
		for {
			key, err := p.keyPattern()
			if err != nil {
				return nil, err
			}
			one.keys = append(one.keys, *key)
			if !p.accept(",") {
				_, err := p.expectOnly("}", ",")
				return one, err
			}
		}
	}
	return nil, p.unexpected("$", "[", "{")
}

func (p *parser) keyPattern() (*keyPattern, error) {
	k := &keyPattern{}
	var err error
	switch t := p.peek(); {
	case t.kind == "$":
		if k.variable, err = p.dollarName(); err != nil {
			return nil, err
		}
		k.key = &literal{k.variable}
		if p.peek().kind != ":" {
			return k, nil
		}
	case t.kind == tokenIdent || isKeyword(string(t.kind)):
		p.take()
		k.key = &literal{t.text}
	case t.kind == "(":
		p.take()
		if k.key, err = p.expression(0); err != nil {
			return nil, err
		}
		if _, err := p.expect(")"); err != nil {
			return nil, err
		}
	default:
		if k.key, err = p.quoted(); err != nil {
			return nil, err
		}
	}
	if _, err := p.expectOnly(":"); err != nil {
		return nil, err
	}
	k.value, err = p.pattern()
	return k, err
}
