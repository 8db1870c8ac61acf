package awk

import (
	"math"
	"strings"
)

func (x *constant) eval(*machine) value { return x.v }

func (x *regexExpr) eval(m *machine) value {
	return boolean(m.matches(x.re, m.recordText()))
}

func (x *variable) cell(m *machine) *cell {
	if x.scope == scopeLocal {
		return m.frame[x.index]
	}
	return m.globals[x.index]
}

func (x *variable) eval(m *machine) value {
	if x.scope == scopeSpecial {
		return m.special(x.index)
	}
	c := x.cell(m)
	if c.array != nil {
		fatalf("attempt to use array `%s' in a scalar context", x.name)
	}
	return c.v
}

func (x *variable) assign(m *machine, v value) {
	if x.scope == scopeSpecial {
		m.setSpecial(x.index, v)
		return
	}
	c := x.cell(m)
	if c.array != nil {
		fatalf("attempt to use array `%s' in a scalar context", x.name)
	}
	if n := len(v.s) - len(c.v.s); n > 1<<10 || n < -1<<10 {
		if n > 0 {
			m.charge(int64(n))
		} else {
			m.refund(int64(-n))
		}
	}
	c.v = v
}

func (x *field) index0(m *machine) int {
	v := x.index.eval(m)
	n := v.number()
	if n < 0 {
		fatalf("attempt to access field %s", m.formatNumber(math.Trunc(n), ""))
	}
	if n > 1<<22 {
		fatalf("attempt to access field %s", m.formatNumber(math.Trunc(n), ""))
	}
	return int(n)
}

func (x *field) eval(m *machine) value { return m.field(x.index0(m)) }

func (x *field) assign(m *machine, v value) { m.setField(x.index0(m), v) }

// array finds or makes the array.
func (r *arrayRef) get(m *machine) *array {
	if r.inner != nil {
		e := r.inner.array.get(m).get(m, m.subscript(r.inner.index))
		if e.array == nil {
			if e.v.kind != kUnset {
				fatalf("attempt to use scalar `%s[\"%s\"]' as an array", r.name(), e.key)
			}
			e.array = newArray()
		}
		return e.array
	}
	x := r.base
	if x.scope == scopeSpecial {
		fatalf("attempt to use scalar `%s' as an array", x.name)
	}
	name := x.name
	if x.scope == scopeLocal {
		name = "parameter " + name
	}
	return x.cell(m).makeArray(m, name)
}

func (r *arrayRef) name() string {
	for r.inner != nil {
		r = r.inner.array
	}
	return r.base.name
}

func (c *cell) makeArray(m *machine, name string) *array {
	if c.array != nil {
		return c.array
	}
	if c.link != nil {
		c.array = c.link.makeArray(m, name)
		return c.array
	}
	if c.v.kind != kUnset {
		what := "scalar `"
		if local, ok := strings.CutPrefix(name, "parameter "); ok {
			what, name = "scalar parameter `", local
		}
		fatalf("attempt to use %s%s' as an array", what, name)
	}
	c.array = newArray()
	return c.array
}

// subscript joins subscripts by SUBSEP.
func (m *machine) subscript(index []expr) string {
	if len(index) == 1 {
		v := index[0].eval(m)
		return m.key(&v)
	}
	var b strings.Builder
	for i, x := range index {
		if i > 0 {
			b.WriteString(m.subsep)
		}
		v := x.eval(m)
		b.WriteString(m.key(&v))
	}
	return b.String()
}

func (m *machine) key(v *value) string { return m.text(v) }

func (x *access) eval(m *machine) value {
	e := x.array.get(m).get(m, m.subscript(x.index))
	if e.array != nil {
		fatalf("attempt to use array `%s[\"%s\"]' in a scalar context", x.array.name(), e.key)
	}
	return e.v
}

func (x *access) assign(m *machine, v value) {
	a := x.array.get(m)
	key := m.subscript(x.index)
	if e := a.elements[key]; e != nil && e.array != nil {
		fatalf("attempt to use array `%s[\"%s\"]' in a scalar context", x.array.name(), key)
	}
	a.set(m, key, v)
}

