package deflate

import "math/bits"

// node is a code of a tree or, behind those, a joint of it.
type node struct {
	count  uint32
	parent uint16
	bits   uint16
	code   uint16
	depth  uint8
}

// tree is a Huffman code that is built as Gailly's trees are, ties included.
type tree struct {
	nodes     []node
	heap      []int
	codes     int
	most      int // bits of the longest code
	base      int // the first code with extra bits
	extra     []int
	last      int // the largest code that is used
	size      int // bits of all symbols, fixedSize with the fixed codes
	fixedSize int
}

func (t *tree) init(codes, most, base int, extra []int) {
	t.nodes, t.heap = make([]node, 2*codes+1), make([]int, 2*codes+2)
	t.codes, t.most, t.base, t.extra = codes, most, base, extra
}

func (t *tree) clear() {
	clear(t.nodes)
	t.size, t.fixedSize = 0, 0
}

// fixedBits is the length of a code of the fixed trees.
func (t *tree) fixedBits(code int) int {
	if t.codes == distanceCodes {
		return 5
	}
	_, n := fixedLiteral(code)
	return int(n)
}

func (t *tree) extraBits(code int) int {
	if code >= t.base && t.extra != nil {
		return t.extra[code-t.base]
	}
	return 0
}

// smaller orders by count, then by depth.
func (t *tree) smaller(a, b int) bool {
	x, y := &t.nodes[a], &t.nodes[b]
	return x.count < y.count || x.count == y.count && x.depth <= y.depth
}

// sift moves what is at i of the heap of n down to its place.
func (t *tree) sift(i, n int) {
	v := t.heap[i]
	for j := 2 * i; j <= n; j *= 2 {
		if j < n && t.smaller(t.heap[j+1], t.heap[j]) {
			j++
		}
		if t.smaller(v, t.heap[j]) {
			break
		}
		t.heap[i] = t.heap[j]
		i = j
	}
	t.heap[i] = v
}

// build gives the codes their lengths and bits, and counts the sizes.
func (t *tree) build(fixed bool) {
	n := 0
	t.last = -1
	for code := range t.codes {
		if t.nodes[code].count != 0 {
			n++
			t.heap[n], t.last = code, code
			t.nodes[code].depth = 0
		} else {
			t.nodes[code].bits = 0
		}
	}
	// A tree has two codes at least.
	for n < 2 {
		code := 0
		if t.last < 2 {
			t.last++
			code = t.last
		}
		n++
		t.heap[n] = code
		t.nodes[code].count, t.nodes[code].depth = 1, 0
		t.size--
		if fixed {
			t.fixedSize -= t.fixedBits(code)
		}
	}
	for i := n / 2; i >= 1; i-- {
		t.sift(i, n)
	}
	order := make([]int, 0, 2*t.codes+1) // from the rarest to the root
	for joint := t.codes; ; joint++ {
		a := t.heap[1]
		t.heap[1] = t.heap[n]
		n--
		t.sift(1, n)
		b := t.heap[1]
		order = append(order, a, b)
		t.nodes[joint] = node{count: t.nodes[a].count + t.nodes[b].count, depth: max(t.nodes[a].depth, t.nodes[b].depth) + 1}
		t.nodes[a].parent, t.nodes[b].parent = uint16(joint), uint16(joint)
		t.heap[1] = joint
		t.sift(1, n)
		if n < 2 {
			order = append(order, joint)
			break
		}
	}
	t.measure(order, fixed)
	t.assign()
}

// measure finds the length of each code; what would be too long is shortened.
func (t *tree) measure(order []int, fixed bool) {
	var counts [maxBits + 2]int
	overflow := 0
	t.nodes[order[len(order)-1]].bits = 0
	for i := len(order) - 2; i >= 0; i-- {
		code := order[i]
		length := int(t.nodes[t.nodes[code].parent].bits) + 1
		if length > t.most {
			length = t.most
			overflow++
		}
		t.nodes[code].bits = uint16(length)
		if code > t.last {
			continue
		}
		counts[length]++
		t.size += int(t.nodes[code].count) * (length + t.extraBits(code))
		if fixed {
			t.fixedSize += int(t.nodes[code].count) * (t.fixedBits(code) + t.extraBits(code))
		}
	}
	if overflow == 0 {
		return
	}
	for ; overflow > 0; overflow -= 2 {
		length := t.most - 1
		for counts[length] == 0 {
			length--
		}
		counts[length]--
		counts[length+1] += 2
		counts[t.most]--
	}
	at := 0
	for length := t.most; length > 0; length-- {
		for n := counts[length]; n > 0; {
			code := order[at]
			at++
			if code > t.last {
				continue
			}
			if old := int(t.nodes[code].bits); old != length {
				t.size += (length - old) * int(t.nodes[code].count)
				t.nodes[code].bits = uint16(length)
			}
			n--
		}
	}
}

// assign gives the codes of each length their bits in order.
func (t *tree) assign() {
	var counts, next [maxBits + 1]int
	for code := 0; code <= t.last; code++ {
		counts[t.nodes[code].bits]++
	}
	counts[0] = 0
	at := 0
	for length := 1; length <= maxBits; length++ {
		at = (at + counts[length-1]) << 1
		next[length] = at
	}
	for code := 0; code <= t.last; code++ {
		if length := t.nodes[code].bits; length != 0 {
			t.nodes[code].code = reversed(next[length], uint(length))
			next[length]++
		}
	}
}

func reversed(code int, n uint) uint16 { return bits.Reverse16(uint16(code)) >> (16 - n) }

func (t *tree) code(code int) (uint64, uint) {
	n := &t.nodes[code]
	return uint64(n.code), uint(n.bits)
}

// The fixed trees.
func fixedLiteral(code int) (uint64, uint) {
	switch {
	case code < 144:
		return uint64(reversed(0x30+code, 8)), 8
	case code < 256:
		return uint64(reversed(0x190+code-144, 9)), 9
	case code < 280:
		return uint64(reversed(code-256, 7)), 7
	}
	return uint64(reversed(0xc0+code-280, 8)), 8
}

func fixedDistance(code int) (uint64, uint) { return uint64(reversed(code, 5)), 5 }
