// Package dateparse reads the dates that GNU programs take (date -d, touch -d,
// find -newermt): gnulib's parse_datetime grammar, quirks included.
package dateparse

import (
	"strings"
	"time"
)

// Zone finds the location that a TZ value names.
type Zone func(tz string) *time.Location

// Parse reads text. What it leaves out is taken from now, in now's location;
// zone serves a leading TZ="…" and may be nil.
func Parse(text string, now time.Time, zone Zone) (time.Time, bool) {
	text = strings.TrimLeft(text, " \t\n\v\f\r")
	if rest, ok := strings.CutPrefix(text, `TZ="`); ok && zone != nil {
		if tz, after, ok := quoted(rest); ok {
			t, parsed := parse(strings.TrimLeft(after, " \t\n\v\f\r"), now.In(zone(tz)))
			return t.In(now.Location()), parsed
		}
	}
	return parse(text, now)
}

// quoted reads up to the closing quote; a backslash protects a quote and itself.
func quoted(s string) (value, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return b.String(), s[i+1:], true
		case c == '\\':
			i++
			if i == len(s) || s[i] != '\\' && s[i] != '"' {
				return "", "", false
			}
			b.WriteByte(s[i])
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}

// amount is a relative time.
type amount struct{ year, month, day, hour, minute, second, nanos int64 }

func (a *amount) add(b amount, factor int64) {
	a.year += b.year * factor
	a.month += b.month * factor
	a.day += b.day * factor
	a.hour += b.hour * factor
	a.minute += b.minute * factor
	a.second += b.second * factor
	a.nanos += b.nanos * factor
}

const meridian24 = 2

type parser struct {
	lexer lexer
	token token

	year                                        token
	month, day                                  int64
	hour, minute, second, nanos                 int64
	meridian                                    int64
	ordinal, weekday                            int64
	zone                                        int64
	relative                                    amount
	dates, days, times, zones, localZones, dsts int
	relatives                                   bool
	localDST                                    int64
}

func (p *parser) advance() token {
	t := p.token
	p.token = p.lexer.next()
	return t
}

func (p *parser) isChar(c byte) bool { return p.token.kind == char && p.token.value == int64(c) }

func (k kind) isUnit() bool { return k >= yearUnit }

// parse reads text without a TZ prefix.
func parse(text string, now time.Time) (time.Time, bool) {
	if text == "" {
		text = "0"
	}
	p := &parser{meridian: meridian24}
	p.year.value = int64(now.Year())
	p.month, p.day = int64(now.Month()), int64(now.Day())
	p.hour, p.minute, p.second, p.nanos = int64(now.Hour()), int64(now.Minute()), int64(now.Second()), int64(now.Nanosecond())
	p.lexer = lexer{text: text, local: localNames(now)}
	p.token = p.lexer.next()
	if p.isChar('@') {
		return p.timespec(now)
	}
	for p.token.kind != end {
		if !p.item() {
			return time.Time{}, false
		}
	}
	return p.result(now)
}

// localNames are the names that the zone goes by around now.
func localNames(now time.Time) []word {
	add := func(words []word, t time.Time) []word {
		name, _ := t.Zone()
		w := word{name: strings.ToUpper(name), kind: localZone}
		if t.IsDST() {
			w.value = 1
		}
		return append(words, w)
	}
	words := add(nil, now)
	for quarter := 1; quarter <= 3; quarter++ {
		if probe := now.Add(time.Duration(quarter) * 90 * 24 * time.Hour); probe.IsDST() != now.IsDST() {
			return add(words, probe)
		}
	}
	return words
}

func (p *parser) timespec(now time.Time) (time.Time, bool) {
	p.advance()
	t := p.advance()
	switch t.kind {
	case unsignedNumber, signedNumber, unsignedDecimal, signedDecimal:
	default:
		return time.Time{}, false
	}
	return time.Unix(t.value, t.nanos).In(now.Location()), p.token.kind == end && representable(t.value)
}

// representable bounds what the arithmetic of package time can hold.
func representable(seconds int64) bool { return seconds > -1<<56 && seconds < 1<<56 }

