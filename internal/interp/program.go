package interp

import (
	"bytes"
	"errors"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/internal/parse"
	"github.com/vsh-project/vsh/vfs"
)

func isIncomplete(err error) bool {
	var e *parse.Error
	return errors.As(err, &e) && e.Incomplete
}

// shellProcess is a new shell inside a child process of p: nothing of p's
// state but its directory, descriptors and the environment.
func (p *proc) shellProcess(environment []string) *proc {
	c := p.fork(p.ctx)
	if c == nil {
		return nil
	}
	if p.sole {
		p.run.succeed(p, c)
	}
	if now, gone := c.view.Current(); !gone && now != c.view.Directory() {
		c.view = c.view.WithDirectory(now)
	}
	fresh := c.session.firstShell(c, environment)
	c.state = fresh
	return c
}

// firstShell is the state of a new shell in process c.
func (s *Session) firstShell(c *proc, environment []string) state {
	n := c.state
	n.vars, n.frame = table{}, nil
	n.functions, n.aliases, n.hashed = names[*function]{}, names[string]{}, names[hashEntry]{}
	n.disabled = names[bool]{}
	n.options, n.shopts = defaultOptions, defaultShopts
	n.directories, n.args, n.name, n.source = nil, nil, "bash", ""
	n.pipeStatus, n.pipeOne, n.status = nil, 0, 0
	n.jobs, n.lastJob = jobTable{}, 0
	n.shellPID = n.pid
	n.subshell, n.loops, n.tested, n.trapping, n.traceLevel = 0, 0, 0, 0, 0
	n.opened, n.builtinName, n.abandoned = nil, "", false
	n.command, n.line, n.strangers = commandText{}, 0, nil
	n.captured, n.exiting = 0, false
	n.baseSubshell, n.argv, n.noted, n.argsSet = 0, nil, false, false
	n.traps = n.traps.inherited()
	c.state = n
	base := &proc{state: s.baseline}
	for i, pg := range base.vars.pages {
		_ = i
		c.vars.pages = append(c.vars.pages, pg)
	}
	c.random = uint32(c.pid)
	c.secondsFrom, c.secondsBase = s.config.Now(), 0
	c.vars.put(s.symbol("PPID"), &variable{value: text_(strconv.Itoa(c.ppid)), set: true, attrs: attrInteger | attrReadonly, epoch: c.epoch}, c.epoch)
	c.importEnvironment(environment)
	return c.state
}

// runScript runs a file that is no registered command: a script.
func (p *proc) runScript(name string, args, environment []string) int {
	f, err := p.open(name, vfs.O_RDONLY)
	if err != nil {
		p.fileError(name, err)
		return 126
	}
	defer f.close()
	text, status := p.readSource(f, name)
	if status != 0 {
		return status
	}
	interpreter, argument, ok := shebang(text)
	if ok && !isShell(interpreter) {
		abs := p.view.Abs(interpreter)
		arguments := []string{}
		if argument != "" {
			arguments = append(arguments, argument)
		}
		arguments = append(append(arguments, name), args...)
		if command := p.session.config.Command(abs); command != nil {
			return p.runCommand(command, abs, path.Base(interpreter), arguments, environment)
		}
		if _, err := p.view.Stat(p.ctx, interpreter); err != nil {
			p.errorf("%s: cannot execute: required file not found", name)
			return 127
		}
		if err := p.view.Access(p.ctx, interpreter, vfs.AccessExecute); err != nil {
			p.errorf("%s: %s: bad interpreter: %s", name, interpreter, words(err))
			return 126
		}
		return p.runProgram(interpreter, interpreter, arguments, environment)
	}
	if looksBinary(text) {
		if ok { // the interpreter says so
			p.flushOut()
			p.writeError(name + ": " + name + ": cannot execute binary file\n")
		} else {
			p.errorf("%s: cannot execute binary file: Exec format error", name)
		}
		return 126
	}
	c := p.shellProcess(environment)
	if c == nil {
		return p.status
	}
	c.name, c.source, c.args = name, name, args
	if ok && path.Base(interpreter) == "sh" {
		c.setOption(optPosix, true)
	}
	if argument != "" && strings.HasPrefix(argument, "-") {
		c.applyOptions([]string{argument})
	}
	c.runSource(c.fileParser(name, text, 1), "", text, name)
	return p.endShell(c)
}

