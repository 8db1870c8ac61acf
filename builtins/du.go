package builtins

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/strftime"
	"github.com/vsh-project/vsh/internal/walk"
	"github.com/vsh-project/vsh/vfs"
)

const (
	keyApparent = 256 + iota
	keyInodes
	keySI
	keyTime
	keyTimeStyle
	keyExclude
	keyFiles0From
)

// diskUsage is one run of du.
type diskUsage struct {
	*call
	all, apparent, total, countLinks, summarize, separate, inodes, oneDevice, null bool
	human, si                                                                      bool
	block                                                                          int64
	depth                                                                          int
	threshold                                                                      int64
	links                                                                          walk.Links
	exclude                                                                        []string
	showTime                                                                       bool
	timeFormat                                                                     string

	seen  map[[2]uint64]bool
	grand int64
}

func duRun(c *call) error {
	d := &diskUsage{call: c, block: 1024, depth: -1, seen: map[[2]uint64]bool{}, timeFormat: "%Y-%m-%d %H:%M"}
	maxDepth := false
	operands, err := c.parse(func(p *getopt.Parser) error { return d.option(p, &maxDepth) })
	if err != nil {
		return err
	}
	if d.summarize {
		if d.all {
			return c.usageErrorf("cannot both summarize and show all entries")
		}
		if maxDepth && d.depth != 0 {
			return c.usageErrorf("warning: summarizing conflicts with --max-depth=%d", d.depth)
		}
		d.depth = 0
	}
	if len(operands) == 0 {
		operands = []string{"."}
	}
	for _, name := range operands {
		if err := d.operand(name); err != nil {
			return err
		}
	}
	if d.total {
		d.print(d.grand, time.Time{}, "total")
	}
	return nil
}

func (d *diskUsage) option(p *getopt.Parser, maxDepth *bool) error {
	switch p.Key {
	case 'a':
		d.all = true
	case 'b':
		d.apparent, d.block, d.human = true, 1, false
	case 'c':
		d.total = true
	case 'D', 'H':
		d.links = walk.CommandLine
	case 'd':
		n, err := strconv.Atoi(p.Value)
		if err != nil || n < 0 {
			return d.usageErrorf("invalid maximum depth %s", quote(p.Value))
		}
		d.depth, *maxDepth = n, true
	case 'h':
		d.human, d.si = true, false
	case keySI:
		d.human, d.si = true, true
	case 'k':
		d.block, d.human = 1024, false
	case 'm':
		d.block, d.human = 1<<20, false
	case 'B':
		n, err := d.number(p.Value, 1, 1<<62, "EgGkKmMPtTYZ0", "invalid --block-size argument")
		if err != nil {
			return err
		}
		d.block, d.human = int64(n), false
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
		n, err := strconv.ParseInt(strings.TrimSuffix(p.Value, "K"), 10, 64)
		if err != nil || n == 0 {
			return d.fatalf("invalid --threshold argument '%s'", p.Value)
		}
		if strings.HasSuffix(p.Value, "K") {
			n *= 1024
		}
		d.threshold = n
	case 'x':
		d.oneDevice = true
	case 'X':
		text, err := d.readAll(p.Value)
		if err != nil {
			return d.fatalf("%s: %s", quoteFile(p.Value), vfs.Words(err))
		}
		for line := range strings.Lines(text) {
			d.exclude = append(d.exclude, strings.TrimSuffix(line, "\n"))
		}
	case '0':
		d.null = true
	case keyApparent:
		d.apparent = true
	case keyInodes:
		d.inodes = true
	case keyTime:
		d.showTime = true
	case keyTimeStyle:
		switch p.Value {
		case "full-iso":
			d.timeFormat = "%Y-%m-%d %H:%M:%S.%N %z"
		case "long-iso":
			d.timeFormat = "%Y-%m-%d %H:%M"
		case "iso":
			d.timeFormat = "%Y-%m-%d"
		default:
			d.timeFormat = strings.TrimPrefix(p.Value, "+")
		}
	case keyExclude:
		d.exclude = append(d.exclude, p.Value)
	}
	return nil
}

