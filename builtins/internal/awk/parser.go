package awk

import (
	"fmt"
	"strings"

	"github.com/vsh-project/vsh/internal/regex"
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
	last     *place
	depth    int
	deepest  int
	noIn     bool // in a for's head: "in" belongs to it
	noGT     bool // in a print's list: ">" redirects
	noPipe   bool
	loops    int
	calls    []*callExpr
	context  string // the special pattern whose action is read, or ""
	options  Options
	included map[string]bool
}

// Options are how a program is read.
type Options struct {
	// Standard leaves out gawk's own functions; Sandbox refuses to run commands
	// and to write files.
	Standard, Sandbox bool
	// Include reads the file of an @include.
	Include func(name string) (text string, err error)
	// Warn tells a warning's text, with its place.
	Warn func(string)
	// Escapes is told of strings' escapes that mean nothing; nil tells nobody.
	Escapes *Escapes
}

// Defines reports whether the program has a function of that name.
func (g *Program) Defines(name string) bool {
	fn := g.functions[name]
	return fn != nil && fn.define
}

// Source is one piece of a program's text; Name is "cmd. line" for an argument.
type Source struct{ Name, Text string }

// Parse parses a program of several sources. Its error is a *SyntaxError.
func Parse(sources []Source, options Options) (program *Program, err error) {
	p := &parser{program: &Program{globals: map[string]int{}, functions: map[string]*function{}, sandbox: options.Sandbox}, options: options, included: map[string]bool{}}
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
		p.included[s.Name] = true
		p.source(s)
	}
	for _, c := range p.calls {
		fn := p.program.functions[c.name]
		if fn == nil || !fn.define {
			if specialIndex(c.name) >= 0 {
				p.lex.reject(c.line, "attempt to use non-function `"+c.name+"' in function call")
			}
			continue // a fatal error only where it is called
		}
		if len(c.args) > len(fn.params) && options.Warn != nil {
			options.Warn(fmt.Sprintf("%s:%d: warning: function `%s' called with more arguments than declared", p.lex.source, c.line, c.name))
		}
		c.fn = fn
	}
	return p.program, nil
}

// source reads one source to its end. gawk ends each with a newline.
func (p *parser) source(s Source) {
	if !strings.HasSuffix(s.Text, "\n") {
		s.Text += "\n"
	}
	p.lex = &lexer{src: s.Text, line: 1, source: s.Name, standard: p.options.Standard, escapes: p.options.Escapes}
	p.ahead = nil
	p.advance()
	p.parseItems()
}

// directive reads @include and @namespace.
func (p *parser) directive() {
	at := p.tok
	p.advance()
	name := p.tok
	p.advance()
	if name.kind != tName || p.tok.kind != tString || name.text != "include" && name.text != "namespace" {
		p.syntaxError()
	}
	text := p.tok.text
	if name.text == "namespace" {
		if p.lex.namespace = text; text == "awk" {
			p.lex.namespace = ""
		}
		p.advance()
		return
	}
	if p.options.Include == nil {
		p.syntaxError()
	}
	if !p.included[text] {
		p.included[text] = true
		p.enter()
		body, err := p.options.Include(text)
		if err != nil {
			p.lex.reject(at.line, fmt.Sprintf("cannot open source file `%s' for reading: %s", text, err))
		}
		lex, ahead := p.lex, p.ahead
		p.source(Source{Name: text, Text: body})
		p.lex, p.ahead = lex, ahead
		p.leave()
	}
	p.advance()
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
	p.lex.fail(p.tok.line, p.tok.pos, fmt.Sprintf(format, args...))
}

func (p *parser) syntaxError() { p.fail(syntaxErrorText) }

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
	p.deepest = max(p.deepest, p.depth)
}

func (p *parser) leave() { p.depth-- }

