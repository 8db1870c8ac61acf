package regex

import (
	"errors"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// perlParser reads PCRE2's dialect (grep -P).
type perlParser struct {
	options *Options
	text    string
	at      int
	groups  int
	total   int // groups in the whole pattern, once counted
	names   []string
	flags   perlFlags
	depth   int
	sets    map[string]*set // of lists and escapes seen before
	quoting bool            // within \Q…\E
	calls   []perlCall
}

// perlCall is a call of a group, whose number may be known at the end only.
type perlCall struct {
	node *node
	at   int // where an error says it stands
}

type perlFlags struct{ fold, lines, dotAll, extended, extendedMore, ungreedy, noCapture bool }

var (
	errPerlParen      = fail("missing closing parenthesis")
	errPerlRight      = fail("unmatched closing parenthesis")
	errPerlBracket    = fail("missing terminating ] for character class")
	errPerlOrder      = fail("numbers out of order in {} quantifier")
	errPerlBig        = fail("number too big in {} quantifier")
	errPerlQuantifier = fail("quantifier does not follow a repeatable item")
	errPerlReference  = fail("reference to non-existent subpattern")
	errPerlEnd        = fail("\\ at end of pattern")
	errPerlBehind     = fail("lookbehind assertion is not fixed length")
	errPerlName       = fail("two named subpatterns have the same name (PCRE2_DUPNAMES not set)")
	errPerlFlag       = fail("unrecognized character after (? or (?-")
	errPerlClass      = fail("unknown POSIX class name")
	errPerlRange      = fail("range out of order in character class")
	errPerlRangeClass = fail("invalid range in character class")
	errPerlProperty   = fail("unknown property after \\P or \\p")
	errPerlLarge      = fail("character code point value in \\x{} or \\o{} is too large")
	errPerlControl    = fail("\\c at end of pattern")
	errPerlNameWanted = fail("subpattern name expected")
	errPerlNameEnd    = fail("syntax error in subpattern name (missing terminator?)")
	errPerlVerb       = fail("(*VERB) not recognized or malformed")
	errPerlComment    = fail("missing ) after (?# comment")
	errPerlK          = fail("\\k is not followed by a braced, angle-bracketed, or quoted name")
	errPerlUnknown    = fail("unrecognized character follows \\")
	errPerlCase       = fail("PCRE2 does not support \\F, \\L, \\l, \\N{name}, \\U, or \\u")
	errPerlRecursion  = fail("(?R (recursive pattern call) must be followed by a closing parenthesis")
	errPerlSize       = fail("regular expression is too large")
)

func (p *perlParser) rule() foldRule {
	switch {
	case !p.flags.fold:
		return foldNone
	case p.options.Bytes:
		return foldASCII
	}
	return foldPerl
}

func (p *perlParser) parse() (*node, error) {
	n, err := p.pattern()
	for _, call := range p.calls {
		if call.node.name != "" {
			call.node.index = p.nameIndex(call.node.name)
		}
		if err == nil && (call.node.index < 0 || call.node.index > p.groups || call.node.index == 0 && call.node.name != "") {
			p.at, err = call.at, errPerlReference
		}
	}
	var fault *Error
	if errors.As(err, &fault) {
		err = &Error{Text: fault.Text, Offset: p.at}
	}
	return n, err
}

func (p *perlParser) pattern() (*node, error) {
	p.flags = perlFlags{fold: p.options.IgnoreCase, lines: p.options.Newline, dotAll: p.options.DotAll}
	for strings.HasPrefix(p.text[p.at:], "(*") {
		end := strings.IndexByte(p.text[p.at:], ')')
		if end < 0 {
			break
		}
		switch p.text[p.at+2 : p.at+end] {
		case "UTF", "UTF8", "UCP", "LF", "NO_START_OPT", "NO_AUTO_POSSESS", "NO_JIT":
			p.at += end + 1
			continue
		}
		break
	}
	p.countGroups()
	n, err := p.alternatives()
	if err != nil {
		return nil, err
	}
	if p.at < len(p.text) {
		return nil, errPerlRight
	}
	return n, nil
}

// countGroups counts the capturing groups ahead, for references to later ones.
func (p *perlParser) countGroups() {
	in := false
	for i := p.at; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == '\\':
			i++
		case in:
			in = c != ']'
		case c == '[':
			in = true
			if i+1 < len(p.text) && p.text[i+1] == '^' {
				i++
			}
			if i+1 < len(p.text) && p.text[i+1] == ']' {
				i++
			}
		case c == '(':
			rest := p.text[i+1:]
			if !strings.HasPrefix(rest, "?") && !strings.HasPrefix(rest, "*") {
				p.total++
			} else if len(rest) > 2 && (rest[1] == '<' && rest[2] != '=' && rest[2] != '!' || rest[1] == '\'' || strings.HasPrefix(rest, "?P<")) {
				p.total++
			}
		}
	}
}

