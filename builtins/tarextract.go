package builtins

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/vsh-project/vsh/builtins/internal/filemode"
	"github.com/vsh-project/vsh/builtins/internal/tarformat"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// tarExtractor takes members out of an archive.
type tarExtractor struct {
	t      *tarCommand
	umask  uint32 // what modes of the archive lose
	delays []*tarDelayed
	links  []*tarDelayedLink
	// placeholders are the delayed links by the file that stands for them.
	placeholders map[copyInode]*tarDelayedLink
	// now is looked at once, for times in the future.
	backupName string
}

// tarDelayed is a directory whose mode and times are set when nothing more can
// come into it.
type tarDelayed struct {
	directory  *tarDirectory
	name       string
	m          *tarMember
	made       bool // for what lies in it: no times
	afterLinks bool
	id         copyInode
}

// tarDelayedLink is a symbolic link that could lead out of the directory. An
// empty file stands for it until everything else is there, so that nothing is
// written through it.
type tarDelayedLink struct {
	directory *tarDirectory
	names     []tarPlace
	m         *tarMember
	id        copyInode
}

type tarPlace struct {
	directory *tarDirectory
	name      string
}

func (t *tarCommand) extract() error {
	x := &tarExtractor{t: t, placeholders: map[copyInode]*tarDelayedLink{}}
	if t.samePermissions <= 0 {
		x.umask = filemode.Bits(t.View().Umask())
	}
	t.finish = x.finish
	err := t.readMembers(x.member)
	if t.finish != nil {
		t.finish = nil
		x.finish()
	}
	return err
}

// finish sets what had to wait: directories, then links, then the directories
// that links were made in.
func (x *tarExtractor) finish() {
	x.settle("", false)
	x.makeLinks()
	x.settle("", true)
}

func (x *tarExtractor) member(r *tarReader, m *tarMember) error {
	t := x.t
	dotDot := !t.absoluteNames && tarHasDotDot(m.orig)
	if dotDot {
		t.fault("%s: Member name contains '..'", t.colonName(m.orig))
	}
	if m.name == "" || dotDot || t.interactive && !t.asksFor("extract", m.name) {
		return r.skipData(m)
	}
	if t.verbose > 0 {
		t.printMember(m, m.ordinal+1)
	}
	if !t.delayDirectories {
		current := t.directory
		x.settle(m.name, false)
		t.directory = current
	}
	if m.badMap {
		t.fault("%s: invalid sparse archive member", t.colonName(m.orig))
		return r.skipData(m)
	}
	toFile := !t.toStdout && t.toCommand == ""
	x.backupName = ""
	if t.backup.wanted && t.backup.kind != noBackups && toFile {
		if !x.backUp(m.name) {
			return r.skipData(m)
		}
	}
	ok, err := x.one(r, m)
	if err != nil {
		return err
	}
	if !ok && x.backupName != "" {
		if t.view().Rename(t.ctx, x.backupName, m.name, false) == nil && t.verbose > 0 {
			t.list("Renaming %s back to %s\n", quote(x.backupName), quote(m.name))
		}
	}
	return r.skipData(m)
}

func tarHasDotDot(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			return true
		}
	}
	return false
}

// backUp renames what a member would replace.
func (x *tarExtractor) backUp(name string) bool {
	t := x.t
	info, err := t.view().Lstat(t.ctx, name)
	if err != nil || info.IsDir() || !info.FileMode.IsRegular() && info.FileMode&fs.ModeSymlink == 0 {
		return true
	}
	backup, err := t.backup.nameIn(t.ctx, t.view(), name)
	if err == nil {
		err = t.view().Rename(t.ctx, name, backup, false)
	}
	if err != nil {
		t.fault("%s: Cannot rename to %s: %s", t.colonName(name), quote(backup), vfs.Words(err))
		return false
	}
	x.backupName = backup
	if t.verbose > 0 {
		t.list("Renaming %s to %s\n", quote(name), quote(backup))
	}
	return true
}

