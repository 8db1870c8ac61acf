package builtins

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/vsh-project/vsh/builtins/internal/dateparse"
	"github.com/vsh-project/vsh/builtins/internal/patch"
	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/strftime"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

const (
	patchDryRun = 256 + iota
	patchVerbose
	patchBinary
	patchBackupIfMismatch
	patchNoBackupIfMismatch
	patchPosix
	patchQuotingStyle
	patchRejectFormat
	patchReadOnly
	patchMerge
	patchFollow
)

// patchCommand is one run of patch.
type patchCommand struct {
	*call
	files                                         patchFiles
	source                                        *patch.Source
	target, output, rejects, define, input        string
	fuzz, strip                                   int
	format                                        patch.Format
	backup, mismatchBackup, dryRun, force, batch  bool
	forward, removeEmpty, ignoreSpace, binary     bool
	posix, follow, silent, verbose, reverseGiven  bool
	merge, diff3, unifiedRejects, contextRejects  bool
	setTime, setUTC, readOnlyIgnored, readOnlyBad bool
	backups                                       backups
	prefix, basePrefix                            string
	directory                                     string
	quoteAs                                       string

	// what holds for the patch of one file.
	header  *patch.Header
	name    string
	info    *vfs.Info // nil: it does not exist
	missing bool      // the file was looked for and is not there
	reverse bool
	skip    bool
	failed  bool
}

func patchRun(c *call) error {
	p := &patchCommand{call: c, fuzz: 2, strip: -1}
	_, p.posix = c.Getenv("POSIXLY_CORRECT")
	p.mismatchBackup = !p.posix
	p.backups.suffix, _ = c.Getenv("SIMPLE_BACKUP_SUFFIX")
	if p.backups.suffix == "" {
		p.backups.suffix = ".orig"
	}
	operands, err := c.parse(p.option)
	if err != nil {
		return err
	}
	if len(operands) > 2 {
		c.errorf("%s: extra operand", operands[2])
		return p.try()
	}
	if len(operands) > 0 {
		p.target = operands[0]
	}
	if len(operands) > 1 {
		p.input = operands[1]
	}
	p.settleBackups()
	p.files.view = c.View()
	if p.directory != "" {
		info, err := c.View().Stat(c.ctx, p.directory)
		if err == nil && !info.IsDir() {
			err = vfs.ENOTDIR
		}
		if err != nil {
			return p.fatal("Can't change to directory %s : %s", p.directory, vfs.Words(err))
		}
		full, err := c.View().Realpath(c.ctx, p.directory, vfs.MissingNone)
		if err != nil {
			return p.fatal("Can't change to directory %s : %s", p.directory, vfs.Words(err))
		}
		p.files.view = c.View().WithDirectory(full)
	}
	return p.run()
}

// settleBackups finds the kind of backup from the options and variables.
func (p *patchCommand) settleBackups() {
	if p.backups.control == "" {
		for _, name := range []string{"PATCH_VERSION_CONTROL", "VERSION_CONTROL"} {
			if control, ok := p.Getenv(name); ok {
				p.backups.control = control
				break
			}
		}
	}
	kind, ok := backupOf(p.backups.control)
	if !ok && p.backups.control == "" {
		kind = existingBackups
	}
	p.backups.kind = kind
	if p.prefix != "" || p.basePrefix != "" {
		p.backups.kind = simpleBackups
	}
}

// say prints to stdout what patch tells its user.
func (p *patchCommand) say(format string, args ...any) { fmt.Fprintf(p.out, format, args...) }

// fatal ends the run as patch does.
func (p *patchCommand) fatal(format string, args ...any) error {
	p.out.Flush()
	fmt.Fprintf(p.Stderr, "%s: **** %s\n", p.label(), fmt.Sprintf(format, args...))
	return command.ExitError(2)
}

func (p *patchCommand) try() error {
	fmt.Fprintf(p.Stderr, "%s: Try '%s --help' for more information.\n", p.label(), p.label())
	return command.ExitError(2)
}

// ask puts a question nobody answers: the default is taken.
func (p *patchCommand) ask(format string, args ...any) { p.say(format+"\n", args...) }

func (p *patchCommand) quoted(name string) string {
	switch p.quoteAs {
	case "literal":
		return name
	case "shell-always":
		return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
	case "c", "escape":
		quoted := strconv.Quote(name)
		if p.quoteAs == "escape" {
			quoted = quoted[1 : len(quoted)-1]
		}
		return quoted
	}
	return quoteBare(name)
}

