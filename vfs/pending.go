package vfs

import (
	"io/fs"
	"os"
	"sort"
	"sync"
	"time"

	"github.com/spf13/afero"
)

// Pending names the calls of a foreign storage that have not come back, such as
// "Stat /a". It is nil for a storage of ours.
func Pending(f FS) []string {
	if f, ok := f.(*aferoFS); ok {
		return f.calls.names()
	}
	return nil
}

// calls are those that foreign code is in.
type calls struct {
	mu   sync.Mutex
	last int
	open map[int][2]string
}

func (c *calls) begin(op, name string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = map[int][2]string{}
	}
	c.last++
	c.open[c.last] = [2]string{op, name}
	return c.last
}

func (c *calls) end(id int) {
	c.mu.Lock()
	delete(c.open, id)
	c.mu.Unlock()
}

func (c *calls) names() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []string
	for _, call := range c.open {
		list = append(list, call[0]+" "+call[1])
	}
	sort.Strings(list)
	return list
}

// noted is a foreign storage whose calls are noted while they last.
type noted struct {
	Storage
	calls *calls
}

func (n noted) Stat(name string) (os.FileInfo, error) {
	defer n.calls.end(n.calls.begin("Stat", name))
	return n.Storage.Stat(name)
}

func (n noted) Open(name string) (afero.File, error) {
	defer n.calls.end(n.calls.begin("Open", name))
	f, err := n.Storage.Open(name)
	return n.file(f, name), err
}

func (n noted) OpenFile(name string, flag int, mode fs.FileMode) (afero.File, error) {
	defer n.calls.end(n.calls.begin("OpenFile", name))
	f, err := n.Storage.OpenFile(name, flag, mode)
	return n.file(f, name), err
}

func (n noted) file(f afero.File, name string) afero.File {
	if f == nil {
		return nil
	}
	return notedFile{f, name, n.calls}
}

func (n noted) Mkdir(name string, mode fs.FileMode) error {
	defer n.calls.end(n.calls.begin("Mkdir", name))
	return n.Storage.Mkdir(name, mode)
}

func (n noted) Remove(name string) error {
	defer n.calls.end(n.calls.begin("Remove", name))
	return n.Storage.Remove(name)
}

func (n noted) Rename(from, to string) error {
	defer n.calls.end(n.calls.begin("Rename", from))
	return n.Storage.Rename(from, to)
}

func (n noted) Chmod(name string, mode fs.FileMode) error {
	defer n.calls.end(n.calls.begin("Chmod", name))
	return n.Storage.Chmod(name, mode)
}

func (n noted) Chtimes(name string, atime, mtime time.Time) error {
	defer n.calls.end(n.calls.begin("Chtimes", name))
	return n.Storage.Chtimes(name, atime, mtime)
}

// notedFile is an open file of a noted storage.
type notedFile struct {
	afero.File
	name  string
	calls *calls
}

func (f notedFile) Read(p []byte) (int, error) {
	defer f.calls.end(f.calls.begin("Read", f.name))
	return f.File.Read(p)
}

func (f notedFile) Write(p []byte) (int, error) {
	defer f.calls.end(f.calls.begin("Write", f.name))
	return f.File.Write(p)
}

func (f notedFile) Seek(offset int64, whence int) (int64, error) {
	defer f.calls.end(f.calls.begin("Seek", f.name))
	return f.File.Seek(offset, whence)
}

func (f notedFile) Stat() (os.FileInfo, error) {
	defer f.calls.end(f.calls.begin("Stat", f.name))
	return f.File.Stat()
}

func (f notedFile) Readdir(count int) ([]os.FileInfo, error) {
	defer f.calls.end(f.calls.begin("Readdir", f.name))
	return f.File.Readdir(count)
}

func (f notedFile) Truncate(size int64) error {
	defer f.calls.end(f.calls.begin("Truncate", f.name))
	return f.File.Truncate(size)
}

func (f notedFile) Sync() error {
	defer f.calls.end(f.calls.begin("Sync", f.name))
	return f.File.Sync()
}

func (f notedFile) Close() error {
	defer f.calls.end(f.calls.begin("Close", f.name))
	return f.File.Close()
}

// notedLinks are the calls on links that a storage may have.
type notedLinks struct {
	lstater afero.Lstater
	reader  afero.LinkReader
	linker  afero.Linker
	calls   *calls
}

func (n notedLinks) LstatIfPossible(name string) (os.FileInfo, bool, error) {
	defer n.calls.end(n.calls.begin("LstatIfPossible", name))
	return n.lstater.LstatIfPossible(name)
}

func (n notedLinks) ReadlinkIfPossible(name string) (string, error) {
	defer n.calls.end(n.calls.begin("ReadlinkIfPossible", name))
	return n.reader.ReadlinkIfPossible(name)
}

func (n notedLinks) SymlinkIfPossible(target, name string) error {
	defer n.calls.end(n.calls.begin("SymlinkIfPossible", name))
	return n.linker.SymlinkIfPossible(target, name)
}
