package builtins

import (
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/vsh-project/vsh/builtins/internal/human"
	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/internal/strftime"
	"github.com/vsh-project/vsh/internal/walk"
	"github.com/vsh-project/vsh/vfs"
)

const (
	duApparent = 1000 + iota
	duExclude
	duFilesFrom
	duInodes
	duSI
	duTime
	duTimeStyle
)

// duCommand is one run of du.
type duCommand struct {
	*call
	all, countLinks, apparent bool
	total, separate, inodes   bool
	summarize                 bool
	maxDepth                  int // -1: all
	links                     walk.Links
	oneDevice                 bool
	options                   human.Options
	unit                      uint64
	threshold                 int64
	exclude                   []string
	end                       byte
	which                     byte // which time to show, 0 for none
	timeFormat                string
	filesFrom                 string
	hasFilesFrom              bool

	location *time.Location
	seen     map[copyInode]struct{}
	// hashAll remembers files of one name too; charged is what seen costs.
	hashAll bool
	charged int64
	levels  []duLevel
	grand   duLevel
}

// duSeenSize is what a remembered file is charged.
const duSeenSize = 64

// duLevel is what has been counted at one depth.
type duLevel struct {
	// all counts everything below the directory, direct only what is not in
	// further directories.
	all, direct uint64
	latest      time.Time
}

func (l *duLevel) add(n uint64, t time.Time, direct bool) {
	l.all += n
	if direct {
		l.direct += n
	}
	if t.After(l.latest) {
		l.latest = t
	}
}

func duRun(c *call) error {
	d := &duCommand{call: c, maxDepth: -1, unit: 1024, end: '\n', location: c.location(), seen: map[copyInode]struct{}{}}
	d.environment()
	operands, err := c.parse(d.option)
	if err != nil {
		return err
	}
	if d.all && d.summarize {
		return c.usageErrorf("cannot both summarize and show all entries")
	}
	if d.summarize {
		switch {
		case d.maxDepth == 0:
			c.warnf("warning: summarizing is the same as using --max-depth=0")
		case d.maxDepth > 0:
			c.warnf("warning: summarizing conflicts with --max-depth=%d", d.maxDepth)
			return c.failQuietly()
		}
		d.maxDepth = 0
	}
	if err := d.settle(operands); err != nil {
		return err
	}
	// One file may be met twice where there are several operands or links are
	// followed.
	d.hashAll = len(operands) > 1 || d.hasFilesFrom || d.links == walk.Logical
	defer func() { c.Host().Release(d.charged) }()
	if d.hasFilesFrom {
		err = d.listed()
	} else {
		if len(operands) == 0 {
			operands = []string{"."}
		}
		for _, name := range operands {
			if name == "" {
				c.errorf("invalid zero-length file name")
				continue
			}
			if err = d.operand(name); err != nil {
				break
			}
		}
	}
	if err == nil && d.total {
		d.print(d.grand.all, d.grand.latest, "total")
	}
	return err
}

// failQuietly ends the run with the trouble status, all having been said.
func (c *call) failQuietly() error {
	c.status = c.trouble()
	return c.tryHelp()
}

func (d *duCommand) environment() {
	for _, name := range [...]string{"DU_BLOCK_SIZE", "BLOCK_SIZE", "BLOCKSIZE"} {
		if value, ok := d.Getenv(name); ok {
			if options, size, fault := human.BlockSize(value); fault == human.Fine {
				d.options, d.unit = options, size
			}
			return
		}
	}
	if _, ok := d.Getenv("POSIXLY_CORRECT"); ok {
		d.unit = 512
	}
}

