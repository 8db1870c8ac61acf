package awk

import (
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/vsh-project/vsh/internal/regex"
)

type regexKey struct {
	text   string
	ignore bool
}

// regexEntry is a compiled regular expression with its own finder.
type regexEntry struct {
	matcher *regex.Matcher
	finder  *regex.Finder
}

// maxRegexes bounds the cache of expressions made at run time.
const maxRegexes = 500

func (m *machine) compile(text string) *regexEntry {
	key := regexKey{text, m.ignoreCase}
	if e := m.regexes[key]; e != nil {
		return e
	}
	m.Escapes.inRegex(m.where(), text)
	matcher, err := regex.Compile(resolveEscapes(text), regex.Options{Syntax: regex.GNUAwk, IgnoreCase: m.ignoreCase})
	if err != nil {
		fatalf("invalid regexp: %s: /%s/", err, text)
	}
	if len(m.regexes) >= maxRegexes {
		m.regexes = map[regexKey]*regexEntry{}
	}
	e := &regexEntry{matcher: matcher, finder: matcher.Finder(m.ctx)}
	m.regexes[key] = e
	return e
}

// resolveEscapes turns a regular expression's character escapes into the
// characters, quoted where they would be operators; the others stay.
func resolveEscapes(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 >= len(s) {
			b.WriteByte(s[i])
			continue
		}
		switch c := s[i+1]; {
		case strings.IndexByte("ntrafv/\"", c) >= 0, c >= '0' && c <= '7', c == 'x' && i+2 < len(s) && isHex(s[i+2]):
			var one strings.Builder
			i += unescape(&one, s[i+1:], func(byte) {})
			if t := one.String(); len(t) == 1 && strings.Contains(".[]()*+?{}|^$\\", t) {
				b.WriteByte('\\')
			}
			b.WriteString(one.String())
		case c == '8' || c == '9':
			b.WriteByte(c)
			i++
		default:
			b.WriteString(s[i : i+2])
			i++
		}
	}
	return b.String()
}

func (m *machine) regexOf(r *regexRef) *regexEntry {
	if r.dynamic != nil {
		v := r.dynamic.eval(m)
		return m.compile(m.text(&v))
	}
	if r.cached == nil || r.mode != m.ignoreCase {
		r.mode = m.ignoreCase
		if r.matcher != nil && !r.mode {
			r.cached = &regexEntry{matcher: r.matcher, finder: r.matcher.Finder(m.ctx)}
		} else {
			r.cached = m.compile(r.literal)
		}
	}
	return r.cached
}

// bytesOf is s as bytes that must not be written to.
func bytesOf(s string) []byte {
	return unsafe.Slice(unsafe.StringData(s), len(s))
}

func (m *machine) matches(r *regexRef, s string) bool {
	e := m.regexOf(r)
	found := e.finder.Match(bytesOf(s))
	m.finderError(e)
	return found
}

func (m *machine) finderError(e *regexEntry) {
	if err := e.finder.Err(); err != nil {
		e.finder.Reset()
		if m.ctx.Err() != nil {
			panic(ioError{m.ctx.Err()})
		}
		fatalf("%s", err)
	}
}

// find is the leftmost match at or after from: its groups as offset pairs.
func (m *machine) find(e *regexEntry, s string, from int) []int {
	g := e.finder.Find(bytesOf(s), from)
	m.finderError(e)
	return g
}

func (m *machine) extent(e *regexEntry, s string, from int) (start, end int, ok bool) {
	start, end, ok = e.finder.FindExtent(bytesOf(s), from)
	if !ok {
		m.finderError(e)
	}
	return start, end, ok
}

// splitFields splits the record if that has not been done.
func (m *machine) splitFields() {
	if m.split {
		return
	}
	m.split = true
	m.fields = m.fields[:0]
	add := func(s string) {
		m.roomForFields(len(m.fields) + 1)
		m.fields = append(m.fields, input(s))
	}
	text := m.recordText()
	switch m.splitBy {
	case 'w':
		m.splitWidths(text, add)
	case 'p':
		m.splitPattern(text, m.compile(m.fpatText()), add, nil)
	default:
		m.splitText(text, m.fs, m.rs == "", add, nil)
	}
	m.nf = len(m.fields)
}