func (x *assignExpr) eval(m *machine) value {
	if x.op == 0 {
		v := x.value.eval(m)
		x.to.assign(m, v)
		return v
	}
	// gawk evaluates the right side first.
	right := x.value.eval(m)
	left := x.to.eval(m)
	if (x.op == '/' || x.op == '%') && right.number() == 0 {
		fatalf("division by zero attempted in `%c='", x.op)
	}
	v := num(arithmetic(x.op, left.number(), right.number()))
	x.to.assign(m, v)
	return v
}

func (x *condExpr) eval(m *machine) value {
	v := x.cond.eval(m)
	if v.truth() {
		return x.then.eval(m)
	}
	return x.other.eval(m)
}

func (x *andExpr) eval(m *machine) value {
	v := x.left.eval(m)
	if !v.truth() {
		return num(0)
	}
	v = x.right.eval(m)
	return boolean(v.truth())
}

func (x *orExpr) eval(m *machine) value {
	v := x.left.eval(m)
	if v.truth() {
		return num(1)
	}
	v = x.right.eval(m)
	return boolean(v.truth())
}

func (x *notExpr) eval(m *machine) value {
	v := x.x.eval(m)
	return boolean(!v.truth())
}

func (x *unaryExpr) eval(m *machine) value {
	v := x.x.eval(m)
	n := v.number()
	if x.op == '-' {
		n = -n
	}
	return num(n)
}

func (x *binaryExpr) eval(m *machine) value {
	left := x.left.eval(m)
	right := x.right.eval(m)
	return num(arithmetic(x.op, left.number(), right.number()))
}

func arithmetic(op byte, a, b float64) float64 {
	switch op {
	case '+':
		return a + b
	case '-':
		return a - b
	case '*':
		return a * b
	case '/':
		if b == 0 {
			fatalf("%s", divisionByZero(op))
		}
		return a / b
	case '%':
		if b == 0 {
			fatalf("%s", divisionByZero(op))
		}
		return math.Mod(a, b)
	}
	return power(a, b)
}

func divisionByZero(op byte) string {
	if op == '%' {
		return "division by zero attempted in `%'"
	}
	return "division by zero attempted"
}

// power is exact for small whole exponents, as gawk's is.
func power(a, b float64) float64 {
	if b == math.Trunc(b) && math.Abs(b) < 1024 {
		n, result := int(math.Abs(b)), 1.0
		for base := a; n > 0; n >>= 1 {
			if n&1 == 1 {
				result *= base
			}
			base *= base
		}
		if b < 0 {
			return 1 / result
		}
		return result
	}
	return math.Pow(a, b)
}

func (x *concatExpr) eval(m *machine) value {
	if len(x.parts) == 2 {
		a := x.parts[0].eval(m)
		b := x.parts[1].eval(m)
		s, t := m.text(&a), m.text(&b)
		m.bound(len(s) + len(t))
		return str(s + t)
	}
	size := 0
	texts := make([]string, len(x.parts))
	for i, part := range x.parts {
		v := part.eval(m)
		texts[i] = m.text(&v)
		size += len(texts[i])
	}
	m.bound(size)
	return str(strings.Join(texts, ""))
}

// result is a text being put together, within the budget: a builder holds its
// text twice while it grows.
type result struct {
	strings.Builder
	m *machine
}

func (r *result) add(s string) {
	if n := r.Len() + len(s); n > r.Cap() {
		r.m.bound(r.Cap() + 2*n)
	}
	r.WriteString(s)
}

// bound refuses to make a string that the budget could not hold.
func (m *machine) bound(size int) {
	if size > 1<<16 {
		m.looked() // what comes takes long
		m.charge(int64(size))
		m.refund(int64(size))
	}
}

