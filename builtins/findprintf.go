package builtins

import (
	"bufio"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/vsh-project/vsh/builtins/internal/filemode"
	"github.com/vsh-project/vsh/internal/strftime"
	"github.com/vsh-project/vsh/vfs"
)

// findPiece is one part of a -printf format: text, or a directive.
type findPiece struct {
	text      string
	verb      byte // 0 for text
	argument  byte // what follows %A, %B, %C and %T
	flags     string
	width     int
	precision int // -1: none
}

func (p *findParser) printFormat(name string) (findNode, error) {
	w, err := p.destination(name)
	if err != nil {
		return nil, err
	}
	format, err := p.argument(name)
	if err != nil {
		return nil, err
	}
	f := p.find
	pieces, flush, err := f.compileFormat(format)
	if err != nil {
		return nil, err
	}
	return func(file *findFile) (bool, error) {
		for i := range pieces {
			if err := f.printPiece(w, &pieces[i], file); err != nil {
				return false, err
			}
		}
		if flush {
			return true, f.written(w.Flush())
		}
		return true, nil
	}, nil
}

// compileFormat cuts a format into pieces. flush reports that \c ended it.
func (f *findCommand) compileFormat(format string) (pieces []findPiece, flush bool, err error) {
	var text strings.Builder
	end := func() {
		if text.Len() > 0 {
			pieces = append(pieces, findPiece{text: text.String()})
			text.Reset()
		}
	}
	for i := 0; i < len(format); {
		switch c := format[i]; {
		case c == '\\':
			if strings.HasPrefix(format[i+1:], "c") {
				end()
				return pieces, true, nil
			}
			i += f.formatEscape(&text, format[i:])
		case c != '%':
			text.WriteByte(c)
			i++
		case i+1 == len(format):
			return nil, false, f.fatalf("error: %% at end of format string")
		case format[i+1] == '%':
			text.WriteByte('%')
			i += 2
		default:
			piece, n := findDirective(format[i:])
			if n < len(format)-i && strings.IndexByte("{[(", format[i+n]) >= 0 || i+n == len(format) {
				reserved := "\x00"
				if i+n < len(format) {
					reserved = format[i+n : i+n+1]
				}
				return nil, false, f.fatalf("error: the format directive `%%%s' is reserved for future use", reserved)
			}
			piece.verb = format[i+n]
			n++
			switch {
			case strings.IndexByte("ABCT", piece.verb) >= 0 && i+n == len(format):
				f.warnf("warning: format directive `%%%c' should be followed by another character", piece.verb)
				text.WriteString(format[i : i+n])
			case strings.IndexByte("ABCT", piece.verb) >= 0:
				piece.argument = format[i+n]
				n++
				end()
				pieces = append(pieces, piece)
			case strings.IndexByte("abcdDfFgGhHiklmMnpPsStuUyYZ", piece.verb) >= 0:
				f.stats = f.stats || strings.IndexByte("dfhHpPyl", piece.verb) < 0
				end()
				pieces = append(pieces, piece)
			default:
				f.warnf("warning: unrecognized format directive `%%%c'", piece.verb)
				text.WriteString(format[i : i+n])
			}
			f.stats = f.stats || piece.argument != 0
			i += n
		}
	}
	end()
	return pieces, false, nil
}

// findDirective reads flags, width and precision; n is where the verb stands.
func findDirective(s string) (piece findPiece, n int) {
	n = 1
	for n < len(s) && strings.IndexByte("-+ #0", s[n]) >= 0 {
		n++
	}
	piece.flags, piece.precision = s[1:n], -1
	digits := func() (value int) {
		for ; n < len(s) && s[n] >= '0' && s[n] <= '9'; n++ {
			value = min(value*10+int(s[n]-'0'), 1<<20)
		}
		return value
	}
	piece.width = digits()
	if n < len(s) && s[n] == '.' {
		n++
		piece.precision = digits()
	}
	return piece, n
}

