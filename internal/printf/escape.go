package printf

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Escapes say which of the many dialects of backslash escapes is meant.
type Escapes struct {
	// GNU is coreutils' dialect, else bash's.
	GNU bool
	// Format is the format's own dialect, else %b's.
	Format bool
}

// Expand writes a with the escapes of %b resolved; end reports \c, after which
// nothing more is written. message is a complaint.
func Expand(b *strings.Builder, a string, gnu bool) (end bool, message string) {
	for {
		i := strings.IndexByte(a, '\\')
		if i < 0 {
			b.WriteString(a)
			return false, message
		}
		b.WriteString(a[:i])
		n, end, m := Escape(b, a[i+1:], Escapes{GNU: gnu})
		if m != "" {
			message = m
			if gnu {
				return true, message
			}
		}
		if end {
			return true, message
		}
		a = a[i+1+n:]
	}
}

// Escape writes what the escape stands for whose text, after the backslash,
// starts s. It returns how many bytes it took, whether it is \c, and a
// complaint.
func Escape(b *strings.Builder, s string, d Escapes) (n int, end bool, message string) {
	if s == "" {
		b.WriteByte('\\')
		return 0, false, ""
	}
	switch c := s[0]; c {
	case 'a':
		b.WriteByte('\a')
	case 'b':
		b.WriteByte('\b')
	case 'f':
		b.WriteByte('\f')
	case 'n':
		b.WriteByte('\n')
	case 'r':
		b.WriteByte('\r')
	case 't':
		b.WriteByte('\t')
	case 'v':
		b.WriteByte('\v')
	case 'e':
		b.WriteByte(27)
	case 'E':
		if d.GNU {
			b.WriteString(`\E`)
		} else {
			b.WriteByte(27)
		}
	case '\\':
		b.WriteByte('\\')
	case '"':
		b.WriteByte('"')
	case '\'', '?':
		if d.GNU {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	case 'c':
		if d.GNU || !d.Format {
			return 1, true, ""
		}
		b.WriteString(`\c`)
	case '0', '1', '2', '3', '4', '5', '6', '7':
		i, most := 0, 3
		if c == '0' && !d.Format {
			most = 4
		}
		v := 0
		for i < most && i < len(s) && s[i] >= '0' && s[i] <= '7' {
			v = v*8 + int(s[i]-'0')
			i++
		}
		b.WriteByte(byte(v))
		return i, false, ""
	case 'x':
		i, v := 1, 0
		for i < 3 && i < len(s) && digitValue(s[i]) < 16 {
			v = v*16 + digitValue(s[i])
			i++
		}
		if i == 1 {
			if d.GNU {
				return 1, false, "missing hexadecimal number in escape"
			}
			b.WriteString(`\x`)
			return 1, false, "missing hex digit for \\x"
		}
		b.WriteByte(byte(v))
		return i, false, ""
	case 'u', 'U':
		return unicodeEscape(b, s, d)
	default:
		b.WriteByte('\\')
		_, size := utf8.DecodeRuneInString(s)
		b.WriteString(s[:size])
		return size, false, ""
	}
	return 1, false, ""
}

func unicodeEscape(b *strings.Builder, s string, d Escapes) (int, bool, string) {
	most := 4
	if s[0] == 'U' {
		most = 8
	}
	i := 1
	for i < 1+most && i < len(s) && digitValue(s[i]) < 16 {
		i++
	}
	if d.GNU && i != 1+most {
		return i, false, "missing hexadecimal number in escape"
	}
	if i == 1 {
		b.WriteByte('\\')
		b.WriteByte(s[0])
		return 1, false, "missing unicode digit for \\" + s[:1]
	}
	v, _ := strconv.ParseUint(s[1:i], 16, 32)
	if d.GNU && (v >= 0xd800 && v <= 0xdfff || v < 0xa0 && v != '$' && v != '@' && v != '`') {
		return i, false, fmt.Sprintf("invalid universal character name \\%c%0*x", s[0], most, v)
	}
	b.Write(appendRune(nil, uint32(v)))
	return i, false, ""
}

// appendRune encodes any 31-bit value as C's u32toutf8 does, surrogates and
// values beyond Unicode included.
func appendRune(p []byte, v uint32) []byte {
	switch {
	case v < 0x80:
		return append(p, byte(v))
	case v < 0x800:
		return append(p, byte(0xc0|v>>6), byte(0x80|v&0x3f))
	case v < 0x10000:
		return append(p, byte(0xe0|v>>12), byte(0x80|v>>6&0x3f), byte(0x80|v&0x3f))
	case v < 0x200000:
		return append(p, byte(0xf0|v>>18), byte(0x80|v>>12&0x3f), byte(0x80|v>>6&0x3f), byte(0x80|v&0x3f))
	case v < 0x4000000:
		return append(p, byte(0xf8|v>>24), byte(0x80|v>>18&0x3f), byte(0x80|v>>12&0x3f), byte(0x80|v>>6&0x3f), byte(0x80|v&0x3f))
	case v < 0x80000000:
		return append(p, byte(0xfc|v>>30), byte(0x80|v>>24&0x3f), byte(0x80|v>>18&0x3f), byte(0x80|v>>12&0x3f), byte(0x80|v>>6&0x3f), byte(0x80|v&0x3f))
	}
	return p
}
