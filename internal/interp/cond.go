package interp

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/vsh-project/vsh/internal/regex"
)

// condition is one node of a [[ ]] expression. When p.flow is set after test,
// its result is void.
type condition interface{ test(p *proc) bool }

// condNode is a whole [[ ]]; failed says that an operator ended it with 2.
type condNode struct{ x condition }

// statusBadCondition is what an operand no operator can take ends [[ ]] with.
const statusBadCondition = 2

// cond prepares [[ ]].
func (c *compiler) cond(x *syntax.TestClause) node { return &condNode{c.condition(x.X)} }

func (n *condNode) run(p *proc) {
	p.badCondition = false
	yes := n.x.test(p)
	switch {
	case p.flow == flowAbort && p.condAborted && !p.abandoned:
		// An arithmetic error fails [[ ]], and the script goes on.
		p.flow, p.status = flowNone, 1
	case p.flow != flowNone:
	case p.badCondition:
		p.status = statusBadCondition
	case yes:
		p.status = 0
	default:
		p.status = 1
	}
	p.condAborted = false
}

func (c *compiler) condition(x syntax.TestExpr) condition {
	switch x := x.(type) {
	case *syntax.ParenTest:
		return c.condition(x.X)
	case *syntax.Word:
		return &unaryCondition{op: "-n", operand: c.word(x)}
	case *syntax.UnaryTest:
		if x.Op == syntax.TsNot {
			inner := c.condition(x.X)
			if term, ok := inner.(traced); ok {
				term.invert()
			}
			return &notCondition{inner}
		}
		w, _ := x.X.(*syntax.Word)
		return &unaryCondition{op: x.Op.String(), operand: c.word(w)}
	case *syntax.BinaryTest:
		if x.Op == syntax.AndTest || x.Op == syntax.OrTest {
			return c.conditionChain(x)
		}
		left, _ := x.X.(*syntax.Word)
		right, _ := x.Y.(*syntax.Word)
		return &binaryCondition{op: x.Op.String(), left: c.word(left), right: c.word(right)}
	}
	return &unaryCondition{op: "-n", operand: c.word(nil)}
}

// conditionChain flattens a chain of one operator, whichever way it nests.
func (c *compiler) conditionChain(x *syntax.BinaryTest) condition {
	chain := &chainCondition{and: x.Op == syntax.AndTest}
	var left syntax.TestExpr = x
	var reversed []condition
	for {
		b, ok := left.(*syntax.BinaryTest)
		if !ok || b.Op != x.Op {
			break
		}
		reversed = append(reversed, c.condition(b.Y))
		left = b.X
	}
	chain.terms = append(chain.terms, c.condition(left))
	for i := len(reversed) - 1; i >= 0; i-- {
		chain.terms = append(chain.terms, reversed[i])
	}
	return chain
}

type chainCondition struct {
	and   bool
	terms []condition
}

func (n *chainCondition) test(p *proc) bool {
	for _, t := range n.terms {
		yes := t.test(p)
		if p.flow != flowNone || p.badCondition {
			return false
		}
		if yes != n.and {
			return yes
		}
	}
	return n.and
}

type notCondition struct{ x condition }

func (n *notCondition) test(p *proc) bool { return !n.x.test(p) }

// traced is a term that set -x shows on a line of its own, with the "!" before it.
type traced interface{ invert() }

type unaryCondition struct {
	op       string
	operand  *word
	inverted bool
}

func (n *unaryCondition) invert() { n.inverted = !n.inverted }

func (n *unaryCondition) test(p *proc) bool {
	s, ok := n.operand.text(p)
	if !ok {
		return false
	}
	if p.options.has(optXtrace) {
		p.traceCondition(n.inverted, n.op+" "+traceOperand(s))
	}
	switch n.op {
	case "-n":
		return s != ""
	case "-z":
		return s == ""
	case "-a":
		return tester{p}.Unary('e', s)
	}
	return tester{p}.Unary(n.op[1], s)
}

type binaryCondition struct {
	op          string
	left, right *word
	inverted    bool
}

func (n *binaryCondition) invert() { n.inverted = !n.inverted }

