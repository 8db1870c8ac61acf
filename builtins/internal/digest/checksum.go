package digest

import (
	"hash/crc32"
	"math/bits"
)

// Checksum is one of the three old checksums; Value is what is printed.
type Checksum interface {
	Write(p []byte)
	Value() uint32
}

// NewCRC is POSIX cksum's CRC.
func NewCRC() Checksum {
	c := &crc{table: crc32.MakeTable(crc32.IEEE)}
	for i := range c.reversed {
		c.reversed[i] = bits.Reverse8(byte(i))
	}
	return c
}

// crc runs the POSIX CRC on the processor's reflected one: the bits of each
// byte are turned round on the way in, those of the result on the way out.
type crc struct {
	table    *crc32.Table
	reversed [256]byte
	state    uint32
	count    uint64
	scratch  [4096]byte
}

func (c *crc) Write(p []byte) {
	c.count += uint64(len(p))
	c.state = c.update(c.state, p)
}

func (c *crc) update(state uint32, p []byte) uint32 {
	for len(p) > 0 {
		k := min(len(p), len(c.scratch))
		for i, b := range p[:k] {
			c.scratch[i] = c.reversed[b]
		}
		state = ^crc32.Update(^state, c.table, c.scratch[:k])
		p = p[k:]
	}
	return state
}

func (c *crc) Value() uint32 {
	var length []byte
	for n := c.count; n != 0; n >>= 8 {
		length = append(length, byte(n))
	}
	return ^bits.Reverse32(c.update(c.state, length))
}

// NewBSD is the rotating 16-bit sum of sum -r.
func NewBSD() Checksum { return new(bsd) }

type bsd uint16

func (s *bsd) Write(p []byte) {
	sum := uint16(*s)
	for _, b := range p {
		sum = bits.RotateLeft16(sum, -1) + uint16(b)
	}
	*s = bsd(sum)
}

func (s *bsd) Value() uint32 { return uint32(*s) }

// NewSysV is the folded sum of sum -s.
func NewSysV() Checksum { return new(sysV) }

type sysV uint32

func (s *sysV) Write(p []byte) {
	for _, b := range p {
		*s += sysV(b)
	}
}

func (s *sysV) Value() uint32 {
	r := uint32(*s)&0xffff + uint32(*s)>>16
	return r&0xffff + r>>16
}
