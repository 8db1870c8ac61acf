package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/vsh-project/vsh/tool"
)

// TestMain lets the test's binary be the program, for tests that need it as a
// process of its own.
func TestMain(m *testing.M) {
	if os.Getenv("VSH_TEST_PROGRAM") != "" {
		main()
	}
	os.Exit(m.Run())
}

func program(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = []string{"VSH_TEST_PROGRAM=1"}
	cmd.Stderr = os.Stderr
	return cmd
}

// mcpClient is the SDK's own client, connected to vsh mcp in another process.
func mcpClient(t *testing.T, options *mcp.ClientOptions, args ...string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, options)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: program(append([]string{"mcp"}, args...)...)}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { session.Close() })
	return session
}

// shellValue is what the tests read of a call's value.
type shellValue struct {
	Output     string `json:"output"`
	Stderr     string `json:"stderr"`
	ExitCode   int    `json:"exit_code"`
	Truncated  bool   `json:"truncated"`
	Directory  string `json:"directory"`
	FullOutput string `json:"full_output"`
}

func callShell(t *testing.T, session *mcp.ClientSession, arguments map[string]any) (text string, value shellValue) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "shell", Arguments: arguments})
	require.NoError(t, err)
	require.Len(t, result.Content, 1)
	text = result.Content[0].(*mcp.TextContent).Text
	require.False(t, result.IsError, text)
	structured, err := json.Marshal(result.StructuredContent)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(structured, &value))
	return text, value
}

func command(script string) map[string]any { return map[string]any{"command": script} }

// tree is every file below dir with its content.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			files[path] = ""
			return err
		}
		data, err := os.ReadFile(path)
		info, _ := d.Info()
		files[path] = fmt.Sprint(info.ModTime(), info.Mode(), string(data))
		return err
	}))
	return files
}

func TestMCPSession(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "src", "deep"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "src", "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o644))
	before := tree(t, dir)
	session := mcpClient(t, nil, "--root", dir)

	list, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, list.Tools, 1)
	require.Equal(t, "shell", list.Tools[0].Name)
	require.Contains(t, list.Tools[0].Description, "Commands, besides all bash builtins:")
	for _, schema := range []any{list.Tools[0].InputSchema, list.Tools[0].OutputSchema} {
		require.Equal(t, "object", schema.(map[string]any)["type"])
	}

	text, value := callShell(t, session, command("cd src; pwd"))
	require.Equal(t, "/src\n[directory: /src]", text)
	require.Equal(t, "/src", value.Directory)
	text, _ = callShell(t, session, command("grep -n func main.go; name=deep"))
	require.Equal(t, "3:func main() {}\n", text)
	_, value = callShell(t, session, command(`cd "$name"; pwd; shout() { echo "$1!"; }`))
	require.Equal(t, "/src/deep\n", value.Output)
	_, value = callShell(t, session, command(`shout hello > /tmp/said; cat /tmp/said`))
	require.Equal(t, "hello!\n", value.Output)

	ctx, cancel := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	wait.Go(func() {
		_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "shell", Arguments: command("count=7; while :; do :; done")})
		if err == nil || ctx.Err() == nil {
			t.Error("the call that never ends has ended")
		}
	})
	time.AfterFunc(100*time.Millisecond, cancel)
	wait.Wait()

	// The next call takes its turn when the cancelled one has ended.
	_, value = callShell(t, session, command(`echo "$name in $PWD"; shout still; cat /tmp/said`))
	require.Equal(t, "deep in /src/deep\nstill!\nhello!\n", value.Output)

	text, value = callShell(t, session, command(`for ((i = 0; i < 5000; i++)); do echo "line $i of a long listing"; done`))
	require.True(t, value.Truncated)
	require.Contains(t, text, "cut: full text in "+value.FullOutput+"]")
	_, value = callShell(t, session, command("grep -c . "+value.FullOutput+"; grep -n 'line 2500 ' "+value.FullOutput))
	require.Equal(t, "5000\n2501:line 2500 of a long listing\n", value.Output)

	text, _ = callShell(t, session, command("cd ..; echo changed > main.go; false"))
	require.Contains(t, text, "[exit code: 1; directory: /src]")
	callShell(t, session, command("echo new > made; cat made > main.go"))
	_, value = callShell(t, session, map[string]any{"command": "pwd", "workdir": "deep"})
	require.Equal(t, "/src\n", strings.Replace(value.Output, "/deep", "", 1))
	_, value = callShell(t, session, command("no-such-program"))
	require.Equal(t, 127, value.ExitCode)
	require.Equal(t, before, tree(t, dir), "no file is changed on disk")
	require.NoError(t, session.Close())
}

