package builtins

import (
	"bytes"
	"io"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/vfs"
)

// tarSelection is how names that follow are read and patterns matched.
type tarSelection struct {
	wildcards                              int8 // 1 and -1: asked for, forbidden
	slashApart, fold, anchored, unanchored bool
	recursion                              bool
	null, verbatim, unquote                bool
}

func newTarSelection() tarSelection { return tarSelection{recursion: true, unquote: true} }

// excluding and including are how patterns are matched that are given now.
func (s *tarSelection) excluding() tarMatching {
	return tarMatching{wildcards: s.wildcards >= 0, anchored: s.anchored, fold: s.fold, slashApart: s.slashApart, leading: s.recursion}
}

func (s *tarSelection) including() tarMatching {
	return tarMatching{wildcards: s.wildcards > 0, anchored: s.anchored || !s.unanchored, fold: s.fold, slashApart: s.slashApart, leading: s.recursion}
}

type tarElementKind uint8

const (
	tarElementName tarElementKind = iota
	tarElementOption
)

// tarElement is a word of the command line that counts for what follows it: a
// name, or an option about names.
type tarElement struct {
	kind  tarElementKind
	text  string
	key   rune
	typed string
}

// shown is how a message calls the option.
func (e *tarElement) shown() string {
	shown := e.typed
	if e.key < 128 {
		shown = "-" + string(e.key)
	} else if name, _, ok := strings.Cut(shown, "="); ok {
		shown = name
	}
	if e.text != "" {
		shown += " " + quote(e.text)
	}
	return shown
}

// selecting takes an option about names; done is false for any other.
func (t *tarCommand) selecting(p *getopt.Parser, elements *[]tarElement) (done bool, err error) {
	switch p.Key {
	case tarOptAddFile:
		*elements = append(*elements, tarElement{kind: tarElementName, text: p.Value})
		return true, nil
	case 'C', 'T', 'X', tarOptExclude, tarOptExcludeBackups, tarOptExcludeCaches, tarOptExcludeCachesAll, tarOptExcludeCachesUnder,
		tarOptExcludeIgnore, tarOptExcludeIgnoreRecursive, tarOptExcludeTag, tarOptExcludeTagAll, tarOptExcludeTagUnder,
		tarOptExcludeVCS, tarOptExcludeVCSIgnores, tarOptNoNull, tarOptNull, tarOptRecursion, tarOptNoRecursion, tarOptUnquote, tarOptNoUnquote,
		tarOptVerbatim, tarOptNoVerbatim, tarOptAnchored, tarOptNoAnchored, tarOptIgnoreCase, tarOptNoIgnoreCase,
		tarOptWildcards, tarOptNoWildcards, tarOptWildcardsSlash, tarOptNoWildcardsSlash:
		typed := p.Typed
		for _, o := range t.program.options.Options {
			if o.Key == p.Key {
				typed = "--" + o.Long
				break
			}
		}
		*elements = append(*elements, tarElement{kind: tarElementOption, key: p.Key, text: p.Value, typed: typed})
		return true, nil
	}
	return false, nil
}

