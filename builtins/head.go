package builtins

import (
	"bytes"
	"io"
	"math"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/vfs"
)

// headCommand is one run of head.
type headCommand struct {
	*call
	bytes   bool // count bytes, not lines
	elide   bool // all but the last count
	count   uint64
	delim   byte
	headers bool
	printed bool
}

func headRun(c *call) error {
	h := &headCommand{call: c, count: 10, delim: '\n'}
	header := byte('a')
	if err := h.obsolete(&header); err != nil {
		return err
	}
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'c', 'n':
			return h.amount(p.Value, p.Key == 'c')
		case 'q', 'v':
			header = byte(p.Key)
		case 'z':
			h.delim = 0
		}
		if p.Key >= '0' && p.Key <= '9' {
			return c.usageErrorf("invalid trailing option -- %c", p.Key)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	h.headers = header == 'v' || header == 'a' && len(operands) > 1
	for _, name := range operands {
		if err := h.file(name); err != nil {
			return err
		}
	}
	return nil
}

func (h *headCommand) amount(value string, bytes bool) error {
	h.bytes = bytes
	value, h.elide = strings.CutPrefix(value, "-")
	what := "invalid number of lines"
	if bytes {
		what = "invalid number of bytes"
	}
	n, err := h.number(value, 0, math.MaxUint64, "bkKmMGTPEZY0", what)
	h.count = n
	return err
}

// obsolete takes a first argument like -5, -5c, -2kq away.
func (h *headCommand) obsolete(header *byte) error {
	if len(h.Arguments) == 0 {
		return nil
	}
	arg := h.Arguments[0]
	if len(arg) < 2 || arg[0] != '-' || arg[1] < '0' || arg[1] > '9' {
		return nil
	}
	digits := 1
	for digits < len(arg) && arg[digits] >= '0' && arg[digits] <= '9' {
		digits++
	}
	bytes, multiplier := false, ""
	for _, letter := range []byte(arg[digits:]) {
		switch letter {
		case 'c':
			bytes, multiplier = true, ""
		case 'b', 'k', 'm':
			bytes, multiplier = true, string(letter)
		case 'l':
			bytes = false
		case 'q', 'v':
			*header = letter
		case 'z':
			h.delim = 0
		default:
			return h.usageErrorf("invalid trailing option -- %c", letter)
		}
	}
	h.Arguments = h.Arguments[1:]
	return h.amount(arg[1:digits]+multiplier, bytes)
}

func (h *headCommand) file(name string) error {
	r, done, err := h.open(name)
	if err != nil {
		h.errorf("cannot open %s for reading: %s", quoteName(name), vfs.Words(err))
		return nil
	}
	defer done()
	if h.headers {
		if h.printed {
			h.out.WriteByte('\n')
		}
		h.printed = true
		h.out.WriteString("==> " + displayName(name) + " <==\n")
	}
	switch {
	case h.elide && h.bytes:
		err = h.allButBytes(r)
	case h.elide:
		err = h.allButLines(r)
	case h.bytes:
		err = h.firstBytes(r)
	default:
		err = h.firstLines(r)
	}
	if err != nil && !h.ends(err) {
		if h.noteClosed(name, err); h.stdinClosed && h.elide {
			h.errorf("cannot fstat %s: %s", quoteName(displayName(name)), vfs.Words(err))
			return nil
		}
		h.errorf("error reading %s: %s", quoteName(displayName(name)), vfs.Words(err))
		return nil
	}
	return err
}

// headPipeBlock is what is read from a pipe at once: as much as GNU's takes
// away from a later reader of the same pipe.
const headPipeBlock = 8192

func (h *headCommand) block(r io.Reader) ([]byte, io.Seeker) {
	if f, _, _, ok := regularFile(r); ok {
		return make([]byte, lines.BlockSize), f
	}
	return make([]byte, headPipeBlock), nil
}

