package awk

import (
	"bytes"
	"errors"
	"io"
	"strings"
)

// reader cuts one stream into records.
type reader struct {
	r       io.Reader
	close   func() int
	buf     []byte
	start   int
	end     int
	eof     bool
	err     error
	charged int64
}

const readBlock = 64 << 10

func (r *reader) fill(m *machine) {
	if r.start > 0 && (r.start == r.end || r.end == len(r.buf)) {
		copy(r.buf, r.buf[r.start:r.end])
		r.end -= r.start
		r.start = 0
	}
	if r.end == len(r.buf) {
		size := max(readBlock, 2*len(r.buf))
		m.charge(int64(size - len(r.buf)))
		r.charged += int64(size - len(r.buf))
		grown := make([]byte, size)
		copy(grown, r.buf[:r.end])
		r.buf = grown
	}
	if err := m.ctx.Err(); err != nil {
		panic(ioError{err})
	}
	n, err := r.r.Read(r.buf[r.end:])
	r.end += n
	if err == io.EOF {
		r.eof = true
	} else if err != nil {
		r.err, r.eof = err, true
	}
}

// record reads the next one: ok is false at the end. It sets RT.
func (r *reader) record(m *machine) (text string, ok bool) {
	switch {
	case m.rs == "\n":
		return r.delimited(m, '\n')
	case m.rs == "":
		return r.paragraph(m)
	case len(m.rs) == 1: // IGNORECASE is for regular expressions
		return r.delimited(m, m.rs[0])
	}
	return r.separated(m)
}

func (r *reader) delimited(m *machine, delim byte) (string, bool) {
	scanned := 0
	for {
		if i := bytes.IndexByte(r.buf[r.start+scanned:r.end], delim); i >= 0 {
			text := string(r.buf[r.start : r.start+scanned+i])
			r.start += scanned + i + 1
			m.rt = str(string(delim))
			return text, true
		}
		scanned = r.end - r.start
		if r.eof {
			return r.rest(m)
		}
		r.fill(m)
	}
}

// rest is the last record, which no separator ends.
func (r *reader) rest(m *machine) (string, bool) {
	if r.start == r.end {
		return "", false
	}
	text := string(r.buf[r.start:r.end])
	r.start = r.end
	m.rt = str("")
	return text, true
}

func (r *reader) all(m *machine) []byte {
	for !r.eof {
		r.fill(m)
	}
	return r.buf[r.start:r.end]
}

func (r *reader) paragraph(m *machine) (string, bool) {
	for {
		for r.start < r.end && r.buf[r.start] == '\n' {
			r.start++
		}
		if r.start < r.end || r.eof {
			break
		}
		r.fill(m)
	}
	scanned := 0
	for {
		data := r.buf[r.start:r.end]
		if i := bytes.Index(data[scanned:], []byte("\n\n")); i >= 0 {
			end := scanned + i
			next := end
			for next < len(data) && data[next] == '\n' {
				next++
			}
			if next == len(data) && !r.eof {
				// More newlines may follow.
				scanned = end
				r.fill(m)
				continue
			}
			m.rt = str(string(data[end:next]))
			text := string(data[:end])
			r.start += next
			return text, true
		}
		if r.eof {
			break
		}
		scanned = max(0, len(data)-1)
		r.fill(m)
	}
	text, ok := r.rest(m)
	if trimmed := strings.TrimRight(text, "\n"); ok && trimmed != text {
		m.rt = str(text[len(trimmed):])
		text = trimmed
	}
	return text, ok && (text != "" || m.rt.s != "")
}

func (r *reader) separated(m *machine) (string, bool) {
	e := m.compile(m.rs)
	for {
		data := r.buf[r.start:r.end]
		start, end, ok := e.finder.FindExtent(data, 0)
		m.finderError(e)
		for ok && start == end {
			if start >= len(data) {
				ok = false
				break
			}
			start, end, ok = e.finder.FindExtent(data, start+1)
		}
		// A match at the end of what is read may go on in what is not.
		if ok && (end < len(data) || r.eof) {
			m.rt = str(string(data[start:end]))
			text := string(data[:start])
			r.start += end
			return text, true
		}
		if r.eof {
			text, ok := r.rest(m)
			return text, ok
		}
		r.fill(m)
	}
}

