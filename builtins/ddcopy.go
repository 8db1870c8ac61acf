package builtins

import (
	"bufio"
	"io"
	"io/fs"

	"github.com/vsh-project/vsh/builtins/internal/human"
	"github.com/vsh-project/vsh/vfs"
)

// transfer copies block by block. Its error is an exit status or the end of the run.
func (d *ddCommand) transfer() error {
	if err := d.position(); err != nil {
		return err
	}
	limit, left := d.counted, d.count.n
	input := ddInput{d: d}
	for {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		size := d.inBlock
		if limit {
			if left == 0 {
				return nil
			}
			if d.count.bytes {
				size = min(size, left)
			}
		}
		if d.eager || d.live {
			if err := d.w.Flush(); err != nil {
				return err
			}
		}
		block, err := input.read(size)
		if err != nil {
			return err
		}
		if len(block) == 0 {
			return nil
		}
		if limit {
			if d.count.bytes {
				left -= uint64(len(block))
			} else {
				left--
			}
		}
		if uint64(len(block)) == d.inBlock {
			d.inFull++
		} else {
			d.inPartial++
			if d.conversion&ddSync != 0 {
				if block, err = input.pad(block); err != nil {
					return err
				}
			}
		}
		if err := d.convert(block); err != nil {
			return err
		}
	}
}

// position carries out skip= and seek=.
func (d *ddCommand) position() error {
	if skip := d.skip.in(d.inBlock); skip > 0 {
		missing, err := d.skipInput(skip)
		if err != nil {
			return err
		}
		if missing && d.status != ddStatusNone {
			d.warnf("%s: cannot skip to specified offset", ddShowName(d.inName, d.inGiven))
		}
	}
	if f, _, _, ok := regularFile(d.in); ok && d.inBlock < 16<<10 {
		d.ahead = bufio.NewReaderSize(f.(io.Reader), 64<<10)
	}
	seek := d.seek.in(d.outBlock)
	if seek == 0 {
		return nil
	}
	if d.outFile != nil {
		info, err := d.outFile.Stat()
		if err == nil && info.FileMode&fs.ModeCharDevice != 0 {
			return nil
		}
		if _, err := d.outFile.Seek(seek, io.SeekCurrent); err == nil {
			return nil
		}
	}
	return d.fatalf("%s: cannot seek: %s", ddShowName(d.outName, d.outGiven), vfs.Words(vfs.ESPIPE))
}

func ddShowName(name string, given bool) string {
	if given {
		return quoteFile(name)
	}
	return quoteName(name)
}

func (d *ddCommand) skipInput(skip int64) (missing bool, err error) {
	if f, size, offset, ok := regularFile(d.in); ok {
		_, err := f.Seek(skip, io.SeekCurrent)
		return offset+skip > size, err
	}
	if info := statStream(d.in); info != nil && info.FileMode&fs.ModeCharDevice != 0 && d.inGiven {
		return false, nil
	}
	block := make([]byte, min(uint64(skip), 64<<10))
	for skip > 0 {
		n, err := d.in.Read(block[:min(int64(len(block)), skip)])
		skip -= int64(n)
		if err == io.EOF {
			return skip > 0, nil
		}
		if err == nil {
			err = d.ctx.Err()
		}
		if err != nil {
			return false, d.readFailed(err)
		}
	}
	return false, nil
}

func (d *ddCommand) readFailed(err error) error {
	if d.ctx.Err() != nil {
		return d.ctx.Err()
	}
	return d.fatalf("error reading %s: %s", quoteName(d.inName), vfs.Words(err))
}

// ddInput reads blocks. Its buffer grows with what there is to read, not with
// what is asked for.
type ddInput struct {
	d      *ddCommand
	buffer []byte
	failed bool
}

