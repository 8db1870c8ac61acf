package interp

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// The builtins about jobs and processes.

func init() { builtinTables = append(builtinTables, jobBuiltins) }

func jobBuiltins() []builtin {
	return []builtin{
		{name: "wait", run: builtinWait, usage: "wait [-fn] [-p var] [id ...]"},
		{name: "jobs", run: builtinJobs, usage: "jobs [-lnprs] [jobspec ...] or jobs -x command [args]"},
		{name: "kill", run: builtinKill, usage: "kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]"},
		{name: "disown", run: builtinDisown, usage: "disown [-h] [-ar] [jobspec ... | pid ...]"},
		{name: "fg", run: builtinFg, usage: "fg [job_spec]"},
		{name: "bg", run: builtinBg, usage: "bg [job_spec ...]"},
		{name: "suspend", run: builtinSuspend, usage: "suspend [-f]"},
	}
}

// spec finds the job that a %spec names. When it returns nil the message is
// out, prefixed by the builtin's name.
func (p *proc) spec(name, spec string) *job {
	j, ambiguous := p.jobs.spec(spec)
	if j != nil && (name == "wait" || name == "kill") && j.noticed.Load() && j.ended() && strings.Contains("%%+%-", spec) {
		j = nil // what is over is no current job
	}
	if j == nil {
		if ambiguous {
			p.errorf("%s: %s: ambiguous job spec", name, strings.TrimLeft(spec, "%?"))
		}
		p.errorf("%s: %s: no such job", name, spec)
	}
	return j
}

// spec finds a job by %N, %%, %+, %-, %prefix or %?text.
func (t *jobTable) spec(spec string) (found *job, ambiguous bool) {
	word := strings.TrimPrefix(spec, "%")
	n := len(t.list)
	switch word {
	case "", "%", "+":
		if n > 0 {
			return t.list[n-1], false
		}
		return nil, false
	case "-":
		if n > 1 {
			return t.list[n-2], false
		}
		if n > 0 {
			return t.list[0], false
		}
		return nil, false
	}
	if number, err := strconv.Atoi(word); err == nil {
		for _, j := range t.list {
			if j.number == number {
				return j, false
			}
		}
		return nil, false
	}
	text, inside := strings.CutPrefix(word, "?")
	for _, j := range t.list {
		command := j.text()
		if inside && strings.Contains(command, text) || !inside && strings.HasPrefix(command, text) {
			if found != nil {
				return nil, true
			}
			found = j
		}
	}
	return found, false
}

// text is the job's command as jobs shows it.
func (j *job) text() string {
	if j.tree == nil {
		return ""
	}
	return commandText{j.tree, j.source, commandWhole}.print()
}

// sweep drops the jobs whose end a script without job control never hears of.
func (p *proc) sweep() {
	if p.options.has(optMonitor) {
		return
	}
	for _, j := range append([]*job(nil), p.jobs.list...) {
		if j.noticed.Load() && j.ended() {
			p.forget(j)
		}
	}
}

// childSignal makes SIGCHLD's trap run: a child has ended.
func (p *proc) childSignal() {
	if h, ok := p.traps.get(sigCHLD); ok && h != "" {
		p.pending.Or(1 << (sigCHLD - 1))
		p.attention.Store(1)
	}
}

// notice marks the jobs that have ended as known: a foreground process has
// been waited for since.
func (p *proc) notice() {
	for _, j := range p.jobs.list {
		if j.ended() {
			j.noticed.Store(true)
		}
	}
	p.childSignal()
}

// foregroundDeath tells of a foreground process that a signal has ended.
func (p *proc) foregroundDeath(n int, pid int, what commandText) {
	_, trapped := p.traps.get(n)
	switch {
	case n == 0, n == sigINT, n == sigPIPE, p.captured != 0:
	case n == sigTERM, trapped:
		p.writeError(signalText(n) + "\n")
	default:
		p.errorf("%5d %-23s %s", pid, signalText(n), what.print())
	}
}

// death is the end of a command by a signal.
type death struct {
	signal, pid int
	what        commandText
}

// tellDeath tells of the command that has just run, once its redirections no
// longer hold.
func (p *proc) tellDeath() {
	d := p.death
	p.death = death{}
	p.foregroundDeath(d.signal, d.pid, d.what)
}

