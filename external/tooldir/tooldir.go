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
	schemaBytes = 1 << 20
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
	// Session is SNENS_SESSION where a call does not say its own; without either
	// the variable is absent.
	Session string
	// SessionDirectory, if set, is asked for the host directory of an agent's
	// session when a model calls a tool; its error is what the model reads.
	// Without it, and in scripts, it is WorkingDirectory or the shell's.
	SessionDirectory func(agent, session string) (string, error)
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

	reading chan struct{} // taken by who reads the directory

	mu    sync.Mutex
	tools []*Tool
	links string // the folder through which tools find one another
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
	d := &Directory{options: *options, reading: make(chan struct{}, 1)}
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
	if err := d.Reload(ctx); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// Reload reads the directory again. Calls in flight keep the tools they have.
func (d *Directory) Reload(ctx context.Context) error {
	select {
	case d.reading <- struct{}{}:
		defer func() { <-d.reading }()
	case <-ctx.Done():
		return ctx.Err()
	}
	entries, err := os.ReadDir(d.options.Directory)
	if err != nil {
		return fmt.Errorf("tooldir: %w", err)
	}
	found := make([]*reading, len(entries))
	var wait sync.WaitGroup
	free := make(chan struct{}, readers)
	for i, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if info, err := os.Stat(filepath.Join(d.options.Directory, e.Name())); err != nil || !info.IsDir() {
			continue
		}
		free <- struct{}{}
		found[i] = &reading{}
		wait.Go(func() {
			defer func() { <-free }()
			found[i].tool, found[i].line = d.read(ctx, e.Name())
		})
	}
	wait.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var tools []*Tool
	for _, r := range found {
		if r == nil {
			continue
		}
		if r.line != "" && d.options.Diagnose != nil {
			d.options.Diagnose(strings.ReplaceAll(r.line, "\n", " "))
		}
		if r.tool != nil {
			tools = append(tools, r.tool)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.link(tools); err != nil {
		return fmt.Errorf("tooldir: %w", err)
	}
	d.tools = tools
	return nil
}

// readers is how many tools are asked for their --help at once.
const readers = 8

// reading is what a folder turned out to be: a tool, a line of diagnostics, or both.
type reading struct {
	tool *Tool
	line string
}

// Close removes the folder of links. The tools cannot be run after it.
func (d *Directory) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	links := d.links
	d.tools, d.links = nil, ""
	if links == "" {
		return nil
	}
	return os.RemoveAll(links)
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

// read asks one tool what it is.
func (d *Directory) read(ctx context.Context, name string) (*Tool, string) {
	t, err := d.ask(ctx, name)
	if err != nil {
		return nil, fmt.Sprintf("%s: left out: %v", name, err)
	}
	text, err := readSchema(filepath.Join(filepath.Dir(t.Path), "schema.json"))
	if err == nil && text != nil {
		t.schema, err = parseSchema(text)
	}
	if err != nil {
		t.schema = nil
		return t, fmt.Sprintf("%s: generic: schema.json: %v", name, err)
	}
	t.Typed = t.schema != nil
	return t, ""
}

func (d *Directory) ask(ctx context.Context, name string) (*Tool, error) {
	if !callable(name) {
		return nil, errors.New("its name is not 1 to 64 letters, digits, _ and -")
	}
	t := &Tool{Name: name, Path: filepath.Join(d.options.Directory, name, name), directory: d}
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
	return t, nil
}

// callable reports a name that every model API takes.
func callable(name string) bool {
	for i := range len(name) {
		if c := name[i]; c != '_' && c != '-' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return name != "" && len(name) <= 64
}

// readSchema is a schema.json's text, nil where there is none.
func readSchema(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("no regular file")
	case info.Size() > schemaBytes:
		return nil, fmt.Errorf("larger than %d bytes", schemaBytes)
	}
	return os.ReadFile(path)
}

// help is what --help writes within its time, cut at its bound.
func (d *Directory) help(ctx context.Context, t *Tool) ([]byte, error) {
	out, complaint := &bounded{limit: helpBytes}, &bounded{limit: helpBytes, discard: true}
	process := &external.Process{
		Path: t.Path, Name: t.Name, Arguments: []string{"--help"}, Environment: d.environment("", d.options.Directory),
		Directory: filepath.Dir(t.Path), Timeout: helpTimeout, Grace: time.Second, Stdin: strings.NewReader(""), Stdout: out, Stderr: complaint,
	}
	status, err := process.Run(ctx)
	switch {
	case err != nil:
		return nil, err
	case status == 124:
		return nil, fmt.Errorf("its --help took more than %s", helpTimeout)
	case status != 0 && !out.full:
		line, _, _ := strings.Cut(strings.TrimSpace(complaint.kept.String()), "\n")
		if line = strings.ToValidUTF8(line, ""); line != "" {
			line = ": " + line
		}
		return nil, fmt.Errorf("its --help ended with status %d%s", status, line)
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

// link makes the folder through which tools find one another what tools says:
// links by name, none for a name that a system command has. It stays the same
// folder, in the PATH of calls in flight.
func (d *Directory) link(tools []*Tool) (err error) {
	if d.links == "" {
		if d.links, err = os.MkdirTemp("", "vsh-tools-"); err != nil {
			return err
		}
	}
	wanted := map[string]bool{}
	for _, t := range tools {
		if d.isSystemCommand(t.Name) {
			continue
		}
		wanted[t.Name] = true
		err := os.Symlink(t.Path, filepath.Join(d.links, t.Name))
		if err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	entries, err := os.ReadDir(d.links)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if wanted[e.Name()] {
			continue
		}
		if err := os.Remove(filepath.Join(d.links, e.Name())); err != nil {
			return err
		}
	}
	return nil
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
func (d *Directory) environment(session, directory string) []string {
	d.mu.Lock()
	links := d.links
	d.mu.Unlock()
	path := d.path
	if links != "" {
		path = append([]string{links}, path...)
	}
	if session == "" {
		session = d.options.Session
	}
	var env []string
	for _, pair := range d.options.Environment {
		if !strings.HasPrefix(pair, "PATH=") {
			env = append(env, pair)
		}
	}
	if session != "" {
		env = append(env, "SNENS_SESSION="+session)
	}
	return append(env, "PATH="+strings.Join(path, string(filepath.ListSeparator)), "SNENS_CWD="+directory)
}

// bounded keeps the first limit bytes and then refuses, so that its writer
// meets a closed pipe, or discards.
type bounded struct {
	limit   int
	discard bool
	kept    bytes.Buffer
	full    bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := b.limit - b.kept.Len(); len(p) > room {
		b.kept.Write(p[:room])
		b.full = true
		if b.discard {
			return len(p), nil
		}
		return room, errors.New("enough")
	}
	return b.kept.Write(p)
}
