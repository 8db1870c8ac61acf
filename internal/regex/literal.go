package regex

import (
	"bytes"
	"strings"
)

// literals are strings of which one occurs in every match.
type literals struct {
	set   [][]byte
	fold  bool // they are lower case, and ASCII case does not matter
	exact bool // a text matches where one occurs, and they are all there is
	// strays are the characters beyond ASCII that equal one of the letters
	// when case is ignored; a text that holds one is not searched by literals.
	strays [][]byte
}

const (
	maximumLiterals      = 12
	maximumLiteralLength = 64
)

// literalInfo describes a node: all strings it matches (nil when too many), and
// the best set of which one must occur.
type literalInfo struct {
	exact  []string
	best   []string
	anchor bool // an assertion is among its parts
}

// findLiterals extracts the literals of a tree.
func findLiterals(n *node, rule foldRule) literals {
	e := literalExtractor{rule: rule}
	info := e.info(n, 0)
	l := literals{fold: e.fold}
	set := info.best
	if len(info.exact) > 0 && score(info.exact) >= score(info.best) {
		set = info.exact
		l.exact = !info.anchor
	}
	if score(set) <= 0 {
		return literals{}
	}
	for _, s := range set {
		b := []byte(s)
		for i, c := range b {
			if l.fold && 'A' <= c && c <= 'Z' {
				b[i] = c + 0x20
			}
		}
		l.set = append(l.set, b)
	}
	if l.fold {
		letters := strings.Join(set, "")
		for _, stray := range []struct{ letter, text string }{{"i", "ı"}, {"s", "ſ"}, {"k", "K"}} {
			r := []rune(stray.text)[0]
			if strings.Contains(letters, stray.letter) && rule.equal(rune(stray.letter[0]), r) {
				l.strays = append(l.strays, []byte(stray.text))
			}
		}
	}
	return l
}

// score prefers long literals, and few of them.
func score(set []string) int {
	if len(set) == 0 || len(set) > maximumLiterals {
		return 0
	}
	shortest := maximumLiteralLength
	for _, s := range set {
		shortest = min(shortest, len(s))
	}
	if shortest == 0 {
		return 0
	}
	value := 8*shortest - len(set)
	if shortest == 1 {
		for _, s := range set {
			if len(s) == 1 {
				value = min(value, 7-commonness(s[0])/8)
			}
		}
	}
	return max(value, 0)
}

type literalExtractor struct {
	rule foldRule
	fold bool
}

func (e *literalExtractor) info(n *node, depth int) literalInfo {
	switch n.op {
	case opEmpty:
		return literalInfo{exact: []string{""}}
	case opAssert, opKeep, opLook:
		return literalInfo{exact: []string{""}, anchor: true}
	case opLiteral:
		if n.fold {
			if n.r >= 0x80 {
				return literalInfo{}
			}
			e.fold = true
			return literalInfo{exact: []string{strings.ToLower(string(n.r))}}
		}
		return literalInfo{exact: []string{string(appendRune(nil, n.r))}}
	case opSet:
		return e.setInfo(n.set)
	case opGroup, opAtomic:
		i := e.info(n.subs[0], depth+1)
		i.anchor = i.anchor || n.op == opAtomic
		return i
	case opConcat:
		return e.concatInfo(n, depth)
	case opAlternate:
		out := literalInfo{}
		exact, best := true, true
		for _, s := range n.subs {
			i := e.info(s, depth+1)
			out.anchor = out.anchor || i.anchor
			exact = exact && i.exact != nil && len(out.exact)+len(i.exact) <= maximumLiterals
			if exact {
				out.exact = append(out.exact, i.exact...)
			}
			b := i.best
			if score(i.exact) >= score(b) {
				b = i.exact
			}
			best = best && score(b) > 0 && len(out.best)+len(b) <= maximumLiterals
			if best {
				out.best = append(out.best, b...)
			}
		}
		if !exact {
			out.exact = nil
		}
		if !best {
			out.best = nil
		}
		return out
	case opRepeat:
		if n.min == 0 {
			return literalInfo{}
		}
		i := e.info(n.subs[0], depth+1)
		if n.min == 1 && n.max == 1 {
			return i
		}
		best := i.best
		if score(i.exact) >= score(best) {
			best = i.exact
		}
		if len(i.exact) == 1 && n.min == n.max && len(i.exact[0])*n.min <= maximumLiteralLength {
			return literalInfo{exact: []string{strings.Repeat(i.exact[0], n.min)}, anchor: i.anchor}
		}
		return literalInfo{best: best}
	}
	return literalInfo{}
}

