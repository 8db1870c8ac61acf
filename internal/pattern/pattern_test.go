package pattern

import (
	"strings"
	"testing"
	"time"
)

func TestMatch(t *testing.T) {
	ext := Options{ExtGlob: true}
	for _, c := range []struct {
		name, pattern, text string
		options             Options
		want                bool
	}{
		{"a closing bracket first is a member", "[]a]", "]", Options{}, true},
		{"a hyphen last is a member", "[a-]", "-", Options{}, true},
		{"an endless bracket is a literal", "[a", "[a", Options{}, true},
		{"an escaped character is literal", `\*`, "a", Options{}, false},
		{"an escaped hyphen makes no range", `[a\-z]`, "m", Options{}, false},
		{"a circumflex negates", "[^a]", "a", Options{}, false},
		{"a reversed range is empty", "[c-a]", "b", Options{}, false},
		{"an unknown class is empty", "[[:foo:]]", "f", Options{}, false},
		{"classes know letters beyond ASCII", "[[:alpha:]]", "é", Options{}, true},
		{"one character, not one byte", "?", "é", Options{}, true},
		{"a byte that is not UTF-8 is a character", "?", "\xff", Options{}, true},
		{"case is ignored on demand", "A[b-c]*é", "aCxÉ", Options{NoCase: true}, true},
		{"a slash needs a slash", "*", "a/b", Options{Pathname: true}, false},
		{"a leading period needs a period", "*", ".a", Options{Period: true}, false},
		{"a period behind a slash needs a period", "a/*", "a/.b", Options{Period: true, Pathname: true}, false},
		{"a period in an alternative is literal", "@(.a|*)", ".a", Options{Period: true, ExtGlob: true}, true},
		{"no group matches a leading period by negation", "!(x)", ".a", Options{Period: true, ExtGlob: true}, false},
		{"groups need extglob", "@(a)", "a", Options{}, false},
		{"an endless group is a literal", "@(a", "@(a", ext, true},
		{"groups nest", "+(a|@(b|c)d)", "acdabd", ext, true},
		{"negation of a negation", "!(!(a*))", "abc", ext, true},
		{"negation matches the empty text", "a!(b)", "a", ext, true},
		{"what a negation excludes", "!(*.o).c", "x.o.c", ext, false},
		{"an optional group", "?(a)b", "b", ext, true},
	} {
		if got := Compile(c.pattern, c.options).Match(c.text, nil); got != c.want {
			t.Errorf("%s: %q against %q: %v", c.name, c.pattern, c.text, got)
		}
	}
}

// TestHostile runs patterns that make recursive or backtracking matchers die.
func TestHostile(t *testing.T) {
	const n = 200_000
	for name, c := range map[string]struct{ pattern, text string }{
		"groups without an end":   {strings.Repeat("@(", n), "a"},
		"groups deep":             {strings.Repeat("@(", n) + strings.Repeat(")", n), "a"},
		"negations deep":          {strings.Repeat("!(", n) + strings.Repeat(")", n), strings.Repeat("a", 100)},
		"brackets without an end": {strings.Repeat("[", n), "a"},
		"brackets, escaped end":   {strings.Repeat("[", n) + `\]`, "a"},
		"classes without an end":  {strings.Repeat("[[:", n), "a"},
		"repeated repetition":     {strings.Repeat("*(*(a|b", 30) + strings.Repeat("))", 30) + "c", strings.Repeat("ab", 500)},
		"stars":                   {strings.Repeat("*a", 100) + "b", strings.Repeat("a", 5000)},
		"negated stars":           {"!(*a" + strings.Repeat("?", 18) + ")c", strings.Repeat("ab", 20000)},
	} {
		start := time.Now()
		o := Options{ExtGlob: true}
		p := Compile(c.pattern, o)
		deadline := func() bool { return time.Since(start) > 2*time.Second }
		p.Match(c.text, deadline)
		p.Each(c.text, deadline, func(int, int) bool { return true })
		if d := time.Since(start); d > time.Minute {
			t.Errorf("%s took %v", name, d)
		}
	}
}

func BenchmarkMatchGroup(b *testing.B) {
	p := Compile("+(a|b)*@(c|d)", Options{ExtGlob: true})
	for b.Loop() {
		p.Match("abababxxxxxd", nil)
	}
}
