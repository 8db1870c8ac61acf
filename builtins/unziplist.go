package builtins

import (
	"fmt"
	"strings"
	"time"

	"github.com/vsh-project/vsh/builtins/internal/filemode"
	"github.com/vsh-project/vsh/builtins/internal/zipfile"
)

// zipinfoOptions are zipinfo's: which lines are printed, and how.
type zipinfoOptions struct {
	format               byte // 1, 2, s, m, l or v
	header, total        bool
	comment, decimalTime bool
	chosen               bool
}

// bare reports a format of names only.
func (o *zipinfoOptions) bare() bool { return o.format == '1' || o.format == '2' }

func (u *unzipCommand) infoOption(letter byte) bool {
	switch letter {
	case '1', '2', 's', 'm', 'l', 'v':
		u.info.format, u.info.chosen = letter, true
	case 'h':
		u.info.header = true
	case 't':
		u.info.total = true
	case 'z':
		u.info.comment = true
	case 'T':
		u.info.decimalTime = true
	case 'C':
		u.noCase = true
	case 'q':
		u.quiet++
	case 'L', 'M', 'O', 'I', 'W', 'U', 'B':
	default:
		return false
	}
	return true
}

// savings is how many tenths of a percent packing has saved, rounded.
func savings(size, packed uint64) int64 {
	if size == 0 {
		return 0
	}
	saved := (int64(size) - int64(packed)) * 1000
	if saved < 0 {
		return -((-saved + int64(size)/2) / int64(size))
	}
	return (saved + int64(size)/2) / int64(size)
}

func percent(tenths int64) int64 {
	if tenths < 0 {
		return -((-tenths + 5) / 10)
	}
	return (tenths + 5) / 10
}

// methodLetter is the deflater's setting: normal, maximum, fast, superfast.
func methodLetter(e *zipfile.Entry) byte { return "NXFS"[e.Flags>>1&3] }

// shown is a member's time in the shell's zone; MS-DOS's has none.
func (u *unzipCommand) shown(e *zipfile.Entry) time.Time {
	t := e.Modified()
	if t.Equal(e.DOSTime()) && len(e.Extra) == 0 {
		return t
	}
	return t.In(u.location())
}

// short is -l and -v.
func (u *unzipCommand) short(verbose bool) {
	if u.quiet < 2 {
		if verbose {
			fmt.Fprint(u.out, " Length   Method    Size  Cmpr    Date    Time   CRC-32   Name\n--------  ------  ------- ---- ---------- ----- --------  ----\n")
		} else {
			fmt.Fprint(u.out, "  Length      Date    Time    Name\n---------  ---------- -----   ----\n")
		}
	}
	var size, packed uint64
	count := 0
	for _, e := range u.archive.Entries {
		if u.ctx.Err() != nil {
			return
		}
		if !u.matches(u.call, e.Name) {
			continue
		}
		count++
		size += e.Size
		packed += e.Packed
		when := u.shown(e).Format("2006-01-02 15:04")
		if !verbose {
			fmt.Fprintf(u.out, "%9d  %s   %s\n", e.Size, when, printable(e.Name))
			continue
		}
		method := "Stored"
		switch e.Method {
		case zipfile.Store:
		case zipfile.Deflate:
			method = "Defl:" + string(methodLetter(e))
		default:
			method = fmt.Sprintf("Unk:%03d", e.Method)
		}
		fmt.Fprintf(u.out, "%8d  %-7s%8d %3d%% %s %08x  %s\n", e.Size, method, e.Packed, percent(savings(e.Size, e.Packed)), when, e.CRC, printable(e.Name))
	}
	if count == 0 {
		u.worse(unzipNoMember)
	}
	if u.quiet > 1 {
		return
	}
	files := plural(count)
	if verbose {
		fmt.Fprintf(u.out, "--------          -------  ---                            -------\n%8d         %8d %3d%%                            %d %s\n",
			size, packed, percent(savings(size, packed)), count, files)
		return
	}
	fmt.Fprintf(u.out, "---------                     -------\n%9d                     %d %s\n", size, count, files)
}

func plural(n int) string {
	if n == 1 {
		return "file"
	}
	return "files"
}

