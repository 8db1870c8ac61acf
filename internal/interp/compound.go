package interp

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/vsh-project/vsh/internal/arith"
	"github.com/vsh-project/vsh/internal/parse"
)

// negated is ! command.
type negated struct{ body node }

func (n *negated) run(p *proc) {
	p.tested++
	n.body.run(p)
	p.tested--
	if p.flow == flowNone {
		p.status = negate(p.status)
	}
}

func negate(status int) int {
	if status == 0 {
		return 1
	}
	return 0
}

// andOr is a chain of && and ||, which the tree nests to the left.
type andOr struct {
	first node
	rest  []andOrPart
}

type andOrPart struct {
	or   bool
	body node
}

func (c *compiler) andOr(x *syntax.BinaryCmd) node {
	var chain []*syntax.BinaryCmd
	first := x.X
	for at := x; ; {
		chain = append(chain, at)
		first = at.X
		next, ok := at.X.Cmd.(*syntax.BinaryCmd)
		if !ok || next.Op == syntax.Pipe || next.Op == syntax.PipeAll || at.X.Negated || len(at.X.Redirs) > 0 || at.X.Background {
			break
		}
		at = next
	}
	n := &andOr{first: c.statement(first)}
	for i := len(chain) - 1; i >= 0; i-- {
		n.rest = append(n.rest, andOrPart{or: chain[i].Op == syntax.OrStmt, body: c.statement(chain[i].Y)})
	}
	return n
}

func (n *andOr) run(p *proc) {
	p.tested++
	n.first.run(p)
	last := len(n.rest) - 1
	for i, part := range n.rest {
		if p.flow != flowNone {
			break
		}
		if part.or != (p.status != 0) {
			continue
		}
		if i == last {
			p.tested--
			part.body.run(p)
			return
		}
		part.body.run(p)
	}
	p.tested--
}

// subshell is ( list ).
type subshell struct {
	line, end int
	body      node
	check     bool
	text      commandText
	// direct says that the process it runs in runs nothing else.
	direct bool
}

func (s *subshell) run(p *proc) { s.runRedirected(p, nil) }

// runRedirected is run with redirections that the subshell itself performs.
func (s *subshell) runRedirected(p *proc, redirections []*redirection) {
	if p.checkpoint() {
		return
	}
	p.line = s.line
	if s.direct {
		p.loops, p.jobs = 0, jobTable{}
		s.body.run(p)
		return
	}
	if _, ok := p.traps.get(trapERR); ok && p.trapActive(trapERR) {
		p.runs(s.text)
	}
	c := p.fork(p.ctx)
	if c == nil {
		return
	}
	c.loops, c.jobs, c.exiting = 0, jobTable{}, false
	for _, j := range p.jobs.list {
		if e := j.coproc; e != nil { // bash does not hand them on
			c.take(e.read, nil)
			c.take(e.write, nil)
		}
	}
	_, c.sole = s.body.(*simple)
	undo := undoList{forked: true}
	if c.redirect(redirections, &undo) {
		s.body.run(c)
	} else if c.flow == flowNone {
		c.done(1)
	}
	c.finish()
	c.restore(&undo)
	c.end()
	p.line, p.endLine = s.line, s.end
	p.notice()
	p.foregroundDeath(c.killedBy, c.pid, s.text)
	p.finished(c.status, s.check)
}

// finished takes over the status of a command that was its own process, or as
// good as that.
func (p *proc) finished(status int, check bool) {
	p.status = status
	p.pipeStatus = nil
	p.pipeOne = status
	if status != 0 && check {
		p.failed()
	}
	p.cancelled()
}

// ifClause is if … elif … else … fi.
type ifClause struct {
	arms []ifArm
	rest node
}

type ifArm struct{ cond, body node }

func (c *compiler) ifClause(x *syntax.IfClause) node {
	n := &ifClause{}
	for ; x != nil; x = x.Else {
		if len(x.Cond) == 0 {
			n.rest = c.block(x.Then)
			break
		}
		n.arms = append(n.arms, ifArm{c.block(x.Cond), c.block(x.Then)})
	}
	return n
}

func (n *ifClause) run(p *proc) {
	for i := range n.arms {
		arm := &n.arms[i]
		p.tested++
		arm.cond.run(p)
		p.tested--
		if p.flow != flowNone {
			return
		}
		if p.status == 0 {
			arm.body.run(p)
			return
		}
	}
	if n.rest == nil {
		p.status = 0
		return
	}
	n.rest.run(p) // which sees the status of the condition
}

// leaves handles what a loop's body or condition left in p.flow. true: the
// loop is over.
func (p *proc) leaves() bool {
	switch p.flow {
	case flowNone:
		return false
	case flowBreak:
		if p.levels--; p.levels <= 0 {
			p.flow = flowNone
		}
		return true
	case flowContinue:
		if p.levels--; p.levels <= 0 {
			p.flow = flowNone
			return false
		}
		return true
	}
	return true
}

