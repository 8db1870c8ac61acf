package builtins

import (
	"bytes"

	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/builtins/internal/difftext"
	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/regex"
	"github.com/vsh-project/vsh/internal/strftime"
	"github.com/vsh-project/vsh/vfs"
)

// diffFormat is one of the output styles.
type diffFormat uint8

const (
	diffNormal diffFormat = iota
	diffUnified
	diffContext
	diffEd
	diffForward
	diffRCS
	diffSide
	diffIfDef
	diffBrief
)

const (
	keyDiffNormal = 256 + iota
	keyDiffLabel
	keyDiffLeft
	keyDiffSuppress
	keyDiffStripCR
	keyDiffTabSize
	keyDiffFrom
	keyDiffTo
	keyDiffHorizon
	keyDiffColor
	keyDiffNoDeref
	keyDiffFoldNames
	keyDiffNoFoldNames
	keyDiffSuppressEmpty
	keyDiffSpeed
	keyDiffUnidirectional
	keyDiffPalette
	keyDiffLineFormat
	keyDiffUnchangedLine
	keyDiffOldLine
	keyDiffNewLine
	keyDiffUnchangedGroup
	keyDiffOldGroup
	keyDiffNewGroup
	keyDiffChangedGroup
)

// differ is one run of diff.
type differ struct {
	*call
	ignore                                  difftext.Ignore
	format                                  diffFormat
	chosen                                  bool
	context                                 int
	labels                                  []string
	function                                func([]byte) bool
	functions                               []string
	recursive, newFile, newFirst, report    bool
	text, brief, minimal, stripCR           bool
	expandTabs, initialTab, left, suppress  bool
	suppressEmpty, noDereference, foldNames bool
	tabSize, width, horizon                 int
	from, to, start, palette                string
	color, showFunction                     bool
	formats                                 difftext.Format
	colored                                 *difftext.Colors
	exclude                                 []string
	ignoreLines                             []string
	options                                 string // as shown in the line before each file of a directory
}

func diffRun(c *call) error {
	d := &differ{call: c, context: -1, tabSize: 8, width: 130}
	operands, err := c.parse(d.option)
	if err != nil {
		return err
	}
	if d.context < 0 {
		d.context = 3
	}
	if d.showFunction && !d.chosen {
		d.format = diffContext
	}
	d.ignore.TabSize = d.tabSize
	d.formats.Fill()
	d.colored = d.colors()
	if len(d.ignoreLines) > 0 {
		if d.ignore.Matching, err = d.matcher(d.ignoreLines); err != nil {
			return err
		}
	}
	if len(d.functions) > 0 {
		if d.function, err = d.matcher(d.functions); err != nil {
			return err
		}
	}
	for _, a := range c.Arguments[:min(len(c.Arguments), max(0, len(c.Arguments)-len(operands)))] {
		d.options += " " + quoteBare(a)
	}
	pairs, err := d.pairs(operands)
	if err != nil {
		return err
	}
	for _, pair := range pairs {
		status, err := d.compare(pair[0], pair[1], true)
		if err != nil {
			return err
		}
		c.status = max(c.status, status)
	}
	return nil
}

func (d *differ) choose(f diffFormat) error {
	if d.chosen && d.format != f && d.format != diffBrief {
		return d.usageErrorf("conflicting output style options")
	}
	d.format, d.chosen = f, true
	return nil
}

func (d *differ) contextLines(p *getopt.Parser) error {
	if !p.HasValue {
		d.context = max(d.context, 3)
		return nil
	}
	n, err := strconv.Atoi(p.Value)
	if err != nil || n < 0 {
		return d.usageErrorf("invalid context length '%s'", p.Value)
	}
	d.context = n
	return nil
}

