package builtins

import (
	"strings"

	"github.com/vsh-project/vsh/vfs"
)

// tarOwner is what --owner or --group sets: a name, a number or both.
type tarOwner struct {
	name    string
	hasName bool
	id      int
	hasID   bool
}

// tarOwnerRule is a line of --owner-map: who becomes whom.
type tarOwnerRule struct {
	from, to tarOwner
}

// setOwner reads --owner and --group: NAME, NUMBER or NAME:NUMBER.
func (t *tarCommand) setOwner(group bool, text string) error {
	o, err := t.parseOwner(group, text)
	if err != nil {
		return err
	}
	if group {
		t.group = &o
	} else {
		t.owner = &o
	}
	return nil
}

func (t *tarCommand) parseOwner(group bool, text string) (o tarOwner, err error) {
	o.hasName = true
	name, number, both := strings.Cut(text, ":")
	if !both && (name == "" || strings.Trim(name, "0123456789") != "") {
		o.name = name
		o.id, o.hasID = t.ownerID(group, name)
		return o, nil
	}
	if !both {
		name, number = "", name
	}
	if o.id, o.hasID = tarOwnerNumber(number); !o.hasID {
		return o, t.fatal("%s: Invalid owner or group ID", t.colonName(number))
	}
	if o.name = name; name == "" {
		o.name = t.ownerName(group, o.id)
	}
	return o, nil
}

func (t *tarCommand) ownerID(group bool, name string) (int, bool) {
	if group {
		return t.groupID(name)
	}
	return t.userID(name)
}

// ownerName is an owner's name, "" where it is not known.
func (t *tarCommand) ownerName(group bool, id int) string {
	lookup := t.userName
	if group {
		lookup = t.groupName
	}
	if name, known := lookup(id); known {
		return name
	}
	return ""
}

// readOwnerMap reads a file of "OLD NEW" lines.
func (t *tarCommand) readOwnerMap(group bool, name string) error {
	in, done, err := t.open(name)
	if err != nil {
		return t.fatal("%s: Cannot open: %s", t.colonName(name), vfs.Words(err))
	}
	defer done()
	number, wrong := 0, false
	kind := "UID"
	rules := &t.ownerMap
	if group {
		kind, rules = "GID", &t.groupMap
	}
	err = t.eachLine(in, func(line string) {
		number++
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			return
		}
		fail := func(format string, args ...any) {
			wrong = true
			t.warnf("%s:%d: "+format, append([]any{t.colonName(name), number}, args...)...)
		}
		if len(words) != 2 {
			fail("malformed line")
			return
		}
		owner := func(word string) (o tarOwner, ok bool) {
			first, second, both := strings.Cut(word, ":")
			switch digits, plus := strings.CutPrefix(first, "+"); {
			case both && second != "":
				o.name = first
				o.id, o.hasID = tarOwnerNumber(second)
			case plus:
				o.id, o.hasID = tarOwnerNumber(digits)
			default:
				o.name = first
				o.id, o.hasID = t.ownerID(group, first)
			}
			if !o.hasID {
				fail("can't obtain %s of %s", kind, first)
			}
			if o.name == "" {
				o.name = t.ownerName(group, o.id)
			}
			return o, o.hasID
		}
		from, ok := owner(words[0])
		if !ok {
			return
		}
		if to, ok := owner(words[1]); ok {
			*rules = append(*rules, tarOwnerRule{from, to})
		}
	})
	if err == nil && wrong {
		t.warnf("errors reading map file")
		return t.giveUp()
	}
	return err
}

// tarMapOwner gives the owner that a file is added with.
func tarMapOwner(id int64, name string, rules []tarOwnerRule, always *tarOwner) (int64, string) {
	for _, r := range rules {
		if int64(r.from.id) == id {
			return int64(r.to.id), r.to.name
		}
	}
	if always != nil {
		if always.hasID {
			id = int64(always.id)
		}
		if always.hasName {
			name = always.name
		}
	}
	return id, name
}
