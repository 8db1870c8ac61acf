package grep

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestZapNULsChangesNothingElse(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for length := range 200 {
		text := make([]byte, length)
		for i := range text {
			text[i] = [...]byte{0, 0, 1, 0x7f, 0x80, 0x81, 0xff, byte(random.Uint32())}[random.IntN(8)]
		}
		want := bytes.ReplaceAll(text, []byte{0}, []byte{'\n'})
		zapNULs(text)
		require.Equal(t, string(want), string(text))
	}
}
