package builtins

import (
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/vsh-project/vsh/builtins/internal/filemode"
	"github.com/vsh-project/vsh/builtins/internal/tarformat"
)

const (
	tarNameSize   = 100
	tarPrefixSize = 155
)

// tarWriter writes members to an archive.
type tarWriter struct {
	*tarOutput
	t *tarCommand
	// globals counts the global headers that have been written.
	globals int
}

// binaryToo reports whether numbers that octal digits do not hold are written in
// base 256; else they are refused, or put into an extended header.
func (w *tarWriter) binaryToo() bool {
	return w.t.format == tarformat.GNU || w.t.format == tarformat.OldGNU
}

// nameLimit is the length of the longest name that needs no help.
func (w *tarWriter) nameLimit() int {
	if w.t.format == tarformat.OldGNU {
		return tarNameSize - 1
	}
	return tarNameSize
}

// writeMember writes a member's header, with what it needs before it, and prints
// its name. ok is false where the format cannot hold it, which has been said.
func (w *tarWriter) writeMember(m *tarMember, records []tarformat.Record) (ok bool, err error) {
	t := w.t
	t.overrideOwner(m)
	m.ordinal = w.ordinal()
	h := make(tarformat.Header, tarformat.BlockSize)
	if len(m.link) > w.nameLimit() {
		switch t.format {
		case tarformat.GNU, tarformat.OldGNU:
			if err := w.writeLong(m.link, tarformat.LongLink); err != nil {
				return false, err
			}
			m.ordinal = w.ordinal()
		case tarformat.POSIX:
			records = append(records, tarformat.Record{Key: "linkpath", Value: m.link})
		default:
			t.fault("%s: link name is too long; not dumped", t.colonName(m.link))
		}
	}
	if records, ok, err = w.setName(h, m, records); !ok || err != nil {
		return false, err
	}
	if records, ok = w.setFields(h, m, records); !ok {
		return false, nil
	}
	h.SetText(tarformat.LinkName, m.link)
	h.SetMagic(t.format)
	kind := m.kind
	if kind == tarformat.Regular && t.format == tarformat.V7 {
		kind = tarformat.OldRegular
	}
	h.SetType(kind)
	if kind == tarformat.Sparse {
		w.setSparse(h, m)
	}
	kept := records[:0]
	for _, r := range records {
		if !t.paxOptions.deletes(r.Key) {
			kept = append(kept, r)
		}
	}
	if t.format == tarformat.POSIX && len(kept) > 0 {
		name := t.paxHeaderName(t.paxOptions.headerName, "%d/PaxHeaders/%f", m.name, 0)
		if err := w.writeExtended(tarformat.Extended, name, kept, t.headerTime(m)); err != nil {
			return false, err
		}
	}
	h.Finish()
	block, err := w.block()
	if err != nil {
		return false, err
	}
	copy(block, h)
	if t.verbose > 0 {
		m.header = h
		if t.format == tarformat.V7 {
			m.uname, m.gname = "", ""
		}
		t.printMember(m, m.ordinal)
	}
	return true, nil
}

// setName writes the member's name, however long it is.
func (w *tarWriter) setName(h tarformat.Header, m *tarMember, records []tarformat.Record) ([]tarformat.Record, bool, error) {
	t := w.t
	name := m.name
	switch {
	case t.format == tarformat.POSIX && (len(name) > tarNameSize || !isASCII(name)):
		records = append(records, tarformat.Record{Key: "path", Value: name})
	case len(name) <= w.nameLimit():
	case t.format == tarformat.V7:
		t.fault("%s: file name is too long (max %d); not dumped", t.colonName(name), tarNameSize-1)
		return nil, false, nil
	case t.format == tarformat.USTAR:
		if len(name) > tarPrefixSize+tarNameSize+1 {
			t.fault("%s: file name is too long (max %d); not dumped", t.colonName(name), tarPrefixSize+tarNameSize+1)
			return nil, false, nil
		}
		length := len(name)
		if length > tarPrefixSize+1 {
			length = tarPrefixSize + 1
		} else if name[length-1] == '/' {
			length--
		}
		i := strings.LastIndexByte(name[:length], '/')
		if rest := len(name) - i - 1; i <= 0 || rest > tarNameSize || rest == 0 {
			t.fault("%s: file name is too long (cannot be split); not dumped", t.colonName(name))
			return nil, false, nil
		}
		h.SetText(tarformat.Prefix, name[:i])
		h.SetText(tarformat.Name, name[i+1:])
		return records, true, nil
	default:
		if err := w.writeLong(name, tarformat.LongName); err != nil {
			return nil, false, err
		}
	}
	stored := name
	if m.isSparse && t.format == tarformat.POSIX && !t.sparseV00 {
		stored = t.paxHeaderName("", "%d/GNUSparseFile.%p/%f", name, 0)
	}
	h.SetText(tarformat.Name, stored[:min(len(stored), w.nameLimit())])
	return records, true, nil
}

