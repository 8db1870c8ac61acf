package interp

import (
	"strconv"
	"strings"
	"unicode"
)

// transform is ${x@operator}.
func (x *parameter) transform(p *proc, b *builder, t *target, c *content) bool {
	switch x.letter {
	case 0: // no such operator
		if !c.set {
			return c.isList || b.value("", x.quoted)
		}
		p.errorf("%s: bad substitution", x.source)
		p.fatal()
		return false
	case 'A':
		return x.assignmentText(p, b, t, c)
	case 'a':
		attributes := ""
		if c.v != nil {
			attributes = strings.Trim(c.v.attrs.String(), "-")
		}
		if !c.isList {
			return b.value(attributes, x.quoted)
		}
		return x.each(p, b, c, func(string) (string, bool) { return attributes, true })
	case 'K', 'k':
		if c.isList && c.v != nil && c.v.attrs&attrArray != 0 {
			return x.pairs(p, b, c)
		}
		return x.each(p, b, c, p.quoteValue)
	case 'Q':
		return x.each(p, b, c, p.quoteValue)
	case 'E':
		return x.each(p, b, c, func(s string) (string, bool) { return ansiText(s), p.scratch(int64(len(s))) })
	case 'P':
		return x.each(p, b, c, func(s string) (string, bool) { return p.expandPrompt(s), p.flow == flowNone })
	}
	change, all := unicode.ToUpper, x.letter != 'u'
	if x.letter == 'L' {
		change = unicode.ToLower
	}
	return x.each(p, b, c, func(s string) (string, bool) {
		if !p.scratch(int64(len(s) + len(s)/2)) {
			return "", false
		}
		return changeCase(s, change, all, func(string) bool { return true }, p.stopped)
	})
}

// each adds the value, or all of them, transformed; nothing for an unset one.
func (x *parameter) each(p *proc, b *builder, c *content, edit func(string) (string, bool)) bool {
	if c.isList {
		out, ok := p.mapList(c.list, edit)
		return ok && b.list(out, x.quoted, x.joins(b, c.star))
	}
	if !c.set {
		return b.value("", x.quoted)
	}
	s, ok := edit(c.s)
	return ok && b.value(s, x.quoted)
}

// quoteValue is a value as the shell would read it back.
func (p *proc) quoteValue(s string) (string, bool) {
	if !p.scratch(int64(2*len(s) + 2)) {
		return "", false
	}
	if unprintable(s) {
		return ansiQuote(s), true
	}
	if s == "'" {
		return `\'`, true
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'", true
}

// pairs is ${a[@]@K} and ${a[@]@k}: keys and values, quoted in one string or
// each a word of its own.
func (x *parameter) pairs(p *proc, b *builder, c *content) bool {
	var out []string
	ok := true
	one := func(key, value string) bool {
		ok = p.scratch(int64(len(key) + 2*len(value) + 64))
		if ok && x.letter == 'K' {
			value = doubleQuote(value)
			if c.v.assoc != nil && (hasMetacharacters(key) || unprintable(key)) {
				key = doubleQuote(key)
			}
		}
		out = append(out, key, value)
		return ok
	}
	if c.v.indexed != nil {
		c.v.indexed.each(func(i int64, s string) bool { return one(strconv.FormatInt(i, 10), s) })
	} else if c.v.assoc != nil {
		c.v.assoc.each(one)
	}
	if !ok {
		return false
	}
	if x.letter == 'k' {
		return b.list(out, x.quoted, c.star)
	}
	s := strings.Join(out, " ")
	if c.v.assoc != nil && s != "" {
		s += " "
	}
	return b.value(s, x.quoted)
}

// assignmentText is ${x@A}: what would make the variable anew.
func (x *parameter) assignmentText(p *proc, b *builder, t *target, c *content) bool {
	if t.kind == kindList {
		if len(c.list) == 0 {
			return b.list(nil, x.quoted, c.star)
		}
		out, ok := p.mapList(c.list, p.quoteValue)
		return ok && b.list(append([]string{"set", "--"}, out...), x.quoted, c.star)
	}
	if t.kind != kindVariable || c.v == nil {
		return b.value("", x.quoted)
	}
	name := t.name
	if r, ok := p.resolve(t.symbol); ok {
		name = p.session.name(r.symbol)
	}
	attributes := c.v.attrs.String()
	if attributes == "--" {
		attributes = ""
	}
	if c.isList {
		value := name
		if c.v.attrs&attrArray != 0 {
			if c.v.set || c.v.count() > 0 {
				value += "=" + arrayText(c.v)
			}
			return b.list([]string{"declare", attributes, value}, x.quoted, c.star)
		}
	}
	s := ""
	switch {
	case c.set || c.isList && c.v.set:
		value, ok := p.quoteValue(c.v.value.s)
		if !c.isList {
			value, ok = p.quoteValue(c.s)
		}
		if !ok {
			return false
		}
		s = name + "=" + value
	case attributes != "":
		s = name
	default:
		return b.value("", x.quoted)
	}
	if attributes != "" {
		s = "declare " + attributes + " " + s
	}
	return b.value(s, x.quoted)
}
