package builtins

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// xxdCommand is one run of xxd.
type xxdCommand struct {
	*call
	kind             xxdKind
	revert, autoSkip bool
	upper, ebcdic    bool
	decimal          bool
	capitalize       bool
	name             string
	columns          int64 // -1 until asked for
	group            int64
	length           int64 // -1: all
	display          int64
	seek             int64
	relative, back   bool
	in               *bufio.Reader
	w                *bufio.Writer
	count            int64
}

type xxdKind uint8

const (
	xxdHex xxdKind = iota
	xxdLittle
	xxdBits
	xxdPlain
	xxdInclude
)

// xxdEBCDIC is how the dump shows EBCDIC's bytes from 0x40 on.
const xxdEBCDIC = " ...........<(+|&.........!$*);~-/.........,%_>?.........`:#@'=\".abcdefghi.......jklmnopqr^.......stuvwxyz...[...............]..{ABCDEFGHI......}JKLMNOPQR......\\.STUVWXYZ......0123456789......"

func xxdRun(c *call) error {
	x := &xxdCommand{call: c, columns: -1, group: -1, length: -1, w: c.out}
	operands, err := x.options(c.Arguments)
	if err != nil {
		return err
	}
	if len(operands) > 2 {
		return x.usage(1)
	}
	if err := x.settle(); err != nil {
		return err
	}
	return x.dump(append(operands, "-", "-")[:2])
}

func (x *xxdCommand) usage(status uint8) error {
	x.out.Flush()
	io.WriteString(x.Stderr, "Usage: "+x.program.usage+"\n")
	return command.ExitError(status)
}

// options reads the arguments as xxd does: one dash or two, and no more of an
// option's name than its first letter.
func (x *xxdCommand) options(args []string) ([]string, error) {
	for len(args) > 0 {
		arg := args[0]
		if strings.HasPrefix(arg, "--") && len(arg) > 2 {
			arg = arg[1:]
		}
		if arg == "--" {
			return args[1:], nil
		}
		if len(arg) < 2 || arg[0] != '-' {
			return args, nil
		}
		rest := arg[2:]
		// value is the option's argument: the rest of the word, or the next one
		// where the rest spells the option's long name.
		value := func(long string) (string, bool) {
			if rest != "" && !strings.HasPrefix(rest, long) {
				return rest, true
			}
			if len(args) < 2 {
				return "", false
			}
			args = args[1:]
			return args[0], true
		}
		number := func(long string, to *int64) bool {
			text, ok := value(long)
			*to = xxdNumber(text)
			return ok
		}
		ok := true
		switch arg[1] {
		case 'a':
			x.autoSkip = !x.autoSkip
		case 'b':
			x.kind = xxdBits
		case 'e':
			x.kind = xxdLittle
		case 'u':
			x.upper = true
		case 'p':
			x.kind = xxdPlain
		case 'i':
			x.kind = xxdInclude
		case 'C':
			x.capitalize = true
		case 'd':
			x.decimal = true
		case 'r':
			x.revert = true
		case 'E':
			x.ebcdic = true
		case 'h':
			return nil, x.usage(0)
		case 'v':
			return nil, x.showVersion()
		case 'c':
			if strings.HasPrefix(rest, "apitalize") {
				x.capitalize = true
			} else {
				ok = number("ols", &x.columns)
			}
		case 'g':
			ok = number("roup", &x.group)
		case 'o':
			ok = number("ffset", &x.display)
		case 'l':
			ok = number("en", &x.length)
		case 'n':
			x.name, ok = value("ame")
		case 's':
			var text string
			if strings.HasPrefix(rest, "kip") || strings.HasPrefix(rest, "eek") {
				rest = ""
			}
			text, ok = value("eek")
			text, x.relative = strings.CutPrefix(text, "+")
			text, x.back = strings.CutPrefix(text, "-")
			x.seek = xxdNumber(text)
		default:
			ok = false
		}
		if !ok {
			return nil, x.usage(1)
		}
		args = args[1:]
	}
	return nil, nil
}

// xxdNumber is strtol with base 0: what is no number is 0.
func xxdNumber(s string) int64 {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	end := 0
	for end < len(s) && (digestHexDigits(s[end:end+1]) == 1 || end < 3 && strings.IndexByte("+-xX", s[end]) >= 0) {
		end++
	}
	for ; end > 0; end-- {
		if n, err := strconv.ParseInt(s[:end], 0, 64); err == nil || n != 0 {
			return n
		}
	}
	return 0
}

