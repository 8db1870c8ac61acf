package builtins

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/width"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// fileCommand is one run of file.
type fileCommand struct {
	*call
	brief, follow, noPad, raw, special bool
	mimeType, mimeEncoding, extension  bool
	errorsEnd                          bool
	nul                                int
	unpack, unpackQuiet                bool
	separator                          string
	limit                              int64
	lists                              []string
}

// fileResult is what a file was found to be.
type fileResult struct {
	text     string // the description
	mime     string
	encoding string
	plain    bool // nothing but the text's encoding is known
}

const (
	fileKeyMimeType = 256 + iota
	fileKeyMimeEncoding
	fileKeyExtension
	fileKeyExcludeQuiet
	fileKeyApple
)

// fileLimit is how much of a file is looked at.
const fileLimit = 1 << 20

func fileRun(c *call) error {
	f := &fileCommand{call: c, separator: ":", limit: fileLimit}
	_, f.follow = c.Getenv("POSIXLY_CORRECT")
	operands, err := f.arguments()
	if err != nil {
		return err
	}
	if len(operands) == 0 && len(f.lists) == 0 {
		return f.usage()
	}
	for _, list := range f.lists {
		text, err := f.readAll(list)
		if err != nil {
			if c.ends(err) {
				return err
			}
			if errno := vfs.Errno(err); errno == vfs.EISDIR || errno == vfs.EBADF {
				continue // what opens and cannot be read holds no names
			}
			return f.fail("Cannot open `" + list + "' (" + vfs.Words(err) + ")")
		}
		names := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if text == "" {
			names = nil
		}
		widest := f.widest(names)
		for _, name := range names {
			if err := f.one(name, widest); err != nil {
				return err
			}
		}
	}
	widest := f.widest(operands)
	for _, name := range operands {
		if err := f.one(name, widest); err != nil {
			return err
		}
	}
	return nil
}

// usage is what a call without operands gets.
func (f *fileCommand) usage() error {
	f.out.Flush()
	io.WriteString(f.Stderr, "Usage: "+f.program.usage+"\n")
	return command.ExitError(1)
}

func (f *fileCommand) fail(message string) error {
	f.warnf("%s", message)
	return command.ExitError(1)
}

func (f *fileCommand) arguments() ([]string, error) {
	spec := f.program.options
	p := getopt.New(&spec, f.Arguments)
	for p.Next() {
		if err := f.option(p); err != nil {
			return nil, err
		}
	}
	if err := p.Err(); err != nil {
		f.warnf("%s", err)
		return nil, f.usage()
	}
	return p.Operands(), nil
}

func (f *fileCommand) option(p *getopt.Parser) error {
	switch p.Key {
	case 'b':
		f.brief = true
	case 'i':
		f.mimeType, f.mimeEncoding = true, true
	case fileKeyMimeType:
		f.mimeType = true
	case fileKeyMimeEncoding:
		f.mimeEncoding = true
	case fileKeyExtension:
		f.extension = true
	case 'L':
		f.follow = true
	case 'h':
		f.follow = false
	case 'z':
		f.unpack = true
	case 'Z':
		f.unpack, f.unpackQuiet = true, true
	case 'f':
		f.lists = append(f.lists, p.Value)
	case 'F':
		f.separator = p.Value
	case 'N':
		f.noPad = true
	case 'n', 'k', 'p', 'S', fileKeyExcludeQuiet:
	case 'r':
		f.raw = true
	case '0':
		f.nul++
	case 's':
		f.special = true
	case 'E':
		f.errorsEnd = true
	case 'P':
		name, value, _ := strings.Cut(p.Value, "=")
		if name == "bytes" {
			if n, bad := parseNumber(value, ""); bad == numberOK {
				f.limit = int64(min(n, fileLimit))
			}
		}
	case 'e':
		switch p.Value {
		case "apptype", "ascii", "cdf", "compress", "csv", "elf", "encoding", "soft", "tar", "text", "tokens", "json":
			return f.fail("-e is not supported")
		}
		return f.usage()
	case 'v':
		return f.showVersion()
	case keyHelp:
		return f.showHelp()
	default:
		return f.fail(p.Typed + " is not supported")
	}
	return nil
}

func (f *fileCommand) widest(names []string) int {
	most := 0
	for _, name := range names {
		most = max(most, width.String(f.shown(name)))
	}
	return most
}

// shown is a name with what cannot be printed as \ooo.
func (f *fileCommand) shown(name string) string {
	if f.raw {
		return name
	}
	return (&treeCommand{}).showName(name)
}

