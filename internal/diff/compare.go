// Package diff finds the edits between two sequences of lines as GNU diff does:
// the same hunks, by the same order of choices (Myers' O(ND) algorithm from both
// ends, lines without a partner set aside first, runs of changes slid to where
// they merge).
package diff

import "context"

// Edit replaces the lines A..A+ALen of the first sequence by B..B+BLen of the
// second.
type Edit struct{ A, ALen, B, BLen int }

// Options choose how hard to look.
type Options struct {
	// Minimal looks for the smallest set of edits at any cost (diff -d).
	Minimal bool
	// Horizon keeps that many lines of the common prefix and suffix in the
	// comparison; GNU diff uses the number of context lines.
	Horizon int
}

// Compare returns the edits from a to b in order. Lines are given as the
// numbers of their equivalence classes: equal numbers are equal lines. It fails
// only with ctx.
func Compare(ctx context.Context, a, b []int32, options Options) ([]Edit, error) {
	prefix := 0
	for prefix < len(a) && prefix < len(b) && a[prefix] == b[prefix] {
		prefix++
	}
	suffix := 0
	for suffix < len(a)-prefix && suffix < len(b)-prefix && a[len(a)-1-suffix] == b[len(b)-1-suffix] {
		suffix++
	}
	if prefix == len(a) && prefix == len(b) {
		return nil, nil
	}
	prefix = max(0, prefix-options.Horizon)
	suffix = max(0, suffix-options.Horizon)
	files := [2]*file{newFile(a[prefix : len(a)-suffix]), newFile(b[prefix : len(b)-suffix])}
	discard(files, options.Minimal)
	c := &comparison{ctx: ctx, files: files}
	if err := c.run(options.Minimal); err != nil {
		return nil, err
	}
	shiftBoundaries(files)
	return script(files, prefix), nil
}

// file is one sequence; changed has a false sentinel at both ends, so line i is
// changed[i+1].
type file struct {
	lines   []int32
	changed []bool
	kept    []int32 // classes of the lines that take part
	real    []int   // their places in lines
}

func newFile(lines []int32) *file {
	return &file{lines: lines, changed: make([]bool, len(lines)+2)}
}

// discard sets aside lines that have no partner in the other file, and lines
// with very many partners that stand among such: they would only confuse.
func discard(files [2]*file, minimal bool) {
	counts := [2]map[int32]int{}
	for f := range files {
		counts[f] = make(map[int32]int, len(files[f].lines))
		for _, class := range files[f].lines {
			counts[f][class]++
		}
	}
	for f, file := range files {
		marks := markConfusing(file.lines, counts[1-f])
		cancelProvisional(marks)
		for i, class := range file.lines {
			if minimal || marks[i] == 0 {
				file.kept = append(file.kept, class)
				file.real = append(file.real, i)
			} else {
				file.changed[i+1] = true
			}
		}
	}
}

const (
	keep        = 0
	noPartner   = 1
	provisional = 2
)

func markConfusing(lines []int32, others map[int32]int) []byte {
	many := 5
	for tem := len(lines) / 64 >> 2; tem > 0; tem >>= 2 {
		many *= 2
	}
	marks := make([]byte, len(lines))
	for i, class := range lines {
		switch n := others[class]; {
		case n == 0:
			marks[i] = noPartner
		case n > many:
			marks[i] = provisional
		}
	}
	return marks
}

// cancelProvisional leaves provisional marks only inside runs of marked lines
// that begin and end with lines without a partner, and only where those
// dominate.
func cancelProvisional(marks []byte) {
	for i := 0; i < len(marks); i++ {
		if marks[i] == provisional {
			marks[i] = keep
			continue
		}
		if marks[i] == keep {
			continue
		}
		j, count := i, 0
		for ; j < len(marks) && marks[j] != keep; j++ {
			if marks[j] == provisional {
				count++
			}
		}
		for j > i && marks[j-1] == provisional {
			j--
			marks[j] = keep
			count--
		}
		length := j - i
		run := marks[i:j]
		if count*4 > length {
			for k := range run {
				if run[k] == provisional {
					run[k] = keep
				}
			}
			continue
		}
		cancelSubruns(run)
		cancelEdge(run, 0, 1)
		cancelEdge(run, length-1, -1)
		i += length - 1
	}
}

// cancelSubruns cancels provisional marks that stand many in a row.
func cancelSubruns(run []byte) {
	minimum := 1
	for tem := len(run) >> 2 >> 2; tem > 0; tem >>= 2 {
		minimum <<= 1
	}
	minimum++
	consecutive := 0
	for j := 0; j < len(run); j++ {
		if run[j] != provisional {
			consecutive = 0
			continue
		}
		consecutive++
		if consecutive == minimum {
			j -= consecutive
		} else if consecutive > minimum {
			run[j] = keep
		}
	}
}

// cancelEdge cancels provisional marks from one end until three lines in a row,
// or one at least eight lines in, have no partner.
func cancelEdge(run []byte, from, step int) {
	consecutive := 0
	for n := range run {
		j := from + n*step
		if n >= 8 && run[j] == noPartner {
			return
		}
		switch run[j] {
		case provisional:
			consecutive = 0
			run[j] = keep
		case keep:
			consecutive = 0
		default:
			consecutive++
		}
		if consecutive == 3 {
			return
		}
	}
}

// shiftBoundaries slides each run of changes as far as it goes, back and then
// forward, merging it with its neighbours, and then back to where the other
// file has a run.
func shiftBoundaries(files [2]*file) {
	for f, file := range files {
		changed, other, lines := file.changed, files[1-f].changed, file.lines
		i, j, end := 0, 0, len(lines)
		for {
			for i < end && !changed[i+1] {
				for other[j+1] {
					j++
				}
				j++
				i++
			}
			if i == end {
				break
			}
			start := i
			for i++; changed[i+1]; i++ {
			}
			for other[j+1] {
				j++
			}
			corresponding := end
			for {
				length := i - start
				for start > 0 && lines[start-1] == lines[i-1] {
					start--
					changed[start+1] = true
					i--
					changed[i+1] = false
					for changed[start] {
						start--
					}
					for j--; other[j+1]; j-- {
					}
				}
				corresponding = end
				if other[j] {
					corresponding = i
				}
				for i != end && lines[start] == lines[i] {
					changed[start+1] = false
					start++
					changed[i+1] = true
					i++
					for changed[i+1] {
						i++
					}
					for j++; other[j+1]; j++ {
						corresponding = i
					}
				}
				if length == i-start {
					break
				}
			}
			for corresponding < i {
				start--
				changed[start+1] = true
				i--
				changed[i+1] = false
				for j--; other[j+1]; j-- {
				}
			}
		}
	}
}

func script(files [2]*file, offset int) []Edit {
	var edits []Edit
	a, b := files[0].changed, files[1].changed
	i, j := 0, 0
	for i < len(files[0].lines) || j < len(files[1].lines) {
		if !a[i+1] && !b[j+1] {
			i++
			j++
			continue
		}
		e := Edit{A: i + offset, B: j + offset}
		for a[i+1] {
			i++
		}
		for b[j+1] {
			j++
		}
		e.ALen, e.BLen = i+offset-e.A, j+offset-e.B
		edits = append(edits, e)
	}
	return edits
}