// one takes out a member; ok is false where that failed.
func (x *tarExtractor) one(r *tarReader, m *tarMember) (ok bool, err error) {
	t := x.t
	fun := x.file
	switch m.kind {
	case tarformat.Sparse, tarformat.OldRegular, tarformat.Regular, tarformat.Contiguous:
		if m.trailingSlash && m.kind != tarformat.Sparse {
			fun = x.directory
		} else if m.kind == tarformat.Contiguous {
			t.warning("contiguous-cast", "Extracting contiguous files as regular files")
		}
	case tarformat.Symlink:
		fun = x.symlink
	case tarformat.HardLink:
		fun = x.hardLink
	case tarformat.Character, tarformat.BlockDev:
		fun = x.device
	case tarformat.FIFO:
		fun = x.fifo
	case tarformat.Directory, tarformat.DumpDir:
		fun = x.directory
	case tarformat.VolumeName:
		return true, nil
	case tarformat.MultiVol:
		t.fault("%s: Cannot extract -- file is continued from another volume", t.colonName(m.name))
		return false, nil
	default:
		t.warning("unknown-cast", "%s: Unknown file type '%c', extracted as normal file", t.colonName(m.name), m.kind)
	}
	if t.toStdout || t.toCommand != "" {
		switch m.kind {
		case tarformat.Symlink, tarformat.HardLink, tarformat.Character, tarformat.BlockDev, tarformat.FIFO, tarformat.Directory, tarformat.DumpDir:
			return true, nil
		}
		if m.trailingSlash && m.kind != tarformat.Sparse {
			return true, nil
		}
		if t.toStdout {
			return x.toStdout(r, m)
		}
		return x.toCommand(r, m)
	}
	switch t.oldFiles {
	case tarUnlinkFirst:
		if _, err := x.removeAny(m.name, t.recursiveUnlink); err != nil && vfs.Errno(err) != vfs.ENOENT {
			t.failed(m.name, "unlink", err)
			return false, nil
		}
	case tarKeepNewer:
		if x.isNewer(m) {
			t.warning("ignore-newer", "Current %s is newer or same age", quote(m.name))
			return true, nil
		}
	}
	return fun(r, m)
}

func (x *tarExtractor) isNewer(m *tarMember) bool {
	info, err := x.stat(m.name)
	if err != nil {
		return false
	}
	return !info.IsDir() && !info.Modified.Truncate(time.Second).Before(m.modified.Truncate(time.Second))
}

// stat looks at a file as -h says.
func (x *tarExtractor) stat(name string) (*vfs.Info, error) {
	if x.t.dereference {
		return x.t.view().Stat(x.t.ctx, name)
	}
	return x.t.view().Lstat(x.t.ctx, name)
}

func (x *tarExtractor) toStdout(r *tarReader, m *tarMember) (bool, error) {
	err := r.content(m, tarPlainSink{x.t.out, x.t})
	if flushed := x.t.out.Flush(); flushed != nil && (err == nil || !isExit(err)) {
		err = &tarSinkError{flushed}
	}
	var sink *tarSinkError
	if errors.As(err, &sink) {
		if errors.Is(sink.err, vfs.EPIPE) || x.t.ctx.Err() != nil {
			return false, sink.err
		}
		x.t.out.Reset(io.Discard) // the rest would fail with the same words
		x.t.fault("%s: Cannot write: %s", x.t.colonName(m.name), vfs.Words(sink.err))
		return false, nil
	}
	return true, err
}