func (f *fileCommand) one(name string, widest int) error {
	if err := f.ctx.Err(); err != nil {
		return err
	}
	title := name
	if name == "-" {
		title = "/dev/stdin"
	}
	if !f.brief && name != "" {
		shown := f.shown(title)
		f.out.WriteString(shown)
		if f.nul > 0 {
			f.out.WriteByte(0)
		}
		if f.nul < 2 {
			f.out.WriteString(f.separator)
			if !f.noPad {
				f.out.WriteString(strings.Repeat(" ", max(0, widest-width.String(f.shown(name)))))
			}
			f.out.WriteByte(' ')
		}
	}
	result, err := f.examine(name)
	if err != nil {
		if f.ends(err) {
			return err
		}
		var unread fileUnread
		if errors.As(err, &unread) {
			f.out.WriteString("ERROR: cannot read `/dev/stdin' (" + vfs.Words(err) + ")\n")
			f.status = 1
			return nil
		}
		if f.errorsEnd {
			f.out.WriteString("ERROR: cannot stat `" + f.shown(name) + "' (" + vfs.Words(err) + ")\n")
			f.status = 1
			return nil
		}
		result = fileResult{text: "cannot open `" + f.shown(name) + "' (" + vfs.Words(err) + ")"}
		result.mime = result.text
	}
	text := result.text
	switch {
	case f.extension:
		text = result.extensions()
	case f.mimeType && f.mimeEncoding:
		if text = result.mime; result.encoding != "" {
			text += "; charset=" + result.encoding
		}
	case f.mimeType:
		text = result.mime
	case f.mimeEncoding:
		if text = result.encoding; err != nil {
			text = result.mime
		}
	}
	f.out.WriteString(text)
	end := byte('\n')
	if f.nul > 1 {
		end = 0
	}
	return f.out.WriteByte(end)
}

// fileUnread is why standard input could not be read.
type fileUnread struct{ error }

func (f fileUnread) Unwrap() error { return f.error }

// examine looks at a file's kind, then at what it holds.
func (f *fileCommand) examine(name string) (fileResult, error) {
	if name == "-" {
		result, err := f.content(f.Stdin)
		if err != nil && !f.ends(err) {
			return fileResult{}, fileUnread{err}
		}
		return result, err
	}
	look := f.View().Lstat
	if f.follow {
		look = f.View().Stat
	}
	info, err := look(f.ctx, name)
	if err != nil {
		return fileResult{}, err
	}
	prefix := ""
	if info.FileMode&fs.ModeSetuid != 0 {
		prefix += "setuid, "
	}
	if info.FileMode&fs.ModeSetgid != 0 {
		prefix += "setgid, "
	}
	if info.FileMode&fs.ModeSticky != 0 {
		prefix += "sticky, "
	}
	special := func(text, mime string) (fileResult, error) {
		return fileResult{text: prefix + text, mime: "inode/" + mime, encoding: "binary"}, nil
	}
	number := func() string {
		return " (" + strconv.FormatUint(deviceMajor(info.DeviceNumber), 10) + "/" + strconv.FormatUint(deviceMinor(info.DeviceNumber), 10) + ")"
	}
	switch kind := info.FileMode.Type(); {
	case kind&fs.ModeDir != 0:
		return special("directory", "directory")
	case kind&fs.ModeSymlink != 0:
		target, err := f.View().Readlink(f.ctx, name)
		if err != nil {
			return fileResult{}, err
		}
		if _, err := f.View().Stat(f.ctx, name); err != nil {
			return fileResult{text: prefix + "broken symbolic link to " + target, mime: "inode/symlink"}, nil
		}
		return special("symbolic link to "+target, "symlink")
	case kind&fs.ModeNamedPipe != 0:
		return special("fifo (named pipe)", "fifo")
	case kind&fs.ModeSocket != 0:
		return special("socket", "socket")
	case kind&fs.ModeCharDevice != 0 && !f.special:
		return special("character special"+number(), "chardevice")
	case kind&fs.ModeDevice != 0 && !f.special:
		return special("block special"+number(), "blockdevice")
	}
	file, err := f.View().Open(f.ctx, name, vfs.O_RDONLY, 0)
	if err != nil {
		if vfs.Errno(err) == vfs.EACCES {
			return fileResult{text: "regular file, no read permission", mime: "regular file, no read permission"}, nil
		}
		return fileResult{}, err
	}
	defer file.Close()
	result, err := f.content(file)
	if prefix != "" {
		prefix = strings.TrimSuffix(prefix, ", ") + " "
		if result.plain {
			prefix += ", "
		}
		result.text = prefix + result.text
	}
	return result, err
}

