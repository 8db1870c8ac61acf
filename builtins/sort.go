package builtins

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/vfs"
)

// sortCommand is one run of sort.
type sortCommand struct {
	*call
	sortOrder
	check   byte // 'c', 'C' or 0
	merge   bool
	output  string
	written bool // -o was given
	debug   bool
	end     byte
	global  sortKey
	random  string // --random-source
	list    string
	listed  bool
	files   []namedFile
}

// Keys of options without a letter.
const (
	sortKeyCheck = 256 + iota
	sortKeyCompress
	sortKeyDebug
	sortKeyFiles
	sortKeyRandomSource
	sortKeySort
	sortKeyBatch
	sortKeyParallel
)

// sortMostFiles is how many files a shell's 1,024 descriptors leave to a merge.
const sortMostFiles = 1021

func sortRun(c *call) error {
	s := &sortCommand{call: c, end: '\n', global: newSortKey()}
	s.separator = -1
	operands, err := c.parse(s.option)
	if err != nil {
		return err
	}
	for _, o := range operands {
		s.files = append(s.files, namedFile{name: o})
	}
	if s.listed {
		if len(s.files) > 0 {
			return c.usageErrorf("extra operand %s\nfile operands cannot be combined with --files0-from", quoteName(s.files[0].name))
		}
		if err := s.files0(); err != nil {
			return err
		}
	}
	ownKeys := len(s.keys) > 0
	if err := s.inherit(); err != nil {
		return err
	}
	if s.debug {
		if err := s.debugged(!ownKeys); err != nil {
			return err
		}
	}
	if len(s.files) == 0 {
		s.files = []namedFile{{name: "-"}}
	}
	if s.check != 0 {
		if len(s.files) > 1 {
			return c.fatalf("extra operand %s not allowed with -%c", quoteName(s.files[1].name), s.check)
		}
		if s.written {
			return c.fatalf("options '-%co' are incompatible", s.check)
		}
		return s.checkOrder()
	}
	for _, f := range s.files {
		if f.name == "-" {
			continue
		}
		// GNU's sort looks at all its operands before it begins.
		if err := c.View().Access(c.ctx, f.name, 4); err != nil {
			return c.fatalf("cannot read: %s: %s", quoteFile(f.name), vfs.Words(err))
		}
	}
	return s.sort()
}

func (s *sortCommand) option(p *getopt.Parser) error {
	switch p.Key {
	case 1:
		return s.operand(p)
	case 'b', 'd', 'f', 'g', 'h', 'i', 'M', 'n', 'r', 'R', 'V':
		s.global.order(string(p.Key), sortBoth)
	case sortKeySort:
		words := []string{"general-numeric", "human-numeric", "month", "numeric", "random", "version"}
		i, err := s.argumentMatch("--sort", p.Value, words, nil)
		if err != nil {
			return err
		}
		s.global.order("ghMnRV"[i:i+1], sortBoth)
	case 'c', 'C':
		return s.checking(byte(p.Key))
	case sortKeyCheck:
		if !p.HasValue {
			return s.checking('c')
		}
		i, err := s.argumentMatch("--check", p.Value, []string{"quiet", "silent", "diagnose-first"}, []int{0, 0, 1})
		if err != nil {
			return err
		}
		return s.checking("CCc"[i])
	case sortKeyDebug:
		s.debug = true
	case sortKeyFiles:
		s.list, s.listed = p.Value, true
	case 'k':
		key, message := parseSortKey(p.Value)
		if message != "" {
			return s.fatalf("%s", message)
		}
		s.keys = append(s.keys, key)
	case 'm':
		s.merge = true
	case 'o':
		if s.written && s.output != p.Value {
			return s.fatalf("multiple output files specified")
		}
		s.output, s.written = p.Value, true
	case sortKeyRandomSource:
		if s.random != "" && s.random != p.Value {
			return s.fatalf("multiple random sources specified")
		}
		s.random = p.Value
	case 's':
		s.stable = true
	case 'S':
		return s.size(p)
	case 't':
		return s.setSeparator(p.Value)
	case 'u':
		s.unique = true
	case 'z':
		s.end = 0
	case sortKeyBatch:
		n, status := parseNumber(p.Value, "")
		switch {
		case status == numberInvalid || status == numberBadSuffix:
			return s.fatalf("invalid --batch-size argument '%s'", p.Value)
		case status == numberOverflow || n > sortMostFiles:
			s.errorf("--batch-size argument %s too large", quote(p.Value))
			return s.fatalf("maximum --batch-size argument with current rlimit is %d", sortMostFiles)
		case n < 2:
			s.errorf("invalid --batch-size argument %s", quote(p.Value))
			return s.fatalf("minimum --batch-size argument is %s", quote("2"))
		}
	case sortKeyParallel:
		n, status := parseNumber(p.Value, "")
		if status == numberInvalid || status == numberBadSuffix {
			return s.fatalf("invalid --parallel argument '%s'", p.Value)
		}
		if n == 0 && status == numberOK {
			return s.fatalf("number in parallel must be nonzero")
		}
	case 'y':
		// Digits are what other systems take; anything else is a file.
		if !seqDigits(p.Value) && p.Value != "" {
			s.files = append(s.files, namedFile{name: p.Value})
		}
	case 'T', sortKeyCompress:
	}
	return nil
}

