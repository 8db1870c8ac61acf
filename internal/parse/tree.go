package parse

import (
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// Reserved runes. byteBase+b stands for the byte b; the others mark nodes.
// A source that holds one of them has its bytes mapped, so none can be forged.
const (
	byteBase      = 0x10F000
	markNull      = 0x10F100 // a command that does nothing
	markError     = 0x10F101 // a command that reports its text
	markBad       = 0x10F102 // a parameter expansion that bash refuses when it is expanded
	markToggle    = 0x10F103 // ${x~p}
	markAppend    = 0x10F104 // [i]+=v in an array
	markSyntax    = 0x10F105 // a command substitution that could not be parsed
	markTransform = 0x10F106 // ${x@p}: a default with the operator or with all of the text
	lastReserved  = 0x10F1FF
)

// Unmap turns the reserved runes of a literal back into bytes.
func Unmap(s string) string {
	// Every reserved rune starts with these two bytes.
	i := strings.Index(s, "\xf4\x8f")
	if i < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i >= 0 {
		b = append(b, s[:i]...)
		r, n := utf8.DecodeRuneInString(s[i:])
		if r >= byteBase && r < byteBase+0x100 {
			b = append(b, byte(r-byteBase))
		} else {
			b = append(b, s[i:i+n]...)
		}
		s = s[i+n:]
		i = strings.Index(s, "\xf4\x8f")
	}
	return string(append(b, s...))
}

// Arithmetic is the word whose expansion, as one double-quoted string, is the
// text of the arithmetic expression x; nil for an expression left out.
func Arithmetic(x syntax.ArithmExpr) *syntax.Word {
	w, _ := x.(*syntax.Word)
	return w
}

// Index is a subscript, read both ways: which one counts depends on the
// variable it is applied to.
type Index struct {
	// All is '@' or '*' for [@] and [*].
	All byte
	// Arithmetic expands to the expression's text: an indexed array's way.
	Arithmetic *syntax.Word
	// Key expands (without splitting or globs) to an associative array's key.
	Key *syntax.Word
	// Append is set for an element written as [i]+=v.
	Append bool
}

// Subscript is the subscript x of an assignment, a parameter or an element.
func Subscript(x syntax.ArithmExpr) Index {
	w, _ := x.(*syntax.Word)
	if w == nil || len(w.Parts) == 0 {
		return Index{Arithmetic: w, Key: w}
	}
	var i Index
	if l, ok := w.Parts[0].(*syntax.Lit); ok {
		if l.Value == "@" || l.Value == "*" {
			i.All = l.Value[0]
		} else if l.Value == string(rune(markAppend)) {
			i.Append = true
			w = &syntax.Word{Parts: w.Parts[1:]}
		}
	}
	i.Arithmetic, i.Key = w, w
	if len(w.Parts) > 1 {
		i.Arithmetic = &syntax.Word{Parts: w.Parts[:1]}
		i.Key = &syntax.Word{Parts: w.Parts[1:]}
	}
	return i
}

// BadSubstitution is the text of an expansion that bash refuses when it comes
// to be expanded ("${x!}": bad substitution). The message is the text with
// ": bad substitution" unless message says otherwise.
func BadSubstitution(e *syntax.ParamExp) (text string, bad bool) {
	if e.Exp == nil || e.Exp.Word == nil || len(e.Exp.Word.Parts) != 1 {
		return "", false
	}
	l, ok := e.Exp.Word.Parts[0].(*syntax.Lit)
	if !ok {
		return "", false
	}
	text, bad = strings.CutPrefix(l.Value, string(rune(markBad)))
	return Unmap(text), bad
}

// Transformation recognises ${x@p} where it arrives as ${x-…}: a letter, or the
// whole text of an expansion whose operator does not exist.
func Transformation(e *syntax.Expansion) (text string, ok bool) {
	if e.Op != syntax.DefaultUnset || e.Word == nil || len(e.Word.Parts) != 1 {
		return "", false
	}
	l, ok := e.Word.Parts[0].(*syntax.Lit)
	if !ok {
		return "", false
	}
	text, ok = strings.CutPrefix(l.Value, string(rune(markTransform)))
	return Unmap(text), ok
}

// CaseToggle recognises ${x~p} and ${x~~p}, which arrive as ${x^p} and
// ${x^^p}; pattern is the word that remains, nil for none.
func CaseToggle(e *syntax.Expansion) (pattern *syntax.Word, toggle bool) {
	if e.Word == nil || len(e.Word.Parts) == 0 {
		return e.Word, false
	}
	l, ok := e.Word.Parts[0].(*syntax.Lit)
	if !ok || !strings.HasPrefix(l.Value, string(rune(markToggle))) {
		return e.Word, false
	}
	rest := append([]syntax.WordPart(nil), e.Word.Parts[1:]...)
	if v := l.Value[utf8.RuneLen(markToggle):]; v != "" {
		c := *l
		c.Value = v
		rest = append([]syntax.WordPart{&c}, rest...)
	}
	if len(rest) == 0 {
		return nil, true
	}
	return &syntax.Word{Parts: rest}, true
}

// elementName starts the names that stand for elements in {name[subscript]}>.
const elementName = "_vsh_element_"

// DescriptorVariable is the variable, or the element, of a redirection's {name}.
func DescriptorVariable(n string) string {
	name := strings.Trim(n, "{}")
	if text, ok := strings.CutPrefix(name, elementName); ok {
		if b, err := hex.DecodeString(text); err == nil {
			return Unmap(string(b))
		}
	}
	return name
}

// Kind says what a marker command does.
type Kind byte

const (
	// NotDeferred: an ordinary command.
	NotDeferred Kind = iota
	// Nothing: the empty command of "! " and "time"; status 0.
	Nothing
	// Failure: the text is to be reported as bash reports it when the command
	// comes to run; the status is 1 and the list goes on.
	Failure
	// SyntaxFailure: the command substitution that holds only this call could
	// not be parsed. Each line of the text is to be printed after "bash: command
	// substitution: ".
	SyntaxFailure
)

// Deferred recognises a marker command.
func Deferred(c *syntax.CallExpr) (Kind, string) {
	if len(c.Args) == 0 || len(c.Args[0].Parts) != 1 {
		return NotDeferred, ""
	}
	l, ok := c.Args[0].Parts[0].(*syntax.Lit)
	if !ok || len(l.Value) < 4 || l.Value[0] != 0xf4 {
		return NotDeferred, ""
	}
	switch r, n := utf8.DecodeRuneInString(l.Value); r {
	case markNull:
		return Nothing, ""
	case markError:
		return Failure, Unmap(l.Value[n:])
	case markSyntax:
		return SyntaxFailure, Unmap(l.Value[n:])
	}
	return NotDeferred, ""
}
