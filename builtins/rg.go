package builtins

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"sort"
	"strconv"
	"strings"
	"unicode"

	"github.com/vsh-project/vsh/builtins/internal/grep"
	"github.com/vsh-project/vsh/builtins/internal/rg"
	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/regex"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// rgCommand is one run of rg.
type rgCommand struct {
	*call
	regex    regex.Options
	options  grep.Options
	patterns []string
	given    bool
	matcher  *regex.Matcher

	smartCase, fixed, multiline      bool
	engine                           string // default, pcre2 or auto
	files, quiet, typeList           bool
	list                             byte // 'l' with, 'L' without a match
	count                            byte // 'c' lines, 'm' matches
	includeZero                      bool
	column, heading, vimgrep, trim   bool
	only, passthru, json, stats      bool
	replacement                      *string
	nameOption                       byte // 'H', 'I' or 0
	nullName                         bool
	maxColumns                       int
	maxColumnsPreview                bool
	matchSeparator, contextSeparator string
	gap                              string
	noGap                            bool
	color                            bool
	noMessages                       bool

	hidden, follow, binary, text                           bool
	noIgnore, noVCS, noDot, noParent, noExclude, noRequire bool
	noIgnoreFiles, foldIgnore, foldGlobs                   bool
	globs                                                  *rg.Rules
	types                                                  *rg.Types
	ignoreFiles                                            []string
	maxDepth                                               int
	maxSize                                                int64
	sortBy                                                 string
	sortReverse                                            bool

	lineNumbers   bool // print them
	numbersSet    bool // -n or -N was given
	context       int  // -C, -1 where -A or -B took it back
	before, after int  // -B and -A, -1 where -C took them back
	encoding      rg.Encoding
	pathSeparator string

	zip      bool   // -z
	pre      string // --pre's command, or ""
	preGlobs *rg.Rules

	showName bool
	searched bool // some file was searched
	printed  bool // some file has been printed
	matched  bool
	total    rgStats
}

const (
	rgKeyCountMatches = 256 + iota
	rgKeyFiles
	rgKeyFilesWithout
	rgKeyHidden
	rgKeyNoHidden
	rgKeyIgnore
	rgKeyNoIgnore
	rgKeyNoVCS
	rgKeyNoDot
	rgKeyNoParent
	rgKeyNoExclude
	rgKeyNoRequire
	rgKeyIgnoreFile
	rgKeyIGlob
	rgKeyGlobFold
	rgKeyType
	rgKeyTypeList
	rgKeyTypeAdd
	rgKeyTypeClear
	rgKeyColumn
	rgKeyNoColumn
	rgKeyHeading
	rgKeyNoHeading
	rgKeyVimgrep
	rgKeyTrim
	rgKeyPassthru
	rgKeyJSON
	rgKeyStats
	rgKeyMaxDepth
	rgKeyMaxSize
	rgKeySort
	rgKeySortReverse
	rgKeyColor
	rgKeyGap
	rgKeyNoGap
	rgKeyMatchSeparator
	rgKeyContextSeparator
	rgKeyDotAll
	rgKeyIncludeZero
	rgKeyPreview
	rgKeyNoMessages
	rgKeyBinary
	rgKeyNullData
	rgKeySortFiles
	rgKeyNothing
	rgKeyIgnoreFold
	rgKeyNoIgnoreFiles
	rgKeyPathSeparator
	rgKeyUnset
	rgKeyUnsupported
	rgKeyNoUnicode
	rgKeyEngine
	rgKeyPre
	rgKeyPreGlob
	rgKeyCRLF
	rgKeyAuto
)