// toCommand gives a file to a command's standard input, and what is known of it
// as variables.
func (x *tarExtractor) toCommand(r *tarReader, m *tarMember) (bool, error) {
	t := x.t
	environment := append(t.Environment[:len(t.Environment):len(t.Environment)],
		"TAR_VERSION=1.34", "TAR_ARCHIVE="+t.archives[0], fmt.Sprintf("TAR_BLOCKING_FACTOR=%d", t.blocking), "TAR_FORMAT="+tarFormatName(m.format),
		"TAR_FILETYPE=f", fmt.Sprintf("TAR_MODE=0%o", m.mode), "TAR_FILENAME="+m.name, "TAR_REALNAME="+m.orig,
		"TAR_UNAME="+m.uname, "TAR_GNAME="+m.gname, fmt.Sprintf("TAR_MTIME=%d", m.modified.Unix()),
		fmt.Sprintf("TAR_SIZE=%d", m.size), fmt.Sprintf("TAR_UID=%d", m.uid), fmt.Sprintf("TAR_GID=%d", m.gid))
	reader, writer := io.Pipe()
	done := make(chan struct{})
	var status int
	var failed error
	t.out.Flush()
	go func() {
		defer close(done)
		status, failed = t.Host().Exec(t.ctx, &command.Exec{Arguments: []string{"/bin/sh", "-c", t.toCommand}, Environment: environment, Directory: t.view().Directory(), Stdin: reader})
		reader.CloseWithError(vfs.EPIPE)
	}()
	err := r.content(m, tarPlainSink{writer, t})
	writer.Close()
	<-done
	var sink *tarSinkError
	if failed != nil || err != nil && !errors.As(err, &sink) {
		return false, errors.Join(failed, err)
	}
	if status != 0 && !t.ignoreCommandError {
		if status > 128 {
			t.warnf("%d: Child terminated on signal %d", t.Host().PID(), status-128)
		} else {
			t.fault("%d: Child returned status %d", t.Host().PID(), status)
		}
	}
	return true, nil
}

func tarFormatName(f tarformat.Format) string {
	switch f {
	case tarformat.V7:
		return "v7"
	case tarformat.USTAR:
		return "ustar"
	case tarformat.POSIX:
		return "posix"
	case tarformat.OldGNU:
		return "oldgnu"
	}
	return "gnu"
}

// tarFileSink writes to a file, and leaves holes holes.
type tarFileSink struct {
	vfs.File
	ends int64
	t    *tarCommand
}

func (s *tarFileSink) Hole(n int64) error {
	at, err := s.File.Seek(n, io.SeekCurrent)
	s.ends = at
	return err
}

func (x *tarExtractor) file(r *tarReader, m *tarMember) (bool, error) {
	t := x.t
	mode := m.mode &^ x.umask & 0o777
	if t.sameOwner > 0 {
		mode &^= 0o077
	}
	flag := vfs.O_WRONLY | vfs.O_CREATE | vfs.O_EXCL
	if t.oldFiles == tarOverwrite {
		flag = vfs.O_WRONLY | vfs.O_CREATE | vfs.O_TRUNC
	}
	var f vfs.File
	made := false
	view := t.view().WithUmask(0)
	for {
		var err error
		if t.oldFiles == tarOverwrite && !t.dereference {
			if info, found := t.view().Lstat(t.ctx, m.name); found == nil && info.FileMode&fs.ModeSymlink != 0 {
				err = vfs.EEXIST
			}
		}
		if err == nil {
			f, err = view.Open(t.ctx, m.name, flag, filemode.Mode(mode|0o200))
		}
		if err == nil {
			break
		}
		switch x.recover(m, err, &made) {
		case tarAgain:
			continue
		case tarSkipped:
			return true, nil
		}
		t.failed(m.name, "open", err)
		return false, nil
	}
	err := x.fill(r, m, f)
	closed := f.Close()
	if err != nil {
		return false, err
	}
	x.setStat(m.name, m, false, false)
	if closed != nil {
		t.failed(m.name, "close", closed)
		return false, nil
	}
	return true, nil
}

func (x *tarExtractor) fill(r *tarReader, m *tarMember, f vfs.File) error {
	sink := &tarFileSink{File: f, t: x.t}
	err := r.content(m, sink)
	if err == nil && sink.ends > 0 && sink.ends == m.size {
		if failed := f.Truncate(m.size); failed != nil {
			err = &tarSinkError{failed}
		}
	}
	var fault *tarSinkError
	if errors.As(err, &fault) {
		if x.t.ctx.Err() != nil {
			return x.t.ctx.Err()
		}
		x.t.fault("%s: Cannot write: %s", x.t.colonName(m.name), vfs.Words(fault.err))
		return nil
	}
	return err
}

