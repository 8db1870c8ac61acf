// Package archive saves a filesystem as a tar archive and loads it again, so
// that a workspace can be kept or moved.
package archive

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"sort"
	"strings"

	"github.com/vsh-project/vsh/vfs"
)

// Save writes all of f below root as a tar archive in PAX form: directories,
// files, links symbolic and hard, named pipes, with modes and times to the
// nanosecond. What has no place in an archive (sockets) is an error.
func Save(ctx context.Context, f vfs.FS, root string, w io.Writer) error {
	s := &saver{ctx: ctx, fs: f, root: strings.TrimSuffix(root, "/"), tar: tar.NewWriter(w), names: map[[2]uint64]string{}}
	if err := s.save(""); err != nil {
		return err
	}
	return s.tar.Close()
}

type saver struct {
	ctx   context.Context
	fs    vfs.FS
	root  string
	tar   *tar.Writer
	names map[[2]uint64]string // the first name of a file with several
}

// save writes what is at the name below the root, and all below it.
func (s *saver) save(name string) error {
	full := s.root + "/" + name
	if name == "" && s.root != "" {
		full = s.root
	}
	info, err := s.fs.Lstat(s.ctx, full)
	if err != nil {
		return err
	}
	h := &tar.Header{
		Name: name, Mode: int64(info.FileMode.Perm()), ModTime: info.Modified, AccessTime: info.Accessed, Format: tar.FormatPAX,
		Uid: max(info.UID, 0), Gid: max(info.GID, 0),
	}
	for _, bit := range [...]struct {
		mode fs.FileMode
		tar  int64
	}{{fs.ModeSetuid, 0o4000}, {fs.ModeSetgid, 0o2000}, {fs.ModeSticky, 0o1000}} {
		if info.FileMode&bit.mode != 0 {
			h.Mode |= bit.tar
		}
	}
	if !info.IsDir() && info.Links > 1 {
		key := [2]uint64{info.Device, info.Inode}
		if first, ok := s.names[key]; ok {
			h.Typeflag, h.Linkname = tar.TypeLink, first
			return s.tar.WriteHeader(h)
		}
		s.names[key] = name
	}
	switch info.FileMode.Type() {
	case 0:
		h.Typeflag, h.Size = tar.TypeReg, info.Bytes
		return s.file(full, h)
	case fs.ModeSymlink:
		h.Typeflag = tar.TypeSymlink
		if h.Linkname, err = s.fs.Readlink(s.ctx, full); err != nil {
			return err
		}
		return s.tar.WriteHeader(h)
	case fs.ModeNamedPipe:
		h.Typeflag = tar.TypeFifo
		return s.tar.WriteHeader(h)
	case fs.ModeDir:
	default:
		return &fs.PathError{Op: "save", Path: full, Err: vfs.ENOTSUP}
	}
	h.Typeflag, h.Name = tar.TypeDir, name+"/"
	if name == "" {
		h.Name = "./"
	}
	if err := s.tar.WriteHeader(h); err != nil {
		return err
	}
	entries, err := s.fs.ReadDir(s.ctx, full)
	if err != nil {
		return err
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].Name < entries[j].Name })
	for _, e := range entries {
		if err := s.save(strings.TrimPrefix(name+"/"+e.Name, "/")); err != nil {
			return err
		}
	}
	return nil
}

