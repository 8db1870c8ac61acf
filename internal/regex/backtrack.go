package regex

import (
	"context"
	"slices"
	"unicode/utf8"
)

// backtracker matches at one position by trying the program's choices in
// order. Over a regular program it remembers which instruction failed at which
// position, so its work is bounded by the product of both; without that memory
// (back-references, look-around) it looks at its context every now and then.
type backtracker struct {
	program *program
	context context.Context
	text    []byte
	slots   []int
	best    []int
	stack   []job
	visited []uint64
	bound   int // no character at or after this position is consumed
	base    int // first position that visited covers
	width   int // positions that visited covers
	steps   int
	looked  int // the steps when the context was looked at last
	limit   int // steps allowed, 0 for no limit
	err     error
	calls   []groupCall
	inside  int // the call being run, an index into calls, -1 for none
}

// groupCall is a group that is run where it is called. Calls stay listed until
// the choices made before them are taken back.
type groupCall struct {
	group  int32
	back   int32 // where to go on
	pos    int
	parent int // the call it was made in
	slots  []int
}

const (
	// maximumCallMemory bounds what calls take, in bytes.
	maximumCallMemory = 64 << 20
	// maximumDepth bounds the parts that run within each other.
	maximumDepth = 20_000
)

const (
	jobChoice int32 = -1 // a choice to come back to
	jobInside int32 = -2 // the call that was being run
	// jobRange is a choice at each character from the value of the job below it
	// (a jobLow) to its own: a loop over one character leaves two jobs behind
	// however far it goes.
	jobRange int32 = -3
	jobLow   int32 = -4
)

// lookEvery is how many steps are made between two looks at the context.
const lookEvery = 1 << 16

// maximumJobs bounds the stack (48 MB).
const maximumJobs = 3 << 20

// job is something to go back to: a choice, a call, or a slot's old value.
type job struct {
	pc    int32
	slot  int32
	value int
}

// maximumVisited is the memory for visited, in bits (16 MiB).
const maximumVisited = 1 << 27

// matchMode says which of the matches at a position is wanted.
type matchMode uint8

const (
	modeFirst   matchMode = iota // the first in the program's order
	modeLongest                  // the longest, the first of several
	modeEnd                      // the first that ends at the given position
)

// match tries to match at start, within text[:limit], into b.best.
func (b *backtracker) match(text []byte, start, limit int, mode matchMode) bool {
	p := b.program
	b.text = text
	if cap(b.slots) < p.slots {
		b.slots = make([]int, p.slots)
		b.best = make([]int, p.slots)
	}
	b.slots, b.best = b.slots[:p.slots], b.best[:p.slots]
	for i := range b.slots {
		b.slots[i] = -1
	}
	if p.regular {
		b.steps = 0
	}
	b.width = 0
	b.calls, b.inside = b.calls[:0], -1
	b.bound = limit
	if p.regular {
		width := limit - start + 1
		if bits := width * len(p.insts); bits <= maximumVisited && bits/len(p.insts) == width {
			words := (bits + 63) / 64
			if cap(b.visited) < words {
				b.visited = make([]uint64, words)
			} else {
				b.visited = b.visited[:words]
				clear(b.visited)
			}
			b.base, b.width = start, width
		}
	}
	return b.run(p.start, start, limit, mode, 0)
}

