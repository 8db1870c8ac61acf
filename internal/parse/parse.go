package parse

import (
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
	offset  int
	line    int
	err     error
}

// Line is one complete line of commands: all that bash parses before it runs
// any of it. It may span many lines of text.
type Line struct {
	Stmts []*syntax.Stmt
	// Base plus node.Pos().Line() is the number of a line.
	Base int
	// Start and End are the offsets in the source.
	Start, End int
	// Warnings go to standard error before the line runs; each is a message
	// without the "bash: line N: " before it.
	Warnings []Message

	mended []byte
}

// Message is one line of a message: "bash: -c: line N: TEXT".
type Message struct {
	Line int
	Text string
}

// Error is a syntax error in bash's words; the status is 2. Each message is
// printed with "NAME: line N: " (or "bash: -c: line N: ") before it.
type Error struct {
	Lines []Message
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
	return &Parser{name: name, source: source, options: o, line: o.FirstLine}
}

// Next is the next line that holds commands; io.EOF at the end, *Error for a
// syntax error, after which every call returns the same.
func (p *Parser) Next() (*Line, error) {
	if p.err != nil {
		return nil, p.err
	}
	start := p.offset
	for end := start; ; {
		if end >= len(p.source) {
			if end == start {
				p.err = io.EOF
				return nil, p.err
			}
		} else if i := strings.IndexByte(string(p.source[end:]), '\n'); i >= 0 {
			end += i + 1
		} else {
			end = len(p.source)
		}
		f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(string(p.source[start:end])), p.name)
		if err != nil && syntax.IsIncomplete(err) && end < len(p.source) {
			continue
		}
		if err != nil {
			p.err = &Error{Lines: []Message{{p.line, err.Error()}}}
			return nil, p.err
		}
		l := &Line{Stmts: f.Stmts, Base: p.line - 1, Start: start, End: end}
		p.line += strings.Count(string(p.source[start:end]), "\n")
		p.offset = end
		if len(f.Stmts) == 0 {
			start = end
			continue
		}
		return l, nil
	}
}

// Text is the source text of a node of the line.
func (l *Line) Text(n syntax.Node) string { return l.Source(n.Pos(), n.End()) }

// Source is the source text between two positions of the line.
func (l *Line) Source(from, to syntax.Pos) string {
	return string(l.mended[from.Offset():to.Offset()])
}
