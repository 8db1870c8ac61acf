package bc

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOperationsOnLongNumbersLookWhetherToGoOn(t *testing.T) {
	stop := errors.New("stop")
	for _, op := range []string{"x*x", "x+x", "x-1", "x/7", "x%7", "x^2"} {
		t.Run(op, func(t *testing.T) {
			source := &Source{Name: "f", Reader: strings.NewReader("x = 10^20000\nx = x*x\ny = " + op + "\n")}
			looks := 0
			m := New(Options{
				Out: io.Discard, Err: io.Discard, Input: strings.NewReader(""),
				Next:   func() (*Source, error) { defer func() { source = nil }(); return source, nil },
				Charge: func(int64) error { return nil }, Release: func(int64) {},
				Stop: func() error {
					if looks++; looks > 1000 {
						return stop
					}
					return nil
				},
			})
			require.NoError(t, m.Run())
			before := looks
			looks = 2000
			source = &Source{Name: "g", Reader: strings.NewReader("y = " + op + "\n")}
			require.Positive(t, before)
			require.ErrorIs(t, m.Run(), stop)
		})
	}
}