type tarRecovery uint8

const (
	tarGiveUp tarRecovery = iota
	tarAgain
	tarSkipped
)

// recover looks for a way around what kept a member from being made: an old
// file is removed where the options allow it, missing directories are made.
func (x *tarExtractor) recover(m *tarMember, cause error, made *bool) tarRecovery {
	t := x.t
	if *made || t.ctx.Err() != nil {
		return tarGiveUp
	}
	errno := vfs.Errno(cause)
	if errno == vfs.EISDIR {
		errno = vfs.EEXIST
	}
	switch errno {
	case vfs.EEXIST:
		switch t.oldFiles {
		case tarSkipOld:
			t.warning("existing-file", "%s: skipping existing file", t.colonName(m.name))
			return tarSkipped
		case tarKeepOld:
			return tarGiveUp
		case tarKeepNewer:
			if x.isNewer(m) {
				return tarGiveUp
			}
		}
		if removed, _ := x.removeAny(m.name, false); removed {
			return tarAgain
		}
	case vfs.ENOENT:
		if x.makeParents(m.name) {
			*made = true
			return tarAgain
		}
	}
	return tarGiveUp
}

// removeAny removes a file or an empty directory; all a directory holds too with
// whole.
func (x *tarExtractor) removeAny(name string, whole bool) (bool, error) {
	t := x.t
	view := t.view()
	err := view.Unlink(t.ctx, name)
	if err == nil {
		return true, nil
	}
	if vfs.Errno(err) != vfs.EISDIR {
		return false, err
	}
	if base := path.Base(name); base == "." || base == ".." {
		return false, vfs.EINVAL
	}
	err = view.Rmdir(t.ctx, name)
	if err == nil {
		return true, nil
	}
	if whole && vfs.Errno(err) == vfs.ENOTEMPTY {
		if err := view.RemoveAll(t.ctx, name); err != nil {
			return false, err
		}
		return true, nil
	}
	return false, nil
}

// makeParents makes the directories that a name lies in.
func (x *tarExtractor) makeParents(name string) bool {
	t := x.t
	madeAny := false
	for i := 1; i < len(name); i++ {
		if name[i] != '/' || name[i-1] == '/' {
			continue
		}
		parent := name[:i]
		if base := path.Base(parent); base == "." || base == ".." {
			continue
		}
		bits := 0o777 &^ filemode.Bits(t.View().Umask())
		mode := bits
		if t.View().Identity().UID != 0 {
			mode |= 0o300
		}
		err := t.view().WithUmask(0).Mkdir(t.ctx, parent, filemode.Mode(mode))
		switch {
		case err == nil:
			madeAny = true
			x.delay(parent, &tarMember{name: parent, mode: bits}, true)
			if t.verbose > 1 {
				t.list("%s %*s %s\n", tarModeText(&tarMember{kind: tarformat.Directory, mode: bits}), t.ugsWidth+1+t.dateWidth, "Creating directory:", t.shown(parent))
			}
		case vfs.Errno(err) == vfs.EEXIST:
		default:
			if _, stat := t.view().Stat(t.ctx, parent); stat != nil {
				t.failed(parent, "mkdir", err)
				return false
			}
		}
	}
	return madeAny
}

// delay has a directory's mode and times set later.
func (x *tarExtractor) delay(name string, m *tarMember, made bool) {
	d := &tarDelayed{directory: x.t.directory, name: name, m: m, made: made}
	if info, err := x.t.view().Lstat(x.t.ctx, name); err == nil {
		d.id = copyID(info)
	}
	if x.t.charge(len(name)+256) != nil {
		return
	}
	x.delays = append(x.delays, d)
}