func (p *parser) parseItems() {
	for {
		p.terminators()
		if p.tok.kind == tEOF {
			return
		}
		switch {
		case p.isOp("@"):
			p.directive()
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
		line := p.tok.line
		if p.tok.kind == tNewline {
			p.newlines()
			line = p.tok.line - 1
			if p.tok.kind != tEOF {
				line++
			}
		}
		panic(&SyntaxError{Line: line, Source: p.lex.source, Message: what + " blocks must have an action part"})
	}
	p.context = what
	b := p.parseBlock()
	p.context = ""
	return b
}

func (p *parser) parseRule() {
	r := &rule{at: p.place()}
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
	if p.tok.kind == tBuiltin {
		p.fail("`%s' is a built-in function, it cannot be redefined", name)
	}
	if p.tok.kind != tName && p.tok.kind != tFuncName {
		p.syntaxError()
	}
	if old := p.program.functions[name]; old != nil && old.define || specialIndex(name) >= 0 {
		p.lex.reject(p.tok.line, "function name `"+name+"' previously defined")
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
			p.lex.reject(p.tok.line, fmt.Sprintf("function `%s': parameter #%d, `%s', duplicates parameter #%d", name, len(fn.params)+1, p.tok.text, p.locals[p.tok.text]+1))
		}
		if p.tok.text == name {
			p.lex.reject(p.tok.line, "function `"+name+"': cannot use function name as parameter name")
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
	p.deepest = p.depth
	fn.body = p.parseBlock()
	fn.levels = p.deepest - p.depth
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
	at := p.place()
	return &placedStmt{at, p.parsePlaced()}
}

func (p *parser) place() *place {
	if p.last == nil || p.last.line != p.tok.line || p.last.source != p.lex.source {
		p.last = &place{p.lex.source, p.tok.line}
	}
	return p.last
}

func (p *parser) parsePlaced() stmt {
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
				c.re = p.pattern(p.tok)
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
		if p.context != "" {
			p.lex.reject(p.tok.line, "`next' used in "+p.context+" action")
		}
		p.advance()
		return &jumpStmt{flowNext}
	case "nextfile":
		if p.context == "BEGIN" || p.context == "END" || p.context == "ENDFILE" {
			p.lex.reject(p.tok.line, "`nextfile' used in "+p.context+" action")
		}
		p.advance()
		return &jumpStmt{flowNextFile}
	case "break", "continue":
		if p.loops == 0 {
			where := map[string]string{"break": "a loop or switch", "continue": "a loop"}[p.tok.text]
			complaint := "`" + p.tok.text + "' is not allowed outside " + where
			// gawk says it twice.
			p.options.Warn(fmt.Sprintf("%s:%d: error: %s", p.lex.source, p.tok.line, complaint))
			p.lex.reject(p.tok.line, complaint)
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

// sandboxed refuses what --sandbox does.
func (p *parser) sandboxed(message string) {
	if p.options.Sandbox {
		panic(&SyntaxError{Line: p.tok.line, Source: p.lex.source, Message: "fatal: " + message, Fatal: true})
	}
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
		panic(&SyntaxError{Line: p.tok.line, Source: p.lex.source, Message: "fatal: printf: no arguments", Fatal: true})
	}
	for _, r := range []struct {
		op   string
		kind byte
	}{{">", '>'}, {">>", 'a'}, {"|", '|'}, {"|&", '&'}} {
		if p.isOp(r.op) {
			p.sandboxed("redirection not allowed in sandbox mode")
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

// pattern is the literal of a regular expression, which must compile.
func (p *parser) pattern(t token) *regexRef {
	p.options.Escapes.inRegex(fmt.Sprintf("%s:%d: ", p.lex.source, t.line), t.text)
	m, err := regex.Compile(resolveEscapes(t.text), regex.Options{Syntax: regex.GNUAwk})
	if err != nil {
		p.lex.reject(t.line, fmt.Sprintf("%s: /%s/", err, t.text))
	}
	return &regexRef{literal: t.text, typed: t.num == 1, matcher: m}
}
