package builtins

import (
	"bytes"
	"io"
	"math"
	"strings"
	"time"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/vfs"
)

// tailCommand is one run of tail.
type tailCommand struct {
	*call
	bytes     bool // count bytes, not lines
	fromStart bool
	count     uint64
	delim     byte
	headers   bool
	lastName  *tailFile // whose header was printed last

	follow   bool
	byName   bool
	retry    bool
	interval time.Duration
	pids     []int
}

// tailFile is one operand.
type tailFile struct {
	name   string
	r      io.Reader
	done   func()
	info   *vfs.Info // of what is open, nil for a pipe
	broken bool      // could not be opened, or is gone
	given  bool      // given up
}

// Keys of options without a letter.
const (
	tailKeyPID = 256 + iota
	tailKeyRetry
	tailKeyUnchanged
	tailKeyIgnored
	tailKeyFollow
)

func tailRun(c *call) error {
	t := &tailCommand{call: c, count: 10, delim: '\n', interval: time.Second}
	header := byte('a')
	if err := t.obsolete(); err != nil {
		return err
	}
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'q', 'v':
			header = byte(p.Key)
			return nil
		}
		return t.option(p)
	})
	if err != nil {
		return err
	}
	t.check()
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	if t.follow && t.byName {
		for _, name := range operands {
			if name == "-" {
				return c.fatalf("cannot follow %s by name", quoteName("-"))
			}
		}
	}
	if t.fromStart && t.count > 0 {
		t.count--
	} else if t.count == 0 && !t.follow && !t.fromStart {
		return nil
	}
	t.headers = header == 'v' || header == 'a' && len(operands) > 1
	files := make([]*tailFile, len(operands))
	for i, name := range operands {
		files[i] = &tailFile{name: name}
	}
	defer func() {
		for _, f := range files {
			f.close()
		}
	}()
	for _, f := range files {
		if err := t.file(f); err != nil {
			return err
		}
		if !t.follow {
			f.close()
		}
	}
	if t.follow {
		return t.followFiles(files)
	}
	return nil
}

func (t *tailCommand) option(p *getopt.Parser) error {
	var err error
	switch p.Key {
	case 'c', 'n':
		return t.amount(p.Value, p.Key == 'c')
	case 'f':
		t.follow, t.byName = true, false
	case tailKeyFollow:
		t.follow, t.byName = true, false
		if p.HasValue {
			var i int
			i, err = t.argumentMatch("--follow", p.Value, []string{"descriptor", "name"}, nil)
			t.byName = i == 1
		}
	case 'F':
		t.follow, t.byName, t.retry = true, true, true
	case tailKeyRetry:
		t.retry = true
	case tailKeyPID:
		var n uint64
		n, err = t.number(p.Value, 0, math.MaxInt32, "", "invalid PID")
		t.pids = append(t.pids, int(n))
	case tailKeyUnchanged:
		_, err = t.number(p.Value, 0, math.MaxUint64, "", "invalid maximum number of unchanged stats between opens")
	case 's':
		d, ok := parseSeconds(p.Value)
		if !ok {
			return t.fatalf("invalid number of seconds: %s", quote(p.Value))
		}
		t.interval = d
	case 'z':
		t.delim = 0
	case tailKeyIgnored:
	default:
		return t.fatalf("option used in invalid context -- %c", p.Key)
	}
	return err
}

// check warns of options that have no effect without others.
func (t *tailCommand) check() {
	if t.retry {
		if !t.follow {
			t.retry = false
			t.warnf("warning: --retry ignored; --retry is useful only when following")
		} else if !t.byName {
			t.warnf("warning: --retry only effective for the initial open")
		}
	}
	if len(t.pids) > 0 && !t.follow {
		t.warnf("warning: PID ignored; --pid=PID is useful only when following")
	}
}

func (t *tailCommand) amount(value string, bytes bool) error {
	t.bytes = bytes
	if strings.HasPrefix(value, "+") {
		t.fromStart = true
	} else {
		value = strings.TrimPrefix(value, "-")
	}
	what := "invalid number of lines"
	if bytes {
		what = "invalid number of bytes"
	}
	n, err := t.number(value, 0, math.MaxUint64, "bkKmMGTPEZY0", what)
	t.count = n
	return err
}

