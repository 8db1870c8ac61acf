package dateparse

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The answers are those of date(1) of coreutils 9.1 at that time.
func TestParse(t *testing.T) {
	now := time.Date(2026, 12, 1, 2, 38, 49, 599e6, time.UTC)
	for _, c := range []struct{ text, want string }{
		{"", "2026-12-01 00:00:00"},
		{"now", "2026-12-01 02:38:49.599"},
		{"tomorrow", "2026-12-02 02:38:49.599"},
		{"(a comment) 3pm", "2026-12-01 15:00:00"},
		{"2024-02-29", "2024-02-29 00:00:00"},
		{"20240229", "2024-02-29 00:00:00"},
		{"2024-02-29T13:14:15Z", "2024-02-29 13:14:15"},
		{"2024-02-29 13:14:15.25 +0200", "2024-02-29 11:14:15.25"},
		{"2024-02-29T10+2", "2024-02-29 08:00:00"},
		{"29 Feb 2024", "2024-02-29 00:00:00"},
		{"Feb 29 2024 1:14pm", "2024-02-29 13:14:00"},
		{"Feb 29, 2024", "2024-02-29 00:00:00"},
		{"17-JUN-92", "1992-06-17 00:00:00"},
		{"jun-17-68", "2068-06-17 00:00:00"},
		{"1/2", "2026-01-02 00:00:00"},
		{"2024/1/2", "2024-01-02 00:00:00"},
		{"12", "2026-12-01 12:00:00"},
		{"123", "2026-12-01 01:23:00"},
		{"12am", "2026-12-01 00:00:00"},
		{"12 p.m.", "2026-12-01 12:00:00"},
		{"@-1.5", "1969-12-31 23:59:58.5"},
		{"mon.", "2026-12-07 00:00:00"},
		{"last mon", "2026-11-30 00:00:00"},
		{"2 tuesday", "2026-12-15 00:00:00"},
		{"1 month ago 3 days", "2026-11-04 02:38:49.599"},
		{"3 days hence", "2026-12-04 02:38:49.599"},
		{"next fortnight", "2026-12-15 02:38:49.599"},
		{"1,5 sec", "2026-12-01 02:38:51.099"},
		{"2024-01-31 +1 month", "2024-03-02 00:00:00"},
		{"20240101 -1 day", "2023-12-31 00:00:00"},
		{"10:00 +1 day", "2026-12-02 09:00:00"}, // +1 is read as a zone
		{"12:00 EST", "2026-12-01 17:00:00"},
		{"12:00 EDT", "2026-12-01 16:00:00"},
		{"12:00 EST dst", "2026-12-01 16:00:00"},
		{"12:00 UTC+5:30", "2026-12-01 06:30:00"},
		{"2024-01-01 00:00 A", "2023-12-31 23:00:00"},
		{"T", "2026-12-01 07:00:00"},
		{`TZ="XXX5" 2024-01-01`, "2024-01-01 05:00:00"},
	} {
		t.Run(c.text, func(t *testing.T) {
			got, ok := Parse(c.text, now, func(string) *time.Location { return time.FixedZone("XXX", -5*3600) })
			require.True(t, ok)
			require.Equal(t, c.want, got.Format("2006-01-02 15:04:05.999"))
		})
	}
	for _, text := range []string{
		"no date", "-5", "noon", "J", "24:00", "13pm", "00:00:60", "2024-13-01", "2023-02-29", "2024-01-01T", "12345", "@5 utc", "@",
		"3 day ago ago", "now hence", "2024-01-01 +5", "00:00 +24:01", "00:00 EST5", "29 Feb 1:14pm", "sept. 3", "10:00 11:00", "mon tue",
		"99999999999999999999", "2999999999 years", "@99999999999999999",
	} {
		t.Run("refused: "+text, func(t *testing.T) {
			_, ok := Parse(text, now, nil)
			require.False(t, ok)
		})
	}
}

func TestClocksThatChange(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, berlin)
	for _, c := range []struct {
		rule, text string
		unix       int64
		ok         bool
	}{
		{"an hour that is left out is no time", "2024-03-31 02:30", 0, false},
		{"a named zone picks one of two readings", "2024-10-27 02:30 CET", 1729992600, true},
		{"the other zone picks the other", "2024-10-27 02:30 CEST", 1729989000, true},
		{"a zone that does not hold then is no time", "2024-06-01 CET", 0, false},
		{"a relative date keeps now's side of the change", "-6 months", time.Date(2026, 6, 1, 13, 0, 0, 0, berlin).Unix(), true},
	} {
		t.Run(c.rule, func(t *testing.T) {
			got, ok := Parse(c.text, now, nil)
			require.Equal(t, c.ok, ok)
			if c.ok {
				require.Equal(t, c.unix, got.Unix())
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"2024-02-29T13:14+2", "last fri", "(((", `TZ="\"`, "@1.9999999999", "1 year ago +3:00"} {
		f.Add(s)
	}
	now := time.Date(2026, 12, 1, 2, 38, 49, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		a, ok := Parse(text, now, nil)
		if ok && a.Nanosecond() < 0 {
			t.Fatal(a)
		}
	})
}