func (d *differ) option(p *getopt.Parser) error {
	switch p.Key {
	case 'a':
		d.text = true
	case 'B':
		d.ignore.BlankLines = true
	case 'b':
		d.ignore.SpaceChange = true
	case 'C', 'c':
		if err := d.contextLines(p); err != nil {
			return err
		}
		return d.choose(diffContext)
	case 'U', 'u':
		if err := d.contextLines(p); err != nil {
			return err
		}
		return d.choose(diffUnified)
	case '0':
		// -NUM is -U NUM's or -C NUM's length.
		n, err := strconv.Atoi(p.Value)
		if err != nil {
			return d.usageErrorf("invalid context length '%s'", p.Value)
		}
		d.context = n
	case 'D':
		d.formats.IfDef(p.Value)
		return d.choose(diffIfDef)
	case 'd':
		d.minimal = true
	case 'E':
		d.ignore.TabExpansion = true
	case 'e':
		d.ignore.LastNewline = true
		return d.choose(diffEd)
	case 'F':
		d.functions = append(d.functions, p.Value)
	case 'f':
		d.ignore.LastNewline = true
		return d.choose(diffForward)
	case 'H', keyDiffSpeed:
	case 'I':
		d.ignoreLines = append(d.ignoreLines, p.Value)
	case 'i':
		d.ignore.Case = true
	case 'L', keyDiffLabel:
		if len(d.labels) == 2 {
			return d.usageErrorf("too many file label options")
		}
		d.labels = append(d.labels, p.Value)
	case 'N':
		d.newFile = true
	case 'n':
		return d.choose(diffRCS)
	case 'P', keyDiffUnidirectional:
		d.newFirst = true
	case 'p':
		d.showFunction = true
		d.functions = append(d.functions, "^[[:alpha:]$_]")
	case 'q':
		d.brief = true
	case 'r':
		d.recursive = true
	case 'S':
		d.start = p.Value
	case 's':
		d.report = true
	case 'T':
		d.initialTab = true
	case 't':
		d.expandTabs = true
	case 'W':
		n, err := strconv.Atoi(p.Value)
		if err != nil || n <= 0 {
			return d.usageErrorf("invalid width '%s'", p.Value)
		}
		d.width = n
	case 'w':
		d.ignore.AllSpace = true
	case 'X':
		text, err := d.readAll(p.Value)
		if err != nil {
			return d.fatalf("%s: %s", p.Value, vfs.Words(err))
		}
		for line := range strings.Lines(text) {
			d.exclude = append(d.exclude, strings.TrimSuffix(line, "\n"))
		}
	case 'x':
		d.exclude = append(d.exclude, p.Value)
	case 'y':
		return d.choose(diffSide)
	case 'Z':
		d.ignore.TrailingTabs = true
	case keyDiffNormal:
		return d.choose(diffNormal)
	case keyDiffLeft:
		d.left = true
	case keyDiffSuppress:
		d.suppress = true
	case keyDiffSuppressEmpty:
		d.suppressEmpty = true
	case keyDiffStripCR:
		d.stripCR = true
	case keyDiffTabSize:
		n, err := strconv.Atoi(p.Value)
		if err != nil || n <= 0 {
			return d.usageErrorf("invalid tabsize '%s'", p.Value)
		}
		d.tabSize = n
	case keyDiffFrom:
		d.from = p.Value
	case keyDiffTo:
		d.to = p.Value
	case keyDiffHorizon:
		n, err := strconv.Atoi(p.Value)
		if err != nil || n < 0 {
			return d.usageErrorf("invalid horizon length '%s'", p.Value)
		}
		d.horizon = n
	case keyDiffNoDeref:
		d.noDereference = true
	case keyDiffFoldNames:
		d.foldNames = true
	case keyDiffNoFoldNames:
		d.foldNames = false
	case keyDiffColor:
		switch p.Value {
		case "always":
			d.color = true
		case "never", "auto", "":
			d.color = false
		default:
			return d.usageErrorf("invalid color '%s'", p.Value)
		}
	case keyDiffPalette:
		d.palette = p.Value
	case keyDiffLineFormat:
		for i := range d.formats.Line {
			if err := d.giveFormat(p, &d.formats.Line[i], &d.formats.LineGiven[i]); err != nil {
				return err
			}
		}
	case keyDiffUnchangedLine, keyDiffOldLine, keyDiffNewLine:
		i := int(p.Key - keyDiffUnchangedLine)
		return d.giveFormat(p, &d.formats.Line[i], &d.formats.LineGiven[i])
	case keyDiffUnchangedGroup, keyDiffOldGroup, keyDiffNewGroup, keyDiffChangedGroup:
		i := int(p.Key - keyDiffUnchangedGroup)
		return d.giveFormat(p, &d.formats.Group[i], &d.formats.GroupGiven[i])
	}
	return nil
}

