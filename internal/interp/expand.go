package interp

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/vsh-project/vsh/internal/parse"
)

// First, simple version: replaced by the real expansions.

// word is a prepared word.
type word struct{ pieces []piece }

type piece struct {
	text   string
	quoted bool
	expand func(p *proc) (string, bool)
	list   func(p *proc) ([]string, bool) // "$@"
}

func (c *compiler) word(w *syntax.Word) *word {
	out := &word{}
	if w != nil {
		for _, part := range w.Parts {
			out.pieces = c.part(out.pieces, part, false)
		}
	}
	return out
}

func (c *compiler) document(w *syntax.Word) *word {
	out := &word{}
	if w != nil {
		for _, part := range w.Parts {
			out.pieces = c.part(out.pieces, part, true)
		}
	}
	return out
}

func (c *compiler) part(out []piece, part syntax.WordPart, quoted bool) []piece {
	switch x := part.(type) {
	case *syntax.Lit:
		var b strings.Builder
		for i := 0; i < len(x.Value); i++ {
			if x.Value[i] == '\\' && i+1 < len(x.Value) && (!quoted || strings.IndexByte("$`\"\\", x.Value[i+1]) >= 0) {
				i++
			}
			b.WriteByte(x.Value[i])
		}
		return append(out, piece{text: parse.Unmap(b.String()), quoted: true})
	case *syntax.SglQuoted:
		return append(out, piece{text: parse.Unmap(x.Value), quoted: true})
	case *syntax.DblQuoted:
		out = append(out, piece{quoted: true})
		for _, q := range x.Parts {
			out = c.part(out, q, true)
		}
		return out
	case *syntax.ParamExp:
		return append(out, c.firstParam(x, quoted))
	case *syntax.CmdSubst:
		body := c.block(x.Stmts)
		return append(out, piece{quoted: quoted, expand: func(p *proc) (string, bool) { return p.substitute(body) }})
	case *syntax.ProcSubst:
		body := c.block(x.Stmts)
		in := x.Op == syntax.CmdIn
		return append(out, piece{quoted: true, expand: func(p *proc) (string, bool) { return p.substituteProcess(body, in) }})
	case *syntax.ArithmExp:
		e := c.arithmetic(x.X)
		return append(out, piece{quoted: quoted, expand: func(p *proc) (string, bool) {
			n, ok := e.eval(p)
			return strconv.FormatInt(n, 10), ok
		}})
	}
	return out
}

// parameter is the value of a parameter of any kind.
func (p *proc) parameter(name string) (string, bool) {
	switch name {
	case "?":
		return strconv.Itoa(p.status), true
	case "#":
		return strconv.Itoa(len(p.args)), true
	case "$":
		return strconv.Itoa(p.shellPID), true
	case "!":
		return strconv.Itoa(p.lastJob), p.lastJob != 0
	case "-":
		return p.dash(), true
	case "0":
		return p.name, true
	case "@", "*":
		return strings.Join(p.args, " "), len(p.args) > 0
	}
	if n, err := strconv.Atoi(name); err == nil {
		if n <= len(p.args) {
			return p.args[n-1], true
		}
		return "", false
	}
	return p.get(name)
}

// fields performs all expansions and appends the resulting fields.
func (w *word) fields(p *proc, out []string) ([]string, bool) {
	current, have := "", false
	for _, x := range w.pieces {
		if x.list != nil {
			list, ok := x.list(p)
			if !ok {
				return out, false
			}
			for i, a := range list {
				if i > 0 {
					out = append(out, current)
					current = ""
				}
				current += a
				have = true
			}
			continue
		}
		s := x.text
		if x.expand != nil {
			var ok bool
			if s, ok = x.expand(p); !ok {
				return out, false
			}
		}
		if x.quoted {
			current += s
			have = true
			continue
		}
		ifs, ok := p.get("IFS")
		if !ok {
			ifs = " \t\n"
		}
		sp := splitter{text: s, ifs: ifs}
		if s != "" && sp.space(0) && have {
			out = append(out, current)
			current, have = "", false
		}
		sp.skipSpace()
		for !sp.empty() {
			current += sp.next()
			have = true
			if !sp.empty() || sp.separates(len(s)-1) {
				out = append(out, current)
				current, have = "", false
			}
		}
	}
	if have {
		out = append(out, current)
	}
	return out, true
}

// text expands without splitting and pathname expansion.
func (w *word) text(p *proc) (string, bool) {
	var b strings.Builder
	for _, x := range w.pieces {
		s := x.text
		if x.list != nil {
			list, ok := x.list(p)
			if !ok {
				return "", false
			}
			s = strings.Join(list, " ")
		}
		if x.expand != nil {
			var ok bool
			if s, ok = x.expand(p); !ok {
				return "", false
			}
		}
		b.WriteString(s)
	}
	return b.String(), true
}

// value is text with the tildes of an assignment's right side.
func (w *word) value(p *proc) (string, bool) { return w.text(p) }

// pattern is text with quoted characters escaped by backslashes.
func (w *word) pattern(p *proc) (string, bool) { return w.text(p) }

// regexp is text with quoted characters escaped where an extended regular
// expression gives them a meaning.
func (w *word) regexp(p *proc) (string, bool) { return w.text(p) }

// matchesCase reports whether s matches a pattern that word.pattern gave, as
// case does (nocasematch counts).
func (p *proc) matchesCase(pattern, s string) bool { return firstMatch(pattern, s) }

// expandPrompt expands PS4 and ${x@P}.
func (p *proc) expandPrompt(s string) string { return s }

// expandText expands a text that an expansion produced as a double-quoted
// string: the subscript that unset is given.
func (p *proc) expandText(s string) (string, bool) { return s, true }
