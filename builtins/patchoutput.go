package builtins

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path"
	"time"

	"github.com/vsh-project/vsh/vfs"
)

// patchWrite is a file that patch writes or removes.
type patchWrite struct {
	name   string
	text   []byte
	mode   fs.FileMode
	time   time.Time
	from   string // a file that goes once this one is there
	backup bool
	link   bool
	remove bool
}

// patchFiles is the file side of patch: what was read, what is to be written.
type patchFiles struct {
	p    *patchCommand
	view *vfs.View
	// pending are the writes of a git patch, whose files are all read before.
	pending []patchWrite
	refused map[string]bool
	// gone, made and rejected are what this run did.
	gone, made, rejected map[string]bool
	output               bytes.Buffer // for -o
}

func (f *patchFiles) begin(p *patchCommand) {
	f.p = p
	f.refused, f.gone, f.made, f.rejected = map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
}

// stat is nil where there is no file, or one that this patch will delete.
func (f *patchFiles) stat(name string) *vfs.Info {
	for i := len(f.pending) - 1; i >= 0; i-- {
		if w := f.pending[i]; w.remove && w.name == name {
			return nil
		}
	}
	stat := f.view.Lstat
	if f.p.follow {
		stat = f.view.Stat
	}
	info, err := stat(f.p.ctx, name)
	if err != nil {
		return nil
	}
	return info
}

// missingDirectories counts the directories that name needs.
func (f *patchFiles) missingDirectories(name string) (count int) {
	for _, parent := range parents(name) {
		if info, err := f.view.Stat(f.p.ctx, parent); err != nil || !info.IsDir() {
			count++
		}
	}
	return count
}

