package awk

// generator makes gawk's random numbers, so that a seed gives the same ones
// here: BSD's random(3), an additive feedback generator of 63 words, whose
// output a Bays-Durham shuffle of 512 entries mixes.
type generator struct {
	words       [63]uint32
	front, rear int
	shuffled    [512]uint32
	last        uint32
}

const randomRange = 1 << 31

func (g *generator) seed(x uint32) {
	g.words[0] = x
	for i := 1; i < len(g.words); i++ {
		g.words[i] = nextSeed(g.words[i-1])
	}
	g.front, g.rear = 1, 0
	for i := range g.shuffled {
		g.shuffled[i] = g.feedback()
	}
	g.last = g.feedback()
	for range 10 * len(g.words) {
		g.next()
	}
}

// nextSeed is 16807 x mod 2^31-1, in words of 32 bits with a sign.
func nextSeed(x uint32) uint32 {
	n := int32(x)
	if n == 0 {
		n = 123459876
	}
	if n = 16807*(n%127773) - 2836*(n/127773); n < 0 {
		n += 0x7fffffff
	}
	return uint32(n)
}

func (g *generator) feedback() uint32 {
	g.words[g.front] += g.words[g.rear]
	n := g.words[g.front] >> 1
	g.front = (g.front + 1) % len(g.words)
	g.rear = (g.rear + 1) % len(g.words)
	return n
}

func (g *generator) next() uint32 {
	fresh := g.feedback()
	slot := &g.shuffled[g.last%uint32(len(g.shuffled))]
	g.last, *slot = *slot, fresh
	return g.last
}

// float is a number from 0 up to 1, of two words as gawk joins them.
func (g *generator) float() float64 {
	for {
		low := float64(g.next())
		high := float64(g.next())
		if n := 0.5 + (low/randomRange+high)/randomRange - 0.5; n != 1 {
			return n
		}
	}
}
