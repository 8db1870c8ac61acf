package builtins

import (
	"io/fs"
	"path"
	"strings"

	"github.com/vsh-project/vsh/builtins/internal/filemode"
	"github.com/vsh-project/vsh/builtins/internal/tarformat"
	"github.com/vsh-project/vsh/vfs"
)

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
	if err := x.t.charge(len(name) + 384); err != nil {
		x.exhausted = err
		return
	}
	x.delays = append(x.delays, d)
	x.delayed[tarPlace{d.directory, name}] = d
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
		delete(x.delayed, tarPlace{d.directory, d.name})
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
