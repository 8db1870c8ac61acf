package interp

import (
	"context"
	"testing"
)

// BenchmarkScript runs loops whose rounds are the unit: ns a round.
func BenchmarkScript(b *testing.B) {
	for _, c := range []struct{ name, body string }{
		{"arithmetic", "((x++))"},
		{"assignment", "x=abc"},
		{"append", "x+=y"},
		{"builtin", ": a b"},
		{"function", "f a b"},
		{"test", "[ $i -lt 5 ]"},
		{"case", "case $i in a) ;; b) ;; *) ;; esac"},
		{"element", "a[i]=x"},
		{"subshell", "(:)"},
		{"substitution", "x=$(:)"},
		{"pipeline", ": | :"},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := newTestSession(b, nil)
			b.ReportAllocs()
			s.Run(context.Background(), RunOptions{Command: true, Script: "f() { :; }; for ((i=0;i<" + itoa(b.N) + ";i++)); do " + c.body + "; done"})
		})
	}
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}
