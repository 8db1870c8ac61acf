package regex

import (
	"strconv"
	"strings"
)

// group reads a parenthesis and what it holds.
func (p *perlParser) group() (*node, bool, error) {
	p.at++
	if p.take("*") {
		return p.verb()
	}
	if !p.take("?") {
		if p.flags.noCapture {
			n, err := p.closed(p.alternatives)
			return n, true, err
		}
		return p.capture("")
	}
	if !p.more() {
		return nil, false, errPerlParen
	}
	switch {
	case p.take(":"):
		n, err := p.closed(p.alternatives)
		return wrap(n), true, err
	case p.take("P<"), p.take("<") && !strings.HasPrefix(p.text[p.at:], "=") && !strings.HasPrefix(p.text[p.at:], "!"):
		return p.named('>')
	}
	if p.text[p.at-1] == '<' {
		p.at--
	}
	switch {
	case p.take("'"):
		return p.named('\'')
	case p.take("="):
		return p.look(false, false)
	case p.take("!"):
		return p.look(false, true)
	case p.take("<="):
		return p.look(true, false)
	case p.take("<!"):
		return p.look(true, true)
	case p.take(">"):
		n, err := p.closed(p.alternatives)
		return &node{op: opAtomic, subs: []*node{n}}, true, err
	case p.take("|"):
		n, err := p.closed(p.branchReset)
		return wrap(n), true, err
	case p.take("("):
		return p.conditional()
	case p.take("P="):
		return p.namedReference(')')
	case p.take("R"):
		if p.peekByte() != ')' {
			return nil, false, errPerlRecursion
		}
		p.at++
		return p.called(&node{op: opCall}, p.at-1)
	case p.take("&"), p.take("P>"):
		return p.call(')')
	}
	if c := p.peekByte(); c >= '0' && c <= '9' || c == '+' || c == '-' && p.at+1 < len(p.text) && p.text[p.at+1] >= '0' && p.text[p.at+1] <= '9' {
		return p.call(')')
	}
	return p.inlineFlags()
}

// call reads the name or number of a group that is run here.
func (p *perlParser) call(closing byte) (*node, bool, error) {
	start := p.at
	end := start
	for end < len(p.text) && p.text[end] != closing && (isWordASCII(rune(p.text[end])) || end == start && (p.text[end] == '+' || p.text[end] == '-')) {
		end++
	}
	text := p.text[start:end]
	p.at = end
	switch {
	case text == "":
		return nil, false, errPerlNameWanted
	case end >= len(p.text) || p.text[end] != closing:
		return nil, false, errPerlNameEnd
	}
	p.at++
	n := &node{op: opCall}
	number, err := strconv.Atoi(strings.TrimLeft(text, "+-"))
	switch {
	case err != nil:
		n.name = text
		return p.called(n, start)
	case text[0] == '+':
		number += p.groups
	case text[0] == '-':
		if number = p.groups + 1 - number; number < 1 {
			number = -1
		}
	}
	n.index = number
	return p.called(n, end)
}

func (p *perlParser) called(n *node, at int) (*node, bool, error) {
	p.calls = append(p.calls, perlCall{n, at})
	return n, true, nil
}

// wrap keeps a group's alternatives together without capturing.
func wrap(n *node) *node {
	if n != nil && n.op == opEmpty {
		return &node{op: opConcat}
	}
	return n
}

// closed reads a group's body with its own flags, and its closing parenthesis.
func (p *perlParser) closed(body func() (*node, error)) (*node, error) {
	flags := p.flags
	n, err := body()
	if err != nil {
		return nil, err
	}
	p.flags = flags
	if p.quoting || p.peekByte() != ')' || !p.more() {
		return nil, errPerlParen
	}
	p.at++
	return n, nil
}

func (p *perlParser) capture(name string) (*node, bool, error) {
	p.groups++
	index := p.groups
	for len(p.names) < index {
		p.names = append(p.names, "")
	}
	if name != "" {
		p.names[index-1] = name
	}
	n, err := p.closed(p.alternatives)
	if err != nil {
		return nil, false, err
	}
	return &node{op: opGroup, index: index, subs: []*node{n}}, true, nil
}

