package interp

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"mvdan.cc/sh/v3/syntax"
)

// Traps of DEBUG, ERR and RETURN; set -x; time.

// Bits of proc.trapping.
const (
	trappingDEBUG = 1 << iota
	trappingERR
	trappingRETURN
	trappingSignal
)

// trapActive reports whether a pseudo-signal's trap is set and not hidden by a
// function.
func (p *proc) trapActive(n int) bool {
	h, ok := p.traps.handlers[n]
	return ok && h != "" && p.maskedTraps&(1<<(n-trapDEBUG)) == 0
}

// enterTraps hides the traps a function does not inherit and returns what was
// hidden before.
func (p *proc) enterTraps(f *function) uint8 {
	old := p.maskedTraps
	if !p.options.has(optFunctrace) && !f.traced {
		p.maskedTraps |= 1<<(trapDEBUG-trapDEBUG) | 1<<(trapRETURN-trapDEBUG)
	}
	if !p.options.has(optErrtrace) {
		p.maskedTraps |= 1 << (trapERR - trapDEBUG)
	}
	return old
}

// debugTrap runs the DEBUG trap before a command. true: with extdebug it has
// said that the command must not run, or the process must unwind.
func (p *proc) debugTrap() bool {
	if !p.trapActive(trapDEBUG) || p.trapping&trappingDEBUG != 0 {
		return false
	}
	status, line := p.status, p.line
	p.trapping |= trappingDEBUG
	handler, _ := p.traps.get(trapDEBUG)
	said := p.runTrap(handler, evalDebug)
	if p.stopped() {
		return true // an EXIT trap now runs within this one
	}
	p.trapping &^= trappingDEBUG
	if p.flow != flowNone {
		return true
	}
	p.status, p.line = status, line
	if said == 0 || !p.shopts.has(shoptExtdebug) {
		return false
	}
	if said == 2 && p.frame != nil {
		p.flow = flowReturn
	}
	return true
}

// returnTrap runs the RETURN trap; returned says that return has ended the body.
func (p *proc) returnTrap(returned bool) {
	if p.trapping&trappingRETURN != 0 {
		return
	}
	status := p.status
	if returned {
		p.status = p.beforeReturn
	}
	p.trapping |= trappingRETURN
	handler, _ := p.traps.get(trapRETURN)
	p.runTrap(handler, evalReturn)
	p.trapping &^= trappingRETURN
	if p.flow == flowNone {
		p.status = status
	}
}

// runTrap runs a handler as a command of the current process; the status
// before it is what it sees and, unless it ends the process, what stays. The
// handler's own status is returned.
func (p *proc) runTrap(handler string, kind evalKind) (said int) {
	if !p.deeper() {
		return 0
	}
	status, pipeOne, pipeStatus, line := p.status, p.pipeOne, p.pipeStatus, p.line
	p.evaluateText(handler, kind)
	said = p.status
	if p.flow == flowNone {
		p.status, p.pipeOne, p.pipeStatus, p.line = status, pipeOne, pipeStatus, line
	}
	p.shallower()
	return said
}

// tracePrefix is PS4 expanded, its first character repeated for each level of
// eval, source and substitution.
func (p *proc) tracePrefix() string {
	ps4, _ := p.get("PS4")
	if ps4 == "" {
		return ""
	}
	options := p.options
	p.options = p.options.with(optXtrace, false)
	status := p.status
	expanded := p.expandPrompt(ps4)
	p.options, p.status = options, status
	if expanded == "" {
		return ""
	}
	first := []rune(expanded)[0]
	return strings.Repeat(string(first), p.traceLevel) + expanded
}

// trace writes one line of set -x.
func (p *proc) trace(line string) {
	text := p.tracePrefix() + line + "\n"
	f := p.files.get(2)
	if fd, ok := p.get("BASH_XTRACEFD"); ok && fd != "" {
		if n, err := strconv.Atoi(fd); err == nil && p.files.get(n) != nil {
			f = p.files.get(n)
		}
	}
	if f != nil {
		p.flushOut()
		f.write(p.ctx, []byte(text))
	}
	p.traced.tell()
}

