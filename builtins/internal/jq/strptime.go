package jq

import (
	"strconv"
	"strings"
	"time"
)

// parsedTime is what strptime has read; -1 where it has not.
type parsedTime struct {
	text                                string
	year, month, day, hour, minute, sec int
	weekday, yearDay                    int
	century, shortYear                  int
	pm, hour12, hasDay, hasMonth        bool
	hasYear, hasWeekday, hasYearDay     bool
	weekSunday, weekMonday              int
	epoch                               int64
	hasEpoch                            bool
}

// strptime reads a time by a format of C's strptime.
func strptime(_ *Machine, in Value, args []Value) (Value, error) {
	s, ok := in.(string)
	format, ok2 := args[0].(string)
	if !ok || !ok2 {
		return nil, raise("strptime/1 requires string inputs and arguments")
	}
	p := &parsedTime{text: s, century: -1, shortYear: -1, weekSunday: -1, weekMonday: -1, weekday: 8, yearDay: 367}
	if !p.parse(format, 0) || p.text != "" && !isSpace(p.text[0]) {
		return nil, raise("date \"%s\" does not match format \"%s\"", s, format)
	}
	p.complete()
	items := []Value{
		float64(p.year + 1900), float64(p.month), float64(p.day), float64(p.hour), float64(p.minute), float64(p.sec),
		float64(p.weekday), float64(p.yearDay),
	}
	if p.text != "" {
		items = append(items, p.text)
	}
	return newArray(items), nil
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func (p *parsedTime) skipSpace() {
	for p.text != "" && isSpace(p.text[0]) {
		p.text = p.text[1:]
	}
}

// parse goes through a format; depth counts those within one another.
func (p *parsedTime) parse(format string, depth int) bool {
	for i := 0; i < len(format); i++ {
		c := format[i]
		switch {
		case isSpace(c):
			p.skipSpace()
			continue
		case c != '%' || i+1 == len(format):
			if p.text == "" || p.text[0] != c {
				return false
			}
			p.text = p.text[1:]
			continue
		}
		i++
		for i < len(format) && strings.IndexByte("_-0^#EO", format[i]) >= 0 {
			i++
		}
		if i == len(format) || !p.conversion(format[i], depth) {
			return false
		}
	}
	return true
}

func (p *parsedTime) number(low, high, digits int) (int, bool) {
	p.skipSpace()
	n := 0
	for n < digits && n < len(p.text) && isDigit(p.text[n]) {
		n++
	}
	v, err := strconv.Atoi(p.text[:n])
	if err != nil || v < low || v > high {
		return 0, false
	}
	p.text = p.text[n:]
	return v, true
}

func (p *parsedTime) name(long []string, short int) (int, bool) {
	for i, name := range long {
		for _, try := range []string{name, name[:short]} {
			if len(p.text) >= len(try) && strings.EqualFold(p.text[:len(try)], try) {
				p.text = p.text[len(try):]
				return i, true
			}
		}
	}
	return 0, false
}

func (p *parsedTime) conversion(c byte, depth int) (ok bool) {
	set := func(to *int, low, high, digits, less int) bool {
		v, ok := p.number(low, high, digits)
		if ok {
			*to = v - less
		}
		return ok
	}
	switch c {
	case '%':
		ok = strings.HasPrefix(p.text, "%")
		p.text = strings.TrimPrefix(p.text, "%")
		return ok
	case 'n', 't':
		p.skipSpace()
		return true
	case 'a', 'A':
		p.weekday, ok = p.name([]string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}, 3)
		p.hasWeekday = true
	case 'b', 'B', 'h':
		p.month, ok = p.name([]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}, 3)
		p.hasMonth = true
	case 'C':
		return set(&p.century, 0, 99, 2, 0)
	case 'd', 'e':
		p.hasDay = true
		return set(&p.day, 1, 31, 2, 0)
	case 'H', 'k':
		p.hour12 = false
		return set(&p.hour, 0, 23, 2, 0)
	case 'I', 'l':
		if p.hour, ok = p.number(1, 12, 2); ok {
			p.hour %= 12
			p.hour12 = true
		}
	case 'j':
		p.hasYearDay = true
		return set(&p.yearDay, 1, 366, 3, 1)
	case 'm':
		p.hasMonth = true
		return set(&p.month, 1, 12, 2, 1)
	case 'M':
		return set(&p.minute, 0, 59, 2, 0)
	case 'p', 'P':
		var half int
		half, ok = p.name([]string{"AM", "PM"}, 2)
		p.pm = half == 1
	case 's':
		n := 0
		for n < len(p.text) && isDigit(p.text[n]) {
			n++
		}
		var err error
		p.epoch, err = strconv.ParseInt(p.text[:n], 10, 64)
		p.text, p.hasEpoch = p.text[n:], true
		return err == nil
	case 'S':
		return set(&p.sec, 0, 61, 2, 0)
	case 'u':
		p.hasWeekday = true
		ok = set(&p.weekday, 1, 7, 1, 0)
		p.weekday %= 7
	case 'w':
		p.hasWeekday = true
		return set(&p.weekday, 0, 6, 1, 0)
	case 'U':
		return set(&p.weekSunday, 0, 53, 2, 0)
	case 'W':
		return set(&p.weekMonday, 0, 53, 2, 0)
	case 'V', 'g':
		_, ok = p.number(0, 99, 2)
	case 'G':
		_, ok = p.number(0, 9999, 4)
	case 'y':
		p.hasYear = true
		return set(&p.shortYear, 0, 99, 2, 0)
	case 'Y':
		p.hasYear, p.century, p.shortYear = true, -1, -1
		return set(&p.year, 0, 9999, 4, 1900)
	case 'Z':
		return true
	case 'z':
		return p.offset()
	default:
		return p.composed(c, depth)
	}
	return ok
}