func (x *compareExpr) eval(m *machine) value {
	left := x.left.eval(m)
	right := x.right.eval(m)
	if math.IsNaN(left.n) && left.isNumber() || math.IsNaN(right.n) && right.isNumber() {
		if left.isNumber() && right.isNumber() {
			return boolean(x.op == "!=")
		}
	}
	c := m.compare(&left, &right)
	switch x.op {
	case "<":
		return boolean(c < 0)
	case "<=":
		return boolean(c <= 0)
	case "==":
		return boolean(c == 0)
	case "!=":
		return boolean(c != 0)
	case ">":
		return boolean(c > 0)
	}
	return boolean(c >= 0)
}

func (x *matchExpr) eval(m *machine) value {
	v := x.left.eval(m)
	return boolean(m.matches(x.re, m.text(&v)) != x.not)
}

func (x *inExpr) eval(m *machine) value {
	a := x.array.get(m)
	_, ok := a.elements[m.subscript(x.index)]
	return boolean(ok)
}

func (x *incExpr) eval(m *machine) value {
	v := x.to.eval(m)
	old := v.number()
	x.to.assign(m, num(old+x.by))
	if x.post {
		return num(old)
	}
	return num(old + x.by)
}

func (x *groupExpr) eval(m *machine) value { return x.x.eval(m) }

func (x *listExpr) eval(m *machine) value { return str(m.subscript(x.parts)) }

func (x *callExpr) eval(m *machine) value {
	if x.fn == nil {
		fatalf("function `%s' not defined", x.name)
	}
	return m.callExprs(x.fn, x.args)
}

func (x *indirectExpr) eval(m *machine) value {
	v := x.name.eval(m)
	name := m.text(&v)
	if fn := m.program.functions[name]; fn != nil && fn.define {
		return m.callExprs(fn, x.args)
	}
	if id := builtinIndex(name); id >= 0 {
		return builtinTable[id].run(m, x.args)
	}
	fatalf("`%s' is not a function, so it cannot be called indirectly", name)
	return value{}
}

// callExprs binds arguments: arrays by reference, an unset name so that it may
// become one, everything else by value.
func (m *machine) callExprs(fn *function, args []expr) value {
	cells := make([]*cell, len(fn.params))
	for i := range cells {
		cells[i] = &cell{}
		if i >= len(args) {
			continue
		}
		switch x := args[i].(type) {
		case *variable:
			if x.scope == scopeSpecial {
				cells[i].v = x.eval(m)
				continue
			}
			c := x.cell(m)
			for c.array == nil && c.link != nil && c.link.array != nil {
				c.array = c.link.array
			}
			if c.array != nil {
				cells[i].array = c.array
			} else {
				cells[i].v = c.v
				if c.v.kind == kUnset {
					cells[i].link = c
				}
			}
		case *access:
			a := x.array.get(m)
			e := a.get(m, m.subscript(x.index))
			if e.array != nil {
				cells[i].array = e.array
			} else {
				cells[i].v = e.v
			}
		default:
			cells[i].v = x.eval(m)
		}
	}
	return m.enterFunction(fn, cells)
}

// call calls a function with values, or arrays where they are not nil.
func (m *machine) call(fn *function, values []value, arrays []*array) value {
	cells := make([]*cell, len(fn.params))
	for i := range cells {
		cells[i] = &cell{}
		if i < len(values) {
			cells[i].v = values[i]
		}
		if i < len(arrays) && arrays[i] != nil {
			cells[i] = &cell{array: arrays[i]}
		}
	}
	return m.enterFunction(fn, cells)
}

func (m *machine) enterFunction(fn *function, cells []*cell) value {
	m.check()
	m.depth++
	m.levels += fn.levels
	if m.depth > maxCallDepth || m.levels > maxCallLevels {
		fatalf("function call depth of %d exceeded", m.depth-1)
	}
	m.charge(callCharge)
	saved, at := m.frame, m.at
	m.frame = cells
	m.result = value{}
	f := fn.body.exec(m)
	m.frame, m.at = saved, at
	m.depth--
	m.levels -= fn.levels
	m.refund(callCharge)
	result := m.result
	m.result = value{}
	switch f {
	case flowNext, flowNextFile, flowExit:
		panic(flowPanic{f})
	}
	return result
}

func (x *builtinExpr) eval(m *machine) value { return builtinTable[x.id].run(m, x.args) }
