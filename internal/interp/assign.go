package interp

import (
	"strconv"
	"strings"
)

// reference is what a name means once namerefs are followed: a variable, or
// one element of an array.
type reference struct {
	symbol symbol
	// subscript is the text between the brackets, with element set.
	subscript string
	element   bool
	// global says that a circle of namerefs, which is reported, was found in a
	// function: what counts is the global variable of that name.
	global bool
}

// maxNamerefs is how many namerefs bash follows.
const maxNamerefs = 8

// find is the visible variable of s, namerefs not followed; nil for none.
// Values that special.go computes are up to date in it.
func (p *proc) find(s symbol) *variable {
	v := p.vars.get(s)
	if v != nil && v.attrs&attrDynamic != 0 {
		return p.dynamic(s, v)
	}
	return v
}

// resolve follows namerefs from s. ok is false for a circle or an invalid
// target; the warning is out.
func (p *proc) resolve(s symbol) (reference, bool) {
	first := s
	for range maxNamerefs {
		v := p.vars.get(s)
		if v == nil || v.attrs&attrNameref == 0 || !v.set || v.value.s == "" {
			return reference{symbol: s}, true
		}
		target := v.value.s
		if i := strings.IndexByte(target, '['); i > 0 && strings.HasSuffix(target, "]") {
			return reference{symbol: p.session.symbol(target[:i]), subscript: target[i+1 : len(target)-1], element: true}, true
		}
		s = p.session.symbol(target)
		if s == first {
			break
		}
	}
	p.warnCircle(first)
	v := p.vars.get(first)
	return reference{symbol: first, global: v.level > 0 && !p.global(first).is(attrNameref)}, false
}

func (p *proc) warnCircle(s symbol) {
	p.errorf("warning: %s: circular name reference", p.session.name(s))
}

// warnOwnName warns once more of a nameref to itself, which bash meets twice.
func (p *proc) warnOwnName(s symbol) {
	if p.vars.get(s).value.s == p.session.name(s) {
		p.warnCircle(s)
	}
}

// inGlobal does what change does with the global variable of s in the place of
// the visible one.
func (p *proc) inGlobal(s symbol, change func() bool) bool {
	visible := p.vars.get(s)
	p.vars.put(s, p.global(s), p.epoch)
	ok := change()
	changed := p.vars.get(s)
	p.vars.put(s, visible, p.epoch)
	p.putGlobal(s, changed)
	return ok
}

// referred is the variable that r names, nil for none.
func (p *proc) referred(r reference) *variable {
	if r.global {
		return p.global(r.symbol)
	}
	return p.find(r.symbol)
}

// get is the value of a scalar (element 0 of an array) by name, namerefs
// followed.
func (p *proc) get(name string) (string, bool) {
	s, ok := p.session.known(name)
	if !ok {
		return "", false
	}
	return p.value(s)
}

// value is get by symbol.
func (p *proc) value(s symbol) (string, bool) {
	v := p.vars.get(s)
	if v == nil {
		return "", false
	}
	if v.attrs&(attrNameref|attrDynamic) == 0 {
		return v.scalar()
	}
	r, ok := p.resolve(s)
	if !ok && !r.global {
		return "", false
	}
	v = p.referred(r)
	if !r.element {
		return v.scalar()
	}
	return p.elementValue(v, r.subscript)
}

// elementValue is the element of v that the subscript text names. The text is
// an arithmetic expression for an indexed array or a scalar.
func (p *proc) elementValue(v *variable, subscript string) (string, bool) {
	if v != nil && v.assoc != nil {
		return v.assoc.get(subscript)
	}
	i, ok := p.index(v, subscript)
	if !ok {
		return "", false
	}
	if v != nil && v.indexed != nil {
		return v.indexed.get(i)
	}
	if i == 0 {
		return v.scalar()
	}
	return "", false
}

// index evaluates the subscript of an indexed array; negative ones count from
// its end. A failed evaluation has set p.flow.
func (p *proc) index(v *variable, subscript string) (int64, bool) {
	i, ok := p.evaluate(subscript)
	if !ok {
		// Like that of an integer's value the error gives up more than the command.
		p.abandoned = p.abandoned || p.flow == flowAbort
		return 0, false
	}
	if i < 0 && v != nil && v.indexed != nil {
		i += v.indexed.max() + 1
	} else if i < 0 && v != nil && v.set {
		i++
	}
	return i, true
}

