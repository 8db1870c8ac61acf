package bc

import (
	"errors"
	"fmt"
	"io"
	"math"
)

// Numbers of the variables that are part of the machine.
const (
	variableIbase = iota
	variableObase
	variableScale
	variableHistory
	variableLast
)

const (
	maxBase    = math.MaxInt32
	maxIndex   = 16777215
	maxScale   = math.MaxInt32
	maxHistory = math.MaxInt32
)

var (
	errQuit = errors.New("quit")
	errHalt = errors.New("halt")
)

// Options say how a Machine reaches the world.
type Options struct {
	Out, Err io.Writer
	// Input is what read() reads.
	Input io.ByteScanner
	// Next gives the files of the program in turn, nil after the last.
	Next func() (*Source, error)
	// Charge and Release count memory; Stop is asked in every loop.
	Charge  func(int64) error
	Release func(int64)
	Stop    func() error
	// LineLength is where output is broken; 0: nowhere.
	LineLength int
	// Library adds the functions of -l.
	Library bool
}

// Machine is one bc.
type Machine struct {
	Options
	functions []*function
	ids       map[string]int
	counts    [3]int
	names     [3][]string
	variables []variable
	arrays    []arrayVariable

	ibase, obase, scale int
	last                *Number

	stack  []*Number
	frames []frame
	fn, pc int

	column int
	failed bool
	name   string
	line   *int
	steps  int
	random []int32

	used, drawn int64
}

// variable is a simple variable: the last value is the visible one.
type variable struct{ values []*Number }

type array map[int]*Number

type arrayVariable struct{ values []*array }

// frame is what a call puts back.
type frame struct{ fn, pc, ibase int }

// New makes a machine.
func New(o Options) *Machine {
	m := &Machine{Options: o, ids: map[string]int{}, ibase: 10, obase: 10, last: Zero}
	m.functions = []*function{{name: "(main)"}}
	m.counts = [3]int{5, 1, 1}
	m.names = [3][]string{make([]string, 5), make([]string, 1), make([]string, 1)}
	m.variables = make([]variable, 5)
	m.arrays = make([]arrayVariable, 1)
	if o.Library {
		m.scale = 20
		for i, name := range libraryNames {
			id := m.lookup(name, 'f')
			m.functions[id] = &function{name: name, defined: true, code: []byte{'m', byte(i), 'R'}}
			m.functions[id].parameters = []int{m.lookup("x", 's')}
			if name == "j" {
				m.functions[id].parameters = []int{m.lookup("n", 's'), m.lookup("x", 's')}
			}
		}
	}
	return m
}

// Run reads and runs the program. Only an error that ends bc comes back.
func (m *Machine) Run() error {
	defer func() { m.Release(m.drawn) }()
	p := &parser{lexer: &lexer{m: m, next: m.Next}, Machine: m}
	for {
		more, err := p.line()
		switch {
		case errors.Is(err, errQuit), errors.Is(err, errHalt):
			return nil
		case err != nil || !more:
			return err
		}
	}
}

func (m *Machine) step() error {
	if m.steps++; m.steps&0x3ff != 0 {
		return nil
	}
	return m.Stop()
}

// use counts n bytes more, or fewer.
func (m *Machine) use(n int) error {
	if m.used += int64(n); m.used <= m.drawn {
		return nil
	}
	more := max(m.used-m.drawn, 64<<10)
	if err := m.Charge(more); err != nil {
		return err
	}
	m.drawn += more
	return nil
}

// grown counts the code that a line has made.
func (m *Machine) grown() error { return m.use(64) }

// complain reports what is wrong with the text; its line does not run.
func (m *Machine) complain(format string, args ...any) {
	m.failed = true
	line := 1
	if m.line != nil {
		line = *m.line
	}
	fmt.Fprintf(m.Err, "%s %d: %s\n", m.name, line, fmt.Sprintf(format, args...))
}

