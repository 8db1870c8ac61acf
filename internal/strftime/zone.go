package strftime

import (
	"encoding/binary"
	"strings"
	"time"
)

// Zone is the location a TZ value names: a POSIX string such as EST5EDT or
// <+03>-3, or a name of the time zone database. An empty or unknown value is UTC,
// under the name the value starts with, as in glibc.
func Zone(tz string) *time.Location {
	tz = strings.TrimPrefix(tz, ":")
	if tz == "" || tz == "UTC" || tz == "UTC0" {
		return time.UTC
	}
	if location := posixZone(tz); location != nil {
		return location
	}
	if !strings.HasPrefix(tz, "/") && !strings.Contains(tz, "..") {
		if location, err := time.LoadLocation(tz); err == nil {
			return location
		}
	}
	name, _ := zoneName(tz)
	if name == "" {
		return time.UTC
	}
	return time.FixedZone(name, 0)
}

// zoneName reads the abbreviation a POSIX string starts with.
func zoneName(s string) (name, rest string) {
	if strings.HasPrefix(s, "<") {
		if end := strings.IndexByte(s, '>'); end > 3 {
			return s[1:end], s[end+1:]
		}
		return "", s
	}
	i := 0
	for i < len(s) && s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z' {
		i++
	}
	if i < 3 {
		return "", s
	}
	return s[:i], s[i:]
}

// zoneOffset reads [+-]hh[:mm[:ss]] as seconds west of Greenwich.
func zoneOffset(s string) (seconds int, rest string, ok bool) {
	sign := 1
	if s != "" && (s[0] == '+' || s[0] == '-') {
		if s[0] == '-' {
			sign = -1
		}
		s = s[1:]
	}
	for unit := 3600; unit > 0; unit /= 60 {
		n, i := 0, 0
		for i < len(s) && i < 3 && s[i] >= '0' && s[i] <= '9' {
			n = n*10 + int(s[i]-'0')
			i++
		}
		if i == 0 {
			return 0, s, false
		}
		seconds += n * unit
		s = s[i:]
		if !strings.HasPrefix(s, ":") {
			break
		}
		s = s[1:]
	}
	return sign * seconds, s, seconds <= 24*3600+3599
}

// posixZone makes a location of a POSIX TZ string, nil when it is none.
func posixZone(tz string) *time.Location {
	name, rest := zoneName(tz)
	if name == "" || rest == "" {
		return nil
	}
	west, rest, ok := zoneOffset(rest)
	if !ok {
		return nil
	}
	if rest == "" {
		return time.FixedZone(name, -west)
	}
	daylight, rule := zoneName(rest)
	if daylight == "" {
		return nil
	}
	if !strings.Contains(rule, ",") {
		// glibc's rule for a string that has none is that of the USA.
		tz += ",M3.2.0,M11.1.0"
	}
	location, err := time.LoadLocationFromTZData(tz, tzData(name, -west, tz))
	if err != nil {
		return nil
	}
	return location
}

// tzData is a time zone file of one zone without transitions, whose footer says
// how things go on: the POSIX string.
func tzData(name string, offset int, footer string) []byte {
	block := func() []byte {
		b := make([]byte, 0, 64)
		b = append(b, "TZif2"...)
		b = append(b, make([]byte, 15)...)
		for _, n := range []uint32{0, 0, 0, 0, 1, uint32(len(name) + 1)} {
			b = binary.BigEndian.AppendUint32(b, n)
		}
		b = binary.BigEndian.AppendUint32(b, uint32(int32(offset)))
		b = append(b, 0, 0)
		return append(append(b, name...), 0)
	}
	data := append(block(), block()...)
	return append(data, "\n"+footer+"\n"...)
}
