package builtins

import (
	"io"

	"github.com/vsh-project/vsh/builtins/internal/tarformat"
)

// tarSink takes a file's content: data, or a hole.
type tarSink interface {
	io.Writer
	Hole(bytes int64) error
}

// tarPlainSink writes holes as zeros.
type tarPlainSink struct {
	io.Writer
	t *tarCommand
}

func (s tarPlainSink) Hole(n int64) error {
	zeros := make([]byte, min(n, 32<<10))
	for n > 0 {
		if err := s.t.ctx.Err(); err != nil {
			return err
		}
		k, err := s.Write(zeros[:min(n, int64(len(zeros)))])
		if err != nil {
			return err
		}
		n -= int64(k)
	}
	return nil
}

// tarSinkError is a fault of what takes the content rather than of the archive.
type tarSinkError struct{ err error }

func (e *tarSinkError) Error() string { return e.err.Error() }

func (e *tarSinkError) Unwrap() error { return e.err }

// content gives a member's content to sink. A *tarSinkError is the sink's; what
// it did not take is passed over. The rest of the archive can be read afterwards.
func (r *tarReader) content(m *tarMember, sink tarSink) error {
	m.taken = true
	left := m.stored
	var failed error
	write := func(size int64) (bool, error) {
		for size > 0 {
			block, err := r.chunk(size)
			if err != nil {
				return false, err
			}
			if block == nil {
				r.t.fault("Unexpected EOF in archive")
				return false, nil
			}
			if err := r.t.ctx.Err(); err != nil {
				return false, err
			}
			if _, err := sink.Write(block); err != nil {
				failed = &tarSinkError{err}
				return false, nil
			}
			r.consumed(len(block))
			size -= int64(len(block))
			left -= int64((len(block) + tarformat.BlockSize - 1) / tarformat.BlockSize * tarformat.BlockSize)
		}
		return true, nil
	}
	if !m.isSparse {
		if _, err := write(m.stored); err != nil {
			return err
		}
	} else {
		at := int64(0)
		whole := true
		for _, e := range m.sparse {
			if hole := e.Offset - at; hole > 0 {
				if err := sink.Hole(hole); err != nil {
					failed, whole = &tarSinkError{err}, false
					break
				}
			}
			ok, err := write(e.Bytes)
			if err != nil {
				return err
			}
			if !ok {
				whole = false
				break
			}
			at = e.Offset + e.Bytes
		}
		if hole := m.size - at; whole && hole > 0 {
			if err := sink.Hole(hole); err != nil {
				failed = &tarSinkError{err}
			}
		}
	}
	if left > 0 {
		if err := r.skip(left); err != nil {
			return err
		}
	}
	return failed
}
