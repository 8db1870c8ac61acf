package interp

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync/atomic"
	"time"

	"github.com/vsh-project/vsh/vfs"
)

// call is one command on its way to a function, a builtin or a program.
type call struct {
	name         string
	args         []string
	operands     []operand
	assignments  []*assignment
	redirections []*redirection
	// noFunctions is what command asks for, standardPath command -p; tamed takes
	// a special builtin's powers over the shell away.
	noFunctions, standardPath, tamed bool
}

// call runs a simple command whose words are expanded. p.status is its status.
func (p *proc) call(c *call) {
	f, b := p.commandNamed(c)
	temporary := len(c.assignments) > 0
	depth := int32(0)
	if temporary && b != nil && b.special && p.options.has(optPosix) && !c.tamed {
		temporary = false // they stay
		for _, a := range c.assignments {
			if !a.perform(p) {
				if p.flow == flowNone {
					p.abortAssignment()
				}
				return
			}
		}
	} else if temporary {
		ok := p.temporary(c.assignments)
		if depth = p.frame.depth; !ok {
			switch {
			case p.flow != flowNone:
			case p.options.has(optPosix):
				p.exit(1)
			default:
				p.abortAssignment()
			}
			p.popTo(depth)
			return
		}
	}
	if p.options.has(optXtrace) {
		p.traceCall(c)
	}
	var undo undoList
	ok := true
	own := f == nil && b == nil && apart(c.redirections)
	if len(c.redirections) > 0 && !own {
		if temporary { // words of redirections do not see the assignments
			p.swap()
		}
		ok = p.redirect(c.redirections, &undo)
		if temporary {
			p.swap()
		}
	}
	switch {
	case own:
		p.callApart(c, temporary)
	case !ok:
		if p.flow == flowNone {
			p.done(1)
			if b != nil && b.special && !c.tamed && p.options.has(optPosix) {
				p.exit(1)
			}
		}
	case f != nil:
		if len(c.operands) > 0 { // it has the name of declare or its like
			c.args = c.operandWords()
		}
		p.callFunction(f, c)
	case b != nil:
		p.callBuiltin(b, c, &undo)
	default:
		p.callProgram(c)
	}
	p.restore(&undo)
	if temporary {
		p.popTo(depth)
	}
	if !ok {
		return
	}
	p.pipeStatus = nil
	p.pipeOne = p.status
	last := c.name
	if n := len(c.args); n > 0 {
		last = c.args[n-1]
	}
	if n := len(c.operands); n > 0 {
		last = c.operands[n-1].word
	}
	p.underscore(last)
}

// commandNamed is the function or the builtin that a command names; neither for
// a program.
func (p *proc) commandNamed(c *call) (f *function, b *builtin) {
	if p.options.has(optPosix) { // special builtins come before functions
		if b = p.enabledBuiltin(c.name); b != nil && b.special {
			return nil, b
		}
	}
	if !c.noFunctions {
		if f, ok := p.functions.get(c.name); ok {
			return f, nil
		}
	}
	return nil, p.enabledBuiltin(c.name)
}

// enabledBuiltin is the builtin of that name unless enable -n has hidden it.
func (p *proc) enabledBuiltin(name string) *builtin {
	b := p.session.builtins[name]
	if b != nil && len(p.disabled.entries) > 0 {
		if off, _ := p.disabled.get(name); off {
			return nil
		}
	}
	return b
}

// temporary opens the scope of a command's assignments. false: one was
// refused; the scope is open all the same.
func (p *proc) temporary(list []*assignment) bool {
	f := p.push(frameTemporary)
	for _, a := range list {
		if !p.temporaryAssign(f, a) {
			return false
		}
	}
	return true
}

