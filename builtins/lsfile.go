package builtins

import (
	"cmp"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vsh-project/vsh/internal/walk"
	"github.com/vsh-project/vsh/vfs"
)

// lsFile is one entry to list.
type lsFile struct {
	name   string
	kind   fs.FileMode // type bits
	info   *vfs.Info   // nil where it was not asked for or could not be had
	inode  uint64
	failed error
	// target is what a link says, resolved what it leads to.
	isLink   bool
	target   string
	resolved *vfs.Info
	text     string // the name as listed
	padded   bool   // stands in where others are quoted
}

// lsPending is a directory to list. above holds the directories it is in, for
// the detection of loops.
type lsPending struct {
	path, heading string
	operand       bool
	above         []*vfs.Info
}

// list lists the operands: files first, then directories.
func (l *lsCommand) list(operands []string) error {
	if len(operands) == 0 {
		operands = []string{"."}
	}
	files := make([]*lsFile, 0, len(operands))
	for _, name := range operands {
		if err := l.ctx.Err(); err != nil {
			return err
		}
		if f := l.operand(name); f != nil {
			files = append(files, f)
		}
	}
	l.order(files)
	all := files // the directories among them count for the widths
	var pending []lsPending
	if !l.directory {
		plain := make([]*lsFile, 0, len(files))
		for _, f := range files {
			if f.kind.IsDir() {
				pending = append(pending, lsPending{path: f.name, heading: f.name, operand: true})
			} else {
				plain = append(plain, f)
			}
		}
		files = plain
	}
	headings := l.recursive || len(operands) > 1
	if len(files) > 0 {
		if err := l.print(files, all); err != nil {
			return err
		}
		l.printed = true
	}
	for len(pending) > 0 {
		next := pending[0]
		pending = pending[1:]
		below, err := l.listDirectory(next, headings)
		if err != nil {
			return err
		}
		pending = append(below, pending...)
	}
	if l.dired != nil {
		l.dired.finish(l)
	}
	if l.colors != nil {
		l.colors.restore(l)
	}
	return nil
}

// trouble reports an error that leaves a name out.
func (l *lsCommand) complain(operand bool, what, name string, err error) {
	if l.ctx.Err() != nil {
		return
	}
	l.warnf("%s %s: %s", what, quoteName(name), vfs.Words(err))
	if operand {
		l.serious = true
	} else {
		l.status = max(l.status, 1)
	}
}

// operand describes a file of the command line.
func (l *lsCommand) operand(name string) *lsFile {
	var info *vfs.Info
	var err error
	view := l.View()
	switch l.dereference {
	case lsDereferenceAlways, lsDereferenceCommandLine:
		info, err = view.Stat(l.ctx, name)
	case lsDereferenceCommandLineDirectory:
		info, err = view.Stat(l.ctx, name)
		if err == nil && !info.IsDir() || vfs.Errno(err) == vfs.ENOENT {
			info, err = view.Lstat(l.ctx, name)
		}
	default:
		info, err = view.Lstat(l.ctx, name)
	}
	if err != nil {
		l.complain(true, "cannot access", name, err)
		return nil
	}
	f := &lsFile{name: name}
	l.described(f, name, info, true)
	return f
}

// described takes over what is known of a file, and looks at a link's target
// where the listing shows it.
func (l *lsCommand) described(f *lsFile, path string, info *vfs.Info, operand bool) {
	f.info, f.kind, f.inode = info, info.FileMode.Type(), info.Inode
	if f.kind&fs.ModeSymlink == 0 || l.format != lsLong && l.colors == nil && !l.directoriesFirst {
		return
	}
	f.isLink = true
	target, err := l.View().Readlink(l.ctx, path)
	if err != nil {
		l.complain(operand, "cannot read symbolic link", path, err)
	}
	f.target = target
	if l.indicator >= lsFileType || l.directoriesFirst || l.colors != nil && l.colors.followed(l.format == lsLong) {
		f.resolved, _ = l.View().Stat(l.ctx, path)
	}
}

// needsInfo reports whether an entry of a directory must be described.
func (l *lsCommand) needsInfo(e *vfs.Entry) bool {
	types := l.recursive || l.colors != nil || l.indicator != lsNoIndicator || l.directoriesFirst
	switch {
	case l.format == lsLong || l.blocks || l.hyperlinks || l.sort == lsByTime || l.sort == lsBySize:
		return true
	case l.colors != nil || l.indicator == lsClassify && e.Type == 0 || l.directoriesFirst && e.Type&fs.ModeSymlink != 0:
		return true
	case e.Type&fs.ModeSymlink != 0 && l.dereference == lsDereferenceAlways && (l.inode || types):
		return true
	}
	return l.inode && e.Inode == 0
}

// ignored reports whether a listing leaves a name out.
func (l *lsCommand) ignored(name string) bool {
	if strings.HasPrefix(name, ".") && !l.all && (!l.almostAll || name == "." || name == "..") {
		return true
	}
	if !l.all && !l.almostAll && lsMatches(l.hide, name) {
		return true
	}
	return lsMatches(l.ignore, name) || l.noBackups && strings.HasSuffix(name, "~")
}

