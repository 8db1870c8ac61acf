package builtins

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/vsh-project/vsh/builtins/internal/human"
	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// ddCommand is one run of dd.
type ddCommand struct {
	*call
	inName, outName    string
	inGiven, outGiven  bool
	inBlock, outBlock  uint64
	bothBlock          uint64
	convertBlock       uint64
	skip, seek, count  ddAmount
	counted            bool
	conversion         ddConversion
	inFlags, outFlags  ddFlag
	status             ddStatus
	table              *[256]byte
	in                 io.Reader
	ahead              *bufio.Reader // over a regular file that is read in small blocks
	out                io.Writer
	outFile            vfs.File // nil where the output cannot seek
	w                  *bufio.Writer
	direct             bool // each block is written as it was read
	live               bool // a read may wait for somebody
	eager              bool // a write must not wait: somebody may read it
	started            time.Time
	inFull, inPartial  uint64
	outFull, outPart   uint64
	written, truncated uint64
	pending            uint64 // bytes of a block of output that is not full
	swabbed            int    // the byte that waits for its partner, or -1
	column             uint64 // of the record that is converted
	blanks             uint64 // that have been read in it
	hole               bool   // the output ends in what was not written
	charged            int64
}

// ddAmount counts blocks, or bytes.
type ddAmount struct {
	n     uint64
	bytes bool
}

type ddConversion uint32

const (
	ddASCII ddConversion = 1 << iota
	ddEBCDIC
	ddIBM
	ddBlock
	ddUnblock
	ddLower
	ddUpper
	ddSparse
	ddSwab
	ddSync
	ddExclusive
	ddNoCreate
	ddNoTruncate
	ddNoError
	ddDataSync
	ddFileSync
)

type ddFlag uint32

const (
	ddAppend ddFlag = 1 << iota
	ddDirect
	ddDirectory
	ddNoFollow
	ddNoCache
	ddFullBlock
	ddCountBytes
	ddSkipBytes
	ddSeekBytes
	ddOtherFlag
)

type ddStatus uint8

const (
	ddStatusDefault ddStatus = iota
	ddStatusNone
	ddStatusNoTransfer
)

type ddWord[T any] struct {
	name  string
	value T
}

func ddConversions() []ddWord[ddConversion] {
	return []ddWord[ddConversion]{
		{"ascii", ddASCII | ddUnblock}, {"ebcdic", ddEBCDIC | ddBlock}, {"ibm", ddIBM | ddBlock}, {"block", ddBlock}, {"unblock", ddUnblock},
		{"lcase", ddLower}, {"ucase", ddUpper}, {"sparse", ddSparse}, {"swab", ddSwab}, {"sync", ddSync}, {"excl", ddExclusive},
		{"nocreat", ddNoCreate}, {"notrunc", ddNoTruncate}, {"noerror", ddNoError}, {"fdatasync", ddDataSync}, {"fsync", ddFileSync},
	}
}

func ddFlags() []ddWord[ddFlag] {
	return []ddWord[ddFlag]{
		{"append", ddAppend}, {"direct", ddDirect}, {"directory", ddDirectory}, {"dsync", ddOtherFlag}, {"sync", ddOtherFlag},
		{"fullblock", ddFullBlock}, {"nonblock", ddOtherFlag}, {"noatime", ddOtherFlag}, {"nocache", ddNoCache}, {"noctty", ddOtherFlag},
		{"nofollow", ddNoFollow}, {"count_bytes", ddCountBytes}, {"skip_bytes", ddSkipBytes}, {"seek_bytes", ddSeekBytes},
	}
}

func ddRun(c *call) error {
	d := &ddCommand{call: c, inBlock: 512, outBlock: 512, swabbed: -1, inName: "standard input", outName: "standard output"}
	operands, err := c.parse(nil)
	if err != nil {
		return err
	}
	for _, o := range operands {
		if err := d.operand(o); err != nil {
			return err
		}
	}
	if err := d.settle(); err != nil {
		return err
	}
	done, err := d.openFiles()
	defer done()
	if err != nil {
		return err
	}
	d.started = c.Host().Now()
	err = d.transfer()
	if flushed := d.finish(); err == nil {
		err = flushed
	}
	if c.ctx.Err() != nil {
		return c.ctx.Err()
	}
	var exit command.ExitError
	if err == nil || errors.As(err, &exit) || errors.Is(err, vfs.EPIPE) {
		if !errors.Is(err, vfs.EPIPE) {
			d.statistics()
		}
	}
	return err
}

