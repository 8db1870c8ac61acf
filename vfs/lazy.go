package vfs

import (
	"context"
	"io"
	"io/fs"
	"path"
	"sort"
	"strings"
	"sync"
	"time"
)

// LazyFile is a file whose content is produced when it is first opened.
type LazyFile struct {
	// Path is absolute in the filesystem; the directories above are made.
	Path string
	// Size is what is told before the content is there; leave it 0 when it is
	// not known.
	Size int64
	// Modified is the time shown.
	Modified time.Time
	// Produce makes the content. It runs once, unless it fails: then each
	// Open asks again, and answers its error (EIO when it has no number).
	Produce func(ctx context.Context) ([]byte, error)
}

// NewLazy makes a read-only filesystem of lazy files, to be mounted. An Open
// whose context ends while the content is being produced returns; production
// goes on for the others that wait.
func NewLazy(files []LazyFile) (FS, error) {
	tree := &lazyTree{entries: map[string]*lazyNode{"/": {children: map[string]bool{}}}}
	for _, f := range files {
		name := path.Clean(f.Path)
		if !strings.HasPrefix(name, "/") || name == "/" || f.Produce == nil {
			return nil, failed("lazy", f.Path, EINVAL)
		}
		if tree.entries[name] != nil {
			return nil, failed("lazy", f.Path, EEXIST)
		}
		tree.entries[name] = &lazyNode{file: &f, slot: make(chan struct{}, 1)}
		for at := name; at != "/"; at = path.Dir(at) {
			above := tree.entries[path.Dir(at)]
			if above == nil {
				above = &lazyNode{children: map[string]bool{}}
				tree.entries[path.Dir(at)] = above
			}
			if above.file != nil {
				return nil, failed("lazy", f.Path, ENOTDIR)
			}
			above.children[path.Base(at)] = true
		}
	}
	return ReadOnly(tree), nil
}

type lazyTree struct {
	FS      // what is not below is refused by ReadOnly
	entries map[string]*lazyNode
}

type lazyNode struct {
	children map[string]bool
	file     *LazyFile
	slot     chan struct{} // held while the content is produced
	mu       sync.Mutex
	content  []byte
	produced bool
}

func (t *lazyTree) find(name string) (*lazyNode, error) {
	if n := t.entries[name]; n != nil {
		return n, nil
	}
	for at := path.Dir(name); ; at = path.Dir(at) {
		if n := t.entries[at]; n != nil {
			if n.file != nil {
				return nil, ENOTDIR
			}
			return nil, ENOENT
		}
	}
}

func (t *lazyTree) info(name string, n *lazyNode) *Info {
	epoch := time.Unix(0, 0)
	i := &Info{FileName: path.Base(name), Inode: PathInode(name), Links: 1, Accessed: epoch, Modified: epoch, Changed: epoch}
	if n.file == nil {
		i.FileMode, i.Links, i.Bytes = fs.ModeDir|0o755, 2, 4096
		return i
	}
	i.FileMode, i.Bytes = 0o444, n.file.Size
	n.mu.Lock()
	if n.produced {
		i.Bytes = int64(len(n.content))
	}
	n.mu.Unlock()
	if !n.file.Modified.IsZero() {
		i.Accessed, i.Modified, i.Changed = n.file.Modified, n.file.Modified, n.file.Modified
	}
	i.Blocks = (i.Bytes + 511) / 512
	return i
}

func (t *lazyTree) Lstat(ctx context.Context, name string) (*Info, error) {
	n, err := t.find(name)
	if err != nil {
		return nil, err
	}
	return t.info(name, n), ctx.Err()
}

func (t *lazyTree) ReadDir(ctx context.Context, name string) ([]Entry, error) {
	n, err := t.find(name)
	if err != nil {
		return nil, err
	}
	if n.file != nil {
		return nil, ENOTDIR
	}
	entries := make([]Entry, 0, len(n.children))
	for child := range n.children {
		i := t.info(path.Join(name, child), t.entries[path.Join(name, child)])
		entries = append(entries, Entry{Name: child, Type: i.FileMode.Type(), Inode: i.Inode})
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].Name < entries[j].Name })
	return entries, ctx.Err()
}

func (t *lazyTree) Open(ctx context.Context, name string, _ int, _ fs.FileMode) (File, error) {
	n, err := t.find(name)
	if err != nil {
		return nil, err
	}
	if n.file == nil {
		return &directoryFile{info: t.info(name, n)}, nil
	}
	content, err := n.produce(ctx)
	if err != nil {
		return nil, err
	}
	return &lazyFile{Reader: strings.NewReader(content), info: t.info(name, n)}, nil
}

// produce is the content, made now if nobody has.
func (n *lazyNode) produce(ctx context.Context) (string, error) {
	select {
	case n.slot <- struct{}{}:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	n.mu.Lock()
	produced := n.produced
	n.mu.Unlock()
	if produced {
		<-n.slot
		return n.text(), nil
	}
	done := make(chan error, 1)
	go func() {
		defer func() { <-n.slot }()
		err := error(EIO)
		defer func() {
			recover() // a panic is an EIO: it must not end the host
			done <- err
		}()
		var content []byte
		if content, err = n.file.Produce(ctx); err == nil {
			n.mu.Lock()
			n.content, n.produced = content, true
			n.mu.Unlock()
		}
	}()
	select {
	case err := <-done:
		if err != nil {
			return "", foreign(err)
		}
		return n.text(), nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (n *lazyNode) text() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return string(n.content)
}

func (t *lazyTree) Readlink(ctx context.Context, name string) (string, error) {
	if _, err := t.find(name); err != nil {
		return "", err
	}
	return "", EINVAL
}

func (t *lazyTree) Statfs(context.Context, string) (*Usage, error) {
	return &Usage{BlockSize: 4096}, nil
}

// lazyFile is an open lazy file. It has its own offset.
type lazyFile struct {
	*strings.Reader
	info *Info
	mu   sync.Mutex
}

func (f *lazyFile) Read(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.Reader.Read(p)
}

func (f *lazyFile) Seek(offset int64, whence int) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, err := f.Reader.Seek(offset, whence)
	if err != nil {
		err = EINVAL
	}
	return at, err
}

func (f *lazyFile) ReadAt(p []byte, offset int64) (int, error) {
	if offset < 0 {
		return 0, EINVAL
	}
	return f.Reader.ReadAt(p, offset)
}

func (f *lazyFile) Write([]byte) (int, error)          { return 0, EBADF }
func (f *lazyFile) WriteAt([]byte, int64) (int, error) { return 0, EBADF }
func (f *lazyFile) Truncate(int64) error               { return EINVAL }
func (f *lazyFile) Sync() error                        { return nil }
func (f *lazyFile) Close() error                       { return nil }
func (f *lazyFile) Stat() (*Info, error)               { return f.info, nil }

var _ io.Seeker = (*lazyFile)(nil)