func (s *saver) file(full string, h *tar.Header) error {
	file, err := s.fs.Open(s.ctx, full, vfs.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := s.tar.WriteHeader(h); err != nil {
		return err
	}
	block := make([]byte, 64<<10)
	for left := h.Size; left > 0; {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		n, err := file.Read(block[:min(left, int64(len(block)))])
		if n > 0 {
			if _, err := s.tar.Write(block[:n]); err != nil {
				return err
			}
			left -= int64(n)
		}
		if err == io.EOF && left > 0 {
			return &fs.PathError{Op: "save", Path: full, Err: errShrunk}
		}
		if err != nil && err != io.EOF {
			return err
		}
	}
	return nil
}

var errShrunk = errors.New("file shrank while it was read")

// Load unpacks a tar archive below root, which must exist. Members replace
// files of their name. A name that would leave the root, or lead through a
// symbolic link, is an error, so an archive from anywhere is safe to load; its
// size is bounded by the storage's quota.
func Load(ctx context.Context, f vfs.FS, root string, r io.Reader) error {
	l := &loader{ctx: ctx, fs: f, root: strings.TrimSuffix(root, "/")}
	t := tar.NewReader(r)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		h, err := t.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if err := l.member(h, t); err != nil {
			return &fs.PathError{Op: "load", Path: h.Name, Err: err}
		}
	}
	// The times of directories come last: what is made in them moves them.
	for i := len(l.directories) - 1; i >= 0; i-- {
		h := l.directories[i]
		name, _ := l.name(h.Name)
		if err := l.finish(name, h); err != nil {
			return err
		}
	}
	return nil
}

type loader struct {
	ctx         context.Context
	fs          vfs.FS
	root        string
	directories []*tar.Header
}

// name is a member's path in the filesystem.
func (l *loader) name(member string) (string, error) {
	for element := range strings.SplitSeq(member, "/") {
		if element == ".." {
			return "", vfs.EINVAL
		}
	}
	if strings.HasPrefix(member, "/") || strings.IndexByte(member, 0) >= 0 {
		return "", vfs.EINVAL
	}
	clean := path.Clean("/" + member)
	if clean == "/" {
		if l.root == "" {
			return "/", nil
		}
		return l.root, nil
	}
	return l.root + clean, nil
}

func (l *loader) member(h *tar.Header, content io.Reader) error {
	name, err := l.name(h.Name)
	if err != nil {
		return err
	}
	if h.Typeflag == tar.TypeDir {
		if err := l.fs.Mkdir(l.ctx, name, 0o700); err != nil && vfs.Errno(err) != vfs.EEXIST {
			return err
		}
		info, err := l.fs.Lstat(l.ctx, name)
		if err == nil && !info.IsDir() {
			err = vfs.ENOTDIR
		}
		l.directories = append(l.directories, h)
		return err
	}
	if err := l.fs.Unlink(l.ctx, name); err != nil && vfs.Errno(err) != vfs.ENOENT {
		return err
	}
	switch h.Typeflag {
	case tar.TypeReg:
		if err := l.file(name, content); err != nil {
			return err
		}
	case tar.TypeSymlink:
		return l.fs.Symlink(l.ctx, h.Linkname, name)
	case tar.TypeLink:
		target, err := l.name(h.Linkname)
		if err != nil {
			return err
		}
		return l.fs.Link(l.ctx, target, name)
	case tar.TypeFifo:
		if err := l.fs.Mkfifo(l.ctx, name, 0o600); err != nil {
			return err
		}
	default:
		return vfs.ENOTSUP
	}
	return l.finish(name, h)
}

func (l *loader) file(name string, content io.Reader) error {
	file, err := l.fs.Open(l.ctx, name, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	to := vfs.WholeWriter(file)
	block := make([]byte, 64<<10)
	for err == nil {
		if err = l.ctx.Err(); err != nil {
			break
		}
		var n int
		n, err = content.Read(block)
		if n > 0 {
			if _, wrote := to.Write(block[:n]); wrote != nil {
				err = wrote
			}
		}
	}
	if err == io.EOF {
		err = nil
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

// finish sets mode and times.
func (l *loader) finish(name string, h *tar.Header) error {
	mode := fs.FileMode(h.Mode).Perm()
	if h.Mode&0o1000 != 0 {
		mode |= fs.ModeSticky
	}
	if h.Mode&0o2000 != 0 {
		mode |= fs.ModeSetgid
	}
	if h.Mode&0o4000 != 0 {
		mode |= fs.ModeSetuid
	}
	if err := l.fs.Chmod(l.ctx, name, mode); err != nil {
		return err
	}
	return l.fs.Chtimes(l.ctx, name, h.AccessTime, h.ModTime)
}
