package shell

import (
	"context"
	"fmt"
	"path"
	"sort"
	"strings"
	"time"

	"github.com/vsh-project/vsh/internal/budget"
	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/memory"
)

// Mount is a storage beside the workspace. It may lie inside the workspace or
// inside another; a rename from one to another is EXDEV, and mv copies. Files
// that are made when they are first read: vfs.NewFace of a vfs.NewLazy.
type Mount struct {
	// Path is absolute. It must not be MountPoint, /tmp, /dev or below /dev.
	Path string
	// Storage is shown at Path. Required.
	Storage vfs.Storage
	// ReadOnly answers every change with EROFS.
	ReadOnly bool
	// Policy is asked about every path of the mount, as Options.Policy is about
	// the workspace's.
	Policy vfs.Policy
}

// isOwnPath reports whether the shell itself has a mount there.
func isOwnPath(p string) bool { return p == "/tmp" || p == "/dev" || strings.HasPrefix(p, "/dev/") }

// setMounts checks and cleans Options.Mounts.
func (s *settings) setMounts() error {
	mounts := make([]Mount, len(s.Mounts))
	seen := map[string]bool{s.mount: true}
	for i, m := range s.Mounts {
		clean := path.Clean(m.Path)
		switch {
		case !path.IsAbs(m.Path):
			return fmt.Errorf("shell: Options.Mounts[%d].Path %q is not absolute", i, m.Path)
		case strings.ContainsRune(m.Path, 0):
			return fmt.Errorf("shell: Options.Mounts[%d].Path %q holds a NUL", i, m.Path)
		case isOwnPath(clean):
			return fmt.Errorf("shell: Options.Mounts[%d].Path %q is the shell's own", i, m.Path)
		case seen[clean]:
			return fmt.Errorf("shell: Options.Mounts[%d].Path %q is mounted already", i, m.Path)
		case m.Storage == nil:
			return fmt.Errorf("shell: Options.Mounts[%d].Storage is required", i)
		}
		seen[clean] = true
		m.Path = clean
		mounts[i] = m
	}
	s.Mounts = mounts
	return nil
}

// recorded is a mount whose changes are noted.
type recorded struct {
	path     string
	recorder *vfs.Recorder
}

// files are what one session sees.
type files struct {
	view     *vfs.View
	tmp      *memory.Storage
	recorded []recorded
	foreign  []vfs.FS // storages that are not ours
}

// newFiles joins the workspace, the mounts, /tmp, /dev and the commands' files.
func (s *settings) newFiles(b *budget.Budget, tmp *memory.Storage) (*files, error) {
	f := &files{tmp: tmp}
	record := func(p string, storage vfs.Storage, readOnly bool) vfs.FS {
		fs := vfs.FromAfero(storage)
		f.foreign = append(f.foreign, fs)
		if !s.RecordChanges || readOnly {
			return fs
		}
		r := vfs.RecordWithin(fs, b)
		f.recorded = append(f.recorded, recorded{p, r})
		return r
	}
	root := s.mount == "/"
	mounts := []vfs.Mount{
		{Path: s.mount, FS: record(s.mount, s.Storage, false), HideHidden: s.HideHiddenPaths, Policy: s.Policy},
		{Path: "/tmp", FS: tmp.FS(), Unlisted: root},
		{Path: "/dev", FS: vfs.NewDevices(s.Random), Unlisted: root},
		{Path: "/usr/bin", FS: &programs{byName: s.byName}, Fallback: true},
		{Path: "/bin", FS: &programs{byName: s.byName}, Fallback: true},
	}
	for _, m := range s.Mounts {
		mounts = append(mounts, vfs.Mount{Path: m.Path, FS: record(m.Path, m.Storage, m.ReadOnly), ReadOnly: m.ReadOnly, Policy: m.Policy})
	}
	var err error
	f.view, err = vfs.NewView(vfs.ViewOptions{
		Mounts:   mounts,
		Identity: vfs.Identity{User: s.identity.User, Group: s.identity.Group, UID: s.identity.UID, GID: s.identity.GID, Groups: s.identity.Groups},
		// The storage's root may lie elsewhere than the shell's: scripts start at the mount.
		Directory: path.Clean(s.mount),
		Umask:     0o022,
		Sync:      s.Sync,
		Budget:    b,
	})
	return f, err
}

// reset begins a run.
func (f *files) reset() {
	for _, r := range f.recorded {
		r.recorder.Reset()
	}
}

// changesTimeout bounds the look at what a run has changed, on a storage that
// answers slowly or not at all.
const changesTimeout = 5 * time.Second

// look is changes for a run that may have been cancelled, which has changed
// things all the same. It returns in time even if a storage ignores its context.
func (f *files) look(ctx context.Context) (list []vfs.Change, incomplete bool) {
	if len(f.recorded) == 0 {
		return nil, false
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), changesTimeout)
	defer cancel()
	type answer struct {
		list       []vfs.Change
		incomplete bool
	}
	found := make(chan answer, 1)
	go func() {
		a := answer{incomplete: true}
		defer func() {
			recover() // a foreign storage's panic is a list that is not there
			found <- a
		}()
		list, complete, err := f.changes(ctx)
		a = answer{list, !complete || err != nil}
	}()
	select {
	case a := <-found:
		return a.list, a.incomplete
	case <-ctx.Done():
		return nil, true
	}
}

// changes tells what has been done since reset, with the shell's paths.
func (f *files) changes(ctx context.Context) (list []vfs.Change, complete bool, err error) {
	complete = true
	for _, r := range f.recorded {
		part, whole, err := r.recorder.Changes(ctx)
		if err != nil {
			return nil, false, err
		}
		complete = complete && whole
		for _, c := range part {
			c.Path = path.Join(r.path, c.Path)
			if c.From != "" {
				c.From = path.Join(r.path, c.From)
			}
			list = append(list, c)
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Path < list[j].Path })
	return list, complete, nil
}
