package builtins

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/vsh-project/vsh/builtins/internal/filemode"
	"github.com/vsh-project/vsh/builtins/internal/tarformat"
	"github.com/vsh-project/vsh/vfs"
)

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
