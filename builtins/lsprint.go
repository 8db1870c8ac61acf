package builtins

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/vsh-project/vsh/builtins/internal/filemode"
	"github.com/vsh-project/vsh/builtins/internal/human"
	"github.com/vsh-project/vsh/internal/strftime"
	"github.com/vsh-project/vsh/internal/width"
	"github.com/vsh-project/vsh/vfs"
)

// lsDired gathers where names stand, for --dired.
type lsDired struct {
	at                 int
	files, directories []int
}

func (d *lsDired) finish(l *lsCommand) {
	show := func(label string, offsets []int) {
		if len(offsets) == 0 {
			return
		}
		l.out.WriteString(label)
		for _, o := range offsets {
			fmt.Fprintf(l.out, " %d", o)
		}
		l.out.WriteByte('\n')
	}
	show("//DIRED//", d.files)
	show("//SUBDIRED//", d.directories)
	fmt.Fprintf(l.out, "//DIRED-OPTIONS// --quoting-style=%s\n", quoteStyleNames()[l.style])
}

func (l *lsCommand) put(s string) {
	l.out.WriteString(s)
	if l.dired != nil {
		l.dired.at += len(s)
	}
}

func (l *lsCommand) end() { l.put(string(rune(l.eol))) }

// indent starts a line, two columns in for --dired.
func (l *lsCommand) indent() {
	if l.dired != nil {
		l.put("  ")
	}
}

func (l *lsCommand) heading(name string) {
	if l.printed {
		l.put("\n")
	}
	l.printed = true
	l.indent()
	if l.hyperlinks {
		l.hyperlink(name)
	}
	start := 0
	if l.dired != nil {
		start = l.dired.at
	}
	l.put(l.quoted(name, ":"))
	if l.dired != nil && l.recursive {
		l.dired.directories = append(l.dired.directories, start, l.dired.at)
	}
	if l.hyperlinks {
		l.put("\x1b]8;;\a")
	}
	l.put(":\n")
}

// total is the line of blocks that a listing of a directory starts with.
func (l *lsCommand) total(files []*lsFile) {
	var blocks uint64
	for _, f := range files {
		if f.info != nil {
			blocks += uint64(f.info.Blocks)
		}
	}
	l.indent()
	l.put("total " + human.Format(blocks, l.blockOptions, 512, l.blockUnit))
	l.end()
}

// lsWidths are the columns of a listing.
type lsWidths struct{ inode, blocks, links, owner, group, author, size, major, minor, time int }

func (l *lsCommand) print(files, measured []*lsFile) error {
	some := false
	for _, f := range files {
		f.text = l.quoted(f.name, l.alsoFile)
		some = some || f.text != f.name
	}
	if some && l.alignQuotes {
		for _, f := range files {
			f.padded = f.text == f.name
		}
	}
	w := l.widths(measured)
	switch l.format {
	case lsLong:
		for i, f := range files {
			if i&255 == 0 && l.ctx.Err() != nil {
				return l.ctx.Err()
			}
			l.long(f, &w)
			l.end()
		}
	case lsColumns, lsAcross:
		if l.lineWidth == 0 {
			l.separated(files, &w, ' ')
			break
		}
		return l.columns(files, &w)
	case lsCommas:
		l.separated(files, &w, ',')
	default:
		for _, f := range files {
			l.nameAndFrills(f, &w, 0)
			l.end()
		}
	}
	// A reader that is gone must end a long listing early.
	if l.out.Buffered() > 16<<10 {
		if err := l.out.Flush(); err != nil {
			return l.writeError(err)
		}
	}
	return nil
}

