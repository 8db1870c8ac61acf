package patch

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Hunks that point far past the file end at its end, at once.
func TestFarHunkEnds(t *testing.T) {
	s := NewSource([]byte("--- f\n+++ f\n@@ -99999999999,0 +99999999999 @@\n+x\n"))
	require.NotNil(t, s.Next(true))
	h, err := s.Hunk()
	require.NoError(t, err)
	target := &Target{Lines: SplitLines([]byte("a\nb\n"))}
	require.True(t, target.Apply(h, target.Locate(h, 0)))
	target.Finish()
	require.Equal(t, "a\nb\nx\n", target.Out.String())
}

func TestLocateStops(t *testing.T) {
	lines := SplitLines([]byte(strings.Repeat("a\n", 100_000)))
	old := make([]Line, 5000)
	for i := range old {
		old[i] = Line{' ', []byte("a\n")}
	}
	old[len(old)-1] = Line{'-', []byte("b\n")}
	asked := 0
	target := &Target{Lines: lines, Stop: func() bool { asked++; return true }}
	require.Zero(t, target.Locate(&Hunk{First: 1, Old: old}, 0))
	require.Equal(t, 1, asked)
}

func FuzzSource(f *testing.F) {
	f.Add("1a2\n.\n5,2c1\n< a\n")
	f.Add("--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n")
	f.Add("*** a\n--- b\n***************\n*** 1,2 ****\n! x\n  y\n--- 1 ----\n! z\n")
	f.Add("diff --git a/x b/y\nrename from x\nrename to y\n1,2c3\n< a\n---\n> b\n2d\n.\n")
	f.Fuzz(func(t *testing.T, text string) {
		s := NewSource([]byte(text))
		s.Note = func(string, ...any) {}
		target := &Target{Lines: SplitLines([]byte("x\ny\nz\n"))}
		for h, n := s.Next(false), 0; h != nil; h, n = s.Next(false), n+1 {
			require.Less(t, n, 2+len(text))
			if h.Format == Ed {
				RunEd(target.Lines, s.Rest())
				continue
			}
			for {
				hunk, err := s.Hunk()
				if err != nil {
					return
				}
				if hunk == nil {
					break
				}
				if where := target.Locate(hunk, 2); where > 0 {
					target.Apply(hunk, where)
				} else {
					target.Merge(hunk, true)
				}
			}
		}
	})
}
