// Package regex compiles the regular expressions of the tools (POSIX basic and
// extended with the GNU operators, Perl's, Rust's, fixed strings) to one
// Matcher that works on bytes. What is a regular language is matched in linear
// time by an automaton; only back-references and look-around backtrack.
//
// Text that is not UTF-8 is matched as the GNU tools do in C.UTF-8: a byte
// outside UTF-8 equals only itself, and no ".", list or class takes it in.
package regex

import (
	"context"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Options say how patterns are read and matched.
type Options struct {
	Syntax     Syntax
	IgnoreCase bool
	// Word asks for no word constituent on either side of a match (grep -w),
	// Line for a match that is the whole text (grep -x).
	Word, Line bool
	// Newline lets ^ and $ match around newlines within the text, and "." and
	// complemented lists not match one (REG_NEWLINE, sed's M, Perl's (?m)
	// where only the anchors change).
	Newline bool
	// TextAnchors keeps ^ and $ at the text's ends in spite of Newline (sed -z).
	TextAnchors bool
	// DotAll lets Perl's and Rust's "." match a newline.
	DotAll bool
	// DollarNewline lets Perl's $ also stand before a newline that ends the text.
	DollarNewline bool
	// LineClasses keeps a newline out of Rust's complemented classes (rg
	// without -U).
	LineClasses bool
	// CRLF lets Rust's $ also stand before a carriage return that ends a line
	// (a match may then hold it), which nothing else matches.
	CRLF bool
	// Unicode lets Perl's \d, \s, \w and \b know letters beyond ASCII (rg -P).
	Unicode bool
	// ASCIIRanges makes a list's range that ends beyond ASCII an error, as
	// glibc's regcomp has it in C.UTF-8; programs with a regcomp of their own
	// (awk, expr, nl) know such ranges.
	ASCIIRanges bool
	// Bytes is the C locale: each byte is a character.
	Bytes bool
}

// Matcher is a compiled pattern. It is safe for concurrent use.
type Matcher struct {
	program  *program
	longest  bool
	literals literals
	first    [256]bool // bytes a match can start with
	nullable bool      // a match can be empty
	names    []string
	warnings []string
	finders  sync.Pool
}

// Compile compiles one pattern. Its error is an *Error.
func Compile(pattern string, options Options) (*Matcher, error) {
	return CompileAll([]string{pattern}, options)
}

// CompileAll compiles patterns of which any may match. Groups are numbered
// through, but back-references speak of their own pattern's groups.
func CompileAll(patterns []string, options Options) (*Matcher, error) {
	m := &Matcher{longest: options.Syntax != Perl && options.Syntax != Rust}
	rule := foldNone
	if options.IgnoreCase {
		switch {
		case options.Bytes:
			rule = foldASCII
		case m.longest:
			rule = foldGNU
		default:
			rule = foldPerl
		}
	}
	tree, groups, err := m.parseAll(patterns, &options, rule)
	if err != nil {
		return nil, err
	}
	bare := tree
	switch {
	case options.Line:
		start, end := assertTextStart, assertTextEnd
		if options.Newline {
			start, end = assertLineStart, assertLineEnd
		}
		if options.CRLF {
			tree = concat(tree, optionalReturn())
		}
		tree = concat(&node{op: opAssert, assert: start}, tree, &node{op: opAssert, assert: end})
	case options.Word:
		tree = concat(&node{op: opAssert, assert: assertNoWordBefore}, tree, &node{op: opAssert, assert: assertNoWordAfter})
	}
	if rule == foldNone && !m.longest {
		rule = foldPerl // for (?i)
	}
	m.program, err = compileTree(tree, groups, &options, rule)
	if err != nil {
		return nil, err
	}
	m.literals = findLiterals(bare, rule)
	if m.literals.fold && !options.IgnoreCase {
		m.literals.exact = false // only a part of it ignores case
	}
	m.literals.exact = m.literals.exact && !options.Line && !options.Word
	m.findFirst()
	return m, nil
}

// maximumText bounds the patterns' text before it becomes a tree: a character
// takes a node of about 100 bytes, a bracket expression one for all of it.
const maximumText = 2 * maximumProgram

func textSize(patterns []string) int {
	size := len(patterns)
	for _, p := range patterns {
		size += len(p)
	}
	return size
}

func (m *Matcher) parseAll(patterns []string, options *Options, rule foldRule) (*node, int, error) {
	if options.Syntax == Fixed {
		n, err := fixedTree(patterns, options, rule)
		return n, 0, err
	}
	var subs []*node
	if m.longest && len(patterns) > 1 {
		// Strings among the patterns share their beginnings; which of several
		// patterns matches does not matter.
		var fixed []string
		if fixed, patterns = plain(patterns); len(fixed) > 0 {
			n, err := fixedTree(fixed, options, rule)
			if err != nil {
				return nil, 0, err
			}
			subs = append(subs, n)
		}
	}
	if textSize(patterns) > maximumText {
		return nil, 0, ErrSize
	}
	groups := 0
	for _, pattern := range patterns {
		var n *node
		var err error
		count := 0
		switch {
		case m.longest:
			p := &posixParser{options: options, text: pattern, bits: options.Syntax.bits(), fold: rule}
			p.grepNames = options.Syntax <= GrepExtended || options.Syntax == SedExtended || options.Syntax == POSIXBasic
			n, err = p.parse()
			count = p.groups
			m.warnings = append(m.warnings, p.warnings...)
		default:
			var names []string
			if options.Syntax == Rust {
				n, names, err = parseRust(pattern, options)
				count = len(names)
			} else {
				p := &perlParser{options: options, text: pattern}
				n, err = p.parse()
				count, names = p.groups, p.names
			}
			m.names = append(m.names, make([]string, max(0, groups+1-len(m.names)))...)
			m.names = append(m.names, names...)
		}
		if err != nil {
			return nil, 0, err
		}
		if groups > 0 {
			renumber(n, groups)
		}
		groups += count
		subs = append(subs, n)
	}
	switch len(subs) {
	case 0:
		return &node{op: opFail}, 0, nil
	case 1:
		return subs[0], groups, nil
	}
	return &node{op: opAlternate, subs: subs}, groups, nil
}

// plain takes from patterns those that are nothing but strings.
func plain(patterns []string) (fixed, others []string) {
	for _, p := range patterns {
		if strings.ContainsAny(p, "\\.[]*^$+?(){}|\n") {
			others = append(others, p)
		} else {
			fixed = append(fixed, p)
		}
	}
	return fixed, others
}

func renumber(n *node, by int) {
	if n.op == opGroup && n.index > 0 || n.op == opBackref || n.op == opCall && n.index > 0 || n.op == opConditional {
		n.index += by
	}
	for _, s := range n.subs {
		renumber(s, by)
	}
}

// fixedTree makes a tree of the strings' common beginnings, so that a set of
// thousands has few choices at each character.
func fixedTree(patterns []string, options *Options, rule foldRule) (*node, error) {
	sorted := slices.Clone(patterns)
	slices.Sort(sorted)
	b := fixedBuilder{rule: rule, decoder: posixParser{options: options}}
	tree := b.build(slices.Compact(sorted), 0)
	if b.nodes > maximumProgram {
		return nil, ErrSize
	}
	return tree, nil
}

type fixedBuilder struct {
	rule    foldRule
	decoder posixParser
	// nodes counts characters: each takes an instruction.
	nodes int
}

func (b *fixedBuilder) literal(r rune) *node {
	b.nodes++
	return foldedLiteral(r, b.rule)
}

func (b *fixedBuilder) rune(text string, at int) (rune, int) {
	b.decoder.text = text
	return b.decoder.decode(at)
}

// build makes the tree of what follows the first at bytes, which all of list
// share. A straight run of characters is a loop, not a recursion.
func (b *fixedBuilder) build(list []string, at int) *node {
	var run []*node
	for b.nodes <= maximumProgram {
		ends := len(list) > 0 && len(list[0]) == at
		if ends {
			list = list[1:]
		}
		if len(list) == 0 {
			if !ends {
				run = append(run, &node{op: opFail})
			}
			break
		}
		first, n := b.rune(list[0], at)
		if last, _ := b.rune(list[len(list)-1], at); !ends && first == last {
			run = append(run, b.literal(first))
			at += n
			continue
		}
		choice := &node{op: opAlternate}
		if ends {
			choice.subs = append(choice.subs, emptyNode)
		}
		for len(list) > 0 && b.nodes <= maximumProgram {
			r, n := b.rune(list[0], at)
			same := 1
			for same < len(list) {
				if other, _ := b.rune(list[same], at); other != r {
					break
				}
				same++
			}
			sub := b.literal(r)
			if rest := b.build(list[:same], at+n); rest.op != opEmpty {
				sub = concat(sub, rest)
			}
			choice.subs = append(choice.subs, sub)
			list = list[same:]
		}
		run = append(run, choice)
		break
	}
	if len(run) == 0 {
		return emptyNode
	}
	return concat(run...)
}

// findFirst fills first and nullable.
func (m *Matcher) findFirst() {
	p := m.program
	seen := make([]bool, len(p.insts))
	stack := []int32{p.start}
	for len(stack) > 0 {
		pc := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[pc] {
			continue
		}
		seen[pc] = true
		in := &p.insts[pc]
		switch in.op {
		case instRune:
			var buffer [4]byte
			m.first[appendRune(buffer[:0], in.r)[0]] = true
		case instSet:
			for r := rune(0); r < 0x80; r++ {
				m.first[r] = m.first[r] || in.set.contains(r)
			}
			if len(in.set.ranges) > 0 {
				for c := 0x80; c < 256; c++ {
					m.first[c] = true
				}
			}
		case instBackref, instCall:
			m.nullable = true
		case instMatch:
			if pc == 0 {
				m.nullable = true
			} else {
				stack = append(stack, in.out)
			}
		case instAlt, instLoopCheck, instConditional:
			stack = append(stack, in.out, in.other)
		case instAtomic:
			stack = append(stack, in.other)
		case instFail:
		default:
			stack = append(stack, in.out)
		}
	}
}

// appendRune appends r as text; a raw byte is itself.
func appendRune(dst []byte, r rune) []byte {
	if r >= rawByte {
		return append(dst, byte(r-rawByte))
	}
	return utf8.AppendRune(dst, r)
}

// Groups is the number of groups, not counting the whole match.
func (m *Matcher) Groups() int { return m.program.groups }

// GroupName is the name of group i, or "".
func (m *Matcher) GroupName(i int) string {
	if i < len(m.names) {
		return m.names[i]
	}
	return ""
}

// Warnings are what grep says of a pattern that it takes all the same.
func (m *Matcher) Warnings() []string { return m.warnings }

// Literal is the string that the pattern stands for, where it is nothing but
// one string.
func (m *Matcher) Literal() (string, bool) {
	if m.literals.exact && len(m.literals.set) == 1 && !m.literals.fold {
		return string(m.literals.set[0]), true
	}
	return "", false
}

// Match reports whether text holds a match. Its error is the context's, or
// ErrBacktrackLimit.
func (m *Matcher) Match(ctx context.Context, text []byte) (bool, error) {
	f := m.borrow(ctx)
	defer m.finders.Put(f)
	return f.Match(text), f.Err()
}

// Find looks for the first match that starts at from or later (at a
// character's start) and appends its bounds, then each group's, to dst[:0]: -1
// for a group that took no part. It returns nil where there is none.
func (m *Matcher) Find(ctx context.Context, text []byte, from int, dst []int) ([]int, error) {
	f := m.borrow(ctx)
	defer m.finders.Put(f)
	loc := f.Find(text, from)
	if loc == nil {
		return nil, f.Err()
	}
	return append(dst[:0], loc...), nil
}

func (m *Matcher) borrow(ctx context.Context) *Finder {
	f, _ := m.finders.Get().(*Finder)
	if f == nil {
		return m.Finder(ctx)
	}
	f.setContext(ctx)
	return f
}

// FullMatch reports whether the whole of text matches (find -regex, expr's
// anchor is the caller's own).
func (m *Matcher) FullMatch(ctx context.Context, text []byte) (bool, error) {
	f := m.borrow(ctx)
	defer m.finders.Put(f)
	return f.fullMatch(text), f.Err()
}

// Quote makes a pattern of dialect s that matches text literally.
func Quote(text string, s Syntax) string {
	special := `\.[]*^$/`
	if s != Basic && s != POSIXBasic {
		special = `\.[]*^$/+?(){}|`
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if strings.IndexByte(special, text[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
