package external

import (
	"context"
	"io"
)

// contextReader is what the shell's stdin is where a read can be interrupted.
type contextReader interface {
	ReadContext(ctx context.Context, p []byte) (int, error)
}

// unreader is what the shell's stdin is where bytes can be put back.
type unreader interface{ Unread(p []byte) error }

// copyInput feeds the program until its input or it has ended.
func (r *running) copyInput(ctx context.Context) {
	defer r.input.Done()
	defer r.in.Close()
	block := make([]byte, inputBlock)
	for ctx.Err() == nil {
		n, err := readContext(ctx, r.Stdin, block)
		if n > 0 {
			if sent, err := r.in.Write(block[:n]); err != nil {
				r.unsent = block[sent:n]
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func readContext(ctx context.Context, r io.Reader, p []byte) (int, error) {
	if c, ok := r.(contextReader); ok {
		return c.ReadContext(ctx, p)
	}
	return r.Read(p)
}

// endInput ends the copying once the program has gone, and gives what it has
// not read back to the shell's stdin where that can be: "while read x; do
// prog; done" must not lose its list to a program that reads nothing.
func (r *running) endInput() {
	r.stopReading()
	r.in.Close()
	r.input.Wait()
	left, _ := io.ReadAll(r.childIn)
	r.childIn.Close()
	left = append(left, r.unsent...)
	if len(left) == 0 {
		return
	}
	switch stdin := r.Stdin.(type) {
	case io.Seeker:
		stdin.Seek(-int64(len(left)), io.SeekCurrent)
	case unreader:
		stdin.Unread(left)
	}
}