// item reads one item of the grammar, preferring to go on where it could stop.
func (p *parser) item() bool {
	t := p.advance()
	switch t.kind {
	case unsignedNumber:
		return p.number(t)
	case monthWord:
		return p.monthFirst(t)
	case dayWord:
		p.days++
		p.ordinal, p.weekday = 0, t.value
		if p.isChar(',') {
			p.advance()
		}
		return true
	case ordinalWord:
		if p.token.kind == dayWord {
			p.days++
			p.ordinal, p.weekday = t.value, p.advance().value
			return true
		}
		return p.token.kind.isUnit() && p.units(t)
	case unsignedDecimal, signedDecimal:
		return p.token.kind == secondUnit && p.units(t)
	case signedNumber:
		return p.token.kind.isUnit() && p.units(t)
	case dayShift:
		p.apply(amount{day: t.value}, 1)
		return true
	case localZone:
		p.localZones++
		p.localDST = t.value
		if p.token.kind == dstWord {
			p.advance()
			p.localDST = 1
			p.dsts++
		}
		return true
	case daylightZone:
		p.zones++
		p.zone = t.value + 3600
		return true
	case zoneWord:
		return p.zoneName(t.value, true)
	case militaryT:
		return p.zoneName(-7*3600, false)
	}
	if t.kind.isUnit() {
		return p.relativeUnit(token{kind: ordinalWord, value: 1}, t)
	}
	return false
}

// zoneName reads what may follow a zone: DST, an offset or a relative time.
func (p *parser) zoneName(seconds int64, offsets bool) bool {
	p.zones++
	p.zone = seconds
	if offsets && p.token.kind == dstWord {
		p.advance()
		p.zone += 3600
		return true
	}
	if p.token.kind != signedNumber {
		return true
	}
	t := p.advance()
	if p.token.kind.isUnit() {
		p.apply(p.amountOf(t, p.advance()), 1)
		return true
	}
	if !offsets || !p.offset(t) {
		return false
	}
	p.zone += seconds
	return true
}

// offset reads the rest of +HH, +HHMM or +HH:MM.
func (p *parser) offset(t token) bool {
	value := t.value
	if p.isChar(':') {
		p.advance()
		if p.token.kind != unsignedNumber {
			return false
		}
		minutes := p.advance().value
		if t.negative {
			minutes = -minutes
		}
		if value > 99 || value < -99 || minutes > 9999 || minutes < -9999 {
			return false
		}
		value = value*60 + minutes
	} else {
		if t.digits <= 2 {
			value *= 100
		}
		value = value/100*60 + value%100
	}
	if value < -24*60 || value > 24*60 {
		return false
	}
	p.zone = value * 60
	return true
}

// units reads a unit after its number, and "ago".
func (p *parser) units(n token) bool { return p.relativeUnit(n, p.advance()) }

func (p *parser) relativeUnit(n, unit token) bool {
	a := p.amountOf(n, unit)
	factor := int64(1)
	if p.token.kind == agoWord {
		factor = p.advance().value
	}
	p.apply(a, factor)
	return true
}

func (p *parser) amountOf(n, unit token) (a amount) {
	// Far beyond any time there is, and far from overflow.
	const limit = 1 << 40
	value := max(-limit, min(limit, n.value)) * unit.value
	switch unit.kind {
	case yearUnit:
		a.year = value
	case monthUnit:
		a.month = value
	case dayUnit:
		a.day = value
	case hourUnit:
		a.hour = value
	case minuteUnit:
		a.minute = value
	case secondUnit:
		a.second, a.nanos = value, n.nanos
	}
	return a
}

func (p *parser) apply(a amount, factor int64) {
	p.relative.add(a, factor)
	p.relatives = true
}

// number reads an item that starts with an unsigned number.
func (p *parser) number(t token) bool {
	switch kind := p.token.kind; {
	case kind == meridianWord:
		p.time(t.value, 0, token{})
		p.meridian = p.advance().value
		return true
	case p.isChar(':'):
		p.advance()
		return p.clock(t)
	case p.isChar('/'):
		p.advance()
		return p.slashes(t)
	case kind == monthWord:
		p.dates++
		p.day, p.month = t.value, p.advance().value
		switch p.token.kind {
		case signedNumber: // 17-JUN-1992
			p.setYear(p.advance(), true)
		case unsignedNumber:
			p.setYear(p.advance(), false)
		}
		return true
	case kind == dayWord:
		p.days++
		p.ordinal, p.weekday = t.value, p.advance().value
		return true
	case kind.isUnit():
		return p.units(t)
	case kind == signedNumber:
		return p.numberSigned(t, p.advance())
	}
	p.digits(t)
	return true
}

