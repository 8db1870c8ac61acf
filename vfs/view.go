package vfs

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"
)

// Mount joins a filesystem to the tree at an absolute path. The deepest mount
// that is a prefix of a path serves it. Ancestors of a mount that no storage
// has are shown as empty directories; where the mount they lie in can hold them,
// it comes to when something is made there, else they are read-only.
type Mount struct {
	Path     string
	FS       FS
	ReadOnly bool
	// Unlisted keeps the mount out of its parent's listing: it works by name.
	Unlisted bool
	// Fallback serves only lookups that the mount below it answers ENOENT:
	// the files of registered commands in /usr/bin are one. Read-only, unlisted;
	// its names yield to those made in the mount.
	Fallback bool
	// HideHidden hides names that start with "." or "_" below Path, as typed
	// and as resolved, with ENOENT.
	HideHidden bool
	// Policy is asked about every path that as typed or as resolved lies in
	// this mount; paths are the shell's. Nil lets everything through.
	Policy Policy
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
	// Sync makes WriteFile wait until the content has reached the disk.
	Sync bool
	// Budget pays for what named pipes hold; nil is no bound but the 64 KiB a
	// pipe.
	Budget Budget
}

// View resolves the paths a process types: relative to its directory, through
// mounts, following symbolic links itself (40 at most). A View is immutable but
// for nothing: the With methods return cheap copies, so each virtual process
// has its own. Errors are *fs.PathError (or *LinkError for two paths) with the
// path as typed. Safe for concurrent use.
type View struct {
	tree        *tree
	directory   string
	where       *whereabouts
	umask       fs.FileMode
	sync        bool
	descriptors Descriptors
}

// NewView makes a view over mounts.
func NewView(options ViewOptions) (*View, error) {
	t, err := newTree(options.Mounts, options.Identity)
	if err != nil {
		return nil, err
	}
	directory := options.Directory
	if directory == "" {
		directory = "/"
	}
	if directory[0] != '/' {
		return nil, errors.New("vfs: directory " + directory + " is not absolute")
	}
	t.pipes.budget = options.Budget
	directory = path.Clean(directory)
	return &View{tree: t, directory: directory, where: t.moves.whereabouts(directory), umask: options.Umask, sync: options.Sync}, nil
}

// Directory is the absolute working directory as the process reached it
// (it may hold links: pwd -L).
func (v *View) Directory() string { return v.directory }

// Identity is who the process is.
func (v *View) Identity() Identity { return v.tree.identity }

// Umask is the mode bits that new files lose.
func (v *View) Umask() fs.FileMode { return v.umask }

// WithDirectory is the view from another absolute directory, unchecked.
func (v *View) WithDirectory(directory string) *View {
	c := *v
	c.directory, c.where = directory, v.tree.moves.whereabouts(directory)
	return &c
}

// WithUmask is the view with another umask.
func (v *View) WithUmask(umask fs.FileMode) *View { c := *v; c.umask = umask; return &c }

// WithSync is the view whose WriteFile waits, or does not, until the content has
// reached the disk.
func (v *View) WithSync(sync bool) *View { c := *v; c.sync = sync; return &c }

// WithDescriptors is the view of a process with those open files: /dev/fd/N
// and /dev/stdin, stdout, stderr reach them.
func (v *View) WithDescriptors(d Descriptors) *View { c := *v; c.descriptors = d; return &c }

// Abs is the absolute path as typed from the directory, "." and ".." cleaned
// lexically (cd -L's reading).
func (v *View) Abs(name string) string {
	if !strings.HasPrefix(name, "/") {
		name = v.directory + "/" + name
	}
	return path.Clean(name)
}

// with hands the process's descriptors to the storage that shows them.
func (v *View) with(ctx context.Context, m *mount) context.Context {
	if !m.device || v.descriptors == nil {
		return ctx
	}
	return context.WithValue(ctx, descriptorsKey{}, v.descriptors)
}