func (d *duCommand) option(p *getopt.Parser) error {
	var err error
	switch p.Key {
	case '0':
		d.end = 0
	case 'a':
		d.all = true
	case 'b':
		d.apparent, d.options, d.unit = true, 0, 1
	case 'B':
		d.options, d.unit, err = d.blockSize(p.Typed, p.Value)
	case 'c':
		d.total = true
	case 'D', 'H':
		d.links = walk.CommandLine
	case 'd':
		n, fault := parseNumber(p.Value, "")
		if fault != numberOK || n > 1<<63-1 {
			return d.usageErrorf("invalid maximum depth %s", quote(p.Value))
		}
		d.maxDepth = int(min(n, 1<<30))
	case 'h':
		d.options, d.unit = human.Human, 1
	case duSI:
		d.options, d.unit = human.SI, 1
	case 'k':
		d.options, d.unit = 0, 1<<10
	case 'm':
		d.options, d.unit = 0, 1<<20
	case 'l':
		d.countLinks = true
	case 'L':
		d.links = walk.Logical
	case 'P':
		d.links = walk.Physical
	case 's':
		d.summarize = true
	case 'S':
		d.separate = true
	case 't':
		return d.setThreshold(p.Typed, p.Value)
	case 'x':
		d.oneDevice = true
	case 'X':
		return d.excludeFrom(p.Value)
	case duApparent:
		d.apparent = true
	case duExclude:
		d.exclude = append(d.exclude, p.Value)
	case duFilesFrom:
		d.filesFrom, d.hasFilesFrom = p.Value, true
	case duInodes:
		d.inodes = true
	case duTime:
		d.which = 'm'
		if p.HasValue {
			i, err := d.argumentMatch("--time", p.Value, []string{"atime", "access", "use", "ctime", "status"}, []int{0, 0, 0, 1, 1})
			if err != nil {
				return err
			}
			d.which = "aaacc"[i]
		}
	case duTimeStyle:
		d.timeFormat = p.Value
	}
	return err
}

func (d *duCommand) setThreshold(option, text string) error {
	digits, negative := strings.CutPrefix(text, "-")
	n, fault := parseNumber(digits, "kKmMGTPEZY0")
	if fault != numberOK || n > 1<<62 {
		return d.fatalf("invalid %s argument '%s'", option, text)
	}
	if negative && n == 0 {
		return d.fatalf("invalid --threshold argument '-0'")
	}
	if d.threshold = int64(n); negative {
		d.threshold = -d.threshold
	}
	return nil
}

func (d *duCommand) excludeFrom(name string) error {
	r, done, err := d.open(name)
	if err != nil {
		return d.usageErrorf("%s: %s", quoteFile(name), vfs.Words(err))
	}
	defer done()
	in := lines.NewReader(r, d.Host())
	defer in.Close()
	for {
		line, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return d.fatalf("%s: %s", quoteFile(name), vfs.Words(err))
		}
		if pattern := strings.TrimRight(string(line), " \t\n\r\f\v"); pattern != "" {
			d.exclude = append(d.exclude, pattern)
		}
	}
}

func (d *duCommand) settle(operands []string) error {
	if d.hasFilesFrom && len(operands) > 0 {
		d.errorf("extra operand %s", quote(operands[0]))
		fmt.Fprintf(d.Stderr, "file operands cannot be combined with --files0-from\n")
		return d.tryHelp()
	}
	if d.inodes {
		if d.apparent {
			d.warnf("warning: options --apparent-size and -b are ineffective with --inodes")
		}
		d.unit = 1
	}
	style := d.timeFormat
	if style == "" {
		style, _ = d.Getenv("TIME_STYLE")
		style = strings.TrimPrefix(style, "posix-")
		if style == "locale" {
			style = ""
		}
	}
	switch {
	case d.which == 0: // no times are shown
	case strings.HasPrefix(style, "+"):
		d.timeFormat, _, _ = strings.Cut(style[1:], "\n")
	case style == "" || strings.HasPrefix("long-iso", style):
		d.timeFormat = "%Y-%m-%d %H:%M"
	case strings.HasPrefix("full-iso", style):
		d.timeFormat = "%Y-%m-%d %H:%M:%S.%N %z"
	case strings.HasPrefix("iso", style):
		d.timeFormat = "%Y-%m-%d"
	default:
		_, err := d.argumentMatch("time style", style, []string{"full-iso", "long-iso", "iso"}, nil)
		return err
	}
	return nil
}

