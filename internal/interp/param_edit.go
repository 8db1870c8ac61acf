package interp

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vsh-project/vsh/internal/pattern"
)

// characters is the number of characters in s; a byte that is not UTF-8 is one.
func characters(s string) int { return utf8.RuneCountInString(s) }

// characterOffset is where character n of s begins, or len(s).
func characterOffset(s string, n int) int {
	for i := 0; i < len(s); n-- {
		if n <= 0 {
			return i
		}
		i += runeLength(s[i:])
	}
	return len(s)
}

// compiledPattern reads a pattern as [[ ]], case and ${x#p} match it. What was
// compiled is kept for the next time.
func (p *proc) compiledPattern(text string, ext, noCase bool) (*pattern.Pattern, bool) {
	key := patternKey{text, ext, noCase}
	if c, ok := p.patterns[key]; ok {
		return c, true
	}
	cost := pattern.Cost(text)
	if cost > keptBuilder && !p.scratch(cost) {
		return nil, false
	}
	c := pattern.Compile(text, pattern.Options{ExtGlob: ext, NoCase: noCase})
	if !p.shallow(c) {
		return nil, false
	}
	if len(text) <= keptPattern {
		if p.patterns == nil || len(p.patterns) >= keptPatterns {
			p.patterns = make(map[patternKey]*pattern.Pattern, 8)
		}
		p.patterns[key] = c
	}
	return c, true
}

// shallow ends the script where a pattern's groups nest too deep.
func (p *proc) shallow(c *pattern.Pattern) bool {
	if c.Deep() {
		p.limit(fmt.Sprintf("pattern groups nested deeper than %d", pattern.MaxGroups))
	}
	return !c.Deep()
}

type patternKey struct {
	text        string
	ext, noCase bool
}

const (
	keptPatterns = 64
	keptPattern  = 256
)

// matchesCase reports whether s matches a pattern that word.pattern gave, as
// case and [[ ]] do: nocasematch counts; ext says that extended groups do.
func (p *proc) matchesCase(text, s string, ext bool) bool {
	if !strings.ContainsAny(text, patternSpecial) && !p.shopts.has(shoptNocasematch) {
		return text == s
	}
	c, ok := p.compiledPattern(text, ext, p.shopts.has(shoptNocasematch))
	return ok && c.Match(s, p.stopped)
}

// operandPattern compiles the pattern of an operator.
func (x *parameter) operandPattern(p *proc) (*pattern.Pattern, bool) {
	text, ok := x.operand.pattern(p)
	if !ok {
		return nil, false
	}
	return p.compiledPattern(text, p.shopts.has(shoptExtglob), p.shopts.has(shoptNocasematch) && x.op == opReplace)
}

// editor is what an operator does to one value.
func (x *parameter) editor(p *proc) (func(string) (string, bool), bool) {
	switch x.op {
	case opReplace:
		return x.replacer(p)
	case opCaseFirst, opCaseAll, opLowerFirst, opLowerAll:
		return x.caseChanger(p)
	}
	m, ok := x.operandPattern(p)
	if !ok {
		return nil, false
	}
	longest := x.op == opLongPrefix || x.op == opLongSuffix
	if x.op == opShortPrefix || x.op == opLongPrefix {
		return func(s string) (string, bool) {
			if end := m.Prefix(s, longest, p.stopped); end > 0 {
				s = s[end:]
			}
			return s, p.flow == flowNone
		}, true
	}
	return func(s string) (string, bool) {
		if start := m.Suffix(s, longest, p.stopped); start >= 0 {
			s = s[:start]
		}
		return s, p.flow == flowNone
	}, true
}

