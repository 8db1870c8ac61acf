// Package basenc encodes and decodes the alphabets of base64, base32, base16,
// base2 and Z85 block by block, with newlines between the digits ignored.
package basenc

// Decoder turns digits into bytes. What it returns with ok false is what stood
// before the invalid digit.
type Decoder interface {
	// Decode appends the bytes of one more block of digits to out.
	Decode(out, in []byte) (_ []byte, ok bool)
	// Flush ends the input.
	Flush(out []byte) (_ []byte, ok bool)
	// Digit reports whether c belongs to the alphabet.
	Digit(c byte) bool
}

const invalid = 0xff

// groups decodes base64 and base32: groups of 8 or 4 digits, each with its own padding.
type groups struct {
	table   [256]byte
	digits  [256]bool
	bits    uint // of a digit
	size    int  // digits in a group
	pending [8]byte
	count   int
	partial bool // decode what a group cut short holds
	refused string
}

func (g *groups) Digit(c byte) bool { return g.digits[c] }

func (g *groups) Decode(out, in []byte) ([]byte, bool) {
	if g.refused != "" {
		for _, c := range in {
			if c == g.refused[0] || c == g.refused[1] {
				return out, false
			}
		}
	}
	for len(in) > 0 {
		if g.count == 0 && len(in) >= g.size {
			var value uint64
			var all byte
			for _, c := range in[:g.size] {
				d := g.table[c]
				all |= d
				value = value<<g.bits | uint64(d)
			}
			if all != invalid {
				for shift := g.bits*uint(g.size) - 8; ; shift -= 8 {
					out = append(out, byte(value>>shift))
					if shift == 0 {
						break
					}
				}
				in = in[g.size:]
				continue
			}
		}
		if in[0] != '\n' {
			g.pending[g.count] = in[0]
			g.count++
		}
		in = in[1:]
		if g.count == g.size {
			g.count = 0
			var ok bool
			if out, ok = g.group(out, g.pending[:g.size]); !ok {
				return out, false
			}
		}
	}
	return out, true
}

// group decodes digits that may be padded, invalid or too few.
func (g *groups) group(out, in []byte) ([]byte, bool) {
	var value, have uint
	at := 0
	for range int(g.bits) * g.size / 8 {
		if have > 0 && at < len(in) && in[at] == '=' {
			for _, c := range in[at:] {
				if c != '=' {
					return out, false
				}
			}
			return out, len(in) == g.size
		}
		for have < 8 {
			if at == len(in) || g.table[in[at]] == invalid {
				return out, false
			}
			value = value<<g.bits | uint(g.table[in[at]])
			have += g.bits
			at++
		}
		have -= 8
		out = append(out, byte(value>>have))
		value &= 1<<have - 1
	}
	return out, true
}

func (g *groups) Flush(out []byte) ([]byte, bool) {
	if g.count == 0 {
		return out, true
	}
	if !g.partial {
		return out, false
	}
	return g.group(out, g.pending[:g.count])
}

func newGroups(alphabet string, bits uint, size int) *groups {
	g := &groups{bits: bits, size: size}
	for i := range g.table {
		g.table[i] = invalid
	}
	for i := range len(alphabet) {
		g.table[alphabet[i]] = byte(i)
		g.digits[alphabet[i]] = true
	}
	return g
}

// positional decodes the alphabets without padding: n digits of a base make one
// number of so many bytes.
type positional struct {
	table  [256]byte
	base   uint64
	digits int
	bytes  int
	little bool // the first digit is the least
	value  uint64
	weight uint64
	count  int
}

func (p *positional) Digit(c byte) bool { return p.table[c] != invalid }

func (p *positional) Decode(out, in []byte) ([]byte, bool) {
	for _, c := range in {
		if c == '\n' {
			continue
		}
		d := p.table[c]
		if d == invalid {
			return out, false
		}
		if p.little {
			p.value += uint64(d) * p.weight
			p.weight *= p.base
		} else {
			p.value = p.value*p.base + uint64(d)
		}
		if p.count++; p.count < p.digits {
			continue
		}
		if p.value>>(8*p.bytes) != 0 {
			return out, false
		}
		for shift := 8 * (p.bytes - 1); shift >= 0; shift -= 8 {
			out = append(out, byte(p.value>>shift))
		}
		p.value, p.weight, p.count = 0, 1, 0
	}
	return out, true
}

func (p *positional) Flush(out []byte) ([]byte, bool) { return out, p.count == 0 }

func newPositional(alphabet string, digits, bytes int, little bool) *positional {
	p := &positional{base: uint64(len(alphabet)), digits: digits, bytes: bytes, little: little, weight: 1}
	for i := range p.table {
		p.table[i] = invalid
	}
	for i := range len(alphabet) {
		p.table[alphabet[i]] = byte(i)
	}
	return p
}