// sum is what a directory holds so far.
type duSum struct {
	size, below int64
	latest      time.Time
}

func (d *diskUsage) operand(name string) error {
	var stack []duSum
	return walk.Walk(d.ctx, d.View(), name, walk.Options{Links: d.links, Post: true, Stat: true, OneDevice: d.oneDevice, Ahead: 8}, func(e *walk.Entry) error {
		switch e.Kind {
		case walk.Missing:
			d.errorf("cannot access %s: %s", quoteName(e.Path), vfs.Words(e.Err))
			return nil
		case walk.Unreadable:
			d.errorf("cannot read directory %s: %s", quoteName(e.Path), vfs.Words(e.Err))
			return nil
		case walk.Loop:
			return nil
		case walk.Post:
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			d.close(e, top, stack)
			return nil
		}
		if d.excluded(e) {
			if e.IsDir() {
				return walk.SkipDir
			}
			return nil
		}
		info, err := e.Info(d.ctx, d.View())
		if err != nil {
			d.errorf("cannot access %s: %s", quoteName(e.Path), vfs.Words(err))
			return nil
		}
		size := d.size(info)
		if !info.IsDir() && info.Links > 1 && !d.countLinks {
			key := [2]uint64{info.Device, info.Inode}
			if d.seen[key] {
				return nil
			}
			d.seen[key] = true
		}
		if e.IsDir() {
			stack = append(stack, duSum{size: size, latest: info.Modified})
			return nil
		}
		if len(stack) > 0 {
			top := &stack[len(stack)-1]
			top.size += size
			if info.Modified.After(top.latest) {
				top.latest = info.Modified
			}
		} else {
			d.grand += size
		}
		if e.Depth == 0 || d.all && (d.depth < 0 || e.Depth <= d.depth) {
			d.print(size, info.Modified, e.Path)
		}
		return nil
	})
}

// close prints a directory and adds it to the one above.
func (d *diskUsage) close(e *walk.Entry, sum duSum, stack []duSum) {
	whole := sum.size + sum.below
	shown := whole
	if d.separate {
		shown = sum.size
	}
	if d.depth < 0 || e.Depth <= d.depth {
		d.print(shown, sum.latest, e.Path)
	}
	if len(stack) == 0 {
		d.grand += whole
		return
	}
	up := &stack[len(stack)-1]
	up.below += whole
	if sum.latest.After(up.latest) {
		up.latest = sum.latest
	}
}

func (d *diskUsage) excluded(e *walk.Entry) bool {
	for _, p := range d.exclude {
		if fnmatch(p, e.Name, false) || fnmatch(p, e.Path, false) {
			return true
		}
	}
	return false
}

func (d *diskUsage) size(info *vfs.Info) int64 {
	switch {
	case d.inodes:
		return 1
	case d.apparent && (info.IsDir() || info.Mode()&fs.ModeType != 0 && info.Mode()&fs.ModeSymlink == 0):
		return 0
	case d.apparent:
		return info.Size()
	}
	return info.Blocks * 512
}

func (d *diskUsage) print(size int64, when time.Time, name string) {
	if d.threshold > 0 && size < d.threshold || d.threshold < 0 && size > -d.threshold {
		return
	}
	var text string
	switch {
	case d.inodes && !d.human:
		text = strconv.FormatInt(size, 10)
	case d.human:
		text = humanBytes(size, d.si)
	default:
		text = strconv.FormatInt((size+d.block-1)/d.block, 10)
	}
	d.out.WriteString(text)
	if d.showTime {
		d.out.WriteString("\t" + strftime.Format(d.timeFormat, when.In(d.location()), true))
	}
	end := byte('\n')
	if d.null {
		end = 0
	}
	d.out.WriteString("\t" + name)
	d.out.WriteByte(end)
}

