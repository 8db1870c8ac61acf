package patch

import "bytes"

// Target is the file a patch is applied to, and what has been made of it.
type Target struct {
	Lines [][]byte
	// IgnoreSpace compares lines as if every run of blanks were one.
	IgnoreSpace bool
	// Stop, where set, is asked now and then whether to give up.
	Stop func() bool
	// Define, where set, keeps both versions between #ifdef lines.
	Define string
	Out    bytes.Buffer
	// Offset is how far the last hunk was from its place in the old file, and
	// Shift how far the new file's lines are from the old's.
	Offset, Shift int
	frozen        int
	afterText     bool
}

// Locate finds where a hunk's old lines are, leaving out up to fuzz lines of
// its context; 0: nowhere. It keeps Offset.
func (t *Target) Locate(h *Hunk, fuzz int) int {
	guess := h.First + t.Offset
	context := max(h.Prefix, h.Suffix)
	prefix, suffix := fuzz+h.Prefix-context, fuzz+h.Suffix-context
	lines, pattern := len(t.Lines), len(h.Old)
	if pattern == 0 {
		return guess
	}
	maxWhere, minWhere := lines-(pattern-suffix)+1, t.frozen+1
	ahead, back := maxWhere-guess, guess-minWhere
	furthest := max(ahead, back)
	if guess <= back {
		back = guess - 1
	}
	if prefix < 0 && h.First <= 1 {
		if suffix < 0 && (pattern != lines || h.Prefix < t.frozen) {
			return 0
		}
		offset := 1 - guess
		if t.frozen <= h.Prefix && offset <= ahead && t.matches(h, guess+offset, 0, suffix) {
			t.Offset += offset
			return guess + offset
		}
		return 0
	}
	prefix = max(prefix, 0)
	if suffix < 0 {
		offset := guess - (lines - pattern + 1)
		if offset <= back && t.matches(h, guess-offset, prefix, 0) {
			t.Offset -= offset
			return guess - offset
		}
		return 0
	}
	offset := 0
	if ahead < 0 {
		offset = guess - maxWhere
	} else if back < 0 {
		offset = guess - minWhere
	}
	for ; offset <= furthest; offset++ {
		if offset&255 == 255 && t.Stop != nil && t.Stop() {
			return 0
		}
		if offset <= ahead && t.matches(h, guess+offset, prefix, suffix) {
			t.Offset += offset
			return guess + offset
		}
		if 0 < offset && offset <= back && t.matches(h, guess-offset, prefix, suffix) {
			t.Offset -= offset
			return guess - offset
		}
	}
	return 0
}

func (t *Target) matches(h *Hunk, where, prefix, suffix int) bool {
	for i := prefix; i < len(h.Old)-max(suffix, 0); i++ {
		if !t.same(t.line(where+i), h.Old[i].Text) {
			return false
		}
	}
	return true
}

func (t *Target) line(n int) []byte {
	if n < 1 || n > len(t.Lines) {
		return nil
	}
	return t.Lines[n-1]
}

func (t *Target) same(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	return t.IgnoreSpace && similar(a, b)
}

func blank(c byte) bool { return c == ' ' || c == '\t' }

// similar compares but for runs of blanks, and trailing ones altogether.
func similar(a, b []byte) bool {
	a, b = bytes.TrimRight(a, "\r\n"), bytes.TrimRight(b, "\r\n")
	for {
		for len(b) > 0 && blank(b[0]) {
			if len(a) > 0 && !blank(a[0]) {
				return false
			}
			a, b = bytes.TrimLeft(a, " \t"), bytes.TrimLeft(b, " \t")
		}
		if len(a) == 0 || len(b) == 0 {
			return len(bytes.TrimLeft(a, " \t")) == 0 && len(b) == 0
		}
		if a[0] != b[0] {
			return false
		}
		a, b = a[1:], b[1:]
	}
}

// put writes a line; one that lacks its newline gets it when another follows.
func (t *Target) put(text []byte) {
	if t.afterText {
		t.Out.WriteByte('\n')
	}
	t.Out.Write(text)
	t.afterText = len(text) > 0 && text[len(text)-1] != '\n'
}

// copyTill writes the file's lines up to and with last; false where they have
// been passed already.
func (t *Target) copyTill(last int) bool {
	if t.frozen > last {
		return false
	}
	for end := min(last, len(t.Lines)); t.frozen < end; {
		t.frozen++
		t.put(t.line(t.frozen))
	}
	t.frozen = last
	return true
}

// Finish writes what follows the last hunk.
func (t *Target) Finish() { t.copyTill(max(t.frozen, len(t.Lines))) }

// Apply makes the hunk's change at where. It returns false where hunks are out
// of order.
func (t *Target) Apply(h *Hunk, where int) bool {
	const (
		outside = iota
		inIfndef
		inIfdef
		inElse
	)
	state := outside
	directive := func(next int, text string) {
		if t.Define != "" && state != next {
			t.put([]byte(text))
			state = next
		}
	}
	where--
	old, added := 0, 0
	for old < len(h.Old) || added < len(h.New) {
		switch {
		case old < len(h.Old) && h.Old[old].Mark != ' ':
			mark := h.Old[old].Mark
			if !t.copyTill(where + old) {
				return false
			}
			if state == inIfdef {
				directive(inElse, "#else\n")
			} else {
				directive(inIfndef, "#ifndef "+t.Define+"\n")
			}
			for ; old < len(h.Old) && h.Old[old].Mark == mark; old++ {
				if t.Define != "" {
					t.put(h.Old[old].Text)
				}
				t.frozen++
			}
		case added < len(h.New) && h.New[added].Mark != ' ':
			if !t.copyTill(where + old) {
				return false
			}
			if state == inIfndef {
				directive(inElse, "#else\n")
			} else {
				directive(inIfdef, "#ifdef "+t.Define+"\n")
			}
			for ; added < len(h.New) && h.New[added].Mark != ' '; added++ {
				t.put(h.New[added].Text)
			}
		default:
			if old >= len(h.Old) || added >= len(h.New) {
				return false
			}
			directive(outside, "#endif\n")
			old, added = old+1, added+1
		}
	}
	directive(outside, "#endif\n")
	t.Shift += len(h.New) - len(h.Old)
	return true
}
