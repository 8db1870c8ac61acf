package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/vsh-project/vsh/external/tooldir"
	"github.com/vsh-project/vsh/tool"
)

const toolsHelp = `Usage: vsh tools list|check|json DIR

Read a directory of tools, DIR/NAME/NAME each.
  list   name, kind and summary of each
  check  run each tool's selftest.sh; status 1 when one fails or is left out
  json   the definitions a model sees
`

// tools is the subcommand over a directory of tools.
func tools(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	if len(args) == 1 && args[0] == "--help" {
		io.WriteString(stdout, toolsHelp)
		return 0
	}
	if len(args) != 2 {
		return usage(stderr, errors.New("tools: list, check or json, and a directory"))
	}
	var act func(context.Context, *tooldir.Directory, io.Writer) error
	switch args[0] {
	case "list":
		act = listTools
	case "check":
		act = checkTools
	case "json":
		act = printDefinitions
	default:
		return usage(stderr, fmt.Errorf("tools: %s: neither list, check nor json", args[0]))
	}
	leftOut := false
	here, err := os.Getwd()
	if err == nil {
		var d *tooldir.Directory
		d, err = tooldir.Open(ctx, &tooldir.Options{Directory: args[1], WorkingDirectory: here, Diagnose: func(line string) {
			leftOut = true
			fmt.Fprintf(stderr, "vsh: %s\n", line)
		}})
		if err == nil {
			defer d.Close()
			err = act(ctx, d, stdout)
		}
	}
	if err != nil {
		fmt.Fprintf(stderr, "vsh: tools: %v\n", err)
		return 1
	}
	if leftOut && args[0] == "check" {
		return 1
	}
	return 0
}

func listTools(_ context.Context, d *tooldir.Directory, out io.Writer) error {
	for _, t := range d.Tools() {
		kind := "generic"
		if t.Typed {
			kind = "typed"
		}
		if _, err := fmt.Fprintf(out, "%s\t%s\t%s\n", t.Name, kind, t.Summary); err != nil {
			return err
		}
	}
	return nil
}

func checkTools(ctx context.Context, d *tooldir.Directory, out io.Writer) error {
	failed := 0
	for _, t := range d.Tools() {
		result, ran, err := t.SelfTest(ctx)
		switch {
		case err != nil:
			return err
		case !ran:
			fmt.Fprintf(out, "%s: no selftest.sh\n", t.Name)
		case result.ExitCode != 0:
			failed++
			fmt.Fprintf(out, "%s: FAILED (status %d)\n%s%s", t.Name, result.ExitCode, result.Stdout, result.Stderr)
		default:
			fmt.Fprintf(out, "%s: ok\n", t.Name)
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d failed", failed)
	}
	return nil
}

func printDefinitions(_ context.Context, d *tooldir.Directory, out io.Writer) error {
	registry := tool.NewRegistry()
	for _, t := range d.Tools() {
		definition, err := t.Definition()
		if err == nil {
			_, err = registry.Register(definition)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(registry.Definitions())
}
