package vfs

import (
	"context"
	"io"
	"io/fs"
)

const accessFlags = O_RDONLY | O_WRONLY | O_RDWR

// Open opens path, following links. mode is reduced by the umask.
func (v *View) Open(ctx context.Context, path string, flag int, mode fs.FileMode) (File, error) {
	f, err := v.open(ctx, path, flag, mode&^v.umask)
	return f, failed("open", path, err)
}

func (v *View) open(ctx context.Context, typed string, flag int, mode fs.FileMode) (f File, err error) {
	o, err := v.parse(typed, openIntent(flag))
	if err != nil {
		return nil, err
	}
	creates, exclusive := flag&O_CREATE != 0, flag&(O_CREATE|O_EXCL) == O_CREATE|O_EXCL
	last := followLast
	if exclusive {
		last = keepLast
	}
	if creates && o.directory && o.last != "." && o.last != ".." {
		// As the kernel has it, whatever the name leads to.
		if _, _, err := v.resolve(ctx, o.entryOnly(), keepLast); err != nil {
			return nil, err
		}
		return nil, EISDIR
	}
	if creates && v.tree.locate(o.clean).readOnly() {
		// Whether the name exists decides, and only the walk knows.
		o.exact = false
	}
	err = v.reach(ctx, o, last, func(p place, info *Info, found bool) error {
		switch {
		case found && info == nil && !creates:
			return ENOENT
		case found && info != nil && exclusive:
			return EEXIST
		}
		f, err = v.openAt(ctx, p, info, found, flag, mode)
		return err
	})
	return f, err
}

// openAt opens a place. It looks at the entry first only where the mount is
// read-only or permission bits bind.
func (v *View) openAt(ctx context.Context, p place, info *Info, found bool, flag int, mode fs.FileMode) (File, error) {
	writes := flag&accessFlags != O_RDONLY || flag&O_TRUNC != 0
	binds := v.binds(p)
	if binds && !found && !writes && flag&O_CREATE == 0 && p.mount != nil && v.tree.pipes.empty() {
		if c, ok := p.mount.FS.(CheckedOpener); ok {
			f, err := c.OpenChecked(v.with(ctx, p.mount), p.inner, func(i *Info) bool { return v.allows(i, AccessRead) })
			if Errno(err) != ENXIO {
				return f, err
			}
		}
	}
	if !found && (p.mount == nil || binds || p.readOnly() && (writes || flag&O_CREATE != 0) || !v.tree.pipes.empty()) {
		at, known, err := v.find(ctx, p.path)
		if err != nil && (Errno(err) != ENOENT || flag&O_CREATE == 0) {
			return nil, err
		}
		p, info, found = at, known, err == nil
		if found && flag&(O_CREATE|O_EXCL) == O_CREATE|O_EXCL {
			return nil, EEXIST
		}
		if found && isLink(info) {
			return nil, ELOOP
		}
	}
	if info != nil && p.unheld() && info.FileMode.IsRegular() && flag&O_CREATE != 0 && flag&O_TRUNC != 0 {
		// A fallback's file yields to one that is made anew.
		if held := v.tree.locate(p.path); !held.readOnly() {
			p, info, found = held, nil, true
			p.virtual = true
		}
	}
	if info != nil {
		if info.IsDir() && (writes || flag&O_CREATE != 0) {
			return nil, EISDIR
		}
		if binds || info.Device == virtualDevice {
			need := 0
			if flag&accessFlags != O_WRONLY {
				need |= AccessRead
			}
			if writes {
				need |= AccessWrite
			}
			if !v.allows(info, need) {
				return nil, EACCES
			}
		}
		if writes && p.readOnly() && info.FileMode.IsRegular() {
			return nil, EROFS
		}
		if p.synthetic {
			return &directoryFile{info: info}, nil
		}
		if info.Device == virtualDevice {
			return v.openPipe(ctx, info, flag)
		}
	} else if flag&O_CREATE != 0 && (found || binds || p.readOnly()) {
		if err := v.mayChange(ctx, p, nil); err != nil {
			return nil, err
		}
	}
	f, err := p.mount.FS.Open(v.with(ctx, p.mount), p.inner, flag, mode)
	if err != nil && Errno(err) == ENXIO {
		// A named pipe has no content of its own: the View gives it one.
		if info == nil {
			_, info, _ = v.find(ctx, p.path)
		}
		if info != nil && info.FileMode&fs.ModeNamedPipe != 0 {
			return v.openPipe(ctx, info, flag)
		}
	}
	return f, err
}

// directoryFile is an open directory: it can be described and nothing else.
type directoryFile struct{ info *Info }

func (d *directoryFile) Read([]byte) (int, error)           { return 0, EISDIR }
func (d *directoryFile) ReadAt([]byte, int64) (int, error)  { return 0, EISDIR }
func (d *directoryFile) Write([]byte) (int, error)          { return 0, EBADF }
func (d *directoryFile) WriteAt([]byte, int64) (int, error) { return 0, EBADF }
func (d *directoryFile) Seek(int64, int) (int64, error)     { return 0, nil }
func (d *directoryFile) Truncate(int64) error               { return EINVAL }
func (d *directoryFile) Stat() (*Info, error)               { return d.info, nil }
func (d *directoryFile) Sync() error                        { return nil }
func (d *directoryFile) Close() error                       { return nil }

var _ io.Seeker = (*directoryFile)(nil)
