package difftext

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// The kinds of groups of lines that a Format prints.
const (
	Unchanged = iota
	OldOnly
	NewOnly
	Changed
)

// Format is the line and group formats of GNU diff, e.g. "%L" and "%<". Given
// says which were given; Fill sets the others.
type Format struct {
	Line  [3]string // Unchanged, OldOnly, NewOnly
	Group [4]string
	// LineGiven and GroupGiven tell an empty format from none.
	LineGiven  [3]bool
	GroupGiven [4]bool
}

// IfDef gives the formats of -D NAME.
func (f *Format) IfDef(name string) {
	f.Group = [4]string{
		"%=",
		"#ifndef " + name + "\n%<#endif /* ! " + name + " */\n",
		"#ifdef " + name + "\n%>#endif /* " + name + " */\n",
		"#ifndef " + name + "\n%<#else /* " + name + " */\n%>#endif /* " + name + " */\n",
	}
	f.GroupGiven = [4]bool{true, true, true, true}
}

// Fill sets what was not given.
func (f *Format) Fill() {
	for i := range f.Line {
		if !f.LineGiven[i] {
			f.Line[i] = "%l\n"
		}
	}
	set := func(kind int, format string) {
		if !f.GroupGiven[kind] {
			f.Group[kind] = format
		}
	}
	old, fresh := "%<", "%>"
	if f.GroupGiven[Changed] {
		old, fresh = f.Group[Changed], f.Group[Changed]
	}
	set(OldOnly, old)
	set(NewOnly, fresh)
	set(Unchanged, "%=")
	set(Changed, f.Group[OldOnly]+f.Group[NewOnly])
}

// Formatted writes both files by groups.
func (p *Printer) Formatted(changes []Change, f *Format) {
	at, atB := 0, 0
	g := grouping{p: p, f: f}
	for _, c := range changes {
		if c.Ignorable {
			continue
		}
		if c.A > at || c.B > atB {
			g.print(Unchanged, at, c.A, atB, c.B)
		}
		kind := Changed
		switch letter(c) {
		case 'd':
			kind = OldOnly
		case 'a':
			kind = NewOnly
		}
		g.print(kind, c.A, c.A+c.ALen, c.B, c.B+c.BLen)
		at, atB = c.A+c.ALen, c.B+c.BLen
	}
	if at < len(p.A.Lines) || atB < len(p.B.Lines) {
		g.print(Unchanged, at, len(p.A.Lines), atB, len(p.B.Lines))
	}
}

// grouping prints one group's format.
type grouping struct {
	p *Printer
	f *Format
	// the group's lines, from 0, ends excluded.
	from, to, fromB, toB int
}

func (g *grouping) print(kind, from, to, fromB, toB int) {
	g.from, g.to, g.fromB, g.toB = from, to, fromB, toB
	g.format(g.f.Group[kind], 0, g.p.Out)
}

// format prints f up to the byte end, 0 for its end, and returns the rest.
func (g *grouping) format(f string, end byte, out io.Writer) string {
	for f != "" && f[0] != end {
		if f[0] != '%' || len(f) == 1 {
			out.Write([]byte{f[0]})
			f = f[1:]
			continue
		}
		rest := f[2:]
		switch f[1] {
		case '%':
			io.WriteString(out, "%")
		case '(':
			after, ok := g.condition(rest, out)
			if !ok {
				io.WriteString(out, "%(")
				break
			}
			rest = after
		case '<':
			g.lines(g.p.A, g.from, g.to, OldOnly, out)
		case '=':
			g.lines(g.p.A, g.from, g.to, Unchanged, out)
		case '>':
			g.lines(g.p.B, g.fromB, g.toB, NewOnly, out)
		default:
			text, after, ok := special(f[1:], func(letter byte) (int, bool) { return g.number(letter) })
			if !ok {
				io.WriteString(out, "%")
				rest = f[1:]
				break
			}
			io.WriteString(out, text)
			rest = after
		}
		f = rest
	}
	return f
}

