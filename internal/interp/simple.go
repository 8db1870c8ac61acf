package interp

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/vsh-project/vsh/internal/parse"
)

// simple is a simple command: assignments, words, redirections.
type simple struct {
	line, end    int
	assignments  []*assignment
	words        []*word
	redirections []*redirection
	// operands are the words of a declaration builtin, whose first word is the
	// builtin's name; nil otherwise.
	operands []*declared
	// keywords are the words behind the first that are assignments under set -k,
	// nil for the others; nil when there are none.
	keywords []*assignment
	check    bool
	// debugged says that the pipeline around it runs the DEBUG trap.
	debugged bool
	tree     *syntax.Stmt
	text     *compiler
}

// declared is one operand of a declaration builtin before expansion.
type declared struct {
	word       *word
	assignment *assignment
}

// commandText is a command for BASH_COMMAND, printed when somebody asks.
type commandText struct {
	tree *syntax.Stmt
	text *compiler
	part commandPart
}

type commandPart uint8

const (
	commandWhole commandPart = iota
	commandHead              // only the head of a loop or case
	commandInit              // the first expression of for (( ))
	commandCondition
	commandPost
)

// commandLine is the line that bash gives to a simple command: where its parser
// was when it knew one. That is the end of a leading assignment or redirection,
// but after a leading word the end of the token that follows.
func (c *compiler) commandLine(s *syntax.Stmt) int {
	var elements []syntax.Node
	assigned := false
	switch x := s.Cmd.(type) {
	case *syntax.CallExpr:
		assigned = len(x.Assigns) > 0
		for _, a := range x.Assigns[:min(1, len(x.Assigns))] {
			elements = append(elements, a)
		}
		for _, w := range x.Args[:min(2, len(x.Args))] {
			elements = append(elements, w)
		}
	case *syntax.DeclClause:
		elements = append(elements, x.Variant)
		for _, a := range x.Args[:min(1, len(x.Args))] {
			elements = append(elements, a)
		}
	}
	if len(s.Redirs) > 0 {
		r := s.Redirs[0]
		if len(elements) == 0 || elements[0].Pos().After(r.Pos()) {
			return c.lineOf(r.Word.End())
		}
		if len(elements) == 1 || elements[1].Pos().After(r.Pos()) {
			if !assigned {
				return c.lineOf(r.OpPos)
			}
		}
	}
	switch {
	case len(elements) == 0:
		return c.lineOf(s.Pos())
	case assigned || len(elements) == 1:
		return c.lineOf(elements[0].End())
	}
	return c.lineOf(elements[1].End())
}

func (c *compiler) simple(s *syntax.Stmt, x *syntax.CallExpr, check bool) node {
	c.at = c.commandLine(s)
	n := &simple{line: c.at, end: c.lineOf(s.End()), check: check, tree: s, text: c, redirections: c.redirections(s.Redirs)}
	if x != nil {
		for _, a := range x.Assigns {
			n.assignments = append(n.assignments, c.assignment(a))
		}
		for i, w := range x.Args {
			n.words = append(n.words, c.word(w))
			if a := keywordAssignment(w); a != nil {
				if n.keywords == nil {
					n.keywords = make([]*assignment, len(x.Args))
				}
				n.keywords[i] = c.assignment(a)
			}
		}
	}
	return n
}

// keywordAssignment reads a word as name=value or name+=value; nil when it is
// none.
func keywordAssignment(w *syntax.Word) *syntax.Assign {
	if len(w.Parts) == 0 {
		return nil
	}
	first, ok := w.Parts[0].(*syntax.Lit)
	if !ok {
		return nil
	}
	name, value, ok := strings.Cut(first.Value, "=")
	if !ok {
		return nil
	}
	name, add := strings.CutSuffix(name, "+")
	if !validName(name) {
		return nil
	}
	rest := *first
	rest.Value = value
	parts := append([]syntax.WordPart{&rest}, w.Parts[1:]...)
	return &syntax.Assign{Append: add, Name: &syntax.Lit{ValuePos: first.ValuePos, ValueEnd: first.ValueEnd, Value: name}, Value: &syntax.Word{Parts: parts}}
}

