package builtins

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/vsh-project/vsh/builtins/internal/compress"
	"github.com/vsh-project/vsh/builtins/internal/deflate"
	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/vfs"
)

const (
	gzipRsyncable = 256 + iota
	gzipSynchronous
)

// gzipCommand is one run of gzip, gunzip or zcat.
type gzipCommand struct {
	*call
	decompress, stdout, force, keep, list, test bool
	noName, withName, quiet, recursive, verbose bool
	suffix                                      string
	level                                       int
	listed                                      bool
	total, totalSize                            uint64
	// lastHeader is what is no data in the last file, all that gzip takes off the
	// total.
	lastHeader int64
	// lastSize is what the last member of the last stream held.
	lastSize int64
}

// gzipTrouble and gzipWarning are the two statuses besides 0; trouble wins.
const (
	gzipTrouble = 1
	gzipWarning = 2
)

func gzipRun(c *call) error {
	g := &gzipCommand{call: c, suffix: ".gz", level: 6}
	switch c.program.name {
	case "gunzip":
		g.decompress = true
	case "zcat":
		g.decompress, g.stdout = true, true
	}
	operands, err := c.parse(g.option)
	if err != nil {
		return err
	}
	if g.suffix == "" || len(g.suffix) > 30 {
		c.out.Flush()
		fmt.Fprintf(c.Stderr, "gzip: invalid suffix '%s'\n", g.suffix)
		return exitWith(gzipTrouble)
	}
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	for _, name := range operands {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if name == "-" {
			err = g.stream()
		} else {
			err = g.operand(name)
		}
		if err != nil {
			return err
		}
	}
	if g.list && len(operands) > 1 && !g.quiet {
		g.listTotals()
	}
	return nil
}

func (g *gzipCommand) option(p *getopt.Parser) error {
	switch p.Key {
	case 'c':
		g.stdout = true
	case 'd':
		g.decompress = true
	case 'f':
		g.force = true
	case 'h':
		return g.showHelp()
	case 'k':
		g.keep = true
	case 'l':
		g.list, g.decompress, g.stdout = true, true, true
	case 'L':
		fmt.Fprintf(g.out, "%s\n", "vsh's gzip is under the MIT licence.")
		return errDone
	case 'n':
		g.noName, g.withName = true, false
	case 'N':
		g.noName, g.withName = false, true
	case 'q':
		g.quiet, g.verbose = true, false
	case 'r':
		g.recursive = true
	case 'a':
		g.warnf("option --ascii ignored on this system")
	case 'S':
		g.suffix = p.Value
	case 't':
		g.test, g.decompress, g.stdout = true, true, true
	case 'v':
		g.verbose, g.quiet = true, false
	case 'V':
		return g.showVersion()
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		g.level = int(p.Key - '0')
	}
	return nil
}

// complain prints "gzip: message" and raises the status.
func (g *gzipCommand) complain(status uint8, format string, args ...any) {
	if status == gzipWarning && g.quiet {
		g.raise(status)
		return
	}
	g.out.Flush()
	fmt.Fprintf(g.Stderr, "gzip: %s\n", fmt.Sprintf(format, args...))
	g.raise(status)
}

func (g *gzipCommand) raise(status uint8) {
	if g.status != gzipTrouble {
		g.status = status
	}
}

// stream is the operand "-".
func (g *gzipCommand) stream() error {
	modified := time.Time{}
	if info := statStream(g.Stdin); info != nil && info.FileMode.IsRegular() {
		modified = info.Modified
	}
	switch {
	case g.list:
		at := modified
		if at.IsZero() {
			at = g.Host().Now()
		}
		return g.listOne(g.Stdin, -1, at, "stdin", "stdout")
	case g.decompress:
		clean, err := g.unpack(g.Stdin, "stdin", "", g.out)
		if clean && err == nil && g.test && g.verbose {
			g.note(" OK")
		}
		return err
	}
	size, packed, err := g.pack(g.Stdin, "", modified, g.out)
	if err == nil && g.verbose {
		g.note("%s", gzipRatio(size-(packed-gzipOverhead), size))
	}
	var unread *copyReadError
	if errors.As(err, &unread) {
		g.out.Reset(g.Stdout) // the header, which waits for what follows it
		return g.readFailed("stdin", unread.err)
	}
	return g.failed("stdin", err)
}