func (i *ddInput) grow(size uint64, used int) error {
	want := min(size, max(uint64(2*len(i.buffer)), 256<<10))
	if uint64(len(i.buffer)) >= want {
		return nil
	}
	more := int64(want) - int64(len(i.buffer))
	if err := i.d.Host().Charge(more); err != nil {
		return i.d.fatalf("memory exhausted by input buffer of size %d bytes (%s)", size,
			ddSpaced(human.Format(size, human.Autoscale|human.Nearest|human.Suffix|human.B|human.Base1024, 1, 1)))
	}
	i.d.charged += more
	grown := make([]byte, want)
	copy(grown, i.buffer[:used])
	i.buffer = grown
	return nil
}

// read is one block; it is empty at the end.
func (i *ddInput) read(size uint64) ([]byte, error) {
	d := i.d
	whole := d.inFlags&ddFullBlock != 0 || !d.live
	used := 0
	for {
		if err := i.grow(size, used); err != nil {
			return nil, err
		}
		window := i.buffer[used:min(uint64(len(i.buffer)), size)]
		var n int
		var err error
		if d.ahead != nil {
			n, err = d.ahead.Read(window)
		} else {
			n, err = d.in.Read(window)
		}
		used += n
		if err == io.EOF {
			return i.buffer[:used], nil
		}
		if err == nil {
			if d.ctx.Err() != nil {
				return nil, d.ctx.Err()
			}
			if n == 0 || uint64(used) < size && whole {
				continue
			}
			i.failed = false
			return i.buffer[:used], nil
		}
		failure := d.readFailed(err)
		if d.conversion&ddNoError == 0 || d.ctx.Err() != nil || i.failed {
			return nil, failure
		}
		d.statistics()
		i.failed = true
		s, ok := d.in.(io.Seeker)
		if !ok {
			return nil, failure
		}
		if _, err := s.Seek(int64(size)-int64(used), io.SeekCurrent); err != nil {
			return nil, failure
		}
		if d.conversion&ddSync != 0 || used > 0 {
			return i.buffer[:used], nil
		}
	}
}

// pad fills a block that was read in part.
func (i *ddInput) pad(block []byte) ([]byte, error) {
	used := len(block)
	for uint64(len(i.buffer)) < i.d.inBlock {
		if err := i.grow(i.d.inBlock, used); err != nil {
			return nil, err
		}
	}
	fill := byte(0)
	if i.d.conversion&(ddBlock|ddUnblock) != 0 {
		fill = ' '
	}
	rest := i.buffer[used:i.d.inBlock]
	for j := range rest {
		rest[j] = fill
	}
	return i.buffer[:i.d.inBlock], nil
}

// convert passes a block through the conversions to the output.
func (d *ddCommand) convert(block []byte) error {
	if d.table != nil {
		for i, b := range block {
			block[i] = d.table[b]
		}
	}
	if d.conversion&ddSwab != 0 {
		block = d.swab(block)
	}
	switch {
	case d.conversion&ddBlock != 0:
		return d.block(block)
	case d.conversion&ddUnblock != 0:
		return d.unblock(block)
	case d.direct:
		if uint64(len(block)) == d.outBlock {
			d.outFull++
		} else {
			d.outPart++
		}
		return d.put(block)
	}
	return d.write(block)
}

// swab exchanges bytes in pairs; the odd one of a block waits for the next.
func (d *ddCommand) swab(block []byte) []byte {
	if d.swabbed >= 0 {
		block = append([]byte{byte(d.swabbed)}, block...)
		d.swabbed = -1
	}
	if n := len(block); n%2 == 1 {
		d.swabbed = int(block[n-1])
		block = block[:n-1]
	}
	for i := 0; i < len(block); i += 2 {
		block[i], block[i+1] = block[i+1], block[i]
	}
	return block
}

// blankFor and newlineFor are the characters after the conversion.
func (d *ddCommand) blankFor() byte   { return d.converted(' ') }
func (d *ddCommand) newlineFor() byte { return d.converted('\n') }

func (d *ddCommand) converted(b byte) byte {
	if d.table != nil && d.conversion&(ddEBCDIC|ddIBM) != 0 {
		return d.table[b]
	}
	return b
}

