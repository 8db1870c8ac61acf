package vfs

import (
	"context"
	"io/fs"
	"sort"
	"strings"
	"sync"
	"time"
)

// Recorder is an FS that notes what is changed through it, so that what a run
// has done can be told without looking at the whole tree. What others do to the
// storage below is not noted. Safe for concurrent use.
type Recorder struct {
	FS
	budget  Budget
	mu      sync.Mutex
	paths   map[string]*recorded
	renames []renamed
	charged int64
	lost    bool
}

// Budget pays for memory before it is allocated.
type Budget interface {
	Charge(bytes int64) error
	Release(bytes int64)
}

// recorded is a path that was touched, as it was before.
type recorded struct {
	before  *Info // nil: nothing was there
	written bool
}

type renamed struct{ from, to string }

const (
	// maxRecorded bounds what a run can make a Recorder hold.
	maxRecorded = 200_000
	// recordedCost is what a path costs the budget beside its text.
	recordedCost = 400
)

// Record wraps f.
func Record(f FS) *Recorder { return &Recorder{FS: f, paths: map[string]*recorded{}} }

// RecordWithin is Record with a budget that pays for what is noted, until the
// next Reset. Where it is used up the list of changes is not complete.
func RecordWithin(f FS, budget Budget) *Recorder {
	r := Record(f)
	r.budget = budget
	return r
}

// Reset forgets what was noted: a new run begins.
func (r *Recorder) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.charged > 0 {
		r.budget.Release(r.charged)
	}
	r.paths, r.renames, r.charged, r.lost = map[string]*recorded{}, nil, 0, false
}

// pays charges for one more path; false notes that something is lost. mu is held.
func (r *Recorder) pays(path string) bool {
	cost := int64(len(path)) + recordedCost
	if len(r.paths)+len(r.renames) >= maxRecorded || r.budget != nil && r.budget.Charge(cost) != nil {
		r.lost = true
		return false
	}
	if r.budget != nil {
		r.charged += cost
	}
	return true
}

// ChecksPermissions passes on what the storage below says.
func (r *Recorder) ChecksPermissions() bool {
	c, ok := r.FS.(PermissionChecker)
	return ok && c.ChecksPermissions()
}

// Search implements Searcher.
func (r *Recorder) Search(ctx context.Context, path string, allowed func(*Info) bool) error {
	return searchParents(ctx, r.FS, path, allowed)
}

// OpenChecked implements CheckedOpener.
func (r *Recorder) OpenChecked(ctx context.Context, path string, allowed func(*Info) bool) (File, error) {
	return openChecked(ctx, r.FS, path, allowed)
}

// ReadDirChecked implements CheckedOpener.
func (r *Recorder) ReadDirChecked(ctx context.Context, path string, allowed func(*Info) bool) ([]Entry, error) {
	return readDirChecked(ctx, r.FS, path, allowed)
}