// apply does what an option about names asks for.
func (t *tarCommand) apply(e *tarElement) error {
	s := &t.selection
	switch e.key {
	case 'C':
		t.directory = &tarDirectory{parent: t.directory, path: e.text}
	case 'X':
		return t.excludeFrom(e.text)
	case tarOptExclude:
		t.excludes.add(e.text, s.excluding())
	case tarOptExcludeBackups:
		for _, p := range []string{".#*", "*~", "#*#"} {
			t.excludes.add(p, tarMatching{wildcards: true})
		}
	case tarOptExcludeVCS:
		for _, name := range []string{"CVS", ".cvsignore", "RCS", "SCCS", ".git", ".gitignore", ".gitattributes", ".gitmodules", ".svn", ".arch-ids", "{arch}",
			"=RELEASE-ID", "=meta-update", "=update", ".bzr", ".bzrignore", ".bzrtags", ".hg", ".hgignore", ".hgrags", "_darcs"} {
			t.excludes.add(name, tarMatching{})
		}
	case tarOptExcludeCaches, tarOptExcludeCachesAll, tarOptExcludeCachesUnder:
		t.excludes.tags = append(t.excludes.tags, tarTag{"CACHEDIR.TAG", tarTagKind(e.key - tarOptExcludeCaches), true})
	case tarOptExcludeTag, tarOptExcludeTagAll, tarOptExcludeTagUnder:
		t.excludes.tags = append(t.excludes.tags, tarTag{e.text, tarTagKind(e.key - tarOptExcludeTag), false})
	case tarOptExcludeIgnore, tarOptExcludeIgnoreRecursive:
		t.excludes.ignores = append(t.excludes.ignores, tarIgnore{name: e.text})
	case tarOptExcludeVCSIgnores:
		t.excludes.ignores = append(t.excludes.ignores, tarIgnore{".cvsignore", tarIgnoreWords}, tarIgnore{".gitignore", tarIgnoreGit},
			tarIgnore{".bzrignore", tarIgnoreBzr}, tarIgnore{".hgignore", tarIgnoreHg})
	case tarOptNull:
		s.null, s.verbatim = true, true
	case tarOptNoNull:
		s.null, s.verbatim = false, false
	case tarOptVerbatim:
		s.verbatim = true
	case tarOptNoVerbatim:
		s.verbatim = false
	case tarOptRecursion:
		s.recursion = true
	case tarOptNoRecursion:
		s.recursion = false
	case tarOptUnquote:
		s.unquote = true
	case tarOptNoUnquote:
		s.unquote = false
	case tarOptAnchored:
		s.anchored = true
	case tarOptNoAnchored:
		s.anchored, s.unanchored = false, true
	case tarOptIgnoreCase:
		s.fold = true
	case tarOptNoIgnoreCase:
		s.fold = false
	case tarOptWildcards:
		s.wildcards = 1
	case tarOptNoWildcards:
		s.wildcards = -1
	case tarOptWildcardsSlash:
		s.slashApart = false
	case tarOptNoWildcardsSlash:
		s.slashApart = true
	}
	return nil
}

// isName reports whether the element brings names.
func (e *tarElement) isName() bool {
	return e.kind == tarElementName || e.key == 'T'
}

func (t *tarCommand) hasNames() bool {
	for i := range t.elements {
		if t.elements[i].isName() {
			return true
		}
	}
	return false
}

// manyNames reports whether more than one file may be named.
func (t *tarCommand) manyNames() bool {
	n := 0
	for i := range t.elements {
		if e := &t.elements[i]; e.kind == tarElementOption && e.key == 'T' {
			return true
		} else if e.kind == tarElementName {
			n++
		}
	}
	return n > 1
}

// eachName visits the names of the command line and of -T in order; what stands
// between them takes effect on the way.
func (t *tarCommand) eachName(visit func(name string) error) error {
	last := -1
	for i := range t.elements {
		if t.elements[i].isName() {
			last = i
		}
	}
	for i := range t.elements {
		if i > last && !t.mode.reads() && t.mode != tarDelete {
			return t.reportUnused(t.elements[i:])
		}
		if err := t.eachOf(&t.elements[i], nil, visit); err != nil {
			return err
		}
	}
	return nil
}

func (t *tarCommand) reportUnused(elements []tarElement) error {
	t.fault("The following options were used after any non-optional arguments in archive create or update mode.  These options are positional and affect only arguments that follow them.  Please, rearrange them properly.")
	for i := range elements {
		t.fault("%s has no effect", elements[i].shown())
	}
	return nil
}

// tarNameList is a -T file being read, and from where it was asked for.
type tarNameList struct {
	name string
	from *tarNameList
}

func (t *tarCommand) eachOf(e *tarElement, from *tarNameList, visit func(name string) error) error {
	switch {
	case e.kind == tarElementName:
		return visit(t.nameText(e.text, false))
	case e.key == 'T':
		return t.eachListed(&tarNameList{e.text, from}, visit)
	}
	return t.apply(e)
}

// nameText is a name without its quoting and the slashes at its end.
func (t *tarCommand) nameText(name string, listed bool) string {
	if trimmed := strings.TrimRight(name, "/"); trimmed != "" {
		name = trimmed
	} else if name != "" {
		name = "/"
	}
	if t.selection.unquote && !(listed && t.selection.null) {
		name = tarUnquote(name)
	}
	return name
}

