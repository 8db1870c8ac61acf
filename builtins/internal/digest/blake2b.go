// Package digest holds the checksums that Go's standard library lacks.
package digest

import (
	"encoding/binary"
	"hash"
	"math/bits"
)

// blake2b is BLAKE2b (RFC 7693) without a key.
type blake2b struct {
	state [8]uint64
	count uint64 // bytes compressed; 64 bits are enough for any input
	block [128]byte
	used  int
	size  int
}

// NewBLAKE2b makes a hash of size bytes, 1 to 64.
func NewBLAKE2b(size int) hash.Hash {
	b := &blake2b{size: size}
	b.Reset()
	return b
}

var blake2bIV = [8]uint64{
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
}

// blake2bSigma is the message schedule; rounds 10 and 11 repeat 0 and 1.
var blake2bSigma = [10][16]byte{
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	{14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
	{11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
	{7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
	{9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
	{2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
	{12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
	{13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
	{6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
	{10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
}

func (b *blake2b) Size() int      { return b.size }
func (b *blake2b) BlockSize() int { return len(b.block) }

func (b *blake2b) Reset() {
	b.state, b.count, b.used = blake2bIV, 0, 0
	b.state[0] ^= 0x01010000 ^ uint64(b.size)
}

// Write keeps the last block back: Sum compresses it with the final flag.
func (b *blake2b) Write(p []byte) (int, error) {
	n := len(p)
	if b.used > 0 && b.used+len(p) > len(b.block) {
		k := copy(b.block[b.used:], p)
		b.compress(b.block[:], len(b.block), false)
		b.used, p = 0, p[k:]
	}
	for len(p) > len(b.block) {
		b.compress(p[:len(b.block)], len(b.block), false)
		p = p[len(b.block):]
	}
	b.used += copy(b.block[b.used:], p)
	return n, nil
}

func (b *blake2b) Sum(to []byte) []byte {
	last := *b
	clear(last.block[last.used:])
	last.compress(last.block[:], last.used, true)
	var out [64]byte
	for i, word := range last.state {
		binary.LittleEndian.PutUint64(out[8*i:], word)
	}
	return append(to, out[:b.size]...)
}

func (b *blake2b) compress(block []byte, length int, final bool) {
	b.count += uint64(length)
	var m, v [16]uint64
	for i := range m {
		m[i] = binary.LittleEndian.Uint64(block[8*i:])
	}
	copy(v[:8], b.state[:])
	copy(v[8:], blake2bIV[:])
	v[12] ^= b.count
	if final {
		v[14] = ^v[14]
	}
	for round := range 12 {
		s := &blake2bSigma[round%10]
		blake2bMix(&v[0], &v[4], &v[8], &v[12], m[s[0]], m[s[1]])
		blake2bMix(&v[1], &v[5], &v[9], &v[13], m[s[2]], m[s[3]])
		blake2bMix(&v[2], &v[6], &v[10], &v[14], m[s[4]], m[s[5]])
		blake2bMix(&v[3], &v[7], &v[11], &v[15], m[s[6]], m[s[7]])
		blake2bMix(&v[0], &v[5], &v[10], &v[15], m[s[8]], m[s[9]])
		blake2bMix(&v[1], &v[6], &v[11], &v[12], m[s[10]], m[s[11]])
		blake2bMix(&v[2], &v[7], &v[8], &v[13], m[s[12]], m[s[13]])
		blake2bMix(&v[3], &v[4], &v[9], &v[14], m[s[14]], m[s[15]])
	}
	for i := range b.state {
		b.state[i] ^= v[i] ^ v[i+8]
	}
}

func blake2bMix(a, b, c, d *uint64, x, y uint64) {
	*a += *b + x
	*d = bits.RotateLeft64(*d^*a, -32)
	*c += *d
	*b = bits.RotateLeft64(*b^*c, -24)
	*a += *b + y
	*d = bits.RotateLeft64(*d^*a, -16)
	*c += *d
	*b = bits.RotateLeft64(*b^*c, -63)
}
