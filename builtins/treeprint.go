package builtins

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/builtins/internal/filemode"
)

// printRoot prints a whole tree.
func (t *treeCommand) printRoot(n *treeNode) error {
	if t.unended {
		t.w.WriteString("," + t.newline())
	}
	t.unended = t.format == treeJSON
	if len(n.children) > 0 || n.limit > 0 {
		// An empty operand is not counted.
		t.dirs++
	}
	return t.print(n, "", 1)
}

// print prints n and what lies below; prefix are the lines drawn before it,
// its own piece included.
func (t *treeCommand) print(n *treeNode, prefix string, depth int) error {
	if err := t.ctx.Err(); err != nil {
		return err
	}
	if depth > 1 {
		if n.directory {
			t.dirs++
		} else {
			t.files++
		}
		t.total += n.size
	}
	inside := depth == 1 || t.level == 0 || depth <= t.level
	if inside {
		if err := t.load(n, depth); err != nil {
			return err
		}
	}
	switch t.format {
	case treeJSON:
		return t.printJSON(n, depth)
	case treeXML:
		return t.printXML(n, depth)
	}
	t.line(n, prefix, depth)
	if _, err := t.w.WriteString("\n"); err != nil {
		return err
	}
	below := strings.TrimSuffix(strings.TrimSuffix(prefix, t.lines.fork), t.lines.last)
	if len(below) < len(prefix) {
		if strings.HasSuffix(prefix, t.lines.last) {
			below += t.lines.none
		} else {
			below += t.lines.down
		}
	}
	for i, child := range n.children {
		piece := t.lines.fork
		if i == len(n.children)-1 {
			piece = t.lines.last
		}
		if err := t.print(child, below+piece, depth+1); err != nil {
			return err
		}
		if t.prune || t.du {
			continue
		}
		child.children = nil
		t.Host().Release(treeNodeCost)
		t.charged -= treeNodeCost
	}
	return nil
}

func (t *treeCommand) shownPath(n *treeNode) string {
	if t.fullPath {
		return n.path
	}
	return n.name
}

func (t *treeCommand) line(n *treeNode, prefix string, depth int) {
	meta := t.meta(n)
	if meta != "" {
		meta += "  "
	}
	if t.noIndent {
		prefix = ""
	}
	if t.graphics == 'A' && prefix != "" {
		prefix = "\x1b(0" + prefix + "\x1b(B"
	}
	if t.metaFirst {
		t.w.WriteString(meta + prefix)
	} else {
		t.w.WriteString(prefix + meta)
	}
	t.w.WriteString(t.colored(t.showName(t.shownPath(n)), n, n.link))
	if n.link {
		t.w.WriteString(" -> " + t.colored(t.showName(n.target), n, false))
	}
	if t.classify {
		t.w.WriteString(treeMark(n))
	}
	switch {
	case n.recursive:
		t.w.WriteString("  [recursive, not followed]")
	case n.unread:
		t.w.WriteString("  [error opening dir]")
	case n.limit > 0:
		fmt.Fprintf(t.w, "  [%d entries exceeds filelimit, not opening dir]", n.limit)
	}
}

func treeMark(n *treeNode) string {
	switch {
	case n.directory:
		return "/"
	case n.kind == nil || n.link && n.kind == n.info:
	case n.kind.FileMode&fs.ModeSocket != 0:
		return "="
	case n.kind.FileMode&fs.ModeNamedPipe != 0:
		return "|"
	case n.kind.FileMode.IsRegular() && n.kind.FileMode&0o111 != 0 && !n.link:
		return "*"
	}
	return ""
}

