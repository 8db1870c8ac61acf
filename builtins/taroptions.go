package builtins

import (
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vsh-project/vsh/builtins/internal/dateparse"
	"github.com/vsh-project/vsh/builtins/internal/filemode"
	"github.com/vsh-project/vsh/builtins/internal/tarformat"
	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/strftime"
	"github.com/vsh-project/vsh/vfs"
)

type tarTextualDate struct {
	option, text string
	at           time.Time
}

// oldStyle turns a first word of letters without a dash into options, each
// with its argument from the words that follow.
func (t *tarCommand) oldStyle(args []string, options []getopt.Option) ([]string, error) {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return args, nil
	}
	letters, rest := args[0], args[1:]
	var out []string
	for i := 0; i < len(letters); i++ {
		word := "-" + letters[i:i+1]
		for _, o := range options {
			if o.Key != rune(letters[i]) || o.Argument != getopt.Required {
				continue
			}
			if len(rest) == 0 {
				return nil, t.usage("Old option '%c' requires an argument.", letters[i])
			}
			// Apart from its letter, an empty argument would be none.
			out, word, rest = append(out, word), rest[0], rest[1:]
			break
		}
		out = append(out, word)
	}
	return append(out, rest...), nil
}

// options reads the command line.
func (t *tarCommand) options() error {
	spec := t.program.options
	spec.Order = getopt.InOrder
	args, err := t.oldStyle(t.Arguments, spec.Options)
	if err != nil {
		return err
	}
	if usual, _ := t.Getenv("TAR_OPTIONS"); usual != "" {
		words, _ := tarWords(usual)
		args = append(words, args...)
	}
	p := getopt.New(&spec, args)
	for p.Next() {
		if err := t.option(p); err != nil {
			return err
		}
	}
	if err := p.Err(); err != nil {
		t.warnf("%s", err)
		return t.pointToHelp(tarBadOption)
	}
	for _, name := range p.Operands() {
		t.elements = append(t.elements, tarElement{kind: tarElementName, text: name})
	}
	return t.settle()
}

func (t *tarCommand) setMode(m tarMode) error {
	if t.mode != 0 && t.mode != m {
		return t.usage("You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option")
	}
	t.mode = m
	return nil
}

func (t *tarCommand) setPacker(name string) error {
	if t.packer != "" && t.packer != name {
		return t.usage("Conflicting compression options")
	}
	t.packer = name
	return nil
}

