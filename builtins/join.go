package builtins

import (
	"bytes"
	"io"
	"math"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/vfs"
)

// joinCommand is one run of join.
type joinCommand struct {
	*call
	fields     [2]uint64 // that are joined on, counted from 0
	set        [2]bool   // fields were given
	unpaired   [2]bool   // print lines without partner
	paired     bool
	filler     string
	filled     bool
	ignoreCase bool
	header     bool
	automatic  bool // -o auto
	counts     [2]int
	outputs    []joinOutput
	separator  int // -1: blanks
	end        byte
	order      orderCheck
	unpairable bool
	names      []joinName
	obsoleteJ  [2]int
	files      [2]*joinFile
}

// joinOutput is one FILENUM.FIELD of -o; file 0 is the join field.
type joinOutput struct {
	file  int
	field uint64
}

// joinArgument is what an operand after an option may turn out to be.
type joinArgument uint8

const (
	joinOperand joinArgument = iota
	joinFirstField
	joinSecondField
	joinList
)

type joinName struct {
	text string
	may  joinArgument
}

// joinLine is a line and where its fields are.
type joinLine struct {
	text   []byte
	fields [][2]int
}

type joinFile struct {
	name     string
	in       *lines.Reader
	number   uint64
	previous *joinLine
	reported bool
	seq      []*joinLine // the lines at hand, of equal keys but for the last
	charged  int64
}

const (
	joinKeyCheck = 256 + iota
	joinKeyNoCheck
	joinKeyHeader
)

func joinRun(c *call) error {
	j := &joinCommand{call: c, paired: true, separator: -1, end: '\n'}
	next := joinOperand
	rest, err := c.parse(func(p *getopt.Parser) error {
		previous := next
		next = joinOperand
		return j.option(p, previous, &next)
	})
	if err != nil {
		return err
	}
	for _, name := range rest {
		if err := j.addName(name, joinOperand, &next); err != nil {
			return err
		}
	}
	if len(j.names) < 2 {
		if len(j.names) == 0 {
			return c.usageErrorf("missing operand")
		}
		return c.usageErrorf("missing operand after %s", quote(c.Arguments[len(c.Arguments)-1]))
	}
	for i := range j.obsoleteJ {
		// -j1 without an argument means -j 1.
		if j.obsoleteJ[i] > 0 {
			for k := range j.fields {
				if err := j.setField(k, uint64(i)); err != nil {
					return err
				}
			}
		}
	}
	if j.names[0].text == "-" && j.names[1].text == "-" {
		// GNU's prints the error number that happens to be left over.
		return c.fatalf("both files cannot be standard input: %s", vfs.Words(vfs.ENOENT))
	}
	for i, name := range j.names {
		r, done, err := c.open(name.text)
		if err != nil {
			c.fileError(name.text, err)
			return nil
		}
		defer done()
		f := &joinFile{name: name.text, in: lines.NewReader(r, c.Host())}
		f.in.Delim = j.end
		defer f.in.Close()
		defer func() { c.Host().Release(f.charged) }()
		j.files[i] = f
	}
	return j.run()
}

func (j *joinCommand) option(p *getopt.Parser, previous joinArgument, next *joinArgument) error {
	switch p.Key {
	case 'v', 'a':
		if p.Key == 'v' {
			j.paired = false
		}
		n, status := parseNumber(p.Value, "")
		if status != numberOK || n != 1 && n != 2 {
			return j.fatalf("invalid field number: %s", quote(p.Value))
		}
		j.unpaired[n-1] = true
	case 'e':
		if j.filled && j.filler != p.Value {
			return j.fatalf("conflicting empty-field replacement strings")
		}
		j.filler, j.filled = p.Value, true
	case 'i':
		j.ignoreCase = true
	case '1', '2':
		return j.parseField(p.Value, int(p.Key-'1'))
	case 'j':
		if (p.Value == "1" || p.Value == "2") && p.Attached {
			j.obsoleteJ[p.Value[0]-'1']++
			*next = joinFirstField + joinArgument(p.Value[0]-'1')
			return nil
		}
		if err := j.parseField(p.Value, 0); err != nil {
			return err
		}
		return j.setField(1, j.fields[0])
	case 'o':
		if p.Value == "auto" {
			j.automatic = true
			return nil
		}
		*next = joinList
		return j.addOutputs(p.Value)
	case 't':
		separator := '\n'
		switch {
		case p.Value == `\0`:
			separator = 0
		case len(p.Value) > 1:
			return j.fatalf("multi-character tab %s", quote(p.Value))
		case p.Value != "":
			separator = rune(p.Value[0])
		}
		if j.separator >= 0 && j.separator != int(separator) {
			return j.fatalf("incompatible tabs")
		}
		j.separator = int(separator)
	case 'z':
		j.end = 0
	case joinKeyCheck:
		j.order = orderAlways
	case joinKeyNoCheck:
		j.order = orderNever
	case joinKeyHeader:
		j.header = true
	case 1:
		return j.addName(p.Value, previous, next)
	}
	return nil
}

