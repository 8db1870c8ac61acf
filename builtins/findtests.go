package builtins

import (
	"io/fs"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/vsh-project/vsh/builtins/internal/dateparse"
	"github.com/vsh-project/vsh/builtins/internal/filemode"
	"github.com/vsh-project/vsh/internal/regex"
	"github.com/vsh-project/vsh/internal/strftime"
	"github.com/vsh-project/vsh/internal/walk"
	"github.com/vsh-project/vsh/vfs"
)

// findFollow is what -follow makes of links.
const findFollow = walk.Logical

// need makes a test that sees the file's info.
func (p *findParser) need(test func(info *vfs.Info) bool) findNode {
	f := p.find
	f.stats = true
	return func(file *findFile) (bool, error) {
		info, ok := f.info(file)
		return ok && test(info), f.ctx.Err()
	}
}

func (p *findParser) pattern(name string) (findNode, error) {
	arg, err := p.argument(name)
	if err != nil {
		return nil, err
	}
	f := p.find
	bare, fold := strings.CutPrefix(name, "-i")
	if !fold {
		bare = name[1:]
	}
	switch bare {
	case "name":
		if f.warnings && strings.Contains(arg, "/") {
			whole := "-wholename"
			if fold {
				whole = "-iwholename"
			}
			f.warnf("warning: %s matches against basenames only, but the given pattern contains a directory separator (%s), thus the expression will evaluate to false all the time.  Did you mean %s?", quote(name), quote("/"), quote(whole))
		}
		return func(file *findFile) (bool, error) {
			base := file.Name
			if file.Depth == 0 {
				base = findBase(base)
				if base != "/" {
					base = strings.TrimRight(base, "/")
				}
			}
			return fnmatch(arg, base, fold), nil
		}, nil
	case "lname":
		return func(file *findFile) (bool, error) {
			if file.Type&fs.ModeSymlink == 0 {
				return false, nil
			}
			target, err := f.View().Readlink(f.ctx, file.Path)
			if err != nil {
				f.errorf("%s: %s", quote(file.Path), vfs.Words(err))
				return false, f.ctx.Err()
			}
			return fnmatch(arg, target, fold), nil
		}, nil
	}
	if len(arg) > 1 && strings.HasSuffix(arg, "/") {
		f.warnf("warning: %s %s will not match anything because it ends with /.", name, arg)
	}
	return func(file *findFile) (bool, error) { return fnmatch(arg, file.Path, fold), nil }, nil
}

// findBase is the last element of a path, with one of its trailing slashes.
func findBase(path string) string {
	trimmed := strings.TrimRight(path, "/")
	if trimmed == "" {
		return path[:min(len(path), 1)]
	}
	base := trimmed[strings.LastIndexByte(trimmed, '/')+1:]
	if len(trimmed) < len(path) {
		base += "/"
	}
	return base
}

// findRegexNames are the types in the order find names them.
var findRegexNames = [...]string{
	"findutils-default", "ed", "emacs", "gnu-awk", "grep", "posix-awk", "awk", "posix-basic", "posix-egrep", "egrep", "posix-extended",
	"posix-minimal-basic", "sed",
}

func findRegexTypes() string {
	quoted := make([]string, len(findRegexNames))
	for i, name := range findRegexNames {
		quoted[i] = quote(name)
	}
	return strings.Join(quoted, ", ")
}

func findRegexSyntax(name string) (regex.Syntax, bool) {
	switch name {
	case "findutils-default", "emacs":
		return regex.Emacs, true
	case "ed", "posix-basic", "sed":
		return regex.POSIXBasic, true
	case "gnu-awk":
		return regex.GNUAwk, true
	case "grep":
		return regex.Basic, true
	case "posix-awk":
		return regex.POSIXAwk, true
	case "awk":
		return regex.Awk, true
	case "posix-egrep", "egrep":
		return regex.GrepExtended, true
	case "posix-extended":
		return regex.POSIXExtended, true
	case "posix-minimal-basic":
		return regex.POSIXMinimalBasic, true
	}
	return 0, false
}

func (p *findParser) regex(name string) (findNode, error) {
	arg, err := p.argument(name)
	if err != nil {
		return nil, err
	}
	f := p.find
	syntax, _ := findRegexSyntax(p.regexType)
	// "." matches a newline in findutils-default, and not in emacs.
	m, err := regex.Compile(arg, regex.Options{Syntax: syntax, ASCIIRanges: true, IgnoreCase: name == "-iregex", DotAll: p.regexType == "findutils-default"})
	if err != nil {
		return nil, f.fatalf("failed to compile regular expression '%s': %s", arg, err)
	}
	return func(file *findFile) (bool, error) { return m.FullMatch(f.ctx, []byte(file.Path)) }, nil
}

