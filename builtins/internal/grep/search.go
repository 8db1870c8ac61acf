package grep

import (
	"bytes"
	"encoding/binary"
	"io"
	"unicode/utf8"
)

// blockSize is what is read at a time: also how far a file is looked at
// before its first lines are taken for text.
const blockSize = 96 << 10

// scan is the state of one stream's search. Positions are offsets in window.
type scan struct {
	*Searcher
	reader io.Reader
	eof    bool

	window []byte // what of the buffer is filled
	base   int64  // the stream's offset of window[0]
	begin  int    // where what has not been searched begins

	lastOut    int   // end of the last printed line, or -1
	pending    int   // lines of trailing context to print
	left       int64 // lines that may still be selected
	used       bool  // a line was printed
	quiet      bool
	firstOnly  bool
	afterMatch int64 // the stream's offset after the last selected line

	lines     int64 // lines before window[lineStart]
	lineStart int

	selected   int64
	nulOffset  int64
	nulAt      int64 // lines selected when a NUL was seen, -1: none
	badOutput  bool  // a line that was to be printed is no text
	delimiter  byte
	unfinished bool // the last line was given the delimiter that it lacks
}

// Search searches r, printing to out. An error is the reader's, the
// matcher's or the context's; a failed write is out's to report.
func (s *Searcher) Search(r io.Reader, name string, out *Output) (Result, error) {
	s.name, s.out = name, out
	c := &scan{Searcher: s, reader: r, lastOut: -1, nulOffset: -1, left: s.Options.MaxCount, nulAt: -1,
		quiet: s.Options.Quiet, firstOnly: s.Options.FirstOnly, delimiter: s.Options.delimiter()}
	s.finder.Reset()
	err := c.run()
	return Result{
		Selected:    c.selected,
		BinaryMatch: !s.Options.Quiet && (c.badOutput || c.nulAt >= 0 && c.nulAt < c.selected),
		Stopped:     c.left == 0,
		Offset:      c.afterMatch,
		NULAt:       c.nulOffset,
	}, err
}

func (c *scan) run() error {
	for {
		if err := c.fill(); err != nil {
			return err
		}
		if err := c.ctx.Err(); err != nil {
			return err
		}
		fresh := c.window[c.begin:]
		o := c.Options
		if c.nulAt < 0 && !o.NullData && o.Binary != BinaryText && bytes.IndexByte(fresh, 0) >= 0 {
			if o.Binary == BinarySkip || o.Binary == BinaryStop {
				c.nulOffset = c.base + int64(c.begin+bytes.IndexByte(fresh, 0))
				if o.Binary == BinarySkip {
					c.selected = 0
				}
				return nil
			}
			if o.Binary != BinaryLines && (!o.Quiet || o.FirstOnly) {
				c.quiet, c.firstOnly = true, true
			}
			c.nulAt = c.selected
			c.nulOffset = c.base + int64(c.begin+bytes.IndexByte(fresh, 0))
		}
		if len(fresh) == 0 && c.eof {
			return nil
		}
		if c.nulAt >= 0 {
			zapNULs(fresh)
		}
		limit := c.begin
		if i := bytes.LastIndexByte(fresh, c.delimiter); i >= 0 {
			limit += i + 1
		}
		if c.eof && limit < len(c.window) {
			c.terminate()
			limit = len(c.window)
		}
		if limit > c.begin {
			if c.left > 0 {
				if err := c.searchLines(c.begin, limit); err != nil {
					return err
				}
			}
			c.printPending(limit)
			if c.left == 0 && c.pending == 0 || c.firstOnly && max(0, c.nulAt) < c.selected || c.out.err != nil {
				return c.out.err
			}
		}
		c.keep(limit)
		if c.eof {
			return nil
		}
	}
}

// terminate gives the last line the delimiter that it lacks.
func (c *scan) terminate() {
	c.unfinished = true
	c.window = append(c.window, c.delimiter)
	c.buffer = c.window[:cap(c.window)]
}

// zapNULs lets each NUL of a binary file end a line.
func zapNULs(b []byte) {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	for ; len(b) >= 8; b = b[8:] {
		// The high bit of each byte that is not zero, without a carry between them.
		x := binary.LittleEndian.Uint64(b)
		if zeros := ^((x&^high + (ones * 0x7f)) | x) & high; zeros != 0 {
			binary.LittleEndian.PutUint64(b, x|zeros>>7*'\n')
		}
	}
	for i, c := range b {
		if c == 0 {
			b[i] = '\n'
		}
	}
}

// fill reads a block behind what the window holds.
func (c *scan) fill() error {
	if cap(c.buffer)-len(c.window) <= blockSize/4 {
		size := max(blockSize, 2*len(c.window)) + 1
		if c.Charger != nil {
			if err := c.Charger.Charge(int64(size - cap(c.buffer))); err != nil {
				return err
			}
			c.charged += int64(size - cap(c.buffer))
		}
		grown := make([]byte, size)
		copy(grown, c.window)
		c.buffer = grown
		c.window = grown[:len(c.window)]
	} else if len(c.window) == 0 {
		c.window = c.buffer[:0]
	}
	// One byte stays free for the delimiter that the last line may lack.
	room := c.buffer[len(c.window) : cap(c.buffer)-1]
	if most := max(blockSize, len(c.window)); len(room) > most {
		room = room[:most]
	}
	for tries := 0; ; tries++ {
		n, err := c.reader.Read(room)
		c.window = c.buffer[:len(c.window)+n]
		if err == io.EOF {
			c.eof = true
			return nil
		}
		if err != nil {
			return err
		}
		if n > 0 {
			return nil
		}
		if tries > 100 {
			return io.ErrNoProgress
		}
	}
}

