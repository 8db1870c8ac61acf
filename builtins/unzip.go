package builtins

import (
	"bufio"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/vsh-project/vsh/builtins/internal/zipfile"
	"github.com/vsh-project/vsh/internal/pattern"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// Statuses of unzip.
const (
	unzipWarned    = 1
	unzipError     = 2
	unzipFormat    = 3
	unzipNoArchive = 9
	unzipUsage     = 10
	unzipNoMember  = 11
	unzipMethod    = 81
	unzipPassword  = 82
)

// unzipCommand is one run of unzip.
type unzipCommand struct {
	*call
	zipSelection
	mode      byte // x: extract, l, v, t, p, c, z, T, or Z for zipinfo
	info      zipinfoOptions
	quiet     int
	overwrite byte // o, n or 0: ask
	newer     byte // u or f
	junk      bool
	noCase    bool
	lower     int
	text      int
	keepUp    bool // -: allows ../
	directory string
	archive   *zipfile.Archive
	name      string
	answers   *bufio.Reader
	links     []unzipLink
}

// unzipLink is a symbolic link that is made once all files are there.
type unzipLink struct{ name, target string }

// zipSelection says which members count.
type zipSelection struct {
	list, exclude []zipPattern
}

type zipPattern struct {
	text    string
	pattern *pattern.Pattern
	used    bool
}

func newZipPattern(text string, noCase bool) zipPattern {
	return zipPattern{text: text, pattern: pattern.Compile(text, pattern.Options{NoCase: noCase})}
}

func (s *zipSelection) matches(c *call, name string) bool {
	stop := func() bool { return c.ctx.Err() != nil }
	fits := func(list []zipPattern) bool {
		for i := range list {
			if list[i].pattern.Match(name, stop) {
				list[i].used = true
				return true
			}
		}
		return false
	}
	return (len(s.list) == 0 || fits(s.list)) && !fits(s.exclude)
}

func unzipRun(c *call) error {
	u := &unzipCommand{call: c, mode: 'x'}
	arguments, zipinfo := c.Arguments, c.program.name == "zipinfo"
	if len(arguments) > 0 && strings.HasPrefix(arguments[0], "-Z") {
		zipinfo = true
		if arguments[0] == "-Z" {
			arguments = arguments[1:]
		} else {
			arguments = append([]string{"-" + arguments[0][2:]}, arguments[1:]...)
		}
	}
	if zipinfo {
		u.mode = 'Z'
	}
	for len(arguments) > 0 && len(arguments[0]) > 1 && arguments[0][0] == '-' {
		word := arguments[0]
		arguments = arguments[1:]
		switch word {
		case "--help":
			return c.showHelp()
		case "--version":
			return c.showVersion()
		}
		if word == "-d" || word == "-x" {
			arguments = append([]string{word}, arguments...)
			break
		}
		option := u.option
		if zipinfo {
			option = u.infoOption
		}
		for i := 1; i < len(word); i++ {
			if word[i] == 'd' && !zipinfo && i == len(word)-1 {
				arguments = append([]string{"-d"}, arguments...)
				break
			}
			if !option(word[i]) {
				return u.usage()
			}
		}
		if len(arguments) > 0 && arguments[0] == "-d" {
			break
		}
	}
	if u.mode == 'h' {
		return c.showHelp()
	}
	if len(arguments) > 0 && arguments[0] == "-d" && !zipinfo {
		if len(arguments) < 2 {
			return u.usage()
		}
		u.directory = arguments[1]
		arguments = arguments[2:]
	}
	if len(arguments) == 0 {
		if u.mode == 'v' {
			return c.showVersion()
		}
		return u.noArguments()
	}
	name := arguments[0]
	if err := u.operands(arguments[1:]); err != nil {
		return err
	}
	return u.run(name)
}

func (u *unzipCommand) noArguments() error {
	fmt.Fprintf(u.out, "Usage: %s\n", u.program.usage)
	if u.program.name == "zipinfo" || u.mode == 'Z' {
		return command.ExitError(unzipUsage)
	}
	return nil
}

func (u *unzipCommand) usage() error {
	u.out.Flush()
	fmt.Fprintf(u.Stderr, "Usage: %s\n", u.program.usage)
	return command.ExitError(unzipUsage)
}

// option takes one letter; false: there is none such.
func (u *unzipCommand) option(letter byte) bool {
	switch letter {
	case 'l', 'v', 't', 'p', 'c', 'z', 'T', 'h':
		u.mode = letter
	case 'o', 'n':
		u.overwrite = letter
	case 'u', 'f':
		u.newer = letter
	case 'q':
		u.quiet++
	case 'j':
		u.junk = true
	case 'C':
		u.noCase = true
	case 'L':
		u.lower++
	case 'a':
		u.text++
	case ':':
		u.keepUp = true
	case 'b', 'B', 'D', 'F', 'K', 'M', 'U', 'V', 'W', 'X', '^', '2':
	default:
		return false
	}
	return true
}

// operands reads the members, those after -x, and the directory after -d.
func (u *unzipCommand) operands(words []string) error {
	excluding := false
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case word == "-x":
			excluding = true
		case word == "-d" && u.mode != 'Z':
			i++
			if i == len(words) {
				return u.usage()
			}
			u.directory = words[i]
			excluding = false
		case strings.HasPrefix(word, "-d") && u.mode != 'Z':
			u.directory = word[2:]
		case excluding:
			u.exclude = append(u.exclude, newZipPattern(word, u.noCase))
		default:
			u.list = append(u.list, newZipPattern(word, u.noCase))
		}
	}
	return nil
}