func (s *sortCommand) checking(kind byte) error {
	if s.check != 0 && s.check != kind {
		return s.fatalf("options '-cC' are incompatible")
	}
	s.check = kind
	return nil
}

// size accepts the buffer's size, which the shell's budget decides here.
func (s *sortCommand) size(p *getopt.Parser) error {
	text := p.Value
	digits := strings.TrimRight(text, "%bBkKmMGTPEZY")
	_, status := parseNumber(digits, "")
	rest := text[len(digits):]
	switch {
	case status == numberInvalid || digits == "":
		return s.fatalf("invalid %s argument '%s'", s.typed(p, 'S'), text)
	case len(rest) > 1 || status == numberBadSuffix:
		return s.fatalf("invalid suffix in %s argument '%s'", s.typed(p, 'S'), text)
	}
	return nil
}

// typed is how gnulib names the option of a bad number: by its letter or word.
func (s *sortCommand) typed(p *getopt.Parser, letter byte) string {
	if strings.HasPrefix(p.Typed, "--") {
		return p.Typed
	}
	return "-" + string(rune(letter))
}

func (s *sortCommand) setSeparator(value string) error {
	if value == "" {
		return s.fatalf("empty tab")
	}
	separator := int(value[0])
	if len(value) > 1 {
		if value != `\0` {
			return s.fatalf("multi-character tab %s", quote(value))
		}
		separator = 0
	}
	if s.separator >= 0 && s.separator != separator {
		return s.fatalf("incompatible tabs")
	}
	s.separator = separator
	return nil
}

// operand takes a file, or a key in the form +POS1 [-POS2].
func (s *sortCommand) operand(p *getopt.Parser) error {
	if !strings.HasPrefix(p.Value, "+") {
		s.files = append(s.files, namedFile{name: p.Value})
		return nil
	}
	next, ok := p.Peek()
	minus := ok && len(next) > 1 && next[0] == '-' && next[1] >= '0' && next[1] <= '9'
	key, rest, valid := parseObsoleteKey(p.Value[1:])
	_, posix := s.Getenv("POSIXLY_CORRECT")
	if !valid || rest != "" || posix && !minus {
		s.files = append(s.files, namedFile{name: p.Value})
		return nil
	}
	if minus {
		p.Skip()
		if message := key.obsoleteEnd(next); message != "" {
			return s.fatalf("%s", message)
		}
	}
	s.keys = append(s.keys, key)
	return nil
}

