package shell

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vsh-project/vsh/tool"
	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/memory"
)

func newTool(t *testing.T, options Options) (*tool.Registry, *Tool) {
	t.Helper()
	if options.Storage == nil {
		options.Storage = memory.New(memory.Options{})
	}
	registry := tool.NewRegistry()
	registered, err := Register(registry, &options)
	require.NoError(t, err)
	return registry, registered
}

// call runs one command of the session "s".
func call(t *testing.T, registry *tool.Registry, arguments map[string]any) (*tool.Result, toolValue) {
	t.Helper()
	return callAs(t, t.Context(), registry, "s", arguments)
}

func callAs(t *testing.T, ctx context.Context, registry *tool.Registry, session string, arguments map[string]any) (*tool.Result, toolValue) {
	t.Helper()
	text, err := json.Marshal(arguments)
	require.NoError(t, err)
	result := registry.Call(ctx, tool.Request{Name: "shell", Agent: "a", Session: session, Arguments: text})
	var value toolValue
	if !result.IsError {
		require.NoError(t, result.Value.Decode(&value))
	}
	return result, value
}

func script(text string) map[string]any { return map[string]any{"command": text} }

func TestRegisterAddsExactlyOneTool(t *testing.T) {
	for name, want := range map[string]string{"": "shell", "bash": "bash"} {
		registry, registered := newTool(t, Options{ToolName: name})
		list := registry.Definitions()
		require.Len(t, list, 1)
		require.Equal(t, want, list[0].Name)
		require.Equal(t, want, registered.Definition().Name)
		registered.Remove()
		require.Empty(t, registry.Definitions())
	}
}

func TestRegisterRefuses(t *testing.T) {
	storage := memory.New(memory.Options{})
	_, err := Register(nil, &Options{Storage: storage})
	require.ErrorContains(t, err, "the registry is nil")
	_, err = Register(tool.NewRegistry(), &Options{})
	require.ErrorContains(t, err, "Options.Storage is required")
	_, err = Register(tool.NewRegistry(), &Options{Storage: storage, ToolName: "two words"})
	require.ErrorContains(t, err, "besides letters")
	_, err = Register(tool.NewRegistry(), &Options{Storage: storage, MaximumToolTimeout: -1})
	require.ErrorContains(t, err, "Options.MaximumToolTimeout")
	registry, _ := newTool(t, Options{})
	_, err = Register(registry, &Options{Storage: storage})
	require.ErrorContains(t, err, "the name is taken")
}

func TestToolSchemas(t *testing.T) {
	registry, _ := newTool(t, Options{MaximumToolTimeout: time.Minute})
	d := registry.Definitions()[0]
	var parameters, output struct {
		Properties           map[string]struct{ Type, Description string }
		Required             []string
		AdditionalProperties *bool
	}
	require.NoError(t, d.Parameters.Decode(&parameters))
	require.Len(t, parameters.Properties, 4)
	for name, kind := range map[string]string{"command": "string", "description": "string", "timeout_ms": "integer", "workdir": "string"} {
		require.Equal(t, kind, parameters.Properties[name].Type, name)
	}
	require.Contains(t, parameters.Properties["timeout_ms"].Description, "60000")
	require.Equal(t, []string{"command"}, parameters.Required)
	require.Nil(t, parameters.AdditionalProperties, "the root is open")
	require.NoError(t, d.Output.Decode(&output))
	require.Equal(t, []string{"stdout", "stderr", "output", "exit_code", "truncated", "timed_out", "directory"}, output.Required)
}

func TestToolValue(t *testing.T) {
	registry, _ := newTool(t, Options{})
	result, value := call(t, registry, script("echo out; cat missing; exit 3"))
	require.False(t, result.IsError, "an exit status is a value")
	require.Equal(t, toolValue{
		Stdout: "out\n", Stderr: "cat: missing: No such file or directory\n",
		Output: "out\ncat: missing: No such file or directory\n", ExitCode: 3, Directory: "/",
	}, value)
	require.Equal(t, tool.Text("out\ncat: missing: No such file or directory\n[exit code: 3]"), result.Content)
	require.Equal(t, `{"exit_code":3,"timed_out":false,"cancelled":false,"truncated":false,"directory":"/"}`, result.Meta.String())
}