// run opens the archive, whose name may lack .zip, and does what is asked for.
func (u *unzipCommand) run(name string) error {
	file, found, err := u.find(name)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	u.name = found
	speaks := u.mode != 'p' && u.mode != 'Z' && u.mode != 'T' && (u.quiet == 0 || u.mode == 'z')
	u.archive, err = zipfile.Read(file, info.Bytes, u.Host().Charge)
	if errors.Is(err, zipfile.ErrNoEnd) || errors.Is(err, zipfile.ErrDamaged) {
		if speaks || u.mode == 'Z' && !u.info.bare() {
			fmt.Fprintf(u.out, "Archive:  %s\n", found)
		}
		return u.noDirectory(found)
	}
	if err != nil {
		return err
	}
	if speaks && !(u.mode == 't' && u.quiet > 0) {
		fmt.Fprintf(u.out, "Archive:  %s\n", found)
		if u.archive.Comment != "" && u.mode != 'v' || u.mode == 'z' {
			fmt.Fprintf(u.out, "%s\n", u.archive.Comment)
		}
	}
	switch u.mode {
	case 'z':
		return nil
	case 'T':
		return u.stamp(found)
	case 'l', 'v':
		u.short(u.mode == 'v')
	case 'Z':
		return u.zipinfo()
	default:
		if err := u.extract(); err != nil {
			return err
		}
	}
	u.unmatched()
	return u.end()
}

// end is the status; 11 only where nothing worse is known.
func (u *unzipCommand) end() error {
	if u.status != 0 {
		return command.ExitError(u.status)
	}
	return nil
}

func (u *unzipCommand) worse(status uint8) { u.status = max(u.status, status) }

func (u *unzipCommand) find(name string) (vfs.File, string, error) {
	for _, try := range [...]string{name, name + ".zip", name + ".ZIP"} {
		file, err := u.View().Open(u.ctx, try, vfs.O_RDONLY, 0)
		if err == nil {
			if info, err := file.Stat(); err == nil && !info.IsDir() {
				return file, try, nil
			}
			file.Close()
			continue
		}
		if u.ends(err) {
			return nil, "", err
		}
	}
	u.out.Flush()
	program := "unzip"
	if u.mode == 'Z' {
		program = "zipinfo"
	}
	fmt.Fprintf(u.Stderr, "%s:  cannot find or open %s, %s.zip or %s.ZIP.\n", program, name, name, name)
	return nil, "", command.ExitError(unzipNoArchive)
}

// complaints is where messages go: with -t they are part of the report.
func (u *unzipCommand) complaints() io.Writer {
	if u.mode == 't' {
		return u.out
	}
	return flushed{u.call}
}

func (u *unzipCommand) noDirectory(name string) error {
	program := "unzip"
	if u.mode == 'Z' {
		program = "zipinfo"
	}
	fmt.Fprintf(u.complaints(), `  End-of-central-directory signature not found.  Either this file is not
  a zipfile, or it constitutes one disk of a multi-part archive.  In the
  latter case the central directory and zipfile comment will be found on
  the last disk(s) of this archive.
%s:  cannot find zipfile directory in one of %s or
        %s.zip, and cannot find %s.ZIP, period.
`, program, name, name, name)
	return command.ExitError(unzipNoArchive)
}

