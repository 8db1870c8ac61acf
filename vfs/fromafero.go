package vfs

import (
	"context"
	"errors"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/spf13/afero"
)

// What a write may ask of a foreign filesystem, which may hold all of a file,
// holes included, in memory.
const (
	foreignHole = 64 << 20
	foreignSize = 4 << 30
	systemSize  = 1 << 43
)

// FromAfero lifts any afero filesystem to an FS. A storage of ours (one with a
// method FS() FS) gives its own. For all others the rules of POSIX are checked
// here, since afero's MemMapFs breaks many of them; a check and the call after
// it are two steps, between which another user of the same storage may come.
// Hard links, named pipes and statfs are ENOTSUP. A file ends at 4 GiB, and a
// write may leave no hole of more than 64 MiB. No lock is held during a foreign
// call but the one on an open file.
func FromAfero(storage Storage) FS {
	if own, ok := storage.(interface{ FS() FS }); ok {
		return own.FS()
	}
	f := &aferoFS{size: foreignSize, hole: foreignHole, appends: map[string]*semaphore{}}
	f.fs = noted{storage, &f.calls}
	links := notedLinks{calls: &f.calls}
	if links.lstater, _ = storage.(afero.Lstater); links.lstater != nil {
		f.lstater = &links
	}
	if links.reader, _ = storage.(afero.LinkReader); links.reader != nil {
		f.reader = &links
	}
	if links.linker, _ = storage.(afero.Linker); links.linker != nil {
		f.linker = &links
	}
	switch storage.(type) {
	case *afero.OsFs:
		f.size, f.hole = systemSize, systemSize
	case *afero.BasePathFs:
		f.linker = nil // it rewrites a link's target to a path of the host
	}
	return f
}

type aferoFS struct {
	fs         Storage
	lstater    afero.Lstater
	reader     afero.LinkReader
	linker     afero.Linker
	size, hole int64
	calls      calls

	mu      sync.Mutex
	appends map[string]*semaphore
}

// foreign gives an error of a foreign storage an error number.
func foreign(err error) error {
	if errno := Errno(err); errno != 0 {
		return errno // the rest of the error may name a path of the host
	}
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &foreignError{err}
}

// foreignError is an error that names no cause we know. Its text is the
// storage's own and may hold anything, so only EIO's words are shown.
type foreignError struct{ err error }

func (e *foreignError) Error() string   { return EIO.Error() }
func (e *foreignError) Unwrap() []error { return []error{EIO, e.err} }

func (f *aferoFS) lstat(name string) (*Info, error) {
	var info os.FileInfo
	var err error
	if f.lstater != nil {
		info, _, err = f.lstater.LstatIfPossible(name)
	} else {
		info, err = f.fs.Stat(name)
	}
	if err != nil {
		return nil, foreign(err)
	}
	return InfoOf(info, name), nil
}

// InfoOf describes what another package's FileInfo does. Where it tells no
// inode number, PathInode's is taken.
func InfoOf(from os.FileInfo, name string) *Info {
	info := &Info{
		FileName: path.Base(name), FileMode: from.Mode(), Bytes: from.Size(), Links: 1, UID: -1, GID: -1,
		Accessed: from.ModTime(), Modified: from.ModTime(), Changed: from.ModTime(),
	}
	info.Blocks = (info.Bytes + 511) / 512
	if from.IsDir() {
		info.FileMode |= fs.ModeDir // MemMapFs lets a chmod lose it
		info.Links = 2
	}
	if !systemInfo(info, from.Sys()) {
		info.Inode = PathInode(name)
	}
	return info
}

// PathInode makes an inode number of a path.
func PathInode(path string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, path)
	return h.Sum64()
}

// parents checks that every directory above name is one, and no link.
func (f *aferoFS) parents(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for i := 1; i < len(name); i++ {
		if name[i] != '/' {
			continue
		}
		info, err := f.lstat(name[:i])
		switch {
		case err != nil:
			return err
		case isLink(info):
			return ELOOP
		case !info.IsDir():
			return ENOTDIR
		}
	}
	return nil
}

func (f *aferoFS) Lstat(ctx context.Context, name string) (*Info, error) {
	if err := f.parents(ctx, name); err != nil {
		return nil, err
	}
	return f.lstat(name)
}

