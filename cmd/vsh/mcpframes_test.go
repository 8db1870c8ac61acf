package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/vsh-project/vsh/tool"
)

// rawClient speaks with a server in this process line by line.
type rawClient struct {
	t     *testing.T
	in    io.WriteCloser
	lines chan string
	ended chan error
	// started is told of each call of the tool "block", which ends with its context.
	started chan string // the arguments
}

func newRawClient(t *testing.T, ctx context.Context) *rawClient {
	c := &rawClient{t: t, lines: make(chan string, 100), ended: make(chan error, 1), started: make(chan string, 10)}
	registry := tool.NewRegistry()
	for name, execute := range map[string]func(context.Context, *tool.Call, struct{}) (string, error){
		"echo": func(_ context.Context, call *tool.Call, _ struct{}) (string, error) {
			return call.Arguments().String(), nil
		},
		"block": func(ctx context.Context, call *tool.Call, _ struct{}) (string, error) {
			c.started <- call.Arguments().String()
			<-ctx.Done()
			return "told to end", nil
		},
	} {
		_, err := registry.Register(tool.Define(tool.Typed[struct{}, string]{Name: name, Execute: execute}))
		require.NoError(t, err)
	}
	stdin, in := io.Pipe()
	out, stdout := io.Pipe()
	c.in = in
	go func() {
		scanner := bufio.NewScanner(out)
		scanner.Buffer(nil, 32<<20)
		for scanner.Scan() {
			c.lines <- scanner.Text()
		}
	}()
	service := &mcpService{registry: registry, end: func(string, string) {}, ordered: "block"}
	go func() {
		c.ended <- service.serveStdio(ctx, stdin, stdout)
		in.Close()
		stdout.Close()
	}()
	return c
}

func (c *rawClient) send(lines ...string) {
	c.t.Helper()
	_, err := io.WriteString(c.in, strings.Join(lines, "\n")+"\n")
	require.NoError(c.t, err)
}

func (c *rawClient) receive() string {
	c.t.Helper()
	select {
	case line := <-c.lines:
		return line
	case <-time.After(20 * time.Second):
		require.Fail(c.t, "no answer")
		return ""
	}
}

