package builtins

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/walk"
	"github.com/vsh-project/vsh/vfs"
)

// ownership is what chown and chgrp are to do: -1 keeps an id.
type ownership struct {
	verbosity
	uid, gid          int
	fromUID, fromGID  int
	recursive, follow bool
	links             walk.Links
	group             bool // chgrp
	userText, grpText string
}

func chownRun(c *call) error { return c.changeOwners(false) }
func chgrpRun(c *call) error { return c.changeOwners(true) }

func (c *call) changeOwners(group bool) error {
	o := ownership{uid: -1, gid: -1, fromUID: -1, fromGID: -1, follow: true, group: group}
	reference := ""
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'c':
			o.changes = true
		case 'f':
			o.silent = true
		case 'v':
			o.all = true
		case 'R':
			o.recursive = true
		case 'h':
			o.follow = false
		case keyDereference:
			o.follow = true
		case 'H':
			o.links = walk.CommandLine
		case 'L':
			o.links = walk.Logical
		case 'P':
			o.links = walk.Physical
		case keyReference:
			reference = p.Value
		case keyFromOwner:
			var err error
			o.fromUID, o.fromGID, err = c.parseOwner(p.Value)
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	if reference == "" {
		if len(operands) == 0 {
			return c.usageErrorf("missing operand")
		}
		if len(operands) == 1 {
			return c.usageErrorf("missing operand after %s", quote(operands[0]))
		}
		if group {
			o.gid, err = c.parseGroup(operands[0], operands[0])
		} else {
			o.uid, o.gid, err = c.parseOwner(operands[0])
		}
		if err != nil {
			return err
		}
		o.userText, o.grpText, _ = strings.Cut(operands[0], ":")
		if group {
			o.userText, o.grpText = "", operands[0]
		}
		operands = operands[1:]
	} else {
		if len(operands) == 0 {
			return c.usageErrorf("missing operand")
		}
		info, err := c.View().Stat(c.ctx, reference)
		if err != nil {
			return c.fatalf("failed to get attributes of %s: %s", quoteName(reference), vfs.Words(err))
		}
		id := c.View().Identity()
		o.gid = ownOr(info.GID, id.GID)
		o.grpText, _ = c.groupName(info.GID)
		if !group {
			o.uid = ownOr(info.UID, id.UID)
			o.userText, _ = c.userName(info.UID)
		}
	}
	for _, name := range operands {
		if !o.recursive {
			if err := c.changeOwner(name, &o, o.follow); err != nil {
				return err
			}
			continue
		}
		err := walk.Walk(c.ctx, c.View(), name, walk.Options{Links: o.links, Post: false}, func(e *walk.Entry) error {
			switch e.Kind {
			case walk.Unreadable:
				c.errorf("cannot read directory %s: %s", quoteName(e.Path), vfs.Words(e.Err))
			case walk.Pre, walk.Missing:
				return c.changeOwner(e.Path, &o, o.follow && e.Followed())
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func ownOr(id, own int) int {
	if id < 0 {
		return own
	}
	return id
}

// parseOwner reads USER, USER:, USER:GROUP or :GROUP ("." for ":" too).
func (c *call) parseOwner(text string) (uid, gid int, err error) {
	uid, gid = -1, -1
	user, group, both := strings.Cut(text, ":")
	if !both {
		if _, ok := c.lookupUser(text); !ok && strings.Contains(text, ".") {
			user, group, both = strings.Cut(text, ".")
		}
	}
	if user != "" {
		var ok bool
		if uid, ok = c.lookupUser(user); !ok {
			return -1, -1, c.fatalf("invalid user: %s", quote(text))
		}
		if both && group == "" {
			gid = c.View().Identity().GID
			if uid == 0 {
				gid = 0
			}
		}
	}
	if group != "" {
		gid, err = c.parseGroup(group, text)
	}
	return uid, gid, err
}

func (c *call) lookupUser(name string) (int, bool) {
	if id, ok := c.userID(name); ok {
		return id, true
	}
	return numericID(name)
}

func (c *call) parseGroup(name, shown string) (int, error) {
	if id, ok := c.groupID(name); ok {
		return id, nil
	}
	if id, ok := numericID(name); ok {
		return id, nil
	}
	if name == "" {
		return -1, nil
	}
	return -1, c.fatalf("invalid group: %s", quote(shown))
}

func numericID(text string) (int, bool) {
	n, err := strconv.ParseUint(strings.TrimPrefix(text, "+"), 10, 32)
	return int(n), err == nil && n < 1<<32-1
}

func (c *call) changeOwner(name string, o *ownership, follow bool) error {
	look := c.View().Lstat
	if follow {
		look = c.View().Stat
	}
	info, err := look(c.ctx, name)
	if err != nil {
		if c.ends(err) {
			return err
		}
		c.status = 1
		if !o.silent {
			if link, e := c.View().Lstat(c.ctx, name); e == nil && link.Mode()&fs.ModeSymlink != 0 {
				c.errorf("cannot dereference %s: %s", quoteName(name), vfs.Words(err))
			} else {
				c.errorf("cannot access %s: %s", quoteName(name), vfs.Words(err))
			}
		}
		return nil
	}
	id := c.View().Identity()
	uid, gid := ownOr(info.UID, id.UID), ownOr(info.GID, id.GID)
	if o.fromUID >= 0 && o.fromUID != uid || o.fromGID >= 0 && o.fromGID != gid {
		return nil
	}
	changed := o.uid >= 0 && o.uid != uid || o.gid >= 0 && o.gid != gid
	if changed {
		err = c.View().Chown(c.ctx, name, o.uid, o.gid, follow)
	}
	what := "ownership"
	if o.group || o.uid < 0 {
		what = "group"
	}
	if err != nil {
		if c.ends(err) {
			return err
		}
		c.status = 1
		if !o.silent {
			c.errorf("changing %s of %s: %s", what, quoteName(name), vfs.Words(err))
		}
		return nil
	}
	oldUser, _ := c.userName(info.UID)
	oldGroup, _ := c.groupName(info.GID)
	from, to := oldUser, o.userText
	switch {
	case what == "group":
		from, to = oldGroup, o.grpText
	case o.gid >= 0:
		from, to = oldUser+":"+oldGroup, o.userText+":"+o.grpText
	}
	switch {
	case changed && (o.all || o.changes):
		fmt.Fprintf(c.out, "changed %s of %s from %s to %s\n", what, quoteName(name), from, to)
	case !changed && o.all:
		fmt.Fprintf(c.out, "%s of %s retained as %s\n", what, quoteName(name), from)
	}
	return nil
}

func init() {
	options := []getopt.Option{
		{Key: 'c', Long: "changes"}, {Key: 'f', Long: "silent"}, {Key: 'f', Long: "quiet"}, {Key: 'v', Long: "verbose"}, {Key: 'R', Long: "recursive"}, {Key: 'h', Long: "no-dereference"},
		{Key: keyDereference, Long: "dereference"}, {Key: 'H'}, {Key: 'L'}, {Key: 'P'}, {Key: keyReference, Long: "reference", Argument: getopt.Required},
		{Key: keyPreserveRoot, Long: "preserve-root"}, {Key: keyNoPreserveRoot, Long: "no-preserve-root"},
	}
	const help = `
  -c, --changes          report each change
  -f, --silent, --quiet  no error messages
  -v, --verbose          report every file
  -h, --no-dereference   change links, not what they lead to
      --dereference      change what links lead to (the default)
  -R, --recursive        directories with what is in them; -H -L -P as for find
      --reference=RFILE  RFILE's owner instead
      --preserve-root, --no-preserve-root  accepted`
	register(program{
		name:    "chown",
		summary: "change owners (-R -h -v --reference)",
		usage: `chown [OPTION]... [OWNER][:[GROUP]] FILE...
       chown [OPTION]... --reference=RFILE FILE...
Change each file's owner and group.
` + help + `
      --from=OWNER:GROUP only files that belong to these`,
		options: getopt.Spec{Options: append(options[:len(options):len(options)], getopt.Option{Key: keyFromOwner, Long: "from", Argument: getopt.Required})},
		run:     chownRun,
	})
	register(program{
		name:    "chgrp",
		summary: "change groups (-R -h -v --reference)",
		usage: `chgrp [OPTION]... GROUP FILE...
       chgrp [OPTION]... --reference=RFILE FILE...
Change each file's group.
` + help,
		options: getopt.Spec{Options: options},
		run:     chgrpRun,
	})
}
