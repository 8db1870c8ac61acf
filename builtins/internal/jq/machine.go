package jq

import (
	"context"
	"errors"
	"time"
)

// World is what a program may reach. Nil functions answer as if there were
// nothing.
type World struct {
	// Input returns the next input, or io.EOF; an *InputError is for the
	// program to handle.
	Input func() (Value, error)
	// Debug and Stderr take the messages of the functions of these names.
	Debug, Stderr func(Value) error
	// InputName and InputLine tell where Input stands.
	InputName func() (string, bool)
	InputLine func() int
	Env       []string
	Now       func() time.Time
	// Zone is the local time zone.
	Zone *time.Location
	// Charge and Release draw memory from a budget.
	Charge  func(int64) error
	Release func(int64)
}

// Machine runs a program. It belongs to one goroutine.
type Machine struct {
	ctx    context.Context
	world  *World
	memory meter
	main   *function
	loader *loader

	stack []slot
	// top is the stack's top, kept is where backtracking needs the slots below.
	top, kept int
	forks     []fork
	frame     *frame
	path      pathState
	labels    int
	// raised is the error on the way back to a handler.
	raised     error
	ops        int
	env        *Object
	patterns   map[patternKey]*compiledPattern
	frameTrail []*frame
}

// slot is a value on the stack and where the one below it is: slots that
// backtracking needs stay in place, the stack goes on above them.
type slot struct {
	value Value
	below int
}

// frame is a call of a function.
type frame struct {
	function *function
	vars     []Value
	args     []closure
	// outer is the frame the function's text stands in, caller where it
	// returns to.
	outer, caller *frame
	resume        int
	depth         int
	seen          uint32
}

type closure struct {
	function *function
	outer    *frame
}

// pathState is what a path expression has come through. The path is nil
// outside of one.
type pathState struct {
	path *pathStep
	on   bool
	// value is what the path leads to; nested counts subexpressions, whose
	// paths do not count.
	value  Value
	nested int
	// enclosing is the state around a path expression.
	enclosing *pathState
}

type pathStep struct {
	before *pathStep
	key    Value
	size   int
}

func (p *pathStep) value() *Array {
	if p == nil {
		return &Array{}
	}
	keys := make([]Value, p.size)
	for ; p != nil; p = p.before {
		keys[p.size-1] = p.key
	}
	return newArray(keys)
}

// fork is a place to go back to, with the state to go on from.
type fork struct {
	pc        int
	frame     *frame
	top, kept int
	path      pathState
	// value and n are an iteration's container and position.
	value Value
	n     float64
}

// Halt ends a program at once.
type Halt struct {
	Status int
	// Message is written to stderr where HasMessage.
	Message    Value
	HasMessage bool
}

func (h *Halt) Error() string { return "halt" }

var errBacktrack = errors.New("backtrack")

const (
	// maxCalls bounds the calls that wait for one another.
	maxCalls        = 1 << 19
	opsBetweenLooks = 1 << 12
)

// errTooDeep is the answer to a recursion without an end.
var errTooDeep = errors.New("calls nested too deep")

// NewMachine makes a machine for one program.
func NewMachine(ctx context.Context, p *Program, w *World) *Machine {
	m := &Machine{ctx: ctx, world: w, main: p.main, loader: p.loader}
	m.memory = meter{ctx: ctx, take: w.Charge, give: w.Release}
	m.memory.addRoot(m.measure)
	m.top, m.kept = -1, -1
	return m
}

// Close gives the memory back.
func (m *Machine) Close() { m.memory.close() }

// Start begins to run the program on an input.
func (m *Machine) Start(input Value) {
	m.stack, m.forks = m.stack[:0], m.forks[:0]
	m.top, m.kept = -1, -1
	m.path, m.raised = pathState{}, nil
	m.frame = &frame{function: m.main, vars: make([]Value, m.main.variables)}
	m.push(input)
	m.forks = append(m.forks, fork{pc: -1, frame: m.frame, top: m.top, kept: m.top})
	m.kept = m.top
}

func (m *Machine) push(v Value) {
	at := max(m.top, m.kept) + 1
	if at < len(m.stack) {
		m.stack[at] = slot{v, m.top}
	} else {
		if len(m.stack) == cap(m.stack) {
			m.memory.used += int64(cap(m.stack)+16) * valueSize
		}
		m.stack = append(m.stack, slot{v, m.top})
	}
	m.top = at
}

func (m *Machine) pop() Value {
	s := m.stack[m.top]
	m.top = s.below
	return s.value
}

// replace changes the top in place where backtracking does not need it.
func (m *Machine) replace(v Value) {
	if m.top > m.kept {
		m.stack[m.top].value = v
		return
	}
	m.pop()
	m.push(v)
}

func (m *Machine) peek() Value { return m.stack[m.top].value }

// save makes a fork that resumes at the instruction pc.
func (m *Machine) save(pc int, v Value, n float64) {
	if len(m.forks) == cap(m.forks) {
		m.memory.used += int64(cap(m.forks)+8) * 128
	}
	m.forks = append(m.forks, fork{pc, m.frame, m.top, m.kept, m.path, v, n})
	m.kept = max(m.kept, m.top)
}