// readFailed is failed for what was open: its line stands after an empty one.
func (g *gzipCommand) readFailed(name string, err error) error {
	switch {
	case g.ends(err):
		return err
	case name == "stdin" && errors.Is(err, vfs.EBADF):
		g.complain(gzipTrouble, "standard input: %s", vfs.Words(err))
	default:
		g.out.Flush()
		fmt.Fprintln(g.Stderr)
		g.complain(gzipTrouble, "%s: %s", name, vfs.Words(err))
	}
	return nil
}

// failed reports what kept a file from being read or written; an end of the
// run is passed on.
func (g *gzipCommand) failed(name string, err error) error {
	if err == nil {
		return nil
	}
	if g.ends(err) {
		return err
	}
	g.complain(gzipTrouble, "%s: %s", name, vfs.Words(err))
	return nil
}

// suffixes are what gunzip takes off, longest first.
func (g *gzipCommand) suffixOf(name string) string {
	base := path.Base(name)
	for _, s := range []string{g.suffix, ".gz", ".z", ".taz", ".tgz", "-gz", "-z", "_z", ".Z"} {
		if len(base) > len(s) && strings.EqualFold(base[len(base)-len(s):], s) {
			return base[len(base)-len(s):]
		}
	}
	return ""
}

func (g *gzipCommand) operand(name string) error {
	view := g.View()
	stat := view.Lstat
	if g.stdout || g.force {
		stat = view.Stat
	}
	info, err := stat(g.ctx, name)
	if vfs.Errno(err) == vfs.ENOENT && g.decompress && g.suffixOf(name) == "" {
		for _, s := range []string{g.suffix, ".gz", ".z", "-z", ".Z"} {
			if found, err2 := stat(g.ctx, name+s); err2 == nil {
				name, info, err = name+s, found, nil
				break
			}
		}
		if err != nil {
			name += g.suffix
		}
	}
	if err != nil {
		return g.failed(name, err)
	}
	switch {
	case info.IsDir():
		if g.recursive {
			return g.directory(name)
		}
		g.complain(gzipWarning, "%s is a directory -- ignored", name)
		return nil
	case info.FileMode.Type() == fs.ModeSymlink:
		g.complain(gzipTrouble, "%s: %s", name, vfs.Words(vfs.ELOOP))
		return nil
	case !info.FileMode.IsRegular() && !g.stdout:
		g.complain(gzipWarning, "%s is not a directory or a regular file - ignored", name)
		return nil
	case info.Links > 1 && !g.stdout && !g.force:
		plural := ""
		if info.Links > 2 {
			plural = "s"
		}
		g.complain(gzipWarning, "%s has %d other link%s -- file ignored", name, info.Links-1, plural)
		return nil
	}
	target, ok := g.target(name)
	if !ok {
		return nil
	}
	in, err := view.Open(g.ctx, name, vfs.O_RDONLY, 0)
	if err != nil {
		return g.failed(name, err)
	}
	defer in.Close()
	if g.list {
		return g.listOne(in, info.Bytes, info.Modified, name, target)
	}
	if g.stdout {
		if g.decompress {
			clean, err := g.unpack(in, name, name, g.out)
			switch {
			case !clean || err != nil || !g.verbose:
			case g.test:
				g.note("%s:\t OK", name)
			default:
				g.note("%s:\t%s -- replaced with stdout", name, gzipRatio(g.lastSize-(info.Bytes-g.lastHeader), g.lastSize))
			}
			return err
		}
		size, packed, err := g.pack(in, path.Base(name), info.Modified, g.out)
		if err == nil && g.verbose {
			g.note("%s:\t%s -- replaced with stdout", name, gzipRatio(size-(packed-g.header(name)), size))
		}
		return g.failed(name, err)
	}
	return g.replace(in, info, name, target)
}

