package regex

import (
	"strings"
	"unicode/utf8"
)

// Error is a faulty pattern, in the words of glibc's regcomp, of PCRE2 or of
// Rust's regex crate. Offset is where in the pattern PCRE2 says it is, in bytes.
type Error struct {
	Text   string
	Offset int
}

func (e *Error) Error() string { return e.Text }

// ErrSize is the error of a pattern that takes too much memory.
var ErrSize = fail("Regular expression too big")

func fail(text string) error { return &Error{Text: text} }

var (
	errBadPattern  = fail("Invalid regular expression")
	errCollate     = fail("Invalid collation character")
	errClass       = fail("Invalid character class name")
	errEscape      = fail("Trailing backslash")
	errSubReg      = fail("Invalid back reference")
	errBracket     = fail("Unmatched [, [^, [:, [., or [=")
	errParen       = fail("Unmatched ( or \\(")
	errBrace       = fail("Unmatched \\{")
	errBadBrace    = fail("Invalid content of \\{\\}")
	errRange       = fail("Invalid range end")
	errRepeat      = fail("Invalid preceding regular expression")
	errRightParen  = fail("Unmatched ) or \\)")
	errMemory      = fail("Memory exhausted")
	errColons      = fail("character class syntax is [[:space:]], not [:space:]")
	maximumRepeat  = 32767
	maximumNesting = 20000
)

// tokenKind is what glibc's peek_token answers.
type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenCharacter
	tokenTrailingBackslash
	tokenAlternate
	tokenBackref
	tokenAssert
	tokenClass // \w \W \s \S; value holds the letter
	tokenOpen
	tokenClose
	tokenStar
	tokenPlus
	tokenQuestion
	tokenOpenBrace
	tokenCloseBrace
	tokenBracket
	tokenPeriod
)

type token struct {
	kind   tokenKind
	value  rune // the character
	assert assertion
	size   int
}

// isDup reports an operator that repeats what stands before it.
func (t token) isDup() bool { return t.kind >= tokenStar && t.kind <= tokenOpenBrace }

// posixParser reads BRE, ERE and their kin as glibc's regcomp does.
type posixParser struct {
	options   *Options
	text      string
	at        int
	bits      int
	fold      foldRule
	token     token
	caret     int // caretHere or 0
	groups    int
	completed int // bit n: group n is closed
	depth     int
	warnings  []string
	sets      map[string]*set // of lists and escapes seen before, by their text
	grepNames bool            // errors and warnings that dfa.c adds
}

func (p *posixParser) decode(i int) (rune, int) {
	if c := p.text[i]; c < utf8.RuneSelf {
		return rune(c), 1
	} else if p.options.Bytes {
		return rawByte + rune(c), 1
	}
	r, n := utf8.DecodeRuneInString(p.text[i:])
	if n == 1 {
		r = rawByte + rune(p.text[i])
	}
	return r, n
}

// peek classifies what stands at i.
func (p *posixParser) peek(i int) token {
	if i >= len(p.text) {
		return token{}
	}
	c, n := p.decode(i)
	plain := token{kind: tokenCharacter, value: c, size: n}
	special := func(kind tokenKind) token { return token{kind: kind, value: c, size: n} }
	if c == '\\' {
		if i+1 >= len(p.text) {
			return token{kind: tokenTrailingBackslash, size: 1}
		}
		var m int
		c, m = p.decode(i + 1)
		n += m
		plain.value, plain.size = c, n
		return p.escape(c, plain)
	}
	switch c {
	case '\n':
		if p.bits&newlineAlt != 0 {
			return special(tokenAlternate)
		}
	case '|':
		if p.bits&limitedOps == 0 && p.bits&noBkVbar != 0 {
			return special(tokenAlternate)
		}
	case '*':
		return special(tokenStar)
	case '+':
		if p.bits&(limitedOps|bkPlusQm) == 0 {
			return special(tokenPlus)
		}
	case '?':
		if p.bits&(limitedOps|bkPlusQm) == 0 {
			return special(tokenQuestion)
		}
	case '{':
		if p.bits&intervals != 0 && p.bits&noBkBraces != 0 {
			return special(tokenOpenBrace)
		}
	case '}':
		if p.bits&intervals != 0 && p.bits&noBkBraces != 0 {
			return special(tokenCloseBrace)
		}
	case '(':
		if p.bits&noBkParens != 0 {
			return special(tokenOpen)
		}
	case ')':
		if p.bits&noBkParens != 0 {
			return special(tokenClose)
		}
	case '[':
		return special(tokenBracket)
	case '.':
		return special(tokenPeriod)
	case '^':
		if (p.bits|p.caret)&(contextIndepAnchors|caretHere) == 0 && i != 0 &&
			(p.bits&newlineAlt == 0 || p.text[i-1] != '\n') {
			return plain
		}
		return token{kind: tokenAssert, value: c, assert: p.lineAssert(assertLineStart, assertTextStart), size: 1}
	case '$':
		if p.bits&contextIndepAnchors == 0 && i+1 != len(p.text) {
			if next := p.peek(i + 1); next.kind != tokenAlternate && next.kind != tokenClose {
				return plain
			}
		}
		return token{kind: tokenAssert, value: c, assert: p.lineAssert(assertLineEnd, assertTextEnd), size: 1}
	}
	return plain
}

