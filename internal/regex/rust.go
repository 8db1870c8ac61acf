package regex

import (
	"strconv"
	"unicode"
	"unicode/utf8"
)

// rustParser reads the dialect of Rust's regex crate (rg's own): first the
// whole pattern as a tree that knows where its parts stand, since an error
// shows the place, then that tree as nodes.
type rustParser struct {
	text     string
	at       int
	extended bool // (?x) holds here
	depth    int
	names    []string
	spans    []rustSpan // of the groups' names
}

// rustSpan is a part of the pattern, in bytes.
type rustSpan struct{ start, end int }

type rustOp uint8

const (
	rustEmpty rustOp = iota
	rustFlags
	rustLiteral
	rustDot
	rustAssertion
	rustClass   // \d, \pL: in set
	rustBracket // […]: in set
	rustRepeat
	rustGroup
	rustAlternate
	rustConcat
)

type rustTree struct {
	op       rustOp
	span     rustSpan
	subs     []*rustTree
	r        rune // rustLiteral, rustAssertion: the letter
	raw      bool // rustLiteral: \xNN, a byte where Unicode is off
	flags    rustFlagSet
	index    int // rustGroup: 0 where it does not capture
	set      *rustSet
	min, max int
	lazy     bool
}

// rustFlagSet says of each flag letter whether it is turned on or off.
type rustFlagSet map[byte]bool

// rustNesting is how deep rg lets the parts of a pattern nest.
const rustNesting = 250

// rustRecursion bounds the parser's own recursion; what is nested deeper is
// reported without its end.
const rustRecursion = 4000

func (p *rustParser) more() bool { return p.at < len(p.text) }

func (p *rustParser) peek() rune {
	r, _ := utf8.DecodeRuneInString(p.text[p.at:])
	return r
}

// here is the empty span at the place reached, one that of its character.
func (p *rustParser) here() rustSpan { return rustSpan{p.at, p.at} }

func (p *rustParser) one() rustSpan {
	_, n := utf8.DecodeRuneInString(p.text[p.at:])
	return rustSpan{p.at, p.at + n}
}

// bump passes a character and says whether another follows.
func (p *rustParser) bump() bool {
	if p.more() {
		p.at = p.one().end
	}
	return p.more()
}

// bumpSpace is bump, and passes what (?x) makes insignificant.
func (p *rustParser) bumpSpace() bool {
	p.bump()
	p.space()
	return p.more()
}

func (p *rustParser) space() {
	for p.extended && p.more() {
		switch c := p.peek(); {
		case unicode.IsSpace(c):
			p.bump()
		case c == '#':
			for p.more() && p.peek() != '\n' {
				p.bump()
			}
		default:
			return
		}
	}
}

func (p *rustParser) has(prefix string) bool {
	return len(p.text)-p.at >= len(prefix) && p.text[p.at:p.at+len(prefix)] == prefix
}

func (p *rustParser) take(prefix string) bool {
	if !p.has(prefix) {
		return false
	}
	p.at += len(prefix)
	return true
}

func (p *rustParser) parse() (*rustTree, error) {
	n, err := p.alternatives(nil)
	if err != nil {
		return nil, err
	}
	return n, p.checkNesting(n, 0)
}

// alternatives reads what stands in a group, or the whole pattern.
func (p *rustParser) alternatives(group *rustTree) (*rustTree, error) {
	if p.depth++; p.depth > rustRecursion {
		return nil, p.fail(group.span, rustTooDeep)
	}
	defer func() { p.depth-- }()
	var branches []*rustTree
	start := p.at
	concat := &rustTree{op: rustConcat, span: rustSpan{p.at, p.at}}
	for {
		p.space()
		if !p.more() {
			if group != nil {
				return nil, p.fail(group.span, "unclosed group")
			}
			break
		}
		var err error
		switch c := p.peek(); c {
		case '(':
			err = p.group(concat)
		case ')':
			if group == nil {
				return nil, p.fail(p.one(), "unopened group")
			}
			concat.span.end = p.at
		case '|':
			concat.span.end = p.at
			branches = append(branches, concat.collapse())
			p.bump()
			concat = &rustTree{op: rustConcat, span: rustSpan{p.at, p.at}}
			continue
		case '[':
			var n *rustTree
			if n, err = p.bracket(); err == nil {
				concat.subs = append(concat.subs, n)
			}
		case '?', '*', '+':
			err = p.repetition(concat)
		case '{':
			err = p.counted(concat)
		default:
			var n *rustTree
			if n, err = p.primitive(); err == nil {
				concat.subs = append(concat.subs, n)
			}
		}
		if err != nil {
			return nil, err
		}
		if p.more() && p.peek() == ')' && group != nil {
			break
		}
	}
	concat.span.end = p.at
	last := concat.collapse()
	if branches == nil {
		return last, nil
	}
	return &rustTree{op: rustAlternate, span: rustSpan{start, p.at}, subs: append(branches, last)}, nil
}

