package regex

import (
	"bytes"
	"context"
	"errors"
	"unicode/utf8"
)

// ErrBacktrackLimit is PCRE's answer to a pattern that tries too much.
var ErrBacktrackLimit = errors.New("exceeded PCRE's backtracking limit")

// perlSteps is how many steps a Perl pattern that is not regular may take.
const perlSteps = 50_000_000

// Finder is a Matcher with the memory its machines work in: the one to use
// where many texts are matched. It belongs to one goroutine.
type Finder struct {
	matcher     *Matcher
	context     context.Context
	searcher    *automaton
	anchored    *automaton
	liner       *automaton
	backtrack   backtracker
	literal     literalFinder
	block       []byte
	lineLiteral literalFinder // the block's; literal is for single texts
	hits        int           // lines of the block that a literal pointed at
	blind       bool          // the block is searched without literals
	loc         []int
	err         error
}

// Finder makes one; ctx ends long matches.
func (m *Matcher) Finder(ctx context.Context) *Finder {
	f := &Finder{matcher: m, context: ctx}
	f.backtrack = backtracker{program: m.program, context: ctx}
	if !m.longest && !m.program.regular {
		f.backtrack.limit = perlSteps
	}
	f.literal.literals, f.lineLiteral.literals = &m.literals, &m.literals
	return f
}

func (f *Finder) setContext(ctx context.Context) {
	f.context, f.err = ctx, nil
	f.backtrack.context, f.backtrack.err = ctx, nil
	for _, a := range []*automaton{f.searcher, f.anchored, f.liner} {
		if a != nil {
			a.context = ctx
		}
	}
}

// Err is what stopped the last call before it had an answer: the context's
// error or ErrBacktrackLimit. The call then reported no match.
func (f *Finder) Err() error {
	if f.err == nil {
		f.err = f.backtrack.err
	}
	if f.err == nil {
		f.err = f.context.Err()
	}
	return f.err
}

// Reset forgets an error, so that the next text can be tried.
func (f *Finder) Reset() { f.err, f.backtrack.err = nil, nil }

// Match reports whether text holds a match.
func (f *Finder) Match(text []byte) bool {
	m := f.matcher
	if f.literal.usable() && f.literal.fits(text) {
		f.literal.reset(text)
		at := f.literal.next(text, 0)
		if at < 0 {
			return false
		}
		if m.literals.exact {
			return true
		}
	}
	if f.searcher == nil {
		f.searcher = newAutomaton(f.context, m.program, true, -1)
	}
	if f.searcher.search(text, 0) < 0 {
		return false
	}
	return m.program.regular || f.find(text, 0, true) != nil
}

// Find is Matcher.Find; the slice is valid until the next call.
func (f *Finder) Find(text []byte, from int) []int { return f.find(text, from, true) }

// FindExtent is Find without the groups.
func (f *Finder) FindExtent(text []byte, from int) (start, end int, ok bool) {
	loc := f.find(text, from, false)
	if loc == nil {
		return 0, 0, false
	}
	return loc[0], loc[1], true
}

func (f *Finder) fullMatch(text []byte) bool {
	m := f.matcher
	if m.program.regular {
		return f.longestAt(text, 0) == len(text)
	}
	f.backtrack.steps = 0
	return f.backtrack.match(text, 0, len(text), modeEnd)
}

func (f *Finder) longestAt(text []byte, at int) int {
	if f.anchored == nil {
		f.anchored = newAutomaton(f.context, f.matcher.program, false, -1)
	}
	return f.anchored.longest(text, at)
}

func (f *Finder) find(text []byte, from int, groups bool) []int {
	m := f.matcher
	p := m.program
	if f.literal.usable() && f.literal.fits(text[from:]) {
		f.literal.reset(text)
		at := f.literal.next(text, from)
		if at < 0 {
			return nil
		}
		if m.literals.exact && len(m.literals.set) == 1 && (!groups || p.groups == 0) {
			f.loc = append(f.loc[:0], at, at+len(m.literals.set[0]))
			return f.loc
		}
	}
	if f.searcher == nil {
		f.searcher = newAutomaton(f.context, p, true, -1)
	}
	hit := f.searcher.search(text, from)
	if hit < 0 {
		return nil
	}
	if !p.regular {
		return f.findIrregular(text, from)
	}
	start, end := f.leftmost(text, from, hit)
	if start < 0 {
		return nil
	}
	if m.longest && (!groups || p.groups == 0) {
		f.loc = append(f.loc[:0], start, end)
		return f.loc
	}
	mode := modeEnd
	if !m.longest {
		mode = modeFirst
	}
	if !f.backtrack.match(text, start, end, mode) {
		return nil
	}
	f.loc = append(f.loc[:0], f.backtrack.best[:2*(p.groups+1)]...)
	f.closeOpenGroups()
	return f.loc
}

// closeOpenGroups makes groups that were begun but not ended take no part.
func (f *Finder) closeOpenGroups() {
	for i := 2; i < len(f.loc); i += 2 {
		if f.loc[i] < 0 || f.loc[i+1] < f.loc[i] {
			f.loc[i], f.loc[i+1] = -1, -1
		}
	}
}

