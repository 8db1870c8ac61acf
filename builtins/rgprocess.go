package builtins

import (
	"context"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/vsh-project/vsh/builtins/internal/rg"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// rgProcess is a command of the shell whose output is searched in a file's
// place (--pre, -z).
type rgProcess struct {
	*io.PipeReader
	file   vfs.File
	words  []string
	cancel context.CancelFunc
	done   chan struct{}
	status int
	said   strings.Builder
}

// rgSaid bounds what is kept of what a command says.
const rgSaid = 64 << 10

// process starts the command that name is to be read through; nil where there
// is none. message is why it could not start.
func (w *rgWorker) process(name string) (process *rgProcess, message string) {
	var words []string
	switch {
	case w.pre != "" && w.preprocesses(name):
		words = []string{w.pre, name}
	case w.pre == "" && w.zip:
		if words = rgDecompressor(name); words == nil {
			return nil, ""
		}
		words = append(words, name)
	default:
		return nil, ""
	}
	p := &rgProcess{words: words, done: make(chan struct{})}
	if !w.programExists(words[0]) {
		if w.pre == "" {
			return nil, ""
		}
		return nil, fmt.Sprintf("preprocessor command could not start: '%s': %s", p.line(), rgWords(vfs.ENOENT))
	}
	var stdin io.Reader = strings.NewReader("")
	if w.pre != "" {
		f, err := w.View().Open(w.ctx, name, vfs.O_RDONLY, 0)
		if err != nil {
			return nil, rgWords(err)
		}
		p.file, stdin = f, f
	}
	ctx, cancel := context.WithCancel(w.ctx)
	reader, writer := io.Pipe()
	p.PipeReader, p.cancel = reader, cancel
	go func() {
		defer close(p.done)
		var err error
		p.status, err = w.Host().Exec(ctx, &command.Exec{Arguments: words, Stdin: stdin, Stdout: writer, Stderr: &rgLimited{&p.said, rgSaid}})
		writer.CloseWithError(err)
	}()
	return p, ""
}

// end waits for the command and gives its complaint, if it failed. What it
// still had to say is not read.
func (p *rgProcess) end(read bool) (message string) {
	if !read {
		p.cancel()
	}
	p.CloseWithError(vfs.EPIPE)
	<-p.done
	p.cancel()
	if p.file != nil {
		p.file.Close()
	}
	if !read || p.status == 0 {
		return ""
	}
	line := strings.Repeat("-", 79)
	said := fmt.Sprintf("\n%s\n%s\n%s", line, strings.TrimSpace(p.said.String()), line)
	if p.said.Len() == 0 {
		said = "<stderr is empty>"
	}
	if p.file != nil {
		return fmt.Sprintf("preprocessor command failed: '%s': %s", p.line(), said)
	}
	return said
}

// line is the command as Rust prints one.
func (p *rgProcess) line() string {
	var quoted []string
	for _, word := range p.words {
		quoted = append(quoted, fmt.Sprintf("%q", word))
	}
	return strings.Join(quoted, " ")
}

// preprocesses reports whether --pre-glob takes a file in.
func (w *rgWorker) preprocesses(name string) bool {
	switch w.preGlobs.Match(strings.TrimPrefix(w.View().Abs(name), "/"), false) {
	case rg.Ignored: // a glob without "!"
		return true
	case rg.Kept:
		return false
	}
	return !w.preGlobs.Whitelists()
}

func (w *rgWorker) programExists(name string) bool {
	if strings.Contains(name, "/") {
		_, err := w.View().Stat(w.ctx, name)
		return err == nil
	}
	_, err := w.Host().LookPath(w.ctx, name, w.Environment)
	return err == nil
}

// rgDecompressor is the command that rg -z reads a file of such a name with.
func rgDecompressor(name string) []string {
	switch base := path.Base(name); {
	case rgEndsIn(base, ".gz", ".tgz"):
		return []string{"gzip", "-d", "-c"}
	case rgEndsIn(base, ".bz2", ".tbz2"):
		return []string{"bzip2", "-d", "-c"}
	case rgEndsIn(base, ".xz", ".txz"):
		return []string{"xz", "-d", "-c"}
	case rgEndsIn(base, ".lz4"):
		return []string{"lz4", "-d", "-c"}
	case rgEndsIn(base, ".lzma"):
		return []string{"xz", "--format=lzma", "-d", "-c"}
	case rgEndsIn(base, ".br"):
		return []string{"brotli", "-d", "-c"}
	case rgEndsIn(base, ".zst", ".zstd"):
		return []string{"zstd", "-q", "-d", "-c"}
	case rgEndsIn(base, ".Z"):
		return []string{"uncompress", "-c"}
	}
	return nil
}

func rgEndsIn(base string, endings ...string) bool {
	for _, e := range endings {
		if strings.HasSuffix(base, e) {
			return true
		}
	}
	return false
}

// rgLimited takes no more than some bytes, and drops the rest.
type rgLimited struct {
	w    io.Writer
	left int
}

func (l *rgLimited) Write(p []byte) (int, error) {
	n := min(len(p), l.left)
	l.left -= n
	_, err := l.w.Write(p[:n])
	return len(p), err
}
