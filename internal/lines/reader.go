// Package lines reads and writes text in blocks: line iteration without an
// allocation a line, and the cut of an output's middle.
package lines

import (
	"bytes"
	"io"
)

// BlockSize is how much a Reader asks for at once.
const BlockSize = 64 << 10

// Charger pays for memory before it is allocated (a budget).
type Charger interface {
	Charge(bytes int64) error
	Release(bytes int64)
}

// Reader iterates over the records of r that end in Delim. It holds one block,
// and grows only for a record longer than that, charged to the budget.
type Reader struct {
	// Delim ends a record: '\n' unless set.
	Delim byte

	r       io.Reader
	charger Charger
	charged int64
	buf     []byte
	start   int
	end     int
	err     error
}

// NewReader reads r; charger may be nil.
func NewReader(r io.Reader, charger Charger) *Reader {
	return &Reader{Delim: '\n', r: r, charger: charger}
}

// Next returns the next record with its delimiter; the last may lack it. The
// slice is valid until the next call. At the end it returns io.EOF.
func (l *Reader) Next() ([]byte, error) {
	scanned := 0
	for {
		if i := bytes.IndexByte(l.buf[l.start+scanned:l.end], l.Delim); i >= 0 {
			line := l.buf[l.start : l.start+scanned+i+1]
			l.start += scanned + i + 1
			return line, nil
		}
		scanned = l.end - l.start
		if l.err != nil {
			if scanned > 0 {
				line := l.buf[l.start:l.end]
				l.start = l.end
				return line, nil
			}
			return nil, l.err
		}
		if err := l.fill(); err != nil {
			return nil, err
		}
	}
}

// Block returns what is buffered, reading when there is nothing, cut after its
// last delimiter: whole records only, but for the input's end or a record
// longer than the buffer has been grown for. Valid until the next call.
func (l *Reader) Block() ([]byte, error) {
	for {
		if i := bytes.LastIndexByte(l.buf[l.start:l.end], l.Delim); i >= 0 {
			block := l.buf[l.start : l.start+i+1]
			l.start += i + 1
			return block, nil
		}
		if l.err != nil {
			if l.start < l.end {
				block := l.buf[l.start:l.end]
				l.start = l.end
				return block, nil
			}
			return nil, l.err
		}
		if err := l.fill(); err != nil {
			return nil, err
		}
	}
}

// Buffered is how many bytes have been read from r and not been returned.
func (l *Reader) Buffered() int { return l.end - l.start }

// Rest reads what the Reader has not returned yet, buffered bytes first.
func (l *Reader) Rest() io.Reader {
	rest := bytes.NewReader(l.buf[l.start:l.end])
	l.start = l.end
	if l.err != nil {
		return rest
	}
	return io.MultiReader(rest, l.r)
}

// Close gives the buffer's charge back. It does not close r.
func (l *Reader) Close() {
	if l.charger != nil {
		l.charger.Release(l.charged)
	}
	l.charged, l.buf, l.start, l.end = 0, nil, 0, 0
}

func (l *Reader) fill() error {
	if l.start > 0 {
		copy(l.buf, l.buf[l.start:l.end])
		l.end -= l.start
		l.start = 0
	}
	if l.end == len(l.buf) {
		size := max(BlockSize, 2*len(l.buf))
		if l.charger != nil {
			if err := l.charger.Charge(int64(size - len(l.buf))); err != nil {
				return err
			}
			l.charged += int64(size - len(l.buf))
		}
		grown := make([]byte, size)
		copy(grown, l.buf[:l.end])
		l.buf = grown
	}
	for tries := 0; ; tries++ {
		n, err := l.r.Read(l.buf[l.end:])
		l.end += n
		l.err = err
		if n > 0 || err != nil {
			return nil
		}
		if tries > 100 {
			l.err = io.ErrNoProgress
			return nil
		}
	}
}
