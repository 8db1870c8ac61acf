package arith

import (
	"math"
)

// Place is a variable or an element, resolved by the Env. Key or Index is the
// element's; the Env decides what it puts where.
type Place struct {
	Name    string
	Element bool
	Key     string
	Index   int64
}

// Env is the variables of an evaluation. Its errors end the evaluation and come
// back from Eval as they are.
type Env interface {
	// Resolve finds the place of a name, or of its element under subscript,
	// whose text it expands or evaluates.
	Resolve(name string, element bool, subscript string) (Place, error)
	// Load is the value of a place, "" when it is unset.
	Load(p Place) (string, error)
	Store(p Place, value int64) error
	// Parse gives the scanned form of a value, which it may cache.
	Parse(text string) *Expr
}

const (
	// MaxDepth is how deep variables may refer to one another.
	MaxDepth = 1024
	// maxNesting is how deep one expression may nest.
	maxNesting = 10000
)

// Eval evaluates the expression. Depth is how deep the evaluation is already
// (subscripts evaluate expressions in turn); 0 at the start.
func (e *Expr) Eval(env Env, depth int) (value int64, err error) {
	v := evaluator{env: env, expr: e, depth: depth}
	if len(e.tokens) == 1 && e.tokens[0].kind == end {
		return 0, nil
	}
	if depth >= MaxDepth {
		return 0, &Error{e.text, "expression recursion level exceeded", e.text}
	}
	v.read()
	value = v.comma()
	if v.err == nil && v.current != end {
		v.fail("syntax error in expression")
	}
	return value, v.err
}

// evaluator goes through the tokens once, evaluating as it reads, so that
// side effects and complaints come in bash's order.
type evaluator struct {
	env     Env
	expr    *Expr
	depth   int
	nesting int
	err     error

	pos     int // of the next token
	skip    int // above 0: nothing is evaluated, only read
	current kind
	last    kind
	tok     *token
	value   int64 // of the token
	place   Place // of the name read last
	named   bool
	at      int // where the error token starts
}

func (v *evaluator) fail(message string) int64 {
	if v.err == nil {
		v.err = &Error{v.expr.text, message, v.expr.text[min(v.at, len(v.expr.text)):]}
		v.current = end
	}
	return 0
}

// stop ends the evaluation with an error of the environment.
func (v *evaluator) stop(err error) {
	if v.err == nil {
		v.err = err
		v.current = end
	}
}

// read takes the next token and, when it is a name, its value.
func (v *evaluator) read() {
	if v.err != nil {
		return
	}
	t := &v.expr.tokens[min(v.pos, len(v.expr.tokens)-1)]
	v.pos++
	v.last, v.current, v.tok = v.current, t.kind, t
	if t.kind != end {
		v.at = t.from
	}
	switch t.kind {
	case invalid:
		v.fail(t.message)
	case number:
		v.value = t.value
	case name:
		v.value = 0
		if v.skip > 0 {
			return
		}
		if t.assigns {
			v.named = false
			return
		}
		place, err := v.env.Resolve(t.name, t.element, t.subscript)
		if err != nil {
			v.stop(err)
			return
		}
		v.place, v.named = place, true
		v.value = v.load(place)
	}
}

// load is a variable's value as a number: a value that is no number is an
// expression in turn.
func (v *evaluator) load(p Place) int64 {
	text, err := v.env.Load(p)
	if err != nil {
		v.stop(err)
		return 0
	}
	if n, ok := plain(text); ok {
		return n
	}
	n, err := v.env.Parse(text).Eval(v.env, v.depth+1)
	if err != nil {
		v.stop(err)
	}
	return n
}

// plain reads the short decimal numbers that most values are.
func plain(s string) (int64, bool) {
	if s == "" {
		return 0, true
	}
	i, negative := 0, false
	if s[0] == '-' {
		negative, i = true, 1
	}
	if len(s)-i > 18 || i == len(s) || s[i] == '0' && len(s)-i > 1 {
		return 0, false
	}
	n := int64(0)
	for ; i < len(s); i++ {
		if !isDigit(s[i]) {
			return 0, false
		}
		n = n*10 + int64(s[i]-'0')
	}
	if negative {
		n = -n
	}
	return n, true
}

func (v *evaluator) enter() bool {
	if v.nesting++; v.nesting > maxNesting {
		v.fail("expression recursion level exceeded")
		return false
	}
	return v.err == nil
}

func (v *evaluator) comma() int64 {
	value := v.assign()
	for v.current == ',' {
		v.read()
		value = v.assign()
	}
	return value
}

func (v *evaluator) assign() int64 {
	if !v.enter() {
		return 0
	}
	defer func() { v.nesting-- }()
	value := v.cond()
	if v.current != '=' && v.current != opAssign {
		return value
	}
	if v.last != name {
		return v.fail("attempted assignment to non-variable")
	}
	target, place, named := &v.expr.tokens[v.pos-2], v.place, v.named
	op, special := v.tok.op, v.current == opAssign
	v.read()
	right := v.assign()
	if v.err != nil {
		return 0
	}
	if special {
		if (op == '/' || op == '%') && right == 0 {
			if v.skip == 0 {
				return v.fail("division by 0")
			}
			right = 1
		}
		right = binary(op, value, right)
	}
	if v.skip == 0 {
		if !special || !named {
			var err error
			if place, err = v.env.Resolve(target.name, target.element, target.subscript); err != nil {
				v.stop(err)
				return 0
			}
		}
		v.store(place, right)
	}
	return right
}

func (v *evaluator) store(p Place, n int64) {
	if err := v.env.Store(p, n); err != nil {
		v.stop(err)
	}
}