// printable shows control characters as ^X, as unzip does in lists.
func printable(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		if c := name[i]; c < ' ' || c == 0x7f {
			b.WriteByte('^')
			b.WriteByte(c ^ 0x40)
			continue
		}
		b.WriteByte(name[i])
	}
	return b.String()
}

// zipinfo lists as zipinfo does.
func (u *unzipCommand) zipinfo() error {
	o := &u.info
	all := len(u.list) == 0 && len(u.exclude) == 0
	if !o.chosen && !o.header && !o.total {
		o.format = 's'
	}
	listing := o.chosen || o.format != 0
	header := o.format != '1' && (o.header || listing && all && !o.bare())
	total := o.format != '1' && (o.total || listing && all && !o.bare() && o.format != 'v')
	if header {
		fmt.Fprintf(u.out, "Archive:  %s\n", u.name)
		if o.format != 'v' {
			fmt.Fprintf(u.out, "Zip file size: %d bytes, number of entries: %d\n", u.archive.Size, len(u.archive.Entries))
		}
	}
	if o.comment && u.archive.Comment != "" && o.format != 'v' {
		fmt.Fprintf(u.out, "%s\n", u.archive.Comment)
	}
	if o.format == 'v' && header {
		u.longHeader()
	}
	var size, packed uint64
	count := 0
	for i, e := range u.archive.Entries {
		if err := u.ctx.Err(); err != nil {
			return err
		}
		if !u.matches(u.call, e.Name) {
			continue
		}
		count++
		size += e.Size
		packed += e.Packed
		switch {
		case !listing:
		case o.bare():
			fmt.Fprintf(u.out, "%s\n", printable(e.Name))
		case o.format == 'v':
			u.long(i, e)
		default:
			u.infoLine(e)
		}
	}
	if o.format == 'v' && header {
		fmt.Fprintln(u.out)
	}
	if total {
		tenths, sign := savings(size, packed), ""
		if tenths < 0 {
			tenths, sign = -tenths, "-"
		}
		fmt.Fprintf(u.out, "%d %s, %d bytes uncompressed, %d bytes compressed:  %s%d.%d%%\n", count, plural(count), size, packed, sign, tenths/10, tenths%10)
	}
	u.unmatched()
	return u.end()
}

// kindLetters are text or binary, and which extra fields there are.
func kindLetters(e *zipfile.Entry) string {
	kind := byte('b')
	if e.Attributes&1 != 0 {
		kind = 't'
	}
	if e.Flags&zipfile.FlagEncrypted != 0 {
		kind ^= 0x20
	}
	field := byte('-')
	switch extra := len(e.Extra) > 0; {
	case extra && e.Flags&zipfile.FlagDescriptor != 0:
		field = 'X'
	case extra:
		field = 'x'
	case e.Flags&zipfile.FlagDescriptor != 0:
		field = 'l'
	}
	return string([]byte{kind, field})
}

// modeText is how ls would show a member's mode.
func modeText(e *zipfile.Entry) string {
	if mode, unix := e.Mode(); unix {
		return unixMode(mode)
	}
	dos := e.System & 0xff
	text := []byte("-rw----")
	if dos&0x10 != 0 || e.IsDir() {
		text[0], text[3] = 'd', 'x'
	}
	if dos&1 != 0 {
		text[2] = '-'
	}
	return string(text) + "   "
}

func unixMode(mode uint32) string {
	letter := byte('?')
	switch mode & 0o170000 {
	case 0o100000:
		letter = '-'
	case 0o040000:
		letter = 'd'
	case 0o120000:
		letter = 'l'
	case 0o010000:
		letter = 'p'
	case 0o020000:
		letter = 'c'
	case 0o060000:
		letter = 'b'
	case 0o140000:
		letter = 's'
	}
	return string(letter) + filemode.String(filemode.Mode(mode & 0o7777))[1:]
}

