package builtins

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/internal/width"
	"github.com/vsh-project/vsh/vfs"
)

// wcCommand is one run of wc.
type wcCommand struct {
	*call
	lines, words, chars, bytes, longest bool
	nobreak                             bool // no-break spaces separate words too
	width                               int
	total                               wcCount
	block                               []byte
}

type wcCount struct{ lines, words, chars, bytes, longest uint64 }

const wcKeyFiles = 256

func wcRun(c *call) error {
	w := &wcCommand{call: c}
	list, listed := "", false
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'c':
			w.bytes = true
		case 'l':
			w.lines = true
		case 'L':
			w.longest = true
		case 'm':
			w.chars = true
		case 'w':
			w.words = true
		case wcKeyFiles:
			list, listed = p.Value, true
		}
		return nil
	})
	if err != nil {
		return err
	}
	if !w.lines && !w.words && !w.chars && !w.bytes && !w.longest {
		w.lines, w.words, w.bytes = true, true, true
	}
	_, posix := c.Getenv("POSIXLY_CORRECT")
	w.nobreak = !posix
	var named []namedFile
	if listed {
		if len(operands) > 0 {
			return c.usageErrorf("extra operand %s\nfile operands cannot be combined with --files0-from", quoteName(operands[0]))
		}
		var count int
		if named, count, err = w.files0(list); err != nil {
			return err
		}
		w.width = w.numberWidth(named, count)
	} else {
		for _, o := range operands {
			named = append(named, namedFile{name: o})
		}
		if len(operands) == 0 {
			named = []namedFile{{name: "-", implied: true}}
		}
		w.width = w.numberWidth(named, len(named))
	}
	for _, f := range named {
		if err := w.file(f); err != nil {
			return err
		}
	}
	if len(named) > 1 {
		w.print(&w.total, "total")
	}
	return nil
}

// namedFile is one input; implied stdin has no name. A message stands for a
// name that a list may not hold.
type namedFile struct {
	name    string
	implied bool
	message string
}

// files0 reads a list of names that end in NUL. count is 0 where the list is a
// pipe: widths are then not computed ahead.
func (w *wcCommand) files0(list string) (files []namedFile, count int, err error) {
	r, done, err := w.open(list)
	if err != nil {
		return nil, 0, w.fatalf("cannot open %s for reading: %s", quoteName(list), vfs.Words(err))
	}
	defer done()
	_, _, _, regular := regularFile(r)
	in := lines.NewReader(r, w.Host())
	in.Delim = 0
	defer in.Close()
	for number := 1; ; number++ {
		name, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			if w.ends(err) {
				return nil, 0, err
			}
			w.errorf("%s: read error: %s", quoteFile(list), vfs.Words(err))
			break
		}
		if err := w.Host().Charge(int64(len(name) + 64)); err != nil {
			return nil, 0, err
		}
		f := namedFile{name: string(bytes.TrimSuffix(name, []byte{0}))}
		if list == "-" && f.name == "-" {
			f.message = "when reading file names from stdin, no file name of " + quoteName("-") + " allowed"
		} else if f.name == "" {
			f.message = quoteFile(list) + ":" + strconv.Itoa(number) + ": invalid zero-length file name"
		}
		files = append(files, f)
	}
	if regular {
		count = len(files)
	}
	return files, count, nil
}

// numberWidth is wide enough for the sum of the sizes; 7 where one is unknown.
func (w *wcCommand) numberWidth(files []namedFile, count int) int {
	columns := 0
	for _, on := range []bool{w.lines, w.words, w.chars, w.bytes, w.longest} {
		if on {
			columns++
		}
	}
	if count == 0 || count == 1 && columns == 1 {
		return 1
	}
	least := 1
	var sum int64
	for _, f := range files[:count] {
		var info *vfs.Info
		if f.name == "-" {
			if info = statStream(w.Stdin); info == nil {
				least = 7
				continue
			}
		} else {
			var err error
			if info, err = w.View().Stat(w.ctx, f.name); err != nil {
				continue
			}
		}
		if info.FileMode.IsRegular() {
			sum += info.Bytes
		} else {
			least = 7
		}
	}
	return max(least, len(strconv.FormatInt(sum, 10)))
}

func (w *wcCommand) file(f namedFile) error {
	if f.message != "" {
		w.errorf("%s", f.message)
		return nil
	}
	r, done, err := w.open(f.name)
	if err != nil {
		w.fileError(displayName(f.name), err)
		return nil
	}
	defer done()
	var n wcCount
	if err := w.count(r, &n); err != nil {
		if w.ends(err) {
			return err
		}
		w.noteClosed(f.name, err)
		w.fileError(displayName(f.name), err)
	}
	name := f.name
	if f.implied {
		name = ""
	}
	w.print(&n, name)
	w.total.lines += n.lines
	w.total.words += n.words
	w.total.chars += n.chars
	w.total.bytes += n.bytes
	w.total.longest = max(w.total.longest, n.longest)
	return nil
}

