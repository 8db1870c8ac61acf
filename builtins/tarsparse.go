package builtins

import (
	"fmt"
	"io"

	"github.com/vsh-project/vsh/builtins/internal/tarformat"
	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/vfs"
)

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

// tarHoleSize is the unit that holes are looked for in: that of file systems.
const tarHoleSize = 4096

// holes reads a file through and finds where it holds anything but zeros.
func (a *tarAdder) holes(f io.Reader, size int64) (entries []tarformat.SparseEntry, err error) {
	t := a.t
	block := make([]byte, lines.BlockSize)
	at := int64(0)
	for at < size {
		if err := t.ctx.Err(); err != nil {
			return nil, err
		}
		n, err := io.ReadFull(f, block[:min(int64(len(block)), size-at)])
		for from := 0; from < n; from += tarHoleSize {
			part := block[from:min(from+tarHoleSize, n)]
			if tarAllZero(part) {
				continue
			}
			start := at + int64(from)
			if last := len(entries) - 1; last >= 0 && entries[last].Offset+entries[last].Bytes == start {
				entries[last].Bytes += int64(len(part))
				continue
			}
			if len(entries)%1024 == 0 {
				if err := t.charge(32 << 10); err != nil {
					return nil, err
				}
			}
			entries = append(entries, tarformat.SparseEntry{Offset: start, Bytes: int64(len(part))})
		}
		at += int64(n)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	if last := len(entries) - 1; last < 0 || entries[last].Offset+entries[last].Bytes < size {
		entries = append(entries, tarformat.SparseEntry{Offset: size})
	}
	return entries, nil
}

func tarAllZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// writeSparse writes a file without its holes.
func (a *tarAdder) writeSparse(m *tarMember, f vfs.File) (whole, ok bool, err error) {
	t := a.t
	if m.sparse, err = a.holes(f, m.size); err != nil {
		if t.ctx.Err() != nil || isExit(err) {
			return false, false, err
		}
		t.failed(m.orig, "read", err)
		return false, false, nil
	}
	m.isSparse = true
	for _, e := range m.sparse {
		m.stored += e.Bytes
	}
	var records []tarformat.Record
	var table []byte
	real := fmt.Sprint(m.size)
	add := func(key, value string) {
		records = append(records, tarformat.Record{Key: "GNU.sparse." + key, Value: value})
	}
	switch {
	case t.format != tarformat.POSIX:
		m.kind = tarformat.Sparse
	case t.sparseV00:
		add("size", real)
		add("numblocks", fmt.Sprint(len(m.sparse)))
		for _, e := range m.sparse {
			add("offset", fmt.Sprint(e.Offset))
			add("numbytes", fmt.Sprint(e.Bytes))
		}
	case t.sparseV01:
		add("size", real)
		add("numblocks", fmt.Sprint(len(m.sparse)))
		add("name", m.name)
		var text []byte
		for i, e := range m.sparse {
			if i > 0 {
				text = append(text, ',')
			}
			text = fmt.Appendf(text, "%d,%d", e.Offset, e.Bytes)
		}
		add("map", string(text))
	default:
		add("major", "1")
		add("minor", "0")
		add("name", m.name)
		add("realsize", real)
		table = fmt.Appendf(table, "%d\n", len(m.sparse))
		for _, e := range m.sparse {
			table = fmt.Appendf(table, "%d\n%d\n", e.Offset, e.Bytes)
		}
		m.stored += int64((len(table) + tarformat.BlockSize - 1) / tarformat.BlockSize * tarformat.BlockSize)
	}
	if ok, err = a.writeMember(m, records); err != nil || !ok {
		return false, ok, err
	}
	if m.kind == tarformat.Sparse {
		err = a.writeMap(m.sparse)
	} else {
		err = a.writeText(string(table))
	}
	if err != nil {
		return false, true, err
	}
	left := int64(0)
	for _, e := range m.sparse {
		left += e.Bytes
	}
	for _, e := range m.sparse {
		whole, err := a.data(io.NewSectionReader(f, e.Offset, e.Bytes), m, e.Bytes, left)
		if err != nil || !whole {
			return false, true, err
		}
		left -= e.Bytes
	}
	return true, true, nil
}

// setSparse writes what of a map the header holds.
func (w *tarWriter) setSparse(h tarformat.Header, m *tarMember) {
	for i, e := range m.sparse[:min(len(m.sparse), tarformat.SparseInHeader)] {
		tarformat.SetOldSparse(h, tarformat.SparseMap, i, e)
	}
	if len(m.sparse) > tarformat.SparseInHeader {
		h[tarformat.IsExtended] = 1
	}
	h.SetNumber(tarformat.RealSize, m.size, true)
}

// writeMap writes the blocks of a map that the header does not hold.
func (w *tarWriter) writeMap(entries []tarformat.SparseEntry) error {
	entries = entries[min(len(entries), tarformat.SparseInHeader):]
	for len(entries) > 0 {
		block, err := w.block()
		if err != nil {
			return err
		}
		n := min(len(entries), tarformat.SparseInBlock)
		for i, e := range entries[:n] {
			tarformat.SetOldSparse(block, 0, i, e)
		}
		if entries = entries[n:]; len(entries) > 0 {
			block[tarformat.BlockIsExtended] = 1
		}
	}
	return nil
}