// leftmost finds the first start of a match that is known to begin at hit or
// before, and the end of the longest match there.
func (f *Finder) leftmost(text []byte, from, hit int) (start, end int) {
	m := f.matcher
	if f.anchored != nil {
		f.anchored.work = 0
	}
	for at := from; at <= hit; {
		if !m.nullable {
			for at < hit && at < len(text) && !m.first[text[at]] {
				at++
			}
			if at >= len(text) {
				return -1, -1
			}
			if !m.program.bytes && at > from && !utf8.RuneStart(text[at]) && continues(text, from, at) {
				at++
				continue
			}
		}
		if end := f.longestAt(text, at); end >= 0 {
			return at, end
		}
		if f.anchored.work > 32*(hit-from)+1<<14 {
			at = leftmostStart(f.anchored, text, at+1)
			if at < 0 {
				return -1, -1
			}
			return at, f.longestAt(text, at)
		}
		if at < len(text) && text[at] >= utf8.RuneSelf {
			_, n := m.program.decode(text, at)
			at += n
		} else {
			at++
		}
	}
	return -1, -1
}

// continues reports whether the byte at i lies within a character of text[from:].
func continues(text []byte, from, i int) bool {
	for start := i - 1; start >= from && i-start < utf8.UTFMax; start-- {
		if utf8.RuneStart(text[start]) {
			_, n := utf8.DecodeRune(text[start:])
			return start+n > i
		}
	}
	return false
}

// findIrregular tries the backtracker at every position that the automaton's
// superset allows.
func (f *Finder) findIrregular(text []byte, from int) []int {
	m := f.matcher
	mode := modeFirst
	if m.longest {
		mode = modeLongest
	}
	f.backtrack.steps = 0 // the limit is one text's, wherever a match is tried
	tried, passed, work := 0, 0, 0
	for at := from; at <= len(text); {
		if m.nullable || at < len(text) && m.first[text[at]] {
			// A look ahead that costs much and rules out little is left out.
			look := passed < 64 || 2*passed < tried || work < 32*len(text)
			if look {
				tried++
			}
			if !look || f.longestAt(text, at) >= 0 {
				passed++
				if f.backtrack.match(text, at, len(text), mode) {
					f.loc = append(f.loc[:0], f.backtrack.best[:2*(m.program.groups+1)]...)
					f.closeOpenGroups()
					return f.loc
				}
				if f.backtrack.err != nil {
					return nil
				}
			}
			if f.anchored.work > 1<<20 {
				work += f.anchored.work
				f.anchored.work = 0
				if f.context.Err() != nil {
					return nil
				}
			}
		}
		if at < len(text) && text[at] >= utf8.RuneSelf {
			_, n := m.program.decode(text, at)
			at += n
		} else {
			at++
		}
	}
	return nil
}

// Block sets the text whose lines NextLine looks for: it begins at a line's
// start, and its last line may lack its delimiter.
func (f *Finder) Block(block []byte, delimiter byte) {
	if f.liner == nil || f.liner.delimiter != int(delimiter) {
		f.liner = newAutomaton(f.context, f.matcher.program, true, int(delimiter))
	}
	f.block = block
	f.hits, f.blind = 0, !f.lineLiteral.usable()
	if !f.blind {
		f.lineLiteral.reset(block)
	}
}

// NextLine finds the first line of the block, from the line's start at from
// on, that holds a match, and its bounds without the delimiter; start is -1
// where there is none, or where Err says why.
func (f *Finder) NextLine(from int) (start, end int) {
	m := f.matcher
	block, delimiter := f.block, byte(f.liner.delimiter)
	for at := from; at < len(block); at = end + 1 {
		hit, stray := 0, false
		if f.blind {
			if hit = f.liner.search(block[at:], 0); hit < 0 {
				return -1, -1
			}
			hit = min(hit+at, len(block))
		} else if hit, stray = f.lineLiteral.nextOrStray(block, at); hit < 0 {
			return -1, -1
		}
		start = at
		if i := bytes.LastIndexByte(block[at:hit], delimiter); i >= 0 {
			start = at + i + 1
		}
		end = len(block)
		if i := bytes.IndexByte(block[hit:], delimiter); i >= 0 {
			end = hit + i
		}
		if !f.blind && (stray || !m.literals.exact) {
			// Too many false hits: the automaton alone is faster.
			if f.hits++; f.hits > 32 && start/f.hits < 128 {
				f.blind = true
			}
			if f.liner.search(block[start:end], 0) < 0 {
				if f.context.Err() != nil {
					return -1, -1
				}
				continue
			}
		}
		if m.program.regular || f.findIrregular(block[start:end], 0) != nil {
			return start, end
		}
		if f.Err() != nil {
			return -1, -1
		}
	}
	return -1, -1
}

// CountLines counts the lines of the block that hold a match. It is quicker
// than NextLine where nobody asks where they are.
func (f *Finder) CountLines(from int) (count int) {
	m := f.matcher
	exact := !f.blind && m.literals.exact && len(m.literals.strays) == 0
	if !m.program.regular || !f.blind && !exact {
		for start, end := f.NextLine(from); start >= 0; start, end = f.NextLine(end + 1) {
			count++
		}
		return count
	}
	block, delimiter := f.block, byte(f.liner.delimiter)
	for at := from; at < len(block); count++ {
		hit := 0
		if exact {
			hit = f.lineLiteral.next(block, at)
		} else if hit = f.liner.search(block[at:], 0); hit >= 0 {
			hit = min(hit+at, len(block))
		}
		if hit < 0 {
			break
		}
		i := bytes.IndexByte(block[hit:], delimiter)
		if i < 0 {
			return count + 1
		}
		at = hit + i + 1
	}
	return count
}
