package builtins

import (
	"strconv"
	"strings"
	"time"

	"github.com/vsh-project/vsh/builtins/internal/filemode"
	"github.com/vsh-project/vsh/builtins/internal/tarformat"
)

// tarMember is one member of an archive, or a file on its way into one.
type tarMember struct {
	header tarformat.Header
	kind   byte // the type's letter
	format tarformat.Format
	// orig is the name as it stands in the archive or was typed; name what is
	// made of it.
	orig, name, link string
	trailingSlash    bool
	mode             uint32
	uid, gid         int64
	uname, gname     string
	// size is the file's, stored what the archive holds of it.
	size, stored        int64
	modified            time.Time
	accessed, changed   time.Time
	devMajor, devMinor  int64
	sparse              []tarformat.SparseEntry
	isSparse            bool
	extended            bool
	hasName, hasLink    bool
	sparseMajor         int
	sparseRecords       bool
	hasRealSize, badMap bool
	paxSize, realSize   int64
	hasPaxSize          bool
	// sparseName says that the name came with a map, which then counts.
	sparseName bool
	ordinal    int64 // of the first block
	taken      bool  // its data has been read
	// listing is that of a directory of an incremental dump.
	listing []byte
}

// tarReader goes through an archive member by member.
type tarReader struct {
	*tarInput
	t      *tarCommand
	global []tarformat.Record
	// first is the archive's first member where it has been looked at ahead.
	first *tarFirst
}

type tarFirst struct {
	m     *tarMember
	state tarState
}

// tarState is what a reader found.
type tarState uint8

const (
	tarUnread tarState = iota
	tarGood
	tarZeroBlock
	tarAtEnd
	tarBadBlock
)

// next reads the header of a member, with what stands before it for it, and
// leaves its data to be read.
func (r *tarReader) next() (*tarMember, tarState, error) {
	if first := r.first; first != nil {
		r.first = nil
		return first.m, first.state, nil
	}
	m := &tarMember{ordinal: -1}
	var records []tarformat.Record
	longName, longLink := "", ""
	for {
		block, err := r.peek()
		if err != nil {
			return nil, tarAtEnd, err
		}
		if block == nil {
			return nil, tarAtEnd, nil
		}
		h := tarformat.Header(block)
		switch h.Check() {
		case tarformat.Zero:
			return nil, tarZeroBlock, nil
		case tarformat.Bad:
			return nil, tarBadBlock, nil
		}
		size := int64(0)
		if h.Type() != tarformat.HardLink {
			if size, err = r.number(h.Bytes(tarformat.Size), "off_t", 0, 1<<63-1); err != nil || size < 0 {
				return nil, tarBadBlock, err
			}
		}
		switch h.Type() {
		case tarformat.LongName, tarformat.LongLink, tarformat.Extended, tarformat.SunHeader, tarformat.Global:
			kind := h.Type()
			if m.ordinal < 0 && (kind == tarformat.LongName || kind == tarformat.LongLink) {
				m.ordinal = r.ordinal()
			}
			at, _ := tarformat.ParseNumber(h.Bytes(tarformat.MTime), 0, 1<<62)
			r.advance()
			data, whole, err := r.gather(size)
			if err != nil {
				return nil, tarAtEnd, err
			}
			if !whole && kind != tarformat.LongName && kind != tarformat.LongLink {
				continue
			}
			switch kind {
			case tarformat.LongName:
				longName, m.hasName = tarText(data), true
			case tarformat.LongLink:
				longLink, m.hasLink = tarText(data), true
			case tarformat.Global:
				r.takeGlobal(r.records(data), at)
			default:
				records = append(records, r.records(data)...)
			}
			continue
		}
		if m.ordinal < 0 {
			m.ordinal = r.ordinal()
		}
		m.header = append(tarformat.Header(nil), h...)
		m.kind, m.size = h.Type(), size
		m.orig = h.MemberName()
		if m.hasName {
			m.orig = longName
		}
		m.link = h.Text(tarformat.LinkName)
		if m.hasLink {
			m.link = longLink
		}
		r.advance()
		err = r.decode(m, records)
		return m, tarGood, err
	}
}

// takeGlobal keeps the records of a global header, among them a volume's label.
func (r *tarReader) takeGlobal(records []tarformat.Record, at int64) {
	r.global = append(r.global, records...)
	for _, record := range records {
		if record.Key == "GNU.volume.label" {
			r.t.posixLabel = &tarMember{kind: tarformat.VolumeName, orig: record.Value, name: record.Value, modified: time.Unix(at, 0)}
		}
	}
}

