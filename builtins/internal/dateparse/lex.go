package dateparse

import (
	"math"
	"strings"
	"time"
)

type kind uint8

const (
	end kind = iota
	unknown
	char // punctuation: token.value is the byte
	unsignedNumber
	signedNumber
	unsignedDecimal
	signedDecimal
	meridianWord
	monthWord
	dayWord
	zoneWord
	daylightZone
	localZone
	dstWord
	ordinalWord
	dayShift
	agoWord
	militaryT
	yearUnit
	monthUnit
	dayUnit
	hourUnit
	minuteUnit
	secondUnit
)

// token is a word of the input. A number keeps how many digits it had; a
// decimal one its nanoseconds.
type token struct {
	kind     kind
	value    int64
	negative bool
	digits   int
	nanos    int64
}

type lexer struct {
	text string
	// local are the names of the zone, with 1 for daylight saving time.
	local []word
}

type word struct {
	name  string
	kind  kind
	value int64
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isAlpha(c byte) bool { c |= 0x20; return c >= 'a' && c <= 'z' }
func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func (l *lexer) peek() byte {
	if l.text == "" {
		return 0
	}
	return l.text[0]
}

func (l *lexer) skipSpaces() {
	for l.text != "" && isSpace(l.text[0]) {
		l.text = l.text[1:]
	}
}

func (l *lexer) next() token {
	for {
		l.skipSpaces()
		c := l.peek()
		switch {
		case l.text == "":
			return token{kind: end}
		case isDigit(c):
			return l.number(0)
		case c == '-' || c == '+':
			sign := 1
			if c == '-' {
				sign = -1
			}
			l.text = l.text[1:]
			l.skipSpaces()
			if isDigit(l.peek()) {
				return l.number(sign)
			}
			continue // a sign alone says nothing
		case isAlpha(c):
			n := 0
			for n < len(l.text) && (isAlpha(l.text[n]) || l.text[n] == '.') {
				n++
			}
			text := l.text[:n]
			l.text = l.text[n:]
			return l.lookup(text[:min(n, 19)])
		case c != '(':
			l.text = l.text[1:]
			return token{kind: char, value: int64(c)}
		}
		if !l.skipComment() {
			return token{kind: end}
		}
	}
}

// skipComment passes over text in parentheses; an unclosed one ends the input.
func (l *lexer) skipComment() bool {
	depth := 0
	for i := 0; i < len(l.text); i++ {
		switch l.text[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			l.text = l.text[i+1:]
			return true
		}
	}
	l.text = ""
	return false
}

func (l *lexer) number(sign int) token {
	var value int64
	n := 0
	for ; n < len(l.text) && isDigit(l.text[n]); n++ {
		digit := int64(l.text[n] - '0')
		if value > (math.MaxInt64-digit)/10 {
			return token{kind: unknown}
		}
		value = value*10 + digit
	}
	rest := l.text[n:]
	if sign < 0 {
		value = -value
	}
	if len(rest) < 2 || rest[0] != '.' && rest[0] != ',' || !isDigit(rest[1]) {
		l.text = rest
		t := token{kind: unsignedNumber, value: value, negative: sign < 0, digits: n}
		if sign != 0 {
			t.kind = signedNumber
		}
		return t
	}
	rest = rest[1:]
	var nanos int64
	for range 9 {
		nanos *= 10
		if rest != "" && isDigit(rest[0]) {
			nanos += int64(rest[0] - '0')
			rest = rest[1:]
		}
	}
	more := false
	for rest != "" && isDigit(rest[0]) {
		more = more || rest[0] != '0'
		rest = rest[1:]
	}
	l.text = rest
	t := token{kind: unsignedDecimal, value: value, nanos: nanos}
	if sign != 0 {
		t.kind = signedDecimal
	}
	if sign < 0 {
		if more {
			t.nanos++
		}
		if t.nanos > 0 {
			t.value--
			t.nanos = int64(time.Second) - t.nanos
		}
	}
	return t
}

func (l *lexer) lookup(text string) token {
	name := strings.ToUpper(text)
	switch name {
	case "AM", "A.M.":
		return token{kind: meridianWord, value: 0}
	case "PM", "P.M.":
		return token{kind: meridianWord, value: 1}
	}
	short := len(name) == 3 || len(name) == 4 && name[3] == '.'
	for _, w := range monthsAndDays {
		if name == w.name || short && name[:3] == w.name[:3] {
			return token{kind: w.kind, value: w.value}
		}
	}
	if t, ok := l.zone(name); ok {
		return t
	}
	if name == "DST" {
		return token{kind: dstWord}
	}
	if t, ok := find(units[:], name); ok {
		return t
	}
	if t, ok := find(units[:], strings.TrimSuffix(name, "S")); ok {
		return t
	}
	if t, ok := find(relatives[:], name); ok {
		return t
	}
	if len(name) == 1 {
		return military(name[0])
	}
	if strings.Contains(name, ".") {
		if t, ok := l.zone(strings.ReplaceAll(name, ".", "")); ok {
			return t
		}
	}
	return token{kind: unknown}
}

func find(words []word, name string) (token, bool) {
	for _, w := range words {
		if w.name == name {
			return token{kind: w.kind, value: w.value}, true
		}
	}
	return token{}, false
}

func (l *lexer) zone(name string) (token, bool) {
	switch name {
	case "GMT", "UT", "UTC":
		return token{kind: zoneWord}, true
	}
	if t, ok := find(l.local, name); ok {
		return t, true
	}
	return find(zones[:], name)
}

// military zones are one letter; J is none of them.
func military(c byte) token {
	switch {
	case c >= 'A' && c <= 'I':
		return token{kind: zoneWord, value: int64(c-'A'+1) * 3600}
	case c >= 'K' && c <= 'M':
		return token{kind: zoneWord, value: int64(c-'K'+10) * 3600}
	case c == 'T':
		return token{kind: militaryT}
	case c >= 'N' && c <= 'Y':
		return token{kind: zoneWord, value: -int64(c-'N'+1) * 3600}
	case c == 'Z':
		return token{kind: zoneWord}
	}
	return token{kind: unknown}
}

var monthsAndDays = [...]word{
	{"JANUARY", monthWord, 1}, {"FEBRUARY", monthWord, 2}, {"MARCH", monthWord, 3}, {"APRIL", monthWord, 4},
	{"MAY", monthWord, 5}, {"JUNE", monthWord, 6}, {"JULY", monthWord, 7}, {"AUGUST", monthWord, 8},
	{"SEPTEMBER", monthWord, 9}, {"SEPT", monthWord, 9}, {"OCTOBER", monthWord, 10}, {"NOVEMBER", monthWord, 11},
	{"DECEMBER", monthWord, 12}, {"SUNDAY", dayWord, 0}, {"MONDAY", dayWord, 1}, {"TUESDAY", dayWord, 2},
	{"TUES", dayWord, 2}, {"WEDNESDAY", dayWord, 3}, {"WEDNES", dayWord, 3}, {"THURSDAY", dayWord, 4},
	{"THUR", dayWord, 4}, {"THURS", dayWord, 4}, {"FRIDAY", dayWord, 5}, {"SATURDAY", dayWord, 6},
}

var units = [...]word{
	{"YEAR", yearUnit, 1}, {"MONTH", monthUnit, 1}, {"FORTNIGHT", dayUnit, 14}, {"WEEK", dayUnit, 7},
	{"DAY", dayUnit, 1}, {"HOUR", hourUnit, 1}, {"MINUTE", minuteUnit, 1}, {"MIN", minuteUnit, 1},
	{"SECOND", secondUnit, 1}, {"SEC", secondUnit, 1},
}

var relatives = [...]word{
	{"TOMORROW", dayShift, 1}, {"YESTERDAY", dayShift, -1}, {"TODAY", dayShift, 0}, {"NOW", dayShift, 0},
	{"LAST", ordinalWord, -1}, {"THIS", ordinalWord, 0}, {"NEXT", ordinalWord, 1}, {"FIRST", ordinalWord, 1},
	{"THIRD", ordinalWord, 3}, {"FOURTH", ordinalWord, 4}, {"FIFTH", ordinalWord, 5}, {"SIXTH", ordinalWord, 6},
	{"SEVENTH", ordinalWord, 7}, {"EIGHTH", ordinalWord, 8}, {"NINTH", ordinalWord, 9}, {"TENTH", ordinalWord, 10},
	{"ELEVENTH", ordinalWord, 11}, {"TWELFTH", ordinalWord, 12}, {"AGO", agoWord, -1}, {"HENCE", agoWord, 1},
}

// zones are seconds east of Greenwich in standard time.
var zones = [...]word{
	{"WET", zoneWord, 0}, {"WEST", daylightZone, 0}, {"BST", daylightZone, 0}, {"ART", zoneWord, -3 * 3600},
	{"BRT", zoneWord, -3 * 3600}, {"BRST", daylightZone, -3 * 3600}, {"NST", zoneWord, -12600}, {"NDT", daylightZone, -12600},
	{"AST", zoneWord, -4 * 3600}, {"ADT", daylightZone, -4 * 3600}, {"CLT", zoneWord, -4 * 3600}, {"CLST", daylightZone, -4 * 3600},
	{"EST", zoneWord, -5 * 3600}, {"EDT", daylightZone, -5 * 3600}, {"CST", zoneWord, -6 * 3600}, {"CDT", daylightZone, -6 * 3600},
	{"MST", zoneWord, -7 * 3600}, {"MDT", daylightZone, -7 * 3600}, {"PST", zoneWord, -8 * 3600}, {"PDT", daylightZone, -8 * 3600},
	{"AKST", zoneWord, -9 * 3600}, {"AKDT", daylightZone, -9 * 3600}, {"HST", zoneWord, -10 * 3600}, {"HAST", zoneWord, -10 * 3600},
	{"HADT", daylightZone, -10 * 3600}, {"SST", zoneWord, -12 * 3600}, {"WAT", zoneWord, 3600}, {"CET", zoneWord, 3600},
	{"CEST", daylightZone, 3600}, {"MET", zoneWord, 3600}, {"MEZ", zoneWord, 3600}, {"MEST", daylightZone, 3600},
	{"MESZ", daylightZone, 3600}, {"EET", zoneWord, 2 * 3600}, {"EEST", daylightZone, 2 * 3600}, {"CAT", zoneWord, 2 * 3600},
	{"SAST", zoneWord, 2 * 3600}, {"EAT", zoneWord, 3 * 3600}, {"MSK", zoneWord, 3 * 3600}, {"MSD", daylightZone, 3 * 3600},
	{"IST", zoneWord, 19800}, {"SGT", zoneWord, 8 * 3600}, {"KST", zoneWord, 9 * 3600}, {"JST", zoneWord, 9 * 3600},
	{"GST", zoneWord, 10 * 3600}, {"NZST", zoneWord, 12 * 3600}, {"NZDT", daylightZone, 12 * 3600},
}