// giveFormat takes a line or group format.
func (d *differ) giveFormat(p *getopt.Parser, format *string, given *bool) error {
	if *given && *format != p.Value {
		return d.usageErrorf("conflicting %s option value '%s'", p.Typed, p.Value)
	}
	*format, *given = p.Value, true
	return d.choose(diffIfDef)
}

// colors reads --palette as GNU diff does: what it cannot read turns colors off.
func (d *differ) colors() *difftext.Colors {
	if !d.color {
		return nil
	}
	c := &difftext.Colors{Start: "\x1b[", End: "m", Reset: "0", Header: "1", Delete: "31", Add: "32", Number: "36"}
	keys := map[string]*string{"lc": &c.Start, "rc": &c.End, "rs": &c.Reset, "hd": &c.Header, "de": &c.Delete, "ad": &c.Add, "ln": &c.Number}
	for _, part := range strings.Split(d.palette, ":") {
		if part == "" {
			continue
		}
		key, value, ok := strings.Cut(part, "=")
		if slot := keys[key]; ok && slot != nil {
			*slot = value
			continue
		}
		if ok {
			d.warnf("unrecognized prefix: %s", key)
		}
		d.warnf("unparsable value for --palette")
		return nil
	}
	return c
}

// matcher makes a test of regular expressions of which any may match.
func (d *differ) matcher(patterns []string) (func([]byte) bool, error) {
	m, err := regex.CompileAll(patterns, regex.Options{Syntax: regex.Basic})
	if err != nil {
		return nil, d.fatalf("%s: %s", patterns[len(patterns)-1], err)
	}
	return func(line []byte) bool {
		ok, _ := m.Match(d.ctx, line)
		return ok
	}, nil
}

func (d *differ) pairs(operands []string) ([][2]string, error) {
	switch {
	case d.from != "" && d.to != "":
		return nil, d.fatalf("--from-file and --to-file both specified")
	case d.from != "":
		var pairs [][2]string
		for _, o := range operands {
			pairs = append(pairs, [2]string{d.from, o})
		}
		return pairs, nil
	case d.to != "":
		var pairs [][2]string
		for _, o := range operands {
			pairs = append(pairs, [2]string{o, d.to})
		}
		return pairs, nil
	case len(operands) < 2:
		last := d.label()
		if len(d.Arguments) > 0 {
			last = d.Arguments[len(d.Arguments)-1]
		}
		return nil, d.usageErrorf("missing operand after '%s'", last)
	case len(operands) > 2:
		return nil, d.usageErrorf("extra operand '%s'", operands[2])
	}
	return [][2]string{{operands[0], operands[1]}}, nil
}

// diffSideOf is one of two files to compare.
type diffSideOf struct {
	name    string
	info    *vfs.Info
	missing bool
	err     error
}

func (d *differ) look(name string, top bool) diffSideOf {
	s := diffSideOf{name: name}
	if name == "-" && top {
		s.info = &vfs.Info{FileName: "-", Modified: d.Host().Now()}
		if f, ok := d.Stdin.(interface{ File() vfs.File }); ok {
			if info, err := f.File().Stat(); err == nil {
				s.info = info
			}
		}
		return s
	}
	look := d.View().Stat
	if d.noDereference {
		look = d.View().Lstat
	}
	s.info, s.err = look(d.ctx, name)
	s.missing = errors.Is(s.err, vfs.ENOENT)
	return s
}

