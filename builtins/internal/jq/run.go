package jq

import "math"

// run executes instructions from pc until a result (done), or until the way
// leads back and on at again; again is negative where nothing is left. Its
// error is one that no program can catch.
func (m *Machine) run(pc int) (result Value, again int, done bool, err error) {
	// failed goes back with an error, or for errBacktrack without one.
	failed := func(e error) (Value, int, bool, error) {
		if e != errBacktrack {
			if fatal(e) {
				return nil, 0, false, e
			}
			m.raised = e
		}
		if pc, ok := m.backtrack(); ok {
			return nil, pc, false, nil
		}
		return nil, -1, false, nil
	}
	for {
		if m.ops++; m.ops&(opsBetweenLooks-1) == 0 {
			if err := m.ctx.Err(); err != nil {
				return nil, 0, false, err
			}
		}
		if m.memory.used > m.memory.drawn {
			if err := m.memory.charge(0); err != nil {
				return nil, 0, false, err
			}
		}
		i := &m.frame.function.code[pc]
		pc++
		switch i.op {
		case opLoad:
			m.replace(i.value)
		case opUnder:
			v := m.pop()
			m.push(i.value)
			m.push(v)
		case opDup:
			m.push(m.peek())
		case opDupTake:
			v := m.pop()
			m.push(nil)
			m.push(v)
		case opPop:
			m.pop()
		case opLoadVar:
			m.replace(m.up(i.level).vars[i.target])
		case opTakeVar:
			v := m.frame.vars[i.target]
			m.frame.vars[i.target] = nil
			m.replace(v)
		case opStore:
			m.frame.vars[i.target] = m.pop()
		case opStoreAlt:
			v := m.pop()
			m.save(pc-1, nil, 0)
			m.frame.vars[i.target] = v
		case opSubBegin:
			m.push(m.peek())
			m.path.nested++
		case opSubEnd:
			m.path.nested--
			a := m.pop()
			b := m.pop()
			m.push(a)
			m.push(b)
		case opIndex, opIndexOpt:
			v := m.pop()
			key := m.pop()
			if !m.intact(v) {
				return failed(raise("Invalid path expression near attempt to access element %s of %s", excerpt(key, 15), excerpt(v, 30)))
			}
			value, err := getIndex(v, key)
			if err != nil {
				if i.op == opIndexOpt {
					err = errBacktrack
				}
				return failed(err)
			}
			if _, made := value.(*Array); made {
				m.memory.used += valueSize
			}
			m.addStep(key, value)
			m.push(value)
		case opEach, opEachOpt:
			v := m.pop()
			if !m.intact(v) {
				return failed(raise("Invalid path expression near attempt to iterate through %s", excerpt(v, 15)))
			}
			n := -1
			switch c := v.(type) {
			case *Array:
				n = c.Len()
			case *Object:
				n = c.Len()
			}
			if n < 0 && i.op == opEach {
				return failed(raise("Cannot iterate over %s (%s)", typeName(v), excerpt(v, excerptSize)))
			}
			if n <= 0 {
				return failed(errBacktrack)
			}
			m.each(pc-1, v, 0)
		case opFork, opTry, opAlt:
			m.save(pc-1, nil, 0)
		case opJump:
			pc = i.target
		case opJumpFalse:
			if !truth(m.peek()) {
				pc = i.target
			}
		case opBacktrack:
			return failed(errBacktrack)
		case opAppend:
			list := m.frame.vars[i.target].(*Array)
			m.frame.vars[i.target] = list.add(m.pop())
			m.memory.used += containerSize + 2*valueSize
		case opInsert:
			top := m.pop()
			value := m.pop()
			key := m.pop()
			object := m.pop().(*Object)
			name, ok := key.(string)
			if !ok {
				return failed(raise("Cannot use %s (%s) as object key", typeName(key), excerpt(key, excerptSize)))
			}
			m.memory.used += containerSize + int64(object.Len()/2+1)*entrySize
			m.push(object.set(name, value))
			m.push(top)
		case opConcat:
			m.pop()
			if err := m.concat(i.target); err != nil {
				return failed(err)
			}
		case opRange:
			m.pop()
			from, ok := m.frame.vars[i.target].(float64)
			to, ok2 := m.frame.vars[i.level].(float64)
			if !ok || !ok2 {
				return failed(raise("Range bounds must be numeric"))
			}
			if !(from < to) {
				return failed(errBacktrack)
			}
			m.count(pc-1, from, to)
		case opPathBegin:
			outer := m.path
			m.path = pathState{on: true, value: m.peek(), enclosing: &outer}
		case opPathEnd:
			v := m.pop()
			if !m.intact(v) {
				return failed(raise("Invalid path expression with result %s", excerpt(v, 30)))
			}
			path := m.path.path.value()
			m.memory.used += int64(path.Len()+2) * valueSize
			m.path = *m.path.enclosing
			m.push(path)
		case opLabel:
			m.frame.vars[i.target] = objectOf("__jq", float64(m.labels))
			m.labels++
		case opCatchLabel:
			v := m.peek()
			if is, err := equal(v, m.frame.vars[i.target]); err != nil || !is {
				return failed(&Error{v})
			}
			return failed(errBacktrack)
		case opRethrow:
			if o, ok := m.peek().(*Object); ok {
				if mark, _ := o.get("__jq"); truth(mark) {
					return failed(&Error{o})
				}
			}
		case opNative:
			if err := m.native(i); err != nil {
				return failed(err)
			}
		case opCall, opTailCall:
			if pc, err = m.call(i, pc); err != nil {
				return nil, 0, false, err
			}
		case opReturn:
			if m.frame.caller == nil {
				return m.pop(), 0, true, nil
			}
			pc = m.frame.resume
			m.frame = m.frame.caller
		}
	}
}

// call enters a function or a parameter.
func (m *Machine) call(i *instruction, pc int) (int, error) {
	target := i.function
	outer := m.up(i.level)
	if target == nil {
		c := outer.args[i.target]
		target, outer = c.function, c.outer
	}
	next := &frame{function: target, outer: outer, caller: m.frame, resume: pc, depth: m.frame.depth + 1}
	if i.op == opTailCall && m.frame.caller != nil {
		next.caller, next.resume, next.depth = m.frame.caller, m.frame.resume, m.frame.depth
	}
	if next.depth > maxCalls {
		return 0, errTooDeep
	}
	if target.variables > 0 {
		next.vars = make([]Value, target.variables)
	}
	if len(i.args) > 0 {
		next.args = make([]closure, len(i.args))
		for n, a := range i.args {
			if a.function != nil {
				next.args[n] = closure{a.function, m.frame}
			} else {
				next.args[n] = m.up(a.level).args[a.target]
			}
		}
	}
	m.memory.used += frameSize(target, len(i.args))
	m.frame = next
	return 0, nil
}

func (m *Machine) native(i *instruction) error {
	in := m.pop()
	var args [4]Value
	for n := range i.target {
		args[n] = m.pop()
	}
	v, err := i.native(m, in, args[:i.target])
	if err != nil {
		return err
	}
	m.push(v)
	return nil
}

// concat joins the n texts on the top.
func (m *Machine) concat(n int) error {
	size := 0
	for i, at := 0, m.top; i < n; i, at = i+1, m.stack[at].below {
		size += len(m.stack[at].value.(string))
	}
	if size > math.MaxInt32 {
		return raise("String too long")
	}
	if err := m.memory.charge(size + valueSize); err != nil {
		return err
	}
	joined := make([]byte, 0, size)
	for range n {
		joined = append(joined, m.pop().(string)...)
	}
	m.push(string(joined))
	return nil
}
