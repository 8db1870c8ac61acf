// Package printf is the engine of bash's printf builtin and of coreutils'
// printf: formats with all conversions, reuse of the format, numbers with the
// precision of C's long double.
package printf

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Config is what a run needs of its surroundings.
type Config struct {
	// GNU chooses coreutils' dialect over bash's.
	GNU bool
	// Out should be buffered by the caller.
	Out io.Writer
	// Error reports one line, without the command's name.
	Error func(message string)
	// Quote is %q's quoting.
	Quote func(s string) string
	// Now, Started and Strftime serve bash's %(FORMAT)T.
	Now      func() time.Time
	Started  time.Time
	Strftime func(format string, t time.Time) string
	// Assign serves bash's %n.
	Assign func(name, value string) error
	// Poll is asked once a round of the format and once a block of padding; its
	// error ends the run. It may be nil.
	Poll func() error
}

// run is one call.
type run struct {
	*Config
	args    []string
	next    int
	status  int
	written int
	stop    bool // \c, or an error that ends the output
	err     error
}

// Run writes args by format, again and again while arguments are left and the
// format takes some. The status is 0 or 1; the error is Out's or Poll's.
func Run(c *Config, format string, args []string) (status int, err error) {
	r := &run{Config: c, args: args}
	for {
		if r.Poll != nil {
			if err := r.Poll(); err != nil {
				return 1, err
			}
		}
		before := r.next
		r.format(format)
		if r.stop || r.err != nil || r.next >= len(r.args) {
			break
		}
		if r.next == before {
			if r.GNU {
				r.Error("warning: ignoring excess arguments, starting with ‘" + r.args[r.next] + "’")
			}
			break
		}
	}
	return r.status, r.err
}

func (r *run) fail(format string, args ...any) {
	r.status = 1
	r.Error(fmt.Sprintf(format, args...))
}

func (r *run) write(s string) {
	if r.err != nil {
		return
	}
	r.written += len(s)
	_, r.err = io.WriteString(r.Out, s)
}

const blanks = "                                                                "
const zeros = "0000000000000000000000000000000000000000000000000000000000000000"

// pad writes n times the character that of is made of, in blocks.
func (r *run) pad(of string, n int) {
	for n > 0 && r.err == nil {
		k := min(n, len(of))
		r.write(of[:k])
		n -= k
		if n&0xffff < len(of) && r.Poll != nil && r.err == nil {
			r.err = r.Poll()
		}
	}
}

// spec is one conversion: %[flags][width][.precision]verb.
type spec struct {
	minus, plus, space, alt, zero, group bool
	width                                int
	precision                            int // -1: none
	verb                                 byte
	text                                 string // as written, for messages
}

func (r *run) format(f string) {
	for i := 0; i < len(f) && !r.stop && r.err == nil; {
		k := strings.IndexAny(f[i:], `\%`)
		if k < 0 {
			r.write(f[i:])
			return
		}
		r.write(f[i : i+k])
		i += k
		if f[i] == '\\' {
			i++
			i += r.formatEscape(f[i:])
			continue
		}
		i++
		if strings.HasPrefix(f[i:], "%") {
			r.write("%")
			i++
			continue
		}
		n, ok := r.conversion(f[i:])
		if !ok {
			r.stop = true
			return
		}
		i += n
	}
}

// formatEscape writes an escape of the format.
func (r *run) formatEscape(s string) int {
	var b strings.Builder
	n, end, message := Escape(&b, s, Escapes{GNU: r.GNU, Format: true})
	r.write(b.String())
	if message != "" {
		r.escapeError(message)
	}
	if end {
		r.stop = true
	}
	return n
}

// escapeError reports a bad escape; only coreutils minds.
func (r *run) escapeError(message string) {
	r.Error(message)
	if r.GNU {
		r.status, r.stop = 1, true
	}
}

// conversion runs one conversion specification, given without its %.
func (r *run) conversion(f string) (n int, ok bool) {
	s := spec{precision: -1}
	i := 0
flags:
	for ; i < len(f); i++ {
		switch f[i] {
		case '-':
			s.minus = true
		case '+':
			s.plus = true
		case ' ':
			s.space = true
		case '#':
			s.alt = true
		case '0':
			s.zero = true
		case '\'':
			s.group = true
		case 'I':
			if !r.GNU {
				break flags
			}
		default:
			break flags
		}
	}
	i += r.size(f[i:], &s.width)
	if s.width < 0 {
		s.minus, s.width = true, -s.width
	}
	if i < len(f) && f[i] == '.' {
		i++
		s.precision = 0
		i += r.size(f[i:], &s.precision)
		if s.precision < 0 {
			s.precision = -1
		}
	}
	for i < len(f) && strings.IndexByte("hjlLtz", f[i]) >= 0 {
		i++
	}
	if !r.GNU && i < len(f) && f[i] == '(' {
		if end := strings.IndexByte(f[i:], ')'); end > 0 && i+end+1 < len(f) && f[i+end+1] == 'T' {
			r.date(&s, f[i+1:i+end])
			return i + end + 2, true
		}
		r.Error("warning: `" + afterTimeFormat(f[i+1:]) + "': invalid time format specification")
		r.write("%")
		return 0, true
	}
	if i >= len(f) {
		if r.GNU {
			r.fail("%%%s: invalid conversion specification", f)
		} else {
			r.fail("`%%%s': missing format character", f)
		}
		return i, false
	}
	s.verb = f[i]
	s.text = f[:i+1]
	i++
	return i, r.convert(&s)
}

