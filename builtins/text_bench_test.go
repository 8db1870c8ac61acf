package builtins

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkText runs the commands that see most text on 8 MB of it.
func BenchmarkText(b *testing.B) {
	var text bytes.Buffer
	for i := uint64(1); text.Len() < 8<<20; i++ {
		n := i * 2654435761 % 1000000007
		fmt.Fprintf(&text, "%d,%s,%d.%02d,GET\n", n, strings.Repeat("ab", int(n%7)), n%99999, n%100)
	}
	for _, line := range []string{"sort", "sort -n", "sort -t, -k3,3nr", "wc -l", "wc", "cut -d, -f2,4", "cut -c1-10", "tr a-z A-Z", "uniq -c", "tail -n 5", "head -n -5", "cat -n"} {
		b.Run(line, func(b *testing.B) {
			s := newTestShell(&testing.T{})
			words := strings.Fields(line)
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			for b.Loop() {
				status := s.exec(context.Background(), words, s.environment, bytes.NewReader(text.Bytes()), io.Discard, io.Discard, s.view)
				require.Zero(b, status)
			}
		})
	}
}
