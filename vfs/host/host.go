// Package host shows a directory of the host as a Storage that nothing inside
// can leave.
package host

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/vsh-project/vsh/vfs"
)

// Options configure New.
type Options struct {
	// Directory is the host directory that becomes the root. It must exist;
	// links in this path itself are followed once, by New.
	Directory string
	// ReadOnly refuses every change with EROFS.
	ReadOnly bool
	// RefuseSymlinks follows no symbolic link and makes none: reading a
	// link's target, and so following it, is EACCES; making one EPERM.
	RefuseSymlinks bool
}

// Storage is a host directory: an afero.Fs outside, an FS inside. Owners are
// virtual (-1) and can't be changed; modes and times are those on disk.
// Devices, sockets and named pipes can be listed but not opened (EACCES).
// setuid and setgid can't be set on files (EPERM).
//
// On Linux a path is opened in one call by which the kernel lets no link be
// followed and nothing outside the directory be reached, so that no race
// between a check and its use is left. Elsewhere os.Root does the work, which
// follows links that stay inside the directory: there a name that is swapped
// for a link between the check and the call is followed, though never out of
// the directory.
type Storage struct {
	*vfs.Face
	close func() error
}

// New opens the directory.
func New(options Options) (*Storage, error) {
	if options.Directory == "" {
		return nil, errors.New("host: Directory is empty")
	}
	directory, err := filepath.Abs(options.Directory)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(directory)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &os.PathError{Op: "open", Path: directory, Err: vfs.ENOTDIR}
	}
	fs, closeRoot, err := open(directory, options.RefuseSymlinks)
	if err != nil {
		return nil, err
	}
	if options.ReadOnly {
		fs = vfs.ReadOnly(fs)
	}
	return &Storage{Face: vfs.NewFace(fs), close: closeRoot}, nil
}

// FoldsCase reports whether names that differ only by letter case are one file
// there, as a workspace policy must know. It changes nothing: it looks for an
// entry under its name in the other case. In a directory without letters the
// operating system's habit decides.
func (s *Storage) FoldsCase(ctx context.Context) bool {
	entries, err := s.FS().ReadDir(ctx, "/")
	if err == nil {
		names := make(map[string]bool, len(entries))
		for _, e := range entries {
			names[e.Name] = true
		}
		for _, e := range entries {
			other := strings.ToUpper(e.Name)
			if other == e.Name {
				other = strings.ToLower(e.Name)
			}
			if other == e.Name || names[other] {
				continue
			}
			_, err := s.FS().Lstat(ctx, "/"+other)
			return err == nil
		}
	}
	return runtime.GOOS == "windows" || runtime.GOOS == "darwin"
}

// Close gives up the directory. Files that are open stay usable.
func (s *Storage) Close() error { return s.close() }
