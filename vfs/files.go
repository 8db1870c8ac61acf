package vfs

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"sync"
	"time"
)

// Files is the file layer that Go tools use beside a shell: the same view, links
// and policy, and a freshness gate against overwriting what somebody else has
// changed meanwhile. Safe for concurrent use.
type Files struct {
	view    *View
	options FilesOptions
	mu      sync.Mutex
	read    map[string]freshness // by resolved path
}

// FilesOptions configure NewFiles.
type FilesOptions struct {
	// NoTracking turns the freshness gate off.
	NoTracking bool
	// MustRead refuses to overwrite a file that was never read.
	MustRead bool
	// Sync makes WriteFile wait until the content has reached the disk.
	Sync bool
}

// freshness is what a file was when it was last read or written here.
type freshness struct {
	size     int64
	modified time.Time
	inode    uint64
	device   uint64
}

func freshnessOf(i *Info) freshness { return freshness{i.Bytes, i.Modified, i.Inode, i.Device} }

// NewFiles makes the file layer of a view.
func NewFiles(view *View, options FilesOptions) *Files {
	if options.Sync {
		view = view.WithSync(true)
	}
	return &Files{view: view, options: options, read: map[string]freshness{}}
}

// FileKind is what an entry is.
type FileKind string

// Kinds of entries.
const (
	KindFile  FileKind = "file"
	KindDir   FileKind = "dir"
	KindLink  FileKind = "link"
	KindOther FileKind = "other"
)

// FileEntry is what Entry tells. Size is in bytes; LinkTarget a link's, as it was
// made.
type FileEntry struct {
	Kind       FileKind
	Size       int64
	Modified   time.Time
	LinkTarget string
}

// Entry describes what is at path; a link is told itself. Nothing there is nil
// and no error.
func (f *Files) Entry(ctx context.Context, path string) (*FileEntry, error) {
	info, err := f.view.Lstat(ctx, path)
	if err != nil {
		if e := Errno(err); RefusalCode(err) == "" && (e == ENOENT || e == ENOTDIR) {
			return nil, nil
		}
		return nil, err
	}
	e := &FileEntry{Kind: KindOther, Size: info.Bytes, Modified: info.Modified}
	switch {
	case info.IsDir():
		e.Kind = KindDir
	case info.FileMode.IsRegular():
		e.Kind = KindFile
	case isLink(info):
		e.Kind = KindLink
		e.LinkTarget, err = f.view.Readlink(ctx, path)
	}
	return e, err
}

// Open opens a file for reading, following links, and remembers that it was
// read as it is now. The caller closes it.
func (f *Files) Open(ctx context.Context, path string) (File, error) {
	file, err := f.view.Open(ctx, path, O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = EISDIR
	}
	if err == nil {
		err = f.remember(ctx, path, info)
	}
	if err != nil {
		file.Close()
		return nil, failed("open", path, err)
	}
	return file, nil
}

func (f *Files) remember(ctx context.Context, path string, info *Info) error {
	if f.options.NoTracking {
		return nil
	}
	resolved, err := f.view.Realpath(ctx, path, MissingLast)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.read[resolved] = freshnessOf(info)
	return nil
}

// WriteFile replaces or makes a whole file, at once for all who look, and the
// directories above that are missing. A link's target is replaced. Overwriting a
// file that was read here and has changed since is refused (CodeChanged); with
// MustRead also one that never was (CodeNotRead).
func (f *Files) WriteFile(ctx context.Context, name string, data []byte) error {
	resolved, err := f.view.Realpath(ctx, name, MissingAny)
	if err != nil {
		return failed("write", name, err)
	}
	if err := f.fresh(ctx, name, resolved); err != nil {
		return failed("write", name, err)
	}
	if parent := path.Dir(f.view.Abs(name)); parent != "/" {
		if _, err := f.view.Stat(ctx, parent); Errno(err) == ENOENT && RefusalCode(err) == "" {
			if err := f.view.MkdirAll(ctx, path.Dir(resolved), 0o777); err != nil {
				return failed("write", name, cause(err))
			}
		}
	}
	err = f.view.WriteFile(ctx, name, func(w File) error {
		_, err := w.Write(data)
		return err
	}, 0o666)
	if err != nil {
		return err
	}
	info, err := f.view.Stat(ctx, name)
	if err != nil {
		return err
	}
	return f.remember(ctx, name, info)
}

// fresh is the freshness gate.
func (f *Files) fresh(ctx context.Context, name, resolved string) error {
	if f.options.NoTracking {
		return nil
	}
	info, err := f.view.Stat(ctx, name)
	if err != nil || !info.FileMode.IsRegular() {
		return nil // nothing to lose, or WriteFile's to refuse
	}
	f.mu.Lock()
	known, read := f.read[resolved]
	f.mu.Unlock()
	switch {
	case read && known.differs(info):
		return &Refusal{Code: CodeChanged, Path: name, Reason: fmt.Sprintf("%s has changed since it was read; read it again first", name)}
	case !read && f.options.MustRead:
		return &Refusal{Code: CodeNotRead, Path: name, Reason: fmt.Sprintf("%s has not been read; read it first", name)}
	}
	return nil
}

func (k freshness) differs(i *Info) bool {
	return k.size != i.Bytes || !k.modified.Equal(i.Modified) || k.inode != i.Inode || k.device != i.Device
}

// Delete removes a file, a link itself, or a directory: one that is not empty
// only with recursive. Nothing there is no error.
func (f *Files) Delete(ctx context.Context, name string, recursive bool) error {
	info, err := f.view.Lstat(ctx, name)
	if err != nil {
		if e := Errno(err); RefusalCode(err) == "" && (e == ENOENT || e == ENOTDIR) {
			return nil
		}
		return err
	}
	switch {
	case info.FileMode.Type() != fs.ModeDir:
		return f.view.Unlink(ctx, name)
	case !recursive:
		return f.view.Rmdir(ctx, name)
	}
	// A root must be refused before anything in it is gone.
	if err := f.view.ask(f.view.Abs(name), IntentRemove); err != nil {
		return failed("remove", name, shown(name, err))
	}
	return f.view.RemoveAll(ctx, name)
}
