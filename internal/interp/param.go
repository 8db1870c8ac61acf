package interp

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/vsh-project/vsh/internal/parse"
)

// parameterKind says what a parameter's name is.
type parameterKind uint8

const (
	kindVariable parameterKind = iota
	kindPosition               // $1 …
	kindSpecial                // $? $# $$ $! $- $0
	kindList                   // $@ $*
)

// target is what a parameter expansion looks at.
type target struct {
	name   string
	kind   parameterKind
	symbol symbol
	number int
	// index is the subscript, text what it was written as.
	index *subscript
	text  string
}

// classify finds out what a name names.
func (s *Session) classify(name string) target {
	t := target{name: name}
	switch {
	case name == "@" || name == "*":
		t.kind = kindList
	case name[0] >= '1' && name[0] <= '9' || name[0] == '0' && len(name) > 1:
		t.kind = kindPosition
		n, err := strconv.Atoi(name)
		if err != nil {
			n = 1 << 30
		}
		if t.number = n; n == 0 {
			t.kind, t.name = kindSpecial, "0"
		}
	case name == "0" || len(name) == 1 && strings.IndexByte("?#$!-", name[0]) >= 0:
		t.kind = kindSpecial
	default:
		t.symbol = s.symbol(name)
	}
	return t
}

// shown is how messages name the target.
func (t *target) shown() string {
	switch {
	case t.kind != kindVariable:
		return "$" + t.name
	case t.index != nil:
		return t.name + "[" + t.text + "]"
	}
	return t.name
}

// unset is how set -u names the parameter, which is t.
func (x *parameter) unset(t *target) string {
	if x.indirect {
		return "!" + x.written()
	}
	if x.braces && t == &x.target {
		return t.written()
	}
	return t.shown()
}

// written is the parameter's name and subscript as they stand in the source.
func (t *target) written() string {
	if t.index != nil {
		return t.name + "[" + t.text + "]"
	}
	return t.name
}

// content is what a target holds.
type content struct {
	s    string
	set  bool
	list []string
	// isList is set for "$@", a[*] and their like, star for the latter's sort.
	isList, star bool
	// v is the variable, keys those of list, where an operator asks for them.
	v *variable
}

// parameter is ${…}.
type parameter struct {
	target
	quoted bool
	in     quoting
	// indirect is ${!x}, length ${#x}; names is '@' or '*' of ${!x@}.
	indirect, length bool
	names            byte
	op               operator
	colon            bool  // of :- := :? :+
	operand          *word // word or pattern
	with             *word // the string of a replacement
	all, toggle      bool  // ${x//p/r}, ${x~}
	apart            bool  // "$@" or the like stands in the same quotes
	letter           byte  // of ${x@Q}
	offset, size     *arithmetic
	braces           bool   // written ${1}, not $1
	source           string // as it was written, where ${x@} has no such operator
}

// operator is that of a parameter expansion.
type operator uint8

const (
	opNone operator = iota
	opDefault
	opAssign
	opError
	opAlternate
	opShortPrefix
	opLongPrefix
	opShortSuffix
	opLongSuffix
	opReplace
	opCaseFirst
	opCaseAll
	opLowerFirst
	opLowerAll
	opTransform
	opSlice
)

// parameter prepares a parameter expansion.
func (c *compiler) parameter(x *syntax.ParamExp, in quoting) piece {
	if text, bad := parse.BadSubstitution(x); bad {
		return &badSubstitution{text}
	}
	if x.Param == nil || x.Param.Value == "" {
		return &badSubstitution{c.source(x.Pos(), x.End())}
	}
	e := &parameter{target: c.session.classify(x.Param.Value), quoted: in.quoted(), in: in, braces: !x.Short, indirect: x.Excl, length: x.Length}
	if x.Index != nil {
		e.index, e.text = c.subscript(x.Index), c.subscriptText(x.Index)
	}
	switch {
	case x.Names == syntax.NamesPrefix:
		e.names = '*'
	case x.Names == syntax.NamesPrefixWords:
		e.names = '@'
	case x.Slice != nil:
		e.op = opSlice
		command := e.written() + ": "
		if e.indirect {
			command = "!" + command
		}
		e.offset = c.arithmetic(x.Slice.Offset).of(command)
		if x.Slice.Length != nil {
			e.size = c.arithmetic(x.Slice.Length).of(command)
		}
	case x.Repl != nil:
		e.op, e.all = opReplace, x.Repl.All
		e.operand = c.operandWord(x.Repl.Orig, inPlain)
		if x.Repl.With != nil {
			e.with = c.operandWord(x.Repl.With, inPlain)
		}
	case x.Exp != nil:
		if !c.operation(e, x) {
			return &badSubstitution{c.source(x.Pos(), x.End())}
		}
	}
	return e
}

