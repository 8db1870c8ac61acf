package builtins

import (
	"fmt"
	"slices"
	"strings"
)

// argumentMatch finds value among words as gnulib's argmatch does: exactly or
// by an unambiguous prefix. groups gives words of one meaning the same number
// (nil: all differ). A value that is none ends the run with the valid ones.
func (c *call) argumentMatch(option, value string, words []string, groups []int) (int, error) {
	group := func(i int) int {
		if groups == nil {
			return i
		}
		return groups[i]
	}
	found, ambiguous := -1, false
	for i, w := range words {
		if w == value {
			return i, nil
		}
		if strings.HasPrefix(w, value) {
			ambiguous = ambiguous || found >= 0 && group(found) != group(i)
			if found < 0 {
				found = i
			}
		}
	}
	if found >= 0 && !ambiguous {
		return found, nil
	}
	kind := "invalid"
	if found >= 0 {
		kind = "ambiguous"
	}
	return 0, c.argumentError(kind, option, value, words, group)
}

// argumentMatchExact is argumentMatch without prefixes.
func (c *call) argumentMatchExact(option, value string, words []string) (int, error) {
	if i := slices.Index(words, value); i >= 0 {
		return i, nil
	}
	return 0, c.argumentError("invalid", option, value, words, func(i int) int { return i })
}

func (c *call) argumentError(kind, option, value string, words []string, group func(int) int) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s argument %s for %s\nValid arguments are:", kind, quote(value), quote(option))
	for i, w := range words {
		if i > 0 && group(i) == group(i-1) {
			b.WriteString(", " + quote(w))
		} else {
			b.WriteString("\n  - " + quote(w))
		}
	}
	// The status is 1 whatever the program's other errors have.
	c.warnf("%s", b.String())
	c.tryHelp()
	return exitWith(1)
}
