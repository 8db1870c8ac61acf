package interp

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/vsh-project/vsh/internal/parse"
	"github.com/vsh-project/vsh/vfs"
)

// NewSession makes a session.
func NewSession(c Config) *Session {
	set := func(n *int, value int) {
		if *n <= 0 {
			*n = value
		}
	}
	set(&c.MaxSource, defaultMaxSource)
	set(&c.MaxNesting, defaultMaxNesting)
	set(&c.MaxDepth, defaultMaxDepth)
	set(&c.MaxDescriptors, defaultMaxDescriptors)
	set(&c.MaxProcesses, defaultMaxProcesses)
	if c.Grace <= 0 {
		c.Grace = defaultGrace
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Random == nil {
		c.Random = rand.Reader
	}
	if c.Command == nil {
		c.Command = func(string) Command { return nil }
	}
	s := &Session{config: c, started: c.Now()}
	s.symbols.ids = make(map[string]symbol, 128)
	s.symbols.names = append(s.symbols.names, fixedNames[:]...)
	for i, name := range fixedNames {
		s.symbols.ids[name] = symbol(i)
	}
	s.builtins = allBuiltins()
	s.pids.Store(firstPID - 1)
	s.saved = s.first()
	return s
}

// allBuiltins are the builtins by name, the same for every session.
var allBuiltins = sync.OnceValue(func() map[string]*builtin {
	all := make(map[string]*builtin, 80)
	for _, table := range builtinTables {
		list := table()
		for i := range list {
			all[list[i].name] = &list[i]
		}
	}
	return all
})

// firstPID is the main shell's process id of the first run.
const firstPID = 10000

// first is the state a session starts with.
func (s *Session) first() state {
	p := &proc{state: state{session: s, view: s.config.View, shopts: defaultShopts, options: defaultOptions}}
	p.epoch = s.epochs.Add(1)
	p.run = &run{session: s}
	p.traps = newTraps()
	p.traps.shell = true
	p.random = uint32(s.config.Now().UnixNano())
	p.secondsFrom = s.config.Now()
	define := func(name, value string, attrs attr) {
		p.charge(variableCost)
		p.vars.put(s.symbol(name), &variable{value: text{s: value}, set: true, attrs: attrs, epoch: p.epoch}, p.epoch)
	}
	for _, d := range dynamicAttributes {
		p.vars.put(d.symbol, &variable{attrs: attrDynamic | d.attrs, set: true, epoch: p.epoch}, p.epoch)
	}
	for _, symbol := range [...]symbol{symGROUPS, symFUNCNAME, symBASHARGC, symBASHARGV, symBASHSOURCE, symBASHLINENO, symPIPESTATUS} {
		p.vars.get(symbol).attrs |= attrNoAssign
	}
	id := s.config.View.Identity()
	define("BASH", "/usr/bin/bash", 0)
	define("BASH_VERSION", bashVersion, 0)
	define("BASH_LOADABLES_PATH", "/usr/local/lib/bash:/usr/lib/bash:/opt/local/lib/bash:/usr/pkg/lib/bash:/opt/pkg/lib/bash:.", 0)
	define("PPID", "1", attrInteger|attrReadonly)
	define("EUID", strconv.Itoa(id.UID), attrInteger|attrReadonly)
	define("UID", strconv.Itoa(id.UID), attrInteger|attrReadonly)
	define("HOSTNAME", s.config.Host, 0)
	define("HOSTTYPE", "x86_64", 0)
	define("MACHTYPE", "x86_64-pc-linux-gnu", 0)
	define("OSTYPE", "linux-gnu", 0)
	define("IFS", " \t\n", 0)
	define("OPTERR", "1", 0)
	define("OPTIND", "1", attrInteger)
	define("PS4", "+ ", 0)
	define("SHELL", "/bin/bash", 0)
	define("TERM", "dumb", 0)
	define("PATH", "/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin:.", 0)
	versions := &variable{attrs: attrIndexed | attrReadonly, set: true, epoch: p.epoch}
	for i, v := range [...]string{"5", "2", "15", "1", "release", "x86_64-pc-linux-gnu"} {
		t, _ := p.elementSlot(versions, "", int64(i))
		*t = text{s: v}
	}
	p.vars.put(s.symbol("BASH_VERSINFO"), versions, p.epoch)
	s.baseline = p.state
	p.epoch = s.epochs.Add(1)
	p.vars.pages = append([]*page(nil), p.vars.pages...)
	p.importEnvironment(s.config.Environment)
	return p.state
}

const bashVersion = "5.2.15(1)-release"

// importEnvironment makes variables and functions of what a shell is given.
func (p *proc) importEnvironment(list []string) {
	s := p.session
	level := 0
	for _, pair := range list {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			continue
		}
		if fn, ok := strings.CutPrefix(name, "BASH_FUNC_"); ok && strings.HasSuffix(fn, "%%") {
			p.importFunction(strings.TrimSuffix(fn, "%%"), value)
			continue
		}
		if !validName(name) {
			p.strangers = append(p.strangers, pair)
			continue
		}
		if name == "SHLVL" {
			level = number(value)
			continue
		}
		sym := s.symbol(name)
		if v := p.vars.get(sym); v != nil && v.attrs&attrReadonly != 0 || name == "SHELLOPTS" || name == "BASHOPTS" {
			continue
		}
		v := &variable{value: text{s: value}, set: true, attrs: attrExport, epoch: p.epoch, charged: int64(len(value))}
		if old := p.vars.get(sym); old.is(attrDynamic) {
			v.attrs |= old.attrs
		}
		if !p.charge(int64(len(value)) + variableCost) {
			return
		}
		p.vars.put(sym, v, p.epoch)
		if sym < symbolsWithHooks {
			p.changed(sym)
		}
	}
	p.vars.put(symSHLVL, &variable{value: text{s: strconv.Itoa(level + 1)}, set: true, attrs: attrExport, epoch: p.epoch}, p.epoch)
	p.vars.put(symPWD, &variable{value: text{s: p.view.Directory()}, set: true, attrs: attrExport, epoch: p.epoch}, p.epoch)
	if v := p.vars.get(symOLDPWD); v == nil {
		p.vars.put(symOLDPWD, &variable{attrs: attrExport, epoch: p.epoch}, p.epoch)
	}
}