// operation prepares the operator with a word.
func (c *compiler) operation(e *parameter, x *syntax.ParamExp) bool {
	value := false
	if text, ok := parse.Transformation(x.Exp); ok {
		if e.op = opTransform; len(text) == 1 {
			e.letter = text[0]
		} else {
			e.source = text
		}
		return true
	}
	if e.kind == kindSpecial {
		switch x.Exp.Op {
		case syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll:
			return false
		}
	}
	switch x.Exp.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		e.op, value = opAlternate, true
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		e.op, value = opDefault, true
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		e.op, value = opError, true
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		e.op, value = opAssign, true
	case syntax.RemSmallSuffix:
		e.op = opShortSuffix
	case syntax.RemLargeSuffix:
		e.op = opLongSuffix
	case syntax.RemSmallPrefix:
		e.op = opShortPrefix
	case syntax.RemLargePrefix:
		e.op = opLongPrefix
	case syntax.UpperFirst:
		e.op = opCaseFirst
	case syntax.UpperAll:
		e.op = opCaseAll
	case syntax.LowerFirst:
		e.op = opLowerFirst
	case syntax.LowerAll:
		e.op = opLowerAll
	case syntax.OtherParamOps:
		e.op = opTransform
		if l := x.Exp.Word.Lit(); len(l) == 1 && strings.Contains("UuLQEPAKak", l) {
			e.letter = l[0]
			return true
		}
		return false
	default:
		return false
	}
	switch x.Exp.Op {
	case syntax.AlternateUnsetOrNull, syntax.DefaultUnsetOrNull, syntax.ErrorUnsetOrNull, syntax.AssignUnsetOrNull:
		e.colon = true
	}
	w := x.Exp.Word
	in := inPlain
	if value {
		in = e.in
	} else {
		w, e.toggle = parse.CaseToggle(x.Exp)
	}
	if w != nil || value || e.op <= opLongSuffix {
		e.operand = c.operandWord(w, in)
	}
	return true
}

// subscriptText is a subscript as it was written.
func (c *compiler) subscriptText(x syntax.ArithmExpr) string {
	i := parse.Subscript(x)
	if i.All != 0 {
		return string(i.All)
	}
	if i.Key == nil || len(i.Key.Parts) == 0 {
		return ""
	}
	text := c.source(i.Key.Pos(), i.Key.End())
	if i.Key == i.Arithmetic && len(text) > 1 && text[0] == '"' {
		text = text[1 : len(text)-1]
	}
	return parse.Unmap(text)
}

// badSubstitution is an expansion that bash refuses when it comes to it.
type badSubstitution struct{ text string }

func (x *badSubstitution) expand(p *proc, b *builder) bool {
	p.errorf("%s: bad substitution", x.text)
	p.giveUp()
	return false
}

// fatal ends the shell after an error such as that of ${x?}; the message is out.
func (p *proc) fatal() {
	if p.exiting { // in the EXIT trap: the shell's status stands
		p.exit(p.exitStatus)
		return
	}
	if p.subshell == 0 && p.source == "" && p.shellMode != 's' && !p.options.has(optErrexit) {
		p.exit(statusUnbound)
		return
	}
	p.exit(1)
}