func (c *compiler) declaration(s *syntax.Stmt, x *syntax.DeclClause, check bool) node {
	c.at = c.commandLine(s)
	n := &simple{line: c.at, end: c.lineOf(s.End()), check: check, tree: s, text: c, redirections: c.redirections(s.Redirs)}
	n.words = []*word{c.word(&syntax.Word{Parts: []syntax.WordPart{x.Variant}})}
	n.operands = []*declared{}
	for _, a := range x.Args {
		switch {
		case a.Naked && a.Name == nil:
			n.operands = append(n.operands, &declared{word: c.word(a.Value)})
		case a.Naked && a.Index == nil:
			n.operands = append(n.operands, &declared{word: c.word(&syntax.Word{Parts: []syntax.WordPart{a.Name}})})
		default:
			n.operands = append(n.operands, &declared{assignment: c.assignment(a)})
		}
	}
	return n
}

// expandWords performs all expansions of words.
func (p *proc) expandWords(words []*word) ([]string, bool) {
	out := make([]string, 0, len(words))
	for _, w := range words {
		var ok bool
		if out, ok = w.fields(p, out); !ok {
			return nil, false
		}
	}
	return out, true
}

// unscratch gives back what was charged as scratch since mark.
func (p *proc) unscratch(mark int64) {
	if n := p.scratched - mark; n != 0 {
		p.scratched = mark
		p.release(n)
	}
}

func (n *simple) run(p *proc) {
	if p.checkpoint() {
		return
	}
	p.line, p.endLine = n.line, n.end
	p.runs(commandText{n.tree, n.text, commandWhole})
	if !n.debugged && p.debugTrap() {
		if p.flow < flowExit {
			p.status = 0
		}
		return
	}
	if p.options.has(optNoexec) {
		return
	}
	mark, opened := p.scratched, len(p.opened)
	p.substituted = -1
	n.execute(p)
	if p.death.signal != 0 {
		p.tellDeath()
	}
	if len(p.opened) > opened {
		p.closeSubstitutions(opened)
	}
	p.unscratch(mark)
	if p.flow == flowNone && p.status != 0 && n.check {
		p.failed()
	}
}

// execute does the work; p.status is the command's.
func (n *simple) execute(p *proc) {
	words, assignments := n.words, n.assignments
	if n.keywords != nil && p.options.has(optKeyword) {
		words, assignments = nil, append([]*assignment(nil), assignments...)
		for i, w := range n.words {
			if a := n.keywords[i]; a != nil {
				assignments = append(assignments, a)
			} else {
				words = append(words, w)
			}
		}
	}
	args, ok := p.expandWords(words)
	if !ok {
		return
	}
	if len(args) == 0 {
		n.assign(p)
		return
	}
	var operands []operand
	if n.operands != nil {
		if operands, ok = n.expandOperands(p); !ok {
			return
		}
	}
	c := call{name: args[0], args: args[1:], operands: operands, assignments: assignments, redirections: n.redirections}
	p.call(&c)
}

// assign is a command without a name: assignments and redirections.
func (n *simple) assign(p *proc) {
	p.builtinName = "" // not that of an eval around it
	for _, a := range n.assignments {
		if !a.perform(p) {
			if p.flow == flowNone {
				p.abortAssignment()
			}
			return
		}
	}
	substituted := p.substituted
	if len(n.redirections) > 0 {
		q := p
		if n.readsInput() {
			if q = p.fork(p.ctx); q == nil {
				return
			}
			q.jobs, q.exiting, q.subshell = jobTable{}, false, p.subshell
			substituted = -1
		}
		var undo undoList
		ok := q.redirect(n.redirections, &undo)
		q.restore(&undo)
		if !ok && q.flow == flowNone {
			q.done(1)
		}
		if q != p {
			q.end()
			p.cancelled()
		} else {
			substituted = p.substituted
		}
		if !ok {
			if p.flow == flowNone {
				p.done(q.status)
			}
			return
		}
	}
	if substituted < 0 {
		p.done(0)
	} else {
		p.done(substituted)
	}
	p.underscore("")
}

// readsInput reports whether a redirection of a command without a name is of
// standard input, or names a variable: bash performs such in another process,
// whose variables and status are not the shell's.
func (n *simple) readsInput() bool {
	for _, r := range n.redirections {
		if r.variable != "" {
			return true
		}
		if r.fd <= 0 && (r.op == syntax.RdrIn || r.op == syntax.RdrInOut || r.op == syntax.DplIn || r.fd == 0 && r.op == syntax.DplOut) {
			return true
		}
	}
	return false
}

