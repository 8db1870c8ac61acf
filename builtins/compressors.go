package builtins

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/vsh-project/vsh/builtins/internal/compress"
	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/vfs"
)

// packerKind is one of the compressors besides gzip.
type packerKind struct {
	format compress.Format
	suffix string
	// keeps says that the files stay without -k, as with zstd.
	keeps bool
	// bad is the message for what it cannot read, and badStatus the exit status.
	bad       string
	badStatus uint8
	// directory is the exit status for a directory that is passed over.
	directory uint8
}

// packer is one run of such a compressor.
type packer struct {
	*call
	kind                                  packerKind
	decompress, stdout, force, keep, test bool
	recursive                             bool
	output, suffix                        string
	level                                 int
}

func packerRun(kind packerKind) func(*call) error {
	return func(c *call) error {
		p := &packer{call: c, kind: kind, keep: kind.keeps, suffix: kind.suffix}
		name := c.program.name
		p.decompress = strings.HasPrefix(name, "un") || strings.HasPrefix(name, "bun")
		if strings.HasSuffix(name, "cat") {
			p.decompress, p.stdout = true, true
		}
		operands, err := c.parse(p.option)
		if err != nil {
			return err
		}
		if len(operands) == 0 {
			operands = []string{"-"}
		}
		for _, name := range operands {
			if err := c.ctx.Err(); err != nil {
				return err
			}
			if err := p.operand(name); err != nil {
				return err
			}
		}
		return nil
	}
}

func (p *packer) option(o *getopt.Parser) error {
	switch o.Key {
	case 'c':
		p.stdout = true
	case 'd':
		p.decompress = true
	case 'z':
		p.decompress = false
	case 'f':
		p.force = true
	case 'k':
		p.keep = true
	case 'm':
		p.keep = false
	case 't':
		p.test, p.decompress = true, true
	case 'r':
		p.recursive = true
	case 'o':
		p.output = o.Value
	case 'S':
		p.suffix = o.Value
	case 'V':
		return p.showVersion()
	case 'h':
		return p.showHelp()
	case '0':
		n := 0
		if _, err := fmt.Sscan(o.Value, &n); err == nil {
			p.level = n
		}
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		p.level = int(o.Key - '0')
	}
	return nil
}

func (p *packer) complain(format string, args ...any) {
	p.out.Flush()
	fmt.Fprintf(p.Stderr, "%s: %s\n", p.label(), fmt.Sprintf(format, args...))
	p.status = max(p.status, 1)
}

func (p *packer) failed(name string, err error) error {
	if err == nil || p.ends(err) {
		return err
	}
	if vfs.Errno(err) == 0 {
		p.complain(p.kind.bad, name)
		p.status = max(p.status, p.kind.badStatus)
		return nil
	}
	if p.kind.format == compress.Bzip2 {
		p.complain("Can't open input file %s: %s.", name, vfs.Words(err))
		return nil
	}
	p.complain("%s: %s", name, vfs.Words(err))
	return nil
}

func (p *packer) operand(name string) error {
	if name == "-" {
		err := p.transform(p.Stdin, p.out)
		if unread := (*copyReadError)(nil); errors.As(err, &unread) && !p.ends(err) {
			p.out.Reset(p.Stdout) // a header, which waits for what follows it
			if p.kind.format == compress.XZ {
				p.complain("(stdin): Read error: %s", vfs.Words(err))
				return nil
			}
		}
		return p.failed("(stdin)", err)
	}
	info, err := p.View().Stat(p.ctx, name)
	if err != nil {
		return p.failed(name, err)
	}
	if info.IsDir() {
		if !p.recursive {
			if p.kind.format == compress.Bzip2 {
				p.complain("Input file %s is a directory.", name)
				return nil
			}
			p.complain("%s: Is a directory, skipping", name)
			p.status = max(p.status, p.kind.directory)
			return nil
		}
		entries, err := p.View().ReadDir(p.ctx, name)
		if err != nil {
			return p.failed(name, err)
		}
		for _, e := range entries {
			if err := p.operand(path.Join(name, e.Name)); err != nil {
				return err
			}
		}
		return nil
	}
	in, err := p.View().Open(p.ctx, name, vfs.O_RDONLY, 0)
	if err != nil {
		return p.failed(name, err)
	}
	defer in.Close()
	if p.test {
		return p.failed(name, p.transform(in, io.Discard))
	}
	if p.stdout {
		return p.failed(name, p.transform(in, p.out))
	}
	target, ok := p.target(name)
	if !ok {
		return nil
	}
	return p.failed(name, p.replace(in, info, name, target))
}

func (p *packer) target(name string) (string, bool) {
	if p.output != "" {
		return p.output, true
	}
	if !p.decompress {
		if strings.HasSuffix(name, p.suffix) && !p.force {
			p.complain("%s: File already has `%s' suffix, skipping", name, p.suffix)
			return "", false
		}
		return name + p.suffix, true
	}
	if target, ok := strings.CutSuffix(name, p.suffix); ok && path.Base(target) != "" && !strings.HasSuffix(target, "/") {
		return target, true
	}
	if short := ".t" + strings.TrimPrefix(p.suffix, "."); strings.HasSuffix(name, short) {
		return strings.TrimSuffix(name, short) + ".tar", true
	}
	switch p.kind.format {
	case compress.Bzip2:
		p.warnf("Can't guess original name for %s -- using %s.out", name, name)
		return name + ".out", true
	case compress.XZ:
		p.complain("%s: Filename has an unknown suffix, skipping", name)
		p.status = max(p.status, 2)
	default:
		p.complain("%s: Filename has an unknown suffix, skipping", name)
	}
	return "", false
}

