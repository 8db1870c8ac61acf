package regex

type instOp uint8

const (
	instRune   instOp = iota // consume r
	instSet                  // consume a member of set
	instAlt                  // try out, then other
	instSave                 // note the position in slot r
	instAssert               // go on where assert holds
	instMatch
	instFail
	// What follows is no regular language; the automaton takes a superset.
	instBackref     // consume what group r holds
	instCall        // run group r at other, then go on at out
	instLook        // go on where the part at other matches here
	instAtomic      // consume the first match of the part at other
	instConditional // out where group r is set, else other
	instLoopEnter   // note the position in slot r
	instLoopCheck   // other unless something was consumed since slot r's note
)

type inst struct {
	op       instOp
	fold     bool
	behind   bool
	negative bool
	assert   assertion
	r        rune
	out      int32
	other    int32
	set      *set
	lengths  *[]int // instLook behind: the lengths in characters of its alternatives
}

// program is a pattern compiled for the machines of this package.
type program struct {
	insts   []inst
	start   int32
	slots   int // capture slots, two a group, and the loops' notes behind them
	groups  int // groups, not counting the whole match
	regular bool
	words   bool // some assertion looks at word constituents
	lines   bool // some assertion looks at newlines
	keeps   bool // \K moves the start
	calls   bool // some group is called
	fold    foldRule
	// wide: word constituents and equivalents beyond ASCII count.
	wide bool
	// bytes: every byte is a character.
	bytes bool
}

// maximumProgram bounds the instructions of one pattern, 20 MB.
const maximumProgram = 1 << 19

type compiler struct {
	program *program
	starts  map[int]int32 // by group, where it begins
	err     error
}

func compileTree(n *node, groups int, o *Options, rule foldRule) (*program, error) {
	p := &program{groups: groups, slots: 2 * (groups + 1), regular: true, wide: !o.Bytes && (o.Syntax != Perl || o.Unicode), bytes: o.Bytes, fold: rule}
	c := &compiler{program: p, starts: map[int]int32{}}
	match := c.emit(inst{op: instMatch})
	end := c.emit(inst{op: instSave, r: 1, out: match})
	body := c.compile(n, end)
	p.start = c.emit(inst{op: instSave, r: 0, out: body})
	c.starts[0] = body
	for i := range p.insts {
		if p.insts[i].op == instCall {
			p.insts[i].other = c.starts[int(p.insts[i].r)]
		}
	}
	return p, c.err
}

func (c *compiler) emit(i inst) int32 {
	if len(c.program.insts) >= maximumProgram {
		c.err = ErrSize
		return 0
	}
	c.program.insts = append(c.program.insts, i)
	return int32(len(c.program.insts) - 1)
}

// compile makes code for n that goes on at next, and says where it starts.
func (c *compiler) compile(n *node, next int32) int32 {
	if c.err != nil {
		return 0
	}
	p := c.program
	switch n.op {
	case opEmpty:
		return next
	case opFail:
		return c.emit(inst{op: instFail})
	case opLiteral:
		if n.set != nil {
			return c.emit(inst{op: instSet, set: n.set, out: next})
		}
		return c.emit(inst{op: instRune, r: n.r, out: next})
	case opSet:
		return c.emit(inst{op: instSet, set: n.set, out: next})
	case opConcat:
		for i := len(n.subs) - 1; i >= 0; i-- {
			next = c.compile(n.subs[i], next)
		}
		return next
	case opAlternate:
		at := c.compile(n.subs[len(n.subs)-1], next)
		for i := len(n.subs) - 2; i >= 0; i-- {
			first := c.compile(n.subs[i], next)
			at = c.emit(inst{op: instAlt, out: first, other: at})
		}
		return at
	case opGroup:
		end := c.emit(inst{op: instSave, r: rune(2*n.index + 1), out: next})
		body := c.compile(n.subs[0], end)
		start := c.emit(inst{op: instSave, r: rune(2 * n.index), out: body})
		c.starts[n.index] = start
		return start
	case opCall:
		p.regular, p.calls = false, true
		return c.emit(inst{op: instCall, r: rune(n.index), out: next})
	case opAssert:
		p.regular = p.regular && n.assert != assertTextEndNewline
		p.words = p.words || n.assert.usesWords()
		p.lines = p.lines || n.assert <= assertLineEnd || n.assert == assertTextEndNewline
		return c.emit(inst{op: instAssert, assert: n.assert, out: next})
	case opKeep:
		p.keeps = true
		return c.emit(inst{op: instSave, r: 0, out: next})
	case opRepeat:
		return c.repeat(n, next)
	case opBackref:
		p.regular = false
		return c.emit(inst{op: instBackref, r: rune(n.index), fold: n.fold, out: next})
	case opAtomic, opLook:
		p.regular = false
		match := c.emit(inst{op: instMatch, out: next})
		body := c.compile(n.subs[0], match)
		if n.op == opAtomic {
			return c.emit(inst{op: instAtomic, out: next, other: body})
		}
		at := c.emit(inst{op: instLook, out: next, other: body, behind: n.behind, negative: n.negative})
		if n.behind {
			lengths := lookbehindLengths(n.subs[0])
			p.insts[at].lengths = &lengths
		}
		return at
	case opConditional:
		p.regular = false
		yes := c.compile(n.subs[0], next)
		no := c.compile(n.subs[1], next)
		return c.emit(inst{op: instConditional, r: rune(n.index), out: yes, other: no})
	}
	return next
}

