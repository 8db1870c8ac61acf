package awk

// random63 is the additive feedback generator of BSD's random(3) with 63 words,
// which gawk takes its numbers from: a seed gives the same ones there and here.
type random63 struct {
	words       [63]uint32
	front, rear int
}

const randomRange = 1 << 31

func (r *random63) seed(x uint32) {
	r.words[0] = x
	for i := 1; i < len(r.words); i++ {
		r.words[i] = nextSeed(r.words[i-1])
	}
	r.front, r.rear = 1, 0
	for range 10 * len(r.words) {
		r.next()
	}
}

// nextSeed is 16807 x mod 2^31-1, kept away from 0.
func nextSeed(x uint32) uint32 {
	n := int64(x%0x7ffffffe) + 1
	n = 16807*(n%127773) - 2836*(n/127773)
	if n < 0 {
		n += 0x7fffffff
	}
	return uint32(n - 1)
}

func (r *random63) next() uint32 {
	r.words[r.front] += r.words[r.rear]
	n := r.words[r.front] >> 1
	r.front = (r.front + 1) % len(r.words)
	r.rear = (r.rear + 1) % len(r.words)
	return n
}

// float is a number from 0 up to 1, of two words as gawk joins them.
func (r *random63) float() float64 {
	for {
		high := float64(r.next())
		low := float64(r.next())
		if n := 0.5 + (high/randomRange+low)/randomRange - 0.5; n != 1 {
			return n
		}
	}
}
