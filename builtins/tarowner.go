package builtins

import (
	"compress/flate"
	"encoding/binary"
	"hash"
	"hash/crc32"
	"io"
	"strings"

	"github.com/vsh-project/vsh/builtins/internal/tarformat"
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
	invalid := "Invalid owner or group ID"
	name, number, both := strings.Cut(text, ":")
	lookup := t.userID
	if group {
		lookup = t.groupID
	}
	switch {
	case both:
		o.name, o.hasName = name, true
		if number == "" {
			return o, t.usage("%s: %s", t.colonName(number), invalid)
		}
		if o.id, o.hasID = tarOwnerNumber(number); !o.hasID {
			return o, t.usage("%s: %s", t.colonName(number), invalid)
		}
	default:
		if id, ok := tarOwnerNumber(strings.TrimPrefix(name, "+")); ok {
			o.id, o.hasID = id, true
			shown, known := t.userName(id)
			if group {
				shown, known = t.groupName(id)
			}
			if o.hasName = true; known {
				o.name = shown
			}
			return o, nil
		}
		o.name, o.hasName = name, true
		if id, ok := lookup(name); ok {
			o.id, o.hasID = id, true
		}
	}
	return o, nil
}

// readOwnerMap reads a file of "OLD NEW" lines.
func (t *tarCommand) readOwnerMap(group bool, name string) error {
	in, done, err := t.open(name)
	if err != nil {
		return t.fatal("%s: Cannot open: %s", t.colonName(name), vfs.Words(err))
	}
	defer done()
	number := 0
	var wrong error
	err = t.eachPattern(in, func(line string) {
		number++
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 || wrong != nil {
			return
		}
		if len(words) < 2 {
			wrong = t.usage("%s:%d: missing target", t.colonName(name), number)
			return
		}
		from, target := words[0], words[1]
		rule := tarOwnerRule{}
		if id, ok := tarOwnerNumber(strings.TrimPrefix(from, "+")); ok && strings.HasPrefix(from, "+") {
			rule.from.id, rule.from.hasID = id, true
		} else {
			rule.from.name, rule.from.hasName = from, true
			lookup := t.userID
			if group {
				lookup = t.groupID
			}
			rule.from.id, rule.from.hasID = lookup(from)
		}
		if rule.to, wrong = t.parseOwner(group, target); wrong != nil {
			return
		}
		if group {
			t.groupMap = append(t.groupMap, rule)
		} else {
			t.ownerMap = append(t.ownerMap, rule)
		}
	})
	if wrong != nil {
		return wrong
	}
	return err
}

// mapOwner gives the owner that a file is added with.
func tarMapOwner(id int64, name string, rules []tarOwnerRule, always *tarOwner) (int64, string) {
	for _, r := range rules {
		if r.from.hasID && int64(r.from.id) == id || r.from.hasName && r.from.name == name {
			if r.to.hasID {
				id = int64(r.to.id)
			}
			return id, r.to.name
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

// tarPaxOptions is --pax-option.
type tarPaxOptions struct {
	given     bool
	deleted   []string
	globals   []tarformat.Record
	overrides []tarformat.Record
	// headerName and globalName are templates for the names of the headers.
	headerName, globalName string
	times                  bool // times in microseconds are wanted
}

func (o *tarPaxOptions) global() []tarformat.Record { return o.globals }

// deletes reports whether records of a keyword are left out.
func (o *tarPaxOptions) deletes(key string) bool {
	for _, p := range o.deleted {
		if fnmatch(p, key, false) {
			return true
		}
	}
	return false
}

// setPax reads keyword=value and keyword:=value, joined by commas.
func (t *tarCommand) setPax(text string) error {
	o := &t.paxOptions
	o.given = true
	for item := range strings.SplitSeq(text, ",") {
		item = strings.TrimLeft(item, " \t")
		if item == "" {
			continue
		}
		key, value, ok := strings.Cut(item, "=")
		if !ok {
			return t.usage("Malformed pax option: %s", quote(item))
		}
		key, override := strings.CutSuffix(key, ":")
		switch {
		case override:
			if !tarPaxKeyword(key) {
				return t.usage("Keyword %s is unknown or not yet implemented", quote(key))
			}
			o.overrides = append(o.overrides, tarformat.Record{Key: key, Value: value})
		case key == "delete":
			switch value {
			case "path", "linkpath", "size": // what no archive can do without
				return t.usage("Pattern %s cannot be used", quote(value))
			}
			o.deleted = append(o.deleted, value)
		case key == "exthdr.name":
			o.headerName = value
		case key == "globexthdr.name":
			o.globalName = value
		case key == "exthdr.mtime" || key == "globexthdr.mtime":
			return t.refuse("such pax options", "--pax-option="+key)
		case !tarPaxKeyword(key):
			return t.usage("Keyword %s is unknown or not yet implemented", quote(key))
		default:
			o.globals = append(o.globals, tarformat.Record{Key: key, Value: value})
		}
	}
	return nil
}

func tarPaxKeyword(key string) bool {
	switch key {
	case "atime", "comment", "charset", "ctime", "gid", "gname", "linkpath", "mtime", "path", "size", "uid", "uname":
		return true
	}
	return strings.HasPrefix(key, "GNU.") || strings.HasPrefix(key, "SCHILY.xattr.")
}

// tarGzip is gzip's stream of standard input: no name and no time in it.
type tarGzip struct {
	out   io.Writer
	plain *flate.Writer
	sum   hash.Hash32
	size  uint32
	begun bool
}

func newTarGzip(out io.Writer) *tarGzip {
	z := &tarGzip{out: out, sum: crc32.NewIEEE()}
	z.plain, _ = flate.NewWriter(out, flate.DefaultCompression) // the level is known
	return z
}

func (z *tarGzip) begin() error {
	if z.begun {
		return nil
	}
	z.begun = true
	_, err := z.out.Write([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3})
	return err
}

func (z *tarGzip) Write(p []byte) (int, error) {
	if err := z.begin(); err != nil {
		return 0, err
	}
	z.sum.Write(p)
	z.size += uint32(len(p))
	return z.plain.Write(p)
}

func (z *tarGzip) Close() error {
	if err := z.begin(); err != nil {
		return err
	}
	if err := z.plain.Close(); err != nil {
		return err
	}
	var tail [8]byte
	binary.LittleEndian.PutUint32(tail[:], z.sum.Sum32())
	binary.LittleEndian.PutUint32(tail[4:], z.size)
	_, err := z.out.Write(tail[:])
	return err
}
