package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestToolFormats(t *testing.T) {
	for format, keys := range map[string][]string{
		"":          {"name", "description", "parameters", "output"},
		"json":      {"name", "description", "parameters", "output"},
		"anthropic": {"name", "description", "input_schema"},
		"mcp":       {"name", "description", "inputSchema", "outputSchema"},
	} {
		t.Run("format "+format, func(t *testing.T) {
			args := []string{"tool", "--tool-name=sh", "--mount-point", "/work"}
			if format != "" {
				args = append(args, "--format", format)
			}
			stdout, stderr, status := vsh("", args...)
			require.Zero(t, status, stderr)
			var object map[string]any
			require.NoError(t, json.Unmarshal([]byte(stdout), &object))
			require.Len(t, object, len(keys))
			for _, k := range keys {
				require.Contains(t, object, k)
			}
			require.Equal(t, "sh", object["name"])
			require.Contains(t, object["description"], "/work")
			require.Equal(t, []any{"command"}, object[keys[2]].(map[string]any)["required"])
		})
	}
	stdout, _, status := vsh("", "tool", "--format=openai")
	require.Zero(t, status)
	var object struct {
		Type     string
		Function map[string]any
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &object))
	require.Equal(t, "function", object.Type)
	require.Equal(t, "shell", object.Function["name"])
	require.Contains(t, object.Function, "parameters")
	require.Len(t, object.Function, 3)
}

func TestToolUsage(t *testing.T) {
	_, stderr, status := vsh("", "tool", "--format", "yaml")
	require.Equal(t, 2, status)
	require.Equal(t, "vsh: tool: --format: \"yaml\" is none of anthropic, openai, mcp and json\n", stderr)
	_, stderr, status = vsh("", "tool", "--http", "1")
	require.Equal(t, 2, status)
	require.Equal(t, "vsh: tool: --http: unknown option\n", stderr)
	stdout, _, status := vsh("", "tool", "--help")
	require.Zero(t, status)
	require.Equal(t, toolHelp, stdout)
}
