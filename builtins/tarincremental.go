package builtins

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vsh-project/vsh/builtins/internal/filemode"
	"github.com/vsh-project/vsh/builtins/internal/tarformat"
	"github.com/vsh-project/vsh/vfs"
)

// tarSnapshotHead begins a snapshot file of format 2.
const tarSnapshotHead = "GNU tar-1.34-2\n"

// tarSnapshot is what a snapshot file holds of the dump before.
type tarSnapshot struct {
	at          time.Time // when that dump began; zero: there was none
	directories map[string]copyInode
}

// tarScanned is a directory of an incremental dump, or a file that was named.
type tarScanned struct {
	directory *tarDirectory
	name      string
	info      *vfs.Info
	isDir     bool
	// dump is its listing: a letter and a name each, Y for a file that is
	// dumped, N for one that has not changed, D for a directory.
	dump []byte
}

// tarIncremental makes an incremental dump: all directories with their
// listings, then the files of each that have changed.
type tarIncremental struct {
	*tarAdder
	before  tarSnapshot
	scanned []*tarScanned
}

func (a *tarAdder) createIncremental() error {
	t := a.t
	n := &tarIncremental{tarAdder: a}
	if err := n.readSnapshot(); err != nil {
		return err
	}
	err := t.eachName(func(name string) error {
		if err := t.enter(t.directory); err != nil {
			return err
		}
		if t.excluded(name, nil) {
			return nil
		}
		return n.scan(name, nil)
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(n.scanned, func(a, b *tarScanned) int { return strings.Compare(a.name, b.name) })
	for _, s := range n.scanned {
		t.directory = s.directory
		if s.isDir {
			err = n.writeListing(s)
		} else if n.changedSince(s.info) {
			err = a.add(s.name, nil)
		}
		if err != nil {
			return err
		}
	}
	for _, s := range n.scanned {
		t.directory = s.directory
		for entry := range bytes.SplitSeq(s.dump, []byte{0}) {
			if len(entry) == 0 || entry[0] != 'Y' {
				continue
			}
			if err := a.add(walkJoinBase(s.name, string(entry[1:])), &tarTree{device: s.info.Device}); err != nil {
				return err
			}
		}
	}
	if err := a.close(); err != nil {
		return err
	}
	return n.writeSnapshot()
}

// changedSince reports whether a file is newer than the dump before.
func (n *tarIncremental) changedSince(info *vfs.Info) bool {
	at := n.before.at
	return at.IsZero() || !info.Modified.Before(at) || !info.Changed.Before(at)
}

// scan lists a directory and those below it.
func (n *tarIncremental) scan(name string, in *tarTree) error {
	t := n.t
	if err := t.ctx.Err(); err != nil {
		return err
	}
	stat := t.view().Lstat
	if t.dereference {
		stat = t.view().Stat
	}
	info, err := stat(t.ctx, name)
	if err != nil {
		n.diagnose(name, "stat", err, in)
		return nil
	}
	s := &tarScanned{directory: t.directory, name: name, info: info, isDir: info.IsDir()}
	if err := t.charge(len(name) + 512); err != nil {
		return err
	}
	if !s.isDir {
		n.scanned = append(n.scanned, s)
		return nil
	}
	if in.loops(copyID(info)) {
		return nil
	}
	known, ok := n.before.directories[name]
	isNew := !ok || known != copyID(info)
	if isNew {
		t.warning("new-directory", "%s: Directory is new", t.colonName(name))
	}
	entries, err := t.view().ReadDir(t.ctx, name)
	if err != nil {
		n.diagnose(name, "open", err, in)
		return nil
	}
	n.scanned = append(n.scanned, s)
	tree := &tarTree{parent: in, device: info.Device, id: copyID(info)}
	for _, e := range entries {
		child := walkJoinBase(name, e.Name)
		if t.excluded(child, tree) {
			continue
		}
		letter := byte('Y')
		found, err := stat(t.ctx, child)
		switch {
		case err != nil:
		case found.IsDir():
			letter = 'D'
			if t.selection.recursion {
				if err := n.scan(child, tree); err != nil {
					return err
				}
			}
		case !isNew && !n.changedSince(found):
			letter = 'N'
		}
		if err := t.charge(len(e.Name) + 2); err != nil {
			return err
		}
		s.dump = append(append(append(s.dump, letter), e.Name...), 0)
	}
	s.dump = append(s.dump, 0)
	return nil
}

// writeListing writes a directory with its listing.
func (n *tarIncremental) writeListing(s *tarScanned) error {
	t := n.t
	m := &tarMember{kind: tarformat.DumpDir, orig: tarWithSlash(s.name), mode: filemode.Bits(s.info.FileMode), size: int64(len(s.dump)), modified: s.info.Modified, accessed: s.info.Accessed, changed: s.info.Changed}
	m.name = tarWithSlash(t.transform(t.safeName(s.name, false), tarOfMember))
	m.uid, m.uname = n.ownerOf(s.info.UID, t.userName)
	m.gid, m.gname = n.ownerOf(s.info.GID, t.groupName)
	var records []tarformat.Record
	posix := t.format == tarformat.POSIX
	if posix {
		m.kind, m.size = tarformat.Directory, 0
		records = append(records, tarformat.Record{Key: "GNU.dumpdir", Value: string(s.dump)})
	}
	ok, err := n.writeMember(m, records)
	if err != nil || !ok || posix {
		return err
	}
	return n.writeText(string(s.dump))
}

// readSnapshot reads what the dump before left. With --level=0 there was none.
func (n *tarIncremental) readSnapshot() error {
	t := n.t
	if t.snapshot == "" {
		return nil
	}
	f, err := t.View().Open(t.ctx, t.snapshot, vfs.O_RDWR|vfs.O_CREATE, 0o666)
	if err != nil {
		return t.fatal("%s: Cannot open: %s", t.colonName(t.snapshot), vfs.Words(err))
	}
	defer f.Close()
	if t.level == 0 {
		return nil
	}
	r := bufio.NewReader(f)
	head, err := r.ReadString('\n')
	if head == "" && err == io.EOF {
		return nil
	}
	if !strings.HasPrefix(head, "GNU tar-") && strings.Trim(head, "0123456789\n") != "" {
		return t.fatal("%s:1: Invalid time stamp: %s", t.colonName(t.snapshot), vfs.Words(vfs.EINVAL))
	}
	if !strings.HasPrefix(head, "GNU tar-") || !strings.HasSuffix(head, "-2\n") {
		return t.fatal("%s: Unsupported incremental format version", t.colonName(t.snapshot))
	}
	n.before.directories = map[string]copyInode{}
	bad := func() error { return t.fatal("%s: Unexpected EOF in snapshot file", t.colonName(t.snapshot)) }
	field := func() (string, error) {
		text, err := r.ReadString(0)
		if err == nil {
			err = t.ctx.Err()
		}
		return strings.TrimSuffix(text, "\x00"), err
	}
	number := func() (v int64, err error) {
		text, err := field()
		if err == nil {
			v, err = strconv.ParseInt(text, 10, 64)
		}
		return v, err
	}
	seconds, err1 := number()
	nanoseconds, err2 := number()
	if err := errors.Join(err1, err2); err != nil {
		return bad()
	}
	n.before.at = time.Unix(seconds, nanoseconds)
	for {
		if _, err := number(); err == io.EOF {
			return nil
		} else if err != nil {
			return bad()
		}
		_, err1 := number()
		_, err2 := number()
		device, err3 := number()
		inode, err4 := number()
		name, err5 := field()
		if errors.Join(err1, err2, err3, err4, err5) != nil {
			return bad()
		}
		for {
			entry, err := field()
			if err != nil {
				return bad()
			}
			if entry == "" {
				break
			}
		}
		if _, err := field(); err != nil {
			return bad()
		}
		if err := t.charge(len(name) + 96); err != nil {
			return err
		}
		n.before.directories[name] = copyInode{uint64(device), uint64(inode)}
	}
}

// writeSnapshot leaves what the next dump is to know.
func (n *tarIncremental) writeSnapshot() error {
	t := n.t
	if t.snapshot == "" {
		return nil
	}
	f, err := t.View().Open(t.ctx, t.snapshot, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
	if err != nil {
		return t.fatal("%s: Cannot open: %s", t.colonName(t.snapshot), vfs.Words(err))
	}
	w := bufio.NewWriter(f)
	field := func(text string) {
		w.WriteString(text)
		w.WriteByte(0)
	}
	w.WriteString(tarSnapshotHead)
	field(strconv.FormatInt(t.started.Unix(), 10))
	field(strconv.Itoa(t.started.Nanosecond()))
	for _, s := range n.scanned {
		if !s.isDir {
			continue
		}
		field("0")
		field(strconv.FormatInt(s.info.Modified.Unix(), 10))
		field(strconv.Itoa(s.info.Modified.Nanosecond()))
		field(strconv.FormatUint(s.info.Device, 10))
		field(strconv.FormatUint(s.info.Inode, 10))
		field(s.name)
		w.Write(s.dump)
		w.WriteByte(0)
	}
	err = w.Flush()
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return t.fatal("%s: Cannot write: %s", t.colonName(t.snapshot), vfs.Words(err))
	}
	return nil
}

// readListing takes the listing of a directory of an incremental dump.
func (r *tarReader) readListing(m *tarMember) error {
	if m.kind != tarformat.DumpDir || m.taken {
		return nil
	}
	m.taken = true
	data, _, err := r.gather(m.stored)
	m.listing = data
	return err
}

// listListing prints the listing of a directory.
func (t *tarCommand) listListing(m *tarMember) {
	for entry := range bytes.SplitSeq(m.listing, []byte{0}) {
		if len(entry) > 0 {
			t.list("%c %s\n", entry[0], t.shown(string(entry[1:])))
		}
	}
	t.list("\n")
}

// purge removes what a directory held no longer when it was dumped.
func (x *tarExtractor) purge(m *tarMember) {
	t := x.t
	if info, err := t.view().Lstat(t.ctx, m.name); err != nil || !info.IsDir() {
		return
	}
	held := map[string]byte{}
	for entry := range bytes.SplitSeq(m.listing, []byte{0}) {
		if len(entry) > 1 {
			held[string(entry[1:])] = entry[0]
		}
	}
	entries, err := t.view().ReadDir(t.ctx, m.name)
	if err != nil {
		t.failed(m.name, "open", err)
		return
	}
	for _, e := range entries {
		letter, ok := held[e.Name]
		if ok && (letter == 'D') == e.IsDir() || t.ctx.Err() != nil {
			continue
		}
		name := path.Join(m.name, e.Name)
		if t.interactive && !t.asksFor("delete", name) {
			continue
		}
		if t.verbose > 0 {
			t.list("%s: Deleting %s\n", t.label(), quote(name))
		}
		if _, err := x.removeAny(name, true); err != nil {
			t.failed(name, "unlink", err)
		}
	}
}
