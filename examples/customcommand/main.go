// Command customcommand adds a command of one's own to the shell: scripts use
// it in pipelines like any other, and the tool's description names it.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"sort"

	"github.com/vsh-project/vsh/shell"
	"github.com/vsh-project/vsh/vfs/memory"
)

// prices is what the embedding program knows and scripts do not.
var prices = map[string]int{"apple": 30, "bread": 250, "cheese": 480}

func main() {
	price := shell.Command{
		Name:    "price",
		Summary: "prints the price of each ITEM in cents, as JSON lines; all when none is named",
		Run:     price,
	}
	sh, err := shell.New(&shell.Options{Storage: memory.New(memory.Options{}), Commands: []shell.Command{price}})
	if err != nil {
		log.Fatal(err)
	}
	for _, script := range []string{
		`price | grep -c cents`,
		`price cheese > cheapest && cat cheapest`,
		`price gold || echo "status $?"`,
	} {
		result, err := sh.Run(context.Background(), script)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("$ %s\n%s", script, result.Output)
	}
}

// price is called concurrently when a pipeline or two shells run it at once.
func price(ctx context.Context, invocation *shell.Invocation) error {
	items := invocation.Arguments
	if len(items) == 0 {
		for item := range prices {
			items = append(items, item)
		}
		sort.Strings(items)
	}
	out := json.NewEncoder(invocation.Stdout)
	failed := false
	for _, item := range items {
		if err := ctx.Err(); err != nil {
			return err
		}
		cents, ok := prices[item]
		if !ok {
			fmt.Fprintf(invocation.Stderr, "price: %s: no such item\n", item)
			failed = true
			continue
		}
		// The reader of a pipeline may have gone: then this error ends us.
		if err := out.Encode(map[string]any{"item": item, "cents": cents}); err != nil {
			return err
		}
	}
	if failed {
		return shell.ExitError(3)
	}
	return nil
}