// target is the name of the file to make; ok is false where there is none.
func (g *gzipCommand) target(name string) (target string, ok bool) {
	suffix := g.suffixOf(name)
	if !g.decompress {
		if suffix != "" && !g.stdout && (suffix != ".Z" || strings.HasSuffix(name, g.suffix)) {
			if g.verbose || !g.recursive && !g.quiet {
				g.out.Flush()
				fmt.Fprintf(g.Stderr, "gzip: %s already has %s suffix -- unchanged\n", name, suffix)
			}
			return "", false
		}
		return name + g.suffix, true
	}
	if suffix == "" {
		if !g.stdout {
			if !g.recursive {
				g.complain(gzipWarning, "%s: unknown suffix -- ignored", name)
			}
			return "", false
		}
		return name, true
	}
	target = name[:len(name)-len(suffix)]
	if strings.EqualFold(suffix, ".tgz") || strings.EqualFold(suffix, ".taz") {
		target += ".tar"
	}
	return target, true
}

func (g *gzipCommand) directory(name string) error {
	entries, err := g.View().ReadDir(g.ctx, name)
	if err != nil {
		return g.failed(name, err)
	}
	for _, e := range entries {
		if err := g.ctx.Err(); err != nil {
			return err
		}
		if err := g.operand(path.Join(name, e.Name)); err != nil {
			return err
		}
	}
	return nil
}

// replace makes target from name and, if all went well, removes name.
func (g *gzipCommand) replace(in io.Reader, info *vfs.Info, name, target string) error {
	view := g.View()
	var z *compress.Gunzip
	if g.decompress {
		var err error
		z, err = compress.NewGunzip(in)
		if err != nil {
			return g.unpackFailed(name, err)
		}
		if base := path.Base(z.Name); g.withName && z.Name != "" && base != "." && base != "/" {
			target = path.Join(path.Dir(name), base)
		}
	}
	if _, err := view.Lstat(g.ctx, target); err == nil {
		if !g.force {
			if !g.quiet {
				g.out.Flush()
				fmt.Fprintf(g.Stderr, "gzip: %s already exists;\tnot overwritten\n", target)
			}
			g.raise(gzipWarning)
			return nil
		}
		if err := view.Unlink(g.ctx, target); err != nil {
			return g.failed(target, err)
		}
	}
	modified, ratio, culprit := info.Modified, "", target
	err := g.makeFile(target, info.FileMode&0o600, func(out io.Writer) error {
		culprit = name
		if g.decompress {
			clean, err := g.inflate(z, name, out)
			if err == nil && !clean {
				err = errReported
			}
			if g.withName && !z.Modified.IsZero() {
				modified = z.Modified
			}
			ratio = gzipRatio(int64(z.Size)-(info.Bytes-z.Overhead), int64(z.Size))
			return err
		}
		size, packed, err := g.pack(in, path.Base(name), info.Modified, out)
		ratio = gzipRatio(size-(packed-g.header(name)), size)
		return err
	})
	if err == errReported {
		return nil
	}
	if err != nil {
		return g.failed(culprit, err)
	}
	view.Chown(g.ctx, target, info.UID, info.GID, true)
	view.Chmod(g.ctx, target, info.FileMode&(fs.ModePerm|fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky))
	view.Chtimes(g.ctx, target, info.Accessed, modified, true)
	if g.verbose {
		what := "replaced with"
		if g.keep {
			what = "created"
		}
		g.out.Flush()
		fmt.Fprintf(g.Stderr, "%s:\t%s -- %s %s\n", name, ratio, what, target)
	}
	if g.keep {
		return nil
	}
	return g.failed(name, view.Unlink(g.ctx, name))
}

// gzipOverhead is the size of header and trailer without a name.
const gzipOverhead = 18

// header is the size of the header and trailer that pack writes.
func (g *gzipCommand) header(name string) int64 {
	if g.noName {
		return gzipOverhead
	}
	return gzipOverhead + int64(len(path.Base(name))) + 1
}

