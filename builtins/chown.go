package builtins

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/walk"
	"github.com/vsh-project/vsh/vfs"
)

// chownCommand is one run of chown or chgrp.
type chownCommand struct {
	*call
	groups         bool // chgrp
	uid, gid       int  // -1: kept
	user, group    string
	from           [2]int
	recursive      bool
	verbose, tells bool
	quiet          bool
	dereference    int // 1 yes, 0 no, -1 unset
	links          walk.Links
	preserveRoot   bool
}

func chownRun(c *call) error { return ownersRun(c, false) }
func chgrpRun(c *call) error { return ownersRun(c, true) }

func ownersRun(c *call, groups bool) error {
	o := &chownCommand{call: c, groups: groups, uid: -1, gid: -1, from: [2]int{-1, -1}, dereference: -1}
	reference, hasReference := "", false
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'H':
			o.links = walk.CommandLine
		case 'L':
			o.links = walk.Logical
		case 'P':
			o.links = walk.Physical
		case 'h':
			o.dereference = 0
		case modDereference:
			o.dereference = 1
		case 'R':
			o.recursive = true
		case 'c':
			o.tells = true
		case 'f':
			o.quiet = true
		case 'v':
			o.verbose = true
		case modReference:
			reference, hasReference = p.Value, true
		case modPreserveRoot, modNoPreserveRoot:
			o.preserveRoot = p.Key == modPreserveRoot
		case modFrom:
			uid, gid, _, _, err := o.spec(p.Value)
			o.from = [2]int{uid, gid}
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	if o.recursive && o.dereference == 1 && o.links == walk.Physical {
		return c.fatalf("-R --dereference requires either -H or -L")
	}
	if o.recursive && o.links == walk.Physical {
		o.dereference = 0
	}
	if len(operands) == 0 {
		return c.usageErrorf("missing operand")
	}
	if !hasReference && len(operands) == 1 {
		return c.usageErrorf("missing operand after %s", quote(operands[0]))
	}
	if hasReference {
		info, err := c.View().Stat(c.ctx, reference)
		if err != nil {
			return c.fatalf("failed to get attributes of %s: %s", quoteName(reference), vfs.Words(err))
		}
		if o.gid = info.GID; !groups {
			o.uid = info.UID
			o.user, _ = c.userName(o.uid)
		}
		o.group, _ = c.groupName(o.gid)
	} else {
		spec := operands[0]
		operands = operands[1:]
		if groups {
			err = o.setGroup(spec)
		} else {
			o.uid, o.gid, o.user, o.group, err = o.spec(spec)
		}
		if err != nil {
			return err
		}
	}
	for _, name := range operands {
		if err := o.operand(name); err != nil {
			return err
		}
	}
	return nil
}

func (o *chownCommand) setGroup(name string) error {
	if name == "" {
		return nil
	}
	gid, ok := o.groupID(name)
	if !ok {
		n, fault := parseNumber(name, "")
		if fault != numberOK || n >= 1<<32-1 {
			return o.fatalf("invalid group: %s", quote(name))
		}
		gid = int(n)
	}
	o.gid, o.group = gid, name
	return nil
}

// spec reads OWNER, OWNER:GROUP, OWNER: and :GROUP; a point serves where no
// owner has one in the name.
func (o *chownCommand) spec(text string) (uid, gid int, user, group string, err error) {
	separator := strings.IndexByte(text, ':')
	uid, gid, user, group, fault := o.specAt(text, separator)
	if fault != "" && separator < 0 {
		if point := strings.IndexByte(text, '.'); point >= 0 {
			if u, g, un, gn, none := o.specAt(text, point); none == "" {
				o.warnf("warning: '.' should be ':': %s", quote(text))
				return u, g, un, gn, nil
			}
		}
	}
	if fault != "" {
		return 0, 0, "", "", o.fatalf("%s: %s", fault, quote(text))
	}
	return uid, gid, user, group, nil
}

func (o *chownCommand) specAt(text string, separator int) (uid, gid int, user, group, fault string) {
	uid, gid = -1, -1
	user, hasGroup := text, separator >= 0
	if hasGroup {
		user, group = text[:separator], text[separator+1:]
	}
	id := func(name string, lookup func(string) (int, bool)) (int, bool) {
		if !strings.HasPrefix(name, "+") {
			if n, ok := lookup(name); ok {
				return n, true
			}
		}
		n, err := strconv.ParseUint(strings.TrimPrefix(name, "+"), 10, 32)
		return int(n), err == nil && n < 1<<32-1
	}
	if user != "" {
		n, ok := id(user, o.userID)
		if !ok {
			return 0, 0, "", "", "invalid user"
		}
		uid = n
		if hasGroup && group == "" {
			if _, known := o.userID(user); !known {
				return 0, 0, "", "", "invalid spec"
			}
			// The login group: the identity's own, or root's.
			if gid = 0; uid == o.View().Identity().UID {
				gid = o.View().Identity().GID
			}
			group, _ = o.groupName(gid)
		}
	}
	if group != "" && gid < 0 {
		n, ok := id(group, o.groupID)
		if !ok {
			return 0, 0, "", "", "invalid group"
		}
		gid = n
	}
	return uid, gid, user, group, ""
}

func (o *chownCommand) complain(format string, args ...any) {
	if o.quiet {
		o.status = max(o.status, 1)
		return
	}
	o.errorf(format, args...)
}

