package jq

import "fmt"

// term reads a primary expression with its suffixes.
func (p *parser) term() (query, error) {
	left, err := p.primary()
	if err != nil {
		return nil, err
	}
	for {
		switch t := p.peek(); {
		case t.kind == tokenField:
			p.take()
			left = &indexing{left, &literal{t.text}, p.accept("?")}
		case t.kind == "." && (p.peekAt(1) == tokenQuoteStart || p.peekAt(1) == tokenFormat):
			p.take()
			key, err := p.quoted()
			if err != nil {
				return nil, err
			}
			left = &indexing{left, key, p.accept("?")}
		case t.kind == ".":
			p.take()
			return nil, p.unexpected(tokenFormat, tokenQuoteStart)
		case t.kind == "[":
			p.take()
			if left, err = p.suffix(left); err != nil {
				return nil, err
			}
		default:
			return left, nil
		}
	}
}

// suffix reads what follows the bracket of an index, a slice or an iteration.
func (p *parser) suffix(left query) (query, error) {
	if p.accept("]") {
		return &iteration{left, p.accept("?")}, nil
	}
	if p.accept(":") {
		to, err := p.expression(0)
		if err != nil {
			return nil, err
		}
		if _, err := p.expect("]"); err != nil {
			return nil, err
		}
		return &slicing{left, nil, to, p.accept("?")}, nil
	}
	key, err := p.expression(0)
	if err != nil {
		return nil, err
	}
	if !p.accept(":") {
		if _, err := p.expect("]"); err != nil {
			return nil, err
		}
		return &indexing{left, key, p.accept("?")}, nil
	}
	var to query
	if p.peek().kind != "]" {
		if to, err = p.expression(0); err != nil {
			return nil, err
		}
	}
	if _, err := p.expect("]"); err != nil {
		return nil, err
	}
	return &slicing{left, key, to, p.accept("?")}, nil
}

func (p *parser) primary() (query, error) {
	switch t := p.peek(); t.kind {
	case ".":
		p.take()
		if k := p.peek().kind; k == tokenQuoteStart || k == tokenFormat && p.peekAt(1) == tokenQuoteStart {
			key, err := p.quoted()
			if err != nil {
				return nil, err
			}
			return &indexing{identity{}, key, p.accept("?")}, nil
		}
		return identity{}, nil
	case "..":
		p.take()
		return &call{name: "recurse", at: t.start}, nil
	case tokenField:
		p.take()
		return &indexing{identity{}, &literal{t.text}, p.accept("?")}, nil
	case "break":
		p.take()
		if p.peek().kind != "$" {
			err := p.unexpected("$")
			p.source.report(t.start, "break requires a label to break to")
			return nil, err
		}
		name, err := p.dollarName()
		return &breaking{name, t.start}, err
	case tokenLiteral:
		p.take()
		return &literal{t.value}, nil
	case tokenFormat:
		if p.peekAt(1) == tokenQuoteStart {
			return p.quoted()
		}
		p.take()
		return &formatter{t.text[1:]}, nil
	case tokenQuoteStart:
		return p.quoted()
	case "(":
		p.take()
		q, err := p.expression(0)
		if err != nil {
			return nil, err
		}
		_, err = p.expect(")")
		return q, err
	case "[":
		p.take()
		if p.accept("]") {
			return &literal{&Array{}}, nil
		}
		q, err := p.expression(0)
		if err != nil {
			return nil, err
		}
		_, err = p.expect("]")
		return &collection{q}, err
	case "{":
		return p.construction()
	case "$":
		p.take()
		if p.accept("__loc__") {
			line := 1
			for i := range t.start {
				if p.source.text[i] == '\n' {
					line++
				}
			}
			return &literal{objectOf("file", p.source.name, "line", float64(line))}, nil
		}
		if p.peek().kind != tokenIdent {
			return nil, p.unexpected(tokenIdent, "__loc__")
		}
		name := p.take()
		return &variable{name.text, t.start}, nil
	case tokenIdent:
		return p.call()
	}
	return nil, p.unexpected()
}

