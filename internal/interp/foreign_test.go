package interp

import (
	"context"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// oneByOne gives n bytes, one a call, and panics after that where it is told to.
type oneByOne struct {
	n      int
	panics bool
}

func (r *oneByOne) Read(p []byte) (int, error) {
	if r.n == 0 {
		if r.panics {
			panic("reader")
		}
		return 0, io.EOF
	}
	r.n--
	p[0] = 'x'
	return 1, nil
}

// TestAForeignReaderIsReadToItsEnd: a read that begins just as the one before
// it comes back must not wait for ever.
func TestAForeignReaderIsReadToItsEnd(t *testing.T) {
	const n = 50_000
	for _, panics := range []bool{false, true} {
		f := newForeign(&oneByOne{n, panics}, nil)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		var mu sync.Mutex
		var wait sync.WaitGroup
		total := 0
		for range 3 {
			wait.Go(func() {
				b := make([]byte, 16)
				for {
					n, err := f.Read(ctx, b)
					mu.Lock()
					total += n
					mu.Unlock()
					if err != nil {
						return
					}
				}
			})
		}
		wait.Wait()
		require.NoError(t, ctx.Err())
		require.Equal(t, n, total)
	}
}
