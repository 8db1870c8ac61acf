// Package deflate compresses as gzip 1.12 and zip 3.0 do, bit for bit: the same
// matches are found and the same blocks made, so that sizes are theirs.
package deflate

import "io"

const (
	windowSize   = 32 << 10
	windowMask   = windowSize - 1
	hashBits     = 15
	hashSize     = 1 << hashBits
	hashMask     = hashSize - 1
	hashShift    = 5
	minMatch     = 3
	maxMatch     = 258
	minLookahead = maxMatch + minMatch + 1
	maxDistance  = windowSize - minLookahead
	tooFar       = 4096
)

// effort is how hard a level looks for matches.
type effort struct {
	good, lazy, nice, chain int
}

var efforts = [10]effort{
	1: {4, 4, 8, 4}, 2: {4, 5, 16, 8}, 3: {4, 6, 32, 32}, 4: {4, 4, 16, 16}, 5: {8, 16, 32, 32},
	6: {8, 16, 128, 128}, 7: {8, 32, 128, 256}, 8: {32, 128, 258, 1024}, 9: {32, 258, 258, 4096},
}

// Writer compresses what is written to it.
type Writer struct {
	blocks
	effort effort
	level  int
	window [2 * windowSize]byte
	head   [hashSize]uint16
	prev   [windowSize]uint16

	hash                 int
	start, ahead         int // of the string to match, and how many bytes are there
	block                int // where the block starts in window, negative when gone
	length, match        int // of the last match
	before, beforeAt     int // of the one before it
	available, end, done bool
}

// NewWriter compresses to w at level 1 to 9.
func NewWriter(w io.Writer, level int) *Writer {
	d := &Writer{effort: efforts[level], level: level}
	d.blocks.init(w)
	d.length, d.before = minMatch-1, minMatch-1
	if level <= 3 {
		d.length = 0
	}
	return d
}

// StoreSmall lets Close write nothing where one stored copy would be as small;
// Stored tells afterwards whether that was so.
func (d *Writer) StoreSmall()  { d.mayStore = true }
func (d *Writer) Stored() bool { return d.stored }

func (d *Writer) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 && d.err == nil {
		taken := d.fill(p)
		p = p[taken:]
		d.run()
	}
	return n - len(p), d.err
}

// Close writes what is left and the last block. It does not close w.
func (d *Writer) Close() error {
	if d.done {
		return d.err
	}
	d.done, d.end = true, true
	at := d.start + d.ahead
	clear(d.window[at:min(at+minMatch-1, len(d.window))])
	d.run()
	if d.available {
		d.tally(0, int(d.window[d.start-1]))
	}
	d.flush(true)
	return d.err
}

// fill takes what fits into the window, which moves on when it must.
func (d *Writer) fill(p []byte) int {
	if d.start >= windowSize+maxDistance {
		copy(d.window[:windowSize], d.window[windowSize:])
		d.match -= windowSize
		d.start -= windowSize
		d.block -= windowSize
		for _, table := range [...][]uint16{d.head[:], d.prev[:]} {
			for i, at := range table {
				table[i] = max(at, windowSize) - windowSize
			}
		}
	}
	first := d.start == 0 && d.ahead < 2
	n := copy(d.window[d.start+d.ahead:], p)
	d.ahead += n
	if first && d.ahead >= 2 {
		d.hash = (int(d.window[0])<<hashShift ^ int(d.window[1])) & hashMask
	}
	return n
}

// insert notes the string at a place and returns the last one like it.
func (d *Writer) insert(at int) int {
	d.hash = (d.hash<<hashShift ^ int(d.window[min(at+2, len(d.window)-1)])) & hashMask
	last := int(d.head[d.hash])
	d.prev[at&windowMask] = uint16(last)
	d.head[d.hash] = uint16(at)
	return last
}

// run compresses while there is enough to look ahead at.
func (d *Writer) run() {
	for d.err == nil && d.ahead > 0 && (d.ahead >= minLookahead || d.end) {
		if d.level <= 3 {
			d.greedy()
		} else {
			d.lazy()
		}
	}
}

func (d *Writer) matchable(last int) bool {
	return last != 0 && d.start-last <= maxDistance && d.start <= 2*windowSize-minLookahead
}

// greedy takes the first match.
func (d *Writer) greedy() {
	if last := d.insert(d.start); d.matchable(last) {
		d.length = min(d.longest(last), d.ahead)
	}
	full := false
	if d.length >= minMatch {
		full = d.tally(d.start-d.match, d.length-minMatch)
		d.ahead -= d.length
		if d.length <= d.effort.lazy {
			for n := d.length - 1; n > 0; n-- {
				d.start++
				d.insert(d.start)
			}
			d.start++
		} else {
			d.start += d.length
			if d.start+1 < len(d.window) {
				d.hash = (int(d.window[d.start])<<hashShift ^ int(d.window[d.start+1])) & hashMask
			}
		}
		d.length = 0
	} else {
		full = d.tally(0, int(d.window[d.start]))
		d.ahead--
		d.start++
	}
	if full {
		d.flush(false)
	}
}

// lazy takes a match only when the next place has no longer one.
func (d *Writer) lazy() {
	last := d.insert(d.start)
	d.before, d.beforeAt = d.length, d.match
	d.length = minMatch - 1
	if d.before < d.effort.lazy && d.matchable(last) {
		d.length = min(d.longest(last), d.ahead)
		if d.length == minMatch && d.start-d.match > tooFar {
			d.length--
		}
	}
	switch {
	case d.before >= minMatch && d.length <= d.before:
		full := d.tally(d.start-1-d.beforeAt, d.before-minMatch)
		d.ahead -= d.before - 1
		for n := d.before - 2; n > 0; n-- {
			d.start++
			d.insert(d.start)
		}
		d.available = false
		d.length = minMatch - 1
		d.start++
		if full {
			d.flush(false)
		}
	case d.available:
		if d.tally(0, int(d.window[d.start-1])) {
			d.flush(false)
		}
		d.start++
		d.ahead--
	default:
		d.available = true
		d.start++
		d.ahead--
	}
}

// longest is the length of the best match from the chain that starts at cur.
func (d *Writer) longest(cur int) int {
	chain, best := d.effort.chain, d.before
	limit := max(d.start-maxDistance, 0)
	scan := d.window[d.start : d.start+maxMatch]
	if d.before >= d.effort.good {
		chain >>= 2
	}
	for {
		other := d.window[cur : cur+maxMatch]
		if other[best] == scan[best] && other[best-1] == scan[best-1] && other[0] == scan[0] && other[1] == scan[1] {
			n := 2
			for n < maxMatch && other[n] == scan[n] {
				n++
			}
			if n > best {
				d.match, best = cur, n
				if n >= d.effort.nice {
					break
				}
			}
		}
		cur = int(d.prev[cur&windowMask])
		if chain--; cur <= limit || chain == 0 {
			break
		}
	}
	return best
}

// tally adds a literal (distance 0) or a match to the block; true: it is full.
func (d *Writer) tally(distance, value int) bool {
	d.add(distance, value)
	if d.level > 2 && len(d.symbols)&0xfff == 0 && d.profitable(d.start-d.block) {
		return true
	}
	return len(d.symbols) == maxSymbols-1 || d.matches == maxSymbols
}

// flush writes the block up to start.
func (d *Writer) flush(last bool) {
	var text []byte
	if d.block >= 0 {
		text = d.window[d.block:d.start]
	}
	d.write(text, d.start-d.block, last)
	d.block = d.start
}
