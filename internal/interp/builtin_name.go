package interp

import (
	"fmt"
	"io/fs"
	"sort"
	"strconv"
	"strings"
)

// The builtins about names: aliases, remembered commands, type, enable; and
// umask, let, getopts, caller.

func init() { builtinTables = append(builtinTables, nameBuiltins) }

func nameBuiltins() []builtin {
	return []builtin{
		{name: "alias", run: builtinAlias, usage: "alias [-p] [name[=value] ... ]"},
		{name: "unalias", run: builtinUnalias, usage: "unalias [-a] name [name ...]"},
		{name: "hash", run: builtinHash, usage: "hash [-lr] [-p pathname] [-dt] [name ...]"},
		{name: "type", run: builtinType, usage: "type [-afptP] name [name ...]"},
		{name: "enable", run: builtinEnable, usage: "enable [-a] [-dnps] [-f filename] [name ...]"},
		{name: "umask", run: builtinUmask, usage: "umask [-p] [-S] [mode]"},
		{name: "let", run: builtinLet, usage: "let arg [arg ...]"},
		{name: "getopts", run: builtinGetopts, usage: "getopts optstring name [arg ...]"},
		{name: "caller", run: builtinCaller, usage: "caller [expr]"},
	}
}

func builtinAlias(p *proc, args []string) int {
	reusable, status := false, 0
	o := p.shortOptions("alias", "p", args)
	for o.next() {
		reusable = true
	}
	if o.status != 0 {
		return o.status
	}
	args = o.args
	prefix := "alias "
	if p.options.has(optPosix) && !reusable {
		prefix = ""
	}
	show := func(name, value string) {
		dash := ""
		if strings.HasPrefix(name, "-") {
			dash = "-- "
		}
		p.write(prefix + dash + name + "=" + quoteAlways(value) + "\n")
	}
	if reusable || len(args) == 0 {
		if len(p.aliases.entries) == 0 {
			return 0
		}
		for _, name := range sortedKeys(p.aliases.entries) {
			show(name, p.aliases.entries[name])
		}
	}
	p.unheeded = len(args) > 0
	for _, a := range args {
		name, value, assigns := strings.Cut(a, "=")
		switch {
		case assigns && name != "":
			if !validAlias(name) {
				p.errorf("alias: `%s': invalid alias name", name)
				status = 1
				continue
			}
			old, replaces := p.aliases.get(name)
			cost := int64(len(value) + aliasCost)
			if replaces {
				cost = int64(len(value) - len(old))
			}
			if !p.charge(cost) {
				return p.status
			}
			p.aliases.writable(p)[name] = value
		default:
			value, ok := p.aliases.get(a)
			if !ok {
				p.errorf("alias: %s: not found", a)
				status = 1
				continue
			}
			show(a, value)
		}
	}
	return status
}

// validAlias reports whether an alias may have the name.
func validAlias(name string) bool {
	return name != "" && !strings.ContainsAny(name, "$'\"`\\/<>&|;() \t\n")
}

// aliasCost is charged for each alias beside its text.
const aliasCost = 160

func builtinUnalias(p *proc, args []string) int {
	all, status := false, 0
	o := p.shortOptions("unalias", "a", args)
	for o.next() {
		all = true
	}
	if o.status != 0 {
		return o.status
	}
	args = o.args
	if all {
		for _, value := range p.aliases.entries {
			p.release(int64(len(value) + aliasCost))
		}
		p.aliases = names[string]{}
		return 0
	}
	if len(args) == 0 {
		return p.usageOf("unalias")
	}
	for _, name := range args {
		value, ok := p.aliases.get(name)
		if !ok {
			p.errorf("unalias: %s: not found", name)
			status = 1
			continue
		}
		delete(p.aliases.writable(p), name)
		p.release(int64(len(value) + aliasCost))
	}
	return status
}

