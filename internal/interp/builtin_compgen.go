package interp

import (
	"io"
	"sort"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/vsh-project/vsh/internal/parse"
)

// compgen: the words that a specification yields.

func builtinCompgen(p *proc, args []string) int {
	if len(args) == 0 {
		return 0
	}
	c, given, rest, status, ok := p.completionFlags("compgen", "", args, func(byte) {})
	if !ok {
		return status
	}
	if !given {
		return 0
	}
	word := ""
	if len(rest) > 0 {
		word = rest[0]
	}
	for _, letter := range "FC" {
		if _, ok := c.arguments[byte(letter)]; ok {
			p.errorf("compgen: warning: -%c option may not work as you expect", letter)
		}
	}
	list := p.complete(c, word)
	if p.flow != flowNone || p.stopped() {
		return p.status
	}
	p.unheeded = true
	for _, s := range list {
		p.write(s + "\n")
	}
	if len(list) == 0 {
		return 1
	}
	return 0
}

// complete is what c yields for a word.
func (p *proc) complete(c *completion, word string) []string {
	var list []string
	size := 0
	add := func(candidates ...string) {
		for _, s := range candidates {
			if strings.HasPrefix(s, word) {
				list = append(list, s)
				size += len(s) + 16
			}
		}
	}
	for _, a := range completionActions {
		if c.actions[a.name] {
			add(p.completeAction(a.name, word)...)
		}
	}
	if g, ok := c.arguments['G']; ok {
		if words, ok := p.wordsOf(g); ok {
			list = append(list, words...)
		}
	}
	if w, ok := c.arguments['W']; ok {
		add(p.wordList(w)...)
	}
	if f, ok := c.arguments['F']; ok {
		list = append(list, p.completeFunction(f, word)...)
	}
	if command, ok := c.arguments['C']; ok {
		list = append(list, p.completeCommand(command, word)...)
	}
	if p.flow != flowNone || !p.scratch(int64(size)) {
		return nil
	}
	if x, ok := c.arguments['X']; ok {
		list = p.filterCompletions(list, x, word)
	}
	prefix, suffix := c.arguments['P'], c.arguments['S']
	if prefix != "" || suffix != "" {
		if !p.scratch(int64(len(list)) * int64(len(prefix)+len(suffix))) {
			return nil
		}
		for i := range list {
			list[i] = prefix + list[i] + suffix
		}
	}
	if len(list) == 0 && (c.options["dirnames"] || c.options["default"] || c.options["bashdefault"]) {
		list = p.completeFiles(word, c.options["dirnames"] && !c.options["default"])
	}
	if c.options["plusdirs"] {
		list = append(list, p.completeFiles(word, true)...)
	}
	return list
}

// filterCompletions is -X: those that match go, or with "!" those that do not;
// an unquoted & stands for the word.
func (p *proc) filterCompletions(list []string, pattern, word string) []string {
	var b strings.Builder
	keep, negated := false, false
	if pattern, negated = strings.CutPrefix(pattern, "!"); negated {
		keep = true
	}
	for i := 0; i < len(pattern); i++ {
		switch {
		case pattern[i] == '\\' && i+1 < len(pattern) && pattern[i+1] == '&':
			i++
			b.WriteByte('&')
		case pattern[i] == '&':
			b.WriteString(word)
		default:
			b.WriteByte(pattern[i])
		}
	}
	var out []string
	for _, s := range list {
		if p.matchesCase(b.String(), s, true) == keep {
			out = append(out, s)
		}
	}
	return out
}

// wordList splits -W's argument and expands each word.
func (p *proc) wordList(text string) []string {
	ifs, ok := p.value(symIFS)
	if !ok || ifs == " \t\n" {
		words, _ := p.expandElements(text)
		return words
	}
	var out []string
	for _, w := range splitQuoted(text, ifs) {
		if words, ok := p.expandElements(strings.ReplaceAll(w, " ", "\\ ")); ok {
			out = append(out, strings.Join(words, " "))
		}
	}
	return out
}

