package interp

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/vsh-project/vsh/vfs"
)

// cd, pwd and the stack of directories.

func init() { builtinTables = append(builtinTables, directoryBuiltins) }

func directoryBuiltins() []builtin {
	return []builtin{
		{name: "cd", run: builtinCd, usage: "cd [-L|[-P [-e]] [-@]] [dir]"},
		{name: "pwd", run: builtinPwd, usage: "pwd [-LP]"},
		{name: "pushd", run: builtinPushd, usage: "pushd [-n] [+N | -N | dir]"},
		{name: "popd", run: builtinPopd, usage: "popd [-n] [+N | -N]"},
		{name: "dirs", run: builtinDirs, usage: "dirs [-clpv] [+N] [-N]"},
	}
}

// errTold is a failure whose message is out.
var errTold = errors.New("readonly variable")

// changeDirectory goes to dir: physical follows links in the name. The error
// is of the directory as it was typed.
func (p *proc) changeDirectory(dir string, physical bool) error {
	target := dir
	if physical {
		real, err := p.view.Realpath(p.ctx, dir, vfs.MissingNone)
		if err != nil {
			return err
		}
		target = real
	} else if strings.Contains(dir, "/..") {
		if err := p.climb(dir); err != nil {
			return err
		}
		target = p.view.Abs(dir)
	}
	info, err := p.view.Stat(p.ctx, target)
	if vfs.Errno(err) == vfs.ENOENT && !physical && !strings.HasPrefix(target, "/") {
		// From a directory that is gone its name still leads up.
		if full := p.view.Abs(target); full != p.view.Directory() {
			if above, e := p.view.Stat(p.ctx, full); e == nil {
				info, err, target = above, nil, full
			}
		}
	}
	if now, gone := p.view.Current(); !strings.HasPrefix(target, "/") && (gone || now != p.view.Directory()) {
		if path.Clean(target) == "." || gone && vfs.Errno(err) == vfs.ENOENT && strings.HasPrefix(target, "..") {
			return p.stay(now, gone)
		}
		if _, e := p.view.Stat(p.ctx, p.view.Abs(target)); err == nil && vfs.Errno(e) == vfs.ENOENT {
			target = path.Join(now, target)
		}
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return vfs.ENOTDIR
	}
	if err := p.view.Access(p.ctx, target, vfs.AccessExecute); err != nil {
		return err
	}
	old := p.view.Directory()
	full := p.view.Abs(target)
	rooted := dir
	if physical {
		rooted = target
	} else if !strings.HasPrefix(dir, "/") && !strings.HasPrefix(old, "///") {
		rooted = old
	}
	if strings.HasPrefix(rooted, "//") && !strings.HasPrefix(rooted, "///") && !strings.HasPrefix(full, "//") {
		full = "/" + full // POSIX keeps two leading slashes
	}
	p.view = p.view.WithDirectory(full)
	if v, ok := p.value(symPWD); ok && v != "" {
		old = v
	}
	before := p.assign(symOLDPWD, old, false)
	if !p.assign(symPWD, p.view.Directory(), false) || !before {
		return errTold
	}
	return nil
}

// stay is cd to a directory that has lost its name: by its new one, if it has
// one.
func (p *proc) stay(now string, gone bool) error {
	if gone {
		p.flushOut()
		p.writeError("cd: error retrieving current directory: getcwd: cannot access parent directories: No such file or directory\n")
		return nil
	}
	p.assign(symOLDPWD, p.view.Directory(), false)
	p.view = p.view.WithDirectory(now)
	p.assign(symPWD, now, false)
	return nil
}

// climb looks at what stands before each ".." of a name whose links are not
// followed: it must be a directory although nothing enters it.
func (p *proc) climb(dir string) error {
	for at := 0; ; {
		i := strings.Index(dir[at:], "/..")
		if i < 0 {
			return nil
		}
		at += i + 3
		if before := dir[:at-3]; before != "" && (at == len(dir) || dir[at] == '/') {
			info, err := p.view.Stat(p.ctx, p.view.Abs(before))
			if err != nil {
				return err
			}
			if !info.IsDir() {
				return vfs.ENOTDIR
			}
		}
	}
}