// humanBytes is a size as -h shows it, rounded up: one decimal below ten.
func humanBytes(n int64, si bool) string {
	unit, letters := int64(1024), "KMGTPE"
	if si {
		unit, letters = 1000, "kMGTPE"
	}
	if n < unit {
		return strconv.FormatInt(n, 10)
	}
	div, k := unit, 0
	for n/unit >= div && k < len(letters)-1 {
		div *= unit
		k++
	}
	tenths := (n*10 + div - 1) / div
	if n > 1<<59 {
		tenths = (n + div/10 - 1) / (div / 10)
	}
	if tenths < 100 {
		return fmt.Sprintf("%d.%d%c", tenths/10, tenths%10, letters[k])
	}
	whole := (n + div - 1) / div
	if whole >= unit && k < len(letters)-1 {
		return fmt.Sprintf("1.0%c", letters[k+1])
	}
	return fmt.Sprintf("%d%c", whole, letters[k])
}

// dfRun shows one line for the file system of each operand, or for the three
// there are.
func dfRun(c *call) error {
	var human, si, inodes, types, total, posix bool
	block := int64(1024)
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'h':
			human, si = true, false
		case 'H':
			human, si = true, true
		case 'i':
			inodes = true
		case 'k':
			block = 1024
		case 'm':
			block = 1 << 20
		case 'B':
			n, err := c.number(p.Value, 1, 1<<62, "EgGkKmMPtTYZ0", "invalid --block-size argument")
			if err != nil {
				return err
			}
			block = int64(n)
		case 'P':
			posix = true
		case 'T':
			types = true
		case keyTime:
			total = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(operands) == 0 {
		operands = []string{c.Host().MountPoint(), "/tmp"}
	}
	rows := [][]string{dfHeader(human, inodes, types, posix, block)}
	var sum vfs.Usage
	for _, name := range operands {
		u, err := c.View().Statfs(c.ctx, name)
		if err != nil {
			if c.ends(err) {
				return err
			}
			c.errorf("%s: %s", quoteFile(name), vfs.Words(err))
			continue
		}
		mount := (&statOf{call: c, name: name}).mountOf()
		rows = append(rows, dfRow("vsh", mount, u, human, si, inodes, types, block))
		sum.Bytes += u.Bytes
		sum.FreeBytes += u.FreeBytes
		sum.Inodes += u.Inodes
		sum.FreeInodes += u.FreeInodes
	}
	if total {
		rows = append(rows, dfRow("total", "-", &sum, human, si, inodes, types, block))
	}
	if len(rows) == 1 {
		return nil
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len(cell))
		}
	}
	widths[0] = max(widths[0], 14)
	for _, row := range rows {
		for i, cell := range row {
			switch {
			case i == len(row)-1:
				c.out.WriteString(cell + "\n")
			case i == 0 || i == 1 && types:
				fmt.Fprintf(c.out, "%-*s ", widths[i], cell)
			default:
				fmt.Fprintf(c.out, "%*s ", widths[i], cell)
			}
		}
	}
	return nil
}

func dfHeader(human, inodes, types, posix bool, block int64) []string {
	row := []string{"Filesystem"}
	if types {
		row = append(row, "Type")
	}
	switch {
	case inodes:
		return append(row, "Inodes", "IUsed", "IFree", "IUse%", "Mounted on")
	case human:
		return append(row, "Size", "Used", "Avail", "Use%", "Mounted on")
	}
	title := strconv.FormatInt(block, 10) + "-blocks"
	if block%1024 == 0 && !posix {
		title = humanBytes(block, false)
		title = strings.Replace(title, ".0", "", 1) + "-blocks"
	}
	use := "Use%"
	if posix {
		use = "Capacity"
	}
	return append(row, title, "Used", "Available", use, "Mounted on")
}

