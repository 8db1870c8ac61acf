package interp

import (
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/vsh-project/vsh/internal/pattern"
)

// result is what a builder makes.
type result uint8

const (
	resultFields       result = iota
	resultText                // one string
	resultPattern             // quoted characters escaped for package pattern
	resultShownPattern        // all quoted characters escaped, as set -x shows them
	resultRegexp              // quoted characters escaped for a regular expression
	resultReplace             // quoted & and \ escaped: the string of ${x/p/string}
	resultDocument            // a here-document: "$*" joins with blanks
)

// builder collects the expansion of a word. It is borrowed from the proc.
type builder struct {
	p      *proc
	kind   result
	buf    []byte // the current field
	have   bool   // the field exists, though it may be empty
	fields []string
	// vanished is set when a list without elements was expanded in quotes.
	vanished bool
	// firstQuoted says that the first byte of buf is quoted.
	firstQuoted bool
	// globs asks for pathname expansion; magic says that the field holds a
	// pattern character, quotes are the quoted parts of buf.
	globs, magic bool
	quotes       []extent
	split        *splitting
	// delimiter is what ended the field before.
	delimiter delimiter
	// inBracket is set inside a bracket expression of a regular expression.
	inBracket bool
	// assigns says that the word is the right side of an assignment.
	assigns bool
}

type extent struct{ start, end int }

// delimiter is what stands between the last field and the current one.
type delimiter uint8

const (
	delimiterNone  delimiter = iota
	delimiterSpace           // IFS white space: one other IFS character may follow
	delimiterOther
)

// keptBuilder is how large a buffer may be to be kept for the next word.
const keptBuilder = 4 << 10

// builder borrows a builder.
func (p *proc) builder(kind result) *builder {
	if n := len(p.builders); n > 0 {
		b := p.builders[n-1]
		p.builders = p.builders[:n-1]
		b.kind = kind
		return b
	}
	return &builder{p: p, kind: kind}
}

func (p *proc) giveBack(b *builder) {
	buf, quotes := b.buf[:0], b.quotes[:0]
	if cap(buf) > keptBuilder {
		buf = nil
	}
	if cap(quotes) > keptBuilder/16 {
		quotes = nil
	}
	*b = builder{p: p, buf: buf, quotes: quotes}
	p.builders = append(p.builders, b)
}

// reserve makes place at once for what pieces will add as far as that is known
// before: long texts are then allocated once.
func (b *builder) reserve(pieces []piece) bool {
	size := 0
	for _, x := range pieces {
		size += b.p.knownSize(x)
	}
	if size <= keptBuilder {
		return true
	}
	return b.room(size)
}

// knownSize is the size of a part of a word that is a literal or a variable.
func (p *proc) knownSize(x piece) int {
	switch x := x.(type) {
	case *literal:
		return len(x.text)
	case *quotedString:
		size := 0
		for _, y := range x.pieces {
			size += p.knownSize(y)
		}
		return size
	case *parameter:
		if x.alone() != nil {
			s, _ := x.simple(p)
			return len(s)
		}
	}
	return 0
}

// expand appends the expansion of all pieces.
func (b *builder) expand(pieces []piece) bool {
	for _, x := range pieces {
		if !x.expand(b.p, b) {
			return false
		}
	}
	return true
}

// room makes place for n bytes, charged before they are allocated.
func (b *builder) room(n int) bool {
	if len(b.buf)+n <= cap(b.buf) {
		return true
	}
	size := len(b.buf) + n
	if len(b.buf) > 0 {
		size += size / 2
	}
	size = max(size, 64)
	if size > keptBuilder {
		if b.p.stopped() || !b.p.scratch(int64(size)) {
			return false
		}
		if old := int64(cap(b.buf)); old > keptBuilder {
			b.p.scratch(-old)
		}
	}
	buf := make([]byte, len(b.buf), size)
	copy(buf, b.buf)
	b.buf = buf
	return true
}

// append adds text as it is.
func (b *builder) append(s string) bool {
	if !b.room(len(s)) {
		return false
	}
	b.buf = append(b.buf, s...)
	return true
}

// result is the whole text.
func (b *builder) result() (string, bool) {
	if len(b.buf) > keptBuilder && cap(b.buf) < len(b.buf)*2 {
		// The buffer becomes the string: it is never used again.
		s := unsafe.String(unsafe.SliceData(b.buf), len(b.buf))
		b.buf = nil
		return s, true
	}
	if !b.p.scratch(int64(len(b.buf))) {
		return "", false
	}
	return string(b.buf), true
}

