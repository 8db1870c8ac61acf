package interp

import (
	"path"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/internal/parse"
	"github.com/vsh-project/vsh/internal/strftime"
	"github.com/vsh-project/vsh/vfs"
)

// parseText reads a text that an expansion produced as it would be read inside
// double quotes. false: it cannot be read, and the command is given up.
func (p *proc) parseText(s string) (*word, bool) {
	w, err := p.parsedText(s)
	if err != nil && p.flow == flowNone {
		p.syntaxError(err, "")
		p.abort(1)
	}
	return w, err == nil
}

// parsedText is parseText that leaves what to do about an error to its caller.
func (p *proc) parsedText(s string) (*word, error) {
	if !strings.ContainsAny(s, "$`\\") {
		return &word{plain: true, fixed: s}, nil
	}
	if !p.scratch(int64(len(s)) * treeCost) {
		return nil, vfs.ENOMEM
	}
	w, err := parse.DoubleQuoted(s, parse.Options{
		ExtGlob:   func() bool { return p.shopts.has(shoptExtglob) },
		FirstLine: max(p.line, 1),
		MaxSize:   p.session.config.MaxSource,
		MaxDepth:  p.session.config.MaxNesting,
	})
	if err != nil {
		return nil, err
	}
	c := &compiler{session: p.session, lines: &parse.Line{}}
	return c.assemble(c.items(nil, w.Parts, inQuotes), assembleText), nil
}

// expandPrompt expands PS4 and ${x@P}: the backslash sequences of prompts,
// then with promptvars what a double-quoted string expands.
func (p *proc) expandPrompt(s string) string {
	if strings.IndexByte(s, '\\') >= 0 {
		s = p.decodePrompt(s)
	}
	if !p.shopts.has(shoptPromptvars) {
		return s
	}
	w, err := p.parsedText(s)
	if err != nil { // bash says so and shows the text as it is
		if p.flow == flowNone {
			p.errorf("%s: bad substitution", s)
		}
		return s
	}
	s, _ = w.text(p)
	return s
}

// decodePrompt replaces the backslash sequences of prompts.
func (p *proc) decodePrompt(s string) string {
	var b strings.Builder
	// A value is not expanded again.
	value := func(s string) {
		for i := 0; i < len(s); i++ {
			if strings.IndexByte("$`\\", s[i]) >= 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(s[i])
		}
	}
	now := p.session.config.Now
	date := func(format string) {
		zone, _ := p.get("TZ")
		value(strftime.Format(format, now().In(strftime.Zone(zone)), false))
	}
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 >= len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'a':
			b.WriteByte('\a')
		case 'e':
			b.WriteByte(0x1b)
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case '0', '1', '2', '3', '4', '5', '6', '7':
			n, end := digits(s, i, 3, 8)
			b.WriteByte(byte(n))
			i = end - 1
		case 'd':
			date("%a %b %d")
		case 't':
			date("%H:%M:%S")
		case 'T':
			date("%I:%M:%S")
		case '@':
			date("%I:%M %p")
		case 'A':
			date("%H:%M")
		case 'D':
			end := strings.IndexByte(s[i:], '}')
			if i+1 >= len(s) || s[i+1] != '{' || end < 0 {
				b.WriteString(`\D`)
				break
			}
			format := s[i+2 : i+end]
			if format == "" {
				format = "%H:%M:%S"
			}
			date(format)
			i += end
		case 'h':
			name, _, _ := strings.Cut(p.session.config.Host, ".")
			value(name)
		case 'H':
			value(p.session.config.Host)
		case 'j':
			b.WriteString(strconv.Itoa(len(p.jobs.list)))
		case 'l':
			b.WriteString("tty")
		case 's':
			value(path.Base(p.name))
		case 'u':
			value(p.view.Identity().User)
		case 'v':
			major, _, _ := strings.Cut(bashVersion, "(")
			parts := strings.SplitN(major, ".", 3)
			b.WriteString(parts[0] + "." + parts[1])
		case 'V':
			version, _, _ := strings.Cut(bashVersion, "(")
			b.WriteString(version)
		case 'w', 'W':
			value(p.promptDirectory(c == 'W'))
		case '!':
			b.WriteByte('1')
		case '#':
			b.WriteByte('0')
		case '$':
			if p.view.Identity().UID == 0 {
				b.WriteByte('#')
			} else {
				b.WriteString(`\$`)
			}
		case '\\':
			b.WriteString(`\\`)
		case '[', ']':
		default:
			b.WriteString(`\\`)
			b.WriteByte(c)
		}
	}
	return b.String()
}

// promptDirectory is \w, or with last \W.
func (p *proc) promptDirectory(last bool) string {
	directory, _ := p.get("PWD")
	home, _ := p.get("HOME")
	switch {
	case home != "" && directory == home:
		return "~"
	case last:
		return path.Base(directory)
	case home != "" && strings.HasPrefix(directory, home+"/"):
		directory = "~" + directory[len(home):]
	}
	return directory
}