func TestToolRefusesArguments(t *testing.T) {
	registry, _ := newTool(t, Options{})
	for name, c := range map[string]struct {
		arguments map[string]any
		want      string
	}{
		"no command":        {map[string]any{"cmd": "ls"}, "command: expected string, got nothing: it is required"},
		"a blank command":   {script(" \n"), "command is empty"},
		"a NUL":             {script("echo \x00"), "NUL"},
		"a list":            {map[string]any{"command": []string{"ls"}}, "command: expected string, got array"},
		"no time":           {map[string]any{"command": ":", "timeout_ms": 0}, "timeout_ms: expected a number of at least 1, got 0"},
		"time before":       {map[string]any{"command": ":", "timeout_ms": -5}, "timeout_ms: expected a number of at least 1, got -5"},
		"time as text":      {map[string]any{"command": ":", "timeout_ms": "5"}, `timeout_ms: expected integer, got string "5"`},
		"no such workdir":   {map[string]any{"command": ":", "workdir": "no/such"}, "workdir no/such: No such file or directory"},
		"a workdir of 9 KB": {map[string]any{"command": ":", "workdir": strings.Repeat("é/", 3000)}, "workdir " + strings.Repeat("é/", 66) + "é…: File name too long"},
		"workdir is no dir": {map[string]any{"command": ":", "workdir": "/dev/null"}, "workdir /dev/null: Not a directory"},
		"another spelling":  {map[string]any{"command": ":", "Command": "rm"}, `Command: expected the name "command"`},
	} {
		t.Run(name, func(t *testing.T) {
			result, _ := call(t, registry, c.arguments)
			require.True(t, result.IsError)
			require.Contains(t, result.Content[0].Text, c.want)
		})
	}
}

func TestToolSessions(t *testing.T) {
	storage := memory.New(memory.Options{})
	require.NoError(t, storage.Mkdir("/d", 0o755))
	registry, registered := newTool(t, Options{Storage: storage})
	_, value := call(t, registry, script("cd d; x=1; f() { echo f; }; echo scratch > /tmp/t; echo shared > file"))
	require.Equal(t, "/d", value.Directory)
	require.Equal(t, "/", value.PreviousDirectory)
	result, value := call(t, registry, script("echo $x; f; cat /tmp/t file"))
	require.Equal(t, "1\nf\nscratch\nshared\n", value.Output)
	require.Equal(t, tool.Text(value.Output), result.Content, "the directory is told when it changed only")

	_, other := callAs(t, t.Context(), registry, "other", script("pwd; echo x=$x; cat /d/file; cat /tmp/t 2> /dev/null || echo none"))
	require.Equal(t, "/\nx=\nshared\nnone\n", other.Output)

	registered.EndSession("a", "s")
	_, value = call(t, registry, script("pwd; echo x=$x; cat /d/file"))
	require.Equal(t, "/\nx=\nshared\n", value.Output)
}

func TestToolSessionsAreAnAgentsOwn(t *testing.T) {
	registry, registered := newTool(t, Options{})
	ask := func(agent, session, text string) string {
		arguments, err := json.Marshal(script(text))
		require.NoError(t, err)
		return registry.Call(t.Context(), tool.Request{Name: "shell", Agent: agent, Session: session, Arguments: arguments}).Content[0].Text
	}
	require.Empty(t, registered.sessions, "none before its first call")
	ask("one", "s", "x=1; cd /tmp")
	require.Equal(t, "x=\n/\n", ask("two", "s", "echo x=$x; pwd"), "another agent's of the same name")
	require.Equal(t, "x=\n/\n", ask("on", "es", "echo x=$x; pwd"))
	require.Equal(t, "x=1\n/tmp\n", ask("one", "s", "echo x=$x; pwd"))
	require.Len(t, registered.sessions, 3)
}

