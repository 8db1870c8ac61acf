package deflate

import "io"

const (
	maxSymbols    = 32 << 10
	literals      = 256
	endOfBlock    = 256
	lengthCodes   = 29
	symbolCodes   = literals + 1 + lengthCodes
	distanceCodes = 30
	bitCodes      = 19
	maxBits       = 15
	maxBitBits    = 7

	codeRepeat    = 16 // the last length 3 to 6 times
	codeZeros     = 17 // 3 to 10 zeros
	codeManyZeros = 18 // 11 to 138 zeros
)

var (
	lengthExtra   = [lengthCodes]int{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
	distanceExtra = [distanceCodes]int{0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13}
	bitExtra      = [bitCodes]int{16: 2, 17: 3, 18: 7}
	bitOrder      = [bitCodes]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}
)

// symbol is a literal, or with a distance a match of value+minMatch bytes.
type symbol struct {
	distance uint16
	value    uint8
}

// blocks collects a block's symbols and writes it in the form that is smallest.
type blocks struct {
	w        io.Writer
	err      error
	out      []byte
	bits     uint64
	count    uint
	symbols  []symbol
	matches  int
	literal  tree
	distance tree
	lengths  tree
	some     bool // a block has been written
	mayStore bool
	stored   bool
}

func (b *blocks) init(w io.Writer) {
	b.w = w
	b.symbols = make([]symbol, 0, maxSymbols)
	b.literal.init(symbolCodes, maxBits, literals+1, lengthExtra[:])
	b.distance.init(distanceCodes, maxBits, 0, distanceExtra[:])
	b.lengths.init(bitCodes, maxBitBits, 0, bitExtra[:])
	b.begin()
}

func (b *blocks) begin() {
	b.literal.clear()
	b.distance.clear()
	b.lengths.clear()
	b.literal.nodes[endOfBlock].count = 1
	b.symbols, b.matches = b.symbols[:0], 0
}

// lengthCode is the code of a match of value+minMatch bytes and its first value.
func lengthCode(value int) (code, base int) {
	switch {
	case value == maxMatch-minMatch:
		return lengthCodes - 1, value
	case value < 8:
		return value, value
	}
	extra := 1
	for value >= 8<<extra {
		extra++
	}
	code = 4*extra + value>>extra
	return code, value &^ (1<<extra - 1)
}

// distanceCode is the same of a distance less one.
func distanceCode(d int) (code, base int) {
	if d < 4 {
		return d, d
	}
	extra := 1
	for d >= 4<<extra {
		extra++
	}
	return 2*extra + d>>extra, d &^ (1<<extra - 1)
}

func (b *blocks) add(distance, value int) {
	b.symbols = append(b.symbols, symbol{uint16(distance), uint8(value)})
	if distance == 0 {
		b.literal.nodes[value].count++
		return
	}
	b.matches++
	code, _ := lengthCode(value)
	b.literal.nodes[literals+1+code].count++
	code, _ = distanceCode(distance - 1)
	b.distance.nodes[code].count++
}

// profitable guesses whether the block, of size bytes, had better end here.
func (b *blocks) profitable(size int) bool {
	bits := len(b.symbols) * 8
	for code, extra := range distanceExtra {
		bits += int(b.distance.nodes[code].count) * (5 + extra)
	}
	return b.matches < len(b.symbols)/2 && bits/8 < size/2
}

// write ends the block. text is what it stands for, nil when that is gone.
func (b *blocks) write(text []byte, size int, last bool) {
	b.literal.build(true)
	b.distance.build(true)
	most := b.buildLengths()
	best := (b.literal.size + b.distance.size + b.lengths.size + 3*(most+1) + 5 + 5 + 4 + 3 + 7) / 8
	fixed := (b.literal.fixedSize + b.distance.fixedSize + 3 + 7) / 8
	best = min(best, fixed)
	final := uint64(0)
	if last {
		final = 1
	}
	switch {
	case b.mayStore && last && !b.some && size <= best:
		b.stored = true
		return
	case size+4 <= best && text != nil:
		b.put(final, 3)
		b.align()
		b.put(uint64(size), 16)
		b.put(uint64(^size&0xffff), 16)
		b.out = append(b.out, text...)
	case fixed == best:
		b.put(1<<1|final, 3)
		b.body(fixedLiteral, fixedDistance)
	default:
		b.put(2<<1|final, 3)
		b.trees(most)
		b.body(b.literal.code, b.distance.code)
	}
	b.some = true
	if last {
		b.align()
	}
	b.begin()
	if b.err == nil {
		_, b.err = b.w.Write(b.out)
	}
	b.out = b.out[:0]
}

func (b *blocks) put(value uint64, n uint) {
	b.bits |= value << b.count
	for b.count += n; b.count >= 8; b.count -= 8 {
		b.out = append(b.out, byte(b.bits))
		b.bits >>= 8
	}
}

func (b *blocks) align() {
	if b.count > 0 {
		b.put(0, 8-b.count)
	}
}

// body writes the symbols with the codes of two trees.
func (b *blocks) body(literal, distance func(int) (uint64, uint)) {
	for _, s := range b.symbols {
		if s.distance == 0 {
			b.put(literal(int(s.value)))
			continue
		}
		code, base := lengthCode(int(s.value))
		b.put(literal(literals + 1 + code))
		b.put(uint64(int(s.value)-base), uint(lengthExtra[code]))
		at := int(s.distance) - 1
		code, base = distanceCode(at)
		b.put(distance(code))
		b.put(uint64(at-base), uint(distanceExtra[code]))
	}
	b.put(literal(endOfBlock))
}

// runs calls each for the codes that write the lengths of a tree's codes.
func (t *tree) runs(each func(code int, extra int)) {
	const guard = -2
	length := func(i int) int {
		if i > t.last {
			return guard
		}
		return int(t.nodes[i].bits)
	}
	bounds := func(current, next int) (most, least int) {
		switch next {
		case 0:
			return 138, 3
		case current:
			return 6, 3
		}
		return 7, 4
	}
	previous, next, count := -1, length(0), 0
	most, least := bounds(-1, next)
	for i := 0; i <= t.last; i++ {
		current := next
		next = length(i + 1)
		if count++; count < most && current == next {
			continue
		}
		switch {
		case count < least:
			for range count {
				each(current, 0)
			}
		case current != 0:
			if current != previous {
				each(current, 0)
				count--
			}
			each(codeRepeat, count-3)
		case count <= 10:
			each(codeZeros, count-3)
		default:
			each(codeManyZeros, count-11)
		}
		count, previous = 0, current
		most, least = bounds(current, next)
	}
}

// buildLengths makes the tree for the lengths and returns how many of its own
// are written, less one.
func (b *blocks) buildLengths() int {
	count := func(code, _ int) { b.lengths.nodes[code].count++ }
	b.literal.runs(count)
	b.distance.runs(count)
	b.lengths.build(false)
	most := bitCodes - 1
	for most >= 3 && b.lengths.nodes[bitOrder[most]].bits == 0 {
		most--
	}
	return most
}

// trees writes the lengths of all codes.
func (b *blocks) trees(most int) {
	b.put(uint64(b.literal.last-256), 5)
	b.put(uint64(b.distance.last), 5)
	b.put(uint64(most-3), 4)
	for _, code := range bitOrder[:most+1] {
		b.put(uint64(b.lengths.nodes[code].bits), 3)
	}
	send := func(code, extra int) {
		b.put(b.lengths.code(code))
		b.put(uint64(extra), uint(bitExtra[code]))
	}
	b.literal.runs(send)
	b.distance.runs(send)
}
