package jq

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Format says how values are written. Its zero value is compact.
type Format struct {
	// Indent is a level's indentation; Pretty puts every element on a line.
	Indent string
	Pretty bool
	Sort   bool
	ASCII  bool
	// Colors is nil for plain output.
	Colors *Colors
}

// Colors are escape sequences by kind: null, false, true, numbers, strings,
// arrays, objects.
type Colors [7]string

const (
	colorReset = "\x1b[0m"
	colorKey   = "\x1b[34;1m"
)

// DefaultColors are jq's.
func DefaultColors() *Colors {
	return &Colors{"\x1b[1;30m", "\x1b[0;39m", "\x1b[0;39m", "\x1b[0;39m", "\x1b[0;32m", "\x1b[1;39m", "\x1b[1;39m"}
}

// Parse takes JQ_COLORS and reports whether it is well formed. Colors it does
// not name stay.
func (c *Colors) Parse(spec string) bool {
	var changed []string
	for i, field := range strings.Split(spec, ":") {
		if i == len(c) {
			break
		}
		if strings.Trim(field, "0123456789;") != "" || len(field) > 12 {
			return false
		}
		changed = append(changed, "\x1b["+field+"m")
	}
	copy(c[:], changed)
	return true
}

// printer writes a value piece by piece, so that a value that shares its parts
// need not be held as the long text it stands for.
type printer struct {
	format *Format
	out    []byte
	// flush takes what was written so far where out has grown; nil keeps it.
	flush func([]byte) error
	// block is how much is written at once.
	block  int
	memory *meter
	// charged is the room that was charged for.
	charged int
	err     error
}

const printBlock = 16 << 10

// maxPrintDepth is how deep a value is printed; jq 1.6 writes a note for what
// lies deeper.
const maxPrintDepth = 256

func (p *printer) room() {
	if len(p.out) < p.block || p.err != nil {
		return
	}
	if p.flush != nil {
		p.err = p.flush(p.out)
		p.out = p.out[:0]
		return
	}
	if cap(p.out) != p.charged {
		p.charged = cap(p.out)
		p.err = p.memory.charge(2 * p.charged)
	}
}

func (p *printer) value(v Value, depth int) {
	if p.room(); p.err != nil {
		return
	}
	color := ""
	if p.format.Colors != nil {
		color = p.format.Colors[kindOf(v)]
		p.out = append(p.out, color...)
	}
	if depth > maxPrintDepth {
		p.out = append(p.out, "<stripped: exceeds max depth>"...)
		if color != "" {
			p.out = append(p.out, colorReset...)
		}
		return
	}
	switch v := v.(type) {
	case nil:
		p.out = append(p.out, "null"...)
	case bool:
		if v {
			p.out = append(p.out, "true"...)
		} else {
			p.out = append(p.out, "false"...)
		}
	case float64:
		p.out = appendNumber(p.out, v)
	case string:
		p.text(v)
	case *Array:
		p.array(v, depth, color)
	case *Object:
		p.object(v, depth, color)
	}
	if color != "" {
		p.out = append(p.out, colorReset...)
	}
}

func (p *printer) line(depth int) {
	if !p.format.Pretty {
		return
	}
	p.out = append(p.out, '\n')
	for range depth {
		p.out = append(p.out, p.format.Indent...)
	}
}

func (p *printer) array(a *Array, depth int, color string) {
	n := a.Len()
	if n == 0 {
		p.out = append(p.out, "[]"...)
		return
	}
	p.out = append(p.out, '[')
	for i := range n {
		if i > 0 {
			p.out = append(append(p.out, color...), ',')
		}
		p.line(depth + 1)
		p.value(a.At(i), depth+1)
		if p.err != nil {
			return
		}
	}
	p.out = append(p.out, color...)
	p.line(depth)
	p.out = append(append(p.out, color...), ']')
}

func (p *printer) object(o *Object, depth int, color string) {
	if o.Len() == 0 {
		p.out = append(p.out, "{}"...)
		return
	}
	entries := o.All()
	if p.format.Sort {
		entries = o.sorted()
	}
	p.out = append(p.out, '{')
	for i, e := range entries {
		if i > 0 {
			p.out = append(append(p.out, color...), ',')
		}
		p.line(depth + 1)
		if color == "" {
			p.text(e.key)
			p.out = append(p.out, ':')
		} else {
			p.out = append(p.out, colorReset+colorKey...)
			p.text(e.key)
			p.out = append(append(append(p.out, colorReset...), color...), ':')
		}
		if p.format.Pretty {
			p.out = append(p.out, ' ')
		}
		if color != "" {
			p.out = append(p.out, colorReset...)
		}
		p.value(e.value, depth+1)
		if p.err != nil {
			return
		}
	}
	p.out = append(p.out, color...)
	p.line(depth)
	p.out = append(append(p.out, color...), '}')
}

func (p *printer) text(s string) {
	const hex = "0123456789abcdef"
	p.out = append(p.out, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c < 0x7f && c != '"' && c != '\\' || c >= 0x80 && !p.format.ASCII {
			i++
			continue
		}
		p.out = append(p.out, s[from:i]...)
		if p.room(); p.err != nil {
			return
		}
		if c >= 0x80 {
			r, n := utf8.DecodeRuneInString(s[i:])
			i += n
			if r >= 0x10000 {
				p.out = fmt.Appendf(p.out, `\u%04x\u%04x`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
			} else {
				p.out = fmt.Appendf(p.out, `\u%04x`, r)
			}
			from = i
			continue
		}
		switch c {
		case '"', '\\':
			p.out = append(p.out, '\\', c)
		case '\b':
			p.out = append(p.out, `\b`...)
		case '\t':
			p.out = append(p.out, `\t`...)
		case '\r':
			p.out = append(p.out, `\r`...)
		case '\n':
			p.out = append(p.out, `\n`...)
		case '\f':
			p.out = append(p.out, `\f`...)
		default:
			p.out = append(p.out, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		from = i
	}
	p.out = append(append(p.out, s[from:]...), '"')
}

// Write passes a value's text to write in blocks.
func (f *Format) Write(v Value, write func([]byte) error) error {
	p := printer{format: f, flush: write, block: printBlock}
	p.value(v, 0)
	if p.err != nil {
		return p.err
	}
	return write(p.out)
}

// toJSON is a value as compact text.
func toJSON(memory *meter, v Value) (string, error) {
	p := printer{format: &Format{}, memory: memory, block: printBlock}
	p.value(v, 0)
	return string(p.out), p.err
}

// errFull ends the writing of a value of which enough is known.
type errFull struct{}

func (errFull) Error() string { return "full" }

// excerpt is the start of a value's text, at most size-1 bytes with the dots
// that show that there is more.
func excerpt(v Value, size int) string {
	kept := ""
	p := printer{format: &Format{}, block: size}
	p.flush = func(b []byte) error { kept = string(b); return errFull{} }
	p.value(v, 0)
	if p.err == nil {
		kept = string(p.out)
	}
	if len(kept) < size {
		return kept
	}
	return kept[:size-4] + "..."
}
