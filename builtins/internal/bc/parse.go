package bc

import (
	"errors"
	"fmt"
)

// The compiler makes the code of GNU's machine, byte for byte as long, since
// the messages of errors at run time show addresses in it.

var errSyntax = errors.New("syntax error")

// maxDepth bounds how deep statements and expressions nest.
const maxDepth = 2000

// ErrTooDeep says that the program nests deeper than maxDepth.
var ErrTooDeep = fmt.Errorf("nested deeper than %d", maxDepth)

// maxLabels is what an operand of two bytes can name.
const maxLabels = 65535

// function is compiled code with its names. Array names are negative, those
// passed by reference are in byReference.
type function struct {
	name        string
	code        []byte
	labels      []int
	parameters  []int
	autos       []int
	byReference map[int]bool
	defined     bool
	void        bool
}

// kind says what an expression is, for the statement that it becomes.
type kind uint8

const (
	kindValue kind = 1 << iota
	kindComparison
	kindParen
	kindVoid
)

type parser struct {
	*lexer
	*Machine
	now      lexeme
	have     bool
	into     int // the function that is compiled
	loops    []loop
	depth    int
	overflow bool
}

// loop has the labels of break and continue; -1: there is none.
type loop struct{ end, again int }

// peek reads one token ahead.
func (p *parser) peek() (lexeme, error) {
	if !p.have {
		t, err := p.token()
		if err != nil {
			return t, err
		}
		p.now, p.have = t, true
	}
	return p.now, nil
}

func (p *parser) take() { p.have = false }

// at reports whether the next token is the sign c.
func (p *parser) at(c byte) (bool, error) {
	t, err := p.peek()
	return t.kind == tokenSign && t.op == c, err
}

func (p *parser) atKind(k token) (bool, error) {
	t, err := p.peek()
	return t.kind == k, err
}

// accept takes the sign c if it is next.
func (p *parser) accept(c byte) (bool, error) {
	ok, err := p.at(c)
	if ok {
		p.take()
	}
	return ok, err
}

// want takes the sign c; anything else is a syntax error.
func (p *parser) want(c byte) error {
	ok, err := p.accept(c)
	if err == nil && !ok {
		err = errSyntax
	}
	return err
}

func (p *parser) word(text string) (bool, error) {
	t, err := p.peek()
	if err == nil && t.kind == tokenKeyword && t.text == text {
		p.take()
		return true, nil
	}
	return false, err
}

func (p *parser) newlines(most int) error {
	for ; most != 0; most-- {
		ok, err := p.atKind(tokenLine)
		if err != nil || !ok {
			return err
		}
		p.take()
	}
	return nil
}

func (p *parser) function() *function { return p.functions[p.into] }

func (p *parser) emit(code ...byte) {
	f := p.function()
	f.code = append(f.code, code...)
}

func (p *parser) emitName(op byte, id int) {
	p.emit(op)
	if id < 128 {
		p.emit(byte(id))
		return
	}
	p.emit(byte(id>>8)|0x80, byte(id))
}

func (p *parser) label() int {
	f := p.function()
	if len(f.labels) >= maxLabels {
		p.overflow = true
		return 0
	}
	f.labels = append(f.labels, 0)
	return len(f.labels) - 1
}

func (p *parser) place(label int) {
	f := p.function()
	if label < len(f.labels) {
		f.labels[label] = len(f.code)
	}
}

func (p *parser) jump(op byte, label int) { p.emit(op, byte(label), byte(label>>8)) }

// line compiles and runs one input item. False: the input has ended.
func (p *parser) line() (bool, error) {
	t, err := p.peek()
	if err != nil {
		return false, err
	}
	if t.kind == tokenEnd {
		return false, nil
	}
	p.reset()
	if t.kind == tokenKeyword && t.text == "define" {
		err = p.define()
	} else {
		err = p.statementsOfLine()
	}
	if err == nil && p.overflow {
		return false, ErrTooLarge
	}
	if errors.Is(err, errSyntax) {
		return true, p.recover()
	}
	if err != nil {
		return false, err
	}
	if p.failed {
		return true, nil
	}
	if err := p.grown(); err != nil {
		return false, err
	}
	return true, p.execute()
}

