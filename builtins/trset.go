package builtins

import (
	"fmt"
	"strings"
)

// trSet is what a string of tr stands for, element by element.
type trSet struct {
	elements                    []trElement
	length                      uint64
	fills                       int // [c*] without count
	classes, restricted, equals bool
}

type trKind uint8

const (
	trChar trKind = iota
	trRange
	trClass
	trEqual
	trRepeat
)

// trElement is a character, a range, a class, [=c=] or [c*n].
type trElement struct {
	kind        trKind
	first, last byte
	class       string
	count       uint64 // of trRepeat; 0 fills up
}

// trCase tells upper and lower, which convert, from the other classes.
type trCase uint8

const (
	trNoCase trCase = iota
	trUpper
	trLower
)

// trString is a string with its escapes resolved; what was escaped is itself.
type trString struct {
	text    []byte
	escaped []bool
}

func (s *trString) is(i int, c byte) bool {
	return i < len(s.text) && s.text[i] == c && !s.escaped[i]
}

// trIsClass is C's is...() in a UTF-8 locale, where high bytes are nothing.
func trIsClass(class string, c byte) bool {
	upper, lower, digit := c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c >= '0' && c <= '9'
	switch class {
	case "alnum":
		return upper || lower || digit
	case "alpha":
		return upper || lower
	case "blank":
		return c == ' ' || c == '\t'
	case "cntrl":
		return c < ' ' || c == 0x7f
	case "digit":
		return digit
	case "graph":
		return c > ' ' && c < 0x7f
	case "lower":
		return lower
	case "print":
		return c >= ' ' && c < 0x7f
	case "punct":
		return c > ' ' && c < 0x7f && !upper && !lower && !digit
	case "space":
		return c == ' ' || c >= '\t' && c <= '\r'
	case "upper":
		return upper
	case "xdigit":
		return digit || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
	}
	return false
}

func trKnownClass(name string) bool {
	switch name {
	case "alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "xdigit":
		return true
	}
	return false
}

// unescape resolves backslashes.
func (t *trCommand) unescape(s string) *trString {
	e := &trString{}
	for i := 0; i < len(s); i++ {
		c, escaped := s[i], false
		if c == '\\' {
			escaped = true
			if i++; i == len(s) {
				t.warnf("warning: an unescaped backslash at end of string is not portable")
				i--
				escaped = false
			}
			switch c = s[i]; {
			case strings.IndexByte("abfnrtv", c) >= 0 && escaped:
				c = "\a\b\f\n\r\t\v"[strings.IndexByte("abfnrtv", c)]
			case c >= '0' && c <= '7':
				c, i = t.octal(s, i)
			}
		}
		e.text = append(e.text, c)
		e.escaped = append(e.escaped, escaped)
	}
	return e
}

// octal reads up to three digits that make a byte.
func (t *trCommand) octal(s string, i int) (byte, int) {
	n := int(s[i] - '0')
	for k := 1; k < 3 && i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '7'; k++ {
		if n*8+int(s[i+1]-'0') > 255 {
			t.warnf("warning: the ambiguous octal escape \\%c%c%c is being\n\tinterpreted as the 2-byte sequence \\0%c%c, %c",
				s[i-1], s[i], s[i+1], s[i-1], s[i], s[i+1])
			break
		}
		i++
		n = n*8 + int(s[i]-'0')
	}
	return byte(n), i
}

