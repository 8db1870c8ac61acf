//go:build unix

package tooldir_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/vsh-project/vsh/external/tooldir"
	"github.com/vsh-project/vsh/shell"
	"github.com/vsh-project/vsh/tool"
	"github.com/vsh-project/vsh/vfs/memory"
)

// A directory of tools gives a shell its commands and a model its tools.
func Example() {
	tools, err := os.MkdirTemp("", "tools")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(tools)
	files := map[string]string{
		"greet": "#!/bin/sh\n[ \"$1\" = --help ] && { echo 'greet: says hello.'; echo 'greet NAME [--loud]'; exit; }\necho \"hello $*\"\n",
		"schema.json": `{"type": "object", "properties": {"name": {"type": "string"}, "loud": {"type": "boolean"}}, "required": ["name"],
			"x-snens": {"argv": [{"field": "name"}, {"flag": "--loud", "when_field": "loud"}]}}`,
	}
	if err := os.Mkdir(filepath.Join(tools, "greet"), 0o755); err != nil {
		log.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(tools, "greet", name), []byte(text), 0o755); err != nil {
			log.Fatal(err)
		}
	}
	ctx := context.Background()
	d, err := tooldir.Open(ctx, &tooldir.Options{
		Directory: tools, WorkingDirectory: os.TempDir(),
		Diagnose: func(line string) { log.Print(line) },
	})
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()

	commands, err := d.Commands(shell.IsTaken, nil)
	if err != nil {
		log.Fatal(err)
	}
	options := &shell.Options{Storage: memory.New(memory.Options{}), Commands: commands}
	registry := tool.NewRegistry()
	if _, err := shell.Register(registry, options); err != nil {
		log.Fatal(err)
	}
	for _, t := range d.Tools() {
		definition, err := t.Definition()
		if err != nil {
			log.Fatal(err)
		}
		if _, err := registry.Register(definition); err != nil {
			log.Fatal(err)
		}
	}
	for _, call := range []tool.Request{
		{Name: "shell", Arguments: []byte(`{"command": "greet world | tr a-z A-Z; tool greet again"}`)},
		{Name: "greet", Arguments: []byte(`{"name": "Ada", "loud": true}`)},
		{Name: "greet", Arguments: []byte(`{"loud": true}`)},
	} {
		fmt.Println(registry.Call(ctx, call).Content[0].Text)
	}
	// Output:
	// HELLO WORLD
	// hello again
	//
	// hello Ada --loud
	//
	// Error: greet: name: expected string, got nothing: it is required
}