// option is one option of the command line.
func (t *tarCommand) option(p *getopt.Parser) error {
	if p.Key == 1 {
		t.elements = append(t.elements, tarElement{kind: tarElementName, text: p.Value})
		return nil
	}
	if done, err := t.selecting(p, &t.elements); done {
		return err
	}
	switch p.Key {
	case 'A', 'c', 'd', 'r', 't', 'u', 'x':
		return t.setMode(tarMode(p.Key))
	case tarOptDelete:
		return t.setMode(tarDelete)
	case tarOptTestLabel:
		return t.setMode(tarTestLabel)
	case 'a':
		t.autoPacker = true
	case tarOptNoAutoCompress:
		t.autoPacker = false
	case 'b':
		n, err := strconv.ParseUint(p.Value, 10, 63)
		if err != nil || n == 0 || n > math.MaxInt64/tarformat.BlockSize {
			return t.usage("%s: Invalid blocking factor", t.colonName(p.Value))
		}
		return t.setBlocking(int64(n), p.Value)
	case tarOptRecordSize:
		n, ok := tarSize(p.Value)
		if !ok || n == 0 {
			return t.usage("%s: Invalid record size", t.colonName(p.Value))
		}
		if n%tarformat.BlockSize != 0 {
			return t.usage("Record size must be a multiple of %d.", tarformat.BlockSize)
		}
		return t.setBlocking(n/tarformat.BlockSize, p.Value)
	case 'f':
		t.archives = append(t.archives, p.Value)
	case 'F', 'L', 'M':
		return t.refuse("multi-volume archives", p.Typed)
	case 'g':
		t.incremental, t.snapshot = true, p.Value
	case 'G':
		t.incremental = true
	case tarOptLevel:
		n, err := strconv.ParseUint(p.Value, 10, 31)
		if err != nil {
			return t.usage("Invalid incremental level value")
		}
		t.level = int(n)
	case 'h':
		t.dereference = true
	case 'H':
		return t.setFormat(p.Value)
	case tarOptOldArchive:
		return t.setFormat("v7")
	case tarOptPosix:
		return t.setFormat("posix")
	case 'i':
		t.ignoreZeros = true
	case 'I':
		return t.setPacker(p.Value)
	case 'j':
		return t.setPacker("bzip2")
	case 'J':
		return t.setPacker("xz")
	case 'z':
		return t.setPacker("gzip")
	case 'Z':
		return t.setPacker("compress")
	case tarOptLzip:
		return t.setPacker("lzip")
	case tarOptLzma:
		return t.setPacker("lzma")
	case tarOptLzop:
		return t.setPacker("lzop")
	case tarOptZstd:
		return t.setPacker("zstd")
	case 'K':
		t.startingFile = p.Value
		t.elements = append(t.elements, tarElement{kind: tarElementName, text: p.Value})
	case 'l':
		t.checkLinks = true
	case 'm':
		t.touch = true
	case 'N', tarOptNewerMtime:
		return t.setNewer(p)
	case 'o':
		// With -c the old format, with -x nobody's owners: settled later.
		t.sameOwner = min(t.sameOwner, -2)
	case 'O':
		t.toStdout = true
	case 'p':
		t.samePermissions = 1
	case 'P':
		t.absoluteNames = true
	case 'R':
		t.blockNumbers = true
	case 's':
		t.sameOrder = true
	case 'S':
		t.sparse = true
	case 'v':
		t.verbose++
	case 'V':
		t.volume, t.hasVolume = p.Value, true
	case 'w':
		t.interactive = true
	case 'W':
		t.verify = true
	case 'k':
		return t.setOldFiles(tarKeepOld)
	case 'U':
		return t.setOldFiles(tarUnlinkFirst)
	case tarOptForceLocal:
		t.forceLocal = true
	case 'B', 'n', tarOptCheckDevice, tarOptNoCheckDevice, tarOptNoSeek, tarOptRmt, tarOptRsh, tarOptVolno, tarOptRestrict, tarOptNoACLs, tarOptXattrMask, tarOptACLs, tarOptXattrs:
		// Nothing here is a tape or far away, and files have no further attributes.
	case '?':
		return t.showHelp()
	case tarOptUsage:
		fmt.Fprintf(t.out, "Usage: %s [-AcdrtuxW] [-f ARCHIVE] [OPTION...] [FILE]...\n", t.label())
		return errDone
	case keyVersion:
		return t.showVersion()
	case '0', '1', '2', '3', '4', '5', '6', '7':
		return t.usage("Options '-[0-7][lmh]' not supported by *this* tar")
	default:
		return t.longOption(p)
	}
	return nil
}

// refuse is the answer to what is left out.
func (t *tarCommand) refuse(what, option string) error {
	return t.fatal("%s: %s are not supported", option, what)
}

