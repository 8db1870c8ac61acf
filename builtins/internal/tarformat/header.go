// Package tarformat reads and writes the blocks of tar archives bit for bit as
// GNU tar does. archive/tar knows the same formats but writes other bytes and
// does not say where a damaged archive goes on.
package tarformat

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
)

// BlockSize is the unit of an archive.
const BlockSize = 512

// Format is a dialect of the header block.
type Format uint8

const (
	Unknown Format = iota
	V7
	OldGNU
	USTAR
	POSIX
	GNU
)

// Types of members.
const (
	Regular    = '0'
	OldRegular = 0
	HardLink   = '1'
	Symlink    = '2'
	Character  = '3'
	BlockDev   = '4'
	Directory  = '5'
	FIFO       = '6'
	Contiguous = '7'
	Extended   = 'x'
	SunHeader  = 'X'
	Global     = 'g'
	DumpDir    = 'D'
	LongLink   = 'K'
	LongName   = 'L'
	MultiVol   = 'M'
	Sparse     = 'S'
	VolumeName = 'V'
)

// Field is where a value stands in a header block.
type Field struct{ Offset, Size int }

// The fields of a header block. IsExtended and RealSize are those of an old GNU
// sparse member, whose map begins at SparseMap.
var (
	Name     = Field{0, 100}
	Mode     = Field{100, 8}
	UID      = Field{108, 8}
	GID      = Field{116, 8}
	Size     = Field{124, 12}
	MTime    = Field{136, 12}
	Checksum = Field{148, 8}
	LinkName = Field{157, 100}
	Magic    = Field{257, 8}
	UName    = Field{265, 32}
	GName    = Field{297, 32}
	DevMajor = Field{329, 8}
	DevMinor = Field{337, 8}
	Prefix   = Field{345, 155}
	RealSize = Field{483, 12}
)

const (
	TypeOffset       = 156
	SparseMap        = 386
	SparseInHeader   = 4
	IsExtended       = 482
	SparseInBlock    = 21
	BlockIsExtended  = 504
	magicPOSIX       = "ustar\x0000"
	magicGNU         = "ustar  \x00"
	sparseEntryBytes = 24
)

// Header is one header block.
type Header []byte

// Type is the member's type letter.
func (h Header) Type() byte { return h[TypeOffset] }

// SetType sets it.
func (h Header) SetType(t byte) { h[TypeOffset] = t }

// Bytes are a field's bytes.
func (h Header) Bytes(f Field) []byte { return h[f.Offset : f.Offset+f.Size] }

// Text is a field up to its first NUL.
func (h Header) Text(f Field) string {
	b := h.Bytes(f)
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b)
}

// SetText writes s, cut to the field; what it leaves is NUL already.
func (h Header) SetText(f Field, s string) { copy(h.Bytes(f), s) }

// IsUSTAR and IsGNU report which magic the block has.
func (h Header) IsUSTAR() bool { return string(h[257:263]) == magicPOSIX[:6] }
func (h Header) IsGNU() bool   { return string(h[257:265]) == magicGNU }

// SetMagic marks the block as one of format.
func (h Header) SetMagic(format Format) {
	switch format {
	case GNU, OldGNU:
		h.SetText(Magic, magicGNU)
	case USTAR, POSIX:
		h.SetText(Magic, magicPOSIX)
	}
}

// MemberName is the name in the block, a POSIX prefix before it.
func (h Header) MemberName() string {
	name := h.Text(Name)
	if h.IsUSTAR() && h[Prefix.Offset] != 0 {
		return h.Text(Prefix) + "/" + name
	}
	return name
}

// sums are the checksums by unsigned and, as some old programs had it, signed
// bytes, the checksum's own field taken as blanks.
func (h Header) sums() (unsigned, signed int64, zero bool) {
	any := byte(0)
	for i, b := range h[:BlockSize] {
		any |= b
		if i >= Checksum.Offset && i < Checksum.Offset+Checksum.Size {
			b = ' '
		}
		unsigned += int64(b)
		signed += int64(int8(b))
	}
	return unsigned, signed, any == 0
}

// State is what a block is as a header.
type State uint8

const (
	Good State = iota
	Zero
	Bad
)

// Check verifies the checksum.
func (h Header) Check() State {
	unsigned, signed, zero := h.sums()
	if zero {
		return Zero
	}
	sum, fault := ParseNumber(h.Bytes(Checksum), 0, 1<<31-1)
	if fault != nil || sum != unsigned && sum != signed {
		return Bad
	}
	return Good
}

// Finish writes the checksum.
func (h Header) Finish() {
	unsigned, _, _ := h.sums()
	copy(h.Bytes(Checksum), fmt.Sprintf("%06o\x00 ", unsigned))
}

