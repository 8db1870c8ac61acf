package interp

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vsh-project/vsh/internal/quote"
)

// historyExpander is one run of history expansion ("!!", "!$", "^a^b").
type historyExpander struct {
	lines  []string
	text   string
	at     int
	line   string // what is made of text so far, for !#
	search string // of the last !?string?, for %
	old    string // of the last s modifier
	new    string
	again  bool // there was one
}

// expandHistory expands the events of text; ok is false where one is not there.
func expandHistory(lines []string, text string) (expanded string, ok bool) {
	h := &historyExpander{lines: lines, text: text}
	if strings.HasPrefix(text, "^") {
		h.text = "!!:s" + text
	}
	var out strings.Builder
	quoted, single := false, false
	for h.at < len(h.text) {
		c := h.text[h.at]
		switch {
		case single:
			single = c != '\''
		case c == '\\':
			out.WriteByte(c)
			if h.at++; h.at < len(h.text) {
				out.WriteByte(h.text[h.at])
				h.at++
			}
			continue
		case c == '\'' && !quoted:
			single = true
		case c == '"':
			quoted = !quoted
		case c == '!' && h.begins(quoted):
			h.line = out.String()
			event, found := h.event(quoted)
			if !found {
				return "", false
			}
			out.WriteString(event)
			continue
		}
		out.WriteByte(c)
		h.at++
	}
	return out.String(), true
}

// begins reports a "!" that begins an event.
func (h *historyExpander) begins(quoted bool) bool {
	rest := h.text[h.at+1:]
	return rest != "" && strings.IndexByte(" \t\n\r=", rest[0]) < 0 && !(quoted && rest[0] == '"') &&
		!(h.at > 0 && h.text[h.at-1] == '$') && !(h.at > 1 && h.text[h.at-1] == '{' && h.text[h.at-2] == '$')
}

// event reads an event, the words taken of it and its modifiers.
func (h *historyExpander) event(quoted bool) (string, bool) {
	h.at++
	line, whole, ok := h.find(quoted)
	if !ok {
		return "", false
	}
	words := historyWords(line)
	if first, last, chosen, ok := h.designator(len(words) - 1); !ok {
		return "", false
	} else if chosen {
		whole = false
		switch {
		case first == wordMatched:
			line = ""
			for _, w := range words {
				if h.search != "" && strings.Contains(w, h.search) {
					line = w
				}
			}
		case first > len(words) || last >= len(words) || first > last+1:
			return "", false
		default:
			line = strings.Join(words[first:last+1], " ")
		}
	}
	return h.modify(line, whole)
}

// find reads which line an event speaks of.
func (h *historyExpander) find(quoted bool) (line string, whole, ok bool) {
	n := len(h.lines)
	rest := h.text[h.at:]
	switch c := rest[0]; {
	case c == '!':
		h.at++
		if n == 0 {
			return "", false, false
		}
		return h.lines[n-1], true, true
	case c == '#':
		h.at++
		return h.line, true, true
	case strings.IndexByte(":$*^%", c) >= 0:
		if n == 0 {
			return "", false, false
		}
		return h.lines[n-1], false, true
	case c == '?':
		end := strings.IndexAny(rest[1:], "?\n")
		text := rest[1:]
		h.at = len(h.text)
		if end >= 0 {
			text = rest[1 : 1+end]
			h.at -= len(rest) - 1 - end
			if rest[1+end] == '?' {
				h.at++
			}
		}
		if text == "" {
			text = h.search
		}
		h.search = text
		for i := n - 1; i >= 0 && text != ""; i-- {
			if strings.Contains(h.lines[i], text) {
				return h.lines[i], true, true
			}
		}
		return "", false, false
	case c >= '0' && c <= '9', c == '-' && len(rest) > 1 && rest[1] >= '0' && rest[1] <= '9':
		end := 1
		for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
			end++
		}
		number, err := strconv.Atoi(rest[:end])
		h.at += end
		if c == '-' {
			number += n + 1
		}
		if err != nil || number < 1 || number > n {
			return "", false, false
		}
		return h.lines[number-1], true, true
	}
	end := strings.IndexAny(rest, " \t\n:;&()|<>^$*%")
	if quoted {
		if i := strings.IndexByte(rest, '"'); i >= 0 && (end < 0 || i < end) {
			end = i
		}
	}
	if end < 0 {
		end = len(rest)
	}
	name := rest[:end]
	h.at += end
	for i := n - 1; i >= 0 && name != ""; i-- {
		if strings.HasPrefix(h.lines[i], name) {
			return h.lines[i], true, true
		}
	}
	return "", false, false
}

const wordMatched = -1

// designator reads which words are meant, of 0 to last.
func (h *historyExpander) designator(lastWord int) (first, last int, chosen, ok bool) {
	rest := h.text[h.at:]
	colon := strings.HasPrefix(rest, ":")
	if colon {
		rest = rest[1:]
	}
	if rest == "" || strings.IndexByte("^$*%-", rest[0]) < 0 && !(colon && rest[0] >= '0' && rest[0] <= '9') {
		return 0, 0, false, true
	}
	if colon {
		h.at++
	}
	one := func() (int, bool) {
		if h.at >= len(h.text) {
			return 0, false
		}
		switch c := h.text[h.at]; {
		case c == '^':
			h.at++
			return 1, true
		case c == '$':
			h.at++
			return lastWord, true
		case c >= '0' && c <= '9':
			end := h.at
			for end < len(h.text) && h.text[end] >= '0' && h.text[end] <= '9' {
				end++
			}
			n, err := strconv.Atoi(h.text[h.at:end])
			h.at = end
			return n, err == nil
		}
		return 0, false
	}
	switch rest[0] {
	case '*':
		h.at++
		return 1, lastWord, true, true
	case '%':
		h.at++
		return wordMatched, 0, true, true
	case '-':
	default:
		if first, ok = one(); !ok {
			return 0, 0, true, false
		}
	}
	last = first
	if h.at < len(h.text) {
		switch h.text[h.at] {
		case '*':
			h.at++
			last = lastWord
		case '-':
			h.at++
			if last, ok = one(); !ok {
				last = lastWord - 1
			}
		}
	}
	return first, last, true, true
}