// obsolete takes a first argument like -5, +5c, -2bf away, where one file at
// most follows.
func (t *tailCommand) obsolete() error {
	args := t.Arguments
	switch {
	case len(args) == 1:
	case len(args) == 2 && (len(args[1]) < 2 || args[1][0] != '-'):
	case (len(args) == 2 || len(args) == 3) && args[1] == "--":
	default:
		return nil
	}
	arg := args[0]
	if len(arg) < 2 || arg[0] != '+' && arg[0] != '-' || arg == "-c" {
		return nil
	}
	end := 1
	for end < len(arg) && arg[end] >= '0' && arg[end] <= '9' {
		end++
	}
	digits, rest := arg[1:end], arg[end:]
	n, bytes, follow := uint64(10), false, false
	if rest != "" {
		switch rest[0] {
		case 'b':
			n, bytes, rest = 5120, true, rest[1:]
			if digits != "" {
				digits += "b"
			}
		case 'c':
			bytes, rest = true, rest[1:]
		case 'l':
			rest = rest[1:]
		}
	}
	if rest == "f" {
		follow, rest = true, ""
	}
	if rest != "" {
		return nil
	}
	if digits != "" {
		var status numberError
		if n, status = parseNumber(digits, "b"); status != numberOK {
			return t.fatalf("invalid number: %s%s", quote(arg), status.words())
		}
	}
	t.count, t.bytes, t.follow, t.fromStart = n, bytes, follow, arg[0] == '+'
	t.Arguments = args[1:]
	return nil
}

func (f *tailFile) close() {
	if f.done != nil {
		f.done()
		f.done = nil
	}
}

// header writes the file's name where it was not the last one written.
func (t *tailCommand) header(f *tailFile) {
	if !t.headers || t.lastName == f {
		return
	}
	if t.lastName != nil {
		t.out.WriteByte('\n')
	}
	t.lastName = f
	t.out.WriteString("==> " + displayName(f.name) + " <==\n")
}

// file opens an operand and writes its tail.
func (t *tailCommand) file(f *tailFile) error {
	r, done, err := t.open(f.name)
	if err != nil {
		f.broken = true
		f.given = !t.follow || !t.retry
		t.errorf("cannot open %s for reading: %s", quoteName(f.name), vfs.Words(err))
		return nil
	}
	f.r, f.done, f.info = r, done, statStream(r)
	t.header(f)
	err = t.tail(r)
	if err != nil && !t.ends(err) {
		if t.noteClosed(f.name, err); t.stdinClosed {
			t.errorf("cannot fstat %s: %s", quoteName(displayName(f.name)), vfs.Words(err))
			f.given = true
			return nil
		}
		t.errorf("error reading %s: %s", quoteName(displayName(f.name)), vfs.Words(err))
		if t.follow && f.info != nil && f.info.IsDir() {
			t.errorf("%s: cannot follow end of this type of file%s", quoteFile(f.name), map[bool]string{false: "; giving up on this name"}[t.retry])
		}
		f.given = true
		return nil
	}
	return err
}

func (t *tailCommand) tail(r io.Reader) error {
	f, size, offset, regular := regularFile(r)
	switch {
	case t.fromStart && t.bytes:
		return t.skipBytes(r, f, regular)
	case t.fromStart:
		return t.skipLines(r)
	case regular:
		if t.bytes {
			if n := int64(min(t.count, math.MaxInt64)); size-offset > n {
				if _, err := f.Seek(size-n, io.SeekStart); err != nil {
					return err
				}
			}
			return t.copy(r)
		}
		return t.lastLinesOfFile(r, f, size, offset)
	}
	return t.lastOfPipe(r)
}

func (t *tailCommand) skipBytes(r io.Reader, f io.Seeker, regular bool) error {
	if regular {
		if _, err := f.Seek(int64(min(t.count, math.MaxInt64/2)), io.SeekCurrent); err != nil {
			return err
		}
		return t.copy(r)
	}
	block := make([]byte, lines.BlockSize)
	for left := t.count; left > 0; {
		n, err := r.Read(block[:min(left, lines.BlockSize)])
		left -= uint64(n)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := t.ctx.Err(); err != nil {
			return err
		}
	}
	return t.copy(r)
}

