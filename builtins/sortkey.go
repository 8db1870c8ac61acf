package builtins

import (
	"math"
	"strings"
)

// sortOptions are the ordering options of a key.
type sortOptions struct {
	skipStart, skipEnd bool // b
	dictionary         bool // d
	printing           bool // i
	fold               bool // f
	general            bool // g
	human              bool // h
	month              bool // M
	numeric            bool // n
	random             bool // R
	reverse            bool // r
	version            bool // V
}

// sortKey is one -k. Fields and characters count from 0; endChar is the number
// of characters of the end field that belong to the key, 0 for all.
type sortKey struct {
	startField, startChar uint64 // startField MaxUint64: the line's start
	endField, endChar     uint64 // endField MaxUint64: the line's end
	obsolete              bool   // written +POS1 -POS2
	sortOptions
}

type sortPlace uint8

const (
	sortStart sortPlace = iota
	sortEnd
	sortBoth
)

// plain reports that no option says what to compare.
func (o *sortOptions) plain() bool {
	return !(o.dictionary || o.printing || o.fold || o.skipStart || o.skipEnd || o.numeric || o.month || o.version || o.general || o.human || o.random)
}

// kinds counts the ways of comparing that exclude one another.
func (o *sortOptions) kinds() int {
	n := 0
	for _, on := range [...]bool{o.numeric, o.general, o.human, o.month, o.version || o.random || o.dictionary || o.printing} {
		if on {
			n++
		}
	}
	return n
}

// letters are the options as the message on incompatible ones lists them.
func (o *sortOptions) letters() string {
	var b strings.Builder
	for _, l := range [...]struct {
		on     bool
		letter byte
	}{{o.dictionary, 'd'}, {o.fold, 'f'}, {o.general, 'g'}, {o.human, 'h'}, {o.printing && !o.dictionary, 'i'}, {o.month, 'M'}, {o.numeric, 'n'}, {o.random, 'R'}, {o.version, 'V'}} {
		if l.on {
			b.WriteByte(l.letter)
		}
	}
	return b.String()
}

// order applies letters and returns what follows them.
func (o *sortOptions) order(s string, where sortPlace) string {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case 'b':
			o.skipStart = o.skipStart || where != sortEnd
			o.skipEnd = o.skipEnd || where != sortStart
		case 'd':
			o.dictionary = true
		case 'f':
			o.fold = true
		case 'g':
			o.general = true
		case 'h':
			o.human = true
		case 'i':
			o.printing = true
		case 'M':
			o.month = true
		case 'n':
			o.numeric = true
		case 'R':
			o.random = true
		case 'r':
			o.reverse = true
		case 'V':
			o.version = true
		default:
			return s[i:]
		}
	}
	return ""
}

// sortCount reads a number of a key; one too large stands for the line's end.
func sortCount(s string) (n uint64, rest string, ok bool) {
	i := 0
	status := numberOK
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		n = addDigit(n, s[i]-'0', &status)
		i++
	}
	return n, s[i:], i > 0
}

// parseSortKey reads the argument of -k; the message is empty when it is right.
func parseSortKey(text string) (sortKey, string) {
	k := newSortKey()
	bad := func(why string) (sortKey, string) { return k, why + ": invalid field specification " + quote(text) }
	count := func(s, why string) (uint64, string, string) {
		n, rest, ok := sortCount(s)
		if !ok {
			return 0, "", why + ": invalid count at start of " + quote(s)
		}
		return n, rest, ""
	}
	n, s, message := count(text, "invalid number at field start")
	if message != "" {
		return k, message
	}
	if n == 0 {
		return bad("field number is zero")
	}
	k.startField = n - 1
	if strings.HasPrefix(s, ".") {
		if n, s, message = count(s[1:], "invalid number after '.'"); message != "" {
			return k, message
		}
		if n == 0 {
			return bad("character offset is zero")
		}
		k.startChar = n - 1
	}
	if k.startField == 0 && k.startChar == 0 {
		k.startField = math.MaxUint64
	}
	s = k.order(s, sortStart)
	if strings.HasPrefix(s, ",") {
		if n, s, message = count(s[1:], "invalid number after ','"); message != "" {
			return k, message
		}
		if n == 0 {
			return bad("field number is zero")
		}
		k.endField = n - 1
		if strings.HasPrefix(s, ".") {
			if k.endChar, s, message = count(s[1:], "invalid number after '.'"); message != "" {
				return k, message
			}
		}
		s = k.order(s, sortEnd)
	}
	if s != "" {
		return bad("stray character in field spec")
	}
	return k, ""
}

