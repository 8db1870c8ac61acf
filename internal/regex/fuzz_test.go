package regex

import (
	"context"
	"testing"
	"time"
)

// FuzzMachines holds the automaton, the backtracker and the search by lines
// against one another: they must agree on what matches.
func FuzzMachines(f *testing.F) {
	f.Add(uint8(1), "a(b|c)*d", "xabcbd\n")
	f.Add(uint8(0), `\(a\)\1*`, "aab")
	f.Add(uint8(2), `(?<=a)b+?`, "aabbb")
	f.Add(uint8(3), `\w+[^a&&\d]`, "héé1")
	f.Fuzz(func(t *testing.T, dialect uint8, pattern, text string) {
		if len(pattern) > 200 || len(text) > 300 {
			return
		}
		m, err := Compile(pattern, Options{Syntax: Syntax(dialect % 14)})
		if err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		finder := m.Finder(ctx)
		matched := finder.Match([]byte(text))
		loc := finder.Find([]byte(text), 0)
		if finder.Err() != nil {
			return
		}
		if matched != (loc != nil) {
			t.Fatalf("%q in %q: Match %v, Find %v", pattern, text, matched, loc)
		}
		if loc == nil {
			return
		}
		for i := 0; i < len(loc); i += 2 {
			if loc[i] < -1 || loc[i+1] > len(text) || loc[i] > loc[i+1] && !m.program.keeps {
				t.Fatalf("%q in %q: %v", pattern, text, loc)
			}
		}
		if m.program.regular && m.longest {
			if end := finder.longestAt([]byte(text), loc[0]); end != loc[1] {
				t.Fatalf("%q in %q: automaton ends at %d, groups at %d", pattern, text, end, loc[1])
			}
		}
	})
}
