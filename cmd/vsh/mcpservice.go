package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/vsh-project/vsh/tool"
)

// mcpAgent is the agent that tools see in calls of MCP clients.
const mcpAgent = "mcp"

// mcpService answers clients out of a registry.
type mcpService struct {
	registry *tool.Registry
	// end is told when a client has gone.
	end func(agent, session string)
	// ordered is the tool whose calls begin in the order they come in, where
	// they come in in one.
	ordered string
	// diagnose, if set, is told what goes wrong with a tool.
	diagnose func(line string)
	// base ends every call; the SDK's own contexts outlive the server's.
	base  context.Context
	calls atomic.Uint64

	mu      sync.Mutex
	running int
	quiet   chan struct{} // closed when running is 0, for who waits
	shown   map[string]tool.ModelDefinition
	waiting map[string]bool // sessions whose end is waited for
}

// server is the protocol's side of the service.
func (s *mcpService) server(versions []string) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "vsh", Version: "0.1"}, &mcp.ServerOptions{
		Capabilities:              &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
		SupportedProtocolVersions: versions,
	})
	s.show(server)
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
			if method == "tools/list" || method == "tools/call" {
				s.show(server)
			}
			return next(ctx, method, request)
		}
	})
	return server
}

// show makes the server's tools those of the registry, which may have changed.
func (s *mcpService) show(server *mcp.Server) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := make(map[string]tool.ModelDefinition)
	for _, d := range s.registry.Definitions() {
		now[d.Name] = d
		if s.shown[d.Name] != d {
			s.add(server, d)
		}
	}
	for name := range s.shown {
		if _, ok := now[name]; !ok {
			server.RemoveTools(name)
		}
	}
	s.shown = now
}

// add serves a tool. The SDK panics over a schema that says of its properties
// what the protocol does not know; the others are served all the same.
func (s *mcpService) add(server *mcp.Server, d tool.ModelDefinition) {
	defer func() {
		if r := recover(); r != nil {
			server.RemoveTools(d.Name)
			if s.diagnose != nil {
				s.diagnose(fmt.Sprintf("mcp: %s is not served: %v", d.Name, r))
			}
		}
	}()
	server.AddTool(mcpTool(d), s.call)
}

// mcpTool is a definition in the protocol's form. Clients of older versions
// take no value but an object.
func mcpTool(d tool.ModelDefinition) *mcp.Tool {
	t := &mcp.Tool{Name: d.Name, Description: d.Description, InputSchema: json.RawMessage(d.Parameters.String())}
	if isObject(d.Output) {
		t.OutputSchema = json.RawMessage(d.Output.String())
	}
	return t
}

func isObject(schema tool.Value) bool {
	kind, ok := schema.Member("type")
	text, isText := kind.Text()
	return ok && isText && text == "object"
}

// began and ended count the calls that are running.
func (s *mcpService) began() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running++
}

func (s *mcpService) ended() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running--; s.running == 0 && s.quiet != nil {
		close(s.quiet)
		s.quiet = nil
	}
}

// wait returns when no call is running, or with ctx.
func (s *mcpService) wait(ctx context.Context) {
	s.mu.Lock()
	if s.running == 0 {
		s.mu.Unlock()
		return
	}
	if s.quiet == nil {
		s.quiet = make(chan struct{})
	}
	quiet := s.quiet
	s.mu.Unlock()
	select {
	case <-quiet:
	case <-ctx.Done():
	}
}

// call runs one call in the session of its client.
func (s *mcpService) call(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	s.began()
	defer s.ended()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if s.base != nil {
		defer context.AfterFunc(s.base, cancel)()
	}
	session := request.Session.ID()
	s.await(request.Session, session)
	r := tool.Request{
		ID:   strconv.FormatUint(s.calls.Add(1), 10),
		Name: request.Params.Name, Arguments: request.Params.Arguments,
		Agent: mcpAgent, Session: session,
	}
	if string(r.Arguments) == "null" {
		r.Arguments = nil // some clients write none so
	}
	if token := request.Params.GetProgressToken(); token != nil {
		step := 0.0
		r.Progress = func(message string) {
			step++
			// Who has gone away gets no progress; the call itself will notice.
			request.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: step, Message: message})
		}
	}
	result := s.registry.Call(ctx, r)
	s.mu.Lock()
	gone := !s.waiting[session]
	s.mu.Unlock()
	if gone {
		// This call may have made the session anew.
		s.end(mcpAgent, session)
	}
	answer := &mcp.CallToolResult{IsError: result.IsError}
	for _, c := range result.Content {
		answer.Content = append(answer.Content, &mcp.TextContent{Text: c.Text})
	}
	if text := result.Value.String(); !result.IsError && text[0] == '{' {
		answer.StructuredContent = json.RawMessage(text)
	}
	return answer, nil
}

// await ends the session when its client has gone.
func (s *mcpService) await(client *mcp.ServerSession, session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting[session] {
		return
	}
	if s.waiting == nil {
		s.waiting = make(map[string]bool)
	}
	s.waiting[session] = true
	go func() {
		client.Wait()
		s.end(mcpAgent, session)
		s.mu.Lock()
		delete(s.waiting, session)
		s.mu.Unlock()
	}()
}