// colored puts the colour of n's kind around text; of the link itself where link
// is set.
func (t *treeCommand) colored(text string, n *treeNode, link bool) string {
	if !t.color {
		return text
	}
	code := "00"
	switch {
	case link && n.kind == n.info:
		code = "40;31;01"
	case link:
		code = "01;36"
	case n.directory:
		code = "01;34"
	case n.kind == nil:
	case n.link && n.kind == n.info:
	case n.kind.FileMode&fs.ModeNamedPipe != 0:
		code = "40;33"
	case n.kind.FileMode&fs.ModeSocket != 0:
		code = "01;35"
	case n.kind.FileMode&fs.ModeDevice != 0:
		code = "40;33;01"
	case n.kind.FileMode&0o111 != 0:
		code = "01;32"
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func treeType(n *treeNode) string {
	switch {
	case n.link:
		return "link"
	case n.directory:
		return "directory"
	case n.info == nil:
		return "file"
	case n.info.FileMode&fs.ModeNamedPipe != 0:
		return "fifo"
	case n.info.FileMode&fs.ModeSocket != 0:
		return "socket"
	case n.info.FileMode&fs.ModeCharDevice != 0:
		return "char"
	case n.info.FileMode&fs.ModeDevice != 0:
		return "block"
	}
	return "file"
}

// attributes are the fields of n, each joined by join to its value.
func (t *treeCommand) attributes(n *treeNode, put func(name, text string, number bool)) {
	put("name", t.shownPath(n), false)
	if n.link {
		put("target", n.target, false)
	}
	if n.info == nil {
		return
	}
	if t.inode {
		put("inode", strconv.FormatUint(n.info.Inode, 10), true)
	}
	if t.device {
		put("dev", strconv.FormatUint(n.info.Device, 10), true)
	}
	if t.mode {
		put("mode", fmt.Sprintf("%04o", filemode.Bits(n.info.FileMode)), false)
		put("prot", filemode.String(n.info.FileMode), false)
	}
	user, group := t.ownerText(n)
	if t.owner {
		put("user", user, false)
	}
	if t.group {
		put("group", group, false)
	}
	if t.size {
		if t.human {
			put("size", strings.TrimLeft(t.humanSize(n.size), " "), false)
		} else {
			put("size", strconv.FormatInt(n.size, 10), true)
		}
	}
	if t.date {
		put("time", t.dateText(n), false)
	}
}

// openJSON and openXML begin a file's entry.
func (t *treeCommand) openJSON(n *treeNode, depth int) {
	t.w.WriteString(t.jsonIndent(depth) + `{"type":"` + treeType(n) + `"`)
	t.attributes(n, func(name, text string, number bool) {
		t.w.WriteString(`,"` + name + `":`)
		if number {
			t.w.WriteString(text)
		} else {
			t.w.WriteString(`"` + treeJSONText(text) + `"`)
		}
	})
}

func (t *treeCommand) openXML(n *treeNode, depth int) {
	t.w.WriteString(t.jsonIndent(depth) + "<" + treeType(n))
	t.attributes(n, func(name, text string, _ bool) {
		t.w.WriteString(" " + name + `="` + treeXMLText(text) + `"`)
	})
}

func (t *treeCommand) printJSON(n *treeNode, depth int) error {
	t.openJSON(n, depth)
	switch {
	case n.recursive:
		t.w.WriteString(`}{"error": "recursive, not followed"}` + t.newline())
		return nil
	case n.unread:
		t.w.WriteString(`,"contents":[{"error": "error opening dir"}` + "\n  ]}")
		return nil
	case n.limit > 0:
		fmt.Fprintf(t.w, `}{"error": "%d entries exceeds filelimit, not opening dir"}`, n.limit)
		t.w.WriteString(t.newline())
		return nil
	case len(n.children) == 0:
		t.w.WriteByte('}')
	default:
		t.w.WriteString(`,"contents":[` + t.newline())
		for i, child := range n.children {
			if err := t.print(child, "", depth+1); err != nil {
				return err
			}
			if i < len(n.children)-1 {
				t.w.WriteByte(',')
			}
			t.w.WriteString(t.newline())
		}
		t.w.WriteString(t.jsonIndent(depth) + "]}")
	}
	return nil
}

func treeJSONText(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ':
			if i := strings.IndexByte("\b\f\n\r\t", c); i >= 0 {
				b.WriteByte('\\')
				b.WriteByte("bfnrt"[i])
			} else {
				fmt.Fprintf(&b, "\\u%04x", c)
			}
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func (t *treeCommand) printXML(n *treeNode, depth int) error {
	tag, indent, nl := treeType(n), t.jsonIndent(depth), t.newline()
	t.openXML(n, depth)
	t.w.WriteByte('>')
	if n.recursive {
		t.w.WriteString("<error>recursive, not followed</error>")
	}
	if n.unread {
		t.w.WriteString("<error>error opening dir</error>")
	}
	if len(n.children) > 0 || depth == 1 {
		t.w.WriteByte('\n')
		for _, child := range n.children {
			if err := t.print(child, "", depth+1); err != nil {
				return err
			}
		}
		t.w.WriteString(indent)
	}
	_, err := t.w.WriteString("</" + tag + ">" + nl)
	return err
}

func treeXMLText(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}
