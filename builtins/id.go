package builtins

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/vfs"
)

// idCommand is one run of id. The only users are the shell's own and root.
type idCommand struct {
	*call
	choice      rune // 'u', 'g', 'G', 'Z' or 0
	names, zero bool
}

// person is what is known of a user.
type person struct {
	user, group string
	uid, gid    int
	groups      []int
}

// person finds a user by name; "" is who the shell runs as.
func (c *call) person(name string) (person, bool) {
	id := c.View().Identity()
	own := person{id.User, id.Group, id.UID, id.GID, slices.Clone(id.Groups)}
	if !slices.Contains(own.groups, own.gid) {
		own.groups = append([]int{own.gid}, own.groups...)
	}
	switch name {
	case "", own.user, strconv.Itoa(own.uid):
		return own, true
	case "root", "0":
		return person{"root", "root", 0, 0, []int{0}}, true
	}
	return person{}, false
}

// groupName is a group's name, or "" for one without.
func (p *person) groupName(gid int) string {
	switch gid {
	case p.gid:
		return p.group
	case 0:
		return "root"
	}
	return ""
}

func idRun(c *call) error {
	i := &idCommand{call: c}
	real := false
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'u', 'g', 'G', 'Z':
			if i.choice != 0 && i.choice != p.Key {
				return c.fatalf(`cannot print "only" of more than one choice`)
			}
			i.choice = p.Key
		case 'n':
			i.names = true
		case 'r':
			real = true
		case 'z':
			i.zero = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	switch {
	case i.choice == 'Z':
		return c.fatalf("--context (-Z) works only on an SELinux-enabled kernel")
	case (i.names || real) && i.choice == 0:
		return c.fatalf("cannot print only names or real IDs in default format")
	case i.zero && i.choice == 0:
		return c.fatalf("option --zero not permitted in default format")
	}
	users := operands
	if len(users) == 0 {
		users = []string{""}
	}
	for _, name := range users {
		p, ok := c.person(name)
		if !ok || name == "" && len(operands) > 0 {
			cause := ""
			if name == "" {
				cause = ": " + vfs.Words(vfs.ENOENT)
			}
			c.errorf("%s: no such user%s", quote(name), cause)
			continue
		}
		i.print(&p, len(users) > 1)
	}
	return nil
}

func (i *idCommand) print(p *person, several bool) {
	end, between := "\n", " "
	if i.zero {
		end, between = "\x00", "\x00"
	}
	group := func(gid int) string {
		if i.names {
			if name := p.groupName(gid); name != "" {
				return name
			}
			i.errorf("cannot find name for group ID %d", gid)
		}
		return strconv.Itoa(gid)
	}
	switch i.choice {
	case 'u':
		text := strconv.Itoa(p.uid)
		if i.names {
			text = p.user
		}
		i.out.WriteString(text + end)
	case 'g':
		i.out.WriteString(group(p.gid) + end)
	case 'G':
		var all []string
		for _, gid := range p.groups {
			all = append(all, group(gid))
		}
		i.out.WriteString(strings.Join(all, between) + end)
		if i.zero && several {
			i.out.WriteString(end)
		}
	default:
		named := func(n int, name string) string {
			if name == "" {
				return strconv.Itoa(n)
			}
			return fmt.Sprintf("%d(%s)", n, name)
		}
		var all []string
		for _, gid := range p.groups {
			all = append(all, named(gid, p.groupName(gid)))
		}
		fmt.Fprintf(i.out, "uid=%s gid=%s groups=%s\n", named(p.uid, p.user), named(p.gid, p.groupName(p.gid)), strings.Join(all, ","))
	}
}

func idProgram(string) *program {
	return &program{
		usage: `id [OPTION]... [USER]...
Print who USER is, or who the shell runs as.

  -a                       accepted, without effect
  -Z, --context            refused: there is none
  -g, --group              only the group's number
  -G, --groups             only the numbers of all groups
  -n, --name               with -u, -g, -G: names
  -r, --real               with -u, -g, -G: the real one, which is the same
  -u, --user               only the user's number
  -z, --zero               with -u, -g, -G: separate by NUL`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'Z', Long: "context"}, {Key: 'g', Long: "group"}, {Key: 'G', Long: "groups"}, {Key: 'n', Long: "name"},
			{Key: 'r', Long: "real"}, {Key: 'u', Long: "user"}, {Key: 'z', Long: "zero"}, {Key: 'a'},
		}},
		run: idRun,
	}
}