func (w *wcCommand) print(n *wcCount, name string) {
	var row []byte
	for _, column := range [...]struct {
		on bool
		n  uint64
	}{{w.lines, n.lines}, {w.words, n.words}, {w.chars, n.chars}, {w.bytes, n.bytes}, {w.longest, n.longest}} {
		if !column.on {
			continue
		}
		if len(row) > 0 {
			row = append(row, ' ')
		}
		var digits [20]byte
		text := strconv.AppendUint(digits[:0], column.n, 10)
		for i := len(text); i < w.width; i++ {
			row = append(row, ' ')
		}
		row = append(row, text...)
	}
	if name != "" {
		if strings.IndexByte(name, '\n') >= 0 {
			name = quoteFile(name)
		}
		row = append(append(row, ' '), name...)
	}
	w.out.Write(append(row, '\n'))
}

func (w *wcCommand) count(r io.Reader, n *wcCount) error {
	complicated := w.words || w.longest
	if w.bytes && !w.lines && !w.chars && !complicated {
		if f, size, offset, ok := regularFile(r); ok && size >= offset {
			n.bytes = uint64(size - offset)
			_, err := f.Seek(0, io.SeekEnd)
			return err
		}
	}
	if w.block == nil {
		w.block = make([]byte, lines.BlockSize)
	}
	s := wcScanner{wcCount: n, nobreak: w.nobreak, columns: w.longest}
	kept := 0 // the start of a character whose rest is yet to come
	for {
		got, err := r.Read(w.block[kept:])
		n.bytes += uint64(got)
		p := w.block[:kept+got]
		switch {
		case complicated:
			kept = s.scan(p, err != nil)
		case w.chars:
			kept = s.characters(p, err != nil)
		default:
			n.lines += uint64(bytes.Count(p, []byte{'\n'}))
			kept = 0
		}
		copy(w.block, p[len(p)-kept:])
		if err != nil {
			s.end()
			if err == io.EOF {
				return nil
			}
			return err
		}
		if err := w.ctx.Err(); err != nil {
			return err
		}
	}
}

// wcScanner counts characters, words and columns.
type wcScanner struct {
	*wcCount
	nobreak  bool
	columns  bool
	inWord   bool
	position uint64
}

// characters counts lines and characters and returns how many bytes at the end
// of p are the start of a character.
func (s *wcScanner) characters(p []byte, last bool) int {
	s.lines += uint64(bytes.Count(p, []byte{'\n'}))
	for i := 0; i < len(p); {
		if p[i] < utf8.RuneSelf {
			i++
			s.chars++
			continue
		}
		if !last && !utf8.FullRune(p[i:]) {
			return len(p) - i
		}
		r, size := utf8.DecodeRune(p[i:])
		if r != utf8.RuneError || size > 1 {
			s.chars++
		}
		i += size
	}
	return 0
}

// scan counts everything. Bytes that are no character count as nothing.
func (s *wcScanner) scan(p []byte, last bool) int {
	for i := 0; i < len(p); {
		c := p[i]
		if c >= utf8.RuneSelf {
			if !last && !utf8.FullRune(p[i:]) {
				return len(p) - i
			}
			r, size := utf8.DecodeRune(p[i:])
			i += size
			if r == utf8.RuneError && size == 1 {
				continue
			}
			s.chars++
			s.wide(r)
			continue
		}
		i++
		s.chars++
		switch {
		case c > ' ' && c < 0x7f:
			s.position++
			s.inWord = true
			continue
		case c == ' ':
			s.position++
		case c == '\n':
			s.lines++
			s.endLine()
		case c == '\r', c == '\f':
			s.endLine()
		case c == '\t':
			s.position += 8 - s.position%8
		case c == '\v':
		default:
			continue
		}
		if s.inWord {
			s.words++
			s.inWord = false
		}
	}
	return 0
}

func (s *wcScanner) wide(r rune) {
	if !width.Print(r) {
		return
	}
	if s.columns {
		s.position += uint64(max(width.Rune(r), 0))
	}
	switch r {
	case 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2008, 0x2009, 0x200a, 0x205f, 0x3000:
	case 0xa0, 0x2007, 0x202f, 0x2060:
		if !s.nobreak {
			s.inWord = true
			return
		}
	default:
		s.inWord = true
		return
	}
	if s.inWord {
		s.words++
		s.inWord = false
	}
}

func (s *wcScanner) endLine() {
	s.longest = max(s.longest, s.position)
	s.position = 0
}

func (s *wcScanner) end() {
	s.endLine()
	if s.inWord {
		s.words++
	}
}

func wcProgram(string) *program {
	return &program{
		output:      outputStyle{flushesLines: true},
		stdinClosed: "-",
		usage: `wc [OPTION]... [FILE]...
   or: wc [OPTION]... --files0-from=F
Count lines, words and bytes of each file, or of standard input, and their sum.
Whatever is chosen is printed in this order: lines, words, characters, bytes,
columns of the longest line.

  -c, --bytes              bytes
  -m, --chars              characters
  -l, --lines              lines
      --files0-from=F      the files whose names, each ended by NUL, F holds
  -L, --max-line-length    columns of the longest line
  -w, --words              words`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'c', Long: "bytes"}, {Key: 'm', Long: "chars"}, {Key: 'l', Long: "lines"}, {Key: 'w', Long: "words"}, {Key: wcKeyFiles + 1, Long: "debug"},
			{Key: wcKeyFiles, Long: "files0-from", Argument: getopt.Required}, {Key: 'L', Long: "max-line-length"},
		}},
		run: wcRun,
	}
}