// whileLoop is while and until.
type whileLoop struct {
	until      bool
	cond, body node
}

func (n *whileLoop) run(p *proc) {
	p.loops++
	status := 0
	for {
		if p.checkpoint() {
			break
		}
		p.tested++
		n.cond.run(p)
		p.tested--
		if p.flow != flowNone {
			if p.leaves() {
				break
			}
			continue
		}
		if (p.status == 0) == n.until {
			p.status = status
			break
		}
		n.body.run(p)
		status = p.status
		if p.flow != flowNone && p.leaves() {
			break
		}
	}
	p.loops--
}

// forLoop is for name in words; select shares its head.
type forLoop struct {
	line   int
	symbol symbol
	name   string
	items  []*word
	// arguments says that there is no "in": "$@".
	arguments bool
	body      node
	tree      *syntax.Stmt
	text      *compiler
}

func (c *compiler) forClause(s *syntax.Stmt, x *syntax.ForClause) node {
	line := c.lineOf(s.Pos())
	switch loop := x.Loop.(type) {
	case *syntax.CStyleLoop:
		return &arithmeticLoop{
			line: line, body: c.block(x.Do), tree: s, text: c,
			init: c.loopExpression(loop.Init), cond: c.loopExpression(loop.Cond), post: c.loopExpression(loop.Post),
		}
	case *syntax.WordIter:
		n := &forLoop{line: line, name: parse.Unmap(loop.Name.Value), arguments: !loop.InPos.IsValid(), body: c.block(x.Do), tree: s, text: c}
		for _, w := range loop.Items {
			n.items = append(n.items, c.word(w))
		}
		if validName(n.name) {
			n.symbol = c.session.symbol(n.name)
		}
		if x.Select {
			return &selectLoop{n}
		}
		return n
	}
	return &unsupported{line: line}
}

// loopExpression prepares one of the three of for (( )); one left out is 1.
func (c *compiler) loopExpression(x syntax.ArithmExpr) *arithmetic {
	if blank(x) {
		return &arithmetic{w: &word{plain: true, fixed: "1"}, fixed: arith.Parse("1", c.session.intern), command: "((: "}
	}
	return c.arithmetic(x).of("((: ")
}

// blank reports whether an expression was left out.
func blank(x syntax.ArithmExpr) bool {
	w := parse.Arithmetic(x)
	if w == nil || len(w.Parts) == 0 {
		return true
	}
	parts := w.Parts
	if q, ok := parts[0].(*syntax.DblQuoted); ok && len(parts) == 1 {
		parts = q.Parts
	}
	for _, x := range parts {
		if l, ok := x.(*syntax.Lit); !ok || strings.TrimSpace(l.Value) != "" {
			return false
		}
	}
	return true
}

// list is what the loop goes through.
func (n *forLoop) list(p *proc) ([]string, bool) {
	if n.arguments {
		return p.args, true
	}
	return p.expandWords(n.items)
}

func (n *forLoop) run(p *proc) {
	p.line = n.line
	if !validName(n.name) {
		p.errorf("`%s': not a valid identifier", n.name)
		if p.status = 1; p.options.has(optPosix) {
			p.exit(2)
		}
		return
	}
	mark := p.scratched
	list, ok := n.list(p)
	if !ok {
		return
	}
	if len(list) == 0 {
		p.status = 0
	}
	p.loops++
	for _, item := range list {
		if p.checkpoint() {
			break
		}
		p.line = n.line
		p.runs(commandText{n.tree, n.text, commandHead})
		if p.options.has(optXtrace) {
			p.traceHead(n.tree, n.text)
		}
		if p.debugTrap() {
			continue
		}
		if !p.assignLoop(n.symbol, item) {
			break
		}
		n.body.run(p)
		if p.flow != flowNone && p.leaves() {
			break
		}
	}
	p.loops--
	p.unscratch(mark)
}

// assignLoop gives a loop its variable; a nameref takes a new target.
func (p *proc) assignLoop(s symbol, value string) bool {
	if v := p.vars.get(s); v.is(attrNameref) {
		if !validReference(value) {
			p.errorf("`%s': not a valid identifier", value)
			p.status = 1
			return false
		}
		if v.attrs&attrReadonly == 0 {
			v = p.own(s, v)
			v.value, v.set, v.numeric = text{s: value}, true, false
			return true
		}
	}
	if !p.assign(s, value, false) {
		if p.flow == flowNone {
			p.status = 1
		}
		return false
	}
	return true
}

// arithmeticLoop is for ((init; cond; post)).
type arithmeticLoop struct {
	line             int
	init, cond, post *arithmetic
	body             node
	tree             *syntax.Stmt
	text             *compiler
}

