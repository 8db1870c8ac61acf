package builtins

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/vsh-project/vsh/builtins/internal/zipfile"
	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// Statuses of zip.
const (
	zipMissing   = 13
	zipWrite     = 15
	zipArguments = 16
	zipNothing   = 12
	zipOpen      = 18
	zipFormat    = 3
)

// zipCommand is one run of zip.
type zipCommand struct {
	*call
	action    byte // a: add, u, f, d, or U: copy
	recurse   byte // r, R or 0
	level     int
	quiet     bool
	verbose   bool
	junk      bool
	noDirs    bool
	move      bool
	links     bool
	plain     bool // -X
	sync      bool // -FS
	test      bool
	latest    bool
	names     bool // -@
	lines     byte // 'l': LF to CR LF, 'L': back
	comments  bool
	comment   bool
	showOnly  bool
	dosNames  bool
	grow      bool
	adjust    bool
	since     time.Time // -t
	until     time.Time // -tt
	suffixes  []string
	selection zipSelection
	archive   string
	output    string
	patterns  []string

	old      *zipfile.Archive
	oldFile  vfs.File
	items    []*zipItem
	byName   map[string]*zipItem
	messages io.Writer
	answers  *bufio.Reader
	total    [2]uint64
}

// zipItem is a member of the new archive: an old one that is kept, a file, or
// both.
type zipItem struct {
	name  string
	path  string // of the file; "" keeps the old member
	info  *vfs.Info
	entry *zipfile.Entry // the old one
	gone  bool
	done  bool
}

func zipRun(c *call) error {
	z := &zipCommand{call: c, action: 'a', level: 6, byName: map[string]*zipItem{}, messages: c.out}
	words, err := z.options(c.Arguments)
	if err != nil || words == nil {
		return err
	}
	if len(words) == 0 {
		words = []string{"-"}
		if !z.names {
			words = append(words, "-")
		}
	}
	z.archive = words[0]
	if z.archive == "-" {
		z.messages = flushed{c}
	} else if path.Ext(z.archive) == "" {
		z.archive += ".zip"
	}
	z.patterns = words[1:]
	if err := z.readOld(); err != nil {
		return err
	}
	if z.oldFile != nil {
		defer z.oldFile.Close()
	}
	return z.run()
}

func (z *zipCommand) errorf(status uint8, format string, args ...any) error {
	fmt.Fprintf(z.messages, "\nzip error: "+format+"\n", args...)
	return command.ExitError(status)
}

func (z *zipCommand) warning(format string, args ...any) {
	if z.quiet {
		return
	}
	fmt.Fprintf(z.messages, "\tzip warning: "+format+"\n", args...)
}

// readOld reads the archive that is there.
func (z *zipCommand) readOld() error {
	if z.archive == "-" {
		return nil
	}
	file, err := z.View().Open(z.ctx, z.archive, vfs.O_RDONLY, 0)
	if vfs.Errno(err) == vfs.ENOENT {
		return nil
	}
	if err != nil {
		return z.errorf(zipOpen, "Could not open for reading (%s)", z.archive)
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return err
	}
	z.oldFile = file
	if info.Bytes == 0 {
		return nil
	}
	z.old, err = zipfile.Read(file, info.Bytes, z.Host().Charge)
	if err != nil {
		file.Close()
		if errors.Is(err, zipfile.ErrNoEnd) || errors.Is(err, zipfile.ErrDamaged) {
			return z.errorf(zipFormat, "Zip file structure invalid (%s)", z.archive)
		}
		return err
	}
	for _, e := range z.old.Entries {
		item := &zipItem{name: e.Name, entry: e}
		z.items = append(z.items, item)
		z.byName[e.Name] = item
	}
	return nil
}

func (z *zipCommand) run() error {
	empty := z.old == nil || len(z.old.Entries) == 0
	if empty && z.action != 'a' && z.archive != "-" && !z.showOnly {
		z.warning("%s not found or empty", z.archive)
	}
	if z.adjust && empty && len(z.patterns) == 0 {
		return z.errorf(zipMissing, "Missing or empty zip file (%s)", z.archive)
	}
	switch {
	case z.action == 'd' || z.action == 'U':
		return z.chooseOld()
	case z.action == 'f' && len(z.patterns) == 0 && !z.names:
		for _, item := range z.items {
			z.patterns = append(z.patterns, item.name)
		}
	}
	if err := z.collect(); err != nil {
		return err
	}
	if z.action == 'f' && empty {
		return command.ExitError(zipNothing)
	}
	return z.write()
}

// chooseOld is -d and -U: members by pattern.
func (z *zipCommand) chooseOld() error {
	for _, text := range z.patterns {
		p := newZipPattern(text, false)
		found := false
		for _, item := range z.items {
			if p.pattern.Match(item.name, func() bool { return z.ctx.Err() != nil }) && z.selection.matches(z.call, item.name) {
				item.done, found = true, true
			}
		}
		if !found {
			z.warning("name not matched: %s", text)
		}
	}
	some := false
	for _, item := range z.items {
		some = some || item.done
		item.gone = item.done == (z.action == 'd')
	}
	if !some {
		return z.errorf(zipNothing, "Nothing to do! (%s)", z.archive)
	}
	return z.write()
}

