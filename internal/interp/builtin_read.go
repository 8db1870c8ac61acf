package interp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// read and mapfile.

func init() { builtinTables = append(builtinTables, readBuiltins) }

func readBuiltins() []builtin {
	const mapfile = " [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]"
	return []builtin{
		{name: "read", run: builtinRead, usage: "read [-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] [-t timeout] [-u fd] [name ...]"},
		{name: "mapfile", run: func(p *proc, args []string) int { return builtinMapfile(p, "mapfile", args) }, usage: "mapfile" + mapfile},
		{name: "readarray", run: func(p *proc, args []string) int { return builtinMapfile(p, "readarray", args) }, usage: "readarray" + mapfile},
	}
}

// reading is one call of read.
type reading struct {
	raw, exact bool
	delimiter  byte
	// limit is how many characters -n and -N take, -1 for no limit.
	limit   int
	array   string
	timeout time.Duration // -1 for none
	fd      int
	// line is what was read; literal marks the bytes that a backslash protected.
	line    []byte
	literal []bool
}

// readOptions reads the arguments. ok is false when the call is over.
func (r *reading) readOptions(p *proc, args []string) (names []string, status int, ok bool) {
	fail := func(format string, a ...any) ([]string, int, bool) {
		p.errorf("read: "+format, a...)
		return nil, 1, false
	}
	o := p.shortOptions("read", "ersa:d:i:n:N:p:t:u:", args)
	for o.next() {
		switch o.letter {
		case 'r':
			r.raw = true
		case 'a':
			r.array = o.value
		case 'd':
			r.delimiter = firstByte(o.value)
		case 'n', 'N':
			n, good := legalNumber(o.value)
			if !good || n < 0 || n > 1<<31-1 {
				return fail("%s: invalid number", o.value)
			}
			r.limit, r.exact = int(n), o.letter == 'N'
		case 't':
			seconds, err := strconv.ParseFloat(o.value, 64)
			if err != nil || seconds < 0 || strings.ContainsAny(o.value, "xXeEpPiInN") {
				return fail("%s: invalid timeout specification", o.value)
			}
			r.timeout = time.Duration(min(seconds, 1e9) * float64(time.Second))
		case 'u':
			n, good := legalNumber(o.value)
			if !good || n < 0 || n > 1<<31-1 {
				return fail("%s: invalid file descriptor specification", o.value)
			}
			r.fd = int(n)
		}
	}
	return o.args, o.status, o.status == 0
}

// firstByte is the delimiter that an option's value names: NUL for none.
func firstByte(value string) byte {
	if value == "" {
		return 0
	}
	return value[0]
}

func builtinRead(p *proc, args []string) int {
	r := reading{delimiter: '\n', limit: -1, timeout: -1}
	if t, ok := p.get("TMOUT"); ok {
		if n, good := legalNumber(t); good && n > 0 {
			r.timeout = time.Duration(min(n, 1e9)) * time.Second
		}
	}
	names, status, ok := r.readOptions(p, args)
	if !ok {
		return status
	}
	if len(names) > 0 && r.array == "" && !validReference(names[0]) {
		p.errorf("read: `%s': not a valid identifier", names[0])
		return 1
	}
	if r.array != "" {
		if !validName(r.array) {
			p.errorf("read: `%s': not a valid identifier", r.array)
			return 1
		}
		if v := p.vars.get(p.session.symbol(r.array)); v.is(attrAssoc) {
			p.errorf("read: %s: not an indexed array", r.array)
			return 1
		}
	}
	f := p.files.get(r.fd)
	if f == nil {
		if r.fd == 0 {
			p.errorf("read: read error: 0: Bad file descriptor")
		} else {
			p.errorf("read: %d: invalid file descriptor: Bad file descriptor", r.fd)
		}
		return 1
	}
	if r.timeout == 0 {
		if f.ready() {
			return 0
		}
		return 1
	}
	p.flushOut()
	mark := p.scratched
	status = r.read(p, f)
	if p.flow != flowNone {
		return p.status
	}
	if !r.assign(p, names) && status == 0 {
		status = 1
	}
	p.unscratch(mark)
	return status
}

// statusAlarm is read's status when its time is up.
const statusAlarm = 128 + sigALRM

// read fills line. Nothing behind the delimiter is consumed.
func (r *reading) read(p *proc, f *openFile) int {
	ctx := p.ctx
	if r.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.timeout)
		defer cancel()
	}
	escaped := false
	characters := 0
	for r.limit != 0 {
		b, err := f.peek(ctx, 0)
		if err != nil {
			switch {
			case p.cancelled():
				return p.status
			case r.timeout > 0 && errors.Is(err, context.DeadlineExceeded):
				return statusAlarm
			case err != io.EOF:
				p.errorf("read: read error: %d: %s", r.fd, words(err))
			}
			return 1
		}
		if !p.gather(len(b)) {
			return p.status
		}
		used, done := r.take(b, &escaped, &characters)
		f.discard(used)
		if done {
			return 0
		}
		if p.cancelled() {
			return p.status
		}
	}
	return 0
}