// numberSigned reads what starts with a number and a signed one: an ISO date, an
// hour with a zone, or digits with a relative time.
func (p *parser) numberSigned(first, second token) bool {
	switch {
	case p.token.kind == signedNumber:
		p.setYear(first, false)
		p.month, p.day = -second.value, -p.advance().value
		p.dates++
		if p.token.kind != militaryT {
			return true
		}
		p.advance()
		if p.token.kind != unsignedNumber {
			return false
		}
		hour := p.advance()
		switch {
		case p.isChar(':'):
			p.advance()
			return p.clockISO(hour)
		case p.token.kind == signedNumber:
			p.time(hour.value, 0, token{})
			p.zones++
			return p.offset(p.advance())
		}
		return false
	case p.token.kind.isUnit():
		p.digits(first)
		p.apply(p.amountOf(second, p.advance()), 1)
		return true
	}
	p.time(first.value, 0, token{})
	p.zones++
	return p.offset(second)
}

func (p *parser) time(hour, minute int64, second token) {
	p.times++
	p.hour, p.minute, p.second, p.nanos, p.meridian = hour, minute, second.value, second.nanos, meridian24
}

// clock reads the rest of HH:MM[:SS] with a meridian or a zone.
func (p *parser) clock(hour token) bool { return p.clockRest(hour, true) }

func (p *parser) clockISO(hour token) bool { return p.clockRest(hour, false) }

func (p *parser) clockRest(hour token, meridian bool) bool {
	if p.token.kind != unsignedNumber {
		return false
	}
	minute := p.advance().value
	var second token
	if p.isChar(':') {
		p.advance()
		if p.token.kind != unsignedNumber && p.token.kind != unsignedDecimal {
			return false
		}
		second = p.advance()
	}
	p.time(hour.value, minute, second)
	switch {
	case p.token.kind == meridianWord && meridian:
		p.meridian = p.advance().value
	case p.token.kind == signedNumber:
		p.zones++
		return p.offset(p.advance())
	}
	return true
}

func (p *parser) slashes(first token) bool {
	if p.token.kind != unsignedNumber {
		return false
	}
	second := p.advance()
	p.dates++
	if !p.isChar('/') {
		p.month, p.day = first.value, second.value
		return true
	}
	p.advance()
	if p.token.kind != unsignedNumber {
		return false
	}
	third := p.advance()
	if first.digits >= 4 {
		p.setYear(first, false)
		p.month, p.day = second.value, third.value
	} else {
		p.month, p.day = first.value, second.value
		p.setYear(third, false)
	}
	return true
}

func (p *parser) monthFirst(t token) bool {
	p.dates++
	p.month = t.value
	switch p.token.kind {
	case signedNumber: // jun-17-1992
		p.day = -p.advance().value
		if p.token.kind != signedNumber {
			return false
		}
		p.setYear(p.advance(), true)
		return true
	case unsignedNumber:
		p.day = p.advance().value
		if !p.isChar(',') {
			return true
		}
		p.advance()
		if p.token.kind != unsignedNumber {
			return false
		}
		p.setYear(p.advance(), false)
		return true
	}
	return false
}

// setYear takes a year; dashed ones were read with their dash as a sign.
func (p *parser) setYear(t token, dashed bool) {
	if dashed {
		t.value = -t.value
	}
	p.year = t
}

// digits takes a bare number for a year, a date or a time, by what was seen
// before and how long it is.
func (p *parser) digits(t token) {
	switch {
	case p.dates > 0 && p.year.digits == 0 && !p.relatives && (p.times > 0 || t.digits > 2):
		p.year = t
	case t.digits > 4:
		p.dates++
		p.day, p.month = t.value%100, t.value/100%100
		p.year = token{value: t.value / 10000, digits: t.digits - 4}
	case t.digits <= 2:
		p.time(t.value, 0, token{})
	default:
		p.time(t.value/100, t.value%100, token{})
	}
}
