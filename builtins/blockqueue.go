package builtins

import (
	"bytes"
	"io"

	"github.com/vsh-project/vsh/internal/lines"
)

// blockQueue holds the latest part of a stream in blocks, with the number of
// delimiters in each: what head and tail need to count from the end of a pipe.
// Its memory is charged to the budget.
type blockQueue struct {
	charger lines.Charger
	delim   byte
	blocks  []countedBlock
	bytes   int64
	delims  int64
}

type countedBlock struct {
	text   []byte
	delims int64
}

// push copies p to the end.
func (q *blockQueue) push(p []byte) error {
	for len(p) > 0 {
		last := len(q.blocks) - 1
		if last < 0 || len(q.blocks[last].text) == cap(q.blocks[last].text) {
			size := min(max(4096, q.bytes), lines.BlockSize)
			if err := q.charger.Charge(size); err != nil {
				return err
			}
			q.blocks = append(q.blocks, countedBlock{text: make([]byte, 0, size)})
			last++
		}
		b := &q.blocks[last]
		k := min(cap(b.text)-len(b.text), len(p))
		n := int64(bytes.Count(p[:k], []byte{q.delim}))
		b.text = append(b.text, p[:k]...)
		b.delims += n
		q.bytes += int64(k)
		q.delims += n
		p = p[k:]
	}
	return nil
}

// front is the first block.
func (q *blockQueue) front() *countedBlock { return &q.blocks[0] }

// drop removes the first block.
func (q *blockQueue) drop() {
	b := &q.blocks[0]
	q.bytes -= int64(len(b.text))
	q.delims -= b.delims
	q.charger.Release(int64(cap(b.text)))
	b.text = nil
	q.blocks = q.blocks[1:]
}

// lastLines is the offset at which the last n lines start; a last line without
// delimiter counts.
func (q *blockQueue) lastLines(n int64) int64 {
	if n == 0 {
		return q.bytes
	}
	offset := q.bytes
	last := true
	for i := len(q.blocks) - 1; i >= 0; i-- {
		text := q.blocks[i].text
		offset -= int64(len(text))
		for end := len(text); end > 0; {
			at := bytes.LastIndexByte(text[:end], q.delim)
			if last {
				// The delimiter that ends the text ends no further line.
				last = false
				if at == len(text)-1 {
					end = at
					continue
				}
			}
			if at < 0 {
				break
			}
			if n--; n == 0 {
				return offset + int64(at) + 1
			}
			end = at
		}
	}
	return 0
}

// write passes on what stands between two offsets.
func (q *blockQueue) write(c *call, from, to int64) error {
	offset := int64(0)
	for i := range q.blocks {
		text := q.blocks[i].text
		start, end := max(from-offset, 0), min(to-offset, int64(len(text)))
		if start < end {
			if _, err := c.out.Write(text[start:end]); err != nil {
				return c.writeError(err)
			}
		}
		offset += int64(len(text))
	}
	return nil
}

// readAll takes the whole of r.
func (q *blockQueue) readAll(c *call, r io.Reader) error {
	block := make([]byte, lines.BlockSize)
	for {
		n, err := r.Read(block)
		if err := q.push(block[:n]); err != nil {
			return err
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := c.ctx.Err(); err != nil {
			return err
		}
	}
}

// reader reads what the queue holds.
func (q *blockQueue) reader() io.Reader {
	parts := make([]io.Reader, len(q.blocks))
	for i := range q.blocks {
		parts[i] = bytes.NewReader(q.blocks[i].text)
	}
	return io.MultiReader(parts...)
}

func (q *blockQueue) close() {
	for len(q.blocks) > 0 {
		q.drop()
	}
}
