package builtins

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/vsh-project/vsh/builtins/internal/filemode"
	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/internal/walk"
	"github.com/vsh-project/vsh/vfs"
)

type copyDereference uint8

const (
	copyDereferenceUnset copyDereference = iota
	copyDereferenceNever
	copyDereferenceCommandLine
	copyDereferenceAlways
)

type copyAsk uint8

const (
	copyAskUnset copyAsk = iota
	copyAlwaysYes
	copyAlwaysNo
	copyAskUser
)

// copier copies and moves files as coreutils' copy.c does, for cp, mv and install.
type copier struct {
	*call
	backup      backups
	dereference copyDereference
	ask         copyAsk
	move        bool
	install     bool
	recursive   bool
	asRegular   bool // devices and pipes are read
	hardLink    bool
	symlink     bool
	update      bool
	verbose     bool
	oneDevice   bool
	noData      bool // --attributes-only
	// removeFirst is --remove-destination, removeFailed -f.
	removeFirst, removeFailed bool
	keepMode, keepOwner       bool
	keepTimes, keepLinks      bool
	noMode                    bool // --no-preserve=mode
	mode                      uint32
	setMode                   bool

	// made are the inodes already copied, and where; sources and targets those
	// of the command line.
	made             map[copyInode]string
	sources, targets map[copyInode]string
	// top names the operand and its target; madeTop says that the first
	// directory for it has been made.
	topSource, topTarget string
	madeTop              bool
	intoSelf, renamed    bool
	device               uint64
}

type copyInode struct{ device, inode uint64 }

func copyID(info *vfs.Info) copyInode { return copyInode{info.Device, info.Inode} }

// copyPair is one file on its way.
type copyPair struct {
	source, target string
	info           *vfs.Info // the source's
	existing       *vfs.Info // the target's, nil where there is none
	operand        bool
	above          *copyPair
	backup         string
}

// one copies an operand to target; fresh says that nothing is there.
func (x *copier) one(source, target string) bool {
	x.topSource, x.topTarget, x.madeTop, x.intoSelf, x.renamed = source, target, false, false, false
	if x.made == nil {
		x.made, x.sources, x.targets = map[copyInode]string{}, map[copyInode]string{}, map[copyInode]string{}
	}
	return x.file(&copyPair{source: source, target: target, operand: true}, false)
}

// complain reports and returns false.
func (x *copier) complain(format string, args ...any) bool {
	if x.ctx.Err() == nil {
		x.errorf(format, args...)
	}
	return false
}

func (x *copier) stat(name string, follow bool) (*vfs.Info, error) {
	if follow {
		return x.View().Stat(x.ctx, name)
	}
	return x.View().Lstat(x.ctx, name)
}

// follows reports whether a source that is a link is followed.
func (x *copier) follows(operand bool) bool {
	return x.dereference == copyDereferenceAlways || x.dereference == copyDereferenceCommandLine && operand
}