func (u *unzipCommand) infoLine(e *zipfile.Entry) {
	system := "fat"
	if e.MadeBy>>8 == zipfile.MadeByUnix {
		system = "unx"
	}
	fmt.Fprintf(u.out, "%s  %d.%d %s %8d %s", modeText(e), e.MadeBy&0xff/10, e.MadeBy&0xff%10, system, e.Size, kindLetters(e))
	switch u.info.format {
	case 'm':
		fmt.Fprintf(u.out, " %2d%%", percent(savings(e.Size, e.Packed)))
	case 'l':
		fmt.Fprintf(u.out, " %8d", e.Packed)
	}
	method := "stor"
	switch e.Method {
	case zipfile.Store:
	case zipfile.Deflate:
		method = "def" + string(methodLetter(e))
	default:
		method = fmt.Sprintf("u%03d", e.Method)
	}
	layout := "06-Jan-02 15:04"
	if u.info.decimalTime {
		layout = "20060102.150405"
	}
	fmt.Fprintf(u.out, " %s %s %s\n", method, u.shown(e).Format(layout), printable(e.Name))
}

// longHeader is what -v says of the archive.
func (u *unzipCommand) longHeader() {
	a := u.archive
	if a.Comment == "" {
		fmt.Fprint(u.out, "There is no zipfile comment.\n")
	} else {
		fmt.Fprintf(u.out, "The zipfile comment is %d bytes long and contains the following text:\n\n"+
			"======================== zipfile comment begins ==========================\n%s\n"+
			"========================= zipfile comment ends ===========================\n", len(a.Comment), a.Comment)
	}
	entries := "entries"
	if len(a.Entries) == 1 {
		entries = "entry"
	}
	both := func(n int64) string { return fmt.Sprintf("%d (%016Xh)", n, n) }
	fmt.Fprintf(u.out, `
End-of-central-directory record:
-------------------------------

  Zip archive file size:               %26s
  Actual end-cent-dir record offset:   %26s
  Expected end-cent-dir record offset: %26s
  (based on the length of the central directory and its expected offset)

  This zipfile constitutes the sole disk of a single-part archive; its
  central directory contains %d %s.
  The central directory is %s bytes long,
  and its (expected) offset in bytes from the beginning of the zipfile
  is %s.

`, wideNumber(a.Size), wideNumber(a.End), wideNumber(a.Directory+a.DirectorySize), len(a.Entries), entries, both(a.DirectorySize), both(a.Directory))
}

// wideNumber is a number as -v's table has it, with its hexadecimal form.
func wideNumber(n int64) string { return fmt.Sprintf("%11d (%016Xh)", n, n) }

