package patch

import (
	"bytes"
	"strings"
	"time"
)

// The names of a patch, and which side they belong to.
const (
	Old = iota
	New
	Index
	None
)

// epochMargin is how far local time may be from UTC.
const epochMargin = 26 * time.Hour

// Header is what a patch says before its first hunk about one file.
type Header struct {
	Format Format
	// Names are stripped; "" where there is none.
	Names [3]string
	// Stamps is what follows the names, as it stands.
	Stamps [2]string
	Times  [2]Time
	// Absent says 1 where the side looks empty and 2 where it does not exist.
	Absent [2]int
	// Mode is the side's st_mode, 0 where it is not given.
	Mode         [2]uint32
	Git          bool
	Rename, Copy bool
	// Prereq is the word of a Prereq: line.
	Prereq string
	// Indent is how far the patch is indented, StripCR whether its lines end
	// in carriage returns.
	Indent  int
	StripCR bool
	// Line is where its hunks start.
	Line int
}

// Time is a side's time. Known is false where the header has none.
type Time struct {
	time.Time
	Known bool
}

func (t Time) epoch() bool { return t.Known && t.Unix() == 0 }

// Source is a patch that is read file by file.
type Source struct {
	// Strip is -p: -1 keeps the base name.
	Strip int
	// Format is the one asked for, Unknown to find out.
	Format Format
	// Binary keeps carriage returns.
	Binary bool
	// Date reads a date of a header.
	Date func(text string) (time.Time, bool)
	// Note is told of what is odd.
	Note func(format string, args ...any)

	reader
	header Header
	// base is where the next header is looked for.
	base, baseLine   int
	start, startLine int
}

// NewSource reads the patch text.
func NewSource(text []byte) *Source { return &Source{Strip: -1, start: -1, reader: reader{text: text}} }

// Done says whether everything has been read.
func (s *Source) Done() bool { return s.base > 0 && s.base >= len(s.text) }

// Begun says whether a patch has been read before.
func (s *Source) Begun() bool { return s.base > 0 }

// Empty says whether there is no text at all.
func (s *Source) Empty() bool { return len(s.text) == 0 }

// Lead is the text between the last hunk and the first of this header.
func (s *Source) Lead() [][]byte { return SplitLines(s.text[s.base:s.start]) }

// Hunk reads the next hunk of the header read last, nil at its end.
func (s *Source) Hunk() (*Hunk, error) {
	h, err := s.reader.hunk(s.header.Format)
	s.base, s.baseLine = s.at, s.line
	return h, err
}

// Rest returns the lines an ed script is made of, and goes past it.
func (s *Source) Rest() []byte {
	from := s.at
	for {
		at, line := s.at, s.line
		text := s.hunkLine()
		if text == nil {
			break
		}
		command := edCommand(text)
		if command == 0 {
			s.at, s.line = at, line
			break
		}
		if command != 'd' && command != 's' {
			for text = s.hunkLine(); text != nil && string(text) != ".\n"; {
				text = s.hunkLine()
			}
		}
	}
	s.base, s.baseLine = s.at, s.line
	return s.text[from:s.at]
}

// edCommand is the letter of an ed command that diff writes, 0 for none.
func edCommand(s []byte) byte {
	i, pair := 0, false
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == ',' && i > 0) {
		pair = pair || s[i] == ','
		i++
	}
	if i >= len(s) {
		return 0
	}
	letter, rest := s[i], string(bytes.TrimRight(s[i+1:], "\r\n"))
	switch {
	case (letter == 'a' || letter == 'i') && !pair && rest == "" && i > 0, (letter == 'c' || letter == 'd') && rest == "" && i > 0:
		return letter
	case letter == 's' && (rest == "/.//" || rest == "/^\\.\\././"):
		return letter
	}
	return 0
}

// Next finds the next file's header. It returns nil where there is none;
// needHeader refuses hunks without one.
func (s *Source) Next(needHeader bool) *Header {
	h := &s.header
	format := s.Format
	s.header = Header{}
	if format == Ed || format == Normal {
		needHeader = false
	}
	s.at, s.line, s.indent, s.stripCR = s.base, s.baseLine, 0, false
	scan := scanner{Source: s, h: h, format: format, needHeader: needHeader, firstCommand: -1}
	if !scan.run() || scan.start <= s.start {
		return nil
	}
	s.start, s.startLine = scan.start, scan.startLine
	if s.Binary {
		h.StripCR = false
	}
	h.Line = s.startLine
	s.Rewind()
	return h
}

