package compress

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"io"

	dsnet "github.com/dsnet/compress/bzip2"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// Format is a compressed form.
type Format uint8

const (
	Unknown Format = iota
	Bzip2
	XZ
	Zstd
)

var errUnknown = errors.New("unknown format")

// window is the most memory a stream may ask of its reader.
const window = 128 << 20

// Detect looks at the first bytes of a stream.
func Detect(head []byte) Format {
	switch {
	case bytes.HasPrefix(head, []byte("BZh")):
		return Bzip2
	case bytes.HasPrefix(head, []byte("\xfd7zXZ\x00")):
		return XZ
	case bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")):
		return Zstd
	}
	return Unknown
}

// NewReader decompresses in. Streams that follow one another are one.
func NewReader(format Format, in io.Reader) (io.Reader, error) {
	switch format {
	case Bzip2:
		return bzip2.NewReader(bufio.NewReaderSize(in, 32<<10)), nil
	case XZ:
		return xz.ReaderConfig{DictCap: window}.NewReader(bufio.NewReaderSize(in, 32<<10))
	case Zstd:
		// One goroutine fewer: it decodes where it is read.
		d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(window), zstd.WithDecoderMaxWindow(window))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	}
	return nil, errUnknown
}

// NewWriter compresses to out at a level from 1 to 9, 0 for the usual one.
func NewWriter(format Format, out io.Writer, level int) (io.WriteCloser, error) {
	switch format {
	case Bzip2:
		if level == 0 {
			level = 9
		}
		return dsnet.NewWriter(out, &dsnet.WriterConfig{Level: level})
	case XZ:
		return xz.WriterConfig{DictCap: dictionary(level), CheckSum: xz.CRC64}.NewWriter(out)
	case Zstd:
		if level == 0 {
			level = 3
		}
		return zstd.NewWriter(out, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(level)), zstd.WithLowerEncoderMem(true))
	}
	return nil, errUnknown
}

func dictionary(level int) int {
	if level == 0 || level > 6 {
		return 8 << 20
	}
	return 256 << 10 << level
}
