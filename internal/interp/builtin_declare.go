package interp

import (
	"sort"
	"strconv"
	"strings"
)

// declare and its kin, and unset.

func init() { builtinTables = append(builtinTables, declareBuiltins) }

func declareBuiltins() []builtin {
	const listing = " or declare -p [-aAfFilnrtux] [name ...]"
	return []builtin{
		{name: "declare", declare: func(p *proc, o []operand) int { return builtinDeclare(p, "declare", o) }, usage: "declare [-aAfFgiIlnrtux] [name[=value] ...]" + listing},
		{name: "typeset", declare: func(p *proc, o []operand) int { return builtinDeclare(p, "typeset", o) }, usage: "typeset [-aAfFgiIlnrtux] name[=value] ..." + strings.Replace(listing, "declare", "typeset", 1)},
		{name: "local", declare: builtinLocal, usage: "local [option] name[=value] ..."},
		{name: "export", special: true, declare: builtinExport, usage: "export [-fn] [name[=value] ...] or export -p"},
		{name: "readonly", special: true, declare: builtinReadonly, usage: "readonly [-aAf] [name[=value] ...] or readonly -p"},
		{name: "unset", special: true, run: builtinUnset, usage: "unset [-f] [-v] [-n] [name ...]"},
	}
}

// declaration is what the options of a declare ask for.
type declaration struct {
	builtin string
	// on and off are attributes to give and to take.
	on, off attr
	// functions is -f, names -F, global -g, inherit -I, print -p.
	functions, names, global, inherit, print bool
	// local makes variables of the running function.
	local bool
}

// attributeLetters are the option letters of attributes.
func attributeLetter(letter byte) attr {
	switch letter {
	case 'a':
		return attrIndexed
	case 'A':
		return attrAssoc
	case 'i':
		return attrInteger
	case 'l':
		return attrLower
	case 'u':
		return attrUpper
	case 'c':
		return attrCapital
	case 'n':
		return attrNameref
	case 'r':
		return attrReadonly
	case 't':
		return attrTrace
	case 'x':
		return attrExport
	}
	return 0
}

// attributes is how declare -p shows attributes: "-ir", "--" for none.
func (a attr) String() string {
	s := "-"
	for _, letter := range []byte("aAinrtxclu") {
		if a&attributeLetter(letter) != 0 {
			s += string(letter)
		}
	}
	if s == "-" {
		return "--"
	}
	return s
}

// options reads the leading options. ok is false when the call is over.
func (d *declaration) options(p *proc, operands []operand, allowed string) (rest []operand, status int, ok bool) {
	for len(operands) > 0 {
		word := operands[0].word
		if len(word) < 2 || word[0] != '-' && word[0] != '+' || operands[0].assignment {
			break
		}
		operands = operands[1:]
		if word == "--" {
			break
		}
		on := word[0] == '-'
		for i := 1; i < len(word); i++ {
			c := word[i]
			a := attributeLetter(c)
			if strings.IndexByte(allowed, c) < 0 || a == 0 && !on && c != 'p' && c != 'f' && c != 'F' && c != 'g' && c != 'I' {
				p.errorf("%s: %c%c: invalid option", d.builtin, word[0], c)
				return nil, p.usageOf(d.builtin), false
			}
			switch {
			case a != 0 && on:
				d.on |= a
			case a != 0:
				d.off |= a
			case c == 'p':
				d.print = true
			case c == 'f':
				d.functions = on
			case c == 'F':
				d.functions, d.names = on, on
			case c == 'g':
				d.global = true
			case c == 'I':
				d.inherit = true
			}
		}
	}
	// Contradictory case conversions cancel out.
	if n := d.on & (attrLower | attrUpper | attrCapital); n&(n-1) != 0 {
		d.on &^= n
		d.off |= n
	}
	return operands, 0, true
}