// compare compares two operands, or two entries of directories. The status is
// 1 where they differ and 2 after trouble.
func (d *differ) compare(left, right string, top bool) (uint8, error) {
	a, b := d.look(left, top), d.look(right, top)
	if top && a.err == nil && b.err == nil && a.info.IsDir() != b.info.IsDir() && left != "-" && right != "-" {
		// A directory stands for its file of the other's name.
		if a.info.IsDir() {
			a = d.look(join(left, path.Base(right)), true)
		} else {
			b = d.look(join(right, path.Base(left)), true)
		}
	}
	if top && a.err == nil && b.err == nil && a.info.IsDir() != b.info.IsDir() && (left == "-" || right == "-") {
		d.errorf("cannot compare '-' to a directory")
		return 2, nil
	}
	trouble := false
	for _, s := range []*diffSideOf{&a, &b} {
		if s.err != nil && !(s.missing && (d.newFile || d.newFirst && s == &a)) {
			d.errorf("%s: %s", s.name, vfs.Words(s.err))
			trouble = true
		}
	}
	if trouble {
		return 2, d.ctx.Err()
	}
	switch {
	case a.missing && b.missing:
		d.errorf("%s: %s", a.name, vfs.Words(a.err))
		d.errorf("%s: %s", b.name, vfs.Words(b.err))
		return 2, nil
	case isDir(a) && isDir(b) && vfs.SameFile(a.info, b.info):
		return 0, nil
	case isDir(a) && isDir(b), isDir(a) && b.missing, isDir(b) && a.missing:
		if !top && !d.recursive {
			fmt.Fprintf(d.out, "Common subdirectories: %s and %s\n", d.shown(a, 0), d.shown(b, 1))
			return 0, nil
		}
		return d.directories(a, b)
	case !a.missing && !b.missing && (isDir(a) || isDir(b) || diffKind(a) != diffKind(b)):
		fmt.Fprintf(d.out, "File %s is a %s while file %s is a %s\n", a.name, fileKind(a.info), b.name, fileKind(b.info))
		return 1, nil
	case !a.missing && !b.missing && a.info.Mode()&fs.ModeSymlink != 0:
		return d.links(a, b)
	}
	return d.files(a, b, top)
}

func isDir(s diffSideOf) bool { return s.info != nil && s.info.IsDir() }

func diffKind(s diffSideOf) fs.FileMode { return s.info.Mode() & (fs.ModeSymlink | fs.ModeDir) }

func join(directory, name string) string { return strings.TrimSuffix(directory, "/") + "/" + name }

func (d *differ) links(a, b diffSideOf) (uint8, error) {
	x, err := d.View().Readlink(d.ctx, a.name)
	if err != nil {
		return 2, d.trouble2(a.name, err)
	}
	y, err := d.View().Readlink(d.ctx, b.name)
	if err != nil {
		return 2, d.trouble2(b.name, err)
	}
	if x == y {
		return 0, nil
	}
	fmt.Fprintf(d.out, "Symbolic links %s and %s differ\n", d.shown(a, 0), d.shown(b, 1))
	return 1, nil
}

func (d *differ) trouble2(name string, err error) error {
	if d.ends(err) {
		return err
	}
	d.errorf("%s: %s", name, vfs.Words(err))
	return nil
}

// directories compares what two directories hold, by name.
func (d *differ) directories(a, b diffSideOf) (uint8, error) {
	left, err := d.list(a)
	if err != nil {
		return 2, d.trouble2(a.name, err)
	}
	right, err := d.list(b)
	if err != nil {
		return 2, d.trouble2(b.name, err)
	}
	d.start = ""
	var status uint8
	for i, k := 0, 0; i < len(left) || k < len(right); {
		if err := d.ctx.Err(); err != nil {
			return 2, err
		}
		switch {
		case k >= len(right) || i < len(left) && left[i].Name < right[k].Name:
			s, err := d.only(a.name, b.name, left[i], d.newFile)
			if err != nil {
				return 2, err
			}
			status = max(status, s)
			i++
		case i >= len(left) || right[k].Name < left[i].Name:
			s, err := d.onlyRight(a.name, b.name, right[k])
			if err != nil {
				return 2, err
			}
			status = max(status, s)
			k++
		default:
			s, err := d.compare(join(a.name, left[i].Name), join(b.name, right[k].Name), false)
			if err != nil {
				return 2, err
			}
			status = max(status, s)
			i++
			k++
		}
	}
	return status, nil
}

func (d *differ) only(here, there string, e vfs.Entry, both bool) (uint8, error) {
	if both && (d.recursive || !e.IsDir()) {
		return d.compare(join(here, e.Name), join(there, e.Name), false)
	}
	fmt.Fprintf(d.out, "Only in %s: %s\n", strings.TrimSuffix(here, "/"), e.Name)
	return 1, nil
}

func (d *differ) onlyRight(left, right string, e vfs.Entry) (uint8, error) {
	if (d.newFile || d.newFirst) && (d.recursive || !e.IsDir()) {
		return d.compare(join(left, e.Name), join(right, e.Name), false)
	}
	fmt.Fprintf(d.out, "Only in %s: %s\n", strings.TrimSuffix(right, "/"), e.Name)
	return 1, nil
}

