// Package quote writes text as bash does where a shell is to read it back:
// printf %q, ${x@Q}, declare -p, set, xtrace.
package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// NeedsANSI reports whether s holds a character that bash shows as $'…' only:
// a control character or a byte that is no UTF-8.
func NeedsANSI(s string) bool {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c < ' ' || c == 0x7f {
				return true
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || !printable(r) {
			return true
		}
		i += n
	}
	return false
}

// printable is glibc's iswprint in C.UTF-8.
func printable(r rune) bool {
	return unicode.IsGraphic(r) || unicode.Is(unicode.Co, r) || unicode.Is(unicode.Cf, r)
}

// ANSI is s as $'…'.
func ANSI(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	b.WriteString("$'")
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if (r != utf8.RuneError || n > 1) && printable(r) {
				b.WriteString(s[i : i+n])
			} else {
				for _, c := range []byte(s[i : i+n]) {
					octal(&b, c)
				}
			}
			i += n
			continue
		}
		i++
		if k := strings.IndexByte("\a\b\x1b\f\n\r\t\v\\'", c); k >= 0 {
			b.WriteByte('\\')
			b.WriteByte(`abEfnrtv\'`[k])
		} else if c < ' ' || c == 0x7f {
			octal(&b, c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

func octal(b *strings.Builder, c byte) {
	b.Write([]byte{'\\', '0' + c>>6, '0' + c>>3&7, '0' + c&7})
}

// Single is s in single quotes, whatever it is.
func Single(s string) string {
	if s == "'" {
		return `\'`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Reusable is ${x@Q}: single quotes, or $'…' where needed.
func Reusable(s string) string {
	if NeedsANSI(s) {
		return ANSI(s)
	}
	return Single(s)
}

// Double is the form of a value in declare -p: double quotes, or $'…' where
// needed.
func Double(s string) string {
	if NeedsANSI(s) {
		return ANSI(s)
	}
	return doubled(s)
}

func doubled(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"', '$', '`', '\\':
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	b.WriteByte('"')
	return b.String()
}

// Key is the form of an associative array's key in declare -p.
func Key(s string) string {
	switch {
	case NeedsANSI(s):
		return ANSI(s)
	case HasMeta(s) || s == "@":
		return doubled(s)
	}
	return s
}

// Backslash is printf %q: a backslash before each character that needs one, two
// single quotes for nothing, $'…' where needed.
func Backslash(s string) string {
	switch {
	case s == "":
		return "''"
	case NeedsANSI(s):
		return ANSI(s)
	}
	var b strings.Builder
	b.Grow(len(s) + 8)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case strings.IndexByte(" !\"$&'()*,;<>?[\\]^`{|}", c) >= 0,
			c == '#' && i == 0,
			c == '~' && (i == 0 || s[i-1] == ':' || s[i-1] == '='):
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// HasMeta reports whether s holds a character with a meaning to the shell.
func HasMeta(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
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

// Value is the form of a value that set prints: as it is if it can be.
func Value(s string) string {
	switch {
	case NeedsANSI(s):
		return ANSI(s)
	case HasMeta(s):
		return Single(s)
	}
	return s
}

// Trace is the form of a word under set -x.
func Trace(s string) string {
	if s == "" {
		return "''"
	}
	return Value(s)
}
