package interp

import (
	"strings"

	"github.com/vsh-project/vsh/vfs"
)

// command, and what command -v, command -V and type know of a name.

func init() {
	builtinTables = append(builtinTables, func() []builtin {
		return []builtin{{name: "command", run: builtinCommand, usage: "command [-pVv] command [arg ...]"}}
	})
}

// meaning is one thing that a command name stands for.
type meaning struct {
	kind meaningKind
	// value is an alias's text or a file's path.
	value    string
	function *function
	// hashed says that the path came from the table of remembered commands.
	hashed bool
	// special marks POSIX's special builtins.
	special bool
}

type meaningKind uint8

const (
	meaningAlias meaningKind = iota
	meaningKeyword
	meaningFunction
	meaningBuiltin
	meaningFile
)

// isKeyword reports whether a word is reserved.
func isKeyword(word string) bool {
	switch word {
	case "if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until", "do", "done", "in",
		"function", "time", "{", "}", "!", "[[", "]]", "coproc":
		return true
	}
	return false
}

// meanings are what name stands for, first what would run. all goes on after
// the first; paths asks for files only in that it skips all else.
func (p *proc) meanings(name string, all, noFunctions, pathOnly, standard bool) []meaning {
	var out []meaning
	more := func(m meaning) bool { out = append(out, m); return all }
	if !pathOnly {
		if p.shopts.has(shoptExpandAliases) || all {
			if value, ok := p.aliases.get(name); ok && p.shopts.has(shoptExpandAliases) && !more(meaning{kind: meaningAlias, value: value}) {
				return out
			}
		}
		if isKeyword(name) && !more(meaning{kind: meaningKeyword}) {
			return out
		}
		if f, ok := p.functions.get(name); ok && !noFunctions && !more(meaning{kind: meaningFunction, function: f}) {
			return out
		}
		if b := p.enabledBuiltin(name); b != nil && !more(meaning{kind: meaningBuiltin, special: b.special}) {
			return out
		}
	}
	if strings.Contains(name, "/") {
		if info, err := p.view.Stat(p.ctx, name); err == nil && !info.IsDir() && p.view.Access(p.ctx, name, vfs.AccessExecute) == nil {
			more(meaning{kind: meaningFile, value: name})
		}
		return out
	}
	if !all && !standard {
		if h, ok := p.hashed.get(name); ok {
			h.hits++ // bash counts each look
			p.hashed.writable(p)[name] = h
			return append(out, meaning{kind: meaningFile, value: h.path, hashed: true})
		}
		if path, ok := p.search(name, false); ok {
			return append(out, meaning{kind: meaningFile, value: path})
		}
		return out
	}
	list, ok := p.get("PATH")
	if standard {
		list, ok = standardPath, true
	}
	for _, dir := range strings.Split(list, ":") {
		if !ok || p.cancelled() {
			break
		}
		if path, found := p.searchIn(dir, name, p.cancelled); found && p.view.Access(p.ctx, path, vfs.AccessExecute) == nil && !more(meaning{kind: meaningFile, value: path}) {
			break
		}
	}
	return out
}

// describe is the line that type and command -V print of a meaning.
func (p *proc) describe(name string, m meaning) string {
	switch m.kind {
	case meaningAlias:
		return name + " is aliased to `" + m.value + "'\n"
	case meaningKeyword:
		return name + " is a shell keyword\n"
	case meaningFunction:
		return name + " is a function\n" + p.functionText(m.function) + "\n"
	case meaningBuiltin:
		if m.special && p.options.has(optPosix) {
			return name + " is a special shell builtin\n"
		}
		return name + " is a shell builtin\n"
	}
	if m.hashed {
		return name + " is hashed (" + m.value + ")\n"
	}
	return name + " is " + m.value + "\n"
}

func builtinCommand(p *proc, args []string) int {
	short, long, standard := false, false, false
	o := p.shortOptions("command", "pvV", args)
	for o.next() {
		switch o.letter {
		case 'p':
			standard = true
		case 'v':
			short, long = true, false
		case 'V':
			short, long = false, true
		}
	}
	if o.status != 0 {
		return o.status
	}
	args = o.args
	if len(args) == 0 {
		return 0
	}
	if !short && !long {
		if !p.deeper() {
			return p.status
		}
		p.call(&call{name: args[0], args: args[1:], noFunctions: true, standardPath: standard, tamed: true})
		p.shallower()
		return p.status
	}
	status := 1
	p.unheeded = true
	for _, name := range args {
		found := p.meanings(name, false, false, false, standard)
		if len(found) == 0 {
			if long {
				p.errorf("command: %s: not found", name)
			}
			continue
		}
		status = 0
		m := found[0]
		switch {
		case long:
			p.write(p.describe(name, m))
		case m.kind == meaningAlias:
			p.write("alias " + name + "=" + quoteAlways(m.value) + "\n")
		case m.kind == meaningFile:
			p.write(m.value + "\n")
		default:
			p.write(name + "\n")
		}
	}
	return status
}