// settle sets what was delayed for directories that name does not lie in.
func (x *tarExtractor) settle(name string, afterLinks bool) {
	t := x.t
	current := t.directory
	defer func() { t.directory = current }()
	for len(x.delays) > 0 {
		d := x.delays[len(x.delays)-1]
		if d.afterLinks && !afterLinks {
			break
		}
		if rest, ok := strings.CutPrefix(name, d.name); ok && rest != "" && (rest[0] == '/' || strings.HasSuffix(d.name, "/")) {
			break
		}
		x.delays = x.delays[:len(x.delays)-1]
		t.directory = d.directory
		if d.afterLinks {
			info, err := t.view().Lstat(t.ctx, d.name)
			if err != nil {
				t.failed(d.name, "stat", err)
				continue
			}
			if copyID(info) != d.id {
				t.fault("%s: Directory renamed before its status could be extracted", t.colonName(d.name))
				continue
			}
		}
		x.setStat(d.name, d.m, true, d.made)
	}
}

func (x *tarExtractor) directory(r *tarReader, m *tarMember) (bool, error) {
	t := x.t
	mode := m.mode&0o777 | 0o300
	if t.sameOwner > 0 {
		mode &^= 0o077
	}
	made := false
	for {
		err := t.view().WithUmask(0).Mkdir(t.ctx, m.name, filemode.Mode(mode&^x.umask|0o300))
		if err == nil {
			x.delay(m.name, m, false)
			return true, nil
		}
		if vfs.Errno(err) == vfs.EEXIST && (made || t.keepDirectoryLink || t.oldFiles == tarNoOverwriteDir || t.oldFiles == tarReplace || t.oldFiles == tarOverwrite) {
			if t.keepDirectoryLink {
				if link, err := t.view().Lstat(t.ctx, m.name); err == nil && link.FileMode&fs.ModeSymlink != 0 {
					if info, err := t.view().Stat(t.ctx, m.name); err == nil && info.IsDir() {
						return true, nil
					}
				}
			}
			if info, found := x.stat(m.name); found == nil && info.IsDir() {
				switch {
				case made:
					x.repair(m, info)
				case t.oldFiles == tarNoOverwriteDir:
				case t.oldFiles == tarReplace || t.oldFiles == tarOverwrite:
					x.delay(m.name, m, false)
				}
				return true, nil
			}
		}
		switch x.recover(m, err, &made) {
		case tarAgain:
			continue
		case tarSkipped:
			return true, nil
		}
		if vfs.Errno(err) != vfs.EEXIST {
			t.failed(m.name, "mkdir", err)
			return false, nil
		}
		return true, nil
	}
}

// repair gives a directory that was made for what lies in it the status that the
// archive has for it.
func (x *tarExtractor) repair(m *tarMember, info *vfs.Info) {
	for _, d := range x.delays {
		if d.id == copyID(info) {
			d.m, d.made = m, false
			return
		}
	}
	x.delay(m.name, m, false)
}

func (x *tarExtractor) symlink(_ *tarReader, m *tarMember) (bool, error) {
	t := x.t
	made := false
	if !t.absoluteNames && (strings.HasPrefix(m.link, "/") || tarHasDotDot(m.link)) {
		return x.placeholder(m, &made)
	}
	for {
		err := t.view().Symlink(t.ctx, m.link, m.name)
		if err == nil {
			x.setStat(m.name, m, false, false)
			return true, nil
		}
		switch x.recover(m, err, &made) {
		case tarAgain:
			continue
		case tarSkipped:
			return true, nil
		}
		t.fault("%s: Cannot create symlink to %s: %s", t.colonName(m.name), quote(m.link), vfs.Words(err))
		return false, nil
	}
}

