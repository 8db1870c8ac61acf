package shell

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/tool"
	"github.com/vsh-project/vsh/vfs"
)

// Tool is the shell as a registered tool.
type Tool struct {
	*tool.Registration
	settings *settings
	options  Options

	mu       sync.Mutex
	sessions map[toolOwner]*toolSession
}

// toolOwner is whose Shell it is.
type toolOwner struct{ agent, session string }

// toolSession is one Shell and what its calls need of one another. Who has the
// token of turn has the rest.
type toolSession struct {
	turn  chan struct{}
	shell *Shell
	saved savedOutputs
	// directory is the shell's after its last call, for who has not the turn.
	directory atomic.Pointer[string]
}

// toolArguments are what a model sends.
type toolArguments struct {
	Command     string `json:"command"`
	Description string `json:"description"`
	TimeoutMS   int64  `json:"timeout_ms"`
	Workdir     string `json:"workdir"`
}

// toolValue is what a call gives.
type toolValue struct {
	Stdout    string `json:"stdout"`
	Stderr    string `json:"stderr"`
	Output    string `json:"output"`
	ExitCode  int    `json:"exit_code"`
	Truncated bool   `json:"truncated"`
	TimedOut  bool   `json:"timed_out"`
	Directory string `json:"directory"`
	// PreviousDirectory is where the call began, when that is elsewhere.
	PreviousDirectory string `json:"previous_directory,omitempty"`
	Cancelled         bool   `json:"cancelled,omitempty"`
	CutBytes          int64  `json:"cut_bytes,omitempty"`
	CutLines          int64  `json:"cut_lines,omitempty"`
	// FullOutput is the file with the whole output, FullOutputBytes its size
	// where the output was larger than what is saved.
	FullOutput      string `json:"full_output,omitempty"`
	FullOutputBytes int64  `json:"full_output_bytes,omitempty"`
	// Changes are those of Result, at most maximumToolChanges; the others are
	// counted.
	Changes           []vfs.Change `json:"changes,omitempty"`
	MoreChanges       int          `json:"more_changes,omitempty"`
	ChangesIncomplete bool         `json:"changes_incomplete,omitempty"`
}

// maximumToolChanges bounds the list in a tool's value, which hosts may put
// before a model.
const maximumToolChanges = 200

// changeSchema is a vfs.Change as JSON has it.
func changeSchema() tool.Schema {
	text, size := tool.String(), tool.Integer()
	return tool.Object(tool.Closed,
		tool.Required("kind", text.Describe("added, modified, removed, renamed or mode changed")),
		tool.Required("path", text),
		tool.Optional("from", text.Describe("Where a renamed one was")),
		tool.Optional("edited", tool.Boolean().Describe("A renamed one has other content too")),
		tool.Optional("type", text.Describe("file, directory, link, pipe or other")),
		tool.Optional("mode", text.Describe("Octal")),
		tool.Optional("size", size),
		tool.Optional("old_type", text),
		tool.Optional("old_mode", text),
		tool.Optional("old_size", size),
	)
}

