package builtins

import (
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
	// delayed finds those that are still to be set.
	delayed map[tarPlace]*tarDelayed
	// exhausted is what ends the run where no more can be delayed.
	exhausted error
	links     []*tarDelayedLink
	// placeholders are the delayed links by the file that stands for them.
	placeholders map[copyInode]*tarDelayedLink
	backupName   string
}

func (t *tarCommand) extract() error {
	x := &tarExtractor{t: t, placeholders: map[copyInode]*tarDelayedLink{}, delayed: map[tarPlace]*tarDelayed{}}
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
	if x.exhausted != nil {
		return x.exhausted
	}
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
		if t.incremental && !t.toStdout && t.toCommand == "" {
			if err := r.readListing(m); err != nil {
				return false, err
			}
			if m.listing != nil {
				t.delayDirectories = true
				x.purge(m)
			}
		}
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