func (p *posixParser) lineAssert(line, text assertion) assertion {
	if p.options.Newline && !p.options.TextAnchors {
		return line
	}
	return text
}

// escape classifies a backslash and the character after it.
func (p *posixParser) escape(c rune, plain token) token {
	special := func(kind tokenKind) token { plain.kind = kind; return plain }
	assert := func(a assertion) token { plain.assert = a; return special(tokenAssert) }
	switch c {
	case '|':
		if p.bits&(limitedOps|noBkVbar) == 0 {
			return special(tokenAlternate)
		}
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if p.bits&noBkRefs == 0 {
			return special(tokenBackref)
		}
	case '(':
		if p.bits&noBkParens == 0 {
			return special(tokenOpen)
		}
	case ')':
		if p.bits&noBkParens == 0 {
			return special(tokenClose)
		}
	case '+':
		if p.bits&limitedOps == 0 && p.bits&bkPlusQm != 0 {
			return special(tokenPlus)
		}
	case '?':
		if p.bits&limitedOps == 0 && p.bits&bkPlusQm != 0 {
			return special(tokenQuestion)
		}
	case '{':
		if p.bits&intervals != 0 && p.bits&noBkBraces == 0 {
			return special(tokenOpenBrace)
		}
	case '}':
		if p.bits&intervals != 0 && p.bits&noBkBraces == 0 {
			return special(tokenCloseBrace)
		}
	}
	if p.bits&noGNUOps != 0 {
		return plain
	}
	switch c {
	case '<':
		return assert(assertWordStart)
	case '>':
		return assert(assertWordEnd)
	case 'b':
		return assert(assertWordBoundary)
	case 'B':
		return assert(assertNotWordBoundary)
	case '`':
		return assert(assertTextStart)
	case '\'':
		return assert(assertTextEnd)
	case 'w', 'W', 's', 'S':
		return special(tokenClass)
	case 'y':
		// awk's word boundary: its \b is a backspace, made by the caller.
		if p.options.Syntax == GNUAwk {
			return assert(assertWordBoundary)
		}
	}
	return plain
}

// next moves past the current token; caret is caretHere where a ^ anchors.
func (p *posixParser) next(caret int) {
	p.at += p.token.size
	p.caret = caret
	p.token = p.peek(p.at)
}

func (p *posixParser) parse() (*node, error) {
	p.caret = caretHere
	p.token = p.peek(p.at)
	n, err := p.alternatives(false)
	if err != nil {
		return nil, err
	}
	if p.token.kind != tokenEnd {
		return nil, errRightParen
	}
	return n, nil
}

func (p *posixParser) alternatives(nested bool) (*node, error) {
	before := p.completed
	first, err := p.branch(nested)
	if err != nil || p.token.kind != tokenAlternate {
		return first, err
	}
	// A group of one alternative cannot be referred to in the next.
	n := &node{op: opAlternate, subs: []*node{first}}
	completed := p.completed
	for p.token.kind == tokenAlternate {
		p.next(caretHere)
		p.completed = before
		sub, err := p.branch(nested)
		if err != nil {
			return nil, err
		}
		n.subs = append(n.subs, sub)
		completed |= p.completed
	}
	p.completed = completed
	return n, nil
}

func (p *posixParser) branch(nested bool) (*node, error) {
	var subs []*node
	for p.token.kind != tokenAlternate && p.token.kind != tokenEnd && (!nested || p.token.kind != tokenClose) {
		n, err := p.expression(nested)
		if err != nil {
			return nil, err
		}
		if n != nil {
			subs = append(subs, n)
		}
	}
	switch len(subs) {
	case 0:
		return emptyNode, nil
	case 1:
		return subs[0], nil
	}
	return &node{op: opConcat, subs: subs}, nil
}

