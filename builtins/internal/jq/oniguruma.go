package jq

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// onigPattern rewrites a regular expression of Oniguruma, in its Perl syntax,
// for the Perl dialect of package regex: groups lose their names, which may
// occur more than once, and repeated operators get parentheses. It finds
// Oniguruma's errors.
type onigPattern struct {
	text string
	pos  int
	out  []byte
	// atom is where what an operator would repeat starts in out; -1 for none.
	atom int
	// repeated is whether the atom has an operator.
	repeated bool
	open     []onigGroup
	groups   int
	names    []string
	err      string
}

type onigGroup struct{ start int }

const onigUnmatched = "end pattern with unmatched parenthesis"

// translateOnig returns the rewritten pattern and the names of its groups by
// number from 1, "" for none; err is Oniguruma's text.
func translateOnig(text string) (pattern string, names []string, err string) {
	p := &onigPattern{text: text, atom: -1}
	p.groups = countGroups(text)
	for p.pos < len(p.text) && p.err == "" {
		p.next()
	}
	if p.err == "" && len(p.open) > 0 {
		p.err = onigUnmatched
	}
	return string(p.out), p.names, p.err
}

// countGroups is how many groups capture; a back-reference may come before its
// group.
func countGroups(text string) (n int) {
	inClass := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case inClass:
			inClass = c != ']'
		case c == '[':
			inClass = true
		case c == '(' && (!strings.HasPrefix(text[i:], "(?") || namedGroup(text[i:])):
			n++
		}
	}
	return n
}

func namedGroup(text string) bool {
	return strings.HasPrefix(text, "(?<") && !strings.HasPrefix(text, "(?<=") && !strings.HasPrefix(text, "(?<!")
}

func (p *onigPattern) fail(text string) { p.err = text }

// add writes an atom.
func (p *onigPattern) add(text string) {
	p.atom, p.repeated = len(p.out), false
	p.out = append(p.out, text...)
}

func (p *onigPattern) next() {
	switch c := p.text[p.pos]; c {
	case '\\':
		p.escape()
	case '[':
		p.class()
	case '(':
		p.group()
	case ')':
		if len(p.open) == 0 {
			p.fail("unmatched close parenthesis")
			return
		}
		p.pos++
		g := p.open[len(p.open)-1]
		p.open = p.open[:len(p.open)-1]
		p.out = append(p.out, ')')
		p.atom, p.repeated = g.start, false
	case '|':
		p.pos++
		p.out = append(p.out, c)
		p.atom = -1
	case '*', '+', '?':
		p.pos++
		p.repeat(string(c))
	case '{':
		p.interval()
	case '^', '$', '.':
		p.pos++
		p.add(string(c))
	default:
		_, n := utf8.DecodeRuneInString(p.text[p.pos:])
		p.add(p.text[p.pos : p.pos+n])
		p.pos += n
	}
}

// repeat adds an operator, and what makes it lazy or possessive.
func (p *onigPattern) repeat(operator string) {
	if p.atom < 0 {
		p.fail("target of repeat operator is not specified")
		return
	}
	if p.repeated {
		inner := string(p.out[p.atom:])
		p.out = append(append(append(p.out[:p.atom], "(?:"...), inner...), ')')
	}
	p.repeated = true
	p.out = append(p.out, operator...)
	if p.pos < len(p.text) && (p.text[p.pos] == '?' || p.text[p.pos] == '+' && operator[0] != '{') {
		p.out = append(p.out, p.text[p.pos])
		p.pos++
	}
}

// interval reads {n}, {n,} or {n,m}; another brace is a character.
func (p *onigPattern) interval() {
	body, _, found := strings.Cut(p.text[p.pos+1:], "}")
	low, high, ranged := strings.Cut(body, ",")
	if !found || !allDigits(low) || low == "" || !allDigits(high) {
		p.pos++
		p.add(`\{`)
		return
	}
	from, err := strconv.Atoi(low)
	to, err2 := from, error(nil)
	if high != "" {
		to, err2 = strconv.Atoi(high)
	}
	switch {
	case err != nil || err2 != nil || from > 100000 || to > 100000:
		p.fail("too big number for repeat range")
		return
	case ranged && high != "" && to < from:
		p.fail("upper is smaller than lower in repeat range")
		return
	}
	p.pos += len(body) + 2
	p.repeat("{" + body + "}")
}

func allDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

func (p *onigPattern) group() {
	rest := p.text[p.pos:]
	start := len(p.out)
	enter := func(opening string, size int) {
		p.open = append(p.open, onigGroup{start})
		p.out = append(p.out, opening...)
		p.pos += size
		p.atom = -1
	}
	switch {
	case !strings.HasPrefix(rest, "(?"):
		p.names = append(p.names, "")
		enter("(", 1)
	case len(rest) == 2:
		p.fail("end pattern in group")
	case strings.HasPrefix(rest, "(?#"):
		size := strings.IndexByte(rest, ')') + 1
		if size == 0 {
			p.fail("end pattern in group")
		}
		p.pos += size
	case namedGroup(rest):
		name, size, err := groupName(rest[3:], '>')
		if err != "" {
			p.fail(err)
			return
		}
		p.names = append(p.names, name)
		enter("(", 3+size)
	case strings.IndexByte(":=!>", rest[2]) >= 0:
		enter(rest[:3], 3)
	case rest[2] == '<':
		enter(rest[:4], 4)
	default:
		p.options(rest, enter)
	}
}

// options reads (?imsx-imsx) and (?imsx-imsx:.
func (p *onigPattern) options(rest string, enter func(string, int)) {
	n := 2
	for n < len(rest) && strings.IndexByte("imsx-", rest[n]) >= 0 {
		n++
	}
	switch {
	case n == len(rest):
		p.fail("end pattern in group")
	case rest[n] == ':':
		enter(rest[:n+1], n+1)
	case rest[n] == ')' && n > 2:
		p.out = append(p.out, rest[:n+1]...)
		p.pos += n + 1
		p.atom = -1
	default:
		p.fail("undefined group option")
	}
}

// groupName reads a name up to its end and tells how far it goes.
func groupName(text string, end byte) (name string, size int, err string) {
	i := strings.IndexByte(text, end)
	if j := strings.IndexByte(text, ')'); i < 0 || j >= 0 && j < i {
		if i = j; i < 0 {
			i = len(text)
		}
		if i == 0 {
			return "", 0, "group name is empty"
		}
		return "", 0, "invalid group name <" + text[:i] + ">"
	}
	name = text[:i]
	switch {
	case name == "":
		return "", 0, "group name is empty"
	case isDigit(name[0]) || name[0] < 0x80 && !isNameStart(name[0]):
		return "", 0, "invalid group name <" + name + ">"
	}
	return name, i + 1, ""
}

func (p *onigPattern) escape() {
	rest := p.text[p.pos:]
	if len(rest) == 1 {
		p.fail("end pattern at escape")
		return
	}
	switch c := rest[1]; {
	case c == 'k' && len(rest) > 2 && (rest[2] == '<' || rest[2] == '\''):
		p.named(rest)
	case c == 'g' && len(rest) > 2 && (rest[2] == '<' || rest[2] == '\''):
		name, _, err := groupName(rest[3:], closing(rest[2]))
		if err == "" && p.number(name) == 0 {
			err = "undefined name <" + name + "> reference"
		}
		if err == "" {
			err = "calls of groups are not supported"
		}
		p.fail(err)
	case c >= '1' && c <= '9':
		n := 1
		for n < len(rest) && isDigit(rest[n]) {
			n++
		}
		number, err := strconv.Atoi(rest[1:n])
		if err != nil || number > p.groups && number <= 9 {
			p.fail("invalid backref number/name")
			return
		}
		if number > p.groups {
			p.add(rest[:2])
			p.pos += 2
			return
		}
		p.add("(?:" + rest[:n] + ")")
		p.pos += n
	case c == 'p' || c == 'P':
		p.property(rest)
	case c == 'x' && strings.HasPrefix(rest[2:], "{"):
		digits, _, found := strings.Cut(rest[3:], "}")
		if found && len(digits) > 8 {
			p.fail("too long wide-char value")
			return
		}
		size := min(len(rest), 4+len(digits))
		p.add(rest[:size])
		p.pos += size
	case isAlnum(c) && strings.IndexByte("tnrfavexcdDwWsSbBAzZGKQERX0", c) < 0:
		// What Oniguruma does not know stands for itself.
		p.add(string(c))
		p.pos += 2
	default:
		_, n := utf8.DecodeRuneInString(rest[1:])
		p.add(rest[:1+n])
		p.pos += 1 + n
	}
}

