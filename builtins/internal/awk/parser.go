package awk

import (
	"fmt"
)

// maxNesting bounds the depth of expressions and statements.
const maxNesting = 1000

type parser struct {
	lex      *lexer
	tok      token
	ahead    []token
	program  *Program
	function *function
	locals   map[string]int
	depth    int
	noIn     bool // in a for's head: "in" belongs to it
	noGT     bool // in a print's list: ">" redirects
	noPipe   bool
	loops    int
	calls    []*callExpr
	warn     func(string)
}

// Source is one piece of a program's text; Name is "cmd. line" for an argument.
type Source struct{ Name, Text string }

// Parse parses a program of several sources. Its error is a *SyntaxError.
func Parse(sources []Source) (program *Program, err error) {
	p := &parser{program: &Program{globals: map[string]int{}, functions: map[string]*function{}}}
	defer func() {
		if r := recover(); r != nil {
			s, ok := r.(*SyntaxError)
			if !ok {
				panic(r)
			}
			program, err = nil, s
		}
	}()
	for _, s := range sources {
		p.lex = &lexer{src: s.Text, line: 1, source: s.Name}
		p.ahead = nil
		p.advance()
		p.parseItems()
	}
	for _, c := range p.calls {
		fn := p.program.functions[c.name]
		if fn == nil || !fn.define {
			return nil, &SyntaxError{Line: c.line, Source: p.lex.source, Message: "function `" + c.name + "' not defined"}
		}
		if len(c.args) > len(fn.params) {
			return nil, &SyntaxError{Line: c.line, Source: p.lex.source, Message: fmt.Sprintf("function `%s' called with more arguments than declared", c.name)}
		}
		c.fn = fn
	}
	return p.program, nil
}

func (p *parser) advance() {
	if len(p.ahead) > 0 {
		p.tok = p.ahead[0]
		p.ahead = p.ahead[1:]
		return
	}
	p.tok = p.lex.next()
}

func (p *parser) fail(format string, args ...any) {
	p.lex.fail(p.tok.line, fmt.Sprintf(format, args...))
}

func (p *parser) syntaxError() {
	if p.tok.kind == tEOF || p.tok.kind == tNewline {
		p.fail("syntax error: unexpected newline or end of string")
	}
	p.fail("syntax error at or near %s", p.tok)
}

func (p *parser) isOp(op string) bool { return p.tok.kind == tOp && p.tok.text == op }

func (p *parser) isWord(w string) bool { return p.tok.kind == tKeyword && p.tok.text == w }

func (p *parser) expect(op string) {
	if !p.isOp(op) {
		p.syntaxError()
	}
	p.advance()
}

func (p *parser) newlines() {
	for p.tok.kind == tNewline {
		p.advance()
	}
}

func (p *parser) terminators() {
	for p.tok.kind == tNewline || p.isOp(";") {
		p.advance()
	}
}

func (p *parser) enter() {
	if p.depth++; p.depth > maxNesting {
		p.fail("program nested too deeply")
	}
}

func (p *parser) leave() { p.depth-- }

func (p *parser) parseItems() {
	for {
		p.terminators()
		if p.tok.kind == tEOF {
			return
		}
		switch {
		case p.isWord("function"):
			p.parseFunction()
		case p.isWord("BEGIN"):
			p.advance()
			p.program.begin = append(p.program.begin, p.requiredBlock("BEGIN"))
		case p.isWord("END"):
			p.advance()
			p.program.end = append(p.program.end, p.requiredBlock("END"))
		case p.isWord("BEGINFILE"):
			p.advance()
			p.program.beginFile = append(p.program.beginFile, p.requiredBlock("BEGINFILE"))
		case p.isWord("ENDFILE"):
			p.advance()
			p.program.endFile = append(p.program.endFile, p.requiredBlock("ENDFILE"))
		default:
			p.parseRule()
		}
	}
}

func (p *parser) requiredBlock(what string) stmt {
	if !p.isOp("{") {
		p.fail("%s blocks must have an action part", what)
	}
	return p.parseBlock()
}

