package interp

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// braces is a word with brace expansions: what makes the words it stands for,
// one after another.
type braces struct {
	parts []bracePart
	// deep says that it nests deeper than maxBraceDepth.
	deep bool
}

// bracePart is text, or a choice of words, or a sequence.
type bracePart struct {
	items    []item
	choices  []*braces
	sequence *sequence
}

// sequence is {from..to..step}.
type sequence struct {
	from, to, step int64
	width          int // with leading zeros, 0 for none
	letters        bool
}

// braceToken is an unquoted character of a word, or with c == 0 an item that
// braces pass by.
type braceToken struct {
	c    byte
	item int32
	at   int32
}

// braceScanner finds the brace expansions of a word.
type braceScanner struct {
	items  []item
	tokens []braceToken
	// match is the "}" that ends the expansion begun by a "{", plain the one
	// that closes it when braces are merely counted; -1 for none.
	match, plain []int32
	deep         bool
}

// maxBraceDepth is how deep brace expansions may nest.
const maxBraceDepth = 1000

// findBraces prepares the brace expansions among items, nil if there are none.
func findBraces(items []item) *braces {
	n, found := 0, false
	for _, it := range items {
		if it.piece == nil && !it.quoted {
			found = found || strings.IndexByte(it.text, '{') >= 0
			n += len(it.text)
		} else {
			n++
		}
	}
	if !found {
		return nil
	}
	s := &braceScanner{items: items, tokens: make([]braceToken, 0, n)}
	for i, it := range items {
		if it.piece != nil || it.quoted {
			s.tokens = append(s.tokens, braceToken{item: int32(i)})
			continue
		}
		for k := 0; k < len(it.text); k++ {
			s.tokens = append(s.tokens, braceToken{it.text[k], int32(i), int32(k)})
		}
	}
	s.pair()
	b := s.scan(0, len(s.tokens), 0)
	b.deep = s.deep
	for i := range b.parts {
		if b.parts[i].items == nil {
			return b
		}
	}
	return nil
}

// pair fills match and plain in one pass. bash looks for the end of each "{"
// by itself: the first "}" at its level that has a comma or ".." before it.
// All these searches run here together: a group holds those that are at the
// same level, without (pending) and with (ready) a comma so far.
func (s *braceScanner) pair() {
	n := len(s.tokens)
	s.match, s.plain = make([]int32, n), make([]int32, n)
	next := make([]int32, n)
	type list struct{ head, tail int32 }
	none := list{-1, -1}
	join := func(a, b list) list {
		switch {
		case a.head < 0:
			return b
		case b.head < 0:
			return a
		}
		next[a.tail] = b.head
		return list{a.head, b.tail}
	}
	type group struct {
		open           int32
		pending, ready list
	}
	groups := []group{{-1, none, none}}
	for i := range s.tokens {
		top := &groups[len(groups)-1]
		s.match[i], s.plain[i], next[i] = -1, -1, -1
		switch c := s.tokens[i].c; {
		case c == '{':
			groups = append(groups, group{int32(i), list{int32(i), int32(i)}, none})
		case c == ',' || c == '.' && i+2 < n && s.tokens[i+1].c == '.' && s.tokens[i+2].c != '}':
			top.ready = join(top.ready, top.pending)
			top.pending = none
		case c == '}':
			for k := top.ready.head; k >= 0; k = next[k] {
				s.match[k] = int32(i)
			}
			top.ready = none
			if len(groups) > 1 {
				s.plain[top.open] = int32(i)
				below := &groups[len(groups)-2]
				below.pending = join(below.pending, top.pending)
				groups = groups[:len(groups)-1]
			}
		}
	}
}

// scan makes the parts of the tokens from low up to high.
func (s *braceScanner) scan(low, high, depth int) *braces {
	b := &braces{}
	start, base := low, low
	flush := func(end int) {
		if end > start {
			b.parts = append(b.parts, bracePart{items: s.slice(start, end)})
		}
	}
	for i := low; i < high && !s.deep; i++ {
		end := int(s.match[i])
		if s.tokens[i].c != '{' || end < 0 || end >= high || i == base && i+1 < high && s.tokens[i+1].c == '}' {
			continue
		}
		if depth >= maxBraceDepth {
			s.deep = true
			break
		}
		part, ok := s.part(i, end, depth)
		if !ok {
			if end+1 == high {
				break
			}
			i, base = end, end+1
			continue
		}
		flush(i)
		b.parts = append(b.parts, part)
		i, start, base = end, end+1, end+1
	}
	flush(high)
	return b
}

