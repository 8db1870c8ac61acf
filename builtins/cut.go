package builtins

import (
	"bytes"
	"io"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
)

// cutCommand is one run of cut.
type cutCommand struct {
	*call
	list      fieldList
	fields    bool
	delimiter byte
	separator []byte // written between what is selected
	separate  bool   // --output-delimiter was given
	only      bool   // -s
	end       byte
	row       []byte
}

const (
	cutKeyComplement = 256 + iota
	cutKeyOutput
)

func cutRun(c *call) error {
	k := &cutCommand{call: c, delimiter: '\t', end: '\n'}
	var spec string
	var given, delimited bool
	rules := fieldListRules{positions: true}
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'b', 'c', 'f':
			if given {
				return c.usageErrorf("only one list may be specified")
			}
			given, spec = true, p.Value
			if p.Key == 'f' {
				k.fields, rules.positions = true, false
			}
		case 'd':
			if len(p.Value) > 1 {
				return c.usageErrorf("the delimiter must be a single character")
			}
			k.delimiter, delimited = 0, true
			if p.Value != "" {
				k.delimiter = p.Value[0]
			}
		case 's':
			k.only = true
		case 'z':
			k.end = 0
		case cutKeyComplement:
			rules.complement = true
		case cutKeyOutput:
			k.separate = true
			if k.separator = []byte(p.Value); p.Value == "" {
				k.separator = []byte{0}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	switch {
	case !given:
		return c.usageErrorf("you must specify a list of bytes, characters, or fields")
	case delimited && !k.fields:
		return c.usageErrorf("an input delimiter may be specified only when operating on fields")
	case k.only && !k.fields:
		return c.usageErrorf("suppressing non-delimited lines makes sense\n\tonly when operating on fields")
	}
	var message string
	if k.list, message = parseFieldList(spec, rules); message != "" {
		return c.usageErrorf("%s", message)
	}
	if !k.separate {
		k.separator = []byte{k.delimiter}
	}
	return c.eachInput(operands, k.input)
}

func (k *cutCommand) input(_ string, r io.Reader) error {
	in := lines.NewReader(r, k.Host())
	defer in.Close()
	if k.fields && k.delimiter == k.end {
		return k.linesAsFields(in)
	}
	in.Delim = k.end
	for {
		block, err := in.Block()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := k.ctx.Err(); err != nil {
			return err
		}
		if block[len(block)-1] != k.end {
			// The last line gets the end it lacks.
			block = append(append(make([]byte, 0, len(block)+1), block...), k.end)
		}
		k.row = k.row[:0]
		if k.fields {
			k.cutFields(block)
		} else {
			k.cutBytes(block)
		}
		if _, err := k.out.Write(k.row); err != nil {
			return k.writeError(err)
		}
	}
}

// cutBytes selects bytes of each line of a block of whole lines.
func (k *cutCommand) cutBytes(block []byte) {
	row := k.row
	for len(block) > 0 {
		end := bytes.IndexByte(block, k.end)
		line := block[:end]
		written := false
		for _, r := range k.list {
			if r.low > uint64(len(line)) {
				break
			}
			if k.separate && written {
				row = append(row, k.separator...)
			}
			written = true
			row = append(row, line[r.low-1:min(r.high, uint64(len(line)))]...)
		}
		row = append(row, k.end)
		block = block[end+1:]
	}
	k.row = row
}

// cutFields selects fields of each line of a block of whole lines.
func (k *cutCommand) cutFields(block []byte) {
	row := k.row
	for len(block) > 0 {
		end := bytes.IndexByte(block, k.end)
		line := block[:end]
		block = block[end+1:]
		next := bytes.IndexByte(line, k.delimiter)
		if next < 0 {
			if !k.only {
				row = append(append(row, line...), k.end)
			}
			continue
		}
		row = append(k.selectFields(row, line, next), k.end)
	}
	k.row = row
}

// selectFields appends the fields of a line whose first delimiter is at next.
func (k *cutCommand) selectFields(row, line []byte, next int) []byte {
	field, start := uint64(1), 0
	written := false
	for _, r := range k.list {
		for field < r.low {
			if next < 0 {
				return row
			}
			field++
			start = next + 1
			if next = bytes.IndexByte(line[start:], k.delimiter); next >= 0 {
				next += start
			}
		}
		from := start
		for !k.separate && field < r.high && next >= 0 {
			field++
			start = next + 1
			// A range to the line's end needs no look at its fields.
			if r.high-field > uint64(len(line)-start) {
				next = -1
				break
			}
			if next = bytes.IndexByte(line[start:], k.delimiter); next >= 0 {
				next += start
			}
		}
		if written {
			row = append(row, k.separator...)
		}
		written = true
		if !k.separate {
			if next < 0 {
				return append(row, line[from:]...)
			}
			row = append(row, line[from:next]...)
			continue
		}
		for {
			if next < 0 {
				return append(row, line[start:]...)
			}
			row = append(row, line[start:next]...)
			if field == r.high {
				break
			}
			field++
			start = next + 1
			if next = bytes.IndexByte(line[start:], k.delimiter); next >= 0 {
				next += start
			}
			row = append(row, k.separator...)
		}
	}
	return row
}

// linesAsFields is the case of a delimiter that is the line's end: the whole
// input is one line, each of its lines a field.
func (k *cutCommand) linesAsFields(in *lines.Reader) error {
	in.Delim = k.end
	field, written := uint64(0), false
	var first []byte
	for {
		line, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if err := k.ctx.Err(); err != nil {
			return err
		}
		field++
		text, ended := bytes.CutSuffix(line, []byte{k.end})
		if field == 1 {
			// Whether it has fields at all is known at the second line.
			first = append(first, text...)
			if ended {
				if rest, err := in.Next(); err == nil {
					k.emitField(1, first, &written)
					field++
					text = bytes.TrimSuffix(rest, []byte{k.end})
					k.emitField(2, text, &written)
					continue
				}
			}
			if !k.only {
				k.out.Write(first)
				written = true
			}
			break
		}
		k.emitField(field, text, &written)
	}
	if written {
		k.out.WriteByte(k.end)
	}
	return nil
}

func (k *cutCommand) emitField(n uint64, text []byte, written *bool) {
	if !k.list.holds(n) {
		return
	}
	if *written {
		k.out.Write(k.separator)
	}
	*written = true
	k.out.Write(text)
}

func cutProgram(string) *program {
	return &program{
		stdinClosed: "-",
		usage: `cut OPTION... [FILE]...
Print the selected parts of each line of the files, or of standard input.

  -b, --bytes=LIST         these bytes
  -c, --characters=LIST    the same as -b
  -d, --delimiter=DELIM    DELIM stands between fields, not TAB
  -f, --fields=LIST        these fields; lines without delimiter are printed whole
  -n                       accepted, without effect
      --complement         what LIST does not select
  -s, --only-delimited     leave out lines without delimiter
      --output-delimiter=STRING  STRING between what is printed
  -z, --zero-terminated    lines end in NUL

LIST is N, N-M, N- or -M, several separated by commas; counting starts at 1.`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'b', Long: "bytes", Argument: getopt.Required}, {Key: 'c', Long: "characters", Argument: getopt.Required},
			{Key: 'f', Long: "fields", Argument: getopt.Required}, {Key: 'd', Long: "delimiter", Argument: getopt.Required}, {Key: 'n'},
			{Key: 's', Long: "only-delimited"}, {Key: cutKeyOutput, Long: "output-delimiter", Argument: getopt.Required},
			{Key: cutKeyComplement, Long: "complement"}, {Key: 'z', Long: "zero-terminated"},
		}},
		run: cutRun,
	}
}