// modify applies the modifiers that follow.
func (h *historyExpander) modify(line string, whole bool) (string, bool) {
	for h.at+1 < len(h.text) && h.text[h.at] == ':' {
		h.at++
		global, each := false, false
		for h.at < len(h.text) && strings.IndexByte("gaG", h.text[h.at]) >= 0 {
			if h.text[h.at] == 'G' {
				each = true
			} else {
				global = true
			}
			h.at++
		}
		if h.at >= len(h.text) {
			return "", false
		}
		c := h.text[h.at]
		h.at++
		switch c {
		case 'h':
			if i := strings.LastIndexByte(line, '/'); i >= 0 {
				line = line[:i]
			}
		case 't':
			line = line[strings.LastIndexByte(line, '/')+1:]
		case 'r':
			if i := strings.LastIndexByte(line, '.'); i >= 0 {
				line = line[:i]
			}
		case 'e':
			if i := strings.LastIndexByte(line, '.'); i >= 0 {
				line = line[i:]
			}
		case 'p':
		case 'q':
			line = quote.Single(line)
		case 'x':
			words := historyWords(line)
			for i, w := range words {
				words[i] = quote.Single(w)
			}
			line = strings.Join(words, " ")
		case 's', '&':
			if c == 's' && !h.readSubstitution() || !h.again {
				return "", false
			}
			replaced, found := h.substitute(line, global, each)
			if !found {
				return "", false
			}
			line = replaced
		default:
			return "", false
		}
	}
	return line, true
}

// readSubstitution reads /old/new/ by any delimiter; an empty old is the one before.
func (h *historyExpander) readSubstitution() bool {
	if h.at >= len(h.text) {
		return false
	}
	_, size := utf8.DecodeRuneInString(h.text[h.at:])
	delimiter := h.text[h.at : h.at+size]
	h.at += size
	part := func() string {
		var b strings.Builder
		for h.at < len(h.text) && !strings.HasPrefix(h.text[h.at:], delimiter) {
			if h.text[h.at] == '\\' && strings.HasPrefix(h.text[h.at+1:], delimiter) {
				h.at++
			}
			b.WriteByte(h.text[h.at])
			h.at++
		}
		if h.at < len(h.text) {
			h.at += len(delimiter)
		}
		return b.String()
	}
	switch old := part(); {
	case old != "":
		h.old = old
	case !h.again && h.search != "":
		h.old = h.search
	case !h.again:
		return false
	}
	h.new = part()
	h.again = true
	return true
}

func (h *historyExpander) substitute(line string, global, each bool) (string, bool) {
	if !strings.Contains(line, h.old) {
		return "", false
	}
	var b strings.Builder
	for i := 0; i < len(h.new); i++ {
		switch {
		case h.new[i] == '\\' && i+1 < len(h.new) && h.new[i+1] == '&':
			i++
			b.WriteByte('&')
		case h.new[i] == '&':
			b.WriteString(h.old)
		default:
			b.WriteByte(h.new[i])
		}
	}
	switch {
	case each:
		words := historyWords(line)
		for i, w := range words {
			words[i] = strings.Replace(w, h.old, b.String(), 1)
		}
		return strings.Join(words, " "), true
	case global:
		return strings.ReplaceAll(line, h.old, b.String()), true
	}
	return strings.Replace(line, h.old, b.String(), 1), true
}

// historyWords splits a line as the readline library does: blanks part words,
// quotes keep them whole, operators are words.
func historyWords(line string) []string {
	var words []string
	for i := 0; i < len(line); {
		if strings.IndexByte(" \t\n", line[i]) >= 0 {
			i++
			continue
		}
		start := i
		if operator := historyOperator(line[i:]); operator > 0 {
			words = append(words, line[i:i+operator])
			i += operator
			continue
		}
		for i < len(line) && strings.IndexByte(" \t\n;&()|<>", line[i]) < 0 {
			switch c := line[i]; c {
			case '\\':
				i++
			case '\'', '"', '`':
				end := strings.IndexByte(line[i+1:], c)
				if end < 0 {
					end = len(line) - i - 1
				}
				i += end + 1
			}
			i++
		}
		i = min(i, len(line))
		words = append(words, line[start:i])
	}
	return words
}

// historyOperator is the length of the operator that s begins with, or 0.
func historyOperator(s string) int {
	for _, operator := range []string{"<<<", "<<-", "&>>", "&&", "||", ";;", ">>", "<<", ">&", "<&", "&>", ">|", "<>"} {
		if strings.HasPrefix(s, operator) {
			return len(operator)
		}
	}
	if slices.Contains([]byte(";&()|<>"), s[0]) {
		return 1
	}
	return 0
}