// file copies or moves one file, with what it holds. fresh spares the look at
// the target, whose directory was just made.
func (x *copier) file(p *copyPair, fresh bool) (ok bool) {
	if x.ctx.Err() != nil {
		return false
	}
	renameError := error(vfs.EEXIST)
	if x.move && p.operand {
		renameError = x.View().Rename(x.ctx, p.source, p.target, true)
		fresh = renameError == nil
	}
	var err error
	if renameError != nil {
		if p.info, err = x.stat(p.source, x.follows(p.operand)); err != nil {
			return x.complain("cannot stat %s: %s", quoteName(p.source), vfs.Words(err))
		}
	} else if p.info, err = x.stat(p.target, false); err != nil {
		return x.complain("cannot stat %s: %s", quoteName(p.target), vfs.Words(err))
	}
	if p.info.IsDir() && !x.recursive {
		if x.install {
			return x.complain("omitting directory %s", quoteName(p.source))
		}
		return x.complain("-r not specified; omitting directory %s", quoteName(p.source))
	}
	if p.operand && !p.info.IsDir() && x.backup.kind == noBackups && renameError != nil {
		if name, seen := x.sources[copyID(p.info)]; seen && path.Clean(name) == path.Clean(p.source) {
			x.warnf("warning: source file %s specified more than once", quoteName(p.source))
			return true
		}
	}
	if p.operand {
		x.sources[copyID(p.info)] = p.source
	}
	if !fresh {
		done, ok := x.meet(p)
		if done {
			return ok
		}
	}
	if p.operand && !x.move && x.backup.kind == noBackups {
		if there, err := x.stat(p.target, false); err == nil && there.FileMode&fs.ModeSymlink != 0 {
			if name, seen := x.targets[copyID(there)]; seen && path.Clean(name) == path.Clean(p.target) {
				return x.complain("will not copy %s through just-created symlink %s", quoteName(p.source), quoteName(p.target))
			}
		}
	}
	if x.verbose && !x.move && !p.info.IsDir() {
		x.announce("", p)
	}
	defer func() {
		if !ok && p.backup != "" {
			x.undoBackup(p)
		}
	}()
	if renameError != nil {
		if done, ok := x.earlier(p); done {
			return ok
		}
	}
	if x.move {
		if done, ok := x.rename(p, renameError); done {
			return ok
		}
	}
	return x.make(p)
}

// announce prints 'a' -> 'b'.
func (x *copier) announce(prefix string, p *copyPair) {
	fmt.Fprintf(x.out, "%s%s -> %s", prefix, quoteName(p.source), quoteName(p.target))
	if p.backup != "" {
		fmt.Fprintf(x.out, " (backup: %s)", quoteName(p.backup))
	}
	x.out.WriteByte('\n')
}

func (x *copier) undoBackup(p *copyPair) {
	if err := x.View().Rename(x.ctx, p.backup, p.target, false); err != nil {
		x.complain("cannot un-backup %s: %s", quoteName(p.target), vfs.Words(err))
	} else if x.verbose {
		fmt.Fprintf(x.out, "%s -> %s (unbackup)\n", quoteName(p.backup), quoteName(p.target))
	}
}

// meet deals with what is at the target: done says that the file is finished
// with, ok how.
func (x *copier) meet(p *copyPair) (done, ok bool) {
	mode := p.info.FileMode
	special := !mode.IsRegular() && (!x.asRegular || mode.IsDir() || mode&fs.ModeSymlink != 0)
	itself := special || x.move || x.symlink || x.hardLink || x.backup.kind != noBackups || x.removeFirst
	there, err := x.stat(p.target, !itself)
	switch {
	case vfs.Errno(err) == vfs.ENOENT:
		return false, false
	case vfs.Errno(err) == vfs.ELOOP && x.removeFailed:
		p.existing, _ = x.stat(p.target, false)
		return false, false
	case err != nil && vfs.Errno(err) == vfs.ENOTDIR && strings.HasSuffix(p.target, "/"):
		return false, false // opening it will say so
	case err != nil:
		return true, x.complain("cannot stat %s: %s", quoteName(p.target), vfs.Words(err))
	}
	p.existing = there
	fine, now := x.sameFileFine(p)
	if !fine {
		return true, x.complain("%s and %s are the same file", quoteName(p.source), quoteName(p.target))
	}
	if x.update && !mode.IsDir() && !there.Modified.Before(p.info.Modified) {
		x.renamed = true
		return true, true
	}
	if x.move || !mode.IsDir() {
		if x.ask == copyAlwaysNo || x.ask == copyAskUser && !x.overwrite(p) {
			x.renamed = true
			return true, true
		}
	}
	if now {
		return true, true
	}
	backs := x.move && x.backup.kind != noBackups
	switch {
	case !there.IsDir() && mode.IsDir() && !backs:
		return true, x.complain("cannot overwrite non-directory %s with directory %s", quoteName(p.target), quoteName(p.source))
	case there.IsDir() && !mode.IsDir() && !backs:
		return true, x.complain("cannot overwrite directory %s with non-directory", quoteName(p.target))
	}
	if !there.IsDir() && p.operand && x.backup.kind != numberedBackups {
		if name, seen := x.targets[copyID(there)]; seen && path.Clean(name) == path.Clean(p.target) {
			return true, x.complain("will not overwrite just-created %s with %s", quoteName(p.target), quoteName(p.source))
		}
	}
	base := path.Base(p.source)
	switch {
	case x.backup.kind != noBackups && base != "." && base != ".." && (x.move || !there.IsDir()):
		return x.backUp(p)
	case there.IsDir() || x.move:
	case x.removeFirst, !x.noData && (x.keepLinks && there.Links > 1 || x.dereference == copyDereferenceNever && !mode.IsRegular()):
		if err := x.View().Unlink(x.ctx, p.target); err != nil && vfs.Errno(err) != vfs.ENOENT {
			return true, x.complain("cannot remove %s: %s", quoteName(p.target), vfs.Words(err))
		}
		p.existing = nil
		if x.verbose {
			fmt.Fprintf(x.out, "removed %s\n", quoteName(p.target))
		}
	}
	return false, false
}

