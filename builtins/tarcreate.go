package builtins

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/vsh-project/vsh/builtins/internal/filemode"
	"github.com/vsh-project/vsh/builtins/internal/tarformat"
	"github.com/vsh-project/vsh/vfs"
)

// tarAdder adds files to an archive.
type tarAdder struct {
	*tarWriter
	archive *vfs.Info // of the archive itself, nil where it is no file
	// links are the files with several names that have been added.
	links map[copyInode]*tarLink
	// many says that files may be met twice, so that all are remembered.
	many    bool
	removed []tarRemoval
}

// tarLink is a file that other names may lead to.
type tarLink struct {
	name string
	left uint64 // names not yet met
}

// tarRemoval is a file that --remove-files removes at the end.
type tarRemoval struct {
	view      *vfs.View
	name      string
	directory bool
}

func (t *tarCommand) create() error {
	closeIndex, err := t.openIndex()
	if err != nil {
		return err
	}
	defer closeIndex()
	out, err := t.openOutput()
	if err != nil {
		return err
	}
	defer out.close()
	a := t.newAdder(&tarWriter{tarOutput: out, t: t})
	if err := a.writeStart(); err != nil {
		return err
	}
	if t.incremental {
		return a.createIncremental()
	}
	err = t.eachName(func(name string) error {
		if err := t.enter(t.directory); err != nil {
			return err
		}
		if t.excluded(name, nil) {
			return nil
		}
		return a.add(name, nil)
	})
	if err != nil {
		return err
	}
	return a.close()
}

func (t *tarCommand) newAdder(w *tarWriter) *tarAdder {
	a := &tarAdder{tarWriter: w, links: map[copyInode]*tarLink{}, many: t.manyNames()}
	var stream any = t.Stdout
	if w.file != nil {
		stream = w.file
	}
	if w.file == nil && t.packer != "" {
		return a // a pipe to the compressor, as far as tar knows
	}
	if info := statStream(stream); info != nil && info.FileMode.IsRegular() {
		a.archive = info
	}
	return a
}

// close ends the archive, and does what is to be done once it stands.
func (a *tarAdder) close() error {
	t := a.t
	if err := a.finish(); err != nil {
		return err
	}
	if t.totals {
		t.printTotals(true)
	}
	if t.verify {
		if err := t.verifyArchive(); err != nil {
			return err
		}
	}
	if t.checkLinks {
		for _, l := range a.links {
			if l.left > 0 {
				t.warnf("Missing links to %s.", quote(l.name))
			}
		}
	}
	return a.removeFiles()
}

func (a *tarAdder) removeFiles() error {
	t := a.t
	for _, r := range a.removed {
		if r.directory {
			continue
		}
		if err := r.view.Unlink(t.ctx, r.name); err != nil && vfs.Errno(err) != vfs.ENOENT {
			t.failed(r.name, "unlink", err)
		}
	}
	// Directories come after what lies in them.
	for _, r := range a.removed {
		if !r.directory {
			continue
		}
		name := r.name
		if name == "." {
			name = r.view.Directory()
		}
		if err := r.view.Rmdir(t.ctx, name); err != nil && vfs.Errno(err) != vfs.ENOENT {
			t.failed(r.name, "rmdir", err)
		}
	}
	return a.t.ctx.Err()
}

func (a *tarAdder) remove(name string, directory bool) error {
	if !a.t.removeFiles {
		return nil
	}
	a.removed = append(a.removed, tarRemoval{a.t.view(), name, directory})
	return a.t.charge(len(name) + 48)
}

// diagnose reports a file that cannot be read; one that has gone since its
// directory was listed is less.
func (a *tarAdder) diagnose(name, what string, err error, in *tarTree) {
	t := a.t
	if t.ctx.Err() != nil {
		return
	}
	switch {
	case in != nil && vfs.Errno(err) == vfs.ENOENT:
		t.warning("file-removed", "%s: File removed before we read it", t.colonName(name))
		t.differs()
	case t.ignoreFailedRead:
		t.warning("failed-read", "%s: Warning: Cannot %s: %s", t.colonName(name), what, vfs.Words(err))
	default:
		t.failed(name, what, err)
	}
}

