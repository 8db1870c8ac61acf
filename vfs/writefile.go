package vfs

import (
	"context"
	"io"
	"io/fs"
	"path"
	"strconv"
	"sync/atomic"
)

// temporaries makes the names of temporary files differ.
var temporaries atomic.Uint64

// WriteFile replaces a whole file: a temporary file in the same directory,
// then a rename; the mode stays and a link's target is replaced. data writes
// the content; where it fails nothing has changed and no temporary is left.
// With ViewOptions.Sync the content has reached the disk before the rename. What
// is no regular file (a device, a pipe) is written in place.
func (v *View) WriteFile(ctx context.Context, name string, data func(File) error, mode fs.FileMode) error {
	return failed("write", name, v.writeFile(ctx, name, data, mode))
}

func (v *View) writeFile(ctx context.Context, name string, data func(File) error, mode fs.FileMode) error {
	o, err := v.parse(name, IntentWrite)
	if err != nil {
		return err
	}
	p, info, err := v.resolve(ctx, o, followLast)
	if err != nil {
		return err
	}
	// The rename that comes is no removal of the target: it may be written.
	if err := v.ask(p.path, IntentWrite); err != nil {
		return err
	}
	mode &^= v.umask
	switch {
	case info == nil && o.directory:
		return EISDIR
	case info == nil:
	case info.IsDir():
		return EISDIR
	case o.directory:
		return ENOTDIR
	case v.binds(p) && !v.allows(info, AccessWrite):
		return EACCES
	case !info.FileMode.IsRegular():
		f, err := v.Open(ctx, p.path, O_WRONLY, 0)
		if err != nil {
			return err
		}
		err = data(f)
		if closed := f.Close(); err == nil {
			err = closed
		}
		return err
	default:
		mode = info.FileMode &^ fs.ModeType
	}
	if err := v.mayChange(ctx, p, info); err != nil {
		return err
	}
	storage := p.mount.FS
	ctx = v.with(ctx, p.mount)
	var temporary string
	var f File
	for try := 0; ; try++ {
		temporary = path.Join(path.Dir(p.inner), ".vsh-"+strconv.FormatUint(temporaries.Add(1), 36)+".tmp")
		f, err = storage.Open(ctx, temporary, O_WRONLY|O_CREATE|O_EXCL, mode)
		if err == nil {
			break
		}
		if Errno(err) != EEXIST || try == 100 {
			return err
		}
	}
	err = data(&wholeWriter{f})
	if err == nil && v.sync {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil && info != nil {
		// The process's own mask may have cut the mode of the new file.
		if err = storage.Chmod(ctx, temporary, mode); Errno(err) == ENOTSUP {
			err = nil
		}
	}
	if err == nil {
		err = storage.Rename(ctx, temporary, p.inner, false)
	}
	if err != nil {
		// A cancelled context must not leave the temporary behind.
		storage.Unlink(context.WithoutCancel(ctx), temporary)
	}
	return err
}

// wholeWriter goes on after a write that took less than all without an error,
// which a storage must not do.
type wholeWriter struct{ File }

func (w *wholeWriter) Write(p []byte) (int, error) {
	done := 0
	for done < len(p) {
		n, err := w.File.Write(p[done:])
		done += n
		if err == nil && n == 0 {
			err = io.ErrShortWrite
		}
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

func (w *wholeWriter) WriteAt(p []byte, offset int64) (int, error) {
	done := 0
	for done < len(p) {
		n, err := w.File.WriteAt(p[done:], offset+int64(done))
		done += n
		if err == nil && n == 0 {
			err = io.ErrShortWrite
		}
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// WholeWriter makes a File whose writes take all they are given or answer an
// error, whatever f does.
func WholeWriter(f File) File { return &wholeWriter{f} }