// note prints a line that is no complaint.
func (g *gzipCommand) note(format string, args ...any) {
	g.out.Flush()
	fmt.Fprintf(g.Stderr, format+"\n", args...)
}

// errReported ends a file whose fault has been told.
var errReported = errors.New("reported")

func gzipRatio(num, den int64) string {
	if den == 0 {
		return fmt.Sprintf("%5.1f%%", 0.0)
	}
	return fmt.Sprintf("%5.1f%%", 100*float64(num)/float64(den))
}

// countReader counts what is read.
type countReader struct {
	io.Reader
	n int64
}

func (r *countReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.n += int64(n)
	return n, err
}

// counter counts what is written.
type counter struct {
	io.Writer
	n int64
}

func (w *counter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.n += int64(n)
	return n, err
}

// pack writes a gzip member.
func (g *gzipCommand) pack(in io.Reader, name string, modified time.Time, out io.Writer) (size, packed int64, err error) {
	w := &counter{Writer: out}
	header := []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3}
	if !g.noName {
		if seconds := modified.Unix(); seconds > 0 && seconds < 1<<32 {
			binary.LittleEndian.PutUint32(header[4:], uint32(seconds))
		}
		if name != "" {
			header[3] = 8
			header = append(append(header, name...), 0)
		}
	}
	switch g.level {
	case 1:
		header[8] = 4
	case 9:
		header[8] = 2
	}
	if _, err := w.Write(header); err != nil {
		return 0, 0, err
	}
	packer := deflate.NewWriter(w, g.level)
	sum := crc32.NewIEEE()
	plain := &counter{Writer: io.MultiWriter(packer, sum)}
	if err := copyBlocks(g.ctx, plain, in); err != nil {
		return 0, 0, err
	}
	if err := packer.Close(); err != nil {
		return 0, 0, err
	}
	var tail [8]byte
	binary.LittleEndian.PutUint32(tail[:], sum.Sum32())
	binary.LittleEndian.PutUint32(tail[4:], uint32(plain.n))
	_, err = w.Write(tail[:])
	return plain.n, w.n, err
}

// unpack writes what a stream holds; clean is false where it was broken, which
// has been reported.
func (g *gzipCommand) unpack(in io.Reader, shown, name string, out io.Writer) (clean bool, err error) {
	z, err := compress.NewGunzip(in)
	if (err == compress.ErrFormat || err == compress.ErrEnd && z.Short) && g.force && (g.stdout || name == "") {
		return true, g.failed(shown, copyBlocks(g.ctx, out, z.Buffered()))
	}
	if err != nil {
		return false, g.unpackFailed(shown, err)
	}
	if g.test {
		out = io.Discard
	}
	return g.inflate(z, shown, out)
}

func (g *gzipCommand) inflate(z *compress.Gunzip, shown string, out io.Writer) (clean bool, err error) {
	if err := copyBlocks(g.ctx, out, z); err != nil {
		var broken *copyReadError
		if errors.As(err, &broken) {
			return false, g.unpackFailed(shown, broken.err)
		}
		return false, err
	}
	g.lastHeader, g.lastSize = z.Overhead, int64(z.Size)
	if z.Garbage {
		if !g.quiet {
			g.out.Flush()
			fmt.Fprintf(g.Stderr, "\ngzip: %s: decompression OK, trailing garbage ignored\n", shown)
		}
		g.raise(gzipWarning)
	}
	return true, nil
}

// unpackFailed reports a broken stream: those words stand after an empty line.
func (g *gzipCommand) unpackFailed(shown string, err error) error {
	var method compress.MethodError
	switch {
	case errors.As(err, &method):
		g.complain(gzipTrouble, "%s: %s", shown, err)
		return nil
	case errors.Is(err, compress.ErrFormat), errors.Is(err, compress.ErrEnd), errors.Is(err, compress.ErrCRC), errors.Is(err, compress.ErrLength), errors.Is(err, compress.ErrViolated):
		g.out.Flush()
		fmt.Fprintf(g.Stderr, "\ngzip: %s: %s\n", shown, err)
		g.raise(gzipTrouble)
		return nil
	}
	return g.readFailed(shown, err)
}