// run executes from pc. Its own jobs lie above the stack's present height.
func (b *backtracker) run(pc int32, pos, end int, mode matchMode, depth int) bool {
	p := b.program
	text := b.text
	floor := len(b.stack)
	found := -1
	for {
		// A loop takes many steps at once, and another text begins at none.
		if b.steps++; uint(b.steps-b.looked) >= lookEvery {
			b.looked = b.steps
			if b.err = b.context.Err(); b.err == nil && len(b.stack) > maximumJobs {
				b.err = errMemory
				if b.limit > 0 {
					b.err = ErrBacktrackLimit
				}
			}
			if b.err != nil {
				b.stack = b.stack[:floor]
				return false
			}
		}
		if b.limit > 0 && b.steps > b.limit {
			b.err = ErrBacktrackLimit
			b.stack = b.stack[:floor]
			return false
		}
		if b.tried(pc, pos) {
			goto back
		}
		{
			in := &p.insts[pc]
			switch in.op {
			case instRune, instSet:
				if pos >= b.bound {
					goto back
				}
				r, n := rune(text[pos]), 1
				if r >= utf8.RuneSelf {
					r, n = p.decode(text, pos)
				}
				if in.op == instRune && r != in.r || in.op == instSet && !in.set.contains(r) {
					goto back
				}
				pos += n
				pc = in.out
				continue
			case instAlt:
				if p.simpleLoop(in, pc) {
					if last, more := b.loop(pc, pos); more {
						pc, pos = in.out, last
						continue
					}
					goto back
				}
				b.stack = append(b.stack, job{in.other, jobChoice, pos})
				pc = in.out
				continue
			case instSave, instLoopEnter:
				slot := int(in.r)
				b.stack = append(b.stack, job{0, int32(slot), b.slots[slot]})
				b.slots[slot] = pos
				pc = in.out
				if b.inside >= 0 && slot == 2*int(b.calls[b.inside].group)+1 {
					pc = b.leave()
				}
				continue
			case instCall:
				if !b.enter(in, pos) {
					b.stack = b.stack[:floor]
					return false
				}
				pc = in.other
				continue
			case instLoopCheck:
				if b.slots[in.r] == pos {
					pc = in.other
				} else {
					pc = in.out
				}
				continue
			case instAssert:
				if !p.holdsAt(in.assert, text, pos) {
					goto back
				}
				pc = in.out
				continue
			case instBackref:
				n, ok := b.backref(in, pos)
				if !ok {
					goto back
				}
				pos += n
				pc = in.out
				continue
			case instConditional:
				if b.slots[2*in.r+1] >= 0 {
					pc = in.out
				} else {
					pc = in.other
				}
				continue
			case instAtomic:
				after, ok := b.part(in.other, pos, depth)
				if !ok {
					if b.err != nil {
						b.stack = b.stack[:floor]
						return false
					}
					goto back
				}
				pos = after
				pc = in.out
				continue
			case instLook:
				if b.look(in, pos, depth) == in.negative {
					if b.err != nil {
						b.stack = b.stack[:floor]
						return false
					}
					goto back
				}
				pc = in.out
				continue
			case instMatch:
				switch {
				case depth > 0: // a part: its caller keeps the slots
					b.best[0] = pos
					if mode == modeEnd && pos != end {
						goto back
					}
					b.keep(floor)
					return true
				case mode == modeFirst, mode == modeEnd && pos == end:
					copy(b.best, b.slots)
					b.stack = b.stack[:floor]
					return true
				case mode == modeLongest && pos > found:
					found = pos
					copy(b.best, b.slots)
					if pos == end {
						b.stack = b.stack[:floor]
						return true
					}
				}
				goto back
			}
		}
	back:
		for {
			if len(b.stack) == floor {
				return found >= 0
			}
			j := b.stack[len(b.stack)-1]
			b.stack = b.stack[:len(b.stack)-1]
			if j.slot == jobChoice {
				pc, pos = j.pc, j.value
				break
			}
			if j.slot == jobRange {
				pc, pos = j.pc, j.value
				b.shorten(j)
				break
			}
			b.undo(j)
		}
	}
}

// simpleLoop reports whether the choice in, at pc, is between one character,
// after which it is made again, and going on.
func (p *program) simpleLoop(in *inst, pc int32) bool {
	body := &p.insts[in.out]
	return (body.op == instRune || body.op == instSet) && body.out == pc
}

// loop runs the simple loop at pc from pos, where it has just come to: it leaves
// the choices to go on at each position it reaches, as jobs of which the last is
// the farthest. It stops early now and then, at a position that the caller goes
// on from, so that steps are looked at.
func (b *backtracker) loop(pc int32, pos int) (last int, more bool) {
	p := b.program
	exit, body := p.insts[pc].other, p.insts[pc].out
	in := &p.insts[body]
	last = pos
	for last < b.bound && !b.tried(body, last) {
		r, n := rune(b.text[last]), 1
		if r >= utf8.RuneSelf {
			r, n = p.decode(b.text, last)
		}
		if in.op == instRune && r != in.r || in.op == instSet && !in.set.contains(r) || b.tried(pc, last+n) {
			break
		}
		last += n
		if b.steps += 2; uint(b.steps-b.looked) >= lookEvery {
			more = true
			break
		}
	}
	b.pushRange(exit, pos, last)
	return last, more
}

func (b *backtracker) pushRange(pc int32, low, last int) {
	if low == last {
		b.stack = append(b.stack, job{pc, jobChoice, low})
		return
	}
	b.stack = append(b.stack, job{0, jobLow, low}, job{pc, jobRange, last})
}

// shorten leaves of a range, just taken off the stack, all but its last choice.
func (b *backtracker) shorten(j job) {
	top := len(b.stack) - 1
	low := b.stack[top].value
	b.stack = b.stack[:top]
	n := 1
	if c := b.text[j.value-1]; c >= utf8.RuneSelf && !b.program.bytes {
		_, n = utf8.DecodeLastRune(b.text[low:j.value])
	}
	b.pushRange(j.pc, low, j.value-n)
}

