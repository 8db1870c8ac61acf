package builtins

import (
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/internal/regex"
)

// What a name that is transformed is of.
const (
	tarOfMember = 1 << iota
	tarOfHardLink
	tarOfSymlink
)

// tarTransform is one s/// of --transform.
type tarTransform struct {
	matcher *regex.Matcher
	parts   []tarReplacement
	global  bool
	number  int
	of      uint8
}

// tarReplacement is text, a group, or a letter that changes the case of what follows.
type tarReplacement struct {
	text     string
	group    int // -1: none
	caseKind byte
}

// addTransform reads expressions joined by semicolons.
func (t *tarCommand) addTransform(text string) error {
	of := uint8(tarOfMember | tarOfHardLink | tarOfSymlink)
	for text != "" {
		if flags, ok := strings.CutPrefix(text, "flags="); ok {
			for flags != "" && flags[0] != ';' {
				if !tarTransformFlag(&of, flags[0]) {
					return t.usage("Unknown transform flag: %c", flags[0])
				}
				flags = flags[1:]
			}
			if flags == "" {
				return nil
			}
			text = flags[1:]
			continue
		}
		rest, err := t.oneTransform(text, of)
		if err != nil {
			return err
		}
		text = rest
	}
	return nil
}

func tarTransformFlag(of *uint8, c byte) bool {
	var bit uint8
	switch c | 0x20 {
	case 'r':
		bit = tarOfMember
	case 'h':
		bit = tarOfHardLink
	case 's':
		bit = tarOfSymlink
	default:
		return false
	}
	if c&0x20 != 0 {
		*of |= bit
	} else {
		*of &^= bit
	}
	return true
}

// oneTransform reads the expression that text begins with.
func (t *tarCommand) oneTransform(text string, of uint8) (rest string, err error) {
	if text[0] != 's' || len(text) < 2 {
		return "", t.usage("Invalid transform expression")
	}
	delimiter := text[1]
	end := func(from int) int {
		for from < len(text) && text[from] != delimiter {
			if text[from] == '\\' && from+1 < len(text) {
				from++
			}
			from++
		}
		return from
	}
	middle := end(2)
	last := len(text)
	if middle < len(text) {
		last = end(middle + 1)
	}
	if last >= len(text) {
		return "", t.usage("Invalid transform expression")
	}
	pattern, replacement := text[2:middle], text[middle+1:last]
	x := tarTransform{of: of}
	options := regex.Options{Syntax: regex.POSIXBasic}
	i := last + 1
flags:
	for ; i < len(text); i++ {
		switch c := text[i]; {
		case c == ';':
			i++
			break flags
		case c == 'g':
			x.global = true
		case c == 'i':
			options.IgnoreCase = true
		case c == 'x':
			options.Syntax = regex.POSIXExtended
		case c >= '0' && c <= '9':
			from := i
			for i+1 < len(text) && text[i+1] >= '0' && text[i+1] <= '9' {
				i++
			}
			x.number, _ = strconv.Atoi(text[from : i+1])
		case tarTransformFlag(&x.of, c):
		default:
			return "", t.usage("Unknown flag in transform expression: %c", c)
		}
	}
	if x.matcher, err = regex.Compile(pattern, options); err != nil {
		return "", t.usage("Invalid transform expression: %s", err)
	}
	if strings.HasPrefix(pattern, "^") || strings.HasSuffix(pattern, "$") {
		x.global = false
	}
	if err := t.replacement(&x, replacement, delimiter); err != nil {
		return "", err
	}
	t.transforms = append(t.transforms, x)
	return text[i:], nil
}

func (t *tarCommand) replacement(x *tarTransform, s string, delimiter byte) error {
	var literal strings.Builder
	flush := func() {
		if literal.Len() > 0 {
			x.parts = append(x.parts, tarReplacement{text: literal.String(), group: -1})
			literal.Reset()
		}
	}
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '&':
			flush()
			x.parts = append(x.parts, tarReplacement{})
			continue
		case s[i] != '\\' || i+1 == len(s):
			literal.WriteByte(s[i])
			continue
		}
		i++
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			from := i
			for i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9' {
				i++
			}
			n, err := strconv.Atoi(s[from : i+1])
			if err != nil || n > x.matcher.Groups() {
				return t.usage("Invalid transform replacement: back reference out of range")
			}
			flush()
			x.parts = append(x.parts, tarReplacement{group: n})
		case strings.IndexByte("LUElu", c) >= 0:
			flush()
			x.parts = append(x.parts, tarReplacement{group: -1, caseKind: c})
		case strings.IndexByte(`abfnrtv`, c) >= 0:
			literal.WriteByte("\a\b\f\n\r\t\v"[strings.IndexByte(`abfnrtv`, c)])
		case c == '\\' || c == '&' || c == delimiter:
			literal.WriteByte(c)
		default:
			literal.WriteByte('\\')
			literal.WriteByte(c)
		}
	}
	flush()
	return nil
}

// transform gives a name as the transformations make it.
func (t *tarCommand) transform(name string, of uint8) string {
	for i := range t.transforms {
		if x := &t.transforms[i]; x.of&of != 0 {
			name = x.apply(t, name)
		}
	}
	return name
}

func (x *tarTransform) apply(t *tarCommand, input string) string {
	var out []byte
	matches := 0
	text := []byte(input)
	var loc []int
	for len(text) > 0 {
		found, err := x.matcher.Find(t.ctx, text, 0, loc)
		if err != nil || found == nil {
			break
		}
		loc = found
		out = append(out, text[:loc[0]]...)
		if matches++; matches < x.number {
			out = append(out, text[:loc[1]]...) // what stands before it twice, as GNU tar has it
		} else {
			out = x.expand(out, text, loc)
		}
		end := loc[1]
		if end == loc[0] && end < len(text) {
			// An empty match must not be found again and again.
			out = append(out, text[end])
			end++
		}
		text = text[end:]
		if matches >= x.number && !x.global {
			break
		}
	}
	return string(append(out, text...))
}

func (x *tarTransform) expand(out, text []byte, loc []int) []byte {
	mode, once := byte('E'), byte(0)
	write := func(s []byte) {
		for i, c := range s {
			how := mode
			if i == 0 && once != 0 {
				how, once = once, 0
			}
			switch {
			case how|0x20 == 'u' && c >= 'a' && c <= 'z':
				c -= 0x20
			case how|0x20 == 'l' && c >= 'A' && c <= 'Z':
				c += 0x20
			}
			out = append(out, c)
		}
	}
	for _, p := range x.parts {
		switch {
		case p.caseKind == 'u' || p.caseKind == 'l':
			once = p.caseKind
		case p.caseKind != 0:
			mode, once = p.caseKind, 0
		case p.group < 0:
			write([]byte(p.text))
		case loc[2*p.group] >= 0:
			write(text[loc[2*p.group]:loc[2*p.group+1]])
		}
	}
	return out
}