// set assigns a scalar by name: what builtins such as read do. false: refused,
// and the message is out.
func (p *proc) set(name, value string) bool {
	return p.assign(p.session.symbol(name), value, false)
}

// assign gives s a value (element 0 of an array), namerefs followed and
// attributes applied; add appends (adds, for an integer). false: refused, the
// message is out; the caller decides what that aborts.
func (p *proc) assign(s symbol, value string, add bool) bool {
	v := p.vars.get(s)
	if v != nil && v.attrs&attrNameref != 0 {
		if !v.set || v.value.s == "" { // an unset nameref takes its target
			if !validReference(value) {
				p.errorf("`%s': not a valid identifier", value)
				return false
			}
			return p.store(s, p.own(s, v), value, false)
		}
		r, ok := p.resolve(s)
		if r.global {
			p.warnOwnName(s)
			return p.inGlobal(s, func() bool { return p.assign(s, value, add) })
		}
		if !ok {
			return false
		}
		if r.element {
			return p.assignElement(r.symbol, r.subscript, value, add)
		}
		s = r.symbol
		v = p.vars.get(s)
	}
	if v == nil {
		v = &variable{epoch: p.epoch}
		if p.options.has(optAllexport) {
			v.attrs = attrExport
		}
		if !p.charge(variableCost) {
			return false
		}
		p.vars.put(s, v, p.epoch)
		return p.store(s, v, value, false)
	}
	if v.attrs&attrReadonly != 0 {
		p.errorf("%s: readonly variable", p.session.name(s))
		return false
	}
	if v.attrs&attrNoAssign != 0 {
		return true
	}
	return p.store(s, p.own(s, v), value, add)
}

// variableCost is charged for each variable beside its value.
const variableCost = 160

// store puts a value into an own variable, without checks.
func (p *proc) store(s symbol, v *variable, value string, add bool) bool {
	if v.attrs&attrArray != 0 {
		t, fresh := p.elementSlot(v, "0", 0)
		return p.storeText(s, v, t, fresh, value, add)
	}
	if p.options.has(optAllexport) {
		v.attrs |= attrExport
	}
	value, add, ok := p.convert(v, v.value.s, value, add)
	if !ok {
		return false
	}
	v.numeric = false
	if add && v.set {
		room := v.value.room(len(value))
		if room > 0 && !p.charge(int64(room)-v.charged) {
			return false
		}
		if room > 0 {
			v.charged = int64(room)
		}
		v.value = v.value.grow(value, room)
	} else {
		if n := int64(len(value)); n != v.charged {
			if !p.charge(n - v.charged) {
				return false
			}
			v.charged = n
		}
		v.value = text{s: value}
	}
	v.set = true
	if s < symbolsWithHooks || v.attrs&attrDynamic != 0 {
		p.changed(s)
	}
	return true
}

// convert applies the attributes to a value on its way into v, whose element
// holds old.
func (p *proc) convert(v *variable, old, value string, add bool) (string, bool, bool) {
	if v.attrs&(attrInteger|attrLower|attrUpper|attrCapital) == 0 {
		return value, add, true
	}
	if v.attrs&attrInteger != 0 {
		n, ok := p.integerValue(value)
		if !ok {
			return "", false, false
		}
		if add && old != "" {
			m, ok := p.integerValue(old)
			if !ok {
				return "", false, false
			}
			n += m
		}
		return strconv.FormatInt(n, 10), false, true
	}
	if add {
		value = old + value
	}
	switch {
	case v.attrs&attrLower != 0:
		value = strings.ToLower(value)
	case v.attrs&attrUpper != 0:
		value = strings.ToUpper(value)
	default:
		value = capitalize(value)
	}
	return value, false, true
}

// integerValue evaluates what an integer variable is given. Unlike other
// errors in expressions, one here gives up the evals and sourced files around
// the command as well.
func (p *proc) integerValue(value string) (int64, bool) {
	name := p.builtinName
	if name != "" {
		name += ": "
	}
	n, ok := p.evaluateFor(name, value)
	if !ok && p.flow == flowAbort {
		p.abandoned = true
	}
	return n, ok
}

// elementSlot is the place of an element in an own array variable.
func (p *proc) elementSlot(v *variable, key string, index int64) (*text, bool) {
	if v.attrs&attrAssoc != 0 {
		if v.assoc == nil {
			v.assoc = newAssoc(p.epoch)
		} else if v.assoc.epoch != p.epoch {
			v.assoc = v.assoc.clone(p.epoch)
		}
		t, fresh := v.assoc.slot(key)
		p.settleCopies(&v.assoc.copied)
		return t, fresh
	}
	if v.indexed == nil {
		v.indexed = &indexed{epoch: p.epoch}
	} else if v.indexed.epoch != p.epoch {
		v.indexed = v.indexed.clone(p.epoch)
	}
	t, fresh := v.indexed.slot(index)
	p.settleCopies(&v.indexed.copied)
	return t, fresh
}