// reset makes room for a line's code.
func (p *parser) reset() {
	p.into, p.loops, p.failed, p.depth = 0, nil, false, 0
	p.functions[0].code, p.functions[0].labels = p.functions[0].code[:0], p.functions[0].labels[:0]
}

// recover skips the rest of a line with an error.
func (p *parser) recover() error {
	t, err := p.peek()
	if err != nil {
		return err
	}
	p.complain("syntax error")
	for t.kind != tokenLine && t.kind != tokenEnd {
		p.take()
		if t, err = p.peek(); err != nil {
			return err
		}
	}
	if t.kind == tokenLine {
		p.take()
	}
	return nil
}

// statementsOfLine reads statements up to the newline.
func (p *parser) statementsOfLine() error {
	for {
		t, err := p.peek()
		switch {
		case err != nil:
			return err
		case t.kind == tokenLine:
			p.take()
			return nil
		case t.kind == tokenSign && t.op == ';':
			p.take()
			continue
		}
		if err := p.statement(); err != nil {
			return err
		}
		t, err = p.peek()
		if err != nil {
			return err
		}
		if t.kind != tokenLine && !(t.kind == tokenSign && t.op == ';') {
			return errSyntax
		}
	}
}

// statementList reads statements up to the } that ends a block.
func (p *parser) statementList() error {
	for {
		t, err := p.peek()
		switch {
		case err != nil:
			return err
		case t.kind == tokenSign && t.op == '}':
			p.take()
			return nil
		case t.kind == tokenLine || t.kind == tokenSign && t.op == ';':
			p.take()
			continue
		}
		if err := p.statement(); err != nil {
			return err
		}
		t, err = p.peek()
		if err != nil {
			return err
		}
		if t.kind != tokenLine && !(t.kind == tokenSign && (t.op == ';' || t.op == '}')) {
			return errSyntax
		}
	}
}

func (p *parser) deeper() (func(), error) {
	if p.depth >= maxDepth {
		return nil, ErrTooDeep
	}
	p.depth++
	return func() { p.depth-- }, nil
}

func (p *parser) statement() error {
	done, err := p.deeper()
	if err != nil {
		return err
	}
	defer done()
	t, err := p.peek()
	if err != nil {
		return err
	}
	switch {
	case t.kind == tokenString:
		p.take()
		p.emit('w')
		p.function().code = append(p.function().code, t.text...)
		return nil
	case t.kind == tokenSign && t.op == '{':
		p.take()
		return p.statementList()
	case t.kind != tokenKeyword:
		return p.expressionStatement()
	}
	switch t.text {
	case "warranty", "limits":
		p.take()
		p.tell(t.text)
		return nil
	case "quit":
		return errQuit
	case "halt":
		p.take()
		p.emit('h')
		return nil
	case "break":
		p.take()
		if len(p.loops) == 0 {
			p.complain("Break outside a for/while")
			return nil
		}
		p.jump('J', p.loops[len(p.loops)-1].end)
		return nil
	case "continue":
		p.take()
		if len(p.loops) == 0 {
			p.complain("Continue outside a for")
			return nil
		}
		p.jump('J', p.loops[len(p.loops)-1].again)
		return nil
	case "return":
		p.take()
		return p.returns()
	case "for":
		p.take()
		return p.forLoop()
	case "while":
		p.take()
		return p.whileLoop()
	case "if":
		p.take()
		return p.condition()
	case "print":
		p.take()
		return p.print()
	}
	return p.expressionStatement()
}

func (p *parser) expressionStatement() error {
	k, err := p.expression(0)
	if err != nil {
		return err
	}
	if k&kindValue != 0 {
		p.emit('W')
	} else {
		p.emit('p')
	}
	return nil
}