func builtinCd(p *proc, args []string) int {
	physical := p.options.has(optPhysical)
	o := p.shortOptions("cd", "LPe", args)
	for o.next() {
		switch o.letter {
		case 'L':
			physical = false
		case 'P':
			physical = true
		}
	}
	if o.status != 0 {
		return o.status
	}
	args = o.args
	if len(args) > 1 {
		p.errorf("cd: too many arguments")
		return 1
	}
	show, dir, ok := false, "", false
	switch {
	case len(args) == 0:
		if dir, ok = p.get("HOME"); !ok {
			p.errorf("cd: HOME not set")
			return 1
		}
		if dir == "" {
			dir = "."
		}
	case args[0] == "-":
		if dir, ok = p.get("OLDPWD"); !ok {
			p.errorf("cd: OLDPWD not set")
			return 1
		}
		show = true
		if dir == "" { // the empty name is the directory itself
			p.write("\n")
			dir, show = ".", false
		}
	case args[0] == "":
		dir = "."
	default:
		dir = args[0]
		if list, ok := p.get("CDPATH"); ok && dir[0] != '/' && dir != "." && dir != ".." && !strings.HasPrefix(dir, "./") && !strings.HasPrefix(dir, "../") {
			for _, base := range strings.Split(list, ":") {
				full := strings.TrimSuffix(base, "/") + "/" + dir // not cleaned: "nope/.." is nowhere
				if base == "" {
					full = "./" + dir
				}
				if p.changeDirectory(full, physical) == nil {
					if base != "" {
						p.write(p.view.Directory() + "\n")
					}
					return 0
				}
			}
		}
	}
	err := p.changeDirectory(dir, physical)
	if err != nil && len(args) > 0 && p.shopts.has(shoptCdableVars) {
		if value, ok := p.get(args[0]); ok && validName(args[0]) && p.changeDirectory(value, physical) == nil {
			p.write(p.view.Directory() + "\n")
			return 0
		}
	}
	if err != nil {
		if p.cancelled() {
			return p.status
		}
		if err == errTold {
			return 1
		}
		p.errorf("cd: %s: %s", printable(dir), words(err))
		return 1
	}
	if show {
		p.write(p.view.Directory() + "\n")
	}
	return 0
}

func builtinPwd(p *proc, args []string) int {
	physical := p.options.has(optPhysical)
	o := p.shortOptions("pwd", "LP", args)
	for o.next() {
		physical = o.letter == 'P'
	}
	if o.status != 0 {
		return o.status
	}
	dir := p.view.Directory()
	if physical {
		now, gone := p.view.Current()
		real, err := p.view.Realpath(p.ctx, now, vfs.MissingNone)
		if gone {
			err = vfs.ENOENT
		}
		if err != nil {
			p.flushOut()
			p.writeError("pwd: error retrieving current directory: getcwd: cannot access parent directories: " + words(err) + "\n")
			return 1
		}
		dir = real
	}
	p.write(dir + "\n")
	return 0
}

// stack is the directory stack, the current one first.
func (p *proc) stack() []string {
	return append([]string{p.view.Directory()}, p.directories...)
}

// stackIndex reads +N or -N. ok is false for a word that is neither.
func stackIndex(word string, size int) (index int, ok bool) {
	if word == "" || word[0] != '+' && word[0] != '-' {
		return 0, false
	}
	n, good := legalNumber(word[1:])
	if !good || n < 0 {
		return 0, false
	}
	if n > int64(size) {
		n = int64(size)
	}
	if word[0] == '-' {
		return size - 1 - int(n), true
	}
	return int(n), true
}

// showStack is dirs without options, printed after pushd and popd.
func (p *proc) showStack() int {
	shown := make([]string, 0, len(p.directories)+1)
	for _, d := range p.stack() {
		shown = append(shown, p.abbreviate(d))
	}
	p.write(strings.Join(shown, " ") + "\n")
	return 0
}

// abbreviate writes the home directory as ~.
func (p *proc) abbreviate(dir string) string {
	home, _ := p.get("HOME")
	if home == "" || home == "/" {
		return dir
	}
	if dir == home {
		return "~"
	}
	if rest, ok := strings.CutPrefix(dir, home+"/"); ok {
		return "~/" + rest
	}
	return dir
}

// stackArguments reads the arguments of pushd and popd.
func (p *proc) stackArguments(name string, args []string, popping bool) (keep bool, word string, status int, ok bool) {
	for len(args) > 0 {
		a := args[0]
		switch {
		case a == "-n":
			keep = true
		case a == "--":
			args = args[1:]
			if len(args) > 0 {
				word = args[0]
			}
			return keep, word, 0, true
		case a == "" && popping: // bash looks at its first byte
		case a != "" && (a[0] == '+' || a[0] == '-') && (popping || a != "-"):
			if _, good := stackIndex(a, 1); !good {
				p.errorf("%s: %s: invalid number", name, a)
				return false, "", p.usageOf(name), false
			}
			word = a
		case popping:
			p.errorf("popd: %s: invalid argument", a)
			return false, "", p.usageOf(name), false
		default:
			if len(args) > 1 {
				p.errorf("%s: too many arguments", name)
				return false, "", 1, false
			}
			return keep, a, 0, true
		}
		args = args[1:]
	}
	return keep, word, 0, true
}

