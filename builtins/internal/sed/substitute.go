package sed

import (
	"unicode"
	"unicode/utf8"

	"github.com/vsh-project/vsh/internal/regex"
)

// substitution is an s command.
type substitution struct {
	matcher *matcher
	parts   []replacementPart
	literal []byte // the whole replacement, where it is plain text
	plain   bool
	groups  bool // the replacement speaks of groups
	global  bool
	print   bool
	number  int64
	file    *output
	// fileName is what w was given.
	fileName string
}

type caseMode uint8

const (
	caseAsIs caseMode = iota
	caseUpper
	caseLower
)

// replacementPart is some text, then a group. mode holds from here on where
// sets is true; once is for the next character only.
type replacementPart struct {
	text  []byte
	group int // -1 for none
	mode  caseMode
	once  caseMode
}

func (p *Parser) substitute(cmd *command) {
	delimiter := p.next()
	if delimiter == eof || delimiter == '\n' {
		p.back(delimiter)
		p.fail("unterminated `s' command")
	}
	pattern, ok := p.delimited(delimiter, true)
	if !ok {
		p.fail("unterminated `s' command")
	}
	replacement, ok := p.delimited(delimiter, false)
	if !ok {
		p.fail("unterminated `s' command")
	}
	s := &substitution{}
	cmd.substitution = s
	highest := s.replacement(replacement, p.Options.POSIX)
	options := p.substituteFlags(s)
	s.matcher = p.regex(pattern, options)
	if s.matcher != nil && highest > s.matcher.regex.Groups() {
		p.fail("invalid reference \\%d on `s' command's RHS", highest)
	}
}

func (p *Parser) substituteFlags(s *substitution) (options regex.Options) {
	for {
		switch c := p.next(); c {
		case 'i', 'I', 'm', 'M', 'e':
			if p.Options.POSIX {
				p.fail("unknown option to `s'")
			}
			p.modifier(c, &options)
		case 'p':
			if s.print {
				p.fail("multiple `p' options to `s' command")
			}
			s.print = true
		case 'g':
			if s.global {
				p.fail("multiple `g' options to `s' command")
			}
			s.global = true
		case 'w':
			if p.Options.Sandbox {
				p.fail("e/r/w commands disabled in sandbox mode")
			}
			name := p.readFileName()
			if name == "" {
				p.fail("missing filename in r/R/w/W commands")
			}
			s.file, s.fileName = p.output(name), name
			return options
		case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			if s.number != 0 {
				p.fail("multiple number options to `s' command")
			}
			if s.number = p.integer(c); s.number == 0 {
				p.fail("number option to `s' command may not be zero")
			}
		case ' ', '\t':
		case '}', '#':
			p.back(c)
			return options
		case '\n', ';', eof:
			return options
		case '\r':
			if p.next() == '\n' {
				return options
			}
			p.fail("unknown option to `s'")
		default:
			p.fail("unknown option to `s'")
		}
	}
}

// modifier is a flag that POSIX does not know.
func (p *Parser) modifier(c int, options *regex.Options) {
	switch c {
	case 'i', 'I':
		options.IgnoreCase = true
	case 'm', 'M':
		options.Newline = true
	case 'e':
		if p.Options.Sandbox {
			p.fail("e/r/w commands disabled in sandbox mode")
		}
		p.fail("the `e' option to the `s' command is not supported")
	}
}

// replacement splits the right-hand side into parts and gives the highest
// group it speaks of.
func (s *substitution) replacement(text string, posix bool) (highest int) {
	part := replacementPart{group: -1}
	mode := caseAsIs
	end := func(group int) {
		part.group = group
		s.parts = append(s.parts, part)
		part = replacementPart{group: -1, mode: mode}
		highest = max(highest, group)
	}
	s.plain = true
	for i := 0; i < len(text); {
		c := text[i]
		if c == '&' {
			end(0)
			i++
			continue
		}
		if c != '\\' || i+1 >= len(text) {
			part.text = append(part.text, c)
			i++
			continue
		}
		next := text[i+1]
		i += 2
		switch {
		case next >= '0' && next <= '9':
			end(int(next - '0'))
			continue
		case next == 'n':
			part.text = append(part.text, '\n')
			continue
		}
		if value, size, ok := numericEscape(text[i-1:]); ok {
			part.text = append(part.text, value)
			i += size - 1
			continue
		}
		if posix {
			part.text = append(part.text, next)
			continue
		}
		switch next {
		case 'L', 'U', 'E':
			end(-1)
			mode = map[byte]caseMode{'L': caseLower, 'U': caseUpper, 'E': caseAsIs}[next]
			part.mode = mode
			s.plain = false
		case 'l', 'u':
			end(-1)
			part.once = map[byte]caseMode{'l': caseLower, 'u': caseUpper}[next]
			s.plain = false
		case 'c': // \c before the end
			part.text = append(part.text, '\\')
		default:
			part.text = append(part.text, next)
		}
	}
	end(-1)
	kept := s.parts[:0]
	for _, q := range s.parts {
		if len(q.text) > 0 || q.group >= 0 || q.once != caseAsIs {
			kept = append(kept, q)
		}
		if q.group >= 0 {
			s.plain = false
			s.groups = s.groups || q.group > 0
		}
	}
	s.parts = kept
	if s.plain {
		for _, q := range kept {
			s.literal = append(s.literal, q.text...)
		}
	}
	return highest
}

// expand appends the replacement for a match to dst.
// size is about how long the replacement for a match is.
func (s *substitution) size(loc []int) int {
	if s.plain {
		return len(s.literal)
	}
	n := 0
	for i := range s.parts {
		q := &s.parts[i]
		n += len(q.text)
		if q.group >= 0 {
			n += loc[2*q.group+1] - loc[2*q.group]
		}
	}
	return n
}

func (s *substitution) expand(dst, text []byte, loc []int) []byte {
	if s.plain {
		return append(dst, s.literal...)
	}
	saved := caseAsIs
	for i := range s.parts {
		q := &s.parts[i]
		once := q.once
		if once == caseAsIs {
			once = saved
		}
		saved = caseAsIs
		if len(q.text) > 0 {
			dst = appendCased(dst, q.text, q.mode, once)
			once = caseAsIs
		}
		if q.group < 0 {
			continue // a \u with nothing behind it is lost
		}
		start, end := loc[2*q.group], loc[2*q.group+1]
		if start < 0 || start == end {
			if q.once != caseAsIs {
				saved = once // for the next part alone
			}
			continue
		}
		dst = appendCased(dst, text[start:end], q.mode, once)
	}
	return dst
}

func appendCased(dst, text []byte, mode, once caseMode) []byte {
	if mode == caseAsIs && once == caseAsIs {
		return append(dst, text...)
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		how := mode
		if i == 0 && once != caseAsIs {
			how = once
		}
		switch {
		case r == utf8.RuneError && n == 1 || how == caseAsIs:
			dst = append(dst, text[i:i+n]...)
		case how == caseUpper:
			dst = utf8.AppendRune(dst, unicode.ToUpper(r))
		default:
			dst = utf8.AppendRune(dst, unicode.ToLower(r))
		}
		i += n
	}
	return dst
}
