package builtins

import (
	"bufio"
	"io"
	"path"
	"strings"

	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// findOutput is a file that -fprint and its kin write; predicates that name
// the same file share it.
type findOutput struct {
	name   string
	file   io.Closer
	writer *bufio.Writer
}

func (o *findOutput) flush() error { return o.writer.Flush() }

func (o *findOutput) close() error {
	err := o.writer.Flush()
	if o.file != nil {
		if closed := o.file.Close(); err == nil {
			err = closed
		}
	}
	return err
}

// output opens a file to write; it is made even if nothing is ever written.
func (f *findCommand) output(name string) (*bufio.Writer, error) {
	for _, o := range f.outputs {
		if o.name == name {
			return o.writer, nil
		}
	}
	o := &findOutput{name: name}
	switch name {
	case "/dev/stdout":
		return f.out, nil
	case "/dev/stderr":
		o.writer = bufio.NewWriterSize(f.Stderr, 16)
	default:
		file, err := f.View().Open(f.ctx, name, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
		if err != nil {
			return nil, f.fatalf("%s: %s", quote(name), vfs.Words(err))
		}
		o.file, o.writer = file, bufio.NewWriter(file)
	}
	f.outputs = append(f.outputs, o)
	return o.writer, nil
}

// print writes a path and what ends it.
func (f *findCommand) print(w *bufio.Writer, path string, end byte) (bool, error) {
	w.WriteString(path)
	return true, f.written(w.WriteByte(end))
}

func (f *findCommand) written(err error) error {
	if err != nil {
		return f.writeError(err)
	}
	return nil
}

// destination is stdout, or the file that an -f action names.
func (p *findParser) destination(name string) (*bufio.Writer, error) {
	p.find.prints = true
	if !strings.HasPrefix(name, "-f") {
		return p.find.out, nil
	}
	arg, err := p.argument(name)
	if err != nil {
		return nil, err
	}
	if name == "-fprintf" && p.at >= len(p.args) {
		return nil, p.find.fatalf("invalid argument `%s' to `-fprintf'", arg)
	}
	p.find.changes = true
	return p.find.output(arg)
}

func (p *findParser) printPath(name string) (findNode, error) {
	w, err := p.destination(name)
	if err != nil {
		return nil, err
	}
	end := byte('\n')
	if strings.HasSuffix(name, "0") {
		end = 0
	}
	return func(file *findFile) (bool, error) { return p.find.print(w, file.Path, end) }, nil
}

func (p *findParser) prune(string) (findNode, error) {
	p.find.prunes = true
	return func(file *findFile) (bool, error) { file.prune = true; return true, nil }, nil
}

func (p *findParser) quit(string) (findNode, error) {
	return func(file *findFile) (bool, error) { return false, errFindQuit }, nil
}

func (p *findParser) delete(string) (findNode, error) {
	f := p.find
	f.prints, f.changes, f.deletes, f.depthFirst = true, true, true, true
	return func(file *findFile) (bool, error) {
		if file.Path == "." {
			return true, nil
		}
		var err error
		if file.IsDir() && !file.Followed() {
			err = f.View().Rmdir(f.ctx, file.Path)
		} else if err = f.View().Unlink(f.ctx, file.Path); vfs.Errno(err) == vfs.EISDIR {
			err = f.View().Rmdir(f.ctx, file.Path)
		}
		if err == nil || f.ignoreRace && vfs.Errno(err) == vfs.ENOENT {
			return true, nil
		}
		if f.ctx.Err() == nil {
			f.errorf("cannot delete %s: %s", quote(file.Path), vfs.Words(err))
		}
		return false, f.ctx.Err()
	}, nil
}

// findBatch gathers the operands of -exec … {} +.
type findBatch struct {
	command   []string
	fixed     int // bytes of command
	operands  []string
	bytes     int
	directory bool
	where     string // the operands' directory, for -execdir
}

// findMaxArguments is how many bytes of arguments one command gets.
const findMaxArguments = 128 << 10

func (p *findParser) exec(name string) (findNode, error) {
	f := p.find
	f.prints, f.changes = true, true
	inDirectory, asks := strings.HasSuffix(name, "dir"), strings.HasPrefix(name, "-ok")
	if p.at >= len(p.args) {
		return nil, f.fatalf("missing argument to `%s'", name)
	}
	end, braces, plus := p.at, 0, false
	for ; ; end++ {
		if end == len(p.args) {
			return nil, f.fatalf("missing argument to `%s'", name)
		}
		arg := p.args[end]
		if arg == ";" {
			break
		}
		if !asks && arg == "+" && end > p.at && p.args[end-1] == "{}" {
			plus = true
			break
		}
		if strings.Contains(arg, "{}") {
			braces++
			if !asks && arg != "{}" && end+1 < len(p.args) && p.args[end+1] == "+" {
				return nil, f.fatalf("In %s the %s must appear by itself, but you specified %s", quote(name+" ... {} +"), quote("{}"), quote(arg))
			}
		}
	}
	words := p.args[p.at:end]
	if len(words) == 0 {
		return nil, f.fatalf("invalid argument `%s' to `%s'", p.args[end], name)
	}
	p.at = end + 1
	if inDirectory {
		if err := p.checkPath(); err != nil {
			return nil, err
		}
	}
	if plus {
		if braces > 1 {
			return nil, f.fatalf("Only one instance of {} is supported with %s ... +", name)
		}
		b := &findBatch{command: words[:len(words)-1], directory: inDirectory}
		for _, word := range b.command {
			b.fixed += len(word) + 1
		}
		f.batches = append(f.batches, b)
		return func(file *findFile) (bool, error) { return true, f.gather(b, file) }, nil
	}
	return func(file *findFile) (bool, error) { return f.execOne(words, file, inDirectory, asks) }, nil
}

// checkPath refuses a PATH that -execdir would make dangerous.
func (p *findParser) checkPath() error {
	value, _ := p.find.Getenv("PATH")
	for _, dir := range strings.Split(value, ":") {
		switch {
		case dir == "" || dir == ".":
			return p.find.fatalf(`The current directory is included in the PATH environment variable, which is insecure in combination with the -execdir action of find.  Please remove the current directory from your $PATH (that is, remove ".", doubled colons, or leading or trailing colons)`)
		case dir[0] != '/':
			return p.find.fatalf("The relative path %s is included in the PATH environment variable, which is insecure in combination with the -execdir action of find.  Please remove that entry from $PATH", quote(dir))
		}
	}
	return nil
}

// execOne runs -exec … ; for one file.
func (f *findCommand) execOne(words []string, file *findFile, inDirectory, asks bool) (bool, error) {
	operand := file.Path
	request := &command.Exec{}
	if inDirectory {
		request.Directory, operand = f.directoryOf(operand)
	}
	request.Arguments = make([]string, len(words))
	for i, word := range words {
		request.Arguments[i] = strings.ReplaceAll(word, "{}", operand)
	}
	if asks {
		if yes, err := f.ask(words[0], file.Path); !yes || err != nil {
			return false, err
		}
		request.Stdin = strings.NewReader("")
	}
	status, err := f.exec(f.ctx, request)
	return status == 0 && err == nil, err
}

// directoryOf is the directory that a file is in, absolute, and how the file
// is called there.
func (f *findCommand) directoryOf(name string) (directory, operand string) {
	trimmed := strings.TrimRight(name, "/")
	if trimmed == "" {
		return "/", "/"
	}
	slashes := name[len(trimmed):]
	directory = "."
	if i := strings.LastIndexByte(trimmed, '/'); i >= 0 {
		directory, trimmed = trimmed[:i+1], trimmed[i+1:]
	}
	if !path.IsAbs(directory) {
		directory = f.View().Directory() + "/" + directory
	}
	// Links keep their meaning: only what is not needed is cut off.
	if directory = strings.TrimSuffix(strings.TrimRight(directory, "/"), "/."); directory == "" {
		directory = "/"
	}
	return directory, "./" + trimmed + slashes
}

// ask asks on stderr and takes the answer from stdin.
func (f *findCommand) ask(name, path string) (bool, error) {
	f.out.Flush()
	io.WriteString(f.Stderr, "< "+name+" ... "+path+" > ? ")
	if f.answers == nil {
		f.answers = lines.NewReader(f.Stdin, f.Host())
	}
	line, err := f.answers.Next()
	if err != nil && err != io.EOF {
		return false, f.ctx.Err()
	}
	return len(line) > 0 && (line[0] == 'y' || line[0] == 'Y'), f.ctx.Err()
}

// gather adds a file to a batch, running what it holds when it is full or of
// another directory.
func (f *findCommand) gather(b *findBatch, file *findFile) error {
	operand, where := file.Path, ""
	if b.directory {
		where, operand = f.directoryOf(operand)
	}
	if len(b.operands) > 0 && (where != b.where || b.fixed+b.bytes+len(operand)+1 > findMaxArguments) {
		if err := f.runBatch(b); err != nil {
			return err
		}
	}
	b.where = where
	b.operands = append(b.operands, operand)
	b.bytes += len(operand) + 1
	return nil
}

// flushDirectories runs the -execdir batches at the end of a start point.
func (f *findCommand) flushDirectories() error {
	for _, b := range f.batches {
		if b.directory {
			if err := f.runBatch(b); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *findCommand) runBatch(b *findBatch) error {
	if len(b.operands) == 0 {
		return nil
	}
	request := &command.Exec{Directory: b.where}
	request.Arguments = append(append(request.Arguments, b.command...), b.operands...)
	b.operands, b.bytes = nil, 0
	status, err := f.exec(f.ctx, request)
	if status != 0 {
		f.status = 1
	}
	return err
}