// goTo changes to a directory of the stack and reports failure.
func (p *proc) goTo(name, dir string) bool {
	err := p.changeDirectory(dir, p.options.has(optPhysical))
	if err != nil && err != errTold && !p.cancelled() {
		p.errorf("%s: %s: %s", name, printable(dir), words(err))
	}
	return err == nil
}

func builtinPushd(p *proc, args []string) int {
	keep, word, status, ok := p.stackArguments("pushd", args, false)
	if !ok {
		return status
	}
	stack := p.stack()
	switch index, isIndex := stackIndex(word, len(stack)); {
	case word == "":
		if len(stack) < 2 {
			p.errorf("pushd: no other directory")
			return 1
		}
		if keep {
			return 0
		}
		if !p.goTo("pushd", stack[1]) {
			return 1
		}
		p.directories = append([]string{stack[0]}, stack[2:]...)
	case isIndex:
		if index < 0 || index >= len(stack) {
			if len(stack) == 1 {
				p.errorf("pushd: directory stack empty")
			} else {
				p.errorf("pushd: %s: directory stack index out of range", word)
			}
			return 1
		}
		if keep {
			p.directories = append(append([]string(nil), stack[index:]...), stack[:index]...)[1:]
			return 0
		}
		if !p.goTo("pushd", stack[index]) {
			return 1
		}
		p.directories = append(append([]string(nil), stack[index+1:]...), stack[:index]...)
	default:
		if !p.charge(int64(len(word) + 64)) {
			return p.status
		}
		if keep {
			p.directories = append([]string{word}, p.directories...)
			break
		}
		if word == "-" {
			old, ok := p.get("OLDPWD")
			if !ok {
				p.errorf("pushd: OLDPWD not set")
				return 1
			}
			word = old
		}
		if !p.goTo("pushd", word) {
			return 1
		}
		p.directories = append([]string{stack[0]}, p.directories...)
	}
	p.toldOnly = true
	return p.showStack()
}

func builtinPopd(p *proc, args []string) int {
	keep, word, status, ok := p.stackArguments("popd", args, true)
	if !ok {
		return status
	}
	stack := p.stack()
	if len(stack) < 2 {
		p.errorf("popd: directory stack empty")
		return 1
	}
	index := 0
	if word != "" {
		if index, _ = stackIndex(word, len(stack)); index < 0 || index >= len(stack) {
			p.errorf("popd: %s: directory stack index out of range", word)
			return 1
		}
	}
	if keep && index == 0 {
		index = 1
	}
	if index == 0 {
		if !p.goTo("popd", stack[1]) {
			return 1
		}
		p.directories = append([]string(nil), stack[2:]...)
	} else {
		p.directories = append(append([]string(nil), stack[1:index]...), stack[index+1:]...)
	}
	p.toldOnly = true
	return p.showStack()
}

func builtinDirs(p *proc, args []string) int {
	var long, lines, numbered bool
	word := ""
	for _, a := range args {
		if a == "--" {
			break
		}
		switch a {
		case "-c":
			p.directories = nil
			return 0
		case "-l":
			long = true
			continue
		case "-p":
			lines = true
			continue
		case "-v":
			numbered = true
			continue
		}
		if a != "" && (a[0] == '+' || a[0] == '-') {
			if _, ok := stackIndex(a, 1); !ok {
				p.errorf("dirs: %s: invalid number", a)
				return p.usageOf("dirs")
			}
			word = a
			continue
		}
		p.errorf("dirs: %s: invalid option", a)
		return p.usageOf("dirs")
	}
	stack := p.stack()
	show := func(d string) string {
		if long {
			return d
		}
		return p.abbreviate(d)
	}
	if word != "" {
		i, _ := stackIndex(word, len(stack))
		if i < 0 || i >= len(stack) {
			if len(stack) == 1 {
				p.errorf("dirs: directory stack empty")
			} else {
				p.errorf("dirs: %s: directory stack index out of range", word[1:])
			}
			return 1
		}
		if numbered {
			p.write(fmt.Sprintf("%2d  ", i))
		}
		p.write(show(stack[i]) + "\n")
		return 0
	}
	for i, d := range stack {
		switch {
		case numbered:
			p.write(fmt.Sprintf("%2d  %s\n", i, show(d)))
		case lines:
			p.write(show(d) + "\n")
		case i == 0:
			p.write(show(d))
		default:
			p.write(" " + show(d))
		}
	}
	if !numbered && !lines {
		p.write("\n")
	}
	return 0
}