func (d *ddCommand) operand(text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return d.usageErrorf("unrecognized operand %s", quote(text))
	}
	amount := func(to *ddAmount) (err error) {
		to.n, err = d.amount(value)
		to.bytes = strings.Contains(value, "B")
		return err
	}
	size := func(to *uint64) error {
		n, err := d.amount(value)
		if err == nil && (n == 0 || n > math.MaxInt64-1) {
			cause := ""
			if n > 0 {
				cause = ": Value too large for defined data type"
			}
			return d.fatalf("invalid number: %s%s", quote(value), cause)
		}
		*to = n
		return err
	}
	switch name {
	case "if":
		d.inName, d.inGiven = value, true
	case "of":
		d.outName, d.outGiven = value, true
	case "ibs":
		return size(&d.inBlock)
	case "obs":
		return size(&d.outBlock)
	case "bs":
		return size(&d.bothBlock)
	case "cbs":
		return size(&d.convertBlock)
	case "skip", "iseek":
		return amount(&d.skip)
	case "seek", "oseek":
		return amount(&d.seek)
	case "count":
		d.counted = true
		return amount(&d.count)
	case "conv":
		set, err := ddWords(d, value, ddConversions(), "invalid conversion")
		for _, v := range set {
			d.conversion |= v
		}
		return err
	case "iflag", "oflag":
		what, to := "invalid input flag", &d.inFlags
		if name == "oflag" {
			what, to = "invalid output flag", &d.outFlags
		}
		set, err := ddWords(d, value, ddFlags(), what)
		for _, v := range set {
			*to |= v
		}
		if err == nil && name == "oflag" && *to&ddFullBlock != 0 {
			return d.usageErrorf("%s: %s", what, quote("fullblock"))
		}
		return err
	case "status":
		set, err := ddWords(d, value, []ddWord[ddStatus]{{"none", ddStatusNone}, {"noxfer", ddStatusNoTransfer}, {"progress", ddStatusDefault}}, "invalid status level")
		if err != nil {
			return err
		}
		d.status = set[len(set)-1]
	default:
		return d.usageErrorf("unrecognized operand %s", quote(text))
	}
	return nil
}

func ddWords[T any](d *ddCommand, value string, words []ddWord[T], what string) (set []T, err error) {
next:
	for _, word := range strings.Split(value, ",") {
		for _, w := range words {
			if w.name == word {
				set = append(set, w.value)
				continue next
			}
		}
		return nil, d.usageErrorf("%s: %s", what, quote(word))
	}
	return set, nil
}

// amount reads a number with its unit; two factors are joined by x.
func (d *ddCommand) amount(text string) (uint64, error) {
	product, status := uint64(1), numberOK
	for i, factor := range strings.SplitN(text, "x", 2) {
		n, bad := parseNumber(factor, "bcEGkKMPTwYZ0")
		if number, ok := strings.CutSuffix(factor, "B"); bad == numberBadSuffix && ok && i == 0 {
			n, bad = parseNumber(number, "bcEGkKMPTwYZ0")
		}
		if bad == numberInvalid || bad == numberBadSuffix {
			return 0, d.fatalf("invalid number: %s", quote(text))
		}
		if bad != numberOK {
			status = bad
		}
		product = multiply(product, n, &status)
	}
	if product == 0 && strings.HasPrefix(text, "0x") {
		d.warnf("warning: %s is a zero multiplier; use %s if that is intended", quote("0x"), quote("00x"))
	}
	if status != numberOK || product > math.MaxInt64 {
		return 0, d.fatalf("invalid number: %s: Value too large for defined data type", quote(text))
	}
	return product, nil
}