// missing checks that name can be made.
func (f *aferoFS) missing(ctx context.Context, name string) error {
	_, err := f.Lstat(ctx, name)
	if err == nil {
		return EEXIST
	}
	if Errno(err) != ENOENT || name == "/" {
		return err
	}
	// Lstat's ENOENT may be a parent's.
	_, err = f.Lstat(ctx, path.Dir(name))
	return err
}

func (f *aferoFS) ReadDir(ctx context.Context, name string) ([]Entry, error) {
	info, err := f.Lstat(ctx, name)
	switch {
	case err != nil:
		return nil, err
	case isLink(info):
		return nil, ELOOP
	case !info.IsDir():
		return nil, ENOTDIR
	}
	d, err := f.fs.Open(name)
	if err != nil {
		return nil, foreign(err)
	}
	defer d.Close()
	infos, err := d.Readdir(-1)
	if err != nil {
		return nil, foreign(err)
	}
	entries := make([]Entry, 0, len(infos))
	for _, i := range infos {
		base := path.Base(i.Name())
		if base == "." || base == ".." || base == "/" {
			continue
		}
		one := InfoOf(i, path.Join(name, base))
		entries = append(entries, Entry{Name: base, Type: one.FileMode.Type(), Inode: one.Inode})
	}
	return entries, nil
}

func (f *aferoFS) Open(ctx context.Context, name string, flag int, mode fs.FileMode) (File, error) {
	for try := 0; ; try++ {
		file, err := f.open(ctx, name, flag, mode)
		// Somebody else made the file between the look and the call.
		if Errno(err) != EEXIST || flag&O_EXCL != 0 || try == 10 {
			return file, err
		}
	}
}

func (f *aferoFS) open(ctx context.Context, name string, flag int, mode fs.FileMode) (File, error) {
	info, err := f.Lstat(ctx, name)
	writes := flag&accessFlags != O_RDONLY || flag&O_TRUNC != 0
	switch {
	case err == nil && flag&(O_CREATE|O_EXCL) == O_CREATE|O_EXCL:
		return nil, EEXIST
	case err == nil && isLink(info):
		return nil, ELOOP
	case err == nil && info.IsDir():
		if writes || flag&O_CREATE != 0 {
			return nil, EISDIR
		}
		return &directoryFile{info: info}, nil
	case err == nil && !info.FileMode.IsRegular():
		return nil, EACCES // a device, socket or pipe of the host
	case err == nil:
	case Errno(err) != ENOENT || flag&O_CREATE == 0:
		return nil, err
	default:
		if err := f.missing(ctx, name); err != nil {
			return nil, err
		}
		info = nil
	}
	ask := flag &^ O_APPEND
	if info == nil {
		ask |= O_EXCL // the name is still missing, or the race is lost
	}
	file, err := f.fs.OpenFile(name, ask, mode.Perm())
	if err != nil {
		return nil, foreign(err)
	}
	if info == nil {
		f.exactMode(name, mode.Perm())
	}
	one := &foreignFile{file: file, fs: f, name: name, flag: flag, ctx: ctx, gate: newSemaphore()}
	if info != nil && flag&O_TRUNC == 0 {
		one.end = info.Bytes
	}
	if flag&O_APPEND != 0 {
		one.appends = f.appender(name)
	}
	return one, nil
}

// appender is the gate that appending writes to one path pass one by one.
func (f *aferoFS) appender(name string) *semaphore {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.appends[name]
	if s == nil {
		s = newSemaphore()
		f.appends[name] = s
	}
	s.users++
	return s
}

func (f *aferoFS) dropAppender(name string, s *semaphore) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.users--; s.users == 0 && f.appends[name] == s {
		delete(f.appends, name)
	}
}

func (f *aferoFS) Mkdir(ctx context.Context, name string, mode fs.FileMode) error {
	if err := f.missing(ctx, name); err != nil {
		return err
	}
	if err := f.fs.Mkdir(name, mode.Perm()|mode&fs.ModeSticky); err != nil {
		return foreign(err)
	}
	f.exactMode(name, mode&(fs.ModePerm|fs.ModeSticky)|fs.ModeDir)
	return nil
}

// exactMode undoes what the host process's mask took from a new file's mode,
// where the storage can.
func (f *aferoFS) exactMode(name string, mode fs.FileMode) {
	if info, err := f.lstat(name); err == nil && !isLink(info) && info.FileMode != mode {
		f.fs.Chmod(name, mode)
	}
}

