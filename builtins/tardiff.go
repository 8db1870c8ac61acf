package builtins

import (
	"bytes"
	"errors"
	"io"
	"io/fs"

	"github.com/vsh-project/vsh/builtins/internal/filemode"
	"github.com/vsh-project/vsh/builtins/internal/tarformat"
	"github.com/vsh-project/vsh/vfs"
)

// diffMember compares a member with the file of its name.
func (t *tarCommand) diffMember(r *tarReader, m *tarMember) error {
	if t.verbose > 0 {
		if t.verifying {
			t.list("Verify ")
		}
		t.printMember(m, m.ordinal)
	}
	switch m.kind {
	case tarformat.HardLink:
		t.diffLink(m)
	case tarformat.Symlink:
		t.diffSymlink(m)
	case tarformat.Character, tarformat.BlockDev, tarformat.FIFO:
		t.diffSpecial(m)
	case tarformat.Directory, tarformat.DumpDir:
		t.diffDirectory(m)
	case tarformat.VolumeName, tarformat.MultiVol:
	case tarformat.OldRegular, tarformat.Regular, tarformat.Sparse, tarformat.Contiguous:
		if m.trailingSlash {
			t.diffDirectory(m)
			break
		}
		if err := t.diffFile(r, m); err != nil {
			return err
		}
	default:
		t.fault("%s: Unknown file type '%c', diffed as normal file", t.colonName(m.name), m.kind)
		if err := t.diffFile(r, m); err != nil {
			return err
		}
	}
	return r.skipData(m)
}

// difference reports what differs; without words only the status tells.
func (t *tarCommand) difference(m *tarMember, what string) {
	if what != "" {
		t.list("%s: %s\n", t.colonName(m.name), what)
	}
	t.differs()
}

func (t *tarCommand) diffStat(m *tarMember, name string) (*vfs.Info, bool) {
	stat := t.view().Lstat
	if t.dereference {
		stat = t.view().Stat
	}
	info, err := stat(t.ctx, name)
	if err != nil {
		t.missing(name, "stat", err)
		t.difference(m, "")
		return nil, false
	}
	return info, true
}

// missing reports a file that is not there with a warning, else an error.
func (t *tarCommand) missing(name, what string, err error) {
	if vfs.Errno(err) == vfs.ENOENT {
		t.warnf("%s: Warning: Cannot %s: %s", t.colonName(name), what, vfs.Words(err))
		return
	}
	t.failed(name, what, err)
}

func (t *tarCommand) diffFile(r *tarReader, m *tarMember) error {
	info, ok := t.diffStat(m, m.name)
	if !ok {
		return nil
	}
	if !info.FileMode.IsRegular() {
		t.difference(m, "File type differs")
		return nil
	}
	if filemode.Bits(info.FileMode) != m.mode {
		t.difference(m, "Mode differs")
	}
	uid, gid := (&tarExtractor{t: t}).ownerIDs(m)
	if own, _ := (&tarAdder{tarWriter: &tarWriter{t: t}}).ownerOf(info.UID, t.userName); own != int64(uid) {
		t.difference(m, "Uid differs")
	}
	if own, _ := (&tarAdder{tarWriter: &tarWriter{t: t}}).ownerOf(info.GID, t.groupName); own != int64(gid) {
		t.difference(m, "Gid differs")
	}
	if info.Modified.Unix() != m.modified.Unix() || m.format == tarformat.POSIX && info.Modified.Nanosecond() != m.modified.Nanosecond() {
		t.difference(m, "Mod time differs")
	}
	if info.Bytes != m.size {
		t.difference(m, "Size differs")
		return nil
	}
	f, err := t.view().Open(t.ctx, m.name, vfs.O_RDONLY, 0)
	if err != nil {
		t.failed(m.name, "open", err)
		t.difference(m, "")
		return nil
	}
	defer f.Close()
	if m.badMap {
		t.fault("%s: invalid sparse archive member", t.colonName(m.orig))
		return nil
	}
	err = r.content(m, &tarDiffSink{t: t, f: f})
	var sink *tarSinkError
	switch {
	case !errors.As(err, &sink):
		return err
	case sink.err == errTarDiffers:
		t.difference(m, "Contents differ")
	case t.ctx.Err() != nil:
		return t.ctx.Err()
	default:
		t.failed(m.name, "read", sink.err)
		t.difference(m, "")
	}
	return nil
}

var errTarDiffers = errors.New("contents differ")

// tarDiffSink compares what it is given with a file.
type tarDiffSink struct {
	t     *tarCommand
	f     io.Reader
	block []byte
}

func (s *tarDiffSink) Write(p []byte) (int, error) {
	if len(s.block) < len(p) {
		s.block = make([]byte, len(p))
	}
	have := s.block[:len(p)]
	if _, err := io.ReadFull(s.f, have); err != nil {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			err = errTarDiffers
		}
		return 0, err
	}
	if !bytes.Equal(have, p) {
		return 0, errTarDiffers
	}
	return len(p), nil
}

func (s *tarDiffSink) Hole(n int64) error { return tarPlainSink{s, s.t}.Hole(n) }

func (t *tarCommand) diffLink(m *tarMember) {
	info, ok := t.diffStat(m, m.name)
	if !ok {
		return
	}
	target, ok := t.diffStat(m, m.link)
	if ok && !vfs.SameFile(info, target) {
		t.difference(m, "Not linked to "+t.colonName(m.link))
	}
}

func (t *tarCommand) diffSymlink(m *tarMember) {
	target, err := t.view().Readlink(t.ctx, m.name)
	switch {
	case err != nil:
		t.missing(m.name, "readlink", err)
		t.difference(m, "")
	case target != m.link:
		t.difference(m, "Symlink differs")
	}
}

func (t *tarCommand) diffSpecial(m *tarMember) {
	info, ok := t.diffStat(m, m.name)
	if !ok {
		return
	}
	want := fs.ModeNamedPipe
	switch m.kind {
	case tarformat.Character:
		want = fs.ModeDevice | fs.ModeCharDevice
	case tarformat.BlockDev:
		want = fs.ModeDevice
	}
	switch {
	case info.FileMode.Type() != want:
		t.difference(m, "File type differs")
	case m.kind != tarformat.FIFO && uint64(m.devMajor<<8|m.devMinor) != info.DeviceNumber:
		t.difference(m, "Device number differs")
	case filemode.Bits(info.FileMode) != m.mode:
		t.difference(m, "Mode differs")
	}
}

func (t *tarCommand) diffDirectory(m *tarMember) {
	info, ok := t.diffStat(m, m.name)
	switch {
	case !ok:
	case !info.IsDir():
		t.difference(m, "File type differs")
	case filemode.Bits(info.FileMode) != m.mode:
		t.difference(m, "Mode differs")
	}
}

// verifyArchive compares what has just been written with the files.
func (t *tarCommand) verifyArchive() error {
	t.verifying = true
	in, err := t.openInput(false)
	if err != nil {
		return err
	}
	defer in.close()
	t.transforms, t.strip = nil, 0
	return t.eachMember(&tarReader{tarInput: in, t: t}, t.diffMember)
}