// long is -v of one member.
func (u *unzipCommand) long(i int, e *zipfile.Entry) {
	line := func(what, format string, args ...any) {
		fmt.Fprintf(u.out, "  %-48s%s\n", what+":", fmt.Sprintf(format, args...))
	}
	title := fmt.Sprintf("Central directory entry #%d:", i+1)
	fmt.Fprintf(u.out, "\n%s\n%s\n\n  %s\n\n", title, strings.Repeat("-", len(title)), printable(e.Name))
	line("offset of local header from start of archive", "%d", e.Offset)
	fmt.Fprintf(u.out, "%50s(%016Xh) bytes\n", "", e.Offset)
	system := "MS-DOS, OS/2 or NT FAT"
	if e.MadeBy>>8 == zipfile.MadeByUnix {
		system = "Unix"
	}
	line("file system or operating system of origin", "%s", system)
	line("version of encoding software", "%d.%d", e.MadeBy&0xff/10, e.MadeBy&0xff%10)
	line("minimum file system compatibility required", "MS-DOS, OS/2 or NT FAT")
	line("minimum software version required to extract", "%d.%d", e.Needs&0xff/10, e.Needs&0xff%10)
	switch e.Method {
	case zipfile.Store:
		line("compression method", "none (stored)")
	case zipfile.Deflate:
		line("compression method", "deflated")
		line("compression sub-type (deflation)", "%s", [...]string{"normal", "maximum", "fast", "superfast"}[e.Flags>>1&3])
	default:
		line("compression method", "unknown (%d)", e.Method)
	}
	yes := func(on bool, text string) string {
		if on {
			return text
		}
		return map[string]string{"encrypted": "not encrypted", "yes": "no"}[text]
	}
	line("file security status", "%s", yes(e.Flags&zipfile.FlagEncrypted != 0, "encrypted"))
	line("extended local header", "%s", yes(e.Flags&zipfile.FlagDescriptor != 0, "yes"))
	const layout = "2006 Jan 2 15:04:05"
	line("file last modified on (DOS date/time)", "%s", e.DOSTime().Format(layout))
	universal := false
	zipfile.Fields(e.Extra, func(id uint16, _ []byte) { universal = universal || id == 0x5455 })
	if universal {
		line("file last modified on (UT extra field modtime)", "%s local", e.Modified().In(u.location()).Format(layout))
		line("file last modified on (UT extra field modtime)", "%s UTC", e.Modified().Format(layout))
	}
	line("32-bit CRC value (hex)", "%08x", e.CRC)
	line("compressed size", "%d bytes", e.Packed)
	line("uncompressed size", "%d bytes", e.Size)
	line("length of filename", "%d characters", len(e.Name))
	line("length of extra field", "%d bytes", len(e.Extra))
	line("length of file comment", "%d characters", len(e.Comment))
	line("disk number on which file begins", "disk %d", e.Disk+1)
	kind := "binary"
	if e.Attributes&1 != 0 {
		kind = "text"
	}
	line("apparent file type", "%s", kind)
	if mode, unix := e.Mode(); unix {
		line(fmt.Sprintf("Unix file attributes (%06o octal)", mode), "%s", unixMode(mode))
	}
	var dos []string
	for bit, name := range [...]string{"rdo", "hid", "sys", "lab", "dir", "arc"} {
		if e.System>>bit&1 != 0 {
			dos = append(dos, name)
		}
	}
	text := strings.Join(dos, " ")
	if text == "" {
		text = "none"
	} else {
		text += " "
	}
	line(fmt.Sprintf("MS-DOS file attributes (%02X hex)", e.System&0xff), "%s", text)
	u.longExtra(e)
	if e.Comment == "" {
		fmt.Fprint(u.out, "\n  There is no file comment.\n")
		return
	}
	fmt.Fprintf(u.out, "\n------------------------- file comment begins ----------------------------\n%s\n"+
		"-------------------------- file comment ends -----------------------------\n", e.Comment)
}

func (u *unzipCommand) longExtra(e *zipfile.Entry) {
	if len(e.Extra) == 0 {
		return
	}
	fmt.Fprint(u.out, "\n  The central-directory extra field contains:\n")
	zipfile.Fields(e.Extra, func(id uint16, data []byte) {
		name := "unknown"
		switch id {
		case 0x0001:
			name = "PKWARE 64-bit sizes"
		case 0x5455:
			name = "universal time"
		case 0x7875:
			name = "Unix UID/GID (any size)"
		case 0x7855:
			name = "Unix UID/GID"
		}
		fmt.Fprintf(u.out, "  - A subfield with ID 0x%04x (%s) and %d data bytes", id, name, len(data))
		if id == 0x5455 && len(data) >= 5 {
			var kinds []string
			for bit, kind := range [...]string{"modification", "access", "creation"} {
				if data[0]>>bit&1 != 0 {
					kinds = append(kinds, kind)
				}
			}
			times := "times"
			if len(kinds) == 1 {
				times = "time"
			}
			fmt.Fprintf(u.out, ".\n    The local extra field has UTC/GMT %s %s.\n", strings.Join(kinds, "/"), times)
			return
		}
		fmt.Fprint(u.out, ":\n   ")
		for _, b := range data[:min(len(data), 20)] {
			fmt.Fprintf(u.out, " %02x", b)
		}
		fmt.Fprint(u.out, ".\n")
	})
}

func zipinfoProgram(string) *program {
	return &program{
		usage: `zipinfo [-OPTIONS] FILE[.zip] [MEMBER]... [-x MEMBER...]
List the members of a zip archive, or those that match.

  -1  names only              -2  names, with -h, -t and -z as asked
  -s  as ls -l does (the default)
  -m  the same with percent   -l  the same with sizes packed
  -v  all there is
  -h  a header                -t  totals        -z  the archive's comment
  -T  times in decimal        -C  match names without case
  -x  all but the members that follow`,
		noHelp: true, trouble: unzipUsage, run: unzipRun,
	}
}
