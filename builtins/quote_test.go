package builtins

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestQuote(t *testing.T) {
	for _, c := range []struct{ rule, in, word, name, file string }{
		{"a plain word", "a", "‘a’", "'a'", "a"},
		{"nothing", "", "‘’", "''", "''"},
		{"a blank", "a b", "‘a b’", "'a b'", "'a b'"},
		{"an apostrophe", "it's", "‘it's’", `"it's"`, `"it's"`},
		{"an apostrophe beside what double quotes do not protect", "a*'", "‘a*'’", `'a*'\'''`, `'a*'\'''`},
		{"a colon asks for quotes only in a message's file name", "a:b", "‘a:b’", "'a:b'", "'a:b'"},
		{"an apostrophe and a colon", "it's:x", "‘it's:x’", `"it's:x"`, `"it's:x"`},
		{"a brace alone, not one among others", "{", "‘{’", "'{'", "'{'"},
		{"braces among others", "{}", "‘{}’", "'{}'", "{}"},
		{"# at the start only", "#a", "‘#a’", "'#a'", "'#a'"},
		{"# later", "a#", "‘a#’", "'a#'", "a#"},
		{"# later beside an apostrophe", "it's#", "‘it's#’", `'it'\''s#'`, `'it'\''s#'`},
		{"a backslash", `a\b`, `‘a\\b’`, `'a\b'`, `'a\b'`},
		{"the right quotation mark", "é’x", `‘é\’x’`, `'é’x'`, `é’x`},
		{"a newline", "a\nb", `‘a\nb’`, `'a'$'\n''b'`, `'a'$'\n''b'`},
		{"a newline before an apostrophe", "a\n'b", `‘a\n'b’`, `'a'$'\n'\''b'`, `'a'$'\n'\''b'`},
		{"an apostrophe before a newline", "'\n", `‘'\n’`, `''\'''$'\n'`, `''\'''$'\n'`},
		{"bytes that are no character", "\xff\x01", `‘\377\001’`, `''$'\377\001'`, `''$'\377\001'`},
		{"a code point nobody assigned", "\u0378", `‘\315\270’`, `''$'\315\270'`, `''$'\315\270'`},
		{"a no-break space is printable", "\u00a0", "‘\u00a0’", "'\u00a0'", "\u00a0"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			require.Equal(t, c.word, quote(c.in))
			require.Equal(t, c.name, quoteName(c.in))
			require.Equal(t, c.file, quoteFile(c.in))
		})
	}
	require.Equal(t, "a:b", quoteBare("a:b"))
}
