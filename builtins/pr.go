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
	"github.com/vsh-project/vsh/internal/strftime"
	"github.com/vsh-project/vsh/vfs"
)

// prCommand is one run of pr.
type prCommand struct {
	*call
	firstPage, lastPage  uint64
	columns              int
	across, merge        bool
	double, formFeed     bool
	caret, octal         bool
	header               string
	headed               bool
	dateFormat           string
	length               int // of a page, in lines
	bare, noPages        bool
	margin, width        int
	truncate             bool
	join                 bool
	separator            string
	separated            bool // -S, or a separator that aligns nothing
	oldSeparator, oldW   bool
	number               bool
	numberSeparator      byte
	numberWidth          int
	start                int64
	quiet                bool
	expand, tabify       bool
	expandTab, tabifyTab byte
	expandSize, tabSize  int

	body        int // lines of text on a page
	columnWidth int
	line        int64
	page        uint64
	row         prRow
}

const (
	prKeyColumns = 256 + iota
	prKeyPages
)

// prMostColumns and prWidest bound what a page's memory depends on.
const (
	prMostColumns = 1 << 12
	prWidest      = 1 << 16
)

func prRun(c *call) error {
	p := &prCommand{call: c, firstPage: 1, lastPage: math.MaxUint64, columns: 1, length: 66, width: 72, numberSeparator: '\t', numberWidth: 5, start: 1, expandSize: 8, tabSize: 8, expandTab: '\t', tabifyTab: '\t'}
	var files []string
	rest, err := c.parse(func(o *getopt.Parser) error {
		if o.Key == 1 {
			if pages, ok := strings.CutPrefix(o.Value, "+"); ok && pages != "" {
				if !p.pages(pages) {
					return c.fatalf("invalid + argument '%s'", pages)
				}
				return nil
			}
			files = append(files, o.Value)
			return nil
		}
		return p.option(o)
	})
	if err != nil {
		return err
	}
	files = append(files, rest...)
	if err := p.settle(); err != nil {
		return err
	}
	if len(files) == 0 {
		files = []string{"-"}
	}
	if p.merge {
		return p.parallel(files)
	}
	for _, name := range files {
		if err := p.file(name); err != nil {
			return err
		}
	}
	return nil
}

func (p *prCommand) pages(text string) bool {
	first, last, ranged := strings.Cut(text, ":")
	a, bad := parseNumber(first, "")
	if bad != numberOK || a == 0 {
		return false
	}
	p.firstPage = a
	if ranged {
		b, bad := parseNumber(last, "")
		if bad != numberOK || b < a {
			return false
		}
		p.lastPage = b
	}
	return true
}

func (p *prCommand) option(o *getopt.Parser) error {
	small := func(what string, low, high int64) (int, error) {
		n, err := p.integer(o.Value, low, high, what)
		return int(n), err
	}
	// letterAndNumber reads [CHARACTER[NUMBER]].
	letterAndNumber := func(letter *byte, number *int, option string) error {
		text := o.Value
		if text != "" && !versionDigit(text[0]) {
			*letter, text = text[0], text[1:]
		}
		if text == "" {
			return nil
		}
		n, err := strconv.Atoi(text)
		if err != nil || n <= 0 || n > prWidest {
			return p.usageErrorf("'%s' extra characters or invalid number in the argument: %s", option, quote(o.Value))
		}
		*number = n
		return nil
	}
	var err error
	switch o.Key {
	case '0', prKeyColumns:
		p.columns, err = small("invalid number of columns", 1, prMostColumns)
	case prKeyPages:
		if !p.pages(o.Value) {
			if o.Value == "" || !versionDigit(o.Value[0]) {
				return p.fatalf("invalid --pages argument '%s'", o.Value)
			}
			return p.fatalf("invalid page range %s", quote(o.Value))
		}
	case 'a':
		p.across = true
	case 'c':
		p.caret = true
	case 'd':
		p.double = true
	case 'D':
		p.dateFormat = o.Value
	case 'e':
		p.expand = true
		return letterAndNumber(&p.expandTab, &p.expandSize, "-e")
	case 'f', 'F':
		p.formFeed = true
	case 'h':
		p.header, p.headed = o.Value, true
	case 'i':
		p.tabify = true
		return letterAndNumber(&p.tabifyTab, &p.tabSize, "-i")
	case 'J':
		p.join = true
	case 'l':
		p.length, err = small("'-l PAGE_LENGTH' invalid number of lines", 1, math.MaxInt32)
	case 'm':
		p.merge = true
	case 'n':
		p.number = true
		return letterAndNumber(&p.numberSeparator, &p.numberWidth, "-n")
	case 'N':
		n, e := p.integer(o.Value, math.MinInt32, math.MaxInt32, "'-N NUMBER' invalid starting line number")
		p.start, err = n, e
	case 'o':
		p.margin, err = small("'-o MARGIN' invalid line offset", 0, prWidest)
	case 'r':
		p.quiet = true
	case 's':
		p.oldSeparator = true
		if o.HasValue && !p.separated {
			p.separator = o.Value
		}
	case 'S':
		p.separated, p.separator = true, o.Value
	case 't':
		p.bare = true
	case 'T':
		p.bare, p.noPages = true, true
	case 'v':
		p.octal = true
	case 'w':
		n, e := small("'-w PAGE_WIDTH' invalid number of characters", 1, prWidest)
		if p.oldW = true; !p.truncate {
			p.width = n
		}
		err = e
	case 'W':
		p.truncate = true
		p.width, err = small("'-W PAGE_WIDTH' invalid number of characters", 1, prWidest)
	}
	return err
}

