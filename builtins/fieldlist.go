package builtins

import (
	"math"
	"sort"
)

// fieldList is a list of ranges as cut and numfmt take it: sorted, overlapping
// ranges merged, those that only touch kept apart.
type fieldList []fieldRange

// fieldRange counts from 1; both ends belong to it.
type fieldRange struct{ low, high uint64 }

// fieldListRules are what differs between the lists.
type fieldListRules struct {
	positions  bool // messages speak of bytes, not fields
	allowDash  bool // "-" alone is everything
	complement bool
}

func (r *fieldListRules) say(fields, positions string) string {
	if r.positions {
		return positions
	}
	return fields
}

// parseFieldList reads N, N-M, N- and -M, separated by commas or blanks. The
// message is GNU's, empty when all is well.
func parseFieldList(s string, rules fieldListRules) (fieldList, string) {
	var list fieldList
	var value, initial uint64
	dash, left, right := false, false, false
	for i := 0; ; i++ {
		switch {
		case i < len(s) && s[i] == '-':
			if dash {
				return nil, rules.say("invalid field range", "invalid byte or character range")
			}
			dash = true
			if left && value == 0 {
				return nil, rules.say("fields are numbered from 1", "byte/character positions are numbered from 1")
			}
			initial = 1
			if left {
				initial = value
			}
			value = 0
		case i == len(s) || s[i] == ',' || s[i] == ' ' || s[i] == '\t':
			switch {
			case dash:
				if !left && !right {
					if !rules.allowDash {
						return nil, "invalid range with no endpoint: -"
					}
					initial = 1
				}
				if !right {
					value = math.MaxUint64
				} else if value < initial {
					return nil, "invalid decreasing range"
				}
				list = append(list, fieldRange{initial, value})
			case value == 0:
				return nil, rules.say("fields are numbered from 1", "byte/character positions are numbered from 1")
			default:
				list = append(list, fieldRange{value, value})
			}
			if i == len(s) {
				list.merge()
				if rules.complement {
					list = list.complement()
				}
				return list, ""
			}
			value, dash, left, right = 0, false, false, false
		case s[i] >= '0' && s[i] <= '9':
			if dash {
				right = true
			} else {
				left = true
			}
			status := numberOK
			value = addDigit(value, s[i]-'0', &status)
			// The greatest number stands for the end of the line.
			if status != numberOK || value == math.MaxUint64 {
				start, end := i, i
				for start > 0 && s[start-1] >= '0' && s[start-1] <= '9' {
					start--
				}
				for end < len(s) && s[end] >= '0' && s[end] <= '9' {
					end++
				}
				return nil, rules.say("field number ", "byte/character offset ") + quote(s[start:end]) + " is too large"
			}
		default:
			return nil, rules.say("invalid field value ", "invalid byte/character position ") + quote(s[i:])
		}
	}
}

func (l *fieldList) merge() {
	sort.SliceStable(*l, func(i, j int) bool { return (*l)[i].low < (*l)[j].low })
	merged := (*l)[:1]
	for _, r := range (*l)[1:] {
		last := &merged[len(merged)-1]
		if r.low <= last.high {
			last.high = max(last.high, r.high)
		} else {
			merged = append(merged, r)
		}
	}
	*l = merged
}

func (l fieldList) complement() fieldList {
	var other fieldList
	next := uint64(1)
	for _, r := range l {
		if r.low > next {
			other = append(other, fieldRange{next, r.low - 1})
		}
		if r.high == math.MaxUint64 {
			return other
		}
		next = r.high + 1
	}
	return append(other, fieldRange{next, math.MaxUint64})
}

// holds reports whether n is in the list.
func (l fieldList) holds(n uint64) bool {
	for _, r := range l {
		if n >= r.low && n <= r.high {
			return true
		}
	}
	return false
}
