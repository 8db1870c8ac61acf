package interp

import (
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/vfs"
)

// The builtins that steer the shell itself.

func init() { builtinTables = append(builtinTables, controlBuiltins) }

func controlBuiltins() []builtin {
	return []builtin{
		{name: ":", special: true, run: func(*proc, []string) int { return 0 }, usage: ":"},
		{name: "true", run: func(*proc, []string) int { return 0 }, usage: "true"},
		{name: "false", run: func(*proc, []string) int { return 1 }, usage: "false"},
		{name: "break", special: true, run: builtinBreak, usage: "break [n]"},
		{name: "continue", special: true, run: builtinContinue, usage: "continue [n]"},
		{name: "return", special: true, run: builtinReturn, usage: "return [n]"},
		{name: "exit", special: true, run: builtinExit, usage: "exit [n]"},
		{name: "eval", special: true, run: builtinEval, usage: "eval [arg ...]"},
		{name: ".", special: true, run: func(p *proc, args []string) int { return builtinSource(p, ".", args) }, usage: ". filename [arguments]"},
		{name: "source", special: true, run: func(p *proc, args []string) int { return builtinSource(p, "source", args) }, usage: "source filename [arguments]"},
		{name: "exec", special: true, run: builtinExec, usage: "exec [-cl] [-a name] [command [argument ...]] [redirection ...]"},
		{name: "shift", special: true, run: builtinShift, usage: "shift [n]"},
		{name: "trap", special: true, run: builtinTrap, usage: "trap [-lp] [[arg] signal_spec ...]"},
		{name: "times", special: true, run: builtinTimes, usage: "times"},
		{name: "builtin", run: builtinBuiltin, usage: "builtin [shell-builtin [arg ...]]"},
	}
}

// usageOf prints the synopsis of a builtin and returns 2.
func (p *proc) usageOf(name string) int {
	p.endsPosix = 2
	p.flushOut()
	p.writeError(name + ": usage: " + p.session.builtins[name].usage + "\n")
	return 2
}

// noOptions handles the arguments of a builtin without options: "--" is
// skipped, an option refused. ok is false when the call is over with status.
func (p *proc) noOptions(name string, args []string) (rest []string, status int, ok bool) {
	if len(args) == 0 {
		return args, 0, true
	}
	if args[0] == "--" {
		return args[1:], 0, true
	}
	if len(args[0]) > 1 && args[0][0] == '-' {
		p.errorf("%s: %s: invalid option", name, args[0][:2])
		return nil, p.usageOf(name), false
	}
	return args, 0, true
}

// legalNumber reads a number as bash's builtins do: blanks around it are fine.
func legalNumber(s string) (int64, bool) {
	s = strings.Trim(s, " \t\n")
	if strings.HasPrefix(s, "+") && len(s) > 1 && s[1] >= '0' && s[1] <= '9' {
		s = s[1:]
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

// loopCount is the argument of break and continue.
func (p *proc) loopCount(name string, args []string) (n int, ok bool) {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return 1, true
	}
	v, good := legalNumber(args[0])
	switch {
	case !good:
		p.errorf("%s: %s: numeric argument required", name, args[0])
		p.abort(128)
		return 0, false
	case len(args) > 1:
		p.errorf("%s: too many arguments", name)
		p.abort(1)
		return 0, false
	}
	return int(min(v, 1<<30)), true
}

func (p *proc) leaveLoops(name string, args []string, f flow) int {
	if p.loops == 0 && p.options.has(optPosix) {
		return 0
	}
	if p.loops == 0 {
		p.errorf("%s: only meaningful in a `for', `while', or `until' loop", name)
		return 0
	}
	n, ok := p.loopCount(name, args)
	if !ok {
		return p.status
	}
	if n <= 0 {
		p.errorf("%s: %s: loop count out of range", name, args[len(args)-1])
		p.flow, p.levels = flowBreak, p.loops
		return 1
	}
	p.flow, p.levels = f, min(n, p.loops)
	return 0
}

func builtinBreak(p *proc, args []string) int { return p.leaveLoops("break", args, flowBreak) }

func builtinContinue(p *proc, args []string) int { return p.leaveLoops("continue", args, flowContinue) }

// exitArgument is the status that return and exit are given; p.status for none.
func (p *proc) exitArgument(name string, args []string) (status int, ok bool) {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return p.status, true
	}
	n, good := legalNumber(args[0])
	switch {
	case !good:
		p.errorf("%s: %s: numeric argument required", name, args[0])
		return 2, true
	case len(args) > 1:
		p.errorf("%s: too many arguments", name)
		p.abort(1)
		return 1, false
	}
	return int(n & 255), true
}

