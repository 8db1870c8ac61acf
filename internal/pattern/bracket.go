package pattern

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// set is a bracket expression.
type set struct {
	negated bool
	fold    bool
	ascii   [2]uint64 // members below 128, negation and folding applied
	ranges  []span
	classes []string
}

type span struct{ low, high rune }

func (s *set) contains(r rune) bool {
	if r < utf8.RuneSelf {
		return s.ascii[r>>6]&(1<<(r&63)) != 0
	}
	return s.listed(r) != s.negated
}

func (s *set) listed(r rune) bool {
	folded := r
	if s.fold {
		folded = lower(r)
	}
	for _, x := range s.ranges {
		if folded >= x.low && folded <= x.high {
			return true
		}
	}
	for _, c := range s.classes {
		if inClass(r, c) || s.fold && (c == "upper" || c == "lower") && inClass(r, "alpha") {
			return true
		}
	}
	return false
}

// distinguishes reports whether the set tells characters beyond ASCII apart.
func (s *set) distinguishes() bool {
	for _, x := range s.ranges {
		if x.high >= utf8.RuneSelf {
			return true
		}
	}
	return len(s.classes) > 0
}

func lower(r rune) rune {
	if r < utf8.RuneSelf {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}
	if r >= invalid {
		return r
	}
	return unicode.ToLower(r)
}

// brackets reads the bracket expressions of one pattern.
type brackets struct {
	text    string
	options Options
	// endless marks the places between two members from which no end was found,
	// so that many "[" without an end take linear time together.
	endless []bool
	// last is where the last :], =] and .] stand.
	last [3]int
}

func newBrackets(text string, o Options) *brackets {
	return &brackets{text: text, options: o, last: [3]int{strings.LastIndex(text, ":]"), strings.LastIndex(text, "=]"), strings.LastIndex(text, ".]")}}
}

// closing is the place of ":]" (or of another end of its kind) from i on, -1
// for none.
func (b *brackets) closing(i, kind int, end string) int {
	if i > b.last[kind] {
		return -1
	}
	return i + strings.Index(b.text[i:], end)
}

// character is the one at i, a backslash before it taken away, and what comes
// behind it; n is 0 at the end of the text.
func (b *brackets) character(i int) (r rune, next int, ok bool) {
	if i < len(b.text) && b.text[i] == '\\' && !b.options.NoEscape {
		i++
	}
	if i >= len(b.text) {
		return 0, i, false
	}
	r, n := decode(b.text[i:])
	return r, i + n, true
}

// symbol reads [.x.] whose "." is at i. is is false when it is none; ok, when
// it names no character.
func (b *brackets) symbol(i int) (r rune, next int, is, ok bool) {
	if i >= len(b.text) || b.text[i] != '.' {
		return 0, i, false, false
	}
	end := b.closing(i+1, 2, ".]")
	if end < 0 {
		return 0, i, false, false
	}
	r, ok = collating(b.text[i+1 : end])
	return r, end + 2, true, ok
}

// scan reads the expression whose "[" is at start; end is behind it, 0 when it
// has no end and "[" is an ordinary character.
func (b *brackets) scan(start int) (s *set, end int) {
	s = &set{fold: b.options.NoCase}
	text, i := b.text, start+1
	if i < len(text) && (text[i] == '!' || text[i] == '^') {
		s.negated = true
		i++
	}
	first := i
	fail := func() (*set, int) {
		if b.endless == nil {
			b.endless = make([]bool, len(text)+1)
		}
		for k := first + 1; k <= i && k <= len(text); k++ {
			b.endless[k] = true
		}
		return nil, 0
	}
	for {
		if i >= len(text) || i > first && b.endless != nil && b.endless[i] {
			return fail()
		}
		if text[i] == ']' && i > first {
			i++
			break
		}
		if text[i] == '/' && b.options.Pathname {
			return nil, 0
		}
		bracket := text[i] == '['
		low, next, ok := b.character(i)
		if !ok {
			return fail()
		}
		i = next
		if bracket && i < len(text) {
			switch text[i] {
			case ':':
				if end := b.closing(i+1, 0, ":]"); end >= 0 {
					s.classes = append(s.classes, text[i+1:end])
					i = end + 2
					continue
				}
			case '=':
				if rest := text[i+1:]; rest != "" {
					r, n := decode(rest)
					if strings.HasPrefix(rest[n:], "=]") {
						i += 1 + n + 2
						s.add(r, r)
						continue
					}
				}
			case '.':
				if r, next, is, ok := b.symbol(i); is {
					if i = next; !ok {
						continue
					}
					low = r
				}
			}
		}
		high := low
		if i+1 < len(text) && text[i] == '-' && text[i+1] != ']' {
			bracket := text[i+1] == '['
			if high, i, ok = b.character(i + 1); !ok {
				return fail()
			}
			if bracket {
				if r, next, is, ok := b.symbol(i); is {
					if i = next; !ok {
						continue
					}
					high = r
				}
			}
		}
		s.add(low, high)
	}
	for r := rune(0); r < utf8.RuneSelf; r++ {
		if s.listed(r) != s.negated && (r != '/' || !b.options.Pathname) {
			s.ascii[r>>6] |= 1 << (r & 63)
		}
	}
	return s, i
}

