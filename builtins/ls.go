package builtins

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/vsh-project/vsh/builtins/internal/human"
	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/width"
	"github.com/vsh-project/vsh/shell/command"
)

type lsFormat uint8

const (
	lsOnePerLine lsFormat = iota
	lsLong
	lsColumns
	lsAcross
	lsCommas
)

type lsSort uint8

const (
	lsByName lsSort = iota
	lsUnsorted
	lsByTime
	lsBySize
	lsByExtension
	lsByVersion
	lsByWidth
)

type lsDereference uint8

const (
	lsDereferenceUnset lsDereference = iota
	lsDereferenceNever
	lsDereferenceCommandLine
	lsDereferenceCommandLineDirectory
	lsDereferenceAlways
)

// lsIndicator says which marks follow names.
type lsIndicator uint8

const (
	lsNoIndicator lsIndicator = iota
	lsSlash
	lsFileType
	lsClassify
)

// lsCommand is one run of ls, dir or vdir.
type lsCommand struct {
	*call
	format                  lsFormat
	formatSet               bool // by an option, not by the name dir or vdir
	sort                    lsSort
	sortSet                 bool
	reverse                 bool
	directoriesFirst        bool
	which                   byte // which time: m, a, c or B
	whichSet                bool
	all, almostAll          bool
	noBackups               bool
	ignore, hide            []string
	dereference             lsDereference
	recursive, directory    bool
	inode, blocks           bool
	owner, group, author    bool
	numeric, context        bool
	indicator               lsIndicator
	style                   quoteStyle
	styleSet                bool
	marks                   bool // ? for what cannot be printed
	sizes, blockOptions     human.Options
	sizeUnit, blockUnit     uint64
	timeStyle               string
	oldFormat, recentFormat string
	lineWidth, tab          int
	colors                  *lsColors
	hyperlinks              bool
	eol                     byte
	dired                   *lsDired

	location *time.Location
	now      time.Time
	// column is where the line being written stands, for --color.
	alignQuotes bool
	alsoFile    string
	printed     bool // a directory's listing was printed before
	serious     bool
}

const (
	lsAuthor = 1000 + iota
	lsBlockSize
	lsClassifyOption
	lsColor
	lsFileTypeOption
	lsFormatOption
	lsFullTime
	lsGroupFirst
	lsHideOption
	lsHyperlink
	lsIndicatorOption
	lsQuotingStyle
	lsSI
	lsSortOption
	lsTimeOption
	lsTimeStyle
	lsZero
	lsCommandLineDirectory
	lsShowControl
)

func lsRun(c *call) error { return lsMain(c, lsOnePerLine, quoteLiteral) }

// dirRun is ls -C -b.
func dirRun(c *call) error { return lsMain(c, lsColumns, quoteEscape) }

// vdirRun is ls -l -b.
func vdirRun(c *call) error { return lsMain(c, lsLong, quoteEscape) }

func lsMain(c *call, format lsFormat, style quoteStyle) error {
	l := &lsCommand{
		call: c, format: format, which: 'm', owner: true, group: true, sizeUnit: 1, blockUnit: 1024, eol: '\n', tab: 8,
		lineWidth: 80, location: c.location(), now: c.Host().Now(), style: style,
	}
	l.environment()
	operands, err := c.parse(l.option)
	if err != nil {
		return err
	}
	if err := l.settle(); err != nil {
		return err
	}
	err = l.list(operands)
	if l.serious {
		l.status = 2
	}
	return err
}

// environment reads the variables that stand for options.
func (l *lsCommand) environment() {
	if value, ok := l.Getenv("COLUMNS"); ok && value != "" {
		if n, ok := lsWidth(value); ok {
			l.lineWidth = n
		} else {
			l.warnf("ignoring invalid width in environment variable COLUMNS: %s", quote(value))
		}
	}
	if value, ok := l.Getenv("TABSIZE"); ok {
		if n, ok := lsWidth(value); ok {
			l.tab = n
		} else {
			l.warnf("ignoring invalid tab size in environment variable TABSIZE: %s", quote(value))
		}
	}
	if value, ok := l.Getenv("QUOTING_STYLE"); ok {
		if i := slices.Index(quoteStyleNames(), value); i >= 0 {
			l.style = min(quoteStyle(i), quoteLocale)
		} else {
			l.warnf("ignoring invalid value of environment variable QUOTING_STYLE: %s", quote(value))
		}
	}
	for i, name := range [...]string{"LS_BLOCK_SIZE", "BLOCK_SIZE", "BLOCKSIZE"} {
		value, ok := l.Getenv(name)
		if !ok {
			continue
		}
		if options, size, fault := human.BlockSize(value); fault == human.Fine {
			l.blockOptions, l.blockUnit = options, size
			if i < 2 {
				l.sizes, l.sizeUnit = options, size
			}
		}
		return
	}
	if _, ok := l.Getenv("POSIXLY_CORRECT"); ok {
		l.blockUnit = 512
	}
}

