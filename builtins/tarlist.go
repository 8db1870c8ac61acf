package builtins

import (
	"fmt"
	"io"
	"math"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/vsh-project/vsh/builtins/internal/filemode"
	"github.com/vsh-project/vsh/builtins/internal/tarformat"
)

// tarQuoting is how names are shown.
type tarQuoting struct {
	style       quoteStyle
	also, never string
}

func (q *tarQuoting) quote(s, more string) string {
	also := strings.Map(func(r rune) rune {
		if strings.ContainsRune(q.never, r) {
			return -1
		}
		return r
	}, q.also+more)
	return quoteStyled(s, q.style, also)
}

// shown is a name in a list.
func (t *tarCommand) shown(name string) string { return t.quoting.quote(name, "") }

// colonName is a name before a colon of a message.
func (t *tarCommand) colonName(name string) string { return t.quoting.quote(name, ":") }

// list writes to where names of members go.
func (t *tarCommand) list(format string, args ...any) {
	fmt.Fprintf(t.listing, format, args...)
}

// tarWarnings are the keywords of --warning.
func tarWarnings() []string {
	return []string{"alone-zero-block", "bad-dumpdir", "cachedir", "contiguous-cast", "file-changed", "file-ignored", "file-removed", "file-shrank",
		"file-unchanged", "filename-with-nuls", "ignore-archive", "ignore-newer", "new-directory", "rename-directory", "symlink-cast", "timestamp",
		"unknown-cast", "unknown-keyword", "xdev", "decompress-program", "existing-file", "xattr-write", "record-size", "failed-read"}
}

func tarWarningBit(keyword string) uint64 {
	for i, name := range tarWarnings() {
		if name == keyword {
			return 1 << i
		}
	}
	return 0
}

func (t *tarCommand) setWarning(keyword string) error {
	name, off := strings.CutPrefix(keyword, "no-")
	bits := tarWarningBit(name)
	switch keyword {
	case "all":
		bits = ^uint64(0)
	case "none":
		bits, off = ^uint64(0), true
	case "no-all":
		bits = ^uint64(0)
	}
	if bits == 0 {
		_, err := t.match("--warning", keyword, append([]string{"all"}, tarWarnings()...)...)
		return err
	}
	if off {
		t.warningsOff, t.warningsOn = t.warningsOff|bits, t.warningsOn&^bits
	} else {
		t.warningsOn, t.warningsOff = t.warningsOn|bits, t.warningsOff&^bits
	}
	return nil
}

// warning prints a message that --warning may turn off.
func (t *tarCommand) warning(keyword, format string, args ...any) {
	bit := tarWarningBit(keyword)
	if t.warningsOff&bit != 0 {
		return
	}
	switch keyword {
	case "existing-file", "rename-directory", "new-directory", "xattr-write", "record-size", "decompress-program":
		if t.warningsOn&bit == 0 && !(t.verbose > 0 && t.mode != tarList) {
			return
		}
	}
	t.warnf(format, args...)
}

// timeText is a time as lists show it.
func (t *tarCommand) timeText(at time.Time, full bool) string {
	zone := t.location()
	if t.utc {
		zone = time.UTC
	}
	if at.Unix() == math.MinInt64 {
		return strconv.FormatInt(at.Unix(), 10)
	}
	local := at.In(zone)
	layout := "2006-01-02 15:04"
	if full {
		layout += ":05"
	}
	year := ""
	if y := local.Year(); y > 9999 || y < 0 {
		year = strconv.Itoa(y)
		layout = strings.TrimPrefix(layout, "2006")
	}
	text := year + local.Format(layout)
	if full && local.Nanosecond() != 0 {
		text += strings.TrimRight(fmt.Sprintf(".%09d", local.Nanosecond()), "0")
	}
	return text
}

// printMember is the line of a member: its name, or with two -v all about it.
func (t *tarCommand) printMember(m *tarMember, ordinal int64) {
	if label := t.posixLabel; label != nil && t.mode.reads() {
		t.posixLabel = nil
		t.printMember(label, ordinal)
	}
	name := m.orig
	if t.showTransformed {
		name = m.name
		if m.trailingSlash || m.kind == tarformat.Directory {
			name = strings.TrimRight(name, "/") + "/"
		}
	}
	var b strings.Builder
	if t.blockNumbers {
		fmt.Fprintf(&b, "block %d: ", ordinal)
	}
	if t.listing == t.Stderr {
		t.out.Flush()
	}
	if t.verbose <= 1 {
		b.WriteString(t.shown(name))
		b.WriteByte('\n')
		io.WriteString(t.listing, b.String())
		return
	}
	b.WriteString(tarModeText(m))
	user, group := m.uname, m.gname
	if user == "" || t.numericOwner {
		user = strconv.FormatInt(m.uid, 10)
	}
	if group == "" || t.numericOwner {
		group = strconv.FormatInt(m.gid, 10)
	}
	size := strconv.FormatInt(m.size, 10)
	if m.kind == tarformat.Character || m.kind == tarformat.BlockDev {
		size = fmt.Sprintf("%d,%d", m.devMajor, m.devMinor)
	}
	stamp := t.timeText(m.modified, t.fullTime)
	t.dateWidth = max(t.dateWidth, len(stamp))
	pad := len(user) + 1 + len(group) + 1 + len(size)
	t.ugsWidth = max(t.ugsWidth, pad)
	fmt.Fprintf(&b, " %s/%s %*s %-*s %s", user, group, t.ugsWidth-pad+len(size), size, t.dateWidth, stamp, t.shown(name))
	switch m.kind {
	case tarformat.Symlink:
		b.WriteString(" -> " + t.shown(m.link))
	case tarformat.HardLink:
		b.WriteString(" link to " + t.shown(m.link))
	case tarformat.VolumeName:
		b.WriteString("--Volume Header--")
	case tarformat.MultiVol:
		offset, _ := tarformat.ParseNumber(m.header[369:381], 0, 1<<63-1)
		fmt.Fprintf(&b, "--Continued at byte %d--", offset)
	case tarformat.OldRegular, tarformat.Regular, tarformat.Sparse, tarformat.Character, tarformat.BlockDev, tarformat.Directory, tarformat.FIFO, tarformat.Contiguous, tarformat.DumpDir:
	default:
		b.WriteString(" unknown file type " + quote(string(rune(m.kind))))
	}
	b.WriteByte('\n')
	io.WriteString(t.listing, b.String())
}