func (c *rawClient) initialize(version string) {
	c.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`)
	require.Contains(c.t, c.receive(), `"protocolVersion":"`+version)
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// answer is the id and the error's code of a line.
func answer(line string) string {
	var m struct {
		ID    json.RawMessage
		Error *struct{ Code int }
	}
	if json.Unmarshal([]byte(line), &m) != nil {
		return line
	}
	if m.Error == nil {
		return string(m.ID)
	}
	return fmt.Sprintf("%s: %d", m.ID, m.Error.Code)
}

const rawPing = `{"jsonrpc":"2.0","id":99,"method":"ping"}`

func TestMCPAnswersWhatIsNoMessage(t *testing.T) {
	long := strings.Repeat("a", maximumFrame)
	for name, c := range map[string]struct {
		line string
		want []string
	}{
		"no JSON":                     {`{nope`, []string{"null: -32700"}},
		"half a message":              {`{"jsonrpc":"2.0",`, []string{"null: -32700"}},
		"two messages":                {rawPing + rawPing, []string{"null: -32700"}},
		"a byte order mark":           {"\ufeff" + rawPing, []string{"null: -32700"}},
		"a blank line":                {" \t\r", nil},
		"a scalar":                    {`5`, []string{"null: -32600"}},
		"null":                        {`null`, []string{"null: -32600"}},
		"no version":                  {`{"id":5,"method":"ping"}`, []string{"5: -32600"}},
		"another version":             {`{"jsonrpc":"1.0","id":"x","method":"ping"}`, []string{`"x": -32600`}},
		"no method":                   {`{"jsonrpc":"2.0","id":5}`, []string{"5: -32600"}},
		"another spelling":            {`{"jsonrpc":"2.0","id":5,"Method":"ping"}`, []string{"5: -32600"}},
		"a method that is no string":  {`{"jsonrpc":"2.0","id":5,"method":7}`, []string{"5: -32600"}},
		"an id of null":               {`{"jsonrpc":"2.0","id":null,"method":"ping"}`, []string{"null: -32600"}},
		"an id with a fraction":       {`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, []string{"null: -32600"}},
		"an id that readers round":    {`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, []string{"null: -32600"}},
		"an id that is an object":     {`{"jsonrpc":"2.0","id":{"id":4},"method":"ping"}`, []string{"null: -32600"}},
		"the largest id":              {`{"jsonrpc":"2.0","id":9007199254740991,"method":"ping"}`, []string{"9007199254740991"}},
		"an answer to nothing":        {`{"jsonrpc":"2.0","id":5,"result":{}}`, nil},
		"an error that is none":       {`{"jsonrpc":"2.0","id":5,"error":7}`, []string{"5: -32600"}},
		"an unknown method":           {`{"jsonrpc":"2.0","id":5,"method":"no/such"}`, []string{"5: -32601"}},
		"an unknown notification":     {`{"jsonrpc":"2.0","method":"notifications/no-such"}`, nil},
		"a batch":                     {"[" + rawPing + "]", []string{"null: -32600"}},
		"a message too deep":          {`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`, []string{"5: -32600"}},
		"a message too long":          {`{"method":"ping","params":{"x":"` + long + `","id":1},"jsonrpc":"2.0","id":7}`, []string{"7: -32600"}},
		"an escaped quote before it":  {`{"method":"ping","params":"\"id\":3,\\","id":7,"x":"` + long + `"}`, []string{"7: -32600"}},
		"arguments that are no UTF-8": {`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{"a":"` + "\xff" + `"}}}`, []string{"5"}},
	} {
		t.Run(name, func(t *testing.T) {
			client := newRawClient(t, t.Context())
			client.initialize("2025-06-18")
			client.send(c.line)
			for _, want := range c.want {
				require.Equal(t, want, answer(client.receive()))
			}
			client.send(rawPing)
			require.Equal(t, "99", answer(client.receive()), "the session goes on")
			require.NoError(t, client.in.Close())
			require.NoError(t, <-client.ended)
		})
	}
}

func TestMCPBatches(t *testing.T) {
	client := newRawClient(t, t.Context())
	client.initialize("2025-03-26")
	client.send(`[{"jsonrpc":"2.0","method":"notifications/one"},{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/two"},{"jsonrpc":"2.0","id":"a","method":"ping"}]`)
	require.Equal(t, `[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":"a","result":{}}]`, client.receive())
	client.send(`[]`)
	require.Equal(t, "null: -32600", answer(client.receive()))
	client.send(`[5,{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":1,"method":"ping"}]`)
	require.Equal(t, "null: -32600", answer(client.receive()), "no message")
	require.Equal(t, "null: -32600", answer(client.receive()), "the same id twice")
	require.Equal(t, `[{"jsonrpc":"2.0","id":1,"result":{}}]`, client.receive())
	client.send(`[{"jsonrpc":"2.0","method":"notifications/one"}]`, rawPing)
	require.Equal(t, "99", answer(client.receive()))
}

const rawBlock = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"block"}}`

func TestMCPRefusesAnIDInUse(t *testing.T) {
	client := newRawClient(t, t.Context())
	client.initialize("2025-06-18")
	client.send(rawBlock)
	<-client.started
	client.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	require.Equal(t, "null: -32600", answer(client.receive()))
	client.send(`{"jsonrpc":"2.0","id":"1","method":"ping"}`)
	require.Equal(t, `"1"`, answer(client.receive()), "a string is another id")
}

func TestMCPCancelledRequestHasNoAnswer(t *testing.T) {
	client := newRawClient(t, t.Context())
	client.initialize("2025-06-18")
	client.send(rawBlock)
	<-client.started
	client.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":50}}`)
	require.NoError(t, client.in.Close())
	require.NoError(t, <-client.ended, "it ends when the call has ended")
	require.Empty(t, client.lines)
}