func TestMCPWritesWhenTold(t *testing.T) {
	dir := t.TempDir()
	session := mcpClient(t, nil, "--root", dir, "--write", "--mount-point", dir, "--tool-name", "bash")
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "bash", Arguments: command("echo yes > made; pwd")})
	require.NoError(t, err)
	require.Equal(t, dir+"\n", result.Content[0].(*mcp.TextContent).Text)
	data, err := os.ReadFile(filepath.Join(dir, "made"))
	require.NoError(t, err)
	require.Equal(t, "yes\n", string(data))
}

func TestMCPServesADirectoryOfTools(t *testing.T) {
	tools := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(tools, "shout"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(tools, "shout", "shout"), []byte("#!/bin/sh\n"+
		"[ \"$1\" = --help ] && { echo 'shout - says it louder'; echo 'shout WORD'; exit; }\necho \"$1!\"\n"), 0o755))
	session := mcpClient(t, nil, "--root", t.TempDir(), "--tools", tools)
	list, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, list.Tools, 2)
	require.Equal(t, "shout", list.Tools[1].Name)
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "shout", Arguments: map[string]any{"args": []string{"hey"}}})
	require.NoError(t, err)
	require.Equal(t, "hey!\n", result.Content[0].(*mcp.TextContent).Text)
	_, value := callShell(t, session, command("shout there"))
	require.Equal(t, "there!\n", value.Output, "it is a command of the shell too")
}

func TestMCPErrorsAreResults(t *testing.T) {
	session := mcpClient(t, nil)
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "shell", Arguments: map[string]any{"command": "ls", "timeout_ms": "soon"}})
	require.NoError(t, err)
	require.True(t, result.IsError)
	require.Nil(t, result.StructuredContent)
	require.Equal(t, `Error: shell: the arguments do not fit: timeout_ms: expected integer, got string "soon"`, result.Content[0].(*mcp.TextContent).Text)
	_, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "nosuch"})
	require.ErrorContains(t, err, "nosuch")
}

func TestMCPProgress(t *testing.T) {
	told := make(chan *mcp.ProgressNotificationParams, 100)
	session := mcpClient(t, &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, request *mcp.ProgressNotificationClientRequest) {
		told <- request.Params
	}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	params := &mcp.CallToolParams{Name: "shell", Arguments: command("echo working; while :; do :; done")}
	params.SetProgressToken("mine")
	var wait sync.WaitGroup
	wait.Go(func() { session.CallTool(ctx, params) })
	first := <-told
	second := <-told
	require.Equal(t, "mine", first.ProgressToken)
	require.Contains(t, first.Message, "8 bytes: working")
	require.Greater(t, second.Progress, first.Progress)
	cancel()
	wait.Wait()
}

func TestMCPEndsWithItsClient(t *testing.T) {
	cmd := program("mcp")
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(stdout)
	send := func(text string) {
		_, err := fmt.Fprintln(stdin, text)
		require.NoError(t, err)
	}
	send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`)
	require.True(t, lines.Scan())
	var answer struct {
		Result struct {
			ProtocolVersion string
			Capabilities    map[string]any
			ServerInfo      struct{ Name string }
		}
	}
	require.NoError(t, json.Unmarshal(lines.Bytes(), &answer))
	require.Equal(t, "2025-06-18", answer.Result.ProtocolVersion)
	require.Equal(t, "vsh", answer.Result.ServerInfo.Name)
	require.Contains(t, answer.Result.Capabilities, "tools")
	require.NotContains(t, answer.Result.Capabilities, "logging")
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"shell","arguments":{"command":"while :; do :; done"}}}`)
	stdin.Close()
	ended := make(chan error, 1)
	go func() {
		for lines.Scan() {
		}
		ended <- cmd.Wait()
	}()
	select {
	case err := <-ended:
		require.NoError(t, err)
	case <-time.After(20 * time.Second):
		cmd.Process.Kill()
		t.Fatal("the server outlives its client")
	}
}

// serveHTTP starts vsh mcp --http in another process and gives its address.
func serveHTTP(t *testing.T, args ...string) string {
	t.Helper()
	cmd := program(append([]string{"mcp", "--http", "0"}, args...)...)
	cmd.Stderr = nil
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		require.NoError(t, cmd.Wait(), "an interrupt ends the server well")
	})
	line, err := bufio.NewReader(stderr).ReadString('\n')
	require.NoError(t, err)
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "vsh: serving MCP at ")
	require.True(t, ok, line)
	require.Regexp(t, `^http://127\.0\.0\.1:\d+/mcp$`, url)
	return url
}

