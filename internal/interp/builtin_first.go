package interp

import (
	"strconv"
	"strings"
)

// First, simple versions for the executor's tests: replaced by the builtins.

func init() { builtinTables = append(builtinTables, firstBuiltins) }

func firstBuiltins() []builtin {
	return []builtin{
		{name: ":", special: true, run: func(p *proc, args []string) int { return 0 }},
		{name: "true", run: func(p *proc, args []string) int { return 0 }},
		{name: "false", run: func(p *proc, args []string) int { return 1 }},
		{name: "echo", run: func(p *proc, args []string) int { p.write(strings.Join(args, " ") + "\n"); return 0 }},
		{name: "exit", special: true, run: func(p *proc, args []string) int {
			n := p.status
			if len(args) > 0 {
				n, _ = strconv.Atoi(args[0])
			}
			p.exit(n & 255)
			return n & 255
		}},
		{name: "eval", special: true, run: func(p *proc, args []string) int {
			if p.deeper() {
				p.evaluateText(strings.Join(args, " "), evalEval)
				p.shallower()
			}
			return p.status
		}},
	}
}
