package builtins

import (
	"bytes"
	"io"
	"io/fs"
	"math"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/vfs"
)

// splitCommand is one run of split.
type splitCommand struct {
	*call
	kind       splitKind
	count      uint64 // of lines, bytes or chunks
	chunk      uint64 // the only one wanted, to stdout; 0: all
	names      splitNames
	separator  int // -1 until given
	elide      bool
	filter     string
	filtered   bool
	verbose    bool
	unbuffered bool
	input      io.Reader
	inputInfo  *vfs.Info
	outputs    []*splitOutput // round robin keeps several open
	current    *splitOutput
}

const splitSuffixes = "bEGKkMmPTYZ0"

type splitKind uint8

const (
	splitUnset splitKind = iota
	splitLines
	splitBytes
	splitLineBytes
	splitChunkBytes
	splitChunkLines
	splitChunkRobin
)

const (
	splitKeySuffix = 256 + iota
	splitKeyFilter
	splitKeyVerbose
	splitKeyNumeric
	splitKeyHexadecimal
	splitKeyBlock
)

func splitRun(c *call) error {
	s := &splitCommand{call: c, separator: -1, names: splitNames{prefix: "x", alphabet: "abcdefghijklmnopqrstuvwxyz", widens: true}}
	operands, err := c.parse(s.option)
	if err != nil {
		return err
	}
	if s.chunk != 0 && s.filtered {
		return c.usageErrorf("--filter does not process a chunk extracted to stdout")
	}
	if s.kind == splitUnset {
		s.kind, s.count = splitLines, 1000
	}
	if s.count == 0 {
		return c.usageErrorf("invalid number of lines: %s", quote("0"))
	}
	if s.separator < 0 {
		s.separator = '\n'
	}
	if err := s.names.settle(s); err != nil {
		return err
	}
	name := "-"
	if len(operands) > 0 {
		name = operands[0]
	}
	if len(operands) > 1 {
		s.names.prefix = operands[1]
	}
	if len(operands) > 2 {
		return c.usageErrorf("extra operand %s", quote(operands[2]))
	}
	r, done, err := c.open(name)
	if err != nil {
		return c.fatalf("cannot open %s for reading: %s", quoteName(name), vfs.Words(err))
	}
	defer done()
	s.input, s.inputInfo = r, statStream(r)
	if err := s.run(name); err != nil {
		s.abandon()
		if c.ends(err) {
			return err
		}
		return c.fatalf("%s: %s", quoteFile(name), vfs.Words(err))
	}
	return s.finish()
}

func (s *splitCommand) option(p *getopt.Parser) error {
	amount := func(kind splitKind, suffixes, what string) error {
		if s.kind != splitUnset {
			return s.usageErrorf("cannot split in more than one way")
		}
		n, err := s.number(p.Value, 1, math.MaxUint64, suffixes, what)
		s.kind, s.count = kind, n
		return err
	}
	switch p.Key {
	case 'a':
		n, err := s.number(p.Value, 0, math.MaxInt32, "", "invalid suffix length")
		if n > splitLongestSuffix {
			return s.fatalf("invalid suffix length: %s", quote(p.Value))
		}
		s.names.length = int(n)
		return err
	case splitKeySuffix:
		if strings.Contains(p.Value, "/") {
			return s.usageErrorf("invalid suffix %s, contains directory separator", quote(p.Value))
		}
		s.names.suffix = p.Value
	case 'b':
		return amount(splitBytes, splitSuffixes, "invalid number of bytes")
	case 'l':
		return amount(splitLines, "", "invalid number of lines")
	case 'C':
		return amount(splitLineBytes, splitSuffixes, "invalid number of bytes")
	case 'n':
		if s.kind != splitUnset {
			return s.usageErrorf("cannot split in more than one way")
		}
		return s.chunks(p.Value)
	case 'u':
		s.unbuffered = true
	case 't':
		return s.setSeparator(p.Value)
	case '0':
		if s.kind != splitUnset {
			return s.usageErrorf("cannot split in more than one way")
		}
		n, bad := parseNumber(p.Value, "")
		if bad != numberOK {
			return s.fatalf("line count option -%s... is too large", p.Value)
		}
		s.kind, s.count = splitLines, n
	case 'd', splitKeyNumeric:
		s.names.alphabet = "0123456789"
		return s.start(p, "numerical")
	case 'x', splitKeyHexadecimal:
		s.names.alphabet = "0123456789abcdef"
		return s.start(p, "hexadecimal")
	case 'e':
		s.elide = true
	case splitKeyFilter:
		s.filter, s.filtered = p.Value, true
	case splitKeyBlock:
		_, err := s.number(p.Value, 1, math.MaxInt32, splitSuffixes, "invalid IO block size")
		return err
	case splitKeyVerbose:
		s.verbose = true
	}
	return nil
}

