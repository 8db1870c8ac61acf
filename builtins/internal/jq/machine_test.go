package jq

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// results runs a program on null.
func results(t *testing.T, ctx context.Context, text string, w *World) ([]string, error) {
	t.Helper()
	p, err := Compile(text, nil, nil)
	require.NoError(t, err)
	m := NewMachine(ctx, p, w)
	defer m.Close()
	m.Start(nil)
	var all []string
	for {
		v, ok, err := m.Next()
		if err != nil || !ok {
			return all, err
		}
		s, err := toJSON(nil, v)
		require.NoError(t, err)
		all = append(all, s)
	}
}

// limited is a budget of n bytes; what is left must come back.
func limited(t *testing.T, n int64) *World {
	left := n
	t.Cleanup(func() { require.Equal(t, n, left) })
	return &World{
		Charge: func(b int64) error {
			if b > left {
				return errors.New("budget exceeded")
			}
			left -= b
			return nil
		},
		Release: func(b int64) { left += b },
	}
}

func TestWhatGrowsWithoutEndMeetsTheBudget(t *testing.T) {
	for _, text := range []string{
		`[repeat(1)]`, `def f: f, 1; f`, `def f: 1 + f; f`, `"a" | until(false; . + .)`, `"abc" | gsub(""; "-")`, `"x" * 1e9`,
		`.[1e8] = 1`, `reduce range(60) as $i (1; [., .]) | tojson`, `def f: .[0] |= f; [] | f`, `[range(1e9) | {a: .}]`,
		`reduce repeat(1) as $x ({}; .[length | tostring] = [$x])`, `"aa" | until(false; . + .) | explode`, `[limit(1e9; repeat("a"))] | join(",")`,
	} {
		t.Run(text, func(t *testing.T) {
			_, err := results(t, context.Background(), text, limited(t, 8<<20))
			require.Error(t, err)
			var raised *Error
			require.False(t, errors.As(err, &raised), "a program can catch %v", err)
		})
	}
}

func TestWhatIsDroppedIsNotCounted(t *testing.T) {
	for text, want := range map[string]string{
		`reduce range(200000) as $i (0; [$i] | .[0])`:                       "199999",
		`last(range(100000) | tostring * 10 | length)`:                      "50",
		`reduce range(30000) as $i ([]; .[$i % 10] = ("x" * 100)) | length`: "10",
		`def f: if . < 100000 then . + 1 | f else . end; 0 | f`:             "100000",
	} {
		t.Run(text, func(t *testing.T) {
			all, err := results(t, context.Background(), text, limited(t, 4<<20))
			require.NoError(t, err)
			require.Equal(t, []string{want}, all)
		})
	}
}

func TestEndlessProgramsEndWithTheirContext(t *testing.T) {
	for _, text := range []string{`def f: f; f`, `last(repeat(1))`, `try error("x") catch (def f: try error(1) catch f; f)`, `[range(1e12) | empty]`} {
		t.Run(text, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
			defer cancel()
			_, err := results(t, ctx, text, &World{})
			require.ErrorIs(t, err, context.DeadlineExceeded)
		})
	}
}

func TestProgramsNestedTooDeepAreRefused(t *testing.T) {
	for name, unit := range map[string]string{
		"parentheses": "(", "arrays": "[", "strings": `"\(`, "negation": "-", "definitions": "def f: ", "sums": "1+", "conditions": "if 1 then 2 elif ",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Compile(strings.Repeat(unit, 50000)+"1", nil, nil)
			require.ErrorContains(t, err, "nested too deep")
		})
	}
}

func TestWalksOverDeepValuesAreBounded(t *testing.T) {
	deep := `reduce range(30000) as $i (null; [.])`
	for text, want := range map[string]string{
		deep + ` | . == [.]`:                                        "Comparison too deep",
		deep + ` | [., .] | sort`:                                   "Comparison too deep",
		deep + ` | contains(.)`:                                     "Containment check too deep",
		`setpath([range(20000) | 0]; 1)`:                            "Path too deep",
		deep + ` | tojson | .[9990:10010]`:                          "",
		`reduce range(300) as $i (null; [.]) | [tostream] | length`: "",
		deep + ` | getpath([range(20000) | 0])`:                     "",
	} {
		t.Run(text, func(t *testing.T) {
			_, err := results(t, context.Background(), text, limited(t, 1<<30))
			if want == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, want)
			}
		})
	}
}

func TestWhatIsLargeEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	m := meter{ctx: ctx}
	m.take = func(int64) error { return nil }
	require.NoError(t, m.charge(1<<20))
	cancel()
	require.ErrorIs(t, m.charge(1<<20), context.Canceled)
	require.NoError(t, m.charge(1), "what is small is not looked at")
}