func (p *perlParser) more() bool { return p.at < len(p.text) }

func (p *perlParser) peekByte() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *perlParser) take(prefix string) bool {
	if strings.HasPrefix(p.text[p.at:], prefix) {
		p.at += len(prefix)
		return true
	}
	return false
}

func (p *perlParser) rune() rune {
	c := p.text[p.at]
	if c < utf8.RuneSelf {
		p.at++
		return rune(c)
	}
	if p.options.Bytes {
		p.at++
		return rawByte + rune(c)
	}
	r, n := utf8.DecodeRuneInString(p.text[p.at:])
	p.at += n
	if n == 1 {
		r = rawByte + rune(c)
	}
	return r
}

func (p *perlParser) alternatives() (*node, error) {
	if p.depth++; p.depth > maximumNesting {
		return nil, errPerlSize
	}
	defer func() { p.depth-- }()
	var subs []*node
	for {
		n, err := p.branch()
		if err != nil {
			return nil, err
		}
		subs = append(subs, n)
		if p.quoting || p.peekByte() != '|' || !p.more() {
			break
		}
		p.at++
	}
	if len(subs) == 1 {
		return subs[0], nil
	}
	return &node{op: opAlternate, subs: subs}, nil
}

// skip passes what (?x) makes insignificant, comments, and \E.
func (p *perlParser) skip() error {
	for p.more() && !p.quoting {
		switch c := p.peekByte(); {
		case p.flags.extended && (c == ' ' || c >= '\t' && c <= '\r'):
			p.at++
		case p.flags.extended && c == '#':
			i := strings.IndexByte(p.text[p.at:], '\n')
			if i < 0 {
				i = len(p.text) - p.at - 1
			}
			p.at += i + 1
		case strings.HasPrefix(p.text[p.at:], "(?#"):
			i := strings.IndexByte(p.text[p.at:], ')')
			if i < 0 {
				p.at = len(p.text)
				return errPerlComment
			}
			p.at += i + 1
		case strings.HasPrefix(p.text[p.at:], `\E`):
			p.at += 2
		default:
			return nil
		}
	}
	return nil
}

func (p *perlParser) branch() (*node, error) {
	var subs []*node
	for {
		if err := p.skip(); err != nil {
			return nil, err
		}
		if !p.more() {
			break
		}
		if c := p.peekByte(); !p.quoting && (c == '|' || c == ')') {
			break
		}
		n, repeatable, err := p.item()
		if err != nil {
			return nil, err
		}
		if n == nil {
			continue
		}
		if n, err = p.quantified(n, repeatable); err != nil {
			return nil, err
		}
		subs = append(subs, n)
	}
	switch len(subs) {
	case 0:
		return emptyNode, nil
	case 1:
		return subs[0], nil
	}
	return &node{op: opConcat, subs: subs}, nil
}