func (x *xxdCommand) settle() error {
	if x.columns < 0 || x.columns == 0 && x.kind != xxdPlain {
		given := x.columns < -1
		x.columns = [...]int64{16, 16, 6, 30, 12}[x.kind]
		if given {
			return x.fatalf("invalid number of columns (max. 256).")
		}
	}
	if x.group < 0 {
		x.group = [...]int64{2, 4, 1, 0, 0}[x.kind]
	}
	if x.kind <= xxdBits && x.columns > 256 {
		return x.fatalf("invalid number of columns (max. 256).")
	}
	if x.group < 1 || x.group > x.columns {
		x.group = x.columns
	} else if x.kind == xxdLittle && x.group&(x.group-1) != 0 {
		return x.fatalf("number of octets per group must be a power of 2 with -e.")
	}
	return nil
}

func (x *xxdCommand) failed(status uint8, name string, err error) error {
	if x.ends(err) {
		return err
	}
	x.warnf("%s: %s", name, vfs.Words(err))
	return command.ExitError(status)
}

func (x *xxdCommand) dump(operands []string) error {
	r, done, err := x.open(operands[0])
	if err != nil {
		return x.failed(2, operands[0], err)
	}
	defer done()
	out, _ := x.Stdout.(io.Seeker)
	if info := statStream(x.Stdout); info == nil || !info.FileMode.IsRegular() {
		out = nil
	}
	if operands[1] != "-" {
		flags := vfs.O_WRONLY | vfs.O_CREATE | vfs.O_TRUNC
		if x.revert {
			flags = vfs.O_RDWR | vfs.O_CREATE
		}
		f, err := x.View().Open(x.ctx, operands[1], flags, 0o666)
		if err != nil {
			return x.failed(3, operands[1], err)
		}
		defer f.Close()
		x.w, out = bufio.NewWriter(f), f
	}
	x.in = bufio.NewReaderSize(r, 32<<10)
	if x.revert {
		err = x.revertAll(out)
	} else if err = x.skip(r); err == nil {
		switch x.kind {
		case xxdPlain:
			err = x.plain()
		case xxdInclude:
			err = x.include(operands[0])
		default:
			err = x.lines()
		}
	}
	if flushed := x.w.Flush(); flushed != nil && !x.ends(flushed) {
		x.warnf("%s", vfs.Words(flushed))
		return command.ExitError(x.program.output.status)
	} else if err == nil {
		err = flushed
	}
	if err != nil && !x.ends(err) {
		x.warnf("%s", vfs.Words(err))
		return command.ExitError(2)
	}
	return err
}

// skip goes to the offset of -s.
func (x *xxdCommand) skip(r io.Reader) error {
	if x.relative && x.seek == 0 {
		return nil
	}
	offset, whence := x.seek, io.SeekStart
	if x.back {
		offset, whence = -x.seek, io.SeekEnd
	}
	if x.relative {
		whence = io.SeekCurrent
	}
	if f, _, _, ok := regularFile(r); ok {
		at, err := f.Seek(offset, whence)
		if err == nil {
			x.seek = at
			return nil
		}
	}
	if x.back {
		x.warnf("Sorry, cannot seek.")
		return command.ExitError(4)
	}
	n, err := io.CopyN(io.Discard, x.in, x.seek)
	if err != nil && n < x.seek {
		if err != io.EOF {
			return err
		}
		x.warnf("Sorry, cannot seek.")
		return command.ExitError(4)
	}
	return nil
}

// next is the next byte to show; ok is false at the end.
func (x *xxdCommand) next() (b byte, ok bool, err error) {
	if x.length >= 0 && x.count >= x.length {
		return 0, false, nil
	}
	if x.count&0xffff == 0 {
		if err := x.ctx.Err(); err != nil {
			return 0, false, err
		}
	}
	b, err = x.in.ReadByte()
	if err == io.EOF {
		return 0, false, nil
	}
	x.count++
	return b, err == nil, err
}

func (x *xxdCommand) digits() string {
	if x.upper {
		return "0123456789ABCDEF"
	}
	return "0123456789abcdef"
}