// unbound reports a parameter that set -u does not let be unset.
func (p *proc) unbound(name string) bool {
	p.errorf("%s: unbound variable", name)
	p.fatal()
	return false
}

// alone is the parameter if it is a variable's, a position's or a special
// parameter's bare value.
func (x *parameter) alone() *parameter {
	if x.op != opNone || x.indirect || x.length || x.names != 0 || x.index != nil || x.kind == kindList {
		return nil
	}
	return x
}

// edits is the parameter if it is one value that an operator edits.
func (x *parameter) edits() *parameter {
	if x.op < opShortPrefix || x.op > opLowerAll || x.indirect || x.kind == kindList || x.index != nil && x.index.all != 0 {
		return nil
	}
	return x
}

// edited is the value of such a parameter; done is false where it needs the
// long way.
func (x *parameter) edited(p *proc) (s string, done, ok bool) {
	c, ok := p.fetch(&x.target)
	if !ok {
		return "", false, false
	}
	if c.isList || !c.set {
		return "", false, true
	}
	edit, ok := x.editor(p)
	if !ok {
		return "", false, false
	}
	s, ok = edit(c.s)
	return s, ok, ok
}

// mayVanish reports whether in double quotes the expansion may be no field.
func (x *parameter) mayVanish() bool {
	return x.kind == kindList && x.name == "@" || x.index != nil && x.index.all == '@' || x.names == '@' || x.indirect ||
		x.kind == kindVariable && x.index == nil || x.operand != nil
}

// arguments reports whether the expansion is "$@" or the like, or may be by its
// operand.
func (x *parameter) arguments() bool {
	if x.kind == kindList && x.name == "@" || x.index != nil && x.index.all == '@' {
		return !x.length
	}
	if x.operand == nil || x.op < opDefault || x.op > opAlternate {
		return false
	}
	for _, part := range x.operand.pieces {
		if e, ok := part.(*parameter); ok && e.arguments() {
			return true
		}
	}
	return false
}

// simple is the value of a parameter that stands alone; ok is false where the
// long way must be gone.
func (x *parameter) simple(p *proc) (string, bool) {
	switch x.kind {
	case kindVariable:
		v := p.vars.get(x.symbol)
		if v != nil && v.attrs&(attrNameref|attrDynamic|attrArray) == 0 && v.set {
			return v.value.s, true
		}
	case kindPosition:
		if x.number <= len(p.args) {
			return p.args[x.number-1], true
		}
	}
	return "", false
}

// special is the value of a special parameter.
func (p *proc) special(name byte) (string, bool) {
	switch name {
	case '?':
		return strconv.Itoa(p.status), true
	case '#':
		return strconv.Itoa(len(p.args)), true
	case '$':
		return strconv.Itoa(p.shellPID), true
	case '!':
		if p.lastJob == 0 {
			return "", false
		}
		return strconv.Itoa(p.lastJob), true
	case '-':
		return p.dash(), true
	}
	return p.name, true
}