// placeholder makes the empty file that stands for a link.
func (x *tarExtractor) placeholder(m *tarMember, made *bool) (bool, error) {
	t := x.t
	for {
		f, err := t.view().Open(t.ctx, m.name, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_EXCL, 0)
		if err == nil {
			info, err := f.Stat()
			f.Close()
			if err != nil {
				t.failed(m.name, "stat", err)
				return false, nil
			}
			if err := t.charge(len(m.name) + len(m.link) + 512); err != nil {
				return false, err
			}
			l := &tarDelayedLink{directory: t.directory, names: []tarPlace{{t.directory, m.name}}, m: m, id: copyID(info)}
			x.links = append(x.links, l)
			x.placeholders[l.id] = l
			x.linkParents(m.name)
			return true, nil
		}
		if vfs.Errno(err) == vfs.EEXIST {
			if info, found := t.view().Lstat(t.ctx, m.name); found == nil && x.placeholders[copyID(info)] != nil {
				return true, nil // the same link once more
			}
		}
		switch x.recover(m, err, made) {
		case tarAgain:
			continue
		case tarSkipped:
			return true, nil
		}
		t.failed(m.name, "open", err)
		return false, nil
	}
}

// linkParents has the directories above a delayed link wait for it.
func (x *tarExtractor) linkParents(name string) {
	for _, d := range x.delays {
		if rest, ok := strings.CutPrefix(name, d.name); ok && (strings.HasPrefix(rest, "/") || strings.HasSuffix(d.name, "/")) {
			d.afterLinks = true
		}
	}
}

// makeLinks puts the links in the places of the files that stand for them.
func (x *tarExtractor) makeLinks() {
	t := x.t
	current := t.directory
	defer func() { t.directory = current }()
	for _, l := range x.links {
		var first *tarPlace
		for i := range l.names {
			place := &l.names[i]
			t.directory = place.directory
			info, err := t.view().Lstat(t.ctx, place.name)
			if err != nil || copyID(info) != l.id {
				continue // something else has taken its place
			}
			if err := t.view().Unlink(t.ctx, place.name); err != nil {
				t.failed(place.name, "unlink", err)
				continue
			}
			if first != nil && first.directory == place.directory && t.view().Link(t.ctx, first.name, place.name, false) == nil {
				continue
			}
			if err := t.view().Symlink(t.ctx, l.m.link, place.name); err != nil {
				t.fault("%s: Cannot create symlink to %s: %s", t.colonName(place.name), quote(l.m.link), vfs.Words(err))
				continue
			}
			x.setStat(place.name, l.m, false, false)
			if first == nil {
				first = place
			}
		}
	}
	x.links = nil
}

func (x *tarExtractor) hardLink(_ *tarReader, m *tarMember) (bool, error) {
	t := x.t
	made := false
	for {
		err := t.view().Link(t.ctx, m.link, m.name, false)
		if err == nil {
			if info, err := t.view().Lstat(t.ctx, m.link); err == nil {
				if l := x.placeholders[copyID(info)]; l != nil {
					l.names = append(l.names, tarPlace{t.directory, m.name})
				}
			}
			return true, nil
		}
		if vfs.Errno(err) == vfs.EEXIST {
			if m.link == m.name {
				return true, nil
			}
			from, err1 := t.view().Lstat(t.ctx, m.link)
			to, err2 := t.view().Lstat(t.ctx, m.name)
			if err1 == nil && err2 == nil && vfs.SameFile(from, to) {
				return true, nil
			}
		}
		switch x.recover(m, err, &made) {
		case tarAgain:
			continue
		case tarSkipped:
			return true, nil
		}
		t.fault("%s: Cannot hard link to %s: %s", t.colonName(m.name), quote(m.link), vfs.Words(err))
		return false, nil
	}
}

func (x *tarExtractor) device(_ *tarReader, m *tarMember) (bool, error) {
	x.t.failed(m.name, "mknod", vfs.EPERM) // there are no devices to make
	return false, nil
}

func (x *tarExtractor) fifo(_ *tarReader, m *tarMember) (bool, error) {
	t := x.t
	made := false
	for {
		err := t.view().WithUmask(0).Mkfifo(t.ctx, m.name, filemode.Mode(m.mode&^x.umask&0o777))
		if err == nil {
			x.setStat(m.name, m, false, false)
			return true, nil
		}
		switch x.recover(m, err, &made) {
		case tarAgain:
			continue
		case tarSkipped:
			return true, nil
		}
		t.failed(m.name, "mkfifo", err)
		return false, nil
	}
}