func (l *lsCommand) widths(files []*lsFile) (w lsWidths) {
	if !l.inode && !l.blocks && l.format != lsLong {
		return w
	}
	for _, f := range files {
		w.inode = max(w.inode, len(l.inodeText(f)))
		w.blocks = max(w.blocks, len(l.blocksText(f)))
		if l.format != lsLong {
			continue
		}
		w.links = max(w.links, len(l.linksText(f)))
		owner, group := l.owners(f)
		w.owner, w.group = max(w.owner, width.String(owner.text)), max(w.group, width.String(group.text))
		w.author = w.owner
		if f.info != nil && f.info.FileMode&fs.ModeDevice != 0 {
			w.major = max(w.major, len(strconv.FormatUint(deviceMajor(f.info.DeviceNumber), 10)))
			w.minor = max(w.minor, len(strconv.FormatUint(deviceMinor(f.info.DeviceNumber), 10)))
			w.size = max(w.size, w.major+2+w.minor)
		} else {
			w.size = max(w.size, len(l.sizeText(f)))
		}
		if f.info == nil {
			w.time = width.String(strftime.Format(l.oldFormat, time.Unix(0, 0).In(l.location), true))
		}
	}
	return w
}

func (l *lsCommand) inodeText(f *lsFile) string {
	if f.inode == 0 || f.failed != nil {
		return "?"
	}
	return strconv.FormatUint(f.inode, 10)
}

func (l *lsCommand) blocksText(f *lsFile) string {
	if f.info == nil {
		return "?"
	}
	return human.Format(uint64(f.info.Blocks), l.blockOptions, 512, l.blockUnit)
}

func (l *lsCommand) linksText(f *lsFile) string {
	if f.info == nil {
		return "?"
	}
	return strconv.FormatUint(f.info.Links, 10)
}

func (l *lsCommand) sizeText(f *lsFile) string {
	if f.info == nil {
		return "?"
	}
	return human.Format(uint64(f.info.Bytes), l.sizes, 1, l.sizeUnit)
}

// lsOwner is an owner's column: names stand left, numbers right.
type lsOwner struct {
	text   string
	number bool
}

func (o lsOwner) pad(w int) string {
	fill := strings.Repeat(" ", max(0, w-width.String(o.text)))
	if o.number {
		return fill + o.text + " "
	}
	return o.text + fill + " "
}

func (l *lsCommand) owners(f *lsFile) (owner, group lsOwner) {
	if f.info == nil {
		return lsOwner{text: "?"}, lsOwner{text: "?"}
	}
	if l.numeric {
		return lsOwner{strconv.Itoa(f.info.UID), true}, lsOwner{strconv.Itoa(f.info.GID), true}
	}
	user, known := l.userName(f.info.UID)
	owner = lsOwner{user, !known}
	name, known := l.groupName(f.info.GID)
	return owner, lsOwner{name, !known}
}

func padLeft(s string, w int) string { return strings.Repeat(" ", max(0, w-len(s))) + s }

// long prints a line of -l up to its end.
func (l *lsCommand) long(f *lsFile, w *lsWidths) {
	var b strings.Builder
	if l.inode {
		b.WriteString(padLeft(l.inodeText(f), w.inode) + " ")
	}
	if l.blocks {
		b.WriteString(padLeft(l.blocksText(f), w.blocks) + " ")
	}
	if f.info == nil {
		letter := filemode.Letter(f.kind)
		b.WriteString(string(letter) + "????????? ")
	} else {
		b.WriteString(filemode.String(f.info.FileMode) + " ")
	}
	b.WriteString(padLeft(l.linksText(f), w.links) + " ")
	owner, group := l.owners(f)
	if l.owner {
		b.WriteString(owner.pad(w.owner))
	}
	if l.group {
		b.WriteString(group.pad(w.group))
	}
	if l.author {
		b.WriteString(owner.pad(w.author))
	}
	if l.context {
		b.WriteString("? ")
	}
	if f.info != nil && f.info.FileMode&fs.ModeDevice != 0 {
		major := strconv.FormatUint(deviceMajor(f.info.DeviceNumber), 10)
		minor := strconv.FormatUint(deviceMinor(f.info.DeviceNumber), 10)
		b.WriteString(padLeft(major, max(w.major, w.size-2-w.minor)) + ", " + padLeft(minor, w.minor))
	} else {
		b.WriteString(padLeft(l.sizeText(f), w.size))
	}
	b.WriteByte(' ')
	if f.info == nil {
		b.WriteString(padLeft("?", w.time))
	} else {
		b.WriteString(l.timeText(l.time(f)))
	}
	b.WriteByte(' ')
	l.indent()
	l.put(b.String())
	at := 0
	if l.colors != nil {
		at = width.String(b.String())
	}
	l.name(f, at)
	if f.isLink && f.target != "" {
		l.put(" -> ")
		l.targetName(f)
		if l.indicator != lsNoIndicator && f.resolved != nil {
			l.put(lsMark(l.indicator, f.resolved.FileMode, f.resolved))
		}
	} else if l.indicator != lsNoIndicator {
		l.put(lsMark(l.indicator, f.kind, f.info))
	}
}

