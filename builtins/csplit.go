package builtins

import (
	"bufio"
	"bytes"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/regex"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// csplitCommand is one run of csplit.
type csplitCommand struct {
	*call
	prefix   string
	format   *csplitFormat
	digits   int
	keep     bool
	quiet    bool
	elide    bool
	suppress bool // the lines that match are left out
	controls []csplitControl

	text    []byte
	starts  []int // of the lines; the last one is the text's end
	first   int   // the first line that has not been written, from 0
	current int   // the line that the last pattern has matched, from 1

	files  []string
	w      *bufio.Writer
	file   vfs.File
	length int64
}

// csplitControl is one operand: a line's number, or an expression.
type csplitControl struct {
	operand string
	line    uint64
	match   *regex.Finder
	ignore  bool
	offset  int64
	repeat  uint64
	forever bool
}

const csplitKeySuppress = 256

func csplitRun(c *call) error {
	s := &csplitCommand{call: c, prefix: "xx", digits: 2}
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'b':
			return s.parseFormat(p.Value)
		case 'f':
			s.prefix = p.Value
		case 'k':
			s.keep = true
		case 'n':
			n, err := s.number(p.Value, 0, math.MaxInt32, "", "invalid number")
			s.digits = int(min(n, csplitWidest))
			return err
		case 's', 'q':
			s.quiet = true
		case 'z':
			s.elide = true
		case csplitKeySuppress:
			s.suppress = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	switch len(operands) {
	case 0:
		return c.usageErrorf("missing operand")
	case 1:
		return c.usageErrorf("missing operand after %s", quote(c.Arguments[len(c.Arguments)-1]))
	}
	r, done, err := c.open(operands[0])
	if err != nil {
		return c.fatalf("cannot open %s for reading: %s", quoteName(operands[0]), vfs.Words(err))
	}
	defer done()
	if err := s.parseControls(operands[1:]); err != nil {
		return err
	}
	text, release, err := c.readWhole(r)
	defer release()
	if err != nil {
		if c.ends(err) {
			return err
		}
		c.errorf("read error: %s", vfs.Words(err))
		s.create()
		return s.fail(exitWith(1))
	}
	count := bytes.Count(text, []byte{'\n'}) + 2
	if err := c.Host().Charge(int64(count) * 8); err != nil {
		return err
	}
	defer c.Host().Release(int64(count) * 8)
	s.text, s.starts = text, make([]int, 0, count)
	for at := 0; at < len(text); {
		s.starts = append(s.starts, at)
		n := bytes.IndexByte(text[at:], '\n') + 1
		if n == 0 {
			n = len(text) - at
		}
		at += n
	}
	s.starts = append(s.starts, len(text))
	if err := s.split(); err != nil {
		return s.fail(err)
	}
	return nil
}

// fail closes the last file and removes all unless they are to be kept.
func (s *csplitCommand) fail(err error) error {
	if err == errDone {
		return nil
	}
	s.closeFile()
	if !s.keep {
		for _, name := range s.files {
			s.View().Unlink(s.ctx, name)
		}
	}
	return err
}

// complain prints an error line that does not wait for what stands in stdout's
// buffer, as GNU's does.
func (s *csplitCommand) complain(message string) error {
	io.WriteString(s.Stderr, s.label()+": "+message+"\n")
	return command.ExitError(1)
}

func (s *csplitCommand) lines() int { return len(s.starts) - 1 }

func (s *csplitCommand) split() error {
	for i := range s.controls {
		c := &s.controls[i]
		for j := uint64(0); c.forever || j <= c.repeat; j++ {
			err := s.ctx.Err()
			if err == nil && c.match != nil {
				err = s.toMatch(c, j)
			} else if err == nil {
				err = s.toLine(c, j)
			}
			if err != nil {
				return err
			}
		}
	}
	if err := s.create(); err != nil {
		return err
	}
	if err := s.save(s.lines()); err != nil {
		return err
	}
	return s.closeFile()
}

func (s *csplitCommand) toLine(c *csplitControl, repetition uint64) error {
	outOfRange := func() error {
		message := quote(strconv.FormatUint(c.line, 10)) + ": line number out of range"
		if repetition > 0 {
			message += " on repetition " + strconv.FormatUint(repetition, 10)
		}
		return s.complain(message)
	}
	if err := s.create(); err != nil {
		return err
	}
	if s.first >= s.lines() {
		s.keep, s.quiet = true, true
		return s.complain("input disappeared")
	}
	last := uint64(math.MaxUint64)
	if c.line < math.MaxInt64/(repetition+1) {
		last = c.line * (repetition + 1)
	}
	if last-1 > uint64(s.lines()) {
		if err := s.save(s.lines()); err != nil {
			return err
		}
		return outOfRange()
	}
	if err := s.save(int(last - 1)); err != nil {
		return err
	}
	if err := s.closeFile(); err != nil {
		return err
	}
	if s.suppress {
		s.first = min(s.first+1, s.lines())
		return nil
	}
	if s.first >= s.lines() {
		return outOfRange()
	}
	return nil
}

func (s *csplitCommand) toMatch(c *csplitControl, repetition uint64) error {
	if !c.ignore {
		if err := s.create(); err != nil {
			return err
		}
	}
	s.current = max(s.current, s.first)
	for {
		s.current++
		if s.current > s.lines() {
			if c.forever {
				if !c.ignore {
					if err := s.save(s.lines()); err != nil {
						return err
					}
					if err := s.closeFile(); err != nil {
						return err
					}
				}
				return errDone
			}
			message := quote(c.operand) + ": match not found"
			if repetition > 0 {
				message += " on repetition " + strconv.FormatUint(repetition, 10)
			}
			err := s.complain(message)
			if !c.ignore {
				s.save(s.lines())
			}
			return err
		}
		if s.current&0xff == 0 {
			if err := s.ctx.Err(); err != nil {
				return err
			}
		}
		line := bytes.TrimSuffix(s.text[s.starts[s.current-1]:s.starts[s.current]], []byte{'\n'})
		if c.match.Match(line) {
			break
		}
		if err := c.match.Err(); err != nil {
			return err
		}
	}
	end := int64(s.current) + c.offset
	outOfRange := end-1 > int64(s.lines()) || int64(s.first)+1 > end
	if end > int64(s.first) {
		to := int(min(end-1, int64(s.lines())))
		if c.ignore {
			s.first = to
		} else if err := s.save(to); err != nil {
			return err
		}
	}
	if outOfRange {
		s.warnf("%s: line number out of range", quote(c.operand))
		return command.ExitError(1)
	}
	if !c.ignore {
		if err := s.closeFile(); err != nil {
			return err
		}
	}
	if c.offset > 0 {
		s.current = int(end)
	}
	if s.suppress {
		s.first = min(s.first+1, s.lines())
	}
	return nil
}

// save writes the lines before end that are left.
func (s *csplitCommand) save(end int) error {
	if end <= s.first {
		return nil
	}
	text := s.text[s.starts[s.first]:s.starts[end]]
	s.first = end
	s.length += int64(len(text))
	for len(text) > 0 {
		n := min(len(text), 64<<10)
		if _, err := s.w.Write(text[:n]); err != nil {
			return s.fileFailed(err)
		}
		if err := s.ctx.Err(); err != nil {
			return err
		}
		text = text[n:]
	}
	return nil
}

func (s *csplitCommand) fileFailed(err error) error {
	if s.ctx.Err() != nil {
		return s.ctx.Err()
	}
	return s.fatalf("%s: %s", quoteFile(s.files[len(s.files)-1]), vfs.Words(err))
}

func (s *csplitCommand) create() error {
	name := s.prefix
	if s.format != nil {
		name += s.format.name(len(s.files))
	} else {
		name += (&csplitFormat{verb: 'd', precision: max(s.digits, 1)}).name(len(s.files))
	}
	f, err := s.View().Open(s.ctx, name, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
	if err != nil {
		if s.ctx.Err() != nil {
			return err
		}
		return s.fatalf("%s: %s", quoteFile(name), vfs.Words(err))
	}
	s.files = append(s.files, name)
	s.file, s.w, s.length = f, bufio.NewWriter(f), 0
	return nil
}

func (s *csplitCommand) closeFile() error {
	if s.file == nil {
		return nil
	}
	err := s.w.Flush()
	if closed := s.file.Close(); err == nil {
		err = closed
	}
	s.file = nil
	if err != nil {
		return s.fileFailed(err)
	}
	if s.length == 0 && s.elide {
		last := len(s.files) - 1
		name := s.files[last]
		s.files = s.files[:last]
		return s.View().Unlink(s.ctx, name)
	}
	if !s.quiet {
		s.out.WriteString(strconv.FormatInt(s.length, 10) + "\n")
	}
	return nil
}

func (s *csplitCommand) parseControls(operands []string) error {
	previous := uint64(0)
	for i := 0; i < len(operands); i++ {
		text := operands[i]
		c := csplitControl{operand: text}
		if strings.HasPrefix(text, "/") || strings.HasPrefix(text, "%") {
			if err := s.expression(&c); err != nil {
				return err
			}
		} else {
			n, bad := parseNumber(text, "")
			switch {
			case bad != numberOK:
				return s.fatalf("%s: invalid pattern", quote(text))
			case n == 0:
				return s.fatalf("%s: line number must be greater than zero", text)
			case n < previous:
				return s.fatalf("line number %s is smaller than preceding line number, %d", quote(text), previous)
			case n == previous:
				s.warnf("warning: line number %s is the same as preceding line number", quote(text))
			}
			c.line, previous = n, n
		}
		if i+1 < len(operands) && strings.HasPrefix(operands[i+1], "{") {
			i++
			count, closed := strings.CutSuffix(operands[i][1:], "}")
			if !closed {
				return s.fatalf("%s: '}' is required in repeat count", quote(operands[i]))
			}
			if count == "*" {
				c.forever = true
			} else {
				n, bad := parseNumber(count, "")
				if bad != numberOK {
					return s.fatalf("%s}: integer required between '{' and '}'", quote(strings.TrimSuffix(operands[i], "}")))
				}
				c.repeat = n
			}
		}
		s.controls = append(s.controls, c)
	}
	return nil
}

func (s *csplitCommand) expression(c *csplitControl) error {
	text := c.operand
	end := strings.LastIndexByte(text, text[0])
	if end == 0 {
		return s.fatalf("%s: closing delimiter '%c' missing", text, text[0])
	}
	c.ignore = text[0] == '%'
	if rest := text[end+1:]; rest != "" {
		negative := strings.HasPrefix(rest, "-")
		n, bad := parseNumber(strings.TrimPrefix(rest, "-"), "")
		if bad != numberOK || n > math.MaxInt64/2 || negative && strings.HasPrefix(rest, "-+") {
			return s.fatalf("%s: integer expected after delimiter", quote(text))
		}
		if c.offset = int64(n); negative {
			c.offset = -c.offset
		}
	}
	m, err := regex.Compile(text[1:end], regex.Options{Syntax: regex.POSIXBasic})
	if err != nil {
		return s.fatalf("%s: invalid regular expression: %s", quote(text), err)
	}
	c.match = m.Finder(s.ctx)
	return nil
}

// csplitFormat is -b: a conversion of printf and what stands around it.
type csplitFormat struct {
	before, after string
	left, zero    bool
	alternate     bool
	width         int
	precision     int // -1: none
	verb          byte
}

// csplitWidest bounds a number in a name, which would be too long anyway.
const csplitWidest = 1000

func (s *csplitCommand) parseFormat(text string) error {
	var f *csplitFormat
	var literal strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '%' || strings.HasPrefix(text[i:], "%%") {
			if text[i] == '%' {
				i++
			}
			literal.WriteByte(text[i])
			continue
		}
		if f != nil {
			return s.fatalf("too many %% conversion specifications in suffix")
		}
		f = &csplitFormat{before: literal.String(), precision: -1}
		literal.Reset()
		for i++; i < len(text) && strings.IndexByte("-0'#", text[i]) >= 0; i++ {
			f.left = f.left || text[i] == '-'
			f.zero = f.zero || text[i] == '0'
			f.alternate = f.alternate || text[i] == '#'
		}
		digits := func() int {
			n := 0
			for ; i < len(text) && versionDigit(text[i]); i++ {
				n = min(n*10+int(text[i]-'0'), csplitWidest)
			}
			return n
		}
		f.width = digits()
		if i < len(text) && text[i] == '.' {
			i++
			f.precision = digits()
		}
		if i == len(text) {
			return s.fatalf("missing conversion specifier in suffix")
		}
		f.verb = text[i]
		switch {
		case strings.IndexByte("diuoxX", f.verb) >= 0:
		case f.verb < ' ' || f.verb > '~':
			return s.fatalf("invalid conversion specifier in suffix: \\%.3o", f.verb)
		default:
			return s.fatalf("invalid conversion specifier in suffix: %c", f.verb)
		}
		if f.alternate && strings.IndexByte("diu", f.verb) >= 0 {
			return s.fatalf("invalid flags in conversion specification: %%#%c", f.verb)
		}
	}
	if f == nil {
		return s.fatalf("missing %% conversion specification in suffix")
	}
	f.after = literal.String()
	s.format = f
	return nil
}

func (f *csplitFormat) name(n int) string {
	base, prefix := 10, ""
	switch f.verb {
	case 'o':
		base = 8
	case 'x', 'X':
		base = 16
	}
	digits := strconv.FormatInt(int64(n), base)
	if n == 0 && f.precision == 0 {
		digits = ""
	}
	if f.alternate && base == 16 && n != 0 {
		prefix = "0x"
	}
	digits = strings.Repeat("0", max(0, f.precision-len(digits))) + digits
	if f.alternate && base == 8 && !strings.HasPrefix(digits, "0") {
		digits = "0" + digits
	}
	padding := max(0, f.width-len(prefix)-len(digits))
	switch {
	case f.left:
		digits = prefix + digits + strings.Repeat(" ", padding)
	case f.zero && f.precision < 0:
		digits = prefix + strings.Repeat("0", padding) + digits
	default:
		digits = strings.Repeat(" ", padding) + prefix + digits
	}
	if f.verb == 'X' {
		digits = strings.ToUpper(digits)
	}
	return f.before + digits + f.after
}

func csplitProgram(string) *program {
	return &program{
		usage: `csplit [OPTION]... FILE PATTERN...
Write pieces of FILE ("-" is standard input) to xx00, xx01 and so on, and print
their sizes in bytes.

  -b, --suffix-format=FORMAT  FORMAT of printf for the numbers, instead of %02d
  -f, --prefix=PREFIX   PREFIX instead of xx
  -k, --keep-files      keep the pieces in spite of an error
      --suppress-matched  leave out the lines that match
  -n, --digits=N        N digits instead of 2
  -s, -q, --quiet, --silent  print no sizes
  -z, --elide-empty-files  no empty files

A PATTERN ends a piece:
  NUMBER          before this line
  /REGEX/[OFFSET] before a line that matches, so many lines later
  %REGEX%[OFFSET] so, but this piece is not written
  {NUMBER}        the last pattern so many times more; {*}: while it matches`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 's', Long: "silent"}, {Key: 'b', Long: "suffix-format", Argument: getopt.Required}, {Key: 'f', Long: "prefix", Argument: getopt.Required},
			{Key: 'k', Long: "keep-files"}, {Key: 'n', Long: "digits", Argument: getopt.Required}, {Key: 'q', Long: "quiet"},
			{Key: 'z', Long: "elide-empty-files"}, {Key: csplitKeySuppress, Long: "suppress-matched"},
		}},
		run: csplitRun,
	}
}
