package builtins

import (
	"strings"
	"unicode"
	"unicode/utf8"
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
		case r == utf8.RuneError && n <= 1:
			writeOctal(&b, s[i])
		case r == '\\':
			b.WriteString(`\\`)
		case r == '’':
			b.WriteString(`\’`)
		case unicode.IsPrint(r):
			b.WriteString(s[i : i+n])
		default:
			writeEscape(&b, s[i:i+n])
		}
		i += n
	}
	b.WriteString("’")
	return b.String()
}

// quoteName is quoteaf(): always in single quotes that bash would read back.
func quoteName(s string) string { return shellEscape(s, true) }

// quoteFile is quotef(): as it is, unless a shell would read it otherwise.
func quoteFile(s string) string { return shellEscape(s, false) }

func writeOctal(b *strings.Builder, c byte) {
	b.Write([]byte{'\\', '0' + c>>6, '0' + c>>3&7, '0' + c&7})
}

func writeEscape(b *strings.Builder, s string) {
	if len(s) == 1 {
		if i := strings.IndexByte("\a\b\f\n\r\t\v", s[0]); i >= 0 {
			b.WriteByte('\\')
			b.WriteByte("abfnrtv"[i])
			return
		}
	}
	for i := 0; i < len(s); i++ {
		writeOctal(b, s[i])
	}
}

// shellEscape is gnulib's shell_escape_quoting_style (always: ..._always_...).
func shellEscape(s string, always bool) string {
	needs, single, unprintable := s == "", false, false
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n <= 1, !unicode.IsPrint(r):
			needs, unprintable = true, true
		case r == '\'':
			needs, single = true, true
		case strings.ContainsRune(" !\"$&()*;<=>[^`|?\\", r):
			needs = true
		case (r == '#' || r == '~') && i == 0:
			needs = true
		case (r == '{' || r == '}') && len(s) == 1:
			needs = true
		}
		i += n
	}
	if !needs && !always {
		return s
	}
	if single && !unprintable && !strings.ContainsAny(s, "\"$`\\!") {
		return `"` + s + `"`
	}
	var b strings.Builder
	b.WriteByte('\'')
	escaped := false
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if (r == utf8.RuneError && n <= 1) || !unicode.IsPrint(r) {
			if !escaped {
				b.WriteString("'$'")
				escaped = true
			}
			writeEscape(&b, s[i:i+n])
			i += n
			continue
		}
		if escaped {
			b.WriteString("''")
			escaped = false
		}
		if r == '\'' {
			b.WriteString(`'\''`)
		} else {
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	b.WriteByte('\'')
	return b.String()
}