// chunks reads N, K/N and these after l/ or r/.
func (s *splitCommand) chunks(value string) error {
	s.kind = splitChunkBytes
	text := value
	if rest, ok := strings.CutPrefix(text, "r/"); ok {
		s.kind, text = splitChunkRobin, rest
	} else if rest, ok := strings.CutPrefix(text, "l/"); ok {
		s.kind, text = splitChunkLines, rest
	}
	chunk, total, ok := strings.Cut(text, "/")
	if !ok {
		total = text
	}
	n, err := s.number(total, 1, math.MaxUint64, "", "invalid number of chunks")
	if err != nil {
		return err
	}
	s.count = n
	if ok {
		s.chunk, err = s.number(chunk, 1, n, "", "invalid chunk number")
	}
	return err
}

func (s *splitCommand) setSeparator(value string) error {
	if value == "" {
		return s.fatalf("empty record separator")
	}
	separator := int(value[0])
	if len(value) > 1 {
		if value != `\0` {
			return s.fatalf("multi-character separator %s", quote(value))
		}
		separator = 0
	}
	if s.separator >= 0 && s.separator != separator {
		return s.fatalf("multiple separator characters specified")
	}
	s.separator = separator
	return nil
}

func (s *splitCommand) start(p *getopt.Parser, what string) error {
	if !p.HasValue {
		return nil
	}
	if strings.Trim(p.Value, s.names.alphabet) != "" {
		return s.usageErrorf("%s: invalid start value for %s suffix", quote(p.Value), what)
	}
	s.names.start = strings.TrimLeft(p.Value, "0")
	if s.names.start == "" && p.Value != "" {
		s.names.start = "0"
	}
	s.names.started = true
	return nil
}

// run splits the input; its error is one of reading, or the end of the run.
func (s *splitCommand) run(name string) error {
	switch s.kind {
	case splitLines:
		return s.byLines()
	case splitBytes:
		return s.byBytes(func(int) uint64 { return s.count }, math.MaxUint64)
	case splitLineBytes:
		return s.byLineBytes()
	case splitChunkRobin:
		return s.byRobin()
	}
	size, err := s.size(name)
	if err != nil {
		return err
	}
	// Each of more chunks than there are bytes gets one while they last.
	size = max(size, s.count)
	if s.kind == splitChunkLines {
		return s.byChunkLines(size)
	}
	return s.byChunkBytes(size)
}

// size is how much there is to read, from where the input stands.
func (s *splitCommand) size(name string) (uint64, error) {
	info := s.inputInfo
	if info == nil || !info.FileMode.IsRegular() {
		cause := ""
		switch {
		case info != nil && info.IsDir():
			cause = ": Is a directory"
		case info != nil && info.FileMode&fs.ModeCharDevice != 0:
			// An endless device is read until it shows to be one.
			n, err := io.CopyN(io.Discard, s.input, 1)
			if n == 0 && err == io.EOF {
				return 0, nil
			}
			cause = ": Value too large for defined data type"
		}
		return 0, s.fatalf("%s: cannot determine file size%s", quoteFile(name), cause)
	}
	_, size, offset, ok := regularFile(s.input)
	if !ok {
		return 0, s.fatalf("%s: cannot determine file size", quoteFile(name))
	}
	return uint64(max(size-offset, 0)), nil
}

// each hands over the input in blocks.
func (s *splitCommand) each(visit func(p []byte) error) error {
	block := make([]byte, lines.BlockSize)
	for {
		n, err := s.input.Read(block)
		if n > 0 {
			if err := visit(block[:n]); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = s.ctx.Err()
		}
		if err != nil {
			return err
		}
	}
}

func (s *splitCommand) byLines() error {
	left, fresh := s.count, true
	separator := []byte{byte(s.separator)}
	return s.each(func(p []byte) error {
		for len(p) > 0 {
			end := 0
			if n := uint64(bytes.Count(p, separator)); n < left {
				left -= n
				end = len(p)
			} else {
				for ; left > 0; left-- {
					end += bytes.IndexByte(p[end:], separator[0]) + 1
				}
			}
			if err := s.write(fresh, p[:end]); err != nil {
				return err
			}
			if fresh = left == 0; fresh {
				left = s.count
			}
			p = p[end:]
		}
		return nil
	})
}