func builtinDeclare(p *proc, name string, operands []operand) int {
	d := declaration{builtin: name}
	operands, status, ok := d.options(p, operands, "aAfFgiIlnprtuxc")
	if !ok {
		return status
	}
	d.local = p.functionFrame() != nil && !d.global
	switch {
	case len(operands) == 0 && d.functions:
		p.toldOnly = true
		return p.listFunctions(d)
	case len(operands) == 0:
		p.toldOnly = d.print
		return p.listVariables(d)
	case d.functions:
		return p.declareFunctions(d, operands)
	case d.print:
		return p.printVariables(d, operands)
	}
	return p.declareAll(d, operands)
}

func builtinLocal(p *proc, operands []operand) int {
	d := declaration{builtin: "local", local: true}
	fr := p.functionFrame()
	if fr == nil {
		p.errorf("local: can only be used in a function")
		return 1
	}
	operands, status, ok := d.options(p, operands, "aAfFgiIlnprtuxc")
	if !ok {
		return status
	}
	if len(operands) == 1 && operands[0].word == "-" {
		if fr = p.ownFrame(fr); fr.options == nil {
			fr.options = &savedOptions{p.options}
		}
		return 0
	}
	if len(operands) == 0 {
		p.listLocals(fr)
		return 0
	}
	if d.print {
		return p.printVariables(d, operands)
	}
	var rest []operand
	for _, o := range operands {
		if o.word == "-" {
			if fr = p.ownFrame(fr); fr.options == nil {
				fr.options = &savedOptions{p.options}
			}
			continue
		}
		rest = append(rest, o)
	}
	return p.declareAll(d, rest)
}

func builtinExport(p *proc, operands []operand) int {
	return attributeBuiltin(p, operands, "export", attrExport, "fnp")
}

func builtinReadonly(p *proc, operands []operand) int {
	return attributeBuiltin(p, operands, "readonly", attrReadonly, "aAfnp")
}

// attributeBuiltin is export and readonly.
func attributeBuiltin(p *proc, operands []operand, name string, a attr, allowed string) int {
	d := declaration{builtin: name}
	operands, status, ok := d.options(p, operands, allowed)
	if !ok {
		return status
	}
	remove := d.on&attrNameref != 0
	d.on &^= attrNameref
	if len(operands) == 0 {
		d.on |= a
		if d.functions {
			return p.listFunctions(d)
		}
		return p.listVariables(d)
	}
	if d.functions {
		return p.attributeFunctions(d, operands, a, remove)
	}
	switch {
	case !remove:
		d.on |= a
	case a != attrReadonly: // which nothing takes away
		d.off |= a
	}
	return p.declareAll(d, operands)
}

// declareAll carries out name and name=value operands.
func (p *proc) declareAll(d declaration, operands []operand) int {
	status := 0
	for i := range operands {
		if !p.declareOne(d, &operands[i]) {
			status = 1
		}
		if p.flow != flowNone {
			return p.status
		}
	}
	return status
}