func (x *xxdCommand) plain() error {
	hex, left := x.digits(), x.columns
	for {
		b, ok, err := x.next()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		x.w.WriteByte(hex[b>>4])
		if err := x.w.WriteByte(hex[b&15]); err != nil {
			return err
		}
		if left--; left == 0 {
			x.w.WriteByte('\n')
			left = x.columns
		}
	}
	if x.columns == 0 || left < x.columns {
		x.w.WriteByte('\n')
	}
	return nil
}

func (x *xxdCommand) include(file string) error {
	name, array := x.name, x.name != "" || file != "-"
	if name == "" {
		name = file
	}
	suffix := "_len"
	if x.capitalize {
		suffix = "_LEN"
	}
	var variable strings.Builder
	if name != "" && name[0] >= '0' && name[0] <= '9' {
		variable.WriteString("__")
	}
	for _, c := range []byte(name) {
		switch letter := c | 0x20; {
		case c >= '0' && c <= '9':
		case letter < 'a' || letter > 'z':
			c = '_'
		case x.capitalize:
			c = upperASCII(c)
		}
		variable.WriteByte(c)
	}
	if array {
		x.w.WriteString("unsigned char " + variable.String() + "[] = {\n")
	}
	prefix, hex := "0x", x.digits()
	if x.upper {
		prefix = "0X"
	}
	for {
		at := x.count
		b, ok, err := x.next()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		switch {
		case at == 0:
			x.w.WriteString("  ")
		case at%x.columns != 0:
			x.w.WriteString(", ")
		default:
			x.w.WriteString(",\n  ")
		}
		x.w.WriteString(prefix)
		x.w.WriteByte(hex[b>>4])
		if err := x.w.WriteByte(hex[b&15]); err != nil {
			return err
		}
	}
	if x.count > 0 {
		x.w.WriteByte('\n')
	}
	if array {
		fmt.Fprintf(x.w, "};\nunsigned int %s%s = %d;\n", variable.String(), suffix, x.count)
	}
	return nil
}

// lines shows an address, the bytes and their characters.
func (x *xxdCommand) lines() error {
	hex, each := x.digits(), int64(2)
	if x.kind == xxdBits {
		each = 8
	}
	groupWidth := each*x.group + 1
	textAt := (groupWidth*x.columns - 1) / x.group
	if x.kind == xxdLittle {
		textAt = groupWidth*((x.columns+x.group-1)/x.group) - 1
	}
	skipper := xxdSkipper{w: x.w}
	var row []byte
	for {
		row = row[:0]
		start := x.seek + x.display + x.count
		if x.decimal {
			row = fmt.Appendf(row, "%08d:", start)
		} else {
			row = fmt.Appendf(row, "%08x:", uint64(start))
		}
		address := int64(len(row))
		var p int64
		zero := true
		for ; p < x.columns; p++ {
			b, ok, err := x.next()
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			if p == 0 {
				row = odFill(row, ' ', int(3+textAt+x.columns))
			}
			zero = zero && b == 0
			cell := p
			if x.kind == xxdLittle {
				cell ^= x.group - 1
			}
			at := address + 1 + groupWidth*cell/x.group
			if x.kind == xxdBits {
				for i := range int64(8) {
					row[at+i] = '0' + b>>(7-i)&1
				}
			} else {
				row[at], row[at+1] = hex[b>>4], hex[b&15]
			}
			if x.ebcdic {
				if b < 0x40 {
					b = '.'
				} else {
					b = xxdEBCDIC[b-0x40]
				}
			}
			if b < ' ' || b > '~' {
				b = '.'
			}
			row[address+3+textAt+p] = b
		}
		if p == 0 {
			return skipper.end()
		}
		row = append(row[:address+3+textAt+p], '\n')
		if err := skipper.line(row, x.autoSkip && zero && p == x.columns); err != nil {
			return err
		}
		if p < x.columns {
			return nil
		}
	}
}

// xxdSkipper writes a run of lines of zeros as the first one and a star, or both
// where there are two.
type xxdSkipper struct {
	w    *bufio.Writer
	last []byte // the latest line of zeros
	run  int
}

func (s *xxdSkipper) line(row []byte, zeros bool) error {
	if zeros {
		if s.run++; s.run > 1 {
			s.last = append(s.last[:0], row...)
			return nil
		}
	} else {
		if s.run == 2 {
			s.w.Write(s.last)
		} else if s.run > 2 {
			s.w.WriteString("*\n")
		}
		s.run = 0
	}
	_, err := s.w.Write(row)
	return err
}