// add adds a file, and what a directory holds. In is the directory it was found
// in, nil for a file that was named.
func (a *tarAdder) add(name string, in *tarTree) error {
	t := a.t
	if err := t.ctx.Err(); err != nil {
		return err
	}
	if t.interactive && !t.asksFor("add", name) {
		return nil
	}
	stat := t.view().Lstat
	if t.dereference {
		stat = t.view().Stat
	}
	info, err := stat(t.ctx, name)
	if err != nil {
		a.diagnose(name, "stat", err, in)
		return nil
	}
	m := &tarMember{orig: name, mode: filemode.Bits(info.FileMode), size: info.Bytes, modified: info.Modified, accessed: info.Accessed, changed: info.Changed}
	m.name = t.transform(t.safeName(name, false), tarOfMember)
	m.uid, m.uname = a.ownerOf(info.UID, t.userName)
	m.gid, m.gname = a.ownerOf(info.GID, t.groupName)
	if t.hasNewer && !info.IsDir() && info.Modified.Before(t.newer) && (!t.afterDate || info.Changed.Before(t.newer)) {
		if t.verbose > 0 {
			t.warning("file-unchanged", "%s: file is unchanged; not dumped", t.colonName(name))
		}
		return nil
	}
	if a.archive != nil && vfs.SameFile(info, a.archive) {
		// GNU tar's compressor makes the archive beside it, mostly too late to be seen.
		if t.packer == "" {
			t.warning("ignore-archive", "%s: file is the archive; not dumped", t.colonName(name))
		}
		return nil
	}
	if !info.IsDir() {
		if done, err := a.hardLink(m, info); done || err != nil {
			return err
		}
	}
	switch info.FileMode.Type() {
	case fs.ModeDir:
		return a.directory(m, info, in)
	case 0:
		return a.regular(m, info, in)
	case fs.ModeSymlink:
		target, err := t.view().Readlink(t.ctx, name)
		if err != nil {
			a.diagnose(name, "readlink", err, in)
			return nil
		}
		m.kind, m.size, m.link = tarformat.Symlink, 0, t.transform(target, tarOfSymlink)
	case fs.ModeNamedPipe:
		m.kind = tarformat.FIFO
	case fs.ModeDevice:
		m.kind = tarformat.BlockDev
	case fs.ModeDevice | fs.ModeCharDevice:
		m.kind = tarformat.Character
	case fs.ModeSocket:
		t.warning("file-ignored", "%s: socket ignored", t.colonName(name))
		return nil
	default:
		t.fault("%s: Unknown file type; file ignored", t.colonName(name))
		return nil
	}
	if m.kind != tarformat.Symlink && t.format == tarformat.V7 {
		t.fault("%s: Unknown file type; file ignored", t.colonName(name))
		return nil
	}
	m.size = 0
	m.devMajor, m.devMinor = int64(info.DeviceNumber>>8), int64(info.DeviceNumber&0xff)
	ok, err := a.writeMember(m, nil)
	if err != nil || !ok {
		return err
	}
	if err := a.remove(name, false); err != nil {
		return err
	}
	if m.kind == tarformat.Symlink {
		return a.remember(m, info)
	}
	return nil
}

func (a *tarAdder) ownerOf(id int, nameOf func(int) (string, bool)) (int64, string) {
	identity := a.t.View().Identity()
	name, known := nameOf(id)
	if !known {
		name = ""
	}
	if id < 0 {
		id = identity.UID
	}
	return int64(id), name
}

// asksFor is -w's question.
func (t *tarCommand) asksFor(what, name string) bool {
	t.list("%s %s?", what, quote(name))
	t.out.Flush()
	var first, one [1]byte
	for n := 0; ; n++ {
		if _, err := io.ReadFull(t.Stdin, one[:]); err != nil || t.ctx.Err() != nil {
			t.list("\n")
			return n > 0 && first[0]|0x20 == 'y'
		}
		if one[0] == '\n' {
			return n > 0 && first[0]|0x20 == 'y'
		}
		if n == 0 {
			first = one
		}
	}
}

// hardLink writes a file that has been added before as a link to it.
func (a *tarAdder) hardLink(m *tarMember, info *vfs.Info) (done bool, err error) {
	t := a.t
	if t.hardDereference || !a.countsLinks(info) {
		return false, nil
	}
	l := a.links[copyID(info)]
	if l == nil {
		return false, nil
	}
	if l.left > 0 {
		l.left--
	}
	link := *m
	link.kind, link.size, link.link = tarformat.HardLink, 0, t.safeName(l.name, true)
	ok, err := a.writeMember(&link, nil)
	if err != nil || !ok {
		return true, err
	}
	return true, a.remove(m.orig, false)
}

// countsLinks reports whether a file may be met under another name.
func (a *tarAdder) countsLinks(info *vfs.Info) bool {
	return info.Links > 1 || a.many || a.t.dereference
}

// remember keeps in mind that a file has been added.
func (a *tarAdder) remember(m *tarMember, info *vfs.Info) error {
	t := a.t
	if t.hardDereference || !a.countsLinks(info) {
		return nil
	}
	name := t.transform(t.safeName(m.orig, true), tarOfHardLink)
	a.links[copyID(info)] = &tarLink{name, max(info.Links, 1) - 1}
	return t.charge(len(name) + 96)
}

func (a *tarAdder) directory(m *tarMember, info *vfs.Info, in *tarTree) error {
	t := a.t
	name := m.orig
	m.kind, m.size = tarformat.Directory, 0
	m.orig, m.name = tarWithSlash(m.orig), tarWithSlash(m.name)
	tag, tagged := t.tagged(name)
	if tagged && tag.kind == tarTagAll {
		a.tagWarning(m.orig, tag, "directory not dumped")
		return nil
	}
	entries, err := t.view().ReadDir(t.ctx, name)
	if err != nil {
		a.diagnose(name, "open", err, in)
		return nil
	}
	ok, err := a.writeMember(m, nil)
	if err != nil || !ok {
		return err
	}
	if err := a.contents(name, m, info, in, entries, tag, tagged); err != nil {
		return err
	}
	if after, err := t.view().Stat(t.ctx, name); err == nil && !t.removeFiles && !after.Changed.Equal(info.Changed) {
		a.changed(m.orig)
	}
	return a.remove(name, true)
}