// settle checks the operands against one another.
func (d *ddCommand) settle() error {
	if d.bothBlock > 0 {
		d.inBlock, d.outBlock = d.bothBlock, d.bothBlock
		d.direct = true
	}
	if d.convertBlock == 0 {
		d.conversion &^= ddBlock | ddUnblock
	}
	many := func(bits uint32) bool { return bits&(bits-1) != 0 }
	set := func(c ddConversion) uint32 { return uint32(d.conversion & c) }
	switch {
	case many(set(ddASCII | ddEBCDIC | ddIBM)):
		return d.fatalf("cannot combine any two of {ascii,ebcdic,ibm}")
	case many(set(ddBlock | ddUnblock)):
		return d.fatalf("cannot combine block and unblock")
	case many(set(ddLower | ddUpper)):
		return d.fatalf("cannot combine lcase and ucase")
	case many(set(ddExclusive | ddNoCreate)):
		return d.fatalf("cannot combine excl and nocreat")
	case many(uint32(d.inFlags & (ddDirect | ddNoCache))), many(uint32(d.outFlags & (ddDirect | ddNoCache))):
		return d.fatalf("cannot combine direct and nocache")
	}
	d.skip.bytes = d.skip.bytes || d.inFlags&ddSkipBytes != 0
	d.count.bytes = d.count.bytes || d.inFlags&ddCountBytes != 0
	d.seek.bytes = d.seek.bytes || d.outFlags&ddSeekBytes != 0
	for _, a := range []struct {
		amount *ddAmount
		block  uint64
	}{{&d.skip, d.inBlock}, {&d.seek, d.outBlock}} {
		if !a.amount.bytes && a.amount.n > math.MaxInt64/a.block {
			return d.fatalf("invalid number: %s: Value too large for defined data type", quote(strconv.FormatUint(a.amount.n, 10)))
		}
	}
	if d.conversion&(ddASCII|ddEBCDIC|ddIBM|ddLower|ddUpper) != 0 {
		d.table = d.translation()
	}
	if d.conversion&(ddBlock|ddUnblock|ddSwab) != 0 || d.table != nil {
		d.direct = false
	}
	return nil
}

func (d *ddCommand) translation() *[256]byte {
	table := new([256]byte)
	for i := range table {
		b := byte(i)
		if d.conversion&ddASCII != 0 {
			b = ddToASCII[b]
		}
		if d.conversion&ddUpper != 0 {
			b = upperASCII(b)
		} else if d.conversion&ddLower != 0 && b >= 'A' && b <= 'Z' {
			b |= 0x20
		}
		if d.conversion&ddEBCDIC != 0 {
			b = ddToEBCDIC[b]
		} else if d.conversion&ddIBM != 0 {
			b = ddToIBM[b]
		}
		table[i] = b
	}
	return table
}

func (a ddAmount) in(block uint64) int64 {
	if a.bytes {
		return int64(a.n)
	}
	return int64(a.n * block)
}

func (d *ddCommand) openFiles() (done func(), err error) {
	var opened []io.Closer
	done = func() {
		for _, f := range opened {
			f.Close()
		}
		d.Host().Release(d.charged)
	}
	check := func(name string, flags ddFlag) error {
		if flags&(ddDirectory|ddNoFollow) == 0 {
			return nil
		}
		look := d.View().Stat
		if flags&ddNoFollow != 0 {
			look = d.View().Lstat
		}
		info, err := look(d.ctx, name)
		switch {
		case err != nil:
			return nil
		case info.FileMode&fs.ModeSymlink != 0:
			return vfs.ELOOP
		case flags&ddDirectory != 0 && !info.IsDir():
			return vfs.ENOTDIR
		}
		return nil
	}
	d.in = d.Stdin
	if d.inGiven {
		err := check(d.inName, d.inFlags)
		var f vfs.File
		if err == nil {
			f, err = d.View().Open(d.ctx, d.inName, vfs.O_RDONLY, 0)
		}
		if err != nil {
			return done, d.fatalf("failed to open %s: %s", quoteName(d.inName), vfs.Words(err))
		}
		opened = append(opened, f)
		d.in = f
	}
	info := statStream(d.in)
	d.live = info == nil || !info.FileMode.IsRegular() && info.FileMode&fs.ModeCharDevice == 0
	seek := d.seek.in(d.outBlock)
	if d.outGiven {
		flags := vfs.O_WRONLY
		if d.conversion&ddNoCreate == 0 {
			flags |= vfs.O_CREATE
		}
		if d.conversion&ddExclusive != 0 {
			flags |= vfs.O_EXCL
		}
		if d.outFlags&ddAppend != 0 {
			flags |= vfs.O_APPEND
		}
		if seek == 0 && d.conversion&ddNoTruncate == 0 {
			flags |= vfs.O_TRUNC
		}
		err := check(d.outName, d.outFlags)
		var f vfs.File
		if err == nil {
			f, err = d.View().Open(d.ctx, d.outName, flags, 0o666)
		}
		if err != nil {
			return done, d.fatalf("failed to open %s: %s", quoteName(d.outName), vfs.Words(err))
		}
		opened = append(opened, f)
		d.out, d.outFile = f, f
		if seek > 0 && d.conversion&ddNoTruncate == 0 {
			if info, err := f.Stat(); err == nil && info.FileMode.IsRegular() {
				if err := f.Truncate(seek); err != nil {
					return done, d.fatalf("failed to truncate to %d bytes in output file %s: %s", seek, quoteName(d.outName), vfs.Words(err))
				}
			}
		}
	} else {
		d.out = d.Stdout
		if s, ok := d.Stdout.(interface{ File() vfs.File }); ok {
			d.outFile = s.File()
		} else if f, ok := d.Stdout.(vfs.File); ok {
			d.outFile = f
		}
	}
	if info := statStream(d.out); info == nil || !info.FileMode.IsRegular() {
		d.eager = true
	}
	size := int(max(min(d.outBlock, 64<<10), 4<<10))
	d.w = bufio.NewWriterSize(ddSink{d}, size)
	return done, nil
}