func rgRun(c *call) error {
	g := &rgCommand{call: c, globs: &rg.Rules{}, preGlobs: &rg.Rules{}, types: rg.NewTypes(), maxDepth: math.MaxInt32,
		matchSeparator: ":", contextSeparator: "-", gap: "--", context: -1, before: -1, after: -1}
	g.regex = regex.Options{Syntax: regex.Rust, LineClasses: true, Unicode: true}
	g.options = grep.Options{MaxCount: grep.Unlimited, Before: -1, After: -1, Bytes: true}
	operands, err := c.parse(g.option)
	if err != nil {
		return err
	}
	if g.typeList {
		return g.listTypes()
	}
	if !g.files && !g.given {
		if len(operands) == 0 {
			io.WriteString(c.Stderr, "error: The following required arguments were not provided:\n    <PATTERN>\n\nUSAGE:\n    rg [OPTIONS] PATTERN [PATH ...]\n")
			return command.ExitError(2)
		}
		g.patterns = append(g.patterns, operands[0])
		operands = operands[1:]
	}
	if err := g.prepare(operands); err != nil {
		return err
	}
	if err := g.run(operands); err != nil {
		return err
	}
	if !g.searched && !g.files && !g.noMessages && len(operands) == 0 {
		g.status = 2
		g.say("No files were searched, which means ripgrep probably applied a filter you didn't expect.\n" +
			"Running with --debug will show why files are being skipped.")
	}
	if g.stats || g.json {
		g.printTotal()
	}
	switch {
	case g.quiet && g.matched:
		g.status = 0
	case g.status == 0 && !g.matched:
		g.status = 1
	}
	return nil
}

