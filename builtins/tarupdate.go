package builtins

import (
	"io"
	"time"

	"github.com/vsh-project/vsh/builtins/internal/tarformat"
	"github.com/vsh-project/vsh/vfs"
)

// update adds files, newer files or whole archives to the end of an archive.
func (t *tarCommand) update() error {
	closeIndex, err := t.openIndex()
	if err != nil {
		return err
	}
	defer closeIndex()
	if err := t.gatherNames(); err != nil {
		return err
	}
	in, err := t.openInput(true)
	if err != nil {
		return err
	}
	defer in.close()
	r := &tarReader{tarInput: in, t: t}
	if err := t.toEnd(r); err != nil {
		return err
	}
	out, err := t.outputAt(in)
	if err != nil {
		return err
	}
	t.bytesDone = 0
	a := t.newAdder(&tarWriter{tarOutput: out, t: t})
	if info, err := in.file.Stat(); err == nil && info.FileMode.IsRegular() {
		a.archive = info
	}
	if err := a.writeGlobals(t.paxOptions.globals); err != nil {
		return err
	}
	// Names may come as the walk goes on.
	for i := 0; i < len(t.names); i++ {
		n := t.names[i]
		if n == nil || n.text == "" {
			continue
		}
		n.found++
		if err := t.enter(n.directory); err != nil {
			return err
		}
		if t.excluded(n.text, nil) {
			continue
		}
		if t.mode == tarCat {
			if t.interactive && !t.asksFor("add", n.text) {
				continue
			}
			err = a.archiveFile(n.text)
		} else {
			t.selection.recursion = n.matching.leading
			err = a.add(n.text, nil)
		}
		if err != nil {
			return err
		}
	}
	return a.close()
}

// toEnd reads up to the end of the archive; with -u it drops the names that the
// archive holds as new as they are.
func (t *tarCommand) toEnd(r *tarReader) error {
	byName := map[string][]int{}
	if t.mode == tarUpdate {
		for i, n := range t.names {
			byName[n.text] = append(byName[n.text], i)
		}
	}
	state := tarUnread
	for {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		before := state
		m, now, err := r.next()
		if err != nil {
			return err
		}
		switch state = now; state {
		case tarGood:
			t.format = m.format
			t.transformMember(m)
			if at := byName[m.name]; len(at) > 0 {
				if err := t.updateName(m, at[0], byName); err != nil {
					return err
				}
			}
			if err := r.skipData(m); err != nil {
				return err
			}
		case tarZeroBlock, tarAtEnd:
			return nil
		case tarBadBlock:
			r.advance()
			switch before {
			case tarUnread:
				t.warnf("This does not look like a tar archive")
				fallthrough
			case tarGood, tarZeroBlock:
				t.fault("Skipping to next header")
			}
		}
	}
}

// updateName drops a name whose copy in the archive is new enough. A directory
// gives way to what it holds, each name of which is looked for in turn.
func (t *tarCommand) updateName(m *tarMember, i int, byName map[string][]int) error {
	n := t.names[i]
	if n == nil {
		return nil
	}
	if err := t.enter(n.directory); err != nil {
		return err
	}
	stat := t.view().Lstat
	if t.dereference {
		stat = t.view().Stat
	}
	info, err := stat(t.ctx, m.name)
	if err != nil {
		return nil
	}
	drop := func() {
		t.names[i] = nil
		byName[m.name] = byName[m.name][1:]
	}
	if !info.IsDir() {
		if !info.Modified.Truncate(time.Second).After(m.modified.Truncate(time.Second)) {
			drop()
		}
		return nil
	}
	entries, err := t.view().ReadDir(t.ctx, m.name)
	if err != nil {
		return nil
	}
	drop()
	for _, e := range entries {
		name := walkJoinBase(m.name, e.Name)
		byName[name] = append(byName[name], len(t.names))
		t.names = append(t.names, &tarName{text: name, directory: n.directory, matching: n.matching})
		if err := t.charge(len(name) + 96); err != nil {
			return err
		}
	}
	return nil
}

// outputAt writes on where the reader stands.
func (t *tarCommand) outputAt(in *tarInput) (*tarOutput, error) {
	if _, err := in.file.Seek(in.start*tarformat.BlockSize, io.SeekStart); err != nil {
		return nil, t.fatal("%s: Cannot seek: %s", t.colonName(in.name), vfs.Words(err))
	}
	out := &tarOutput{t: t, name: in.name, w: in.file, record: make([]byte, len(in.record)), n: in.pos, start: in.start}
	copy(out.record, in.record[:in.pos])
	return out, t.charge(len(out.record))
}