// runtime is an error of a program that runs: it ends the line.
type runtimeError string

func (e runtimeError) Error() string { return string(e) }

func fail(format string, args ...any) error { return runtimeError(fmt.Sprintf(format, args...)) }

func (m *Machine) report(e runtimeError) {
	fmt.Fprintf(m.Err, "Runtime error (func=%s, adr=%d): %s\n", m.functions[m.fn].name, m.pc, e)
}

func (m *Machine) warn(format string, args ...any) {
	fmt.Fprintf(m.Err, "Runtime warning (func=%s, adr=%d): %s\n", m.functions[m.fn].name, m.pc, fmt.Sprintf(format, args...))
}

// lookup is the number of a name: 's' simple, 'a' array, 'f' function.
func (m *Machine) lookup(name string, kind byte) int {
	key := string(kind) + name
	if id, ok := m.ids[key]; ok {
		return id
	}
	i := map[byte]int{'s': 0, 'a': 1, 'f': 2}[kind]
	id := m.counts[i]
	m.counts[i]++
	m.ids[key] = id
	m.names[i] = append(m.names[i], name)
	switch kind {
	case 's':
		m.variables = append(m.variables, variable{})
	case 'a':
		m.arrays = append(m.arrays, arrayVariable{})
	case 'f':
		m.functions = append(m.functions, &function{name: name})
	}
	m.used += 256 + 2*int64(len(name))
	return id
}

func (m *Machine) tell(what string) {
	text := "This is the bc of vsh, under the MIT licence. It comes without any warranty.\n"
	if what == "limits" {
		text = fmt.Sprintf("BC_BASE_MAX     = %d\nBC_DIM_MAX      = %d\nBC_SCALE_MAX    = %d\nBC_STRING_MAX   = %d\nMAX Exponent    = %d\nNumber of vars  = %d\n",
			maxBase, maxIndex, maxScale, math.MaxInt32, math.MaxInt64, 32767)
	}
	io.WriteString(m.Out, text)
}

// write sends number text out, broken at the end of the line.
func (m *Machine) write(s string) {
	var out []byte
	for i := 0; i < len(s); i++ {
		if s[i] == '\n' {
			m.column = 0
		} else if m.column++; m.LineLength != 0 && m.column == m.LineLength-1 {
			out = append(out, '\\', '\n')
			m.column = 1
		}
		out = append(out, s[i])
	}
	m.Out.Write(out)
}

func (m *Machine) push(x *Number) error {
	m.stack = append(m.stack, x)
	return m.use(x.Size())
}

func (m *Machine) pop() *Number {
	x := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	m.used -= int64(x.Size())
	return x
}

func (m *Machine) top() *Number { return m.stack[len(m.stack)-1] }

// byte reads an operand.
func (m *Machine) byte() byte {
	b := m.functions[m.fn].code[m.pc]
	m.pc++
	return b
}

func (m *Machine) id() int {
	b := int(m.byte())
	if b&0x80 != 0 {
		b = b&0x7f<<8 | int(m.byte())
	}
	return b
}

// execute runs the line that was compiled.
func (m *Machine) execute() error {
	m.fn, m.pc = 0, 0
	err := m.loop()
	for len(m.frames) > 0 {
		m.leave()
	}
	for len(m.stack) > 0 {
		m.pop()
	}
	var wrong runtimeError
	if errors.As(err, &wrong) {
		return nil
	}
	return err
}

func (m *Machine) loop() error {
	for m.pc < len(m.functions[m.fn].code) {
		if err := m.step(); err != nil {
			return err
		}
		if err := m.instruction(m.byte()); err != nil {
			var wrong runtimeError
			if errors.As(err, &wrong) {
				m.report(wrong)
			}
			return err
		}
	}
	return nil
}

