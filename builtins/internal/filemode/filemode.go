// Package filemode reads the modes that chmod and its kin take (gnulib
// modechange) and writes them as ls does. Bits are those of POSIX.
package filemode

import (
	"io/fs"
	"strings"
)

// The bits a mode holds besides permissions.
const (
	SetUID = 0o4000
	SetGID = 0o2000
	Sticky = 0o1000
	All    = 0o7777
)

// Bits are the POSIX bits of Go's mode, without the type.
func Bits(m fs.FileMode) uint32 {
	bits := uint32(m.Perm())
	if m&fs.ModeSetuid != 0 {
		bits |= SetUID
	}
	if m&fs.ModeSetgid != 0 {
		bits |= SetGID
	}
	if m&fs.ModeSticky != 0 {
		bits |= Sticky
	}
	return bits
}

// Mode is Go's mode of POSIX bits.
func Mode(bits uint32) fs.FileMode {
	m := fs.FileMode(bits & 0o777)
	if bits&SetUID != 0 {
		m |= fs.ModeSetuid
	}
	if bits&SetGID != 0 {
		m |= fs.ModeSetgid
	}
	if bits&Sticky != 0 {
		m |= fs.ModeSticky
	}
	return m
}

// Raw is the whole st_mode, type included.
func Raw(m fs.FileMode) uint32 {
	kind := uint32(0o100000)
	switch Letter(m) {
	case 'd':
		kind = 0o040000
	case 'l':
		kind = 0o120000
	case 'p':
		kind = 0o010000
	case 's':
		kind = 0o140000
	case 'c':
		kind = 0o020000
	case 'b':
		kind = 0o060000
	}
	return kind | Bits(m)
}

// Letter is the type as ls shows it; '-' is a regular file.
func Letter(m fs.FileMode) byte {
	switch {
	case m&fs.ModeDir != 0:
		return 'd'
	case m&fs.ModeSymlink != 0:
		return 'l'
	case m&fs.ModeNamedPipe != 0:
		return 'p'
	case m&fs.ModeSocket != 0:
		return 's'
	case m&fs.ModeCharDevice != 0:
		return 'c'
	case m&fs.ModeDevice != 0:
		return 'b'
	}
	return '-'
}

// String is ls's form, e.g. "drwxr-xr-x".
func String(m fs.FileMode) string {
	bits := Bits(m)
	b := [10]byte{Letter(m)}
	const letters = "rwxrwxrwx"
	for i := range 9 {
		b[1+i] = '-'
		if bits>>(8-i)&1 != 0 {
			b[1+i] = letters[i]
		}
	}
	special := func(at int, set bool, with, without byte) {
		switch {
		case set && b[at] == '-':
			b[at] = without
		case set:
			b[at] = with
		}
	}
	special(3, bits&SetUID != 0, 's', 'S')
	special(6, bits&SetGID != 0, 's', 'S')
	special(9, bits&Sticky != 0, 't', 'T')
	return string(b[:])
}

type flag uint8

const (
	ordinary flag = iota
	executeIfAny
	copyExisting
)

type change struct {
	op        byte
	flag      flag
	affected  uint32
	value     uint32
	mentioned uint32
}

// Changes is a compiled mode.
type Changes []change

// Absolute sets exactly these bits.
func Absolute(bits uint32) Changes {
	return Changes{{op: '=', affected: All, value: bits, mentioned: All}}
}

// Compile reads an octal or symbolic mode; false when it is neither.
func Compile(text string) (Changes, bool) {
	if text != "" && text[0] >= '0' && text[0] <= '7' {
		value, rest, ok := octal(text)
		if !ok || rest != "" {
			return nil, false
		}
		mentioned := uint32(All)
		if len(text) < 5 {
			mentioned = value&(SetUID|SetGID|Sticky) | 0o777
		}
		return Changes{{op: '=', affected: All, value: value, mentioned: mentioned}}, true
	}
	var changes Changes
	for clause := range strings.SplitSeq(text, ",") {
		var ok bool
		if changes, ok = compileClause(changes, clause); !ok {
			return nil, false
		}
	}
	return changes, true
}