// importFunction defines a function that came in the environment.
func (p *proc) importFunction(name, value string) {
	if !strings.HasPrefix(value, "() {") {
		return
	}
	refuse := func() { p.writeError(p.name + ": error importing function definition for `" + name + "'\n") }
	lines := p.parser(name, []byte(name+" "+value), 1)
	line, err := lines.Next()
	var fault *parse.Error
	switch {
	case errors.As(err, &fault):
		last := strings.Count(value, "\n") + 1
		for _, m := range fault.Lines {
			p.writeError(fmt.Sprintf("%s: %s: line %d: %s\n", p.name, name, min(m.Line, last), m.Text))
		}
		refuse()
		return
	case err != nil:
		return
	}
	if _, err := lines.Next(); len(line.Stmts) != 1 || err != io.EOF {
		p.writeError(p.name + ": warning: " + name + ": ignoring function definition attempt\n")
		refuse()
		return
	}
	c := &compiler{session: p.session, lines: line, file: "environment"}
	if n, ok := c.block(line.Stmts).(*functionNode); ok {
		n.run(p)
		if f, ok := p.functions.get(name); ok {
			f.exported = true
		}
	}
}

// Patience is how long the calls of the run that goes on may take to end once it
// is over.
func (s *Session) Patience() time.Duration {
	d := s.config.Grace
	if r := s.current.Load(); r != nil {
		d = max(d, time.Duration(r.held.Load()))
	}
	return d
}

// Directory is the working directory that the next run starts in.
func (s *Session) Directory() string { return s.saved.view.Directory() }

