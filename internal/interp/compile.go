package interp

import (
	"mvdan.cc/sh/v3/syntax"

	"github.com/vsh-project/vsh/internal/parse"
)

// compiler turns one source's trees into nodes. Compiling never fails: what is
// wrong with a tree becomes a node that says so when it runs.
type compiler struct {
	session *Session
	// lines is what the trees came from.
	lines *parse.Line
	// file is BASH_SOURCE for functions defined here.
	file string
	// at is the line of the command whose words are compiled; shift is what
	// lines inside a substitution are off by.
	at, shift int
}

// lineOf is the line of a position, as LINENO counts.
func (c *compiler) lineOf(pos syntax.Pos) int { return int(pos.Line()) + c.lines.Base + c.shift }

// substitution prepares what stands in $( ) or <( ). bash prints the commands
// anew and numbers them from the line of the command that they are part of:
// lines that were blank or a comment do not count. Between backquotes, and in
// a here-document, it counts the lines of the text.
func (c *compiler) substitution(stmts []*syntax.Stmt, from syntax.Pos, verbatim bool) node {
	at, shift := c.at, c.shift
	defer func() { c.at, c.shift = at, shift }()
	if len(stmts) == 0 {
		return c.block(nil)
	}
	b := &block{list: make([]node, len(stmts))}
	line := at
	for i, s := range stmts {
		first := int(s.Pos().Line())
		switch {
		case verbatim:
			line = at + first - int(from.Line())
		case i > 0 && first > int(stmts[i-1].End().Line()):
			line++
		}
		c.shift = line - first - c.lines.Base
		b.list[i] = c.statement(s)
		line += int(s.End().Line()) - first
	}
	if len(b.list) == 1 {
		return b.list[0]
	}
	return b
}

// source is the text between two positions.
func (c *compiler) source(from, to syntax.Pos) string { return c.lines.Source(from, to) }

// functionTree is what print.go needs to print a function.
type functionTree struct {
	decl *syntax.FuncDecl
	text *compiler
}

// block prepares statements that run one after another.
func (c *compiler) block(stmts []*syntax.Stmt) node {
	if len(stmts) == 1 {
		return c.statement(stmts[0])
	}
	b := &block{list: make([]node, len(stmts))}
	for i, s := range stmts {
		b.list[i] = c.statement(s)
	}
	return b
}

type block struct{ list []node }

func (b *block) run(p *proc) {
	if len(b.list) == 0 {
		p.status = 0
	}
	for _, n := range b.list {
		n.run(p)
		if p.flow != flowNone {
			return
		}
	}
}

// statement prepares one statement with all that set -e and ERR ask.
func (c *compiler) statement(s *syntax.Stmt) node { return c.prepare(s, true) }

// stage prepares a statement whose failure its pipeline looks at.
func (c *compiler) stage(s *syntax.Stmt) node { return alone(c.prepare(s, false)) }

// alone prepares a command that is all a process runs: ( list ) needs no
// second one, so that signals for the process reach the list's traps.
func alone(n node) node {
	body := n
	if r, ok := n.(*redirected); ok {
		body = r.body
	}
	if s, ok := body.(*subshell); ok {
		s.direct = true
	}
	return n
}

func (c *compiler) prepare(s *syntax.Stmt, check bool) node {
	if s.Background {
		t := *s
		t.Background = false
		whole := t
		t.Negated = false // bash loses it
		return &background{line: c.lineOf(s.Pos()), body: alone(c.prepare(&t, true)), tree: &whole, text: c}
	}
	if s.Negated {
		t := *s
		t.Negated = false
		return &negated{c.prepare(&t, false)}
	}
	if f, ok := s.Cmd.(*syntax.FuncDecl); ok && len(s.Redirs) > 0 { // they are the body's
		d, body, t := *f, *f.Body, *s
		body.Redirs = append(append([]*syntax.Redirect(nil), body.Redirs...), s.Redirs...)
		d.Body, t.Cmd, t.Redirs = &body, &d, nil
		s = &t
	}
	// ( ) redirects in its own process: its failure is met without.
	_, process := s.Cmd.(*syntax.Subshell)
	process = process && check && len(s.Redirs) > 0
	n := c.command(s, check && !process)
	if len(s.Redirs) > 0 && !ownsRedirections(s.Cmd) {
		n = &redirected{line: c.lineOf(s.Pos()), body: n, redirections: c.redirections(s.Redirs), check: check, process: process}
	}
	return n
}

// ownsRedirections reports whether a command's node performs its redirections.
func ownsRedirections(x syntax.Command) bool {
	switch x.(type) {
	case nil, *syntax.CallExpr, *syntax.DeclClause:
		return true
	}
	return false
}

// command prepares a statement's command. Redirections of compound commands
// are left to the caller.
func (c *compiler) command(s *syntax.Stmt, check bool) node {
	line := c.lineOf(s.Pos())
	defer func(at int) { c.at = at }(c.at)
	c.at = line
	switch x := s.Cmd.(type) {
	case nil:
		return c.simple(s, nil, check)
	case *syntax.CallExpr:
		if kind, text := parse.Deferred(x); kind != parse.NotDeferred {
			return &deferred{line: line, kind: kind, text: text, check: check}
		}
		return c.simple(s, x, check)
	case *syntax.DeclClause:
		return c.declaration(s, x, check)
	case *syntax.BinaryCmd:
		if x.Op == syntax.Pipe || x.Op == syntax.PipeAll {
			return c.pipeline(s, x, check)
		}
		return c.andOr(x)
	case *syntax.Block:
		return c.block(x.Stmts)
	case *syntax.Subshell:
		return &subshell{line: line, end: c.lineOf(x.End()), body: c.block(x.Stmts), check: check, text: commandText{s, c, commandWhole}}
	case *syntax.IfClause:
		return c.ifClause(x)
	case *syntax.WhileClause:
		return &whileLoop{until: x.Until, cond: c.block(x.Cond), body: c.block(x.Do)}
	case *syntax.ForClause:
		return c.forClause(s, x)
	case *syntax.CaseClause:
		return c.caseClause(s, x)
	case *syntax.FuncDecl:
		return c.function(x)
	case *syntax.ArithmCmd:
		c.at = c.lineOf(x.End())
		return &arithmeticCommand{line: line, x: c.arithmetic(x.X).of("((: "), tree: s, text: c, check: check}
	case *syntax.TestClause:
		c.at = c.lineOf(x.End())
		return &testCommand{line: line, x: c.cond(x), tree: s, text: c, check: check}
	case *syntax.TimeClause:
		t := &timed{posix: x.PosixFormat}
		if x.Stmt != nil {
			t.body = c.prepare(x.Stmt, check)
		}
		return t
	case *syntax.CoprocClause:
		return c.coproc(s, x)
	}
	return &unsupported{line: line}
}

// unsupported stands for trees of other shells' languages.
type unsupported struct{ line int }

func (u *unsupported) run(p *proc) {
	p.line = u.line
	p.errorf("syntax error: not a bash command")
	p.abort(2)
}

// failed is called when a command that set -e and ERR look at has not
// succeeded.
func (p *proc) failed() {
	if p.tested > 0 || p.flow != flowNone {
		return
	}
	if handler, ok := p.traps.get(trapERR); ok && handler != "" && p.trapping&trappingERR == 0 && p.trapActive(trapERR) {
		status := p.status
		p.trapping |= trappingERR
		p.runTrap(handler, evalError)
		p.trapping &^= trappingERR
		if p.flow != flowNone {
			return
		}
		p.status = status
	}
	if p.options.has(optErrexit) {
		p.exit(p.status)
		p.leaving = leavesFailed
	}
}
