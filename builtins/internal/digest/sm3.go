package digest

import (
	"encoding/binary"
	"hash"
	"math/bits"
)

// sm3 is the SM3 hash (GB/T 32905-2016).
type sm3 struct {
	state [8]uint32
	count uint64
	block [64]byte
	used  int
}

// NewSM3 makes a hash of 32 bytes.
func NewSM3() hash.Hash {
	s := &sm3{}
	s.Reset()
	return s
}

func (s *sm3) Size() int      { return 32 }
func (s *sm3) BlockSize() int { return len(s.block) }

func (s *sm3) Reset() {
	*s = sm3{state: [8]uint32{0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600, 0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e}}
}

func (s *sm3) Write(p []byte) (int, error) {
	n := len(p)
	s.count += uint64(n)
	if s.used > 0 {
		k := copy(s.block[s.used:], p)
		s.used, p = s.used+k, p[k:]
		if s.used < len(s.block) {
			return n, nil
		}
		s.compress(s.block[:])
		s.used = 0
	}
	for len(p) >= len(s.block) {
		s.compress(p)
		p = p[len(s.block):]
	}
	s.used = copy(s.block[:], p)
	return n, nil
}

func (s *sm3) Sum(to []byte) []byte {
	last := *s
	pad := make([]byte, 1+(119-s.count%64)%64, 72)
	pad[0] = 0x80
	last.Write(binary.BigEndian.AppendUint64(pad, 8*s.count))
	for _, word := range last.state {
		to = binary.BigEndian.AppendUint32(to, word)
	}
	return to
}

func (s *sm3) compress(block []byte) {
	var w [68]uint32
	for i := range 16 {
		w[i] = binary.BigEndian.Uint32(block[4*i:])
	}
	for i := 16; i < len(w); i++ {
		x := w[i-16] ^ w[i-9] ^ bits.RotateLeft32(w[i-3], 15)
		w[i] = x ^ bits.RotateLeft32(x, 15) ^ bits.RotateLeft32(x, 23) ^ bits.RotateLeft32(w[i-13], 7) ^ w[i-6]
	}
	a, b, c, d, e, f, g, h := s.state[0], s.state[1], s.state[2], s.state[3], s.state[4], s.state[5], s.state[6], s.state[7]
	for i := range 64 {
		t, ff, gg := uint32(0x79cc4519), a^b^c, e^f^g
		if i >= 16 {
			t, ff, gg = 0x7a879d8a, a&b|a&c|b&c, e&f|^e&g
		}
		ss1 := bits.RotateLeft32(bits.RotateLeft32(a, 12)+e+bits.RotateLeft32(t, i%32), 7)
		ss2 := ss1 ^ bits.RotateLeft32(a, 12)
		tt1 := ff + d + ss2 + (w[i] ^ w[i+4])
		tt2 := gg + h + ss1 + w[i]
		a, b, c, d = tt1, a, bits.RotateLeft32(b, 9), c
		e, f, g, h = tt2^bits.RotateLeft32(tt2, 9)^bits.RotateLeft32(tt2, 17), e, bits.RotateLeft32(f, 19), g
	}
	for i, x := range [8]uint32{a, b, c, d, e, f, g, h} {
		s.state[i] ^= x
	}
}