// quantified reads the quantifier that follows n, if any.
func (p *perlParser) quantified(n *node, repeatable bool) (*node, error) {
	for first := true; ; first = false {
		if err := p.skip(); err != nil {
			return nil, err
		}
		if p.quoting || !p.more() {
			return n, nil
		}
		least, most, start := 0, 0, p.at
		switch p.peekByte() {
		case '*':
			least, most = 0, infinite
			p.at++
		case '+':
			least, most = 1, infinite
			p.at++
		case '?':
			least, most = 0, 1
			p.at++
		case '{':
			size := 0
			var err error
			if least, most, size, err = p.braces(); err != nil {
				p.at += size - 1
				return nil, err
			}
			if size == 0 {
				return n, nil
			}
			p.at += size
		default:
			return n, nil
		}
		if !repeatable || !first {
			p.at = start
			return nil, errPerlQuantifier
		}
		r := &node{op: opRepeat, min: least, max: most, subs: []*node{n}, lazy: p.flags.ungreedy}
		if n.op == opEmpty {
			r.min, r.max = 0, 1
		}
		n = r
		switch p.peekByte() {
		case '?':
			p.at++
			r.lazy = !r.lazy
		case '+':
			p.at++
			n = &node{op: opAtomic, subs: []*node{r}}
		}
	}
}

// braces reads {n}, {n,} or {n,m} without passing it; size 0 is none.
func (p *perlParser) braces() (least, most, size int, err error) {
	rest := p.text[p.at:]
	end := strings.IndexByte(rest, '}')
	if end < 0 {
		return 0, 0, 0, nil
	}
	body := rest[1:end]
	low, high, comma := strings.Cut(body, ",")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	if !digits(low) || comma && high != "" && !digits(high) {
		return 0, 0, 0, nil
	}
	number := func(s string) int {
		n, e := strconv.Atoi(s)
		if e != nil || n > 65535 {
			err = errPerlBig
		}
		return n
	}
	least = number(low)
	most = least
	if comma {
		if most = infinite; high != "" {
			most = number(high)
		}
	}
	if err == nil && most != infinite && least > most {
		err = errPerlOrder
	}
	return least, most, end + 1, err
}

func (p *perlParser) literal(r rune) *node { return foldedLiteral(r, p.rule()) }

func (p *perlParser) setNode(build func(*setBuilder)) *node {
	var b setBuilder
	build(&b)
	return &node{op: opSet, set: b.set()}
}

// item reads one item; nil where it was none (a flag setting).
func (p *perlParser) item() (n *node, repeatable bool, err error) {
	if p.quoting {
		if p.take(`\E`) {
			p.quoting = false
			return nil, false, nil
		}
		return p.literal(p.rune()), true, nil
	}
	switch c := p.peekByte(); c {
	case '(':
		return p.group()
	case '[':
		start := p.at
		n, err = p.bracket()
		return p.share(n, start), true, err
	case '.':
		p.at++
		return p.setNode(func(b *setBuilder) {
			b.add(0, p.options.last())
			if !p.flags.dotAll {
				b.remove('\n')
			}
		}), true, nil
	case '^':
		p.at++
		if p.flags.lines {
			return &node{op: opAssert, assert: assertLineStart}, false, nil
		}
		return &node{op: opAssert, assert: assertTextStart}, false, nil
	case '$':
		p.at++
		switch {
		case p.flags.lines:
			return &node{op: opAssert, assert: assertLineEnd}, false, nil
		case p.options.DollarNewline:
			return &node{op: opAssert, assert: assertTextEndNewline}, false, nil
		}
		return &node{op: opAssert, assert: assertTextEnd}, false, nil
	case '*', '+', '?':
		return nil, false, errPerlQuantifier
	case '{':
		if _, _, size, e := p.braces(); size > 0 {
			if e != nil {
				p.at += size - 1
				return nil, false, e
			}
			return nil, false, errPerlQuantifier
		}
	case '\\':
		start := p.at
		n, repeatable, err = p.escape()
		return p.share(n, start), repeatable, err
	}
	return p.literal(p.rune()), true, nil
}

// share lets equal lists be one set: a class takes some KB.
func (p *perlParser) share(n *node, start int) *node {
	if n == nil || n.op != opSet {
		return n
	}
	key := p.text[start:p.at]
	if p.flags.fold {
		key += "\x00i"
	}
	if s, ok := p.sets[key]; ok {
		n.set = s
		return n
	}
	if p.sets == nil {
		p.sets = map[string]*set{}
	}
	p.sets[key] = n.set
	return n
}

