package interp

import (
	"path"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/vsh-project/vsh/internal/parse"
)

// First, simple version: replaced by the real expansions.

func firstMatch(pattern, s string) bool {
	ok, _ := path.Match(strings.ReplaceAll(pattern, "/", "\x01"), strings.ReplaceAll(s, "/", "\x01"))
	return ok
}

func (c *compiler) firstParam(x *syntax.ParamExp, quoted bool) piece {
	name := x.Param.Value
	var sub *subscript
	if x.Index != nil {
		sub = c.subscript(x.Index)
	}
	list := func(p *proc) ([]string, bool) {
		if sub == nil {
			return p.args, true
		}
		r, _ := p.resolve(p.session.symbol(name))
		v := p.find(r.symbol)
		if x.Excl {
			var keys []string
			if v != nil && v.assoc != nil {
				v.assoc.each(func(k, _ string) bool { keys = append(keys, k); return true })
			} else if v != nil && v.indexed != nil {
				v.indexed.each(func(i int64, _ string) bool { keys = append(keys, strconv.FormatInt(i, 10)); return true })
			}
			return keys, true
		}
		return v.values(nil), true
	}
	multi := name == "@" || name == "*" || sub != nil && sub.all != 0
	get := func(p *proc) (string, bool, bool) {
		if multi {
			l, ok := list(p)
			ifs, set := p.get("IFS")
			sep := " "
			if set {
				sep = ifs[:min(1, len(ifs))]
			}
			if name == "@" || sub != nil && sub.all == '@' {
				sep = " "
			}
			return strings.Join(l, sep), len(l) > 0, ok
		}
		if sub != nil {
			r, _ := p.resolve(p.session.symbol(name))
			v := p.find(r.symbol)
			if v.is(attrAssoc) {
				k, ok := sub.key(p)
				s, set := v.assoc.get(k)
				return s, set, ok
			}
			i, ok := sub.index(p, v)
			if !ok {
				return "", false, false
			}
			if v != nil && v.indexed != nil {
				s, set := v.indexed.get(i)
				return s, set, true
			}
			if i == 0 {
				s, set := v.scalar()
				return s, set, true
			}
			return "", false, true
		}
		s, set := p.parameter(name)
		return s, set, true
	}
	var pattern, with, arg *word
	if x.Exp != nil {
		w, _ := parse.CaseToggle(x.Exp)
		arg = c.word(w)
	}
	if x.Repl != nil {
		pattern, with = c.word(x.Repl.Orig), c.word(x.Repl.With)
	}
	var off, length *arithmetic
	if x.Slice != nil {
		off = c.arithmetic(x.Slice.Offset)
		if x.Slice.Length != nil {
			length = c.arithmetic(x.Slice.Length)
		}
	}
	expand := func(p *proc) (string, bool) {
		s, set, ok := get(p)
		if !ok {
			return "", false
		}
		if text, bad := parse.BadSubstitution(x); bad {
			p.errorf("%s: bad substitution", text)
			p.abort(1)
			return "", false
		}
		if x.Length {
			if multi {
				l, _ := list(p)
				return strconv.Itoa(len(l)), true
			}
			return strconv.Itoa(len([]rune(s))), true
		}
		if x.Excl && !multi {
			s, set = p.parameter(s)
		}
		if !set && p.options.has(optNounset) && (x.Exp == nil || x.Exp.Op >= syntax.RemSmallPrefix) && name != "@" && name != "*" {
			p.errorf("%s: unbound variable", name)
			p.status = 127
			p.exit(127)
			if p.subshell > 0 {
				p.status = 1
			}
			return "", false
		}
		if x.Exp != nil {
			switch x.Exp.Op {
			case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull, syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
				if set && (s != "" || x.Exp.Op == syntax.DefaultUnset || x.Exp.Op == syntax.AssignUnset || x.Exp.Op == syntax.ErrorUnset) {
					return s, true
				}
				t, ok := arg.text(p)
				if !ok {
					return "", false
				}
				switch x.Exp.Op {
				case syntax.AssignUnset, syntax.AssignUnsetOrNull:
					p.set(name, t)
				case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
					if t == "" {
						t = "parameter null or not set"
						if x.Exp.Op == syntax.ErrorUnset {
							t = "parameter not set"
						}
					}
					p.errorf("%s: %s", name, t)
					p.exit(127)
					if p.subshell > 0 {
						p.status = 1
					}
					return "", false
				}
				return t, true
			case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
				if !set || s == "" && x.Exp.Op == syntax.AlternateUnsetOrNull {
					return "", true
				}
				return arg.text(p)
			case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
				t, ok := arg.pattern(p)
				if !ok {
					return "", false
				}
				best := -1
				for i := 0; i <= len(s); i++ {
					if x.Exp.Op == syntax.RemSmallPrefix || x.Exp.Op == syntax.RemLargePrefix {
						if firstMatch(t, s[:i]) {
							best = i
							if x.Exp.Op == syntax.RemSmallPrefix {
								break
							}
						}
					} else if firstMatch(t, s[i:]) {
						best = i
						if x.Exp.Op == syntax.RemLargeSuffix {
							break
						}
					}
				}
				if best < 0 {
					return s, true
				}
				if x.Exp.Op == syntax.RemSmallPrefix || x.Exp.Op == syntax.RemLargePrefix {
					return s[best:], true
				}
				return s[:best], true
			case syntax.UpperAll:
				return strings.ToUpper(s), true
			case syntax.LowerAll:
				return strings.ToLower(s), true
			}
		}
		if pattern != nil {
			a, ok := pattern.text(p)
			b, ok2 := with.text(p)
			if !ok || !ok2 {
				return "", false
			}
			n := 1
			if x.Repl.All {
				n = -1
			}
			return strings.Replace(s, a, b, n), true
		}
		if off != nil {
			o, ok := off.eval(p)
			if !ok {
				return "", false
			}
			r := []rune(s)
			if o < 0 {
				o += int64(len(r))
			}
			o = max(0, min(o, int64(len(r))))
			r = r[o:]
			if length != nil {
				l, ok := length.eval(p)
				if !ok {
					return "", false
				}
				if l < 0 {
					l += int64(len(r))
				}
				r = r[:max(0, min(l, int64(len(r))))]
			}
			return string(r), true
		}
		return s, true
	}
	simple := !x.Length && x.Exp == nil && x.Repl == nil && x.Slice == nil
	if multi && quoted && simple && (name == "@" || sub != nil && sub.all == '@') {
		return piece{list: list}
	}
	return piece{quoted: quoted, expand: expand}
}

