// Package zipfile reads and writes zip archives with every field that zip, unzip
// and zipinfo show.
package zipfile

import (
	"encoding/binary"
	"errors"
	"io"
	"time"
)

// Methods of compression.
const (
	Store   = 0
	Deflate = 8
)

// Flags of an entry.
const (
	FlagEncrypted  = 1
	FlagDescriptor = 8
	FlagUTF8       = 1 << 11
)

// Systems that made an entry.
const (
	madeByDOS  = 0
	MadeByUnix = 3
)

const (
	sizeLocal   = 30
	sizeCentral = 46
	sizeEnd     = 22
	sizeEnd64   = 56
	sizeLocator = 20

	signatureLocal   = 0x04034b50
	signatureCentral = 0x02014b50
	signatureEnd     = 0x06054b50
	signatureEnd64   = 0x06064b50
	signatureLocator = 0x07064b50
	signatureData    = 0x08074b50

	extraZip64 = 0x0001
	extraTime  = 0x5455
	extraOwner = 0x7875
)

// Errors of what is no archive, and of one that is damaged.
var (
	ErrNoEnd    = errors.New("end-of-central-directory signature not found")
	ErrDamaged  = errors.New("archive is damaged")
	errTooLarge = errors.New("archive is too large")
)

// Entry is one member, as the central directory describes it.
type Entry struct {
	Name, Comment    string
	MadeBy, Needs    uint16
	Flags, Method    uint16
	Time, Date       uint16 // MS-DOS
	CRC              uint32
	Packed, Size     uint64
	Extra            []byte
	Disk, Attributes uint16 // Attributes has bit 0 set for text
	System           uint32 // mode<<16 and MS-DOS attributes
	Offset           uint64
	// Local is the extra field of the local header; nil makes one of Extra.
	Local []byte
}

// IsDir reports whether the name is a directory's.
func (e *Entry) IsDir() bool { return len(e.Name) > 0 && e.Name[len(e.Name)-1] == '/' }

// Mode is Unix's mode with its type bits; false where another system made the entry.
func (e *Entry) Mode() (uint32, bool) {
	return e.System >> 16, e.MadeBy>>8 == MadeByUnix && e.System>>16 != 0
}

// Modified is the time of the extra field, or else MS-DOS's, which has no zone.
func (e *Entry) Modified() time.Time {
	if data := field(e.Extra, extraTime); len(data) >= 5 && data[0]&1 != 0 {
		return time.Unix(int64(int32(binary.LittleEndian.Uint32(data[1:]))), 0).UTC()
	}
	return e.DOSTime()
}

// DOSTime is MS-DOS's time as if it were UTC.
func (e *Entry) DOSTime() time.Time {
	return time.Date(int(e.Date>>9)+1980, time.Month(e.Date>>5&15), int(e.Date&31), int(e.Time>>11), int(e.Time>>5&63), int(e.Time&31)*2, 0, time.UTC)
}

