package builtins

import (
	"bytes"
	"io"
	"math"
	"strconv"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/vfs"
)

// uniqCommand is one run of uniq.
type uniqCommand struct {
	*call
	count, ignoreCase                       bool
	single, firstRepeated, repeated         bool // which lines are printed
	delimit                                 int  // of -D: 0 none, 1 prepend, 2 separate
	group                                   int  // of --group, -1 for none
	skipFields, skipChars, compare          uint64
	end                                     byte
	previous, field, kept                   []byte // previous points into the block, or is kept
	matches                                 uint64
	groupPrinted, delimitLater, oldStyleNum bool
}

const (
	uniqKeyRepeated = 256 + iota
	uniqKeyGroup
)

const (
	uniqPrepend = iota
	uniqAppend
	uniqSeparate
	uniqBoth
)

func uniqRun(c *call) error {
	u := &uniqCommand{call: c, single: true, firstRepeated: true, group: -1, compare: math.MaxUint64, end: '\n'}
	var files []string
	chosen := false
	rest, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'c', 'd', 'D', uniqKeyRepeated, 'u':
			chosen = true
		case 1:
			if len(p.Value) > 1 && p.Value[0] == '+' {
				if n, status := parseNumber(p.Value, ""); status == numberOK {
					u.skipChars = n
					return nil
				}
			}
			if len(files) == 2 {
				return c.usageErrorf("extra operand %s", quote(p.Value))
			}
			files = append(files, p.Value)
			return nil
		}
		return u.option(p)
	})
	if err != nil {
		return err
	}
	if files = append(files, rest...); len(files) > 2 {
		return c.usageErrorf("extra operand %s", quote(files[2]))
	}
	switch {
	case u.group >= 0 && chosen:
		return c.usageErrorf("--group is mutually exclusive with -c/-d/-D/-u")
	case u.count && u.repeated:
		return c.usageErrorf("printing all duplicated lines and repeat counts is meaningless")
	}
	return u.run(files)
}

func (u *uniqCommand) option(p *getopt.Parser) (err error) {
	switch p.Key {
	case 'c':
		u.count = true
	case 'd':
		u.single = false
	case 'D', uniqKeyRepeated:
		u.single, u.repeated = false, true
		if p.HasValue {
			u.delimit, err = u.argumentMatch("--all-repeated", p.Value, []string{"none", "prepend", "separate"}, nil)
		}
	case uniqKeyGroup:
		u.group = uniqSeparate
		if p.HasValue {
			u.group, err = u.argumentMatch("--group", p.Value, []string{"prepend", "append", "separate", "both"}, nil)
		}
	case 'f':
		u.oldStyleNum = false
		u.skipFields, err = u.amount(p.Value, "invalid number of fields to skip")
	case 'i':
		u.ignoreCase = true
	case 's':
		u.skipChars, err = u.amount(p.Value, "invalid number of bytes to skip")
	case 'u':
		u.firstRepeated = false
	case 'w':
		u.compare, err = u.amount(p.Value, "invalid number of bytes to compare")
	case 'z':
		u.end = 0
	default: // a digit of -N
		if !u.oldStyleNum {
			u.skipFields = 0
		}
		status := numberOK
		u.skipFields, u.oldStyleNum = addDigit(u.skipFields, byte(p.Key-'0'), &status), true
	}
	return err
}

func (u *uniqCommand) amount(text, what string) (uint64, error) {
	n, status := parseNumber(text, "")
	if status == numberInvalid || status == numberBadSuffix {
		return 0, u.fatalf("%s: %s", text, what)
	}
	return n, nil
}

