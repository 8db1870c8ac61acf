package interp

import (
	"strconv"
	"strings"
)

// Signals by number, Linux on x86-64. Pseudo-signals of trap stand behind them.
const (
	trapEXIT = 0
	sigHUP   = 1
	sigINT   = 2
	sigQUIT  = 3
	sigKILL  = 9
	sigPIPE  = 13
	sigALRM  = 14
	sigTERM  = 15
	sigCHLD  = 17
	sigCONT  = 18
	sigSTOP  = 19

	trapDEBUG  = 65
	trapERR    = 66
	trapRETURN = 67
	trapCount  = 68
)

var signalNames = [...]string{
	"EXIT", "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM",
	"STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
}

// signalName is the name without SIG; "" for a number that is none.
func signalName(n int) string {
	switch {
	case n >= 0 && n < len(signalNames):
		return signalNames[n]
	case n == trapDEBUG:
		return "DEBUG"
	case n == trapERR:
		return "ERR"
	case n == trapRETURN:
		return "RETURN"
	case n >= 34 && n <= 49:
		if n == 34 {
			return "RTMIN"
		}
		return "RTMIN+" + strconv.Itoa(n-34)
	case n >= 50 && n <= 64:
		if n == 64 {
			return "RTMAX"
		}
		return "RTMAX-" + strconv.Itoa(64-n)
	}
	return ""
}

// signalNumber reads a signal as kill and trap take it: a number, or a name in
// any case, with or without SIG. Pseudo-signals are for trap only.
func signalNumber(word string, pseudo bool) (int, bool) {
	if n, err := strconv.Atoi(word); err == nil {
		return n, n >= 0 && n <= 64 && signalName(n) != ""
	}
	name := strings.ToUpper(word)
	if !strings.HasPrefix(name, "SIG") || name == "SIGEXIT" {
		for n := trapDEBUG; pseudo && n < trapCount; n++ {
			if signalName(n) == name {
				return n, true
			}
		}
	}
	name = strings.TrimPrefix(name, "SIG")
	for n := 0; n <= 64; n++ {
		if s := signalName(n); s != "" && s == name {
			return n, true
		}
	}
	return 0, false
}

// harmless reports whether a signal's default action is nothing.
func harmless(n int) bool {
	switch n {
	case sigCHLD, sigCONT, 23, 28, sigSTOP, 20, 21, 22:
		return true
	}
	return false
}

// kill sends a virtual signal to the process pid; false: there is none.
func (r *run) kill(pid, signal int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	target := r.procs[pid]
	if target == nil {
		return false
	}
	if signal == 0 {
		return true
	}
	target.pending.Or(1 << (signal - 1))
	target.attention.Store(1)
	select {
	case target.wake <- struct{}{}:
	default:
	}
	if trapped, ignored := target.traps.handles(signal); signal == sigKILL || !trapped && !ignored && !harmless(signal) {
		target.cancel()
		for _, p := range r.procs {
			if p.ctx.Err() != nil {
				p.attention.Store(1)
			}
		}
	}
	return true
}

// killTree sends a signal to the process pid and to all it has started; false:
// there is no such process.
func (r *run) killTree(pid, signal int) bool {
	r.mu.Lock()
	list := []int{pid}
	for _, p := range r.procs {
		for up := p.parent; up != nil && p.pid != pid; up = up.parent {
			if up.pid == pid {
				list = append(list, p.pid)
				break
			}
		}
	}
	r.mu.Unlock()
	found := r.kill(pid, signal)
	for _, n := range list[1:] {
		r.kill(n, signal)
	}
	return found
}

// deadly is the pending signal that ends the process, 0 for none.
func (p *proc) deadly() int {
	pending := p.pending.Load()
	for n := 1; pending != 0; n++ {
		if pending&1 != 0 {
			trapped, ignored := p.traps.handles(n)
			if n == sigKILL || !trapped && !ignored && !harmless(n) {
				return n
			}
		}
		pending >>= 1
	}
	return 0
}

// checkpoint is called between commands: it runs the traps of signals that
// have come. true: the process must unwind.
func (p *proc) checkpoint() bool {
	if p.attention.Load() == 0 {
		return false
	}
	p.attention.Store(0)
	if p.die() {
		p.attention.Store(1)
		return true
	}
	pending := p.pending.Swap(0)
	for n := 1; pending != 0 && p.flow == flowNone; n++ {
		if pending&1 != 0 {
			p.signalTrap(n)
		}
		pending >>= 1
	}
	return p.flow != flowNone
}
