package builtins

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/vsh-project/vsh/builtins/internal/compress"
	"github.com/vsh-project/vsh/builtins/internal/human"
	"github.com/vsh-project/vsh/builtins/internal/tarformat"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// tarInput reads an archive record by record and hands out its blocks.
type tarInput struct {
	t      *tarCommand
	name   string
	r      io.Reader
	seeker io.Seeker // where blocks can be passed over
	size   int64     // of a file that seeks
	record []byte
	pos    int
	end    int
	// start counts the blocks before the record.
	start  int64
	atEnd  bool
	filter *tarFilter
	file   vfs.File
	// writable says that the file is to be written to as well.
	writable bool
	// tap keeps the blocks taken while tapping.
	tap     []byte
	tapping bool
}

// peek is the next block, nil at the end. It is valid until the next call
// after an advance.
func (in *tarInput) peek() ([]byte, error) {
	if in.pos == in.end {
		if err := in.fill(); err != nil {
			return nil, err
		}
		if in.pos == in.end {
			return nil, nil
		}
	}
	return in.record[in.pos : in.pos+tarformat.BlockSize], nil
}

// advance takes the block that peek shows.
func (in *tarInput) advance() { in.consumed(tarformat.BlockSize) }

// ordinal counts the blocks before the one that peek shows.
func (in *tarInput) ordinal() int64 { return in.start + int64(in.pos/tarformat.BlockSize) }

func (in *tarInput) fill() error {
	if err := in.t.ctx.Err(); err != nil {
		return err
	}
	if in.atEnd {
		return nil
	}
	if err := in.t.checkpointReached("Read"); err != nil {
		return err
	}
	in.start += int64(in.end / tarformat.BlockSize)
	n, err := io.ReadFull(in.r, in.record)
	in.pos, in.end = 0, n/tarformat.BlockSize*tarformat.BlockSize
	in.t.bytesDone += int64(len(in.record))
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		in.atEnd = n == 0 || n < len(in.record)
		return nil
	}
	if err != nil {
		if in.t.ctx.Err() != nil {
			return in.t.ctx.Err()
		}
		in.t.fault("%s: Cannot read: %s", in.t.colonName(in.name), vfs.Words(err))
		if in.start == 0 {
			return in.t.fatal("At beginning of tape, quitting now")
		}
		return in.t.fatal("Too many errors, quitting")
	}
	return nil
}

// chunk is what the record holds of the next size bytes; nil at the end.
func (in *tarInput) chunk(size int64) ([]byte, error) {
	block, err := in.peek()
	if block == nil || err != nil {
		return nil, err
	}
	return in.record[in.pos : in.pos+int(min(int64(in.end-in.pos), size))], nil
}

// consumed takes n bytes of a chunk, and what is left of their last block.
func (in *tarInput) consumed(n int) {
	end := in.pos + (n+tarformat.BlockSize-1)/tarformat.BlockSize*tarformat.BlockSize
	if in.tapping {
		in.tap = append(in.tap, in.record[in.pos:end]...)
	}
	in.pos = end
}

// skip passes over size bytes and the rest of their last block.
func (in *tarInput) skip(size int64) error {
	if size <= 0 {
		return nil
	}
	left := (uint64(size) + tarformat.BlockSize - 1) / tarformat.BlockSize * tarformat.BlockSize
	if short := in.end > 0 && in.end < len(in.record); short && in.seeker != nil && left >= uint64(2*len(in.record)-in.pos) {
		// A seek by whole records from the end of a shorter one.
		return in.t.fatal("rmtlseek not stopped at a record boundary")
	}
	for left > 0 {
		if here := uint64(in.end - in.pos); in.seeker != nil && left > here+uint64(len(in.record)) {
			records := (left - here) / uint64(len(in.record))
			at := uint64(in.start)*tarformat.BlockSize + uint64(in.end) + records*uint64(len(in.record))
			if at > uint64(in.size) {
				return in.t.fatal("Unexpected EOF in archive")
			}
			if _, err := in.seeker.Seek(int64(at), io.SeekStart); err == nil {
				left -= here + records*uint64(len(in.record))
				in.start += int64(in.end/tarformat.BlockSize) + int64(records)*int64(len(in.record)/tarformat.BlockSize)
				in.pos, in.end = 0, 0
				continue
			}
			in.seeker = nil
		}
		block, err := in.chunk(int64(min(left, 1<<62)))
		if err != nil {
			return err
		}
		if block == nil {
			return in.t.fatal("Unexpected EOF in archive")
		}
		in.consumed(len(block))
		left -= uint64(len(block))
	}
	return nil
}