// archiveFile adds what another archive holds, block by block.
func (a *tarAdder) archiveFile(name string) error {
	t := a.t
	f, err := t.view().Open(t.ctx, name, vfs.O_RDONLY, 0)
	if err != nil {
		t.failed(name, "open", err)
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.IsDir() {
		if err == nil {
			err = vfs.EISDIR
		}
		t.failed(name, "read", err)
		return nil
	}
	m := &tarMember{orig: name, size: info.Bytes}
	_, err = a.data(f, m, info.Bytes, info.Bytes)
	return err
}

// deleteMembers writes the archive anew without the members that are named.
func (t *tarCommand) deleteMembers() error {
	if err := t.gatherNames(); err != nil {
		return err
	}
	filter := t.archives[0] == "-"
	in, err := t.openInput(!filter)
	if err != nil {
		return err
	}
	defer in.close()
	r := &tarReader{tarInput: in, t: t}
	d := &tarDeleter{t: t, r: r, filter: filter}
	d.out = &tarOutput{t: t, name: in.name, w: t.Stdout, record: make([]byte, len(in.record))}
	if err := t.charge(len(d.out.record)); err != nil {
		return err
	}
	if err := d.members(); err != nil {
		return err
	}
	if d.deleted || filter {
		if err := d.out.finish(); err != nil {
			return err
		}
		if !filter {
			if err := in.file.Truncate(d.out.start * tarformat.BlockSize); err != nil {
				t.warnf("%s: Warning: Cannot truncate: %s", t.colonName(in.name), vfs.Words(err))
			}
		}
	}
	t.reportMissing()
	return nil
}

// tarRewriter writes a file that is being read further on.
type tarRewriter struct {
	f  io.WriterAt
	at int64
}

func (w *tarRewriter) Write(p []byte) (int, error) {
	n, err := w.f.WriteAt(p, w.at)
	w.at += int64(n)
	return n, err
}

// tarDeleter copies the members that stay. What stands before the first that is
// deleted stays where it is, unless the archive goes to standard output.
type tarDeleter struct {
	t       *tarCommand
	r       *tarReader
	out     *tarOutput
	filter  bool
	deleted bool
}

func (d *tarDeleter) members() error {
	t, r := d.t, d.r
	state := tarUnread
	for {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		before := state
		r.tap, r.tapping = r.tap[:0], true
		m, now, err := r.next()
		r.tapping = false
		if err != nil {
			return err
		}
		switch state = now; state {
		case tarGood:
			asked, err := t.asked(m.name)
			if err != nil {
				return err
			}
			switch {
			case asked && len(t.names) > 0:
				if err = d.begin(m); err == nil {
					err = r.skipData(m)
				}
			case d.deleted || d.filter:
				err = d.copy(m)
			default:
				err = r.skipData(m)
			}
			if err != nil {
				return err
			}
		case tarZeroBlock, tarAtEnd:
			return nil
		case tarBadBlock:
			r.advance()
			switch before {
			case tarUnread:
				t.warnf("This does not look like a tar archive")
				fallthrough
			case tarGood, tarZeroBlock:
				t.fault("Skipping to next header")
			}
		}
	}
}

// begin has the output start where the first deleted member stood.
func (d *tarDeleter) begin(m *tarMember) error {
	if d.deleted || d.filter {
		d.deleted = true
		return nil
	}
	d.deleted = true
	blocks := int64(len(d.out.record) / tarformat.BlockSize)
	d.out.start = m.ordinal / blocks * blocks
	d.out.n = int(m.ordinal-d.out.start) * tarformat.BlockSize
	d.out.w = &tarRewriter{d.r.file, d.out.start * tarformat.BlockSize}
	if d.out.n == 0 {
		return nil
	}
	if _, err := d.r.file.ReadAt(d.out.record[:d.out.n], d.out.start*tarformat.BlockSize); err != nil {
		return d.t.fatal("%s: Cannot read: %s", d.t.colonName(d.r.name), vfs.Words(err))
	}
	return nil
}

// copy writes a member as it stands.
func (d *tarDeleter) copy(m *tarMember) error {
	if err := d.blocks(d.r.tap); err != nil {
		return err
	}
	m.taken = true
	for left := m.stored; left > 0; {
		chunk, err := d.r.chunk((left + tarformat.BlockSize - 1) / tarformat.BlockSize * tarformat.BlockSize)
		if err != nil {
			return err
		}
		if chunk == nil {
			return d.t.fatal("Unexpected EOF in archive")
		}
		if err := d.blocks(chunk); err != nil {
			return err
		}
		d.r.consumed(len(chunk))
		left -= int64(len(chunk))
	}
	return nil
}

func (d *tarDeleter) blocks(data []byte) error {
	for len(data) > 0 {
		room, err := d.out.room()
		if err != nil {
			return err
		}
		n := copy(room, data)
		d.out.filled(n)
		data = data[n:]
	}
	return nil
}