// caseChanger is ${x^p}, ${x^^p}, ${x,p}, ${x,,p}, ${x~p} and ${x~~p}.
func (x *parameter) caseChanger(p *proc) (func(string) (string, bool), bool) {
	var m *pattern.Pattern
	if x.operand != nil {
		text, ok := x.operand.pattern(p)
		if !ok {
			return nil, false
		}
		if text != "" || x.operand.hasQuotes() { // "" matches no character
			if m, ok = p.compiledPattern(text, p.shopts.has(shoptExtglob), false); !ok {
				return nil, false
			}
		}
	}
	change := unicode.ToUpper
	switch {
	case x.toggle:
		change = toggleCase
	case x.op == opLowerFirst || x.op == opLowerAll:
		change = unicode.ToLower
	}
	all := x.op == opCaseAll || x.op == opLowerAll
	return func(s string) (string, bool) {
		if !p.scratch(int64(len(s) + len(s)/2)) {
			return "", false
		}
		return changeCase(s, change, all, func(c string) bool { return m == nil || m.Match(c, nil) }, p.stopped)
	}, true
}

// hasQuotes reports whether a part of the word is quoted.
func (w *word) hasQuotes() bool {
	for _, x := range w.pieces {
		if l, ok := x.(*literal); ok && l.quoted || isQuoted(x) {
			return true
		}
	}
	return false
}

func toggleCase(r rune) rune {
	if unicode.IsUpper(r) {
		return unicode.ToLower(r)
	}
	return unicode.ToUpper(r)
}

