package sed

import (
	"bytes"
	"io"
)

const readSize = 64 << 10

// reader reads lines, and knows whether one follows.
type reader struct {
	r          io.ReadCloser
	delimiter  byte
	files      Files
	buffer     []byte
	start, end int
	err        error
	charged    int64
	minimal    bool // read no byte more than asked for (-u)
}

func newReader(r io.ReadCloser, delimiter byte, files Files) *reader {
	return &reader{r: r, delimiter: delimiter, files: files}
}

// next gives a line without its delimiter and whether it had one; valid until
// the next call. The error is io.EOF at the end.
func (r *reader) next() (line []byte, ended bool, err error) {
	scanned := 0
	for {
		if i := bytes.IndexByte(r.buffer[r.start+scanned:r.end], r.delimiter); i >= 0 {
			line = r.buffer[r.start : r.start+scanned+i]
			r.start += scanned + i + 1
			return line, true, nil
		}
		scanned = r.end - r.start
		if r.err != nil {
			if scanned > 0 {
				line = r.buffer[r.start:r.end]
				r.start = r.end
				return line, false, nil
			}
			return nil, false, r.err
		}
		if err := r.fill(); err != nil {
			return nil, false, err
		}
	}
}

// more reports whether a line follows.
func (r *reader) more() bool {
	for r.start == r.end && r.err == nil {
		if err := r.fill(); err != nil {
			r.err = err
		}
	}
	return r.start < r.end
}

func (r *reader) fill() error {
	if r.start > 0 {
		copy(r.buffer, r.buffer[r.start:r.end])
		r.end -= r.start
		r.start = 0
	}
	if r.end == len(r.buffer) {
		size := max(readSize, 2*len(r.buffer))
		if err := r.files.Charge(int64(size - len(r.buffer))); err != nil {
			return err
		}
		r.charged += int64(size - len(r.buffer))
		grown := make([]byte, size)
		copy(grown, r.buffer[:r.end])
		r.buffer = grown
	}
	room := r.buffer[r.end:]
	if r.minimal {
		room = room[:1]
	}
	for tries := 0; ; tries++ {
		n, err := r.r.Read(room)
		r.end += n
		if err != nil {
			r.err = err
		} else if n == 0 && tries > 100 {
			r.err = io.ErrNoProgress
		}
		if n > 0 || r.err != nil {
			return nil
		}
	}
}

// unread leaves what was read ahead to the next reader of the same stream.
func (r *reader) unread() {
	if u, ok := r.r.(Unreader); ok && r.end > r.start {
		u.Unread(r.end - r.start)
		r.start = r.end
	}
}

func (r *reader) close() {
	r.files.Release(r.charged)
	r.charged = 0
	r.r.Close()
}
