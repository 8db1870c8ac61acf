package quote

import (
	"strings"
	"unicode/utf8"
)

// Unquote is what $'s' stands for; s is the text between the quotes. A NUL ends
// it, as in bash.
func Unquote(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		c := s[i]
		i++
		if c != '\\' || i == len(s) {
			b = append(b, c)
			continue
		}
		c = s[i]
		i++
		switch c {
		case 'a', 'b', 'e', 'E', 'f', 'n', 'r', 't', 'v':
			b = append(b, "\a\b\x1b\x1b\f\n\r\t\v"[strings.IndexByte("abeEfnrtv", c)])
		case '\\', '\'', '"', '?':
			b = append(b, c)
		case '0', '1', '2', '3', '4', '5', '6', '7':
			v := int(c - '0')
			for n := 1; n < 3 && i < len(s) && s[i] >= '0' && s[i] <= '7'; n++ {
				v = v*8 + int(s[i]-'0')
				i++
			}
			if v&0xff == 0 {
				return string(b)
			}
			b = append(b, byte(v))
		case 'x', 'u', 'U':
			v, n := 0, 0
			most := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
			braces := c == 'x' && i < len(s) && s[i] == '{'
			if braces {
				i++
				most = len(s)
			}
			for n < most && i < len(s) && hex(s[i]) < 16 {
				v = v<<4 | hex(s[i])
				i++
				n++
			}
			if n == 0 && !braces {
				b = append(b, '\\', c)
				continue
			}
			if braces && i < len(s) && s[i] == '}' {
				i++
			}
			if c == 'x' {
				v &= 0xff
			}
			if v == 0 {
				return string(b)
			}
			if c == 'x' || v < utf8.RuneSelf {
				b = append(b, byte(v))
			} else {
				b = appendRune(b, uint32(v))
			}
		case 'c':
			if i == len(s) {
				b = append(b, '\\', 'c')
				continue
			}
			c = s[i]
			i++
			if c == '\\' && i < len(s) && s[i] == '\\' {
				i++
			}
			if c == '?' {
				b = append(b, 0x7f)
			} else if c &= 0x1f; c == 0 {
				return string(b)
			} else {
				b = append(b, c)
			}
		default:
			b = append(b, '\\', c)
		}
	}
	return string(b)
}

func hex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return 16
}

// appendRune encodes v as UTF-8 did before it was bounded, as bash does.
func appendRune(b []byte, v uint32) []byte {
	switch {
	case v < 0x800:
		return append(b, 0xc0|byte(v>>6), 0x80|byte(v&0x3f))
	case v < 0x10000:
		return append(b, 0xe0|byte(v>>12), 0x80|byte(v>>6&0x3f), 0x80|byte(v&0x3f))
	case v < 0x200000:
		return append(b, 0xf0|byte(v>>18), 0x80|byte(v>>12&0x3f), 0x80|byte(v>>6&0x3f), 0x80|byte(v&0x3f))
	case v < 0x4000000:
		return append(b, 0xf8|byte(v>>24), 0x80|byte(v>>18&0x3f), 0x80|byte(v>>12&0x3f), 0x80|byte(v>>6&0x3f), 0x80|byte(v&0x3f))
	}
	return append(b, 0xfc|byte(v>>30&1), 0x80|byte(v>>24&0x3f), 0x80|byte(v>>18&0x3f), 0x80|byte(v>>12&0x3f), 0x80|byte(v>>6&0x3f), 0x80|byte(v&0x3f))
}