func (g *rgCommand) option(p *getopt.Parser) error {
	o := &g.options
	if p.Attached && len(p.Typed) == 2 {
		p.Value = strings.TrimPrefix(p.Value, "=") // -A=1
	}
	switch p.Key {
	case 'e':
		g.given = true
		g.patterns = append(g.patterns, p.Value)
	case 'f':
		text, err := (&grepCommand{call: g.call}).readAll(p.Value)
		if err != nil {
			return g.fatalf2("%s: %s", p.Value, rgWords(err))
		}
		g.given = true
		lines, err := g.patternLines(text)
		if err != nil {
			return err
		}
		g.patterns = append(g.patterns, lines...)
	case 'F':
		g.fixed = true
	case 'P':
		g.engine = "pcre2"
	case rgKeyEngine:
		switch p.Value {
		case "default", "pcre2", "auto":
		default:
			return g.fatalf2("error: '%s' isn't a valid value for '--engine <ENGINE>'\n\t[possible values: auto, default, pcre2]\n\n\n"+
				"USAGE:\n%s\nFor more information try --help\n", p.Value, rgForms)
		}
		g.engine = p.Value
	case rgKeyAuto:
		g.engine = "auto"
	case 'i':
		g.regex.IgnoreCase, g.smartCase = true, false
	case 's':
		g.regex.IgnoreCase, g.smartCase = false, false
	case 'S':
		g.regex.IgnoreCase, g.smartCase = false, true
	case 'w':
		g.regex.Word, g.regex.Line = true, false
	case 'x':
		g.regex.Line, g.regex.Word = true, false
	case 'v':
		o.Invert = true
	case 'U':
		g.multiline = true
	case rgKeyDotAll:
		g.regex.DotAll = true
	case rgKeyNoUnicode:
		g.regex.Bytes = true

	case 'n', 'N':
		g.lineNumbers, g.numbersSet = p.Key == 'n', true
	case 'H', 'I':
		g.nameOption = byte(p.Key)
	case 'c':
		g.count = 'c'
	case rgKeyCountMatches:
		g.count = 'm'
	case 'l':
		g.list = 'l'
	case rgKeyFilesWithout:
		g.list = 'L'
	case rgKeyFiles:
		g.files = true
	case 'q':
		g.quiet = true
	case 'o':
		g.only = true
	case 'r':
		text := p.Value
		g.replacement = &text
	case 'b':
		o.ByteOffset = true
	case rgKeyColumn:
		g.column = true
	case rgKeyNoColumn:
		g.column = false
	case rgKeyVimgrep:
		g.vimgrep, g.column = true, true
	case rgKeyHeading:
		g.heading = true
	case 'p':
		g.heading, g.lineNumbers, g.numbersSet = true, true, true
		term, _ := g.Getenv("TERM")
		none, _ := g.Getenv("NO_COLOR")
		g.color = term != "" && term != "dumb" && none == ""
	case rgKeyNoHeading:
		g.heading = false
	case rgKeyTrim:
		g.trim = true
	case rgKeyPassthru:
		g.passthru = true
	case rgKeyJSON:
		g.json = true
	case rgKeyStats:
		g.stats = true
	case '0':
		g.nullName = true
	case rgKeyNullData:
		o.NullData = true
	case 'M', 'A', 'B', 'C', 'm', 'd', 'j':
		n, err := strconv.ParseUint(p.Value, 10, 62)
		if err != nil {
			return g.fatalf2("error: Invalid value for '%s': invalid digit found in string", p.Typed)
		}
		size := int(min(n, math.MaxInt32))
		switch p.Key {
		case 'M':
			g.maxColumns = size
		case 'A':
			g.after, g.context = size, -1
		case 'B':
			g.before, g.context = size, -1
		case 'C':
			g.context, g.before, g.after = size, -1, -1
		case 'm':
			o.MaxCount = int64(n)
		case 'd':
			g.maxDepth = size
		}
	case rgKeyPreview:
		g.maxColumnsPreview = true
	case rgKeyMaxSize:
		n, ok := rgSize(p.Value)
		if !ok {
			return g.fatalf2("invalid format for size '%s', which should be a sequence of digits followed by an optional 'K', 'M' or 'G' suffix", p.Value)
		}
		g.maxSize = n
	case rgKeyIncludeZero:
		g.includeZero = true
	case 'g', rgKeyIGlob:
		if fault := rg.CheckGlob(strings.TrimPrefix(p.Value, "!")); fault != "" {
			return g.fatalf2("error parsing glob '%s': %s", p.Value, fault)
		}
		g.globs.Add(p.Value, p.Key == rgKeyIGlob || g.foldGlobs)
	case rgKeyGlobFold:
		g.foldGlobs = true
	case rgKeyIgnoreFold:
		g.foldIgnore = true
	case rgKeyNoIgnoreFiles:
		g.noIgnoreFiles = true
	case rgKeyPathSeparator:
		if len(p.Value) > 1 {
			return g.fatalf2("A path separator must be exactly one byte, but the given separator is %d bytes: %s\n"+
				"In some shells on Windows '/' is automatically expanded. Use '//' instead.", len(p.Value), p.Value)
		}
		g.pathSeparator = p.Value
	case 't', 'T':
		if !g.types.Select(p.Value, p.Key == 't') {
			return g.fatalf2("unrecognized file type: %s", p.Value)
		}
	case rgKeyTypeAdd:
		if !g.types.Define(p.Value) {
			return g.fatalf2("invalid definition (format is type:glob, e.g., html:*.html)")
		}
	case rgKeyTypeClear:
		g.types.Clear(p.Value)
	case rgKeyTypeList:
		g.typeList = true
	case '.':
		g.hidden = true
	case rgKeyNoHidden:
		g.hidden = false
	case rgKeyNoIgnore:
		g.noIgnore = true
	case rgKeyIgnore:
		g.noIgnore = false
	case rgKeyNoVCS:
		g.noVCS = true
	case rgKeyNoDot:
		g.noDot = true
	case rgKeyNoParent:
		g.noParent = true
	case rgKeyNoExclude:
		g.noExclude = true
	case rgKeyNoRequire:
		g.noRequire = true
	case rgKeyIgnoreFile:
		g.ignoreFiles = append(g.ignoreFiles, p.Value)
	case 'u':
		switch {
		case !g.noIgnore:
			g.noIgnore = true
		case !g.hidden:
			g.hidden = true
		default:
			g.binary = true
		}
	case rgKeyBinary:
		g.binary = true
	case 'a':
		g.text = true
	case 'L':
		g.follow = true
	case rgKeySort, rgKeySortReverse:
		switch p.Value {
		case "path", "modified", "accessed", "created", "none":
		default:
			return g.fatalf2("error: '%s' isn't a valid value for '%s <SORTBY>'", p.Value, p.Typed)
		}
		g.sortBy, g.sortReverse = p.Value, p.Key == rgKeySortReverse
	case rgKeySortFiles:
		g.sortBy = "path"
	case rgKeyColor:
		g.color = p.Value == "always" || p.Value == "ansi"
	case rgKeyGap:
		g.gap, g.noGap = rgUnescape(p.Value), false
	case rgKeyNoGap:
		g.noGap = true
	case rgKeyMatchSeparator:
		g.matchSeparator = rgUnescape(p.Value)
	case rgKeyContextSeparator:
		g.contextSeparator = rgUnescape(p.Value)
	case rgKeyNoMessages:
		g.noMessages = true
	case 'E':
		encoding, ok := rg.ParseEncoding(p.Value)
		if !ok {
			return g.fatalf2("grep config error: unknown encoding: %s", p.Value)
		}
		g.encoding = encoding
	case 'V':
		io.WriteString(g.out, "rg (vsh) 0.1\n")
		return errDone
	case 'h':
		io.WriteString(g.out, g.program.usage+"\n")
		return errDone
	case rgKeyUnset:
		g.unset(p.Typed)
	case 'z':
		g.zip, g.pre = true, ""
	case rgKeyPre:
		g.pre, g.zip = p.Value, false
	case rgKeyPreGlob:
		if fault := rg.CheckGlob(strings.TrimPrefix(p.Value, "!")); fault != "" {
			return g.fatalf2("error parsing glob '%s': %s", p.Value, fault)
		}
		g.preGlobs.Add(p.Value, false)
	case rgKeyCRLF:
		g.regex.CRLF = true
	case rgKeyUnsupported:
		return g.fatalf2("%s is not supported", p.Typed)
	}
	return nil
}