// inherit gives the global ordering options to keys that have none, and finds
// those that exclude one another.
func (s *sortCommand) inherit() error {
	for i := range s.keys {
		if k := &s.keys[i]; k.plain() && !k.reverse {
			k.sortOptions = s.global.sortOptions
		}
	}
	if len(s.keys) == 0 && !s.global.plain() {
		s.keys = append(s.keys, s.global)
	}
	s.reverse = s.global.reverse
	random := false
	for i := range s.keys {
		k := &s.keys[i]
		if k.kinds() > 1 {
			return s.fatalf("options '-%s' are incompatible", k.letters())
		}
		random = random || k.random
	}
	if !random {
		return nil
	}
	source := s.Host().Random()
	if s.random != "" {
		f, err := s.View().Open(s.ctx, s.random, vfs.O_RDONLY, 0)
		if err != nil {
			return s.fatalf("open failed: %s: %s", quoteFile(s.random), vfs.Words(err))
		}
		defer f.Close()
		source = f
	}
	if _, err := io.ReadFull(source, s.salt[:]); err != nil {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return s.fatalf("%s: end of file", quote(s.random))
		}
		return s.fatalf("%s: read error: %s", quote(s.random), vfs.Words(err))
	}
	return nil
}

func (s *sortCommand) files0() error {
	r, done, err := s.open(s.list)
	if err != nil {
		return s.fatalf("open failed: %s: %s", quoteFile(s.list), vfs.Words(err))
	}
	defer done()
	in := lines.NewReader(r, s.Host())
	in.Delim = 0
	defer in.Close()
	for number := 1; ; number++ {
		name, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			if s.ends(err) {
				return err
			}
			return s.fatalf("cannot read file names from %s", quoteName(s.list))
		}
		text := string(bytes.TrimSuffix(name, []byte{0}))
		switch {
		case s.list == "-" && text == "-":
			return s.fatalf("when reading file names from stdin, no file name of %s allowed", quoteName("-"))
		case text == "":
			return s.fatalf("%s:%d: invalid zero-length file name", quoteFile(s.list), number)
		}
		if err := s.Host().Charge(int64(len(text) + 64)); err != nil {
			return err
		}
		s.files = append(s.files, namedFile{name: text})
	}
	if len(s.files) == 0 {
		return s.fatalf("no input from %s", quoteName(s.list))
	}
	return nil
}

// readFailed reports an input that cannot be read, which ends the run.
func (s *sortCommand) readFailed(what, name string, err error) error {
	if s.ends(err) {
		return err
	}
	if name == "-" && s.check == 0 && errors.Is(err, vfs.EBADF) {
		what = "stat failed"
	}
	return s.fatalf("%s: %s: %s", what, quoteFile(name), vfs.Words(err))
}

// checkOrder is -c and -C: the first line out of order ends the run.
func (s *sortCommand) checkOrder() error {
	name := s.files[0].name
	r, done, err := s.open(name)
	if err != nil {
		return s.readFailed("open failed", name, err)
	}
	defer done()
	in := lines.NewReader(r, s.Host())
	in.Delim = s.end
	defer in.Close()
	c := s.comparer()
	var previous []byte
	for number := uint64(1); ; number++ {
		line, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return s.readFailed("read failed", name, err)
		}
		if number&0xfff == 0 {
			if err := s.ctx.Err(); err != nil {
				return err
			}
		}
		text := bytes.TrimSuffix(line, []byte{s.end})
		if number > 1 {
			if order := c.compare(previous, text); order > 0 || order == 0 && s.unique {
				s.status = 1
				if s.check == 'c' {
					s.warnf("%s:%s: disorder: %s", name, strconv.FormatUint(number, 10), text)
				}
				return nil
			}
		}
		previous = append(previous[:0], text...)
	}
}