func (a *tarAdder) contents(name string, m *tarMember, info *vfs.Info, in *tarTree, entries []vfs.Entry, tag tarTag, tagged bool) error {
	t := a.t
	if !t.selection.recursion {
		return nil
	}
	if t.oneFileSystem && in != nil && in.device != info.Device {
		if t.verbose > 0 {
			t.warning("xdev", "%s: file is on a different filesystem; not dumped", t.colonName(m.orig))
		}
		return nil
	}
	tree := &tarTree{parent: in, device: info.Device}
	if t.dereference && in.loops(copyID(info)) {
		t.warnf("%s: File system loop detected", t.colonName(m.orig))
		t.status = tarStatusFailed
		return nil
	}
	tree.id = copyID(info)
	if len(t.excludes.ignores) > 0 {
		if err := t.readIgnores(name, tree); err != nil {
			return err
		}
	}
	if tagged {
		a.tagWarning(m.orig, tag, "contents not dumped")
		if tag.kind == tarTagContents {
			return a.add(walkJoinBase(name, tag.name), tree)
		}
		return nil
	}
	for _, e := range entries {
		child := walkJoinBase(name, e.Name)
		if t.excluded(child, tree) {
			continue
		}
		if err := a.add(child, tree); err != nil {
			return err
		}
	}
	return nil
}

// loops reports whether a directory is above itself.
func (tree *tarTree) loops(id copyInode) bool {
	for up := tree; up != nil; up = up.parent {
		if up.id == id {
			return true
		}
	}
	return false
}

func (a *tarAdder) tagWarning(directory string, tag tarTag, what string) {
	if a.t.verbose > 0 {
		a.t.warning("cachedir", "%s: contains a cache directory tag %s; %s", a.t.colonName(directory), a.t.shown(path.Base(tag.name)), what)
	}
}

func tarWithSlash(name string) string {
	if strings.HasSuffix(name, "/") {
		return name
	}
	return name + "/"
}

func (a *tarAdder) changed(name string) {
	a.t.warning("file-changed", "%s: file changed as we read it", a.t.colonName(name))
	a.t.differs()
}

func (a *tarAdder) regular(m *tarMember, info *vfs.Info, in *tarTree) error {
	t := a.t
	m.kind = tarformat.Regular
	f, err := t.view().Open(t.ctx, m.orig, vfs.O_RDONLY, 0)
	if err != nil {
		a.diagnose(m.orig, "open", err, in)
		return nil
	}
	defer f.Close()
	name := m.orig
	whole := false
	var ok bool
	if t.sparse && info.Bytes > 0 && info.Blocks*512 < info.Bytes {
		whole, ok, err = a.writeSparse(m, f)
	} else {
		if ok, err = a.writeMember(m, nil); ok && err == nil {
			whole, err = a.data(f, m, m.size, m.size)
		}
	}
	if err != nil || !ok {
		return err
	}
	if err := a.remember(m, info); err != nil || !whole {
		return err
	}
	after, err := f.Stat()
	if err != nil {
		a.diagnose(name, "stat", err, in)
		return nil
	}
	if after.Bytes > info.Bytes || !after.Changed.Equal(info.Changed) && !after.Modified.Equal(info.Modified) {
		a.changed(name)
	}
	return a.remove(name, false)
}

// data writes size bytes of a file whose rest has left of them. What the file
// lacks becomes zeros.
func (a *tarAdder) data(f io.Reader, m *tarMember, size, left int64) (whole bool, err error) {
	t := a.t
	for size > 0 {
		room, err := a.room()
		if err != nil {
			return false, err
		}
		if int64(len(room)) > size {
			room = room[:size]
		}
		n, err := io.ReadFull(f, room)
		if err != nil {
			if t.ctx.Err() != nil {
				return false, t.ctx.Err()
			}
			lacks := left - int64(n)
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				plural := "s"
				if lacks == 1 {
					plural = ""
				}
				t.warning("file-shrank", "%s: File shrank by %d byte%s; padding with zeros", t.colonName(m.orig), lacks, plural)
				if !t.ignoreFailedRead {
					t.differs()
				}
			} else {
				what := fmt.Sprintf("%s: Read error at byte %d, while reading %d bytes: %s", t.colonName(m.orig), m.size-left, len(room), vfs.Words(err))
				if t.ignoreFailedRead {
					t.warnf("Warning: %s", what)
				} else {
					t.fault("%s", what)
				}
			}
			a.filled(n)
			rest := size - int64(n+tarformat.BlockSize-1)/tarformat.BlockSize*tarformat.BlockSize
			return false, a.zeros(rest)
		}
		a.filled(n)
		size -= int64(n)
		left -= int64(n)
	}
	return true, nil
}

func (a *tarAdder) zeros(size int64) error {
	for ; size > 0; size -= tarformat.BlockSize {
		if _, err := a.tarWriter.block(); err != nil {
			return err
		}
	}
	return nil
}