// foregroundPipelineDeath is foregroundDeath for a pipeline whose last process
// a signal has ended: it tells of each process.
func (p *proc) foregroundPipelineDeath(n *pipeline, stages []*proc, statuses []int) {
	last := stages[len(stages)-1].killedBy
	_, trapped := p.traps.get(last)
	if last == 0 || last == sigINT || last == sigPIPE || last == sigTERM || p.captured != 0 || trapped {
		p.foregroundDeath(last, 0, commandText{})
		return
	}
	var b strings.Builder
	before := ""
	for i, c := range stages {
		state := "Done"
		switch {
		case c.killedBy != 0:
			state = signalText(c.killedBy)
		case statuses[i] != 0:
			state = "Exit " + strconv.Itoa(statuses[i])
		}
		shown := state
		if i > 0 && state == before {
			shown = ""
		}
		before = state
		text := commandText{n.trees[i], n.text, commandWhole}.print()
		if i > 0 {
			text = "| " + text
			b.WriteString("\n     ")
		}
		if i < len(n.both) && n.both[i] {
			text += " 2>&1"
		}
		width := 23
		if shown == "" {
			width = 21
		}
		b.WriteString(fmt.Sprintf("%5d %-*s %s", c.pid, width, shown, text))
	}
	p.errorf("%s", b.String())
}

// forget takes an ended job off the table.
func (p *proc) forget(j *job) {
	p.jobs.remove(j)
	if c := j.coproc; c != nil {
		j.coproc = nil
		p.take(c.read, nil)
		p.take(c.write, nil)
		for _, name := range []string{c.name, c.name + "_PID"} {
			if s := p.session.symbol(name); !p.vars.get(s).is(attrReadonly) {
				p.unsetVariable(s)
			}
		}
	}
}

// collect waits for a job. interrupted is the trapped signal that ended the
// wait early; ok is false when the process must unwind.
func (p *proc) collect(j *job) (status, interrupted int, ok bool) {
	for {
		if j.ended() {
			p.reportDeath(j)
			return j.status, 0, true
		}
		if n := p.interrupting(); n != 0 {
			return 0, n, true
		}
		select {
		case <-j.done:
		case <-p.wake:
		case <-p.ctx.Done():
			p.cancelled()
			return 0, 0, false
		}
	}
}

// interrupting is a pending signal with a trap, other than CHLD.
func (p *proc) interrupting() int {
	pending := p.pending.Load()
	for n := 1; n <= 64; n++ {
		if pending&(1<<(n-1)) != 0 && n != sigCHLD {
			if trapped, _ := p.traps.handles(n); trapped {
				return n
			}
		}
	}
	return 0
}

// reportDeath tells of a job that an unusual signal has ended.
func (p *proc) reportDeath(j *job) {
	if j.reported.Load() || j.hidden {
		return
	}
	j.reported.Store(true)
	if n := j.killed; n != 0 && n != sigTERM && n != sigINT && n != sigPIPE {
		p.errorf("%5d %-23s %s", j.pid, signalText(n), j.text())
	}
}

// signalText is what bash says of a process that signal n has ended.
func signalText(n int) string {
	switch n {
	case sigHUP:
		return "Hangup"
	case sigINT:
		return "Interrupt"
	case sigQUIT:
		return "Quit"
	case 4:
		return "Illegal instruction"
	case 5:
		return "Trace/breakpoint trap"
	case 6:
		return "Aborted"
	case 7:
		return "Bus error"
	case 8:
		return "Floating point exception"
	case sigKILL:
		return "Killed"
	case 10:
		return "User defined signal 1"
	case 11:
		return "Segmentation fault"
	case 12:
		return "User defined signal 2"
	case sigPIPE:
		return "Broken pipe"
	case sigALRM:
		return "Alarm clock"
	case sigTERM:
		return "Terminated"
	}
	return "Signal " + strconv.Itoa(n)
}

func builtinWait(p *proc, args []string) int {
	next, variable := false, ""
	o := p.shortOptions("wait", "fnp:", args)
	for o.next() {
		switch o.letter {
		case 'n':
			next = true
		case 'p':
			variable = o.value
		}
	}
	if o.status != 0 {
		return o.status
	}
	args = o.args
	if variable != "" {
		if !validReference(variable) {
			p.errorf("wait: `%s': not a valid identifier", variable)
			return 1
		}
		if s, ok := p.session.known(variable); ok && !p.unsetVariable(s) {
			return 1
		}
	}
	record := func(pid int) {
		if variable != "" {
			p.set(variable, strconv.Itoa(pid))
		}
	}
	if next {
		return p.waitNext(args, record)
	}
	if len(args) == 0 {
		return p.waitAll()
	}
	status := 0
	for _, id := range args {
		j, known, s := p.waitable("wait", id)
		if j == nil {
			status = s
			if known {
				record(number(id))
			}
			continue
		}
		s, interrupted, ok := p.collect(j)
		if !ok {
			return p.status
		}
		if interrupted != 0 {
			return 128 + interrupted
		}
		status = s
		record(j.pid)
		p.forget(j)
	}
	return status
}