// escape reads a backslash sequence outside brackets.
func (p *perlParser) escape() (*node, bool, error) {
	p.at++
	if !p.more() {
		return nil, false, errPerlEnd
	}
	assert := func(a assertion) (*node, bool, error) {
		p.at++
		return &node{op: opAssert, assert: a}, false, nil
	}
	c := p.peekByte()
	switch c {
	case 'A':
		return assert(assertTextStart)
	case 'z':
		return assert(assertTextEnd)
	case 'b':
		return assert(assertWordBoundary)
	case 'B':
		return assert(assertNotWordBoundary)
	}
	if b, ok, err := p.classEscape(false); ok || err != nil {
		if err != nil {
			return nil, false, err
		}
		b.fold(p.rule())
		return &node{op: opSet, set: b.set()}, true, nil
	}
	switch c {
	case 'Z':
		return assert(assertTextEndNewline)
	case 'G':
		return assert(assertTextStart)
	case 'K':
		p.at++
		return &node{op: opKeep}, false, nil
	case 'Q':
		p.at++
		p.quoting = true
		return nil, false, nil
	case 'N':
		if !strings.HasPrefix(p.text[p.at:], "N{U+") {
			p.at++
			return p.setNode(func(b *setBuilder) { b.add(0, p.options.last()); b.remove('\n') }), true, nil
		}
	case 'C':
		p.at++
		return p.setNode(func(b *setBuilder) { b.add(0, rawByte+0xff) }), true, nil
	case 'R':
		p.at++
		one := p.setNode(func(b *setBuilder) { b.add('\n', '\r'); b.add(0x85, 0x85); b.add(0x2028, 0x2029) })
		return &node{op: opAtomic, subs: []*node{{op: opAlternate, subs: []*node{concat(literalNode('\r'), literalNode('\n')), one}}}}, true, nil
	case 'X':
		p.at++
		mark := p.setNode(func(b *setBuilder) { b.addTable(unicode.M); b.add(0x200d, 0x200d) })
		any := p.setNode(func(b *setBuilder) { b.add(0, p.options.last()) })
		body := concat(any, &node{op: opRepeat, max: infinite, subs: []*node{mark}})
		return &node{op: opAtomic, subs: []*node{{op: opAlternate, subs: []*node{concat(literalNode('\r'), literalNode('\n')), body}}}}, true, nil
	case 'k':
		p.at++
		for _, pair := range []string{"<>", "''", "{}"} {
			if p.peekByte() == pair[0] {
				p.at++
				return p.namedReference(pair[1])
			}
		}
		return nil, false, errPerlK
	case 'g':
		p.at++
		return p.gReference()
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		end := p.at
		for end < len(p.text) && p.text[end] >= '0' && p.text[end] <= '9' {
			end++
		}
		number, _ := strconv.Atoi(p.text[p.at:end])
		if number <= 9 || number <= p.total || c >= '8' {
			start := p.at
			p.at = end
			return p.reference(number, start)
		}
	}
	r, err := p.character(false)
	if err != nil {
		return nil, false, err
	}
	return p.literal(r), true, nil
}

// reference is a back-reference; start is where an error says it stands.
func (p *perlParser) reference(number, start int) (*node, bool, error) {
	if number < 1 || number > p.total {
		p.at = start
		return nil, false, errPerlReference
	}
	return &node{op: opBackref, index: number, fold: p.flags.fold}, true, nil
}

func (p *perlParser) namedReference(closing byte) (*node, bool, error) {
	start := p.at
	end := strings.IndexByte(p.text[p.at:], closing)
	if end < 0 {
		return nil, false, errPerlNameEnd
	}
	name := p.text[p.at : p.at+end]
	p.at += end + 1
	return p.reference(p.nameIndex(name), start)
}