// Max is the greatest number that an octal field holds.
func (f Field) Max() int64 { return 1<<(3*(f.Size-1)) - 1 }

// SetNumber writes v in octal or, where it does not fit and binary is allowed
// (GNU's formats), in base 256. It reports whether it fit.
func (h Header) SetNumber(f Field, v int64, binaryToo bool) bool {
	b := h.Bytes(f)
	if v >= 0 && v <= f.Max() {
		for i := f.Size - 2; i >= 0; i-- {
			b[i] = '0' + byte(v&7)
			v >>= 3
		}
		b[f.Size-1] = 0
		return true
	}
	if !binaryToo {
		return false
	}
	fill := byte(0)
	if v < 0 {
		fill = 0xff
	}
	for i := f.Size - 1; i >= 0; i-- {
		if i < f.Size-8 {
			b[i] = fill
			continue
		}
		b[i] = byte(v)
		v >>= 8
	}
	b[0] |= 0x80
	return true
}

// NumberFault says what is wrong with a numeric field.
type NumberFault struct {
	// Blank: there are only blanks. Else Text is what stands there, and
	// OutOfRange tells a number too great from none.
	Blank, OutOfRange bool
	Text              string
}

func (e *NumberFault) Error() string { return "bad number" }

// ParseNumber reads a field in octal, base 256 or, as some old archives have it,
// base 64. A number outside low…high is a fault.
func ParseNumber(b []byte, low, high int64) (int64, *NumberFault) {
	where := b
	// Some programs begin a field with a NUL, or with blanks.
	if len(where) > 0 && where[0] == 0 {
		where = where[1:]
	}
	for len(where) > 0 && (where[0] == ' ' || where[0] >= '\t' && where[0] <= '\r') {
		where = where[1:]
	}
	if len(where) == 0 {
		return 0, &NumberFault{Blank: true}
	}
	outOfRange := func(s string) (int64, *NumberFault) { return 0, &NumberFault{OutOfRange: true, Text: s} }
	switch c := where[0]; {
	case c >= '0' && c <= '7':
		v, overflow := uint64(0), false
		i := 0
		for ; i < len(where) && where[i] >= '0' && where[i] <= '7'; i++ {
			overflow = overflow || v>>61 != 0
			v = v<<3 | uint64(where[i]-'0')
		}
		text := string(where[:i])
		if i < len(where) && where[i] != 0 && where[i] != ' ' && !(where[i] >= '\t' && where[i] <= '\r') {
			return 0, &NumberFault{Text: cString(b)}
		}
		if overflow || v > uint64(high) {
			return outOfRange(text)
		}
		return int64(v), nil
	case c == 0x80 || c == 0xff:
		negative := c == 0xff
		rest := where[1:]
		for len(rest) > 8 {
			if negative && rest[0] != 0xff || !negative && rest[0] != 0 {
				return outOfRange("")
			}
			rest = rest[1:]
		}
		var wide [8]byte
		if negative {
			wide = [8]byte{255, 255, 255, 255, 255, 255, 255, 255}
		}
		copy(wide[8-len(rest):], rest)
		v := int64(binary.BigEndian.Uint64(wide[:]))
		if v < 0 != negative || v < low || v > high {
			return outOfRange(strconv.FormatInt(v, 10))
		}
		return v, nil
	case c == 0:
		return 0, nil
	}
	return 0, &NumberFault{Text: cString(b)}
}

func cString(b []byte) string {
	if len(b) > 0 && b[0] == 0 {
		b = b[1:]
	}
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b)
}

// SparseEntry is a run of data in a file with holes.
type SparseEntry struct{ Offset, Bytes int64 }

// OldSparse reads entry i of a map that begins at base of a block; ok is false
// at the map's end.
func OldSparse(block []byte, base, i int) (e SparseEntry, ok bool, fault *NumberFault) {
	at := base + i*sparseEntryBytes
	if block[at+12] == 0 {
		return e, false, nil
	}
	if e.Offset, fault = ParseNumber(block[at:at+12], 0, 1<<63-1); fault != nil {
		return e, false, fault
	}
	e.Bytes, fault = ParseNumber(block[at+12:at+24], 0, 1<<63-1)
	return e, fault == nil, fault
}

// SetOldSparse writes entry i.
func SetOldSparse(block []byte, base, i int, e SparseEntry) {
	at := base + i*sparseEntryBytes
	h := Header(block)
	h.SetNumber(Field{at, 12}, e.Offset, true)
	h.SetNumber(Field{at + 12, 12}, e.Bytes, true)
}