// splitQuoted cuts text at bytes of ifs that no quote or backslash protects.
func splitQuoted(text, ifs string) []string {
	var out []string
	start, quote := 0, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && quote != '\'':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case strings.IndexByte(ifs, c) >= 0:
			if i > start {
				out = append(out, text[start:i])
			}
			start = i + 1
		}
	}
	if start < len(text) {
		out = append(out, text[start:])
	}
	return out
}

// expandElements expands the words of a text, without globs.
func (p *proc) expandElements(text string) ([]string, bool) {
	array, err := parse.Array("("+text+")", parse.Options{MaxSize: p.session.config.MaxSource, MaxDepth: p.session.config.MaxNesting})
	if err != nil {
		p.syntaxError(err, "compgen")
		return nil, false
	}
	c := &compiler{session: p.session, lines: &parse.Line{}}
	options := p.options
	p.options = options.with(optNoglob, true)
	var out []string
	ok := true
	for i := 0; i < len(array.Elems) && ok; i++ {
		if e := array.Elems[i]; e.Value != nil {
			out, ok = c.word(e.Value).fields(p, out)
		}
	}
	p.options = options
	return out, ok
}

// wordsOf expands a text as the words of a command.
func (p *proc) wordsOf(text string) ([]string, bool) {
	line, err := p.parser("", []byte(": "+text), 1).Next()
	if err != nil {
		return nil, false
	}
	c := &compiler{session: p.session, lines: line}
	var out []string
	for _, s := range line.Stmts {
		call, ok := s.Cmd.(*syntax.CallExpr)
		if !ok {
			continue
		}
		for _, w := range call.Args[1:] {
			if out, ok = c.word(w).fields(p, out); !ok {
				return nil, false
			}
		}
	}
	return out, true
}

// completeFunction is -F: the function leaves its answer in COMPREPLY.
func (p *proc) completeFunction(name, word string) []string {
	f, ok := p.functions.get(name)
	if !ok {
		p.errorf("completion: function `%s' not found", name)
		return nil
	}
	s := p.session.symbol("COMPREPLY")
	p.unsetVariable(s)
	p.set("COMP_CWORD", "-1")
	p.flushOut()
	p.callFunction(f, &call{name: name, args: []string{"compgen", word, ""}})
	if p.flow != flowNone {
		return nil
	}
	list := p.vars.get(s).values(nil)
	p.unsetVariable(s)
	p.unsetVariable(p.session.symbol("COMP_CWORD"))
	return list
}

// textNode runs a text as a command.
type textNode string

func (n textNode) run(p *proc) { p.evaluateText(string(n), evalEval) }

