package pattern

import (
	"strings"
	"unicode/utf8"
)

// Stop is asked once in a while; true ends a match, which then has failed.
// A nil one never does.
type Stop func() bool

func (s Stop) now() bool { return s != nil && s() }

// block is how many characters are looked at between two questions to Stop.
const block = 1 << 14

// classify finds the simple shapes.
func (p *Pattern) classify() (shape, string) {
	if p.groups || p.options.NoCase || p.options.Pathname || p.options.Period {
		if len(p.tokens) == 1 && p.tokens[0].kind == tokenText && !p.options.NoCase {
			return shapeLiteral, p.tokens[0].text
		}
		return shapeGeneral, ""
	}
	t := p.tokens
	is := func(i int, k tokenKind) bool { return t[i].kind == k }
	switch {
	case len(t) == 0:
		return shapeLiteral, ""
	case len(t) == 1 && is(0, tokenText):
		return shapeLiteral, t[0].text
	case len(t) == 1 && is(0, tokenStar):
		return shapeAll, ""
	case len(t) == 1 && (is(0, tokenAny) || is(0, tokenSet)):
		return shapeSingle, ""
	case len(t) == 2 && is(0, tokenStar) && is(1, tokenText):
		return shapeSuffix, t[1].text
	case len(t) == 2 && is(0, tokenText) && is(1, tokenStar):
		return shapePrefix, t[0].text
	case len(t) == 3 && is(0, tokenStar) && is(1, tokenText) && is(2, tokenStar):
		return shapeContains, t[1].text
	}
	return shapeGeneral, ""
}

// single reports whether the pattern's only token takes r.
func (p *Pattern) single(r rune) bool {
	return p.tokens[0].kind == tokenAny || p.tokens[0].set.contains(r)
}

// borrow takes an automaton for one match.
func (p *Pattern) borrow(mirror bool) *automaton {
	at := &p.forward
	if mirror {
		at = &p.backward
	}
	a := at.Swap(nil)
	if a == nil {
		a = newAutomaton(p.tokens, p.options, mirror)
	} else if a.full() {
		a.drop()
	}
	return a
}

func (p *Pattern) giveBack(a *automaton, mirror bool) {
	if a.over {
		return
	}
	if mirror {
		p.backward.Store(a)
	} else {
		p.forward.Store(a)
	}
}

// Match reports whether the whole of s matches.
func (p *Pattern) Match(s string, stop Stop) bool {
	switch p.shape {
	case shapeLiteral:
		return s == p.literal
	case shapeAll:
		return true
	case shapeSuffix:
		return boundary(s, len(s)-len(p.literal)) && strings.HasSuffix(s, p.literal)
	case shapePrefix:
		return strings.HasPrefix(s, p.literal)
	case shapeContains:
		return strings.Contains(s, p.literal)
	case shapeSingle:
		if s == "" {
			return false
		}
		r, n := decode(s)
		return n == len(s) && p.single(r)
	}
	if !p.groups && !p.options.Pathname && !p.options.Period {
		return p.matchTokens(s, stop)
	}
	a := p.borrow(false)
	matched := false
	p.run(a, s, stop, func(end int, m bool) bool {
		matched = m && end == len(s)
		return true
	})
	p.giveBack(a, false)
	return matched
}

// boundary reports whether i does not lie inside a character of s.
func boundary(s string, i int) bool {
	if i <= 0 || i >= len(s) || utf8.RuneStart(s[i]) {
		return true
	}
	for k := i - 1; k >= 0 && k > i-utf8.UTFMax; k-- {
		if utf8.RuneStart(s[k]) {
			_, n := utf8.DecodeRuneInString(s[k:])
			return k+n <= i
		}
	}
	return true
}