// part is the expansion between the braces at open and end.
func (s *braceScanner) part(open, end, depth int) (bracePart, bool) {
	comma := false
	for i := open + 1; i < end; i++ {
		comma = comma || s.tokens[i].c == ','
	}
	if !comma {
		q := s.sequence(open+1, end)
		return bracePart{sequence: q}, q != nil
	}
	var p bracePart
	from := open + 1
	for i := from; i < end; i++ {
		switch s.tokens[i].c {
		case '{':
			if close := int(s.plain[i]); close >= 0 && close < end {
				i = close
			} else {
				i = end
			}
		case ',':
			p.choices = append(p.choices, s.scan(from, i, depth+1))
			from = i + 1
		}
	}
	p.choices = append(p.choices, s.scan(from, end, depth+1))
	return p, true
}

// slice is the items of some tokens.
func (s *braceScanner) slice(low, high int) []item {
	out := make([]item, 0, 1)
	for i := low; i < high; {
		t := s.tokens[i]
		if t.c == 0 && s.opaque(t.item) {
			out = append(out, s.items[t.item])
			i++
			continue
		}
		k := i
		for k < high && s.tokens[k].item == t.item {
			k++
		}
		out = append(out, item{text: s.items[t.item].text[t.at : int(t.at)+k-i]})
		i = k
	}
	return out
}

func (s *braceScanner) opaque(i int32) bool { return s.items[i].piece != nil || s.items[i].quoted }

