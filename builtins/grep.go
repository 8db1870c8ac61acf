package builtins

import (
	"errors"
	"io"
	"math"
	"strings"

	"github.com/vsh-project/vsh/builtins/internal/grep"
	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/regex"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// grepCommand is one run of grep, egrep or fgrep.
type grepCommand struct {
	*call
	options  grep.Options
	regex    regex.Options
	chosen   bool // a matcher was named
	patterns []string
	given    bool // -e or -f was used
	matcher  *regex.Matcher

	count        bool
	listMatching bool
	listOthers   bool
	quiet        bool // -q
	noMessages   bool
	nameOption   byte // 'H', 'h' or 0
	label        string
	directories  byte // 'r' read, 's' skip, 'R' recurse
	followLinks  bool
	devicesRead  byte // 'r' read, 's' skip, 0: read those named
	context      int
	files        grepRules
	folders      grepRules

	stdout  *vfs.Info // what stdout is, where it is a file
	matched bool
}

// Keys of options without a letter.
const (
	grepKeyNoIgnoreCase = 256 + iota
	grepKeyBinaryFiles
	grepKeyLabel
	grepKeyLineBuffered
	grepKeyInclude
	grepKeyExclude
	grepKeyExcludeFrom
	grepKeyExcludeDir
	grepKeySeparator
	grepKeyNoSeparator
	grepKeyColor
)

func grepRun(c *call) error {
	g := &grepCommand{call: c, directories: 'r', context: -1, label: "(standard input)"}
	g.options = grep.Options{MaxCount: grep.Unlimited, Before: -1, After: -1, Separator: "--"}
	switch c.program.name {
	case "egrep":
		g.regex.Syntax, g.chosen = regex.GrepExtended, true
	case "fgrep":
		g.regex.Syntax, g.chosen = regex.Fixed, true
	}
	operands, err := c.parse(g.option)
	if err != nil {
		return err
	}
	if !g.given {
		if len(operands) == 0 {
			return c.tryHelp()
		}
		g.patterns = strings.Split(operands[0], "\n")
		operands = operands[1:]
	}
	if err := g.prepare(operands); err != nil {
		return err
	}
	if g.options.MaxCount == 0 && !g.listOthers {
		return command.ExitError(1)
	}
	if err := g.run(operands); err != nil {
		return err
	}
	switch {
	case g.quiet && g.matched:
		g.status = 0
	case g.status == 0 && !g.matched:
		g.status = 1
	}
	return nil
}

func (g *grepCommand) option(p *getopt.Parser) error {
	o := &g.options
	switch p.Key {
	case 'E':
		return g.choose(regex.GrepExtended)
	case 'F':
		return g.choose(regex.Fixed)
	case 'G':
		return g.choose(regex.Basic)
	case 'P':
		return g.choose(regex.Perl)
	case 'X':
		for name, syntax := range map[string]regex.Syntax{"grep": regex.Basic, "egrep": regex.GrepExtended, "fgrep": regex.Fixed,
			"awk": regex.Awk, "gawk": regex.GNUAwk, "posixawk": regex.POSIXAwk, "perl": regex.Perl} {
			if name == p.Value {
				return g.choose(syntax)
			}
		}
		return g.fatalf("invalid matcher %s", p.Value)
	case 'e':
		g.given = true
		g.patterns = append(g.patterns, strings.Split(p.Value, "\n")...)
	case 'f':
		return g.patternFile(p.Value)
	case 'i', 'y':
		g.regex.IgnoreCase = true
	case grepKeyNoIgnoreCase:
		g.regex.IgnoreCase = false
	case 'w':
		g.regex.Word = true
	case 'x':
		g.regex.Line = true
	case 'z':
		o.NullData = true
	case 's':
		g.noMessages = true
	case 'v':
		o.Invert = true
	case 'm':
		n, ok := grepNumber(p.Value, true)
		if !ok {
			return g.fatalf("invalid max count")
		}
		if o.MaxCount = n; n < 0 || n == math.MaxInt64 {
			o.MaxCount = grep.Unlimited
		}
	case 'b':
		o.ByteOffset = true
	case 'n':
		o.LineNumber = true
	case grepKeyLineBuffered:
		o.LineBuffered = true
	case 'H', 'h':
		g.nameOption = byte(p.Key)
	case grepKeyLabel:
		g.label = p.Value
	case 'o':
		o.OnlyMatching = true
	case 'q':
		g.quiet = true
	case grepKeyBinaryFiles:
		switch p.Value {
		case "binary":
			o.Binary = grep.BinaryMessage
		case "text":
			o.Binary = grep.BinaryText
		case "without-match":
			o.Binary = grep.BinarySkip
		default:
			return g.fatalf("unknown binary-files type")
		}
	case 'a':
		o.Binary = grep.BinaryText
	case 'I':
		o.Binary = grep.BinarySkip
	case 'U':
	case 'V':
		writeVersion(g.out, g.program.name)
		return errDone
	case 'u':
		g.warnf("warning: --unix-byte-offsets (-u) is obsolete")
	case 'd':
		switch {
		case p.Value != "" && strings.HasPrefix("skip", p.Value):
			g.directories = 's'
		case len(p.Value) > 2 && strings.HasPrefix("read", p.Value):
			g.directories = 'r'
		case len(p.Value) > 2 && strings.HasPrefix("recurse", p.Value):
			g.directories = 'R'
		default:
			return g.badDirectories(p.Value)
		}
	case 'D':
		switch p.Value {
		case "read":
			g.devicesRead = 'r'
		case "skip":
			g.devicesRead = 's'
		default:
			return g.fatalf("unknown devices method")
		}
	case 'r', 'R':
		g.directories, g.followLinks = 'R', p.Key == 'R'
	case grepKeyInclude:
		g.files.add(p.Value, true)
	case grepKeyExclude:
		g.files.add(p.Value, false)
	case grepKeyExcludeDir:
		g.folders.add(grepTrimSlashes(p.Value), false)
	case grepKeyExcludeFrom:
		text, err := g.readAll(p.Value)
		if err != nil {
			return g.fatalf("%s: %s", p.Value, vfs.Words(err))
		}
		for _, line := range strings.Split(text, "\n") {
			if line != "" {
				g.files.add(line, false)
			}
		}
	case 'L', 'l':
		g.listOthers, g.listMatching = p.Key == 'L', p.Key == 'l'
	case 'c':
		g.count = true
	case 'T':
		o.AlignTabs = true
	case 'Z':
		o.NullName = true
	case 'A', 'B', 'C', '0':
		n, ok := grepNumber(p.Value, false)
		if !ok {
			return g.fatalf("%s: invalid context length argument", p.Value)
		}
		lines := int(min(n, math.MaxInt32))
		switch p.Key {
		case 'A':
			o.After = lines
		case 'B':
			o.Before = lines
		default:
			g.context = lines
		}
	case grepKeySeparator:
		o.Separator = p.Value
	case grepKeyNoSeparator:
		o.NoSeparator = true
	case grepKeyColor:
		return g.color(p)
	}
	return nil
}

func (g *grepCommand) choose(syntax regex.Syntax) error {
	if g.chosen && g.regex.Syntax != syntax {
		return g.fatalf("conflicting matchers specified")
	}
	g.regex.Syntax, g.chosen = syntax, true
	return nil
}

func (g *grepCommand) badDirectories(value string) error {
	g.errorf("invalid argument %s for %s", quote(value), quote("--directories"))
	io.WriteString(g.Stderr, "Valid arguments are:\n  - "+quote("read")+"\n  - "+quote("recurse")+"\n  - "+quote("skip")+
		"\n")
	g.tryHelp()
	return command.ExitError(1)
}

func (g *grepCommand) color(p *getopt.Parser) error {
	switch p.Value {
	case "always", "yes", "force":
		colors, _ := g.Getenv("GREP_COLORS")
		old, _ := g.Getenv("GREP_COLOR")
		if old != "" && strings.Trim(old, "0123456789;") == "" {
			g.warnf("warning: GREP_COLOR='%s' is deprecated; use GREP_COLORS='mt=%s'", old, old)
		} else {
			old = ""
		}
		g.options.Colors = grep.ParseColors(colors, old)
	case "", "auto", "tty", "if-tty", "never", "no", "none":
		g.options.Colors = nil // stdout is no terminal
	default:
		io.WriteString(g.out, "Usage: "+g.program.usage+"\n")
		return errDone
	}
	return nil
}

// grepNumber reads a count; one too large is the largest.
func grepNumber(s string, negative bool) (int64, bool) {
	digits := s
	if negative {
		digits = strings.TrimPrefix(s, "-")
	}
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n := int64(0)
	for _, c := range []byte(digits) {
		if n > (math.MaxInt64-9)/10 {
			n = math.MaxInt64
			break
		}
		n = n*10 + int64(c-'0')
	}
	if digits != s {
		n = -n
	}
	return n, true
}

func grepTrimSlashes(s string) string {
	for len(s) > 1 && strings.HasSuffix(s, "/") {
		s = s[:len(s)-1]
	}
	return s
}

// readAll reads a file of patterns, which the budget is charged for: their
// text, as often as it is held while it grows.
func (g *grepCommand) readAll(name string) (string, error) {
	r, done, err := g.open(name)
	if err != nil {
		return "", err
	}
	defer done()
	var b strings.Builder
	block := make([]byte, 32<<10)
	for {
		n, err := r.Read(block)
		if charge := g.Host().Charge(int64(2 * n)); charge != nil {
			return "", charge
		}
		b.Write(block[:n])
		if err == io.EOF {
			return b.String(), nil
		}
		if err != nil {
			return "", err
		}
	}
}

func (g *grepCommand) patternFile(name string) error {
	text, err := g.readAll(name)
	if err != nil {
		return g.fatalf("%s: %s", name, vfs.Words(err))
	}
	g.given = true
	lines, err := g.patternLines(text)
	g.patterns = append(g.patterns, lines...)
	return err
}

// patternLines are the lines of a file of patterns. They are held as patterns,
// and once more where they are sorted.
func (c *call) patternLines(text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	if err := c.Host().Charge(int64(strings.Count(text, "\n")+1) * 64); err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n"), nil
}

// prepare settles what the options mean together, and compiles.
func (g *grepCommand) prepare(operands []string) error {
	o := &g.options
	if g.context >= 0 {
		if o.Before < 0 {
			o.Before = g.context
		}
		if o.After < 0 {
			o.After = g.context
		}
	}
	if g.quiet {
		g.listMatching, g.listOthers = false, false
	}
	listing := g.listMatching || g.listOthers
	o.FirstOnly = g.quiet || listing
	if o.FirstOnly {
		g.count = false
	}
	o.Quiet = g.count || o.FirstOnly
	o.Bytes = g.cLocale()
	g.regex.Bytes, g.regex.ASCIIRanges = o.Bytes, true
	g.regex.DollarNewline = o.NullData
	switch g.nameOption {
	case 'H':
		o.WithName = true
	case 0:
		o.WithName = len(operands) > 1
	}
	if g.regex.Syntax == regex.Perl && len(g.patterns) > 1 {
		return g.fatalf("the -P option only supports a single pattern")
	}
	m, err := regex.CompileAll(g.patterns, g.regex)
	if err != nil {
		return g.fatalf("%s", err)
	}
	for _, w := range m.Warnings() {
		g.warnf("warning: %s", w)
	}
	g.matcher = m
	if !o.Quiet && o.MaxCount > 1 {
		if info := g.streamInfo(g.Stdout, "/dev/stdout"); info != nil && info.FileMode.IsRegular() {
			g.stdout = info
		}
	}
	return nil
}

// streamInfo describes one of the call's streams, nil where nobody knows.
func (c *call) streamInfo(stream any, name string) *vfs.Info {
	if f, ok := stream.(interface{ Stat() (*vfs.Info, error) }); ok {
		if info, err := f.Stat(); err == nil {
			return info
		}
	}
	info, err := c.View().Stat(c.ctx, name)
	if err != nil {
		return nil
	}
	return info
}

// cLocale reports the C locale, where each byte is a character.
func (c *call) cLocale() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value, _ := c.Getenv(name); value != "" {
			return value == "C" || value == "POSIX"
		}
	}
	return false
}

