// Package vfstest holds what every vfs.FS must do: a table of named rules, run
// on each storage, and a wrapper that makes any call fail.
package vfstest

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sort"
	"strings"
	"syscall"
	"testing"

	"github.com/vsh-project/vsh/vfs"
)

// Rule is one promise of vfs.FS. Check gets an empty filesystem.
type Rule struct {
	Name  string
	Check func(p *Probe)
}

// Test runs every rule on a filesystem of its own. The rules named in lacks
// must not hold: the list says exactly what a storage cannot do.
func Test(t *testing.T, open func(t *testing.T) vfs.FS, lacks ...string) {
	t.Helper()
	for _, name := range lacks {
		if !slices.ContainsFunc(Rules, func(r Rule) bool { return r.Name == name }) {
			t.Errorf("no rule is named %q", name)
		}
	}
	for _, rule := range Rules {
		t.Run(rule.Name, func(t *testing.T) {
			err := Check(open(t), rule)
			if slices.Contains(lacks, rule.Name) {
				if err == nil {
					t.Error("listed as lacking, but holds")
				}
				return
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// Check runs one rule on an empty filesystem.
func Check(f vfs.FS, rule Rule) (err error) {
	defer func() {
		if failure, ok := recover().(failure); ok {
			err = failure
		}
	}()
	rule.Check(&Probe{FS: f, Context: context.Background()})
	return nil
}

type failure string

func (f failure) Error() string { return string(f) }

// Probe asks a filesystem; what is not as it must be ends the rule.
type Probe struct {
	vfs.FS
	Context context.Context
}

// Fail ends the rule.
func (p *Probe) Fail(format string, args ...any) { panic(failure(fmt.Sprintf(format, args...))) }

// OK wants no error.
func (p *Probe) OK(err error) {
	if err != nil {
		p.Fail("%v", err)
	}
}

// Want wants an error of that number.
func (p *Probe) Want(err error, errno syscall.Errno) {
	if err == nil {
		p.Fail("no error, want %v", errno)
	}
	if vfs.Errno(err) != errno {
		p.Fail("%v, want %v", err, errno)
	}
}

// Equal wants two values that print alike.
func (p *Probe) Equal(got, want any) {
	if fmt.Sprint(got) != fmt.Sprint(want) {
		p.Fail("%.200v, want %.200v", got, want)
	}
}

// File opens a file.
func (p *Probe) File(path string, flag int) vfs.File {
	f, err := p.Open(p.Context, path, flag, 0o644)
	p.OK(err)
	return f
}

// Write makes a file of that content.
func (p *Probe) Write(path, data string) {
	f := p.File(path, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC)
	n, err := f.Write([]byte(data))
	p.OK(err)
	p.Equal(n, len(data))
	p.OK(f.Close())
}

// Text is a file's content.
func (p *Probe) Text(path string) string {
	f := p.File(path, vfs.O_RDONLY)
	defer f.Close()
	return p.Rest(f)
}

// Rest reads an open file to its end.
func (p *Probe) Rest(f vfs.File) string {
	b, err := io.ReadAll(f)
	p.OK(err)
	return string(b)
}

// Dir makes a directory.
func (p *Probe) Dir(path string) { p.OK(p.Mkdir(p.Context, path, 0o755)) }

// Info describes what must be there.
func (p *Probe) Info(path string) *vfs.Info {
	info, err := p.Lstat(p.Context, path)
	p.OK(err)
	return info
}

// Missing wants nothing at path.
func (p *Probe) Missing(path string) {
	_, err := p.Lstat(p.Context, path)
	p.Want(err, vfs.ENOENT)
}

// Names lists a directory in order.
func (p *Probe) Names(path string) string {
	entries, err := p.ReadDir(p.Context, path)
	p.OK(err)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name
		if e.Type&^fs.ModeType != 0 {
			p.Fail("entry %s has more than type bits: %v", e.Name, e.Type)
		}
	}
	sort.Strings(names)
	return strings.Join(names, " ")
}
