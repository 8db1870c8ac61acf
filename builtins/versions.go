package builtins

import (
	"bytes"
	"cmp"
)

// compareVersions orders names by the version numbers in them, as gnulib's
// filevercmp: sort -V and ls -v.
func compareVersions(a, b []byte) int {
	if len(a) == 0 || len(b) == 0 {
		return cmp.Compare(min(len(a), 1), min(len(b), 1))
	}
	// "." comes first, then "..", then other names that start with a point.
	rank := func(s []byte) int {
		switch {
		case s[0] != '.':
			return 3
		case len(s) == 1:
			return 0
		case bytes.Equal(s, []byte("..")):
			return 1
		}
		return 2
	}
	if ra, rb := rank(a), rank(b); ra != rb || ra < 2 {
		return cmp.Compare(ra, rb)
	}
	pa, pb := versionPrefix(a), versionPrefix(b)
	if order := compareVersionParts(a[:pa], b[:pb]); order != 0 || pa == len(a) && pb == len(b) {
		return order
	}
	return compareVersionParts(a, b)
}

func versionAlpha(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func versionDigit(c byte) bool { return c >= '0' && c <= '9' }

// versionPrefix is the length of s without the suffixes of a file's name, like .tar.gz.
func versionPrefix(s []byte) int {
	prefix := 0
	for i := 0; i < len(s); {
		i++
		prefix = i
		for i+1 < len(s) && s[i] == '.' && (versionAlpha(s[i+1]) || s[i+1] == '~') {
			for i += 2; i < len(s) && (versionAlpha(s[i]) || versionDigit(s[i]) || s[i] == '~'); i++ {
			}
		}
	}
	return prefix
}

// versionRank orders the characters outside numbers: ~ before the end before
// digits before letters before the rest.
func versionRank(s []byte, i int) int {
	switch {
	case i >= len(s):
		return -1
	case versionDigit(s[i]):
		return 0
	case versionAlpha(s[i]):
		return int(s[i])
	case s[i] == '~':
		return -2
	}
	return int(s[i]) + 256
}

func compareVersionParts(a, b []byte) int {
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		for i < len(a) && !versionDigit(a[i]) || j < len(b) && !versionDigit(b[j]) {
			if ra, rb := versionRank(a, i), versionRank(b, j); ra != rb {
				return cmp.Compare(ra, rb)
			}
			i++
			j++
		}
		for i < len(a) && a[i] == '0' {
			i++
		}
		for j < len(b) && b[j] == '0' {
			j++
		}
		first := 0
		for i < len(a) && j < len(b) && versionDigit(a[i]) && versionDigit(b[j]) {
			if first == 0 {
				first = cmp.Compare(a[i], b[j])
			}
			i++
			j++
		}
		switch {
		case i < len(a) && versionDigit(a[i]):
			return 1
		case j < len(b) && versionDigit(b[j]):
			return -1
		case first != 0:
			return first
		}
	}
	return 0
}
