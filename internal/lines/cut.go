package lines

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// Cut keeps the first and the last half of what is written to it, at most
// Limit bytes with the marker that stands for the middle. Not safe for
// concurrent use.
type Cut struct {
	limit   int
	charger Charger
	head    []byte // the first limit bytes
	tail    []byte // a ring of the last limit/2+utf8.UTFMax bytes after head
	next    int
	total   int64
	newline int64
	charged int64
}

// NewCut keeps limit bytes; a negative limit keeps everything, charged to
// charger (which may be nil).
func NewCut(limit int, charger Charger) *Cut { return &Cut{limit: limit, charger: charger} }

// Write never fails with a limit; without one it fails when the charger does.
func (c *Cut) Write(p []byte) (int, error) {
	n := len(p)
	if c.limit < 0 {
		if free := cap(c.head) - len(c.head); n > free && c.charger != nil {
			grow := int64(max(n-free, cap(c.head)))
			if err := c.charger.Charge(grow); err != nil {
				return 0, err
			}
			c.charged += grow
			grown := make([]byte, len(c.head), int64(cap(c.head))+grow)
			copy(grown, c.head)
			c.head = grown
		}
		c.head = append(c.head, p...)
		c.total += int64(n)
		return n, nil
	}
	c.total += int64(n)
	c.newline += int64(bytes.Count(p, []byte{'\n'}))
	if room := c.limit - len(c.head); room > 0 {
		k := min(room, len(p))
		c.head = append(c.head, p[:k]...)
		p = p[k:]
	}
	size := c.limit/2 + utf8.UTFMax
	if len(p) > size {
		p = p[len(p)-size:]
	}
	if len(p) > 0 && c.tail == nil {
		c.tail = make([]byte, 0, size)
	}
	if k := min(size-len(c.tail), len(p)); k > 0 {
		c.tail = append(c.tail, p[:k]...)
		p = p[k:]
	}
	for len(p) > 0 {
		k := copy(c.tail[c.next:], p)
		c.next = (c.next + k) % size
		p = p[k:]
	}
	return n, nil
}

// Release gives the charge back.
func (c *Cut) Release() {
	if c.charger != nil {
		c.charger.Release(c.charged)
	}
	c.charged = 0
}

// String is what is kept. CutBytes and CutLines are what is gone from it:
// bytes, and the newlines among them; both 0 when nothing is.
func (c *Cut) String() (text string, cutBytes, cutLines int64) {
	if c.limit < 0 || c.total <= int64(c.limit) {
		return string(c.head), 0, 0
	}
	last := append(append([]byte(nil), c.tail[c.next:]...), c.tail[:c.next]...)
	if len(last) < c.limit/2+utf8.UTFMax {
		need := c.limit/2 + utf8.UTFMax - len(last)
		last = append(append([]byte(nil), c.head[max(0, len(c.head)-need):]...), last...)
	}
	// The marker's length depends on the figures in it, and they on it: two
	// rounds settle the digits, a third never grows.
	marker, keep := "", c.limit
	var first, end []byte
	for range 4 {
		first = trimEnd(c.head[:min(keep-keep/2, len(c.head))], c.head)
		end = trimStart(last, keep/2)
		cutBytes = c.total - int64(len(first)+len(end))
		cutLines = c.newline - int64(bytes.Count(first, []byte{'\n'})+bytes.Count(end, []byte{'\n'}))
		m := fmt.Sprintf("\n[... %d bytes, %d lines cut ...]\n", cutBytes, cutLines)
		if len(m) >= c.limit {
			marker, keep = "", c.limit
			continue
		}
		if len(m)+len(first)+len(end) <= c.limit && marker != "" {
			marker = m
			break
		}
		marker, keep = m, c.limit-len(m)-1
	}
	return string(first) + marker + string(end), cutBytes, cutLines
}

// trimEnd shortens cut, a prefix of whole, so that no rune is split.
func trimEnd(cut, whole []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(cut); i++ {
		start := len(cut) - i
		if utf8.RuneStart(cut[start]) {
			// What whole lacks of a character has been cut off.
			if r, n := utf8.DecodeRune(whole[start:]); r != utf8.RuneError && n > i || !utf8.FullRune(whole[start:]) {
				return cut[:start]
			}
			return cut
		}
	}
	return cut
}

// trimStart is the last n bytes of whole, fewer where they would start inside a
// rune; stray continuation bytes are kept.
func trimStart(whole []byte, n int) []byte {
	start := max(0, len(whole)-n)
	for back := start; back >= 0 && back > start-utf8.UTFMax; back-- {
		if back < len(whole) && utf8.RuneStart(whole[back]) {
			if r, n := utf8.DecodeRune(whole[back:]); back < start && r != utf8.RuneError && back+n > start {
				return whole[back+n:]
			}
			break
		}
	}
	return whole[start:]
}
