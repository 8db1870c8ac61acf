package tooldir

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/vsh-project/vsh/external"
	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/tool"
)

// outputBytes bounds each stream of a tool's result: the middle is cut.
const outputBytes = 32 << 10

// Output is what a call of a tool gives. A tool's failure is a result too.
type Output struct {
	Stdout    string `json:"stdout"`
	Stderr    string `json:"stderr"`
	ExitCode  int    `json:"exit_code"`
	TimedOut  bool   `json:"timed_out"`
	Truncated bool   `json:"truncated"`
}

// invocation is a call made ready: what to run and where.
type invocation struct {
	argv    []string
	stdin   []byte
	cwd     string
	timeout time.Duration
}

// Session is whose call it is. The zero Session is nobody's.
type Session struct {
	// Name is SNENS_SESSION, Options.Session when empty.
	Name string
	// Directory is the host directory that a call's cwd is relative to,
	// Options.WorkingDirectory when empty.
	Directory string
}

// Run runs the tool with a model's arguments, which are checked first; a
// *tool.Misfit says what a model should mend.
func (t *Tool) Run(ctx context.Context, arguments tool.Value, session Session) (*Output, error) {
	call, err := t.prepare(arguments)
	if err != nil {
		return nil, err
	}
	at, err := t.directory.resolve(session.Directory, call.cwd)
	if err != nil {
		return nil, err
	}
	defer at.close()
	stdout, stderr := lines.NewCut(outputBytes, nil), lines.NewCut(outputBytes, nil)
	timeout := call.timeout
	if timeout == 0 {
		timeout = t.directory.options.Timeout
	}
	process := t.process(call.argv, session.Name, at.shown, at.start, timeout)
	process.Stdin, process.Stdout, process.Stderr = bytes.NewReader(call.stdin), stdout, stderr
	began := time.Now()
	status, err := process.Run(ctx)
	if err != nil {
		return nil, err
	}
	out := &Output{ExitCode: status, TimedOut: status == 124 && timeout > 0 && time.Since(began) >= timeout}
	var cutOut, cutErr int64
	out.Stdout, cutOut, _ = stdout.String()
	out.Stderr, cutErr, _ = stderr.String()
	out.Stdout, out.Stderr = strings.ToValidUTF8(out.Stdout, "\uFFFD"), strings.ToValidUTF8(out.Stderr, "\uFFFD")
	out.Truncated = cutOut+cutErr > 0
	return out, nil
}

func (t *Tool) process(argv []string, session, shown, start string, timeout time.Duration) *external.Process {
	return &external.Process{
		Path: t.Path, Name: t.Name, Arguments: argv, Environment: t.directory.environment(session, shown), Directory: start,
		Timeout: timeout, Grace: external.DefaultGrace,
	}
}

// place is where a call runs: the name it is told, and one to start in that
// stays the directory's own until it is closed.
type place struct {
	shown, start string
	close        func() error
}

// resolve is a call's cwd, which must stay inside WorkingDirectory.
func (d *Directory) resolve(base, cwd string) (place, error) {
	root, err := filepath.EvalSymlinks(d.options.WorkingDirectory)
	if err != nil {
		return place{}, errors.New("cwd: the working directory cannot be used")
	}
	shown := d.options.WorkingDirectory
	if base != "" {
		shown = base
	}
	if filepath.IsAbs(cwd) {
		shown = cwd
	} else if cwd != "" {
		shown = filepath.Join(shown, cwd)
	}
	resolved, err := filepath.EvalSymlinks(shown)
	if err != nil {
		return place{}, fmt.Errorf("cwd: %s: no such directory", shown)
	}
	relative, err := filepath.Rel(root, resolved)
	if err != nil || !filepath.IsLocal(relative) {
		return place{}, fmt.Errorf("cwd: %s: outside the working directory", shown)
	}
	start, closed, err := external.OpenBelow(root, relative)
	if err != nil {
		return place{}, fmt.Errorf("cwd: %s: not a directory", shown)
	}
	if cwd != "" {
		shown = resolved
	}
	return place{shown, start, closed}, nil
}

// common are the arguments every tool takes besides its own.
var common = []struct{ name, schema string }{
	{"cwd", `{"type":"string","description":"working directory, relative to the session's"}`},
	{"timeout_seconds", `{"type":"number","exclusiveMinimum":0,"description":"end the tool after that long"}`},
}

