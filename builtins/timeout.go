package builtins

import (
	"context"
	"fmt"
	"io"
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
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'k':
			if _, ok := parseDuration(p.Value); !ok {
				return c.usageErrorf("invalid time interval %s", quote(p.Value))
			}
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
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	expired := make(chan struct{})
	if limit > 0 {
		timer := time.AfterFunc(limit, func() {
			close(expired)
			cancel()
		})
		defer timer.Stop()
	}
	status, err := c.runProgram(ctx, &command.Exec{Arguments: words}, func(cause string) {
		c.warnf("failed to run command %s: %s", quote(words[0]), cause)
	})
	select {
	case <-expired:
	default:
		return endWith(status, err)
	}
	if c.ctx.Err() != nil {
		return c.ctx.Err()
	}
	if verbose {
		name := fmt.Sprint(signal)
		if signal > 0 && signal < len(signals) {
			name = signals[signal]
		}
		io.WriteString(c.Stderr, fmt.Sprintf("%s: sending signal %s to command %s\n", c.label(), name, quote(words[0])))
	}
	if preserve || signal == 9 {
		return command.ExitError(128 + signal)
	}
	return command.ExitError(statusTimedOut)
}

func init() {
	register(program{
		name: "timeout", trouble: 125,
		summary: "run a command for a limited time (-s SIGNAL -k DURATION)",
		usage: `timeout [OPTION]... DURATION COMMAND [ARGUMENT]...
Run COMMAND and end it after DURATION, with status 124: a number with s (the
default), m, h or d; 0 is no limit.

      --foreground         accepted, without effect
  -k, --kill-after=DURATION  accepted: a command is always ended at once
      --preserve-status    the command's status, not 124
  -s, --signal=SIGNAL      the signal that the status speaks of
  -v, --verbose            tell when the command is ended`,
		options: getopt.Spec{Order: getopt.Stop, Options: []getopt.Option{
			{Key: 'k', Long: "kill-after", Argument: getopt.Required}, {Key: 's', Long: "signal", Argument: getopt.Required},
			{Key: 'v', Long: "verbose"}, {Key: timeoutKeyForeground, Long: "foreground"}, {Key: timeoutKeyPreserve, Long: "preserve-status"},
		}},
		run: timeoutRun,
	})
}
