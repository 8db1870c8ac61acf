package regex

import (
	"slices"
	"sync"
	"unicode"
)

// addClass adds a POSIX class. wide takes in what glibc's C.UTF-8 counts
// beyond ASCII; it reports false for a name that is none.
func (b *setBuilder) addClass(name string, wide bool) bool {
	switch name {
	case "alpha":
		b.add('A', 'Z')
		b.add('a', 'z')
	case "digit":
		b.add('0', '9')
		return true
	case "xdigit":
		b.add('0', '9')
		b.add('A', 'F')
		b.add('a', 'f')
		return true
	case "alnum":
		b.add('0', '9')
		b.add('A', 'Z')
		b.add('a', 'z')
	case "upper":
		b.add('A', 'Z')
	case "lower":
		b.add('a', 'z')
	case "space":
		b.add('\t', '\r')
		b.add(' ', ' ')
	case "blank":
		b.add('\t', '\t')
		b.add(' ', ' ')
	case "cntrl":
		b.add(0, 0x1f)
		b.add(0x7f, 0x7f)
	case "print":
		b.add(' ', '~')
	case "graph":
		b.add('!', '~')
	case "punct":
		b.add('!', '/')
		b.add(':', '@')
		b.add('[', '`')
		b.add('{', '~')
	case "word": // Perl's own
		b.add('0', '9')
		b.add('A', 'Z')
		b.add('_', '_')
		b.add('a', 'z')
	case "ascii": // Perl's own
		b.add(0, 0x7f)
		return true
	default:
		return false
	}
	if wide {
		b.pairs = append(b.pairs, wideClass(name)...)
	}
	return true
}

func isPOSIXClass(name string) bool {
	var b setBuilder
	return name != "word" && name != "ascii" && b.addClass(name, false)
}

var wideClasses struct {
	sync.Mutex
	pairs map[string][]rune
}

// wideClass lists a class's members above 0x7F in glibc's C.UTF-8, which
// follows Unicode but counts digits of other scripts as letters and leaves
// no-break spaces out of the white space. Pairs; not to be changed.
func wideClass(name string) []rune {
	wideClasses.Lock()
	defer wideClasses.Unlock()
	if p, ok := wideClasses.pairs[name]; ok {
		return p
	}
	var b setBuilder
	tables := func(ts ...*unicode.RangeTable) {
		for _, t := range ts {
			b.addTable(t)
		}
	}
	without := func(other ...rune) {
		b.normalize()
		o := setBuilder{pairs: slices.Clone(other)}
		o.negate(unicode.MaxRune)
		b.pairs = intersect(b.pairs, o.pairs)
	}
	letters := func() {
		tables(unicode.L, unicode.Nl, unicode.Other_Alphabetic, unicode.Nd)
	}
	printing := func() {
		tables(unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Zs, unicode.Cf, unicode.Co)
	}
	spaces := func() {
		tables(unicode.Z)
		without(0xa0, 0xa0, 0x2007, 0x2007, 0x202f, 0x202f)
	}
	cased := func(changed func(rune) bool) {
		for _, c := range unicode.CaseRanges {
			for r := rune(c.Lo); r <= rune(c.Hi); r++ {
				if changed(r) {
					b.add(r, r)
				}
			}
		}
	}
	switch name {
	case "alpha", "alnum", "word":
		letters()
	case "upper":
		tables(unicode.Lu, unicode.Other_Uppercase)
		cased(func(r rune) bool { return unicode.ToLower(r) != r })
	case "lower":
		tables(unicode.Ll, unicode.Other_Lowercase)
		cased(func(r rune) bool { return unicode.ToUpper(r) != r })
	case "space":
		spaces()
	case "blank":
		tables(unicode.Zs)
		without(0xa0, 0xa0, 0x2007, 0x2007, 0x202f, 0x202f)
	case "cntrl":
		tables(unicode.Cc)
		b.add(0x2028, 0x2029)
	case "print":
		printing()
	case "graph", "punct":
		spaces()
		other := slices.Clone(b.pairs)
		b.pairs = nil
		if name == "punct" {
			letters()
			other = append(other, b.pairs...)
			b.pairs = nil
		}
		printing()
		without(other...)
	}
	b.normalize()
	p := intersect(b.pairs, []rune{0x80, unicode.MaxRune})
	if wideClasses.pairs == nil {
		wideClasses.pairs = map[string][]rune{}
	}
	wideClasses.pairs[name] = p
	return p
}

// intersect gives what two normalized lists of pairs share.
func intersect(a, b []rune) []rune {
	var out []rune
	for len(a) > 0 && len(b) > 0 {
		if lo, hi := max(a[0], b[0]), min(a[1], b[1]); lo <= hi {
			out = append(out, lo, hi)
		}
		if a[1] < b[1] {
			a = a[2:]
		} else {
			b = b[2:]
		}
	}
	return out
}

var wideWord = sync.OnceValue(func() *set {
	var b setBuilder
	b.addClass("word", true)
	return b.set()
})

// isWordASCII reports a word constituent among the ASCII characters.
func isWordASCII(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_'
}
