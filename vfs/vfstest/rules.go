package vfstest

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/vsh-project/vsh/vfs"
)

const (
	create   = vfs.O_WRONLY | vfs.O_CREATE
	appendTo = vfs.O_WRONLY | vfs.O_CREATE | vfs.O_APPEND
)

// Rules are all promises of vfs.FS.
var Rules = []Rule{
	{"the root is a directory", func(p *Probe) {
		info := p.Info("/")
		p.Equal(info.IsDir(), true)
		p.Equal(p.Names("/"), "")
	}},
	{"what was written is read", func(p *Probe) {
		p.Write("/f", "text")
		p.Equal(p.Text("/f"), "text")
		info := p.Info("/f")
		p.Equal(info.Size(), 4)
		p.Equal(info.Name(), "f")
		p.Equal(info.Mode(), fs.FileMode(0o644))
	}},
	{"a listing names files, directories and their types", func(p *Probe) {
		p.Dir("/d")
		p.Dir("/d/e")
		p.Write("/d/f", "")
		p.Equal(p.Names("/d"), "e f")
		entries, err := p.ReadDir(p.Context, "/d")
		p.OK(err)
		for _, e := range entries {
			p.Equal(e.IsDir(), e.Name == "e")
			p.Equal(e.Inode, p.Info("/d/"+e.Name).Inode)
		}
	}},
	{"opening what is missing is ENOENT", func(p *Probe) {
		_, err := p.Open(p.Context, "/f", vfs.O_RDONLY, 0)
		p.Want(err, vfs.ENOENT)
		_, err = p.Open(p.Context, "/d/f", create, 0o644)
		p.Want(err, vfs.ENOENT)
		p.Missing("/d")
	}},
	{"below a file is ENOTDIR", func(p *Probe) {
		p.Write("/f", "")
		_, err := p.Lstat(p.Context, "/f/x")
		p.Want(err, vfs.ENOTDIR)
		_, err = p.Open(p.Context, "/f/x", create, 0o644)
		p.Want(err, vfs.ENOTDIR)
		p.Want(p.Mkdir(p.Context, "/f/x", 0o755), vfs.ENOTDIR)
		p.Want(p.Unlink(p.Context, "/f/x"), vfs.ENOTDIR)
		_, err = p.ReadDir(p.Context, "/f")
		p.Want(err, vfs.ENOTDIR)
	}},
	{"O_EXCL refuses what is there", func(p *Probe) {
		p.Write("/f", "keep")
		_, err := p.Open(p.Context, "/f", create|vfs.O_EXCL|vfs.O_TRUNC, 0o644)
		p.Want(err, vfs.EEXIST)
		p.Equal(p.Text("/f"), "keep")
	}},
	{"O_EXCL lets one of many through", func(p *Probe) {
		var won sync.Map
		var group sync.WaitGroup
		for i := range 8 {
			group.Go(func() {
				if f, err := p.Open(p.Context, "/f", create|vfs.O_EXCL, 0o644); err == nil {
					won.Store(i, true)
					f.Close()
				}
			})
		}
		group.Wait()
		count := 0
		won.Range(func(any, any) bool { count++; return true })
		p.Equal(count, 1)
	}},
	{"O_TRUNC empties, and its absence overwrites in place", func(p *Probe) {
		p.Write("/f", "abcdef")
		f := p.File("/f", vfs.O_WRONLY)
		_, err := f.Write([]byte("XY"))
		p.OK(err)
		p.OK(f.Close())
		p.Equal(p.Text("/f"), "XYcdef")
		p.OK(p.File("/f", vfs.O_WRONLY|vfs.O_TRUNC).Close())
		p.Equal(p.Text("/f"), "")
	}},
	{"O_CREATE leaves what is there", func(p *Probe) {
		p.Write("/f", "old")
		p.OK(p.Chmod(p.Context, "/f", 0o600))
		f, err := p.Open(p.Context, "/f", vfs.O_RDWR|vfs.O_CREATE, 0o777)
		p.OK(err)
		p.Equal(p.Rest(f), "old")
		p.OK(f.Close())
		p.Equal(p.Info("/f").Mode(), fs.FileMode(0o600))
	}},
	{"each append lands at the end, whole", func(p *Probe) {
		a, b := p.File("/f", appendTo), p.File("/f", appendTo)
		for i := range 4 {
			for _, f := range []vfs.File{a, b} {
				_, err := fmt.Fprint(f, i)
				p.OK(err)
			}
		}
		p.OK(a.Close())
		p.OK(b.Close())
		p.Equal(p.Text("/f"), "00112233")
	}},
	{"appends in parallel lose nothing", func(p *Probe) {
		var group sync.WaitGroup
		for i := range 4 {
			group.Go(func() {
				f, err := p.Open(p.Context, "/f", appendTo, 0o644)
				if err != nil {
					return
				}
				defer f.Close()
				for range 50 {
					f.Write([]byte(strings.Repeat(fmt.Sprint(i), 99) + "\n"))
				}
			})
		}
		group.Wait()
		rows := strings.SplitAfter(p.Text("/f"), "\n")
		p.Equal(len(rows), 201)
		for _, row := range rows[:200] {
			if len(row) != 100 || strings.Count(row, row[:1]) != 99 {
				p.Fail("torn row %q", row)
			}
		}
	}},
	{"the wrong direction is EBADF", func(p *Probe) {
		p.Write("/f", "x")
		r, w := p.File("/f", vfs.O_RDONLY), p.File("/f", vfs.O_WRONLY)
		_, err := r.Write([]byte("y"))
		p.Want(err, vfs.EBADF)
		_, err = w.Read(make([]byte, 1))
		p.Want(err, vfs.EBADF)
		p.OK(r.Close())
		p.OK(w.Close())
	}},
	{"a closed file is EBADF", func(p *Probe) {
		f := p.File("/f", vfs.O_RDWR|vfs.O_CREATE)
		p.OK(f.Close())
		_, err := f.Read(make([]byte, 1))
		p.Want(err, vfs.EBADF)
		_, err = f.Write([]byte("x"))
		p.Want(err, vfs.EBADF)
		_, err = f.Stat()
		p.Want(err, vfs.EBADF)
		p.Want(f.Close(), vfs.EBADF)
	}},
	{"the offset is the descriptor's own", func(p *Probe) {
		p.Write("/f", "abcdef")
		a, b := p.File("/f", vfs.O_RDWR), p.File("/f", vfs.O_RDONLY)
		defer a.Close()
		defer b.Close()
		buffer := make([]byte, 2)
		_, err := io.ReadFull(a, buffer)
		p.OK(err)
		_, err = io.ReadFull(b, buffer)
		p.OK(err)
		p.Equal(string(buffer), "ab")
		_, err = a.WriteAt([]byte("Z"), 5)
		p.OK(err)
		n, err := a.ReadAt(buffer, 0)
		p.OK(err)
		p.Equal(n, 2)
		p.Equal(p.Rest(a), "cdeZ")
		at, err := a.Seek(-2, io.SeekEnd)
		p.OK(err)
		p.Equal(at, 4)
		at, err = a.Seek(-1, io.SeekCurrent)
		p.OK(err)
		p.Equal(at, 3)
		_, err = a.Seek(-1, io.SeekStart)
		p.Want(err, vfs.EINVAL)
	}},
	{"ReadAt past the end is io.EOF", func(p *Probe) {
		p.Write("/f", "abc")
		f := p.File("/f", vfs.O_RDONLY)
		defer f.Close()
		buffer := make([]byte, 8)
		n, err := f.ReadAt(buffer, 1)
		p.Equal(n, 2)
		p.Equal(err, io.EOF)
		n, err = f.ReadAt(buffer, 100)
		p.Equal(n, 0)
		p.Equal(err, io.EOF)
	}},
	{"reading past the end is io.EOF", func(p *Probe) {
		p.Write("/f", "abc")
		f := p.File("/f", vfs.O_RDONLY)
		defer f.Close()
		_, err := f.Seek(10, io.SeekStart)
		p.OK(err)
		n, err := f.Read(make([]byte, 4))
		p.Equal(n, 0)
		p.Equal(err, io.EOF)
	}},
	{"a write past the end leaves zeros", func(p *Probe) {
		f := p.File("/f", vfs.O_RDWR|vfs.O_CREATE)
		_, err := f.Write([]byte("a"))
		p.OK(err)
		_, err = f.Seek(100000, io.SeekStart)
		p.OK(err)
		_, err = f.Write([]byte("b"))
		p.OK(err)
		p.OK(f.Close())
		p.Equal(p.Text("/f") == "a"+strings.Repeat("\x00", 99999)+"b", true)
	}},
	{"truncation cuts and extends with zeros", func(p *Probe) {
		p.Write("/f", strings.Repeat("abcdef", 30000))
		p.OK(p.Truncate(p.Context, "/f", 100000))
		p.OK(p.Truncate(p.Context, "/f", 3))
		p.OK(p.Truncate(p.Context, "/f", 70000))
		p.Equal(p.Text("/f") == "abc"+strings.Repeat("\x00", 69997), true)
		f := p.File("/f", vfs.O_RDWR)
		p.OK(f.Truncate(1))
		info, err := f.Stat()
		p.OK(err)
		p.Equal(info.Size(), 1)
		p.OK(f.Close())
		p.Want(p.Truncate(p.Context, "/none", 1), vfs.ENOENT)
	}},
	{"a far write costs no memory or is EFBIG", func(p *Probe) {
		f := p.File("/f", vfs.O_RDWR|vfs.O_CREATE)
		defer f.Close()
		_, err := f.WriteAt([]byte("x"), 3<<30)
		if err != nil {
			p.Want(err, vfs.EFBIG)
		}
		if err := f.Truncate(1 << 62); err == nil {
			p.Fail("a size of 4 EiB was accepted")
		}
	}},
	{"a big file is read as written", func(p *Probe) {
		block := []byte(strings.Repeat("0123456789", 10007))
		f := p.File("/f", create)
		for range 10 {
			_, err := f.Write(block)
			p.OK(err)
		}
		p.OK(f.Close())
		text := p.Text("/f")
		p.Equal(text == strings.Repeat(string(block), 10), true)
	}},
	{"directories open for reading only, and give no bytes", func(p *Probe) {
		p.Dir("/d")
		f := p.File("/d", vfs.O_RDONLY)
		_, err := f.Read(make([]byte, 1))
		p.Want(err, vfs.EISDIR)
		info, err := f.Stat()
		p.OK(err)
		p.Equal(info.IsDir(), true)
		p.OK(f.Close())
		for _, flag := range []int{vfs.O_WRONLY, vfs.O_RDWR, create, vfs.O_RDONLY | vfs.O_CREATE, vfs.O_RDWR | vfs.O_TRUNC} {
			_, err := p.Open(p.Context, "/d", flag, 0o644)
			p.Want(err, vfs.EISDIR)
		}
	}},
	{"Mkdir makes one directory under one that is there", func(p *Probe) {
		p.Dir("/d")
		p.Want(p.Mkdir(p.Context, "/d", 0o755), vfs.EEXIST)
		p.Want(p.Mkdir(p.Context, "/x/y", 0o755), vfs.ENOENT)
		p.Want(p.Mkdir(p.Context, "/", 0o755), vfs.EEXIST)
		p.Write("/f", "")
		p.Want(p.Mkdir(p.Context, "/f", 0o755), vfs.EEXIST)
		p.Missing("/x")
	}},
	{"modes are exact", func(p *Probe) {
		p.OK(p.Mkdir(p.Context, "/d", 0o777|fs.ModeSticky))
		p.Equal(p.Info("/d").Mode(), fs.ModeDir|fs.ModeSticky|0o777)
		f, err := p.Open(p.Context, "/f", create, 0o666)
		p.OK(err)
		p.OK(f.Close())
		p.Equal(p.Info("/f").Mode(), fs.FileMode(0o666))
	}},
	{"Chmod sets permission bits and keeps the type", func(p *Probe) {
		p.Dir("/d")
		p.Write("/f", "")
		p.OK(p.Chmod(p.Context, "/d", 0o700))
		p.OK(p.Chmod(p.Context, "/f", 0o400))
		p.Equal(p.Info("/d").Mode(), fs.ModeDir|0o700)
		p.Equal(p.Info("/f").Mode(), fs.FileMode(0o400))
		p.Want(p.Chmod(p.Context, "/none", 0o600), vfs.ENOENT)
	}},
	{"Chtimes sets one time or both", func(p *Probe) {
		p.Write("/f", "")
		then := time.Date(2001, 2, 3, 4, 5, 6, 789000000, time.UTC)
		p.OK(p.Chtimes(p.Context, "/f", time.Time{}, then))
		p.Equal(p.Info("/f").Modified.UTC(), then)
		p.OK(p.Chtimes(p.Context, "/f", then.Add(time.Hour), time.Time{}))
		p.Equal(p.Info("/f").Modified.UTC(), then)
		p.Dir("/d")
		p.OK(p.Chtimes(p.Context, "/d", then, then))
		p.Equal(p.Info("/d").Modified.UTC(), then)
		p.Want(p.Chtimes(p.Context, "/none", then, then), vfs.ENOENT)
	}},
	{"access times can be set", func(p *Probe) {
		p.Write("/f", "")
		then := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
		p.OK(p.Chtimes(p.Context, "/f", then, then.Add(time.Hour)))
		p.Equal(p.Info("/f").Accessed.UTC(), then)
	}},
	{"writing moves the modification time, of the directory too", func(p *Probe) {
		then := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
		p.Dir("/d")
		p.Write("/d/f", "")
		p.OK(p.Chtimes(p.Context, "/d/f", then, then))
		p.OK(p.Chtimes(p.Context, "/d", then, then))
		f := p.File("/d/f", vfs.O_WRONLY)
		_, err := f.Write([]byte("x"))
		p.OK(err)
		p.OK(f.Close())
		p.Equal(p.Info("/d/f").Modified.After(then), true)
		p.Equal(p.Info("/d").Modified.UTC(), then)
		p.OK(p.Unlink(p.Context, "/d/f"))
		p.Equal(p.Info("/d").Modified.After(then), true)
	}},
	{"Unlink removes no directory", func(p *Probe) {
		p.Dir("/d")
		p.Write("/f", "")
		p.Want(p.Unlink(p.Context, "/d"), vfs.EISDIR)
		p.OK(p.Unlink(p.Context, "/f"))
		p.Want(p.Unlink(p.Context, "/f"), vfs.ENOENT)
		p.Equal(p.Names("/"), "d")
	}},
	{"Rmdir removes an empty directory only", func(p *Probe) {
		p.Dir("/d")
		p.Write("/d/f", "")
		p.Want(p.Rmdir(p.Context, "/d"), vfs.ENOTEMPTY)
		p.Want(p.Rmdir(p.Context, "/d/f"), vfs.ENOTDIR)
		p.OK(p.Unlink(p.Context, "/d/f"))
		p.OK(p.Rmdir(p.Context, "/d"))
		p.Want(p.Rmdir(p.Context, "/d"), vfs.ENOENT)
		p.Want(p.Rmdir(p.Context, "/"), vfs.EBUSY)
	}},
	{"Rename moves a file and replaces one", func(p *Probe) {
		p.Write("/a", "A")
		p.Dir("/d")
		p.OK(p.Rename(p.Context, "/a", "/d/b", false))
		p.Missing("/a")
		p.Equal(p.Text("/d/b"), "A")
		p.Write("/c", "C")
		p.OK(p.Rename(p.Context, "/c", "/d/b", false))
		p.Equal(p.Text("/d/b"), "C")
		p.Equal(p.Names("/"), "d")
		p.Equal(p.Names("/d"), "b")
		p.OK(p.Rename(p.Context, "/d/b", "/d/b", false))
		p.Equal(p.Text("/d/b"), "C")
	}},
	{"Rename moves a directory with all below", func(p *Probe) {
		p.Dir("/d")
		p.Dir("/d/e")
		p.Write("/d/e/f", "x")
		p.OK(p.Rename(p.Context, "/d", "/n", false))
		p.Missing("/d")
		p.Missing("/d/e/f")
		p.Equal(p.Text("/n/e/f"), "x")
		p.Equal(p.Names("/n"), "e")
		p.Equal(p.Names("/n/e"), "f")
	}},
	{"Rename puts a directory over an empty one only", func(p *Probe) {
		p.Dir("/a")
		p.Write("/a/f", "x")
		p.Dir("/b")
		p.Write("/b/g", "")
		p.Want(p.Rename(p.Context, "/a", "/b", false), vfs.ENOTEMPTY)
		p.OK(p.Unlink(p.Context, "/b/g"))
		p.OK(p.Rename(p.Context, "/a", "/b", false))
		p.Equal(p.Names("/"), "b")
		p.Equal(p.Text("/b/f"), "x")
	}},
	{"Rename minds the kind of both", func(p *Probe) {
		p.Dir("/d")
		p.Write("/f", "")
		p.Want(p.Rename(p.Context, "/d", "/f", false), vfs.ENOTDIR)
		p.Want(p.Rename(p.Context, "/f", "/d", false), vfs.EISDIR)
		p.Want(p.Rename(p.Context, "/none", "/x", false), vfs.ENOENT)
		p.Want(p.Rename(p.Context, "/f", "/none/x", false), vfs.ENOENT)
		p.Want(p.Rename(p.Context, "/d", "/d/e", false), vfs.EINVAL)
	}},
	{"Rename without replacing answers EEXIST", func(p *Probe) {
		p.Write("/a", "A")
		p.Write("/b", "B")
		p.Want(p.Rename(p.Context, "/a", "/b", true), vfs.EEXIST)
		p.Equal(p.Text("/b"), "B")
		p.OK(p.Rename(p.Context, "/a", "/c", true))
		p.Equal(p.Text("/c"), "A")
		p.Missing("/a")
	}},
	{"an open file outlives its name", func(p *Probe) {
		p.Write("/f", "abc")
		f := p.File("/f", vfs.O_RDWR)
		p.OK(p.Unlink(p.Context, "/f"))
		p.Equal(p.Rest(f), "abc")
		_, err := f.Write([]byte("def"))
		p.OK(err)
		_, err = f.Seek(0, io.SeekStart)
		p.OK(err)
		p.Equal(p.Rest(f), "abcdef")
		p.OK(f.Close())
		p.Missing("/f")
	}},
	{"an open file outlives a rename over it", func(p *Probe) {
		p.Write("/f", "old")
		p.Write("/g", "new")
		f := p.File("/f", vfs.O_RDONLY)
		p.OK(p.Rename(p.Context, "/g", "/f", false))
		p.Equal(p.Rest(f), "old")
		p.OK(f.Close())
		p.Equal(p.Text("/f"), "new")
	}},
	{"symbolic links hold any target", func(p *Probe) {
		for i, target := range []string{"f", "/tmp/x", "../..", "no such", "a/./b//c/"} {
			path := fmt.Sprint("/l", i)
			p.OK(p.Symlink(p.Context, target, path))
			got, err := p.Readlink(p.Context, path)
			p.OK(err)
			p.Equal(got, target)
			info := p.Info(path)
			p.Equal(info.Mode().Type(), fs.ModeSymlink)
			p.Equal(info.Size(), len(target))
		}
		p.Want(p.Symlink(p.Context, "x", "/l0"), vfs.EEXIST)
	}},
	{"Readlink of what is no link is EINVAL", func(p *Probe) {
		p.Write("/f", "")
		_, err := p.Readlink(p.Context, "/f")
		p.Want(err, vfs.EINVAL)
		_, err = p.Readlink(p.Context, "/")
		p.Want(err, vfs.EINVAL)
		_, err = p.Readlink(p.Context, "/none")
		p.Want(err, vfs.ENOENT)
	}},
	{"no link is followed: ELOOP", func(p *Probe) {
		p.Dir("/d")
		p.Write("/d/f", "x")
		p.OK(p.Symlink(p.Context, "d", "/l"))
		p.OK(p.Symlink(p.Context, "d/f", "/lf"))
		for _, flag := range []int{vfs.O_RDONLY, vfs.O_WRONLY, create, create | vfs.O_TRUNC} {
			_, err := p.Open(p.Context, "/lf", flag, 0o644)
			p.Want(err, vfs.ELOOP)
		}
		_, err := p.Open(p.Context, "/l/f", vfs.O_RDONLY, 0)
		p.Want(err, vfs.ELOOP)
		_, err = p.Lstat(p.Context, "/l/f")
		p.Want(err, vfs.ELOOP)
		_, err = p.ReadDir(p.Context, "/l")
		p.Want(err, vfs.ELOOP)
		p.Want(p.Mkdir(p.Context, "/l/n", 0o755), vfs.ELOOP)
		p.Want(p.Unlink(p.Context, "/l/f"), vfs.ELOOP)
		p.Want(p.Rename(p.Context, "/l/f", "/g", false), vfs.ELOOP)
		p.Want(p.Truncate(p.Context, "/lf", 0), vfs.ELOOP)
		_, err = p.Open(p.Context, "/lf", create|vfs.O_EXCL, 0o644)
		p.Want(err, vfs.EEXIST)
		p.Equal(p.Text("/d/f"), "x")
	}},
	{"a link is renamed and removed itself", func(p *Probe) {
		p.Write("/f", "x")
		p.OK(p.Symlink(p.Context, "f", "/l"))
		p.OK(p.Rename(p.Context, "/l", "/m", false))
		p.Equal(p.Info("/m").Mode().Type(), fs.ModeSymlink)
		p.OK(p.Unlink(p.Context, "/m"))
		p.Equal(p.Text("/f"), "x")
		p.OK(p.Symlink(p.Context, "f", "/l"))
		p.Want(p.Rmdir(p.Context, "/l"), vfs.ENOTDIR)
	}},
	{"a hard link is the same file", func(p *Probe) {
		p.Write("/f", "x")
		p.OK(p.Link(p.Context, "/f", "/g"))
		a, b := p.Info("/f"), p.Info("/g")
		p.Equal(vfs.SameFile(a, b), true)
		p.Equal(b.Links, 2)
		p.Write("/g", "changed")
		p.Equal(p.Text("/f"), "changed")
		p.OK(p.Unlink(p.Context, "/f"))
		p.Equal(p.Text("/g"), "changed")
		p.Equal(p.Info("/g").Links, 1)
	}},
	{"hard links: not of directories, not over names", func(p *Probe) {
		p.Dir("/d")
		p.Write("/f", "x")
		p.Want(p.Link(p.Context, "/d", "/e"), vfs.EPERM)
		p.Want(p.Link(p.Context, "/f", "/d"), vfs.EEXIST)
		p.Want(p.Link(p.Context, "/none", "/e"), vfs.ENOENT)
		p.Want(p.Link(p.Context, "/f", "/none/e"), vfs.ENOENT)
	}},
	{"renaming one hard link over another changes nothing", func(p *Probe) {
		p.Write("/f", "x")
		p.OK(p.Link(p.Context, "/f", "/g"))
		p.OK(p.Rename(p.Context, "/f", "/g", false))
		p.Equal(p.Names("/"), "f g")
	}},
	{"different files are different", func(p *Probe) {
		p.Write("/f", "x")
		p.Write("/g", "x")
		p.Equal(vfs.SameFile(p.Info("/f"), p.Info("/g")), false)
	}},
	{"directories count their subdirectories", func(p *Probe) {
		p.Dir("/d")
		p.Dir("/d/a")
		p.Dir("/d/b")
		p.Equal(p.Info("/d").Links, 4)
		p.OK(p.Rename(p.Context, "/d/a", "/a", false))
		p.Equal(p.Info("/d").Links, 3)
		p.OK(p.Rmdir(p.Context, "/d/b"))
		p.Equal(p.Info("/d").Links, 2)
	}},
	{"a named pipe is an inode that does not open", func(p *Probe) {
		p.OK(p.Mkfifo(p.Context, "/p", 0o644))
		p.Equal(p.Info("/p").Mode(), fs.ModeNamedPipe|0o644)
		_, err := p.Open(p.Context, "/p", vfs.O_RDONLY, 0)
		p.Want(err, vfs.ENXIO)
		p.Want(p.Mkfifo(p.Context, "/p", 0o644), vfs.EEXIST)
		p.OK(p.Unlink(p.Context, "/p"))
	}},
	{"usage is told", func(p *Probe) {
		u, err := p.Statfs(p.Context, "/")
		p.OK(err)
		p.Equal(u.Bytes > 0 && u.BlockSize > 0, true)
	}},
	{"any byte but / and NUL makes a name", func(p *Probe) {
		for _, name := range []string{"a b", "\xff\xfe", "*", "\n", "-", "ü", strings.Repeat("n", 255), "...", "\\"} {
			p.Write("/"+name, name)
			p.Equal(p.Text("/"+name), name)
		}
	}},
	{"an ended context does nothing", func(p *Probe) {
		p.Write("/f", "x")
		ctx, cancel := context.WithCancel(p.Context)
		cancel()
		if p.Unlink(ctx, "/f") == nil {
			p.Fail("Unlink went on")
		}
		if _, err := p.Open(ctx, "/g", create, 0o644); err == nil {
			p.Fail("Open went on")
		}
		p.Equal(p.Names("/"), "f")
	}},
	{"parallel work keeps the tree whole", func(p *Probe) {
		var group sync.WaitGroup
		for i := range 4 {
			group.Go(func() {
				for j := range 25 {
					mine := fmt.Sprintf("/d%d-%d", i, j)
					p.Mkdir(p.Context, mine, 0o755)
					if f, err := p.Open(p.Context, mine+"/f", create, 0o644); err == nil {
						fmt.Fprint(f, mine)
						f.Close()
					}
					p.Rename(p.Context, mine+"/f", fmt.Sprintf("/f%d-%d", i, j), false)
					p.ReadDir(p.Context, "/")
					p.Lstat(p.Context, "/f0-0")
					if f, err := p.Open(p.Context, "/shared", vfs.O_RDWR|vfs.O_CREATE, 0o644); err == nil {
						f.WriteAt([]byte(mine), int64(i))
						f.ReadAt(make([]byte, 10), 0)
						f.Truncate(int64(j))
						f.Close()
					}
					p.Rmdir(p.Context, mine)
				}
			})
		}
		group.Wait()
		p.Equal(len(strings.Fields(p.Names("/"))), 101)
		p.Equal(p.Text("/f3-24"), "/d3-24")
	}},
}