func (p *perlParser) named(closing byte) (*node, bool, error) {
	end := p.at
	for end < len(p.text) && isWordASCII(rune(p.text[end])) {
		end++
	}
	name := p.text[p.at:end]
	switch {
	case name == "":
		return nil, false, errPerlNameWanted
	case end >= len(p.text) || p.text[end] != closing:
		p.at = end
		return nil, false, errPerlNameEnd
	case name[0] >= '0' && name[0] <= '9':
		return nil, false, fail("subpattern name must start with a non-digit")
	case p.nameIndex(name) > 0:
		p.at = end + 1
		return nil, false, errPerlName
	}
	p.at = end + 1
	return p.capture(name)
}

func (p *perlParser) look(behind, negative bool) (*node, bool, error) {
	start := p.at - len("(?=")
	if behind {
		start--
	}
	n, err := p.closed(p.alternatives)
	if err != nil {
		return nil, false, err
	}
	look := &node{op: opLook, behind: behind, negative: negative, subs: []*node{n}}
	if behind && lookbehindLengths(n) == nil {
		p.at = start
		return nil, false, errPerlBehind
	}
	return look, true, nil
}

// branchReset gives each alternative the same group numbers.
func (p *perlParser) branchReset() (*node, error) {
	first, most := p.groups, p.groups
	var subs []*node
	for {
		p.groups = first
		n, err := p.branch()
		if err != nil {
			return nil, err
		}
		subs = append(subs, n)
		most = max(most, p.groups)
		if p.peekByte() != '|' || !p.more() {
			break
		}
		p.at++
	}
	p.groups = most
	return &node{op: opAlternate, subs: subs}, nil
}

// conditional reads (?(n)yes|no), (?(<name>)…) and (?(assertion)…).
func (p *perlParser) conditional() (*node, bool, error) {
	if p.peekByte() == '?' {
		p.at--
		test, _, err := p.group()
		if err != nil {
			return nil, false, err
		}
		if test == nil || test.op != opLook {
			return nil, false, fail("assertion expected after (?( or (?(?C)")
		}
		yes, no, err := p.twoBranches()
		if err != nil {
			return nil, false, err
		}
		opposite := *test
		opposite.negative = !test.negative
		return &node{op: opAlternate, subs: []*node{concat(test, yes), concat(&opposite, no)}}, true, nil
	}
	end := strings.IndexByte(p.text[p.at:], ')')
	if end < 0 {
		return nil, false, errPerlParen
	}
	name := strings.Trim(p.text[p.at:p.at+end], "<>'")
	p.at += end + 1
	if name == "DEFINE" && p.nameIndex(name) == 0 {
		body, no, err := p.twoBranches()
		if err != nil {
			return nil, false, err
		}
		if no != emptyNode {
			return nil, false, fail("DEFINE subpattern contains more than one branch")
		}
		// Never tried where it stands, but there to be called.
		return &node{op: opAlternate, subs: []*node{concat(&node{op: opFail}, body), emptyNode}}, true, nil
	}
	number, err := strconv.Atoi(name)
	if err != nil {
		number = p.nameIndex(name)
	}
	if number < 1 || number > p.total {
		p.at -= len(p.text[:p.at]) - strings.LastIndexByte(p.text[:p.at], '(')
		return nil, false, errPerlReference
	}
	yes, no, err := p.twoBranches()
	if err != nil {
		return nil, false, err
	}
	return &node{op: opConditional, index: number, subs: []*node{yes, no}}, true, nil
}

func (p *perlParser) twoBranches() (yes, no *node, err error) {
	n, err := p.closed(p.alternatives)
	if err != nil {
		return nil, nil, err
	}
	if n.op != opAlternate {
		return n, emptyNode, nil
	}
	if len(n.subs) > 2 {
		return nil, nil, fail("conditional subpattern contains more than two branches")
	}
	return n.subs[0], n.subs[1], nil
}

// verb reads (*NAME); only those that fail or accept at once are known.
func (p *perlParser) verb() (*node, bool, error) {
	end := strings.IndexByte(p.text[p.at:], ')')
	if end < 0 {
		p.at = len(p.text)
		return nil, false, errPerlVerb
	}
	name := p.text[p.at : p.at+end]
	switch name {
	case "F", "FAIL":
		p.at += end + 1
		return &node{op: opFail}, false, nil
	case "ACCEPT", "COMMIT", "PRUNE", "SKIP", "THEN":
		return nil, false, fail("(*" + name + ") is not supported")
	}
	p.at += end
	return nil, false, errPerlVerb
}