func (n *binaryCondition) test(p *proc) bool {
	left, ok := n.left.text(p)
	if !ok {
		return false
	}
	var right string
	switch n.op {
	case "=", "==", "!=":
		if p.options.has(optXtrace) {
			right, ok = n.right.string(p, n.right.pieces, resultShownPattern)
		} else {
			right, ok = n.right.pattern(p)
		}
	case "=~":
		right, ok = n.right.regexp(p)
	default:
		right, ok = n.right.text(p)
	}
	if !ok {
		return false
	}
	if p.options.has(optXtrace) {
		p.traceCondition(n.inverted, traceOperand(left)+" "+n.op+" "+traceOperand(right))
	}
	switch n.op {
	case "=", "==":
		return p.matchesCase(right, left, true)
	case "!=":
		return !p.matchesCase(right, left, true) && p.flow == flowNone
	case "=~":
		return p.matchesRegexp(left, right)
	case "<":
		return left < right
	case ">":
		return left > right
	case "-nt", "-ot", "-ef":
		return tester{p}.Files(n.op, left, right)
	}
	return n.compare(p, left, right)
}

// compare is the arithmetic operators: both sides are expressions.
func (n *binaryCondition) compare(p *proc, left, right string) bool {
	var a, b int64
	var ok bool
	if a, ok = p.evaluateFor("[[: ", left); ok {
		b, ok = p.evaluateFor("[[: ", right)
	}
	if !ok {
		p.condAborted = true
		return false
	}
	switch n.op {
	case "-eq":
		return a == b
	case "-ne":
		return a != b
	case "-lt":
		return a < b
	case "-le":
		return a <= b
	case "-gt":
		return a > b
	}
	return a >= b
}

// traceCondition is set -x's line of one term.
func (p *proc) traceCondition(inverted bool, term string) {
	if inverted {
		term = "! " + term
	}
	p.trace("[[ " + term + " ]]")
}

// traceOperand is an operand as set -x shows it: as it is, but for an empty one.
func traceOperand(s string) string {
	if s == "" {
		return "''"
	}
	return s
}

// matchesRegexp is =~: a POSIX extended regular expression, leftmost and
// longest; the match and its groups go to BASH_REMATCH.
func (p *proc) matchesRegexp(text, expression string) bool {
	m := p.compiledRegexp(expression)
	if m == nil {
		p.badCondition = true
		return false
	}
	groups, err := m.Find(p.ctx, []byte(text), 0, nil)
	if err != nil {
		p.stopped()
		return false
	}
	var parts []string
	for i := 0; i+1 < len(groups); i += 2 {
		part := ""
		if groups[i] >= 0 {
			part = text[groups[i]:groups[i+1]]
		}
		parts = append(parts, part)
	}
	p.setRematch(parts)
	return groups != nil
}

// regexpTexts bounds the cache of compiled expressions.
const regexpTexts = 64

// compiledRegexp compiles an expression, nil when it is none. What was compiled
// is kept for the next time.
func (p *proc) compiledRegexp(expression string) *regex.Matcher {
	key := expression
	noCase := p.shopts.has(shoptNocasematch)
	if noCase {
		key = "\x00" + key
	}
	if m, ok := p.regexps[key]; ok {
		return m
	}
	m, err := regex.Compile(expression, regex.Options{Syntax: regex.POSIXExtended, IgnoreCase: noCase, ASCIIRanges: true})
	if err != nil {
		m = nil
	}
	if p.regexps == nil || len(p.regexps) >= regexpTexts {
		p.regexps = make(map[string]*regex.Matcher, 4)
	}
	p.regexps[key] = m
	return m
}

// setRematch makes BASH_REMATCH the parts.
func (p *proc) setRematch(parts []string) {
	s := p.session.symbol("BASH_REMATCH")
	v := p.vars.get(s)
	if v != nil && v.is(attrReadonly) {
		return
	}
	if v, ok := p.arrayForWrite(s); ok {
		p.clearArray(v)
		v.set = true
	}
	for i, part := range parts {
		if !p.assignIndex(s, int64(i), part) {
			return
		}
	}
}

// escapeERE quotes what is special in an extended regular expression.
func escapeERE(s string) string {
	if !strings.ContainsAny(s, `.[]()*+?{}|^$\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(`.[]()*+?{}|^$\`, s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
