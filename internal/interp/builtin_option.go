package interp

import "strings"

// flags walks a builtin's options as bash does: letters may be clustered, one
// that is followed by ":" in letters takes a value, "--" and the first operand
// end them. When ok is false the call is over with status.
func (p *proc) flags(name, letters string, args []string, set func(letter byte, value string)) (rest []string, status int, ok bool) {
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		a := args[0]
		if a == "--" {
			return args[1:], 0, true
		}
		args = args[1:]
		for i := 1; i < len(a); i++ {
			k := strings.IndexByte(letters, a[i])
			if k < 0 || a[i] == ':' {
				p.errorf("%s: -%c: invalid option", name, a[i])
				return nil, p.usageOf(name), false
			}
			if k+1 == len(letters) || letters[k+1] != ':' {
				set(a[i], "")
				continue
			}
			value := a[i+1:]
			if value == "" {
				if len(args) == 0 {
					p.errorf("%s: -%c: option requires an argument", name, a[i])
					return nil, p.usageOf(name), false
				}
				value, args = args[0], args[1:]
			}
			set(a[i], value)
			break
		}
	}
	return args, 0, true
}

// splitReference takes "name" or "name[subscript]" apart; ok is false when it
// is neither.
func splitReference(word string) (name, subscript string, element, ok bool) {
	if i := strings.IndexByte(word, '['); i > 0 && word[len(word)-1] == ']' && i+2 < len(word) {
		return word[:i], word[i+1 : len(word)-1], true, validName(word[:i])
	}
	return word, "", false, validName(word)
}

// assignWord gives the variable or element that a builtin's operand names a
// value. false: it was refused, and the message is out.
func (p *proc) assignWord(builtin, word, value string) bool {
	name, subscript, element, ok := splitReference(word)
	if !ok {
		p.errorf("%s: `%s': not a valid identifier", builtin, word)
		return false
	}
	s := p.session.symbol(name)
	if !element {
		return p.assign(s, value, false)
	}
	if r, ok := p.resolve(s); ok && !r.element {
		s = r.symbol
	}
	if p.vars.get(s).is(attrAssoc) {
		key, ok := p.expandText(subscript)
		return ok && p.assignElement(s, key, value, false)
	}
	return p.assignElement(s, subscript, value, false)
}

// referenced is the value of the variable or element that a word names.
func (p *proc) referenced(word string) string {
	name, subscript, element, ok := splitReference(word)
	if !ok || !element {
		value, _ := p.get(name)
		return value
	}
	s, ok := p.session.known(name)
	if !ok {
		return ""
	}
	if r, ok := p.resolve(s); ok && !r.element {
		s = r.symbol
	}
	v := p.find(s)
	if v.is(attrAssoc) {
		if subscript, ok = p.expandText(subscript); !ok {
			return ""
		}
	}
	value, _ := p.elementValue(v, subscript)
	return value
}
