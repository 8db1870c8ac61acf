package builtins

import (
	"errors"
	"io"
	"time"

	"github.com/vsh-project/vsh/builtins/internal/filemode"
	"github.com/vsh-project/vsh/builtins/internal/tarformat"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// tarMode is what tar is to do, in the letter that asks for it.
type tarMode byte

const (
	tarCreate    tarMode = 'c'
	tarExtract   tarMode = 'x'
	tarList      tarMode = 't'
	tarAppend    tarMode = 'r'
	tarUpdate    tarMode = 'u'
	tarCat       tarMode = 'A'
	tarDiff      tarMode = 'd'
	tarDelete    tarMode = 'D'
	tarTestLabel tarMode = 'L'
)

// reads reports whether the mode only reads archives.
func (m tarMode) reads() bool {
	return m == tarExtract || m == tarList || m == tarDiff || m == tarTestLabel
}

// tarOldFiles is what -x does where a file is there already.
type tarOldFiles uint8

const (
	tarReplace tarOldFiles = iota
	tarNoOverwriteDir
	tarOverwrite
	tarUnlinkFirst
	tarKeepOld
	tarSkipOld
	tarKeepNewer
	tarOverwriteDir // the usual, said aloud
)

const (
	tarStatusDiffers = 1
	tarStatusFailed  = 2
	// tarNoRemote is the status where the host of an archive is not reached; vsh
	// reaches none.
	tarNoRemote = 128
	// tarBadOption is the status of an option that nobody knows (EX_USAGE).
	tarBadOption = 64
)

// tarCommand is one run of tar.
type tarCommand struct {
	*call
	mode     tarMode
	archives []string
	format   tarformat.Format
	verbose  int
	blocking int // blocks a record
	started  time.Time

	// packer is the program or form an archive is compressed with.
	packer     string
	autoPacker bool

	selection tarSelection
	elements  []tarElement
	excludes  tarExcludes
	names     []*tarName
	directory *tarDirectory // the current -C

	transforms  []tarTransform
	strip       int
	oneTopLevel string
	wantsTop    bool
	volume      string
	posixLabel  *tarMember // not yet shown
	hasVolume   bool
	paxOptions  tarPaxOptions

	// listing is where names of members go.
	listing   io.Writer
	indexFile string
	quoting   tarQuoting
	ugsWidth  int
	dateWidth int

	blockNumbers, fullTime, utc, numericOwner     bool
	showTransformed, showOmitted, totals          bool
	interactive, absoluteNames, ignoreZeros       bool
	toStdout, touch, sparse, sparseV00, sparseV01 bool
	dereference, hardDereference, oneFileSystem   bool
	removeFiles, checkLinks, ignoreFailedRead     bool
	verify, recursiveUnlink, keepDirectoryLink    bool
	delayDirectories, afterDate                   bool
	sameOrder, ignoreCommandError, verifying      bool
	forceLocal                                    bool
	toCommand                                     string
	startingFile                                  string
	occurrence                                    int
	samePermissions, sameOwner                    int // -1: not asked for
	oldFiles                                      tarOldFiles
	backup                                        backups
	recordsDone                                   int64 // checkpoints count them
	checkpoint                                    int64
	checkpointActions                             []tarAction
	warningsOff, warningsOn                       uint64

	newer           time.Time
	hasNewer        bool
	mtime           time.Time
	hasMtime, clamp bool
	owner, group    *tarOwner
	ownerMap        []tarOwnerRule
	groupMap        []tarOwnerRule
	modeChanges     filemode.Changes
	hasModeChanges  bool
	textualDates    []tarTextualDate

	// removedPrefixes are those told of, of member names and of link targets.
	removedPrefixes [2]map[string]bool
	stdinTaken      string
	incremental     bool
	snapshot        string               // the file of -g
	level           int                  // 0 dumps everything; -1 what has changed
	remote          string               // the host that the archive is asked of
	lists           map[copyInode]string // -T files, and who asked for them
	current         int                  // the name looked for, with --same-order
	bytesDone       int64                // of --totals
	held            int64                // charged to the budget
	// finish does what must be done even where a run ends early.
	finish func()
}

func tarRun(c *call) error {
	t := &tarCommand{
		call: c, blocking: 20, level: -1, started: c.Host().Now(), samePermissions: -1, sameOwner: -1,
		ugsWidth: 19, dateWidth: len("YYYY-MM-DD HH:MM"), listing: c.out,
	}
	t.quoting.style = quoteEscape
	t.selection = newTarSelection()
	t.directory = &tarDirectory{view: c.View()}
	defer func() { c.Host().Release(t.held) }()
	err := t.options()
	if err == nil {
		err = t.work()
	}
	if err != nil {
		return err
	}
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if err := c.out.Flush(); err != nil {
		if errors.Is(err, vfs.EPIPE) {
			return err
		}
		c.out.Reset(io.Discard)
		c.warnf("stdout: write error")
		return command.ExitError(tarStatusFailed)
	}
	if c.status >= tarStatusFailed {
		c.warnf("Exiting with failure status due to previous errors")
	}
	return nil
}

func (t *tarCommand) work() error {
	if t.remote != "" && t.mode != 0 {
		t.warnf("Cannot connect to %s: resolve failed", t.remote)
		return command.ExitError(tarNoRemote)
	}
	switch t.mode {
	case tarCreate:
		return t.create()
	case tarExtract:
		return t.extract()
	case tarList:
		return t.readMembers(t.listMember)
	case tarDiff:
		return t.readMembers(t.diffMember)
	case tarAppend, tarUpdate, tarCat:
		return t.update()
	case tarDelete:
		return t.deleteMembers()
	case tarTestLabel:
		return t.testLabel()
	}
	return t.usage("You must specify one of the '-Acdtrux', '--delete' or '--test-label' options")
}

// fault reports an error that does not end the run.
func (t *tarCommand) fault(format string, args ...any) {
	if t.ctx.Err() == nil {
		t.errorf(format, args...)
	}
}

// failed reports what kept a file from an operation: "FILE: Cannot open: why".
func (t *tarCommand) failed(name, what string, err error) {
	t.fault("%s: Cannot %s: %s", t.colonName(name), what, vfs.Words(err))
}

// fatal reports an error that ends the run.
func (t *tarCommand) fatal(format string, args ...any) error {
	if err := t.ctx.Err(); err != nil {
		return err
	}
	t.warnf(format, args...)
	return t.giveUp()
}

func (t *tarCommand) giveUp() error {
	if err := t.ctx.Err(); err != nil {
		return err
	}
	if finish := t.finish; finish != nil {
		t.finish = nil
		finish()
	}
	t.warnf("Error is not recoverable: exiting now")
	return command.ExitError(tarStatusFailed)
}

// usage reports options that do not go together.
func (t *tarCommand) usage(format string, args ...any) error {
	t.warnf(format, args...)
	return t.pointToHelp(tarStatusFailed)
}

func (t *tarCommand) pointToHelp(status uint8) error {
	io.WriteString(t.Stderr, "Try '"+t.label()+" --help' or '"+t.label()+" --usage' for more information.\n")
	return command.ExitError(status)
}

// differs is the status of a run that found something to tell, but no error.
func (t *tarCommand) differs() { t.status = max(t.status, tarStatusDiffers) }

// charge pays for memory that an archive or a tree can scale; it is given back
// when tar ends.
func (t *tarCommand) charge(bytes int) error {
	if err := t.Host().Charge(int64(bytes)); err != nil {
		return t.fatal("memory exhausted")
	}
	t.held += int64(bytes)
	return nil
}

// view is the filesystem as the current -C sees it.
func (t *tarCommand) view() *vfs.View { return t.directory.view }
