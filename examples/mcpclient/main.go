// Command mcpclient starts vsh mcp as a process of its own, as an agent's MCP
// client would, and makes two calls of one session. Its argument is the path
// of the vsh program.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: mcpclient PATH-OF-VSH")
	}
	if err := run(context.Background(), os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, vsh string) error {
	client := mcp.NewClient(&mcp.Implementation{Name: "example", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: exec.Command(vsh, "mcp")}, nil)
	if err != nil {
		return err
	}
	defer session.Close()
	tools, err := session.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	for _, t := range tools.Tools {
		fmt.Println("tool:", t.Name)
	}
	for _, script := range []string{
		`greeting=hello; echo "$greeting" > said; false`,
		`echo "$greeting, still here"; cat said`,
	} {
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "shell", Arguments: map[string]any{"command": script}})
		if err != nil {
			return err
		}
		fmt.Println(result.Content[0].(*mcp.TextContent).Text)
	}
	return nil
}
