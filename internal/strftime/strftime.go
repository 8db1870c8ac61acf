// Package strftime formats times as C's strftime does in the C locale, with
// glibc's flags and widths and, for date, ls and find, gnulib's additions.
package strftime

import (
	"strconv"
	"strings"
	"time"
)

var (
	days   = [...]string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}
	months = [...]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
)

// directive is one % conversion: %[flags][width][E|O]verb.
type directive struct {
	pad   byte // 0 by the verb, else '-', '_', '0' or '+'
	upper bool // ^
	swap  bool // #
	width int
	colon int // of %:z
	verb  byte
	alt   byte // E or O
}

// maxWidth bounds a field; a wider one is cut to it.
const maxWidth = 1 << 12

// Append appends t by format. gnu adds what gnulib has over glibc: %N, %q, %:z.
// An unknown conversion is copied as it stands.
func Append(b []byte, format string, t time.Time, gnu bool) []byte {
	for {
		i := strings.IndexByte(format, '%')
		if i < 0 {
			return append(b, format...)
		}
		b = append(b, format[:i]...)
		format = format[i:]
		d, n := parse(format, gnu)
		if n == 0 {
			return d.bad(b, format, gnu)
		}
		out, ok := d.append(b, t, gnu)
		if !ok {
			out = d.bad(b, format[:n], gnu)
		}
		b, format = out, format[n:]
	}
}

// Format is Append to a string.
func Format(format string, t time.Time, gnu bool) string {
	return string(Append(nil, format, t, gnu))
}

func parse(f string, gnu bool) (d directive, n int) {
	i := 1
flags:
	for ; i < len(f); i++ {
		switch f[i] {
		case '_', '-', '0':
			d.pad = f[i]
		case '+':
			if !gnu {
				break flags
			}
			d.pad = '+'
		case '^':
			d.upper = true
		case '#':
			d.swap = true
		default:
			break flags
		}
	}
	for ; i < len(f) && f[i] >= '0' && f[i] <= '9'; i++ {
		d.width = min(d.width*10+int(f[i]-'0'), maxWidth)
	}
	if i < len(f) && (f[i] == 'E' || f[i] == 'O') {
		d.alt = f[i]
		i++
	}
	for gnu && i < len(f) && f[i] == ':' && d.colon < 3 {
		d.colon++
		i++
	}
	if i >= len(f) {
		return d, 0
	}
	d.verb = f[i]
	return d, i + 1
}

// append writes one conversion; false: there is none such.
func (d *directive) append(b []byte, t time.Time, gnu bool) ([]byte, bool) {
	if d.colon > 0 && d.verb != 'z' || !alternative(d.alt, d.verb) {
		return b, false
	}
	switch d.verb {
	case '%':
		if *d != (directive{verb: '%'}) {
			return b, false
		}
		return append(b, '%'), true
	case 'n':
		return d.text(b, "\n"), true
	case 't':
		return d.text(b, "\t"), true
	case 'a':
		return d.text(b, days[t.Weekday()][:3]), true
	case 'A':
		return d.text(b, days[t.Weekday()]), true
	case 'b', 'h':
		return d.text(b, months[t.Month()-1][:3]), true
	case 'B':
		return d.text(b, months[t.Month()-1]), true
	case 'p', 'P':
		return d.meridian(b, t), true
	case 'Z':
		name, _ := t.Zone()
		if d.swap {
			name, d.swap, d.upper = strings.ToLower(name), false, false
		}
		return d.text(b, name), true
	case 'z':
		return d.zone(b, t, gnu), true
	case 's':
		if !gnu {
			return d.text(b, strconv.FormatInt(t.Unix(), 10)), true
		}
		return d.number(b, t.Unix(), 1, '0', gnu), true
	case 'N':
		if !gnu {
			return b, false
		}
		return d.nanoseconds(b, t), true
	}
	if gnu && d.verb == 'D' && d.pad != 0 {
		// gnulib hands the padding on to the year.
		year := directive{verb: 'y', pad: d.pad}
		text, _ := year.field(Append(nil, "%m/%d/", t, gnu), t, gnu)
		return d.text(b, string(text)), true
	}
	if d.verb == 'F' && gnu {
		// The year takes the width that month and day leave.
		if d.pad == 0 && d.width == 0 {
			d.pad = '+'
		}
		d.width = max(d.width-6, 0)
		return Append(d.year(b, int64(t.Year()), gnu), "-%m-%d", t, gnu), true
	}
	if sub, ok := composite(d.verb); ok {
		return d.text(b, string(Append(nil, sub, t, gnu))), true
	}
	return d.field(b, t, gnu)
}