// SetModified sets both times, the extra field's only where extra asks for it.
func (e *Entry) SetModified(t, dos time.Time, extra bool) {
	if dos.Year() < 1980 {
		dos = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if dos.Second()%2 == 1 { // rounded up, as zip does
		dos = dos.Add(time.Second)
	}
	e.Date = uint16(dos.Year()-1980)<<9 | uint16(dos.Month())<<5 | uint16(dos.Day())
	e.Time = uint16(dos.Hour())<<11 | uint16(dos.Minute())<<5 | uint16(dos.Second()/2)
	if extra {
		e.Extra = append(e.Extra, 0x55, 0x54, 5, 0, 3)
		e.Extra = binary.LittleEndian.AppendUint32(e.Extra, uint32(t.Unix()))
	}
}

// SetOwner adds the field with the owner's numbers.
func (e *Entry) SetOwner(uid, gid uint32) {
	e.Extra = append(e.Extra, 0x75, 0x78, 11, 0, 1, 4)
	e.Extra = binary.LittleEndian.AppendUint32(e.Extra, uid)
	e.Extra = append(e.Extra, 4)
	e.Extra = binary.LittleEndian.AppendUint32(e.Extra, gid)
}

// Fields calls each with the id and data of the fields of an extra field.
func Fields(extra []byte, each func(id uint16, data []byte)) {
	for len(extra) >= 4 {
		id, n := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		if n > len(extra)-4 {
			return
		}
		each(id, extra[4:4+n])
		extra = extra[4+n:]
	}
}

func field(extra []byte, want uint16) (found []byte) {
	Fields(extra, func(id uint16, data []byte) {
		if id == want {
			found = data
		}
	})
	return found
}

// local makes the local extra field: it has the time of the last access too.
func (e *Entry) local() []byte {
	if e.Local != nil {
		return e.Local
	}
	var out []byte
	Fields(e.Extra, func(id uint16, data []byte) {
		if id == extraZip64 {
			return
		}
		if id == extraTime && len(data) == 5 {
			data = append(append([]byte(nil), data...), data[1:5]...)
			data[0] |= 2
		}
		out = binary.LittleEndian.AppendUint16(out, id)
		out = binary.LittleEndian.AppendUint16(out, uint16(len(data)))
		out = append(out, data...)
	})
	return out
}

// Archive is an archive that is read.
type Archive struct {
	Entries []*Entry
	Comment string
	// Size is the file's, Start where the archive begins in it; Directory and
	// DirectorySize say where the central directory is, End where its end record.
	Size                                 int64
	Start, Directory, DirectorySize, End int64

	r io.ReaderAt
}

// Read reads the central directory. charge is asked for each entry's memory.
func Read(r io.ReaderAt, size int64, charge func(int64) error) (*Archive, error) {
	a := &Archive{Size: size, r: r}
	count, err := a.findEnd()
	if err != nil {
		return nil, err
	}
	// A prefix, such as a program that extracts itself, moves all offsets.
	if a.Start = a.End - a.DirectorySize - a.Directory; a.Start < 0 {
		return nil, ErrDamaged
	}
	in := &buffered{r: r, at: a.Start + a.Directory}
	for range count {
		e, err := in.central(charge)
		if err != nil {
			return nil, err
		}
		a.Entries = append(a.Entries, e)
	}
	return a, nil
}

// findEnd reads the record at the end, looking back over a comment.
func (a *Archive) findEnd() (count uint64, err error) {
	n := min(a.Size, sizeEnd+1<<16)
	tail := make([]byte, n)
	if _, err := a.r.ReadAt(tail, a.Size-n); err != nil && err != io.EOF {
		return 0, err
	}
	at := len(tail) - sizeEnd
	for ; at >= 0; at-- {
		if binary.LittleEndian.Uint32(tail[at:]) == signatureEnd {
			break
		}
	}
	if at < 0 {
		return 0, ErrNoEnd
	}
	end := tail[at:]
	a.End = a.Size - n + int64(at)
	count = uint64(binary.LittleEndian.Uint16(end[10:]))
	a.DirectorySize = int64(binary.LittleEndian.Uint32(end[12:]))
	a.Directory = int64(binary.LittleEndian.Uint32(end[16:]))
	length := int(binary.LittleEndian.Uint16(end[20:]))
	a.Comment = string(end[sizeEnd:min(len(end), sizeEnd+length)])
	if count != 1<<16-1 && a.Directory != 1<<32-1 && a.DirectorySize != 1<<32-1 {
		return count, nil
	}
	locator := make([]byte, sizeLocator)
	if _, err := a.r.ReadAt(locator, a.End-sizeLocator); err != nil || binary.LittleEndian.Uint32(locator) != signatureLocator {
		return count, nil
	}
	record := make([]byte, sizeEnd64)
	where := int64(binary.LittleEndian.Uint64(locator[8:]))
	if _, err := a.r.ReadAt(record, where); err != nil || binary.LittleEndian.Uint32(record) != signatureEnd64 {
		return 0, ErrDamaged
	}
	a.End = where
	a.DirectorySize = int64(binary.LittleEndian.Uint64(record[40:]))
	a.Directory = int64(binary.LittleEndian.Uint64(record[48:]))
	return binary.LittleEndian.Uint64(record[32:]), nil
}

// buffered reads forward from an offset.
type buffered struct {
	r   io.ReaderAt
	at  int64
	buf []byte
}

func (b *buffered) take(n int) ([]byte, error) {
	if len(b.buf) < n {
		block := make([]byte, max(n, 64<<10))
		got, err := b.r.ReadAt(block, b.at)
		if got < n {
			if err == nil || err == io.EOF {
				err = ErrDamaged
			}
			return nil, err
		}
		b.buf = block[:got]
	}
	p := b.buf[:n]
	b.buf = b.buf[n:]
	b.at += int64(n)
	return p, nil
}

func (b *buffered) central(charge func(int64) error) (*Entry, error) {
	h, err := b.take(sizeCentral)
	if err != nil {
		return nil, err
	}
	if binary.LittleEndian.Uint32(h) != signatureCentral {
		return nil, ErrDamaged
	}
	u16 := func(at int) uint16 { return binary.LittleEndian.Uint16(h[at:]) }
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(h[at:]) }
	e := &Entry{
		MadeBy: u16(4), Needs: u16(6), Flags: u16(8), Method: u16(10), Time: u16(12), Date: u16(14), CRC: u32(16),
		Packed: uint64(u32(20)), Size: uint64(u32(24)), Disk: u16(34), Attributes: u16(36), System: u32(38), Offset: uint64(u32(42)),
	}
	name, extra, comment := int(u16(28)), int(u16(30)), int(u16(32))
	if err := charge(int64(name + extra + comment + 256)); err != nil {
		return nil, err
	}
	text, err := b.take(name + extra + comment)
	if err != nil {
		return nil, err
	}
	e.Name, e.Comment = string(text[:name]), string(text[name+extra:])
	e.Extra = append([]byte(nil), text[name:name+extra]...)
	wide := field(e.Extra, extraZip64)
	for _, at := range []*uint64{&e.Size, &e.Packed, &e.Offset} {
		if *at == 1<<32-1 && len(wide) >= 8 {
			*at = binary.LittleEndian.Uint64(wide)
			wide = wide[8:]
		}
	}
	return e, nil
}

// header reads an entry's local header and returns where its data begins.
func (a *Archive) header(e *Entry) (extra []byte, data int64, err error) {
	h := make([]byte, sizeLocal)
	at := a.Start + int64(e.Offset)
	if _, err := a.r.ReadAt(h, at); err != nil || binary.LittleEndian.Uint32(h) != signatureLocal {
		return nil, 0, ErrDamaged
	}
	name, length := int64(binary.LittleEndian.Uint16(h[26:])), int64(binary.LittleEndian.Uint16(h[28:]))
	extra = make([]byte, length)
	if _, err := a.r.ReadAt(extra, at+sizeLocal+name); err != nil && (err != io.EOF || length > 0) {
		return nil, 0, ErrDamaged
	}
	return extra, at + sizeLocal + name + length, nil
}

// Raw is an entry's packed data. It sets e.Local to what the archive has.
func (a *Archive) Raw(e *Entry) (io.Reader, error) {
	extra, data, err := a.header(e)
	if err != nil {
		return nil, err
	}
	e.Local = extra
	return io.NewSectionReader(a.r, data, int64(e.Packed)), nil
}