// fetch looks a target up.
func (p *proc) fetch(t *target) (content, bool) {
	switch t.kind {
	case kindPosition:
		if t.number <= len(p.args) {
			return content{s: p.args[t.number-1], set: true}, true
		}
		return content{}, true
	case kindSpecial:
		s, set := p.special(t.name[0])
		return content{s: s, set: set}, true
	case kindList:
		return content{list: p.args, isList: true, star: t.name == "*", set: len(p.args) > 0}, true
	}
	v := p.vars.get(t.symbol)
	if v != nil && v.attrs&(attrNameref|attrDynamic) != 0 {
		r, ok := p.resolve(t.symbol)
		if !ok && !r.global {
			return content{}, true
		}
		if v = p.referred(r); r.global && t.index != nil {
			p.warnCircle(t.symbol)
		}
		if r.element && t.index == nil {
			if r.subscript == "@" || r.subscript == "*" {
				return content{list: v.values(nil), isList: true, star: r.subscript == "*", set: v.count() > 0, v: v}, true
			}
			s, set := p.elementValue(v, r.subscript)
			return content{s: s, set: set, v: v}, p.flow == flowNone
		}
	}
	if t.index == nil {
		s, set := v.scalar()
		return content{s: s, set: set, v: v}, true
	}
	if t.index.all != 0 {
		if n := int64(v.count()) * 16; n > keptBuilder && !p.scratch(n) {
			return content{}, false
		}
		list := v.values(make([]string, 0, v.count()))
		return content{list: list, isList: true, star: t.index.all == '*', set: len(list) > 0, v: v}, true
	}
	if v != nil && v.assoc != nil {
		key, ok := t.index.key(p)
		if !ok {
			return content{}, false
		}
		s, set := v.assoc.get(key)
		return content{s: s, set: set, v: v}, true
	}
	i, ok := t.index.index(p, v)
	if !ok {
		return content{}, false
	}
	c := content{v: v}
	switch {
	case i < 0:
		p.errorf("%s: bad array subscript", t.name)
		if p.options.has(optErrexit) {
			p.giveUp()
			return content{}, false
		}
	case v == nil:
	case v.indexed != nil:
		c.s, c.set = v.indexed.get(i)
	case i == 0:
		c.s, c.set = v.scalar()
	}
	return c, true
}

func (x *parameter) expand(p *proc, b *builder) bool {
	t := &x.target
	var named *content
	if x.names != 0 {
		return b.list(p.namesWith(x.name), x.quoted, x.names == '*')
	}
	if x.indirect {
		if x.index != nil && x.index.all != 0 && x.op == opNone {
			keys, ok := p.keys(t)
			return ok && b.list(keys, x.quoted, x.joins(b, x.index.all == '*'))
		}
		other, done, ok := p.indirection(x)
		if !ok {
			return false
		}
		if done && x.op == opNone {
			return b.value(other.name, x.quoted)
		}
		if done { // the operator works on the name
			named = &content{s: other.name, set: true}
		}
		t = &other
	}
	if x.length {
		return x.expandLength(p, b, t)
	}
	var c content
	ok := true
	if named != nil {
		c = *named
	} else if c, ok = p.fetch(t); !ok {
		return false
	}
	switch x.op {
	case opNone:
		if c.isList {
			// In a here-document "$*" joins with blanks, but "${a[*]}" with IFS.
			return x.addList(b, c.list, c.star && (b.kind != resultDocument || t.kind != kindList))
		}
		if !c.set && p.options.has(optNounset) {
			return p.unbound(x.unset(t))
		}
		return b.value(c.s, x.quoted)
	case opDefault, opAssign, opError, opAlternate:
		return x.conditional(p, b, t, &c)
	}
	if !c.set && !c.isList && p.options.has(optNounset) {
		return p.unbound(x.unset(t))
	}
	if !c.set && !c.isList && x.op != opTransform {
		return b.value("", x.quoted)
	}
	switch x.op {
	case opSlice:
		return x.slice(p, b, t, &c)
	case opTransform:
		return x.transform(p, b, t, &c)
	}
	edit, ok := x.editor(p)
	if !ok {
		return false
	}
	if !c.isList {
		s, ok := edit(c.s)
		return ok && b.value(s, x.quoted)
	}
	out, ok := p.mapList(c.list, edit)
	return ok && x.addList(b, out, x.joins(b, c.star))
}

// joins reports whether the edited elements of a list that ends up in one
// string stand apart by the first character of IFS. Unlike "$@" itself, most
// of what is made of it does.
func (x *parameter) joins(b *builder, star bool) bool {
	switch {
	case b.kind == resultFields: // next to "$@" bash splits between the elements
		return star && !(x.apart && x.quoted && b.p.splitter().first != "")
	case b.kind == resultDocument, !star && b.p.splitter().first == "":
		return false
	}
	switch x.op {
	case opTransform, opShortPrefix, opLongPrefix, opShortSuffix, opLongSuffix:
		return true
	}
	return star || x.quoted
}

