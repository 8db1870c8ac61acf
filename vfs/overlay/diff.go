package overlay

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"

	"github.com/vsh-project/vsh/internal/diff"
	"github.com/vsh-project/vsh/vfs"
)

// diffLimit bounds the bytes of one file that Diff compares or encodes.
const diffLimit = 256 << 20

// Diff writes the changes as a patch for git apply, in path order: text as
// unified hunks with three lines of context, other content as binary literals,
// symbolic links as git has them. What git does not know is not told: empty
// directories, named pipes, and modes but for the executable bit.
func (s *Storage) Diff(ctx context.Context, w io.Writer) error {
	return s.fs.behindGate(ctx, func() error {
		all, err := s.fs.scan(ctx)
		if err != nil {
			return err
		}
		for _, c := range all {
			if err := s.fs.diffOne(ctx, w, c); err != nil {
				var write *writeError
				if errors.As(err, &write) {
					return write.err
				}
				return &fs.PathError{Op: "diff", Path: c.Path, Err: err}
			}
		}
		return nil
	})
}

// writeError keeps the reader's end of the patch apart from a file's trouble.
type writeError struct{ err error }

func (e *writeError) Error() string { return e.err.Error() }

// gitMode is a mode as git writes it; 0 for what it does not track.
func gitMode(mode fs.FileMode) int {
	switch {
	case mode&fs.ModeSymlink != 0:
		return 0o120000
	case !mode.IsRegular():
		return 0
	case mode&0o100 != 0:
		return 0o100755
	}
	return 0o100644
}

func (f *filesystem) diffOne(ctx context.Context, w io.Writer, c Change) error {
	before, after := 0, 0
	from := c.Path
	if c.Kind != Added {
		before = gitMode(c.OldMode)
	}
	if c.Kind != Removed {
		after = gitMode(c.Mode)
	}
	if c.Kind == Renamed {
		from = c.From
	}
	if c.Kind == touched || before == 0 && after == 0 || c.Kind == ModeChanged && before == after {
		return nil
	}
	var old, now []byte
	defer func() { f.pay(-int64(cap(old)) - int64(cap(now))) }()
	var err error
	if before != 0 {
		if old, err = f.contentBelow(ctx, from, c.OldMode, c.OldSize); err != nil {
			return err
		}
	}
	if after != 0 {
		if now, err = f.contentHere(ctx, c.Path, c.Mode, c.Size); err != nil {
			return err
		}
	}
	var b bytes.Buffer
	oldName, newName := gitName("a", from), gitName("b", c.Path)
	fmt.Fprintf(&b, "diff --git %s %s\n", oldName, newName)
	switch {
	case before == 0:
		fmt.Fprintf(&b, "new file mode %06o\n", after)
	case after == 0:
		fmt.Fprintf(&b, "deleted file mode %06o\n", before)
	case before != after:
		fmt.Fprintf(&b, "old mode %06o\nnew mode %06o\n", before, after)
	}
	same := before != 0 && after != 0 && bytes.Equal(old, now)
	if c.Kind == Renamed {
		index := 50
		if same {
			index = 100
		}
		fmt.Fprintf(&b, "similarity index %d%%\nrename from %s\nrename to %s\n", index, gitName("", from), gitName("", c.Path))
	}
	if !same {
		fmt.Fprintf(&b, "index %s..%s", blobName(old, before != 0), blobName(now, after != 0))
		if before == after {
			fmt.Fprintf(&b, " %06o", after)
		}
		b.WriteByte('\n')
		if err := hunks(ctx, &b, old, now, labels(oldName, newName, before, after)); err != nil {
			return err
		}
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return &writeError{err}
	}
	return nil
}

// pay charges the budget for what is held while a file is compared.
func (f *filesystem) pay(n int64) error {
	switch {
	case f.options.Budget == nil:
	case n < 0:
		f.options.Budget.Release(-n)
	default:
		return f.options.Budget.Charge(n)
	}
	return nil
}

func (f *filesystem) contentBelow(ctx context.Context, p string, mode fs.FileMode, size int64) ([]byte, error) {
	if mode&fs.ModeSymlink != 0 {
		target, err := f.lower.Readlink(ctx, p)
		return f.paid([]byte(target)), err
	}
	file, err := f.lower.Open(ctx, p, vfs.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return f.slurp(file, size)
}

func (f *filesystem) contentHere(ctx context.Context, p string, mode fs.FileMode, size int64) ([]byte, error) {
	if mode&fs.ModeSymlink != 0 {
		target, err := f.Readlink(ctx, p)
		return f.paid([]byte(target)), err
	}
	file, err := f.openRead(ctx, p)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return f.slurp(file, size)
}

// paid charges for a link's target, which is too short to be refused.
func (f *filesystem) paid(b []byte) []byte {
	if f.pay(int64(cap(b))) != nil {
		return nil
	}
	return b
}

func (f *filesystem) slurp(file vfs.File, size int64) ([]byte, error) {
	if size > diffLimit {
		return nil, vfs.EFBIG
	}
	if err := f.pay(size); err != nil {
		return nil, &noSpace{err}
	}
	b := make([]byte, size)
	n, err := io.ReadFull(file, b)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	if err != nil {
		f.pay(-size)
		return nil, err
	}
	return b[:n], nil
}

// blobName is git's name of a content; zeros for none.
func blobName(b []byte, there bool) string {
	if !there {
		return "0000000000000000000000000000000000000000"
	}
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(b))
	h.Write(b)
	return fmt.Sprintf("%x", h.Sum(nil))
}

