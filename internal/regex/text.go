package regex

import "unicode/utf8"

// decode gives the character at i and its size; a byte outside UTF-8 is one
// of the runes from rawByte on.
func (p *program) decode(text []byte, i int) (rune, int) {
	c := text[i]
	if c < utf8.RuneSelf {
		return rune(c), 1
	}
	if p.bytes {
		return rawByte + rune(c), 1
	}
	r, n := utf8.DecodeRune(text[i:])
	if n == 1 {
		r = rawByte + rune(c)
	}
	return r, n
}

// decodeLast gives the character that ends before i.
func (p *program) decodeLast(text []byte, i int) (rune, int) {
	c := text[i-1]
	if c < utf8.RuneSelf {
		return rune(c), 1
	}
	if p.bytes {
		return rawByte + rune(c), 1
	}
	r, n := utf8.DecodeLastRune(text[:i])
	if n == 1 {
		r = rawByte + rune(c)
	}
	return r, n
}

func (p *program) isWord(r rune) bool {
	if r < utf8.RuneSelf || !p.wide {
		return r < utf8.RuneSelf && isWordASCII(r)
	}
	return wideWord().contains(r)
}

// holds evaluates an assertion between two characters; -1 stands for none.
func (p *program) holds(a assertion, before, after rune, last bool) bool {
	switch a {
	case assertTextStart:
		return before < 0
	case assertTextEnd:
		return after < 0
	case assertLineStart:
		return before < 0 || before == '\n'
	case assertLineEnd:
		return after < 0 || after == '\n'
	case assertTextEndNewline:
		return after < 0 || after == '\n' && last
	}
	wordBefore := before >= 0 && p.isWord(before)
	wordAfter := after >= 0 && p.isWord(after)
	switch a {
	case assertWordBoundary:
		return wordBefore != wordAfter
	case assertNotWordBoundary:
		return wordBefore == wordAfter
	case assertWordStart:
		return !wordBefore && wordAfter
	case assertWordEnd:
		return wordBefore && !wordAfter
	case assertNoWordBefore:
		return !wordBefore
	case assertNoWordAfter:
		return !wordAfter
	}
	return false
}

// holdsAt evaluates an assertion at a position.
func (p *program) holdsAt(a assertion, text []byte, i int) bool {
	before, after := rune(-1), rune(-1)
	if i > 0 {
		before, _ = p.decodeLast(text, i)
	}
	n := 0
	if i < len(text) {
		after, n = p.decode(text, i)
	}
	return p.holds(a, before, after, i+n == len(text))
}
