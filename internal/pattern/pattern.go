// Package pattern matches the patterns of bash: *, ?, bracket expressions and
// the extended groups ?() *() +() @() !(), in the C.UTF-8 locale. Matching
// takes time linear in pattern and text (but for !( ), whose automaton may
// grow), never recurses on its input, and can be stopped.
//
// A byte that is not UTF-8 is a character of its own.
package pattern

import (
	"strings"
	"sync/atomic"
	"unicode/utf8"
)

// Options say how a pattern is read and matched.
type Options struct {
	// ExtGlob reads the extended groups.
	ExtGlob bool
	// NoCase ignores case.
	NoCase bool
	// Pathname lets only a literal slash match a slash (FNM_PATHNAME).
	Pathname bool
	// Period lets only a literal period match a period that starts the text
	// or, with Pathname, a component (FNM_PERIOD).
	Period bool
	// NoEscape takes a backslash as an ordinary character (FNM_NOESCAPE).
	NoEscape bool
}

// Pattern is a compiled pattern, safe for concurrent use.
type Pattern struct {
	options Options
	tokens  []token
	groups  bool
	deep    bool
	shape   shape
	// literal is the text of the shapes that have one.
	literal string
	// forward and backward keep an automaton between two matches.
	forward, backward atomic.Pointer[automaton]
}

// shape names the simple patterns that need no automaton.
type shape uint8

const (
	shapeGeneral  shape = iota
	shapeLiteral        // abc
	shapeAll            // *
	shapeSuffix         // *abc
	shapePrefix         // abc*
	shapeContains       // *abc*
	shapeSingle         // ? or [abc]
)

// Compile reads a pattern, in which a backslash takes the meaning of the
// character behind it. Every text is a pattern: what is malformed stands for
// itself, as in bash.
func Compile(text string, o Options) *Pattern {
	p := &Pattern{options: o}
	p.tokens, p.groups, p.deep = scan(text, o)
	p.shape, p.literal = p.classify()
	return p
}

// Deep reports whether groups nest deeper than MaxGroups: what lies deeper was
// taken as text, and the pattern is not what was meant.
func (p *Pattern) Deep() bool { return p.deep }

// Cost is an upper bound of the memory that Compile takes for text.
func Cost(text string) int64 {
	n := int64(0)
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '*', '?', '[', '(', ')', '|', '\\':
			n += 2
		}
	}
	return 512 + 2*int64(len(text)) + 64*n
}

// Special reports whether text has a meaning as a pattern: an unescaped *, ?
// or closed bracket, or with extglob the beginning of a group.
func Special(text string, extGlob bool) bool {
	open := false
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '*', '?':
			return true
		case '[':
			open = true
		case ']':
			if open {
				return true
			}
		case '+', '@', '!':
			if extGlob && i+1 < len(text) && text[i+1] == '(' {
				return true
			}
		case '\\':
			i++
		}
	}
	return false
}

// special are the bytes that may have a meaning in a pattern.
const special = `*?[]\+@!()|-^`

// Quote is text as a pattern that matches only text.
func Quote(text string) string {
	if !strings.ContainsAny(text, special) {
		return text
	}
	return string(AppendQuoted(make([]byte, 0, len(text)+8), text))
}

// AppendQuoted appends Quote(text) to dst.
func AppendQuoted(dst []byte, text string) []byte {
	for i := 0; i < len(text); i++ {
		if strings.IndexByte(special, text[i]) >= 0 {
			dst = append(dst, '\\')
		}
		dst = append(dst, text[i])
	}
	return dst
}

// Unquote takes the backslashes out of a pattern: the text that stands for
// itself when nothing matches.
func Unquote(pattern string) string {
	i := strings.IndexByte(pattern, '\\')
	if i < 0 {
		return pattern
	}
	out := append(make([]byte, 0, len(pattern)), pattern[:i]...)
	for ; i < len(pattern); i++ {
		if pattern[i] == '\\' && i+1 < len(pattern) {
			i++
		}
		out = append(out, pattern[i])
	}
	return string(out)
}

// Literal is the only text the pattern matches, when there is just one.
func (p *Pattern) Literal() (string, bool) {
	return p.literal, p.shape == shapeLiteral && !p.options.NoCase
}

// invalid is where the characters of bytes that are not UTF-8 begin.
const invalid = utf8.MaxRune + 1

// decode is the first character of s, which is not empty, and its length.
func decode(s string) (rune, int) {
	if c := s[0]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 {
		return invalid + rune(s[0]), 1
	}
	return r, n
}

// decodeLast is the last character of s, which is not empty.
func decodeLast(s string) (rune, int) {
	if c := s[len(s)-1]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	r, n := utf8.DecodeLastRuneInString(s)
	if r == utf8.RuneError && n == 1 {
		return invalid + rune(s[len(s)-1]), 1
	}
	return r, n
}
