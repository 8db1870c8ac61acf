package builtins

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/vsh-project/vsh/builtins/internal/filemode"
	"github.com/vsh-project/vsh/builtins/internal/zipfile"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// write makes the new archive beside the old one and puts it in its place.
func (z *zipCommand) write() error {
	adds, drops := 0, 0
	for _, item := range z.items {
		switch {
		case item.gone:
			drops++
		case item.info != nil:
			adds++
		}
	}
	if z.showOnly {
		return z.show()
	}
	if adds+drops == 0 && !z.comment && z.action != 'U' {
		return z.nothing()
	}
	if z.archive == "-" {
		w := zipfile.NewWriter(z.out)
		if err := z.members(w, nil); err != nil {
			return err
		}
		return z.ended(w.Close(""))
	}
	name := z.archive
	if z.output != "" {
		name = z.output
	}
	temporary := path.Join(path.Dir(name), fmt.Sprintf(".zi%08x", z.seed()))
	mode := fs.FileMode(0o666)
	file, err := z.View().Open(z.ctx, temporary, vfs.O_RDWR|vfs.O_CREATE|vfs.O_EXCL, mode)
	if err != nil {
		if z.ends(err) {
			return err
		}
		fmt.Fprintf(z.messages, "zip I/O error: %s", vfs.Words(err))
		return z.errorf(zipWrite, "Could not create output file (%s)", name)
	}
	keep := false
	defer func() {
		file.Close()
		if !keep {
			z.View().Unlink(context.WithoutCancel(z.ctx), temporary)
		}
	}()
	w := zipfile.NewWriter(file)
	if err := z.members(w, file); err != nil {
		return err
	}
	comment := ""
	if z.old != nil {
		comment = z.old.Comment
	}
	if z.comment {
		if comment, err = z.askComment("enter new zip file comment (end with .):\n"); err != nil {
			return err
		}
	}
	if err := w.Close(comment); err != nil {
		return err
	}
	if err := file.Truncate(int64(w.Offset())); err != nil {
		return err
	}
	if z.empty() {
		z.warning("zip file empty")
	}
	if err := z.View().Rename(z.ctx, temporary, name, false); err != nil {
		return err
	}
	keep = true
	return z.after(name)
}

func (z *zipCommand) empty() bool {
	for _, item := range z.items {
		if !item.gone {
			return false
		}
	}
	return true
}