// unmatched complains about operands that no member matches.
func (u *unzipCommand) unmatched() {
	for i, list := range [...][]zipPattern{u.list, u.exclude} {
		for _, p := range list {
			if p.used {
				continue
			}
			if i == 0 {
				u.worse(unzipNoMember)
			}
			if i == 0 && u.mode == 'l' || u.mode == 'v' {
				continue
			}
			what := "filename"
			if i == 1 {
				what = "excluded filename"
			}
			fmt.Fprintf(u.complaints(), "caution: %s not matched:  %s\n", what, p.text)
		}
	}
}

// stamp is -T: the archive gets the time of its newest member.
func (u *unzipCommand) stamp(name string) error {
	var latest *zipfile.Entry
	for _, e := range u.archive.Entries {
		if latest == nil || e.Modified().After(latest.Modified()) {
			latest = e
		}
	}
	if latest == nil {
		return u.end()
	}
	if err := u.View().Chtimes(u.ctx, name, latest.Modified(), latest.Modified(), true); err != nil {
		return err
	}
	if u.quiet == 0 {
		fmt.Fprintf(u.out, "Updated time stamp for %s.\n", name)
	}
	return nil
}

// extract does what -t, -p, -c and no option do.
func (u *unzipCommand) extract() error {
	if u.mode == 'x' && u.directory != "" {
		if err := u.makeRoot(); err != nil {
			return err
		}
	}
	done := 0
	var directories []*zipfile.Entry
	for _, e := range u.archive.Entries {
		if err := u.ctx.Err(); err != nil {
			return err
		}
		if !u.matches(u.call, e.Name) {
			continue
		}
		done++
		var err error
		if u.mode == 'x' {
			if err = u.member(e); e.IsDir() && !u.junk {
				directories = append(directories, e)
			}
		} else {
			err = u.show(e)
		}
		if err != nil {
			return err
		}
	}
	u.finishLinks()
	for i := len(directories) - 1; i >= 0; i-- {
		e := directories[i]
		if name, _ := u.target(e); name != "" {
			u.attributes(e, strings.TrimSuffix(name, "/"))
		}
	}
	if u.mode == 't' {
		u.unmatched()
		u.list, u.exclude = nil, nil
		u.tested(done)
	}
	return nil
}

func (u *unzipCommand) tested(done int) {
	switch plural := "files"; {
	case u.quiet > 1:
	case u.status != 0:
		fmt.Fprintf(u.out, "At least one error was detected in %s.\n", u.name)
	case done == len(u.archive.Entries):
		fmt.Fprintf(u.out, "No errors detected in compressed data of %s.\n", u.name)
	default:
		if done == 1 {
			plural = "file"
		}
		fmt.Fprintf(u.out, "No errors detected in %s for the %d %s tested.\n", u.name, done, plural)
	}
}

// makeRoot makes the last element of -d's directory.
func (u *unzipCommand) makeRoot() error {
	name := strings.TrimRight(u.directory, "/")
	if name == "" {
		return nil
	}
	if info, err := u.View().Stat(u.ctx, name); err == nil && info.IsDir() {
		return nil
	}
	if err := u.View().Mkdir(u.ctx, name, 0o777); err != nil {
		u.out.Flush()
		fmt.Fprintf(u.Stderr, "checkdir:  cannot create extraction directory: %s\n           %s\n", u.directory, vfs.Words(err))
		return command.ExitError(unzipError)
	}
	return nil
}

// target is the file that a member becomes; "" for none. warned says that its
// name was made safe.
func (u *unzipCommand) target(e *zipfile.Entry) (name string, warned string) {
	name = e.Name
	if u.lower > 1 || u.lower == 1 && e.MadeBy>>8 != zipfile.MadeByUnix {
		name = strings.ToLower(name)
	}
	if strings.HasPrefix(name, "/") {
		name = strings.TrimLeft(name, "/")
		warned = fmt.Sprintf("warning:  stripped absolute path spec from %s\n", e.Name)
	}
	if !u.keepUp {
		directory := strings.HasSuffix(name, "/")
		var kept []string
		for _, part := range strings.Split(strings.TrimSuffix(name, "/"), "/") {
			switch part {
			case "..":
				warned = fmt.Sprintf("warning:  skipped \"../\" path component(s) in %s\n", e.Name)
			case "", ".":
			default:
				kept = append(kept, part)
			}
		}
		name = strings.Join(kept, "/")
		if directory && name != "" {
			name += "/"
		}
	}
	if u.junk {
		if strings.HasSuffix(name, "/") {
			return "", ""
		}
		name = path.Base(name)
	}
	if name != "" && u.directory != "" {
		name = strings.TrimRight(u.directory, "/") + "/" + name
	}
	return name, warned
}