func (t *tarCommand) longOption(p *getopt.Parser) error {
	switch p.Key {
	case tarOptAtimePreserve:
		if p.HasValue {
			_, err := t.match("--atime-preserve", p.Value, "replace", "system")
			return err
		}
	case tarOptBackup:
		t.backup.wanted, t.backup.control = true, p.Value
	case tarOptSuffix:
		t.backup.wanted, t.backup.suffix = true, p.Value
	case tarOptCheckpoint:
		t.checkpoint = 10
		if p.HasValue {
			n, err := strconv.ParseInt(strings.TrimPrefix(p.Value, "."), 10, 64)
			if p.Value == "." {
				n, err = 10, nil
			}
			if err != nil || n < 0 {
				return t.fatal("--checkpoint value is not an integer")
			}
			t.checkpoint = n
			if p.Value[0] == '.' {
				return t.addCheckpointAction("dot")
			}
		}
	case tarOptCheckpointAction:
		return t.addCheckpointAction(p.Value)
	case tarOptClamp:
		t.clamp = true
	case tarOptDelayDirectories:
		t.delayDirectories = true
	case tarOptNoDelayDirectories:
		t.delayDirectories = false
	case tarOptFullTime:
		t.fullTime = true
	case tarOptUTC:
		t.utc = true
	case tarOptGroup, tarOptOwner:
		return t.setOwner(p.Key == tarOptGroup, p.Value)
	case tarOptGroupMap, tarOptOwnerMap:
		return t.readOwnerMap(p.Key == tarOptGroupMap, p.Value)
	case tarOptHardDereference:
		t.hardDereference = true
	case tarOptHoleDetection:
		_, err := t.match("--hole-detection", p.Value, "raw", "seek")
		return err
	case tarOptIgnoreCommandError:
		t.ignoreCommandError = true
	case tarOptNoIgnoreCommandError:
		t.ignoreCommandError = false
	case tarOptIgnoreFailedRead:
		t.ignoreFailedRead = true
	case tarOptIndexFile:
		t.indexFile = p.Value
	case tarOptKeepDirectoryLink:
		t.keepDirectoryLink = true
	case tarOptKeepNewer:
		return t.setOldFiles(tarKeepNewer)
	case tarOptNoOverwriteDir:
		return t.setOldFiles(tarNoOverwriteDir)
	case tarOptOverwrite:
		return t.setOldFiles(tarOverwrite)
	case tarOptOverwriteDir:
		return t.setOldFiles(tarOverwriteDir)
	case tarOptSkipOld:
		return t.setOldFiles(tarSkipOld)
	case tarOptRecursiveUnlink:
		t.recursiveUnlink = true
	case tarOptMode:
		changes, ok := filemode.Compile(p.Value)
		if !ok {
			return t.fatal("Invalid mode given on option")
		}
		t.modeChanges, t.hasModeChanges = changes, true
	case tarOptMtime:
		at, err := t.dateOrFile("--mtime", p.Value)
		if err != nil {
			return err
		}
		t.mtime, t.hasMtime = at, true
	case tarOptSameOwner:
		t.sameOwner = 1
	case tarOptNoSameOwner:
		t.sameOwner = 0
	case tarOptNoSamePermissions:
		t.samePermissions = 0
	case tarOptNumericOwner:
		t.numericOwner = true
	case tarOptOccurrence:
		t.occurrence = 1
		if p.HasValue {
			n, err := strconv.Atoi(p.Value)
			if err != nil || n < 0 {
				return t.fatal("%s: Invalid number", t.colonName(p.Value))
			}
			t.occurrence = n
		}
	case tarOptOneFileSystem:
		t.oneFileSystem = true
	case tarOptOneTopLevel:
		t.wantsTop, t.oneTopLevel = true, p.Value
	case tarOptPax:
		return t.setPax(p.Value)
	case tarOptQuotingStyle:
		i := slices.Index(quoteStyleNames(), p.Value)
		if i < 0 {
			return t.fatal("Unknown quoting style '%s'. Try '%s --quoting-style=help' to get a list.", p.Value, t.label())
		}
		t.quoting.style = quoteStyle(min(i, int(quoteLocale)))
	case tarOptQuoteChars:
		t.quoting.also += p.Value
	case tarOptNoQuoteChars:
		t.quoting.never += p.Value
	case tarOptRemoveFiles:
		t.removeFiles = true
	case tarOptShowDefaults:
		io.WriteString(t.out, "--format=gnu -f- -b20 --quoting-style=escape --rmt-command=/usr/sbin/rmt --rsh-command=/usr/bin/rsh\n")
		return errDone
	case tarOptShowRanges:
		return t.refuse("snapshot files", p.Typed)
	case tarOptShowOmitted:
		t.showOmitted = true
	case tarOptShowTransformed:
		t.showTransformed = true
	case tarOptSort:
		_, err := t.match("--sort", p.Value, "none", "name", "inode")
		return err
	case tarOptSparseVersion:
		t.sparse = true
		major, minor, _ := strings.Cut(p.Value, ".")
		_, majorErr := strconv.ParseUint(major, 10, 32)
		_, minorErr := strconv.ParseUint("0"+minor, 10, 32)
		if majorErr != nil || minorErr != nil {
			return t.usage("Invalid sparse version value")
		}
		t.sparseV00 = p.Value == "0" || p.Value == "0.0"
		t.sparseV01 = p.Value == "0.1"
	case tarOptStrip:
		n, err := strconv.ParseUint(p.Value, 10, 31)
		if err != nil {
			return t.usage("%s: Invalid number of elements", t.colonName(p.Value))
		}
		t.strip = int(n)
	case tarOptToCommand:
		if t.toCommand != "" {
			return t.usage("Only one --to-command option allowed")
		}
		t.toCommand = p.Value
	case tarOptTotals:
		if p.HasValue {
			return nil // a signal at which nothing can be asked
		}
		t.totals = true
	case tarOptTransform:
		return t.addTransform(p.Value)
	case tarOptWarning:
		return t.setWarning(p.Value)
	}
	return nil
}

