package basenc

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
)

// Encoding is one of the alphabets.
type Encoding struct {
	// Unit is how many bytes make whole digits: blocks but the last are
	// multiples of it. Strict asks that of the last one too.
	Unit   int
	Strict bool
	// Encode appends the digits of a block.
	Encode  func(out, in []byte) []byte
	Decoder func() Decoder
}

const (
	upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lower = "abcdefghijklmnopqrstuvwxyz"
	ten   = "0123456789"
	z85   = ten + lower + upper + ".-:+=^!/*?&<>()[]{}@%$#"
)

// ByName is the encoding of basenc's option --NAME, nil for any other name.
func ByName(name string) *Encoding {
	switch name {
	case "base64":
		return &Encoding{Unit: 3, Encode: base64.StdEncoding.AppendEncode, Decoder: func() Decoder {
			g := newGroups(upper+lower+ten+"+/", 6, 4)
			g.partial = true
			return g
		}}
	case "base64url":
		return &Encoding{Unit: 3, Encode: base64.URLEncoding.AppendEncode, Decoder: func() Decoder {
			g := newGroups(upper+lower+ten+"-_", 6, 4)
			g.partial, g.refused = true, "+/"
			return g
		}}
	case "base32":
		return &Encoding{Unit: 5, Encode: base32.StdEncoding.AppendEncode, Decoder: func() Decoder { return newGroups(upper+"234567", 5, 8) }}
	case "base32hex":
		return &Encoding{Unit: 5, Encode: base32.HexEncoding.AppendEncode, Decoder: func() Decoder {
			g := newGroups(ten+upper[:22], 5, 8)
			// GNU's decoder lets the rest of base32's letters through.
			for c := byte('W'); c <= 'Z'; c++ {
				g.table[c] = c - 'A'
			}
			return g
		}}
	case "base16":
		return &Encoding{Unit: 1, Encode: appendHex, Decoder: func() Decoder { return newPositional(ten+upper[:6], 2, 1, false) }}
	case "base2msbf":
		return &Encoding{Unit: 1, Encode: func(out, in []byte) []byte { return appendBits(out, in, 7) }, Decoder: func() Decoder { return newPositional("01", 8, 1, false) }}
	case "base2lsbf":
		return &Encoding{Unit: 1, Encode: func(out, in []byte) []byte { return appendBits(out, in, 0) }, Decoder: func() Decoder { return newPositional("01", 8, 1, true) }}
	case "z85":
		return &Encoding{Unit: 4, Strict: true, Encode: appendZ85, Decoder: func() Decoder { return newPositional(z85, 5, 4, false) }}
	}
	return nil
}

func appendHex(out, in []byte) []byte {
	start := len(out)
	out = hex.AppendEncode(out, in)
	for i, c := range out[start:] {
		if c >= 'a' {
			out[start+i] = c - 'a' + 'A'
		}
	}
	return out
}

// appendBits writes each byte's bits, from bit first on.
func appendBits(out, in []byte, first int) []byte {
	for _, b := range in {
		for i := range 8 {
			out = append(out, '0'+b>>(i^first)&1)
		}
	}
	return out
}

func appendZ85(out, in []byte) []byte {
	for ; len(in) >= 4; in = in[4:] {
		n := binary.BigEndian.Uint32(in)
		for _, weight := range [5]uint32{85 * 85 * 85 * 85, 85 * 85 * 85, 85 * 85, 85, 1} {
			out = append(out, z85[n/weight%85])
		}
	}
	return out
}
