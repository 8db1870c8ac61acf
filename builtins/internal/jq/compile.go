package jq

import "strings"

// compiler turns a program into functions.
type compiler struct {
	source *source
	// library are the definitions of the language itself that are in use.
	library map[string]*function
	loader  *loader
	fn      *function
	scope   *bindings
	depth   int
}

// bindings are the names in scope, the innermost first.
type bindings struct {
	outer *bindings
	kind  bindingKind
	name  string
	arity int
	// owner is the function whose frame holds the variable or parameter, or
	// that surrounds the definition; nil where there is none.
	owner    *function
	index    int
	function *function
	value    Value
}

type bindingKind uint8

const (
	bindVariable bindingKind = iota
	bindConstant
	bindParam
	bindFunction
	bindLabel
)

func (c *compiler) bind(b bindings) {
	b.outer = c.scope
	c.scope = &b
}

// bindVariable makes a variable of the current function.
func (c *compiler) bindVariable(name string) int {
	i := c.fn.variable()
	c.bind(bindings{kind: bindVariable, name: name, owner: c.fn, index: i})
	return i
}

// level counts the functions from the current one out to owner.
func (c *compiler) level(owner *function) int {
	n := 0
	for f := c.fn; f != owner; f = f.parent {
		n++
	}
	return n
}

func (c *compiler) emit(i instruction) int { return c.fn.emit(i) }
func (c *compiler) op(op opcode) int       { return c.fn.emit(instruction{op: op}) }

func (c *compiler) opTarget(op opcode, target int) int {
	return c.fn.emit(instruction{op: op, target: target})
}

// tooDeep ends the compilation of a program whose nesting would exhaust the
// stack.
type tooDeep struct{}

const maxCompileDepth = 20000

// query compiles q: it replaces the value at the top of the stack.
func (c *compiler) query(q query) {
	if c.depth++; c.depth > maxCompileDepth {
		panic(tooDeep{})
	}
	defer func() { c.depth-- }()
	if v, ok := constant(q); ok {
		c.emit(instruction{op: opLoad, value: v})
		return
	}
	switch q := q.(type) {
	case identity:
	case *text:
		c.text(q)
	case *formatter:
		c.format(q.name)
	case *indexing:
		c.under(q.key)
		c.query(q.target)
		c.op(optional(opIndex, q.optional))
	case *slicing:
		c.slicing(q)
	case *iteration:
		c.query(q.target)
		c.op(optional(opEach, q.optional))
	case *collection:
		c.collection(q)
	case *construction:
		c.construction(q)
	case *negated:
		c.query(q.body)
		c.emit(instruction{op: opNative, native: negate})
	case *pipe:
		c.query(q.left)
		c.query(q.right)
	case *comma:
		fork := c.op(opFork)
		c.query(q.left)
		end := c.op(opJump)
		c.fn.here(fork)
		c.query(q.right)
		c.fn.here(end)
	case *operation:
		c.operation(q)
	case *logical:
		c.logical(q)
	case *alternative:
		c.alternative(q.left, func() { c.query(q.right) })
	case *assignment:
		c.assignment(q)
	case *condition:
		c.condition(q)
	case *attempt:
		c.attempt(q)
	case *folding:
		c.folding(q)
	case *scope:
		outer := c.scope
		c.definition(q.definition)
		c.query(q.body)
		c.scope = outer
	case *call:
		c.call(q)
	case *variable:
		c.variable(q)
	case *binding:
		c.binding(q)
	case *label:
		c.label(q)
	case *breaking:
		c.breaking(q)
	}
}

// optional is the variant of an instruction that drops errors.
func optional(op opcode, is bool) opcode {
	if is {
		return op + 1
	}
	return op
}

// under leaves q's result below the top.
func (c *compiler) under(q query) {
	if v, ok := constant(q); ok {
		c.emit(instruction{op: opUnder, value: v})
		return
	}
	if _, ok := q.(identity); ok {
		c.op(opDup)
		return
	}
	c.op(opSubBegin)
	c.query(q)
	c.op(opSubEnd)
}

// constant is the value of a query that can be none other.
func constant(q query) (Value, bool) {
	switch q := q.(type) {
	case *literal:
		return q.value, true
	case *negated:
		return nil, false
	case *construction:
		var b objectBuilder
		for _, p := range q.pairs {
			key, ok := constant(p.key)
			name, isString := key.(string)
			value, isConstant := constant(p.value)
			if !ok || !isString || !isConstant {
				return nil, false
			}
			b.set(name, value)
		}
		return b.done(), true
	case *collection:
		items, ok := constants(q.body, nil)
		if !ok {
			return nil, false
		}
		return newArray(items), true
	case *operation:
		return foldOperation(q)
	}
	return nil, false
}

func constants(q query, items []Value) ([]Value, bool) {
	if both, ok := q.(*comma); ok {
		if items, ok = constants(both.left, items); !ok {
			return nil, false
		}
		return constants(both.right, items)
	}
	v, ok := constant(q)
	return append(items, v), ok
}