// inlineFlags reads (?ims-x) and (?ims-x:…).
func (p *perlParser) inlineFlags() (*node, bool, error) {
	saved := p.flags
	on := true
	for ; p.more(); p.at++ {
		switch c := p.peekByte(); c {
		case '^':
			p.flags = perlFlags{}
		case '-':
			on = false
		case 'i':
			p.flags.fold = on
		case 'm':
			p.flags.lines = on
		case 's':
			p.flags.dotAll = on
		case 'x':
			p.flags.extended = on
		case 'n':
			p.flags.noCapture = on
		case 'U':
			p.flags.ungreedy = on
		case 'J', 'u':
		case ')':
			p.at++
			return nil, false, nil
		case ':':
			p.at++
			inner := p.flags
			p.flags = saved
			n, err := p.closed(func() (*node, error) {
				p.flags = inner
				return p.alternatives()
			})
			return wrap(n), true, err
		default:
			return nil, false, errPerlFlag
		}
	}
	return nil, false, errPerlParen
}

// bracket reads a character class.
func (p *perlParser) bracket() (*node, error) {
	b, err := p.classBody()
	if err != nil {
		return nil, err
	}
	return &node{op: opSet, set: b.set()}, nil
}

func (p *perlParser) classBody() (*setBuilder, error) {
	if p.depth++; p.depth > maximumNesting {
		return nil, errPerlSize
	}
	defer func() { p.depth-- }()
	p.at++
	negative := p.take("^")
	var b setBuilder
	quoting := false
	for first := true; ; first = false {
		if !p.more() {
			return nil, errPerlBracket
		}
		c := p.peekByte()
		if quoting {
			if p.take(`\E`) {
				quoting = false
				continue
			}
			r := p.rune()
			b.add(r, r)
			continue
		}
		if c == ']' && !first {
			p.at++
			break
		}
		if p.take(`\Q`) || p.take(`\E`) {
			quoting = p.text[p.at-1] == 'Q'
			continue
		}
		low, class, err := p.classItem(&b)
		if err != nil {
			return nil, err
		}
		rest := p.text[p.at:]
		if len(rest) < 2 || rest[0] != '-' || rest[1] == ']' {
			if !class {
				b.add(low, low)
			}
			continue
		}
		if class {
			// A hyphen after a class is itself, unless a range seems meant.
			if rest[1] != '[' {
				return nil, errPerlRangeClass
			}
			continue
		}
		p.at++
		at := p.at
		high, class, err := p.classItem(&b)
		if err != nil {
			return nil, err
		}
		if class {
			if p.text[at] == '\\' {
				return nil, errPerlRangeClass
			}
			b.add(low, low)
			b.add('-', '-')
			continue
		}
		if low > high {
			p.at--
			return nil, errPerlRange
		}
		b.add(low, high)
	}
	b.fold(p.rule())
	if negative {
		b.negate(p.options.last())
	}
	return &b, nil
}

// classItem reads a character, or adds a class to b.
func (p *perlParser) classItem(b *setBuilder) (r rune, class bool, err error) {
	rest := p.text[p.at:]
	switch {
	case len(rest) > 1 && rest[0] == '[' && (rest[1] == ':' || rest[1] == '.' || rest[1] == '='):
		end := strings.Index(rest[2:], string(rest[1])+"]")
		if end < 0 || strings.IndexByte(rest[2:2+end], ']') >= 0 || strings.IndexByte(rest[2:2+end], '\\') >= 0 {
			break
		}
		if rest[1] != ':' {
			return 0, false, fail("POSIX collating elements are not supported")
		}
		name, negative := strings.CutPrefix(rest[2:2+end], "^")
		var inner setBuilder
		if p.flags.fold && (name == "upper" || name == "lower") {
			name = "alpha"
		}
		if !inner.addClass(name, false) {
			p.at += 2
			if negative {
				p.at++
			}
			return 0, false, errPerlClass
		}
		if negative {
			inner.negate(p.options.last())
		}
		b.pairs = append(b.pairs, inner.pairs...)
		p.at += 2 + end + 2
		return 0, true, nil
	case rest[0] == '\\':
		p.at++
		if !p.more() {
			return 0, false, errPerlEnd
		}
		inner, ok, err := p.classEscape(true)
		if err != nil {
			return 0, false, err
		}
		if ok {
			b.pairs = append(b.pairs, inner.pairs...)
			return 0, true, nil
		}
		r, err := p.character(true)
		return r, false, err
	}
	return p.rune(), false, nil
}
