package awk

// The grammar's levels, loosest first: assignment and ?:, ||, &&, in, ~,
// comparison, concatenation, additive, multiplicative, unary, power, ++ --, $.

func (p *parser) parseExpr() expr {
	p.enter()
	defer p.leave()
	left := p.parseTernary()
	if p.tok.kind == tOp {
		switch op := p.tok.text; op {
		case "=", "+=", "-=", "*=", "/=", "%=", "^=":
			to, ok := left.(lvalue)
			if !ok {
				// "a == b = c" and "!x = y": the assignment binds to the last operand.
				if x := p.assignInside(left); x != nil {
					return x
				}
				p.syntaxError()
			}
			p.advance()
			p.newlines()
			return &assignExpr{to, op[0] * bool2byte(len(op) > 1), p.parseExpr()}
		}
	}
	return left
}

func bool2byte(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// assignInside moves an assignment into the rightmost operand of x.
func (p *parser) assignInside(x expr) expr {
	var slot *expr
	switch x := x.(type) {
	case *notExpr:
		slot = &x.x
	case *unaryExpr:
		slot = &x.x
	case *compareExpr:
		slot = &x.right
	case *andExpr:
		slot = &x.right
	case *orExpr:
		slot = &x.right
	case *binaryExpr:
		slot = &x.right
	case *concatExpr:
		slot = &x.parts[len(x.parts)-1]
	case *condExpr:
		slot = &x.other
	default:
		return nil
	}
	if to, ok := (*slot).(lvalue); ok {
		op := p.tok.text
		p.advance()
		p.newlines()
		*slot = &assignExpr{to, op[0] * bool2byte(len(op) > 1), p.parseExpr()}
		return x
	}
	if inner := p.assignInside(*slot); inner != nil {
		*slot = inner
		return x
	}
	return nil
}

func (p *parser) parseTernary() expr {
	cond := p.parseOr()
	if !p.isOp("?") {
		return cond
	}
	p.advance()
	p.newlines()
	then := p.parseExpr()
	p.newlines()
	p.expect(":")
	p.newlines()
	return &condExpr{cond, then, p.parseExpr()}
}

func (p *parser) parseOr() expr {
	left := p.parseAnd()
	for p.isOp("||") {
		p.advance()
		p.newlines()
		left = &orExpr{left, p.parseAnd()}
	}
	return left
}

func (p *parser) parseAnd() expr {
	left := p.parseIn()
	for p.isOp("&&") {
		p.advance()
		p.newlines()
		left = &andExpr{left, p.parseIn()}
	}
	return left
}

func (p *parser) parseIn() expr {
	left := p.parseMatch()
	for !p.noIn && p.isWord("in") {
		p.advance()
		ref := p.arrayName()
		index := []expr{left}
		if l, ok := left.(*listExpr); ok {
			index = l.parts
		}
		left = &inExpr{index, ref}
	}
	return left
}

// arrayName reads a name, with subscripts where it is an array of arrays.
func (p *parser) arrayName() *arrayRef {
	if p.tok.kind != tName {
		p.syntaxError()
	}
	ref := &arrayRef{base: p.variable(p.tok.text)}
	p.advance()
	for p.isOp("[") {
		p.advance()
		index := p.parseList("]")
		p.expect("]")
		ref = &arrayRef{inner: &access{array: ref, index: index}}
	}
	return ref
}

func (p *parser) parseMatch() expr {
	left := p.parseComparison()
	for p.isOp("~") || p.isOp("!~") {
		not := p.tok.text == "!~"
		p.advance()
		left = &matchExpr{not, left, p.regexOf(p.parseComparison())}
	}
	return left
}

// regexOf makes a regular expression of an operand: a literal stays one.
func (p *parser) regexOf(x expr) *regexRef {
	if r, ok := x.(*regexExpr); ok {
		return r.re
	}
	return &regexRef{dynamic: x}
}

func (p *parser) parseComparison() expr {
	left := p.parseConcat(false)
	if p.tok.kind == tOp {
		switch op := p.tok.text; op {
		case ">":
			if p.noGT {
				return left
			}
			fallthrough
		case "<", "<=", "==", "!=", ">=":
			p.advance()
			return &compareExpr{op, left, p.parseConcat(false)}
		}
	}
	return left
}

// startsOperand reports whether the token can start an operand of a
// concatenation.
func (p *parser) startsOperand() bool {
	switch p.tok.kind {
	case tNumber, tString, tRegex, tName, tFuncName, tBuiltin:
		return true
	case tOp:
		switch p.tok.text {
		case "$", "!", "(", "-", "+", "++", "--", "@":
			return true
		}
	}
	return false
}

// parseConcat reads a concatenation and the "| getline" that may follow it.
// In a redirection's target only the concatenation is read.
func (p *parser) parseConcat(target bool) expr {
	left := p.parseAdditive()
	for {
		switch {
		case p.startsOperand() && !p.isOp("!") && !(p.isWord("in")):
			right := p.parseAdditive()
			if c, ok := left.(*concatExpr); ok {
				c.parts = append(c.parts, right)
			} else {
				left = &concatExpr{[]expr{left, right}}
			}
		case !target && (p.isOp("|") || p.isOp("|&")):
			kind := byte('|')
			if p.tok.text == "|&" {
				kind = '&'
			}
			pipe := p.tok
			p.advance()
			if !p.isWord("getline") {
				p.ahead = append([]token{p.tok}, p.ahead...)
				p.tok = pipe
				return left
			}
			p.sandboxed("redirection not allowed in sandbox mode")
			p.advance()
			left = &getlineExpr{to: p.optionalLvalue(), source: left, kind: kind}
		default:
			return left
		}
	}
}

func (p *parser) parseAdditive() expr {
	left := p.parseMultiplicative()
	for p.isOp("+") || p.isOp("-") {
		op := p.tok.text[0]
		p.advance()
		left = &binaryExpr{op, left, p.parseMultiplicative()}
	}
	return left
}

func (p *parser) parseMultiplicative() expr {
	left := p.parseUnary()
	for p.isOp("*") || p.isOp("/") || p.isOp("%") {
		op := p.tok.text[0]
		p.advance()
		right := p.parseUnary()
		if n, ok := right.(*constant); ok && op != '*' && n.v.kind == kNumber && n.v.n == 0 {
			if _, ok := left.(*constant); ok {
				p.lex.reject(p.tok.line, divisionByZero(op))
			}
		}
		left = &binaryExpr{op, left, right}
	}
	return left
}

func (p *parser) parseUnary() expr {
	p.enter()
	defer p.leave()
	if p.tok.kind == tOp {
		switch p.tok.text {
		case "!":
			p.advance()
			x := p.parseUnary()
			if r, ok := x.(*regexExpr); ok {
				return &notExpr{r}
			}
			// "! x ~ y" is "! (x ~ y)" in gawk.
			if p.isOp("~") || p.isOp("!~") {
				not := p.tok.text == "!~"
				p.advance()
				return &notExpr{&matchExpr{not, x, p.regexOf(p.parseComparison())}}
			}
			return &notExpr{x}
		case "-", "+":
			op := p.tok.text[0]
			p.advance()
			return &unaryExpr{op, p.parseUnary()}
		}
	}
	return p.parsePower()
}

func (p *parser) parsePower() expr {
	left := p.parsePostfix()
	if p.isOp("^") {
		p.advance()
		// The exponent may carry a sign, and binds to the right.
		var right expr
		if p.isOp("-") || p.isOp("+") || p.isOp("!") {
			op := p.tok.text[0]
			p.advance()
			right = p.parsePowerOperand()
			if op == '!' {
				right = &notExpr{right}
			} else {
				right = &unaryExpr{op, right}
			}
		} else {
			right = p.parsePowerOperand()
		}
		return &binaryExpr{'^', left, right}
	}
	return left
}

func (p *parser) parsePowerOperand() expr {
	p.enter()
	defer p.leave()
	if p.isOp("-") || p.isOp("+") {
		op := p.tok.text[0]
		p.advance()
		return &unaryExpr{op, p.parsePowerOperand()}
	}
	return p.parsePower()
}

func (p *parser) parsePostfix() expr {
	if p.isOp("++") || p.isOp("--") {
		by := 1.0
		if p.tok.text == "--" {
			by = -1
		}
		p.advance()
		x := p.parsePrimary()
		to, ok := x.(lvalue)
		if !ok {
			p.syntaxError()
		}
		return &incExpr{to, by, false}
	}
	x := p.parsePrimary()
	if to, ok := x.(lvalue); ok && (p.isOp("++") || p.isOp("--")) {
		by := 1.0
		if p.tok.text == "--" {
			by = -1
		}
		p.advance()
		return &incExpr{to, by, true}
	}
	return x
}

// optionalLvalue is getline's variable, if there is one.
func (p *parser) optionalLvalue() lvalue {
	if p.tok.kind == tName || p.isOp("$") {
		if to, ok := p.parsePrimary().(lvalue); ok {
			return to
		}
		p.syntaxError()
	}
	return nil
}

func (p *parser) parsePrimary() expr {
	p.enter()
	defer p.leave()
	t := p.tok
	switch t.kind {
	case tNumber:
		p.advance()
		return &constant{num(t.num)}
	case tString:
		p.advance()
		return &constant{str(t.text)}
	case tRegex:
		re := p.pattern(t)
		p.advance()
		if re.typed {
			return &constant{value{s: t.text, kind: kRegex}}
		}
		return &regexExpr{re}
	case tName:
		p.advance()
		if p.isOp("[") {
			ref := &arrayRef{base: p.variable(t.text)}
			for {
				p.advance()
				index := p.parseList("]")
				p.expect("]")
				a := &access{array: ref, index: index}
				if !p.isOp("[") {
					return a
				}
				ref = &arrayRef{inner: a}
			}
		}
		return p.variable(t.text)
	case tFuncName:
		p.advance()
		return p.parseCall(t)
	case tBuiltin:
		p.advance()
		return p.parseBuiltin(t)
	case tKeyword:
		if t.text == "getline" {
			p.advance()
			g := &getlineExpr{to: p.optionalLvalue()}
			if p.isOp("<") {
				p.sandboxed("redirection not allowed in sandbox mode")
				p.advance()
				g.kind = '<'
				g.source = p.parsePrimaryConcatOperand()
			}
			return g
		}
	case tOp:
		switch t.text {
		case "$":
			p.advance()
			return &field{p.parseFieldIndex()}
		case "(":
			return p.parseGroup()
		case "@":
			p.advance()
			if p.tok.kind == tFuncName {
				name := p.variable(p.tok.text)
				p.advance()
				p.expect("(")
				args := p.parseList(")")
				p.expect(")")
				return &indirectExpr{name, args}
			}
		case "-", "+":
			// After an operator such as ">" the sign belongs to the operand.
			p.advance()
			return &unaryExpr{t.text[0], p.parseUnary()}
		}
	}
	p.syntaxError()
	return nil
}

// parsePrimaryConcatOperand is getline's file: an operand without concatenation.
func (p *parser) parsePrimaryConcatOperand() expr { return p.parsePostfix() }

// parseFieldIndex is what follows "$": an operand, with ++ and -- in front.
func (p *parser) parseFieldIndex() expr {
	if p.isOp("++") || p.isOp("--") {
		by := 1.0
		if p.tok.text == "--" {
			by = -1
		}
		p.advance()
		to, ok := p.parsePrimary().(lvalue)
		if !ok {
			p.syntaxError()
		}
		return &incExpr{to, by, false}
	}
	if p.isOp("-") || p.isOp("+") || p.isOp("!") {
		op := p.tok.text[0]
		p.advance()
		x := p.parseFieldIndex()
		if op == '!' {
			return &notExpr{x}
		}
		return &unaryExpr{op, x}
	}
	return p.parsePrimary()
}

func (p *parser) parseGroup() expr {
	p.advance()
	saveIn, saveGT, savePipe := p.noIn, p.noGT, p.noPipe
	p.noIn, p.noGT, p.noPipe = false, false, false
	p.newlines()
	list := []expr{p.parseExpr()}
	p.newlines()
	for p.isOp(",") {
		p.advance()
		p.newlines()
		list = append(list, p.parseExpr())
		p.newlines()
	}
	p.noIn, p.noGT, p.noPipe = saveIn, saveGT, savePipe
	p.expect(")")
	if len(list) > 1 {
		return &listExpr{list}
	}
	return &groupExpr{list[0]}
}

func (p *parser) parseCall(name token) expr {
	p.expect("(")
	c := &callExpr{name: name.text, args: p.parseList(")"), line: name.line}
	p.expect(")")
	p.calls = append(p.calls, c)
	return c
}

func (p *parser) parseBuiltin(name token) expr {
	b := &builtinExpr{id: builtinIndex(name.text), line: name.line}
	if p.isOp("(") {
		p.advance()
		b.args = p.parseList(")")
		if !p.isOp(")") {
			p.syntaxError()
		}
		spec := &builtinTable[b.id]
		if len(b.args) < spec.least || len(b.args) > spec.most {
			if name.text == "and" || name.text == "or" || name.text == "xor" {
				panic(&SyntaxError{Line: name.line, Source: p.lex.source, Message: "fatal: " + name.text + ": called with less than two arguments", Fatal: true})
			}
			p.fail("%d is invalid as number of arguments for %s", len(b.args), name.text)
		}
		if name.text == "system" {
			p.sandboxed("'system' function not allowed in sandbox mode")
		}
		p.advance()
	} else if name.text != "length" {
		p.syntaxError()
	}
	return b
}