func (p *findParser) fileType(name string) (findNode, error) {
	arg, err := p.argument(name)
	if err != nil {
		return nil, err
	}
	f := p.find
	if arg == "" {
		return nil, f.fatalf("Arguments to %s should contain at least one letter", name)
	}
	letters := ""
	for rest := arg; ; {
		if strings.IndexByte("bcdpflsD", rest[0]) < 0 {
			return nil, f.fatalf("Unknown argument to %s: %c", name, rest[0])
		}
		if rest[0] == 'D' {
			return nil, f.fatalf("%s D is not supported because Solaris doors are not supported on the platform find was compiled on.", name)
		}
		if strings.IndexByte(letters, rest[0]) >= 0 {
			return nil, f.fatalf("Duplicate file type '%c' in the argument list to %s.", rest[0], name)
		}
		letters += rest[:1]
		if rest = rest[1:]; rest == "" {
			break
		}
		if rest[0] != ',' {
			return nil, f.fatalf("Must separate multiple arguments to %s using: ','", name)
		}
		if rest = rest[1:]; rest == "" {
			return nil, f.fatalf("Last file type in list argument to %s is missing, i.e., list is ending on: ','", name)
		}
	}
	letters = strings.ReplaceAll(letters, "f", "-")
	if name == "-type" {
		return func(file *findFile) (bool, error) {
			return strings.IndexByte(letters, filemode.Letter(file.Type)) >= 0, nil
		}, nil
	}
	return func(file *findFile) (bool, error) {
		kind, ok := f.otherType(file)
		return ok && strings.IndexByte(letters, filemode.Letter(kind)) >= 0, f.ctx.Err()
	}, nil
}

// otherType is the type of what a link leads to where links are not followed,
// and of the link itself where they are (-xtype).
func (f *findCommand) otherType(file *findFile) (fs.FileMode, bool) {
	if f.follows(file) {
		info, err := f.View().Lstat(f.ctx, file.Path)
		if err != nil {
			return 0, false
		}
		return info.FileMode.Type(), true
	}
	if file.Type&fs.ModeSymlink == 0 {
		return file.Type, true
	}
	info, err := f.View().Stat(f.ctx, file.Path)
	switch {
	case err == nil:
		return info.FileMode.Type(), true
	case vfs.Errno(err) == vfs.ENOENT || vfs.Errno(err) == vfs.ENOTDIR:
		return fs.ModeSymlink, true
	case f.ctx.Err() == nil:
		f.errorf("%s: %s", quote(file.Path), vfs.Words(err))
	}
	return 0, false
}

// follows reports whether links at the file are followed.
func (f *findCommand) follows(file *findFile) bool {
	return f.links == walk.Logical || f.links == walk.CommandLine && file.Depth == 0
}

// findComparison is a number with the sign that says how to compare.
type findComparison struct {
	sign byte // '+', '-' or 0
	n    uint64
}

func (c findComparison) holds(n uint64) bool {
	switch c.sign {
	case '+':
		return n > c.n
	case '-':
		return n < c.n
	}
	return n == c.n
}

// findSigned takes a leading + or - off.
func findSigned(arg string) (sign byte, rest string) {
	if arg != "" && (arg[0] == '+' || arg[0] == '-') {
		return arg[0], arg[1:]
	}
	return 0, arg
}

func findNumber(arg string) (c findComparison, ok bool) {
	sign, rest := findSigned(arg)
	c.sign = sign
	rest = strings.TrimLeft(rest, " \t\n\v\f\r")
	rest = strings.TrimPrefix(rest, "+")
	n, err := strconv.ParseUint(rest, 10, 64)
	c.n = n
	return c, err == nil
}

func (p *findParser) number(name string) (findNode, error) {
	arg, err := p.argument(name)
	if err != nil {
		return nil, err
	}
	compare, ok := findNumber(arg)
	if !ok {
		return nil, p.find.fatalf("invalid argument `%s' to `%s'", arg, name)
	}
	return p.need(func(info *vfs.Info) bool {
		switch name {
		case "-links":
			return compare.holds(info.Links)
		case "-inum":
			return compare.holds(info.Inode)
		case "-uid":
			return compare.holds(uint64(info.UID))
		}
		return compare.holds(uint64(info.GID))
	}), nil
}

func (p *findParser) size(name string) (findNode, error) {
	arg, err := p.argument(name)
	if err != nil {
		return nil, err
	}
	if arg == "" {
		return nil, p.find.fatalf("invalid null argument to -size")
	}
	unit, digits := int64(512), arg[:len(arg)-1]
	switch last := arg[len(arg)-1]; last {
	case 'b':
	case 'c':
		unit = 1
	case 'w':
		unit = 2
	case 'k':
		unit = 1 << 10
	case 'M':
		unit = 1 << 20
	case 'G':
		unit = 1 << 30
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		digits = arg
	default:
		return nil, p.find.fatalf("invalid -size type `%c'", last)
	}
	compare, ok := findNumber(digits)
	if !ok {
		return nil, p.find.fatalf("Invalid argument `%s' to -size", arg)
	}
	return p.need(func(info *vfs.Info) bool {
		n := info.Bytes / unit
		if info.Bytes%unit != 0 {
			n++
		}
		return compare.holds(uint64(n))
	}), nil
}