func (u *uniqCommand) run(files []string) error {
	name := "-"
	if len(files) > 0 {
		name = files[0]
	}
	r, done, err := u.open(name)
	if err != nil {
		u.fileError(name, err)
		return nil
	}
	defer done()
	if len(files) > 1 && files[1] != "-" {
		f, err := u.View().Open(u.ctx, files[1], vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
		if err != nil {
			u.fileError(files[1], err)
			return nil
		}
		defer f.Close()
		u.out.Reset(f)
		defer func() {
			u.out.Flush()
			u.out.Reset(u.Stdout)
		}()
	}
	in := lines.NewReader(r, u.Host())
	in.Delim = u.end
	defer in.Close()
	for first := true; ; {
		if u.previous != nil {
			u.keep()
		}
		block, err := in.Block()
		if err == io.EOF {
			break
		}
		if err != nil {
			if u.ends(err) {
				return err
			}
			return u.fatalf("error reading %s", quoteName(name))
		}
		if err := u.ctx.Err(); err != nil {
			return err
		}
		for len(block) > 0 {
			line, rest, _ := bytes.Cut(block, []byte{u.end})
			block = rest
			u.line(line, first)
			first = false
		}
	}
	u.finish()
	return nil
}

// keep copies the line that will be compared with the next block's.
func (u *uniqCommand) keep() {
	if len(u.kept) > 0 && len(u.previous) > 0 && &u.kept[0] == &u.previous[0] {
		return
	}
	u.kept = append(append(u.kept[:0], u.previous...), 0)
	u.previous = u.kept[:len(u.kept)-1]
	u.field = u.compared(u.previous)
}

// compared is the part of a line that counts.
func (u *uniqCommand) compared(line []byte) []byte {
	i := 0
	for n := u.skipFields; n > 0 && i < len(line); n-- {
		i = sortFieldEnd(line, i)
	}
	i += int(min(u.skipChars, uint64(len(line)-i)))
	return line[i : i+int(min(u.compare, uint64(len(line)-i)))]
}

func (u *uniqCommand) same(a, b []byte) bool {
	if len(a) != len(b) {
		return false
	}
	if !u.ignoreCase {
		return bytes.Equal(a, b)
	}
	for i := range a {
		if upperASCII(a[i]) != upperASCII(b[i]) {
			return false
		}
	}
	return true
}

func (u *uniqCommand) line(line []byte, first bool) {
	field := u.compared(line)
	match := !first && u.same(u.field, field)
	if u.single && u.firstRepeated && !u.count {
		u.plain(line, field, match, first)
		return
	}
	if first {
		u.previous, u.field = line, field
		return
	}
	if match {
		u.matches++
	}
	if u.delimit > 0 {
		switch {
		case !match:
			u.delimitLater = u.delimitLater || u.matches > 0
		case u.matches == 1 && (u.delimit == 1 || u.delimitLater):
			u.out.WriteByte(u.end)
		}
	}
	if !match || u.repeated {
		u.write(u.previous, match)
		u.previous, u.field = line, field
		if !match {
			u.matches = 0
		}
	}
}

// plain prints the first of equal lines, or with --group all of them.
func (u *uniqCommand) plain(line, field []byte, match, first bool) {
	if !match && u.group >= 0 {
		before := u.group == uniqPrepend || u.group == uniqBoth
		if before || u.groupPrinted {
			u.out.WriteByte(u.end)
		}
	}
	if !match || u.group >= 0 {
		u.out.Write(line)
		u.out.WriteByte(u.end)
		u.previous, u.field, u.groupPrinted = line, field, true
	}
}

func (u *uniqCommand) write(line []byte, match bool) {
	print := u.single
	if u.matches > 0 {
		if print = u.firstRepeated; match {
			print = u.repeated
		}
	}
	if !print {
		return
	}
	if u.count {
		var digits [24]byte
		text := strconv.AppendUint(digits[:0], u.matches+1, 10)
		for n := len(text); n < 7; n++ {
			u.out.WriteByte(' ')
		}
		u.out.Write(append(text, ' '))
	}
	u.out.Write(line)
	u.out.WriteByte(u.end)
}

func (u *uniqCommand) finish() {
	if u.single && u.firstRepeated && !u.count {
		if (u.group == uniqAppend || u.group == uniqBoth) && u.groupPrinted {
			u.out.WriteByte(u.end)
		}
		return
	}
	if u.previous != nil {
		u.write(u.previous, false)
	}
}

func uniqProgram(string) *program {
	return &program{
		usage: `uniq [OPTION]... [INPUT [OUTPUT]]
Print one of equal adjacent lines of INPUT, or standard input.

  -c, --count              the number of lines before each
  -d, --repeated           only lines that are repeated, once each
  -D                       only lines that are repeated, all of them
      --all-repeated[=METHOD]  the same, groups separated: none, prepend, separate
  -f, --skip-fields=N      do not compare the first N fields
      --group[=METHOD]     all lines, groups separated: separate, prepend, append, both
  -i, --ignore-case        small letters count as capitals
  -s, --skip-chars=N       do not compare the first N bytes (after the fields)
  -u, --unique             only lines that are not repeated
  -w, --check-chars=N      compare N bytes at most
  -z, --zero-terminated    lines end in NUL`,
		options: getopt.Spec{Order: getopt.InOrder, Options: []getopt.Option{
			{Key: 'c', Long: "count"}, {Key: 'd', Long: "repeated"}, {Key: uniqKeyRepeated, Long: "all-repeated", Argument: getopt.Optional},
			{Key: uniqKeyGroup, Long: "group", Argument: getopt.Optional}, {Key: 'i', Long: "ignore-case"}, {Key: 'u', Long: "unique"},
			{Key: 'f', Long: "skip-fields", Argument: getopt.Required}, {Key: 's', Long: "skip-chars", Argument: getopt.Required},
			{Key: 'w', Long: "check-chars", Argument: getopt.Required}, {Key: 'z', Long: "zero-terminated"}, {Key: 'D'},
			{Key: '0'}, {Key: '1'}, {Key: '2'}, {Key: '3'}, {Key: '4'}, {Key: '5'}, {Key: '6'}, {Key: '7'}, {Key: '8'}, {Key: '9'},
		}},
		run: uniqRun,
	}
}
