package tarformat

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNumbersKeepTheirValue(t *testing.T) {
	for _, v := range []int64{0, 1, 0o7777777, 0o10000000, 1<<33 - 1, 1 << 33, 1<<63 - 1, -1, -315619200, -1 << 62} {
		h := make(Header, BlockSize)
		require.True(t, h.SetNumber(Size, v, true))
		got, fault := ParseNumber(h.Bytes(Size), -1<<63, 1<<63-1)
		require.Nil(t, fault)
		require.Equal(t, v, got)
	}
	require.False(t, make(Header, BlockSize).SetNumber(UID, 0o10000000, false), "octal digits end")
}

func TestNumberFaults(t *testing.T) {
	for _, c := range []struct {
		rule, field string
		want        *NumberFault
	}{
		{"blanks alone", "        ", &NumberFault{Blank: true}},
		{"other letters", "abc\x00", &NumberFault{Text: "abc"}},
		{"letters after digits", "12x\x00", &NumberFault{Text: "12x"}},
		{"too great", "77777777", &NumberFault{OutOfRange: true, Text: "77777777"}},
		{"too wide", "\x80\xff\xff\xff\xff\xff\xff\xff\xff\xff", &NumberFault{OutOfRange: true}},
		{"nothing is 0", "\x00\x00\x00", nil},
		{"blanks before", "  17\x00", nil},
		{"a blank after", "17 \x00", nil},
	} {
		t.Run(c.rule, func(t *testing.T) {
			_, fault := ParseNumber([]byte(c.field), 0, 0o777777)
			require.Equal(t, c.want, fault)
		})
	}
}

func TestChecksum(t *testing.T) {
	h := make(Header, BlockSize)
	require.Equal(t, Zero, h.Check())
	h.SetText(Name, "\xff\xfe")
	h.Finish()
	require.Equal(t, Good, h.Check())
	_, signed, _ := h.sums()
	h.SetNumber(Checksum, signed, false)
	require.Equal(t, Good, h.Check(), "sums of signed bytes count too")
	h[0]++
	require.Equal(t, Bad, h.Check())
}

func TestRecordsCountThemselves(t *testing.T) {
	for _, size := range []int{0, 1, 2, 3, 90, 91, 92, 93, 94, 95, 986, 987, 988, 989, 990, 991, 992} {
		value := string(make([]byte, size))
		text := AppendRecord(nil, "k", value)
		r, rest, err := NextRecord(text)
		require.NoError(t, err)
		require.Empty(t, rest)
		require.Equal(t, Record{"k", value}, r)
	}
}

func TestRecordFaults(t *testing.T) {
	for text, want := range map[string]string{
		"x a=b\n":                    "Malformed extended header: missing length",
		"5xa=b\n":                    "Malformed extended header: missing blank after length",
		"6 abc\n":                    "Malformed extended header: missing equal sign",
		"6 a=bcd":                    "Malformed extended header: missing newline",
		"99 a=b\n":                   "Extended header length 99 a=b\n is out of range",
		"0 a=b\n":                    "Extended header length 0 a=b\n is out of range",
		"18446744073709551617 a=b\n": "Extended header length 18446744073709551617 a=b\n is out of range",
	} {
		_, _, err := NextRecord([]byte(text))
		require.EqualError(t, err, want, text)
	}
}

func TestTimes(t *testing.T) {
	for text, want := range map[string][2]int64{
		"5": {5, 0}, "5.25": {5, 250000000}, "-1": {-1, 0}, "-0.5": {-1, 500000000}, "-1.25": {-2, 750000000},
		"1.1234567891": {1, 123456789}, "-1.0000000001": {-2, 999999999},
	} {
		seconds, nanoseconds, ok := ParseTime(text)
		require.True(t, ok, text)
		require.Equal(t, want, [2]int64{seconds, int64(nanoseconds)}, text)
	}
	for _, text := range []string{"", "-", "x", "1.x", "+1", "99999999999999999999"} {
		_, _, ok := ParseTime(text)
		require.False(t, ok, text)
	}
	require.Equal(t, "-1.25", Time(-2, 750000000))
	require.Equal(t, "7.5", Time(7, 500000000))
}

func FuzzNextRecord(f *testing.F) {
	f.Add([]byte("6 a=b\n"))
	f.Add([]byte("30 mtime=1700000000.123456789\n12 path=abc\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for len(data) > 0 {
			r, rest, err := NextRecord(data)
			if err != nil {
				return
			}
			if len(rest) >= len(data) {
				t.Fatal("no progress")
			}
			if again, _, err := NextRecord(AppendRecord(nil, r.Key, r.Value)); err != nil || again != r {
				t.Fatalf("%q became %q (%v)", r, again, err)
			}
			data = rest
		}
	})
}
