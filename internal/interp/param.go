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