// endShell ends the shell process c and returns its status.
func (p *proc) endShell(c *proc) int {
	c.finish()
	c.end()
	if p.sole {
		p.run.resume(p)
		p.killedBy = c.killedBy
	} else {
		p.death = death{c.killedBy, c.pid, p.command}
	}
	return c.status
}

// readSource reads a script, bounded.
func (p *proc) readSource(f *openFile, name string) ([]byte, int) {
	var b bytes.Buffer
	limit := p.session.config.MaxSource
	block := make([]byte, 32<<10)
	for {
		n, err := f.read(p.ctx, block)
		b.Write(block[:n])
		if b.Len() > limit {
			return b.Bytes(), 0 // the parser names the limit
		}
		if err == io.EOF {
			return b.Bytes(), 0
		}
		if err != nil {
			p.fileError(name, err)
			return nil, 126
		}
	}
}

// shebang takes a #! line apart.
func shebang(text []byte) (interpreter, argument string, ok bool) {
	if !bytes.HasPrefix(text, []byte("#!")) {
		return "", "", false
	}
	line, _, _ := bytes.Cut(text[2:], []byte("\n"))
	rest := strings.Trim(string(line), " \t")
	interpreter, argument, _ = strings.Cut(rest, " ")
	if i := strings.IndexByte(interpreter, '\t'); i >= 0 {
		interpreter, argument = interpreter[:i], interpreter[i+1:]+argument
	}
	return interpreter, strings.Trim(argument, " \t"), interpreter != ""
}

func isShell(interpreter string) bool {
	switch interpreter {
	case "/bin/bash", "/usr/bin/bash", "/bin/sh", "/usr/bin/sh":
		return true
	}
	return false
}

// looksBinary reports what bash takes for no script: a NUL in the first line, or
// in the one behind #!.
func looksBinary(text []byte) bool {
	line, rest, _ := bytes.Cut(text[:min(len(text), 80)], []byte("\n"))
	if bytes.HasPrefix(line, []byte("#!")) {
		second, _, _ := bytes.Cut(rest, []byte("\n"))
		line = append(line[:len(line):len(line)], second...)
	}
	return bytes.IndexByte(line, 0) >= 0
}

// runBuiltinProgram runs a builtin as the program of the same name.
func runBuiltinProgram(p *proc, b *builtin, args []string) int {
	c := p.fork(p.ctx)
	if c == nil {
		return p.status
	}
	c.asProgram = true
	c.callBuiltin(b, &call{name: b.name, args: args}, &undoList{})
	status := c.status
	c.end()
	return status
}

// runShell is the program bash, also by the name sh.
func runShell(p *proc, name string, args, environment []string) int {
	c := p.shellProcess(environment)
	if c == nil {
		return p.status
	}
	c.shellMain(name, args)
	return p.endShell(c)
}