func TestMCPOverHTTP(t *testing.T) {
	url := serveHTTP(t)
	connect := func() *mcp.ClientSession {
		client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
		session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url}, nil)
		require.NoError(t, err)
		return session
	}
	one, two := connect(), connect()
	defer two.Close()
	callShell(t, one, command("x=one; cd /tmp; echo shared > /file"))
	callShell(t, two, command("x=two"))
	_, value := callShell(t, one, command("echo $x; pwd"))
	require.Equal(t, "one\n/tmp\n", value.Output)
	_, value = callShell(t, two, command("echo $x; pwd; cat /file"))
	require.Equal(t, "two\n/\nshared\n", value.Output, "one session a client, one workspace for all")
	require.NoError(t, one.Close())
	three := connect()
	defer three.Close()
	_, value = callShell(t, three, command("echo x=$x"))
	require.Equal(t, "x=\n", value.Output)
}

func TestMCPOverHTTPRefusesOtherOrigins(t *testing.T) {
	url := serveHTTP(t)
	body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"page","version":"1"}}}`
	for name, c := range map[string]struct {
		set  func(*http.Request)
		want int
	}{
		"a program":          {func(*http.Request) {}, http.StatusOK},
		"a page elsewhere":   {func(r *http.Request) { r.Header.Set("Origin", "https://example.com") }, http.StatusForbidden},
		"a name rebound":     {func(r *http.Request) { r.Host = "example.com" }, http.StatusForbidden},
		"a cross-site fetch": {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, http.StatusForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
			require.NoError(t, err)
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("Accept", "application/json, text/event-stream")
			c.set(request)
			response, err := http.DefaultClient.Do(request)
			require.NoError(t, err)
			response.Body.Close()
			require.Equal(t, c.want, response.StatusCode)
		})
	}
}

// post sends one message as a client would by hand.
func post(t *testing.T, method, url, body string, header http.Header) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	for name, values := range header {
		request.Header[name] = values
	}
	response, err := (&http.Client{Timeout: time.Minute}).Do(request)
	require.NoError(t, err)
	return response
}

// postInitialize gives the headers of a new session.
func postInitialize(t *testing.T, url string) http.Header {
	t.Helper()
	response := post(t, http.MethodPost, url, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`, nil)
	response.Body.Close()
	header := http.Header{"Mcp-Session-Id": response.Header["Mcp-Session-Id"], "Mcp-Protocol-Version": {"2025-06-18"}}
	response = post(t, http.MethodPost, url, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, header)
	response.Body.Close()
	require.Equal(t, http.StatusAccepted, response.StatusCode)
	return header
}

