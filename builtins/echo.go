package builtins

import (
	"strconv"
	"strings"
)

// echoRun is the program, whose options end at the first word that holds any
// other letter.
func echoRun(c *call) error {
	_, posix := c.Getenv("POSIXLY_CORRECT")
	args := c.Arguments
	if !posix && len(args) == 1 && (args[0] == "--help" || args[0] == "--version") {
		_, err := c.parse(nil)
		return err
	}
	newline, escapes := true, posix
	if !posix || len(args) > 0 && args[0] == "-n" {
		for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "neE") == "" {
			for _, letter := range args[0][1:] {
				switch letter {
				case 'n':
					newline = false
				case 'e':
					escapes = true
				case 'E':
					escapes = posix
				}
			}
			args = args[1:]
		}
	}
	for i, a := range args {
		if i > 0 {
			c.out.WriteByte(' ')
		}
		if !escapes {
			c.out.WriteString(a)
			continue
		}
		var b strings.Builder
		end := echoExpand(&b, a)
		c.out.WriteString(b.String())
		if end {
			return nil
		}
	}
	if newline {
		c.out.WriteByte('\n')
	}
	return nil
}

// echoExpand resolves escapes: octal ones start with 0, or have up to three
// digits without it; \c ends the output.
func echoExpand(b *strings.Builder, s string) (end bool) {
	for {
		plain, rest, found := strings.Cut(s, `\`)
		b.WriteString(plain)
		if !found {
			return false
		}
		if rest == "" {
			b.WriteByte('\\')
			return false
		}
		switch {
		case rest[0] >= '0' && rest[0] <= '7':
			n, digits := 0, 0
			if rest[0] == '0' {
				rest = rest[1:]
			}
			for digits < 3 && digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '7' {
				n = n*8 + int(rest[digits]-'0')
				digits++
			}
			b.WriteByte(byte(n))
			s = rest[digits:]
		case rest[0] == 'x':
			digits := 1
			for digits < 3 && digits < len(rest) && hexDigit(rest[digits]) {
				digits++
			}
			if digits == 1 {
				b.WriteByte('\\')
				s = rest
				continue
			}
			n, _ := strconv.ParseUint(rest[1:digits], 16, 8)
			b.WriteByte(byte(n))
			s = rest[digits:]
		case rest[0] == 'c':
			return true
		default:
			if i := strings.IndexByte(`abefnrtv\`, rest[0]); i >= 0 {
				b.WriteByte("\a\b\x1b\f\n\r\t\v\\"[i])
			} else {
				b.WriteByte('\\')
				b.WriteByte(rest[0])
			}
			s = rest[1:]
		}
	}
}

func hexDigit(c byte) bool {
	return versionDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f'
}

func echoProgram(string) *program {
	return &program{
		usage: `echo [SHORT-OPTION]... [STRING]...
Print the strings with blanks between them.

  -n                       without a newline at the end
  -e                       resolve backslash escapes
  -E                       leave them (the default)`,
		run: echoRun,
	}
}