// addList adds a list. In the word of ${x-word}, unquoted, bash puts blanks
// between the elements, which IFS may not know.
func (x *parameter) addList(b *builder, list []string, star bool) bool {
	if x.in == inOperand && !star && b.kind == resultFields {
		if first := b.p.splitter().first; first != "" && first != " " {
			for i, s := range list {
				if i > 0 && !b.unquoted(" ") || !b.unquoted(s) {
					return false
				}
			}
			return true
		}
	}
	return b.list(list, x.quoted, star)
}

// mapList is the list with edit done to each element.
func (p *proc) mapList(list []string, edit func(string) (string, bool)) ([]string, bool) {
	if !p.scratch(int64(len(list)) * 16) {
		return nil, false
	}
	out := make([]string, len(list))
	for i, s := range list {
		if i&1023 == 1023 && p.stopped() {
			return nil, false
		}
		var ok bool
		if out[i], ok = edit(s); !ok {
			return nil, false
		}
	}
	return out, true
}

// expandLength is ${#x}.
func (x *parameter) expandLength(p *proc, b *builder, t *target) bool {
	if t.kind == kindVariable && t.index != nil && p.vars.get(t.symbol) == nil && !p.options.has(optNounset) {
		return b.number(0, x.quoted) // the subscript is not looked at
	}
	c, ok := p.fetch(t)
	if !ok {
		return false
	}
	if t.index == nil && p.vars.get(t.symbol).is(attrNameref) && t.kind == kindVariable && !p.options.has(optNounset) {
		if r, ok := p.resolve(t.symbol); ok && r.element {
			return b.number(0, x.quoted) // bash looks for a variable of that name
		}
	}
	n := len(c.list)
	if !c.isList {
		if !c.set && p.options.has(optNounset) {
			return p.unbound(x.unset(t))
		}
		n = characters(c.s)
	}
	return b.number(int64(n), x.quoted)
}