// setOldFiles takes one way to treat files that are there already.
func (t *tarCommand) setOldFiles(how tarOldFiles) error {
	if t.oldFiles != tarReplace && t.oldFiles != how {
		return t.usage("'%s' cannot be used with '%s'", how.option(), t.oldFiles.option())
	}
	t.oldFiles = how
	return nil
}

func (o tarOldFiles) option() string {
	switch o {
	case tarNoOverwriteDir:
		return "--no-overwrite-dir"
	case tarOverwrite:
		return "--overwrite"
	case tarUnlinkFirst:
		return "--unlink-first"
	case tarKeepOld:
		return "--keep-old-files"
	case tarSkipOld:
		return "--skip-old-files"
	case tarKeepNewer:
		return "--keep-newer-files"
	}
	return "--overwrite-dir"
}

// match is argmatch with the list of what there is.
func (t *tarCommand) match(option, value string, names ...string) (int, error) {
	found := -1
	for i, n := range names {
		if n == value {
			return i, nil
		}
		if strings.HasPrefix(n, value) {
			if found >= 0 {
				found = -2
			} else if found == -1 {
				found = i
			}
		}
	}
	if found >= 0 {
		return found, nil
	}
	what := "invalid"
	if found == -2 {
		what = "ambiguous"
	}
	t.warnf("%s argument %s for %s", what, quote(value), quote(option))
	io.WriteString(t.Stderr, "Valid arguments are:\n")
	for _, n := range names {
		io.WriteString(t.Stderr, "  - "+quote(n)+"\n")
	}
	return 0, exitWith(tarStatusFailed)
}

// tarMaxRecord bounds a record, which is kept in memory.
const tarMaxRecord = 64 << 20

func (t *tarCommand) setBlocking(blocks int64, text string) error {
	if blocks > tarMaxRecord/tarformat.BlockSize {
		return t.usage("%s: Invalid blocking factor", t.colonName(text))
	}
	t.blocking = int(blocks)
	return nil
}

// tarSize reads a number of bytes with a suffix.
func tarSize(s string) (int64, bool) {
	end := 0
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	n, err := strconv.ParseInt(s[:end], 10, 64)
	if err != nil {
		return 0, false
	}
	scale := int64(1)
	switch s[end:] {
	case "", "c":
	case "b":
		scale = 512
	case "w":
		scale = 2
	case "k", "K", "B":
		scale = 1 << 10
	case "m", "M":
		scale = 1 << 20
	case "g", "G":
		scale = 1 << 30
	default:
		return 0, false
	}
	if n > math.MaxInt64/scale {
		return 0, false
	}
	return n * scale, true
}

func (t *tarCommand) setFormat(name string) error {
	var f tarformat.Format
	switch name {
	case "v7":
		f = tarformat.V7
	case "oldgnu":
		f = tarformat.OldGNU
	case "ustar":
		f = tarformat.USTAR
	case "posix", "pax":
		f = tarformat.POSIX
	case "gnu":
		f = tarformat.GNU
	default:
		return t.usage("%s: Invalid archive format", t.colonName(name))
	}
	t.format = f
	return nil
}

