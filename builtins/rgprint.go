package builtins

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vsh-project/vsh/builtins/internal/grep"
	"github.com/vsh-project/vsh/internal/regex"
)

// rgStats are the figures of --stats and --json.
type rgStats struct {
	searches, found, lines, matches int64
}

// rgPrinter prints one file after another; it is the search's Sink.
type rgPrinter struct {
	*rgCommand
	finder  *regex.Finder
	name    string
	started bool // something of this file is printed
	lines   int64
	matches int64
	row     []byte
	err     error
}

func (p *rgPrinter) begin(name string) {
	p.name, p.started, p.lines, p.matches = name, false, 0, 0
}

func (p *rgPrinter) named() bool {
	return p.nameOption == 'H' || p.nameOption == 0 && (p.showName || p.vimgrep)
}

// silent reports that no lines are printed.
func (p *rgPrinter) silent() bool { return p.quiet || p.list != 0 || p.count != 0 }

// end prints what a whole file is worth.
func (p *rgPrinter) end(r grep.Result) error {
	if p.err != nil {
		return p.err
	}
	selected := r.Selected > 0
	p.total.searches++
	if selected {
		p.matched = true
		p.total.found++
	}
	p.total.lines += r.Selected
	p.total.matches += p.matches
	if selected && p.quiet && !p.stats {
		return errGrepSettled
	}
	if p.json {
		if p.started {
			p.event("end", struct {
				Path   map[string]string `json:"path"`
				Binary *int64            `json:"binary_offset"`
				Stats  any               `json:"stats"`
			}{rgText(p.name), nil, p.figures(rgStats{1, 1, p.lines, p.matches})})
		}
		return nil
	}
	switch {
	case p.quiet:
	case p.list == 'l' && selected, p.list == 'L' && !selected:
		p.path(p.name)
		io.WriteString(p.out, p.nameEnd())
		if p.list == 'L' {
			p.matched = true
		}
	case p.list != 0:
	case p.count != 0 && (selected || p.includeZero):
		n := r.Selected
		if p.count == 'm' || p.only {
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
		fmt.Fprintf(p.out, "%d\n", n)
	case p.count != 0:
	case r.NULAt >= 0 && selected && p.options.Binary == grep.BinaryMessage:
		if p.named() {
			p.path(p.name)
			io.WriteString(p.out, ": ")
		}
		fmt.Fprintf(p.out, "binary file matches (found \"\\0\" byte around offset %d)\n", r.NULAt)
	}
	return nil
}

// Gap is between groups of lines.
func (p *rgPrinter) Gap() {
	if p.silent() || p.json || p.noGap {
		return
	}
	io.WriteString(p.out, p.gap+"\n")
}

// Line takes a selected or context line.
func (p *rgPrinter) Line(line []byte, number, offset int64, selected bool) {
	matching := selected != p.options.Invert
	var locs [][]int
	if matching && (p.only || p.column || p.replacement != nil || p.color || p.json || p.count == 'm' || p.only && p.count != 0 || p.stats || p.vimgrep) {
		locs = p.find(line)
	}
	if selected {
		p.lines++
		p.matches += int64(len(locs))
	}
	if p.silent() {
		return
	}
	p.print(line, number, offset, selected, locs)
}

func (p *rgPrinter) find(line []byte) [][]int {
	var locs [][]int
	for at := 0; at <= len(line); {
		loc := p.finder.Find(line, at)
		if loc == nil {
			break
		}
		locs = append(locs, append([]int(nil), loc...))
		if at = loc[1]; loc[0] == loc[1] {
			_, n := utf8.DecodeRune(line[at:])
			at += max(n, 1)
		}
	}
	if err := p.finder.Err(); err != nil && p.err == nil {
		p.err = err
	}
	return locs
}

// print prints a line in the form that the options ask for.
func (p *rgPrinter) print(line []byte, number, offset int64, selected bool, locs [][]int) {
	if p.json {
		p.jsonLine(line, number, offset, selected, locs)
		return
	}
	p.openFile()
	text := line
	if p.replacement != nil && len(locs) > 0 && !p.only {
		text = p.replaced(line, locs)
	}
	switch {
	case p.only && selected && !p.options.Invert:
		for _, loc := range locs {
			if loc[0] == loc[1] {
				continue
			}
			part := line[loc[0]:loc[1]]
			if p.replacement != nil {
				part = p.expand(nil, line, loc)
			}
			p.prefix(number, offset+int64(loc[0]), loc[0]+1, true)
			p.body(part, [][]int{{0, len(part)}})
		}
	case p.only && !p.passthru:
	case p.vimgrep && selected && len(locs) > 0:
		for _, loc := range locs {
			p.prefix(number, offset, loc[0]+1, true)
			p.body(text, [][]int{loc})
		}
	default:
		column := 1
		if len(locs) > 0 {
			column = locs[0][0] + 1
		}
		p.prefix(number, offset, column, selected)
		if p.replacement != nil {
			locs = nil
		}
		p.body(text, locs)
	}
}

// openFile prints what stands before a file's first line.
func (p *rgPrinter) openFile() {
	if p.started {
		return
	}
	p.started = true
	if p.heading && p.named() {
		if p.printed {
			p.out.WriteByte('\n')
		}
		p.path(p.name)
		io.WriteString(p.out, p.nameEnd())
	} else if p.printed && (p.options.Before > 0 || p.options.After > 0) && !p.passthru {
		p.Gap()
	}
	p.printed = true
}

func (p *rgPrinter) path(name string) {
	p.colored("35", name)
}

func (p *rgPrinter) colored(color, text string) {
	if p.color {
		text = "\x1b[0m\x1b[" + color + "m" + text + "\x1b[0m"
	}
	io.WriteString(p.out, text)
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
			io.WriteString(p.out, separator)
		}
	}
	if p.options.LineNumber {
		p.colored("32", strconv.FormatInt(number, 10))
		io.WriteString(p.out, separator)
	}
	if p.column && selected {
		p.colored("", strconv.Itoa(column))
		io.WriteString(p.out, separator)
	}
	if p.options.ByteOffset {
		io.WriteString(p.out, strconv.FormatInt(offset, 10)+separator)
	}
}

