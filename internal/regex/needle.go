package regex

import (
	"bytes"
)

// needle finds one literal by its rarest byte: a call of bytes.IndexByte skips
// faster than anything that looks at more bytes, as long as it skips far.
type needle struct {
	literal []byte // lower case where fold
	fold    bool
	rare    int // index of the rarest byte
	check   int // and of the next rarest, looked at before all others
	// lower and upper are where the rare byte's two cases stand next; behind
	// the position at hand where that is not known, -1 for nowhere.
	lower, upper int
	// missed counts rare bytes that were no occurrence, skipped the bytes
	// that they were found in.
	missed, skipped int
}

// choose picks the bytes to look for by how common each byte is.
func (n *needle) choose(common *[256]uint32) {
	rank := func(i int) uint32 {
		c := n.literal[i]
		if up := upperByte(c); n.fold && up != c {
			return common[c] + common[up] + 1
		}
		return common[c]
	}
	n.rare, n.check = 0, len(n.literal)-1
	for i := range n.literal {
		if rank(i) < rank(n.rare) {
			n.rare = i
		}
	}
	for i := range n.literal {
		if i != n.rare && (n.check == n.rare || rank(i) < rank(n.check)) {
			n.check = i
		}
	}
	n.missed, n.skipped = 0, 0
}

// reset forgets what is known of the text before.
func (n *needle) reset() { n.lower, n.upper = -2, -2 }

// index finds the first occurrence at from or later, or -1. Between resets
// calls go forward in one text.
func (n *needle) index(text []byte, from int) int {
	if n.fold {
		return n.indexFold(text, from)
	}
	size := len(n.literal)
	c, d, delta := n.literal[n.rare], n.literal[n.check], n.check-n.rare
	last := len(text) - size + n.rare
	for at := from + n.rare; at <= last; at++ {
		i := bytes.IndexByte(text[at:last+1], c)
		if i < 0 {
			n.skipped += last - at
			return -1
		}
		n.skipped += i
		at += i
		if text[at+delta] == d && string(text[at-n.rare:at-n.rare+size]) == string(n.literal) {
			return at - n.rare
		}
		n.missed++
	}
	return -1
}

func (n *needle) indexFold(text []byte, from int) int {
	size := len(n.literal)
	low := n.literal[n.rare]
	up := upperByte(low)
	d, delta := n.literal[n.check], n.check-n.rare
	upD := upperByte(d)
	last := len(text) - size + n.rare
	for at := from + n.rare; at <= last; {
		if n.lower != -1 && n.lower < at {
			if n.lower = bytes.IndexByte(text[at:last+1], low); n.lower >= 0 {
				n.lower += at
			}
		}
		next := n.lower
		if up != low {
			if n.upper != -1 && n.upper < at {
				if n.upper = bytes.IndexByte(text[at:last+1], up); n.upper >= 0 {
					n.upper += at
				}
			}
			if n.upper >= 0 && (next < 0 || n.upper < next) {
				next = n.upper
			}
		}
		if next < 0 {
			n.skipped += last - at
			return -1
		}
		n.skipped += next - at
		if c := text[next+delta]; (c == d || c == upD) && equalFoldASCII(text[next-n.rare:next-n.rare+size], n.literal) {
			return next - n.rare
		}
		n.missed++
		at = next + 1
	}
	return -1
}

// tooMany reports that the rare byte is not rare at all.
func (n *needle) tooMany() bool { return n.missed > 64 && n.skipped/n.missed < 64 }

const (
	// sampleSize is how much of a text is looked at to see which bytes are common.
	sampleSize = 4 << 10
	// maximumSamples bounds how often texts prove unlike the ones before.
	maximumSamples = 64
)

// sample counts the bytes of the middle of a text; where they do not tell two
// apart the general order does.
func sample(text []byte) *[256]uint32 {
	var common [256]uint32
	for i := range len(byteOrder) {
		common[byteOrder[i]] = uint32(len(byteOrder) - i)
	}
	if len(text) > sampleSize {
		start := (len(text) - sampleSize) / 2
		text = text[start : start+sampleSize]
	}
	for _, c := range text {
		common[c] += 64
	}
	return &common
}
