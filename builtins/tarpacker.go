package builtins

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/vsh-project/vsh/builtins/internal/compress"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// tarFilter reads through a decompressor, or a program of the shell.
type tarFilter struct {
	t      *tarCommand
	packer string
	r      io.Reader
	status int
	ended  bool
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
		f.status, _ = t.Host().Exec(ctx, &command.Exec{Arguments: append(words, "-d"), Stdin: in, Stdout: writer, Stderr: t.Stderr}) // the error is ctx's
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