func (p *parser) call() (query, error) {
	t := p.take()
	c := &call{name: t.text, at: t.start}
	if !p.accept("(") {
		switch t.text {
		case "null":
			return &literal{nil}, nil
		case "true", "false":
			return &literal{t.text == "true"}, nil
		}
		return c, nil
	}
	for {
		arg, err := p.expression(0)
		if err != nil {
			return nil, err
		}
		c.args = append(c.args, arg)
		if !p.accept(";") {
			_, err := p.expectOnly(")", ";")
			return c, err
		}
	}
}

// quoted reads a string, which may have a format before it.
func (p *parser) quoted() (query, error) {
	format := "text"
	if t := p.peek(); t.kind == tokenFormat {
		format = t.text[1:]
		p.take()
	}
	if _, err := p.expectOnly(tokenQuoteStart, tokenFormat); err != nil {
		return nil, err
	}
	s := &text{format: format}
	for {
		switch t := p.peek(); t.kind {
		case tokenQuoteText:
			p.take()
			if n := len(s.parts); n > 0 && s.parts[n-1].query == nil {
				s.parts[n-1].text += t.text
			} else {
				s.parts = append(s.parts, textPart{text: t.text})
			}
		case tokenInterpFrom:
			p.take()
			q, err := p.expression(0)
			if err != nil {
				return nil, err
			}
			if _, err := p.expect(tokenInterpTo); err != nil {
				return nil, err
			}
			s.parts = append(s.parts, textPart{query: q})
		case tokenQuoteEnd:
			p.take()
			return s.simplify(), nil
		default:
			return nil, p.unexpected(tokenQuoteText, tokenInterpFrom, tokenQuoteEnd)
		}
	}
}

func (s *text) simplify() query {
	switch {
	case len(s.parts) == 0:
		return &literal{""}
	case len(s.parts) == 1 && s.parts[0].query == nil:
		return &literal{s.parts[0].text}
	}
	return s
}

func (p *parser) construction() (query, error) {
	p.take()
	c := &construction{}
	first := p.peek().start
	for p.peek().kind != "}" {
		one, err := p.pair()
		if err != nil {
			return nil, err
		}
		c.pairs = append(c.pairs, *one)
		if !p.accept(",") {
			break
		}
	}
	_, err := p.expectOnly("}")
	if err != nil {
		p.explainKey(first)
	}
	return c, err
}

func (p *parser) pair() (*pair, error) {
	var key query
	var err error
	at := p.peek().start
	// own is the value of a key that stands alone.
	var own query
	switch t := p.peek(); {
	case t.kind == "$":
		name, err := p.dollarName()
		return &pair{&literal{name}, &variable{name, t.start}}, err
	case t.kind == tokenIdent:
		p.take()
		key = &literal{t.text}
		own = &indexing{identity{}, key, false}
	case isKeyword(string(t.kind)):
		p.take()
		key = &literal{t.text}
	case t.kind == "(":
		p.take()
		if key, err = p.expression(0); err != nil {
			return nil, err
		}
		if _, err := p.expect(")"); err != nil {
			p.explainKey(at)
			return nil, err
		}
	default:
		if t.kind != tokenQuoteStart && t.kind != tokenFormat {
			err := p.unexpected()
			if p.tokens[p.pos-1].kind == "{" {
				p.explainKey(at)
			}
			return nil, err
		}
		if key, err = p.quoted(); err != nil {
			return nil, err
		}
		own = &indexing{identity{}, key, false}
	}
	if own != nil && p.peek().kind != ":" {
		return &pair{key, own}, nil
	}
	if _, err := p.expectOnly(":"); err != nil {
		return nil, err
	}
	value, err := p.pairValue()
	if v, ok := constant(key); ok && kindOf(v) != kindString && err == nil {
		p.source.report(at, fmt.Sprintf("Cannot use %s (%s) as object key", typeName(v), excerpt(v, excerptSize)))
	}
	return &pair{key, value}, err
}

// pairValue reads a key's value: terms joined by |, and minus signs.
func (p *parser) pairValue() (query, error) {
	left, err := p.pairOperand()
	for err == nil && p.accept("|") {
		var right query
		right, err = p.pairOperand()
		left = &pipe{left, right}
	}
	return left, err
}

func (p *parser) pairOperand() (query, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	if !p.accept("-") {
		return p.term()
	}
	body, err := p.pairOperand()
	return &negated{body}, err
}
