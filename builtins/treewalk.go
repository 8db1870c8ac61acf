package builtins

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/vsh-project/vsh/builtins/internal/filemode"
	"github.com/vsh-project/vsh/builtins/internal/rg"
	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/internal/strftime"
	"github.com/vsh-project/vsh/internal/walk"
	"github.com/vsh-project/vsh/internal/width"
	"github.com/vsh-project/vsh/vfs"
)

// treeNode is a file of the tree.
type treeNode struct {
	name, path string
	info       *vfs.Info // nil with --fromfile
	target     string    // of a link
	link       bool
	directory  bool      // itself, or what a link leads to
	kind       *vfs.Info // of what a link leads to
	descend    bool
	loaded     bool
	recursive  bool // a link to where the tree has been
	everything bool // below a directory that -P matches
	unread     bool // a directory that cannot be read
	limit      int  // entries that were too many to open
	children   []*treeNode
	size       int64
}

// treeNodeCost is charged for each node that is kept.
const treeNodeCost = 512

func (t *treeCommand) describe(n *treeNode, root bool) error {
	look := t.View().Lstat
	if root {
		look = t.View().Stat
	}
	info, err := look(t.ctx, n.path)
	if err != nil {
		return err
	}
	n.info, n.kind, n.size = info, info, info.Bytes
	n.directory, n.descend = info.IsDir(), info.IsDir()
	if info.FileMode&fs.ModeSymlink != 0 {
		n.link = true
		n.target, _ = t.View().Readlink(t.ctx, n.path)
		if to, err := t.View().Stat(t.ctx, n.path); err == nil {
			n.kind, n.directory = to, to.IsDir()
			n.descend = n.directory && t.follow
		}
	}
	return nil
}

// load lists a directory at a depth.
func (t *treeCommand) load(n *treeNode, depth int) error {
	if n.loaded || !n.descend {
		return nil
	}
	n.loaded = true
	if t.fileList {
		t.arrange(n)
		return nil
	}
	if t.follow {
		id := copyID(n.kind)
		if n.link && depth > 1 && t.seen[id] {
			n.recursive = true
			return nil
		}
		t.seen[id] = true
	}
	entries, err := t.View().ReadDir(t.ctx, n.path)
	if t.ctx.Err() != nil {
		return t.ctx.Err()
	}
	if err != nil {
		if n.unread = true; !t.prune && !t.du {
			t.status = 2
		}
		return nil
	}
	if t.gitIgnore {
		if text, err := t.readAll(walk.Join(n.path, ".gitignore")); err == nil {
			root := n.path + "/"
			t.rules = append(t.rules, rg.Parse(root, text, false))
		}
	}
	for _, e := range entries {
		if !t.all && strings.HasPrefix(e.Name, ".") {
			continue
		}
		child := &treeNode{name: e.Name, path: walk.Join(n.path, e.Name)}
		if err := t.describe(child, false); err != nil {
			if t.ctx.Err() != nil {
				return t.ctx.Err()
			}
			continue
		}
		if t.wanted(n, child) {
			if err := t.keep(); err != nil {
				return err
			}
			n.children = append(n.children, child)
		}
	}
	if t.oneDevice && n.info != nil {
		for _, child := range n.children {
			child.descend = child.descend && child.kind.Device == n.kind.Device
		}
	}
	t.arrange(n)
	return nil
}

func (t *treeCommand) keep() error {
	if err := t.Host().Charge(treeNodeCost); err != nil {
		return err
	}
	t.charged += treeNodeCost
	return nil
}

// wanted applies -d, -I, -P and ignore files.
func (t *treeCommand) wanted(parent, n *treeNode) bool {
	if t.onlyDirs && !n.directory {
		return false
	}
	if t.matches(t.ignores, n) || t.ignored(n) {
		return false
	}
	n.everything = parent.everything
	if len(t.patterns) == 0 || n.everything {
		return true
	}
	if n.descend {
		n.everything = t.matchDirs && t.matches(t.patterns, n)
		return true
	}
	return t.matches(t.patterns, n)
}

func (t *treeCommand) matches(patterns []string, n *treeNode) bool {
	for _, p := range patterns {
		for _, one := range strings.Split(p, "|") {
			name, onlyDirs := strings.CutSuffix(one, "/")
			if onlyDirs && !n.directory {
				continue
			}
			subject := n.name
			if strings.Contains(name, "/") {
				subject = n.path
			}
			if fnmatch(name, subject, t.fold) {
				return true
			}
		}
	}
	return false
}

func (t *treeCommand) ignored(n *treeNode) bool {
	for i := len(t.rules) - 1; i >= 0; i-- {
		if !strings.HasPrefix(n.path, t.rules[i].Root) {
			continue
		}
		switch t.rules[i].Match(n.path, n.directory) {
		case rg.Ignored:
			return true
		case rg.Kept:
			return false
		}
	}
	return false
}

// arrange sorts a directory, and leaves it closed where it holds too much.
func (t *treeCommand) arrange(n *treeNode) {
	if t.fileLimit > 0 && len(n.children) > t.fileLimit {
		n.limit, n.children = len(n.children), nil
		return
	}
	if t.sort == treeUnsorted {
		return
	}
	slices.SortStableFunc(n.children, func(a, b *treeNode) int {
		if (t.dirsFirst || t.filesFirst) && a.directory != b.directory {
			if a.directory == t.dirsFirst {
				return -1
			}
			return 1
		}
		order := 0
		switch {
		case t.sort == treeByVersion:
			order = compareVersions([]byte(a.name), []byte(b.name))
		case a.info == nil:
		case t.sort == treeByTime:
			order = a.info.Modified.Compare(b.info.Modified)
		case t.sort == treeByChange:
			order = a.info.Changed.Compare(b.info.Changed)
		case t.sort == treeBySize:
			order = cmp.Compare(b.info.Bytes, a.info.Bytes)
		}
		if order == 0 {
			order = strings.Compare(a.name, b.name)
		}
		if t.reverse {
			order = -order
		}
		return order
	})
}

