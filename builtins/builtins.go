// Package builtins holds the commands every shell has, one file each. They
// reach the world only through their Invocation.
package builtins

import (
	"sort"

	"github.com/vsh-project/vsh/shell/command"
)

var programs []*program

// register adds a command; each command's file ends with its call.
func register(p program) { programs = append(programs, &p) }

// All returns the commands by name.
func All() []command.Command {
	all := make([]command.Command, 0, len(programs))
	for _, p := range programs {
		all = append(all, command.Command{Name: p.name, Summary: p.summary, Run: p.Run})
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all
}