// alternative reports whether a verb takes the modifier E or O, which change
// nothing in the C locale.
func alternative(modifier, verb byte) bool {
	switch modifier {
	case 'E':
		return strings.IndexByte("aAbhBdDeFHIjklMmNSUVgGWw%", verb) < 0
	case 'O':
		return strings.IndexByte("aADFcxXYq%", verb) < 0
	}
	return true
}

// bad copies a conversion that is none, in the width it asks for.
func (d *directive) bad(b []byte, text string, gnu bool) []byte {
	if d.verb == '%' {
		if !gnu {
			return d.text(b, "%")
		}
		d.width++
	}
	d.swap = false
	return d.text(b, text)
}

// composite is what a conversion stands for in the C locale.
func composite(verb byte) (string, bool) {
	switch verb {
	case 'c':
		return "%a %b %e %H:%M:%S %Y", true
	case 'D', 'x':
		return "%m/%d/%y", true
	case 'F':
		return "%Y-%m-%d", true
	case 'r':
		return "%I:%M:%S %p", true
	case 'R':
		return "%H:%M", true
	case 'T', 'X':
		return "%H:%M:%S", true
	}
	return "", false
}

func (d *directive) field(b []byte, t time.Time, gnu bool) ([]byte, bool) {
	hour := t.Hour() % 12
	if hour == 0 {
		hour = 12
	}
	year := int64(t.Year())
	switch d.verb {
	case 'C':
		century := year / 100
		if year < 0 && year%100 != 0 {
			century--
		}
		return d.number(b, century, 2, '0', gnu), true
	case 'd':
		return d.number(b, int64(t.Day()), 2, '0', gnu), true
	case 'e':
		return d.number(b, int64(t.Day()), 2, '_', gnu), true
	case 'g':
		y, _ := t.ISOWeek()
		return d.number(b, int64((y%100+100)%100), 2, '0', gnu), true
	case 'G':
		y, _ := t.ISOWeek()
		return d.year(b, int64(y), gnu), true
	case 'H':
		return d.number(b, int64(t.Hour()), 2, '0', gnu), true
	case 'I':
		return d.number(b, int64(hour), 2, '0', gnu), true
	case 'j':
		return d.number(b, int64(t.YearDay()), 3, '0', gnu), true
	case 'k':
		return d.number(b, int64(t.Hour()), 2, '_', gnu), true
	case 'l':
		return d.number(b, int64(hour), 2, '_', gnu), true
	case 'm':
		return d.number(b, int64(t.Month()), 2, '0', gnu), true
	case 'M':
		return d.number(b, int64(t.Minute()), 2, '0', gnu), true
	case 'q':
		if !gnu {
			return b, false
		}
		return d.number(b, int64(t.Month()-1)/3+1, 1, '0', gnu), true
	case 'S':
		return d.number(b, int64(t.Second()), 2, '0', gnu), true
	case 'u':
		return d.number(b, int64(t.Weekday()+6)%7+1, 1, '0', gnu), true
	case 'w':
		return d.number(b, int64(t.Weekday()), 1, '0', gnu), true
	case 'U':
		return d.number(b, int64(t.YearDay()-1+7-int(t.Weekday()))/7, 2, '0', gnu), true
	case 'W':
		return d.number(b, int64(t.YearDay()-1+7-(int(t.Weekday())+6)%7)/7, 2, '0', gnu), true
	case 'V':
		_, w := t.ISOWeek()
		return d.number(b, int64(w), 2, '0', gnu), true
	case 'y':
		return d.number(b, (year%100+100)%100, 2, '0', gnu), true
	case 'Y':
		return d.year(b, year, gnu), true
	case '+':
		if !gnu {
			return d.text(b, string(Append(nil, "%a %b %e %H:%M:%S %Z %Y", t, gnu))), false
		}
	}
	return b, false
}

// year has four digits in gnulib, as many as it needs in glibc.
func (d *directive) year(b []byte, year int64, gnu bool) []byte {
	least := 1
	if gnu {
		least = 4
	}
	return d.number(b, year, least, '0', gnu)
}