// timeText is a time in the style for recent or older ones: older is half a
// year, and what lies ahead.
func (l *lsCommand) timeText(t time.Time) string {
	const halfYear = 31556952 / 2 * time.Second
	format := l.oldFormat
	if t.After(l.now) {
		l.now = l.Host().Now()
	}
	if t.After(l.now.Add(-halfYear)) && t.Before(l.now) {
		format = l.recentFormat
	}
	return strftime.Format(format, t.In(l.location), true)
}

// lsMark is what -F and its kin put after a name.
func lsMark(indicator lsIndicator, kind fs.FileMode, info *vfs.Info) string {
	switch {
	case kind.IsDir():
		return "/"
	case indicator == lsSlash:
	case kind.IsRegular():
		if indicator == lsClassify && info != nil && info.FileMode&0o111 != 0 {
			return "*"
		}
	case kind&fs.ModeSymlink != 0:
		return "@"
	case kind&fs.ModeNamedPipe != 0:
		return "|"
	case kind&fs.ModeSocket != 0:
		return "="
	}
	return ""
}

// nameAndFrills prints a name with what other columns the formats but -l have.
func (l *lsCommand) nameAndFrills(f *lsFile, w *lsWidths, at int) {
	commas := l.format == lsCommas
	frill := func(s string, width int) {
		if commas {
			width = 0
		}
		l.put(padLeft(s, width) + " ")
	}
	if l.inode {
		frill(l.inodeText(f), w.inode)
	}
	if l.blocks {
		frill(l.blocksText(f), w.blocks)
	}
	if l.context {
		frill("?", 1)
	}
	l.name(f, at)
	if l.indicator != lsNoIndicator {
		l.put(lsMark(l.indicator, f.kind, f.info))
	}
}

// frilledWidth is how many columns nameAndFrills fills.
func (l *lsCommand) frilledWidth(f *lsFile, w *lsWidths) int {
	n := l.nameWidth(f.text)
	if f.padded {
		n++
	}
	extra := func(s string, width int) {
		if l.format == lsCommas {
			width = len(s)
		}
		n += width + 1
	}
	if l.inode {
		extra(l.inodeText(f), w.inode)
	}
	if l.blocks {
		extra(l.blocksText(f), w.blocks)
	}
	if l.context {
		extra("?", 1)
	}
	if l.indicator != lsNoIndicator {
		n += len(lsMark(l.indicator, f.kind, f.info))
	}
	return n
}

func (l *lsCommand) hyperlink(name string) {
	path, err := l.View().Realpath(l.ctx, name, vfs.MissingLast)
	if err != nil {
		path = l.View().Abs(name)
	}
	l.put("\x1b]8;;file://" + l.Host().Hostname())
	for i := 0; i < len(path); i++ {
		c := path[i]
		if c == '/' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			l.put(path[i : i+1])
		} else {
			l.put(fmt.Sprintf("%%%02x", c))
		}
	}
	l.put("\a")
}