// sequence reads x..y or x..y..step, nil when it is none.
func (s *braceScanner) sequence(low, high int) *sequence {
	text := make([]byte, 0, high-low)
	for _, t := range s.tokens[low:high] {
		if t.c == 0 {
			return nil
		}
		text = append(text, t.c)
	}
	from, rest, ok := strings.Cut(string(text), "..")
	if !ok {
		return nil
	}
	to, step, stepped := strings.Cut(rest, "..")
	if from == "" || to == "" {
		return nil
	}
	q := &sequence{step: 1}
	if stepped {
		n, err := strconv.ParseInt(step, 10, 64)
		if err != nil {
			return nil
		}
		q.step = n
	}
	a, errA := strconv.ParseInt(from, 10, 64)
	z, errZ := strconv.ParseInt(to, 10, 64)
	switch {
	case errA == nil && errZ == nil:
		q.from, q.to = a, z
		padded := func(s string) bool { return len(s) > 1 && s[0] == '0' || len(s) > 2 && s[0] == '-' && s[1] == '0' }
		if padded(from) || padded(to) {
			q.width = max(len(from), len(to))
		}
	case len(from) == 1 && len(to) == 1 && isLetter(from[0]) && isLetter(to[0]):
		q.letters = true
		q.from, q.to = int64(from[0]), int64(to[0])
	default:
		return nil
	}
	if q.step == 0 {
		q.step = 1
	}
	if q.step == math.MinInt64 {
		return nil
	}
	if (q.step > 0) != (q.from <= q.to) {
		q.step = -q.step
	}
	return q
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// text is one element of the sequence.
func (q *sequence) text(n int64) string {
	if q.letters {
		return string([]byte{byte(n)})
	}
	s := strconv.FormatInt(n, 10)
	if len(s) < q.width {
		sign := ""
		if s[0] == '-' {
			sign, s = "-", s[1:]
		}
		s = sign + strings.Repeat("0", q.width-len(sign)-len(s)) + s
	}
	return s
}

// braceRun makes the words of a brace expansion.
type braceRun struct {
	p     *proc
	out   []string
	items []item // of the word being made
}

// braceFrame is where a choice goes on when its word is done.
type braceFrame struct {
	b    *braces
	i    int
	next *braceFrame
}

// fields expands all words that the braces stand for.
func (b *braces) fields(p *proc, out []string) ([]string, bool) {
	if b.deep {
		p.limit(fmt.Sprintf("brace expansion nested deeper than %d", maxBraceDepth))
		return out, false
	}
	r := braceRun{p: p, out: out}
	ok := r.step(b, 0, nil)
	return r.out, ok
}

// step goes on with part i of b.
func (r *braceRun) step(b *braces, i int, next *braceFrame) bool {
	mark := len(r.items)
	for {
		for i == len(b.parts) {
			if next == nil {
				ok := r.emit()
				r.items = r.items[:mark]
				return ok
			}
			b, i, next = next.b, next.i, next.next
		}
		if part := &b.parts[i]; part.items == nil {
			break
		} else {
			r.items = append(r.items, part.items...)
			i++
		}
	}
	part := &b.parts[i]
	ok := true
	if q := part.sequence; q != nil {
		for n := q.from; ok; {
			it := item{text: q.text(n)}
			if it.text == `\` { // bash reads it as a quote that quotes nothing
				it = item{quoted: true}
			}
			r.items = append(r.items, it)
			ok = r.step(b, i+1, next)
			r.items = r.items[:len(r.items)-1]
			to := n + q.step
			if q.step > 0 && (to > q.to || to < n) || q.step < 0 && (to < q.to || to > n) {
				break
			}
			n = to
		}
	} else {
		f := &braceFrame{b, i + 1, next}
		for _, choice := range part.choices {
			if ok = r.step(choice, 0, f); !ok {
				break
			}
		}
	}
	r.items = r.items[:mark]
	return ok
}

// emit expands the word that has been made.
func (r *braceRun) emit() bool {
	size, literal := 0, true
	for i := range r.items {
		it := &r.items[i]
		size += len(it.text)
		literal = literal && it.piece == nil && (it.quoted || !strings.ContainsAny(it.text, `*?[(\~`))
	}
	if len(r.out)&255 == 255 && r.p.stopped() || !r.p.scratch(int64(size)+fieldCost) {
		return false
	}
	if literal {
		if size == 0 && !r.anyQuoted() {
			return true
		}
		if len(r.items) == 1 {
			r.out = append(r.out, r.items[0].text)
			return true
		}
		word := make([]byte, 0, size)
		for i := range r.items {
			word = append(word, r.items[i].text...)
		}
		r.out = append(r.out, string(word))
		return true
	}
	cost := int64(len(r.items)) * 128
	if !r.p.scratch(cost) {
		return false
	}
	var ok bool
	r.out, ok = assembleItems(r.glue(coalesce(r.items)), assembleWord).fields(r.p, r.out)
	r.p.scratch(-cost)
	return ok
}

func (r *braceRun) anyQuoted() bool {
	for i := range r.items {
		if r.items[i].quoted {
			return true
		}
	}
	return false
}

// coalesce joins neighbouring pieces of unquoted text.
func coalesce(items []item) []item {
	out := make([]item, 0, len(items))
	for _, it := range items {
		if n := len(out); n > 0 && it.piece == nil && !it.quoted && out[n-1].piece == nil && !out[n-1].quoted {
			out[n-1].text += it.text
			continue
		}
		out = append(out, it)
	}
	return out
}

// glue gives $name the name characters that braces have put behind it: bash
// expands braces in the text, before it reads names.
func (r *braceRun) glue(items []item) []item {
	for i := 0; i+1 < len(items); i++ {
		e, after := items[i].glued, items[i+1]
		if e == nil || e.kind != kindVariable || after.piece != nil || after.quoted {
			continue
		}
		n := 0
		for n < len(after.text) && (after.text[n] == '_' || isLetter(after.text[n]) || after.text[n] >= '0' && after.text[n] <= '9') {
			n++
		}
		if n == 0 {
			continue
		}
		q := *e
		q.target = r.p.session.classify(e.name + after.text[:n])
		items[i].piece, items[i].glued = &q, &q
		items[i+1].text = after.text[n:]
	}
	return items
}