// part evaluates one of the three expressions.
func (n *arithmeticLoop) part(p *proc, x *arithmetic, part commandPart) (int64, bool) {
	p.line = n.line
	p.runs(commandText{n.tree, n.text, part})
	if p.debugTrap() {
		return 0, true
	}
	v, ok := x.evalTraced(p, true)
	if !ok && p.flow == flowAbort && !p.abandoned {
		p.flow = flowNone // (( )) fails, the script goes on
		p.status = 1
	}
	return v, ok
}

func (n *arithmeticLoop) run(p *proc) {
	if _, ok := n.part(p, n.init, commandInit); !ok {
		return
	}
	status := 0
	p.loops++
	for {
		if p.checkpoint() {
			break
		}
		v, ok := n.part(p, n.cond, commandCondition)
		if !ok {
			status = p.status
			break
		}
		if v == 0 {
			break
		}
		n.body.run(p)
		status = p.status
		if p.flow != flowNone && p.leaves() {
			break
		}
		if _, ok := n.part(p, n.post, commandPost); !ok {
			status = p.status
			break
		}
	}
	p.loops--
	if p.flow == flowNone {
		p.status = status
	}
}

// caseClause is case word in …
type caseClause struct {
	line  int
	word  *word
	items []caseItem
	tree  *syntax.Stmt
	text  *compiler
}

type caseItem struct {
	patterns []*word
	body     node
	empty    bool
	op       syntax.CaseOperator
}

func (c *compiler) caseClause(s *syntax.Stmt, x *syntax.CaseClause) node {
	c.at = c.lineOf(x.Word.End())
	n := &caseClause{line: c.lineOf(s.Pos()), word: c.word(x.Word), tree: s, text: c}
	for _, item := range x.Items {
		it := caseItem{body: c.block(item.Stmts), empty: len(item.Stmts) == 0, op: item.Op}
		for _, w := range item.Patterns {
			it.patterns = append(it.patterns, c.word(w))
		}
		n.items = append(n.items, it)
	}
	return n
}

func (n *caseClause) run(p *proc) {
	p.line = n.line
	p.runs(commandText{n.tree, n.text, commandHead})
	if p.checkpoint() || p.debugTrap() {
		return
	}
	mark := p.scratched
	subject, ok := n.word.text(p)
	if !ok {
		return
	}
	if p.options.has(optXtrace) {
		p.traceHead(n.tree, n.text)
	}
	fall, ran := false, false
	for i := range n.items {
		item := &n.items[i]
		hit := fall
		for k := 0; k < len(item.patterns) && !hit; k++ {
			pattern, ok := item.patterns[k].pattern(p)
			if !ok {
				return
			}
			hit = p.matchesCase(pattern, subject, p.shopts.has(shoptExtglob))
			if p.cancelled() {
				return
			}
		}
		if !hit {
			continue
		}
		fall, ran = false, true
		if item.empty {
			p.status = 0
		} else {
			item.body.run(p)
		}
		if p.flow != flowNone {
			break
		}
		if item.op == syntax.Fallthrough {
			fall = true
		} else if item.op != syntax.Resume {
			break
		}
	}
	if !ran {
		p.status = 0
	}
	p.unscratch(mark)
}

// arithmeticCommand is (( expression )).
type arithmeticCommand struct {
	line  int
	x     *arithmetic
	tree  *syntax.Stmt
	text  *compiler
	check bool
}

func (n *arithmeticCommand) run(p *proc) {
	p.line = n.line
	p.runs(commandText{n.tree, n.text, commandHead})
	if p.checkpoint() || p.debugTrap() {
		return
	}
	v, ok := n.x.evalTraced(p, false)
	switch {
	case !ok && p.flow == flowAbort && !p.abandoned:
		p.flow = flowNone
		p.finished(1, n.check)
	case !ok:
	case v == 0:
		p.finished(1, n.check)
	default:
		p.finished(0, n.check)
	}
}

// testCommand is [[ expression ]].
type testCommand struct {
	line  int
	x     node
	tree  *syntax.Stmt
	text  *compiler
	check bool
}

func (n *testCommand) run(p *proc) {
	p.line = n.line
	p.runs(commandText{n.tree, n.text, commandHead})
	if p.checkpoint() || p.debugTrap() {
		return
	}
	mark := p.scratched
	n.x.run(p)
	p.unscratch(mark)
	if p.flow == flowNone {
		p.finished(p.status, n.check)
	}
}

// functionNode defines a function.
type functionNode struct {
	line int
	f    *function
}

func (c *compiler) function(x *syntax.FuncDecl) node {
	line := c.lineOf(x.Pos())
	f := &function{name: parse.Unmap(x.Name.Value), line: line, source: c.file, tree: &functionTree{x, c}}
	f.cost = functionCost + int64(x.End().Offset()-x.Pos().Offset())*treeCost + int64(c.lines.End-c.lines.Start)
	f.body = c.prepare(x.Body, true)
	return &functionNode{line, f}
}