// Run runs one script and returns its exit status. When ctx ends the script
// is stopped with status 124; every goroutine has ended when Run returns,
// except in calls of foreign code that ignore their context (see Stuck).
func (s *Session) Run(ctx context.Context, o RunOptions) int {
	if o.Name == "" {
		o.Name = "bash"
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &run{session: s, options: o, ctx: ctx, cancel: cancel, procs: map[int]*proc{}}
	s.current.Store(r)
	if o.Over != nil {
		defer context.AfterFunc(ctx, o.Over)()
	}
	p := &proc{state: s.saved}
	p.run = r
	p.epoch = s.epochs.Add(1)
	p.pid = s.newPID()
	p.shellPID, p.ppid = p.pid, 1
	p.ctx, p.cancel = context.WithCancel(ctx)
	p.wake = make(chan struct{}, 1)
	p.execMu = new(sync.Mutex)
	p.traps = newTraps()
	p.traps.shell = true
	p.name, p.args, p.source = o.Name, o.Arguments, o.File
	expand := p.shopts.has(shoptExpandAliases)
	p.options, p.shopts = defaultOptions, defaultShopts.with(shoptExpandAliases, expand)
	p.files = descriptors{}
	p.give(0, newForeign(orEmpty(o.Stdin), nil), vfs.O_RDONLY)
	p.give(1, newForeign(nil, orDiscard(o.Stdout)), vfs.O_WRONLY)
	p.give(2, newForeign(nil, orDiscard(o.Stderr)), vfs.O_WRONLY)
	p.view = p.view.WithDescriptors(p)
	r.add(p)
	stop := r.watch()
	defer stop()

	p.underscore(o.Name)
	before := p.beginOverrides(o)
	p.guard(func(p *proc) { p.main(o) })
	status := p.status
	if r.ctx.Err() != nil {
		status = statusTimeout
	}
	p.endRun()
	if err := r.refused.Load(); err != nil && r.limited.CompareAndSwap(false, true) {
		p.lastWords((*err).Error())
	}
	if over := r.over.Load(); over != 0 {
		status = int(over - 1)
	}
	for p.frame != nil {
		p.pop()
	}
	p.endOverrides(before)
	p.files.closeAll()
	r.remove(p)
	p.cancel()
	s.keep(p)
	return status
}

// keep saves what lasts between runs.
func (s *Session) keep(p *proc) {
	p.flow, p.status, p.loops, p.tested, p.depth, p.trapping = flowNone, 0, 0, 0, 0, 0
	p.jobs, p.lastJob, p.pipeStatus, p.pipeOne = jobTable{}, 0, nil, 0
	p.children, p.snapshot, p.opened = nil, nil, nil
	p.out, p.outError, p.unheeded, p.toldOnly, p.command = nil, nil, false, false, commandText{}
	p.release(p.late + p.scratched)
	p.late, p.scratched = 0, 0
	p.args, p.directories = nil, nil
	p.argv, p.noted, p.argsSet = nil, false, false
	p.line, p.getopts, p.traceLevel = 0, 0, 0
	p.disabled = names[bool]{}
	p.view = p.view.WithDescriptors(nil)
	s.saved = p.state
}

// overrides are what RunOptions change for one run only.
type overrides struct {
	view      *vfs.View
	variables []hidden
	after     string
}

func (p *proc) beginOverrides(o RunOptions) overrides {
	b := overrides{view: p.view}
	if o.Directory != "" {
		p.view = p.view.WithDirectory(p.view.Abs(o.Directory))
		b.variables = append(b.variables, hidden{symPWD, p.vars.get(symPWD)})
		p.vars.put(symPWD, &variable{value: text{s: p.view.Directory()}, set: true, attrs: attrExport, epoch: p.epoch}, p.epoch)
	}
	for _, pair := range o.Environment {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || !validName(name) {
			continue
		}
		s := p.session.symbol(name)
		b.variables = append(b.variables, hidden{s, p.vars.get(s)})
		p.vars.put(s, &variable{value: text{s: value}, set: true, attrs: attrExport, epoch: p.epoch}, p.epoch)
		p.changed(s)
	}
	return b
}

func (p *proc) endOverrides(b overrides) {
	for i := len(b.variables) - 1; i >= 0; i-- {
		h := b.variables[i]
		p.vars.put(h.symbol, h.old, p.epoch)
		p.changed(h.symbol)
	}
	if p.run.options.Directory != "" {
		p.view = b.view
	}
}

// main runs the script and its EXIT trap.
func (p *proc) main(o RunOptions) {
	switch {
	case o.Command:
		p.shellMode = 'c'
	case o.FromStdin:
		p.shellMode = 's'
	}
	if !p.applyOptions(o.Options) {
		return
	}
	if o.Command {
		p.vars.put(p.session.symbol("BASH_EXECUTION_STRING"), &variable{value: text{s: o.Script}, set: true, epoch: p.epoch}, p.epoch)
	}
	if o.FromStdin {
		p.runStdin()
	} else {
		label, lines := "", p.fileParser
		if o.Command {
			label, lines = "-c", p.parser
		}
		p.runSource(lines(o.Name, []byte(o.Script), 1), label, []byte(o.Script), o.File)
	}
	p.finish()
}

// runStdin runs the script that descriptor 0 gives. Commands of the script
// read what stands behind the line they are in.
func (p *proc) runStdin() {
	var source []byte
	in := p.files.get(0)
	if in == nil {
		return
	}
	in.retain()
	defer in.close()
	line := 1
	for p.flow == flowNone {
		more, err := in.peek(p.ctx, 512)
		if err != nil {
			if len(source) > 0 {
				p.runSource(p.fileParser(p.name, source, line), "", source, "")
			}
			return
		}
		n := len(more)
		for i, b := range more {
			if b == '\n' {
				n = i + 1
				break
			}
		}
		source = append(source, more[:n]...)
		in.discard(n)
		if len(source) > p.session.config.MaxSource {
			p.runSource(p.fileParser(p.name, source, line), "", source, "")
			return
		}
		if source[len(source)-1] != '\n' || p.incomplete(source, line) {
			continue
		}
		if !p.runSource(p.fileParser(p.name, source, line), "", source, "") {
			return
		}
		for _, b := range source {
			if b == '\n' {
				line++
			}
		}
		source = source[:0]
	}
}

// incomplete reports whether source needs more lines.
func (p *proc) incomplete(source []byte, line int) bool {
	lines := p.fileParser(p.name, source, line)
	for {
		_, err := lines.Next()
		if err == nil {
			continue
		}
		return isIncomplete(err)
	}
}

// finish ends a process in order: what control flow is left over, then the
// EXIT trap.
func (p *proc) finish() {
	if p.flow != flowKilled && p.attention.Load() != 0 {
		f := p.flow
		p.flow = flowNone
		if !p.checkpoint() {
			p.flow = f
		}
	}
	if p.flow == flowKilled {
		p.killedTrap()
		return
	}
	p.flow = flowNone
	p.exitTrap()
}

// killedTrap runs the EXIT trap of a process that a signal ends.
func (p *proc) killedTrap() {
	n := p.deadly()
	if n == 0 || n == sigKILL || p.run.over.Load() != 0 || p.run.ctx.Err() != nil {
		return
	}
	p.pending.Store(0)
	p.attention.Store(0)
	status := p.status
	ctx, cancel := context.WithCancel(p.run.ctx)
	defer cancel()
	p.run.mu.Lock() // kill looks at it
	p.ctx = ctx
	p.run.mu.Unlock()
	p.flow = flowNone
	p.exitTrap()
	p.status = status
}

// leaving says how a process that exits came to it: bash runs the EXIT trap
// where exit stands, inside its function; after a failure under set -e the
// function's variables are gone by then, after errors the function too.
type leaving uint8

const (
	leavesUnwound leaving = iota
	leavesFailed
	leavesHere
)

// exitInside runs the EXIT trap in the function whose body has just exited.
func (p *proc) exitInside() {
	if handler, ok := p.traps.get(trapEXIT); !ok || handler == "" || p.traps.fired {
		return
	}
	if p.flow == flowKilled {
		p.killedTrap()
		p.flow = flowKilled
		return
	}
	if p.leaving == leavesFailed && p.subshell == p.baseSubshell {
		for f := p.frame; f != nil; f = f.parent {
			f = p.ownFrame(f)
			p.uncover(f)
			f.undo = nil
		}
	}
	p.exitTrap()
	if p.flow == flowNone || p.flow == flowReturn {
		p.flow = flowExit
	}
}

// exitTrap runs the EXIT trap, once.
func (p *proc) exitTrap() {
	handler, ok := p.traps.get(trapEXIT)
	if !ok || handler == "" || p.traps.fired {
		return
	}
	p.traps.fired = true
	p.flow = flowNone
	status := p.status
	p.loops, p.tested = 0, 0
	p.exiting, p.exitStatus = true, status
	inner := p.subshell > p.captured
	if inner {
		p.traceLevel++
	}
	p.runTrap(handler, evalExit)
	if inner {
		p.traceLevel--
	}
	p.exiting = false
	p.stopped() // the trap's last command may have killed the shell
	if p.flow != flowExit && p.flow != flowKilled && p.flow != flowReturn {
		p.status = status
	}
	if p.flow == flowExit {
		p.flow = flowNone
	}
}

// endRun ends what the script has left behind: process substitutions may
// finish, jobs get a grace, then TERM, then nothing.
func (p *proc) endRun() {
	r := p.run
	p.closePipes() // readers see the end of what they read
	if r.live.Load() == 0 {
		r.group.Wait()
		return
	}
	done := make(chan struct{})
	go func() {
		r.group.Wait()
		close(done)
	}()
	wait := func(d time.Duration) bool {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-done:
			return true
		case <-timer.C:
			return false
		}
	}
	if r.ctx.Err() == nil {
		select {
		case <-done:
			return
		default:
		}
		if wait(p.session.config.Grace) {
			return
		}
		r.mu.Lock()
		pids := make([]int, 0, len(r.procs))
		for pid := range r.procs {
			if pid != p.pid {
				pids = append(pids, pid)
			}
		}
		r.mu.Unlock()
		for _, pid := range pids {
			r.kill(pid, sigTERM)
		}
		if wait(termGrace) {
			return
		}
	}
	r.cancel()
	<-done
}

