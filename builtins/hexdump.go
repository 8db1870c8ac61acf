package builtins

import (
	"bytes"
	"io"
	"io/fs"
	"math"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/vfs"
)

// hexdumpCommand is one run of hexdump.
type hexdumpCommand struct {
	*call
	formats []hexdumpFormat
	end     *hexdumpUnit // printed after all: it holds %_A
	all     bool         // -v
	length  int64        // -1: no limit
	skip    int64
	block   int

	files         []string
	standardInput bool
	in            io.Reader
	closeIn       func()
	opened        int
	tried         int

	address    int64
	endAddress int64 // of the last block, where it is not full; 0 until then
	ending     bool
	row        []byte
}

func hexdumpRun(c *call) error {
	h := &hexdumpCommand{call: c, length: -1, closeIn: func() {}}
	if c.program.name == "hd" {
		if err := h.canonical(); err != nil {
			return err
		}
	}
	operands, err := c.parse(h.option)
	if err != nil {
		return err
	}
	if len(h.formats) == 0 {
		if err := h.standard(`"%07.7_ax " 8/2 "%04x " "\n"`); err != nil {
			return err
		}
	}
	for i := range h.formats {
		h.block = max(h.block, h.formats[i].size())
	}
	if h.block > hexdumpLargestBlock {
		return c.fatalf("bad byte count for conversion character s")
	}
	for i := range h.formats {
		if err := h.rewrite(&h.formats[i]); err != nil {
			return err
		}
	}
	if h.files = operands; len(operands) == 0 {
		h.files, h.standardInput = []string{"-"}, true
	}
	defer func() { h.closeIn() }()
	return h.dump()
}

// hexdumpLargestBlock bounds what a format may take in at once.
const hexdumpLargestBlock = 16 << 20

func (h *hexdumpCommand) standard(texts ...string) error {
	for _, text := range append([]string{`"%07.7_Ax\n"`}, texts...) {
		if err := h.add(text); err != nil {
			return err
		}
	}
	return nil
}

func (h *hexdumpCommand) canonical() error {
	for _, text := range [...]string{`"%08.8_Ax\n"`, `"%08.8_ax  " 8/1 "%02x " "  " 8/1 "%02x " `, `"  |" 16/1 "%_p" "|\n"`} {
		if err := h.add(text); err != nil {
			return err
		}
	}
	return nil
}

func (h *hexdumpCommand) option(p *getopt.Parser) error {
	switch p.Key {
	case 'b':
		return h.standard(`"%07.7_ax " 16/1 "%03o " "\n"`)
	case 'c':
		return h.standard(`"%07.7_ax " 16/1 "%3_c " "\n"`)
	case 'C':
		return h.canonical()
	case 'd':
		return h.standard(`"%07.7_ax " 8/2 "  %05u " "\n"`)
	case 'o':
		return h.standard(`"%07.7_ax " 8/2 " %06o " "\n"`)
	case 'x':
		return h.standard(`"%07.7_ax " 8/2 "   %04x " "\n"`)
	case 'e':
		return h.add(p.Value)
	case 'f':
		text, err := h.readAll(p.Value)
		if err != nil {
			return h.fatalf("can't read %s: %s", p.Value, vfs.Words(err))
		}
		for _, line := range strings.Split(text, "\n") {
			if line = strings.TrimLeft(line, " \t\v\f\r"); line != "" && line[0] != '#' {
				if err := h.add(line); err != nil {
					return err
				}
			}
		}
	case 'L':
		switch p.Value {
		case "", "always", "auto", "never":
		default:
			return h.fatalf("unsupported color mode: '%s'", p.Value)
		}
	case 'n', 's':
		n, bad := parseNumberAnyBase(p.Value, 0, "KkMmGgTtPEZY0")
		if bad != numberOK || n > math.MaxInt64 {
			what := "length"
			if p.Key == 's' {
				what = "offset"
			}
			cause := "Invalid argument"
			if bad == numberOverflow || bad == numberOK {
				cause = "Numerical result out of range"
			}
			return h.fatalf("failed to parse %s: '%s': %s", what, p.Value, cause)
		}
		if p.Key == 'n' {
			h.length = int64(n)
		} else {
			h.skip = int64(n)
		}
	case 'v':
		h.all = true
	case 'h':
		return h.showHelp()
	case 'V':
		return h.showVersion()
	}
	return nil
}

// nextFile opens the next operand; ok is false where there is none left.
func (h *hexdumpCommand) nextFile() (ok bool, err error) {
	for {
		h.closeIn()
		h.closeIn, h.in = func() {}, nil
		if h.tried == len(h.files) {
			return false, nil
		}
		name := h.files[h.tried]
		h.tried++
		r, done, err := h.openOperand(name)
		if err != nil {
			if h.ctx.Err() != nil {
				return false, h.ctx.Err()
			}
			h.complain(name, err)
			h.status = 1
			continue
		}
		h.in, h.closeIn = r, done
		h.opened++
		if h.skip > 0 {
			if err := h.doSkip(); err != nil {
				return false, err
			}
			if h.skip > 0 {
				continue
			}
		}
		return true, nil
	}
}

// complain prints an error line that does not wait for what stands in stdout's
// buffer, as hexdump's does.
func (h *hexdumpCommand) complain(name string, err error) {
	if h.standardInput {
		name = h.label()
	}
	io.WriteString(h.Stderr, h.label()+": "+name+": "+vfs.Words(err)+"\n")
}

// openOperand takes "-" for a file's name: standard input is the absence of operands.
func (h *hexdumpCommand) openOperand(name string) (io.Reader, func(), error) {
	if h.standardInput {
		return h.Stdin, func() {}, nil
	}
	if name == "-" {
		name = "./-"
	}
	return h.open(name)
}

