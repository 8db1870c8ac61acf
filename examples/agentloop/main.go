// Command agentloop is an agent in sixty lines: a model is given the shell
// tool, asks for calls, and reads their results until it has an answer. The
// model here is scripted; put a client of your model's API in its place.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/vsh-project/vsh/shell"
	"github.com/vsh-project/vsh/tool"
	"github.com/vsh-project/vsh/vfs/memory"
)

// message is one turn: what the model said, asked for, or was told.
type message struct {
	text string
	call *tool.Request
}

// model answers a conversation, knowing the tools.
type model interface {
	next(tools []tool.ModelDefinition, conversation []message) message
}

func run(ctx context.Context, m model, task string, show func(format string, args ...any)) error {
	registry := tool.NewRegistry()
	if _, err := shell.Register(registry, &shell.Options{Storage: memory.New(memory.Options{})}); err != nil {
		return err
	}
	conversation := []message{{text: task}}
	for range 20 {
		turn := m.next(registry.Definitions(), conversation)
		conversation = append(conversation, turn)
		if turn.call == nil {
			show("answer: %s\n", turn.text)
			return nil
		}
		show("call: %s %s\n", turn.call.Name, turn.call.Arguments)
		// A tool that fails is not the end: the model reads why and goes on.
		result := registry.Call(ctx, *turn.call)
		text := result.Content[0].Text
		show("%s\n", strings.TrimRight(text, "\n"))
		conversation = append(conversation, message{text: text})
	}
	return fmt.Errorf("no answer after 20 calls")
}

// scripted makes the calls of its list, then answers with the last result.
type scripted struct {
	calls []string
}

func (s *scripted) next(tools []tool.ModelDefinition, conversation []message) message {
	if len(s.calls) == 0 {
		return message{text: "the sum is " + conversation[len(conversation)-1].text}
	}
	arguments := s.calls[0]
	s.calls = s.calls[1:]
	return message{call: &tool.Request{ID: fmt.Sprint("call-", len(conversation)), Name: tools[0].Name, Arguments: []byte(arguments), Session: "demo"}}
}

func main() {
	m := &scripted{calls: []string{
		`{"command": "for n in 1 2 3 4; do echo $((n * n)); done > squares; cat squares"}`,
		`{"cmd": "sum squares"}`,
		`{"command": "sum=0; while read -r n; do ((sum += n)); done < squares; echo $sum"}`,
	}}
	show := func(format string, args ...any) { fmt.Fprintf(os.Stdout, format, args...) }
	if err := run(context.Background(), m, "What is the sum of the first four squares?", show); err != nil {
		log.Fatal(err)
	}
}
