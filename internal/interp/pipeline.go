package interp

import (
	"slices"
	"strconv"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/vsh-project/vsh/vfs"
)

// pipeline is a | b | c, which the tree nests to the left.
type pipeline struct {
	line   int
	stages []node
	// both says that a stage's stderr goes into the pipe too: |&.
	both  []bool
	check bool
	trees []*syntax.Stmt // of the stages
	text  *compiler
}

func (c *compiler) pipeline(s *syntax.Stmt, x *syntax.BinaryCmd, check bool) node {
	var chain []*syntax.BinaryCmd
	first := x.X
	for at := x; ; {
		chain = append(chain, at)
		first = at.X
		next, ok := at.X.Cmd.(*syntax.BinaryCmd)
		if !ok || next.Op != syntax.Pipe && next.Op != syntax.PipeAll || at.X.Negated || len(at.X.Redirs) > 0 || at.X.Background {
			break
		}
		at = next
	}
	n := &pipeline{line: c.lineOf(s.Pos()), check: check, text: c}
	add := func(s *syntax.Stmt) {
		stage := c.stage(s)
		if x, ok := stage.(*simple); ok {
			x.debugged = true
		}
		n.stages = append(n.stages, stage)
		n.trees = append(n.trees, s)
	}
	add(first)
	for i := len(chain) - 1; i >= 0; i-- {
		n.both = append(n.both, chain[i].Op == syntax.PipeAll)
		add(chain[i].Y)
	}
	return n
}

func (n *pipeline) run(p *proc) {
	if p.checkpoint() {
		return
	}
	p.line = n.line
	last := len(n.stages) - 1
	statuses := make([]int, last+1)
	lastpipe := p.shopts.has(shoptLastpipe) && !p.options.has(optMonitor)
	var group sync.WaitGroup
	var in *openFile // what the next stage reads
	var forked []*proc
	for i, stage := range n.stages {
		if i == last && lastpipe {
			break
		}
		if x, ok := stage.(*simple); ok && p.trapActive(trapDEBUG) {
			p.line = x.line
			p.runs(commandText{x.tree, x.text, commandWhole})
			p.debugTrap()
			p.line = n.line
		}
		c := p.fork(p.ctx)
		if c == nil {
			break
		}
		forked = append(forked, c)
		c.loops = 0
		if _, c.sole = stage.(*simple); !c.sole {
			c.jobs = jobTable{}
		}
		if in != nil {
			c.take(0, in)
			in = nil
		}
		if i < last {
			r, w := p.newPipe()
			c.take(1, w)
			if n.both[i] {
				c.take(2, w.retain())
			}
			in = r
		}
		group.Add(1)
		if p.options.has(optXtrace) {
			c.traced = &firstTrace{told: make(chan struct{})}
		}
		traced := c.traced
		c.start(stage.run, func(status int) {
			statuses[i] = status
			traced.tell()
			group.Done()
		})
		if traced != nil && i < last {
			traced.wait(p.ctx)
		}
	}
	if lastpipe && p.flow == flowNone {
		var undo undoList
		if p.install(0, in, &undo) {
			in = nil
			loops := p.loops
			p.tested++ // the pipeline as a whole is looked at below
			n.stages[last].run(p)
			p.tested--
			p.loops = loops
			statuses[last] = p.status
		}
		p.restore(&undo)
	}
	if in != nil {
		in.close()
	}
	group.Wait()
	if p.flow >= flowExit || p.cancelled() {
		return
	}
	status := statuses[last]
	if p.options.has(optPipefail) {
		status = 0
		for _, s := range statuses {
			if s != 0 {
				status = s
			}
		}
	}
	if len(forked) == len(n.stages) {
		p.foregroundPipelineDeath(n, forked, statuses)
	}
	flow := p.flow
	p.flow = flowNone
	p.status = status
	p.pipeStatus = statuses
	if status != 0 && n.check {
		p.failed()
	}
	if p.flow == flowNone {
		p.flow = flow
	}
}

// take makes fd refer to file, whose reference it takes over.
func (p *proc) take(fd int, file *openFile) {
	if old := p.files.put(fd, file); old != nil {
		old.close()
	}
}

// background is command &.
type background struct {
	line int
	body node
	tree *syntax.Stmt
	text *compiler
}

func (n *background) run(p *proc) {
	if p.checkpoint() {
		return
	}
	p.line = n.line
	p.launch(n.body, n.tree, n.text, func(c *proc) bool {
		if !p.options.has(optMonitor) {
			c.give(0, nullStream{}, vfs.O_RDONLY) // as from /dev/null
			c.traps.set(sigINT, "")
			c.traps.set(sigQUIT, "")
		}
		return true
	})
	if p.flow == flowNone {
		p.status = 0
	}
}