func (d *differ) list(s diffSideOf) ([]vfs.Entry, error) {
	if s.missing {
		return nil, nil
	}
	all, err := d.View().ReadDir(d.ctx, s.name)
	if err != nil {
		return nil, err
	}
	kept := all[:0:0]
	for _, e := range all {
		excluded := false
		for _, x := range d.exclude {
			excluded = excluded || fnmatch(x, e.Name, false)
		}
		if !excluded && e.Name >= d.start {
			kept = append(kept, e)
		}
	}
	return kept, nil
}

func (d *differ) read(s diffSideOf, top bool) ([]byte, error) {
	if s.missing {
		return nil, nil
	}
	r, done := io.Reader(d.Stdin), func() {}
	if !(s.name == "-" && top) {
		f, err := d.View().Open(d.ctx, s.name, vfs.O_RDONLY, 0)
		if err != nil {
			return nil, err
		}
		r, done = f, func() { f.Close() }
	}
	defer done()
	return d.slurp(r)
}

// slurp reads all of r, charged until the command's end.
func (c *call) slurp(r io.Reader) ([]byte, error) {
	var text []byte
	for {
		if len(text) == cap(text) {
			grow := max(64<<10, cap(text))
			if err := c.Host().Charge(int64(grow)); err != nil {
				return nil, err
			}
			grown := make([]byte, len(text), cap(text)+grow)
			copy(grown, text)
			text = grown
		}
		n, err := r.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if err == io.EOF {
			return text, nil
		}
		if err != nil {
			return nil, err
		}
		if err := c.ctx.Err(); err != nil {
			return nil, err
		}
	}
}

func (d *differ) files(a, b diffSideOf, top bool) (uint8, error) {
	x, err := d.read(a, top)
	defer func() { d.Host().Release(int64(cap(x))) }()
	if err != nil {
		return 2, d.trouble2(a.name, err)
	}
	y, err := d.read(b, top)
	defer func() { d.Host().Release(int64(cap(y))) }()
	if err != nil {
		return 2, d.trouble2(b.name, err)
	}
	if top && a.name == "-" && b.name == "-" {
		y = x[:len(x):len(x)]
	}
	if bytes.Equal(x, y) {
		if d.report {
			fmt.Fprintf(d.out, "Files %s and %s are identical\n", d.shown(a, 0), d.shown(b, 1))
		}
		if d.format != diffSide && d.format != diffIfDef || d.brief {
			return 0, nil
		}
	}
	binary := !d.text && (bytes.IndexByte(x[:min(len(x), 32<<10)], 0) >= 0 || bytes.IndexByte(y[:min(len(y), 32<<10)], 0) >= 0)
	if binary {
		if bytes.Equal(x, y) {
			return 0, nil
		}
		if d.brief {
			fmt.Fprintf(d.out, "Files %s and %s differ\n", d.shown(a, 0), d.shown(b, 1))
		} else {
			fmt.Fprintf(d.out, "Binary files %s and %s differ\n", d.shown(a, 0), d.shown(b, 1))
		}
		return 1, nil
	}
	if d.stripCR {
		x, y = bytes.ReplaceAll(x, []byte("\r\n"), []byte("\n")), bytes.ReplaceAll(y, []byte("\r\n"), []byte("\n"))
	}
	cost := int64(bytes.Count(x, []byte("\n"))+bytes.Count(y, []byte("\n"))) * 96
	if err := d.Host().Charge(cost); err != nil {
		return 2, d.trouble2(a.name, err)
	}
	defer d.Host().Release(cost)
	return d.texts(a, b, difftext.Split(x), difftext.Split(y), top)
}