func (m *Machine) instruction(op byte) error {
	switch op {
	case '0':
		return m.push(Zero)
	case '1':
		return m.push(One)
	case 'K':
		return m.constant()
	case 'D':
		return m.push(m.top())
	case 'p':
		m.pop()
	case 'x':
		n := len(m.stack)
		m.stack[n-1], m.stack[n-2] = m.stack[n-2], m.stack[n-1]
	case 'n':
		return m.push(m.pop().Neg())
	case '!':
		return m.truth(m.pop().Sign() == 0)
	case '+', '-', '*', '/', '%', '^':
		return m.arithmetic(op)
	case '=', '#', '<', '>', '{', '}':
		return m.compare(op)
	case 'B', 'Z', 'J':
		label := int(m.byte()) | int(m.byte())<<8
		if op == 'J' || (m.pop().Sign() == 0) == (op == 'Z') {
			m.pc = m.functions[m.fn].labels[label]
		}
	case 'l':
		return m.push(m.load(m.id()))
	case 's':
		return m.store(m.id(), m.top())
	case 'i', 'd':
		id := m.id()
		return m.change(op == 'i', m.load(id), func(x *Number) error { return m.store(id, x) })
	case 'L', 'S', 'A', 'M':
		return m.element(op, m.id())
	case 'C':
		return m.call(m.id())
	case 'R':
		return m.returns()
	case 'c':
		return m.special(m.byte())
	case 'm':
		return m.library(libraryNames[m.byte()])
	case 'W', 'P':
		text, err := m.top().Text(m.obase, m.step)
		if err != nil {
			return err
		}
		if op == 'W' {
			text += "\n"
		}
		m.write(text)
		return m.setLast(m.pop())
	case 'w':
		m.text(false)
	case 'O':
		m.text(true)
	case 'h':
		return errHalt
	}
	return nil
}

// text prints a string of the code.
func (m *Machine) text(escapes bool) {
	var out []byte
	for {
		c := m.byte()
		if c == '"' {
			break
		}
		if c == '\\' && escapes {
			switch c = m.byte(); c {
			case '"':
				m.write(string(out))
				return
			case 'a':
				out = append(out, 7)
			case 'b':
				out = append(out, '\b')
			case 'f':
				out = append(out, '\f')
			case 'n':
				out = append(out, '\n')
			case 'q':
				out = append(out, '"')
			case 'r':
				out = append(out, '\r')
			case 't':
				out = append(out, '\t')
			case '\\':
				out = append(out, '\\')
			}
			continue
		}
		out = append(out, c)
	}
	m.write(string(out))
}

func (m *Machine) truth(yes bool) error {
	if yes {
		return m.push(One)
	}
	return m.push(Zero)
}

// constant reads digits of the code in the base of now.
func (m *Machine) constant() error {
	var whole, fraction []byte
	part := &whole
	for {
		switch d := m.byte(); d {
		case ':':
			x, err := FromDigits(whole, fraction, m.ibase)
			if err != nil {
				return err
			}
			return m.push(x)
		case '.':
			part = &fraction
		default:
			*part = append(*part, d)
		}
	}
}

// longBits is the size of operands from which on a single operation takes long
// enough to look whether to go on.
const longBits = 1 << 16

func (m *Machine) arithmetic(op byte) error {
	y, x := m.pop(), m.pop()
	var r *Number
	var err error
	if x.digits.BitLen()+y.digits.BitLen() > longBits {
		if err := m.Stop(); err != nil {
			return err
		}
	}
	switch op {
	case '+':
		r, err = x.Add(y)
	case '-':
		r, err = x.Sub(y)
	case '*':
		r, err = x.Mul(y, m.scale)
	case '/':
		if r, err = x.Div(y, m.scale); errors.Is(err, ErrZero) {
			return fail("Divide by zero")
		}
	case '%':
		if _, r, err = x.DivMod(y, m.scale); errors.Is(err, ErrZero) {
			return fail("Modulo by zero")
		}
	case '^':
		if y.Scale() != 0 {
			m.warn("non-zero scale in exponent")
		}
		n, ok := y.Int()
		if !ok {
			return fail("exponent too large in raise")
		}
		if r, err = x.Pow(n, m.scale, m.Stop); errors.Is(err, ErrZero) {
			return fail("divide by zero")
		}
	}
	if err != nil {
		return err
	}
	return m.push(r)
}

