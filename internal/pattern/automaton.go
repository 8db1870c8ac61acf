package pattern

import (
	"slices"
	"unicode/utf8"
)

// automaton is the deterministic automaton of a program, made as texts ask for
// its states. A state is a set of items; an item is an instruction that takes
// a character, opMatch, or an opNot with the state of its inner program. It is
// used by one goroutine at a time.
type automaton struct {
	program *program
	options Options
	states  []state
	byItems map[string]int32
	// size counts the items of all states: beyond maxItems all are dropped.
	size int
	// generation changes when the states are dropped.
	generation int
	// over says that a single state has passed maxItems: nothing matches.
	over bool
	// mark and work belong to closure.
	mark []uint32
	turn uint32
	work []int32
}

// item is an instruction and, for opNot, its inner state plus one.
type item uint64

func makeItem(pc, inner int32) item { return item(pc)<<32 | item(uint32(inner)) }
func (i item) pc() int32            { return int32(i >> 32) }
func (i item) inner() int32         { return int32(uint32(i)) }

type state struct {
	items   []item
	matches bool
	// ascii holds the next states plus one, 0 where none was computed yet;
	// other is that of all characters beyond ASCII where they are all alike.
	ascii *[utf8.RuneSelf]int32
	other int32
}

// maxItems bounds the states kept: about 16 bytes an item and 600 a state.
const maxItems = 200_000

// stateCost is what a state counts beside its items.
const stateCost = 40

// dead is the state without items.
const dead int32 = 0

func newAutomaton(tokens []token, o Options, mirror bool) *automaton {
	a := &automaton{program: generate(tokens, o, mirror), options: o}
	a.mark = make([]uint32, len(a.program.code))
	a.drop()
	return a
}

// drop forgets all states but the dead one.
func (a *automaton) drop() {
	a.states = append(a.states[:0], state{ascii: new([utf8.RuneSelf]int32)})
	for i := range a.states[0].ascii {
		a.states[0].ascii[i] = dead + 1
	}
	a.states[0].other = dead + 1
	a.byItems = map[string]int32{"": dead}
	a.size = 0
	a.generation++
}

// intern is the state of the items.
func (a *automaton) intern(items []item, matches bool) int32 {
	if len(items) == 0 && !matches {
		return dead
	}
	slices.Sort(items)
	items = slices.Compact(items)
	key := make([]byte, 0, len(items)*8+1)
	for _, it := range items {
		for k := 0; k < 64; k += 8 {
			key = append(key, byte(it>>k))
		}
	}
	if matches {
		key = append(key, 1)
	}
	if id, ok := a.byItems[string(key)]; ok {
		return id
	}
	a.size += len(items) + stateCost
	id := int32(len(a.states))
	a.states = append(a.states, state{items: slices.Clone(items), matches: matches})
	a.byItems[string(key)] = id
	return id
}

// closer collects the items that are reached without taking a character.
type closer struct {
	a       *automaton
	items   []item
	matches bool
	// leading says that only a literal may take what follows: a period.
	leading bool
	turn    uint32
}

// begin starts a new state. The closers of inner programs live at the same
// time as the outer one's, but no instruction belongs to both.
func (a *automaton) begin(leading bool) closer {
	a.turn++
	return closer{a: a, leading: leading, turn: a.turn}
}

// add follows the instructions from pc.
func (c *closer) add(pc int32) {
	a := c.a
	work := append(a.work[:0], pc)
	for len(work) > 0 {
		pc := work[len(work)-1]
		work = work[:len(work)-1]
		if a.mark[pc] == c.turn {
			continue
		}
		a.mark[pc] = c.turn
		switch in := &a.program.code[pc]; in.op {
		case opMatch:
			c.matches = true
		case opFail:
		case opJump:
			work = append(work, in.out)
		case opSplit:
			work = append(work, in.out, in.other)
		case opStar:
			if !c.leading {
				c.items = append(c.items, makeItem(pc, 0))
				work = append(work, in.out)
			}
		case opNot:
			if !c.leading {
				c.items = append(c.items, makeItem(pc, -1))
			}
		case opRune:
			c.items = append(c.items, makeItem(pc, 0))
		default:
			if !c.leading {
				c.items = append(c.items, makeItem(pc, 0))
			}
		}
	}
	a.work = work
}

