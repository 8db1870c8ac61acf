package vfstest

import (
	"context"
	"io/fs"
	"sync"
	"time"

	"github.com/vsh-project/vsh/vfs"
)

// Fault is what becomes of a call.
type Fault int

const (
	// Pass lets it through.
	Pass Fault = iota
	// Fail answers Faults.Err and does nothing.
	Fail
	// Lie does the work and answers Faults.Err all the same.
	Lie
	// Hang blocks until Faults.Release, whatever the context says.
	Hang
	// Short lets half of a Read or Write through; other calls pass.
	Short
)

// Faults is an FS whose calls go wrong as Decide says. Safe for concurrent use.
type Faults struct {
	vfs.FS
	// Decide is asked for each call by the name of its method ("Open",
	// "File.Write") and how many calls there were before it.
	Decide func(call string, n int) Fault
	// Err is the error of a fault; EIO when nil.
	Err error

	mu       sync.Mutex
	n        int
	released chan struct{}
}

// Release ends all hanging calls.
func (f *Faults) Release() { close(f.hold()) }

func (f *Faults) hold() chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.released == nil {
		f.released = make(chan struct{})
	}
	return f.released
}

// Calls is how many calls there were.
func (f *Faults) Calls() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n
}

func (f *Faults) decide(call string) Fault {
	f.mu.Lock()
	n := f.n
	f.n++
	f.mu.Unlock()
	if f.Decide == nil {
		return Pass
	}
	fault := f.Decide(call, n)
	if fault == Hang {
		<-f.hold()
	}
	return fault
}

func (f *Faults) err() error {
	if f.Err != nil {
		return f.Err
	}
	return vfs.EIO
}

// try runs a call as decided.
func (f *Faults) try(call string, do func() error) error {
	switch f.decide(call) {
	case Fail:
		return f.err()
	case Lie:
		do()
		return f.err()
	}
	return do()
}

func (f *Faults) Lstat(ctx context.Context, path string) (i *vfs.Info, err error) {
	err = f.try("Lstat", func() (err error) { i, err = f.FS.Lstat(ctx, path); return err })
	if err != nil {
		return nil, err
	}
	return i, nil
}

func (f *Faults) ReadDir(ctx context.Context, path string) (entries []vfs.Entry, err error) {
	err = f.try("ReadDir", func() (err error) { entries, err = f.FS.ReadDir(ctx, path); return err })
	if err != nil {
		return nil, err
	}
	return entries, nil
}

func (f *Faults) Open(ctx context.Context, path string, flag int, mode fs.FileMode) (vfs.File, error) {
	var file vfs.File
	err := f.try("Open", func() (err error) { file, err = f.FS.Open(ctx, path, flag, mode); return err })
	if err != nil {
		if file != nil {
			file.Close()
		}
		return nil, err
	}
	return &faultyFile{File: file, faults: f}, nil
}

func (f *Faults) Mkdir(ctx context.Context, path string, mode fs.FileMode) error {
	return f.try("Mkdir", func() error { return f.FS.Mkdir(ctx, path, mode) })
}

func (f *Faults) Mkfifo(ctx context.Context, path string, mode fs.FileMode) error {
	return f.try("Mkfifo", func() error { return f.FS.Mkfifo(ctx, path, mode) })
}

func (f *Faults) Unlink(ctx context.Context, path string) error {
	return f.try("Unlink", func() error { return f.FS.Unlink(ctx, path) })
}

func (f *Faults) Rmdir(ctx context.Context, path string) error {
	return f.try("Rmdir", func() error { return f.FS.Rmdir(ctx, path) })
}

func (f *Faults) Rename(ctx context.Context, from, to string, noReplace bool) error {
	return f.try("Rename", func() error { return f.FS.Rename(ctx, from, to, noReplace) })
}

func (f *Faults) Link(ctx context.Context, from, to string) error {
	return f.try("Link", func() error { return f.FS.Link(ctx, from, to) })
}

func (f *Faults) Symlink(ctx context.Context, target, path string) error {
	return f.try("Symlink", func() error { return f.FS.Symlink(ctx, target, path) })
}

func (f *Faults) Readlink(ctx context.Context, path string) (target string, err error) {
	err = f.try("Readlink", func() (err error) { target, err = f.FS.Readlink(ctx, path); return err })
	return target, err
}

func (f *Faults) Chmod(ctx context.Context, path string, mode fs.FileMode) error {
	return f.try("Chmod", func() error { return f.FS.Chmod(ctx, path, mode) })
}

func (f *Faults) Chown(ctx context.Context, path string, uid, gid int) error {
	return f.try("Chown", func() error { return f.FS.Chown(ctx, path, uid, gid) })
}

func (f *Faults) Chtimes(ctx context.Context, path string, atime, mtime time.Time) error {
	return f.try("Chtimes", func() error { return f.FS.Chtimes(ctx, path, atime, mtime) })
}

func (f *Faults) Truncate(ctx context.Context, path string, size int64) error {
	return f.try("Truncate", func() error { return f.FS.Truncate(ctx, path, size) })
}

func (f *Faults) Statfs(ctx context.Context, path string) (u *vfs.Usage, err error) {
	err = f.try("Statfs", func() (err error) { u, err = f.FS.Statfs(ctx, path); return err })
	return u, err
}

// faultyFile is an open file of Faults.
type faultyFile struct {
	vfs.File
	faults *Faults
}

func (f *faultyFile) transfer(call string, p []byte, do func([]byte) (int, error)) (n int, err error) {
	switch f.faults.decide(call) {
	case Fail:
		return 0, f.faults.err()
	case Lie:
		do(p)
		return 0, f.faults.err()
	case Short:
		if len(p) > 1 {
			p = p[:len(p)/2]
		}
	}
	return do(p)
}

func (f *faultyFile) Read(p []byte) (int, error) { return f.transfer("File.Read", p, f.File.Read) }

func (f *faultyFile) Write(p []byte) (int, error) { return f.transfer("File.Write", p, f.File.Write) }

func (f *faultyFile) ReadAt(p []byte, offset int64) (int, error) {
	return f.transfer("File.ReadAt", p, func(p []byte) (int, error) { return f.File.ReadAt(p, offset) })
}

func (f *faultyFile) WriteAt(p []byte, offset int64) (int, error) {
	return f.transfer("File.WriteAt", p, func(p []byte) (int, error) { return f.File.WriteAt(p, offset) })
}

func (f *faultyFile) Truncate(size int64) error {
	return f.faults.try("File.Truncate", func() error { return f.File.Truncate(size) })
}

func (f *faultyFile) Sync() error { return f.faults.try("File.Sync", f.File.Sync) }

// Close closes the file whatever is decided, so that nothing leaks.
func (f *faultyFile) Close() error {
	err := f.File.Close()
	if fault := f.faults.decide("File.Close"); fault == Fail || fault == Lie {
		return f.faults.err()
	}
	return err
}