// block pads lines to records.
func (d *ddCommand) block(p []byte) error {
	newline := d.newlineFor()
	for _, b := range p {
		if b == newline {
			if err := d.fill(d.convertBlock - min(d.column, d.convertBlock)); err != nil {
				return err
			}
			d.column = 0
			continue
		}
		if d.column == d.convertBlock {
			d.truncated++
		} else if d.column < d.convertBlock {
			if err := d.write([]byte{b}); err != nil {
				return err
			}
		}
		d.column++
	}
	return nil
}

func (d *ddCommand) fill(n uint64) error {
	blanks := make([]byte, min(n, 4096))
	for i := range blanks {
		blanks[i] = d.blankFor()
	}
	for n > 0 {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		part := min(n, uint64(len(blanks)))
		if err := d.write(blanks[:part]); err != nil {
			return err
		}
		n -= part
	}
	return nil
}

// unblock makes lines of records, without the blanks at their ends.
func (d *ddCommand) unblock(p []byte) error {
	for _, b := range p {
		if d.column == d.convertBlock {
			d.column, d.blanks = 0, 0
			if err := d.write([]byte{d.newlineFor()}); err != nil {
				return err
			}
		}
		d.column++
		if b == d.blankFor() {
			d.blanks++
			continue
		}
		if err := d.fill(d.blanks); err != nil {
			return err
		}
		d.blanks = 0
		if err := d.write([]byte{b}); err != nil {
			return err
		}
	}
	return nil
}

// write fills blocks of output.
func (d *ddCommand) write(p []byte) error {
	d.pending += uint64(len(p))
	d.outFull += d.pending / d.outBlock
	d.pending %= d.outBlock
	return d.put(p)
}

func (d *ddCommand) put(p []byte) error {
	if d.conversion&ddSparse != 0 && d.outFile != nil && ddZeros(p) {
		if err := d.w.Flush(); err != nil {
			return err
		}
		if _, err := d.outFile.Seek(int64(len(p)), io.SeekCurrent); err == nil {
			d.hole = true
			d.written += uint64(len(p))
			return nil
		}
	}
	d.hole = false
	n, err := d.w.Write(p)
	d.written += uint64(n)
	return err
}

func ddZeros(p []byte) bool {
	for _, b := range p {
		if b != 0 {
			return false
		}
	}
	return len(p) > 0
}

// finish writes what the conversions have kept back, and leaves the input where
// the last block ended.
func (d *ddCommand) finish() error {
	var err error
	if d.swabbed >= 0 {
		last := []byte{byte(d.swabbed)}
		d.swabbed = -1
		switch {
		case d.conversion&ddBlock != 0:
			err = d.block(last)
		case d.conversion&ddUnblock != 0:
			err = d.unblock(last)
		default:
			err = d.write(last)
		}
	}
	if err == nil && d.conversion&ddBlock != 0 && d.column > 0 {
		err = d.fill(d.convertBlock - min(d.column, d.convertBlock))
	}
	if err == nil && d.conversion&ddUnblock != 0 && d.column > 0 {
		err = d.write([]byte{d.newlineFor()})
	}
	if d.pending > 0 {
		d.outPart++
	}
	buffered := d.w.Buffered()
	if flushed := d.w.Flush(); err == nil {
		err = flushed
	}
	if err != nil {
		// What the failed write held has not been written.
		d.written -= min(d.written, uint64(buffered))
		d.outFull, d.outPart = d.written/d.outBlock, 0
	}
	if d.hole {
		if at, seekErr := d.outFile.Seek(0, io.SeekCurrent); seekErr == nil {
			d.outFile.Truncate(at)
		}
	}
	if d.conversion&(ddFileSync|ddDataSync) != 0 && d.outFile != nil {
		d.outFile.Sync()
	}
	if d.ahead != nil {
		d.in.(io.Seeker).Seek(-int64(d.ahead.Buffered()), io.SeekCurrent)
	}
	return err
}