// unset takes an option back.
func (g *rgCommand) unset(typed string) {
	switch typed {
	case "--no-pre":
		g.pre = ""
	case "--no-search-zip":
		g.zip = false
	case "--no-crlf":
		g.regex.CRLF = false
	case "--no-text":
		g.text = false
	case "--no-binary":
		g.binary = false
	case "--no-follow":
		g.follow = false
	case "--no-json":
		g.json = false
	case "--no-stats":
		g.stats = false
	case "--no-trim":
		g.trim = false
	case "--no-multiline":
		g.multiline = false
	case "--no-multiline-dotall":
		g.regex.DotAll = false
	case "--no-pcre2", "--no-auto-hybrid-regex":
		g.engine = "default"
	case "--no-fixed-strings":
		g.fixed = false
	case "--no-encoding":
		g.encoding = rg.Auto
	case "--no-max-columns-preview":
		g.maxColumnsPreview = false
	case "--no-glob-case-insensitive":
		g.foldGlobs = false
	case "--no-ignore-file-case-insensitive":
		g.foldIgnore = false
	case "--ignore-dot":
		g.noDot = false
	case "--ignore-exclude":
		g.noExclude = false
	case "--ignore-files":
		g.noIgnoreFiles = false
	case "--ignore-parent":
		g.noParent = false
	case "--ignore-vcs":
		g.noVCS = false
	case "--messages":
		g.noMessages = false
	case "--require-git":
		g.noRequire = false
	case "--unicode", "--pcre2-unicode":
		g.regex.Bytes = false
	}
}

// fatalf2 prints an error without the program's name, as rg does.
func (g *rgCommand) fatalf2(format string, args ...any) error {
	g.say(format, args...)
	return command.ExitError(2)
}

func rgSize(s string) (int64, bool) {
	unit := int64(1)
	if s != "" {
		switch s[len(s)-1] {
		case 'K', 'k':
			unit = 1 << 10
		case 'M', 'm':
			unit = 1 << 20
		case 'G', 'g':
			unit = 1 << 30
		}
		if unit > 1 {
			s = s[:len(s)-1]
		}
	}
	n, err := strconv.ParseInt(s, 10, 33)
	return n * unit, err == nil && n >= 0
}