func TestToolWorkdirIsForOneCall(t *testing.T) {
	storage := memory.New(memory.Options{})
	require.NoError(t, storage.MkdirAll("/a/b", 0o755))
	registry, _ := newTool(t, Options{Storage: storage})
	call(t, registry, script("cd a"))
	_, value := call(t, registry, map[string]any{"command": "pwd; cd /; pwd", "workdir": "b"})
	require.Equal(t, "/a/b\n/\n", value.Output)
	require.Equal(t, "/a", value.Directory)
	require.Empty(t, value.PreviousDirectory)
	_, value = call(t, registry, map[string]any{"command": "pwd", "workdir": "/a/b"})
	require.Equal(t, "/a/b\n", value.Output)
	_, value = call(t, registry, script("pwd"))
	require.Equal(t, "/a\n", value.Output)
}

func TestToolTimeout(t *testing.T) {
	registry, _ := newTool(t, Options{Timeout: time.Hour, MaximumToolTimeout: 2 * time.Hour})
	result, value := call(t, registry, map[string]any{"command": "echo on; while :; do :; done", "timeout_ms": 50})
	require.True(t, value.TimedOut)
	require.Equal(t, 124, value.ExitCode)
	require.Equal(t, tool.Text("on\n[timed out after 0.05 s]"), result.Content)
	_, value = call(t, registry, script("echo next works"))
	require.Equal(t, "next works\n", value.Output)
}

func TestToolTimeoutIsCapped(t *testing.T) {
	for name, c := range map[string]struct {
		timeout, most time.Duration
		asked         int64
		want          time.Duration
	}{
		"the shell's own":        {0, 0, 0, DefaultTimeout},
		"shorter":                {0, 0, 1500, 1500 * time.Millisecond},
		"longer":                 {0, 0, 300_000, 5 * time.Minute},
		"the cap":                {0, 0, 1e15, DefaultMaximumToolTimeout},
		"beyond a duration":      {0, 0, 1<<63 - 1, DefaultMaximumToolTimeout},
		"a cap of one's own":     {time.Second, time.Minute, 1e9, time.Minute},
		"never below the usual":  {time.Hour, time.Minute, 1e9, time.Hour},
		"none, and asked":        {-1, time.Minute, 1e9, time.Minute},
		"none, and none is said": {-1, time.Minute, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := newSettings(&Options{Storage: memory.New(memory.Options{}), Timeout: c.timeout, MaximumToolTimeout: c.most})
			require.NoError(t, err)
			require.Equal(t, c.want, s.toolTimeout(toolArguments{TimeoutMS: c.asked}))
		})
	}
}

func TestToolOutputIsCutAndSaved(t *testing.T) {
	registry, _ := newTool(t, Options{MaximumOutputBytes: 200})
	line := strings.Repeat("x", 99) + "\n"
	result, value := call(t, registry, script("for i in {1..50}; do echo "+line[:99]+"; done"))
	require.True(t, value.Truncated)
	require.LessOrEqual(t, len(value.Output), 200)
	require.Equal(t, "/tmp/output-1.txt", value.FullOutput)
	require.Zero(t, value.FullOutputBytes)
	require.Contains(t, result.Content[0].Text, fmt.Sprintf("[%d bytes and %d lines cut: full text in /tmp/output-1.txt]", value.CutBytes, value.CutLines))
	_, value = call(t, registry, script("grep -c x "+value.FullOutput))
	require.Equal(t, "50\n", value.Output)

	_, value = call(t, registry, script("cat /tmp/output-1.txt"))
	require.Equal(t, "/tmp/output-2.txt", value.FullOutput)
	for range maximumSavedFiles - 1 {
		_, value = call(t, registry, script("cat /tmp/output-2.txt"))
	}
	_, value = call(t, registry, script("cat /tmp/output-1.txt"))
	require.Equal(t, "cat: /tmp/output-1.txt: No such file or directory\n", value.Output, "the oldest is gone")
}