// Rewind goes back to the first hunk.
func (s *Source) Rewind() {
	s.at, s.line, s.indent, s.stripCR = s.start, s.startLine-1, s.header.Indent, s.header.StripCR
}

// scanner looks through the text before the hunks.
type scanner struct {
	*Source
	h          *Header
	format     Format
	needHeader bool
	extended   bool
	// the first line that looks like an ed command or a normal hunk.
	firstCommand, firstCommandLine int
	ed                             bool
	start, startLine               int
}

func (s *scanner) found(format Format, start, line int) bool {
	s.h.Format, s.start, s.startLine = format, start, line
	return true
}

func (s *scanner) run() bool {
	var wasCommand, isCommand, wasStars, isStars bool
	previous, indent, wasIndent := 0, 0, 0
	at := 0
	for {
		previous, wasCommand, wasStars, wasIndent = at, isCommand, isStars, indent
		at = s.at
		line := s.next()
		if line == nil {
			if s.ed {
				return s.found(Ed, s.firstCommand, s.firstCommandLine)
			}
			return s.extended && s.found(Unified, at, s.line+1)
		}
		cr := len(line) >= 2 && line[len(line)-2] == '\r'
		text := line
		for indent = 0; len(text) > 0 && (text[0] == ' ' || text[0] == '\t' || text[0] == 'X'); text = text[1:] {
			if text[0] == '\t' {
				indent = (indent + 8) &^ 7
			} else {
				indent++
			}
		}
		isCommand = normalCommand(text)
		if command := edCommand(text); !s.needHeader && s.firstCommand < 0 && (command != 0 || isCommand) {
			s.firstCommand, s.firstCommandLine, s.ed = at, s.line, command != 0
			s.h.Indent, s.h.StripCR = indent, cr
		}
		if done, ok := s.headerLine(text, at, wasStars, cr); done {
			return ok
		}
		if s.needHeader {
			continue
		}
		switch {
		case (s.format == Unknown || s.format == Ed) && s.firstCommand >= 0 && string(text) == ".\n":
			return s.found(Ed, s.firstCommand, s.firstCommandLine)
		case (s.format == Unknown || s.format == Unified) && bytes.HasPrefix(text, []byte("@@ -")):
			s.unifiedStart(text[4:], indent)
			return s.found(Unified, at, s.line)
		}
		isStars = bytes.HasPrefix(text, []byte("********"))
		if (s.format == Unknown || s.format == Context || s.format == NewContext) && wasStars && wasIndent == indent && bytes.HasPrefix(text, []byte("*** ")) {
			format := Context
			if bytes.HasSuffix(bytes.TrimRight(text, "\r\n"), []byte("*")) {
				format = NewContext
			}
			s.contextStart(text[4:], format, previous, indent, cr)
			return s.found(format, previous, s.line-1)
		}
		if (s.format == Unknown || s.format == Normal) && wasCommand && (bytes.HasPrefix(text, []byte("< ")) || bytes.HasPrefix(text, []byte("> "))) {
			s.h.Indent = indent
			return s.found(Normal, previous, s.line-1)
		}
	}
}

func normalCommand(s []byte) bool {
	digits := func(i int) int {
		for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == ',') {
			i++
		}
		return i
	}
	if len(s) == 0 || s[0] < '0' || s[0] > '9' {
		return false
	}
	i := digits(1)
	if i >= len(s) || s[i] != 'a' && s[i] != 'c' && s[i] != 'd' {
		return false
	}
	rest := string(s[digits(i+1):])
	rest = strings.TrimLeft(rest, " \t")
	return rest == "\n" || rest == "\r\n"
}