// foldOperation computes an operation on two constant numbers.
func foldOperation(q *operation) (Value, bool) {
	a, ok := q.left.(*literal)
	if !ok {
		return nil, false
	}
	b, ok := q.right.(*literal)
	if !ok {
		return nil, false
	}
	x, ok := a.value.(float64)
	if !ok {
		return nil, false
	}
	y, ok := b.value.(float64)
	if !ok {
		return nil, false
	}
	switch q.operator {
	case "+":
		return x + y, true
	case "-":
		return x - y, true
	case "*":
		return x * y, true
	case "/":
		return x / y, y != 0
	}
	return nil, false
}

func (c *compiler) text(q *text) {
	for i := len(q.parts) - 1; i >= 0; i-- {
		part := q.parts[i]
		if part.query == nil {
			c.emit(instruction{op: opUnder, value: part.text})
			continue
		}
		c.op(opSubBegin)
		c.query(part.query)
		c.format(q.format)
		c.op(opSubEnd)
	}
	c.opTarget(opConcat, len(q.parts))
}

func (c *compiler) format(name string) {
	c.emit(instruction{op: opNative, native: func(m *Machine, in Value, _ []Value) (Value, error) { return m.format(in, name) }})
}

func (c *compiler) slicing(q *slicing) {
	bound := func(name string, q query) {
		c.emit(instruction{op: opUnder, value: name})
		if q == nil {
			q = &literal{nil}
		}
		c.under(q)
		c.op(opInsert)
	}
	c.emit(instruction{op: opUnder, value: &Object{}})
	bound("start", q.from)
	bound("end", q.to)
	c.query(q.target)
	c.op(optional(opIndex, q.optional))
}

func (c *compiler) collection(q *collection) {
	c.op(opDup)
	c.emit(instruction{op: opLoad, value: &Array{}})
	list := c.fn.variable()
	c.opTarget(opStore, list)
	fork := c.op(opFork)
	c.query(q.body)
	c.opTarget(opAppend, list)
	c.op(opBacktrack)
	c.fn.here(fork)
	c.opTarget(opTakeVar, list)
}

func (c *compiler) construction(q *construction) {
	c.emit(instruction{op: opUnder, value: &Object{}})
	for _, p := range q.pairs {
		c.under(p.key)
		c.under(p.value)
		c.op(opInsert)
	}
	c.op(opPop)
}

func (c *compiler) operation(q *operation) {
	c.under(q.right)
	c.under(q.left)
	c.emit(instruction{op: opNative, target: 2, native: operator(q.operator)})
}

func (c *compiler) logical(q *logical) {
	c.op(opDup)
	c.query(q.left)
	skip := c.op(opJumpFalse)
	c.op(opPop)
	second := func() {
		c.query(q.right)
		no := c.op(opJumpFalse)
		c.emit(instruction{op: opLoad, value: true})
		yes := c.op(opJump)
		c.fn.here(no)
		c.emit(instruction{op: opLoad, value: false})
		c.fn.here(yes)
	}
	if q.and {
		second()
	} else {
		c.emit(instruction{op: opLoad, value: true})
	}
	end := c.op(opJump)
	c.fn.here(skip)
	c.op(opPop)
	if q.and {
		c.emit(instruction{op: opLoad, value: false})
	} else {
		second()
	}
	c.fn.here(end)
}

// alternative yields what is true of left, or else what otherwise yields.
func (c *compiler) alternative(left query, otherwise func()) {
	c.op(opDup)
	c.emit(instruction{op: opLoad, value: false})
	found := c.fn.variable()
	c.opTarget(opStore, found)
	fork := c.op(opFork)
	c.query(left)
	no := c.op(opJumpFalse)
	c.op(opDup)
	c.emit(instruction{op: opLoad, value: true})
	c.opTarget(opStore, found)
	end := c.op(opJump)
	c.fn.here(no)
	c.op(opBacktrack)
	c.fn.here(fork)
	c.op(opDup)
	c.opTarget(opLoadVar, found)
	none := c.op(opJumpFalse)
	c.op(opBacktrack)
	c.fn.here(none)
	c.op(opPop)
	otherwise()
	c.fn.here(end)
}

func (c *compiler) assignment(q *assignment) {
	switch q.operator {
	case "=":
		c.callLibrary("_assign", c.lambda(func() { c.query(q.left) }), c.lambda(func() { c.query(q.right) }))
		return
	case "|=":
		c.callLibrary("_modify", c.lambda(func() { c.query(q.left) }), c.lambda(func() { c.query(q.right) }))
		return
	}
	c.op(opDup)
	c.query(q.right)
	value := c.fn.variable()
	c.opTarget(opStore, value)
	owner := c.fn
	update := c.lambda(func() {
		load := func() { c.emit(instruction{op: opLoadVar, target: value, level: c.level(owner)}) }
		if q.operator == "//=" {
			c.alternative(identity{}, load)
			return
		}
		c.op(opSubBegin)
		load()
		c.op(opSubEnd)
		c.op(opDup)
		c.emit(instruction{op: opNative, target: 2, native: operator(strings.TrimSuffix(q.operator, "="))})
	})
	c.callLibrary("_modify", c.lambda(func() { c.query(q.left) }), update)
}