// declareOne carries out one operand. false: refused, and the message is out.
func (p *proc) declareOne(d declaration, o *operand) bool {
	name, subscript, value, element, add, assigns := splitAssignment(o.word)
	if !assigns {
		name = o.word
		if i := strings.IndexByte(name, '['); i > 0 && strings.HasSuffix(name, "]") {
			name, subscript, element = o.word[:i], o.word[i+1:len(o.word)-1], true
		}
	}
	if !validName(name) || element && (d.builtin == "export" || d.builtin == "readonly") {
		shown := o.word
		if element {
			shown = name + "[" + subscript + "]"
		}
		p.errorf("%s: `%s': not a valid identifier", d.builtin, shown)
		return false
	}
	if d.on&attrArray != 0 && !element && o.array == nil {
		d.on &^= attrNameref // an array wins
	}
	if d.on&attrNameref != 0 {
		switch {
		case element || o.array != nil:
			shown := name
			if element {
				shown += "[" + subscript + "]"
			}
			p.errorf("%s: %s: reference variable cannot be an array", d.builtin, shown)
			return false
		case assigns && value == "":
			p.errorf("%s: `': not a valid identifier", d.builtin)
			return false
		case assigns && !validReference(value):
			p.errorf("%s: `%s': invalid variable name for name reference", d.builtin, value)
			return false
		case assigns && value == name && !d.local:
			p.errorf("%s: %s: nameref variable self references not allowed", d.builtin, name)
			return false
		case assigns && value == name:
			p.errorf(d.builtin+": warning: %s: circular name reference", name)
		}
	}
	s := p.session.symbol(name)
	if d.off&attrNameref != 0 { // of the last in a chain
		for range maxNamerefs {
			v := p.vars.get(s)
			if !v.is(attrNameref) || !v.set || !validName(v.value.s) {
				break
			}
			to := p.session.symbol(v.value.s)
			if !p.vars.get(to).is(attrNameref) {
				break
			}
			s, name = to, v.value.s
		}
	}
	if d.local {
		if !p.makeLocal(d, s, name) {
			return false
		}
	} else {
		if d.global {
			if visible := p.vars.get(s); visible != nil && visible.level > 0 {
				p.vars.put(s, p.global(s), p.epoch)
				ok := p.declareVisible(d, o, s, name, subscript, value, element, add, assigns)
				changed := p.vars.get(s)
				p.vars.put(s, visible, p.epoch)
				p.putGlobal(s, changed)
				return ok
			}
		}
		if v := p.vars.get(s); v.is(attrNameref) && (d.on|d.off)&attrNameref == 0 {
			r, ok := p.resolve(s)
			if !ok {
				return false
			}
			s, name = r.symbol, p.session.name(r.symbol)
			if r.element && !element {
				subscript, element = r.subscript, true
			}
		}
	}
	return p.declareVisible(d, o, s, name, subscript, value, element, add, assigns)
}

// makeLocal makes the variable s one of the running function.
func (p *proc) makeLocal(d declaration, s symbol, name string) bool {
	fr := p.functionFrame()
	old := p.vars.get(s)
	if old != nil && old.level == fr.level {
		return true
	}
	if old.is(attrReadonly) && old.level == 0 {
		p.errorf("%s: %s: readonly variable", d.builtin, name)
		return false
	}
	if old.is(attrDynamic|attrNoAssign) && old.attrs&attrNoAssign != 0 {
		return true
	}
	v := p.hide(fr, s)
	// The value of a temporary assignment to the call itself is inherited.
	temporary := old != nil && fr.parent != nil && fr.parent.kind == frameTemporary && old.level == fr.parent.level
	if old != nil && (d.inherit || p.shopts.has(shoptLocalvarInherit) || temporary) {
		v.attrs = old.attrs &^ attrNameref
		v.value, v.set = old.value.shared(), old.set
		if old.indexed != nil {
			v.indexed = old.indexed.clone(p.epoch)
		}
		if old.assoc != nil {
			v.assoc = old.assoc.clone(p.epoch)
		}
	} else if old.is(attrExport) {
		v.attrs = attrExport
	}
	if p.options.has(optAllexport) {
		v.attrs |= attrExport
	}
	if s < symbolsWithHooks {
		p.changed(s)
	}
	return true
}