func builtinReturn(p *proc, args []string) int {
	inside := false
	p.calls(func(*frame) { inside = true })
	status, ok := p.exitArgument("return", args)
	if !ok {
		return status
	}
	if !inside {
		p.errorf("return: can only `return' from a function or sourced script")
		p.endsPosix = 2
		return 2
	}
	p.beforeReturn = p.status
	p.status, p.flow = status, flowReturn
	return status
}

func builtinExit(p *proc, args []string) int {
	status, ok := p.exitArgument("exit", args)
	if p.exiting && len(args) == 0 {
		status = p.exitStatus
	}
	if ok {
		p.exit(status)
		p.leaving = leavesHere
	}
	return status
}

func builtinEval(p *proc, args []string) int {
	args, status, ok := p.noOptions("eval", args)
	if !ok {
		return status
	}
	text := strings.Join(args, " ")
	if len(args) == 0 || !p.deeper() {
		if p.flow != flowNone {
			return p.status
		}
		return 0
	}
	if p.scratch(int64(len(text))) {
		if !p.evaluateText(text, evalEval) {
			p.endsPosix = p.status
		}
	}
	p.shallower()
	return p.status
}

func builtinSource(p *proc, name string, args []string) int {
	args, status, ok := p.noOptions(name, args)
	if !ok {
		return status
	}
	if len(args) == 0 {
		p.errorf("%s: filename argument required", name)
		return p.usageOf(name)
	}
	file := args[0]
	if !strings.Contains(file, "/") && p.shopts.has(shoptSourcepath) {
		if list, ok := p.get("PATH"); ok {
			if found, ok := p.readableIn(list, file); ok {
				file = found
			}
		}
	}
	f, err := p.open(file, vfs.O_RDONLY)
	if err != nil {
		if p.options.has(optPosix) && !strings.Contains(args[0], "/") {
			p.errorf("%s: %s: file not found", name, args[0])
		} else {
			p.fileError(file, err)
		}
		p.endsPosix = 1
		return 1
	}
	if info, err := f.stat(p.session.config.Now()); err == nil && info.IsDir() {
		f.close()
		p.errorf("%s: %s: is a directory", name, args[0])
		return 1
	}
	source, status := p.readSource(f, file)
	f.close()
	if status != 0 {
		return 1
	}
	cost := int64(len(source))
	if !p.deeper() {
		return p.status
	}
	if !p.charge(cost) {
		p.shallower()
		return p.status
	}
	p.sourceText(args, file, source)
	p.release(cost)
	p.shallower()
	return p.status
}

// sourceText runs a sourced file's text in a frame of its own.
func (p *proc) sourceText(args []string, file string, source []byte) {
	fr := p.push(frameSource)
	fr.name, fr.file, fr.line = "source", file, p.line
	fr.level-- // local belongs to the function around it
	depth := fr.depth
	old, line := p.args, p.line
	if len(args) > 1 {
		p.args = args[1:]
	}
	replaced := len(args) > 1
	set := p.argsSet
	p.argsSet = false
	if replaced && p.shopts.has(shoptExtdebug) {
		fr.args = args[1:]
	}
	p.traceLevel++
	p.runSource(p.parser(file, source, 1), "", source, file)
	p.traceLevel--
	returned := p.flow == flowReturn
	if returned {
		p.flow = flowNone
	}
	p.line = line
	if p.flow == flowNone && p.trapActive(trapRETURN) {
		p.returnTrap(returned)
	}
	if p.flow == flowExit && p.leaving == leavesHere && p.functionFrame() != nil {
		p.exitInside()
	}
	p.popTo(depth)
	// Outside functions what set has given stays.
	if replaced && (!p.argsSet || p.functionFrame() != nil) {
		p.args = old
	}
	p.argsSet = p.argsSet || set
}

