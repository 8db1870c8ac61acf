package builtins

import (
	"fmt"
	"io"
)

// confirm asks a question on stderr and reads a line of stdin for the answer.
// It reads byte by byte: the rest of stdin belongs to whoever reads next.
func (c *call) confirm(format string, args ...any) bool {
	c.out.Flush()
	fmt.Fprintf(c.Stderr, c.label()+": "+format, args...)
	var first, one [1]byte
	for n := 0; ; n++ {
		if _, err := io.ReadFull(c.Stdin, one[:]); err != nil || c.ctx.Err() != nil || one[0] == '\n' {
			return n > 0 && first[0]|0x20 == 'y'
		}
		if n == 0 {
			first = one
		}
	}
}
