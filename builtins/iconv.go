package builtins

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// iconvCommand is one run of iconv.
type iconvCommand struct {
	*call
	decoder               iconvDecoder
	encoder               iconvEncoder
	begin                 func()
	omit                  bool // -c
	ignore, transliterate bool
	verbose               bool
	output                string
	w                     *bufio.Writer
	file                  vfs.File
	pairs                 map[rune]string
	row                   []byte
}

const (
	iconvKeyVerbose = 256 + iota
	iconvKeyUsage
)

// statusIconvUsage is what glibc's programs end with for a wrong option.
const statusIconvUsage = 64

func iconvRun(c *call) error {
	i := &iconvCommand{call: c}
	from, to := "", ""
	spec := c.program.options
	p := getopt.New(&spec, c.Arguments)
	for p.Next() {
		switch p.Key {
		case 'f':
			from = p.Value
		case 't':
			to = p.Value
		case 'c':
			i.omit = true
		case 'o':
			i.output = p.Value
		case 'l':
			for _, name := range iconvNames() {
				c.out.WriteString(name + "//\n")
			}
			return nil
		case iconvKeyVerbose:
			i.verbose = true
		case '?', iconvKeyUsage:
			return c.showHelp()
		case 'V':
			return c.showVersion()
		}
	}
	if err := p.Err(); err != nil {
		c.warnf("%s", err)
		io.WriteString(c.Stderr, "Try `iconv --help' or `iconv --usage' for more information.\n")
		return command.ExitError(statusIconvUsage)
	}
	if err := i.settle(from, to); err != nil {
		return err
	}
	operands := p.Operands()
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	i.w = c.out
	defer func() {
		if i.file != nil {
			i.file.Close()
		}
	}()
	for _, name := range operands {
		if more, err := i.one(name); err != nil || !more {
			return err
		}
	}
	return i.end()
}

// settle finds both encodings; words after // say what is done with characters
// that the target lacks.
func (i *iconvCommand) settle(from, to string) error {
	local := "UTF-8"
	if i.cLocale() {
		local = "ANSI_X3.4-1968"
	}
	name := func(s string) (string, string) {
		base, how, _ := strings.Cut(strings.ToUpper(s), "//")
		if base == "" {
			base = local
		}
		return base, how
	}
	base, how := name(to)
	for _, word := range strings.FieldsFunc(how, func(r rune) bool { return r == '/' || r == ',' }) {
		i.transliterate = i.transliterate || word == "TRANSLIT"
		i.ignore = i.ignore || word == "IGNORE"
	}
	source, how := name(from)
	i.ignore = i.ignore || strings.Contains(how, "IGNORE")
	// Each file begins a conversion of its own, mark of byte order included.
	i.begin = func() {
		i.decoder, _ = iconvCodec(source)
		_, i.encoder = iconvCodec(base)
	}
	if i.begin(); i.decoder == nil || i.encoder == nil {
		return i.fatalf("failed to start conversion processing: %s", vfs.Words(vfs.ENOENT))
	}
	return nil
}