// settle finds out how the options work together.
func (p *prCommand) settle() error {
	several := p.merge || p.columns > 1
	switch {
	case p.merge && p.columns > 1:
		return p.fatalf("cannot specify number of columns when printing in parallel")
	case p.merge && p.across:
		return p.fatalf("cannot specify both printing across and printing in parallel")
	}
	switch {
	case p.oldW && several:
		p.truncate = true
		p.separated = p.separated || p.oldSeparator
	case p.oldW:
		p.join = true
	case p.oldSeparator && several && !p.separated:
		if p.separated = true; !p.truncate {
			p.join = true
			if p.separator == "" {
				p.separator = "\t"
			}
		}
	}
	p.length = min(p.length, math.MaxInt32)
	if p.length <= 10 {
		p.bare = true
	}
	if p.body = p.length; !p.bare {
		p.body -= 10
	}
	if p.double {
		p.body = max(p.body/2, 1)
	}
	if p.columns > 1 || p.merge {
		switch {
		case !p.separated && p.join:
			p.separator = "\t"
		case !p.separated:
			p.separator = " "
		case !p.join && p.separator == "\t":
			p.separator = " "
		}
		p.truncate = true
		p.expand = p.expand || p.separator != "\t"
		p.tabify = true
	}
	if p.join {
		p.truncate = false
	}
	return nil
}

// layout divides the width among columns.
func (p *prCommand) layout(columns int) error {
	width := p.width
	if p.merge && p.number {
		width -= p.numberTotal()
	}
	p.columnWidth = (width - (columns-1)*len(p.separator)) / columns
	if p.columnWidth < 1 {
		return p.fatalf("page width too narrow")
	}
	return nil
}

// numberTotal is how many columns a number and its separator take.
func (p *prCommand) numberTotal() int {
	if p.numberSeparator == '\t' {
		return p.numberWidth + 8 - p.numberWidth%8
	}
	return p.numberWidth + 1
}

// prSource reads the lines of one file.
type prSource struct {
	name   string
	in     *lines.Reader
	rest   []byte // of a line, behind a form feed
	have   bool
	ended  bool
	feed   bool // the page ends here
	closer func()
}

func (p *prCommand) source(name string) (*prSource, *vfs.Info, error) {
	r, done, err := p.open(name)
	if err != nil {
		if p.ctx.Err() != nil {
			return nil, nil, p.ctx.Err()
		}
		if p.status = 1; !p.quiet {
			p.fileError(displayName(name), err)
		}
		return nil, nil, nil
	}
	return &prSource{name: name, in: lines.NewReader(r, p.Host()), closer: done}, statStream(r), nil
}

// prReadError is a file that cannot be read on, which ends pr.
type prReadError struct {
	name string
	error
}

func (e *prReadError) Unwrap() error { return e.error }

func (s *prSource) close() {
	s.in.Close()
	s.closer()
}

// next is the next line of the page; ok is false at the page's or the file's end.
func (s *prSource) next(noPages bool) (line []byte, ok bool, err error) {
	if s.ended || s.feed {
		return nil, false, nil
	}
	if !s.have {
		line, err := s.in.Next()
		if err != nil {
			s.ended = true
			if err == io.EOF {
				err = nil
			} else {
				err = &prReadError{s.name, err}
			}
			return nil, false, err
		}
		s.rest = bytes.TrimSuffix(line, []byte{'\n'})
	}
	s.have = false
	before, after, found := bytes.Cut(s.rest, []byte{'\f'})
	if found && noPages {
		s.rest, s.have = after, len(after) > 0
		return before, true, nil
	}
	if found {
		s.feed = true
		s.rest, s.have = after, len(after) > 0
		return before, len(before) > 0, nil
	}
	return s.rest, true, nil
}

// turn begins the next page.
func (s *prSource) turn() { s.feed = false }

func (p *prCommand) file(name string) error {
	s, info, err := p.source(name)
	if s == nil || err != nil {
		return err
	}
	defer s.close()
	if err := p.layout(p.columns); err != nil {
		return err
	}
	title := name
	if name == "-" {
		title = ""
	}
	return p.document(title, info, []*prSource{s})
}

func (p *prCommand) parallel(files []string) error {
	var sources []*prSource
	defer func() {
		for _, s := range sources {
			s.close()
		}
	}()
	for _, name := range files {
		s, _, err := p.source(name)
		if err != nil {
			return err
		}
		if s != nil {
			sources = append(sources, s)
		}
	}
	if len(sources) == 0 {
		return nil
	}
	if err := p.layout(len(sources)); err != nil {
		return err
	}
	return p.document("", nil, sources)
}