// inputs goes through the operands of the main input.
type inputs struct {
	argv    *array
	operand int // the next of ARGV
	current *reader
	any     bool // an operand was a file
	stdin   bool // standard input was taken for want of a file
}

func newInputs(m *machine) *inputs {
	return &inputs{argv: m.globalArray("ARGV"), operand: 1}
}

// read reads the next main record.
func (in *inputs) read(m *machine) (string, bool) {
	for {
		if in.current == nil && !in.openNext(m) {
			return "", false
		}
		text, ok := in.current.record(m)
		if ok {
			m.nr = num(m.nr.number() + 1)
			m.fnr = num(m.fnr.number() + 1)
			return text, true
		}
		if in.current.err != nil {
			name := m.text(&m.filename)
			if errors.Is(in.current.err, ErrIsDirectory) {
				m.warn("command line argument `%s' is a directory: skipped", name)
			} else {
				fatalf("error reading input file `%s': %s", name, m.Strerror(in.current.err))
			}
		}
		in.closeCurrent(m)
	}
}

// next reads the next main record into $0.
func (in *inputs) next(m *machine) bool {
	text, ok := in.read(m)
	if !ok {
		return false
	}
	m.setRecord(text)
	return true
}

func (in *inputs) closeCurrent(m *machine) {
	m.runFileHooks(m.program.endFile)
	m.refund(in.current.charged)
	in.current.close()
	in.current = nil
}

func (in *inputs) skipFile(m *machine) {
	if in.current != nil {
		in.closeCurrent(m)
	}
}

func (m *machine) runFileHooks(list []stmt) {
	if len(list) == 0 {
		return
	}
	if f := m.runAll(list); f == flowExit {
		panic(flowPanic{f})
	}
}

// openNext opens the next operand that is a file, running assignments on the
// way; without any, standard input.
func (in *inputs) openNext(m *machine) bool {
	for {
		argc := m.global("ARGC")
		if in.operand >= int(argc.v.number()) {
			break
		}
		i := in.operand
		in.operand++
		key := m.formatNumber(float64(i), "")
		e := in.argv.elements[key]
		if e == nil {
			continue
		}
		name := m.text(&e.v)
		if name == "" {
			continue
		}
		if isAssignment(name) {
			m.commandLineAssign(name)
			continue
		}
		in.any = true
		m.argind = num(float64(i))
		if in.open(m, name) {
			return true
		}
	}
	if in.any || in.stdin {
		return false
	}
	in.stdin = true
	return in.open(m, "-")
}

func (in *inputs) open(m *machine, name string) bool {
	m.filename, m.fnr = str(name), num(0)
	var f io.ReadCloser
	var err error
	if name == "-" || name == "/dev/stdin" {
		f = io.NopCloser(m.Stdin)
	} else {
		f, err = m.Open(name)
	}
	if err != nil {
		m.errno = str(m.Strerror(err))
		if len(m.program.beginFile) > 0 {
			skipped := false
			func() {
				defer func() {
					if r := recover(); r != nil {
						jump, ok := r.(flowPanic)
						if !ok || jump.flow != flowNextFile {
							panic(r)
						}
						skipped = true
					}
				}()
				if m.runAll(m.program.beginFile) == flowNextFile {
					skipped = true
				}
			}()
			if skipped {
				return false
			}
		}
		if errors.Is(err, errIsDirectory) {
			m.warn("command line argument `%s' is a directory: skipped", name)
			return false
		}
		fatalf("cannot open file `%s' for reading: %s", name, m.Strerror(err))
	}
	m.errno = str("")
	in.current = &reader{r: f, close: func() int { f.Close(); return 0 }}
	if len(m.program.beginFile) > 0 {
		if f := m.runAll(m.program.beginFile); f == flowNextFile {
			in.closeCurrent(m)
			return in.openNext(m)
		} else if f == flowExit {
			panic(flowPanic{f})
		}
	}
	return true
}

// ErrIsDirectory is what Config.Open answers for a directory.
var ErrIsDirectory = errors.New("is a directory")

var errIsDirectory = ErrIsDirectory