// lsMatches compares with patterns of which a wildcard at the start takes no point.
func lsMatches(patterns []string, name string) bool {
	for _, p := range patterns {
		if strings.HasPrefix(name, ".") && !strings.HasPrefix(strings.TrimPrefix(p, `\`), ".") {
			continue
		}
		if fnmatch(p, name, false) {
			return true
		}
	}
	return false
}

// listDirectory prints one directory and returns those below it for -R.
func (l *lsCommand) listDirectory(d lsPending, headings bool) ([]lsPending, error) {
	if err := l.ctx.Err(); err != nil {
		return nil, err
	}
	entries, err := l.View().ReadDir(l.ctx, d.path)
	if err != nil {
		l.complain(d.operand, "cannot open directory", d.path, err)
		return nil, l.ctx.Err()
	}
	if l.recursive && l.dereference == lsDereferenceAlways {
		if again, err := l.again(&d); again || err != nil {
			return nil, err
		}
	}
	if headings {
		l.heading(d.heading)
	}
	if l.all {
		dots := []vfs.Entry{{Name: ".", Type: fs.ModeDir}, {Name: "..", Type: fs.ModeDir}}
		entries = append(dots, entries...)
	}
	files := make([]*lsFile, 0, len(entries))
	need := make([]*lsFile, 0, len(entries))
	for i := range entries {
		e := &entries[i]
		if l.ignored(e.Name) {
			continue
		}
		f := &lsFile{name: e.Name, kind: e.Type, inode: e.Inode}
		files = append(files, f)
		if l.needsInfo(e) {
			need = append(need, f)
		}
	}
	if err := l.describeAll(d.path, need); err != nil {
		return nil, err
	}
	l.order(files)
	if l.format == lsLong || l.blocks {
		l.total(files)
	}
	if len(files) > 0 {
		if err := l.print(files, files); err != nil {
			return nil, err
		}
	}
	l.printed = true
	if !l.recursive {
		return nil, nil
	}
	var below []lsPending
	for _, f := range files {
		if f.kind.IsDir() && f.name != "." && f.name != ".." {
			path := walk.Join(d.path, f.name)
			below = append(below, lsPending{path: path, heading: path, above: d.above})
		}
	}
	return below, nil
}

// again reports a directory that is listed above itself.
func (l *lsCommand) again(d *lsPending) (bool, error) {
	info, err := l.View().Stat(l.ctx, d.path)
	if err != nil {
		l.complain(true, "cannot determine device and inode of", d.path, err)
		return true, l.ctx.Err()
	}
	for _, above := range d.above {
		if vfs.SameFile(above, info) {
			l.warnf("%s: not listing already-listed directory", quoteFile(d.path))
			l.serious = true
			return true, nil
		}
	}
	d.above = append(slices.Clip(d.above), info)
	return false, nil
}

// lsWorkers describe the entries of a large directory.
const lsWorkers = 4

// describeAll describes entries of a directory, several at once; what cannot
// be described is reported in the order of the listing.
func (l *lsCommand) describeAll(directory string, files []*lsFile) error {
	join := func(name string) string {
		if directory == "." {
			return name
		}
		return walk.Join(directory, name)
	}
	one := func(f *lsFile) {
		path := join(f.name)
		var info *vfs.Info
		if l.dereference == lsDereferenceAlways {
			info, f.failed = l.View().Stat(l.ctx, path)
		} else {
			info, f.failed = l.View().Lstat(l.ctx, path)
		}
		if f.failed == nil {
			f.info = info
		}
	}
	workers := min(lsWorkers, len(files)/32)
	if workers < 2 {
		for i, f := range files {
			if i&63 == 0 && l.ctx.Err() != nil {
				return l.ctx.Err()
			}
			one(f)
		}
	} else {
		var wait sync.WaitGroup
		share := (len(files) + workers - 1) / workers
		for part := range slices.Chunk(files, share) {
			wait.Add(1)
			go func() {
				defer wait.Done()
				for i, f := range part {
					if i&63 == 0 && l.ctx.Err() != nil {
						return
					}
					one(f)
				}
			}()
		}
		wait.Wait()
	}
	if err := l.ctx.Err(); err != nil {
		return err
	}
	for _, f := range files {
		path := join(f.name)
		if f.failed != nil {
			l.complain(false, "cannot access", path, f.failed)
		} else if f.info != nil {
			l.described(f, path, f.info, false)
		}
	}
	return nil
}

// time is the time the listing is about.
func (l *lsCommand) time(f *lsFile) time.Time {
	switch {
	case f.info == nil:
		return time.Time{}
	case l.which == 'B':
		return f.info.Birthday
	}
	return findTime(f.info, l.which)
}

func lsExtension(name string) string {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return name[i:]
	}
	return ""
}

// order sorts a listing.
func (l *lsCommand) order(files []*lsFile) {
	if l.sort == lsUnsorted {
		return
	}
	size := func(f *lsFile) int64 {
		if f.info == nil {
			return 0
		}
		return f.info.Bytes
	}
	if l.sort == lsByWidth {
		for _, f := range files {
			f.text = l.quoted(f.name, l.alsoFile)
		}
	}
	compare := func(a, b *lsFile) (order int) {
		switch l.sort {
		case lsByTime:
			order = l.time(b).Compare(l.time(a))
		case lsBySize:
			order = cmp.Compare(size(b), size(a))
		case lsByExtension:
			order = strings.Compare(lsExtension(a.name), lsExtension(b.name))
		case lsByVersion:
			order = compareVersions([]byte(a.name), []byte(b.name))
		case lsByWidth:
			order = cmp.Compare(l.nameWidth(a.text), l.nameWidth(b.text))
		}
		if order == 0 {
			order = strings.Compare(a.name, b.name)
		}
		return order
	}
	slices.SortStableFunc(files, func(a, b *lsFile) int {
		if l.directoriesFirst {
			if da, db := l.first(a), l.first(b); da != db {
				if da {
					return -1
				}
				return 1
			}
		}
		if l.reverse {
			return compare(b, a)
		}
		return compare(a, b)
	})
}

// first reports whether --group-directories-first puts a file before others:
// a link to a directory is where the listing knows what it leads to.
func (l *lsCommand) first(f *lsFile) bool {
	return f.kind.IsDir() || f.isLink && f.resolved != nil && f.resolved.IsDir()
}
