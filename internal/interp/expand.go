package interp

import (
	"mvdan.cc/sh/v3/syntax"

	"github.com/vsh-project/vsh/internal/parse"
)

// word is a prepared word.
type word struct {
	// pieces are what it consists of. In the right side of an assignment more
	// tildes count: valuePieces, nil where that makes no difference.
	pieces, valuePieces []piece
	// fixed is the whole word when nothing in it is expanded, with plain set.
	plain bool
	fixed string
	// constant says that the word as a pattern is always constantPattern.
	constant        bool
	constantPattern string
	// single is "$name" or $name standing alone.
	single *parameter
	// direct is the only piece, when it may give its text without copying it.
	direct *parameter
	// braces is set when the word holds brace expansions.
	braces *braces
	// globs says that the word may come to hold unquoted pattern characters.
	globs bool
	// document says that it is the body of a here-document.
	document bool
}

// piece is a part of a word: it appends its expansion to b. false: it failed,
// the message is out and p.flow is set.
type piece interface {
	expand(p *proc, b *builder) bool
}

// word prepares a word of a command.
func (c *compiler) word(w *syntax.Word) *word {
	if w == nil {
		return &word{plain: true}
	}
	return c.assemble(c.items(nil, w.Parts, inPlain), assembleWord)
}

// element prepares an element of an array.
func (c *compiler) element(w *syntax.Word) *word {
	if w == nil {
		return &word{plain: true}
	}
	return c.assemble(c.items(nil, w.Parts, inPlain), assembleElement)
}

// document prepares the body of a here-document: text as it stands, when the
// delimiter is quoted.
func (c *compiler) document(r *syntax.Redirect) *word {
	w := r.Hdoc
	if w == nil {
		return &word{plain: true}
	}
	if _, quoted := r.Word.Parts[0].(*syntax.SglQuoted); quoted {
		return &word{plain: true, fixed: parse.Unmap(w.Lit())}
	}
	out := c.assemble(c.items(nil, w.Parts, inDocument), assembleText)
	out.document = true
	return out
}

// operandWord prepares the word of ${x:-word} and its like.
func (c *compiler) operandWord(w *syntax.Word, in quoting) *word {
	if w == nil {
		return &word{plain: true}
	}
	if !in.quoted() {
		return c.assemble(c.items(nil, w.Parts, inOperand), assembleOperand)
	}
	return c.assemble(c.items(nil, w.Parts, inQuotedOperand), assembleText)
}

// fields performs all expansions and appends the resulting fields.
func (w *word) fields(p *proc, out []string) ([]string, bool) {
	switch {
	case w.braces != nil && p.options.has(optBraceexpand):
		return w.braces.fields(p, out)
	case w.plain:
		return append(out, w.fixed), true
	case w.single != nil:
		if s, ok := w.single.simple(p); ok {
			if w.single.quoted || s != "" && p.splitter().inert(s) {
				return append(out, s), true
			}
			if s == "" {
				return out, true
			}
		}
	}
	if x := w.direct; x != nil && x.quoted {
		if s, done, ok := x.edited(p); !ok {
			return out, false
		} else if done {
			return append(out, s), true
		}
	}
	b := p.builder(resultFields)
	b.fields, b.globs = out, w.globs && !p.options.has(optNoglob)
	ok := b.expand(w.pieces) && b.endField()
	out = b.fields
	p.giveBack(b)
	return out, ok
}

// text expands without splitting and pathname expansion.
func (w *word) text(p *proc) (string, bool) { return w.string(p, w.pieces, resultText) }

// value is text with the tildes of an assignment's right side.
func (w *word) value(p *proc) (string, bool) {
	if w.plain || w.single != nil || w.direct != nil && w.direct.op != opNone {
		return w.text(p)
	}
	pieces := w.pieces
	if w.valuePieces != nil {
		pieces = w.valuePieces
	}
	b := p.builder(resultText)
	b.assigns = true
	ok := b.reserve(pieces) && b.expand(pieces)
	s := ""
	if ok {
		s, ok = b.result()
	}
	p.giveBack(b)
	return s, ok
}

// pattern is text with quoted characters escaped by backslashes.
func (w *word) pattern(p *proc) (string, bool) {
	if w.constant {
		return w.constantPattern, true
	}
	return w.string(p, w.pieces, resultPattern)
}

// regexp is text with quoted characters escaped where an extended regular
// expression gives them a meaning.
func (w *word) regexp(p *proc) (string, bool) { return w.string(p, w.pieces, resultRegexp) }

func (w *word) string(p *proc, pieces []piece, kind result) (string, bool) {
	if kind == resultText {
		if w.plain {
			return w.fixed, true
		}
		if w.single != nil {
			if s, ok := w.single.simple(p); ok {
				return s, true
			}
		}
	}
	if w.direct != nil && kind == resultText {
		if s, done, ok := w.direct.edited(p); done || !ok {
			return s, ok
		}
	}
	if w.document {
		kind = resultDocument
	}
	b := p.builder(kind)
	ok := (kind == resultPattern || b.reserve(pieces)) && b.expand(pieces)
	s := ""
	if ok {
		s, ok = b.result()
	}
	p.giveBack(b)
	return s, ok
}

// expandText expands a text that an expansion produced as a double-quoted
// string: the subscript that unset is given.
func (p *proc) expandText(s string) (string, bool) {
	w, ok := p.parseText(s)
	if !ok {
		return "", false
	}
	return w.text(p)
}