// collect finds the files to add.
func (z *zipCommand) collect() error {
	operands := z.patterns
	if z.recurse == 'R' {
		for _, text := range operands {
			z.selection.list = append(z.selection.list, newZipPattern(text, false))
		}
		operands = []string{"."}
	}
	if z.names {
		in := lines.NewReader(z.Stdin, z.Host())
		defer in.Close()
		for {
			line, err := in.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				return err
			}
			if name := strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r"); name != "" {
				operands = append(operands, name)
			}
		}
	}
	for _, operand := range operands {
		if err := z.operand(operand); err != nil {
			return err
		}
	}
	if z.sync {
		for _, item := range z.items {
			item.gone = item.path == ""
		}
	}
	return nil
}

func (z *zipCommand) operand(operand string) error {
	if operand == "-" {
		return z.add("-", "-", &vfs.Info{FileName: "-", FileMode: 0o600, Modified: z.Host().Now(), UID: -1, GID: -1})
	}
	stat := z.View().Stat
	if z.links {
		stat = z.View().Lstat
	}
	info, err := stat(z.ctx, operand)
	if err != nil {
		if z.ends(err) {
			return err
		}
		if item := z.byName[operand]; z.action == 'f' && item != nil {
			return nil
		}
		z.warning("name not matched: %s", operand)
		return nil
	}
	return z.tree(operand, info)
}

// tree adds a file, and what is below a directory with -r.
func (z *zipCommand) tree(name string, info *vfs.Info) error {
	if err := z.ctx.Err(); err != nil {
		return err
	}
	if !info.IsDir() {
		return z.add(name, z.member(name), info)
	}
	if member := z.member(name); member != "" && !z.noDirs && !z.junk {
		if err := z.add(name, member+"/", info); err != nil {
			return err
		}
	}
	if z.recurse == 0 {
		return nil
	}
	entries, err := z.View().ReadDir(z.ctx, name)
	if err != nil {
		if z.ends(err) {
			return err
		}
		z.warning("could not open for reading: %s", name)
		z.status = zipOpen
		return nil
	}
	stat := z.View().Stat
	if z.links {
		stat = z.View().Lstat
	}
	if len(name) > 4096 {
		return nil // links that lead back to themselves
	}
	for _, e := range entries {
		below := strings.TrimSuffix(name, "/") + "/" + e.Name
		info, err := stat(z.ctx, below)
		if err != nil {
			if z.ends(err) {
				return err
			}
			continue
		}
		if err := z.tree(below, info); err != nil {
			return err
		}
	}
	return nil
}

// member is the name in the archive, without a root and "./".
func (z *zipCommand) member(name string) string {
	name = strings.TrimLeft(strings.TrimRight(name, "/"), "/")
	for strings.HasPrefix(name, "./") {
		name = strings.TrimLeft(name[2:], "/")
	}
	if name == "." {
		return ""
	}
	if z.junk {
		name = path.Base(name)
	}
	return name
}

// add notes a file that is to be a member.
func (z *zipCommand) add(file, member string, info *vfs.Info) error {
	if file != "-" && z.isArchive(info) || !z.selection.matches(z.call, member) {
		return nil
	}
	if !z.since.IsZero() && info.Modified.Before(z.since) || !z.until.IsZero() && !info.Modified.Before(z.until) {
		return nil
	}
	if err := z.Host().Charge(int64(len(file) + len(member) + 512)); err != nil {
		return err
	}
	item := z.byName[member]
	if item == nil {
		if z.action == 'f' {
			return nil
		}
		item = &zipItem{name: member}
		z.items = append(z.items, item)
		z.byName[member] = item
	} else if item.path != "" {
		if item.path != file && strings.TrimPrefix(item.path, "./") != strings.TrimPrefix(file, "./") || z.junk {
			fmt.Fprintf(z.messages, "\tzip warning:   first full name: %s\n                     second full name: %s\n", item.path, file)
			return z.errorf(zipArguments, "Invalid command arguments (cannot repeat names in zip file)")
		}
		return z.errorf(zipArguments, "Invalid command arguments (cannot repeat names in zip file)")
	}
	if item.entry != nil && (z.action != 'a' || z.sync) && !info.Modified.Truncate(time.Second).After(item.entry.Modified()) {
		if z.sync {
			item.path = " " // it is there, unchanged
		}
		return nil
	}
	item.path, item.info = file, info
	return nil
}

func (z *zipCommand) isArchive(info *vfs.Info) bool {
	if z.oldFile == nil {
		return false
	}
	old, err := z.oldFile.Stat()
	return err == nil && vfs.SameFile(old, info)
}

func zipProgram(string) *program {
	return &program{
		usage: `zip [-OPTIONS] [-b DIR] [-t DATE] [-n SUFFIXES] ARCHIVE [FILE]... [-x PATTERN...] [-i PATTERN...]
Add the files to a zip archive, or replace them there. "-" is standard output as
the archive and standard input as a file.

  -r  directories with what they hold    -R  files below "." that match the FILEs
  -u  only files that are newer, or new  -f  only newer files that are there already
  -d  delete members                     -U  copy members (with --out)
  -FS make the archive what is on disk   -m  delete the files afterwards
  -j  without directories                -D  no entries for directories
  -x  not what matches  -i  only what matches  (@FILE: patterns from a file)
  -@  names from standard input          -y  links as links
  -0 ... -9  how hard to try (6)         -n  suffixes that are only stored
  -l  LF to CR LF (-ll: back)            -X  no extra fields
  -t, -tt DATE  from, before that day    -o  the archive gets its newest member's time
  -z  a comment (-c: of each new member) -T  test the archive afterwards
  -O, --out ARCHIVE  write another       -sf show what would be done
  -q  quiet  -v  verbose                 -b -A -S -w -g -k   accepted, without effect
Encryption (-e, -P) and split archives (-s) are refused.`,
		noHelp: true, run: zipRun,
	}
}