// firstTrace keeps the lines of set -x in the order of a pipeline's stages: the
// next stage starts when this one has written its first.
type firstTrace struct {
	once sync.Once
	told chan struct{}
}

func (t *firstTrace) tell() {
	if t != nil {
		t.once.Do(func() { close(t.told) })
	}
}

// traceWait bounds the wait for a stage that has nothing to trace yet.
const traceWait = 20 * time.Millisecond

func (t *firstTrace) wait(ctx context.Context) {
	timer := time.NewTimer(traceWait)
	defer timer.Stop()
	select {
	case <-t.told:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// traceCall traces a call that is about to happen. What declares arrays is
// traced when it has happened, as bash shows the arrays first.
func (p *proc) traceCall(c *call) {
	if !c.declaresArray() {
		p.traceWords(c)
	}
}

// declaresArray reports whether an operand is name=(…).
func (c *call) declaresArray() bool {
	for i := range c.operands {
		if c.operands[i].array != nil {
			return true
		}
	}
	return false
}

func (p *proc) traceWords(c *call) {
	words := make([]string, 0, len(c.args)+1)
	words = append(words, traceQuote(c.name))
	for _, a := range c.args {
		words = append(words, traceQuote(a))
	}
	for _, o := range c.operands {
		if o.array != nil {
			words = append(words, strings.TrimRight(o.word, "+="))
		} else {
			words = append(words, traceQuote(o.word))
		}
	}
	p.trace(strings.Join(words, " "))
	if c.name != "export" && c.name != "readonly" {
		return
	}
	for _, o := range c.operands { // these carry out their assignments one by one
		if _, _, value, _, _, ok := splitAssignment(o.word); ok && o.assignment && o.array == nil {
			p.trace(o.word[:len(o.word)-len(value)] + traceValue(value))
		}
	}
}

// traceHead traces the head of a loop or case, as it was written.
func (p *proc) traceHead(tree *syntax.Stmt, text *compiler) {
	q := newPrinter(text.lines)
	q.head(tree)
	head := string(q.b)
	if loop, ok := tree.Cmd.(*syntax.ForClause); !ok || !loop.Select {
		head = strings.TrimRight(head, " ")
	}
	p.trace(head)
}

// reportTime writes what the time keyword reports.
func (p *proc) reportTime(real time.Duration, posix bool) {
	format, ok := p.get("TIMEFORMAT")
	switch {
	case posix:
		format = "real %2R\nuser %2U\nsys %2S"
	case !ok:
		format = "\nreal\t%3lR\nuser\t%3lU\nsys\t%3lS"
	case format == "":
		return
	}
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		if format[i] == '%' {
			b.WriteByte('%')
			continue
		}
		if format[i] == 'P' {
			b.WriteString("0.00")
			continue
		}
		precision, long := 3, false
		if c := format[i]; c >= '0' && c <= '9' && i+1 < len(format) {
			precision = min(3, int(c-'0'))
			i++
		}
		if format[i] == 'l' && i+1 < len(format) {
			long = true
			i++
		}
		var d time.Duration
		switch format[i] {
		case 'R':
			d = real
		case 'U', 'S':
		default:
			p.errorf("TIMEFORMAT: `%c': invalid format character", format[i])
			return
		}
		b.WriteString(timeText(d, precision, long))
	}
	p.writeError(b.String() + "\n")
}

func timeText(d time.Duration, precision int, long bool) string {
	seconds := int64(d / time.Second)
	fraction := fmt.Sprintf("%03d", d%time.Second/time.Millisecond)[:precision]
	if precision > 0 {
		fraction = "." + fraction
	}
	if long {
		return fmt.Sprintf("%dm%d%ss", seconds/60, seconds%60, fraction)
	}
	return fmt.Sprintf("%d%s", seconds, fraction)
}