// literal adds unquoted text of the source, which is never split.
func (b *builder) literal(s string) bool {
	b.have = b.have || s != ""
	if b.globs && !b.magic && strings.ContainsAny(s, "*?[(") {
		b.magic = true
	}
	if b.kind == resultRegexp {
		b.brackets(s)
	}
	return b.append(s)
}

// quoted adds text without any meaning.
func (b *builder) quoted(s string) bool {
	b.have = true
	switch b.kind {
	case resultFields:
		if b.globs && s != "" {
			n := len(b.buf)
			if k := len(b.quotes); k > 0 && b.quotes[k-1].end == n {
				b.quotes[k-1].end += len(s)
			} else {
				b.quotes = append(b.quotes, extent{n, n + len(s)})
			}
		}
	case resultPattern:
		if len(b.buf) == 0 && s != "" {
			b.firstQuoted = true
		}
		if strings.ContainsAny(s, patternSpecial) {
			return b.escape(s, patternSpecial)
		}
	case resultShownPattern:
		for i := 0; i < len(s); {
			n := runeLength(s[i:])
			if !b.append(`\`) || !b.append(s[i:i+n]) {
				return false
			}
			i += n
		}
		return true
	case resultRegexp:
		if b.inBracket {
			// A backslash is a member there. What must not end the list or make a
			// range is left to the script, as bash does.
			return b.append(s)
		}
		if strings.ContainsAny(s, regexpSpecial) {
			return b.escape(s, regexpSpecial)
		}
	case resultReplace:
		if strings.ContainsAny(s, `&\`) {
			return b.escape(s, `&\`)
		}
	}
	return b.append(s)
}

const (
	patternSpecial = `*?[]\+@!()|-^`
	regexpSpecial  = `.[]()*+?{}|^$\`
)

func (b *builder) escape(s, special string) bool {
	for len(s) > 0 {
		part := s[:min(len(s), 1<<16)]
		s = s[len(part):]
		if !b.room(2 * len(part)) {
			return false
		}
		for i := 0; i < len(part); i++ {
			if strings.IndexByte(special, part[i]) >= 0 {
				b.buf = append(b.buf, '\\')
			}
			b.buf = append(b.buf, part[i])
		}
	}
	return true
}

// brackets follows the bracket expressions of a regular expression.
func (b *builder) brackets(s string) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case !b.inBracket:
			if c == '\\' {
				i++
			} else if c == '[' {
				b.inBracket = true
				if i+1 < len(s) && s[i+1] == '^' {
					i++
				}
				if i+1 < len(s) && s[i+1] == ']' {
					i++
				}
			}
		case c == '[' && i+1 < len(s) && strings.IndexByte(":.=", s[i+1]) >= 0:
			if end := strings.Index(s[i+2:], s[i+1:i+2]+"]"); end >= 0 {
				i += 2 + end + 1
			}
		case c == ']':
			b.inBracket = false
		}
	}
}

// value adds the result of an expansion.
func (b *builder) value(s string, quoted bool) bool {
	if quoted {
		return b.quoted(s)
	}
	return b.unquoted(s)
}

// number adds a number.
func (b *builder) number(n int64, quoted bool) bool {
	var buffer [20]byte
	text := strconv.AppendInt(buffer[:0], n, 10)
	return b.value(unsafe.String(unsafe.SliceData(text), len(text)), quoted)
}

// unquoted adds the result of an unquoted expansion: it is split, and its
// pattern characters count.
func (b *builder) unquoted(s string) bool {
	if b.kind != resultFields {
		if b.kind == resultRegexp {
			b.brackets(s)
		}
		return b.append(s)
	}
	if b.split == nil {
		b.split = b.p.splitter()
	}
	split := b.split
	for s != "" {
		// What stands up to the next IFS character.
		end := split.next(s)
		if end > 0 {
			if b.globs && !b.magic && strings.ContainsAny(s[:end], "*?[(\\") {
				b.magic = true
			}
			b.have = true
			b.delimiter = delimiterNone
			if !b.append(s[:end]) {
				return false
			}
			s = s[end:]
			continue
		}
		n := split.size(s)
		if split.space(s[0]) {
			if b.have {
				if !b.endField() {
					return false
				}
				b.delimiter = delimiterSpace
			}
		} else {
			if !b.have && b.delimiter == delimiterSpace {
				b.delimiter = delimiterOther
			} else {
				b.have = true
				if !b.endField() {
					return false
				}
				b.delimiter = delimiterOther
			}
		}
		s = s[n:]
	}
	return true
}

// list adds "$@", $@, "$*" or $*, or the like of an array.
func (b *builder) list(values []string, quoted, star bool) bool {
	if len(values) == 0 {
		if quoted {
			b.vanished = b.vanished || !star
			if star {
				b.have = true
			}
		}
		return true
	}
	if b.kind != resultFields || quoted && star {
		return b.joined(values, quoted, star)
	}
	if b.split == nil {
		b.split = b.p.splitter()
	}
	separator := ""
	if !quoted {
		separator = b.split.first
	}
	for i, s := range values {
		if i > 0 {
			switch {
			case quoted, separator == "":
				b.have = b.have || quoted
				if !b.endField() {
					return false
				}
				b.delimiter = delimiterNone
			default:
				if !b.unquoted(separator) {
					return false
				}
			}
			if i&1023 == 0 && b.p.stopped() {
				return false
			}
		}
		if !b.value(s, quoted) {
			return false
		}
	}
	if quoted {
		b.have = true
	}
	return true
}

// joined adds a list as one string.
func (b *builder) joined(values []string, quoted, star bool) bool {
	separator := " "
	if star {
		separator = b.p.splitter().first
	}
	for i, s := range values {
		if i > 0 && !b.value(separator, quoted) {
			return false
		}
		if !b.value(s, quoted) {
			return false
		}
	}
	return true
}

// endField finishes the current field, if there is one.
func (b *builder) endField() bool {
	if !b.have {
		return true
	}
	b.have = false
	if b.magic {
		b.magic = false
		ok := b.expandPathname()
		b.buf, b.quotes = b.buf[:0], b.quotes[:0]
		return ok
	}
	b.quotes = b.quotes[:0]
	if len(b.buf) > keptBuilder && cap(b.buf) < len(b.buf)*2 {
		s, ok := b.result()
		b.fields = append(b.fields, s)
		return ok
	}
	if !b.addField(string(b.buf)) {
		return false
	}
	b.buf = b.buf[:0]
	return true
}

// fieldCost is charged for each field beside its text.
const fieldCost = 40

func (b *builder) addField(s string) bool {
	if len(b.fields)&1023 == 1023 && b.p.stopped() {
		return false
	}
	if !b.p.scratch(int64(len(s)) + fieldCost) {
		return false
	}
	b.fields = append(b.fields, s)
	return true
}

// expandPathname replaces the field by the names that match it.
func (b *builder) expandPathname() bool {
	text := string(b.buf)
	escaped := text
	if len(b.quotes) > 0 {
		out := make([]byte, 0, len(text)+16)
		last := 0
		for _, q := range b.quotes {
			out = append(out, text[last:q.start]...)
			out = pattern.AppendQuoted(out, text[q.start:q.end])
			last = q.end
		}
		escaped = string(append(out, text[last:]...))
	}
	fields, ok := b.p.glob(escaped, text, b.fields)
	b.fields = fields
	return ok
}

// splitting is IFS, prepared.
type splitting struct {
	ifs   string
	first string // its first character
	set   [4]uint64
	white [4]uint64
	wide  bool // it holds characters beyond ASCII
	off   bool // it is empty
}

// splitter is IFS as it is now.
func (p *proc) splitter() *splitting {
	ifs, set := p.value(symIFS)
	if !set {
		ifs = " \t\n"
	}
	if p.ifs != nil && p.ifs.ifs == ifs {
		return p.ifs
	}
	s := &splitting{ifs: ifs, off: ifs == ""}
	for i := 0; i < len(ifs); i++ {
		c := ifs[i]
		if c >= utf8.RuneSelf {
			s.wide = true
			continue
		}
		s.set[c>>6] |= 1 << (c & 63)
		if c == ' ' || c == '\t' || c == '\n' {
			s.white[c>>6] |= 1 << (c & 63)
		}
	}
	if ifs != "" {
		s.first = ifs[:runeLength(ifs)]
	}
	p.ifs = s
	return s
}

// space reports whether the IFS character c is white space.
func (s *splitting) space(c byte) bool { return s.white[c>>6]&(1<<(c&63)) != 0 }

// next is the place of the first IFS character in text, or its length.
func (s *splitting) next(text string) int {
	if s.off {
		return len(text)
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		if s.set[c>>6]&(1<<(c&63)) != 0 {
			return i
		}
		if c >= utf8.RuneSelf && s.wide {
			n := runeLength(text[i:])
			if strings.Contains(s.ifs, text[i:i+n]) {
				return i
			}
			i += n - 1
		}
	}
	return len(text)
}

// size is the length of the IFS character that text begins with.
func (s *splitting) size(text string) int { return runeLength(text) }

// inert reports whether an unquoted value is one field as it stands.
func (s *splitting) inert(text string) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case s.set[c>>6]&(1<<(c&63)) != 0, c == '*', c == '?', c == '[', c == '(', c == '\\':
			return false
		case c >= utf8.RuneSelf && s.wide:
			return false
		}
	}
	return true
}
