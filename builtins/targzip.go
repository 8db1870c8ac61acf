package builtins

import (
	"encoding/binary"
	"hash"
	"hash/crc32"
	"io"

	"github.com/vsh-project/vsh/builtins/internal/deflate"
)

// tarGzip is gzip's stream of standard input: no name and no time in it.
type tarGzip struct {
	out   io.Writer
	plain *deflate.Writer
	sum   hash.Hash32
	size  uint32
	begun bool
}

func newTarGzip(out io.Writer) *tarGzip {
	return &tarGzip{out: out, plain: deflate.NewWriter(out, 6), sum: crc32.NewIEEE()}
}

func (z *tarGzip) begin() error {
	if z.begun {
		return nil
	}
	z.begun = true
	_, err := z.out.Write([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3})
	return err
}

func (z *tarGzip) Write(p []byte) (int, error) {
	if err := z.begin(); err != nil {
		return 0, err
	}
	z.sum.Write(p)
	z.size += uint32(len(p))
	return z.plain.Write(p)
}

func (z *tarGzip) Close() error {
	if err := z.begin(); err != nil {
		return err
	}
	if err := z.plain.Close(); err != nil {
		return err
	}
	var tail [8]byte
	binary.LittleEndian.PutUint32(tail[:], z.sum.Sum32())
	binary.LittleEndian.PutUint32(tail[4:], z.size)
	_, err := z.out.Write(tail[:])
	return err
}