func builtinHash(p *proc, args []string) int {
	if !p.options.has(optHashall) {
		p.errorf("hash: hashing disabled")
		return 1
	}
	var list, reset, remove, tell bool
	file, given := "", false
	o := p.shortOptions("hash", "dlp:rt", args)
	for o.next() {
		switch o.letter {
		case 'l':
			list = true
		case 'r':
			reset = true
		case 'd':
			remove = true
		case 't':
			tell = true
		case 'p':
			file, given = o.value, true
		}
	}
	if o.status != 0 {
		return o.status
	}
	args = o.args
	if len(args) == 0 && (remove || tell) {
		letter := byte('t')
		if remove {
			letter = 'd'
		}
		p.errorf("hash: -%c: option requires an argument", letter)
		return 1
	}
	if reset {
		p.hashed = names[hashEntry]{}
	} else if len(args) == 0 {
		return p.showHashed(list)
	}
	status := 0
	for _, name := range args {
		switch entry, known := p.hashed.get(name); {
		case tell:
			p.unheeded = true
			if !known {
				p.errorf("hash: %s: not found", name)
				status = 1
				continue
			}
			entry.hits++
			p.hashed.writable(p)[name] = entry
			switch {
			case list:
				p.write("builtin hash -p " + entry.path + " " + name + "\n")
			case len(args) > 1:
				p.write(name + "\t" + entry.path + "\n")
			default:
				p.write(entry.path + "\n")
			}
		case remove:
			if !known {
				p.errorf("hash: %s: not found", name)
				status = 1
				continue
			}
			delete(p.hashed.writable(p), name)
		case given:
			if info, err := p.view.Stat(p.ctx, file); err == nil && info.IsDir() {
				p.errorf("hash: %s: Is a directory", file)
				status = 1
				continue
			}
			if !p.charge(hashCost) {
				return p.status
			}
			p.hashed.writable(p)[name] = hashEntry{path: file}
		case strings.Contains(name, "/"):
		default:
			if _, isFunction := p.functions.get(name); isFunction || p.enabledBuiltin(name) != nil {
				continue
			}
			path, ok := p.search(name, false)
			if !ok {
				p.errorf("hash: %s: not found", name)
				status = 1
				continue
			}
			if !p.charge(hashCost) {
				return p.status
			}
			p.hashed.writable(p)[name] = hashEntry{path: path}
		}
	}
	return status
}

// hashCost is charged for each remembered command.
const hashCost = 160

// showHashed lists the remembered commands in the order of bash's table.
func (p *proc) showHashed(list bool) int {
	entries := sortedKeys(p.hashed.entries)
	if len(entries) == 0 {
		if !list && !p.options.has(optPosix) {
			p.write("hash: hash table empty\n")
		}
		return 0
	}
	sort.SliceStable(entries, func(i, j int) bool { return hashString(entries[i])&255 < hashString(entries[j])&255 })
	if !list {
		p.write("hits\tcommand\n")
	}
	for _, name := range entries {
		e := p.hashed.entries[name]
		if list {
			p.write("builtin hash -p " + e.path + " " + name + "\n")
		} else {
			p.write(fmt.Sprintf("%4d\t%s\n", e.hits, e.path))
		}
	}
	return 0
}

func builtinType(p *proc, args []string) int {
	for i, a := range args { // the long forms of old
		if a == "-type" || a == "--type" || a == "-path" || a == "--path" || a == "-all" || a == "--all" {
			args = append([]string(nil), args...)
			args[i] = "-" + strings.TrimLeft(a, "-")[:1]
		}
		if !strings.HasPrefix(a, "-") || a == "--" {
			break
		}
	}
	var all, noFunctions, path, word, force bool
	o := p.shortOptions("type", "afptP", args)
	for o.next() {
		switch o.letter {
		case 'a':
			all = true
		case 'f':
			noFunctions = true
		case 'p':
			path, word = true, false
		case 't':
			word, path = true, false
		case 'P':
			path, force = true, true
		}
	}
	if o.status != 0 {
		return o.status
	}
	args = o.args
	status := 0
	for _, name := range args {
		found := p.meanings(name, all, noFunctions, force || all && path, false)
		if len(found) == 0 {
			if !word && !path {
				p.errorf("type: %s: not found", name)
			}
			status = 1
			continue
		}
		for _, m := range found {
			switch {
			case path && m.kind == meaningFile:
				p.write(m.value + "\n")
			case path:
			case word:
				p.write([...]string{"alias", "keyword", "function", "builtin", "file"}[m.kind] + "\n")
			default:
				p.write(p.describe(name, m))
			}
		}
	}
	return status
}

