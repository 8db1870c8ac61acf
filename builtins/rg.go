package builtins

import (
	"bytes"
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

	smartCase, fixed, perl, multiline bool
	files, quiet, typeList            bool
	list                              byte // 'l' with, 'L' without a match
	count                             byte // 'c' lines, 'm' matches
	includeZero                       bool
	column, heading, vimgrep, trim    bool
	only, passthru, json, stats       bool
	replacement                       *string
	nameOption                        byte // 'H', 'I' or 0
	nullName                          bool
	maxColumns                        int
	maxColumnsPreview                 bool
	matchSeparator, contextSeparator  string
	gap                               string
	noGap                             bool
	color                             bool
	noMessages                        bool

	hidden, follow, binary, text                           bool
	noIgnore, noVCS, noDot, noParent, noExclude, noRequire bool
	globs                                                  *rg.Rules
	types                                                  *rg.Types
	ignoreFiles                                            []string
	maxDepth                                               int
	maxSize                                                int64
	sortBy                                                 string
	sortReverse                                            bool

	showName bool
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
	rgKeyUnsupported
	rgKeyNoUnicode
)

func rgRun(c *call) error {
	g := &rgCommand{call: c, globs: &rg.Rules{}, types: rg.NewTypes(), maxDepth: math.MaxInt32,
		matchSeparator: ":", contextSeparator: "-", gap: "--"}
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
		if text != "" {
			g.patterns = append(g.patterns, strings.Split(strings.TrimSuffix(text, "\n"), "\n")...)
		}
	case 'F':
		g.fixed = true
	case 'P':
		g.perl = true
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

	case 'n':
		o.LineNumber = true
	case 'N':
		o.LineNumber = false
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
		g.column, o.LineNumber = true, true
	case rgKeyNoColumn:
		g.column = false
	case rgKeyVimgrep:
		g.vimgrep, g.column, o.LineNumber = true, true, true
	case rgKeyHeading:
		g.heading = true
	case 'p':
		g.heading, o.LineNumber, g.color = true, true, true
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
			o.After = size
		case 'B':
			o.Before = size
		case 'C':
			o.Before, o.After = size, size
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
			return g.fatalf2("error: Invalid value for '--max-filesize'")
		}
		g.maxSize = n
	case rgKeyIncludeZero:
		g.includeZero = true
	case 'g':
		g.glob(p.Value, false)
	case rgKeyIGlob:
		g.glob(p.Value, true)
	case rgKeyGlobFold:
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
		if v := strings.ToLower(p.Value); v != "auto" && v != "none" && v != "utf-8" && v != "utf8" {
			return g.fatalf2("--encoding=%s is not supported", p.Value)
		}
	case 'z', rgKeyUnsupported:
		return g.fatalf2("%s is not supported", p.Typed)
	}
	return nil
}

// fatalf2 prints an error without the program's name, as rg does.
func (g *rgCommand) fatalf2(format string, args ...any) error {
	g.say(format, args...)
	return command.ExitError(2)
}