// lsWidth reads a number of columns; false where it is none.
func lsWidth(text string) (int, bool) {
	n, fault := parseNumber(text, "")
	switch {
	case fault == numberOverflow || n > 1<<30:
		return 0, true
	case fault != numberOK:
		return 0, false
	}
	return int(n), true
}

// match is argumentMatch with ls's status for it.
func (l *lsCommand) match(option, value string, words []string, groups []int) (int, error) {
	i, err := l.argumentMatch(option, value, words, groups)
	if err != nil {
		err = command.ExitError(1)
	}
	return i, err
}

// when reads the argument of --color and its kin: whether it is "always".
func (l *lsCommand) when(p *getopt.Parser) (bool, error) {
	if !p.HasValue {
		return true, nil
	}
	i, err := l.match(p.Typed, p.Value, []string{"always", "yes", "force", "never", "no", "none", "auto", "tty", "if-tty"}, []int{0, 0, 0, 1, 1, 1, 2, 2, 2})
	return i < 3, err
}

func (l *lsCommand) option(p *getopt.Parser) error {
	switch p.Key {
	case 'a':
		l.all, l.almostAll = true, false
	case 'A':
		l.all, l.almostAll = false, true
	case 'b':
		l.style, l.styleSet = quoteEscape, true
	case 'B':
		l.noBackups = true
	case 'c', 'u':
		l.which, l.whichSet = 'a', true
		if p.Key == 'c' {
			l.which = 'c'
		}
	case 'C':
		l.setFormat(lsColumns)
	case 'd':
		l.directory = true
	case 'D':
		l.dired = &lsDired{}
	case 'f':
		l.all, l.almostAll, l.sort, l.sortSet = true, false, lsUnsorted, true
		if l.formatSet && l.format == lsLong {
			l.format = lsOnePerLine
		}
		l.blocks, l.colors, l.hyperlinks = false, nil, false
	case 'F', 'p', lsClassifyOption, lsFileTypeOption, lsIndicatorOption:
		return l.indicatorOption(p)
	case 'g':
		l.setFormat(lsLong)
		l.owner = false
	case 'G':
		l.group = false
	case 'h', lsSI:
		options := human.Options(human.Human)
		if p.Key != 'h' {
			options = human.SI
		}
		l.sizes, l.blockOptions, l.sizeUnit, l.blockUnit = options, options, 1, 1
	case 'H':
		l.dereference = lsDereferenceCommandLine
	case 'i':
		l.inode = true
	case 'I':
		l.ignore = append(l.ignore, p.Value)
	case 'k':
		l.blockOptions, l.blockUnit = 0, 1024
	case 'l':
		l.setFormat(lsLong)
	case 'L':
		l.dereference = lsDereferenceAlways
	case 'm':
		l.setFormat(lsCommas)
	case 'n':
		l.setFormat(lsLong)
		l.numeric = true
	case 'N':
		l.style, l.styleSet = quoteLiteral, true
	case 'o':
		l.setFormat(lsLong)
		l.group = false
	case 'q':
		l.marks = true
	case 'Q':
		l.style, l.styleSet = quoteC, true
	case 'r':
		l.reverse = true
	case 'R':
		l.recursive = true
	case 's':
		l.blocks = true
	case 'S', 't', 'U', 'v', 'X':
		l.sortSet = true
		switch p.Key {
		case 'S':
			l.sort = lsBySize
		case 't':
			l.sort = lsByTime
		case 'U':
			l.sort = lsUnsorted
		case 'v':
			l.sort = lsByVersion
		case 'X':
			l.sort = lsByExtension
		}
	case 'T', 'w':
		return l.columnOption(p)
	case 'x':
		l.setFormat(lsAcross)
	case 'Z':
		l.context = true
	case '1':
		if !l.formatSet || l.format != lsLong {
			l.setFormat(lsOnePerLine)
		}
	default:
		return l.longOption(p)
	}
	return nil
}