// byBytes makes files of size(i) bytes; the last of files takes what is left.
func (s *splitCommand) byBytes(size func(i int) uint64, files uint64) error {
	made := 0
	left, fresh := size(0), true
	err := s.each(func(p []byte) error {
		for len(p) > 0 {
			for left == 0 && uint64(made+1) < files {
				if fresh && files != math.MaxUint64 {
					// A chunk of no bytes is a file all the same.
					if err := s.write(true, nil); err != nil {
						return err
					}
				}
				made, fresh = made+1, true
				left = size(made)
			}
			n := int(min(uint64(len(p)), left))
			if uint64(made+1) == files {
				n = len(p)
			}
			if err := s.write(fresh, p[:n]); err != nil {
				return err
			}
			fresh = false
			left -= min(left, uint64(n))
			p = p[n:]
		}
		return nil
	})
	if err != nil || files == math.MaxUint64 {
		return err
	}
	if !fresh {
		made++
	}
	return s.rest(uint64(made), files)
}

// rest makes the chunks that got nothing.
func (s *splitCommand) rest(made, files uint64) error {
	for ; made < files; made++ {
		if err := s.write(true, nil); err != nil {
			return err
		}
		if s.elide {
			return nil
		}
	}
	return nil
}

func (s *splitCommand) byChunkBytes(size uint64) error {
	part := size / s.count
	if s.chunk == 0 {
		return s.byBytes(func(int) uint64 { return part }, s.count)
	}
	from, to := (s.chunk-1)*part, s.chunk*part
	if s.chunk == s.count {
		to = size
	}
	if err := s.skip(from); err != nil {
		return err
	}
	left := to - from
	s.input = io.LimitReader(s.input, int64(left))
	return s.each(func(p []byte) error { return s.print(p) })
}

func (s *splitCommand) skip(n uint64) error {
	f, _, _, ok := regularFile(s.input)
	if !ok {
		return vfs.ESPIPE
	}
	_, err := f.Seek(int64(n), io.SeekCurrent)
	return err
}

func (s *splitCommand) print(p []byte) error {
	if _, err := s.out.Write(p); err != nil {
		return s.writeError(err)
	}
	return nil
}

// byChunkLines gives each line to the chunk of bytes that it starts in, or to a
// later one where an earlier line went beyond it.
func (s *splitCommand) byChunkLines(size uint64) error {
	part := size / s.count
	end := func(chunk uint64) uint64 {
		if chunk >= s.count {
			return size
		}
		return chunk * part
	}
	separator := byte(s.separator)
	chunk, at, fresh := uint64(1), uint64(0), true
	err := s.each(func(p []byte) error {
		for len(p) > 0 {
			// The line that holds the chunk's last byte is its last line.
			from := uint64(0)
			if last := end(chunk); last > at+1 {
				from = min(last-1-at, uint64(len(p)))
			}
			n, whole := len(p), false
			if i := bytes.IndexByte(p[from:], separator); i >= 0 {
				n, whole = int(from)+i+1, true
			}
			if s.chunk == chunk {
				if err := s.print(p[:n]); err != nil {
					return err
				}
			} else if s.chunk == 0 {
				if err := s.write(fresh, p[:n]); err != nil {
					return err
				}
			}
			fresh = false
			at += uint64(n)
			p = p[n:]
			for whole && chunk <= s.count && end(chunk) <= at {
				if fresh && s.chunk == 0 {
					if err := s.write(true, nil); err != nil {
						return err
					}
				}
				chunk, fresh = chunk+1, true
				if s.chunk != 0 && chunk > s.chunk {
					s.input = bytes.NewReader(nil)
					return nil
				}
			}
		}
		return nil
	})
	if err != nil || s.chunk != 0 {
		return err
	}
	if !fresh {
		chunk++
	}
	return s.rest(chunk-1, s.count)
}

// byLineBytes puts as many whole lines into a file as fit; a line that is longer
// than a file is cut.
func (s *splitCommand) byLineBytes() error {
	limit := s.count
	in := lines.NewReader(s.input, s.Host())
	in.Delim = byte(s.separator)
	defer in.Close()
	var used uint64
	for {
		line, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = s.ctx.Err()
		}
		if err != nil {
			return err
		}
		if used > 0 && used+uint64(len(line)) > limit {
			used = 0
		}
		for len(line) > 0 {
			n := int(min(uint64(len(line)), limit-used))
			if err := s.write(used == 0, line[:n]); err != nil {
				return err
			}
			if used += uint64(n); used == limit {
				used = 0
			}
			line = line[n:]
		}
	}
}