// alt emits a choice between body and next; a lazy one prefers next.
func (c *compiler) alt(body, next int32, lazy bool) int32 {
	if lazy {
		body, next = next, body
	}
	return c.emit(inst{op: instAlt, out: body, other: next})
}

func (c *compiler) repeat(n *node, next int32) int32 {
	sub := n.subs[0]
	if n.max == infinite {
		least := n.min
		if sub.nullable() {
			// (x+)? for a nullable x: its first round is made even when empty.
			next = c.loop(sub, next, n.lazy, least == 0)
			least--
		} else {
			at := c.emit(inst{op: instAlt})
			body := c.compile(sub, at)
			if c.err != nil {
				return 0
			}
			c.patch(at, body, next, n.lazy)
			if least > 0 {
				// The loop's own first round counts: x+ is x followed by the loop.
				next = body
				least--
			} else {
				next = at
			}
		}
		for ; least > 0 && c.err == nil; least-- {
			next = c.compile(sub, next)
		}
		return next
	}
	end := next
	for i := n.max; i > n.min && c.err == nil; i-- {
		next = c.alt(c.compile(sub, next), end, n.lazy)
	}
	for i := n.min; i > 0 && c.err == nil; i-- {
		next = c.compile(sub, next)
	}
	return next
}

func (c *compiler) patch(at, body, next int32, lazy bool) {
	if lazy {
		body, next = next, body
	}
	c.program.insts[at].out, c.program.insts[at].other = body, next
}

// loop makes x+ (or (x+)? where optional) of an x that can be empty; a round
// that consumed nothing ends it.
func (c *compiler) loop(sub *node, next int32, lazy, optional bool) int32 {
	slot := rune(c.program.slots)
	c.program.slots++
	again := c.emit(inst{op: instAlt})
	check := c.emit(inst{op: instLoopCheck, r: slot, out: again, other: next})
	body := c.compile(sub, check)
	enter := c.emit(inst{op: instLoopEnter, r: slot, out: body})
	if c.err != nil {
		return 0
	}
	c.patch(again, enter, next, lazy)
	if optional {
		return c.alt(enter, next, lazy)
	}
	return enter
}

// lookbehindLengths lists the lengths of n's alternatives, nil where one has
// no fixed length.
func lookbehindLengths(n *node) []int {
	if n.op == opGroup && len(n.subs) == 1 && n.subs[0].op == opAlternate && n.index < 0 {
		n = n.subs[0]
	}
	if n.op != opAlternate {
		l, ok := fixedLength(n)
		if !ok {
			return nil
		}
		return []int{l}
	}
	var out []int
	for _, s := range n.subs {
		l, ok := fixedLength(s)
		if !ok {
			return nil
		}
		out = append(out, l)
	}
	return out
}

// fixedLength is the number of characters n matches, where there is one.
func fixedLength(n *node) (int, bool) {
	switch n.op {
	case opLiteral, opSet:
		return 1, true
	case opEmpty, opAssert, opLook, opKeep:
		return 0, true
	case opGroup, opAtomic:
		return fixedLength(n.subs[0])
	case opConcat:
		total := 0
		for _, s := range n.subs {
			l, ok := fixedLength(s)
			if !ok {
				return 0, false
			}
			total += l
		}
		return total, true
	case opAlternate:
		first, ok := fixedLength(n.subs[0])
		for _, s := range n.subs[1:] {
			if l, also := fixedLength(s); !ok || !also || l != first {
				return 0, false
			}
		}
		return first, ok
	case opRepeat:
		l, ok := fixedLength(n.subs[0])
		return l * n.min, ok && n.min == n.max
	case opFail:
		return 0, true
	}
	return 0, false
}