func octal(s string) (value uint32, rest string, ok bool) {
	for s != "" && s[0] >= '0' && s[0] <= '7' {
		if value = value*8 + uint32(s[0]-'0'); value > All {
			return 0, s, false
		}
		s = s[1:]
	}
	return value, s, true
}

// compileClause reads [ugoa]*([-+=]PERMS)+.
func compileClause(changes Changes, s string) (Changes, bool) {
	affected := uint32(0)
	for ; s != ""; s = s[1:] {
		switch s[0] {
		case 'u':
			affected |= SetUID | 0o700
			continue
		case 'g':
			affected |= SetGID | 0o070
			continue
		case 'o':
			affected |= Sticky | 0o007
			continue
		case 'a':
			affected |= All
			continue
		}
		break
	}
	if s == "" {
		return nil, false
	}
	for s != "" {
		c := change{op: s[0], affected: affected}
		if c.op != '=' && c.op != '+' && c.op != '-' {
			return nil, false
		}
		s = s[1:]
		switch {
		case s != "" && s[0] >= '0' && s[0] <= '7':
			value, rest, ok := octal(s)
			if !ok || affected != 0 || rest != "" {
				return nil, false
			}
			s, c.value, c.affected, c.mentioned = rest, value, All, All
		case s != "" && strings.IndexByte("ugo", s[0]) >= 0:
			c.flag, c.value = copyExisting, uint32(0o700)>>(3*strings.IndexByte("ugo", s[0]))
			s = s[1:]
		default:
			s = permissions(&c, s)
		}
		if c.mentioned == 0 {
			c.mentioned = c.value
			if c.affected != 0 {
				c.mentioned &= c.affected
			}
		}
		changes = append(changes, c)
	}
	return changes, true
}

func permissions(c *change, s string) string {
	for ; s != ""; s = s[1:] {
		switch s[0] {
		case 'r':
			c.value |= 0o444
		case 'w':
			c.value |= 0o222
		case 'x':
			c.value |= 0o111
		case 'X':
			c.flag = executeIfAny
		case 's':
			c.value |= SetUID | SetGID
		case 't':
			c.value |= Sticky
		default:
			return s
		}
	}
	return s
}

// Adjust applies the changes to a file's bits. A clause that names nobody
// leaves the bits of umask alone; a directory keeps set-ID bits that no change
// mentions.
func (changes Changes) Adjust(old uint32, directory bool, umask uint32) uint32 {
	bits, _ := changes.adjust(old, directory, umask)
	return bits
}

// Directory gives the bits that mkdir and install leave on a directory. old is
// what the changes start from, have what the directory has; fresh is one just
// made, of which only the inherited set-ID bits count. Where special bits are
// asked for, it is made without others' write permission and changed once more
// only if a bit that the changes are about differs then.
func (changes Changes) Directory(old, umask, have uint32, fresh bool) uint32 {
	bits, changed := changes.adjust(old, true, umask)
	if fresh {
		inherited := have & (SetUID | SetGID)
		if changed&(SetUID|SetGID) == 0 && bits&Sticky == 0 {
			return bits | inherited
		}
		have = bits&^(SetUID|SetGID|0o022) | inherited
	}
	if (have^bits)&changed == 0 {
		return have
	}
	return bits | have&^changed
}

// adjust also tells which bits the changes are about.
func (changes Changes) adjust(old uint32, directory bool, umask uint32) (bits, changed uint32) {
	bits = old & All
	for i := range changes {
		c := &changes[i]
		omit := uint32(0)
		if directory {
			omit = (SetUID | SetGID) &^ c.mentioned
		}
		value := c.value
		switch {
		case c.flag == executeIfAny && (directory || bits&0o111 != 0):
			value |= 0o111
		case c.flag == copyExisting:
			value &= bits
			for _, all := range [3]uint32{0o444, 0o222, 0o111} {
				if value&all != 0 {
					value |= all
				}
			}
		}
		if c.affected != 0 {
			value &= c.affected
		} else {
			value &= ^umask
		}
		value &^= omit
		switch c.op {
		case '=':
			preserved := omit
			if c.affected != 0 {
				preserved |= ^c.affected
			}
			bits = bits&preserved | value
			changed |= All &^ preserved
		case '+':
			bits |= value
			changed |= value
		case '-':
			bits &^= value
			changed |= value
		}
	}
	return bits & All, changed
}