// waitable finds what wait is asked for: a job, or the status of one that is
// known to be over.
func (p *proc) waitable(name, id string) (j *job, known bool, status int) {
	if strings.HasPrefix(id, "%") {
		if j = p.spec(name, id); j == nil {
			return nil, false, 127
		}
		return j, true, 0
	}
	pid, err := strconv.Atoi(id)
	if err != nil || pid < 0 {
		p.errorf("%s: `%s': not a pid or valid job spec", name, id)
		return nil, false, 1
	}
	if j = p.jobs.byPID(pid); j != nil {
		return j, true, 0
	}
	for _, s := range p.jobs.substitutions {
		if s.pid == pid {
			return s, true, 0
		}
	}
	if status, ok := p.jobs.past[pid]; ok {
		return nil, true, status
	}
	p.errorf("%s: pid %d is not a child of this shell", name, pid)
	return nil, false, 127
}

// waitAll waits for every job.
func (p *proc) waitAll() int {
	if p.jobs.foreign {
		return 0
	}
	for len(p.jobs.list) > 0 {
		j := p.jobs.list[0]
		_, interrupted, ok := p.collect(j)
		if !ok {
			return p.status
		}
		if interrupted != 0 {
			return 128 + interrupted
		}
		if p.options.has(optMonitor) {
			j.noticed.Store(true)
			p.tellJob(j)
		}
		p.forget(j)
	}
	for _, j := range p.jobs.substitutions {
		if j.pid == p.lastJob {
			if _, interrupted, ok := p.collect(j); !ok {
				return p.status
			} else if interrupted != 0 {
				return 128 + interrupted
			}
		}
	}
	return 0
}

// waitNext is wait -n: the first of the jobs to end, or one that ended before.
func (p *proc) waitNext(ids []string, record func(int)) int {
	var wanted []*job
	if len(ids) == 0 && !p.jobs.foreign {
		wanted = append(wanted, p.jobs.list...)
	}
	for _, id := range ids {
		if strings.HasPrefix(id, "%") {
			if j := p.spec("wait", id); j != nil {
				wanted = append(wanted, j)
			}
			continue
		}
		pid, err := strconv.Atoi(id)
		if err != nil {
			p.errorf("wait: %s: no such job", id)
			continue
		}
		if j := p.jobs.byPID(pid); j != nil {
			wanted = append(wanted, j)
		} else if status, ok := p.jobs.past[pid]; ok && p.jobs.told != pid {
			delete(p.jobs.past, pid)
			record(pid)
			return status
		} else {
			p.errorf("wait: %d: no such job", pid)
		}
	}
	if len(wanted) == 0 {
		return 127
	}
	for {
		for _, j := range wanted {
			if j.ended() {
				p.reportDeath(j)
				record(j.pid)
				p.forget(j)
				p.jobs.told = j.pid
				return j.status
			}
		}
		if n := p.interrupting(); n != 0 {
			return 128 + n
		}
		select {
		case <-p.wake:
		case <-p.ctx.Done():
			p.cancelled()
			return p.status
		}
	}
}

// jobsForm says how jobs shows a job.
type jobsForm uint8

const (
	jobsDefault jobsForm = iota
	jobsLong
	jobsPID
)

// showJob writes one line of jobs.
func (p *proc) showJob(j *job, form jobsForm) { p.write(p.jobLine(j, form)) }

// tellJob tells of a job whose end set -m makes the shell report.
func (p *proc) tellJob(j *job) {
	p.flushOut()
	p.writeError(p.jobLine(j, jobsDefault))
	j.reported.Store(true)
}

func (p *proc) jobLine(j *job, form jobsForm) string {
	if form == jobsPID {
		return strconv.Itoa(j.pid) + "\n"
	}
	mark := " "
	if n := len(p.jobs.list); n > 0 && p.jobs.list[n-1] == j {
		mark = "+"
	} else if n > 1 && p.jobs.list[n-2] == j {
		mark = "-"
	}
	state, ended := "Running", j.noticed.Load() && j.ended()
	switch {
	case ended && j.killed != 0:
		state = signalText(j.killed)
	case ended && j.status != 0:
		state = "Exit " + strconv.Itoa(j.status)
	case ended:
		state = "Done"
	}
	pid := " "
	if form == jobsLong {
		pid = fmt.Sprintf("%5d ", j.pid)
	}
	tail := " &"
	if ended {
		tail = ""
	}
	return fmt.Sprintf("[%d]%s %s%-23s %s%s\n", j.number, mark, pid, state, j.text(), tail)
}