// seed makes the temporary file's name.
func (z *zipCommand) seed() uint32 {
	var b [4]byte
	io.ReadFull(z.Host().Random(), b[:])
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// nothing is a run that changes nothing.
func (z *zipCommand) nothing() error {
	switch {
	case z.latest && z.old != nil && z.action == 'a':
		return z.after(z.archive)
	case z.test && z.old != nil:
		return z.after(z.archive)
	case z.action == 'u' && z.old != nil, z.action == 'f', z.sync && z.old != nil:
		return nil
	case len(z.selection.list)+len(z.selection.exclude) > 0 && len(z.patterns) > 0 && z.old == nil && z.anyFile():
		fmt.Fprintln(z.messages)
		z.warning("zip file empty")
		return nil
	}
	return z.errorf(zipNothing, "Nothing to do! (%s)", z.archive)
}

// anyFile reports whether some operand exists.
func (z *zipCommand) anyFile() bool {
	for _, name := range z.patterns {
		if _, err := z.View().Lstat(z.ctx, name); err == nil {
			return true
		}
	}
	return false
}

// show is -sf.
func (z *zipCommand) show() error {
	var list []string
	var bytes uint64
	title := "Would Add/Update:"
	for _, item := range z.items {
		if item.info != nil {
			list = append(list, item.name)
			bytes += uint64(item.info.Bytes)
		}
	}
	if list == nil && len(z.patterns) == 0 {
		title = "Archive contains:"
		for _, item := range z.items {
			list = append(list, item.name)
			bytes += item.entry.Size
		}
	}
	fmt.Fprintln(z.out, title)
	for _, name := range list {
		fmt.Fprintf(z.out, "  %s\n", name)
	}
	fmt.Fprintf(z.out, "Total %d entries (%d bytes)\n", len(list), bytes)
	return nil
}

// members writes all members. file is the archive where it can be set back.
func (z *zipCommand) members(w *zipfile.Writer, file vfs.File) error {
	for _, item := range z.items {
		if err := z.ctx.Err(); err != nil {
			return err
		}
		var err error
		switch {
		case item.gone:
			if !z.quiet && z.action != 'U' {
				fmt.Fprintf(z.messages, "deleting: %s\n", item.name)
			}
		case item.info == nil:
			err = z.keepMember(w, item)
		default:
			err = z.newMember(w, file, item)
		}
		if err != nil {
			return err
		}
	}
	if z.verbose && !z.quiet {
		fmt.Fprintf(z.messages, "total bytes=%d, compressed=%d -> %d%% savings\n", z.total[0], z.total[1], percent(savings(z.total[0], z.total[1])))
	}
	return nil
}

// keepMember copies an old member as it is.
func (z *zipCommand) keepMember(w *zipfile.Writer, item *zipItem) error {
	if z.action == 'U' && !z.quiet {
		fmt.Fprintf(z.messages, " copying: %s\n", item.name)
	}
	raw, err := z.old.Raw(item.entry)
	if err != nil {
		return z.errorf(zipFormat, "Zip file structure invalid (%s)", z.archive)
	}
	e := *item.entry
	if err := w.Begin(&e); err != nil {
		return err
	}
	if err := copyBlocks(z.ctx, w, raw); err != nil {
		return err
	}
	return w.End(&e)
}

// newMember packs a file. A file that packing does not make smaller is stored.
func (z *zipCommand) newMember(w *zipfile.Writer, file vfs.File, item *zipItem) error {
	data, done, err := z.data(item)
	if err != nil {
		if z.ends(err) {
			return err
		}
		z.warning("could not open for reading: %s", item.path)
		z.status = zipOpen
		if item.entry != nil {
			item.info = nil
			return z.keepMember(w, item)
		}
		return nil
	}
	defer func() { done() }()
	e := z.entry(item)
	if file == nil {
		e.Flags |= zipfile.FlagDescriptor
	}
	start := w.Offset()
	stored, err := z.pack(w, e, data, file != nil && item.path != "-")
	if err != nil {
		return err
	}
	if stored {
		if _, err := file.Seek(int64(start), io.SeekStart); err != nil {
			return err
		}
		w.Rewind(start)
		done()
		if data, done, err = z.data(item); err != nil {
			done = func() {}
			return err
		}
		text := e.Attributes
		e = z.entry(item)
		e.Method, e.Needs, e.Flags = zipfile.Store, 10, 0
		if _, err := z.pack(w, e, data, false); err != nil {
			return err
		}
		e.Attributes = text
	}
	if file != nil {
		if _, err := file.WriteAt(e.Header(), int64(start)); err != nil {
			return err
		}
	}
	z.tell(item, e)
	if z.comments && !item.info.IsDir() {
		if e.Comment, err = z.askComment(fmt.Sprintf("Enter comment for %s:\n", item.name)); err != nil {
			return err
		}
	}
	return w.End(e)
}

func (z *zipCommand) tell(item *zipItem, e *zipfile.Entry) {
	z.total[0] += e.Size
	z.total[1] += e.Packed
	if z.quiet {
		return
	}
	word := "  adding"
	if item.entry != nil {
		word = "updating"
	}
	fmt.Fprintf(z.messages, "%s: %s", word, item.name)
	if z.verbose {
		fmt.Fprintf(z.messages, "\t(in=%d) (out=%d)", e.Size, e.Packed)
	}
	if e.Method == zipfile.Store {
		fmt.Fprint(z.messages, " (stored 0%)\n")
		return
	}
	fmt.Fprintf(z.messages, " (deflated %d%%)\n", percent(savings(e.Size, e.Packed)))
}

// pack writes a member's header and data. With small, stored says that the data
// is still to be written as it is.
func (z *zipCommand) pack(w *zipfile.Writer, e *zipfile.Entry, data io.Reader, small bool) (stored bool, err error) {
	if err := w.Begin(e); err != nil {
		return false, err
	}
	p := zipfile.NewPacker(w, e, max(z.level, 1), small)
	if err := copyBlocks(z.ctx, p, data); err != nil {
		return false, err
	}
	if err := p.Close(); err != nil {
		return false, err
	}
	if e.Method == zipfile.Store && (z.level == 0 || e.System>>28 != 8) {
		e.Attributes = 0 // only what the deflater has seen is judged
	}
	return p.Stored(), nil
}

// data is what a member holds: a link's is its target.
func (z *zipCommand) data(item *zipItem) (io.Reader, func(), error) {
	none := func() {}
	switch {
	case item.info.IsDir():
		return strings.NewReader(""), none, nil
	case item.info.Mode()&fs.ModeSymlink != 0:
		target, err := z.View().Readlink(z.ctx, item.path)
		return strings.NewReader(target), none, err
	case item.path == "-":
		return z.Stdin, none, nil
	}
	file, err := z.View().Open(z.ctx, item.path, vfs.O_RDONLY, 0)
	if err != nil {
		return nil, none, err
	}
	var in io.Reader = file
	if z.lines != 0 {
		in = newLineEnds(file, z.lines == 'l')
	}
	return in, func() { file.Close() }, nil
}

func (z *zipCommand) entry(item *zipItem) *zipfile.Entry {
	e := &zipfile.Entry{Name: item.name, MadeBy: zipfile.MadeByUnix<<8 | 30, Needs: 10}
	mode := filemode.Raw(item.info.Mode())
	if item.path == "-" {
		mode = 0o010600
	}
	e.System = mode << 16
	if item.info.IsDir() {
		e.System |= 0x10
	}
	if !item.info.IsDir() && item.info.Mode()&fs.ModeSymlink == 0 && z.level > 0 && !z.stored(item.name) && (item.info.Bytes > 0 || item.path == "-") {
		e.Method, e.Needs = zipfile.Deflate, 20
		switch {
		case z.level >= 8:
			e.Flags = 2
		case z.level <= 2:
			e.Flags = 4
		}
	}
	when := item.info.Modified
	e.SetModified(when, when.In(z.location()), !z.plain)
	if !z.plain && item.path != "-" {
		info := z.View().Identity()
		uid, gid := item.info.UID, item.info.GID
		if uid < 0 {
			uid, gid = info.UID, info.GID
		}
		e.SetOwner(uint32(uid), uint32(gid))
	}
	return e
}

// stored reports a name with a suffix of -n, or one of what is packed already.
func (z *zipCommand) stored(name string) bool {
	suffixes := z.suffixes
	if suffixes == nil {
		suffixes = []string{".Z", ".zip", ".zoo", ".arc", ".lzh", ".arj"}
	}
	for _, s := range suffixes {
		if len(name) > len(s) && strings.EqualFold(name[len(name)-len(s):], s) {
			return true
		}
	}
	return false
}

// askComment reads a comment from standard input: lines up to a point or the end.
func (z *zipCommand) askComment(question string) (string, error) {
	fmt.Fprint(z.messages, question)
	if z.answers == nil {
		z.answers = bufio.NewReaderSize(z.Stdin, 4096)
	}
	var text []string
	for size := 0; size < 1<<16; {
		line, err := z.answers.ReadString('\n')
		line = strings.TrimSuffix(line, "\n")
		if line == "." || err != nil && line == "" {
			break
		}
		text = append(text, line)
		size += len(line) + 2
		if err != nil || strings.HasPrefix(question, "Enter") {
			break
		}
	}
	return strings.Join(text, "\r\n"), nil
}

// after is what follows once the archive stands: -T, -m and -o.
func (z *zipCommand) after(name string) error {
	if z.test {
		if err := z.check(name); err != nil {
			return err
		}
	}
	if z.latest {
		if err := z.stamp(name); err != nil {
			return err
		}
	}
	if z.move {
		if err := z.remove(); err != nil {
			return err
		}
	}
	if z.status != 0 {
		return command.ExitError(z.status)
	}
	return nil
}

func (z *zipCommand) ended(err error) error {
	if err == nil && z.status != 0 {
		return command.ExitError(z.status)
	}
	return err
}

// check is -T: every member is unpacked.
func (z *zipCommand) check(name string) error {
	u := &unzipCommand{call: &call{Invocation: z.Invocation, ctx: z.ctx, program: z.program, out: bufio.NewWriter(io.Discard)}, mode: 't', quiet: 2}
	file, _, err := u.find(name)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if u.archive, err = zipfile.Read(file, info.Bytes, z.Host().Charge); err == nil {
		err = u.extract()
	}
	var exit command.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err
	}
	if err != nil || u.status != 0 {
		fmt.Fprintf(z.messages, "test of %s FAILED\n", name)
		return z.errorf(8, "Zip file invalid, could not spawn unzip, or wrong unzip (original files unmodified)")
	}
	if !z.quiet {
		fmt.Fprintf(z.messages, "test of %s OK\n", name)
	}
	return nil
}