// namesWith are the names of the variables that begin with prefix.
func (p *proc) namesWith(prefix string) []string {
	var names []string
	for _, s := range p.sortedVariables(func(v *variable) bool { return v.set || v.count() > 0 || v.attrs&attrDynamic != 0 }) {
		if name := p.session.name(s); strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	return names
}

// keys are the subscripts of an array: ${!a[@]}.
func (p *proc) keys(t *target) ([]string, bool) {
	v := p.vars.get(t.symbol)
	if v != nil && v.attrs&(attrNameref|attrDynamic) != 0 {
		r, ok := p.resolve(t.symbol)
		if !ok && !r.global {
			return nil, true
		}
		v = p.referred(r)
	}
	n := v.count()
	if !p.scratch(int64(n) * 24) {
		return nil, false
	}
	keys := make([]string, 0, n)
	switch {
	case v == nil:
	case v.indexed != nil:
		v.indexed.each(func(i int64, _ string) bool { keys = append(keys, strconv.FormatInt(i, 10)); return true })
	case v.assoc != nil:
		v.assoc.each(func(key, _ string) bool { keys = append(keys, key); return true })
	case v.set:
		keys = append(keys, "0")
	}
	return keys, true
}

// indirection finds what ${!x} names. done says that the name itself is the
// result: x is a nameref.
func (p *proc) indirection(x *parameter) (t target, done, ok bool) {
	if x.kind == kindVariable && x.index == nil {
		if v := p.vars.get(x.symbol); v.is(attrNameref) && v.set {
			return target{name: p.lastReference(x.symbol)}, true, true
		}
	}
	c, ok := p.fetch(&x.target)
	if !ok {
		return t, false, false
	}
	name := c.s
	if c.isList {
		name = strings.Join(c.list, " ")
		if len(c.list) == 0 && x.kind == kindList && p.options.has(optNounset) {
			return t, false, p.unbound("!" + x.name)
		}
		if len(c.list) == 0 && x.kind == kindList {
			return target{name: ""}, true, true
		}
	}
	if !c.set && p.options.has(optNounset) && x.kind != kindVariable {
		return t, false, p.unbound("!" + x.name)
	}
	if !c.set {
		p.errorf("%s: invalid indirect expansion", x.written())
		p.giveUp()
		return t, false, false
	}
	base, sub, element := name, "", false
	if i := strings.IndexByte(name, '['); i > 0 && strings.HasSuffix(name, "]") {
		base, sub, element = name[:i], name[i+1:len(name)-1], true
	}
	special := len(base) == 1 && strings.IndexByte("@*#?-$!0123456789", base[0]) >= 0
	if !validName(base) && !allDigits(base) && (!special || element) || element && sub == "" {
		p.errorf("%s: invalid variable name", name)
		p.giveUp()
		return t, false, false
	}
	t = p.session.classify(base)
	if element {
		t.index, t.text = p.textSubscript(sub), sub
	}
	return t, false, true
}

// lastReference is what the last of the namerefs from s on names.
func (p *proc) lastReference(s symbol) string {
	name := ""
	for range maxNamerefs {
		v := p.vars.get(s)
		if !v.is(attrNameref) || !v.set || v.value.s == "" {
			break
		}
		if name = v.value.s; !validName(name) {
			break
		}
		s = p.session.symbol(name)
	}
	return name
}

func allDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// textSubscript is a subscript that an expansion produced.
func (p *proc) textSubscript(text string) *subscript {
	if text == "@" || text == "*" {
		return &subscript{all: text[0], w: &word{plain: true, fixed: text}}
	}
	if strings.ContainsAny(text, "$`\"'\\") {
		if s, ok := p.expandText(text); ok {
			text = s
		}
	}
	return &subscript{w: &word{plain: true, fixed: text}}
}

// conditional is ${x-word} and its like.
func (x *parameter) conditional(p *proc, b *builder, t *target, c *content) bool {
	null := !c.set
	if c.set && x.colon {
		switch {
		case !c.isList:
			null = c.s == ""
		case len(c.list) == 1:
			null = c.list[0] == ""
		case c.star && p.splitter().first == "":
			null = strings.Join(c.list, "") == ""
		}
	}
	if x.op == opAlternate {
		if null {
			if c.isList && !c.star && x.quoted && len(c.list) == 0 {
				b.vanished = true
			}
			return true
		}
		return x.operandPieces(b)
	}
	if !null {
		if c.isList {
			return b.list(c.list, x.quoted, c.star)
		}
		return b.value(c.s, x.quoted)
	}
	switch x.op {
	case opAssign:
		return x.assign(p, b, t)
	case opError:
		message := "parameter not set"
		if x.colon {
			message = "parameter null or not set"
		}
		if len(x.operand.pieces) > 0 {
			var ok bool
			if message, ok = x.operand.text(p); !ok {
				return false
			}
		}
		name := t.shown()
		if t.kind != kindVariable {
			name = t.name
		}
		p.errorf("%s: %s", name, message)
		p.fatal()
		return false
	}
	return x.operandPieces(b)
}

// operandPieces expands the word of ${x-word} in place.
func (x *parameter) operandPieces(b *builder) bool {
	pieces := x.operand.pieces
	if b.assigns && x.operand.valuePieces != nil {
		pieces = x.operand.valuePieces
	}
	vanished := b.vanished
	ok := b.expand(pieces)
	b.vanished = vanished
	return ok
}

// assign is ${x=word}.
func (x *parameter) assign(p *proc, b *builder, t *target) bool {
	if t.kind != kindVariable || t.index != nil && t.index.all != 0 {
		name := "$" + t.name
		if t.kind == kindVariable {
			p.errorf("%s: bad array subscript", t.shown())
		} else {
			p.errorf("%s: cannot assign in this way", name)
		}
		p.abort(1)
		return false
	}
	s, ok := x.operand.text(p)
	if !ok {
		return false
	}
	if t.index != nil {
		key, keyed := t.index.key(p)
		ok = keyed && p.assignElement(t.symbol, key, s, false)
	} else {
		ok = p.assign(t.symbol, s, false)
	}
	if !ok {
		if p.flow == flowNone {
			p.abort(1)
		}
		return false
	}
	c, ok := p.fetch(t)
	return ok && b.value(c.s, x.quoted)
}