func closing(open byte) byte {
	if open == '<' {
		return '>'
	}
	return open
}

// number is the last group of a name that has been read, 0 for none.
func (p *onigPattern) number(name string) int {
	for i := len(p.names) - 1; i >= 0; i-- {
		if p.names[i] == name && name != "" {
			return i + 1
		}
	}
	if n, err := strconv.Atoi(name); err == nil && n > 0 && n <= p.groups {
		return n
	}
	return 0
}

// named reads a back-reference by name.
func (p *onigPattern) named(rest string) {
	end := strings.IndexByte(rest[3:], closing(rest[2]))
	if end <= 0 {
		p.fail("invalid group name <>")
		return
	}
	name := rest[3 : 3+end]
	n := p.number(name)
	if n == 0 {
		p.fail("undefined name <" + name + "> reference")
		return
	}
	p.add(`(?:\` + strconv.Itoa(n) + ")")
	p.pos += 4 + end
}

// property reads \p{NAME}; without a brace it is a character.
func (p *onigPattern) property(rest string) {
	if !strings.HasPrefix(rest[2:], "{") {
		p.add(rest[1:2])
		p.pos += 2
		return
	}
	end := strings.IndexByte(rest, '}')
	if end < 0 {
		p.fail(onigUnmatched)
		return
	}
	p.add(rest[:end+1])
	p.pos += end + 1
}

// class copies a bracket expression.
func (p *onigPattern) class() {
	rest := p.text[p.pos:]
	n := 1
	if strings.HasPrefix(rest[n:], "^") {
		n++
	}
	out := []byte(rest[:n])
	if strings.HasPrefix(rest[n:], "]") {
		if strings.IndexByte(rest[n+1:], ']') < 0 {
			p.fail("empty char-class")
			return
		}
		out = append(out, `\]`...)
		n++
	}
	for {
		switch {
		case n >= len(rest):
			p.fail("premature end of char-class")
			return
		case rest[n] == ']':
			p.pos += n + 1
			p.add(string(append(out, ']')))
			return
		case rest[n] == '\\':
			if n+1 == len(rest) {
				p.fail("end pattern at escape")
				return
			}
			if c := rest[n+1]; strings.IndexByte("uUlLhHVyYNOkgCRXABzZGKQE", c) >= 0 {
				out = append(out, c)
			} else {
				out = append(out, '\\', c)
			}
			n += 2
		case strings.HasPrefix(rest[n:], "[:"):
			end := strings.Index(rest[n:], ":]")
			if end < 0 {
				out = append(out, `\[`...)
				n++
				continue
			}
			if !posixClass(strings.TrimPrefix(rest[n+2:n+end], "^")) {
				p.fail("invalid POSIX bracket type")
				return
			}
			out = append(out, rest[n:n+end+2]...)
			n += end + 2
		case rest[n] == '[':
			out = append(out, `\[`...)
			n++
		default:
			_, size := utf8.DecodeRuneInString(rest[n:])
			out = append(out, rest[n:n+size]...)
			n += size
		}
	}
}

func posixClass(name string) bool {
	switch name {
	case "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "word", "xdigit":
		return true
	}
	return false
}
