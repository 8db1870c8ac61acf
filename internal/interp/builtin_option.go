package interp

import "strings"

// shortOptions walks a builtin's leading options as bash does:
//
//	o := p.shortOptions("read", "rd:", args)
//	for o.next() {
//		switch o.letter { … o.value … }
//	}
//	if o.status != 0 {
//		return o.status
//	}
//	args = o.args
//
// Letters may be clustered; one that ":" follows takes a value, one that ";"
// follows may take one, "--" and the first operand end them. When the letters
// start with "+", words that start with + are options too.
type shortOptions struct {
	p             *proc
	name, letters string
	plus          bool
	// args is what is left, cluster the rest of the word being read.
	args    []string
	cluster string
	// letter, sign ('-' or '+') and value are the present option's; given says
	// that it has a value.
	letter, sign byte
	value        string
	given        bool
	// status is not 0 when an option was refused; the message is out.
	status int
}

func (p *proc) shortOptions(name, letters string, args []string) shortOptions {
	letters, plus := strings.CutPrefix(letters, "+")
	return shortOptions{p: p, name: name, letters: letters, plus: plus, args: args}
}

// next moves to the next option; false: there is none, or it was refused.
func (o *shortOptions) next() bool {
	if o.cluster == "" {
		if len(o.args) == 0 || len(o.args[0]) < 2 || o.args[0][0] != '-' && (!o.plus || o.args[0][0] != '+') {
			return false
		}
		word := o.args[0]
		o.args = o.args[1:]
		if word == "--" {
			return false
		}
		o.sign, o.cluster = word[0], word[1:]
	}
	o.letter, o.cluster = o.cluster[0], o.cluster[1:]
	o.value, o.given = "", false
	k := strings.IndexByte(o.letters, o.letter)
	if k < 0 || o.letter == ':' || o.letter == ';' {
		o.refuse("invalid option")
		return false
	}
	takes := byte(0)
	if k+1 < len(o.letters) {
		takes = o.letters[k+1]
	}
	switch {
	case takes != ':' && takes != ';':
		return true
	case o.cluster != "":
		o.value, o.cluster = o.cluster, ""
	case len(o.args) > 0 && (takes == ':' || !strings.HasPrefix(o.args[0], "-")):
		o.value, o.args = o.args[0], o.args[1:]
	case takes == ';':
		return true
	default:
		o.refuse("option requires an argument")
		return false
	}
	o.given = true
	return true
}

// refuse ends the walk with a message about the present option and the synopsis.
func (o *shortOptions) refuse(what string) {
	o.p.errorf("%s: %c%c: %s", o.name, o.sign, o.letter, what)
	o.status = o.p.usageOf(o.name)
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