// writeLong writes GNU's member that holds a long name for the next.
func (w *tarWriter) writeLong(name string, kind byte) error {
	block, err := w.block()
	if err != nil {
		return err
	}
	h := tarformat.Header(block)
	h.SetText(tarformat.Name, "././@LongLink")
	h.SetNumber(tarformat.Mode, 0o644, false)
	h.SetNumber(tarformat.UID, 0, false)
	h.SetNumber(tarformat.GID, 0, false)
	h.SetNumber(tarformat.MTime, 0, false)
	h.SetNumber(tarformat.Size, int64(len(name)+1), false)
	if !w.t.numericOwner {
		h.SetText(tarformat.UName, "root")
		h.SetText(tarformat.GName, "root")
	}
	h.SetMagic(tarformat.OldGNU)
	h.SetType(kind)
	h.Finish()
	return w.writeText(name + "\x00")
}

func (w *tarWriter) writeText(s string) error {
	for s != "" {
		room, err := w.room()
		if err != nil {
			return err
		}
		n := copy(room, s)
		w.filled(n)
		s = s[n:]
	}
	return nil
}

// writeExtended writes a POSIX header that holds records.
func (w *tarWriter) writeExtended(kind byte, name string, records []tarformat.Record, at time.Time) error {
	var text []byte
	for _, r := range records {
		text = tarformat.AppendRecord(text, r.Key, r.Value)
	}
	block, err := w.block()
	if err != nil {
		return err
	}
	h := tarformat.Header(block)
	h.SetText(tarformat.Name, name)
	h.SetNumber(tarformat.Mode, 0o644, false)
	h.SetNumber(tarformat.UID, 0, false)
	h.SetNumber(tarformat.GID, 0, false)
	h.SetNumber(tarformat.Size, int64(len(text)), false)
	h.SetNumber(tarformat.MTime, max(at.Unix(), 0), false)
	h.SetMagic(tarformat.POSIX)
	h.SetType(kind)
	h.Finish()
	return w.writeText(string(text))
}

// paxHeaderName expands the name of an extended header.
func (t *tarCommand) paxHeaderName(template, usual, name string, n int) string {
	if template == "" {
		template = usual
	}
	trimmed := strings.TrimRight(name, "/")
	if trimmed == "" {
		trimmed = name
	}
	directory, base := path.Split(trimmed)
	if directory = strings.TrimRight(directory, "/"); directory == "" {
		if directory = "."; strings.HasPrefix(trimmed, "/") {
			directory = "/"
		}
	}
	return strings.NewReplacer("%%", "%", "%d", directory, "%f", base, "%p", strconv.Itoa(t.Host().PID()), "%n", strconv.Itoa(n)).Replace(template)
}

// headerTime is the modification time that a member is written with.
func (t *tarCommand) headerTime(m *tarMember) time.Time {
	switch {
	case !t.hasMtime || t.clamp && !m.modified.After(t.mtime):
		return m.modified
	}
	return t.mtime
}