func (d *differ) texts(a, b diffSideOf, x, y *difftext.File, top bool) (uint8, error) {
	horizon := d.horizon
	if d.format == diffUnified || d.format == diffContext {
		horizon = max(horizon, d.context)
	}
	changes, err := difftext.Compare(d.ctx, x, y, &d.ignore, d.minimal, horizon)
	if err != nil {
		return 2, err
	}
	differs := false
	for _, c := range changes {
		differs = differs || !c.Ignorable
	}
	if d.brief {
		if differs {
			fmt.Fprintf(d.out, "Files %s and %s differ\n", d.shown(a, 0), d.shown(b, 1))
			return 1, nil
		}
		return 0, nil
	}
	if d.format == diffEd || d.format == diffForward {
		d.incomplete(a, x)
		d.incomplete(b, y)
	}
	if !differs && d.format != diffSide && d.format != diffIfDef {
		return 0, nil
	}
	if !top && differs && d.format != diffIfDef {
		fmt.Fprintf(d.out, "diff%s %s %s\n", d.options, quoteDiffName(d.shown(a, 0)), quoteDiffName(d.shown(b, 1)))
	}
	p := &difftext.Printer{
		Out: d.out, A: x, B: y, Context: d.context, Function: d.function, ExpandTabs: d.expandTabs, InitialTab: d.initialTab, TabSize: d.tabSize,
		SuppressBlankEmpty: d.suppressEmpty, Width: d.width, LeftColumn: d.left, SuppressCommon: d.suppress, Colors: d.colored,
	}
	switch d.format {
	case diffUnified:
		p.Unified(changes, d.head(a, 0, true), d.head(b, 1, true))
	case diffContext:
		p.ContextFormat(changes, d.head(a, 0, false), d.head(b, 1, false))
	case diffEd:
		p.Ed(changes)
	case diffForward:
		p.Forward(changes)
	case diffRCS:
		p.RCS(changes)
	case diffSide:
		p.SideBySide(changes)
	case diffIfDef:
		p.Formatted(changes, &d.formats)
	default:
		p.Normal(changes)
	}
	if differs {
		return 1, nil
	}
	return 0, nil
}

// incomplete complains of a last line without newline, which a script for ed
// cannot make.
func (d *differ) incomplete(s diffSideOf, f *difftext.File) {
	if !f.Whole {
		d.errorf("%s: No newline at end of file\n", s.name)
	}
}

// shown is a file's name in messages: its label, if it has one.
func (d *differ) shown(s diffSideOf, i int) string {
	if i < len(d.labels) {
		return d.labels[i]
	}
	return s.name
}

// head is a file's line above the hunks: its label, or its name and time.
func (d *differ) head(s diffSideOf, i int, _ bool) string {
	if i < len(d.labels) {
		return d.labels[i]
	}
	when := "1970-01-01 00:00:00.000000000 +0000"
	if !s.missing {
		when = strftime.Format("%Y-%m-%d %H:%M:%S.%N %z", s.info.Modified.In(d.location()), true)
	}
	return quoteDiffName(s.name) + "\t" + when
}

// quoteDiffName quotes a name as C would where it holds what a patch's reader
// would stumble over.
func quoteDiffName(name string) string {
	plain := true
	for i := 0; i < len(name); i++ {
		if name[i] < ' ' || name[i] == '"' || name[i] == '\\' || name[i] == 127 {
			plain = false
		}
	}
	if plain {
		return name
	}
	return strconv.Quote(name)
}