func (l *lsCommand) setFormat(format lsFormat) { l.format, l.formatSet = format, true }

func (l *lsCommand) indicatorOption(p *getopt.Parser) error {
	switch p.Key {
	case 'F':
		l.indicator = lsClassify
	case lsClassifyOption:
		always, err := l.when(p)
		if err != nil || !always {
			return err
		}
		l.indicator = lsClassify
	case 'p':
		l.indicator = lsSlash
	case lsFileTypeOption:
		l.indicator = lsFileType
	default:
		i, err := l.match(p.Typed, p.Value, []string{"none", "slash", "file-type", "classify"}, nil)
		if err != nil {
			return err
		}
		l.indicator = lsIndicator(i)
	}
	return nil
}

func (l *lsCommand) columnOption(p *getopt.Parser) error {
	n, ok := lsWidth(p.Value)
	switch {
	case !ok && p.Key == 'w':
		return l.fatalf("invalid line width: %s", quote(p.Value))
	case !ok:
		return l.fatalf("invalid tab size: %s", quote(p.Value))
	case p.Key == 'w':
		l.lineWidth = n
	default:
		l.tab = n
	}
	return nil
}

func (l *lsCommand) longOption(p *getopt.Parser) error {
	switch p.Key {
	case lsAuthor:
		l.author = true
	case lsBlockSize:
		options, size, err := l.blockSize(p.Typed, p.Value)
		if err != nil {
			return err
		}
		l.sizes, l.blockOptions, l.sizeUnit, l.blockUnit = options, options, size, size
	case lsColor:
		always, err := l.when(p)
		if l.colors = nil; always && err == nil {
			l.colors = &lsColors{}
		}
		return err
	case lsFormatOption:
		i, err := l.match(p.Typed, p.Value, []string{"verbose", "long", "commas", "horizontal", "across", "vertical", "single-column"}, []int{0, 0, 1, 2, 2, 3, 4})
		l.setFormat([]lsFormat{lsLong, lsLong, lsCommas, lsAcross, lsAcross, lsColumns, lsOnePerLine}[i])
		return err
	case lsFullTime:
		l.setFormat(lsLong)
		l.timeStyle = "full-iso"
	case lsGroupFirst:
		l.directoriesFirst = true
	case lsHideOption:
		l.hide = append(l.hide, p.Value)
	case lsHyperlink:
		always, err := l.when(p)
		l.hyperlinks = always
		return err
	case lsQuotingStyle:
		i, err := l.match(p.Typed, p.Value, quoteStyleNames(), nil)
		l.style, l.styleSet = min(quoteStyle(i), quoteLocale), true
		return err
	case lsSortOption:
		i, err := l.match(p.Typed, p.Value, []string{"none", "time", "size", "extension", "version", "width"}, nil)
		l.sort, l.sortSet = []lsSort{lsUnsorted, lsByTime, lsBySize, lsByExtension, lsByVersion, lsByWidth}[i], true
		return err
	case lsTimeOption:
		i, err := l.match(p.Typed, p.Value, []string{"atime", "access", "use", "ctime", "status", "birth", "creation"}, []int{0, 0, 0, 1, 1, 2, 2})
		l.which, l.whichSet = "aaaccBB"[i], true
		return err
	case lsTimeStyle:
		l.timeStyle = p.Value
	case lsCommandLineDirectory:
		l.dereference = lsDereferenceCommandLineDirectory
	case lsShowControl:
		l.marks = false
	case lsZero:
		l.eol, l.hyperlinks, l.colors, l.marks = 0, false, nil, false
		if !l.formatSet || l.format != lsLong {
			l.setFormat(lsOnePerLine)
		}
		l.style, l.styleSet = quoteLiteral, true
	}
	return nil
}

// blockSize reads --block-size.
func (c *call) blockSize(option, text string) (human.Options, uint64, error) {
	options, size, fault := human.BlockSize(text)
	switch fault {
	case human.Invalid:
		return 0, 0, c.fatalf("invalid %s argument '%s'", option, text)
	case human.BadSuffix:
		return 0, 0, c.fatalf("invalid suffix in %s argument '%s'", option, text)
	case human.TooLarge:
		return 0, 0, c.fatalf("%s argument '%s' too large", option, text)
	}
	return options, size, nil
}

