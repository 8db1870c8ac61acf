package regex

import "slices"

// leftmostStart finds where the first match of text[from:] starts by running
// all starts at once, each instruction keeping the earliest start that reached
// it. It is slower a byte than the automaton but never reads one twice.
func leftmostStart(a *automaton, text []byte, from int) int {
	type thread struct {
		pc    int32
		start int
	}
	p := a.program
	var core, next []thread
	best := -1
	flags := a.contextBefore(text, from)
	one := make([]int32, 1)
	for i := from; ; {
		if (i-from)&0xfff == 0 && a.context.Err() != nil {
			return -1
		}
		r, n := rune(-1), 0
		if i < len(text) {
			r, n = p.decode(text, i)
		}
		if best < 0 {
			core = append(core, thread{p.start, i})
		}
		slices.SortStableFunc(core, func(x, y thread) int { return x.start - y.start })
		next = next[:0]
		reached := map[int32]bool{}
		for _, t := range core {
			if best >= 0 && t.start >= best {
				break
			}
			one[0] = t.pc
			if a.closure(one, flags, r) {
				best = t.start
				break
			}
			if n == 0 {
				continue
			}
			for _, pc := range a.consume(r) {
				if !reached[pc] {
					reached[pc] = true
					next = append(next, thread{pc, t.start})
				}
			}
		}
		core, next = next, core
		if n == 0 || best >= 0 && len(core) == 0 {
			return best
		}
		flags = a.contextAfter(r)
		i += n
	}
}
