package vfs

import (
	"context"
	"io/fs"
	"time"
)

// Mount joins a filesystem to the tree at an absolute path. The deepest mount
// that is a prefix of a path serves it. Ancestors of a mount that no storage
// has are shown as empty read-only directories.
type Mount struct {
	Path     string
	FS       FS
	ReadOnly bool
	// Unlisted keeps the mount out of its parent's listing: it works by name.
	Unlisted bool
	// Fallback serves only lookups that the mount below it answers ENOENT:
	// the files of registered commands in /usr/bin are one. Read-only, unlisted.
	Fallback bool
	// HideHidden hides names that start with "." or "_" below Path, as typed
	// and as resolved, with ENOENT.
	HideHidden bool
}

// Identity is who a script is. Permission bits bind unless UID is 0.
type Identity struct {
	User, Group string
	UID, GID    int
	Groups      []int
}

// Descriptors are a process's open files, as /dev/fd shows them.
type Descriptors interface {
	OpenDescriptor(ctx context.Context, fd int, flag int) (File, error)
	StatDescriptor(fd int) (*Info, error)
	ListDescriptors() []int
}

// ViewOptions configure NewView. The mount at "/" may be missing.
type ViewOptions struct {
	Mounts   []Mount
	Identity Identity
	// Directory is where the view starts, absolute.
	Directory string
	Umask     fs.FileMode
}

// View resolves the paths a process types: relative to its directory, through
// mounts, following symbolic links itself (40 at most). A View is immutable but
// for nothing: the With methods return cheap copies, so each virtual process
// has its own. Errors are *fs.PathError (or *LinkError for two paths) with the
// path as typed. Safe for concurrent use.
type View struct {
	tree        *tree
	directory   string
	umask       fs.FileMode
	descriptors Descriptors
}

// tree is what all views of one shell share.
type tree struct {
	mounts   []Mount
	identity Identity
}

// NewView makes a view over mounts.
func NewView(options ViewOptions) (*View, error) { panic("not yet") }

// Directory is the absolute working directory as the process reached it
// (it may hold links: pwd -L).
func (v *View) Directory() string { return v.directory }

// Identity is who the process is.
func (v *View) Identity() Identity { return v.tree.identity }

// Umask is the mode bits that new files lose.
func (v *View) Umask() fs.FileMode { return v.umask }

// WithDirectory is the view from another absolute directory, unchecked.
func (v *View) WithDirectory(directory string) *View { c := *v; c.directory = directory; return &c }

// WithUmask is the view with another umask.
func (v *View) WithUmask(umask fs.FileMode) *View { c := *v; c.umask = umask; return &c }

// WithDescriptors is the view of a process with those open files: /dev/fd/N
// and /dev/stdin, stdout, stderr reach them.
func (v *View) WithDescriptors(d Descriptors) *View { c := *v; c.descriptors = d; return &c }

// Abs is the absolute path as typed from the directory, "." and ".." cleaned
// lexically where no link can be crossed (cd -L's reading).
func (v *View) Abs(path string) string { panic("not yet") }

// Stat follows links; Lstat does not follow the last.
func (v *View) Stat(ctx context.Context, path string) (*Info, error)  { panic("not yet") }
func (v *View) Lstat(ctx context.Context, path string) (*Info, error) { panic("not yet") }

// ReadDir lists a directory sorted by name (bytes).
func (v *View) ReadDir(ctx context.Context, path string) ([]Entry, error) { panic("not yet") }

// Open opens path, following links. mode is reduced by the umask.
func (v *View) Open(ctx context.Context, path string, flag int, mode fs.FileMode) (File, error) {
	panic("not yet")
}
func (v *View) Mkdir(ctx context.Context, path string, mode fs.FileMode) error  { panic("not yet") }
func (v *View) Mkfifo(ctx context.Context, path string, mode fs.FileMode) error { panic("not yet") }

// Unlink removes a non-directory; Rmdir an empty directory.
func (v *View) Unlink(ctx context.Context, path string) error { panic("not yet") }
func (v *View) Rmdir(ctx context.Context, path string) error  { panic("not yet") }

// Rename is rename(2); EXDEV across mounts.
func (v *View) Rename(ctx context.Context, from, to string, noReplace bool) error {
	panic("not yet")
}

// Link makes a hard link; follow says whether a link from is followed first.
func (v *View) Link(ctx context.Context, from, to string, follow bool) error { panic("not yet") }
func (v *View) Symlink(ctx context.Context, target, path string) error       { panic("not yet") }
func (v *View) Readlink(ctx context.Context, path string) (string, error)    { panic("not yet") }

// Chmod follows links. Chown and Chtimes follow when follow is set.
func (v *View) Chmod(ctx context.Context, path string, mode fs.FileMode) error { panic("not yet") }
func (v *View) Chown(ctx context.Context, path string, uid, gid int, follow bool) error {
	panic("not yet")
}
func (v *View) Chtimes(ctx context.Context, path string, atime, mtime time.Time, follow bool) error {
	panic("not yet")
}
func (v *View) Truncate(ctx context.Context, path string, size int64) error { panic("not yet") }
func (v *View) Statfs(ctx context.Context, path string) (*Usage, error)     { panic("not yet") }

// Access modes, as access(2) takes them.
const (
	AccessExists  = 0
	AccessExecute = 1
	AccessWrite   = 2
	AccessRead    = 4
)

// Access asks whether the identity may use path so (access(2)).
func (v *View) Access(ctx context.Context, path string, mode int) error { panic("not yet") }

// Missing says how much of a path Realpath lets be missing.
type Missing int

const (
	MissingNone Missing = iota // every element must exist
	MissingLast                // all but the last must exist
	MissingAny                 // none needs to exist
)

// Realpath resolves every link (readlink -f, realpath).
func (v *View) Realpath(ctx context.Context, path string, missing Missing) (string, error) {
	panic("not yet")
}

// WriteFile replaces a whole file: a temporary file in the same directory,
// then a rename; the mode stays and a link's target is replaced.
func (v *View) WriteFile(ctx context.Context, path string, data func(File) error, mode fs.FileMode) error {
	panic("not yet")
}

// Storage is an afero face over the view, for commands that use afero calls.
// It takes absolute, relative and the reference's slash-less forms (relative
// names are taken from "/").
func (v *View) Storage() Storage { panic("not yet") }
