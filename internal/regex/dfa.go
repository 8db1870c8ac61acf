package regex

import (
	"context"
	"slices"
	"unicode/utf8"
)

// automaton is a DFA built as it is needed. A state is the set of instructions
// reached, what the last character was, and the bytes of a character that is
// not complete yet; assertions are decided when the next character is known,
// so a match is seen one character late. For a program that is not regular it
// accepts a superset.
type automaton struct {
	program *program
	// anywhere: a match may start at every position.
	anywhere bool
	// delimiter ends a text within a block, or is -1.
	delimiter int

	next   []int32 // by state<<8 | byte
	states []state
	index  map[string]int32
	starts [4]int32 // by context, 0 when not made

	context context.Context
	size    int // memory of the states, roughly
	work    int // bytes that longest has read

	// scratch of closure
	seen  []uint32
	mark  uint32
	stack []int32
	list  []int32
	key   []byte
}

type state struct {
	core    []int32 // instructions before closure
	flags   uint8
	pending [3]byte
	held    uint8 // bytes in pending
	back    int8  // how far before the byte that led here a match ended, -1 for none
}

// What a state knows of the character before it.
const (
	afterStart uint8 = 1 << iota // nothing: the text starts here
	afterWord
	afterNewline
)

// Transitions: a state's number times 256, or one of these.
const (
	transUnknown int32 = -1
	transDead    int32 = -2
	transMatch   int32 = -1 << 31 // or-ed with a state: a match ended
)

// maximumStates and maximumStateBytes bound the cache; it is dropped when full.
const (
	maximumStates     = 8192
	maximumStateBytes = 16 << 20
)

func newAutomaton(ctx context.Context, p *program, anywhere bool, delimiter int) *automaton {
	a := &automaton{program: p, anywhere: anywhere, delimiter: delimiter, context: ctx}
	a.reset()
	return a
}

func (a *automaton) reset() {
	a.next = a.next[:0]
	a.states = a.states[:0]
	a.index = make(map[string]int32)
	a.size = 0
	a.starts = [4]int32{-1, -1, -1, -1}
	if a.seen == nil {
		a.seen = make([]uint32, len(a.program.insts))
	}
}

// contextBefore describes the character before i.
func (a *automaton) contextBefore(text []byte, i int) uint8 {
	if i == 0 {
		return afterStart
	}
	p := a.program
	if !p.words && !p.lines {
		return 0
	}
	r, _ := p.decodeLast(text, i)
	return a.contextAfter(r)
}

func (a *automaton) contextAfter(r rune) uint8 {
	p := a.program
	switch {
	case p.lines && r == '\n':
		return afterNewline
	case p.words && p.isWord(r):
		return afterWord
	}
	return 0
}

// startState is the state before any character is read, in a context.
func (a *automaton) startState(flags uint8) int32 {
	slot := 0
	switch flags {
	case afterStart:
		slot = 1
	case afterWord:
		slot = 2
	case afterNewline:
		slot = 3
	}
	if a.starts[slot] < 0 {
		var core []int32
		if !a.anywhere {
			core = []int32{a.program.start}
		}
		a.starts[slot] = a.intern(state{core: core, flags: flags, back: -1})
	}
	return a.starts[slot]
}

// intern gives the number of a state, times 256.
func (a *automaton) intern(s state) int32 {
	k := append(a.key[:0], s.flags, byte(s.back), s.held, s.pending[0], s.pending[1], s.pending[2])
	for _, pc := range s.core {
		k = append(k, byte(pc), byte(pc>>8), byte(pc>>16))
	}
	a.key = k
	if n, ok := a.index[string(k)]; ok {
		return n
	}
	n := int32(len(a.states)) << 8
	a.index[string(k)] = n
	a.states = append(a.states, s)
	a.size += 1200 + 8*len(s.core)
	at := len(a.next)
	a.next = slices.Grow(a.next, 256)[:at+256]
	row := a.next[at:]
	for i := range row {
		row[i] = transUnknown
	}
	return n
}

// closure lists the consuming instructions reached from core between two
// characters, and reports whether a match is among what is reached.
func (a *automaton) closure(core []int32, flags uint8, after rune) bool {
	p := a.program
	before := rune(-1)
	switch {
	case flags&afterStart != 0:
	case flags&afterWord != 0:
		before = 'a'
	case flags&afterNewline != 0:
		before = '\n'
	default:
		before = ' '
	}
	a.mark++
	a.list = a.list[:0]
	matched := false
	stack := a.stack[:0]
	push := func(pc int32) {
		if a.seen[pc] != a.mark {
			a.seen[pc] = a.mark
			stack = append(stack, pc)
		}
	}
	run := func() {
		for len(stack) > 0 {
			pc := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			in := &p.insts[pc]
			switch in.op {
			case instRune, instSet, instBackref, instCall:
				a.list = append(a.list, pc)
				if in.op == instBackref || in.op == instCall {
					push(in.out)
				}
			case instAlt, instLoopCheck, instConditional:
				push(in.other)
				push(in.out)
			case instSave, instLoopEnter, instLook:
				push(in.out)
			case instAtomic:
				// The part's own match is told from the whole's by its position.
				push(in.other)
			case instAssert:
				if p.holds(in.assert, before, after, true) {
					push(in.out)
				}
			case instMatch:
				if pc == 0 {
					matched = true
				} else {
					push(p.insts[pc].out)
				}
			}
		}
	}
	for _, pc := range core {
		push(pc)
	}
	run()
	if a.anywhere && !matched {
		push(p.start)
		run()
	}
	a.stack = stack
	return matched
}