func (v *evaluator) cond() int64 {
	if !v.enter() {
		return 0
	}
	defer func() { v.nesting-- }()
	c := v.or()
	if v.current != '?' {
		return c
	}
	skip := func(yes bool, f func() int64) int64 {
		if yes {
			v.skip++
			defer func() { v.skip-- }()
		}
		v.read()
		return f()
	}
	then := skip(c == 0, func() int64 {
		if v.current == end || v.current == ':' {
			return v.fail("expression expected")
		}
		return v.comma()
	})
	if v.err != nil {
		return 0
	}
	if v.current != ':' {
		return v.fail("`:' expected for conditional expression")
	}
	other := skip(c != 0, func() int64 {
		if v.current == end {
			return v.fail("expression expected")
		}
		return v.cond()
	})
	v.last = conditional
	if c != 0 {
		return then
	}
	return other
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (v *evaluator) or() int64 {
	left := v.and()
	for v.current == or {
		if left != 0 {
			v.skip++
		}
		v.read()
		right := v.and()
		if left != 0 {
			v.skip--
		}
		left = truth(left != 0 || right != 0)
		v.last = or
	}
	return left
}

func (v *evaluator) and() int64 {
	left := v.binary(0)
	for v.current == and {
		if left == 0 {
			v.skip++
		}
		v.read()
		right := v.binary(0)
		if left == 0 {
			v.skip--
		}
		left = truth(left != 0 && right != 0)
		v.last = and
	}
	return left
}

// level is how tightly a binary operator binds, 0 for what is none.
func level(k kind) int {
	switch k {
	case '|':
		return 1
	case '^':
		return 2
	case '&':
		return 3
	case equal, notEqual:
		return 4
	case lessEqual, greaterEqual, '<', '>':
		return 5
	case shiftLeft, shiftRight:
		return 6
	case '+', '-':
		return 7
	case '*', '/', '%':
		return 8
	}
	return 0
}

// binary reads operators that bind more tightly than above.
func (v *evaluator) binary(above int) int64 {
	left := v.power()
	for {
		l := level(v.current)
		if l <= above {
			return left
		}
		op := v.current
		behind := v.tok.to
		v.read()
		right := v.binary(l)
		if v.err != nil {
			return 0
		}
		if (op == '/' || op == '%') && right == 0 {
			if v.skip == 0 {
				for behind < len(v.expr.text) && isBlank(v.expr.text[behind]) {
					behind++
				}
				v.at = behind
				return v.fail("division by 0")
			}
			right = 1
		}
		left = binary(op, left, right)
		v.last = number
	}
}

func binary(op kind, a, b int64) int64 {
	switch op {
	case '+':
		return a + b
	case '-':
		return a - b
	case '*':
		return a * b
	case '/':
		if a == math.MinInt64 && b == -1 {
			return a
		}
		return a / b
	case '%':
		if a == math.MinInt64 && b == -1 {
			return 0
		}
		return a % b
	case '|':
		return a | b
	case '^':
		return a ^ b
	case '&':
		return a & b
	case equal:
		return truth(a == b)
	case notEqual:
		return truth(a != b)
	case lessEqual:
		return truth(a <= b)
	case greaterEqual:
		return truth(a >= b)
	case '<':
		return truth(a < b)
	case '>':
		return truth(a > b)
	case shiftLeft:
		return a << (uint64(b) & 63)
	case shiftRight:
		return a >> (uint64(b) & 63)
	}
	return 0
}

func (v *evaluator) power() int64 {
	if !v.enter() {
		return 0
	}
	defer func() { v.nesting-- }()
	base := v.unary()
	if v.current != power {
		return base
	}
	v.read()
	exponent := v.power()
	v.last = number
	if v.err != nil {
		return 0
	}
	if exponent < 0 {
		return v.fail("exponent less than 0")
	}
	result := int64(1)
	for ; exponent > 0; exponent >>= 1 {
		if exponent&1 == 1 {
			result *= base
		}
		base *= base
	}
	return result
}

func (v *evaluator) unary() int64 {
	op := v.current
	switch op {
	case '!', '~', '-', '+':
	default:
		return v.operand()
	}
	if !v.enter() {
		return 0
	}
	v.read()
	n := v.unary()
	v.nesting--
	v.last = number
	switch op {
	case '!':
		return truth(n == 0)
	case '~':
		return ^n
	case '-':
		return -n
	}
	return n
}

func (v *evaluator) operand() int64 {
	switch v.current {
	case preIncrement, preDecrement:
		by := int64(1)
		if v.current == preDecrement {
			by = -1
		}
		v.last = v.current
		v.read()
		if v.err == nil && v.current != name {
			return v.fail("identifier expected after pre-increment or pre-decrement")
		}
		n := v.value + by
		if v.skip == 0 && v.err == nil {
			v.store(v.place, n)
		}
		v.current = number // --x=7 is an error
		v.read()
		return n
	case '(':
		v.read()
		n := v.comma()
		if v.err == nil && v.current != ')' {
			return v.fail("missing `)'")
		}
		v.read()
		return n
	case number:
		n := v.value
		v.read()
		return n
	case name:
		n, place := v.value, v.place
		next := v.expr.tokens[min(v.pos, len(v.expr.tokens)-1)].kind
		if next != postIncrement && next != postDecrement {
			v.read()
			return n
		}
		v.read()
		if v.skip == 0 && v.err == nil {
			by := int64(1)
			if next == postDecrement {
				by = -1
			}
			v.store(place, n+by)
		}
		v.current = number // x++=7 is an error
		v.read()
		return n
	}
	return v.fail("syntax error: operand expected")
}
