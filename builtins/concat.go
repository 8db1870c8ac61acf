package builtins

import (
	"io"
)

// concatenation reads operands one after another as one stream, for programs
// whose records span files. What cannot be opened or read is reported and left
// out. Close it.
type concatenation struct {
	*call
	names []string
	r     io.Reader
	done  func()
	// failed is called for an operand's trouble; fileError unless set.
	failed func(name string, err error)
}

func (c *call) concatenate(operands []string) *concatenation {
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	return &concatenation{call: c, names: operands, failed: c.fileError}
}

// next goes on to the next operand that can be read; false at the end.
func (c *concatenation) next() (bool, error) {
	for c.r == nil {
		if len(c.names) == 0 {
			return false, nil
		}
		r, done, err := c.open(c.names[0])
		if err == nil {
			c.r, c.done = r, done
			break
		}
		if err := c.skip(err); err != nil {
			return false, err
		}
	}
	return true, nil
}

// skip reports the first operand's trouble and leaves it.
func (c *concatenation) skip(err error) error {
	if c.ends(err) {
		return err
	}
	c.failed(c.names[0], err)
	c.names = c.names[1:]
	return nil
}

func (c *concatenation) Read(p []byte) (int, error) {
	for {
		more, err := c.next()
		if err == nil {
			err = c.ctx.Err()
		}
		if err != nil {
			return 0, err
		}
		if !more {
			return 0, io.EOF
		}
		n, err := c.r.Read(p)
		if err != nil {
			c.Close()
			if err == io.EOF {
				c.names = c.names[1:]
			} else if err := c.skip(err); err != nil {
				return n, err
			}
		}
		if n > 0 {
			return n, nil
		}
	}
}

// discard skips n bytes, by seeking in regular files; it returns how many of
// them the input lacked.
func (c *concatenation) discard(n uint64) (uint64, error) {
	var scratch []byte
	for n > 0 {
		more, err := c.next()
		if err != nil || !more {
			return n, err
		}
		if f, size, offset, ok := regularFile(c.r); ok {
			left := uint64(max(size-offset, 0))
			if _, err := f.Seek(int64(min(n, left)), io.SeekCurrent); err != nil {
				return n, err
			}
			n -= min(n, left)
			if n == 0 {
				return 0, nil
			}
		}
		if scratch == nil {
			scratch = make([]byte, 32<<10)
		}
		k, err := c.Read(scratch[:min(n, uint64(len(scratch)))])
		n -= uint64(k)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
	return 0, nil
}

func (c *concatenation) Close() {
	if c.r != nil {
		c.done()
		c.r, c.done = nil, nil
	}
}
