package jq

import (
	"math"
	"strings"
	"time"

	"github.com/vsh-project/vsh/internal/strftime"
)

func dateBuiltin(key string) native {
	switch key {
	case "now/0":
		return func(m *Machine, _ Value, _ []Value) (Value, error) {
			if m.world.Now == nil {
				return 0.0, nil
			}
			return float64(m.world.Now().UnixMicro()) / 1e6, nil
		}
	case "gmtime/0", "localtime/0":
		return func(m *Machine, in Value, _ []Value) (Value, error) {
			name, zone := "gmtime", time.UTC
			if key == "localtime/0" {
				name, zone = "localtime", m.zone()
			}
			seconds, ok := in.(float64)
			if !ok {
				return nil, raise("%s() requires numeric inputs", name)
			}
			return brokenDown(seconds, zone)
		}
	case "mktime/0":
		return mktime
	case "strftime/1":
		return func(m *Machine, in Value, args []Value) (Value, error) {
			return m.strftime(in, args[0], "strftime/1", time.UTC)
		}
	case "strflocaltime/1":
		return func(m *Machine, in Value, args []Value) (Value, error) {
			return m.strftime(in, args[0], "strflocaltime/1", m.zone())
		}
	case "strptime/1":
		return strptime
	}
	return nil
}

func (m *Machine) zone() *time.Location {
	if m.world.Zone == nil {
		return time.UTC
	}
	return m.world.Zone
}

// maxSeconds is about the last second of the years C's struct tm can hold.
const maxSeconds = 6.7e16

// brokenDown is [year, month from 0, day, hours, minutes, seconds, weekday,
// day of the year from 0].
func brokenDown(seconds float64, zone *time.Location) (Value, error) {
	if !(math.Abs(seconds) < maxSeconds) {
		return nil, raise("error converting number of seconds since epoch to datetime")
	}
	whole := math.Floor(seconds)
	t := time.Unix(int64(whole), 0).In(zone)
	return timeValue(t, float64(t.Second())+(seconds-whole)), nil
}

func timeValue(t time.Time, seconds float64) *Array {
	return newArray([]Value{
		float64(t.Year()), float64(t.Month() - 1), float64(t.Day()), float64(t.Hour()), float64(t.Minute()), seconds,
		float64(t.Weekday()), float64(t.YearDay() - 1),
	})
}

// fields are the numbers of a broken down time as integers.
func fields(v Value) (f [8]int, ok bool) {
	a, ok := v.(*Array)
	if !ok || a.Len() < len(f) {
		return f, false
	}
	for i := range f {
		n, ok := a.At(i).(float64)
		if !ok || !(math.Abs(n) < 1<<31) {
			return f, false
		}
		f[i] = int(n)
	}
	return f, true
}

func mktime(_ *Machine, in Value, _ []Value) (Value, error) {
	if _, ok := in.(*Array); !ok {
		return nil, raise("mktime requires array inputs")
	}
	f, ok := fields(in)
	if !ok {
		return nil, raise("mktime requires parsed datetime inputs")
	}
	t := time.Date(f[0], time.Month(f[1]+1), f[2], f[3], f[4], f[5], 0, time.UTC)
	return float64(t.Unix()), nil
}

func (m *Machine) strftime(in, format Value, name string, zone *time.Location) (Value, error) {
	if seconds, ok := in.(float64); ok {
		var err error
		if in, err = brokenDown(seconds, zone); err != nil {
			return nil, err
		}
	}
	if _, ok := in.(*Array); !ok {
		return nil, raise("%s requires parsed datetime inputs", name)
	}
	text, ok := format.(string)
	if !ok {
		return nil, raise("%s requires a string format", name)
	}
	f, ok := fields(in)
	if !ok {
		return nil, raise("%s requires parsed datetime inputs", name)
	}
	t := time.Date(f[0], time.Month(f[1]+1), f[2], f[3], f[4], f[5], 0, zone)
	out := strftime.Format(text, t, false)
	if out == "" || strings.IndexByte(out, 0) == 0 {
		return nil, raise("%s: unknown system failure", name)
	}
	return validText(out), m.memory.charge(len(out))
}