// end makes the state. What opNot goes on to is added as its inner programs
// start: they are states of their own.
func (c *closer) end() int32 {
	a := c.a
	for i := 0; i < len(c.items); i++ {
		it := c.items[i]
		if it.inner() != -1 {
			continue
		}
		in := &a.program.code[it.pc()]
		inner := a.begin(false)
		inner.add(in.other)
		id := inner.end()
		c.items[i] = makeItem(it.pc(), id+1)
		if !a.states[id].matches {
			c.add(in.out)
		}
	}
	if len(c.items) > maxItems {
		a.over = true
		return dead
	}
	return a.intern(c.items, c.matches)
}

// start is the state before the first character.
func (a *automaton) start(leading bool) int32 {
	c := a.begin(leading)
	c.add(0)
	return c.end()
}

// step is the state behind character r. leading says that a period follows
// that only a literal may take.
func (a *automaton) step(id int32, r rune, leading bool) int32 {
	s := &a.states[id]
	if !leading {
		if r < utf8.RuneSelf {
			if s.ascii != nil && s.ascii[r] != 0 {
				return s.ascii[r] - 1
			}
		} else if s.other != 0 && !a.program.distinguishes {
			return s.other - 1
		}
	}
	next := a.compute(id, r, leading)
	if leading || a.over {
		return next
	}
	s = &a.states[id]
	if r < utf8.RuneSelf {
		if s.ascii == nil {
			s.ascii = new([utf8.RuneSelf]int32)
		}
		s.ascii[r] = next + 1
	} else if !a.program.distinguishes {
		s.other = next + 1
	}
	return next
}

// takes reports whether the instruction takes the character.
func (a *automaton) takes(in *instruction, r rune) bool {
	switch in.op {
	case opRune:
		if a.program.fold {
			r = lower(r)
		}
		return in.r == r
	case opAny, opStar:
		return r != '/' || !a.options.Pathname
	case opSet:
		return in.set.contains(r)
	}
	return false
}

func (a *automaton) compute(id int32, r rune, leading bool) int32 {
	items := a.states[id].items
	// Inner states first: computing them uses the marks.
	var inners []int32
	for _, it := range items {
		if a.program.code[it.pc()].op == opNot {
			inners = append(inners, a.step(it.inner()-1, r, false))
		}
	}
	c := a.begin(leading)
	k := 0
	for _, it := range items {
		in := &a.program.code[it.pc()]
		switch {
		case in.op == opNot:
			inner := inners[k]
			k++
			c.items = append(c.items, makeItem(it.pc(), inner+1))
			if !a.states[inner].matches {
				c.add(in.out)
			}
		case !a.takes(in, r):
		case in.op == opStar:
			c.add(it.pc())
		default:
			c.add(in.out)
		}
	}
	return c.end()
}

// full reports whether the states have outgrown their bound; rebase then drops
// all but one.
func (a *automaton) full() bool { return a.size > maxItems }

// rebase drops all states but id, with those inside it, and returns its new
// number.
func (a *automaton) rebase(id int32) int32 {
	old := append([]state(nil), a.states...)
	a.drop()
	numbers := map[int32]int32{dead: dead}
	var move func(id int32) int32
	move = func(id int32) int32 {
		if n, ok := numbers[id]; ok {
			return n
		}
		items := slices.Clone(old[id].items)
		for i, it := range items {
			if a.program.code[it.pc()].op == opNot {
				items[i] = makeItem(it.pc(), move(it.inner()-1)+1)
			}
		}
		n := a.intern(items, old[id].matches)
		numbers[id] = n
		return n
	}
	id = move(id)
	if a.size > maxItems {
		a.over = true
	}
	return id
}
