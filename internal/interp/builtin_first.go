package interp

import (
	"strings"
)

// First, simple versions for the executor's tests: replaced by the builtins.

func init() { builtinTables = append(builtinTables, firstBuiltins) }

func firstBuiltins() []builtin {
	return []builtin{
		{name: "echo", run: func(p *proc, args []string) int { p.write(strings.Join(args, " ") + "\n"); return 0 }},
	}
}
