package builtins

import (
	"strconv"
	"strings"
)

func groupsRun(c *call) error {
	operands, err := c.parse(nil)
	if err != nil {
		return err
	}
	names := operands
	if len(names) == 0 {
		names = []string{""}
	}
	for _, name := range names {
		p, ok := c.person(name)
		if !ok || name == "" && len(operands) > 0 {
			c.errorf("%s: no such user", quote(name))
			continue
		}
		var all []string
		for _, gid := range p.groups {
			group := p.groupName(gid)
			if group == "" {
				c.errorf("cannot find name for group ID %d", gid)
				group = strconv.Itoa(gid)
			}
			all = append(all, group)
		}
		if len(operands) > 0 {
			c.out.WriteString(name + " : ")
		}
		c.out.WriteString(strings.Join(all, " ") + "\n")
	}
	return nil
}

func groupsProgram(string) *program {
	return &program{
		run:   groupsRun,
		usage: "groups [USER]...\nPrint the groups of each USER, or of who the shell runs as.",
	}
}