// touch notes how path is before it is changed for the first time.
func (r *Recorder) touch(ctx context.Context, path string) {
	r.mu.Lock()
	_, known := r.paths[path]
	touch := !known && r.pays(path)
	r.mu.Unlock()
	if !touch {
		return
	}
	before, err := r.FS.Lstat(ctx, path)
	if err != nil {
		before = nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.paths[path] == nil {
		r.paths[path] = &recorded{before: before}
	}
}

func (r *Recorder) wrote(path string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if one := r.paths[path]; one != nil {
		one.written = true
	}
}

func (r *Recorder) Open(ctx context.Context, path string, flag int, mode fs.FileMode) (File, error) {
	if openIntent(flag) == IntentRead {
		return r.FS.Open(ctx, path, flag, mode)
	}
	r.touch(ctx, path)
	f, err := r.FS.Open(ctx, path, flag, mode)
	if err != nil {
		return nil, err
	}
	if flag&O_TRUNC != 0 {
		r.wrote(path)
	}
	return &recordedFile{File: f, note: func() { r.wrote(path) }}, nil
}

// recordedFile notes the first write.
type recordedFile struct {
	File
	once sync.Once
	note func()
}

func (f *recordedFile) Write(p []byte) (int, error) {
	f.once.Do(f.note)
	return f.File.Write(p)
}

func (f *recordedFile) WriteAt(p []byte, offset int64) (int, error) {
	f.once.Do(f.note)
	return f.File.WriteAt(p, offset)
}

func (f *recordedFile) Truncate(size int64) error {
	f.once.Do(f.note)
	return f.File.Truncate(size)
}

func (r *Recorder) Mkdir(ctx context.Context, path string, mode fs.FileMode) error {
	r.touch(ctx, path)
	return r.FS.Mkdir(ctx, path, mode)
}

func (r *Recorder) Mkfifo(ctx context.Context, path string, mode fs.FileMode) error {
	r.touch(ctx, path)
	return r.FS.Mkfifo(ctx, path, mode)
}

func (r *Recorder) Symlink(ctx context.Context, target, path string) error {
	r.touch(ctx, path)
	return r.FS.Symlink(ctx, target, path)
}

func (r *Recorder) Link(ctx context.Context, from, to string) error {
	r.touch(ctx, to)
	return r.FS.Link(ctx, from, to)
}

func (r *Recorder) Unlink(ctx context.Context, path string) error {
	r.touch(ctx, path)
	return r.FS.Unlink(ctx, path)
}

func (r *Recorder) Rmdir(ctx context.Context, path string) error {
	r.touch(ctx, path)
	return r.FS.Rmdir(ctx, path)
}

func (r *Recorder) Chmod(ctx context.Context, path string, mode fs.FileMode) error {
	r.touch(ctx, path)
	return r.FS.Chmod(ctx, path, mode)
}

func (r *Recorder) Truncate(ctx context.Context, path string, size int64) error {
	r.touch(ctx, path)
	err := r.FS.Truncate(ctx, path, size)
	if err == nil {
		r.wrote(path)
	}
	return err
}

// Chtimes is no change that is told.
func (r *Recorder) Chtimes(ctx context.Context, path string, atime, mtime time.Time) error {
	return r.FS.Chtimes(ctx, path, atime, mtime)
}

func (r *Recorder) Rename(ctx context.Context, from, to string, noReplace bool) error {
	r.touch(ctx, from)
	r.touch(ctx, to)
	if err := r.FS.Rename(ctx, from, to, noReplace); err != nil {
		return err
	}
	// Only a directory takes others along.
	now, err := r.FS.Lstat(ctx, to)
	alone := err == nil && !now.IsDir()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.pays(from + to) {
		return nil
	}
	r.renames = append(r.renames, renamed{from, to})
	// What was touched moves along; at the new place nothing was.
	paths := r.paths
	if alone {
		paths = map[string]*recorded{}
		if one := r.paths[from]; one != nil {
			paths[from] = one
		}
	}
	for path, one := range paths {
		rest, along := strings.CutPrefix(path, from+"/")
		if path == from {
			rest, along = "", true
		}
		if !along {
			continue
		}
		moved := to
		if rest != "" {
			moved = to + "/" + rest
		}
		if r.paths[moved] == nil {
			if !r.pays(moved) {
				return nil
			}
			r.paths[moved] = &recorded{}
		}
		r.paths[moved].written = r.paths[moved].written || one.written
	}
	return nil
}

// Changes tells what has been done since the last Reset, in path order: one
// change for a renamed directory, and what was changed in it beside. complete is
// false when there was too much to note.
func (r *Recorder) Changes(ctx context.Context) (list []Change, complete bool, err error) {
	r.mu.Lock()
	paths := make(map[string]recorded, len(r.paths))
	for path, one := range r.paths {
		paths[path] = *one
	}
	renames := append([]renamed(nil), r.renames...)
	complete = !r.lost
	r.mu.Unlock()

	origin := origins(renames)
	byPath := map[string]Change{}
	for path, one := range paths {
		now, err := r.FS.Lstat(ctx, path)
		if e := Errno(err); err != nil && e != ENOENT && e != ENOTDIR && e != ELOOP {
			return nil, false, err
		}
		c := Change{Path: path}
		if one.before != nil {
			c.OldMode, c.OldSize = one.before.FileMode, one.before.Bytes
		}
		if err == nil {
			c.Mode, c.Size = now.FileMode, now.Bytes
		}
		switch {
		case one.before == nil && err != nil:
			continue
		case one.before == nil:
			c.Kind, c.Edited = Added, one.written
		case err != nil:
			c.Kind = Removed
		case now.FileMode.Type() != one.before.FileMode.Type() || now.Inode != one.before.Inode || one.written && !now.IsDir():
			c.Kind = Modified
			if now.IsDir() && one.before.IsDir() {
				continue // made again
			}
		case now.FileMode != one.before.FileMode:
			c.Kind = ModeChanged
		default:
			continue
		}
		byPath[path] = c
	}
	for path, c := range byPath {
		from, ok := origin(path)
		if c.Kind != Added || !ok {
			continue
		}
		old, tracked := byPath[from]
		if tracked && old.Kind == Removed && old.OldMode.Type() == c.Mode.Type() {
			c.Kind, c.From, c.OldMode, c.OldSize = Renamed, from, old.OldMode, old.OldSize
			byPath[path] = c
		}
	}
	for _, c := range byPath {
		if c.Kind == Renamed {
			delete(byPath, c.From)
		}
	}
	for path, c := range byPath {
		if c.Kind != Renamed || c.Edited || c.Mode != c.OldMode {
			c.Edited = c.Edited && c.Kind == Renamed
			list = append(list, c)
			continue
		}
		at := strings.LastIndexByte(path, '/')
		above, ok := byPath[path[:at]]
		if ok && above.Kind == Renamed && c.From == above.From+path[at:] {
			continue // it moved along
		}
		list = append(list, c)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Path < list[j].Path })
	return list, complete, nil
}

// origins follows renames back: where what is at a path now came from.
func origins(renames []renamed) func(path string) (string, bool) {
	to := map[string][]int{} // the numbers of the renames to a path, rising
	for i, one := range renames {
		to[one.to] = append(to[one.to], i)
	}
	return func(path string) (string, bool) {
		start := path
		for before := len(renames); ; {
			// The last one that moved the path, or something above it.
			last := -1
			for at := path; at != ""; at = at[:strings.LastIndexByte(at, '/')] {
				numbers := to[at]
				if n := sort.SearchInts(numbers, before); n > 0 {
					last = max(last, numbers[n-1])
				}
			}
			if last < 0 {
				return path, path != start
			}
			one := renames[last]
			path, before = one.from+path[len(one.to):], last
		}
	}
}
