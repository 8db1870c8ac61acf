package builtins

import (
	"strings"

	"github.com/vsh-project/vsh/builtins/internal/filemode"
)

// lsColors are the sequences of LS_COLORS.
type lsColors struct {
	codes    [len(lsColorKeys) / 2]string
	suffixes []lsSuffix // the last that fits counts
	asTarget bool       // ln=target
	used     bool
}

type lsSuffix struct{ suffix, code string }

// lsColorKeys are the two-letter names in LS_COLORS, in the order of the
// constants below.
const lsColorKeys = "lcrcecrsnofidilnpisobdcdmiorexdosusgsttwowcamhcl"

const (
	lsLeft = iota
	lsRight
	lsEnd
	lsReset
	lsNormal
	lsFilePlain
	lsDir
	lsLink
	lsFifo
	lsSocket
	lsBlock
	lsCharacter
	lsMissing
	lsOrphan
	lsExecutable
	lsDoor
	lsSetUID
	lsSetGID
	lsSticky
	lsStickyWritable
	lsWritable
	lsCapability
	lsManyLinks
	lsClear
)

// load starts with the built-in colors and reads LS_COLORS.
func (s *lsColors) load(l *lsCommand) error {
	for i, code := range [...]string{"\x1b[", "m", "", "0", "", "", "01;34", "01;36", "33", "01;35", "01;33", "01;33", "", "", "01;32", "01;35", "37;41", "30;43", "37;44", "30;42", "34;42", "30;41", "", "\x1b[K"} {
		s.codes[i] = code
	}
	value, _ := l.Getenv("LS_COLORS")
	if value == "" {
		if term, _ := l.Getenv("COLORTERM"); term == "" && !l.colorTerminal() {
			l.colors = nil
		}
		return nil
	}
	for item := range strings.SplitSeq(value, ":") {
		if item == "" {
			continue
		}
		if !s.set(item) {
			l.warnf("unparsable value for LS_COLORS environment variable")
			l.colors = nil
			return nil
		}
	}
	if s.codes[lsLink] == "target" {
		s.asTarget = true
	}
	return nil
}

// colorTerminal reports whether dircolors knows TERM to have colors.
func (l *lsCommand) colorTerminal() bool {
	term, ok := l.Getenv("TERM")
	if !ok || term == "" {
		return false
	}
	for _, pattern := range [...]string{
		"Eterm", "ansi", "*color*", "con[0-9]*x[0-9]*", "cons25", "console", "cygwin", "*direct*", "dtterm", "gnome", "hurd", "jfbterm",
		"konsole", "kterm", "linux", "linux-c", "mlterm", "putty", "rxvt*", "screen*", "st", "terminator", "tmux*", "vt100", "xterm*",
	} {
		if fnmatch(pattern, term, false) {
			return true
		}
	}
	return false
}

func (s *lsColors) set(item string) bool {
	name, code, ok := strings.Cut(item, "=")
	if !ok {
		return false
	}
	code = lsUnescape(code)
	if suffix, ok := strings.CutPrefix(name, "*"); ok {
		s.suffixes = append(s.suffixes, lsSuffix{lsUnescape(suffix), code})
		return true
	}
	for i := 0; i < len(lsColorKeys); i += 2 {
		if lsColorKeys[i:i+2] == name {
			s.codes[i/2] = code
			return true
		}
	}
	return false
}

