package builtins

import (
	"io"
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
	case "comment", "charset", "GNU.volume.label", "GNU.volume.filename", "GNU.volume.size", "GNU.volume.offset", "GNU.dumpdir":
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

func (r *tarReader) addSparse(m *tarMember, e tarformat.SparseEntry) error {
	if len(m.sparse)%1024 == 1023 {
		if err := r.t.charge(32 << 10); err != nil {
			return err
		}
	}
	m.sparse = append(m.sparse, e)
	return nil
}

// decodeSparse reads the map of a file with holes, wherever it stands.
func (r *tarReader) decodeSparse(m *tarMember) error {
	switch {
	case m.kind == tarformat.Sparse && (m.format == tarformat.GNU || m.format == tarformat.OldGNU):
		m.isSparse = true
		real, err := r.number(m.header.Bytes(tarformat.RealSize), "off_t", 0, 1<<63-1)
		if err != nil {
			return err
		}
		m.size = real
		more := m.header[tarformat.IsExtended] != 0
		if err := r.oldMap(m, m.header, tarformat.SparseMap, tarformat.SparseInHeader); err != nil {
			return err
		}
		for more {
			block, err := r.peek()
			if err != nil {
				return err
			}
			if block == nil {
				r.t.fault("Unexpected EOF in archive")
				m.badMap = true
				break
			}
			more = block[tarformat.BlockIsExtended] != 0
			if err := r.oldMap(m, block, 0, tarformat.SparseInBlock); err != nil {
				return err
			}
			r.advance()
		}
	case m.sparseRecords:
		m.isSparse = true
		if m.hasRealSize {
			m.size = m.realSize
		}
		if m.sparseMajor == 1 {
			if err := r.newMap(m); err != nil {
				return err
			}
		}
	default:
		return nil
	}
	// A map that leads backwards or out of the file would write anywhere.
	at, data := int64(0), int64(0)
	for _, e := range m.sparse {
		if e.Offset < at || e.Bytes < 0 || e.Offset > m.size || e.Bytes > m.size-e.Offset {
			m.badMap = true
			break
		}
		at = e.Offset + e.Bytes
		data += e.Bytes
	}
	if data > m.stored {
		m.badMap = true
	}
	return nil
}

func (r *tarReader) oldMap(m *tarMember, block []byte, base, count int) error {
	for i := range count {
		e, ok, fault := tarformat.OldSparse(block, base, i)
		if fault != nil {
			m.badMap = true
			return nil
		}
		if !ok {
			return nil
		}
		if err := r.addSparse(m, e); err != nil {
			return err
		}
	}
	return nil
}

// newMap reads the map that a version 1.0 file's data begins with.
func (r *tarReader) newMap(m *tarMember) error {
	var block []byte
	number := func() (int64, bool, error) {
		v, digits := int64(0), 0
		for {
			if len(block) == 0 {
				next, err := r.peek()
				if err != nil || next == nil || m.stored < tarformat.BlockSize {
					return 0, false, err
				}
				block = append([]byte(nil), next...)
				r.advance()
				m.stored -= tarformat.BlockSize
			}
			c := block[0]
			block = block[1:]
			if c == '\n' {
				return v, digits > 0, nil
			}
			if c < '0' || c > '9' || v > (1<<63-10)/10 {
				return 0, false, nil
			}
			v = v*10 + int64(c-'0')
			digits++
		}
	}
	count, ok, err := number()
	for i := int64(0); ok && err == nil && i < count; i++ {
		var e tarformat.SparseEntry
		if e.Offset, ok, err = number(); ok && err == nil {
			e.Bytes, ok, err = number()
		}
		if ok && err == nil {
			err = r.addSparse(m, e)
		}
	}
	m.badMap = m.badMap || !ok
	return err
}

// skip passes over the data of a member.
func (r *tarReader) skipData(m *tarMember) error {
	if m.taken {
		return nil
	}
	m.taken = true
	return r.skip(m.stored)
}

// tarSink takes a file's content: data, or a hole.
type tarSink interface {
	io.Writer
	Hole(bytes int64) error
}

// tarPlainSink writes holes as zeros.
type tarPlainSink struct {
	io.Writer
	t *tarCommand
}

func (s tarPlainSink) Hole(n int64) error {
	zeros := make([]byte, min(n, 32<<10))
	for n > 0 {
		if err := s.t.ctx.Err(); err != nil {
			return err
		}
		k, err := s.Write(zeros[:min(n, int64(len(zeros)))])
		if err != nil {
			return err
		}
		n -= int64(k)
	}
	return nil
}

// tarSinkError is a fault of what takes the content rather than of the archive.
type tarSinkError struct{ err error }

func (e *tarSinkError) Error() string { return e.err.Error() }
func (e *tarSinkError) Unwrap() error { return e.err }

// content gives a member's content to sink. A *tarSinkError is the sink's; what
// it did not take is passed over. The rest of the archive can be read afterwards.
func (r *tarReader) content(m *tarMember, sink tarSink) error {
	m.taken = true
	left := m.stored
	var failed error
	write := func(size int64) (bool, error) {
		for size > 0 {
			block, err := r.chunk(size)
			if err != nil {
				return false, err
			}
			if block == nil {
				r.t.fault("Unexpected EOF in archive")
				return false, nil
			}
			if err := r.t.ctx.Err(); err != nil {
				return false, err
			}
			if _, err := sink.Write(block); err != nil {
				failed = &tarSinkError{err}
				return false, nil
			}
			r.consumed(len(block))
			size -= int64(len(block))
			left -= int64((len(block) + tarformat.BlockSize - 1) / tarformat.BlockSize * tarformat.BlockSize)
		}
		return true, nil
	}
	if !m.isSparse {
		if _, err := write(m.stored); err != nil {
			return err
		}
	} else {
		at := int64(0)
		whole := true
		for _, e := range m.sparse {
			if hole := e.Offset - at; hole > 0 {
				if err := sink.Hole(hole); err != nil {
					failed, whole = &tarSinkError{err}, false
					break
				}
			}
			ok, err := write(e.Bytes)
			if err != nil {
				return err
			}
			if !ok {
				whole = false
				break
			}
			at = e.Offset + e.Bytes
		}
		if hole := m.size - at; whole && hole > 0 {
			if err := sink.Hole(hole); err != nil {
				failed = &tarSinkError{err}
			}
		}
	}
	if left > 0 {
		if err := r.skip(left); err != nil {
			return err
		}
	}
	return failed
}

// readMembers goes through the archive and does visit for each member that is
// asked for; visit reads or skips its data.
func (t *tarCommand) readMembers(visit func(r *tarReader, m *tarMember) error) error {
	closeIndex, err := t.openIndex()
	if err != nil {
		return err
	}
	defer closeIndex()
	if err := t.gatherNames(); err != nil {
		return err
	}
	in, err := t.openInput(false)
	if err != nil {
		return err
	}
	defer in.close()
	r := &tarReader{tarInput: in, t: t}
	if t.hasVolume {
		if err := r.checkLabel(); err != nil {
			return err
		}
	}
	if err := t.eachMember(r, visit); err != nil {
		return err
	}
	if t.finish != nil {
		finish := t.finish
		t.finish = nil
		defer finish()
	}
	if err := in.finish(); err != nil {
		return err
	}
	t.reportMissing()
	if t.totals {
		t.printTotals(false)
	}
	return nil
}

func (t *tarCommand) eachMember(r *tarReader, visit func(r *tarReader, m *tarMember) error) error {
	state := tarUnread
	for {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		before := state
		m, now, err := r.next()
		if err != nil {
			return err
		}
		state = now
		switch state {
		case tarGood:
			last, err := t.oneMember(r, m, visit)
			if err != nil || last {
				return err
			}
		case tarZeroBlock:
			if t.blockNumbers {
				t.list("block %d: ** Block of NULs **\n", r.ordinal())
			}
			r.advance()
			if t.ignoreZeros {
				state = before
				continue
			}
			ordinal := r.ordinal()
			_, state, err = r.next()
			if err != nil {
				return err
			}
			if state != tarZeroBlock {
				t.warning("alone-zero-block", "A lone zero block at %d", ordinal)
			}
			return nil
		case tarAtEnd:
			if t.blockNumbers {
				t.list("block %d: ** End of File **\n", r.ordinal())
			}
			return nil
		case tarBadBlock:
			r.advance()
			switch before {
			case tarUnread:
				t.fault("This does not look like a tar archive")
				fallthrough
			case tarZeroBlock, tarGood:
				if t.blockNumbers {
					t.list("block %d: ", r.ordinal())
				}
				t.fault("Skipping to next header")
			}
		}
	}
}

// oneMember visits a member if it is asked for; last says that none after it can be.
func (t *tarCommand) oneMember(r *tarReader, m *tarMember, visit func(r *tarReader, m *tarMember) error) (last bool, err error) {
	asked, err := t.asked(m.name)
	if err != nil {
		return false, err
	}
	if !asked || t.hasNewer && m.modified.Before(t.newer) || t.excluded(m.name, nil) {
		if m.kind != tarformat.VolumeName && m.kind != tarformat.MultiVol {
			if m.kind == tarformat.Directory && t.showOmitted {
				t.warnf("%s: Omitting", t.colonName(m.name))
			}
			return false, r.skipData(m)
		}
	}
	t.transformMember(m)
	if err := visit(r, m); err != nil {
		return false, err
	}
	return t.allFound(m), nil
}