// tarUnquote reads C's escapes; what is none stays.
func tarUnquote(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if k := strings.IndexByte(`\abfnrtv?`, s[i]); k >= 0 {
			b.WriteByte("\\\a\b\f\n\r\t\v\x7f"[k])
			continue
		}
		value, digits := 0, 0
		for digits < 3 && i+digits < len(s) && s[i+digits] >= '0' && s[i+digits] <= '7' {
			value = value*8 + int(s[i+digits]-'0')
			digits++
		}
		if digits == 0 || value > 255 {
			b.WriteByte('\\')
			b.WriteByte(s[i])
			continue
		}
		b.WriteByte(byte(value))
		i += digits - 1
	}
	return b.String()
}

// eachListed visits the names of a -T file.
func (t *tarCommand) eachListed(list *tarNameList, visit func(name string) error) error {
	var in io.Reader = t.Stdin
	if list.name != "-" {
		f, err := t.View().Open(t.ctx, list.name, vfs.O_RDONLY, 0)
		if err != nil {
			t.warnf("%s: Cannot stat: %s", t.colonName(list.name), vfs.Words(err))
			return t.giveUp()
		}
		defer f.Close()
		in = f
		if info, err := f.Stat(); err == nil {
			asked := "command line"
			if list.from != nil {
				asked = list.from.name
			}
			if before, ok := t.lists[copyID(info)]; ok {
				t.fault("%s: file list requested from %s already read from %s", t.colonName(list.name), asked, before)
				return nil
			}
			if t.lists == nil {
				t.lists = map[copyInode]string{}
			}
			t.lists[copyID(info)] = asked
		}
	} else if err := t.takeStdin("-T"); err != nil {
		return err
	}
	r := lines.NewReader(in, t.Host())
	defer r.Close()
	number := 0
	null := t.selection.null
	if null {
		r.Delim = 0
	}
	for {
		line, err := r.Next()
		number++
		if err == io.EOF {
			return nil
		}
		if ended := t.ctx.Err(); ended != nil {
			return ended
		}
		if err != nil {
			return nil // what cannot be read ends the list
		}
		end := ""
		if line[len(line)-1] == r.Delim {
			line = line[:len(line)-1]
			end = "\n"
		}
		if i := bytes.IndexByte(line, 0); i >= 0 && !null {
			// The rest is taken as names that end in NUL.
			t.warning("filename-with-nuls", "%s: file name read contains nul character", t.colonName(list.name))
			null = true
			rest := io.MultiReader(strings.NewReader(string(line[i+1:])+end), r.Rest())
			if err := t.listedName(string(line[:i]), list, number, visit); err != nil {
				return err
			}
			again := lines.NewReader(rest, t.Host())
			again.Delim = 0
			defer again.Close()
			r = again
			continue
		}
		if err := t.listedName(string(line), list, number, visit); err != nil {
			return err
		}
	}
}