func TestMCPOverHTTPGoesOnWithoutItsClient(t *testing.T) {
	url := serveHTTP(t)
	header := postInitialize(t, url)
	response := post(t, http.MethodPost, url, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":{"progressToken":7},"name":"shell","arguments":{"command":"x=kept; sleep 1.5; echo $x"}}}`, header)
	events := bufio.NewScanner(response.Body)
	id := ""
	for id == "" && events.Scan() {
		if text, ok := strings.CutPrefix(events.Text(), "id: "); ok {
			id = text
		}
	}
	require.NotEmpty(t, id)
	require.NoError(t, response.Body.Close(), "the connection breaks")

	header.Set("Last-Event-Id", id)
	require.Eventually(t, func() bool {
		response = post(t, http.MethodGet, url, "", header)
		if response.StatusCode == http.StatusConflict {
			response.Body.Close() // it has not noticed yet
			return false
		}
		return true
	}, 20*time.Second, 10*time.Millisecond)
	defer response.Body.Close()
	events = bufio.NewScanner(response.Body)
	for events.Scan() {
		if strings.Contains(events.Text(), `"id":2`) {
			require.Contains(t, events.Text(), `"text":"kept\n"`)
			return
		}
	}
	t.Fatal("the answer is lost: ", response.Status)
}

func TestMCPOverHTTPEndsInACall(t *testing.T) {
	cmd := program("mcp", "--http", "0")
	cmd.Stderr = nil
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(stderr).ReadString('\n')
	require.NoError(t, err)
	url := strings.TrimPrefix(strings.TrimSpace(line), "vsh: serving MCP at ")
	header := postInitialize(t, url)
	response := post(t, http.MethodPost, url, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":{"progressToken":7},"name":"shell","arguments":{"command":"echo begun; while :; do :; done"}}}`, header)
	defer response.Body.Close()
	events := bufio.NewScanner(response.Body)
	require.True(t, events.Scan(), "it is running")
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	answered := false
	for events.Scan() {
		answered = answered || strings.Contains(events.Text(), `"text":"begun\n[cancelled]"`)
	}
	require.True(t, answered, "the call ends and is answered")
	require.NoError(t, cmd.Wait())
}

func TestMCPOverHTTPAnswersWhatIsNoMessage(t *testing.T) {
	url := serveHTTP(t)
	header := postInitialize(t, url)
	for name, body := range map[string]string{
		"no JSON": `{nope`, "nothing": ``, "a scalar": `5`, "a batch": `[{"jsonrpc":"2.0","id":5,"method":"ping"}]`, "no version": `{"id":5,"method":"ping"}`,
		"too deep": `{"jsonrpc":"2.0","id":5,"method":"ping","params":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			response := post(t, http.MethodPost, url, body, header)
			response.Body.Close()
			require.Equal(t, http.StatusBadRequest, response.StatusCode)
			response = post(t, http.MethodPost, url, rawPing, header)
			response.Body.Close()
			require.Equal(t, http.StatusOK, response.StatusCode, "the session goes on")
		})
	}
}

func TestMCPConfigurationOfTheReadme(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	_, block, found := strings.Cut(string(readme), "```json\n{\n  \"mcpServers\"")
	require.True(t, found)
	block, _, found = strings.Cut(block, "```")
	require.True(t, found)
	var configuration struct {
		MCPServers map[string]struct {
			Command string
			Args    []string
		}
	}
	require.NoError(t, json.Unmarshal([]byte("{\"mcpServers\""+block), &configuration))
	vsh := configuration.MCPServers["vsh"]
	require.Equal(t, "vsh", vsh.Command)
	require.Equal(t, "mcp", vsh.Args[0])
	project := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(project, "file"), []byte("of the project\n"), 0o644))
	for i, a := range vsh.Args {
		vsh.Args[i] = strings.Replace(a, "/path/to/project", project, 1)
	}
	_, value := callShell(t, mcpClient(t, nil, vsh.Args[1:]...), command("cat file"))
	require.Equal(t, "of the project\n", value.Output)
}

func TestMCPUsage(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"a script":            {[]string{"-c", "ls"}, "vsh: mcp: no script is taken here\n"},
		"a file":              {[]string{"script.sh"}, "vsh: mcp: no script is taken here\n"},
		"a shell's option":    {[]string{"-e"}, "vsh: mcp: the options of a script's run are not taken here\n"},
		"--json":              {[]string{"--json"}, "vsh: mcp: the options of a script's run are not taken here\n"},
		"an unknown option":   {[]string{"--nosuch"}, "vsh: mcp: --nosuch: unknown option\n"},
		"--format":            {[]string{"--format", "mcp"}, "vsh: mcp: --format: unknown option\n"},
		"no value":            {[]string{"--http"}, "vsh: mcp: --http: option requires an argument\n"},
		"an empty value":      {[]string{"--tool-name="}, "vsh: mcp: --tool-name: the argument is empty\n"},
		"a bad name":          {[]string{"--tool-name", "a b"}, `vsh: mcp: tool: Register "a b": the name "a b" holds a character besides letters, digits, _ and -` + "\n"},
		"a missing directory": {[]string{"--root", "/no/such"}, "vsh: mcp: --root: "},
		"--write alone":       {[]string{"--write"}, "vsh: mcp: --write needs --root\n"},
	} {
		t.Run(name, func(t *testing.T) {
			_, stderr, status := vsh("", append([]string{"mcp"}, c.args...)...)
			require.Equal(t, 2, status)
			require.Contains(t, stderr, c.want)
		})
	}
	stdout, _, status := vsh("", "mcp", "--help")
	require.Zero(t, status)
	require.Equal(t, mcpHelp, stdout)
}

func TestLoopback(t *testing.T) {
	for in, want := range map[string]string{
		"8080": "127.0.0.1:8080", ":8080": "127.0.0.1:8080", "localhost:1": "127.0.0.1:1", "127.0.0.2:1": "127.0.0.2:1", "[::1]:1": "[::1]:1",
		"0.0.0.0:1": "", "192.168.0.1:1": "", "[::]:1": "", "example.com:1": "", "1:2:3": "",
	} {
		got, err := loopback(in)
		require.Equal(t, want, got, in)
		require.Equal(t, want == "", err != nil, in)
	}
}

