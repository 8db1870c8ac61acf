// Package tooldir reads a directory of tools: programs that describe
// themselves by --help, and by a schema.json beside them when a model is to see
// typed arguments. Each becomes a command of a shell and a tool of a registry.
package tooldir

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/vsh-project/vsh/external"
)

const (
	helpTimeout = 5 * time.Second
	helpBytes   = 4000
)

// Options say where tools are and what they get.
type Options struct {
	// Directory holds one folder a tool, each with a program (or a link to one)
	// of the folder's name. Absolute or relative host path. Required.
	Directory string
	// WorkingDirectory is the host directory tools run in. Required. With
	// FollowWorkingDirectory it is the workspace's root, and the shell's
	// directory decides, as for external.Options.
	WorkingDirectory       string
	FollowWorkingDirectory bool
	// Environment is handed to every tool, NAME=value: nothing else is but PATH
	// (from here or /usr/bin:/bin, with the tools in front), SNENS_SESSION and
	// SNENS_CWD. The document's other variables are the embedder's to add.
	Environment []string
	// Session is SNENS_SESSION.
	Session string
	// Timeout bounds a call that does not say timeout_seconds; zero: none.
	Timeout time.Duration
	// Diagnose is told one line for each tool that is left out or loses its
	// schema. Nil tells nobody.
	Diagnose func(line string)
}

// Directory is a directory of tools, read.
type Directory struct {
	options Options
	path    []string // of the tools' PATH, without the links

	mu    sync.Mutex
	tools []*Tool
	links string
}

// Tool is one tool. It does not change; Reload makes new ones.
type Tool struct {
	Name string
	// Summary and Usage are the first two lines of its --help.
	Summary, Usage string
	// StdinRequired: the word stdin stands in either of them.
	StdinRequired bool
	// Path is the program's host path.
	Path string
	// Typed tells tools with a schema of their own from generic ones, whose
	// arguments are args and stdin.
	Typed bool

	directory *Directory
	schema    *schema
}

// Open reads a directory. It fails when the directory itself cannot be read;
// tools that cannot be used are left out with a line to Options.Diagnose.
func Open(ctx context.Context, options *Options) (*Directory, error) {
	if options == nil || options.Directory == "" {
		return nil, errors.New("tooldir: Options.Directory is required")
	}
	d := &Directory{options: *options}
	absolute, err := filepath.Abs(options.Directory)
	if err != nil {
		return nil, fmt.Errorf("tooldir: Options.Directory: %w", err)
	}
	d.options.Directory = absolute
	if !filepath.IsAbs(options.WorkingDirectory) {
		return nil, fmt.Errorf("tooldir: Options.WorkingDirectory %q is not absolute", options.WorkingDirectory)
	}
	for _, pair := range options.Environment {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" || strings.ContainsRune(pair, 0) {
			return nil, fmt.Errorf("tooldir: Options.Environment: %q is not NAME=value", pair)
		}
		if name == "PATH" {
			d.path = filepath.SplitList(value)
		}
	}
	if d.path == nil {
		d.path = []string{"/usr/bin", "/bin"}
	}
	return d, d.Reload(ctx)
}

// Reload reads the directory again. Calls in flight keep the tools they have.
func (d *Directory) Reload(ctx context.Context) error {
	entries, err := os.ReadDir(d.options.Directory)
	if err != nil {
		return fmt.Errorf("tooldir: %w", err)
	}
	var tools []*Tool
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if info, err := os.Stat(filepath.Join(d.options.Directory, e.Name())); err != nil || !info.IsDir() {
			continue
		}
		t, err := d.read(ctx, e.Name())
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			d.diagnose("%s: left out: %v", e.Name(), err)
			continue
		}
		tools = append(tools, t)
	}
	links, err := d.link(tools)
	if err != nil {
		return err
	}
	d.mu.Lock()
	old := d.links
	d.tools, d.links = tools, links
	d.mu.Unlock()
	return removeLinks(old)
}

// Close removes the folder of links. The tools cannot be run after it.
func (d *Directory) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	links := d.links
	d.tools, d.links = nil, ""
	return removeLinks(links)
}

func removeLinks(folder string) error {
	if folder == "" {
		return nil
	}
	return os.RemoveAll(folder)
}

// Tools are the tools by name.
func (d *Directory) Tools() []*Tool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]*Tool(nil), d.tools...)
}

// Tool is the tool of a name, or nil.
func (d *Directory) Tool(name string) *Tool {
	for _, t := range d.Tools() {
		if t.Name == name {
			return t
		}
	}
	return nil
}

func (d *Directory) diagnose(format string, args ...any) {
	if d.options.Diagnose != nil {
		d.options.Diagnose(strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " "))
	}
}