// composed is a conversion that stands for others.
func (p *parsedTime) composed(c byte, depth int) bool {
	format := ""
	switch c {
	case 'c':
		format = "%a %b %e %H:%M:%S %Y"
	case 'D', 'x':
		format = "%m/%d/%y"
	case 'F':
		format = "%Y-%m-%d"
	case 'r':
		format = "%I:%M:%S %p"
	case 'R':
		format = "%H:%M"
	case 'T', 'X':
		format = "%H:%M:%S"
	}
	return format != "" && depth == 0 && p.parse(format, depth+1)
}

// offset reads Z, or a sign and hours with or without minutes. jq has no use
// for it.
func (p *parsedTime) offset() bool {
	p.skipSpace()
	if strings.HasPrefix(p.text, "Z") {
		p.text = p.text[1:]
		return true
	}
	if p.text == "" || p.text[0] != '+' && p.text[0] != '-' {
		return false
	}
	p.text = p.text[1:]
	n, value := 0, 0
	for n < 4 && p.text != "" && isDigit(p.text[0]) {
		value = value*10 + int(p.text[0]-'0')
		p.text = p.text[1:]
		if n++; n == 2 && strings.HasPrefix(p.text, ":") && len(p.text) > 1 && isDigit(p.text[1]) {
			p.text = p.text[1:]
		}
	}
	return n == 2 || n == 4 && value%100 < 60 && value <= 1400
}

// complete works out what follows from what was read, as glibc does and then
// jq.
func (p *parsedTime) complete() {
	if p.hasEpoch {
		v, _ := brokenDown(float64(p.epoch), time.UTC)
		f, _ := fields(v)
		p.year, p.month, p.day, p.hour, p.minute, p.sec = f[0]-1900, f[1], f[2], f[3], f[4], f[5]
		p.weekday, p.yearDay = f[6], f[7]
		return
	}
	if p.hour12 && p.pm {
		p.hour += 12
	}
	switch {
	case p.century >= 0 && p.shortYear >= 0:
		p.year = (p.century-19)*100 + p.shortYear
	case p.century >= 0:
		p.year = (p.century - 19) * 100
	case p.shortYear >= 69:
		p.year = p.shortYear
	case p.shortYear >= 0:
		p.year = p.shortYear + 100
	}
	p.fromYearDay()
	p.fromWeek()
	date := p.hasYear || p.hasMonth || p.hasDay || p.century >= 0
	if date && !p.hasWeekday {
		p.weekday = dayOfWeek(p.year, p.month, p.day)
	}
	if date && !p.hasYearDay {
		p.yearDay = dayOfYear(p.year, p.month, p.day)
	}
}

func leapYear(year int) bool {
	year += 1900
	return year%4 == 0 && (year%100 != 0 || year%400 == 0)
}

// dayOfYear counts from 0; year counts from 1900, month from 0.
func dayOfYear(year, month, day int) int {
	before := [...]int{0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334}
	days := before[month] + day - 1
	if month > 1 && leapYear(year) {
		days++
	}
	return days
}

func dayOfWeek(year, month, day int) int {
	y := year + 1900 - 1
	days := y*365 + y/4 - y/100 + y/400 + dayOfYear(year, month, day)
	return ((days+1)%7 + 7) % 7
}

// fromYearDay finds month and day of a day of the year.
func (p *parsedTime) fromYearDay() {
	if !p.hasYearDay || p.hasMonth && p.hasDay {
		return
	}
	month := 11
	for month > 0 && dayOfYear(p.year, month, 1) > p.yearDay {
		month--
	}
	if !p.hasMonth {
		p.month = month
	}
	if !p.hasDay {
		p.day = p.yearDay - dayOfYear(p.year, month, 1) + 1
	}
	if !p.hasWeekday {
		p.weekday, p.hasWeekday = dayOfWeek(p.year, p.month, p.day), true
	}
}

// fromWeek finds the date of a week's day.
func (p *parsedTime) fromWeek() {
	if p.weekSunday < 0 && p.weekMonday < 0 || !p.hasWeekday || p.hasMonth && p.hasDay {
		return
	}
	week, first := p.weekSunday, 0
	if week < 0 {
		week, first = p.weekMonday, 1
	}
	newYear := dayOfWeek(p.year, 0, 1)
	p.yearDay = (7-(newYear-first))%7 + (week-1)*7 + (p.weekday-first+7)%7
	p.hasYearDay = true
	month := 11
	for month > 0 && dayOfYear(p.year, month, 1) > p.yearDay {
		month--
	}
	p.month, p.day = month, p.yearDay-dayOfYear(p.year, month, 1)+1
}
