package builtins

import (
	"bytes"
	"errors"
	"io"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/internal/regex"
	"github.com/vsh-project/vsh/vfs"
)

// tacCommand is one run of tac.
type tacCommand struct {
	*call
	before    bool
	separator []byte
	match     *regex.Matcher // of -r
}

func tacRun(c *call) error {
	t := &tacCommand{call: c}
	separator, pattern := "\n", false
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'b':
			t.before = true
		case 'r':
			pattern = true
		case 's':
			separator = p.Value
		}
		return nil
	})
	if err != nil {
		return err
	}
	if pattern {
		if separator == "" {
			return c.fatalf("separator cannot be empty")
		}
		if t.match, err = regex.Compile(separator, regex.Options{Syntax: regex.Emacs, Newline: true}); err != nil {
			return c.fatalf("%s", err)
		}
	} else if separator == "" {
		separator = "\x00"
	}
	t.separator = []byte(separator)
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	for _, name := range operands {
		if err := t.file(name); err != nil {
			return err
		}
	}
	return nil
}

func (t *tacCommand) file(name string) error {
	r, done, err := t.open(name)
	if err != nil {
		t.errorf("failed to open %s for reading: %s", quoteName(name), vfs.Words(err))
		return nil
	}
	defer done()
	text, release, err := t.readWhole(r)
	defer release()
	if err != nil {
		if t.ends(err) || vfs.Errno(err) == 0 {
			return err
		}
		t.noteClosed(name, err)
		if errors.Is(err, vfs.EISDIR) {
			err = vfs.EINVAL // GNU's tac seeks before it reads
		}
		t.errorf("%s: read error: %s", quoteFile(displayName(name)), vfs.Words(err))
		return nil
	}
	return t.reverse(text)
}

// readWhole reads r to its end into memory that the budget has paid for, until
// release gives it back.
func (c *call) readWhole(r io.Reader) (text []byte, release func(), err error) {
	var charged int64
	release = func() { c.Host().Release(charged) }
	size := int64(lines.BlockSize)
	if _, length, offset, ok := regularFile(r); ok {
		size = max(length-offset, 0) + 1
	}
	for {
		if len(text) == cap(text) {
			size := max(size, int64(cap(text)))
			if err := c.Host().Charge(size); err != nil {
				return text, release, err
			}
			charged += size
			grown := make([]byte, len(text), int64(cap(text))+size)
			copy(grown, text)
			text = grown
		}
		n, err := r.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if err == io.EOF {
			return text, release, nil
		}
		if err != nil {
			return text, release, err
		}
		if err := c.ctx.Err(); err != nil {
			return text, release, err
		}
	}
}

// reverse writes the records of text from the last to the first.
func (t *tacCommand) reverse(text []byte) error {
	end := len(text) // of the record to write next
	limit := end     // separators are looked for before it
	for n := 0; ; n++ {
		if n&0xfff == 0 {
			if err := t.ctx.Err(); err != nil {
				return err
			}
		}
		from, to, err := t.lastSeparator(text[:limit])
		if err != nil {
			return err
		}
		start := to
		if t.before {
			start = from
		}
		if from < 0 {
			start = 0
		}
		// The separator at the very end belongs to the record before it.
		if start < end {
			if _, err := t.out.Write(text[start:end]); err != nil {
				return t.writeError(err)
			}
			end = start
		}
		if from < 0 {
			return nil
		}
		limit = from
	}
}

// lastSeparator is the last separator in text, -1 when there is none.
func (t *tacCommand) lastSeparator(text []byte) (from, to int, err error) {
	if t.match == nil {
		from = bytes.LastIndex(text, t.separator)
		return from, from + len(t.separator), nil
	}
	// Look in ever larger parts of the end, then on from what is found.
	for size := 256; ; size *= 4 {
		at := max(0, len(text)-size)
		loc, err := t.match.Find(t.ctx, text, at, nil)
		if err != nil {
			return 0, 0, err
		}
		for loc != nil && loc[0] < len(text) {
			from, to, at = loc[0], loc[1], -1
			if loc, err = t.match.Find(t.ctx, text, from+1, loc[:0]); err != nil {
				return 0, 0, err
			}
		}
		if at < 0 {
			return from, to, nil
		}
		if at == 0 {
			return -1, 0, nil
		}
	}
}

func tacProgram(string) *program {
	return &program{
		stdinClosed: "-",
		usage: `tac [OPTION]... [FILE]...
Print the lines of each file, or of standard input, the last line first.

  -b, --before             the separator stands before a record, not after it
  -r, --regex              the separator is a regular expression
  -s, --separator=STRING   records end in STRING, not in a newline`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'b', Long: "before"}, {Key: 'r', Long: "regex"}, {Key: 's', Long: "separator", Argument: getopt.Required},
		}},
		run: tacRun,
	}
}