func (x *copier) backUp(p *copyPair) (done, ok bool) {
	if x.backup.kind != numberedBackups {
		if other, err := x.stat(p.target+x.backup.suffix, true); err == nil && vfs.SameFile(other, p.info) {
			what := "copied"
			if x.move {
				what = "moved"
			}
			return true, x.complain("backing up %s might destroy source;  %s not %s", quoteName(p.target), quoteName(p.source), what)
		}
	}
	backup, err := x.backup.move(x.call, p.target)
	if err != nil && vfs.Errno(err) != vfs.ENOENT {
		return true, x.complain("cannot backup %s: %s", quoteName(p.target), vfs.Words(err))
	}
	if err == nil {
		p.backup = backup
	}
	p.existing = nil
	return false, false
}

// overwrite asks whether to replace the target.
func (x *copier) overwrite(p *copyPair) bool {
	if p.existing.FileMode&fs.ModeSymlink == 0 && x.View().Access(x.ctx, p.target, vfs.AccessWrite) != nil {
		mode, letters := filemode.Bits(p.existing.FileMode), filemode.String(p.existing.FileMode)[1:]
		if x.move || x.removeFirst || x.removeFailed {
			return x.confirm("replace %s, overriding mode %04o (%s)? ", quoteName(p.target), mode, letters)
		}
		return x.confirm("unwritable %s (mode %04o, %s); try anyway? ", quoteName(p.target), mode, letters)
	}
	return x.confirm("overwrite %s? ", quoteName(p.target))
}

// sameName reports whether two paths are one directory entry.
func (x *copier) sameName(a, b string) bool {
	if path.Base(a) != path.Base(b) {
		return false
	}
	da, err := x.stat(path.Dir(strings.TrimRight(a, "/")), true)
	if err != nil {
		return false
	}
	db, err := x.stat(path.Dir(strings.TrimRight(b, "/")), true)
	return err == nil && vfs.SameFile(da, db)
}

