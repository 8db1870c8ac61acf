package interp

import (
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/vsh-project/vsh/internal/parse"
	"github.com/vsh-project/vsh/internal/pattern"
)

// quoting is where a part of a word stands: what quotes what.
type quoting uint8

const (
	inPlain         quoting = iota
	inOperand               // the word of ${x-word} outside quotes
	inQuotes                // inside double quotes
	inQuotedOperand         // the word of ${x-word} inside double quotes or a here-document
	inDocument              // a here-document
)

func (c quoting) quoted() bool { return c >= inQuotes }

// item is a run of literal text, quoted or not, or another part of a word.
type item struct {
	text   string
	quoted bool
	piece  piece
	// glued says that the piece is $name without braces: name characters that
	// a brace expansion puts behind it belong to the name.
	glued *parameter
}

// items cuts the parts of a word into items.
func (c *compiler) items(out []item, parts []syntax.WordPart, in quoting) []item {
	for _, part := range parts {
		switch x := part.(type) {
		case *syntax.Lit:
			out = appendLiteral(out, x.Value, in)
		case *syntax.SglQuoted:
			text := x.Value
			if x.Dollar {
				text = ansiText(text)
			}
			out = append(out, item{text: parse.Unmap(text), quoted: true})
		case *syntax.DblQuoted:
			inner := inQuotes
			if in.quoted() {
				inner = in
			}
			out = append(out, item{piece: c.quotedString(x, inner), quoted: true})
		case *syntax.ParamExp:
			e := c.parameter(x, in)
			i := item{piece: e, quoted: in.quoted()}
			if q, ok := e.(*parameter); ok && x.Short && !in.quoted() {
				i.glued = q
			}
			out = append(out, i)
		case *syntax.CmdSubst:
			out = append(out, item{piece: &commandPiece{body: c.substitution(x.Stmts, x.Pos(), in == inDocument || c.lines.Inserted(x.Pos())), quoted: in.quoted()}, quoted: in.quoted()})
		case *syntax.ProcSubst:
			out = append(out, item{piece: &processPiece{body: c.substitution(x.Stmts, x.Pos(), false), in: x.Op == syntax.CmdIn}, quoted: true})
		case *syntax.ArithmExp:
			out = append(out, item{piece: &arithmeticPiece{x: c.arithmetic(x.X), quoted: in.quoted()}, quoted: in.quoted()})
		}
	}
	return out
}

