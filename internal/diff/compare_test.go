package diff

import (
	"bytes"
	"context"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// normal prints edits as diff does without options.
func normal(a, b []int32, edits []Edit) string {
	var out strings.Builder
	span := func(from, n int) string {
		if n == 0 {
			return fmt.Sprint(from)
		}
		if n == 1 {
			return fmt.Sprint(from + 1)
		}
		return fmt.Sprintf("%d,%d", from+1, from+n)
	}
	for _, e := range edits {
		kind := "c"
		switch {
		case e.ALen == 0:
			kind = "a"
		case e.BLen == 0:
			kind = "d"
		}
		fmt.Fprintf(&out, "%s%s%s\n", span(e.A, e.ALen), kind, span(e.B, e.BLen))
		for _, l := range a[e.A : e.A+e.ALen] {
			fmt.Fprintf(&out, "< %d\n", l)
		}
		if kind == "c" {
			out.WriteString("---\n")
		}
		for _, l := range b[e.B : e.B+e.BLen] {
			fmt.Fprintf(&out, "> %d\n", l)
		}
	}
	return out.String()
}

func TestSameEditsAsGNUDiff(t *testing.T) {
	diff, err := exec.LookPath("diff")
	if err != nil {
		t.Skip("no diff to compare with")
	}
	dir := t.TempDir()
	random := rand.New(rand.NewSource(1))
	write := func(name string, lines []int32) string {
		var text bytes.Buffer
		for _, l := range lines {
			fmt.Fprintln(&text, l)
		}
		p := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(p, text.Bytes(), 0o644))
		return p
	}
	for round := range 150 {
		size, classes := 1+random.Intn(400), 2+random.Intn(80)
		if round%30 == 0 {
			size = 6000
		}
		a := make([]int32, size)
		for i := range a {
			a[i] = int32(random.Intn(classes))
			if random.Intn(3) == 0 {
				a[i] = int32(1000 + random.Intn(10000))
			}
		}
		var b []int32
		for _, l := range a {
			switch random.Intn(12) {
			case 0:
			case 1:
				b = append(b, l, int32(random.Intn(classes)))
			case 2:
				b = append(b, int32(random.Intn(classes)+random.Intn(2)*5000))
			default:
				b = append(b, l)
			}
		}
		edits, err := Compare(context.Background(), a, b, Options{})
		require.NoError(t, err)
		want, _ := exec.Command(diff, write("a", a), write("b", b)).Output()
		require.Equal(t, string(want), normal(a, b, edits), "round %d", round)
	}
}

func TestCompareIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	random := rand.New(rand.NewSource(2))
	a, b := make([]int32, 20000), make([]int32, 20000)
	for i := range a {
		a[i], b[i] = int32(random.Intn(3)), int32(random.Intn(3))
	}
	_, err := Compare(ctx, a, b, Options{Minimal: true})
	require.ErrorIs(t, err, context.Canceled)
}
