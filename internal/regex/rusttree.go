package regex

// rustTranslator makes the package's nodes of a pattern that Rust's parser
// took. Flags hold from where they are set to the end of their group.
type rustTranslator struct {
	options *Options
	parser  *rustParser
	flags   rustState
	sets    map[rustSetKey]*set // of classes seen before: one takes some KB
}

type rustSetKey struct {
	text  string
	flags rustState
}

type rustState struct{ fold, lines, dotAll, ungreedy, unicode bool }

// parseRust reads a pattern of Rust's dialect.
func parseRust(text string, options *Options) (n *node, names []string, err error) {
	p := &rustParser{text: text}
	tree, err := p.parse()
	if err != nil {
		return nil, nil, err
	}
	t := &rustTranslator{options: options, parser: p,
		flags: rustState{fold: options.IgnoreCase, lines: options.Newline, dotAll: options.DotAll, unicode: true}}
	n, err = t.node(tree)
	return n, p.names, err
}

func (t *rustTranslator) rule() foldRule {
	switch {
	case !t.flags.fold:
		return foldNone
	case t.options.Bytes || !t.flags.unicode:
		return foldASCII
	}
	return foldPerl
}

func (t *rustTranslator) set(flags rustFlagSet) {
	for flag, on := range flags {
		switch flag {
		case 'i':
			t.flags.fold = on
		case 'm':
			t.flags.lines = on
		case 's':
			t.flags.dotAll = on
		case 'U':
			t.flags.ungreedy = on
		case 'u':
			t.flags.unicode = on
		}
	}
}

func (t *rustTranslator) node(n *rustTree) (*node, error) {
	switch n.op {
	case rustFlags:
		t.set(n.flags)
	case rustLiteral:
		r := n.r
		if r == '\r' && t.options.CRLF {
			return nil, ErrCarriageReturn
		}
		if n.raw && r >= 0x80 && r < 0x100 && (!t.flags.unicode || t.options.Bytes) {
			r += rawByte
		}
		if t.options.Bytes && r >= 0x80 && r < rawByte {
			out := &node{op: opConcat}
			for _, c := range []byte(string(r)) {
				out.subs = append(out.subs, literalNode(rawByte+rune(c)))
			}
			return out, nil
		}
		return foldedLiteral(r, t.rule()), nil
	case rustDot:
		var b setBuilder
		b.add(0, t.options.last())
		if !t.flags.unicode {
			b.add(rawByte, rawByte+0xff)
		}
		if !t.flags.dotAll {
			b.remove('\n')
		}
		if t.options.CRLF {
			b.remove('\r')
		}
		return &node{op: opSet, set: b.set()}, nil
	case rustAssertion:
		if n.r == '$' && t.options.CRLF {
			return concat(optionalReturn(), &node{op: opAssert, assert: t.assertion(n.r)}), nil
		}
		return &node{op: opAssert, assert: t.assertion(n.r)}, nil
	case rustClass, rustBracket:
		key := rustSetKey{t.parser.text[n.span.start:n.span.end], t.flags}
		s, seen := t.sets[key]
		if !seen {
			var b setBuilder
			if err := t.addSet(&b, n.set); err != nil {
				return nil, err
			}
			if t.options.CRLF {
				b.remove('\r')
			}
			if t.sets == nil {
				t.sets = map[rustSetKey]*set{}
			}
			s = b.set()
			t.sets[key] = s
		}
		return &node{op: opSet, set: s}, nil
	case rustRepeat:
		sub, err := t.node(n.subs[0])
		if err != nil {
			return nil, err
		}
		r := &node{op: opRepeat, min: n.min, max: n.max, subs: []*node{sub}, lazy: n.lazy != t.flags.ungreedy}
		if sub.op == opEmpty || sub.op == opAssert {
			r.min, r.max = min(n.min, 1), 1
		}
		return r, nil
	case rustGroup:
		outer := t.flags
		t.set(n.flags)
		sub, err := t.node(n.subs[0])
		t.flags = outer
		if err != nil || n.index == 0 {
			return wrap(sub), err
		}
		return &node{op: opGroup, index: n.index, subs: []*node{sub}}, nil
	case rustAlternate, rustConcat:
		out := &node{op: opConcat}
		if n.op == rustAlternate {
			out.op = opAlternate
		}
		for _, s := range n.subs {
			sub, err := t.node(s)
			if err != nil {
				return nil, err
			}
			out.subs = append(out.subs, sub)
		}
		return out, nil
	}
	return emptyNode, nil
}

// ErrCarriageReturn is the error of a pattern that names what ends lines.
var ErrCarriageReturn = fail(`the literal '"\r"' is not allowed in a regex`)

// optionalReturn is the carriage return that may stand before a line's end.
func optionalReturn() *node {
	return &node{op: opRepeat, max: 1, lazy: true, subs: []*node{literalNode('\r')}}
}

func (t *rustTranslator) assertion(letter rune) assertion {
	switch letter {
	case '^':
		if t.flags.lines {
			return assertLineStart
		}
		return assertTextStart
	case '$':
		if t.flags.lines {
			return assertLineEnd
		}
		return assertTextEnd
	case 'A':
		return assertTextStart
	case 'z':
		return assertTextEnd
	case 'b':
		return assertWordBoundary
	}
	return assertNotWordBoundary
}