// unpacked is a member's data; a message is out where there is none.
func (u *unzipCommand) unpacked(e *zipfile.Entry) (io.Reader, bool) {
	skip := func(why string, status uint8) (io.Reader, bool) {
		u.out.Flush()
		fmt.Fprintf(u.Stderr, "   skipping: %-22s  %s\n", e.Name, why)
		u.worse(status)
		return nil, false
	}
	if e.Flags&zipfile.FlagEncrypted != 0 {
		return skip("unable to get password", unzipPassword)
	}
	raw, err := u.archive.Raw(e)
	if err != nil {
		u.out.Flush()
		fmt.Fprintf(u.Stderr, "file #%d:  bad zipfile offset (local header sig):  %d\n", u.number(e), e.Offset)
		u.worse(unzipFormat)
		return nil, false
	}
	r, ok := zipfile.Open(e, raw)
	if !ok {
		return skip(fmt.Sprintf("need PK compat. v%d.%d (can do v4.6)", e.Needs/10, e.Needs%10), unzipMethod)
	}
	return r, true
}

func (u *unzipCommand) number(e *zipfile.Entry) int {
	for i, other := range u.archive.Entries {
		if other == e {
			return i + 1
		}
	}
	return 0
}

// verb is how the line about a member that is unpacked begins.
func verb(e *zipfile.Entry) string {
	if e.Method == zipfile.Store {
		return " extracting"
	}
	return "  inflating"
}

// copyMember unpacks a member; false: it is damaged, and the message is out.
func (u *unzipCommand) copyMember(e *zipfile.Entry, r io.Reader, out io.Writer) (bool, error) {
	sum := crc32.NewIEEE()
	var to io.Writer = out
	if u.text > 1 || u.text == 1 && e.Attributes&1 != 0 {
		to = &unixLines{w: out}
	}
	limited := io.LimitReader(r, int64(e.Size)+1)
	err := copyBlocks(u.ctx, io.MultiWriter(to, sum), limited)
	if u.ends(err) {
		return false, err
	}
	complain := func(format string, args ...any) (bool, error) {
		u.out.Flush()
		if u.mode != 't' && u.mode != 'x' || u.quiet > 0 {
			fmt.Fprintf(u.Stderr, "%-22s ", e.Name)
		}
		w := io.Writer(u.Stderr)
		if u.mode == 't' && u.quiet == 0 {
			w = u.out
		}
		fmt.Fprintf(w, format, args...)
		u.worse(unzipError)
		return false, nil
	}
	var broken *copyReadError
	if errors.As(err, &broken) {
		return complain("\n  error:  invalid compressed data to inflate\n")
	}
	if err != nil {
		return false, err
	}
	if sum.Sum32() != e.CRC {
		return complain(" bad CRC %08x  (should be %08x)\n", sum.Sum32(), e.CRC)
	}
	return true, nil
}

// unixLines turns lines that end in CR LF into ones that end in LF.
type unixLines struct {
	w  io.Writer
	cr bool
}