type firstArith struct {
	p *proc
	s string
}

func (e *firstArith) space() { e.s = strings.TrimLeft(e.s, " \t\n") }

func (e *firstArith) eat(t string, not string) bool {
	e.space()
	if strings.HasPrefix(e.s, t) && (len(e.s) == len(t) || strings.IndexByte(not, e.s[len(t)]) < 0) {
		e.s = e.s[len(t):]
		e.space()
		return true
	}
	return false
}

func (e *firstArith) comma() int64 {
	n := e.assign()
	for e.eat(",", "") {
		n = e.assign()
	}
	return n
}

func (e *firstArith) name() string {
	i := 0
	for i < len(e.s) && (e.s[i] == '_' || e.s[i]|0x20 >= 'a' && e.s[i]|0x20 <= 'z' || i > 0 && e.s[i] >= '0' && e.s[i] <= '9') {
		i++
	}
	if i > 0 && i < len(e.s) && e.s[i] == '[' {
		if k := strings.IndexByte(e.s, ']'); k > 0 {
			i = k + 1
		}
	}
	return e.s[:i]
}

func (e *firstArith) get(name string) int64 {
	var s string
	if i := strings.IndexByte(name, '['); i > 0 {
		s, _ = e.p.elementValue(e.p.find(e.p.session.symbol(name[:i])), name[i+1:len(name)-1])
	} else {
		s, _ = e.p.get(name)
	}
	n, _ := e.p.evaluate(s)
	return n
}