func TestSavedOutputIsBounded(t *testing.T) {
	flood := Command{Name: "flood", Summary: "writes", Run: func(_ context.Context, i *Invocation) error {
		block := []byte(strings.Repeat("0123456789abcde\n", 4096))
		for range maximumSavedBytes/len(block) + 3 {
			if _, err := i.Stdout.Write(block); err != nil {
				return err
			}
		}
		return nil
	}}
	registry, _ := newTool(t, Options{Commands: []Command{flood}})
	result, value := call(t, registry, script("flood"))
	require.Equal(t, int64(maximumSavedBytes), value.FullOutputBytes)
	require.Contains(t, result.Content[0].Text, fmt.Sprintf("lines cut: first %d bytes in /tmp/output-1.txt]", maximumSavedBytes))

	registry, registered := newTool(t, Options{Commands: []Command{flood}, Limits: Limits{Memory: 3 << 20}})
	_, value = call(t, registry, script("flood"))
	require.True(t, value.Truncated)
	require.Less(t, value.FullOutputBytes, int64(3<<20))
	registered.mu.Lock()
	defer registered.mu.Unlock()
	s := registered.sessions[toolOwner{"a", "s"}]
	whole := &wholeOutput{budget: s.shell.budget, limit: 1}
	_, err := whole.Write(make([]byte, 100<<10))
	require.NoError(t, err)
	require.Len(t, whole.kept, 100<<10, "what was not saved is given back")
	whole.release()
}

func TestToolOutputIsText(t *testing.T) {
	registry, _ := newTool(t, Options{})
	_, value := call(t, registry, script(`printf 'a\xff\xfeb\0c'`))
	require.Equal(t, "a\uFFFDb\x00c", value.Output)
}

func TestToolStripsEscapesWhenAsked(t *testing.T) {
	for strip, want := range map[bool]string{false: "\x1b[31mred\x1b[0m", true: "red"} {
		registry, _ := newTool(t, Options{StripEscapes: strip})
		_, value := call(t, registry, script(`printf '\033[31mred\033[0m'`))
		require.Equal(t, want, value.Output)
	}
}

func TestStripEscapes(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"none":                          {"plain [31m", "plain [31m"},
		"colour":                        {"\x1b[1;31mred\x1b[0m.", "red."},
		"private mode":                  {"\x1b[?25lx\x1b[?25h", "x"},
		"intermediate":                  {"\x1b[0 qx", "x"},
		"title ended by BEL":            {"\x1b]0;title\x07x", "x"},
		"link ended by ST":              {"\x1b]8;;http://a\x1b\\text\x1b]8;;\x1b\\", "text"},
		"device control":                {"\x1bPq#0\x1b\\x", "x"},
		"charset":                       {"\x1b(Bx", "x"},
		"two characters":                {"\x1b7x\x1b8", "x"},
		"reset":                         {"\x1bcx", "x"},
		"unfinished at the end":         {"x\x1b[31", "x"},
		"unfinished string stops there": {"x\x1b]0;title\nnext", "x\nnext"},
		"lone at the end":               {"x\x1b", "x"},
		"before a letter of two bytes":  {"\x1bé", "é"},
		"twice":                         {"\x1b\x1b[1mx", "x"},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, stripEscapes(c.in)) })
	}
}

