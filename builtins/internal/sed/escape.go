package sed

import (
	"strings"
	"unicode/utf8"
)

type escapeUse uint8

const (
	escapesText  escapeUse = iota // a i c, y: other backslashes are dropped
	escapesRegex                  // other backslashes stay
)

// expandEscapes turns \a \f \n \r \t \v \cX \dNNN \oNNN \xHH into characters.
func expandEscapes(s string, use escapeUse) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		c := s[i]
		if c != '\\' || i+1 >= len(s) {
			b.WriteByte(c)
			i++
			continue
		}
		if value, size, ok := numericEscape(s[i+1:]); ok {
			b.WriteByte(value)
			i += 1 + size
			continue
		}
		next := s[i+1]
		i += 2
		switch {
		case next == 'n' && use == escapesText:
			b.WriteByte('\n')
		case use == escapesText:
			b.WriteByte(next)
		default:
			b.WriteByte('\\')
			b.WriteByte(next)
		}
	}
	return b.String()
}

// numericEscape reads what stands behind a backslash, where that is one of
// the escapes that GNU sed adds everywhere.
func numericEscape(s string) (value byte, size int, ok bool) {
	switch s[0] {
	case 'a':
		return '\a', 1, true
	case 'f':
		return '\f', 1, true
	case 'r':
		return '\r', 1, true
	case 't':
		return '\t', 1, true
	case 'v':
		return '\v', 1, true
	case 'c':
		if len(s) < 2 {
			return 0, 0, false
		}
		c := s[1]
		size = 2
		if c == '\\' {
			if len(s) < 3 || s[2] != '\\' {
				return 0, 0, false
			}
			size = 3
		}
		if c >= 'a' && c <= 'z' {
			c -= 0x20
		}
		return c ^ 0x40, size, true
	case 'd':
		return number(s, 10, 3)
	case 'o':
		return number(s, 8, 3)
	case 'x':
		return number(s, 16, 2)
	}
	return 0, 0, false
}

// number reads up to count digits of base behind s[0].
func number(s string, base, count int) (value byte, size int, ok bool) {
	n := 0
	i := 1
	for ; i < len(s) && i <= count; i++ {
		d := strings.IndexByte("0123456789abcdef", s[i])
		if s[i] >= 'A' && s[i] <= 'F' {
			d = int(s[i]-'A') + 10
		}
		if d < 0 || d >= base {
			break
		}
		n = n*base + d
	}
	return byte(n), i, i > 1
}

// characters splits a text; a byte outside UTF-8 is a character.
func characters(s string, bytes bool) []string {
	var out []string
	for len(s) > 0 {
		n := 1
		if !bytes {
			_, n = utf8.DecodeRuneInString(s)
		}
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

// characterKey tells characters apart: a byte outside UTF-8 from all runes.
func characterKey(s string) rune {
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 {
		return -rune(s[0])
	}
	return r
}