// one converts an operand; more is false where the rest is not looked at.
func (i *iconvCommand) one(name string) (more bool, err error) {
	if i.verbose {
		io.WriteString(i.Stderr, name+":\n")
	}
	r, done, err := i.open(name)
	if err != nil {
		if i.ctx.Err() != nil {
			return false, i.ctx.Err()
		}
		i.errorf("cannot open input file `%s': %s", name, vfs.Words(err))
		return true, nil
	}
	defer done()
	i.begin()
	buffer, used, position := make([]byte, 64<<10), 0, int64(0)
	wrong := false
	fail := func(message string) (bool, error) {
		if err := i.end(); err != nil {
			return false, err
		}
		return false, i.fatalf("%s", message)
	}
	for eof := false; !eof; {
		n, err := r.Read(buffer[used:])
		used += n
		if err == io.EOF {
			eof = true
		} else if err == nil {
			err = i.ctx.Err()
		}
		if err != nil && !eof {
			if i.ends(err) {
				return false, err
			}
			return fail("error while reading the input: " + vfs.Words(err))
		}
		at := 0
		i.row = i.row[:0]
		for at < used {
			c, size, state := i.decoder.next(buffer[at:used])
			if state == iconvShort && !eof {
				break
			}
			if state == iconvShort {
				i.put(i.row)
				return fail("incomplete character or shift sequence at end of buffer")
			}
			good := state == iconvGood
			if good && c >= 0 {
				var ok bool
				if i.row, ok = i.encoder.add(i.row, c); !ok {
					i.row, good = i.substitute(i.row, c)
				}
			}
			if !good && !i.omit && !i.ignore {
				i.put(i.row)
				return fail(fmt.Sprintf("illegal input sequence at position %d", position+int64(at)))
			}
			wrong = wrong || !good
			at += size
		}
		position += int64(at)
		used = copy(buffer, buffer[at:used])
		if err := i.put(i.row); err != nil {
			return false, err
		}
	}
	if wrong && i.ignore && !i.omit {
		return fail(fmt.Sprintf("illegal input sequence at position %d", position))
	}
	return true, nil
}

// substitute writes what //TRANSLIT has for a character.
func (i *iconvCommand) substitute(row []byte, c rune) ([]byte, bool) {
	if !i.transliterate {
		return row, false
	}
	if i.pairs == nil {
		i.pairs = map[rune]string{}
		for _, pair := range strings.Split(iconvTransliterations, "\t") {
			for j, r := range pair {
				if j == 0 {
					i.pairs[r] = pair[len(string(r)):]
				}
			}
		}
	}
	text, ok := i.pairs[c]
	if !ok {
		text = "?"
	}
	for _, r := range text {
		if row, ok = i.encoder.add(row, r); !ok {
			return row, false
		}
	}
	return row, true
}

// put writes a part of the output; -o's file is made with the first one.
func (i *iconvCommand) put(p []byte) error {
	if i.output != "" && i.output != "-" && i.file == nil {
		f, err := i.View().Open(i.ctx, i.output, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
		if err != nil {
			return i.fatalf("cannot open output file: %s", vfs.Words(err))
		}
		i.file, i.w = f, bufio.NewWriterSize(f, 32<<10)
	}
	if _, err := i.w.Write(p); err != nil {
		if i.ends(err) || errors.Is(err, vfs.EPIPE) {
			return err
		}
		return i.fatalf("conversion stopped due to problem in writing the output: %s", vfs.Words(err))
	}
	return nil
}

func (i *iconvCommand) end() error {
	if err := i.w.Flush(); err != nil {
		return i.writeError(err)
	}
	return nil
}

func iconvProgram(string) *program {
	return &program{
		output: outputStyle{line: "error while closing output file: "},
		noHelp: true,
		usage: `iconv [OPTION]... [FILE]...
Convert the text of files, or of standard input, between encodings.

  -f, --from-code=NAME  the encoding of the input: the locale's
  -t, --to-code=NAME    the encoding of the output: the locale's; NAME//TRANSLIT
                        writes something alike for what it lacks, NAME//IGNORE nothing
  -c                    leave out what cannot be converted
  -l, --list            print the names of encodings
  -o, --output=FILE     write to FILE
  -s, --silent          accepted
      --verbose         print the names of files
  -?, --help, --usage; -V, --version`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'f', Long: "from-code", Argument: getopt.Required}, {Key: 't', Long: "to-code", Argument: getopt.Required}, {Key: 'c'},
			{Key: 'l', Long: "list"}, {Key: 'o', Long: "output", Argument: getopt.Required}, {Key: 's', Long: "silent"},
			{Key: iconvKeyVerbose, Long: "verbose"}, {Key: '?', Long: "help"}, {Key: iconvKeyUsage, Long: "usage"}, {Key: 'V', Long: "version"},
		}},
		run: iconvRun,
	}
}
