package builtins

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// fileText says in which encoding a text is; name is empty for what is none.
type fileText struct {
	name, mime string
	data       []byte
	// characters is what lines are counted in: one byte each of UTF-16.
	characters []byte
}

// fileTextByte tells bytes of text (1), of ISO 8859 (2) and of other extended
// sets (3) from control characters (0).
func fileTextByte(b byte) int {
	switch {
	case b >= '\a' && b <= '\r' && b != '\v', b == 0x1b, b >= ' ' && b < 0x7f, b == 0x85:
		return 1
	case b >= 0xa0:
		return 2
	case b >= 0x80:
		return 3
	}
	return 0
}

func classifyText(data []byte) fileText {
	kinds := [4]bool{}
	for _, b := range data {
		kinds[fileTextByte(b)] = true
	}
	bom := bytes.HasPrefix(data, []byte("\xef\xbb\xbf"))
	switch {
	case !kinds[0] && !kinds[2] && !kinds[3]:
		return fileText{"ASCII", "us-ascii", data, data}
	case !kinds[0] && fileUTF8(data) && bom:
		return fileText{"Unicode text, UTF-8 (with BOM)", "utf-8", data, data}
	case !kinds[0] && fileUTF8(data):
		return fileText{"Unicode text, UTF-8", "utf-8", data, data}
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		if wide := fileWide(data[2:], 0); wide != nil {
			return fileText{"Unicode text, UTF-16, little-endian", "utf-16le", data, wide}
		}
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		if wide := fileWide(data[2:], 1); wide != nil {
			return fileText{"Unicode text, UTF-16, big-endian", "utf-16be", data, wide}
		}
	}
	switch {
	case kinds[0]:
		return fileText{mime: "binary"}
	case !kinds[3]:
		return fileText{"ISO-8859", "iso-8859-1", data, data}
	}
	return fileText{"Non-ISO extended-ASCII", "unknown-8bit", data, data}
}

// fileUTF8 allows for a character that the end of the part cuts.
func fileUTF8(data []byte) bool {
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		if r == utf8.RuneError && n <= 1 {
			return len(data) < utf8.UTFMax && !utf8.FullRune(data)
		}
		data = data[n:]
	}
	return true
}

// fileWide makes one byte of each 16-bit character, nil where one is a control
// character.
func fileWide(data []byte, low int) []byte {
	var narrow []byte
	for i := 0; i+1 < len(data); i += 2 {
		c := uint16(data[i+low]) | uint16(data[i+1-low])<<8
		if c == 0xfffe || c < 128 && fileTextByte(byte(c)) != 1 {
			return nil
		}
		narrow = append(narrow, byte(min(c, 0xff)))
	}
	return narrow
}

// describe appends what the text is like to what it was found to be.
func (t fileText) describe(kind fileResult) fileResult {
	r := fileResult{mime: kind.mime, encoding: t.mime, plain: kind.text == ""}
	if r.mime == "" {
		r.mime = "text/plain"
	}
	if kind.text != "" && strings.Contains(kind.text, " text") && !strings.HasSuffix(kind.text, " text executable") || kind.encoding == "whole" {
		r.text = kind.text
		return r
	}
	var b strings.Builder
	if kind.text != "" {
		b.WriteString(strings.TrimSuffix(kind.text, " text executable"))
		if strings.HasSuffix(kind.text, " text executable") && kind.mime == "text/x-perl" {
			return fileResult{text: kind.text, mime: r.mime, encoding: r.encoding}
		}
		b.WriteString(", ")
	}
	b.WriteString(t.name + " text")
	if strings.HasSuffix(kind.text, " text executable") {
		b.WriteString(" executable")
	}
	t.lines(&b)
	r.text = b.String()
	return r
}

// fileLongLine is how many characters a line has that is not called very long.
const fileLongLine = 300