func (t *tarCommand) setNewer(p *getopt.Parser) error {
	if t.hasNewer {
		return t.usage("More than one threshold date")
	}
	option := "--newer-mtime"
	if p.Key == 'N' {
		option, t.afterDate = "--after-date", true
	}
	at, err := t.dateOrFile(option, p.Value)
	t.newer, t.hasNewer = at, true
	return err
}

// dateOrFile is a date, or the time of the file that begins with "/" or ".".
func (t *tarCommand) dateOrFile(option, text string) (time.Time, error) {
	if strings.HasPrefix(text, "/") || strings.HasPrefix(text, ".") {
		info, err := t.View().Stat(t.ctx, text)
		if err != nil {
			t.failed(text, "stat", err)
			return time.Time{}, t.usage("Date sample file not found")
		}
		return info.Modified, nil
	}
	at, ok := dateparse.Parse(text, t.Host().Now().In(t.location()), strftime.Zone)
	if !ok {
		// The earliest time there is; GNU tar shows it one second late.
		t.warnf("Substituting %d for unknown date format %s", math.MinInt64+1, quote(text))
		return time.Unix(math.MinInt64, 0), nil
	}
	t.textualDates = append(t.textualDates, tarTextualDate{option, text, at})
	return at, nil
}

// settle derives what options mean together, in the order in which GNU tar
// finds fault with them.
func (t *tarCommand) settle() error {
	oldLetter := t.sameOwner == -2
	if oldLetter {
		t.sameOwner = -1
		if t.mode == tarCreate || t.mode == 0 {
			if err := t.setFormat("v7"); err != nil {
				return err
			}
		} else {
			t.sameOwner = 0
		}
	}
	if t.format == tarformat.Unknown {
		t.format = tarformat.GNU
		if t.paxOptions.given {
			t.format = tarformat.POSIX
		}
	}
	gnu := t.format == tarformat.GNU || t.format == tarformat.OldGNU || t.format == tarformat.POSIX
	if (t.hasVolume && t.mode == tarCreate || t.sparse || t.incremental) && !gnu {
		return t.usage("GNU features wanted on incompatible archive format")
	}
	files := t.hasNames()
	if t.occurrence > 0 {
		switch {
		case !files:
			return t.usage("--occurrence is meaningless without a file list")
		case t.mode != tarDelete && t.mode != tarDiff && t.mode != tarExtract && t.mode != tarList:
			return t.conflict("--occurrence")
		}
	}
	if len(t.archives) == 0 {
		tape, _ := t.Getenv("TAPE")
		if tape == "" {
			tape = "-"
		}
		t.archives = []string{tape}
	} else if len(t.archives) > 1 {
		return t.usage("Multiple archive files require '-M' option")
	}
	if host, _, ok := strings.Cut(t.archives[0], ":"); ok && host != "" && !strings.Contains(host, "/") && !t.forceLocal {
		t.remote = host
	}
	if t.snapshot != "" && t.hasNewer {
		return t.usage("'--listed-incremental' cannot be used with '--newer'")
	}
	if t.level >= 0 && t.snapshot == "" {
		t.warnf("--level is meaningless without --listed-incremental")
	}
	if t.hasVolume && len(t.volume) > 99 && (t.format == tarformat.GNU || t.format == tarformat.OldGNU) {
		return t.usage("%s: Volume label is too long (limit is %d bytes)", t.colonName(t.volume), 99)
	}
	if t.verify {
		if t.packer != "" {
			return t.usage("Cannot verify compressed archives")
		}
		if t.mode != tarCreate && t.mode != tarAppend && t.mode != tarUpdate && t.mode != tarCat && t.mode != tarDelete {
			return t.conflict("--verify")
		}
	}
	if t.packer != "" {
		switch t.mode {
		case tarAppend, tarUpdate, tarDelete:
			return t.usage("Cannot update compressed archives")
		case tarCat:
			return t.usage("Cannot concatenate compressed archives")
		}
	}
	if t.paxOptions.given && t.format != tarformat.POSIX && !t.mode.reads() {
		return t.usage("--pax-option can be used only on POSIX archives")
	}
	if t.clamp && !t.hasMtime {
		return t.usage("--clamp-mtime needs a date specified using --mtime")
	}
	if (t.startingFile != "" || t.sameOrder) && !t.mode.reads() && t.mode != 0 {
		if t.startingFile != "" {
			return t.conflict("--starting-file")
		}
		return t.conflict("--same-order")
	}
	if t.wantsTop {
		if t.absoluteNames {
			return t.usage("'--one-top-level' cannot be used with '--absolute-names'")
		}
		if t.oneTopLevel == "" {
			base := path.Base(t.archives[0])
			if top := tarStripSuffix(base); top != "" {
				t.oneTopLevel = top
			} else {
				return t.usage("Cannot deduce top-level directory name; please set it explicitly with --one-top-level=DIR")
			}
		}
	}
	if t.recursiveUnlink {
		t.oldFiles = tarUnlinkFirst
	} else if t.oldFiles == tarOverwriteDir {
		t.oldFiles = tarReplace
	}
	if t.utc {
		t.verbose = 2
	}
	return t.settleStreams(files)
}