// termGrace is what jobs get between TERM and their end.
const termGrace = 50 * time.Millisecond

func orEmpty(r io.Reader) io.Reader {
	if r == nil {
		return strings.NewReader("")
	}
	return r
}

func orDiscard(w io.Writer) io.Writer {
	if w == nil {
		return io.Discard
	}
	return w
}

// stick remembers a foreign call that has outlived its context.
func (r *run) stick(name string, done <-chan int) {
	s := r.session
	s.stuckMu.Lock()
	s.stuck = append(s.stuck, name)
	s.stuckMu.Unlock()
	go func() {
		<-done
		s.stuckMu.Lock()
		for i, n := range s.stuck {
			if n == name {
				s.stuck = append(s.stuck[:i:i], s.stuck[i+1:]...)
				break
			}
		}
		s.stuckMu.Unlock()
	}()
}

// Stuck names the foreign calls that have ignored the end of their context and
// still run. No further run should start while there are some.
func (s *Session) Stuck() []string {
	s.stuckMu.Lock()
	defer s.stuckMu.Unlock()
	return append([]string(nil), s.stuck...)
}

type stuckCalls struct {
	stuckMu sync.Mutex
	stuck   []string
}

// shellProgram gives the programs that the interpreter itself is: bash and sh,
// and the builtins that exist as programs too.
func (s *Session) shellProgram(abs string) func(p *proc, name string, args, environment []string) int {
	dir, base := path.Split(abs)
	if dir != "/usr/bin/" && dir != "/bin/" || !IsProgram(base) {
		return nil
	}
	switch base {
	case "bash", "sh", "rbash":
		return runShell
	default:
		b := s.builtins[base]
		if b == nil {
			return nil
		}
		return func(p *proc, name string, args, environment []string) int { return runBuiltinProgram(p, b, args) }
	}
}

// IsProgram reports whether the interpreter itself is the program of that name
// in /usr/bin: bash, and the builtins that exist as programs too. The
// filesystem shows them as files.
func IsProgram(name string) bool {
	switch name {
	case "bash", "sh", "rbash", "[", "echo", "false", "kill", "printf", "pwd", "test", "true":
		return true
	}
	return false
}
