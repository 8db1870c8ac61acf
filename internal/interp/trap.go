package interp

import (
	"maps"
	"sync"
)

// traps are the handlers of one process. Others ask it whether a signal would
// kill, so its handlers are read and written under a lock.
type traps struct {
	*trapTable
}

type trapTable struct {
	mu sync.Mutex
	// handlers by signal number; "" ignores the signal.
	handlers map[int]string
	// shown are those that trap -p still lists in a subshell although they no
	// longer run: the parent's, until the subshell sets one of its own.
	shown map[int]string
	// hard are those that were ignored when the shell began: they stay so.
	hard map[int]bool
	// shell says that the process is a shell and no part of one: it ignores QUIT
	// as long as it has no handler for it.
	shell bool
	// fired says that the EXIT trap has run.
	fired bool
}

func newTraps() traps { return traps{&trapTable{}} }

// fork is what a subshell keeps: ignored signals, and what inherit says.
func (t traps) fork(inherit func(n int) bool) traps {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := newTraps()
	c.shown, c.hard = t.shown, t.hard
	for n, h := range t.handlers {
		if h == "" && n != trapEXIT && n < trapDEBUG || inherit(n) {
			c.set(n, h)
		}
	}
	if len(t.handlers) > 0 {
		c.shown = maps.Clone(t.handlers)
	}
	return c
}

// inherited are the traps of a new shell: the signals that are ignored.
func (t traps) inherited() traps {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := newTraps()
	c.shell = true
	for n, h := range t.handlers {
		if h == "" && n != trapEXIT && n < trapDEBUG {
			c.set(n, h)
			if c.hard == nil {
				c.hard = map[int]bool{}
			}
			c.hard[n] = true
		}
	}
	return c
}

func (t traps) get(n int) (string, bool) {
	h, ok := t.handlers[n]
	return h, ok
}

// set gives a signal a handler; unset its default.
func (t traps) set(n int, handler string) {
	t.mu.Lock()
	if t.handlers == nil {
		t.handlers = map[int]string{}
	}
	t.handlers[n] = handler
	t.mu.Unlock()
}

func (t traps) unset(n int) {
	t.mu.Lock()
	delete(t.handlers, n)
	t.mu.Unlock()
}

// handles reports what becomes of a signal.
func (t traps) handles(n int) (trapped, ignored bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	h, ok := t.handlers[n]
	return ok && h != "", ok && h == "" || !ok && n == sigQUIT && t.shell
}

// listed are the handlers that trap -p shows.
func (t traps) listed() map[int]string {
	if t.shown != nil {
		return t.shown
	}
	return t.handlers
}

// signalTrap runs the trap of a signal that has come.
func (p *proc) signalTrap(n int) {
	if handler, ok := p.traps.get(n); ok && handler != "" {
		old := p.trapping
		p.trapping |= trappingSignal
		p.runTrap(handler, evalTrap)
		p.trapping = old
	}
}

// replaced forgets the traps: exec puts another program in the shell's place.
func (t traps) replaced() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.shell = false
	for n, h := range t.handlers {
		if h != "" || n == trapEXIT || n >= trapDEBUG {
			delete(t.handlers, n)
		}
	}
}