// collapse gives a concatenation of none or one its simpler form.
func (t *rustTree) collapse() *rustTree {
	switch len(t.subs) {
	case 0:
		t.op = rustEmpty
	case 1:
		return t.subs[0]
	}
	return t
}

// group reads a group, or a setting of flags, into concat.
func (p *rustParser) group(concat *rustTree) error {
	open := p.one()
	p.bump()
	p.space()
	for _, look := range []string{"?=", "?!", "?<=", "?<!"} {
		if p.take(look) {
			return p.fail(rustSpan{open.start, p.at}, "look-around, including look-ahead and look-behind, is not supported")
		}
	}
	inner := p.here()
	n := &rustTree{op: rustGroup, span: open}
	outer := p.extended
	switch {
	case p.take("?P<"):
		if err := p.name(); err != nil {
			return err
		}
		n.index = len(p.names)
	case p.take("?"):
		if !p.more() {
			return p.fail(open, "unclosed group")
		}
		flags, err := p.readFlags()
		if err != nil {
			return err
		}
		end := p.peek()
		p.bump()
		x, set := flags['x']
		if end == ')' {
			if len(flags) == 0 {
				return p.fail(inner, "repetition operator missing expression")
			}
			if set {
				p.extended = x
			}
			concat.subs = append(concat.subs, &rustTree{op: rustFlags, span: rustSpan{open.start, p.at}, flags: flags})
			return nil
		}
		if n.flags = flags; set {
			p.extended = x
		}
	default:
		p.names = append(p.names, "")
		p.spans = append(p.spans, rustSpan{})
		n.index = len(p.names)
	}
	body, err := p.alternatives(n)
	if err != nil {
		return err
	}
	p.bump()
	p.extended = outer
	n.span.end = p.at
	n.subs = []*rustTree{body}
	concat.subs = append(concat.subs, n)
	return nil
}

func (p *rustParser) name() error {
	start := p.at
	for p.more() && p.peek() != '>' {
		c := p.peek()
		if !(c == '_' || c < utf8.RuneSelf && unicode.IsLetter(c) || p.at > start && ('0' <= c && c <= '9' || c == '.' || c == '[' || c == ']')) {
			return p.fail(p.one(), "invalid capture group character")
		}
		p.bump()
	}
	if !p.more() {
		return p.fail(p.here(), "unclosed capture group name")
	}
	span := rustSpan{start, p.at}
	p.bump()
	name := p.text[span.start:span.end]
	if name == "" {
		return p.fail(span, "empty capture group name")
	}
	for i, n := range p.names {
		if n == name {
			return p.fail(span, "duplicate capture group name", p.spans[i])
		}
	}
	p.names = append(p.names, name)
	p.spans = append(p.spans, span)
	return nil
}

// readFlags reads up to the ":" or ")" that ends flags.
func (p *rustParser) readFlags() (rustFlagSet, error) {
	flags := rustFlagSet{}
	places := map[rune]rustSpan{}
	on, dangling := true, false
	for {
		c := p.peek()
		if c == ':' || c == ')' {
			break
		}
		if c != '-' && (c >= utf8.RuneSelf || !isRustFlag(byte(c))) {
			return nil, p.fail(p.one(), "unrecognized flag")
		}
		if before, twice := places[c]; twice {
			if c == '-' {
				return nil, p.fail(p.one(), "flag negation operator repeated", before)
			}
			return nil, p.fail(p.one(), "duplicate flag", before)
		}
		places[c] = p.one()
		if dangling = c == '-'; dangling {
			on = false
		} else {
			flags[byte(c)] = on
		}
		if !p.bump() {
			return nil, p.fail(p.here(), "expected flag but got end of regex")
		}
	}
	if dangling {
		return nil, p.fail(places['-'], "dangling flag negation operator")
	}
	return flags, nil
}