func (p *findParser) empty(string) (findNode, error) {
	f := p.find
	return func(file *findFile) (bool, error) {
		switch {
		case file.IsDir():
			entries, err := f.View().ReadDir(f.ctx, file.Path)
			if err != nil {
				if f.ctx.Err() == nil {
					f.errorf("%s: %s", quote(file.Path), vfs.Words(err))
				}
				return false, f.ctx.Err()
			}
			return len(entries) == 0, nil
		case file.Type != 0:
			return false, nil
		}
		info, ok := f.info(file)
		return ok && info.Bytes == 0, f.ctx.Err()
	}, nil
}

func (p *findParser) perm(name string) (findNode, error) {
	arg, err := p.argument(name)
	if err != nil {
		return nil, err
	}
	kind, text := byte('='), arg
	if arg != "" && (arg[0] == '-' || arg[0] == '/') {
		kind, text = arg[0], arg[1:]
	}
	changes, ok := filemode.Compile(text)
	if !ok || len(arg) > 1 && arg[0] == '+' && arg[1] >= '0' && arg[1] <= '9' {
		return nil, p.find.fatalf("invalid mode %s", quote(arg))
	}
	file, directory := changes.Adjust(0, false, 0), changes.Adjust(0, true, 0)
	if kind == '/' && file == 0 && directory == 0 {
		p.find.warnf("warning: you have specified a mode pattern %s (which is equivalent to /000). The meaning of -perm /000 has now been changed to be consistent with -perm -000; that is, while it used to match no files, it now matches all files.", arg)
	}
	return p.need(func(info *vfs.Info) bool {
		want, bits := file, filemode.Bits(info.FileMode)
		if info.IsDir() {
			want = directory
		}
		switch kind {
		case '-':
			return bits&want == want
		case '/':
			return want == 0 || bits&want != 0
		}
		return bits == want
	}), nil
}

func (p *findParser) owner(name string) (findNode, error) {
	arg, err := p.argument(name)
	if err != nil {
		return nil, err
	}
	f := p.find
	lookup := f.userID
	if name == "-group" {
		lookup = f.groupID
	}
	id, ok := lookup(arg)
	if !ok {
		if id, ok = findDigits(arg); !ok {
			switch {
			case arg == "" && name == "-user":
				return nil, f.fatalf("The argument to -user should not be empty")
			case arg == "":
				return nil, f.fatalf("argument to -group is empty, but should be a group name")
			case name == "-user":
				return nil, f.fatalf("%s is not the name of a known user", quote(arg))
			}
			return nil, f.fatalf("%s is not the name of an existing group", quote(arg))
		}
	}
	return p.need(func(info *vfs.Info) bool {
		if name == "-user" {
			return info.UID == id
		}
		return info.GID == id
	}), nil
}

func (p *findParser) noOwner(name string) (findNode, error) {
	return p.need(func(info *vfs.Info) bool {
		known := false
		if name == "-nouser" {
			_, known = p.find.userName(info.UID)
		} else {
			_, known = p.find.groupName(info.GID)
		}
		return !known
	}), nil
}

func (p *findParser) access(name string) (findNode, error) {
	f, mode := p.find, vfs.AccessRead
	switch name {
	case "-writable":
		mode = vfs.AccessWrite
	case "-executable":
		mode = vfs.AccessExecute
	}
	return func(file *findFile) (bool, error) {
		return f.View().Access(f.ctx, file.Path, mode) == nil, f.ctx.Err()
	}, nil
}

// reference describes the file a test compares with.
func (p *findParser) reference(arg string) (*vfs.Info, error) {
	f := p.find
	stat := f.View().Stat
	if f.links == walk.Physical {
		stat = f.View().Lstat
	}
	info, err := stat(f.ctx, arg)
	if vfs.Errno(err) == vfs.ENOENT && f.links != walk.Physical {
		info, err = f.View().Lstat(f.ctx, arg)
	}
	if err != nil {
		return nil, f.fatalf("%s: %s", quote(arg), vfs.Words(err))
	}
	return info, nil
}

func (p *findParser) sameFile(name string) (findNode, error) {
	arg, err := p.argument(name)
	if err != nil {
		return nil, err
	}
	other, err := p.reference(arg)
	if err != nil {
		return nil, err
	}
	return p.need(func(info *vfs.Info) bool { return vfs.SameFile(info, other) }), nil
}

