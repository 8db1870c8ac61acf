package builtins

import (
	"strings"

	"github.com/vsh-project/vsh/vfs"
)

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
	for i := 1; i < len(name); i++ {
		if name[i] != '/' {
			continue
		}
		if d := x.delayed[tarPlace{x.t.directory, name[:i]}]; d != nil {
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