func builtinJobs(p *proc, args []string) int {
	form, running, stopped, fresh, execute := jobsDefault, false, false, false, false
	o := p.shortOptions("jobs", "lpnrsx", args)
	for o.next() {
		switch o.letter {
		case 'l':
			form = jobsLong
		case 'p':
			form = jobsPID
		case 'n':
			fresh = true
		case 'r':
			running = true
		case 's':
			stopped = true
		case 'x':
			execute = true
		}
	}
	if o.status != 0 {
		return o.status
	}
	args = o.args
	if execute {
		if form != jobsDefault || running || stopped || fresh {
			p.errorf("jobs: no other options allowed with `-x'")
			return 1
		}
		return p.jobsExecute(args)
	}
	p.sweep()
	list := p.jobs.list
	if len(args) > 0 {
		list = nil
		status := 0
		for _, spec := range args {
			if j := p.spec("jobs", spec); j != nil {
				list = append(list, j)
			} else {
				status = 1
			}
		}
		for _, j := range list {
			p.showJob(j, form)
		}
		return status
	}
	for _, j := range append([]*job(nil), list...) {
		ended := j.noticed.Load() && j.ended()
		if stopped || running && ended || fresh && !ended {
			continue
		}
		p.showJob(j, form)
		if ended {
			p.forget(j)
		}
	}
	return 0
}

// jobsExecute is jobs -x: job specs among the words become process ids.
func (p *proc) jobsExecute(args []string) int {
	if len(args) == 0 {
		return 0
	}
	words := append([]string(nil), args...)
	for i, w := range words {
		if strings.HasPrefix(w, "%") {
			if j, _ := p.jobs.spec(w); j != nil {
				words[i] = strconv.Itoa(j.pid)
			}
		}
	}
	p.call(&call{name: words[0], args: words[1:]})
	return p.status
}

func builtinKill(p *proc, args []string) int {
	spec, chosen, list := "TERM", false, false
options:
	for len(args) > 0 {
		a := args[0]
		switch {
		case a == "-l" || a == "-L":
			list = true
		case a == "-s" || a == "-n":
			if len(args) == 1 {
				p.errorf("kill: %s: option requires an argument", a)
				return 1
			}
			spec, args = args[1], args[1:]
		case len(a) > 2 && (a[:2] == "-s" && isLetter(a[2]) || a[:2] == "-n" && a[2] >= '0' && a[2] <= '9'):
			spec = a[2:]
		case a == "--":
			args = args[1:]
			break options
		case a == "-?":
			return p.usageOf("kill")
		case strings.HasPrefix(a, "-") && !chosen: // a second one is a process group
			spec, chosen = a[1:], true
		default:
			break options
		}
		args = args[1:]
	}
	if list {
		return p.killList(args)
	}
	signal, ok := p.killSignal(spec)
	if !ok {
		p.errorf("kill: %s: invalid signal specification", spec)
		return 1
	}
	if len(args) == 0 {
		return p.usageOf("kill")
	}
	status := 1
	for _, id := range args {
		if p.killOne(id, spec, signal) {
			status = 0
		}
	}
	return status
}

// killSignal reads a signal as kill does; in POSIX mode names have no SIG.
func (p *proc) killSignal(spec string) (int, bool) {
	if p.options.has(optPosix) && len(spec) > 3 && strings.EqualFold(spec[:3], "SIG") {
		return 0, false
	}
	return signalNumber(spec, true)
}

// killOne sends a signal to what one operand names.
func (p *proc) killOne(id, spec string, signal int) bool {
	if strings.HasPrefix(id, "%") {
		j := p.spec("kill", id)
		if j == nil {
			return false
		}
		if !p.run.kill(j.pid, signal) && !j.ended() {
			p.errorf("kill: (%d) - No such process", j.pid)
			return false
		}
		return true
	}
	given, ok := legalNumber(id)
	switch {
	case id == "" || id == "-":
		p.errorf("kill: `%s': not a pid or valid job spec", id)
		return false
	case !ok:
		p.errorf("kill: %s: arguments must be process or job IDs", id)
		return false
	case signal >= trapDEBUG:
		p.errorf("kill: %s: invalid signal specification", spec)
		return false
	}
	pid := max(given, -given)
	if pid == 0 {
		pid = int64(p.shellPID)
	}
	if p.run.kill(int(pid), signal) {
		return true
	}
	if j := p.jobs.byPID(int(pid)); j != nil && !j.noticed.Load() {
		return true // a zombie takes signals
	}
	p.errorf("kill: (%d) - No such process", given)
	return false
}

