package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"github.com/vsh-project/vsh/shell"
	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/host"
	"github.com/vsh-project/vsh/vfs/memory"
	"github.com/vsh-project/vsh/vfs/overlay"
)

// workspaceQuota bounds what a script can make a workspace hold in memory.
const workspaceQuota = 1 << 30

// workspace is what the command line says about the script's files.
type workspace struct {
	root          string
	write, commit bool
	changes, diff report

	overlay *overlay.Storage // nil without one
}

// report is an option that prints something after the run: on standard error,
// or to a file of the host.
type report struct {
	wanted bool
	file   string
}

func (r *report) set(file string, given bool) error {
	if given && file == "" {
		return errors.New("the argument is empty")
	}
	r.wanted, r.file = true, file
	return nil
}

// print writes the report; on an error a file may hold part of it.
func (r *report) print(stderr io.Writer, write func(io.Writer) error) error {
	if !r.wanted {
		return nil
	}
	if r.file == "" {
		return write(stderr)
	}
	f, err := os.Create(r.file)
	if err != nil {
		return err
	}
	err = write(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// check finds what does not go together. Host programs see the disk: over an
// overlay they would answer for files that the script does not have.
func (w *workspace) check(programs bool) error {
	switch {
	case w.write && w.root == "":
		return errors.New("--write needs --root")
	case w.commit && w.root == "":
		return errors.New("--commit needs --root")
	case w.commit && w.write:
		return errors.New("--commit and --write exclude each other")
	case w.diff.wanted && w.write:
		return errors.New("--diff and --write exclude each other")
	case programs && w.root != "" && (w.commit || w.diff.wanted):
		return errors.New("--commit and --diff work over an overlay, which host programs (--allow, --tools) cannot see")
	}
	return nil
}

// open makes the storage: the directory itself with --write, read-only with host
// programs that see only the disk, else an overlay.
func (w *workspace) open(programs bool) (vfs.Storage, error) {
	if w.root == "" {
		base := memory.New(memory.Options{Quota: workspaceQuota})
		if !w.diff.wanted {
			return base, nil
		}
		return w.over(base)
	}
	dir, err := filepath.Abs(w.root)
	if err != nil {
		return nil, fmt.Errorf("--root: %w", err)
	}
	storage, err := host.New(host.Options{Directory: dir, ReadOnly: !w.write && programs})
	if err != nil {
		return nil, fmt.Errorf("--root: %w", err)
	}
	if w.write || programs {
		return storage, nil
	}
	return w.over(storage)
}

func (w *workspace) over(lower vfs.Storage) (vfs.Storage, error) {
	var err error
	// A machine that stops in a commit must not leave half a file behind a name.
	w.overlay, err = overlay.New(overlay.Options{Lower: lower, Quota: workspaceQuota, Sync: true})
	return w.overlay, err
}

// finish prints the reports and commits. It goes on although ctx has ended: what
// was done is told all the same. mount is where the script saw the workspace.
func (w *workspace) finish(ctx context.Context, result *shell.Result, mount string, stderr io.Writer) error {
	ctx = context.WithoutCancel(ctx)
	err := w.changes.print(stderr, func(out io.Writer) error {
		list, err := w.list(ctx, result, mount)
		if err != nil {
			return err
		}
		for _, c := range list {
			if _, err := fmt.Fprintln(out, c); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("--changes: %w", err)
	}
	err = w.diff.print(stderr, func(out io.Writer) error { return w.overlay.Diff(ctx, out) })
	if err != nil {
		return fmt.Errorf("--diff: %w", err)
	}
	if !w.commit || result.ExitCode != 0 {
		return nil
	}
	if _, err := w.overlay.Commit(ctx); err != nil {
		return fmt.Errorf("--commit: %w", err)
	}
	return nil
}

// list is what the script has changed, with its own paths.
func (w *workspace) list(ctx context.Context, result *shell.Result, mount string) ([]vfs.Change, error) {
	if w.overlay == nil {
		if result.ChangesIncomplete {
			return nil, errors.New("there were more changes than could be noted")
		}
		return result.Changes, nil
	}
	list, err := w.overlay.Changes(ctx)
	for i := range list {
		list[i].Path = path.Join("/", mount, list[i].Path)
		if list[i].From != "" {
			list[i].From = path.Join("/", mount, list[i].From)
		}
	}
	return list, err
}
