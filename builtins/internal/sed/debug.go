package sed

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// debugger is --debug: it shows the script in its own form, then each line, each
// command that is run and what it has changed.
type debugger struct {
	out   *output
	depth int // of the blocks shown
}

// program shows the whole script.
func (d *debugger) program(s *Script) {
	d.print("SED PROGRAM:\n")
	d.depth = 1
	for i := range s.commands {
		d.command(s, &s.commands[i])
	}
	d.depth = 0
}

func (d *debugger) print(text string) { d.out.write([]byte(text)) }

// input shows where a new line comes from.
func (d *debugger) input(in *input) {
	name := in.name
	if name == "-" || name == "" {
		name = "STDIN"
	}
	d.print("INPUT:   '" + name + "' line " + strconv.FormatInt(in.number, 10) + "\n")
}

// space shows the pattern or the hold space.
func (d *debugger) space(label string, text []byte) {
	d.print(label + debugText(string(text), "") + "\n")
}

// changed shows what a command may have changed.
func (d *debugger) changed(r *runner, name byte) {
	switch name {
	case 'g', 'h', 'H':
		d.space("HOLD:    ", r.hold.text)
	case 'x':
		d.space("PATTERN: ", r.pattern.text)
		d.space("HOLD:    ", r.hold.text)
	case 'G', 'n', 'N', 's', 'y', 'z':
		d.space("PATTERN: ", r.pattern.text)
	}
}

// registers shows a match and its groups.
func (d *debugger) registers(text []byte, loc []int) {
	d.print("MATCHED REGEX REGISTERS\n")
	for i := 0; i+1 < len(loc); i += 2 {
		if loc[i] >= 0 && loc[i+1] >= 0 {
			d.print(fmt.Sprintf("  regex[%d] = %d-%d '%s'\n", i/2, loc[i], loc[i+1], text[loc[i]:loc[i+1]]))
		}
	}
}

func (d *debugger) command(s *Script, c *command) {
	if c.name == '}' {
		d.depth--
	}
	var b strings.Builder
	b.WriteString(strings.Repeat("  ", max(d.depth, 0)))
	if c.first.kind != addressNone {
		b.WriteString(debugAddress(&c.first))
		if c.second.kind != addressNone {
			b.WriteString("," + debugAddress(&c.second))
		}
	}
	if c.negated {
		b.WriteByte('!')
	}
	if c.first.kind != addressNone {
		b.WriteByte(' ')
	}
	b.WriteByte(c.name)
	switch c.name {
	case ':':
		b.WriteString(c.label)
	case 'a', 'i', 'c':
		b.WriteString("\\" + string(c.text))
	case 'b', 't', 'T':
		if c.label != "" {
			b.WriteString(" " + c.label)
		}
	case 'l', 'q', 'Q':
		if c.number >= 0 {
			b.WriteString(" " + strconv.FormatInt(c.number, 10))
		}
	case 'r', 'R':
		b.WriteString(" " + c.fileName)
	case 'w', 'W':
		b.WriteString(c.fileName)
	case 's':
		b.WriteString(c.substitution.debug())
	case 'y':
		b.WriteString("/" + c.from + "/" + c.to + "/")
	}
	b.WriteByte('\n')
	d.print(b.String())
	if c.name == '{' {
		d.depth++
	}
}

func debugAddress(a *address) string {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	switch a.kind {
	case addressLine:
		return number(a.number)
	case addressStep:
		return number(a.number) + "~" + number(a.step)
	case addressLast:
		return "$"
	case addressPlus:
		return "+" + number(a.number)
	case addressMultiple:
		return "~" + number(a.number)
	}
	return debugRegex(a.matcher, "M")
}

// debugRegex shows an expression; newline is the letter of M's flag.
func debugRegex(m *matcher, newline string) string {
	if m == nil {
		return "//"
	}
	return "/" + debugText(m.text, "/") + "/" + debugFlags(m, newline)
}

func debugFlags(m *matcher, newline string) string {
	flags := ""
	if m != nil && m.ignoreCase {
		flags += "I"
		if newline == "m" {
			flags = "i"
		}
	}
	if m != nil && m.lines {
		flags += newline
	}
	return flags
}

func (s *substitution) debug() string {
	var b strings.Builder
	if s.matcher == nil {
		b.WriteString("//")
	} else {
		b.WriteString("/" + debugText(s.matcher.text, "/") + "/")
	}
	mode, once := caseAsIs, caseAsIs
	for i := range s.parts {
		q := &s.parts[i]
		if len(q.text) == 0 && q.group < 0 {
			continue
		}
		if q.mode == caseAsIs && mode != caseAsIs && q.once != caseAsIs {
			b.WriteString(`\E`)
		}
		if q.mode != mode || q.once != once {
			mode, once = q.mode, q.once
			switch {
			case once == caseUpper:
				b.WriteString(`\u`)
			case once == caseLower:
				b.WriteString(`\l`)
			case mode == caseUpper:
				b.WriteString(`\U`)
			case mode == caseLower:
				b.WriteString(`\L`)
			default:
				b.WriteString(`\E`)
			}
		}
		b.Write(q.text)
		switch {
		case q.group == 0:
			b.WriteByte('&')
		case q.group > 0:
			b.WriteString(`\` + strconv.Itoa(q.group))
		}
	}
	b.WriteString("/" + debugFlags(s.matcher, "m"))
	if s.global {
		b.WriteByte('g')
	}
	if s.print {
		b.WriteByte('p')
	}
	if s.number > 0 {
		b.WriteString(strconv.FormatInt(s.number, 10))
	}
	if s.fileName != "" {
		b.WriteString("w" + s.fileName)
	}
	return b.String()
}

// debugText shows text with its control characters and backslashes escaped, and
// what is among quoted; a byte beyond ASCII as the number that C makes of it.
func debugText(text, quoted string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		switch {
		case c == '\\', strings.IndexByte(quoted, c) >= 0:
			b.WriteByte('\\')
			b.WriteByte(c)
		case c >= ' ' && c <= '~':
			b.WriteByte(c)
		default:
			b.WriteByte('\\')
			if i := slices.Index([]byte("\a\f\n\r\t\v"), c); i >= 0 {
				b.WriteByte("afnrtv"[i])
			} else {
				fmt.Fprintf(&b, "o%03o", uint32(int8(c)))
			}
		}
	}
	return b.String()
}
