package jq

import (
	"fmt"
	"strconv"
)

// definition compiles a function that the rest of the scope can call.
func (c *compiler) definition(d *definition) *function {
	f := &function{name: d.name, parent: c.fn}
	c.bind(bindings{kind: bindFunction, name: d.name, arity: len(d.params), owner: c.fn, function: f})
	c.body(f, d)
	return f
}

// body compiles a definition's body, in which its own name is bound.
func (c *compiler) body(f *function, d *definition) {
	outer, scope := c.fn, c.scope
	c.fn = f
	for i, p := range d.params {
		c.bind(bindings{kind: bindParam, name: p.name, owner: f, index: i})
	}
	for i, p := range d.params {
		if !p.value {
			continue
		}
		c.op(opDup)
		c.op(opSubBegin)
		c.emit(instruction{op: opCall, target: i})
		c.op(opSubEnd)
		c.op(opPop)
		c.opTarget(opStore, c.bindVariable(p.name))
	}
	c.query(d.body)
	f.finish()
	c.fn, c.scope = outer, scope
}

// lambda compiles an argument of a call.
func (c *compiler) lambda(body func()) argument {
	f := &function{parent: c.fn}
	outer := c.fn
	c.fn = f
	body()
	f.finish()
	c.fn = outer
	return argument{function: f}
}

// argument compiles one; a parameter is passed on as it is.
func (c *compiler) argument(q query) argument {
	if inner, ok := q.(*call); ok && len(inner.args) == 0 {
		if b := c.lookup(inner.name, 0); b != nil && b.kind == bindParam {
			return argument{target: b.index, level: c.level(b.owner)}
		}
	}
	return c.lambda(func() { c.query(q) })
}

func (c *compiler) lookup(name string, arity int) *bindings {
	for b := c.scope; b != nil; b = b.outer {
		if b.name == name && (b.kind == bindParam && arity == 0 || b.kind == bindFunction && b.arity == arity) {
			return b
		}
	}
	return nil
}

func (c *compiler) call(q *call) {
	b := c.lookup(q.name, len(q.args))
	if b == nil {
		c.callBuiltin(q)
		return
	}
	i := instruction{op: opCall, level: c.level(b.owner)}
	if b.kind == bindParam {
		i.target = b.index
	} else {
		i.function = b.function
		for _, arg := range q.args {
			i.args = append(i.args, c.argument(arg))
		}
	}
	c.emit(i)
}

// callBuiltin compiles a call of the language's own functions: some are
// instructions, some are written in Go, most of the rest in jq.
func (c *compiler) callBuiltin(q *call) {
	key := q.name + "/" + strconv.Itoa(len(q.args))
	switch key {
	case "empty/0":
		c.op(opBacktrack)
		return
	case "not/0":
		no := c.op(opJumpFalse)
		c.emit(instruction{op: opLoad, value: false})
		end := c.op(opJump)
		c.fn.here(no)
		c.emit(instruction{op: opLoad, value: true})
		c.fn.here(end)
		return
	case "path/1":
		c.op(opPathBegin)
		c.query(q.args[0])
		c.op(opPathEnd)
		return
	case "range/2":
		c.rangeCall(q)
		return
	}
	if f := builtin(key); f != nil {
		for i := len(q.args) - 1; i >= 0; i-- {
			c.under(q.args[i])
		}
		c.emit(instruction{op: opNative, target: len(q.args), native: f})
		return
	}
	if definitionText(key) == "" {
		c.source.report(q.at, fmt.Sprintf("%s is not defined", key))
		return
	}
	args := make([]argument, len(q.args))
	for i, arg := range q.args {
		args[i] = c.argument(arg)
	}
	c.callLibrary(q.name, args...)
}

// callLibrary calls a function that is defined in jq.
func (c *compiler) callLibrary(name string, args ...argument) {
	key := name + "/" + strconv.Itoa(len(args))
	f := c.library[key]
	if f == nil {
		f = &function{name: name}
		c.library[key] = f
		m, err := parse("<builtin>", definitionText(key))
		if err != nil || len(m.definitions) != 1 {
			panic("jq: faulty definition of " + key)
		}
		inner := compiler{source: m.source, library: c.library, depth: c.depth}
		inner.bind(bindings{kind: bindFunction, name: name, arity: len(args), function: f})
		inner.body(f, m.definitions[0])
		if len(m.source.errors) > 0 {
			panic(m.source.errors[0])
		}
	}
	c.emit(instruction{op: opCall, level: c.level(nil), function: f, args: args})
}

// rangeCall binds both ends, the first in the outer loop, and counts.
func (c *compiler) rangeCall(q *call) {
	var ends [2]int
	for i, arg := range q.args {
		c.op(opDup)
		c.under(arg)
		c.op(opPop)
		ends[i] = c.fn.variable()
		c.opTarget(opStore, ends[i])
	}
	c.emit(instruction{op: opRange, target: ends[0], level: ends[1]})
}
