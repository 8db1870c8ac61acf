package builtins

import (
	"io"
	"strings"

	"github.com/vsh-project/vsh/builtins/internal/tarformat"
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