func dfRow(source, mount string, u *vfs.Usage, human, si, inodes, types bool, block int64) []string {
	row := []string{source}
	if types {
		row = append(row, "tmpfs")
	}
	size, free := u.Bytes, u.FreeBytes
	if inodes {
		size, free = u.Inodes, u.FreeInodes
	}
	used := size - free
	show := func(n uint64) string {
		switch {
		case human:
			return humanBytes(int64(n), si)
		case inodes:
			return strconv.FormatUint(n, 10)
		}
		return strconv.FormatInt((int64(n)+block-1)/block, 10)
	}
	percent := "-"
	if size > 0 {
		percent = strconv.FormatUint((used*100+size-1)/size, 10) + "%"
	}
	return append(row, show(size), show(used), show(free), percent, mount)
}

func init() {
	register(program{
		name:    "du",
		summary: "sum up disk usage (-s -h -a -c -d -b --apparent-size)",
		usage: `du [OPTION]... [FILE]...
Sum up what each directory and what is below it takes.

  -0, --null            end lines with NUL        -L, --dereference   follow links
  -a, --all             files too                 -P, --no-dereference  follow none
  -B, --block-size=SIZE scale by SIZE             -S, --separate-dirs
  -b, --bytes           like --apparent-size -B1  -s, --summarize     operands only
  -c, --total           a grand total             -t, --threshold=SIZE
  -D, -H, --dereference-args                      -x, --one-file-system
  -d, --max-depth=N     only N levels deep        -X, --exclude-from=FILE
  -h, --human-readable; --si                      --exclude=PATTERN
  -k, -m                blocks of 1K, 1M          --inodes; --time; --time-style=STYLE
  -l, --count-links     count hard links each time`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: '0', Long: "null"}, {Key: 'a', Long: "all"}, {Key: keyApparent, Long: "apparent-size"}, {Key: 'B', Long: "block-size", Argument: getopt.Required}, {Key: 'b', Long: "bytes"},
			{Key: 'c', Long: "total"}, {Key: 'D', Long: "dereference-args"}, {Key: 'H'}, {Key: 'd', Long: "max-depth", Argument: getopt.Required}, {Key: 'h', Long: "human-readable"},
			{Key: keyInodes, Long: "inodes"}, {Key: 'k'}, {Key: 'L', Long: "dereference"}, {Key: 'l', Long: "count-links"}, {Key: 'm'}, {Key: 'P', Long: "no-dereference"},
			{Key: 'S', Long: "separate-dirs"}, {Key: keySI, Long: "si"}, {Key: 's', Long: "summarize"}, {Key: 't', Long: "threshold", Argument: getopt.Required},
			{Key: keyTime, Long: "time", Argument: getopt.Optional}, {Key: keyTimeStyle, Long: "time-style", Argument: getopt.Required}, {Key: 'X', Long: "exclude-from", Argument: getopt.Required},
			{Key: keyExclude, Long: "exclude", Argument: getopt.Required}, {Key: 'x', Long: "one-file-system"},
		}},
		run: duRun,
	})
	register(program{
		name:    "df",
		summary: "show space of the file systems (-h -i -k -T -P)",
		usage: `df [OPTION]... [FILE]...
Show the space of the file system that holds each file, or of the workspace and
/tmp.

  -B, --block-size=SIZE  scale by SIZE      -k, -m        blocks of 1K, 1M
  -h, --human-readable   powers of 1024     -P, --portability
  -H, --si               powers of 1000     -T, --print-type
  -i, --inodes           count inodes       --total       a grand total
  -a, -l                 accepted`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'a', Long: "all"}, {Key: 'B', Long: "block-size", Argument: getopt.Required}, {Key: 'h', Long: "human-readable"}, {Key: 'H', Long: "si"}, {Key: 'i', Long: "inodes"},
			{Key: 'k'}, {Key: 'l', Long: "local"}, {Key: 'm'}, {Key: 'P', Long: "portability"}, {Key: 'T', Long: "print-type"}, {Key: keyTime, Long: "total"},
		}},
		run: dfRun,
	})
}
