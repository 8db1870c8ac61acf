package regex

import (
	"slices"
	"sort"
	"unicode"
)

// set is a set of runes, raw bytes among them.
type set struct {
	ascii  [4]uint32
	ranges []rune // pairs lo, hi above 0x7F, sorted, disjoint
}

func (s *set) contains(r rune) bool {
	if r < 0x80 {
		return s.ascii[r>>5]&(1<<(uint(r)&31)) != 0
	}
	x := s.ranges
	if len(x) <= 16 {
		for i := 0; i < len(x); i += 2 {
			if r < x[i] {
				return false
			}
			if r <= x[i+1] {
				return true
			}
		}
		return false
	}
	lo, hi := 0, len(x)/2
	for lo < hi {
		m := (lo + hi) / 2
		if r > x[2*m+1] {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return 2*lo < len(x) && r >= x[2*lo]
}

// setBuilder gathers the members of a set.
type setBuilder struct{ pairs []rune }

func (b *setBuilder) add(lo, hi rune) {
	if lo <= hi {
		b.pairs = append(b.pairs, lo, hi)
	}
}

func (b *setBuilder) addSet(s *set) {
	for r := rune(0); r < 0x80; r++ {
		if s.contains(r) {
			hi := r
			for hi+1 < 0x80 && s.contains(hi+1) {
				hi++
			}
			b.add(r, hi)
			r = hi
		}
	}
	b.pairs = append(b.pairs, s.ranges...)
}

func (b *setBuilder) addTable(t *unicode.RangeTable) {
	one := func(lo, hi, stride rune) {
		if stride == 1 {
			b.add(lo, hi)
			return
		}
		for r := lo; r <= hi; r += stride {
			b.add(r, r)
		}
	}
	for _, x := range t.R16 {
		one(rune(x.Lo), rune(x.Hi), rune(x.Stride))
	}
	for _, x := range t.R32 {
		one(rune(x.Lo), rune(x.Hi), rune(x.Stride))
	}
}

// normalize sorts the pairs and joins those that touch.
func (b *setBuilder) normalize() {
	p := b.pairs
	if len(p) <= 2 {
		return
	}
	sort.Sort(pairOrder(p))
	n := 2
	for i := 2; i < len(p); i += 2 {
		if p[i] <= p[n-1]+1 {
			p[n-1] = max(p[n-1], p[i+1])
			continue
		}
		p[n], p[n+1] = p[i], p[i+1]
		n += 2
	}
	b.pairs = p[:n]
}

// negate complements the set within [0, last].
func (b *setBuilder) negate(last rune) {
	b.normalize()
	var out []rune
	next := rune(0)
	for i := 0; i < len(b.pairs); i += 2 {
		if b.pairs[i] > next {
			out = append(out, next, min(b.pairs[i]-1, last))
		}
		next = max(next, b.pairs[i+1]+1)
	}
	if next <= last {
		out = append(out, next, last)
	}
	b.pairs = out
}

func (b *setBuilder) remove(r rune) {
	b.normalize()
	for i := 0; i < len(b.pairs); i += 2 {
		lo, hi := b.pairs[i], b.pairs[i+1]
		if r < lo || r > hi {
			continue
		}
		b.pairs = slices.Delete(b.pairs, i, i+2)
		b.add(lo, r-1)
		b.add(r+1, hi)
		return
	}
}

func (b *setBuilder) set() *set {
	b.normalize()
	s := &set{}
	for i := 0; i < len(b.pairs); i += 2 {
		lo, hi := b.pairs[i], b.pairs[i+1]
		for r := lo; r <= hi && r < 0x80; r++ {
			s.ascii[r>>5] |= 1 << (uint(r) & 31)
		}
		if hi >= 0x80 {
			s.ranges = append(s.ranges, max(lo, 0x80), hi)
		}
	}
	return s
}

type pairOrder []rune

func (p pairOrder) Len() int { return len(p) / 2 }
func (p pairOrder) Less(i, j int) bool {
	return p[2*i] < p[2*j] || p[2*i] == p[2*j] && p[2*i+1] < p[2*j+1]
}
func (p pairOrder) Swap(i, j int) {
	p[2*i], p[2*j] = p[2*j], p[2*i]
	p[2*i+1], p[2*j+1] = p[2*j+1], p[2*i+1]
}

// foldRule says which runes are one letter when case is ignored.
type foldRule uint8

const (
	foldNone  foldRule = iota
	foldGNU            // equal towupper, as glibc and grep compare
	foldASCII          // the C locale
	foldPerl           // Unicode simple folding, as PCRE and Rust compare
)

// equivalents calls f for every other rune that rule takes for r.
func (rule foldRule) equivalents(r rune, f func(rune)) {
	switch rule {
	case foldNone:
	case foldASCII:
		if 'a' <= r|0x20 && r|0x20 <= 'z' && r < 0x80 {
			f(r ^ 0x20)
		}
	case foldPerl:
		if r > unicode.MaxRune {
			return
		}
		for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
			f(o)
		}
	case foldGNU:
		if r > unicode.MaxRune {
			return
		}
		upper := unicode.ToUpper(r)
		for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
			if unicode.ToUpper(o) == upper {
				f(o)
			}
		}
		// U+0131 is alone in Unicode's folding; towupper makes it an I.
		const dotless = 'ı'
		switch r {
		case 'i', 'I':
			f(dotless)
		case dotless:
			f('i')
			f('I')
		}
	}
}

func (rule foldRule) equal(a, b rune) bool {
	if a == b {
		return true
	}
	same := false
	rule.equivalents(a, func(o rune) { same = same || o == b })
	return same
}

// fold adds the equivalents of every member.
func (b *setBuilder) fold(rule foldRule) {
	if rule == foldNone {
		return
	}
	b.normalize()
	pairs := slices.Clone(b.pairs)
	add := func(r rune) { rule.equivalents(r, func(o rune) { b.add(o, o) }) }
	for i := 0; i < len(pairs); i += 2 {
		lo, hi := pairs[i], pairs[i+1]
		for r := lo; r <= hi && r < 0x80; r++ {
			add(r)
		}
		if hi < 0x80 {
			continue
		}
		for _, c := range unicode.CaseRanges {
			for r := max(lo, rune(c.Lo), 0x80); r <= min(hi, rune(c.Hi)); r++ {
				add(r)
			}
		}
	}
}