func (p *proc) temporaryAssign(f *frame, a *assignment) bool {
	value := ""
	if a.array != nil {
		value = a.array.source()
	} else {
		var ok bool
		if value, ok = a.value.value(p); !ok {
			return false
		}
	}
	if p.options.has(optXtrace) {
		p.trace(a.name + a.operator() + traceValue(value))
	}
	s := a.symbol
	if a.index != nil {
		return true // bash drops element assignments before a command
	}
	old := p.vars.get(s)
	if old.is(attrReadonly) {
		p.errorf("%s: readonly variable", a.name)
		return !p.options.has(optPosix) // the command runs all the same
	}
	if r, ok := p.resolve(s); ok && !r.element && r.symbol != s {
		s = r.symbol
		old = p.vars.get(s)
	}
	if a.add { // only then do the variable's attributes count
		prior, _ := p.find(s).scalar()
		add, ok := true, true
		if old != nil {
			if value, add, ok = p.convert(old, prior, value, true); !ok {
				return false
			}
		}
		if add {
			value = prior + value
		}
	}
	v := p.hide(f, s)
	v.attrs = attrExport
	return p.store(s, v, value, false)
}

// callLevelCost is charged for each level of calls.
const callLevelCost = 4 << 10

// deeper enters one level of calls; false: the bound is reached.
func (p *proc) deeper() bool {
	if p.depth >= p.session.config.MaxDepth {
		p.limit(fmt.Sprintf("maximum call depth of %d exceeded", p.session.config.MaxDepth))
		return false
	}
	if !p.charge(callLevelCost) {
		return false
	}
	p.depth++
	return true
}

func (p *proc) shallower() {
	p.depth--
	p.release(callLevelCost)
}

// callFunction runs a function.
func (p *proc) callFunction(f *function, c *call) {
	if limit, ok := p.get("FUNCNEST"); ok {
		if n := number(limit); n > 0 && p.functionDepth() >= n {
			p.errorf("%s: maximum function nesting level exceeded (%d)", f.name, n)
			p.abort(1)
			return
		}
	}
	if !p.deeper() {
		return
	}
	p.sole = false
	fr := p.push(frameFunction)
	fr.function, fr.name, fr.file, fr.line, fr.args = f, f.name, f.source, p.line, c.args
	depth := fr.depth
	args, loops, line, end := p.args, p.loops, p.line, p.endLine
	p.args, p.loops = c.args, 0
	masked := p.enterTraps(f)
	if p.trapActive(trapDEBUG) {
		p.line = f.line
		p.debugTrap()
	}
	f.body.run(p)
	returned := p.flow == flowReturn
	if returned {
		p.flow = flowNone
	}
	if p.leaving == leavesFailed && len(c.redirections) > 0 {
		p.leaving = leavesUnwound
	}
	if p.flow == flowExit && p.leaving != leavesUnwound || p.flow == flowKilled {
		p.exitInside()
	}
	if p.flow == flowNone && p.trapActive(trapRETURN) {
		if !returned {
			p.line = f.line
		}
		p.returnTrap(returned)
	}
	p.maskedTraps = masked
	p.popTo(depth)
	p.args, p.loops, p.line, p.endLine = args, loops, line, end
	p.shallower()
}

// functionDepth counts the functions that are running.
func (p *proc) functionDepth() int {
	n := 0
	for f := p.frame; f != nil; f = f.parent {
		if f.kind == frameFunction {
			n++
		}
	}
	return n
}

// number reads a decimal number, 0 when s is none.
func number(s string) int {
	n := 0
	for _, d := range strings.TrimSpace(s) {
		if d < '0' || d > '9' || n > 1<<40 {
			return 0
		}
		n = n*10 + int(d-'0')
	}
	return n
}