// content finds out what a stream holds.
func (f *fileCommand) content(r io.Reader) (fileResult, error) {
	if err := f.Host().Charge(f.limit); err != nil {
		return fileResult{}, err
	}
	defer f.Host().Release(f.limit)
	m := fileMagic{size: -1, zone: f.location()}
	if _, size, offset, ok := regularFile(r); ok {
		m.size = size - offset
	}
	var err error
	if m.data, err = io.ReadAll(io.LimitReader(r, f.limit)); err != nil {
		return fileResult{}, err
	}
	if m.size > int64(len(m.data)) {
		if at, ok := r.(io.ReaderAt); ok {
			tail := make([]byte, 4)
			if n, _ := at.ReadAt(tail, m.size-4); n == 4 {
				m.tail = tail
			}
		}
	} else if len(m.data) >= 4 && m.size >= 0 {
		m.tail = m.data[len(m.data)-4:]
	}
	if f.unpack {
		if inner, ok := f.unpacked(m.data); ok {
			m.tail = nil
			outer := m.examine()
			result := fileMagic{data: inner, size: -1, zone: m.zone}.examine()
			if !f.unpackQuiet {
				result.text += " (" + outer.text + ")"
				result.encoding += " compressed-encoding=" + outer.mime + "; charset=binary"
			}
			return result, nil
		}
	}
	return m.examine(), nil
}

// unpacked is the beginning of what compressed data holds.
func (f *fileCommand) unpacked(data []byte) ([]byte, bool) {
	var r io.Reader
	switch {
	case bytes.HasPrefix(data, []byte("\x1f\x8b")):
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, false
		}
		r = z
	case bytes.HasPrefix(data, []byte("BZh")):
		r = bzip2.NewReader(bufio.NewReader(bytes.NewReader(data)))
	default:
		return nil, false
	}
	inner, _ := io.ReadAll(io.LimitReader(r, f.limit))
	return inner, true
}

func (r fileResult) extensions() string {
	switch r.mime {
	case "application/gzip":
		return "gz/tgz/tpz/zabw/svgz/adz/kmy/xcfgz"
	case "image/png":
		return "png"
	case "image/jpeg":
		return "jpeg/jpg/jpe/jfif"
	case "image/gif":
		return "gif"
	case "application/pdf":
		return "pdf"
	case "application/zip":
		return "zip/cbz"
	case "application/x-tar":
		return "tar/gtar"
	case "application/json":
		return "json"
	}
	return "???"
}

func fileProgram(string) *program {
	return &program{
		output: outputStyle{unchecked: true, status: 1},
		noHelp: true,
		usage: `file [OPTION]... FILE...
Tell the kind of each FILE, by what it is and what it holds; "-" is standard input.

  -b, --brief            no names
  -E                     an error makes the status 1
  -f, --files-from=FILE  names from FILE
  -F, --separator=TEXT   TEXT after a name instead of ":"
  -h, --no-dereference   tell of links themselves, as is done anyway
  -i, --mime             the MIME type and encoding
      --mime-type, --mime-encoding  one of them
      --extension        extensions that such files have
  -L, --dereference      follow links
  -N, --no-pad           no blanks after names
  -r, --raw              names as they are
  -s, --special-files    read devices too
  -z, --uncompress       look into compressed files; -Z: and tell no more of them
  -0, --print0           NUL after a name; twice: after all
  -k -n -p -S -P         accepted
      --help, -v, --version`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'b', Long: "brief"}, {Key: 'i', Long: "mime"}, {Key: fileKeyMimeType, Long: "mime-type"}, {Key: fileKeyMimeEncoding, Long: "mime-encoding"},
			{Key: fileKeyExtension, Long: "extension"}, {Key: 'L', Long: "dereference"}, {Key: 'h', Long: "no-dereference"}, {Key: 'z', Long: "uncompress"},
			{Key: 'Z', Long: "uncompress-noreport"}, {Key: 'f', Long: "files-from", Argument: getopt.Required}, {Key: 'F', Long: "separator", Argument: getopt.Required},
			{Key: 'N', Long: "no-pad"}, {Key: 'n', Long: "no-buffer"}, {Key: 'k', Long: "keep-going"}, {Key: 'p', Long: "preserve-date"},
			{Key: 'r', Long: "raw"}, {Key: '0', Long: "print0"}, {Key: 's', Long: "special-files"}, {Key: 'S', Long: "no-sandbox"}, {Key: 'E'},
			{Key: 'P', Long: "parameter", Argument: getopt.Required}, {Key: 'e', Long: "exclude", Argument: getopt.Required},
			{Key: fileKeyExcludeQuiet, Long: "exclude-quiet", Argument: getopt.Required}, {Key: fileKeyApple, Long: "apple"},
			{Key: 'm', Long: "magic-file", Argument: getopt.Required}, {Key: 'c', Long: "checking-printout"}, {Key: 'C', Long: "compile"},
			{Key: 'd', Long: "debug"}, {Key: 'l', Long: "list"}, {Key: 'v', Long: "version"}, {Key: keyHelp, Long: "help"},
		}},
		run: fileRun,
	}
}
