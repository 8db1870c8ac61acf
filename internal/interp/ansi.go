package interp

import (
	"strings"
	"unicode/utf8"
)

// ansiText is the text that $'…' stands for. A NUL ends it.
func ansiText(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 >= len(s) {
			out = append(out, s[i])
			i++
			continue
		}
		c := s[i+1]
		i += 2
		switch c {
		case 'a':
			out = append(out, '\a')
		case 'b':
			out = append(out, '\b')
		case 'e', 'E':
			out = append(out, 0x1b)
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'v':
			out = append(out, '\v')
		case '\\', '\'', '"', '?':
			out = append(out, c)
		case '0', '1', '2', '3', '4', '5', '6', '7':
			n, end := digits(s, i-1, 3, 8)
			i = end
			if byte(n) == 0 {
				return string(out)
			}
			out = append(out, byte(n))
		case 'x':
			size, braces := 2, i < len(s) && s[i] == '{'
			if braces {
				size = len(s)
				i++
			}
			n, end := digits(s, i, size, 16)
			if braces {
				if i = end; i < len(s) && s[i] == '}' {
					i++
				}
				if n&0xff == 0 {
					return string(out)
				}
				out = append(out, byte(n))
				break
			}
			if end == i {
				out = append(out, '\\', 'x')
				break
			}
			i = end
			if n == 0 {
				return string(out)
			}
			out = append(out, byte(n))
		case 'u', 'U':
			size := 4
			if c == 'U' {
				size = 8
			}
			n, end := digits(s, i, size, 16)
			if end == i {
				out = append(out, '\\', c)
				break
			}
			i = end
			if n == 0 {
				return string(out)
			}
			out = appendWide(out, n)
		case 'c':
			if i >= len(s) {
				out = append(out, '\\', 'c')
				break
			}
			c := s[i]
			i++
			if c == '\\' && i < len(s) && s[i] == '\\' {
				i++
			}
			if c == '?' {
				out = append(out, 0x7f)
			} else if c&0x1f == 0 {
				return string(out)
			} else {
				out = append(out, c&0x1f)
			}
		default:
			out = append(out, '\\', c)
		}
	}
	return string(out)
}

// appendWide appends a code point as C does, surrogates and all.
func appendWide(out []byte, n uint32) []byte {
	if n <= utf8.MaxRune && (n < 0xd800 || n > 0xdfff) {
		return utf8.AppendRune(out, rune(n))
	}
	switch {
	case n < 0x10000:
		return append(out, byte(0xe0|n>>12), byte(0x80|n>>6&0x3f), byte(0x80|n&0x3f))
	case n < 0x200000:
		return append(out, byte(0xf0|n>>18), byte(0x80|n>>12&0x3f), byte(0x80|n>>6&0x3f), byte(0x80|n&0x3f))
	case n < 0x4000000:
		return append(out, byte(0xf8|n>>24), byte(0x80|n>>18&0x3f), byte(0x80|n>>12&0x3f), byte(0x80|n>>6&0x3f), byte(0x80|n&0x3f))
	}
	return append(out, byte(0xfc|n>>30), byte(0x80|n>>24&0x3f), byte(0x80|n>>18&0x3f), byte(0x80|n>>12&0x3f), byte(0x80|n>>6&0x3f), byte(0x80|n&0x3f))
}

// digits reads up to size digits of a base at i.
func digits(s string, i, size int, base uint32) (n uint32, end int) {
	for end = i; end < len(s) && end < i+size; end++ {
		d := uint32(99)
		switch c := s[end]; {
		case c >= '0' && c <= '9':
			d = uint32(c - '0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			d = uint32(c|0x20-'a') + 10
		}
		if d >= base {
			break
		}
		n = n*base + d
	}
	return n, end
}