// body prints a line's text, its matches coloured.
func (p *rgPrinter) body(text []byte, locs [][]int) {
	if p.maxColumns > 0 && len(text)+1 > p.maxColumns {
		p.omitted(text, locs)
		return
	}
	skip := 0
	if p.trim {
		skip = len(text) - len(bytes.TrimLeft(text, " \t\n\v\f\r"))
	}
	at := skip
	if p.color {
		for _, loc := range locs {
			if loc[0] < at || loc[0] == loc[1] {
				continue
			}
			p.out.Write(text[at:loc[0]])
			io.WriteString(p.out, "\x1b[0m\x1b[1m\x1b[31m")
			p.out.Write(text[loc[0]:loc[1]])
			io.WriteString(p.out, "\x1b[0m")
			at = loc[1]
		}
	}
	p.out.Write(text[at:])
	p.out.WriteByte(p.lineEnd())
}

func (p *rgPrinter) lineEnd() byte {
	if p.options.NullData {
		return 0
	}
	return '\n'
}

func (p *rgPrinter) omitted(text []byte, locs [][]int) {
	kind := "matching"
	if len(locs) == 0 && p.only {
		kind = "context"
	}
	if p.maxColumnsPreview {
		cut := p.maxColumns
		for cut > 0 && cut < len(text) && !utf8.RuneStart(text[cut]) {
			cut--
		}
		p.out.Write(text[:min(cut, len(text))])
		io.WriteString(p.out, " [... omitted end of long line]\n")
		return
	}
	if n := len(locs); n > 0 && (p.column || p.replacement != nil || p.color) {
		fmt.Fprintf(p.out, "[Omitted long line with %d matches]\n", n)
		return
	}
	fmt.Fprintf(p.out, "[Omitted long %s line]\n", kind)
}

