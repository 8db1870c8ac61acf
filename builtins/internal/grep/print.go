package grep

import "strconv"

// printLine prints window[begin:end], a line with its delimiter, as selected
// or as context, and returns its end.
func (c *scan) printLine(begin, end int, selected bool) int {
	o := c.Options
	line := c.window[begin:end]
	separator := byte('-')
	if selected {
		separator = ':'
	}
	matching := selected != o.Invert
	c.lastOut = end
	if o.Sink != nil {
		c.countTo(begin)
		ended := !c.unfinished || end < len(c.window)
		o.Sink.Line(line[:len(line)-1], ended, c.lines+1, c.base+int64(begin), selected)
		return end
	}
	if !o.OnlyMatching && !c.printHead(begin, begin, end-1, end, separator) {
		return end
	}
	rest := 0
	if o.OnlyMatching || o.Colors != nil {
		lineColor, matchColor := o.Colors.line(selected, o.Invert)
		if matching && (o.OnlyMatching || matchColor != "") {
			rest = c.printMatches(begin, end, lineColor, matchColor)
			if rest < 0 {
				return end
			}
		}
		if o.OnlyMatching {
			rest = len(line)
		} else if lineColor != "" {
			rest = c.printTail(line, rest, lineColor)
		}
	}
	c.out.write(line[rest:])
	if o.LineBuffered {
		c.out.Flush()
	}
	return end
}

// printMatches prints a line's matches, and with colours what is between
// them; it returns how much of the line that was, or -1 where a match is no text.
func (c *scan) printMatches(begin, end int, lineColor, matchColor string) int {
	o := c.Options
	line := c.window[begin:end]
	text := line[:len(line)-1]
	printed, at := 0, 0
	for at <= len(text) {
		start, stop, ok := c.finder.FindExtent(text, at)
		if !ok || start >= len(text) {
			break
		}
		if stop <= start || start < at {
			// An empty match: look further on for one that is not.
			at = max(at, start) + 1
			for at < len(text) && !o.Bytes && text[at]&0xc0 == 0x80 {
				at++
			}
			continue
		}
		if o.OnlyMatching {
			separator := byte(':')
			if o.Invert {
				separator = '-'
			}
			if !c.printHead(begin, begin+start, begin+stop, end, separator) {
				return -1
			}
		} else {
			c.start(lineColor)
			c.out.write(line[printed:start])
		}
		c.start(matchColor)
		c.out.write(line[start:stop])
		c.end(matchColor)
		if o.OnlyMatching {
			c.out.writeByte(c.delimiter)
		}
		printed, at = stop, stop
	}
	return printed
}

// printTail prints the rest of a line in its colour, but for its end.
func (c *scan) printTail(line []byte, from int, color string) int {
	end := len(line)
	if end > from {
		end--
	}
	if end > from && line[end-1] == '\r' {
		end--
	}
	if end > from {
		c.start(color)
		c.out.write(line[from:end])
		c.end(color)
		return end
	}
	return from
}

// printHead prints what stands before window[begin:end]; false means that
// this is no text and is not printed.
func (c *scan) printHead(lineStart, begin, end, lineEnd int, separator byte) bool {
	o := c.Options
	if !c.validText(c.window[begin:end]) {
		return false
	}
	colors := c.colors()
	if o.WithName {
		c.printName()
		if o.NullName {
			c.out.writeByte(0)
		} else {
			c.separator(separator)
		}
	}
	if o.LineNumber {
		c.countTo(lineStart)
		c.printNumber(c.lines+1, colors.LineNumber)
		c.separator(separator)
	}
	if o.ByteOffset {
		c.printNumber(c.base+int64(begin), colors.ByteOffset)
		c.separator(separator)
	}
	if o.AlignTabs && (o.WithName || o.LineNumber || o.ByteOffset) && end > begin {
		c.out.writeByte('\t')
	}
	return true
}

func (c *scan) printNumber(n int64, color string) {
	c.start(color)
	if c.Options.AlignTabs && n < 10 {
		c.out.writeByte(' ')
	}
	c.out.buffer = strconv.AppendInt(c.out.buffer, n, 10)
	c.end(color)
}

func (c *scan) separator(b byte) {
	color := c.colors().Separator
	c.start(color)
	c.out.writeByte(b)
	c.end(color)
}

func (s *Searcher) colors() *Colors {
	if s.Options.Colors == nil {
		return &noColors
	}
	return s.Options.Colors
}

func (s *Searcher) printName() {
	color := s.colors().Name
	s.start(color)
	s.out.writeString(s.name)
	s.end(color)
}

func (s *Searcher) start(color string) {
	if color != "" {
		s.out.writeString("\x1b[" + color + "m" + s.colors().erase())
	}
}

func (s *Searcher) end(color string) {
	if color != "" {
		s.out.writeString("\x1b[m" + s.colors().erase())
	}
}

// PrintName prints a file's name, followed by end (-l, -L).
func (s *Searcher) PrintName(name string, end byte, out *Output) {
	s.name, s.out = name, out
	s.printName()
	out.writeByte(end)
}

// PrintCount prints a file's count of selected lines (-c).
func (s *Searcher) PrintCount(name string, count int64, out *Output) {
	s.name, s.out = name, out
	if s.Options.WithName {
		s.printName()
		if s.Options.NullName {
			out.writeByte(0)
		} else {
			color := s.colors().Separator
			s.start(color)
			out.writeByte(':')
			s.end(color)
		}
	}
	out.buffer = strconv.AppendInt(out.buffer, count, 10)
	out.writeByte('\n')
	if s.Options.LineBuffered {
		out.Flush()
	}
}