func (p *patchCommand) option(o *getopt.Parser) error {
	number := func(what string) (int, error) {
		n, err := strconv.Atoi(strings.TrimPrefix(o.Value, "+"))
		if err != nil || o.Value == "" {
			return 0, p.fatal("%s %s is not a number", what, o.Value)
		}
		if n < 0 {
			return 0, p.fatal("%s %s is negative", what, o.Value)
		}
		return n, nil
	}
	var err error
	switch o.Key {
	case 'b':
		p.backup = true
	case 'B':
		if o.Value == "" {
			return p.fatal("backup prefix is empty")
		}
		p.prefix = o.Value
	case 'c':
		p.format = patch.Context
	case 'd':
		p.directory = o.Value
	case 'D':
		p.define = o.Value
		if o.Value == "" || strings.Trim(o.Value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" || o.Value[0] <= '9' {
			return p.fatal("argument to -D is not an identifier")
		}
	case 'e':
		p.format = patch.Ed
	case 'E':
		p.removeEmpty = true
	case 'f':
		p.force = true
	case 'F':
		p.fuzz, err = number("fuzz factor")
	case 'g':
		_, err = number("get option value")
	case 'i':
		p.input = o.Value
	case 'l':
		p.ignoreSpace = true
	case 'n':
		p.format = patch.Normal
	case 'N':
		p.forward = true
	case 'o':
		p.output = o.Value
	case 'p':
		p.strip, err = number("strip count")
	case 'r':
		p.rejects = o.Value
	case 'R':
		p.reverseGiven = true
	case 's':
		p.silent = true
	case 't':
		p.batch = true
	case 'T':
		p.setTime = true
	case 'u':
		p.format = patch.Unified
	case 'v':
		return p.showVersion()
	case 'V':
		p.backups.control = o.Value
		if _, ok := backupOf(o.Value); !ok {
			p.errorf("invalid argument '%s' for '--version-control or -V option'\nValid arguments are:\n  - 'none', 'off'\n  - 'simple', 'never'\n  - 'existing', 'nil'\n  - 'numbered', 't'", o.Value)
			return p.try()
		}
	case 'Y':
		if o.Value == "" {
			return p.fatal("backup basename prefix is empty")
		}
		p.basePrefix = o.Value
	case 'z':
		if o.Value == "" {
			return p.fatal("backup suffix is empty")
		}
		p.backups.suffix = o.Value
	case 'Z':
		p.setUTC = true
	case patchDryRun:
		p.dryRun = true
	case patchVerbose:
		p.verbose = true
	case patchBinary:
		p.binary = true
	case patchBackupIfMismatch:
		p.mismatchBackup = true
	case patchNoBackupIfMismatch:
		p.mismatchBackup = false
	case patchPosix:
		p.posix, p.mismatchBackup = true, false
	case patchFollow:
		p.follow = true
	case patchQuotingStyle:
		switch o.Value {
		case "literal", "shell", "shell-always", "c", "escape", "locale", "clocale", "c-maybe", "shell-escape", "shell-escape-always":
			p.quoteAs = o.Value
		default:
			p.errorf("invalid argument '%s' for 'quoting style'", o.Value)
			return p.try()
		}
	case patchRejectFormat:
		switch o.Value {
		case "unified":
			p.unifiedRejects, p.contextRejects = true, false
		case "context":
			p.unifiedRejects, p.contextRejects = false, true
		}
	case patchReadOnly:
		switch o.Value {
		case "ignore":
			p.readOnlyIgnored = true
		case "warn":
			p.readOnlyIgnored, p.readOnlyBad = false, false
		case "fail":
			p.readOnlyBad = true
		default:
			return p.try()
		}
	case patchMerge:
		p.merge = true
		switch o.Value {
		case "", "merge":
		case "diff3":
			p.diff3 = true
		default:
			return p.try()
		}
	}
	return err
}