func (f *aferoFS) Mkfifo(context.Context, string, fs.FileMode) error { return ENOTSUP }

func (f *aferoFS) Unlink(ctx context.Context, name string) error {
	info, err := f.Lstat(ctx, name)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return EISDIR
	}
	return foreign(f.fs.Remove(name))
}

func (f *aferoFS) Rmdir(ctx context.Context, name string) error {
	if name == "/" {
		return EBUSY
	}
	info, err := f.Lstat(ctx, name)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return ENOTDIR
	}
	if err := f.empty(name); err != nil {
		return err
	}
	return foreign(f.fs.Remove(name))
}

func (f *aferoFS) empty(name string) error {
	d, err := f.fs.Open(name)
	if err != nil {
		return foreign(err)
	}
	defer d.Close()
	if names, _ := d.Readdirnames(1); len(names) > 0 {
		return ENOTEMPTY
	}
	return nil
}

func (f *aferoFS) Rename(ctx context.Context, from, to string, noReplace bool) error {
	source, err := f.Lstat(ctx, from)
	if err != nil {
		return err
	}
	if from == "/" || to == "/" {
		return EBUSY
	}
	target, err := f.Lstat(ctx, to)
	switch {
	case Errno(err) == ENOENT:
		if err := f.missing(ctx, to); err != nil {
			return err
		}
	case err != nil:
		return err
	case noReplace:
		return EEXIST
	case from == to:
		return nil
	}
	if source.IsDir() && below(to, from) {
		return EINVAL
	}
	if target != nil {
		switch {
		case source.IsDir() && !target.IsDir():
			return ENOTDIR
		case !source.IsDir() && target.IsDir():
			if below(from, to) {
				return ENOTEMPTY
			}
			return EISDIR
		case target.IsDir():
			if err := f.empty(to); err != nil {
				return err
			}
			if err := f.fs.Remove(to); err != nil {
				return foreign(err)
			}
		}
	}
	return foreign(f.fs.Rename(from, to))
}

func (f *aferoFS) Link(context.Context, string, string) error { return ENOTSUP }

func (f *aferoFS) Symlink(ctx context.Context, target, name string) error {
	if err := f.missing(ctx, name); err != nil {
		return err
	}
	if f.linker == nil {
		return ENOTSUP
	}
	return foreign(f.linker.SymlinkIfPossible(target, name))
}

func (f *aferoFS) Readlink(ctx context.Context, name string) (string, error) {
	info, err := f.Lstat(ctx, name)
	if err != nil {
		return "", err
	}
	if !isLink(info) {
		return "", EINVAL
	}
	if f.reader == nil {
		return "", ENOTSUP
	}
	target, err := f.reader.ReadlinkIfPossible(name)
	return strings.ReplaceAll(target, "\x00", ""), foreign(err)
}

// own checks that name is there and no link: afero's calls would follow it.
func (f *aferoFS) own(ctx context.Context, name string) (*Info, error) {
	info, err := f.Lstat(ctx, name)
	if err == nil && isLink(info) {
		return nil, ENOTSUP
	}
	return info, err
}

func (f *aferoFS) Chmod(ctx context.Context, name string, mode fs.FileMode) error {
	info, err := f.own(ctx, name)
	if err != nil {
		return err
	}
	return foreign(f.fs.Chmod(name, mode&^fs.ModeType|info.FileMode.Type()))
}

// Chown is refused: owners are the shell's own.
func (f *aferoFS) Chown(ctx context.Context, name string, _, _ int) error {
	if _, err := f.Lstat(ctx, name); err != nil {
		return err
	}
	return EPERM
}

func (f *aferoFS) Chtimes(ctx context.Context, name string, atime, mtime time.Time) error {
	info, err := f.own(ctx, name)
	if err != nil {
		return err
	}
	if atime.IsZero() {
		atime = info.Accessed
	}
	if mtime.IsZero() {
		mtime = info.Modified
	}
	return foreign(f.fs.Chtimes(name, atime, mtime))
}

func (f *aferoFS) Truncate(ctx context.Context, name string, size int64) error {
	file, err := f.Open(ctx, name, O_WRONLY, 0)
	if err != nil {
		return err
	}
	err = file.Truncate(size)
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

func (f *aferoFS) Statfs(context.Context, string) (*Usage, error) { return nil, ENOTSUP }