// consume moves the closure in a.list over r.
func (a *automaton) consume(r rune) []int32 {
	p := a.program
	core := a.stack[:0]
	for _, pc := range a.list {
		in := &p.insts[pc]
		switch in.op {
		case instRune:
			if in.r == r {
				core = append(core, in.out)
			}
		case instSet:
			if in.set.contains(r) {
				core = append(core, in.out)
			}
		case instBackref, instCall: // any text may be what it holds
			core = append(core, pc)
		}
	}
	slices.Sort(core)
	a.stack = core
	return slices.Compact(core)
}

// step makes the transition of state number n on byte c.
func (a *automaton) step(n int32, c byte) int32 {
	s := a.states[n>>8]
	p := a.program
	if int(c) == a.delimiter {
		matched := false
		core, flags := s.core, s.flags
		for i := 0; i < int(s.held); i++ {
			matched = a.closure(core, flags, rawByte+rune(s.pending[i])) || matched
			core = slices.Clone(a.consume(rawByte + rune(s.pending[i])))
			flags = 0
		}
		matched = a.closure(core, flags, -1) || matched
		t := a.startState(afterStart)
		if matched {
			t |= transMatch
		}
		a.next[int(n)|int(c)] = t
		return t
	}
	var buffer [4]byte
	copy(buffer[:], s.pending[:s.held])
	buffer[s.held] = c
	bytes := buffer[:s.held+1]
	t := state{core: s.core, flags: s.flags, back: -1}
	for len(bytes) > 0 {
		var r rune
		size := 1
		switch {
		case bytes[0] < utf8.RuneSelf:
			r = rune(bytes[0])
		case p.bytes:
			r = rawByte + rune(bytes[0])
		case !utf8.FullRune(bytes):
			size = 0
		default:
			if r, size = utf8.DecodeRune(bytes); size == 1 {
				r = rawByte + rune(bytes[0])
			}
		}
		if size == 0 {
			t.held = uint8(copy(t.pending[:], bytes))
			break
		}
		if a.closure(t.core, t.flags, r) {
			t.back = int8(len(bytes) - 1)
		}
		t.core = slices.Clone(a.consume(r))
		t.flags = a.contextAfter(r)
		bytes = bytes[size:]
	}
	var out int32
	if len(t.core) == 0 && t.held == 0 && !a.anywhere && t.back < 0 {
		out = transDead
	} else {
		out = a.intern(t)
		if t.back >= 0 {
			out |= transMatch
		}
	}
	a.next[int(n)|int(c)] = out
	return out
}

// room drops the cache when it is full and says whether it did; the state n
// is kept under the number returned.
func (a *automaton) room(n int32) int32 {
	if len(a.states) < maximumStates && a.size < maximumStateBytes {
		return n
	}
	s := a.states[n>>8]
	a.reset()
	return a.intern(s)
}

// atEnd reports whether state n, at the end of the text, has a match, and how
// far before the end it lies.
func (a *automaton) atEnd(n int32) (int, bool) {
	s := a.states[n>>8]
	core, flags := s.core, s.flags
	back, found := 0, false
	for i := 0; i < int(s.held); i++ {
		if a.closure(core, flags, rawByte+rune(s.pending[i])) {
			back, found = int(s.held)-i, true
		}
		core = slices.Clone(a.consume(rawByte + rune(s.pending[i])))
		flags = 0
	}
	if a.closure(core, flags, -1) {
		back, found = 0, true
	}
	return back, found
}

// search finds a position at which it is certain that text has a match that
// starts at from or later and ends there or before; -1 when there is none.
// Where the automaton has a delimiter text may hold many texts.
func (a *automaton) search(text []byte, from int) int {
	s := a.startState(a.contextBefore(text, from))
	i := from
	for i < len(text) {
		// Cancellation is looked at once a stretch.
		stop := min(len(text), i+1<<18)
		next := a.next
		for i < stop {
			t := next[int(s)|int(text[i])]
			if t >= 0 {
				s = t
				i++
				continue
			}
			if t == transUnknown {
				s = a.room(s)
				t = a.step(s, text[i])
				next = a.next
				if t >= 0 {
					s = t
					i++
					continue
				}
			}
			if t == transDead {
				return -1
			}
			return i
		}
		if a.context.Err() != nil {
			return -1
		}
	}
	if a.delimiter >= 0 && len(text) > 0 && int(text[len(text)-1]) == a.delimiter && from < len(text) {
		return -1
	}
	if _, ok := a.atEnd(s); ok {
		return len(text)
	}
	return -1
}

// longest gives the end of the longest match that starts at from, or -1.
func (a *automaton) longest(text []byte, from int) int {
	s := a.startState(a.contextBefore(text, from))
	end := -1
	next := a.next
	for i := from; i < len(text); i++ {
		t := next[int(s)|int(text[i])]
		if t >= 0 {
			s = t
			continue
		}
		if t == transUnknown {
			s = a.room(s)
			t = a.step(s, text[i])
			next = a.next
			if t >= 0 {
				s = t
				continue
			}
		}
		if t == transDead {
			a.work += i - from
			return end
		}
		s = t &^ transMatch
		end = i - int(a.states[s>>8].back)
	}
	a.work += len(text) - from
	if back, ok := a.atEnd(s); ok {
		end = len(text) - back
	}
	return end
}
