package tarformat

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
)

// Record is one "length keyword=value" line of an extended header.
type Record struct{ Key, Value string }

// AppendRecord appends a record in its written form; its length counts itself.
func AppendRecord(dst []byte, key, value string) []byte {
	size := len(key) + len(value) + 3
	digits := len(strconv.Itoa(size))
	if len(strconv.Itoa(size+digits)) > digits {
		digits++
	}
	dst = strconv.AppendInt(dst, int64(size+digits), 10)
	dst = append(dst, ' ')
	dst = append(dst, key...)
	dst = append(dst, '=')
	dst = append(dst, value...)
	return append(dst, '\n')
}

// Faults of an extended header, in tar's words.
var (
	ErrLengthMissing = errors.New("Malformed extended header: missing length")
	ErrNoBlank       = errors.New("Malformed extended header: missing blank after length")
	ErrNoEqual       = errors.New("Malformed extended header: missing equal sign")
	ErrNoNewline     = errors.New("Malformed extended header: missing newline")
)

// RangeError is a length that the header cannot hold.
type RangeError struct{ Length string }

func (e *RangeError) Error() string {
	return "Extended header length " + e.Length + " is out of range"
}

// NextRecord takes the first record off data.
func NextRecord(data []byte) (r Record, rest []byte, err error) {
	for len(data) > 0 && (data[0] == ' ' || data[0] == '\t') {
		data = data[1:]
	}
	digits := 0
	for digits < len(data) && data[digits] >= '0' && data[digits] <= '9' {
		digits++
	}
	if digits == 0 {
		return r, nil, ErrLengthMissing
	}
	n, numberErr := strconv.Atoi(string(data[:digits]))
	if numberErr != nil || n > len(data) || n < digits {
		text, _, _ := bytes.Cut(data[:min(len(data), 200)], []byte{0})
		return r, nil, &RangeError{string(text)}
	}
	line := data[:n]
	if digits >= n || line[digits] != ' ' && line[digits] != '\t' {
		return r, nil, ErrNoBlank
	}
	body := line[digits+1:]
	equal := bytes.IndexByte(body, '=')
	if equal < 0 {
		return r, nil, ErrNoEqual
	}
	if body[len(body)-1] != '\n' {
		return r, nil, ErrNoNewline
	}
	if equal == len(body)-1 {
		return r, nil, ErrNoEqual
	}
	return Record{string(body[:equal]), string(body[equal+1 : len(body)-1])}, data[n:], nil
}

// Time writes seconds and nanoseconds as an extended header has them.
func Time(seconds int64, nanoseconds int) string {
	if nanoseconds == 0 {
		return strconv.FormatInt(seconds, 10)
	}
	sign := ""
	if seconds < 0 {
		seconds, nanoseconds, sign = -seconds-1, 1e9-nanoseconds, "-"
	}
	fraction := strconv.Itoa(1e9 + nanoseconds)[1:]
	return sign + strconv.FormatInt(seconds, 10) + "." + strings.TrimRight(fraction, "0")
}

// ParseTime reads such a time; digits beyond nanoseconds are dropped.
func ParseTime(s string) (seconds int64, nanoseconds int, ok bool) {
	whole, fraction, _ := strings.Cut(s, ".")
	negative := strings.HasPrefix(whole, "-")
	if strings.HasPrefix(whole, "+") || whole == "" || whole == "-" {
		return 0, 0, false
	}
	seconds, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return 0, 0, false
	}
	scale, lost := 100_000_000, false
	for i := 0; i < len(fraction); i++ {
		c := fraction[i]
		if c < '0' || c > '9' {
			return 0, 0, false
		}
		nanoseconds += int(c-'0') * scale
		lost = lost || scale == 0 && c != '0'
		scale /= 10
	}
	if negative && lost {
		nanoseconds++ // rounded towards the past
	}
	if negative && nanoseconds > 0 {
		seconds, nanoseconds = seconds-1, 1e9-nanoseconds
	}
	return seconds, nanoseconds, true
}