// splitMostOpen is how many files round robin may write to at once.
const splitMostOpen = 1021

func (s *splitCommand) byRobin() error {
	separator := byte(s.separator)
	if s.chunk == 0 {
		if s.count > splitMostOpen {
			return s.fatalf("too many chunks for round robin: %d", s.count)
		}
		for range s.count {
			if s.elide && !s.filtered {
				// Files are made when their first line comes.
				name, err := s.names.next(s)
				if err != nil {
					return err
				}
				s.outputs = append(s.outputs, &splitOutput{name: name})
				continue
			}
			if err := s.begin(); err != nil {
				return err
			}
			s.outputs = append(s.outputs, s.current)
			s.current = nil
		}
	}
	at := uint64(0)
	return s.each(func(p []byte) error {
		for len(p) > 0 {
			n, whole := len(p), false
			if i := bytes.IndexByte(p, separator); i >= 0 {
				n, whole = i+1, true
			}
			var err error
			if s.chunk == at+1 {
				err = s.print(p[:n])
			} else if s.chunk == 0 {
				o := s.outputs[at]
				if !o.made {
					err = s.make(o)
				}
				if err == nil {
					err = o.write(s, p[:n])
				}
			}
			if err != nil {
				return err
			}
			if whole {
				at = (at + 1) % s.count
			}
			p = p[n:]
		}
		if s.unbuffered {
			return s.flush()
		}
		return nil
	})
}

func (s *splitCommand) flush() error {
	for _, o := range s.outputs {
		if o.w != nil {
			if err := o.w.Flush(); err != nil && !s.filtered {
				return s.outputFailed(o.name, err)
			}
		}
	}
	return s.out.Flush()
}

func splitProgram(string) *program {
	return &program{
		usage: `split [OPTION]... [FILE [PREFIX]]
Write pieces of FILE, or of standard input, to PREFIXaa, PREFIXab and so on:
1000 lines to each, and PREFIX is x, unless options say otherwise.

  -a, --suffix-length=N    suffixes of N letters: 2, and more when they run out
      --additional-suffix=TEXT  append TEXT to the names
  -b, --bytes=SIZE         SIZE bytes to a file
  -C, --line-bytes=SIZE    at most SIZE bytes of whole lines to a file
  -d                       digits as suffixes
      --numeric-suffixes[=FROM]  so, starting at FROM
  -x                       hexadecimal digits as suffixes
      --hex-suffixes[=FROM]  so, starting at FROM
  -e, --elide-empty-files  no empty files with -n
      --filter=COMMAND     pipe each piece to COMMAND, its file's name in $FILE
  -l, --lines=NUMBER       NUMBER lines to a file; -NUMBER too
  -n, --number=CHUNKS      N: N files of as many bytes; l/N: of whole lines;
                           r/N: lines in turn; K/N, l/K/N, r/K/N: print only the
                           Kth of them
  -t, --separator=C        lines end in C; \0 is NUL
  -u, --unbuffered         write at once with -n r/...
      --verbose            tell of each file

SIZE may end in b (512), K, M, G and so on (1024), KB, MB (1000).`,
		options: getopt.Spec{Digits: true, Options: []getopt.Option{
			{Key: 'a', Long: "suffix-length", Argument: getopt.Required}, {Key: splitKeySuffix, Long: "additional-suffix", Argument: getopt.Required},
			{Key: 'b', Long: "bytes", Argument: getopt.Required}, {Key: 'l', Long: "lines", Argument: getopt.Required}, {Key: 'C', Long: "line-bytes", Argument: getopt.Required},
			{Key: 'd'}, {Key: 'n', Long: "number", Argument: getopt.Required}, {Key: splitKeyNumeric, Long: "numeric-suffixes", Argument: getopt.Optional},
			{Key: 'x'}, {Key: splitKeyHexadecimal, Long: "hex-suffixes", Argument: getopt.Optional},
			{Key: 'e', Long: "elide-empty-files"}, {Key: splitKeyFilter, Long: "filter", Argument: getopt.Required},

			{Key: 't', Long: "separator", Argument: getopt.Required}, {Key: 'u', Long: "unbuffered"}, {Key: splitKeyVerbose, Long: "verbose"},
			{Key: splitKeyBlock, Long: "-io-blksize", Argument: getopt.Required},
		}},
		run: splitRun,
	}
}