// abortAssignment gives up after a refused assignment: the line, in POSIX mode
// the shell.
func (p *proc) abortAssignment() {
	switch {
	case !p.options.has(optPosix):
		p.giveUp()
	case p.shellMode == 'c' && p.subshell == p.baseSubshell:
		p.exit(127)
	default:
		p.exit(1)
	}
}

// done records the status of a foreground command.
func (p *proc) done(status int) {
	p.status = status
	p.pipeStatus = nil
	p.pipeOne = status
}

// underscore sets $_.
func (p *proc) underscore(s string) {
	v := p.vars.get(symUnderscore)
	if v == nil || v.epoch != p.epoch {
		v = &variable{epoch: p.epoch, set: true}
		p.vars.put(symUnderscore, v, p.epoch)
	}
	v.value = text{s: s}
	v.attrs &^= attrExport
}

// expandOperands expands the operands of a declaration builtin.
func (n *simple) expandOperands(p *proc) ([]operand, bool) {
	var out []operand
	for _, d := range n.operands {
		if d.assignment == nil {
			fields, ok := d.word.fields(p, nil)
			if !ok {
				return nil, false
			}
			for _, f := range fields {
				out = append(out, operand{word: f})
			}
			continue
		}
		a := d.assignment
		left := a.name
		if a.index != nil {
			key, ok := a.index.key(p)
			if !ok {
				return nil, false
			}
			left += "[" + key + "]"
		}
		if a.add {
			left += "+"
		}
		if a.array != nil {
			out = append(out, operand{word: left + "=", assignment: true, array: a.array})
			continue
		}
		value, ok := a.value.value(p)
		if !ok {
			return nil, false
		}
		out = append(out, operand{word: left + "=" + value, assignment: true})
	}
	return out, true
}

// assignment is name=value, name[subscript]=value or name=(…), or += of them.
type assignment struct {
	tree   *syntax.Assign
	text   *compiler
	symbol symbol
	name   string
	index  *subscript
	add    bool
	value  *word
	array  *arrayLiteral
}

func (c *compiler) assignment(a *syntax.Assign) *assignment {
	n := &assignment{tree: a, text: c, name: a.Name.Value, add: a.Append}
	n.symbol = c.session.symbol(n.name)
	if a.Index != nil {
		n.index = c.subscript(a.Index)
	}
	if a.Array != nil {
		n.array = c.arrayLiteral(a.Array)
	} else {
		n.value = c.word(a.Value)
	}
	return n
}

// perform carries the assignment out. false: refused or failed.
func (a *assignment) perform(p *proc) bool {
	if a.array != nil {
		if a.index != nil {
			key, _ := a.index.key(p)
			p.errorf("%s[%s]: cannot assign list to array member", a.name, key)
			return false
		}
		if p.options.has(optXtrace) {
			p.trace(a.name + a.operator() + a.array.source())
		}
		return p.assignArray(a.symbol, a.array, a.add, 0)
	}
	if a.index == nil {
		value, ok := a.value.value(p)
		if !ok {
			return false
		}
		if p.options.has(optXtrace) {
			p.trace(a.name + a.operator() + traceValue(value))
		}
		return p.assign(a.symbol, value, a.add)
	}
	return a.performElement(p)
}

func (a *assignment) operator() string {
	if a.add {
		return "+="
	}
	return "="
}

// left is the element that is assigned to, as it was written.
func (a *assignment) left() string {
	end := a.tree.End()
	if a.tree.Value != nil {
		end = a.tree.Value.Pos()
	}
	return strings.TrimRight(a.text.source(a.tree.Pos(), end), "+=")
}