// addName takes an operand. When a third comes, an earlier one that followed
// -o or -j1 was that option's argument.
func (j *joinCommand) addName(name string, may joinArgument, next *joinArgument) error {
	if len(j.names) == 2 {
		i := 0
		if j.names[0].may == joinOperand {
			i = 1
		}
		other := j.names[i]
		var err error
		switch other.may {
		case joinOperand:
			return j.usageErrorf("extra operand %s", quoteName(name))
		case joinFirstField, joinSecondField:
			k := int(other.may - joinFirstField)
			j.obsoleteJ[k]--
			err = j.parseField(other.text, k)
		case joinList:
			err = j.addOutputs(other.text)
		}
		if err != nil {
			return err
		}
		j.names = append(j.names[:i], j.names[i+1:]...)
	}
	j.names = append(j.names, joinName{name, may})
	if may == joinList {
		*next = joinList
	}
	return nil
}

func (j *joinCommand) fieldNumber(text string) (uint64, error) {
	n, status := parseNumber(text, "")
	if status == numberOverflow {
		n, status = math.MaxUint64, numberOK
	}
	if status != numberOK || n == 0 {
		return 0, j.fatalf("invalid field number: %s", quote(text))
	}
	return n - 1, nil
}

func (j *joinCommand) parseField(text string, file int) error {
	n, err := j.fieldNumber(text)
	if err != nil {
		return err
	}
	return j.setField(file, n)
}

func (j *joinCommand) setField(file int, n uint64) error {
	if j.set[file] && j.fields[file] != n {
		return j.fatalf("incompatible join fields %d, %d", j.fields[file]+1, n+1)
	}
	j.set[file], j.fields[file] = true, n
	return nil
}

func (j *joinCommand) addOutputs(list string) error {
	for _, spec := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
		switch {
		case spec == "0":
			j.outputs = append(j.outputs, joinOutput{})
			continue
		case spec[0] != '0' && spec[0] != '1' && spec[0] != '2':
			return j.fatalf("invalid file number in field spec: %s", quote(spec))
		case spec[0] == '0' || len(spec) < 2 || spec[1] != '.':
			return j.fatalf("invalid field specifier: %s", quote(spec))
		}
		n, err := j.fieldNumber(spec[2:])
		if err != nil {
			return err
		}
		j.outputs = append(j.outputs, joinOutput{int(spec[0] - '0'), n})
	}
	return nil
}

// split finds the fields of a line.
func (j *joinCommand) split(l *joinLine) {
	text := l.text
	switch {
	case len(text) == 0:
	case j.separator == '\n':
		l.fields = append(l.fields, [2]int{0, len(text)})
	case j.separator >= 0:
		for start := 0; ; {
			i := bytes.IndexByte(text[start:], byte(j.separator))
			if i < 0 {
				l.fields = append(l.fields, [2]int{start, len(text)})
				return
			}
			l.fields = append(l.fields, [2]int{start, start + i})
			start += i + 1
		}
	default:
		for i := 0; ; {
			for i < len(text) && sortBlank(text[i]) {
				i++
			}
			// Blanks at the end are followed by an empty field.
			if i == len(text) && len(l.fields) == 0 {
				return
			}
			start := i
			for i < len(text) && !sortBlank(text[i]) {
				i++
			}
			l.fields = append(l.fields, [2]int{start, i})
			if i == len(text) {
				return
			}
		}
	}
}

// field is a field of a line; a missing one, or no line, is empty.
func (l *joinLine) field(n uint64) []byte {
	if l == nil || n >= uint64(len(l.fields)) {
		return nil
	}
	return l.text[l.fields[n][0]:l.fields[n][1]]
}