// setFields writes numbers and owners; what a POSIX header cannot hold becomes
// a record.
func (w *tarWriter) setFields(h tarformat.Header, m *tarMember, records []tarformat.Record) ([]tarformat.Record, bool) {
	t := w.t
	fine := true
	posix := t.format == tarformat.POSIX
	number := func(f tarformat.Field, v int64, key, kind string) {
		if h.SetNumber(f, v, w.binaryToo()) {
			return
		}
		if posix && key != "" {
			records = append(records, tarformat.Record{Key: key, Value: strconv.FormatInt(v, 10)})
			h.SetNumber(f, 0, false)
			return
		}
		if fine {
			t.fault("value %d out of %s range 0..%d", v, kind, f.Max())
		}
		fine = false
	}
	number(tarformat.Mode, int64(m.mode), "", "mode_t")
	number(tarformat.UID, m.uid, "uid", "uid_t")
	number(tarformat.GID, m.gid, "gid", "gid_t")
	if !m.isSparse {
		m.stored = m.size
	}
	number(tarformat.Size, m.stored, "size", "off_t")
	at := t.headerTime(m)
	if posix {
		if at.Nanosecond() != 0 || at.Unix() < 0 || at.Unix() > tarformat.MTime.Max() {
			records = append(records, tarformat.Record{Key: "mtime", Value: tarformat.Time(at.Unix(), at.Nanosecond())})
		}
		seconds := at.Unix()
		if seconds < 0 || seconds > tarformat.MTime.Max() {
			seconds = 0
		}
		h.SetNumber(tarformat.MTime, seconds, false)
	} else {
		number(tarformat.MTime, at.Unix(), "", "time_t")
	}
	m.modified = at
	switch {
	case m.kind == tarformat.Character || m.kind == tarformat.BlockDev:
		number(tarformat.DevMajor, m.devMajor, "", "major_t")
		number(tarformat.DevMinor, m.devMinor, "", "minor_t")
	case !w.binaryToo():
		h.SetNumber(tarformat.DevMajor, 0, false)
		h.SetNumber(tarformat.DevMinor, 0, false)
	}
	if posix && !m.accessed.IsZero() {
		records = append(records,
			tarformat.Record{Key: "atime", Value: tarformat.Time(m.accessed.Unix(), m.accessed.Nanosecond())},
			tarformat.Record{Key: "ctime", Value: tarformat.Time(m.changed.Unix(), m.changed.Nanosecond())})
	}
	if t.format == tarformat.V7 || t.numericOwner {
		return records, fine
	}
	for _, owner := range []struct {
		field     tarformat.Field
		name, key string
	}{{tarformat.UName, m.uname, "uname"}, {tarformat.GName, m.gname, "gname"}} {
		if posix && (len(owner.name) > owner.field.Size || !isASCII(owner.name)) {
			records = append(records, tarformat.Record{Key: owner.key, Value: owner.name})
		}
		h.SetText(owner.field, owner.name)
	}
	return records, fine
}

// overrideOwner applies --owner, --group, --mode and their kin.
func (t *tarCommand) overrideOwner(m *tarMember) {
	m.uid, m.uname = tarMapOwner(m.uid, m.uname, t.ownerMap, t.owner)
	m.gid, m.gname = tarMapOwner(m.gid, m.gname, t.groupMap, t.group)
	if t.hasModeChanges {
		m.mode = t.modeChanges.Adjust(m.mode, m.kind == tarformat.Directory, filemode.Bits(t.View().Umask()))
	}
}

// writeStart writes what an archive begins with: its label and the global header.
func (w *tarWriter) writeStart() error {
	t := w.t
	var records []tarformat.Record
	if t.hasVolume {
		switch t.format {
		case tarformat.GNU, tarformat.OldGNU:
			block, err := w.block()
			if err != nil {
				return err
			}
			h := tarformat.Header(block)
			h.SetText(tarformat.Name, t.volume)
			h.SetNumber(tarformat.MTime, t.started.Unix(), true)
			h.SetType(tarformat.VolumeName)
			h.Finish()
		case tarformat.POSIX:
			records = append(records, tarformat.Record{Key: "GNU.volume.label", Value: t.volume})
		}
	}
	return w.writeGlobals(append(records, t.paxOptions.globals...))
}

func (w *tarWriter) writeGlobals(records []tarformat.Record) error {
	if len(records) == 0 {
		return nil
	}
	w.globals++
	temporary, _ := w.t.Getenv("TMPDIR")
	if temporary == "" {
		temporary = "/tmp"
	}
	name := w.t.paxHeaderName(w.t.paxOptions.globalName, temporary+"/GlobalHead.%p.%n", "", w.globals)
	return w.writeExtended(tarformat.Global, name, records, w.t.started)
}