func (c *compiler) condition(q *condition) {
	c.op(opDup)
	c.under(q.test)
	c.op(opPop)
	no := c.op(opJumpFalse)
	c.op(opPop)
	c.query(q.then)
	end := c.op(opJump)
	c.fn.here(no)
	c.op(opPop)
	c.query(q.otherwise)
	c.fn.here(end)
}

func (c *compiler) attempt(q *attempt) {
	try := c.op(opTry)
	c.query(q.body)
	end := c.op(opJump)
	c.fn.here(try)
	if q.handler == nil {
		c.op(opBacktrack)
	} else {
		c.op(opRethrow)
		c.query(q.handler)
	}
	c.fn.here(end)
}

// folding compiles reduce and foreach. What the source yields is bound, and
// then the way goes back to it.
func (c *compiler) folding(q *folding) {
	c.op(opDup)
	c.query(q.init)
	state := c.fn.variable()
	c.opTarget(opStore, state)
	fork := c.op(opFork)
	c.op(opDupTake)
	c.query(q.source)
	outer := c.scope
	c.patterns(q.patterns)
	c.opTarget(opTakeVar, state)
	c.query(q.update)
	if !q.each {
		c.opTarget(opStore, state)
		c.op(opBacktrack)
		c.scope = outer
		c.fn.here(fork)
		c.opTarget(opTakeVar, state)
		return
	}
	c.op(opDup)
	c.opTarget(opStore, state)
	c.query(q.extract)
	end := c.op(opJump)
	c.scope = outer
	c.fn.here(fork)
	c.op(opBacktrack)
	c.fn.here(end)
}

func (c *compiler) binding(q *binding) {
	c.op(opDup)
	c.under(q.source)
	c.op(opPop)
	outer := c.scope
	c.patterns(q.patterns)
	c.query(q.body)
	c.scope = outer
}

// patterns pops a value into the variables of the first pattern that fits. All
// patterns' variables are bound.
func (c *compiler) patterns(all []pattern) {
	// A key may not speak of the variables bound beside it.
	outer := c.scope
	var names []string
	for i := range all {
		names = all[i].variables(names)
	}
	slots := make(map[string]int, len(names))
	for _, name := range names {
		slots[name] = c.fn.variable()
		if len(all) > 1 {
			c.op(opDup)
			c.emit(instruction{op: opLoad, value: nil})
			c.opTarget(opStore, slots[name])
		}
	}
	var ends []int
	for i := range all {
		if i == len(all)-1 {
			c.pattern(&all[i], slots, opStore)
			break
		}
		alt := c.op(opAlt)
		c.pattern(&all[i], slots, opStoreAlt)
		ends = append(ends, c.op(opJump))
		c.fn.here(alt)
	}
	for _, end := range ends {
		c.fn.here(end)
	}
	c.scope = outer
	for _, name := range names {
		c.bind(bindings{kind: bindVariable, name: name, owner: c.fn, index: slots[name]})
	}
}

func (c *compiler) pattern(p *pattern, slots map[string]int, store opcode) {
	if p.variable != "" {
		c.opTarget(store, slots[p.variable])
		return
	}
	for i := range p.elements {
		c.op(opDup)
		c.emit(instruction{op: opUnder, value: float64(i)})
		c.op(opIndex)
		c.pattern(&p.elements[i], slots, store)
	}
	for _, k := range p.keys {
		c.op(opDup)
		c.under(k.key)
		c.op(opIndex)
		switch {
		case k.value == nil:
			c.opTarget(store, slots[k.variable])
			continue
		case k.variable != "":
			c.op(opDup)
			c.opTarget(store, slots[k.variable])
		}
		c.pattern(k.value, slots, store)
	}
	c.op(opPop)
}

func (c *compiler) label(q *label) {
	at := c.fn.variable()
	outer := c.scope
	c.bind(bindings{kind: bindLabel, name: q.name, owner: c.fn, index: at})
	c.opTarget(opLabel, at)
	try := c.op(opTry)
	c.query(q.body)
	end := c.op(opJump)
	c.fn.here(try)
	c.opTarget(opCatchLabel, at)
	c.fn.here(end)
	c.scope = outer
}

func (c *compiler) breaking(q *breaking) {
	for b := c.scope; b != nil; b = b.outer {
		if b.kind == bindLabel && b.name == q.name {
			c.emit(instruction{op: opLoadVar, target: b.index, level: c.level(b.owner)})
			c.emit(instruction{op: opNative, native: raiseInput})
			return
		}
	}
	c.source.report(q.at, "$*label-"+q.name+" is not defined")
}

func (c *compiler) variable(q *variable) {
	for b := c.scope; b != nil; b = b.outer {
		if b.name != q.name {
			continue
		}
		switch b.kind {
		case bindVariable:
			c.emit(instruction{op: opLoadVar, target: b.index, level: c.level(b.owner)})
			return
		case bindConstant:
			c.emit(instruction{op: opLoad, value: b.value})
			return
		}
	}
	if q.name == "ENV" {
		c.emit(instruction{op: opNative, native: environment})
		return
	}
	c.source.report(q.at, "$"+q.name+" is not defined")
}
