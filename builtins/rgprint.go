package builtins

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vsh-project/vsh/builtins/internal/grep"
	"github.com/vsh-project/vsh/builtins/internal/rg"
	"github.com/vsh-project/vsh/internal/regex"
)

// rgPrinter prints one file after another; it is the search's Sink.
type rgPrinter struct {
	*rgCommand
	out     *bufio.Writer
	finder  *regex.Finder
	input   *rg.Input
	written *countingWriter
	name    string
	// explicit: an operand names the file.
	explicit bool
	started  bool // something of this file is printed
	lines    int64
	matches  int64
	row      []byte
	bounds   []int   // of the matches of one line
	locs     [][]int // into bounds
	moved    [][]int // the matches' places in a line that is replaced
	err      error
}

func (p *rgPrinter) begin(name string) {
	p.name, p.started, p.lines, p.matches, p.err = name, false, 0, 0, nil
	p.finder.Reset()
}

func (g *rgCommand) named() bool {
	return g.nameOption == 'H' || g.nameOption == 0 && (g.showName || g.vimgrep)
}

// silent reports that no lines are printed.
func (g *rgCommand) silent() bool { return g.quiet || g.list != 0 || g.count != 0 }

// end prints what a whole file is worth.
func (p *rgPrinter) end(r grep.Result) rgOutcome {
	selected := r.Selected > 0
	// A NUL ends the search of a file that no operand names.
	stopped := r.NULAt >= 0 && !p.explicit && !p.binary && !p.text
	if stopped && p.silent() && !p.options.FirstOnly {
		selected = false // a count of what came before the NUL would mislead
	}
	o := rgOutcome{matched: selected}
	if selected {
		o.stats.found = 1
		o.stats.lines, o.stats.matches = r.Selected, p.matches
	}
	if p.json {
		if p.started {
			o.stats.printed = p.jsonEnd(r)
		}
		return o
	}
	switch {
	case p.quiet:
	case p.list == 'l' && selected, p.list == 'L' && !selected && !stopped:
		p.path(p.name)
		p.out.WriteString(p.nameEnd())
		o.matched = true
	case p.list == 'L':
		o.matched = false
	case p.list != 0:
	case p.count != 0 && (selected || p.includeZero):
		n := r.Selected
		if p.count == 'm' || p.only || p.multiline {
			n = p.matches
		}
		if p.named() {
			p.path(p.name)
			if p.nullName {
				p.out.WriteByte(0)
			} else {
				p.out.WriteByte(':')
			}
		}
		p.out.WriteString(strconv.FormatInt(n, 10))
		p.endLine()
	case p.count != 0:
	case r.NULAt >= 0 && selected && !p.text:
		if p.named() {
			p.path(p.name)
			p.out.WriteString(": ")
		}
		text := "binary file matches"
		if stopped {
			text = "WARNING: stopped searching binary file after match"
		}
		fmt.Fprintf(p.out, "%s (found \"\\0\" byte around offset %d)\n", text, r.NULAt)
	}
	return o
}

// Gap is between groups of lines.
func (p *rgPrinter) Gap() {
	if p.silent() || p.json || p.noGap {
		return
	}
	p.out.WriteString(p.gap + "\n")
}

// Line takes a selected or context line.
func (p *rgPrinter) Line(line []byte, ended bool, number, offset int64, selected bool) {
	matching := selected != p.options.Invert
	var locs [][]int
	if matching && (p.only || p.column || p.replacement != nil || p.color || p.json || p.count == 'm' || p.stats || p.vimgrep ||
		p.maxColumnsPreview) {
		locs = p.find(line)
	}
	if selected {
		p.lines++
		p.matches += int64(len(locs))
		if p.stats && !matching {
			p.matches++
		}
	}
	if p.silent() {
		return
	}
	p.print(line, ended, number, offset, selected, locs)
}

// find lists the matches in a text; valid until the next call.
func (p *rgPrinter) find(text []byte) [][]int {
	p.bounds, p.locs = p.bounds[:0], p.locs[:0]
	last := -1
	width := 2 * (p.matcher.Groups() + 1)
	for at := 0; at <= len(text); {
		loc := p.finder.Find(text, at)
		if loc == nil {
			break
		}
		at = loc[1]
		if loc[0] == loc[1] {
			_, n := utf8.DecodeRune(text[at:])
			at += max(n, 1)
			if loc[0] == last {
				continue // an empty match behind a match is none
			}
		}
		if p.regex.CRLF && loc[1] > loc[0] && text[loc[1]-1] == '\r' {
			loc[1]--
		}
		last = loc[1]
		p.bounds = append(p.bounds, loc...)
	}
	for i := 0; i < len(p.bounds); i += width {
		p.locs = append(p.locs, p.bounds[i:i+width])
	}
	if err := p.finder.Err(); err != nil && p.err == nil {
		p.err = err
	}
	return p.locs
}

