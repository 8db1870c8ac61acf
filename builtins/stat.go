package builtins

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/vsh-project/vsh/builtins/internal/filemode"
	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/strftime"
	"github.com/vsh-project/vsh/vfs"
)

const (
	keyStatPrintf = 256 + iota
	keyStatCached
)

const statDefault = "  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\n" +
	"Device: %Hd,%Ld\tInode: %-10i  Links: %h\nAccess: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\n" +
	"Access: %x\nModify: %y\nChange: %z\n Birth: %w\n"

const statDeviceDefault = "  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\n" +
	"Device: %Hd,%Ld\tInode: %-10i  Links: %-5h Device type: %Hr,%Lr\nAccess: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\n" +
	"Access: %x\nModify: %y\nChange: %z\n Birth: %w\n"

const statSystemDefault = "  File: \"%n\"\n    ID: %-8i Namelen: %-7l Type: %T\nBlock size: %-10s Fundamental block size: %S\n" +
	"Blocks: Total: %-10b Free: %-10f Available: %a\nInodes: Total: %-10c Free: %d\n"

// statRun is stat.
func statRun(c *call) error {
	var format string
	var given, escapes, follow, system, terse bool
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'L':
			follow = true
		case 'f':
			system = true
		case 'c':
			format, given, escapes = p.Value, true, false
		case keyStatPrintf:
			format, given, escapes = p.Value, true, true
		case 't':
			terse = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(operands) == 0 {
		return c.usageErrorf("missing operand")
	}
	if given && !escapes {
		format += "\n"
	}
	for _, name := range operands {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		s := &statOf{call: c, name: name, system: system, escapes: escapes}
		if system {
			s.usage, err = c.View().Statfs(c.ctx, name)
		} else {
			s.info, err = c.statInfo(name, follow)
		}
		if err != nil {
			if c.ends(err) {
				return err
			}
			if system {
				c.errorf("cannot read file system information for %s: %s", quoteName(name), vfs.Words(err))
			} else {
				c.errorf("cannot statx %s: %s", quoteName(name), vfs.Words(err))
			}
			continue
		}
		f := format
		if !given {
			f = s.defaultFormat(terse)
		}
		if err := s.print(f); err != nil {
			return err
		}
	}
	return nil
}

// statInfo describes an operand; "-" is standard input where it is a file.
func (c *call) statInfo(name string, follow bool) (*vfs.Info, error) {
	if name == "-" {
		return c.View().Stat(c.ctx, "/dev/stdin")
	}
	if follow {
		return c.View().Stat(c.ctx, name)
	}
	return c.View().Lstat(c.ctx, name)
}

func (s *statOf) defaultFormat(terse bool) string {
	switch {
	case terse && s.system:
		return "%n %i %l %t %s %S %b %f %a %c %d\n"
	case terse:
		return "%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n"
	case s.system:
		return statSystemDefault
	case s.info.Mode()&fs.ModeDevice != 0:
		return statDeviceDefault
	}
	return statDefault
}

// statOf is one operand and what its format asks of it.
type statOf struct {
	*call
	name            string
	info            *vfs.Info
	usage           *vfs.Usage
	system, escapes bool
}

func (s *statOf) print(format string) error {
	for i := 0; i < len(format); {
		switch ch := format[i]; {
		case ch == '%':
			n, err := s.directive(format[i+1:])
			if err != nil {
				return err
			}
			i += 1 + n
		case ch == '\\' && s.escapes:
			i += 1 + s.escape(format[i+1:])
		default:
			s.out.WriteByte(ch)
			i++
		}
	}
	return nil
}

