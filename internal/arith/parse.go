package arith

import "strings"

// code is an operation of the stack machine.
type code uint8

const (
	opPush   code = iota // pushes n
	opLoad               // pushes variable arg
	opStore              // stores the top into variable arg
	opPlace              // evaluates the subscript of element arg into place n
	opLoadAt             // pushes element arg at place n
	opStoreAt
	opStep   // top += n
	opDrop   // pops
	opNegate // unary operators
	opNot
	opComplement
	opAnd   // pops; when it was 0, pushes 0 and jumps to arg
	opOr    // pops; when it was not 0, pushes 1 and jumps to arg
	opTruth // top = top != 0
	opElse  // pops; when it was 0, jumps to arg
	opJump
	opBinary // pops two, pushes the result of operator n; arg: where the error's token is
	opFail   // reports failures[arg]
)

type operation struct {
	code code
	arg  int32
	n    int64
}

// Expr is a parsed expression.
type Expr struct {
	text     string
	ops      []operation
	refs     []Ref
	failures []Error
	places   int
	// depth is how much stack it needs.
	depth int
}

// token is what stands at a place of the expression. Single characters are
// themselves.
type token int

const (
	tokEnd  token = 0
	tokName token = iota + 256
	tokNumber
	tokEqual
	tokNotEqual
	tokLessEqual
	tokGreaterEqual
	tokAnd
	tokOr
	tokLeft
	tokRight
	tokPower
	tokAssign // an operator and =
	tokPreIncrement
	tokPreDecrement
	tokPostIncrement
	tokPostDecrement
	tokCondition
)

// parser follows bash's, token by token, since its messages depend on where
// that looked last.
type parser struct {
	x      *Expr
	intern func(string) int32
	// at is behind the current token; start is where the last token that was
	// looked at begins.
	at, start int
	current   token
	last      token
	// operator is that of tokAssign.
	operator token
	number   int64
	// ref is the last name's reference, place where its subscript goes, and
	// loaded whether its value has been pushed.
	ref, place int32
	failed     bool
	nesting    int
	stack      int
}

// Parse makes a program of the text. intern gives a variable's name a number.
func Parse(text string, intern func(string) int32) *Expr {
	x := &Expr{text: text}
	p := &parser{x: x, intern: intern}
	if strings.Trim(text, " \t\n") == "" {
		p.emit(opPush, 0, 0)
		return x
	}
	p.read()
	p.comma()
	if p.current != tokEnd {
		p.fail("syntax error in expression")
	}
	return x
}

// emit adds an operation, and keeps account of the stack.
func (p *parser) emit(c code, arg int32, n int64) int {
	if p.failed && c != opFail {
		return -1
	}
	switch c {
	case opPush, opLoad, opLoadAt:
		p.stack++
		p.x.depth = max(p.x.depth, p.stack)
	case opDrop, opBinary, opAnd, opOr, opElse:
		p.stack--
	}
	p.x.ops = append(p.x.ops, operation{c, arg, n})
	return len(p.x.ops) - 1
}

// land lets the jump at i go to the next operation. After a failure, all
// jumps go to its report: bash reads skipped parts as well.
func (p *parser) land(i int) {
	if i < 0 {
		return
	}
	if p.failed {
		p.x.ops[i].arg = int32(len(p.x.ops) - 1)
		return
	}
	p.x.ops[i].arg = int32(len(p.x.ops))
}

func (p *parser) fail(message string) {
	p.failAt(p.x.text, message, p.x.text[min(p.start, len(p.x.text)):])
}

func (p *parser) failAt(text, message, token string) {
	if p.failed {
		return
	}
	p.x.failures = append(p.x.failures, failure(text, message, token))
	p.failed = true
	p.emit(opFail, int32(len(p.x.failures)-1), 0)
	p.current = tokEnd
	p.at = len(p.x.text)
}

func failure(text, message, token string) Error {
	return Error{Expression: strings.TrimLeft(text, " \t\n"), Message: message, Token: token}
}