// performElement is name[subscript]=value.
func (a *assignment) performElement(p *proc) bool {
	s := a.symbol
	if v := p.vars.get(s); v.is(attrNameref) {
		r, ok := p.resolve(s)
		if r.global {
			p.warnCircle(s)
			p.warnOwnName(s)
			return p.inGlobal(s, func() bool { return a.performElement(p) })
		}
		if !ok {
			return false
		}
		if r.element {
			p.errorf("`%s[%s]': not a valid identifier", p.session.name(r.symbol), r.subscript)
			return false
		}
		s = r.symbol
	}
	if p.vars.get(s).is(attrAssoc) {
		key, ok := a.index.key(p)
		if !ok {
			return false
		}
		value, ok := a.value.value(p)
		if !ok {
			return false
		}
		if p.options.has(optXtrace) {
			p.trace(a.left() + a.operator() + traceValue(value))
		}
		return p.assignElement(s, key, value, a.add)
	}
	value, ok := a.value.value(p)
	if !ok {
		return false
	}
	if a.index.all != 0 || a.index.missing {
		p.errorf("%s[%s]: bad array subscript", a.name, a.index.w.fixed)
		return false
	}
	i, ok := a.index.index(p, p.find(s))
	if !ok {
		return false
	}
	if p.options.has(optXtrace) {
		p.trace(a.left() + a.operator() + traceValue(value))
	}
	if i < 0 {
		key, _ := a.index.key(p)
		p.errorf("%s[%s]: bad array subscript", a.name, key)
		return false
	}
	v, ok := p.arrayForWrite(s)
	if !ok {
		return false
	}
	t, fresh := p.elementSlot(v, "", i)
	return p.storeText(s, v, t, fresh, value, a.add)
}

// arrayLiteral is the (…) of an array assignment.
type arrayLiteral struct {
	elements []arrayElement
	text     *compiler
	tree     *syntax.ArrayExpr
}

// source is the literal as written.
func (l *arrayLiteral) source() string { return newPrinter(l.text.lines).array(l.tree) }

// arrayElement is [subscript]=value, or words that go to the next indexes.
type arrayElement struct {
	index *subscript
	add   bool
	value *word
}

func (c *compiler) arrayLiteral(x *syntax.ArrayExpr) *arrayLiteral {
	n := &arrayLiteral{text: c, tree: x}
	for _, e := range x.Elems {
		el := arrayElement{value: c.element(e.Value)}
		if e.Index != nil {
			el.index = c.subscript(e.Index)
			el.add = el.index.add
		}
		n.elements = append(n.elements, el)
	}
	return n
}

// assignArray is name=(…) or name+=(…). attrs asks for an associative or
// indexed array where the variable is none yet.
func (p *proc) assignArray(s symbol, lit *arrayLiteral, add bool, attrs attr) bool {
	if r, ok := p.resolve(s); r.global {
		p.warnOwnName(s)
		return p.inGlobal(s, func() bool { return p.assignArray(s, lit, add, attrs) })
	} else if !ok {
		return false
	} else if !r.element {
		s = r.symbol
	}
	v := p.find(s)
	assoc := v.is(attrAssoc) || attrs&attrAssoc != 0
	// The elements are expanded before the variable changes: a=("${a[@]}" x).
	type item struct {
		key   string
		index int64
		keyed bool
		add   bool
		value string
	}
	var items []item
	indexed := !assoc
	keyless := assoc && len(lit.elements) > 0 && lit.elements[0].index == nil
	for i := range lit.elements {
		e := &lit.elements[i]
		if e.index == nil {
			fields, ok := e.value.fields(p, nil)
			if keyless {
				fields = nil
				var s string
				s, ok = e.value.text(p)
				fields = append(fields, s)
			}
			if !ok {
				return false
			}
			for _, f := range fields {
				items = append(items, item{value: f})
			}
			continue
		}
		it := item{keyed: true, add: e.add}
		key, ok := e.index.key(p)
		if !ok {
			return false
		}
		it.key = key
		if it.value, ok = e.value.value(p); !ok {
			return false
		}
		items = append(items, it)
	}
	if p.tracesArrays {
		words := make([]string, len(items))
		for i, it := range items {
			if words[i] = singleQuote(it.value); it.keyed {
				words[i] = "[" + singleQuote(it.key) + "]=" + words[i]
			}
		}
		p.trace(p.session.name(s) + map[bool]string{true: "+=(", false: "=("}[add] + strings.Join(words, " ") + ")")
	}
	v, ok := p.arrayForWriteAs(s, attrs)
	if !ok {
		return false
	}
	if !add {
		p.clearArray(v)
	}
	v.set = true
	if indexed {
		next := int64(0)
		if add {
			if v.indexed != nil {
				next = v.indexed.max() + 1
			}
		} else {
			v.indexed = &indexedEmpty
			v.indexed = v.indexed.clone(p.epoch)
		}
		for _, it := range items {
			if it.keyed {
				i, ok := p.index(v, it.key)
				if !ok {
					return false
				}
				if i < 0 || it.key == "" {
					p.errorf("[%s]=%s: bad array subscript", it.key, it.value)
					continue
				}
				next = i
			}
			t, fresh := p.elementSlot(v, "", next)
			if !p.storeText(s, v, t, fresh, it.value, it.add) {
				return false
			}
			next++
		}
		return true
	}
	if v.assoc == nil {
		v.assoc = newAssoc(p.epoch)
	}
	for i := 0; i < len(items); i++ {
		it := items[i]
		if !it.keyed {
			if !keyless {
				p.errorf("%s: %s: must use subscript when assigning associative array", p.session.name(s), it.value)
				continue
			}
			it.key, it.value = it.value, ""
			if i+1 < len(items) {
				it.value = items[i+1].value
			}
			i++
		}
		if it.key == "" {
			value, _ := p.quoteValue(it.value)
			p.errorf("['']=%s: bad array subscript", value)
			continue
		}
		t, fresh := p.elementSlot(v, it.key, 0)
		if fresh && !p.charge(int64(len(it.key))) {
			return false
		}
		if !p.storeText(s, v, t, fresh, it.value, it.add) {
			return false
		}
	}
	return true
}