func TestRender(t *testing.T) {
	for name, c := range map[string]struct {
		value toolValue
		want  string
	}{
		"output only":               {toolValue{Output: "a\n", Directory: "/"}, "a\n"},
		"nothing":                   {toolValue{Directory: "/"}, "[no output]"},
		"nothing but a status":      {toolValue{ExitCode: 1}, "[exit code: 1]"},
		"a status after half":       {toolValue{Output: "a", ExitCode: 1}, "a\n[exit code: 1]"},
		"timed out":                 {toolValue{Output: "a\n", ExitCode: 124, TimedOut: true}, "a\n[timed out after 90 s]"},
		"cancelled":                 {toolValue{ExitCode: 130, Cancelled: true}, "[cancelled]"},
		"the directory changed":     {toolValue{Output: "a\n", Directory: "/d", PreviousDirectory: "/"}, "a\n[directory: /d]"},
		"all in one line":           {toolValue{Output: "a", ExitCode: 2, Truncated: true, CutBytes: 10, CutLines: 1, FullOutput: "/tmp/o", Directory: "/d", PreviousDirectory: "/"}, "a\n[exit code: 2; 10 bytes and 1 lines cut: full text in /tmp/o; directory: /d]"},
		"cut and saved in part":     {toolValue{Output: "a", Truncated: true, CutBytes: 10, FullOutput: "/tmp/o", FullOutputBytes: 7}, "a\n[10 bytes and 0 lines cut: first 7 bytes in /tmp/o]"},
		"cut and not to be saved":   {toolValue{Output: "a", Truncated: true, CutBytes: 10}, "a\n[10 bytes and 0 lines cut]"},
		"a status that is no error": {toolValue{Output: "a\n", ExitCode: 0}, "a\n"},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, c.value.render(90*time.Second)) })
	}
}

func TestToolCancelled(t *testing.T) {
	started := make(chan struct{})
	block := Command{Name: "block", Summary: "waits", Run: func(ctx context.Context, _ *Invocation) error {
		close(started)
		<-ctx.Done()
		return ctx.Err()
	}}
	registry, _ := newTool(t, Options{Commands: []Command{block}})
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-started
		cancel(errors.New("stop"))
	}()
	result, value := callAs(t, ctx, registry, "s", script("x=kept; echo before; block; echo after"))
	require.False(t, result.IsError)
	require.True(t, value.Cancelled)
	require.Equal(t, tool.Text("before\n[cancelled]"), result.Content)
	_, value = call(t, registry, script("echo $x"))
	require.Equal(t, "kept\n", value.Output)
}

func TestToolNotStartedSaysWhy(t *testing.T) {
	gate, entered := make(chan struct{}), make(chan struct{})
	hold := Command{Name: "hold", Summary: "waits", Run: func(context.Context, *Invocation) error {
		close(entered)
		<-gate
		return nil
	}}
	registry, _ := newTool(t, Options{Commands: []Command{hold}, Limits: Limits{}})
	var wait sync.WaitGroup
	wait.Go(func() { callAs(t, context.Background(), registry, "s", script("hold")) })
	<-entered
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(10*time.Millisecond, func() { cancel(errors.New("the user said stop")) })
	result, _ := callAs(t, ctx, registry, "s", script("echo never"))
	require.Equal(t, tool.Text("Error: shell: not started: the user said stop"), result.Content)
	close(gate)
	wait.Wait()

	// Whenever it ends, a call says either that it has not started or what came of it.
	for i := range 200 {
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := time.AfterFunc(time.Duration(i)*5*time.Microsecond, func() { cancel(errors.New("stop")) })
		result, _ := callAs(t, ctx, registry, "s", map[string]any{"command": ": | :; :", "workdir": "/tmp"})
		stop.Stop()
		cancel(nil)
		require.Contains(t, []string{"Error: shell: not started: stop", "[cancelled]", "[no output]"}, result.Content[0].Text)
	}
}