func isRustFlag(c byte) bool {
	switch c {
	case 'i', 'm', 's', 'U', 'u', 'x':
		return true
	}
	return false
}

// repeated takes what a repetition operator stands after from concat.
func (p *rustParser) repeated(concat *rustTree) (*rustTree, error) {
	if n := len(concat.subs); n > 0 && concat.subs[n-1].op != rustEmpty && concat.subs[n-1].op != rustFlags {
		last := concat.subs[n-1]
		concat.subs = concat.subs[:n-1]
		return last, nil
	}
	return nil, p.fail(p.here(), "repetition operator missing expression")
}

func (p *rustParser) repetition(concat *rustTree) error {
	c := p.peek()
	sub, err := p.repeated(concat)
	if err != nil {
		return err
	}
	n := &rustTree{op: rustRepeat, max: infinite, subs: []*rustTree{sub}}
	switch c {
	case '?':
		n.max = 1
	case '+':
		n.min = 1
	}
	if p.bump() && p.peek() == '?' {
		n.lazy = true
		p.bump()
	}
	n.span = rustSpan{sub.span.start, p.at}
	concat.subs = append(concat.subs, n)
	return nil
}

func (p *rustParser) counted(concat *rustTree) error {
	const unclosed = "unclosed counted repetition"
	start := p.at
	sub, err := p.repeated(concat)
	if err != nil {
		return err
	}
	if !p.bumpSpace() {
		return p.fail(rustSpan{start, p.at}, unclosed)
	}
	n := &rustTree{op: rustRepeat, subs: []*rustTree{sub}}
	if n.min, err = p.decimal(); err != nil {
		return err
	}
	n.max = n.min
	if !p.more() {
		return p.fail(rustSpan{start, p.at}, unclosed)
	}
	if p.peek() == ',' {
		if !p.bumpSpace() {
			return p.fail(rustSpan{start, p.at}, unclosed)
		}
		n.max = infinite
		if p.peek() != '}' {
			if n.max, err = p.decimal(); err != nil {
				return err
			}
		}
	}
	if !p.more() || p.peek() != '}' {
		return p.fail(rustSpan{start, p.at}, unclosed)
	}
	if p.bumpSpace() && p.peek() == '?' {
		n.lazy = true
		p.bump()
	}
	if n.max != infinite && n.min > n.max {
		return p.fail(rustSpan{start, p.at}, "invalid repetition count range, the start must be <= the end")
	}
	n.span = rustSpan{sub.span.start, p.at}
	concat.subs = append(concat.subs, n)
	return nil
}

func (p *rustParser) decimal() (int, error) {
	for p.more() && unicode.IsSpace(p.peek()) {
		p.bump()
	}
	start := p.at
	digits := ""
	for p.more() && '0' <= p.peek() && p.peek() <= '9' {
		digits += string(p.peek())
		p.bumpSpace()
	}
	span := rustSpan{start, p.at}
	for p.more() && unicode.IsSpace(p.peek()) {
		p.bumpSpace()
	}
	if digits == "" {
		return 0, p.fail(span, "repetition quantifier expects a valid decimal")
	}
	n, err := strconv.ParseUint(digits, 10, 32)
	if err != nil {
		return 0, p.fail(span, "decimal literal invalid")
	}
	return int(n), nil
}

// primitive reads one character, or what a backslash makes.
func (p *rustParser) primitive() (*rustTree, error) {
	span := p.one()
	switch c := p.peek(); c {
	case '\\':
		return p.escape()
	case '.':
		p.bump()
		return &rustTree{op: rustDot, span: span}, nil
	case '^', '$':
		p.bump()
		return &rustTree{op: rustAssertion, span: span, r: c}, nil
	}
	return &rustTree{op: rustLiteral, span: span, r: p.literal()}, nil
}

// literal passes one character; a byte outside UTF-8 is itself.
func (p *rustParser) literal() rune {
	r, n := utf8.DecodeRuneInString(p.text[p.at:])
	if r == utf8.RuneError && n == 1 {
		r = rawByte + rune(p.text[p.at])
	}
	p.at += n
	return r
}