var indexedEmpty indexed

// arrayForWriteAs is arrayForWrite for an array of the kind attrs asks for.
func (p *proc) arrayForWriteAs(s symbol, attrs attr) (*variable, bool) {
	if attrs&attrAssoc != 0 {
		v := p.vars.get(s)
		if v == nil {
			v = &variable{epoch: p.epoch}
			p.vars.put(s, v, p.epoch)
		}
		if v.attrs&(attrReadonly|attrArray) == 0 {
			v = p.own(s, v)
			v.attrs |= attrAssoc
			v.assoc = newAssoc(p.epoch)
			if v.set {
				t, _ := v.assoc.slot("0")
				*t = v.value
				v.value, v.numeric = text{}, false
			}
		}
	}
	return p.arrayForWrite(s)
}

// clearArray empties an own array.
func (p *proc) clearArray(v *variable) {
	p.release(p.reclaimElements(v))
	v.indexed = nil
	switch {
	case v.assoc != nil:
		v.assoc = newAssoc(p.epoch)
	case v.attrs&attrIndexed != 0: // not nil: v is no scalar
		v.indexed = &indexed{epoch: p.epoch}
	}
}

// splitAssignment takes "name=value", "name+=value" and "name[sub]=value"
// apart; ok is false when word is no assignment.
func splitAssignment(word string) (name, subscript, value string, element, add, ok bool) {
	i := 0
	for i < len(word) && (word[i] == '_' || word[i]|0x20 >= 'a' && word[i]|0x20 <= 'z' || i > 0 && word[i] >= '0' && word[i] <= '9') {
		i++
	}
	if i == 0 || i == len(word) {
		return
	}
	name = word[:i]
	rest := word[i:]
	if rest[0] == '[' {
		depth := 0
		end := -1
		for k := 0; k < len(rest); k++ {
			if rest[k] == '[' {
				depth++
			} else if rest[k] == ']' {
				if depth--; depth == 0 {
					end = k
					break
				}
			}
		}
		if end < 0 {
			return
		}
		subscript, element = rest[1:end], true
		rest = rest[end+1:]
	}
	if strings.HasPrefix(rest, "+=") {
		return name, subscript, rest[2:], element, true, true
	}
	if strings.HasPrefix(rest, "=") {
		return name, subscript, rest[1:], element, false, true
	}
	return
}

// deferred is what the parser found wrong with a command that bash would only
// refuse when it runs.
type deferred struct {
	line  int
	kind  parse.Kind
	text  string
	check bool
}

func (n *deferred) run(p *proc) {
	if p.checkpoint() {
		return
	}
	p.line = n.line
	switch n.kind {
	case parse.Nothing:
		p.done(0)
		return
	case parse.SyntaxFailure:
		name := p.name
		if s := p.currentSource(); s != "" {
			name = s
		}
		p.flushOut()
		for _, line := range strings.Split(n.text, "\n") {
			p.writeError(name + ": command substitution: " + line + "\n")
		}
		p.exit(2)
		return
	}
	p.errorf("%s", n.text)
	p.done(1)
	if n.check {
		p.failed()
	}
}
