package regex

import (
	"slices"
	"strings"
	"unicode"
)

type rustSetOp uint8

const (
	rustSetLiteral rustSetOp = iota
	rustSetRange
	rustSetPerl     // \d: low is d, s or w
	rustSetPOSIX    // [:name:]
	rustSetProperty // \p{name}
	rustSetUnion
	rustSetBracket // [subs[0]]
	rustSetIntersection
	rustSetDifference
	rustSetSymmetric
)

// rustSet is a class, or a part of one.
type rustSet struct {
	op        rustSetOp
	span      rustSpan
	negated   bool
	low, high rune
	name      string
	value     string // of \p{name=value}
	subs      []*rustSet
}

const rustUnclosed = "unclosed character class"

// bracket reads […].
func (p *rustParser) bracket() (*rustTree, error) {
	set, err := p.class()
	if err != nil {
		return nil, err
	}
	return &rustTree{op: rustBracket, span: set.span, set: set}, nil
}

func (p *rustParser) class() (*rustSet, error) {
	start := p.at
	bracket := &rustSet{op: rustSetBracket}
	union := &rustSet{op: rustSetUnion}
	unclosed := func(end int) error { return p.fail(rustSpan{start, end}, rustUnclosed) }
	if !p.bumpSpace() {
		return nil, unclosed(p.at)
	}
	if p.peek() == '^' {
		bracket.negated = true
		if !p.bumpSpace() {
			return nil, unclosed(p.at)
		}
	}
	literal := func() bool {
		union.subs = append(union.subs, &rustSet{op: rustSetLiteral, span: p.one(), low: p.peek()})
		return p.bumpSpace()
	}
	for p.peek() == '-' {
		if !literal() {
			return nil, unclosed(start)
		}
	}
	if len(union.subs) == 0 && p.peek() == ']' && !literal() {
		return nil, unclosed(p.at)
	}
	if p.depth++; p.depth > rustRecursion {
		return nil, p.fail(rustSpan{start, p.at}, rustTooDeep)
	}
	defer func() { p.depth-- }()
	opened := p.at
	var left *rustSet
	var operator rustSetOp
	fold := func() {
		if left == nil {
			left = union
		} else {
			left = &rustSet{op: operator, subs: []*rustSet{left, union}}
		}
	}
	for {
		p.space()
		if !p.more() {
			return nil, unclosed(opened)
		}
		next := rustSetUnion
		switch {
		case p.peek() == '[':
			if s := p.posixClass(); s != nil {
				union.subs = append(union.subs, s)
				continue
			}
			inner, err := p.class()
			if err != nil {
				return nil, err
			}
			union.subs = append(union.subs, inner)
			continue
		case p.peek() == ']':
			p.bump()
			fold()
			bracket.span = rustSpan{start, p.at}
			bracket.subs = []*rustSet{left}
			return bracket, nil
		case p.take("&&"):
			next = rustSetIntersection
		case p.take("--"):
			next = rustSetDifference
		case p.take("~~"):
			next = rustSetSymmetric
		default:
			item, err := p.classRange(rustSpan{start, opened})
			if err != nil {
				return nil, err
			}
			union.subs = append(union.subs, item)
			continue
		}
		fold()
		operator, union = next, &rustSet{op: rustSetUnion}
	}
}

// posixClass reads [:name:]; what only looks like one is a class within.
func (p *rustParser) posixClass() *rustSet {
	rest := p.text[p.at:]
	if !strings.HasPrefix(rest, "[:") {
		return nil
	}
	name, _, found := strings.Cut(rest[2:], ":]")
	if !found {
		return nil
	}
	s := &rustSet{op: rustSetPOSIX, span: rustSpan{p.at, p.at + len(name) + 4}}
	s.name, s.negated = strings.CutPrefix(name, "^")
	var b setBuilder
	if !b.addClass(s.name, false) {
		return nil
	}
	p.at = s.span.end
	return s
}

// classRange reads a character, a range or an escape of a class.
func (p *rustParser) classRange(open rustSpan) (*rustSet, error) {
	first, err := p.classItem()
	if err != nil {
		return nil, err
	}
	p.space()
	if !p.more() {
		return nil, p.fail(open, rustUnclosed)
	}
	if p.peek() != '-' || p.beforeBracketOrDash() {
		return first.inClass(p)
	}
	if !p.bumpSpace() {
		return nil, p.fail(open, rustUnclosed)
	}
	last, err := p.classItem()
	if err != nil {
		return nil, err
	}
	for _, end := range []*rustTree{first, last} {
		if end.op != rustLiteral {
			return nil, p.fail(end.span, "invalid range boundary, must be a literal")
		}
	}
	s := &rustSet{op: rustSetRange, span: rustSpan{first.span.start, last.span.end}, low: first.r, high: last.r}
	if s.low > s.high {
		return nil, p.fail(s.span, "invalid character class range, the start must be <= the end")
	}
	return s, nil
}

// beforeBracketOrDash reports a "-" that is no range's, but itself or half of
// the operator "--".
func (p *rustParser) beforeBracketOrDash() bool {
	ahead := *p
	return ahead.bumpSpace() && (ahead.peek() == ']' || ahead.peek() == '-')
}