// keep drops what is searched up to limit, but for the lines that may be
// leading context of what follows.
func (c *scan) keep(limit int) {
	start := limit
	for i := 0; i < c.Options.Before && start > 0 && start > c.lastOut; i++ {
		start = c.lineBefore(start)
	}
	if start > 0 {
		if c.Options.LineNumber {
			c.countTo(start)
			c.lineStart -= start
		}
		c.window = c.window[:copy(c.window, c.window[start:])]
		c.base += int64(start)
	}
	c.begin = limit - start
	// Context that is kept is adjacent to what was printed, or nothing is.
	if c.lastOut == start {
		c.lastOut = 0
	} else {
		c.lastOut = -1
	}
}

// lineBefore is the start of the line that ends at end.
func (c *scan) lineBefore(end int) int {
	return bytes.LastIndexByte(c.window[:end-1], c.delimiter) + 1
}

// countTo counts the lines up to a line's start.
func (c *scan) countTo(start int) {
	if start > c.lineStart {
		c.lines += int64(bytes.Count(c.window[c.lineStart:start], []byte{c.delimiter}))
		c.lineStart = start
	}
}

// searchLines selects among the whole lines of window[begin:limit].
func (c *scan) searchLines(begin, limit int) error {
	invert := c.Options.Invert
	c.finder.Block(c.window[:limit], c.delimiter)
	if c.quiet && !c.firstOnly && c.left == Unlimited && c.Options.Sink == nil {
		matching := int64(c.finder.CountLines(begin))
		if invert {
			matching = int64(bytes.Count(c.window[begin:limit], []byte{c.delimiter})) - matching
		}
		c.selected += matching
		return c.finder.Err()
	}
	for p := begin; p < limit; {
		start, end := c.finder.NextLine(p)
		if err := c.finder.Err(); err != nil {
			return err
		}
		if start < 0 {
			if invert {
				c.selectLines(p, limit)
			}
			return nil
		}
		end = min(end+1, limit)
		if !invert {
			c.selectLines(start, end)
		} else if p < start {
			c.selectLines(p, start)
		}
		p = end
		if c.left == 0 || c.firstOnly && c.selected > 0 || c.out.err != nil {
			return nil
		}
	}
	return nil
}

// selectLines takes the lines of window[begin:limit] as selected: one, or
// with -v several.
func (c *scan) selectLines(begin, limit int) {
	o := c.Options
	p := begin
	if !c.quiet {
		c.printPending(begin)
		if o.Before > 0 {
			floor := max(c.lastOut, 0)
			for i := 0; i < o.Before && p > floor; i++ {
				p = c.lineBefore(p)
			}
		}
		if (o.Before >= 0 || o.After >= 0) && c.used && p != c.lastOut && o.Sink != nil {
			o.Sink.Gap()
		} else if (o.Before >= 0 || o.After >= 0) && c.used && p != c.lastOut && !o.NoSeparator {
			c.start(c.colors().Separator)
			c.out.writeString(o.Separator)
			c.end(c.colors().Separator)
			c.out.writeByte('\n')
		}
		for p < begin {
			p = c.printLine(p, c.lineEnd(p), false)
		}
	}
	if o.Invert {
		if c.quiet && !c.firstOnly && c.left == Unlimited {
			// Only counted: no need to go line by line.
			c.selected += int64(bytes.Count(c.window[begin:limit], []byte{c.delimiter}))
			p = limit
		}
		for p < limit && c.left > 0 {
			end := c.lineEnd(p)
			if !c.quiet {
				c.printLine(p, end, true)
			}
			p = end
			c.took()
			if c.firstOnly {
				break
			}
		}
	} else {
		if !c.quiet {
			c.printLine(begin, limit, true)
		}
		p = limit
		c.took()
	}
	c.afterMatch = c.base + int64(p)
	c.used = true
	if !c.quiet {
		c.pending = max(0, o.After)
	}
}

func (c *scan) took() {
	c.selected++
	if c.left != Unlimited {
		c.left--
	}
}

func (c *scan) lineEnd(start int) int {
	return start + bytes.IndexByte(c.window[start:], c.delimiter) + 1
}

// printPending prints trailing context up to limit.
func (c *scan) printPending(limit int) {
	if c.pending == 0 {
		return
	}
	for p := max(c.lastOut, 0); c.pending > 0 && p < limit; c.pending-- {
		p = c.printLine(p, c.lineEnd(p), false)
		if c.quiet {
			c.pending = 0
			return
		}
	}
}

// validText reports whether b is text that may be printed.
func (c *scan) validText(b []byte) bool {
	if c.Options.Binary == BinaryText || c.Options.Bytes || utf8.Valid(b) {
		return true
	}
	c.badOutput = true
	return false
}
