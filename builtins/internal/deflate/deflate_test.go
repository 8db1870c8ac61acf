package deflate

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"math/rand"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// inputs are texts of many kinds.
func inputs() map[string][]byte {
	r := rand.New(rand.NewSource(1))
	noise := make([]byte, 200_000)
	r.Read(noise)
	var words, numbers strings.Builder
	list := strings.Fields("the quick brown fox jumps over a lazy dog while nobody of them looks at what happened yesterday in town")
	for range 40_000 {
		words.WriteString(list[r.Intn(len(list))])
		words.WriteByte(" \n"[r.Intn(2)])
	}
	for i := range 30_000 {
		fmt.Fprintln(&numbers, i)
	}
	skewed := make([]byte, 300_000)
	for i := range skewed {
		skewed[i] = byte(r.ExpFloat64() * 6)
	}
	return map[string][]byte{
		"nothing": nil, "a byte": {'x'}, "a line": []byte("hello\n"), "three lines": []byte("apple\nbanana\ncherry\n"),
		"zeros": make([]byte, 500_000), "noise": noise, "words": []byte(words.String()), "numbers": []byte(numbers.String()), "skewed": skewed,
		"mixed": append(append([]byte(words.String())[:70_000], noise[:40_000]...), numbers.String()[:100_000]...), "a pattern": bytes.Repeat([]byte("abcabcabd"), 20_000),
	}
}

func packed(t testing.TB, data []byte, level, chunk int) []byte {
	var out bytes.Buffer
	w := NewWriter(&out, level)
	for rest := data; len(rest) > 0; {
		n := min(chunk, len(rest))
		_, err := w.Write(rest[:n])
		require.NoError(t, err)
		rest = rest[n:]
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

func TestWhatIsPackedUnpacks(t *testing.T) {
	for name, data := range inputs() {
		for level := 1; level <= 9; level++ {
			t.Run(fmt.Sprint(name, " at ", level), func(t *testing.T) {
				out := packed(t, data, level, 4096)
				require.Equal(t, out, packed(t, data, level, 77_777), "the chunks of writing do not matter")
				back, err := io.ReadAll(flate.NewReader(bytes.NewReader(out)))
				require.NoError(t, err)
				require.True(t, bytes.Equal(data, back))
			})
		}
	}
}

func TestTheBytesAreGzips(t *testing.T) {
	if text, err := exec.Command("gzip", "--version").Output(); err != nil || !strings.HasPrefix(string(text), "gzip 1.1") {
		t.Skip("no gzip 1.1x")
	}
	for name, data := range inputs() {
		for level := 1; level <= 9; level++ {
			t.Run(fmt.Sprint(name, " at ", level), func(t *testing.T) {
				c := exec.Command("gzip", "-n", "-c", fmt.Sprint("-", level))
				c.Stdin = bytes.NewReader(data)
				want, err := c.Output()
				require.NoError(t, err)
				got := packed(t, data, level, 32<<10)
				require.Equal(t, len(want)-18, len(got))
				require.True(t, bytes.Equal(want[10:len(want)-8], got))
			})
		}
	}
}

func BenchmarkDeflate(b *testing.B) {
	data := inputs()["words"]
	for name, make := range map[string]func(io.Writer) io.WriteCloser{
		"ours":     func(w io.Writer) io.WriteCloser { return NewWriter(w, 6) },
		"standard": func(w io.Writer) io.WriteCloser { f, _ := flate.NewWriter(w, 6); return f },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				w := make(io.Discard)
				w.Write(data)
				w.Close()
			}
		})
	}
}