// name prints a file's own name; at is the column it starts in.
func (l *lsCommand) name(f *lsFile, at int) {
	if f.padded {
		l.put(" ")
	}
	colored := l.colors != nil && l.colors.start(l, l.colors.of(f, false))
	if l.hyperlinks {
		l.hyperlink(f.name)
	}
	start := 0
	if l.dired != nil {
		start = l.dired.at
	}
	l.put(f.text)
	if l.dired != nil {
		l.dired.files = append(l.dired.files, start, l.dired.at)
	}
	if l.hyperlinks {
		l.put("\x1b]8;;\a")
	}
	if colored {
		l.colors.finish(l, at, l.nameWidth(f.text))
	}
}

// targetName prints what a link says.
func (l *lsCommand) targetName(f *lsFile) {
	text := l.quoted(f.target, l.alsoFile)
	colored := l.colors != nil && l.colors.start(l, l.colors.of(f, true))
	if l.hyperlinks {
		l.hyperlink(f.name)
	}
	l.put(text)
	if l.hyperlinks {
		l.put("\x1b]8;;\a")
	}
	if colored {
		l.colors.finish(l, 0, 0)
	}
}

// separated prints names with a separator, on lines no longer than the width.
func (l *lsCommand) separated(files []*lsFile, w *lsWidths, separator byte) {
	at := 0
	for i, f := range files {
		length := 0
		if l.lineWidth > 0 {
			length = l.frilledWidth(f, w)
		}
		if i > 0 {
			if l.lineWidth == 0 || at+length+2 < l.lineWidth {
				at += 2
				l.put(string(rune(separator)) + " ")
			} else {
				at = 0
				l.put(string(rune(separator)))
				l.end()
			}
		}
		l.nameAndFrills(f, w, at)
		at += length
	}
	l.end()
}

// columns prints as many columns as fit, filled downwards or across.
func (l *lsCommand) columns(files []*lsFile, w *lsWidths) error {
	lengths := make([]int, len(files))
	for i, f := range files {
		lengths[i] = l.frilledWidth(f, w)
	}
	widths, err := l.fit(lengths)
	if err != nil {
		return err
	}
	count := len(widths)
	rows := (len(files) + count - 1) / count
	for row := range rows {
		at := 0
		for column := range count {
			i := row*count + column
			if l.format == lsColumns {
				i = column*rows + row
			}
			if i >= len(files) {
				break
			}
			l.nameAndFrills(files[i], w, at)
			next := i + 1
			if l.format == lsColumns {
				next = i + rows
			}
			if column+1 == count || next >= len(files) {
				break
			}
			l.tabTo(at+lengths[i], at+widths[column])
			at += widths[column]
		}
		l.end()
	}
	return nil
}

// fit finds the greatest number of columns whose widths stay within the line.
func (l *lsCommand) fit(lengths []int) ([]int, error) {
	const narrowest = 3
	count := l.lineWidth / narrowest
	if l.lineWidth%narrowest != 0 {
		count++
	}
	widths := make([]int, max(1, min(count, len(lengths))))
	for count = len(widths); count > 1; count-- {
		if err := l.ctx.Err(); err != nil {
			return nil, err
		}
		rows := (len(lengths) + count - 1) / count
		total := count * narrowest
		for i := range count {
			widths[i] = narrowest
		}
		for i, length := range lengths {
			column := i % count
			if l.format == lsColumns {
				column = i / rows
			}
			if column != count-1 {
				length += 2
			}
			if length > widths[column] {
				total += length - widths[column]
				widths[column] = length
			}
			if total >= l.lineWidth {
				break
			}
		}
		if total < l.lineWidth {
			return widths[:count], nil
		}
	}
	return widths[:1], nil
}

// tabTo moves from one column to another, with tabs where they help.
func (l *lsCommand) tabTo(from, to int) {
	for from < to {
		if l.tab > 0 && to/l.tab > (from+1)/l.tab {
			l.put("\t")
			from += l.tab - from%l.tab
		} else {
			l.put(" ")
			from++
		}
	}
}