func (m *Machine) compare(op byte) error {
	y, x := m.pop(), m.pop()
	c, err := x.Cmp(y)
	if err != nil {
		return err
	}
	switch op {
	case '=':
		return m.truth(c == 0)
	case '#':
		return m.truth(c != 0)
	case '<':
		return m.truth(c < 0)
	case '>':
		return m.truth(c > 0)
	case '{':
		return m.truth(c <= 0)
	}
	return m.truth(c >= 0)
}

// change adds or takes one.
func (m *Machine) change(up bool, x *Number, store func(*Number) error) error {
	by := One
	if !up {
		by = One.Neg()
	}
	r, err := x.Add(by)
	if err != nil {
		return err
	}
	return store(r)
}

func (m *Machine) load(id int) *Number {
	switch id {
	case variableIbase:
		return FromInt(int64(m.ibase))
	case variableObase:
		return FromInt(int64(m.obase))
	case variableScale:
		return FromInt(int64(m.scale))
	case variableHistory:
		return FromInt(-1)
	case variableLast:
		return m.last
	}
	if v := m.variables[id].values; len(v) > 0 {
		return v[len(v)-1]
	}
	return Zero
}

func (m *Machine) setLast(x *Number) error {
	err := m.use(x.Size() - m.last.Size())
	m.last = x
	return err
}

func (m *Machine) store(id int, x *Number) error {
	switch id {
	case variableIbase, variableObase, variableScale, variableHistory:
		m.storeOwn(id, x)
		return nil
	case variableLast:
		return m.setLast(x)
	}
	v := &m.variables[id]
	if len(v.values) == 0 {
		v.values = append(v.values, Zero)
	}
	at := &v.values[len(v.values)-1]
	err := m.use(x.Size() - (*at).Size())
	*at = x
	return err
}

// storeOwn sets one of the machine's own variables, within its bounds.
func (m *Machine) storeOwn(id int, x *Number) {
	name := [...]string{"ibase", "obase", "scale", "history"}[id]
	n, fit := x.Int()
	if x.Sign() < 0 {
		switch id {
		case variableIbase, variableObase:
			n = 2
			m.warn("negative %s, set to 2", name)
		case variableScale:
			n = 0
			m.warn("negative scale, set to 0")
		}
		fit = true
	}
	switch id {
	case variableIbase:
		m.ibase = m.bounded(name, n, fit, 2, 36)
	case variableObase:
		m.obase = m.bounded(name, n, fit, 2, maxBase)
	case variableScale:
		m.scale = m.bounded(name, n, fit, 0, maxScale)
	}
}

func (m *Machine) bounded(name string, n int, fit bool, least, most int) int {
	switch {
	case fit && n < least:
		m.warn("%s too small, set to %d", name, least)
		return least
	case !fit || n > most:
		m.warn("%s too large, set to %d", name, most)
		return most
	}
	return n
}

// elementAt is the element of array id whose index is x.
func (m *Machine) elementAt(id int, x *Number) (array, int, error) {
	i, ok := x.Int()
	if !ok || i < 0 || i > maxIndex || x.Sign() < 0 {
		return nil, 0, fail("Array %s subscript out of bounds.", m.names[1][id])
	}
	return *m.array(id), i, nil
}

// array is the visible array of that number.
func (m *Machine) array(id int) *array {
	a := &m.arrays[id]
	if len(a.values) == 0 {
		a.values = append(a.values, &array{})
	}
	return a.values[len(a.values)-1]
}

func (a array) at(i int) *Number {
	if x := a[i]; x != nil {
		return x
	}
	return Zero
}

