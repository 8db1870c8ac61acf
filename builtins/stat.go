package builtins

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/vsh-project/vsh/builtins/internal/filemode"
	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/vfs"

	"io/fs"
)

const statCached = 1000

// statCommand is one run of stat.
type statCommand struct {
	*call
	format     string
	escapes    bool // --printf
	follow     bool
	filesystem bool
	terse      bool
	location   *time.Location
}

// statTmpfs is the magic number of the type every storage is said to have.
const statTmpfs = 0x01021994

func statRun(c *call) error {
	s := &statCommand{call: c, location: c.location()}
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'c':
			s.format, s.escapes = p.Value+"\n", false
		case 'f':
			s.filesystem = true
		case 'L':
			s.follow = true
		case 't':
			s.terse = true
		case 'p':
			s.format, s.escapes = p.Value, true
		case statCached:
			_, err := c.argumentMatch("--cached", p.Value, []string{"default", "never", "always"}, nil)
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(operands) == 0 {
		return c.usageErrorf("missing operand")
	}
	for _, name := range operands {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if s.filesystem {
			err = s.usage(name)
		} else {
			err = s.file(name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *statCommand) file(name string) error {
	var info *vfs.Info
	var err error
	switch {
	case name == "-":
		info, err = s.View().Stat(s.ctx, "/dev/stdin")
	case s.follow:
		info, err = s.View().Stat(s.ctx, name)
	default:
		info, err = s.View().Lstat(s.ctx, name)
	}
	if err != nil {
		if name == "-" {
			if vfs.Errno(err) == vfs.ENOENT { // a closed one has no name in /dev
				err = vfs.EBADF
			}
			s.errorf("cannot stat standard input: %s", vfs.Words(err))
		} else {
			s.errorf("cannot statx %s: %s", quoteName(name), vfs.Words(err))
		}
		return s.ctx.Err()
	}
	format := s.format
	if format == "" {
		format = s.fileFormat(info)
	}
	return s.print(format, func(d *statDirective) (statValue, error) { return s.fileValue(d, name, info) })
}

func (s *statCommand) fileFormat(info *vfs.Info) string {
	if s.terse {
		return "%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n"
	}
	device := "Device: %Hd,%Ld\tInode: %-10i  Links: %h\n"
	if info.FileMode&fs.ModeDevice != 0 {
		device = "Device: %Hd,%Ld\tInode: %-10i  Links: %-5h Device type: %Hr,%Lr\n"
	}
	return "  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\n" + device +
		"Access: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\nAccess: %x\nModify: %y\nChange: %z\n Birth: %w\n"
}

// statDirective is one conversion of a format.
type statDirective struct {
	flags     string
	width     int
	precision int // -1: none
	hasPoint  bool
	modifier  byte // H or L
	verb      byte
}

// statValue is what a conversion prints: text, or a number in a base.
type statValue struct {
	text   string
	number uint64
	base   int // 0: text, -1: text as it is
	signed bool
	time   *time.Time
}

func (s *statCommand) print(format string, value func(*statDirective) (statValue, error)) error {
	var b strings.Builder
	for i := 0; i < len(format); {
		switch c := format[i]; {
		case c == '\\' && s.escapes:
			i += s.escape(&b, format[i:])
		case c != '%':
			b.WriteByte(c)
			i++
		case i+1 == len(format) || format[i+1] == '%' || format[i+1] == '\n' && i+2 == len(format):
			b.WriteByte('%')
			i++
			if i < len(format) && format[i] == '%' {
				i++
			}
		default:
			d, n := statParse(format[i:])
			if i+n >= len(format) || d.verb == '\n' || d.verb == '%' {
				s.out.WriteString(b.String())
				return s.fatalf("%s: invalid directive", quote(strings.TrimSuffix(format[i:min(i+n+1, len(format))], "\n")))
			}
			i += n + 1
			v, err := value(&d)
			if err != nil {
				s.out.WriteString(b.String())
				return err
			}
			d.append(&b, v)
		}
	}
	if _, err := s.out.WriteString(b.String()); err != nil {
		return s.writeError(err)
	}
	return nil
}

// statParse reads a conversion; n is where its verb stands.
func statParse(f string) (d statDirective, n int) {
	n = 1
	for n < len(f) && strings.IndexByte("'-+ #0", f[n]) >= 0 {
		n++
	}
	d.flags, d.precision = f[1:n], -1
	number := func() int {
		value := 0
		for ; n < len(f) && f[n] >= '0' && f[n] <= '9'; n++ {
			value = min(value*10+int(f[n]-'0'), 1<<16)
		}
		return value
	}
	d.width = number()
	if n < len(f) && f[n] == '.' {
		n++
		d.hasPoint = true
		if n < len(f) && f[n] >= '0' && f[n] <= '9' {
			d.precision = number()
		}
	}
	if n+1 < len(f) && (f[n] == 'H' || f[n] == 'L') && (f[n+1] == 'd' || f[n+1] == 'r') {
		d.modifier = f[n]
		n++
	}
	if n < len(f) {
		d.verb = f[n]
	}
	return d, n
}

func (d *statDirective) append(b *strings.Builder, v statValue) {
	text := v.text
	if v.base < 0 {
		b.WriteString(text)
		return
	}
	left, zero := strings.Contains(d.flags, "-"), strings.Contains(d.flags, "0")
	switch {
	case v.time != nil:
		text = d.seconds(*v.time)
		if zero && !left {
			text = strings.Repeat("0", max(0, d.width-len(text))) + text
		}
	case v.base != 0:
		text = strconv.FormatUint(v.number, v.base)
		if !d.hasPoint {
			d.precision = -1
		}
		if d.precision > len(text) {
			text = strings.Repeat("0", d.precision-len(text)) + text
		}
		if strings.Contains(d.flags, "#") {
			if v.base == 8 && !strings.HasPrefix(text, "0") {
				text = "0" + text
			} else if v.base == 16 && v.number != 0 {
				text = "0x" + text
			}
		}
		if zero && !left && d.precision < 0 {
			text = strings.Repeat("0", max(0, d.width-len(text))) + text
		}
	case d.hasPoint:
		text = text[:min(len(text), max(d.precision, 0))]
	}
	if v.signed || v.time != nil {
		if strings.Contains(d.flags, "+") && !strings.HasPrefix(text, "-") {
			text = "+" + text
		} else if strings.Contains(d.flags, " ") && !strings.HasPrefix(text, "-") {
			text = " " + text
		}
	}
	fill := strings.Repeat(" ", max(0, d.width-len(text)))
	if left {
		b.WriteString(text + fill)
	} else {
		b.WriteString(fill + text)
	}
}

// seconds is a time since the epoch, with as many digits of a fraction as asked for.
func (d *statDirective) seconds(t time.Time) string {
	digits := 0
	if d.hasPoint {
		if digits = d.precision; digits < 0 {
			digits = 9
		}
	}
	whole, nanos := t.Unix(), t.Nanosecond()
	sign := ""
	if whole < 0 && nanos > 0 && digits > 0 {
		whole, nanos = whole+1, 1e9-nanos
		if whole == 0 {
			sign = "-"
		}
	}
	text := sign + strconv.FormatInt(whole, 10)
	if digits > 0 {
		fraction := fmt.Sprintf("%09d", nanos)
		if digits > 9 {
			fraction += strings.Repeat("0", digits-9)
		}
		text += "." + fraction[:digits]
	}
	return text
}

// escape resolves the backslash escape s starts with and says how long it is.
func (s *statCommand) escape(b *strings.Builder, text string) int {
	if len(text) == 1 {
		s.warnf("warning: backslash at end of format")
		b.WriteByte('\\')
		return 1
	}
	number := func(from, most, base int) int {
		n, value := from, 0
		for ; n < len(text) && n < from+most; n++ {
			digit := strings.IndexByte("0123456789abcdef", text[n]|0x20)
			if text[n] < '0' || digit < 0 || digit >= base {
				break
			}
			value = value*base + digit
		}
		b.WriteByte(byte(value))
		return n
	}
	switch c := text[1]; {
	case c >= '0' && c <= '7':
		return number(1, 3, 8)
	case c == 'x' && len(text) > 2 && strings.IndexByte("0123456789abcdefABCDEF", text[2]) >= 0:
		return number(2, 2, 16)
	case strings.IndexByte(`abefnrtv"\`, c) >= 0:
		b.WriteByte("\a\b\x1b\f\n\r\t\v\"\\"[strings.IndexByte(`abefnrtv"\`, c)])
	default:
		s.warnf("warning: unrecognized escape '\\%c'", c)
		b.WriteByte(c)
	}
	return 2
}

func (s *statCommand) human(t time.Time) string {
	return t.In(s.location).Format("2006-01-02 15:04:05.000000000 -0700")
}

func (s *statCommand) fileValue(d *statDirective, name string, info *vfs.Info) (v statValue, err error) {
	number := func(n uint64, base int) (statValue, error) { return statValue{number: n, base: base}, nil }
	text := func(t string) (statValue, error) { return statValue{text: t}, nil }
	seconds := func(t time.Time) (statValue, error) { return statValue{time: &t}, nil }
	device := func(n uint64) (statValue, error) {
		switch d.modifier {
		case 'H':
			return number(deviceMajor(n), 10)
		case 'L':
			return number(deviceMinor(n), 10)
		}
		return number(n, 10)
	}
	switch d.verb {
	case 'a':
		return number(uint64(filemode.Bits(info.FileMode)), 8)
	case 'A':
		return text(filemode.String(info.FileMode))
	case 'b':
		return number(uint64(info.Blocks), 10)
	case 'B':
		return number(512, 10)
	case 'C':
		s.errorf("failed to get security context of %s: No data available", quoteName(name))
		return text("?")
	case 'd':
		return device(info.Device)
	case 'D':
		return number(info.Device, 16)
	case 'f':
		return number(uint64(filemode.Raw(info.FileMode)), 16)
	case 'F':
		return text(fileKind(info))
	case 'g':
		return number(uint64(info.GID), 10)
	case 'G':
		group, known := s.groupName(info.GID)
		if !known {
			group = "UNKNOWN"
		}
		return text(group)
	case 'h':
		return number(info.Links, 10)
	case 'i':
		return number(info.Inode, 10)
	case 'm':
		return text(s.mountPoint(name, info))
	case 'n':
		return text(name)
	case 'N':
		return text(s.quotedName(name, info))
	case 'o':
		return number(4096, 10)
	case 'r':
		return device(info.DeviceNumber)
	case 'R':
		return number(info.DeviceNumber, 16)
	case 's':
		return statValue{number: uint64(info.Bytes), base: 10, signed: true}, nil
	case 't':
		return number(deviceMajor(info.DeviceNumber), 16)
	case 'T':
		return number(deviceMinor(info.DeviceNumber), 16)
	case 'u':
		return number(uint64(info.UID), 10)
	case 'U':
		user, known := s.userName(info.UID)
		if !known {
			user = "UNKNOWN"
		}
		return text(user)
	case 'w':
		if info.Birthday.IsZero() {
			return text("-")
		}
		return text(s.human(info.Birthday))
	case 'W':
		if info.Birthday.IsZero() {
			return number(0, 10)
		}
		return seconds(info.Birthday)
	case 'x':
		return text(s.human(info.Accessed))
	case 'X':
		return seconds(info.Accessed)
	case 'y':
		return text(s.human(info.Modified))
	case 'Y':
		return seconds(info.Modified)
	case 'z':
		return text(s.human(info.Changed))
	case 'Z':
		return seconds(info.Changed)
	}
	return statValue{text: "?", base: -1}, nil
}

// quotedName is the name, and what a link leads to, in quotes.
func (s *statCommand) quotedName(name string, info *vfs.Info) string {
	style := quoteShellEscapeAlways
	if s.format == "" {
		style = quoteShellEscape
	}
	if value, ok := s.Getenv("QUOTING_STYLE"); ok {
		for i, known := range quoteStyleNames() {
			if known == value {
				style = min(quoteStyle(i), quoteLocale)
			}
		}
	}
	text := quoteStyled(name, style, "")
	if info.FileMode&fs.ModeSymlink != 0 {
		target, err := s.View().Readlink(s.ctx, name)
		if err != nil {
			s.errorf("cannot read symbolic link %s: %s", quoteName(name), vfs.Words(err))
			return text
		}
		text += " -> " + quoteStyled(target, style, "")
	}
	return text
}

// mountPoint is the topmost directory above a file that is on its device.
func (s *statCommand) mountPoint(name string, info *vfs.Info) string {
	path, err := s.View().Realpath(s.ctx, name, vfs.MissingLast)
	if err != nil {
		return "/"
	}
	for path != "/" {
		above := path[:max(strings.LastIndexByte(path, '/'), 1)]
		if strings.LastIndexByte(path, '/') == 0 {
			above = "/"
		}
		parent, err := s.View().Stat(s.ctx, above)
		if err != nil || parent.Device != info.Device {
			break
		}
		path = above
	}
	return path
}

// usage prints what is known of the storage a file is on.
func (s *statCommand) usage(name string) error {
	if name == "-" {
		return s.fatalf("using %s to denote standard input does not work in file system mode", quote(name))
	}
	usage, err := s.View().Statfs(s.ctx, name)
	if err != nil {
		s.errorf("cannot read file system information for %s: %s", quoteName(name), vfs.Words(err))
		return s.ctx.Err()
	}
	format := s.format
	switch {
	case format != "":
	case s.terse:
		format = "%n %i %l %t %s %S %b %f %a %c %d\n"
	default:
		format = "  File: \"%n\"\n    ID: %-8i Namelen: %-7l Type: %T\nBlock size: %-10s Fundamental block size: %S\n" +
			"Blocks: Total: %-10b Free: %-10f Available: %a\nInodes: Total: %-10c Free: %d\n"
	}
	return s.print(format, func(d *statDirective) (statValue, error) {
		block := uint64(max(usage.BlockSize, 1))
		number := func(n uint64, base int) (statValue, error) { return statValue{number: n, base: base}, nil }
		switch d.verb {
		case 'a', 'f':
			return number(usage.FreeBytes/block, 10)
		case 'b':
			return number(usage.Bytes/block, 10)
		case 'c':
			return number(usage.Inodes, 10)
		case 'd':
			return number(usage.FreeInodes, 10)
		case 'i':
			return number(0, 16)
		case 'l':
			return number(255, 10)
		case 'n':
			return statValue{text: name}, nil
		case 's', 'S':
			return number(block, 10)
		case 't':
			return number(statTmpfs, 16)
		case 'T':
			return statValue{text: findStorageType}, nil
		}
		return statValue{text: "?", base: -1}, nil
	})
}

func statProgram(string) *program {
	return &program{
		usage: `stat [OPTION]... FILE...
Describe files, or with -f the storage they are on.

  -L, --dereference      what links lead to
  -f, --file-system      the storage
      --cached=MODE      accepted
  -c, --format=FORMAT    print FORMAT and a newline
      --printf=FORMAT    print FORMAT, whose backslash escapes count
  -t, --terse            all on one line

For files: %a mode in octal, %A as letters, %b blocks, %B their size, %C context, %d device
(%Hd major, %Ld minor), %D in hex, %f raw mode in hex, %F type, %g group number, %G name,
%h links, %i inode, %m mount point, %n name, %N quoted, %o block for I/O, %r device type
(%Hr, %Lr), %R in hex, %s size, %t %T its parts in hex, %u user number, %U name, %w birth,
%x access, %y modification, %z change, %W %X %Y %Z these since the epoch.
For storages: %a free to users, %b blocks, %c inodes, %d free ones, %f free blocks, %i id,
%l longest name, %n name, %s block size, %S fundamental, %t type in hex, %T type.`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'L', Long: "dereference"}, {Key: 'f', Long: "file-system"}, {Key: 'c', Long: "format", Argument: getopt.Required},
			{Key: 'p', Long: "printf", Argument: getopt.Required}, {Key: 't', Long: "terse"}, {Key: statCached, Long: "cached", Argument: getopt.Required},
		}},
		run: statRun,
	}
}