// sameFileFine reports whether copying goes well although source and target
// may be one file; now says that there is nothing left to do.
func (x *copier) sameFileFine(p *copyPair) (fine, now bool) {
	isLink := func(i *vfs.Info) bool { return i.FileMode&fs.ModeSymlink != 0 }
	same := vfs.SameFile(p.info, p.existing)
	if same && x.hardLink {
		return true, true
	}
	source, target, sameLink := p.info, p.existing, same
	if x.dereference == copyDereferenceNever {
		if isLink(source) && isLink(target) {
			one := x.sameName(p.source, p.target)
			if !one {
				if x.backup.kind != noBackups {
					return true, false
				}
				if sameLink {
					return !x.move, true
				}
			}
			return !one, false
		}
	} else {
		if !same {
			return true, false
		}
		var err error
		if target, err = x.stat(p.target, false); err != nil {
			return true, false
		}
		if source, err = x.stat(p.source, false); err != nil {
			return true, false
		}
		sameLink = vfs.SameFile(source, target)
		if isLink(source) && isLink(target) && x.removeFirst {
			return true, false
		}
	}
	if x.backup.kind != noBackups {
		if !sameLink {
			return x.move || x.dereference == copyDereferenceNever || !isLink(source) || isLink(target), false
		}
		return !x.sameName(p.source, p.target), false
	}
	if x.move || x.removeFirst {
		if isLink(target) {
			return true, false
		}
		if sameLink && target.Links > 1 && !x.sameName(p.source, p.target) {
			return !x.move, false
		}
	}
	if !isLink(source) && !isLink(target) {
		if !vfs.SameFile(source, target) {
			return true, false
		}
		if x.hardLink {
			return true, true
		}
	}
	if x.move && isLink(p.info) && target.Links > 1 {
		if whole, err := x.View().Realpath(x.ctx, p.source, vfs.MissingNone); err == nil {
			return !x.sameName(whole, p.target), false
		}
	}
	if x.symlink && isLink(target) {
		return true, false
	}
	if x.dereference == copyDereferenceNever {
		a, errA := x.stat(p.source, true)
		b, errB := x.stat(p.target, true)
		if errA != nil || errB != nil || !vfs.SameFile(a, b) {
			return true, false
		}
		if x.hardLink {
			return true, !isLink(target)
		}
	}
	return false, false
}

// earlier links a file to the copy of another of its names, and refuses to
// copy a directory into itself.
func (x *copier) earlier(p *copyPair) (done, ok bool) {
	id := copyID(p.info)
	before, seen := x.made[id]
	switch {
	case x.recursive && p.info.IsDir():
		if p.operand && !seen {
			x.made[id] = p.target
		}
	case x.move && p.info.Links == 1:
	case x.keepLinks && !x.hardLink && (p.info.Links > 1 || p.operand && x.dereference >= copyDereferenceCommandLine):
		if !seen {
			x.made[id] = p.target
		}
	default:
		return false, false
	}
	if !seen {
		return false, false
	}
	if p.info.IsDir() {
		switch {
		case x.sameName(p.source, before):
			x.intoSelf = true
			return true, x.complain("cannot copy a directory, %s, into itself, %s", quoteName(x.topSource), quoteName(x.topTarget))
		case x.sameName(p.target, before):
			x.warnf("warning: source directory %s specified more than once", quoteName(x.topSource))
			return true, true
		case x.follows(p.operand):
			return false, false
		}
		return true, x.complain("will not create hard link %s to directory %s", quoteName(p.target), quoteName(before))
	}
	return true, x.link(before, p.target, true, x.verbose)
}

// link makes a hard link, in the place of what is there where replace is set.
func (x *copier) link(from, to string, replace, verbose bool) bool {
	err := x.View().Link(x.ctx, from, to, x.dereference != copyDereferenceNever)
	if vfs.Errno(err) == vfs.EEXIST && replace {
		if err = x.View().Unlink(x.ctx, to); err == nil {
			if verbose {
				fmt.Fprintf(x.out, "removed %s\n", quoteName(to))
			}
			err = x.View().Link(x.ctx, from, to, x.dereference != copyDereferenceNever)
		}
	}
	if err != nil {
		return x.complain("cannot create hard link %s to %s: %s", quoteName(to), quoteName(from), vfs.Words(err))
	}
	return true
}