func TestMCPCallsOfTheShellKeepTheirOrder(t *testing.T) {
	client := newRawClient(t, t.Context())
	client.initialize("2025-06-18")
	call := func(id int, name string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{"n":%d}}}`, id, name, id)
	}
	client.send(call(1, "block"))
	<-client.started
	var later []string
	for id := 2; id < 50; id++ {
		later = append(later, call(id, "block"))
	}
	client.send(later...)
	client.send(call(100, "echo"), rawPing)
	require.ElementsMatch(t, []string{"100", "99"}, []string{answer(client.receive()), answer(client.receive())}, "others need not wait")
	cancel := func(id int) {
		client.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id))
	}
	cancel(3) // before its turn
	for id := 1; id < 49; id++ {
		if id == 3 {
			continue
		}
		require.Empty(t, client.started)
		cancel(id)
		require.Equal(t, fmt.Sprintf(`{"n":%d}`, map[bool]int{true: id + 1, false: 4}[id != 2]), <-client.started)
	}
	require.Empty(t, client.lines, "cancelled requests have no answers")
}

func TestMCPAnswersBeforeItEnds(t *testing.T) {
	client := newRawClient(t, t.Context())
	client.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"n":12345678901234567890}}}`, rawBlock)
	require.NoError(t, client.in.Close())
	require.Equal(t, `"init"`, answer(client.receive()))
	require.Contains(t, client.receive(), `{\"n\":12345678901234567890}`)
	require.Contains(t, client.receive(), "told to end", "a call that goes on is ended after a grace")
	require.NoError(t, <-client.ended)
}

func TestMCPEndsAlthoughNobodyReads(t *testing.T) {
	for name, end := range map[string]func(in io.Closer, cancel func()){
		"when told":                     func(_ io.Closer, cancel func()) { cancel() },
		"when its client sends no more": func(in io.Closer, _ func()) { in.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			stdin, in := io.Pipe()
			service := &mcpService{registry: tool.NewRegistry(), end: func(string, string) {}}
			ended := make(chan error, 1)
			_, nobody := io.Pipe()
			go func() { ended <- service.serveStdio(ctx, stdin, nobody) }()
			_, err := io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`+"\n")
			require.NoError(t, err)
			end(in, cancel)
			select {
			case <-ended:
			case <-time.After(20 * time.Second):
				t.Fatal("the server waits for a client that does not read")
			}
		})
	}
}

// A client ends a server by a signal when it does not end by itself, and a
// person does by Ctrl-C.
func TestMCPEndsBySignalInACall(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			cmd := program("mcp")
			stdin, err := cmd.StdinPipe()
			require.NoError(t, err)
			defer stdin.Close()
			stdout, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			lines := bufio.NewScanner(stdout)
			fmt.Fprintln(stdin, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`)
			require.True(t, lines.Scan())
			fmt.Fprintln(stdin, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			fmt.Fprintln(stdin, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":{"progressToken":1},"name":"shell","arguments":{"command":"while :; do :; done"}}}`)
			require.True(t, lines.Scan(), "it is running")
			require.NoError(t, cmd.Process.Signal(signal))
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
				t.Fatal("the server waits for the call")
			}
		})
	}
}

