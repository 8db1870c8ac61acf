package builtins

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/vsh-project/vsh/internal/strftime"
)

// fileMagic is the beginning of a file that is looked at.
type fileMagic struct {
	data []byte
	tail []byte // the last four bytes, where they are known
	size int64  // -1: not known
	zone *time.Location
}

func (m fileMagic) has(at int, text string) bool {
	return len(m.data) >= at+len(text) && string(m.data[at:at+len(text)]) == text
}

func (m fileMagic) examine() fileResult {
	switch {
	case len(m.data) == 0:
		return fileResult{text: "empty", mime: "inode/x-empty", encoding: "binary"}
	case len(m.data) == 1:
		return fileResult{text: "very short file (no magic)", mime: "application/octet-stream", encoding: "binary"}
	}
	text := classifyText(m.data)
	encoding := text.mime
	if r := m.archive(); r.text != "" {
		r.encoding = encoding
		return r
	}
	if text.name != "" {
		if r, ok := m.structured(); ok {
			r.encoding = encoding
			return r
		}
	}
	r := m.binary()
	if r.text == "" && text.name != "" {
		return text.describe(m.text(text))
	}
	if r.text == "" {
		r = fileResult{text: "data", mime: "application/octet-stream"}
	}
	r.encoding = encoding
	return r
}

func (m fileMagic) archive() fileResult {
	const block = 512
	if len(m.data) < block {
		return fileResult{}
	}
	sum := int64(0)
	for i, b := range m.data[:block] {
		if i >= 148 && i < 156 {
			b = ' '
		}
		sum += int64(b)
	}
	want := int64(-1)
	if field := strings.Trim(string(m.data[148:156]), " \x00"); field != "" {
		want = 0
		for _, c := range []byte(field) {
			if c < '0' || c > '7' {
				return fileResult{}
			}
			want = want*8 + int64(c-'0')
		}
	}
	if sum != want {
		return fileResult{}
	}
	r := fileResult{text: "tar archive", mime: "application/x-tar"}
	switch {
	case m.has(257, "ustar  \x00"):
		r.text = "POSIX tar archive (GNU)"
	case m.has(257, "ustar\x00"):
		r.text = "POSIX tar archive"
	}
	return r
}