// take moves bytes of b into line until the delimiter or the limit.
func (r *reading) take(b []byte, escaped *bool, characters *int) (used int, done bool) {
	if r.limit < 0 && !*escaped { // the usual case: up to a delimiter or backslash
		end := bytes.IndexByte(b, r.delimiter)
		piece := b
		if end >= 0 {
			piece = b[:end]
		}
		if (r.raw || bytes.IndexByte(piece, '\\') < 0) && bytes.IndexByte(piece, 0) < 0 {
			r.line = append(r.line, piece...)
			if r.literal != nil {
				r.literal = append(r.literal, make([]bool, len(piece))...)
			}
			if end >= 0 {
				return end + 1, true
			}
			return len(b), false
		}
	}
	add := func(c byte, literal bool) {
		if literal && r.literal == nil {
			r.literal = make([]bool, len(r.line), cap(r.line))
		}
		r.line = append(r.line, c)
		if r.literal != nil {
			r.literal = append(r.literal, literal)
		}
	}
	for i, c := range b {
		switch {
		case *escaped:
			*escaped = false
			if c == '\n' {
				continue
			}
			add(c, true)
		case c == '\\' && !r.raw:
			*escaped = true
			continue
		case c == r.delimiter && !r.exact:
			return i + 1, true
		case c == 0:
			continue
		default:
			add(c, false)
		}
		if r.limit > 0 {
			if utf8.RuneStart(c) {
				*characters++
			}
			// A character counts once its last byte is there.
			if *characters >= r.limit && (utf8.FullRune(lastRune(r.line)) || c < utf8.RuneSelf) {
				return i + 1, true
			}
		}
	}
	return len(b), false
}

// lastRune is the last character of b, perhaps not whole yet.
func lastRune(b []byte) []byte {
	for i := len(b) - 1; i >= 0 && i > len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			return b[i:]
		}
	}
	return nil
}

// assign gives the names their fields. false: one was refused.
func (r *reading) assign(p *proc, names []string) bool {
	line := string(r.line)
	ifs, ok := p.get("IFS")
	if !ok {
		ifs = " \t\n"
	}
	s := splitter{text: line, literal: r.literal, ifs: ifs}
	if r.array != "" {
		sym := p.session.symbol(r.array)
		v, ok := p.arrayForWrite(sym)
		if !ok {
			return false
		}
		p.clearArray(v)
		v.set = true
		s.skipSpace()
		for i := int64(0); !s.empty(); i++ {
			if !p.assignIndex(sym, i, s.next()) {
				return false
			}
		}
		return true
	}
	if len(names) == 0 {
		return p.set("REPLY", line)
	}
	if r.exact {
		for i, name := range names {
			value := ""
			if i == 0 {
				value = line
			}
			if !p.assignTo(name, value) {
				return false
			}
		}
		return true
	}
	s.skipSpace()
	for i, name := range names {
		value := ""
		if i < len(names)-1 {
			value = s.next()
		} else {
			value = s.rest()
		}
		if !validReference(name) {
			p.errorf("read: `%s': not a valid identifier", name)
			return false
		}
		if !p.assignTo(name, value) {
			return false
		}
	}
	return true
}

// assignTo assigns to a name or name[subscript] that a builtin was given.
func (p *proc) assignTo(target, value string) bool {
	if i := strings.IndexByte(target, '['); i > 0 && strings.HasSuffix(target, "]") {
		s := p.session.symbol(target[:i])
		subscript := target[i+1 : len(target)-1]
		if p.vars.get(s).is(attrAssoc) {
			var ok bool
			if subscript, ok = p.expandText(subscript); !ok {
				return false
			}
		}
		return p.assignElement(s, subscript, value, false)
	}
	return p.set(target, value)
}

// splitter cuts a line into fields as read does.
type splitter struct {
	text    string
	literal []bool
	ifs     string
	at      int
}

func (s *splitter) empty() bool { return s.at >= len(s.text) }

// separates reports whether the byte at i is one of IFS, space whether it is
// one of its white space.
func (s *splitter) separates(i int) bool {
	return (s.literal == nil || !s.literal[i]) && strings.IndexByte(s.ifs, s.text[i]) >= 0
}

func (s *splitter) space(i int) bool {
	c := s.text[i]
	return (c == ' ' || c == '\t' || c == '\n') && s.separates(i)
}

