package builtins

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/builtins/internal/digest"
	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
)

// digestKind is an algorithm: tag is its name in checksum files, size its bytes,
// the most of them where the length is variable.
type digestKind struct {
	tag      string
	size     int
	variable bool
	make     func(size int) hash.Hash
}

func (k *digestKind) fits(bits uint64) bool {
	return bits > 0 && bits%8 == 0 && bits <= uint64(k.size)*8
}

func digestFixed(tag string, size int, make func() hash.Hash) *digestKind {
	return &digestKind{tag: tag, size: size, make: func(int) hash.Hash { return make() }}
}

func digestByName(name string) *digestKind {
	switch name {
	case "md5":
		return digestFixed("MD5", md5.Size, md5.New)
	case "sha1":
		return digestFixed("SHA1", sha1.Size, sha1.New)
	case "sha224":
		return digestFixed("SHA224", sha256.Size224, sha256.New224)
	case "sha256":
		return digestFixed("SHA256", sha256.Size, sha256.New)
	case "sha384":
		return digestFixed("SHA384", sha512.Size384, sha512.New384)
	case "sha512":
		return digestFixed("SHA512", sha512.Size, sha512.New)
	case "sm3":
		return digestFixed("SM3", 32, digest.NewSM3)
	case "blake2b":
		return &digestKind{tag: "BLAKE2b", size: 64, variable: true, make: digest.NewBLAKE2b}
	}
	return nil
}

// digestCommand is one run of md5sum, its relatives, or cksum with -a.
type digestCommand struct {
	*call
	kind *digestKind
	size int // bytes in use, kind.size unless chosen
	// byTag finds the algorithm of a checksum line by its tag (cksum without -a).
	byTag  bool
	length digestLength

	check, tag, text, binary           bool
	ignoreMissing, quiet, status, warn bool
	strict                             bool
	end                                byte
	block                              []byte
	reversed                           int8 // 1 with lines of the form HEX NAME, -1 once others came
}

// digestLength is the argument of -l.
type digestLength struct {
	bits uint64
	text string
}

func (d *digestCommand) option(p *getopt.Parser) (err error) {
	switch p.Key {
	case 'b':
		d.binary, d.text = true, false
	case 't':
		d.text, d.binary = true, false
	case 'c':
		d.check = true
	case 'z':
		d.end = 0
	case 'w':
		d.status, d.warn, d.quiet = false, true, false
	case 'l':
		return d.setLength(p.Value)
	case digestTag:
		d.tag, d.binary, d.text = true, true, false
	case digestIgnoreMissing:
		d.ignoreMissing = true
	case digestQuiet:
		d.status, d.warn, d.quiet = false, false, true
	case digestStatus:
		d.status, d.warn, d.quiet = true, false, false
	case digestStrict:
		d.strict = true
	}
	return nil
}

func (d *digestCommand) setLength(text string) (err error) {
	d.length.text = text
	if d.length.bits, err = d.number(text, 0, 1<<64-1, "", "invalid length"); err == nil && d.length.bits%8 != 0 {
		d.errorf("invalid length: %s", quote(text))
		err = d.fatalf("length is not a multiple of 8")
	}
	return err
}

// applyLength sets size once the algorithm is known.
func (d *digestCommand) applyLength() error {
	d.size = d.kind.size
	switch {
	case d.length.bits > uint64(d.kind.size)*8:
		d.errorf("invalid length: %s", quote(d.length.text))
		return d.fatalf("maximum digest length for %s is %d bits", quote(d.kind.tag), d.kind.size*8)
	case d.length.bits > 0:
		d.size = int(d.length.bits / 8)
	}
	return nil
}

const (
	digestTag = 256 + iota
	digestUntagged
	digestIgnoreMissing
	digestQuiet
	digestStatus
	digestStrict
	digestDebug
)

// digestCheckOptions are those that md5sum and cksum share.
func digestCheckOptions() []getopt.Option {
	return []getopt.Option{
		{Key: 'c', Long: "check"}, {Key: digestIgnoreMissing, Long: "ignore-missing"}, {Key: digestQuiet, Long: "quiet"},
		{Key: digestStatus, Long: "status"}, {Key: 'w', Long: "warn"}, {Key: digestStrict, Long: "strict"},
		{Key: digestTag, Long: "tag"}, {Key: 'z', Long: "zero"},
	}
}

// conflicts reports options that do not go together.
func (d *digestCommand) conflicts() error {
	for _, o := range []struct {
		on   bool
		text string
	}{
		{d.tag && d.text && !d.check, "--tag does not support --text mode"},
		{d.end != '\n' && d.check, "the --zero option is not supported when verifying checksums"},
		{d.tag && d.check, "the --tag option is meaningless when verifying checksums"},
		{(d.binary || d.text) && d.check, "the --binary and --text options are meaningless when verifying checksums"},
		{d.ignoreMissing && !d.check, "the --ignore-missing option is meaningful only when verifying checksums"},
		{d.status && !d.check, "the --status option is meaningful only when verifying checksums"},
		{d.warn && !d.check, "the --warn option is meaningful only when verifying checksums"},
		{d.quiet && !d.check, "the --quiet option is meaningful only when verifying checksums"},
		{d.strict && !d.check, "the --strict option is meaningful only when verifying checksums"},
	} {
		if o.on {
			return d.usageErrorf("%s", o.text)
		}
	}
	return nil
}

