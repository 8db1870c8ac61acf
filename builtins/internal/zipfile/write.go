package zipfile

import (
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"

	"github.com/vsh-project/vsh/builtins/internal/deflate"
)

// Writer writes an archive: Begin, the packed data by Write and End for each
// entry, then Close.
type Writer struct {
	w       io.Writer
	offset  uint64
	entries []*Entry
}

// NewWriter writes to w from its start on.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Offset is how much has been written.
func (w *Writer) Offset() uint64 { return w.offset }

func (w *Writer) Write(p []byte) (int, error) {
	n, err := w.w.Write(p)
	w.offset += uint64(n)
	return n, err
}

func small(n uint64) uint32 { return uint32(min(n, math.MaxUint32)) }

// Header is an entry's local header. With a descriptor the sizes follow the data.
func (e *Entry) Header() []byte {
	h := binary.LittleEndian.AppendUint32(nil, signatureLocal)
	local := e.local()
	crc, packed, size := e.CRC, e.Packed, e.Size
	if e.Flags&FlagDescriptor != 0 {
		crc, packed, size = 0, 0, 0
	}
	if packed >= math.MaxUint32 || size >= math.MaxUint32 {
		local = append(wide(size, packed), local...)
		packed, size = math.MaxUint32, math.MaxUint32
	}
	for _, v := range [...]uint16{e.Needs, e.Flags, e.Method, e.Time, e.Date} {
		h = binary.LittleEndian.AppendUint16(h, v)
	}
	for _, v := range [...]uint32{crc, uint32(packed), uint32(size)} {
		h = binary.LittleEndian.AppendUint32(h, v)
	}
	h = binary.LittleEndian.AppendUint16(h, uint16(len(e.Name)))
	h = binary.LittleEndian.AppendUint16(h, uint16(len(local)))
	return append(append(h, e.Name...), local...)
}

// wide is the field with sizes that four bytes do not hold.
func wide(values ...uint64) []byte {
	b := []byte{1, 0, byte(8 * len(values)), 0}
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

// Begin writes an entry's local header.
func (w *Writer) Begin(e *Entry) error {
	e.Offset = w.offset
	_, err := w.Write(e.Header())
	return err
}

// End adds the entry to the directory, after a descriptor where it asks for one.
func (w *Writer) End(e *Entry) error {
	w.entries = append(w.entries, e)
	if e.Flags&FlagDescriptor == 0 {
		return nil
	}
	b := binary.LittleEndian.AppendUint32(nil, signatureData)
	b = binary.LittleEndian.AppendUint32(b, e.CRC)
	if e.Packed >= math.MaxUint32 || e.Size >= math.MaxUint32 {
		b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, e.Packed), e.Size)
	} else {
		b = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, uint32(e.Packed)), uint32(e.Size))
	}
	_, err := w.Write(b)
	return err
}

// Rewind forgets what was written since offset: the underlying writer has been
// set back to it.
func (w *Writer) Rewind(offset uint64) { w.offset = offset }

func (e *Entry) central() []byte {
	var values []uint64
	for _, v := range [...]uint64{e.Size, e.Packed, e.Offset} {
		if v >= math.MaxUint32 {
			values = append(values, v)
		}
	}
	extra := e.Extra
	if values != nil {
		var rest []byte
		Fields(extra, func(id uint16, data []byte) {
			if id != extraZip64 {
				rest = binary.LittleEndian.AppendUint16(rest, id)
				rest = binary.LittleEndian.AppendUint16(rest, uint16(len(data)))
				rest = append(rest, data...)
			}
		})
		extra = append(wide(values...), rest...)
	}
	h := binary.LittleEndian.AppendUint32(nil, signatureCentral)
	for _, v := range [...]uint16{e.MadeBy, e.Needs, e.Flags, e.Method, e.Time, e.Date} {
		h = binary.LittleEndian.AppendUint16(h, v)
	}
	for _, v := range [...]uint32{e.CRC, small(e.Packed), small(e.Size)} {
		h = binary.LittleEndian.AppendUint32(h, v)
	}
	for _, v := range [...]int{len(e.Name), len(extra), len(e.Comment), 0, int(e.Attributes)} {
		h = binary.LittleEndian.AppendUint16(h, uint16(v))
	}
	h = binary.LittleEndian.AppendUint32(h, e.System)
	h = binary.LittleEndian.AppendUint32(h, small(e.Offset))
	return append(append(append(h, e.Name...), extra...), e.Comment...)
}