// rename ends a move that needs no copy.
func (x *copier) rename(p *copyPair, err error) (done, ok bool) {
	if vfs.Errno(err) == vfs.EEXIST {
		err = x.View().Rename(x.ctx, p.source, p.target, false)
	}
	switch errno := vfs.Errno(err); {
	case err == nil:
		if x.verbose {
			x.announce("renamed ", p)
		}
		x.renamed = true
		if p.operand {
			x.targets[copyID(p.info)] = p.target
		}
		return true, true
	case errno == vfs.EINVAL:
		x.intoSelf = true
		return true, x.complain("cannot move %s to a subdirectory of itself, %s", quoteName(x.topSource), quoteName(x.topTarget))
	case errno != vfs.EXDEV:
		return true, x.complain("cannot move %s to %s: %s", quoteName(p.source), quoteName(p.target), vfs.Words(err))
	}
	remove := x.View().Unlink
	if p.info.IsDir() {
		remove = x.View().Rmdir
	}
	if err := remove(x.ctx, p.target); err != nil && vfs.Errno(err) != vfs.ENOENT {
		return true, x.complain("inter-device move failed: %s to %s; unable to remove target: %s", quoteName(p.source), quoteName(p.target), vfs.Words(err))
	}
	if x.verbose && !p.info.IsDir() {
		x.announce("copied ", p)
	}
	p.existing = nil
	return false, false
}

// make makes the copy.
func (x *copier) make(p *copyPair) bool {
	mode := p.info.FileMode
	bits := filemode.Bits(mode)
	if x.setMode {
		bits = x.mode
	}
	fine := true
	isLink := false
	switch {
	case mode.IsDir():
		var done bool
		if done, fine = x.directory(p, bits); done {
			return fine
		}
	case x.symlink:
		if !x.makeSymlink(p) {
			return false
		}
		isLink = true
	case x.hardLink:
		if !x.link(p.source, p.target, x.removeFailed || x.ask == copyAskUser, false) {
			return false
		}
		x.record(p)
		return true
	case mode.IsRegular(), x.asRegular && mode&fs.ModeSymlink == 0:
		if !x.regular(p, bits) {
			return false
		}
		x.record(p)
		return true
	case mode&fs.ModeNamedPipe != 0:
		if err := x.View().Mkfifo(x.ctx, p.target, filemode.Mode(bits&0o777)); err != nil {
			return x.complain("cannot create fifo %s: %s", quoteName(p.target), vfs.Words(err))
		}
	case mode&fs.ModeSymlink != 0:
		target, err := x.View().Readlink(x.ctx, p.source)
		if err != nil {
			return x.complain("cannot read symbolic link %s: %s", quoteName(p.source), vfs.Words(err))
		}
		if err := x.forceSymlink(target, p.target); err != nil {
			return x.complain("cannot create symbolic link %s: %s", quoteName(p.target), vfs.Words(err))
		}
		isLink = true
	default:
		return x.complain("cannot create special file %s: %s", quoteName(p.target), vfs.Words(vfs.EPERM))
	}
	x.record(p)
	return x.attributes(p, bits, isLink) && fine
}

func (x *copier) record(p *copyPair) {
	if p.operand {
		if info, err := x.stat(p.target, false); err == nil {
			x.targets[copyID(info)] = p.target
		}
	}
}

// directory makes a directory and copies what it holds; done says that
// nothing is left to do.
func (x *copier) directory(p *copyPair, bits uint32) (done, ok bool) {
	for above := p.above; above != nil; above = above.above {
		if vfs.SameFile(above.info, p.info) {
			return true, x.complain("cannot copy cyclic symbolic link %s", quoteName(p.source))
		}
	}
	if p.existing == nil || !p.existing.IsDir() {
		// The owner must be able to write into it; attributes sets it right.
		if err := x.View().Mkdir(x.ctx, p.target, filemode.Mode(bits|0o700)); err != nil {
			return true, x.complain("cannot create directory %s: %s", quoteName(p.target), vfs.Words(err))
		}
		p.existing = nil
		if !x.madeTop {
			x.madeTop = true
			if info, err := x.stat(p.target, false); err == nil {
				x.made[copyID(info)] = p.target
			}
		}
		if x.verbose {
			if x.move {
				fmt.Fprintf(x.out, "created directory %s\n", quoteName(p.target))
			} else {
				x.announce("", &copyPair{source: p.source, target: p.target})
			}
		}
	}
	if p.operand {
		x.device = p.info.Device
	}
	if x.oneDevice && x.device != p.info.Device {
		return false, true
	}
	entries, err := x.View().ReadDir(x.ctx, p.source)
	if err != nil {
		x.complain("cannot access %s: %s", quoteName(p.source), vfs.Words(err))
		return false, false
	}
	ok = true
	for _, e := range entries {
		below := &copyPair{source: walk.Join(p.source, e.Name), target: walk.Join(p.target, e.Name), above: p}
		ok = x.file(below, p.existing == nil) && ok
		if x.ctx.Err() != nil {
			return true, false
		}
		if x.intoSelf {
			break
		}
	}
	return false, ok
}