// tarModeText is a member's type and mode as ls would show it.
func tarModeText(m *tarMember) string {
	letter := byte('?')
	switch m.kind {
	case tarformat.VolumeName:
		letter = 'V'
	case tarformat.MultiVol:
		letter = 'M'
	case tarformat.OldRegular, tarformat.Regular, tarformat.Sparse:
		letter = '-'
		if m.trailingSlash {
			letter = 'd'
		}
	case tarformat.HardLink:
		letter = 'h'
	case tarformat.Directory, tarformat.DumpDir:
		letter = 'd'
	case tarformat.Symlink:
		letter = 'l'
	case tarformat.BlockDev:
		letter = 'b'
	case tarformat.Character:
		letter = 'c'
	case tarformat.FIFO:
		letter = 'p'
	case tarformat.Contiguous:
		letter = 'C'
	}
	return string(letter) + filemode.String(filemode.Mode(m.mode))[1:]
}

func (t *tarCommand) listMember(r *tarReader, m *tarMember) error {
	if t.verbose > 0 {
		t.printMember(m, m.ordinal)
	}
	if t.incremental {
		if err := r.readListing(m); err != nil {
			return err
		}
		if t.verbose > 2 && m.listing != nil {
			t.listListing(m)
		}
	}
	if m.badMap {
		t.fault("%s: invalid sparse archive member", t.colonName(m.orig))
	}
	return r.skipData(m)
}

// transformMember gives a member read from an archive the names that the
// options make of its own.
func (t *tarCommand) transformMember(m *tarMember) {
	if m.kind == tarformat.VolumeName {
		return
	}
	m.name = t.stripped(t.safeName(t.transform(m.name, tarOfMember), false))
	switch m.kind {
	case tarformat.Symlink:
		m.link = t.transform(m.link, tarOfSymlink)
	case tarformat.HardLink:
		m.link = t.stripped(t.safeName(t.transform(m.link, tarOfHardLink), true))
		if t.oneTopLevel != "" {
			m.link = t.belowTop(m.link)
		}
	}
	if t.oneTopLevel != "" {
		m.name = t.belowTop(m.name)
	}
}

// stripped is a name without the components that --strip-components takes.
func (t *tarCommand) stripped(name string) string {
	for n := t.strip; n > 0; n-- {
		i := strings.IndexByte(name, '/')
		if i < 0 {
			return ""
		}
		name = strings.TrimLeft(name[i:], "/")
	}
	return name
}

// belowTop is a name below the directory of --one-top-level.
func (t *tarCommand) belowTop(name string) string {
	relative := strings.TrimLeft(strings.TrimPrefix(name, "./"), "/")
	if relative == "." || relative == "" {
		return t.oneTopLevel
	}
	if rest, ok := strings.CutPrefix(relative, t.oneTopLevel); ok && (rest == "" || rest[0] == '/') {
		return relative
	}
	return path.Join(t.oneTopLevel, relative)
}

// safeName takes off what could lead a name out of the directory: a leading
// slash, and everything up to the last "..". It says so once for each prefix.
func (t *tarCommand) safeName(name string, isLink bool) string {
	rest := name
	what := "member name"
	table := 0
	if isLink {
		what, table = "hard link target", 1
	}
	if !t.absoluteNames {
		prefix := 0
		for i := 0; i < len(name); {
			if strings.HasPrefix(name[i:], "..") && (i+2 == len(name) || name[i+2] == '/') {
				prefix = i + 2
			}
			next := strings.IndexByte(name[i:], '/')
			if next < 0 {
				break
			}
			i += next + 1
		}
		for prefix < len(name) && name[prefix] == '/' {
			prefix++
		}
		rest = name[prefix:]
		if text := name[:prefix]; text != "" && !t.removedPrefixes[table][text] && len(t.removedPrefixes[table]) < 1000 {
			if t.removedPrefixes[table] == nil {
				t.removedPrefixes[table] = map[string]bool{}
			}
			t.removedPrefixes[table][text] = true
			t.warnf("Removing leading `%s' from %ss", text, what)
		}
	}
	if rest == "" && name != "" {
		rest = "."
	}
	if rest == "" {
		t.warnf("Substituting `.' for empty %s", what)
		rest = "."
	}
	return rest
}

// testLabel shows the archive's label, or compares it with the operands.
func (t *tarCommand) testLabel() error {
	if err := t.gatherNames(); err != nil {
		return err
	}
	in, err := t.openInput(false)
	if err != nil {
		return err
	}
	defer in.close()
	r := &tarReader{tarInput: in, t: t}
	m, state, err := r.next()
	if err != nil {
		return err
	}
	label, has := "", false
	if state == tarGood && m.kind == tarformat.VolumeName {
		label, has = m.orig, true
	} else if t.posixLabel != nil {
		label, has = t.posixLabel.orig, true
	}
	if t.verbose > 0 && has {
		t.list("%s\n", t.shown(label))
	}
	for _, n := range t.names {
		if has && n.text == label {
			return in.finish()
		}
	}
	if len(t.names) > 0 {
		t.differs()
	}
	return nil
}
