package builtins

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/vsh-project/vsh/builtins/internal/grep"
)

// rgStats are the figures of --stats and --json. Times are not measured: they
// would differ from run to run.
type rgStats struct {
	searches, found, lines, matches, searched, printed int64
}

func (s *rgStats) add(o rgStats) {
	s.searches += o.searches
	s.found += o.found
	s.lines += o.lines
	s.matches += o.matches
	s.searched += o.searched
	s.printed += o.printed
}

// rgText is a text, or its bytes where it is no UTF-8.
type rgText struct {
	Text  *string `json:"text,omitempty"`
	Bytes *string `json:"bytes,omitempty"`
}

func makeRgText(s string) rgText {
	if utf8.ValidString(s) {
		return rgText{Text: &s}
	}
	encoded := base64.StdEncoding.EncodeToString([]byte(s))
	return rgText{Bytes: &encoded}
}

type rgSubmatch struct {
	Match rgText `json:"match"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

type rgLine struct {
	Path       rgText       `json:"path"`
	Lines      rgText       `json:"lines"`
	Number     int64        `json:"line_number"`
	Offset     int64        `json:"absolute_offset"`
	Submatches []rgSubmatch `json:"submatches"`
}

type rgElapsed struct {
	Secs  int    `json:"secs"`
	Nanos int    `json:"nanos"`
	Human string `json:"human"`
}

type rgFigures struct {
	Elapsed  rgElapsed `json:"elapsed"`
	Searches int64     `json:"searches"`
	Found    int64     `json:"searches_with_match"`
	Searched int64     `json:"bytes_searched"`
	Printed  int64     `json:"bytes_printed"`
	Lines    int64     `json:"matched_lines"`
	Matches  int64     `json:"matches"`
}

func record(w io.Writer, kind string, data any) {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.Encode(struct {
		Type string `json:"type"`
		Data any    `json:"data"`
	}{kind, data})
}

func (p *rgPrinter) jsonLine(text []byte, ended bool, number, offset int64, selected bool, locs [][]int) {
	if !p.started {
		p.started = true
		record(p.out, "begin", struct {
			Path rgText `json:"path"`
		}{makeRgText(p.name)})
	}
	lines := string(text)
	if ended {
		lines += string(p.lineEnd())
	}
	l := rgLine{makeRgText(p.name), makeRgText(lines), number, offset, []rgSubmatch{}}
	for _, loc := range locs {
		l.Submatches = append(l.Submatches, rgSubmatch{makeRgText(string(text[loc[0]:loc[1]])), loc[0], loc[1]})
	}
	kind := "context"
	if selected {
		kind = "match"
	}
	record(p.out, kind, l)
}

// jsonEnd prints a file's last record and says how much stands before it.
func (p *rgPrinter) jsonEnd(r grep.Result) int64 {
	p.out.Flush()
	printed := p.written.n
	var binary *int64
	if r.NULAt >= 0 {
		binary = &r.NULAt
	}
	found := int64(0)
	if r.Selected > 0 {
		found = 1
	}
	record(p.out, "end", struct {
		Path   rgText    `json:"path"`
		Binary *int64    `json:"binary_offset"`
		Stats  rgFigures `json:"stats"`
	}{makeRgText(p.name), binary, rgFigures{rgElapsed{0, 0, "0.000000s"}, 1, found, p.input.Size(), printed, p.lines, p.matches}})
	return printed
}

// printTotal is the end of --stats and --json.
func (g *rgCommand) printTotal() {
	t := &g.total
	if g.json {
		// The keys of this record alone are sorted.
		fmt.Fprintf(g.out, `{"data":{"elapsed_total":{"human":"0.000000s","nanos":0,"secs":0},"stats":{"bytes_printed":%d,"bytes_searched":%d,`+
			`"elapsed":{"human":"0.000000s","nanos":0,"secs":0},"matched_lines":%d,"matches":%d,"searches":%d,"searches_with_match":%d}},"type":"summary"}`+"\n",
			t.printed, t.searched, t.lines, t.matches, t.searches, t.found)
		return
	}
	fmt.Fprintf(g.out, "\n%d matches\n%d matched lines\n%d files contained matches\n%d files searched\n%d bytes printed\n%d bytes searched\n"+
		"0.000000 seconds spent searching\n0.000000 seconds\n", t.matches, t.lines, t.found, t.searches, t.printed, t.searched)
}