// formatEscape resolves the backslash escape that s starts with and says how
// long it is.
func (f *findCommand) formatEscape(text *strings.Builder, s string) int {
	if len(s) == 1 {
		f.warnf("warning: escape `\\' followed by nothing at all")
		text.WriteByte('\\')
		return 1
	}
	if c := s[1]; c >= '0' && c <= '7' {
		n, value := 1, 0
		for ; n < len(s) && n < 4 && s[n] >= '0' && s[n] <= '7'; n++ {
			value = value*8 + int(s[n]-'0')
		}
		text.WriteByte(byte(value))
		return n
	}
	if i := strings.IndexByte(`abfnrtv\`, s[1]); i >= 0 {
		text.WriteByte("\a\b\f\n\r\t\v\\"[i])
		return 2
	}
	f.warnf("warning: unrecognized escape `\\%c'", s[1])
	text.WriteString(s[:2])
	return 2
}

func (f *findCommand) printPiece(w *bufio.Writer, piece *findPiece, file *findFile) error {
	if piece.verb == 0 {
		_, err := w.WriteString(piece.text)
		return f.written(err)
	}
	s, ok := f.directive(piece, file)
	if !ok {
		return f.ctx.Err()
	}
	if piece.verb == 'd' || piece.verb == 'm' {
		return f.written(piece.printNumber(w, s))
	}
	if piece.precision >= 0 && piece.verb != 'S' {
		s = s[:min(piece.precision, len(s))]
	}
	return f.written(piece.pad(w, s))
}

func (piece *findPiece) pad(w *bufio.Writer, s string) error {
	fill := strings.Repeat(" ", max(0, piece.width-len(s)))
	if strings.Contains(piece.flags, "-") {
		s, fill = fill, s
	}
	w.WriteString(fill)
	_, err := w.WriteString(s)
	return err
}

// printNumber writes digits as C's printf does with the flags.
func (piece *findPiece) printNumber(w *bufio.Writer, digits string) error {
	sign := ""
	if strings.Contains(piece.flags, "#") && piece.verb == 'm' && !strings.HasPrefix(digits, "0") {
		digits = "0" + digits
	}
	if piece.verb == 'd' {
		if strings.Contains(piece.flags, "+") {
			sign = "+"
		} else if strings.Contains(piece.flags, " ") {
			sign = " "
		}
	}
	if piece.precision > len(digits) {
		digits = strings.Repeat("0", piece.precision-len(digits)) + digits
	}
	if strings.Contains(piece.flags, "0") && !strings.Contains(piece.flags, "-") && piece.precision < 0 {
		digits = strings.Repeat("0", max(0, piece.width-len(digits)-len(sign))) + digits
	}
	return piece.pad(w, sign+digits)
}

// directive is what a directive stands for; false where the file is gone.
func (f *findCommand) directive(piece *findPiece, file *findFile) (string, bool) {
	switch piece.verb {
	case 'p':
		return file.Path, true
	case 'f':
		return findBase(file.Path), true
	case 'h':
		path := strings.TrimRight(file.Path, "/")
		if path == "" {
			path = file.Path
		}
		i := strings.LastIndexByte(path, '/')
		if i < 0 {
			return ".", true
		}
		return path[:i], true
	case 'H':
		return file.root, true
	case 'P':
		return strings.TrimPrefix(strings.TrimPrefix(file.Path, file.root), "/"), true
	case 'd':
		return strconv.Itoa(file.Depth), true
	case 'y':
		return findLetter(file.Type), true
	case 'Y':
		return f.targetLetter(file), true
	case 'l':
		if file.Type&fs.ModeSymlink == 0 {
			return "", true
		}
		target, err := f.View().Readlink(f.ctx, file.Path)
		return target, err == nil
	case 'F':
		return findStorageType, true
	case 'Z':
		f.errorf("getfilecon failed: %s: No data available", quote(file.Path))
		return "", true
	}
	info, ok := f.info(file)
	if !ok {
		return "", false
	}
	switch piece.verb {
	case 'a', 'c', 't':
		which := piece.verb
		if which == 't' {
			which = 'm'
		}
		t := findTime(info, which).In(f.location)
		return strftime.Format("%a %b %e %H:%M:%S"+findFraction(t)+" %Y", t, false), true
	case 'A', 'C', 'T':
		which := piece.verb | 0x20
		if which == 't' {
			which = 'm'
		}
		return findFormatTime(findTime(info, which).In(f.location), piece.argument), true
	case 'B':
		return "", true
	case 'b':
		return strconv.FormatInt(info.Blocks, 10), true
	case 'k':
		return strconv.FormatInt(blocks1K(info), 10), true
	case 's':
		return strconv.FormatInt(info.Bytes, 10), true
	case 'S':
		return findSparseness(info), true
	case 'n':
		return strconv.FormatUint(info.Links, 10), true
	case 'i':
		return strconv.FormatUint(info.Inode, 10), true
	case 'D':
		return strconv.FormatUint(info.Device, 10), true
	case 'm':
		return strconv.FormatUint(uint64(filemode.Bits(info.FileMode)), 8), true
	case 'M':
		return filemode.String(info.FileMode), true
	case 'u':
		name, _ := f.userName(info.UID)
		return name, true
	case 'U':
		return strconv.Itoa(info.UID), true
	case 'g':
		name, _ := f.groupName(info.GID)
		return name, true
	}
	return strconv.Itoa(info.GID), true // %G
}

func findLetter(kind fs.FileMode) string {
	letter := filemode.Letter(kind)
	if letter == '-' {
		letter = 'f'
	}
	return string(letter)
}

// targetLetter is the type of what a link leads to: L for a loop, N for
// nothing, ? for any other trouble.
func (f *findCommand) targetLetter(file *findFile) string {
	if file.Type&fs.ModeSymlink == 0 {
		return findLetter(file.Type)
	}
	info, err := f.View().Stat(f.ctx, file.Path)
	switch vfs.Errno(err) {
	case 0:
		if err == nil {
			return findLetter(info.FileMode)
		}
	case vfs.ENOENT, vfs.ENOTDIR:
		return "N"
	case vfs.ELOOP:
		return "L"
	}
	return "?"
}

// findSparseness is how much of the size is on the storage.
func findSparseness(info *vfs.Info) string {
	switch {
	case info.Bytes == 0 && info.Blocks == 0:
		return "1"
	case info.Bytes == 0:
		return "inf"
	}
	return strconv.FormatFloat(512*float64(info.Blocks)/float64(info.Bytes), 'g', 6, 64)
}

// findFraction is a second's fraction as find shows it: ten digits.
func findFraction(t time.Time) string { return fmt.Sprintf(".%09d0", t.Nanosecond()) }

// findFormatTime is %Ak, %Ck and %Tk for one k.
func findFormatTime(t time.Time, k byte) string {
	switch k {
	case '@':
		return strconv.FormatInt(t.Unix(), 10) + findFraction(t)
	case '+':
		return t.Format("2006-01-02+15:04:05") + findFraction(t)
	case 'S':
		return t.Format("05") + findFraction(t)
	case 'T', 'X':
		return t.Format("15:04:05") + findFraction(t)
	}
	return strftime.Format("%"+string(rune(k)), t, false)
}
