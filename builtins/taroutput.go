package builtins

import (
	"errors"
	"fmt"
	"io"

	"github.com/vsh-project/vsh/builtins/internal/compress"
	"github.com/vsh-project/vsh/builtins/internal/tarformat"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

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