func (o *chownCommand) operand(name string) error {
	if o.recursive && o.preserveRoot && o.isRoot(name) {
		return nil
	}
	options := walk.Options{Links: o.links, Bounded: !o.recursive, Stat: true, Post: true}
	if !o.recursive {
		options.Links = walk.CommandLine
		if o.dereference == 0 {
			options.Links = walk.Physical
		}
	}
	return walk.Walk(o.ctx, o.View(), name, options, func(e *walk.Entry) error {
		switch {
		case e.Kind == walk.Missing:
			o.complain("cannot access %s: %s", quoteName(e.Path), vfs.Words(e.Err))
			o.failed(e.Path, nil)
		case e.Kind == walk.Unreadable:
			o.complain("cannot read directory %s: %s", quoteName(e.Path), vfs.Words(e.Err))
		case e.Kind == walk.Pre && e.IsDir():
		case e.Depth == 0 && options.Links == walk.CommandLine && !o.recursive && !e.Followed():
			o.complain("cannot dereference %s: %s", quoteName(e.Path), vfs.Words(vfs.ENOENT))
			o.failed(e.Path, nil)
		default:
			o.one(e)
		}
		return o.ctx.Err()
	})
}

// names is an owner as -v shows it.
func (o *chownCommand) names(uid, gid int) string {
	user, _ := o.userName(uid)
	group, _ := o.groupName(gid)
	switch {
	case o.uid >= 0 && o.gid >= 0:
		return user + ":" + group
	case o.uid >= 0:
		return user
	}
	return group
}

// wanted is the new owner as it was given.
func (o *chownCommand) wanted() string {
	switch {
	case o.uid >= 0 && o.gid >= 0:
		return o.user + ":" + o.group
	case o.uid >= 0:
		return o.user
	}
	return o.group
}

func (o *chownCommand) what() string {
	if o.uid >= 0 {
		return "ownership"
	}
	return "group"
}

// failed is -v's line for a file that kept its owner after an error.
func (o *chownCommand) failed(name string, info *vfs.Info) {
	switch {
	case !o.verbose:
	case info == nil:
		fmt.Fprintf(o.out, "failed to change %s of %s to %s\n", o.what(), quoteName(name), o.wanted())
	default:
		fmt.Fprintf(o.out, "failed to change %s of %s from %s to %s\n", o.what(), quoteName(name), o.names(info.UID, info.GID), o.wanted())
	}
}

func (o *chownCommand) one(e *walk.Entry) {
	info, err := e.Info(o.ctx, o.View())
	if err != nil {
		o.complain("cannot access %s: %s", quoteName(e.Path), vfs.Words(err))
		return
	}
	if o.from[0] >= 0 && info.UID != o.from[0] || o.from[1] >= 0 && info.GID != o.from[1] {
		return
	}
	follow := o.dereference != 0 && (o.links == walk.Logical || e.Depth == 0)
	if err := o.View().Chown(o.ctx, e.Path, o.uid, o.gid, follow); err != nil {
		o.complain("changing %s of %s: %s", o.what(), quoteName(e.Path), vfs.Words(err))
		o.failed(e.Path, info)
		return
	}
	changed := o.uid >= 0 && info.UID != o.uid || o.gid >= 0 && info.GID != o.gid
	switch {
	case changed && (o.verbose || o.tells):
		fmt.Fprintf(o.out, "changed %s of %s from %s to %s\n", o.what(), quoteName(e.Path), o.names(info.UID, info.GID), o.wanted())
	case !changed && o.verbose && (o.uid >= 0 || o.gid >= 0):
		fmt.Fprintf(o.out, "%s of %s retained as %s\n", o.what(), quoteName(e.Path), o.names(info.UID, info.GID))
	case o.verbose && !changed:
		fmt.Fprintf(o.out, "ownership of %s retained\n", quoteName(e.Path))
	}
}

func chownOptions() []getopt.Option {
	return []getopt.Option{
		{Key: 'R', Long: "recursive"}, {Key: 'c', Long: "changes"}, {Key: modDereference, Long: "dereference"}, {Key: 'h', Long: "no-dereference"},
		{Key: modNoPreserveRoot, Long: "no-preserve-root"}, {Key: modPreserveRoot, Long: "preserve-root"}, {Key: 'f', Long: "quiet"}, {Key: 'f', Long: "silent"},
		{Key: modReference, Long: "reference", Argument: getopt.Required}, {Key: 'v', Long: "verbose"}, {Key: 'H'}, {Key: 'L'}, {Key: 'P'},
	}
}

const chownUsage = `
  -c, --changes          say what changed
  -f, --silent, --quiet  say little of errors
  -v, --verbose          say what was done for each file
      --dereference      what a link leads to (the default); -h, --no-dereference: links themselves
      --no-preserve-root, --preserve-root
      --reference=RFILE  use RFILE's
  -R, --recursive        directories with what they hold; -H, -L, -P: which links are followed`

func chownProgram(string) *program {
	return &program{
		run: chownRun, options: getopt.Spec{Options: append(chownOptions(), getopt.Option{Key: modFrom, Long: "from", Argument: getopt.Required})},
		usage: "chown [OPTION]... [OWNER][:[GROUP]] FILE...\n       chown [OPTION]... --reference=RFILE FILE...\nChange the owner and group of each FILE.\n      --from=OWNER:GROUP  only where these are the owners\n" + chownUsage[1:],
	}
}

func chgrpProgram(string) *program {
	return &program{
		run: chgrpRun, options: getopt.Spec{Options: chownOptions()},
		usage: "chgrp [OPTION]... GROUP FILE...\n       chgrp [OPTION]... --reference=RFILE FILE...\nChange the group of each FILE.\n" + chownUsage[1:],
	}
}