// matchTokens matches tokens without groups: only the last star needs to be
// tried again.
func (p *Pattern) matchTokens(s string, stop Stop) bool {
	type place struct{ token, in, at int }
	now := place{}
	var back place
	starred := false
	for steps := 0; ; steps++ {
		if steps&(block-1) == block-1 && stop.now() {
			return false
		}
		ok := false
		if now.token == len(p.tokens) {
			if now.at == len(s) {
				return true
			}
		} else {
			switch t := &p.tokens[now.token]; t.kind {
			case tokenStar:
				now.token++
				if now.token == len(p.tokens) {
					return true
				}
				back, starred = now, true
				continue
			case tokenText:
				if n := len(t.text); p.options.NoCase {
					if now.at < len(s) {
						want, n := decode(t.text[now.in:])
						got, m := decode(s[now.at:])
						if lower(want) == lower(got) {
							ok = true
							now.at += m
							if now.in += n; now.in == len(t.text) {
								now.token, now.in = now.token+1, 0
							}
						}
					}
				} else if strings.HasPrefix(s[now.at:], t.text) && boundary(s, now.at+n) {
					ok = true
					now.at += n
					now.token++
				}
			default:
				if now.at < len(s) {
					r, n := decode(s[now.at:])
					if t.kind == tokenAny || t.set.contains(r) {
						ok = true
						now.at += n
						now.token++
					}
				}
			}
		}
		if ok {
			continue
		}
		if !starred || back.at >= len(s) {
			return false
		}
		// What follows the star begins later.
		_, n := decode(s[back.at:])
		back.at += n
		if t := &p.tokens[back.token]; t.kind == tokenText && !p.options.NoCase {
			i := strings.Index(s[back.at:], t.text)
			if i < 0 {
				return false
			}
			back.at += i
		}
		now = back
	}
}

// leading reports whether s begins with a period that only a literal may take.
func (p *Pattern) leading(s string) bool {
	return p.options.Period && s != "" && s[0] == '.'
}

// run feeds s to a until it is dead, the text ends or visit returns false.
// visit sees each place that was reached, from 0 on, and whether the text
// before it matches. At the end of the text, or where a died, it is the last.
func (p *Pattern) run(a *automaton, s string, stop Stop, visit func(end int, matches bool) bool) {
	id := a.start(p.leading(s))
	for i, n := 0, 0; ; n++ {
		if !visit(i, a.states[id].matches) || i == len(s) || id == dead {
			return
		}
		if n&(block-1) == block-1 && stop.now() {
			visit(-1, false)
			return
		}
		if a.full() {
			if id = a.rebase(id); a.over {
				visit(-1, false)
				return
			}
		}
		r, size := decode(s[i:])
		i += size
		id = a.step(id, r, r == '/' && p.options.Pathname && p.leading(s[i:]))
	}
}

// runBack is run from the end of s backwards; start is where the text that
// matches begins.
func (p *Pattern) runBack(a *automaton, s string, stop Stop, visit func(start int, matches bool) bool) {
	id := a.start(false)
	for i, n := len(s), 0; ; n++ {
		if !visit(i, a.states[id].matches) || i == 0 || id == dead {
			return
		}
		if n&(block-1) == block-1 && stop.now() {
			return
		}
		if a.full() {
			if id = a.rebase(id); a.over {
				return
			}
		}
		r, size := decodeLast(s[:i])
		i -= size
		id = a.step(id, r, false)
	}
}

// Prefix is the end of the longest, or shortest, beginning of s that matches;
// -1 for none.
func (p *Pattern) Prefix(s string, longest bool, stop Stop) int {
	switch p.shape {
	case shapeLiteral:
		if strings.HasPrefix(s, p.literal) && boundary(s, len(p.literal)) {
			return len(p.literal)
		}
		return -1
	case shapeAll:
		if longest {
			return len(s)
		}
		return 0
	case shapeSuffix:
		i := strings.Index(s, p.literal)
		if longest {
			i = strings.LastIndex(s, p.literal)
		}
		if i >= 0 {
			i += len(p.literal)
		}
		return i
	case shapePrefix:
		if !strings.HasPrefix(s, p.literal) {
			return -1
		}
		if longest {
			return len(s)
		}
		return len(p.literal)
	case shapeSingle:
		if s != "" {
			if r, n := decode(s); p.single(r) {
				return n
			}
		}
		return -1
	}
	a := p.borrow(false)
	found := -1
	p.run(a, s, stop, func(end int, m bool) bool {
		if m {
			found = end
		}
		return !m || longest
	})
	p.giveBack(a, false)
	return found
}