// callBuiltin runs a builtin.
func (p *proc) callBuiltin(b *builtin, c *call, undo *undoList) {
	p.undo, p.sole = undo, false
	status := 0
	outer := p.builtinName
	p.endsPosix = 0
	p.builtinName = b.name
	if wantsHelp(b.name, c.args) && !p.asProgram {
		p.showHelp(b.name)
		status = 2
	} else if b.declare != nil {
		operands := c.operands
		if operands == nil {
			for _, a := range c.args {
				operands = append(operands, operand{word: a})
			}
		}
		arrays := p.options.has(optXtrace) && c.declaresArray()
		p.tracesArrays = arrays
		status = b.declare(p, operands)
		if p.tracesArrays = false; arrays {
			p.traceWords(c)
		}
	} else {
		status = b.run(p, c.operandWords())
	}
	p.builtinName = outer
	if p.flow == flowNone || p.flow == flowReturn || p.flow == flowExit || p.flow == flowBreak || p.flow == flowContinue {
		p.status = p.endBuiltin(b.name, status)
	} else {
		p.endBuiltin(b.name, status)
	}
	ends := p.endsPosix
	p.endsPosix = 0
	if ends != 0 && b.special && !c.tamed && p.options.has(optPosix) && p.flow == flowNone {
		p.exit(ends)
	}
}

// operandWords are the arguments and the operands of a declaration as words.
func (c *call) operandWords() []string {
	args := c.args
	for i := range c.operands {
		o := &c.operands[i]
		if o.array != nil {
			args = append(args, o.word+o.array.source())
			continue
		}
		args = append(args, o.word)
	}
	return args
}

// callProgram runs what the PATH search finds.
func (p *proc) callProgram(c *call) {
	if !p.deeper() {
		return
	}
	path, status := p.locate(c.name, c.args, c.standardPath)
	if status != 0 {
		p.status = status
	} else {
		p.status = p.runProgram(path, c.name, c.args, p.environmentOf(path))
	}
	p.notice()
	p.shallower()
}

// callApart runs a program whose redirections are its own process's (apart).
func (p *proc) callApart(c *call, temporary bool) {
	child := p.fork(p.ctx)
	if child == nil {
		return
	}
	child.loops, child.jobs, child.exiting, child.subshell = 0, jobTable{}, false, p.subshell
	child.sole = true
	if temporary {
		child.swap()
	}
	undo := undoList{forked: true}
	ok := child.redirect(c.redirections, &undo)
	if temporary {
		child.swap()
	}
	if ok {
		child.callProgram(c)
	} else if child.flow == flowNone {
		child.done(1)
	}
	child.restore(&undo)
	child.finish()
	child.end()
	p.notice()
	p.status = child.status
	if n := child.killedBy; n != 0 {
		p.death = death{n, child.pid, p.command}
	}
	p.cancelled()
}

// locate finds the program that name means. A status other than 0 says that
// there is none; the message is out.
func (p *proc) locate(name string, args []string, standardPath bool) (path string, status int) {
	if strings.Contains(name, "/") {
		return name, 0
	}
	if name == "" {
		p.errorf("%s: command not found", name)
		return "", 127
	}
	if !standardPath {
		if h, ok := p.hashed.get(name); ok {
			h.hits++
			p.hashed.writable(p)[name] = h
			return h.path, 0
		}
	}
	path, found := p.search(name, standardPath)
	if !found {
		if p.cancelled() {
			return "", p.status
		}
		if f, ok := p.functions.get("command_not_found_handle"); ok {
			return "", p.notFoundHandle(f, append([]string{name}, args...))
		}
		if list, _ := p.get("PATH"); list == "" { // a search of the directory only
			p.errorf("%s: No such file or directory", name)
			return "", 127
		}
		p.errorf("%s: command not found", printable(name))
		return "", 127
	}
	if p.options.has(optHashall) && !standardPath && strings.HasPrefix(path, "/") {
		p.hashed.writable(p)[name] = hashEntry{path: path, hits: 1}
	}
	return path, 0
}

// standardPath is what command -p searches.
const standardPath = "/bin:/usr/bin:/sbin:/usr/sbin"

// search looks for an executable file in PATH. When none can be executed, the
// first that is a file at all is found (and will be refused).
func (p *proc) search(name string, standard bool) (string, bool) {
	list, ok := p.get("PATH")
	if standard {
		list, ok = standardPath, true
	}
	if !ok {
		return "", false
	}
	return p.searchIn(list, name, p.cancelled)
}