// number writes n with at least least digits, padded by pad unless a flag says
// otherwise.
func (d *directive) number(b []byte, n int64, least int, pad byte, gnu bool) []byte {
	plus := d.pad == '+'
	if plus {
		pad = '0'
	} else if d.pad != 0 {
		pad = d.pad
	}
	sign := ""
	digits := strconv.FormatInt(n, 10)
	if n < 0 {
		sign, digits = "-", digits[1:]
	} else if plus && strings.IndexByte("CFGYgy", d.verb) >= 0 && (len(digits) > least || d.width > least) {
		sign = "+"
	}
	if pad == '-' {
		return append(append(b, sign...), digits...)
	}
	width := max(d.width, least)
	if gnu && d.width > 0 {
		width = d.width
	}
	if pad == '_' {
		b = fill(b, ' ', width-len(sign)-len(digits))
		return append(append(b, sign...), digits...)
	}
	b = append(b, sign...)
	b = fill(b, '0', width-len(sign)-len(digits))
	return append(b, digits...)
}

// text writes a word in its width, padded by blanks unless 0 is asked for.
func (d *directive) text(b []byte, s string) []byte {
	if d.pad != '-' {
		with := byte(' ')
		if d.pad == '0' || d.pad == '+' {
			with = '0'
		}
		b = fill(b, with, d.width-len(s))
	}
	if d.upper || d.swap && d.verb != 'c' {
		s = strings.ToUpper(s)
	}
	return append(b, s...)
}

func (d *directive) meridian(b []byte, t time.Time) []byte {
	s := "AM"
	if t.Hour() >= 12 {
		s = "PM"
	}
	if d.verb == 'P' || d.swap {
		s = strings.ToLower(s)
		d.swap, d.upper = false, false
	}
	return d.text(b, s)
}

// zone is +hhmm, with colons +hh:mm, +hh:mm:ss, and as short as it can be.
func (d *directive) zone(b []byte, t time.Time, gnu bool) []byte {
	_, offset := t.Zone()
	sign := "+"
	if offset < 0 {
		sign, offset = "-", -offset
	}
	h, m, s := offset/3600, offset/60%60, offset%60
	two := func(n int) string { return string([]byte{'0' + byte(n/10), '0' + byte(n%10)}) }
	if !gnu {
		return d.zoneGlibc(b, sign, h*100+m)
	}
	digits, least := strconv.Itoa(h*100+m), 5
	switch {
	case d.colon == 1 || d.colon == 3 && s == 0 && m != 0:
		digits, least = strconv.Itoa(h)+":"+two(m), 6
	case d.colon == 2 || d.colon == 3 && s != 0:
		digits, least = strconv.Itoa(h)+":"+two(m)+":"+two(s), 9
	case d.colon == 3:
		digits, least = strconv.Itoa(h), 3
	}
	if d.width > 0 {
		least = d.width
	}
	missing := least - len(sign) - len(digits)
	if d.pad == '_' {
		b = fill(b, ' ', missing)
	}
	b = append(b, sign...)
	if d.pad != '_' && d.pad != '-' {
		b = fill(b, '0', missing)
	}
	return append(b, digits...)
}

// zoneGlibc pads the sign and the digits each to the width, as glibc does.
func (d *directive) zoneGlibc(b []byte, sign string, hhmm int) []byte {
	b = d.text(b, sign)
	sub := directive{pad: d.pad, width: d.width}
	return sub.number(b, int64(hhmm), 4, '0', false)
}

func fill(b []byte, c byte, n int) []byte {
	for ; n > 0; n-- {
		b = append(b, c)
	}
	return b
}

// nanoseconds is a fraction: a width cuts it or fills it up with zeros.
func (d *directive) nanoseconds(b []byte, t time.Time) []byte {
	digits := strconv.Itoa(t.Nanosecond() + 1e9)[1:]
	width := d.width
	if width == 0 {
		width = 9
	}
	if width < 9 {
		digits = digits[:width]
	}
	switch d.pad {
	case '-', '_':
		if d.pad == '-' && d.width == 0 {
			return append(b, digits...)
		}
		trimmed := strings.TrimRight(digits, "0")
		if trimmed == "" {
			trimmed = digits[:1]
		}
		b = append(b, trimmed...)
		if d.pad == '_' {
			for k := len(trimmed); k < width; k++ {
				b = append(b, ' ')
			}
		}
		return b
	}
	b = append(b, digits...)
	for k := len(digits); k < width; k++ {
		b = append(b, '0')
	}
	return b
}