// setStat gives a file the times, the owner and the mode of its member.
func (x *tarExtractor) setStat(name string, m *tarMember, directory, made bool) {
	t := x.t
	ctx := t.ctx
	if ctx.Err() != nil && directory {
		// Even a run that was cancelled leaves no directory half open.
		ctx = context.WithoutCancel(ctx)
	}
	view := t.view()
	isLink := m.kind == tarformat.Symlink
	if !t.touch && !made {
		err := view.Chtimes(ctx, name, time.Time{}, m.modified, false)
		switch {
		case err == nil:
			x.checkTime(name, m.modified)
		case vfs.Errno(err) != vfs.ENOTSUP && !isLink:
			t.failed(name, "utime", err)
		}
	}
	if t.sameOwner > 0 && !made {
		uid, gid := x.ownerIDs(m)
		if err := view.Chown(ctx, name, uid, gid, false); err != nil && vfs.Errno(err) != vfs.ENOTSUP && !x.mayLoseOwner(err) {
			t.fault("%s: Cannot change ownership to uid %d, gid %d: %s", t.colonName(name), uid, gid, vfs.Words(err))
		}
	}
	if isLink {
		return
	}
	mode := m.mode &^ x.umask
	if t.samePermissions <= 0 {
		mode &= 0o777
	}
	if info, err := view.Lstat(ctx, name); err == nil && (info.FileMode&fs.ModeSymlink != 0 && t.oldFiles != tarOverwrite || filemode.Bits(info.FileMode) == mode) {
		return
	}
	if err := view.Chmod(ctx, name, filemode.Mode(mode)); err != nil && vfs.Errno(err) != vfs.ENOTSUP {
		if mode&^0o777 != 0 && view.Chmod(ctx, name, filemode.Mode(mode&0o777)) == nil && t.View().Identity().UID == 0 {
			return // the storage holds no set-ID bits
		}
		t.fault("%s: Cannot change mode to %s: %s", t.colonName(name), filemode.String(filemode.Mode(mode))[1:], vfs.Words(err))
	}
}

// mayLoseOwner reports whether an owner that cannot be set is no fault: root is
// only refused by a storage that holds no owners.
func (x *tarExtractor) mayLoseOwner(err error) bool {
	errno := vfs.Errno(err)
	return x.t.View().Identity().UID == 0 && (errno == vfs.EPERM || errno == vfs.EINVAL)
}

// ownerIDs are the owner's numbers here, by name where the name is known.
func (x *tarExtractor) ownerIDs(m *tarMember) (uid, gid int) {
	uid, gid = int(m.uid), int(m.gid)
	if x.t.numericOwner {
		return uid, gid
	}
	if id, ok := x.t.userID(m.uname); ok {
		uid = id
	}
	if id, ok := x.t.groupID(m.gname); ok {
		gid = id
	}
	return uid, gid
}

// checkTime tells of a time that cannot be.
func (x *tarExtractor) checkTime(name string, at time.Time) {
	t := x.t
	if at.Unix() < 0 {
		t.warning("timestamp", "%s: implausibly old time stamp %s", t.shown(name), t.timeText(at, true))
		return
	}
	if !at.After(t.started) {
		return
	}
	if now := t.Host().Now(); at.After(now) {
		// A Duration would not hold what an archive can say.
		seconds, fraction := at.Unix()-now.Unix(), at.Nanosecond()-now.Nanosecond()
		if fraction < 0 {
			seconds, fraction = seconds-1, fraction+1e9
		}
		text := fmt.Sprint(seconds)
		if fraction != 0 {
			text += strings.TrimRight(fmt.Sprintf(".%09d", fraction), "0")
		}
		t.warning("timestamp", "%s: time stamp %s is %s s in the future", t.shown(name), t.timeText(at, true), text)
	}
}
