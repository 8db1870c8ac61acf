package rg

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Encoding is what -E names.
type Encoding uint8

const (
	// Auto looks for a byte order mark and else takes the bytes as they are.
	Auto Encoding = iota
	// Raw takes the bytes as they are, a mark among them.
	Raw
	// UTF8 is Auto by name: a mark is believed all the same.
	UTF8
	UTF16LE
	UTF16BE
	// Latin1 is windows-1252, as the web reads latin1.
	Latin1
)

// ParseEncoding reads -E's value by the names that the web knows.
func ParseEncoding(name string) (Encoding, bool) {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "auto":
		return Auto, true
	case "none":
		return Raw, true
	case "utf-8", "utf8", "unicode-1-1-utf-8":
		return UTF8, true
	case "utf-16", "utf-16le":
		return UTF16LE, true
	case "utf-16be":
		return UTF16BE, true
	case "latin1", "latin-1", "iso-8859-1", "iso8859-1", "iso_8859-1", "l1", "ascii", "us-ascii", "windows-1252", "cp1252", "x-cp1252":
		return Latin1, true
	}
	return 0, false
}

// Input reads a text as UTF-8.
type Input struct {
	r        io.Reader
	encoding Encoding
	begun    bool
	size     int64
	ended    bool
	rest     []byte // bytes of a character that is not complete
	ready    []byte // text that is decoded
	err      error
}

// NewInput reads r in an encoding.
func NewInput(r io.Reader, encoding Encoding) *Input { return &Input{r: r, encoding: encoding} }

// Size is how many bytes of text were read.
func (i *Input) Size() int64 { return i.size }

// Ended reports that the whole text was read.
func (i *Input) Ended() bool { return i.ended }

func (i *Input) Read(p []byte) (int, error) {
	n, err := i.read(p)
	i.size += int64(n)
	i.ended = i.ended || err == io.EOF
	return n, err
}

func (i *Input) read(p []byte) (int, error) {
	if !i.begun {
		i.begun = true
		if i.encoding != Raw {
			return i.first(p)
		}
	}
	if i.encoding < UTF16LE {
		return i.r.Read(p)
	}
	for len(i.ready) == 0 {
		if i.err != nil {
			return 0, i.err
		}
		block := make([]byte, 16<<10)
		n, err := i.r.Read(block)
		i.err = err
		i.decode(block[:n])
	}
	n := copy(p, i.ready)
	i.ready = i.ready[n:]
	return n, nil
}

// first reads enough to see a byte order mark, which tells the encoding
// whatever was asked for. p must have room for one.
func (i *Input) first(p []byte) (int, error) {
	n := 0
	var err error
	for n < 3 && err == nil && len(p) > 3 {
		var more int
		more, err = i.r.Read(p[n:])
		n += more
	}
	text := p[:n]
	switch {
	case bytes.HasPrefix(text, []byte{0xef, 0xbb, 0xbf}):
		i.encoding = UTF8
		return copy(p, text[3:]), err
	case bytes.HasPrefix(text, []byte{0xff, 0xfe}):
		i.encoding, text = UTF16LE, text[2:]
	case bytes.HasPrefix(text, []byte{0xfe, 0xff}):
		i.encoding, text = UTF16BE, text[2:]
	case i.encoding < UTF16LE:
		return n, err
	}
	i.err = err
	i.decode(bytes.Clone(text))
	return i.read(p)
}

// decode appends what block says to ready.
func (i *Input) decode(block []byte) {
	if i.encoding == Latin1 {
		for _, c := range block {
			i.ready = utf8.AppendRune(i.ready, windows1252(c))
		}
		return
	}
	block = append(i.rest, block...)
	for len(block) >= 2 {
		r := rune(i.unit(block))
		size := 2
		if utf16.IsSurrogate(r) {
			if len(block) < 4 && i.err == nil {
				break
			}
			next := rune(0)
			if len(block) >= 4 {
				next = rune(i.unit(block[2:]))
			}
			if r = utf16.DecodeRune(r, next); r != utf8.RuneError {
				size = 4
			}
		}
		i.ready = utf8.AppendRune(i.ready, r)
		block = block[size:]
	}
	i.rest = bytes.Clone(block)
	if i.err != nil && len(i.rest) > 0 {
		i.ready = utf8.AppendRune(i.ready, utf8.RuneError)
		i.rest = nil
	}
}

func (i *Input) unit(b []byte) uint16 {
	if i.encoding == UTF16BE {
		return uint16(b[0])<<8 | uint16(b[1])
	}
	return uint16(b[1])<<8 | uint16(b[0])
}

// windows1252 differs from Latin-1 between 0x80 and 0x9f.
func windows1252(c byte) rune {
	if c < 0x80 || c > 0x9f {
		return rune(c)
	}
	return []rune("€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ")[c-0x80]
}