func (p *parser) returns() error {
	t, err := p.peek()
	if err != nil {
		return err
	}
	if t.kind == tokenLine || t.kind == tokenEnd || t.kind == tokenSign && (t.op == ';' || t.op == '}') {
		p.emit('0')
	} else if _, err := p.expression(0); err != nil {
		return err
	} else if p.function().void {
		p.complain("Return expression in a void function.")
	}
	if p.into == 0 {
		if _, err := p.peek(); err != nil {
			return err
		}
		p.complain("Return outside of a function.")
		return nil
	}
	p.emit('R')
	return nil
}

// part is an expression of a for's head, which may be missing.
func (p *parser) part(end byte) (bool, error) {
	there := true
	if ok, err := p.at(end); err != nil {
		return false, err
	} else if ok {
		there = false
	} else if _, err := p.expression(0); err != nil {
		return false, err
	}
	return there, p.want(end)
}

func (p *parser) forLoop() error {
	if err := p.want('('); err != nil {
		return err
	}
	end := p.label()
	there, err := p.part(';')
	if err != nil {
		return err
	}
	if there {
		p.emit('p')
	}
	test := p.label()
	p.place(test)
	if there, err = p.part(';'); err != nil {
		return err
	}
	if !there {
		p.emit('1')
	}
	body := p.label()
	p.jump('B', body)
	p.jump('J', end)
	again := p.label()
	p.place(again)
	if there, err = p.part(')'); err != nil {
		return err
	}
	if there {
		p.emit('p')
	}
	p.jump('J', test)
	p.place(body)
	p.loops = append(p.loops, loop{end, again})
	if err := p.newlines(1); err != nil {
		return err
	}
	if err := p.statement(); err != nil {
		return err
	}
	p.loops = p.loops[:len(p.loops)-1]
	p.jump('J', again)
	p.place(end)
	return nil
}

func (p *parser) whileLoop() error {
	if err := p.want('('); err != nil {
		return err
	}
	again := p.label()
	p.place(again)
	if _, err := p.expression(0); err != nil {
		return err
	}
	end := p.label()
	p.jump('Z', end)
	if err := p.want(')'); err != nil {
		return err
	}
	p.loops = append(p.loops, loop{end, again})
	if err := p.newlines(1); err != nil {
		return err
	}
	if err := p.statement(); err != nil {
		return err
	}
	p.loops = p.loops[:len(p.loops)-1]
	p.jump('J', again)
	p.place(end)
	return nil
}

func (p *parser) condition() error {
	if err := p.want('('); err != nil {
		return err
	}
	if _, err := p.expression(0); err != nil {
		return err
	}
	if err := p.want(')'); err != nil {
		return err
	}
	no := p.label()
	p.jump('Z', no)
	if err := p.newlines(1); err != nil {
		return err
	}
	if err := p.statement(); err != nil {
		return err
	}
	otherwise, err := p.word("else")
	if err != nil {
		return err
	}
	if otherwise {
		end := p.label()
		p.jump('J', end)
		p.place(no)
		no = end
		if err := p.newlines(1); err != nil {
			return err
		}
		if err := p.statement(); err != nil {
			return err
		}
	}
	p.place(no)
	return nil
}

func (p *parser) print() error {
	for {
		t, err := p.peek()
		if err != nil {
			return err
		}
		if t.kind == tokenString {
			p.take()
			p.emit('O')
			p.function().code = append(p.function().code, t.text...)
		} else {
			if _, err := p.expression(0); err != nil {
				return err
			}
			p.emit('P')
		}
		if more, err := p.accept(','); err != nil || !more {
			return err
		}
	}
}