// searchIn is search in a list of directories, until stop.
func (p *proc) searchIn(list, name string, stop func() bool) (string, bool) {
	second := ""
	for {
		dir, rest, more := strings.Cut(list, ":")
		if dir == "" {
			dir = "."
		}
		full := dir + "/" + name
		if strings.HasSuffix(dir, "/") {
			full = dir + name
		}
		if info, err := p.view.Stat(p.ctx, full); err == nil && !info.IsDir() {
			if p.view.Access(p.ctx, full, vfs.AccessExecute) == nil {
				return full, true
			}
			if second == "" {
				second = full
			}
		}
		if !more || stop() {
			return second, second != ""
		}
		list = rest
	}
}

// notFoundHandle runs command_not_found_handle in a subshell.
func (p *proc) notFoundHandle(f *function, args []string) int {
	c := p.fork(p.ctx)
	if c == nil {
		return p.status
	}
	c.callFunction(f, &call{name: f.name, args: args})
	c.finish()
	c.end()
	return c.status
}

// runProgram runs the file at path as a program of its own and returns its
// status. Messages about a file that cannot run are out.
func (p *proc) runProgram(path, name string, args, environment []string) int {
	abs := p.view.Abs(path)
	if command := p.session.config.Command(abs); command != nil {
		return p.runCommand(command, abs, name, args, environment)
	}
	if run := p.session.shellProgram(abs); run != nil {
		return run(p, name, args, environment)
	}
	info, err := p.view.Stat(p.ctx, path)
	switch {
	case err != nil:
		p.fileError(path, err)
		if errors.Is(err, fs.ErrNotExist) {
			return 127
		}
		return 126
	case info.IsDir():
		p.errorf("%s: Is a directory", path)
		return 126
	}
	if err := p.view.Access(p.ctx, path, vfs.AccessExecute); err != nil {
		p.fileError(path, err)
		return 126
	}
	return p.runScript(path, args, environment)
}

// runCommand calls a registered command. It runs behind a hand-off, so that
// one that ignores its context cannot hold the run.
func (p *proc) runCommand(command Command, path, name string, args, environment []string) int {
	if p.cancelled() {
		return p.status
	}
	var detached atomic.Bool
	defer detached.Store(true) // the call's streams end with it
	in := &commandStream{p: p, ctx: p.ctx, file: p.files.get(0), detached: &detached}
	out := &commandStream{p: p, ctx: p.ctx, file: p.files.get(1), detached: &detached}
	errs := &commandStream{p: p, ctx: p.ctx, file: p.files.get(2), detached: &detached}
	c := &Call{
		Name: name, Path: path, Arguments: args, Environment: environment,
		Stdin: in.reader(), Stdout: out.writer(), Stderr: errs, View: p.view,
		Process: &Process{p: p, pid: p.commandPID(), environment: environment},
	}
	ended := func(status int) int {
		status = p.commandEnded(status)
		if n := int(c.Process.died.Load()); n > 0 && p.flow == flowNone {
			if p.sole {
				p.killedBy = n
			} else {
				p.death = death{n, c.Process.pid, p.command}
			}
		}
		return status
	}
	done := make(chan int, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				p.reportPanic(name, r)
				done <- 2
			}
		}()
		done <- command(p.ctx, c)
	}()
	select {
	case status := <-done:
		return ended(status)
	case <-p.ctx.Done():
	}
	timer := time.NewTimer(max(p.session.config.Grace, time.Duration(p.run.held.Load())))
	defer timer.Stop()
	select {
	case status := <-done:
		return ended(status)
	case <-timer.C:
	}
	p.run.stick(name, done)
	p.cancelled()
	return statusTimeout
}

// commandEnded turns the end of a command into the process's status.
func (p *proc) commandEnded(status int) int {
	if p.attention.Load() != 0 && p.die() {
		return p.status
	}
	return status & 255
}