func builtinEnable(p *proc, args []string) int {
	var all, off, show, special, unload bool
	file, load := "", false
	o := p.shortOptions("enable", "adf:nps", args)
	for o.next() {
		switch o.letter {
		case 'd':
			unload = true
		case 'a':
			all = true
		case 'n':
			off = true
		case 'p':
			show = true
		case 's':
			special = true
		case 'f':
			file, load = o.value, true
		}
	}
	if o.status != 0 {
		return o.status
	}
	args = o.args
	status := 0
	if load && len(args) > 0 {
		p.errorf("enable: cannot open shared object %s: %s: cannot open shared object file: No such file or directory", file, file)
		return 1
	}
	if len(args) == 0 || show {
		for _, name := range sortedKeys(p.session.builtins) {
			hidden := p.enabledBuiltin(name) == nil
			if special && !p.session.builtins[name].special || !all && hidden != off {
				continue
			}
			if hidden {
				p.write("enable -n " + name + "\n")
			} else {
				p.write("enable " + name + "\n")
			}
		}
		return 0
	}
	for _, name := range args {
		if p.session.builtins[name] == nil {
			p.errorf("enable: %s: not a shell builtin", name)
			status = 1
			continue
		}
		if unload {
			p.errorf("enable: %s: not dynamically loaded", name)
			status = 1
			continue
		}
		p.disabled.writable(p)[name] = off
	}
	return status
}

func builtinUmask(p *proc, args []string) int {
	var command, symbolic bool
	o := p.shortOptions("umask", "pS", args)
	for o.next() {
		command = command || o.letter == 'p'
		symbolic = symbolic || o.letter == 'S'
	}
	if o.status != 0 {
		return o.status
	}
	args = o.args
	mask := int(p.view.Umask().Perm())
	if len(args) == 0 {
		p.write(umaskText(mask, command, symbolic))
		return 0
	}
	mode := args[0]
	if mode != "" && mode[0] >= '0' && mode[0] <= '9' {
		n, err := strconv.ParseUint(mode, 8, 32)
		if err != nil || n > 0o7777 {
			p.errorf("umask: %s: octal number out of range", mode)
			return 1
		}
		mask = int(n) & 0o777
	} else {
		n, bad, what := symbolicMask(mode, mask)
		if what != "" {
			p.errorf("umask: `%c': invalid symbolic mode %s", bad, what)
			return 1
		}
		mask = n
	}
	p.view = p.view.WithUmask(fs.FileMode(mask))
	if symbolic {
		p.write(umaskText(mask, false, true))
	}
	return 0
}

func umaskText(mask int, command, symbolic bool) string {
	s := fmt.Sprintf("%04o", mask)
	if symbolic {
		parts := make([]string, 0, 3)
		for i, who := range []string{"u", "g", "o"} {
			bits := ^mask >> (6 - 3*i) & 7
			part := who + "="
			for k, r := range "rwx" {
				if bits&(4>>k) != 0 {
					part += string(r)
				}
			}
			parts = append(parts, part)
		}
		s = strings.Join(parts, ",")
	}
	if command && symbolic {
		return "umask -S " + s + "\n"
	}
	if command {
		return "umask " + s + "\n"
	}
	return s + "\n"
}

// symbolicMask applies a mode such as u=rwx,g-w to the permissions that a mask
// leaves. bad is the character that is none, what the kind of the mistake.
func symbolicMask(mode string, mask int) (_ int, bad byte, what string) {
	at := func(i int) byte {
		if i < len(mode) {
			return mode[i]
		}
		return 0
	}
	allowed := ^mask & 0o777
	for i := 0; ; i++ {
		who, perm := 0, 0
		for ; at(i) != 0 && strings.IndexByte("agou", at(i)) >= 0; i++ {
			who |= map[byte]int{'a': 0o777, 'u': 0o700, 'g': 0o070, 'o': 0o007}[mode[i]]
		}
		op := at(i)
		if op != '+' && op != '-' && op != '=' {
			return 0, op, "operator"
		}
		for i++; at(i) != 0 && strings.IndexByte("rwx", at(i)) >= 0; i++ {
			perm |= map[byte]int{'r': 0o444, 'w': 0o222, 'x': 0o111}[mode[i]]
		}
		if c := at(i); c != 0 && c != ',' {
			return 0, c, "character"
		}
		if who != 0 {
			perm &= who
		} else if op == '=' {
			who = 0o777
		}
		switch op {
		case '+':
			allowed |= perm
		case '-':
			allowed &^= perm
		default:
			allowed = allowed&^who | perm
		}
		if i >= len(mode) {
			return ^allowed & 0o777, 0, ""
		}
	}
}

