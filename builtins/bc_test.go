package builtins

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWhatBcCannotFinishFails(t *testing.T) {
	for rule, c := range map[string][2]string{
		"a power beyond all bounds": {"2^10^9\n", "bc: number too large\n"},
		"a scale beyond all bounds": {"scale=10^9;1/3\n", "bc: number too large\n"},
		"a number that grows":       {"x=2;while(1)x*=x\n", "bc: number too large\n"},
		"nesting":                   {strings.Repeat("(", 100000) + "1\n", "bc: nested deeper than 2000\n"},
	} {
		t.Run(rule, func(t *testing.T) {
			s := newTestShell(t)
			s.stdin = c[0]
			out, stderr, status := s.run("bc")
			require.Equal(t, []any{"", c[1], 1}, []any{out, stderr, status})
		})
	}
}

func TestBcEndsWithItsContext(t *testing.T) {
	for _, text := range []string{"while(1){}\n", "for(;;)x+=1\n", "scale=100000;a(1.5)\n", strings.Repeat("1", 1<<20), "/*" + strings.Repeat("x", 1<<20)} {
		s := newTestShell(t)
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		s.exec(ctx, []string{"bc", "-l"}, s.environment, strings.NewReader(text), io.Discard, io.Discard, s.view)
		cancel()
	}
}