// openInput opens the archive for reading, decompressing where it is
// compressed; writable has it opened for both, uncompressed.
func (t *tarCommand) openInput(writable bool) (*tarInput, error) {
	name := t.archives[0]
	in := &tarInput{t: t, name: name, record: make([]byte, t.blocking*tarformat.BlockSize)}
	if err := t.charge(len(in.record)); err != nil {
		return nil, err
	}
	if name == "-" {
		in.r = t.Stdin
		if f, size, offset, ok := regularFile(t.Stdin); ok && offset == 0 {
			in.seeker, in.size = f, size
		}
	} else {
		flag := vfs.O_RDONLY
		if writable {
			flag = vfs.O_RDWR | vfs.O_CREATE
		}
		f, err := t.View().Open(t.ctx, name, flag, 0o666)
		if writable && vfs.Errno(err) == vfs.EISDIR {
			t.fault("%s: Cannot read: %s", t.colonName(name), vfs.Words(vfs.EBADF))
			return nil, t.fatal("At beginning of tape, quitting now")
		}
		if err != nil {
			return nil, t.fatal("%s: Cannot open: %s", t.colonName(name), vfs.Words(err))
		}
		in.r, in.file, in.writable = f, f, writable
		if info, err := f.Stat(); err == nil && info.FileMode.IsRegular() {
			in.seeker, in.size = f, info.Bytes
		}
	}
	if err := in.detect(); err != nil {
		in.close()
		return nil, err
	}
	return in, nil
}

// detect looks at what the archive begins with.
func (in *tarInput) detect() error {
	t := in.t
	if t.packer != "" {
		return in.unpack(t.packer, false)
	}
	block, err := in.peek()
	if err != nil {
		return err
	}
	if in.writable {
		if block != nil && tarPackerOfBytes(block) != "" {
			return t.usage("Cannot update compressed archives")
		}
		return nil
	}
	if block != nil && (tarformat.Header(block).IsUSTAR() || tarformat.Header(block).IsGNU()) && tarformat.Header(block).Check() == tarformat.Good {
		return nil
	}
	packer := tarPackerOfBytes(in.record)
	if block == nil && packer == "" {
		t.fault("This does not look like a tar archive")
	}
	if packer == "" {
		if in.name != "-" {
			if packer = tarPackerOfName(in.name); packer != "" {
				return in.unpack(packer, true)
			}
		}
		return nil
	}
	if in.file == nil {
		option, _, _ := strings.Cut(tarPackerOption(packer), " ")
		return t.fatal("Archive is compressed. Use %s option", option)
	}
	return in.unpack(packer, true)
}

// unpack reads the archive through a decompressor, from its start.
func (in *tarInput) unpack(packer string, again bool) error {
	if again {
		if _, err := in.seeker.Seek(0, io.SeekStart); err != nil {
			return in.t.fatal("%s: Cannot seek: %s", in.t.colonName(in.name), vfs.Words(err))
		}
		in.pos, in.end, in.start, in.atEnd = 0, 0, 0, false
		in.t.bytesDone = 0
	}
	in.seeker = nil
	filter, err := in.t.newUnpacker(packer, in.r)
	if err != nil {
		return err
	}
	in.filter, in.r = filter, filter
	return nil
}

// finish reads what a pipe still holds, lest its writer fail, and looks at how
// the decompressor ended.
func (in *tarInput) finish() error {
	if in.filter != nil {
		if err := in.filter.finish(); err != nil {
			return err
		}
		if in.filter.status != 0 {
			return in.t.fatal("Child returned status %d", in.filter.status)
		}
		return nil
	}
	if in.file == nil && in.seeker == nil {
		for !in.atEnd {
			if err := in.t.ctx.Err(); err != nil {
				return err
			}
			if n, err := in.r.Read(in.record); err != nil || n == 0 {
				break
			}
		}
	}
	return nil
}

func (in *tarInput) close() {
	if in.filter != nil {
		in.filter.stop()
	}
	if in.file != nil {
		in.file.Close()
	}
}

// tarFilter reads through a decompressor, or a program of the shell.
type tarFilter struct {
	t      *tarCommand
	packer string
	r      io.Reader
	status int
	ended  bool
	err    error
	// stop ends a program and waits for it.
	stop   func()
	finish func() error
}