func digestRun(c *call) error {
	d := &digestCommand{call: c, end: '\n', kind: digestByName(strings.TrimSuffix(c.program.name, "sum"))}
	if c.program.name == "b2sum" {
		d.kind = digestByName("blake2b")
	}
	operands, err := c.parse(d.option)
	if err == nil {
		err = d.applyLength()
	}
	if err == nil {
		err = d.conflicts()
	}
	if err != nil {
		return err
	}
	return d.run(operands)
}

func (d *digestCommand) run(operands []string) error {
	d.block = make([]byte, lines.BlockSize)
	if d.check {
		return d.closeLines(d.checkFiles(operands))
	}
	return d.closeLines(d.eachInput(operands, func(name string, r io.Reader) error {
		sum, err := d.sum(r)
		if err != nil {
			return err
		}
		return d.print(name, hex.EncodeToString(sum))
	}))
}

// closeLines flushes stdout at the end of a program that writes line by line:
// by then the cause of a failed write is forgotten.
func (c *call) closeLines(err error) error {
	if flushed := c.out.Flush(); flushed != nil && !c.ends(flushed) {
		return c.writeFailed(flushed)
	}
	return err
}

// sum reads r to its end.
func (d *digestCommand) sum(r io.Reader) ([]byte, error) {
	h := d.kind.make(d.size)
	if err := d.eachBlock(r, d.block, func(p []byte) { h.Write(p) }); err != nil {
		return nil, err
	}
	return h.Sum(nil), nil
}

// eachBlock hands visit what r holds, read into block.
func (c *call) eachBlock(r io.Reader, block []byte, visit func(p []byte)) error {
	for {
		n, err := r.Read(block)
		visit(block[:n])
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = c.ctx.Err()
		}
		if err != nil {
			return err
		}
	}
}

func (d *digestCommand) print(name, sum string) error {
	escaped := ""
	if d.end == '\n' {
		name, escaped = digestEscape(name)
	}
	var line string
	switch {
	case d.tag:
		line = escaped + d.kind.tag + d.lengthSuffix() + " (" + name + ") = " + sum
	case d.binary:
		line = escaped + sum + " *" + name
	default:
		line = escaped + sum + "  " + name
	}
	d.out.WriteString(line)
	return d.out.WriteByte(d.end)
}

func (d *digestCommand) lengthSuffix() string {
	if d.size == d.kind.size {
		return ""
	}
	return "-" + strconv.Itoa(d.size*8)
}

// digestEscape is a name as a checksum line shows it and the backslash that
// marks the line where that differs.
func digestEscape(name string) (string, string) {
	if !strings.ContainsAny(name, "\\\n\r") {
		return name, ""
	}
	return strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`).Replace(name), `\`
}

// digestUnescape undoes digestEscape.
func digestUnescape(name string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c == 0 {
			return "", false
		}
		if c == '\\' {
			i++
			if i == len(name) {
				return "", false
			}
			k := strings.IndexByte(`\nr`, name[i])
			if k < 0 {
				return "", false
			}
			c = "\\\n\r"[k]
		}
		b.WriteByte(c)
	}
	return b.String(), true
}

func (d *digestCommand) failed(name string, err error) error {
	if d.ends(err) {
		return err
	}
	d.fileError(name, err)
	return nil
}

func digestProgram(name string) *program {
	what := strings.ToUpper(strings.TrimSuffix(name, "sum"))
	options := append(digestCheckOptions(), getopt.Option{Key: 'b', Long: "binary"}, getopt.Option{Key: 't', Long: "text"})
	length := ""
	if name == "b2sum" {
		what = "BLAKE2b"
		options = append(options, getopt.Option{Key: 'l', Long: "length", Argument: getopt.Required})
		length = "  -l, --length=BITS   digest length, a multiple of 8, at most 512 (512)\n"
	}
	return &program{
		stdinClosed: "standard input",
		output:      outputStyle{flushesLines: true},
		usage: fmt.Sprintf(`%s [OPTION]... [FILE]...
Print the %s digest of each file, or of standard input for none or "-".

  -b, --binary        put * before names
  -c, --check         read digests from the files and check them
%s      --tag           print in BSD's form
  -t, --text          put a space before names (default)
  -z, --zero          end lines with NUL and escape no names

With --check:
      --ignore-missing  pass over files that are not there
      --quiet           print no OK
      --status          print nothing, only exit
      --strict          fail for lines that are no digest lines
  -w, --warn            name such lines`, name, what, length),
		options: getopt.Spec{Options: options},
		run:     digestRun,
	}
}