func (l *unixLines) Write(p []byte) (int, error) {
	out := make([]byte, 0, len(p)+1)
	for _, c := range p {
		if l.cr && c != '\n' {
			out = append(out, '\r')
		}
		if l.cr = c == '\r'; !l.cr {
			out = append(out, c)
		}
	}
	if _, err := l.w.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// show is -p, -c and -t of one member.
func (u *unzipCommand) show(e *zipfile.Entry) error {
	if e.IsDir() && u.mode != 't' {
		return nil
	}
	r, ok := u.unpacked(e)
	if !ok {
		return nil
	}
	out := io.Writer(u.out)
	switch {
	case u.mode == 't':
		out = io.Discard
		if u.quiet == 0 {
			fmt.Fprintf(u.out, "    testing: %-22s  ", e.Name)
		}
	case u.mode == 'c' && u.quiet == 0:
		fmt.Fprintf(u.out, "%s: %-22s  \n", verb(e), e.Name)
	}
	ok, err := u.copyMember(e, r, out)
	switch {
	case err != nil:
		return err
	case u.mode == 't' && u.quiet == 0 && ok:
		fmt.Fprint(u.out, " OK\n")
	case u.mode == 'c':
		fmt.Fprint(u.out, "\n")
	}
	return nil
}

// member extracts one member to its file.
func (u *unzipCommand) member(e *zipfile.Entry) error {
	name, warned := u.target(e)
	if name == "" {
		return nil
	}
	if warned != "" {
		fmt.Fprint(u.out, warned)
		u.worse(unzipWarned)
	}
	if strings.HasSuffix(name, "/") {
		return u.makeDirectory(strings.TrimSuffix(name, "/"), true)
	}
	name, write, err := u.mayWrite(e, name)
	if err != nil || !write {
		return err
	}
	if dir := path.Dir(name); dir != "." && dir != "/" {
		if err := u.makeDirectory(dir, false); err != nil {
			return err
		}
	}
	r, ok := u.unpacked(e)
	if !ok {
		return nil
	}
	if mode, unix := e.Mode(); unix && mode&0o170000 == 0o120000 {
		return u.link(e, name, r)
	}
	if u.quiet == 0 {
		kind := ""
		switch {
		case u.text > 1:
		case u.text == 1 && e.Attributes&1 != 0:
			kind = "[text]  "
		case u.text == 1:
			kind = "[binary]"
		}
		fmt.Fprintf(u.out, "%s: %-22s  %s", verb(e), name, kind)
	}
	whole := true
	err = u.replaceFile(name, func(out io.Writer) error {
		var err error
		whole, err = u.copyMember(e, r, out)
		return err
	})
	if err != nil {
		return u.cannot(name, err)
	}
	if u.quiet == 0 && whole {
		fmt.Fprint(u.out, "\n")
	}
	u.attributes(e, name)
	return nil
}

// cannot reports a file that cannot be written; the others still are.
func (u *unzipCommand) cannot(name string, err error) error {
	if u.ends(err) {
		return err
	}
	u.out.Flush()
	fmt.Fprintf(u.Stderr, "error:  cannot create %s\n        %s\n", name, vfs.Words(err))
	u.worse(50)
	return nil
}

// replaceFile makes name anew: what was there is unlinked first, so that no
// link is written through.
func (u *unzipCommand) replaceFile(name string, fill func(io.Writer) error) error {
	if info, err := u.View().Lstat(u.ctx, name); err == nil && !info.IsDir() {
		if err := u.View().Unlink(u.ctx, name); err != nil {
			return err
		}
	}
	return u.makeFile(name, 0o666&^u.View().Umask(), fill)
}

func (u *unzipCommand) makeDirectory(name string, told bool) error {
	if info, err := u.View().Stat(u.ctx, name); err == nil && info.IsDir() {
		return nil
	}
	if dir := path.Dir(name); dir != "." && dir != "/" && dir != name {
		if err := u.makeDirectory(dir, false); err != nil {
			return err
		}
	}
	if err := u.View().Mkdir(u.ctx, name, 0o777); err != nil {
		return u.cannot(name, err)
	}
	if told && u.quiet == 0 {
		fmt.Fprintf(u.out, "   creating: %s/\n", name)
	}
	return nil
}

func (u *unzipCommand) link(e *zipfile.Entry, name string, r io.Reader) error {
	var target strings.Builder
	if e.Size > 4096 {
		u.worse(unzipError)
		return nil
	}
	if ok, err := u.copyMember(e, r, &target); err != nil || !ok {
		return err
	}
	if u.quiet == 0 {
		fmt.Fprintf(u.out, "    linking: %-22s  -> %s \n", name, target.String())
	}
	u.links = append(u.links, unzipLink{name, target.String()})
	return nil
}

// finishLinks makes the links, which no member can be written through so.
func (u *unzipCommand) finishLinks() {
	if len(u.links) == 0 {
		return
	}
	if u.quiet == 0 {
		fmt.Fprint(u.out, "finishing deferred symbolic links:\n")
	}
	for _, l := range u.links {
		if u.quiet == 0 {
			fmt.Fprintf(u.out, "  %-22s -> %s\n", l.name, l.target)
		}
		if info, err := u.View().Lstat(u.ctx, l.name); err == nil && !info.IsDir() {
			u.View().Unlink(u.ctx, l.name)
		}
		if err := u.View().Symlink(u.ctx, l.target, l.name); err != nil {
			u.out.Flush()
			fmt.Fprintf(u.Stderr, "symlink error: %s\n", vfs.Words(err))
			u.worse(unzipWarned)
		}
	}
}

func (u *unzipCommand) attributes(e *zipfile.Entry, name string) {
	if mode, unix := e.Mode(); unix {
		u.View().Chmod(u.ctx, name, fs.FileMode(mode&0o777))
	}
	u.View().Chtimes(u.ctx, name, e.Modified(), e.Modified(), true)
}

// mayWrite decides about a file that is there already.
func (u *unzipCommand) mayWrite(e *zipfile.Entry, name string) (string, bool, error) {
	for {
		info, err := u.View().Lstat(u.ctx, name)
		if err != nil {
			return name, u.newer != 'f', nil
		}
		if u.newer != 0 && !e.Modified().After(info.Modified) {
			return name, false, nil
		}
		switch u.overwrite {
		case 'o':
			return name, true, nil
		case 'n':
			return name, false, nil
		}
		answer, err := u.ask(fmt.Sprintf("replace %s? [y]es, [n]o, [A]ll, [N]one, [r]ename: ", name))
		if err != nil {
			return name, false, err
		}
		switch {
		case answer == "":
			u.overwrite = 'n'
			fmt.Fprint(u.Stderr, " NULL\n(EOF or read error, treating as \"[N]one\" ...)\n")
			u.worse(unzipWarned)
			return name, false, nil
		case strings.ContainsRune("yY", rune(answer[0])):
			return name, true, nil
		case answer[0] == 'n':
			return name, false, nil
		case answer[0] == 'A':
			u.overwrite = 'o'
			return name, true, nil
		case answer[0] == 'N':
			u.overwrite = 'n'
			return name, false, nil
		case answer[0] == 'r':
			renamed := ""
			for renamed == "" {
				if renamed, err = u.ask("new name: "); err != nil {
					return name, false, err
				}
				if renamed == "" {
					u.overwrite = 'n'
					u.worse(unzipWarned)
					return name, false, nil
				}
				renamed = strings.TrimSuffix(renamed, "\n")
			}
			name = renamed
		default:
			fmt.Fprintf(u.Stderr, "error:  invalid response [%s]\n", strings.TrimSuffix(answer, "\n"))
		}
	}
}

// ask reads a line of the answer with its end; "" at the end of the input.
func (u *unzipCommand) ask(question string) (string, error) {
	if err := u.out.Flush(); err != nil {
		return "", err
	}
	fmt.Fprint(u.Stderr, question)
	if u.answers == nil {
		u.answers = bufio.NewReaderSize(u.Stdin, 512)
	}
	line, err := u.answers.ReadSlice('\n')
	if err != nil && err != io.EOF && !errors.Is(err, bufio.ErrBufferFull) {
		return "", err
	}
	return string(line), nil
}

func unzipProgram(string) *program {
	return &program{
		usage: `unzip [-Z] [-OPTIONS] FILE[.zip] [MEMBER]... [-x MEMBER...] [-d DIRECTORY]
Extract the members of a zip archive, or those that match.

  -p  members to standard output, nothing else     -c  the same with names
  -l  list (-v: with sizes and sums)               -t  test
  -z  the archive's comment                        -T  give the archive its newest member's time
  -u  update: newer files and missing ones         -f  newer files only
  -o  overwrite, ask nothing                       -n  never overwrite
  -x  all but the members that follow              -d  extract into DIRECTORY
  -q  quiet (-qq: quieter)                         -j  without directories
  -C  match names without case                     -L  small letters for names of MS-DOS (-LL: for all)
  -a  lines of text files end as Unix has them     -aa  of all files
  -:  keep ../ in names
  -B -D -F -K -M -U -V -W -X -b   accepted, without effect
  -Z  zipinfo: see zipinfo`,
		noHelp: true, trouble: unzipUsage, run: unzipRun,
	}
}
