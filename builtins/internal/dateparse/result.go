package dateparse

import "time"

// result makes the time of what was read.
func (p *parser) result(now time.Time) (time.Time, bool) {
	none := time.Time{}
	if p.times > 1 || p.dates > 1 || p.days > 1 || p.dsts > 1 || p.localZones+p.zones > 1 {
		return none, false
	}
	year := p.year.value
	if p.year.digits == 2 && year >= 0 {
		if year += 1900; year < 1969 {
			year += 100
		}
	}
	if p.times > 0 || p.relatives && p.dates == 0 && p.days == 0 {
		if p.hour = p.to24(); p.hour < 0 {
			return none, false
		}
	} else {
		p.hour, p.minute, p.second, p.nanos = 0, 0, 0, 0
	}
	if !small(year) || !small(p.month) || !small(p.day) || !small(p.minute) || !small(p.second) {
		return none, false
	}
	location := now.Location()
	if p.zones > 0 {
		location = time.FixedZone("", int(p.zone))
	}
	at := func(year, month, day int64) time.Time {
		return time.Date(int(year), time.Month(month), int(day), int(p.hour), int(p.minute), int(p.second), 0, location)
	}
	t := at(year, p.month, p.day)
	if int64(t.Year()) != year || int64(t.Month()) != p.month || int64(t.Day()) != p.day ||
		int64(t.Hour()) != p.hour || int64(t.Minute()) != p.minute || int64(t.Second()) != p.second {
		return none, false // no such day, or an hour that the clocks leave out
	}
	t, ok := p.chosen(t, now)
	if !ok {
		return none, false
	}
	if p.days > 0 && p.dates == 0 {
		days := p.ordinal
		weekday := int64(t.Weekday())
		if p.ordinal > 0 && weekday != p.weekday {
			days--
		}
		days = days*7 + (p.weekday-weekday+7)%7
		if !small(days) {
			return none, false
		}
		year, p.month, p.day = int64(t.Year()), int64(t.Month()), int64(t.Day())+days
		t = at(year, p.month, p.day)
	}
	if r := p.relative; r.year != 0 || r.month != 0 || r.day != 0 {
		year, month, day := int64(t.Year())+r.year, int64(t.Month())+r.month, int64(t.Day())+r.day
		if !small(year) || !small(month) || !small(day) {
			return none, false
		}
		t = p.keepDST(at(year, month, day), now)
	}
	seconds := t.Unix() + p.relative.hour*3600 + p.relative.minute*60 + p.relative.second
	if !representable(seconds) {
		return none, false
	}
	return time.Unix(seconds, p.nanos+p.relative.nanos).In(now.Location()), true
}

// daylight is whether daylight saving time is asked for: by a named zone, or
// by now where all is relative to it.
func (p *parser) daylight(now time.Time) (daylight, known bool) {
	switch {
	case p.localZones > 0:
		return p.localDST == 1, true
	case p.zones > 0 || p.dates > 0 || p.days > 0 || p.times > 0:
		return false, false
	}
	return now.IsDST(), true
}

// chosen picks the reading of an hour that the clocks show twice. A named zone
// that does not hold then is no time at all.
func (p *parser) chosen(t, now time.Time) (time.Time, bool) {
	want, known := p.daylight(now)
	if !known || t.IsDST() == want {
		return t, true
	}
	for _, hours := range [2]time.Duration{1, -1} {
		if other := t.Add(hours * time.Hour); other.IsDST() == want && other.Hour() == t.Hour() {
			return other, true
		}
	}
	return t, p.localZones == 0
}

// keepDST does what mktime does with a date on the other side of a change of
// the clocks, when it is told which side it came from.
func (p *parser) keepDST(t, now time.Time) time.Time {
	want, known := p.daylight(now)
	switch {
	case !known || t.IsDST() == want:
		return t
	case want:
		return t.Add(-time.Hour)
	}
	return t.Add(time.Hour)
}

func small(n int64) bool { return n > -1<<31 && n < 1<<31 }

func (p *parser) to24() int64 {
	switch {
	case p.meridian == meridian24 && p.hour >= 0 && p.hour < 24:
		return p.hour
	case p.meridian == meridian24 || p.hour < 1 || p.hour > 12:
		return -1
	}
	return p.hour%12 + 12*p.meridian
}