// gitName is a path as git writes it: without the leading slash, quoted like C
// where it holds control characters, quotes, backslashes or bytes above 127.
func gitName(prefix, p string) string {
	name := p[1:]
	if prefix != "" {
		name = prefix + p
	}
	quote := false
	for i := range len(name) {
		c := name[i]
		quote = quote || c < ' ' || c >= 127 || c == '"' || c == '\\'
	}
	if !quote {
		return name
	}
	b := []byte{'"'}
	for i := range len(name) {
		switch c := name[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c < ' ' || c >= 127:
			b = append(b, fmt.Sprintf(`\%03o`, c)...)
		default:
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}

// labels are the two lines above the hunks. A name with a space is ended by a
// tab, which tells it from a time.
func labels(oldName, newName string, before, after int) string {
	label := func(name string, there bool) string {
		if !there {
			return "/dev/null"
		}
		if bytes.IndexByte([]byte(name), ' ') >= 0 {
			return name + "\t"
		}
		return name
	}
	return fmt.Sprintf("--- %s\n+++ %s\n", label(oldName, before != 0), label(newName, after != 0))
}

// hunks writes what differs, as text or, as git decides, as binary.
func hunks(ctx context.Context, b *bytes.Buffer, old, now []byte, labels string) error {
	if isBinary(old) || isBinary(now) {
		b.WriteString("GIT binary patch\n")
		literal(b, now)
		literal(b, old)
		return nil
	}
	if bytes.Equal(old, now) {
		return nil // an empty file made or removed
	}
	b.WriteString(labels)
	x, y := splitLines(old), splitLines(now)
	numbers := map[string]int32{}
	const context = 3
	edits, err := diff.Compare(ctx, number(x, numbers), number(y, numbers), diff.Options{Horizon: context})
	if err != nil {
		return err
	}
	for len(edits) > 0 {
		n := 1
		for n < len(edits) && edits[n].A-(edits[n-1].A+edits[n-1].ALen) <= 2*context {
			n++
		}
		hunk(b, x, y, edits[:n], context)
		edits = edits[n:]
	}
	return nil
}

// isBinary is git's rule: a NUL in the first 8000 bytes.
func isBinary(b []byte) bool { return bytes.IndexByte(b[:min(len(b), 8000)], 0) >= 0 }

func splitLines(b []byte) [][]byte {
	lines := bytes.SplitAfter(b, []byte("\n"))
	if len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func number(lines [][]byte, numbers map[string]int32) []int32 {
	list := make([]int32, len(lines))
	for i, line := range lines {
		n, ok := numbers[string(line)]
		if !ok {
			n = int32(len(numbers))
			numbers[string(line)] = n
		}
		list[i] = n
	}
	return list
}

func hunk(b *bytes.Buffer, x, y [][]byte, edits []diff.Edit, context int) {
	first, last := edits[0], edits[len(edits)-1]
	lead := min(context, first.A)
	startA, startB := first.A-lead, first.B-lead
	endA := min(len(x), last.A+last.ALen+context)
	endB := last.B + last.BLen + endA - (last.A + last.ALen)
	b.WriteString("@@ -" + span(startA, endA) + " +" + span(startB, endB) + " @@\n")
	at := startA
	for _, e := range edits {
		for ; at < e.A; at++ {
			line(b, ' ', x[at])
		}
		for ; at < e.A+e.ALen; at++ {
			line(b, '-', x[at])
		}
		for _, added := range y[e.B : e.B+e.BLen] {
			line(b, '+', added)
		}
	}
	for ; at < endA; at++ {
		line(b, ' ', x[at])
	}
}

// span is a hunk's range: a start that counts from 1 (one less for none) and a
// length that is left out when it is 1.
func span(start, end int) string {
	if end == start {
		return strconv.Itoa(start) + ",0"
	}
	if end == start+1 {
		return strconv.Itoa(end)
	}
	return strconv.Itoa(start+1) + "," + strconv.Itoa(end-start)
}

func line(b *bytes.Buffer, mark byte, text []byte) {
	b.WriteByte(mark)
	b.Write(text)
	if !bytes.HasSuffix(text, []byte("\n")) {
		b.WriteString("\n\\ No newline at end of file\n")
	}
}

// literal writes a content deflated in git's base 85, 52 bytes a line.
func literal(b *bytes.Buffer, content []byte) {
	fmt.Fprintf(b, "literal %d\n", len(content))
	var deflated bytes.Buffer
	z := zlib.NewWriter(&deflated)
	z.Write(content)
	z.Close()
	const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
	for deflated.Len() > 0 {
		row := deflated.Next(52)
		if len(row) <= 26 {
			b.WriteByte(byte('A' + len(row) - 1))
		} else {
			b.WriteByte(byte('a' + len(row) - 27))
		}
		for len(row) > 0 {
			var group [4]byte
			row = row[copy(group[:], row):]
			n := uint32(group[0])<<24 | uint32(group[1])<<16 | uint32(group[2])<<8 | uint32(group[3])
			var digits [5]byte
			for i := 4; i >= 0; i-- {
				digits[i] = alphabet[n%85]
				n /= 85
			}
			b.Write(digits[:])
		}
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
}
