package builtins

import (
	"bufio"
	"bytes"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/vfs"
)

// shufCommand is one run of shuf.
type shufCommand struct {
	*call
	echo, ranged, repeat bool
	low, high            uint64
	count                uint64 // at most so many lines
	counted              bool
	output               string
	written              bool
	source               string
	sourced              bool
	end                  byte
	random               *bufio.Reader
	number, limit        uint64 // what choose has left
}

const (
	shufKeySource = 256 + iota
)

func shufRun(c *call) error {
	s := &shufCommand{call: c, count: math.MaxUint64, end: '\n'}
	operands, err := c.parse(s.option)
	if err != nil {
		return err
	}
	switch {
	case s.echo && s.ranged:
		return c.usageErrorf("cannot combine -e and -i options")
	case s.ranged && len(operands) > 0:
		return c.usageErrorf("extra operand %s", quote(operands[0]))
	case !s.echo && !s.ranged && len(operands) > 1:
		return c.usageErrorf("extra operand %s", quote(operands[1]))
	}
	if s.count == 0 && !s.echo && !s.ranged {
		// Nothing of the input is wanted; it need not even be there.
		return s.writeTo(func(w *bufio.Writer) error { return nil })
	}
	item, total, err := s.items(operands)
	if err != nil {
		return err
	}
	done, err := s.openSource()
	if err != nil {
		return err
	}
	defer done()
	return s.writeTo(func(w *bufio.Writer) error {
		if s.repeat {
			return s.repeats(w, item, total)
		}
		return s.permute(w, item, total)
	})
}

func (s *shufCommand) option(p *getopt.Parser) error {
	switch p.Key {
	case 'e':
		s.echo = true
	case 'i':
		if s.ranged {
			return s.fatalf("multiple -i options specified")
		}
		s.ranged = true
		low, high, dash := strings.Cut(p.Value, "-")
		from, bad := parseNumber(low, "")
		if !dash || bad != numberOK {
			if !dash {
				return s.fatalf("invalid input range: %s", quote(p.Value))
			}
			return s.fatalf("invalid input range: %s%s", quote(low), bad.words())
		}
		to, bad := parseNumber(high, "")
		if bad != numberOK {
			return s.fatalf("invalid input range: %s%s", quote(high), bad.words())
		}
		if s.low, s.high = from, to; from > to && from-to != 1 || to-from == math.MaxUint64 && from <= to {
			return s.fatalf("invalid input range: %s", quote(p.Value))
		}
	case 'n':
		s.counted = true
		n, bad := parseNumber(p.Value, "")
		if bad != numberOK && bad != numberOverflow {
			return s.fatalf("invalid line count: %s", quote(p.Value))
		}
		s.count = min(s.count, n)
	case 'o':
		if s.written && s.output != p.Value {
			return s.fatalf("multiple output files specified")
		}
		s.output, s.written = p.Value, true
	case shufKeySource:
		if s.sourced && s.source != p.Value {
			return s.fatalf("multiple random sources specified")
		}
		s.source, s.sourced = p.Value, true
	case 'r':
		s.repeat = true
	case 'z':
		s.end = 0
	}
	return nil
}

// items gives the lines to choose from, without their ends, by number.
func (s *shufCommand) items(operands []string) (item func(row []byte, i uint64) []byte, total uint64, err error) {
	switch {
	case s.ranged:
		return func(row []byte, i uint64) []byte { return strconv.AppendUint(row, s.low+i, 10) }, s.high - s.low + 1, nil
	case s.echo:
		return func(row []byte, i uint64) []byte { return append(row, operands[i]...) }, uint64(len(operands)), nil
	}
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	r, done, err := s.open(operands[0])
	if err != nil {
		return nil, 0, s.openFailed(operands[0], err)
	}
	defer done()
	var table [][]byte
	small := false
	if f, ok := r.(vfs.File); ok {
		info, err := f.Stat()
		small = err == nil && info.Mode().IsRegular() && info.Size() <= shufSampleSize
	}
	if s.counted && !s.repeat && s.count < math.MaxInt32 && !small {
		if d, err := s.openSource(); err != nil {
			return nil, 0, err
		} else if table, err = s.sample(r); err != nil {
			d()
			return nil, 0, s.readFailed(err)
		} else {
			d()
		}
	} else {
		text, _, err := s.readWhole(r)
		if err != nil {
			return nil, 0, s.readFailed(err)
		}
		if err := s.Host().Charge(int64(bytes.Count(text, []byte{s.end})+1) * 24); err != nil {
			return nil, 0, err
		}
		for len(text) > 0 {
			line, rest, _ := bytes.Cut(text, []byte{s.end})
			table, text = append(table, line), rest
		}
	}
	return func(row []byte, i uint64) []byte { return append(row, table[i]...) }, uint64(len(table)), nil
}