func isSpace(c byte) bool     { return c == ' ' || c == '\t' || c == '\n' }
func isNameStart(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool     { return c >= '0' && c <= '9' }

// peek is the byte at i, 0 at the end.
func (p *parser) peek(i int) byte {
	if i < len(p.x.text) {
		return p.x.text[i]
	}
	return 0
}

// read goes on to the next token.
func (p *parser) read() {
	if p.failed {
		return
	}
	for p.at < len(p.x.text) && isSpace(p.x.text[p.at]) {
		p.at++
	}
	c := p.peek(p.at)
	if c == 0 {
		p.last, p.current = p.current, tokEnd
		return
	}
	p.start = p.at
	switch {
	case isNameStart(c):
		p.readName()
	case isDigit(c):
		n, ok := p.readNumber()
		if !ok {
			return
		}
		p.number = n
		p.last, p.current = p.current, tokNumber
	default:
		p.readOperator(c)
	}
}

// readName reads a variable or an element.
func (p *parser) readName() {
	end := p.at
	for c := p.peek(end); isNameStart(c) || isDigit(c); c = p.peek(end) {
		end++
	}
	r := Ref{Name: p.x.text[p.at:end]}
	if p.peek(end) == '[' {
		close := subscriptEnd(p.x.text, end)
		if close < 0 {
			p.fail("bad array subscript")
			return
		}
		r.Element, r.Subscript = true, p.x.text[end+1:close]
		end = close + 1
	}
	r.Symbol = p.intern(r.Name)
	p.at = end
	p.ref = int32(len(p.x.refs))
	p.x.refs = append(p.x.refs, r)
	p.last, p.current = p.current, tokName
	p.lookAhead()
}

// lookAhead reports what bash's look at the token behind a name finds wrong.
func (p *parser) lookAhead() {
	at, start := p.at, p.start
	for isSpace(p.peek(p.at)) {
		p.at++
	}
	if c := p.peek(p.at); c != 0 && !isNameStart(c) {
		p.start = p.at
		if isDigit(c) {
			p.readNumber()
		} else if !isOperator(c) {
			p.fail("syntax error: invalid arithmetic operator")
		}
	}
	if !p.failed {
		p.at, p.start = at, start
	}
}

// readNumber reads a constant.
func (p *parser) readNumber() (int64, bool) {
	end := p.at
	for c := p.peek(end); isNameStart(c) || isDigit(c) || c == '#' || c == '@'; c = p.peek(end) {
		end++
	}
	n, message := number(p.x.text[p.at:end])
	if message != "" {
		// bash shows nothing of what stands behind the number.
		p.failAt(p.x.text[:end], message, p.x.text[p.at:end])
		return 0, false
	}
	p.at = end
	return n, true
}

func isOperator(c byte) bool { return strings.IndexByte("=><+-*/%!()&|^~?:,", c) >= 0 }

// subscriptEnd is the place of the "]" that belongs to the "[" at open; quotes
// and nested brackets are skipped. -1 for none.
func subscriptEnd(text string, open int) int {
	depth := 0
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '\'', '"':
			n := strings.IndexByte(text[i+1:], text[i])
			if n < 0 {
				return -1
			}
			i += n + 1
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// readOperator reads an operator that begins with c.
func (p *parser) readOperator(c byte) {
	p.at++
	next := p.peek(p.at)
	t := token(c)
	long := func(long token) { t = long; p.at++ }
	switch {
	case c == '=' && next == '=':
		long(tokEqual)
	case c == '!' && next == '=':
		long(tokNotEqual)
	case c == '>' && next == '=':
		long(tokGreaterEqual)
	case c == '<' && next == '=':
		long(tokLessEqual)
	case (c == '<' || c == '>') && next == c:
		long(tokLeft)
		if c == '>' {
			t = tokRight
		}
		if p.peek(p.at) == '=' {
			p.operator = t
			long(tokAssign)
		}
	case c == '&' && next == '&':
		long(tokAnd)
	case c == '|' && next == '|':
		long(tokOr)
	case c == '*' && next == '*':
		long(tokPower)
	case (c == '-' || c == '+') && next == c:
		switch {
		case p.current == tokName:
			long(tokPostIncrement)
			if c == '-' {
				t = tokPostDecrement
			}
		case p.current == tokNumber && (p.last == tokPreIncrement || p.last == tokPreDecrement):
			p.fail(string(c) + string(c) + ": assignment requires lvalue")
			return
		default:
			i := p.at + 1
			for isSpace(p.peek(i)) {
				i++
			}
			if isNameStart(p.peek(i)) {
				long(tokPreIncrement)
				if c == '-' {
					t = tokPreDecrement
				}
			}
		}
	case next == '=' && strings.IndexByte("*/%+-&^|", c) >= 0:
		p.operator = t
		long(tokAssign)
	case !isOperator(c):
		if p.current == tokEnd || p.current < 256 || p.current >= tokEqual && p.current <= tokPostDecrement {
			p.fail("syntax error: operand expected")
		} else {
			p.fail("syntax error: invalid arithmetic operator")
		}
		return
	}
	p.last, p.current = p.current, t
}

// comma is the lowest level of expressions.
func (p *parser) comma() {
	if p.nesting++; p.nesting > maxNesting {
		p.fail("expression recursion level exceeded")
	}
	p.assign()
	for p.current == ',' {
		p.emit(opDrop, 0, 0)
		p.read()
		p.assign()
	}
	p.nesting--
}

// assign is name = x and name op= x. The name has been read as an operand.
func (p *parser) assign() {
	if p.nesting++; p.nesting > maxNesting {
		p.fail("expression recursion level exceeded")
	}
	defer func() { p.nesting-- }()
	p.conditional()
	if p.current != '=' && p.current != tokAssign {
		return
	}
	if p.last != tokName {
		p.fail("attempted assignment to non-variable")
		return
	}
	compound, operator, ref, place := p.current == tokAssign, p.operator, p.ref, p.place
	if !compound {
		p.drop()
	}
	p.read()
	p.assign()
	if compound {
		p.binary(operator, p.start)
	}
	p.store(ref, place)
}

// store emits the assignment of the top of the stack.
func (p *parser) store(ref, place int32) {
	if p.failed {
		return
	}
	if p.x.refs[ref].Element {
		p.emit(opStoreAt, ref, int64(place))
	} else {
		p.emit(opStore, ref, 0)
	}
}

// binary emits a binary operator; at is what a division by zero points to.
func (p *parser) binary(operator token, at int) { p.emit(opBinary, int32(at), int64(operator)) }

func (p *parser) conditional() {
	if p.nesting++; p.nesting > maxNesting {
		p.fail("expression recursion level exceeded")
	}
	defer func() { p.nesting-- }()
	p.operators(0)
	if p.current != '?' {
		return
	}
	no := p.emit(opElse, 0, 0)
	p.read()
	if p.current == tokEnd || p.current == ':' {
		p.fail("expression expected")
	}
	stack := p.stack
	p.comma()
	if p.current != ':' {
		p.fail("`:' expected for conditional expression")
		p.land(no)
		return
	}
	yes := p.emit(opJump, 0, 0)
	p.land(no)
	p.stack = stack
	p.read()
	if p.current == tokEnd {
		p.fail("expression expected")
	}
	p.conditional()
	p.land(yes)
	p.last = tokCondition
}

// priority is that of a binary operator, 0 for what is none.
func priority(t token) int {
	switch t {
	case tokOr:
		return 1
	case tokAnd:
		return 2
	case '|':
		return 3
	case '^':
		return 4
	case '&':
		return 5
	case tokEqual, tokNotEqual:
		return 6
	case '<', '>', tokLessEqual, tokGreaterEqual:
		return 7
	case tokLeft, tokRight:
		return 8
	case '+', '-':
		return 9
	case '*', '/', '%':
		return 10
	case tokPower:
		return 11
	}
	return 0
}

// operators is a chain of binary operators of a priority above floor.
func (p *parser) operators(floor int) {
	p.unary()
	for !p.failed {
		t := p.current
		rank := priority(t)
		if rank <= floor {
			return
		}
		switch t {
		case tokAnd, tokOr:
			c := opAnd
			if t == tokOr {
				c = opOr
			}
			jump := p.emit(c, 0, 0)
			p.read()
			p.operators(rank)
			p.emit(opTruth, 0, 0)
			p.land(jump)
			p.last = t
			continue
		}
		at := p.at
		for at < len(p.x.text) && (p.x.text[at] == ' ' || p.x.text[at] == '\t') {
			at++
		}
		p.read()
		below := rank
		if t == tokPower { // right-associative
			below--
			if p.nesting++; p.nesting > maxNesting {
				p.fail("expression recursion level exceeded")
			}
		}
		p.operators(below)
		if t == tokPower {
			p.nesting--
			at = p.start
		}
		p.binary(t, at)
		p.last = tokNumber
	}
}

func (p *parser) unary() {
	if p.nesting++; p.nesting > maxNesting {
		p.fail("expression recursion level exceeded")
	}
	defer func() { p.nesting-- }()
	switch t := p.current; t {
	case '!', '~', '-', '+':
		p.read()
		p.unary()
		switch t {
		case '!':
			p.emit(opNot, 0, 0)
		case '~':
			p.emit(opComplement, 0, 0)
		case '-':
			p.emit(opNegate, 0, 0)
		}
		p.last = tokNumber
	case tokPreIncrement, tokPreDecrement:
		p.last = t
		p.read()
		if p.current != tokName {
			p.fail("identifier expected after pre-increment or pre-decrement")
			return
		}
		ref, place := p.load()
		p.emit(opStep, 0, step(t == tokPreIncrement))
		p.store(ref, place)
		p.current = tokNumber // so that --x=7 is refused
		p.last = t
		p.read()
	case '(':
		p.read()
		p.comma()
		if p.current != ')' {
			p.fail("missing `)'")
		}
		p.read()
	case tokNumber:
		p.emit(opPush, 0, p.number)
		p.read()
	case tokName:
		p.name()
	default:
		p.fail("syntax error: operand expected")
	}
}

func step(up bool) int64 {
	if up {
		return 1
	}
	return -1
}

// load emits the reading of the current name.
func (p *parser) load() (ref, place int32) {
	ref = p.ref
	if p.failed {
		return ref, 0
	}
	if !p.x.refs[ref].Element {
		p.emit(opLoad, ref, 0)
		return ref, 0
	}
	place = int32(p.x.places)
	p.x.places++
	p.emit(opPlace, ref, int64(place))
	p.emit(opLoadAt, ref, int64(place))
	return ref, place
}

// name is a variable as an operand: its value is not looked at when it is
// about to be assigned.
func (p *parser) name() {
	ref := p.ref
	mark, stack := len(p.x.ops), p.stack
	_, place := p.load()
	p.read()
	switch p.current {
	case tokPostIncrement, tokPostDecrement:
		up := p.current == tokPostIncrement
		p.emit(opStep, 0, step(up))
		p.store(ref, place)
		p.emit(opStep, 0, -step(up))
		p.current = tokNumber // so that x++=7 is refused
		p.read()
		return
	case '=':
		if p.last == tokName && !p.failed {
			p.x.ops = p.x.ops[:mark]
			p.stack = stack
			if p.x.refs[ref].Element {
				p.emit(opPlace, ref, int64(place))
			}
			p.emit(opPush, 0, 0)
		}
	}
	p.ref, p.place = ref, place
}

// drop emits the removal of the top of the stack, or takes back its push.
func (p *parser) drop() {
	if n := len(p.x.ops); n > 0 && p.x.ops[n-1].code == opPush && !p.failed {
		p.x.ops = p.x.ops[:n-1]
		p.stack--
		return
	}
	p.emit(opDrop, 0, 0)
}
