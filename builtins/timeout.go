package builtins

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/shell/command"
)

const (
	timeoutKeyForeground = 256 + iota
	timeoutKeyPreserve
)

const statusTimedOut = 124

func timeoutRun(c *call) error {
	signal, preserve, verbose := 15, false, false
	var killAfter time.Duration
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'k':
			d, ok := parseDuration(p.Value)
			if !ok {
				return c.usageErrorf("invalid time interval %s", quote(p.Value))
			}
			killAfter = d
		case 's':
			n, ok := signalNumber(p.Value)
			if !ok {
				return c.usageErrorf("%s: invalid signal", quote(p.Value))
			}
			signal = n
		case 'v':
			verbose = true
		case timeoutKeyPreserve:
			preserve = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(operands) < 2 {
		return c.tryHelp()
	}
	limit, ok := parseDuration(operands[0])
	if !ok {
		return c.usageErrorf("invalid time interval %s", quote(operands[0]))
	}
	words := operands[1:]
	t := &timeoutWatch{c: c, signal: signal, limit: limit, killAfter: killAfter, done: make(chan struct{})}
	if verbose {
		t.command = words[0]
	}
	status, err := c.runProgram(c.ctx, &command.Exec{Arguments: words, Started: t.start}, func(cause string) {
		c.warnf("failed to run command %s: %s", quote(words[0]), cause)
	})
	close(t.done)
	t.ended.Wait()
	var killed command.SignalError
	if t.expired && errors.As(err, &killed) {
		err = nil
	}
	switch {
	case !t.expired || err != nil:
		return endWith(status, err)
	case t.killed || signal == 9:
		return command.SignalError(9) // sent to its own group, so to itself
	case preserve:
		return endWith(status, nil)
	}
	return command.ExitError(statusTimedOut)
}

// timeoutWatch signals the command when its time is up.
type timeoutWatch struct {
	c                *call
	signal           int
	limit, killAfter time.Duration
	// command is named when each signal is told of.
	command         string
	done            chan struct{}
	ended           sync.WaitGroup
	expired, killed bool
}

func (t *timeoutWatch) start(pid int) {
	if t.limit > 0 {
		t.ended.Add(1)
		go func() {
			defer t.ended.Done()
			if t.expired = t.wait(t.limit); !t.expired {
				return
			}
			t.send(pid, t.signal)
			if t.killAfter > 0 && t.wait(t.killAfter) {
				t.killed = true
				t.send(pid, 9)
			}
		}()
	}
}

// wait lets a duration pass; false: the command has ended before.
func (t *timeoutWatch) wait(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-t.done:
		return false
	case <-timer.C:
		return true
	}
}

// send signals the command and all it has started.
func (t *timeoutWatch) send(pid, signal int) {
	if t.command != "" {
		name := fmt.Sprint(signal)
		if signal > 0 && signal < len(signals) {
			name = signals[signal]
		}
		io.WriteString(t.c.Stderr, fmt.Sprintf("%s: sending signal %s to command %s\n", t.c.label(), name, quote(t.command)))
	}
	t.c.Host().Signal(-pid, signal)
}

func timeoutProgram(string) *program {
	return &program{
		trouble: 125,
		usage: `timeout [OPTION]... DURATION COMMAND [ARGUMENT]...
Run COMMAND and signal it after DURATION, with status 124: a number with s (the
default), m, h or d; 0 is no limit.

      --foreground         accepted, without effect
  -k, --kill-after=DURATION  send KILL when it still runs after that
      --preserve-status    the command's status, not 124
  -s, --signal=SIGNAL      the signal to send, TERM if left out
  -v, --verbose            tell when the command is ended`,
		options: getopt.Spec{Order: getopt.Stop, Options: []getopt.Option{
			{Key: 'k', Long: "kill-after", Argument: getopt.Required}, {Key: 's', Long: "signal", Argument: getopt.Required},
			{Key: 'v', Long: "verbose"}, {Key: timeoutKeyForeground, Long: "foreground"}, {Key: timeoutKeyPreserve, Long: "preserve-status"},
		}},
		run: timeoutRun,
	}
}
