package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/vsh-project/vsh/tool"
)

const toolHelp = `Usage: vsh tool [--format FORMAT] [--tool-name NAME] [OPTION]...

Print the definition of the shell tool as a model is given it.

  --format FORMAT     anthropic (Messages API), openai (Chat Completions), mcp
                      (tools/list), or json, with both schemas (json)
  --tool-name NAME    the tool's name (shell)

The other options are those of vsh --help: the description says what they do.
`

func toolCommand(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	o, err := parseToolArguments(args, "format", "tool-name")
	if errors.Is(err, errHelp) {
		fmt.Fprint(stdout, toolHelp)
		return 0
	}
	if err != nil {
		return usage(stderr, fmt.Errorf("tool: %w", err))
	}
	defer o.host.close()
	_, registered, err := o.register(ctx, stderr)
	if err != nil {
		return usage(stderr, fmt.Errorf("tool: %w", err))
	}
	text, err := formatDefinition(registered.Definition(), o.format)
	if err != nil {
		return usage(stderr, fmt.Errorf("tool: --format: %w", err))
	}
	if _, err := stdout.Write(text); err != nil {
		fmt.Fprintf(stderr, "vsh: %v\n", err)
		return 1
	}
	return 0
}

// formatDefinition is a definition as an API takes it.
func formatDefinition(d tool.ModelDefinition, format string) ([]byte, error) {
	type function struct {
		Name        string     `json:"name"`
		Description string     `json:"description"`
		Parameters  tool.Value `json:"parameters"`
	}
	var shape any
	switch format {
	case "", "json":
		shape = d
	case "anthropic":
		shape = struct {
			Name        string     `json:"name"`
			Description string     `json:"description"`
			InputSchema tool.Value `json:"input_schema"`
		}{d.Name, d.Description, d.Parameters}
	case "openai":
		shape = struct {
			Type     string   `json:"type"`
			Function function `json:"function"`
		}{"function", function{d.Name, d.Description, d.Parameters}}
	case "mcp":
		shape = mcpTool(d)
	default:
		return nil, fmt.Errorf("%q is none of anthropic, openai, mcp and json", format)
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(shape)
	return b.Bytes(), err
}