// Register adds one tool, under Options.ToolName, that runs a script in the
// session of the call: a Shell for each agent and session, made on its first
// call. They share Options.Storage; /tmp and everything else is a session's own.
func Register(registry *tool.Registry, options *Options) (*Tool, error) {
	if registry == nil {
		return nil, errors.New("shell: Register: the registry is nil")
	}
	s, err := newSettings(options)
	if err != nil {
		return nil, err
	}
	t := &Tool{settings: s, options: *options, sessions: make(map[toolOwner]*toolSession)}
	// Sessions are made later, as the description says now.
	t.options.Commands, t.options.Mounts, t.options.Environment = slices.Clone(options.Commands), slices.Clone(options.Mounts), slices.Clone(options.Environment)
	text := tool.String()
	t.Registration, err = registry.Register(tool.Define(tool.Typed[toolArguments, toolValue]{
		Name:        s.ToolName,
		Description: s.describe(),
		Parameters: tool.Parameters(
			tool.Required("command", text.Describe("The bash script to run.")),
			tool.Optional("description", text.Describe("What it does, in 5 to 10 words, for the person who watches.")),
			tool.Optional("timeout_ms", tool.Integer().Describe(fmt.Sprintf("Time limit in milliseconds, at most %d.", s.MaximumToolTimeout.Milliseconds()))),
			tool.Optional("workdir", text.Describe("Directory for this call only; a cd in it is forgotten.")),
		),
		Output: tool.Object(tool.Closed,
			tool.Required("stdout", text),
			tool.Required("stderr", text),
			tool.Required("output", text.Describe("Both, as they were written")),
			tool.Required("exit_code", tool.Integer()),
			tool.Required("truncated", tool.Boolean().Describe("The middle of output is cut")),
			tool.Required("timed_out", tool.Boolean()),
			tool.Required("directory", text.Describe("Working directory of the next call")),
			tool.Optional("previous_directory", text.Describe("Working directory before, when it changed")),
			tool.Optional("cancelled", tool.Boolean()),
			tool.Optional("cut_bytes", tool.Integer()),
			tool.Optional("cut_lines", tool.Integer()),
			tool.Optional("full_output", text.Describe("File with the output before it was cut")),
			tool.Optional("full_output_bytes", tool.Integer().Describe("How much of its start the file has, when not all")),
			tool.Optional("changes", tool.Array(changeSchema()).Describe("What the call has changed in the workspace")),
			tool.Optional("more_changes", tool.Integer().Describe("How many more there were")),
			tool.Optional("changes_incomplete", tool.Boolean().Describe("There was more than could be noted")),
		),
		Execute: t.execute,
		Render: func(in toolArguments, out toolValue) ([]tool.Content, error) {
			return tool.Text(out.render(s.toolTimeout(in))), nil
		},
		Meta: func(_ toolArguments, out toolValue) (any, error) { return out.meta(), nil },
	}))
	if err != nil {
		return nil, err
	}
	return t, nil
}

// EndSession forgets the Shell of an agent's session; a call that is running
// in it goes on.
func (t *Tool) EndSession(agent, session string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.sessions, toolOwner{agent, session})
}

// Directory is the working directory of an agent's session after its last call,
// MountPoint before the first.
func (t *Tool) Directory(agent, session string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.sessions[toolOwner{agent, session}]; s != nil {
		if directory := s.directory.Load(); directory != nil {
			return *directory
		}
	}
	return t.settings.mount
}

// session is the one of the caller, which holds its turn.
func (t *Tool) session(ctx context.Context, owner toolOwner) (*toolSession, error) {
	t.mu.Lock()
	s := t.sessions[owner]
	if s == nil {
		s = &toolSession{turn: make(chan struct{}, 1)}
		s.turn <- struct{}{}
		t.sessions[owner] = s
	}
	t.mu.Unlock()
	if s.runs(ctx) {
		return nil, errors.New("not started: it is called from a script of the same session, and would wait for itself")
	}
	select {
	case <-s.turn:
	case <-ctx.Done():
		return nil, notStarted(ctx)
	}
	if s.shell == nil {
		// It is nil still when one of the embedder's functions panics in New.
		defer func() {
			if s.shell == nil {
				s.turn <- struct{}{}
			}
		}()
		made, err := New(&t.options)
		if err != nil {
			return nil, err
		}
		s.shell = made
	}
	return s, nil
}

// runningSession is in the context of what a session's script runs.
type runningSession struct {
	session *toolSession
	outer   *runningSession // whose script called for it
}

type runningSessionKey struct{}

// runs reports that ctx is that of a script of the session.
func (s *toolSession) runs(ctx context.Context) bool {
	r, _ := ctx.Value(runningSessionKey{}).(*runningSession)
	for ; r != nil; r = r.outer {
		if r.session == s {
			return true
		}
	}
	return false
}