func diffProgram(string) *program {
	return &program{
		output: outputStyle{line: "standard output: "},
		usage: `diff [OPTION]... FILES
Compare two files, or the files of two directories, line by line.

      --normal                the format without options
  -u, -U N, --unified[=N]     with N lines of unified context (3)
  -c, -C N, --context[=N]     with N lines of copied context (3)
  -e, --ed   -n, --rcs   -f   scripts
  -y, --side-by-side          two columns; -W N wide, --left-column,
                              --suppress-common-lines
  -D, --ifdef=NAME            both files merged
  -q, --brief                 only whether files differ
  -s, --report-identical-files
  -r, --recursive   -N, --new-file   -P, --unidirectional-new-file
  -x, --exclude=PAT   -X, --exclude-from=FILE   -S, --starting-file=FILE
  -i, --ignore-case   -E, --ignore-tab-expansion   -Z, --ignore-trailing-space
  -b, --ignore-space-change   -w, --ignore-all-space   -B, --ignore-blank-lines
  -I, --ignore-matching-lines=RE   --strip-trailing-cr   -a, --text
  -p, --show-c-function   -F, --show-function-line=RE   -L, --label=LABEL
  -t, --expand-tabs   -T, --initial-tab   --tabsize=N   -d, --minimal
      --from-file=FILE   --to-file=FILE   --no-dereference   --horizon-lines=N`,
		options: getopt.Spec{Digits: true, Options: []getopt.Option{
			{Key: 'C', Argument: getopt.Required}, {Key: 'c'}, {Key: 'H'}, {Key: 'L', Argument: getopt.Required}, {Key: 'P'}, {Key: 'U', Argument: getopt.Required}, {Key: 'u'},
			{Key: keyDiffSpeed, Long: "binary"}, {Key: 'q', Long: "brief"}, {Key: keyDiffChangedGroup, Long: "changed-group-format", Argument: getopt.Required},
			{Key: keyDiffColor, Long: "color", Argument: getopt.Optional}, {Key: 'c', Long: "context", Argument: getopt.Optional}, {Key: 'e', Long: "ed"},
			{Key: 'x', Long: "exclude", Argument: getopt.Required}, {Key: 'X', Long: "exclude-from", Argument: getopt.Required}, {Key: 't', Long: "expand-tabs"},
			{Key: 'f', Long: "forward-ed"}, {Key: keyDiffFrom, Long: "from-file", Argument: getopt.Required},
			{Key: keyDiffHorizon, Long: "horizon-lines", Argument: getopt.Required}, {Key: 'D', Long: "ifdef", Argument: getopt.Required}, {Key: 'w', Long: "ignore-all-space"},
			{Key: 'B', Long: "ignore-blank-lines"}, {Key: 'i', Long: "ignore-case"}, {Key: keyDiffFoldNames, Long: "ignore-file-name-case"},
			{Key: 'I', Long: "ignore-matching-lines", Argument: getopt.Required}, {Key: 'b', Long: "ignore-space-change"}, {Key: 'E', Long: "ignore-tab-expansion"},
			{Key: 'Z', Long: "ignore-trailing-space"}, {Key: keyDiffSpeed, Long: "inhibit-hunk-merge"}, {Key: 'T', Long: "initial-tab"},
			{Key: keyDiffLabel, Long: "label", Argument: getopt.Required}, {Key: keyDiffLeft, Long: "left-column"},
			{Key: keyDiffLineFormat, Long: "line-format", Argument: getopt.Required}, {Key: 'd', Long: "minimal"}, {Key: 'N', Long: "new-file"},
			{Key: keyDiffNewGroup, Long: "new-group-format", Argument: getopt.Required}, {Key: keyDiffNewLine, Long: "new-line-format", Argument: getopt.Required},
			{Key: keyDiffNoDeref, Long: "no-dereference"}, {Key: keyDiffNoFoldNames, Long: "no-ignore-file-name-case"}, {Key: keyDiffNormal, Long: "normal"},
			{Key: keyDiffOldGroup, Long: "old-group-format", Argument: getopt.Required}, {Key: keyDiffOldLine, Long: "old-line-format", Argument: getopt.Required},
			{Key: 'l', Long: "paginate"}, {Key: keyDiffPalette, Long: "palette", Argument: getopt.Required}, {Key: 'n', Long: "rcs"}, {Key: 'r', Long: "recursive"},
			{Key: 's', Long: "report-identical-files"}, {Key: 'p', Long: "show-c-function"},
			{Key: 'F', Long: "show-function-line", Argument: getopt.Required}, {Key: 'y', Long: "side-by-side"}, {Key: keyDiffSpeed, Long: "speed-large-files"},
			{Key: 'S', Long: "starting-file", Argument: getopt.Required}, {Key: keyDiffStripCR, Long: "strip-trailing-cr"},
			{Key: keyDiffSuppressEmpty, Long: "suppress-blank-empty"}, {Key: keyDiffSuppress, Long: "suppress-common-lines"},
			{Key: keyDiffTabSize, Long: "tabsize", Argument: getopt.Required}, {Key: 'a', Long: "text"}, {Key: keyDiffTo, Long: "to-file", Argument: getopt.Required},
			{Key: keyDiffUnchangedGroup, Long: "unchanged-group-format", Argument: getopt.Required},
			{Key: keyDiffUnchangedLine, Long: "unchanged-line-format", Argument: getopt.Required}, {Key: keyDiffUnidirectional, Long: "unidirectional-new-file"},
			{Key: 'u', Long: "unified", Argument: getopt.Optional}, {Key: 'W', Long: "width", Argument: getopt.Required},
		}},
		prefixedTry: true,
		trouble:     2,
		run:         diffRun,
	}
}