// end shows the last line of zeros: its address tells the length.
func (s *xxdSkipper) end() error {
	if s.run > 2 {
		s.w.WriteString("*\n")
	}
	if s.run > 1 {
		s.w.Write(s.last)
	}
	return nil
}

// revertAll turns a dump back into bytes; out is where it can seek, else nil.
func (x *xxdCommand) revertAll(out io.Seeker) error {
	if x.kind != xxdHex && x.kind != xxdPlain {
		x.warnf("Sorry, cannot revert this type of hexdump")
		return command.ExitError(255)
	}
	base := x.seek
	if x.back {
		base = -base
	}
	var have, want int64
	n1, n2, n3 := -1, -1, -1
	p, garbage := x.columns, true
	skipLine := func(c byte) (byte, error) {
		for c != '\n' {
			var err error
			if c, err = x.in.ReadByte(); err != nil {
				return c, err
			}
		}
		return c, nil
	}
	for {
		c, err := x.in.ReadByte()
		if err == io.EOF {
			return nil
		}
		if err == nil && c == '\n' {
			err = x.ctx.Err()
		}
		if err != nil {
			return err
		}
		if c == '\r' || x.kind == xxdPlain && (c == ' ' || c == '\n' || c == '\t') {
			continue
		}
		n3, n2 = n2, n1
		n1 = strings.IndexByte("0123456789abcdef", c|0x20)
		if c < '0' {
			n1 = -1
		}
		if n1 < 0 && garbage {
			continue
		}
		garbage = false
		if p >= x.columns {
			if x.kind == xxdHex {
				if n1 < 0 {
					p = 0
				} else {
					want = want<<4 | int64(n1)
				}
				continue
			}
			p = 0
		}
		if base+want != have {
			if have, err = x.moveTo(out, have, base+want); err != nil {
				return err
			}
		}
		switch {
		case n2 >= 0 && n1 >= 0:
			if err := x.w.WriteByte(byte(n2<<4 | n1)); err != nil {
				return err
			}
			have, want, n1 = have+1, want+1, -1
			if p++; p >= x.columns && x.kind == xxdHex {
				c, err = skipLine(c)
			}
		case n1 < 0 && n2 < 0 && n3 < 0:
			c, err = skipLine(c)
		}
		if c == '\n' {
			p, garbage = x.columns, true
			if x.kind == xxdHex {
				want = 0
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// moveTo goes from have to want: by seeking, or by writing zeros.
func (x *xxdCommand) moveTo(out io.Seeker, have, want int64) (int64, error) {
	if out != nil {
		if err := x.w.Flush(); err != nil {
			return have, err
		}
		if _, err := out.Seek(want-have, io.SeekCurrent); err == nil {
			return want, nil
		}
	}
	if want < have {
		x.warnf("Sorry, cannot seek backwards.")
		return have, command.ExitError(5)
	}
	for zeros := make([]byte, 4096); have < want; {
		n, err := x.w.Write(zeros[:min(int64(len(zeros)), want-have)])
		have += int64(n)
		if err == nil {
			err = x.ctx.Err()
		}
		if err != nil {
			return have, err
		}
	}
	return have, nil
}

func xxdProgram(string) *program {
	return &program{
		output: outputStyle{unchecked: true, status: 3},
		usage: `xxd [OPTION]... [INFILE [OUTFILE]]
   or: xxd -r [-s [-]OFFSET] [-c COLUMNS] [-p] [INFILE [OUTFILE]]
  -a          show a run of lines of zeros as *
  -b          show bits
  -C          capital letters in the names of -i
  -c COLUMNS  bytes in a line: 16, or 12 with -i, 30 with -p, 6 with -b
  -d          decimal addresses
  -E          characters in EBCDIC
  -e          groups are little-endian words
  -g BYTES    bytes in a group: 2, or 4 with -e, 1 with -b
  -h          print this
  -i          a C array
  -l LENGTH   stop after so many bytes
  -n NAME     the array's name
  -o OFFSET   add to the addresses
  -p          only the digits
  -r          turn a dump back into bytes
  -s OFFSET   begin there; + relative, - from the end; with -r add to the addresses
  -u          capital digits
  -v          print the version`,
		options: getopt.Spec{},
		run:     xxdRun,
	}
}