// shellMain reads the command line of bash.
func (p *proc) shellMain(name string, args []string) {
	p.name = name
	posix := path.Base(name) == "sh"
	var options []string
	command, stdin := false, false
	login := strings.HasPrefix(name, "-")
	i := 0
options:
	for ; i < len(args); i++ {
		a := args[i]
		if len(a) < 2 || a[0] != '-' && a[0] != '+' {
			if a == "-" {
				i++
			}
			break
		}
		switch a {
		case "--":
			i++
			break options
		case "--posix":
			posix = true
			continue
		case "--version":
			p.write("GNU bash, version " + bashVersion + " (x86_64-pc-linux-gnu)\n")
			p.flushOut()
			return
		case "--norc", "--noprofile", "--login", "--noediting", "--debugger", "--restricted", "--verbose":
			switch a {
			case "--verbose":
				options = append(options, "-v")
			case "--login":
				login = true
			}
			continue
		case "--rcfile", "--init-file":
			if i+1 == len(args) {
				p.writeError(p.name + ": " + a[2:] + ": option requires an argument\n")
				p.status = 2
				return
			}
			i++
			continue
		case "--help":
			p.write("Usage: bash [OPTION]... [FILE [ARGUMENT]...] or bash -c COMMANDS [NAME [ARGUMENT]...]\nRun commands of bash's language. The options of set and -O SHOPT are understood, also with +.\n")
			p.flushOut()
			return
		}
		if strings.HasPrefix(a, "--") {
			p.writeError(p.name + ": " + a + ": invalid option\n")
			p.status = 2
			return
		}
		rest := ""
		for _, letter := range a[1:] {
			switch letter {
			case 'c':
				command = true
			case 's':
				stdin = true
			case 'l':
				login = true
			case 'i', 'D':
			case 'o', 'O':
				if i+1 < len(args) {
					i++
					options = append(options, a[:1]+string(letter), args[i])
				}
			default:
				rest += string(letter)
			}
		}
		if rest != "" {
			options = append(options, a[:1]+rest)
		}
	}
	if posix {
		p.setOption(optPosix, true)
	}
	operands := args[min(i, len(args)):]
	p.shellMode = 0
	p.shopts = p.shopts.with(shoptLoginShell, login)
	if !p.applyOptions(options) {
		return
	}
	shell := p.name
	if !command && !stdin && len(operands) > 0 {
		p.name = operands[0] // $0 is the script's already
	}
	if !p.startupFile() {
		return
	}
	p.name = shell
	switch {
	case command:
		if len(operands) == 0 {
			p.writeError(p.name + ": -c: option requires an argument\n")
			p.status = 2
			return
		}
		p.shellMode = 'c'
		if len(operands) > 1 {
			p.name, p.args = operands[1], operands[2:]
		}
		text := []byte(operands[0])
		p.vars.put(p.session.symbol("BASH_EXECUTION_STRING"), &variable{value: text_(operands[0]), set: true, epoch: p.epoch}, p.epoch)
		p.runSource(p.parser(p.name, text, 1), "-c", text, "")
	case stdin || len(operands) == 0:
		p.shellMode = 's'
		p.args = operands
		p.runStdin()
	default:
		file := operands[0]
		p.args = operands[1:]
		f, err := p.open(file, vfs.O_RDONLY)
		if err != nil && !strings.Contains(file, "/") {
			if found, ok := p.search(file, false); ok {
				f, err = p.open(found, vfs.O_RDONLY)
			}
		}
		if err != nil {
			p.writeError(p.name + ": " + file + ": " + words(err) + "\n")
			p.status = 127
			return
		}
		if info, err := f.stat(p.session.config.Now()); err == nil && info.IsDir() {
			f.close()
			p.writeError(file + ": " + file + ": Is a directory\n")
			p.status = 126
			return
		}
		text, status := p.readSource(f, file)
		f.close()
		if status != 0 {
			p.status = status
			return
		}
		if looksBinary(text) {
			p.writeError(file + ": " + file + ": cannot execute binary file\n")
			p.status = 126
			return
		}
		p.name, p.source = file, file
		p.runSource(p.fileParser(file, text, 1), "", text, file)
	}
}

// startupFile runs the file that BASH_ENV names, if there is one. false: it has
// ended the shell.
func (p *proc) startupFile() bool {
	name, ok := p.get("BASH_ENV")
	if !ok || name == "" || p.options.has(optPosix) {
		return true
	}
	if name, ok = p.expandText(name); !ok {
		return false
	}
	if info, err := p.view.Stat(p.ctx, name); err != nil || info.IsDir() {
		return true
	}
	builtinSource(p, "source", []string{name})
	if p.flow != flowNone {
		return false
	}
	p.status = 0
	return true
}

func text_(s string) text { return text{s: s} }

// applyOptions sets options given on the command line. false: one is unknown.
func (p *proc) applyOptions(list []string) bool {
	for i := 0; i < len(list); i++ {
		o := list[i]
		on := !strings.HasPrefix(o, "+")
		switch strings.TrimLeft(o, "+-") {
		case "o":
			if i+1 < len(list) {
				i++
				n, ok := optionNamed(list[i])
				if !ok {
					p.writeError(p.name + ": " + list[i] + ": invalid option name\n")
					p.status = 2
					return false
				}
				p.setOption(n, on)
			}
			continue
		case "O":
			if i+1 < len(list) {
				i++
				n, ok := shoptNamed(list[i])
				if !ok {
					p.writeError(p.name + ": " + list[i] + ": invalid shell option name\n")
					p.status = 2
					return false
				}
				p.shopts = p.shopts.with(n, on)
			}
			continue
		}
		if n, ok := optionNamed(o); ok {
			p.setOption(n, true)
			continue
		}
		for _, letter := range strings.TrimLeft(o, "+-") {
			n, ok := optionLettered(byte(letter))
			if !ok {
				p.writeError(p.name + ": -" + string(letter) + ": invalid option\n")
				p.status = 2
				return false
			}
			p.setOption(n, on)
		}
	}
	return true
}
