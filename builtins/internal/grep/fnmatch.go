package grep

import (
	"unicode/utf8"

	"github.com/vsh-project/vsh/internal/regex"
)

// Fnmatch matches a whole name against a shell pattern in which "*" and "?"
// match every character, "/" and a leading "." too (fnmatch(3) without flags).
func Fnmatch(pattern, name string) bool {
	// The last "*" and where the name stood then: on a mismatch it takes one
	// character more. That is enough, so the work is at most a product.
	star, resume := -1, 0
	p, n := 0, 0
	for n < len(name) {
		if p < len(pattern) {
			if pattern[p] == '*' {
				star, resume = p, n
				p++
				continue
			}
			if size, width, ok := matchOne(pattern[p:], name[n:]); ok {
				p += size
				n += width
				continue
			}
		}
		if star < 0 {
			return false
		}
		_, width := utf8.DecodeRuneInString(name[resume:])
		resume += width
		p, n = star+1, resume
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// matchOne matches the first element of pattern with the first character of name.
func matchOne(pattern, name string) (size, width int, ok bool) {
	_, width = utf8.DecodeRuneInString(name)
	switch pattern[0] {
	case '?':
		return 1, width, true
	case '\\':
		if len(pattern) > 1 {
			return 2, 1, pattern[1] == name[0]
		}
	case '[':
		set, size, err := regex.ParseBracket(pattern)
		if err == nil {
			return size, width, set(name[:width])
		}
	}
	return 1, 1, pattern[0] == name[0]
}
