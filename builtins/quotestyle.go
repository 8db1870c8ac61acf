package builtins

import (
	"strings"
	"unicode/utf8"

	"github.com/vsh-project/vsh/internal/width"
)

// quoteStyle is a quoting style of gnulib's quotearg, as --quoting-style names them.
type quoteStyle uint8

const (
	quoteLiteral quoteStyle = iota
	quoteShell
	quoteShellAlways
	quoteShellEscape
	quoteShellEscapeAlways
	quoteC
	quoteCMaybe
	quoteEscape
	quoteLocale
)

func quoteStyleNames() []string {
	return []string{"literal", "shell", "shell-always", "shell-escape", "shell-escape-always", "c", "c-maybe", "escape", "locale", "clocale"}
}

// quoteStyled is quotearg: s in a style, the characters of also quoted too.
func quoteStyled(s string, style quoteStyle, also string) string {
	switch style {
	case quoteShell, quoteShellEscape, quoteCMaybe:
		if !quoteAsks(s, style, also) {
			return s
		}
		switch style {
		case quoteShell:
			style = quoteShellAlways
		case quoteShellEscape:
			style = quoteShellEscapeAlways
		default:
			style = quoteC
		}
		also = ""
	}
	switch style {
	case quoteShellAlways, quoteShellEscapeAlways:
		return quoteForShell(s, style == quoteShellEscapeAlways)
	case quoteC:
		return `"` + quoteBackslashes(s, `"`, also) + `"`
	case quoteEscape:
		return quoteBackslashes(s, "", also)
	case quoteLocale:
		return "‘" + quoteBackslashes(s, "’", also) + "’"
	}
	return s
}

// quoteAsks reports whether a style that quotes only where it must does so.
func quoteAsks(s string, style quoteStyle, also string) bool {
	if s == "" {
		return style != quoteCMaybe
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		bad := r == utf8.RuneError && n == 1 || !width.Print(r)
		switch {
		case n == 1 && strings.IndexByte(also, s[i]) >= 0:
			return true
		case style == quoteCMaybe:
			if bad || r == '"' {
				return true
			}
		case bad && (style == quoteShellEscape || r == '\n' || r == '\r' || r == '\t'):
			return true
		case strings.ContainsRune(` !"$&()*;<=>[^`+"`|'", r):
			return true
		case r == '\\':
			return true
		case (r == '#' || r == '~') && i == 0, (r == '{' || r == '}') && len(s) == 1:
			return true
		}
		i += n
	}
	return false
}

// quoteForShell puts s in single quotes; escapes has what cannot be printed
// written as '$'\n”.
func quoteForShell(s string, escapes bool) string {
	if strings.Contains(s, "'") && quotePlain(s) {
		return `"` + s + `"`
	}
	var b strings.Builder
	b.WriteByte('\'')
	escaped := false
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if escapes && (r == utf8.RuneError && n == 1 || !width.Print(r)) {
			if !escaped {
				b.WriteString("'$'")
				escaped = true
			}
			writeEscape(&b, s[i:i+n])
			i += n
			continue
		}
		if escaped && r != '\'' {
			b.WriteString("''")
		}
		if r == '\'' {
			b.WriteString(`'\''`)
		} else {
			b.WriteString(s[i : i+n])
		}
		escaped = false
		i += n
	}
	b.WriteByte('\'')
	return b.String()
}

// quotePlain reports whether double quotes protect s as single ones would.
func quotePlain(s string) bool {
	for i, r := range s {
		switch {
		case r == utf8.RuneError || r >= utf8.RuneSelf && !width.Print(r):
			return false
		case r >= utf8.RuneSelf, r|0x20 >= 'a' && r|0x20 <= 'z', r >= '+' && r <= ':', strings.ContainsRune(" %]_'", r):
		case (r == '#' || r == '~') && i == 0, (r == '{' || r == '}') && len(s) == 1:
		default:
			return false
		}
	}
	return true
}

// quoteBackslashes writes s with C's escapes; the closing quote and the
// characters of also get a backslash.
func quoteBackslashes(s, closing, also string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case closing != "" && strings.HasPrefix(s[i:], closing), r == '\\', n == 1 && strings.IndexByte(also, s[i]) >= 0:
			b.WriteByte('\\')
			b.WriteString(s[i : i+n])
		case r == utf8.RuneError && n == 1 || !width.Print(r):
			writeEscape(&b, s[i:i+n])
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// quoteMarks puts a ? for what cannot be printed.
func quoteMarks(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || !width.Print(r) {
			b.WriteByte('?')
		} else {
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}
