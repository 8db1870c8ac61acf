package vfs

import (
	"context"
	"hash/maphash"
	"io/fs"
	"sync/atomic"
	"time"
)

// searchedFor is how long a directory that could be searched is taken to be
// so still. Every change made through the tree ends it at once, so this is how
// late a change is seen that was made outside (by the embedder, on the host).
const searchedFor = 50 * time.Millisecond

// searched remembers directories of a mount that are there and may be
// searched, with all above them: a walk asks for the same ones again and again.
// Only what was allowed is remembered. Safe for concurrent use.
type searched struct {
	slots [64]atomic.Pointer[searchedDirectory]
}

type searchedDirectory struct {
	path    string
	changes uint64
	until   time.Time
}

// searchedSeed spreads paths over the slots.
var searchedSeed = maphash.MakeSeed()

func (s *searched) slot(directory string) *atomic.Pointer[searchedDirectory] {
	return &s.slots[maphash.String(searchedSeed, directory)%uint64(len(s.slots))]
}

// holds reports whether directory was found to be searchable and nothing has
// changed since, and until when that is taken to be so.
func (s *searched) holds(directory string, changes uint64) (until time.Time, held bool) {
	d := s.slot(directory).Load()
	if d == nil || d.path != directory || d.changes != changes || !time.Now().Before(d.until) {
		return time.Time{}, false
	}
	return d.until, true
}

// add remembers a directory. changes is what the tree's counter said before it
// was looked at, so that a change made meanwhile is not missed.
func (s *searched) add(directory string, changes uint64, until time.Time) {
	s.slot(directory).Store(&searchedDirectory{directory, changes, until})
}

// CheckedOpener is a power of an FS: it opens a file or lists a directory that
// is there and asks allowed with what the open descriptor says, EACCES where it
// says no. So the View need not look at the name first.
type CheckedOpener interface {
	// OpenChecked opens for reading.
	OpenChecked(ctx context.Context, path string, allowed func(*Info) bool) (File, error)
	ReadDirChecked(ctx context.Context, path string, allowed func(*Info) bool) ([]Entry, error)
}

// openChecked asks a CheckedOpener, or looks at the name first.
func openChecked(ctx context.Context, f FS, path string, allowed func(*Info) bool) (File, error) {
	if c, ok := f.(CheckedOpener); ok {
		return c.OpenChecked(ctx, path, allowed)
	}
	if err := checked(ctx, f, path, allowed); err != nil {
		return nil, err
	}
	return f.Open(ctx, path, O_RDONLY, 0)
}

// readDirChecked asks a CheckedOpener, or looks at the name first.
func readDirChecked(ctx context.Context, f FS, path string, allowed func(*Info) bool) ([]Entry, error) {
	if c, ok := f.(CheckedOpener); ok {
		return c.ReadDirChecked(ctx, path, allowed)
	}
	if err := checked(ctx, f, path, allowed); err != nil {
		return nil, err
	}
	return f.ReadDir(ctx, path)
}

func checked(ctx context.Context, f FS, path string, allowed func(*Info) bool) error {
	info, err := f.Lstat(ctx, path)
	switch {
	case err != nil:
		return err
	case info.FileMode&fs.ModeSymlink != 0:
		return ELOOP
	case !allowed(info):
		return EACCES
	}
	return nil
}