// changeCase changes the characters that match, or only the first.
func changeCase(s string, change func(rune) rune, all bool, matches func(string) bool, stopped func() bool) (string, bool) {
	var out []byte
	last := 0
	for i, n := 0, 0; i < len(s); n++ {
		if n&0x3fff == 0x3fff && stopped() {
			return "", false
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r != utf8.RuneError || size > 1 {
			if to := change(r); to != r && matches(s[i:i+size]) {
				if out == nil {
					out = make([]byte, 0, len(s)+8)
				}
				out = append(out, s[last:i]...)
				out = utf8.AppendRune(out, to)
				last = i + size
			}
		}
		i += size
		if !all {
			break
		}
	}
	if out == nil {
		return s, true
	}
	return string(append(out, s[last:]...)), true
}

// replacer is ${x/p/r} and its variants.
func (x *parameter) replacer(p *proc) (func(string) (string, bool), bool) {
	b := p.builder(resultPattern)
	ok := b.expand(x.operand.pieces)
	quoted := b.firstQuoted
	text := ""
	if ok {
		text, ok = b.result()
	}
	p.giveBack(b)
	if !ok {
		return nil, false
	}
	all, anchor := x.all, byte(0)
	if !all && !quoted && text != "" {
		switch text[0] {
		case '#', '%':
			anchor = text[0]
			text = text[1:]
		case '/':
			all = true
			text = text[1:]
		}
	}
	m, ok := p.compiledPattern(text, p.shopts.has(shoptExtglob), p.shopts.has(shoptNocasematch))
	if !ok {
		return nil, false
	}
	var with replacement
	if x.with != nil {
		if with, ok = x.replacement(p); !ok {
			return nil, false
		}
	}
	return func(s string) (string, bool) {
		out := p.builder(resultText)
		ok := true
		last := 0
		replace := func(start, end int) bool {
			ok = out.append(s[last:start]) && with.append(out, s[start:end])
			last = end
			return ok && all
		}
		switch {
		case anchor == '#':
			if end := m.Prefix(s, true, p.stopped); end >= 0 {
				replace(0, end)
			}
		case anchor == '%':
			if start := m.Suffix(s, true, p.stopped); start >= 0 {
				replace(start, len(s))
			}
		case text == "":
		case s == "":
			if m.Match("", nil) {
				replace(0, 0)
			}
		default:
			if all && len(s) > keptBuilder {
				// Two passes, so that a long text is allocated once.
				size := len(s)
				m.Each(s, p.stopped, func(start, end int) bool {
					size += with.size(end-start) - (end - start)
					return true
				})
				ok = out.room(size)
			}
			if ok {
				m.Each(s, p.stopped, replace)
			}
		}
		if ok = ok && p.flow == flowNone && out.append(s[last:]); ok {
			if last == 0 && len(out.buf) == len(s) && string(out.buf) == s {
				p.giveBack(out)
				return s, true
			}
			s, ok = out.result()
		}
		p.giveBack(out)
		return s, ok
	}, true
}

// replacement is the string that replaces, cut at each & that stands for the
// match.
type replacement []string

// replacement prepares the string; a backslash hides an & from it.
func (x *parameter) replacement(p *proc) (replacement, bool) {
	if !p.shopts.has(shoptPatsubReplacement) {
		s, ok := x.with.text(p)
		return replacement{s}, ok
	}
	s, ok := x.with.string(p, x.with.pieces, resultReplace)
	if !ok {
		return nil, false
	}
	if !strings.ContainsAny(s, `&\`) {
		return replacement{s}, true
	}
	var parts replacement
	run := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && (s[i+1] == '&' || s[i+1] == '\\'):
			i++
			run = append(run, s[i])
		case s[i] == '&':
			parts = append(parts, string(run))
			run = run[:0]
		default:
			run = append(run, s[i])
		}
	}
	return append(parts, string(run)), true
}

// size is how long the replacement of a match of n bytes is.
func (r replacement) size(n int) int {
	size := n * (len(r) - 1)
	for _, s := range r {
		size += len(s)
	}
	return max(size, 0)
}

func (r replacement) append(b *builder, match string) bool {
	for i, s := range r {
		if i > 0 && !b.append(match) || !b.append(s) {
			return false
		}
	}
	return true
}

// slice is ${x:offset:length}.
func (x *parameter) slice(p *proc, b *builder, t *target, c *content) bool {
	offset, ok := x.offset.eval(p)
	if !ok {
		return false
	}
	size, sized := int64(0), x.size != nil
	if sized {
		if size, ok = x.size.eval(p); !ok {
			return false
		}
	}
	negative := func() bool {
		p.errorf("%s: substring expression < 0", x.size.shown(p))
		p.abort(1)
		return false
	}
	if !c.isList {
		n := int64(characters(c.s))
		if offset < 0 {
			offset += n
		}
		if offset < 0 || offset > n {
			return b.value("", x.quoted)
		}
		end := n
		if sized {
			if size < 0 {
				if end = n + size; end < offset {
					return negative()
				}
			} else {
				end = min(n, offset+min(size, n))
			}
		}
		s := c.s
		from := characterOffset(s, int(offset))
		s = s[from:]
		return b.value(s[:characterOffset(s, int(end-offset))], x.quoted)
	}
	if sized && size < 0 {
		return negative()
	}
	list := c.list
	switch {
	case t.kind == kindList:
		n := int64(len(list))
		if offset < 0 {
			offset += n + 1
		}
		if offset == 0 {
			list = append([]string{p.name}, list...)
		} else {
			offset--
		}
		if offset < 0 || offset > int64(len(list)) {
			list = nil
		} else {
			list = list[offset:]
		}
	case c.v != nil && c.v.indexed != nil:
		if offset < 0 {
			offset += c.v.indexed.max() + 1
		}
		skip := 0
		if offset < 0 {
			skip = len(list)
		} else {
			c.v.indexed.each(func(i int64, _ string) bool {
				if i < offset {
					skip++
				}
				return i < offset
			})
		}
		list = list[skip:]
	default:
		n := int64(len(list))
		keyed := c.v != nil && c.v.assoc != nil
		if offset < 0 {
			if offset += n; keyed {
				offset++
			}
		}
		if offset > 0 && keyed {
			offset-- // bash counts them from 1
		}
		if offset < 0 || offset > n {
			list = nil
		} else {
			list = list[offset:]
		}
	}
	if sized && size < int64(len(list)) {
		list = list[:size]
	}
	return x.addList(b, list, x.joins(b, c.star))
}