func (f *tarFilter) Read(p []byte) (int, error) {
	if f.ended {
		return 0, io.EOF
	}
	n, err := f.r.Read(p)
	if err != nil && err != io.EOF {
		if f.t.ctx.Err() != nil {
			return n, f.t.ctx.Err()
		}
		f.broken(err)
		err = io.EOF
	}
	f.ended = err != nil
	return n, err
}

// broken says what the decompressor would.
func (f *tarFilter) broken(err error) {
	f.status = 1
	f.t.out.Flush()
	truncated := errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, compress.ErrEnd)
	var text string
	switch f.packer {
	case "gzip":
		switch {
		case truncated:
			err = compress.ErrEnd
		case errors.Is(err, compress.ErrFormat), errors.Is(err, compress.ErrCRC), errors.Is(err, compress.ErrLength):
		default:
			err = compress.ErrViolated
		}
		text = "\ngzip: stdin: " + err.Error() + "\n"
	case "bzip2":
		f.status = 2
		what := "Data integrity error when decompressing."
		if truncated {
			what = "Compressed file ends unexpectedly;\n\tperhaps it is corrupted?  *Possible* reason follows.\nbzip2: Inappropriate ioctl for device"
		}
		text = "\nbzip2: " + what + "\n\tInput file = (stdin), output file = (stdout)\n\n"
		if errors.Is(err, errNotPacked) {
			text = "bzip2: (stdin) is not a bzip2 file.\n"
		}
	case "zstd":
		switch {
		case errors.Is(err, errNotPacked):
			text = "zstd: /*stdin*\\: unsupported format \n"
		case truncated:
			text = "/*stdin*\\ : Read error (39) : premature end \n"
		default:
			text = "/*stdin*\\ : Decoding error (36) : Data corruption detected \n"
		}
	default:
		what := "Compressed data is corrupt"
		if truncated {
			what = "Unexpected end of input"
		}
		if errors.Is(err, errNotPacked) {
			what = "File format not recognized"
		}
		text = "xz: (stdin): " + what + "\n"
	}
	io.WriteString(f.t.Stderr, text)
}

// tarBrokenReader fails with what kept a decompressor from starting.
type tarBrokenReader struct{ err error }

func (b tarBrokenReader) Read([]byte) (int, error) { return 0, b.err }

func (t *tarCommand) newUnpacker(packer string, in io.Reader) (*tarFilter, error) {
	f := &tarFilter{t: t, packer: packer, stop: func() {}}
	f.finish = func() error {
		// What follows the archive is read, so that a fault in it shows.
		_, err := io.Copy(io.Discard, &tarUntilDone{t.ctx, f})
		return err
	}
	form := compress.Unknown
	switch packer {
	case "gzip":
		z, err := compress.NewGunzip(in)
		if err != nil {
			f.r = tarBrokenReader{err}
			return f, nil
		}
		f.r = z
		copyRest := f.finish
		f.finish = func() error {
			err := copyRest()
			if z.Garbage && err == nil {
				t.out.Flush()
				io.WriteString(t.Stderr, "\ngzip: stdin: decompression OK, trailing garbage ignored\n")
				f.status = 2
			}
			return err
		}
		return f, nil
	case "bzip2":
		form = compress.Bzip2
	case "xz", "lzma":
		form = compress.XZ
	case "zstd":
		form = compress.Zstd
	default:
		return f, f.run(packer, in)
	}
	head := bufio.NewReaderSize(in, 32<<10)
	start, err := head.Peek(6)
	switch {
	case err != nil && err != io.EOF:
		f.r = tarBrokenReader{err}
	case len(start) < 4:
		f.r = tarBrokenReader{io.ErrUnexpectedEOF}
	case compress.Detect(start) != form:
		f.r = tarBrokenReader{errNotPacked}
	default:
		r, err := compress.NewReader(form, head)
		if err != nil {
			r = tarBrokenReader{err}
		}
		if closer, ok := r.(io.Closer); ok {
			f.stop = func() { closer.Close() }
		}
		f.r = r
	}
	return f, nil
}

// tarUntilDone reads until the context ends.
type tarUntilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u *tarUntilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}