// ddSink tells which file a failed write was to.
type ddSink struct{ d *ddCommand }

func (s ddSink) Write(p []byte) (int, error) {
	n, err := s.d.out.Write(p)
	if err != nil && !errors.Is(err, vfs.EPIPE) && s.d.ctx.Err() == nil {
		s.d.errorf("error writing %s: %s", quoteName(s.d.outName), vfs.Words(err))
		return n, command.ExitError(1)
	}
	return n, err
}

// statistics is the report at the end.
func (d *ddCommand) statistics() {
	if d.status == ddStatusNone {
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d+%d records in\n%d+%d records out\n", d.inFull, d.inPartial, d.outFull, d.outPart)
	if d.truncated > 0 {
		fmt.Fprintf(&b, "%d truncated record%s\n", d.truncated, ddPlural(d.truncated))
	}
	if d.status == ddStatusDefault {
		fmt.Fprintf(&b, "%d byte%s", d.written, ddPlural(d.written))
		options := human.Autoscale | human.Nearest | human.Suffix | human.B
		si, iec := ddSpaced(human.Format(d.written, options, 1, 1)), ddSpaced(human.Format(d.written, options|human.Base1024, 1, 1))
		prefixed := func(s string) bool { return s[len(s)-2] != ' ' }
		switch {
		case prefixed(iec) && prefixed(si):
			b.WriteString(" (" + si + ", " + iec + ")")
		case prefixed(si):
			b.WriteString(" (" + si + ")")
		}
		b.WriteString(" copied, " + d.rate() + "\n")
	}
	io.WriteString(d.Stderr, b.String())
}

func ddPlural(n uint64) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// ddSpaced puts a space between a number and its unit.
func ddSpaced(s string) string {
	i := strings.TrimRight(s, "BKkMGTPEZYi")
	return i + " " + s[len(i):]
}

func (d *ddCommand) rate() string {
	elapsed := d.Host().Now().Sub(d.started)
	if elapsed <= 0 {
		return "0 s, Infinity B/s"
	}
	// Six digits, as %g of C shows them.
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(elapsed.Seconds(), 'e', 5, 64), 64)
	seconds := strconv.FormatFloat(rounded, 'g', -1, 64)
	if d.written == 0 {
		return seconds + " s, 0.0 kB/s"
	}
	speed := ddSpaced(human.Format(d.written, human.Autoscale|human.Nearest|human.Suffix|human.B, uint64(time.Second), uint64(elapsed)))
	return seconds + " s, " + speed + "/s"
}

func ddProgram(string) *program {
	return &program{
		usage: `dd [OPERAND]...
Copy from standard input to standard output, block by block.

  if=FILE, of=FILE  read from and write to FILE
  bs=BYTES          size of blocks read and written (512); over ibs and obs
  ibs=BYTES, obs=BYTES
  cbs=BYTES         size of a record for conv=block and unblock
  count=N           copy only N blocks of input
  skip=N, iseek=N   leave out N blocks of input
  seek=N, oseek=N   begin N blocks into the output
  conv=WORDS        ascii ebcdic ibm block unblock lcase ucase sparse swab sync
                    excl nocreat notrunc noerror fdatasync fsync
  iflag=WORDS       count_bytes skip_bytes fullblock directory nofollow ...
  oflag=WORDS       append seek_bytes directory nofollow ...
  status=LEVEL      none, noxfer or progress

Numbers may end in c (1), w (2), b (512), kB, K, MB, M and so on; those of
count, skip and seek in B count bytes. 2x3 is a product.`,
		options: getopt.Spec{},
		run:     ddRun,
	}
}