func (d *duCommand) listed() error {
	r, done, err := d.open(d.filesFrom)
	if err != nil {
		return d.fatalf("cannot open %s for reading: %s", quoteName(d.filesFrom), vfs.Words(err))
	}
	defer done()
	in := lines.NewReader(r, d.Host())
	in.Delim = 0
	defer in.Close()
	for n := 1; ; n++ {
		line, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return d.fatalf("%s: read error: %s", quoteFile(d.filesFrom), vfs.Words(err))
		}
		name := strings.TrimSuffix(string(line), "\x00")
		if name == "" {
			d.errorf("%s:%d: invalid zero-length file name", quoteFile(d.filesFrom), n)
			continue
		}
		if err := d.operand(name); err != nil {
			return err
		}
	}
}

// excluded reports whether a pattern takes a name or one of its last parts.
func (d *duCommand) excluded(name string) bool {
	for _, pattern := range d.exclude {
		if fnmatch(pattern, name, false) {
			return true
		}
		for i := 0; i < len(name); i++ {
			if name[i] == '/' && i+1 < len(name) && fnmatch(pattern, name[i+1:], false) {
				return true
			}
		}
	}
	return false
}

func (d *duCommand) operand(name string) error {
	d.levels = d.levels[:0]
	return walk.Walk(d.ctx, d.View(), name, walk.Options{Links: d.links, Stat: true, Post: true, OneDevice: d.oneDevice, Ahead: findAhead}, d.visit)
}

func (d *duCommand) level(depth int) *duLevel {
	for len(d.levels) <= depth {
		d.levels = append(d.levels, duLevel{})
	}
	return &d.levels[depth]
}

func (d *duCommand) visit(e *walk.Entry) error {
	switch e.Kind {
	case walk.Missing:
		d.errorf("cannot access %s: %s", quoteName(e.Path), vfs.Words(e.Err))
		return nil
	case walk.Unreadable:
		d.errorf("cannot read directory %s: %s", quoteName(e.Path), vfs.Words(e.Err))
		return nil
	case walk.Loop:
		return nil
	}
	info, err := e.Info(d.ctx, d.View())
	if err != nil {
		return err
	}
	if e.Type&fs.ModeSymlink != 0 && (d.links == walk.Logical || d.links == walk.CommandLine && e.Depth == 0) {
		d.errorf("cannot access %s", quoteName(e.Path)) // it leads nowhere
		return nil
	}
	if e.Kind == walk.Pre {
		if d.excluded(e.Path) {
			return walk.SkipDir
		}
		if d.oneDevice && e.Depth > 0 && e.Parent != nil {
			if above, err := e.Parent.Info(d.ctx, d.View()); err == nil && above.Device != info.Device {
				return walk.SkipDir
			}
		}
		if !d.countLinks && (e.IsDir() || d.hashAll || info.Links > 1) || d.countLinks && e.IsDir() {
			// A file of several names counts once, a directory is gone through once.
			if _, again := d.seen[copyID(info)]; again && !(d.countLinks && !e.IsDir()) {
				e.Ancestor = "again"
				return walk.SkipDir
			}
			if err := d.Host().Charge(duSeenSize); err != nil {
				return err
			}
			d.charged += duSeenSize
			d.seen[copyID(info)] = struct{}{}
		}
		if e.IsDir() {
			*d.level(e.Depth + 1) = duLevel{}
			return nil
		}
	} else if e.Ancestor != "" || d.excluded(e.Path) {
		return nil
	}
	return d.count(e, info)
}

// count adds a file, or a directory whose contents have been added, and prints
// it where that is asked for.
func (d *duCommand) count(e *walk.Entry, info *vfs.Info) error {
	own := uint64(info.Blocks) * 512
	switch {
	case d.inodes:
		own = 1
	case d.apparent:
		own = uint64(max(info.Bytes, 0))
	}
	entry := duLevel{}
	if d.which != 0 {
		entry.add(own, findTime(info, d.which), true)
	} else {
		entry.add(own, time.Time{}, true)
	}
	if e.IsDir() {
		below := d.level(e.Depth + 1)
		entry.add(below.all, below.latest, false)
		entry.direct += below.direct
	}
	d.grand.add(own, entry.latest, true)
	if e.Depth > 0 {
		above := d.level(e.Depth)
		above.add(entry.all, entry.latest, !e.IsDir())
	}
	shown := entry.all
	if d.separate && e.IsDir() {
		shown = entry.direct
	}
	if d.maxDepth >= 0 && e.Depth > d.maxDepth || !d.all && !e.IsDir() && e.Depth > 0 {
		return nil
	}
	size := int64(min(shown, 1<<62))
	if d.threshold < 0 && size > -d.threshold || d.threshold > 0 && size < d.threshold {
		return nil
	}
	d.print(shown, entry.latest, e.Path)
	return d.written()
}