// define reads a function.
func (p *parser) define() error {
	p.take()
	void, err := p.word("void")
	if err != nil {
		return err
	}
	t, err := p.peek()
	if err != nil {
		return err
	}
	if t.kind != tokenName {
		return errSyntax
	}
	p.take()
	f := &function{name: t.text, void: void, byReference: map[int]bool{}}
	if err := p.want('('); err != nil {
		return err
	}
	if f.parameters, err = p.names(f, ')'); err != nil {
		return err
	}
	if err := p.want(')'); err != nil {
		return err
	}
	if err := p.newlines(1); err != nil {
		return err
	}
	if err := p.want('{'); err != nil {
		return err
	}
	if err := p.newlines(-1); err != nil {
		return err
	}
	if auto, err := p.word("auto"); err != nil {
		return err
	} else if auto {
		if f.autos, err = p.names(nil, ';'); err != nil {
			return err
		}
		t, err := p.peek()
		if err != nil {
			return err
		}
		if t.kind != tokenLine && !(t.kind == tokenSign && t.op == ';') {
			return errSyntax
		}
		p.take()
	}
	p.checkNames(f)
	id := p.lookup(t.text, 'f')
	old := p.functions[id]
	p.functions[id], p.into = f, id
	err = p.statementList()
	f.code = append(f.code, '0', 'R')
	f.defined = err == nil && !p.failed
	if !f.defined {
		p.functions[id] = old
	}
	p.into = 0
	return err
}

// names reads names that commas separate, up to end.
func (p *parser) names(f *function, end byte) ([]int, error) {
	var list []int
	for {
		reference := false
		t, err := p.peek()
		if err != nil {
			return nil, err
		}
		if f != nil && len(list) == 0 && t.kind == tokenSign && t.op == end {
			return nil, nil
		}
		if f != nil && t.kind == tokenSign && (t.op == '*' || t.op == '&') {
			reference = true
			p.take()
			if t, err = p.peek(); err != nil {
				return nil, err
			}
		}
		if t.kind != tokenName {
			return nil, errSyntax
		}
		p.take()
		array, err := p.accept('[')
		if err != nil {
			return nil, err
		}
		id := 0
		if array {
			if err := p.want(']'); err != nil {
				return nil, err
			}
			id = -p.lookup(t.text, 'a')
		} else if reference {
			return nil, errSyntax
		} else {
			id = p.lookup(t.text, 's')
		}
		if reference {
			f.byReference[id] = true
		}
		list = append(list, id)
		if more, err := p.accept(','); err != nil || !more {
			return list, err
		}
	}
}

func (p *parser) checkNames(f *function) {
	seen := map[int]bool{}
	for _, id := range f.parameters {
		if seen[id] {
			p.complain("duplicate parameter names")
		}
		seen[id] = true
	}
	local := map[int]bool{}
	for _, id := range f.autos {
		if local[id] {
			p.complain("duplicate auto variable names")
		}
		if seen[id] {
			p.complain("variable in both parameter and auto lists")
		}
		local[id] = true
	}
}

// Binding powers of the binary operators.
const (
	bindOr = 1 + iota
	bindAnd
	bindNot
	bindRelation
	bindAssign
	bindSum
	bindProduct
	bindPower
	bindMinus
)

func binding(t lexeme) int {
	switch t.kind {
	case tokenOr:
		return bindOr
	case tokenAnd:
		return bindAnd
	case tokenRelation:
		return bindRelation
	case tokenSign:
		switch t.op {
		case '+', '-':
			return bindSum
		case '*', '/', '%':
			return bindProduct
		case '^':
			return bindPower
		}
	}
	return 0
}

// expression compiles operators that bind tighter than least.
func (p *parser) expression(least int) (kind, error) {
	done, err := p.deeper()
	if err != nil {
		return 0, err
	}
	defer done()
	left, err := p.operand()
	for err == nil {
		var t lexeme
		if t, err = p.peek(); err != nil {
			break
		}
		power := binding(t)
		if power == 0 || power <= least {
			return left, nil
		}
		p.take()
		if left, err = p.binary(left, t, power); err != nil {
			break
		}
	}
	return 0, err
}

