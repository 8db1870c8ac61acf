package regex

import (
	"bytes"
	"context"
	"fmt"
	"testing"
)

func benchmarkText() []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < 8<<20; i++ {
		fmt.Fprintf(&b, "2024-03-%02d 07:%02d:%02d,123 INFO [worker-%d] request id=%d path=/api/v1/items/%d took %dms\n", i%28+1, i%60, i*7%60, i%16, i, i*31%1000, i%977)
	}
	return b.Bytes()
}

func BenchmarkSearchLines(b *testing.B) {
	text := benchmarkText()
	for _, c := range []struct {
		pattern string
		syntax  Syntax
		fold    bool
	}{
		{"took 976ms", Fixed, false}, {"took 976MS", Fixed, true}, {"items/[0-9]+ took 97[0-9]ms", GrepExtended, false},
		{"[0-9]{4}ms", GrepExtended, false}, {"ERROR|FATAL|id=77777 ", GrepExtended, false}, {`\b9[0-9]+ms$`, GrepExtended, false},
	} {
		b.Run(c.pattern, func(b *testing.B) {
			m, err := Compile(c.pattern, Options{Syntax: c.syntax, IgnoreCase: c.fold})
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			f := m.Finder(context.Background())
			for b.Loop() {
				n := 0
				f.Block(text, '\n')
				for from := 0; ; n++ {
					start, end := f.NextLine(from)
					if start < 0 {
						break
					}
					from = end + 1
				}
				if n == 1<<30 {
					b.Fatal()
				}
			}
		})
	}
}

func BenchmarkGroups(b *testing.B) {
	text := benchmarkText()
	m, _ := Compile(`([0-9]+):([0-9]+):.*id=([0-9]+)`, Options{Syntax: POSIXExtended})
	f := m.Finder(context.Background())
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		for rest := text; len(rest) > 0; {
			i := bytes.IndexByte(rest, '\n')
			f.Find(rest[:i], 0)
			rest = rest[i+1:]
		}
	}
}