// parseObsoleteKey reads the POS1 of +POS1, which counts from 0.
func parseObsoleteKey(s string) (k sortKey, rest string, ok bool) {
	k = newSortKey()
	k.obsolete = true
	if k.startField, s, ok = sortCount(s); !ok {
		return k, s, false
	}
	if strings.HasPrefix(s, ".") {
		if k.startChar, s, ok = sortCount(s[1:]); !ok {
			return k, s, false
		}
	}
	if k.startField == 0 && k.startChar == 0 {
		k.startField = math.MaxUint64
	}
	return k, k.order(s, sortStart), true
}

// obsoleteEnd reads the -POS2 after +POS1.
func (k *sortKey) obsoleteEnd(text string) string {
	n, s, ok := sortCount(text[1:])
	if !ok {
		return "invalid number after '-': invalid count at start of " + quote(text[1:])
	}
	k.endField = n
	if strings.HasPrefix(s, ".") {
		at := s[1:]
		if k.endChar, s, ok = sortCount(at); !ok {
			return "invalid number after '.': invalid count at start of " + quote(at)
		}
	}
	// -B ends before field B, as does ,B of -k where no character is named.
	if k.endChar == 0 && k.endField > 0 {
		k.endField--
	}
	if k.order(s, sortEnd) != "" {
		return "stray character in field spec: invalid field specification " + quote(text)
	}
	return ""
}

func sortBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

// start is the offset at which the key starts in line.
func (k *sortKey) start(line []byte, separator int) int {
	i := 0
	if k.startField != math.MaxUint64 {
		for n := k.startField; i < len(line) && n > 0; n-- {
			if separator >= 0 {
				for i < len(line) && int(line[i]) != separator {
					i++
				}
				if i < len(line) {
					i++
				}
				continue
			}
			i = sortFieldEnd(line, i)
		}
	}
	if k.skipStart {
		for i < len(line) && sortBlank(line[i]) {
			i++
		}
	}
	return i + int(min(k.startChar, uint64(len(line)-i)))
}

// sortFieldEnd is the end of a field that is blanks and what follows them.
func sortFieldEnd(line []byte, i int) int {
	for i < len(line) && sortBlank(line[i]) {
		i++
	}
	for i < len(line) && !sortBlank(line[i]) {
		i++
	}
	return i
}

// end is the offset at which the key ends in line; it may be before its start.
func (k *sortKey) end(line []byte, separator int) int {
	if k.endField == math.MaxUint64 {
		return len(line)
	}
	i, n := 0, k.endField
	if k.endChar == 0 {
		n++
	}
	for ; i < len(line) && n > 0; n-- {
		if separator >= 0 {
			for i < len(line) && int(line[i]) != separator {
				i++
			}
			if i < len(line) && (n > 1 || k.endChar > 0) {
				i++
			}
			continue
		}
		i = sortFieldEnd(line, i)
	}
	if k.endChar > 0 {
		if k.skipEnd {
			for i < len(line) && sortBlank(line[i]) {
				i++
			}
		}
		i += int(min(k.endChar, uint64(len(line)-i)))
	}
	return i
}

// text is the part of line that the key compares.
func (k *sortKey) text(line []byte, separator int) []byte {
	start := k.start(line, separator)
	return line[start:max(start, k.end(line, separator))]
}
