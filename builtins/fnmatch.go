package builtins

import (
	"strings"

	"github.com/vsh-project/vsh/builtins/internal/grep"
)

// fnmatch is glibc's fnmatch(3) without flags, or with FNM_CASEFOLD: a name
// matches by its characters or, failing that, by its bytes, so "??" takes a
// two-byte character too.
func fnmatch(pattern, name string, fold bool) bool {
	if fold {
		pattern, name = strings.ToLower(pattern), strings.ToLower(name)
	}
	if grep.Fnmatch(pattern, name) {
		return true
	}
	return !isASCII(name) && grep.Fnmatch(bytesApart(pattern), bytesApart(name))
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// bytesApart makes a character of no class out of every byte above ASCII.
func bytesApart(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] < 0x80 {
			b.WriteByte(s[i])
		} else {
			b.WriteRune(0xE000 + rune(s[i]))
		}
	}
	return b.String()
}