// readableIn finds a readable file in a list of directories.
func (p *proc) readableIn(list, name string) (string, bool) {
	for _, dir := range strings.Split(list, ":") {
		if dir == "" {
			dir = "."
		}
		full := strings.TrimSuffix(dir, "/") + "/" + name
		if info, err := p.view.Stat(p.ctx, full); err == nil && !info.IsDir() && p.view.Access(p.ctx, full, vfs.AccessRead) == nil {
			return full, true
		}
		if p.cancelled() {
			break
		}
	}
	return "", false
}

// builtinExec makes redirections last, or replaces the shell by a program.
func builtinExec(p *proc, args []string) int {
	clear, login, argv0 := false, false, ""
	named := false
	o := p.shortOptions("exec", "cla:", args)
	for o.next() {
		switch o.letter {
		case 'c':
			clear = true
		case 'l':
			login = true
		case 'a':
			named, argv0 = true, o.value
		}
	}
	if o.status != 0 || len(o.args) == 0 {
		p.keepRedirections()
		return o.status
	}
	args = o.args
	name := args[0]
	path := name
	status := 0
	if !strings.Contains(name, "/") {
		found, ok := p.search(name, false)
		if info, err := p.view.Stat(p.ctx, name); !ok && name != "" && err == nil && info.IsDir() {
			p.errorf("exec: %s: cannot execute: Is a directory", name)
			status = 126
		} else if !ok {
			p.errorf("exec: %s: not found", name)
			status = 127
		}
		path = found
	} else {
		path = p.view.Abs(name)
		info, err := p.view.Stat(p.ctx, path)
		switch {
		case err != nil && vfs.Errno(err) == vfs.ENOENT:
			p.errorf("%s: %s", path, words(err))
			status = 127
		case err == nil && info.IsDir():
			err = vfs.EISDIR
			fallthrough
		case err != nil:
			p.errorf("%s: %s", path, words(err))
			p.errorf("exec: %s: cannot execute: %s", path, words(err))
			status = 126
		default:
			if err := p.view.Access(p.ctx, path, vfs.AccessExecute); err != nil {
				p.errorf("%s: %s", path, words(err))
				p.errorf("exec: %s: cannot execute: %s", path, words(err))
				status = 126
			}
		}
	}
	if status != 0 {
		if p.flow == flowNone && !p.shopts.has(shoptExecfail) {
			p.exit(status)
			p.leaving = leavesHere
		}
		return status
	}
	shown := name
	if named {
		shown = argv0
	}
	if login {
		shown = "-" + shown
	}
	environment := append([]string(nil), p.environment()...)
	for i, pair := range environment { // the program is no shell deeper
		if level, ok := strings.CutPrefix(pair, "SHLVL="); ok {
			environment[i] = "SHLVL=" + strconv.Itoa(number(level)-1)
		}
	}
	if clear {
		environment = nil
	}
	p.keepRedirections()
	p.traps.replaced()
	p.sole = true
	status = p.runProgram(path, shown, args[1:], environment)
	p.exit(status)
	return status
}

// keepRedirections makes the redirections of the exec being run last.
func (p *proc) keepRedirections() {
	if p.undo == nil {
		return
	}
	for _, u := range p.undo.list {
		if u.file != nil {
			u.file.close()
		}
	}
	p.undo.list = nil
}

func builtinShift(p *proc, args []string) int {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	n := int64(1)
	if len(args) > 0 {
		v, ok := legalNumber(args[0])
		switch {
		case !ok:
			p.errorf("shift: %s: numeric argument required", args[0])
			return 1
		case len(args) > 1:
			p.errorf("shift: too many arguments")
			p.abort(1)
			return 1
		}
		n = v
	}
	switch {
	case n < 0:
		p.errorf("shift: %s: shift count out of range", args[0])
		return 1
	case n > int64(len(p.args)):
		if p.shopts.has(shoptShiftVerbose) || p.options.has(optPosix) {
			if len(args) == 0 {
				p.errorf("shift: shift count out of range")
			} else {
				p.errorf("shift: %s: shift count out of range", args[0])
			}
		}
		return 1
	}
	p.args = p.args[n:]
	return 0
}