// errGrepSettled ends a run whose answer is known (-q).
var errGrepSettled = errors.New("settled")

func (g *grepCommand) run(operands []string) error {
	out := &grep.Output{Writer: g.out}
	s := grep.NewSearcher(g.ctx, g.matcher, &g.options, g.Host())
	defer s.Close()
	dot := len(operands) == 0 && g.directories == 'R'
	switch {
	case dot:
		operands = []string{"."}
	case len(operands) == 0:
		operands = []string{"-"}
	}
	for _, name := range operands {
		if err := g.ctx.Err(); err != nil {
			return err
		}
		var err error
		if name == "-" {
			err = g.standardInput(s, out)
		} else {
			err = g.operand(s, name, dot, out)
		}
		if err == errGrepSettled {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (g *grepCommand) standardInput(s *grep.Searcher, out *grep.Output) error {
	if g.stdout != nil {
		if info := g.streamInfo(g.Stdin, "/dev/stdin"); info != nil && info.FileMode.IsRegular() && vfs.SameFile(info, g.stdout) {
			return g.finish(grepOutcome{name: g.label, err: errGrepOutput})
		}
	}
	return g.flushed(g.searchStream(s, g.Stdin, g.label, out), out)
}

// grepOutcome is what one file's search leaves to say.
type grepOutcome struct {
	name     string
	selected bool
	binary   bool
	err      error
	warning  string
}

// flushed writes a file's output before it reports its outcome.
func (g *grepCommand) flushed(r grepOutcome, out *grep.Output) error {
	if err := out.Flush(); err != nil {
		return err
	}
	return g.finish(r)
}

// finish reports a file's outcome once its output has been written.
func (g *grepCommand) finish(r grepOutcome) error {
	if r.binary && !g.noMessages {
		g.warnf("%s: binary file matches", r.name)
	}
	if r.warning != "" && !g.noMessages {
		g.warnf("%s", r.warning)
	}
	if r.selected {
		g.matched = true
		if g.quiet {
			return errGrepSettled
		}
	}
	if r.err != nil {
		if g.ends(r.err) {
			return r.err
		}
		g.status = 2
		if errors.Is(r.err, regex.ErrBacktrackLimit) {
			g.warnf("%s: %s", r.name, r.err)
		} else if !g.noMessages {
			g.warnf("%s: %s", r.name, vfs.Words(r.err))
		}
	}
	return nil
}

// searchStream searches one stream and prints what the options ask for.
func (g *grepCommand) searchStream(s *grep.Searcher, r io.Reader, name string, out *grep.Output) grepOutcome {
	start := int64(0)
	seeker, seekable := r.(io.Seeker)
	if seekable && r == g.Stdin {
		at, err := seeker.Seek(0, io.SeekCurrent)
		start, seekable = at, err == nil
	}
	result, err := s.Search(r, name, out)
	outcome := grepOutcome{name: name, binary: result.BinaryMatch, err: err, selected: result.Selected > 0}
	if err != nil && g.ends(err) {
		return outcome
	}
	if seekable && r == g.Stdin && result.Stopped {
		// What follows the last selected line is left to the next reader.
		seeker.Seek(start+result.Offset, io.SeekStart)
	}
	if g.count {
		s.PrintCount(name, result.Selected, out)
	}
	if g.listMatching && outcome.selected || g.listOthers && !outcome.selected {
		end := byte('\n')
		if g.options.NullName {
			end = 0
		}
		s.PrintName(name, end, out)
	}
	return outcome
}

func grepProgram(name string) *program {
	// In the order in which an ambiguous abbreviation lists them.
	options := getopt.Spec{Digits: true, Options: []getopt.Option{
		{Key: 'G', Long: "basic-regexp"}, {Key: 'E', Long: "extended-regexp"}, {Key: 'F', Long: "fixed-regexp"},
		{Key: 'F', Long: "fixed-strings"}, {Key: 'P', Long: "perl-regexp"}, {Key: 'X', Argument: getopt.Required},
		{Key: 'A', Long: "after-context", Argument: getopt.Required}, {Key: 'B', Long: "before-context", Argument: getopt.Required},
		{Key: grepKeyBinaryFiles, Long: "binary-files", Argument: getopt.Required}, {Key: grepKeyLabel, Long: "label", Argument: getopt.Required}, {Key: grepKeyLineBuffered, Long: "line-buffered"},
		{Key: 'b', Long: "byte-offset"}, {Key: 'C', Long: "context", Argument: getopt.Required},
		{Key: grepKeyColor, Long: "color", Argument: getopt.Optional}, {Key: grepKeyColor, Long: "colour", Argument: getopt.Optional},
		{Key: 'c', Long: "count"}, {Key: 'D', Long: "devices", Argument: getopt.Required},
		{Key: 'd', Long: "directories", Argument: getopt.Required}, {Key: grepKeyExclude, Long: "exclude", Argument: getopt.Required},
		{Key: grepKeyExcludeFrom, Long: "exclude-from", Argument: getopt.Required},
		{Key: grepKeyExcludeDir, Long: "exclude-dir", Argument: getopt.Required}, {Key: 'f', Long: "file", Argument: getopt.Required},
		{Key: 'l', Long: "files-with-matches"}, {Key: 'L', Long: "files-without-match"},
		{Key: grepKeySeparator, Long: "group-separator", Argument: getopt.Required},
		{Key: grepKeyInclude, Long: "include", Argument: getopt.Required}, {Key: 'i', Long: "ignore-case"}, {Key: 'y'},
		{Key: grepKeyNoIgnoreCase, Long: "no-ignore-case"}, {Key: 'T', Long: "initial-tab"},
		{Key: 'n', Long: "line-number"}, {Key: 'x', Long: "line-regexp"},
		{Key: 'm', Long: "max-count", Argument: getopt.Required}, {Key: 'h', Long: "no-filename"},
		{Key: grepKeyNoSeparator, Long: "no-group-separator"}, {Key: 's', Long: "no-messages"}, {Key: 'Z', Long: "null"},
		{Key: 'z', Long: "null-data"}, {Key: 'o', Long: "only-matching"}, {Key: 'q', Long: "quiet"}, {Key: 'r', Long: "recursive"},
		{Key: 'R', Long: "dereference-recursive"}, {Key: 'e', Long: "regexp", Argument: getopt.Required},
		{Key: 'v', Long: "invert-match"}, {Key: 'q', Long: "silent"}, {Key: 'a', Long: "text"}, {Key: 'I'}, {Key: 'U', Long: "binary"},
		{Key: 'u', Long: "unix-byte-offsets"}, {Key: 'V'}, {Key: 'H', Long: "with-filename"}, {Key: 'w', Long: "word-regexp"},
	}}
	return &program{
		usage:    name + grepUsage,
		options:  options,
		trouble:  2,
		speaksAs: "grep",
		synopsis: "[OPTION]... PATTERNS [FILE]...",
		run:      grepRun,
	}
}

const grepUsage = ` [OPTION]... PATTERNS [FILE]...
Print the lines of the files, or of standard input for none or "-", in which one
of PATTERNS (separated by newlines) matches. With -r and no FILE: of ".".

Patterns
  -E, --extended-regexp     extended regular expressions
  -F, --fixed-strings       strings
  -G, --basic-regexp        basic regular expressions (the default)
  -P, --perl-regexp         Perl's expressions
  -e, --regexp=PATTERNS     patterns; may be given several times
  -f, --file=FILE           patterns from a file, one a line
  -i, --ignore-case         ignore case; --no-ignore-case takes it back
  -w, --word-regexp         match whole words only
  -x, --line-regexp         match whole lines only
  -z, --null-data           lines end in NUL, not newline

Which lines, how many
  -v, --invert-match        the lines that do not match
  -m, --max-count=NUM       stop after NUM lines of a file
  -s, --no-messages         no messages about files that cannot be read
  -q, --quiet, --silent     print nothing, stop at the first match

What is printed
  -c, --count               only the number of lines
  -l, --files-with-matches  only names of files that have such lines
  -L, --files-without-match only names of files that have none
  -o, --only-matching       only what matched, each match on its own line
  -n, --line-number         the line's number before it
  -b, --byte-offset         the byte offset before it
  -H, --with-filename       the file's name before it; -h, --no-filename: not
      --label=NAME          the name that stands for standard input
  -T, --initial-tab         a tab before the line
  -Z, --null                NUL after a file's name
      --line-buffered       write each line at once
      --color[=WHEN]        colours: always, never or auto

Context
  -A, --after-context=NUM   NUM lines after; -B, --before-context=NUM before
  -C, --context=NUM, -NUM   both
      --group-separator=SEP between groups, "--" unless set
      --no-group-separator  nothing between groups

Files
  -r, --recursive           search directories; links only where named
  -R, --dereference-recursive  and follow all links
      --include=GLOB        only files whose name matches
      --exclude=GLOB        no files whose name matches
      --exclude-from=FILE   the same, globs from FILE
      --exclude-dir=GLOB    no directories whose name matches
  -d, --directories=ACTION  read, recurse or skip
  -D, --devices=ACTION      read or skip
  -a, --text                binary files are text
  -I                        binary files never match
      --binary-files=TYPE   binary, text or without-match
  -U, --binary              accepted, without effect

The status is 0 when a line was selected, 1 when none was, 2 after an error.`