func TestMCPFollowsTheRegistry(t *testing.T) {
	registry := tool.NewRegistry()
	define := func(name string, output tool.Schema, value any) *tool.Registration {
		g, err := registry.Register(&tool.Definition{
			Name: name, Description: "d", Parameters: tool.Parameters(),
			Output:  tool.Output{Schema: output, Render: func(_, v tool.Value) ([]tool.Content, error) { return tool.Text("is " + v.String()), nil }},
			Execute: func(context.Context, *tool.Call) (any, error) { return value, nil },
		})
		require.NoError(t, err)
		return g
	}
	number := define("number", tool.Number(), 5)
	define("object", tool.Object(tool.Open), map[string]int{"n": 5})
	here, there := mcp.NewInMemoryTransports()
	ended := make(chan string, 1)
	service := &mcpService{registry: registry, end: func(agent, session string) { ended <- agent + session }}
	go service.server(nil).Run(t.Context(), there)
	changed := make(chan struct{}, 10)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})
	session, err := client.Connect(t.Context(), here, nil)
	require.NoError(t, err)
	names := func() (names []string) {
		list, err := session.ListTools(t.Context(), nil)
		require.NoError(t, err)
		for _, l := range list.Tools {
			names = append(names, fmt.Sprint(l.Name, l.OutputSchema != nil))
		}
		return names
	}
	require.Equal(t, []string{"numberfalse", "objecttrue"}, names())
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "number"})
	require.NoError(t, err)
	require.Nil(t, result.StructuredContent, "older clients take objects only")
	require.Equal(t, "is 5", result.Content[0].(*mcp.TextContent).Text)
	result, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "object"})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"n": 5.0}, result.StructuredContent)

	number.Remove()
	define("later", tool.Null(), nil)
	require.Equal(t, []string{"laterfalse", "objecttrue"}, names())
	<-changed
	require.NoError(t, session.Close())
	require.Equal(t, "mcp", <-ended)
}

func TestMCPServesTheOthersWhenOneCannotBe(t *testing.T) {
	registry := tool.NewRegistry()
	for name, parameters := range map[string]tool.Schema{
		"good": tool.Parameters(),
		"bad":  tool.Raw([]byte(`{"type":"object","properties":{"a":{"type":"object","x-mcp-header":"A"}}}`)),
	} {
		_, err := registry.Register(&tool.Definition{
			Name: name, Description: "d", Parameters: parameters,
			Output:  tool.Output{Schema: tool.Null(), Render: func(_, _ tool.Value) ([]tool.Content, error) { return nil, nil }},
			Execute: func(context.Context, *tool.Call) (any, error) { return nil, nil },
		})
		require.NoError(t, err)
	}
	var said []string
	service := &mcpService{registry: registry, end: func(string, string) {}, diagnose: func(line string) { said = append(said, line) }}
	here, there := mcp.NewInMemoryTransports()
	go service.server(nil).Run(t.Context(), there)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil)
	require.NoError(t, err)
	list, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, list.Tools, 1)
	require.Equal(t, "good", list.Tools[0].Name)
	require.NoError(t, session.Close())
	require.Len(t, said, 1)
	require.Contains(t, said[0], "mcp: bad is not served: ")
}

// Tools come and go while clients list and call them.
func TestMCPFollowsARegistryInMotion(t *testing.T) {
	registry := tool.NewRegistry()
	register := func(name, says string) *tool.Registration {
		g, err := registry.Register(tool.Define(tool.Typed[struct{}, string]{Name: name, Description: says, Execute: func(context.Context, *tool.Call, struct{}) (string, error) { return says, nil }}))
		require.NoError(t, err)
		return g
	}
	register("stays", "here")
	moves := register("moves", "version 0")
	service := &mcpService{registry: registry, end: func(string, string) {}}
	server := service.server(nil)
	stop := make(chan struct{})
	var wait sync.WaitGroup
	for range 3 {
		here, there := mcp.NewInMemoryTransports()
		go server.Run(t.Context(), there)
		session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil)
		require.NoError(t, err)
		wait.Go(func() {
			defer session.Close()
			for {
				select {
				case <-stop:
					return
				default:
				}
				list, err := session.ListTools(t.Context(), nil)
				if err != nil || len(list.Tools) == 0 || list.Tools[len(list.Tools)-1].Name != "stays" {
					t.Error(list, err)
					return
				}
				result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "stays"})
				if err != nil || result.IsError {
					t.Error(result, err)
					return
				}
				// It may be between two versions.
				result, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "moves"})
				if err == nil && !result.IsError && !strings.HasPrefix(result.Content[0].(*mcp.TextContent).Text, "version ") {
					t.Error(result.Content[0])
					return
				}
			}
		})
	}
	for i := range 100 {
		moves.Remove()
		moves = register("moves", fmt.Sprint("version ", i+1))
	}
	close(stop)
	wait.Wait()
}
