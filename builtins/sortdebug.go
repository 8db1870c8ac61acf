package builtins

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/internal/printf"
	"github.com/vsh-project/vsh/internal/width"
)

// debugged says on stderr how --debug understands the keys.
func (s *sortCommand) debugged(globalOnly bool) error {
	switch {
	case s.check != 0:
		return s.fatalf("options '-%c --debug' are incompatible", s.check)
	case s.written:
		return s.fatalf("options '-o --debug' are incompatible")
	}
	rules := "simple byte comparison"
	for _, name := range [...]string{"LC_ALL", "LC_COLLATE", "LANG"} {
		if value, _ := s.Getenv(name); value != "" {
			if value != "C" && value != "POSIX" {
				rules = quote(value) + " sorting rules"
			}
			break
		}
	}
	s.warnf("text ordering performed using %s", rules)
	unused := s.global.sortOptions
	numeric, spans, generalSpans := false, false, false
	for i := range s.keys {
		k, n := &s.keys[i], strconv.Itoa(i+1)
		numeric = numeric || k.isNumber()
		if k.obsolete {
			s.warnf("%s", k.modern())
		}
		empty := k.startField != math.MaxUint64 && k.endField < k.startField
		if empty {
			s.warnf("key %s has zero width and will be ignored", n)
		}
		oneField := k.endField == 0 && k.endChar != 0
		skips := k.isNumber() || k.month
		if !empty && !globalOnly && s.separator < 0 && !oneField &&
			(!k.skipStart && (!skips || k.startChar > 0) || !k.skipEnd && k.endChar > 0) {
			s.warnf("leading blanks are significant in key %s; consider also specifying 'b'", n)
		}
		if !globalOnly && k.isNumber() {
			start := k.startField
			if start == math.MaxUint64 {
				start = 0
			}
			if k.endField == math.MaxUint64 || start < k.endField {
				s.warnf("key %s is numeric and spans multiple fields", n)
				generalSpans = generalSpans || k.general
				spans = true
			}
		}
		unused.without(&k.sortOptions)
	}
	sign := ""
	switch {
	case !spans:
	case s.separator == '.':
		sign = "decimal point"
	case s.separator == '-':
		sign = "minus sign"
	case s.separator == '+' && generalSpans:
		sign = "plus sign"
	}
	if sign != "" {
		s.warnf("field separator %s is treated as a %s in numbers", quote(string(rune(s.separator))), sign)
	}
	if numeric && sign != "decimal point" {
		s.warnf("note numbers use %s as a decimal point in this locale", quote("."))
	}
	last := !s.stable && !s.unique
	if !unused.plain() || unused.reverse && !last && len(s.keys) > 0 {
		ignored := unused
		ignored.reverse = unused.reverse && !last
		plural := "option '-%s' is ignored"
		letters := ignored.allLetters()
		if len(letters) > 1 {
			plural = "options '-%s' are ignored"
		}
		s.warnf(plural, letters)
	}
	if unused.reverse && last && len(s.keys) > 0 {
		s.warnf("option '-r' only applies to last-resort comparison")
	}
	return nil
}

func (o *sortOptions) isNumber() bool { return o.numeric || o.general || o.human }

// without drops the options that a key has.
func (o *sortOptions) without(key *sortOptions) {
	if o.dictionary == key.dictionary && (o.dictionary || o.printing == key.printing) {
		o.dictionary, o.printing = false, false
	}
	o.skipStart = o.skipStart && !key.skipStart
	o.skipEnd = o.skipEnd && !key.skipEnd
	o.fold = o.fold && !key.fold
	o.general = o.general && !key.general
	o.human = o.human && !key.human
	o.month = o.month && !key.month
	o.numeric = o.numeric && !key.numeric
	o.random = o.random && !key.random
	o.reverse = o.reverse && !key.reverse
	o.version = o.version && !key.version
}

// allLetters is letters with b and r.
func (o *sortOptions) allLetters() string {
	s := o.letters()
	if o.reverse {
		s = strings.TrimSuffix(s, "V") + "r"
		if o.version {
			s += "V"
		}
	}
	if o.skipStart || o.skipEnd {
		s = "b" + s
	}
	return s
}

// modern is how +POS1 -POS2 would be written today.
func (k *sortKey) modern() string {
	start := k.startField
	if start == math.MaxUint64 {
		start = 0
	}
	number := func(n uint64) string { return strconv.FormatUint(n, 10) }
	old, new := "+"+number(start), "-k "+number(start+1)
	if k.endField != math.MaxUint64 {
		old += " -" + number(k.endField+1)
		new += "," + number(k.endField+1)
	}
	return "obsolescent key " + quote(old) + " used; consider " + quote(new) + " instead"
}

// writeMarked writes a line without its end, with a mark under each key.
func (o *sortOutput) writeMarked(line []byte) error {
	s := o.sortCommand
	if err := o.write(bytes.ReplaceAll(line, []byte{'\t'}, []byte{'>'})); err != nil {
		return err
	}
	err := o.write([]byte{'\n'})
	mark := func(start, end int) {
		if err == nil {
			err = o.mark(sortWidth(line[:start]), sortWidth(line[start:max(start, end)]))
		}
	}
	for i := range s.keys {
		k := &s.keys[i]
		start := k.start(line, s.separator)
		end := max(start, k.end(line, s.separator))
		if k.skipStart && k.startField == math.MaxUint64 || k.month || k.isNumber() {
			for start < end && sortBlank(line[start]) {
				start++
			}
			end = start + k.matched(line[start:end])
		}
		mark(start, end)
	}
	if len(s.keys) == 0 || !s.unique && !s.stable {
		mark(0, len(line))
	}
	return err
}

// mark underlines width columns after offset others.
func (o *sortOutput) mark(offset, width int) error {
	if err := o.repeat(' ', offset); err != nil {
		return err
	}
	if width == 0 {
		return o.write([]byte("^ no match for key\n"))
	}
	if err := o.repeat('_', width); err != nil {
		return err
	}
	return o.write([]byte{'\n'})
}

func (o *sortOutput) repeat(c byte, n int) error {
	block := bytes.Repeat([]byte{c}, min(n, 4096))
	for ; n > 0; n -= len(block) {
		block = block[:min(n, len(block))]
		if err := o.write(block); err != nil {
			return err
		}
	}
	return o.ctx.Err()
}

// matched is how much of text, which starts with no blank, is read as a number
// or month.
func (k *sortKey) matched(text []byte) int {
	switch {
	case k.month:
		if monthNumber(text) > 0 {
			return 3
		}
		return 0
	case k.general:
		_, rest, _ := printf.ParseLongDouble(string(text[:min(len(text), generalMost)]))
		return min(len(text), generalMost) - len(rest)
	case k.isNumber():
		d := parseDecimal(text)
		n := len(text) - len(d.rest)
		if !bytes.ContainsAny(text[:n], "0123456789") {
			return 0
		}
		if k.human && len(d.rest) > 0 && strings.IndexByte("KMGTPEZYk", d.rest[0]) >= 0 {
			n++
		}
		return n
	}
	return len(text)
}

// sortWidth is how many columns text takes when a TAB takes one.
func sortWidth(text []byte) int { return width.String(string(text)) + bytes.Count(text, []byte{'\t'}) }