func builtinTimes(p *proc, args []string) int {
	if _, status, ok := p.noOptions("times", args); !ok {
		return status
	}
	p.write("0m0.000s 0m0.000s\n0m0.000s 0m0.000s\n")
	return 0
}

func builtinBuiltin(p *proc, args []string) int {
	args, status, ok := p.noOptions("builtin", args)
	if !ok {
		return status
	}
	if len(args) == 0 {
		return 0
	}
	b := p.enabledBuiltin(args[0])
	if b == nil {
		p.errorf("builtin: %s: not a shell builtin", args[0])
		return 1
	}
	// "builtin builtin x" may be very long: it is one call all the same.
	for b.name == "builtin" && len(args) > 1 && args[1] == "builtin" {
		args = args[1:]
	}
	if !p.deeper() {
		return p.status
	}
	p.callBuiltin(b, &call{name: args[0], args: args[1:]}, p.undo)
	p.shallower()
	return p.status
}

func builtinTrap(p *proc, args []string) int {
	list, show := false, false
	o := p.shortOptions("trap", "lp", args)
	for o.next() {
		switch o.letter {
		case 'l':
			list = true
		case 'p':
			show = true
		}
	}
	if o.status != 0 {
		return o.status
	}
	args = o.args
	switch {
	case list:
		p.write(signalTable())
		return 0
	case show || len(args) == 0:
		return p.showTraps(args)
	}
	handler, names := args[0], args[1:]
	reset := handler == "-"
	if n, ok := signalNumber(handler, true); len(names) == 0 && ok && n < trapCount {
		reset, names = true, args // one operand that is a signal
	} else if len(names) == 0 {
		return p.usageOf("trap")
	} else if handler != "" && strings.Trim(handler, "0123456789") == "" && ok {
		reset, names = true, args
	}
	status := 0
	for _, name := range names {
		n, ok := signalNumber(name, true)
		if !ok {
			p.errorf("trap: %s: invalid signal specification", name)
			status = 1
			continue
		}
		if !reset && !p.charge(int64(len(handler))) {
			return p.status
		}
		if p.traps.hard[n] {
			continue
		}
		p.traps.shown = nil
		if reset {
			p.traps.unset(n)
		} else {
			p.traps.set(n, handler)
		}
		if n >= trapDEBUG { // set inside a function, it holds there too
			p.maskedTraps &^= 1 << (n - trapDEBUG)
		}
	}
	return status
}

// showTraps is trap -p.
func (p *proc) showTraps(names []string) int {
	handlers := p.traps.listed()
	show := func(n int) {
		h, ok := handlers[n]
		if !ok {
			return
		}
		name := signalName(n)
		if n > 0 && n < trapDEBUG {
			name = "SIG" + name
		}
		p.write("trap -- " + quoteAlways(h) + " " + name + "\n")
	}
	if len(names) == 0 {
		for n := 0; n < trapCount; n++ {
			show(n)
		}
		return 0
	}
	status := 0
	for _, name := range names {
		n, ok := signalNumber(name, true)
		if !ok {
			p.errorf("trap: %s: invalid signal specification", name)
			status = 1
			continue
		}
		show(n)
	}
	return status
}

// quoteAlways is s in single quotes whatever it is.
func quoteAlways(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// allSignals are the names of the signals that have one.
func allSignals() []string {
	var names []string
	for n := 1; n <= 64; n++ {
		if name := signalName(n); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// signalTable is what kill -l and trap -l show.
func signalTable() string {
	var b strings.Builder
	column := 0
	for n := 1; n <= 64; n++ {
		name := signalName(n)
		if name == "" {
			continue
		}
		if n < 10 {
			b.WriteByte(' ')
		}
		b.WriteString(strconv.Itoa(n) + ") SIG" + name)
		if column++; column == 5 {
			b.WriteByte('\n')
			column = 0
		} else {
			b.WriteByte('\t')
		}
	}
	if column > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}
