package awk

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"sort"
	"strings"
)

// stream is a redirection of print's output: a file, or a command that gets
// what was written when it is closed.
type stream struct {
	name    string
	w       *bufio.Writer
	file    io.WriteCloser
	command string
	pending bytes.Buffer // of a command
	reader  bool         // a coprocess: the output is read back
	charged int64
	std     bool
	opened  int // how many were opened before, and this one
}

func (m *machine) warn(format string, args ...any) {
	m.out.Flush()
	fmt.Fprintf(m.Stderr, "awk: "+m.where()+"warning: "+format+"\n", args...)
}

// openOutput finds or opens a redirection.
func (m *machine) openOutput(name string, kind byte) *stream {
	key := name
	if kind == '|' || kind == '&' {
		key = "|" + name
	}
	if s := m.streams[key]; s != nil {
		return s
	}
	m.opened++
	s := &stream{name: name, opened: m.opened}
	if name == "" {
		fatalf("expression for `%s' redirection has null string value", map[byte]string{'>': ">", 'a': ">>", '|': "|", '&': "|&"}[kind])
	}
	switch kind {
	case '|', '&':
		s.command, s.reader = name, kind == '&'
		m.flushAll() // what is printed from here on comes after the command's
	default:
		switch name {
		case "/dev/stdout", "-":
			s.std, s.w = true, m.out
		case "/dev/stderr":
			s.std, s.w = true, bufio.NewWriterSize(m.Stderr, 16)
		default:
			f, err := m.Create(name, kind == 'a')
			if err != nil {
				fatalf("cannot redirect to `%s': %s", name, m.Strerror(err))
			}
			s.file, s.w = f, bufio.NewWriterSize(f, 8<<10)
		}
	}
	m.streams[key] = s
	m.charge(streamCost)
	s.charged = streamCost
	return s
}

// streamCost is what an open stream takes.
const streamCost = 12 << 10

func (s *stream) write(m *machine, text string) {
	if s.w == nil {
		m.charge(int64(len(text)))
		s.charged += int64(len(text))
		s.pending.WriteString(text)
		return
	}
	if s.std && s.w != m.out {
		m.out.Flush()
	}
	if _, err := s.w.WriteString(text); err != nil {
		panic(ioError{err})
	}
	if s.std && s.w != m.out {
		if err := s.w.Flush(); err != nil {
			panic(ioError{err})
		}
	}
}

func (s *stream) close(m *machine) int {
	defer func() { m.refund(s.charged) }()
	if s.command != "" && !s.reader {
		return m.runCommand(s.command, &s.pending, m.Stdout)
	}
	if s.w != nil {
		if err := s.w.Flush(); err != nil && !s.std {
			if s.file != nil {
				s.file.Close()
				s.file, s.w = nil, nil
			}
			fatalf("flush to \"%s\" failed: %s", s.name, m.Strerror(err))
		}
	}
	if s.file != nil {
		if err := s.file.Close(); err != nil {
			return -1
		}
	}
	return 0
}

func (m *machine) runCommand(text string, stdin io.Reader, stdout io.Writer) int {
	status, err := m.Run(m.ctx, text, m.environment(), stdin, stdout)
	if err != nil {
		panic(ioError{err})
	}
	return status
}

// environment is ENVIRON as NAME=value.
func (m *machine) environment() []string {
	elements := m.globalArray("ENVIRON").elements
	list := make([]string, 0, len(elements))
	for _, e := range elements {
		list = append(list, e.key+"="+m.text(&e.v))
	}
	sort.Strings(list)
	return list
}

func (m *machine) flushAll() {
	if err := m.out.Flush(); err != nil {
		panic(ioError{err})
	}
	for _, s := range m.streams {
		if s.w != nil && s.file != nil {
			s.w.Flush()
		}
	}
}

