package builtins

import (
	"sort"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

type iconvState uint8

const (
	iconvGood  iconvState = iota
	iconvBad              // no character begins so
	iconvShort            // the character goes on beyond the bytes given
)

// iconvDecoder reads one character of the bytes. A mark of byte order is the
// character -1.
type iconvDecoder interface {
	next(p []byte) (c rune, size int, state iconvState)
}

// iconvEncoder appends one character; ok is false where the encoding lacks it.
type iconvEncoder interface {
	add(p []byte, c rune) (row []byte, ok bool)
}

// iconvCodec finds an encoding by its name in capitals.
func iconvCodec(name string) (iconvDecoder, iconvEncoder) {
	switch name {
	case "UTF-8", "UTF8", "ISO-10646/UTF8", "ISO-10646/UTF-8", "ISO-IR-193":
		return iconvUTF8{}, iconvUTF8{}
	case "ASCII", "US-ASCII", "ANSI_X3.4-1968", "646", "ISO646-US", "ISO-IR-6", "CP367", "IBM367", "US", "ISO_646.IRV:1991", "ANSI_X3.4-1986", "CSASCII":
		return iconvASCII{}, iconvASCII{}
	case "ISO-8859-1", "ISO8859-1", "ISO_8859-1", "ISO_8859-1:1987", "ISO88591", "LATIN1", "L1", "ISO-IR-100", "CP819", "IBM819", "8859_1", "CSISOLATIN1":
		return iconvLatin1{}, iconvLatin1{}
	}
	for _, w := range iconvWides() {
		for _, alias := range strings.Fields(w.names) {
			if alias == name {
				wide := w.wide
				return &wide, &iconvWideEncoder{wide: w.wide}
			}
		}
	}
	for _, m := range iconvCharmaps() {
		for _, alias := range strings.Fields(m.names) {
			if alias == name {
				c := iconvCharmap{m.table, strings.HasPrefix(name, "CP125") || strings.HasPrefix(name, "WINDOWS")}
				return c, c
			}
		}
	}
	for _, m := range iconvMultibytes() {
		for _, alias := range strings.Fields(m.names) {
			if alias == name {
				c := &iconvMultibyte{decoder: m.encoding.NewDecoder(), encoder: m.encoding.NewEncoder(), long: m.long}
				return c, c
			}
		}
	}
	return nil, nil
}

func iconvNames() []string {
	names := strings.Fields("ASCII UTF-8 ISO-8859-1")
	for _, w := range iconvWides() {
		names = append(names, strings.Fields(w.names)...)
	}
	for _, m := range iconvCharmaps() {
		names = append(names, strings.Fields(m.names)...)
	}
	for _, m := range iconvMultibytes() {
		names = append(names, strings.Fields(m.names)...)
	}
	sort.Strings(names)
	return names
}

type iconvUTF8 struct{}

func (iconvUTF8) next(p []byte) (rune, int, iconvState) {
	if p[0] < utf8.RuneSelf {
		return rune(p[0]), 1, iconvGood
	}
	r, n := utf8.DecodeRune(p)
	switch {
	case r != utf8.RuneError || n > 1:
		return r, n, iconvGood
	case !utf8.FullRune(p):
		return 0, len(p), iconvShort
	}
	return 0, 1, iconvBad
}

func (iconvUTF8) add(p []byte, c rune) ([]byte, bool) { return utf8.AppendRune(p, c), true }

type iconvASCII struct{}

func (iconvASCII) next(p []byte) (rune, int, iconvState) {
	if p[0] >= 0x80 {
		return 0, 1, iconvBad
	}
	return rune(p[0]), 1, iconvGood
}

func (iconvASCII) add(p []byte, c rune) ([]byte, bool) {
	if c >= 0x80 {
		return p, false
	}
	return append(p, byte(c)), true
}

type iconvLatin1 struct{}

func (iconvLatin1) next(p []byte) (rune, int, iconvState) { return rune(p[0]), 1, iconvGood }
func (iconvLatin1) add(p []byte, c rune) ([]byte, bool) {
	if c >= 0x100 {
		return p, false
	}
	return append(p, byte(c)), true
}

// iconvWide is UTF-16, UTF-32 and their kin.
type iconvWide struct {
	unit    int
	big     bool
	mark    bool // the order is told by a mark
	pairs   bool // UTF-16's
	started bool
}

type iconvWideName struct {
	names string
	wide  iconvWide
}

func iconvWides() []iconvWideName {
	return []iconvWideName{
		{"UTF-16 UTF16", iconvWide{unit: 2, mark: true, pairs: true}},
		{"UTF-16LE UTF16LE", iconvWide{unit: 2, pairs: true}},
		{"UTF-16BE UTF16BE", iconvWide{unit: 2, pairs: true, big: true}},
		{"UNICODE", iconvWide{unit: 2, mark: true}},
		{"UCS-2 UCS2 ISO-10646-UCS-2 ISO-10646/UCS2 UCS-2LE UCS2LE UNICODELITTLE", iconvWide{unit: 2}},
		{"UCS-2BE UCS2BE UNICODEBIG", iconvWide{unit: 2, big: true}},
		{"UTF-32 UTF32", iconvWide{unit: 4, mark: true}},
		{"UTF-32LE UTF32LE UCS-4LE UCS4LE WCHAR_T INTERNAL", iconvWide{unit: 4}},
		{"UTF-32BE UTF32BE UCS-4 UCS4 UCS-4BE UCS4BE ISO-10646 10646-1:1993 ISO-10646/UCS4", iconvWide{unit: 4, big: true}},
	}
}

func (w *iconvWide) read(p []byte) rune {
	var v uint32
	for i := range w.unit {
		b := uint32(p[i])
		if w.big {
			v = v<<8 | b
		} else {
			v |= b << (8 * i)
		}
	}
	return rune(v)
}

func (w *iconvWide) next(p []byte) (rune, int, iconvState) {
	if len(p) < w.unit {
		return 0, len(p), iconvShort
	}
	c := w.read(p)
	if !w.started {
		w.started = true
		if w.mark {
			swapped := *w
			swapped.big = !w.big
			if c == 0xfeff {
				return -1, w.unit, iconvGood
			}
			if swapped.read(p) == 0xfeff {
				w.big = swapped.big
				return -1, w.unit, iconvGood
			}
		}
	}
	if w.pairs && c >= 0xd800 && c < 0xdc00 {
		if len(p) < 4 {
			return 0, len(p), iconvShort
		}
		low := w.read(p[2:])
		if low < 0xdc00 || low > 0xdfff {
			return 0, 2, iconvBad
		}
		return (c-0xd800)<<10 | (low - 0xdc00) + 0x10000, 4, iconvGood
	}
	if c >= 0xd800 && c < 0xe000 || c < 0 || c > utf8.MaxRune {
		return 0, w.unit, iconvBad
	}
	return c, w.unit, iconvGood
}

type iconvWideEncoder struct{ wide iconvWide }

func (e *iconvWideEncoder) put(p []byte, c rune) []byte {
	for i := range e.wide.unit {
		shift := 8 * i
		if e.wide.big {
			shift = 8 * (e.wide.unit - 1 - i)
		}
		p = append(p, byte(c>>shift))
	}
	return p
}

func (e *iconvWideEncoder) begin(p []byte) []byte {
	if e.wide.mark && !e.wide.started {
		p = e.put(p, 0xfeff)
	}
	e.wide.started = true
	return p
}

func (e *iconvWideEncoder) add(p []byte, c rune) ([]byte, bool) {
	p = e.begin(p)
	switch {
	case e.wide.unit == 4 || c < 0x10000:
		return e.put(p, c), true
	case !e.wide.pairs:
		return p, false
	}
	c -= 0x10000
	return e.put(e.put(p, 0xd800+c>>10), 0xdc00+c&0x3ff), true
}

type iconvCharmapName struct {
	names string
	table *charmap.Charmap
}

func iconvCharmaps() []iconvCharmapName {
	return []iconvCharmapName{
		{"ISO-8859-2 ISO8859-2 ISO_8859-2 LATIN2 L2", charmap.ISO8859_2}, {"ISO-8859-3 ISO8859-3 ISO_8859-3 LATIN3 L3", charmap.ISO8859_3},
		{"ISO-8859-4 ISO8859-4 ISO_8859-4 LATIN4 L4", charmap.ISO8859_4}, {"ISO-8859-5 ISO8859-5 ISO_8859-5 CYRILLIC", charmap.ISO8859_5},
		{"ISO-8859-6 ISO8859-6 ISO_8859-6 ARABIC", charmap.ISO8859_6}, {"ISO-8859-7 ISO8859-7 ISO_8859-7 GREEK", charmap.ISO8859_7},
		{"ISO-8859-8 ISO8859-8 ISO_8859-8 HEBREW", charmap.ISO8859_8}, {"ISO-8859-9 ISO8859-9 ISO_8859-9 LATIN5 L5", charmap.ISO8859_9},
		{"ISO-8859-10 ISO8859-10 LATIN6 L6", charmap.ISO8859_10}, {"ISO-8859-13 ISO8859-13 LATIN7 L7", charmap.ISO8859_13},
		{"ISO-8859-14 ISO8859-14 LATIN8 L8", charmap.ISO8859_14}, {"ISO-8859-15 ISO8859-15 ISO_8859-15 LATIN-9 LATIN9", charmap.ISO8859_15},
		{"ISO-8859-16 ISO8859-16 LATIN10 L10", charmap.ISO8859_16}, {"KOI8-R KOI8R", charmap.KOI8R}, {"KOI8-U KOI8U", charmap.KOI8U},
		{"CP437 IBM437 437", charmap.CodePage437}, {"CP850 IBM850 850", charmap.CodePage850}, {"CP852 IBM852 852", charmap.CodePage852},
		{"CP855 IBM855 855", charmap.CodePage855}, {"CP858", charmap.CodePage858}, {"CP860 IBM860", charmap.CodePage860}, {"CP862 IBM862", charmap.CodePage862},
		{"CP863 IBM863", charmap.CodePage863}, {"CP865 IBM865", charmap.CodePage865}, {"CP866 IBM866 866", charmap.CodePage866},
		{"MACINTOSH MAC", charmap.Macintosh}, {"MAC-CYRILLIC", charmap.MacintoshCyrillic}, {"CP874 WINDOWS-874", charmap.Windows874},
		{"CP1250 WINDOWS-1250", charmap.Windows1250}, {"CP1251 WINDOWS-1251", charmap.Windows1251}, {"CP1252 WINDOWS-1252 MS-ANSI", charmap.Windows1252},
		{"CP1253 WINDOWS-1253", charmap.Windows1253}, {"CP1254 WINDOWS-1254", charmap.Windows1254}, {"CP1255 WINDOWS-1255", charmap.Windows1255},
		{"CP1256 WINDOWS-1256", charmap.Windows1256}, {"CP1257 WINDOWS-1257", charmap.Windows1257}, {"CP1258 WINDOWS-1258", charmap.Windows1258},
	}
}

// iconvCharmap is an encoding of one byte a character. Windows' sets have holes
// that the table fills with control characters.
type iconvCharmap struct {
	table *charmap.Charmap
	holes bool
}

func (m iconvCharmap) next(p []byte) (rune, int, iconvState) {
	c := m.table.DecodeByte(p[0])
	if c == utf8.RuneError || m.holes && c >= 0x80 && c < 0xa0 {
		return 0, 1, iconvBad
	}
	return c, 1, iconvGood
}

func (m iconvCharmap) add(p []byte, c rune) ([]byte, bool) {
	b, ok := m.table.EncodeRune(c)
	if !ok || m.holes && c >= 0x80 && c < 0xa0 {
		return p, false
	}
	return append(p, b), true
}

type iconvMultibyteName struct {
	names    string
	encoding encoding.Encoding
	long     int
}

func iconvMultibytes() []iconvMultibyteName {
	return []iconvMultibyteName{
		{"SHIFT_JIS SHIFT-JIS SJIS CP932 MS_KANJI", japanese.ShiftJIS, 2}, {"EUC-JP EUCJP", japanese.EUCJP, 3}, {"EUC-KR EUCKR CP949 UHC", korean.EUCKR, 2},
		{"GBK CP936 GB2312 EUC-CN EUCCN", simplifiedchinese.GBK, 2}, {"GB18030", simplifiedchinese.GB18030, 4}, {"BIG5 BIG-5 CP950", traditionalchinese.Big5, 2},
	}
}

// iconvMultibyte is an encoding of several bytes a character, without states.
type iconvMultibyte struct {
	decoder *encoding.Decoder
	encoder *encoding.Encoder
	long    int
	buffer  [16]byte
}

func (m *iconvMultibyte) next(p []byte) (rune, int, iconvState) {
	if p[0] < 0x80 {
		return rune(p[0]), 1, iconvGood
	}
	for n := 1; n <= min(m.long, len(p)); n++ {
		m.decoder.Reset()
		written, read, err := m.decoder.Transform(m.buffer[:], p[:n], false)
		if err != nil || read != n {
			continue
		}
		c, size := utf8.DecodeRune(m.buffer[:written])
		if size == written && c != utf8.RuneError {
			return c, n, iconvGood
		}
	}
	if len(p) < m.long {
		return 0, len(p), iconvShort
	}
	return 0, 1, iconvBad
}

func (m *iconvMultibyte) add(p []byte, c rune) ([]byte, bool) {
	m.encoder.Reset()
	var text [utf8.UTFMax]byte
	n := utf8.EncodeRune(text[:], c)
	written, _, err := m.encoder.Transform(m.buffer[:], text[:n], true)
	if err != nil {
		return p, false
	}
	return append(p, m.buffer[:written]...), true
}