func (s *splitter) skipSpace() {
	for !s.empty() && s.space(s.at) {
		s.at++
	}
}

// next is the next field; its delimiter is consumed.
func (s *splitter) next() string {
	start := s.at
	for !s.empty() && !s.separates(s.at) {
		s.at++
	}
	field := s.text[start:s.at]
	s.skipSpace()
	if !s.empty() && s.separates(s.at) && !s.space(s.at) {
		s.at++
		s.skipSpace()
	}
	return field
}

// rest is all that is left: one field without its delimiter, or several with
// everything between them.
func (s *splitter) rest() string {
	start := s.at
	if field := s.next(); s.empty() {
		return field
	}
	end := len(s.text)
	for end > start && s.space(end-1) {
		end--
	}
	s.at = len(s.text)
	return s.text[start:end]
}

func builtinMapfile(p *proc, name string, args []string) int {
	trim, fd, delimiter := false, 0, byte('\n')
	var count, origin, skip int64
	quantum := int64(5000)
	callback, keep := "", false
	fail := func(format string, a ...any) int {
		p.errorf(name+": "+format, a...)
		return 1
	}
	o := p.shortOptions(name, "d:u:n:O:tC:c:s:", args)
	for o.next() {
		n, good := legalNumber(o.value)
		if o.letter != 'u' {
			good = good && n <= 1<<32-1
		}
		switch o.letter {
		case 't':
			trim = true
		case 'd':
			delimiter = firstByte(o.value)
		case 'n':
			if !good || n < 0 {
				return fail("%s: invalid line count", o.value)
			}
			count = n
		case 's':
			if !good || n < 0 {
				return fail("%s: invalid line count", o.value)
			}
			skip = n
		case 'O':
			if !good || n < 0 {
				return fail("%s: invalid array origin", o.value)
			}
			origin, keep = n, true
		case 'u':
			if !good || n < 0 || n > 1<<31-1 {
				return fail("%s: invalid file descriptor specification", o.value)
			}
			fd = int(n)
		case 'C':
			callback = o.value
		case 'c':
			if !good || n <= 0 {
				return fail("%s: invalid callback quantum", o.value)
			}
			quantum = n
		}
	}
	if o.status != 0 {
		return o.status
	}
	args = o.args
	array := "MAPFILE"
	if len(args) > 0 {
		array = args[0]
	}
	if array == "" {
		fail("empty array variable name")
		return 2
	}
	if !validName(array) {
		return fail("`%s': not a valid identifier", array)
	}
	f := p.files.get(fd)
	if f == nil && fd == 0 {
		return 0 // a closed standard input has no lines
	}
	if f == nil {
		return fail("%d: invalid file descriptor: Bad file descriptor", fd)
	}
	s := p.session.symbol(array)
	if p.vars.get(s).is(attrAssoc) {
		return fail("%s: not an indexed array", array)
	}
	v, ok := p.arrayForWrite(s)
	if !ok {
		return 1
	}
	v.set = true
	if !keep {
		p.clearArray(v)
	}
	p.flushOut()
	var line []byte
	index, read := origin, int64(0)
	deliver := func() bool {
		if skip > 0 {
			skip--
			return true
		}
		text := line
		if trim && len(text) > 0 && text[len(text)-1] == delimiter {
			text = text[:len(text)-1]
		}
		text = bytes.ReplaceAll(text, []byte{0}, nil)
		read++
		if callback != "" && read%quantum == 0 {
			line, end := p.line, p.endLine
			p.evaluateText(callback+" "+strconv.FormatInt(index, 10)+" "+quoteAlways(string(text)), evalEval)
			p.line, p.endLine = line, end
			if p.flow != flowNone {
				return false
			}
		}
		if !p.assignIndex(s, index, string(text)) {
			return false
		}
		index++
		return count == 0 || read < count
	}
	for {
		b, err := f.peek(p.ctx, 32<<10)
		if err != nil {
			if p.cancelled() {
				return p.status
			}
			if len(line) > 0 {
				deliver()
			}
			return 0
		}
		for used := 0; used < len(b); {
			end := bytes.IndexByte(b[used:], delimiter)
			if end < 0 {
				if !p.gather(len(b) - used) {
					return p.status
				}
				line = append(line, b[used:]...)
				used = len(b)
				f.discard(used)
				break
			}
			line = append(line, b[used:used+end+1]...)
			used += end + 1
			if !deliver() {
				f.discard(used)
				if p.flow != flowNone {
					return p.status
				}
				return 0
			}
			line = line[:0]
			if used == len(b) {
				f.discard(used)
			}
		}
		if p.cancelled() {
			return p.status
		}
	}
}