// openReader finds or opens what getline reads: a file, or a command's output.
func (m *machine) openReader(name string, kind byte) (*reader, error) {
	key := string(kind) + name
	if r := m.readers[key]; r != nil {
		return r, nil
	}
	r := &reader{}
	switch kind {
	case '<':
		if name == "-" || name == "/dev/stdin" {
			r.r, r.close = m.Stdin, func() int { return 0 }
			break
		}
		f, err := m.Open(name)
		if err != nil {
			return nil, err
		}
		r.r = f
		r.close = func() int {
			f.Close()
			return 0
		}
	default:
		stdin := io.Reader(strings.NewReader(""))
		if s := m.streams["|"+name]; kind == '&' && s != nil {
			stdin = &s.pending
			delete(m.streams, "|"+name)
		} else if kind == '|' {
			stdin = m.Stdin
		}
		var out charged
		out.m = m
		m.flushAll()
		status := m.runCommand(name, stdin, &out)
		r.charged = out.total
		r.r, r.close = &out.Buffer, func() int { return status }
	}
	m.readers[key] = r
	m.charge(streamCost)
	r.charged += streamCost
	return r, nil
}

// charged collects a command's output within the budget.
type charged struct {
	bytes.Buffer
	m     *machine
	total int64
}

func (c *charged) Write(p []byte) (int, error) {
	if err := c.m.Charge(int64(len(p))); err != nil {
		return 0, err
	}
	c.m.charged += int64(len(p))
	c.total += int64(len(p))
	return c.Buffer.Write(p)
}

// closeEnd closes one end of a coprocess: "to" ends its input, after which its
// output can still be read.
func (m *machine) closeEnd(name, end string) int {
	switch {
	case end == "to" && m.streams["|"+name] != nil && m.streams["|"+name].reader:
		return 0
	case end == "to" && m.readers["&"+name] != nil:
		return 0
	}
	return m.closeName(name)
}

// closeName closes what is open under a name; -1 when nothing is.
func (m *machine) closeName(name string) int {
	status := -1
	for _, key := range []string{name, "|" + name} {
		if s := m.streams[key]; s != nil {
			m.flushAll()
			status = s.close(m)
			delete(m.streams, key)
		}
	}
	for _, kind := range "<|&" {
		key := string(kind) + name
		if r := m.readers[key]; r != nil {
			status = r.close()
			m.refund(r.charged)
			delete(m.readers, key)
		}
	}
	return status
}

// finish closes everything at the run's end, what was opened last first.
func (m *machine) finish() error {
	for _, s := range slices.SortedFunc(maps.Values(m.streams), func(a, b *stream) int { return b.opened - a.opened }) {
		if m.ctx.Err() == nil {
			s.close(m)
		} else if s.file != nil {
			s.file.Close()
		}
	}
	clear(m.streams)
	m.closeReaders()
	return m.out.Flush()
}

func (m *machine) closeReaders() {
	for key, r := range m.readers {
		delete(m.readers, key)
		r.close()
	}
	if m.input != nil && m.input.current != nil {
		m.input.current.close()
		m.input.current = nil
	}
}

// abandon closes files without running anything more.
func (m *machine) abandon() {
	for key, s := range m.streams {
		delete(m.streams, key)
		if s.file != nil {
			s.w.Flush()
			s.file.Close()
		}
	}
	m.closeReaders()
}

func (x *getlineExpr) eval(m *machine) value {
	var text string
	if x.kind == 0 {
		t, ok := m.input.read(m)
		if !ok {
			return num(0)
		}
		text = t
	} else {
		v := x.source.eval(m)
		name := m.text(&v)
		if name == "" {
			fatalf("expression for `%s' redirection has null string value", map[byte]string{'<': "<", '|': "|", '&': "|&"}[x.kind])
		}
		r, err := m.openReader(name, x.kind)
		if err != nil {
			m.errno = str(m.Strerror(err))
			return num(-1)
		}
		t, ok := r.record(m)
		if !ok {
			if r.err != nil {
				m.errno = str(m.Strerror(r.err))
				return num(-1)
			}
			return num(0)
		}
		text = t
		// As in gawk 5.2, a record of a command does not count in NR.
	}
	if x.to != nil {
		x.to.assign(m, input(text))
	} else {
		m.setRecord(text)
	}
	return num(1)
}