// print prints a line, or with -U lines that matches join, in the form that
// the options ask for. text lacks its last delimiter.
func (p *rgPrinter) print(text []byte, ended bool, number, offset int64, selected bool, locs [][]int) {
	if p.json {
		p.jsonLine(text, ended, number, offset, selected, locs)
		return
	}
	p.openFile()
	if p.replacement != nil && len(locs) > 0 {
		text, locs = p.replaced(text, locs)
	}
	column := 1
	if len(locs) > 0 {
		column = locs[0][0] + 1
	}
	switch {
	case p.only && selected && !p.options.Invert:
		for _, loc := range locs {
			p.eachLine(text, func(i, start, end int) {
				from, to := max(loc[0], start), min(loc[1], end)
				if from > to || from == to && loc[0] < loc[1] {
					return
				}
				p.prefix(number+int64(i), offset+int64(from), loc[0]+1, true)
				p.body(text[from:to], from, [][]int{loc}, true)
			})
		}
	case p.only && !p.passthru:
	case p.vimgrep && selected && len(locs) > 0:
		for _, loc := range locs {
			p.eachLine(text, func(i, start, end int) {
				if loc[0] >= start && loc[0] <= end {
					p.prefix(number+int64(i), offset+int64(start), loc[0]-start+1, true)
					p.body(text[start:end], start, locs, true)
				}
			})
		}
	default:
		p.eachLine(text, func(i, start, end int) {
			p.prefix(number+int64(i), offset+int64(start), column, selected)
			p.body(text[start:end], start, locs, selected)
		})
	}
}

// eachLine calls do for each line of a text, with its place.
func (p *rgPrinter) eachLine(text []byte, do func(i, start, end int)) {
	start := 0
	for i := 0; ; i++ {
		end := -1
		if p.multiline {
			end = bytes.IndexByte(text[start:], p.lineEnd())
		}
		if end < 0 {
			do(i, start, len(text))
			return
		}
		do(i, start, start+end)
		start += end + 1
	}
}

// openFile prints what stands before a file's first line.
func (p *rgPrinter) openFile() {
	if !p.started && p.heading && p.named() {
		p.path(p.name)
		p.out.WriteString(p.nameEnd())
	}
	p.started = true
}

// path prints a file's name.
func (p *rgPrinter) path(name string) {
	p.colored("\x1b[35m", p.separated(name))
}

// separated is a name with the separator that was asked for.
func (g *rgCommand) separated(name string) string {
	if g.pathSeparator == "" {
		return name
	}
	return strings.ReplaceAll(name, "/", g.pathSeparator)
}

func (p *rgPrinter) colored(color, text string) {
	if p.color {
		text = "\x1b[0m" + color + text + "\x1b[0m"
	}
	p.out.WriteString(text)
}

func (p *rgPrinter) prefix(number, offset int64, column int, selected bool) {
	separator := p.contextSeparator
	if selected {
		separator = p.matchSeparator
	}
	if p.named() && !p.heading {
		p.path(p.name)
		if p.nullName {
			p.out.WriteByte(0)
		} else {
			p.out.WriteString(separator)
		}
	}
	if p.lineNumbers {
		p.colored("\x1b[32m", strconv.FormatInt(number, 10))
		p.out.WriteString(separator)
	}
	if p.column && selected {
		p.colored("", strconv.Itoa(column))
		p.out.WriteString(separator)
	}
	if p.options.ByteOffset {
		p.colored("", strconv.FormatInt(offset, 10))
		p.out.WriteString(separator)
	}
}

// body prints a line, which begins at start in the text that locs speak of.
func (p *rgPrinter) body(line []byte, start int, locs [][]int, selected bool) {
	if p.maxColumns > 0 && len(line)+1 > p.maxColumns {
		p.omitted(line, start, locs, selected)
		return
	}
	if p.trim {
		skip := len(line) - len(bytes.TrimLeft(line, " \t\n\v\f\r"))
		line, start = line[skip:], start+skip
	}
	p.highlight(line, start, locs)
	if p.only {
		p.endLine()
	} else {
		p.out.WriteByte(p.lineEnd()) // a carriage return before it is the line's own
	}
}