func (x *copier) makeSymlink(p *copyPair) bool {
	if !path.IsAbs(p.source) {
		parent := path.Dir(p.target)
		here, err := x.stat(".", true)
		there, errThere := x.stat(parent, true)
		if parent != "." && (err != nil || errThere != nil || !vfs.SameFile(here, there)) {
			return x.complain("%s: can make relative symbolic links only in current directory", quoteFile(p.target))
		}
	}
	if err := x.forceSymlink(p.source, p.target); err != nil {
		return x.complain("cannot create symbolic link %s to %s: %s", quoteName(p.target), quoteName(p.source), vfs.Words(err))
	}
	return true
}

func (x *copier) forceSymlink(target, name string) error {
	err := x.View().Symlink(x.ctx, target, name)
	if vfs.Errno(err) == vfs.EEXIST && x.removeFailed {
		if err = x.View().Unlink(x.ctx, name); err == nil {
			err = x.View().Symlink(x.ctx, target, name)
		}
	}
	return err
}

// regular copies a file's content.
func (x *copier) regular(p *copyPair, bits uint32) bool {
	in, err := x.View().Open(x.ctx, p.source, vfs.O_RDONLY, 0)
	if err != nil {
		return x.complain("cannot open %s for reading: %s", quoteName(p.source), vfs.Words(err))
	}
	defer in.Close()
	out, fresh, ok := x.openTarget(p, bits)
	if !ok {
		return false
	}
	if !x.noData {
		if err := copyBlocks(x.ctx, out, in); err != nil {
			out.Close()
			if x.ctx.Err() != nil {
				return false
			}
			var failed *copyReadError
			if errors.As(err, &failed) {
				return x.complain("error reading %s: %s", quoteName(p.source), vfs.Words(failed.err))
			}
			return x.complain("error writing %s: %s", quoteName(p.target), vfs.Words(err))
		}
	}
	if err := out.Close(); err != nil {
		return x.complain("failed to close %s: %s", quoteName(p.target), vfs.Words(err))
	}
	if fresh {
		p.existing = nil
	}
	return x.attributes(p, bits, false)
}

// openTarget opens a regular file to write; fresh says that it was made.
func (x *copier) openTarget(p *copyPair, bits uint32) (out vfs.File, fresh, ok bool) {
	var err error
	if p.existing != nil {
		flag := vfs.O_WRONLY
		if !x.noData {
			flag |= vfs.O_TRUNC
		}
		out, err = x.View().Open(x.ctx, p.target, flag, 0)
		if err == nil {
			return out, false, true
		}
		if vfs.Errno(err) != vfs.ENOENT {
			if !x.removeFailed {
				return nil, false, x.complain("cannot create regular file %s: %s", quoteName(p.target), vfs.Words(err))
			}
			if err := x.View().Unlink(x.ctx, p.target); err != nil && vfs.Errno(err) != vfs.ENOENT {
				return nil, false, x.complain("cannot remove %s: %s", quoteName(p.target), vfs.Words(err))
			}
			if x.verbose {
				fmt.Fprintf(x.out, "removed %s\n", quoteName(p.target))
			}
		}
	}
	out, err = x.View().Open(x.ctx, p.target, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_EXCL, filemode.Mode(bits&0o777))
	if vfs.Errno(err) == vfs.EEXIST && !x.move {
		if info, lerr := x.stat(p.target, false); lerr == nil && info.FileMode&fs.ModeSymlink != 0 {
			if _, correct := x.Getenv("POSIXLY_CORRECT"); !correct {
				return nil, true, x.complain("not writing through dangling symlink %s", quoteName(p.target))
			}
			out, err = x.View().Open(x.ctx, p.target, vfs.O_WRONLY|vfs.O_CREATE, filemode.Mode(bits&0o777))
		}
	}
	if vfs.Errno(err) == vfs.EISDIR && strings.HasSuffix(p.target, "/") {
		err = vfs.ENOTDIR
	}
	if err != nil {
		return nil, true, x.complain("cannot create regular file %s: %s", quoteName(p.target), vfs.Words(err))
	}
	return out, true, true
}

