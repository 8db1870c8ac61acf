package interp

import (
	"slices"
	"strings"
)

// environment is what programs get: the exported variables as NAME=value, and
// exported functions.
func (p *proc) environment() []string {
	list := make([]string, 0, 32)
	p.vars.each(func(s symbol, v *variable) { list = p.appendExported(list, s, v) })
	list = p.appendHidden(list)
	for _, name := range sortedKeys(p.functions.entries) {
		if f := p.functions.entries[name]; f.exported {
			list = append(list, "BASH_FUNC_"+name+"%%="+p.functionValue(f))
		}
	}
	return list
}

func (p *proc) appendExported(list []string, s symbol, v *variable) []string {
	if !v.is(attrExport) || v.attrs&attrArray != 0 {
		return list
	}
	if v.attrs&attrDynamic != 0 {
		v = p.dynamic(s, v)
	}
	if value, ok := v.scalar(); ok {
		list = append(list, p.session.name(s)+"="+value)
	}
	return list
}

// appendHidden adds exported variables that local ones hide which are not
// exported or have no value.
func (p *proc) appendHidden(list []string) []string {
	var seen []symbol
	for f := p.frame; f != nil; f = f.parent {
		for i := len(f.undo) - 1; i >= 0; i-- {
			h := f.undo[i]
			if !h.old.is(attrExport) || slices.Contains(seen, h.symbol) {
				continue
			}
			if v := p.vars.get(h.symbol); len(p.appendExported(nil, h.symbol, v)) > 0 {
				continue
			}
			before := len(list)
			if list = p.appendExported(list, h.symbol, h.old); len(list) > before {
				seen = append(seen, h.symbol)
			}
		}
	}
	return list
}

// environmentOf is the environment of the program that was found at path, which
// $_ names there.
func (p *proc) environmentOf(path string) []string {
	common := p.environment()
	list := make([]string, 0, len(common)+1)
	for _, pair := range common {
		if !strings.HasPrefix(pair, "_=") {
			list = append(list, pair)
		}
	}
	return append(list, "_="+path)
}

// byBuiltin is how messages name the builtin that runs, if one does.
func (p *proc) byBuiltin() string {
	if p.builtinName == "" {
		return ""
	}
	return p.builtinName + ": "
}

// unsetVariable removes the variable s that is visible, as unset does: a local
// one of the running function stays, without value; one of a function further
// out uncovers what it hid, or stays too under localvar_unset. false: it is readonly, and the message is out.
func (p *proc) unsetVariable(s symbol) bool {
	v := p.vars.get(s)
	if v == nil {
		return true
	}
	if v.attrs&attrReadonly != 0 {
		p.errorf("%s%s: cannot unset: readonly variable", p.byBuiltin(), p.session.name(s))
		return false
	}
	if v.attrs&attrNoUnset != 0 {
		p.errorf("%s%s: cannot unset", p.byBuiltin(), p.session.name(s))
		return false
	}
	stays := false
	for f := p.frame; f != nil && !stays; f = f.parent {
		if f.kind != frameFunction {
			continue
		}
		if stays = v.level == f.level; !p.shopts.has(shoptLocalvarUnset) {
			break // only the running function's own
		}
	}
	switch {
	case v.level > 0 && stays:
		p.discard(v)
		p.vars.put(s, &variable{level: v.level, epoch: p.epoch}, p.epoch)
	case v.level > 0:
		for f := p.frame; f != nil; f = f.parent {
			if f.level != v.level {
				continue
			}
			f = p.ownFrame(f)
			for i := len(f.undo) - 1; i >= 0; i-- {
				if f.undo[i].symbol == s {
					p.vars.put(s, f.undo[i].old, p.epoch)
					f.undo = append(f.undo[:i:i], f.undo[i+1:]...)
					break
				}
			}
			break
		}
	default:
		p.discard(v)
		p.vars.put(s, nil, p.epoch)
	}
	p.changed(s)
	return true
}

// unsetElement removes one element; the subscript is its expanded text.
func (p *proc) unsetElement(s symbol, subscript string) bool {
	v := p.vars.get(s)
	switch {
	case v == nil:
		return true
	case v.attrs&attrReadonly != 0:
		p.errorf("unset: %s: cannot unset: readonly variable", p.session.name(s))
		return false
	case v.attrs&attrAssoc != 0:
		if _, ok := v.assoc.get(subscript); !ok {
			return true
		}
		v = p.own(s, v)
		if v.assoc.epoch != p.epoch {
			v.assoc = v.assoc.clone(p.epoch)
		}
		size, _ := v.assoc.remove(subscript)
		p.settleCopies(&v.assoc.copied)
		p.release(size + elementCost)
		return true
	}
	i, ok := p.index(v, subscript)
	if !ok {
		return false
	}
	if v.attrs&attrIndexed == 0 {
		if i == 0 {
			return p.unsetVariable(s)
		}
		p.errorf("unset: %s: not an array variable", p.session.name(s))
		return false
	}
	if i < 0 {
		p.errorf("unset: [%s]: bad array subscript", subscript)
		return false
	}
	if v.indexed == nil {
		return true
	}
	if _, ok := v.indexed.get(i); !ok {
		return true
	}
	v = p.own(s, v)
	if v.indexed.epoch != p.epoch {
		v.indexed = v.indexed.clone(p.epoch)
	}
	size, _ := v.indexed.remove(i)
	p.settleCopies(&v.indexed.copied)
	p.release(size + elementCost)
	return true
}