// read asks one tool what it is.
func (d *Directory) read(ctx context.Context, name string) (*Tool, error) {
	if strings.ContainsAny(name, " \t\r\n") {
		return nil, errors.New("its name is not one word")
	}
	folder := filepath.Join(d.options.Directory, name)
	t := &Tool{Name: name, Path: filepath.Join(folder, name), directory: d}
	info, err := os.Stat(t.Path)
	switch {
	case err != nil:
		return nil, errors.New("no program " + filepath.Join(name, name))
	case !info.Mode().IsRegular() || info.Mode()&0o111 == 0:
		return nil, errors.New(filepath.Join(name, name) + " is no executable file")
	}
	help, err := d.help(ctx, t)
	if err != nil {
		return nil, err
	}
	t.describe(help)
	if t.Summary == "" {
		return nil, errors.New("its --help says nothing")
	}
	text, err := os.ReadFile(filepath.Join(folder, "schema.json"))
	if errors.Is(err, os.ErrNotExist) {
		return t, nil
	}
	if err == nil {
		t.schema, err = parseSchema(text)
	}
	if err != nil {
		d.diagnose("%s: generic: schema.json: %v", name, err)
		t.schema = nil
	}
	t.Typed = t.schema != nil
	return t, nil
}

// help is what --help writes within its time, cut at its bound.
func (d *Directory) help(ctx context.Context, t *Tool) ([]byte, error) {
	out := &bounded{limit: helpBytes}
	process := &external.Process{
		Path: t.Path, Name: t.Name, Arguments: []string{"--help"}, Environment: d.environment("", d.options.Directory),
		Directory: filepath.Dir(t.Path), Timeout: helpTimeout, Grace: time.Second, Stdin: strings.NewReader(""), Stdout: out, Stderr: &bounded{},
	}
	status, err := process.Run(ctx)
	switch {
	case err != nil:
		return nil, err
	case status == 124:
		return nil, fmt.Errorf("its --help took more than %s", helpTimeout)
	case status != 0 && !out.full:
		return nil, fmt.Errorf("its --help ended with status %d", status)
	}
	return out.kept.Bytes(), nil
}

// describe takes summary and usage from the first two lines that say anything.
func (t *Tool) describe(help []byte) {
	for _, line := range bytes.Split(help, []byte("\n")) {
		text := strings.TrimSpace(strings.ToValidUTF8(string(line), ""))
		switch {
		case text == "":
		case t.Summary == "":
			t.Summary = text
		default:
			t.Usage = text
		}
		if t.Usage != "" {
			break
		}
	}
	t.StdinRequired = hasWord(t.Summary, "stdin") || hasWord(t.Usage, "stdin")
}

// hasWord finds a word between characters that belong to no word.
func hasWord(s, word string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], word)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(word)
		if (start == 0 || !wordByte(s[start-1])) && (end == len(s) || !wordByte(s[end])) {
			return true
		}
		from = end
	}
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

// link makes the folder through which tools find one another: links by name,
// none for a name that a system command has.
func (d *Directory) link(tools []*Tool) (string, error) {
	folder, err := os.MkdirTemp("", "vsh-tools-")
	if err != nil {
		return "", fmt.Errorf("tooldir: %w", err)
	}
	for _, t := range tools {
		if d.isSystemCommand(t.Name) {
			continue
		}
		if err := os.Symlink(t.Path, filepath.Join(folder, t.Name)); err != nil {
			os.RemoveAll(folder)
			return "", fmt.Errorf("tooldir: %w", err)
		}
	}
	return folder, nil
}

func (d *Directory) isSystemCommand(name string) bool {
	for _, folder := range d.path {
		if info, err := os.Stat(filepath.Join(folder, name)); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return true
		}
	}
	return false
}

// environment is what one run gets. The last of a name counts.
func (d *Directory) environment(links, directory string) []string {
	path := d.path
	if links != "" {
		path = append([]string{links}, path...)
	}
	var env []string
	for _, pair := range d.options.Environment {
		if !strings.HasPrefix(pair, "PATH=") {
			env = append(env, pair)
		}
	}
	return append(env, "PATH="+strings.Join(path, string(filepath.ListSeparator)),
		"SNENS_SESSION="+d.options.Session, "SNENS_CWD="+directory)
}

// bounded keeps the first limit bytes and then refuses, so that its writer
// meets a closed pipe.
type bounded struct {
	limit int
	kept  bytes.Buffer
	full  bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := b.limit - b.kept.Len(); len(p) > room && b.limit > 0 {
		b.kept.Write(p[:room])
		b.full = true
		return room, errors.New("enough")
	}
	if b.limit > 0 {
		b.kept.Write(p)
	}
	return len(p), nil
}