// headerLine takes what a line before the hunks says.
func (s *scanner) headerLine(text []byte, at int, wasStars, cr bool) (done, ok bool) {
	h := s.h
	after := func(prefix string) (string, bool) {
		rest, ok := bytes.CutPrefix(text, []byte(prefix))
		return string(rest), ok
	}
	git := func(prefix string) (string, bool) {
		if !h.Git {
			return "", false
		}
		rest, ok := after(prefix)
		s.extended = s.extended || ok
		return rest, ok
	}
	if rest, ok := after("*** "); ok && !wasStars {
		s.fetch(rest, Old)
		s.needHeader = false
	} else if rest, ok := after("+++ "); ok {
		// It is swapped with the other one where the hunks turn out unified.
		s.fetch(rest, Old)
		s.needHeader = false
		h.StripCR = cr
	} else if rest, ok := after("Index:"); ok {
		s.fetch(rest, Index)
		s.needHeader = false
		h.StripCR = cr
	} else if rest, ok := after("Prereq:"); ok {
		if words := strings.Fields(rest); len(words) > 0 {
			h.Prereq = words[0]
			if len(words) > 1 {
				s.Note("Prereq: with multiple words at line %d of patch\n", s.line)
			}
		}
	} else if rest, ok := after("diff --git "); ok {
		if s.extended {
			return true, s.found(Unified, at, s.line)
		}
		h.Names[Old], h.Names[New] = "", ""
		first, left, ok1 := s.parseName(rest)
		second, left, ok2 := s.parseName(left)
		if ok1 && ok2 && strings.TrimSpace(left) == "" {
			h.Names[Old], h.Names[New] = first, second
		}
		h.Git = true
		s.needHeader = false
	} else if rest, ok := git("index "); ok {
		from, to, ok := strings.Cut(strings.TrimRight(rest, "\r\n"), "..")
		to, mode, _ := strings.Cut(to, " ")
		if ok && isHex(from) && isHex(to) {
			for side, sum := range []string{from, to} {
				h.Absent[side] = max(h.Absent[side], sumSaysAbsent(sum))
			}
			if mode != "" {
				h.Mode[Old], h.Mode[New] = octal(mode), octal(mode)
			}
		}
	} else if rest, ok := git("old mode "); ok {
		h.Mode[Old] = octal(rest)
	} else if rest, ok := git("new mode "); ok {
		h.Mode[New] = octal(rest)
	} else if rest, ok := git("deleted file mode "); ok {
		h.Mode[Old], h.Absent[New] = octal(rest), 2
	} else if rest, ok := git("new file mode "); ok {
		h.Mode[New], h.Absent[Old] = octal(rest), 2
	} else if _, ok := git("rename from "); ok {
		h.Rename = true
	} else if _, ok := git("rename to "); ok {
		h.Rename = true
	} else if _, ok := git("copy from "); ok {
		h.Copy = true
	} else if _, ok := git("copy to "); ok {
		h.Copy = true
	} else if _, ok := git("GIT binary patch"); ok {
		return true, s.found(GitBinary, at, s.line)
	} else {
		t := text
		for bytes.HasPrefix(t, []byte("- ")) {
			t = t[2:]
		}
		if rest, ok := bytes.CutPrefix(t, []byte("--- ")); ok {
			s.fetch(string(rest), New)
			s.needHeader = false
			h.StripCR = cr
		}
	}
	return false, false
}

func isHex(s string) bool { return s != "" && strings.Trim(s, "0123456789abcdef") == "" }

// emptyBlob is the name git gives a file without content.
const emptyBlob = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"

func sumSaysAbsent(sum string) int {
	switch {
	case strings.Trim(sum, "0") == "":
		return 2
	case strings.HasPrefix(emptyBlob, sum):
		return 1
	}
	return 0
}

func octal(s string) (mode uint32) {
	for _, c := range []byte(strings.TrimLeft(s, " ")) {
		if c < '0' || c > '7' || mode >= 1<<29 {
			break
		}
		mode = mode<<3 | uint32(c-'0')
	}
	return mode
}

func (s *scanner) unifiedStart(text []byte, indent int) {
	h := s.h
	h.Names[Old], h.Names[New] = h.Names[New], h.Names[Old]
	h.Stamps[Old], h.Stamps[New] = h.Stamps[New], h.Stamps[Old]
	h.Times[Old], h.Times[New] = h.Times[New], h.Times[Old]
	zero := func(text []byte) bool {
		return len(text) > 0 && text[0] == '0' && (len(text) == 1 || text[1] < '0' || text[1] > '9')
	}
	s.absent(Old, zero(text))
	_, text, _ = bytes.Cut(text, []byte(" "))
	text, ok := bytes.CutPrefix(bytes.TrimLeft(text, " "), []byte("+"))
	s.absent(New, ok && zero(text))
	h.Indent = indent
}

// absent notes that a side's first hunk starts at line 0.
func (s *scanner) absent(side int, zero bool) {
	if !zero {
		return
	}
	s.h.Absent[side] = 1
	if s.h.Times[side].epoch() {
		s.h.Absent[side] = 2
	}
}

func (s *scanner) contextStart(text []byte, format Format, start, indent int, cr bool) {
	s.absent(Old, len(text) > 0 && text[0] == '0' && (len(text) == 1 || text[1] < '0' || text[1] > '9'))
	s.h.Indent, s.h.StripCR = indent, cr
	// A first hunk without lines says that the file is emptied.
	probe := reader{text: s.text, at: start, indent: indent, stripCR: cr}
	if hunk, err := probe.hunk(format); err == nil && hunk != nil && len(hunk.New) == 0 && hunk.NewFirst == 1 {
		s.absent(New, true)
	}
}