func rgUnescape(s string) string {
	return strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\r`, "\r", `\0`, "\x00", `\\`, `\`).Replace(s)
}

// rgWords is an error as Rust's standard library words it.
func rgWords(err error) string {
	if n := vfs.Errno(err); n != 0 {
		return vfs.Words(err) + " (os error " + strconv.Itoa(int(n)) + ")"
	}
	return vfs.Words(err)
}

func (g *rgCommand) prepare(operands []string) error {
	o := &g.options
	if g.smartCase {
		g.regex.IgnoreCase = true
		for _, p := range g.patterns {
			escaped := false
			for _, r := range p {
				if unicode.IsUpper(r) && !escaped {
					g.regex.IgnoreCase = false
				}
				escaped = r == '\\' && !escaped
			}
		}
	}
	if g.multiline {
		g.regex.LineClasses = false
		g.regex.Newline = true
	}
	if g.files {
		g.matcher, _ = regex.CompileAll(nil, regex.Options{Syntax: regex.Fixed})
	} else {
		m, err := g.compile()
		if err != nil {
			return g.fatalf2("%s", rgSuggest(err.Error()))
		}
		if !g.multiline && !o.NullData {
			for _, p := range g.patterns {
				if rgNamesNewline(p, g.fixed) {
					return g.fatalf2("%s", rgSuggest(`the literal '"\n"' is not allowed in a regex`))
				}
			}
		}
		g.matcher = m
	}
	if g.context >= 0 {
		g.before, g.after = g.context, g.context
	}
	o.Before, o.After = g.before, g.after
	if !g.numbersSet {
		g.lineNumbers = g.column
	}
	o.LineNumber = g.lineNumbers || g.json
	if g.count != 0 || g.json {
		g.list = 0
	}
	if g.passthru {
		o.Before, o.After = math.MaxInt32, math.MaxInt32
	}
	o.FirstOnly = (g.quiet || g.list != 0) && !g.stats
	if o.Invert {
		g.only = false
	}
	if o.Before <= 0 && o.After <= 0 {
		o.Before, o.After = -1, -1 // unlike grep's, a context of 0 is none
	}
	g.globs.Root = (&rgWalk{rgCommand: g}).absolute(".")
	g.preGlobs.Root = g.globs.Root
	g.showName = len(operands) != 1
	if len(operands) == 1 && operands[0] != "-" {
		if info, err := g.View().Stat(g.ctx, operands[0]); err == nil && info.IsDir() {
			g.showName = true
		}
	}
	return nil
}

// compile makes the matcher with the engine asked for; --engine=auto tries
// Perl's where the default one refuses.
func (g *rgCommand) compile() (*regex.Matcher, error) {
	if g.fixed {
		g.regex.Syntax = regex.Fixed
		return regex.CompileAll(g.patterns, g.regex)
	}
	whole := strings.Join(g.patterns, "|")
	if len(g.patterns) == 0 {
		return regex.CompileAll(nil, g.regex)
	}
	perl := func() (*regex.Matcher, error) {
		options := g.regex
		options.Syntax = regex.Perl
		m, err := regex.Compile(whole, options)
		var fault *regex.Error
		if errors.As(err, &fault) {
			err = fmt.Errorf("PCRE2: error compiling pattern at offset %d: %s", fault.Offset, fault.Text)
		}
		return m, err
	}
	if g.engine == "pcre2" {
		return perl()
	}
	m, err := regex.Compile(whole, g.regex)
	if errors.Is(err, regex.ErrSize) {
		err = errors.New("Compiled regex exceeds size limit of 104857600 bytes.")
	}
	if err == nil || g.engine != "auto" {
		return m, err
	}
	m, perlErr := perl()
	if perlErr == nil {
		g.regex.Syntax = regex.Perl
		return m, nil
	}
	line := strings.Repeat("~", 79)
	return nil, fmt.Errorf("regex could not be compiled with either the default regex engine or with PCRE2.\n\n"+
		"default regex engine error:\n%s\n%s\n%s\n\nPCRE2 regex engine error:\n%s", line, err, line, perlErr)
}

// rgSuggest adds what rg advises to an error.
func rgSuggest(words string) string {
	if strings.HasPrefix(words, "regex parse error:") && (strings.Contains(words, "backreferences") || strings.Contains(words, "look-around")) {
		return words + "\n\nConsider enabling PCRE2 with the --pcre2 flag, which can handle backreferences\nand look-around."
	}
	if strings.HasPrefix(words, "the literal") {
		return words + "\n\nConsider enabling multiline mode with the --multiline flag (or -U for short).\n" +
			"When multiline mode is enabled, new line characters can be matched."
	}
	return words
}

// rgNamesNewline reports a pattern that can only match a newline somewhere.
func rgNamesNewline(pattern string, fixed bool) bool {
	if strings.Contains(pattern, "\n") {
		return true
	}
	bracket := false
	for i := 0; i < len(pattern) && !fixed; i++ {
		switch pattern[i] {
		case '[':
			bracket = true
		case ']':
			bracket = false
		case '\\':
			if i++; i < len(pattern) && pattern[i] == 'n' && !bracket {
				return true
			}
		}
	}
	return false
}

func (g *rgCommand) listTypes() error {
	names := g.types.Names()
	sort.Strings(names)
	for _, name := range names {
		globs := append([]string(nil), g.types.Globs(name)...)
		sort.Strings(globs)
		io.WriteString(g.out, name+": "+strings.Join(globs, ", ")+"\n")
	}
	return nil
}

// stdin reports whether standard input is what a search without paths reads:
// a pipe or a file, not the nothing that a script has by default.
func (g *rgCommand) readsStdin() bool {
	if info := g.streamInfo(g.Stdin, "/dev/stdin"); info != nil && info.FileMode.IsRegular() {
		return true
	}
	var first [1]byte
	n, _ := io.ReadFull(g.Stdin, first[:])
	if n > 0 {
		g.Stdin = io.MultiReader(bytes.NewReader(first[:n]), g.Stdin)
	}
	return n > 0
}

// say prints a message; rg's carry no name of the program.
func (g *rgCommand) say(format string, args ...any) {
	g.out.Flush()
	writeFormatted(g.Stderr, format+"\n", args...)
}

func (g *rgCommand) nameEnd() string {
	if g.nullName {
		return "\x00"
	}
	return "\n"
}

func rgProgram(string) *program {
	return &program{
		usage:    rgUsage,
		trouble:  2,
		synopsis: "[OPTIONS] PATTERN [PATH ...]",
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'e', Long: "regexp", Argument: getopt.Required}, {Key: 'f', Long: "file", Argument: getopt.Required},
			{Key: 'F', Long: "fixed-strings"}, {Key: 'P', Long: "pcre2"}, {Key: 'i', Long: "ignore-case"},
			{Key: 's', Long: "case-sensitive"}, {Key: 'S', Long: "smart-case"}, {Key: 'w', Long: "word-regexp"},
			{Key: 'x', Long: "line-regexp"}, {Key: 'v', Long: "invert-match"}, {Key: 'U', Long: "multiline"},
			{Key: rgKeyDotAll, Long: "multiline-dotall"}, {Key: 'n', Long: "line-number"}, {Key: 'N', Long: "no-line-number"},
			{Key: 'H', Long: "with-filename"}, {Key: 'I', Long: "no-filename"}, {Key: 'c', Long: "count"},
			{Key: rgKeyCountMatches, Long: "count-matches"}, {Key: 'l', Long: "files-with-matches"},
			{Key: rgKeyFilesWithout, Long: "files-without-match"}, {Key: rgKeyFiles, Long: "files"}, {Key: 'q', Long: "quiet"},
			{Key: 'o', Long: "only-matching"}, {Key: 'r', Long: "replace", Argument: getopt.Required}, {Key: 'b', Long: "byte-offset"},
			{Key: rgKeyColumn, Long: "column"}, {Key: rgKeyNoColumn, Long: "no-column"}, {Key: rgKeyVimgrep, Long: "vimgrep"},
			{Key: rgKeyHeading, Long: "heading"}, {Key: rgKeyNoHeading, Long: "no-heading"}, {Key: 'p', Long: "pretty"},
			{Key: rgKeyTrim, Long: "trim"}, {Key: rgKeyPassthru, Long: "passthru"}, {Key: rgKeyPassthru, Long: "passthrough"},
			{Key: rgKeyJSON, Long: "json"}, {Key: rgKeyStats, Long: "stats"}, {Key: '0', Long: "null"}, {Key: rgKeyNullData, Long: "null-data"},
			{Key: 'M', Long: "max-columns", Argument: getopt.Required}, {Key: rgKeyPreview, Long: "max-columns-preview"},
			{Key: 'A', Long: "after-context", Argument: getopt.Required}, {Key: 'B', Long: "before-context", Argument: getopt.Required},
			{Key: 'C', Long: "context", Argument: getopt.Required}, {Key: 'm', Long: "max-count", Argument: getopt.Required},
			{Key: 'd', Long: "max-depth", Argument: getopt.Required}, {Key: 'd', Long: "maxdepth", Argument: getopt.Required},
			{Key: 'j', Long: "threads", Argument: getopt.Required}, {Key: rgKeyMaxSize, Long: "max-filesize", Argument: getopt.Required},
			{Key: rgKeyIncludeZero, Long: "include-zero"}, {Key: 'g', Long: "glob", Argument: getopt.Required},
			{Key: rgKeyIGlob, Long: "iglob", Argument: getopt.Required}, {Key: 't', Long: "type", Argument: getopt.Required},
			{Key: 'T', Long: "type-not", Argument: getopt.Required}, {Key: rgKeyTypeAdd, Long: "type-add", Argument: getopt.Required},
			{Key: rgKeyTypeClear, Long: "type-clear", Argument: getopt.Required}, {Key: rgKeyTypeList, Long: "type-list"},
			{Key: '.', Long: "hidden"}, {Key: rgKeyNoHidden, Long: "no-hidden"}, {Key: rgKeyNoIgnore, Long: "no-ignore"},
			{Key: rgKeyIgnore, Long: "ignore"}, {Key: rgKeyNoVCS, Long: "no-ignore-vcs"}, {Key: rgKeyNoDot, Long: "no-ignore-dot"},
			{Key: rgKeyNoParent, Long: "no-ignore-parent"}, {Key: rgKeyNoExclude, Long: "no-ignore-exclude"},
			{Key: rgKeyNothing, Long: "no-ignore-global"}, {Key: rgKeyNoIgnoreFiles, Long: "no-ignore-files"}, {Key: rgKeyNothing, Long: "no-ignore-messages"},
			{Key: rgKeyNoRequire, Long: "no-require-git"}, {Key: rgKeyIgnoreFile, Long: "ignore-file", Argument: getopt.Required},
			{Key: 'u', Long: "unrestricted"}, {Key: rgKeyBinary, Long: "binary"}, {Key: 'a', Long: "text"}, {Key: 'L', Long: "follow"},
			{Key: rgKeySort, Long: "sort", Argument: getopt.Required}, {Key: rgKeySortReverse, Long: "sortr", Argument: getopt.Required},
			{Key: rgKeySortFiles, Long: "sort-files"}, {Key: rgKeyColor, Long: "color", Argument: getopt.Required},
			{Key: rgKeyNothing, Long: "colors", Argument: getopt.Required}, {Key: rgKeyGap, Long: "context-separator", Argument: getopt.Required},
			{Key: rgKeyNoGap, Long: "no-context-separator"}, {Key: rgKeyMatchSeparator, Long: "field-match-separator", Argument: getopt.Required},
			{Key: rgKeyContextSeparator, Long: "field-context-separator", Argument: getopt.Required}, {Key: rgKeyNoMessages, Long: "no-messages"},
			{Key: 'E', Long: "encoding", Argument: getopt.Required}, {Key: 'z', Long: "search-zip"}, {Key: rgKeyPre, Long: "pre", Argument: getopt.Required},
			{Key: rgKeyNothing, Long: "no-config"}, {Key: rgKeyNothing, Long: "mmap"}, {Key: rgKeyNothing, Long: "no-mmap"},
			{Key: rgKeyNothing, Long: "line-buffered"}, {Key: rgKeyNothing, Long: "block-buffered"}, {Key: rgKeyNothing, Long: "one-file-system"},
			{Key: rgKeyNothing, Long: "regex-size-limit", Argument: getopt.Required}, {Key: rgKeyNothing, Long: "dfa-size-limit", Argument: getopt.Required},
			{Key: rgKeyEngine, Long: "engine", Argument: getopt.Required}, {Key: rgKeyNoUnicode, Long: "no-unicode"}, {Key: rgKeyCRLF, Long: "crlf"},
			{Key: rgKeyAuto, Long: "auto-hybrid-regex"}, {Key: 'V'}, {Key: 'h'}, {Key: rgKeyNothing, Long: "debug"}, {Key: rgKeyNothing, Long: "trace"},
			{Key: rgKeyGlobFold, Long: "glob-case-insensitive"}, {Key: rgKeyIgnoreFold, Long: "ignore-file-case-insensitive"},
			{Key: rgKeyPathSeparator, Long: "path-separator", Argument: getopt.Required},
			{Key: rgKeyPreGlob, Long: "pre-glob", Argument: getopt.Required}, {Key: rgKeyUnsupported, Long: "pcre2-version"},
			{Key: rgKeyUnset, Long: "no-text"}, {Key: rgKeyUnset, Long: "no-binary"}, {Key: rgKeyUnset, Long: "no-follow"},
			{Key: rgKeyUnset, Long: "no-json"}, {Key: rgKeyUnset, Long: "no-stats"}, {Key: rgKeyUnset, Long: "no-trim"},
			{Key: rgKeyUnset, Long: "no-multiline"}, {Key: rgKeyUnset, Long: "no-multiline-dotall"}, {Key: rgKeyUnset, Long: "no-pcre2"},
			{Key: rgKeyUnset, Long: "no-encoding"}, {Key: rgKeyUnset, Long: "no-max-columns-preview"}, {Key: rgKeyUnset, Long: "no-fixed-strings"},
			{Key: rgKeyUnset, Long: "no-glob-case-insensitive"}, {Key: rgKeyUnset, Long: "no-ignore-file-case-insensitive"},
			{Key: rgKeyUnset, Long: "ignore-dot"}, {Key: rgKeyUnset, Long: "ignore-exclude"}, {Key: rgKeyUnset, Long: "ignore-files"},
			{Key: rgKeyUnset, Long: "ignore-parent"}, {Key: rgKeyUnset, Long: "ignore-vcs"}, {Key: rgKeyUnset, Long: "messages"},
			{Key: rgKeyUnset, Long: "require-git"}, {Key: rgKeyUnset, Long: "unicode"}, {Key: rgKeyUnset, Long: "pcre2-unicode"},
			{Key: rgKeyNoUnicode, Long: "no-pcre2-unicode"}, {Key: rgKeyNothing, Long: "ignore-global"},
			{Key: rgKeyNothing, Long: "ignore-messages"}, {Key: rgKeyUnset, Long: "no-pre"}, {Key: rgKeyUnset, Long: "no-search-zip"},
			{Key: rgKeyNothing, Long: "no-one-file-system"}, {Key: rgKeyNothing, Long: "no-line-buffered"},
			{Key: rgKeyNothing, Long: "no-block-buffered"}, {Key: rgKeyUnset, Long: "no-auto-hybrid-regex"}, {Key: rgKeyUnset, Long: "no-crlf"},
		}},
		run: rgRun,
	}
}

// rgForms are the ways to call rg.
const rgForms = `    
    rg [OPTIONS] PATTERN [PATH ...]
    rg [OPTIONS] -e PATTERN ... [PATH ...]
    rg [OPTIONS] -f PATTERNFILE ... [PATH ...]
    rg [OPTIONS] --files [PATH ...]
    rg [OPTIONS] --type-list
    command | rg [OPTIONS] PATTERN
    rg [OPTIONS] --help
    rg [OPTIONS] --version
`

const rgUsage = `rg [OPTIONS] PATTERN [PATH ...]
Search files below PATH, or "." for none, for lines that match; files that
.gitignore, .ignore or .rgignore name, hidden and binary ones are left out.

  -e, --regexp PATTERN   several patterns;  -f, --file FILE  from a file
  -F  strings   -P  Perl's expressions   -i  ignore case   -S  unless upper case is typed
  -w  whole words   -x  whole lines   -v  lines that do not match   -U  across lines
  -n, -N  line numbers or none   -H, -I  names or none   --column   -b  offsets
  -o  only matches   -r, --replace TEXT  ($1, ${name})   --trim   -M, --max-columns N
  -A, -B, -C N  context   -m N  lines a file   --passthru   --heading   --vimgrep   --json
  -c, --count   --count-matches   -l   --files-without-match   --files   -q   -0
  -g, --glob GLOB  ("!GLOB" leaves out)   --iglob   -t, -T TYPE   --type-list   --type-add
  -., --hidden   --no-ignore   -u, -uu, -uuu  less filtered   -L  follow links
  -d, --max-depth N   --max-filesize N   --sort, --sortr path|modified|accessed|created`