// launch starts body as a background job and enters it in the table.
func (p *proc) launch(body node, tree *syntax.Stmt, c *compiler, prepare func(c *proc) bool) *job {
	child := p.fork(p.run.ctx)
	if child == nil {
		return nil
	}
	if !prepare(child) {
		child.end()
		return nil
	}
	child.loops, child.tested = 0, 0
	j := &job{pid: child.pid, done: make(chan struct{}), tree: tree, source: c, controlled: p.options.has(optMonitor)}
	_, child.sole = body.(*simple)
	p.jobs.add(j)
	p.lastJob = child.pid
	child.start(body.run, func(status int) {
		j.status, j.killed = status, child.killedBy
		p.childEnded(j)
	})
	return j
}

// childEnded tells a process that one of its jobs is over: SIGCHLD's trap will
// run, and wait wakes up.
func (p *proc) childEnded(j *job) {
	if trapped, _ := p.traps.handles(sigCHLD); trapped {
		p.pending.Or(1 << (sigCHLD - 1))
		p.attention.Store(1)
	}
	close(j.done)
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// substituteProcess starts <( ) or >( ) and returns the path of its pipe.
func (p *proc) substituteProcess(body node, in bool) (string, bool) {
	fd := p.highDescriptor(63)
	if fd >= p.session.config.MaxDescriptors {
		p.errorf("cannot make pipe for process substitution: Too many open files")
		p.abort(1)
		return "", false
	}
	c := p.fork(p.run.ctx)
	if c == nil {
		return "", false
	}
	r, w := p.newPipe()
	if in {
		c.take(1, w)
		p.take(fd, r)
	} else {
		c.take(0, r)
		p.take(fd, w)
	}
	p.opened = append(p.opened, fd)
	c.loops, c.tested = 0, 0
	c.traceLevel++
	p.lastJob = c.pid
	j := &job{pid: c.pid, done: make(chan struct{}), hidden: true}
	p.jobs.substitutions = append(slices.DeleteFunc(p.jobs.substitutions, (*job).ended), j)
	c.start(body.run, func(status int) {
		j.status = status
		close(j.done)
	})
	return "/dev/fd/" + strconv.Itoa(fd), true
}

// closeSubstitutions closes the pipes of process substitutions that the
// current command opened.
func (p *proc) closeSubstitutions(from int) {
	for _, fd := range p.opened[from:] {
		p.take(fd, nil)
	}
	p.opened = p.opened[:from]
}

// coprocess is coproc NAME command.
type coprocess struct {
	line int
	name string
	body node
	tree *syntax.Stmt
	text *compiler
}

func (c *compiler) coproc(s *syntax.Stmt, x *syntax.CoprocClause) node {
	n := &coprocess{line: c.lineOf(s.Pos()), name: "COPROC", body: c.prepare(x.Stmt, true), tree: s, text: c}
	if x.Name != nil {
		n.name = x.Name.Lit()
	}
	return n
}

func (n *coprocess) run(p *proc) {
	p.line = n.line
	if !validName(n.name) {
		p.errorf("`%s': not a valid identifier", n.name)
		p.status = 1
		return
	}
	for _, j := range p.jobs.list {
		if c := j.coproc; c != nil && !j.ended() {
			p.errorf("warning: execute_coproc: coproc [%d:%s] still exists", j.pid, c.name)
			break
		}
	}
	inR, inW := p.newPipe()
	outR, outW := p.newPipe()
	j := p.launch(n.body, n.tree, n.text, func(c *proc) bool {
		c.take(0, inR)
		c.take(1, outW)
		return true
	})
	if j == nil {
		return
	}
	read := p.highDescriptor(63)
	p.take(read, outR)
	write := p.highDescriptor(60)
	p.take(write, inW)
	s := p.session.symbol(n.name)
	p.unsetVariable(s)
	p.assignIndex(s, 0, strconv.Itoa(read))
	p.assignIndex(s, 1, strconv.Itoa(write))
	p.assign(p.session.symbol(n.name+"_PID"), strconv.Itoa(j.pid), false)
	j.coproc = &coprocEnds{name: n.name, read: read, write: write}
	p.status = 0
}

// highDescriptor is the first closed descriptor from fd downwards, where bash
// puts what a script has not named.
func (p *proc) highDescriptor(fd int) int {
	for at := fd; at > 2; at-- {
		if p.files.get(at) == nil {
			return at
		}
	}
	return p.files.free(64)
}

// coprocEnds is what is closed and unset when a coprocess has been waited for.
type coprocEnds struct {
	name        string
	read, write int
}
