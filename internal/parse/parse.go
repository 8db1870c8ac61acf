package parse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Options say how a source is read. The functions are asked while it is read,
// as what ran before may have changed the answer; nil means no or none.
type Options struct {
	// Alias is the value of an alias; asked only while expand_aliases is on.
	Alias         func(name string) (string, bool)
	ExpandAliases func() bool
	ExtGlob       func() bool
	Posix         func() bool
	// File says that the source is a script's file or a stream, of which bash
	// reads one line after another, rather than a string.
	File bool
	// FirstLine is the number of the first line; 0 means 1.
	FirstLine int
	// MaxSize bounds the source in bytes (1 MiB), MaxDepth its nesting (1,000).
	MaxSize, MaxDepth int
}

// Parser yields the lines of a source.
type Parser struct {
	name    string
	source  []byte
	options Options
	offset  int // of the next line that a scanner has not read
	line    int // its number
	err     error
	parser  *syntax.Parser
	// left is what an alias put behind the end of the line before, with the
	// regions of aliases in it.
	left    []byte
	aliases []aliasRegion
}

// Line is one complete line of commands: all that bash parses before it runs
// any of it. It may span many lines of text.
type Line struct {
	Stmts []*syntax.Stmt
	// Base plus node.Pos().Line() is the number of a line.
	Base int
	// Start and End are the offsets in the source.
	Start, End int
	// Warnings go to standard error before the line runs, each with "bash: line
	// N: " before it.
	Warnings []Message

	text  []byte // as it stood in the source, aliases expanded
	marks []mark
}

// Message is one line of a message: "bash: -c: line 1: TEXT".
type Message struct {
	Line int
	Text string
}

// Status says what exit status a syntax error leaves.
type Status byte

const (
	// StatusUsage: 2.
	StatusUsage Status = iota
	// StatusKept: that of the command before if it failed, else 2.
	StatusKept
	// StatusPrevious: that of the command before.
	StatusPrevious
	// StatusSubstitution: 2, and 127 for a -c string; eval and source end the
	// shell.
	StatusSubstitution
	// StatusFailure: 1.
	StatusFailure
	// StatusRecovered: 1, and the lines that follow run.
	StatusRecovered
)

// Error is a syntax error in bash's words. Each message is printed with
// "NAME: line N: " (or "bash: -c: line N: ") before it.
type Error struct {
	Lines  []Message
	Status Status
	// Limit is set when a limit of Options was passed rather than the grammar.
	Limit bool
	// Incomplete is set when the source ended too early.
	Incomplete bool
}

func (e *Error) Error() string {
	var b strings.Builder
	for i, m := range e.Lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "line %d: %s", m.Line, m.Text)
	}
	return b.String()
}

// Exit is the status after the error: command for a -c string (else a file),
// nested for eval and source, previous is $? before.
func (e *Error) Exit(command, nested bool, previous int) int {
	switch e.Status {
	case StatusKept:
		if previous != 0 && !nested {
			return previous
		}
	case StatusPrevious:
		if !nested {
			return previous
		}
	case StatusSubstitution:
		if command && !nested {
			return 127
		}
	case StatusFailure, StatusRecovered:
		return 1
	}
	return 2
}

// New reads source; name is used by nobody but the trees' File.
func New(name string, source []byte, o Options) *Parser {
	if o.FirstLine == 0 {
		o.FirstLine = 1
	}
	if o.MaxSize == 0 {
		o.MaxSize = 1 << 20
	}
	if o.MaxDepth == 0 {
		o.MaxDepth = 1000
	}
	p := &Parser{name: name, source: source, options: o, line: o.FirstLine}
	if len(source) > o.MaxSize {
		p.err = &Error{Limit: true, Lines: []Message{{o.FirstLine, fmt.Sprintf("the source is too large (more than %d bytes)", o.MaxSize)}}}
	}
	return p
}

func (p *Parser) extGlob() bool { return p.options.ExtGlob != nil && p.options.ExtGlob() }