// What an embedder hands over may panic anywhere; the next call still answers.
func TestToolOutlivesPanics(t *testing.T) {
	panics := true
	boom := func() {
		if panics {
			panic("boom")
		}
	}
	for name, options := range map[string]Options{
		"the clock":      {Clock: func() time.Time { boom(); return time.Unix(0, 0) }},
		"random bytes":   {Random: readerFunc(func(p []byte) (int, error) { boom(); return len(p), nil })},
		"a command":      {Commands: []Command{{Name: "fails", Summary: "s", Run: func(context.Context, *Invocation) error { boom(); return nil }}}},
		"the policy":     {Policy: policyFunc(func() error { boom(); return nil })},
		"the panic hook": {PanicHook: func(any, []byte) { boom() }, Commands: []Command{{Name: "fails", Summary: "s", Run: func(context.Context, *Invocation) error { boom(); return nil }}}},
	} {
		t.Run(name, func(t *testing.T) {
			panics = true
			registry, _ := newTool(t, options)
			for range 2 {
				result, _ := call(t, registry, script("echo $SRANDOM > file; fails; fails | fails; date"))
				require.Regexp(t, `internal error: (boom|random|hook)|not found`, result.Content[0].Text)
			}
			panics = false
			result, _ := call(t, registry, script("echo works"))
			require.Equal(t, tool.Text("works\n"), result.Content)
		})
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

type policyFunc func() error

func (f policyFunc) Check(string, vfs.Intent) error { return f() }

func TestToolKeepsTheOptionsItWasMadeWith(t *testing.T) {
	options := Options{Storage: memory.New(memory.Options{}), Environment: []string{"V=one"}, Commands: []Command{
		{Name: "which-one", Summary: "says", Run: func(_ context.Context, i *Invocation) error { fmt.Fprintln(i.Stdout, "first"); return nil }},
	}}
	registry := tool.NewRegistry()
	_, err := Register(registry, &options)
	require.NoError(t, err)
	options.Environment[0] = "V=two"
	options.Commands[0].Run = func(_ context.Context, i *Invocation) error { fmt.Fprintln(i.Stdout, "second"); return nil }
	_, value := call(t, registry, script("which-one; echo $V"))
	require.Equal(t, "first\none\n", value.Output)
}

func TestToolIntegersInEverySpelling(t *testing.T) {
	registry, _ := newTool(t, Options{})
	for spelling, want := range map[string]string{
		"50": "[timed out after 0.05 s]", "50.0": "[timed out after 0.05 s]", "5e1": "[timed out after 0.05 s]",
		"0.5": "Error: shell: the arguments do not fit: timeout_ms: expected integer, got 0.5",
	} {
		result := registry.Call(t.Context(), tool.Request{Name: "shell", Arguments: []byte(`{"command":"while :; do :; done","timeout_ms":` + spelling + `}`)})
		require.Equal(t, tool.Text(want), result.Content)
	}
}

func TestToolCalledByItsOwnScriptDoesNotWaitForItself(t *testing.T) {
	registry := tool.NewRegistry()
	again := Command{Name: "again", Summary: "calls the tool", Run: func(ctx context.Context, i *Invocation) error {
		arguments, err := json.Marshal(script(i.Arguments[1]))
		if err != nil {
			return err
		}
		result := registry.Call(ctx, tool.Request{Name: "shell", Agent: "a", Session: i.Arguments[0], Arguments: arguments})
		_, err = fmt.Fprintln(i.Stdout, strings.TrimSpace(result.Content[0].Text))
		return err
	}}
	_, err := Register(registry, &Options{Storage: memory.New(memory.Options{}), Commands: []Command{again}})
	require.NoError(t, err)
	const refused = "Error: shell: not started: it is called from a script of the same session, and would wait for itself"
	for text, want := range map[string]string{
		"again s 'echo inner'":                 refused,
		"again other 'echo inner'":             "inner",
		"again other \"again s 'echo inner'\"": refused,
		"again other \"again third 'echo 3'\"": "3",
		"again s 'echo inner' & wait":          refused,
		"echo $(again s 'echo inner' | cat)":   refused,
	} {
		_, value := call(t, registry, script(text))
		require.Equal(t, want+"\n", value.Output, text)
	}
}

func TestToolCallsOfASessionTakeTurns(t *testing.T) {
	var mu sync.Mutex
	running, most := 0, 0
	meet := Command{Name: "meet", Summary: "counts", Run: func(context.Context, *Invocation) error {
		mu.Lock()
		running++
		most = max(most, running)
		mu.Unlock()
		time.Sleep(time.Millisecond)
		mu.Lock()
		running--
		mu.Unlock()
		return nil
	}}
	registry, _ := newTool(t, Options{Commands: []Command{meet}})
	var wait sync.WaitGroup
	for range 10 {
		wait.Go(func() {
			if r := registry.Call(t.Context(), tool.Request{Name: "shell", Arguments: []byte(`{"command":"meet"}`)}); r.IsError {
				t.Error(r.Err)
			}
		})
	}
	wait.Wait()
	require.Equal(t, 1, most)
}

func TestToolSessionsRunAtOnce(t *testing.T) {
	first, second := make(chan struct{}), make(chan struct{})
	commands := []Command{
		{Name: "one", Summary: "waits for two", Run: func(ctx context.Context, _ *Invocation) error {
			close(first)
			select {
			case <-second:
			case <-ctx.Done():
			}
			return ctx.Err()
		}},
		{Name: "two", Summary: "waits for one", Run: func(ctx context.Context, _ *Invocation) error {
			close(second)
			select {
			case <-first:
			case <-ctx.Done():
			}
			return ctx.Err()
		}},
	}
	registry, _ := newTool(t, Options{Commands: commands, Timeout: 30 * time.Second})
	var wait sync.WaitGroup
	for _, name := range []string{"one", "two"} {
		wait.Go(func() {
			result := registry.Call(t.Context(), tool.Request{Name: "shell", Session: name, Arguments: []byte(`{"command":"` + name + `"}`)})
			if got := result.Content[0].Text; got != "[no output]" {
				t.Error(got)
			}
		})
	}
	wait.Wait()
}

func TestToolProgress(t *testing.T) {
	told := make(chan string, 10)
	wait := Command{Name: "until-told", Summary: "waits", Run: func(ctx context.Context, i *Invocation) error {
		fmt.Fprint(i.Stdout, "step 1\n\x1b[1mstep 2\x1b[0m\n\n")
		select {
		case m := <-told:
			fmt.Fprint(i.Stdout, m)
		case <-ctx.Done():
		}
		return nil
	}}
	registry, _ := newTool(t, Options{Commands: []Command{wait}, Timeout: 30 * time.Second})
	result := registry.Call(t.Context(), tool.Request{Name: "shell", Arguments: []byte(`{"command":"until-told"}`), Progress: func(m string) { told <- m }})
	require.Regexp(t, `\n\n\d+ s, 23 bytes: step 2$`, result.Content[0].Text)
}

func TestDescription(t *testing.T) {
	plain, err := newSettings(&Options{Storage: memory.New(memory.Options{})})
	require.NoError(t, err)
	text := plain.describe()
	t.Logf("%d bytes:\n%s", len(text), text)
	require.Less(t, len(text), 2800)
	for _, c := range Builtins() {
		require.Regexp(t, `[ :]`+c.Name+`[ .]`, text)
	}
	for _, want := range []string{"the workspace is /,", "stopped after 120 s", "at most 600 s", "over 32768 bytes", "Kept between calls", "Not kept", "Not here: git, python3,"} {
		require.Contains(t, text, want)
	}
	require.NotContains(t, text, "Also here")

	embedder, err := newSettings(&Options{
		Storage: memory.New(memory.Options{}), MountPoint: "/work/repo", HideHiddenPaths: true, Timeout: -1, MaximumOutputBytes: -1,
		Commands: []Command{
			{Name: "git", Summary: "host program\n/usr/bin/git", Run: func(context.Context, *Invocation) error { return nil }},
			{Name: "cat", Summary: "reads our store", Run: func(context.Context, *Invocation) error { return nil }},
		},
	})
	require.NoError(t, err)
	text = embedder.describe()
	for _, want := range []string{"the workspace is /work/repo,", "(/etc, /proc, /home)", "start with . or _", "may run as long as the caller waits, or for timeout_ms (at most 600 s).", "Also here:\ngit: host program /usr/bin/git\ncat: reads our store", "Not here: python3,"} {
		require.Contains(t, text, want)
	}
	require.NotContains(t, text, "loses its middle")
	require.NotRegexp(t, ` cat[ .]`, text)
}