// trShow shows bytes in a message.
func trShow(s []byte) string {
	var b strings.Builder
	for _, c := range s {
		switch {
		case c == '\\':
			b.WriteString(`\\`)
		case c >= '\a' && c <= '\r':
			b.WriteString(`\` + string("abtnvfr"[c-'\a']))
		case c >= ' ' && c < 0x7f:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, `\%03o`, c)
		}
	}
	return b.String()
}

// trShowChar shows an end of a range in a message.
func trShowChar(c byte) string {
	if c >= ' ' && c < 0x7f {
		return string(rune(c))
	}
	return fmt.Sprintf(`\%03o`, c)
}

func (t *trCommand) parseSet(text string) (*trSet, error) {
	s := t.unescape(text)
	set := &trSet{}
	i := 0
	for i+2 < len(s.text) {
		if s.is(i, '[') {
			next, err := t.bracket(s, i, set)
			if err != nil {
				return nil, err
			}
			if next > 0 {
				i = next
				continue
			}
		}
		if !s.is(i+1, '-') {
			set.elements = append(set.elements, trElement{kind: trChar, first: s.text[i], last: s.text[i]})
			i++
			continue
		}
		first, last := s.text[i], s.text[i+2]
		if first > last {
			return nil, t.fatalf("range-endpoints of '%s-%s' are in reverse collating sequence order", trShowChar(first), trShowChar(last))
		}
		set.elements = append(set.elements, trElement{kind: trRange, first: first, last: last})
		i += 3
	}
	for ; i < len(s.text); i++ {
		set.elements = append(set.elements, trElement{kind: trChar, first: s.text[i], last: s.text[i]})
	}
	set.measure()
	return set, nil
}

// bracket reads [:class:], [=c=] or [c*n] at i and returns where it ends, 0
// when the bracket stands for itself.
func (t *trCommand) bracket(s *trString, i int, set *trSet) (int, error) {
	if s.is(i+1, ':') || s.is(i+1, '=') {
		if end, ok := s.closing(i+2, s.text[i+1]); ok {
			name := s.text[i+2 : end]
			next := end + 2
			switch {
			case len(name) == 0 && s.text[i+1] == ':':
				return 0, t.fatalf("missing character class name '[::]'")
			case len(name) == 0:
				return 0, t.fatalf("missing equivalence class character '[==]'")
			case s.text[i+1] == ':' && trKnownClass(string(name)):
				set.elements = append(set.elements, trElement{kind: trClass, class: string(name)})
				return next, nil
			case s.text[i+1] == '=' && len(name) == 1:
				set.elements = append(set.elements, trElement{kind: trEqual, first: name[0], last: name[0]})
				return next, nil
			case s.repeats(i + 2):
			case s.text[i+1] == ':':
				return 0, t.fatalf("invalid character class %s", quote(trShow(name)))
			default:
				return 0, t.fatalf("%s: equivalence class operand must be a single character", trShow(name))
			}
		}
	}
	if !s.is(i+2, '*') {
		return 0, nil
	}
	for end := i + 3; end < len(s.text) && !s.escaped[end]; end++ {
		if s.text[end] != ']' {
			continue
		}
		digits := string(s.text[i+3 : end])
		count, ok := trCount(digits)
		if !ok {
			return 0, t.fatalf("invalid repeat count %s in [c*n] construct", quote(trShow([]byte(digits))))
		}
		set.elements = append(set.elements, trElement{kind: trRepeat, first: s.text[i+1], last: s.text[i+1], count: count})
		return end + 1, nil
	}
	return 0, nil
}

// closing finds mark and ] from i on.
func (s *trString) closing(i int, mark byte) (int, bool) {
	for ; i+1 < len(s.text); i++ {
		if s.is(i, mark) && s.is(i+1, ']') {
			return i, true
		}
	}
	return 0, false
}

// repeats reports the rest of a [c*n] whose c is the byte before i.
func (s *trString) repeats(i int) bool {
	if !s.is(i, '*') {
		return false
	}
	for i++; i < len(s.text); i++ {
		if c := s.text[i]; c < '0' || c > '9' {
			return s.is(i, ']')
		}
	}
	return false
}

// trCount reads a repeat count: octal where it starts with 0, nothing for none.
func trCount(digits string) (uint64, bool) {
	if digits == "" {
		return 0, true
	}
	base := uint64(10)
	if digits[0] == '0' {
		base = 8
	}
	var n uint64
	for _, c := range []byte(digits) {
		if c < '0' || uint64(c-'0') >= base || n > 1<<59 {
			return 0, false
		}
		n = n*base + uint64(c-'0')
	}
	return n, true
}

// size is how many bytes an element stands for.
func (e *trElement) size() uint64 {
	switch e.kind {
	case trRange:
		return uint64(e.last-e.first) + 1
	case trClass:
		n := uint64(0)
		for c := range 256 {
			if trIsClass(e.class, byte(c)) {
				n++
			}
		}
		return n
	case trRepeat:
		return e.count
	}
	return 1
}

func (s *trSet) measure() {
	for i := range s.elements {
		e := &s.elements[i]
		s.length += e.size()
		switch e.kind {
		case trClass:
			s.classes = true
			s.restricted = s.restricted || e.class != "upper" && e.class != "lower"
		case trEqual:
			s.equals = true
		case trRepeat:
			if e.count == 0 {
				s.fills++
			}
		}
	}
}

// members are the bytes of the set, or those that are not.
func (s *trSet) members(complement bool) *[256]bool {
	var in [256]bool
	for i := range in {
		in[i] = complement
	}
	for i := range s.elements {
		switch e := &s.elements[i]; {
		case e.kind == trClass:
			for c := range in {
				if trIsClass(e.class, byte(c)) {
					in[c] = !complement
				}
			}
		case e.kind == trRepeat && e.count == 0:
		default:
			for c := int(e.first); c <= int(e.last); c++ {
				in[c] = !complement
			}
		}
	}
	return &in
}

// trCursor goes through a set byte by byte.
type trCursor struct {
	set     *trSet
	element int
	within  uint64 // bytes of the element that have been returned
	char    int    // the next one of a class
}

func (s *trSet) cursor() *trCursor { return &trCursor{set: s} }

// next is the next byte, -1 at the end, and whether it comes from [:upper:] or [:lower:].
func (c *trCursor) next() (int, trCase) {
	for c.element < len(c.set.elements) {
		e := &c.set.elements[c.element]
		switch e.kind {
		case trClass:
			which := trNoCase
			switch e.class {
			case "upper":
				which = trUpper
			case "lower":
				which = trLower
			}
			for ; c.char < 256; c.char++ {
				if trIsClass(e.class, byte(c.char)) {
					c.char++
					if c.within++; c.within == e.size() {
						c.skip()
						return c.set.lastOf(e), which
					}
					return c.char - 1, which
				}
			}
		case trRange:
			at := int(e.first) + int(c.within)
			if c.within++; at == int(e.last) {
				c.skip()
			}
			return at, trNoCase
		case trRepeat:
			if c.within < e.count {
				if c.within++; c.within == e.count {
					c.skip()
				}
				return int(e.first), trNoCase
			}
		default:
			c.skip()
			return int(e.first), trNoCase
		}
		c.skip()
	}
	return -1, trNoCase
}

// lastOf is the last byte of a class.
func (s *trSet) lastOf(e *trElement) int {
	for c := 255; ; c-- {
		if trIsClass(e.class, byte(c)) {
			return c
		}
	}
}

// skip goes on to the next element, unless it has just been entered.
func (c *trCursor) skip() { c.element, c.within, c.char = c.element+1, 0, 0 }

// fresh reports that the next byte starts an element.
func (c *trCursor) fresh() bool { return c.within == 0 }

func (t *trCommand) validate(set1, set2 *trSet) error {
	length1 := set1.length
	if t.complement {
		length1 = 0
		for _, in := range set1.members(true) {
			if in {
				length1++
			}
		}
	}
	if set1.fills > 0 {
		return t.fatalf("the [c*] repeat construct may not appear in string1")
	}
	if set2 == nil {
		return nil
	}
	if set2.fills == 1 && length1 >= set2.length {
		for i := range set2.elements {
			if e := &set2.elements[i]; e.kind == trRepeat && e.count == 0 {
				e.count = length1 - set2.length
			}
		}
		set2.length = length1
	}
	if set2.fills > 1 {
		return t.fatalf("only one [c*] repeat construct may appear in string2")
	}
	if !t.translating {
		if set2.fills > 0 {
			return t.fatalf("the [c*] construct may appear in string2 only when translating")
		}
		return nil
	}
	if set2.equals {
		return t.fatalf("[=c=] expressions may not appear in string2 when translating")
	}
	if set2.restricted {
		return t.fatalf("when translating, the only character classes that may appear in\nstring2 are 'upper' and 'lower'")
	}
	length2 := set2.length
	if !t.complement && set2.classes {
		if err := t.alignCases(set1, set2, &length1, &length2); err != nil {
			return err
		}
	}
	if length1 > length2 && !t.truncate {
		if length2 == 0 {
			return t.fatalf("when not truncating set1, string2 must be non-empty")
		}
		last := set2.elements[len(set2.elements)-1]
		if last.kind == trClass {
			return t.fatalf("when translating with string1 longer than string2,\nthe latter string must not end with a character class")
		}
		set2.elements = append(set2.elements, trElement{kind: trRepeat, first: last.last, last: last.last, count: length1 - length2})
		length2 = length1
	}
	if t.complement && set1.classes && !(length2 == length1 && set2.homogeneous()) {
		return t.fatalf("when translating with complemented character classes,\nstring2 must map all characters in the domain to one")
	}
	return nil
}

// alignCases checks that [:upper:] and [:lower:] stand at the same places of
// both strings; those count as one character each.
func (t *trCommand) alignCases(set1, set2 *trSet, length1, length2 *uint64) error {
	first, second := set1.cursor(), set2.cursor()
	new1, new2 := true, true
	for {
		at1, at2 := first.element, second.element
		c1, case1 := first.next()
		c2, case2 := second.next()
		if new2 && case2 != trNoCase && !(new1 && case1 != trNoCase) {
			return t.fatalf("misaligned [:upper:] and/or [:lower:] construct")
		}
		if case2 != trNoCase {
			if first.element == at1 {
				first.skip()
			}
			if second.element == at2 {
				second.skip()
			}
			*length1 -= 25
			*length2 -= 25
		}
		if c1 < 0 || c2 < 0 {
			return nil
		}
		new1, new2 = first.fresh(), second.fresh()
	}
}

// homogeneous reports that all bytes are one.
func (s *trSet) homogeneous() bool {
	c := s.cursor()
	first, _ := c.next()
	for first >= 0 {
		next, _ := c.next()
		if next < 0 {
			return true
		}
		if next != first {
			return false
		}
	}
	return true
}