// run decompresses with a program of the shell: PROGRAM -d.
func (f *tarFilter) run(program string, in io.Reader) error {
	t := f.t
	words, ok := tarWords(program)
	if !ok || len(words) == 0 {
		return t.fatal("%s: Cannot exec: %s", program, vfs.Words(vfs.ENOENT))
	}
	if !t.programExists(words[0]) {
		f.r, f.ended, f.status = tarBrokenReader{io.EOF}, true, 2
		t.out.Flush()
		fmt.Fprintf(t.Stderr, "%s (child): %s: Cannot exec: %s\n%s (child): Error is not recoverable: exiting now\n", t.label(), words[0], vfs.Words(vfs.ENOENT), t.label())
		return nil
	}
	ctx, cancel := context.WithCancel(t.ctx)
	reader, writer := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		status, err := t.Host().Exec(ctx, &command.Exec{Arguments: append(words, "-d"), Stdin: in, Stdout: writer, Stderr: t.Stderr})
		f.status, f.err = status, err
		writer.Close()
	}()
	f.r = reader
	f.stop = func() {
		reader.CloseWithError(vfs.EPIPE)
		cancel()
		<-done
	}
	f.finish = func() error {
		_, err := io.Copy(io.Discard, &tarUntilDone{t.ctx, f})
		reader.Close()
		<-done
		return err
	}
	return nil
}

func (t *tarCommand) programExists(name string) bool {
	if strings.Contains(name, "/") {
		_, err := t.View().Stat(t.ctx, name)
		return err == nil
	}
	_, err := t.Host().LookPath(t.ctx, name, t.Environment)
	return err == nil
}

// tarPackerOfBytes tells a compressed stream by its first bytes.
func tarPackerOfBytes(head []byte) string {
	for _, m := range []struct{ magic, packer string }{
		{"\x1f\x9d", "compress"}, {"\x1f\x8b", "gzip"}, {"BZh", "bzip2"}, {"LZIP", "lzip"}, {"\xffLZMA", "lzma"}, {"\x5d\x00\x00", "lzma"}, {"\x89LZO", "lzop"}, {"\xfd7zXZ", "xz"}, {"\x28\xb5\x2f\xfd", "zstd"},
	} {
		if strings.HasPrefix(string(head[:min(len(head), 8)]), m.magic) {
			return m.packer
		}
	}
	return ""
}

// tarPackerOption is the option that asks for a packer.
func tarPackerOption(packer string) string {
	switch packer {
	case "compress":
		return "-Z"
	case "gzip":
		return "-z"
	case "bzip2":
		return "-j"
	case "xz":
		return "-J"
	}
	return "--" + packer
}

// tarSuffixPacker finds the packer that the end of a name asks for, and the
// name without it.
func tarSuffixPacker(name string) (packer, stem string) {
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 {
		return "", name
	}
	switch name[dot+1:] {
	case "gz", "tgz", "taz":
		packer = "gzip"
	case "Z", "taZ":
		packer = "compress"
	case "bz2", "tbz", "tbz2", "tz2":
		packer = "bzip2"
	case "lz":
		packer = "lzip"
	case "lzma", "tlz":
		packer = "lzma"
	case "lzo":
		packer = "lzop"
	case "xz", "txz":
		packer = "xz"
	case "zst", "tzst":
		packer = "zstd"
	default:
		return "", name
	}
	return packer, name[:dot]
}

func tarPackerOfName(name string) string {
	packer, _ := tarSuffixPacker(name)
	return packer
}

func (t *tarCommand) packerOfName() {
	if packer := tarPackerOfName(t.archives[0]); packer != "" {
		t.packer = packer
	}
}

// tarStripSuffix is an archive's name without what tells its form; "" where
// nothing does.
func tarStripSuffix(base string) string {
	packer, stem := tarSuffixPacker(base)
	if plain, ok := strings.CutSuffix(stem, ".tar"); ok {
		return plain
	}
	if packer == "" {
		return ""
	}
	return stem
}

// tarOutput gathers blocks into records and writes them.
type tarOutput struct {
	t      *tarCommand
	name   string
	w      io.Writer
	record []byte
	n      int
	start  int64 // blocks before the record
	file   vfs.File
	packer io.WriteCloser
	wait   func() (int, error)
}

// block is the next block, all zeros.
func (o *tarOutput) block() ([]byte, error) {
	if o.n == len(o.record) {
		if err := o.flush(); err != nil {
			return nil, err
		}
	}
	b := o.record[o.n : o.n+tarformat.BlockSize]
	clear(b)
	o.n += tarformat.BlockSize
	return b, nil
}

// room is what is left of the record, at least a block.
func (o *tarOutput) room() ([]byte, error) {
	if o.n == len(o.record) {
		if err := o.flush(); err != nil {
			return nil, err
		}
	}
	return o.record[o.n:], nil
}