// declareVisible gives the visible variable s attributes and a value.
func (p *proc) declareVisible(d declaration, o *operand, s symbol, name, subscript, value string, element, add, assigns bool) bool {
	v := p.vars.get(s)
	if v == nil {
		if d.off != 0 && d.on == 0 && !assigns {
			return true // export -n of nothing
		}
		if !p.charge(variableCost) {
			return false
		}
		v = &variable{epoch: p.epoch}
		p.vars.put(s, v, p.epoch)
	}
	report := func(format string, args ...any) bool {
		if d.builtin == "declare" || d.builtin == "typeset" || d.builtin == "local" {
			format = d.builtin + ": " + format
		}
		p.errorf(format, args...)
		return false
	}
	if v.attrs&attrReadonly != 0 && (assigns || d.off&(attrReadonly|attrNameref) != 0) {
		p.endsPosix = 1
		return report("%s: readonly variable", name)
	}
	if v.attrs&attrDynamic != 0 && v.attrs&attrArray == 0 && (d.on|d.off)&attrExport == 0 && !assigns {
		return true
	}
	v = p.own(s, v)
	switch {
	case d.off&attrArray != 0 && v.attrs&attrArray != 0:
		p.errorf("%s: %s: cannot destroy array variables in this way", d.builtin, name)
		return false
	case d.on&attrIndexed != 0 && v.attrs&attrAssoc != 0:
		p.errorf("%s: %s: cannot convert associative to indexed array", d.builtin, name)
		return false
	case d.on&attrAssoc != 0 && v.attrs&attrIndexed != 0:
		p.errorf("%s: %s: cannot convert indexed to associative array", d.builtin, name)
		return false
	}
	if (d.on|d.off|v.attrs)&attrExport != 0 {
	}
	late := d.on & (attrReadonly | attrExport)
	if d.on&attrNameref != 0 {
		late |= attrNameref
		if v.attrs&attrArray != 0 {
			p.errorf("%s: %s: reference variable cannot be an array", d.builtin, name)
			return false
		}
		if !assigns && v.set && v.value.s != "" && !validReference(v.value.s) {
			p.errorf("%s: `%s': invalid variable name for name reference", d.builtin, v.value.s)
			return false
		}
		v.attrs &^= attrNameref // the new target replaces the old one
	}
	if on := d.on & (attrLower | attrUpper | attrCapital); on != 0 {
		v.attrs &^= attrLower | attrUpper | attrCapital
	}
	v.attrs = v.attrs&^d.off | d.on&^late&^attrArray
	if kind := d.on & attrArray; kind != 0 || element || o.array != nil {
		if v.attrs&attrArray == 0 {
			if kind == 0 || kind == attrArray {
				kind = attrIndexed
			}
			p.becomeArray(v, kind)
		}
	}
	if assigns {
		ok := false
		switch {
		case o.array != nil && element:
			p.errorf("%s: %s[%s]: cannot assign list to array member", d.builtin, name, subscript)
		case o.array != nil:
			ok = p.assignArray(s, o.array, add, d.on&attrArray)
		case element:
			ok = p.assignElement(s, subscript, value, add)
		case v.attrs&attrArray != 0 && !strings.HasPrefix(o.word, name+"[") && strings.HasPrefix(value, "(") && strings.HasSuffix(value, ")") && (!o.assignment || d.on&attrArray != 0):
			lit := p.parseArray(value)
			ok = lit != nil && p.assignArray(s, lit, add, d.on&attrArray)
		default:
			ok = p.store(s, p.own(s, p.vars.get(s)), value, add)
		}
		if !ok {
			return false
		}
	}
	if late != 0 {
		v = p.own(s, p.vars.get(s))
		v.attrs |= late
	}
	if s < symbolsWithHooks && assigns {
		p.changed(s)
	}
	return true
}

// becomeArray turns an own scalar into an array of a kind.
func (p *proc) becomeArray(v *variable, kind attr) {
	v.attrs |= kind
	was, set := v.value, v.set
	v.value, v.numeric = text{}, false
	if kind == attrAssoc {
		v.assoc = newAssoc(p.epoch)
	}
	if set {
		t, _ := p.elementSlot(v, "0", 0)
		*t = was
	}
}