func (p *parser) binary(left kind, t lexeme, power int) (kind, error) {
	switch t.kind {
	case tokenAnd:
		end := p.label()
		p.emit('D')
		p.jump('Z', end)
		p.emit('p')
		right, err := p.expression(power)
		no := end
		p.emit('D')
		p.jump('Z', no)
		p.emit('p', '1')
		p.place(end)
		return (left | right | kindValue) &^ kindParen, err
	case tokenOr:
		yes := p.label()
		p.jump('B', yes)
		right, err := p.expression(power)
		end := p.label()
		p.jump('B', yes)
		p.emit('0')
		p.jump('J', end)
		p.place(yes)
		p.emit('1')
		p.place(end)
		return (left | right | kindValue) &^ kindParen, err
	case tokenRelation:
		_, err := p.expression(power)
		p.emit(t.op)
		return kindValue | kindComparison, err
	}
	if t.op == '^' {
		power--
	}
	right, err := p.expression(power)
	p.emit(t.op)
	return (left | right) &^ kindParen, err
}

// operand is what stands between binary operators.
func (p *parser) operand() (kind, error) {
	t, err := p.peek()
	if err != nil {
		return 0, err
	}
	switch t.kind {
	case tokenNot:
		p.take()
		_, err := p.expression(bindNot)
		p.emit('!')
		return kindValue, err
	case tokenNumber:
		p.take()
		p.constant(t.text)
		return kindValue, nil
	case tokenIncrement:
		p.take()
		id, err := p.named()
		if err != nil {
			return 0, err
		}
		if id < 0 {
			p.emit('D')
			p.emitName(map[byte]byte{'+': 'A', '-': 'M'}[t.op], -id)
			p.emitName('L', -id)
		} else {
			p.emitName(map[byte]byte{'+': 'i', '-': 'd'}[t.op], id)
			p.emitName('l', id)
		}
		return kindValue, nil
	case tokenName, tokenKeyword:
		return p.name(t)
	case tokenSign:
		switch t.op {
		case '-':
			p.take()
			k, err := p.expression(bindMinus)
			p.emit('n')
			return k &^ kindParen, err
		case '(':
			p.take()
			if _, err := p.expression(0); err != nil {
				return 0, err
			}
			return kindValue | kindParen, p.want(')')
		}
	}
	return 0, errSyntax
}

func (p *parser) constant(text string) {
	switch text {
	case "0", "1":
		p.emit(text[0])
		return
	}
	p.emit('K')
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '.':
			p.emit('.')
		case c >= 'A':
			p.emit(c - 'A' + 10)
		default:
			p.emit(c - '0')
		}
	}
	p.emit(':')
}

// name is a call, a special function, or a variable with what is done to it.
func (p *parser) name(t lexeme) (kind, error) {
	if t.kind == tokenName {
		p.take()
		if call, err := p.at('('); err != nil || call {
			if err != nil {
				return 0, err
			}
			return p.call(t.text)
		}
		return p.variable(p.element(t.text))
	}
	switch t.text {
	case "length", "sqrt", "scale":
		p.take()
		if open, err := p.at('('); err != nil {
			return 0, err
		} else if !open {
			if t.text == "scale" {
				return p.variable(variableScale, nil)
			}
			return 0, errSyntax
		}
		p.take()
		if _, err := p.expression(0); err != nil {
			return 0, err
		}
		p.emit('c', map[string]byte{"length": 'L', "sqrt": 'R', "scale": 'S'}[t.text])
		return kindValue, p.want(')')
	case "read", "random":
		p.take()
		if err := p.want('('); err != nil {
			return 0, err
		}
		p.emit('c', map[string]byte{"read": 'I', "random": 'X'}[t.text])
		return kindValue, p.want(')')
	}
	return p.variable(p.named())
}

// named reads a variable that can be assigned to and puts an array's index on
// the stack. Arrays are negative.
func (p *parser) named() (int, error) {
	t, err := p.peek()
	if err != nil {
		return 0, err
	}
	if t.kind == tokenName {
		p.take()
		return p.element(t.text)
	}
	if t.kind == tokenKeyword {
		for i, name := range [...]string{"ibase", "obase", "scale", "history", "last"} {
			if t.text == name {
				p.take()
				return i, nil
			}
		}
	}
	return 0, errSyntax
}

