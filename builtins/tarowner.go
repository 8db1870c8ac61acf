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

// tarPaxOptions is --pax-option.
type tarPaxOptions struct {
	given     bool
	deleted   []string
	globals   []tarformat.Record
	overrides []tarformat.Record
	// headerName and globalName are templates for the names of the headers.
	headerName, globalName string
}

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
			return t.usage("Keyword %s is unknown or not yet implemented", item)
		}
		key, override := strings.CutSuffix(key, ":")
		switch {
		case override:
			o.overrides = append(o.overrides, tarformat.Record{Key: key, Value: value})
		case key == "delete":
			o.deleted = append(o.deleted, value)
		case key == "exthdr.name":
			o.headerName = value
		case key == "globexthdr.name":
			o.globalName = value
		case key == "exthdr.mtime" || key == "globexthdr.mtime":
			return t.refuse("such pax options", "--pax-option="+key)
		default:
			o.globals = append(o.globals, tarformat.Record{Key: key, Value: value})
		}
	}
	return nil
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