func (j *joinCommand) compare(a, b *joinLine, fieldA, fieldB uint64) int {
	x, y := a.field(fieldA), b.field(fieldB)
	if !j.ignoreCase {
		return bytes.Compare(x, y)
	}
	for i := 0; i < len(x) && i < len(y); i++ {
		if cx, cy := upperASCII(x[i]), upperASCII(y[i]); cx != cy {
			return int(cx) - int(cy)
		}
	}
	return len(x) - len(y)
}

// read returns the next line of a file, nil at its end.
func (j *joinCommand) read(i int) (*joinLine, error) {
	f := j.files[i]
	text, err := f.in.Next()
	if err == io.EOF {
		return nil, nil
	}
	if err != nil {
		if j.ends(err) {
			return nil, err
		}
		return nil, j.fatalf("read error: %s", vfs.Words(err))
	}
	if f.number++; f.number&0xff == 0 {
		if err := j.ctx.Err(); err != nil {
			return nil, err
		}
	}
	l := &joinLine{text: bytes.Clone(bytes.TrimSuffix(text, []byte{j.end}))}
	j.split(l)
	if f.previous != nil {
		if err := j.check(i, f.previous, l); err != nil {
			return nil, err
		}
	}
	f.previous = l
	return l, nil
}

func (j *joinCommand) check(i int, previous, current *joinLine) error {
	f := j.files[i]
	if j.order == orderNever || j.order == orderDefault && !j.unpairable || f.reported || j.compare(previous, current, j.fields[i], j.fields[i]) <= 0 {
		return nil
	}
	f.reported = true
	j.warnf("%s:%d: is not sorted: %s", f.name, f.number, current.text)
	if j.order == orderAlways {
		return exitWith(1)
	}
	return nil
}

// push adds the next line to those at hand; false at the file's end.
func (j *joinCommand) push(i int) (bool, error) {
	l, err := j.read(i)
	if l == nil || err != nil {
		return false, err
	}
	f := j.files[i]
	if len(f.seq) > 0 {
		size := int64(len(l.text) + 16*len(l.fields) + 64)
		if err := j.Host().Charge(size); err != nil {
			return false, err
		}
		f.charged += size
	}
	f.seq = append(f.seq, l)
	return true, nil
}

// replace goes on to the next line.
func (j *joinCommand) replace(i int) error {
	j.files[i].clear(nil)
	_, err := j.push(i)
	return err
}

// clear forgets the lines at hand, but for one.
func (f *joinFile) clear(but *joinLine) {
	f.seq = f.seq[:0]
	if but != nil {
		f.seq = append(f.seq, but)
	}
}

func (j *joinCommand) run() error {
	a, b := j.files[0], j.files[1]
	for i := range j.files {
		if _, err := j.push(i); err != nil {
			return err
		}
		if j.automatic && len(j.files[i].seq) > 0 {
			j.counts[i] = len(j.files[i].seq[0].fields)
		}
	}
	if j.header && len(a.seq)+len(b.seq) > 0 {
		var first [2]*joinLine
		for i, f := range j.files {
			if len(f.seq) > 0 {
				first[i] = f.seq[0]
			}
		}
		j.write(first[0], first[1])
		for i, f := range j.files {
			f.previous = nil
			if len(f.seq) > 0 {
				if err := j.replace(i); err != nil {
					return err
				}
			}
		}
	}
	for len(a.seq) > 0 && len(b.seq) > 0 {
		order := j.compare(a.seq[0], b.seq[0], j.fields[0], j.fields[1])
		if order != 0 {
			i := 0
			if order > 0 {
				i = 1
			}
			if j.unpaired[i] {
				j.writeUnpaired(i, j.files[i].seq[0])
			}
			if err := j.replace(i); err != nil {
				return err
			}
			j.unpairable = true
			continue
		}
		if err := j.matching(); err != nil {
			return err
		}
	}
	for i := range j.files {
		if err := j.rest(i, len(j.files[1-i].seq) > 0); err != nil {
			return err
		}
	}
	if a.reported || b.reported {
		j.errorf("input is not in sorted order")
	}
	return nil
}