// parseName reads a name of a "diff --git" line.
func (s *scanner) parseName(text string) (name, rest string, ok bool) {
	text = strings.TrimLeft(text, " \t")
	if strings.HasPrefix(text, `"`) {
		if name, rest, ok = unquote(text); !ok {
			return
		}
	} else {
		i := strings.IndexAny(text, " \t\r\n")
		if i < 0 {
			i = len(text)
		}
		name, rest = text[:i], text[i:]
	}
	name, ok = strip(name, s.Strip)
	return name, rest, ok
}

// fetch reads "NAME" and what follows it, a time mostly.
func (s *scanner) fetch(text string, side int) {
	text = strings.TrimLeft(text, " \t")
	var name, rest string
	if strings.HasPrefix(text, `"`) {
		var ok bool
		if name, rest, ok = unquote(text); !ok {
			return
		}
	} else {
		name, rest = cutName(text)
	}
	h := s.h
	stamp := func(t Time) {
		if side != Index {
			h.Times[side] = t
		}
	}
	if name == "/dev/null" {
		stamp(Time{time.Unix(0, 0), true})
		return
	}
	name, ok := strip(name, s.Strip)
	if !ok {
		return
	}
	h.Names[side] = name
	if side == Index {
		return
	}
	h.Stamps[side] = strings.TrimSuffix(strings.TrimSuffix(rest, "\n"), "\r")
	var at Time
	if strings.TrimSpace(rest) != "" && s.Date != nil {
		at.Time, at.Known = s.Date(strings.TrimSpace(rest))
		if d := time.Duration(at.Unix()) * time.Second; at.Known && d > -epochMargin && d < epochMargin {
			at.Time = time.Unix(0, 0)
		}
	}
	stamp(at)
}

// cutName takes the name off a header line. It may hold blanks where a tab
// ends it.
func cutName(text string) (name, rest string) {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			continue
		}
		u := i
		for u+1 < len(text) && text[u] != '\t' && strings.IndexByte(" \t\r\n\v\f", text[u+1]) >= 0 {
			u++
		}
		if text[u] != '\t' && strings.IndexByte(text[u+1:], '\t') >= 0 {
			continue
		}
		return text[:i], text[i:]
	}
	return text, ""
}

// strip is -p: it takes count leading directories off, or all where count is -1.
func strip(name string, count int) (string, bool) {
	start, left := 0, count
	for i := 0; i < len(name); i++ {
		if name[i] != '/' {
			continue
		}
		for i+1 < len(name) && name[i+1] == '/' {
			i++
		}
		if left--; count < 0 || left >= 0 {
			start = i + 1
		}
	}
	return name[start:], (count < 0 || left <= 0) && start < len(name)
}

// unquote reads a name in C's quotes.
func unquote(text string) (name, rest string, ok bool) {
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			return b.String(), text[i+1:], true
		case '\\':
			if i++; i >= len(text) {
				return "", "", false
			}
			switch c := text[i]; {
			case strings.IndexByte("abtnvfr", c) >= 0:
				b.WriteByte("\a\b\t\n\v\f\r"[strings.IndexByte("abtnvfr", c)])
			case c == '\\' || c == '"':
				b.WriteByte(c)
			case c >= '0' && c <= '3' && i+2 < len(text):
				b.WriteByte((c-'0')<<6 | (text[i+1]-'0')&7<<3 | (text[i+2]-'0')&7)
				i += 2
			default:
				return "", "", false
			}
		case '\n':
			return "", "", false
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}

// Best picks the best of the names that are not ignored: fewest directories,
// shortest base name, shortest name, the first. None where there is none.
func Best(names [3]string, ignored [3]bool, valid func(name string) bool) int {
	least := [3]int{-1, -1, -1}
	key := func(i int) [3]int {
		name := names[i]
		base := name[strings.LastIndexByte(strings.TrimRight(name, "/"), '/')+1:]
		return [3]int{Components(name), len(base), len(name)}
	}
	for i, name := range names {
		if name == "" || ignored[i] {
			continue
		}
		k := key(i)
		if least[0] < 0 || k[0] < least[0] || k[0] == least[0] && (k[1] < least[1] || k[1] == least[1] && k[2] < least[2]) {
			least = k
		}
	}
	for i, name := range names {
		if name != "" && !ignored[i] && valid(name) && key(i) == least {
			return i
		}
	}
	return None
}

// Components counts the directories before a name.
func Components(name string) (count int) {
	for i := 1; i < len(name); i++ {
		if name[i] == '/' && name[i-1] != '/' {
			count++
		}
	}
	return count
}
