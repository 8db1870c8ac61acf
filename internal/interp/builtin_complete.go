package interp

import (
	"sort"
	"strings"

	"github.com/vsh-project/vsh/internal/quote"
)

// complete and compopt keep specifications; nothing is ever completed here,
// but scripts declare completions, print them, and ask compgen.

func init() { builtinTables = append(builtinTables, completeBuiltins) }

func completeBuiltins() []builtin {
	const generation = " [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] [-C command] [-X filterpat] [-P prefix] [-S suffix]"
	return []builtin{
		{name: "complete", run: builtinComplete, usage: "complete [-abcdefgjksuv] [-pr] [-DEI]" + generation + " [name ...]"},
		{name: "compgen", run: builtinCompgen, usage: "compgen [-abcdefgjksuv]" + generation + " [word]"},
		{name: "compopt", run: builtinCompopt, usage: "compopt [-o|+o option] [-DEI] [name ...]"},
	}
}

// completion is one specification. Replaced, never changed in place.
type completion struct {
	options map[string]bool
	actions map[string]bool
	// arguments are those of -G -W -P -S -X -C -F, by letter.
	arguments map[byte]string
}

// completionOptions are the names -o takes, in the order they are printed.
var completionOptions = [...]string{"bashdefault", "default", "dirnames", "filenames", "noquote", "nosort", "nospace", "plusdirs"}

// completionActions are the names -A takes, those with a letter first, in the
// order they are printed.
var completionActions = [...]struct {
	name   string
	letter byte
}{
	{"alias", 'a'}, {"builtin", 'b'}, {"command", 'c'}, {"directory", 'd'}, {"export", 'e'}, {"file", 'f'}, {"group", 'g'},
	{"job", 'j'}, {"keyword", 'k'}, {"service", 's'}, {"user", 'u'}, {"variable", 'v'},
	{"arrayvar", 0}, {"binding", 0}, {"disabled", 0}, {"enabled", 0}, {"function", 0}, {"helptopic", 0}, {"hostname", 0},
	{"running", 0}, {"setopt", 0}, {"shopt", 0}, {"signal", 0}, {"stopped", 0},
}

// Names under which complete keeps -D, -E and -I.
const (
	completeDefault = "_DefaultCmD_"
	completeEmpty   = "_EmptycmD_"
	completeInitial = "_InitialWorD_"
)

func validCompletionOption(name string) bool {
	for _, o := range completionOptions {
		if o == name {
			return true
		}
	}
	return false
}

// completionFlags reads what complete and compgen share. given says that the
// specification holds anything.
func (p *proc) completionFlags(name, extra string, args []string, set func(letter byte)) (c *completion, given bool, rest []string, status int, ok bool) {
	c = &completion{options: map[string]bool{}, actions: map[string]bool{}, arguments: map[byte]string{}}
	bad := ""
	o := p.shortOptions(name, "abcdefgjko:suvA:G:W:P:S:X:F:C:"+extra, args)
	for o.next() {
		switch o.letter {
		case 'o':
			if !validCompletionOption(o.value) && bad == "" {
				bad = o.value + ": invalid option name"
			}
			c.options[o.value] = true
			given = true
		case 'A':
			if !validCompletionAction(o.value) && bad == "" {
				bad = o.value + ": invalid action name"
			}
			c.actions[o.value] = true
			given = true
		case 'G', 'W', 'P', 'S', 'X', 'F', 'C':
			c.arguments[o.letter] = o.value
			given = true
		default:
			action := ""
			for _, a := range completionActions {
				if a.letter == o.letter {
					action = a.name
				}
			}
			if action == "" {
				set(o.letter)
				continue
			}
			c.actions[action] = true
			given = true
		}
	}
	if o.status == 0 && bad != "" {
		p.errorf("%s: %s", name, bad)
		o.status = 2
	}
	if f, ok := c.arguments['F']; ok && o.status == 0 && name == "complete" && strings.ContainsAny(f, " \t\n$&;()<>|`'\"\\") {
		p.errorf("%s: `%s': not a valid identifier", name, f)
		o.status = 2
	}
	return c, given, o.args, o.status, o.status == 0
}

func validCompletionAction(name string) bool {
	for _, a := range completionActions {
		if a.name == name {
			return true
		}
	}
	return false
}