// doSkip passes over what -s leaves out, which may be several files.
func (h *hexdumpCommand) doSkip() error {
	if f, size, offset, ok := regularFile(h.in); ok {
		n := min(h.skip, max(size-offset, 0))
		h.address += n
		h.skip -= n
		_, err := f.Seek(n, io.SeekCurrent)
		return err
	}
	if info := statStream(h.in); info != nil && info.FileMode&fs.ModeCharDevice != 0 {
		h.address += h.skip
		h.skip = 0
		return nil
	}
	name := h.files[h.tried-1]
	if h.standardInput {
		name = "stdin"
	}
	return h.fatalf("%s: %s", name, vfs.Words(vfs.ESPIPE))
}

// fill reads a block, across files; what is missing at the end is zero.
func (h *hexdumpCommand) fill(block []byte) (n int, err error) {
	for n < len(block) && h.length != 0 {
		if h.in == nil {
			ok, err := h.nextFile()
			if err != nil {
				return n, err
			}
			if !ok {
				break
			}
		}
		want := block[n:]
		if h.length >= 0 && int64(len(want)) > h.length {
			want = want[:h.length]
		}
		got, err := h.in.Read(want)
		n += got
		if h.length > 0 {
			h.length -= int64(got)
		}
		if err != nil {
			if h.ends(err) {
				return n, err
			}
			if err != io.EOF {
				h.complain(h.files[h.tried-1], err)
			}
			h.in = nil
		}
	}
	clear(block[n:])
	return n, nil
}

func (h *hexdumpCommand) dump() error {
	if h.block == 0 {
		// A format that takes nothing in is printed for nothing.
		_, err := h.nextFile()
		return err
	}
	if err := h.Host().Charge(int64(2 * h.block)); err != nil {
		return err
	}
	defer h.Host().Release(int64(2 * h.block))
	block, saved := make([]byte, h.block), make([]byte, h.block)
	// A block that equals the one before is shown as a star, once.
	first, starred := true, false
	for round := 0; ; round++ {
		if round&0xff == 0 {
			if err := h.ctx.Err(); err != nil {
				return err
			}
		}
		n, err := h.fill(block)
		if err != nil {
			return err
		}
		if first && h.opened == 0 && h.tried > 0 {
			return h.fatalf("all input file arguments failed")
		}
		if n == 0 {
			break
		}
		same := !h.all && !first && bytes.Equal(block, saved)
		if n < h.block {
			h.endAddress, h.ending = h.address+int64(n), true
		}
		if same && n == h.block {
			if !starred {
				h.out.WriteString("*\n")
			}
			starred = true
			h.address += int64(n)
			continue
		}
		first, starred = false, false
		if err := h.show(block); err != nil {
			return err
		}
		block, saved = saved, block
		h.address += int64(h.block)
		if h.ending {
			break
		}
	}
	return h.last()
}

// show prints one block by all formats.
func (h *hexdumpCommand) show(block []byte) error {
	for i := range h.formats {
		at, bp := h.address, block
	units:
		for j := range h.formats[i].units {
			u := &h.formats[i].units[j]
			if u.last {
				break units
			}
			for count := u.repeat; count > 0; count-- {
				for k := range u.prints {
					p := &u.prints[k]
					missing := h.ending && at >= h.endAddress && p.kind != hexdumpText
					h.row = p.append(h.row[:0], bp, at, missing, count == 1)
					if _, err := h.out.Write(h.row); err != nil {
						return h.writeError(err)
					}
					at += int64(p.size)
					bp = bp[min(p.size, len(bp)):]
				}
			}
		}
	}
	return nil
}

// last prints the address of the end.
func (h *hexdumpCommand) last() error {
	if h.end == nil {
		return nil
	}
	if !h.ending {
		if h.endAddress = h.address; h.address == 0 {
			return nil
		}
	}
	for k := range h.end.prints {
		h.row = h.end.prints[k].append(h.row[:0], nil, h.endAddress, false, false)
		h.out.Write(h.row)
	}
	return nil
}

func hexdumpProgram(name string) *program {
	return &program{
		output: outputStyle{closedIsFine: true},
		usage: name + ` [OPTION]... [FILE]...
Dump files, one after the other, or standard input. hd is hexdump -C.

  -b  octal bytes          -c  characters          -C  hexadecimal and ASCII
  -d  decimal words        -o  octal words         -x  hexadecimal words
  -e FORMAT  as FORMAT says: '[REPEAT][/BYTES] "PRINTF"' and so on
  -f FILE    formats from FILE
  -n LENGTH  stop after so many bytes
  -s OFFSET  begin there
  -v         show repeated lines too
  -L         colours: accepted, without effect
  -h; -V`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'b', Long: "one-byte-octal"}, {Key: 'c', Long: "one-byte-char"}, {Key: 'C', Long: "canonical"}, {Key: 'd', Long: "two-bytes-decimal"},
			{Key: 'o', Long: "two-bytes-octal"}, {Key: 'x', Long: "two-bytes-hex"}, {Key: 'e', Long: "format", Argument: getopt.Required},
			{Key: 'f', Long: "format-file", Argument: getopt.Required}, {Key: 'n', Long: "length", Argument: getopt.Required},
			{Key: 's', Long: "skip", Argument: getopt.Required}, {Key: 'v', Long: "no-squeezing"}, {Key: 'L', Long: "color", Argument: getopt.Optional},
			{Key: 'h'}, {Key: 'V'},
		}},
		run: hexdumpRun,
	}
}