// written ends the run when the reader is gone.
func (d *duCommand) written() error {
	if d.out.Buffered() > 16<<10 {
		if err := d.out.Flush(); err != nil {
			return d.writeError(err)
		}
	}
	return d.ctx.Err()
}

func (d *duCommand) print(n uint64, t time.Time, name string) {
	if d.inodes {
		if d.options&human.Autoscale != 0 {
			d.out.WriteString(human.Format(n, d.options, 1, 1))
		} else {
			d.out.WriteString(strconv.FormatUint(n, 10))
		}
	} else {
		d.out.WriteString(human.Format(n, d.options, 1, d.unit))
	}
	if d.which != 0 {
		d.out.WriteByte('\t')
		d.out.WriteString(strftime.Format(d.timeFormat, t.In(d.location), true))
	}
	d.out.WriteString("\t" + name)
	d.out.WriteByte(d.end)
}

func duProgram(string) *program {
	return &program{
		output: outputStyle{flushesLines: true},
		usage: `du [OPTION]... [FILE]...
       du [OPTION]... --files0-from=F
Sum up the space of files, directories with all they hold.

  -0, --null              end lines with NUL
  -a, --all               show files too
      --apparent-size     sizes rather than space
  -B, --block-size=SIZE   count in units of SIZE
  -b, --bytes             same as --apparent-size --block-size=1
  -c, --total             a total at the end
  -D, -H, --dereference-args  follow links among the operands
  -d, --max-depth=N       show no deeper than N levels
      --exclude=PATTERN, -X, --exclude-from=FILE  leave files out
      --files0-from=F     operands from F, ended by NULs
  -h, --human-readable, --si  sizes with units
      --inodes            count files
  -k, -m                  units of 1K, 1M
  -L, --dereference, -P, --no-dereference  follow all links, or none
  -l, --count-links       count each name of a file
  -S, --separate-dirs     leave directories below out of the sums
  -s, --summarize         only the operands
  -t, --threshold=SIZE    only from SIZE up, or for -SIZE up to it
      --time[=WORD], --time-style=STYLE  show the latest time
  -x, --one-file-system   stay on each operand's storage`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: '0', Long: "null"}, {Key: 'a', Long: "all"}, {Key: duApparent, Long: "apparent-size"}, {Key: 'B', Long: "block-size", Argument: getopt.Required},
			{Key: 'b', Long: "bytes"}, {Key: 'l', Long: "count-links"}, {Key: 'L', Long: "dereference"}, {Key: 'D', Long: "dereference-args"}, {Key: 'H'},
			{Key: duExclude, Long: "exclude", Argument: getopt.Required}, {Key: 'X', Long: "exclude-from", Argument: getopt.Required},
			{Key: duFilesFrom, Long: "files0-from", Argument: getopt.Required}, {Key: 'h', Long: "human-readable"}, {Key: duInodes, Long: "inodes"}, {Key: duSI, Long: "si"},
			{Key: 'd', Long: "max-depth", Argument: getopt.Required}, {Key: 'P', Long: "no-dereference"}, {Key: 'x', Long: "one-file-system"},
			{Key: 'S', Long: "separate-dirs"}, {Key: 's', Long: "summarize"}, {Key: 'c', Long: "total"}, {Key: 't', Long: "threshold", Argument: getopt.Required},
			{Key: duTime, Long: "time", Argument: getopt.Optional}, {Key: duTimeStyle, Long: "time-style", Argument: getopt.Required}, {Key: 'k'}, {Key: 'm'},
		}},
		run: duRun,
	}
}