// run goes through the patches of the input.
func (p *patchCommand) run() error {
	text, err := p.readPatch()
	if err != nil {
		return err
	}
	s := patch.NewSource(text)
	s.Strip, s.Format, s.Binary = p.strip, p.format, p.binary
	zone := p.location()
	if p.setUTC {
		zone = time.UTC
	}
	now := p.Host().Now().In(zone)
	s.Date = func(text string) (time.Time, bool) { return dateparse.Parse(text, now, strftime.Zone) }
	s.Note = p.say
	p.source = s
	p.files.begin(p)
	if p.target != "" && p.output != "" && len(text) == 0 {
		if err := p.emptyPatch(); err != nil {
			return err
		}
	}
	git := false
	for {
		if err := p.ctx.Err(); err != nil {
			return err
		}
		more, err := p.next()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if git != p.header.Git {
			if git {
				if err := p.files.flush(); err != nil {
					return err
				}
			}
			git = !git
		}
		if err := p.file(); err != nil {
			return err
		}
	}
	if err := p.files.finish(); err != nil {
		return err
	}
	if p.failed {
		return command.ExitError(1)
	}
	return nil
}

func (p *patchCommand) readPatch() ([]byte, error) {
	if p.input == "" || p.input == "-" {
		text, err := p.slurp(p.Stdin)
		if err != nil && !p.ends(err) {
			return nil, p.fatal("read error : %s", vfs.Words(err))
		}
		return text, err
	}
	f, err := p.files.view.Open(p.ctx, p.input, vfs.O_RDONLY, 0)
	if err != nil {
		return nil, p.fatal("Can't open patch file %s : %s", p.quoted(p.input), vfs.Words(err))
	}
	defer f.Close()
	text, err := p.slurp(io.Reader(f))
	if err != nil && !p.ends(err) {
		return nil, p.fatal("read error : %s", vfs.Words(err))
	}
	return text, err
}

// next finds the header of the next patch and the file it is for.
func (p *patchCommand) next() (bool, error) {
	s := p.source
	p.skip, p.reverse = false, p.reverseGiven
	p.name, p.info, p.missing = p.target, nil, false
	if s.Done() {
		if p.verbose {
			p.say("done\n")
		}
		return false, nil
	}
	if p.verbose {
		p.say("Hmm...")
	}
	begun := s.Begun()
	p.header = s.Next(p.target == "" && !p.posix)
	if p.header == nil {
		if p.verbose {
			if begun {
				p.say("  Ignoring the trailing garbage.\ndone\n")
			} else {
				p.say("  I can't seem to find a patch in there anywhere.\n")
			}
		}
		if !begun && !s.Empty() {
			return false, p.fatal("Only garbage was found in the patch input.")
		}
		return false, nil
	}
	p.chooseName()
	if p.skip {
		return true, nil
	}
	if p.verbose {
		start := "L"
		if begun {
			start = "The next patch l"
		}
		p.say("  %sooks like %s to me...\n", start, p.header.Format)
	}
	if !p.silent {
		if p.header.Indent == 1 {
			p.say("(Patch is indented 1 space.)\n")
		} else if p.header.Indent > 1 {
			p.say("(Patch is indented %d spaces.)\n", p.header.Indent)
		}
		if p.header.StripCR {
			p.say("(Stripping trailing CRs from patch; use --binary to disable.)\n")
		}
		if p.name == "" {
			p.say("can't find file to patch at input line %d\n", p.header.Line)
			if p.header.Format != patch.Ed && p.header.Format != patch.Normal {
				if p.strip == -1 {
					p.say("Perhaps you should have used the -p or --strip option?\n")
				} else {
					p.say("Perhaps you used the wrong -p or --strip option?\n")
				}
			}
		}
	}
	if lead := s.Lead(); (p.verbose || p.name == "") && len(lead) > 0 {
		p.say("The text leading up to this was:\n--------------------------\n")
		for _, line := range lead {
			p.say("|%s", line)
		}
		p.say("--------------------------\n")
	}
	if p.name == "" {
		p.skip = true
		if p.force || p.batch {
			p.say("No file to patch.  Skipping patch.\n")
			return true, nil
		}
		p.ask("File to patch: ")
		p.ask("Skip this patch? [y] ")
		if !p.silent {
			p.say("Skipping patch.\n")
		}
	}
	return true, nil
}