// filled says that n bytes of the room are set; the rest of their last block
// becomes zeros.
func (o *tarOutput) filled(n int) {
	end := (n + tarformat.BlockSize - 1) / tarformat.BlockSize * tarformat.BlockSize
	clear(o.record[o.n+n : o.n+end])
	o.n += end
}

// ordinal counts the blocks before the next.
func (o *tarOutput) ordinal() int64 { return o.start + int64(o.n/tarformat.BlockSize) }

func (o *tarOutput) flush() error {
	t := o.t
	if err := t.ctx.Err(); err != nil {
		return err
	}
	if err := t.checkpointReached("Write"); err != nil {
		return err
	}
	if _, err := o.w.Write(o.record); err != nil {
		return o.failed(err)
	}
	o.start += int64(len(o.record) / tarformat.BlockSize)
	o.n = 0
	t.bytesDone += int64(len(o.record))
	return nil
}

func (o *tarOutput) failed(err error) error {
	if o.name == "-" && errors.Is(err, vfs.EPIPE) && o.wait == nil {
		return err
	}
	if o.wait != nil {
		o.t.fault("%s: Cannot write: %s", o.t.colonName(o.name), vfs.Words(vfs.EPIPE))
		if status, waited := o.wait(); waited == nil && status != 0 {
			return o.t.fatal("Child returned status %d", status)
		}
		return o.t.giveUp()
	}
	if o.packer != nil && o.t.ctx.Err() == nil {
		// With a compressor it is tar's child that writes.
		child := o.t.label() + " (child): "
		fmt.Fprintf(o.t.Stderr, "%s%s: Cannot write: %s\n%sError is not recoverable: exiting now\n", child, o.t.colonName(o.name), vfs.Words(err), child)
		return o.t.fatal("Child returned status %d", tarStatusFailed)
	}
	return o.t.fatal("%s: Cannot write: %s", o.t.colonName(o.name), vfs.Words(err))
}

// finish writes the archive's end and what the last record lacks.
func (o *tarOutput) finish() error {
	for range 2 {
		if _, err := o.block(); err != nil {
			return err
		}
	}
	return o.pad()
}

// pad fills the last record with zeros and writes it.
func (o *tarOutput) pad() error {
	clear(o.record[o.n:])
	o.n = len(o.record)
	if err := o.flush(); err != nil {
		return err
	}
	if o.packer != nil {
		if err := o.packer.Close(); err != nil {
			return o.failed(err)
		}
	}
	if o.wait != nil {
		status, err := o.wait()
		if err != nil {
			return err
		}
		if status != 0 {
			return o.t.fatal("Child returned status %d", status)
		}
	}
	return nil
}

func (o *tarOutput) close() {
	if o.wait != nil {
		o.packer.Close()
		o.wait()
	}
	if o.file != nil {
		o.file.Close()
	}
}

// openOutput makes the archive.
func (t *tarCommand) openOutput() (*tarOutput, error) {
	name := t.archives[0]
	o := &tarOutput{t: t, name: name, record: make([]byte, t.blocking*tarformat.BlockSize)}
	if err := t.charge(len(o.record)); err != nil {
		return nil, err
	}
	if name == "-" {
		if t.verify {
			return nil, t.fatal("Cannot verify stdin/stdout archive")
		}
		o.w = t.Stdout
		t.listing = t.Stderr
	} else {
		flag := vfs.O_WRONLY | vfs.O_CREATE | vfs.O_TRUNC
		f, err := t.View().Open(t.ctx, name, flag, 0o666)
		if err != nil {
			return nil, t.fatal("%s: Cannot open: %s", t.colonName(name), vfs.Words(err))
		}
		o.w, o.file = f, f
	}
	if err := o.pack(t.packer); err != nil {
		o.close()
		return nil, err
	}
	return o, nil
}

// pack writes through a compressor.
func (o *tarOutput) pack(packer string) error {
	form := compress.Unknown
	switch packer {
	case "":
		return nil
	case "gzip":
		z := newTarGzip(o.w)
		o.w, o.packer = z, z
		return nil
	case "bzip2":
		form = compress.Bzip2
	case "xz", "lzma":
		form = compress.XZ
	case "zstd":
		form = compress.Zstd
	default:
		return o.run(packer)
	}
	z, err := compress.NewWriter(form, o.w, 0)
	if err != nil {
		return o.failed(err)
	}
	o.w, o.packer = z, z
	return nil
}

