package regex

import (
	"bytes"
	"testing"
)

func BenchmarkNeedle(b *testing.B) {
	text := benchmarkText()
	for _, literal := range []string{"ERROR", "took 976ms", "zq", "id=77777 "} {
		for _, fold := range []bool{false, true} {
			n := needle{literal: []byte(literal), fold: fold}
			if fold {
				n.literal = bytes.ToLower(n.literal)
			}
			n.choose(sample(text))
			b.Run(literal+map[bool]string{true: "/fold"}[fold], func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					n.reset()
					for at := n.index(text, 0); at >= 0; at = n.index(text, at+1) {
					}
				}
			})
		}
	}
}