func (p *findParser) newer(name string) (findNode, error) {
	arg, err := p.argument(name)
	if err != nil {
		return nil, err
	}
	reference, err := p.reference(arg)
	if err != nil {
		return nil, err
	}
	which := byte('m')
	if name != "-newer" {
		which = name[1]
	}
	return p.need(func(info *vfs.Info) bool { return findTime(info, which).After(reference.Modified) }), nil
}

// findTime is one of a file's times by its letter.
func findTime(info *vfs.Info, which byte) time.Time {
	switch which {
	case 'a':
		return info.Accessed
	case 'c':
		return info.Changed
	}
	return info.Modified
}

func (p *findParser) newerXY(name string) (findNode, error) {
	f := p.find
	xy := strings.TrimPrefix(name, "-newer")
	if len(xy) != 2 {
		return nil, f.fatalf("unknown predicate `%s'", name)
	}
	if strings.IndexByte("aBcm", xy[0]) < 0 || strings.IndexByte("aBcmt", xy[1]) < 0 {
		return nil, f.fatalf("invalid predicate `%s'", name)
	}
	arg, ok := p.peek()
	if !ok {
		return nil, f.fatalf("The %s test needs an argument", quote(name))
	}
	p.at++
	if xy[0] == 'B' || xy[1] == 'B' {
		f.errorf("This system does not provide a way to find the birth time of a file.")
		return nil, f.fatalf("invalid predicate `%s'", name)
	}
	var limit time.Time
	if xy[1] == 't' {
		if limit, ok = dateparse.Parse(arg, f.start.In(f.location), strftime.Zone); !ok {
			return nil, f.fatalf("I cannot figure out how to interpret %s as a date or time", quote(arg))
		}
	} else {
		reference, err := p.reference(arg)
		if err != nil {
			return nil, err
		}
		limit = findTime(reference, xy[1])
	}
	return p.need(func(info *vfs.Info) bool { return findTime(info, xy[0]).After(limit) }), nil
}

// findDayStart is the end of t's day.
func findDayStart(t time.Time) time.Time {
	year, month, day := t.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, t.Location())
}

// findFloat reads a signed, possibly fractional number.
func findFloat(arg string) (sign byte, n float64, ok bool) {
	sign, rest := findSigned(arg)
	n, err := strconv.ParseFloat(strings.TrimLeft(rest, " \t"), 64)
	return sign, n, err == nil && !math.IsNaN(n) && math.Abs(n) <= 1e12
}

// age reads -mtime, -mmin and their kin: a possibly fractional number of days
// or minutes.
func (p *findParser) age(name string) (findNode, error) {
	arg, err := p.argument(name)
	if err != nil {
		return nil, err
	}
	f := p.find
	sign, n, ok := findFloat(arg)
	if !ok {
		return nil, f.fatalf("invalid argument `%s' to `%s'", arg, name)
	}
	unit, origin := 24*time.Hour, f.day
	if strings.HasSuffix(name, "min") {
		unit, origin = time.Minute, f.day.Add(24*time.Hour)
	} else if sign == '-' {
		origin = origin.Add(24*time.Hour - time.Second)
	}
	// Times are compared as seconds and nanoseconds: a Duration is too short.
	whole, fraction := math.Modf(n * unit.Seconds())
	limit := time.Unix(origin.Unix()-int64(whole), int64(origin.Nanosecond())-int64(fraction*1e9))
	which := name[1]
	return p.need(func(info *vfs.Info) bool {
		t := findTime(info, which)
		switch sign {
		case '+':
			return t.Before(limit)
		case '-':
			return t.After(limit)
		}
		return !t.Before(limit) && t.Before(limit.Add(unit))
	}), nil
}

func (p *findParser) used(name string) (findNode, error) {
	arg, err := p.argument(name)
	if err != nil {
		return nil, err
	}
	sign, n, ok := findFloat(arg)
	if !ok {
		return nil, p.find.fatalf("Invalid argument %s to -used", arg)
	}
	return p.need(func(info *vfs.Info) bool {
		days := info.Accessed.Sub(info.Changed).Hours() / 24
		switch {
		case days < 0:
			return false
		case sign == '+':
			return days > n
		case sign == '-':
			return days < n
		}
		return days >= n-1 && days < n
	}), nil
}

// findStorageType is what every storage is called where a type is asked for.
const findStorageType = "tmpfs"

func (p *findParser) fsType(name string) (findNode, error) {
	arg, err := p.argument(name)
	return func(*findFile) (bool, error) { return arg == findStorageType, nil }, err
}

func (p *findParser) context(name string) (findNode, error) {
	if _, err := p.argument(name); err != nil {
		return nil, err
	}
	return nil, p.find.fatalf("invalid predicate -context: SELinux is not enabled.")
}