func (t *Tool) execute(ctx context.Context, call *tool.Call, in toolArguments) (toolValue, error) {
	if strings.TrimSpace(in.Command) == "" {
		return toolValue{}, errors.New("command is empty: give the script to run")
	}
	if strings.ContainsRune(in.Command, 0) {
		return toolValue{}, errors.New("command holds a NUL character, which no script may")
	}
	if arguments := call.Arguments(); in.TimeoutMS <= 0 {
		if _, given := arguments.Member("timeout_ms"); given {
			return toolValue{}, fmt.Errorf("timeout_ms: expected a number of at least 1, got %d", in.TimeoutMS)
		}
	}
	s, err := t.session(ctx, toolOwner{call.Agent(), call.Session()})
	if err != nil {
		return toolValue{}, err
	}
	defer func() { s.turn <- struct{}{} }()
	return s.run(ctx, call, in, t.settings)
}

func (s *toolSession) run(ctx context.Context, call *tool.Call, in toolArguments, settings *settings) (toolValue, error) {
	if ctx.Err() != nil {
		return toolValue{}, notStarted(ctx)
	}
	before := s.shell.eval.directory()
	defer func() {
		now := s.shell.eval.directory()
		s.directory.Store(&now)
	}()
	request := &Request{Script: in.Command, Timeout: settings.toolTimeout(in)}
	if in.Workdir != "" {
		request.Directory = in.Workdir
		if !path.IsAbs(in.Workdir) {
			request.Directory = path.Join(before, in.Workdir)
		}
		info, err := s.shell.files.view.Stat(ctx, request.Directory)
		if err == nil && !info.IsDir() {
			err = vfs.ENOTDIR
		}
		if ctx.Err() != nil {
			return toolValue{}, notStarted(ctx)
		}
		if err != nil {
			return toolValue{}, fmt.Errorf("workdir %s: %s", lines.Clip(in.Workdir, 200), vfs.Words(err))
		}
	}
	whole := &wholeOutput{limit: settings.MaximumOutputBytes, budget: s.shell.budget}
	defer whole.release()
	request.Stdout, request.Stderr = whole, whole
	result, err := func() (*Result, error) {
		defer whole.report(call)()
		outer, _ := ctx.Value(runningSessionKey{}).(*runningSession)
		return s.shell.Exec(context.WithValue(ctx, runningSessionKey{}, &runningSession{s, outer}), request)
	}()
	switch {
	case err != nil && ctx.Err() != nil:
		return toolValue{}, notStarted(ctx)
	case err != nil:
		return toolValue{}, err
	}
	clean := func(text string) string {
		if settings.StripEscapes {
			text = stripEscapes(text)
		}
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	value := toolValue{
		Stdout: clean(result.Stdout), Stderr: clean(result.Stderr), Output: clean(result.Output),
		ExitCode: result.ExitCode, Truncated: result.Truncated, TimedOut: result.TimedOut,
		Directory: result.Directory, Cancelled: ctx.Err() != nil,
	}
	value.Changes, value.ChangesIncomplete = result.Changes, result.ChangesIncomplete
	if n := len(value.Changes) - maximumToolChanges; n > 0 {
		value.Changes, value.MoreChanges = value.Changes[:maximumToolChanges], n
	}
	if value.Directory != before {
		value.PreviousDirectory = before
	}
	if result.Truncated {
		value.CutBytes, value.CutLines = result.CutBytes, result.CutLines
		// A call that was cancelled keeps its output all the same.
		value.FullOutput, value.FullOutputBytes = s.saved.save(context.WithoutCancel(ctx), s.shell.files.view, whole)
	}
	return value, nil
}

func notStarted(ctx context.Context) error {
	return fmt.Errorf("not started: %w", context.Cause(ctx))
}

// toolTimeout is how long a call may run.
func (s *settings) toolTimeout(in toolArguments) time.Duration {
	if in.TimeoutMS <= 0 {
		return max(s.Timeout, 0)
	}
	longest := max(s.MaximumToolTimeout, s.Timeout)
	if in.TimeoutMS > longest.Milliseconds() {
		return longest
	}
	return time.Duration(in.TimeoutMS) * time.Millisecond
}
