package builtins

import (
	"bytes"
	"io"

	"github.com/vsh-project/vsh/builtins/internal/grep"
)

// searchWhole searches a text across lines (-U). The text is held whole.
func (p *rgPrinter) searchWhole(r io.Reader) (grep.Result, error) {
	var text []byte
	charged := int64(0)
	defer func() { p.Host().Release(charged) }()
	block := make([]byte, 64<<10)
	for {
		n, err := r.Read(block)
		if err := p.Host().Charge(int64(2 * n)); err != nil {
			return grep.Result{}, err
		}
		charged += int64(2 * n)
		text = append(text, block[:n]...)
		if err == io.EOF {
			break
		}
		if err != nil {
			return grep.Result{}, err
		}
	}
	result := grep.Result{NULAt: -1}
	if i := bytes.IndexByte(text, 0); i >= 0 && !p.text && !p.options.NullData {
		if result.NULAt = int64(i); !p.binary && !p.explicit {
			return result, nil
		}
		result.BinaryMatch = true
	}
	w := wholeSearch{rgPrinter: p, body: text, quiet: p.silent() || result.NULAt >= 0, delimiter: p.lineEnd(), left: p.options.MaxCount}
	w.search()
	result.Selected = w.selected
	return result, p.err
}

// wholeSearch is the state of one text's search across lines.
type wholeSearch struct {
	*rgPrinter
	body      []byte
	delimiter byte
	quiet     bool
	left      int64
	selected  int64 // lines
	printed   int   // where what is printed ends
	shown     bool  // some group has been printed
	pending   int   // lines of trailing context to print
	counted   int   // where number speaks of
	number    int64 // lines before counted
}

// search joins the lines that matches touch, those of matches whose lines
// follow each other too, and prints such groups.
func (w *wholeSearch) search() {
	locs := w.find(w.body)
	if !w.options.Invert {
		w.matches += int64(len(locs))
	}
	from := 0 // where what is not selected yet begins
	for i := 0; i < len(locs) && w.left > 0; {
		start, end := w.span(locs[i])
		first := i
		for i++; i < len(locs); i++ {
			s, e := w.span(locs[i])
			if s > end {
				break
			}
			end = max(end, e)
		}
		if w.options.Invert {
			w.each(from, start)
		} else if start < len(w.body) {
			w.group(start, end, locs[first:i])
		}
		from = end
	}
	if w.options.Invert && w.left > 0 {
		w.each(from, len(w.body))
	}
	w.context(len(w.body))
}

// span is where the first line of a match begins and its last one ends.
func (w *wholeSearch) span(loc []int) (start, end int) {
	start = bytes.LastIndexByte(w.body[:loc[0]], w.delimiter) + 1
	last := max(loc[0], loc[1]-1)
	if i := bytes.IndexByte(w.body[last:], w.delimiter); i >= 0 {
		return start, last + i + 1
	}
	return start, len(w.body)
}

// each prints whole lines one by one as selected.
func (w *wholeSearch) each(start, end int) {
	for start < end && w.left > 0 {
		next := w.lineEndAt(start)
		w.group(start, next, nil)
		start = next
	}
}

func (w *wholeSearch) lineEndAt(start int) int {
	if i := bytes.IndexByte(w.body[start:], w.delimiter); i >= 0 {
		return start + i + 1
	}
	return len(w.body)
}

// group prints body[start:end], whole lines, and the context before them.
func (w *wholeSearch) group(start, end int, locs [][]int) {
	w.left--
	text := bytes.TrimSuffix(w.body[start:end], []byte{w.delimiter})
	lines := int64(bytes.Count(text, []byte{w.delimiter})) + 1
	w.selected += lines
	w.lines += lines
	if w.quiet {
		return
	}
	w.context(start)
	before := start
	for i := 0; i < w.options.Before && before > w.printed; i++ {
		before = bytes.LastIndexByte(w.body[:before-1], w.delimiter) + 1
	}
	if w.shown && before > w.printed && (w.options.Before >= 0 || w.options.After >= 0) {
		w.Gap()
	}
	for before < start {
		next := w.lineEndAt(before)
		w.put(before, next, false, nil)
		before = next
	}
	own := make([][]int, len(locs))
	for i, loc := range locs {
		own[i] = make([]int, len(loc))
		for k, at := range loc {
			own[i][k] = at - start
			if at < 0 {
				own[i][k] = -1
			} else if k < 2 {
				own[i][k] = min(at-start, len(text))
			}
		}
	}
	w.put(start, end, true, own)
	w.shown = true
	w.pending = max(w.options.After, 0)
}

// context prints the trailing context that ends before a place.
func (w *wholeSearch) context(before int) {
	for ; w.pending > 0 && w.printed < before; w.pending-- {
		w.put(w.printed, w.lineEndAt(w.printed), false, nil)
	}
	w.pending = 0
}

func (w *wholeSearch) put(start, end int, selected bool, locs [][]int) {
	w.number += int64(bytes.Count(w.body[w.counted:start], []byte{w.delimiter}))
	w.counted, w.printed = start, end
	text := bytes.TrimSuffix(w.body[start:end], []byte{w.delimiter})
	w.print(text, len(text) < end-start, w.number+1, int64(start), selected, locs)
}
