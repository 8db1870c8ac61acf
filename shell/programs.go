package shell

import (
	"context"
	"io"
	"io/fs"
	"path"
	"sort"

	"github.com/vsh-project/vsh/internal/interp"
	"github.com/vsh-project/vsh/vfs"
)

// programs shows the registered commands as executable files of a directory.
type programs struct {
	vfs.Unsupported
	byName map[string]*Command
}

func (p *programs) Lstat(_ context.Context, name string) (*vfs.Info, error) {
	if name == "/" {
		return &vfs.Info{FileName: "/", FileMode: fs.ModeDir | 0o755, Inode: 1, Links: 2}, nil
	}
	base := path.Base(name)
	if path.Dir(name) != "/" || p.byName[base] == nil && !interp.IsProgram(base) {
		return nil, vfs.ENOENT
	}
	return &vfs.Info{FileName: base, FileMode: 0o755, Inode: inodeOf(base), Links: 1}, nil
}

// inodeOf gives each name a number of its own, as far as 64 bits do.
func inodeOf(name string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(name); i++ {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	return h | 2
}

func (p *programs) ReadDir(_ context.Context, name string) ([]vfs.Entry, error) {
	if name != "/" {
		return nil, vfs.ENOTDIR
	}
	entries := make([]vfs.Entry, 0, len(p.byName))
	for n := range p.byName {
		entries = append(entries, vfs.Entry{Name: n, Inode: inodeOf(n)})
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].Name < entries[j].Name })
	return entries, nil
}

func (p *programs) Open(ctx context.Context, name string, flag int, _ fs.FileMode) (vfs.File, error) {
	info, err := p.Lstat(ctx, name)
	if err != nil {
		return nil, err
	}
	if flag&(vfs.O_WRONLY|vfs.O_RDWR|vfs.O_TRUNC) != 0 {
		return nil, vfs.EROFS
	}
	return programFile{info}, nil
}

// programFile is a command's file: it is there and it is empty.
type programFile struct{ info *vfs.Info }

func (f programFile) Read([]byte) (int, error) {
	if f.info.IsDir() {
		return 0, vfs.EISDIR
	}
	return 0, io.EOF
}
func (f programFile) ReadAt(p []byte, _ int64) (int, error) { return f.Read(p) }
func (programFile) Write([]byte) (int, error)               { return 0, vfs.EBADF }
func (programFile) WriteAt([]byte, int64) (int, error)      { return 0, vfs.EBADF }
func (programFile) Seek(int64, int) (int64, error)          { return 0, nil }
func (programFile) Close() error                            { return nil }
func (f programFile) Stat() (*vfs.Info, error)              { return f.info, nil }
func (programFile) Truncate(int64) error                    { return vfs.EINVAL }
func (programFile) Sync() error                             { return nil }