// tried reports whether pc was come to at pos before, and notes it.
func (b *backtracker) tried(pc int32, pos int) bool {
	if b.width == 0 {
		return false
	}
	bit := int(pc)*b.width + pos - b.base
	w, m := &b.visited[bit>>6], uint64(1)<<(bit&63)
	if *w&m != 0 {
		return true
	}
	*w |= m
	return false
}

// enter begins a call; a group that calls itself without going forward, or
// too many calls at once, is an error.
func (b *backtracker) enter(in *inst, pos int) bool {
	for i := b.inside; i >= 0 && b.calls[i].pos == pos; i = b.calls[i].parent {
		if b.calls[i].group == int32(in.r) {
			b.err = ErrBacktrackLimit
			return false
		}
	}
	if (len(b.calls)+1)*(64+8*len(b.slots)) > maximumCallMemory {
		b.err = ErrBacktrackLimit
		return false
	}
	b.steps += len(b.slots) / 8
	b.calls = append(b.calls, groupCall{group: int32(in.r), back: in.out, pos: pos, parent: b.inside, slots: slices.Clone(b.slots)})
	b.stack = append(b.stack, job{int32(len(b.calls)), jobInside, b.inside})
	b.inside = len(b.calls) - 1
	return true
}

// leave ends the call being run: groups hold again what they held before.
func (b *backtracker) leave() int32 {
	c := b.calls[b.inside]
	for i, before := range c.slots {
		if i > 1 && b.slots[i] != before {
			b.stack = append(b.stack, job{0, int32(i), b.slots[i]})
			b.slots[i] = before
		}
	}
	b.stack = append(b.stack, job{0, jobInside, b.inside})
	b.inside = c.parent
	return c.back
}

// undo takes back a change that is no choice.
func (b *backtracker) undo(j job) {
	if j.slot == jobInside {
		b.inside = j.value
		if j.pc > 0 { // the call was entered here
			b.calls = b.calls[:j.pc-1]
		}
		return
	}
	b.slots[j.slot] = j.value
}

// keep drops the choices above floor but leaves the slots' old values, so
// that what comes before can still be taken back.
func (b *backtracker) keep(floor int) {
	n := floor
	for _, j := range b.stack[floor:] {
		if j.slot != jobChoice && j.slot != jobRange && j.slot != jobLow {
			b.stack[n] = j
			n++
		}
	}
	b.stack = b.stack[:n]
}

// part runs a part to its first match and says where that ends.
func (b *backtracker) part(pc int32, pos, depth int) (int, bool) {
	if depth >= maximumDepth {
		b.err = ErrBacktrackLimit
		return 0, false
	}
	saved := b.best[0]
	defer func() { b.best[0] = saved }()
	if !b.run(pc, pos, len(b.text), modeFirst, depth+1) {
		return 0, false
	}
	return b.best[0], true
}

func (b *backtracker) look(in *inst, pos, depth int) bool {
	height := len(b.stack)
	ok := false
	if in.behind {
		for _, length := range *in.lengths {
			start := pos
			for ; length > 0 && start > 0; length-- {
				_, n := b.program.decodeLast(b.text, start)
				start -= n
			}
			if length > 0 {
				continue
			}
			saved := b.best[0]
			ok = b.run(in.other, start, pos, modeEnd, depth+1)
			b.best[0] = saved
			if ok || b.err != nil {
				break
			}
		}
	} else {
		_, ok = b.part(in.other, pos, depth)
	}
	if ok && in.negative {
		// What a negative look captured does not count.
		for len(b.stack) > height {
			j := b.stack[len(b.stack)-1]
			b.undo(j)
			b.stack = b.stack[:len(b.stack)-1]
		}
	}
	if b.err != nil {
		return in.negative
	}
	return ok
}

// backref compares what group r holds with the text at pos.
func (b *backtracker) backref(in *inst, pos int) (int, bool) {
	start, end := b.slots[2*in.r], b.slots[2*in.r+1]
	if start < 0 || end < start {
		return 0, false
	}
	held := b.text[start:end]
	rest := b.text[pos:max(pos, b.bound)]
	b.steps += len(held) / 64
	if !in.fold {
		if len(rest) < len(held) || string(rest[:len(held)]) != string(held) {
			return 0, false
		}
		return len(held), true
	}
	i, j := 0, 0
	for i < len(held) {
		if j >= len(rest) {
			return 0, false
		}
		r, n := b.program.decode(held, i)
		s, m := b.program.decode(rest, j)
		if !b.program.fold.equal(r, s) {
			return 0, false
		}
		i, j = i+n, j+m
	}
	return j, true
}