func (g *rgCommand) glob(text string, fold bool) {
	// "!x" leaves out, "x" takes in: an ignore file's lines turned round.
	if rest, ok := strings.CutPrefix(text, "!"); ok {
		g.globs.Add("!"+rest, true, fold)
	} else {
		g.globs.Add(text, true, fold)
	}
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
	switch {
	case g.fixed:
		g.regex.Syntax = regex.Fixed
	case g.perl:
		g.regex.Syntax = regex.Perl
	}
	if g.multiline {
		g.regex.LineClasses = false
		g.regex.Newline = true
	}
	if !g.files {
		m, err := regex.CompileAll(g.patterns, g.regex)
		if err != nil {
			kind := "regex parse error:\n    " + strings.Join(g.patterns, "|") + "\n    ^\nerror: "
			if g.perl {
				kind = "PCRE2: error compiling pattern: "
			}
			words := err.Error()
			if words == "missing closing parenthesis" && !g.perl {
				words = "unclosed group"
			}
			return g.fatalf2("%s%s", kind, words)
		}
		g.matcher = m
	}
	if g.text {
		o.Binary = grep.BinaryText
	}
	if g.passthru {
		o.Before, o.After = math.MaxInt32, math.MaxInt32
	}
	if g.quiet || g.list != 0 {
		o.FirstOnly = g.quiet || !g.stats
	}
	if o.Invert {
		g.only = false
	}
	if o.Before <= 0 && o.After <= 0 {
		o.Before, o.After = -1, -1 // unlike grep's, a context of 0 is none
	}
	g.showName = len(operands) > 1
	return nil
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

func (g *rgCommand) run(operands []string) error {
	s := grep.NewSearcher(g.ctx, g.matcherOrEmpty(), &g.options, g.Host())
	defer s.Close()
	p := &rgPrinter{rgCommand: g, finder: g.matcherOrEmpty().Finder(g.ctx)}
	g.options.Sink = p
	g.globs.Root = (&rgWalk{rgCommand: g}).absolute(".")
	w := &rgWalk{rgCommand: g, visit: func(name string, named bool) error {
		return g.searchFile(s, p, name, named)
	}}
	if len(operands) == 0 {
		if !g.files && g.readsStdin() {
			return g.search(s, p, g.Stdin, "<stdin>", true)
		}
		g.showName = true
		return w.tree("", nil)
	}
	for _, name := range operands {
		if name == "-" {
			if err := g.search(s, p, g.Stdin, "<stdin>", true); err != nil {
				return err
			}
			continue
		}
		info, err := g.View().Stat(g.ctx, name)
		switch {
		case err != nil:
			g.trouble(name, err)
			continue
		case info.IsDir():
			g.showName = true
			err = w.tree(name, info)
		default:
			err = w.visit(name, true)
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

func (g *rgCommand) matcherOrEmpty() *regex.Matcher {
	if g.matcher == nil {
		g.matcher, _ = regex.CompileAll(nil, regex.Options{Syntax: regex.Fixed})
	}
	return g.matcher
}

// say prints a message; rg's carry no name of the program.
func (g *rgCommand) say(format string, args ...any) {
	g.out.Flush()
	writeFormatted(g.Stderr, format+"\n", args...)
}

func (g *rgCommand) trouble(name string, err error) {
	g.status = 2
	if !g.noMessages {
		g.say("%s: %s", name, rgWords(err))
	}
}

func (g *rgCommand) searchFile(s *grep.Searcher, p *rgPrinter, name string, named bool) error {
	if g.files {
		g.matched = true
		if g.quiet {
			return errGrepSettled
		}
		io.WriteString(g.out, name+g.nameEnd())
		return nil
	}
	f, err := g.View().Open(g.ctx, name, vfs.O_RDONLY, 0)
	if err != nil {
		g.trouble(name, err)
		return nil
	}
	defer f.Close()
	if g.maxSize > 0 {
		if info, err := f.Stat(); err == nil && info.Size() > g.maxSize {
			return nil
		}
	}
	return g.search(s, p, f, name, named)
}

func (g *rgCommand) nameEnd() string {
	if g.nullName {
		return "\x00"
	}
	return "\n"
}

// search searches one stream. A file that was found and holds a NUL is skipped.
func (g *rgCommand) search(s *grep.Searcher, p *rgPrinter, r io.Reader, name string, named bool) error {
	o := &g.options
	if !g.text {
		o.Binary = grep.BinarySkip
		if named || g.binary {
			o.Binary = grep.BinaryMessage
		}
	}
	p.begin(name)
	var result grep.Result
	var err error
	if g.multiline && !o.Invert {
		result, err = p.searchWhole(r)
	} else {
		result, err = s.Search(r, name, &grep.Output{Writer: io.Discard})
	}
	if err != nil {
		if g.ends(err) {
			return err
		}
		g.trouble(name, err)
		return nil
	}
	return p.end(result)
}

func init() {
	register(program{
		name:     "rg",
		summary:  "search files recursively, honouring .gitignore (-n -l -c -i -S -w -F -P -g -t -o -r -A -B -C --files --hidden --json)",
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
			{Key: rgKeyNothing, Long: "no-ignore-global"}, {Key: rgKeyNothing, Long: "no-ignore-files"}, {Key: rgKeyNothing, Long: "no-ignore-messages"},
			{Key: rgKeyNoRequire, Long: "no-require-git"}, {Key: rgKeyIgnoreFile, Long: "ignore-file", Argument: getopt.Required},
			{Key: 'u', Long: "unrestricted"}, {Key: rgKeyBinary, Long: "binary"}, {Key: 'a', Long: "text"}, {Key: 'L', Long: "follow"},
			{Key: rgKeySort, Long: "sort", Argument: getopt.Required}, {Key: rgKeySortReverse, Long: "sortr", Argument: getopt.Required},
			{Key: rgKeySortFiles, Long: "sort-files"}, {Key: rgKeyColor, Long: "color", Argument: getopt.Required},
			{Key: rgKeyNothing, Long: "colors", Argument: getopt.Required}, {Key: rgKeyGap, Long: "context-separator", Argument: getopt.Required},
			{Key: rgKeyNoGap, Long: "no-context-separator"}, {Key: rgKeyMatchSeparator, Long: "field-match-separator", Argument: getopt.Required},
			{Key: rgKeyContextSeparator, Long: "field-context-separator", Argument: getopt.Required}, {Key: rgKeyNoMessages, Long: "no-messages"},
			{Key: 'E', Long: "encoding", Argument: getopt.Required}, {Key: 'z', Long: "search-zip"}, {Key: rgKeyUnsupported, Long: "pre", Argument: getopt.Required},
			{Key: rgKeyNothing, Long: "no-config"}, {Key: rgKeyNothing, Long: "mmap"}, {Key: rgKeyNothing, Long: "no-mmap"},
			{Key: rgKeyNothing, Long: "line-buffered"}, {Key: rgKeyNothing, Long: "block-buffered"}, {Key: rgKeyNothing, Long: "one-file-system"},
			{Key: rgKeyNothing, Long: "regex-size-limit", Argument: getopt.Required}, {Key: rgKeyNothing, Long: "dfa-size-limit", Argument: getopt.Required},
			{Key: rgKeyNothing, Long: "engine", Argument: getopt.Required}, {Key: rgKeyNoUnicode, Long: "no-unicode"}, {Key: rgKeyNothing, Long: "crlf"},
			{Key: rgKeyNothing, Long: "no-multiline"}, {Key: rgKeyNothing, Long: "no-fixed-strings"}, {Key: rgKeyNothing, Long: "auto-hybrid-regex"},
		}},
		run: rgRun,
	})
}

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