func (e *literalExtractor) setInfo(s *set) literalInfo {
	var out []string
	for r := rune(0); r < 0x80; r++ {
		if s.contains(r) {
			if out = append(out, string(r)); len(out) > 4 {
				return literalInfo{}
			}
		}
	}
	for i := 0; i < len(s.ranges); i += 2 {
		for r := s.ranges[i]; r <= s.ranges[i+1]; r++ {
			if out = append(out, string(appendRune(nil, r))); len(out) > 4 {
				return literalInfo{}
			}
		}
	}
	return literalInfo{exact: out}
}

func (e *literalExtractor) concatInfo(n *node, depth int) literalInfo {
	out := literalInfo{}
	current := []string{""}
	whole := true
	keep := func() {
		if score(current) > score(out.best) {
			out.best = current
		}
	}
	for _, s := range n.subs {
		i := e.info(s, depth+1)
		out.anchor = out.anchor || i.anchor
		if score(i.best) > score(out.best) {
			out.best = i.best
		}
		if i.exact == nil || len(i.exact)*len(current) > maximumLiterals || len(current[0])+len(i.exact[0]) > maximumLiteralLength {
			whole = false
			keep()
			current = []string{""}
			if i.exact != nil {
				current = i.exact
			}
			continue
		}
		joined := make([]string, 0, len(current)*len(i.exact))
		for _, a := range current {
			for _, b := range i.exact {
				joined = append(joined, a+b)
			}
		}
		current = joined
	}
	if whole {
		out.exact = current
		return out
	}
	keep()
	return out
}

// byteOrder lists the bytes of source text and prose from common to rare.
const byteOrder = " etaoinsrlcdhupm\n.fg,_(y)b\tvw\"=0/1-:;'kT*S2xEAICRNDPL>OMF3B4{}5U<Hj6q87z9W[]#G&\\$V+KX@Y?JQZ!|%~`^"

// commonness ranks a byte: 0 for the rarest.
func commonness(c byte) int {
	if i := strings.IndexByte(byteOrder, c); i >= 0 {
		return len(byteOrder) - i
	}
	return 0
}

// literalFinder finds the next occurrence of any of some literals.
type literalFinder struct {
	literals *literals
	needles  []needle
	ahead    []int // next occurrence of each, or -1 for none, where known
	strays   []int // the same of each stray, where next looks for them too
	samples  int   // how often the needles' bytes were chosen
}

func (l *literalFinder) usable() bool { return len(l.literals.set) > 0 }

// reset forgets what is known of the text before. text is the next one.
func (l *literalFinder) reset(text []byte) {
	choose := false
	if l.needles == nil {
		choose = true
		l.ahead = make([]int, len(l.literals.set))
		l.strays = make([]int, len(l.literals.strays))
		l.needles = make([]needle, len(l.literals.set))
		for i, s := range l.literals.set {
			l.needles[i].literal, l.needles[i].fold = s, l.literals.fold
		}
	}
	for i := range l.strays {
		l.strays[i] = -2
	}
	for i := range l.needles {
		l.ahead[i] = -2
		n := &l.needles[i]
		n.reset()
		choose = choose || n.tooMany() && l.samples < maximumSamples
	}
	if choose {
		l.samples++
		common := sample(text)
		for i := range l.needles {
			l.needles[i].choose(common)
		}
	}
}

func upperByte(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 0x20
	}
	return c
}

// fits reports whether an occurrence of a literal is what every match in text
// needs; a stray equivalent beyond ASCII spoils that.
func (l *literalFinder) fits(text []byte) bool {
	for _, s := range l.literals.strays {
		if bytes.Contains(text, s) {
			return false
		}
	}
	return true
}

// next finds the first occurrence at from or later, or -1. Calls with the same
// text go forward.
func (l *literalFinder) next(text []byte, from int) int {
	best := -1
	for i := range l.needles {
		at := l.ahead[i]
		if at == -1 {
			continue
		}
		if at < from {
			at = l.needles[i].index(text, from)
			l.ahead[i] = at
			if at < 0 {
				continue
			}
		}
		if best < 0 || at < best {
			best = at
		}
	}
	return best
}

// nextOrStray is next, but stops at strays also, and says where one is the
// first: what it stands in may match without a literal.
func (l *literalFinder) nextOrStray(text []byte, from int) (at int, stray bool) {
	at = l.next(text, from)
	for i, s := range l.literals.strays {
		here := l.strays[i]
		if here != -1 && here < from {
			if here = bytes.Index(text[from:], s); here >= 0 {
				here += from
			}
			l.strays[i] = here
		}
		if here >= 0 && (at < 0 || here < at) {
			at, stray = here, true
		}
	}
	return at, stray
}

// equalFoldASCII compares text with a lower-case literal.
func equalFoldASCII(text, lower []byte) bool {
	for i, c := range text {
		if c != lower[i] {
			if 'A' <= c && c <= 'Z' && c+0x20 == lower[i] {
				continue
			}
			return false
		}
	}
	return true
}