const rustEndsEarly = "incomplete escape sequence, reached end of pattern prematurely"

func (p *rustParser) escape() (*rustTree, error) {
	start := p.at
	if !p.bump() {
		return nil, p.fail(rustSpan{start, p.at}, rustEndsEarly)
	}
	c := p.peek()
	switch c {
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return nil, p.fail(rustSpan{start, p.one().end}, "backreferences are not supported")
	case 'x', 'u', 'U':
		return p.hexadecimal(start)
	case 'p', 'P':
		set, err := p.property(start)
		if err != nil {
			return nil, err
		}
		return &rustTree{op: rustClass, span: set.span, set: set}, nil
	}
	p.bump()
	span := rustSpan{start, p.at}
	literal := func(r rune) (*rustTree, error) { return &rustTree{op: rustLiteral, span: span, r: r}, nil }
	switch c {
	case 'd', 's', 'w', 'D', 'S', 'W':
		return &rustTree{op: rustClass, span: span, set: &rustSet{op: rustSetPerl, span: span, low: c | 0x20, negated: c < 'a'}}, nil
	case '\\', '.', '+', '*', '?', '(', ')', '|', '[', ']', '{', '}', '^', '$', '#', '&', '-', '~':
		return literal(c)
	case 'a':
		return literal('\a')
	case 'f':
		return literal('\f')
	case 't':
		return literal('\t')
	case 'n':
		return literal('\n')
	case 'r':
		return literal('\r')
	case 'v':
		return literal('\v')
	case 'A', 'z', 'b', 'B':
		return &rustTree{op: rustAssertion, span: span, r: c}, nil
	case ' ':
		if p.extended {
			return literal(' ')
		}
	}
	return nil, p.fail(span, "unrecognized escape sequence")
}

// hexadecimal reads what follows \x, \u and \U.
func (p *rustParser) hexadecimal(start int) (*rustTree, error) {
	count := map[rune]int{'x': 2, 'u': 4, 'U': 8}[p.peek()]
	if !p.bumpSpace() {
		return nil, p.fail(p.here(), rustEndsEarly)
	}
	brace := p.here()
	braced := p.peek() == '{'
	digits := ""
	var number rustSpan
	if braced {
		number.start = p.one().end
		for p.bumpSpace() && p.peek() != '}' {
			if !isHexadecimal(p.peek()) {
				return nil, p.fail(p.one(), "invalid hexadecimal digit")
			}
			digits += string(p.peek())
		}
		if number.end = p.at; !p.more() {
			return nil, p.fail(rustSpan{brace.start, p.at}, rustEndsEarly)
		}
		p.bumpSpace()
		if digits == "" {
			return nil, p.fail(rustSpan{brace.start, p.at}, "hexadecimal literal empty")
		}
	} else {
		number.start = p.at
		for i := range count {
			if i > 0 && !p.bumpSpace() {
				return nil, p.fail(p.here(), rustEndsEarly)
			}
			if !isHexadecimal(p.peek()) {
				return nil, p.fail(p.one(), "invalid hexadecimal digit")
			}
			digits += string(p.peek())
		}
		p.bumpSpace()
		number.end = p.at
	}
	n, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || n > unicode.MaxRune || n >= 0xd800 && n < 0xe000 {
		return nil, p.fail(number, "hexadecimal literal is not a Unicode scalar value")
	}
	return &rustTree{op: rustLiteral, span: rustSpan{start, p.at}, r: rune(n), raw: !braced && count == 2 || braced && n < 0x100}, nil
}

func isHexadecimal(r rune) bool {
	return '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'f' && r < utf8.RuneSelf
}

// checkNesting refuses what nests too deep, the first such part named.
func (p *rustParser) checkNesting(n *rustTree, depth int) error {
	switch n.op {
	case rustEmpty, rustFlags, rustLiteral, rustDot, rustAssertion, rustClass:
		return nil
	}
	if depth++; depth > rustNesting {
		return p.fail(n.span, rustTooDeep)
	}
	if n.op == rustBracket {
		return p.checkSetNesting(n.set.subs, depth)
	}
	for _, s := range n.subs {
		if err := p.checkNesting(s, depth); err != nil {
			return err
		}
	}
	return nil
}
