package regex

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestPatternsThatAreTooLong(t *testing.T) {
	long := strings.Repeat("a", maximumText+1)
	many := slices.Repeat([]string{"."}, maximumText/2+1)
	strings_ := make([]string, 300_000)
	for i := range strings_ {
		strings_[i] = strings.Repeat(string(rune(0x4e00+i%20000)), 1+i/20000) + "x"
	}
	for _, c := range []struct {
		rule     string
		patterns []string
		syntax   Syntax
	}{
		{"one basic expression", []string{long}, Basic},
		{"one Perl expression", []string{long}, Perl},
		{"one of Rust's", []string{long}, Rust},
		{"one string", []string{long}, Fixed},
		{"many expressions", many, GrepExtended},
		{"many strings", strings_, Fixed},
	} {
		t.Run(c.rule, func(t *testing.T) {
			if _, err := CompileAll(c.patterns, Options{Syntax: c.syntax}); !errors.Is(err, ErrSize) {
				t.Errorf("%v", err)
			}
		})
	}
}

// A loop over one character takes the same memory however long its text is,
// also where it gives characters back, of several bytes and of none.
func TestLoopsTakeLittleMemory(t *testing.T) {
	for _, c := range []struct{ pattern, unit, end string }{
		{`^(a*)(a)$`, "a", ""}, {`^(.*)(.)b$`, "é", "b"}, {`^(.*)b(.*)$`, "\xc3\xe2\x82é", "b"}, {`^(x*)(.*)(.*)b$`, "a", "b"}, {`^([^b]*)(b?)$`, "日", "b"},
	} {
		t.Run(c.pattern+" on "+c.unit, func(t *testing.T) {
			m, err := Compile(c.pattern, Options{Syntax: GrepExtended})
			if err != nil {
				t.Fatal(err)
			}
			f := m.Finder(context.Background())
			text := []byte(strings.Repeat(c.unit, 300_000) + c.end)
			if strings.Contains(c.unit, "\xc3") && c.pattern[2] == '.' {
				text = []byte(strings.Repeat("é", 300_000) + c.end)
			}
			if loc := f.Find(text, 0); loc == nil || loc[1] != len(text) {
				t.Fatalf("%v %v", loc, f.Err())
			}
			if n := cap(f.backtrack.stack); n > 1000 {
				t.Errorf("the stack has grown to %d", n)
			}
		})
	}
}

func TestABacktrackersStackIsBounded(t *testing.T) {
	for syntax, want := range map[Syntax]error{GrepExtended: errMemory, Perl: ErrBacktrackLimit} {
		m, err := Compile(`^((a|b)*)(c)(.)*\3$`, Options{Syntax: syntax})
		if err != nil {
			t.Fatal(err)
		}
		f := m.Finder(context.Background())
		text := []byte(strings.Repeat("a", 4<<20) + "cc")
		if f.Find(text, 0) != nil || !errors.Is(f.Err(), want) {
			t.Errorf("%v", f.Err())
		}
		if n := cap(f.backtrack.stack); n > 2*maximumJobs {
			t.Errorf("the stack has grown to %d", n)
		}
	}
}
