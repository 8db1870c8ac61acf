package memory

import (
	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/internal/persistent"
)

const (
	chunkSize = 64 << 10
	// blockSize is what Info.Blocks counts a chunk's bytes in.
	blockSize = 4096
)

// chunk is up to chunkSize bytes of a file; what it lacks up to the file's end
// reads as zeros.
type chunk struct {
	epoch uint64
	data  []byte
}

// content is a regular file's bytes. A hole has no chunk.
type content struct {
	size   int64
	blocks int64  // bytes in whole blocks
	first  *chunk // most files have no other
	rest   persistent.Table[int64, *chunk]
}

func (c *content) chunk(i int64) *chunk {
	if i == 0 {
		return c.first
	}
	one, _ := c.rest.Get(i)
	return one
}

// read copies from offset on; it stops at the end of the file.
func (c *content) read(p []byte, offset int64) int {
	if offset >= c.size {
		return 0
	}
	p = p[:min(int64(len(p)), c.size-offset)]
	for done := 0; done < len(p); {
		at := offset + int64(done)
		start := int(at % chunkSize)
		part := p[done:min(len(p), done+chunkSize-start)]
		n := 0
		if one := c.chunk(at / chunkSize); one != nil && start < len(one.data) {
			n = copy(part, one.data[start:])
		}
		clear(part[n:])
		done += len(part)
	}
	return len(p)
}

func roundBlocks(n int) int64 { return int64(n+blockSize-1) / blockSize * blockSize }

// capacity is what a chunk of n bytes is given.
func capacity(n int) int {
	size := 64
	for size < n {
		size *= 2
	}
	return min(size, chunkSize)
}

// writable is the i-th chunk, made able to hold size bytes and to be changed.
// All memory is paid for before it is taken.
func (f *filesystem) writable(n *inode, i int64, size int) (*chunk, error) {
	c := &n.content
	one := c.chunk(i)
	have := 0
	if one != nil {
		have = cap(one.data)
	}
	if one != nil && f.epoch.Owns(one.epoch) && have >= size {
		return one, nil
	}
	want := max(have, size)
	if have < size {
		want = capacity(size)
	}
	grown := &chunk{epoch: f.epoch.Number}
	switch {
	case one == nil:
		if err := f.grow(int64(want)); err != nil {
			return nil, err
		}
	case f.epoch.Owns(one.epoch):
		if err := f.grow(int64(want - have)); err != nil {
			return nil, err
		}
	default:
		if err := f.hold(int64(have)); err != nil {
			return nil, err
		}
		if err := f.grow(int64(want - have)); err != nil {
			f.release(int64(have))
			return nil, err
		}
	}
	grown.data = make([]byte, 0, want)
	if one != nil {
		grown.data = append(grown.data, one.data...)
	}
	if i == 0 {
		c.first = grown
	} else {
		c.rest.Set(f.epoch, i, grown)
	}
	return grown, nil
}

// write stores p at offset and returns how much found room. n must be
// changeable.
func (f *filesystem) write(n *inode, p []byte, offset int64) (int, error) {
	c := &n.content
	if offset+int64(len(p)) > maxSize || offset+int64(len(p)) < 0 {
		return 0, vfs.EFBIG
	}
	done := 0
	for done < len(p) {
		at := offset + int64(done)
		start := int(at % chunkSize)
		part := p[done:min(len(p), done+chunkSize-start)]
		one, err := f.writable(n, at/chunkSize, start+len(part))
		if err != nil {
			return done, err
		}
		before := len(one.data)
		if end := start + len(part); end > before {
			one.data = one.data[:end]
			if start > before {
				clear(one.data[before:start])
			}
			c.blocks += roundBlocks(end) - roundBlocks(before)
		}
		copy(one.data[start:], part)
		done += len(part)
		c.size = max(c.size, at+int64(len(part)))
	}
	return done, nil
}

// drop forgets the i-th chunk.
func (f *filesystem) drop(c *content, i int64, one *chunk) {
	c.blocks -= roundBlocks(len(one.data))
	f.shrink(int64(cap(one.data)), one.epoch)
	if i == 0 {
		c.first = nil
	} else {
		c.rest.Delete(f.epoch, i)
	}
}

// cut makes the file's content end at size or before.
func (f *filesystem) cut(n *inode, size int64) error {
	c := &n.content
	if size >= c.size {
		return nil
	}
	keep := (size + chunkSize - 1) / chunkSize
	var gone []int64
	c.rest.Ascend(keep, func(i int64, _ *chunk) bool { gone = append(gone, i); return true })
	for _, i := range gone {
		f.drop(c, i, c.chunk(i))
	}
	if keep == 0 && c.first != nil {
		f.drop(c, 0, c.first)
	}
	if last := int(size % chunkSize); last > 0 {
		if one := c.chunk(size / chunkSize); one != nil && len(one.data) > last {
			one, err := f.writable(n, size/chunkSize, last)
			if err != nil {
				return err
			}
			c.blocks -= roundBlocks(len(one.data)) - roundBlocks(last)
			one.data = one.data[:last]
		}
	}
	c.size = size
	return nil
}

// truncate sets the file's size; what is added is a hole.
func (f *filesystem) truncate(n *inode, size int64) error {
	if size < 0 {
		return vfs.EINVAL
	}
	if size > maxSize {
		return vfs.EFBIG
	}
	if err := f.cut(n, size); err != nil {
		return err
	}
	n.content.size = size
	return nil
}