func (p *rgPrinter) replaced(line []byte, locs [][]int) []byte {
	out := p.row[:0]
	at := 0
	for _, loc := range locs {
		out = append(out, line[at:loc[0]]...)
		out = p.expand(out, line, loc)
		at = loc[1]
	}
	out = append(out, line[at:]...)
	p.row = out
	return out
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

// searchWhole searches a text across lines (-U). The text is held whole.
func (p *rgPrinter) searchWhole(r io.Reader) (grep.Result, error) {
	var text []byte
	charged := int64(0)
	defer func() { p.Host().Release(charged) }()
	block := make([]byte, 64<<10)
	for {
		n, err := r.Read(block)
		if err := p.Host().Charge(int64(2 * n)); err != nil {
			return grep.Result{}, err
		}
		charged += int64(2 * n)
		text = append(text, block[:n]...)
		if err == io.EOF {
			break
		}
		if err != nil {
			return grep.Result{}, err
		}
	}
	result := grep.Result{NULAt: -1}
	if i := bytes.IndexByte(text, 0); i >= 0 && p.options.Binary != grep.BinaryText {
		if result.NULAt = int64(i); p.options.Binary == grep.BinarySkip {
			return result, nil
		}
	}
	lines := p.lineStarts(text)
	locs := p.find(text)
	p.matches += int64(len(locs))
	selected := make(map[int][][]int)
	order := []int{}
	for _, loc := range locs {
		first, last := lineOf(lines, loc[0]), lineOf(lines, max(loc[0], loc[1]-1))
		for k := first; k <= last && k < len(lines); k++ {
			if selected[k] == nil {
				if int64(len(order)) >= p.options.MaxCount {
					break
				}
				order = append(order, k)
			}
			selected[k] = append(selected[k], loc)
		}
	}
	result.Selected = int64(len(order))
	p.lines += result.Selected
	if p.silent() || result.NULAt >= 0 {
		return result, p.err
	}
	if p.only || p.replacement != nil {
		p.wholeMatches(text, lines, locs)
		return result, p.err
	}
	printed := -1
	for i, k := range order {
		from := max(printed+1, k-max(p.options.Before, 0))
		if printed >= 0 && from > printed+1 && (p.options.Before >= 0 || p.options.After >= 0) {
			p.Gap()
		}
		for ; from < k; from++ {
			p.wholeLine(text, lines, from, false, nil)
		}
		p.wholeLine(text, lines, k, true, selected[k])
		printed = k
		after := k + max(p.options.After, 0)
		if i+1 < len(order) {
			after = min(after, order[i+1]-1)
		}
		for printed < after && printed+1 < len(lines) {
			printed++
			p.wholeLine(text, lines, printed, false, nil)
		}
	}
	return result, p.err
}

// wholeMatches prints matches as a whole each, or replaced, with -U.
func (p *rgPrinter) wholeMatches(text []byte, lines []int, locs [][]int) {
	for _, loc := range locs {
		first, last := lineOf(lines, loc[0]), lineOf(lines, max(loc[0], loc[1]-1))
		start := lines[first]
		p.openFile()
		part := text[loc[0]:loc[1]]
		if p.replacement != nil {
			part = p.expand(nil, text, loc)
		}
		if !p.only {
			end := len(text)
			if last+1 < len(lines) {
				end = lines[last+1] - 1
			}
			end = max(min(end, len(text)), loc[1])
			part = append(append(append([]byte(nil), text[start:loc[0]]...), part...), text[loc[1]:end]...)
		}
		for i, row := range bytes.Split(bytes.TrimSuffix(part, []byte("\n")), []byte("\n")) {
			p.prefix(int64(first+1+i), int64(loc[0]), loc[0]-start+1, true)
			p.body(row, nil)
		}
	}
}

func (p *rgPrinter) wholeLine(text []byte, lines []int, k int, selected bool, locs [][]int) {
	start, end := lines[k], len(text)
	if k+1 < len(lines) {
		end = lines[k+1]
	}
	line := bytes.TrimSuffix(text[start:end], []byte("\n"))
	var own [][]int
	for _, loc := range locs {
		own = append(own, []int{max(loc[0]-start, 0), min(loc[1]-start, len(line))})
	}
	p.print(line, int64(k+1), int64(start), selected, own)
}

func (p *rgPrinter) lineStarts(text []byte) []int {
	starts := []int{0}
	for i, c := range text {
		if c == '\n' && i+1 < len(text) {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// lineOf is the line that holds a position.
func lineOf(starts []int, at int) int {
	lo, hi := 0, len(starts)
	for hi-lo > 1 {
		if m := (lo + hi) / 2; starts[m] <= at {
			lo = m
		} else {
			hi = m
		}
	}
	return lo
}

func rgText(s string) map[string]string {
	if utf8.ValidString(s) {
		return map[string]string{"text": s}
	}
	return map[string]string{"bytes": base64.StdEncoding.EncodeToString([]byte(s))}
}

type rgRecord struct {
	Type string `json:"type"`
	Data any    `json:"data"`
}

func (p *rgPrinter) event(kind string, data any) { p.record(rgRecord{kind, data}) }

func (g *rgCommand) record(r any) {
	encoder := json.NewEncoder(g.out)
	encoder.SetEscapeHTML(false)
	encoder.Encode(r)
}

type rgSubmatch struct {
	Match map[string]string `json:"match"`
	Start int               `json:"start"`
	End   int               `json:"end"`
}

type rgLine struct {
	Path       map[string]string `json:"path"`
	Lines      map[string]string `json:"lines"`
	Number     int64             `json:"line_number"`
	Offset     int64             `json:"absolute_offset"`
	Submatches []rgSubmatch      `json:"submatches"`
}

func (p *rgPrinter) jsonLine(line []byte, number, offset int64, selected bool, locs [][]int) {
	if !p.started {
		p.started = true
		p.event("begin", map[string]any{"path": rgText(p.name)})
	}
	l := rgLine{rgText(p.name), rgText(string(line) + "\n"), number, offset, []rgSubmatch{}}
	for _, loc := range locs {
		l.Submatches = append(l.Submatches, rgSubmatch{rgText(string(line[loc[0]:loc[1]])), loc[0], loc[1]})
	}
	kind := "context"
	if selected {
		kind = "match"
	}
	p.event(kind, l)
}

// figures are a statistics object; times are not measured.
func (g *rgCommand) figures(s rgStats) any {
	type elapsed struct {
		Secs  int    `json:"secs"`
		Nanos int    `json:"nanos"`
		Human string `json:"human"`
	}
	return struct {
		Elapsed  elapsed `json:"elapsed"`
		Searches int64   `json:"searches"`
		Found    int64   `json:"searches_with_match"`
		Searched int64   `json:"bytes_searched"`
		Printed  int64   `json:"bytes_printed"`
		Lines    int64   `json:"matched_lines"`
		Matches  int64   `json:"matches"`
	}{elapsed{0, 0, "0.000000s"}, s.searches, s.found, 0, 0, s.lines, s.matches}
}

// printTotal is the end of --stats and --json.
func (g *rgCommand) printTotal() {
	if g.json {
		g.record(map[string]any{"type": "summary", "data": map[string]any{
			"elapsed_total": map[string]any{"human": "0.000000s", "nanos": 0, "secs": 0}, "stats": g.figures(g.total)}})
		return
	}
	fmt.Fprintf(g.out, "\n%d matches\n%d matched lines\n%d files contained matches\n%d files searched\n",
		g.total.matches, g.total.lines, g.total.found, g.total.searches)
}
