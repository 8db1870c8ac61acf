package regex

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestErrorsAreTheToolsWords(t *testing.T) {
	for _, c := range []struct {
		syntax  Syntax
		pattern string
		want    string
	}{
		{Basic, `\(a`, "Unmatched ( or \\("},
		{Basic, `a\)`, "Unmatched ) or \\)"},
		{Basic, `[a`, "Unmatched [, [^, [:, [., or [="},
		{Basic, `[[:alpha:`, "Unmatched [, [^, [:, [., or [="},
		{Basic, `[`, "Invalid regular expression"},
		{Basic, `[[:foo:]]`, "Invalid character class name"},
		{Basic, `[:space:]`, "character class syntax is [[:space:]], not [:space:]"},
		{Basic, `a\`, "Trailing backslash"},
		{Basic, `\(a\)\2`, "Invalid back reference"},
		{Basic, `\(a\)\|\1`, "Invalid back reference"},
		{Basic, `a\{1`, "Unmatched \\{"},
		{Basic, `a\{2,1\}`, "Invalid content of \\{\\}"},
		{Basic, `a\{x\}`, "Invalid content of \\{\\}"},
		{Basic, `a\{32768\}`, "Regular expression too big"},
		{Basic, `[b-a]`, "Invalid range end"},
		{Basic, `[a-[:digit:]]`, "Invalid range end"},
		{Basic, `[[.foo.]]`, "Invalid collation character"},
		{POSIXBasic, `a**`, "Invalid preceding regular expression"},
		{POSIXExtended, `*a`, "Invalid preceding regular expression"},
		{POSIXExtended, `a{1`, "Unmatched \\{"},
		{SedExtended, `a)`, "Unmatched ) or \\)"},
		{GrepExtended, `(a`, "Unmatched ( or \\("},
		{Perl, `(a`, "missing closing parenthesis"},
		{Perl, `a)`, "unmatched closing parenthesis"},
		{Perl, `[a`, "missing terminating ] for character class"},
		{Perl, `a{2,1}`, "numbers out of order in {} quantifier"},
		{Perl, `a**`, "quantifier does not follow a repeatable item"},
		{Perl, `(?<=a+)b`, "lookbehind assertion is not fixed length"},
		{Perl, `\1`, "reference to non-existent subpattern"},
		{Perl, `(?1)`, "reference to non-existent subpattern"},
		{Perl, `(?&n)`, "reference to non-existent subpattern"},
		{Perl, `(?R`, "(?R (recursive pattern call) must be followed by a closing parenthesis"},
		{Perl, `\p{Foo}`, "unknown property after \\P or \\p"},
	} {
		_, err := Compile(c.pattern, Options{Syntax: c.syntax})
		var e *Error
		if assert.ErrorAs(t, err, &e, c.pattern) {
			assert.Equal(t, c.want, e.Error(), c.pattern)
		}
	}
}

// The bounds and groups were recorded from sed -E and grep -oP.
func TestGroups(t *testing.T) {
	for _, c := range []struct {
		name, pattern, text string
		options             Options
		want                []int
	}{
		{"the longest alternative", `a|ab|abc`, "xabcd", Options{Syntax: POSIXExtended}, []int{1, 4}},
		{"a group takes as much as the whole allows", `(a|ab)(c|bcd)(d*)`, "abcd", Options{Syntax: POSIXExtended}, []int{0, 4, 0, 1, 1, 4, 4, 4}},
		{"an empty round of a star", `(a*)*`, "b", Options{Syntax: POSIXExtended}, []int{0, 0, 0, 0}},
		{"a group that took no part", `(a)|(b)`, "b", Options{Syntax: POSIXExtended}, []int{0, 1, -1, -1, 0, 1}},
		{"a back-reference finds the longest", `(a*)(ab)*\1`, "aabaa", Options{Syntax: POSIXExtended}, []int{0, 4, 0, 1, 1, 3}},
		{"Perl takes the first alternative", `a|ab`, "ab", Options{Syntax: Perl}, []int{0, 1}},
		{"lazy", `a+?`, "aaa", Options{Syntax: Perl}, []int{0, 1}},
		{"look-behind", `(?<=b)a`, "aba", Options{Syntax: Perl}, []int{2, 3}},
		{"a group that calls itself", `(\((?:[^()]|(?1))*\))`, "a(b(c)d)e)", Options{Syntax: Perl}, []int{1, 8, 1, 8}},
		{"the whole pattern calls itself", `a(?R)?b`, "aaabb", Options{Syntax: Perl}, []int{1, 5}},
		{"a call is tried again shorter", `^(a+)(?1)b`, "aaab", Options{Syntax: Perl}, []int{0, 4, 0, 2}},
		{"what a call captures is forgotten", `(a|b)(?1)\1`, "aba", Options{Syntax: Perl}, []int{0, 3, 0, 1}},
		{"a group by name, defined aside", `(?(DEFINE)(?<d>\d+))(?&d)-(?&d)`, "x12-345", Options{Syntax: Perl}, []int{1, 7, -1, -1}},
		{"\\K moves the start", `ab\Kc`, "abc", Options{Syntax: Perl}, []int{2, 3}},
		{"a possessive repetition gives nothing back", `a++a|b`, "aab", Options{Syntax: Perl}, []int{2, 3}},
		{"a conditional", `(a)?b(?(1)c|d)`, "bd abc", Options{Syntax: Perl}, []int{0, 2, -1, -1}},
		{"branch reset", `(?|(a)|(b))\1`, "xbb", Options{Syntax: Perl}, []int{1, 3, 1, 2}},
		{"a word's edges", `\bfoo\b`, "éfoo foo", Options{Syntax: Basic}, []int{6, 9}},
		{"-w tries a shorter match", `a.*b`, "a b bc", Options{Syntax: Basic, Word: true}, []int{0, 3}},
		{"case: towupper decides", `straße`, "STRAßE", Options{Syntax: Basic, IgnoreCase: true}, []int{0, 7}},
		{"a byte outside UTF-8 equals itself", "\xff", "a\xff", Options{Syntax: Basic}, []int{1, 2}},
		{"no list takes it in", "a[^b]", "a\xffac", Options{Syntax: Basic}, []int{2, 4}},
		{"in the C locale it is a character", "a[^b]", "a\xffac", Options{Syntax: Basic, Bytes: true}, []int{0, 2}},
		{"a repetition beyond 1,000", "^a{1500}$", strings.Repeat("a", 1500), Options{Syntax: GrepExtended}, []int{0, 1500}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := Compile(c.pattern, c.options)
			require.NoError(t, err)
			loc, err := m.Find(context.Background(), []byte(c.text), 0, nil)
			require.NoError(t, err)
			assert.Equal(t, c.want, loc)
		})
	}
}

func TestHostilePatternsEnd(t *testing.T) {
	for _, c := range []struct{ name, pattern string }{
		{"a product of repetitions", `((a{200}){200}){200}`},
		{"nesting", strings.Repeat("(", 100000) + strings.Repeat(")", 100000)},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Compile(c.pattern, Options{Syntax: POSIXExtended})
			assert.EqualError(t, err, "Regular expression too big")
		})
	}
	t.Run("states that double with each repetition stay bounded", func(t *testing.T) {
		m, err := Compile(`(a|b)*a(a|b){14}c`, Options{Syntax: POSIXExtended})
		require.NoError(t, err)
		f := m.Finder(context.Background())
		text := []byte(strings.Repeat("abbabaabab", 2000))
		assert.False(t, f.Match(text))
		assert.LessOrEqual(t, len(f.searcher.states), maximumStates+1)
	})
	t.Run("nested stars are linear", func(t *testing.T) {
		m, err := Compile(`^(a+)+b?$`, Options{Syntax: GrepExtended})
		require.NoError(t, err)
		ok, err := m.Match(context.Background(), []byte(strings.Repeat("a", 100000)+"c"))
		assert.NoError(t, err)
		assert.False(t, ok)
	})
	t.Run("starts that all read on are taken at once", func(t *testing.T) {
		m, err := Compile(`a*b|c`, Options{Syntax: GrepExtended})
		require.NoError(t, err)
		loc, err := m.Find(context.Background(), []byte(strings.Repeat("a", 20000)+"dc"), 0, nil)
		require.NoError(t, err)
		assert.Equal(t, []int{20001, 20002}, loc)
	})
	t.Run("back-references stop with their context", func(t *testing.T) {
		m, err := Compile(`^(a*)*(a*)*(a*)*\1b$`, Options{Syntax: GrepExtended})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		_, err = m.Match(ctx, []byte(strings.Repeat("a", 60)+"b b"))
		assert.ErrorIs(t, err, context.DeadlineExceeded)
	})
	t.Run("Perl gives up as PCRE does", func(t *testing.T) {
		m, err := Compile(`^(?=(a*)*$)(a|aa)+\1\2c`, Options{Syntax: Perl})
		require.NoError(t, err)
		_, err = m.Match(context.Background(), []byte(strings.Repeat("a", 60)+"c"))
		assert.True(t, err == nil || errors.Is(err, ErrBacktrackLimit))
	})
}

func TestLiterals(t *testing.T) {
	for _, c := range []struct {
		pattern string
		fold    bool
		want    []string
	}{
		{`foo.*barbaz`, false, []string{"barbaz"}},
		{`TODO|FIXME`, false, []string{"TODO", "FIXME"}},
		{`x(abc|def)+y`, false, []string{"abc", "def"}},
		{`[0-9]+`, false, nil},
		{`(foo)?`, false, nil},
		{`Error`, true, []string{"error"}},
		{`a[bc]d`, false, []string{"abd", "acd"}},
	} {
		m, err := Compile(c.pattern, Options{Syntax: GrepExtended, IgnoreCase: c.fold})
		require.NoError(t, err)
		var got []string
		for _, s := range m.literals.set {
			got = append(got, string(s))
		}
		assert.Equal(t, c.want, got, c.pattern)
	}
}

// A letter whose only equivalent in the text lies beyond ASCII must be found
// although the search by literals cannot see it.
func TestCaselessLiteralSeesStrayEquivalents(t *testing.T) {
	m, err := Compile("task", Options{Syntax: Basic, IgnoreCase: true})
	require.NoError(t, err)
	f := m.Finder(context.Background())
	f.Block([]byte("one\nTAſK\ntask\n"), '\n')
	start, end := f.NextLine(0)
	assert.Equal(t, [2]int{4, 9}, [2]int{start, end})
	assert.Equal(t, 2, f.CountLines(0))
}

// A call that goes nowhere, and calls without end, end with an error.
func TestCallsAreBounded(t *testing.T) {
	for _, pattern := range []string{`(?R)a`, `((?1))`, `(a?(?1)b)`, `(?:a(?R)|b)*c`, `(?>a(?R)?)+z`} {
		m, err := Compile(pattern, Options{Syntax: Perl})
		require.NoError(t, err, pattern)
		found, err := m.Match(t.Context(), append(bytes.Repeat([]byte("a"), 300_000), "-bcz"...))
		assert.False(t, found, pattern)
		assert.ErrorIs(t, err, ErrBacktrackLimit, pattern)
	}
}

func TestRustErrorsShowThePlace(t *testing.T) {
	for _, c := range []struct{ name, pattern, want string }{
		{"a part", `(a)\1`, "regex parse error:\n    (a)\\1\n       ^^\nerror: backreferences are not supported"},
		{"columns are characters", "é)", "regex parse error:\n    é)\n     ^\nerror: unopened group"},
		{"two places", `(?P<x>a)(?P<x>b)`, "regex parse error:\n    (?P<x>a)(?P<x>b)\n        ^       ^\nerror: duplicate capture group name"},
		{"lines are numbered", "a\n(b", "regex parse error:\n" + strings.Repeat("~", 79) + "\n1: a\n2: (b\n   ^\n" + strings.Repeat("~", 79) + "\nerror: unclosed group"},
	} {
		_, err := Compile(c.pattern, Options{Syntax: Rust})
		assert.EqualError(t, err, c.want, c.name)
	}
	deep := strings.Repeat("(", 100_000) + strings.Repeat(")", 100_000)
	_, err := Compile(deep, Options{Syntax: Rust})
	assert.ErrorContains(t, err, "exceed the maximum number of nested parentheses/brackets (250)")
}
