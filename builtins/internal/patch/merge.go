package patch

import (
	"bytes"
	"fmt"
	"strings"
)

// mergeReach is how many lines around its place a hunk is looked for when it
// has to be merged, and mergeLines the longest hunk that is.
const (
	mergeReach = 500
	mergeLines = 1000
)

// Merge applies a hunk that fits nowhere as it stands: what the file changed
// stays, what both changed becomes a conflict between marks, with the old
// lines in between where diff3 is set. It returns what patch reports and
// whether there was no conflict.
func (t *Target) Merge(h *Hunk, diff3 bool) (report string, clean bool) {
	first, pairs, like := t.align(h)
	var results []string
	clean = true
	kind := ""
	result := func(what string, from, count int) {
		text := ""
		if what != kind {
			text = what + " at "
			kind = what
		}
		text += fmt.Sprint(from)
		if count > 1 {
			text += fmt.Sprintf("-%d", from+count-1)
		}
		results = append(results, text)
	}
	h.unified()
	t.copyTill(first - 1)
	added := 0
	in, o, n := first, 0, 0
	for o < len(h.Old) || n < len(h.New) {
		if o < len(h.Old) && n < len(h.New) && h.Old[o].Mark == ' ' && h.New[n].Mark == ' ' && pairs[o] == in {
			t.copyTill(in)
			in, o, n = in+1, o+1, n+1
			continue
		}
		// A chunk goes to the next line that all three have.
		oEnd, nEnd := o, n
		inEnd := -1
		for oEnd < len(h.Old) || nEnd < len(h.New) {
			if oEnd < len(h.Old) && h.Old[oEnd].Mark == '-' {
				oEnd++
			} else if nEnd < len(h.New) && h.New[nEnd].Mark == '+' {
				nEnd++
			} else if oEnd < len(h.Old) && pairs[oEnd] > 0 {
				inEnd = pairs[oEnd]
				break
			} else {
				oEnd, nEnd = oEnd+1, nEnd+1
			}
		}
		if inEnd < 0 {
			inEnd = in
			for _, p := range pairs[o:] {
				inEnd = max(inEnd, p+1)
			}
			// Where nothing is alike, the line at the hunk's place conflicts.
			if !like && inEnd <= len(t.Lines) {
				inEnd++
			}
		}
		file, old, wanted := t.Lines[in-1:inEnd-1], texts(h.Old[o:oEnd]), texts(h.New[n:nEnd])
		at := in + t.Shift + added
		switch {
		case equal(old, wanted):
			t.copyTill(inEnd - 1)
		case equal(file, wanted):
			t.copyTill(inEnd - 1)
			result("already applied", at, len(wanted))
		case equal(file, old):
			for _, l := range wanted {
				t.put(l)
			}
			t.frozen = inEnd - 1
			added += len(wanted)
			result("merged", at, len(wanted))
		default:
			clean = false
			if !diff3 {
				for len(file) > 0 && len(wanted) > 0 && bytes.Equal(file[0], wanted[0]) {
					t.put(file[0])
					file, wanted, at = file[1:], wanted[1:], at+1
				}
			}
			tail := 0
			for !diff3 && tail < len(file) && tail < len(wanted) && bytes.Equal(file[len(file)-1-tail], wanted[len(wanted)-1-tail]) {
				tail++
			}
			after := file[len(file)-tail:]
			file, wanted = file[:len(file)-tail], wanted[:len(wanted)-tail]
			count := t.conflict(file, old, wanted, diff3)
			for _, l := range after {
				t.put(l)
			}
			t.frozen = inEnd - 1
			added += count - len(file)
			result("NOT MERGED", at, count)
		}
		in, o, n = inEnd, oEnd, nEnd
	}
	t.Shift += added
	return strings.Join(results, ", "), clean
}

func (t *Target) conflict(file, old, wanted [][]byte, diff3 bool) (count int) {
	put := func(mark string, lines [][]byte) {
		t.put([]byte(mark + "\n"))
		for _, l := range lines {
			t.put(l)
		}
		count += 1 + len(lines)
	}
	put("<<<<<<<", file)
	if diff3 {
		put("|||||||", old)
	}
	put("=======", wanted)
	put(">>>>>>>", nil)
	return count
}

func texts(lines []Line) [][]byte {
	all := make([][]byte, len(lines))
	for i, l := range lines {
		all[i] = l.Text
	}
	return all
}

func equal(a, b [][]byte) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

// align finds the stretch of the file that is most like the hunk's old lines:
// its first line, and for each old line the file's line it is, 0 for none. like
// is false where no line is.
func (t *Target) align(h *Hunk) (first int, pairs []int, like bool) {
	pairs = make([]int, len(h.Old))
	guess := max(h.First+t.Offset, t.frozen+1)
	guess = min(guess, len(t.Lines)+1)
	from, to := max(t.frozen, guess-1-mergeReach), min(len(t.Lines), guess-1+len(h.Old)+mergeReach)
	if len(h.Old) > mergeLines || from >= to {
		return guess, pairs, true
	}
	width := to - from + 1
	cost := make([]int32, (len(h.Old)+1)*width)
	for i := 1; i <= len(h.Old); i++ {
		row, above := cost[i*width:(i+1)*width], cost[(i-1)*width:i*width]
		row[0] = int32(i)
		for j := 1; j < width; j++ {
			best := min(row[j-1], above[j]) + 1
			if above[j-1] < best && t.same(t.Lines[from+j-1], h.Old[i-1].Text) {
				best = above[j-1]
			}
			row[j] = best
		}
	}
	end := 0
	last := cost[len(h.Old)*width:]
	distance := func(j int) int {
		d := from + j - (guess - 1 + len(h.Old))
		return max(d, -d)
	}
	for j := 1; j < width; j++ {
		if last[j] < last[end] || last[j] == last[end] && distance(j) < distance(end) {
			end = j
		}
	}
	if int(last[end]) >= len(h.Old) {
		return min(guess, max(len(t.Lines), t.frozen+1)), pairs, false
	}
	i, j := len(h.Old), end
	for i > 0 && j > 0 {
		here := cost[i*width+j]
		switch {
		case cost[(i-1)*width+j-1] == here && t.same(t.Lines[from+j-1], h.Old[i-1].Text):
			pairs[i-1] = from + j
			i, j = i-1, j-1
		case cost[i*width+j-1]+1 == here:
			j--
		default:
			i--
		}
	}
	return from + j + 1, pairs, true
}