// parseArray reads "(…)", a value that an expansion produced, as the right
// side of an array assignment; nil when it is none.
func (p *proc) parseArray(value string) *arrayLiteral {
	line, err := p.parser("declare", []byte("x="+value), 1).Next()
	if err != nil || len(line.Stmts) != 1 {
		return nil
	}
	c := &compiler{session: p.session, lines: line}
	n, ok := c.statement(line.Stmts[0]).(*simple)
	if !ok || len(n.assignments) != 1 {
		return nil
	}
	return n.assignments[0].array
}

// describeVariable is the line declare -p prints.
func (p *proc) describeVariable(name string, v *variable) string {
	line := "declare " + v.attrs.String() + " " + name
	switch {
	case v.attrs&attrArray != 0:
		if v.set || v.count() > 0 {
			line += "=" + arrayText(v)
		}
	case v.set:
		line += "=" + doubleQuote(v.value.s)
	}
	return line + "\n"
}

// arrayText is an array's value as declare -p and set show it.
func arrayText(v *variable) string {
	var b strings.Builder
	b.WriteByte('(')
	first := true
	if v.indexed != nil {
		v.indexed.each(func(i int64, s string) bool {
			if !first {
				b.WriteByte(' ')
			}
			first = false
			b.WriteString("[" + strconv.FormatInt(i, 10) + "]=" + doubleQuote(s))
			return true
		})
	}
	if v.assoc != nil {
		v.assoc.each(func(key, s string) bool {
			if hasMetacharacters(key) || unprintable(key) || key == "@" || key == "*" {
				key = doubleQuote(key)
			}
			b.WriteString("[" + key + "]=" + doubleQuote(s) + " ")
			return true
		})
	}
	b.WriteByte(')')
	return b.String()
}

// sortedVariables are the visible variables by name.
func (p *proc) sortedVariables(wanted func(v *variable) bool) []symbol {
	var list []symbol
	p.vars.each(func(s symbol, v *variable) {
		if wanted(v) {
			list = append(list, s)
		}
	})
	names := make(map[symbol]string, len(list))
	for _, s := range list {
		names[s] = p.session.name(s)
	}
	sort.Slice(list, func(i, j int) bool { return names[list[i]] < names[list[j]] })
	return list
}

// shown is a variable as listings show it. Most computed ones show no value
// before they are looked at by name.
func (p *proc) shown(s symbol) *variable {
	v := p.vars.get(s)
	if v.attrs&attrDynamic != 0 {
		v = p.dynamic(s, v)
	}
	return v
}

// listVariables is declare without names: all that have every attribute asked
// for, in declare's form; plain declare prints what set does.
func (p *proc) listVariables(d declaration) int {
	if d.on == 0 && !d.print {
		p.listSet(true)
		return 0
	}
	for _, s := range p.sortedVariables(func(v *variable) bool { return v.attrs&d.on == d.on }) {
		if p.cancelled() {
			break
		}
		line := p.describeVariable(p.session.name(s), p.shown(s))
		if p.options.has(optPosix) && (d.builtin == "export" || d.builtin == "readonly") {
			line = posixListing(d.builtin, line)
		}
		p.write(line)
	}
	return 0
}

// posixListing turns a line of declare -p into that of export -p and readonly -p
// in POSIX mode, which tells of arrays alone.
func posixListing(builtin, line string) string {
	flags, rest, _ := strings.Cut(strings.TrimPrefix(line, "declare "), " ")
	for _, kind := range []string{"a", "A"} {
		if strings.Contains(flags, kind) {
			builtin += " -" + kind
		}
	}
	return builtin + " " + rest
}

// listSet prints variables as set does, then functions.
func (p *proc) listSet(functions bool) {
	for _, s := range p.sortedVariables(func(v *variable) bool { return v.set || v.count() > 0 }) {
		if p.cancelled() {
			return
		}
		name, v := p.session.name(s), p.shown(s)
		switch {
		case v.attrs&attrArray != 0 && v.set:
			p.write(name + "=" + arrayText(v) + "\n")
		case v.set:
			p.write(name + "=" + valueQuote(v.value.s) + "\n")
		}
	}
	if functions {
		for _, name := range functionNames(p.functions.entries) {
			p.write(p.functionText(p.functions.entries[name]) + "\n")
		}
	}
}