// checkLabel ends the run where the archive's label is not the one asked for.
func (r *tarReader) checkLabel() error {
	t := r.t
	m, state, err := r.next()
	if err != nil {
		return err
	}
	r.first = &tarFirst{m, state}
	label := t.posixLabel
	if state == tarGood && m.kind == tarformat.VolumeName {
		label = m
	}
	if label == nil {
		return t.fatal("Archive not labeled to match %s", quote(t.volume))
	}
	if !fnmatch(t.volume, label.orig, false) {
		return t.fatal("Volume %s does not match %s", quote(label.orig), quote(t.volume))
	}
	return nil
}

// gather reads size bytes for a header. Memory is paid for as they come, since
// the size is the archive's word alone.
func (r *tarReader) gather(size int64) (data []byte, whole bool, err error) {
	for size > 0 {
		block, err := r.chunk(size)
		if err != nil {
			return nil, false, err
		}
		if block == nil {
			r.t.fault("Unexpected EOF in archive")
			return data, false, nil
		}
		if len(data)+len(block) > cap(data) {
			if err := r.t.charge(2 * (len(data) + len(block))); err != nil {
				return nil, false, err
			}
			data = append(make([]byte, 0, 2*(len(data)+len(block))), data...)
		}
		data = append(data, block...)
		r.consumed(len(block))
		size -= int64(len(block))
	}
	return data, true, nil
}

// tarText is data up to its first NUL.
func tarText(data []byte) string {
	s, _, _ := strings.Cut(string(data), "\x00")
	return s
}

func (r *tarReader) records(data []byte) (all []tarformat.Record) {
	for len(data) > 0 && data[0] != 0 {
		record, rest, err := tarformat.NextRecord(data)
		if err != nil {
			r.t.fault("%s", err)
			return all
		}
		all, data = append(all, record), rest
	}
	return all
}

// number reads a field of a header, and reports what is none as 0… -1.
func (r *tarReader) number(b []byte, kind string, low, high int64) (int64, error) {
	v, fault := tarformat.ParseNumber(b, low, high)
	if fault == nil {
		return v, nil
	}
	switch {
	case fault.Blank:
		r.t.fault("Blanks in header where numeric %s value expected", kind)
	case fault.OutOfRange && fault.Text != "":
		r.t.fault("Archive value %s is out of %s range %d..%d", fault.Text, kind, low, high)
	case fault.OutOfRange:
		r.t.fault("Archive base-256 value is out of %s range", kind)
	default:
		r.t.fault("Archive contains %s where numeric %s value expected", quoteStyled(fault.Text, quoteLocale, ""), kind)
	}
	return -1, nil
}

// decode fills a member from its header and its extended records.
func (r *tarReader) decode(m *tarMember, records []tarformat.Record) error {
	h := m.header
	m.extended = len(records) > 0
	switch {
	case h.IsUSTAR() && m.extended:
		m.format = tarformat.POSIX
	case h.IsUSTAR():
		m.format = tarformat.USTAR
	case h.IsGNU():
		m.format = tarformat.GNU
	default:
		m.format = tarformat.V7
	}
	mode, err := r.number(h.Bytes(tarformat.Mode), "mode_t", -1<<31, 1<<32-1)
	if err != nil {
		return err
	}
	m.mode = uint32(mode) & filemode.All
	seconds, err := r.number(h.Bytes(tarformat.MTime), "time_t", -1<<63, 1<<63-1)
	if err != nil {
		return err
	}
	m.modified = time.Unix(seconds, 0)
	if m.kind != tarformat.VolumeName || h[tarformat.UID.Offset] != 0 {
		if m.uid, err = r.number(h.Bytes(tarformat.UID), "uid_t", 0, 1<<32-1); err != nil {
			return err
		}
		if m.gid, err = r.number(h.Bytes(tarformat.GID), "gid_t", 0, 1<<32-1); err != nil {
			return err
		}
		m.uid, m.gid = int64(uint32(m.uid)), int64(uint32(m.gid))
	}
	m.uname, m.gname = h.Text(tarformat.UName), h.Text(tarformat.GName)
	if m.format == tarformat.V7 {
		m.uname, m.gname = "", ""
	}
	if m.kind == tarformat.Character || m.kind == tarformat.BlockDev {
		m.devMajor, _ = r.number(h.Bytes(tarformat.DevMajor), "major_t", 0, 1<<31)
		m.devMinor, _ = r.number(h.Bytes(tarformat.DevMinor), "minor_t", 0, 1<<31)
	}
	m.stored = m.size
	switch m.kind {
	case tarformat.Symlink, tarformat.Character, tarformat.BlockDev, tarformat.Directory, tarformat.FIFO:
		m.stored = 0 // whatever size stands there
	}
	for _, list := range [][]tarformat.Record{r.t.paxOptions.globals, r.global, records, r.t.paxOptions.overrides} {
		for _, record := range list {
			if err := r.record(m, record); err != nil {
				return err
			}
		}
	}
	if m.hasPaxSize {
		m.stored, m.size = m.paxSize, m.paxSize
	}
	m.name = m.orig
	if trimmed := strings.TrimRight(m.orig, "/"); trimmed != m.orig {
		m.trailingSlash = true
		if m.name = trimmed; trimmed == "" {
			m.name = "/"
		}
	}
	return r.decodeSparse(m)
}