func (s *shufCommand) openFailed(name string, err error) error {
	if s.ends(err) {
		return err
	}
	return s.fatalf("%s: %s", quoteFile(name), vfs.Words(err))
}

func (s *shufCommand) readFailed(err error) error {
	if s.ends(err) || isExit(err) {
		return err
	}
	return s.fatalf("read error: %s", vfs.Words(err))
}

// shufSampleSize is how large a file is whose lines are all kept though only
// some are wanted.
const shufSampleSize = 8 << 20

// sample keeps no more lines than are asked for, however long the input: each
// line takes the place of a kept one with the chance it deserves.
func (s *shufCommand) sample(r io.Reader) ([][]byte, error) {
	in := lines.NewReader(r, s.Host())
	in.Delim = s.end
	defer in.Close()
	var table [][]byte
	for seen := uint64(0); ; seen++ {
		at := uint64(len(table))
		if at >= s.count {
			// Drawn before it is known whether there is a line, as GNU's is.
			chosen, err := s.choose(seen + 1)
			if err != nil {
				return nil, err
			}
			at = chosen
		}
		line, err := in.Next()
		if err == io.EOF {
			return table, nil
		}
		if err == nil && seen&0xfff == 0 {
			err = s.ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		line = bytes.TrimSuffix(line, []byte{s.end})
		if at == uint64(len(table)) && at < s.count {
			if err := s.Host().Charge(int64(len(line)) + 48); err != nil {
				return nil, err
			}
			table = append(table, bytes.Clone(line))
			continue
		}
		if at < s.count {
			if grown := len(line) - cap(table[at]); grown > 0 {
				if err := s.Host().Charge(int64(grown)); err != nil {
					return nil, err
				}
			}
			table[at] = append(table[at][:0], line...)
		}
	}
}

// openSource prepares the random bytes.
func (s *shufCommand) openSource() (func(), error) {
	if s.random != nil {
		return func() {}, nil
	}
	if !s.sourced {
		s.random = bufio.NewReader(s.Host().Random())
		return func() {}, nil
	}
	f, err := s.View().Open(s.ctx, s.source, vfs.O_RDONLY, 0)
	if err != nil {
		return nil, s.openFailed(s.source, err)
	}
	s.random = bufio.NewReader(f)
	return func() { f.Close() }, nil
}

// choose is a random number below n, made of the source's bytes as GNU's
// randint makes it, so that the same bytes give the same order: number is one
// of limit+1 equally likely values, of which what a choice leaves is kept for
// the next.
func (s *shufCommand) choose(n uint64) (uint64, error) {
	most := n - 1
	number, limit := s.number, s.limit
	for {
		for limit < most {
			b, err := s.random.ReadByte()
			if err == io.EOF {
				return 0, s.fatalf("%s: end of file", quote(s.source))
			}
			if err != nil {
				return 0, s.openFailed(s.source, err)
			}
			number, limit = number<<8+uint64(b), limit<<8+math.MaxUint8
		}
		if limit == most {
			s.number, s.limit = 0, 0
			return number, nil
		}
		// The values that n does not divide evenly among are drawn again.
		excess := limit - most
		unusable := excess % n
		last := limit - unusable
		if number <= last {
			s.number, s.limit = number/n, excess/n
			return number % n, nil
		}
		number, limit = number-last-1, unusable-1
		if err := s.ctx.Err(); err != nil {
			return 0, err
		}
	}
}

func (s *shufCommand) writeTo(write func(w *bufio.Writer) error) error {
	if !s.written {
		return write(s.out)
	}
	f, err := s.View().Open(s.ctx, s.output, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
	if err != nil {
		return s.openFailed(s.output, err)
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 32<<10)
	err = write(w)
	if flushed := w.Flush(); err == nil && flushed != nil {
		err = s.writeError(flushed)
	}
	return err
}

func (s *shufCommand) repeats(w *bufio.Writer, item func([]byte, uint64) []byte, total uint64) error {
	if total == 0 {
		if s.count == 0 {
			return nil
		}
		return s.fatalf("no lines to repeat")
	}
	var row []byte
	for i := uint64(0); i < s.count; i++ {
		if i&0xfff == 0 {
			if err := s.ctx.Err(); err != nil {
				return err
			}
		}
		at, err := s.choose(total)
		if err != nil {
			return err
		}
		row = append(item(row[:0], at), s.end)
		if _, err := w.Write(row); err != nil {
			return s.writeError(err)
		}
	}
	return nil
}

// permute writes the first count items of a random permutation. Only places
// that differ from the identity are remembered, so that a few of a huge range
// cost little.
func (s *shufCommand) permute(w *bufio.Writer, item func([]byte, uint64) []byte, total uint64) error {
	count := min(total, s.count)
	var dense []uint64
	var moved map[uint64]uint64
	if count > total/16 {
		if total > math.MaxInt64/8 {
			return s.fatalf("memory exhausted")
		}
		if err := s.Host().Charge(int64(total * 8)); err != nil {
			return err
		}
		defer s.Host().Release(int64(total * 8))
		dense = make([]uint64, total)
		for i := range dense {
			dense[i] = uint64(i)
		}
	} else {
		if count > math.MaxInt64/64 {
			return s.fatalf("memory exhausted")
		}
		if err := s.Host().Charge(int64(count * 64)); err != nil {
			return err
		}
		defer s.Host().Release(int64(count * 64))
		moved = map[uint64]uint64{}
	}
	at := func(i uint64) uint64 {
		if dense != nil {
			return dense[i]
		}
		if v, ok := moved[i]; ok {
			return v
		}
		return i
	}
	var row []byte
	for i := uint64(0); i < count; i++ {
		if i&0xfff == 0 {
			if err := s.ctx.Err(); err != nil {
				return err
			}
		}
		chosen, err := s.choose(total - i)
		if err != nil {
			return err
		}
		chosen += i
		n := at(chosen)
		if dense != nil {
			dense[chosen] = dense[i]
		} else {
			moved[chosen] = at(i)
			delete(moved, i)
		}
		row = append(item(row[:0], n), s.end)
		if _, err := w.Write(row); err != nil {
			return s.writeError(err)
		}
	}
	return nil
}

func shufProgram(string) *program {
	return &program{
		usage: `shuf [OPTION]... [FILE]
   or: shuf -e [OPTION]... [WORD]...
   or: shuf -i LOW-HIGH [OPTION]...
Print the lines of FILE, or of standard input, in random order.

  -e, --echo                each WORD is a line
  -i, --input-range=LOW-HIGH  each number from LOW to HIGH is a line
  -n, --head-count=COUNT    at most COUNT lines
  -o, --output=FILE         write to FILE
      --random-source=FILE  take random bytes from FILE
  -r, --repeat              lines may come again, for ever unless -n says
  -z, --zero-terminated     lines end in NUL`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'e', Long: "echo"}, {Key: 'i', Long: "input-range", Argument: getopt.Required}, {Key: 'n', Long: "head-count", Argument: getopt.Required},
			{Key: 'o', Long: "output", Argument: getopt.Required}, {Key: shufKeySource, Long: "random-source", Argument: getopt.Required},
			{Key: 'r', Long: "repeat"}, {Key: 'z', Long: "zero-terminated"},
		}},
		run: shufRun,
	}
}
