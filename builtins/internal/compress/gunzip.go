// Package compress reads and writes the compressed forms of gzip, bzip2, xz and
// zstd.
package compress

import (
	"bufio"
	"compress/flate"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"strconv"
	"time"
)

// What is wrong with a compressed stream.
var (
	ErrFormat   = errors.New("not in gzip format")
	ErrEnd      = errors.New("unexpected end of file")
	ErrCRC      = errors.New("invalid compressed data--crc error")
	ErrLength   = errors.New("invalid compressed data--length error")
	ErrViolated = errors.New("invalid compressed data--format violated")
)

// MethodError is a member compressed in a way nobody knows.
type MethodError byte

func (e MethodError) Error() string {
	return "unknown method " + strconv.Itoa(int(e)) + " -- not supported"
}

// Gunzip reads the members of a gzip stream one after another.
type Gunzip struct {
	// Name and Modified are the first member's, "" and zero where it has none.
	Name     string
	Modified time.Time
	// CRC and Size are the last member's. Overhead is the size of header and
	// trailer, 0 once there is a second member: gzip counts them so.
	CRC      uint32
	Size     uint64
	Overhead int64
	// Garbage says that what follows the members is none.
	Garbage bool
	// Short says that the input is one byte.
	Short bool

	in      *bufio.Reader
	inflate io.ReadCloser
	err     error
	first   bool
}

// NewGunzip reads the first member's header.
func NewGunzip(in io.Reader) (*Gunzip, error) {
	z := &Gunzip{in: bufio.NewReaderSize(in, 32<<10), first: true}
	if err := z.header(); err != nil {
		return z, err
	}
	z.inflate = flate.NewReader(z.in)
	return z, nil
}

// Buffered is the input, of which nothing has been read if the header failed
// with ErrFormat, or ErrEnd for want of a second byte.
func (z *Gunzip) Buffered() io.Reader { return z.in }

func (z *Gunzip) header() error {
	head, err := z.in.Peek(2)
	if len(head) < 2 && (err == io.EOF || err == nil) {
		z.Short = len(head) == 1
		return ErrEnd
	}
	if len(head) < 2 {
		return err
	}
	if head[0] != 0x1f || head[1] != 0x8b {
		return ErrFormat
	}
	head, err = z.in.Peek(10)
	if len(head) >= 3 && head[2] != 8 {
		return MethodError(head[2])
	}
	if len(head) < 10 {
		return end(err)
	}
	flags, seconds := head[3], binary.LittleEndian.Uint32(head[4:])
	z.in.Discard(10)
	size := 10
	if z.first && seconds != 0 {
		z.Modified = time.Unix(int64(seconds), 0)
	}
	if flags&4 != 0 {
		var length [2]byte
		if _, err := io.ReadFull(z.in, length[:]); err != nil {
			return end(err)
		}
		n := int(binary.LittleEndian.Uint16(length[:]))
		if _, err := z.in.Discard(n); err != nil {
			return end(err)
		}
		size += 2 + n
	}
	for _, flag := range []byte{8, 16} {
		if flags&flag == 0 {
			continue
		}
		// A name is kept as far as a path may go.
		var text []byte
		for {
			c, err := z.in.ReadByte()
			if err != nil {
				return end(err)
			}
			size++
			if c == 0 {
				break
			}
			if len(text) < 4096 {
				text = append(text, c)
			}
		}
		if flag == 8 && z.first {
			z.Name = string(text)
		}
	}
	if flags&2 != 0 {
		if _, err := z.in.Discard(2); err != nil {
			return end(err)
		}
		size += 2
	}
	z.Overhead = 0
	if z.first {
		z.Overhead = int64(size + 8)
	}
	z.first = false
	z.CRC, z.Size = 0, 0
	return nil
}

func end(err error) error {
	if err == nil || err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrEnd
	}
	return err
}

func (z *Gunzip) Read(p []byte) (int, error) {
	for z.err == nil {
		n, err := z.inflate.Read(p)
		z.CRC = crc32.Update(z.CRC, crc32.IEEETable, p[:n])
		z.Size += uint64(n)
		var corrupt flate.CorruptInputError
		switch {
		case err == io.EOF:
			z.err = z.trailer()
		case errors.As(err, &corrupt):
			z.err = ErrViolated
		case err != nil:
			z.err = end(err)
		}
		if n > 0 {
			return n, nil
		}
	}
	return 0, z.err
}

// trailer checks a member and goes to the next.
func (z *Gunzip) trailer() error {
	var tail [8]byte
	if _, err := io.ReadFull(z.in, tail[:]); err != nil {
		return end(err)
	}
	if binary.LittleEndian.Uint32(tail[:]) != z.CRC {
		return ErrCRC
	}
	if binary.LittleEndian.Uint32(tail[4:]) != uint32(z.Size) {
		return ErrLength
	}
	head, err := z.in.Peek(2)
	if len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b {
		if err := z.header(); err != nil {
			return err
		}
		return z.inflate.(flate.Resetter).Reset(z.in, nil)
	}
	if len(head) < 2 && err != nil && err != io.EOF {
		return err
	}
	// Zeros fill a tape's last block; anything else does not belong here.
	for {
		c, err := z.in.ReadByte()
		if err == io.EOF {
			return io.EOF
		}
		if err != nil {
			return err
		}
		if c != 0 {
			z.Garbage = true
			return io.EOF
		}
	}
}