// Close writes the directory and the end record.
func (w *Writer) Close(comment string) error {
	start := w.offset
	for _, e := range w.entries {
		if _, err := w.Write(e.central()); err != nil {
			return err
		}
	}
	size, count := w.offset-start, uint64(len(w.entries))
	if size >= math.MaxUint32 || start >= math.MaxUint32 || count >= math.MaxUint16 {
		at := w.offset
		b := binary.LittleEndian.AppendUint32(nil, signatureEnd64)
		b = binary.LittleEndian.AppendUint64(b, sizeEnd64-12)
		b = append(b, 45, MadeByUnix, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0)
		for _, v := range [...]uint64{count, count, size, start} {
			b = binary.LittleEndian.AppendUint64(b, v)
		}
		b = binary.LittleEndian.AppendUint32(b, signatureLocator)
		b = binary.LittleEndian.AppendUint32(b, 0)
		b = binary.LittleEndian.AppendUint64(b, at)
		b = binary.LittleEndian.AppendUint32(b, 1)
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	b := binary.LittleEndian.AppendUint32(nil, signatureEnd)
	b = append(b, 0, 0, 0, 0)
	few := uint16(min(count, math.MaxUint16))
	b = binary.LittleEndian.AppendUint16(b, few)
	b = binary.LittleEndian.AppendUint16(b, few)
	b = binary.LittleEndian.AppendUint32(b, small(size))
	b = binary.LittleEndian.AppendUint32(b, small(start))
	b = binary.LittleEndian.AppendUint16(b, uint16(len(comment)))
	_, err := w.Write(append(b, comment...))
	return err
}

// Packer compresses an entry's data on its way to a Writer and counts it.
type Packer struct {
	e     *Entry
	out   counter
	flate *deflate.Writer
	crc   uint32
	first []byte
}

type counter struct {
	w io.Writer
	n uint64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += uint64(n)
	return n, err
}

// NewPacker packs e's data to w with its method at level 1 to 9. With small,
// nothing is written where a stored copy would be as small; Stored tells.
func NewPacker(w io.Writer, e *Entry, level int, small bool) *Packer {
	p := &Packer{e: e, out: counter{w: w}}
	if e.Method == Deflate {
		p.flate = deflate.NewWriter(&p.out, level)
		if small {
			p.flate.StoreSmall()
		}
	}
	return p
}

// Stored reports, after Close, that the data is to be stored instead.
func (p *Packer) Stored() bool { return p.flate != nil && p.flate.Stored() }

func (p *Packer) Write(b []byte) (int, error) {
	p.crc = crc32.Update(p.crc, crc32.IEEETable, b)
	p.e.Size += uint64(len(b))
	if len(p.first) < 32<<10 {
		p.first = append(p.first, b[:min(len(b), 32<<10-len(p.first))]...)
	}
	if p.flate != nil {
		return p.flate.Write(b)
	}
	return p.out.Write(b)
}

// Close ends the data and fills in the entry's sums.
func (p *Packer) Close() error {
	var err error
	if p.flate != nil {
		err = p.flate.Close()
	}
	p.e.CRC, p.e.Packed = p.crc, p.out.n
	if isText(p.first) {
		p.e.Attributes |= 1
	}
	return err
}

// isText is zlib's judgement: no control characters but the usual ones, and
// something else than those.
func isText(data []byte) bool {
	text := false
	for _, c := range data {
		switch {
		case c < 7 || c >= 14 && c < 26 || c >= 28 && c < 32:
			return false
		case c >= 32 || c == '\t' || c == '\n' || c == '\r':
			text = true
		}
	}
	return text
}

// Open unpacks an entry's data from what Raw gave.
func Open(e *Entry, raw io.Reader) (io.Reader, bool) {
	switch e.Method {
	case Store:
		return raw, true
	case Deflate:
		return flate.NewReader(raw), true
	}
	return nil, false
}