// record takes one extended record.
func (r *tarReader) record(m *tarMember, record tarformat.Record) error {
	if r.t.paxOptions.deletes(record.Key) {
		return nil
	}
	value, _, _ := strings.Cut(record.Value, "\x00")
	number := func() int64 {
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < 0 {
			r.t.fault("Malformed extended header: invalid %s=%s", record.Key, value)
			return 0
		}
		return n
	}
	at := func(dst *time.Time) {
		seconds, nanoseconds, ok := tarformat.ParseTime(value)
		if !ok {
			r.t.fault("Malformed extended header: invalid %s=%s", record.Key, value)
			return
		}
		*dst = time.Unix(seconds, int64(nanoseconds))
	}
	switch record.Key {
	case "path":
		if !m.sparseName {
			m.orig = value
		}
	case "linkpath":
		m.link = value
	case "size":
		if n, err := strconv.ParseInt(value, 10, 64); err == nil && n >= 0 {
			m.paxSize, m.hasPaxSize = n, true
		} else {
			number()
		}
	case "uid":
		m.uid = number()
	case "gid":
		m.gid = number()
	case "uname":
		m.uname = value
	case "gname":
		m.gname = value
	case "mtime":
		at(&m.modified)
	case "atime":
		at(&m.accessed)
	case "ctime":
		at(&m.changed)
	case "comment", "charset", "GNU.volume.label", "GNU.volume.filename", "GNU.volume.size", "GNU.volume.offset":
	case "GNU.dumpdir":
		m.listing = []byte(record.Value)
	case "GNU.sparse.name":
		m.orig, m.sparseName = value, true
	case "GNU.sparse.size", "GNU.sparse.realsize":
		m.realSize, m.hasRealSize, m.sparseRecords = number(), true, true
	case "GNU.sparse.numblocks":
		m.sparse, m.sparseRecords = nil, true
	case "GNU.sparse.offset":
		if err := r.addSparse(m, tarformat.SparseEntry{Offset: number()}); err != nil {
			return err
		}
	case "GNU.sparse.numbytes":
		if len(m.sparse) > 0 {
			m.sparse[len(m.sparse)-1].Bytes = number()
		}
	case "GNU.sparse.map":
		m.sparse = nil
		for value != "" {
			offset, rest, ok := strings.Cut(value, ",")
			bytes, rest, _ := strings.Cut(rest, ",")
			o, err1 := strconv.ParseInt(offset, 10, 64)
			b, err2 := strconv.ParseInt(bytes, 10, 64)
			if !ok || err1 != nil || err2 != nil || o < 0 || b < 0 {
				r.t.fault("Malformed extended header: invalid %s: odd number of values", record.Key)
				m.sparse = nil
				return nil
			}
			if err := r.addSparse(m, tarformat.SparseEntry{Offset: o, Bytes: b}); err != nil {
				return err
			}
			value = rest
		}
	case "GNU.sparse.major":
		m.sparseMajor, m.sparseRecords = int(number()), true
	case "GNU.sparse.minor":
	default:
		if !strings.HasPrefix(record.Key, "SCHILY.xattr.") && record.Key != "SCHILY.acl.access" && record.Key != "SCHILY.acl.default" && record.Key != "RHT.security.selinux" {
			r.t.warning("unknown-keyword", "Ignoring unknown extended header keyword '%s'", record.Key)
		}
	}
	return nil
}

// skip passes over the data of a member.
func (r *tarReader) skipData(m *tarMember) error {
	if m.taken {
		return nil
	}
	m.taken = true
	return r.skip(m.stored)
}