// loadAll reads the whole tree, for --prune and --du.
func (t *treeCommand) loadAll(n *treeNode, depth int) error {
	kept := n.children[:0]
	for _, child := range n.children {
		if t.level == 0 || depth < t.level {
			if err := t.load(child, depth+1); err != nil {
				return err
			}
			if err := t.loadAll(child, depth+1); err != nil {
				return err
			}
		}
		if t.prune && child.directory && len(child.children) == 0 && !(t.onlyDirs && child.link) && !t.onlyDirs {
			continue
		}
		kept = append(kept, child)
		n.size += child.size
	}
	n.children = kept
	return nil
}

// readList makes a tree of the paths in a file.
func (t *treeCommand) readList(root *treeNode) error {
	name := root.path
	if name == "." {
		name = "-"
	}
	r, done, err := t.open(name)
	if err != nil {
		return err
	}
	defer done()
	root.directory, root.descend = true, true
	in := lines.NewReader(r, t.Host())
	defer in.Close()
	index := map[*treeNode]map[string]*treeNode{}
	for {
		line, err := in.Next()
		if err != nil {
			if t.ends(err) {
				return err
			}
			break
		}
		at := root
		for _, part := range strings.Split(strings.TrimSuffix(string(line), "\n"), "/") {
			if part == "" {
				continue
			}
			if !t.all && strings.HasPrefix(part, ".") && part != "." && part != ".." {
				break
			}
			at.directory, at.descend = true, true
			known := index[at]
			if known == nil {
				known = map[string]*treeNode{}
				index[at] = known
			}
			if known[part] == nil {
				if err := t.keep(); err != nil {
					return err
				}
				known[part] = &treeNode{name: part, path: walk.Join(at.path, part)}
				at.children = append(at.children, known[part])
			}
			at = known[part]
		}
	}
	t.filter(root)
	return nil
}

// filter applies what wanted does to a tree that was read from a list.
func (t *treeCommand) filter(n *treeNode) {
	n.children = slices.DeleteFunc(n.children, func(child *treeNode) bool { return !t.wanted(n, child) })
	for _, child := range n.children {
		t.filter(child)
	}
}

func (t *treeCommand) sizeText(n int64) string {
	if !t.human {
		if t.size {
			return " " + fmt.Sprintf("%11d bytes", n)
		}
		return strconv.FormatInt(n, 10)
	}
	return " " + t.humanSize(n)
}

func (t *treeCommand) humanSize(n int64) string {
	base, units := 1024.0, "BKMGTPEZY"
	if t.si {
		base, units = 1000, "BkMGTPEZY"
	}
	if float64(n) < base {
		return fmt.Sprintf("%4d", n)
	}
	v, unit := float64(n)/base, 1
	for ; v >= base; unit++ {
		v /= base
	}
	if v >= 10 {
		return fmt.Sprintf("%3.0f%c", v, units[unit])
	}
	return fmt.Sprintf("%3.1f%c", v, units[unit])
}

// halfYear is how far back a date is shown with its time.
const halfYear = 6 * 31 * 24 * time.Hour

func (t *treeCommand) dateText(n *treeNode) string {
	at := n.info.Modified
	if t.changed {
		at = n.info.Changed
	}
	format := t.timeFormat
	if format == "" {
		format = "%b %e %H:%M"
		if now := t.Host().Now(); at.After(now) || at.Add(halfYear).Before(now) {
			format = "%b %e  %Y"
		}
	}
	return strftime.Format(format, at.In(t.location()), true)
}

func (t *treeCommand) ownerText(n *treeNode) (user, group string) {
	user, group = strconv.Itoa(n.info.UID), strconv.Itoa(n.info.GID)
	if name, ok := t.userName(n.info.UID); ok {
		user = name
	}
	if name, ok := t.groupName(n.info.GID); ok {
		group = name
	}
	return user, group
}

// meta is what stands in brackets before a name.
func (t *treeCommand) meta(n *treeNode) string {
	if n.info == nil {
		return ""
	}
	var parts []string
	if t.inode {
		parts = append(parts, fmt.Sprintf("%7d", n.info.Inode))
	}
	if t.device {
		parts = append(parts, fmt.Sprintf("%3d", n.info.Device))
	}
	if t.mode {
		parts = append(parts, filemode.String(n.info.FileMode))
	}
	user, group := t.ownerText(n)
	if t.owner {
		parts = append(parts, fmt.Sprintf("%-8.32s", user))
	}
	if t.group {
		parts = append(parts, fmt.Sprintf("%-8.32s", group))
	}
	if t.size {
		if t.human {
			parts = append(parts, t.humanSize(n.size))
		} else {
			parts = append(parts, fmt.Sprintf("%11d", n.size))
		}
	}
	if t.date {
		parts = append(parts, t.dateText(n))
	}
	if len(parts) == 0 {
		return ""
	}
	return "[" + strings.Join(parts, " ") + "]"
}

// showName writes a name as -N, -q and -Q ask.
func (t *treeCommand) showName(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case t.raw, width.Print(r) && (r != 0xfffd || n > 1):
			b.WriteString(s[i : i+n])
		case t.question && r < 0x80:
			b.WriteByte('?')
		case t.question:
			b.WriteString(s[i : i+n])
		default:
			for _, c := range []byte(s[i : i+n]) {
				fmt.Fprintf(&b, "\\%03o", c)
			}
		}
		i += n
	}
	if t.quoted {
		return `"` + b.String() + `"`
	}
	return b.String()
}