func (p *packer) replace(in io.Reader, info *vfs.Info, name, target string) error {
	view := p.View()
	if _, err := view.Lstat(p.ctx, target); err == nil {
		if !p.force {
			if p.kind.format == compress.Bzip2 {
				p.complain("Output file %s already exists.", target)
				return nil
			}
			p.complain("%s: %s", target, vfs.Words(vfs.EEXIST))
			return nil
		}
		if err := view.Unlink(p.ctx, target); err != nil {
			return err
		}
	}
	if err := p.makeFile(target, info.FileMode&0o600, func(out io.Writer) error { return p.transform(in, out) }); err != nil {
		return err
	}
	view.Chown(p.ctx, target, info.UID, info.GID, true)
	view.Chmod(p.ctx, target, info.FileMode&fs.ModePerm)
	view.Chtimes(p.ctx, target, info.Accessed, info.Modified, true)
	if p.keep {
		return nil
	}
	return view.Unlink(p.ctx, name)
}

// transform compresses or decompresses one stream.
func (p *packer) transform(in io.Reader, out io.Writer) error {
	if !p.decompress {
		w, err := compress.NewWriter(p.kind.format, out, p.level)
		if err != nil {
			return err
		}
		if err := copyBlocks(p.ctx, w, in); err != nil {
			return err
		}
		return w.Close()
	}
	head := bufio.NewReaderSize(in, 32<<10)
	start, err := head.Peek(6)
	if err != nil && err != io.EOF {
		return err
	}
	if compress.Detect(start) != p.kind.format {
		if p.force && p.stdout {
			return copyBlocks(p.ctx, out, head)
		}
		return errNotPacked
	}
	r, err := compress.NewReader(p.kind.format, head)
	if err != nil {
		return err
	}
	if closer, ok := r.(io.Closer); ok {
		defer closer.Close()
	}
	return copyBlocks(p.ctx, out, r)
}

var errNotPacked = errors.New("not this format")

// makeFile makes a file of what fill writes; where that fails nothing stays.
func (c *call) makeFile(name string, mode fs.FileMode, fill func(out io.Writer) error) error {
	view := c.View()
	file, err := view.WithUmask(0).Open(c.ctx, name, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_EXCL, mode)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(file, 64<<10)
	if err = fill(out); err == nil {
		err = out.Flush()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		view.Unlink(context.WithoutCancel(c.ctx), name)
	}
	return err
}

func packerProgram(name string) *program {
	var kind packerKind
	switch name {
	case "bzip2", "bunzip2", "bzcat":
		kind = packerKind{compress.Bzip2, ".bz2", false, "%s is not a bzip2 file.", 2, 1}
	case "xz", "unxz", "xzcat":
		kind = packerKind{compress.XZ, ".xz", false, "%s: File format not recognized", 1, 2}
	default:
		kind = packerKind{compress.Zstd, ".zst", true, "%s: unsupported format", 1, 1}
	}
	output, xz := outputStyle{}, kind.format == compress.XZ
	if xz {
		output.line = "(stdout): Write error: "
	}
	return &program{
		prefixedTry: xz,
		oldTry:      xz,
		output:      output,
		usage: name + ` [OPTION]... [FILE]...
Compress each FILE to FILE` + kind.suffix + `, or decompress it again. Standard input,
compressed to standard output, for no FILE or "-".

  -d, --decompress  -z, --compress
  -c, --stdout      write to standard output
  -f, --force       overwrite
  -k, --keep        keep the files
  -t, --test        only check
  -r                what is in directories too
  -q, --quiet  -v, --verbose
  -1 ... -9         how hard to try`,
		options: getopt.Spec{Digits: true, Options: []getopt.Option{
			{Key: 'd', Long: "decompress"}, {Key: 'd', Long: "uncompress"}, {Key: 'z', Long: "compress"}, {Key: 'c', Long: "stdout"}, {Key: 'c', Long: "to-stdout"},
			{Key: 'f', Long: "force"}, {Key: 'k', Long: "keep"}, {Key: 'm', Long: "rm"}, {Key: 't', Long: "test"}, {Key: 'q', Long: "quiet"}, {Key: 'v', Long: "verbose"},
			{Key: 'r', Long: "recursive"}, {Key: 'o', Argument: getopt.Required}, {Key: 'S', Long: "suffix", Argument: getopt.Required}, {Key: 'T', Long: "threads", Argument: getopt.Required},
			{Key: 'V'}, {Key: 'h'}, {Key: 'e', Long: "extreme"}, {Key: 's', Long: "small"}, {Key: '1', Long: "fast"}, {Key: '9', Long: "best"},
		}},
		run: packerRun(kind),
	}
}