// condition prints what is behind "%(": A=B?THEN:ELSE).
func (g *grouping) condition(f string, out io.Writer) (rest string, ok bool) {
	value := func() (int, bool) {
		i := 0
		for i < len(f) && f[i] >= '0' && f[i] <= '9' {
			i++
		}
		if i > 0 {
			n, err := strconv.Atoi(f[:i])
			f = f[i:]
			return n, err == nil
		}
		if f == "" {
			return 0, false
		}
		n, ok := g.number(f[0])
		f = f[1:]
		return n, ok
	}
	left, ok := value()
	if !ok || f == "" || f[0] != '=' {
		return "", false
	}
	f = f[1:]
	right, ok := value()
	if !ok || f == "" || f[0] != '?' {
		return "", false
	}
	then, otherwise := out, io.Writer(io.Discard)
	if left != right {
		then, otherwise = otherwise, out
	}
	if f = g.format(f[1:], ':', then); f != "" {
		if f = g.format(f[1:], ')', otherwise); f != "" {
			f = f[1:]
		}
	}
	return f, true
}

// number is a letter's value: small ones are the old file's.
func (g *grouping) number(letter byte) (int, bool) {
	from, to := g.from, g.to
	if letter >= 'A' && letter <= 'Z' {
		from, to = g.fromB, g.toB
		letter |= 0x20
	}
	switch letter {
	case 'e':
		return from, true
	case 'f':
		return from + 1, true
	case 'l':
		return to, true
	case 'm':
		return to + 1, true
	case 'n':
		return to - from, true
	}
	return 0, false
}

func (g *grouping) lines(file *File, from, to, kind int, out io.Writer) {
	if out == io.Discard {
		return
	}
	format := g.f.Line[kind]
	for i := from; i < to; i++ {
		line := file.Lines[i]
		switch format {
		case "%L":
			g.p.text(line)
			continue
		case "%l\n":
			g.p.text(bytes.TrimSuffix(line, []byte("\n")))
			io.WriteString(out, "\n")
			continue
		}
		for f := format; f != ""; {
			if f[0] != '%' || len(f) == 1 {
				out.Write([]byte{f[0]})
				f = f[1:]
				continue
			}
			switch f[1] {
			case '%':
				io.WriteString(out, "%")
				f = f[2:]
			case 'l', 'L':
				if f[1] == 'l' {
					line = bytes.TrimSuffix(line, []byte("\n"))
				}
				g.p.text(line)
				line = file.Lines[i]
				f = f[2:]
			default:
				text, after, ok := special(f[1:], func(letter byte) (int, bool) { return i + 1, letter == 'n' })
				if !ok {
					io.WriteString(out, "%")
					f = f[1:]
					break
				}
				io.WriteString(out, text)
				f = after
			}
		}
	}
}

// widest is as wide as a number of a format may be.
const widest = 4096

// special reads "c'C'", "c'\OOO'" or a printf-like number and prints it.
func special(f string, value func(letter byte) (int, bool)) (text, rest string, ok bool) {
	if len(f) >= 4 && f[:2] == "c'" {
		if f[2] == '\\' {
			n, i := 0, 3
			for i < len(f) && i < 6 && f[i] >= '0' && f[i] <= '7' {
				n = n<<3 | int(f[i]-'0')
				i++
			}
			if i > 3 && i < len(f) && f[i] == '\'' {
				return string([]byte{byte(n)}), f[i+1:], true
			}
			return "", "", false
		}
		return f[2:3], f[4:], f[3] == '\''
	}
	i := 0
	for i < len(f) && bytes.IndexByte([]byte("-'0"), f[i]) >= 0 {
		i++
	}
	digits := func() {
		for i < len(f) && f[i] >= '0' && f[i] <= '9' {
			i++
		}
	}
	start := i
	digits()
	width, _ := strconv.Atoi(f[start:i])
	precision := 0
	if i < len(f) && f[i] == '.' {
		i++
		at := i
		digits()
		precision, _ = strconv.Atoi(f[at:i])
	}
	if i+1 >= len(f) || bytes.IndexByte([]byte("doxX"), f[i]) < 0 || width > widest || precision > widest {
		return "", "", false
	}
	n, ok := value(f[i+1])
	if !ok {
		return "", "", false
	}
	flags := bytes.ReplaceAll([]byte(f[:start]), []byte("'"), nil)
	return fmt.Sprintf("%"+string(flags)+f[start:i+1], n), f[i+2:], true
}