func (s *statOf) escape(t string) int {
	if t == "" {
		s.warnf("warning: backslash at end of format")
		s.out.WriteByte('\\')
		return 0
	}
	switch ch := t[0]; {
	case ch >= '0' && ch <= '7':
		v, n := 0, 0
		for n < 3 && n < len(t) && t[n] >= '0' && t[n] <= '7' {
			v = v*8 + int(t[n]-'0')
			n++
		}
		s.out.WriteByte(byte(v))
		return n
	case ch == 'x' && len(t) > 1 && isHexDigit(t[1]):
		n := 2
		if len(t) > 2 && isHexDigit(t[2]) {
			n = 3
		}
		v, _ := strconv.ParseUint(t[1:n], 16, 8)
		s.out.WriteByte(byte(v))
		return n
	default:
		if k := strings.IndexByte(`"\abefnrtv`, ch); k >= 0 {
			s.out.WriteByte("\"\\\a\b\x1b\f\n\r\t\v"[k])
			return 1
		}
		s.warnf("warning: unrecognized escape '\\%c'", ch)
		s.out.WriteByte(ch)
		return 1
	}
}

func isHexDigit(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

// statSpec is the flags, width and precision of one directive.
type statSpec struct {
	flags            string
	width, precision int
	hasPrecision     bool
}

// directive prints one, given without its %, and says how long it is.
func (s *statOf) directive(t string) (int, error) {
	spec := statSpec{}
	i := 0
	for i < len(t) && strings.IndexByte("'-+ #0I", t[i]) >= 0 {
		spec.flags += t[i : i+1]
		i++
	}
	for i < len(t) && t[i] >= '0' && t[i] <= '9' {
		spec.width = min(spec.width*10+int(t[i]-'0'), 1<<16)
		i++
	}
	if i < len(t) && t[i] == '.' {
		spec.hasPrecision = true
		for i++; i < len(t) && t[i] >= '0' && t[i] <= '9'; i++ {
			spec.precision = min(spec.precision*10+int(t[i]-'0'), 1<<16)
		}
	}
	modifier := byte(0)
	if i+1 < len(t) && (t[i] == 'H' || t[i] == 'L') && (t[i+1] == 'd' || t[i+1] == 'r') && !s.system {
		modifier = t[i]
		i++
	}
	if i >= len(t) {
		if i > 0 {
			return 0, s.fatalf("%s: invalid directive", quote("%"+t))
		}
		s.out.WriteByte('%')
		return 0, nil
	}
	if t[i] == '%' {
		if i > 0 {
			return 0, s.fatalf("%s: invalid directive", quote("%"+t[:i+1]))
		}
		s.out.WriteByte('%')
		return 1, nil
	}
	if s.system {
		s.systemDirective(&spec, t[i])
	} else {
		s.fileDirective(&spec, t[i], modifier)
	}
	return i + 1, nil
}

func (s *statOf) text(spec *statSpec, text string) {
	if spec.hasPrecision && len(text) > spec.precision {
		text = text[:spec.precision]
	}
	s.pad(spec, "", text, false)
}

// number prints an integer with its sign or prefix.
func (s *statOf) number(spec *statSpec, prefix, digits string) {
	if spec.hasPrecision {
		for len(digits) < spec.precision {
			digits = "0" + digits
		}
	}
	s.pad(spec, prefix, digits, !spec.hasPrecision)
}

func (s *statOf) pad(spec *statSpec, prefix, text string, zeros bool) {
	missing := max(0, spec.width-len(prefix)-len(text))
	switch {
	case strings.Contains(spec.flags, "-"):
		s.out.WriteString(prefix + text + strings.Repeat(" ", missing))
	case zeros && strings.Contains(spec.flags, "0"):
		s.out.WriteString(prefix + strings.Repeat("0", missing) + text)
	default:
		s.out.WriteString(strings.Repeat(" ", missing) + prefix + text)
	}
}

func (s *statOf) signed(spec *statSpec, n int64) {
	prefix := ""
	switch {
	case n < 0:
		prefix, n = "-", -n
	case strings.Contains(spec.flags, "+"):
		prefix = "+"
	case strings.Contains(spec.flags, " "):
		prefix = " "
	}
	s.number(spec, prefix, strconv.FormatInt(n, 10))
}

func (s *statOf) unsigned(spec *statSpec, n uint64, base int) {
	prefix, digits := "", strconv.FormatUint(n, base)
	if strings.Contains(spec.flags, "#") && n != 0 {
		switch base {
		case 8:
			digits = "0" + digits
		case 16:
			prefix = "0x"
		}
	}
	s.number(spec, prefix, digits)
}

func (s *statOf) fileDirective(spec *statSpec, verb, modifier byte) {
	i := s.info
	major, minor := i.Device>>8, i.Device&0xff
	switch verb {
	case 'n':
		s.text(spec, s.name)
	case 'N':
		text := quoteName(s.name)
		if i.Mode()&fs.ModeSymlink != 0 {
			if target, err := s.View().Readlink(s.ctx, s.name); err == nil {
				text += " -> " + quoteName(target)
			}
		}
		s.text(spec, text)
	case 'd':
		switch modifier {
		case 'H':
			s.unsigned(spec, major, 10)
		case 'L':
			s.unsigned(spec, minor, 10)
		default:
			s.unsigned(spec, i.Device, 10)
		}
	case 'D':
		s.unsigned(spec, i.Device, 16)
	case 'i':
		s.unsigned(spec, i.Inode, 10)
	case 'a':
		s.unsigned(spec, uint64(filemode.Bits(i.Mode())), 8)
	case 'A':
		s.text(spec, filemode.String(i.Mode()))
	case 'f':
		s.unsigned(spec, uint64(filemode.Raw(i.Mode())), 16)
	case 'F':
		s.text(spec, fileKind(i))
	case 'h':
		s.unsigned(spec, i.Links, 10)
	case 'u':
		s.signed(spec, int64(s.owner(i.UID, s.View().Identity().UID)))
	case 'g':
		s.signed(spec, int64(s.owner(i.GID, s.View().Identity().GID)))
	case 'U':
		name, known := s.userName(i.UID)
		if !known {
			name = "UNKNOWN"
		}
		s.text(spec, name)
	case 'G':
		name, known := s.groupName(i.GID)
		if !known {
			name = "UNKNOWN"
		}
		s.text(spec, name)
	case 'm':
		s.text(spec, s.mountOf())
	case 's':
		s.unsigned(spec, uint64(i.Size()), 10)
	case 'r', 'R', 't', 'T':
		base := 16
		if verb == 'r' {
			base = 10
		}
		s.unsigned(spec, 0, base)
	case 'B':
		s.unsigned(spec, 512, 10)
	case 'b':
		s.unsigned(spec, uint64(i.Blocks), 10)
	case 'o':
		s.unsigned(spec, 4096, 10)
	case 'w':
		if i.Birthday.IsZero() {
			s.text(spec, "-")
		} else {
			s.text(spec, s.when(i.Birthday))
		}
	case 'W':
		if i.Birthday.IsZero() {
			s.seconds(spec, time.Unix(0, 0))
		} else {
			s.seconds(spec, i.Birthday)
		}
	case 'x':
		s.text(spec, s.when(i.Accessed))
	case 'X':
		s.seconds(spec, i.Accessed)
	case 'y':
		s.text(spec, s.when(i.Modified))
	case 'Y':
		s.seconds(spec, i.Modified)
	case 'z':
		s.text(spec, s.when(i.Changed))
	case 'Z':
		s.seconds(spec, i.Changed)
	case 'C':
		s.warnf("failed to get security context of %s: No data available", quoteName(s.name))
		s.status = 1
		s.text(spec, "?")
	default:
		s.text(spec, "?")
	}
}

// owner is a file's id: that of the shell's identity where the storage holds none.
func (s *statOf) owner(id, own int) int {
	if id < 0 {
		return own
	}
	return id
}

func (s *statOf) when(t time.Time) string {
	return strftime.Format("%Y-%m-%d %H:%M:%S.%N %z", t.In(s.location()), true)
}

// seconds prints a time as seconds of the epoch; a precision asks for decimals.
func (s *statOf) seconds(spec *statSpec, t time.Time) {
	if !spec.hasPrecision {
		s.signed(spec, t.Unix())
		return
	}
	precision := spec.precision
	if precision == 0 {
		precision = 9
	}
	decimals := fmt.Sprintf("%09d", t.Nanosecond())
	for len(decimals) < precision {
		decimals += "0"
	}
	plain := *spec
	plain.hasPrecision = false
	s.pad(&plain, "", strconv.FormatInt(t.Unix(), 10)+"."+decimals[:precision], true)
}

func (s *statOf) mountOf() string {
	name, err := s.View().Realpath(s.ctx, s.name, vfs.MissingNone)
	if err != nil {
		return "?"
	}
	for _, m := range []string{s.Host().MountPoint(), "/tmp", "/dev"} {
		if m != "/" && pathWithin(name, m) {
			return m
		}
	}
	return "/"
}

// fileKind is a file's type in words.
func fileKind(i *vfs.Info) string {
	switch mode := i.Mode(); {
	case mode.IsRegular() && i.Size() == 0:
		return "regular empty file"
	case mode.IsRegular():
		return "regular file"
	case mode.IsDir():
		return "directory"
	case mode&fs.ModeSymlink != 0:
		return "symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "fifo"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeCharDevice != 0:
		return "character special file"
	case mode&fs.ModeDevice != 0:
		return "block special file"
	}
	return "weird file"
}

func (s *statOf) systemDirective(spec *statSpec, verb byte) {
	u := s.usage
	size := max(u.BlockSize, 1)
	blocks := func(bytes uint64) uint64 { return bytes / uint64(size) }
	switch verb {
	case 'n':
		s.text(spec, s.name)
	case 'i':
		s.unsigned(spec, 0, 16)
	case 'l':
		s.unsigned(spec, 255, 10)
	case 't':
		s.unsigned(spec, 0x1021994, 16)
	case 'T':
		s.text(spec, "tmpfs")
	case 'b':
		s.unsigned(spec, blocks(u.Bytes), 10)
	case 'f', 'a':
		s.unsigned(spec, blocks(u.FreeBytes), 10)
	case 's', 'S':
		s.unsigned(spec, uint64(size), 10)
	case 'c':
		s.unsigned(spec, u.Inodes, 10)
	case 'd':
		s.unsigned(spec, u.FreeInodes, 10)
	default:
		s.text(spec, "?")
	}
}

func init() {
	register(program{
		name:    "stat",
		summary: "describe files (-c FORMAT, --printf, -L -f -t)",
		usage: `stat [OPTION]... FILE...
Describe each file, or with -f its file system.

  -c, --format=FORMAT  one line in FORMAT for each
      --printf=FORMAT  like -c, with \ escapes and no newline added
  -L, --dereference    follow links
  -f, --file-system    the file system
  -t, --terse          one line of numbers
      --cached=MODE    accepted, without effect

FORMAT: %a %A mode, %b %B blocks, %d %D device, %f raw mode, %F type, %g %G group,
%h links, %i inode, %m mount point, %n %N name, %o block size, %s size, %u %U
user, %w %W birth, %x %X access, %y %Y modification, %z %Z change.
With -f: %a %b %c %d %f %i %l %n %s %S %t %T.`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'L', Long: "dereference"}, {Key: 'f', Long: "file-system"}, {Key: 'c', Long: "format", Argument: getopt.Required},
			{Key: keyStatPrintf, Long: "printf", Argument: getopt.Required}, {Key: 't', Long: "terse"}, {Key: keyStatCached, Long: "cached", Argument: getopt.Required},
		}},
		run: statRun,
	})
}