func (p *perlParser) nameIndex(name string) int {
	for i, n := range p.names {
		if n == name && n != "" {
			return i + 1
		}
	}
	return 0
}

func (p *perlParser) gReference() (*node, bool, error) {
	if c := p.peekByte(); c == '<' || c == '\'' {
		p.at++
		if c == '<' {
			c = '>'
		}
		return p.call(c)
	}
	end := p.at
	var body string
	if p.peekByte() == '{' {
		i := strings.IndexByte(p.text[p.at:], '}')
		if i < 0 {
			return nil, false, errPerlNameEnd
		}
		body = p.text[p.at+1 : p.at+i]
		end = p.at + i + 1
	} else {
		for end < len(p.text) && (p.text[end] >= '0' && p.text[end] <= '9' || end == p.at && (p.text[end] == '-' || p.text[end] == '+')) {
			end++
		}
		body = p.text[p.at:end]
	}
	start := p.at
	if p.peekByte() == '{' {
		start++
	}
	p.at = end
	number, err := strconv.Atoi(body)
	if err != nil {
		number = p.nameIndex(body)
	} else if strings.HasPrefix(body, "-") {
		number += p.groups + 1
	} else if strings.HasPrefix(body, "+") {
		number += p.groups
	}
	return p.reference(number, start)
}

// classEscape reads \d and the like, \p and \P; ok is false where none stands.
func (p *perlParser) classEscape(inClass bool) (b setBuilder, ok bool, err error) {
	wide := p.options.Unicode && !p.options.Bytes
	c := p.peekByte()
	negative := c >= 'A' && c <= 'Z'
	switch c | 0x20 {
	case 'd':
		if wide {
			b.addTable(unicode.Nd)
		} else {
			b.add('0', '9')
		}
	case 'w':
		b.addClass("word", wide)
		if wide {
			b.addTable(unicode.M)
			b.addTable(unicode.Pc)
		}
	case 's':
		if wide {
			b.addTable(unicode.White_Space)
		} else {
			b.addClass("space", false)
		}
	case 'h':
		for _, r := range []rune{'\t', ' ', 0xa0, 0x1680, 0x180e, 0x202f, 0x205f, 0x3000} {
			b.add(r, r)
		}
		b.add(0x2000, 0x200a)
	case 'v':
		b.add('\n', '\r')
		b.add(0x85, 0x85)
		b.add(0x2028, 0x2029)
	case 'p':
		p.at++
		name := ""
		if p.peekByte() == '{' {
			end := strings.IndexByte(p.text[p.at:], '}')
			if end < 0 {
				p.at = len(p.text)
				return b, false, fail("malformed \\P or \\p sequence")
			}
			name = p.text[p.at+1 : p.at+end]
			p.at += end
		} else if p.more() {
			name = p.text[p.at : p.at+1]
		}
		if !p.more() {
			return b, false, fail("malformed \\P or \\p sequence")
		}
		if rest, found := strings.CutPrefix(name, "^"); found {
			negative = !negative
			name = rest
		}
		if !addProperty(&b, name) {
			p.at++
			return b, false, errPerlProperty
		}
	default:
		return b, false, nil
	}
	p.at++
	if negative {
		b.fold(p.rule())
		b.negate(p.options.last())
		// grep 3.8's PCRE2, matching text that may not be UTF-8, lets \D, \S
		// and \W take no character beyond ASCII, though [^\w] does.
		if !wide && !inClass && strings.IndexByte("DSW", c) >= 0 {
			b.pairs = intersect(b.pairs, []rune{0, 0x7f})
		}
	}
	return b, true, nil
}

