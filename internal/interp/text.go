package interp

import "unsafe"

// text is a string that its owner may grow in place: the spare bytes behind s
// belong to this text alone, so strings cut from it never change. A copy of a
// text must go through shared, which gives the spare bytes up.
type text struct {
	s     string
	spare int
}

// shared is the text for a second owner.
func (t text) shared() text { return text{s: t.s} }

// size is the memory the text holds.
func (t text) size() int64 { return int64(len(t.s) + t.spare) }

// appended is t with more behind it, in amortised constant time. room says how
// many bytes beyond t's own the result will need to allocate (0: it fits).
func (t text) room(add int) int {
	if add <= t.spare {
		return 0
	}
	need := len(t.s) + add
	return need + need/2
}

// grow appends add, allocating room bytes (what room said) when that is not 0.
func (t text) grow(add string, room int) text {
	n := len(t.s)
	if room == 0 {
		buffer := unsafe.Slice(unsafe.StringData(t.s), n+t.spare)
		copy(buffer[n:], add)
		return text{s: unsafe.String(unsafe.StringData(t.s), n+len(add)), spare: t.spare - len(add)}
	}
	buffer := make([]byte, room)
	copy(buffer, t.s)
	copy(buffer[n:], add)
	return text{s: unsafe.String(unsafe.SliceData(buffer), n+len(add)), spare: room - n - len(add)}
}