// afterTimeFormat is the character where the T of "%(…)T" should stand; beyond
// the end of the format it is a NUL.
func afterTimeFormat(f string) string {
	depth := 1
	for i := range len(f) {
		switch f[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 && i+1 < len(f) {
			return f[i+1 : i+2]
		}
	}
	return "\x00"
}

// size reads a width or precision: digits, or * for the next argument.
func (r *run) size(f string, into *int) int {
	if strings.HasPrefix(f, "*") {
		n := r.integer()
		*into = int(max(min(n, 1<<31-1), -1<<31+1))
		return 1
	}
	i, n := 0, 0
	for i < len(f) && f[i] >= '0' && f[i] <= '9' {
		n = min(n*10+int(f[i]-'0'), 1<<31-1)
		i++
	}
	if i > 0 {
		*into = n
	}
	return i
}

// arg is the next argument.
func (r *run) arg() (string, bool) {
	if r.next >= len(r.args) {
		return "", false
	}
	r.next++
	return r.args[r.next-1], true
}

func (r *run) convert(s *spec) bool {
	if r.GNU && !gnuAllows(s) {
		r.fail("%%%s: invalid conversion specification", s.text)
		return false
	}
	switch s.verb {
	case 'd', 'i':
		r.signed(s, r.integer())
	case 'o', 'u', 'x', 'X':
		r.unsigned(s, r.unsignedInteger())
	case 'a', 'A', 'e', 'E', 'f', 'F', 'g', 'G':
		r.float(s, r.floatArgument())
	case 'c':
		a, _ := r.arg()
		if a == "" {
			a = "\x00"
		}
		r.field(s, a[:1])
	case 's':
		a, _ := r.arg()
		r.field(s, r.cut(s, a))
	case 'b':
		a, _ := r.arg()
		var b strings.Builder
		end, message := Expand(&b, a, r.GNU)
		r.field(s, r.cut(s, b.String()))
		if message != "" {
			r.escapeError(message)
		}
		r.stop = r.stop || end
	case 'q':
		a, _ := r.arg()
		r.field(s, r.cut(s, r.Quote(a)))
	case 'Q':
		if r.GNU {
			r.fail("%%%s: invalid conversion specification", s.text)
			return false
		}
		a, _ := r.arg()
		r.field(s, r.Quote(r.cut(s, a)))
	case 'n':
		if r.GNU {
			r.fail("%%%s: invalid conversion specification", s.text)
			return false
		}
		if a, ok := r.arg(); ok && r.Assign != nil {
			if err := r.Assign(a, fmt.Sprint(r.written)); err != nil {
				r.fail("%s", err)
				return false
			}
		}
	default:
		if r.GNU {
			r.fail("%%%s: invalid conversion specification", s.text)
		} else {
			r.fail("`%c': invalid format character", s.verb)
		}
		return false
	}
	return true
}

// gnuAllows reports whether coreutils takes the flags with the verb.
func gnuAllows(s *spec) bool {
	switch s.verb {
	case 'd', 'i', 'u':
		return !s.alt
	case 'o', 'x', 'X', 'a', 'A', 'e', 'E':
		return !s.group
	case 'f', 'F', 'g', 'G':
		return true
	case 'c':
		return !s.zero && !s.group && !s.alt && s.precision < 0
	case 's':
		return !s.zero && !s.group && !s.alt
	case 'b', 'q':
		return s.text == string(s.verb)
	}
	return false
}

// cut applies a precision, which counts bytes.
func (r *run) cut(s *spec, text string) string {
	if s.precision < 0 {
		return text
	}
	return text[:min(len(text), s.precision)]
}

// field writes text in its width, which counts bytes.
func (r *run) field(s *spec, text string) {
	width := len(text)
	if !s.minus {
		r.pad(blanks, s.width-width)
	}
	r.write(text)
	if s.minus {
		r.pad(blanks, s.width-width)
	}
}

// date is bash's %(FORMAT)T: seconds of the epoch, -1 now, -2 the shell's start.
func (r *run) date(s *spec, format string) {
	when := r.Now()
	if r.next < len(r.args) {
		switch n := r.integer(); n {
		case -1:
		case -2:
			when = r.Started
		default:
			when = time.Unix(n, 0)
		}
	}
	if format == "" {
		format = "%X"
	}
	text := r.Strftime(format, when)
	s.verb = 's'
	r.field(s, r.cut(s, text))
}