// copyReadError is an error of the source rather than of the target.
type copyReadError struct{ err error }

func (e *copyReadError) Error() string { return e.err.Error() }
func (e *copyReadError) Unwrap() error { return e.err }

// copyBlocks copies block by block and looks at ctx at each. What could not be
// read is a *copyReadError.
func copyBlocks(ctx context.Context, out io.Writer, in io.Reader) error {
	block := make([]byte, lines.BlockSize)
	for {
		n, err := in.Read(block)
		if n > 0 {
			if _, err := out.Write(block[:n]); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return &copyReadError{err}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// attributes gives the copy the times, owner and mode it is to have.
func (x *copier) attributes(p *copyPair, bits uint32, isLink bool) bool {
	view := x.View()
	if x.keepOwner {
		if err := view.Chown(x.ctx, p.target, p.info.UID, p.info.GID, !isLink); err != nil && !x.mayLoseOwner(err) {
			x.complain("failed to preserve ownership for %s: %s", quoteName(p.target), vfs.Words(err))
		}
	}
	fine := true
	if !isLink {
		fine = x.permissions(p, bits)
	}
	if x.keepTimes {
		if err := view.Chtimes(x.ctx, p.target, p.info.Accessed, p.info.Modified, !isLink); err != nil && vfs.Errno(err) != vfs.ENOTSUP {
			return x.complain("preserving times for %s: %s", quoteName(p.target), vfs.Words(err))
		}
	}
	return fine
}

// mayLoseOwner reports whether an owner that cannot be kept is no trouble: only
// root can give files away.
func (x *copier) mayLoseOwner(err error) bool {
	errno := vfs.Errno(err)
	return errno == vfs.ENOTSUP || (errno == vfs.EPERM || errno == vfs.EINVAL) && x.View().Identity().UID != 0
}

func (x *copier) permissions(p *copyPair, bits uint32) bool {
	umask := filemode.Bits(x.View().Umask())
	want := bits
	switch {
	case x.keepMode || x.move:
		want = filemode.Bits(p.info.FileMode)
	case x.setMode:
	case x.noMode:
		if p.existing != nil {
			return true
		}
		want = 0o666 &^ umask
		if p.info.IsDir() {
			want = 0o777&^umask | bits&filemode.Sticky
		}
	case !p.info.IsDir() || p.existing != nil:
		return true
	default:
		want = bits & 0o1777 &^ umask
	}
	info, err := x.stat(p.target, true)
	if err == nil && !x.keepMode && !x.move && !x.setMode {
		want |= filemode.Bits(info.FileMode) & (filemode.SetUID | filemode.SetGID) // inherited
	}
	if err == nil && filemode.Bits(info.FileMode) == want {
		return true
	}
	if err := x.View().Chmod(x.ctx, p.target, filemode.Mode(want)); err != nil && vfs.Errno(err) != vfs.ENOTSUP {
		return x.complain("preserving permissions for %s: %s", quoteName(p.target), vfs.Words(err))
	}
	return true
}