func (p *parser) parseRule() {
	r := &rule{}
	if !p.isOp("{") {
		r.pattern = append(r.pattern, p.parseExpr())
		if p.isOp(",") {
			p.advance()
			p.newlines()
			r.pattern = append(r.pattern, p.parseExpr())
		}
	}
	if p.isOp("{") {
		r.body = p.parseBlock()
	}
	p.program.rules = append(p.program.rules, r)
	if p.tok.kind != tNewline && p.tok.kind != tEOF && !p.isOp(";") && r.body == nil {
		p.syntaxError()
	}
}

func (p *parser) parseFunction() {
	p.advance()
	name := p.tok.text
	if p.tok.kind != tName && p.tok.kind != tFuncName {
		p.syntaxError()
	}
	if old := p.program.functions[name]; old != nil && old.define {
		p.fail("function name `%s' previously defined", name)
	}
	fn := p.functionNamed(name)
	fn.define = true
	p.advance()
	p.expect("(")
	p.locals = map[string]int{}
	for !p.isOp(")") {
		p.newlines()
		if p.tok.kind != tName {
			p.syntaxError()
		}
		if _, twice := p.locals[p.tok.text]; twice {
			p.fail("function `%s': parameter #%d, `%s', duplicates parameter #%d", name, len(fn.params)+1, p.tok.text, p.locals[p.tok.text]+1)
		}
		p.locals[p.tok.text] = len(fn.params)
		fn.params = append(fn.params, p.tok.text)
		p.advance()
		p.newlines()
		if !p.isOp(",") {
			break
		}
		p.advance()
		p.newlines()
	}
	p.expect(")")
	p.newlines()
	p.function = fn
	fn.body = p.parseBlock()
	p.function, p.locals = nil, nil
}

func (p *parser) functionNamed(name string) *function {
	fn := p.program.functions[name]
	if fn == nil {
		fn = &function{name: name}
		p.program.functions[name] = fn
	}
	return fn
}

func (p *parser) parseBlock() stmt {
	p.enter()
	defer p.leave()
	p.expect("{")
	saveIn, saveGT, savePipe := p.noIn, p.noGT, p.noPipe
	p.noIn, p.noGT, p.noPipe = false, false, false
	b := &block{}
	for {
		p.terminators()
		if p.isOp("}") {
			break
		}
		if p.tok.kind == tEOF {
			p.syntaxError()
		}
		b.list = append(b.list, p.parseStatement())
	}
	p.noIn, p.noGT, p.noPipe = saveIn, saveGT, savePipe
	p.advance()
	return b
}

// endSimple takes the end of a simple statement.
func (p *parser) endSimple() {
	switch {
	case p.tok.kind == tNewline || p.isOp(";"):
		p.advance()
	case p.isOp("}") || p.tok.kind == tEOF:
	default:
		p.syntaxError()
	}
}

// body is a loop's or a condition's statement.
func (p *parser) body() stmt {
	p.newlines()
	if p.isOp(";") {
		p.advance()
		return &block{}
	}
	return p.parseStatement()
}

func (p *parser) parseStatement() stmt {
	p.enter()
	defer p.leave()
	if p.isOp("{") {
		return p.parseBlock()
	}
	if p.tok.kind == tKeyword {
		switch p.tok.text {
		case "if":
			return p.parseIf()
		case "while":
			return p.parseWhile()
		case "do":
			return p.parseDo()
		case "for":
			return p.parseFor()
		case "switch":
			return p.parseSwitch()
		}
	}
	s := p.parseSimple()
	p.endSimple()
	return s
}

func (p *parser) condition() expr {
	p.expect("(")
	saveIn, saveGT := p.noIn, p.noGT
	p.noIn, p.noGT = false, false
	x := p.parseExpr()
	p.noIn, p.noGT = saveIn, saveGT
	p.expect(")")
	return x
}