// settle decides what follows from all the options together.
func (l *lsCommand) settle() error {
	if !l.sortSet && l.whichSet && l.format != lsLong {
		l.sort = lsByTime
	}
	if l.dereference == lsDereferenceUnset {
		l.dereference = lsDereferenceCommandLineDirectory
		if l.directory || l.indicator == lsClassify || l.format == lsLong {
			l.dereference = lsDereferenceNever
		}
	}
	if l.style == quoteEscape {
		l.alsoFile = " "
	}
	if l.indicator >= lsFileType {
		l.alsoFile += "*=>@|"[l.indicator-lsFileType:]
	}
	maybe := l.style == quoteShell || l.style == quoteShellEscape || l.style == quoteCMaybe
	l.alignQuotes = maybe && (l.format == lsLong || (l.format == lsColumns || l.format == lsAcross) && l.lineWidth > 0)
	if l.directory {
		l.recursive = false
	}
	if l.format != lsLong {
		l.dired = nil
	}
	if l.colors != nil {
		if err := l.colors.load(l); err != nil {
			return err
		}
		l.tab = 0
	}
	if l.format != lsLong {
		return nil // a style that shows nothing is not looked at
	}
	return l.setTimeStyle()
}

func (l *lsCommand) setTimeStyle() error {
	style := l.timeStyle
	if style == "" {
		style, _ = l.Getenv("TIME_STYLE")
	}
	style = strings.TrimPrefix(style, "posix-")
	if format, ok := strings.CutPrefix(style, "+"); ok {
		old, recent, two := strings.Cut(format, "\n")
		if !two {
			recent = old
		} else if strings.Contains(recent, "\n") {
			return l.fatalf("invalid time style format %s", quote(format))
		}
		l.oldFormat, l.recentFormat = old, recent
		return nil
	}
	matched := -1
	for i, name := range [...]string{"full-iso", "long-iso", "iso", "locale"} {
		if style != "" && strings.HasPrefix(name, style) {
			if matched >= 0 && name != style {
				continue
			}
			matched = i
		}
	}
	switch {
	case matched == 0:
		l.oldFormat = "%Y-%m-%d %H:%M:%S.%N %z"
		l.recentFormat = l.oldFormat
	case matched == 1:
		l.oldFormat = "%Y-%m-%d %H:%M"
		l.recentFormat = l.oldFormat
	case matched == 2:
		l.oldFormat, l.recentFormat = "%Y-%m-%d ", "%m-%d %H:%M"
	case matched == 3 || style == "":
		l.oldFormat, l.recentFormat = "%b %e  %Y", "%b %e %H:%M"
	default:
		l.errorf("invalid argument %s for %s\nValid arguments are:\n  - [posix-]full-iso\n  - [posix-]long-iso\n  - [posix-]iso\n  - [posix-]locale\n  - +FORMAT (e.g., +%%H:%%M) for a 'date'-style format", quote(style), quote("time style"))
		return l.tryHelp()
	}
	return nil
}

// quoted is a name as it is listed; pads reports that it stands one column
// further in where others are quoted.
func (l *lsCommand) quoted(name, also string) string {
	s := quoteStyled(name, l.style, also)
	if l.marks && (l.style == quoteLiteral || l.style == quoteShell || l.style == quoteShellAlways) {
		s = quoteMarks(s)
	}
	return s
}

// nameWidth is how many columns a listed name takes: a byte that is no UTF-8
// and what cannot be printed one, but control characters none.
func (l *lsCommand) nameWidth(quoted string) int {
	n := 0
	for i := 0; i < len(quoted); {
		r, size := utf8.DecodeRuneInString(quoted[i:])
		switch w := width.Rune(r); {
		case r == utf8.RuneError && size == 1:
			n++
		case w >= 0:
			n += w
		case !unicode.IsControl(r):
			n++
		}
		i += size
	}
	return n
}