func (e *firstArith) assign() int64 {
	save := e.s
	if name := e.name(); name != "" {
		e.s = e.s[len(name):]
		for _, op := range []string{"=", "+=", "-=", "*=", "/=", "%="} {
			if e.eat(op, "=") {
				r := e.assign()
				switch op[0] {
				case '+':
					r = e.get(name) + r
				case '-':
					r = e.get(name) - r
				case '*':
					r = e.get(name) * r
				case '/':
					r = e.get(name) / r
				case '%':
					r = e.get(name) % r
				}
				if !e.p.assignTo(name, strconv.FormatInt(r, 10)) {
					panic("refused")
				}
				return r
			}
		}
		e.s = save
	}
	c := e.binary(0)
	if e.eat("?", "") {
		a := e.assign()
		e.eat(":", "")
		b := e.assign()
		if c != 0 {
			return a
		}
		return b
	}
	return c
}

var firstLevels = [][]string{{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}}

func (e *firstArith) binary(level int) int64 {
	if level == len(firstLevels) {
		return e.unary()
	}
	n := e.binary(level + 1)
next:
	for {
		for _, op := range firstLevels[level] {
			not := "="
			if op == "|" || op == "&" || op == "<" || op == ">" {
				not = "=|&<>"
			}
			if len(op) == 2 {
				not = ""
			}
			if e.eat(op, not) {
				m := e.binary(level + 1)
				b := func(v bool) int64 {
					if v {
						return 1
					}
					return 0
				}
				switch op {
				case "||":
					n = b(n != 0 || m != 0)
				case "&&":
					n = b(n != 0 && m != 0)
				case "|":
					n |= m
				case "^":
					n ^= m
				case "&":
					n &= m
				case "==":
					n = b(n == m)
				case "!=":
					n = b(n != m)
				case "<=":
					n = b(n <= m)
				case ">=":
					n = b(n >= m)
				case "<":
					n = b(n < m)
				case ">":
					n = b(n > m)
				case "<<":
					n <<= uint64(m) & 63
				case ">>":
					n >>= uint64(m) & 63
				case "+":
					n += m
				case "-":
					n -= m
				case "*":
					n *= m
				case "/", "%":
					if m == 0 {
						panic("division by 0 (error token is \"0\")")
					}
					if op == "/" {
						n /= m
					} else {
						n %= m
					}
				}
				continue next
			}
		}
		return n
	}
}

func (e *firstArith) unary() int64 {
	e.space()
	for _, op := range []string{"++", "--"} {
		if strings.HasPrefix(e.s, op) {
			e.s = e.s[2:]
			name := e.name()
			e.s = e.s[len(name):]
			n := e.get(name) + int64(44-int(op[0]))
			e.p.assignTo(name, strconv.FormatInt(n, 10))
			return n
		}
	}
	switch {
	case e.eat("!", "="):
		if e.unary() == 0 {
			return 1
		}
		return 0
	case e.eat("-", ""):
		return -e.unary()
	case e.eat("+", ""):
		return e.unary()
	case e.eat("~", ""):
		return ^e.unary()
	case e.eat("(", ""):
		n := e.comma()
		if !e.eat(")", "") {
			panic("missing `)'")
		}
		return n
	}
	if name := e.name(); name != "" {
		e.s = e.s[len(name):]
		n := e.get(name)
		for _, op := range []string{"++", "--"} {
			if strings.HasPrefix(e.s, op) {
				e.s = e.s[2:]
				e.p.assignTo(name, strconv.FormatInt(n+int64(44-int(op[0])), 10))
			}
		}
		e.space()
		return n
	}
	i := 0
	for i < len(e.s) && (e.s[i] >= '0' && e.s[i] <= '9' || e.s[i]|0x20 >= 'a' && e.s[i]|0x20 <= 'z') {
		i++
	}
	if i == 0 {
		panic("syntax error: operand expected (error token is \"" + e.s + "\")")
	}
	n, _ := strconv.ParseInt(e.s[:i], 0, 64)
	e.s = e.s[i:]
	e.space()
	return n
}
