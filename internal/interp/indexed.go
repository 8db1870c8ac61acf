package interp

import (
	"math/bits"
	"sort"
)

// indexed is a sparse indexed array: chunks of up to 64 neighbours, sorted.
// Chunks are shared between processes until written, as variables are.
type indexed struct {
	epoch  uint64
	chunks []*chunk
	count  int
	// copied adds up the sizes of chunks that were copied to be written, until
	// proc.settleCopies looks.
	copied copies
}

// copies are sizes by the epoch of what was copied.
type copies struct {
	size  int64
	epoch uint64
}

func (c *copies) add(size int64, epoch uint64) {
	c.size += size
	c.epoch = max(c.epoch, epoch)
}

// chunk holds the elements base*64 … base*64+63 that mask names, in order.
type chunk struct {
	epoch uint64
	base  int64
	mask  uint64
	vals  []text
}

// elementCost is charged for each element beside its text.
const elementCost = 48

func (a *indexed) len() int { return a.count }

// find is the position of the chunk that has, or would have, base.
func (a *indexed) find(base int64) (int, bool) {
	n := len(a.chunks)
	// An index behind the highest wraps, as bash's does, to one below 0.
	if base >= 0 && base < int64(n) && a.chunks[base].base == base { // dense from 0
		return int(base), true
	}
	if n == 0 || a.chunks[n-1].base < base {
		return n, false
	}
	i := sort.Search(n, func(i int) bool { return a.chunks[i].base >= base })
	return i, i < n && a.chunks[i].base == base
}

func (a *indexed) get(index int64) (string, bool) {
	if index < 0 {
		return "", false
	}
	i, ok := a.find(index >> 6)
	if !ok {
		return "", false
	}
	c, bit := a.chunks[i], uint64(1)<<(index&63)
	if c.mask&bit == 0 {
		return "", false
	}
	return c.vals[bits.OnesCount64(c.mask&(bit-1))].s, true
}

// max is the highest index, -1 for an empty array.
func (a *indexed) max() int64 {
	if len(a.chunks) == 0 {
		return -1
	}
	c := a.chunks[len(a.chunks)-1]
	return c.base<<6 + int64(63-bits.LeadingZeros64(c.mask))
}

// clone is a copy that epoch may write; chunks stay shared.
func (a *indexed) clone(epoch uint64) *indexed {
	c := &indexed{epoch: epoch, count: a.count, chunks: make([]*chunk, len(a.chunks), len(a.chunks)+1)}
	copy(c.chunks, a.chunks)
	return c
}

// own is the chunk at position i, made writable.
func (a *indexed) own(i int) *chunk {
	c := a.chunks[i]
	if c.epoch != a.epoch {
		d := &chunk{epoch: a.epoch, base: c.base, mask: c.mask, vals: make([]text, len(c.vals), min(64, len(c.vals)+len(c.vals)/2+1))}
		for k, v := range c.vals {
			d.vals[k] = v.shared()
		}
		a.copied.add(c.size(), c.epoch)
		a.chunks[i] = d
		c = d
	}
	return c
}

// slot is the place of index in an array its caller owns, made when missing.
func (a *indexed) slot(index int64) (t *text, fresh bool) {
	i, ok := a.find(index >> 6)
	if !ok {
		a.chunks = append(a.chunks, nil)
		copy(a.chunks[i+1:], a.chunks[i:])
		a.chunks[i] = &chunk{epoch: a.epoch, base: index >> 6}
	}
	c, bit := a.own(i), uint64(1)<<(index&63)
	k := bits.OnesCount64(c.mask & (bit - 1))
	if c.mask&bit == 0 {
		c.mask |= bit
		a.count++
		c.vals = append(c.vals, text{})
		copy(c.vals[k+1:], c.vals[k:])
		c.vals[k] = text{}
		fresh = true
	}
	return &c.vals[k], fresh
}

// remove deletes one element and returns its size.
func (a *indexed) remove(index int64) (size int64, ok bool) {
	i, found := a.find(index >> 6)
	if !found {
		return 0, false
	}
	bit := uint64(1) << (index & 63)
	if a.chunks[i].mask&bit == 0 {
		return 0, false
	}
	c := a.own(i)
	k := bits.OnesCount64(c.mask & (bit - 1))
	size = c.vals[k].size()
	c.mask &^= bit
	copy(c.vals[k:], c.vals[k+1:])
	c.vals[len(c.vals)-1] = text{}
	c.vals = c.vals[:len(c.vals)-1]
	a.count--
	if c.mask == 0 {
		a.chunks = append(a.chunks[:i], a.chunks[i+1:]...)
	}
	return size, true
}

// each visits the elements in order until visit returns false. The array must
// not change meanwhile.
func (a *indexed) each(visit func(index int64, s string) bool) {
	for _, c := range a.chunks {
		k := 0
		for m := c.mask; m != 0; m &= m - 1 {
			if !visit(c.base<<6+int64(bits.TrailingZeros64(m)), c.vals[k].s) {
				return
			}
			k++
		}
	}
}

// size is the budget's charge for the elements.
func (c *chunk) size() int64 {
	var n int64
	for i := range c.vals {
		n += c.vals[i].size() + elementCost
	}
	return n
}