// addProperty adds a Unicode category or script, or one of PCRE's own names.
func addProperty(b *setBuilder, name string) bool {
	name = strings.NewReplacer(" ", "", "_", "", "-", "").Replace(name)
	switch name {
	case "L&":
		b.addTable(unicode.Lu)
		b.addTable(unicode.Ll)
		b.addTable(unicode.Lt)
		return true
	case "Any":
		b.add(0, unicode.MaxRune)
		return true
	case "Xan", "Xwd":
		b.addTable(unicode.L)
		b.addTable(unicode.N)
		if name == "Xwd" {
			b.add('_', '_')
		}
		return true
	case "Xsp", "Xps":
		b.addTable(unicode.Z)
		b.add('\t', '\r')
		return true
	}
	for _, tables := range []map[string]*unicode.RangeTable{unicode.Categories, unicode.Scripts, unicode.Properties} {
		if t, ok := tables[name]; ok {
			b.addTable(t)
			return true
		}
		for n, t := range tables {
			if strings.EqualFold(strings.ReplaceAll(n, "_", ""), name) {
				b.addTable(t)
				return true
			}
		}
	}
	long := map[string]string{"letter": "L", "uppercaseletter": "Lu", "lowercaseletter": "Ll", "number": "N", "punctuation": "P", "symbol": "S", "separator": "Z", "mark": "M", "uppercase": "Lu", "lowercase": "Ll", "alphabetic": "L", "emoji": "So"}
	if short, ok := long[strings.ToLower(name)]; ok {
		b.addTable(unicode.Categories[short])
		return true
	}
	return false
}

// character reads what follows a backslash as one character.
func (p *perlParser) character(inClass bool) (rune, error) {
	c := p.peekByte()
	if c >= utf8.RuneSelf {
		return p.rune(), nil
	}
	p.at++
	switch c {
	case 'n':
		return '\n', nil
	case 't':
		return '\t', nil
	case 'r':
		return '\r', nil
	case 'f':
		return '\f', nil
	case 'a':
		return '\a', nil
	case 'e':
		return 0x1b, nil
	case 'b':
		if inClass {
			return '\b', nil
		}
	case 'c':
		if !p.more() {
			return 0, errPerlControl
		}
		x := p.peekByte()
		p.at++
		if x >= 'a' && x <= 'z' {
			x -= 0x20
		}
		return rune(x ^ 0x40), nil
	case 'x':
		if p.peekByte() == '{' {
			return p.braced(16)
		}
		return p.digits(16, 2), nil
	case 'o':
		if p.peekByte() == '{' {
			return p.braced(8)
		}
		p.at--
		return 0, fail("missing opening brace after \\o")
	case 'N':
		if p.take("{U+") {
			p.at--
			return p.braced(16)
		}
	case '0', '1', '2', '3', '4', '5', '6', '7':
		p.at--
		return p.digits(8, 3), nil
	case '8', '9':
		return rune(c), nil
	}
	if c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
		if strings.IndexByte("FLlUuN", c) >= 0 {
			return 0, errPerlCase
		}
		p.at--
		return 0, errPerlUnknown
	}
	return rune(c), nil
}

// digits reads up to count digits of base.
func (p *perlParser) digits(base, count int) rune {
	end := p.at
	for end < len(p.text) && end-p.at < count && strings.IndexByte("0123456789abcdefABCDEF"[:map[int]int{8: 8, 16: 22}[base]], p.text[end]) >= 0 {
		end++
	}
	n, _ := strconv.ParseUint(p.text[p.at:end], base, 32)
	p.at = end
	return rune(min(n, unicode.MaxRune))
}

// braced reads {digits}.
func (p *perlParser) braced(base int) (rune, error) {
	p.at++
	n := 0
	for ; ; p.at++ {
		digit := 99
		if p.more() {
			switch c := p.peekByte(); {
			case c == '}':
				if p.text[p.at-1] == '{' {
					break
				}
				p.at++
				return rune(n), nil
			case c >= '0' && c <= '9':
				digit = int(c - '0')
			case c|0x20 >= 'a' && c|0x20 <= 'f':
				digit = int(c|0x20-'a') + 10
			}
		}
		switch {
		case digit < base:
		case base == 8:
			return 0, fail("non-octal character in \\o{} (closing brace missing?)")
		default:
			return 0, fail("non-hex character in \\x{} (closing brace missing?)")
		}
		if n = n*base + digit; n > unicode.MaxRune {
			p.at++
			return 0, errPerlLarge
		}
	}
}