func lsOptions() getopt.Spec {
	return getopt.Spec{Options: []getopt.Option{
		{Key: 'a', Long: "all"}, {Key: 'b', Long: "escape"}, {Key: 'd', Long: "directory"}, {Key: 'D', Long: "dired"},
		{Key: lsFullTime, Long: "full-time"}, {Key: lsGroupFirst, Long: "group-directories-first"}, {Key: 'h', Long: "human-readable"},
		{Key: 'i', Long: "inode"}, {Key: 'k', Long: "kibibytes"}, {Key: 'n', Long: "numeric-uid-gid"}, {Key: 'G', Long: "no-group"},
		{Key: 'q', Long: "hide-control-chars"}, {Key: 'r', Long: "reverse"}, {Key: 's', Long: "size"},
		{Key: 'w', Long: "width", Argument: getopt.Required}, {Key: 'A', Long: "almost-all"}, {Key: 'B', Long: "ignore-backups"},
		{Key: 'F'}, {Key: lsClassifyOption, Long: "classify", Argument: getopt.Optional}, {Key: lsFileTypeOption, Long: "file-type"}, {Key: lsSI, Long: "si"},
		{Key: 'H', Long: "dereference-command-line"}, {Key: lsCommandLineDirectory, Long: "dereference-command-line-symlink-to-dir"},
		{Key: lsHideOption, Long: "hide", Argument: getopt.Required}, {Key: 'I', Long: "ignore", Argument: getopt.Required},
		{Key: lsIndicatorOption, Long: "indicator-style", Argument: getopt.Required}, {Key: 'L', Long: "dereference"},
		{Key: 'N', Long: "literal"}, {Key: 'Q', Long: "quote-name"}, {Key: lsQuotingStyle, Long: "quoting-style", Argument: getopt.Required},
		{Key: 'R', Long: "recursive"}, {Key: lsFormatOption, Long: "format", Argument: getopt.Required}, {Key: lsShowControl, Long: "show-control-chars"},
		{Key: lsSortOption, Long: "sort", Argument: getopt.Required}, {Key: 'T', Long: "tabsize", Argument: getopt.Required},
		{Key: lsTimeOption, Long: "time", Argument: getopt.Required}, {Key: lsTimeStyle, Long: "time-style", Argument: getopt.Required},
		{Key: lsZero, Long: "zero"}, {Key: lsColor, Long: "color", Argument: getopt.Optional}, {Key: lsHyperlink, Long: "hyperlink", Argument: getopt.Optional},
		{Key: lsBlockSize, Long: "block-size", Argument: getopt.Required}, {Key: 'Z', Long: "context"}, {Key: lsAuthor, Long: "author"},
		{Key: 'c'}, {Key: 'C'}, {Key: 'f'}, {Key: 'g'}, {Key: 'l'}, {Key: 'm'}, {Key: 'o'}, {Key: 'p'}, {Key: 'S'}, {Key: 't'}, {Key: 'u'},
		{Key: 'U'}, {Key: 'v'}, {Key: 'x'}, {Key: 'X'}, {Key: '1'},
	}}
}

const lsUsage = ` [OPTION]... [FILE]...
List files, or what directories (the working directory for none) hold.

Which:    -a --all, -A --almost-all, -B --ignore-backups, -d --directory, --hide=PATTERN,
          -I --ignore=PATTERN, -R --recursive
Links:    -H, -L --dereference, --dereference-command-line-symlink-to-dir
Format:   -1, -C, -x, -m, -l, --format=WORD, -w --width=COLS, -T --tabsize=COLS, --zero, -D --dired
Columns:  -i --inode, -s --size, -n, -g, -o, -G --no-group, --author, -Z --context, -h, --si,
          --block-size=SIZE, -k, --full-time, --time-style=STYLE, --time=WORD, -c, -u
Names:    -b --escape, -N --literal, -q, --show-control-chars, -Q, --quoting-style=WORD,
          -F --classify, --file-type, -p, --indicator-style=WORD, --color[=WHEN], --hyperlink[=WHEN]
Order:    -t, -S, -X, -v, -U, -f, -r --reverse, --sort=WORD, --group-directories-first
Status: 1 for small trouble, 2 where an operand could not be listed.`

func lsProgram(name string) *program {
	p := &program{usage: name + lsUsage, options: lsOptions(), trouble: 2, run: lsRun}
	switch name {
	case "dir":
		p.run = dirRun
	case "vdir":
		p.run = vdirRun
	}
	return p
}