// listOne is -l's line of a file of a size; it is counted where size is negative.
func (g *gzipCommand) listOne(in io.Reader, size int64, at time.Time, name, target string) error {
	packed := &countReader{Reader: in}
	z, err := compress.NewGunzip(packed)
	if err != nil {
		return g.unpackFailed(name, err)
	}
	clean, err := g.inflate(z, name, io.Discard)
	if err != nil || !clean {
		return err
	}
	if size < 0 {
		size = packed.n
	}
	if g.withName && z.Name != "" {
		target = z.Name
	}
	if !g.listed && !g.quiet {
		if g.verbose {
			g.out.WriteString("method  crc     date  time  ")
		}
		g.out.WriteString("         compressed        uncompressed  ratio uncompressed_name\n")
	}
	g.listed = true
	if g.verbose {
		if g.withName && !z.Modified.IsZero() {
			at = z.Modified
		}
		fmt.Fprintf(g.out, "defla %08x %s ", z.CRC, at.In(g.location()).Format("Jan _2 15:04"))
	}
	fmt.Fprintf(g.out, "%19d %19d %s %s\n", size, z.Size, gzipRatio(int64(z.Size)-(size-z.Overhead), int64(z.Size)), target)
	g.total += uint64(size)
	g.totalSize += z.Size
	return nil
}

func (g *gzipCommand) listTotals() {
	if !g.listed {
		return
	}
	if g.verbose {
		g.out.WriteString("                            ")
	}
	fmt.Fprintf(g.out, "%19d %19d %s (totals)\n", g.total, g.totalSize, gzipRatio(int64(g.totalSize)-(int64(g.total)-g.lastHeader), int64(g.totalSize)))
}

func gzipProgram(name string) *program {
	return &program{
		oldTry:   true,
		speaksAs: "gzip",
		output:   outputStyle{line: "\nstdout: "},
		usage: name + ` [OPTION]... [FILE]...
Compress each FILE to FILE.gz and remove it, or decompress it again. Standard
input, compressed to standard output, for no FILE or "-".

  -c, --stdout, --to-stdout  write to standard output, keep the files
  -d, --decompress, --uncompress
  -f, --force                overwrite, follow links, copy what is no gzip (-cd)
  -k, --keep                 keep the files
  -l, --list                 list sizes and ratio of compressed files
  -n, --no-name  -N, --name  leave out or use the name and time inside
  -q, --quiet  -v, --verbose
  -r, --recursive            what is in directories too
  -S, --suffix=SUF           use SUF for .gz
  -t, --test                 only check
  -1, --fast ... -9, --best  how hard to try (6)`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'a', Long: "ascii"}, {Key: '9', Long: "best"}, {Key: 'b', Long: "bits", Argument: getopt.Required}, {Key: 'c', Long: "stdout"}, {Key: 'c', Long: "to-stdout"}, {Key: 'd', Long: "decompress"}, {Key: 'd', Long: "uncompress"},
			{Key: 'f', Long: "force"}, {Key: 'h'}, {Key: 'k', Long: "keep"}, {Key: 'l', Long: "list"}, {Key: 'L', Long: "license"},
			{Key: 'n', Long: "no-name"}, {Key: 'N', Long: "name"}, {Key: 'q', Long: "quiet"}, {Key: 'q', Long: "silent"}, {Key: 'r', Long: "recursive"},
			{Key: gzipSynchronous, Long: "synchronous"}, {Key: 'S', Long: "suffix", Argument: getopt.Required}, {Key: 't', Long: "test"}, {Key: 'v', Long: "verbose"}, {Key: 'V'},
			{Key: '1', Long: "fast"}, {Key: '2'}, {Key: '3'}, {Key: '4'}, {Key: '5'}, {Key: '6'}, {Key: '7'}, {Key: '8'},
			{Key: gzipRsyncable, Long: "rsyncable"},
		}},
		run: gzipRun,
	}
}