func (p *Parser) expandAliases() bool {
	return p.options.ExpandAliases != nil && p.options.ExpandAliases()
}

// nextLine is the next line of the source, with a newline; nil at the end. A
// last line that ends in a backslash gets none: the backslash stands for
// itself then.
func (p *Parser) nextLine() []byte {
	rest := p.source[p.offset:]
	if len(rest) == 0 {
		return nil
	}
	i := bytes.IndexByte(rest, '\n')
	if i >= 0 {
		p.offset += i + 1
		p.line++
		return rest[:i+1]
	}
	p.offset = len(p.source)
	p.line++
	if continues(append(bytes.Clone(rest), '\n')) {
		return rest
	}
	return append(bytes.Clone(rest), '\n')
}

// lastLine is the number bash gives to the end of the source.
func (p *Parser) lastLine() int {
	return p.line + bytes.Count(p.source[p.offset:], []byte("\n"))
}

// Next is the next line that holds commands; io.EOF at the end, *Error for a
// syntax error, after which every call returns the same, except for
// StatusRecovered.
func (p *Parser) Next() (*Line, error) {
	for p.err == nil {
		l := &Line{Base: p.line - 1, Start: p.offset}
		s := &scanner{p: p, firstLine: p.line, buf: p.left, aliases: p.aliases}
		if n := bytes.Count(p.left, []byte("\n")); n > 0 {
			s.firstLine -= n
			l.Base -= n
		}
		p.left, p.aliases = nil, nil
		if !s.line() && s.err == nil {
			p.err = io.EOF
			break
		}
		if s.err != nil {
			if s.err.Status == StatusRecovered {
				return nil, s.err
			}
			p.err = s.err
			break
		}
		l.End = p.offset
		if s.pos < len(s.buf) {
			p.left = append([]byte(nil), s.buf[s.pos:]...)
			for _, r := range s.aliases {
				if r.end >= s.pos {
					r.start, r.end = r.start-s.pos, r.end-s.pos
					p.aliases = append(p.aliases, r)
				}
			}
			s.buf = s.buf[:s.pos]
		}
		l.text, l.marks, l.Warnings = s.buf, s.marks, s.warnings
		if len(bytes.TrimSpace(s.out)) == 0 {
			continue
		}
		if err := p.parse(l, s.out); err != nil {
			p.err = err
			break
		}
		return l, nil
	}
	return nil, p.err
}

// parse hands the text that was written anew to mvdan's parser.
func (p *Parser) parse(l *Line, text []byte) error {
	if p.parser == nil {
		p.parser = syntax.NewParser(syntax.Variant(syntax.LangBash))
	}
	f, err := p.parser.Parse(bytes.NewReader(text), p.name)
	if err != nil {
		return refused(err, l.Base)
	}
	l.Stmts = f.Stmts
	return nil
}

// refused turns an error of mvdan's parser, on text that bash accepts, into a
// syntax error.
func refused(err error, base int) *Error {
	m := Message{base + 1, err.Error()}
	if e := (syntax.ParseError{}); errors.As(err, &e) {
		m = Message{base + int(e.Pos.Line()), "syntax error: not supported: " + e.Text}
	}
	return &Error{Lines: []Message{m}}
}

// Text is the source text of a node of the line.
func (l *Line) Text(n syntax.Node) string { return l.Source(n.Pos(), n.End()) }

// Source is the source text between two positions of the line.
func (l *Line) Source(from, to syntax.Pos) string {
	a, b := originOf(l.marks, int(from.Offset())), originOf(l.marks, int(to.Offset()))
	if a > b || b > len(l.text) {
		return ""
	}
	return Unmap(string(l.text[a:b]))
}

// Inserted reports whether the character at a position was put in, rather than
// found in the source.
func (l *Line) Inserted(at syntax.Pos) bool {
	i := markIndex(l.marks, int(at.Offset()))
	return i >= 0 && !l.marks[i].copied
}