func (z *zipCommand) stamp(name string) error {
	var latest time.Time
	for _, item := range z.items {
		when := time.Time{}
		switch {
		case item.gone:
		case item.info != nil:
			when = item.info.Modified
		default:
			when = item.entry.Modified()
		}
		if when.After(latest) {
			latest = when
		}
	}
	return z.View().Chtimes(z.ctx, name, latest, latest, true)
}

// remove is -m: the files go, and directories that are empty then.
func (z *zipCommand) remove() error {
	for i := len(z.items) - 1; i >= 0; i-- {
		item := z.items[i]
		if item.info == nil || item.path == "-" || item.gone {
			continue
		}
		var err error
		if item.info.IsDir() {
			z.View().Rmdir(z.ctx, item.path) // what still holds something stays
		} else {
			err = z.View().Unlink(z.ctx, item.path)
		}
		if z.ends(err) {
			return err
		}
		if err != nil {
			z.warning("could not delete: %s", item.path)
		}
	}
	return nil
}

// lineEnds reads with line ends changed.
type lineEnds struct {
	in     *bufio.Reader
	toCRLF bool
	spare  []byte
}

func newLineEnds(r io.Reader, toCRLF bool) *lineEnds {
	return &lineEnds{in: bufio.NewReaderSize(r, 32<<10), toCRLF: toCRLF}
}

func (l *lineEnds) Read(p []byte) (int, error) {
	n := copy(p, l.spare)
	l.spare = l.spare[n:]
	for n < len(p) {
		c, err := l.in.ReadByte()
		if err != nil {
			if n > 0 {
				return n, nil
			}
			return 0, err
		}
		if l.toCRLF && c == '\n' {
			p[n] = '\r'
			if n++; n == len(p) {
				l.spare = []byte{'\n'}
				return n, nil
			}
		}
		if !l.toCRLF && c == '\r' {
			if next, err := l.in.Peek(1); err == nil && next[0] == '\n' {
				continue
			}
		}
		p[n] = c
		n++
	}
	return n, nil
}
