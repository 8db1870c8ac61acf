package regex

// rawByte is where the runes that stand for bytes outside UTF-8 begin: byte b
// is rune rawByte+b. In the C locale every byte above 0x7F is one of these.
const rawByte = 0x110000

// infinite is the upper bound of a repetition that has none.
const infinite = -1

type nodeOp uint8

const (
	opEmpty nodeOp = iota
	opFail
	opLiteral
	opSet
	opConcat
	opAlternate
	opRepeat
	opGroup
	opAssert
	opBackref
	opCall // run a group's pattern here, 0 for the whole one
	opLook
	opAtomic
	opConditional
	opKeep
)

// node is one node of a parsed expression; every dialect yields the same tree.
type node struct {
	op       nodeOp
	fold     bool // opLiteral, opBackref: ignore case
	lazy     bool // opRepeat
	behind   bool // opLook
	negative bool // opLook
	assert   assertion
	r        rune   // opLiteral
	set      *set   // opSet
	min, max int    // opRepeat
	index    int    // opGroup, opBackref, opCall, opConditional: number of the group
	name     string // opCall, until the group's number is known
	subs     []*node
}

type assertion uint8

const (
	assertLineStart assertion = iota // ^ where it also stands after a newline
	assertLineEnd                    // $ where it also stands before a newline
	assertTextStart
	assertTextEnd
	assertTextEndNewline // at the end, or before a newline that is the end
	assertWordBoundary
	assertNotWordBoundary
	assertWordStart
	assertWordEnd
	assertNoWordBefore // what -w asks before a match
	assertNoWordAfter  // and after it
)

// usesWords reports whether the assertion looks at word constituents.
func (a assertion) usesWords() bool { return a >= assertWordBoundary }

var emptyNode = &node{op: opEmpty}

func literalNode(r rune) *node { return &node{op: opLiteral, r: r} }

func concat(subs ...*node) *node {
	if len(subs) == 1 {
		return subs[0]
	}
	return &node{op: opConcat, subs: subs}
}

// nullable reports whether n can match the empty string (a back-reference, a
// call and a conditional are taken to be able to).
func (n *node) nullable() bool {
	switch n.op {
	case opLiteral, opSet, opFail:
		return false
	case opConcat:
		for _, s := range n.subs {
			if !s.nullable() {
				return false
			}
		}
		return true
	case opAlternate:
		for _, s := range n.subs {
			if s.nullable() {
				return true
			}
		}
		return false
	case opRepeat:
		return n.min == 0 || n.subs[0].nullable()
	case opGroup, opAtomic:
		return n.subs[0].nullable()
	}
	return true
}