func (p *rustParser) classItem() (*rustTree, error) {
	if p.peek() == '\\' {
		return p.escape()
	}
	n := &rustTree{op: rustLiteral, span: p.one()}
	n.r = p.literal()
	return n, nil
}

// inClass makes what stands in a class a part of it.
func (t *rustTree) inClass(p *rustParser) (*rustSet, error) {
	switch t.op {
	case rustLiteral:
		return &rustSet{op: rustSetLiteral, span: t.span, low: t.r}, nil
	case rustClass:
		return t.set, nil
	}
	return nil, p.fail(t.span, "invalid escape sequence found in character class")
}

// property reads what follows \p or \P.
func (p *rustParser) property(start int) (*rustSet, error) {
	s := &rustSet{op: rustSetProperty, negated: p.peek() == 'P'}
	if !p.bumpSpace() {
		return nil, p.fail(p.here(), rustEndsEarly)
	}
	if p.peek() == '{' {
		for p.bumpSpace() && p.peek() != '}' {
			s.name += string(p.peek())
		}
		if !p.more() {
			return nil, p.fail(p.here(), rustEndsEarly)
		}
		p.bump()
		for _, sign := range []string{"!=", ":", "="} {
			if name, value, found := strings.Cut(s.name, sign); found {
				s.name, s.value = name, value
				s.negated = s.negated != (sign == "!=")
				break
			}
		}
	} else {
		if p.peek() == '\\' {
			return nil, p.fail(p.one(), "invalid Unicode character class")
		}
		s.name = string(p.peek())
		p.bumpSpace()
	}
	s.span = rustSpan{start, p.at}
	return s, nil
}

// checkSetNesting is checkNesting for what stands in a class.
func (p *rustParser) checkSetNesting(subs []*rustSet, depth int) error {
	for _, s := range subs {
		switch s.op {
		case rustSetUnion, rustSetBracket, rustSetIntersection, rustSetDifference, rustSetSymmetric:
		default:
			continue
		}
		below := depth
		if s.op != rustSetUnion || len(s.subs) > 1 {
			if below++; below > rustNesting {
				return p.fail(s.span, rustTooDeep)
			}
		}
		if err := p.checkSetNesting(s.subs, below); err != nil {
			return err
		}
	}
	return nil
}

// addSet adds the members of a class under the flags that hold.
func (t *rustTranslator) addSet(b *setBuilder, s *rustSet) error {
	last := t.options.last()
	var own setBuilder
	switch s.op {
	case rustSetLiteral:
		own.add(s.low, s.low)
	case rustSetRange:
		own.add(s.low, s.high)
	case rustSetPerl:
		wide := t.flags.unicode && !t.options.Bytes
		switch s.low {
		case 'd':
			own.add('0', '9')
			if wide {
				own.addTable(unicode.Nd)
			}
		case 's':
			own.add('\t', '\r')
			own.add(' ', ' ')
			if wide {
				own.addTable(unicode.White_Space)
			}
		case 'w':
			own.addClass("word", false)
			if wide {
				addRustAlphabetic(&own)
				for _, table := range []*unicode.RangeTable{unicode.M, unicode.Nd, unicode.Pc, unicode.Join_Control} {
					own.addTable(table)
				}
			}
		}
	case rustSetPOSIX:
		own.addClass(s.name, false)
	case rustSetProperty:
		if words := addRustProperty(&own, s.name, s.value); words != "" {
			return t.parser.fail(s.span, words)
		}
	case rustSetUnion:
		for _, sub := range s.subs {
			if err := t.addSet(&own, sub); err != nil {
				return err
			}
		}
	case rustSetBracket:
		if err := t.addSet(&own, s.subs[0]); err != nil {
			return err
		}
	default:
		var left, right setBuilder
		if err := t.addSet(&left, s.subs[0]); err != nil {
			return err
		}
		if err := t.addSet(&right, s.subs[1]); err != nil {
			return err
		}
		left.fold(t.rule())
		right.fold(t.rule())
		left.normalize()
		right.normalize()
		own.pairs = combine(s.op, left.pairs, right.pairs, last)
	}
	own.fold(t.rule())
	if s.negated {
		own.negate(last)
		if t.options.LineClasses {
			own.remove('\n')
		}
	}
	if s.op == rustSetBracket && len(own.pairs) == 0 {
		return t.parser.fail(s.span, "empty character classes are not allowed")
	}
	b.pairs = append(b.pairs, own.pairs...)
	return nil
}

// combine applies an operator of classes to normalized pairs.
func combine(op rustSetOp, left, right []rune, last rune) []rune {
	without := func(a, b []rune) []rune {
		other := setBuilder{pairs: slices.Clone(b)}
		other.negate(last)
		return intersect(a, other.pairs)
	}
	switch op {
	case rustSetIntersection:
		return intersect(left, right)
	case rustSetDifference:
		return without(left, right)
	}
	return append(without(left, right), without(right, left)...)
}