// lsUnescape resolves \e, \_, ^X and the like.
func lsUnescape(s string) string {
	if !strings.ContainsAny(s, `\^`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '^' && i+1 < len(s):
			i++
			b.WriteByte(s[i] & 0x1f)
		case s[i] == '\\' && i+1 < len(s):
			i++
			if k := strings.IndexByte(`abefnrtv?_`, s[i]); k >= 0 {
				b.WriteByte("\a\b\x1b\f\n\r\t\v\x7f "[k])
			} else {
				b.WriteByte(s[i])
			}
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// has reports whether a key has a color that shows.
func (s *lsColors) has(key int) bool {
	code := s.codes[key]
	return code != "" && code != "0" && code != "00"
}

// followed reports whether a color depends on where a link leads.
func (s *lsColors) followed(long bool) bool {
	return s.has(lsOrphan) || s.has(lsExecutable) && s.asTarget || s.has(lsMissing) && long
}

// of is the code for a file's name, or for what its link says.
func (s *lsColors) of(f *lsFile, target bool) string {
	name, kind, info, broken := f.name, f.kind, f.info, f.isLink && f.resolved == nil
	if target {
		if f.resolved == nil && s.has(lsMissing) {
			return s.codes[lsMissing]
		}
		name = f.target
		if f.resolved != nil {
			kind, info = f.resolved.FileMode, f.resolved
		} else {
			return s.codes[lsOrphan]
		}
	} else if s.asTarget && f.resolved != nil {
		kind, info, broken = f.resolved.FileMode, f.resolved, false
	}
	var bits uint32
	links := uint64(1)
	if info != nil {
		bits, links = filemode.Bits(info.FileMode), info.Links
	}
	key := lsOrphan
	switch filemode.Letter(kind) {
	case '-':
		switch key = lsFilePlain; {
		case bits&filemode.SetUID != 0 && s.has(lsSetUID):
			key = lsSetUID
		case bits&filemode.SetGID != 0 && s.has(lsSetGID):
			key = lsSetGID
		case bits&0o111 != 0 && s.has(lsExecutable):
			key = lsExecutable
		case links > 1 && s.has(lsManyLinks):
			key = lsManyLinks
		}
		if key == lsFilePlain {
			for i := len(s.suffixes) - 1; i >= 0; i-- {
				if suffix := s.suffixes[i].suffix; len(suffix) <= len(name) && strings.EqualFold(name[len(name)-len(suffix):], suffix) {
					return s.suffixes[i].code
				}
			}
		}
	case 'd':
		switch key = lsDir; {
		case bits&filemode.Sticky != 0 && bits&0o002 != 0 && s.has(lsStickyWritable):
			key = lsStickyWritable
		case bits&0o002 != 0 && s.has(lsWritable):
			key = lsWritable
		case bits&filemode.Sticky != 0 && s.has(lsSticky):
			key = lsSticky
		}
	case 'l':
		key = lsLink
		if broken && (s.asTarget || s.has(lsOrphan)) {
			key = lsOrphan
		}
	case 'p':
		key = lsFifo
	case 's':
		key = lsSocket
	case 'b':
		key = lsBlock
	case 'c':
		key = lsCharacter
	}
	return s.codes[key]
}

// start puts a color before a name; false where it has none.
func (s *lsColors) start(l *lsCommand, code string) bool {
	if code == "" || code == "0" || code == "00" {
		return false
	}
	if !s.used {
		s.used = true
		s.reset(l)
	}
	l.put(s.codes[lsLeft] + code + s.codes[lsRight])
	return true
}

// finish ends a color; a name that went over the line's end has the rest of
// the line cleared.
func (s *lsColors) finish(l *lsCommand, at, length int) {
	s.reset(l)
	if l.lineWidth > 0 && length > 0 && at/l.lineWidth != (at+length-1)/l.lineWidth {
		l.put(s.codes[lsClear])
	}
}

func (s *lsColors) reset(l *lsCommand) {
	if s.codes[lsEnd] != "" {
		l.put(s.codes[lsEnd])
		return
	}
	l.put(s.codes[lsLeft] + s.codes[lsReset] + s.codes[lsRight])
}

// restore undoes what an unusual prefix may have left behind.
func (s *lsColors) restore(l *lsCommand) {
	if s.used && (s.codes[lsLeft] != "\x1b[" || s.codes[lsRight] != "m") {
		l.put(s.codes[lsLeft] + s.codes[lsRight])
	}
}
