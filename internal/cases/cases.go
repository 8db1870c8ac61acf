// Package cases runs recorded answers of the real tools against the shell.
// shared/cases/README.md describes the format.
package cases

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/afero"
	"github.com/vsh-project/vsh/shell"
	"github.com/vsh-project/vsh/vfs/memory"
)

// Text is a string that JSON holds as itself or, when it is not UTF-8, as {"b64": …}.
type Text string

// UnmarshalJSON reads both forms.
func (t *Text) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		*t = Text(s)
		return nil
	}
	var coded struct{ B64 []byte }
	if err := json.Unmarshal(data, &coded); err != nil {
		return err
	}
	*t = Text(coded.B64)
	return nil
}

// MarshalJSON writes the form UnmarshalJSON reads.
func (t Text) MarshalJSON() ([]byte, error) {
	if strings.ToValidUTF8(string(t), "") == string(t) {
		return json.Marshal(string(t))
	}
	return json.Marshal(map[string]string{"b64": base64.StdEncoding.EncodeToString([]byte(t))})
}

// File is one file made before a run.
type File struct {
	Text Text
	Link string
	Mode string
}

// UnmarshalJSON reads a text or an object.
func (f *File) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		f.Text = Text(s)
		return nil
	}
	var o struct {
		Text string `json:"text"`
		B64  []byte `json:"b64"`
		Link string `json:"link"`
		Mode string `json:"mode"`
	}
	if err := json.Unmarshal(data, &o); err != nil {
		return err
	}
	f.Text, f.Link, f.Mode = Text(o.Text), o.Link, o.Mode
	if o.B64 != nil {
		f.Text = Text(o.B64)
	}
	return nil
}

// Case is one recorded run.
type Case struct {
	Name   string            `json:"name"`
	Script string            `json:"script"`
	Files  map[string]File   `json:"files"`
	Stdin  Text              `json:"stdin"`
	Env    map[string]string `json:"env"`
	Sorted bool              `json:"sorted"`
	Check  []string          `json:"check"`
	After  map[string]*Text  `json:"after"`
	Stdout Text              `json:"stdout"`
	Status int               `json:"status"`
	Stderr bool              `json:"stderr"`
	Why    string            `json:"why"`
	Tags   []string          `json:"tags"`
}

// Load reads a family: one JSON object a line.
func Load(file string) ([]*Case, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []*Case
	in := bufio.NewScanner(f)
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		if len(in.Bytes()) == 0 {
			continue
		}
		c := new(Case)
		if err := json.Unmarshal(in.Bytes(), c); err != nil {
			return nil, fmt.Errorf("%s: case %d: %w", file, len(all)+1, err)
		}
		all = append(all, c)
	}
	return all, in.Err()
}

const directory = "/home/w"

var modified = time.Unix(1700000000, 0)

// Run runs the case in a fresh shell and says how the answer differs: "" when it does not.
func (c *Case) Run(ctx context.Context) (difference string) {
	storage := memory.New(memory.Options{})
	if err := c.prepare(storage); err != nil {
		return fmt.Sprintf("preparing files: %v", err)
	}
	env := []string{"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC", "USER=agent", "LOGNAME=agent", "TERM=dumb", "HOME=" + directory}
	for name, value := range c.Env {
		env = append(env, name+"="+value)
	}
	sh, err := shell.New(&shell.Options{
		Storage:            storage,
		Environment:        env,
		Identity:           &shell.Identity{User: "root", Group: "root", Host: "vsh"},
		Timeout:            20 * time.Second,
		MaximumOutputBytes: -1,
	})
	if err != nil {
		return err.Error()
	}
	result, err := sh.Exec(ctx, &shell.Request{Script: c.Script, Stdin: strings.NewReader(string(c.Stdin)), Directory: directory})
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	got, want := result.Stdout, string(c.Stdout)
	if c.Sorted {
		got, want = sortLines(got), sortLines(want)
	}
	if got != want {
		fmt.Fprintf(&b, "stdout:\n got %s\nwant %s\n", strconv.Quote(got), strconv.Quote(want))
	}
	if result.ExitCode != c.Status {
		fmt.Fprintf(&b, "status: got %d, want %d\n", result.ExitCode, c.Status)
	}
	for _, name := range c.Check {
		data, err := afero.ReadFile(storage, path.Join(directory, name))
		info, statErr := storage.Stat(path.Join(directory, name))
		exists := err == nil && statErr == nil && info.Mode().IsRegular()
		switch want := c.After[name]; {
		case want == nil && exists:
			fmt.Fprintf(&b, "file %s: got %q, want none\n", name, data)
		case want != nil && !exists:
			fmt.Fprintf(&b, "file %s: got none, want %q\n", name, string(*want))
		case want != nil && string(data) != string(*want):
			fmt.Fprintf(&b, "file %s:\n got %q\nwant %q\n", name, data, string(*want))
		}
	}
	if b.Len() > 0 && result.Stderr != "" {
		fmt.Fprintf(&b, "stderr: %s", result.Stderr)
	}
	return b.String()
}

func sortLines(s string) string {
	l := strings.Split(s, "\n")
	sort.Strings(l)
	return strings.Join(l, "\n")
}

func (c *Case) prepare(storage *memory.Storage) error {
	if err := storage.MkdirAll(directory, 0o755); err != nil {
		return err
	}
	paths := []string{directory}
	names := make([]string, 0, len(c.Files))
	for name := range c.Files {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		f, p := c.Files[name], path.Join(directory, name)
		mode := os.FileMode(0o644)
		if strings.HasSuffix(name, "/") {
			mode = 0o755
		}
		if f.Mode != "" {
			m, err := strconv.ParseUint(f.Mode, 8, 32)
			if err != nil {
				return err
			}
			mode = os.FileMode(m & 0o777)
			for bit, m2 := range map[uint64]os.FileMode{0o4000: os.ModeSetuid, 0o2000: os.ModeSetgid, 0o1000: os.ModeSticky} {
				if m&bit != 0 {
					mode |= m2
				}
			}
		}
		for d := path.Dir(p); d != directory && d != "/"; d = path.Dir(d) {
			paths = append(paths, d)
		}
		if strings.HasSuffix(name, "/") {
			if err := storage.MkdirAll(p, 0o755); err != nil {
				return err
			}
		} else {
			if err := storage.MkdirAll(path.Dir(p), 0o755); err != nil {
				return err
			}
			if f.Link != "" {
				if err := storage.SymlinkIfPossible(f.Link, p); err != nil {
					return err
				}
				if err := storage.FS().Chtimes(context.Background(), p, modified, modified); err != nil {
					return err
				}
				continue
			}
			if err := afero.WriteFile(storage, p, []byte(f.Text), 0o644); err != nil {
				return err
			}
		}
		if err := storage.Chmod(p, mode); err != nil {
			return err
		}
		paths = append(paths, p)
	}
	sort.Sort(sort.Reverse(sort.StringSlice(paths)))
	for _, p := range paths {
		if err := storage.Chtimes(p, modified, modified); err != nil {
			return err
		}
	}
	return nil
}
