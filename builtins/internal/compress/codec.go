package compress

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"io"

	dsnet "github.com/dsnet/compress/bzip2"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"
)

// Format is a compressed form.
type Format uint8

const (
	None Format = iota
	Gzip
	Bzip2
	XZ
	Zstd
	LZMA
)

// window is the most memory a stream may ask of its reader.
const window = 128 << 20

// Detect looks at the first bytes of a stream.
func Detect(head []byte) Format {
	for format, magic := range map[Format]string{Gzip: "\x1f\x8b", Bzip2: "BZh", XZ: "\xfd7zXZ\x00", Zstd: "\x28\xb5\x2f\xfd"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return format
		}
	}
	return None
}

// NewReader decompresses in. Streams that follow one another are one.
func NewReader(format Format, in io.Reader) (io.Reader, error) {
	switch format {
	case Gzip:
		return NewGunzip(in)
	case Bzip2:
		return bzip2.NewReader(bufio.NewReaderSize(in, 32<<10)), nil
	case XZ:
		return xz.ReaderConfig{DictCap: window}.NewReader(bufio.NewReaderSize(in, 32<<10))
	case LZMA:
		return lzma.ReaderConfig{DictCap: window}.NewReader(bufio.NewReaderSize(in, 32<<10))
	case Zstd:
		// One goroutine fewer: it decodes where it is read.
		d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(window), zstd.WithDecoderMaxWindow(window))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	}
	return in, nil
}

// NewWriter compresses to out at a level from 1 to 9, 0 for the usual one.
func NewWriter(format Format, out io.Writer, level int) (io.WriteCloser, error) {
	switch format {
	case Gzip:
		if level == 0 {
			level = gzip.DefaultCompression
		}
		return gzip.NewWriterLevel(out, level)
	case Bzip2:
		if level == 0 {
			level = 9
		}
		return dsnet.NewWriter(out, &dsnet.WriterConfig{Level: level})
	case XZ:
		return xz.WriterConfig{DictCap: dictionary(level), CheckSum: xz.CRC64}.NewWriter(out)
	case LZMA:
		return lzma.WriterConfig{DictCap: dictionary(level), EOSMarker: true}.NewWriter(out)
	case Zstd:
		if level == 0 {
			level = 3
		}
		return zstd.NewWriter(out, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(level)), zstd.WithLowerEncoderMem(true))
	}
	return nopCloser{out}, nil
}

func dictionary(level int) int {
	if level == 0 || level > 6 {
		return 8 << 20
	}
	return 256 << 10 << level
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