func (m *machine) fpatText() string {
	if m.fpat == "" {
		return "[^[:space:]]+"
	}
	return m.fpat
}

// splitText splits by a separator as FS means it: " " runs of blanks, one
// character itself, more a regular expression, none each character. A newline
// separates too where records are paragraphs.
func (m *machine) splitText(text, fs string, paragraphs bool, add, seps func(string)) {
	switch {
	case text == "":
		return
	case fs == " ":
		m.splitBlanks(text, add, seps)
	case fs == "":
		for i := 0; i < len(text); {
			_, n := utf8.DecodeRuneInString(text[i:])
			add(text[i : i+n])
			if i += n; i < len(text) && seps != nil {
				seps("")
			}
		}
	case !paragraphs && plainSeparator(fs): // IGNORECASE is for regular expressions
		fs = strings.TrimPrefix(fs, "\\")
		for {
			i := strings.Index(text, fs)
			if i < 0 {
				add(text)
				return
			}
			add(text[:i])
			if seps != nil {
				seps(fs)
			}
			text = text[i+len(fs):]
		}
	default:
		pattern := fs
		if len(fs) == 1 && fs != "\\" {
			pattern = regex.Quote(fs, regex.GNUAwk)
		} else if fs == "\\" {
			pattern = `\\`
		}
		if paragraphs {
			pattern = "(" + pattern + ")|\n"
		}
		m.splitRegex(text, m.compile(pattern), add, seps)
	}
}

// plainSeparator reports a separator that is one character, or two of which
// the first is a backslash that only quotes the second.
func plainSeparator(fs string) bool {
	if len(fs) == 1 {
		return fs != "\\"
	}
	if len(fs) == 2 && fs[0] == '\\' {
		return strings.IndexByte("|.*+?()[]{}^$", fs[1]) >= 0
	}
	return false
}

func (m *machine) splitBlanks(text string, add, seps func(string)) {
	i := 0
	lead := 0
	for i < len(text) && isBlank(text[i]) {
		i++
	}
	lead = i
	if seps != nil && lead > 0 {
		seps(text[:lead])
	}
	for i < len(text) {
		start := i
		for i < len(text) && !isBlank(text[i]) {
			i++
		}
		add(text[start:i])
		start = i
		for i < len(text) && isBlank(text[i]) {
			i++
		}
		if seps != nil && i > start {
			seps(text[start:i])
		}
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

func (m *machine) splitRegex(text string, e *regexEntry, add, seps func(string)) {
	start := 0
	for from := 0; from <= len(text); {
		s, t, ok := m.extent(e, text, from)
		if !ok {
			break
		}
		if t == s {
			if s >= len(text) {
				break
			}
			from = s + 1
			continue
		}
		add(text[start:s])
		if seps != nil {
			seps(text[s:t])
		}
		start, from = t, t
		m.check()
	}
	add(text[start:])
}

// splitPattern takes what matches FPAT as fields; what lies between separates.
func (m *machine) splitPattern(text string, e *regexEntry, add, seps func(string)) {
	if text == "" {
		return
	}
	start := 0
	m.eachMatch(e, text, false, func(g []int) bool {
		if g[0] == g[1] && g[0] == len(text) && start == len(text) {
			return false
		}
		if seps != nil {
			seps(text[start:g[0]])
		}
		add(text[g[0]:g[1]])
		start = g[1]
		return true
	})
	if seps != nil {
		seps(text[start:])
	}
}

// splitWidths takes fields of fixed widths, "skip:width", and "*" for the rest.
func (m *machine) splitWidths(text string, add func(string)) {
	for _, w := range strings.Fields(m.fieldwidths) {
		if text == "" {
			return
		}
		if w == "*" {
			add(text)
			return
		}
		skip, width, has := strings.Cut(w, ":")
		if !has {
			skip, width = "0", skip
		}
		text = text[runeOffset(text, int(stringNumber(skip))):]
		n := runeOffset(text, int(stringNumber(width)))
		add(text[:n])
		text = text[n:]
	}
}

// runeOffset is the offset of the n-th character, at most the length.
func runeOffset(s string, n int) int {
	for i := range s {
		if n <= 0 {
			return i
		}
		n--
	}
	return len(s)
}
