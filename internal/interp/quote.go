package interp

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// unprintable reports whether bash would write s as $'…'.
func unprintable(s string) bool {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c < ' ' || c == 0x7f {
				return true
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || !unicode.IsPrint(r) && !unicode.In(r, unicode.Zs, unicode.Co) {
			return true
		}
		i += n
	}
	return false
}

// ansiQuote is s as $'…'.
func ansiQuote(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	b.WriteString("$'")
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError && unicode.IsPrint(r) {
				b.WriteString(s[i : i+n])
			} else {
				for _, c := range []byte(s[i : i+n]) {
					fmt.Fprintf(&b, `\%03o`, c)
				}
			}
			i += n
			continue
		}
		i++
		switch c {
		case '\a':
			b.WriteString(`\a`)
		case '\b':
			b.WriteString(`\b`)
		case 0x1b:
			b.WriteString(`\E`)
		case '\f':
			b.WriteString(`\f`)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		case '\v':
			b.WriteString(`\v`)
		case '\\', '\'':
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			if c < ' ' || c == 0x7f {
				fmt.Fprintf(&b, `\%03o`, c)
			} else {
				b.WriteByte(c)
			}
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// doubleQuote is s as declare -p shows a value.
func doubleQuote(s string) string {
	if unprintable(s) {
		return ansiQuote(s)
	}
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		if strings.IndexByte("\"$`\\", s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	b.WriteByte('"')
	return b.String()
}

// singleQuote is s in single quotes, the quotes in it as '\”.
func singleQuote(s string) string {
	if s == "'" {
		return `\'`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// hasMetacharacters reports whether a word would not stand for itself in a
// script.
func hasMetacharacters(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ', '\t', '\n', '\'', '"', '\\', '|', '&', ';', '(', ')', '<', '>', '!', '{', '}', '*', '[', '?', ']', '^', '$', '`':
			return true
		case '~':
			if i == 0 || s[i-1] == '=' || s[i-1] == ':' {
				return true
			}
		case '#':
			if i == 0 || s[i-1] == ' ' || s[i-1] == '\t' {
				return true
			}
		}
	}
	return false
}

// wordQuote quotes a word where it must be: set -x, set, alias.
func wordQuote(s string) string {
	switch {
	case s == "":
		return "''"
	case unprintable(s):
		return ansiQuote(s)
	case hasMetacharacters(s):
		return singleQuote(s)
	}
	return s
}

// traceQuote quotes a word as set -x shows it.
func traceQuote(s string) string {
	if s != "" && hasMetacharacters(s) {
		return singleQuote(s)
	}
	return wordQuote(s)
}

// valueQuote quotes a value as set shows it: nothing for an empty one.
func valueQuote(s string) string {
	if s == "" {
		return ""
	}
	return wordQuote(s)
}
