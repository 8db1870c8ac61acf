package builtins

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/vfs"
)

// sortSegment is the size of the pieces that text is read into. A line never
// crosses two of them; a longer one has a piece of its own that stands for
// several.
const sortSegment = 4 << 20

// sortText is all lines, addressed by 32 bits: piece and offset in it. Neither
// it nor its records hold pointers that a collector would have to follow.
type sortText struct {
	*sortCommand
	segments [][]byte
	used     int   // of the last segment
	count    int   // of lines
	charged  int64 // to the budget
	inexact  atomic.Bool
}

// sortRecord is one line. Records of equal keys stay in the order of at.
type sortRecord struct {
	first  uint64 // sortComparer.first
	at     uint32
	length uint32
}

func (t *sortText) line(r *sortRecord) []byte {
	i := min(r.at/sortSegment, uint32(len(t.segments)-1))
	for t.segments[i] == nil {
		i--
	}
	offset := r.at - i*sortSegment
	return t.segments[i][offset : offset+r.length+1][:r.length]
}

func (t *sortText) charge(n int64) error {
	if err := t.Host().Charge(n); err != nil {
		return err
	}
	t.charged += n
	return nil
}

func (t *sortText) close() { t.Host().Release(t.charged) }

// room makes the last segment have free space, and keeps the line that is being
// read, its last n bytes, whole.
func (t *sortText) room(n int) error {
	last := len(t.segments) - 1
	size := 64 << 10
	if last >= 0 {
		switch length := len(t.segments[last]); {
		case t.used < length:
			return nil
		case length < sortSegment:
			// The first segment grows, so that little input takes little memory.
			return t.regrow(last, 4*length, t.used)
		case n == t.used:
			// A line longer than its segment.
			return t.regrow(last, 2*length, t.used)
		}
		size = max(sortSegment, (n/sortSegment+1)*sortSegment)
	}
	if err := t.charge(int64(size)); err != nil {
		return err
	}
	next := make([]byte, size)
	if last >= 0 {
		copy(next, t.segments[last][t.used-n:t.used])
		t.segments[last] = t.segments[last][:t.used-n]
		for size := len(t.segments[last]); size > sortSegment; size -= sortSegment {
			t.segments = append(t.segments, nil)
		}
	}
	t.segments = append(t.segments, next)
	t.used = n
	if len(t.segments) >= 1<<32/sortSegment {
		return vfs.ENOMEM
	}
	return nil
}

func (t *sortText) regrow(i, size, used int) error {
	if err := t.charge(int64(size - len(t.segments[i]))); err != nil {
		return err
	}
	grown := make([]byte, size)
	copy(grown, t.segments[i][:used])
	t.segments[i] = grown
	return nil
}

