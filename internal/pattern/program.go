package pattern

import (
	"slices"
	"unicode/utf8"
)

// operation is what an instruction does.
type operation uint8

const (
	opMatch operation = iota
	opFail
	opRune  // takes rune r
	opAny   // takes one character
	opSet   // takes a character of set
	opSplit // goes to out and other
	opJump  // goes to out
	opStar  // goes to out, or takes a character and stays
	opNot   // goes to out over every text that the program at other does not match
)

type instruction struct {
	op         operation
	r          rune
	out, other int32
	set        *set
}

// program is a nondeterministic automaton, started at 0.
type program struct {
	code []instruction
	fold bool
	// distinguishes says that characters beyond ASCII are told apart.
	distinguishes bool
}

// group is one that is being generated.
type group struct {
	op    byte
	entry int32 // the instruction before the first alternative
	first int32 // the first alternative's choice
	split int32 // the choice whose other way is the next alternative
	jumps []int32
}

// generate makes the program of the tokens, or of their mirror image.
func generate(tokens []token, o Options, mirror bool) *program {
	p := &program{fold: o.NoCase}
	emit := func(in instruction) int32 {
		p.code = append(p.code, in)
		return int32(len(p.code) - 1)
	}
	next := func() int32 { return int32(len(p.code)) }
	var open []group
	for i := range tokens {
		t := &tokens[i]
		kind := t.kind
		if mirror {
			t = &tokens[len(tokens)-1-i]
			switch kind = t.kind; kind {
			case tokenOpen:
				kind = tokenClose
			case tokenClose:
				kind = tokenOpen
			}
		}
		switch kind {
		case tokenText:
			first := len(p.code)
			for s := t.text; s != ""; {
				r, n := decode(s)
				s = s[n:]
				if p.fold {
					r = lower(r)
				}
				if r >= utf8.RuneSelf {
					p.distinguishes = true
				}
				emit(instruction{op: opRune, r: r})
			}
			if mirror {
				slices.Reverse(p.code[first:])
			}
			for k := first; k < len(p.code); k++ {
				p.code[k].out = int32(k + 1)
			}
		case tokenAny:
			emit(instruction{op: opAny, out: next() + 1})
		case tokenStar:
			emit(instruction{op: opStar, out: next() + 1})
		case tokenSet:
			p.distinguishes = p.distinguishes || t.set.distinguishes()
			emit(instruction{op: opSet, set: t.set, out: next() + 1})
		case tokenOpen:
			g := group{op: t.op, entry: -1}
			switch t.op {
			case '?', '*':
				g.entry = emit(instruction{op: opSplit, out: next() + 1})
			case '!':
				g.entry = emit(instruction{op: opNot, other: next() + 1})
			}
			g.split = emit(instruction{op: opSplit, out: next() + 1})
			g.first = g.split
			open = append(open, g)
		case tokenBar:
			g := &open[len(open)-1]
			g.jumps = append(g.jumps, emit(instruction{op: opJump}))
			p.code[g.split].other = next()
			g.split = emit(instruction{op: opSplit, out: next() + 1})
		case tokenClose:
			g := open[len(open)-1]
			open = open[:len(open)-1]
			// The last choice has no other way but one that fails.
			p.code[g.split].op = opJump
			end := next()
			switch g.op {
			case '*':
				emit(instruction{op: opJump, out: g.entry})
			case '+':
				emit(instruction{op: opSplit, out: end + 1, other: g.first})
			case '!':
				emit(instruction{op: opMatch})
			}
			for _, j := range g.jumps {
				p.code[j].out = end
			}
			switch g.op {
			case '?', '*':
				p.code[g.entry].other = next()
			case '!':
				p.code[g.entry].out = next()
			}
		}
	}
	emit(instruction{op: opMatch})
	return p
}