// Suffix is the beginning of the longest, or shortest, end of s that matches;
// -1 for none.
func (p *Pattern) Suffix(s string, longest bool, stop Stop) int {
	switch p.shape {
	case shapeLiteral:
		if strings.HasSuffix(s, p.literal) && boundary(s, len(s)-len(p.literal)) {
			return len(s) - len(p.literal)
		}
		return -1
	case shapeAll:
		if longest {
			return 0
		}
		return len(s)
	case shapeSuffix:
		if !strings.HasSuffix(s, p.literal) {
			return -1
		}
		if longest {
			return 0
		}
		return len(s) - len(p.literal)
	case shapePrefix:
		if longest {
			return strings.Index(s, p.literal)
		}
		return strings.LastIndex(s, p.literal)
	case shapeSingle:
		if s != "" {
			if r, n := decodeLast(s); p.single(r) {
				return len(s) - n
			}
		}
		return -1
	}
	a := p.borrow(true)
	found := -1
	p.runBack(a, s, stop, func(start int, m bool) bool {
		if m {
			found = start
		}
		return !m || longest
	})
	p.giveBack(a, true)
	return found
}

// Each visits the matches in s from left to right, each the longest at its
// place, none overlapping, until visit returns false. It is what ${x//p/r}
// replaces: an empty match stands before every character that no other match
// takes, and none at the end.
func (p *Pattern) Each(s string, stop Stop, visit func(start, end int) bool) {
	switch p.shape {
	case shapeLiteral:
		for at, n := 0, 0; p.literal != ""; n++ {
			i := strings.Index(s[at:], p.literal)
			if i < 0 || n&(block-1) == block-1 && stop.now() || !visit(at+i, at+i+len(p.literal)) {
				return
			}
			at += i + len(p.literal)
		}
	case shapeAll:
		if s != "" {
			visit(0, len(s))
		}
		return
	case shapePrefix:
		if i := strings.Index(s, p.literal); i >= 0 {
			visit(i, len(s))
		}
		return
	case shapeSuffix:
		if i := strings.LastIndex(s, p.literal); i >= 0 {
			visit(0, i+len(p.literal))
		}
		return
	case shapeContains:
		if strings.Contains(s, p.literal) {
			visit(0, len(s))
		}
		return
	case shapeSingle:
		for i, n := 0, 0; i < len(s); n++ {
			r, size := decode(s[i:])
			if p.single(r) && !visit(i, i+size) || n&(block-1) == block-1 && stop.now() {
				return
			}
			i += size
		}
		return
	}
	p.each(s, stop, visit)
}

// each first marks, going backwards, the places where a match begins.
func (p *Pattern) each(s string, stop Stop, visit func(start, end int) bool) {
	begins := p.beginnings(s, stop)
	a := p.borrow(false)
	defer p.giveBack(a, false)
	for i := 0; i < len(s); {
		if begins[i>>6]&(1<<(i&63)) == 0 {
			_, n := decode(s[i:])
			i += n
			continue
		}
		end := -1
		p.run(a, s[i:], stop, func(at int, m bool) bool {
			if m {
				end = at
			}
			return true
		})
		if stop.now() {
			return
		}
		if end >= 0 && !visit(i, i+end) {
			return
		}
		if end <= 0 {
			_, end = decode(s[i:])
		}
		i += end
	}
}

// beginnings marks the places of s where a match begins.
func (p *Pattern) beginnings(s string, stop Stop) []uint64 {
	marks := make([]uint64, len(s)/64+1)
	o := p.options
	// Any text may stand behind a match: read backwards, before it.
	tokens := append(append([]token(nil), p.tokens...), token{kind: tokenStar})
	any := &Pattern{options: o, tokens: tokens}
	any.options.Pathname = false
	a := newAutomaton(tokens, any.options, true)
	any.runBack(a, s, stop, func(start int, m bool) bool {
		if m {
			marks[start>>6] |= 1 << (start & 63)
		}
		return true
	})
	if a.over { // too complex to mark: try everywhere
		for i := range marks {
			marks[i] = ^uint64(0)
		}
	}
	return marks
}