func (s *set) add(low, high rune) {
	if s.fold {
		low, high = lower(low), lower(high)
	}
	if low <= high {
		s.ranges = append(s.ranges, span{low, high})
	}
}

// collating is the character of a collating symbol: itself, or by its name in
// POSIX.
func collating(name string) (rune, bool) {
	if name == "" {
		return 0, false
	}
	if r, n := decode(name); n == len(name) {
		return r, true
	}
	names := [...]struct {
		name string
		r    rune
	}{
		{"NUL", 0}, {"alert", '\a'}, {"backspace", '\b'}, {"tab", '\t'}, {"newline", '\n'}, {"vertical-tab", '\v'},
		{"form-feed", '\f'}, {"carriage-return", '\r'}, {"ESC", 27}, {"space", ' '}, {"exclamation-mark", '!'},
		{"quotation-mark", '"'}, {"number-sign", '#'}, {"dollar-sign", '$'}, {"percent-sign", '%'}, {"ampersand", '&'},
		{"apostrophe", '\''}, {"left-parenthesis", '('}, {"right-parenthesis", ')'}, {"asterisk", '*'}, {"plus-sign", '+'},
		{"comma", ','}, {"hyphen", '-'}, {"minus", '-'}, {"dash", '-'}, {"period", '.'}, {"dot", '.'}, {"slash", '/'},
		{"solidus", '/'}, {"zero", '0'}, {"one", '1'}, {"two", '2'}, {"three", '3'}, {"four", '4'}, {"five", '5'},
		{"six", '6'}, {"seven", '7'}, {"eight", '8'}, {"nine", '9'}, {"colon", ':'}, {"semicolon", ';'},
		{"less-than-sign", '<'}, {"equals-sign", '='}, {"greater-than-sign", '>'}, {"question-mark", '?'},
		{"commercial-at", '@'}, {"left-square-bracket", '['}, {"backslash", '\\'}, {"reverse-solidus", '\\'},
		{"right-square-bracket", ']'}, {"circumflex", '^'}, {"underscore", '_'}, {"grave-accent", '`'},
		{"left-brace", '{'}, {"vertical-line", '|'}, {"right-brace", '}'}, {"tilde", '~'}, {"DEL", 127},
	}
	for _, x := range names {
		if x.name == name {
			return x.r, true
		}
	}
	return 0, false
}

// inClass reports whether r belongs to the class; an unknown one is empty.
func inClass(r rune, class string) bool {
	if r >= invalid {
		return false
	}
	ascii := r < utf8.RuneSelf
	switch class {
	case "alpha":
		return unicode.IsLetter(r) || !ascii && (unicode.IsNumber(r) && unicode.Is(unicode.Nd, r) || unicode.Is(unicode.Nl, r))
	case "digit":
		return r >= '0' && r <= '9'
	case "alnum":
		return inClass(r, "alpha") || inClass(r, "digit")
	case "word":
		return r == '_' || inClass(r, "alnum")
	case "upper":
		return unicode.IsUpper(r) || unicode.IsTitle(r)
	case "lower":
		return unicode.IsLower(r)
	case "space":
		return r == ' ' || r >= '\t' && r <= '\r' || !ascii && unicode.IsSpace(r) && r != 0xa0 && r != 0x2007 && r != 0x202f && r != 0x85
	case "blank":
		return r == ' ' || r == '\t' || !ascii && unicode.Is(unicode.Zs, r) && r != 0xa0 && r != 0x2007 && r != 0x202f
	case "cntrl":
		return r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029
	case "graph":
		return r > ' ' && r < 0x7f || !ascii && unicode.IsGraphic(r) && !inClass(r, "space") || unicode.Is(unicode.Cf, r)
	case "print":
		return r == ' ' || inClass(r, "graph") || !ascii && inClass(r, "blank")
	case "punct":
		return inClass(r, "graph") && !inClass(r, "alnum")
	case "xdigit":
		return r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'f'
	case "ascii":
		return ascii
	}
	return false
}