// document prints all pages of a file, or of several side by side.
func (p *prCommand) document(title string, info *vfs.Info, sources []*prSource) error {
	at := p.Host().Now()
	if info != nil && info.FileMode.IsRegular() {
		at = info.Modified
	}
	format := p.dateFormat
	if format == "" {
		format = "%Y-%m-%d %H:%M"
		if _, strict := p.Getenv("POSIXLY_CORRECT"); strict {
			format = "%b %e %H:%M %Y"
		}
	}
	if p.headed {
		title = p.header
	}
	date := strftime.Format(format, at.In(p.location()), true)
	p.line, p.page = p.start, 1
	skipped, feed := p.firstPage > 1, false
	for ; p.page <= p.lastPage; p.page++ {
		if err := p.ctx.Err(); err != nil {
			return err
		}
		rows, err := p.readPage(sources)
		if err != nil {
			if p.ends(err) {
				return err
			}
			var failed *prReadError
			if errors.As(err, &failed) {
				return p.fatalf("%s: %s", quoteFile(displayName(failed.name)), vfs.Words(failed.error))
			}
			p.errorf("%s", vfs.Words(err))
			return nil
		}
		if len(rows) == 0 {
			break
		}
		if p.page >= p.firstPage {
			if skipped = false; feed {
				p.out.WriteByte('\f')
			}
			if err := p.printPage(rows, date, title); err != nil {
				return p.writeError(err)
			}
		}
		feed = false
		for _, s := range sources {
			// Without headers a form feed of the input is kept.
			feed = feed || s.feed && p.bare
			s.turn()
		}
	}
	if skipped {
		p.warnf("starting page number %d exceeds page count %d", p.firstPage, p.page-1)
	}
	return nil
}

func prProgram(string) *program {
	return &program{
		usage: `pr [OPTION]... [FILE]...
Print files in pages with a header, or in columns.

  +FIRST[:LAST], --pages=FIRST[:LAST]  only these pages
  -COLUMNS, --columns=COLUMNS  columns, filled downwards
  -a, --across         filled across
  -c, --show-control-chars  control characters as ^X
  -d, --double-space   an empty line after each
  -D, --date-format=F  strftime's format of the header's date
  -e[C[N]], --expand-tabs   tabs (or C) to columns of 8 (or N)
  -F, -f, --form-feed  a form feed between pages
  -h, --header=TEXT    TEXT instead of the file's name
  -i[C[N]], --output-tabs   blanks to tabs
  -J, --join-lines     whole lines, not aligned
  -l, --length=N       N lines to a page: 66
  -m, --merge          files side by side
  -n[C[N]], --number-lines  numbers of N (5) digits and C (a tab)
  -N, --first-line-number=N start counting with N
  -o, --indent=N       N blanks before each line
  -r, --no-file-warnings    say nothing of files that cannot be opened
  -s[C], --separator   C (a tab) between columns instead of alignment
  -S[TEXT], --sep-string    TEXT between columns
  -t, --omit-header    no headers and trailers
  -T, --omit-pagination     and no form feeds of the input
  -v, --show-nonprinting    as \ooo
  -w, --width=N; -W, --page-width=N  columns of a page: 72; -W cuts lines`,
		options: getopt.Spec{Order: getopt.InOrder, Digits: true, Options: []getopt.Option{
			{Key: prKeyPages, Long: "pages", Argument: getopt.Required}, {Key: prKeyColumns, Long: "columns", Argument: getopt.Required},
			{Key: 'a', Long: "across"}, {Key: 'c', Long: "show-control-chars"}, {Key: 'd', Long: "double-space"}, {Key: 'D', Long: "date-format", Argument: getopt.Required},
			{Key: 'e', Long: "expand-tabs", Argument: getopt.Optional}, {Key: 'F', Long: "form-feed"}, {Key: 'f'}, {Key: 'h', Long: "header", Argument: getopt.Required},
			{Key: 'i', Long: "output-tabs", Argument: getopt.Optional}, {Key: 'J', Long: "join-lines"}, {Key: 'l', Long: "length", Argument: getopt.Required},
			{Key: 'm', Long: "merge"}, {Key: 'n', Long: "number-lines", Argument: getopt.Optional}, {Key: 'N', Long: "first-line-number", Argument: getopt.Required},
			{Key: 'o', Long: "indent", Argument: getopt.Required}, {Key: 'r', Long: "no-file-warnings"}, {Key: 's', Long: "separator", Argument: getopt.Optional},
			{Key: 'S', Long: "sep-string", Argument: getopt.Optional}, {Key: 't', Long: "omit-header"}, {Key: 'T', Long: "omit-pagination"},
			{Key: 'v', Long: "show-nonprinting"}, {Key: 'w', Long: "width", Argument: getopt.Required}, {Key: 'W', Long: "page-width", Argument: getopt.Required},
		}},
		run: prRun,
	}
}