// run compresses with a program of the shell.
func (o *tarOutput) run(program string) error {
	t := o.t
	words, ok := tarWords(program)
	if !ok || len(words) == 0 || !t.programExists(words[0]) {
		name := program
		if len(words) > 0 {
			name = words[0]
		}
		fmt.Fprintf(t.Stderr, "/bin/sh: 1: %s: not found\n", name)
		t.fault("%s: Cannot write: %s", t.colonName(o.name), vfs.Words(vfs.EPIPE))
		return t.fatal("Child returned status 127")
	}
	reader, writer := io.Pipe()
	done := make(chan struct{})
	var status int
	var failed error
	out := o.w
	go func() {
		defer close(done)
		status, failed = t.Host().Exec(t.ctx, &command.Exec{Arguments: words, Stdin: reader, Stdout: out, Stderr: t.Stderr})
		reader.CloseWithError(vfs.EPIPE)
	}()
	o.w, o.packer = writer, writer
	o.wait = func() (int, error) {
		writer.Close()
		<-done
		return status, failed
	}
	return nil
}

// tarAction is one --checkpoint-action.
type tarAction struct{ kind, argument string }

func (t *tarCommand) addCheckpointAction(text string) error {
	kind, argument, hasArgument := strings.Cut(text, "=")
	switch kind {
	case ".", "dot":
		kind = "dot"
	case "bell", "totals":
	case "echo":
		if !hasArgument {
			kind = "usual"
		}
	case "ttyout":
		return nil // there is no terminal
	case "sleep", "exec", "wait":
		if !hasArgument {
			return t.fatal("%s: unknown checkpoint action", text)
		}
	default:
		return t.fatal("%s: unknown checkpoint action", text)
	}
	if t.checkpoint == 0 {
		t.checkpoint = 10
	}
	t.checkpointActions = append(t.checkpointActions, tarAction{kind, argument})
	return nil
}

// checkpointReached counts a record and does what a checkpoint asks for.
func (t *tarCommand) checkpointReached(what string) error {
	if t.checkpoint == 0 {
		return nil
	}
	if t.recordsDone++; t.recordsDone%t.checkpoint != 0 {
		return nil
	}
	actions := t.checkpointActions
	if len(actions) == 0 {
		actions = []tarAction{{"usual", ""}}
	}
	for _, a := range actions {
		switch a.kind {
		case "dot":
			t.out.Flush()
			io.WriteString(t.listing, ".")
		case "bell":
			io.WriteString(t.Stderr, "\a")
		case "totals":
			t.printTotals(what == "Write")
		case "usual":
			t.warnf("%s checkpoint %d", what, t.recordsDone)
		case "echo":
			text := strings.NewReplacer("%s", strings.ToLower(what), "%u", fmt.Sprint(t.recordsDone), "%d", fmt.Sprint(int(time.Since(t.started).Seconds())), "%%", "%").Replace(a.argument)
			t.warnf("%s", text)
		case "sleep":
			var seconds float64
			fmt.Sscan(a.argument, &seconds)
			select {
			case <-time.After(time.Duration(seconds * float64(time.Second))):
			case <-t.ctx.Done():
				return t.ctx.Err()
			}
		case "exec":
			environment := append(t.Environment[:len(t.Environment):len(t.Environment)],
				"TAR_ARCHIVE="+t.archives[0], fmt.Sprintf("TAR_BLOCKING_FACTOR=%d", t.blocking), fmt.Sprintf("TAR_CHECKPOINT=%d", t.recordsDone))
			t.out.Flush()
			if _, err := t.Host().Exec(t.ctx, &command.Exec{Arguments: []string{"/bin/sh", "-c", a.argument}, Environment: environment, Stdin: strings.NewReader("")}); err != nil {
				return err
			}
		}
	}
	return nil
}

// printTotals is --totals' line.
func (t *tarCommand) printTotals(written bool) {
	what := "read"
	if written {
		what = "written"
	}
	abbreviate := func(n float64) string {
		return human.Format(uint64(n), human.Human|human.B, 1, 1)
	}
	rate := "?"
	if seconds := t.Host().Now().Sub(t.started).Seconds(); seconds > 0 {
		rate = abbreviate(float64(t.bytesDone) / seconds)
	}
	t.out.Flush()
	fmt.Fprintf(t.Stderr, "Total bytes %s: %d (%s, %s/s)\n", what, t.bytesDone, abbreviate(float64(t.bytesDone)), rate)
}