// chooseName finds the file from the header's names, as POSIX says and better
// where it may.
func (p *patchCommand) chooseName() {
	h := p.header
	if p.name != "" {
		p.stat()
		if p.info == nil || p.info.FileMode.Type() == fileTypeOf(h) {
			p.maybeReverse(p.name, p.info == nil, p.info == nil || p.info.Bytes == 0)
		}
		return
	}
	names := h.Names
	if !p.posix && (names[patch.Old] != "" || names[patch.New] != "") {
		names[patch.Index] = ""
	}
	var infos [3]*vfs.Info
	var absent [3]bool
	last, chosen := patch.None, patch.None
	for i, name := range names {
		if name == "" {
			continue
		}
		infos[i] = p.files.stat(name)
		absent[i] = infos[i] == nil
		last = i
		if !absent[i] && p.posix && p.valid(name) {
			chosen = i
			break
		}
	}
	if !p.posix {
		chosen = patch.Best(names, absent, p.valid)
		if last != patch.None && (chosen == patch.None || infos[chosen].FileMode.Type() == fileTypeOf(h)) {
			at := chosen
			if chosen == patch.None {
				at = last
			}
			if p.maybeReverse(names[at], chosen == patch.None, chosen == patch.None || infos[chosen].Bytes == 0) && chosen == patch.None {
				chosen = last
			}
		}
		if chosen == patch.None && h.Absent[side(p.reverse)] > 0 {
			fewest := -1
			var missing [3]int
			for i, name := range names {
				if name != "" {
					missing[i] = p.files.missingDirectories(name)
					if fewest < 0 || missing[i] < fewest {
						fewest = missing[i]
					}
				}
			}
			for i := range missing {
				absent[i] = missing[i] > fewest
			}
			chosen = patch.Best(names, absent, p.valid)
		}
	}
	if (h.Rename || h.Copy) && !(chosen < patch.Index && names[patch.Old] != "" && names[patch.New] != "" && p.valid(names[patch.Old]) && p.valid(names[patch.New])) {
		what := "copy"
		if h.Rename {
			what = "rename"
		}
		p.say("Cannot %s file without two valid file names\n", what)
		p.skip = true
	}
	if chosen != patch.None {
		p.name, p.info = names[chosen], infos[chosen]
		p.missing = p.info == nil
	}
}

func (p *patchCommand) stat() {
	p.info = p.files.stat(p.name)
	p.missing = p.info == nil
}

func side(reverse bool) int {
	if reverse {
		return patch.New
	}
	return patch.Old
}

// maybeReverse asks about a patch that would create what there is, or delete
// what there is not.
func (p *patchCommand) maybeReverse(name string, nonexistent, empty bool) bool {
	flip := func(a, b bool) int { return side(a != b) }
	full := 1
	if empty {
		full = 0
	}
	if empty && p.header.Absent[flip(p.reverse, nonexistent)] == 1 && p.header.Absent[flip(!p.reverse, nonexistent)] == 2 {
		return false
	}
	looks := full < p.header.Absent[flip(p.reverse, empty)]
	if !looks {
		return false
	}
	when, what, is := "", "create", "already exists"
	if p.reverse {
		when = ", when reversed,"
	}
	if nonexistent {
		what, is = "delete", "does not exist"
	} else if empty {
		what, is = "empty out", "is already empty"
	}
	if p.okToReverse("The next patch%s would %s the file %s,\nwhich %s!", when, what, p.quoted(name), is) {
		p.reverse = !p.reverse
	}
	return true
}

// okToReverse says what was seen and whether to turn the patch around.
func (p *patchCommand) okToReverse(format string, args ...any) bool {
	if p.forward || !(p.force && p.silent) {
		p.say(format, args...)
	}
	switch {
	case p.forward:
		p.say("  Skipping patch.\n")
		p.skip = true
	case p.force:
		if !p.silent {
			p.say("  Applying it anyway.\n")
		}
	case p.batch:
		if p.reverse {
			p.say("  Ignoring -R.\n")
		} else {
			p.say("  Assuming -R.\n")
		}
		return true
	default:
		if p.reverse {
			p.ask("  Ignore -R? [n] ")
		} else {
			p.ask("  Assume -R? [n] ")
		}
		p.ask("Apply anyway? [n] ")
		if !p.silent {
			p.say("Skipping patch.\n")
		}
		p.skip = true
	}
	return false
}

// valid says whether a patch may name this file: none above the directory.
func (p *patchCommand) valid(name string) bool {
	if p.files.refused[name] {
		return false
	}
	safe := !strings.HasPrefix(name, "/")
	for _, part := range strings.Split(name, "/") {
		safe = safe && part != ".."
	}
	if !safe && p.files.view.Directory() != "/" {
		p.say("Ignoring potentially dangerous file name %s\n", p.quoted(name))
		p.files.refused[name] = true
		return false
	}
	return true
}