func (m *Machine) put(a array, i int, x *Number) error {
	old, there := a[i]
	size := x.Size() + 48
	if there {
		size -= old.Size() + 48
	}
	if err := m.use(size); err != nil {
		return err
	}
	a[i] = x
	return nil
}

func (m *Machine) element(op byte, id int) error {
	index := m.top()
	if op == 'S' {
		index = m.stack[len(m.stack)-2]
	}
	a, i, err := m.elementAt(id, index)
	if err != nil {
		return err
	}
	switch op {
	case 'L':
		m.pop()
		return m.push(a.at(i))
	case 'S':
		x := m.pop()
		m.pop()
		if err := m.put(a, i, x); err != nil {
			return err
		}
		return m.push(x)
	}
	m.pop()
	return m.change(op == 'A', a.at(i), func(x *Number) error { return m.put(a, i, x) })
}

// call enters a function with the arguments on the stack.
func (m *Machine) call(id int) error {
	f := m.functions[id]
	if !f.defined {
		return fail("Function %s not defined.", f.name)
	}
	if err := m.arguments(f); err != nil {
		return err
	}
	for _, auto := range f.autos {
		if err := m.local(auto); err != nil {
			return err
		}
	}
	m.frames = append(m.frames, frame{m.fn, m.pc, m.ibase})
	m.fn, m.pc = id, 0
	return m.use(64)
}

// local makes a new variable or array hide the visible one.
func (m *Machine) local(id int) error {
	if id < 0 {
		m.arrays[-id].values = append(m.arrays[-id].values, &array{})
	} else {
		m.variables[id].values = append(m.variables[id].values, Zero)
	}
	return m.use(64)
}

// arguments gives the parameters their values; the last argument is on top.
func (m *Machine) arguments(f *function) error {
	left := len(f.parameters)
	for {
		b := m.byte()
		if b == ':' {
			break
		}
		if left == 0 {
			return fail("Parameter number mismatch")
		}
		switch id := f.parameters[left-1]; {
		case (b == 1) == (id < 0):
			left--
		case id < 0:
			m.report(runtimeError("Parameter type mismatch parameter " + m.names[1][-id] + "."))
		default:
			m.report(runtimeError("Parameter type mismatch, parameter " + m.names[0][id] + "."))
		}
	}
	if left > 0 {
		return fail("Parameter number mismatch")
	}
	passed := append([]*Number(nil), m.stack[len(m.stack)-len(f.parameters):]...)
	var arrays []*array
	for i, id := range f.parameters {
		if id < 0 {
			n, _ := passed[i].Int()
			from := m.array(n)
			if !f.byReference[id] {
				copied := array{}
				for k, x := range *from {
					if err := m.put(copied, k, x); err != nil {
						return err
					}
					if err := m.step(); err != nil {
						return err
					}
				}
				from = &copied
			}
			arrays = append(arrays, from)
		}
	}
	for range f.parameters {
		m.pop()
	}
	for i, id := range f.parameters {
		if id < 0 {
			m.arrays[-id].values = append(m.arrays[-id].values, arrays[0])
			arrays = arrays[1:]
			continue
		}
		m.variables[id].values = append(m.variables[id].values, passed[i])
		if err := m.use(passed[i].Size()); err != nil {
			return err
		}
	}
	return nil
}

// leave takes a call's variables away and goes back to its caller.
func (m *Machine) leave() {
	f := m.functions[m.fn]
	for _, list := range [...][]int{f.autos, f.parameters} {
		for _, id := range list {
			if id < 0 {
				a := &m.arrays[-id].values
				if !f.byReference[id] {
					for _, x := range *(*a)[len(*a)-1] {
						m.used -= int64(x.Size() + 48)
					}
				}
				*a = (*a)[:len(*a)-1]
				continue
			}
			v := &m.variables[id].values
			m.used -= int64((*v)[len(*v)-1].Size())
			*v = (*v)[:len(*v)-1]
		}
	}
	back := m.frames[len(m.frames)-1]
	m.frames = m.frames[:len(m.frames)-1]
	m.fn, m.pc, m.ibase = back.fn, back.pc, back.ibase
	m.used -= 64
}

