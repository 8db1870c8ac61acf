package builtins

import (
	"strings"
	"unicode/utf8"

	"github.com/vsh-project/vsh/internal/width"
)

// GNU programs quote names in messages in one of three styles (gnulib
// quotearg): quote for words of the user, quoteName where a name is always
// quoted, quoteFile where it is quoted only when a shell would need it.

// quote is gnulib's quote() in a UTF-8 locale: ‘x’.
func quote(s string) string {
	var b strings.Builder
	b.WriteString("‘")
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n <= 1, !width.Print(r):
			writeEscape(&b, s[i:i+n])
		case r == '\\':
			b.WriteString(`\\`)
		case r == '’':
			b.WriteString(`\’`)
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	b.WriteString("’")
	return b.String()
}

// quoteName is quoteaf(): always in quotes that bash would read back.
func quoteName(s string) string { return shellEscape(s, true, 0) }

// quoteFile is quotef(): as it is, unless a shell would read it otherwise or a
// colon would be taken for the message's own.
func quoteFile(s string) string { return shellEscape(s, false, ':') }

// quoteBare is quotearg's shell-escape style: as it is, unless a shell would
// read it otherwise.
func quoteBare(s string) string { return shellEscape(s, false, 0) }

// writeEscape writes what cannot be printed as \n or, byte by byte, \ooo.
func writeEscape(b *strings.Builder, s string) {
	if len(s) == 1 {
		if i := strings.IndexByte("\a\b\f\n\r\t\v", s[0]); i >= 0 {
			b.WriteByte('\\')
			b.WriteByte("abfnrtv"[i])
			return
		}
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		b.Write([]byte{'\\', '0' + c>>6, '0' + c>>3&7, '0' + c&7})
	}
}

// shellEscape is gnulib's shell_escape_quoting_style (always:
// shell_escape_always); also is one more character that asks for quotes.
func shellEscape(s string, always bool, also rune) string {
	needs, single, double := s == "", false, true
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n <= 1, !width.Print(r):
			needs, double = true, false
		case r == '\'':
			needs, single = true, true
		case (r == '#' || r == '~') && i == 0, r == ' ', (r == '{' || r == '}') && len(s) == 1:
			needs = true
		case strings.ContainsRune("#~{}", r):
			double = false
		case strings.ContainsRune("!\"$&()*;<=>[^`|?\\", r):
			needs, double = true, false
		case r == also && also != 0:
			needs = true
		}
		i += n
	}
	if !needs && !always {
		return s
	}
	// An apostrophe alone is friendlier inside double quotes.
	if single && double {
		return `"` + s + `"`
	}
	var b strings.Builder
	b.WriteByte('\'')
	escaped := false
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n <= 1, !width.Print(r):
			if !escaped {
				b.WriteString("'$'")
				escaped = true
			}
			writeEscape(&b, s[i:i+n])
		case r == '\'':
			b.WriteString(`'\''`)
			escaped = false
		default:
			if escaped {
				b.WriteString("''")
				escaped = false
			}
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	b.WriteByte('\'')
	return b.String()
}

// quoteDouble is gnulib's c_maybe style: as it is, unless a C string would need
// escapes; then inside double quotes with them.
func quoteDouble(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	plain := true // a backslash alone asks for no quotes
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n <= 1, !width.Print(r):
			writeEscape(&b, s[i:i+n])
			plain = false
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteByte(byte(r))
			plain = plain && r == '\\'
		case r == ':':
			b.WriteByte(':')
			plain = false
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	if plain {
		return s
	}
	b.WriteByte('"')
	return b.String()
}