// each hands r's blocks to visit until that is done or r ends; what visit did
// not use of the last block is given back where r is a file.
func (h *headCommand) each(r io.Reader, visit func(p []byte) (used int, done bool, err error)) error {
	block, seeker := h.block(r)
	for {
		n, err := r.Read(block)
		if n > 0 {
			used, done, err := visit(block[:n])
			if err != nil {
				return err
			}
			if done {
				if seeker != nil && used < n {
					seeker.Seek(int64(used-n), io.SeekCurrent)
				}
				return nil
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := h.ctx.Err(); err != nil {
			return err
		}
	}
}

func (h *headCommand) put(p []byte) error {
	if _, err := h.out.Write(p); err != nil {
		return h.writeError(err)
	}
	return nil
}

func (h *headCommand) firstBytes(r io.Reader) error {
	left := h.count
	if left == 0 {
		return nil
	}
	if _, _, _, ok := regularFile(r); !ok {
		// Take no more of a pipe than is asked for.
		r = io.LimitReader(r, int64(min(left, math.MaxInt64)))
	}
	return h.each(r, func(p []byte) (int, bool, error) {
		n := int(min(uint64(len(p)), left))
		left -= uint64(n)
		return n, left == 0, h.put(p[:n])
	})
}

func (h *headCommand) firstLines(r io.Reader) error {
	left := h.count
	if left == 0 {
		return nil
	}
	return h.each(r, func(p []byte) (int, bool, error) {
		if n := uint64(bytes.Count(p, []byte{h.delim})); n < left {
			left -= n
			return len(p), false, h.put(p)
		}
		end := 0
		for ; left > 0; left-- {
			end += bytes.IndexByte(p[end:], h.delim) + 1
		}
		return end, true, h.put(p[:end])
	})
}

// giveBack lets a file be read on from where the output ends.
func (h *headCommand) giveBack(r io.Reader) func(n int64) {
	f, _, _, ok := regularFile(r)
	return func(n int64) {
		if ok {
			f.Seek(-n, io.SeekCurrent)
		}
	}
}

// allButBytes and allButLines write a block once as much has been read after it
// as is to be left out.
func (h *headCommand) allButBytes(r io.Reader) error {
	q := blockQueue{charger: h.Host(), delim: h.delim}
	defer q.close()
	keep := int64(min(h.count, math.MaxInt64))
	back := h.giveBack(r)
	err := h.each(r, func(p []byte) (int, bool, error) {
		if keep == 0 {
			return len(p), false, h.put(p)
		}
		if err := q.push(p); err != nil {
			return 0, false, err
		}
		for len(q.blocks) > 0 && q.bytes-int64(len(q.front().text)) >= keep {
			if err := h.put(q.front().text); err != nil {
				return 0, false, err
			}
			q.drop()
		}
		return len(p), false, nil
	})
	if err != nil {
		return err
	}
	back(min(q.bytes, keep))
	return q.write(h.call, 0, q.bytes-keep)
}

func (h *headCommand) allButLines(r io.Reader) error {
	q := blockQueue{charger: h.Host(), delim: h.delim}
	defer q.close()
	keep := int64(min(h.count, math.MaxInt64))
	back := h.giveBack(r)
	err := h.each(r, func(p []byte) (int, bool, error) {
		if keep == 0 {
			return len(p), false, h.put(p)
		}
		if err := q.push(p); err != nil {
			return 0, false, err
		}
		for len(q.blocks) > 0 && q.delims-q.front().delims > keep {
			if err := h.put(q.front().text); err != nil {
				return 0, false, err
			}
			q.drop()
		}
		return len(p), false, nil
	})
	if err != nil {
		return err
	}
	end := q.lastLines(keep)
	back(q.bytes - end)
	return q.write(h.call, 0, end)
}

func headProgram(string) *program {
	return &program{
		stdinClosed: "-",
		usage: `head [OPTION]... [FILE]...
Print the first 10 lines of each file, or of standard input for none or "-".
Several files are headed by their names.

  -c, --bytes=[-]NUM       the first NUM bytes; with -, all but the last NUM
  -n, --lines=[-]NUM       the first NUM lines; with -, all but the last NUM
  -q, --quiet, --silent    no names
  -v, --verbose            always names
  -z, --zero-terminated    lines end in NUL

NUM may end in b (512), kB, K, MB, M, GB, G and so on up to Y, KiB too.`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'c', Long: "bytes", Argument: getopt.Required}, {Key: 'n', Long: "lines", Argument: getopt.Required},
			{Key: 'q', Long: "quiet"}, {Key: 'q', Long: "silent"}, {Key: 'v', Long: "verbose"}, {Key: 'z', Long: "zero-terminated"},
			{Key: '0'}, {Key: '1'}, {Key: '2'}, {Key: '3'}, {Key: '4'}, {Key: '5'}, {Key: '6'}, {Key: '7'}, {Key: '8'}, {Key: '9'},
		}},
		run: headRun,
	}
}
