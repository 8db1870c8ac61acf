package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/vsh-project/vsh/shell"
	"github.com/vsh-project/vsh/tool"
)

const mcpHelp = `Usage: vsh mcp [OPTION]...

Serve the shell tool to a client of the Model Context Protocol, on standard
input and output. Each client has a session of its own: its directory,
variables, functions and /tmp last from one call to the next.

  --http ADDR         serve streamable HTTP at http://ADDR/mcp instead; ADDR is
                      PORT or HOST:PORT of this machine (127.0.0.1, [::1]).
                      Every program of this machine can connect there.
  --tool-name NAME    the tool's name (shell)

The other options are those of vsh --help, but for those about one script. The
tools of --tools DIR are served beside the shell. Without --write all sessions
share one workspace whose changes are dropped when vsh ends.
`

// toolArguments is the command line of the subcommands about the tool.
type toolArguments struct {
	*arguments
	http, name, format string
}

// parseToolArguments takes a subcommand's own options out, each with a value,
// and leaves the others to parseArguments.
func parseToolArguments(args []string, own ...string) (*toolArguments, error) {
	o := &toolArguments{}
	into := map[string]*string{"http": &o.http, "tool-name": &o.name, "format": &o.format}
	var rest []string
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		name, value, has := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		mine := false
		for _, n := range own {
			mine = mine || strings.HasPrefix(arg, "--") && n == name
		}
		if !mine {
			rest = append(rest, arg)
			continue
		}
		if !has {
			if len(args) == 0 {
				return nil, fmt.Errorf("%s: option requires an argument", arg)
			}
			value, args = args[0], args[1:]
		}
		if value == "" {
			return nil, fmt.Errorf("--%s: the argument is empty", name)
		}
		*into[name] = value
	}
	var err error
	if o.arguments, err = parseArguments(rest); err != nil {
		return nil, err
	}
	switch {
	case o.command || len(o.operands) > 0:
		return nil, errors.New("no script is taken here")
	case o.standard || o.json || len(o.flags) > 0 || o.commit || o.changes.wanted || o.diff.wanted:
		return nil, errors.New("the options of a script's run are not taken here")
	}
	return o, nil
}

// register makes the registry: the shell, and each tool of --tools.
func (o *toolArguments) register(ctx context.Context, stderr io.Writer) (*tool.Registry, *shell.Tool, error) {
	options, err := o.shellOptions(ctx, stderr)
	if err != nil {
		return nil, nil, err
	}
	options.MaximumOutputBytes = o.maxOutput
	options.ToolName = o.name
	options.RecordChanges = true
	registry := tool.NewRegistry()
	registered, err := shell.Register(registry, options)
	if err != nil || o.host.open == nil {
		return registry, registered, err
	}
	o.host.shell = registered
	for _, t := range o.host.open.Tools() {
		if t.Name == registered.Definition().Name {
			return nil, nil, fmt.Errorf("--tools: %s: the shell has the name; --tool-name gives it another", t.Name)
		}
		definition, err := t.Definition()
		if err == nil {
			_, err = registry.Register(definition)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("--tools: %s: %w", t.Name, err)
		}
	}
	return registry, registered, nil
}

func mcpCommand(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	o, err := parseToolArguments(args, "http", "tool-name")
	if errors.Is(err, errHelp) {
		fmt.Fprint(stdout, mcpHelp)
		return 0
	}
	if err != nil {
		return usage(stderr, fmt.Errorf("mcp: %w", err))
	}
	defer o.host.close()
	registry, registered, err := o.register(ctx, stderr)
	if err != nil {
		return usage(stderr, fmt.Errorf("mcp: %w", err))
	}
	service := &mcpService{registry: registry, end: registered.EndSession, ordered: registered.Definition().Name,
		diagnose: func(line string) { fmt.Fprintf(stderr, "vsh: %s\n", line) }}
	if o.http != "" {
		err = service.serveHTTP(ctx, o.http, stderr)
	} else {
		err = service.serveStdio(ctx, stdin, stdout)
	}
	if err != nil && ctx.Err() == nil {
		fmt.Fprintf(stderr, "vsh: mcp: %v\n", err)
		return 1
	}
	return 0
}

// serveStdio serves one client until it closes its side or ctx ends. A client
// that has stopped reading does not keep it.
func (s *mcpService) serveStdio(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	calls, stop := context.WithCancel(ctx)
	defer stop()
	s.base = calls
	frames := newFrames(stdin, stdout, s.ordered, stop)
	served := make(chan error, 1)
	go func() {
		// The SDK waits for its calls, and they end with s.base.
		served <- s.server(mcp.SupportedProtocolVersions()).Run(ctx, &mcp.IOTransport{Reader: frames, Writer: frames, MaxLineLength: -1})
	}()
	select {
	case err := <-served:
		return err
	case <-calls.Done():
	}
	select {
	case err := <-served:
		return err
	case <-time.After(endGrace):
		return nil
	}
}

const (
	// httpIdle ends the session of a client that went away without a word.
	httpIdle = 24 * time.Hour
	// endGrace is what calls and answers get when the server is told to end.
	endGrace = 3 * time.Second
)

// serveHTTP serves many clients until ctx ends. Protocols without sessions are
// not offered here: a shell without one would forget its directory.
func (s *mcpService) serveHTTP(ctx context.Context, address string, stderr io.Writer) error {
	address, err := loopback(address)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	s.base = ctx
	var versions []string
	for _, v := range mcp.SupportedProtocolVersions() {
		if v < "2026" {
			versions = append(versions, v)
		}
	}
	server := s.server(versions)
	// With the store a client whose connection broke gets the answer when it
	// comes back; it keeps 10 MiB.
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{SessionTimeout: httpIdle, EventStore: mcp.NewMemoryEventStore(nil)})
	mux := http.NewServeMux()
	// A web page may send requests to this machine too: they carry its origin.
	mux.Handle("/mcp", http.NewCrossOriginProtection().Handler(handler))
	h := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	fmt.Fprintf(stderr, "vsh: serving MCP at http://%s/mcp\n", listener.Addr())
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	// Calls end with s.base, and their answers are sent before the connections close.
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), endGrace)
	defer cancel()
	s.wait(grace)
	if h.Shutdown(grace) != nil {
		h.Close()
	}
	<-ended
	return nil
}

// loopback completes an address and refuses one that others can reach.
func loopback(address string) (string, error) {
	if !strings.Contains(address, ":") {
		address = ":" + address
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", fmt.Errorf("--http: %w", err)
	}
	if host == "" || host == "localhost" {
		host = "127.0.0.1"
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return "", fmt.Errorf("--http: %s is no address of this machine alone; use 127.0.0.1 or [::1]", host)
	}
	return net.JoinHostPort(host, port), nil
}