// completeCommand is -C: the command's output, a line each.
func (p *proc) completeCommand(command, word string) []string {
	p.flushOut()
	text, ok := p.substitute(textNode(command + " compgen " + wordQuote(word) + " ''"))
	if !ok || text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// completeAction is what one action offers; what does not start with the word
// may be among it.
func (p *proc) completeAction(action, word string) []string {
	variables := func(want func(v *variable) bool) []string {
		var names []string
		p.vars.each(func(s symbol, v *variable) {
			if v = p.find(s); v != nil && (v.set || v.count() > 0) && want(v) {
				names = append(names, p.session.name(s))
			}
		})
		sort.Strings(names)
		return names
	}
	builtins := func(disabled bool) []string {
		var names []string
		for _, name := range sortedKeys(p.session.builtins) {
			if off, _ := p.disabled.get(name); off == disabled {
				names = append(names, name)
			}
		}
		return names
	}
	switch action {
	case "alias":
		return sortedKeys(p.aliases.entries)
	case "arrayvar":
		return variables(func(v *variable) bool { return v.attrs&attrArray != 0 })
	case "builtin":
		return sortedKeys(p.session.builtins)
	case "command":
		return p.completeCommands(word)
	case "directory":
		return p.completeFiles(word, true)
	case "disabled":
		return builtins(true)
	case "enabled":
		return builtins(false)
	case "export":
		return variables(func(v *variable) bool { return v.attrs&attrExport != 0 })
	case "file":
		return p.completeFiles(word, false)
	case "function":
		return sortedKeys(p.functions.entries)
	case "group":
		return []string{p.view.Identity().Group}
	case "helptopic":
		return helpNames()
	case "hostname":
		return []string{p.session.config.Host}
	case "job", "running":
		var names []string
		for _, j := range p.jobs.list {
			if text := j.text(); !j.hidden && (action == "job" || !j.ended()) {
				names = append(names, strings.Fields(text + " ?")[0])
			}
		}
		return names
	case "keyword":
		return append([]string(nil), keywords[:]...)
	case "setopt":
		names := make([]string, len(optionTable))
		for i, o := range optionTable {
			names[i] = o.name
		}
		return names
	case "shopt":
		return append([]string(nil), shoptNames[:]...)
	case "signal":
		var names []string
		for n := 0; n < trapCount; n++ {
			name := signalName(n)
			if n > 0 && n < trapDEBUG && name != "" {
				name = "SIG" + name
			}
			if name != "" {
				names = append(names, name)
			}
		}
		return names
	case "user":
		return []string{p.view.Identity().User}
	case "variable":
		return variables(func(*variable) bool { return true })
	}
	return nil // binding, service, stopped: there are none
}

// keywords are the reserved words in the order that compgen -k lists them.
var keywords = [...]string{
	"if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until", "do", "done", "in", "function",
	"time", "{", "}", "!", "[[", "]]", "coproc",
}

// completeCommands is what a command name may be: aliases, reserved words,
// functions, builtins, and the programs of PATH.
func (p *proc) completeCommands(word string) []string {
	if strings.Contains(word, "/") {
		return p.completeFiles(word, false)
	}
	var names []string
	names = append(names, sortedKeys(p.aliases.entries)...)
	names = append(names, keywords[:]...)
	names = append(names, sortedKeys(p.functions.entries)...)
	names = append(names, sortedKeys(p.session.builtins)...)
	list, _ := p.get("PATH")
	for _, dir := range strings.Split(list, ":") {
		if p.stopped() {
			return nil
		}
		if dir == "" {
			dir = "."
		}
		seen := map[string]bool{}
		if p.session.config.CommandNames != nil {
			for _, name := range p.session.config.CommandNames() {
				if !seen[name] && strings.HasPrefix(name, word) && p.session.config.Command(p.view.Abs(dir+"/"+name)) != nil {
					names = append(names, name)
					seen[name] = true
				}
			}
		}
		for _, name := range p.completeFiles(strings.TrimSuffix(dir, "/")+"/"+word, false) {
			if p.fileTest('x', name) && !p.fileTest('d', name) {
				if name = name[strings.LastIndexByte(name, '/')+1:]; !seen[name] {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// completeFiles are the files, or directories, whose name starts with word.
func (p *proc) completeFiles(word string, directories bool) []string {
	dir, base := "", word
	if i := strings.LastIndexByte(word, '/'); i >= 0 {
		dir, base = word[:i+1], word[i+1:]
	}
	from := dir
	if from == "" {
		from = "."
	}
	entries, err := p.view.ReadDir(p.ctx, from)
	if err != nil && err != io.EOF {
		return nil
	}
	var names []string
	size := 0
	for _, e := range entries {
		if !strings.HasPrefix(e.Name, base) || directories && !p.fileTest('d', dir+e.Name) {
			continue
		}
		names = append(names, dir+e.Name)
		if size += len(dir) + len(e.Name); size > outBlock {
			if !p.scratch(int64(size)) {
				return nil
			}
			size = 0
		}
	}
	sort.Strings(names)
	return names
}