func (n *functionNode) run(p *proc) {
	p.line = n.line
	name := n.f.name
	if old, ok := p.functions.get(name); ok && old.readonly {
		p.errorf("%s: readonly function", name)
		p.status = 1
		return
	}
	if strings.ContainsAny(name, "$'\"`\\<>&|;() \t\n") || name == "" {
		p.errorf("`%s': not a valid identifier", name)
		p.status = 1
		return
	}
	if p.options.has(optPosix) {
		if !validName(name) {
			p.errorf("`%s': not a valid identifier", name)
			p.exit(2)
			return
		}
		if b := p.session.builtins[name]; b != nil && b.special {
			p.errorf("`%s': is a special builtin", name)
			p.exit(2)
			return
		}
	}
	f := *n.f
	if f.source == "" {
		f.source = p.definitionSource()
	}
	old, replaces := p.functions.get(name)
	if replaces {
		f.exported, f.traced = old.exported, old.traced
	}
	if !p.charge(f.cost) {
		return
	}
	if replaces {
		p.release(old.cost)
	}
	p.functions.writable(p)[name] = &f
	p.status = 0
}

const functionCost = 512

// definitionSource is the file that a function defined now comes from.
func (p *proc) definitionSource() string {
	if s := p.currentSource(); s != "" {
		return s
	}
	return "environment"
}

// timed is time pipeline.
type timed struct {
	posix bool
	body  node
}

func (n *timed) run(p *proc) {
	start := p.session.config.Now()
	if n.body != nil {
		n.body.run(p)
	} else {
		p.status = 0
	}
	if p.flow == flowKilled {
		return
	}
	p.reportTime(p.session.config.Now().Sub(start), n.posix)
}

// selectLoop is select name in words.
type selectLoop struct{ *forLoop }

func (n *selectLoop) run(p *proc) {
	p.line = n.line
	if !validName(n.name) {
		p.errorf("`%s': not a valid identifier", n.name)
		if p.status = 1; p.options.has(optPosix) {
			p.exit(2)
		}
		return
	}
	mark := p.scratched
	list, ok := n.list(p)
	if !ok {
		return
	}
	if p.runs(commandText{n.tree, n.text, commandHead}); p.options.has(optXtrace) {
		p.traceHead(n.tree, n.text)
	}
	if len(list) == 0 {
		p.status = 0
		return
	}
	if p.debugTrap() {
		return
	}
	p.loops++
	menu := true
	for !p.checkpoint() {
		if menu {
			p.writeError(selectMenu(list, p.columns()))
		}
		prompt, ok := p.get("PS3")
		if !ok {
			prompt = "#? "
		}
		p.writeError(prompt)
		line, ok := p.readLine()
		if !ok {
			p.write("\n")
			p.flushOut()
			p.status = 1
			break
		}
		p.set("REPLY", line)
		if menu = line == ""; menu {
			continue
		}
		choice := ""
		if i, err := strconv.Atoi(strings.TrimSpace(line)); err == nil && i >= 1 && i <= len(list) {
			choice = list[i-1]
		}
		if !p.assign(n.symbol, choice, false) {
			break
		}
		n.body.run(p)
		if p.flow != flowNone && p.leaves() {
			break
		}
		if r, _ := p.get("REPLY"); r == "" {
			menu = true
		}
	}
	p.loops--
	p.unscratch(mark)
}

// selectMenu lays the choices out in columns as bash does.
func selectMenu(list []string, width int) string {
	digits := len(strconv.Itoa(len(list)))
	longest := 0
	for _, s := range list {
		longest = max(longest, len([]rune(s)))
	}
	longest += digits + 2 // number, ") "
	column := longest + 2
	columns := max(1, width/column)
	rows := (len(list) + columns - 1) / columns
	columns = (len(list) + rows - 1) / rows
	if rows == 1 {
		rows, columns = columns, 1
	}
	first := len(strconv.Itoa(rows))
	var b strings.Builder
	for r := 0; r < rows; r++ {
		at := 0
		for i := r; i < len(list); i += rows {
			d := digits
			if i < rows {
				d = first
			}
			number := strconv.Itoa(i + 1)
			b.WriteString(strings.Repeat(" ", max(0, d-len(number))) + number + ") " + list[i])
			if i+rows >= len(list) {
				break
			}
			used := at + d + 2 + len([]rune(list[i]))
			for to := at + column; used < to; {
				if to/8 > used/8 {
					b.WriteByte('\t')
					used += 8 - used%8
				} else {
					b.WriteByte(' ')
					used++
				}
			}
			at += column
		}
		b.WriteByte('\n')
	}
	return b.String()
}
