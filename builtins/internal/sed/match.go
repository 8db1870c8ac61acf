package sed

import "slices"

// selects reports whether a command's addresses take in the current line.
func (r *runner) selects(c *command) (bool, error) {
	if c.first.kind == addressNone {
		return true, nil
	}
	if c.second.kind == addressNone {
		return r.matches(&c.first)
	}
	line := r.in.number
	if c.state != rangeActive {
		if ok, err := r.matches(&c.first); err != nil || !ok {
			return false, err
		}
		switch c.second.kind {
		case addressLine:
			c.end = c.second.number
		case addressPlus:
			c.end = line + c.second.number
		case addressMultiple:
			// A first line that is a multiple itself is not the last.
			c.end = line
			if n := c.second.number; n > 0 {
				c.end += n - line%n
			}
		default:
			c.state = rangeActive
			return true, nil
		}
		if c.end > line {
			c.state = rangeActive
		} else {
			c.state = rangeClosed
		}
		return true, nil
	}
	switch c.second.kind {
	case addressLine, addressPlus, addressMultiple:
		// A line past the end, reached by N, is not part of the range.
		if c.end <= line {
			c.state = rangeClosed
		}
		return line <= c.end, nil
	}
	ok, err := r.matches(&c.second)
	if ok {
		c.state = rangeClosed
	}
	return true, err
}

func (r *runner) matches(a *address) (bool, error) {
	switch a.kind {
	case addressLine:
		return r.in.number == a.number, nil
	case addressStep:
		return r.in.number >= a.number && (r.in.number-a.number)%a.step == 0, nil
	case addressLast:
		return r.in.last(), nil
	case addressRegex:
		m, err := r.used(a.matcher)
		if err != nil {
			return false, err
		}
		ok := m.finder.Match(r.pattern.text)
		return ok, m.finder.Err()
	}
	return false, nil
}

// used makes m the expression used last, or gives that for an empty one.
func (r *runner) used(m *matcher) (*matcher, error) {
	if m == nil {
		if r.last == nil {
			return nil, usageError("-e expression #%d, char 0: no previous regular expression", max(r.script.count, 1))
		}
		return r.last, nil
	}
	r.last = m
	return m, nil
}

// substitute is s.
func (r *runner) substitute(s *substitution) error {
	m, err := r.used(s.matcher)
	if err != nil {
		return err
	}
	text := r.pattern.text
	out := r.scratch[:0]
	copied, at, previous := 0, 0, -1
	count := int64(0)
	replaced := false
	for at <= len(text) {
		var loc []int
		if s.groups {
			loc = m.finder.Find(text, at)
		} else if start, end, ok := m.finder.FindExtent(text, at); ok {
			r.loc = append(r.loc[:0], start, end)
			loc = r.loc
		}
		if loc == nil {
			if err := m.finder.Err(); err != nil {
				return err
			}
			break
		}
		start, end := loc[0], loc[1]
		if start == end && start == previous {
			// An empty match right behind a match does not count.
			at = start + 1
			continue
		}
		previous = end
		if r.debug != nil {
			r.debug.registers(text, slices.Clone(m.finder.Find(text, at)))
		}
		if count++; count >= s.number {
			if s.groups && len(loc) < 20 && loc[0] >= 0 {
				r.loc = append(r.loc[:0], loc...)
				for len(r.loc) < 20 {
					r.loc = append(r.loc, -1)
				}
				loc = r.loc
			}
			if need := len(out) + start - copied + s.size(loc); need > cap(out) {
				if err := r.chargeScratch(need); err != nil {
					return err
				}
			}
			out = append(out, text[copied:start]...)
			out = s.expand(out, text, loc)
			copied = end
			replaced = true
			if !s.global {
				break
			}
		}
		at = end
		if start == end {
			// GNU sed goes one byte on, into a character even.
			at++
		}
	}
	if !replaced {
		return nil
	}
	if need := len(out) + len(text) - copied; need > cap(out) {
		if err := r.chargeScratch(need); err != nil {
			return err
		}
	}
	out = append(out, text[copied:]...)
	r.scratch, r.pattern.text = text, out
	r.replace = true
	if s.print {
		r.out.line(r.pattern.text, r.pattern.ended)
	}
	if s.file != nil {
		r.toFile(s.file, r.pattern.text, r.pattern.ended)
	}
	return nil
}

// chargeScratch pays for a result of size bytes before it is made, beside what
// it is made from and the result's own beginning, which moves as it grows.
func (r *runner) chargeScratch(size int) error {
	want := int64(cap(r.pattern.text)+cap(r.hold.text)) + int64(size)*2
	if want <= r.charged {
		return nil
	}
	if err := r.files.Charge(want - r.charged); err != nil {
		return err
	}
	r.charged = want
	return nil
}