func (m *Machine) returns() error {
	if m.fn == 0 {
		return fail("Return from main program.")
	}
	m.leave()
	return nil
}

func (m *Machine) special(what byte) error {
	switch what {
	case 'I':
		return m.read()
	case 'X':
		return m.push(FromInt(m.nextRandom()))
	case 'L':
		return m.push(FromInt(int64(m.pop().Length())))
	case 'S':
		return m.push(FromInt(int64(m.pop().Scale())))
	}
	x, err := m.pop().Sqrt(m.scale)
	if err != nil {
		return err
	}
	if x == nil {
		return fail("Square root of a negative number")
	}
	return m.push(x)
}

// read is read(): the next number of the input, 0 at its end.
func (m *Machine) read() error {
	var whole, fraction []byte
	negative, point, some := false, false, false
	for {
		if err := m.step(); err != nil {
			return err
		}
		c, err := m.Input.ReadByte()
		if err != nil {
			if err != io.EOF {
				return err
			}
			break
		}
		switch {
		case c == '\\' && !some:
			continue
		case c == '-' && !some:
			negative = true
		case c == '+' && !some:
		case c == '.' && !point:
			point = true
		case isDigit(c) || c >= 'a' && c <= 'z':
			d := c - '0'
			switch {
			case c >= 'a':
				d = c - 'a' + 10
			case c >= 'A':
				d = c - 'A' + 10
			}
			if point {
				fraction = append(fraction, d)
			} else {
				whole = append(whole, d)
			}
		case !some && !negative:
			continue
		default:
			m.Input.UnreadByte()
			c = 0
		}
		if c == 0 {
			break
		}
		some = some || c != '-' && c != '+' && c != '\\'
		if len(whole)+len(fraction) > MaxDigits {
			return ErrTooLarge
		}
	}
	x, err := FromDigits(whole, fraction, m.ibase)
	if err != nil {
		return err
	}
	if negative {
		x = x.Neg()
	}
	return m.push(x)
}

func number(s string) *Number {
	negative := s[0] == '-'
	if negative {
		s = s[1:]
	}
	x := Decimal(s)
	if negative {
		x = x.Neg()
	}
	return x
}

var libraryNames = [...]string{"e", "l", "s", "c", "a", "j"}

// library is one of the functions of -l on the parameters x and n.
func (m *Machine) library(name string) error {
	l := &series{scale: m.scale, stop: m.step}
	x := m.load(m.lookup("x", 's'))
	var r *Number
	switch name {
	case "e":
		r = l.exponential(x)
	case "l":
		r = l.logarithm(x)
	case "s":
		r = l.sine(x)
	case "c":
		r = l.cosine(x)
	case "a":
		r = l.arctangent(x)
	case "j":
		r = l.bessel(m.load(m.lookup("n", 's')), x)
	}
	if l.err != nil {
		return l.err
	}
	return m.push(r)
}

// nextRandom is the C library's random() with the seed 1: each number is the sum
// of those 3 and 31 before it.
func (m *Machine) nextRandom() int64 {
	if m.random == nil {
		m.random = make([]int32, 34, 34+310)
		m.random[0] = 1
		for i := 1; i < 31; i++ {
			m.random[i] = int32(16807 * int64(m.random[i-1]) % math.MaxInt32)
		}
		copy(m.random[31:], m.random[:3])
		for range 310 {
			m.addRandom()
		}
	}
	return int64(uint32(m.addRandom()) >> 1)
}

func (m *Machine) addRandom() int32 {
	n := len(m.random)
	next := m.random[n-3] + m.random[n-31]
	if n > 4096 {
		m.random = append(m.random[:0], m.random[n-34:]...)
	}
	m.random = append(m.random, next)
	return next
}