// listLocals prints the running function's variables.
func (p *proc) listLocals(fr *frame) {
	if fr.options != nil {
		p.write("local -\n")
	}
	for _, s := range p.sortedVariables(func(v *variable) bool { return v.level == fr.level }) {
		p.write(p.describeVariable(p.session.name(s), p.shown(s)))
	}
}

// printVariables is declare -p NAME…
func (p *proc) printVariables(d declaration, operands []operand) int {
	status := 0
	for _, o := range operands {
		s, ok := p.session.known(o.word)
		var v *variable
		if ok {
			v = p.vars.get(s)
		}
		if v == nil || d.builtin == "local" && v.level != p.functionFrame().level {
			p.errorf("%s: %s: not found", d.builtin, o.word)
			status = 1
			continue
		}
		p.write(p.describeVariable(o.word, p.shown(s)))
	}
	return status
}

// functionAttributes is how declare -F shows a function's: "-f", "-fx".
func functionAttributes(f *function) string {
	s := "-f"
	if f.readonly {
		s += "r"
	}
	if f.traced {
		s += "t"
	}
	if f.exported {
		s += "x"
	}
	return s
}

// functionNames are the functions' names in bash's order, whose first bytes are
// signed.
func functionNames(m map[string]*function) []string {
	names := sortedKeys(m)
	sort.SliceStable(names, func(i, j int) bool { return int8((names[i] + "\x00")[0]) < int8((names[j] + "\x00")[0]) })
	return names
}

// listFunctions is declare -f and -F without names.
func (p *proc) listFunctions(d declaration) int {
	for _, name := range functionNames(p.functions.entries) {
		f := p.functions.entries[name]
		if d.on&attrExport != 0 && !f.exported || d.on&attrReadonly != 0 && !f.readonly || d.on&attrTrace != 0 && !f.traced {
			continue
		}
		if !d.names {
			p.write(p.functionText(f) + "\n")
		}
		if attributes := functionAttributes(f); d.names || attributes != "-f" {
			p.write("declare " + attributes + " " + name + "\n")
		}
	}
	return 0
}

// declareFunctions is declare -f and -F with names.
func (p *proc) declareFunctions(d declaration, operands []operand) int {
	status := 0
	for _, o := range operands {
		f, ok := p.functions.get(o.word)
		if !ok {
			if strings.Contains(o.word, "=") {
				p.errorf("%s: cannot use `-f' to make functions", d.builtin)
			}
			status = 1
			continue
		}
		if (d.on|d.off)&(attrExport|attrReadonly|attrTrace) != 0 {
			if f.readonly && d.off&attrReadonly != 0 {
				p.errorf("%s: %s: readonly function", d.builtin, o.word)
				status = 1
				continue
			}
			p.setFunctionAttributes(f, d.on, d.off)
			continue
		}
		switch {
		case d.names && p.shopts.has(shoptExtdebug):
			p.write(f.name + " " + strconv.Itoa(f.line) + " " + f.source + "\n")
		case d.names && d.print:
			p.write("declare " + functionAttributes(f) + " " + f.name + "\n")
		case d.names:
			p.write(f.name + "\n")
		default:
			p.write(p.functionText(f) + "\n")
			if attributes := functionAttributes(f); d.print && attributes != "-f" {
				p.write("declare " + attributes + " " + f.name + "\n")
			}
		}
	}
	return status
}

// attributeFunctions is export -f and readonly -f.
func (p *proc) attributeFunctions(d declaration, operands []operand, a attr, remove bool) int {
	status := 0
	for _, o := range operands {
		f, ok := p.functions.get(o.word)
		if !ok {
			p.errorf("%s: %s: not a function", d.builtin, o.word)
			status = 1
			continue
		}
		switch {
		case !remove:
			p.setFunctionAttributes(f, a, 0)
		case a != attrReadonly:
			p.setFunctionAttributes(f, 0, a)
		}
	}
	return status
}

