package interp

// flow says how control leaves a node.
type flow uint8

const (
	flowNone flow = iota
	// flowBreak and flowContinue leave proc.levels loops.
	flowBreak
	flowContinue
	// flowReturn leaves the innermost function or sourced file.
	flowReturn
	// flowAbort gives the current top-level command up, as bash's errors in
	// expansions and assignments do: a script file goes on with its next line,
	// a subshell and -c end.
	flowAbort
	// flowExit ends the process (its EXIT trap still runs).
	flowExit
	// flowKilled ends the process without traps: cancelled, or a bound reached.
	flowKilled
)

// node is a prepared command. run leaves the exit status in p.status; when it
// sets p.flow its callers unwind to whoever that flow is for.
type node interface{ run(p *proc) }

// abort gives up the current top-level command with status. The message must
// be out.
func (p *proc) abort(status int) {
	p.status = status
	if p.flow < flowAbort {
		p.flow = flowAbort
	}
}

// giveUp is abort after an error that set -e ends the shell for.
func (p *proc) giveUp() {
	switch {
	case !p.options.has(optErrexit):
		p.abort(1)
	case p.exiting: // in the EXIT trap: the shell's status stands
		p.exit(p.exitStatus)
	default:
		p.exit(1)
	}
}

// exit ends the process with status.
func (p *proc) exit(status int) {
	p.status = status
	p.leaving = leavesUnwound
	if p.flow < flowExit {
		p.flow = flowExit
	}
}