func (t fileText) lines(b *strings.Builder) {
	var crlf, lf, cr, nel, longest, length int
	cr1, escapes, backspaces := false, false, false
	end := func() {
		longest = max(longest, length)
		length = 0
	}
	for _, c := range t.characters {
		if cr1 && c != '\n' {
			cr++
		}
		switch {
		case c == '\n' && cr1:
			crlf++
		case c == '\n':
			lf++
		case c == 0x85 && t.mime == "us-ascii":
			nel++
		}
		cr1 = c == '\r'
		if c == '\n' || c == '\r' || c == 0x85 && t.mime == "us-ascii" {
			end()
		} else if c < 0x80 || c >= 0xc0 || t.mime != "utf-8" {
			length++
		}
		escapes = escapes || c == 0x1b
		backspaces = backspaces || c == '\b'
	}
	if cr1 {
		cr++
	}
	end()
	if longest > fileLongLine {
		fmt.Fprintf(b, ", with very long lines (%d)", longest)
	}
	if crlf+lf+cr+nel == 0 {
		b.WriteString(", with no line terminators")
	} else if crlf+cr+nel > 0 {
		var kinds []string
		for _, k := range []struct {
			count int
			name  string
		}{{crlf, "CRLF"}, {lf, "LF"}, {cr, "CR"}, {nel, "NEL"}} {
			if k.count > 0 {
				kinds = append(kinds, k.name)
			}
		}
		b.WriteString(", with " + strings.Join(kinds, ", ") + " line terminators")
	}
	if escapes {
		b.WriteString(", with escape sequences")
	}
	if backspaces {
		b.WriteString(", with overstriking")
	}
}

// structured knows JSON and CSV, which are described without their encoding.
func (m fileMagic) structured() (fileResult, bool) {
	j := fileJSON{s: m.data}
	switch values := j.values(); {
	case values == 1:
		return fileResult{text: "JSON text data", mime: "application/json"}, true
	case values > 1:
		return fileResult{text: "New Line Delimited JSON text data", mime: "application/x-ndjson"}, true
	case fileCSV(m.data):
		return fileResult{text: "CSV text", mime: "text/csv"}, true
	}
	return fileResult{}, false
}

// fileCSV looks at ten lines: three at least, with as many commas in each.
func fileCSV(data []byte) bool {
	fields, want, lines := 0, 0, 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			for i++; i < len(data); i++ {
				if data[i] == '"' && (i+1 == len(data) || data[i+1] != '"') {
					break
				} else if data[i] == '"' {
					i++
				}
			}
		case ',':
			fields++
		case '\n':
			if lines++; lines == 10 {
				return want != 0 && want == fields
			}
			if want == 0 {
				if want = fields; want == 0 {
					return false
				}
			} else if want != fields {
				return false
			}
			fields = 0
		}
	}
	return want > 0 && lines > 2
}

// fileJSON reads JSON as loosely as file does: a comma may stand before a
// closing bracket.
type fileJSON struct {
	s []byte
	i int
}

const fileJSONDeepest = 500

// values counts the objects and arrays that the text consists of, each on lines
// of its own; 0 where it is anything else.
func (j *fileJSON) values() int {
	for n := 0; ; n++ {
		j.blanks()
		if j.i == len(j.s) {
			return n
		}
		if c := j.s[j.i]; c != '{' && c != '[' || !j.value(0) {
			return 0
		}
	}
}

func (j *fileJSON) blanks() {
	for j.i < len(j.s) && strings.IndexByte(" \t\r\n", j.s[j.i]) >= 0 {
		j.i++
	}
}

func (j *fileJSON) value(depth int) bool {
	if j.blanks(); j.i == len(j.s) || depth > fileJSONDeepest {
		return false
	}
	switch c := j.s[j.i]; {
	case c == '{' || c == '[':
		return j.container(c == '{', depth)
	case c == '"':
		return j.text()
	case c == '-' || versionDigit(c):
		start := j.i
		for j.i++; j.i < len(j.s) && strings.IndexByte("0123456789+-.eE", j.s[j.i]) >= 0; j.i++ {
		}
		return j.i > start
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if bytes.HasPrefix(j.s[j.i:], []byte(word)) {
			j.i += len(word)
			return true
		}
	}
	return false
}

func (j *fileJSON) text() bool {
	for j.i++; j.i < len(j.s); j.i++ {
		switch j.s[j.i] {
		case '\\':
			j.i++
		case '"':
			j.i++
			return true
		}
	}
	return false
}

func (j *fileJSON) container(object bool, depth int) bool {
	closing := byte(']')
	if object {
		closing = '}'
	}
	for j.i++; ; {
		if j.blanks(); j.i == len(j.s) {
			return false
		}
		if j.s[j.i] == closing {
			j.i++
			return true
		}
		if object {
			if j.s[j.i] != '"' || !j.text() {
				return false
			}
			if j.blanks(); j.i == len(j.s) || j.s[j.i] != ':' {
				return false
			}
			j.i++
		}
		if !j.value(depth + 1) {
			return false
		}
		if j.blanks(); j.i == len(j.s) {
			return false
		}
		switch j.s[j.i] {
		case ',':
			j.i++
		case closing:
		default:
			return false
		}
	}
}