func sortProgram(string) *program {
	return &program{
		output:  outputStyle{flushesLines: true},
		trouble: 2,
		usage: `sort [OPTION]... [FILE]...
   or: sort [OPTION]... --files0-from=F
Print the lines of all files, or of standard input, in order.

Order:
  -b, --ignore-leading-blanks  keys start after blanks
  -d, --dictionary-order    only blanks, letters and digits count
  -f, --ignore-case         small letters count as capitals
  -g, --general-numeric-sort  by floating-point value
  -h, --human-numeric-sort  by numbers like 2K and 1G
  -i, --ignore-nonprinting  only printable characters count
  -M, --month-sort          by names of months
  -n, --numeric-sort        by decimal value
  -R, --random-sort         at random, equal keys together
      --random-source=FILE  random bytes from FILE
  -r, --reverse             the other way round
      --sort=WORD           general-numeric, human-numeric, month, numeric, random, version
  -V, --version-sort        by version numbers inside the text

Other:
      --debug               say how keys are read, underline them in each line
      --batch-size=N, --compress-program=PROG, --parallel=N,
  -S, --buffer-size=SIZE, -T, --temporary-directory=DIR   accepted, without effect
  -c, --check[=diagnose-first]  only look whether the input is sorted
  -C, --check=quiet         the same without a message
      --files0-from=F       the files whose names, each ended by NUL, F holds
  -k, --key=KEYDEF          sort by a key; several apply in turn
  -m, --merge               the files are sorted already
  -o, --output=FILE         write FILE, which may be one of the inputs
  -s, --stable              equal keys stay in the order of the input
  -t, --field-separator=SEP fields are separated by SEP, not where a blank follows text
  -u, --unique              only the first of equal lines
  -z, --zero-terminated     lines end in NUL

KEYDEF is FIELD[.CHAR][LETTERS][,FIELD[.CHAR][LETTERS]], start and end, counted
from 1; the end is the line's where it is not given; LETTERS are of bdfgiMhnRrV.`,
		options: getopt.Spec{Order: getopt.InOrder, Options: []getopt.Option{
			{Key: 'b', Long: "ignore-leading-blanks"}, {Key: sortKeyCheck, Long: "check", Argument: getopt.Optional},
			{Key: sortKeyCompress, Long: "compress-program", Argument: getopt.Required}, {Key: sortKeyDebug, Long: "debug"},
			{Key: 'd', Long: "dictionary-order"}, {Key: 'f', Long: "ignore-case"},
			{Key: sortKeyFiles, Long: "files0-from", Argument: getopt.Required}, {Key: 'g', Long: "general-numeric-sort"},
			{Key: 'i', Long: "ignore-nonprinting"}, {Key: 'k', Long: "key", Argument: getopt.Required}, {Key: 'm', Long: "merge"},
			{Key: 'M', Long: "month-sort"}, {Key: 'n', Long: "numeric-sort"}, {Key: 'h', Long: "human-numeric-sort"},
			{Key: 'V', Long: "version-sort"}, {Key: 'R', Long: "random-sort"},
			{Key: sortKeyRandomSource, Long: "random-source", Argument: getopt.Required}, {Key: sortKeySort, Long: "sort", Argument: getopt.Required},
			{Key: 'o', Long: "output", Argument: getopt.Required}, {Key: 'r', Long: "reverse"}, {Key: 's', Long: "stable"},
			{Key: sortKeyBatch, Long: "batch-size", Argument: getopt.Required}, {Key: 'S', Long: "buffer-size", Argument: getopt.Required},
			{Key: 't', Long: "field-separator", Argument: getopt.Required}, {Key: 'T', Long: "temporary-directory", Argument: getopt.Required},
			{Key: 'u', Long: "unique"}, {Key: 'z', Long: "zero-terminated"}, {Key: sortKeyParallel, Long: "parallel", Argument: getopt.Required},
			{Key: 'c'}, {Key: 'C'}, {Key: 'y', Argument: getopt.Required},
		}},
		run: sortRun,
	}
}

// newSortKey is a key that is the whole line.
func newSortKey() sortKey { return sortKey{startField: math.MaxUint64, endField: math.MaxUint64} }