func (p *parser) element(name string) (int, error) {
	index, err := p.accept('[')
	if err != nil {
		return 0, err
	}
	if !index {
		return p.lookup(name, 's'), nil
	}
	if _, err := p.expression(0); err != nil {
		return 0, err
	}
	return -p.lookup(name, 'a'), p.want(']')
}

func (p *parser) variable(id int, err error) (kind, error) {
	if err != nil {
		return 0, err
	}
	t, err := p.peek()
	if err != nil {
		return 0, err
	}
	load, store := byte('l'), byte('s')
	more, less := byte('i'), byte('d')
	shown := id
	if id < 0 {
		load, store, more, less, shown = 'L', 'S', 'A', 'M', -id
	}
	switch t.kind {
	case tokenAssign:
		p.take()
		if t.op != '=' {
			if id < 0 {
				p.emit('D')
			}
			p.emitName(load, shown)
		}
		if _, err := p.expression(bindAssign - 1); err != nil {
			return 0, err
		}
		if t.op != '=' {
			p.emit(t.op)
		}
		p.emitName(store, shown)
		return 0, nil
	case tokenIncrement:
		p.take()
		if t.op == '-' {
			more = less
		}
		if id < 0 {
			p.emit('D')
			p.emitName('L', shown)
			p.emit('x')
		} else {
			p.emitName('l', shown)
		}
		p.emitName(more, shown)
		return kindValue, nil
	}
	p.emitName(load, shown)
	return kindValue, nil
}

// call is NAME(arguments): the code says of each whether it is an array.
func (p *parser) call(name string) (kind, error) {
	p.take()
	var arguments []byte
	for first := true; ; first = false {
		if end, err := p.at(')'); err != nil {
			return 0, err
		} else if end && first {
			break
		}
		array, err := p.argument()
		if err != nil {
			return 0, err
		}
		arguments = append(arguments, map[bool]byte{true: 1, false: 0}[array])
		if more, err := p.accept(','); err != nil {
			return 0, err
		} else if !more {
			break
		}
	}
	if err := p.want(')'); err != nil {
		return 0, err
	}
	id := p.lookup(name, 'f')
	p.emitName('C', id)
	for i := len(arguments) - 1; i >= 0; i-- {
		p.emit(arguments[i])
	}
	p.emit(':')
	if p.functions[id].void {
		return kindVoid, nil
	}
	return kindValue, nil
}

// argument compiles one argument; NAME[] is an array.
func (p *parser) argument() (array bool, err error) {
	t, err := p.peek()
	if err != nil {
		return false, err
	}
	if t.kind == tokenName {
		if array, err := p.arrayAhead(); err != nil {
			return false, err
		} else if array {
			p.take()
			if err := p.want('['); err != nil {
				return false, err
			}
			if err := p.want(']'); err != nil {
				return false, err
			}
			p.constant(fmt.Sprint(p.lookup(t.text, 'a')))
			return true, nil
		}
	}
	_, err = p.expression(0)
	return false, err
}

// arrayAhead reports whether [] follows the name that was peeked.
func (p *parser) arrayAhead() (bool, error) {
	if p.current == nil {
		return false, nil
	}
	for n := 1; n < 64; n++ {
		b, err := p.current.in.Peek(n)
		if err != nil {
			return false, nil
		}
		switch c := b[n-1]; {
		case c == ' ' || c == '\t':
		case c == '[' && len(trimBlanks(b[:n-1])) == 0:
		case c == ']' && string(trimBlanks(b[:n-1])) == "[":
			return true, nil
		default:
			return false, nil
		}
	}
	return false, nil
}

func trimBlanks(b []byte) []byte {
	var out []byte
	for _, c := range b {
		if c != ' ' && c != '\t' {
			out = append(out, c)
		}
	}
	return out
}