// endLine ends a line that is rg's, not the file's.
func (p *rgPrinter) endLine() {
	if p.regex.CRLF {
		p.out.WriteByte('\r')
	}
	p.out.WriteByte(p.lineEnd())
}

// highlight prints text with its matches in colour; those that touch are one.
func (p *rgPrinter) highlight(text []byte, start int, locs [][]int) {
	at := 0
	for i := 0; p.color && i < len(locs); i++ {
		from, to := locs[i][0], locs[i][1]
		for i+1 < len(locs) && locs[i+1][0] == to {
			i++
			to = locs[i][1]
		}
		from, to = max(from-start, at), min(to-start, len(text))
		if from >= to {
			continue
		}
		p.out.Write(text[at:from])
		p.out.WriteString("\x1b[0m\x1b[1m\x1b[31m")
		p.out.Write(text[from:to])
		p.out.WriteString("\x1b[0m")
		at = to
	}
	p.out.Write(text[at:])
}

func (p *rgPrinter) lineEnd() byte {
	if p.options.NullData {
		return 0
	}
	return '\n'
}

// omitted stands for a line that is too long (-M).
func (p *rgPrinter) omitted(line []byte, start int, locs [][]int, selected bool) {
	detailed := selected && !p.options.Invert && (p.column || p.replacement != nil || p.color || p.vimgrep || p.only)
	switch {
	case p.maxColumnsPreview:
		cut := min(p.maxColumns, len(line))
		for cut > 0 && cut < len(line) && !utf8.RuneStart(line[cut]) {
			cut--
		}
		p.highlight(line[:cut], start, locs)
		if detailed {
			more := 0
			for _, loc := range locs {
				if loc[0] >= start+cut {
					more++
				}
			}
			fmt.Fprintf(p.out, " [... %d more matches]\n", more)
		} else {
			p.out.WriteString(" [... omitted end of long line]\n")
		}
	case detailed:
		fmt.Fprintf(p.out, "[Omitted long line with %d matches]\n", len(locs))
	case selected:
		p.out.WriteString("[Omitted long matching line]\n")
	default:
		p.out.WriteString("[Omitted long context line]\n")
	}
}

// replaced puts the replacement in the matches' places and says where it is.
func (p *rgPrinter) replaced(text []byte, locs [][]int) ([]byte, [][]int) {
	out := p.row[:0]
	moved := p.moved[:0]
	at := 0
	for _, loc := range locs {
		out = append(out, text[at:loc[0]]...)
		from := len(out)
		out = p.expand(out, text, loc)
		moved = append(moved, []int{from, len(out)})
		at = loc[1]
	}
	out = append(out, text[at:]...)
	p.row, p.moved = out, moved
	return out, moved
}

// expand appends the replacement for a match: $N, $name, ${name} and $$.
func (p *rgPrinter) expand(dst, line []byte, loc []int) []byte {
	text := *p.replacement
	for {
		i := strings.IndexByte(text, '$')
		if i < 0 || i+1 >= len(text) {
			return append(dst, text...)
		}
		dst = append(dst, text[:i]...)
		text = text[i+1:]
		if text[0] == '$' {
			dst = append(dst, '$')
			text = text[1:]
			continue
		}
		name, rest := "", text
		if text[0] == '{' {
			if end := strings.IndexByte(text, '}'); end > 0 {
				name, rest = text[1:end], text[end+1:]
			}
		} else {
			n := 0
			for n < len(text) && (text[n] == '_' || text[n]|0x20 >= 'a' && text[n]|0x20 <= 'z' || text[n] >= '0' && text[n] <= '9') {
				n++
			}
			name, rest = text[:n], text[n:]
		}
		if name == "" {
			dst = append(dst, '$')
			continue
		}
		text = rest
		group, err := strconv.Atoi(name)
		if err != nil {
			group = -1
			for k := 1; k <= p.matcher.Groups(); k++ {
				if p.matcher.GroupName(k) == name {
					group = k
				}
			}
		}
		if group >= 0 && 2*group+1 < len(loc) && loc[2*group] >= 0 {
			dst = append(dst, line[loc[2*group]:loc[2*group+1]]...)
		}
	}
}