// appendLiteral takes the backslashes out of a literal and turns its reserved
// runes back into bytes.
func appendLiteral(out []item, s string, in quoting) []item {
	var run []byte
	quoted := in.quoted()
	flush := func(q bool) {
		if len(run) > 0 {
			out = append(out, item{text: string(run), quoted: q})
			run = run[:0]
		}
	}
	state := quoted
	put := func(text string, q bool) {
		if q != state {
			flush(state)
			state = q
		}
		run = append(run, text...)
	}
	for i := 0; i < len(s); {
		n := runeLength(s[i:])
		if s[i] != '\\' || i+1 >= len(s) {
			put(parse.Unmap(s[i:i+n]), quoted)
			i += n
			continue
		}
		m := runeLength(s[i+1:])
		next := s[i+1 : i+1+m]
		i += 1 + m
		switch {
		case next == "\n":
		case !quoted:
			put(parse.Unmap(next), true)
		case next == "$" || next == "`" || next == `\` || next == `"` && in != inDocument || next == "}" && in == inQuotedOperand:
			put(next, true)
		default:
			put(`\`, true)
			put(parse.Unmap(next), true)
		}
	}
	flush(state)
	return out
}

// runeLength is the length of the first character of s.
func runeLength(s string) int {
	if s[0] < utf8.RuneSelf {
		return 1
	}
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// assembly says what the items become.
type assembly uint8

const (
	assembleWord    assembly = iota
	assembleElement          // of an array: the tilde of an assignment does not count
	assembleOperand          // in ${x-word}: no braces
	assembleText             // quoted: neither tildes nor braces
)

// assemble makes a word of items.
func (c *compiler) assemble(items []item, kind assembly) *word {
	if kind <= assembleElement {
		if b := findBraces(items); b != nil {
			w := assembleItems(items, kind)
			w.braces = b
			w.plain, w.single = false, nil
			return w
		}
	}
	return assembleItems(items, kind)
}

// assembleItems makes a word of items without regard to braces.
func assembleItems(items []item, kind assembly) *word {
	w := &word{}
	if len(items) > 1 {
		items = coalesce(items)
	}
	tilde := kind != assembleText && hasTilde(items)
	w.pieces = assemblePieces(items, kind, tilde, false)
	if tilde {
		w.valuePieces = assemblePieces(items, kind, true, true)
	}
	w.plain = true
	for _, x := range w.pieces {
		switch x := x.(type) {
		case *literal:
			if x.magic || kind == assembleOperand && !x.quoted {
				w.plain = false
			}
			w.globs = w.globs || x.magic
		default:
			w.plain = false
			w.globs = w.globs || !isQuoted(x)
		}
	}
	w.constantPattern, w.constant = literalPattern(w.pieces)
	if w.plain {
		for _, x := range w.pieces {
			w.fixed += x.(*literal).text
		}
		if tilde { // a word whose tildes count only in an assignment
			for _, x := range w.valuePieces {
				if _, ok := x.(*literal); !ok {
					w.plain = false
				}
			}
		}
		if len(w.pieces) == 0 && kind <= assembleElement {
			w.plain = len(items) > 0
		}
	}
	if len(w.pieces) == 1 && kind <= assembleElement {
		switch x := w.pieces[0].(type) {
		case *parameter:
			w.single, w.direct = x.alone(), x.edits()
		case *quotedString:
			if len(x.pieces) == 1 {
				if q, ok := x.pieces[0].(*parameter); ok {
					w.single, w.direct = q.alone(), q.edits()
				}
			}
		}
	}
	return w
}

// literalPattern is the pattern that pieces without expansions make.
func literalPattern(pieces []piece) (string, bool) {
	var out []byte
	for _, x := range pieces {
		l, ok := x.(*literal)
		switch {
		case !ok:
			return "", false
		case l.quoted:
			out = pattern.AppendQuoted(out, l.text)
		default:
			out = append(out, l.text...)
		}
	}
	return string(out), true
}

func isQuoted(x piece) bool {
	switch x := x.(type) {
	case *quotedString, *tildePiece:
		return true
	case *parameter:
		return x.quoted
	case *commandPiece:
		return x.quoted
	case *arithmeticPiece:
		return x.quoted
	case *processPiece:
		return true
	}
	return false
}

func hasTilde(items []item) bool {
	for _, it := range items {
		if it.piece == nil && !it.quoted && strings.IndexByte(it.text, '~') >= 0 {
			return true
		}
	}
	return false
}

// assemblePieces makes pieces of items; value is the right side of an
// assignment.
func assemblePieces(items []item, kind assembly, tilde, value bool) []piece {
	out := make([]piece, 0, len(items))
	add := func(text string, quoted bool) {
		if n := len(out); n > 0 {
			if l, ok := out[n-1].(*literal); ok && l.quoted == quoted {
				out[n-1] = newLiteral(l.text+text, quoted, kind)
				return
			}
		}
		out = append(out, newLiteral(text, quoted, kind))
	}
	// assigning is set behind the "=" of a word that looks like an assignment.
	assigning := value
	start := true // a tilde may stand here
	for i, it := range items {
		if it.piece != nil {
			out = append(out, it.piece)
			start = false
			continue
		}
		if !tilde || it.quoted {
			add(it.text, it.quoted)
			start = false
			continue
		}
		text := it.text
		from := 0
		for k := 0; k < len(text); k++ {
			switch ch := text[k]; {
			case ch == '~' && (start || assigning && k > 0 && text[k-1] == ':' || assigning && k == 0 && i > 0 && endsWith(items[i-1], ':')):
				end := k + 1
				for end < len(text) && text[end] != '/' && !(assigning && text[end] == ':') {
					end++
				}
				// A quoted character or an expansion in the name: no tilde.
				if end == len(text) && i+1 < len(items) && !(items[i+1].piece == nil && !items[i+1].quoted) {
					break
				}
				if k > from {
					add(text[from:k], false)
				}
				out = append(out, &tildePiece{text: text[k:end]})
				from = end
				k = end - 1
			case ch == '=' && !assigning && kind == assembleWord && i == 0 && validName(text[:k]):
				assigning = true
				start = true
				continue
			}
			start = false
		}
		if from < len(text) {
			add(text[from:], false)
		}
	}
	return out
}

func endsWith(it item, c byte) bool {
	return it.piece == nil && !it.quoted && it.text != "" && it.text[len(it.text)-1] == c
}

// literal is text of the source.
type literal struct {
	text   string
	quoted bool
	// magic says that it is unquoted and holds pattern characters; split, that
	// it stands in ${x-word} and is split like a value.
	magic, split bool
}

func newLiteral(text string, quoted bool, kind assembly) *literal {
	return &literal{text: text, quoted: quoted, magic: !quoted && strings.ContainsAny(text, "*?[(\\"), split: !quoted && kind == assembleOperand}
}

func (x *literal) expand(p *proc, b *builder) bool {
	switch {
	case x.quoted:
		return b.quoted(x.text)
	case x.split:
		return b.unquoted(x.text)
	}
	return b.literal(x.text)
}

// quotedString is "…".
type quotedString struct {
	pieces []piece
	// arguments says that a part may be a list without elements, upon which an
	// otherwise empty string is no field.
	arguments bool
}

func (c *compiler) quotedString(x *syntax.DblQuoted, in quoting) piece {
	items := c.items(nil, x.Parts, in)
	q := &quotedString{pieces: assemblePieces(items, assembleText, false, false)}
	apart := false
	for _, part := range q.pieces {
		if e, ok := part.(*parameter); ok {
			q.arguments = q.arguments || e.mayVanish()
			apart = apart || e.arguments()
		}
	}
	if apart {
		for _, part := range q.pieces {
			if e, ok := part.(*parameter); ok {
				e.apart = true
			}
		}
	}
	if len(q.pieces) == 0 {
		return newLiteral("", true, assembleText)
	}
	if len(q.pieces) == 1 {
		if l, ok := q.pieces[0].(*literal); ok {
			return l
		}
	}
	return q
}

func (x *quotedString) expand(p *proc, b *builder) bool {
	vanished, had, size, fields := b.vanished, b.have, len(b.buf), len(b.fields)
	b.vanished = false
	if !b.expand(x.pieces) {
		return false
	}
	if x.arguments && b.vanished && len(b.buf) == size && len(b.fields) == fields {
		b.have = had
	} else {
		b.have = true
	}
	b.vanished = vanished
	return true
}

// commandPiece is $( ).
type commandPiece struct {
	body   node
	quoted bool
}

func (x *commandPiece) expand(p *proc, b *builder) bool {
	s, ok := p.substitute(x.body)
	p.status = p.substituted
	return ok && b.value(s, x.quoted)
}

// processPiece is <( ) and >( ).
type processPiece struct {
	body node
	in   bool
}

func (x *processPiece) expand(p *proc, b *builder) bool {
	s, ok := p.substituteProcess(x.body, x.in)
	return ok && b.quoted(s)
}

// arithmeticPiece is $(( )).
type arithmeticPiece struct {
	x      *arithmetic
	quoted bool
}

func (x *arithmeticPiece) expand(p *proc, b *builder) bool {
	n, ok := x.x.eval(p)
	if !ok && p.flow == flowAbort && p.options.has(optPosix) {
		p.fatal()
	}
	return ok && b.number(n, x.quoted)
}
