package builtins

import "strings"

// tabStops are the columns of expand and unexpand.
type tabStops struct {
	list      []uint64
	extend    uint64 // /N: multiples of N after the list
	increment uint64 // +N: steps of N after the list
	size      uint64 // one distance for all; 0 with a list
}

// parse adds a list such as 4,8 or 2,+4. It reports what is wrong with call and
// returns false.
func (t *tabStops) parse(c *call, stops string) bool {
	var value uint64
	have, extend, increment, ok := false, false, false, true
	start := 0
	add := func() bool {
		switch {
		case extend:
			if t.extend != 0 {
				c.errorf("'/' specifier only allowed with the last value")
				return false
			}
			t.extend = value
		case increment:
			if t.increment != 0 {
				c.errorf("'+' specifier only allowed with the last value")
				return false
			}
			t.increment = value
		default:
			t.list = append(t.list, value)
		}
		return true
	}
	for i := 0; i < len(stops); i++ {
		switch s := stops[i]; {
		case s == ',' || s == ' ' || s == '\t':
			if have && !add() {
				return false
			}
			have = false
		case s == '/' || s == '+':
			if have {
				c.errorf("'%c' specifier not at start of number: %s", s, quote(stops[i:]))
				ok = false
			}
			extend, increment = s == '/', s == '+'
		case s >= '0' && s <= '9':
			if !have {
				value, have, start = 0, true, i
			}
			status := numberOK
			if value = addDigit(value, s-'0', &status); status != numberOK {
				digits := stops[start:]
				digits = digits[:len(digits)-len(strings.TrimLeft(digits, "0123456789"))]
				c.errorf("tab stop is too large %s", quote(digits))
				ok = false
				i = start + len(digits) - 1
			}
		default:
			c.errorf("tab size contains invalid character(s): %s", quote(stops[i:]))
			return false
		}
	}
	return ok && (!have || add())
}

// finish checks the list once all options have been read.
func (t *tabStops) finish(c *call) error {
	previous := uint64(0)
	for _, stop := range t.list {
		if stop == 0 {
			return c.fatalf("tab size cannot be 0")
		}
		if stop <= previous {
			return c.fatalf("tab sizes must be ascending")
		}
		previous = stop
	}
	if t.increment != 0 && t.extend != 0 {
		return c.fatalf("'/' specifier is mutually exclusive with '+'")
	}
	switch {
	case len(t.list) == 0:
		t.size = 8
		if t.extend+t.increment > 0 {
			t.size = t.extend + t.increment
		}
	case len(t.list) == 1 && t.extend == 0 && t.increment == 0:
		t.size = t.list[0]
	}
	return nil
}

// next is the stop after a column; last says that there is none. index is where
// in the list to begin.
func (t *tabStops) next(column uint64, index *int) (stop uint64, last bool) {
	if t.size != 0 {
		return column + t.size - column%t.size, false
	}
	for ; *index < len(t.list); *index++ {
		if column < t.list[*index] {
			return t.list[*index], false
		}
	}
	if t.extend != 0 {
		return column + t.extend - column%t.extend, false
	}
	if t.increment != 0 {
		end := t.list[len(t.list)-1]
		return column + t.increment - (column-end)%t.increment, false
	}
	return 0, true
}