// read adds the lines of r; the last gets the end it lacks.
func (t *sortText) read(r io.Reader) error {
	partial := 0 // bytes of the line that is being read
	for {
		if err := t.room(partial); err != nil {
			return err
		}
		last := t.segments[len(t.segments)-1]
		n, err := r.Read(last[t.used:])
		fresh := last[t.used : t.used+n]
		t.used += n
		if lines := bytes.Count(fresh, []byte{t.end}); lines > 0 {
			t.count += lines
			partial = n - bytes.LastIndexByte(fresh, t.end) - 1
		} else {
			partial += n
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if err := t.ctx.Err(); err != nil {
			return err
		}
	}
	if partial > 0 {
		if err := t.room(partial); err != nil {
			return err
		}
		t.segments[len(t.segments)-1][t.used] = t.end
		t.used++
		t.count++
	}
	return nil
}

// records lists the lines, in as many equal parts as there are processors, each
// sorted.
func (t *sortText) records() ([][]sortRecord, error) {
	if len(t.segments) > 0 {
		last := len(t.segments) - 1
		t.segments[last] = t.segments[last][:t.used]
	}
	if err := t.charge(int64(t.count) * 16); err != nil {
		return nil, err
	}
	all := make([]sortRecord, 0, t.count)
	var common []byte // what all lines begin with
	for i, s := range t.segments {
		for start := 0; start < len(s); {
			length := bytes.IndexByte(s[start:], t.end)
			if line := s[start : start+length]; len(all) == 0 {
				common = line
			} else if !bytes.HasPrefix(line, common) {
				common = common[:commonPrefix(line, common)]
			}
			all = append(all, sortRecord{at: uint32(i*sortSegment + start), length: uint32(length)})
			start += length + 1
		}
	}
	t.common = len(common)
	parts := 1
	if len(all) > 10000 {
		parts = min(runtime.GOMAXPROCS(0), 8)
	}
	runs := make([][]sortRecord, parts)
	var wait, prepared sync.WaitGroup
	prepared.Add(parts)
	for i := range runs {
		runs[i] = all[len(all)*i/parts : len(all)*(i+1)/parts]
		if i > 0 {
			wait.Add(1)
			go func() {
				defer wait.Done()
				t.prepareRecords(runs[i])
				prepared.Done()
				prepared.Wait()
				t.sortRecords(runs[i])
			}()
		}
	}
	t.prepareRecords(runs[0])
	prepared.Done()
	prepared.Wait()
	t.sortRecords(runs[0])
	wait.Wait()
	return runs, t.ctx.Err()
}

// prepareRecords gives the records their first keys.
func (t *sortText) prepareRecords(records []sortRecord) {
	c := t.comparer()
	exact := true
	for i := range records {
		var e bool
		records[i].first, e = c.first(t.line(&records[i]))
		exact = exact && e
	}
	if !exact {
		t.inexact.Store(true)
	}
}

// recordComparer compares records once all have been prepared.
func (t *sortText) recordComparer() *sortComparer {
	c := t.comparer()
	if !t.inexact.Load() && len(t.keys) > 0 {
		c.skip = 1
	}
	return c
}

func (t *sortText) sortRecords(records []sortRecord) {
	c := t.recordComparer()
	if len(t.keys) == 0 {
		t.sortWhole(c, records, t.common)
		return
	}
	slices.SortFunc(records, func(a, b sortRecord) int { return t.compareRecords(c, &a, &b) })
}

const (
	// sortFew is how many lines are not worth another eight bytes each.
	sortFew = 16
	// sortDeep is after how many bytes lines are compared as they are.
	sortDeep = 64
)

// sortWhole sorts by whole lines, of which first holds the eight bytes at depth:
// by numbers first, then each group of equal ones by the eight bytes that
// follow. Comparing the lines themselves would wait for memory each time.
func (t *sortText) sortWhole(c *sortComparer, records []sortRecord, depth int) {
	slices.SortFunc(records, func(a, b sortRecord) int {
		if a.first != b.first {
			return cmp.Compare(a.first, b.first)
		}
		return cmp.Compare(a.at, b.at)
	})
	for len(records) > 0 && t.ctx.Err() == nil {
		first, n := records[0].first, 1
		for n < len(records) && records[n].first == first {
			n++
		}
		group := records[:n]
		records = records[n:]
		if n <= sortFew || depth-t.common >= sortDeep {
			if n > 1 {
				slices.SortFunc(group, func(a, b sortRecord) int { return t.compareRecords(c, &a, &b) })
			}
			continue
		}
		for i := range group {
			line := t.line(&group[i])
			group[i].first = textPrefix(line[min(depth+8, len(line)):])
			if t.reverse {
				group[i].first = ^group[i].first
			}
		}
		t.sortWhole(c, group, depth+8)
		for i := range group {
			group[i].first = first
		}
	}
}

// commonPrefix is how many bytes both begin with.
func commonPrefix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func (t *sortText) compareRecords(c *sortComparer, a, b *sortRecord) int {
	if a.first != b.first {
		if a.first < b.first {
			return -1
		}
		return 1
	}
	if order := c.compare(t.line(a), t.line(b)); order != 0 {
		return order
	}
	return cmp.Compare(a.at, b.at)
}

// sort reads, sorts and writes.
func (s *sortCommand) sort() error {
	out, err := s.openOutput()
	if err != nil {
		return err
	}
	defer out.close()
	if s.merge {
		return s.mergeFiles(out)
	}
	t := &sortText{sortCommand: s}
	defer t.close()
	for _, f := range s.files {
		r, done, err := s.open(f.name)
		if err != nil {
			return s.readFailed("open failed", f.name, err)
		}
		err = t.read(r)
		done()
		if err != nil {
			if vfs.Errno(err) == 0 {
				return err
			}
			return s.readFailed("read failed", f.name, err)
		}
	}
	runs, err := t.records()
	if err != nil {
		return err
	}
	if err := out.start(); err != nil {
		return err
	}
	if err := t.write(runs, out); err != nil {
		return err
	}
	return out.finish()
}

// write merges the sorted parts.
func (t *sortText) write(runs [][]sortRecord, out *sortOutput) error {
	c, whole := t.recordComparer(), t.comparer()
	var last []byte
	some := false
	for n := 0; ; n++ {
		if n&0xffff == 0xffff {
			if err := t.ctx.Err(); err != nil {
				return err
			}
		}
		best := -1
		for i := range runs {
			if len(runs[i]) > 0 && (best < 0 || t.compareRecords(c, &runs[i][0], &runs[best][0]) < 0) {
				best = i
			}
		}
		if best < 0 {
			return nil
		}
		r := &runs[best][0]
		runs[best] = runs[best][1:]
		line := t.line(r)
		if t.unique {
			if some && whole.compare(last, line) == 0 {
				continue
			}
			last, some = line, true
		}
		if err := out.line(line); err != nil {
			return err
		}
	}
}

// sortOutput is stdout or the file of -o, which is emptied only once all input
// has been read.
type sortOutput struct {
	*sortCommand
	file  vfs.File
	name  string
	block []byte
	total int64
}

// sortStdioBuffer is how much GNU's sort holds back: where less fails to be
// written, its words are others.
const sortStdioBuffer = 4096

func (s *sortCommand) openOutput() (*sortOutput, error) {
	o := &sortOutput{sortCommand: s, name: "standard output"}
	if s.written {
		f, err := s.View().Open(s.ctx, s.output, vfs.O_WRONLY|vfs.O_CREATE, 0o666)
		if err != nil {
			return nil, s.fatalf("open failed: %s: %s", quoteFile(s.output), vfs.Words(err))
		}
		o.file, o.name = f, s.output
	}
	return o, nil
}

func (o *sortOutput) start() error {
	o.block = make([]byte, 0, lines.BlockSize)
	if o.file != nil {
		if err := o.file.Truncate(0); err != nil && !errors.Is(err, vfs.EINVAL) {
			return o.failed(err)
		}
	}
	return nil
}

// line writes a line and its end.
func (o *sortOutput) line(line []byte) error {
	if o.debug {
		return o.writeMarked(line)
	}
	if err := o.write(line); err != nil {
		return err
	}
	return o.write([]byte{o.end})
}

func (o *sortOutput) write(p []byte) error {
	if len(o.block)+len(p) > cap(o.block) {
		if err := o.flush(); err != nil {
			return err
		}
		if len(p) > cap(o.block) {
			return o.put(p)
		}
	}
	o.block = append(o.block, p...)
	return nil
}

func (o *sortOutput) flush() error {
	if len(o.block) == 0 {
		return nil
	}
	p := o.block
	o.block = o.block[:0]
	return o.put(p)
}

func (o *sortOutput) put(p []byte) error {
	w := io.Writer(o.file)
	if o.file == nil {
		w = o.Stdout
	}
	o.total += int64(len(p))
	if _, err := w.Write(p); err != nil {
		return o.failed(err)
	}
	return nil
}

func (o *sortOutput) failed(err error) error {
	if o.ends(err) {
		return err
	}
	what := "write failed"
	if o.total <= sortStdioBuffer {
		what = "fflush failed"
	}
	o.errorf("%s: %s: %s", what, quoteFile(o.name), vfs.Words(err))
	return o.writeFailed(err)
}

func (o *sortOutput) finish() error {
	if err := o.flush(); err != nil {
		return err
	}
	if o.file != nil {
		f := o.file
		o.file = nil
		if err := f.Close(); err != nil {
			return o.fatalf("close failed: %s: %s", quoteFile(o.name), vfs.Words(err))
		}
	}
	return nil
}

func (o *sortOutput) close() {
	if o.file != nil {
		o.file.Close()
	}
}

// sortSource is one file of a merge with its current line.
type sortSource struct {
	name string
	in   *lines.Reader
	line []byte
	done func()
}

// mergeFiles is -m.
func (s *sortCommand) mergeFiles(out *sortOutput) error {
	var sources []*sortSource
	defer func() {
		for _, f := range sources {
			f.in.Close()
			f.done()
		}
	}()
	var target *vfs.Info
	if out.file != nil {
		target, _ = out.file.Stat()
	}
	for _, f := range s.files {
		r, done, err := s.open(f.name)
		if err != nil {
			return s.readFailed("open failed", f.name, err)
		}
		if info := statStream(r); info != nil && target != nil && vfs.SameFile(info, target) {
			// The output would overwrite what is yet to be read.
			copied := blockQueue{charger: s.Host(), delim: s.end}
			defer copied.close()
			err = copied.readAll(s.call, r)
			r = copied.reader()
			if err != nil {
				done()
				return s.readFailed("read failed", f.name, err)
			}
		}
		source := &sortSource{name: f.name, in: lines.NewReader(r, s.Host()), done: done}
		source.in.Delim = s.end
		sources = append(sources, source)
	}
	if err := out.start(); err != nil {
		return err
	}
	live := slices.Clone(sources)
	for i := 0; i < len(live); {
		more, err := s.advance(live[i])
		if err != nil {
			return err
		}
		if more {
			i++
		} else {
			live = slices.Delete(live, i, i+1)
		}
	}
	c := s.comparer()
	var last []byte
	some := false
	for n := 0; len(live) > 0; n++ {
		if n&0xfff == 0xfff {
			if err := s.ctx.Err(); err != nil {
				return err
			}
		}
		best := 0
		for i := 1; i < len(live); i++ {
			if c.compare(live[i].line, live[best].line) < 0 {
				best = i
			}
		}
		line := live[best].line
		if !s.unique || !some || c.compare(last, line) != 0 {
			if err := out.line(line); err != nil {
				return err
			}
		}
		if s.unique {
			last, some = append(last[:0], line...), true
		}
		more, err := s.advance(live[best])
		if err != nil {
			return err
		}
		if !more {
			live = slices.Delete(live, best, best+1)
		}
	}
	return out.finish()
}

func (s *sortCommand) advance(f *sortSource) (bool, error) {
	line, err := f.in.Next()
	if err == io.EOF {
		return false, nil
	}
	if err != nil {
		return false, s.readFailed("read failed", f.name, err)
	}
	f.line = bytes.TrimSuffix(line, []byte{s.end})
	return true, nil
}