func (f *patchFiles) read(p *patchCommand, name string, kind fs.FileMode) ([]byte, error) {
	if kind == fs.ModeSymlink {
		target, err := f.view.Readlink(p.ctx, name)
		return []byte(target), err
	}
	file, err := f.view.Open(p.ctx, name, vfs.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return p.slurp(file)
}

func (f *patchFiles) queued(name string) bool {
	for _, w := range f.pending {
		if w.name == name || w.from == name {
			return true
		}
	}
	return false
}

func (f *patchFiles) remove(name string, backup bool) error {
	return f.write(patchWrite{name: name, remove: true, backup: backup})
}

// write does a write now, or once the git patch has been read.
func (f *patchFiles) write(w patchWrite) error {
	if f.p.dryRun {
		return nil
	}
	if f.p.header.Git {
		f.pending = append(f.pending, w)
		return nil
	}
	return f.do(w)
}

func (f *patchFiles) flush() error {
	pending := f.pending
	f.pending = nil
	for _, w := range pending {
		if err := f.do(w); err != nil {
			return err
		}
	}
	return nil
}

// finish writes what is left at the end.
func (f *patchFiles) finish() error {
	if err := f.flush(); err != nil {
		return err
	}
	switch {
	case f.p.output == "-":
		f.p.out.Write(f.output.Bytes())
	case f.p.output != "" && !f.p.dryRun:
		return f.put(f.p.output, f.output.Bytes(), 0o600)
	}
	return nil
}

func (f *patchFiles) fail(what, name string, err error) error {
	if f.p.ends(err) {
		return err
	}
	return f.p.fatal("Can't %s file %s : %s", what, f.p.quoted(name), vfs.Words(err))
}

func (f *patchFiles) do(w patchWrite) error {
	ctx := f.p.ctx
	if w.backup {
		if err := f.backUp(w.name); err != nil {
			return err
		}
	}
	if w.remove {
		if err := f.view.Unlink(ctx, w.name); err != nil {
			return f.fail("remove", w.name, err)
		}
		f.prune(w.name)
		return nil
	}
	if err := f.makeParents(w.name); err != nil {
		return err
	}
	if w.link {
		if _, err := f.view.Lstat(ctx, w.name); err == nil {
			if err := f.view.Unlink(ctx, w.name); err != nil {
				return f.fail("remove", w.name, err)
			}
		}
		if err := f.view.Symlink(ctx, string(w.text), w.name); err != nil {
			return f.p.fatal("Can't create symbolic link %s : %s", f.p.quoted(w.name), vfs.Words(err))
		}
	} else if err := f.put(w.name, w.text, w.mode); err != nil {
		return err
	}
	if !w.time.IsZero() {
		if err := f.view.Chtimes(ctx, w.name, w.time, w.time, true); err != nil {
			return f.p.fatal("Failed to set the timestamps of file %s : %s", f.p.quoted(w.name), vfs.Words(err))
		}
	}
	if w.from != "" {
		if err := f.view.Unlink(ctx, w.from); err != nil {
			return f.fail("remove", w.from, err)
		}
		f.prune(w.from)
	}
	return nil
}

// put replaces a file: the text goes to a new file that then takes its name, so
// that there is never half of it.
func (f *patchFiles) put(name string, text []byte, mode fs.FileMode) error {
	ctx := f.p.ctx
	for try := 0; ; try++ {
		temporary := path.Join(path.Dir(name), fmt.Sprintf(".%s.%d.%d", path.Base(name), f.p.Host().PID(), try))
		file, err := f.view.WithUmask(0).Open(ctx, temporary, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_EXCL, mode)
		if vfs.Errno(err) == vfs.EEXIST && try < 100 {
			continue
		}
		if err != nil {
			return f.fail("create", name, err)
		}
		_, err = file.Write(text)
		if closed := file.Close(); err == nil {
			err = closed
		}
		if err == nil {
			err = f.view.Rename(ctx, temporary, name, false)
		}
		if err != nil {
			f.view.Unlink(context.WithoutCancel(ctx), temporary)
			if f.p.ends(err) {
				return err
			}
			return f.p.fatal("write error : %s", vfs.Words(err))
		}
		return nil
	}
}

func (f *patchFiles) makeParents(name string) error {
	for _, parent := range parents(name) {
		if _, err := f.view.Stat(f.p.ctx, parent); err == nil {
			continue
		}
		if err := f.view.Mkdir(f.p.ctx, parent, 0o777); err != nil && vfs.Errno(err) != vfs.EEXIST {
			return f.p.fatal("Can't create directory %s : %s", f.p.quoted(parent), vfs.Words(err))
		}
	}
	return nil
}

// prune removes the directories that a removed file leaves empty.
func (f *patchFiles) prune(name string) {
	all := parents(name)
	for i := len(all) - 1; i >= 0; i-- {
		if f.view.Rmdir(f.p.ctx, all[i]) != nil {
			return
		}
	}
}

// backUp keeps the old file under its backup's name, once a run; a file that is
// new gets an empty backup.
func (f *patchFiles) backUp(name string) error {
	p := f.p
	if p.backups.kind == noBackups || f.made[name] {
		return nil
	}
	f.made[name] = true
	backup, err := p.backupName(name)
	if err != nil {
		return f.fail("read", name, err)
	}
	if err := f.makeParents(backup); err != nil {
		return err
	}
	info, err := f.view.Lstat(p.ctx, name)
	if err != nil {
		return f.put(backup, nil, 0o666&^f.view.Umask())
	}
	if info.FileMode.Type() == fs.ModeSymlink {
		target, err := f.view.Readlink(p.ctx, name)
		if err == nil {
			f.view.Unlink(p.ctx, backup)
			err = f.view.Symlink(p.ctx, target, backup)
		}
		if err != nil {
			return f.fail("create", backup, err)
		}
		return nil
	}
	text, err := f.read(p, name, 0)
	if err != nil {
		return f.fail("read", name, err)
	}
	defer p.Host().Release(int64(cap(text)))
	if err := f.put(backup, text, info.FileMode&0o777); err != nil {
		return err
	}
	f.view.Chtimes(p.ctx, backup, info.Accessed, info.Modified, true)
	return nil
}

// backupName is what -B, -Y, -z and -V make of a name.
func (p *patchCommand) backupName(name string) (string, error) {
	if p.prefix == "" && p.basePrefix == "" {
		return p.backups.nameIn(p.ctx, p.files.view, name)
	}
	directory, base := path.Split(name)
	name = p.prefix + directory + p.basePrefix + base
	if p.backups.suffix != ".orig" {
		name += p.backups.suffix
	}
	return name, nil
}

// reject writes the hunks that failed; what an earlier patch of this run left
// there stays.
func (f *patchFiles) reject(name string, text []byte) error {
	if f.rejected[name] {
		old, err := f.read(f.p, name, 0)
		if err != nil {
			return f.fail("read", name, err)
		}
		text = append(old, text...)
	}
	f.rejected[name] = true
	return f.put(name, text, 0o666&^f.view.Umask())
}