func builtinComplete(p *proc, args []string) int {
	var show, remove bool
	var special []string
	c, given, names, status, ok := p.completionFlags("complete", "prDEI", args, func(letter byte) {
		switch letter {
		case 'p':
			show = true
		case 'r':
			remove = true
		case 'D':
			special = []string{completeDefault}
		case 'E':
			special = []string{completeEmpty}
		case 'I':
			special = []string{completeInitial}
		}
	})
	if !ok {
		return status
	}
	if special != nil {
		names = special
	}
	missing := func(name string) {
		p.errorf("complete: %s: no completion specification", name)
		status = 1
	}
	p.unheeded = true
	switch {
	case remove:
		if len(names) == 0 {
			p.completions.entries = nil
			return 0
		}
		for _, name := range names {
			if _, ok := p.completions.get(name); !ok {
				missing(name)
				continue
			}
			delete(p.completions.writable(p), name)
		}
		return status
	case len(names) == 0 && given:
		return p.usageOf("complete")
	case len(names) == 0:
		all := sortedKeys(p.completions.entries)
		// The order of bash's table, which has 512 buckets.
		sort.SliceStable(all, func(i, j int) bool { return hashString(all[i])&511 < hashString(all[j])&511 })
		for _, name := range all {
			p.write(p.completions.entries[name].command(name))
		}
		return 0
	case show:
		for _, name := range names {
			if c, ok := p.completions.get(name); ok {
				p.write(c.command(name))
			} else {
				missing(name)
			}
		}
		return status
	}
	for _, name := range names {
		if !p.charge(512 + int64(len(name))) {
			return 1
		}
		p.completions.writable(p)[name] = c
	}
	return 0
}

// command is the call of complete that makes c anew.
func (c *completion) command(name string) string {
	var b strings.Builder
	b.WriteString("complete")
	for _, o := range completionOptions {
		if c.options[o] {
			b.WriteString(" -o " + o)
		}
	}
	for _, a := range completionActions {
		switch {
		case !c.actions[a.name]:
		case a.letter != 0:
			b.WriteString(" -" + string(a.letter))
		default:
			b.WriteString(" -A " + a.name)
		}
	}
	for _, letter := range "GWPSXC" {
		if v, ok := c.arguments[byte(letter)]; ok {
			b.WriteString(" -" + string(letter) + " " + singleQuote(v))
		}
	}
	if f, ok := c.arguments['F']; ok {
		b.WriteString(" -F " + f)
	}
	b.WriteString(" " + completionName(name) + "\n")
	return b.String()
}

func completionName(name string) string {
	switch name {
	case completeDefault:
		return "-D"
	case completeEmpty:
		return "-E"
	case completeInitial:
		return "-I"
	case "":
		return "''"
	}
	if quote.HasMeta(name) {
		return singleQuote(name)
	}
	return name
}

func builtinCompopt(p *proc, args []string) int {
	on, off := map[string]bool{}, map[string]bool{}
	var special []string
	o := p.shortOptions("compopt", "+o:DEI", args)
	for o.next() {
		switch o.letter {
		case 'o':
			if !validCompletionOption(o.value) {
				p.errorf("compopt: %s: invalid option name", o.value)
				return 2
			}
			if o.sign == '-' {
				on[o.value] = true
			} else {
				off[o.value] = true
			}
		case 'D':
			special = []string{completeDefault}
		case 'E':
			special = []string{completeEmpty}
		case 'I':
			special = []string{completeInitial}
		}
	}
	if o.status != 0 {
		return o.status
	}
	args = o.args
	if special != nil {
		args = special
	}
	if len(args) == 0 {
		p.errorf("compopt: not currently executing completion function")
		return 1
	}
	status := 0
	for _, name := range args {
		c, ok := p.completions.get(name)
		if !ok {
			p.errorf("compopt: %s: no completion specification", name)
			status = 1
			continue
		}
		if len(on)+len(off) == 0 {
			line := "compopt"
			for _, o := range completionOptions {
				if c.options[o] {
					line += " -o " + o
				} else {
					line += " +o " + o
				}
			}
			p.write(line + " " + completionName(name) + "\n")
			continue
		}
		n := *c
		n.options = map[string]bool{}
		for o := range c.options {
			n.options[o] = !off[o]
		}
		for o := range on {
			n.options[o] = true
		}
		p.completions.writable(p)[name] = &n
	}
	return status
}