// storeText puts a value into an element's place.
func (p *proc) storeText(s symbol, v *variable, t *text, fresh bool, value string, add bool) bool {
	value, add, ok := p.convert(v, t.s, value, add)
	if !ok {
		return false
	}
	cost := int64(0)
	if fresh {
		cost = elementCost
	}
	if add && !fresh {
		room := t.room(len(value))
		if room > 0 {
			cost += int64(room) - t.size()
		}
		if !p.charge(cost) {
			return false
		}
		*t = t.grow(value, room)
	} else {
		if !p.charge(cost + int64(len(value)) - t.size()) {
			return false
		}
		*t = text{s: value}
	}
	v.set = true
	if s < symbolsWithHooks {
		p.changed(s)
	}
	return true
}

// assignElement is s[subscript]=value; the subscript is a key's text or an
// arithmetic expression, expanded already.
func (p *proc) assignElement(s symbol, subscript, value string, add bool) bool {
	v, ok := p.arrayForWrite(s)
	if !ok {
		return false
	}
	if v.attrs&attrAssoc != 0 {
		if subscript == "" {
			p.errorf("%s[%s]: bad array subscript", p.session.name(s), subscript)
			return false
		}
		t, fresh := p.elementSlot(v, subscript, 0)
		if fresh && !p.charge(int64(len(subscript))) {
			return false
		}
		return p.storeText(s, v, t, fresh, value, add)
	}
	i, ok := p.index(v, subscript)
	if !ok {
		return false
	}
	if i < 0 {
		p.errorf("%s[%s]: bad array subscript", p.session.name(s), subscript)
		return false
	}
	t, fresh := p.elementSlot(v, "", i)
	return p.storeText(s, v, t, fresh, value, add)
}

// assignIndex is s[index]=value with a number; indexed arrays only.
func (p *proc) assignIndex(s symbol, index int64, value string) bool {
	v, ok := p.arrayForWrite(s)
	if !ok {
		return false
	}
	t, fresh := p.elementSlot(v, strconv.FormatInt(index, 10), index)
	return p.storeText(s, v, t, fresh, value, false)
}

// arrayForWrite is the variable s as an own array: a scalar becomes element 0.
func (p *proc) arrayForWrite(s symbol) (*variable, bool) {
	if r, ok := p.resolve(s); r.global {
		var v *variable
		p.inGlobal(s, func() bool { v, ok = p.arrayForWrite(s); return ok })
		return v, ok
	} else if !ok {
		return nil, false
	} else if !r.element {
		s = r.symbol
	}
	v := p.find(s)
	if v == nil {
		v = &variable{epoch: p.epoch}
		if !p.charge(variableCost) {
			return nil, false
		}
		p.vars.put(s, v, p.epoch)
	}
	if v.attrs&attrReadonly != 0 {
		p.errorf("%s: readonly variable", p.session.name(s))
		return nil, false
	}
	v = p.own(s, v)
	if v.attrs&attrArray == 0 {
		v.attrs |= attrIndexed
		if v.set {
			t, _ := p.elementSlot(v, "", 0)
			*t = v.value
			v.value, v.numeric = text{}, false
		}
	}
	return v, true
}

// discard returns the budget of a variable nobody sees any more.
func (p *proc) discard(v *variable) {
	if v == nil {
		return
	}
	n := v.charged + variableCost
	p.release(p.reclaim(n, v.epoch) + p.reclaimElements(v))
	if v.epoch == p.epoch {
		v.charged = 0
	}
}

// validName reports whether s is an identifier.
func validName(s string) bool {
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return true
}

// validReference reports whether s is an identifier or an array element.
func validReference(s string) bool {
	if i := strings.IndexByte(s, '['); i > 0 && s[len(s)-1] == ']' && i+1 < len(s)-1 {
		s = s[:i]
	}
	return validName(s)
}

// capitalize is what declare -c does: the first letter upper, the rest lower.
func capitalize(s string) string {
	for i := range s {
		if i > 0 {
			return strings.ToUpper(s[:i]) + strings.ToLower(s[i:])
		}
	}
	return strings.ToUpper(s)
}
