package arith

// number reads a constant: decimal, 0octal, 0xhex or base#digits, wrapping
// silently. message says what is wrong with it.
func number(s string) (n int64, message string) {
	base, based := int64(10), false
	i := 0
	if s[0] == '0' {
		if len(s) == 1 {
			return 0, ""
		}
		base, based = 8, true
		i = 1
		if s[1]|0x20 == 'x' {
			base = 16
			i = 2
		}
	}
	for ; i < len(s); i++ {
		c := s[i]
		if c == '#' {
			if based {
				return 0, "invalid number"
			}
			if n < 2 || n > 64 {
				return 0, "invalid arithmetic base"
			}
			base, based, n = n, true, 0
			if i+1 == len(s) || s[i+1] == '#' {
				return 0, "invalid integer constant"
			}
			continue
		}
		digit := int64(0)
		switch {
		case isDigit(c):
			digit = int64(c - '0')
		case c >= 'a' && c <= 'z':
			digit = int64(c-'a') + 10
		case c >= 'A' && c <= 'Z' && base <= 36:
			digit = int64(c-'A') + 10
		case c >= 'A' && c <= 'Z':
			digit = int64(c-'A') + 36
		case c == '@':
			digit = 62
		default:
			digit = 63
		}
		if digit >= base {
			return 0, "value too great for base"
		}
		n = n*base + digit
	}
	return n, ""
}