// up is the frame level functions outwards.
func (m *Machine) up(level int) *frame {
	f := m.frame
	for ; level > 0; level-- {
		f = f.outer
	}
	return f
}

// Next returns the next result. ok is false at the end; err is an *Error that
// ended this input's results, a *Halt, or what ends the run.
func (m *Machine) Next() (v Value, ok bool, err error) {
	pc, alive := m.backtrack()
	for {
		if !alive {
			err := m.raised
			m.raised = nil
			return nil, false, err
		}
		v, again, done, err := m.run(pc)
		if err != nil {
			return nil, false, err
		}
		if done {
			return v, true, nil
		}
		pc, alive = again, again >= 0
	}
}

// fatal tells what no program can catch.
func fatal(err error) bool {
	var raised *Error
	return !errors.As(err, &raised)
}

// backtrack goes back to the last fork that can go on, and returns where.
// While an error is raised only handlers can.
func (m *Machine) backtrack() (pc int, ok bool) {
	for len(m.forks) > 0 {
		n := len(m.forks) - 1
		f := &m.forks[n]
		m.frame, m.top, m.kept, m.path = f.frame, f.top, f.kept, f.path
		pc, value, at := f.pc, f.value, f.n
		f.value, f.frame = nil, nil
		m.forks = m.forks[:n]
		if pc < 0 {
			if m.raised == nil {
				return 0, true
			}
			continue
		}
		i := &m.frame.function.code[pc]
		switch i.op {
		case opFork:
			if m.raised == nil {
				return i.target, true
			}
		case opTry:
			if e, isError := m.raised.(*Error); isError {
				m.pop()
				m.push(e.Value)
				m.raised = nil
				return i.target, true
			}
		case opAlt:
			if m.raised != nil {
				m.raised = nil
				return i.target, true
			}
		case opStoreAlt:
			m.frame.vars[i.target] = nil
		case opEach, opEachOpt:
			if m.raised == nil {
				m.each(pc, value, int(at))
				return pc + 1, true
			}
		case opRange:
			if m.raised == nil {
				m.count(pc, at, value.(float64))
				return pc + 1, true
			}
		}
	}
	return 0, false
}

// each yields element n of a container and comes back for the next.
func (m *Machine) each(pc int, container Value, n int) {
	var key, value Value
	size := 0
	switch c := container.(type) {
	case *Array:
		key, value, size = float64(n), c.At(n), c.Len()
	case *Object:
		e := c.entries.at(n)
		key, value, size = e.key, e.value, c.Len()
	}
	if n+1 < size {
		m.save(pc, container, float64(n+1))
	}
	m.addStep(key, value)
	m.push(value)
}

// count yields n and comes back for the numbers up to end.
func (m *Machine) count(pc int, n, end float64) {
	if n+1 < end {
		m.save(pc, end, n+1)
	}
	m.push(n)
}

func (m *Machine) tracked() bool { return m.path.on && m.path.nested == 0 }

// intact reports whether v is what the path leads to.
func (m *Machine) intact(v Value) bool { return !m.tracked() || same(v, m.path.value) }

func (m *Machine) addStep(key, value Value) {
	if !m.tracked() {
		return
	}
	size := 1
	if m.path.path != nil {
		size = m.path.path.size + 1
	}
	m.memory.used += 64
	m.path.path = &pathStep{m.path.path, key, size}
	m.path.value = value
}

// measure adds what the machine can still reach.
func (m *Machine) measure(c *measurement) {
	c.total += int64(cap(m.stack))*valueSize + int64(cap(m.forks))*128
	for i := range min(len(m.stack), max(m.top, m.kept)+1) {
		c.add(m.stack[i].value)
	}
	m.measureFrame(c, m.frame)
	m.measurePath(c, &m.path)
	for i := range m.forks {
		f := &m.forks[i]
		m.measureFrame(c, f.frame)
		c.add(f.value)
		m.measurePath(c, &f.path)
	}
}

func (m *Machine) measurePath(c *measurement, p *pathState) {
	for ; p != nil && p.on; p = p.enclosing {
		c.add(p.value)
		if p.path != nil {
			c.total += 64
		}
	}
}

func (m *Machine) measureFrame(c *measurement, f *frame) {
	m.frameTrail = append(m.frameTrail[:0], f)
	for len(m.frameTrail) > 0 {
		f := m.frameTrail[len(m.frameTrail)-1]
		m.frameTrail = m.frameTrail[:len(m.frameTrail)-1]
		if f == nil || f.seen == c.id {
			continue
		}
		f.seen = c.id
		c.total += frameSize(f.function, len(f.args))
		for _, v := range f.vars {
			c.add(v)
		}
		for _, a := range f.args {
			m.frameTrail = append(m.frameTrail, a.outer)
		}
		m.frameTrail = append(m.frameTrail, f.outer, f.caller)
	}
}

func frameSize(f *function, args int) int64 {
	return 112 + int64(f.variables+args)*16
}
