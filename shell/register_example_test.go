package shell_test

import (
	"context"
	"fmt"

	"github.com/vsh-project/vsh/shell"
	"github.com/vsh-project/vsh/tool"
	"github.com/vsh-project/vsh/vfs/memory"
)

func ExampleRegister() {
	registry := tool.NewRegistry()
	_, err := shell.Register(registry, &shell.Options{Storage: memory.New(memory.Options{})})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, arguments := range []string{
		`{"command": "mkdir notes && cd notes && echo hi > first"}`,
		`{"command": "cat first; cat second"}`,
		`{"script": "ls"}`,
	} {
		result := registry.Call(context.Background(), tool.Request{Name: "shell", Session: "s1", Arguments: []byte(arguments)})
		fmt.Println(result.Content[0].Text)
		if status, ok := result.Value.Member("exit_code"); ok {
			fmt.Println("status", status)
		}
	}
	// Output:
	// [directory: /notes]
	// status 0
	// hi
	// cat: second: No such file or directory
	// [exit code: 1]
	// status 1
	// Error: shell: the arguments do not fit: command: expected string, got nothing: it is required
}