// matching prints every pair of the lines whose keys equal the current one.
func (j *joinCommand) matching() error {
	var next [2]*joinLine
	for i, f := range j.files {
		for {
			more, err := j.push(i)
			if err != nil {
				return err
			}
			if !more {
				break
			}
			last := f.seq[len(f.seq)-1]
			other := j.files[1-i].seq[0]
			if j.compare(last, other, j.fields[i], j.fields[1-i]) != 0 {
				next[i] = last
				f.seq = f.seq[:len(f.seq)-1]
				break
			}
		}
	}
	if j.paired {
		for _, x := range j.files[0].seq {
			for _, y := range j.files[1].seq {
				j.write(x, y)
			}
			if err := j.ctx.Err(); err != nil {
				return err
			}
		}
	}
	for i, f := range j.files {
		f.clear(next[i])
		j.Host().Release(f.charged)
		f.charged = 0
	}
	return nil
}

// rest reads the end of a file whose partner has ended, if only for its order.
func (j *joinCommand) rest(i int, other bool) error {
	f := j.files[i]
	both := j.files[0].reported && j.files[1].reported
	if len(f.seq) == 0 || !j.unpaired[i] && (j.order == orderNever || both) {
		return nil
	}
	if j.unpaired[i] {
		j.writeUnpaired(i, f.seq[0])
	}
	if other {
		j.unpairable = true
	}
	for {
		l, err := j.read(i)
		if l == nil || err != nil {
			return err
		}
		if j.unpaired[i] {
			j.writeUnpaired(i, l)
		} else if f.reported {
			return nil
		}
	}
}

func (j *joinCommand) writeUnpaired(i int, l *joinLine) {
	if i == 0 {
		j.write(l, nil)
	} else {
		j.write(nil, l)
	}
}

// write prints a pair; a missing partner is nil.
func (j *joinCommand) write(a, b *joinLine) {
	separator := byte(' ')
	if j.separator >= 0 {
		separator = byte(j.separator)
	}
	key, keyField := a, j.fields[0]
	if a == nil {
		key, keyField = b, j.fields[1]
	}
	if len(j.outputs) > 0 {
		for i, o := range j.outputs {
			if i > 0 {
				j.out.WriteByte(separator)
			}
			switch o.file {
			case 0:
				j.writeField(key, keyField)
			case 1:
				j.writeField(a, o.field)
			case 2:
				j.writeField(b, o.field)
			}
		}
	} else {
		j.writeField(key, keyField)
		for i, l := range [2]*joinLine{a, b} {
			n := j.counts[i]
			if !j.automatic && l != nil {
				n = len(l.fields)
			}
			for k := range n {
				if uint64(k) != j.fields[i] {
					j.out.WriteByte(separator)
					j.writeField(l, uint64(k))
				}
			}
		}
	}
	j.out.WriteByte(j.end)
}

func (j *joinCommand) writeField(l *joinLine, n uint64) {
	if text := l.field(n); len(text) > 0 {
		j.out.Write(text)
	} else {
		j.out.WriteString(j.filler)
	}
}

func joinProgram(string) *program {
	return &program{
		usage: `join [OPTION]... FILE1 FILE2
Print a line for each pair of lines whose join fields are equal: that field, then
the others of FILE1 and of FILE2. Both files are sorted on the field.

  -a FILENUM               lines of that file without partner too
  -e STRING                STRING for what is empty or missing
  -i, --ignore-case        small letters count as capitals
  -j FIELD                 same as -1 FIELD -2 FIELD
  -o FORMAT                print these: a list of FILENUM.FIELD or 0, the join
                           field; "auto": as many fields as the first lines have
  -t CHAR                  fields are separated by CHAR, not blanks
  -v FILENUM               only lines of that file without partner
  -1 FIELD, -2 FIELD       the join field of that file
      --check-order        end when a file is not sorted
      --nocheck-order      do not look at the order
      --header             the first lines are headers
  -z, --zero-terminated    lines end in NUL`,
		options: getopt.Spec{Order: getopt.InOrder, Options: []getopt.Option{
			{Key: 'i', Long: "ignore-case"}, {Key: joinKeyCheck, Long: "check-order"}, {Key: joinKeyNoCheck, Long: "nocheck-order"},
			{Key: 'z', Long: "zero-terminated"}, {Key: joinKeyHeader, Long: "header"}, {Key: 'a', Argument: getopt.Required},
			{Key: 'e', Argument: getopt.Required}, {Key: '1', Argument: getopt.Required}, {Key: '2', Argument: getopt.Required},
			{Key: 'j', Argument: getopt.Required}, {Key: 'o', Argument: getopt.Required}, {Key: 't', Argument: getopt.Required},
			{Key: 'v', Argument: getopt.Required},
		}},
		run: joinRun,
	}
}