func (p *parser) parseIf() stmt {
	p.advance()
	s := &ifStmt{cond: p.condition()}
	s.then = p.body()
	// An else may stand behind newlines and one semicolon.
	var skipped []token
	for p.tok.kind == tNewline || p.isOp(";") {
		skipped = append(skipped, p.tok)
		p.advance()
	}
	if p.isWord("else") {
		p.advance()
		s.other = p.body()
		return s
	}
	if len(skipped) > 0 {
		p.ahead = append(append(skipped[1:], p.tok), p.ahead...)
		p.tok = skipped[0]
	}
	return s
}

func (p *parser) parseWhile() stmt {
	p.advance()
	cond := p.condition()
	if p.isOp(";") {
		p.advance()
		return &whileStmt{cond, &block{}}
	}
	p.loops++
	s := &whileStmt{cond, p.body()}
	p.loops--
	return s
}

func (p *parser) parseDo() stmt {
	p.advance()
	p.loops++
	s := &doStmt{body: p.body()}
	p.loops--
	p.terminators()
	if !p.isWord("while") {
		p.syntaxError()
	}
	p.advance()
	s.cond = p.condition()
	p.endSimple()
	return s
}

func (p *parser) parseFor() stmt {
	p.advance()
	p.expect("(")
	p.newlines()
	f := &forStmt{}
	if !p.isOp(";") {
		if p.tok.kind == tName {
			if s := p.tryForIn(); s != nil {
				return s
			}
		}
		f.init = p.parseSimple()
	}
	p.expect(";")
	p.newlines()
	if !p.isOp(";") {
		f.cond = p.parseExpr()
	}
	p.expect(";")
	p.newlines()
	if !p.isOp(")") {
		f.post = p.parseSimple()
	}
	p.expect(")")
	p.loops++
	f.body = p.body()
	p.loops--
	return f
}

// tryForIn reads "NAME in ARRAY)" and gives the tokens back when it is none.
func (p *parser) tryForIn() stmt {
	name := p.tok
	p.advance()
	if !p.isWord("in") {
		p.ahead = append([]token{p.tok}, p.ahead...)
		p.tok = name
		return nil
	}
	in := p.tok
	p.advance()
	array := p.tok
	if array.kind != tName {
		p.syntaxError()
	}
	p.advance()
	ref := &arrayRef{base: p.variable(array.text)}
	for p.isOp("[") {
		p.advance()
		index := p.parseList("]")
		p.expect("]")
		ref = &arrayRef{inner: &access{array: ref, index: index}}
	}
	if !p.isOp(")") {
		if ref.inner != nil {
			p.syntaxError()
		}
		p.ahead = append([]token{in, array, p.tok}, p.ahead...)
		p.tok = name
		return nil
	}
	p.advance()
	to := p.variable(name.text)
	p.loops++
	body := p.body()
	p.loops--
	return &forInStmt{to: to, array: ref, body: body}
}

func (p *parser) parseSwitch() stmt {
	p.advance()
	s := &switchStmt{value: p.condition()}
	p.newlines()
	p.expect("{")
	p.loops++
	for {
		p.terminators()
		if p.isOp("}") {
			break
		}
		var c switchCase
		switch {
		case p.isWord("case"):
			p.advance()
			if p.tok.kind == tRegex {
				c.re = &regexRef{literal: p.tok.text}
				p.advance()
			} else {
				c.value = p.parseUnary()
			}
		case p.isWord("default"):
			p.advance()
			c.isDefault = true
		default:
			p.syntaxError()
		}
		p.expect(":")
		for {
			p.terminators()
			if p.isOp("}") || p.isWord("case") || p.isWord("default") {
				break
			}
			c.body = append(c.body, p.parseStatement())
		}
		s.cases = append(s.cases, c)
	}
	p.loops--
	p.advance()
	return s
}

func (p *parser) atEnd() bool {
	return p.tok.kind == tNewline || p.tok.kind == tEOF || p.isOp(";") || p.isOp("}")
}

