package builtins

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"strings"

	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/vfs"
)

// digestLine is a checksum line taken apart.
type digestLine struct {
	hex, name string
}

// digestTally counts what one checksum file came to.
type digestTally struct {
	proper, matched                  bool
	misformatted, unread, mismatched int
}

func (d *digestCommand) checkFiles(operands []string) error {
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	for _, name := range operands {
		ok, err := d.checkFile(name)
		if err != nil {
			return err
		}
		if !ok {
			d.call.status = 1
		}
	}
	return nil
}

func (d *digestCommand) checkFile(list string) (bool, error) {
	r, done, err := d.open(list)
	if err != nil {
		return false, d.failed(list, err)
	}
	defer done()
	in := lines.NewReader(r, d.Host())
	defer in.Close()
	shown := quoteFile(displayName(list))
	var t digestTally
	for number := 1; ; number++ {
		line, err := in.Next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = d.ctx.Err()
		}
		if err != nil {
			if d.ends(err) {
				return false, err
			}
			d.noteClosed(list, err)
			d.errorf("%s: read error", shown)
			return false, nil
		}
		if line[0] == '#' {
			continue
		}
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if len(line) == 0 {
			continue
		}
		parts, ok := d.split(string(line))
		if !ok || list == "-" && parts.name == "-" {
			t.misformatted++
			if d.warn {
				d.warnf("%s: %d: improperly formatted %s checksum line", shown, number, d.tagName())
			}
			continue
		}
		t.proper = true
		if err := d.verify(parts, &t); err != nil {
			return false, err
		}
	}
	return d.judge(shown, &t), nil
}

// tagName is the algorithm in a message; cksum without -a has CRC until a line
// has shown another.
func (d *digestCommand) tagName() string {
	if d.kind == nil {
		return "CRC"
	}
	return d.kind.tag
}

func (d *digestCommand) verify(parts digestLine, t *digestTally) error {
	sum, missing, err := d.sumOf(parts.name)
	if err != nil && d.ends(err) {
		return err
	}
	verdict := ""
	switch {
	case missing:
		return nil
	case err != nil:
		t.unread++
		d.warnf("%s: %s", quoteFile(parts.name), vfs.Words(err))
		verdict = "FAILED open or read"
	case strings.EqualFold(hex.EncodeToString(sum), parts.hex):
		t.matched = true
		if !d.quiet {
			verdict = "OK"
		}
	default:
		t.mismatched++
		verdict = "FAILED"
	}
	if d.status || verdict == "" {
		return nil
	}
	// Only a newline asks for escapes here.
	name, mark := parts.name, ""
	if strings.Contains(name, "\n") {
		name, mark = digestEscape(name)
	}
	_, err = d.out.WriteString(mark + name + ": " + verdict + "\n")
	return err
}

func (d *digestCommand) sumOf(name string) (sum []byte, missing bool, err error) {
	r, done, err := d.open(name)
	if err != nil {
		return nil, d.ignoreMissing && errors.Is(err, vfs.ENOENT), err
	}
	defer done()
	sum, err = d.sum(r)
	return sum, false, err
}

// judge prints the summary of a checksum file and whether it holds.
func (d *digestCommand) judge(shown string, t *digestTally) bool {
	if !t.proper {
		d.errorf("%s: no properly formatted checksum lines found", shown)
		return false
	}
	if !d.status {
		d.warnCount(t.misformatted, "line is improperly formatted", "lines are improperly formatted")
		d.warnCount(t.unread, "listed file could not be read", "listed files could not be read")
		d.warnCount(t.mismatched, "computed checksum did NOT match", "computed checksums did NOT match")
		if d.ignoreMissing && !t.matched {
			d.warnf("%s: no file was verified", shown)
		}
	}
	return t.matched && t.mismatched == 0 && t.unread == 0 && !(d.strict && t.misformatted > 0)
}

func (d *digestCommand) warnCount(n int, one, many string) {
	if n == 1 {
		many = one
	}
	if n > 0 {
		d.warnf("WARNING: %d %s", n, many)
	}
}

// split takes a checksum line apart: "TAG (NAME) = HEX", "HEX  NAME", "HEX *NAME"
// or BSD's "HEX NAME".
func (d *digestCommand) split(s string) (digestLine, bool) {
	s = strings.TrimLeft(s, " \t")
	s, escaped := strings.CutPrefix(s, `\`)
	if d.byTag && !d.findKind(s) {
		return digestLine{}, false
	}
	if rest, ok := strings.CutPrefix(s, d.kind.tag); ok {
		return d.splitTagged(rest, escaped)
	}
	digits := 2 * d.kind.size
	if d.kind.variable {
		digits = digestHexDigits(s)
		if digits < 2 || digits%2 != 0 || digits > 2*d.kind.size {
			return digestLine{}, false
		}
		d.size = digits / 2
	}
	if len(s) < digits+2 || s[digits] != ' ' && s[digits] != '\t' || digestHexDigits(s[:digits]) != digits {
		return digestLine{}, false
	}
	parts := digestLine{hex: s[:digits], name: s[digits+1:]}
	if len(parts.name) == 1 || parts.name[0] != ' ' && parts.name[0] != '*' {
		// Both forms in one file would let a name begin with a space unseen.
		if d.reversed < 0 {
			return digestLine{}, false
		}
		d.reversed = 1
	} else if d.reversed != 1 {
		d.reversed = -1
		parts.name = parts.name[1:]
	}
	return parts.unescape(escaped)
}

func (p digestLine) unescape(escaped bool) (digestLine, bool) {
	ok := true
	if escaped {
		p.name, ok = digestUnescape(p.name)
	}
	p.name, _, _ = strings.Cut(p.name, "\x00")
	return p, ok
}

// findKind sets the algorithm that a tagged line names.
func (d *digestCommand) findKind(s string) bool {
	end := strings.IndexAny(s, " -(")
	if end < 0 {
		end = len(s)
	}
	for _, name := range []string{"blake2b", "sha224", "sha256", "sha384", "sha512", "sha1", "md5", "sm3"} {
		if kind := digestByName(name); kind.tag == s[:end] {
			d.kind, d.size = kind, kind.size
			return true
		}
	}
	return false
}

// splitTagged takes apart what follows the tag.
func (d *digestCommand) splitTagged(s string, escaped bool) (digestLine, bool) {
	d.size = d.kind.size
	if length, ok := strings.CutPrefix(s, "-"); ok && d.kind.variable {
		end := 0
		for end < len(length) && length[end] >= '0' && length[end] <= '9' {
			end++
		}
		bits, status := parseNumber(length[:end], "")
		if status != numberOK || !d.kind.fits(bits) {
			return digestLine{}, false
		}
		d.size, s = int(bits/8), length[end:]
	}
	s, ok := strings.CutPrefix(strings.TrimPrefix(s, " "), "(")
	end := strings.LastIndexByte(s, ')')
	if !ok || end < 0 {
		return digestLine{}, false
	}
	sum, ok := strings.CutPrefix(strings.TrimLeft(s[end+1:], " \t"), "=")
	sum = strings.TrimLeft(sum, " \t")
	if !ok || len(sum) != 2*d.size || digestHexDigits(sum) != len(sum) {
		return digestLine{}, false
	}
	return digestLine{hex: sum, name: s[:end]}.unescape(escaped)
}

// digestHexDigits counts the hexadecimal digits s begins with.
func digestHexDigits(s string) int {
	n := 0
	for n < len(s) && strings.IndexByte("0123456789abcdefABCDEF", s[n]) >= 0 {
		n++
	}
	return n
}