func builtinLet(p *proc, args []string) int {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		p.errorf("let: expression expected")
		return 1
	}
	var n int64
	for _, a := range args {
		var ok bool
		if n, ok = p.evaluateFor("let: ", a); !ok {
			if p.flow == flowAbort && !p.abandoned {
				p.flow = flowNone
			}
			return 1
		}
	}
	if n == 0 {
		return 1
	}
	return 0
}

// builtinGetopts keeps its place inside a clustered option in p.getopts.
func builtinGetopts(p *proc, args []string) int {
	args, status, ok := p.noOptions("getopts", args)
	if !ok {
		return status
	}
	if len(args) < 2 {
		return p.usageOf("getopts")
	}
	options, name := args[0], args[1]
	list := p.args
	if len(args) > 2 {
		list = args[2:]
	}
	silent := strings.HasPrefix(options, ":")
	loud := !silent
	if v, ok := p.get("OPTERR"); ok && number(v) == 0 {
		loud = false
	}
	value, _ := p.get("OPTIND")
	index := max(number(value), 1)
	place := p.getopts
	set := func(option string, argument string, has bool, index, place int) int {
		p.set("OPTIND", strconv.Itoa(index)) // a readonly one says so and stays
		if p.flow != flowNone {
			return p.status
		}
		p.getopts = place
		if has {
			p.set("OPTARG", argument)
		} else if s, ok := p.session.known("OPTARG"); ok {
			p.unsetVariable(s)
		}
		if !validName(name) {
			p.errorf("getopts: `%s': not a valid identifier", name)
			return 1
		}
		if s := p.session.symbol(name); p.vars.get(s).is(attrReadonly) {
			p.set(name, option)
			return 2
		}
		if !p.set(name, option) {
			return 1
		}
		return 0
	}
	if index > len(list) || place == 0 && (len(list[index-1]) < 2 || list[index-1][0] != '-' || list[index-1] == "--") {
		if index <= len(list) && list[index-1] == "--" {
			index++
		}
		index = min(index, len(list)+1)
		set("?", "", false, index, 0)
		return 1
	}
	word := list[index-1]
	if place == 0 || place >= len(word) {
		place = 1
	}
	letter := word[place]
	place++
	next, nextPlace := index, place
	if place >= len(word) {
		next, nextPlace = index+1, 0
	}
	at := strings.IndexByte(strings.TrimPrefix(options, ":"), letter)
	spec := strings.TrimPrefix(options, ":")
	switch {
	case letter == ':' || at < 0:
		if loud {
			p.writeError(p.name + ": illegal option -- " + string(letter) + "\n")
		}
		return set("?", string(letter), silent, next, nextPlace)
	case at+1 < len(spec) && spec[at+1] == ':':
		switch {
		case place < len(word):
			return set(string(letter), word[place:], true, index+1, 0)
		case index < len(list):
			return set(string(letter), list[index], true, index+2, 0)
		case silent:
			return set(":", string(letter), true, next, 0)
		}
		if loud {
			p.writeError(p.name + ": option requires an argument -- " + string(letter) + "\n")
		}
		return set("?", "", false, next, 0)
	}
	return set(string(letter), "", false, next, nextPlace)
}

func builtinCaller(p *proc, args []string) int {
	lines, files, functions := p.callLines(), p.callSources(), p.callNames()
	script := p.source != "" && len(args) > 0
	if (len(lines) == 0 || p.frame == nil) && !script {
		return 1
	}
	args, status, ok := p.noOptions("caller", args)
	if !ok {
		return status
	}
	file := func(i int) string {
		if i < len(files) {
			return files[i]
		}
		return "NULL"
	}
	if len(args) == 0 {
		p.write(lines[0] + " " + file(1) + "\n")
		return 0
	}
	n, good := legalNumber(args[0])
	if !good {
		p.errorf("caller: %s: invalid number", args[0])
		return p.usageOf("caller")
	}
	i := int(n)
	if p.frame == nil || n < 0 || i+1 >= len(functions) || i >= len(lines) {
		return 1
	}
	p.write(lines[i] + " " + functions[i+1] + " " + file(i+1) + "\n")
	return 0
}