func (t *tarCommand) listedName(line string, list *tarNameList, number int, visit func(name string) error) error {
	if line == "" {
		return nil
	}
	if !t.selection.verbatim {
		if option := strings.TrimLeft(line, " \t"); strings.HasPrefix(option, "-") {
			elements, ok := t.listedOptions(option)
			if !ok {
				t.fault("%s:%d: unrecognized option", t.colonName(list.name), number)
				return nil
			}
			for i := range elements {
				if err := t.eachOf(&elements[i], list, visit); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return visit(t.nameText(line, true))
}

// listedOptions reads a line of options in a list of names.
func (t *tarCommand) listedOptions(line string) (elements []tarElement, ok bool) {
	words, ok := tarWords(line)
	if !ok {
		return nil, false
	}
	spec := t.program.options
	spec.Order = getopt.InOrder
	p := getopt.New(&spec, words)
	for p.Next() {
		if p.Key == 1 {
			elements = append(elements, tarElement{kind: tarElementName, text: p.Value})
			continue
		}
		if done, err := t.selecting(p, &elements); !done || err != nil {
			return nil, false
		}
	}
	return elements, p.Err() == nil
}

// tarWords splits text as a shell does, without expansions.
func tarWords(text string) (words []string, ok bool) {
	var word strings.Builder
	started := false
	quoted := byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quoted == 0 && (c == ' ' || c == '\t' || c == '\n'):
			if started {
				words = append(words, word.String())
				word.Reset()
				started = false
			}
			continue
		case quoted == 0 && (c == '\'' || c == '"'):
			quoted = c
		case c == quoted:
			quoted = 0
		case c == '\\' && quoted != '\'' && i+1 < len(text):
			i++
			word.WriteByte(text[i])
		default:
			word.WriteByte(c)
		}
		started = true
	}
	if started {
		words = append(words, word.String())
	}
	return words, quoted == 0
}

// tarDirectory is where names are looked for: one -C after another, looked up
// when it is first used.
type tarDirectory struct {
	parent *tarDirectory
	path   string
	view   *vfs.View
}

// enter makes the directory the current one.
func (t *tarCommand) enter(d *tarDirectory) error {
	var missing []*tarDirectory
	for up := d; up.view == nil; up = up.parent {
		missing = append(missing, up)
	}
	for i := len(missing) - 1; i >= 0; i-- {
		m := missing[i]
		above := m.parent.view
		info, err := above.Stat(t.ctx, m.path)
		if err == nil && !info.IsDir() {
			err = vfs.ENOTDIR
		}
		resolved := ""
		if err == nil {
			resolved, err = above.Realpath(t.ctx, m.path, vfs.MissingNone)
		}
		if err != nil {
			return t.fatal("%s: Cannot open: %s", t.colonName(m.path), vfs.Words(err))
		}
		m.view = above.WithDirectory(resolved)
	}
	t.directory = d
	return nil
}

// tarName is a name that members are asked for by.
type tarName struct {
	text      string
	directory *tarDirectory
	matching  tarMatching
	found     int
}

// gatherNames reads all names before members are looked at.
func (t *tarCommand) gatherNames() error {
	return t.eachName(func(name string) error {
		t.names = append(t.names, &tarName{text: name, directory: t.directory, matching: t.selection.including()})
		return t.charge(len(name) + 96)
	})
}

// asked reports whether a member is asked for, and enters the directory that
// stood before the name it is asked for by.
func (t *tarCommand) asked(member string) (bool, error) {
	if len(t.names) == 0 || t.names[0].text == "" {
		if len(t.names) > 0 {
			t.directory = t.names[0].directory
			t.names = nil
		}
		return true, t.enter(t.directory)
	}
	names := t.names
	if t.sameOrder {
		// Members come as the names do: a name that was found gives way to the next.
		if t.names[t.current].found > 0 && t.current+1 < len(t.names) && !t.names[t.current].matching.match(t.names[t.current].text, member) {
			t.current++
		}
		names = t.names[t.current : t.current+1]
	}
	for _, n := range names {
		if n.text == "" || !n.matching.match(n.text, member) {
			continue
		}
		below := len(n.text) < len(member) && member[len(n.text)] == '/' && t.selection.recursion
		if !below || n.found == 0 {
			n.found++
		}
		if err := t.enter(n.directory); err != nil {
			return false, err
		}
		return t.isFound(n), nil
	}
	return false, nil
}

func (t *tarCommand) isFound(n *tarName) bool {
	if t.occurrence == 0 {
		return n.found > 0
	}
	return n.found == t.occurrence
}

func (t *tarCommand) wasFound(n *tarName) bool {
	if t.occurrence == 0 {
		return n.found > 0
	}
	return n.found >= t.occurrence
}

// allFound reports whether no further member can be asked for.
func (t *tarCommand) allFound(m *tarMember) bool {
	if m == nil || m.name == "" || t.occurrence == 0 || m.trailingSlash || len(t.names) == 0 && t.occurrence == 0 {
		return false
	}
	for _, n := range t.names {
		if n.text != "" && !t.wasFound(n) || len(m.name) > len(n.text) && m.name[len(n.text)] == '/' {
			return false
		}
	}
	return true
}

// reportMissing tells of names that no member had.
func (t *tarCommand) reportMissing() {
	warned := t.selection.wildcards != 0
	for _, n := range t.names {
		switch {
		case n.text == "" || t.wasFound(n):
		case n.found == 0:
			if !warned && strings.ContainsAny(n.text, "*?[") {
				warned = true
				t.warnf("Pattern matching characters used in file names")
				t.warnf("Use --wildcards to enable pattern matching, or --no-wildcards to suppress this warning")
			}
			t.fault("%s: Not found in archive", t.colonName(n.text))
		default:
			t.fault("%s: Required occurrence not found in archive", t.colonName(n.text))
		}
	}
}

// tarOwnerNumber reads a number of an owner.
func tarOwnerNumber(s string) (int, bool) {
	n, err := strconv.ParseUint(s, 10, 32)
	return int(n), err == nil
}