// killList is kill -l.
func (p *proc) killList(args []string) int {
	p.unheeded = true
	if len(args) == 0 {
		if p.options.has(optPosix) {
			p.write(strings.Join(allSignals(), " ") + "\n")
		} else {
			p.write(signalTable())
		}
		return 0
	}
	status := 0
	for _, a := range args {
		if n, ok := legalNumber(a); ok {
			if n > 128 {
				n -= 128
			}
			if n >= 0 && n <= 64 {
				if name := signalName(int(n)); name != "" {
					p.write(name + "\n")
				}
				continue
			}
		} else if n, ok := p.killSignal(a); ok {
			p.write(strconv.Itoa(n) + "\n")
			continue
		}
		p.errorf("kill: %s: invalid signal specification", a)
		status = 1
	}
	return status
}

func builtinDisown(p *proc, args []string) int {
	all, running, nohup := false, false, false
	o := p.shortOptions("disown", "arh", args)
	for o.next() {
		switch o.letter {
		case 'a':
			all = true
		case 'r':
			running = true
		case 'h':
			nohup = true
		}
	}
	if o.status != 0 {
		return o.status
	}
	args = o.args
	var list []*job
	status := 0
	switch {
	case len(args) == 0 && (all || running):
		for _, j := range p.jobs.list {
			if !running || !j.ended() {
				list = append(list, j)
			}
		}
	case len(args) == 0:
		if n := len(p.jobs.list); n > 0 {
			list = append(list, p.jobs.list[n-1])
		} else {
			p.errorf("disown: current: no such job")
			return 1
		}
	}
	for _, id := range args {
		var j *job
		if pid, ok := legalNumber(id); ok {
			j = p.jobs.byPID(int(pid))
		} else {
			j, _ = p.jobs.spec(id)
		}
		if j == nil {
			p.errorf("disown: %s: no such job", id)
			status = 1
			continue
		}
		list = append(list, j)
	}
	for _, j := range list {
		if nohup {
			j.nohup.Store(true)
		} else {
			p.jobs.remove(j)
		}
	}
	return status
}

func builtinFg(p *proc, args []string) int {
	if !p.options.has(optMonitor) {
		p.errorf("fg: no job control")
		return 1
	}
	args, status, ok := p.noOptions("fg", args)
	if !ok {
		return status
	}
	spec := "%+"
	if len(args) > 0 {
		spec = args[0]
	}
	j, _ := p.jobs.spec(spec)
	if j == nil {
		if len(args) == 0 {
			spec = "current"
		}
		p.errorf("fg: %s: no such job", spec)
		return 1
	}
	if !j.controlled {
		p.errorf("fg: job %d started without job control", j.number)
		return 1
	}
	p.write(j.text() + "\n")
	p.flushOut()
	status, interrupted, ok := p.collect(j)
	if !ok {
		return p.status
	}
	if interrupted != 0 {
		return 128 + interrupted
	}
	p.forget(j)
	return status
}

func builtinBg(p *proc, args []string) int {
	if !p.options.has(optMonitor) {
		p.errorf("bg: no job control")
		return 1
	}
	args, status, ok := p.noOptions("bg", args)
	if !ok {
		return status
	}
	if len(args) == 0 {
		args = []string{"%+"}
	}
	for _, spec := range args {
		j, _ := p.jobs.spec(spec)
		switch {
		case j == nil:
			if spec == "%+" {
				spec = "current"
			}
			p.errorf("bg: %s: no such job", spec)
			status = 1
		case !j.controlled:
			p.errorf("bg: job %d started without job control", j.number)
			status = 1
		case !j.ended():
			p.errorf("bg: job %d already in background", j.number)
		default:
			p.errorf("bg: job has terminated")
			status = 1
		}
	}
	return status
}

func builtinSuspend(p *proc, args []string) int {
	o := p.shortOptions("suspend", "f", args)
	for o.next() {
	}
	if o.status != 0 {
		return o.status
	}
	if len(o.args) > 0 {
		p.errorf("suspend: too many arguments")
		p.abort(1)
		return 1
	}
	p.errorf("suspend: cannot suspend: no job control")
	return 1
}

// jobPIDs are the processes of the table, for completion.
func (p *proc) jobPIDs() []int {
	var pids []int
	for _, j := range p.jobs.list {
		pids = append(pids, j.pid)
	}
	sort.Ints(pids)
	return pids
}