// settleStreams checks what shares standard input or output.
func (t *tarCommand) settleStreams(files bool) error {
	stdio := t.archives[0] == "-"
	switch t.mode {
	case tarCreate:
		if !files {
			return t.usage("Cowardly refusing to create an empty archive")
		}
		if t.autoPacker && !stdio {
			t.packerOfName()
		}
	case tarExtract, tarList, tarDiff, tarTestLabel:
		if stdio {
			if err := t.takeStdin("-f"); err != nil {
				return err
			}
		}
	case tarAppend, tarUpdate, tarCat:
		if stdio {
			return t.usage("Options '-Aru' are incompatible with '-f -'")
		}
	}
	root := t.View().Identity().UID == 0
	if t.samePermissions < 0 {
		t.samePermissions = btoi(root)
	}
	if t.sameOwner < 0 {
		t.sameOwner = btoi(root)
	}
	if t.mode == tarList && !t.utc || t.mode == tarTestLabel && !files {
		t.verbose++
	}
	if t.toStdout {
		t.listing = t.Stderr
	}
	if t.backup.wanted {
		if err := t.settleBackup(); err != nil {
			return err
		}
	}
	if t.verbose > 0 {
		for _, d := range t.textualDates {
			if shown := t.timeText(d.at, true); shown != d.text {
				t.warnf("Option %s: Treating date '%s' as %s", d.option, d.text, shown)
			}
		}
	}
	return nil
}

// settleBackup is backups.settle with tar's own status.
func (t *tarCommand) settleBackup() error {
	if control := t.backup.control; control != "" {
		if _, ok := backupOf(control); !ok {
			t.warnf("invalid argument %s for %s", quote(control), quote("--backup"))
			io.WriteString(t.Stderr, "Valid arguments are:\n  - ‘none’, ‘off’\n  - ‘simple’, ‘never’\n  - ‘existing’, ‘nil’\n  - ‘numbered’, ‘t’\n")
			return exitWith(tarStatusFailed)
		}
	}
	return t.backup.settle(t.call)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// conflict reports an option that does not go with what tar is to do.
func (t *tarCommand) conflict(option string) error {
	name := "-" + string(t.mode)
	switch t.mode {
	case tarDelete:
		name = "--delete"
	case tarTestLabel:
		name = "--test-label"
	}
	return t.usage("'%s' cannot be used with '%s'", option, name)
}

// takeStdin lets one option have standard input.
func (t *tarCommand) takeStdin(option string) error {
	if t.stdinTaken != "" {
		return t.usage("Options '%s' and '%s' both want standard input", t.stdinTaken, option)
	}
	t.stdinTaken = option
	return nil
}

// openIndex opens the file that --index-file names.
func (t *tarCommand) openIndex() (close func(), err error) {
	if t.indexFile == "" {
		return func() {}, nil
	}
	f, err := t.View().Open(t.ctx, t.indexFile, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
	if err != nil {
		return nil, t.fatal("%s: Cannot open: %s", t.colonName(t.indexFile), vfs.Words(err))
	}
	t.listing = f
	return func() { f.Close() }, nil
}