// setFunctionAttributes replaces a function by one with other attributes.
func (p *proc) setFunctionAttributes(f *function, on, off attr) {
	c := *f
	for _, x := range [...]struct {
		a    attr
		flag *bool
	}{{attrExport, &c.exported}, {attrReadonly, &c.readonly}, {attrTrace, &c.traced}} {
		if on&x.a != 0 {
			*x.flag = true
		}
		if off&x.a != 0 {
			*x.flag = false
		}
	}
	p.functions.writable(p)[f.name] = &c
}

func builtinUnset(p *proc, args []string) int {
	functions, variables, reference := false, false, false
	o := p.shortOptions("unset", "fvn", args)
	for o.next() {
		switch o.letter {
		case 'f':
			functions = true
		case 'v':
			variables = true
		case 'n':
			reference = true
		}
	}
	if o.status != 0 {
		return o.status
	}
	args = o.args
	if functions && variables {
		p.errorf("unset: cannot simultaneously unset a function and a variable")
		return 1
	}
	status := 0
	for _, name := range args {
		if !p.unsetOne(name, functions, variables, reference) {
			status = 1
		}
		if p.flow != flowNone {
			return p.status
		}
	}
	return status
}

// unsetOne removes what one operand of unset names.
func (p *proc) unsetOne(name string, functions, variables, reference bool) bool {
	if functions {
		return p.unsetFunction(name)
	}
	base, subscript, element := name, "", false
	if i := strings.IndexByte(name, '['); i > 0 && strings.HasSuffix(name, "]") {
		base, subscript, element = name[:i], name[i+1:len(name)-1], true
	}
	if !validName(base) {
		if variables || element || strings.ContainsAny(name, "=") {
			p.errorf("unset: `%s': not a valid identifier", name)
			return false
		}
		return p.unsetFunction(name)
	}
	s, ok := p.session.known(base)
	v := p.vars.get(s)
	if !ok || v == nil {
		if !variables && !element {
			return p.unsetFunction(name)
		}
		return true
	}
	if reference {
		if v.attrs&attrNameref == 0 {
			return true
		}
		p.warnOwnName(s)
		return p.unsetVariable(s)
	}
	if v.attrs&attrNameref != 0 {
		r, ok := p.resolve(s)
		if !ok {
			p.warnOwnName(s)
			p.warnOwnName(s)
			return false
		}
		s = r.symbol
		if r.element && !element {
			subscript, element = r.subscript, true
		}
		if v = p.vars.get(s); v == nil {
			return true
		}
	}
	if !element {
		return p.unsetVariable(s)
	}
	if (subscript == "@" || subscript == "*") && v.attrs&attrIndexed != 0 {
		if v.attrs&attrReadonly != 0 {
			p.errorf("unset: %s: cannot unset: readonly variable", base)
			return false
		}
		v = p.own(s, v)
		p.clearArray(v)
		v.set = true
		return true
	}
	if v.attrs&attrAssoc != 0 {
		key, ok := p.expandText(subscript)
		if ok && key == "" && subscript != "" {
			p.errorf("unset: [%s]: bad array subscript", subscript)
			return false
		}
		return ok && p.unsetElement(s, key)
	}
	index, ok := p.expandText(subscript)
	return ok && p.unsetElement(s, index)
}

// unsetFunction removes a function.
func (p *proc) unsetFunction(name string) bool {
	f, ok := p.functions.get(name)
	if !ok {
		return true
	}
	if f.readonly {
		p.errorf("unset: %s: cannot unset: readonly function", name)
		return false
	}
	delete(p.functions.writable(p), name)
	p.release(f.cost)
	return true
}