func (p *parser) parseSimple() stmt {
	if p.tok.kind != tKeyword {
		return &exprStmt{p.parseExpr()}
	}
	switch p.tok.text {
	case "print", "printf":
		return p.parsePrint()
	case "next":
		p.advance()
		return &jumpStmt{flowNext}
	case "nextfile":
		p.advance()
		return &jumpStmt{flowNextFile}
	case "break", "continue":
		if p.loops == 0 {
			p.fail("`%s' is not allowed outside a loop or switch", p.tok.text)
		}
		s := &jumpStmt{flowBreak}
		if p.tok.text == "continue" {
			s.flow = flowContinue
		}
		p.advance()
		return s
	case "exit":
		p.advance()
		s := &exitStmt{}
		if !p.atEnd() {
			s.status = p.parseExpr()
		}
		return s
	case "return":
		if p.function == nil {
			p.fail("`return' used outside function context")
		}
		p.advance()
		s := &returnStmt{}
		if !p.atEnd() {
			s.value = p.parseExpr()
		}
		return s
	case "delete":
		p.advance()
		paren := p.isOp("(")
		if paren {
			p.advance()
		}
		if p.tok.kind != tName {
			p.syntaxError()
		}
		ref := &arrayRef{base: p.variable(p.tok.text)}
		p.advance()
		s := &deleteStmt{array: ref}
		for p.isOp("[") {
			if s.index != nil {
				s.array = &arrayRef{inner: &access{array: s.array, index: s.index}}
			}
			p.advance()
			s.index = p.parseList("]")
			p.expect("]")
		}
		if paren {
			p.expect(")")
		}
		return s
	case "getline":
		return &exprStmt{p.parseExpr()}
	}
	p.syntaxError()
	return nil
}

func (p *parser) parsePrint() stmt {
	s := &printStmt{format: p.tok.text == "printf"}
	p.advance()
	saveGT := p.noGT
	p.noGT = true
	if !p.atEnd() && !p.isOp(">") && !p.isOp(">>") && !p.isOp("|") && !p.isOp("|&") {
		s.args = p.parsePrintList()
	}
	p.noGT = saveGT
	if s.format && len(s.args) == 0 {
		p.fail("syntax error: printf without arguments")
	}
	for _, r := range []struct {
		op   string
		kind byte
	}{{">", '>'}, {">>", 'a'}, {"|", '|'}, {"|&", '&'}} {
		if p.isOp(r.op) {
			p.advance()
			s.redirect = r.kind
			saveGT := p.noGT
			p.noGT = true
			s.to = p.parseConcat(true)
			p.noGT = saveGT
			break
		}
	}
	return s
}

// parsePrintList reads print's list, whose parentheses may be the list's own.
func (p *parser) parsePrintList() []expr {
	first := p.parseExpr()
	list := []expr{first}
	if l, ok := first.(*listExpr); ok {
		list = l.parts
	}
	for p.isOp(",") {
		p.advance()
		p.newlines()
		list = append(list, p.parseExpr())
	}
	return list
}

func (p *parser) parseList(end string) []expr {
	var list []expr
	saveIn, saveGT, savePipe := p.noIn, p.noGT, p.noPipe
	p.noIn, p.noGT, p.noPipe = false, false, false
	p.newlines()
	for !p.isOp(end) {
		list = append(list, p.parseExpr())
		p.newlines()
		if !p.isOp(",") {
			break
		}
		p.advance()
		p.newlines()
	}
	p.noIn, p.noGT, p.noPipe = saveIn, saveGT, savePipe
	return list
}

func (p *parser) variable(name string) *variable {
	if p.locals != nil {
		if i, ok := p.locals[name]; ok {
			return &variable{name: name, scope: scopeLocal, index: i}
		}
	}
	if i := specialIndex(name); i >= 0 {
		return &variable{name: name, scope: scopeSpecial, index: i}
	}
	return &variable{name: name, index: p.program.global(name)}
}

// global is the slot of a global name.
func (g *Program) global(name string) int {
	i, ok := g.globals[name]
	if !ok {
		i = len(g.names)
		g.globals[name] = i
		g.names = append(g.names, name)
	}
	return i
}