func patchProgram(string) *program {
	return &program{
		trouble:     2,
		prefixedTry: true,
		usage: `patch [OPTION]... [FILE [PATCH]]
Apply a patch, a diff in unified, context, normal or ed form, to the files it
names or to FILE.

  -p, --strip=N             take N leading directories off the names
  -i, --input=FILE          read the patch from FILE, not standard input
  -d, --directory=DIR       work in DIR
  -o, --output=FILE         write the result to FILE ("-": standard output)
  -r, --reject-file=FILE    write what does not apply to FILE
      --reject-format=FORM  unified or context
  -R, --reverse             the old and new files are swapped
  -N, --forward             skip what looks reversed or applied already
  -f, --force               ask nothing, apply it as it is
  -t, --batch               ask nothing, turn around what looks reversed
  -F, --fuzz=LINES          context lines that may differ (2)
  -l, --ignore-whitespace   any blanks match any others
      --merge[=FORM]        put conflicts into the file, as merge or diff3 does
  -c, -e, -n, -u            the patch is a context, ed, normal, unified diff
  -D, --ifdef=NAME          keep both versions between #ifdef NAME lines
  -E, --remove-empty-files  remove files that end up empty
  -T, --set-time            set times from the headers, as local time
  -Z, --set-utc             set times from the headers, as UTC
  -b, --backup              keep the old file; -B, -Y, -z and -V name it
      --backup-if-mismatch, --no-backup-if-mismatch
  -g, --get=N               accepted
      --follow-symlinks     patch what a link points at
      --read-only=WHAT      ignore, warn or fail where a file is read-only
      --quoting-style=WORD  how names are quoted
      --binary              keep carriage returns
      --posix               do as POSIX says
      --dry-run             change nothing
  -s, --quiet, --silent     say only what is wrong
      --verbose             say more`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'b', Long: "backup"}, {Key: 'B', Long: "prefix", Argument: getopt.Required}, {Key: 'c', Long: "context"},
			{Key: 'd', Long: "directory", Argument: getopt.Required}, {Key: 'D', Long: "ifdef", Argument: getopt.Required}, {Key: 'e', Long: "ed"},
			{Key: 'E', Long: "remove-empty-files"}, {Key: 'f', Long: "force"}, {Key: 'F', Long: "fuzz", Argument: getopt.Required},
			{Key: 'g', Long: "get", Argument: getopt.Required}, {Key: 'i', Long: "input", Argument: getopt.Required}, {Key: 'l', Long: "ignore-whitespace"},
			{Key: 'n', Long: "normal"}, {Key: 'N', Long: "forward"}, {Key: 'o', Long: "output", Argument: getopt.Required},
			{Key: 'p', Long: "strip", Argument: getopt.Required}, {Key: 'r', Long: "reject-file", Argument: getopt.Required}, {Key: 'R', Long: "reverse"},
			{Key: 's', Long: "quiet"}, {Key: 's', Long: "silent"}, {Key: 't', Long: "batch"}, {Key: 'T', Long: "set-time"}, {Key: 'u', Long: "unified"},
			{Key: 'v'}, {Key: 'V', Long: "version-control", Argument: getopt.Required}, {Key: 'x', Long: "debug", Argument: getopt.Required},
			{Key: 'Y', Long: "basename-prefix", Argument: getopt.Required}, {Key: 'z', Long: "suffix", Argument: getopt.Required}, {Key: 'Z', Long: "set-utc"},
			{Key: patchDryRun, Long: "dry-run"}, {Key: patchVerbose, Long: "verbose"}, {Key: patchBinary, Long: "binary"},
			{Key: patchBackupIfMismatch, Long: "backup-if-mismatch"}, {Key: patchNoBackupIfMismatch, Long: "no-backup-if-mismatch"}, {Key: patchPosix, Long: "posix"},
			{Key: patchQuotingStyle, Long: "quoting-style", Argument: getopt.Required}, {Key: patchRejectFormat, Long: "reject-format", Argument: getopt.Required},
			{Key: patchReadOnly, Long: "read-only", Argument: getopt.Required}, {Key: patchMerge, Long: "merge", Argument: getopt.Optional}, {Key: patchFollow, Long: "follow-symlinks"},
		}},
		run: patchRun,
	}
}