// Schema is the JSON Schema of a tool's arguments as a model sees it: its own
// or the generic args and stdin, with cwd and timeout_seconds.
func (t *Tool) Schema() ([]byte, error) {
	base := t.model()
	var members map[string]json.RawMessage
	if err := json.Unmarshal(base, &members); err != nil {
		return nil, err
	}
	var properties map[string]json.RawMessage
	if err := json.Unmarshal(members["properties"], &properties); err != nil {
		return nil, err
	}
	whole, err := tool.ParseValue(members["properties"])
	if err != nil {
		return nil, err
	}
	text := strings.TrimSuffix(whole.String(), "}")
	for _, c := range common {
		if _, ok := properties[c.name]; ok {
			continue
		}
		if len(text) > 1 {
			text += ","
		}
		text += `"` + c.name + `":` + c.schema
	}
	return replaceMember(base, "properties", text+"}")
}

func replaceMember(object []byte, name, value string) ([]byte, error) {
	v, err := tool.ParseValue(object)
	if err != nil {
		return nil, err
	}
	rest, err := withoutMember(v, name)
	if err != nil {
		return nil, err
	}
	if len(rest) > 2 {
		rest[0] = ','
	} else {
		rest = rest[1:]
	}
	return append([]byte(`{"`+name+`":`+value), rest...), nil
}

func (t *Tool) model() []byte {
	if t.schema != nil {
		return t.schema.model
	}
	required := ""
	if t.StdinRequired {
		required = `,"required":["stdin"]`
	}
	return []byte(`{"type":"object","properties":{"args":{"oneOf":[{"type":"array","items":{"type":"string"}},{"type":"string"}],` +
		`"description":"arguments: a list, or one text split at blanks"},"stdin":{"type":"string","description":"standard input"}}` + required + `}`)
}

// prepare checks a model's arguments and makes a call of them.
func (t *Tool) prepare(arguments tool.Value) (*invocation, error) {
	text, err := t.Schema()
	if err != nil {
		return nil, err
	}
	checker, err := tool.NewChecker(tool.Raw(text))
	if err != nil {
		return nil, err
	}
	if err := checker.Check(arguments); err != nil {
		return nil, err
	}
	call := &invocation{}
	own := func(name string) bool {
		return t.schema != nil && t.schema.has(name)
	}
	if v, ok := arguments.Member("cwd"); ok && !own("cwd") {
		call.cwd, _ = v.Text()
	}
	if v, ok := arguments.Member("timeout_seconds"); ok && !own("timeout_seconds") {
		var seconds float64
		if err := v.Decode(&seconds); err != nil {
			return nil, fmt.Errorf("timeout_seconds: %w", err)
		}
		call.timeout = time.Duration(math.Min(seconds, 1e9) * float64(time.Second))
	}
	if t.schema != nil {
		call.argv, call.stdin, err = t.schema.bind(arguments)
		return call, err
	}
	if v, ok := arguments.Member("args"); ok {
		if line, isText := v.Text(); isText {
			call.argv = strings.Fields(line)
		} else {
			call.argv = words(v)
		}
	}
	if v, ok := arguments.Member("stdin"); ok {
		text, _ := v.Text()
		call.stdin = []byte(text)
	}
	return call, nil
}

func (s *schema) has(name string) bool {
	var object struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(s.model, &object) != nil {
		return false
	}
	_, ok := object.Properties[name]
	return ok
}

// SelfTest runs the tool's selftest.sh, if it has one, in its folder.
func (t *Tool) SelfTest(ctx context.Context) (out *Output, ran bool, err error) {
	folder := filepath.Dir(t.Path)
	script := filepath.Join(folder, "selftest.sh")
	if _, err := os.Stat(script); errors.Is(err, os.ErrNotExist) {
		return nil, false, nil
	}
	stdout, stderr := lines.NewCut(outputBytes, nil), lines.NewCut(outputBytes, nil)
	process := t.process([]string{script}, "", folder, folder, time.Minute)
	process.Path, process.Name = "/bin/sh", "sh"
	process.Stdin, process.Stdout, process.Stderr = strings.NewReader(""), stdout, stderr
	status, err := process.Run(ctx)
	if err != nil {
		return nil, true, err
	}
	out = &Output{ExitCode: status, TimedOut: status == 124}
	out.Stdout, _, _ = stdout.String()
	out.Stderr, _, _ = stderr.String()
	return out, true, nil
}