func (p *posixParser) expression(nested bool) (*node, error) {
	var n *node
	t := p.token
	switch t.kind {
	case tokenTrailingBackslash:
		return nil, errEscape
	case tokenEnd, tokenAlternate:
		return emptyNode, nil
	case tokenOpen:
		sub, err := p.group()
		if err != nil {
			return nil, err
		}
		n = sub
	case tokenBracket:
		start := p.at
		s, err := p.bracket()
		if err != nil {
			return nil, err
		}
		n = &node{op: opSet, set: p.shared(p.text[start:start+p.token.size], func() *set { return s })}
	case tokenBackref:
		index := int(t.value - '0')
		if p.completed&(1<<index) == 0 {
			return nil, errSubReg
		}
		n = &node{op: opBackref, index: index, fold: p.fold != foldNone}
	case tokenAssert:
		// An operator after an anchor stands at a start: "^*" is a literal star.
		// For dfa.c, whose answer grep -E takes, it repeats the anchor.
		p.next(0)
		n = &node{op: opAssert, assert: t.assert}
		if p.bits&emptyDup == 0 || !p.token.isDup() {
			return n, nil
		}
		if t.value == '^' {
			p.warnStart(p.token)
		}
		return p.repeats(n)
	case tokenPeriod:
		n = &node{op: opSet, set: p.shared(".", p.dot)}
	case tokenClass:
		n = &node{op: opSet, set: p.shared(`\`+string(t.value), func() *set { return p.classEscape(t.value) })}
	case tokenOpenBrace, tokenStar, tokenPlus, tokenQuestion:
		if t.kind == tokenOpenBrace && p.bits&contextInvalidDup != 0 {
			return nil, errRepeat
		}
		if p.bits&contextInvalidOps != 0 {
			return nil, errRepeat
		}
		if p.bits&emptyDup != 0 {
			return p.emptyRepeat(t)
		}
		if p.bits&contextIndepOps != 0 {
			p.next(0)
			return p.expression(nested)
		}
		n = p.literal(t.value)
	case tokenClose:
		if p.bits&unmatchedParenOrd == 0 {
			return nil, errRightParen
		}
		n = p.literal(t.value)
	default:
		n = p.literal(t.value)
	}
	p.next(0)
	return p.repeats(n)
}

// emptyRepeat takes operators at the start of an expression as repeating
// nothing, as grep -E does.
func (p *posixParser) emptyRepeat(t token) (*node, error) {
	if t.kind == tokenOpenBrace {
		at := p.at
		n, err := p.interval(emptyNode)
		if err != nil {
			return nil, err
		}
		if n == nil {
			p.at = at
			p.token = token{kind: tokenCharacter, value: '{', size: 1}
			p.next(0)
			return p.repeats(p.literal('{'))
		}
	} else {
		p.next(0)
	}
	p.warnStart(t)
	return p.repeats(emptyNode)
}

// warnStart tells of an operator with nothing to repeat.
func (p *posixParser) warnStart(t token) {
	name := string(t.value)
	if t.kind == tokenOpenBrace {
		name = "{...}"
	}
	p.warnings = append(p.warnings, name+" at start of expression")
}

func (p *posixParser) repeats(n *node) (*node, error) {
	for p.token.isDup() {
		switch p.token.kind {
		case tokenStar:
			n = repeat(n, 0, infinite)
			p.next(0)
		case tokenPlus:
			n = repeat(n, 1, infinite)
			p.next(0)
		case tokenQuestion:
			n = repeat(n, 0, 1)
			p.next(0)
		case tokenOpenBrace:
			at := p.at
			r, err := p.interval(n)
			if err != nil {
				return nil, err
			}
			if r == nil {
				p.at = at
				p.token = token{kind: tokenCharacter, value: '{', size: 1}
				return n, nil
			}
			n = r
		}
		if p.bits&contextInvalidDup != 0 && (p.token.kind == tokenStar || p.token.kind == tokenOpenBrace) {
			return nil, errRepeat
		}
	}
	return n, nil
}

// repeat makes min to max of n; a repetition of a plain repetition is joined.
func repeat(n *node, min, max int) *node {
	if n.op == opEmpty {
		return n
	}
	if n.op == opRepeat && !n.lazy && n.max == infinite && n.min <= 1 && max == infinite && min <= 1 {
		return &node{op: opRepeat, min: n.min * min, max: infinite, subs: n.subs}
	}
	return &node{op: opRepeat, min: min, max: max, subs: []*node{n}}
}

// interval reads {M,N} after an opening brace; nil where it is no interval
// and the dialect then takes the brace literally.
func (p *posixParser) interval(n *node) (*node, error) {
	const bad = -2
	p.next(0)
	number := func() int {
		value := -1
		for {
			t := p.token
			if t.kind == tokenEnd {
				return bad
			}
			if t.kind == tokenCloseBrace || t.kind == tokenCharacter && t.value == ',' {
				return value
			}
			switch {
			case t.kind != tokenCharacter || t.value < '0' || t.value > '9' || value == bad:
				value = bad
			case value == -1:
				value = int(t.value - '0')
			default:
				value = min(maximumRepeat+1, value*10+int(t.value-'0'))
			}
			p.next(0)
		}
	}
	start := number()
	end := bad
	if start == -1 {
		if p.token.kind != tokenCharacter || p.token.value != ',' {
			return nil, errBadBrace
		}
		start = 0
	}
	if start != bad {
		switch {
		case p.token.kind == tokenCloseBrace:
			end = start
		case p.token.kind == tokenCharacter && p.token.value == ',':
			p.next(0)
			end = number()
		}
	}
	if start == bad || end == bad {
		if p.bits&invalidIntervalOrd != 0 {
			return nil, nil
		}
		if p.token.kind == tokenEnd {
			return nil, errBrace
		}
		return nil, errBadBrace
	}
	if end != -1 && start > end || p.token.kind != tokenCloseBrace {
		return nil, errBadBrace
	}
	if max(start, end) > maximumRepeat {
		return nil, ErrSize
	}
	p.next(0)
	return repeat(n, start, end), nil
}

func (p *posixParser) group() (*node, error) {
	if p.depth++; p.depth > maximumNesting {
		return nil, ErrSize
	}
	p.groups++
	index := p.groups
	p.next(caretHere)
	sub := emptyNode
	if p.token.kind != tokenClose {
		n, err := p.alternatives(true)
		if err != nil {
			return nil, err
		}
		if p.token.kind != tokenClose {
			return nil, errParen
		}
		sub = n
	}
	if index <= 9 {
		p.completed |= 1 << index
	}
	p.depth--
	return &node{op: opGroup, index: index, subs: []*node{sub}}, nil
}

func (p *posixParser) literal(r rune) *node {
	return foldedLiteral(r, p.fold)
}

// foldedLiteral is r, or the set of what equals it when case is ignored.
func foldedLiteral(r rune, rule foldRule) *node {
	n := literalNode(r)
	if rule == foldNone {
		return n
	}
	var b setBuilder
	rule.equivalents(r, func(o rune) { b.add(o, o) })
	if len(b.pairs) == 0 {
		return n
	}
	b.add(r, r)
	n.fold, n.set = true, b.set()
	return n
}

// last is the highest rune that "." and a complemented list take in.
func (o *Options) last() rune {
	if o.Bytes {
		return rawByte + 0xff
	}
	return rawByte - 1
}

// shared makes each list once: a class takes some KB.
func (p *posixParser) shared(text string, build func() *set) *set {
	if s, ok := p.sets[text]; ok {
		return s
	}
	if p.sets == nil {
		p.sets = map[string]*set{}
	}
	s := build()
	p.sets[text] = s
	return s
}

func (p *posixParser) dot() *set {
	var b setBuilder
	b.add(0, p.options.last())
	if p.options.Newline {
		b.remove('\n')
	}
	return b.set()
}

func (p *posixParser) classEscape(letter rune) *set {
	var b setBuilder
	if letter == 'w' || letter == 'W' {
		b.addClass("word", !p.options.Bytes)
	} else {
		b.addClass("space", !p.options.Bytes)
	}
	if letter == 'W' || letter == 'S' {
		b.negate(p.options.last())
	}
	return b.set()
}

// bracketElement is one item between brackets.
type bracketElement struct {
	kind byte // 0 a character, ':' a class, '=' an equivalence class
	r    rune
	name string
}

// bracket reads a bracket expression; the current token is its "[".
func (p *posixParser) bracket() (*set, error) {
	i := p.at + 1
	if i >= len(p.text) {
		return nil, errBadPattern
	}
	negative := p.text[i] == '^'
	if negative {
		if i++; i >= len(p.text) {
			return nil, errBadPattern
		}
	}
	content := i
	var b setBuilder
	plain := true
	for first := true; first || i >= len(p.text) || p.text[i] != ']'; first = false {
		e, next, err := p.bracketElement(i, first)
		if err != nil {
			return nil, err
		}
		i = next
		if i >= len(p.text) {
			return nil, errBracket
		}
		plain = plain && e.kind == 0
		isRange := false
		if e.kind != ':' && p.text[i] == '-' {
			if i+1 >= len(p.text) {
				return nil, errBracket
			}
			isRange = p.text[i+1] != ']'
		}
		if !isRange {
			if err := p.addElement(&b, e); err != nil {
				return nil, err
			}
			continue
		}
		plain = false
		end, next, err := p.bracketElement(i+1, true)
		if err != nil {
			return nil, err
		}
		i = next
		if e.kind != 0 || end.kind != 0 {
			return nil, errRange
		}
		wide := func(r rune) bool { return r >= utf8.RuneSelf && r < rawByte }
		if p.options.ASCIIRanges && (wide(e.r) || wide(end.r)) {
			return nil, errCollate
		}
		if e.r > end.r {
			if p.bits&posixCommon == 0 {
				continue
			}
			return nil, errRange
		}
		b.add(e.r, end.r)
	}
	if p.grepNames && plain {
		if body := p.text[content:i]; len(body) > 2 && body[0] == ':' && body[len(body)-1] == ':' && strings.Trim(body, ":") != "" {
			return nil, errColons
		}
	}
	b.fold(p.fold)
	if negative {
		b.negate(p.options.last())
		if p.options.Newline {
			b.remove('\n')
		}
	}
	p.token.size = i + 1 - p.at
	return b.set(), nil
}

// bracketElement reads the item at i. A hyphen that is neither first, last
// nor the end of a range is an error.
func (p *posixParser) bracketElement(i int, hyphen bool) (bracketElement, int, error) {
	if i >= len(p.text) {
		return bracketElement{}, i, errBracket
	}
	c := p.text[i]
	switch {
	case c == '\\' && p.bits&backslashInLists != 0 && i+1 < len(p.text):
		r, n := p.decode(i + 1)
		return bracketElement{r: r}, i + 1 + n, nil
	case c == '[' && i+1 < len(p.text):
		delimiter := p.text[i+1]
		if delimiter == '.' || delimiter == '=' || delimiter == ':' && p.bits&charClasses != 0 {
			end := strings.Index(p.text[i+2:], string(delimiter)+"]")
			if end < 0 || end > 31 {
				return bracketElement{}, i, errBracket
			}
			name := p.text[i+2 : i+2+end]
			e, err := p.symbol(delimiter, name)
			return e, i + 2 + end + 2, err
		}
	case c == '-' && !hyphen:
		if i+1 >= len(p.text) {
			return bracketElement{}, i, errBracket
		}
		if p.text[i+1] != ']' {
			return bracketElement{}, i, errRange
		}
	}
	r, n := p.decode(i)
	return bracketElement{r: r}, i + n, nil
}

// symbol resolves [.x.], [=x=] and [:name:]; the C locale names no collating
// element beyond the characters themselves.
func (p *posixParser) symbol(delimiter byte, name string) (bracketElement, error) {
	if delimiter == ':' {
		if !isPOSIXClass(name) {
			return bracketElement{}, errClass
		}
		return bracketElement{kind: ':', name: name}, nil
	}
	if name == "" {
		return bracketElement{}, errCollate
	}
	var r rune
	n := 1
	if c := name[0]; c < utf8.RuneSelf {
		r = rune(c)
	} else if p.options.Bytes {
		r = rawByte + rune(c)
	} else if r, n = utf8.DecodeRuneInString(name); n == 1 {
		r = rawByte + rune(c)
	}
	if n != len(name) {
		return bracketElement{}, errCollate
	}
	if delimiter == '=' {
		return bracketElement{kind: '=', r: r}, nil
	}
	return bracketElement{r: r}, nil
}

func (p *posixParser) addElement(b *setBuilder, e bracketElement) error {
	if e.kind != ':' {
		b.add(e.r, e.r)
		return nil
	}
	name := e.name
	if p.fold != foldNone && (name == "upper" || name == "lower") {
		name = "alpha"
	}
	b.addClass(name, !p.options.Bytes)
	return nil
}

// ParseBracket reads the bracket expression of a shell pattern at the start of
// pattern ("!" and "^" complement it, a backslash quotes). It gives a test for
// one character and the expression's size.
func ParseBracket(pattern string) (contains func(character string) bool, size int, err error) {
	p := &posixParser{options: &Options{}, text: pattern, bits: posixCommon | backslashInLists}
	if strings.HasPrefix(pattern, "[!") {
		p.text = "[^" + pattern[2:]
	}
	s, err := p.bracket()
	if err != nil {
		return nil, 0, err
	}
	return func(character string) bool {
		r, n := utf8.DecodeRuneInString(character)
		if r == utf8.RuneError && n == 1 {
			r = rawByte + rune(character[0])
		}
		return s.contains(r)
	}, p.token.size, nil
}