func (t *tailCommand) skipLines(r io.Reader) error {
	block := make([]byte, lines.BlockSize)
	for left := t.count; left > 0; {
		n, err := r.Read(block)
		p := block[:n]
		if count := uint64(bytes.Count(p, []byte{t.delim})); count < left {
			left -= count
		} else {
			for ; left > 0; left-- {
				p = p[bytes.IndexByte(p, t.delim)+1:]
			}
			if _, err := t.out.Write(p); err != nil {
				return t.writeError(err)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := t.ctx.Err(); err != nil {
			return err
		}
	}
	return t.copy(r)
}

// lastLinesOfFile reads backwards from the end until it has seen enough lines.
func (t *tailCommand) lastLinesOfFile(r io.Reader, f io.Seeker, size, offset int64) error {
	at, ok := r.(io.ReaderAt)
	if s, file := r.(interface{ File() vfs.File }); file {
		at, ok = s.File(), true
	}
	if !ok {
		return t.lastOfPipe(r)
	}
	if t.count == 0 {
		_, err := f.Seek(0, io.SeekEnd)
		return err
	}
	block := make([]byte, lines.BlockSize)
	left, start := t.count, offset
	last := true
search:
	for end := size; end > offset; {
		from := max(offset, (end-1)/lines.BlockSize*lines.BlockSize)
		p := block[:end-from]
		if n, err := at.ReadAt(p, from); n < len(p) {
			if err != nil && err != io.EOF {
				return err
			}
			p = p[:n]
		}
		if last && len(p) > 0 {
			last = false
			if p[len(p)-1] == t.delim {
				p = p[:len(p)-1]
			}
		}
		if n := uint64(bytes.Count(p, []byte{t.delim})); n < left {
			left -= n
		} else {
			for {
				i := bytes.LastIndexByte(p, t.delim)
				if left--; left == 0 {
					start = from + int64(i) + 1
					break search
				}
				p = p[:i]
			}
		}
		end = from
		if err := t.ctx.Err(); err != nil {
			return err
		}
	}
	if _, err := f.Seek(start, io.SeekStart); err != nil {
		return err
	}
	return t.copy(r)
}

// lastOfPipe holds as much of the end as may be asked for.
func (t *tailCommand) lastOfPipe(r io.Reader) error {
	q := blockQueue{charger: t.Host(), delim: t.delim}
	defer q.close()
	keep := int64(min(t.count, math.MaxInt64))
	block := make([]byte, lines.BlockSize)
	for {
		n, err := r.Read(block)
		if err := q.push(block[:n]); err != nil {
			return err
		}
		for len(q.blocks) > 1 && (t.bytes && q.bytes-int64(len(q.front().text)) >= keep || !t.bytes && q.delims-q.front().delims > keep) {
			q.drop()
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
	if t.bytes {
		return q.write(t.call, max(0, q.bytes-keep), q.bytes)
	}
	return q.write(t.call, q.lastLines(keep), q.bytes)
}

func tailProgram(string) *program {
	return &program{
		stdinClosed: "-",
		usage: `tail [OPTION]... [FILE]...
Print the last 10 lines of each file, or of standard input for none or "-".
Several files are headed by their names.

  -c, --bytes=[+]NUM       the last NUM bytes; with +, from byte NUM on
  -f, --follow[={name|descriptor}]
                           go on with what is appended, until the shell's timeout
  -F                       same as --follow=name --retry
  -n, --lines=[+]NUM       the last NUM lines; with +, from line NUM on
      --max-unchanged-stats=N  accepted, without effect
      --pid=PID            with -f, end after process PID has ended
  -q, --quiet, --silent    no names
      --retry              go on trying to open a file that is missing
  -s, --sleep-interval=N   with --pid, how often to look for the process
  -v, --verbose            always names
  -z, --zero-terminated    lines end in NUL

NUM may end in b (512), kB, K, MB, M, GB, G and so on up to Y, KiB too.`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'c', Long: "bytes", Argument: getopt.Required}, {Key: tailKeyFollow, Long: "follow", Argument: getopt.Optional}, {Key: 'f'},
			{Key: 'F'}, {Key: 'n', Long: "lines", Argument: getopt.Required},
			{Key: tailKeyUnchanged, Long: "max-unchanged-stats", Argument: getopt.Required}, {Key: tailKeyIgnored, Long: "-disable-inotify"},
			{Key: tailKeyPID, Long: "pid", Argument: getopt.Required}, {Key: tailKeyIgnored, Long: "-presume-input-pipe"},
			{Key: 'q', Long: "quiet"}, {Key: tailKeyRetry, Long: "retry"}, {Key: 'q', Long: "silent"},
			{Key: 's', Long: "sleep-interval", Argument: getopt.Required}, {Key: 'v', Long: "verbose"}, {Key: 'z', Long: "zero-terminated"},
			{Key: '0'}, {Key: '1'}, {Key: '2'}, {Key: '3'}, {Key: '4'}, {Key: '5'}, {Key: '6'}, {Key: '7'}, {Key: '8'}, {Key: '9'},
		}},
		run: tailRun,
	}
}