// The rules are those of the protocol's lifecycle and of the SDK's conformance
// cases for servers.
func TestMCPConformance(t *testing.T) {
	initialize := func(id, version string) string {
		return `{"jsonrpc":"2.0",` + id + `"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`
	}
	const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	type exchange struct{ send, want string }
	for name, conversation := range map[string][]exchange{
		"nothing but ping goes before initialize": {
			{initialized, ""},
			{`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, `"id":2,"error":`},
			{rawPing, `"id":99,"result":{}`},
			{initialize(`"id":1,`, "2024-11-05"), `"protocolVersion":"2024-11-05"`},
			{initialized, ""},
			{`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, `"id":2,"result":{`},
		},
		"every version is spoken":                             {{initialize(`"id":1,`, "2025-03-26"), `"protocolVersion":"2025-03-26"`}},
		"the latest is offered for one that is not known":     {{initialize(`"id":1,`, "2029-01-01"), `"protocolVersion":"2025-11-25"`}},
		"an old one that is not known":                        {{initialize(`"id":1,`, "2023-01-01"), `"protocolVersion":"2025-11-25"`}},
		"the server says who it is and what it has":           {{initialize(`"id":1,`, "2025-06-18"), `"capabilities":{"tools":{"listChanged":true}},"protocolVersion":"2025-06-18","serverInfo":{"name":"vsh","version":"0.1"}`}},
		"initialize without id, without params, then a right": {{initialize("", "2025-06-18"), ""}, {`{"jsonrpc":"2.0","id":1,"method":"initialize"}`, `"id":1,"error":{"code":-32600`}, {initialize(`"id":2,`, "2025-06-18"), `"id":2,"result"`}},
		"a notification with an id":                           {{initialize(`"id":1,`, "2025-06-18"), `"id":1,"result"`}, {`{"jsonrpc":"2.0","id":3,"method":"notifications/initialized"}`, `"id":3,"error":{"code":-32600`}, {initialized, ""}},
		"a request without id":                                {{initialize(`"id":1,`, "2025-06-18"), `"id":1,"result"`}, {initialized, ""}, {`{"jsonrpc":"2.0","method":"ping"}`, ""}},
		"a call without params":                               {{initialize(`"id":1,`, "2025-06-18"), `"id":1,"result"`}, {initialized, ""}, {`{"jsonrpc":"2.0","id":4,"method":"tools/call"}`, `"id":4,"error":{"code":-32600`}, {`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":null}`, `"id":4,"error":{"code":-32600`}, {`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":[]}`, `"id":4,"error":{"code":-32602`}},
		"a call of no tool":                                   {{initialize(`"id":1,`, "2025-06-18"), `"id":1,"result"`}, {initialized, ""}, {`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"nosuch","arguments":{}}}`, `"id":4,"error":{"code":-32602`}},
		"a call without arguments":                            {{initialize(`"id":1,`, "2025-06-18"), `"id":1,"result"`}, {initialized, ""}, {`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"echo"}}`, `"text":"{}"`}},
		"what the server has not":                             {{initialize(`"id":1,`, "2025-06-18"), `"id":1,"result"`}, {initialized, ""}, {`{"jsonrpc":"2.0","id":4,"method":"resources/list"}`, `"resources":[]`}, {`{"jsonrpc":"2.0","id":5,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"x","value":"y"}}}`, `"id":5,"error":{"code":-32601`}},
	} {
		t.Run(name, func(t *testing.T) {
			client := newRawClient(t, t.Context())
			for _, e := range conversation {
				client.send(e.send)
				if e.want != "" {
					require.Contains(t, client.receive(), e.want)
				}
			}
			client.send(rawPing)
			require.Equal(t, "99", answer(client.receive()), "and nothing else was answered")
		})
	}
}

func FuzzEnvelope(f *testing.F) {
	for _, seed := range []string{rawPing, rawBlock, `{"id":"a\"b","x":{"id":1},"y":["id",2]}`, ` { "method" : "m" , "id" : -5 } `, `{"\u0069d":1}`, `{"id":{"a":1}}`, `{"id":[],"id":2}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		whole, bytewise := new(envelopeScan), new(envelopeScan)
		whole.feed([]byte(text))
		for i := range len(text) {
			bytewise.feed([]byte{text[i]})
		}
		require.Equal(t, whole, bytewise, "it does not matter how a line comes in")
		var members map[string]json.RawMessage
		if len(text) > maximumIDLength || json.Unmarshal([]byte(text), &members) != nil || strings.Contains(text, `\u`) || !utf8.ValidString(text) {
			return
		}
		if id := members["id"]; validID(id) {
			require.Equal(t, string(id), string(whole.id))
		} else {
			require.False(t, validID(whole.id), "%s", whole.id)
		}
		_, method := members["method"]
		require.Equal(t, method, whole.method)
	})
}