// binary knows the headers of what is not text, and of a few texts that are
// described as a whole.
func (m fileMagic) binary() fileResult {
	d := m.data
	le, be := binary.LittleEndian, binary.BigEndian
	at := func(n int) bool { return len(d) >= n }
	switch {
	case m.has(0, "\x1f\x8b"):
		return fileResult{text: m.gzip(), mime: "application/gzip"}
	case m.has(0, "BZh"):
		r := fileResult{text: "bzip2 compressed data", mime: "application/x-bzip2"}
		if at(4) && d[3] > '0' && d[3] <= '9' {
			r.text += fmt.Sprintf(", block size = %c00k", d[3])
		}
		return r
	case m.has(0, "\xfd7zXZ\x00"):
		r := fileResult{text: "XZ compressed data", mime: "application/x-xz"}
		if at(8) {
			r.text += map[byte]string{0: ", checksum NONE", 1: ", checksum CRC32", 4: ", checksum CRC64", 10: ", checksum SHA-256"}[d[7]&15]
		}
		return r
	case m.has(0, "\x28\xb5\x2f\xfd"):
		return fileResult{text: "Zstandard compressed data (v0.8+), Dictionary ID: None", mime: "application/zstd"}
	case m.has(0, "\x04\x22\x4d\x18"):
		return fileResult{text: "LZ4 compressed data (v1.4+)", mime: "application/x-lz4"}
	case m.has(0, "\x1f\x9d") && at(3):
		return fileResult{text: fmt.Sprintf("compress'd data %d bits", d[2]&0x1f), mime: "application/x-compress"}
	case m.has(0, "7z\xbc\xaf\x27\x1c") && at(8):
		return fileResult{text: fmt.Sprintf("7-zip archive data, version %d.%d", d[6], d[7]), mime: "application/x-7z-compressed"}
	case m.has(0, "Rar!\x1a\x07"):
		r := fileResult{text: "RAR archive data", mime: "application/x-rar"}
		if m.has(6, "\x01\x00") {
			r.text += ", v5"
		}
		return r
	case m.has(0, "PK\x03\x04"), m.has(0, "PK\x05\x06"):
		return m.zip()
	case m.has(0, "!<arch>\ndebian-binary"):
		return fileResult{text: "Debian binary package", mime: "application/vnd.debian.binary-package"}
	case m.has(0, "!<arch>\n"):
		return fileResult{text: "current ar archive", mime: "application/x-archive"}
	case m.has(0, "070701"):
		return fileResult{text: "ASCII cpio archive (SVR4 with no CRC)", mime: "application/x-cpio"}
	case m.has(0, "\x89PNG\r\n\x1a\n") && at(29) && m.has(12, "IHDR"):
		kind := "-bit" + map[byte]string{0: " grayscale", 2: "/color RGB", 3: " colormap", 4: " gray+alpha", 6: "/color RGBA"}[d[25]]
		interlaced := "non-interlaced"
		if d[28] == 1 {
			interlaced = "interlaced"
		}
		return fileResult{text: fmt.Sprintf("PNG image data, %d x %d, %d%s, %s", be.Uint32(d[16:]), be.Uint32(d[20:]), d[24], kind, interlaced), mime: "image/png"}
	case m.has(0, "GIF8") && at(8) && !at(10):
		return fileResult{text: fmt.Sprintf("GIF image data, version %s, %d x", d[3:6], le.Uint16(d[6:])), mime: "image/gif"}
	case m.has(0, "GIF8") && at(6) && !at(10):
		return fileResult{text: fmt.Sprintf("GIF image data, version %s,", d[3:6]), mime: "image/gif"}
	case m.has(0, "GIF8") && at(10):
		return fileResult{text: fmt.Sprintf("GIF image data, version %s, %d x %d", d[3:6], le.Uint16(d[6:]), le.Uint16(d[8:])), mime: "image/gif"}
	case m.has(0, "\xff\xd8\xff"):
		return fileResult{text: m.jpeg(), mime: "image/jpeg"}
	case m.has(0, "%PDF-") && at(8):
		return fileResult{text: "PDF document, version " + string(d[5:8]), mime: "application/pdf"}
	case m.has(0, "BM") && at(30) && d[14] == 40:
		return fileResult{text: fmt.Sprintf("PC bitmap, Windows 3.x format, %d x %d x %d", int32(le.Uint32(d[18:])), int32(le.Uint32(d[22:])), le.Uint16(d[28:])) + m.bitmap(), mime: "image/bmp"}
	case m.has(0, "RIFF") && at(12):
		return m.riff()
	case m.has(0, "OggS"):
		return fileResult{text: "Ogg data", mime: "application/ogg"}
	case m.has(0, "fLaC"):
		return fileResult{text: "FLAC audio bitstream data", mime: "audio/flac"}
	case m.has(0, "ID3") && at(5):
		return fileResult{text: fmt.Sprintf("Audio file with ID3 version 2.%d.%d", d[3], d[4]), mime: "audio/mpeg"}
	case m.has(4, "ftyp") && at(12):
		return m.movie()
	case m.has(0, "II*\x00"), m.has(0, "MM\x00*"):
		order, entries := "little-endian", uint16(0)
		if at(10) {
			entries = le.Uint16(d[8:])
		}
		if d[0] == 'M' {
			if order = "big-endian"; at(10) {
				entries = be.Uint16(d[8:])
			}
		}
		return fileResult{text: fmt.Sprintf("TIFF image data, %s, direntries=%d", order, entries), mime: "image/tiff"}
	case m.has(0, "\x7fELF") && at(20):
		return m.elf()
	case m.has(0, "\xca\xfe\xba\xbe") && at(8) && be.Uint16(d[6:]) >= 45:
		major := be.Uint16(d[6:])
		java := fmt.Sprintf("Java SE %d", major-44)
		if major < 53 {
			java = fmt.Sprintf("Java 1.%d", major-44)
		}
		return fileResult{text: fmt.Sprintf("compiled Java class data, version %d.%d (%s)", major, be.Uint16(d[4:]), java), mime: "application/x-java-applet"}
	case m.has(0, "\xcf\xfa\xed\xfe") && at(16):
		cpu := map[uint32]string{0x01000007: "x86_64", 0x0100000c: "arm64"}[le.Uint32(d[4:])]
		kind := map[uint32]string{1: "object", 2: "executable", 6: "dynamically linked shared library", 8: "bundle"}[le.Uint32(d[12:])]
		return fileResult{text: "Mach-O 64-bit " + cpu + " " + kind, mime: "application/x-mach-binary"}
	case m.has(0, "SQLite format 3\x00"):
		return m.sqlite()
	case m.has(0, "\x00asm") && at(8):
		return fileResult{text: fmt.Sprintf("WebAssembly (wasm) binary module version %#x (MVP)", le.Uint32(d[4:])), mime: "application/wasm"}
	case m.has(0, "wOFF"):
		return fileResult{text: "Web Open Font Format, TrueType", mime: "font/woff"}
	case m.has(0, "wOF2"):
		return fileResult{text: "Web Open Font Format (Version 2), TrueType", mime: "font/woff2"}
	case m.has(0, "OTTO"):
		return fileResult{text: "OpenType font data", mime: "application/vnd.ms-opentype"}
	case m.has(0, "PACK") && at(12):
		return fileResult{text: fmt.Sprintf("Git pack, version %d, %d objects", be.Uint32(d[4:]), be.Uint32(d[8:])), mime: "application/x-git"}
	case m.has(0, "DIRC") && at(12):
		return fileResult{text: fmt.Sprintf("Git index, version %d, %d entries", be.Uint32(d[4:]), be.Uint32(d[8:])), mime: "application/octet-stream"}
	case m.has(0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
		return fileResult{text: "OLE 2 Compound Document", mime: "application/octet-stream"}
	case m.has(0, "MThd") && at(14):
		return fileResult{text: fmt.Sprintf("Standard MIDI data (format %d) using %d track%s at 1/%d", be.Uint16(d[8:]), be.Uint16(d[10:]), ddPlural(uint64(be.Uint16(d[10:]))), be.Uint16(d[12:])), mime: "audio/midi"}
	case m.has(0, "TZif"):
		return fileResult{text: "timezone data (fat)", mime: "application/octet-stream"}
	}
	return fileResult{}
}

// gzip describes the header; the zone is that of the times shown.
func (m fileMagic) gzip() string {
	d := m.data
	text := "gzip compressed data"
	if len(d) < 10 {
		return text
	}
	flags, at := d[3], 10
	if flags&1 != 0 {
		text += ", ASCII"
	}
	if flags&2 != 0 {
		text += ", has CRC"
	}
	if flags&4 != 0 {
		text += ", extra field"
		if len(d) >= 12 {
			at += 2 + int(binary.LittleEndian.Uint16(d[10:]))
		}
	}
	if flags&8 != 0 && at < len(d) {
		name, _, _ := bytes.Cut(d[at:], []byte{0})
		text += `, was "` + string(name[:min(len(name), 512)]) + `"`
	}
	if flags&16 != 0 {
		text += ", has comment"
	}
	if seconds := binary.LittleEndian.Uint32(d[4:]); seconds > 0 {
		text += ", last modified: " + strftime.Format("%a %b %e %H:%M:%S %Y", time.Unix(int64(seconds), 0).In(m.zone), true)
	}
	switch d[8] {
	case 2:
		text += ", max compression"
	case 4:
		text += ", max speed"
	}
	switch d[9] {
	case 0:
		text += ", from FAT filesystem (MS-DOS, OS/2, NT)"
	case 3:
		text += ", from Unix"
	case 7:
		text += ", from MacOS"
	case 11:
		text += ", from NTFS filesystem (NT)"
	}
	if m.tail != nil {
		text += fmt.Sprintf(", original size modulo 2^32 %d", binary.LittleEndian.Uint32(m.tail))
	}
	return text
}

func (m fileMagic) zip() fileResult {
	d := m.data
	if m.has(0, "PK\x05\x06") {
		return fileResult{text: "Zip archive data (empty)", mime: "application/zip"}
	}
	r := fileResult{text: "Zip archive data", mime: "application/zip"}
	if len(d) < 30 {
		return r
	}
	name := d[30:min(len(d), 30+int(binary.LittleEndian.Uint16(d[26:])))]
	rest := d[30+len(name):]
	office := func(folder, kind, mime string) bool {
		if !bytes.Contains(d, []byte(folder)) {
			return false
		}
		r = fileResult{text: kind, mime: "application/vnd.openxmlformats-officedocument." + mime}
		return true
	}
	switch string(name) {
	case "META-INF/", "META-INF/MANIFEST.MF":
		return fileResult{text: "Java archive data (JAR)", mime: "application/java-archive"}
	case "mimetype":
		switch {
		case bytes.HasPrefix(rest, []byte("application/epub+zip")):
			return fileResult{text: "EPUB document", mime: "application/epub+zip"}
		case bytes.HasPrefix(rest, []byte("application/vnd.oasis.opendocument.text")):
			return fileResult{text: "OpenDocument Text", mime: "application/vnd.oasis.opendocument.text"}
		case bytes.HasPrefix(rest, []byte("application/vnd.oasis.opendocument.spreadsheet")):
			return fileResult{text: "OpenDocument Spreadsheet", mime: "application/vnd.oasis.opendocument.spreadsheet"}
		}
	case "[Content_Types].xml", "_rels/.rels", "docProps/app.xml", "docProps/core.xml":
		if office("word/", "Microsoft Word 2007+", "wordprocessingml.document") || office("xl/", "Microsoft Excel 2007+", "spreadsheetml.sheet") ||
			office("ppt/", "Microsoft PowerPoint 2007+", "presentationml.presentation") {
			return r
		}
		return fileResult{text: "Microsoft OOXML", mime: "application/octet-stream"}
	}
	version := d[4]
	r.text += fmt.Sprintf(", at least v%d.%d to extract", version/10, version%10)
	switch method := binary.LittleEndian.Uint16(d[8:]); method {
	case 0:
		r.text += ", compression method=store"
	case 8:
		r.text += ", compression method=deflate"
	case 12:
		r.text += ", compression method=bzip2"
	case 14:
		r.text += ", compression method=lzma"
	}
	return r
}

func (m fileMagic) jpeg() string {
	d := m.data
	be := binary.BigEndian
	text := "JPEG image data"
	switch {
	case m.has(6, "JFIF") && len(d) >= 18:
		text += fmt.Sprintf(", JFIF standard %d.%02d", d[11], d[12])
		text += [...]string{", aspect ratio", ", resolution (DPI)", ", resolution (DPCM)", ""}[min(d[13], 3)]
		text += fmt.Sprintf(", density %dx%d, segment length %d", be.Uint16(d[14:]), be.Uint16(d[16:]), be.Uint16(d[4:]))
		if len(d) >= 20 && (d[18] != 0 || d[19] != 0) {
			text += fmt.Sprintf(", thumbnail %dx%d", d[18], d[19])
		}
	case m.has(6, "Exif\x00\x00"):
		inner := fileMagic{data: d[12:], size: -1}.binary()
		text += ", Exif standard: [" + inner.text + "]"
	}
	// The frame's header tells the size.
	for at := 2; at+10 <= len(d) && d[at] == 0xff; {
		marker := d[at+1]
		if marker >= 0xc0 && marker <= 0xc3 {
			kind := [...]string{"baseline", "extended sequential", "progressive", "lossless"}[marker-0xc0]
			return text + fmt.Sprintf(", %s, precision %d, %dx%d, components %d", kind, d[at+4], be.Uint16(d[at+7:]), be.Uint16(d[at+5:]), d[at+9])
		}
		at += 2 + int(be.Uint16(d[at+2:]))
	}
	return text
}

func (m fileMagic) bitmap() string {
	if len(m.data) < 54 {
		return ""
	}
	le, text := binary.LittleEndian, ""
	if n := le.Uint32(m.data[34:]); n > 0 {
		text += fmt.Sprintf(", image size %d", n)
	}
	if n := le.Uint32(m.data[38:]); n > 0 {
		text += fmt.Sprintf(", resolution %d x %d px/m", n, le.Uint32(m.data[42:]))
	}
	return text + fmt.Sprintf(", cbSize %d, bits offset %d", le.Uint32(m.data[2:]), le.Uint32(m.data[10:]))
}

func (m fileMagic) riff() fileResult {
	d, le := m.data, binary.LittleEndian
	r := fileResult{text: "RIFF (little-endian) data", mime: "application/octet-stream"}
	switch string(d[8:12]) {
	case "WEBP":
		return fileResult{text: r.text + ", Web/P image", mime: "image/webp"}
	case "AVI ":
		return fileResult{text: r.text + ", AVI", mime: "video/x-msvideo"}
	case "WAVE":
		r = fileResult{text: r.text + ", WAVE audio", mime: "audio/x-wav"}
		if m.has(12, "fmt ") && len(d) >= 36 && le.Uint16(d[20:]) == 1 {
			r.text += ", Microsoft PCM"
			if bits := le.Uint16(d[34:]); bits > 0 {
				r.text += fmt.Sprintf(", %d bit", bits)
			}
			switch channels := le.Uint16(d[22:]); channels {
			case 1:
				r.text += ", mono"
			case 2:
				r.text += ", stereo"
			default:
				r.text += fmt.Sprintf(", %d channels", channels)
			}
			r.text += fmt.Sprintf(" %d Hz", le.Uint32(d[24:]))
		}
	}
	return r
}

func (m fileMagic) movie() fileResult {
	r := fileResult{text: "ISO Media", mime: "video/mp4"}
	switch brand := string(m.data[8:12]); brand {
	case "isom":
		r.text += ", MP4 Base Media v1 [ISO 14496-12:2003]"
	case "iso2":
		r.text += ", MP4 Base Media v2 [ISO 14496-12:2005]"
	case "mp41":
		r.text += ", MP4 v1 [ISO 14496-1:ch13]"
	case "mp42":
		r.text += ", MP4 v2 [ISO 14496-14]"
	case "qt  ":
		r = fileResult{text: r.text + ", Apple QuickTime movie, Apple QuickTime (.MOV/QT)", mime: "video/quicktime"}
	case "M4A ":
		r = fileResult{text: r.text + ", Apple iTunes ALAC/AAC-LC (.M4A) Audio", mime: "audio/x-m4a"}
	}
	return r
}

func (m fileMagic) sqlite() fileResult {
	r := fileResult{text: "SQLite 3.x database", mime: "application/vnd.sqlite3"}
	d, be := m.data, binary.BigEndian
	if len(d) < 100 {
		return r
	}
	u := func(at int) uint32 { return be.Uint32(d[at:]) }
	if id := u(68); id != 0 {
		r.text += fmt.Sprintf(", application id %d", id)
	}
	if v := u(60); v != 0 {
		r.text += fmt.Sprintf(", user version %d", v)
	}
	r.text += fmt.Sprintf(", last written using SQLite version %d", u(96))
	if size := be.Uint16(d[16:]); size != 4096 {
		r.text += fmt.Sprintf(", page size %d", size)
	}
	r.text += fmt.Sprintf(", file counter %d, database pages %d", u(24), u(28))
	if n := u(32); n != 0 {
		r.text += fmt.Sprintf(", 1st free page %d, free pages %d", n, u(36))
	}
	r.text += fmt.Sprintf(", cookie %#x, schema %d", u(40), u(44))
	switch u(56) {
	case 1:
		r.text += ", UTF-8"
	case 2:
		r.text += ", UTF-16 little endian"
	case 3:
		r.text += ", UTF-16 big endian"
	}
	return fileResult{text: r.text + fmt.Sprintf(", version-valid-for %d", u(92)), mime: r.mime}
}

func (m fileMagic) elf() fileResult {
	d := m.data
	r := fileResult{text: "ELF", mime: "application/octet-stream"}
	order := binary.ByteOrder(binary.LittleEndian)
	switch d[4] {
	case 1:
		r.text += " 32-bit"
	case 2:
		r.text += " 64-bit"
	}
	switch d[5] {
	case 1:
		r.text += " LSB"
	case 2:
		r.text += " MSB"
		order = binary.BigEndian
	}
	file, err := elf.NewFile(bytes.NewReader(d))
	interpreter, dynamic := "", false
	if err == nil {
		for _, p := range file.Progs {
			dynamic = dynamic || p.Type == elf.PT_DYNAMIC
			if p.Type == elf.PT_INTERP && p.Filesz < 4096 {
				text := make([]byte, p.Filesz)
				if _, err := p.ReadAt(text, 0); err == nil {
					interpreter = strings.TrimRight(string(text), "\x00")
				}
			}
		}
	}
	switch order.Uint16(d[16:]) {
	case 1:
		r.text, r.mime = r.text+" relocatable", "application/x-object"
	case 2:
		r.text, r.mime = r.text+" executable", "application/x-executable"
	case 3:
		if interpreter != "" {
			r.text, r.mime = r.text+" pie executable", "application/x-pie-executable"
		} else {
			r.text, r.mime = r.text+" shared object", "application/x-sharedlib"
		}
	case 4:
		r.text, r.mime = r.text+" core file", "application/x-coredump"
	}
	switch machine := order.Uint16(d[18:]); machine {
	case 3:
		r.text += ", Intel 80386"
	case 40:
		r.text += ", ARM"
	case 62:
		r.text += ", x86-64"
	case 183:
		r.text += ", ARM aarch64"
	case 243:
		r.text += ", UCB RISC-V"
	}
	r.text += fmt.Sprintf(", version %d", d[6])
	switch d[7] {
	case 0:
		r.text += " (SYSV)"
	case 3:
		r.text += " (GNU/Linux)"
	}
	if err != nil || file.Type == elf.ET_REL && len(file.Progs) == 0 {
		if err == nil {
			r.text += elfStripped(file)
		}
		return r
	}
	if dynamic {
		r.text += ", dynamically linked"
	} else {
		r.text += ", statically linked"
	}
	if interpreter != "" {
		r.text += ", interpreter " + interpreter
	}
	for _, s := range file.Sections {
		if s.Type != elf.SHT_NOTE || s.Size > 4096 {
			continue
		}
		note, err := s.Data()
		if err != nil || len(note) < 16 || string(note[12:15]) != "GNU" {
			continue
		}
		size, kind := int(order.Uint32(note[4:])), order.Uint32(note[8:])
		if len(note) < 16+size {
			continue
		}
		switch {
		case kind == 3:
			r.text += ", BuildID[sha1]=" + hex.EncodeToString(note[16:16+size])
		case kind == 1 && size >= 16:
			r.text += fmt.Sprintf(", for GNU/Linux %d.%d.%d", order.Uint32(note[20:]), order.Uint32(note[24:]), order.Uint32(note[28:]))
		}
	}
	r.text += elfStripped(file)
	return r
}

func elfStripped(file *elf.File) string {
	text := ", stripped"
	for _, s := range file.Sections {
		if s.Type == elf.SHT_SYMTAB {
			text = ", not stripped"
		}
	}
	if file.Section(".debug_info") != nil {
		text = ", with debug_info" + text
	}
	return text
}
